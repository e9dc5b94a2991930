// Products, running extremes and parts of matrices along a dimension, as in the NumPy kernels of
// the same names.
#include <algorithm>
#include <cstring>

#include "kernels/lanes.hpp"
#include "kernels/pieces.hpp"

namespace pellucid {
namespace {

// Neighbouring lanes, which are gone through side by side.
constexpr long kSideBySide = 64;

// Runs body(first, step, count) for bundles of neighbouring lanes: the place of the first element
// of the first lane, the distance between elements of a lane, and how many lanes there are.
template <class Body>
void in_bundles(const Lanes& lanes, const Body& body) {
    const long bundles = (lanes.inner + kSideBySide - 1) / kSideBySide;
    const long width = std::min(kSideBySide, lanes.inner);
    in_pieces(lanes.outer * bundles, units_at_once(lanes.size * width), [&](long begin, long end) {
        for (long bundle = begin; bundle < end; ++bundle) {
            const long first = bundle % bundles * kSideBySide;
            body(bundle / bundles * lanes.size * lanes.inner + first, lanes.inner,
                 std::min(kSideBySide, lanes.inner - first));
        }
    });
}

// ---- products -----------------------------------------------------------------------------------

// In double precision; see product_of_row.
void products(const Lanes& lanes, const float* x, float* out) {
    if (lanes.inner == 1)
        return run_rows({x, out, lanes.outer, lanes.size, 1}, kernels().product_rows);
    in_bundles(lanes, [&](long first, long step, long count) {
        double totals[kSideBySide];
        std::fill(totals, totals + count, 1.0);
        for (long k = 0; k < lanes.size; ++k)
            for (long i = 0; i < count; ++i)
                totals[i] *= static_cast<double>(x[first + k * step + i]);
        const long outer = first / (lanes.size * step);
        float* to = out + outer * step + first % step;
        for (long i = 0; i < count; ++i) to[i] = static_cast<float>(totals[i]);
    });
}

// ---- running extremes ---------------------------------------------------------------------------

struct Larger {
    template <class T>
    static bool replaces(T x, T best) {
        return x >= best;
    }
};

struct Smaller {
    template <class T>
    static bool replaces(T x, T best) {
        return x <= best;
    }
};

struct RunningExtremes {
    Lanes lanes;
    const void* x;
    void* values;
    long long* places;
};

// A NaN stays until the end, with the place of the last one.
template <class T, class Order>
bool is_next(T value, T best) {
    return Order::replaces(value, best) || value != value;
}

template <class T, class Order>
void run_extremes_of_row(const T* x, T* values, long long* places, long size) {
    T best = x[0];
    long long place = 0;
    for (long k = 0; k < size; ++k) {
        const bool is_new = is_next<T, Order>(x[k], best);
        best = is_new ? x[k] : best;
        place = is_new ? k : place;
        values[k] = best;
        places[k] = place;
    }
}

template <class T, class Order>
void run_extremes(const RunningExtremes& job) {
    const T* x = static_cast<const T*>(job.x);
    T* values = static_cast<T*>(job.values);
    if (job.lanes.inner == 1) {
        const long size = job.lanes.size;
        in_pieces(job.lanes.outer, units_at_once(size), [&](long begin, long end) {
            for (long at = begin * size; at < end * size; at += size)
                run_extremes_of_row<T, Order>(x + at, values + at, job.places + at, size);
        });
        return;
    }
    in_bundles(job.lanes, [&](long first, long step, long count) {
        T best[kSideBySide];
        long long place[kSideBySide] = {};
        std::copy(x + first, x + first + count, best);
        for (long k = 0; k < job.lanes.size; ++k) {
            const long at = first + k * step;
            for (long i = 0; i < count; ++i) {
                const T value = x[at + i];
                const bool is_new = is_next<T, Order>(value, best[i]);
                best[i] = is_new ? value : best[i];
                place[i] = is_new ? k : place[i];
                values[at + i] = best[i];
                job.places[at + i] = place[i];
            }
        }
    });
}

template <class Order>
PyObject* running_extremes(PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject* given = count == 2 ? as_array(arguments[0]) : nullptr;
    if (given == nullptr || PyArray_SIZE(given) == 0) return declined();
    void (*run)(const RunningExtremes&) = nullptr;
    const int type = PyArray_TYPE(given);
    if (type == NPY_FLOAT) run = run_extremes<float, Order>;
    if (type == NPY_DOUBLE) run = run_extremes<double, Order>;
    if (type == NPY_INT64) run = run_extremes<long long, Order>;
    RunningExtremes job;
    if (run == nullptr || !read_lanes(given, arguments[1], &job.lanes)) return declined();
    const Ref x = contiguous(arguments[0], type);
    if (!x) return declined();
    const Ref values = new_like(x, type), places = new_like(x, NPY_INT64);
    if (!values || !places) return nullptr;
    job.x = x.data();
    job.values = values.data();
    job.places = places.data<long long>();
    if (!unlocked([&] { run(job); })) return nullptr;
    return PyTuple_Pack(2, values.get(), places.get());
}

// ---- parts of matrices --------------------------------------------------------------------------

// Keeps the columns up to, or from, that of each row's diagonal; the others are zero.
PyObject* triangle(PyObject* const* arguments, Py_ssize_t count, bool lower) {
    long diagonal;
    PyArrayObject* array = count == 2 ? as_array(arguments[0]) : nullptr;
    if (array == nullptr || PyArray_NDIM(array) < 2 || !read_integer(arguments[1], &diagonal))
        return declined();
    if (!PyDataType_ISNUMBER(PyArray_DESCR(array)) && !PyArray_ISBOOL(array)) return declined();
    const Ref x = contiguous(arguments[0], PyArray_TYPE(array));
    if (!x) return declined();
    Ref out = new_like(x, PyArray_TYPE(array));
    if (!out || x.size() == 0) return out.release();
    const int ndim = PyArray_NDIM(array);
    const long rows = PyArray_DIM(array, ndim - 2), columns = PyArray_DIM(array, ndim - 1);
    const long item = x.item_size(), bound = rows + columns;
    diagonal = std::max(-bound, std::min(bound, diagonal));
    const bool done = unlocked([&] {
        in_pieces(x.size() / columns, units_at_once(columns), [&](long begin, long end) {
            for (long row = begin; row < end; ++row) {
                const long from_diagonal = row % rows + diagonal + (lower ? 1 : 0);
                const long split = std::max(0L, std::min(columns, from_diagonal)) * item;
                const char* from = x.data<char>() + row * columns * item;
                char* to = out.data<char>() + row * columns * item;
                const long width = columns * item;
                std::memcpy(to + (lower ? 0 : split), from + (lower ? 0 : split),
                            lower ? split : width - split);
                std::memset(to + (lower ? split : 0), 0, lower ? width - split : split);
            }
        });
    });
    return done ? out.release() : nullptr;
}

}  // namespace

// product(x, axis, dtype, keepdims)
PyObject* product(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject* array = count == 4 ? as_array(arguments[0]) : nullptr;
    if (array == nullptr || PyArray_TYPE(array) != NPY_FLOAT || PyArray_SIZE(array) == 0)
        return declined();
    PyObject* axis = arguments[1];
    if (PyTuple_Check(axis) && PyTuple_GET_SIZE(axis) == 1) axis = PyTuple_GET_ITEM(axis, 0);
    const bool same_type = arguments[2] == Py_None ||
                           (PyArray_DescrCheck(arguments[2]) &&
                            reinterpret_cast<PyArray_Descr*>(arguments[2])->type_num == NPY_FLOAT);
    Lanes lanes;
    if (!same_type || !read_lanes(array, axis, &lanes)) return declined();
    const Ref x = contiguous(arguments[0], NPY_FLOAT);
    if (!x) return declined();
    npy_intp shape[NPY_MAXDIMS];
    int kept = 0;
    long along = PyLong_AsLong(axis);
    if (along < 0) along += PyArray_NDIM(array);
    for (int dim = 0; dim < PyArray_NDIM(array); ++dim) {
        const bool reduced = dim == along;
        if (!reduced || arguments[3] == Py_True)
            shape[kept++] = reduced ? 1 : PyArray_DIM(array, dim);
    }
    Ref out = new_array(kept, shape, NPY_FLOAT);
    if (!out) return nullptr;
    const bool done = unlocked([&] { products(lanes, x.data<float>(), out.data<float>()); });
    return done ? out.release() : nullptr;
}

// cummax(x, axis)
PyObject* cummax(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return running_extremes<Larger>(arguments, count);
}

// cummin(x, axis)
PyObject* cummin(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return running_extremes<Smaller>(arguments, count);
}

// tril(x, k)
PyObject* tril(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return triangle(arguments, count, true);
}

// triu(x, k)
PyObject* triu(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return triangle(arguments, count, false);
}

}  // namespace pellucid
