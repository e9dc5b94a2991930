// Max and average pooling, as in the NumPy kernels of the same names.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

#include "kernels/arguments.hpp"

namespace pellucid {
namespace {

constexpr long kGrain = 1 << 14;

bool fill_last(PyObject* tuple, int count, long* sizes, long absent) {
    std::fill(sizes, sizes + kSpatial, absent);
    return read_sizes(tuple, count, sizes + kSpatial - count);
}

// The number of windows along one dimension; see `pooled_size` in the NumPy kernels.
long windows_of(const PoolingJob& job, int dim, bool ceil_mode) {
    const long stride = job.stride[dim], padding = job.padding[dim], size = job.input[dim];
    const long room = size + 2 * padding - job.dilation[dim] * (job.kernel[dim] - 1) - 1;
    if (room < 0) return 0;
    if (!ceil_mode) return room / stride + 1;
    const long windows = (room + stride - 1) / stride + 1;
    return (windows - 1) * stride >= size + padding ? windows - 1 : windows;
}

// Whether every window holds an element of the input along this dimension.
bool all_meet_input(const PoolingJob& job, int dim) {
    const long last = (job.output[dim] - 1) * job.stride[dim] - job.padding[dim];
    const long reach = (job.kernel[dim] - 1) * job.dilation[dim];
    if (last >= job.input[dim] || job.padding[dim] > reach) return false;
    // with a dilation, a window may step over a short input
    return job.dilation[dim] == 1 || job.padding[dim] == 0 || job.input[dim] >= job.dilation[dim];
}

// Read the geometry of windows over the last dimensions of `shape`.
bool read_windows(const npy_intp* shape, int ndim, PyObject* kernel, PyObject* stride,
                  PyObject* padding, PyObject* dilation, bool ceil_mode, PoolingJob* job) {
    const long spatial = PyTuple_Check(kernel) ? PyTuple_GET_SIZE(kernel) : 0;
    const int count = static_cast<int>(spatial);
    if (count < 1 || count > kSpatial || ndim < count) return false;
    if (!fill_last(kernel, count, job->kernel, 1) || !fill_last(stride, count, job->stride, 1))
        return false;
    if (!fill_last(padding, count, job->padding, 0)) return false;
    std::fill(job->dilation, job->dilation + kSpatial, 1);
    if (dilation != nullptr && !fill_last(dilation, count, job->dilation, 1)) return false;
    std::fill(job->input, job->input + kSpatial, 1);
    std::copy(shape + ndim - count, shape + ndim, job->input + kSpatial - count);
    job->planes = size_product(shape, ndim - count);
    for (int dim = 0; dim < kSpatial; ++dim) {
        if (job->kernel[dim] < 1 || job->stride[dim] < 1 || job->dilation[dim] < 1) return false;
        // no window is longer than the input, so that its taps are as few
        const long reach = (job->kernel[dim] - 1) * job->dilation[dim];
        if (!is_size(job->input[dim]) || reach > 3 * job->input[dim]) return false;
        job->output[dim] = windows_of(*job, dim, ceil_mode);
        if (job->output[dim] < 1 || !all_meet_input(*job, dim)) return false;
    }
    const long area = size_product(job->output, kSpatial);
    if (job->planes < 0 || size_product({job->planes, area}) < 0) return false;
    job->planes_at_once = std::max(1L, kGrain / area);
    const long input_area = size_product(job->input, kSpatial);
    return 0 <= input_area && input_area <= std::numeric_limits<std::int32_t>::max();
}

bool run(const PoolingJob& job, Part<PoolingJob> part) {
    const long parts = (job.planes + job.planes_at_once - 1) / job.planes_at_once;
    return unlocked([&] { run_parts(parts, part, job); });
}

Ref new_pooled(const Ref& x, const PoolingJob& job, int spatial, int type) {
    const int ndim = PyArray_NDIM(x.array());
    npy_intp shape[NPY_MAXDIMS];
    std::copy(PyArray_DIMS(x.array()), PyArray_DIMS(x.array()) + ndim - spatial, shape);
    std::copy(job.output + kSpatial - spatial, job.output + kSpatial, shape + ndim - spatial);
    return new_array(ndim, shape, type);
}

// Whether there are so few windows that it takes less time to go through them one by one than row
// by row; all of them lie in the input.
bool has_few_windows(const PoolingJob& job) {
    constexpr long kShortRow = 16, kFewTaps = 1 << 12;
    const long taps = job.kernel[0] * job.kernel[1] * job.kernel[2];
    if (job.output[2] > kShortRow || job.planes * job.output_area() > kFewTaps / taps) return false;
    for (int dim = 0; dim < kSpatial; ++dim) {
        const long reach = (job.kernel[dim] - 1) * job.dilation[dim];
        const long last = (job.output[dim] - 1) * job.stride[dim] + reach;
        if (job.padding[dim] != 0 || last >= job.input[dim]) return false;
    }
    return true;
}

// Calls visit(place) with every place of a box whose steps along three dimensions lie so far apart,
// the last dimension innermost.
template <class Visit>
void visit_box(const long* counts, const long* steps, const long* input, const Visit& visit) {
    for (long i = 0; i < counts[0]; ++i)
        for (long j = 0; j < counts[1]; ++j)
            for (long k = 0; k < counts[2]; ++k)
                visit((i * steps[0] * input[1] + j * steps[1]) * input[2] + k * steps[2]);
}

// Calls window(start) with the first element of each window, in order.
template <class Window>
void visit_windows(const PoolingJob& job, const Window& window) {
    for (long plane = 0; plane < job.planes; ++plane)
        visit_box(job.output, job.stride, job.input,
                  [&](long place) { window(plane * job.input_area() + place); });
}

// The same sums, of terms in the same order, as those of the kernel of rows.
template <class T>
void average_few(const PoolingJob& job) {
    const T* source = static_cast<const T*>(job.source);
    T* out = static_cast<T*>(job.target);
    const long taps = job.kernel[0] * job.kernel[1] * job.kernel[2];
    const T divisor = job.divisor != 0 ? T(job.divisor) : T(taps);
    visit_windows(job, [&](long start) {
        T sum = 0;
        visit_box(job.kernel, job.dilation, job.input,
                  [&](long place) { sum += source[start + place]; });
        *out++ = sum / divisor;
    });
}

template <class T>
void find_few_largest(const PoolingJob& job) {
    const T* source = static_cast<const T*>(job.source);
    T* out = static_cast<T*>(job.target);
    long long* index = job.indices;
    visit_windows(job, [&](long start) {
        T best = -std::numeric_limits<T>::infinity();
        long at = start;
        visit_box(job.kernel, job.dilation, job.input, [&](long place) {
            const T value = source[start + place];
            if (value > best || value != value) best = value, at = start + place;  // the last NaN
        });
        *out++ = best;
        *index++ = at % job.input_area();
    });
}

// count_include_pad and divisor_override
bool read_averaging(PyObject* counts_padding, PyObject* divisor, PoolingJob* job) {
    job->counts_padding = counts_padding == Py_True;
    long value = 0;
    if (divisor != Py_None && (!read_integer(divisor, &value) || value == 0)) return false;
    job->divisor = static_cast<double>(value);
    return true;
}

}  // namespace

// max_pool(x, kernel, stride, padding, dilation, ceil_mode)
PyObject* max_pool(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    PoolingJob job{};
    if (count != 6 || !read_precision(arguments[0], &precision)) return declined();
    PyArrayObject* given = as_array(arguments[0]);
    if (!read_windows(PyArray_DIMS(given), PyArray_NDIM(given), arguments[1], arguments[2],
                      arguments[3], arguments[4], arguments[5] == Py_True, &job))
        return declined();
    const Ref x = contiguous(arguments[0], type_of(precision));
    if (!x) return declined();
    const int spatial = static_cast<int>(PyTuple_GET_SIZE(arguments[1]));
    Ref out = new_pooled(x, job, spatial, type_of(precision));
    Ref indices = new_pooled(x, job, spatial, NPY_INT64);
    if (!out || !indices) return nullptr;
    job.source = x.data();
    job.target = out.data();
    job.indices = indices.data<long long>();
    if (has_few_windows(job)) {
        precision == kSingle ? find_few_largest<float>(job) : find_few_largest<double>(job);
    } else if (!run(job, kernels().max_pool_planes[precision])) {
        return nullptr;
    }
    return PyTuple_Pack(2, out.get(), indices.get());
}

// max_pool_to_input(g, indices, input_shape), with g [N, C, *P]
PyObject* max_pool_to_input(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    PoolingJob job{};
    long sizes[kSpatial + 2];
    if (count != 3 || !read_precision(arguments[0], &precision)) return declined();
    const Ref g = contiguous(arguments[0], type_of(precision));
    const Ref indices = contiguous(arguments[1], NPY_INT64);
    const int ndim = g ? PyArray_NDIM(g.array()) : 0;
    if (!indices || ndim < 3 || ndim > kSpatial + 2) return declined();
    if (!read_sizes(arguments[2], ndim, sizes) || size_product(sizes, ndim) < 0) return declined();
    if (!PyArray_SAMESHAPE(g.array(), indices.array())) return declined();
    job.planes = sizes[0] * sizes[1];
    if (job.planes != PyArray_DIM(g.array(), 0) * PyArray_DIM(g.array(), 1)) return declined();
    if (job.planes == 0) return declined();
    std::fill(job.input, job.input + kSpatial, 1);
    std::fill(job.output, job.output + kSpatial, 1);
    std::copy(sizes + 2, sizes + ndim, job.input);
    job.output[0] = g.size() / job.planes;
    job.source = g.data();
    job.indices = indices.data<long long>();
    const long long area = job.input_area();
    const auto is_inside = [&](long long index) { return index >= 0 && index < area; };
    if (!std::all_of(job.indices, job.indices + g.size(), is_inside)) return declined();
    npy_intp shape[kSpatial + 2];
    std::copy(sizes, sizes + ndim, shape);
    Ref out = new_array(ndim, shape, type_of(precision));
    if (!out) return nullptr;
    job.target = out.data();
    job.planes_at_once = std::max(1L, kGrain / std::max(1L, job.input_area()));
    return run(job, kernels().max_pool_to_input_planes[precision]) ? out.release() : nullptr;
}

// avg_pool(x, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override)
PyObject* avg_pool(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    PoolingJob job{};
    if (count != 7 || !read_precision(arguments[0], &precision)) return declined();
    PyArrayObject* given = as_array(arguments[0]);
    if (!read_windows(PyArray_DIMS(given), PyArray_NDIM(given), arguments[1], arguments[2],
                      arguments[3], nullptr, arguments[4] == Py_True, &job))
        return declined();
    if (!read_averaging(arguments[5], arguments[6], &job)) return declined();
    const Ref x = contiguous(arguments[0], type_of(precision));
    if (!x) return declined();
    const int spatial = static_cast<int>(PyTuple_GET_SIZE(arguments[1]));
    Ref out = new_pooled(x, job, spatial, type_of(precision));
    if (!out) return nullptr;
    job.source = x.data();
    job.target = out.data();
    if (has_few_windows(job)) {
        precision == kSingle ? average_few<float>(job) : average_few<double>(job);
        return out.release();
    }
    return run(job, kernels().avg_pool_planes[precision]) ? out.release() : nullptr;
}

// avg_pool_to_input(g, input_shape, kernel, stride, padding, ceil_mode, count_include_pad,
//                   divisor_override)
PyObject* avg_pool_to_input(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    PoolingJob job{};
    long sizes[NPY_MAXDIMS];
    if (count != 8 || !read_precision(arguments[0], &precision)) return declined();
    const Ref g = contiguous(arguments[0], type_of(precision));
    const int ndim = g ? PyArray_NDIM(g.array()) : 0;
    if (ndim == 0 || !read_sizes(arguments[1], ndim, sizes)) return declined();
    npy_intp shape[NPY_MAXDIMS];
    std::copy(sizes, sizes + ndim, shape);
    if (!read_windows(shape, ndim, arguments[2], arguments[3], arguments[4], nullptr,
                      arguments[5] == Py_True, &job))
        return declined();
    if (!read_averaging(arguments[6], arguments[7], &job)) return declined();
    if (g.size() != job.planes * job.output_area()) return declined();
    Ref out = new_array(ndim, shape, type_of(precision));
    if (!out) return nullptr;
    job.source = g.data();
    job.target = out.data();
    return run(job, kernels().avg_pool_to_input_planes[precision]) ? out.release() : nullptr;
}

namespace {

// Windows of nearly equal sizes over planes; those of one dimension are [starts, ends).
struct AdaptiveJob {
    long planes, planes_at_once, input[kSpatial], output[kSpatial];
    const void* source;
    void* target;

    long start(int dim, long i) const { return i * input[dim] / output[dim]; }
    long end(int dim, long i) const { return ((i + 1) * input[dim] - 1) / output[dim] + 1; }
    long input_area() const { return input[0] * input[1] * input[2]; }
    long output_area() const { return output[0] * output[1] * output[2]; }
};

// Calls `visit(window, row, length, count)` with each row of each window of a plane: its first
// element and its length, and how many elements the window has.
template <class Visit>
void visit_rows(const AdaptiveJob& job, const Visit& visit) {
    long window = 0, at[kSpatial];
    for (at[0] = 0; at[0] < job.output[0]; ++at[0])
        for (at[1] = 0; at[1] < job.output[1]; ++at[1])
            for (at[2] = 0; at[2] < job.output[2]; ++at[2], ++window) {
                long starts[kSpatial], ends[kSpatial], count = 1;
                for (int d = 0; d < kSpatial; ++d) {
                    starts[d] = job.start(d, at[d]);
                    ends[d] = job.end(d, at[d]);
                    count *= ends[d] - starts[d];
                }
                for (long i = starts[0]; i < ends[0]; ++i)
                    for (long j = starts[1]; j < ends[1]; ++j)
                        visit(window, (i * job.input[1] + j) * job.input[2] + starts[2],
                              ends[2] - starts[2], static_cast<double>(count));
            }
}

template <class T>
double sum_of_row(const T* row, long length) {
    constexpr long kLanes = 8;
    double sums[kLanes] = {0};
    long i = 0;
    for (; i + kLanes <= length; i += kLanes)
        for (long lane = 0; lane < kLanes; ++lane) sums[lane] += row[i + lane];
    for (; i < length; ++i) sums[0] += row[i];
    return std::accumulate(sums, sums + kLanes, 0.0);
}

template <class T>
void average_planes(const AdaptiveJob& job, long part) {
    const long first = part * job.planes_at_once;
    for (long p = first; p < std::min(job.planes, first + job.planes_at_once); ++p) {
        const T* source = static_cast<const T*>(job.source) + p * job.input_area();
        T* target = static_cast<T*>(job.target) + p * job.output_area();
        long last = -1;
        double sum = 0;
        visit_rows(job, [&](long window, long row, long length, double count) {
            sum = (window == last ? sum : 0) + sum_of_row(source + row, length);
            last = window;
            target[window] = static_cast<T>(sum / count);
        });
    }
}

template <class T>
void share_planes(const AdaptiveJob& job, long part) {
    const long first = part * job.planes_at_once;
    for (long p = first; p < std::min(job.planes, first + job.planes_at_once); ++p) {
        const T* source = static_cast<const T*>(job.source) + p * job.output_area();
        T* target = static_cast<T*>(job.target) + p * job.input_area();
        std::fill_n(target, job.input_area(), T(0));
        visit_rows(job, [&](long window, long row, long length, double count) {
            const T share = static_cast<T>(source[window] / count);
            for (long i = 0; i < length; ++i) target[row + i] += share;
        });
    }
}

// Runs a job between an array and a new one of the shape; `to_input` where that is the input's.
PyObject* run_adaptive(PyObject* object, const npy_intp* shape, int ndim, int spatial,
                       bool to_input) {
    Precision precision;
    if (!read_precision(object, &precision)) return declined();
    const Ref x = contiguous(object, type_of(precision));
    if (!x || spatial < 1 || spatial > kSpatial || PyArray_NDIM(x.array()) != ndim)
        return declined();
    AdaptiveJob job{};
    job.planes = size_product(shape, ndim - spatial);
    const npy_intp *input = PyArray_DIMS(x.array()), *output = shape;
    if (job.planes != PyArray_MultiplyList(input, ndim - spatial)) return declined();
    if (to_input) std::swap(input, output);
    for (int d = 0; d < kSpatial; ++d) {
        const int at = ndim - kSpatial + d;
        job.input[d] = d < kSpatial - spatial ? 1 : input[at];
        job.output[d] = d < kSpatial - spatial ? 1 : output[at];
    }
    for (const long* sizes : {job.input, job.output})
        for (int d = 0; d < kSpatial; ++d)
            if (!is_size(sizes[d]) || sizes[d] == 0) return declined();
    if (size_product({job.planes, size_product(job.input, kSpatial)}) < 1 ||
        size_product({job.planes, size_product(job.output, kSpatial)}) < 1) {
        return declined();
    }
    job.planes_at_once = std::max(1L, kGrain / job.input_area());
    Ref out = new_array(ndim, shape, type_of(precision));
    if (!out) return nullptr;
    job.source = x.data();
    job.target = out.data();
    const Part<AdaptiveJob> parts[][2] = {{average_planes<float>, average_planes<double>},
                                          {share_planes<float>, share_planes<double>}};
    const long count = (job.planes + job.planes_at_once - 1) / job.planes_at_once;
    const bool done = unlocked([&] { run_parts(count, parts[to_input][precision], job); });
    return done ? out.release() : nullptr;
}

}  // namespace

// adaptive_avg_pool(x, output_size)
PyObject* adaptive_avg_pool(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject* array = count == 2 ? as_array(arguments[0]) : nullptr;
    const int spatial = count == 2 && PyTuple_Check(arguments[1])
                            ? static_cast<int>(PyTuple_GET_SIZE(arguments[1]))
                            : 0;
    long sizes[NPY_MAXDIMS];
    if (array == nullptr || spatial > PyArray_NDIM(array) ||
        !read_sizes(arguments[1], spatial, sizes)) {
        return declined();
    }
    npy_intp shape[NPY_MAXDIMS];
    const int ndim = PyArray_NDIM(array);
    std::copy(PyArray_DIMS(array), PyArray_DIMS(array) + ndim - spatial, shape);
    std::copy(sizes, sizes + spatial, shape + ndim - spatial);
    return run_adaptive(arguments[0], shape, ndim, spatial, false);
}

// adaptive_avg_pool_to_input(g, input_shape, output_size)
PyObject* adaptive_avg_pool_to_input(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 3 || !PyTuple_Check(arguments[1]) || !PyTuple_Check(arguments[2]))
        return declined();
    const int ndim = static_cast<int>(PyTuple_GET_SIZE(arguments[1]));
    long sizes[NPY_MAXDIMS];
    if (ndim > NPY_MAXDIMS || !read_sizes(arguments[1], ndim, sizes)) return declined();
    npy_intp shape[NPY_MAXDIMS];
    std::copy(sizes, sizes + ndim, shape);
    return run_adaptive(arguments[0], shape, ndim, static_cast<int>(PyTuple_GET_SIZE(arguments[2])),
                        true);
}

}  // namespace pellucid
