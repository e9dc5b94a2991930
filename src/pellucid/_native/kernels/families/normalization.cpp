#include "kernels/begin_level.hpp"

#include "kernels/normalization.hpp"

namespace pellucid::PELLUCID_LEVEL {

void add_normalization(KernelTable& table) {
    BOTH(normalize_channel, normalize_channel);
    BOTH(channel_to_input, channel_to_input);
    BOTH(channel_to_weight, channel_to_weight);
    BOTH(normalize_columns, normalize_columns);
    BOTH(columns_to_input, columns_to_input);
    BOTH(columns_to_weight, columns_to_weight);
    BOTH(sum_channel, sum_channel);
    BOTH_BY_ROWS(normalize_row, normalize_row);
    BOTH_BY_ROWS(row_to_input, row_to_input);
    BOTH(rows_to_weight, rows_to_weight);
}

}  // namespace pellucid::PELLUCID_LEVEL

#include "kernels/end_level.hpp"
