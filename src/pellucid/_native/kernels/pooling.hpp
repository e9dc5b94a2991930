// Pooling over sliding windows: one row of the result at a time, one tap of the window after the
// other, with the row's positions innermost.
#pragma once

#include "kernels/pooling_job.hpp"
#include "kernels/vectors.hpp"

namespace pellucid {
namespace {

// The windows of a row for which one tap lies inside the input, and where it lies.
struct TapRange {
    long begin, end, offset;
};

inline TapRange range_of(const PoolingJob& job, int dim, long tap) {
    const long offset = tap * job.dilation[dim] - job.padding[dim];
    const long stride = job.stride[dim], room = job.input[dim] - 1 - offset;
    const long begin = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
    const long end = room < 0 ? 0 : smaller(job.output[dim], room / stride + 1);
    return {begin, end, offset};
}

// Call body(source row, offset of its first tap, range) for every tap that meets a row of windows.
template <class Body>
void for_taps(const PoolingJob& job, long depth, long row, const Body& body) {
    for (long kd = 0; kd < job.kernel[0]; ++kd) {
        const long d = depth * job.stride[0] - job.padding[0] + kd * job.dilation[0];
        if (d < 0 || d >= job.input[0]) continue;
        for (long kh = 0; kh < job.kernel[1]; ++kh) {
            const long h = row * job.stride[1] - job.padding[1] + kh * job.dilation[1];
            if (h < 0 || h >= job.input[1]) continue;
            for (long kw = 0; kw < job.kernel[2]; ++kw)
                body((d * job.input[1] + h) * job.input[2], range_of(job, 2, kw));
        }
    }
}

// Call body(window, element of the row) for the windows of a range, with the usual strides known to
// the compiler.
template <class Body>
void for_range(const TapRange& range, long stride, const Body& body) {
    if (stride == 1) {
#pragma GCC ivdep
        for (long i = range.begin; i < range.end; ++i) body(i, i);
    } else if (stride == 2) {
#pragma GCC ivdep
        for (long i = range.begin; i < range.end; ++i) body(i, 2 * i);
    } else {
        for (long i = range.begin; i < range.end; ++i) body(i, stride * i);
    }
}

template <class T>
void take_larger(const T* source, long first, const TapRange& range, long stride, T* best,
                 std::int32_t* places) {
    const long start = first + range.offset;
    for_range(range, stride, [=](long i, long at) {
        const T value = source[start + at];
        const bool better = value > best[i] || value != value;  // the last NaN counts
        best[i] = better ? value : best[i];
        places[i] = better ? static_cast<std::int32_t>(start + at) : places[i];
    });
}

// Start every window from minus infinity, at the place of its first tap inside the input.
template <class T>
void start_windows(const PoolingJob& job, long depth, long row, T* best, std::int32_t* places) {
    const auto first = [&](int dim, long window) {
        const long start = window * job.stride[dim] - job.padding[dim];
        const long step = job.dilation[dim];
        return start >= 0 ? start : start + (-start + step - 1) / step * step;
    };
    const long base = (first(0, depth) * job.input[1] + first(1, row)) * job.input[2];
    for (long i = 0; i < job.output[2]; ++i) {
        best[i] = -T(INFINITY);
        places[i] = static_cast<std::int32_t>(base + first(2, i));
    }
}

template <class T, class Plane>
void for_planes(const PoolingJob& job, long part, const Plane& plane) {
    const long begin = part * job.planes_at_once;
    for (long p = begin; p < smaller(job.planes, begin + job.planes_at_once); ++p)
        for (long d = 0; d < job.output[0]; ++d)
            for (long row = 0; row < job.output[1]; ++row) plane(p, d, row);
}

// Whether windows are of two by two elements, side by side, of which none lies outside the input.
inline bool are_pairs(const PoolingJob& job) {
    for (int dim : {1, 2})
        if (job.kernel[dim] != 2 || job.stride[dim] != 2 || job.padding[dim] != 0 ||
            job.dilation[dim] != 1 || 2 * job.output[dim] > job.input[dim])
            return false;
    return job.kernel[0] == 1 && job.stride[0] == 1 && job.padding[0] == 0;
}

// All four elements of each window in one go, in the order of the taps.
template <class T>
void max_pool_pairs(const PoolingJob& job, long part) {
    constexpr long kTogether = 8;
    const long width = job.output[2], row_size = job.input[2];
    // rows that end with half a vector or less: parts of the same size fit, the last one over
    // others
    const bool in_parts = width >= kTogether && width % (2 * kTogether) != 0;
    for_planes<T>(job, part, [&](long plane, long d, long row) {
        const long first = (d * job.input[1] + 2 * row) * row_size;
        const T* upper = static_cast<const T*>(job.source) + plane * job.input_area() + first;
        const T* lower = upper + row_size;
        const long at = plane * job.output_area() + (d * job.output[1] + row) * width;
        T* best = static_cast<T*>(job.target) + at;
        long long* places = job.indices + at;
        const std::int32_t start = static_cast<std::int32_t>(first);
        const std::int32_t below = static_cast<std::int32_t>(row_size);
        const auto take = [&](long i) {
            T found = upper[2 * i];
            std::int32_t place = 0;
            const auto compare = [&](T value, std::int32_t tap) {
                const bool better = value > found || value != value;  // the last NaN counts
                found = better ? value : found;
                place = better ? tap : place;
            };
            compare(upper[2 * i + 1], 1);
            compare(lower[2 * i], below);
            compare(lower[2 * i + 1], below + 1);
            best[i] = found;
            places[i] = start + static_cast<std::int32_t>(2 * i) + place;
        };
        if (!in_parts) {
#pragma GCC ivdep
            for (long i = 0; i < width; ++i) take(i);
            return;
        }
        for (long begin = 0; begin < width; begin += kTogether) {
            const long from = smaller(begin, width - kTogether);
#pragma GCC ivdep
            for (long i = from; i < from + kTogether; ++i) take(i);
        }
    });
}

template <class T>
void max_pool_planes(const PoolingJob& job, long part) {
    if (are_pairs(job)) return max_pool_pairs<T>(job, part);
    const long width = job.output[2];
    std::int32_t* places = static_cast<std::int32_t*>(scratch(0, width * sizeof(std::int32_t)));
    for_planes<T>(job, part, [&](long plane, long d, long row) {
        const T* source = static_cast<const T*>(job.source) + plane * job.input_area();
        const long at = plane * job.output_area() + (d * job.output[1] + row) * width;
        T* best = static_cast<T*>(job.target) + at;
        start_windows(job, d, row, best, places);
        for_taps(job, d, row, [&](long first, const TapRange& range) {
            take_larger(source, first, range, job.stride[2], best, places);
        });
        for (long i = 0; i < width; ++i) job.indices[at + i] = places[i];
    });
}

// Add what windows got to where their largest values stand.
template <class T>
void max_pool_to_input_planes(const PoolingJob& job, long part) {
    const long begin = part * job.planes_at_once, area = job.output_area();
    for (long p = begin; p < smaller(job.planes, begin + job.planes_at_once); ++p) {
        T* target = static_cast<T*>(job.target) + p * job.input_area();
        const T* grad = static_cast<const T*>(job.source) + p * area;
        std::memset(target, 0, job.input_area() * sizeof(T));
        for (long i = 0; i < area; ++i) target[job.indices[p * area + i]] += grad[i];
    }
}

// Over how many elements a window averages along one dimension.
inline long count_of(const PoolingJob& job, int dim, long window) {
    const long start = window * job.stride[dim] - job.padding[dim];
    const long padded_end = smaller(start + job.kernel[dim], job.input[dim] + job.padding[dim]);
    if (job.counts_padding) return padded_end - start;
    return smaller(padded_end, job.input[dim]) - larger(start, 0);
}

// What each window of a row is divided by.
template <class T>
const T* divisors_of(const PoolingJob& job, long depth, long row) {
    T* divisors = static_cast<T*>(scratch(1, job.output[2] * sizeof(T)));
    const long others = count_of(job, 0, depth) * count_of(job, 1, row);
    for (long i = 0; i < job.output[2]; ++i)
        divisors[i] = job.divisor != 0 ? T(job.divisor) : T(others * count_of(job, 2, i));
    return divisors;
}

template <class T>
void avg_pool_planes(const PoolingJob& job, long part) {
    const long width = job.output[2];
    for_planes<T>(job, part, [&](long plane, long d, long row) {
        const T* source = static_cast<const T*>(job.source) + plane * job.input_area();
        T* out = static_cast<T*>(job.target) + plane * job.output_area() +
                 (d * job.output[1] + row) * width;
        std::memset(out, 0, width * sizeof(T));
        for_taps(job, d, row, [&](long first, const TapRange& range) {
            const T* values = source + first + range.offset;
            for_range(range, job.stride[2], [=](long i, long at) { out[i] += values[at]; });
        });
        const T* divisors = divisors_of<T>(job, d, row);
        for (long i = 0; i < width; ++i) out[i] /= divisors[i];
    });
}

template <class T>
void avg_pool_to_input_planes(const PoolingJob& job, long part) {
    const long width = job.output[2];
    T* shares = static_cast<T*>(scratch(0, width * sizeof(T)));
    const long begin = part * job.planes_at_once;
    const long count = smaller(job.planes - begin, job.planes_at_once);
    std::memset(static_cast<T*>(job.target) + begin * job.input_area(), 0,
                count * job.input_area() * sizeof(T));
    for_planes<T>(job, part, [&](long plane, long d, long row) {
        T* target = static_cast<T*>(job.target) + plane * job.input_area();
        const T* grad = static_cast<const T*>(job.source) + plane * job.output_area() +
                        (d * job.output[1] + row) * width;
        const T* divisors = divisors_of<T>(job, d, row);
        for (long i = 0; i < width; ++i) shares[i] = grad[i] / divisors[i];
        for_taps(job, d, row, [&](long first, const TapRange& range) {
            T* values = target + first + range.offset;
            for_range(range, job.stride[2], [=](long i, long at) { values[at] += shares[i]; });
        });
    });
}

}  // namespace
}  // namespace pellucid
