// Convolution of 3 × 3 filters by Winograd's algorithm.
//
// Note [Winograd]
// Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks" (2016). A tile of 2 × 2
// results needs 4 × 4 elements of a channel and 16 multiplications instead of 36: both, the
// elements and the filter, are transformed into 16 numbers each, which are multiplied and added up
// over the channels, and the 16 sums are transformed into the 4 results. So the work is 16 products
// of matrices, filters × channels × tiles, for which the tiles of registers of panels.hpp serve.
// A tile of 4 × 2 takes 24 multiplications instead of 72, and the heights that it suits have it.
//
// Vectors hold neighbouring tiles. The padded rows of a channel are spread into planes, by the
// row's and the column's place in a tile: of tiles of `rows` rows, element (i, j) of tile t is then
// at plane[i % rows][j][t + i / rows * columns], for all tiles of an image at once, across their
// rows.
//
// The gradient by the input is the same with flipped filters. That by the filters multiplies the
// transformed elements by the transformed gradient of the tile, adds up over tiles, and transforms
// the 16 sums into 9; there vectors hold neighbouring channels.
//
// The gradient by the filters takes tiles of 4 × 4 of the gradient where they suit the size: 36
// multiplications instead of 144. The points at which its polynomials are multiplied are 0, ±3/4,
// ±3/2 and infinity; see Barabasz and others, "Error Analysis and Improving the Accuracy of
// Winograd Convolution for Deep Neural Networks" (2020), on what they do to the error. Results of
// tiles of 4 × 4 would be three to four times as far off as those of a direct convolution, those of
// 4 × 2 are less than twice; the gradient's long sums are more exact by tiles than they are
// directly.
//
// The transforms add up to 4 numbers before they multiply: an infinity would spread over its tile,
// so numbers beyond kLargest are refused, and the convolution is computed directly.
#pragma once

#include "kernels/panels.hpp"
#include "kernels/winograd_job.hpp"

namespace pellucid {
namespace {

typedef std::int32_t Bits __attribute__((vector_size(VECTOR_BYTES)));

constexpr long kLanes = VectorOf<float>::size;
constexpr std::int32_t kLargest = (127 + 90) << 23;  // the bits of 2^90

struct TileBlock {
    long image, images, row, rows, column, columns;
    long tiles() const { return images * rows * columns; }
};

inline TileBlock tile_block(const WinogradTiles& t, long index) {
    const long column = index % t.columns_of_blocks * t.block_columns;
    index /= t.columns_of_blocks;
    const long row = index % t.rows_of_blocks * t.block_rows;
    const long image = index / t.rows_of_blocks * t.block_images;
    return {image,  smaller(t.block_images, t.images - image),
            row,    smaller(t.block_rows, t.rows - row),
            column, smaller(t.block_columns, t.columns - column)};
}

inline long whole_vectors(long count) { return (count + kLanes - 1) / kLanes * kLanes; }

// How far apart the parts of 16 lie that have so many elements each: at pages' ends all 16 would
// share one line of the first cache.
inline long frequency_step(long size) {
    constexpr long kPage = 1024, kBeyond = 5 * 16;
    return (size + kPage - 1) / kPage * kPage + kBeyond;
}

// Every second element of two vectors, from the first or from the second on.
template <int first, std::size_t... i>
inline Vector<float> every_second(Vector<float> a, Vector<float> b, std::index_sequence<i...>) {
#if defined(__clang__)
    return __builtin_shufflevector(a, b, (2 * i + first)...);
#else
    return __builtin_shuffle(a, b, Bits{static_cast<std::int32_t>(2 * i + first)...});
#endif
}

constexpr std::make_index_sequence<kLanes> kPlaces;

template <std::size_t... i>
inline Bits places_of(std::index_sequence<i...>) {
    return Bits{static_cast<std::int32_t>(i)...};
}

// The largest bits of absolute values, lane by lane: those of infinity and of no numbers are the
// largest.
inline Bits largest_bits(Bits seen, Vector<float> value) {
    Bits bits;
    std::memcpy(&bits, &value, sizeof bits);
    bits &= 0x7fffffff;
    return bits > seen ? bits : seen;
}

inline void refuse_large(Bits seen, std::atomic<bool>* refused) {
    std::int32_t largest = 0;
    for (int i = 0; i < kLanes; ++i) largest = seen[i] > largest ? seen[i] : largest;
    if (largest > kLargest) refused->store(true, std::memory_order_relaxed);
}

// A row of an image between zeros, `from` its first place, which may lie before the image: elements
// [begin, end) are the image's. What is read beside the row has to lie within the images.
struct PaddedRow {
    const float* from;
    long begin, end;
    const float *first, *last;  // of all images
};

inline PaddedRow padded_row(const WinogradImages& images, long number, long row, long first,
                            long count) {
    if (row < 0 || row >= images.height) return {images.data, 0, 0, images.data, images.data};
    const long begin = first < 0 ? smaller(-first, count) : 0;
    return {images.data + (number * images.height + row) * images.width + first, begin,
            larger(begin, smaller(count, images.width - first)), images.data,
            images.data + images.size()};
}

// How many rows ahead of the one that is read or written memory is prefetched.
constexpr long kRowsAhead = 8;

inline Vector<float> elements_of(const PaddedRow& row, long x) {
    if (x >= row.begin && x + kLanes <= row.end) return load(row.from + x);
    if (x >= row.end || x + kLanes <= row.begin) return Vector<float>{};
    const float* from = row.from + x;
    const long begin = larger(0, row.begin - x), end = smaller(kLanes, row.end - x);
    if (from >= row.first && from + kLanes <= row.last) {
        const Bits lanes = places_of(kPlaces);
        const Bits within = (lanes >= std::int32_t(begin)) & (lanes < std::int32_t(end));
        return within ? load(from) : Vector<float>{};
    }
    Vector<float> value = {};
    for (long i = begin; i < end; ++i) value[i] = from[i];
    return value;
}

// -- one dimension of the transforms ------------------------------------------------------------

// How many elements of the images a tile of so many results meets along a dimension.
template <int size>
constexpr int kReach = size + 2;

// The points of tiles of 4 × 4, and what their Lagrange polynomials are divided by.
constexpr float kInner = 0.75f, kOuter = 1.5f;
constexpr float kInner2 = kInner * kInner, kOuter2 = kOuter * kOuter;
constexpr float kProduct2 = kInner2 * kOuter2, kSum2 = kInner2 + kOuter2;
constexpr float kByZero = 1 / kProduct2;
constexpr float kByInner = 1 / (2 * kInner2 * (kInner2 - kOuter2));
constexpr float kByOuter = 1 / (2 * kOuter2 * (kOuter2 - kInner2));

// The transforms of tiles: of elements, in place; of filters, and of the sums of products into
// results; of the gradient, and of the sums of products into three taps.
template <int size>
struct TileOf;

template <>
struct TileOf<2> {
    static void elements(Vector<float>* x, int step) {
        const Vector<float> a = x[0], b = x[step], c = x[2 * step], d = x[3 * step];
        x[0] = a - c;
        x[step] = b + c;
        x[2 * step] = c - b;
        x[3 * step] = b - d;
    }

    static void taps(const Vector<float>* w, int step, Vector<float>* u, int u_step) {
        const Vector<float> sum = w[0] + w[2 * step];
        u[0] = w[0];
        u[u_step] = 0.5f * (sum + w[step]);
        u[2 * u_step] = 0.5f * (sum - w[step]);
        u[3 * u_step] = w[2 * step];
    }

    static void results(const Vector<float>* m, int step, Vector<float>* y, int y_step) {
        y[0] = m[0] + m[step] + m[2 * step];
        y[y_step] = m[step] - m[2 * step] - m[3 * step];
    }

    static void gradient(const Vector<float>* g, int step, Vector<float>* out, int out_step) {
        out[0] = g[0];
        out[out_step] = g[0] + g[step];
        out[2 * out_step] = g[0] - g[step];
        out[3 * out_step] = -g[step];
    }

    static void products(const Vector<float>* u, int step, Vector<float>* w, int w_step) {
        const Vector<float> sum = 0.5f * (u[step] + u[2 * step]);
        w[0] = u[0] + sum;
        w[w_step] = 0.5f * (u[step] - u[2 * step]);
        w[2 * w_step] = u[3 * step] + sum;
    }
};

template <>
struct TileOf<4> {
    static void elements(Vector<float>* x, int step) {
        const Vector<float> a = x[0], b = x[step], c = x[2 * step], d = x[3 * step];
        const Vector<float> e = x[4 * step], f = x[5 * step];
        const Vector<float> inner = e - kOuter2 * c, by_inner = kInner * (d - kOuter2 * b);
        const Vector<float> outer = e - kInner2 * c, by_outer = kOuter * (d - kInner2 * b);
        x[0] = kProduct2 * a - kSum2 * c + e;
        x[step] = inner + by_inner;
        x[2 * step] = inner - by_inner;
        x[3 * step] = outer + by_outer;
        x[4 * step] = outer - by_outer;
        x[5 * step] = kProduct2 * b - kSum2 * d + f;
    }

    static void taps(const Vector<float>* w, int step, Vector<float>* u, int u_step) {
        const Vector<float> a = w[0], b = w[step], c = w[2 * step];
        const Vector<float> inner = a + kInner2 * c, outer = a + kOuter2 * c;
        u[0] = kByZero * a;
        u[u_step] = kByInner * (inner + kInner * b);
        u[2 * u_step] = kByInner * (inner - kInner * b);
        u[3 * u_step] = kByOuter * (outer + kOuter * b);
        u[4 * u_step] = kByOuter * (outer - kOuter * b);
        u[5 * u_step] = c;
    }

    static void results(const Vector<float>* m, int step, Vector<float>* y, int y_step) {
        const Vector<float> inner = m[step] + m[2 * step], outer = m[3 * step] + m[4 * step];
        const Vector<float> by_inner = kInner * (m[step] - m[2 * step]);
        const Vector<float> by_outer = kOuter * (m[3 * step] - m[4 * step]);
        y[0] = m[0] + inner + outer;
        y[y_step] = by_inner + by_outer;
        y[2 * y_step] = kInner2 * inner + kOuter2 * outer;
        y[3 * y_step] = kInner2 * by_inner + kOuter2 * by_outer + m[5 * step];
    }

    static void gradient(const Vector<float>* g, int step, Vector<float>* out, int out_step) {
        const Vector<float> a = g[0], b = g[step], c = g[2 * step], d = g[3 * step];
        const Vector<float> inner = a + kInner2 * c, by_inner = kInner * (b + kInner2 * d);
        const Vector<float> outer = a + kOuter2 * c, by_outer = kOuter * (b + kOuter2 * d);
        out[0] = kByZero * a;
        out[out_step] = kByInner * (inner + by_inner);
        out[2 * out_step] = kByInner * (inner - by_inner);
        out[3 * out_step] = kByOuter * (outer + by_outer);
        out[4 * out_step] = kByOuter * (outer - by_outer);
        out[5 * out_step] = d;
    }

    static void products(const Vector<float>* u, int step, Vector<float>* w, int w_step) {
        const Vector<float> inner = u[step] + u[2 * step], outer = u[3 * step] + u[4 * step];
        w[0] = u[0] + inner + outer;
        w[w_step] = kInner * (u[step] - u[2 * step]) + kOuter * (u[3 * step] - u[4 * step]);
        w[2 * w_step] = kInner2 * inner + kOuter2 * outer + u[5 * step];
    }
};

// -- vectors of tiles --------------------------------------------------------------------------

inline long plane_size(const TileBlock& block) {
    return whole_vectors((block.rows + 1) * block.columns) + 2 * kLanes;
}

// How many numbers a tile of so many rows and two columns is transformed into.
template <int rows>
constexpr int kFrequencies = 4 * kReach<rows>;

// Spread the rows of one channel of one image into planes.
template <int rows>
inline void spread(const WinogradImages& images, long channel, const TileBlock& block,
                   float* planes, Bits* seen) {
    const long columns = block.columns, plane = plane_size(block);
    for (long r = 0; r < rows * block.rows + 2; ++r) {
        const PaddedRow row = padded_row(images, channel, rows * block.row + r - images.lead[0],
                                         2 * block.column - images.lead[1], 2 * columns + 2);
        float* to = planes + r % rows * 4 * plane + r / rows * columns;
        for (long b = 0; b < columns; b += kLanes, to += kLanes) {
            __builtin_prefetch(row.from + kRowsAhead * images.width + 2 * b);
            __builtin_prefetch(row.from + kRowsAhead * images.width + 2 * b + kLanes);
            const Vector<float> first = elements_of(row, 2 * b);
            const Vector<float> second = elements_of(row, 2 * b + kLanes);
            const Vector<float> third = elements_of(row, 2 * b + 2);
            const Vector<float> fourth = elements_of(row, 2 * b + 2 + kLanes);
            *seen = largest_bits(largest_bits(largest_bits(*seen, first), second), fourth);
            store(to, every_second<0>(first, second, kPlaces));
            store(to + plane, every_second<1>(first, second, kPlaces));
            store(to + 2 * plane, every_second<0>(third, fourth, kPlaces));
            store(to + 3 * plane, every_second<1>(third, fourth, kPlaces));
        }
    }
}

// Transform the tiles of one channel of one image.
template <int rows>
inline void transform_planes(const TileBlock& block, const float* planes, long frequency,
                             float* to) {
    const long plane = plane_size(block);
    for (long t = 0; t < block.rows * block.columns; t += kLanes) {
        Vector<float> tile[kFrequencies<rows>];
#pragma GCC unroll 6
        for (int i = 0; i < kReach<rows>; ++i)
#pragma GCC unroll 4
            for (int j = 0; j < 4; ++j)
                tile[4 * i + j] =
                    load(planes + (i % rows * 4 + j) * plane + t + i / rows * block.columns);
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) TileOf<rows>::elements(tile + j, 4);
#pragma GCC unroll 6
        for (int i = 0; i < kReach<rows>; ++i) TileOf<2>::elements(tile + 4 * i, 1);
#pragma GCC unroll 24
        for (int f = 0; f < kFrequencies<rows>; ++f) store(to + f * frequency + t, tile[f]);
    }
}

// Transform the elements of all tiles and channels of a block: [frequency][channel][tile]. What was
// just written cannot be read at other places at once: planes are made while those before are read.
template <int rows>
inline void transform_source(const WinogradJob& job, const TileBlock& block, long step,
                             float* planes, float* to) {
    const WinogradImages& images = job.source;
    const long frequency = frequency_step(images.channels * step);
    const long size = 4 * rows * plane_size(block), tiles = block.rows * block.columns;
    const long count = images.channels * block.images;
    Bits seen = {};
    for (long i = 0; i <= count; ++i) {
        if (i < count) {
            const long channel = (block.image + i % block.images) * images.channels;
            spread<rows>(images, channel + i / block.images, block, planes + i % 2 * size, &seen);
        }
        if (i == 0) continue;
        const long c = (i - 1) / block.images, n = (i - 1) % block.images;
        transform_planes<rows>(block, planes + (i - 1) % 2 * size, frequency,
                               to + c * step + n * tiles);
    }
    refuse_large(seen, job.refused);
}

// Transform the sums of one filter into the results of each row of tiles: [row][column], rows
// `row_step` apart.
template <int rows>
inline void transform_row(const float* sums, long frequency, long tiles, float bias, float* to,
                          long row_step) {
    for (long t = 0; t < tiles; t += kLanes) {
        Vector<float> m[kFrequencies<rows>], half[4 * rows], y[2];
#pragma GCC unroll 24
        for (int f = 0; f < kFrequencies<rows>; ++f) m[f] = load(sums + f * frequency + t);
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) TileOf<rows>::results(m + j, 4, half + j, 4);
#pragma GCC unroll 4
        for (int i = 0; i < rows; ++i) {
            TileOf<2>::results(half + 4 * i, 1, y, 1);
            float* row = to + i * row_step + 2 * t;
            store(row, in_turn<float>(y[0] + bias, y[1] + bias, 0, kPlaces));
            store(row + kLanes, in_turn<float>(y[0] + bias, y[1] + bias, 1, kPlaces));
        }
    }
}

// Put the results of one filter where they belong.
template <int rows>
inline void place_rows(const WinogradImages& target, const TileBlock& block, long filter,
                       const float* results, long row_step) {
    const long count = smaller(2 * block.columns, target.width - 2 * block.column);
    for (long n = 0; n < block.images; ++n) {
        float* image = target.data + ((block.image + n) * target.channels + filter) *
                                         target.height * target.width;
        for (long a = 0; a < block.rows; ++a, results += 2 * block.columns)
            for (long i = 0; i < rows; ++i) {
                const long row = rows * (block.row + a) + i;
                if (row >= target.height) continue;
                const float* from = results + i * row_step;
                float* to = image + row * target.width + 2 * block.column;
                long x = 0;
                for (; x + kLanes <= count; x += kLanes) {
                    __builtin_prefetch(to + kRowsAhead * target.width + x, 1);
                    store(to + x, load(from + x));
                }
                for (; x < count; ++x) to[x] = from[x];
            }
    }
}

// The longest sum of channels that is added up in one go. With tiles of four rows longer ones would
// be most of the error.
template <int rows>
constexpr long kChannelsAtOnce = rows == 2 ? 64 : 16;

// Multiply some filters by all tiles of a block, for each frequency.
template <int rows>
inline void multiply_filters(const WinogradJob& job, long first, long count, const float* elements,
                             long step, long vectors, float* sums) {
    const long channels = job.source.channels, all = job.target.channels;
    const long frequency = frequency_step(count * step);
    const long of_elements = frequency_step(channels * step);
    for (long f = 0; f < kFrequencies<rows>; ++f)
        for (long c = 0; c < channels; c += kChannelsAtOnce<rows>) {
            const TileRows filters{job.filters + (f * all + first) * job.filter_step + c,
                                   job.filter_step};
            const float* panel = elements + f * of_elements + c * step;
            for (long v = 0; v < vectors; v += kTileVectors) {
                const TileOut to{sums + f * frequency + v * kLanes, step, nullptr, c > 0,
                                 smaller(kTileVectors, vectors - v) * kLanes};
                multiply_panel<false>(count, filters, panel + v * kLanes, step,
                                      smaller(kChannelsAtOnce<rows>, channels - c), to);
            }
        }
}

// Convolve one block of tiles, of so many rows each, by all filters.
template <int rows>
inline void winograd_block_of(const WinogradJob& job, long index) {
    if (job.refused->load(std::memory_order_relaxed)) return;
    const TileBlock block = tile_block(job.tiles, index);
    const long tiles = block.tiles(), vectors = (tiles + kLanes - 1) / kLanes;
    const long step = vectors * kLanes + kLanes;  // images begin anywhere, and write whole vectors
    const long filters = job.target.channels, groups = (filters + kTileRows - 1) / kTileRows;
    float* elements = static_cast<float*>(scratch(
        0, kFrequencies<rows> * frequency_step(job.source.channels * step) * sizeof(float)));
    const long work = 2 * 4 * rows * plane_size(block), row_step = 2 * step;
    const long of_sums = kFrequencies<rows> * frequency_step(kTileRows * step);
    const long of_results = rows * row_step, size = of_sums + 2 * of_results;
    float* sums = static_cast<float*>(scratch(1, (size + work) * sizeof(float)));
    float* results = sums + of_sums;  // of one filter, and of the one before
    std::memset(sums + size, 0, work * sizeof(float));
    transform_source<rows>(job, block, step, sums + size, elements);
    for (long group = 0; group < groups; ++group) {
        const long first = filters * group / groups;
        const long count = filters * (group + 1) / groups - first;
        multiply_filters<rows>(job, first, count, elements, step, vectors, sums);
        for (long k = 0; k <= count; ++k) {
            float *made = results + k % 2 * of_results,
                  *before = results + (k + 1) % 2 * of_results;
            if (k < count)
                transform_row<rows>(sums + k * step, frequency_step(count * step), tiles,
                                    job.bias != nullptr ? job.bias[first + k] : 0, made, row_step);
            if (k > 0) place_rows<rows>(job.target, block, first + k - 1, before, row_step);
        }
    }
}

inline void winograd_block(const WinogradJob& job, long index) {
    job.tiles.height == 2 ? winograd_block_of<2>(job, index) : winograd_block_of<4>(job, index);
}

// -- filters -----------------------------------------------------------------------------------

// Transform the filters of one channel of the target.
template <int rows>
inline void winograd_filters_of(const WinogradFiltersJob& job, long row) {
    const long frequency = job.target_channels * job.filter_step;
    float* to = job.filters + row * job.filter_step;
    Bits seen = {};
    for (long c = 0; c < job.filter_step; c += kLanes) {
        Vector<float> taps[9] = {}, half[3 * kReach<rows>], out[kFrequencies<rows>];
        const float* from = job.weight + row * job.target_step + c * job.source_step;
        const long count = smaller(kLanes, job.source_channels - c);
        for (long lane = 0; lane < count; ++lane, from += job.source_step)
            for (int i = 0; i < 9; ++i) taps[i][lane] = from[job.flipped ? 8 - i : i];
        for (const Vector<float>& each : taps) seen = largest_bits(seen, each);
        for (int j = 0; j < 3; ++j) TileOf<rows>::taps(taps + j, 3, half + j, 3);
        for (int i = 0; i < kReach<rows>; ++i) TileOf<2>::taps(half + 3 * i, 1, out + 4 * i, 1);
        for (int f = 0; f < kFrequencies<rows>; ++f) store(to + f * frequency + c, out[f]);
    }
    refuse_large(seen, job.refused);
}

inline void winograd_filters(const WinogradFiltersJob& job, long row) {
    job.tile_rows == 2 ? winograd_filters_of<2>(job, row) : winograd_filters_of<4>(job, row);
}

// -- the gradient by the filters -----------------------------------------------------------------

// Transform the elements of all tiles of a block, vectors of channels: [frequency][tile][channel].
template <int size>
inline void transform_by_channels(const WinogradGradientJob& job, const TileBlock& block,
                                  float* work, float* to) {
    constexpr int reach = kReach<size>, frequencies = reach * reach;
    const WinogradImages& images = job.source;
    const long width = whole_vectors(size * block.columns + 2);
    const long frequency = frequency_step(block.tiles() * job.filter_step);
    float* places = work + kLanes * width;  // [row][column][channel]
    Bits seen = {};
    for (long first = 0; first < images.channels; first += kLanes) {
        const long count = smaller(kLanes, images.channels - first);
        std::memset(work, 0, kLanes * width * sizeof(float));
        for (long n = 0; n < block.images; ++n) {
            const long number = (block.image + n) * images.channels + first;
            for (long r = 0; r < size * block.rows + 2; ++r) {
                for (long c = 0; c < count; ++c) {
                    const PaddedRow row =
                        padded_row(images, number + c, size * block.row + r - images.lead[0],
                                   size * block.column - images.lead[1], size * block.columns + 2);
                    for (long x = 0; x < width; x += kLanes) {
                        __builtin_prefetch(row.from + kRowsAhead * images.width + x);
                        const Vector<float> value = elements_of(row, x);
                        seen = largest_bits(seen, value);
                        store(work + c * width + x, value);
                    }
                }
                for (long x = 0; x < width; x += kLanes)
                    turn_square(work + x, width, places + (r * width + x) * kLanes, kLanes);
            }
            float* at = to + n * block.rows * block.columns * job.filter_step + first;
            for (long a = 0; a < block.rows; ++a)
                for (long b = 0; b < block.columns; ++b, at += job.filter_step) {
                    Vector<float> tile[frequencies];
                    const float* from = places + size * (a * width + b) * kLanes;
#pragma GCC unroll 6
                    for (int i = 0; i < reach; ++i)
#pragma GCC unroll 6
                        for (int j = 0; j < reach; ++j)
                            tile[reach * i + j] = load(from + (i * width + j) * kLanes);
#pragma GCC unroll 6
                    for (int j = 0; j < reach; ++j) TileOf<size>::elements(tile + j, reach);
#pragma GCC unroll 6
                    for (int i = 0; i < reach; ++i) TileOf<size>::elements(tile + reach * i, 1);
#pragma GCC unroll 36
                    for (int f = 0; f < frequencies; ++f) store(at + f * frequency, tile[f]);
                }
        }
    }
    refuse_large(seen, job.refused);
}

// Spread size vectors of neighbouring elements of a row, the columns of a tile apart.
template <int size>
inline void spread_columns(const Vector<float>* given, long plane, float* to) {
    if constexpr (size == 1) {
        store(to, given[0]);
    } else {
        Vector<float> even[size / 2], odd[size / 2];
        for (int i = 0; i < size / 2; ++i) {
            even[i] = every_second<0>(given[2 * i], given[2 * i + 1], kPlaces);
            odd[i] = every_second<1>(given[2 * i], given[2 * i + 1], kPlaces);
        }
        // of four columns, the even ones are 0 and 2, and the odd ones 1 and 3
        spread_columns<size / 2>(even, 2 * plane, to);
        spread_columns<size / 2>(odd, 2 * plane, to + plane);
    }
}

// Transform the gradient of all tiles and filters of a block: [frequency][filter][tile].
template <int size>
inline void transform_gradient(const WinogradGradientJob& job, const TileBlock& block, long step,
                               float* planes, float* to) {
    constexpr int reach = kReach<size>, frequencies = reach * reach;
    const WinogradImages& images = job.target;
    const long frequency = frequency_step(images.channels * step);
    const long tiles = block.rows * block.columns, plane = plane_size(block);
    Bits seen = {};
    for (long k = 0; k < images.channels; ++k)
        for (long n = 0; n < block.images; ++n) {
            const long channel = (block.image + n) * images.channels + k;
            for (long r = 0; r < size * block.rows; ++r) {
                const PaddedRow row = padded_row(images, channel, size * block.row + r,
                                                 size * block.column, size * block.columns);
                float* at = planes + r % size * size * plane + r / size * block.columns;
                for (long b = 0; b < block.columns; b += kLanes) {
                    Vector<float> given[size];
#pragma GCC unroll 4
                    for (int i = 0; i < size; ++i) {
                        const long x = size * b + i * kLanes;
                        __builtin_prefetch(row.from + kRowsAhead * images.width + x);
                        given[i] = elements_of(row, x);
                        seen = largest_bits(seen, given[i]);
                    }
                    spread_columns<size>(given, plane, at + b);
                }
            }
            for (long t = 0; t < tiles; t += kLanes) {
                Vector<float> g[size * size], half[size * reach], out[frequencies];
#pragma GCC unroll 16
                for (int i = 0; i < size * size; ++i) g[i] = load(planes + i * plane + t);
#pragma GCC unroll 4
                for (int j = 0; j < size; ++j) TileOf<size>::gradient(g + j, size, half + j, size);
#pragma GCC unroll 6
                for (int i = 0; i < reach; ++i)
                    TileOf<size>::gradient(half + size * i, 1, out + reach * i, 1);
                float* at = to + k * step + n * tiles + t;
#pragma GCC unroll 36
                for (int f = 0; f < frequencies; ++f) store(at + f * frequency, out[f]);
            }
        }
    refuse_large(seen, job.refused);
}

// Add the blocks of one share to its sums.
template <int size>
inline void winograd_share_of(const WinogradGradientJob& job, long share) {
    constexpr int frequencies = kReach<size> * kReach<size>;
    const long filters = job.target.channels, sums = filters * job.filter_step;
    float* partial = job.partial + share * frequencies * sums;
    const long blocks = job.tiles.blocks();
    for (long i = blocks * share / job.shares; i < blocks * (share + 1) / job.shares; ++i) {
        if (job.refused->load(std::memory_order_relaxed)) return;
        const TileBlock block = tile_block(job.tiles, i);
        const long tiles = block.tiles(), step = whole_vectors(tiles) + kLanes;
        const long width = whole_vectors(size * block.columns + 2);
        const long of_planes = size * size * plane_size(block);
        const long work = larger((size * block.rows + 3) * width * kLanes, of_planes);
        const long of_elements = frequency_step(tiles * job.filter_step);
        const long of_gradient = frequency_step(filters * step);
        float* elements =
            static_cast<float*>(scratch(0, frequencies * of_elements * sizeof(float)));
        float* gradient =
            static_cast<float*>(scratch(1, (frequencies * of_gradient + work) * sizeof(float)));
        float* working = gradient + frequencies * of_gradient;
        transform_by_channels<size>(job, block, working, elements);
        transform_gradient<size>(job, block, step, working, gradient);
        for (long f = 0; f < frequencies; ++f)
            for (long c = 0; c < job.filter_step; c += kPanelColumns)
                multiply_panel<false>(filters, {gradient + f * of_gradient, step},
                                      elements + f * of_elements + c, job.filter_step, tiles,
                                      {partial + f * sums + c, job.filter_step, nullptr, true,
                                       smaller(kPanelColumns, job.filter_step - c)});
    }
}

inline void winograd_share(const WinogradGradientJob& job, long share) {
    job.tiles.height == 2 ? winograd_share_of<2>(job, share) : winograd_share_of<4>(job, share);
}

// Add up the shares for one filter, and transform the sums into its gradient.
template <int size>
inline void winograd_to_filter_of(const WinogradGradientJob& job, long filter) {
    constexpr int reach = kReach<size>, frequencies = reach * reach;
    const long channels = job.source.channels;
    const long frequency = job.target.channels * job.filter_step;
    for (long c = 0; c < channels; c += kLanes) {
        Vector<float> sums[frequencies] = {}, half[3 * reach], out[9];
        for (long share = 0; share < job.shares; ++share)
            for (int f = 0; f < frequencies; ++f)
                sums[f] += load(job.partial + (share * frequencies + f) * frequency +
                                filter * job.filter_step + c);
        for (int j = 0; j < reach; ++j) TileOf<size>::products(sums + j, reach, half + j, reach);
        for (int i = 0; i < 3; ++i) TileOf<size>::products(half + reach * i, 1, out + 3 * i, 1);
        float* to = job.out + (filter * channels + c) * 9;
        for (long lane = 0; lane < smaller(kLanes, channels - c); ++lane)
            for (int i = 0; i < 9; ++i) *to++ = out[i][lane];
    }
}

inline void winograd_to_filter(const WinogradGradientJob& job, long filter) {
    job.tiles.height == 2 ? winograd_to_filter_of<2>(job, filter)
                          : winograd_to_filter_of<4>(job, filter);
}

}  // namespace
}  // namespace pellucid
