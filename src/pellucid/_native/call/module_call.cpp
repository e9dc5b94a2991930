// The call of a module that is inside another: what `Module.__call__` does if there are no hooks.
#include "call/callable.hpp"
#include "objects/layout.hpp"

namespace pellucid {

namespace {

struct ModuleCall : Description {
    Ref global_hooks;  // of all modules
    Ref own_hooks[4];  // the names of a module's dictionaries of its own
    Ref names, forward;
};

bool is_empty(PyObject* dictionary) {
    return dictionary != nullptr && PyDict_Check(dictionary) && PyDict_GET_SIZE(dictionary) == 0;
}

bool has_no_hooks(const ModuleCall& known, PyObject* module) {
    if (!is_empty(known.global_hooks.get())) return false;
    Ref attributes(PyObject_GenericGetDict(module, nullptr));
    if (!attributes) return false;
    for (const Ref& name : known.own_hooks) {
        if (!is_empty(PyDict_GetItemWithError(attributes.get(), name.get()))) return false;
    }
    return true;
}

// The name under which nodes are made in a module, borrowed; null outside of modules, or if a
// thread has not set any.
PyObject* scope_of(const ModuleCall& known, PyObject* modes, PyObject* module) {
    PyObject* names = PyDict_GetItemWithError(modes, known.names.get());
    if (names == nullptr || !PyDict_CheckExact(names)) return nullptr;
    Ref identity(PyLong_FromVoidPtr(module));
    PyObject* name = identity ? PyDict_GetItemWithError(names, identity.get()) : nullptr;
    return name != nullptr ? name : PyDict_GetItemWithError(modes, layout.name_scope);
}

PyObject* call_module(PyObject* object, PyObject* const* args, size_t flags, PyObject* names) {
    Callable* self = reinterpret_cast<Callable*>(object);
    const ModuleCall& known = *static_cast<ModuleCall*>(self->description);
    const bool is_usual =
        layout.ready && PyVectorcall_NARGS(flags) > 0 && has_no_hooks(known, args[0]);
    PyObject* modes = is_usual ? thread_modes() : nullptr;
    Ref scope = Ref::borrowed(modes == nullptr ? nullptr : scope_of(known, modes, args[0]));
    Ref before = Ref::borrowed(scope ? PyDict_GetItemWithError(modes, layout.name_scope) : nullptr);
    if (!before) {
        if (!drop_error()) return nullptr;
        return PyObject_Vectorcall(self->python, args, flags, names);
    }
    if (PyDict_SetItem(modes, layout.name_scope, scope.get()) < 0) return nullptr;
    Ref result(PyObject_VectorcallMethod(known.forward.get(), args, flags, names));
    if (PyDict_SetItem(modes, layout.name_scope, before.get()) < 0) return nullptr;
    return result.release();
}

// is_unhooked(module, global_hooks): whether a call of a module runs the forward of its class, and
// nothing else
PyObject* is_unhooked(PyObject*, PyObject* const* args, Py_ssize_t count) {
    static const char* const kEmpty[] = {"_forward_hooks", "_forward_pre_hooks", "_backward_hooks",
                                         "_backward_pre_hooks"};
    static const char* const kAbsent[] = {"forward", "_compiled_call_impl"};
    static PyObject* names[6] = {};
    for (int i = 0; i < 6; ++i) {
        if (names[i] != nullptr) continue;
        names[i] = PyUnicode_InternFromString(i < 4 ? kEmpty[i] : kAbsent[i - 4]);
        if (names[i] == nullptr) return nullptr;
    }
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "is_unhooked() takes a module and global hooks");
        return nullptr;
    }
    Ref attributes(PyObject_GenericGetDict(args[0], nullptr));
    if (!attributes) return nullptr;
    bool found = is_empty(args[1]);
    for (int i = 0; found && i < 6; ++i) {
        PyObject* held = PyDict_GetItemWithError(attributes.get(), names[i]);
        found = i < 4 ? is_empty(held) : held == nullptr;
    }
    if (PyErr_Occurred()) return nullptr;
    return PyBool_FromLong(found);
}

PyObject* make_module_call(PyObject*, PyObject* args) {
    PyObject *python, *global_hooks;
    if (!PyArg_ParseTuple(args, "OO!", &python, &PyDict_Type, &global_hooks)) return nullptr;
    PyObject* made = make_callable(entry<call_module>, python, Py_None);
    if (made == nullptr) return nullptr;
    ModuleCall* known = new ModuleCall;
    reinterpret_cast<Callable*>(made)->description = known;
    known->global_hooks = Ref::borrowed(global_hooks);
    known->own_hooks[0] = Ref(PyUnicode_InternFromString("_forward_hooks"));
    known->own_hooks[1] = Ref(PyUnicode_InternFromString("_forward_pre_hooks"));
    known->own_hooks[2] = Ref(PyUnicode_InternFromString("_backward_hooks"));
    known->own_hooks[3] = Ref(PyUnicode_InternFromString("_backward_pre_hooks"));
    known->names = Ref(PyUnicode_InternFromString("module_names"));
    known->forward = Ref(PyUnicode_InternFromString("forward"));
    return made;
}

PyMethodDef functions[] = {
    {"module_call", entry<make_module_call>, METH_VARARGS,
     "Return a callable for calls of modules: module_call(python_function, global_hooks)."},
    {"is_unhooked", fast<is_unhooked>(), METH_FASTCALL,
     "Return whether a call of a module runs the forward of its class, and nothing else."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_module_calls(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace pellucid
