// Elementwise ops that NumPy has no single loop for, of few elements in C order, and in one pass;
// and what is more than a loop over elements, of arrays of any size in C order.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/arguments.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/lanes.hpp"
#include "kernels/pieces.hpp"
#include "kernels/pointwise_lists.hpp"

namespace pellucid {
namespace {

// Whether an array has few elements, in C order.
bool are_few(PyArrayObject* array) {
    return array != nullptr && PyArray_ISCARRAY_RO(array) && PyArray_SIZE(array) <= kFewElements;
}

bool read_few(PyObject* object, Precision* precision) {
    return read_precision(object, precision) && are_few(as_array(object));
}

Ref new_like(PyArrayObject* array, int type) {
    return new_array(PyArray_NDIM(array), PyArray_DIMS(array), type);
}

template <class T>
const T* elements(PyObject* object) {
    return static_cast<const T*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(object)));
}

// Whether the object is an array of float32 or float64 in C order.
bool read_in_order(PyObject* object, Precision* precision) {
    return read_precision(object, precision) && PyArray_ISCARRAY_RO(as_array(object));
}

// The result of a kernel for an array in C order and numbers.
template <class T, class... Numbers>
PyObject* with_numbers(Pointwise name, PyArrayObject* x, const Numbers&... numbers) {
    const Precision precision = sizeof(T) == sizeof(float) ? kSingle : kDouble;
    Ref out = new_like(x, type_of(precision));
    const void* operands[] = {PyArray_DATA(x), &numbers...};
    const auto compute = [&] {
        run_with_numbers(name, precision, operands, out.data(), out.size());
    };
    if (!out) return nullptr;
    if (out.size() <= kFewElements) {
        compute();
    } else if (!unlocked(compute)) {
        return nullptr;
    }
    return out.release();
}

// ---- bounds -------------------------------------------------------------------------------------

// A number of the type, if the object is one; None leaves it as it is.
template <class T>
bool read_number_or_none(PyObject* object, T* number) {
    double value;
    if (object == Py_None) return true;
    if (!read_number(object, &value)) return false;
    *number = static_cast<T>(value);
    return std::isfinite(*number) || !std::isfinite(value);
}

// A bound: None, or a number, perhaps in an array, that is no NaN; false for others.
template <class T>
bool read_bound(PyObject* object, int type, T* bound) {
    if (object == Py_None) return true;
    PyArrayObject* array = as_array(object);
    if (array == nullptr) return read_number_or_none(object, bound) && *bound == *bound;
    if (PyArray_TYPE(array) != type || PyArray_NDIM(array) != 0) return false;
    *bound = *elements<T>(object);
    return *bound == *bound;
}

template <class T>
PyObject* clipped_in(PyObject* const* arguments, int type) {
    T low = -std::numeric_limits<T>::infinity(), high = std::numeric_limits<T>::infinity();
    if (!read_bound(arguments[1], type, &low) || !read_bound(arguments[2], type, &high) ||
        (low > high && as_array(arguments[1]) == nullptr)) {  // which `hardtanh` refuses
        return declined();
    }
    return with_numbers<T>(Pointwise::k_clip, as_array(arguments[0]), low, high);
}

// ---- special values -----------------------------------------------------------------------------

template <class T>
PyObject* special_replaced_in(PyObject* const* arguments) {
    T missing = 0, above = std::numeric_limits<T>::max(), below = -above;
    if (!read_number_or_none(arguments[1], &missing) ||
        !read_number_or_none(arguments[2], &above) || !read_number_or_none(arguments[3], &below)) {
        return declined();
    }
    PyArrayObject* x = as_array(arguments[0]);
    return with_numbers<T>(Pointwise::k_replace_special, x, missing, above, below);
}

template <class T>
PyObject* close_in(PyObject* const* arguments) {
    double relative, absolute;
    if (!read_number(arguments[2], &relative) || !read_number(arguments[3], &absolute) ||
        !PyBool_Check(arguments[4]) || !(relative >= 0) || !(absolute >= 0)) {
        return declined();
    }
    Ref out = new_like(as_array(arguments[0]), NPY_BOOL);
    if (!out) return nullptr;
    const T *x = elements<T>(arguments[0]), *y = elements<T>(arguments[1]);
    const T slope = static_cast<T>(relative), start = static_cast<T>(absolute);
    const bool equal_nan = arguments[4] == Py_True;
    npy_bool* to = out.data<npy_bool>();
    for (long i = 0; i < out.size(); ++i) {
        const T distance = std::abs(x[i] - y[i]), most = start + slope * std::abs(y[i]);
        to[i] = (distance <= most && std::isfinite(y[i])) || x[i] == y[i] ||
                (equal_nan && x[i] != x[i] && y[i] != y[i]);
    }
    return out.release();
}

}  // namespace

// clipped(x, low, high): a bound may be None
PyObject* clipped(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    if (count != 3 || !read_in_order(arguments[0], &precision) ||
        (arguments[1] == Py_None && arguments[2] == Py_None)) {
        return declined();
    }
    return precision == kSingle ? clipped_in<float>(arguments, NPY_FLOAT)
                                : clipped_in<double>(arguments, NPY_DOUBLE);
}

// raised_to(x, low)
PyObject* raised_to(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 2) return declined();
    PyObject* const bounds[] = {arguments[0], arguments[1], Py_None};
    return clipped(module, bounds, 3);
}

// lowered_to(x, high)
PyObject* lowered_to(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 2) return declined();
    PyObject* const bounds[] = {arguments[0], Py_None, arguments[1]};
    return clipped(module, bounds, 3);
}

// special_replaced(x, nan, posinf, neginf): numbers, or None
PyObject* special_replaced(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    if (count != 4 || !read_in_order(arguments[0], &precision)) return declined();
    return precision == kSingle ? special_replaced_in<float>(arguments)
                                : special_replaced_in<double>(arguments);
}

// close(x, y, rtol, atol, equal_nan)
PyObject* close(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision, other;
    if (count != 5 || !read_few(arguments[0], &precision) || !read_few(arguments[1], &other) ||
        precision != other || !PyArray_SAMESHAPE(as_array(arguments[0]), as_array(arguments[1]))) {
        return declined();
    }
    return precision == kSingle ? close_in<float>(arguments) : close_in<double>(arguments);
}

// floor_quotients(a, b), of integers: b is a number or has the shape of a, and is nowhere 0 or -1
PyObject* floor_quotients(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject *a = count == 2 ? as_array(arguments[0]) : nullptr, *b = nullptr;
    if (!are_few(a) || !are_few(b = as_array(arguments[1])) || PyArray_TYPE(a) != NPY_INT64 ||
        PyArray_TYPE(b) != NPY_INT64 || (PyArray_NDIM(b) != 0 && !PyArray_SAMESHAPE(a, b))) {
        return declined();
    }
    const long long *from = elements<long long>(arguments[0]),
                    *by = elements<long long>(arguments[1]);
    if (std::any_of(by, by + PyArray_SIZE(b),
                    [](long long each) { return each == 0 || each == -1; }))
        return declined();
    Ref out = new_like(a, NPY_INT64);
    if (!out) return nullptr;
    const bool single = PyArray_NDIM(b) == 0;
    for (long i = 0; i < out.size(); ++i) {
        const long long divisor = single ? *by : by[i], quotient = from[i] / divisor;
        const bool rounded_up = quotient * divisor != from[i] && (from[i] < 0) != (divisor < 0);
        out.data<long long>()[i] = quotient - rounded_up;
    }
    return out.release();
}

// one_hot(places, size): -1 stands for the least size that there is room in
PyObject* one_hot(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject* places = count == 2 ? as_array(arguments[0]) : nullptr;
    long size;
    if (!are_few(places) || PyArray_TYPE(places) != NPY_INT64 || PyArray_SIZE(places) == 0 ||
        PyArray_NDIM(places) == NPY_MAXDIMS || !read_integer(arguments[1], &size)) {
        return declined();
    }
    const long long* at = elements<long long>(arguments[0]);
    const long given = PyArray_SIZE(places);
    const auto extremes = std::minmax_element(at, at + given);
    if (*extremes.second > kFewElements) return declined();
    if (size == -1) size = static_cast<long>(*extremes.second) + 1;
    if (*extremes.first < 0 || *extremes.second >= size || size > kFewElements) return declined();
    npy_intp shape[NPY_MAXDIMS];
    const int ndim = PyArray_NDIM(places);
    std::copy_n(PyArray_DIMS(places), ndim, shape);
    shape[ndim] = size;
    Ref out(PyArray_ZEROS(ndim + 1, shape, NPY_INT64, 0));
    if (!out) return nullptr;
    for (long i = 0; i < given; ++i) out.data<long long>()[i * size + at[i]] = 1;
    return out.release();
}

namespace {

const PointwiseKernel& kernel_of(Pointwise name, Precision precision) {
    return kernels().pointwise[static_cast<int>(name)][precision];
}

template <class T>
bool are_probabilities(const T* x, long count) {
    long outside = 0;  // NaN is none either
    for (long i = 0; i < count; ++i) outside += !(x[i] >= 0 && x[i] <= 1);
    return outside == 0;
}

}  // namespace

// glu(x, dim): the first half of a dimension, each element times the sigmoid of that of the second
PyObject* glu(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    Lanes lanes;
    PyArrayObject* x = count == 2 ? as_array(arguments[0]) : nullptr;
    if (x == nullptr || !read_precision(arguments[0], &precision) || !PyArray_ISCARRAY_RO(x) ||
        !read_lanes(x, arguments[1], &lanes) || lanes.size % 2 != 0 || PyArray_SIZE(x) == 0) {
        return declined();
    }
    npy_intp shape[NPY_MAXDIMS];
    const int ndim = PyArray_NDIM(x);
    std::copy_n(PyArray_DIMS(x), ndim, shape);
    const long dim = PyLong_AsLong(arguments[1]);
    shape[dim < 0 ? dim + ndim : dim] /= 2;
    Ref out = new_array(ndim, shape, type_of(precision));
    if (!out) return nullptr;
    const long half = lanes.size / 2 * lanes.inner, bytes = half * item_size(precision);
    const PointwiseLoop loop = kernel_of(Pointwise::k_gated, precision).loop;
    const char* from = PyArray_BYTES(x);
    char* to = out.data<char>();
    const bool done = unlocked([&] {
        in_pieces(lanes.outer, units_at_once(half), [&](long begin, long end) {
            for (long o = begin; o < end; ++o) {
                const void* const halves[] = {from + 2 * o * bytes, from + (2 * o + 1) * bytes};
                loop(halves, to + o * bytes, half);
            }
        });
    });
    return done ? out.release() : nullptr;
}

// binary_losses(x, target), as in the body of `pellucid.ops.nn.cross_entropy.binary_nll`
PyObject* binary_losses(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision, other;
    if (count != 2 || !read_precision(arguments[0], &precision) ||
        !read_precision(arguments[1], &other) || precision != other) {
        return declined();
    }
    PyArrayObject *x = as_array(arguments[0]), *target = as_array(arguments[1]);
    if (!PyArray_ISCARRAY_RO(x) || !PyArray_ISCARRAY_RO(target) || !PyArray_SAMESHAPE(x, target))
        return declined();
    const long size = PyArray_SIZE(x), item = item_size(precision);
    const bool fits = precision == kSingle
                          ? are_probabilities(elements<float>(arguments[0]), size)
                          : are_probabilities(elements<double>(arguments[0]), size);
    if (!fits) return declined();
    Ref out = new_like(x, type_of(precision));
    if (!out) return nullptr;
    const PointwiseLoop loop = kernel_of(Pointwise::k_binary_nll, precision).loop;
    const bool done = unlocked([&] {
        in_pieces(size, kGrain, [&](long begin, long end) {
            const void* const operands[] = {PyArray_BYTES(x) + begin * item,
                                            PyArray_BYTES(target) + begin * item};
            loop(operands, out.data<char>() + begin * item, end - begin);
        });
    });
    return done ? out.release() : nullptr;
}

}  // namespace pellucid
