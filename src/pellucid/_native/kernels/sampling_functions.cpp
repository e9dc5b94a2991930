// Random numbers from NumPy's Mersenne Twister as `pellucid.kernels.random` draws them: what is
// uniform, and what takes an unforeseeable number of draws. See Note [One element after the other]
// there.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/arguments.hpp"
#include "kernels/draws.hpp"
#include "kernels/searching.hpp"

namespace pellucid {

namespace {

// (result, number of draws)
PyObject* with_use(Ref result, const Draws& draws) {
    if (!result) return nullptr;
    return Py_BuildValue("Nl", result.release(), draws.used);
}

// A new vector that a function of no arguments fills, element by element.
template <class T, class Draw>
Ref drawn(long size, int type, const Draw& draw) {
    const npy_intp shape[] = {size};
    Ref out = new_array(1, shape, type);
    T* data = out.data<T>();
    for (long i = 0; out && i < size; ++i) data[i] = draw();
    return out;
}

// ---- gamma --------------------------------------------------------------------------------------

constexpr double kPi = 3.141592653589793;
constexpr double kSqueeze = 0.0331f;

// Normal numbers in pairs, of which one may be left over.
struct Normals {
    bool has_spare = false;
    double spare = 0;

    double next(Draws& draws) {
        if (has_spare) {
            has_spare = false;
            return spare;
        }
        const double turn = 2.0 * kPi * draws.unit_double();
        const double radius = std::sqrt(-2.0 * std::log1p(-draws.unit_double()));
        spare = radius * std::sin(turn);
        has_spare = true;
        return radius * std::cos(turn);
    }
};

double gamma(Draws& draws, Normals& normals, double exponent, double offset, double slope) {
    if (!(offset > 0.0)) return std::numeric_limits<double>::quiet_NaN();
    const double scale = exponent != 0.0 ? std::pow(1.0 - draws.unit_double(), exponent) : 1.0;
    for (;;) {
        double x, y;
        do {
            x = normals.next(draws);
            y = 1.0 + slope * x;
        } while (y <= 0.0);
        const double v = y * y * y, u = 1.0 - draws.unit_double(), square = x * x;
        if (u < 1.0 - kSqueeze * square * square) return scale * offset * v;
        if (std::log(u) < 0.5 * square + offset * (1.0 - v + std::log(v)))
            return scale * offset * v;
    }
}

// ---- Poisson ------------------------------------------------------------------------------------

double log_or_below(double x) {
    return x > 0.0 ? std::log(x) : -std::numeric_limits<double>::infinity();
}

double small_poisson(Draws& draws, double rate) {
    if (rate == 0.0) return 0.0;
    const double limit = std::exp(-rate);
    double product = draws.unit_double(), count = 0;
    for (; product > limit; ++count) product *= draws.unit_double();
    return count;
}

double large_poisson(Draws& draws, double rate) {
    const double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
    const double most = 0.9277 - 3.6224 / (b - 2);
    const double log_inverse_alpha = std::log(1.1239 + 1.1328 / (b - 3.4));
    for (;;) {
        const double u = draws.unit_double() - 0.5, v = draws.unit_double();
        const double us = 0.5 - std::fabs(u);
        const double k = us != 0.0 ? std::floor((2 * a / us + b) * u + rate + 0.43) : -1.0;
        if (us >= 0.07 && v <= most) return k;
        if (k < 0 || (us < 0.013 && v > us)) continue;
        const double height = log_or_below(v) + log_inverse_alpha - std::log(a / (us * us) + b);
        if (height <= -rate + k * std::log(rate) - std::lgamma(k + 1.0)) return k;
    }
}

// ---- binomial -----------------------------------------------------------------------------------

double few_successes(Draws& draws, double count, double prob) {
    const double log_miss = std::log1p(-prob);
    double hits = 0, trials = 0;
    for (;; ++hits) {
        const double u = draws.unit_double();
        trials +=
            u != 0.0 ? std::ceil(std::log(u) / log_miss) : std::numeric_limits<double>::infinity();
        if (trials > count) return hits;
    }
}

// What Stirling's formula lacks of log(k!).
double stirling_tail(double k) {
    constexpr double few[] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983,
                              0.02079067210376509, 0.0166446911898211, 0.0138761288230707,
                              0.0118967099458917,  0.0104112652619720, 0.00925546218271273,
                              0.00833056343336287};
    if (k <= 9) return few[static_cast<int>(k)];
    const double square = (k + 1) * (k + 1);
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

double many_successes(Draws& draws, double count, double prob) {
    const double deviation = std::sqrt(count * prob * (1 - prob));
    const double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * prob;
    const double c = count * prob + 0.5, most = 0.92 - 4.2 / b, odds = prob / (1 - prob);
    const double alpha = (2.83 + 5.1 / b) * deviation, m = std::floor((count + 1) * prob);
    for (;;) {
        const double u = draws.unit_double() - 0.5, v = draws.unit_double();
        const double us = 0.5 - std::fabs(u);
        const double k = us != 0.0 ? std::floor((2 * a / us + b) * u + c) : -1.0;
        if (us >= 0.07 && v <= most) return k;
        if (k < 0 || k > count) continue;
        const double height = log_or_below(v * alpha / (a / (us * us) + b));
        const double bound = (m + 0.5) * std::log((m + 1) / (odds * (count - m + 1))) +
                             (count + 1) * std::log((count - m + 1) / (count - k + 1)) +
                             (k + 0.5) * std::log(odds * (count - k + 1) / (k + 1)) +
                             stirling_tail(m) + stirling_tail(count - m) - stirling_tail(k) -
                             stirling_tail(count - k);
        if (height <= bound) return k;
    }
}

double binomial(Draws& draws, double count, double prob, double fewer) {
    if (count <= 0.0 || prob <= 0.0) return 0.0;
    if (prob >= 1.0) return count;
    if (!std::isfinite(count) || !std::isfinite(prob)) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    const double hits = count * fewer >= 10.0 ? many_successes(draws, count, fewer)
                                              : few_successes(draws, count, fewer);
    return prob > 0.5 ? count - hits : hits;
}

// ---- the n largest ------------------------------------------------------------------------------

// The places of the n largest of a row, the largest first and among equals the first; NaN comes
// last.
template <class T>
void largest_of_row(const T* row, long n, std::vector<npy_int64>& places, npy_int64* out) {
    std::iota(places.begin(), places.end(), 0);
    const auto before = [row](npy_int64 a, npy_int64 b) {
        const T x = row[a], y = row[b];
        if (x != x || y != y) return x == x || (y != y && a < b);
        return x != y ? x > y : a < b;
    };
    std::partial_sort(places.begin(), places.begin() + n, places.end(), before);
    std::copy_n(places.begin(), n, out);
}

}  // namespace

// draw_floats(generator, count): from [0, 1) in steps of 2⁻²⁴; also the number of draws, as below
PyObject* draw_floats(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    long size;
    const bitgen_t* generator = count == 2 ? generator_in(arguments[0]) : nullptr;
    if (generator == nullptr || !read_integer(arguments[1], &size)) return declined();
    Draws draws(generator);
    return with_use(drawn<float>(size, NPY_FLOAT, [&] { return draws.unit_float(); }), draws);
}

// draw_doubles(generator, count): from [0, 1) in steps of 2⁻⁵³
PyObject* draw_doubles(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    long size;
    const bitgen_t* generator = count == 2 ? generator_in(arguments[0]) : nullptr;
    if (generator == nullptr || !read_integer(arguments[1], &size)) return declined();
    Draws draws(generator);
    return with_use(drawn<double>(size, NPY_DOUBLE, [&] { return draws.unit_double(); }), draws);
}

// draw_remainders(generator, count, span, low): draws modulo a span below 2³², plus low
PyObject* draw_remainders(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    long size, span, low;
    const bitgen_t* generator = count == 4 ? generator_in(arguments[0]) : nullptr;
    if (generator == nullptr || !read_integer(arguments[1], &size) ||
        !read_integer(arguments[2], &span) || !read_integer(arguments[3], &low)) {
        return declined();
    }
    Draws draws(generator);
    const uint32_t divisor = static_cast<uint32_t>(span);
    const auto next = [&] { return static_cast<npy_int64>(draws.next() % divisor) + low; };
    return with_use(drawn<npy_int64>(size, NPY_INT64, next), draws);
}

// draw_dropout(generator, count, keep, dtype): 0, or 1 / keep with this probability, of a wide draw
// each
PyObject* draw_dropout(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    long size;
    double keep;
    const bitgen_t* generator = count == 4 ? generator_in(arguments[0]) : nullptr;
    if (generator == nullptr || !read_integer(arguments[1], &size) ||
        !read_number(arguments[2], &keep) || !PyArray_DescrCheck(arguments[3])) {
        return declined();
    }
    const int type = reinterpret_cast<PyArray_Descr*>(arguments[3])->type_num;
    Draws draws(generator);
    if (type == NPY_DOUBLE) {
        const double factors[] = {0, 1 / keep};
        const auto next = [&] { return factors[draws.unit_double() < keep]; };
        return with_use(drawn<double>(size, type, next), draws);
    }
    if (type != NPY_FLOAT) return declined();
    const float factors[] = {0, 1 / static_cast<float>(keep)};
    const auto next = [&] { return factors[draws.unit_double() < keep]; };
    return with_use(drawn<float>(size, type, next), draws);
}

// draw_permutation(generator, size): 0, 1, ..., size - 1, of which each in turn changes places with
// one that is not before it
PyObject* draw_permutation(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    npy_intp size;
    const bitgen_t* generator = count == 2 ? generator_in(arguments[0]) : nullptr;
    if (generator == nullptr || !read_integer(arguments[1], &size) || size >= 1L << 31)
        return declined();
    Draws draws(generator);
    npy_int64 next = 0;
    Ref out = drawn<npy_int64>(size, NPY_INT64, [&] { return next++; });
    if (!out) return nullptr;
    npy_int64* places = out.data<npy_int64>();
    for (npy_intp i = 0; i + 1 < size; ++i)
        std::swap(places[i], places[i + draws.next() % static_cast<uint32_t>(size - i)]);
    return with_use(std::move(out), draws);
}

// draw_gammas(generator, exponents, offsets, slopes, spare normal number or None):
// ((gammas, spare normal number or None), number of draws)
PyObject* draw_gammas(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    const bitgen_t* generator = count == 5 ? generator_in(arguments[0]) : nullptr;
    if (generator == nullptr) return declined();
    const Ref exponents = contiguous(arguments[1], NPY_DOUBLE);
    const Ref offsets = contiguous(arguments[2], NPY_DOUBLE);
    const Ref slopes = contiguous(arguments[3], NPY_DOUBLE);
    Normals normals;
    normals.has_spare = arguments[4] != Py_None;
    if (!exponents || !offsets || !slopes || offsets.size() != exponents.size() ||
        slopes.size() != exponents.size() ||
        (normals.has_spare && !read_number(arguments[4], &normals.spare))) {
        return declined();
    }
    Draws draws(generator);
    long i = -1;
    const auto next = [&] {
        ++i;
        const double exponent = exponents.data<double>()[i];
        if (std::isinf(exponent) && exponent > 0) return 0.0;
        return gamma(draws, normals, exponent, offsets.data<double>()[i], slopes.data<double>()[i]);
    };
    Ref gammas = drawn<double>(exponents.size(), NPY_DOUBLE, next);
    Ref spare(normals.has_spare ? PyFloat_FromDouble(normals.spare) : Py_NewRef(Py_None));
    if (!gammas || !spare) return nullptr;
    return with_use(Ref(PyTuple_Pack(2, gammas.get(), spare.get())), draws);
}

// draw_poissons(generator, rates)
PyObject* draw_poissons(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    const bitgen_t* generator = count == 2 ? generator_in(arguments[0]) : nullptr;
    if (generator == nullptr) return declined();
    const Ref rates = contiguous(arguments[1], NPY_DOUBLE);
    if (!rates) return declined();
    for (long i = 0; i < rates.size(); ++i) {
        if (!std::isfinite(rates.data<double>()[i])) return declined();
    }
    Draws draws(generator);
    const double* rate = rates.data<double>();
    const auto next = [&] {
        const double each = *rate++;
        return each >= 10.0 ? large_poisson(draws, each) : small_poisson(draws, each);
    };
    return with_use(drawn<double>(rates.size(), NPY_DOUBLE, next), draws);
}

// draw_binomials(generator, counts, probabilities, those of the less probable outcome)
PyObject* draw_binomials(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    const bitgen_t* generator = count == 4 ? generator_in(arguments[0]) : nullptr;
    if (generator == nullptr) return declined();
    const Ref counts = contiguous(arguments[1], NPY_DOUBLE);
    const Ref probs = contiguous(arguments[2], NPY_DOUBLE);
    const Ref fewer = contiguous(arguments[3], NPY_DOUBLE);
    if (!counts || !probs || !fewer || probs.size() != counts.size() ||
        fewer.size() != counts.size()) {
        return declined();
    }
    Draws draws(generator);
    long i = 0;
    const auto next = [&] {
        const long at = i++;
        return binomial(draws, counts.data<double>()[at], probs.data<double>()[at],
                        fewer.data<double>()[at]);
    };
    return with_use(drawn<double>(counts.size(), NPY_DOUBLE, next), draws);
}

// largest_places(x, n): of each row the places of the n largest, the largest first
PyObject* largest_places(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    long n;
    if (count != 2 || !read_precision(arguments[0], &precision)) return declined();
    const Ref x = contiguous(arguments[0], type_of(precision));
    const int ndim = x ? PyArray_NDIM(x.array()) : 0;
    if (ndim == 0 || !read_integer(arguments[1], &n)) return declined();
    const long width = PyArray_DIM(x.array(), ndim - 1);
    if (n < 1 || n > width) return declined();
    npy_intp shape[NPY_MAXDIMS];
    std::copy_n(PyArray_DIMS(x.array()), ndim, shape);
    shape[ndim - 1] = n;
    Ref out = new_array(ndim, shape, NPY_INT64);
    std::vector<npy_int64> places(width);
    for (long row = 0; out && row < x.size() / width; ++row) {
        npy_int64* to = out.data<npy_int64>() + row * n;
        if (precision == kSingle) {
            largest_of_row(x.data<float>() + row * width, n, places, to);
        } else {
            largest_of_row(x.data<double>() + row * width, n, places, to);
        }
    }
    return out.release();
}

// first_not_below(ascending, wanted): for each wanted number of a row the first place in the row of
// `ascending` whose value is not below it
PyObject* first_not_below(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    if (count != 2 || !read_precision(arguments[0], &precision)) return declined();
    const Ref ascending = contiguous(arguments[0], type_of(precision));
    const Ref wanted = contiguous(arguments[1], NPY_DOUBLE);
    if (!ascending || !wanted) return declined();
    const int ndim = PyArray_NDIM(ascending.array());
    if (ndim == 0 || PyArray_NDIM(wanted.array()) != ndim || wanted.size() == 0) return declined();
    const long width = PyArray_DIM(ascending.array(), ndim - 1);
    const long many = PyArray_DIM(wanted.array(), ndim - 1), rows = wanted.size() / many;
    if (ascending.size() != rows * width) return declined();
    Ref out = new_like(wanted, NPY_INT64);
    const auto search = [&](const auto* row) {
        const double* numbers = wanted.data<double>();
        long long* places = out.data<long long>();
        for (long i = 0; i < rows; ++i, row += width, numbers += many, places += many) {
            // sums that overflowed have left NaN in front of the last value
            if (width > 1 && std::isnan(row[width - 2])) {
                for (long k = 0; k < many; ++k)
                    places[k] = std::lower_bound(row, row + width, numbers[k]) - row;
            } else {
                find_all_places<false>(row, width, numbers, many, places);
            }
        }
    };
    if (!out) return nullptr;
    if (precision == kSingle) search(ascending.data<float>());
    else search(ascending.data<double>());
    return out.release();
}

}  // namespace pellucid
