// The loops of elementwise kernels over elements that lie next to each other.
#pragma once

#include "kernels/functions_of_numbers.hpp"
#include "kernels/several_numbers.hpp"

namespace pellucid {
namespace {

// The loop of a function of numbers; so many operands at the end are the same for all elements.
template <auto function, int numbers = 0>
struct PointwiseOf;

template <class T, class... Rest, T (*function)(T, Rest...), int numbers>
struct PointwiseOf<function, numbers> {
    static constexpr int inputs = 1 + sizeof...(Rest), arrays = inputs - numbers;
    using Arrays = std::make_index_sequence<arrays>;

    template <std::size_t... k, std::size_t... n>
    static void run(const T* const* x, T* y, long begin, long end, std::index_sequence<k...>,
                    std::index_sequence<n...> = {}) {
        const T same[numbers + 1] = {*x[arrays + n]...};
        [&](const auto*... each) {
#pragma GCC ivdep
            for (long i = begin; i < end; ++i) y[i] = function(each[i]..., same[n]...);
        }(x[k]...);
    }

    static void loop(const void* const* operands, void* to, long count) {
        const T* x[inputs];
        for (int k = 0; k < inputs; ++k) x[k] = static_cast<const T*>(operands[k]);
        if constexpr (arrays == 1) return in_blocks(x, static_cast<T*>(to), count);
        run(x, static_cast<T*>(to), 0, count, Arrays(), std::make_index_sequence<numbers>());
    }

    // A long function is over before the processor has looked far ahead, and it does not look past
    // a page: the next block of a single array is asked for meanwhile.
    static void in_blocks(const T* const* x, T* y, long count) {
        constexpr long kLine = 64 / sizeof(T), kBlock = 16 * kLine;
        for (long begin = 0; begin < count; begin += kBlock) {
            const long end = count < begin + kBlock ? count : begin + kBlock;
            const long ahead = count < end + kBlock ? count : end + kBlock;
            for (long i = end; i < ahead; i += kLine) __builtin_prefetch(x[0] + i, 0, 2);
            run(x, y, begin, end, Arrays(), std::make_index_sequence<numbers>());
        }
    }
};

// The same with another function for elements that are not usual, and for their neighbours.
template <auto function, auto is_usual, auto exactly>
struct GuardedOf {
    using Usual = PointwiseOf<function>;
    using Places = std::make_index_sequence<Usual::inputs>;

    template <std::size_t... k>
    static bool are_usual(const float* const* x, long begin, long end, std::index_sequence<k...>) {
        int unusual = 0;
        for (long i = begin; i < end; ++i) unusual |= !is_usual(x[k][i]...);
        return unusual == 0;
    }

    static void loop(const void* const* operands, void* to, long count) {
        constexpr long kTogether = 256;
        const float* x[Usual::inputs];
        for (int k = 0; k < Usual::inputs; ++k) x[k] = static_cast<const float*>(operands[k]);
        for (long begin = 0; begin < count; begin += kTogether) {
            const long end = count < begin + kTogether ? count : begin + kTogether;
            if (are_usual(x, begin, end, Places()))
                Usual::run(x, static_cast<float*>(to), begin, end, Places());
            else PointwiseOf<exactly>::run(x, static_cast<float*>(to), begin, end, Places());
        }
    }
};

template <class T>
void relu_backward_loop(const void* grad, const void* result, void* to, long count) {
    const T *g = static_cast<const T*>(grad), *out = static_cast<const T*>(result);
    T* y = static_cast<T*>(to);
#pragma GCC ivdep
    for (long i = 0; i < count; ++i) y[i] = out[i] != 0 ? g[i] : T(0);  // NaN lets it pass
}

// What the lists of kernels make entries of the table with.
template <auto single>
void add_single(PointwiseKernel (*to)[2]) {
    (*to)[kSingle] = {PointwiseOf<single>::loop, PointwiseOf<single>::inputs};
}

template <auto single, auto double_>
void add_both(PointwiseKernel (*to)[2]) {
    add_single<single>(to);
    (*to)[kDouble] = {PointwiseOf<double_>::loop, PointwiseOf<double_>::inputs};
}

// The same with loops where so many operands at the end are numbers.
template <auto function, int numbers>
PointwiseKernel with_numbers() {
    return {PointwiseOf<function>::loop, PointwiseOf<function>::inputs,
            PointwiseOf<function, numbers>::loop, numbers};
}

#define POINTWISE(name) (table.pointwise + static_cast<int>(Pointwise::k_##name))
#define SINGLE_POINTWISE(name) add_single<name##_of>(POINTWISE(name));
#define BOTH_POINTWISE(name) add_both<name##_of<float>, name##_of<double>>(POINTWISE(name));
#define BOTH_WITH_NUMBERS(name, numbers)                                     \
    (*POINTWISE(name))[kSingle] = with_numbers<name##_of<float>, numbers>(); \
    (*POINTWISE(name))[kDouble] = with_numbers<name##_of<double>, numbers>();
#define GUARDED(name)                                                                           \
    (*POINTWISE(name))[kSingle] = {GuardedOf<name##_of, name##_is_usual, name##_exactly>::loop, \
                                   PointwiseOf<name##_of>::inputs};

}  // namespace
}  // namespace pellucid
