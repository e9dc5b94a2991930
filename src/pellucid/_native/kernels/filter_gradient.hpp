// The gradient of convolution by its filters.
//
// One image at a time is copied with its padding, and the gradient of the result is turned around
// so that filters lie next to each other. Vectors of filters are then multiplied by single elements
// of the image: acc[tap][filters] += image[tap's distance + position] * grad[position][filters],
// with the positions innermost, so that a tile of taps times filters stays in registers.
#pragma once

#include "kernels/convolution.hpp"
#include "kernels/turning.hpp"

namespace pellucid {
namespace {

// The padded rows of one image that a band of rows of the result reads.
struct PaddedImage {
    long depth, rows, columns;  // of the copy
    long column_phases;         // columns 0, s, 2 s, ... lie together, then 1, s + 1, ...
    long plane() const { return rows * columns; }
    long channel() const { return depth * plane(); }
};

struct Band {
    long image, first_row, rows;
};

inline PaddedImage padded_image(const FilterGradientJob& job) {
    const auto extent = [&](int dim, long count) {
        return (count - 1) * job.stride[dim] + (job.kernel[dim] - 1) * job.dilation[dim] + 1;
    };
    const long step = job.stride[2];
    const long columns = (extent(2, job.output_size[2]) + step - 1) / step * step;
    return {extent(0, job.output_size[0]), extent(1, job.rows_at_once), columns, step};
}

template <class T>
void copy_padded(const FilterGradientJob& job, const Band& band, const PaddedImage& shape,
                 long group, T* to) {
    const long* size = job.input_size;
    const long area = size[0] * size[1] * size[2];
    const T* source =
        static_cast<const T*>(job.input) + (band.image * job.groups + group) * job.channels * area;
    const long first_row = band.first_row * job.stride[1] - job.padding[1];
    const long together = shape.columns / shape.column_phases;
    for (long c = 0; c < job.channels; ++c)
        for (long d = 0; d < shape.depth; ++d)
            for (long r = 0; r < shape.rows; ++r, to += shape.columns) {
                const long depth = d - job.padding[0], row = first_row + r;
                const bool inside = depth >= 0 && depth < size[0] && row >= 0 && row < size[1];
                const T* from = source + c * area + (depth * size[1] + row) * size[2];
                if (!inside) {
                    std::memset(to, 0, shape.columns * sizeof(T));
                    continue;
                }
                for (long phase = 0; phase < shape.column_phases; ++phase) {
                    const long first = phase - job.padding[2];
                    const RowPart part = row_part(size[2], shape.column_phases, first, together);
                    copy_row(from, shape.column_phases, first, part, to + phase * together,
                             together);
                }
            }
}

// Turn [filter][position] into [position][filter], with zeros for the filters that fill a vector.
template <class T>
void turn_around(const FilterGradientJob& job, const Band& band, long group, T* to) {
    const long area = job.output_size[0] * job.output_size[1] * job.output_size[2];
    const long row_area = job.output_size[1] * job.output_size[2];
    const long count = band.rows * job.output_size[2];
    const T* grad = static_cast<const T*>(job.grad) +
                    (band.image * job.groups + group) * job.filters * area +
                    band.first_row * job.output_size[2];
    constexpr long size = VectorOf<T>::size;
    for (long d = 0; d < job.output_size[0];
         ++d, grad += row_area, to += count * job.padded_filters)
        for (long first = 0; first < job.padded_filters; first += size) {
            const T* from = grad + first * area;
            if (first + size <= job.filters) {
                turn_rows(from, area, count, to + first, job.padded_filters);
                continue;
            }
            for (long p = 0; p < count; ++p)
                for (long f = 0; f < size; ++f)
                    to[p * job.padded_filters + first + f] =
                        first + f < job.filters ? from[f * area + p] : T(0);
        }
}

template <class T>
struct Strip {
    const T* image;  // padded, at the first row of the band
    const T* grad;   // turned around, at a vector of filters
    const long* distances;
    long depth, rows, columns;  // positions of the result
    long depth_step, row_step;  // in the padded image
    long padded_filters;
};

// Add up the products of K taps with V vectors of filters over all positions of a band.
template <class T, int K, int V>
void correlate(const Strip<T>& strip, T* partial) {
    constexpr int size = VectorOf<T>::size;
    Vector<T> sums[K][V] = {};
    const T* grad = strip.grad;
    for (long d = 0; d < strip.depth; ++d)
        for (long r = 0; r < strip.rows; ++r) {
            const T* at[K];
            for (int k = 0; k < K; ++k)
                at[k] =
                    strip.image + strip.distances[k] + d * strip.depth_step + r * strip.row_step;
            for (long x = 0; x < strip.columns; ++x, grad += strip.padded_filters) {
                Vector<T> values[V];
#pragma GCC unroll 4
                for (int v = 0; v < V; ++v) values[v] = load(grad + v * size);
#pragma GCC unroll 16
                for (int k = 0; k < K; ++k)
#pragma GCC unroll 4
                    for (int v = 0; v < V; ++v) sums[k][v] += at[k][x] * values[v];
            }
        }
#pragma GCC unroll 16
    for (int k = 0; k < K; ++k)
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) {
            T* to = partial + k * strip.padded_filters + v * size;
            store(to, load(to) + sums[k][v]);
        }
}

// Go through the taps in groups of K, as long as there are so many; return how many are done.
template <class T, int K, int V>
long correlate_groups(Strip<T> strip, long done, long taps, T* partial) {
    const long* distances = strip.distances;
    for (; done + K <= taps; done += K) {
        strip.distances = distances + done;
        correlate<T, K, V>(strip, partial + done * strip.padded_filters);
    }
    return done;
}

template <class T, int V>
void correlate_taps(const Strip<T>& strip, long taps, T* partial) {
    constexpr int many = REGISTERS == 32 || V == 1 ? 12 : 6;
    long done = 0;
    if (many == 12 && taps % 9 == 0) done = correlate_groups<T, 9, V>(strip, done, taps, partial);
    done = correlate_groups<T, many, V>(strip, done, taps, partial);
    done = correlate_groups<T, 4, V>(strip, done, taps, partial);
    correlate_groups<T, 1, V>(strip, done, taps, partial);
}

template <class T>
Strip<T> strip_of(const FilterGradientJob& job, const Band& band, const PaddedImage& shape,
                  const long* distances) {
    Strip<T> strip;
    strip.distances = distances;
    strip.depth = job.output_size[0];
    strip.rows = band.rows;
    strip.columns = job.output_size[2];
    strip.depth_step = job.stride[0] * shape.plane();
    strip.row_step = job.stride[1] * shape.columns;
    strip.padded_filters = job.padded_filters;
    return strip;
}

template <class T>
void correlate_wide(const FilterGradientJob& job, const Band& band, long group, Strip<T> strip,
                    T* partial) {
    constexpr int size = VectorOf<T>::size;
    const long positions = strip.depth * strip.rows * strip.columns;
    T* grad = static_cast<T*>(scratch(1, positions * job.padded_filters * sizeof(T)));
    turn_around(job, band, group, grad);
    const long taps = job.channels * job.taps();
    for (long f = 0; f < job.padded_filters;) {
        strip.grad = grad + f;
        if (f + 2 * size <= job.padded_filters) {
            correlate_taps<T, 2>(strip, taps, partial + f);
            f += 2 * size;
        } else {
            correlate_taps<T, 1>(strip, taps, partial + f);
            f += size;
        }
    }
}

// Add up the products of K taps with one filter's gradient, a vector of positions at a time.
template <class T, int K>
void correlate_rows(const Strip<T>& strip, long depth_stride, const long* distances, T* partial) {
    constexpr int size = VectorOf<T>::size;
    typedef decltype(Vector<T>() < Vector<T>()) Mask;
    Vector<T> sums[K] = {};
    const long whole = strip.columns / size * size;
    Vector<T> lanes;
    for (int lane = 0; lane < size; ++lane) lanes[lane] = static_cast<T>(lane);
    const Mask within = lanes < static_cast<T>(strip.columns - whole);
    for (long d = 0; d < strip.depth; ++d)
        for (long r = 0; r < strip.rows; ++r) {
            const T* grad = strip.grad + d * depth_stride + r * strip.columns;
            const T* image = strip.image + d * strip.depth_step + r * strip.row_step;
            for (long x = 0; x < whole; x += size) {
                const Vector<T> value = load(grad + x);
#pragma GCC unroll 16
                for (int k = 0; k < K; ++k) sums[k] += load(image + distances[k] + x) * value;
            }
            if (whole == strip.columns) continue;
            Vector<T> value = {};
            std::memcpy(&value, grad + whole, (strip.columns - whole) * sizeof(T));
#pragma GCC unroll 16
            for (int k = 0; k < K; ++k) {
                // beyond the row stand other elements, and 0 times infinity would not be 0
                const Vector<T> at = load(image + distances[k] + whole);
                sums[k] += (within ? at : Vector<T>{}) * value;
            }
        }
    for (int k = 0; k < K; ++k)
        for (int lane = 0; lane < size; ++lane) partial[k * strip.padded_filters] += sums[k][lane];
}

template <class T>
void correlate_narrow(const FilterGradientJob& job, const Band& band, long group, Strip<T> strip,
                      T* partial) {
    const long row_area = job.output_size[1] * job.output_size[2];
    const long area = job.output_size[0] * row_area;
    const long taps = job.channels * job.taps();
    for (long f = 0; f < job.filters; ++f) {
        strip.grad = static_cast<const T*>(job.grad) +
                     ((band.image * job.groups + group) * job.filters + f) * area +
                     band.first_row * job.output_size[2];
        long t = 0;
        for (; t + 9 <= taps; t += 9)
            correlate_rows<T, 9>(strip, row_area, strip.distances + t,
                                 partial + t * job.padded_filters + f);
        for (; t < taps; ++t)
            correlate_rows<T, 1>(strip, row_area, strip.distances + t,
                                 partial + t * job.padded_filters + f);
    }
}

template <class T>
void correlate_band(const FilterGradientJob& job, const Band& band, long group,
                    const long* distances, T* partial) {
    const PaddedImage shape = padded_image(job);
    const long size = job.channels * shape.channel();
    T* image = static_cast<T*>(scratch(0, (size + kSlack) * sizeof(T)));
    std::memset(image + size, 0, kSlack * sizeof(T));
    copy_padded(job, band, shape, group, image);
    Strip<T> strip = strip_of<T>(job, band, shape, distances);
    strip.image = image;
    if (job.narrow) correlate_narrow(job, band, group, strip, partial);
    else correlate_wide(job, band, group, strip, partial);
}

// Add up the images of one share into its partial gradient.
template <class T>
void correlate_share(const FilterGradientJob& job, long share) {
    const PaddedImage shape = padded_image(job);
    const long taps = job.channels * job.taps();
    long* distances = static_cast<long*>(scratch(2, taps * sizeof(long)));
    long* at = distances;
    const long together = shape.columns / shape.column_phases;
    for (long c = 0; c < job.channels; ++c)
        for (long d = 0; d < job.kernel[0]; ++d)
            for (long r = 0; r < job.kernel[1]; ++r)
                for (long x = 0; x < job.kernel[2]; ++x) {
                    const long column = x * job.dilation[2];
                    *at++ = c * shape.channel() + d * job.dilation[0] * shape.plane() +
                            r * job.dilation[1] * shape.columns +
                            column % shape.column_phases * together + column / shape.column_phases;
                }
    const long size = taps * job.padded_filters;
    T* partial = static_cast<T*>(job.partial) + share * job.groups * size;
    const long begin = job.images * share / job.shares;
    const long end = job.images * (share + 1) / job.shares;
    for (long image = begin; image < end; ++image)
        for (long group = 0; group < job.groups; ++group)
            for (long row = 0; row < job.output_size[1]; row += job.rows_at_once) {
                const long rows = smaller(job.rows_at_once, job.output_size[1] - row);
                correlate_band(job, {image, row, rows}, group, distances, partial + group * size);
            }
}

}  // namespace
}  // namespace pellucid
