// Convolutions by Winograd's algorithm; see Note [Winograd] in winograd.hpp.
#pragma once

#include "kernels/convolution_plan.hpp"

namespace pellucid {

// Write the convolution of the source, or with `to_input` the gradient by the input, with a bias
// unless it is null. False, with the target arbitrary, where another algorithm is to do it: for
// other sizes than Winograd's, where it is slower, and for very large or infinite numbers.
bool convolve_by_winograd(const ConvolutionSizes& sizes, bool to_input, const float* source,
                          const float* weight, const float* bias, float* target);

// Whether the gradient by the filters is computed so.
bool suits_winograd_gradient(const ConvolutionSizes& sizes);

// Write the gradient by the filters; false as above.
bool correlate_by_winograd(const ConvolutionSizes& sizes, const float* input, const float* grad,
                           float* out);

}  // namespace pellucid
