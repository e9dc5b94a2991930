#pragma once

#include <cstdint>

namespace pellucid {

// Elements of x where the condition holds, of y elsewhere; either may be one number for all.
struct Choices {
    const std::uint8_t* condition;
    const void *x, *y;
    bool x_is_number, y_is_number;
    void* out;
};

// Chooses the elements from `begin` to `end`.
using Choose = void (*)(const Choices& job, long begin, long end);

}  // namespace pellucid
