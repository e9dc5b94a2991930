// The loops of elementwise kernels over elements that lie next to each other.
#pragma once

#include "functions_of_numbers.hpp"

namespace pellucid {
namespace {

template <class T, T (*function)(T)>
void unary_loop(const void* from, void* to, long count) {
    const T* x = static_cast<const T*>(from);
    T* y = static_cast<T*>(to);
#pragma GCC ivdep
    for (long i = 0; i < count; ++i) y[i] = function(x[i]);
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
