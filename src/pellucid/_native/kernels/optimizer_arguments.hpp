// Reading what steps of optimizers are given.
#pragma once

#include <initializer_list>

#include "kernels/arguments.hpp"

namespace pellucid {

// The memory of an array that is changed in place, and of one that is read, of a parameter's shape.
inline bool read_memory(PyObject* object, int type, PyObject* param, bool writes, void** memory) {
    PyArrayObject* array = as_array(object);
    if (array == nullptr || PyArray_TYPE(array) != type ||
        !PyArray_SAMESHAPE(array, as_array(param)))
        return false;
    const bool plain =
        PyArray_IS_C_CONTIGUOUS(array) && PyArray_ISALIGNED(array) && PyArray_ISNOTSWAPPED(array);
    if (!plain || (writes && !PyArray_ISWRITEABLE(array))) return false;
    *memory = PyArray_DATA(array);
    return true;
}

// Reads the arrays that a step begins with: the parameter, its gradient, states that are changed,
// and states that may be None.
template <class Job>
bool read_arrays(PyObject* const* arguments, Precision* precision, Job* job,
                 std::initializer_list<void**> states, std::initializer_list<void**> optional) {
    if (!read_precision(arguments[0], precision)) return false;
    const int type = type_of(*precision);
    job->count = PyArray_SIZE(as_array(arguments[0]));
    void* grad = nullptr;
    PyObject* const param = arguments[0];
    if (!read_memory(param, type, param, true, &job->param) ||
        !read_memory(arguments[1], type, param, false, &grad))
        return false;
    job->grad = grad;
    PyObject* const* state = arguments + 2;
    for (void** memory : states)
        if (!read_memory(*state++, type, param, true, memory)) return false;
    for (void** memory : optional) {
        PyObject* const given = *state++;
        if (given != Py_None && !read_memory(given, type, param, true, memory)) return false;
    }
    return true;
}

template <std::size_t kCount>
bool read_numbers(PyObject* const* arguments, double* const (&numbers)[kCount]) {
    for (std::size_t i = 0; i < kCount; ++i)
        if (!read_number(arguments[i], numbers[i])) return false;
    return true;
}

// Runs the parts of a step, of a short one without letting go of the interpreter's lock; false with
// an error.
template <class Job>
bool run_step(const Job& job, Part<Job> part) {
    if (job.count > kFewElements) {
        return unlocked([&] { run_parts((job.count + kStepGrain - 1) / kStepGrain, part, job); });
    }
    if (job.count > 0) part(job, 0);
    return true;
}

}  // namespace pellucid
