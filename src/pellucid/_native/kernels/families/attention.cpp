#include "kernels/begin_level.hpp"

#include "kernels/attention.hpp"

namespace pellucid::PELLUCID_LEVEL {

void add_attention(KernelTable& table) {
    BOTH(attend_block, attend_block);
    BOTH(attend_entry_to_inputs, attend_entry_to_inputs);
}

}  // namespace pellucid::PELLUCID_LEVEL

#include "kernels/end_level.hpp"
