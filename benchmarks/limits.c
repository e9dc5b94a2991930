/* What a machine can do at most: multiplications in registers, and reading memory. */
#include <stddef.h>
#include <string.h>

#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX__)
#define BYTES 32
#else
#define BYTES 16
#endif
#define LANES (BYTES / 4)

typedef float vector __attribute__((vector_size(BYTES)));

/* Multiply and add in twelve chains that do not wait for each other; return the operations. */
double multiply_in_registers(long rounds, float *out) {
    vector sums[12], factor;
    for (int i = 0; i < LANES; ++i) factor[i] = 0.999f;
    for (int i = 0; i < 12; ++i) sums[i] = factor * (float)i;
    for (long r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
        for (int i = 0; i < 12; ++i) sums[i] = sums[i] * factor + factor;
    }
    for (int i = 1; i < 12; ++i) sums[0] += sums[i];
    memcpy(out, &sums[0], BYTES);
    return 2.0 * LANES * 12 * (double)rounds;
}

/* Read an array so often; return the bytes. */
double read_memory(const float *from, long elements, long rounds, float *out) {
    vector sums[8] = {{0}};
    const long step = 8 * LANES, whole = elements / step * step;
    for (long r = 0; r < rounds; ++r) {
        for (long i = 0; i < whole; i += step) {
#pragma GCC unroll 8
            for (int v = 0; v < 8; ++v) sums[v] += *(const vector *)(from + i + v * LANES);
        }
        __asm__ volatile("" : : "r"(from) : "memory");
    }
    for (int i = 1; i < 8; ++i) sums[0] += sums[i];
    memcpy(out, &sums[0], BYTES);
    return 4.0 * (double)whole * (double)rounds;
}
