// The sizes of a tensor, and single ones of them.
#include "call/callable.hpp"
#include "objects/layout.hpp"

namespace pellucid {

namespace {

// A tuple of the class of sizes; null with an error.
PyObject* sizes_of(PyArrayObject* array) {
    const int ndim = PyArray_NDIM(array);
    PyObject* sizes = layout.size_class->tp_alloc(layout.size_class, ndim);
    for (int d = 0; sizes != nullptr && d < ndim; ++d) {
        PyObject* size = PyLong_FromSsize_t(PyArray_DIM(array, d));
        if (size == nullptr) Py_CLEAR(sizes);
        else PyTuple_SET_ITEM(sizes, d, size);
    }
    return sizes;
}

PyObject* call_shape(PyObject* object, PyObject* const* args, size_t flags, PyObject* names) {
    const bool usual = layout.ready && PyVectorcall_NARGS(flags) == 1 && names == nullptr;
    PyObject* array = usual ? array_of(args[0]) : nullptr;
    if (array != nullptr) return sizes_of(reinterpret_cast<PyArrayObject*>(array));
    return PyObject_Vectorcall(reinterpret_cast<Callable*>(object)->python, args, flags, names);
}

PyObject* call_item(PyObject* object, PyObject* const* args, size_t flags, PyObject* names) {
    if (PyVectorcall_NARGS(flags) == 2 && names == nullptr && PyTuple_Check(args[0]) &&
        PyLong_CheckExact(args[1])) {
        return PyTuple_Type.tp_as_mapping->mp_subscript(args[0], args[1]);
    }
    return PyObject_Vectorcall(reinterpret_cast<Callable*>(object)->python, args, flags, names);
}

PyObject* make_shape(PyObject*, PyObject* python) {
    return make_callable(entry<call_shape>, python, Py_None);
}
PyObject* make_item(PyObject*, PyObject* python) {
    return make_callable(entry<call_item>, python, Py_None);
}

PyMethodDef functions[] = {
    {"shape", entry<make_shape>, METH_O,
     "Return a callable for a tensor's sizes: shape(python_function)."},
    {"item", entry<make_item>, METH_O,
     "Return a callable for one of several sizes: item(python_function)."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_sizes(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace pellucid
