#include "kernels/begin_level.hpp"

#include "kernels/pooling.hpp"

namespace pellucid::PELLUCID_LEVEL {

void add_pooling(KernelTable& table) {
    BOTH(max_pool_planes, max_pool_planes);
    BOTH(max_pool_to_input_planes, max_pool_to_input_planes);
    BOTH(avg_pool_planes, avg_pool_planes);
    BOTH(avg_pool_to_input_planes, avg_pool_to_input_planes);
}

}  // namespace pellucid::PELLUCID_LEVEL

#include "kernels/end_level.hpp"
