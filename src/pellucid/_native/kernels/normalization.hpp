// Normalisation by mean and variance, which is taken in a second pass, and its gradients.
#pragma once

#include "kernels/column_sums.hpp"
#include "kernels/row_jobs.hpp"
#include "kernels/sums.hpp"

namespace pellucid {
namespace {

template <class T>
struct Channel {
    const ChannelNormJob& job;
    long channel;

    long size() const { return job.images * job.area; }
    long start(long image) const { return (image * job.channels + channel) * job.area; }
    template <class At>
    double sum(const At& terms_at) const {
        Total<T> total;
        for (long image = 0; image < job.images; ++image)
            add_terms<T>(job.area, terms_at(start(image)), &total);
        return total.value();
    }
};

template <class T>
T at(const void* values, long i, T otherwise) {
    return values != nullptr ? static_cast<const T*>(values)[i] : otherwise;
}

template <class T>
void normalize_channel(const ChannelNormJob& job, long c) {
    const Channel<T> channel{job, c};
    const T* x = static_cast<const T*>(job.x);
    T* out = static_cast<T*>(job.out);
    const T mean = T(channel.sum([&](long i) { return Elements<T>{x + i}; }) / channel.size());
    const T var =
        T(channel.sum([&](long i) { return SquaredDistances<T>{x + i, mean}; }) / channel.size());
    const T rstd = 1 / std::sqrt(var + T(job.eps));
    static_cast<T*>(job.mean)[c] = mean;
    static_cast<T*>(job.var)[c] = var;
    static_cast<T*>(job.rstd)[c] = rstd;
    const T scale = rstd * at<T>(job.weight, c, 1), shift = at<T>(job.bias, c, 0);
    for (long image = 0; image < job.images; ++image) {
        const long start = channel.start(image);
#pragma GCC ivdep
        for (long i = start; i < start + job.area; ++i) out[i] = (x[i] - mean) * scale + shift;
    }
}

template <class T>
void channel_to_input(const ChannelNormJob& job, long c) {
    const Channel<T> channel{job, c};
    const T *x = static_cast<const T*>(job.x), *g = static_cast<const T*>(job.g);
    T* out = static_cast<T*>(job.out);
    const T mean = at<T>(job.mean, c, 0), rstd = at<T>(job.rstd, c, 0);
    Total<T> sums, dots;
    for (long image = 0; image < job.images; ++image) {
        const long start = channel.start(image);
        add_both_terms<T>(job.area, Elements<T>{g + start},
                          WeightedDistances<T>{g + start, x + start, mean}, &sums, &dots);
    }
    const double count = static_cast<double>(channel.size()), sum = sums.value();
    const double dot = dots.value();
    if (job.by_bias != nullptr) static_cast<T*>(job.by_bias)[c] = T(sum);
    if (job.by_weight != nullptr) static_cast<T*>(job.by_weight)[c] = T(dot) * rstd;
    const T average = T(sum / count);
    const T slope = T(-dot / count) * rstd * rstd, scale = rstd * at<T>(job.weight, c, 1);
    for (long image = 0; image < job.images; ++image) {
        const long start = channel.start(image);
#pragma GCC ivdep
        for (long i = start; i < start + job.area; ++i)
            out[i] = ((x[i] - mean) * slope + (g[i] - average)) * scale;
    }
}

template <class T>
void channel_to_weight(const ChannelNormJob& job, long c) {
    const Channel<T> channel{job, c};
    const T *x = static_cast<const T*>(job.x), *g = static_cast<const T*>(job.g);
    const T mean = at<T>(job.mean, c, 0);
    const double dot =
        channel.sum([&](long i) { return WeightedDistances<T>{g + i, x + i, mean}; });
    static_cast<T*>(job.out)[c] = T(dot) * at<T>(job.rstd, c, 0);
}

template <class T>
void sum_channel(const ChannelNormJob& job, long c) {
    const T* x = static_cast<const T*>(job.x);
    const double sum = Channel<T>{job, c}.sum([&](long i) { return Elements<T>{x + i}; });
    static_cast<T*>(job.out)[c] = T(sum);
}

// Some channels of one element for each image: columns of [images, channels].
template <class T>
struct Columns {
    const ChannelNormJob& job;
    long first, width;

    Columns(const ChannelNormJob& job, long block)
        : job(job),
          first(block * kChannelsBeside),
          width(smaller(kChannelsBeside, job.channels - first)) {}

    T* of(const void* whole) const { return static_cast<T*>(const_cast<void*>(whole)) + first; }
    // for each column the average of term(i, place), where an element of column i is at a place
    template <class Term>
    void average(double* to, const Term& term) const {
        total_columns<T, kChannelsBeside>(0, job.images, width, to, [&](long row, long i) {
            return term(i, row * job.channels + i);
        });
        for (long i = 0; i < width; ++i) to[i] /= static_cast<double>(job.images);
    }
    template <class Body>
    void each(const Body& body) const {
        for (long row = 0; row < job.images; ++row) {
            const long start = row * job.channels;
#pragma GCC ivdep
            for (long i = 0; i < width; ++i) body(i, start + i);
        }
    }
};

template <class T>
void normalize_columns(const ChannelNormJob& job, long block) {
    const Columns<T> columns(job, block);
    const T* x = columns.of(job.x);
    T *out = columns.of(job.out), *mean = columns.of(job.mean), *rstd = columns.of(job.rstd);
    T* var = columns.of(job.var);
    double averages[kChannelsBeside];
    T scale[kChannelsBeside], shift[kChannelsBeside];
    columns.average(averages, [&](long, long at) { return x[at]; });
    for (long i = 0; i < columns.width; ++i) mean[i] = T(averages[i]);
    columns.average(averages,
                    [&](long i, long at) { return (x[at] - mean[i]) * (x[at] - mean[i]); });
    for (long i = 0; i < columns.width; ++i) {
        var[i] = T(averages[i]);
        rstd[i] = 1 / std::sqrt(var[i] + T(job.eps));
        scale[i] = rstd[i] * at<T>(job.weight, columns.first + i, 1);
        shift[i] = at<T>(job.bias, columns.first + i, 0);
    }
    columns.each([&](long i, long at) { out[at] = (x[at] - mean[i]) * scale[i] + shift[i]; });
}

template <class T>
void columns_to_input(const ChannelNormJob& job, long block) {
    const Columns<T> columns(job, block);
    const T *x = columns.of(job.x), *g = columns.of(job.g);
    const T *mean = columns.of(job.mean), *rstd = columns.of(job.rstd);
    T* out = columns.of(job.out);
    double averages[kChannelsBeside];
    T average[kChannelsBeside], slope[kChannelsBeside], scale[kChannelsBeside];
    const double count = static_cast<double>(job.images);
    columns.average(averages, [&](long, long at) { return g[at]; });
    for (long i = 0; i < columns.width; ++i) {
        average[i] = T(averages[i]);
        if (job.by_bias != nullptr) columns.of(job.by_bias)[i] = T(averages[i] * count);
    }
    columns.average(averages, [&](long i, long at) { return g[at] * (x[at] - mean[i]); });
    for (long i = 0; i < columns.width; ++i) {
        if (job.by_weight != nullptr)
            columns.of(job.by_weight)[i] = T(averages[i] * count) * rstd[i];
        slope[i] = T(-averages[i]) * rstd[i] * rstd[i];
        scale[i] = rstd[i] * at<T>(job.weight, columns.first + i, 1);
    }
    columns.each([&](long i, long at) {
        out[at] = ((x[at] - mean[i]) * slope[i] + (g[at] - average[i])) * scale[i];
    });
}

template <class T>
void columns_to_weight(const ChannelNormJob& job, long block) {
    const Columns<T> columns(job, block);
    const T *x = columns.of(job.x), *g = columns.of(job.g);
    const T *mean = columns.of(job.mean), *rstd = columns.of(job.rstd);
    T* out = columns.of(job.out);
    double averages[kChannelsBeside];
    columns.average(averages, [&](long i, long at) { return g[at] * (x[at] - mean[i]); });
    for (long i = 0; i < columns.width; ++i)
        out[i] = T(averages[i] * static_cast<double>(job.images)) * rstd[i];
}

template <class T>
void normalize_row(const RowNormJob& job, long row) {
    const long n = job.columns;
    const T* x = static_cast<const T*>(job.x) + row * n;
    T* out = static_cast<T*>(job.out) + row * n;
    const T *weight = static_cast<const T*>(job.weight), *bias = static_cast<const T*>(job.bias);
    const T mean = total_of<T>(n, Elements<T>{x}) / T(n);
    const T var = total_of<T>(n, SquaredDistances<T>{x, mean}) / T(n);
    const T rstd = 1 / std::sqrt(var + T(job.eps));
    static_cast<T*>(job.mean)[row] = mean;
    static_cast<T*>(job.rstd)[row] = rstd;
    if (weight != nullptr && bias != nullptr) {
#pragma GCC ivdep
        for (long i = 0; i < n; ++i) out[i] = (x[i] - mean) * rstd * weight[i] + bias[i];
        return;
    }
#pragma GCC ivdep
    for (long i = 0; i < n; ++i) out[i] = (x[i] - mean) * rstd;
    if (weight != nullptr)
        for (long i = 0; i < n; ++i) out[i] *= weight[i];
    if (bias != nullptr)
        for (long i = 0; i < n; ++i) out[i] += bias[i];
}

template <class T>
void row_to_input(const RowNormJob& job, long row) {
    const long n = job.columns;
    const T* x = static_cast<const T*>(job.x) + row * n;
    const T* g = static_cast<const T*>(job.g) + row * n;
    const T* weight = static_cast<const T*>(job.weight);
    T* out = static_cast<T*>(job.out) + row * n;
    const T mean = at<T>(job.mean, row, 0), rstd = at<T>(job.rstd, row, 0);
    if (weight != nullptr) {
        for (long i = 0; i < n; ++i) out[i] = g[i] * weight[i];
        g = out;
    }
    const T average = total_of<T>(n, Elements<T>{g}) / T(n);
    const T dot = total_of<T>(n, WeightedDistances<T>{g, x, mean});
    const T slope = -dot / T(n) * rstd * rstd;
#pragma GCC ivdep
    for (long i = 0; i < n; ++i) out[i] = ((x[i] - mean) * slope + (g[i] - average)) * rstd;
}

// Add up g * (x - mean) * rstd over the rows of a share.
template <class T>
void rows_to_weight(const RowNormJob& job, long share) {
    const long n = job.columns;
    T* out = static_cast<T*>(job.out) + share * n;
    const long begin = share * job.rows_at_once;
    for (long row = begin; row < smaller(job.rows, begin + job.rows_at_once); ++row) {
        const T* x = static_cast<const T*>(job.x) + row * n;
        const T* g = static_cast<const T*>(job.g) + row * n;
        const T mean = at<T>(job.mean, row, 0), rstd = at<T>(job.rstd, row, 0);
#pragma GCC ivdep
        for (long i = 0; i < n; ++i) out[i] += g[i] * ((x[i] - mean) * rstd);
    }
}

}  // namespace
}  // namespace pellucid
