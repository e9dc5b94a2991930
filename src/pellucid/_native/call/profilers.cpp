// Profilers: they are told of calls of callables as of calls of functions of C.
#include "call/profilers.hpp"

#include <frameobject.h>

#include <memory>
#include <string>

namespace pellucid {

// Note [Profilers]
// The interpreter tells profilers of calls of functions of C, not of other callables: cProfile
// would count the time of a compiled op for the line that calls it. So each callable tells them
// itself, in the name of a function of C that is made for this, and is never called. A function
// given to `sys.setprofile` is one thread's. cProfile hears by it up to Python 3.11, and by
// `sys.monitoring` from then on; whether it does can be asked from 3.13 on.
struct Profile {
    std::string name;
    PyMethodDef definition;
    Ref function;
};

namespace {

PyObject* never_called(PyObject*, PyObject*) { Py_RETURN_NONE; }

// The text of a function's attribute; empty, with an error, where it has none.
std::string text_of(PyObject* function, const char* attribute) {
    Ref found(PyObject_GetAttrString(function, attribute));
    const char* text = found ? PyUnicode_AsUTF8(found.get()) : nullptr;
    return text == nullptr ? std::string() : text;
}

// Makes what profilers are told of a callable, if it has not been; false with an error. It stays
// when the callable goes: profilers keep the address of the definition.
bool profile_of(Callable* self) {
    if (self->profile != nullptr) return true;
    auto made = std::make_unique<Profile>();
    made->name = text_of(self->python, "__qualname__");
    made->definition = {made->name.c_str(), never_called, METH_NOARGS, nullptr};
    Ref module(PyObject_GetAttrString(self->python, "__module__"));
    if (!module || made->name.empty()) return false;
    made->function = Ref(PyCFunction_NewEx(&made->definition, nullptr, module.get()));
    if (!made->function) return false;
    self->profile = made.release();
    return true;
}

// Tells the thread's function what happens to a callable; false with an error of the function's.
bool tell_function(PyThreadState* thread, PyFrameObject* frame, Callable* self, int event) {
    if (thread->c_profilefunc == nullptr) return true;  // there is none, or no longer
    return thread->c_profilefunc(thread->c_profileobj, frame, event,
                                 self->profile->function.get()) == 0;
}

#if PY_VERSION_HEX >= 0x030D0000

constexpr int profiler_id = 2;  // sys.monitoring.PROFILER_ID
const uint8_t call_event = PY_MONITORING_EVENT_CALL;
PyMonitoringState monitored = {};
uint64_t monitors_version = 0;
// What a profiler has registered for calls, returns and errors, of that version of the monitors.
PyObject* callbacks[3] = {};
uint64_t callbacks_version = 0;

void drop_callbacks() {
    callbacks_version = 0;
    for (PyObject*& each : callbacks) Py_CLEAR(each);
}

// Finds what is registered: it is returned where another is put in its place.
bool find_callbacks(PyObject* monitoring) {
    if (callbacks_version == monitors_version) return true;
    const char* const names[] = {"CALL", "C_RETURN", "C_RAISE"};
    Ref events(PyObject_GetAttrString(monitoring, "events"));
    for (int place = 0; events && place < 3; ++place) {
        Ref event(PyObject_GetAttrString(events.get(), names[place]));
        if (!event) return false;
        const char* const method = "register_callback";
        Ref found(
            PyObject_CallMethod(monitoring, method, "iOO", profiler_id, event.get(), Py_None));
        if (!found) return false;
        Py_XSETREF(callbacks[place], Py_NewRef(found.get()));
        if (found.get() == Py_None) continue;
        Ref put(
            PyObject_CallMethod(monitoring, method, "iOO", profiler_id, event.get(), found.get()));
        if (!put) return false;
    }
    callbacks_version = monitors_version;
    return bool(events);
}

// Tells a profiler that uses `sys.monitoring`; false with an error of the profiler's.
bool tell_monitors(PyFrameObject* frame, Callable* self, int event) {
    if (frame == nullptr || !is_monitored()) return true;
    PyObject* monitoring = PySys_GetObject("monitoring");
    if (monitoring == nullptr || !find_callbacks(monitoring)) return monitoring == nullptr;
    const int place = event == PyTrace_C_CALL ? 0 : event == PyTrace_C_RETURN ? 1 : 2;
    if (callbacks[place] == Py_None) return true;
    Ref callback = Ref::borrowed(callbacks[place]);
    Ref missing(PyObject_GetAttrString(monitoring, "MISSING"));
    Ref code(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
    if (!missing) return false;
    return bool(Ref(PyObject_CallFunction(callback.get(), "OiOO", code.get(), 0,
                                          self->profile->function.get(), missing.get())));
}

#else

bool tell_monitors(PyFrameObject*, Callable*, int) { return true; }

#endif

// Tells the profilers what happens to a callable; false with an error of theirs.
bool tell_profilers(PyThreadState* thread, Callable* self, int event) {
    PyObject *kind, *error, *trace;
    PyErr_Fetch(&kind, &error, &trace);
    PyFrameObject* frame = PyThreadState_GetFrame(thread);
    PyThreadState_EnterTracing(thread);
    const bool told =
        tell_function(thread, frame, self, event) && tell_monitors(frame, self, event);
    PyThreadState_LeaveTracing(thread);
    Py_XDECREF(frame);
    if (told) PyErr_Restore(kind, error, trace);
    else Py_XDECREF(kind), Py_XDECREF(error), Py_XDECREF(trace);
    return told;
}

}  // namespace

#if PY_VERSION_HEX >= 0x030D0000
bool is_monitored() {
    PyMonitoring_EnterScope(&monitored, &monitors_version, &call_event, 1);
    const bool listens = (monitored.active >> profiler_id & 1) != 0;
    if (!listens && callbacks_version != 0) drop_callbacks();
    return listens;
}
#endif

PyObject* call_profiled(PyObject* object, PyObject* const* arguments, size_t count,
                        PyObject* names) {
    Callable* self = reinterpret_cast<Callable*>(object);
    PyThreadState* thread = PyThreadState_Get();
    if (!profile_of(self) || !tell_profilers(thread, self, PyTrace_C_CALL)) return nullptr;
    Ref result(self->run(object, arguments, count, names));
    const int event = result ? PyTrace_C_RETURN : PyTrace_C_EXCEPTION;
    return tell_profilers(thread, self, event) ? result.release() : nullptr;
}

}  // namespace pellucid
