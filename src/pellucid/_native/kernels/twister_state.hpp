// The state of NumPy's Mersenne Twister as it lies in memory.
#pragma once

#include <cstdint>

#include <numpy/random/bitgen.h>

#include "objects/numpy_api.hpp"

namespace pellucid {

constexpr long kTwisterSize = 624;

struct TwisterState {
    std::uint32_t key[kTwisterSize];
    int place;  // of the next one
};

// The generator in a capsule of NumPy's; null where it is none.
const bitgen_t* generator_in(PyObject* capsule);

// The state of a twister; null where it is not known to lie in memory so, and for other generators.
TwisterState* twister_state(const bitgen_t* generator);

}  // namespace pellucid
