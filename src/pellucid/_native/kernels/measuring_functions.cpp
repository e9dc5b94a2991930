// What a recording asks of gradients and weights, as `pellucid.inspect.recording.measures` defines
// it.
#include <cmath>

#include "kernels/arguments.hpp"

namespace pellucid {
namespace {

// Sums of squares of single precision that are smaller may have lost some of them.
constexpr double kSmallestExact = 1e-30, kLargestSingle = 3.4e38;

// Whether a sum of squares is one; others are left to Python, which looks at them more closely.
bool is_exact(double squares, Precision precision) {
    return precision == kDouble ? std::isfinite(squares)
                                : squares > kSmallestExact && squares < kLargestSingle;
}

// (sum of squares, number of zeros)
PyObject* found_in(const void* data, long count, Precision precision) {
    double squares, zeros;
    kernels().squares_and_zeros[precision](data, count, &squares, &zeros);
    const long number = std::lround(zeros);
    if (number != count && !is_exact(squares, precision)) return declined();
    return Py_BuildValue("dl", squares, number);
}

// Whether an array's elements lie without gaps, in whichever order of the dimensions.
bool is_one_piece(PyArrayObject* array) {
    return PyArray_ISALIGNED(array) &&
           (PyArray_IS_C_CONTIGUOUS(array) || PyArray_IS_F_CONTIGUOUS(array));
}

}  // namespace

// squares_and_zeros(array)
PyObject* squares_and_zeros(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    if (count != 1 || !read_precision(arguments[0], &precision)) return declined();
    PyArrayObject* array = as_array(arguments[0]);
    if (!is_one_piece(array)) return declined();
    return found_in(PyArray_DATA(array), PyArray_SIZE(array), precision);
}

// squares_and_zeros_at(address, number of elements, bytes of each)
PyObject* squares_and_zeros_at(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    long address, elements, bytes;
    if (count != 3 || !read_integer(arguments[0], &address) ||
        !read_integer(arguments[1], &elements) || !read_integer(arguments[2], &bytes) ||
        address == 0 || elements < 1 || (bytes != 4 && bytes != 8)) {
        return declined();
    }
    const void* data = reinterpret_cast<const void*>(address);
    return found_in(data, elements, bytes == 4 ? kSingle : kDouble);
}

// squared_distance(array, other)
PyObject* squared_distance(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision, other;
    if (count != 2 || !read_precision(arguments[0], &precision) ||
        !read_precision(arguments[1], &other) || precision != other) {
        return declined();
    }
    PyArrayObject *x = as_array(arguments[0]), *y = as_array(arguments[1]);
    if (!PyArray_IS_C_CONTIGUOUS(x) || !PyArray_IS_C_CONTIGUOUS(y) || !PyArray_ISALIGNED(x) ||
        !PyArray_ISALIGNED(y) || !PyArray_SAMESHAPE(x, y)) {
        return declined();
    }
    const double found =
        kernels().squared_distance[precision](PyArray_DATA(x), PyArray_DATA(y), PyArray_SIZE(x));
    return is_exact(found, precision) ? PyFloat_FromDouble(found) : declined();
}

}  // namespace pellucid
