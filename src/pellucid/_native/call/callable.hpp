// Callables in front of Python functions: each takes the usual calls of one kind, and is the Python
// function in all else.
#pragma once

#include "objects/entry.hpp"
#include "objects/reference.hpp"

namespace pellucid {

// What a callable knows of its function.
struct Description {
    virtual ~Description() = default;
};

// What profilers are told of a callable; see Note [Profilers] in profilers.cpp.
struct Profile;

struct Callable {
    PyObject_HEAD
    vectorcallfunc vectorcall;  // `run`, and what tells profilers of it
    vectorcallfunc run;
    PyObject* python;    // the function that defines what every call does
    PyObject* describe;  // called once, with no arguments; gives a description or None
    PyObject* weak_references;
    Description* description;  // null before the first call, and where Python takes every call
    bool prepared;
    Profile* profile;  // null before a profiler sees the first call
};

// Makes a callable whose calls do `run`; null with an error. Python calls `call`, where that is
// given: `run`, and what tells profilers of it, in one.
PyObject* make_callable(vectorcallfunc run, PyObject* python, PyObject* describe,
                        vectorcallfunc call = nullptr);

// Whether an object is a callable of this kind.
bool is_callable(PyObject* object, vectorcallfunc run);

// Adds the callables' type; false with an error.
bool add_callable_type();

// Adds what makes callables for functions whose arguments are checked; false with an error.
bool add_checked(PyObject* module);

// Adds what makes callables for reading at an index; false with an error.
bool add_indexing(PyObject* module);

// Adds what makes callables for functions that make tensors; false with an error.
bool add_creating(PyObject* module);

// Adds what makes callables for calls of modules; false with an error.
bool add_module_calls(PyObject* module);

// Adds what makes callables for the sizes of tensors; false with an error.
bool add_sizes(PyObject* module);

// Drops an error that Python code may handle; false if it is one that must go on.
inline bool drop_error() {
    if (PyErr_Occurred() == nullptr) return true;
    if (!PyErr_ExceptionMatches(PyExc_Exception)) return false;
    PyErr_Clear();
    return true;
}

}  // namespace pellucid
