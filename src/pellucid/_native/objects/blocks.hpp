// Blocks of `with` that put back what they changed.
#pragma once

#include "objects/numpy_api.hpp"

namespace pellucid {

bool add_blocks(PyObject* module);

}  // namespace pellucid
