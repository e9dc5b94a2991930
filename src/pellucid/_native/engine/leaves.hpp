// Sums of gradients, and the leaves that get them.
#pragma once

#include "objects/layout.hpp"

namespace pellucid {

// Whether an array has the sizes of a tuple.
inline bool same_shape(PyArrayObject* array, PyObject* shape) {
    if (!PyTuple_Check(shape) || PyTuple_GET_SIZE(shape) != PyArray_NDIM(array)) return false;
    for (int d = 0; d < PyArray_NDIM(array); ++d) {
        if (PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, d)) != PyArray_DIM(array, d)) return false;
    }
    return true;
}

// Adds a gradient to a sum in place where they are plain arrays of one usual dtype and shape.
bool can_add(PyObject* first, PyObject* second);
bool add_into(PyObject* held, PyObject* g);

// A new array, the sum of two gradients.
Ref sum_of(PyObject* held, PyObject* g);

// Whether the elements of an array lie one after the other: what else is there is not added to.
bool is_one_piece(PyObject* array);

// The gradient that a node was given, and the array whose memory that is, if it is another's. They
// may be gone when they are compared: nothing of them is read.
struct Given {
    const PyObject *gradient, *base;
};

Given given(PyObject* gradient);

// Whether a gradient is that which a node was given, or a view of the same memory.
bool is_handed_on(PyObject* grad, const Given& given);

// Whether a gradient that is summed to the shape of a target loses dimensions: PyTorch's is a view
// then, which is not added to.
bool is_cut_down(PyObject* grad, PyObject* target);

// The sums of the columns of a short matrix for a target that is a row, as for a bias; empty
// without an error where Python has to see to it. See `column_sums` in the NumPy kernels.
Ref column_sums(PyObject* grad, PyObject* target);

// How often PyTorch's node changes the gradients that it makes.
long changes_by(PyObject* node);

// Whether a node saves nothing but a number, which no pass frees; see `Op.unfreed` in
// `pellucid.core.definition.op`.
bool is_unfreed(PyObject* node);

// Makes a gradient one that a leaf may have: itself where nobody else holds the array and it lies
// in memory like the leaf, and else a copy; counts the change that PyTorch makes for this. False
// with an error.
bool take_over(Ref* g, long* changes);

// Gives a leaf its gradient, itself where it is an array that nobody else holds, in the leaf's
// layout, and else a copy; or adds it to the one that is there, for a pass. False where Python has
// to do it. The leaf's lock is only asked for: whoever holds it is left to finish.
bool accumulate_usual(PyObject* leaf, Ref* g, long changes, PyObject* run);

}  // namespace pellucid
