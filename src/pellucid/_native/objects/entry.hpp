// What Python calls, wrapped.
//
// Note [Entries]
// An exception of C++ that leaves a function which Python has called ends the process. So tables of
// functions, slots of types and vectorcalls hold `entry<function>` (`fast<function>()` where
// arguments come as an array), which turns it into an error of Python's: MemoryError for one of an
// allocation. Where something has to be put back before the entry is left, such as a lock or the
// modes of a pass, `guarded` does the same for a part of a function. Python ends a daemon thread at
// the end of the program by unwinding it; that is none of these exceptions, and goes on.
#pragma once

#include "objects/numpy_api.hpp"

#include <new>
#include <stdexcept>
#include <type_traits>

namespace pellucid {

// What a function returns to say that an error of Python's is set.
template <class Result>
Result failure() {
    if constexpr (std::is_pointer_v<Result>) return nullptr;
    else if constexpr (std::is_same_v<Result, bool>) return false;
    else return -1;
}

// Runs something; where it throws, an error of Python's says so.
template <class Run>
auto guarded(const Run& run) -> decltype(run()) {
    try {
        return run();
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const std::length_error&) {
        PyErr_NoMemory();
    } catch (const std::exception& error) {
        PyErr_Format(PyExc_SystemError, "in the compiled module: %s", error.what());
    }
    return failure<decltype(run())>();
}

template <class Function, Function function>
struct Entry;

template <class Result, class... Given, Result (*function)(Given...)>
struct Entry<Result (*)(Given...), function> {
    static Result call(Given... given) {
        return guarded([&] { return function(given...); });
    }
};

template <auto function>
constexpr auto entry = &Entry<decltype(function), function>::call;

// The same for a table of functions that take their arguments as an array.
template <auto function>
PyCFunction fast() {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(entry<function>));
}

}  // namespace pellucid
