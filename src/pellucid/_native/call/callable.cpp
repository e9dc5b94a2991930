// The type of the callables in front of Python functions.
#include "call/callable.hpp"

#include <frameobject.h>
#include <structmember.h>

#include <memory>
#include <string>

namespace pellucid {

// Note [Profilers]
// The interpreter tells profilers of calls of functions of C, not of other callables: cProfile
// would count the time of a compiled op for the line that calls it. So each callable tells them
// itself, in the name of a function of C that is made for this, and is never called.
struct Profile {
    std::string name;
    PyMethodDef definition;
    Ref function;
};

namespace {

PyTypeObject* callable_type = nullptr;

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

// Tells the thread's profiler what happens to a callable; false with an error of the profiler's.
bool tell_profiler(PyThreadState* thread, Callable* self, int event) {
    if (thread->c_profilefunc == nullptr) return true;  // switched off by the call itself
    PyObject *kind, *error, *trace;
    PyErr_Fetch(&kind, &error, &trace);
    PyFrameObject* frame = PyThreadState_GetFrame(thread);
    PyThreadState_EnterTracing(thread);
    const bool told = thread->c_profilefunc(thread->c_profileobj, frame, event,
                                            self->profile->function.get()) == 0;
    PyThreadState_LeaveTracing(thread);
    Py_XDECREF(frame);
    if (told) PyErr_Restore(kind, error, trace);
    else Py_XDECREF(kind), Py_XDECREF(error), Py_XDECREF(trace);
    return told;
}

PyObject* call_profiled(PyObject* object, PyObject* const* arguments, size_t count,
                        PyObject* names) {
    Callable* self = reinterpret_cast<Callable*>(object);
    PyThreadState* thread = PyThreadState_Get();
    if (!profile_of(self) || !tell_profiler(thread, self, PyTrace_C_CALL)) return nullptr;
    Ref result(self->run(object, arguments, count, names));
    const int event = result ? PyTrace_C_RETURN : PyTrace_C_EXCEPTION;
    return tell_profiler(thread, self, event) ? result.release() : nullptr;
}

PyObject* call_callable(PyObject* object, PyObject* const* arguments, size_t count,
                        PyObject* names) {
    PyThreadState* thread = PyThreadState_Get();
    if (thread->c_profilefunc != nullptr && thread->tracing == 0) {
        return entry<call_profiled>(object, arguments, count, names);
    }
    return reinterpret_cast<Callable*>(object)->run(object, arguments, count, names);
}

PyObject* bind(PyObject* self, PyObject* instance, PyObject*) {
    return instance == nullptr ? Py_NewRef(self) : PyMethod_New(self, instance);
}

PyObject* represent(PyObject* object) {
    Callable* self = reinterpret_cast<Callable*>(object);
    Ref name(PyObject_GetAttrString(self->python, "__name__"));
    return name ? PyUnicode_FromFormat("<compiled function %U at %p>", name.get(), object)
                : nullptr;
}

int traverse(PyObject* object, visitproc visit, void* arg) {
    Callable* self = reinterpret_cast<Callable*>(object);
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->python);
    Py_VISIT(self->describe);
    return 0;
}

int clear(PyObject* object) {
    Callable* self = reinterpret_cast<Callable*>(object);
    Py_CLEAR(self->python);
    Py_CLEAR(self->describe);
    return 0;
}

void deallocate(PyObject* object) {
    Callable* self = reinterpret_cast<Callable*>(object);
    PyTypeObject* type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    if (self->weak_references != nullptr) PyObject_ClearWeakRefs(object);
    delete self->description;
    clear(object);
    type->tp_free(object);
    Py_DECREF(type);
}

// What the type does not have is the Python function's: names, signature, the op, its decorators;
// and the module, which every type has too.
PyObject* get_attribute(PyObject* object, PyObject* name) {
    if (PyUnicode_CompareWithASCIIString(name, "__module__") == 0) {
        return PyObject_GetAttr(reinterpret_cast<Callable*>(object)->python, name);
    }
    PyObject* found = PyObject_GenericGetAttr(object, name);
    if (found != nullptr || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
    PyErr_Clear();
    return PyObject_GetAttr(reinterpret_cast<Callable*>(object)->python, name);
}

int set_attribute(PyObject* object, PyObject* name, PyObject* value) {
    return PyObject_SetAttr(reinterpret_cast<Callable*>(object)->python, name, value);
}

PyObject* get_dictionary(PyObject* object, void*) {
    return PyObject_GetAttrString(reinterpret_cast<Callable*>(object)->python, "__dict__");
}

// `help` asks the type for it, and shows nothing that only `get_attribute` knows.
PyObject* get_documentation(PyObject* object, void*) {
    return PyObject_GetAttrString(reinterpret_cast<Callable*>(object)->python, "__doc__");
}

PyObject* get_wrapped(PyObject* object, void*) {
    return Py_NewRef(reinterpret_cast<Callable*>(object)->python);
}

// A function is pickled, and copied, by its name.
PyObject* reduce(PyObject* object, PyObject*) {
    return PyObject_GetAttrString(reinterpret_cast<Callable*>(object)->python, "__qualname__");
}

PyGetSetDef attributes[] = {
    {"__dict__", entry<get_dictionary>, nullptr, nullptr, nullptr},
    {"__doc__", entry<get_documentation>, nullptr, nullptr, nullptr},
    {"__wrapped__", entry<get_wrapped>, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"__reduce__", entry<reduce>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Callable, vectorcall), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Callable, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void*>(entry<bind>)},
    {Py_tp_repr, reinterpret_cast<void*>(entry<represent>)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
    {Py_tp_getattro, reinterpret_cast<void*>(entry<get_attribute>)},
    {Py_tp_setattro, reinterpret_cast<void*>(entry<set_attribute>)},
    {Py_tp_getset, attributes},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {0, nullptr},
};

PyType_Spec spec = {
    "pellucid._native.compiled.Function",
    sizeof(Callable),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
        Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    slots,
};

}  // namespace

PyObject* make_callable(vectorcallfunc run, PyObject* python, PyObject* describe) {
    Callable* made = reinterpret_cast<Callable*>(callable_type->tp_alloc(callable_type, 0));
    if (made == nullptr) return nullptr;
    made->vectorcall = call_callable;
    made->run = run;
    made->python = Py_NewRef(python);
    made->describe = Py_NewRef(describe);
    return reinterpret_cast<PyObject*>(made);
}

bool is_callable(PyObject* object, vectorcallfunc run) {
    return Py_IS_TYPE(object, callable_type) && reinterpret_cast<Callable*>(object)->run == run;
}

bool add_callable_type() {
    callable_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
    return callable_type != nullptr;
}

}  // namespace pellucid
