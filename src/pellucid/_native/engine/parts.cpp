#include "engine/parts.hpp"

#include "call/counting.hpp"
#include "objects/memory.hpp"

namespace pellucid {

namespace {

// Whether what an edge leads to is a vector without elements, which `cat` leaves out.
bool is_left_out(PyObject* edge) {
    PyObject* shape = shape_behind(edge);
    return PyTuple_Check(shape) && PyTuple_GET_SIZE(shape) == 1 &&
           PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, 0)) == 0;
}

// What the gradients of some views have in common.
struct Arrived {
    PyArray_Descr* dtype = nullptr;
    npy_intp elements = 0;
};

// Reads the gradients that have arrived; false where one is no array, or not of the others' dtype.
bool read_arrived(PyObject* grads, Arrived* arrived) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(grads); ++i) {
        PyObject* grad = PyTuple_GET_ITEM(grads, i);  // held by the tuple
        if (grad == Py_None) continue;
        if (!PyArray_CheckExact(grad)) return false;
        PyArrayObject* array = to_array(grad);
        if (arrived->dtype == nullptr) arrived->dtype = PyArray_DESCR(array);
        if (PyArray_DESCR(array) != arrived->dtype) return false;
        arrived->elements += PyArray_SIZE(array);
    }
    return arrived->dtype == layout.single || arrived->dtype == layout.double_;
}

// An array of the shape of what an edge leads to, of zeros where not all of it is written to; empty
// without an error where the shape is not known, or has no elements.
Ref array_behind(PyObject* edge, const Arrived& arrived) {
    PyObject* shape = shape_behind(edge);
    if (!PyTuple_Check(shape)) return Ref();
    npy_intp dims[NPY_MAXDIMS], total = 1;
    const int ndim = static_cast<int>(PyTuple_GET_SIZE(shape));
    for (int d = 0; d < ndim; ++d) {
        total *= dims[d] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, d));
    }
    if (total <= 0) return Ref();
    Py_INCREF(arrived.dtype);
    return Ref(arrived.elements == total ? make_array(arrived.dtype, ndim, dims)
                                         : PyArray_Zeros(ndim, dims, arrived.dtype, 0));
}

// Copies each gradient to its place; false with or without an error where one does not fit.
bool copy_each(PyObject* grads, PyObject* places) {
    if (PyList_GET_SIZE(places) != PyTuple_GET_SIZE(grads)) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(grads); ++i) {
        PyObject* grad = PyTuple_GET_ITEM(grads, i);  // held by the tuple
        if (grad == Py_None) continue;
        const Ref place = Ref::borrowed(PyList_GET_ITEM(places, i));
        PyArrayObject* array = to_array(grad);
        if (!PyArray_SAMESHAPE(place.array(), array) ||
            PyArray_CopyInto(place.array(), array) != 0) {
            return false;
        }
    }
    return true;
}

}  // namespace

Outcome take_apart(Joining how, PyObject* params, PyObject* edges, PyArrayObject* g, Ref* several) {
    const Py_ssize_t count = PyTuple_GET_SIZE(edges);
    long dim = PyLong_AsLong(PyTuple_GET_ITEM(params, 0));
    if (dim < 0) dim += PyArray_NDIM(g);
    *several = Ref(PyTuple_New(count));
    npy_intp start = 0;
    for (Py_ssize_t i = 0; *several && i < count; ++i) {
        PyObject* edge = PyTuple_GET_ITEM(edges, i);
        const bool stacked = how == Joining::stacked;
        const npy_intp length =
            stacked ? 1 : PyLong_AsSsize_t(PyTuple_GET_ITEM(PyTuple_GET_ITEM(params, 1), i));
        const bool is_asked = edge != Py_None && (stacked || !is_left_out(edge));
        PyObject* part = !is_asked ? Py_NewRef(Py_None)
                         : stacked ? slice_at(g, dim, start)
                                   : part_of(g, dim, start, start + length);
        if (part == nullptr) return Outcome::failed;
        PyTuple_SET_ITEM(several->get(), i, part);
        start += length;
    }
    return *several ? Outcome::done : Outcome::failed;
}

Outcome put_together(ViewMaker make_views, PyObject* params, PyObject* edges, PyObject* g,
                     Gradients* gradients) {
    left_because = "gradients that are not arrays of float32 or float64 and of the parts' shapes";
    if (!PyList_CheckExact(g)) return Outcome::left_to_python;
    const Ref grads(PyList_AsTuple(g));
    Arrived arrived;
    if (!grads) return Outcome::failed;
    if (!read_arrived(grads.get(), &arrived)) return Outcome::left_to_python;
    Ref whole = array_behind(PyTuple_GET_ITEM(edges, 0), arrived);
    Ref places(whole ? make_views(whole.array(), PySequence_Fast_ITEMS(params)) : nullptr);
    if (!places || !copy_each(grads.get(), places.get())) {
        return PyErr_Occurred() == nullptr ? Outcome::left_to_python : Outcome::failed;
    }
    gradients->count = 1;
    gradients->each[0] = std::move(whole);
    return Outcome::done;
}

}  // namespace pellucid
