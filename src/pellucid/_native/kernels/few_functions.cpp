// What ops of few elements compute in one call: reductions of all elements or along one dimension,
// and rows that indices choose. NumPy's functions are the better ones for many elements, but for
// extremes of rows.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "kernels/lanes.hpp"
#include "kernels/pieces.hpp"

namespace pellucid {
namespace {

// Elements to reduce, and the shape of the result.
struct Reduced {
    Ref x;
    Lanes lanes;
    npy_intp shape[NPY_MAXDIMS];
    int ndim = 0;
};

// Reads an array of this type with at most so many elements, a dimension, None or a tuple of one,
// and whether dimensions stay.
bool read_reduced(PyObject* object, int type, PyObject* dim, bool keeps, Reduced* reduced,
                  npy_intp most = kFewElements) {
    PyArrayObject* array = as_array(object);
    if (array == nullptr || PyArray_SIZE(array) == 0 || PyArray_SIZE(array) > most) return false;
    if (PyTuple_Check(dim) && PyTuple_GET_SIZE(dim) == 1) dim = PyTuple_GET_ITEM(dim, 0);
    long along = -1;
    if (dim == Py_None) {
        reduced->lanes = {1, PyArray_SIZE(array), 1};
    } else {
        if (PyBool_Check(dim) || !read_lanes(array, dim, &reduced->lanes)) return false;
        along = PyLong_AsLong(dim);
        if (along < 0) along += PyArray_NDIM(array);
    }
    for (int d = 0; d < PyArray_NDIM(array); ++d) {
        const bool reduces = dim == Py_None || d == along;
        if (!reduces || keeps)
            reduced->shape[reduced->ndim++] = reduces ? 1 : PyArray_DIM(array, d);
    }
    reduced->x = contiguous(object, type);
    return static_cast<bool>(reduced->x);
}

// ---- extremes -----------------------------------------------------------------------------------

enum Wanted { kValues, kPlaces, kBoth };

// The first of the extremes of each lane, and where it is; a NaN exceeds all.
template <class T, class Exceeds>
void find_extremes(const Reduced& reduced, const Exceeds& exceeds, T* values, long long* places) {
    const Lanes& lanes = reduced.lanes;
    for (long lane = 0; lane < lanes.count(); ++lane) {
        const T* from = reduced.x.data<T>() + lanes.start(lane);
        T best = from[0];
        long place = 0;
        for (long k = 1; k < lanes.size && best == best; ++k) {
            const T value = from[k * lanes.inner];
            if (exceeds(value, best) || value != value) best = value, place = k;
        }
        values[lane] = best;
        places[lane] = place;
    }
}

template <class T>
PyObject* extremes_of(const Reduced& reduced, bool largest, Wanted wanted, int type) {
    Ref values = new_array(reduced.ndim, reduced.shape, type);
    Ref places = new_array(reduced.ndim, reduced.shape, NPY_INT64);
    if (!values || !places) return nullptr;
    if (largest) {
        find_extremes(reduced, std::greater<T>(), values.data<T>(), places.data<long long>());
    } else {
        find_extremes(reduced, std::less<T>(), values.data<T>(), places.data<long long>());
    }
    if (wanted == kBoth) return PyTuple_Pack(2, values.get(), places.get());
    return wanted == kValues ? values.release() : places.release();
}

// The extremes of many elements, along the last dimension.
PyObject* extremes_of_rows(const Reduced& reduced, bool largest, Precision precision) {
    const auto& [outer, size, inner] = reduced.lanes;
    if (inner != 1 || outer == 1) return declined();
    Ref out = new_array(reduced.ndim, reduced.shape, type_of(precision));
    if (!out) return nullptr;
    const auto& rows = largest ? kernels().largest_rows : kernels().smallest_rows;
    const RowReductionJob job{reduced.x.data(), out.data(), outer, size, 1};
    return unlocked([&] { run_rows(job, rows[precision]); }) ? out.release() : nullptr;
}

// extremes(x[, dim, keepdims])
PyObject* extremes(PyObject* const* arguments, Py_ssize_t count, bool largest, Wanted wanted) {
    Precision precision;
    Reduced reduced;
    PyObject* dim = count == 3 ? arguments[1] : Py_None;
    const bool keeps = count == 3 && arguments[2] == Py_True;
    if ((count != 1 && count != 3) || !read_precision(arguments[0], &precision)) return declined();
    const bool in_order = PyArray_IS_C_CONTIGUOUS(as_array(arguments[0]));
    const npy_intp most = wanted == kValues && in_order ? NPY_MAX_INTP : kFewElements;
    if ((dim == Py_None && (keeps || wanted == kBoth)) ||
        !read_reduced(arguments[0], type_of(precision), dim, keeps, &reduced, most)) {
        return declined();
    }
    if (reduced.x.size() > kFewElements) return extremes_of_rows(reduced, largest, precision);
    return precision == kSingle ? extremes_of<float>(reduced, largest, wanted, NPY_FLOAT)
                                : extremes_of<double>(reduced, largest, wanted, NPY_DOUBLE);
}

// ---- truth --------------------------------------------------------------------------------------

// truth(x, dim, keepdims), of booleans: whether some element is `decisive`, which decides
PyObject* truth(PyObject* const* arguments, Py_ssize_t count, bool decisive) {
    Reduced reduced;
    if (count != 3 ||
        !read_reduced(arguments[0], NPY_BOOL, arguments[1], arguments[2] == Py_True, &reduced)) {
        return declined();
    }
    Ref out = new_array(reduced.ndim, reduced.shape, NPY_BOOL);
    if (!out) return nullptr;
    const Lanes& lanes = reduced.lanes;
    for (long lane = 0; lane < lanes.count(); ++lane) {
        const npy_bool* from = reduced.x.data<npy_bool>() + lanes.start(lane);
        bool found = false;
        for (long k = 0; k < lanes.size && !found; ++k)
            found = (from[k * lanes.inner] != 0) == decisive;
        out.data<npy_bool>()[lane] = found == decisive;
    }
    return out.release();
}

// ---- squares ------------------------------------------------------------------------------------

// The sums of the squared deviations from the mean, in double precision and then rounded.
void add_squared_deviations(const Reduced& reduced, float* sums) {
    const Lanes& lanes = reduced.lanes;
    for (long lane = 0; lane < lanes.count(); ++lane) {
        const float* from = reduced.x.data<float>() + lanes.start(lane);
        double mean = 0, sum = 0;
        for (long k = 0; k < lanes.size; ++k) mean += from[k * lanes.inner];
        mean /= lanes.size;
        for (long k = 0; k < lanes.size; ++k) {
            const double deviation = from[k * lanes.inner] - mean;
            sum += deviation * deviation;
        }
        sums[lane] = static_cast<float>(sum);
    }
}

// spread(x, dim, correction, keepdims): the variance or its root
PyObject* spread(PyObject* const* arguments, Py_ssize_t count, bool root) {
    Reduced reduced;
    double correction;
    if (count != 4 || !read_number(arguments[2], &correction) ||
        !read_reduced(arguments[0], NPY_FLOAT, arguments[1], arguments[3] == Py_True, &reduced)) {
        return declined();
    }
    const double degrees = reduced.lanes.size - correction;
    if (!(degrees > 0)) return declined();
    Ref out = new_array(reduced.ndim, reduced.shape, NPY_FLOAT);
    if (!out) return nullptr;
    float* found = out.data<float>();
    add_squared_deviations(reduced, found);
    for (long i = 0; i < out.size(); ++i) {
        found[i] /= static_cast<float>(degrees);
        if (root && (found[i] == 0 || std::isinf(found[i]))) return declined();
        if (root) found[i] = std::sqrt(found[i]);
    }
    return out.release();
}

// ---- rows ---------------------------------------------------------------------------------------

// Copies blocks of `inner` elements of [outer, size, inner] to [outer, count, inner]; nothing where
// a position is not there.
PyObject* chosen_blocks(const Ref& x, const Lanes& lanes, const Ref& positions, Ref out) {
    if (!out) return nullptr;
    const long long* at = positions.data<long long>();
    const long count = positions.size(), block = lanes.inner * x.item_size();
    for (long i = 0; i < count; ++i)
        if (at[i] < 0 || at[i] >= lanes.size) return declined();
    char* to = out.data<char>();
    for (long o = 0; o < lanes.outer; ++o) {
        const char* from = x.data<char>() + o * lanes.size * block;
        for (long i = 0; i < count; ++i, to += block) std::memcpy(to, from + at[i] * block, block);
    }
    return out.release();
}

// Whether an array is of numbers in order, which are few.
bool are_few_numbers(PyObject* object) {
    PyArrayObject* array = as_array(object);
    return array != nullptr && PyDataType_ISNUMBER(PyArray_DESCR(array)) &&
           PyArray_ISNOTSWAPPED(array) && PyArray_IS_C_CONTIGUOUS(array) &&
           PyArray_NDIM(array) > 0 && PyArray_SIZE(array) <= kFewElements;
}

}  // namespace

// squared_deviations(x, axes): their sums, which keep the axes
PyObject* squared_deviations(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Reduced reduced;
    PyArrayObject* array = count == 2 ? as_array(arguments[0]) : nullptr;
    if (array == nullptr || !PyTuple_Check(arguments[1])) return declined();
    const bool all = PyTuple_GET_SIZE(arguments[1]) == PyArray_NDIM(array);
    PyObject* dim = all ? Py_None : arguments[1];
    if (!read_reduced(arguments[0], NPY_FLOAT, dim, true, &reduced)) return declined();
    Ref out = new_array(reduced.ndim, reduced.shape, NPY_FLOAT);
    if (out) add_squared_deviations(reduced, out.data<float>());
    return out.release();
}

// max_dim(x, axis, keepdims), and the like: values, places, or both
PyObject* max_dim(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return extremes(arguments, count, true, kBoth);
}

PyObject* min_dim(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return extremes(arguments, count, false, kBoth);
}

PyObject* largest(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return extremes(arguments, count, true, kValues);
}

PyObject* smallest(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return extremes(arguments, count, false, kValues);
}

PyObject* argmax(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return extremes(arguments, count, true, kPlaces);
}

PyObject* argmin(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return extremes(arguments, count, false, kPlaces);
}

// any_true(x, dim, keepdims)
PyObject* any_true(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return truth(arguments, count, true);
}

// all_true(x, dim, keepdims)
PyObject* all_true(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return truth(arguments, count, false);
}

// var_correction(x, dim, correction, keepdims)
PyObject* var_correction(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return spread(arguments, count, false);
}

// std_correction(x, dim, correction, keepdims)
PyObject* std_correction(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return spread(arguments, count, true);
}

// gathered(x, (index,)): rows at places that may count from the end, or elements where a mask is
// true
PyObject* gathered(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 2 || !are_few_numbers(arguments[0]) || !PyTuple_Check(arguments[1]) ||
        PyTuple_GET_SIZE(arguments[1]) != 1) {
        return declined();
    }
    PyArrayObject* array = as_array(arguments[0]);
    PyArrayObject* index = as_array(PyTuple_GET_ITEM(arguments[1], 0));
    const bool is_mask = index != nullptr && PyArray_TYPE(index) == NPY_BOOL;
    const int taken = is_mask ? PyArray_NDIM(index) : 1;
    if (index == nullptr || taken == 0 || taken > PyArray_NDIM(array) ||
        !PyArray_ISCARRAY_RO(index) || (!is_mask && PyArray_TYPE(index) != NPY_INT64) ||
        PyArray_SIZE(index) > kFewElements ||
        (is_mask &&
         !std::equal(PyArray_DIMS(index), PyArray_DIMS(index) + taken, PyArray_DIMS(array)))) {
        return declined();
    }
    const long size = PyArray_MultiplyList(PyArray_DIMS(array), taken), given = PyArray_SIZE(index);
    const auto* chosen = static_cast<const npy_bool*>(PyArray_DATA(index));
    npy_intp shape[NPY_MAXDIMS];
    npy_intp found = is_mask ? given - std::count(chosen, chosen + given, 0) : given;
    Ref places = new_array(1, &found, NPY_INT64);
    if (!places) return nullptr;
    long long* to = places.data<long long>();
    const auto* from = static_cast<const long long*>(PyArray_DATA(index));
    for (long i = 0; i < given; ++i) {
        if (!is_mask) to[i] = from[i] < 0 ? from[i] + size : from[i];
        else if (chosen[i]) *to++ = i;
    }
    int ndim = is_mask ? 1 : PyArray_NDIM(index);
    if (ndim + PyArray_NDIM(array) - taken > NPY_MAXDIMS) return declined();
    if (is_mask) shape[0] = found;
    else std::copy_n(PyArray_DIMS(index), ndim, shape);
    for (int d = taken; d < PyArray_NDIM(array); ++d) shape[ndim++] = PyArray_DIM(array, d);
    const Lanes lanes{1, size,
                      std::max(1L, static_cast<long>(PyArray_SIZE(array)) / std::max(1L, size))};
    const Ref x = contiguous(arguments[0], PyArray_TYPE(array));
    if (!x || PyArray_SIZE(array) == 0) return declined();
    return chosen_blocks(x, lanes, places, new_array(ndim, shape, PyArray_TYPE(array)));
}

// euclidean_norm(x, ord, dim, keepdims): the root of the sum of squares, if the order is 2
PyObject* euclidean_norm(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Reduced reduced;
    double order;
    if (count != 4 || !read_number(arguments[1], &order) || order != 2 ||
        !read_reduced(arguments[0], NPY_FLOAT, arguments[2], arguments[3] == Py_True, &reduced)) {
        return declined();
    }
    Ref out = new_array(reduced.ndim, reduced.shape, NPY_FLOAT);
    const Lanes& lanes = reduced.lanes;
    for (long lane = 0; out && lane < lanes.count(); ++lane) {
        const float* from = reduced.x.data<float>() + lanes.start(lane);
        double sum = 0;
        for (long k = 0; k < lanes.size; ++k) {
            const double value = from[k * lanes.inner];
            sum += value * value;
        }
        out.data<float>()[lane] = std::sqrt(static_cast<float>(sum));
    }
    return out.release();
}

namespace {

// Whether squares add up without an overflow, of which NumPy would warn. An infinite difference
// gives an infinite sum, and no warning.
template <class T>
bool is_moderate(const T* differences, long count) {
    const T most = std::sqrt(std::numeric_limits<T>::max() / kFewElements);
    return std::none_of(differences, differences + count,
                        [&](T each) { return std::isfinite(each) && std::abs(each) > most; });
}

// The squares of the differences of two arrays of one shape without gaps: their mean, or their sum.
template <class T>
PyObject* squared_error(PyArrayObject* input, PyArrayObject* target, bool takes_mean) {
    const npy_intp size = PyArray_SIZE(input);
    const Ref row = new_array(1, &size, PyArray_TYPE(input));
    Ref total = new_array(0, nullptr, PyArray_TYPE(input));
    if (!row || !total) return nullptr;
    const T *a = static_cast<T*>(PyArray_DATA(input)), *b = static_cast<T*>(PyArray_DATA(target));
    std::transform(a, a + size, b, row.data<T>(), std::minus<T>());
    if (!is_moderate(row.data<T>(), size)) return declined();
    if (!Ref(PyArray_MatrixProduct2(row.get(), row.get(), total.array()))) return nullptr;
    if (takes_mean) *total.data<T>() /= static_cast<T>(size);
    return total.release();
}

}  // namespace

// mean_squared_error(input, target, reduction): of few elements, "mean" or "sum"
PyObject* mean_squared_error(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    if (count != 3 || !read_precision(arguments[0], &precision) ||
        as_array(arguments[1]) == nullptr)
        return declined();
    PyArrayObject *input = as_array(arguments[0]), *target = as_array(arguments[1]);
    const npy_intp size = PyArray_SIZE(input);
    const bool takes_mean = is_word(arguments[2], "mean");
    if (!(takes_mean || is_word(arguments[2], "sum")) || size == 0 || size > kFewElements ||
        PyArray_DESCR(target) != PyArray_DESCR(input) || !PyArray_SAMESHAPE(input, target) ||
        !PyArray_ISCARRAY_RO(input) || !PyArray_ISCARRAY_RO(target))
        return declined();
    return precision == kSingle ? squared_error<float>(input, target, takes_mean)
                                : squared_error<double>(input, target, takes_mean);
}

// chosen_slices(x, index, dim)
PyObject* chosen_slices(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Lanes lanes;
    if (count != 3 || !are_few_numbers(arguments[0])) return declined();
    PyArrayObject* array = as_array(arguments[0]);
    const Ref x = contiguous(arguments[0], PyArray_TYPE(array));
    const Ref index = contiguous(arguments[1], NPY_INT64);
    if (!x || !index || PyArray_NDIM(index.array()) != 1 || PyBool_Check(arguments[2]) ||
        !read_lanes(array, arguments[2], &lanes)) {
        return declined();
    }
    long along = PyLong_AsLong(arguments[2]);
    if (along < 0) along += PyArray_NDIM(array);
    npy_intp shape[NPY_MAXDIMS];
    std::copy_n(PyArray_DIMS(array), PyArray_NDIM(array), shape);
    shape[along] = index.size();
    return chosen_blocks(x, lanes, index,
                         new_array(PyArray_NDIM(array), shape, PyArray_TYPE(array)));
}

// chosen_rows(weight, indices): its rows
PyObject* chosen_rows(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 2 || !are_few_numbers(arguments[0])) return declined();
    PyArrayObject* array = as_array(arguments[0]);
    const Ref weight = contiguous(arguments[0], PyArray_TYPE(array));
    const Ref indices = contiguous(arguments[1], NPY_INT64);
    if (!weight || !indices || PyArray_NDIM(array) != 2) return declined();
    const int ndim = PyArray_NDIM(indices.array());
    if (ndim + 1 > NPY_MAXDIMS || indices.size() > kFewElements) return declined();
    npy_intp shape[NPY_MAXDIMS];
    std::copy_n(PyArray_DIMS(indices.array()), ndim, shape);
    shape[ndim] = PyArray_DIM(array, 1);
    const Lanes lanes{1, PyArray_DIM(array, 0), PyArray_DIM(array, 1)};
    return chosen_blocks(weight, lanes, indices, new_array(ndim + 1, shape, PyArray_TYPE(array)));
}

}  // namespace pellucid
