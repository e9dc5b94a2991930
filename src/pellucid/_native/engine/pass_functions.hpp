// The functions of Python's that record passes and run them.
#pragma once

#include "objects/numpy_api.hpp"

namespace pellucid {

// Adds `list_calls`, `recorded_pass` and `run_apart` to the module; false with an error.
bool add_recorded_passes(PyObject* module);

}  // namespace pellucid
