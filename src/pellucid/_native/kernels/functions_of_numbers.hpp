// Functions of numbers without branches, so that the compiler makes vectors of them.
//
// Formulas: Taylor series after reduction of the argument (Muller, "Elementary Functions", 3rd ed.,
// chapters 4 and 11); the logarithm as in W. J. Cody and W. Waite, "Software Manual for the
// Elementary Functions" (1980), chapter 5, in the arrangement of fdlibm's e_log.c.
#pragma once

#include "kernels/level_headers.hpp"

namespace pellucid {
namespace {

// How the bits of a floating-point number are laid out, and constants cut to its precision.
template <class T>
struct Format;

template <>
struct Format<float> {
    using Bits = std::uint32_t;
    static constexpr int mantissa = 23;
    static constexpr Bits bias = 127, sign = 0x80000000;
    static constexpr float rounder = 12582912.0f;  // 1.5 * 2**23: adding it rounds to an integer
    static constexpr Bits rounder_bits = 0x4B400000;
    static constexpr Bits root_half_bits = 0x3F3504F3;
    static constexpr float least_normal = 1.17549435e-38f, raising = 33554432.0f;  // 2**25
    static constexpr int raised = 25;
    // the leading part of log(2) has few bits, so that its products with exponents are exact
    static constexpr float log2_high = 0.693359375f, log2_low = -2.12194440e-4f;
    static constexpr float exp_least = -104.0f, exp_most = 89.0f, single_step = 87.0f;
    static constexpr Bits lift = 64;
    static constexpr float tanh_most = 10.0f;
    static constexpr int exp_terms = 7, log_terms = 5;
};

template <>
struct Format<double> {
    using Bits = std::uint64_t;
    static constexpr int mantissa = 52;
    static constexpr Bits bias = 1023, sign = 0x8000000000000000;
    static constexpr double rounder = 6755399441055744.0;  // 1.5 * 2**52
    static constexpr Bits rounder_bits = 0x4338000000000000;
    static constexpr Bits root_half_bits = 0x3FE6A09E667F3BCD;
    static constexpr double least_normal = 2.2250738585072014e-308, raising = 18014398509481984.0;
    static constexpr int raised = 54;
    static constexpr double log2_high = 6.93147180369123816490e-01;
    static constexpr double log2_low = 1.90821492927058770002e-10;
    static constexpr double exp_least = -746.0, exp_most = 710.0, single_step = 708.0;
    static constexpr Bits lift = 128;
    static constexpr double tanh_most = 20.0;
    static constexpr int exp_terms = 13, log_terms = 11;
};

template <class T>
inline typename Format<T>::Bits bits_of(T x) {
    typename Format<T>::Bits bits;
    std::memcpy(&bits, &x, sizeof x);
    return bits;
}

template <class T>
inline T number_of(typename Format<T>::Bits bits) {
    T x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

template <class T>
inline T absolute_of(T x) {
    return number_of<T>(bits_of(x) & ~Format<T>::sign);
}

// x = n log(2) + r with |r| <= log(2) / 2
template <class T>
struct Reduced {
    T r;
    typename Format<T>::Bits n;
};

template <class T>
inline Reduced<T> reduce(T x) {
    using F = Format<T>;
    const T shifted = x * T(1.4426950408889634) + F::rounder;
    const T n = shifted - F::rounder;
    return {(x - n * F::log2_high) - n * F::log2_low, bits_of(shifted) - F::rounder_bits};
}

// 1 / k! for the Taylor series of the exponential
constexpr double kInverseFactorials[] = {
    1.0,
    1.0,
    1.0 / 2,
    1.0 / 6,
    1.0 / 24,
    1.0 / 120,
    1.0 / 720,
    1.0 / 5040,
    1.0 / 40320,
    1.0 / 362880,
    1.0 / 3628800,
    1.0 / 39916800,
    1.0 / 479001600,
    1.0 / 6227020800,
};

// exp(r) - 1 for small r
template <class T, int terms = Format<T>::exp_terms>
inline T small_expm1(T r) {
    T tail = T(kInverseFactorials[terms]);
#pragma GCC unroll 16
    for (int k = terms - 1; k >= 2; --k) tail = tail * r + T(kInverseFactorials[k]);
    return r + r * r * tail;
}

// 2**n, with n in two's complement
template <class T>
inline T power_of_two(typename Format<T>::Bits n) {
    return number_of<T>((n + Format<T>::bias) << Format<T>::mantissa);
}

template <class T, int terms = Format<T>::exp_terms>
inline T exp_of(T x) {
    using F = Format<T>;
    T bounded = x < F::exp_least ? F::exp_least : x;
    bounded = bounded > F::exp_most ? F::exp_most : bounded;
    const Reduced<T> reduced = reduce(bounded);
    // 2**n may not be a number where exp(x) is: two steps
    const auto half = ((reduced.n + 2048) >> 1) - 1024;
    const T scaled = (1 + small_expm1<T, terms>(reduced.r)) * power_of_two<T>(half);
    return scaled * power_of_two<T>(reduced.n - half);
}

// exp(x) as scale * (1 + rest), where neither has been rounded away; for |x| <= single_step
template <class T>
struct Exponential {
    T scale, rest;
};

template <class T>
inline Exponential<T> exponential(T x) {
    const Reduced<T> reduced = reduce(x);
    return {power_of_two<T>(reduced.n), small_expm1(reduced.r)};
}

// x = 2**exponent * (1 + f) with 1 + f between the roots of 1/2 and 2
template <class T>
struct Parted {
    T f, exponent;
};

template <class T>
inline Parted<T> parts_of_normal(T x, T exponent) {
    using F = Format<T>;
    const auto bits = bits_of(x) - F::root_half_bits;
    // shifts and conversions that every level has for vectors of 64-bit integers
    const auto high = ((bits + F::sign) >> F::mantissa) - (F::sign >> F::mantissa);
    exponent += number_of<T>(high + F::rounder_bits) - F::rounder;
    return {number_of<T>(bits_of(x) - (high << F::mantissa)) - 1, exponent};
}

// log(1 + f) is f - half_square + correction
template <class T>
struct SmallLog {
    T half_square, correction;
};

template <class T, int terms = Format<T>::log_terms>
inline SmallLog<T> small_log(T f) {
    const T s = f / (2 + f), z = s * s;
    T tail = T(2.0 / (2 * terms + 1));
#pragma GCC unroll 16
    for (int k = terms - 1; k >= 1; --k) tail = tail * z + T(2.0 / (2 * k + 1));
    const T half_square = T(0.5) * f * f;
    return {half_square, s * (half_square + z * tail)};
}

template <class T, int terms = Format<T>::log_terms>
inline T log_of_normal(T x, T exponent) {
    using F = Format<T>;
    const Parted<T> parts = parts_of_normal(x, exponent);
    const SmallLog<T> log = small_log<T, terms>(parts.f);
    const T rest = log.correction + parts.exponent * F::log2_low;
    return parts.exponent * F::log2_high - ((log.half_square - rest) - parts.f);
}

template <class T, int terms = Format<T>::log_terms>
inline T log_of(T x) {
    using F = Format<T>;
    const bool tiny = x < F::least_normal;
    const T found = log_of_normal<T, terms>(tiny ? x * F::raising : x, tiny ? T(-F::raised) : T(0));
    const T infinity = T(INFINITY);
    const T beyond = x == 0 ? -infinity : x == infinity ? x : T(NAN);
    return x > 0 && x < infinity ? found : beyond;
}

// log(1 + x); what 1 + x loses is added to first order
template <class T>
inline T log1p_of(T x) {
    const T sum = 1 + x;
    const T found = log_of(sum);
    const T lost = (x - (sum - 1)) / sum;
    return sum == 1 ? x : sum < T(INFINITY) && sum > 0 ? found + lost : found;
}

// tanh(x) / x - 1 over x * x, for |x| < 0.55: the Taylor series
inline float tanh_series(float square) {
    constexpr double terms[] = {
        -1.0 / 3,
        2.0 / 15,
        -17.0 / 315,
        62.0 / 2835,
        -1382.0 / 155925,
        21844.0 / 6081075,
        -929569.0 / 638512875,
        6404582.0 / 10854718875,
        -443861162.0 / 1856156927625,
    };
    float tail = float(terms[8]);
#pragma GCC unroll 16
    for (int k = 7; k >= 0; --k) tail = tail * square + float(terms[k]);
    return tail;
}

template <class T>
inline T tanh_of(T x) {
    using F = Format<T>;
    T size = absolute_of(x);
    size = size > F::tanh_most ? F::tanh_most : size;
    const Exponential<T> e = exponential(2 * size);
    const T above = e.scale * e.rest + (e.scale - 1), below = e.scale * e.rest + (e.scale + 1);
    T found = above / below;
    if constexpr (sizeof(T) == sizeof(float)) {
        const T square = size * size;
        found = size < T(0.55) ? size + size * (square * tanh_series(square)) : 1 - 2 / below;
    }
    return number_of<T>(bits_of(found) | (bits_of(x) & F::sign));
}

// Note [Results too small for one step]
// Below -single_step, a power of two in sigmoid(x) or log(1 + exp(x)) leaves the range of normal
// numbers before the result is 0. It is then taken 2**lift times as large, and the result lowered.

// 1 / (1 + exp(-x)); what the denominator loses by rounding is made good to first order
template <class T>
inline T sigmoid_of(T x) {
    using F = Format<T>;
    const bool deep = x < -F::single_step;
    T bounded = x < F::exp_least ? F::exp_least : x;
    bounded = bounded > F::single_step ? F::single_step : bounded;
    const Reduced<T> reduced = reduce(-bounded);
    const T scale = power_of_two<T>(reduced.n - (deep ? F::lift : 0));
    const T rest = small_expm1(reduced.r), one_more = scale + 1;
    const T lost_first = scale > 1 ? 1 - (one_more - scale) : scale - (one_more - 1);
    const T below = scale * rest + one_more;
    const T lost = (scale * rest - (below - one_more)) + lost_first;
    const T found = 1 / below;
    // with fused multiply-add, the remainder of the division is exact
    const T remainder = VECTOR_BYTES > 16 ? 1 - below * found : T(0);
    const T mended = found + found * (remainder - lost * found);
    return mended * (deep ? power_of_two<T>(-F::lift) : T(1));
}

// 1 / (1 + exp(-x)) to two and a half units in the last place, as PyTorch's, and 0 where it is less
// than a normal number: for gates, into which sums go whose rounding moves them by more.
template <class T>
inline T quick_sigmoid_of(T x) {
    using F = Format<T>;
    T bounded = x < -F::single_step ? -F::single_step : x;
    bounded = bounded > F::single_step ? F::single_step : bounded;
    const Exponential<T> e = exponential(-bounded);
    const T found = 1 / (e.scale * e.rest + (e.scale + 1));
    return x < -F::single_step ? T(0) : found;
}

template <class T>
inline T silu_of(T x) {
    return x * sigmoid_of(x);
}

// log(1 + exp(-size - lost)) for size >= 0 and a lost that is tiny beside it
template <class T>
inline T log1p_exp_minus(T size, T lost) {
    using F = Format<T>;
    const Reduced<T> reduced = reduce(size > -F::exp_least ? F::exp_least : -size);
    const T scale = power_of_two<T>(reduced.n + F::lift) * power_of_two<T>(-F::lift);
    const T rest = small_expm1(reduced.r - lost), u = scale * (1 + rest), sum = 1 + u;
    const T missing = (u - (sum - 1)) + scale * ((1 - (1 + rest)) + rest);
    return log_of_normal(sum, T(0)) + missing / sum;
}

template <class T>
inline T log_sigmoid_of(T x) {
    return (x > 0 ? T(0) : x) - log1p_exp_minus(absolute_of(x), T(0));
}

constexpr double kRootTwoOverPi = 0.7978845608028654, kCubic = 0.044715;

template <class T>
inline T gelu_tanh_of(T x) {
    return T(0.5) * x * (tanh_of(x * (x * x * T(kCubic) + 1) * T(kRootTwoOverPi)) + 1);
}

template <class T>
inline T gelu_tanh_slope_of(T x) {
    const T square = x * x;
    const T gate = tanh_of(x * (square * T(kCubic) + 1) * T(kRootTwoOverPi));
    const T gate_slope = (1 - gate * gate) * (square * T(3 * kCubic) + 1) * T(kRootTwoOverPi);
    return ((gate + 1) + x * gate_slope) * T(0.5);
}

// The normal distribution function less 1/2 on [-kMostNormal, kMostNormal], where it is 1/2 when
// rounded to float: a rational function of x * x, times x, with a relative error of 2e-9, fitted in
// double precision by reweighted least squares.
constexpr float kMostNormal = 5.6568542f;  // 4 times the root of 2

template <class T>
inline T normal_above_half(T x) {
    const T s = x * x;
    T above = T(-7.292912447880193e-11) * s + T(5.175836331277909e-08);
    above = above * s + T(8.3881678716317e-06);
    above = above * s + T(0.00017013291313584285);
    above = above * s + T(0.004800992416619188);
    above = above * s + T(0.032739920203444406);
    above = above * s + T(0.39894228120724856);
    T below = T(1.9721635114526915e-06) * s + T(8.172353443738602e-05);
    below = below * s + T(0.0019327738257021228);
    below = below * s + T(0.028489758321629168);
    below = below * s + T(0.24873351655410503);
    below = below * s + 1;
    return x * above / below;
}

inline float bounded_by(float x, float most) {
    const float below_most = x > most ? most : x;
    return below_most < -most ? -most : below_most;
}

inline float erf_of(float x) {
    constexpr double kRootOfTwo = 1.4142135623730951;
    return static_cast<float>(2 * normal_above_half(bounded_by(x, 4) * kRootOfTwo));
}

constexpr double kRootHalf = 0.7071067811865476;

inline float gelu_of(float x) {
    const double bounded = bounded_by(x, kMostNormal);
    const float share = static_cast<float>(0.5 + normal_above_half(bounded));
    return x < -kMostNormal ? 0.0f * x : x * share;
}

// The slope of gelu less 1/2, as a rational function of x * x, times x, with a relative error of
// 2e-8, fitted like the one above: all in single precision, and without an exponential. Beyond the
// interval it differs from 0 and 1 by 1e-8. Infinities have no slope, as by its formula.
inline float gelu_slope_of(float x) {
    constexpr float kMostSloping = 6.2f;
    const float bounded = bounded_by(x, kMostSloping), s = bounded * bounded;
    float above = -3.013921e-11f * s + 1.4664206e-08f;
    above = above * s + 1.3708334e-06f;
    above = above * s + 3.2074218e-05f;
    above = above * s + 0.00037831694f;
    above = above * s + 0.013368165f;
    above = above * s - 0.012879692f;
    above = above * s + 0.7978845f;
    float below = 4.306898e-07f * s + 1.2050605e-05f;
    below = below * s + 0.00028184475f;
    below = below * s + 0.004416192f;
    below = below * s + 0.047486138f;
    below = below * s + 0.31719068f;
    below = below * s + 1;
    const float inside = 0.5f + bounded * above / below;
    const float beyond = (x > 0 ? 1.0f : 0.0f) + 0 * x;
    return absolute_of(x) > kMostSloping ? beyond : inside;
}

template <class T>
inline T relu_of(T x) {
    return x < 0 ? T(0) : x;
}

}  // namespace
}  // namespace pellucid
