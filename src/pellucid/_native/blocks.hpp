// Blocks of `with` that put back what they changed.
#pragma once

#include "numpy_api.hpp"

namespace pellucid {

bool add_blocks(PyObject* module);

}  // namespace pellucid
