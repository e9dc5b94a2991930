// What the loops of sums are given.
#pragma once

namespace pellucid {

// Columns that are added up side by side.
constexpr long kColumns = 1024;

// What is added up.
enum SumOf { kElements, kSquares };

// Sums of [outer, count, inner] over the second dimension.
struct SumJob {
    const void* x;
    double* partial;  // [share][outer][inner]
    long outer, count, inner;
    long shares;  // ranges of the second dimension that are added up by themselves

    long begin(long share) const { return count * share / shares; }
};

}  // namespace pellucid
