// Arrays seen as lanes along one dimension.
#pragma once

#include "kernels/arguments.hpp"

namespace pellucid {

// An array [outer, size, inner], of which lane (o, i) has the elements [o, :, i].
struct Lanes {
    long outer, size, inner;

    long count() const { return outer * inner; }
    long start(long lane) const { return lane / inner * size * inner + lane % inner; }
};

// Read the dimension that a kernel works along; false if there is none of this number.
inline bool read_lanes(PyArrayObject* array, PyObject* axis, Lanes* lanes) {
    const int ndim = PyArray_NDIM(array);
    long along;
    if (!read_integer(axis, &along)) return false;
    if (along < 0) along += ndim;
    if (along < 0 || along >= ndim) return false;
    const npy_intp* shape = PyArray_DIMS(array);
    const int at = static_cast<int>(along);
    *lanes = {PyArray_MultiplyList(shape, at), shape[at],
              PyArray_MultiplyList(shape + at + 1, ndim - at - 1)};
    return true;
}

}  // namespace pellucid
