// Running sums and products along a dimension, as in the NumPy kernels of the same names.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/lanes.hpp"
#include "kernels/pieces.hpp"

namespace pellucid {
namespace {

struct Sum {
    template <class T>
    static T together(T before, T value) {
        return before + value;
    }
    static constexpr int start = 0;
};

struct Product {
    template <class T>
    static T together(T before, T value) {
        return before * value;
    }
    static constexpr int start = 1;
};

// Errors add up along the way: single precision is accumulated in double.
template <class T>
struct Accumulator {
    using type = T;
};

template <>
struct Accumulator<float> {
    using type = double;
};

// Several rows at once, so that the processor need not wait for each addition.
template <class T, class Operation, int rows>
void accumulate_rows(const T* x, T* out, long size) {
    using Wide = typename Accumulator<T>::type;
    Wide totals[rows];
    std::fill(totals, totals + rows, Wide(Operation::start));
    for (long k = 0; k < size; ++k)
        for (int row = 0; row < rows; ++row) {
            const long at = row * size + k;
            totals[row] = Operation::together(totals[row], static_cast<Wide>(x[at]));
            out[at] = static_cast<T>(totals[row]);
        }
}

// Whether four more factors of single precision might overflow on the way, or become zero.
bool is_near_the_ends(double product) {
    const double magnitude = std::abs(product);
    return (magnitude > 1e150 && magnitude <= std::numeric_limits<double>::max()) ||
           (magnitude < 1e-120 && magnitude > 0);
}

// Products of single precision along a row, four at a time: the next four wait for one product and
// not for four. Where the order of multiplying matters, one goes after the other.
void multiply_row(const float* x, float* out, long size) {
    double total = 1;
    const auto multiply = [&](long begin, long end) {
        for (long k = begin; k < end; ++k) out[k] = static_cast<float>(total *= x[k]);
    };
    long k = 0;
    for (; k + 4 <= size; k += 4) {
        if (is_near_the_ends(total)) {
            multiply(k, k + 4);
            continue;
        }
        const double one = x[k], two = one * x[k + 1], third = x[k + 2];
        const double three = two * third, four = two * (third * x[k + 3]);
        out[k] = static_cast<float>(total * one);
        out[k + 1] = static_cast<float>(total * two);
        out[k + 2] = static_cast<float>(total * three);
        out[k + 3] = static_cast<float>(total *= four);
    }
    multiply(k, size);
}

// Some neighbouring lanes, which are gone through side by side.
constexpr long kSideBySide = 64;

template <class T, class Operation>
void accumulate_beside(const T* x, T* out, long size, long step, long count) {
    using Wide = typename Accumulator<T>::type;
    Wide totals[kSideBySide];
    std::fill(totals, totals + count, Wide(Operation::start));
    for (long k = 0; k < size; ++k, x += step, out += step)
        for (long i = 0; i < count; ++i) {
            totals[i] = Operation::together(totals[i], static_cast<Wide>(x[i]));
            out[i] = static_cast<T>(totals[i]);
        }
}

template <class T, class Operation>
void accumulate(const Lanes& lanes, const void* from, void* to) {
    const T* x = static_cast<const T*>(from);
    T* out = static_cast<T*>(to);
    if (lanes.inner == 1) {
        in_pieces(lanes.outer, units_at_once(lanes.size), [&](long begin, long end) {
            constexpr int kTogether = 4;
            long o = begin;
            if constexpr (std::is_same_v<T, float> && std::is_same_v<Operation, Product>)
                for (; o < end; ++o)
                    multiply_row(x + o * lanes.size, out + o * lanes.size, lanes.size);
            for (; o + kTogether <= end; o += kTogether)
                accumulate_rows<T, Operation, kTogether>(x + o * lanes.size, out + o * lanes.size,
                                                         lanes.size);
            for (; o < end; ++o)
                accumulate_rows<T, Operation, 1>(x + o * lanes.size, out + o * lanes.size,
                                                 lanes.size);
        });
        return;
    }
    const long bundles = (lanes.inner + kSideBySide - 1) / kSideBySide;
    const long grain = units_at_once(lanes.size * kSideBySide);
    in_pieces(lanes.outer * bundles, grain, [&](long begin, long end) {
        for (long bundle = begin; bundle < end; ++bundle) {
            const long first = bundle % bundles * kSideBySide;
            const long at = bundle / bundles * lanes.size * lanes.inner + first;
            accumulate_beside<T, Operation>(x + at, out + at, lanes.size, lanes.inner,
                                            std::min(kSideBySide, lanes.inner - first));
        }
    });
}

template <class Operation>
PyObject* running(PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject* given = count == 2 ? as_array(arguments[0]) : nullptr;
    if (given == nullptr) return declined();
    void (*run)(const Lanes&, const void*, void*) = nullptr;
    const int type = PyArray_TYPE(given);
    if (type == NPY_FLOAT) run = accumulate<float, Operation>;
    if (type == NPY_DOUBLE) run = accumulate<double, Operation>;
    // what overflows wraps around, as unsigned numbers do
    if (type == NPY_INT64) run = accumulate<unsigned long long, Operation>;
    Lanes lanes;
    if (run == nullptr || !read_lanes(given, arguments[1], &lanes)) return declined();
    const Ref x = contiguous(arguments[0], type);
    if (!x) return declined();
    Ref out = new_like(x, type);
    if (!out || x.size() == 0) return out.release();
    return unlocked([&] { run(lanes, x.data(), out.data()); }) ? out.release() : nullptr;
}

}  // namespace

// cumsum(x, axis)
PyObject* cumsum(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return running<Sum>(arguments, count);
}

// cumprod(x, axis)
PyObject* cumprod(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return running<Product>(arguments, count);
}

}  // namespace pellucid
