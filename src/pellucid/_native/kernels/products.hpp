// Products of arrays.
#pragma once

#include "objects/numpy_api.hpp"

namespace pellucid {

// The product of two arrays of at least two dimensions, as np.matmul has it, with a bias, unless it
// is null, added to every row. Null without an error for what is left to NumPy.
PyObject* product_of(PyArrayObject* first, PyArrayObject* second, PyArrayObject* bias);

}  // namespace pellucid
