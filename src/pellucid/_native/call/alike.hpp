// What the arguments of a call must have in common with those of one that is remembered.
#pragma once

#include "objects/layout.hpp"

#include <vector>

namespace pellucid {

inline bool is_tensor(PyObject* object) { return PyObject_TypeCheck(object, layout.tensor_base); }

// Whether an object never changes, and holds no tensor.
bool is_constant(PyObject* object);

// Whether two constants are of one class and cannot be told apart.
bool are_same(PyObject* first, PyObject* second);

// What another argument must have in common with one.
struct Alike {
    Ref constant;  // or null for a tensor
    Ref dtype;
    std::vector<npy_intp> extents;  // sizes and strides
    bool requires_grad = false;
    Py_ssize_t first = 0;  // where the same object comes first among the arguments

    // Reads it off an argument; false for what is neither a constant nor a usual tensor.
    bool read(PyObject* const* args, Py_ssize_t at);
    bool fits(PyObject* const* args, Py_ssize_t at) const;
};

}  // namespace pellucid
