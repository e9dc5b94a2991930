#include "kernels/begin_level.hpp"

#include "kernels/filter_gradient.hpp"

namespace pellucid::PELLUCID_LEVEL {

void add_filter_gradient(KernelTable& table) {
    table.vector_bytes = VECTOR_BYTES;
    BOTH(correlate_share, correlate_share);
}

}  // namespace pellucid::PELLUCID_LEVEL

#include "kernels/end_level.hpp"
