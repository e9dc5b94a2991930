// The loops of elementwise kernels over elements that lie next to each other.
#pragma once

#include "functions_of_numbers.hpp"
#include "rounded_functions.hpp"

namespace pellucid {
namespace {

template <class T, T (*function)(T)>
void unary_loop(const void* from, void* to, long count) {
    const T* x = static_cast<const T*>(from);
    T* y = static_cast<T*>(to);
#pragma GCC ivdep
    for (long i = 0; i < count; ++i) y[i] = function(x[i]);
}

// The same for functions of angles; the C library's where an argument is too large to be reduced.
template <float (*function)(float), double (*wide)(double)>
void angle_loop(const void* from, void* to, long count) {
    constexpr long kTogether = 256;
    const float* x = static_cast<const float*>(from);
    float* y = static_cast<float*>(to);
    for (long begin = 0; begin < count; begin += kTogether) {
        const long end = count < begin + kTogether ? count : begin + kTogether;
        int beyond = 0;
        for (long i = begin; i < end; ++i) beyond |= !(absolute_of(x[i]) <= kMostTurned);
        if (beyond) {
            for (long i = begin; i < end; ++i) y[i] = static_cast<float>(wide(x[i]));
        } else {
            unary_loop<float, function>(x + begin, y + begin, end - begin);
        }
    }
}

template <class T>
void relu_backward_loop(const void* grad, const void* result, void* to, long count) {
    const T *g = static_cast<const T*>(grad), *out = static_cast<const T*>(result);
    T* y = static_cast<T*>(to);
#pragma GCC ivdep
    for (long i = 0; i < count; ++i) y[i] = out[i] != 0 ? g[i] : T(0);  // NaN lets it pass
}

}  // namespace
}  // namespace pellucid
