// Many nodes at once, as arrays of numbers.
#pragma once

#include "objects/numpy_api.hpp"

namespace pellucid {

// Adds the function `survey` to the module.
bool add_survey(PyObject* module);

}  // namespace pellucid
