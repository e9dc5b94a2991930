// What the loops between single and half precision are given.
#pragma once

namespace pellucid {

// Elements that one part of a job converts.
constexpr long kConvertedAtOnce = 1 << 15;

struct HalfJob {
    const void* from;
    void* to;
    long count;
};

}  // namespace pellucid
