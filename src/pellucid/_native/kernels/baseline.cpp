#include "kernels/level_headers.hpp"

#define LEVEL_TABLE baseline_table
#define VECTOR_BYTES 16
#if defined(__aarch64__)
#define REGISTERS 32
#else
#define REGISTERS 16
#endif
#include "kernels/all.hpp"
