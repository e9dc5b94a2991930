// Elementwise kernels: their names, and how C++ code runs them.
#pragma once

#include "precision.hpp"

namespace pellucid {

// Note [Lists of kernels]
// A kernel is named once, in one of the lists below. The lists make the enumerations by which C++
// code asks for a kernel, the tables of each processor level, and the Python functions. A kernel of
// the name `exp` is computed by the function `exp_of` in functions_of_numbers.hpp.

// y = f(x), for float32 and float64
#define PELLUCID_UNARY(DO) \
    DO(negative) DO(absolute) DO(sqrt) DO(rsqrt) DO(reciprocal) DO(square) DO(relu) DO(exp) \
    DO(log) DO(log1p) DO(tanh) DO(sigmoid) DO(log_sigmoid) DO(silu) DO(silu_slope) \
    DO(gelu_tanh) DO(gelu_tanh_slope)

// y = f(x), for float32 only
#define PELLUCID_UNARY_SINGLE(DO) DO(erf) DO(gelu) DO(gelu_slope)

// y = f(a, b)
#define PELLUCID_BINARY(DO) \
    DO(add) DO(subtract) DO(multiply) DO(divide) DO(maximum) DO(minimum) \
    DO(tanh_gradient) DO(sigmoid_gradient) DO(relu_gradient)

#define PELLUCID_ENUMERATE(name) k_##name,
enum class Unary {
    PELLUCID_UNARY(PELLUCID_ENUMERATE) PELLUCID_UNARY_SINGLE(PELLUCID_ENUMERATE) count
};
enum class Binary { PELLUCID_BINARY(PELLUCID_ENUMERATE) count };
#undef PELLUCID_ENUMERATE

// count elements that lie next to each other; y may be x
using UnaryLoop = void (*)(const void* x, void* y, long count);

// the steps are 1, or 0 for one element that meets all; y may be a or b
using BinaryLoop = void (*)(const void* a, const void* b, void* y, long count, long a_step,
                            long b_step);

// Rows of elements that lie next to each other, of both operands and of the result, which is
// contiguous. A step of 0 repeats a row or an element.
struct Rows2 {
    long rows, columns;
    long a_row, a_column, b_row, b_column;
};

// Compute the elements on as many threads as pay.
void run_unary(Unary kernel, Precision precision, const void* x, void* y, long count);
void run_binary(Binary kernel, Precision precision, const void* a, const void* b, void* y,
                const Rows2& rows);

}  // namespace pellucid
