// What a family of kernels ends with; see begin_level.hpp.
#if defined(PELLUCID_LEVEL_avx512) || defined(PELLUCID_LEVEL_avx2)
#if defined(__clang__)
#pragma clang attribute pop
#elif defined(__GNUC__)
#pragma GCC pop_options
#endif
#endif
