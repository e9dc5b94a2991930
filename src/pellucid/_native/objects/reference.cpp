#include "objects/reference.hpp"

#include "objects/entry.hpp"

#ifdef __GLIBCXX__
#include <cxxabi.h>
#include <unistd.h>
#endif

namespace pellucid {

bool ends = false;

bool has_ended() {
#if PY_VERSION_HEX >= 0x030D0000
    return ends && Py_IsFinalizing();
#else
    return ends && _Py_IsFinalizing();
#endif
}

void give_back_last(PyObject* object) {
    if (has_ended()) return;
#ifdef __GLIBCXX__
    // No destructor may be left by unwinding: where Python code that this runs is ended, the thread
    // stays here until the program has gone.
    try {
        Py_DECREF(object);
    } catch (const abi::__forced_unwind&) {
        for (;;) pause();
    }
#else
    Py_DECREF(object);
#endif
}

namespace {

PyObject* note_the_end(PyObject*, PyObject*) {
    ends = true;
    Py_RETURN_NONE;
}

PyMethodDef noting = {"note_the_end", entry<note_the_end>, METH_NOARGS, nullptr};

}  // namespace

bool watch_for_the_end() {
    Ref atexit(PyImport_ImportModule("atexit")), noted(PyCFunction_New(&noting, nullptr));
    if (!atexit || !noted) return false;
    return static_cast<bool>(Ref(PyObject_CallMethod(atexit.get(), "register", "O", noted.get())));
}

}  // namespace pellucid
