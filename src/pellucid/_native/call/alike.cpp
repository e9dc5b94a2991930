#include "call/alike.hpp"

#include <algorithm>

namespace pellucid {

bool is_constant(PyObject* object) {
    if (PyTuple_Check(object)) {
        PyObject** items = PySequence_Fast_ITEMS(object);
        return std::all_of(items, items + PyTuple_GET_SIZE(object), is_constant);
    }
    if (PySlice_Check(object)) {
        PySliceObject* slice = reinterpret_cast<PySliceObject*>(object);
        return is_constant(slice->start) && is_constant(slice->stop) && is_constant(slice->step);
    }
    return object == Py_None || object == Py_Ellipsis || PyBool_Check(object) ||
           PyLong_CheckExact(object) || PyFloat_CheckExact(object) ||
           PyUnicode_CheckExact(object) || PyArray_DescrCheck(object) ||
           Py_IS_TYPE(object, layout.dtype_class) || Py_IS_TYPE(object, layout.device_class) ||
           Py_IS_TYPE(object, layout.format_class);
}

bool are_same(PyObject* first, PyObject* second) {
    if (first == second) return true;
    if (Py_TYPE(first) != Py_TYPE(second)) return false;
    if (PyFloat_CheckExact(first)) {
        const double one = PyFloat_AS_DOUBLE(first), other = PyFloat_AS_DOUBLE(second);
        return one == other && one != 0;  // zeros have signs
    }
    if (PyTuple_Check(first)) {
        const Py_ssize_t size = PyTuple_GET_SIZE(first);
        PyObject** items = PySequence_Fast_ITEMS(first);
        return size == PyTuple_GET_SIZE(second) &&
               std::equal(items, items + size, PySequence_Fast_ITEMS(second), are_same);
    }
    if (PySlice_Check(first)) {
        PySliceObject* one = reinterpret_cast<PySliceObject*>(first);
        PySliceObject* two = reinterpret_cast<PySliceObject*>(second);
        return are_same(one->start, two->start) && are_same(one->stop, two->stop) &&
               are_same(one->step, two->step);
    }
    if (!PyLong_CheckExact(first) && !PyUnicode_CheckExact(first)) return false;
    return PyObject_RichCompareBool(first, second, Py_EQ) == 1;
}

bool Alike::read(PyObject* const* args, Py_ssize_t at) {
    PyObject* given = args[at];
    if (!is_tensor(given)) {
        if (!is_constant(given)) return false;
        constant = Ref::borrowed(given);
        return true;
    }
    PyObject* object = array_of(given);
    if (object == nullptr || !is_settled(given)) return false;
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(object);
    const int ndim = PyArray_NDIM(array);
    dtype = Ref::borrowed(reinterpret_cast<PyObject*>(PyArray_DESCR(array)));
    extents.assign(PyArray_DIMS(array), PyArray_DIMS(array) + ndim);
    extents.insert(extents.end(), PyArray_STRIDES(array), PyArray_STRIDES(array) + ndim);
    requires_grad = slot(given, layout.tensor.edge) != Py_None;
    first = std::find(args, args + at, given) - args;
    return true;
}

bool Alike::fits(PyObject* const* args, Py_ssize_t at) const {
    PyObject* given = args[at];
    if (constant) return are_same(constant.get(), given);
    PyObject* object = array_of(given);
    if (object == nullptr || !is_settled(given)) return false;
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(object);
    const size_t ndim = PyArray_NDIM(array);
    return reinterpret_cast<PyObject*>(PyArray_DESCR(array)) == dtype.get() &&
           extents.size() == 2 * ndim &&
           std::equal(extents.begin(), extents.begin() + ndim, PyArray_DIMS(array)) &&
           std::equal(extents.begin() + ndim, extents.end(), PyArray_STRIDES(array)) &&
           (slot(given, layout.tensor.edge) != Py_None) == requires_grad &&
           std::find(args, args + at, given) - args == first;
}

}  // namespace pellucid
