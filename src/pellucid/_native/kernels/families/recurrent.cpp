#include "kernels/begin_level.hpp"

#include "kernels/recurrent.hpp"

namespace pellucid::PELLUCID_LEVEL {

void add_recurrent(KernelTable& table) {
    BOTH_BY_ROWS(lstm_rows, lstm_row);
    BOTH_BY_ROWS(lstm_to_input_rows, lstm_to_input_row);
    BOTH_BY_ROWS(lstm_to_cell_rows, lstm_to_cell_row);
    BOTH_BY_ROWS(lstm_to_both_rows, lstm_to_both_row);
    BOTH_BY_ROWS(gru_rows, gru_row);
    BOTH_BY_ROWS(gru_to_input_rows, gru_to_input_row);
    BOTH_BY_ROWS(gru_layer_rows, gru_layer_row);
    BOTH_BY_ROWS(gru_to_both_rows, gru_to_both_row);
}

}  // namespace pellucid::PELLUCID_LEVEL

#include "kernels/end_level.hpp"
