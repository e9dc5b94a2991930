#include "kernels/begin_level.hpp"

#include "kernels/twister.hpp"

namespace pellucid::PELLUCID_LEVEL {

void add_twister(KernelTable& table) {
    table.twist = twist;
    table.temper = temper;
}

}  // namespace pellucid::PELLUCID_LEVEL

#include "kernels/end_level.hpp"
