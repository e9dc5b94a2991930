// Arrays seen as batches of matrices.
#pragma once

#include "kernels/arguments.hpp"
#include "kernels/blas.hpp"

namespace pellucid {

// A size, counted from the last dimension, which is 1.
inline long last(PyArrayObject* array, int from_end) {
    return PyArray_DIM(array, PyArray_NDIM(array) - from_end);
}

// Whether the matrices of an array can be read where they are; fills how.
inline bool read_matrix(PyArrayObject* array, Matrix* matrix) {
    const int ndim = PyArray_NDIM(array);
    const long item = PyArray_ITEMSIZE(array), rows = last(array, 2), columns = last(array, 1);
    const long down = PyArray_STRIDE(array, ndim - 2), along = PyArray_STRIDE(array, ndim - 1);
    const auto fits = [item](long near, long far, long size, long others) {
        return (near == item || size == 1) &&
               (others == 1 || (far % item == 0 && far >= size * item));
    };
    matrix->data = PyArray_DATA(array);
    matrix->turned = !fits(along, down, columns, rows);
    if (!matrix->turned) {
        matrix->step = rows == 1 ? columns : down / item;
        return true;
    }
    matrix->step = columns == 1 ? rows : along / item;
    return fits(down, along, rows, columns);
}

// The array, or a copy whose matrices can be read.
inline Ref readable(PyArrayObject* array, Matrix* matrix) {
    PyObject* object = reinterpret_cast<PyObject*>(array);
    if (PyArray_ISALIGNED(array) && read_matrix(array, matrix)) {
        Py_INCREF(object);
        return Ref(object);
    }
    Ref copy(PyArray_NewCopy(array, NPY_CORDER));
    if (copy) read_matrix(copy.array(), matrix);
    return copy;
}

// Where the matrices of one entry of a batch of this shape are: bytes from the first.
inline long offset_of(PyArrayObject* array, int ndim, const npy_intp* shape, long entry) {
    const int missing = ndim - PyArray_NDIM(array);
    long offset = 0;
    for (int d = ndim - 3; d >= 0; --d) {
        const long at = entry % shape[d];
        entry /= shape[d];
        if (d >= missing && PyArray_DIM(array, d - missing) > 1)
            offset += at * PyArray_STRIDE(array, d - missing);
    }
    return offset;
}

}  // namespace pellucid
