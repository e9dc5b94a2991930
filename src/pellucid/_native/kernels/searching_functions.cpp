// Counting and searching, as in NumPy's functions of the same names.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/arguments.hpp"
#include "kernels/pieces.hpp"
#include "kernels/searching.hpp"

namespace pellucid {
namespace {

// ---- searching ----------------------------------------------------------------------------------

struct Search {
    const void *edges, *values;
    long count;
    long long* places;
};

template <class T, bool right>
void search(const Search& job, long begin, long end) {
    const T *edges = static_cast<const T*>(job.edges), *values = static_cast<const T*>(job.values);
    find_all_places<right>(edges, job.count, values + begin, end - begin, job.places + begin);
}

template <class T>
auto search_from(bool right) {
    return right ? search<T, true> : search<T, false>;
}

// ---- where something is -------------------------------------------------------------------------

// Calls take(row, columns, count) with the columns of each row that are not zero.
template <class T, class Take>
void each_row(const T* x, long rows, long columns, const Take& take) {
    std::vector<long> found(columns + 1);
    for (long row = 0; row < rows; ++row, x += columns) {
        long count = 0;
        for (long i = 0; i < columns; ++i) {
            found[count] = i;
            count += x[i] != 0;
        }
        take(row, found.data(), count);
    }
}

// Writes the indices of the elements that are not zero, those along each dimension together.
template <class T>
void write_places(const Ref& x, long columns, long total, npy_intp* out) {
    const int ndim = PyArray_NDIM(x.array());
    each_row(x.data<T>(), x.size() / columns, columns,
             [&](long row, const long* found, long count) {
                 npy_intp at[NPY_MAXDIMS];
                 for (int dim = ndim - 2; dim >= 0; --dim) {
                     at[dim] = row % PyArray_DIM(x.array(), dim);
                     row /= PyArray_DIM(x.array(), dim);
                 }
                 for (int dim = 0; dim < ndim - 1; ++dim)
                     std::fill_n(out + dim * total, count, at[dim]);
                 std::copy_n(found, count, out + (ndim - 1) * total);
                 out += count;
             });
}

// How often each number below `size` occurs: in several tables, so that equal neighbours need not
// wait for each other, where these are not long.
std::vector<npy_intp> counts_of(const unsigned long long* each, long given, long size,
                                bool is_short) {
    const long tables = is_short ? 4 : 1;
    std::vector<npy_intp> counts(tables * size);
    long i = 0;
    for (; i + tables <= given; i += tables)
        for (long table = 0; table < tables; ++table)
            ++counts[table * size + static_cast<long>(each[i + table])];
    for (; i < given; ++i) ++counts[each[i]];
    for (long k = size; k < tables * size; ++k) counts[k % size] += counts[k];
    counts.resize(size);
    return counts;
}

// Counts elements in bins between two numbers as NumPy's function does: by their distance from the
// first, and then by the edges.
template <class T>
bool count_in_bins(const Ref& x, long bins, double low, double high, T* counts) {
    const T *each = x.data<T>(), *end = each + x.size();
    if (low == high) {
        const auto extremes = std::minmax_element(each, end);
        low = *extremes.first;
        high = *extremes.second;
    }
    if (low == high) low -= 1, high += 1;
    if (std::any_of(each, end, [](T value) { return value != value; }) || !(high - low > 0) ||
        std::isinf(high - low)) {
        return false;
    }
    const double width = (high - low) / bins;
    std::vector<T> edges(bins + 1);
    for (long i = 0; i < bins; ++i) edges[i] = static_cast<T>(i * width + low);
    edges[bins] = static_cast<T>(high);
    const T first = static_cast<T>(low), range = static_cast<T>(high - low);
    for (; each != end; ++each) {
        if (*each < first || *each > edges[bins]) continue;
        long bin = static_cast<long>((*each - first) / range * static_cast<T>(bins));
        if (bin == bins) --bin;
        if (*each < edges[bin]) --bin;
        if (bin != bins - 1 && *each >= edges[bin + 1]) ++bin;
        counts[bin] += 1;
    }
    return true;
}

template <class T>
long count_of(const Ref& x) {
    const T* each = x.data<T>();
    return std::count_if(each, each + x.size(), [](T value) { return value != 0; });
}

// Where values would go into a vector of edges.
PyObject* places_among(PyObject* sorted, PyObject* wanted, bool right) {
    PyArrayObject* given = as_array(wanted);
    if (given == nullptr || PyArray_NDIM(given) == 0) return declined();
    const int type = PyArray_TYPE(given);
    void (*run)(const Search&, long, long) = nullptr;
    if (type == NPY_FLOAT) run = search_from<float>(right);
    if (type == NPY_DOUBLE) run = search_from<double>(right);
    if (type == NPY_INT64) run = search_from<long long>(right);
    if (run == nullptr) return declined();
    const Ref edges = contiguous(sorted, type), values = contiguous(wanted, type);
    if (!edges || !values || PyArray_NDIM(edges.array()) != 1) return declined();
    Ref places = new_like(values, NPY_INT64);
    if (!places) return nullptr;
    const Search job{edges.data(), values.data(), edges.size(), places.data<long long>()};
    const bool done = unlocked([&] {
        in_pieces(values.size(), kGrain / 8, [&](long begin, long end) { run(job, begin, end); });
    });
    return done ? places.release() : nullptr;
}

}  // namespace

// searchsorted(edges, values, side)
PyObject* searchsorted(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 3 || !PyUnicode_Check(arguments[2])) return declined();
    const bool right = PyUnicode_CompareWithASCIIString(arguments[2], "right") == 0;
    return places_among(arguments[0], arguments[1], right);
}

// sorted_places(edges, values, right)
PyObject* sorted_places(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 3 || !PyBool_Check(arguments[2])) return declined();
    return places_among(arguments[0], arguments[1], arguments[2] == Py_True);
}

// bincount(x, None, minlength), of a vector
PyObject* bincount(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    long least;
    if (count != 3 || arguments[1] != Py_None || !read_integer(arguments[2], &least))
        return declined();
    const Ref x = contiguous(arguments[0], NPY_INT64);
    constexpr long kMost = 1L << 40;
    if (!x || PyArray_NDIM(x.array()) != 1 || x.size() == 0 || least < 0 || least >= kMost)
        return declined();
    // a negative number is a very large one
    constexpr unsigned long long kShort = 1ULL << 13;
    const auto* each = x.data<unsigned long long>();
    const long given = x.size();
    unsigned long long highest = 0;  // or, if it is small, what is no less
    for (long i = 0; i < given; ++i) highest |= each[i];
    const bool is_short = highest < kShort;
    if (!is_short) highest = *std::max_element(each, each + given);
    if (highest >= static_cast<unsigned long long>(kMost)) return declined();
    std::vector<npy_intp> counts;
    const bool done = unlocked([&] {
        counts = counts_of(each, given, static_cast<long>(highest) + 1, is_short);
        while (counts.back() == 0) counts.pop_back();
        counts.resize(std::max(static_cast<long>(counts.size()), least));
    });
    if (!done) return nullptr;
    const npy_intp size = static_cast<npy_intp>(counts.size());
    Ref out = new_array(1, &size, NPY_INTP);
    if (out) std::copy(counts.begin(), counts.end(), out.data<npy_intp>());
    return out.release();
}

// histogram_counts(x, bins, low, high), of few elements
PyObject* histogram_counts(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    long bins;
    double low, high;
    if (count != 4 || !read_precision(arguments[0], &precision) ||
        !read_integer(arguments[1], &bins) || !read_number(arguments[2], &low) ||
        !read_number(arguments[3], &high) || bins < 1 || bins > kGrain) {
        return declined();
    }
    const Ref x = contiguous(arguments[0], type_of(precision));
    if (!x || x.size() == 0 || x.size() > kGrain) return declined();
    Ref counts(PyArray_ZEROS(1, &bins, type_of(precision), 0));
    if (!counts) return nullptr;
    const bool counted = precision == kSingle
                             ? count_in_bins(x, bins, low, high, counts.data<float>())
                             : count_in_bins(x, bins, low, high, counts.data<double>());
    return counted ? counts.release() : declined();
}

// nonzero_count(x, None), of few elements
PyObject* nonzero_count(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject* array = count == 2 && arguments[1] == Py_None ? as_array(arguments[0]) : nullptr;
    if (array == nullptr || PyArray_SIZE(array) > kGrain) return declined();
    const int type = PyArray_TYPE(array);
    if (type != NPY_BOOL && type != NPY_FLOAT && type != NPY_INT64) return declined();
    const Ref x = contiguous(arguments[0], type);
    Ref out = new_array(0, nullptr, NPY_INT64);
    if (!x || !out) return declined();
    *out.data<long long>() = type == NPY_BOOL    ? count_of<npy_bool>(x)
                             : type == NPY_FLOAT ? count_of<float>(x)
                                                 : count_of<long long>(x);
    return out.release();
}

// unique(x, False, False), of few integers: a list of the values in order
PyObject* unique(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject* given = count == 3 ? as_array(arguments[0]) : nullptr;
    if (given == nullptr || arguments[1] != Py_False || arguments[2] != Py_False ||
        PyArray_SIZE(given) > kGrain) {
        return declined();
    }
    const Ref x = contiguous(arguments[0], NPY_INT64);
    if (!x) return declined();
    std::vector<long long> values(x.data<long long>(), x.data<long long>() + x.size());
    std::sort(values.begin(), values.end());
    npy_intp found = std::unique(values.begin(), values.end()) - values.begin();
    const Ref out = new_array(1, &found, NPY_INT64);
    if (!out) return nullptr;
    std::copy_n(values.begin(), found, out.data<long long>());
    return Py_BuildValue("[O]", out.get());
}

// argwhere(x)
PyObject* argwhere(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject* array = count == 1 ? as_array(arguments[0]) : nullptr;
    if (array == nullptr || PyArray_NDIM(array) == 0 || PyArray_SIZE(array) == 0) return declined();
    const int type = PyArray_TYPE(array), ndim = PyArray_NDIM(array);
    if (type != NPY_BOOL && type != NPY_FLOAT && type != NPY_INT64) return declined();
    const Ref x = contiguous(arguments[0], type);
    if (!x) return declined();
    npy_intp shape[2] = {ndim, 0};
    npy_intp& total = shape[1];
    const auto by_type = [&](auto of_bool, auto of_float, auto of_integer) {
        type == NPY_BOOL ? of_bool() : type == NPY_FLOAT ? of_float() : of_integer();
    };
    by_type([&] { total = count_of<npy_bool>(x); }, [&] { total = count_of<float>(x); },
            [&] { total = count_of<long long>(x); });
    Ref out = new_array(2, shape, NPY_INTP);
    if (!out) return nullptr;
    const long columns = PyArray_DIM(array, ndim - 1);
    npy_intp* to = out.data<npy_intp>();
    const bool done = unlocked([&] {
        by_type([&] { write_places<npy_bool>(x, columns, total, to); },
                [&] { write_places<float>(x, columns, total, to); },
                [&] { write_places<long long>(x, columns, total, to); });
    });
    return done ? PyArray_Transpose(out.array(), nullptr) : nullptr;
}

}  // namespace pellucid
