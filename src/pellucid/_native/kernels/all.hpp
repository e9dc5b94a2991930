// The source of the kernels: included once for each processor level, after the headers that it
// needs and inside that level's target. LEVEL_TABLE names the table to fill, VECTOR_BYTES and
// REGISTERS say how wide its vectors are and how many the processor has.
#include "convolution.hpp"
#include "filter_gradient.hpp"

namespace pellucid {

extern const KernelTable LEVEL_TABLE = {
    VECTOR_BYTES,
    REGISTERS == 32 ? 8 : 4,
    {convolve_tile<float>, convolve_tile<double>},
    {correlate_share<float>, correlate_share<double>},
};

}  // namespace pellucid
