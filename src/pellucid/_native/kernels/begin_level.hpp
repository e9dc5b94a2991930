// What a family of kernels begins with, and end_level.hpp ends.
//
// Note [Levels]
// Each file in families/ is compiled once for each processor level: the build defines
// PELLUCID_LEVEL, the name of the level and of the namespace in which the file fills the level's
// table. Other headers come first: what is inline in them is compiled for every processor. What
// follows may use the level's instructions, and lies in unnamed namespaces, so that no function of
// one level is taken for that of another. VECTOR_BYTES and REGISTERS say how wide vectors are and
// how many the processor has.
#include "kernels/level_headers.hpp"

#if defined(PELLUCID_LEVEL_avx512)
#define VECTOR_BYTES 64
#define REGISTERS 32
#elif defined(PELLUCID_LEVEL_avx2)
#define VECTOR_BYTES 32
#define REGISTERS 16
#elif defined(__aarch64__)
#define VECTOR_BYTES 16
#define REGISTERS 32
#else
#define VECTOR_BYTES 16
#define REGISTERS 16
#endif

#if defined(PELLUCID_LEVEL_avx512)
#if defined(__clang__)
#pragma clang attribute push(                                                    \
    __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,f16c"))), \
    apply_to = function)
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,f16c,prefer-vector-width=512")
#endif
#elif defined(PELLUCID_LEVEL_avx2)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c")
#endif
#endif

// Entries of the table by name: kernels for float32 and float64, whole or for some rows of a job.
#define BOTH(entry, kernel) \
    (table.entry[kSingle] = kernel<float>, table.entry[kDouble] = kernel<double>)
#define BOTH_BY_ROWS(entry, kernel)                       \
    (table.entry[kSingle] = SomeRows<kernel<float>>::run, \
     table.entry[kDouble] = SomeRows<kernel<double>>::run)
