// inverse, solve, determinant, cofactors and cholesky, as the NumPy kernels of these names, of
// small matrices: calling LAPACK for each takes longer than computing. Where a matrix is singular,
// or nearly so, they leave all of them to LAPACK.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/arguments.hpp"
#include "kernels/pieces.hpp"

namespace pellucid {
namespace {

constexpr long kLargest = 16, kMostColumns = 32;

// Square matrices without gaps; nothing if they are none, or none that are taken here.
struct Matrices {
    Ref array;
    Precision precision;
    long size = 0, count = 0;
};

Matrices read_matrices(PyObject* object) {
    Matrices read;
    if (!read_precision(object, &read.precision)) return read;
    PyArrayObject* a = as_array(object);
    const int ndim = PyArray_NDIM(a);
    if (ndim < 2 || PyArray_SIZE(a) == 0) return read;
    read.size = PyArray_DIM(a, ndim - 1);
    if (read.size > kLargest || PyArray_DIM(a, ndim - 2) != read.size) return read;
    read.count = PyArray_SIZE(a) / (read.size * read.size);
    read.array = contiguous(object, type_of(read.precision));
    return read;
}

// Run body(i, rows) for each matrix with memory for its computation on as many threads as pay,
// until one returns false; say whether none did.
template <class T, class Body>
bool for_each_matrix(const Matrices& matrices, const Body& body) {
    std::atomic<bool> all_done{true};
    const long n = matrices.size;
    const bool ran = unlocked([&] {
        in_pieces(matrices.count, units_at_once(n * n * n), [&](long begin, long end) {
            T rows[kLargest * (kLargest + kMostColumns)];
            for (long i = begin; i < end && all_done; ++i)
                if (!body(i, rows)) all_done = false;
        });
    });
    return ran && all_done;
}

// Gauss's elimination with the largest pivots, of rows of which the first `n` columns are a matrix;
// returns its determinant, and stops where a pivot is 0.
template <class T>
T eliminate(T* rows, long n, long width) {
    T determinant = 1;
    for (long k = 0; k < n && determinant != 0; ++k) {
        T *row = rows + k * width, *pivot = row;
        for (T* each = row + width; each < rows + n * width; each += width)
            if (std::abs(each[k]) > std::abs(pivot[k])) pivot = each;
        if (pivot != row) {
            std::swap_ranges(row + k, row + width, pivot + k);
            determinant = -determinant;
        }
        determinant *= row[k];
        for (T* each = row + width; row[k] != 0 && each < rows + n * width; each += width) {
            const T factor = each[k] / row[k];
            for (long j = k + 1; j < width; ++j) each[j] -= factor * row[j];
        }
    }
    return determinant;
}

// The other columns of eliminated rows, divided by the matrix.
template <class T>
void substitute(T* rows, long n, long width) {
    for (long k = n - 1; k >= 0; --k) {
        T* row = rows + k * width;
        for (long j = n; j < width; ++j) row[j] /= row[k];
        for (T* each = rows; each < row; each += width)
            for (long j = n; j < width; ++j) each[j] -= each[k] * row[j];
    }
}

// The rows of a matrix, each beside that of another one; of the identity if there is none.
template <class T>
void place_beside(const T* a, const T* b, long n, long columns, T* rows) {
    for (long i = 0; i < n; ++i, rows += n + columns) {
        std::copy_n(a + i * n, n, rows);
        if (b != nullptr) {
            std::copy_n(b + i * columns, columns, rows + n);
        } else {
            std::fill_n(rows + n, columns, T(0));
            rows[n + i] = 1;
        }
    }
}

// b, or the identity, divided by each matrix. A determinant of 0 may also come of underflow.
template <class T>
bool solve_each(const Matrices& a, const T* b, long columns, T* out) {
    const long n = a.size, width = n + columns;
    return for_each_matrix<T>(a, [&](long i, T* rows) {
        const T* right = b == nullptr ? nullptr : b + i * n * columns;
        place_beside(a.array.data<const T>() + i * n * n, right, n, columns, rows);
        if (eliminate(rows, n, width) == 0) return false;
        substitute(rows, n, width);
        for (long k = 0; k < n; ++k)
            std::copy_n(rows + k * width + n, columns, out + (i * n + k) * columns);
        return true;
    });
}

// By the transposed matrix, as LAPACK sees one that is laid out by rows: the same rounding follows.
// Elimination may stop at a zero before it comes to a NaN.
template <class T>
bool determinant_of_each(const Matrices& a, T* out) {
    const long n = a.size;
    return for_each_matrix<T>(a, [&](long i, T* rows) {
        const T* matrix = a.array.data<const T>() + i * n * n;
        for (long k = 0; k < n * n; ++k) rows[k % n * n + k / n] = matrix[k];
        out[i] = eliminate(rows, n, n);
        if (out[i] == 0 && std::any_of(matrix, matrix + n * n, [](T each) { return each != each; }))
            out[i] = std::numeric_limits<T>::quiet_NaN();
        return true;
    });
}

// The determinant times the inverse, which is the transposed result, where the condition number is
// far below 1 / epsilon.
template <class T>
bool cofactors_of_each(const Matrices& a, T* out) {
    constexpr T kMostCondition = T(1e-3) / std::numeric_limits<T>::epsilon();
    const long n = a.size;
    return for_each_matrix<T>(a, [&](long i, T* rows) {
        const T* matrix = a.array.data<const T>() + i * n * n;
        place_beside(matrix, static_cast<const T*>(nullptr), n, n, rows);
        const T determinant = eliminate(rows, n, 2 * n);
        if (determinant == 0) return false;
        substitute(rows, n, 2 * n);
        T largest = 0, largest_inverse = 0;
        for (long k = 0; k < n; ++k) {
            T sum = 0, sum_inverse = 0;
            for (long j = 0; j < n; ++j) {
                const T inverse = rows[2 * k * n + n + j];
                sum += std::abs(matrix[k * n + j]);
                sum_inverse += std::abs(inverse);
                out[(i * n + k) * n + j] = determinant * inverse;
            }
            largest = std::max(largest, sum);
            largest_inverse = std::max(largest_inverse, sum_inverse);
        }
        return largest * largest_inverse < kMostCondition;
    });
}

// The lower factor L of L @ L.T, or its transpose, of which one triangle of the matrix is read.
template <class T>
bool factorize_each(const Matrices& a, bool upper, T* out) {
    const long n = a.size;
    return for_each_matrix<T>(a, [&](long i, T* rows) {
        const T* matrix = a.array.data<const T>() + i * n * n;
        T* to = out + i * n * n;
        std::fill_n(to, n * n, T(0));
        for (long k = 0; k < n; ++k)
            for (long j = 0; j <= k; ++j) {
                T left = upper ? matrix[j * n + k] : matrix[k * n + j];
                for (long m = 0; m < j; ++m) left -= rows[k * n + m] * rows[j * n + m];
                if (j == k && !(left > 0)) return false;
                const T element = j == k ? std::sqrt(left) : left / rows[j * n + j];
                rows[k * n + j] = element;
                to[upper ? j * n + k : k * n + j] = element;
            }
        return true;
    });
}

// What a batch of matrices gives, by a function of them and of where results go.
template <class Each>
PyObject* computed(const Matrices& a, Ref out, const Each& each) {
    if (!out) return nullptr;
    const bool done = a.precision == kSingle ? each(out.data<float>()) : each(out.data<double>());
    return done ? out.release() : declined();
}

// The same with zeros beside, which say that LAPACK would have met no zero pivot.
PyObject* with_infos(const Matrices& a, PyObject* found) {
    if (found == nullptr || found == Py_NotImplemented) return found;
    Ref first(found);
    PyArrayObject* array = a.array.array();
    Ref infos(PyArray_ZEROS(PyArray_NDIM(array) - 2, PyArray_DIMS(array), NPY_INT32, 0));
    return infos ? PyTuple_Pack(2, first.get(), infos.get()) : nullptr;
}

}  // namespace

// inverse(a)
PyObject* inverse(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    const Matrices a = count == 1 ? read_matrices(arguments[0]) : Matrices();
    if (!a.array) return declined();
    const auto inverted = [&](auto* out) {
        return solve_each(a, decltype(out){nullptr}, a.size, out);
    };
    return with_infos(a, computed(a, new_like(a.array, type_of(a.precision)), inverted));
}

// solve(a, b)
PyObject* solve(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    const Matrices a = count == 2 ? read_matrices(arguments[0]) : Matrices();
    if (!a.array) return declined();
    const int ndim = PyArray_NDIM(a.array.array()), type = type_of(a.precision);
    const Ref b = contiguous(arguments[1], type);
    // the right-hand sides are as many matrices as there are on the left
    if (!b || PyArray_NDIM(b.array()) != ndim || b.size() == 0 ||
        !std::equal(PyArray_DIMS(b.array()), PyArray_DIMS(b.array()) + ndim - 1,
                    PyArray_DIMS(a.array.array())))
        return declined();
    const long columns = PyArray_DIM(b.array(), ndim - 1);
    if (columns > kMostColumns) return declined();
    const auto solved = [&](auto* out) {
        return solve_each(a, b.data<std::remove_pointer_t<decltype(out)>>(), columns, out);
    };
    return with_infos(a, computed(a, new_like(b, type), solved));
}

// determinant(a)
PyObject* determinant(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    const Matrices a = count == 1 ? read_matrices(arguments[0]) : Matrices();
    if (!a.array) return declined();
    PyArrayObject* array = a.array.array();
    const auto each = [&](auto* out) { return determinant_of_each(a, out); };
    Ref out = new_array(PyArray_NDIM(array) - 2, PyArray_DIMS(array), type_of(a.precision));
    return computed(a, std::move(out), each);
}

// cofactors(a): laid out by columns, as NumPy's transposed inverse is
PyObject* cofactors(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    const Matrices a = count == 1 ? read_matrices(arguments[0]) : Matrices();
    if (!a.array) return declined();
    const auto each = [&](auto* out) { return cofactors_of_each(a, out); };
    PyObject* found = computed(a, new_like(a.array, type_of(a.precision)), each);
    if (found == nullptr || found == Py_NotImplemented) return found;
    const Ref turned(found);
    const int ndim = PyArray_NDIM(turned.array());
    return PyArray_SwapAxes(turned.array(), ndim - 2, ndim - 1);
}

// cholesky(a, upper)
PyObject* cholesky(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    const Matrices a = count == 2 ? read_matrices(arguments[0]) : Matrices();
    if (!a.array || !PyBool_Check(arguments[1])) return declined();
    const auto each = [&](auto* out) { return factorize_each(a, arguments[1] == Py_True, out); };
    return with_infos(a, computed(a, new_like(a.array, type_of(a.precision)), each));
}

}  // namespace pellucid
