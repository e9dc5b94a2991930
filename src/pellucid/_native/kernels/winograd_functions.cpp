#include "kernels/winograd_functions.hpp"

#include <algorithm>

#include "kernels/arguments.hpp"
#include "kernels/scratch.hpp"

namespace pellucid {
namespace {

constexpr int kHeight = 1, kWidth = 2;  // among the spatial dimensions
long lanes() { return kernels().vector_bytes / static_cast<long>(sizeof(float)); }

long divided(long count, long by) { return (count + by - 1) / by; }

long whole_vectors(long count) { return divided(count, lanes()) * lanes(); }

// Whether filters of 3 × 3 pass over all places of images, next to no more zeros than they reach.
bool is_winograds(const ConvolutionSizes& c) {
    for (int dim : {kHeight, kWidth}) {
        if (c.kernel[dim] != 3 || c.stride[dim] != 1 || c.dilation[dim] != 1 || c.padding[dim] > 2)
            return false;
    }
    return c.groups == 1 && c.images > 0 && c.input[0] == 1 && c.kernel[0] == 1 &&
           c.padding[0] == 0 && c.stride[0] == 1 && c.output[0] == 1;
}

// How many places of vectors an image takes up in blocks of so many rows of tiles.
long places_of_blocks(long columns, long rows, long block_rows) {
    return rows / block_rows * whole_vectors(block_rows * columns) +
           whole_vectors(rows % block_rows * columns);
}

// How many rows of tiles of so many columns a block has, up to `most` tiles: as many as leave the
// fewest places of vectors empty, in all blocks of an image. Up to twice as many tiles are taken
// where that saves more than reading from beyond half of the second cache costs.
long rows_of_block(long columns, long rows, long most) {
    const auto places = [&](long count) { return places_of_blocks(columns, rows, count); };
    const long fitting = std::max(1L, std::min(rows, most / columns));
    long best = fitting;
    for (long count = fitting - 1; count > 0; --count)
        if (places(count) < places(best)) best = count;
    const long at_most = std::min(rows, 2 * most / columns);
    for (long count = fitting + 1; count <= at_most; ++count)
        if (8 * places(count) < 7 * places(best)) best = count;
    return best;
}

// Divide the tiles of results of this size so that what a block reads of all channels stays in the
// second cache, and so that there are some blocks for threads to share.
WinogradTiles tiles_of(WinogradTiles t, long images, long height, long width, long channels) {
    constexpr long kFewest = 32, kMost = 128, kFewestBlocks = 8;
    const long bytes = kernels().vector_bytes >= 64 ? 384 << 10 : 192 << 10;
    const long each = t.frequencies() * static_cast<long>(sizeof(float)) * std::max(1L, channels);
    const long most = std::clamp(bytes / each, kFewest, kMost);
    t.images = images;
    t.rows = divided(height, t.height);
    t.columns = divided(width, t.width);
    t.block_columns = divided(t.columns, divided(t.columns, most));
    t.block_rows = rows_of_block(t.block_columns, t.rows, most);
    t.block_images = 1;
    if (t.block_columns == t.columns && t.block_rows == t.rows) {
        const long fitting = std::max(1L, most / (t.rows * t.columns));
        t.block_images = std::max(1L, std::min(fitting, images / kFewestBlocks));
    }
    t.images_of_blocks = divided(images, t.block_images);
    t.rows_of_blocks = divided(t.rows, t.block_rows);
    t.columns_of_blocks = divided(t.columns, t.block_columns);
    return t;
}

WinogradImages images_of(float* data, long count, long channels, const long* size) {
    return {data, count, channels, size[kHeight], size[kWidth], {0, 0}};
}

// The bounds were measured; see docs/performance.md. Fewer channels do not pay for the transforms,
// and smaller images leave vectors of tiles half empty.
bool pays(const ConvolutionSizes& c) {
    constexpr long kFewestChannels = 16, kFewestTiles = 16;
    const long tiles = divided(c.output[kHeight], 2) * divided(c.output[kWidth], 2);
    return kernels().vector_bytes >= 32 && std::min(c.channels, c.filters) >= kFewestChannels &&
           tiles >= kFewestTiles;
}

WinogradTiles tiles_of_size(long height, long width) {
    WinogradTiles t{};
    t.height = height;
    t.width = width;
    return t;
}

long tiles_over(const WinogradTiles& t, const long* size) {
    return divided(size[kHeight], t.height) * divided(size[kWidth], t.width);
}

long multiplications_over(const WinogradTiles& t, const long* size) {
    return t.frequencies() * tiles_over(t, size);
}

// The tiles of results: of four rows where that leaves fewer multiplications, and sums of so many
// channels are exact enough.
WinogradTiles tiles_of_results(const long* size, long channels) {
    constexpr long kMostChannels = 128;
    const WinogradTiles two = tiles_of_size(2, 2), four = tiles_of_size(4, 2);
    const bool fewer = multiplications_over(four, size) < multiplications_over(two, size);
    return fewer && channels <= kMostChannels ? four : two;
}

// The tiles of the gradient by the filters: of 4 × 4 where that leaves fewer multiplications, by
// as much as its transforms cost, fills vectors of tiles, and leaves the sums in the second cache.
// Of few tiles a direct sum is short, and so exact that only tiles of 2 × 2 keep up with it.
WinogradTiles tiles_of_gradient(const ConvolutionSizes& c) {
    constexpr long kFewestTiles = 16, kFewestOfAll = 100, kMostFilters = 64 * 96;
    const WinogradTiles two = tiles_of_size(2, 2), four = tiles_of_size(4, 4);
    const long tiles = tiles_over(four, c.output);
    const bool fewer =
        5 * multiplications_over(four, c.output) < 4 * multiplications_over(two, c.output);
    const bool suits = tiles >= kFewestTiles && c.images * tiles >= kFewestOfAll &&
                       c.channels * c.filters <= kMostFilters;
    return fewer && suits ? four : two;
}

}  // namespace

bool convolve_by_winograd(const ConvolutionSizes& sizes, bool to_input, const float* source,
                          const float* weight, const float* bias, float* target) {
    if (!is_winograds(sizes) || !pays(sizes)) return false;
    const long *from = to_input ? sizes.output : sizes.input,
               *to = to_input ? sizes.input : sizes.output;
    const long channels = to_input ? sizes.filters : sizes.channels;
    const long filters = to_input ? sizes.channels : sizes.filters;
    const WinogradTiles tiles = tiles_of_results(to, channels);
    std::atomic<bool> refused{false};
    WinogradFiltersJob by_filter{};
    by_filter.weight = weight;
    by_filter.target_channels = filters;
    by_filter.source_channels = channels;
    by_filter.target_step = to_input ? 9 : 9 * channels;
    by_filter.source_step = to_input ? 9 * filters : 9;
    by_filter.flipped = to_input;
    by_filter.tile_rows = tiles.height;
    by_filter.refused = &refused;
    // rows that are powers of two apart would share lines of the first cache
    by_filter.filter_step = whole_vectors(channels);
    if (by_filter.filter_step % 256 == 0) by_filter.filter_step += lanes();
    by_filter.filters = static_cast<float*>(
        scratch(4, tiles.frequencies() * filters * by_filter.filter_step * sizeof(float)));
    run_parts(filters, kernels().winograd_filters, by_filter);

    WinogradJob job{};
    job.tiles = tiles_of(tiles, sizes.images, to[kHeight], to[kWidth], channels);
    job.source = images_of(const_cast<float*>(source), sizes.images, channels, from);
    job.target = images_of(target, sizes.images, filters, to);
    for (int i = 0; i < 2; ++i) {
        const long padding = sizes.padding[kHeight + i];
        job.source.lead[i] = to_input ? 2 - padding : padding;
    }
    job.bias = bias;
    job.filters = by_filter.filters;
    job.filter_step = by_filter.filter_step;
    job.refused = &refused;
    run_parts(job.tiles.blocks(), kernels().winograd_block, job);
    return !refused.load();
}

bool suits_winograd_gradient(const ConvolutionSizes& sizes) {
    // the sums of all filters are gone through once for each block of tiles
    constexpr long kMostFilters = 128 * 128;
    return is_winograds(sizes) && pays(sizes) && sizes.channels * sizes.filters <= kMostFilters;
}

bool correlate_by_winograd(const ConvolutionSizes& sizes, const float* input, const float* grad,
                           float* out) {
    // sums of all shares that fit the second cache together are not read from beyond it each time
    constexpr long kMostShares = 8, kPartialItems = 1 << 19;
    std::atomic<bool> refused{false};
    WinogradGradientJob job{};
    job.tiles = tiles_of(tiles_of_gradient(sizes), sizes.images, sizes.output[kHeight],
                         sizes.output[kWidth], sizes.channels + sizes.filters);
    job.source = images_of(const_cast<float*>(input), sizes.images, sizes.channels, sizes.input);
    job.target = images_of(const_cast<float*>(grad), sizes.images, sizes.filters, sizes.output);
    for (int i = 0; i < 2; ++i) job.source.lead[i] = sizes.padding[kHeight + i];
    job.filter_step = whole_vectors(sizes.channels);
    const long size = job.tiles.frequencies() * sizes.filters * job.filter_step;
    job.shares = std::max(1L, std::min({kMostShares, kPartialItems / size, job.tiles.blocks()}));
    float* partial = static_cast<float*>(scratch(4, job.shares * size * sizeof(float)));
    std::fill(partial, partial + job.shares * size, 0.0f);
    job.partial = partial;
    job.out = out;
    job.refused = &refused;
    run_parts(job.shares, kernels().winograd_share, job);
    if (refused.load()) return false;
    run_parts(sizes.filters, kernels().winograd_to_filter, job);
    return true;
}

}  // namespace pellucid
