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

}  // namespace
}  // namespace pellucid
