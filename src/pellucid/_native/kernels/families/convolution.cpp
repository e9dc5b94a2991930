#include "kernels/begin_level.hpp"

#include "kernels/convolution.hpp"

namespace pellucid::PELLUCID_LEVEL {

void add_convolution(KernelTable& table) {
    table.filters_at_once = REGISTERS == 32 ? 8 : 4;
    BOTH(convolve_tile, convolve_tile);
}

}  // namespace pellucid::PELLUCID_LEVEL

#include "kernels/end_level.hpp"
