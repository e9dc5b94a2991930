#include "kernels/begin_level.hpp"

#include "kernels/small_images.hpp"

namespace pellucid::PELLUCID_LEVEL {

void add_small_images(KernelTable& table) {
    table.convolve_small_images = convolve_small_images;
    table.correlate_small_images = correlate_small_images;
}

}  // namespace pellucid::PELLUCID_LEVEL

#include "kernels/end_level.hpp"
