// Products and extremes of rows.
#pragma once

#include "kernels/row_jobs.hpp"
#include "kernels/vectors.hpp"

namespace pellucid {
namespace {

// Neighbouring numbers in double precision; compilers convert half a vector in more steps.
inline Vector<double> load_widened(const float* from) {
#if VECTOR_BYTES == 64
    return _mm512_cvtps_pd(_mm256_loadu_ps(from));
#elif VECTOR_BYTES == 32 && defined(__x86_64__)
    return _mm256_cvtps_pd(_mm_loadu_ps(from));
#else
    Vector<double> wide{};
    for (int lane = 0; lane < VectorOf<double>::size; ++lane) wide[lane] = from[lane];
    return wide;
#endif
}

// In double precision, so that nothing overflows on the way and errors do not add up.
inline void product_of_row(const RowReductionJob& job, long row) {
    constexpr long kChains = 8, size = VectorOf<double>::size;
    const float* x = static_cast<const float*>(job.x) + row * job.columns;
    Vector<double> chains[kChains];
    for (auto& each : chains) each = Vector<double>{} + 1;
    long k = 0;
    for (; k + kChains * size <= job.columns; k += kChains * size)
        for (long c = 0; c < kChains; ++c) chains[c] *= load_widened(x + k + c * size);
#pragma GCC unroll 8
    for (long c = 0; c < kChains; ++c)
        if (k + size <= job.columns) {
            chains[c] *= load_widened(x + k);
            k += size;
        }
#pragma GCC unroll 4
    for (long width = kChains / 2; width > 0; width /= 2)
#pragma GCC unroll 4
        for (long c = 0; c < width; ++c) chains[c] *= chains[c + width];
    double product =
        folded<double>(chains[0], [](Vector<double> a, Vector<double> b) { return a * b; });
    for (; k < job.columns; ++k) product *= static_cast<double>(x[k]);
    static_cast<float*>(job.out)[row] = static_cast<float>(product);
}

struct Larger {
    template <class V>
    static V of(V x, V y) {
        return x > y ? x : y;
    }
};

struct Smaller {
    template <class V>
    static V of(V x, V y) {
        return x < y ? x : y;
    }
};

// The extreme of `count` elements; NaN if there is one.
template <class T, class Extreme>
T extreme_of(const T* x, long count) {
    constexpr long kChains = 4, size = VectorOf<T>::size;
    T best = x[0], found_nan = 0;
    long i = 0;
    if (count >= kChains * size) {
        Vector<T> chains[kChains];
        for (long c = 0; c < kChains; ++c) chains[c] = load(x + c * size);
        auto is_nan = chains[0] != chains[0];
        for (; i + kChains * size <= count; i += kChains * size)
            for (long c = 0; c < kChains; ++c) {
                const Vector<T> value = load(x + i + c * size);
                is_nan |= value != value;
                chains[c] = Extreme::of(value, chains[c]);
            }
        for (const Vector<T>& chain : chains)
            for (long lane = 0; lane < size; ++lane) {
                best = Extreme::of(T(chain[lane]), best);
                if (is_nan[lane]) found_nan = T(NAN);
            }
    }
    for (; i < count; ++i) {
        best = Extreme::of(x[i], best);
        if (x[i] != x[i]) found_nan = x[i];
    }
    return found_nan == found_nan ? best : found_nan;
}

template <class T>
void largest_of_row(const RowReductionJob& job, long row) {
    static_cast<T*>(job.out)[row] =
        extreme_of<T, Larger>(static_cast<const T*>(job.x) + row * job.columns, job.columns);
}

template <class T>
void smallest_of_row(const RowReductionJob& job, long row) {
    static_cast<T*>(job.out)[row] =
        extreme_of<T, Smaller>(static_cast<const T*>(job.x) + row * job.columns, job.columns);
}

}  // namespace
}  // namespace pellucid
