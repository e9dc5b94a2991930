// Working memory that a thread keeps from call to call.
#pragma once

#include <cstddef>

namespace pellucid {

constexpr int kScratchSlots = 6;

// Return at least `bytes` of memory, aligned to a cache line, whose contents are arbitrary and
// which stays valid until this thread asks for the same slot again. Throws std::bad_alloc.
void* scratch(int slot, std::size_t bytes);

}  // namespace pellucid
