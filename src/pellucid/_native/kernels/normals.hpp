// Normal numbers of uniform ones in single precision, bit for bit as PyTorch makes them.
//
// Box and Muller, "A note on the generation of random normal deviates" (1958), with the polynomials
// of the Cephes library (S. L. Moshier: logf, sinf, cosf) and fused multiply-adds where PyTorch has
// them; see `pellucid.kernels.random.single_precision`.
#pragma once

#include "kernels/normals_job.hpp"
#include "kernels/vectors.hpp"

namespace pellucid {
namespace {

inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

template <int count>
inline float polynomial(float x, const float (&coefficients)[count]) {
    float value = coefficients[0];
#pragma GCC unroll 16
    for (int k = 1; k < count; ++k) value = fused(value, x, coefficients[k]);
    return value;
}

inline std::int32_t bits_of_float(float x) {
    std::int32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

inline float float_of_bits(std::int32_t bits) {
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

// The logarithm of a positive, normal number.
inline float short_log(float x) {
    constexpr float terms[] = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f,
                               -1.2420140846e-1f, 1.4249322787e-1f,  -1.6668057665e-1f,
                               2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
    const std::int32_t bits = bits_of_float(x);
    const float mantissa = float_of_bits((bits & 0x007FFFFF) | 0x3F000000);  // in [0.5, 1)
    const bool small = mantissa < 0.707106781186547524f;
    const float exponent = static_cast<float>((bits >> 23) - (small ? 127 : 126));
    const float f = (small ? mantissa + mantissa : mantissa) - 1.0f;
    const float square = f * f;
    float tail = polynomial(f, terms) * f;
    tail = fused(tail, square, exponent * -2.12194440e-4f);
    tail = fused(-0.5f, square, tail);  // half of a number is exact
    return fused(exponent, 0.693359375f, f + tail);
}

struct SineAndCosine {
    float sine, cosine;
};

// Of an angle between 0 and 8192.
inline SineAndCosine short_sine_and_cosine(float x) {
    constexpr float of_sine[] = {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f};
    constexpr float of_cosine[] = {2.443315711809948e-5f, -1.388731625493765e-3f,
                                   4.166664568298827e-2f};
    const std::int32_t octant = (static_cast<std::int32_t>(x * 1.27323954473516f) + 1) & ~1;
    const float turns = static_cast<float>(octant);
    x = fused(turns, -0.78515625f, x);
    x = fused(turns, -2.4187564849853515625e-4f, x);
    x = fused(turns, -3.77489497744594108e-8f, x);
    const float square = x * x;
    const float cosine =
        fused(polynomial(square, of_cosine) * square, square, -0.5f * square) + 1.0f;
    const float sine = fused(polynomial(square, of_sine) * square, x, x);
    const bool swapped = (octant & 2) != 0;
    const float first = swapped ? cosine : sine, second = swapped ? sine : cosine;
    return {(octant & 4) != 0 ? -first : first, ((octant - 2) & 4) != 0 ? second : -second};
}

// A group pairs number j with number j + 8. Those of several groups lie together while they are
// computed, in long loops.
constexpr long kGroup = 16, kHalf = kGroup / 2, kGroupsTogether = 32;

inline void some_normals(const NormalsJob& job, const float* uniforms, float* normals,
                         long groups) {
    float radii[kHalf * kGroupsTogether], angles[kHalf * kGroupsTogether];
    for (long g = 0; g < groups; ++g) {
        std::memcpy(radii + g * kHalf, uniforms + g * kGroup, kHalf * sizeof(float));
        std::memcpy(angles + g * kHalf, uniforms + g * kGroup + kHalf, kHalf * sizeof(float));
    }
    const long pairs = groups * kHalf;
    for (long i = 0; i < pairs; ++i) radii[i] = std::sqrt(-2.0f * short_log(1.0f - radii[i]));
    for (long i = 0; i < pairs; ++i) {
        const SineAndCosine angle = short_sine_and_cosine(6.283185307179586f * angles[i]);
        const float radius = radii[i];
        radii[i] = radius * angle.cosine;
        angles[i] = radius * angle.sine;
    }
    if (job.std != 1 || job.mean != 0) {
        const float std = static_cast<float>(job.std), mean = static_cast<float>(job.mean);
        for (long i = 0; i < pairs; ++i) radii[i] = fused(radii[i], std, mean);
        for (long i = 0; i < pairs; ++i) angles[i] = fused(angles[i], std, mean);
    }
    for (long g = 0; g < groups; ++g) {
        std::memcpy(normals + g * kGroup, radii + g * kHalf, kHalf * sizeof(float));
        std::memcpy(normals + g * kGroup + kHalf, angles + g * kHalf, kHalf * sizeof(float));
    }
}

inline void normal_groups(const NormalsJob& job, long part) {
    const long begin = part * job.groups_at_once;
    const long end = smaller(job.groups, begin + job.groups_at_once);
    for (long g = begin; g < end; g += kGroupsTogether)
        some_normals(job, job.uniforms + g * kGroup, job.normals + g * kGroup,
                     smaller(kGroupsTogether, end - g));
}

}  // namespace
}  // namespace pellucid
