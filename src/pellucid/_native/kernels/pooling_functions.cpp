// Max and average pooling, as in the NumPy kernels of the same names.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "arguments.hpp"
#include "functions.hpp"

namespace pellucid {
namespace {

constexpr long kGrain = 1 << 14;

bool fill_last(PyObject* tuple, int count, long* sizes, long absent) {
    std::fill(sizes, sizes + kSpatial, absent);
    return read_integers(tuple, count, sizes + kSpatial - count);
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
    job->planes = PyArray_MultiplyList(shape, ndim - count);
    for (int dim = 0; dim < kSpatial; ++dim) {
        if (job->kernel[dim] < 1 || job->stride[dim] < 1 || job->dilation[dim] < 1) return false;
        if (job->padding[dim] < 0) return false;
        job->output[dim] = windows_of(*job, dim, ceil_mode);
        if (job->output[dim] < 1 || !all_meet_input(*job, dim)) return false;
    }
    job->planes_at_once = std::max(1L, kGrain / std::max(1L, job->output_area()));
    return job->input_area() <= std::numeric_limits<std::int32_t>::max();
}

bool run(const PoolingJob& job, Part<PoolingJob> part) {
    const long parts = (job.planes + job.planes_at_once - 1) / job.planes_at_once;
    return unlocked([&] { run_parts(parts, part, job); });
}

Owned new_pooled(const Owned& x, const PoolingJob& job, int spatial, int type) {
    const int ndim = PyArray_NDIM(x.array());
    npy_intp shape[NPY_MAXDIMS];
    std::copy(PyArray_DIMS(x.array()), PyArray_DIMS(x.array()) + ndim - spatial, shape);
    std::copy(job.output + kSpatial - spatial, job.output + kSpatial, shape + ndim - spatial);
    return new_array(ndim, shape, type);
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
    const Owned x = contiguous(arguments[0], type_of(precision));
    if (!x || !read_windows(PyArray_DIMS(x.array()), PyArray_NDIM(x.array()), arguments[1],
                            arguments[2], arguments[3], arguments[4], arguments[5] == Py_True,
                            &job))
        return declined();
    const int spatial = static_cast<int>(PyTuple_GET_SIZE(arguments[1]));
    Owned out = new_pooled(x, job, spatial, type_of(precision));
    Owned indices = new_pooled(x, job, spatial, NPY_INT64);
    if (!out || !indices) return nullptr;
    job.source = x.data();
    job.target = out.data();
    job.indices = indices.data<long long>();
    if (!run(job, kernels().max_pool_planes[precision])) return nullptr;
    return PyTuple_Pack(2, out.get(), indices.get());
}

// max_pool_to_input(g, indices, input_shape), with g [N, C, *P]
PyObject* max_pool_to_input(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    PoolingJob job{};
    long sizes[kSpatial + 2];
    if (count != 3 || !read_precision(arguments[0], &precision)) return declined();
    const Owned g = contiguous(arguments[0], type_of(precision));
    const Owned indices = contiguous(arguments[1], NPY_INT64);
    const int ndim = g ? PyArray_NDIM(g.array()) : 0;
    if (!indices || ndim < 3 || ndim > kSpatial + 2) return declined();
    if (!read_integers(arguments[2], ndim, sizes)) return declined();
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
    Owned out = new_array(ndim, shape, type_of(precision));
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
    const Owned x = contiguous(arguments[0], type_of(precision));
    if (!x || !read_windows(PyArray_DIMS(x.array()), PyArray_NDIM(x.array()), arguments[1],
                            arguments[2], arguments[3], nullptr, arguments[4] == Py_True, &job))
        return declined();
    if (!read_averaging(arguments[5], arguments[6], &job)) return declined();
    const int spatial = static_cast<int>(PyTuple_GET_SIZE(arguments[1]));
    Owned out = new_pooled(x, job, spatial, type_of(precision));
    if (!out) return nullptr;
    job.source = x.data();
    job.target = out.data();
    return run(job, kernels().avg_pool_planes[precision]) ? out.release() : nullptr;
}

// avg_pool_to_input(g, input_shape, kernel, stride, padding, ceil_mode, count_include_pad,
//                   divisor_override)
PyObject* avg_pool_to_input(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    PoolingJob job{};
    long sizes[NPY_MAXDIMS];
    if (count != 8 || !read_precision(arguments[0], &precision)) return declined();
    const Owned g = contiguous(arguments[0], type_of(precision));
    const int ndim = g ? PyArray_NDIM(g.array()) : 0;
    if (ndim == 0 || !read_integers(arguments[1], ndim, sizes)) return declined();
    npy_intp shape[NPY_MAXDIMS];
    std::copy(sizes, sizes + ndim, shape);
    if (!read_windows(shape, ndim, arguments[2], arguments[3], arguments[4], nullptr,
                      arguments[5] == Py_True, &job))
        return declined();
    if (!read_averaging(arguments[6], arguments[7], &job)) return declined();
    if (g.size() != job.planes * job.output_area()) return declined();
    Owned out = new_array(ndim, shape, type_of(precision));
    if (!out) return nullptr;
    job.source = g.data();
    job.target = out.data();
    return run(job, kernels().avg_pool_to_input_planes[precision]) ? out.release() : nullptr;
}

}  // namespace pellucid
