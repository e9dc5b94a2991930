// The elementwise part of recurrent cells in one pass.
#pragma once

#include "kernels/functions_of_numbers.hpp"
#include "kernels/recurrent_job.hpp"
#include "kernels/vectors.hpp"

namespace pellucid {
namespace {

template <class T>
const T* row_of(const void* matrix, long row, long columns) {
    return static_cast<const T*>(matrix) + row * columns;
}

template <class T>
T* row_of(void* matrix, long row, long columns) {
    return static_cast<T*>(matrix) + row * columns;
}

// Note [Rows ahead]
// The gates of all steps are more than the second cache holds, and those of an element lie in four
// parts of a row: the processor does not follow so many streams, which jump at the end of a row. So
// the next row of what is read and written is prefetched while one is computed, a part or a few
// lines of it at a time, as the processor waits where it is asked for too many at once.
template <class T>
inline void prefetch_next(const RecurrentJob& job, const void* matrix, long row, long columns,
                          long begin, long end) {
    constexpr long line = 64 / sizeof(T);
    if (row + 1 >= job.rows) return;
    const T* next = row_of<T>(matrix, row + 1, columns);
    for (long i = begin; i < end; i += line) __builtin_prefetch(next + i);
}

// So many elements of each gate are prefetched at a time.
constexpr long kElementsAhead = 32;

// The same elements of each gate of an LSTM.
template <class T>
inline void prefetch_gates(const RecurrentJob& job, const void* matrix, long row, long begin,
                           long end) {
    const long n = job.size;
    for (long gate = 0; gate < 4 * n; gate += n)
        prefetch_next<T>(job, matrix, row, 4 * n, gate + begin, gate + end);
}

template <class T, class Into>
inline void lstm_row_of(const RecurrentJob& job, long row, const Into& into) {
    const long n = job.size;
    const T* before = row_of<T>(job.before, row, n);
    T* gates = row_of<T>(job.gates, row, 4 * n);
    T *h = row_of<T>(job.out_h, row, n), *c = row_of<T>(job.out_c, row, n);
    for (long begin = 0; begin < 4 * n; begin += n) {
        const long end = begin + n;
        prefetch_next<T>(job, job.input, row, 4 * n, begin, end);
        prefetch_next<T>(job, job.gates, row, 4 * n, begin, end);
        if (begin == 2 * n)
#pragma GCC ivdep
            for (long j = begin; j < end; ++j) gates[j] = tanh_of(into(j));
        else
#pragma GCC ivdep
            for (long j = begin; j < end; ++j) gates[j] = quick_sigmoid_of(into(j));
    }
#pragma GCC ivdep
    for (long j = 0; j < n; ++j) {
        c[j] = gates[n + j] * before[j] + gates[j] * gates[2 * n + j];
        h[j] = gates[3 * n + j] * tanh_of(c[j]);
    }
}

template <class T>
void lstm_row(const RecurrentJob& job, long row) {
    const T* x = row_of<T>(job.input, row, 4 * job.size);
    if (job.recurrent == nullptr) return lstm_row_of<T>(job, row, [=](long j) { return x[j]; });
    const T* y = row_of<T>(job.recurrent, row, 4 * job.size);
    lstm_row_of<T>(job, row, [=](long j) { return x[j] + y[j]; });
}

// Writes the gradients of what goes into the gates of one element; returns that of the cell.
template <class T>
inline T lstm_to_gates(const T* gates, T before, T c, T grad_h, T grad_c, T* out, long n, long j) {
    const T i = gates[j], f = gates[n + j], candidate = gates[2 * n + j], o = gates[3 * n + j];
    const T squashed = tanh_of(c);
    const T through = grad_h * o * (1 - squashed * squashed) + grad_c;
    out[j] = i * (1 - i) * candidate * through;
    out[n + j] = f * (1 - f) * before * through;
    out[2 * n + j] = (1 - candidate * candidate) * i * through;
    out[3 * n + j] = o * (1 - o) * squashed * grad_h;
    return through;
}

template <class T>
void lstm_to_input_row(const RecurrentJob& job, long row) {
    const long n = job.size;
    const T *gates = row_of<T>(job.gates, row, 4 * n), *before = row_of<T>(job.before, row, n);
    const T* c = row_of<T>(job.cell, row, n);
    const T *grad_h = row_of<T>(job.grad_h, row, n), *grad_c = row_of<T>(job.grad_c, row, n);
    T* out = row_of<T>(job.grad_input, row, 4 * n);
#pragma GCC ivdep
    for (long j = 0; j < n; ++j)
        lstm_to_gates(gates, before[j], c[j], grad_h[j], grad_c[j], out, n, j);
}

template <class T>
void lstm_to_cell_row(const RecurrentJob& job, long row) {
    const long n = job.size;
    const T *gates = row_of<T>(job.gates, row, 4 * n), *c = row_of<T>(job.cell, row, n);
    const T *grad_h = row_of<T>(job.grad_h, row, n), *grad_c = row_of<T>(job.grad_c, row, n);
    T* out = row_of<T>(job.grad_input, row, n);
#pragma GCC ivdep
    for (long j = 0; j < n; ++j) {
        const T squashed = tanh_of(c[j]);
        out[j] =
            (grad_h[j] * gates[3 * n + j] * (1 - squashed * squashed) + grad_c[j]) * gates[n + j];
    }
}

// The gradients of what goes into the gates and of the cell before. What later steps give the
// output and the cell lies in out_h and out_c, to which the step's own gradients are added.
template <class T>
void lstm_to_both_row(const RecurrentJob& job, long row) {
    const long n = job.size;
    const T *gates = row_of<T>(job.gates, row, 4 * n), *before = row_of<T>(job.before, row, n);
    const T *c = row_of<T>(job.cell, row, n), *grad_h = row_of<T>(job.grad_h, row, n);
    T *out = row_of<T>(job.grad_input, row, 4 * n), *by_c = row_of<T>(job.out_c, row, n);
    const T* by_h = row_of<T>(job.out_h, row, n);
    if (job.more_grad_c != nullptr) {
        const T* more = row_of<T>(job.more_grad_c, row, n);
#pragma GCC ivdep
        for (long j = 0; j < n; ++j) by_c[j] += more[j];
    }
    for (long begin = 0; begin < n; begin += kElementsAhead) {
        const long end = smaller(n, begin + kElementsAhead);
        for (const void* matrix : {job.before, job.cell, job.grad_h})
            prefetch_next<T>(job, matrix, row, n, begin, end);
        for (const void* matrix : {job.gates, job.grad_input})
            prefetch_gates<T>(job, matrix, row, begin, end);
#pragma GCC ivdep
        for (long j = begin; j < end; ++j) {
            const T f = gates[n + j];
            const T g = by_h[j] + grad_h[j];
            by_c[j] = lstm_to_gates(gates, before[j], c[j], g, by_c[j], out, n, j) * f;
        }
    }
}

// Gates of one step are three; of a layer they keep what the state contributes to the candidate.
template <class T, int parts>
inline void gru_row_of(const RecurrentJob& job, long row) {
    const long n = job.size;
    const T *x = row_of<T>(job.input, row, 3 * n), *y = row_of<T>(job.recurrent, row, 3 * n);
    const T* before = row_of<T>(job.before, row, n);
    T *gates = row_of<T>(job.gates, row, parts * n), *h = row_of<T>(job.out_h, row, n);
#pragma GCC ivdep
    for (long j = 0; j < 2 * n; ++j) gates[j] = quick_sigmoid_of(x[j] + y[j]);
#pragma GCC ivdep
    for (long j = 0; j < n; ++j) {
        const T candidate = tanh_of(x[2 * n + j] + gates[j] * y[2 * n + j]);
        gates[2 * n + j] = candidate;
        h[j] = candidate + gates[n + j] * (before[j] - candidate);
        if (parts == 4) gates[3 * n + j] = y[2 * n + j];
    }
}

template <class T>
void gru_row(const RecurrentJob& job, long row) {
    gru_row_of<T, 3>(job, row);
}

template <class T>
void gru_layer_row(const RecurrentJob& job, long row) {
    gru_row_of<T, 4>(job, row);
}

template <class T>
void gru_to_input_row(const RecurrentJob& job, long row) {
    const long n = job.size;
    const T *gates = row_of<T>(job.gates, row, 3 * n), *y = row_of<T>(job.recurrent, row, 3 * n);
    const T *before = row_of<T>(job.before, row, n), *grad_h = row_of<T>(job.grad_h, row, n);
    T* out = row_of<T>(job.grad_input, row, 3 * n);
#pragma GCC ivdep
    for (long j = 0; j < n; ++j) {
        const T r = gates[j], z = gates[n + j], candidate = gates[2 * n + j];
        const T into_candidate = grad_h[j] * (1 - z) * (1 - candidate * candidate);
        out[j] = into_candidate * y[2 * n + j] * (r * (1 - r));
        out[n + j] = grad_h[j] * (before[j] - candidate) * (z * (1 - z));
        out[2 * n + j] = into_candidate;
    }
}

// The gradients of what inputs and state contribute to the gates. What later steps give the output
// lies in out_h, where the part that goes on to the state before through the update gate is left.
template <class T>
void gru_to_both_row(const RecurrentJob& job, long row) {
    const long n = job.size;
    const T *gates = row_of<T>(job.gates, row, 4 * n), *before = row_of<T>(job.before, row, n);
    const T* grad_h = row_of<T>(job.grad_h, row, n);
    T *out = row_of<T>(job.grad_input, row, 3 * n), *by_h = row_of<T>(job.out_h, row, n);
    T* by_recurrent = row_of<T>(job.grad_recurrent, row, 3 * n);
#pragma GCC ivdep
    for (long j = 0; j < n; ++j) {
        const T r = gates[j], z = gates[n + j], candidate = gates[2 * n + j];
        const T g = by_h[j] + grad_h[j];
        const T into_candidate = g * (1 - z) * (1 - candidate * candidate);
        const T into_reset = into_candidate * gates[3 * n + j] * (r * (1 - r));
        const T into_update = g * (before[j] - candidate) * (z * (1 - z));
        out[j] = by_recurrent[j] = into_reset;
        out[n + j] = by_recurrent[n + j] = into_update;
        out[2 * n + j] = into_candidate;
        by_recurrent[2 * n + j] = into_candidate * r;
        by_h[j] = g * z;
    }
}

}  // namespace
}  // namespace pellucid
