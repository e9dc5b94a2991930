// What the compiled loops of convolutions of small images are given.
#pragma once

namespace pellucid {

// A tap of the filters that reaches an element of the source from a position of the target.
struct Reach {
    long tap, element;  // the element as a distance in the source
};

// How many channels of the target a part has, and how many filters one of the gradient by them,
// which is a multiple of what stays in registers.
constexpr long kTargetsTogether = 16, kFiltersTogether = 42;

// Source and target are laid out [channel][position][image], with whole vectors of images.
struct SmallImagesJob {
    const float* source;
    float* target;
    long images, positions;         // positions of the target
    long source_step, target_step;  // between channels
    long source_channels, target_channels;
    const float* weight;
    long taps, target_weight_step, source_weight_step;  // between channels; one of them is `taps`
    const long* firsts;  // where the reaches of a position begin; one more for the end of all
    const Reach* reaches;
};

// An element of the gradient and one of the input that a tap brings together, as distances.
struct Meeting {
    long gradient, element;
};

// The gradient by the filters: that of the result is laid out [filter][position][image], the input
// [position][image][channel], in whole vectors of channels.
struct SmallImagesGradientJob {
    const float *gradient, *input;
    float* out;  // [filter][channel][tap]
    bool adds;   // to what `out` holds
    long images, gradient_step, channel_step;
    long filters, channels, taps;
    const long* firsts;  // where the meetings of a tap begin; one more for the end of all
    const Meeting* meetings;
};

}  // namespace pellucid
