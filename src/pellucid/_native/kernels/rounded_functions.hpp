// Functions of single precision, computed in double precision and rounded once.
//
// Formulas: series and reductions of the argument as in functions_of_numbers.hpp; where a
// difference of nearly equal numbers would lose digits, the first terms of the series are taken.
#pragma once

#include "kernels/functions_of_numbers.hpp"

namespace pellucid {
namespace {

// below this, two terms of a series leave an error far below that of single precision
constexpr double kNearZero = 1.0 / 1024;
constexpr double kLog2 = 0.6931471805599453, kHalfPi = 1.5707963267948966;

inline bool is_near_zero(double x) { return absolute_of(x) < kNearZero; }

// So many terms of the series leave errors below a tenth of a unit in single precision.
constexpr int kExpTerms = 7, kLogTerms = 5;

// The exponential of a number whose exponential is to be rounded to single precision, for
// |x| <= 200.
inline double wide_exp_inside(double x) {
    const Reduced<double> reduced = reduce(x);
    return (1 + small_expm1<double, kExpTerms>(reduced.r)) * power_of_two<double>(reduced.n);
}

// The same for any number; the comparisons take a third of its time.
inline double wide_exp(double x) {
    constexpr double kMost = 200;
    return wide_exp_inside(x < -kMost ? -kMost : x > kMost ? kMost : x);
}

// The logarithm of a number that is not tiny in double precision.
template <int terms = kLogTerms>
inline double wide_log(double x) {
    const double beyond = x == 0 ? -INFINITY : x == INFINITY ? x : NAN;
    return x > 0 && x < INFINITY ? log_of_normal<double, terms>(x, 0) : beyond;
}

inline double wide_expm1(double x) {
    const double series = x * (1 + x * (0.5 + x * (1.0 / 6)));
    return is_near_zero(x) ? series : wide_exp(x) - 1;
}

// log(1 + x) for x >= 0
inline double wide_log1p(double x) {
    return is_near_zero(x) ? x * (1 - x * (0.5 - x * (1.0 / 3))) : wide_log(1 + x);
}

template <int count>
inline double polynomial(const double (&terms)[count], double x) {
    double sum = terms[count - 1];
#pragma GCC unroll 24
    for (int k = count - 2; k >= 0; --k) sum = sum * x + terms[k];
    return sum;
}

inline float exp2_of(float x) {
    using F = Format<float>;
    const float bounded = x < -150.0f ? -150.0f : x > 129.0f ? 129.0f : x;
    const float shifted = bounded + F::rounder, r = bounded - (shifted - F::rounder);
    const auto n = bits_of(shifted) - F::rounder_bits, half = ((n + 2048) >> 1) - 1024;
    const float scaled = (1 + small_expm1(r * float(kLog2))) * power_of_two<float>(half);
    return scaled * power_of_two<float>(n - half);
}

inline float expm1_of(float x) { return static_cast<float>(wide_expm1(x)); }

// The logarithm to another base: 1 / log(base) and log(2) / log(base), each in two parts, of which
// the first has so few bits that its products here are exact.
struct Base {
    float scale_high, scale_low, exponent_high, exponent_low;
};

inline float log_to_base(float x, const Base& base) {
    using F = Format<float>;
    const bool tiny = x < F::least_normal;
    const Parted<float> parts =
        parts_of_normal(tiny ? x * F::raising : x, tiny ? float(-F::raised) : 0.0f);
    const SmallLog<float> log = small_log(parts.f);
    const float leading = number_of<float>(bits_of(parts.f - log.half_square) & 0xFFFFF000);
    const float rest = ((parts.f - leading) - log.half_square) + log.correction;
    const float low = parts.exponent * base.exponent_low + (rest + leading) * base.scale_low +
                      rest * base.scale_high;
    const float high = parts.exponent * base.exponent_high, product = leading * base.scale_high;
    const float sum = high + product;  // of which the larger comes first
    const float found = sum + (((high - sum) + product) + low);
    const float beyond = x == 0 ? -INFINITY : x == INFINITY ? x : NAN;
    return x > 0 && x < INFINITY ? found : beyond;
}

inline float log2_of(float x) {
    return log_to_base(x, {1.4428710938e+00f, -1.7605285393e-04f, 1.0f, 0.0f});
}

inline float log10_of(float x) {
    return log_to_base(
        x, {4.3432617188e-01f, -3.1689971365e-05f, 3.0102920532e-01f, 7.9034151668e-07f});
}

// exp(x) / 4 as a sum of which nothing has been rounded away; for |x| < 89.5
inline Exponential<float> quarter_exponential(float x) {
    const Reduced<float> reduced = reduce(x);
    const float scale = power_of_two<float>(reduced.n - 2), part = scale * small_expm1(reduced.r);
    const float sum = scale + part;
    return {sum, part - (sum - scale)};
}

constexpr float kMostQuartered = 89.5f;

inline float sinh_of(float x) {
    const float size = absolute_of(x), square = x * x;
    const Exponential<float> e = quarter_exponential(size > kMostQuartered ? kMostQuartered : size);
    const float found = 2 * (e.scale + (e.rest - 0.0625f / e.scale));
    float tail = float(1.0 / 39916800);
    tail = tail * square + float(1.0 / 362880);
    tail = tail * square + float(1.0 / 5040);
    tail = tail * square + float(1.0 / 120);
    tail = tail * square + float(1.0 / 6);
    const float series = size + size * (square * tail);
    const float positive = size < 1 ? series : size > kMostQuartered ? INFINITY : found;
    return number_of<float>(bits_of(x == x ? positive : x) | (bits_of(x) & Format<float>::sign));
}

inline float cosh_of(float x) {
    const float size = absolute_of(x);
    const Exponential<float> e = quarter_exponential(size > kMostQuartered ? kMostQuartered : size);
    const float found = 2 * (e.scale + (e.rest + 0.0625f / e.scale));
    return size > kMostQuartered ? INFINITY : found;
}

inline float arctanh_of(float x) {
    const double wide = x, found = 0.5 * wide_log((1 + wide) / (1 - wide));
    return static_cast<float>(is_near_zero(wide) ? wide * (1 + wide * wide * (1.0 / 3)) : found);
}

inline float arcsinh_of(float x) {
    const double wide = x, size = absolute_of(wide);
    const double found = wide_log(size + std::sqrt(size * size + 1));
    const double series = size * (1 - size * size * (1.0 / 6));
    const double positive = is_near_zero(wide) ? series : found;
    return static_cast<float>(
        number_of<double>(bits_of(positive) | (bits_of(wide) & Format<double>::sign)));
}

inline float arccosh_of(float x) {
    const double wide = x, more = wide - 1;
    const double found = wide_log(wide + std::sqrt(more * (wide + 1)));
    return x < 1 ? NAN : static_cast<float>(found);
}

// Polynomials in x * x that interpolate arctan(x) / x on [0, 1] and arcsin(x) / x on [0, 1/2] at
// Chebyshev's points, with relative errors below 2**-33.
constexpr double kArctan[] = {
    0.999999999929303675,  -0.333333312908899879,  0.199999011021715545,   -0.142838132557431936,
    0.110919229636833022,  -0.0897417195836388108, 0.0722827834537725223,  -0.0539566805713717178,
    0.0338262189527868722, -0.0158283227491494156, 0.00473248419342192066, -0.000663395457110478719,
};
constexpr double kArcsin[] = {
    1.000000000000825,     0.166666666132787058,   0.0750000565582188269,
    0.0446405646922002285, 0.0304281190190813263,  0.0218557425998290512,
    0.0206813271717541274, 0.00191561134296716146, 0.0329575947009842164,
};

// The angle between the axis of abscissas and the point (right, up), in the first quadrant.
inline double quarter_angle(double up, double right) {
    const bool steep = up > right;
    const double larger = steep ? up : right, quotient = (steep ? right : up) / larger;
    // 0 / 0 and the quotient of two infinities are none
    const double ratio = larger == 0 ? 0 : up == right ? 1 : quotient;
    const double angle = ratio * polynomial(kArctan, ratio * ratio);
    return steep ? kHalfPi - angle : angle;
}

inline float arctan_of(float x) {
    const double angle = quarter_angle(absolute_of(static_cast<double>(x)), 1);
    const float found = static_cast<float>(x == x ? angle : x);
    return number_of<float>(bits_of(found) | (bits_of(x) & Format<float>::sign));
}

// arcsin(size) as it is, or, for a size above 1/2, as what is left to pi / 2
inline double arcsin_part(double size) {
    const double half = 0.5 * (1 - size);
    const bool large = size > 0.5;
    const double x = large ? std::sqrt(half) : size;
    const double found = x * polynomial(kArcsin, large ? half : size * size);
    return large ? 2 * found : found;
}

inline float arcsin_of(float x) {
    const double wide = x, size = absolute_of(wide), part = arcsin_part(size);
    const float found = static_cast<float>(size > 0.5 ? kHalfPi - part : part);
    return number_of<float>(bits_of(found) | (bits_of(x) & Format<float>::sign));
}

inline float arccos_of(float x) {
    const double wide = x, size = absolute_of(wide), part = arcsin_part(size);
    const double beyond = x > 0 ? part : 2 * kHalfPi - part;
    return static_cast<float>(size > 0.5 ? beyond : x > 0 ? kHalfPi - part : kHalfPi + part);
}

// Sine and cosine of x = n pi / 2 + r with |r| <= pi / 4, where n is exact: up to kMostTurned.
struct Turned {
    double sine, cosine;
    std::uint64_t quarter;
};

constexpr float kMostTurned = 1e6f;

inline Turned turn(double x) {
    using F = Format<double>;
    const double shifted = x * (1 / kHalfPi) + F::rounder, n = shifted - F::rounder;
    // the leading part of pi / 2 has 33 bits, so that its products with n are exact
    const double r = (x - n * 1.57079632673412561417e+00) - n * 6.07710050650619224932e-11;
    const double square = r * r;
    double sine = 1.0 / 6227020800, cosine = 1.0 / 87178291200;
    constexpr double sine_terms[] = {1.0,        1.0 / 6,      1.0 / 120,
                                     1.0 / 5040, 1.0 / 362880, 1.0 / 39916800};
    constexpr double cosine_terms[] = {1.0,         1.0 / 2,       1.0 / 24,       1.0 / 720,
                                       1.0 / 40320, 1.0 / 3628800, 1.0 / 479001600};
#pragma GCC unroll 16
    for (int k = 5; k >= 0; --k) sine = sine_terms[k] - sine * square;
#pragma GCC unroll 16
    for (int k = 6; k >= 0; --k) cosine = cosine_terms[k] - cosine * square;
    return {r * sine, cosine, bits_of(shifted) - F::rounder_bits};
}

inline double signed_by(double x, std::uint64_t bit) {
    return number_of<double>(bits_of(x) ^ (bit << 63));
}

inline float sin_of(float x) {
    const Turned t = turn(x);
    const double found = (t.quarter & 1) != 0 ? t.cosine : t.sine;
    return static_cast<float>(signed_by(found, t.quarter >> 1 & 1));
}

inline float cos_of(float x) {
    const Turned t = turn(x);
    const double found = (t.quarter & 1) != 0 ? t.sine : t.cosine;
    return static_cast<float>(signed_by(found, (t.quarter + 1) >> 1 & 1));
}

inline bool sin_is_usual(float x) { return absolute_of(x) <= kMostTurned; }
inline bool cos_is_usual(float x) { return sin_is_usual(x); }
inline bool tan_is_usual(float x) { return sin_is_usual(x); }

// by the C library, where the argument is too large to be reduced
inline float sin_exactly(float x) { return static_cast<float>(std::sin(double(x))); }
inline float cos_exactly(float x) { return static_cast<float>(std::cos(double(x))); }
inline float tan_exactly(float x) { return static_cast<float>(std::tan(double(x))); }

inline float tan_of(float x) {
    const Turned t = turn(x);
    const bool odd = (t.quarter & 1) != 0;
    return static_cast<float>((odd ? -t.cosine : t.sine) / (odd ? t.sine : t.cosine));
}

}  // namespace
}  // namespace pellucid
