// Allocations that fail on request: a library to be loaded before all others (LD_PRELOAD).
//
// fail_allocations(first, count, own) lets so many allocations succeed, then `count` fail, then all
// succeed again. Each call of the C and C++ libraries' functions counts as one; what frees is left
// alone. With `own`, only those count that the compiled module asks for, itself or by a function of
// Python's or NumPy's, and not those of the interpreter's loop. Nothing fails in PyContextVar_Set,
// which in CPython 3.11 reads a null pointer where its token and its map both find no memory.
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <new>

namespace {

std::atomic<long> to_come{-1}, to_fail{0}, failed{0};
std::atomic<bool> armed{false};
bool only_own = false;
const char *module_begin = nullptr, *module_end = nullptr;
const void *loop_begin = nullptr, *set_variable = nullptr;
thread_local bool looking_up = false;

// Remember where the module lies.
int look_at(dl_phdr_info* info, size_t, void*) {
    if (strstr(info->dlpi_name, "_native/compiled") == nullptr) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const auto& part = info->dlpi_phdr[i];
        if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
        module_begin = reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr);
        module_end = module_begin + part.p_memsz;
    }
    return 1;
}

// Return whether the module is nearer on the stack than the interpreter's loop.
bool is_own() {
    if (looking_up) return false;
    looking_up = true;
    void* frames[24];
    int count = backtrace(frames, 24);
    bool found = false;
    for (int i = 2; i < count; i++) {
        const char* at = static_cast<const char*>(frames[i]);
        if (at >= module_begin && at < module_end) {
            found = true;
            break;
        }
        Dl_info info;
        if (dladdr(at, &info) == 0) continue;
        if (info.dli_saddr == loop_begin || info.dli_saddr == set_variable) break;
    }
    looking_up = false;
    return found;
}

bool fails() {
    if (!armed.load(std::memory_order_relaxed)) return false;
    if (only_own && !is_own()) return false;
    if (to_come.fetch_sub(1) > 0) return false;
    if (to_fail.fetch_sub(1) > 0) {
        failed.fetch_add(1);
        errno = ENOMEM;
        return true;
    }
    armed = false;
    return false;
}

template <class Function>
Function next(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// dlsym itself asks for memory before calloc is found.
alignas(16) char early[8192];
size_t early_used = 0;
bool is_early(const void* p) { return p >= early && p < early + sizeof early; }

}  // namespace

extern "C" {

void fail_allocations(long first, long count, int own) {
    failed = 0;
    only_own = own != 0;
    if (only_own && module_begin == nullptr) {
        dl_iterate_phdr(look_at, nullptr);
        loop_begin = dlsym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault");
        set_variable = dlsym(RTLD_DEFAULT, "PyContextVar_Set");
        is_own();  // the first look allocates
    }
    to_come = first;
    to_fail = count;
    armed = count > 0;
}

// How many failed; no more do.
long end_failing() {
    armed = false;
    return failed;
}

// How many allocations were made since fail_allocations(first, ...) if none failed.
long allocations(long first) { return first - to_come; }

void* malloc(size_t size) {
    static auto real = next<void* (*)(size_t)>("malloc");
    return fails() ? nullptr : real(size);
}

void* calloc(size_t count, size_t size) {
    static bool looking = false;
    static void* (*real)(size_t, size_t) = nullptr;
    if (real == nullptr) {
        if (looking) {
            void* p = early + early_used;
            early_used += (count * size + 15) & ~size_t(15);
            return early_used <= sizeof early ? p : nullptr;
        }
        looking = true;
        real = next<void* (*)(size_t, size_t)>("calloc");
    }
    return fails() ? nullptr : real(count, size);
}

void* realloc(void* old, size_t size) {
    static auto real = next<void* (*)(void*, size_t)>("realloc");
    return fails() ? nullptr : real(old, size);
}

void free(void* p) {
    static auto real = next<void (*)(void*)>("free");
    if (!is_early(p)) real(p);
}

int posix_memalign(void** out, size_t alignment, size_t size) {
    static auto real = next<int (*)(void**, size_t, size_t)>("posix_memalign");
    return fails() ? ENOMEM : real(out, alignment, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
    static auto real = next<void* (*)(size_t, size_t)>("aligned_alloc");
    return fails() ? nullptr : real(alignment, size);
}

}  // extern "C"

void* operator new(size_t size) {
    static auto real = next<void* (*)(size_t)>("_Znwm");
    if (fails()) throw std::bad_alloc();
    return real(size);
}

void* operator new[](size_t size) {
    static auto real = next<void* (*)(size_t)>("_Znam");
    if (fails()) throw std::bad_alloc();
    return real(size);
}

void* operator new(size_t size, const std::nothrow_t&) noexcept {
    static auto real = next<void* (*)(size_t, const std::nothrow_t&)>("_ZnwmRKSt9nothrow_t");
    return fails() ? nullptr : real(size, std::nothrow);
}
