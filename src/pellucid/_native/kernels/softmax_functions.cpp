// Softmax, its logarithm and cross entropy, with their gradients.
#include <algorithm>
#include <numeric>

#include "kernels/lanes.hpp"

namespace pellucid {
namespace {

using Parts = Part<SoftmaxJob> const (&)[2];

// Read an array as rows of so many elements.
void set_rows(const Ref& x, long columns, SoftmaxJob* job) {
    constexpr long kGrain = 1 << 13;
    job->columns = columns;
    job->rows = x.size() / columns;
    job->rows_at_once = std::max(1L, kGrain / columns);
    job->x = x.data();
}

// The same along the last dimension; false for an array that is empty.
bool read_rows(const Ref& x, SoftmaxJob* job) {
    const int ndim = x ? PyArray_NDIM(x.array()) : 0;
    if (ndim == 0 || x.size() == 0) return false;
    set_rows(x, PyArray_DIM(x.array(), ndim - 1), job);
    return true;
}

bool run(const SoftmaxJob& job, Part<SoftmaxJob> part) {
    const long parts = (job.rows + job.rows_at_once - 1) / job.rows_at_once;
    return unlocked([&] { run_parts(parts, part, job); });
}

// Runs a part along a dimension that is not the last.
bool run_columns(SoftmaxJob job, const Lanes& lanes, Part<SoftmaxJob> part) {
    job.rows = lanes.size;
    job.columns = lanes.inner;
    const long blocks = (lanes.inner + kColumnsBeside - 1) / kColumnsBeside;
    return unlocked([&] { run_parts(lanes.outer * blocks, part, job); });
}

// f(x, axis)
PyObject* along(PyObject* const* arguments, Py_ssize_t count, Parts of_rows, Parts of_columns) {
    Precision precision;
    SoftmaxJob job{};
    Lanes lanes;
    if (count != 2 || !read_precision(arguments[0], &precision)) return declined();
    const int type = type_of(precision);
    const Ref x = contiguous(arguments[0], type);
    if (!x || x.size() == 0 || !read_lanes(x.array(), arguments[1], &lanes)) return declined();
    set_rows(x, lanes.size, &job);
    Ref out = new_like(x, type);
    if (!out) return nullptr;
    job.out = out.data();
    const bool done = lanes.inner == 1 ? run(job, of_rows[precision])
                                       : run_columns(job, lanes, of_columns[precision]);
    return done ? out.release() : nullptr;
}

// Whether the only axis, by itself or in a tuple, is the last of so many.
bool is_last_axis(PyObject* object, int ndim) {
    long axis;
    if (PyTuple_Check(object) && PyTuple_GET_SIZE(object) == 1)
        object = PyTuple_GET_ITEM(object, 0);
    return read_integer(object, &axis) && (axis == -1 || axis == ndim - 1);
}

// f(g, out, axis), where the axis must be the last: the gradient of x where f(x, axis) is out
PyObject* along_rows_backward(PyObject* const* arguments, Py_ssize_t count, Parts of_rows) {
    Precision precision, other;
    SoftmaxJob job{};
    if (count != 3 || !read_precision(arguments[0], &precision) ||
        !read_precision(arguments[1], &other) || other != precision) {
        return declined();
    }
    const int type = type_of(precision);
    const Ref g = contiguous(arguments[0], type), y = contiguous(arguments[1], type);
    if (!g || !read_rows(y, &job) || !PyArray_SAMESHAPE(g.array(), y.array()) ||
        !is_last_axis(arguments[2], PyArray_NDIM(y.array()))) {
        return declined();
    }
    Ref out = new_like(y, type);
    if (!out) return nullptr;
    job.g = g.data();
    job.out = out.data();
    return run(job, of_rows[precision]) ? out.release() : nullptr;
}

struct Scores {
    Precision precision;
    Ref x, target;
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

// Whether the first element of each row is a number; a row of minus infinities alone has none.
template <class T>
bool start_with_numbers(const Ref& out) {
    const T* x = out.data<T>();
    const long columns = PyArray_DIM(out.array(), PyArray_NDIM(out.array()) - 1);
    bool all = true;
    for (long i = 0; i < out.size(); i += columns) all = all && x[i] == x[i];
    return all;
}

}  // namespace

// softmax(x, axis)
PyObject* softmax(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return along(arguments, count, kernels().softmax_rows, kernels().softmax_columns);
}

// softmax(x, axis) along the last axis, where no row is minus infinity throughout
PyObject* safe_softmax(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
    Ref out(softmax(self, arguments, count));
    if (!out || !PyArray_Check(out.get())) return out.release();
    const bool along_rows = is_last_axis(arguments[1], PyArray_NDIM(out.array()));
    const bool single = PyArray_TYPE(out.array()) == NPY_FLOAT;
    if (!along_rows || !(single ? start_with_numbers<float>(out) : start_with_numbers<double>(out)))
        return declined();
    return out.release();
}

// log_softmax(x, axis)
PyObject* log_softmax(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return along(arguments, count, kernels().log_softmax_rows, kernels().log_softmax_columns);
}

PyObject* softmax_backward(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return along_rows_backward(arguments, count, kernels().softmax_backward_rows);
}

PyObject* log_softmax_backward(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return along_rows_backward(arguments, count, kernels().log_softmax_backward_rows);
}

// logcumsumexp(x, axis), of float32
PyObject* logcumsumexp(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject* x = count == 2 ? as_array(arguments[0]) : nullptr;
    if (x == nullptr || PyArray_TYPE(x) != NPY_FLOAT) return declined();
    const Part<SoftmaxJob> rows[2] = {kernels().logcumsumexp_rows};
    const Part<SoftmaxJob> columns[2] = {kernels().logcumsumexp_columns};
    return along(arguments, count, rows, columns);
}

// logsumexp(x, axis, keepdims), where the axis must be the last
PyObject* logsumexp(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    SoftmaxJob job{};
    if (count != 3 || !read_precision(arguments[0], &precision)) return declined();
    const Ref x = contiguous(arguments[0], type_of(precision));
    if (!read_rows(x, &job)) return declined();
    const int ndim = PyArray_NDIM(x.array());
    if (!is_last_axis(arguments[1], ndim)) return declined();
    npy_intp shape[NPY_MAXDIMS];
    std::copy(PyArray_DIMS(x.array()), PyArray_DIMS(x.array()) + ndim, shape);
    shape[ndim - 1] = 1;
    Ref out = new_array(arguments[2] == Py_True ? ndim : ndim - 1, shape, type_of(precision));
    if (!out) return nullptr;
    job.out = out.data();
    return run(job, kernels().logsumexp_rows[precision]) ? out.release() : nullptr;
}

namespace {

// One loss for each row of scores.
Ref losses_of(Scores& scores) {
    const npy_intp rows = scores.job.rows;
    Ref out = new_array(1, &rows, type_of(scores.precision));
    if (!out) return out;
    scores.job.out = out.data();
    return run(scores.job, kernels().cross_entropy_rows[scores.precision]) ? std::move(out) : Ref();
}

// Losses as they are ("none"), their sum or their mean, of float32 alone: of float64, the order of
// the terms can be seen.
PyObject* reduced(Ref losses, PyObject* reduction) {
    if (!losses || is_word(reduction, "none")) return losses.release();
    const bool mean = is_word(reduction, "mean");
    if ((!mean && !is_word(reduction, "sum")) || losses.item_size() != 4) return declined();
    const float* each = losses.data<float>();
    const double total = std::accumulate(each, each + losses.size(), 0.0);
    Ref out = new_array(0, nullptr, NPY_FLOAT);
    if (out) *out.data<float>() = static_cast<float>(mean ? total / losses.size() : total);
    return out.release();
}

// Minus the score of each row's class.
template <class T>
Ref minus_scores(const Scores& scores, int type) {
    const npy_intp rows = scores.job.rows;
    Ref out = new_array(1, &rows, type);
    const T* x = scores.x.data<T>();
    for (long i = 0; out && i < rows; ++i)
        out.data<T>()[i] = -x[i * scores.job.columns + scores.job.target[i]];
    return out;
}

// Whether there are no weights of classes, and no class that does not count.
bool all_count(PyObject* weight, PyObject* ignored, long columns) {
    long value;
    return weight == Py_None && read_integer(ignored, &value) && !(0 <= value && value < columns);
}

}  // namespace

// cross_entropy_rows(x, target): one loss per row
PyObject* cross_entropy_rows(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Scores scores;
    return read_scores(arguments, count, &scores) ? losses_of(scores).release() : declined();
}

// class_cross_entropy(x, target, reduction)
PyObject* class_cross_entropy(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Scores scores;
    if (count != 3 || !read_scores(arguments, 2, &scores)) return declined();
    return reduced(losses_of(scores), arguments[2]);
}

// class_losses(x, target, weight, reduction, ignore_index): minus the scores of the classes
PyObject* class_losses(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Scores scores;
    if (count != 5 || !read_scores(arguments, 2, &scores) ||
        PyArray_NDIM(scores.target.array()) != 1 ||
        !all_count(arguments[2], arguments[4], scores.job.columns)) {
        return declined();
    }
    return reduced(scores.precision == kSingle ? minus_scores<float>(scores, NPY_FLOAT)
                                               : minus_scores<double>(scores, NPY_DOUBLE),
                   arguments[3]);
}

namespace {

template <class T>
void put_gradients(const Ref& g, const Ref& target, bool mean, long columns, T* out) {
    const long rows = target.size(), step = g.size() == 1 ? 0 : 1;
    for (long i = 0; i < rows; ++i) {
        const T value = g.data<T>()[i * step];
        out[i * columns + target.data<long long>()[i]] = -(mean ? value / rows : value);
    }
}

}  // namespace

// class_gradients(g, target, weight, shape, reduction, ignore_index): the transpose of class_losses
PyObject* class_gradients(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    long sizes[2];
    if (count != 6 || !read_precision(arguments[0], &precision) ||
        !read_integers(arguments[3], 2, sizes) ||
        !all_count(arguments[2], arguments[5], sizes[1])) {
        return declined();
    }
    const Ref g = contiguous(arguments[0], type_of(precision));
    const Ref target = contiguous(arguments[1], NPY_INT64);
    const bool mean = is_word(arguments[4], "mean"), each = is_word(arguments[4], "none");
    if (!g || !target || target.size() != sizes[0] || g.size() != (each ? sizes[0] : 1))
        return declined();
    const long long* classes = target.data<long long>();
    for (long i = 0; i < sizes[0]; ++i)
        if (classes[i] < 0 || classes[i] >= sizes[1]) return declined();
    npy_intp shape[] = {sizes[0], sizes[1]};
    Ref out(PyArray_ZEROS(2, shape, type_of(precision), 0));
    if (!out) return nullptr;
    if (precision == kSingle) put_gradients(g, target, mean, sizes[1], out.data<float>());
    else put_gradients(g, target, mean, sizes[1], out.data<double>());
    return out.release();
}

// cross_entropy_loss_backward(x, target): softmax, less one at the class
PyObject* cross_entropy_loss_backward(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Scores scores;
    if (!read_scores(arguments, count, &scores)) return declined();
    Ref out = new_like(scores.x, type_of(scores.precision));
    if (!out) return nullptr;
    scores.job.out = out.data();
    const bool done = run(scores.job, kernels().cross_entropy_loss_backward_rows[scores.precision]);
    return done ? out.release() : nullptr;
}

}  // namespace pellucid
