// Attention, one block of queries at a time; see Note [Attention in blocks] in ops/nn/attention.py.
#pragma once

#include "attention_job.hpp"
#include "scratch.hpp"
#include "softmax.hpp"

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

template <class T>
MatrixProduct product_for(long rows, long inner, long columns, void* out) {
    MatrixProduct product;
    product.precision = sizeof(T) == sizeof(float) ? kSingle : kDouble;
    product.rows = rows;
    product.inner = inner;
    product.columns = columns;
    product.out = out;
    product.out_step = columns;
    return product;
}

template <class T>
Matrix from_row(const Matrix& matrix, long row) {
    const T* data = static_cast<const T*>(matrix.data) + row * (matrix.turned ? 1 : matrix.step);
    return {data, matrix.step, matrix.turned};
}

inline Matrix turned(const Matrix& matrix) {
    return {matrix.data, matrix.step, !matrix.turned};
}

// Write the weights of a block's keys, 0 for those that a query does not see.
template <class T>
void weigh(const AttentionJob& job, const QueryBlock& block, T* weights) {
    MatrixProduct product = product_for<T>(block.rows, job.width, block.seen, weights);
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
    T* out = static_cast<T*>(job.out) +
             (block.entry * job.queries + block.start) * job.value_width;
    MatrixProduct product = product_for<T>(block.rows, block.seen, job.value_width, out);
    product.first = {weights, block.seen, false};
    product.second = job.value[block.entry];
    multiply_here(product);
}

// Turn the gradients of weights into those of the products of queries and keys.
template <class T>
void through_softmax(const QueryBlock& block, double scale, const T* weights, T* g) {
    for (long row = 0; row < block.rows; ++row, weights += block.seen, g += block.seen) {
        Total<T> total;
        add_terms<T>(block.seen, Products<T>{g, weights}, &total);
        const T dot = T(total.value());
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
    MatrixProduct product = product_for<T>(block.rows, job.value_width, block.seen, by_scores);
    product.first = grad;
    product.second = turned(job.value[entry]);
    multiply_here(product);
    through_softmax(block, job.scale, weights, by_scores);

    T* by_query = static_cast<T*>(job.grad_query) +
                  (entry * job.queries + block.start) * job.width;
    product = product_for<T>(block.rows, block.seen, job.width, by_query);
    product.first = {by_scores, block.seen, false};
    product.second = job.key[entry];
    multiply_here(product);

    T* by_key = static_cast<T*>(job.grad_key) + entry * job.keys * job.width;
    product = product_for<T>(block.seen, block.rows, job.width, by_key);
    product.first = {by_scores, block.seen, true};
    product.second = from_row<T>(job.query[entry], block.start);
    product.adds = true;
    multiply_here(product);

    T* by_value = static_cast<T*>(job.grad_value) + entry * job.keys * job.value_width;
    product = product_for<T>(block.seen, block.rows, job.value_width, by_value);
    product.first = {weights, block.seen, true};
    product.second = grad;
    product.adds = true;
    multiply_here(product);
}

template <class T>
void attend_entry_to_inputs(const AttentionJob& job, long entry) {
    const long width = job.keys * job.width, value_width = job.keys * job.value_width;
    std::memset(static_cast<T*>(job.grad_key) + entry * width, 0, width * sizeof(T));
    std::memset(static_cast<T*>(job.grad_value) + entry * value_width, 0, value_width * sizeof(T));
    for (long number = 0; number < job.blocks; ++number)
        attend_block_to_inputs<T>(job, query_block(job, entry, number));
}

}  // namespace
}  // namespace pellucid
