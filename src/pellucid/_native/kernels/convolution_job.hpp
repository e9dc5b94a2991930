// What the compiled loops of a convolution are given: plain sizes and addresses.
#pragma once

namespace pellucid {

constexpr int kSpatial = 3;  // depth, height, width; absent dimensions have size one

// A part of the result: some whole images, or a band of rows of one image.
struct Tile {
    long first_image, images, first_row, rows;
};

// Filters that are computed together; `weights` is laid out [tap][size].
struct FilterBlock {
    long first, size, used;
    const void* weights;
};

// The positions `start + i * target_step`, i < count, of the result, and what they add up.
struct Phase {
    long start[kSpatial], count[kSpatial];
    long taps;
    const long* distances;      // of each tap within a line of planes
    const FilterBlock* blocks;  // `groups` times `block_count`
};

struct ConvolutionJob {
    const void* source;
    const void* bias;  // one per target channel, or null
    void* target;
    long groups, source_channels, target_channels;  // channels of one group
    long source_size[kSpatial], target_size[kSpatial];
    long source_step[kSpatial], target_step[kSpatial], lead[kSpatial];
    // Planes are laid out [channel][plane][depth][image][row][column]. What rows have of padding at
    // both ends, neighbouring rows share, and so do images: they lie closer than their size.
    long planes, plane_size[kSpatial], shared[kSpatial], images_at_once;
    long phase_count, block_count;
    const Phase* phases;
    const Tile* tiles;

    long row() const { return plane_size[2] - shared[2]; }
    long image_rows() const { return plane_size[1] - shared[1]; }
    long line() const { return images_at_once * image_rows() * row(); }
    long plane() const { return plane_size[0] * line(); }
    long channel() const { return planes * plane(); }
};

struct FilterGradientJob {
    const void* grad;
    const void* input;
    void* partial;  // [share][group][channel, tap][padded filters], zeros
    long images, shares;
    long groups, channels, filters, padded_filters;
    long input_size[kSpatial], output_size[kSpatial], kernel[kSpatial];
    long stride[kSpatial], padding[kSpatial], dilation[kSpatial];
    long rows_at_once;
    bool narrow;  // so few filters that vectors of positions are quicker than vectors of filters

    long taps() const { return kernel[0] * kernel[1] * kernel[2]; }
};

}  // namespace pellucid
