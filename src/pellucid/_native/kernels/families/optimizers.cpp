#include "kernels/begin_level.hpp"

#include "kernels/optimizers.hpp"

namespace pellucid::PELLUCID_LEVEL {

void add_optimizers(KernelTable& table) {
    BOTH(adam_piece, adam_piece);
    BOTH(adadelta_piece, adadelta_piece);
    BOTH(rmsprop_piece, rmsprop_piece);
    BOTH(sgd_piece, sgd_piece);
}

}  // namespace pellucid::PELLUCID_LEVEL

#include "kernels/end_level.hpp"
