#include "kernels/begin_level.hpp"
#include "kernels/pointwise_lists.hpp"

#include "kernels/elementwise_loops.hpp"

namespace pellucid::PELLUCID_LEVEL {

void add_pointwise_guarded(KernelTable& table) {
    PELLUCID_GUARDED_OF_NUMPY(GUARDED)
    PELLUCID_GUARDED(GUARDED)
}

}  // namespace pellucid::PELLUCID_LEVEL

#include "kernels/end_level.hpp"
