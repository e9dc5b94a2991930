// The kernels as Python functions. Each takes positional arguments, and returns NotImplemented for
// dtypes and layouts that it does not take. They are defined in the files *_functions.cpp, which do
// without this list, so that a new function compiles few files.
#pragma once

#include "objects/numpy_api.hpp"

namespace pellucid {

// clang-format off
#define PELLUCID_FUNCTIONS(DO) \
    DO(matmul)                 \
    DO(attention)              \
    DO(attention_to_inputs)    \
    DO(convolve)               \
    DO(convolution)            \
    DO(convolve_to_input)      \
    DO(transposed_convolution) \
    DO(convolve_to_weight)     \
    DO(batch_norm)             \
    DO(batch_norm_gradients)   \
    DO(normalisation_to_input) \
    DO(normalisation_to_weight)\
    DO(layer_norm)             \
    DO(channel_sums)           \
    DO(total)                  \
    DO(column_sums)            \
    DO(softmax)                \
    DO(safe_softmax)           \
    DO(log_softmax)            \
    DO(softmax_backward)       \
    DO(log_softmax_backward)   \
    DO(logcumsumexp)           \
    DO(cross_entropy_rows)     \
    DO(cross_entropy_loss_backward)     \
    DO(class_cross_entropy)    \
    DO(class_losses)           \
    DO(class_gradients)        \
    DO(max_pool)               \
    DO(max_pool_to_input)      \
    DO(avg_pool)               \
    DO(avg_pool_to_input)      \
    DO(adaptive_avg_pool)      \
    DO(adaptive_avg_pool_to_input) \
    DO(lstm)                   \
    DO(lstm_to_input)          \
    DO(lstm_cell)              \
    DO(lstm_cell_to_input)     \
    DO(lstm_cell_to_cell)      \
    DO(gru)                    \
    DO(gru_to_input)           \
    DO(gru_cell)               \
    DO(gru_cell_to_input)      \
    DO(all_within)             \
    DO(where)                  \
    DO(take)                   \
    DO(take_grid)              \
    DO(take_along)             \
    DO(scatter_add_along)      \
    DO(scatter_reduce)         \
    DO(index_add)              \
    DO(embedding_to_weight)    \
    DO(cumsum)                 \
    DO(cumprod)                \
    DO(product)                \
    DO(cummax)                 \
    DO(cummin)                 \
    DO(max_dim)              \
    DO(min_dim)              \
    DO(largest)                \
    DO(smallest)               \
    DO(argmax)       \
    DO(argmin)      \
    DO(any_true)               \
    DO(all_true)               \
    DO(squared_deviations)     \
    DO(var_correction)               \
    DO(std_correction)              \
    DO(roll)                   \
    DO(flipped)                \
    DO(repeated)               \
    DO(converted)              \
    DO(clipped)                \
    DO(raised_to)              \
    DO(lowered_to)             \
    DO(special_replaced)       \
    DO(close)                  \
    DO(floor_quotients)        \
    DO(one_hot)                \
    DO(median)                 \
    DO(kthvalue)               \
    DO(histogram_counts)       \
    DO(nonzero_count)          \
    DO(gathered)               \
    DO(scattered)              \
    DO(scattered_number)       \
    DO(scattered_sum)          \
    DO(slices_added)           \
    DO(rows_added)             \
    DO(nanmedian)              \
    DO(euclidean_norm)         \
    DO(mean_squared_error)     \
    DO(padded)                 \
    DO(padded_with_own)        \
    DO(grid_sample)            \
    DO(grid_sample_to_input)   \
    DO(pixel_shuffle)          \
    DO(pixel_unshuffle)        \
    DO(im2col)                 \
    DO(col2im)                 \
    DO(glu)                    \
    DO(binary_losses)          \
    DO(unique)               \
    DO(chosen_slices)          \
    DO(chosen_rows)            \
    DO(tril)                   \
    DO(triu)                   \
    DO(searchsorted)           \
    DO(sorted_places)          \
    DO(bincount)               \
    DO(argwhere)               \
    DO(scatter)                \
    DO(logsumexp)              \
    DO(total_of_squares)       \
    DO(squares_and_zeros)      \
    DO(squares_and_zeros_at)   \
    DO(squared_distance)       \
    DO(multiply_along)         \
    DO(sort)                   \
    DO(argsort)                \
    DO(topk)                   \
    DO(cast)                   \
    DO(grouped_normals)        \
    DO(draw_floats)            \
    DO(draw_doubles)           \
    DO(draw_remainders)        \
    DO(draw_dropout)           \
    DO(learn_twister)          \
    DO(twister_words)          \
    DO(set_twister_words)      \
    DO(draw_permutation)       \
    DO(draw_gammas)            \
    DO(draw_poissons)          \
    DO(draw_binomials)         \
    DO(largest_places)         \
    DO(first_not_below)        \
    DO(solve_triangular)       \
    DO(inverse)                \
    DO(solve)                  \
    DO(determinant)            \
    DO(cofactors)              \
    DO(cholesky)               \
    DO(adam_step)              \
    DO(adadelta_step)          \
    DO(rmsprop_step)           \
    DO(sgd_step)               \
    DO(set_num_threads)        \
    DO(get_num_threads)
// clang-format on

#define PELLUCID_DECLARE(name) \
    PyObject* name(PyObject* self, PyObject* const* arguments, Py_ssize_t count);
PELLUCID_FUNCTIONS(PELLUCID_DECLARE)
#undef PELLUCID_DECLARE

}  // namespace pellucid
