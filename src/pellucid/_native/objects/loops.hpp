// Elementwise arithmetic by the inner loops of NumPy's own functions, so that the bits are theirs.
#pragma once

#include "objects/reference.hpp"

namespace pellucid {

// The inner loop of a NumPy function for operands of one type.
struct Loop {
    PyUFuncGenericFunction function = nullptr;
    void* data = nullptr;
    int out_type = -1;
    int inputs = 0;
};

constexpr int kMostLoopInputs = 5;

// Finds the loop for operands of a type; its function is null if there is none.
Loop find_loop(PyObject* ufunc, int type);

// Whether an array lies in memory without gaps, in C order, aligned.
inline bool is_plain(PyArrayObject* array) { return PyArray_ISCARRAY_RO(array); }

// Whether an array is gone through in C order, perhaps with gaps or repetitions: then NumPy, too,
// would give the result in C order.
bool has_falling_strides(PyArrayObject* array);
inline bool is_ordered(PyArrayObject* array) {
    return is_plain(array) || has_falling_strides(array);
}

// Computes a new array from ordered operands, which broadcast; three and more have to lie in memory
// without gaps and be of one shape, or single numbers. Returns null without an error where they are
// not ordered or do not fit together, and with one where there is no memory.
PyObject* run_loop(const Loop& loop, PyArrayObject* const* operands);

// Writes the result into `out`, a plain array that has the broadcast shape; false if it has not.
bool run_loop_into(const Loop& loop, PyArrayObject* const* operands, PyArrayObject* out);

}  // namespace pellucid
