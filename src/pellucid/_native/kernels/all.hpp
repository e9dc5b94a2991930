// The source of the kernels: included once for each processor level, after the headers that it
// needs and inside that level's target. LEVEL_TABLE names the table to fill, VECTOR_BYTES and
// REGISTERS say how wide its vectors are and how many the processor has.
#include "convolution.hpp"
#include "elementwise_loops.hpp"
#include "filter_gradient.hpp"

namespace pellucid {

#define BOTH_UNARY(name) \
    {unary_loop<float, name##_of<float>>, unary_loop<double, name##_of<double>>},
#define SINGLE_UNARY(name) {unary_loop<float, name##_of>, nullptr},
#define BOTH_BINARY(name) \
    {binary_loop<float, name##_of<float>>, binary_loop<double, name##_of<double>>},

extern const KernelTable LEVEL_TABLE = {
    VECTOR_BYTES,
    REGISTERS == 32 ? 8 : 4,
    {convolve_tile<float>, convolve_tile<double>},
    {correlate_share<float>, correlate_share<double>},
    {PELLUCID_UNARY(BOTH_UNARY) PELLUCID_UNARY_SINGLE(SINGLE_UNARY)},
    {PELLUCID_BINARY(BOTH_BINARY)},
};

}  // namespace pellucid
