// Half precision (IEEE 754 binary16) from and to single precision, by the bits, without branches;
// and integers from single precision.
#pragma once

#include "half_job.hpp"
#include "vectors.hpp"

namespace pellucid {
namespace {

inline std::uint32_t single_bits(float x) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

inline float single_of(std::uint32_t bits) {
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

// How far the exponents are apart, and by how many bits mantissas differ in length.
constexpr std::uint32_t kExponentShift = 127 - 15, kMantissaShift = 23 - 10;

inline float widened(std::uint16_t half) {
    const std::uint32_t size = (half & 0x7FFFu) << kMantissaShift;
    // a product makes numbers without a leading one normal
    const float finite = single_of(size) * single_of((127 + kExponentShift) << 23);
    const bool special = size >= 31u << 23;
    const std::uint32_t bits = special ? size | 0x7F800000u : single_bits(finite);
    return single_of(bits | (half & 0x8000u) << 16);
}

inline std::uint16_t narrowed(float x) {
    const std::uint32_t bits = single_bits(x), size = bits & 0x7FFFFFFFu;
    const std::uint32_t even = size >> kMantissaShift & 1;
    const std::uint32_t normal =
        (size - (kExponentShift << 23) + 0xFFF + even) >> kMantissaShift;
    // a sum with a number whose last bit is that of the smallest half rounds to it
    const std::uint32_t aligning = (kExponentShift + kMantissaShift + 1) << 23;
    const std::uint32_t small = single_bits(single_of(size) + single_of(aligning)) - aligning;
    std::uint32_t half = size < (kExponentShift + 1) << 23 ? small : normal;
    half = size >= (127u + 16) << 23 ? 0x7C00u : half;  // 65536 and beyond
    half = size > 0x7F800000u ? 0x7E00u | (size >> kMantissaShift & 0x3FFu) : half;
    return static_cast<std::uint16_t>(half | (bits >> 16 & 0x8000u));
}

inline void widen_piece(const HalfJob& job, long piece) {
    const std::uint16_t* from = static_cast<const std::uint16_t*>(job.from);
    float* to = static_cast<float*>(job.to);
    const long end = smaller(job.count, (piece + 1) * kConvertedAtOnce);
#pragma GCC ivdep
    for (long i = piece * kConvertedAtOnce; i < end; ++i) to[i] = widened(from[i]);
}

inline void narrow_piece(const HalfJob& job, long piece) {
    const float* from = static_cast<const float*>(job.from);
    std::uint16_t* to = static_cast<std::uint16_t*>(job.to);
    const long end = smaller(job.count, (piece + 1) * kConvertedAtOnce);
#pragma GCC ivdep
    for (long i = piece * kConvertedAtOnce; i < end; ++i) to[i] = narrowed(from[i]);
}

// Single precision to integers of 64 bits, by way of 32 where all of some numbers fit; what fits
// neither, and NaN, is the most negative one.
inline void truncate_piece(const HalfJob& job, long piece) {
    constexpr long kTogether = 256;
    constexpr float kBeyond32 = 2147483648.0f, kBeyond64 = 9223372036854775808.0f;
    const float* from = static_cast<const float*>(job.from);
    std::int64_t* to = static_cast<std::int64_t*>(job.to);
    const long last = smaller(job.count, (piece + 1) * kConvertedAtOnce);
    for (long begin = piece * kConvertedAtOnce; begin < last; begin += kTogether) {
        const long end = smaller(last, begin + kTogether);
        int beyond = 0;
        for (long i = begin; i < end; ++i) beyond |= !(__builtin_fabsf(from[i]) < kBeyond32);
        if (beyond) {
            for (long i = begin; i < end; ++i)
                to[i] = __builtin_fabsf(from[i]) < kBeyond64 ? static_cast<std::int64_t>(from[i])
                                                             : INT64_MIN;
        } else {
#pragma GCC ivdep
            for (long i = begin; i < end; ++i) to[i] = static_cast<std::int32_t>(from[i]);
        }
    }
}

}  // namespace
}  // namespace pellucid
