// convolve, convolve_to_input and convolve_to_weight, as in the NumPy kernels of the same names.
#include <algorithm>

#include "kernels/arguments.hpp"
#include "kernels/convolution_plan.hpp"
#include "kernels/convolution_products.hpp"
#include "kernels/convolution_small_images.hpp"
#include "kernels/winograd_functions.hpp"

namespace pellucid {
namespace {

// Fill the spatial sizes from their last; the first ones are 1.
void fill_last(const npy_intp* values, int count, long* sizes) {
    for (int dim = 0; dim < kSpatial; ++dim)
        sizes[dim] = dim < kSpatial - count ? 1 : values[dim - (kSpatial - count)];
}

bool fill_last(PyObject* tuple, int count, long* sizes, long absent) {
    std::fill(sizes, sizes + kSpatial, absent);
    return read_sizes(tuple, count, sizes + kSpatial - count);
}

long padded_size(const ConvolutionSizes& c, int dim) { return c.input[dim] + 2 * c.padding[dim]; }

// The result's size along one dimension, or less than 1 if there is none.
long output_size(const ConvolutionSizes& c, int dim) {
    const long room = padded_size(c, dim) - c.dilation[dim] * (c.kernel[dim] - 1) - 1;
    return room < 0 ? 0 : room / c.stride[dim] + 1;
}

// Whether the padded planes of all channels, filters and images can be counted: what the plan
// multiplies is at most a few times as much in each dimension.
bool has_bounded_work(const ConvolutionSizes& c) {
    constexpr double kMostPlaces = 1L << 50;
    double places = double(std::max(c.images, 1L)) * std::max(c.groups, 1L) *
                    std::max(c.channels, 1L) * std::max(c.filters, 1L);
    for (int dim = 0; dim < kSpatial; ++dim) places *= double(padded_size(c, dim)) + c.kernel[dim];
    return places < kMostPlaces;
}

struct Shapes {
    const npy_intp *input, *weight;
    int ndim;
};

// Read stride, padding, dilation and groups; false for what the kernel does not take.
bool read_sizes(const Shapes& shapes, PyObject* const* arguments, ConvolutionSizes* sizes) {
    const int spatial = shapes.ndim - 2;
    if (spatial < 1 || spatial > kSpatial) return false;
    if (!fill_last(arguments[0], spatial, sizes->stride, 1)) return false;
    if (!fill_last(arguments[1], spatial, sizes->padding, 0)) return false;
    if (!fill_last(arguments[2], spatial, sizes->dilation, 1)) return false;
    if (!read_integer(arguments[3], &sizes->groups) || sizes->groups < 1) return false;
    fill_last(shapes.input + 2, spatial, sizes->input);
    fill_last(shapes.weight + 2, spatial, sizes->kernel);
    sizes->images = shapes.input[0];
    sizes->channels = shapes.weight[1];
    sizes->filters = shapes.weight[0] / sizes->groups;
    if (sizes->groups > kMostSize || !is_size(sizes->channels) || !is_size(sizes->filters) ||
        shapes.input[1] != sizes->channels * sizes->groups ||
        shapes.weight[0] != sizes->filters * sizes->groups) {
        return false;
    }
    for (int dim = 0; dim < kSpatial; ++dim) {
        if (sizes->stride[dim] < 1 || sizes->dilation[dim] < 1 || !is_size(sizes->input[dim]) ||
            !is_size(sizes->kernel[dim]) || sizes->kernel[dim] < 1) {
            return false;
        }
        sizes->output[dim] = output_size(*sizes, dim);
        if (sizes->output[dim] < 1) return false;
        // a longer stride reads the same, and planes are made for each of its units
        sizes->stride[dim] = std::min(sizes->stride[dim], padded_size(*sizes, dim));
    }
    return has_bounded_work(*sizes);
}

// Whether an array [N, C, *S] has the result's shape.
bool is_output(const ConvolutionSizes& sizes, PyArrayObject* grad) {
    const int spatial = PyArray_NDIM(grad) - 2;
    if (spatial < 1 || spatial > kSpatial) return false;
    const npy_intp* shape = PyArray_DIMS(grad);
    long size[kSpatial];
    fill_last(shape + 2, spatial, size);
    return shape[0] == sizes.images && shape[1] == sizes.filters * sizes.groups &&
           std::equal(size, size + kSpatial, sizes.output);
}

bool run(const ConvolutionSizes& sizes, bool to_input, Precision precision, const Ref& source,
         const Ref& weight, const Ref& bias, const Ref& target) {
    return unlocked([&] {
        if (precision == kSingle &&
            convolve_by_winograd(sizes, to_input, source.data<float>(), weight.data<float>(),
                                 bias.data<float>(), target.data<float>())) {
            return;
        }
        if (precision == kSingle && suits_small_images(sizes, false))
            return convolve_small_images(sizes, to_input, source.data<float>(),
                                         weight.data<float>(), bias.data<float>(),
                                         target.data<float>());
        if (suits_products(sizes, precision, false)) {
            const auto compute = to_input ? convolve_to_input_by_products : convolve_by_products;
            return compute(sizes, precision, source.data(), weight.data(), bias.data(),
                           target.data());
        }
        const KernelTable& table = kernels();
        ConvolutionPlan plan(sizes, to_input, item_size(precision), table.filters_at_once);
        precision == kSingle ? plan.pack(weight.data<float>()) : plan.pack(weight.data<double>());
        plan.job.source = source.data();
        plan.job.bias = bias.data();
        plan.job.target = target.data();
        run_parts(plan.tile_count(), table.convolve_tile[precision], plan.job);
    });
}

PyObject* new_output(const ConvolutionSizes& sizes, int ndim, int type) {
    npy_intp shape[kSpatial + 2] = {sizes.images, sizes.filters * sizes.groups};
    std::copy(sizes.output + kSpatial + 2 - ndim, sizes.output + kSpatial, shape + 2);
    return new_array(ndim, shape, type).release();
}

}  // namespace

// convolve(x, w, stride, padding, dilation, groups[, bias])
PyObject* convolve(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    if (count < 6 || count > 7 || !read_precision(arguments[0], &precision)) return declined();
    const int type = type_of(precision);
    const Ref x = contiguous(arguments[0], type), w = contiguous(arguments[1], type);
    Ref bias;
    if (!x || !w || (count == 7 && !optional(arguments[6], type, &bias))) return declined();
    const int ndim = PyArray_NDIM(x.array());
    if (ndim < 3 || PyArray_NDIM(w.array()) != ndim) return declined();
    ConvolutionSizes sizes;
    const Shapes shapes{PyArray_DIMS(x.array()), PyArray_DIMS(w.array()), ndim};
    if (!read_sizes(shapes, arguments + 2, &sizes)) return declined();
    if (bias && bias.size() != sizes.filters * sizes.groups) return declined();
    Ref out(new_output(sizes, ndim, type));
    if (!out) return nullptr;
    return run(sizes, false, precision, x, w, bias, out) ? out.release() : nullptr;
}

// convolution(x, w, bias, stride, padding, dilation, groups), of which something comes out
PyObject* convolution(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 7) return declined();
    PyObject* const given[] = {arguments[0], arguments[1], arguments[3], arguments[4],
                               arguments[5], arguments[6], arguments[2]};
    PyArrayObject* bias = as_array(arguments[2]);
    if (bias != nullptr && PyArray_NDIM(bias) != 1) return declined();
    Ref out(convolve(nullptr, given, 7));
    return out && as_array(out.get()) && out.size() == 0 ? declined() : out.release();
}

// convolve_to_input(g, w, input_shape, stride, padding, dilation, groups[, bias])
PyObject* convolve_to_input(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    if (count < 7 || count > 8 || !read_precision(arguments[0], &precision)) return declined();
    const int type = type_of(precision);
    const Ref g = contiguous(arguments[0], type), w = contiguous(arguments[1], type);
    Ref bias;
    if (!g || !w || (count == 8 && !optional(arguments[7], type, &bias))) return declined();
    const int ndim = PyArray_NDIM(g.array());
    long input[kSpatial + 2];
    if (ndim < 3 || ndim > kSpatial + 2 || PyArray_NDIM(w.array()) != ndim) return declined();
    if (!read_sizes(arguments[2], ndim, input)) return declined();
    npy_intp shape[kSpatial + 2];
    std::copy(input, input + ndim, shape);
    ConvolutionSizes sizes;
    if (!read_sizes({shape, PyArray_DIMS(w.array()), ndim}, arguments + 3, &sizes))
        return declined();
    if (!is_output(sizes, g.array())) return declined();
    if (bias && bias.size() != shape[1]) return declined();
    Ref out = new_array(ndim, shape, type);
    if (!out) return nullptr;
    return run(sizes, true, precision, g, w, bias, out) ? out.release() : nullptr;
}

// transposed_convolution(g, w, bias, size, stride, padding, dilation, groups), with the spatial
// sizes of the result
PyObject* transposed_convolution(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject *g = count == 8 ? as_array(arguments[0]) : nullptr, *w = nullptr, *bias = nullptr;
    long groups, sizes[kSpatial];
    if (g == nullptr || (w = as_array(arguments[1])) == nullptr) return declined();
    const int spatial = PyArray_NDIM(g) - 2;
    if (spatial < 1 || spatial > kSpatial || PyArray_NDIM(w) != spatial + 2 ||
        !read_integer(arguments[7], &groups) || !read_sizes(arguments[3], spatial, sizes) ||
        !is_size(groups)) {
        return declined();
    }
    bias = as_array(arguments[2]);
    if (PyArray_SIZE(w) == 0 || *std::min_element(sizes, sizes + spatial) < 1 ||
        PyArray_DIM(g, 0) == 0 || (bias != nullptr && PyArray_NDIM(bias) != 1)) {
        return declined();
    }
    const Ref shape(PyTuple_New(spatial + 2));
    if (!shape) return nullptr;
    PyTuple_SET_ITEM(shape.get(), 0, PyLong_FromSsize_t(PyArray_DIM(g, 0)));
    if (!is_size(PyArray_DIM(w, 1))) return declined();
    PyTuple_SET_ITEM(shape.get(), 1, PyLong_FromSsize_t(PyArray_DIM(w, 1) * groups));
    for (int d = 0; d < spatial; ++d)
        PyTuple_SET_ITEM(shape.get(), d + 2, Py_NewRef(PyTuple_GET_ITEM(arguments[3], d)));
    PyObject* const given[] = {arguments[0], arguments[1], shape.get(),  arguments[4],
                               arguments[5], arguments[6], arguments[7], arguments[2]};
    return convolve_to_input(nullptr, given, 8);
}

namespace {

FilterGradientJob filter_gradient_job(const ConvolutionSizes& sizes, Precision precision,
                                      long vector_size) {
    constexpr long kBandBytes = 256 << 10, kMostShares = 8, kPartialItems = 1 << 23;
    FilterGradientJob job{};
    job.images = sizes.images;
    job.groups = sizes.groups;
    job.channels = sizes.channels;
    job.filters = sizes.filters;
    job.narrow = 2 * sizes.filters <= vector_size;
    if (job.narrow) vector_size = 1;
    job.padded_filters = (sizes.filters + vector_size - 1) / vector_size * vector_size;
    std::copy(sizes.input, sizes.input + kSpatial, job.input_size);
    std::copy(sizes.output, sizes.output + kSpatial, job.output_size);
    std::copy(sizes.kernel, sizes.kernel + kSpatial, job.kernel);
    std::copy(sizes.stride, sizes.stride + kSpatial, job.stride);
    std::copy(sizes.padding, sizes.padding + kSpatial, job.padding);
    std::copy(sizes.dilation, sizes.dilation + kSpatial, job.dilation);
    const long row =
        sizes.output[0] * sizes.output[2] *
        (job.padded_filters + sizes.channels * sizes.stride[0] * sizes.stride[1] * sizes.stride[2]);
    const long fitting = kBandBytes / std::max(1L, row * item_size(precision));
    job.rows_at_once = std::max(1L, std::min(sizes.output[1], std::max(4L, fitting)));
    const long partial = sizes.groups * sizes.channels * sizes.taps() * job.padded_filters;
    const long affordable = std::max(2L, kPartialItems / std::max(1L, partial));
    job.shares = std::max(1L, std::min({kMostShares, affordable, sizes.images}));
    return job;
}

// Add up the shares and turn [tap][filter] into [filter][tap].
template <class T>
void collect(const FilterGradientJob& job, T* out) {
    const long taps = job.channels * job.taps();
    const long size = job.groups * taps * job.padded_filters;
    T* sums = static_cast<T*>(job.partial);
    for (long share = 1; share < job.shares; ++share)
        for (long i = 0; i < size; ++i) sums[i] += sums[share * size + i];
    for (long group = 0; group < job.groups; ++group)
        for (long f = 0; f < job.filters; ++f)
            for (long t = 0; t < taps; ++t)
                *out++ = sums[(group * taps + t) * job.padded_filters + f];
}

}  // namespace

// convolve_to_weight(g, x, weight_shape, stride, padding, dilation, groups)
PyObject* convolve_to_weight(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    if (count != 7 || !read_precision(arguments[0], &precision)) return declined();
    const int type = type_of(precision);
    const Ref g = contiguous(arguments[0], type), x = contiguous(arguments[1], type);
    if (!g || !x) return declined();
    const int ndim = PyArray_NDIM(g.array());
    long weight[kSpatial + 2];
    if (ndim < 3 || ndim > kSpatial + 2 || PyArray_NDIM(x.array()) != ndim) return declined();
    if (!read_sizes(arguments[2], ndim, weight)) return declined();
    npy_intp shape[kSpatial + 2];
    std::copy(weight, weight + ndim, shape);
    ConvolutionSizes sizes;
    if (!read_sizes({PyArray_DIMS(x.array()), shape, ndim}, arguments + 3, &sizes))
        return declined();
    if (!is_output(sizes, g.array())) return declined();
    if (precision == kSingle && suits_winograd_gradient(sizes)) {
        Ref out = new_array(ndim, shape, type);
        if (!out) return nullptr;
        bool computed = false;
        const bool enough = unlocked([&] {
            computed =
                correlate_by_winograd(sizes, x.data<float>(), g.data<float>(), out.data<float>());
        });
        if (!enough) return nullptr;
        if (computed) return out.release();
    }
    const bool small = precision == kSingle && suits_small_images(sizes, true);
    if (small || suits_products(sizes, precision, true)) {
        Ref out = new_array(ndim, shape, type);
        if (!out) return nullptr;
        const bool done = unlocked([&] {
            if (small)
                correlate_small_images(sizes, g.data<float>(), x.data<float>(), out.data<float>());
            else correlate_by_products(sizes, precision, g.data(), x.data(), out.data());
        });
        return done ? out.release() : nullptr;
    }
    const KernelTable& table = kernels();
    FilterGradientJob job =
        filter_gradient_job(sizes, precision, table.vector_bytes / item_size(precision));
    npy_intp partial_size =
        job.shares * job.groups * job.channels * job.taps() * job.padded_filters;
    const Ref partial(PyArray_ZEROS(1, &partial_size, type, 0));
    Ref out = new_array(ndim, shape, type);
    if (!partial || !out) return nullptr;
    job.grad = g.data();
    job.input = x.data();
    job.partial = partial.data();
    const bool done = unlocked([&] {
        run_parts(job.shares, table.correlate_share[precision], job);
        precision == kSingle ? collect(job, out.data<float>()) : collect(job, out.data<double>());
    });
    return done ? out.release() : nullptr;
}

}  // namespace pellucid
