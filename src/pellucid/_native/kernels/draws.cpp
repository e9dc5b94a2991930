#include "kernels/draws.hpp"

#include "kernels/kernels.hpp"

namespace pellucid {

std::uint32_t Draws::next_of_state() {
    constexpr long kFewDraws = 64;
    if (state_ == nullptr) {
        const std::uint32_t drawn = generator_->next_uint32(generator_->state);
        if (used >= kFewDraws) look_for_state(drawn);
        return drawn;
    }
    kernels().twist(state_->key);
    kernels().temper(state_->key, kTwisterSize, tempered_);
    place_ = 1;
    return tempered_[0];
}

void Draws::look_for_state(std::uint32_t drawn) {
    State* state = static_cast<State*>(generator_->state);
    const long place = state->place;
    if (place < 1 || place > kTwisterSize || tempered(state->key[place - 1]) != drawn) return;
    state_ = state;
    place_ = place;
    kernels().temper(state->key + place, kTwisterSize - place, tempered_ + place);
}

}  // namespace pellucid
