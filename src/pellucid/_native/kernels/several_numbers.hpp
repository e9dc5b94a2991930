// Functions of several numbers, of numbers with parameters, and special functions: of single
// precision in double where that makes them exact to the last place.
//
// A function `name_of` that does not hold for all numbers comes with `name_is_usual`, which says
// for which it does, and `name_exactly` for the others.
#pragma once

#include "kernels/rounded_functions.hpp"

namespace pellucid {
namespace {

// ---- arithmetic ---------------------------------------------------------------------------------

template <class T>
inline T rsqrt_of(T x) {
    return 1 / std::sqrt(x);
}

template <class T>
inline T frac_of(T x) {
    return x - std::trunc(x);
}

template <class T>
inline T sign_of(T x) {
    return T(x > 0) - T(x < 0);
}

template <class T>
inline T reciprocal_of(T x) {
    return 1 / x;
}

// NaN among the bounds too gives NaN
template <class T>
inline T clip_of(T x, T low, T high) {
    const T raised = low > x ? low : x, lowered = high < raised ? high : raised;
    return __builtin_isunordered(low, high) ? low + high : lowered;
}

template <class T>
inline T lerp_of(T x, T end, T weight) {
    const T way = end - x;
    return absolute_of(weight) < T(0.5) ? x + weight * way : end - way * (1 - weight);
}

template <class T>
inline T addcmul_of(T x, T first, T second, T value) {
    return x + first * second * value;
}

template <class T>
inline T addcdiv_of(T x, T first, T second, T value) {
    return x + first * value / second;
}

inline float hypot_of(float x, float y) {
    const double a = x, b = y, root = std::sqrt(a * a + b * b);
    const bool endless = absolute_of(x) == INFINITY || absolute_of(y) == INFINITY;
    return endless ? INFINITY : static_cast<float>(root);
}

inline float arctan2_of(float y, float x) {
    const double angle = quarter_angle(absolute_of(double(y)), absolute_of(double(x)));
    const bool left = (bits_of(x) & Format<float>::sign) != 0;
    const float found = static_cast<float>(left ? 2 * kHalfPi - angle : angle);
    const bool missing = x != x || y != y;
    return number_of<float>(bits_of(missing ? x + y : found) | (bits_of(y) & Format<float>::sign));
}

// See Note [Quotients in double precision] in the NumPy kernels.
inline bool quotient_is_usual(float a, float b) {
    constexpr float kLargest = 536870912.0f;  // 2**29
    return absolute_of(a) < absolute_of(b) * kLargest && absolute_of(b) < INFINITY;
}

inline float with_sign(float size, float of) {
    return number_of<float>(bits_of(size) | (bits_of(of) & Format<float>::sign));
}

inline float remains(double a, double b, double quotient) {
    const float left = static_cast<float>(a - quotient * b);
    return left == 0 ? with_sign(0, static_cast<float>(a)) : left;
}

inline bool remainder_is_usual(float a, float b) { return quotient_is_usual(a, b); }
inline float remainder_of(float a, float b) { return remains(a, b, std::floor(double(a) / b)); }
inline float remainder_exactly(float a, float b) {
    const float left = std::fmod(a, b);
    return left != 0 && (left < 0) != (b < 0) ? left + b : left;
}

inline bool fmod_is_usual(float a, float b) { return quotient_is_usual(a, b); }
inline float fmod_of(float a, float b) { return remains(a, b, std::trunc(double(a) / b)); }
inline float fmod_exactly(float a, float b) { return std::fmod(a, b); }

inline bool floor_divide_is_usual(float a, float b) { return quotient_is_usual(a, b); }
inline float floor_divide_of(float a, float b) {
    return static_cast<float>(std::floor(double(a) / b));
}
inline float floor_divide_exactly(float a, float b) {
    if (b == 0) return a / b;
    const float left = std::fmod(a, b);
    float quotient = (a - left) / b;
    if (left != 0 && (left < 0) != (b < 0)) quotient -= 1;
    if (quotient == 0) return std::copysign(0.0f, a / b);
    const float whole = std::floor(quotient);
    return quotient - whole > 0.5f ? whole + 1 : whole;
}

inline bool is_whole(float x) { return std::floor(x) == x; }

inline bool power_is_usual(float x, float y) {
    const bool is_normal =
        absolute_of(x) >= Format<float>::least_normal && absolute_of(x) < INFINITY;
    return is_normal && absolute_of(y) < 16777216.0f && (x > 0 || is_whole(y));  // 2**24
}
inline float power_of(float x, float y) {
    // the error of the logarithm is multiplied by at most 150 before there is overflow
    constexpr int kTerms = 6;
    const double log = log_of_normal<double, kTerms>(absolute_of(double(x)), 0);
    const float size = static_cast<float>(wide_exp(y * log));
    return x < 0 && !is_whole(0.5f * y) ? -size : size;
}
inline float power_exactly(float x, float y) {
    return static_cast<float>(std::pow(double(x), double(y)));
}

// ---- exponentials and logarithms ----------------------------------------------------------------

// Where the sum is not near zero, or has no sign of its own.
inline bool logaddexp_is_usual(float x, float y) {
    const float larger = x > y ? x : y, smaller = x > y ? y : x;
    return smaller > -INFINITY && larger < INFINITY && (larger >= 0 || larger < -2);
}
inline float logaddexp_of(float x, float y) {
    const float larger = x > y ? x : y, smaller = x > y ? y : x;
    const float distance = larger - smaller, part = larger - distance;
    const float lost = (larger - (distance + part)) + (part - smaller);
    return larger + log1p_exp_minus(distance, lost);
}
inline float logaddexp_exactly(float x, float y) {
    const double larger = x > y ? x : y, distance = absolute_of(double(x) - double(y));
    const double found = larger + wide_log1p(wide_exp(-distance));
    const double equal = larger + kLog2;  // infinities too, whose distance is not a number
    return x == y             ? static_cast<float>(equal)
           : x != x || y != y ? x + y
                              : static_cast<float>(found);
}

inline float xlogy_of(float x, float y) {
    const float found = static_cast<float>(x * wide_log(y));
    return x == 0 && y == y ? 0.0f : found;
}

inline bool softplus_is_usual(float, float beta, float) { return beta == 1; }
inline float softplus_of(float x, float, float threshold) {
    const float found = (x > 0 ? x : 0.0f) + log1p_exp_minus(absolute_of(x), 0.0f);
    return x > threshold ? x : found;
}
inline float softplus_exactly(float x, float beta, float threshold) {
    const double scaled = double(x) * beta;
    const double found = wide_log1p(wide_exp(scaled)) / beta;
    return scaled > threshold ? x : static_cast<float>(found);
}

inline float mish_of(float x) {
    constexpr double kOneBeyond = 30, kZeroBelow = -150;
    const double found = wide_exp_inside(x > kOneBeyond ? kOneBeyond : double(x));
    const double n = x < kZeroBelow ? 0 : found, square = n * (n + 2);
    return static_cast<float>(x * (square / (square + 2)));
}

inline float elu_of(float x, float below, float above, float input_scale) {
    const float bent = static_cast<float>(wide_expm1(double(x) * input_scale) * below);
    return x > 0 ? x * above : bent;
}

template <class T>
inline T leaky_relu_of(T x, T slope) {
    return x > 0 ? x : x * slope;
}

template <class T>
inline T hardswish_of(T x) {
    T gate = x + 3;
    gate = gate < 0 ? T(0) : gate;
    gate = gate > 6 ? T(6) : gate;
    return x * gate / 6;
}

template <class T>
inline T replace_special_of(T x, T nan, T above, T below) {
    const T bounded = x == T(INFINITY) ? above : x == -T(INFINITY) ? below : x;
    return x != x ? nan : bounded;
}

template <class T>
inline T huber_of(T x, T target, T delta, T divisor) {
    const T size = absolute_of(x - target), bounded = size > delta ? delta : size;
    return bounded * (size - bounded * T(0.5)) / divisor;
}

template <class T>
inline T gated_of(T x, T gate) {
    return x * sigmoid_of(gate);
}

// for probabilities x; NaN among the targets gives NaN
template <class T>
inline T binary_nll_of(T x, T target) {
    const T positive = log_of(x), negative = log1p_of(-x);
    return (target - 1) * (negative < -100 ? T(-100) : negative) -
           target * (positive < -100 ? T(-100) : positive);
}

// ---- the gradient g times a slope ---------------------------------------------------------------

template <class T>
inline T sigmoid_backward_of(T g, T out) {
    return g * (out * (1 - out));
}

template <class T>
inline T silu_backward_of(T g, T x) {
    const T gate = sigmoid_of(x);
    return g * (gate * (x * (1 - gate) + 1));
}

inline float gelu_backward_of(float g, float x) { return g * gelu_slope_of(x); }

template <class T>
inline T gelu_tanh_backward_of(T g, T x) {
    return g * gelu_tanh_slope_of(x);
}

template <class T>
inline T leaky_relu_backward_of(T g, T x, T slope) {
    return x > 0 ? g : g * slope;
}

template <class T>
inline T hardswish_backward_of(T g, T x) {
    const T bent = g * (x / 3 + T(0.5));
    return x <= -3 ? T(0) : x < 3 ? bent : g;
}

template <class T>
inline T hardtanh_backward_of(T g, T x, T low, T high) {
    return x <= low || x >= high ? T(0) : g;
}

template <class T>
inline T softplus_backward_of(T g, T x, T beta, T threshold) {
    const T scaled = x * beta, bent = g * sigmoid_of(scaled);
    return scaled > threshold ? g : bent;
}

template <class T>
inline T elu_backward_of(T g, T x, T below, T above, T input_scale) {
    const T bent = exp_of(x * input_scale) * below;
    return g * (x <= 0 ? bent : above);
}

template <class T>
inline T huber_backward_of(T g, T x, T target, T delta, T divisor) {
    const T way = x - target;
    return g * ((way > delta ? delta : way < -delta ? -delta : way) / divisor);
}

// ---- special functions --------------------------------------------------------------------------

// exp(x * x) erfc(x) on [0, 10.5], as a rational function with a relative error of 2**-33.
constexpr double kErfcxAbove[] = {
    1,
    1.43550968805199,
    1.00219706655895,
    0.403294377238466,
    0.0931043818723888,
    0.0100543562955993,
};
constexpr double kErfcxBelow[] = {
    1,
    2.56388884726315,
    2.89523603636227,
    1.85858043619399,
    0.723753202861529,
    0.165022182479239,
    0.0178209042102424,
};

inline float erfc_of(float x) {
    constexpr double kZeroBeyond = 10.5;
    double size = absolute_of(double(x));
    size = size > kZeroBeyond ? kZeroBeyond : size;
    const double found = wide_exp_inside(-size * size) * polynomial(kErfcxAbove, size) /
                         polynomial(kErfcxBelow, size);
    return static_cast<float>(x < 0 ? 2 - found : found);
}

// erfinv(x) / x in w = -log(1 - x * x) on [0, 5], and in the root of w above, interpolated at
// Chebyshev's points with relative errors below 2**-33 and 2**-29.
constexpr double kErfinvCentre[] = {
    0.886226925398139564,    0.232013670245320189,     0.0115492994389566277,
    -0.00233490579592785889, -0.000128519737140408029, 0.0000473132709170280501,
    1.34580758515182196e-6,  -5.72854573501645923e-7,  -2.35062337802694416e-7,
    8.35065368400623623e-8,  -1.12970650023830613e-8,  7.59135843685960654e-10,
    -2.1203565131824689e-11,
};
constexpr double kErfinvTail[] = {
    -2.89010646745077092,    12.1824118624020894,     -16.7747578706378492,
    13.3329170504355482,     -6.33392649755726045,    1.82495497973829941,
    -0.279088545041838373,   0.00165861209367426252,  0.00825765831571593638,
    -0.00163497650056372365, 0.000143423376682473761, -5.04779449830831899e-6,
};

// The same for |x| <= 0.96 in x * x: a rational function with a relative error of 3e-9, fitted by
// reweighted least squares.
constexpr double kErfinvAbove[] = {
    0.886226927647128848, -2.75620637946142422, 3.1710494317584712,
    -1.61987521887160835, 0.334858239183694062, -0.015870333726517652,
};
constexpr double kErfinvBelow[] = {
    1,
    -3.37184500997649739,
    4.31695725597126412,
    -2.57033005427587202,
    0.685320678709773978,
    -0.06002330359481476,
};

inline double erfinv_exponent(float x) { return -wide_log((1 - double(x)) * (1 + double(x))); }

inline bool erfinv_is_usual(float x) { return absolute_of(x) <= 0.96f; }
inline float erfinv_of(float x) {
    const double s = double(x) * x;
    return static_cast<float>(x * polynomial(kErfinvAbove, s) / polynomial(kErfinvBelow, s));
}
inline float erfinv_exactly(float x) {
    const double w = erfinv_exponent(x), centre = polynomial(kErfinvCentre, w);
    const double tail = polynomial(kErfinvTail, std::sqrt(w));
    return absolute_of(x) == 1 ? x * INFINITY : static_cast<float>(x * (w > 5 ? tail : centre));
}

// Bessel functions times exp(-x): interpolated at Chebyshev's points in x / 4 - 1 on [0, 8], for
// the first order divided by x, and times sqrt(x) in 16 / x - 1 beyond, with relative errors below
// 2e-9.
constexpr double kI0Small[] = {
    0.207001921132988514,    -0.113004326854468345,    0.0945156467289458291,
    -0.0890434477046244122,  0.0873428177164228686,    -0.0849631721442877519,
    0.0792828433514502634,   -0.0695438540388639698,   0.0567279558583763527,
    -0.0429688112264770411,  0.0303587038159548774,    -0.0197458516000438115,
    0.0115573534426744087,   -0.0066514191772057531,   0.00416601587594413788,
    -0.00200447612241987181, 0.000414391784943292016,  -0.000227229527081363218,
    0.000348241117899306097, -0.000131520640570670361,
};
constexpr double kI0Large[] = {
    0.402176509445008046,    0.00336055585192529148,  0.000136216843116567161,
    1.11115254570272539e-05, 1.47679210631730039e-06, 3.63171030201162456e-07,
    1.08298985017946902e-07,
};
constexpr double kI1Small[] = {
    0.044687709864502434,     -0.061124338025989447,    0.0680576021296110528,
    -0.0684826069407462878,   0.0637673306459885653,    -0.0552800150355583358,
    0.0446755031637702804,    -0.0336716637131594596,   0.0236800166522737575,
    -0.0155693208799860365,   0.00960609543037662869,   -0.00554190835510439631,
    0.00295636276255777271,   -0.00152247085661656452,  0.000812048020497968233,
    -0.000363645375273336066, 9.37580576646725357e-05,  -4.31771120929624384e-05,
    4.74790911539457711e-05,  -1.69478706084191806e-05,
};
constexpr double kI1Large[] = {
    0.389398459074471348,     -0.00974957724131553238,  -0.000219237385358002617,
    -1.50370471431737762e-05, -1.82500693420017956e-06, -3.54819542858209047e-07,
    -1.23184199757320201e-07, -3.78560240932301895e-08,
};

template <int small_count, int large_count>
inline double scaled_bessel(double size, bool is_odd, const double (&small)[small_count],
                            const double (&large)[large_count]) {
    constexpr double kBorder = 8;
    const double near = polynomial(small, size * 0.25 - 1) * (is_odd ? size : 1);
    const double far = polynomial(large, 16 / size - 1) / std::sqrt(size);
    return size < kBorder ? near : far;
}

inline double i0e_of_size(double size) { return scaled_bessel(size, false, kI0Small, kI0Large); }
inline double i1e_of_size(double size) { return scaled_bessel(size, true, kI1Small, kI1Large); }

// Both grow beyond single precision before 100; at infinity they are NaN, as SciPy's.
inline float grown(double scaled, double size) {
    const float beyond = size < INFINITY ? INFINITY : NAN;
    return size > 100 ? beyond : static_cast<float>(scaled * wide_exp_inside(size));
}

inline float i0e_of(float x) { return static_cast<float>(i0e_of_size(absolute_of(double(x)))); }
inline float i0_of(float x) {
    const double size = absolute_of(double(x));
    return grown(i0e_of_size(size), size);
}
inline float i1e_of(float x) {
    return with_sign(static_cast<float>(i1e_of_size(absolute_of(double(x)))), x);
}
inline float i1_of(float x) {
    const double size = absolute_of(double(x));
    return with_sign(grown(i1e_of_size(size), size), x);
}

// The Bessel functions of the first kind on [-8, 8]: the distances of x * x from the squares of the
// first two zeros, times a polynomial in x * x / 32 - 1, and for the first order times x. The
// polynomials interpolate at Chebyshev's points, with relative errors below 1e-10.
constexpr double kJ0[] = {
    0.00114349377437625451,   -0.00211979428956625025,  0.00156364316459682204,
    -0.000641539062909578261, 0.000169772007066863913,  -3.15734350940951764e-05,
    4.36693273402000693e-06,  -4.67690658196506276e-07, 3.99874580158693407e-08,
    -2.81698759176712251e-09, 1.63699713956957518e-10,
};
constexpr double kJ1[] = {
    0.000194989369858956246,  -0.00026975227467473733,  0.000158600167993820927,
    -5.40800323288492371e-05, 1.22421736505717585e-05,  -1.98909386308635375e-06,
    2.44252239758943694e-07,  -2.35211292880038785e-08, 1.82682350082370396e-09,
    -1.17761978097700687e-10, 6.3159842654995277e-12,
};

inline bool j0_is_usual(float x) { return absolute_of(x) <= 8; }
inline float j0_of(float x) {
    const double s = double(x) * x, zeros = (s - 5.783185962946784) * (s - 30.471262343662087);
    return static_cast<float>(zeros * polynomial(kJ0, s * (1.0 / 32) - 1));
}
inline float j0_exactly(float x) {
    if (j0_is_usual(x)) return j0_of(x);
    return absolute_of(x) < INFINITY ? static_cast<float>(::j0(double(x))) : NAN;  // as SciPy's
}

inline bool j1_is_usual(float x) { return absolute_of(x) <= 8; }
inline float j1_of(float x) {
    const double s = double(x) * x, zeros = (s - 14.681970642123893) * (s - 49.2184563216946);
    return static_cast<float>(x * zeros * polynomial(kJ1, s * (1.0 / 32) - 1));
}
inline float j1_exactly(float x) {
    if (j1_is_usual(x)) return j1_of(x);
    return absolute_of(x) < INFINITY ? static_cast<float>(::j1(double(x))) : NAN;
}

// The quantile of the normal distribution, from that of erf; in the tails by Newton's method for
// the logarithm of the distribution function, which is concave.
inline bool ndtri_is_usual(float p) { return p > 0.002f && p < 0.998f; }
inline float ndtri_of(float p) {
    const double x = 2 * double(p) - 1, w = -wide_log(4 * double(p) * (1 - double(p)));
    return static_cast<float>(2 * kRootHalf * x * polynomial(kErfinvCentre, w));
}
inline float ndtri_exactly(float p) {
    if (ndtri_is_usual(p)) return ndtri_of(p);
    if (!(p > 0 && p < 1)) return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
    constexpr int kSteps = 8;
    constexpr double kDensity = 0.3989422804014327;
    const double tail = p < 0.5f ? double(p) : 1 - double(p);
    double y = -std::sqrt(-2 * std::log(tail));
    for (int step = 0; step < kSteps; ++step) {
        const double below = 0.5 * std::erfc(-y * kRootHalf);
        y -= std::log(below / tail) * below / (kDensity * std::exp(-0.5 * y * y));
    }
    return static_cast<float>(p < 0.5f ? y : -y);
}

// The coefficients of the Taylor series of sin(pi x) / x in x * x.
constexpr double kSinPi[] = {
    3.14159265358979324,     -5.16771278004997003,      2.55016403987734544,
    -0.599264529320792077,   0.0821458866111282288,     -0.00737043094571435078,
    0.000466302805767612564, -0.0000219153534478302158, 7.95205400147551278e-7,
};

inline float sinc_of(float x) {
    using F = Format<double>;
    const double wide = x, shifted = wide + F::rounder, r = wide - (shifted - F::rounder);
    const double sine = signed_by(r * polynomial(kSinPi, r * r), bits_of(shifted) & 1);
    const float found = static_cast<float>(sine / (wide * (2 * kHalfPi)));
    return x == 0 ? 1.0f : found;
}

// Stirling's series (Abramowitz and Stegun, "Handbook of Mathematical Functions", 6.1.40, 6.3.18
// and 6.4.12), after eight steps of the recurrence where the argument is small.
constexpr double kStirling[] = {
    1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156,
};
constexpr double kHalfLogOfTwoPi = 0.9189385332046727;
constexpr double kLargeEnough = 8;

inline bool gammaln_is_usual(float x) { return x > kNearZero && x < 1e30f; }
inline float gammaln_of(float x) {
    const double wide = x;
    const bool small = wide < kLargeEnough;
    const double z = small ? wide + 8 : wide, inverse = 1 / z;
    double product = wide;
#pragma GCC unroll 8
    for (int k = 1; k < 8; ++k) product *= wide + k;
    const double series = inverse * polynomial(kStirling, inverse * inverse);
    const double large = ((z - 0.5) * log_of_normal(z, 0.0) - z) + (kHalfLogOfTwoPi + series);
    const double found = small ? large - log_of_normal(product, 0.0) : large;
    return x == 1 || x == 2 ? 0.0f : static_cast<float>(found);
}
inline float gammaln_exactly(float x) { return static_cast<float>(std::lgamma(double(x))); }

constexpr double kDigamma[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                               1.0 / 132, -691.0 / 32760, 1.0 / 12};

inline double positive_digamma(double x) {
    // 1 / x + 1 / (x + 1) + ... as one fraction
    double above = 1, below = x;
#pragma GCC unroll 8
    for (int k = 1; k < 8; ++k) {
        above = above * (x + k) + below;
        below *= x + k;
    }
    const bool small = x < kLargeEnough;
    const double z = small ? x + 8 : x, inverse = 1 / z, square = inverse * inverse;
    const double series = 0.5 * inverse + square * polynomial(kDigamma, square);
    const double large = log_of_normal(z, 0.0) - series;
    return small ? large - above / below : large;
}

inline bool digamma_is_usual(float x) { return x > 0 && x < INFINITY; }
inline float digamma_of(float x) { return static_cast<float>(positive_digamma(x)); }
inline float digamma_exactly(float x) {
    if (digamma_is_usual(x)) return digamma_of(x);
    if (x == 0) return with_sign(INFINITY, -x);
    if (!(x < 0)) return x;
    if (is_whole(x)) return NAN;
    const double pi = 2 * kHalfPi, wide = x, turned = pi * (wide - std::round(wide));
    return static_cast<float>(positive_digamma(1 - wide) - pi / std::tan(turned));
}

constexpr double kTrigamma[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66};

inline double positive_trigamma(double x) {
    double sum = 0;
    const bool small = x < kLargeEnough;
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) sum += 1 / ((x + k) * (x + k));
    const double z = small ? x + 8 : x, inverse = 1 / z, square = inverse * inverse;
    const double series = inverse + square * (0.5 + inverse * polynomial(kTrigamma, square));
    return small ? sum + series : series;
}

inline bool trigamma_is_usual(float x) { return x > 0; }
inline float trigamma_of(float x) { return static_cast<float>(positive_trigamma(x)); }
inline float trigamma_exactly(float x) {
    if (x > 0) return trigamma_of(x);
    if (is_whole(x)) return INFINITY;
    const double pi = 2 * kHalfPi, wide = x;
    const double sine = std::sin(pi * (wide - std::floor(wide)));
    return static_cast<float>(pi * pi / (sine * sine) - positive_trigamma(1 - wide));
}

}  // namespace
}  // namespace pellucid
