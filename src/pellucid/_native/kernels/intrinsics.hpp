// The processor's instructions by name; before begin_level.hpp, in families that need them: it
// takes compilers longer than most kernels.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif
