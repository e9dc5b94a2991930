// Memory of results.
#pragma once

#include "objects/numpy_api.hpp"

namespace pellucid {

// Return a new array whose elements are arbitrary, in C order; takes the reference to the dtype.
PyObject* make_array(PyArray_Descr* dtype, int ndim, const npy_intp* dims);

}  // namespace pellucid
