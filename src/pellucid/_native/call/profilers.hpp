// Profilers: they are told of calls of callables as of calls of functions of C.
#pragma once

#include "call/callable.hpp"

namespace pellucid {

// Whether a profiler listens by `sys.monitoring`, as far as that can be asked.
#if PY_VERSION_HEX >= 0x030D0000
bool is_monitored();
#else
inline bool is_monitored() { return false; }
#endif

// Whether a profiler listens to a thread, and is not running itself.
inline bool is_profiled(PyThreadState* thread) {
    return (thread->c_profilefunc != nullptr || is_monitored()) && thread->tracing == 0;
}

// Runs a callable, and tells the thread's profilers of it.
PyObject* call_profiled(PyObject* object, PyObject* const* arguments, size_t count,
                        PyObject* names);

}  // namespace pellucid
