// Joining arrays, and taking them apart, without Python.
#pragma once

#include "objects/reference.hpp"

#include <vector>

namespace pellucid {

// Which way arrays are joined: end to end, or along a new dimension.
enum class Joining { end_to_end, stacked };

// The arrays joined along a dimension, which may count from the end; null without an error where
// they do not fit, or do not all lie in memory without gaps.
PyObject* joined(const std::vector<Ref>& arrays, Joining how, long dim);

// The sizes of the arrays along the dimension in which they are joined end to end.
Ref lengths_along(const std::vector<Ref>& arrays, long dim);

// The view of the part of an array between two places of a dimension; null with an error.
PyObject* part_of(PyArrayObject* array, long dim, npy_intp start, npy_intp stop);

// The view of a slice of an array along a dimension, without it; null with an error.
PyObject* slice_at(PyArrayObject* array, long dim, npy_intp place);

// Makes what an op that only looks at an array returns, a view or a list of views, from the op's
// parameters; null without an error for what Python has to see to.
using ViewMaker = PyObject* (*)(PyArrayObject* array, PyObject* const* params);

// The function of an op by the op's name; null if there is none.
ViewMaker find_view_maker(const char* op);

}  // namespace pellucid
