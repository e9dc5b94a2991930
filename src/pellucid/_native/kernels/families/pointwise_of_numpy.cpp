#include "kernels/begin_level.hpp"
#include "kernels/pointwise_lists.hpp"

#include "kernels/elementwise_loops.hpp"

namespace pellucid::PELLUCID_LEVEL {

void add_pointwise_of_numpy(KernelTable& table) {
    PELLUCID_BOTH_OF_NUMPY(BOTH_POINTWISE)
    PELLUCID_SINGLE_OF_NUMPY(SINGLE_POINTWISE)
}

}  // namespace pellucid::PELLUCID_LEVEL

#include "kernels/end_level.hpp"
