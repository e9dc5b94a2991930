// Padding by one value, or by the array's own elements, as in the bodies of `pellucid.ops.nn.pad`,
// of few elements.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "kernels/arguments.hpp"

namespace pellucid {
namespace {

template <class T>
bool fill(const Ref& out, double value) {
    if (std::isinf(static_cast<T>(value)) != std::isinf(value)) return false;
    std::fill_n(out.data<T>(), out.size(), static_cast<T>(value));
    return true;
}

// Fills an array with a number; false for what NumPy has to convert.
bool fill_with(const Ref& out, PyObject* number) {
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
    const Ref x = contiguous(arguments[0], PyArray_TYPE(array));
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
    Ref out = new_array(ndim, shape, PyArray_TYPE(array));
    if (!out) return nullptr;
    if (!fill_with(out, arguments[2])) return declined();
    if (elements > 0) copy_kept(x.array(), out.array(), kept, 0, x.data<char>(), out.data<char>());
    return out.release();
}

namespace {

constexpr long kMostPlaces = 1 << 11;  // of all dimensions together

enum class Mode { reflect, replicate, circular };

bool read_mode(PyObject* name, Mode* mode) {
    if (!PyUnicode_Check(name)) return false;
    const std::pair<const char*, Mode> known[] = {
        {"reflect", Mode::reflect}, {"replicate", Mode::replicate}, {"circular", Mode::circular}};
    for (const auto& each : known) {
        if (PyUnicode_CompareWithASCIIString(name, each.first) == 0)
            return *mode = each.second, true;
    }
    return false;
}

// Where the element comes from that stands at a place, counted from the first that is not added;
// less than a whole size is.
long source_of(Mode mode, long place, long size) {
    if (mode == Mode::circular)
        return place < 0 ? place + size : place < size ? place : place - size;
    if (mode == Mode::replicate) return std::clamp(place, 0L, size - 1);
    return place < 0 ? -place : place < size ? place : 2 * (size - 1) - place;
}

// Copies what stands at each place, dimension by dimension; the sources of all dimensions follow
// each other.
template <class Item>
Item* copy_chosen(PyArrayObject* x, const npy_intp* shape, const long* sources, int dim,
                  const char* from, Item* to) {
    const npy_intp step = PyArray_STRIDE(x, dim);
    for (npy_intp i = 0; i < shape[dim]; ++i) {
        const char* start = from + sources[i] * step;
        if (dim == PyArray_NDIM(x) - 1) *to++ = *reinterpret_cast<const Item*>(start);
        else to = copy_chosen(x, shape, sources + shape[dim], dim + 1, start, to);
    }
    return to;
}

}  // namespace

// padded_with_own(x, pad, mode), of few elements in C order, where nothing is cut off
PyObject* padded_with_own(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject* x = count == 3 ? as_array(arguments[0]) : nullptr;
    Mode mode;
    long pad[2 * NPY_MAXDIMS] = {0}, sources[kMostPlaces];
    const long sizes =
        x != nullptr && PyTuple_Check(arguments[1]) ? PyTuple_GET_SIZE(arguments[1]) : -1;
    if (sizes < 1 || sizes % 2 != 0 || !PyArray_ISCARRAY_RO(x) || PyArray_SIZE(x) == 0 ||
        sizes > 2 * PyArray_NDIM(x) || (PyArray_ITEMSIZE(x) != 4 && PyArray_ITEMSIZE(x) != 8) ||
        PyDataType_REFCHK(PyArray_DESCR(x)) || !read_integers(arguments[1], sizes, pad) ||
        !read_mode(arguments[2], &mode)) {
        return declined();
    }
    const int ndim = PyArray_NDIM(x);
    npy_intp shape[NPY_MAXDIMS], elements = 1, places = 0;
    for (int d = 0; d < ndim; ++d) {
        const long before = pad[2 * (ndim - 1 - d)], after = pad[2 * (ndim - 1 - d) + 1];
        const long size = PyArray_DIM(x, d), most = size - (mode == Mode::reflect);
        const bool bounded =
            std::max(before, after) <= (mode == Mode::replicate ? kFewElements : most);
        if (std::min(before, after) < 0 || !bounded) return declined();
        shape[d] = size + before + after;
        elements *= shape[d];
        if (elements > kFewElements || places + shape[d] > kMostPlaces) return declined();
        for (long i = 0; i < shape[d]; ++i) sources[places++] = source_of(mode, i - before, size);
    }
    Ref out = new_array(ndim, shape, PyArray_TYPE(x));
    if (!out) return nullptr;
    const char* from = PyArray_BYTES(x);
    if (PyArray_ITEMSIZE(x) == 4)
        copy_chosen(x, shape, sources, 0, from, out.data<std::uint32_t>());
    else copy_chosen(x, shape, sources, 0, from, out.data<std::uint64_t>());
    return out.release();
}

}  // namespace pellucid
