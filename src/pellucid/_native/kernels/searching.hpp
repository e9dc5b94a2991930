// Places of values among edges that ascend.
#pragma once

#include <algorithm>
#include <limits>

namespace pellucid {

// For several values side by side, how many edges are less or, from the right, not greater: halves
// are left out without branches, which the processor would guess wrong. NaN comes after all
// numbers.
template <bool right, int together, class Edge, class Value>
void find_places(const Edge* edges, long count, const Value* values, long long* places) {
    const auto is_passed = [](Edge edge, Value value) {
        return right ? edge <= value : edge < value;
    };
    const Edge* base[together];
    std::fill_n(base, together, edges);
    long left = count;
    for (; left > 1; left -= left / 2) {
        const long half = left / 2;
        for (int k = 0; k < together; ++k)
            base[k] = is_passed(base[k][half - 1], values[k]) ? base[k] + half : base[k];
    }
    for (int k = 0; k < together; ++k) {
        places[k] = base[k] - edges + (left == 1 && is_passed(*base[k], values[k]));
        if (values[k] == values[k]) continue;
        const Value infinity = std::numeric_limits<Value>::infinity();
        places[k] = count;
        if (!right) find_places<true, 1>(edges, count, &infinity, places + k);
    }
}

// The same for any number of values.
template <bool right, class Edge, class Value>
void find_all_places(const Edge* edges, long count, const Value* values, long many,
                     long long* places) {
    constexpr int kTogether = 8;
    long i = 0;
    for (; i + kTogether <= many; i += kTogether)
        find_places<right, kTogether>(edges, count, values + i, places + i);
    for (; i < many; ++i) find_places<right, 1>(edges, count, values + i, places + i);
}

}  // namespace pellucid
