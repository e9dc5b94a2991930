// Steps of optimizers, which change their arrays in place.
#include "arguments.hpp"
#include "functions.hpp"

namespace pellucid {
namespace {

// The memory of an array that is changed in place, and of one that is read, of `count` elements.
bool read_memory(PyObject* object, int type, long count, bool writes, void** memory) {
    PyArrayObject* array = as_array(object);
    if (array == nullptr || PyArray_TYPE(array) != type || PyArray_SIZE(array) != count)
        return false;
    const bool plain = PyArray_IS_C_CONTIGUOUS(array) && PyArray_ISALIGNED(array) &&
                       PyArray_ISNOTSWAPPED(array);
    if (!plain || (writes && !PyArray_ISWRITEABLE(array))) return false;
    *memory = PyArray_DATA(array);
    return true;
}

// The same for a state that is changed and may be None.
bool read_optional_memory(PyObject* object, int type, long count, void** memory) {
    return object == Py_None || read_memory(object, type, count, true, memory);
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
    if (count != 13 || !read_precision(arguments[0], &precision)) return declined();
    const int type = type_of(precision);
    job.count = PyArray_SIZE(as_array(arguments[0]));
    void* grad = nullptr;
    if (!read_memory(arguments[0], type, job.count, true, &job.param) ||
        !read_memory(arguments[1], type, job.count, false, &grad) ||
        !read_memory(arguments[2], type, job.count, true, &job.mean) ||
        !read_memory(arguments[3], type, job.count, true, &job.square))
        return declined();
    if (!read_optional_memory(arguments[4], type, job.count, &job.largest)) return declined();
    if (!read_numbers(arguments + 5, {&job.beta1, &job.beta2, &job.step, &job.root, &job.eps,
                                      &job.decay, &job.shrink, &job.sign}))
        return declined();
    job.grad = grad;
    return run(job, kernels().adam_piece[precision]);
}

// adadelta_step(param, grad, square, steps, lr, rho, eps, decay, sign)
PyObject* adadelta_step(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    AdadeltaJob job{};
    if (count != 9 || !read_precision(arguments[0], &precision)) return declined();
    const int type = type_of(precision);
    job.count = PyArray_SIZE(as_array(arguments[0]));
    void* grad = nullptr;
    if (!read_memory(arguments[0], type, job.count, true, &job.param) ||
        !read_memory(arguments[1], type, job.count, false, &grad) ||
        !read_memory(arguments[2], type, job.count, true, &job.square) ||
        !read_memory(arguments[3], type, job.count, true, &job.steps))
        return declined();
    if (!read_numbers(arguments + 4, {&job.lr, &job.rho, &job.eps, &job.decay, &job.sign}))
        return declined();
    job.grad = grad;
    return run(job, kernels().adadelta_piece[precision]);
}

// rmsprop_step(param, grad, square, mean, momentum_buffer, lr, alpha, eps, momentum, decay, sign)
PyObject* rmsprop_step(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    RmspropJob job{};
    if (count != 11 || !read_precision(arguments[0], &precision)) return declined();
    const int type = type_of(precision);
    job.count = PyArray_SIZE(as_array(arguments[0]));
    void* grad = nullptr;
    if (!read_memory(arguments[0], type, job.count, true, &job.param) ||
        !read_memory(arguments[1], type, job.count, false, &grad) ||
        !read_memory(arguments[2], type, job.count, true, &job.square) ||
        !read_optional_memory(arguments[3], type, job.count, &job.mean) ||
        !read_optional_memory(arguments[4], type, job.count, &job.momentum_buffer))
        return declined();
    if (!read_numbers(arguments + 5, {&job.lr, &job.alpha, &job.eps, &job.momentum, &job.decay,
                                      &job.sign}))
        return declined();
    job.grad = grad;
    return run(job, kernels().rmsprop_piece[precision]);
}

// sgd_step(param, grad, momentum_buffer, lr, momentum, dampening, decay, sign, nesterov)
PyObject* sgd_step(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    SgdJob job{};
    if (count != 9 || !read_precision(arguments[0], &precision)) return declined();
    const int type = type_of(precision);
    job.count = PyArray_SIZE(as_array(arguments[0]));
    void* grad = nullptr;
    if (!read_memory(arguments[0], type, job.count, true, &job.param) ||
        !read_memory(arguments[1], type, job.count, false, &grad))
        return declined();
    if (!read_optional_memory(arguments[2], type, job.count, &job.momentum_buffer))
        return declined();
    if (!read_numbers(arguments + 3,
                      {&job.lr, &job.momentum, &job.dampening, &job.decay, &job.sign}))
        return declined();
    job.grad = grad;
    job.nesterov = arguments[8] == Py_True;
    return run(job, kernels().sgd_piece[precision]);
}

}  // namespace pellucid
