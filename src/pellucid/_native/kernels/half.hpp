// Half precision (IEEE 754 binary16) and bfloat16 from and to single precision, by the bits,
// without branches; and integers from single precision.
#pragma once

#include "kernels/half_job.hpp"
#include "kernels/vectors.hpp"

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
    const std::uint32_t normal = (size - (kExponentShift << 23) + 0xFFF + even) >> kMantissaShift;
    // a sum with a number whose last bit is that of the smallest half rounds to it
    const std::uint32_t aligning = (kExponentShift + kMantissaShift + 1) << 23;
    const std::uint32_t small = single_bits(single_of(size) + single_of(aligning)) - aligning;
    std::uint32_t half = size < (kExponentShift + 1) << 23 ? small : normal;
    half = size >= (127u + 16) << 23 ? 0x7C00u : half;  // 65536 and beyond
    half = size > 0x7F800000u ? 0x7E00u | (size >> kMantissaShift & 0x3FFu) : half;
    return static_cast<std::uint16_t>(half | (bits >> 16 & 0x8000u));
}

// bfloat16 is the first half of a single's bits.
inline float single_of_brain(std::uint16_t brain) { return single_of(std::uint32_t{brain} << 16); }

inline std::uint16_t brain_of(float x) {
    const std::uint32_t bits = single_bits(x), rounding = 0x7FFF + (bits >> 16 & 1);
    const std::uint32_t missing = (bits >> 16 & 0x8000) | 0x7FC0;
    return static_cast<std::uint16_t>(x == x ? (bits + rounding) >> 16 : missing);
}

// Converts no elements, or eight at a time, and returns how many were converted.
template <class From, class To>
long none(const From*, To*, long) {
    return 0;
}

#if defined(__x86_64__) && VECTOR_BYTES > 16
inline long widen_eights(const std::uint16_t* from, float* to, long count) {
    long i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(halves));
    }
    return i;
}

inline long narrow_eights(const float* from, std::uint16_t* to, long count) {
    long i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m256 singles = _mm256_loadu_ps(from + i);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                         _mm256_cvtps_ph(singles, _MM_FROUND_TO_NEAREST_INT));
    }
    return i;
}
#else
constexpr auto widen_eights = none<std::uint16_t, float>;
constexpr auto narrow_eights = none<float, std::uint16_t>;
#endif

template <class From, class To, To (*convert)(From), long (*several)(const From*, To*, long)>
void convert_piece(const HalfJob& job, long piece) {
    const long begin = piece * kConvertedAtOnce;
    const long count = smaller(job.count - begin, kConvertedAtOnce);
    const From* from = static_cast<const From*>(job.from) + begin;
    To* to = static_cast<To*>(job.to) + begin;
#pragma GCC ivdep
    for (long i = several(from, to, count); i < count; ++i) to[i] = convert(from[i]);
}

constexpr auto widen_piece = convert_piece<std::uint16_t, float, widened, widen_eights>;
constexpr auto narrow_piece = convert_piece<float, std::uint16_t, narrowed, narrow_eights>;
constexpr auto widen_brain_piece =
    convert_piece<std::uint16_t, float, single_of_brain, none<std::uint16_t, float>>;
constexpr auto narrow_brain_piece =
    convert_piece<float, std::uint16_t, brain_of, none<float, std::uint16_t>>;

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
