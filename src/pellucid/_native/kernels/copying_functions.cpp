// Copies of arrays in another order, repeated, or in another dtype, for arrays in C order. Those
// that NumPy copies as quickly once there are many elements are for few elements alone.
#include <algorithm>
#include <cstring>

#include "kernels/functions.hpp"
#include "kernels/lanes.hpp"

namespace pellucid {
namespace {

// Whether an array of numbers lies in memory in C order, and has dimensions and elements.
bool is_usual(PyArrayObject* array) {
    return array != nullptr && PyArray_ISCARRAY_RO(array) && PyArray_NDIM(array) > 0 &&
           PyArray_SIZE(array) > 0 && !PyDataType_REFCHK(PyArray_DESCR(array));
}

Ref new_of_dtype(PyArrayObject* array, int ndim, const npy_intp* shape) {
    PyArray_Descr* dtype = PyArray_DESCR(array);
    Py_INCREF(dtype);
    return Ref(
        PyArray_NewFromDescr(&PyArray_Type, dtype, ndim, shape, nullptr, nullptr, 0, nullptr));
}

// A view of an array's memory from `data` on, which does not outlive the array.
Ref view_of(PyArrayObject* array, int ndim, const npy_intp* shape, const npy_intp* strides,
            char* data) {
    PyArray_Descr* dtype = PyArray_DESCR(array);
    Py_INCREF(dtype);
    return Ref(PyArray_NewFromDescr(&PyArray_Type, dtype, ndim, shape, strides, data,
                                    NPY_ARRAY_WRITEABLE, nullptr));
}

// The one integer that is given, alone or in a tuple.
bool read_single(PyObject* object, long* value) {
    if (PyTuple_Check(object) && PyTuple_GET_SIZE(object) == 1)
        object = PyTuple_GET_ITEM(object, 0);
    return PyLong_CheckExact(object) && read_integer(object, value);
}

}  // namespace

// roll(x, shifts, dims), along one dimension or, with None, through all of the array
PyObject* roll(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject* x = count == 3 ? as_array(arguments[0]) : nullptr;
    long shift, dim;
    if (!is_usual(x) || !read_single(arguments[1], &shift)) return declined();
    Lanes lanes{1, PyArray_SIZE(x), 1};
    if (arguments[2] != Py_None) {
        if (!read_single(arguments[2], &dim)) return declined();
        const Ref along(PyLong_FromLong(dim));
        if (!along || !read_lanes(x, along.get(), &lanes)) return declined();
    }
    Ref out = new_of_dtype(x, PyArray_NDIM(x), PyArray_DIMS(x));
    if (!out) return nullptr;
    const long block = lanes.inner * PyArray_ITEMSIZE(x), whole = lanes.size * block;
    const long moved = ((shift % lanes.size + lanes.size) % lanes.size) * block;
    const char* from = PyArray_BYTES(x);
    char* to = out.data<char>();
    const bool done = unlocked([&] {
        for (long o = 0; o < lanes.outer; ++o, from += whole, to += whole) {
            std::memcpy(to + moved, from, whole - moved);
            std::memcpy(to, from + whole - moved, moved);
        }
    });
    return done ? out.release() : nullptr;
}

// flipped(x, dims)
PyObject* flipped(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject* x = count == 2 ? as_array(arguments[0]) : nullptr;
    if (!is_usual(x) || !PyTuple_Check(arguments[1])) return declined();
    const int ndim = PyArray_NDIM(x);
    npy_intp strides[NPY_MAXDIMS];
    std::copy_n(PyArray_STRIDES(x), ndim, strides);
    char* data = PyArray_BYTES(x);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arguments[1]); ++i) {
        long dim;
        if (!read_integer(PyTuple_GET_ITEM(arguments[1], i), &dim)) return declined();
        if (dim < 0) dim += ndim;
        if (dim < 0 || dim >= ndim || strides[dim] != PyArray_STRIDE(x, dim)) return declined();
        data += (PyArray_DIM(x, dim) - 1) * strides[dim];
        strides[dim] = -strides[dim];
    }
    const Ref turned = view_of(x, ndim, PyArray_DIMS(x), strides, data);
    return turned ? PyArray_NewCopy(turned.array(), NPY_CORDER) : nullptr;
}

// repeated(x, repeats): the whole array as often as the counts say along each dimension
PyObject* repeated(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject* x = count == 2 ? as_array(arguments[0]) : nullptr;
    if (!is_usual(x) || !PyTuple_Check(arguments[1]) || PyArray_SIZE(x) > kFewElements)
        return declined();
    const int ndim = static_cast<int>(PyTuple_GET_SIZE(arguments[1])),
              added = ndim - PyArray_NDIM(x);
    if (added < 0 || 2 * ndim > NPY_MAXDIMS) return declined();
    // each dimension becomes two: which repetition, and where in it
    npy_intp shape[NPY_MAXDIMS], pairs[NPY_MAXDIMS], steps[NPY_MAXDIMS] = {}, total = 1;
    for (int d = 0; d < ndim; ++d) {
        long times;
        if (!read_integer(PyTuple_GET_ITEM(arguments[1], d), &times) || times < 1 ||
            times > kFewElements || (total *= times) > kFewElements) {
            return declined();
        }
        pairs[2 * d] = times;
        pairs[2 * d + 1] = d < added ? 1 : PyArray_DIM(x, d - added);
        steps[2 * d + 1] = d < added ? 0 : PyArray_STRIDE(x, d - added);
        shape[d] = times * pairs[2 * d + 1];
    }
    Ref out = new_of_dtype(x, ndim, shape);
    if (!out) return nullptr;
    const Ref from = view_of(x, 2 * ndim, pairs, steps, PyArray_BYTES(x));
    const Ref to = view_of(out.array(), 2 * ndim, pairs, nullptr, out.data<char>());
    if (!from || !to || PyArray_CopyInto(to.array(), from.array()) < 0) return nullptr;
    return out.release();
}

// Whether this is a dtype of floating-point numbers of eight bits, which NumPy has from another
// package.
bool is_float8(const PyArray_Descr* dtype) {
    return dtype->type_num >= NPY_USERDEF && PyDataType_ELSIZE(dtype) == 1;
}

// converted(x, dtype), for a dtype of the library
PyObject* converted(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject* x = count == 2 ? as_array(arguments[0]) : nullptr;
    if (x == nullptr || !PyArray_ISCARRAY_RO(x)) return declined();
    static PyObject* const name = PyUnicode_InternFromString("numpy");
    const Ref wanted(PyObject_GetAttr(arguments[1], name));
    if (!wanted || !PyArray_DescrCheck(wanted.get())) {
        PyErr_Clear();
        return declined();
    }
    PyArray_Descr* dtype = reinterpret_cast<PyArray_Descr*>(wanted.get());
    if (dtype->kind == 'W') return declined();  // complex32: Python warns of it
    // float8: Python rounds to it, and reads it, as PyTorch does
    if (is_float8(dtype) || is_float8(PyArray_DESCR(x))) return declined();
    PyObject* const given[] = {arguments[0], wanted.get()};
    PyObject* found = cast(self, given, 2);
    const bool is_safe = PyArray_CanCastTypeTo(PyArray_DESCR(x), dtype, NPY_SAFE_CASTING);
    if (found != Py_NotImplemented || !is_safe) return found;
    Py_DECREF(found);
    Py_INCREF(dtype);
    return PyArray_CastToType(x, dtype, 0);
}

}  // namespace pellucid
