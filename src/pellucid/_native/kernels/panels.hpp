// The inner loops of products of matrices. See Note [Products by panels].
#pragma once

#include "kernels/panel_job.hpp"
#include "kernels/scratch.hpp"
#include "kernels/turning.hpp"
#include "kernels/vectors.hpp"

namespace pellucid {
namespace {

// How many rows and vectors of columns of the result stay in registers, beside two vectors of the
// second factor and one element of the first.
constexpr int kTileVectors = 2;
constexpr int kTileRows = REGISTERS == 32 ? 14 : 6;
constexpr long kPanelColumns = kTileVectors * VectorOf<float>::size;

// Which rows of the first factor a tile reads.
struct TileRows {
    const float* first;
    long step;
};

// The row that the tile of this number begins with, of so many tiles of about the same size.
inline long begin_of_tile(long rows, long tile, long tiles) { return rows * tile / tiles; }

inline long tiles_of(long rows) { return (rows + kTileRows - 1) / kTileRows; }

// What a tile adds its sums to, and where it writes them.
struct TileOut {
    float* out;
    long step;
    const float* bias;
    bool adds;
    long columns;
};

// Every sum is named by constants, so that all of them stay in registers up to here.
template <int R, int V>
inline void store_tile(const TileOut to, Vector<float> (&sums)[R][V]) {
    constexpr int size = VectorOf<float>::size;
    if (to.columns == V * size) {
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
            for (int v = 0; v < V; ++v) {
                float* at = to.out + r * to.step + v * size;
                Vector<float> value = sums[r][v];
                if (to.adds) value += load(at);
                if (to.bias != nullptr) value += load(to.bias + v * size);
                store(at, value);
            }
        return;
    }
    float values[R][V * size];
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) store(values[r] + v * size, sums[r][v]);
    for (int r = 0; r < R; ++r) {
        float* at = to.out + r * to.step;
        for (long i = 0; i < to.columns; ++i) {
            const float value = to.adds ? values[r][i] + at[i] : values[r][i];
            at[i] = to.bias != nullptr ? value + to.bias[i] : value;
        }
    }
}

// Not inlined, so that the addresses have the registers for themselves.
template <int R, int V, bool turned>
__attribute__((noinline)) void multiply_tile(const TileRows& rows, const float* panel,
                                             long panel_step, long inner, const TileOut& to) {
    constexpr int size = VectorOf<float>::size;
    Vector<float> sums[R][V];
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) sums[r][v] = Vector<float>{};
    const float* at = rows.first;
    const long step = rows.step;
    // every third row has an address of its own, the others lie one and two steps behind
    const float* thirds[(R + 2) / 3];
    for (int i = 0; i < (R + 2) / 3; ++i) thirds[i] = at + 3 * i * step;
    for (long k = 0; k < inner; ++k, panel += panel_step) {
        Vector<float> values[V];
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) values[v] = load(panel + v * size);
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r) {
            const float factor = turned ? at[r] : thirds[r / 3][r % 3 * step];
#pragma GCC unroll 4
            for (int v = 0; v < V; ++v) sums[r][v] += factor * values[v];
        }
        if (turned) at += step;
        else
#pragma GCC unroll 8
            for (int i = 0; i < (R + 2) / 3; ++i) ++thirds[i];
    }
    store_tile<R, V>(to, sums);
}

// A tile of any number of rows up to the largest.
template <int V, bool turned, int R = kTileRows>
inline void multiply_rows(long count, const TileRows& rows, const float* panel, long panel_step,
                          long inner, const TileOut& to) {
    if constexpr (R > 0) {
        if (count == R) return multiply_tile<R, V, turned>(rows, panel, panel_step, inner, to);
        multiply_rows<V, turned, R - 1>(count, rows, panel, panel_step, inner, to);
    }
}

// A tile by one panel, of which one vector may be all there is.
template <bool turned>
inline void multiply_tile_of(long count, const TileRows& rows, const float* panel, long panel_step,
                             long inner, const TileOut& to) {
    if (to.columns > VectorOf<float>::size)
        multiply_rows<2, turned>(count, rows, panel, panel_step, inner, to);
    else multiply_rows<1, turned>(count, rows, panel, panel_step, inner, to);
}

// Multiply all rows by one panel, in tiles of about the same number of rows. Inlined, since what
// has just been put into `to` piece by piece would be waited for where it is copied.
template <bool turned>
inline __attribute__((always_inline)) void multiply_panel(long count, TileRows rows,
                                                          const float* panel, long panel_step,
                                                          long inner, TileOut to) {
    const long tiles = tiles_of(count);
    for (long tile = 0; tile < tiles; ++tile) {
        const long taken =
            begin_of_tile(count, tile + 1, tiles) - begin_of_tile(count, tile, tiles);
        multiply_tile_of<turned>(taken, rows, panel, panel_step, inner, to);
        rows.first += turned ? taken : taken * rows.step;
        to.out += taken * to.step;
    }
}

// -- laying out the second factor -------------------------------------------------------------

// How many rows ahead of the one that is copied memory is prefetched.
constexpr long kAhead = 8;

// Some of the inner size.
struct Inner {
    long begin, end;
    long size() const { return end - begin; }
};

// Lay out so many rows of some whole panels, whose columns lie beside each other.
template <int R>
inline void lay_out_rows_of(const float* from, long step, long panels, long panel_size, float* to) {
    constexpr int size = VectorOf<float>::size;
    for (long p = 0; p < panels; ++p)
#pragma GCC unroll 4
        for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
            for (int v = 0; v < kTileVectors; ++v) {
                const float* at = from + r * step + p * kPanelColumns + v * size;
                __builtin_prefetch(at + kAhead * step);
                store(to + p * panel_size + r * kPanelColumns + v * size, load(at));
            }
}

// Lay out some panels of a second factor that is not turned, a few rows of all of them at a time.
// One row at a time takes twice as long where all panels begin at the same place of a page.
inline void lay_out_rows(const PanelJob& job, long first, long panels, const Inner& inner,
                         float* to) {
    constexpr long rows_at_once = 4;
    const long panel_size = inner.size() * kPanelColumns, begin = first * kPanelColumns;
    const long columns = smaller(panels * kPanelColumns, job.columns - begin);
    const long whole = columns / kPanelColumns, rest = columns % kPanelColumns;
    const long step = job.second_step;
    const float* from = job.second + begin + inner.begin * step;
    long k = 0;
    for (; k + rows_at_once <= inner.size(); k += rows_at_once)
        lay_out_rows_of<rows_at_once>(from + k * step, step, whole, panel_size,
                                      to + k * kPanelColumns);
    for (; k < inner.size(); ++k)
        lay_out_rows_of<1>(from + k * step, step, whole, panel_size, to + k * kPanelColumns);
    if (rest == 0) return;
    from += whole * kPanelColumns;
    to += whole * panel_size;
    for (k = 0; k < inner.size(); ++k, from += step, to += kPanelColumns) {
        std::memcpy(to, from, rest * sizeof(float));
        std::memset(to + rest, 0, (kPanelColumns - rest) * sizeof(float));
    }
}

// Lay out one panel of a turned second factor.
inline void lay_out_turned(const PanelJob& job, long panel, const Inner& inner, float* to) {
    constexpr long size = VectorOf<float>::size;
    const long begin = panel * kPanelColumns;
    const long columns = smaller(kPanelColumns, job.columns - begin);
    const float* from = job.second + begin * job.second_step + inner.begin;
    for (long v = 0; v < kTileVectors; ++v, from += size * job.second_step, to += size) {
        const long count = smaller(size, larger(0, columns - v * size));
        if (count == size) {
            turn_rows(from, job.second_step, inner.size(), to, kPanelColumns);
            continue;
        }
        for (long k = 0; k < inner.size(); ++k)
            for (long i = 0; i < size; ++i)
                to[k * kPanelColumns + i] = i < count ? from[i * job.second_step + k] : 0;
    }
}

// Lay out some panels: [panel][some of the inner size][columns of a panel].
inline void lay_out_some(const PanelJob& job, long first, long panels, const Inner& inner,
                         float* to) {
    if (!job.second_turned) return lay_out_rows(job, first, panels, inner, to);
    for (long p = 0; p < panels; ++p)
        lay_out_turned(job, first + p, inner, to + p * inner.size() * kPanelColumns);
}

inline void lay_out_panel(const PanelJob& job, long panel) {
    lay_out_some(job, panel, 1, {0, job.inner}, job.panels + panel * kPanelColumns * job.inner);
}

// -- the parts of a product ----------------------------------------------------------------------

// The largest number of elements of a row of the first factor that are multiplied at once, and of
// panels: so many elements of those stay in the second cache.
constexpr long kInnerAtOnce = 256, kPanelsAtOnce = 16;

constexpr long kLine = 64 / sizeof(float);

// Copy the rows of a tile that lie so far apart that they would share a line of the first cache.
inline TileRows apart(const TileRows& rows, long count, long inner) {
    constexpr long step = kInnerAtOnce + kLine;
    float* to = static_cast<float*>(scratch(3, kTileRows * step * sizeof(float)));
    for (long r = 0; r < count; ++r)
        std::memcpy(to + r * step, rows.first + r * rows.step, inner * sizeof(float));
    return {to, step};
}

// Copy the rows of a turned tile, so that the next element of all of them is in the next line: read
// where it is, it lies a row of memory away, often in the same place of the first cache.
// `in_memory` is how many elements may be read from the first row on.
inline TileRows beside(const TileRows& rows, long count, long in_memory, long inner) {
    constexpr long size = VectorOf<float>::size, step = (kTileRows + size - 1) / size * size;
    float* to = static_cast<float*>(scratch(3, kInnerAtOnce * step * sizeof(float)));
    const float* from = rows.first;
    for (long k = 0; k < inner; ++k, from += rows.step) {
        __builtin_prefetch(from + kAhead * rows.step);
        __builtin_prefetch(from + kAhead * rows.step + kTileRows - 1);
        if (step <= in_memory)
            for (long i = 0; i < step; i += size) store(to + k * step + i, load(from + i));
        else std::memcpy(to + k * step, from, count * sizeof(float));
    }
    return {to, step};
}

// Prefetch one of several parts of what the next tile reads, which begins at `first`.
template <bool turned>
inline void prefetch_part(const float* first, long step, long inner, long part, long parts) {
    const long lines = turned ? inner : kTileRows, along = turned ? kTileRows : inner;
    for (long line = lines * part / parts; line < lines * (part + 1) / parts; ++line) {
        const float* from = first + line * step;
        for (long i = 0; i < along; i += kLine) __builtin_prefetch(from + i, 0, 2);
        __builtin_prefetch(from + along - 1, 0, 2);
    }
}

inline void prefetch_out(const TileOut& to, long rows) {
    for (long r = 0; r < rows; ++r)
        for (long i = 0; i < to.columns; i += kLine)
            __builtin_prefetch(to.out + r * to.step + i, 1);
}

// Some of the rows, panels and inner size of a product, and where the panels are.
struct Some {
    long row, rows, panel, panels;
    Inner inner;
    const float* second;
    long second_step, panel_size;
};

inline Some with_panels(const PanelJob& job, Some some) {
    const long begin = some.inner.begin;
    some.second_step = kPanelColumns;
    if (job.panels != nullptr) {
        some.panel_size = job.inner * kPanelColumns;
        some.second = job.panels + some.panel * some.panel_size + begin * kPanelColumns;
    } else if (job.lays_out) {
        some.panel_size = some.inner.size() * kPanelColumns;
        float* to = static_cast<float*>(scratch(4, some.panels * some.panel_size * sizeof(float)));
        lay_out_some(job, some.panel, some.panels, some.inner, to);
        some.second = to;
    } else {
        some.second_step = job.second_step;
        some.panel_size = kPanelColumns;
        some.second = job.second + some.panel * kPanelColumns + begin * job.second_step;
    }
    return some;
}

// Multiply tile by tile, whose rows stay in the first cache for all panels.
template <bool turned>
void multiply_some(const PanelJob& job, const Some& some) {
    const long begin = some.inner.begin, inner = some.inner.size();
    const long along = turned ? job.first_step : 1, down = turned ? 1 : job.first_step;
    const bool aliased = !turned && job.first_step % 512 == 0 && some.rows > 8 && some.panels > 1;
    const bool far = turned && job.first_step >= kInnerAtOnce && some.panels > 1;
    // short sums are done before what is prefetched is there; what lies side by side is there
    const bool long_sums = inner >= 64;
    const bool prefetches = long_sums && (!turned || job.first_step >= kInnerAtOnce);
    const long tiles = tiles_of(some.rows);
    for (long tile = 0; tile < tiles; ++tile) {
        const long row = some.row + begin_of_tile(some.rows, tile, tiles);
        const long next = some.row + begin_of_tile(some.rows, tile + 1, tiles), count = next - row;
        TileRows from{job.first + row * down + begin * along, job.first_step};
        if (aliased) from = apart(from, count, inner);
        if (far) from = beside(from, count, job.rows - row, inner);
        for (long p = 0; p < some.panels; ++p) {
            const long column = (some.panel + p) * kPanelColumns;
            const TileOut to{job.out + row * job.out_step + column, job.out_step,
                             job.bias != nullptr && begin == 0 ? job.bias + column : nullptr,
                             job.adds || begin > 0, smaller(kPanelColumns, job.columns - column)};
            if (long_sums) prefetch_out(to, count);
            if (prefetches && tile + 1 < tiles)
                prefetch_part<turned>(job.first + next * down + begin * along, job.first_step,
                                      inner, p, some.panels);
            multiply_tile_of<turned>(count, from, some.second + p * some.panel_size,
                                     some.second_step, inner, to);
        }
    }
}

// Compute a part of the result, some panels and some of the inner size at a time.
inline void multiply_part(const PanelJob& job, long part) {
    const long row_part = part / job.panel_parts, panel_part = part % job.panel_parts;
    Some some{};
    some.row = job.rows * row_part / job.row_parts;
    some.rows = job.rows * (row_part + 1) / job.row_parts - some.row;
    const long first = job.panel_count * panel_part / job.panel_parts;
    const long panels = job.panel_count * (panel_part + 1) / job.panel_parts - first;
    const long strips = (panels + kPanelsAtOnce - 1) / kPanelsAtOnce;
    const long blocks = (job.inner + kInnerAtOnce - 1) / kInnerAtOnce;
    for (long i = 0; i < strips * blocks; ++i) {
        const long strip = i / blocks, block = i % blocks;
        some.panel = first + panels * strip / strips;
        some.panels = first + panels * (strip + 1) / strips - some.panel;
        some.inner = {job.inner * block / blocks, job.inner * (block + 1) / blocks};
        some = with_panels(job, some);
        if (job.first_turned) multiply_some<true>(job, some);
        else multiply_some<false>(job, some);
    }
}

}  // namespace
}  // namespace pellucid
