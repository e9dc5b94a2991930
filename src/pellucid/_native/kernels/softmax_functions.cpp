// Softmax along the last dimension, cross entropy and their gradients.
#include <algorithm>

#include "arguments.hpp"
#include "functions.hpp"

namespace pellucid {
namespace {

using Parts = Part<SoftmaxJob> const (&)[2];

// Read an array as rows; false for one that is empty.
bool read_rows(const Owned& x, SoftmaxJob* job) {
    constexpr long kGrain = 1 << 13;
    const int ndim = x ? PyArray_NDIM(x.array()) : 0;
    if (ndim == 0 || x.size() == 0) return false;
    job->columns = PyArray_DIM(x.array(), ndim - 1);
    job->rows = x.size() / job->columns;
    job->rows_at_once = std::max(1L, kGrain / job->columns);
    job->x = x.data();
    return true;
}

bool run(const SoftmaxJob& job, Part<SoftmaxJob> part) {
    const long parts = (job.rows + job.rows_at_once - 1) / job.rows_at_once;
    return unlocked([&] { run_parts(parts, part, job); });
}

// f(x, axis), where the axis must be the last
PyObject* along_last(PyObject* const* arguments, Py_ssize_t count, Parts parts) {
    Precision precision;
    SoftmaxJob job{};
    long axis;
    if (count != 2 || !read_precision(arguments[0], &precision)) return declined();
    const Owned x = contiguous(arguments[0], type_of(precision));
    if (!read_rows(x, &job) || !read_integer(arguments[1], &axis)) return declined();
    if (axis != -1 && axis != PyArray_NDIM(x.array()) - 1) return declined();
    Owned out = new_like(x, type_of(precision));
    if (!out) return nullptr;
    job.out = out.data();
    return run(job, parts[precision]) ? out.release() : nullptr;
}

// The number of the only axis, by itself or in a tuple.
bool read_axis(PyObject* object, long* axis) {
    if (PyTuple_Check(object) && PyTuple_GET_SIZE(object) == 1) object = PyTuple_GET_ITEM(object, 0);
    return read_integer(object, axis);
}

// f(g, out, axis), where the axis must be the last
PyObject* gradient_along_last(PyObject* const* arguments, Py_ssize_t count, Parts parts) {
    Precision precision;
    SoftmaxJob job{};
    long axis;
    if (count != 3 || !read_precision(arguments[1], &precision)) return declined();
    const Owned g = contiguous(arguments[0], type_of(precision));
    const Owned y = contiguous(arguments[1], type_of(precision));
    if (!g || !read_rows(y, &job) || !read_integer(arguments[2], &axis)) return declined();
    if (!PyArray_SAMESHAPE(g.array(), y.array())) return declined();
    if (axis != -1 && axis != PyArray_NDIM(y.array()) - 1) return declined();
    Owned out = new_like(y, type_of(precision));
    if (!out) return nullptr;
    job.g = g.data();
    job.out = out.data();
    return run(job, parts[precision]) ? out.release() : nullptr;
}

struct Scores {
    Precision precision;
    Owned x, target;
    SoftmaxJob job{};
};

// Read rows of scores and one class for each; false unless all are classes.
bool read_scores(PyObject* const* arguments, Py_ssize_t count, Scores* scores) {
    if (count != 2 || !read_precision(arguments[0], &scores->precision)) return false;
    scores->x = contiguous(arguments[0], type_of(scores->precision));
    scores->target = contiguous(arguments[1], NPY_INT64);
    if (!scores->target || !read_rows(scores->x, &scores->job)) return false;
    SoftmaxJob& job = scores->job;
    if (PyArray_NDIM(scores->x.array()) != 2 || scores->target.size() != job.rows) return false;
    job.target = scores->target.data<long long>();
    const auto is_class = [&](long long value) { return value >= 0 && value < job.columns; };
    return std::all_of(job.target, job.target + job.rows, is_class);
}

}  // namespace

PyObject* softmax(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return along_last(arguments, count, kernels().softmax_rows);
}

PyObject* log_softmax(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return along_last(arguments, count, kernels().log_softmax_rows);
}

PyObject* softmax_to_input(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return gradient_along_last(arguments, count, kernels().softmax_to_input_rows);
}

PyObject* log_softmax_to_input(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return gradient_along_last(arguments, count, kernels().log_softmax_to_input_rows);
}

// logsumexp(x, axis, keepdims), where the axis must be the last
PyObject* logsumexp(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    SoftmaxJob job{};
    long axis;
    if (count != 3 || !read_precision(arguments[0], &precision)) return declined();
    const Owned x = contiguous(arguments[0], type_of(precision));
    if (!read_rows(x, &job) || !read_axis(arguments[1], &axis)) return declined();
    const int ndim = PyArray_NDIM(x.array());
    if (axis != -1 && axis != ndim - 1) return declined();
    npy_intp shape[NPY_MAXDIMS];
    std::copy(PyArray_DIMS(x.array()), PyArray_DIMS(x.array()) + ndim, shape);
    shape[ndim - 1] = 1;
    Owned out = new_array(arguments[2] == Py_True ? ndim : ndim - 1, shape, type_of(precision));
    if (!out) return nullptr;
    job.out = out.data();
    return run(job, kernels().logsumexp_rows[precision]) ? out.release() : nullptr;
}

// cross_entropy_rows(x, target): one loss per row
PyObject* cross_entropy_rows(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Scores scores;
    if (!read_scores(arguments, count, &scores)) return declined();
    const npy_intp rows = scores.job.rows;
    Owned out = new_array(1, &rows, type_of(scores.precision));
    if (!out) return nullptr;
    scores.job.out = out.data();
    const bool done = run(scores.job, kernels().cross_entropy_rows[scores.precision]);
    return done ? out.release() : nullptr;
}

// probability_errors(x, target): softmax, less one at the class
PyObject* probability_errors(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Scores scores;
    if (!read_scores(arguments, count, &scores)) return declined();
    Owned out = new_like(scores.x, type_of(scores.precision));
    if (!out) return nullptr;
    scores.job.out = out.data();
    const bool done = run(scores.job, kernels().probability_errors_rows[scores.precision]);
    return done ? out.release() : nullptr;
}

}  // namespace pellucid
