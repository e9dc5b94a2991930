#include "kernels/convolution_products.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/blas.hpp"
#include "kernels/pieces.hpp"
#include "kernels/scratch.hpp"

namespace pellucid {
namespace {

// Positions of the result that follow one another, and the elements of a channel under a tap there,
// which lie a stride apart.
struct Run {
    long position, element, count;
};

// The runs of one tap; the positions in none of them see the padding.
struct Tap {
    std::vector<Run> runs;
    bool padded = false;
};

// Which positions along one dimension see an element under a tap: [begin, end).
struct Seen {
    long begin, end, first;  // the element that position 0 would see, which may be outside
};

Seen seen_along(const ConvolutionSizes& c, int dim, long tap) {
    const long first = tap * c.dilation[dim] - c.padding[dim], stride = c.stride[dim];
    const long size = c.input[dim], count = c.output[dim];
    const long begin = first >= 0 ? 0 : (-first + stride - 1) / stride;
    const long end = first >= size ? 0 : (size - 1 - first) / stride + 1;
    return {std::min(begin, count), std::max(std::min(begin, count), std::min(end, count)), first};
}

void add_run(const Run& run, long stride, std::vector<Run>* runs) {
    if (!runs->empty() && stride == 1) {
        Run& last = runs->back();
        if (last.position + last.count == run.position &&
            last.element + last.count == run.element) {
            last.count += run.count;
            return;
        }
    }
    runs->push_back(run);
}

Tap tap_at(const ConvolutionSizes& c, const long (&at)[kSpatial]) {
    const Seen depth = seen_along(c, 0, at[0]), row = seen_along(c, 1, at[1]),
               column = seen_along(c, 2, at[2]);
    const long count = column.end - column.begin;
    Tap tap;
    long covered = 0;
    for (long d = depth.begin; d < depth.end && count > 0; ++d)
        for (long r = row.begin; r < row.end; ++r) {
            const long line =
                (depth.first + d * c.stride[0]) * c.input[1] + row.first + r * c.stride[1];
            add_run({(d * c.output[1] + r) * c.output[2] + column.begin,
                     line * c.input[2] + column.first + column.begin * c.stride[2], count},
                    c.stride[2], &tap.runs);
            covered += count;
        }
    tap.padded = covered < c.output[0] * c.output[1] * c.output[2];
    return tap;
}

long area_of(const long* size) { return size[0] * size[1] * size[2]; }

// Whether each image serves as its own matrix of columns.
bool needs_no_copy(const ConvolutionSizes& c) {
    constexpr long kFewPositions = 64;
    if (area_of(c.output) < kFewPositions && c.images > 1) return false;
    for (int dim = 0; dim < kSpatial; ++dim)
        if (c.kernel[dim] != 1 || c.stride[dim] != 1 || c.padding[dim] != 0) return false;
    return true;
}

// One convolution, divided into groups of images whose columns are made at once.
template <class T>
class Products {
  public:
    explicit Products(const ConvolutionSizes& sizes)
        : sizes_(sizes),
          copies_(!needs_no_copy(sizes)),
          stride_(sizes.stride[2]),
          rows_(sizes.channels * sizes.taps()),
          input_area_(area_of(sizes.input)),
          area_(area_of(sizes.output)) {
        constexpr long kColumnsAtOnce = 1 << 19;
        const long fitting = kColumnsAtOnce / std::max(1L, rows_ * area_);
        at_once_ = copies_ ? std::clamp(fitting, 1L, sizes.images) : 1;
        if (copies_) list_taps();
    }

    void convolve(const T* input, const T* weight, const T* bias, T* out) {
        for_images([&](long first, long count) {
            const long positions = count * area_;
            T* target = out + first * sizes_.filters * area_;
            T* found = count == 1 ? target : memory(1, sizes_.filters * positions);
            MatrixProduct product = product_of(sizes_.filters, rows_, positions);
            product.first = {weight, rows_, false};
            product.second = {columns_of(input, first, count), positions, false};
            product.out = found;
            product.out_step = positions;
            multiply(product);
            if (count > 1) by_image(found, count, sizes_.filters, target);
            if (bias != nullptr) add_bias(bias, count, sizes_.filters, area_, target);
        });
    }

    void to_input(const T* grad, const T* weight, const T* bias, T* out) {
        for_images([&](long first, long count) {
            const long positions = count * area_;
            T* target = out + first * sizes_.channels * input_area_;
            T* columns = copies_ ? memory(0, rows_ * positions) : target;
            MatrixProduct product = product_of(rows_, sizes_.filters, positions);
            product.first = {weight, rows_, true};
            product.second = {grad_of(grad, first, count), positions, false};
            product.out = columns;
            product.out_step = positions;
            multiply(product);
            if (copies_) add_columns(columns, count, target);
            if (bias != nullptr) add_bias(bias, count, sizes_.channels, input_area_, target);
        });
    }

    void correlate(const T* grad, const T* input, T* out) {
        for_images([&](long first, long count) {
            const long positions = count * area_;
            MatrixProduct product = product_of(sizes_.filters, positions, rows_);
            product.first = {grad_of(grad, first, count), positions, false};
            product.second = {columns_of(input, first, count), positions, true};
            product.out = out;
            product.out_step = rows_;
            product.adds = first > 0;
            multiply(product);
        });
    }

  private:
    const ConvolutionSizes& sizes_;
    const bool copies_;
    const long stride_, rows_, input_area_, area_;
    long at_once_;
    std::vector<Tap> taps_;

    static T* memory(int slot, long count) {
        return static_cast<T*>(scratch(slot, count * sizeof(T)));
    }

    static MatrixProduct product_of(long rows, long inner, long columns) {
        MatrixProduct product{};
        product.precision = sizeof(T) == sizeof(float) ? kSingle : kDouble;
        product.rows = rows;
        product.inner = inner;
        product.columns = columns;
        return product;
    }

    void list_taps() {
        for (long d = 0; d < sizes_.kernel[0]; ++d)
            for (long r = 0; r < sizes_.kernel[1]; ++r)
                for (long x = 0; x < sizes_.kernel[2]; ++x)
                    taps_.push_back(tap_at(sizes_, {d, r, x}));
    }

    template <class Body>
    void for_images(const Body& body) {
        for (long first = 0; first < sizes_.images; first += at_once_)
            body(first, std::min(at_once_, sizes_.images - first));
    }

    template <class Body>
    void for_channels(long elements_of_channel, const Body& body) {
        in_pieces(sizes_.channels, units_at_once(elements_of_channel), [&](long begin, long end) {
            for (long channel = begin; channel < end; ++channel) body(channel);
        });
    }

    // The matrix [channel and tap, position] of some images.
    const T* columns_of(const T* input, long first, long count) {
        const T* images = input + first * sizes_.channels * input_area_;
        if (!copies_) return images;
        const long positions = count * area_, taps = sizes_.taps();
        T* columns = memory(0, rows_ * positions);
        for_channels(taps * positions, [&](long channel) {
            T* to = columns + channel * taps * positions;
            for (const Tap& tap : taps_) {
                if (tap.padded) std::memset(to, 0, positions * sizeof(T));
                for (long image = 0; image < count; ++image, to += area_) {
                    const T* from = images + (image * sizes_.channels + channel) * input_area_;
                    for (const Run& run : tap.runs) copy(run, from, to);
                }
            }
        });
        return columns;
    }

    void copy(const Run& run, const T* from, T* to) const {
        to += run.position;
        from += run.element;
        if (stride_ == 1 && run.count >= 16) {
            std::memcpy(to, from, run.count * sizeof(T));
        } else if (stride_ == 2) {  // a constant that the compiler has vectors for
            for (long i = 0; i < run.count; ++i) to[i] = from[i * 2];
        } else {
            for (long i = 0; i < run.count; ++i) to[i] = from[i * stride_];
        }
    }

    // Add columns up at the elements that they belong to.
    void add_columns(const T* columns, long count, T* target) {
        const long positions = count * area_, taps = sizes_.taps();
        for_channels(taps * positions, [&](long channel) {
            for (long image = 0; image < count; ++image)
                std::memset(target + (image * sizes_.channels + channel) * input_area_, 0,
                            input_area_ * sizeof(T));
            const T* from = columns + channel * taps * positions;
            for (const Tap& tap : taps_)
                for (long image = 0; image < count; ++image, from += area_) {
                    T* to = target + (image * sizes_.channels + channel) * input_area_;
                    for (const Run& run : tap.runs)
                        for (long i = 0; i < run.count; ++i)
                            to[run.element + i * stride_] += from[run.position + i];
                }
        });
    }

    // The matrix [filter, position] of the gradient of some images.
    const T* grad_of(const T* grad, long first, long count) {
        const T* from = grad + first * sizes_.filters * area_;
        if (count == 1) return from;
        T* to = memory(1, count * sizes_.filters * area_);
        for (long image = 0; image < count; ++image)
            for (long f = 0; f < sizes_.filters; ++f, from += area_)
                std::memcpy(to + (f * count + image) * area_, from, area_ * sizeof(T));
        return to;
    }

    // Turn [filter, image, position] into [image, filter, position].
    void by_image(const T* from, long count, long filters, T* to) {
        for (long f = 0; f < filters; ++f)
            for (long image = 0; image < count; ++image, from += area_)
                std::memcpy(to + (image * filters + f) * area_, from, area_ * sizeof(T));
    }

    static void add_bias(const T* bias, long images, long channels, long area, T* to) {
        for (long image = 0; image < images; ++image)
            for (long channel = 0; channel < channels; ++channel, to += area)
                for (long i = 0; i < area; ++i) to[i] += bias[channel];
    }
};

template <class T>
void convolve_in(const ConvolutionSizes& sizes, const void* input, const void* weight,
                 const void* bias, void* out) {
    Products<T>(sizes).convolve(static_cast<const T*>(input), static_cast<const T*>(weight),
                                static_cast<const T*>(bias), static_cast<T*>(out));
}

template <class T>
void to_input_in(const ConvolutionSizes& sizes, const void* grad, const void* weight,
                 const void* bias, void* out) {
    Products<T>(sizes).to_input(static_cast<const T*>(grad), static_cast<const T*>(weight),
                                static_cast<const T*>(bias), static_cast<T*>(out));
}

template <class T>
void correlate_in(const ConvolutionSizes& sizes, const void* grad, const void* input, void* out) {
    Products<T>(sizes).correlate(static_cast<const T*>(grad), static_cast<const T*>(input),
                                 static_cast<T*>(out));
}

}  // namespace

// The bounds were measured; see docs/performance.md.
bool suits_products(const ConvolutionSizes& c, Precision precision, bool to_weight) {
    constexpr long kMany = 128, kSome = 64, kFew = 32, kMostColumns = 1 << 21;
    const long columns = c.channels * c.taps() * area_of(c.output);
    if (!has_blas() || c.groups != 1 || c.images < 1 || columns > kMostColumns) return false;
    if (c.taps() == 1) return to_weight || std::min(c.channels, c.filters) >= kFew;
    const long lanes = kernels().vector_bytes / item_size(precision), width = c.output[2];
    return c.filters >= kMany ? width < lanes : c.filters >= kSome && 2 * width <= lanes;
}

void convolve_by_products(const ConvolutionSizes& sizes, Precision precision, const void* input,
                          const void* weight, const void* bias, void* out) {
    const auto compute = precision == kSingle ? convolve_in<float> : convolve_in<double>;
    compute(sizes, input, weight, bias, out);
}

void convolve_to_input_by_products(const ConvolutionSizes& sizes, Precision precision,
                                   const void* grad, const void* weight, const void* bias,
                                   void* out) {
    const auto compute = precision == kSingle ? to_input_in<float> : to_input_in<double>;
    compute(sizes, grad, weight, bias, out);
}

void correlate_by_products(const ConvolutionSizes& sizes, Precision precision, const void* grad,
                           const void* input, void* out) {
    const auto compute = precision == kSingle ? correlate_in<float> : correlate_in<double>;
    compute(sizes, grad, input, out);
}

}  // namespace pellucid
