// Headers come before the target, so that what is inline in them is compiled for every processor.
#include "kernels/level_headers.hpp"

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c")
#endif

#define LEVEL_TABLE avx2_table
#define VECTOR_BYTES 32
#define REGISTERS 16
#include "kernels/all.hpp"

#if defined(__clang__)
#pragma clang attribute pop
#elif defined(__GNUC__)
#pragma GCC pop_options
#endif
#endif
