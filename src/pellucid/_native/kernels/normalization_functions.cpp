// Normalisation, as in the NumPy kernels of the same names.
#include <algorithm>
#include <cmath>

#include "kernels/arguments.hpp"

namespace pellucid {
namespace {

// Rows that take about as long as waking another thread.
long rows_at_once(long columns) {
    constexpr long kGrain = 1 << 14;
    return std::max(1L, kGrain / std::max(1L, columns));
}

long parts_of(long rows, long at_once) { return (rows + at_once - 1) / at_once; }

// Read x [N, C, *S]; whether rows of one channel, or channels of one element, are long enough for
// vectors.
bool read_channels(const Ref& x, ChannelNormJob* job) {
    constexpr long kShortest = 4;
    if (!x || PyArray_NDIM(x.array()) < 2 || x.size() == 0) return false;
    job->x = x.data();
    job->images = PyArray_DIM(x.array(), 0);
    job->channels = PyArray_DIM(x.array(), 1);
    job->area = x.size() / (job->images * job->channels);
    return job->area >= kShortest || (job->area == 1 && job->channels >= kShortest);
}

// Whether the axes are all but the second; of a matrix, whose columns are added up for the weight
// of its rows' normalisation too, whether there is a mean of each column.
bool are_all_but_channels(PyObject* axes, int ndim, PyObject* mean) {
    PyArrayObject* means = as_array(mean);
    if (ndim == 2 && (means == nullptr || PyArray_NDIM(means) != 2 || PyArray_DIM(means, 0) != 1))
        return false;
    if (!PyTuple_Check(axes) || PyTuple_GET_SIZE(axes) != ndim - 1 || ndim < 2) return false;
    for (int i = 0; i < ndim - 1; ++i) {
        long axis;
        if (!read_integer(PyTuple_GET_ITEM(axes, i), &axis)) return false;
        if ((axis < 0 ? axis + ndim : axis) != (i == 0 ? 0 : i + 1)) return false;
    }
    return true;
}

// How many axes there are if they are the last dimensions, in order, else 0.
int count_last(PyObject* axes, int ndim) {
    if (!PyTuple_Check(axes)) return 0;
    const int count = static_cast<int>(PyTuple_GET_SIZE(axes));
    for (int i = 0; i < count; ++i) {
        long axis;
        if (!read_integer(PyTuple_GET_ITEM(axes, i), &axis)) return 0;
        if ((axis < 0 ? axis + ndim : axis) != ndim - count + i) return 0;
    }
    return count;
}

using OfChannels = Part<ChannelNormJob>;

// Runs a part for each channel, or for some of them side by side.
bool run_channels(const ChannelNormJob& job, OfChannels alone, OfChannels beside) {
    const bool is_beside = job.area == 1;
    const long parts = is_beside ? parts_of(job.channels, kChannelsBeside) : job.channels;
    return unlocked([&] { run_parts(parts, is_beside ? beside : alone, job); });
}

PyObject* pack(Ref& a, Ref& b, Ref& c) { return PyTuple_Pack(3, a.get(), b.get(), c.get()); }

}  // namespace

// batch_norm(x, weight, bias, eps)
PyObject* batch_norm(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    ChannelNormJob job{};
    if (count != 4 || !read_precision(arguments[0], &precision)) return declined();
    const int type = type_of(precision);
    const Ref x = contiguous(arguments[0], type);
    Ref weight, bias;
    if (!read_channels(x, &job) || !optional(arguments[1], type, &weight)) return declined();
    if (!optional(arguments[2], type, &bias)) return declined();
    if (!read_number(arguments[3], &job.eps)) return declined();
    if ((weight && weight.size() != job.channels) || (bias && bias.size() != job.channels))
        return declined();
    const npy_intp channels = job.channels;
    Ref out = new_like(x, type), mean = new_array(1, &channels, type);
    Ref rstd = new_array(1, &channels, type), var = new_array(1, &channels, type);
    if (!out || !mean || !rstd || !var) return nullptr;
    job.weight = weight.data();
    job.bias = bias.data();
    job.mean = mean.data();
    job.rstd = rstd.data();
    job.var = var.data();
    job.out = out.data();
    if (!run_channels(job, kernels().normalize_channel[precision],
                      kernels().normalize_columns[precision]))
        return nullptr;
    return PyTuple_Pack(4, out.get(), mean.get(), rstd.get(), var.get());
}

namespace {

struct ChannelGradient {
    Precision precision;
    Ref g, x, mean, rstd, weight;
    ChannelNormJob job{};
};

// Read g, x, mean and rstd, the last two one per channel.
bool read_gradient(PyObject* const* arguments, ChannelGradient* read) {
    if (!read_precision(arguments[1], &read->precision)) return false;
    const int type = type_of(read->precision);
    read->g = contiguous(arguments[0], type);
    read->x = contiguous(arguments[1], type);
    read->mean = contiguous(arguments[2], type);
    read->rstd = contiguous(arguments[3], type);
    if (!read->g || !read->mean || !read->rstd || !read_channels(read->x, &read->job)) return false;
    if (!PyArray_SAMESHAPE(read->g.array(), read->x.array())) return false;
    if (read->mean.size() != read->job.channels || read->rstd.size() != read->job.channels)
        return false;
    read->job.g = read->g.data();
    read->job.mean = read->mean.data();
    read->job.rstd = read->rstd.data();
    return true;
}

template <class T>
void reciprocal_roots(const Ref& var, double eps, const Ref& out) {
    for (long c = 0; c < static_cast<long>(var.size()); ++c)
        out.data<T>()[c] = 1 / std::sqrt(var.data<T>()[c] + T(eps));
}

// Read the weight, one per channel, or None.
bool read_weight(PyObject* object, ChannelGradient* read) {
    if (!optional(object, type_of(read->precision), &read->weight)) return false;
    read->job.weight = read->weight.data();
    return !read->weight || read->weight.size() == read->job.channels;
}

// The gradient of the input; beside it, those that the job has a place for are written.
Ref gradient_of_input(ChannelGradient& read) {
    Ref out = new_like(read.x, type_of(read.precision));
    if (!out) return out;
    read.job.out = out.data();
    const bool done = run_channels(read.job, kernels().channel_to_input[read.precision],
                                   kernels().columns_to_input[read.precision]);
    return done ? std::move(out) : Ref();
}

PyObject* channels_to_input(PyObject* const* arguments) {
    ChannelGradient read;
    if (!read_gradient(arguments, &read) || !read_weight(arguments[4], &read)) return declined();
    return gradient_of_input(read).release();
}

PyObject* channels_to_weight(PyObject* const* arguments) {
    ChannelGradient read;
    if (!read_gradient(arguments, &read)) return declined();
    const npy_intp channels = read.job.channels;
    Ref out = new_array(1, &channels, type_of(read.precision));
    if (!out) return nullptr;
    read.job.out = out.data();
    const bool done = run_channels(read.job, kernels().channel_to_weight[read.precision],
                                   kernels().columns_to_weight[read.precision]);
    return done ? out.release() : nullptr;
}

}  // namespace

// batch_norm_gradients(g, x, weight, mean, var, eps): those of input, weight and bias
PyObject* batch_norm_gradients(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    double eps;
    if (count != 6 || !read_precision(arguments[1], &precision)) return declined();
    if (!read_number(arguments[5], &eps)) return declined();
    const int type = type_of(precision);
    const Ref var = contiguous(arguments[4], type);
    if (!var || PyArray_NDIM(var.array()) != 1) return declined();
    const npy_intp channels = var.size();
    const Ref rstd = new_array(1, &channels, type);
    if (!rstd) return nullptr;
    if (precision == kSingle) reciprocal_roots<float>(var, eps, rstd);
    else reciprocal_roots<double>(var, eps, rstd);
    PyObject* const read_from[] = {arguments[0], arguments[1], arguments[3], rstd.get()};
    ChannelGradient read;
    if (!read_gradient(read_from, &read) || !read_weight(arguments[2], &read)) return declined();
    Ref by_weight = new_array(1, &channels, type), by_bias = new_array(1, &channels, type);
    if (!by_weight || !by_bias) return nullptr;
    read.job.by_weight = by_weight.data();
    read.job.by_bias = by_bias.data();
    Ref by_input = gradient_of_input(read);
    return by_input ? pack(by_input, by_weight, by_bias) : nullptr;
}

namespace {

struct RowGradient {
    Precision precision;
    Ref g, x, mean, rstd;
    RowNormJob job{};
};

bool read_gradient(PyObject* const* arguments, int normalized, RowGradient* read) {
    if (normalized == 0 || !read_precision(arguments[1], &read->precision)) return false;
    const int type = type_of(read->precision);
    read->g = contiguous(arguments[0], type);
    read->x = contiguous(arguments[1], type);
    read->mean = contiguous(arguments[2], type);
    read->rstd = contiguous(arguments[3], type);
    if (!read->g || !read->x || !read->mean || !read->rstd || read->x.size() == 0) return false;
    if (!PyArray_SAMESHAPE(read->g.array(), read->x.array())) return false;
    const int ndim = PyArray_NDIM(read->x.array());
    RowNormJob& job = read->job;
    job.columns =
        PyArray_MultiplyList(PyArray_DIMS(read->x.array()) + ndim - normalized, normalized);
    job.rows = read->x.size() / job.columns;
    if (read->mean.size() != job.rows || read->rstd.size() != job.rows) return false;
    job.rows_at_once = rows_at_once(job.columns);
    job.g = read->g.data();
    job.x = read->x.data();
    job.mean = read->mean.data();
    job.rstd = read->rstd.data();
    return true;
}

PyObject* rows_to_input(PyObject* const* arguments, int normalized) {
    RowGradient read;
    if (!read_gradient(arguments, normalized, &read)) return declined();
    const int type = type_of(read.precision);
    Ref weight;
    if (!optional(arguments[4], type, &weight)) return declined();
    // a weight of one value per row is that of another normalisation
    if (weight && (weight.size() != read.job.columns || PyArray_NDIM(weight.array()) != normalized))
        return declined();
    Ref out = new_like(read.x, type);
    if (!out) return nullptr;
    read.job.weight = weight.data();
    read.job.out = out.data();
    const bool done = unlocked([&] {
        run_parts(parts_of(read.job.rows, read.job.rows_at_once),
                  kernels().row_to_input[read.precision], read.job);
    });
    return done ? out.release() : nullptr;
}

template <class T>
void add_shares(const T* partial, long shares, long columns, T* out) {
    std::copy(partial, partial + columns, out);
    for (long share = 1; share < shares; ++share)
        for (long i = 0; i < columns; ++i) out[i] += partial[share * columns + i];
}

// Whether the axes are the first dimensions; then how many.
int count_first(PyObject* axes, int ndim) {
    if (!PyTuple_Check(axes)) return 0;
    const int count = static_cast<int>(PyTuple_GET_SIZE(axes));
    for (int i = 0; i < count; ++i) {
        long axis;
        if (!read_integer(PyTuple_GET_ITEM(axes, i), &axis)) return 0;
        if ((axis < 0 ? axis + ndim : axis) != i) return 0;
    }
    return count;
}

PyObject* rows_to_weight(PyObject* const* arguments, int ndim, int summed) {
    RowGradient read;
    if (summed == 0 || summed >= ndim) return declined();
    if (!read_gradient(arguments, ndim - summed, &read)) return declined();
    constexpr long kShares = 16;
    RowNormJob& job = read.job;
    job.rows_at_once = std::max(job.rows_at_once, (job.rows + kShares - 1) / kShares);
    const npy_intp partial_size = parts_of(job.rows, job.rows_at_once) * job.columns;
    const int type = type_of(read.precision);
    const Ref partial(PyArray_ZEROS(1, const_cast<npy_intp*>(&partial_size), type, 0));
    Ref out = new_array(ndim - summed, PyArray_DIMS(read.x.array()) + summed, type);
    if (!partial || !out) return nullptr;
    job.out = partial.data();
    const bool done = unlocked([&] {
        const long shares = parts_of(job.rows, job.rows_at_once);
        run_parts(shares, kernels().rows_to_weight[read.precision], job);
        if (read.precision == kSingle)
            add_shares(partial.data<float>(), shares, job.columns, out.data<float>());
        else add_shares(partial.data<double>(), shares, job.columns, out.data<double>());
    });
    return done ? out.release() : nullptr;
}

}  // namespace

// normalisation_to_input(g, x, mean, rstd, weight, axes)
PyObject* normalisation_to_input(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject* x = count == 6 ? as_array(arguments[1]) : nullptr;
    if (x == nullptr) return declined();
    const int ndim = PyArray_NDIM(x);
    if (are_all_but_channels(arguments[5], ndim, arguments[2])) return channels_to_input(arguments);
    return rows_to_input(arguments, count_last(arguments[5], ndim));
}

// normalisation_to_weight(g, x, mean, rstd, axes)
PyObject* normalisation_to_weight(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject* x = count == 5 ? as_array(arguments[1]) : nullptr;
    if (x == nullptr) return declined();
    const int ndim = PyArray_NDIM(x);
    if (are_all_but_channels(arguments[4], ndim, arguments[2]))
        return channels_to_weight(arguments);
    return rows_to_weight(arguments, ndim, count_first(arguments[4], ndim));
}

// layer_norm(x, ndim, weight, bias, eps)
PyObject* layer_norm(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    long normalized;
    RowNormJob job{};
    if (count != 5 || !read_precision(arguments[0], &precision)) return declined();
    const int type = type_of(precision);
    const Ref x = contiguous(arguments[0], type);
    Ref weight, bias;
    if (!x || x.size() == 0 || !read_integer(arguments[1], &normalized)) return declined();
    const int ndim = PyArray_NDIM(x.array());
    if (normalized < 1 || normalized > ndim) return declined();
    if (!optional(arguments[2], type, &weight) || !optional(arguments[3], type, &bias))
        return declined();
    if (!read_number(arguments[4], &job.eps)) return declined();
    const long kept = ndim - normalized;
    job.columns =
        PyArray_MultiplyList(PyArray_DIMS(x.array()) + kept, static_cast<int>(normalized));
    job.rows = x.size() / job.columns;
    if ((weight && weight.size() != job.columns) || (bias && bias.size() != job.columns))
        return declined();
    npy_intp shape[NPY_MAXDIMS];
    for (int dim = 0; dim < ndim; ++dim) shape[dim] = dim < kept ? PyArray_DIM(x.array(), dim) : 1;
    Ref out = new_like(x, type), mean = new_array(ndim, shape, type);
    Ref rstd = new_array(ndim, shape, type);
    if (!out || !mean || !rstd) return nullptr;
    job.rows_at_once = rows_at_once(job.columns);
    job.x = x.data();
    job.weight = weight.data();
    job.bias = bias.data();
    job.mean = mean.data();
    job.rstd = rstd.data();
    job.out = out.data();
    const bool done = unlocked([&] {
        run_parts(parts_of(job.rows, job.rows_at_once), kernels().normalize_row[precision], job);
    });
    return done ? pack(out, mean, rstd) : nullptr;
}

// channel_sums(x): the sums of [N, C, *S] over all but the channels
PyObject* channel_sums(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    ChannelNormJob job{};
    if (count != 1 || !read_precision(arguments[0], &precision)) return declined();
    const Ref x = contiguous(arguments[0], type_of(precision));
    if (!read_channels(x, &job) || job.area == 1) return declined();
    const npy_intp channels = job.channels;
    Ref out = new_array(1, &channels, type_of(precision));
    if (!out) return nullptr;
    job.out = out.data();
    const bool done =
        unlocked([&] { run_parts(job.channels, kernels().sum_channel[precision], job); });
    return done ? out.release() : nullptr;
}

}  // namespace pellucid
