// The source of the kernels: included once for each processor level, after the headers that it
// needs and inside that level's target. LEVEL_TABLE names the table to fill, VECTOR_BYTES and
// REGISTERS say how wide its vectors are and how many the processor has.
#include "kernels/attention.hpp"
#include "kernels/choosing.hpp"
#include "kernels/column_sums.hpp"
#include "kernels/convolution.hpp"
#include "kernels/elementwise_loops.hpp"
#include "kernels/filter_gradient.hpp"
#include "kernels/half.hpp"
#include "kernels/normalization.hpp"
#include "kernels/normals.hpp"
#include "kernels/optimizers.hpp"
#include "kernels/pooling.hpp"
#include "kernels/recurrent.hpp"
#include "kernels/row_reductions.hpp"
#include "kernels/softmax.hpp"

namespace pellucid {

#define BOTH(name) {name<float>, name<double>}
#define BOTH_ROWS(name) {SomeRows<name<float>>::run, SomeRows<name<double>>::run}
#define LOOP(function) {PointwiseOf<function>::loop, PointwiseOf<function>::inputs}
#define BOTH_PRECISIONS(name) {LOOP(name##_of<float>), LOOP(name##_of<double>)},
#define SINGLE_PRECISION(name) {LOOP(name##_of), {nullptr, 0}},
#define WITH_NUMBERS(function, numbers)                          \
    {PointwiseOf<function>::loop, PointwiseOf<function>::inputs, \
     PointwiseOf<function, numbers>::loop, numbers}
#define BOTH_WITH_NUMBERS(name, numbers) \
    {WITH_NUMBERS(name##_of<float>, numbers), WITH_NUMBERS(name##_of<double>, numbers)},
#define GUARDED(name)                                              \
    {{GuardedOf<name##_of, name##_is_usual, name##_exactly>::loop, \
      PointwiseOf<name##_of>::inputs},                             \
     {nullptr, 0}},

extern const KernelTable LEVEL_TABLE = {
    VECTOR_BYTES,
    REGISTERS == 32 ? 8 : 4,
    BOTH(convolve_tile),
    BOTH(correlate_share),
    {PELLUCID_BOTH_OF_NUMPY(BOTH_PRECISIONS) PELLUCID_SINGLE_OF_NUMPY(SINGLE_PRECISION)
         PELLUCID_GUARDED_OF_NUMPY(GUARDED) PELLUCID_BOTH(BOTH_PRECISIONS)
             PELLUCID_BOTH_WITH_NUMBERS(BOTH_WITH_NUMBERS) PELLUCID_SINGLE(SINGLE_PRECISION)
                 PELLUCID_GUARDED(GUARDED)},
    {choose<std::uint8_t>, choose<std::uint16_t>, choose<std::uint32_t>, choose<std::uint64_t>},
    BOTH(relu_backward_loop),
    BOTH(normalize_channel),
    BOTH(channel_to_input),
    BOTH(channel_to_weight),
    BOTH(normalize_columns),
    BOTH(columns_to_input),
    BOTH(columns_to_weight),
    BOTH(sum_channel),
    BOTH_ROWS(normalize_row),
    BOTH_ROWS(row_to_input),
    BOTH(rows_to_weight),
    BOTH_ROWS(softmax_row),
    BOTH_ROWS(log_softmax_row),
    BOTH_ROWS(logsumexp_row),
    BOTH(softmax_columns),
    BOTH(log_softmax_columns),
    BOTH_ROWS(cross_entropy_row),
    BOTH_ROWS(cross_entropy_loss_backward_row),
    SomeRows<logcumsumexp_row>::run,
    logcumsumexp_columns,
    {{sum_row_share<float, Elements>, sum_row_share<double, Elements>},
     {sum_row_share<float, Squares>, sum_row_share<double, Squares>}},
    {{sum_column_share<float, Elements>, sum_column_share<double, Elements>},
     {sum_column_share<float, Squares>, sum_column_share<double, Squares>}},
    BOTH(dot_product),
    BOTH_ROWS(largest_of_row),
    BOTH_ROWS(smallest_of_row),
    SomeRows<product_of_row>::run,
    BOTH(attend_block),
    BOTH(attend_entry_to_inputs),
    BOTH(max_pool_planes),
    BOTH(max_pool_to_input_planes),
    BOTH(avg_pool_planes),
    BOTH(avg_pool_to_input_planes),
    BOTH_ROWS(lstm_row),
    BOTH_ROWS(lstm_to_input_row),
    BOTH_ROWS(lstm_to_cell_row),
    BOTH_ROWS(lstm_to_both_row),
    BOTH_ROWS(gru_row),
    BOTH_ROWS(gru_to_input_row),
    normal_groups,
    widen_piece,
    narrow_piece,
    widen_brain_piece,
    narrow_brain_piece,
    truncate_piece,
    BOTH(adam_piece),
    BOTH(adadelta_piece),
    BOTH(rmsprop_piece),
    BOTH(sgd_piece),
};

}  // namespace pellucid
