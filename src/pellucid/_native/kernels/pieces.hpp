// Dividing work among threads where it is not tied to the width of vectors.
#pragma once

#include <algorithm>

#include "kernels/arguments.hpp"

namespace pellucid {
namespace {

// Elements that take about as long as waking another thread.
constexpr long kGrain = 1 << 14;

// Run body(begin, end) over [0, count) in pieces of `grain`, on as many threads as pay.
template <class Body>
void in_pieces(long count, long grain, const Body& body) {
    const auto piece = [&](long i) { body(i * grain, std::min(count, (i + 1) * grain)); };
    run_tasks((count + grain - 1) / grain,
              [](void* context, long i) { (*static_cast<const decltype(piece)*>(context))(i); },
              const_cast<void*>(static_cast<const void*>(&piece)));
}

// How many units of so many elements a piece should have.
inline long units_at_once(long elements_of_unit) {
    return std::max(1L, kGrain / std::max(1L, elements_of_unit));
}

// Runs a part of the kernels on all rows.
inline void run_rows(RowReductionJob job, Part<RowReductionJob> part) {
    job.rows_at_once = units_at_once(job.columns);
    run_parts((job.rows + job.rows_at_once - 1) / job.rows_at_once, part, job);
}

}  // namespace
}  // namespace pellucid
