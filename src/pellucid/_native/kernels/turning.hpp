// Rows that become columns, a square of vectors at a time.
#pragma once

#include "kernels/vectors.hpp"

namespace pellucid {
namespace {

// Elements of two vectors in turn: the first halves of both, or the second ones.
template <class T, std::size_t... i>
inline Vector<T> in_turn(Vector<T> a, Vector<T> b, int half, std::index_sequence<i...>) {
    constexpr int size = VectorOf<T>::size;
#if defined(__clang__)
    return half == 0 ? __builtin_shufflevector(a, b, (i % 2 * size + i / 2)...)
                     : __builtin_shufflevector(a, b, (i % 2 * size + (i + size) / 2)...);
#else
    using Place = std::conditional_t<sizeof(T) == sizeof(int), int, long long>;
    typedef Place Places __attribute__((vector_size(VECTOR_BYTES)));
    const Places first = {static_cast<Place>(i % 2 * size + i / 2)...};
    return __builtin_shuffle(a, b, half == 0 ? first : first + size / 2);
#endif
}

// Turn a square of as many rows as a vector has elements: elements of rows that lie half of them
// apart are taken in turn, until all have met.
template <class T>
inline void turn_square(const T* from, long step, T* to, long to_step) {
    constexpr int size = VectorOf<T>::size;
    constexpr std::make_index_sequence<size> places;
    Vector<T> rows[size], taken[size];
#pragma GCC unroll 16
    for (int i = 0; i < size; ++i) rows[i] = load(from + i * step);
#pragma GCC unroll 4
    for (int met = 1; met < size; met *= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < size / 2; ++i) {
            taken[2 * i] = in_turn<T>(rows[i], rows[i + size / 2], 0, places);
            taken[2 * i + 1] = in_turn<T>(rows[i], rows[i + size / 2], 1, places);
        }
#pragma GCC unroll 16
        for (int i = 0; i < size; ++i) rows[i] = taken[i];
    }
#pragma GCC unroll 16
    for (int i = 0; i < size; ++i) store(to + i * to_step, rows[i]);
}

// Turn as many rows as a vector has elements, of `count` elements each, into rows `to_step` apart.
// So many rows far apart are more than a processor foresees: memory is prefetched.
template <class T>
inline void turn_rows(const T* from, long step, long count, T* to, long to_step) {
    constexpr int size = VectorOf<T>::size;
    constexpr long ahead = 2 * size;
    long k = 0;
    for (; k + size <= count; k += size) {
        if (k + ahead < count)
            for (long i = 0; i < size; ++i) __builtin_prefetch(from + i * step + k + ahead);
        turn_square(from + k, step, to + k * to_step, to_step);
    }
    for (; k < count; ++k)
        for (long i = 0; i < size; ++i) to[k * to_step + i] = from[i * step + k];
}

}  // namespace
}  // namespace pellucid
