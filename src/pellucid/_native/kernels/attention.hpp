// Attention, one block of queries at a time; see Note [Attention in blocks] in ops/nn/attention.py.
#pragma once

#include "kernels/attention_job.hpp"
#include "kernels/scratch.hpp"
#include "kernels/softmax.hpp"

namespace pellucid {
namespace {

// A block of queries of one entry, and how many keys any of them sees.
struct QueryBlock {
    long entry, start, rows, seen;
};

inline QueryBlock query_block(const AttentionJob& job, long entry, long number) {
    const long start = number * job.rows_at_once;
    const long rows = smaller(job.rows_at_once, job.queries - start);
    return {entry, start, rows, job.causal ? smaller(job.keys, start + rows) : job.keys};
}

// A row of a matrix that is written.
template <class T>
T* row_in(const Matrix& matrix, long row) {
    return static_cast<T*>(const_cast<void*>(matrix.data)) + row * matrix.step;
}

template <class T>
MatrixProduct product_for(long rows, long inner, long columns, void* out, long out_step) {
    MatrixProduct product;
    product.precision = sizeof(T) == sizeof(float) ? kSingle : kDouble;
    product.rows = rows;
    product.inner = inner;
    product.columns = columns;
    product.out = out;
    product.out_step = out_step;
    return product;
}

template <class T>
Matrix from_row(const Matrix& matrix, long row) {
    const T* data = static_cast<const T*>(matrix.data) + row * (matrix.turned ? 1 : matrix.step);
    return {data, matrix.step, matrix.turned};
}

inline Matrix turned(const Matrix& matrix) { return {matrix.data, matrix.step, !matrix.turned}; }

// Write the weights of a block's keys, 0 for those that a query does not see.
template <class T>
void weigh(const AttentionJob& job, const QueryBlock& block, T* weights) {
    MatrixProduct product = product_for<T>(block.rows, job.width, block.seen, weights, block.seen);
    product.first = from_row<T>(job.query[block.entry], block.start);
    product.second = turned(job.key[block.entry]);
    multiply_here(product);
    const T scale = T(job.scale);
    for (long row = 0; row < block.rows; ++row, weights += block.seen) {
        const long count = job.causal ? smaller(block.seen, block.start + row + 1) : block.seen;
#pragma GCC ivdep
        for (long i = 0; i < count; ++i) weights[i] *= scale;
        const T sum = exponentials(weights, count, largest_of(weights, count), weights);
#pragma GCC ivdep
        for (long i = 0; i < count; ++i) weights[i] /= sum;
        for (long i = count; i < block.seen; ++i) weights[i] = 0;
    }
}

template <class T>
void attend_block(const AttentionJob& job, long part) {
    const QueryBlock block = query_block(job, part / job.blocks, part % job.blocks);
    T* weights = static_cast<T*>(scratch(0, block.rows * block.seen * sizeof(T)));
    weigh(job, block, weights);
    const Matrix& out = job.out[block.entry];
    MatrixProduct product = product_for<T>(block.rows, block.seen, job.value_width,
                                           row_in<T>(out, block.start), out.step);
    product.first = {weights, block.seen, false};
    product.second = job.value[block.entry];
    multiply_here(product);
}

// Turn the gradients of weights into those of the products of queries and keys.
template <class T>
void through_softmax(const QueryBlock& block, double scale, const T* weights, T* g) {
    for (long row = 0; row < block.rows; ++row, weights += block.seen, g += block.seen) {
        const T dot = total_of<T>(block.seen, Products<T>{g, weights});
#pragma GCC ivdep
        for (long i = 0; i < block.seen; ++i) g[i] = (g[i] - dot) * weights[i] * T(scale);
    }
}

// Add what a block contributes to the gradients of one entry.
template <class T>
void attend_block_to_inputs(const AttentionJob& job, const QueryBlock& block) {
    const long count = block.rows * block.seen, entry = block.entry;
    T* weights = static_cast<T*>(scratch(0, count * sizeof(T)));
    T* by_scores = static_cast<T*>(scratch(1, count * sizeof(T)));
    weigh(job, block, weights);
    const Matrix grad = from_row<T>(job.grad[entry], block.start);
    MatrixProduct product =
        product_for<T>(block.rows, job.value_width, block.seen, by_scores, block.seen);
    product.first = grad;
    product.second = turned(job.value[entry]);
    multiply_here(product);
    through_softmax(block, job.scale, weights, by_scores);

    const Matrix& by_query = job.grad_query[entry];
    product = product_for<T>(block.rows, block.seen, job.width, row_in<T>(by_query, block.start),
                             by_query.step);
    product.first = {by_scores, block.seen, false};
    product.second = job.key[entry];
    multiply_here(product);

    const Matrix& by_key = job.grad_key[entry];
    product = product_for<T>(block.seen, block.rows, job.width, row_in<T>(by_key, 0), by_key.step);
    product.first = {by_scores, block.seen, true};
    product.second = from_row<T>(job.query[entry], block.start);
    product.adds = true;
    multiply_here(product);

    const Matrix& by_value = job.grad_value[entry];
    product = product_for<T>(block.seen, block.rows, job.value_width, row_in<T>(by_value, 0),
                             by_value.step);
    product.first = {weights, block.seen, true};
    product.second = grad;
    product.adds = true;
    multiply_here(product);
}

template <class T>
void attend_entry_to_inputs(const AttentionJob& job, long entry) {
    for (long row = 0; row < job.keys; ++row) {
        std::memset(row_in<T>(job.grad_key[entry], row), 0, job.width * sizeof(T));
        std::memset(row_in<T>(job.grad_value[entry], row), 0, job.value_width * sizeof(T));
    }
    for (long number = 0; number < job.blocks; ++number)
        attend_block_to_inputs<T>(job, query_block(job, entry, number));
}

}  // namespace
}  // namespace pellucid
