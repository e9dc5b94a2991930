// The inner loops of convolution. See Note [Convolution without im2col].
#pragma once

#include "kernels/convolution_job.hpp"
#include "kernels/scratch.hpp"
#include "kernels/vectors.hpp"

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

// Which elements of a row of planes come from the source: element i is the source's first + i *
// step.
struct RowPart {
    long begin, end;
};

inline RowPart row_part(long size, long step, long first, long count) {
    const long begin = smaller(count, first < 0 ? (-first + step - 1) / step : 0);
    const long end = first >= size ? begin : smaller(count, (size - 1 - first) / step + 1);
    return {begin, larger(begin, end)};
}

// Copy a row with zeros where there is no source; nothing is read outside of `part`.
template <class T>
inline void copy_row(const T* from, long step, long first, const RowPart& part, T* to, long count) {
    for (long i = 0; i < part.begin; ++i) to[i] = 0;
    if (step == 1) {
        std::memcpy(to + part.begin, from + first + part.begin,
                    (part.end - part.begin) * sizeof(T));
    } else if (step == 2) {  // a constant that the compiler has vectors for
        for (long i = part.begin; i < part.end; ++i) to[i] = from[first + i * 2];
    } else {
        for (long i = part.begin; i < part.end; ++i) to[i] = from[first + i * step];
    }
    for (long i = part.end; i < count; ++i) to[i] = 0;
}

// Copy what a tile reads of one channel into its planes, with zeros for the padding.
template <class T>
void fill_planes(const ConvolutionJob& job, const Tile& tile, const T* source, long channels,
                 T* planes) {
    const long* step = job.source_step;
    const long* size = job.source_size;
    const long* extent = job.plane_size;
    const long area = size[0] * size[1] * size[2];
    const long rows = smaller(extent[1], tile.rows + extent[1] - job.tiles[0].rows);
    for (long plane = 0; plane < job.planes; ++plane) {
        const long first_column = plane % step[2] - job.lead[2];
        const long first_row = plane / step[2] % step[1] - job.lead[1] + tile.first_row * step[1];
        const long first_depth = plane / (step[2] * step[1]) - job.lead[0];
        const RowPart part = row_part(size[2], step[2], first_column, extent[2]);
        for (long d = 0; d < extent[0]; ++d) {
            const long depth = first_depth + d * step[0];
            for (long i = 0; i < tile.images; ++i) {
                const T* image = source + i * channels * area + depth * size[1] * size[2];
                T* to = planes + plane * job.plane() + d * job.line() +
                        i * job.image_rows() * job.row();
                for (long r = 0; r < rows; ++r, to += job.row()) {
                    const long row = first_row + r * step[1];
                    const bool inside = depth >= 0 && depth < size[0] && row >= 0 && row < size[1];
                    if (inside)
                        copy_row(image + row * size[2], step[2], first_column, part, to, extent[2]);
                    else std::memset(to, 0, extent[2] * sizeof(T));
                }
            }
        }
    }
}

// Not inlined: within a large function the compiler runs out of registers for the addresses.
template <class T, int F, int P>
__attribute__((noinline)) void multiply_taps(const T* __restrict line,
                                             const long* __restrict starts,
                                             const long* __restrict distances, long taps,
                                             const T* __restrict weights, T* __restrict out,
                                             long out_stride) {
    constexpr int size = VectorOf<T>::size;
    Vector<T> sums[F][P] = {};
    const T* at[P];
    for (int p = 0; p < P; ++p) at[p] = line + starts[p];
    for (long t = 0; t < taps; ++t, weights += F) {
        const long distance = distances[t];
        Vector<T> values[P];
#pragma GCC unroll 8
        for (int p = 0; p < P; ++p) values[p] = load(at[p] + distance);
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
    const long* starts;  // of each vector of positions
    const long* distances;
    long taps;
    T* out;
};

template <class T, int F, int P>
void multiply_line(const Line<T>& line, const T* weights, long vectors) {
    constexpr int size = VectorOf<T>::size;
    long v = 0;
    for (; v + P <= vectors; v += P)
        multiply_taps<T, F, P>(line.start, line.starts + v, line.distances, line.taps, weights,
                               line.out + v * size, kCollected);
    if constexpr (P > 1) {
        if (v == vectors) return;
        const Line<T> rest{line.start, line.starts + v, line.distances, line.taps,
                           line.out + v * size};
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
    long width, height, row_stride, rows_per_image;  // of the phase, and in the line
    long step, row_step, image_step, channel_step;   // in the result
    long positions;
    const long* starts;  // where each vector of positions begins in the planes
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
                   const FilterBlock* blocks, const T* line, const T* bias, T* found, T* target) {
    constexpr long size = VectorOf<T>::size;
    for (long b = 0; b < job.block_count; ++b) {
        const FilterBlock& block = blocks[b];
        for (long begin = 0; begin < rows.positions; begin += kCollected) {
            const long end = smaller(rows.positions, begin + kCollected);
            const long* starts = rows.starts + begin / size;
            multiply_block(Line<T>{line, starts, phase.distances, phase.taps, found}, block,
                           (end - begin + size - 1) / size);
            store_rows(rows, block, bias != nullptr ? bias + block.first : nullptr, found, begin,
                       end, target + block.first * rows.channel_step);
        }
    }
}

// Number the positions, and list where vectors of them begin. Rows that are whole vectors follow
// one another; else positions past the end of a row, up to the next one, are computed too.
template <class T>
void list_positions(const ConvolutionJob& job, long images, Rows* rows) {
    constexpr long size = VectorOf<T>::size;
    const bool whole = rows->width % size == 0;
    const long last_row = (images - 1) * job.image_rows() + rows->height - 1;
    rows->row_stride = whole ? rows->width : job.row();
    rows->rows_per_image = whole ? rows->height : job.image_rows();
    rows->positions =
        whole ? images * rows->height * rows->width : last_row * job.row() + rows->width;
    const long vectors = (rows->positions + size - 1) / size;
    long* starts = static_cast<long*>(scratch(2, vectors * sizeof(long)));
    rows->starts = starts;
    if (whole) {
        for (long image = 0; image < images; ++image)
            for (long row = 0; row < rows->height; ++row)
                for (long column = 0; column < rows->width; column += size)
                    *starts++ = (image * job.image_rows() + row) * job.row() + column;
    } else {
        for (long v = 0; v < vectors; ++v) starts[v] = v * size;
    }
}

template <class T>
void convolve_phase(const ConvolutionJob& job, const Phase& phase, const Tile& tile, long group,
                    const T* planes, T* found) {
    const long* step = job.target_step;
    const long* size = job.target_size;
    const long channels = job.groups * job.target_channels;
    Rows rows;
    rows.width = phase.count[2];
    rows.height = smaller(tile.rows, phase.count[1] - tile.first_row);
    rows.step = step[2];
    rows.row_step = step[1] * size[2];
    rows.channel_step = size[0] * size[1] * size[2];
    rows.image_step = channels * rows.channel_step;
    if (rows.height <= 0 || rows.width <= 0) return;
    list_positions<T>(job, tile.images, &rows);
    const T* bias = static_cast<const T*>(job.bias);
    T* target = static_cast<T*>(job.target) + tile.first_image * rows.image_step +
                group * job.target_channels * rows.channel_step +
                (phase.start[1] + tile.first_row * step[1]) * size[2] + phase.start[2];
    for (long d = 0; d < phase.count[0]; ++d)
        convolve_line(job, phase, rows, phase.blocks + group * job.block_count,
                      planes + d * job.line(),
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
