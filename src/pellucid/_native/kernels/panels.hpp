// The inner loops of products of matrices. See Note [Products by panels].
#pragma once

#include "kernels/panel_job.hpp"
#include "kernels/scratch.hpp"
#include "kernels/vectors.hpp"

namespace pellucid {
namespace {

// How many rows and vectors of columns of the result stay in registers, beside two vectors of the
// second factor and one element of the first.
constexpr int kTileVectors = 2;
constexpr int kTileRows = REGISTERS == 32 ? 14 : 6;
constexpr long kPanelColumns = kTileVectors * VectorOf<float>::size;

// Which rows of the first factor a tile reads, and where its elements are. Tiles that are laid out
// lie tile_step elements apart, others, where it is zero, as the rows do.
struct TileRows {
    const float* first;
    long step, tile_step = 0;
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

// Multiply all rows by one panel, in tiles of about the same number of rows.
template <bool turned>
void multiply_panel(long count, TileRows rows, const float* panel, long panel_step, long inner,
                    TileOut to) {
    const long tiles = tiles_of(count);
    for (long tile = 0; tile < tiles; ++tile) {
        const long taken =
            begin_of_tile(count, tile + 1, tiles) - begin_of_tile(count, tile, tiles);
        if (to.columns > VectorOf<float>::size)
            multiply_rows<2, turned>(taken, rows, panel, panel_step, inner, to);
        else multiply_rows<1, turned>(taken, rows, panel, panel_step, inner, to);
        rows.first += rows.tile_step > 0 ? rows.tile_step : turned ? taken : taken * rows.step;
        to.out += taken * to.step;
    }
}

// -- laying out the second factor -------------------------------------------------------------

// Elements of two vectors in turn: the first halves of both, or the second ones.
template <std::size_t... i>
inline Vector<float> in_turn(Vector<float> a, Vector<float> b, int half,
                             std::index_sequence<i...>) {
    constexpr int size = VectorOf<float>::size;
#if defined(__clang__)
    return half == 0 ? __builtin_shufflevector(a, b, (i % 2 * size + i / 2)...)
                     : __builtin_shufflevector(a, b, (i % 2 * size + (i + size) / 2)...);
#else
    typedef int Places __attribute__((vector_size(VECTOR_BYTES)));
    const Places first = {static_cast<int>(i % 2 * size + i / 2)...};
    return __builtin_shuffle(a, b, half == 0 ? first : first + size / 2);
#endif
}

// Turn a square of as many rows as a vector has elements: elements of rows that lie half of them
// apart are taken in turn, until all have met.
inline void turn_square(const float* from, long step, float* to, long to_step) {
    constexpr int size = VectorOf<float>::size;
    constexpr std::make_index_sequence<size> places;
    Vector<float> rows[size], taken[size];
#pragma GCC unroll 16
    for (int i = 0; i < size; ++i) rows[i] = load(from + i * step);
#pragma GCC unroll 4
    for (int met = 1; met < size; met *= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < size / 2; ++i) {
            taken[2 * i] = in_turn(rows[i], rows[i + size / 2], 0, places);
            taken[2 * i + 1] = in_turn(rows[i], rows[i + size / 2], 1, places);
        }
#pragma GCC unroll 16
        for (int i = 0; i < size; ++i) rows[i] = taken[i];
    }
#pragma GCC unroll 16
    for (int i = 0; i < size; ++i) store(to + i * to_step, rows[i]);
}

inline void lay_out_panel(const PanelJob& job, long panel) {
    constexpr long size = VectorOf<float>::size;
    const long begin = panel * kPanelColumns;
    const long columns = smaller(kPanelColumns, job.columns - begin);
    float* to = job.panels + panel * kPanelColumns * job.inner;
    if (!job.second_turned) {
        const float* from = job.second + begin;
        for (long k = 0; k < job.inner; ++k, from += job.second_step, to += kPanelColumns) {
            if (columns == kPanelColumns) {
                for (int v = 0; v < kTileVectors; ++v) store(to + v * size, load(from + v * size));
            } else {
                std::memcpy(to, from, columns * sizeof(float));
                for (long i = columns; i < kPanelColumns; ++i) to[i] = 0;
            }
        }
        return;
    }
    const float* from = job.second + begin * job.second_step;
    for (long v = 0; v < kTileVectors; ++v, from += size * job.second_step, to += size) {
        const long count = smaller(size, larger(0, columns - v * size));
        long k = 0;
        if (count == size)
            for (; k + size <= job.inner; k += size)
                turn_square(from + k, job.second_step, to + k * kPanelColumns, kPanelColumns);
        for (; k < job.inner; ++k)
            for (long i = 0; i < size; ++i)
                to[k * kPanelColumns + i] = i < count ? from[i * job.second_step + k] : 0;
    }
}

// -- the parts of a product ----------------------------------------------------------------------

// The largest number of elements of a row of the first factor that are multiplied at once.
constexpr long kInnerAtOnce = 256;

// Copy rows that lie so far apart that they would share a line of the first cache.
inline TileRows apart(const TileRows& rows, long count, long inner) {
    constexpr long kLine = 16;
    const long step = (inner + kLine - 1) / kLine * kLine + kLine;
    float* to = static_cast<float*>(scratch(3, count * step * sizeof(float)));
    for (long r = 0; r < count; ++r)
        std::memcpy(to + r * step, rows.first + r * rows.step, inner * sizeof(float));
    return {to, step};
}

// Lay out turned rows tile by tile, each element of the inner size in a line of its own: read where
// they are, every line of a tile lies a row of memory from the one before, often in the same place
// of the first cache. `in_memory` is how many elements may be read from the first row on.
inline TileRows tile_by_tile(const TileRows& rows, long count, long in_memory, long inner) {
    constexpr long size = VectorOf<float>::size, line = (kTileRows + size - 1) / size * size;
    const long tiles = tiles_of(count), tile_step = (inner + 1) * line;
    float* to = static_cast<float*>(scratch(3, tiles * tile_step * sizeof(float)));
    for (long k = 0; k < inner; ++k) {
        const float* from = rows.first + k * rows.step;
        for (long tile = 0; tile < tiles; ++tile) {
            const long begin = begin_of_tile(count, tile, tiles);
            float* at = to + tile * tile_step + k * line;
            if (begin + line <= in_memory)
                for (long i = 0; i < line; i += size) store(at + i, load(from + begin + i));
            else std::memcpy(at, from + begin, (count - begin) * sizeof(float));
        }
    }
    return {to, line, tile_step};
}

template <bool turned>
void multiply_some(const PanelJob& job, long first_row, long rows, long first_panel, long panels) {
    const long blocks = (job.inner + kInnerAtOnce - 1) / kInnerAtOnce;
    const bool aliased = !turned && job.first_step % 512 == 0 && rows > 8 && panels > 1;
    const bool laid_out = turned && job.first_step >= kInnerAtOnce && panels > 1;
    for (long block = 0; block < blocks; ++block) {
        const long begin = job.inner * block / blocks, end = job.inner * (block + 1) / blocks;
        const long along = turned ? job.first_step : 1, down = turned ? 1 : job.first_step;
        TileRows from{job.first + first_row * down + begin * along, job.first_step};
        if (aliased) from = apart(from, rows, end - begin);
        if (laid_out) from = tile_by_tile(from, rows, job.rows - first_row, end - begin);
        for (long p = first_panel; p < first_panel + panels; ++p) {
            const long column = p * kPanelColumns;
            TileOut to{job.out + first_row * job.out_step + column, job.out_step,
                       job.bias != nullptr && block == 0 ? job.bias + column : nullptr,
                       job.adds || block > 0, smaller(kPanelColumns, job.columns - column)};
            const bool direct = job.panels == nullptr;
            const float* panel = direct ? job.second + column + begin * job.second_step
                                        : job.panels + (p * job.inner + begin) * kPanelColumns;
            multiply_panel<turned>(rows, from, panel, direct ? job.second_step : kPanelColumns,
                                   end - begin, to);
        }
    }
}

// Compute a part of the result, some rows at a time that stay in the second cache.
inline void multiply_part(const PanelJob& job, long part) {
    constexpr long kRowsAtOnce = 18 * kTileRows;
    const long row_part = part / job.panel_parts, panel_part = part % job.panel_parts;
    const long first = job.rows * row_part / job.row_parts;
    const long end = job.rows * (row_part + 1) / job.row_parts;
    const long first_panel = job.panel_count * panel_part / job.panel_parts;
    const long panels = job.panel_count * (panel_part + 1) / job.panel_parts - first_panel;
    for (long row = first; row < end; row += kRowsAtOnce) {
        const long rows = smaller(kRowsAtOnce, end - row);
        if (job.first_turned) multiply_some<true>(job, row, rows, first_panel, panels);
        else multiply_some<false>(job, row, rows, first_panel, panels);
    }
}

}  // namespace
}  // namespace pellucid
