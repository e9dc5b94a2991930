#include "kernels/draws.hpp"

#include "kernels/kernels.hpp"

namespace pellucid {

std::uint32_t Draws::next_of_state() {
    constexpr long kFewDraws = 64;
    if (state_ == nullptr) {
        if (used > kFewDraws) take_state();
        if (state_ == nullptr) return generator_->next_uint32(generator_->state);
        if (place_ < kTwisterSize) return tempered_[place_++];
    }
    kernels().twist(state_->key);
    kernels().temper(state_->key, kTwisterSize, tempered_);
    place_ = 1;
    return tempered_[0];
}

void Draws::take_state() {
    state_ = twister_state(generator_);
    if (state_ == nullptr) return;
    place_ = state_->place;
    kernels().temper(state_->key + place_, kTwisterSize - place_, tempered_ + place_);
}

}  // namespace pellucid
