// Multiplication by a sparse matrix along one dimension, as in the NumPy kernel of the same name.
#include <algorithm>
#include <cstdint>

#include "kernels/lanes.hpp"
#include "kernels/pieces.hpp"

namespace pellucid {
namespace {

// A matrix [rows, lanes.size] in compressed rows, and what it is multiplied by.
template <class T>
struct SparseProduct {
    const T* weights;
    const std::int32_t *columns, *starts;
    long rows;
    Lanes lanes;
    const T* x;
    T* out;
};

// One row times one lane whose elements lie next to each other.
template <class T>
T dot(const SparseProduct<T>& job, long row, const T* lane) {
    double sum = 0;
    for (long k = job.starts[row]; k < job.starts[row + 1]; ++k)
        sum += static_cast<double>(job.weights[k]) * static_cast<double>(lane[job.columns[k]]);
    return static_cast<T>(sum);
}

// One row times several neighbouring lanes.
template <class T>
void add_lines(const SparseProduct<T>& job, long row, const T* lanes, T* out, long count) {
    constexpr long kSideBySide = 256;
    double sums[kSideBySide];
    for (long first = 0; first < count; first += kSideBySide) {
        const long width = std::min(kSideBySide, count - first);
        std::fill(sums, sums + width, 0.0);
        for (long k = job.starts[row]; k < job.starts[row + 1]; ++k) {
            const double weight = static_cast<double>(job.weights[k]);
            const T* from = lanes + job.columns[k] * job.lanes.inner + first;
            for (long i = 0; i < width; ++i) sums[i] += weight * static_cast<double>(from[i]);
        }
        for (long i = 0; i < width; ++i) out[first + i] = static_cast<T>(sums[i]);
    }
}

// Calls body(line, row, lanes) for each line of the result, with its row and what that multiplies.
template <class T, class Body>
void each_row(const SparseProduct<T>& job, long begin, long end, const Body& body) {
    long row = begin % job.rows;
    const long step = job.lanes.size * job.lanes.inner;
    const T* lanes = job.x + begin / job.rows * step;
    for (long line = begin; line < end; ++line) {
        body(line, row, lanes);
        if (++row < job.rows) continue;
        row = 0;
        lanes += step;
    }
}

// Rows that all have the same few entries, and lanes whose elements lie next to each other.
template <class T, int taps>
void multiply_few_in_row(const SparseProduct<T>& job, long begin, long end) {
    for (long line = begin; line < end;) {
        const long row = line % job.rows, last = std::min(job.rows, row + end - line);
        const T* lane = job.x + line / job.rows * job.lanes.size;
        T* out = job.out + line - row;
        for (long r = row; r < last; ++r) {
            T sum = job.weights[r * taps] * lane[job.columns[r * taps]];
            for (int k = 1; k < taps; ++k)
                sum += job.weights[r * taps + k] * lane[job.columns[r * taps + k]];
            out[r] = sum;
        }
        line += last - row;
    }
}

// The same for other lanes.
template <class T, int taps>
void multiply_few(const SparseProduct<T>& job, long begin, long end) {
    const long inner = job.lanes.inner;
    if (inner == 1) return multiply_few_in_row<T, taps>(job, begin, end);
    each_row(job, begin, end, [&](long line, long row, const T* lanes) {
        const T* weights = job.weights + row * taps;
        const std::int32_t* columns = job.columns + row * taps;
        T* out = job.out + line * inner;
        for (long i = 0; i < inner; ++i) {
            T sum = weights[0] * lanes[columns[0] * inner + i];
            for (int k = 1; k < taps; ++k) sum += weights[k] * lanes[columns[k] * inner + i];
            out[i] = sum;
        }
    });
}

template <class T>
void multiply_any(const SparseProduct<T>& job, long begin, long end) {
    const long inner = job.lanes.inner;
    each_row(job, begin, end, [&](long line, long row, const T* lanes) {
        if (inner == 1) job.out[line] = dot(job, row, lanes);
        else add_lines(job, row, lanes, job.out + line * inner, inner);
    });
}

// The number of entries of each row, or 0 if they differ.
template <class T>
long taps_of(const SparseProduct<T>& job) {
    const long taps = job.starts[1] - job.starts[0];
    for (long row = 1; row < job.rows; ++row)
        if (job.starts[row + 1] - job.starts[row] != taps) return 0;
    return taps;
}

template <class T>
void multiply(const SparseProduct<T>& job) {
    const long taps = taps_of(job), entries = job.starts[job.rows];
    const auto run = taps == 1   ? multiply_few<T, 1>
                     : taps == 2 ? multiply_few<T, 2>
                     : taps == 4 ? multiply_few<T, 4>
                                 : multiply_any<T>;
    in_pieces(job.lanes.outer * job.rows, units_at_once(job.lanes.inner * entries / job.rows),
              [&](long begin, long end) { run(job, begin, end); });
}

// Whether the columns and the starts of rows are those of a matrix.
bool are_rows(const Ref& columns, const Ref& starts, long entries, long size) {
    const auto* start = starts.data<std::int32_t>();
    const auto* column = columns.data<std::int32_t>();
    const long rows = starts.size() - 1;
    if (columns.size() != entries || start[0] != 0 || start[rows] != entries) return false;
    return std::is_sorted(start, start + rows + 1) &&
           std::all_of(column, column + entries,
                       [&](long each) { return each >= 0 && each < size; });
}

template <class T>
PyObject* product_of(const Ref& weights, const Ref& columns, const Ref& starts, const Ref& x,
                     const Lanes& lanes, Ref out) {
    const SparseProduct<T> job{weights.data<T>(),
                               columns.data<std::int32_t>(),
                               starts.data<std::int32_t>(),
                               starts.size() - 1,
                               lanes,
                               x.data<T>(),
                               out.data<T>()};
    return unlocked([&] { multiply(job); }) ? out.release() : nullptr;
}

}  // namespace

// multiply_along(weights, columns, starts, x, axis), with a matrix in compressed rows
PyObject* multiply_along(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    if (count != 5 || !read_precision(arguments[3], &precision)) return declined();
    const int type = type_of(precision);
    const Ref weights = contiguous(arguments[0], type), x = contiguous(arguments[3], type);
    const Ref columns = contiguous(arguments[1], NPY_INT32);
    const Ref starts = contiguous(arguments[2], NPY_INT32);
    Lanes lanes;
    if (!weights || !columns || !starts || !x || starts.size() < 2) return declined();
    if (!read_lanes(x.array(), arguments[4], &lanes) || x.size() == 0) return declined();
    if (!are_rows(columns, starts, weights.size(), lanes.size)) return declined();
    const int ndim = PyArray_NDIM(x.array());
    npy_intp shape[NPY_MAXDIMS];
    std::copy(PyArray_DIMS(x.array()), PyArray_DIMS(x.array()) + ndim, shape);
    const long axis = PyLong_AsLong(arguments[4]);
    shape[axis < 0 ? axis + ndim : axis] = starts.size() - 1;
    Ref out = new_array(ndim, shape, type);
    if (!out) return nullptr;
    const auto run = precision == kSingle ? product_of<float> : product_of<double>;
    return run(weights, columns, starts, x, lanes, std::move(out));
}

}  // namespace pellucid
