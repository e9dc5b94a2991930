// The type of the callables in front of Python functions.
#include "call/callable.hpp"

#include "call/profilers.hpp"

#include <structmember.h>

namespace pellucid {

namespace {

PyTypeObject* callable_type = nullptr;

PyObject* call_callable(PyObject* object, PyObject* const* arguments, size_t count,
                        PyObject* names) {
    if (is_profiled(PyThreadState_Get())) {
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

PyObject* make_callable(vectorcallfunc run, PyObject* python, PyObject* describe,
                        vectorcallfunc call) {
    Callable* made = reinterpret_cast<Callable*>(callable_type->tp_alloc(callable_type, 0));
    if (made == nullptr) return nullptr;
    made->vectorcall = call == nullptr ? call_callable : call;
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
