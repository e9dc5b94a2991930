// The call of a function that is no op, and whose arguments `pellucid.core.call.checked` checks:
// for arguments of classes that have been found to fit there is nothing to check.
#include "call/callable.hpp"
#include "call/routes.hpp"
#include "objects/layout.hpp"

#include <algorithm>
#include <vector>

namespace pellucid {

namespace {

// Whether an argument, if it is a tuple, is one of integers of 64 bits.
bool is_of_ints(PyObject* argument) {
    if (!PyTuple_CheckExact(argument)) return true;
    PyObject** parts = PySequence_Fast_ITEMS(argument);
    return std::all_of(parts, parts + PyTuple_GET_SIZE(argument), [](PyObject* part) {
        int overflow = 0;
        return PyLong_CheckExact(part) &&
               (PyLong_AsLongLongAndOverflow(part, &overflow), overflow == 0);
    });
}

// The classes of the arguments of a call, those given by name last, and these names.
struct Signature {
    std::vector<Ref> classes;
    Ref names;
    bool sized = false;  // tuples have to be of integers

    bool is_of(PyObject* const* args, Py_ssize_t count, PyObject* given_names) const {
        if (static_cast<Py_ssize_t>(classes.size()) != count) return false;
        for (Py_ssize_t i = 0; i < count; ++i) {
            if (reinterpret_cast<PyObject*>(Py_TYPE(args[i])) != classes[i].get()) return false;
        }
        if (sized && !std::all_of(args, args + count, is_of_ints)) return false;
        if (names.get() == given_names) return true;
        return names && given_names != nullptr &&
               PyObject_RichCompareBool(names.get(), given_names, Py_EQ) == 1;
    }
};

constexpr size_t kMostSignatures = 8;

struct Checked : Description {
    Ref function;  // what is called once the arguments fit
    // the sets in which the Python function keeps the classes that fit, and those that do if tuples
    // are of integers
    Ref fitting, fitting_sized;
    Ref failed;  // (error, args, kwargs): raises the error with what the call was given
    std::vector<Signature> known;
    std::shared_ptr<Routes> routes;  // null where calls of ops are not remembered

    bool knows(PyObject* const* args, Py_ssize_t count, PyObject* names) const {
        for (const Signature& each : known) {
            if (each.is_of(args, count, names)) return true;
        }
        return false;
    }
};

Py_ssize_t count_of(PyObject* names) { return names == nullptr ? 0 : PyTuple_GET_SIZE(names); }

// The classes as the Python function writes them: those by position, the names, those by name.
Ref written_classes(PyObject* const* args, Py_ssize_t positional, PyObject* names) {
    const Py_ssize_t named = count_of(names);
    Ref classes(PyTuple_New(positional + 2 * named));
    for (Py_ssize_t i = 0; classes && i < positional + named; ++i) {
        PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(args[i]));
        PyTuple_SET_ITEM(classes.get(), i < positional ? i : i + named, Py_NewRef(type));
    }
    for (Py_ssize_t i = 0; classes && i < named; ++i) {
        PyTuple_SET_ITEM(classes.get(), positional + i, Py_NewRef(PyTuple_GET_ITEM(names, i)));
    }
    return classes;
}

// Remembers the classes of a call that went well, if the Python function does.
bool learn(Checked& checked, PyObject* const* args, Py_ssize_t positional, PyObject* names) {
    if (checked.known.size() == kMostSignatures) return true;
    Ref classes = written_classes(args, positional, names);
    if (!classes) return false;
    const int fits = PySet_Contains(checked.fitting.get(), classes.get());
    const int sized = fits == 0 ? PySet_Contains(checked.fitting_sized.get(), classes.get()) : 0;
    if (fits != 1 && sized != 1) return fits == 0 && sized == 0;
    Signature made;
    made.sized = sized == 1;
    for (Py_ssize_t i = 0; i < positional + count_of(names); ++i) {
        made.classes.push_back(Ref::borrowed(reinterpret_cast<PyObject*>(Py_TYPE(args[i]))));
    }
    made.names = Ref::borrowed(names);
    checked.known.push_back(std::move(made));
    return true;
}

// Lets the Python function say what went wrong; what it returns, if it finds a way after all.
PyObject* tell(const Checked& checked, PyObject* const* args, Py_ssize_t positional,
               PyObject* names) {
    if (!PyErr_ExceptionMatches(PyExc_Exception)) return nullptr;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback != nullptr) PyException_SetTraceback(value, traceback);
    Ref error(value), type_held(type), traceback_held(traceback);
    Ref given(PyTuple_New(positional)), named(PyDict_New());
    for (Py_ssize_t i = 0; given && i < positional; ++i) {
        PyTuple_SET_ITEM(given.get(), i, Py_NewRef(args[i]));
    }
    for (Py_ssize_t i = 0; named && i < count_of(names); ++i) {
        PyDict_SetItem(named.get(), PyTuple_GET_ITEM(names, i), args[positional + i]);
    }
    if (!given || !named) return nullptr;
    return PyObject_CallFunctionObjArgs(checked.failed.get(), value, given.get(), named.get(),
                                        nullptr);
}

PyObject* call_checked(PyObject* object, PyObject* const* args, size_t flags, PyObject* names) {
    Callable* self = reinterpret_cast<Callable*>(object);
    Checked& checked = *static_cast<Checked*>(self->description);
    const Py_ssize_t positional = PyVectorcall_NARGS(flags), count = positional + count_of(names);
    if (!layout.ready || is_general()) return PyObject_Vectorcall(self->python, args, flags, names);
    if (checked.routes) {
        PyObject* result = follow(*checked.routes, args, positional, names);
        if (result != nullptr || PyErr_Occurred()) return result;
    }
    if (checked.knows(args, count, names)) {
        PyObject* function = checked.function.get();
        PyObject* result = checked.routes
                               ? call_and_remember(*checked.routes, function, args, flags, names)
                               : PyObject_Vectorcall(function, args, flags, names);
        return result != nullptr ? result : tell(checked, args, positional, names);
    }
    Ref result(PyObject_Vectorcall(self->python, args, flags, names));
    if (!result || !learn(checked, args, positional, names)) return nullptr;
    return result.release();
}

PyObject* make_checked(PyObject*, PyObject* args) {
    PyObject *python, *function, *fitting, *sized, *failed;
    int replayable;
    if (!PyArg_ParseTuple(args, "OO(O!O!)Op", &python, &function, &PySet_Type, &fitting,
                          &PySet_Type, &sized, &failed, &replayable)) {
        return nullptr;
    }
    PyObject* made = make_callable(entry<call_checked>, python, Py_None);
    if (made == nullptr) return nullptr;
    Checked* checked = new Checked;
    checked->function = Ref::borrowed(function);
    checked->fitting = Ref::borrowed(fitting);
    checked->fitting_sized = Ref::borrowed(sized);
    checked->failed = Ref::borrowed(failed);
    if (replayable) checked->routes = make_routes();
    reinterpret_cast<Callable*>(made)->description = checked;
    return made;
}

PyObject* call_remember_nothing(PyObject*, PyObject*) {
    remember_nothing();
    Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"remember_nothing", entry<call_remember_nothing>, METH_NOARGS,
     "Let the calls of replayable functions that are running now not be remembered."},
    {"checked", entry<make_checked>, METH_VARARGS,
     "Return a callable for a function: checked(python_function, function, fitting, failed, "
     "replayable)."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_checked(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace pellucid
