// Convolutions of small images.
//
// Note [Convolution of small images]
// Images of a few elements have rows shorter than a vector, and many of the taps of their filters
// see nothing but padding: 5 of 9 at images of 2 × 2, 11 of 36 at 4 × 4. So vectors hold images:
// the source is turned to [channel][position][image], and each position of the target adds up the
// taps that reach an element from there, weight by weight times a vector of images. Weights are
// read as they lie, a block of channels at a time. The gradient by the input is the same with the
// reaches and the channels the other way round. In the gradient by the filters vectors hold
// channels: each tap adds up, over the images and over the places that it brings together, an
// element of the gradient times a vector of channels of the input.
#pragma once

#include "kernels/convolution_plan.hpp"

namespace pellucid {

// Whether convolutions of such sizes, or their gradients by the filters, are computed so.
bool suits_small_images(const ConvolutionSizes& sizes, bool to_weight);

// Write the convolution of the source, or with `to_input` the gradient by the input, with a bias
// unless it is null.
void convolve_small_images(const ConvolutionSizes& sizes, bool to_input, const float* source,
                           const float* weight, const float* bias, float* target);

// Write the gradient by the filters.
void correlate_small_images(const ConvolutionSizes& sizes, const float* grad, const float* input,
                            float* out);

}  // namespace pellucid
