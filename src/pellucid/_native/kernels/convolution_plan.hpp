// How a convolution is divided into lines of positions and taps.
//
// Note [Convolution without im2col]
// The source image is copied once, with its padding, into planes. All positions of the result that
// lie on rows of these planes are then numbered in one line, across rows and images, and every tap
// of a filter is a constant distance in that line. The inner loop is a matrix product whose right
// factor is read at shifted addresses: for a tile of filters times a few vectors of positions,
// sums[f][p] += weights[tap][f] * plane[distances[tap] + p]. Positions past the end of a row are
// computed too and not stored; where rows are whole vectors, there are none.
//
// A stride s is taken up by s planes per dimension, of which plane q holds elements q, q + s, ...;
// the gradient of the input is the same loop from the gradient of the output, once for each of the
// s phases of the input's positions, with the taps that reach this phase.
#pragma once

#include <vector>

#include "kernels/convolution_job.hpp"

namespace pellucid {

struct ConvolutionSizes {
    long images, groups;
    long channels, filters;  // of one group
    long input[kSpatial], output[kSpatial], kernel[kSpatial];
    long stride[kSpatial], padding[kSpatial], dilation[kSpatial];

    long taps() const { return kernel[0] * kernel[1] * kernel[2]; }
};

// A job with the memory that it points to. It must not be copied or moved.
class ConvolutionPlan {
  public:
    ConvolutionPlan(const ConvolutionSizes& sizes, bool to_input, long item_size,
                    long filters_at_once);
    ConvolutionPlan(const ConvolutionPlan&) = delete;
    ConvolutionPlan& operator=(const ConvolutionPlan&) = delete;

    // Lay out the filters [filter, channel, taps] for the inner loop.
    template <class T>
    void pack(const T* weights);

    long tile_count() const { return static_cast<long>(tiles_.size()); }

    ConvolutionJob job{};

  private:
    // One tap of a filter along one dimension: which source plane it reads, and how far along.
    struct TapAlong {
        long tap, plane, shift;
    };
    struct PhaseAlong {
        long start, count;
        std::vector<TapAlong> taps;
    };
    struct Along {
        std::vector<PhaseAlong> phases;
        long reach = 0;  // the largest shift
    };

    Along forward(int dim);
    Along to_input(int dim);
    long padding_at_both_ends(int dim, long reach) const;
    void divide(long reach, long row_items);
    void add_phase(const PhaseAlong& depth, const PhaseAlong& height, const PhaseAlong& width);
    void list_blocks();

    ConvolutionSizes sizes_;
    bool to_input_;
    long item_size_, filters_at_once_;
    std::vector<Tile> tiles_;
    std::vector<Phase> phases_;
    std::vector<std::vector<long>> distances_;
    std::vector<std::vector<long>> taps_;  // which weight, of one channel and filter, each is
    std::vector<FilterBlock> blocks_;      // of one group
    std::vector<std::vector<FilterBlock>> packed_blocks_;
    std::vector<std::vector<double>> packed_;
};

}  // namespace pellucid
