#include "kernels/begin_level.hpp"
#include "kernels/pointwise_lists.hpp"

#include "kernels/elementwise_loops.hpp"

namespace pellucid::PELLUCID_LEVEL {

void add_pointwise_with_numbers(KernelTable& table) {
    PELLUCID_BOTH_WITH_NUMBERS(BOTH_WITH_NUMBERS)
}

}  // namespace pellucid::PELLUCID_LEVEL

#include "kernels/end_level.hpp"
