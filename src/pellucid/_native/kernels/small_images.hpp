// The inner loops of convolutions of small images; see Note [Convolution of small images].
#pragma once

#include "kernels/small_images_job.hpp"
#include "kernels/vectors.hpp"

namespace pellucid {
namespace {

// How many channels of the target stay in registers, a vector of images each.
constexpr int kTargetsInRegisters = REGISTERS == 32 ? 16 : 8;

// How many filters' gradients do, two vectors of channels each.
constexpr int kFiltersInRegisters = REGISTERS == 32 ? 14 : 6;

// The weights of a part's channels of the target and of some channels of the source, copied, since
// rows that are powers of two apart would share lines of the first cache.
struct LaidWeights {
    const float* first;
    long target_step, source_step;
};

constexpr long kSourcesAtOnce = 32;

inline LaidWeights lay_out_weights(const SmallImagesJob& job, long target, long targets,
                                   long source, long sources) {
    const long taps = job.taps, size = kTargetsTogether * kSourcesAtOnce * taps;
    float* to = static_cast<float*>(scratch(2, size * sizeof(float)));
    const float* from =
        job.weight + target * job.target_weight_step + source * job.source_weight_step;
    const bool by_target = job.source_weight_step == taps;
    const long rows = by_target ? kTargetsTogether : sources;
    const long there = by_target ? targets : sources;
    const long length = (by_target ? sources : targets) * taps;
    const long from_step = by_target ? job.target_weight_step : job.source_weight_step;
    const long to_step = (by_target ? kSourcesAtOnce : kTargetsTogether) * taps;
    for (long row = 0; row < rows; ++row) {
        const long copied = row < there ? length : 0;
        std::memcpy(to + row * to_step, from + row * from_step, copied * sizeof(float));
        std::memset(to + row * to_step + copied, 0, (to_step - copied) * sizeof(float));
    }
    return {to, by_target ? to_step : taps, by_target ? taps : to_step};
}

// What a position adds up: some channels of the source, from a vector of images on.
struct Reached {
    const float* source;
    long step, channels;
    const Reach *begin, *end;
};

// Not inlined, so that the addresses have the registers for themselves.
template <int R>
__attribute__((noinline)) void add_reached(const LaidWeights& weights, const Reached& reached,
                                           long count, float* out, long out_step, bool adds) {
    Vector<float> sums[R] = {};
    const long step = weights.target_step;
    for (const Reach* reach = reached.begin; reach < reached.end; ++reach) {
        const float* at = reached.source + reach->element;
        // every third row has an address of its own, the others lie one and two steps behind
        const float* thirds[(R + 2) / 3];
        for (int i = 0; i < (R + 2) / 3; ++i) thirds[i] = weights.first + reach->tap + 3 * i * step;
        for (long k = 0; k < reached.channels; ++k, at += reached.step) {
            const Vector<float> value = load(at);
#pragma GCC unroll 16
            for (int r = 0; r < R; ++r) sums[r] += thirds[r / 3][r % 3 * step] * value;
#pragma GCC unroll 8
            for (int i = 0; i < (R + 2) / 3; ++i) thirds[i] += weights.source_step;
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r)
        if (r < count)
            store(out + r * out_step, adds ? load(out + r * out_step) + sums[r] : sums[r]);
}

// Compute the part's channels of the target.
inline void convolve_small_images(const SmallImagesJob& job, long part) {
    constexpr int together = kTargetsInRegisters;
    const long first = part * kTargetsTogether;
    const long targets = smaller(kTargetsTogether, job.target_channels - first);
    for (long begin = 0; begin < job.source_channels; begin += kSourcesAtOnce) {
        const long sources = smaller(kSourcesAtOnce, job.source_channels - begin);
        const LaidWeights weights = lay_out_weights(job, first, targets, begin, sources);
        const float* source = job.source + begin * job.source_step;
        for (long p = 0; p < job.positions; ++p)
            for (long image = 0; image < job.images; image += VectorOf<float>::size) {
                const Reached reached{source + image, job.source_step, sources,
                                      job.reaches + job.firsts[p], job.reaches + job.firsts[p + 1]};
                for (long t = 0; t < targets; t += together) {
                    float* out =
                        job.target + (first + t) * job.target_step + p * job.images + image;
                    const LaidWeights own{weights.first + t * weights.target_step,
                                          weights.target_step, weights.source_step};
                    add_reached<together>(own, reached, targets - t, out, job.target_step,
                                          begin > 0);
                }
            }
    }
}

// Add up some meetings of a tap for some filters and two vectors of channels.
template <int R>
__attribute__((noinline)) void add_meetings(const SmallImagesGradientJob& job, long begin, long end,
                                            const float* gradient, const float* input, float* out) {
    constexpr int size = VectorOf<float>::size;
    Vector<float> sums[R][2] = {};
    const long step = job.gradient_step;
    for (long m = begin; m < end; ++m) {
        const float* at = input + job.meetings[m].element;
        const float* thirds[(R + 2) / 3];
        for (int i = 0; i < (R + 2) / 3; ++i)
            thirds[i] = gradient + job.meetings[m].gradient + 3 * i * step;
        for (long image = 0; image < job.images; ++image, at += job.channel_step) {
            const Vector<float> first = load(at), second = load(at + size);
#pragma GCC unroll 16
            for (int r = 0; r < R; ++r) {
                const float factor = thirds[r / 3][r % 3 * step];
                sums[r][0] += factor * first;
                sums[r][1] += factor * second;
            }
#pragma GCC unroll 8
            for (int i = 0; i < (R + 2) / 3; ++i) ++thirds[i];
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r)
        for (int v = 0; v < 2; ++v) {
            float* to = out + (2 * r + v) * size;
            store(to, load(to) + sums[r][v]);
        }
}

// Write the gradients of some filters. Those past the end are computed from what lies there.
inline void correlate_filters(const SmallImagesGradientJob& job, long first) {
    constexpr int size = VectorOf<float>::size, together = kFiltersInRegisters;
    constexpr long width = 2 * size, tile = together * width;
    const long filters = smaller(together, job.filters - first);
    // so many terms are added up in one go
    constexpr long kTogether = 256;
    const long at_once = larger(1, kTogether / job.images);
    float* sums = static_cast<float*>(scratch(2, job.taps * tile * sizeof(float)));
    for (long c = 0; c < job.channels; c += width) {
        std::memset(sums, 0, job.taps * tile * sizeof(float));
        for (long tap = 0; tap < job.taps; ++tap)
            for (long m = job.firsts[tap]; m < job.firsts[tap + 1]; m += at_once)
                add_meetings<together>(job, m, smaller(m + at_once, job.firsts[tap + 1]),
                                       job.gradient + first * job.gradient_step, job.input + c,
                                       sums + tap * tile);
        const long channels = smaller(width, job.channels - c);
        for (long f = 0; f < filters; ++f) {
            float* to = job.out + ((first + f) * job.channels + c) * job.taps;
            for (long tap = 0; tap < job.taps; ++tap)
                for (long i = 0; i < channels; ++i) {
                    const float sum = sums[tap * tile + f * width + i];
                    float* at = to + i * job.taps + tap;
                    *at = job.adds ? *at + sum : sum;
                }
        }
    }
}

inline void correlate_small_images(const SmallImagesGradientJob& job, long part) {
    const long begin = part * kFiltersTogether;
    const long end = smaller(job.filters, begin + kFiltersTogether);
    for (long first = begin; first < end; first += kFiltersInRegisters)
        correlate_filters(job, first);
}

}  // namespace
}  // namespace pellucid
