// The elementwise kernels, by name. In a header of its own, which few files include: a new kernel
// compiles these alone.
#pragma once

#include "kernels/elementwise.hpp"

namespace pellucid {

// Note [Lists of kernels]
// A kernel is named once, in one of the lists below. The lists make the enumeration by which C++
// code asks for a kernel, the tables of each processor level, and NumPy functions (ufuncs) of the
// same names. The kernel `exp` is computed by the function `exp_of`, in functions_of_numbers.hpp or
// one of the headers that include it; that function's parameters are the kernel's operands.

// clang-format off
// of NumPy's functions, whose loops for float32 and float64 they replace
#define PELLUCID_BOTH_OF_NUMPY(DO) DO(exp) DO(log) DO(tanh) DO(reciprocal)

// of NumPy's functions, whose loop for float32 they replace
#define PELLUCID_SINGLE_OF_NUMPY(DO) \
    DO(exp2) DO(expm1) DO(log2) DO(log10) DO(sinh) DO(cosh) DO(arctanh) DO(arcsinh) DO(arccosh) \
    DO(arctan) DO(arcsin) DO(arccos) DO(arctan2) DO(hypot)

// the same, with a function for unusual numbers beside
#define PELLUCID_GUARDED_OF_NUMPY(DO) DO(sin) DO(cos) DO(tan) DO(power)

// for float32 and float64
#define PELLUCID_BOTH(DO) \
    DO(relu) DO(log1p) DO(sigmoid) DO(log_sigmoid) DO(silu) DO(gelu_tanh) DO(hardswish) DO(rsqrt) DO(frac) \
    DO(sign) DO(gated) DO(binary_nll) DO(sigmoid_backward) DO(silu_backward) DO(gelu_tanh_backward) \
    DO(hardswish_backward)

// for float32 and float64, with a loop of their own where so many operands at the end are numbers
#define PELLUCID_BOTH_WITH_NUMBERS(DO) \
    DO(leaky_relu, 1) DO(huber, 2) DO(clip, 2) DO(replace_special, 3) DO(lerp, 1) DO(addcmul, 1) \
    DO(addcdiv, 1) DO(leaky_relu_backward, 1) DO(hardtanh_backward, 2) DO(softplus_backward, 2) \
    DO(elu_backward, 3) DO(huber_backward, 2)

// for float32
#define PELLUCID_SINGLE(DO) \
    DO(erf) DO(erfc) DO(gelu) DO(gelu_backward) DO(mish) DO(elu) DO(xlogy) \
    DO(sinc) DO(i0) DO(i0e) DO(i1) DO(i1e)

// for float32, with a function for unusual numbers beside
#define PELLUCID_GUARDED(DO) \
    DO(remainder) DO(fmod) DO(floor_divide) DO(erfinv) DO(gammaln) DO(digamma) DO(trigamma) \
    DO(j0) DO(j1) DO(logaddexp) DO(softplus) DO(ndtri)

#define PELLUCID_ENUMERATE(name, ...) k_##name,
enum class Pointwise : int {
    PELLUCID_BOTH_OF_NUMPY(PELLUCID_ENUMERATE) PELLUCID_SINGLE_OF_NUMPY(PELLUCID_ENUMERATE)
    PELLUCID_GUARDED_OF_NUMPY(PELLUCID_ENUMERATE) PELLUCID_BOTH(PELLUCID_ENUMERATE)
    PELLUCID_BOTH_WITH_NUMBERS(PELLUCID_ENUMERATE) PELLUCID_SINGLE(PELLUCID_ENUMERATE)
    PELLUCID_GUARDED(PELLUCID_ENUMERATE) count
};
#undef PELLUCID_ENUMERATE
// clang-format on

}  // namespace pellucid
