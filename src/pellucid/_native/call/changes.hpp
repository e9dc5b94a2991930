// Changes in place that nothing records.
#pragma once

#include "objects/reference.hpp"

namespace pellucid {

// Adds `changing`, `fill` and `write` to the module; false with an error.
bool add_changes(PyObject* module);

}  // namespace pellucid
