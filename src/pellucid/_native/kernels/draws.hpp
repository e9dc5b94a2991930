// The draws of NumPy's Mersenne Twister, one by one.
#pragma once

#include <cstdint>

#include <numpy/random/bitgen.h>

namespace pellucid {

constexpr long kTwisterSize = 624;

// What a number of the state is drawn as.
inline std::uint32_t tempered(std::uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

// Note [Draws in blocks]
// NumPy offers one draw for each call. Its state lies in memory as the 624 numbers and the place of
// the next one; where that has been seen, by what a draw was and where it left the place, whole
// states are computed at once, with the instructions of the processor's level. Who draws holds the
// twister's lock.
class Draws {
  public:
    explicit Draws(const bitgen_t* generator) : generator_(generator) {}
    ~Draws() {
        if (state_ != nullptr) state_->place = static_cast<int>(place_);
    }
    Draws(const Draws&) = delete;
    Draws& operator=(const Draws&) = delete;

    std::uint32_t next() {
        ++used;
        return place_ < kTwisterSize ? tempered_[place_++] : next_of_state();
    }
    // A wide draw: two draws, the first in the upper half.
    std::uint64_t wide() {
        const std::uint64_t upper = next();
        return upper << 32 | next();
    }
    float unit_float() { return static_cast<float>(next() & ((1u << 24) - 1)) * 0x1p-24f; }
    double unit_double() {
        return static_cast<double>(wide() & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53;
    }

    long used = 0;

  private:
    struct State {
        std::uint32_t key[kTwisterSize];
        int place;
    };

    std::uint32_t next_of_state();
    void look_for_state(std::uint32_t drawn);

    const bitgen_t* generator_;
    State* state_ = nullptr;  // once it has been seen
    long place_ = kTwisterSize;
    std::uint32_t tempered_[kTwisterSize];
};

}  // namespace pellucid
