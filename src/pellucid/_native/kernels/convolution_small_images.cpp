#include "kernels/convolution_small_images.hpp"

#include <algorithm>
#include <vector>

#include "kernels/pieces.hpp"
#include "kernels/scratch.hpp"

namespace pellucid {
namespace {

long area_of(const long* size) { return size[0] * size[1] * size[2]; }

long lanes() { return kernels().vector_bytes / static_cast<long>(sizeof(float)); }

long whole_vectors(long count) { return (count + lanes() - 1) / lanes() * lanes(); }

// Calls body(output, tap, input) for all positions and elements that a tap brings together.
template <class Body>
void for_meetings(const ConvolutionSizes& c, const Body& body) {
    for (long output = 0; output < area_of(c.output); ++output)
        for (long tap = 0; tap < c.taps(); ++tap) {
            long input = 0, size = 1, rest = output, tap_rest = tap;
            bool inside = true;
            for (int dim = kSpatial - 1; dim >= 0; --dim) {
                const long at = rest % c.output[dim] * c.stride[dim] - c.padding[dim] +
                                tap_rest % c.kernel[dim] * c.dilation[dim];
                inside = inside && at >= 0 && at < c.input[dim];
                input += at * size;
                size *= c.input[dim];
                rest /= c.output[dim];
                tap_rest /= c.kernel[dim];
            }
            if (inside) body(output, tap, input);
        }
}

// The reaches of all positions of the target, one position after the other.
struct Reaches {
    std::vector<long> firsts;
    std::vector<Reach> all;

    Reaches(const ConvolutionSizes& c, bool to_input, long images) {
        std::vector<std::vector<Reach>> of(area_of(to_input ? c.input : c.output));
        for_meetings(c, [&](long output, long tap, long input) {
            of[to_input ? input : output].push_back({tap, (to_input ? output : input) * images});
        });
        for (const std::vector<Reach>& each : of) {
            firsts.push_back(static_cast<long>(all.size()));
            all.insert(all.end(), each.begin(), each.end());
        }
        firsts.push_back(static_cast<long>(all.size()));
    }
};

// Images [image][channel][position], and their copy [channel][position][image].
struct Turned {
    long channels, area, images, lanes;  // whole vectors of images have so many lanes

    // channels that are whole pages apart would share lines of the first cache
    long step() const { return area * lanes + (area * lanes % 1024 == 0 ? 16 : 0); }

    template <class Body>
    void for_channels(const Body& body) const {
        in_pieces(channels, units_at_once(area * lanes), [&](long begin, long end) {
            for (long channel = begin; channel < end; ++channel)
                for (long image = 0; image < images; ++image)
                    body(channel, channel * step() + image, (image * channels + channel) * area);
        });
    }

    void turn(const float* from, float* to) const {
        if (lanes > images) std::fill(to, to + channels * step(), 0.0f);
        for_channels([&](long, long at, long begin) {
            for (long p = 0; p < area; ++p) to[at + p * lanes] = from[begin + p];
        });
    }

    void turn_back(const float* from, const float* bias, float* to) const {
        for_channels([&](long channel, long at, long begin) {
            const float added = bias != nullptr ? bias[channel] : 0;
            for (long p = 0; p < area; ++p) to[begin + p] = from[at + p * lanes] + added;
        });
    }
};

float* memory(int slot, const Turned& turned) {
    return static_cast<float*>(scratch(slot, turned.channels * turned.step() * sizeof(float)));
}

}  // namespace

// The bounds were measured; see docs/performance.md.
bool suits_small_images(const ConvolutionSizes& c, bool to_weight) {
    constexpr long kFewestChannels = 64, kMostPositions = 64, kFewestPositions = 4;
    const long area = area_of(c.output);
    return kernels().vector_bytes >= 32 && c.groups == 1 && c.taps() > 1 &&
           std::min(c.channels, c.filters) >= kFewestChannels && area >= kFewestPositions &&
           area <= kMostPositions && area_of(c.input) <= 4 * kMostPositions && c.images > 0 &&
           (to_weight || 4 * whole_vectors(c.images) <= 5 * c.images);
}

void convolve_small_images(const ConvolutionSizes& c, bool to_input, const float* source,
                           const float* weight, const float* bias, float* target) {
    constexpr long kElementsAtOnce = 1 << 19;
    Turned from{c.channels, area_of(c.input), 0, 0}, to{c.filters, area_of(c.output), 0, 0};
    if (to_input) std::swap(from, to);
    const long largest = std::max(from.channels * from.area, to.channels * to.area);
    const long at_once = std::max(1L, kElementsAtOnce / largest / lanes()) * lanes();
    SmallImagesJob job{};
    job.source_channels = from.channels;
    job.target_channels = to.channels;
    job.positions = to.area;
    job.weight = weight;
    job.taps = c.taps();
    const long step = c.channels * job.taps;
    job.target_weight_step = to_input ? job.taps : step;
    job.source_weight_step = to_input ? step : job.taps;
    for (long first = 0; first < c.images; first += at_once) {
        from.images = to.images = std::min(at_once, c.images - first);
        from.lanes = to.lanes = job.images = whole_vectors(from.images);
        const Reaches reaches(c, to_input, job.images);
        job.firsts = reaches.firsts.data();
        job.reaches = reaches.all.data();
        float* turned = memory(0, from);
        from.turn(source + first * from.channels * from.area, turned);
        job.source = turned;
        job.source_step = from.step();
        job.target = memory(1, to);
        job.target_step = to.step();
        run_parts((to.channels + kTargetsTogether - 1) / kTargetsTogether,
                  kernels().convolve_small_images, job);
        to.turn_back(job.target, bias, target + first * to.channels * to.area);
    }
}

namespace {

// The meetings of all taps, one tap after the other.
struct Meetings {
    std::vector<long> firsts;
    std::vector<Meeting> all;

    Meetings(const ConvolutionSizes& c, long gradient_step, long input_step) {
        std::vector<std::vector<Meeting>> of(c.taps());
        for_meetings(c, [&](long output, long tap, long input) {
            of[tap].push_back({output * gradient_step, input * input_step});
        });
        for (const std::vector<Meeting>& each : of) {
            firsts.push_back(static_cast<long>(all.size()));
            all.insert(all.end(), each.begin(), each.end());
        }
        firsts.push_back(static_cast<long>(all.size()));
    }
};

// Copy images [image][channel][position] to [position][image][channel], where images lie `step`
// apart, a line of the cache at a time.
void turn_channels(const float* from, long images, long channels, long area, long step, float* to) {
    constexpr long kLine = 16;
    in_pieces(images, units_at_once(channels * area), [&](long begin, long end) {
        for (long image = begin; image < end; ++image)
            for (long first = 0; first < channels; first += kLine) {
                const long count = std::min(kLine, channels - first);
                const float* each = from + (image * channels + first) * area;
                for (long p = 0; p < area; ++p)
                    for (long i = 0; i < count; ++i)
                        to[(p * images + image) * step + first + i] = each[i * area + p];
            }
    });
}

}  // namespace

void correlate_small_images(const ConvolutionSizes& c, const float* grad, const float* input,
                            float* out) {
    constexpr long kElementsAtOnce = 1 << 19;
    const long area = area_of(c.output), input_area = area_of(c.input);
    const long largest = std::max(c.channels * input_area, c.filters * area);
    const long at_once = std::max(1L, kElementsAtOnce / largest);
    SmallImagesGradientJob job{};
    job.out = out;
    job.filters = c.filters;
    job.channels = c.channels;
    job.taps = c.taps();
    job.channel_step = (c.channels + 2 * lanes() - 1) / (2 * lanes()) * 2 * lanes();
    for (long first = 0; first < c.images; first += at_once) {
        job.images = std::min(at_once, c.images - first);
        job.adds = first > 0;
        const Meetings meetings(c, job.images, job.images * job.channel_step);
        job.firsts = meetings.firsts.data();
        job.meetings = meetings.all.data();
        Turned gradient{c.filters, area, job.images, job.images};
        job.gradient_step = gradient.step();
        const long parts = (c.filters + kFiltersTogether - 1) / kFiltersTogether;
        gradient.channels = parts * kFiltersTogether;  // those past the end are read too
        float* turned = memory(0, gradient);
        gradient.channels = c.filters;
        gradient.turn(grad + first * c.filters * area, turned);
        job.gradient = turned;
        float* elements = static_cast<float*>(
            scratch(1, input_area * job.images * job.channel_step * sizeof(float)));
        turn_channels(input + first * c.channels * input_area, job.images, c.channels, input_area,
                      job.channel_step, elements);
        job.input = elements;
        run_parts(parts, kernels().correlate_small_images, job);
    }
}

}  // namespace pellucid
