// The engine; see engine.cpp.
#pragma once

#include "objects/reference.hpp"

namespace pellucid {

// What stands for a pass that starts here, from a node of a number; empty with an error.
Ref make_run(PyObject* root_number);

// Adds `walk` and `execute` to the module.
bool add_engine(PyObject* module);

}  // namespace pellucid
