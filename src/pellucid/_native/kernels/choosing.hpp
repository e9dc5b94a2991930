// Choosing between numbers element by element.
#pragma once

#include "kernels/choosing_job.hpp"
#include "kernels/level_headers.hpp"

namespace pellucid {
namespace {

// The processor guesses wrong at every other element of a random condition: bits are put together
// instead.
template <class Item>
inline Item either(std::uint8_t condition, Item x, Item y) {
    const Item mask = static_cast<Item>(-static_cast<Item>(condition != 0));
    return static_cast<Item>((x & mask) | (y & ~mask));
}

template <class Item>
void choose(const Choices& job, long begin, long end) {
    const Item *x = static_cast<const Item*>(job.x), *y = static_cast<const Item*>(job.y);
    const std::uint8_t* condition = job.condition;
    Item* out = static_cast<Item*>(job.out);
    if (job.x_is_number) {
        const Item value = *x;
#pragma GCC ivdep
        for (long i = begin; i < end; ++i) out[i] = either(condition[i], value, y[i]);
    } else if (job.y_is_number) {
        const Item value = *y;
#pragma GCC ivdep
        for (long i = begin; i < end; ++i) out[i] = either(condition[i], x[i], value);
    } else {
#pragma GCC ivdep
        for (long i = begin; i < end; ++i) out[i] = either(condition[i], x[i], y[i]);
    }
}

}  // namespace
}  // namespace pellucid
