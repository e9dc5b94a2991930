// grid_sample and grid_sample_to_input, as in the NumPy kernels of the same names, whose bits they
// have: weights are computed in the same order, and rounded at the same places.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/arguments.hpp"
#include "kernels/pieces.hpp"

namespace pellucid {
namespace {

constexpr int kMostAxes = 3, kMostTapsOfAxis = 4, kMostTaps = 16;
constexpr long kPlacesAtOnce = 64, kMostPixels = 1 << 24;  // the latter for places in float32

enum class Mode { nearest, bilinear, bicubic };
enum class Padding { zeros, border, reflection };

template <class Value>
bool read_word(PyObject* object, std::initializer_list<std::pair<const char*, Value>> words,
               Value* value) {
    if (!PyUnicode_Check(object)) return false;
    for (const auto& each : words)
        if (PyUnicode_CompareWithASCIIString(object, each.first) == 0) {
            *value = each.second;
            return true;
        }
    return false;
}

// How images of a size are read at the places of a grid.
struct Reading {
    Mode mode;
    Padding padding;
    bool align_corners;
    int axes;
    long size[kMostAxes], orders[kMostAxes];  // of the images; how often to differentiate by each
    long places, pixels;                      // of an image

    int taps_of_axis() const {
        return mode == Mode::nearest ? 1 : mode == Mode::bilinear ? 2 : kMostTapsOfAxis;
    }
    int taps() const {
        int count = 1;
        for (int axis = 0; axis < axes; ++axis) count *= taps_of_axis();
        return count;
    }
    int degree() const {
        return mode == Mode::nearest ? 0 : mode == Mode::bilinear ? 1 : kMostTapsOfAxis - 1;
    }

    // mode, padding, align_corners, orders, for images of `spatial` dimensions
    bool read(PyObject* const* arguments, int spatial, const npy_intp* sizes) {
        axes = spatial;
        if (axes < 1 || axes > kMostAxes || !PyBool_Check(arguments[2])) return false;
        align_corners = arguments[2] == Py_True;
        std::copy(sizes, sizes + axes, size);
        pixels = PyArray_MultiplyList(sizes, axes);
        return read_word(arguments[0],
                         {{"nearest", Mode::nearest},
                          {"bilinear", Mode::bilinear},
                          {"bicubic", Mode::bicubic}},
                         &mode) &&
               read_word(arguments[1],
                         {{"zeros", Padding::zeros},
                          {"border", Padding::border},
                          {"reflection", Padding::reflection}},
                         &padding) &&
               read_sizes(arguments[3], axes, orders) &&
               *std::max_element(orders, orders + axes) <= degree() && taps() <= kMostTaps &&
               pixels > 0 && pixels < kMostPixels;
    }
};

// Taps along one axis of some places: where, -1 for outside, and how much.
template <class T>
struct AxisTaps {
    std::int32_t place[kMostTapsOfAxis][kPlacesAtOnce];
    T weight[kMostTapsOfAxis][kPlacesAtOnce];
};

// The largest integer up to a number, by conversions, for which there are vectors everywhere.
template <class T>
inline T floor_of(T value) {
    constexpr T kIntegral = T(1 << 30);
    const bool small = std::fabs(value) < kIntegral;
    const T within = small ? value : T(0);
    const T whole = T(static_cast<std::int32_t>(within));
    return small ? whole - T(whole > within) : value;
}

template <class T>
inline std::int32_t place_of(T tap, T last) {
    const bool inside = tap >= 0 && tap <= last;
    return inside ? static_cast<std::int32_t>(inside ? tap : T(0)) : -1;
}

template <class T>
struct Folded {
    T position, slope;
};

template <class T>
Folded<T> reflected(T position, long length, bool align_corners) {
    const T low = align_corners ? T(0) : T(-0.5), span = T(align_corners ? length - 1 : length);
    if (span == 0) return {T(0), T(0)};
    const T shifted = position - low, away = std::fabs(shifted);
    const T rest = away < span ? away : std::fmod(away, span);
    const bool odd = std::fmod(std::floor(away / span), T(2)) == 1;
    return {(odd ? span - rest : rest) + low, (shifted < 0) != odd ? T(-1) : T(1)};
}

template <class T>
Folded<T> padded(T position, long length, const Reading& reading) {
    if (reading.padding == Padding::zeros) return {position, T(1)};
    Folded<T> found{position, T(1)};
    if (reading.padding == Padding::reflection)
        found = reflected(position, length, reading.align_corners);
    const T last = T(length - 1);
    if (!(found.position > 0 && found.position < last)) found.slope = 0;
    if (found.position != found.position) found.position = 0;
    else found.position = std::min(std::max(found.position, T(0)), last);
    return found;
}

// The weights of taps as polynomials of the distance from the tap before a place, lowest power
// first, as in the NumPy kernel.
constexpr double kCubic = -0.75;
constexpr double kCubicTaps[4][4] = {
    {0, kCubic, -2 * kCubic, kCubic},
    {1, 0, -(kCubic + 3), kCubic + 2},
    {0, -kCubic, 2 * kCubic + 3, -(kCubic + 2)},
    {0, 0, kCubic, -kCubic},
};

// A polynomial, differentiated.
struct Polynomial {
    double coefficients[4];
    int count = 4;

    Polynomial(const double* given, long order) {
        std::copy(given, given + count, coefficients);
        for (; order > 0; --order, --count)
            for (int i = 0; i + 1 < count; ++i) coefficients[i] = coefficients[i + 1] * (i + 1);
    }

    double operator()(double at) const {
        double value = coefficients[count - 1] + at * 0;
        for (int i = count - 2; i >= 0; --i) value = coefficients[i] + value * at;
        return value;
    }
};

// Positions along one axis, in pixels, of some places of a grid.
template <class T>
struct Positions {
    T at[kPlacesAtOnce], slope[kPlacesAtOnce];
};

template <class T>
T scale_of(const Reading& reading, long length) {
    return T(double(reading.align_corners ? length - 1 : length) / 2);
}

template <class T>
void cubic_taps(const Reading& reading, int axis, const T* at, long count, AxisTaps<T>* taps) {
    const long length = reading.size[axis], order = reading.orders[axis];
    const T factor = T(std::pow(double(reading.align_corners ? length - 1 : length) / 2, order));
    for (int t = 0; t < 4; ++t) {
        const Polynomial weight(kCubicTaps[t], order);
        for (long p = 0; p < count; ++p) {
            const T first = floor_of(at[p]);
            const T tap = padded(first + T(t - 1), length, reading).position;
            taps->place[t][p] = place_of(tap, T(length - 1));
            taps->weight[t][p] = T(weight(at[p] - first)) * factor;
        }
    }
}

template <class T>
void linear_taps(const Reading& reading, int axis, const Positions<T>& positions, long count,
                 AxisTaps<T>* taps) {
    const T last = T(reading.size[axis] - 1), scale = scale_of<T>(reading, reading.size[axis]);
    const bool slopes = reading.orders[axis] == 1;
    for (long p = 0; p < count; ++p) {
        const T first = floor_of(positions.at[p]);
        const double offset = positions.at[p] - first, none = offset * 0;
        const T slope = positions.slope[p] * scale;
        taps->place[0][p] = place_of(first, last);
        taps->place[1][p] = place_of(first + 1, last);
        taps->weight[0][p] = slopes ? T(-1 + none) * slope : T(1 + (-1 + none) * offset);
        taps->weight[1][p] = slopes ? T(1 + none) * slope : T((1 + none) * offset);
    }
}

// The taps along one axis of places [count, axes] of a grid.
template <class T>
void axis_taps(const Reading& reading, int axis, const T* grid, long count, AxisTaps<T>* taps) {
    const long length = reading.size[axis];
    const T scale = scale_of<T>(reading, length), shift = reading.align_corners ? T(0) : T(0.5);
    Positions<T> positions;
    // the last coordinate of a grid comes first in it
    grid += reading.axes - 1 - axis;
    for (long p = 0; p < count; ++p) {
        positions.at[p] = (grid[p * reading.axes] + 1) * scale - shift;
        positions.slope[p] = 1;
    }
    if (reading.mode == Mode::bicubic) return cubic_taps(reading, axis, positions.at, count, taps);
    if (reading.padding != Padding::zeros)
        for (long p = 0; p < count; ++p) {
            const Folded<T> folded = padded(positions.at[p], length, reading);
            positions.at[p] = folded.position;
            positions.slope[p] = folded.slope;
        }
    if (reading.mode == Mode::bilinear) return linear_taps(reading, axis, positions, count, taps);
    for (long p = 0; p < count; ++p) {
        taps->place[0][p] = place_of(std::nearbyint(positions.at[p]), T(length - 1));
        taps->weight[0][p] = 1;
    }
}

// The taps of some places: pixel, -1 for outside, and weight, of tap t of place p at [t][p].
template <class T>
struct Taps {
    std::int32_t pixel[kMostTaps][kPlacesAtOnce];
    T weight[kMostTaps][kPlacesAtOnce];
    bool inside[kMostTaps];  // whether no place is outside
};

template <class T>
void find_taps(const Reading& reading, const T* grid, long count, Taps<T>* taps) {
    const int each = reading.taps_of_axis();
    double weights[kMostTaps][kPlacesAtOnce];
    AxisTaps<T> along;
    int known = 1;
    std::fill(taps->pixel[0], taps->pixel[0] + count, 0);
    std::fill(weights[0], weights[0] + count, 1.0);
    for (int axis = 0; axis < reading.axes; ++axis, known *= each) {
        axis_taps(reading, axis, grid, count, &along);
        const std::int32_t length = static_cast<std::int32_t>(reading.size[axis]);
        for (int k = known - 1; k >= 0; --k)
            for (int t = each - 1; t >= 0; --t) {
                const std::int32_t *before = taps->pixel[k], *place = along.place[t];
                std::int32_t* pixel = taps->pixel[k * each + t];
                for (long p = 0; p < count; ++p) {
                    const bool outside = (before[p] | place[p]) < 0;
                    pixel[p] = outside ? -1 : (outside ? 0 : before[p]) * length + place[p];
                    weights[k * each + t][p] = weights[k][p] * double(along.weight[t][p]);
                }
            }
    }
    for (int t = 0; t < known; ++t) {
        std::int32_t all = 0;
        for (long p = 0; p < count; ++p) {
            taps->weight[t][p] = T(weights[t][p]);
            all |= taps->pixel[t][p];
        }
        taps->inside[t] = all >= 0;
    }
}

template <class T>
struct SamplingJob {
    Reading reading;
    long images, channels;
    const T* grid;
    const T* from;
    T* to;
};

// Read some places of one image, from all its channels.
template <class T>
void sample_places(const SamplingJob<T>& job, long image, long begin, long count) {
    const Reading& reading = job.reading;
    Taps<T> taps;
    find_taps(reading, job.grid + (image * reading.places + begin) * reading.axes, count, &taps);
    const int known = reading.taps();
    for (long c = 0; c < job.channels; ++c) {
        const T* pixels = job.from + (image * job.channels + c) * reading.pixels;
        T* out = job.to + (image * job.channels + c) * reading.places + begin;
        T sums[kPlacesAtOnce] = {};
        for (int t = 0; t < known; ++t) {
            const std::int32_t* pixel = taps.pixel[t];
            const T* weight = taps.weight[t];
            if (taps.inside[t]) {
                for (long p = 0; p < count; ++p) sums[p] += weight[p] * pixels[pixel[p]];
                continue;
            }
            for (long p = 0; p < count; ++p) {
                const T value = pixels[pixel[p] < 0 ? 0 : pixel[p]];
                sums[p] += weight[p] * (pixel[p] < 0 ? T(0) : value);
            }
        }
        std::copy(sums, sums + count, out);
    }
}

// Put the values of some channels of one image where they would have been read.
template <class T>
void spread_channels(const SamplingJob<T>& job, long image, long begin, long end) {
    const Reading& reading = job.reading;
    const int known = reading.taps();
    Taps<T> taps;
    for (long first = 0; first < reading.places; first += kPlacesAtOnce) {
        const long count = std::min(kPlacesAtOnce, reading.places - first);
        find_taps(reading, job.grid + (image * reading.places + first) * reading.axes, count,
                  &taps);
        for (long c = begin; c < end; ++c) {
            const T* values = job.from + (image * job.channels + c) * reading.places + first;
            T* pixels = job.to + (image * job.channels + c) * reading.pixels;
            for (long p = 0; p < count; ++p)
                for (int t = 0; t < known; ++t)
                    if (taps.pixel[t][p] >= 0)
                        pixels[taps.pixel[t][p]] += taps.weight[t][p] * values[p];
        }
    }
}

// The sizes of images or values [images, channels, *S] and of a grid [images, *P, axes] that fit.
bool fits(PyArrayObject* array, PyArrayObject* grid, int axes) {
    return PyArray_NDIM(array) == axes + 2 && PyArray_NDIM(grid) == axes + 2 &&
           PyArray_DIM(array, 0) == PyArray_DIM(grid, 0) && PyArray_DIM(grid, axes + 1) == axes &&
           PyArray_SIZE(array) > 0 && PyArray_SIZE(grid) > 0;
}

template <class T>
SamplingJob<T> job_of(const Reading& reading, const Ref& grid, const Ref& from, const Ref& to) {
    return {reading,
            PyArray_DIM(from.array(), 0),
            PyArray_DIM(from.array(), 1),
            grid.data<T>(),
            from.data<T>(),
            to.data<T>()};
}

template <class T>
void sample(const SamplingJob<T>& job) {
    const long pieces = (job.reading.places + kPlacesAtOnce - 1) / kPlacesAtOnce;
    in_pieces(job.images * pieces, units_at_once(kPlacesAtOnce * 8 * (job.channels + 4)),
              [&](long begin, long end) {
                  for (long i = begin; i < end; ++i) {
                      const long first = i % pieces * kPlacesAtOnce;
                      sample_places(job, i / pieces, first,
                                    std::min(kPlacesAtOnce, job.reading.places - first));
                  }
              });
}

template <class T>
void spread(const SamplingJob<T>& job) {
    constexpr long kFewestChannels = 8, kEnoughParts = 8;
    const long groups = std::max(
        1L, std::min(job.channels / kFewestChannels, (kEnoughParts + job.images - 1) / job.images));
    in_pieces(job.images * groups, 1, [&](long part, long) {
        const long group = part % groups;
        spread_channels(job, part / groups, job.channels * group / groups,
                        job.channels * (group + 1) / groups);
    });
}

}  // namespace

// grid_sample(x, grid, mode, padding, align_corners, orders)
PyObject* grid_sample(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    Reading reading;
    if (count != 6 || !read_precision(arguments[0], &precision)) return declined();
    const int type = type_of(precision);
    const Ref x = contiguous(arguments[0], type), grid = contiguous(arguments[1], type);
    if (!x || !grid) return declined();
    const int axes = PyArray_NDIM(x.array()) - 2;
    if (axes < 1 || !fits(x.array(), grid.array(), axes) ||
        !reading.read(arguments + 2, axes, PyArray_DIMS(x.array()) + 2)) {
        return declined();
    }
    npy_intp shape[kMostAxes + 2] = {PyArray_DIM(x.array(), 0), PyArray_DIM(x.array(), 1)};
    std::copy(PyArray_DIMS(grid.array()) + 1, PyArray_DIMS(grid.array()) + 1 + axes, shape + 2);
    reading.places = PyArray_MultiplyList(shape + 2, axes);
    Ref out = new_array(axes + 2, shape, type);
    if (!out) return nullptr;
    const bool done = unlocked([&] {
        precision == kSingle ? sample(job_of<float>(reading, grid, x, out))
                             : sample(job_of<double>(reading, grid, x, out));
    });
    return done ? out.release() : nullptr;
}

// grid_sample_to_input(g, grid, size, mode, padding, align_corners, orders)
PyObject* grid_sample_to_input(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    Reading reading;
    long size[kMostAxes];
    if (count != 7 || !read_precision(arguments[0], &precision)) return declined();
    const int type = type_of(precision);
    const Ref g = contiguous(arguments[0], type), grid = contiguous(arguments[1], type);
    if (!g || !grid) return declined();
    const int axes = PyArray_NDIM(g.array()) - 2;
    if (axes < 1 || axes > kMostAxes || !fits(g.array(), grid.array(), axes) ||
        !std::equal(PyArray_DIMS(g.array()) + 2, PyArray_DIMS(g.array()) + 2 + axes,
                    PyArray_DIMS(grid.array()) + 1) ||
        !read_sizes(arguments[2], axes, size)) {
        return declined();
    }
    npy_intp shape[kMostAxes + 2] = {PyArray_DIM(g.array(), 0), PyArray_DIM(g.array(), 1)};
    std::copy(size, size + axes, shape + 2);
    if (size_product(shape, axes + 2) <= 0 || !reading.read(arguments + 3, axes, shape + 2))
        return declined();
    reading.places = PyArray_MultiplyList(PyArray_DIMS(g.array()) + 2, axes);
    Ref out(PyArray_ZEROS(axes + 2, shape, type, 0));
    if (!out) return nullptr;
    const bool done = unlocked([&] {
        precision == kSingle ? spread(job_of<float>(reading, grid, g, out))
                             : spread(job_of<double>(reading, grid, g, out));
    });
    return done ? out.release() : nullptr;
}

}  // namespace pellucid
