// Reductions of arrays.
#pragma once

#include "objects/numpy_api.hpp"

namespace pellucid {

// The sum of all elements, as an array without dimensions. Null without an error for what is left
// to NumPy.
PyObject* sum_of(PyArrayObject* x);

// The sums over one dimension or a tuple of them, as `total` gives them; null without an error for
// other dimensions.
PyObject* sum_over(PyArrayObject* x, PyObject* dims, bool keeps);

// The sums of all but the last dimension, of two or more; null in the same way.
PyObject* column_sums_of(PyArrayObject* rows);

}  // namespace pellucid
