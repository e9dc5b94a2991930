#include "kernels/scratch.hpp"

#include <new>

namespace pellucid {
namespace {

constexpr std::align_val_t kLine{64};

struct Block {
    void* memory = nullptr;
    std::size_t size = 0;

    ~Block() { release(); }

    void release() {
        ::operator delete(memory, kLine);
        memory = nullptr;
        size = 0;
    }

    void* reserve(std::size_t bytes) {
        if (bytes > size) {
            release();
            memory = ::operator new(bytes, kLine);
            size = bytes;
        }
        return memory;
    }
};

thread_local Block blocks[kScratchSlots];

}  // namespace

void* scratch(int slot, std::size_t bytes) { return blocks[slot].reserve(bytes); }

}  // namespace pellucid
