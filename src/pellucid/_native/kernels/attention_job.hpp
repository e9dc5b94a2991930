// What the loops of attention are given.
#pragma once

#include "kernels/blas.hpp"

namespace pellucid {

struct AttentionJob {
    // of every entry of the batch
    const Matrix *query, *key, *value, *grad;
    long entries, queries, keys, width, value_width;
    double scale;
    bool causal;
    // queries whose weights are in memory at a time, and of each entry how many such blocks
    long rows_at_once, blocks;
    const Matrix *out, *grad_query, *grad_key, *grad_value;  // written, and not turned
};

}  // namespace pellucid
