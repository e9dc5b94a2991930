// What the loops over rows of elements are given.
#pragma once

namespace pellucid {

// Normalisation of the channels of [images, channels, area] over all else.
struct ChannelNormJob {
    const void *x, *g;
    const void *weight, *bias;  // one per channel, or null
    void *mean, *rstd, *var;    // one per channel; given for the gradients
    void* out;
    void *by_weight, *by_bias;  // beside the gradient of the input, or null
    long images, channels, area;
    double eps;
};

// Channels of one element for each image that are normalised side by side.
constexpr long kChannelsBeside = 64;

// Normalisation of each row of [rows, columns].
struct RowNormJob {
    const void *x, *g;
    const void *weight, *bias;  // one per column, or null
    void *mean, *rstd;          // one per row; given for the gradients
    void* out;                  // for the gradient of the weight: [shares, columns], zeros
    long rows, columns, rows_at_once;
    double eps;
};

// One element for each row of [rows, columns].
struct RowReductionJob {
    const void* x;
    void* out;
    long rows, columns, rows_at_once;
};

// Softmax and its relatives along each row of [rows, columns], or along the columns of [outer,
// rows, columns], of which some are dealt with side by side.
struct SoftmaxJob {
    const void *x, *g;        // for the gradients, x is the result
    const long long* target;  // one class per row
    void* out;
    long rows, columns, rows_at_once;
};

constexpr long kColumnsBeside = 64;

}  // namespace pellucid
