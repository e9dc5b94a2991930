// The engine; see engine.cpp.
#pragma once

#include "objects/numpy_api.hpp"

namespace pellucid {

// Adds `walk` and `execute` to the module.
bool add_engine(PyObject* module);

}  // namespace pellucid
