// Reading at an index: `x[...]` with integers and plain slices, or one tensor of indices or
// booleans. `pellucid.ops.index.indexing` defines the same, and takes any other index.
#include "call/callable.hpp"
#include "objects/layout.hpp"

#include <algorithm>

namespace pellucid {

namespace {

struct Indexing : Description {
    // the ops: of one integer, of slices, of an index that ends in an integer, of arrays
    Ref select, basic_index, indexed_position, gather_index;
};

// Whether a dimension has the position that an integer names.
bool is_position(PyObject* number, Py_ssize_t size) {
    int overflow = 0;
    const long long position = PyLong_AsLongLongAndOverflow(number, &overflow);
    return overflow == 0 && -size <= position && position < size;
}

bool is_bound(PyObject* bound) { return bound == Py_None || PyLong_CheckExact(bound); }

// An op, and the parameter that it takes.
struct Chosen {
    PyObject* op = nullptr;
    Ref index;
};

// Chooses for integers and slices without steps; leaves the op out for anything else.
Chosen look_plainly(const Indexing& indexing, PyArrayObject* array, PyObject* index) {
    PyObject* const* parts = &index;
    Py_ssize_t count = 1;
    if (PyTuple_CheckExact(index)) {
        parts = PySequence_Fast_ITEMS(index);
        count = PyTuple_GET_SIZE(index);
    }
    if (count > PyArray_NDIM(array)) return {};
    Chosen chosen;
    chosen.index = Ref(PyTuple_New(count + 1));
    if (!chosen.index) return {};
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* part = parts[i];
        if (PyLong_CheckExact(part)) {
            if (!is_position(part, PyArray_DIM(array, i))) return {};
            chosen.op = indexing.indexed_position.get();
        } else if (PySlice_Check(part)) {
            const PySliceObject* slice = reinterpret_cast<PySliceObject*>(part);
            if (slice->step != Py_None || !is_bound(slice->start) || !is_bound(slice->stop))
                return {};
            if (slice->start != Py_None || slice->stop != Py_None) {
                chosen.op = indexing.basic_index.get();
            }
        } else {
            return {};
        }
        PyTuple_SET_ITEM(chosen.index.get(), i, Py_NewRef(part));
    }
    PyTuple_SET_ITEM(chosen.index.get(), count, Py_NewRef(Py_Ellipsis));
    return chosen;
}

// Whether the bytes of a mask are 0 and 1, as NumPy's kernels believe without looking.
bool holds_truth_values(PyArrayObject* mask) {
    const auto* bytes = static_cast<const npy_bool*>(PyArray_DATA(mask));
    return PyArray_ISCARRAY_RO(mask) &&
           std::all_of(bytes, bytes + PyArray_SIZE(mask), [](npy_bool each) { return each <= 1; });
}

// Chooses for one tensor of integers of 64 bits, or a mask; a copy of it where it is kept.
Chosen gather(const Indexing& indexing, PyObject* tensor, PyArrayObject* array, PyObject* index) {
    if (!Py_IS_TYPE(index, layout.tensor_class) || !is_settled(tensor)) return {};
    Ref held = Ref::borrowed(array_of(index));
    if (!held) return {};
    PyArrayObject* positions = held.array();
    const int type = PyArray_TYPE(positions), ndim = PyArray_NDIM(positions);
    if ((type != NPY_INT64 && type != NPY_BOOL) || ndim == 0 || PyArray_NDIM(array) == 0) return {};
    for (int d = 0; type == NPY_BOOL && d < ndim; ++d) {
        if (ndim > PyArray_NDIM(array)) return {};
        if (PyArray_DIM(positions, d) != PyArray_DIM(array, d)) return {};
    }
    if (type == NPY_BOOL && !holds_truth_values(positions)) return {};
    const bool kept = grad_enabled() && slot(tensor, layout.tensor.edge) != Py_None;
    Ref own = kept ? Ref(PyArray_NewCopy(positions, NPY_CORDER)) : std::move(held);
    Chosen chosen;
    chosen.index = Ref(own ? PyTuple_Pack(1, own.get()) : nullptr);
    if (chosen.index) chosen.op = indexing.gather_index.get();
    return chosen;
}

// The result for a usual index; null without an error for the others.
PyObject* read(const Indexing& indexing, PyObject* tensor, PyObject* index) {
    const Ref held = Ref::borrowed(array_of(tensor));
    if (!held || is_general() || takes_slow_path()) return nullptr;
    PyArrayObject* array = held.array();
    if (PyLong_CheckExact(index)) {
        PyObject* const given[] = {tensor, layout.zero, index};
        if (PyArray_NDIM(array) == 0 || !is_position(index, PyArray_DIM(array, 0))) return nullptr;
        return PyObject_Vectorcall(indexing.select.get(), given, 3, nullptr);
    }
    const bool looks = PyTuple_CheckExact(index) || PySlice_Check(index);
    const Chosen chosen =
        looks ? look_plainly(indexing, array, index) : gather(indexing, tensor, array, index);
    if (chosen.op == nullptr) return nullptr;
    PyObject* const given[] = {tensor, chosen.index.get()};
    return PyObject_Vectorcall(chosen.op, given, 2, nullptr);
}

PyObject* call_indexing(PyObject* object, PyObject* const* args, size_t flags, PyObject* names) {
    Callable* self = reinterpret_cast<Callable*>(object);
    if (layout.ready && names == nullptr && PyVectorcall_NARGS(flags) == 2) {
        PyObject* found = read(*static_cast<Indexing*>(self->description), args[0], args[1]);
        if (found != nullptr || PyErr_Occurred()) return found;
    }
    return PyObject_Vectorcall(self->python, args, flags, names);
}

PyObject* make_indexing(PyObject*, PyObject* args) {
    PyObject *python, *select, *basic_index, *indexed_position, *gather_index;
    if (!PyArg_ParseTuple(args, "OOOOO", &python, &select, &basic_index, &indexed_position,
                          &gather_index)) {
        return nullptr;
    }
    PyObject* made = make_callable(entry<call_indexing>, python, Py_None);
    if (made == nullptr) return nullptr;
    Indexing* indexing = new Indexing;
    indexing->select = Ref::borrowed(select);
    indexing->basic_index = Ref::borrowed(basic_index);
    indexing->indexed_position = Ref::borrowed(indexed_position);
    indexing->gather_index = Ref::borrowed(gather_index);
    reinterpret_cast<Callable*>(made)->description = indexing;
    return made;
}

PyMethodDef functions[] = {
    {"indexing", entry<make_indexing>, METH_VARARGS,
     "Return a callable that reads at an index: indexing(python_function, *ops)."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_indexing(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace pellucid
