// The draws of NumPy's Mersenne Twister, one by one.
#pragma once

#include <cstdint>

#include "kernels/twister_state.hpp"

namespace pellucid {

// Note [Draws in blocks]
// The first draws are NumPy's, one for each call. Behind them whole states are computed at once,
// with the instructions of the processor's level, where the state is known: Note [State of the
// twister] in twister_state.cpp. Who draws holds the twister's lock.
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
    std::uint32_t next_of_state();
    void take_state();

    const bitgen_t* generator_;
    TwisterState* state_ = nullptr;  // once it is read here
    long place_ = kTwisterSize;
    std::uint32_t tempered_[kTwisterSize];
};

}  // namespace pellucid
