// What is written straight to a tensor's memory: in-place variants of ops that are one loop,
// numbers and rows. `pellucid.core.call.call_template` and `pellucid.ops.index.indexing` define the
// same.
#include "call/changes.hpp"

#include "call/counting.hpp"
#include "call/op.hpp"
#include "call/routes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace pellucid {

namespace {

// An op whose result goes into its first operand.
struct Change : Description {
    std::unique_ptr<Op> op;
    Ref name;  // by which the change is remembered
};

// Counts a change of a tensor and remembers the user's line.
bool note_change(PyObject* tensor, PyObject* name) {
    PyObject* storage = storage_of(tensor);
    Ref code;
    int lasti = 0;
    if (storage == nullptr || !find_site(&code, &lasti)) return false;
    Ref offset(PyLong_FromLong(lasti));
    return offset && add_change(storage, name, code.get(), offset.get(), Py_None);
}

bool has_history(PyObject* tensor) {
    return slot(tensor, layout.tensor.edge) != Py_None ||
           slot(tensor, layout.tensor.view) != Py_None;
}

// The first byte of an array's elements, and the one after the last.
std::pair<const char*, const char*> extent(PyArrayObject* array) {
    const char *low = PyArray_BYTES(array), *high = low + PyArray_ITEMSIZE(array);
    for (int d = 0; d < PyArray_NDIM(array); ++d) {
        const npy_intp reach = (PyArray_DIM(array, d) - 1) * PyArray_STRIDE(array, d);
        (reach < 0 ? low : high) += reach;
    }
    return {low, high};
}

bool may_overlap(PyArrayObject* first, PyArrayObject* second) {
    const auto a = extent(first), b = extent(second);
    return a.first < b.second && b.first < a.second;
}

// Whether two arrays are the same elements.
bool is_same(PyArrayObject* first, PyArrayObject* second) {
    return PyArray_DATA(first) == PyArray_DATA(second) && PyArray_SAMESHAPE(first, second) &&
           is_plain(first) && is_plain(second);
}

// Whether the first operand can be written to while the others are read.
bool can_change(const Op& op, const Call& call) {
    PyObject* changed = call.operands[0];
    PyArrayObject* target = call.arrays[0].array();
    const bool recording = grad_enabled();
    if (array_of(changed) == nullptr || !is_plain(target) || !PyArray_ISWRITEABLE(target)) {
        return false;
    }
    PyObject* storage = slot(changed, layout.tensor.storage);
    if (storage == layout.constant_storage) return false;
    for (size_t i = 0; i < op.operands.size(); ++i) {
        PyObject* operand = call.operands[i];
        PyArrayObject* array = call.arrays[i].array();
        if (operand == nullptr || PyArray_DESCR(array) != PyArray_DESCR(target)) return false;
        if (!is_ordered(array)) return false;
        if (array_of(operand) == nullptr) continue;
        if (recording && has_history(operand)) return false;
        if (i == 0) continue;
        if (storage != Py_None && slot(operand, layout.tensor.storage) == storage) return false;
        if (!is_same(array, target) && may_overlap(array, target)) return false;
    }
    return true;
}

// Copies elements that lie in the same order.
bool copy(const Op& op, const Call& call) {
    PyArrayObject *target = call.arrays[0].array(), *source = call.arrays[1].array();
    if (source == nullptr || !can_change(op, call) || !is_plain(source) ||
        !PyArray_SAMESHAPE(target, source)) {
        return false;
    }
    std::memmove(PyArray_DATA(target), PyArray_DATA(source), PyArray_NBYTES(target));
    return true;
}

bool change(const Change& given, const Call& call) {
    const Op& op = *given.op;
    left_because = "a change that is recorded, or not written element by element";
    if (op.direct == Direct::copy) return copy(op, call);
    const Loop& loop = op.loop_for(call.dtype);
    if (op.direct != Direct::loop || !call.usual_params || loop.function == nullptr) return false;
    if (loop.out_type != call.dtype->type_num || !can_change(op, call)) return false;
    PyArrayObject* arrays[kMostOperands];
    for (size_t i = 0; i < op.operands.size(); ++i) arrays[i] = call.arrays[i].array();
    return run_loop_into(loop, arrays, arrays[0]);
}

bool prepare(Callable* self) {
    if (self->prepared || !layout.ready) return true;
    self->prepared = true;
    Ref description(PyObject_CallNoArgs(self->describe));
    if (!description) return false;
    if (description.get() == Py_None) return true;
    PyObject *of_op, *name;
    if (!PyArg_ParseTuple(description.get(), "O!O", &PyDict_Type, &of_op, &name)) return false;
    auto made = std::make_unique<Change>();
    made->op = read_op(of_op);
    made->name = Ref::borrowed(name);
    if (!made->op) return false;
    self->description = made.release();
    return true;
}

PyObject* call_changing(PyObject* object, PyObject* const* args, size_t flags, PyObject* names) {
    Callable* self = reinterpret_cast<Callable*>(object);
    remember_nothing();
    if (!prepare(self)) return nullptr;
    const Py_ssize_t count = PyVectorcall_NARGS(flags);
    if (self->description != nullptr && count > 0) {
        const Change& known = *static_cast<Change*>(self->description);
        Call call;
        if (take_call(*known.op, args, count, names, &call) && change(known, call)) {
            if (!note_change(args[0], known.name.get())) return nullptr;
            if (counting) count_one(object, nullptr);
            return Py_NewRef(args[0]);
        }
        if (!drop_error()) return nullptr;
    }
    if (counting) count_one(object, self->description == nullptr ? kNotDescribed : left_because);
    return PyObject_Vectorcall(self->python, args, flags, names);
}

PyObject* make_changing(PyObject*, PyObject* args) {
    PyObject *python, *describe;
    if (!PyArg_ParseTuple(args, "OO", &python, &describe)) return nullptr;
    return make_callable(entry<call_changing>, python, describe);
}

// ---- numbers and rows ------------------------------------------------------------------------

// The array of a tensor to which numbers can simply be written; null where that is not so.
PyArrayObject* plain_target(PyObject* tensor) {
    if (!layout.ready || takes_slow_path()) {
        return nullptr;
    }
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(array_of(tensor));
    if (array == nullptr) return nullptr;
    if (PyArray_DESCR(array) != layout.single && PyArray_DESCR(array) != layout.double_) {
        return nullptr;
    }
    PyObject* storage = slot(tensor, layout.tensor.storage);
    const bool usual = storage == Py_None || (Py_IS_TYPE(storage, layout.storage_class) &&
                                              storage != layout.constant_storage);
    if (!usual || !is_plain(array) || !PyArray_ISWRITEABLE(array)) return nullptr;
    return grad_enabled() && has_history(tensor) ? nullptr : array;
}

// Reads a Python number that every usual floating dtype holds.
bool read_plain_number(PyObject* number, double* value) {
    if (PyFloat_CheckExact(number)) {
        *value = PyFloat_AS_DOUBLE(number);
    } else if (PyLong_CheckExact(number)) {
        *value = PyLong_AsDouble(number);
        if (*value == -1.0 && PyErr_Occurred() != nullptr) {
            PyErr_Clear();
            return false;
        }
    } else {
        return false;
    }
    return std::fabs(*value) < std::numeric_limits<float>::max();
}

void fill_elements(PyArray_Descr* dtype, char* at, npy_intp count, double value) {
    if (dtype == layout.single) {
        std::fill_n(reinterpret_cast<float*>(at), count, static_cast<float>(value));
    } else {
        std::fill_n(reinterpret_cast<double*>(at), count, value);
    }
}

PyObject* noted(PyObject* tensor) {
    static PyObject* const name = PyUnicode_InternFromString("copy_");
    if (!note_change(tensor, name)) return nullptr;
    Py_RETURN_TRUE;
}

PyObject* fill(PyObject*, PyObject* const* args, Py_ssize_t count) {
    double value;
    if (count != 2 || !read_plain_number(args[1], &value)) Py_RETURN_FALSE;
    PyArrayObject* array = plain_target(args[0]);
    if (array == nullptr) Py_RETURN_FALSE;
    fill_elements(PyArray_DESCR(array), PyArray_BYTES(array), PyArray_SIZE(array), value);
    return noted(args[0]);
}

// Whether a tensor is a row of the target's dtype, in memory of its own.
bool is_row(PyObject* row, PyObject* tensor, PyArrayObject* target) {
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(array_of(row));
    if (array == nullptr || PyArray_DESCR(array) != PyArray_DESCR(target) || !is_plain(array) ||
        PyArray_NDIM(array) != PyArray_NDIM(target) - 1 ||
        !std::equal(PyArray_DIMS(array), PyArray_DIMS(array) + PyArray_NDIM(array),
                    PyArray_DIMS(target) + 1)) {
        return false;
    }
    PyObject* storage = slot(row, layout.tensor.storage);
    if (storage != Py_None && storage == slot(tensor, layout.tensor.storage)) return false;
    return !may_overlap(array, target) && !(grad_enabled() && has_history(row));
}

PyObject* write(PyObject*, PyObject* const* args, Py_ssize_t count) {
    if (count != 3 || !PyLong_CheckExact(args[1])) Py_RETURN_FALSE;
    PyArrayObject* array = plain_target(args[0]);
    if (array == nullptr || PyArray_NDIM(array) == 0) Py_RETURN_FALSE;
    const npy_intp length = PyArray_DIM(array, 0);
    npy_intp place = PyLong_AsSsize_t(args[1]);
    if (place == -1 && PyErr_Occurred() != nullptr) PyErr_Clear();  // far outside
    if (place < -length || place >= length) Py_RETURN_FALSE;
    if (place < 0) place += length;
    const npy_intp width = PyArray_SIZE(array) / length;
    char* at = PyArray_BYTES(array) + place * width * PyArray_ITEMSIZE(array);
    double value;
    if (read_plain_number(args[2], &value)) {
        fill_elements(PyArray_DESCR(array), at, width, value);
    } else if (is_row(args[2], args[0], array)) {
        PyArrayObject* row = reinterpret_cast<PyArrayObject*>(array_of(args[2]));
        std::memcpy(at, PyArray_DATA(row), width * PyArray_ITEMSIZE(array));
    } else {
        Py_RETURN_FALSE;
    }
    return noted(args[0]);
}

PyMethodDef functions[] = {
    {"changing", entry<make_changing>, METH_VARARGS,
     "Return a callable for an in-place variant: changing(python_function, describe)."},
    {"fill", fast<fill>(), METH_FASTCALL,
     "Write a number over a tensor's elements; return whether that was all there was to do."},
    {"write", fast<write>(), METH_FASTCALL,
     "Write a number or a row at an index; return whether that was all there was to do."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_changes(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace pellucid
