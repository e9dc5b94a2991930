// Vectors of the width of the processor level that is being compiled.
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

#include "kernels/threads.hpp"

namespace pellucid {
namespace {

template <class T>
struct VectorOf {
    static constexpr int size = VECTOR_BYTES / static_cast<int>(sizeof(T));
    typedef T type __attribute__((vector_size(VECTOR_BYTES)));
    typedef T unaligned __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));
};

template <class T>
using Vector = typename VectorOf<T>::type;

template <class T>
inline Vector<T> load(const T* from) {
    return *reinterpret_cast<const typename VectorOf<T>::unaligned*>(from);
}

template <class T>
inline void store(T* to, Vector<T> value) {
    *reinterpret_cast<typename VectorOf<T>::unaligned*>(to) = value;
}

// The elements of a vector from `distance` on, and then the others.
template <class T, int distance, std::size_t... i>
inline Vector<T> rotated(Vector<T> x, std::index_sequence<i...>) {
    constexpr int size = VectorOf<T>::size;
#if defined(__clang__)
    return __builtin_shufflevector(x, x, static_cast<int>((i + distance) % size)...);
#else
    using Place = std::conditional_t<sizeof(T) == sizeof(int), int, long long>;
    typedef Place Places __attribute__((vector_size(VECTOR_BYTES)));
    return __builtin_shuffle(x, Places{static_cast<Place>((i + distance) % size)...});
#endif
}

// One number of all elements: those of the first half with their partners in the second, and so on.
template <class T, int width = VectorOf<T>::size / 2, class Combine>
inline T folded(Vector<T> x, const Combine& combine) {
    if constexpr (width == 0) {
        return x[0];
    } else {
        constexpr std::make_index_sequence<VectorOf<T>::size> places;
        return folded<T, width / 2>(combine(x, rotated<T, width>(x, places)), combine);
    }
}

inline long smaller(long a, long b) { return a < b ? a : b; }
inline long larger(long a, long b) { return a > b ? a : b; }

// The part of a job that runs a function on some of its rows.
template <auto row_function>
struct SomeRows;

template <class Job, void (*row_function)(const Job&, long)>
struct SomeRows<row_function> {
    static void run(const Job& job, long part) {
        const long begin = part * job.rows_at_once;
        for (long row = begin; row < smaller(job.rows, begin + job.rows_at_once); ++row)
            row_function(job, row);
    }
};

// Run body(i) for i in [0, count) on the pool.
template <class Body>
void in_parallel(long count, const Body& body) {
    run_tasks(
        count, [](void* context, long i) { (*static_cast<const Body*>(context))(i); },
        const_cast<Body*>(&body));
}

// Run body(begin, end) over [0, count) in pieces of `grain`.
template <class Body>
void in_pieces(long count, long grain, const Body& body) {
    in_parallel((count + grain - 1) / grain,
                [&](long piece) { body(piece * grain, smaller(count, (piece + 1) * grain)); });
}

}  // namespace
}  // namespace pellucid
