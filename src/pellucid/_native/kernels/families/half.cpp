#include "kernels/intrinsics.hpp"

#include "kernels/begin_level.hpp"

#include "kernels/half.hpp"

namespace pellucid::PELLUCID_LEVEL {

void add_half(KernelTable& table) {
    table.widen_piece = widen_piece;
    table.narrow_piece = narrow_piece;
    table.widen_brain_piece = widen_brain_piece;
    table.narrow_brain_piece = narrow_brain_piece;
    table.truncate_piece = truncate_piece;
}

}  // namespace pellucid::PELLUCID_LEVEL

#include "kernels/end_level.hpp"
