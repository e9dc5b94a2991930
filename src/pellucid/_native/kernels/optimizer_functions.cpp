// Steps of optimizers, which change their arrays in place.
#include "kernels/arguments.hpp"

#include <initializer_list>

namespace pellucid {
namespace {

// The memory of an array that is changed in place, and of one that is read, of a parameter's shape.
bool read_memory(PyObject* object, int type, PyObject* param, bool writes, void** memory) {
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

template <class Job>
PyObject* run(const Job& job, Part<Job> part) {
    const bool done =
        unlocked([&] { run_parts((job.count + kStepGrain - 1) / kStepGrain, part, job); });
    if (!done) return nullptr;
    Py_RETURN_NONE;
}

}  // namespace

// adam_step(param, grad, mean, square, largest, beta1, beta2, step, root, eps, decay, shrink, sign)
PyObject* adam_step(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    AdamJob job{};
    if (count != 13 ||
        !read_arrays(arguments, &precision, &job, {&job.mean, &job.square}, {&job.largest}) ||
        !read_numbers(arguments + 5, {&job.beta1, &job.beta2, &job.step, &job.root, &job.eps,
                                      &job.decay, &job.shrink, &job.sign}))
        return declined();
    return run(job, kernels().adam_piece[precision]);
}

// adadelta_step(param, grad, square, steps, lr, rho, eps, decay, sign)
PyObject* adadelta_step(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    AdadeltaJob job{};
    if (count != 9 || !read_arrays(arguments, &precision, &job, {&job.square, &job.steps}, {}) ||
        !read_numbers(arguments + 4, {&job.lr, &job.rho, &job.eps, &job.decay, &job.sign}))
        return declined();
    return run(job, kernels().adadelta_piece[precision]);
}

// rmsprop_step(param, grad, square, mean, momentum_buffer, lr, alpha, eps, momentum, decay, sign)
PyObject* rmsprop_step(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    RmspropJob job{};
    if (count != 11 ||
        !read_arrays(arguments, &precision, &job, {&job.square},
                     {&job.mean, &job.momentum_buffer}) ||
        !read_numbers(arguments + 5,
                      {&job.lr, &job.alpha, &job.eps, &job.momentum, &job.decay, &job.sign}))
        return declined();
    return run(job, kernels().rmsprop_piece[precision]);
}

// sgd_step(param, grad, momentum_buffer, lr, momentum, dampening, decay, sign, nesterov)
PyObject* sgd_step(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    SgdJob job{};
    if (count != 9 || !read_arrays(arguments, &precision, &job, {}, {&job.momentum_buffer}) ||
        !read_numbers(arguments + 3,
                      {&job.lr, &job.momentum, &job.dampening, &job.decay, &job.sign}))
        return declined();
    job.nesterov = arguments[8] == Py_True;
    return run(job, kernels().sgd_piece[precision]);
}

}  // namespace pellucid
