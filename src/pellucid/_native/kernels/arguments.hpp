// Reading the arguments of a kernel's Python function.
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <utility>
#include "objects/memory.hpp"
#include "objects/reference.hpp"

#include "kernels/kernels.hpp"
#include "kernels/threads.hpp"

namespace pellucid {

// Up to how many elements a kernel that goes through them one by one is the better one.
constexpr long kFewElements = 1 << 14;

using Function = PyObject* (*)(PyObject* self, PyObject* const* arguments, Py_ssize_t count);

// The functions below return false, or nothing, without an exception where the kernel does not take
// an argument, and with one where something failed; a kernel ends with `declined()` in both cases.

// NotImplemented, or null if an exception is set.
inline PyObject* declined() {
    if (PyErr_Occurred() != nullptr) return nullptr;
    Py_RETURN_NOTIMPLEMENTED;
}

inline PyArrayObject* as_array(PyObject* object) {
    return PyArray_CheckExact(object) ? reinterpret_cast<PyArrayObject*>(object) : nullptr;
}

// Whether the object is an array of float32 or float64 in the machine's byte order.
inline bool read_precision(PyObject* object, Precision* precision) {
    PyArrayObject* array = as_array(object);
    if (array == nullptr || !PyArray_ISNOTSWAPPED(array)) return false;
    const int type = PyArray_TYPE(array);
    *precision = type == NPY_FLOAT ? kSingle : kDouble;
    return type == NPY_FLOAT || type == NPY_DOUBLE;
}

inline int type_of(Precision precision) { return precision == kSingle ? NPY_FLOAT : NPY_DOUBLE; }
inline long item_size(Precision precision) { return precision == kSingle ? 4 : 8; }

// An array of this type whose elements lie in order and without gaps: a copy if need be.
inline Ref contiguous(PyObject* object, int type) {
    PyArrayObject* array = as_array(object);
    if (array == nullptr || PyArray_TYPE(array) != type || !PyArray_ISNOTSWAPPED(array))
        return Ref();
    if (PyArray_IS_C_CONTIGUOUS(array) && PyArray_ISALIGNED(array)) {
        Py_INCREF(object);
        return Ref(object);
    }
    return Ref(PyArray_NewCopy(array, NPY_CORDER));
}

// The same for an argument that may be None: true if it is, or if `array` was filled.
inline bool optional(PyObject* object, int type, Ref* array) {
    if (object == Py_None) return true;
    *array = contiguous(object, type);
    return static_cast<bool>(*array);
}

inline Ref new_array(int ndim, const npy_intp* shape, int type) {
    return Ref(make_array(PyArray_DescrFromType(type), ndim, shape));
}

inline Ref new_like(const Ref& other, int type) {
    return new_array(PyArray_NDIM(other.array()), PyArray_DIMS(other.array()), type);
}

// Truth values are no integers, and what does not fit a long is left to Python.
inline bool read_integer(PyObject* object, long* value) {
    if (!PyLong_Check(object) || PyBool_Check(object)) return false;
    int beyond;
    *value = PyLong_AsLongAndOverflow(object, &beyond);
    return beyond == 0;
}

inline bool is_word(PyObject* object, const char* word) {
    return PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, word) == 0;
}

inline bool read_number(PyObject* object, double* value) {
    if (!PyFloat_Check(object) && !PyLong_Check(object)) return false;
    *value = PyFloat_AsDouble(object);
    if (*value != -1 || PyErr_Occurred() == nullptr) return true;
    if (PyErr_ExceptionMatches(PyExc_OverflowError)) PyErr_Clear();
    return false;
}

// A tuple of `count` integers.
inline bool read_integers(PyObject* object, long count, long* values) {
    if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) != count) return false;
    for (long i = 0; i < count; ++i)
        if (!read_integer(PyTuple_GET_ITEM(object, i), values + i)) return false;
    return true;
}

// Note [Sizes that are asked for]
// A stride, padding or size that a call names may be any number. Up to this bound, the product of
// two and sums of a few fit 63 bits; everything beyond is left to Python, whose numbers have no
// end. Products of more are checked with `size_product`.
constexpr long kMostSize = (1L << 31) - 1;

inline bool is_size(long value) { return value >= 0 && value <= kMostSize; }

// A tuple of `count` sizes.
inline bool read_sizes(PyObject* object, long count, long* values) {
    if (!read_integers(object, count, values)) return false;
    for (long i = 0; i < count; ++i)
        if (!is_size(values[i])) return false;
    return true;
}

// The product of sizes, or -1 where it is beyond what an array may have.
template <class Integer>
long size_product(const Integer* sizes, int count) {
    long product = 1;
    for (int i = 0; i < count; ++i) {
        if (sizes[i] == 0) return 0;
        if (__builtin_mul_overflow(product, static_cast<long>(sizes[i]), &product) ||
            product > 1L << 56) {
            return -1;
        }
    }
    return product;
}

inline long size_product(std::initializer_list<long> sizes) {
    return size_product(sizes.begin(), static_cast<int>(sizes.size()));
}

// Runs work without the interpreter's lock; false, and MemoryError, if memory ran out.
template <class Work>
bool unlocked(const Work& work) {
    bool enough = true;
    Py_BEGIN_ALLOW_THREADS
    try {
        work();
    } catch (const std::exception&) {  // no memory, or a size beyond all memory
        enough = false;
    }
    Py_END_ALLOW_THREADS
    if (!enough) PyErr_NoMemory();
    return enough;
}

// Runs the parts of a job on the pool.
template <class Job>
void run_parts(long count, Part<Job> part, const Job& job) {
    struct Call {
        Part<Job> part;
        const Job* job;
    } call{part, &job};
    run_tasks(
        count,
        [](void* context, long i) {
            const Call& made = *static_cast<const Call*>(context);
            made.part(*made.job, i);
        },
        &call);
}

}  // namespace pellucid
