// Functions of single precision, computed in double precision and rounded once.
//
// Formulas: series and reductions of the argument as in functions_of_numbers.hpp; where a
// difference of nearly equal numbers would lose digits, the first terms of the series are taken.
#pragma once

#include "functions_of_numbers.hpp"

namespace pellucid {
namespace {

// below this, two terms of a series leave an error far below that of single precision
constexpr double kNearZero = 1.0 / 1024;
constexpr double kLog2 = 0.6931471805599453, kHalfPi = 1.5707963267948966;

inline bool is_near_zero(double x) { return absolute_of(x) < kNearZero; }

inline float exp2_of(float x) { return static_cast<float>(exp_of(x * kLog2)); }

inline float expm1_of(float x) {
    const double wide = x, found = exp_of(wide) - 1;
    const double series = wide * (1 + wide * (0.5 + wide * (1.0 / 6)));
    return static_cast<float>(is_near_zero(wide) ? series : found);
}

inline float log2_of(float x) {
    return static_cast<float>(log_of(static_cast<double>(x)) * 1.4426950408889634);
}

inline float log10_of(float x) {
    return static_cast<float>(log_of(static_cast<double>(x)) * 0.4342944819032518);
}

inline float sinh_of(float x) {
    const double wide = x, e = exp_of(wide), found = 0.5 * (e - 1 / e);
    return static_cast<float>(is_near_zero(wide) ? wide * (1 + wide * wide * (1.0 / 6)) : found);
}

inline float cosh_of(float x) {
    const double e = exp_of(static_cast<double>(x));
    return static_cast<float>(0.5 * (e + 1 / e));
}

inline float arctanh_of(float x) {
    const double wide = x, found = 0.5 * log_of((1 + wide) / (1 - wide));
    return static_cast<float>(is_near_zero(wide) ? wide * (1 + wide * wide * (1.0 / 3)) : found);
}

// The Taylor series between -tan(pi / 8) and tan(pi / 8), to which other arguments are reduced.
inline double wide_arctan(double x) {
    const double size = absolute_of(x);
    const bool large = size > 1;
    const double within = large ? 1 / size : size;
    const bool upper = within > 0.41421356237309503;
    const double r = upper ? (within - 1) / (within + 1) : within, square = r * r;
    double tail = 1.0 / 27;
#pragma GCC unroll 16
    for (int k = 12; k >= 0; --k) tail = 1.0 / (2 * k + 1) - tail * square;
    const double below = upper ? 0.5 * kHalfPi + r * tail : r * tail;
    const double found = large ? kHalfPi - below : below;
    return number_of<double>(bits_of(found) | (bits_of(x) & Format<double>::sign));
}

inline float arctan_of(float x) { return static_cast<float>(wide_arctan(x)); }

inline float arcsin_of(float x) {
    const double wide = x;
    return static_cast<float>(wide_arctan(wide / std::sqrt((1 - wide) * (1 + wide))));
}

inline float arccos_of(float x) {
    const double wide = x;
    return static_cast<float>(2 * wide_arctan(std::sqrt((1 - wide) / (1 + wide))));
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
    constexpr double sine_terms[] = {1.0, 1.0 / 6, 1.0 / 120, 1.0 / 5040, 1.0 / 362880,
                                     1.0 / 39916800};
    constexpr double cosine_terms[] = {1.0, 1.0 / 2, 1.0 / 24, 1.0 / 720, 1.0 / 40320,
                                       1.0 / 3628800, 1.0 / 479001600};
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

inline float tan_of(float x) {
    const Turned t = turn(x);
    const bool odd = (t.quarter & 1) != 0;
    return static_cast<float>((odd ? -t.cosine : t.sine) / (odd ? t.sine : t.cosine));
}

}  // namespace
}  // namespace pellucid
