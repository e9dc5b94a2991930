// Padding by one value, as in the body of `pellucid.ops.nn.pad.pad_constant`, of few elements.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "arguments.hpp"
#include "functions.hpp"

namespace pellucid {
namespace {

template <class T>
bool fill(const Owned& out, double value) {
    if (std::isinf(static_cast<T>(value)) != std::isinf(value)) return false;
    std::fill_n(out.data<T>(), out.size(), static_cast<T>(value));
    return true;
}

// Fills an array with a number; false for what NumPy has to convert.
bool fill_with(const Owned& out, PyObject* number) {
    double value;
    if (PyBool_Check(number) || !read_number(number, &value)) return false;
    const int type = PyArray_TYPE(out.array());
    if (type == NPY_FLOAT) return fill<float>(out, value);
    if (type == NPY_DOUBLE) return fill<double>(out, value);
    if (value != 0) return false;
    std::memset(out.data(), 0, PyArray_NBYTES(out.array()));
    return true;
}

// Of one dimension: where what stays begins, in the array and in the result, and its size.
struct Kept {
    long from, to, size;
};

// Copies what stays, dimension by dimension.
void copy_kept(PyArrayObject* x, PyArrayObject* out, const Kept* kept, int dim, const char* from,
               char* to) {
    const npy_intp step = PyArray_STRIDE(x, dim), out_step = PyArray_STRIDE(out, dim);
    from += kept[dim].from * step;
    to += kept[dim].to * out_step;
    if (dim == PyArray_NDIM(x) - 1) {
        std::memcpy(to, from, kept[dim].size * PyArray_ITEMSIZE(x));
        return;
    }
    for (long i = 0; i < kept[dim].size; ++i)
        copy_kept(x, out, kept, dim + 1, from + i * step, to + i * out_step);
}

}  // namespace

// padded(x, pad, value), where `pad` has two sizes for each dimension, the last one first
PyObject* padded(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject* array = count == 3 ? as_array(arguments[0]) : nullptr;
    if (array == nullptr || !PyDataType_ISNUMBER(PyArray_DESCR(array))) return declined();
    const Owned x = contiguous(arguments[0], PyArray_TYPE(array));
    const int ndim = PyArray_NDIM(array);
    const long sizes = PyTuple_Check(arguments[1]) ? PyTuple_GET_SIZE(arguments[1]) : -1;
    long pad[2 * NPY_MAXDIMS] = {0};
    if (!x || x.size() > kFewElements || sizes < 0 || sizes % 2 != 0 || sizes > 2 * ndim ||
        ndim == 0 || !read_integers(arguments[1], sizes, pad)) {
        return declined();
    }
    npy_intp shape[NPY_MAXDIMS], elements = 1;
    Kept kept[NPY_MAXDIMS];
    for (int d = 0; d < ndim; ++d) {
        const long before = pad[2 * (ndim - 1 - d)], after = pad[2 * (ndim - 1 - d) + 1];
        const long size = PyArray_DIM(array, d), most = kFewElements;
        if (std::max(std::labs(before), std::labs(after)) > most) return declined();
        shape[d] = size + before + after;
        kept[d] = {std::max(-before, 0L), std::max(before, 0L),
                   size - std::max(-before, 0L) - std::max(-after, 0L)};
        elements *= shape[d];
        if (shape[d] < 0 || kept[d].size < 0 || elements > most) return declined();
    }
    Owned out = new_array(ndim, shape, PyArray_TYPE(array));
    if (!out) return nullptr;
    if (!fill_with(out, arguments[2])) return declined();
    if (elements > 0)
        copy_kept(x.array(), out.array(), kept, 0, x.data<char>(), out.data<char>());
    return out.release();
}

}  // namespace pellucid
