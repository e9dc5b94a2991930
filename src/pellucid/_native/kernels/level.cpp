#include "kernels/level.hpp"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace pellucid {

namespace {

Level detected() {
#if defined(__GNUC__) && defined(__x86_64__)
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    return avx2 && avx512 ? Level::avx512 : avx2 ? Level::avx2 : Level::baseline;
#else
    return Level::baseline;
#endif
}

Level limited(Level found) {
    const char* limit = std::getenv("PELLUCID_NATIVE");
    if (limit == nullptr) return found;
    for (Level level : {Level::baseline, Level::avx2}) {
        if (std::strcmp(limit, level_name(level)) == 0) return level < found ? level : found;
    }
    return found;
}

}  // namespace

Level processor_level() {
    static const Level level = limited(detected());
    return level;
}

const char* level_name(Level level) {
    switch (level) {
        case Level::avx512: return "avx512";
        case Level::avx2: return "avx2";
        default: return "baseline";
    }
}

}  // namespace pellucid
