// Images whose elements move: channels that become pixels, patches that become columns, and back.
#include <algorithm>
#include <cstdint>

#include "kernels/arguments.hpp"
#include "kernels/pieces.hpp"

namespace pellucid {
namespace {

// Whether an array of numbers lies in memory in C order, has elements and so many dimensions at
// least.
bool is_usual(PyArrayObject* array, int least_ndim) {
    return array != nullptr && PyArray_ISCARRAY_RO(array) && PyArray_NDIM(array) >= least_ndim &&
           PyArray_SIZE(array) > 0 && PyDataType_ISNUMBER(PyArray_DESCR(array));
}

// ---- channels and pixels ------------------------------------------------------------------------

// Planes of pixels, each of which belongs to factor x factor planes of channels of this size.
struct Shuffle {
    long planes, factor, height, width;
};

// Calls `copy(channel, pixel, count)` for rows of elements, which lie next to each other among the
// channels and `factor` apart among the pixels.
template <class Copy>
void visit_rows(const Shuffle& shuffle, const Copy& copy) {
    const long r = shuffle.factor, width = shuffle.width, area = shuffle.height * width;
    in_pieces(shuffle.planes, units_at_once(area * r * r), [&](long begin, long end) {
        for (long plane = begin; plane < end; ++plane) {
            const long start = plane * area * r * r;
            for (long i = 0; i < r; ++i)
                for (long j = 0; j < r; ++j)
                    for (long h = 0; h < shuffle.height; ++h)
                        copy(start + (i * r + j) * area + h * width,
                             start + (h * r + i) * width * r + j, width);
        }
    });
}

template <class Item>
void move(const Shuffle& shuffle, bool to_pixels, const void* from, void* to) {
    const Item* x = static_cast<const Item*>(from);
    Item* y = static_cast<Item*>(to);
    const long step = shuffle.factor;
    visit_rows(shuffle, [&](long channel, long pixel, long count) {
        if (to_pixels)
            for (long w = 0; w < count; ++w) y[pixel + w * step] = x[channel + w];
        else
            for (long w = 0; w < count; ++w) y[channel + w] = x[pixel + w * step];
    });
}

PyObject* shuffled(PyObject* const* arguments, Py_ssize_t count, bool to_pixels) {
    PyArrayObject* x = count == 2 ? as_array(arguments[0]) : nullptr;
    long r;
    if (!is_usual(x, 3) || !read_integer(arguments[1], &r) || r < 1 ||
        r > std::min<long>(PyArray_SIZE(x), kMostSize)) {
        return declined();
    }
    const int ndim = PyArray_NDIM(x), item = PyArray_ITEMSIZE(x);
    npy_intp shape[NPY_MAXDIMS];
    std::copy_n(PyArray_DIMS(x), ndim, shape);
    npy_intp &channels = shape[ndim - 3], &height = shape[ndim - 2], &width = shape[ndim - 1];
    if (to_pixels ? channels % (r * r) != 0 : height % r != 0 || width % r != 0) return declined();
    if (item != 4 && item != 8) return declined();
    Shuffle shuffle{0, r, height, width};
    if (to_pixels) {
        channels /= r * r;
        height *= r;
        width *= r;
    } else {
        channels *= r * r;
        shuffle.height = height /= r;
        shuffle.width = width /= r;
    }
    shuffle.planes = PyArray_SIZE(x) / (shuffle.height * shuffle.width * r * r);
    Ref out = new_array(ndim, shape, PyArray_TYPE(x));
    if (!out) return nullptr;
    const bool done = unlocked([&] {
        const auto moving = item == 4 ? move<std::uint32_t> : move<std::uint64_t>;
        moving(shuffle, to_pixels, PyArray_DATA(x), out.data());
    });
    return done ? out.release() : nullptr;
}

// ---- patches and columns ------------------------------------------------------------------------

// Windows in planes of this size; two numbers each, for rows and columns.
struct Patches {
    long planes, size[2], kernel[2] = {}, dilation[2] = {}, stride[2] = {}, counts[2] = {};

    long area() const { return size[0] * size[1]; }
    long column_area() const { return kernel[0] * kernel[1] * counts[0] * counts[1]; }
};

// Reads kernel, dilation, stride and counts; false where a window does not lie in a plane.
bool read_windows(PyObject* const* arguments, Patches* patches) {
    Patches& p = *patches;
    if (!read_integers(arguments[0], 2, p.kernel) || !read_integers(arguments[1], 2, p.dilation) ||
        !read_integers(arguments[2], 2, p.stride) || !read_integers(arguments[3], 2, p.counts)) {
        return false;
    }
    for (int d = 0; d < 2; ++d) {
        for (long each : {p.kernel[d], p.dilation[d], p.stride[d], p.counts[d]})
            if (each < 1 || each > std::min(p.size[d], kMostSize)) return false;
        if ((p.kernel[d] - 1) * p.dilation[d] + (p.counts[d] - 1) * p.stride[d] >= p.size[d])
            return false;
    }
    return true;
}

// Calls `visit(column, pixel)` with the first elements of rows of `counts[1]`, which lie next to
// each other in the column and `stride[1]` apart in the plane.
template <class Visit>
void visit_rows(const Patches& p, const Visit& visit) {
    long column = 0;
    for (long i = 0; i < p.kernel[0]; ++i)
        for (long j = 0; j < p.kernel[1]; ++j)
            for (long row = 0; row < p.counts[0]; ++row, column += p.counts[1])
                visit(column,
                      (row * p.stride[0] + i * p.dilation[0]) * p.size[1] + j * p.dilation[1]);
}

template <class T>
void cut_out(const Patches& p, const void* planes, void* columns) {
    in_pieces(p.planes, units_at_once(p.column_area()), [&](long begin, long end) {
        for (long plane = begin; plane < end; ++plane) {
            const T* from = static_cast<const T*>(planes) + plane * p.area();
            T* to = static_cast<T*>(columns) + plane * p.column_area();
            const long count = p.counts[1], step = p.stride[1];
            visit_rows(p, [=](long column, long pixel) {
                for (long k = 0; k < count; ++k) to[column + k] = from[pixel + k * step];
            });
        }
    });
}

template <class T>
void add_up(const Patches& p, const void* columns, void* planes) {
    in_pieces(p.planes, units_at_once(p.column_area()), [&](long begin, long end) {
        for (long plane = begin; plane < end; ++plane) {
            const T* from = static_cast<const T*>(columns) + plane * p.column_area();
            T* to = static_cast<T*>(planes) + plane * p.area();
            const long count = p.counts[1], step = p.stride[1];
            std::fill_n(to, p.area(), T(0));
            visit_rows(p, [=](long column, long pixel) {
                for (long k = 0; k < count; ++k) to[pixel + k * step] += from[column + k];
            });
        }
    });
}

}  // namespace

// pixel_shuffle(x, factor)
PyObject* pixel_shuffle(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return shuffled(arguments, count, true);
}

// pixel_unshuffle(x, factor)
PyObject* pixel_unshuffle(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return shuffled(arguments, count, false);
}

// im2col(x, kernel, dilation, stride, counts), as in the body of the op
PyObject* im2col(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    PyArrayObject* x = count == 5 ? as_array(arguments[0]) : nullptr;
    if (!is_usual(x, 3) || !read_precision(arguments[0], &precision)) return declined();
    const int lead = PyArray_NDIM(x) - 2;
    npy_intp shape[NPY_MAXDIMS];
    std::copy_n(PyArray_DIMS(x), lead, shape);
    Patches patches{PyArray_MultiplyList(shape, lead),
                    {PyArray_DIM(x, lead), PyArray_DIM(x, lead + 1)}};
    if (!read_windows(arguments + 1, &patches)) return declined();
    shape[lead - 1] *= patches.kernel[0] * patches.kernel[1];
    shape[lead] = patches.counts[0] * patches.counts[1];
    if (size_product(shape, lead + 1) < 0) return declined();
    Ref out = new_array(lead + 1, shape, type_of(precision));
    if (!out) return nullptr;
    const auto cut = precision == kSingle ? cut_out<float> : cut_out<double>;
    const bool done = unlocked([&] { cut(patches, PyArray_DATA(x), out.data()); });
    return done ? out.release() : nullptr;
}

// col2im(columns, shape, kernel, dilation, stride, counts), as in the body of the op
PyObject* col2im(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    PyArrayObject* x = count == 6 ? as_array(arguments[0]) : nullptr;
    long image[3];
    if (!is_usual(x, 2) || !read_precision(arguments[0], &precision) ||
        !read_sizes(arguments[1], 3, image)) {
        return declined();
    }
    const int lead = PyArray_NDIM(x) - 2;
    npy_intp shape[NPY_MAXDIMS];
    std::copy_n(PyArray_DIMS(x), lead, shape);
    std::copy_n(image, 3, shape + lead);
    Patches patches{size_product(shape, lead + 1), {image[1], image[2]}};
    if (image[0] < 1 || lead + 3 > NPY_MAXDIMS || !read_windows(arguments + 2, &patches) ||
        PyArray_SIZE(x) != size_product({patches.planes, patches.kernel[0], patches.kernel[1],
                                         patches.counts[0], patches.counts[1]}) ||
        size_product(shape, lead + 3) < 0) {
        return declined();
    }
    Ref out = new_array(lead + 3, shape, type_of(precision));
    if (!out) return nullptr;
    const auto add = precision == kSingle ? add_up<float> : add_up<double>;
    const bool done = unlocked([&] { add(patches, PyArray_DATA(x), out.data()); });
    return done ? out.release() : nullptr;
}

}  // namespace pellucid
