// Arrays from Python numbers and nested lists of them; `pellucid.core.construct` defines the same.
#include "objects/numbers.hpp"

#include "objects/entry.hpp"

#include <cmath>
#include <vector>

namespace pellucid {

namespace {

// What the numbers of a nested list have in common; `mixed` is left to Python.
enum class Kind { none, boolean, integer, floating, mixed };

Kind joined_kind(Kind first, Kind second) {
    if (first == Kind::none || first == second) return second;
    const bool numbers = first != Kind::boolean && second != Kind::boolean &&
                         first != Kind::mixed && second != Kind::mixed;
    return numbers ? Kind::floating : Kind::mixed;
}

Kind kind_of(PyObject* number) {
    if (PyFloat_CheckExact(number)) return Kind::floating;
    if (PyBool_Check(number)) return Kind::boolean;
    return PyLong_CheckExact(number) ? Kind::integer : Kind::mixed;
}

bool is_list(PyObject* data) { return PyList_CheckExact(data) || PyTuple_CheckExact(data); }

constexpr int kMostDimensions = 8;

struct Numbers {
    int ndim = 0;
    npy_intp dims[kMostDimensions];
    Kind kind = Kind::none;
    std::vector<PyObject*> leaves;  // borrowed

    // Reads nested lists whose lengths agree; false for anything else.
    bool read(PyObject* data) {
        for (PyObject* at = data; is_list(at); at = PySequence_Fast_ITEMS(at)[0]) {
            if (ndim == kMostDimensions) return false;
            dims[ndim++] = PySequence_Fast_GET_SIZE(at);
            if (dims[ndim - 1] == 0) return false;  // of which dtype?
        }
        return collect(data, 0) && kind != Kind::mixed;
    }

    bool collect(PyObject* data, int level) {
        if (level == ndim) {
            if (is_list(data)) return false;
            kind = joined_kind(kind, kind_of(data));
            leaves.push_back(data);
            return kind != Kind::mixed;
        }
        if (!is_list(data) || PySequence_Fast_GET_SIZE(data) != dims[level]) return false;
        for (npy_intp i = 0; i < dims[level]; ++i) {
            if (!collect(PySequence_Fast_ITEMS(data)[i], level + 1)) return false;
        }
        return true;
    }
};

// Up to here every integer is a double.
constexpr double kExact = 9007199254740992.0;

// Reads a number as a double that is its very value; false where that may not be.
bool read_exactly(PyObject* number, double* value) {
    *value = PyFloat_CheckExact(number) ? PyFloat_AS_DOUBLE(number) : PyLong_AsDouble(number);
    if (PyErr_Occurred() != nullptr) return false;
    return PyFloat_CheckExact(number) || std::fabs(*value) <= kExact;
}

template <typename T>
bool write_floats(const Numbers& numbers, void* data) {
    T* out = static_cast<T*>(data);
    for (PyObject* each : numbers.leaves) {
        double value;
        if (!read_exactly(each, &value)) return false;
        *out++ = static_cast<T>(value);
    }
    return true;
}

bool write_integers(const Numbers& numbers, void* data) {
    npy_int64* out = static_cast<npy_int64*>(data);
    for (PyObject* each : numbers.leaves) {
        *out++ = PyLong_AsLongLong(each);
        if (out[-1] == -1 && PyErr_Occurred() != nullptr) return false;
    }
    return true;
}

void write_truths(const Numbers& numbers, void* data) {
    npy_bool* out = static_cast<npy_bool*>(data);
    for (PyObject* each : numbers.leaves) *out++ = each == Py_True;
}

bool write(const Numbers& numbers, PyArrayObject* out) {
    const int type = PyArray_TYPE(out);
    const bool is_number = numbers.kind != Kind::boolean;
    if (type == NPY_FLOAT && is_number) return write_floats<float>(numbers, PyArray_DATA(out));
    if (type == NPY_DOUBLE && is_number) return write_floats<double>(numbers, PyArray_DATA(out));
    if (type == NPY_INT64 && numbers.kind == Kind::integer) {
        return write_integers(numbers, PyArray_DATA(out));
    }
    if (type != NPY_BOOL || numbers.kind != Kind::boolean) return false;
    write_truths(numbers, PyArray_DATA(out));
    return true;
}

// read_numbers(data, dtype or None, default dtype)
PyObject* read_numbers(PyObject*, PyObject* const* args, Py_ssize_t count) {
    Numbers numbers;
    if (count != 3 || !PyArray_DescrCheck(args[2])) Py_RETURN_NONE;
    if (!numbers.read(args[0])) Py_RETURN_NONE;
    PyArray_Descr* dtype = nullptr;
    if (PyArray_DescrCheck(args[1])) {
        dtype = reinterpret_cast<PyArray_Descr*>(Py_NewRef(args[1]));
    } else if (numbers.kind == Kind::floating) {
        dtype = reinterpret_cast<PyArray_Descr*>(Py_NewRef(args[2]));
    } else {
        dtype = PyArray_DescrFromType(numbers.kind == Kind::boolean ? NPY_BOOL : NPY_INT64);
    }
    Ref out(PyArray_NewFromDescr(&PyArray_Type, dtype, numbers.ndim, numbers.dims, nullptr, nullptr,
                                 0, nullptr));
    if (!out) return nullptr;
    if (write(numbers, out.array())) return out.release();
    if (PyErr_Occurred() != nullptr) PyErr_Clear();
    Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"read_numbers", fast<read_numbers>(), METH_FASTCALL,
     "Return an array of a number or nested lists of numbers; None for what is not usual."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_numbers(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace pellucid
