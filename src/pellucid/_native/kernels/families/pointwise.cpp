#include "kernels/begin_level.hpp"
#include "kernels/pointwise_lists.hpp"

#include "kernels/elementwise_loops.hpp"

namespace pellucid::PELLUCID_LEVEL {

void add_pointwise(KernelTable& table) {
    BOTH(relu_backward, relu_backward_loop);
    PELLUCID_BOTH(BOTH_POINTWISE)
    PELLUCID_SINGLE(SINGLE_POINTWISE)
}

}  // namespace pellucid::PELLUCID_LEVEL

#include "kernels/end_level.hpp"
