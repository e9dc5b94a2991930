#include "kernels/intrinsics.hpp"

#include "kernels/begin_level.hpp"

#include "kernels/row_reductions.hpp"

namespace pellucid::PELLUCID_LEVEL {

void add_row_reductions(KernelTable& table) {
    BOTH_BY_ROWS(largest_rows, largest_of_row);
    BOTH_BY_ROWS(smallest_rows, smallest_of_row);
    table.product_rows = SomeRows<product_of_row>::run;
}

}  // namespace pellucid::PELLUCID_LEVEL

#include "kernels/end_level.hpp"
