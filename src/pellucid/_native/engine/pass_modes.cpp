#include "engine/pass_modes.hpp"

#include "objects/layout.hpp"

namespace pellucid {

bool PassModes::begin(PyObject* nodes, PyObject* leaves, PyObject* run, PyObject* keep,
                      PyObject* buffers) {
    if (before_) return true;
    before_ = Ref(PyObject_CallFunctionObjArgs(layout.begin_pass, nodes, leaves, run, keep, buffers,
                                               nullptr));
    return static_cast<bool>(before_);
}

PyObject* PassModes::task() const { return before_ ? PyTuple_GET_ITEM(before_.get(), 0) : nullptr; }

bool PassModes::end(bool well) {
    if (!before_) return well;
    leave(2);
    if (well) well = static_cast<bool>(Ref(PyObject_CallOneArg(layout.end_pass, task())));
    leave(1);
    return well;
}

void PassModes::leave(Py_ssize_t place) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    const Ref block = Ref::borrowed(PyTuple_GET_ITEM(before_.get(), place));
    Ref left(PyObject_CallMethodNoArgs(block.get(), layout.name_exit));
    if (!left) PyErr_Clear();
    PyErr_Restore(type, value, traceback);
}

void name_line(PyObject* node) {
    if (!PyErr_ExceptionMatches(PyExc_Exception)) return;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    Ref named(PyObject_CallFunctionObjArgs(layout.name_line, value,
                                           node == nullptr ? Py_None : node, nullptr));
    if (!named) PyErr_Clear();
    PyErr_Restore(type, value, traceback);
}

}  // namespace pellucid
