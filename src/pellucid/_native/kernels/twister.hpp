// The Mersenne Twister, a whole state at a time: M. Matsumoto and T. Nishimura, "Mersenne Twister"
// (1998).
#pragma once

#include "kernels/vectors.hpp"

namespace pellucid {
namespace {

constexpr long kShift = 397;

inline std::uint32_t twisted(std::uint32_t one, std::uint32_t next, std::uint32_t other) {
    const std::uint32_t mixed = (one & 0x80000000u) | (next & 0x7fffffffu);
    return other ^ (mixed >> 1) ^ ((0u - (mixed & 1)) & 0x9908b0dfu);
}

// Replace a state by the next one.
inline void twist(std::uint32_t* key) {
    constexpr long rest = kTwisterSize - kShift;
#pragma GCC ivdep
    for (long i = 0; i < rest; ++i) key[i] = twisted(key[i], key[i + 1], key[i + kShift]);
    for (long begin = rest; begin < kTwisterSize - 1; begin += rest) {
        const long end = smaller(begin + rest, kTwisterSize - 1);
#pragma GCC ivdep
        for (long i = begin; i < end; ++i) key[i] = twisted(key[i], key[i + 1], key[i - rest]);
    }
    key[kTwisterSize - 1] = twisted(key[kTwisterSize - 1], key[0], key[kShift - 1]);
}

// What a number of the state is drawn as.
inline std::uint32_t tempered(std::uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

inline void temper(const std::uint32_t* key, long count, std::uint32_t* out) {
    for (long i = 0; i < count; ++i) out[i] = tempered(key[i]);
}

}  // namespace
}  // namespace pellucid
