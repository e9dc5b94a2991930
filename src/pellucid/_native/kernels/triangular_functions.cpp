// solve_triangular, as the NumPy kernel of this name, of small matrices: calling BLAS for each
// takes longer than solving.
#include <algorithm>

#include "kernels/arguments.hpp"
#include "kernels/pieces.hpp"

namespace pellucid {
namespace {

// Matrices [size, size], of which one triangle counts, and right-hand sides [rows, columns].
struct TriangularJob {
    long count, size, rows, columns;
    bool upper, left, unit;
};

// Solve a @ x = b in place: whole rows of b at once.
template <class T>
void solve_left(const TriangularJob& job, const T* a, T* b) {
    const long n = job.size, columns = job.columns;
    for (long step = 0; step < n; ++step) {
        const long i = job.upper ? n - 1 - step : step;
        const long first = job.upper ? i + 1 : 0, last = job.upper ? n : i;
        T* row = b + i * columns;
        for (long k = first; k < last; ++k)
            for (long j = 0; j < columns; ++j) row[j] -= a[i * n + k] * b[k * columns + j];
        for (long j = 0; !job.unit && j < columns; ++j) row[j] /= a[i * n + i];
    }
}

// Solve x @ a = b in place: one row of b after the other.
template <class T>
void solve_right(const TriangularJob& job, const T* a, T* b) {
    const long n = job.size;
    for (T* row = b; row < b + job.rows * n; row += n)
        for (long step = 0; step < n; ++step) {
            const long k = job.upper ? step : n - 1 - step;
            const long first = job.upper ? k + 1 : 0, last = job.upper ? n : k;
            if (!job.unit) row[k] /= a[k * n + k];
            for (long j = first; j < last; ++j) row[j] -= row[k] * a[k * n + j];
        }
}

template <class T>
void solve_each(const TriangularJob& job, const T* a, T* b) {
    const long of_a = job.size * job.size, of_b = job.rows * job.columns;
    in_pieces(job.count, units_at_once(job.size * of_b), [&](long begin, long end) {
        for (long i = begin; i < end; ++i)
            (job.left ? solve_left<T> : solve_right<T>)(job, a + i * of_a, b + i * of_b);
    });
}

}  // namespace

// solve_triangular(a, b, upper, left, unitriangular)
PyObject* solve_triangular(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    constexpr long kLargest = 32;
    Precision precision;
    if (count != 5 || !read_precision(arguments[0], &precision)) return declined();
    PyArrayObject *a = as_array(arguments[0]), *b = as_array(arguments[1]);
    const int ndim = PyArray_NDIM(a);
    if (b == nullptr || ndim < 2 || PyArray_NDIM(b) != ndim || PyArray_SIZE(b) == 0 ||
        !std::equal(PyArray_DIMS(a), PyArray_DIMS(a) + ndim - 2, PyArray_DIMS(b)))
        return declined();
    TriangularJob job;
    bool* const flags[] = {&job.upper, &job.left, &job.unit};
    for (int i = 0; i < 3; ++i) {
        if (!PyBool_Check(arguments[2 + i])) return declined();
        *flags[i] = arguments[2 + i] == Py_True;
    }
    job.size = PyArray_DIM(a, ndim - 1);
    job.rows = PyArray_DIM(b, ndim - 2);
    job.columns = PyArray_DIM(b, ndim - 1);
    job.count = PyArray_SIZE(b) / (job.rows * job.columns);
    const bool fits =
        PyArray_DIM(a, ndim - 2) == job.size && (job.left ? job.rows : job.columns) == job.size;
    if (!fits || job.size > kLargest) return declined();
    const int type = type_of(precision);
    const Ref matrices = contiguous(arguments[0], type);
    if (!matrices || PyArray_TYPE(b) != type || !PyArray_ISNOTSWAPPED(b)) return declined();
    Ref out(PyArray_NewCopy(b, NPY_CORDER));
    if (!out) return nullptr;
    const bool done = unlocked([&] {
        if (precision == kSingle) solve_each(job, matrices.data<float>(), out.data<float>());
        else solve_each(job, matrices.data<double>(), out.data<double>());
    });
    return done ? out.release() : nullptr;
}

}  // namespace pellucid
