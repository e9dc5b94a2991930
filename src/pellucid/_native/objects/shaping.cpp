#include "objects/shaping.hpp"

#include "objects/loops.hpp"
#include "objects/memory.hpp"

#include <algorithm>
#include <cstring>

namespace pellucid {

namespace {

// Whether a dimension is there; counts it from the front.
bool from_front(long* dim, int ndim) {
    if (*dim < -ndim || *dim >= ndim) return false;
    if (*dim < 0) *dim += ndim;
    return true;
}

// Whether the arrays agree in dtype and in all sizes but one, the dimension `free`.
bool fit_together(const std::vector<Ref>& arrays, long free) {
    PyArrayObject* first = arrays[0].array();
    for (const Ref& each : arrays) {
        PyArrayObject* array = each.array();
        if (PyArray_DESCR(array) != PyArray_DESCR(first) || !is_plain(array) ||
            PyArray_NDIM(array) != PyArray_NDIM(first)) {
            return false;
        }
        for (int d = 0; d < PyArray_NDIM(first); ++d) {
            if (d != free && PyArray_DIM(array, d) != PyArray_DIM(first, d)) return false;
        }
    }
    return true;
}

// Writes the blocks of the arrays in turn: each array has `rows` of them.
void write_blocks(const std::vector<Ref>& arrays, npy_intp rows, char* out) {
    for (npy_intp row = 0; row < rows; ++row) {
        for (const Ref& each : arrays) {
            const npy_intp size = PyArray_NBYTES(each.array()) / rows;
            std::memcpy(out, PyArray_BYTES(each.array()) + row * size, size);
            out += size;
        }
    }
}

}  // namespace

PyObject* joined(const std::vector<Ref>& arrays, Joining how, long dim) {
    PyArrayObject* first = arrays[0].array();
    const bool stacked = how == Joining::stacked;
    const int ndim = PyArray_NDIM(first), result_ndim = ndim + stacked;
    if (result_ndim > NPY_MAXDIMS || !from_front(&dim, result_ndim)) return nullptr;
    if (!fit_together(arrays, stacked ? -1 : dim)) return nullptr;
    npy_intp dims[NPY_MAXDIMS], rows = 1, length = 0;
    for (const Ref& each : arrays) length += stacked ? 1 : PyArray_DIM(each.array(), dim);
    for (int d = 0; d < dim; ++d) rows *= dims[d] = PyArray_DIM(first, d);
    dims[dim] = length;
    for (int d = dim + 1; d < result_ndim; ++d) dims[d] = PyArray_DIM(first, d - stacked);
    PyArray_Descr* dtype = PyArray_DESCR(first);
    Py_INCREF(dtype);
    PyObject* out = make_array(dtype, result_ndim, dims);
    if (out == nullptr || PyArray_SIZE(reinterpret_cast<PyArrayObject*>(out)) == 0) return out;
    char* to = PyArray_BYTES(reinterpret_cast<PyArrayObject*>(out));
    NPY_BEGIN_THREADS_DEF;
    NPY_BEGIN_THREADS_THRESHOLDED(PyArray_SIZE(reinterpret_cast<PyArrayObject*>(out)));
    write_blocks(arrays, rows, to);
    NPY_END_THREADS;
    return out;
}

Ref lengths_along(const std::vector<Ref>& arrays, long dim) {
    from_front(&dim, PyArray_NDIM(arrays[0].array()));
    Ref lengths(PyTuple_New(arrays.size()));
    for (size_t k = 0; lengths && k < arrays.size(); ++k) {
        PyObject* length = PyLong_FromSsize_t(PyArray_DIM(arrays[k].array(), dim));
        if (length == nullptr) return Ref();
        PyTuple_SET_ITEM(lengths.get(), k, length);
    }
    return lengths;
}

namespace {

// ---- views --------------------------------------------------------------------------------------

// Reads an exact Python int; false for anything else.
bool read_int(PyObject* number, npy_intp* value) {
    if (number == nullptr || !PyLong_CheckExact(number)) return false;
    *value = PyLong_AsSsize_t(number);
    return *value != -1 || PyErr_Occurred() == nullptr;
}

bool read_dim(PyObject* number, long* dim, int ndim) {
    npy_intp value;
    if (!read_int(number, &value) || value < -ndim || value >= ndim) return false;
    *dim = value;
    return from_front(dim, ndim);
}

// A view of an array from `data` on.
PyObject* view_from(PyArrayObject* array, int ndim, npy_intp* dims, npy_intp* strides, char* data) {
    PyArray_Descr* dtype = PyArray_DESCR(array);
    Py_INCREF(dtype);
    const int flags = PyArray_FLAGS(array) & NPY_ARRAY_WRITEABLE;
    PyObject* view =
        PyArray_NewFromDescr(&PyArray_Type, dtype, ndim, dims, strides, data, flags, nullptr);
    if (view == nullptr) return nullptr;
    Py_INCREF(array);
    if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(view),
                              reinterpret_cast<PyObject*>(array)) == 0) {
        return view;
    }
    Py_DECREF(view);
    return nullptr;
}

// The number of sizes that a tuple gives, none of them below -1; -1 for anything else.
int read_sizes(PyObject* given, npy_intp* sizes) {
    if (!PyTuple_Check(given) || PyTuple_GET_SIZE(given) > NPY_MAXDIMS) return -1;
    const int count = static_cast<int>(PyTuple_GET_SIZE(given));
    for (int d = 0; d < count; ++d) {
        if (!read_int(PyTuple_GET_ITEM(given, d), &sizes[d]) || sizes[d] < -1) return -1;
    }
    return count;
}

PyObject* view(PyArrayObject* array, PyObject* const* params) {
    npy_intp sizes[NPY_MAXDIMS], known = 1;
    const int count = read_sizes(params[0], sizes);
    if (count < 0 || !is_plain(array)) return nullptr;
    int open = -1;
    for (int d = 0; d < count; ++d) {
        if (sizes[d] == -1 && open >= 0) return nullptr;
        if (sizes[d] == -1) open = d;
        else if (__builtin_mul_overflow(known, sizes[d], &known)) return nullptr;
    }
    const npy_intp total = PyArray_SIZE(array);
    if (open >= 0) {
        if (known == 0 || total % known != 0) return nullptr;
        sizes[open] = total / known;
    } else if (known != total) {
        return nullptr;
    }
    return view_from(array, count, sizes, nullptr, PyArray_BYTES(array));
}

PyObject* unsqueeze(PyArrayObject* array, PyObject* const* params) {
    const int ndim = PyArray_NDIM(array);
    long dim;
    if (!is_plain(array) || ndim == NPY_MAXDIMS || !read_dim(params[0], &dim, ndim + 1)) {
        return nullptr;
    }
    npy_intp sizes[NPY_MAXDIMS];
    std::copy_n(PyArray_DIMS(array), dim, sizes);
    sizes[dim] = 1;
    std::copy_n(PyArray_DIMS(array) + dim, ndim - dim, sizes + dim + 1);
    return view_from(array, ndim + 1, sizes, nullptr, PyArray_BYTES(array));
}

PyObject* unsafe_view(PyArrayObject* array, PyObject* const* params) {
    Ref copy(PyArray_NewCopy(array, NPY_CORDER));
    return copy ? view(copy.array(), params) : nullptr;
}

PyObject* permute(PyArrayObject* array, PyObject* const* params) {
    const int ndim = PyArray_NDIM(array);
    if (!PyTuple_Check(params[0]) || PyTuple_GET_SIZE(params[0]) != ndim) return nullptr;
    npy_intp sizes[NPY_MAXDIMS], strides[NPY_MAXDIMS];
    bool taken[NPY_MAXDIMS] = {false};
    for (int d = 0; d < ndim; ++d) {
        long dim;
        if (!read_dim(PyTuple_GET_ITEM(params[0], d), &dim, ndim) || taken[dim]) return nullptr;
        taken[dim] = true;
        sizes[d] = PyArray_DIM(array, dim);
        strides[d] = PyArray_STRIDE(array, dim);
    }
    return view_from(array, ndim, sizes, strides, PyArray_BYTES(array));
}

PyObject* expand(PyArrayObject* array, PyObject* const* params) {
    npy_intp sizes[NPY_MAXDIMS], strides[NPY_MAXDIMS];
    const int count = read_sizes(params[0], sizes), added = count - PyArray_NDIM(array);
    if (count < 0 || added < 0 || !is_plain(array)) return nullptr;
    for (int d = 0; d < count; ++d) {
        const npy_intp have = d < added ? 1 : PyArray_DIM(array, d - added);
        if (sizes[d] == -1 && d < added) return nullptr;
        if (sizes[d] == -1) sizes[d] = have;
        if (have != 1 && have != sizes[d]) return nullptr;
        const bool kept = d >= added && have == sizes[d];
        strides[d] = kept ? PyArray_STRIDE(array, d - added) : 0;
    }
    return view_from(array, count, sizes, strides, PyArray_BYTES(array));
}

}  // namespace

PyObject* slice_at(PyArrayObject* array, long dim, npy_intp place) {
    npy_intp sizes[NPY_MAXDIMS], strides[NPY_MAXDIMS];
    for (int from = 0, d = 0; from < PyArray_NDIM(array); ++from) {
        if (from == dim) continue;
        sizes[d] = PyArray_DIM(array, from);
        strides[d++] = PyArray_STRIDE(array, from);
    }
    return view_from(array, PyArray_NDIM(array) - 1, sizes, strides,
                     PyArray_BYTES(array) + place * PyArray_STRIDE(array, dim));
}

PyObject* part_of(PyArrayObject* array, long dim, npy_intp start, npy_intp stop) {
    npy_intp sizes[NPY_MAXDIMS];
    std::copy_n(PyArray_DIMS(array), PyArray_NDIM(array), sizes);
    sizes[dim] = stop - start;
    return view_from(array, PyArray_NDIM(array), sizes, PyArray_STRIDES(array),
                     PyArray_BYTES(array) + start * PyArray_STRIDE(array, dim));
}

namespace {

PyObject* select(PyArrayObject* array, PyObject* const* params) {
    long dim;
    npy_intp place;
    if (!read_dim(params[0], &dim, PyArray_NDIM(array)) || !read_int(params[1], &place)) {
        return nullptr;
    }
    const npy_intp length = PyArray_DIM(array, dim);
    if (place < -length || place >= length) return nullptr;
    return slice_at(array, dim, place < 0 ? place + length : place);
}

// More tensors at once are refused, by Python; see `splitting.py`.
constexpr npy_intp kMostParts = 1 << 24;

PyObject* unbind(PyArrayObject* array, PyObject* const* params) {
    long dim;
    if (!read_dim(params[0], &dim, PyArray_NDIM(array))) return nullptr;
    if (PyArray_DIM(array, dim) > kMostParts) return nullptr;
    Ref slices(PyList_New(PyArray_DIM(array, dim)));
    for (npy_intp i = 0; slices && i < PyArray_DIM(array, dim); ++i) {
        PyObject* slice = slice_at(array, dim, i);
        if (slice == nullptr) return nullptr;
        PyList_SET_ITEM(slices.get(), i, slice);
    }
    return slices.release();
}

PyObject* split_at(PyArrayObject* array, PyObject* const* params) {
    PyObject* borders = params[0];
    long dim;
    if (!PyTuple_Check(borders) || !read_dim(params[1], &dim, PyArray_NDIM(array))) return nullptr;
    npy_intp start, stop;
    const npy_intp length = PyArray_DIM(array, dim);
    const Py_ssize_t count = PyTuple_GET_SIZE(borders) - 1;
    if (count < 0 || !read_int(PyTuple_GET_ITEM(borders, 0), &start) || start < 0) return nullptr;
    Ref parts(PyList_New(count));
    for (Py_ssize_t i = 0; parts && i < count; ++i, start = stop) {
        if (!read_int(PyTuple_GET_ITEM(borders, i + 1), &stop)) return nullptr;
        if (stop < start || stop > length) return nullptr;
        PyObject* part = part_of(array, dim, start, stop);
        if (part == nullptr) return nullptr;
        PyList_SET_ITEM(parts.get(), i, part);
    }
    return parts.release();
}

PyObject* diagonal(PyArrayObject* array, PyObject* const* params) {
    const int ndim = PyArray_NDIM(array);
    npy_intp offset, sizes[NPY_MAXDIMS], strides[NPY_MAXDIMS];
    long first, second;
    if (!read_int(params[0], &offset) || !read_dim(params[1], &first, ndim) ||
        !read_dim(params[2], &second, ndim) || first == second) {
        return nullptr;
    }
    const npy_intp down = offset < 0 ? -offset : 0, right = offset < 0 ? 0 : offset;
    const npy_intp length =
        std::min(PyArray_DIM(array, first) - down, PyArray_DIM(array, second) - right);
    if (length <= 0) return nullptr;
    int rest = 0;
    for (int d = 0; d < ndim; ++d) {
        if (d == first || d == second) continue;
        sizes[rest] = PyArray_DIM(array, d);
        strides[rest++] = PyArray_STRIDE(array, d);
    }
    sizes[rest] = length;
    strides[rest] = PyArray_STRIDE(array, first) + PyArray_STRIDE(array, second);
    const npy_intp start =
        down * PyArray_STRIDE(array, first) + right * PyArray_STRIDE(array, second);
    return view_from(array, ndim - 1, sizes, strides, PyArray_BYTES(array) + start);
}

// Zeros of a shape with an array on a diagonal: no view of it, but the way back from one.
PyObject* diagonal_backward(PyArrayObject* array, PyObject* const* params) {
    npy_intp sizes[NPY_MAXDIMS];
    const int ndim = read_sizes(params[0], sizes);
    PyArray_Descr* dtype = PyArray_DESCR(array);
    if (ndim < 2 || std::count(sizes, sizes + ndim, -1) > 0) return nullptr;
    Py_INCREF(dtype);
    Ref out(PyArray_Zeros(ndim, sizes, dtype, 0));
    Ref place(out ? diagonal(out.array(), params + 1) : nullptr);
    const bool fits = place && PyArray_SAMESHAPE(place.array(), array);
    return fits && PyArray_CopyInto(place.array(), array) == 0 ? out.release() : nullptr;
}

// Windows along a dimension, as a last dimension.
PyObject* unfold(PyArrayObject* array, PyObject* const* params) {
    const int ndim = PyArray_NDIM(array);
    npy_intp size, step, sizes[NPY_MAXDIMS], strides[NPY_MAXDIMS];
    long dim;
    if (ndim == NPY_MAXDIMS || !read_dim(params[0], &dim, ndim) || !read_int(params[1], &size) ||
        !read_int(params[2], &step) || step <= 0 || size < 0 || size > PyArray_DIM(array, dim)) {
        return nullptr;
    }
    std::copy_n(PyArray_DIMS(array), ndim, sizes);
    std::copy_n(PyArray_STRIDES(array), ndim, strides);
    sizes[ndim] = size;
    strides[ndim] = strides[dim];
    sizes[dim] = (sizes[dim] - size) / step + 1;
    strides[dim] *= step;
    return view_from(array, ndim + 1, sizes, strides, PyArray_BYTES(array));
}

// A copy whose dimensions have the same order in memory.
PyObject* clone(PyArrayObject* array, PyObject* const* params) {
    if (params[0] != Py_None) return nullptr;
    if (PyArray_IS_C_CONTIGUOUS(array)) return PyArray_NewCopy(array, NPY_CORDER);
    const npy_intp* strides = PyArray_STRIDES(array);
    const bool repeats = std::count(strides, strides + PyArray_NDIM(array), 0) > 0;
    return repeats ? nullptr : PyArray_NewCopy(array, NPY_KEEPORDER);
}

// Dimensions that are new get the strides that unsqueeze gives them: NumPy's are 0.
void give_new_dims_steps(PyArrayObject* array) {
    const int last = PyArray_NDIM(array) - 1;
    npy_intp* strides = PyArray_STRIDES(array);
    bool changed = false;
    for (int d = last; d >= 0; --d) {
        if (strides[d] != 0 || PyArray_DIM(array, d) != 1) continue;
        strides[d] =
            d == last ? PyArray_ITEMSIZE(array) : PyArray_DIM(array, d + 1) * strides[d + 1];
        changed = true;
    }
    if (changed) PyArray_UpdateFlags(array, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS);
}

// What NumPy's own index looks at, if that is an array and no number.
PyObject* at_index(PyArrayObject* array, PyObject* const* params) {
    Ref found(PyObject_GetItem(reinterpret_cast<PyObject*>(array), params[0]));
    if (!found || !PyArray_CheckExact(found.get())) return nullptr;
    give_new_dims_steps(found.array());
    return found.release();
}

}  // namespace

ViewMaker find_view_maker(const char* op) {
    const std::pair<const char*, ViewMaker> known[] = {
        {"view", view},
        {"unsqueeze", unsqueeze},
        {"expand", expand},
        {"permute", permute},
        {"unsafe_view", unsafe_view},
        {"select", select},
        {"unbind", unbind},
        {"split_at", split_at},
        {"unsafe_split_at", split_at},
        {"basic_index", at_index},
        {"indexed_position", at_index},
        {"diagonal", diagonal},
        {"clone", clone},
        {"diagonal_backward", diagonal_backward},
        {"unfold", unfold},
    };
    for (const auto& each : known) {
        if (std::strcmp(op, each.first) == 0) return each.second;
    }
    return nullptr;
}

}  // namespace pellucid
