// Softmax along rows and columns, its logarithm, and cross entropy with its gradient.
#pragma once

#include "kernels/column_sums.hpp"
#include "kernels/functions_of_numbers.hpp"
#include "kernels/row_jobs.hpp"
#include "kernels/sums.hpp"

namespace pellucid {
namespace {

template <class T>
T largest_of(const T* x, long count) {
    constexpr int size = VectorOf<T>::size;
    T largest = -T(INFINITY);
    long i = 0;
    if (count >= size) {
        Vector<T> best = load(x);
        for (i = size; i + size <= count; i += size) {
            const Vector<T> value = load(x + i);
            best = value > best ? value : best;
        }
        const T found = folded<T>(best, [](Vector<T> a, Vector<T> b) { return a > b ? a : b; });
        largest = found > largest ? found : largest;
    }
    for (; i < count; ++i) largest = x[i] > largest ? x[i] : largest;
    return largest;
}

// Write exp(x - largest); return their sum.
template <class T>
T exponentials(const T* x, long count, T largest, T* out) {
#pragma GCC ivdep
    for (long i = 0; i < count; ++i) out[i] = exp_of(x[i] - largest);
    return total_of<T>(count, Elements<T>{out});
}

template <class T>
void softmax_row(const SoftmaxJob& job, long row) {
    const long n = job.columns;
    const T* x = static_cast<const T*>(job.x) + row * n;
    T* out = static_cast<T*>(job.out) + row * n;
    const T sum = exponentials(x, n, largest_of(x, n), out);
#pragma GCC ivdep
    for (long i = 0; i < n; ++i) out[i] /= sum;
}

template <class T>
void log_softmax_row(const SoftmaxJob& job, long row) {
    const long n = job.columns;
    const T* x = static_cast<const T*>(job.x) + row * n;
    T* out = static_cast<T*>(job.out) + row * n;
    const T largest = largest_of(x, n);
    const T lost = log_of(exponentials(x, n, largest, out));
#pragma GCC ivdep
    for (long i = 0; i < n; ++i) out[i] = (x[i] - largest) - lost;
}

template <class T>
void softmax_backward_row(const SoftmaxJob& job, long row) {
    const long n = job.columns;
    const T* y = static_cast<const T*>(job.x) + row * n;
    const T* g = static_cast<const T*>(job.g) + row * n;
    T* out = static_cast<T*>(job.out) + row * n;
    const T dot = total_of<T>(n, Products<T>{g, y});
#pragma GCC ivdep
    for (long i = 0; i < n; ++i) out[i] = (g[i] - dot) * y[i];
}

template <class T>
void log_softmax_backward_row(const SoftmaxJob& job, long row) {
    const long n = job.columns;
    const T* y = static_cast<const T*>(job.x) + row * n;
    const T* g = static_cast<const T*>(job.g) + row * n;
    T* out = static_cast<T*>(job.out) + row * n;
    const T sum = total_of<T>(n, Elements<T>{g});
#pragma GCC ivdep
    for (long i = 0; i < n; ++i) out[i] = g[i] - exp_of(y[i]) * sum;
}

// The logarithm of the sum of exponentials; what is infinite is not subtracted.
template <class T>
void logsumexp_row(const SoftmaxJob& job, long row) {
    const long n = job.columns;
    const T* x = static_cast<const T*>(job.x) + row * n;
    T* work = static_cast<T*>(scratch(0, n * sizeof(T)));
    const T largest = largest_of(x, n);
    const T shift = largest - largest == 0 ? largest : T(0);
    static_cast<T*>(job.out)[row] = log_of(exponentials(x, n, shift, work)) + shift;
}

template <class T>
void cross_entropy_row(const SoftmaxJob& job, long row) {
    const long n = job.columns;
    const T* x = static_cast<const T*>(job.x) + row * n;
    T* work = static_cast<T*>(scratch(0, n * sizeof(T)));
    const T largest = largest_of(x, n);
    const T sum = exponentials(x, n, largest, work);
    static_cast<T*>(job.out)[row] = log_of(sum) + (largest - x[job.target[row]]);
}

template <class T>
void cross_entropy_loss_backward_row(const SoftmaxJob& job, long row) {
    softmax_row<T>(job, row);
    static_cast<T*>(job.out)[row * job.columns + job.target[row]] -= 1;
}

// Some columns of a matrix [rows, columns].
template <class T>
struct SoftmaxColumns {
    long start, rows, step, width;

    SoftmaxColumns(const SoftmaxJob& job, long part) : rows(job.rows), step(job.columns) {
        const long blocks = (step + kColumnsBeside - 1) / kColumnsBeside;
        const long first = part % blocks * kColumnsBeside;
        start = part / blocks * rows * step + first;
        width = smaller(kColumnsBeside, step - first);
    }

    T* of(const void* whole) const { return static_cast<T*>(const_cast<void*>(whole)) + start; }
    // for each column i the sum of term(i, place) over the places of its elements
    template <class Term>
    void add_up(T* sums, const Term& term) const {
        double totals[kColumnsBeside];
        total_columns<T, kColumnsBeside>(0, rows, width, totals,
                                         [&](long row, long i) { return term(i, row * step + i); });
        for (long i = 0; i < width; ++i) sums[i] = T(totals[i]);
    }
    template <class Body>
    void each(const Body& body) const {
        for (long at = 0; at < rows * step; at += step) {
#pragma GCC ivdep
            for (long i = 0; i < width; ++i) body(i, at + i);
        }
    }
    void find_largest(const T* x, T* largest) const {
        for (long i = 0; i < width; ++i) largest[i] = -T(INFINITY);
        each([&](long i, long at) { largest[i] = x[at] > largest[i] ? x[at] : largest[i]; });
    }
};

template <class T>
void softmax_columns(const SoftmaxJob& job, long part) {
    const SoftmaxColumns<T> columns(job, part);
    const T* x = columns.of(job.x);
    T *out = columns.of(job.out), largest[kColumnsBeside], sums[kColumnsBeside];
    columns.find_largest(x, largest);
    columns.add_up(sums, [&](long i, long at) { return out[at] = exp_of(x[at] - largest[i]); });
    columns.each([&](long i, long at) { out[at] /= sums[i]; });
}

template <class T>
void log_softmax_columns(const SoftmaxJob& job, long part) {
    const SoftmaxColumns<T> columns(job, part);
    const T* x = columns.of(job.x);
    T *out = columns.of(job.out), largest[kColumnsBeside], lost[kColumnsBeside];
    columns.find_largest(x, largest);
    columns.add_up(lost, [&](long i, long at) { return exp_of(x[at] - largest[i]); });
    for (long i = 0; i < columns.width; ++i) lost[i] = log_of(lost[i]);
    columns.each([&](long i, long at) { out[at] = (x[at] - largest[i]) - lost[i]; });
}

// ---- running sums of exponentials, in double precision ------------------------------------------

// How far the first element may lie below the largest of its lane for no sum to vanish beside it.
constexpr float kFarthestBelow = 600;

// The logarithms of the running sums of exponentials, one element after the other: right also where
// elements are infinite, NaN or far apart.
inline void add_logarithms(const float* x, long count, long step, float* out) {
    double total = -INFINITY;
    for (long at = 0; at < count * step; at += step) {
        const double value = x[at], above = total - value;
        if (total == value)  // both may be infinite
            total += 0.69314718055994531;
        else if (above > 0) total += log1p_of(exp_of(-above));
        else total = above < 0 ? value + log1p_of(exp_of(above)) : above;
        out[at] = float(total);
    }
}

inline void logcumsumexp_row(const SoftmaxJob& job, long row) {
    const long n = job.columns;
    const float* x = static_cast<const float*>(job.x) + row * n;
    float* out = static_cast<float*>(job.out) + row * n;
    double* sums = static_cast<double*>(scratch(0, n * sizeof(double)));
    const float largest = largest_of(x, n);
#pragma GCC ivdep
    for (long i = 0; i < n; ++i) sums[i] = exp_of(double(x[i]) - largest);
    for (long i = 1; i < n; ++i) sums[i] += sums[i - 1];
    const bool usual = x[0] - largest >= -kFarthestBelow && sums[n - 1] == sums[n - 1];
    if (!usual) return add_logarithms(x, n, 1, out);
#pragma GCC ivdep
    for (long i = 0; i < n; ++i) out[i] = float(log_of(sums[i]) + largest);
}

inline void logcumsumexp_columns(const SoftmaxJob& job, long part) {
    const SoftmaxColumns<float> columns(job, part);
    const float* x = columns.of(job.x);
    float *out = columns.of(job.out), largest[kColumnsBeside];
    double sums[kColumnsBeside] = {};
    columns.find_largest(x, largest);
    columns.each([&](long i, long at) {
        sums[i] += exp_of(double(x[at]) - largest[i]);
        out[at] = float(log_of(sums[i]) + largest[i]);
    });
    for (long i = 0; i < columns.width; ++i) {
        const bool usual = x[i] - largest[i] >= -kFarthestBelow && sums[i] == sums[i];
        if (!usual) add_logarithms(x + i, columns.rows, columns.step, out + i);
    }
}

}  // namespace
}  // namespace pellucid
