// where, as in the NumPy kernel of the same name.
#include <algorithm>
#include <cstdint>

#include "kernels/arguments.hpp"
#include "kernels/pieces.hpp"

namespace pellucid {
namespace {

// What is chosen from: an array as large as the condition, or one number for all.
struct Choice {
    Ref array;
    bool is_number;
};

bool is_number_for(PyObject* object, int type) {
    const bool is_float = PyTypeNum_ISFLOAT(type);
    return PyLong_CheckExact(object) ? is_float || PyTypeNum_ISINTEGER(type)
                                     : PyFloat_CheckExact(object) && is_float;
}

// Whether an operand is an array of another order in memory, which the result would have to follow.
bool has_own_order(PyObject* object) {
    PyArrayObject* array = as_array(object);
    npy_intp outer = NPY_MAX_INTP;
    for (int dim = 0; array != nullptr && dim < PyArray_NDIM(array); ++dim) {
        if (PyArray_DIM(array, dim) == 1) continue;
        const npy_intp stride = PyArray_STRIDE(array, dim);
        if (stride > outer) return true;
        outer = stride;
    }
    return false;
}

// Read a choice in a dtype; false for what is left to NumPy.
bool read_choice(PyObject* object, PyArrayObject* condition, int type, Choice* choice) {
    PyArrayObject* array = as_array(object);
    if (array != nullptr) {
        choice->is_number = PyArray_NDIM(array) == 0;
        choice->array = contiguous(object, type);
        return choice->array && (choice->is_number || PyArray_SAMESHAPE(array, condition));
    }
    choice->is_number = true;
    if (!is_number_for(object, type)) return false;
    choice->array = Ref(PyArray_FromAny(object, PyArray_DescrFromType(type), 0, 0, 0, nullptr));
    return static_cast<bool>(choice->array);
}

Choose choose_of_size(long size) {
    switch (size) {
        case 1: return kernels().choose[0];
        case 2: return kernels().choose[1];
        case 4: return kernels().choose[2];
        case 8: return kernels().choose[3];
        default: return nullptr;
    }
}

// The dtype of the choice that is an array with dimensions; -1 if neither is.
int type_of_choices(PyObject* const* choices) {
    for (int i = 0; i < 2; ++i) {
        PyArrayObject* array = as_array(choices[i]);
        if (array != nullptr && PyArray_NDIM(array) > 0) return PyArray_TYPE(array);
    }
    return -1;
}

}  // namespace

// where(condition, x, y)
PyObject* where(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 3 || std::any_of(arguments, arguments + 3, has_own_order)) return declined();
    const Ref condition = contiguous(arguments[0], NPY_BOOL);
    const int type = type_of_choices(arguments + 1);
    if (!condition || condition.size() == 0 || type < 0 || !PyTypeNum_ISNUMBER(type))
        return declined();
    Choice x, y;
    if (!read_choice(arguments[1], condition.array(), type, &x)) return declined();
    if (!read_choice(arguments[2], condition.array(), type, &y)) return declined();
    Ref out = new_like(condition, type);
    if (!out) return nullptr;
    const Choices job{condition.data<std::uint8_t>(),
                      x.array.data(),
                      y.array.data(),
                      x.is_number,
                      y.is_number,
                      out.data()};
    const Choose run = choose_of_size(out.item_size());
    if (run == nullptr) return declined();
    const bool done = unlocked([&] {
        in_pieces(condition.size(), 4 * kGrain,
                  [&](long begin, long end) { run(job, begin, end); });
    });
    return done ? out.release() : nullptr;
}

}  // namespace pellucid
