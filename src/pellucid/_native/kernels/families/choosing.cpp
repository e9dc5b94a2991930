#include "kernels/begin_level.hpp"

#include "kernels/choosing.hpp"

namespace pellucid::PELLUCID_LEVEL {

void add_choosing(KernelTable& table) {
    table.choose[0] = choose<std::uint8_t>;
    table.choose[1] = choose<std::uint16_t>;
    table.choose[2] = choose<std::uint32_t>;
    table.choose[3] = choose<std::uint64_t>;
}

}  // namespace pellucid::PELLUCID_LEVEL

#include "kernels/end_level.hpp"
