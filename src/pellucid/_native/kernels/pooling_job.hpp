// What the loops of pooling are given.
#pragma once

#include "kernels/convolution_job.hpp"

namespace pellucid {

// Windows over [planes, depth, height, width].
struct PoolingJob {
    const void* source;
    void* target;
    long long* indices;  // of max pooling, within a plane
    long planes, planes_at_once;
    long input[kSpatial], output[kSpatial];
    long kernel[kSpatial], stride[kSpatial], padding[kSpatial], dilation[kSpatial];
    bool counts_padding;  // whether averages are over the padding too
    double divisor;       // of averages; 0 for the size of the window

    long input_area() const { return input[0] * input[1] * input[2]; }
    long output_area() const { return output[0] * output[1] * output[2]; }
};

}  // namespace pellucid
