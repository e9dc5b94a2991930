#include "kernels/begin_level.hpp"

#include "kernels/column_sums.hpp"

namespace pellucid::PELLUCID_LEVEL {

void add_sums(KernelTable& table) {
    table.sum_row_share[kElements][kSingle] = sum_row_share<float, Elements>;
    table.sum_row_share[kElements][kDouble] = sum_row_share<double, Elements>;
    table.sum_row_share[kSquares][kSingle] = sum_row_share<float, Squares>;
    table.sum_row_share[kSquares][kDouble] = sum_row_share<double, Squares>;
    table.sum_column_share[kElements][kSingle] = sum_column_share<float, Elements>;
    table.sum_column_share[kElements][kDouble] = sum_column_share<double, Elements>;
    table.sum_column_share[kSquares][kSingle] = sum_column_share<float, Squares>;
    table.sum_column_share[kSquares][kDouble] = sum_column_share<double, Squares>;
    BOTH(dot_product, dot_product);
    BOTH(squares_and_zeros, squares_and_zeros);
    BOTH(squared_distance, squared_distance);
}

}  // namespace pellucid::PELLUCID_LEVEL

#include "kernels/end_level.hpp"
