// Arrays from Python numbers.
#pragma once

#include "objects/reference.hpp"

namespace pellucid {

// Adds `read_numbers` to the module; false with an error.
bool add_numbers(PyObject* module);

}  // namespace pellucid
