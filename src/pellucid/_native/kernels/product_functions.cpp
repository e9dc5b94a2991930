// matmul, as NumPy's function of this name.
#include <algorithm>
#include <limits>

#include "kernels/arguments.hpp"
#include "kernels/matrices.hpp"
#include "kernels/pieces.hpp"
#include "kernels/products.hpp"

namespace pellucid {
namespace {

// Whether the matrices of an array, which are not turned, lie as if they were one; sets its step.
bool is_one_matrix(PyArrayObject* array, Matrix* matrix) {
    const int ndim = PyArray_NDIM(array);
    const long step = PyArray_STRIDE(array, ndim - 2), item = PyArray_ITEMSIZE(array);
    if (matrix->turned || step % item != 0 || step < last(array, 1) * item) return false;
    for (int d = 0; d < ndim - 2; ++d) {
        if (PyArray_STRIDE(array, d) != PyArray_STRIDE(array, d + 1) * PyArray_DIM(array, d + 1))
            return false;
    }
    matrix->step = step / item;
    return true;
}

struct Sizes {
    int ndim = 0;
    npy_intp shape[NPY_MAXDIMS];
    long rows, inner, columns, count = 1;
};

// The sizes of the result, with batches broadcast; false where they do not fit, or NumPy is left
// to see to them: vectors, for which it has other functions, and nothing.
bool read_sizes(PyArrayObject* first, PyArrayObject* second, Sizes* sizes) {
    const int ndims[2] = {PyArray_NDIM(first), PyArray_NDIM(second)};
    if (ndims[0] < 2 || ndims[1] < 2) return false;
    sizes->rows = last(first, 2);
    sizes->inner = last(first, 1);
    sizes->columns = last(second, 1);
    sizes->ndim = std::max(ndims[0], ndims[1]);
    for (int d = 0; d < sizes->ndim - 2; ++d) {
        const int a = d - (sizes->ndim - ndims[0]), b = d - (sizes->ndim - ndims[1]);
        const long one = a < 0 ? 1 : PyArray_DIM(first, a),
                   other = b < 0 ? 1 : PyArray_DIM(second, b);
        if (one != other && one != 1 && other != 1) return false;
        sizes->shape[d] = one == 1 ? other : one;
        sizes->count *= sizes->shape[d];
    }
    sizes->shape[sizes->ndim - 2] = sizes->rows;
    sizes->shape[sizes->ndim - 1] = sizes->columns;
    const long most = std::numeric_limits<int>::max();
    const long few = std::min({sizes->rows, sizes->columns, sizes->inner});
    const long many = std::max({sizes->rows, sizes->columns, sizes->inner});
    const bool vector = sizes->count == 1 && few == 1;
    return last(second, 2) == sizes->inner && sizes->inner > 1 && few > 0 && sizes->count > 0 &&
           many <= most && !vector;
}

void multiply_batch(const MatrixProduct& one, const Sizes& sizes, PyArrayObject* first,
                    PyArrayObject* second) {
    constexpr long kGrainOfProducts = 1 << 20;
    const SingleThreadedBlas alone;
    const long work = std::max(1L, one.rows * one.inner * one.columns);
    const long size = one.rows * one.columns * item_size(one.precision);
    in_pieces(sizes.count, std::max(1L, kGrainOfProducts / work), [&](long begin, long end) {
        for (long entry = begin; entry < end; ++entry) {
            MatrixProduct each = one;
            each.first.data = static_cast<const char*>(one.first.data) +
                              offset_of(first, sizes.ndim, sizes.shape, entry);
            each.second.data = static_cast<const char*>(one.second.data) +
                               offset_of(second, sizes.ndim, sizes.shape, entry);
            each.out = static_cast<char*>(one.out) + entry * size;
            multiply_here(each);
        }
    });
}

bool is_bias(PyArrayObject* bias, long columns, int type) {
    return PyArray_NDIM(bias) == 1 && PyArray_DIM(bias, 0) == columns &&
           PyArray_TYPE(bias) == type && PyArray_IS_C_CONTIGUOUS(bias) && PyArray_ISALIGNED(bias);
}

// A vector of elements in order as a matrix of one row or column; or a matrix, see `readable`.
Ref readable_factor(PyArrayObject* array, bool is_first, Matrix* matrix) {
    if (PyArray_NDIM(array) == 2) return readable(array, matrix);
    Ref vector = contiguous(reinterpret_cast<PyObject*>(array), PyArray_TYPE(array));
    if (vector) *matrix = {vector.data(), is_first ? static_cast<long>(vector.size()) : 1, false};
    return vector;
}

// A matrix of few elements times a vector, a vector times one, or two vectors; null without an
// error for the rest, for which BLAS has functions of their own.
PyObject* product_with_vector(PyArrayObject* first, PyArrayObject* second, Precision precision) {
    const int ndim = PyArray_NDIM(first), other = PyArray_NDIM(second);
    if (ndim < 1 || ndim > 2 || other < 1 || other > 2 || ndim + other == 4) return nullptr;
    MatrixProduct one{};
    one.precision = precision;
    one.rows = ndim == 2 ? PyArray_DIM(first, 0) : 1;
    one.inner = PyArray_DIM(second, 0);
    one.columns = other == 2 ? PyArray_DIM(second, 1) : 1;
    const long work = one.inner * std::max(one.rows, one.columns);
    if (PyArray_DIM(first, ndim - 1) != one.inner ||
        std::min({one.rows, one.inner, one.columns}) < 1 || work > kFewElements) {
        return nullptr;
    }
    const Ref a = readable_factor(first, true, &one.first);
    const Ref b = readable_factor(second, false, &one.second);
    const npy_intp size = std::max(one.rows, one.columns);
    Ref out = a && b ? new_array(ndim + other - 2, &size, type_of(precision)) : Ref();
    if (!out) return nullptr;
    one.out = out.data();
    one.out_step = one.columns;
    if (other == 2 || one.first.turned) {
        multiply_here(one);
        return out.release();
    }
    const auto dot_product = kernels().dot_product[precision];
    const long item = item_size(precision);
    for (long row = 0; row < one.rows; ++row)
        dot_product(static_cast<const char*>(one.first.data) + row * one.first.step * item,
                    b.data(), one.inner, out.data<char>() + row * item);
    return out.release();
}

}  // namespace

PyObject* product_of(PyArrayObject* first, PyArrayObject* second, PyArrayObject* bias) {
    MatrixProduct one;
    Sizes sizes;
    Precision other;
    if (!has_blas() || !read_precision(reinterpret_cast<PyObject*>(first), &one.precision) ||
        !read_precision(reinterpret_cast<PyObject*>(second), &other) || other != one.precision) {
        return nullptr;
    }
    if (!read_sizes(first, second, &sizes))
        return bias == nullptr ? product_with_vector(first, second, one.precision) : nullptr;
    const int type = type_of(one.precision);
    if (bias != nullptr && !is_bias(bias, sizes.columns, type)) return nullptr;
    Ref a = readable(first, &one.first), b = readable(second, &one.second);
    Ref out = a && b ? new_array(sizes.ndim, sizes.shape, type) : Ref();
    if (!out) return nullptr;
    if (sizes.count > 1 && PyArray_NDIM(second) == 2 && is_one_matrix(a.array(), &one.first)) {
        sizes.rows *= sizes.count;  // one product for the whole batch
        sizes.count = 1;
    }
    one.rows = sizes.rows;
    one.inner = sizes.inner;
    one.columns = sizes.columns;
    one.out = out.data();
    one.out_step = sizes.columns;
    one.bias = bias == nullptr ? nullptr : PyArray_DATA(bias);
    const bool done = unlocked([&] {
        sizes.count == 1 ? multiply(one) : multiply_batch(one, sizes, a.array(), b.array());
    });
    return done ? out.release() : nullptr;
}

// matmul(first, second)
PyObject* matmul(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 2 || !PyArray_CheckExact(arguments[0]) || !PyArray_CheckExact(arguments[1]))
        return declined();
    PyObject* found = product_of(as_array(arguments[0]), as_array(arguments[1]), nullptr);
    return found != nullptr ? found : declined();
}

}  // namespace pellucid
