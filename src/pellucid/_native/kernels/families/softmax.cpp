#include "kernels/begin_level.hpp"

#include "kernels/softmax.hpp"

namespace pellucid::PELLUCID_LEVEL {

void add_softmax(KernelTable& table) {
    BOTH_BY_ROWS(softmax_rows, softmax_row);
    BOTH_BY_ROWS(log_softmax_rows, log_softmax_row);
    BOTH_BY_ROWS(softmax_backward_rows, softmax_backward_row);
    BOTH_BY_ROWS(log_softmax_backward_rows, log_softmax_backward_row);
    BOTH_BY_ROWS(logsumexp_rows, logsumexp_row);
    BOTH(softmax_columns, softmax_columns);
    BOTH(log_softmax_columns, log_softmax_columns);
    BOTH_BY_ROWS(cross_entropy_rows, cross_entropy_row);
    BOTH_BY_ROWS(cross_entropy_loss_backward_rows, cross_entropy_loss_backward_row);
    table.logcumsumexp_rows = SomeRows<logcumsumexp_row>::run;
    table.logcumsumexp_columns = logcumsumexp_columns;
}

}  // namespace pellucid::PELLUCID_LEVEL

#include "kernels/end_level.hpp"
