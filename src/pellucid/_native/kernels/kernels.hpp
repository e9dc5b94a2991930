// The array kernels: a table of functions for each processor level, compiled from one source.
#pragma once

#include "kernels/attention_job.hpp"
#include "kernels/choosing_job.hpp"
#include "kernels/convolution_job.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/half_job.hpp"
#include "kernels/normals_job.hpp"
#include "kernels/optimizer_job.hpp"
#include "kernels/panel_job.hpp"
#include "kernels/pooling_job.hpp"
#include "kernels/precision.hpp"
#include "kernels/recurrent_job.hpp"
#include "kernels/row_jobs.hpp"
#include "kernels/small_images_job.hpp"
#include "kernels/sum_job.hpp"
#include "kernels/winograd_job.hpp"
#include "objects/numpy_api.hpp"

namespace pellucid {

// Does one part of a job; the parts may run side by side.
template <class Job>
using Part = void (*)(const Job& job, long part);

// What the families of kernels fill, each its own entries, for one level; see Note [Levels] in
// begin_level.hpp. No entry may stay empty.
struct KernelTable {
    long vector_bytes, filters_at_once, panel_columns;
    Part<PanelJob> lay_out_panel, multiply_part;
    Part<ConvolutionJob> convolve_tile[2];
    Part<FilterGradientJob> correlate_share[2];
    Part<SmallImagesJob> convolve_small_images;
    Part<SmallImagesGradientJob> correlate_small_images;
    Part<WinogradJob> winograd_block;
    Part<WinogradFiltersJob> winograd_filters;
    Part<WinogradGradientJob> winograd_share, winograd_to_filter;
    PointwiseKernel (*pointwise)[2];  // by `Pointwise`
    Choose choose[4];                 // for items of 1, 2, 4 and 8 bytes
    void (*relu_backward[2])(const void* g, const void* out, void* to, long count);
    Part<ChannelNormJob> normalize_channel[2], channel_to_input[2], channel_to_weight[2];
    Part<ChannelNormJob> normalize_columns[2], columns_to_input[2], columns_to_weight[2];
    Part<ChannelNormJob> sum_channel[2];
    Part<RowNormJob> normalize_row[2], row_to_input[2], rows_to_weight[2];
    Part<SoftmaxJob> softmax_rows[2], log_softmax_rows[2], logsumexp_rows[2];
    Part<SoftmaxJob> softmax_backward_rows[2], log_softmax_backward_rows[2];
    Part<SoftmaxJob> softmax_columns[2], log_softmax_columns[2];
    Part<SoftmaxJob> cross_entropy_rows[2], cross_entropy_loss_backward_rows[2];
    Part<SoftmaxJob> logcumsumexp_rows, logcumsumexp_columns;
    Part<SumJob> sum_row_share[2][2], sum_column_share[2][2];  // by `SumOf` and precision
    void (*dot_product[2])(const void* x, const void* y, long count, void* out);
    void (*squares_and_zeros[2])(const void* x, long count, double* squares, double* zeros);
    double (*squared_distance[2])(const void* x, const void* y, long count);
    Part<RowReductionJob> largest_rows[2], smallest_rows[2], product_rows;
    Part<AttentionJob> attend_block[2], attend_entry_to_inputs[2];
    Part<PoolingJob> max_pool_planes[2], max_pool_to_input_planes[2];
    Part<PoolingJob> avg_pool_planes[2], avg_pool_to_input_planes[2];
    Part<RecurrentJob> lstm_rows[2], lstm_to_input_rows[2], lstm_to_cell_rows[2];
    Part<RecurrentJob> lstm_to_both_rows[2];
    Part<RecurrentJob> gru_rows[2], gru_to_input_rows[2];
    Part<RecurrentJob> gru_layer_rows[2], gru_to_both_rows[2];
    Part<NormalsJob> normal_groups;
    void (*twist)(std::uint32_t* key);
    void (*temper)(const std::uint32_t* key, long count, std::uint32_t* out);
    Part<HalfJob> widen_piece, narrow_piece, widen_brain_piece, narrow_brain_piece, truncate_piece;
    Part<AdamJob> adam_piece[2];
    Part<AdadeltaJob> adadelta_piece[2];
    Part<RmspropJob> rmsprop_piece[2];
    Part<SgdJob> sgd_piece[2];
};

// The table for the level in use.
extern const KernelTable* kernels_in_use;
inline const KernelTable& kernels() { return *kernels_in_use; }

// Adds the submodule `kernels` with the functions that Python calls.
bool add_kernels(PyObject* module);

}  // namespace pellucid
