// Steps of optimizers, which change their arrays in place.
#include "kernels/optimizer_arguments.hpp"

namespace pellucid {
namespace {

template <class Job>
PyObject* run(const Job& job, Part<Job> part) {
    if (!run_step(job, part)) return nullptr;
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
