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

template <class T, T (*function)(T, T)>
void binary_loop(const void* first, const void* second, void* to, long count, long a_step,
                 long b_step) {
    const T* a = static_cast<const T*>(first);
    const T* b = static_cast<const T*>(second);
    T* y = static_cast<T*>(to);
    if (a_step != 0 && b_step != 0) {
#pragma GCC ivdep
        for (long i = 0; i < count; ++i) y[i] = function(a[i], b[i]);
    } else if (b_step != 0) {
        const T value = *a;
#pragma GCC ivdep
        for (long i = 0; i < count; ++i) y[i] = function(value, b[i]);
    } else {
        const T value = *b;
#pragma GCC ivdep
        for (long i = 0; i < count; ++i) y[i] = function(a_step != 0 ? a[i] : *a, value);
    }
}

}  // namespace
}  // namespace pellucid
