// Sums that are no less exact than pairwise ones.
#pragma once

#include "kernels/vectors.hpp"

namespace pellucid {
namespace {

// So many elements are added up in vectors, in four of them with eight additions in a row each;
// these sums, with care.
template <class T>
constexpr long kSummedTogether = 32 * VectorOf<T>::size;

// Adds numbers without losing what the total cannot hold: those of single precision in double,
// others as in A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher
// Summen" (1974).
template <class T>
class Total;

template <>
class Total<float> {
  public:
    void add(float value) { sum_ += value; }
    double value() const { return sum_; }

  private:
    double sum_ = 0;
};

template <>
class Total<double> {
  public:
    void add(double value) {
        const double sum = sum_ + value;
        const double big = __builtin_fabs(sum_) >= __builtin_fabs(value) ? sum_ : value;
        const double small = big == value ? sum_ : value;
        lost_ += (big - sum) + small;
        sum_ = sum;
    }
    double value() const {
        const double total = sum_ + lost_;
        return total == total ? total : sum_;  // infinities have lost nothing
    }

  private:
    double sum_ = 0, lost_ = 0;
};

// The sum of term(i, Vector) for the elements of a vector at i, and of term(i, T) for single ones.
template <class T, class Term>
T sum_of_block(long begin, long end, const Term& term) {
    constexpr int size = VectorOf<T>::size;
    Vector<T> first = {}, second = {}, third = {}, fourth = {};
    long i = begin;
    for (; i + 4 * size <= end; i += 4 * size) {
        first += term.vector(i);
        second += term.vector(i + size);
        third += term.vector(i + 2 * size);
        fourth += term.vector(i + 3 * size);
    }
    for (; i + size <= end; i += size) first += term.vector(i);
    const T all = folded<T>((first + second) + (third + fourth),
                            [](Vector<T> a, Vector<T> b) { return a + b; });
    T rest = 0;
    for (; i < end; ++i) rest += term.single(i);
    return all + rest;
}

template <class T, class Term>
void add_terms(long count, const Term& term, Total<T>* total) {
    for (long begin = 0; begin < count; begin += kSummedTogether<T>)
        total->add(sum_of_block<T>(begin, smaller(count, begin + kSummedTogether<T>), term));
}

template <class T, class Term>
T total_of(long count, const Term& term) {
    Total<T> total;
    add_terms<T>(count, term, &total);
    return T(total.value());
}

// The same of two kinds of terms, which read the same memory, block by block.
template <class T, class First, class Second>
void add_both_terms(long count, const First& first, const Second& second, Total<T>* first_total,
                    Total<T>* second_total) {
    for (long begin = 0; begin < count; begin += kSummedTogether<T>) {
        const long end = smaller(count, begin + kSummedTogether<T>);
        first_total->add(sum_of_block<T>(begin, end, first));
        second_total->add(sum_of_block<T>(begin, end, second));
    }
}

// Terms: x, x * x, (x - mean)**2, g * (x - mean), x * y.
template <class T>
struct Elements {
    const T* x;
    Vector<T> vector(long i) const { return load(x + i); }
    T single(long i) const { return x[i]; }
};

template <class T>
struct Squares {
    const T* x;
    Vector<T> vector(long i) const { return load(x + i) * load(x + i); }
    T single(long i) const { return x[i] * x[i]; }
};

template <class T>
struct SquaredDistances {
    const T* x;
    T mean;
    Vector<T> vector(long i) const {
        const Vector<T> d = load(x + i) - mean;
        return d * d;
    }
    T single(long i) const { return (x[i] - mean) * (x[i] - mean); }
};

template <class T>
struct WeightedDistances {
    const T *g, *x;
    T mean;
    Vector<T> vector(long i) const { return load(g + i) * (load(x + i) - mean); }
    T single(long i) const { return g[i] * (x[i] - mean); }
};

template <class T>
struct Products {
    const T *x, *y;
    Vector<T> vector(long i) const { return load(x + i) * load(y + i); }
    T single(long i) const { return x[i] * y[i]; }
};

// 1 for each element that is zero: exact, as the sums of blocks are small.
template <class T>
struct Zeros {
    const T* x;
    Vector<T> vector(long i) const {
        const Vector<T> zero = {}, one = zero + 1;
        return load(x + i) == zero ? one : zero;
    }
    T single(long i) const { return x[i] == 0 ? T(1) : T(0); }
};

template <class T>
struct SquaredDifferences {
    const T *x, *y;
    Vector<T> vector(long i) const {
        const Vector<T> d = load(x + i) - load(y + i);
        return d * d;
    }
    T single(long i) const { return (x[i] - y[i]) * (x[i] - y[i]); }
};

template <class T>
void squares_and_zeros(const void* from, long count, double* squares, double* zeros) {
    const T* x = static_cast<const T*>(from);
    Total<T> sum, found;
    add_both_terms<T>(count, Squares<T>{x}, Zeros<T>{x}, &sum, &found);
    *squares = sum.value();
    *zeros = found.value();
}

template <class T>
double squared_distance(const void* x, const void* y, long count) {
    Total<T> sum;
    add_terms<T>(count, SquaredDifferences<T>{static_cast<const T*>(x), static_cast<const T*>(y)},
                 &sum);
    return sum.value();
}

template <class T>
void dot_product(const void* x, const void* y, long count, void* out) {
    const Products<T> terms{static_cast<const T*>(x), static_cast<const T*>(y)};
    *static_cast<T*>(out) = total_of<T>(count, terms);
}

}  // namespace
}  // namespace pellucid
