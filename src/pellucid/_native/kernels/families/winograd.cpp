#include "kernels/begin_level.hpp"

#include "kernels/winograd.hpp"

namespace pellucid::PELLUCID_LEVEL {

void add_winograd(KernelTable& table) {
    table.winograd_block = winograd_block;
    table.winograd_filters = winograd_filters;
    table.winograd_share = winograd_share;
    table.winograd_to_filter = winograd_to_filter;
}

}  // namespace pellucid::PELLUCID_LEVEL

#include "kernels/end_level.hpp"
