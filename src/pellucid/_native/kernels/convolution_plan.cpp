#include "kernels/convolution_plan.hpp"

#include <algorithm>

namespace pellucid {

ConvolutionPlan::ConvolutionPlan(const ConvolutionSizes& sizes, bool to_input, long item_size,
                                 long filters_at_once)
    : sizes_(sizes), to_input_(to_input), item_size_(item_size), filters_at_once_(filters_at_once) {
    job.groups = sizes.groups;
    job.source_channels = to_input ? sizes.filters : sizes.channels;
    job.target_channels = to_input ? sizes.channels : sizes.filters;
    job.planes = 1;
    Along made[kSpatial];
    for (int dim = 0; dim < kSpatial; ++dim) {
        job.source_size[dim] = to_input ? sizes.output[dim] : sizes.input[dim];
        job.target_size[dim] = to_input ? sizes.input[dim] : sizes.output[dim];
        made[dim] = to_input ? this->to_input(dim) : forward(dim);
        job.planes *= job.source_step[dim];
        job.plane_size[dim] = made[dim].phases.empty() ? 0 : made[dim].phases[0].count;
        job.plane_size[dim] += made[dim].reach;
    }
    divide(made[1].reach, job.source_channels * job.planes * job.plane_size[0] * job.plane_size[2]);
    if (job.images_at_once > 1) job.shared[1] = padding_at_both_ends(1, made[1].reach);
    job.shared[2] = padding_at_both_ends(2, made[2].reach);
    job.plane_size[1] = tiles_.empty() ? 0 : tiles_[0].rows + made[1].reach;
    list_blocks();
    for (const PhaseAlong& depth : made[0].phases)
        for (const PhaseAlong& height : made[1].phases)
            for (const PhaseAlong& width : made[2].phases) add_phase(depth, height, width);
    job.block_count = static_cast<long>(blocks_.size());
    job.phase_count = static_cast<long>(phases_.size());
    job.tiles = tiles_.data();
}

ConvolutionPlan::Along ConvolutionPlan::forward(int dim) {
    const long stride = sizes_.stride[dim];
    job.source_step[dim] = stride;
    job.target_step[dim] = 1;
    job.lead[dim] = sizes_.padding[dim];
    Along made;
    PhaseAlong phase{0, sizes_.output[dim], {}};
    for (long tap = 0; tap < sizes_.kernel[dim]; ++tap) {
        const long offset = tap * sizes_.dilation[dim];
        phase.taps.push_back({tap, offset % stride, offset / stride});
        made.reach = std::max(made.reach, offset / stride);
    }
    made.phases.push_back(phase);
    return made;
}

ConvolutionPlan::Along ConvolutionPlan::to_input(int dim) {
    const long stride = sizes_.stride[dim];
    job.source_step[dim] = 1;
    job.target_step[dim] = stride;
    job.lead[dim] = 0;
    Along made;
    for (long start = 0; start < std::min(stride, sizes_.input[dim]); ++start) {
        PhaseAlong phase{start, (sizes_.input[dim] - start + stride - 1) / stride, {}};
        for (long tap = 0; tap < sizes_.kernel[dim]; ++tap) {
            const long offset = start + sizes_.padding[dim] - tap * sizes_.dilation[dim];
            if (offset % stride != 0) continue;
            phase.taps.push_back({tap, 0, offset / stride});
            job.lead[dim] = std::max(job.lead[dim], -offset / stride);
        }
        made.phases.push_back(phase);
    }
    for (PhaseAlong& phase : made.phases)
        for (TapAlong& tap : phase.taps) {
            tap.shift += job.lead[dim];
            made.reach = std::max(made.reach, tap.shift);
        }
    return made;
}

// How many elements of padding every plane has in front as well as behind, up to the reach of the
// taps.
long ConvolutionPlan::padding_at_both_ends(int dim, long reach) const {
    const long step = job.source_step[dim], padded = job.lead[dim] + job.source_size[dim];
    // the last plane has the least in front, the first one the least behind
    const long in_front = job.lead[dim] / step, end = (padded + step - 1) / step;
    return std::min({reach, in_front, std::max(0L, job.plane_size[dim] - end)});
}

// Divide the images so that a tile's source stays in the second-level cache, and so that there are
// enough tiles to share among threads.
void ConvolutionPlan::divide(long reach, long row_items) {
    constexpr long kTileBytes = 192 << 10, kFewestTiles = 8, kFewestRows = 4;
    const long images = sizes_.images, rows = job.plane_size[1] - reach;
    const long row_bytes = std::max(1L, row_items * item_size_);
    const long fitting_images = kTileBytes / (row_bytes * std::max(1L, job.plane_size[1]));
    job.images_at_once = std::max(1L, std::min(fitting_images, images / kFewestTiles));
    long band = std::max(1L, rows);
    if (fitting_images == 0)
        band = std::min(band, std::max(kFewestRows, kTileBytes / row_bytes - reach));
    if (images < kFewestTiles)
        band = std::min(band, std::max(kFewestRows, rows * images / kFewestTiles));
    for (long image = 0; image < images; image += job.images_at_once)
        for (long row = 0; row < rows; row += band)
            tiles_.push_back({image, std::min(job.images_at_once, images - image), row,
                              std::min(band, rows - row)});
}

void ConvolutionPlan::add_phase(const PhaseAlong& depth, const PhaseAlong& height,
                                const PhaseAlong& width) {
    std::vector<long> distances, taps;
    for (long channel = 0; channel < job.source_channels; ++channel)
        for (const TapAlong& d : depth.taps)
            for (const TapAlong& h : height.taps)
                for (const TapAlong& w : width.taps) {
                    const long plane =
                        (d.plane * job.source_step[1] + h.plane) * job.source_step[2] + w.plane;
                    distances.push_back(channel * job.channel() + plane * job.plane() +
                                        d.shift * job.line() + h.shift * job.row() + w.shift);
                    taps.push_back((d.tap * sizes_.kernel[1] + h.tap) * sizes_.kernel[2] + w.tap);
                }
    Phase phase{};
    const PhaseAlong* parts[kSpatial] = {&depth, &height, &width};
    for (int dim = 0; dim < kSpatial; ++dim) {
        phase.start[dim] = parts[dim]->start;
        phase.count[dim] = parts[dim]->count;
    }
    phase.taps = static_cast<long>(taps.size());
    distances_.push_back(distances);
    taps_.push_back(taps);
    phases_.push_back(phase);
}

// Divide the target channels of a group among blocks of 8, 4, 2 and 1; a last block of one less is
// filled up with a filter of zeros.
void ConvolutionPlan::list_blocks() {
    for (long first = 0, left = job.target_channels; left > 0;) {
        long size = filters_at_once_;
        while (size > left + (size > 2)) size /= 2;
        const long used = std::min(size, left);
        blocks_.push_back({first, size, used, nullptr});
        first += used;
        left -= used;
    }
}

template <class T>
void ConvolutionPlan::pack(const T* weights) {
    const long taps = sizes_.taps();
    // between neighbouring target and source channels of the weights [filters, channels, taps]
    const long filter_step = sizes_.channels * taps;
    const long target_step = to_input_ ? taps : filter_step;
    const long source_step = to_input_ ? filter_step : taps;
    long padded = 0;
    for (const FilterBlock& block : blocks_) padded += block.size;
    for (size_t p = 0; p < phases_.size(); ++p) {
        const long count = phases_[p].taps;
        const long per_channel = std::max(1L, count / std::max(1L, job.source_channels));
        packed_.emplace_back((sizes_.groups * padded * count * sizeof(T) + 7) / sizeof(double));
        packed_blocks_.emplace_back();
        T* to = reinterpret_cast<T*>(packed_.back().data());
        for (long group = 0; group < sizes_.groups; ++group)
            for (FilterBlock block : blocks_) {
                block.weights = to;
                const T* from =
                    weights + group * sizes_.filters * filter_step + block.first * target_step;
                for (long t = 0; t < count; ++t, to += block.size)
                    for (long f = 0; f < block.used; ++f)
                        to[f] = from[f * target_step + t / per_channel * source_step + taps_[p][t]];
                packed_blocks_.back().push_back(block);
            }
    }
    for (size_t p = 0; p < phases_.size(); ++p) {
        phases_[p].distances = distances_[p].data();
        phases_[p].blocks = packed_blocks_[p].data();
    }
    job.phases = phases_.data();
}

template void ConvolutionPlan::pack(const float*);
template void ConvolutionPlan::pack(const double*);

}  // namespace pellucid
