// The inner loops of convolution. See Note [Convolution without im2col].
#pragma once

#include "convolution_job.hpp"
#include "scratch.hpp"
#include "vectors.hpp"

namespace pellucid {
namespace {

// The largest number of vectors of positions for which the accumulators of `filters` filters, the
// vectors themselves and one weight fit the registers.
constexpr int positions_at_once(int filters) {
    constexpr int registers = REGISTERS - 1;
    return filters == 1 ? 6 : registers / (filters + 1) < 6 ? registers / (filters + 1) : 6;
}

// Positions whose results are collected before they are stored in rows.
constexpr long kCollected = 512;

// Further elements behind the planes, which the last vectors may read.
constexpr long kSlack = 8 * VECTOR_BYTES;

template <class T>
void copy_row(const T* from, long size, long step, long first, T* to, long count) {
    // element i of the row is element first + i * step of the source, and zero outside of it
    const long begin = smaller(count, first < 0 ? (-first + step - 1) / step : 0);
    const long end = first >= size ? begin : larger(begin, smaller(count, (size - 1 - first) / step + 1));
    for (long i = 0; i < begin; ++i) to[i] = 0;
    if (step == 1) {
        for (long i = begin; i < end; ++i) to[i] = from[first + i];
    } else {
        for (long i = begin; i < end; ++i) to[i] = from[first + i * step];
    }
    for (long i = end; i < count; ++i) to[i] = 0;
}

// Copy what a tile reads of one channel into its planes, with zeros for the padding.
template <class T>
void fill_planes(const ConvolutionJob& job, const Tile& tile, const T* source,
                        long channels, T* planes) {
    const long* step = job.source_step;
    const long* size = job.source_size;
    const long* extent = job.plane_size;
    const long area = size[0] * size[1] * size[2];
    const long rows = smaller(extent[1], tile.rows + extent[1] - job.tiles[0].rows);
    for (long plane = 0; plane < job.planes; ++plane) {
        const long first_column = plane % step[2] - job.lead[2];
        const long first_row = plane / step[2] % step[1] - job.lead[1] + tile.first_row * step[1];
        const long first_depth = plane / (step[2] * step[1]) - job.lead[0];
        for (long d = 0; d < extent[0]; ++d) {
            const long depth = first_depth + d * step[0];
            for (long i = 0; i < tile.images; ++i) {
                const T* image = source + i * channels * area + depth * size[1] * size[2];
                T* to = planes + plane * job.plane() + d * job.line() +
                        i * job.image_rows() * job.row();
                for (long r = 0; r < rows; ++r, to += job.row()) {
                    const long row = first_row + r * step[1];
                    const bool inside = depth >= 0 && depth < size[0] && row >= 0 && row < size[1];
                    copy_row(image + row * size[2], inside ? size[2] : 0, step[2], first_column,
                             to, extent[2]);
                }
            }
        }
    }
}

template <class T, int F, int P>
void multiply_taps(const T* __restrict line, const long* __restrict distances, long taps,
                          const T* __restrict weights, T* __restrict out, long out_stride) {
    constexpr int size = VectorOf<T>::size;
    Vector<T> sums[F][P] = {};
    for (long t = 0; t < taps; ++t, weights += F) {
        const T* at = line + distances[t];
        Vector<T> values[P];
#pragma GCC unroll 8
        for (int p = 0; p < P; ++p) values[p] = load(at + p * size);
#pragma GCC unroll 8
        for (int f = 0; f < F; ++f)
#pragma GCC unroll 8
            for (int p = 0; p < P; ++p) sums[f][p] += weights[f] * values[p];
    }
#pragma GCC unroll 8
    for (int f = 0; f < F; ++f)
#pragma GCC unroll 8
        for (int p = 0; p < P; ++p) store(out + f * out_stride + p * size, sums[f][p]);
}

template <class T>
struct Line {
    const T* start;
    const long* distances;
    long taps;
    T* out;
};

template <class T, int F, int P>
void multiply_line(const Line<T>& line, const T* weights, long vectors) {
    constexpr int size = VectorOf<T>::size;
    long v = 0;
    for (; v + P <= vectors; v += P)
        multiply_taps<T, F, P>(line.start + v * size, line.distances, line.taps, weights,
                               line.out + v * size, kCollected);
    if constexpr (P > 1) {
        if (v == vectors) return;
        const Line<T> rest{line.start + v * size, line.distances, line.taps, line.out + v * size};
        multiply_line<T, F, (P + 1) / 2>(rest, weights, vectors - v);
    }
}

template <class T>
void multiply_block(const Line<T>& line, const FilterBlock& block, long vectors) {
    const T* weights = static_cast<const T*>(block.weights);
    switch (block.size) {
        case 8: return multiply_line<T, 8, positions_at_once(8)>(line, weights, vectors);
        case 4: return multiply_line<T, 4, positions_at_once(4)>(line, weights, vectors);
        case 2: return multiply_line<T, 2, positions_at_once(2)>(line, weights, vectors);
        default: return multiply_line<T, 1, positions_at_once(1)>(line, weights, vectors);
    }
}

// Where the rows of one phase lie in the line of positions and in the result.
struct Rows {
    long width, height, row_stride, rows_per_image;  // of the phase, and of a plane
    long step, row_step, image_step, channel_step;   // in the result
};

// Store the positions [begin, end) of a block's filters.
template <class T>
void store_rows(const Rows& rows, const FilterBlock& block, const T* bias, const T* found,
                       long begin, long end, T* target) {
    for (long row = begin / rows.row_stride; row * rows.row_stride < end; ++row) {
        const long height = row % rows.rows_per_image;
        if (height >= rows.height) continue;
        const long start = row * rows.row_stride;
        const long first = larger(begin, start), last = smaller(end, start + rows.width);
        T* to = target + row / rows.rows_per_image * rows.image_step + height * rows.row_step +
                (first - start) * rows.step;
        for (long f = 0; f < block.used; ++f, to += rows.channel_step) {
            const T* from = found + f * kCollected + (first - begin);
            const T added = bias != nullptr ? bias[f] : T(0);
            if (rows.step == 1) {
                for (long i = 0; i < last - first; ++i) to[i] = from[i] + added;
            } else {
                for (long i = 0; i < last - first; ++i) to[i * rows.step] = from[i] + added;
            }
        }
    }
}

// Compute the results of one phase at one depth, for all filters of a group.
template <class T>
void convolve_line(const ConvolutionJob& job, const Phase& phase, const Rows& rows,
                          const FilterBlock* blocks, const T* line, long positions, const T* bias,
                          T* found, T* target) {
    constexpr long size = VectorOf<T>::size;
    for (long b = 0; b < job.block_count; ++b) {
        const FilterBlock& block = blocks[b];
        for (long begin = 0; begin < positions; begin += kCollected) {
            const long end = smaller(positions, begin + kCollected);
            multiply_block(Line<T>{line + begin, phase.distances, phase.taps, found}, block,
                           (end - begin + size - 1) / size);
            store_rows(rows, block, bias != nullptr ? bias + block.first : nullptr, found, begin,
                       end, target + block.first * rows.channel_step);
        }
    }
}

template <class T>
void convolve_phase(const ConvolutionJob& job, const Phase& phase, const Tile& tile,
                           long group, const T* planes, T* found) {
    const long* step = job.target_step;
    const long* size = job.target_size;
    const long channels = job.groups * job.target_channels;
    Rows rows;
    rows.width = phase.count[2];
    rows.height = smaller(tile.rows, phase.count[1] - tile.first_row);
    rows.row_stride = job.row();
    rows.rows_per_image = job.image_rows();
    rows.step = step[2];
    rows.row_step = step[1] * size[2];
    rows.channel_step = size[0] * size[1] * size[2];
    rows.image_step = channels * rows.channel_step;
    if (rows.height <= 0 || rows.width <= 0) return;
    const long last_row = (tile.images - 1) * rows.rows_per_image + rows.height - 1;
    const long positions = last_row * rows.row_stride + rows.width;
    const T* bias = static_cast<const T*>(job.bias);
    T* target = static_cast<T*>(job.target) + tile.first_image * rows.image_step +
                group * job.target_channels * rows.channel_step +
                (phase.start[1] + tile.first_row * step[1]) * size[2] + phase.start[2];
    for (long d = 0; d < phase.count[0]; ++d)
        convolve_line(job, phase, rows, phase.blocks + group * job.block_count,
                      planes + d * job.line(), positions,
                      bias != nullptr ? bias + group * job.target_channels : nullptr, found,
                      target + (phase.start[0] + d * step[0]) * size[1] * size[2]);
}

template <class T>
void convolve_tile(const ConvolutionJob& job, long index) {
    const Tile& tile = job.tiles[index];
    const long area = job.source_size[0] * job.source_size[1] * job.source_size[2];
    const long channels = job.groups * job.source_channels;
    // behind the planes lies what the last image shares with nobody, and what vectors read beyond
    const long behind = (job.shared[1] + 1) * job.plane_size[2] + kSlack;
    const long size = job.source_channels * job.channel() + behind;
    T* planes = static_cast<T*>(scratch(0, size * sizeof(T)));
    T* found = static_cast<T*>(scratch(1, 8 * (kCollected + kSlack) * sizeof(T)));
    std::memset(planes + size - behind, 0, behind * sizeof(T));
    const T* source = static_cast<const T*>(job.source) + tile.first_image * channels * area;
    for (long group = 0; group < job.groups; ++group) {
        for (long c = 0; c < job.source_channels; ++c)
            fill_planes(job, tile, source + (group * job.source_channels + c) * area, channels,
                        planes + c * job.channel());
        for (long p = 0; p < job.phase_count; ++p)
            convolve_phase(job, job.phases[p], tile, group, planes, found);
    }
}

}  // namespace
}  // namespace pellucid
