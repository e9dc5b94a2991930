// What the compiled loops of convolutions by Winograd are given.
#pragma once

#include <atomic>

namespace pellucid {

// Tiles of height × width results, and how they are divided into blocks: a block has some images,
// rows of tiles and columns of tiles. Only the sizes decide.
struct WinogradTiles {
    long height, width;
    long images, rows, columns;                    // of the whole
    long block_images, block_rows, block_columns;  // of a block
    long images_of_blocks, rows_of_blocks, columns_of_blocks;

    // How many numbers a tile is transformed into.
    long frequencies() const { return (height + 2) * (width + 2); }
    long blocks() const { return images_of_blocks * rows_of_blocks * columns_of_blocks; }
    long tiles_of_block() const { return block_images * block_rows * block_columns; }
};

// Images [images, channels, height, width], of which `lead` zeros lie before each row and column.
struct WinogradImages {
    float* data;
    long count, channels, height, width;
    long lead[2];

    long size() const { return count * channels * height * width; }
};

struct WinogradJob {
    WinogradTiles tiles;
    WinogradImages source, target;
    const float* bias;  // one for each channel of the target, or null
    // transformed: [frequency][target channel][source channel], `filter_step` apart
    float* filters;
    long filter_step;
    // Set where a number is so large, or none, that sums of several must not meet it.
    std::atomic<bool>* refused;
};

// Filters [target channels, source channels, 3, 3] to be transformed, by rows of the target.
struct WinogradFiltersJob {
    const float* weight;
    long target_channels, source_channels;
    long target_step, source_step;  // between the filters of neighbouring channels
    bool flipped;
    long tile_rows;  // of tiles of two columns
    float* filters;
    long filter_step;
    std::atomic<bool>* refused;
};

// The gradient by the filters: `source` are the images, `target` the gradient of the result.
struct WinogradGradientJob {
    WinogradTiles tiles;
    WinogradImages source, target;
    long shares;
    // [share][frequency][target channel][source channel], `filter_step` apart, zeros
    float* partial;
    long filter_step;
    float* out;  // [target channel][source channel][9]
    std::atomic<bool>* refused;
};

}  // namespace pellucid
