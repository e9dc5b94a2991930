// total and column_sums, as in the NumPy kernels of the same names.
#include <algorithm>

#include "kernels/arguments.hpp"
#include "kernels/reductions.hpp"

namespace pellucid {
namespace {

// Read which neighbouring dimensions are added up; false for others.
bool read_axes(PyObject* axes, int ndim, int* first, int* last) {
    *first = 0;
    *last = ndim - 1;
    if (axes == Py_None) return true;
    if (!PyTuple_Check(axes) || PyTuple_GET_SIZE(axes) == 0) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(axes); ++i) {
        long axis;
        if (!read_integer(PyTuple_GET_ITEM(axes, i), &axis) || axis < 0 || axis >= ndim)
            return false;
        if (i == 0) *first = static_cast<int>(axis);
        if (axis != *first + i) return false;
        *last = static_cast<int>(axis);
    }
    return true;
}

template <class T>
void collect(const SumJob& job, T* out) {
    const long size = job.outer * job.inner;
    for (long i = 0; i < size; ++i) {
        double sum = job.partial[i];
        for (long share = 1; share < job.shares; ++share) sum += job.partial[share * size + i];
        out[i] = static_cast<T>(sum);
    }
}

// How many blocks of columns are added up by themselves.
long blocks_of(const SumJob& job) {
    return job.inner == 1 ? 1 : (job.inner + kColumns - 1) / kColumns;
}

// Divide what is added up so that there is work for several threads, by the sizes alone.
long shares_of(const SumJob& job) {
    constexpr long kGrain = 1 << 17, kMost = 16;
    const long units = job.outer * blocks_of(job);
    const long wished = job.outer * job.count * job.inner / kGrain / std::max(1L, units);
    return std::max(1L, std::min({kMost, wished, job.count}));
}

// Whether there is anything, not in many narrow columns, which are left to NumPy.
bool can_sum(const Ref& x, long inner) {
    constexpr long kFew = 1 << 12;
    return x.size() > 0 && (inner == 1 || inner >= 16 || x.size() <= kFew);
}

// What is added up.

// Sums over the dimensions from `first` to `last` of a contiguous array.
PyObject* sums(const Ref& x, Precision precision, int first, int last, bool keeps,
               SumOf terms = kElements) {
    const int ndim = PyArray_NDIM(x.array());
    const npy_intp* shape = PyArray_DIMS(x.array());
    SumJob job{};
    job.x = x.data();
    job.outer = PyArray_MultiplyList(shape, first);
    job.count = PyArray_MultiplyList(shape + first, last + 1 - first);
    job.inner = PyArray_MultiplyList(shape + last + 1, ndim - last - 1);
    npy_intp kept[NPY_MAXDIMS];
    int count = 0;
    for (int d = 0; d < ndim; ++d) {
        const bool added = first <= d && d <= last;
        if (!added || keeps) kept[count++] = added ? 1 : shape[d];
    }
    if (!can_sum(x, job.inner)) return declined();
    job.shares = shares_of(job);
    const int type = type_of(precision);
    Ref out = new_array(count, kept, type);
    npy_intp partial_size = job.shares * job.outer * job.inner;
    const Ref partial = new_array(1, &partial_size, NPY_DOUBLE);
    if (!out || !partial) return nullptr;
    job.partial = partial.data<double>();
    const long blocks = blocks_of(job);
    const auto& loops =
        (job.inner == 1 ? kernels().sum_row_share : kernels().sum_column_share)[terms];
    const bool done = unlocked([&] {
        const long parts = job.shares * job.outer * blocks;
        const long together = std::max(1L, parts * (1L << 14) / std::max(1L, x.size()));
        struct Work {
            const SumJob* job;
            Part<SumJob> part;
            long parts, together;
        } work{&job, loops[precision], parts, together};
        run_tasks((parts + together - 1) / together,
                  [](void* context, long i) {
                      const Work& w = *static_cast<const Work*>(context);
                      for (long p = i * w.together; p < std::min(w.parts, (i + 1) * w.together);
                           ++p)
                          w.part(*w.job, p);
                  },
                  &work);
        precision == kSingle ? collect(job, out.data<float>()) : collect(job, out.data<double>());
    });
    return done ? out.release() : nullptr;
}

}  // namespace

PyObject* sum_of(PyArrayObject* x) {
    PyObject* object = reinterpret_cast<PyObject*>(x);
    Precision precision;
    if (!read_precision(object, &precision) || !PyArray_IS_C_CONTIGUOUS(x)) return nullptr;
    const Ref found = contiguous(object, type_of(precision));
    if (!found || PyArray_NDIM(x) == 0 || PyArray_SIZE(x) == 0) return nullptr;
    return sums(found, precision, 0, PyArray_NDIM(x) - 1, false);
}

namespace {

PyObject* total_of(PyObject* const* arguments, Py_ssize_t count, SumOf terms) {
    Precision precision;
    int first, last;
    if (count != 3 || !read_precision(arguments[0], &precision) || !PyBool_Check(arguments[2]))
        return declined();
    PyArrayObject* array = as_array(arguments[0]);
    if (PyArray_NDIM(array) == 0 || !PyArray_IS_C_CONTIGUOUS(array)) return declined();
    const int ndim = PyArray_NDIM(array);
    if (!read_axes(arguments[1], ndim, &first, &last)) return declined();
    // the sums of few rows need no care
    const npy_intp rows = PyArray_MultiplyList(PyArray_DIMS(array) + first, last + 1 - first);
    if (terms == kElements && last < ndim - 1 && rows <= 8) return declined();
    const Ref x = contiguous(arguments[0], type_of(precision));
    return x ? sums(x, precision, first, last, arguments[2] == Py_True, terms) : declined();
}

}  // namespace

PyObject* sum_over(PyArrayObject* x, PyObject* dims, bool keeps) {
    const Py_ssize_t count = PyTuple_CheckExact(dims) ? PyTuple_GET_SIZE(dims) : 1;
    Ref axes(PyTuple_New(count));
    for (Py_ssize_t i = 0; axes && i < count; ++i) {
        PyObject* dim = PyTuple_CheckExact(dims) ? PyTuple_GET_ITEM(dims, i) : dims;
        long axis;
        if (!PyLong_CheckExact(dim) || !read_integer(dim, &axis)) return nullptr;
        if (axis < 0) axis += PyArray_NDIM(x);
        PyTuple_SET_ITEM(axes.get(), i, PyLong_FromLong(axis));
    }
    if (!axes) return nullptr;
    PyObject* const given[] = {reinterpret_cast<PyObject*>(x), axes.get(),
                               keeps ? Py_True : Py_False};
    Ref found(total_of(given, 3, kElements));
    return found.get() == Py_NotImplemented ? nullptr : found.release();
}

// total(x, axes, keepdims)
PyObject* total(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return total_of(arguments, count, kElements);
}

// total_of_squares(x, axes, keepdims)
PyObject* total_of_squares(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return total_of(arguments, count, kSquares);
}

PyObject* column_sums_of(PyArrayObject* rows) {
    PyObject* object = reinterpret_cast<PyObject*>(rows);
    Precision precision;
    const int ndim = PyArray_NDIM(rows);
    if (!read_precision(object, &precision) || ndim < 2 || !PyArray_IS_C_CONTIGUOUS(rows))
        return nullptr;
    const Ref x = contiguous(object, type_of(precision));
    const bool can = x && can_sum(x, PyArray_DIM(rows, ndim - 1));
    return can ? sums(x, precision, 0, ndim - 2, false) : nullptr;
}

// column_sums(rows)
PyObject* column_sums(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 1 || !PyArray_CheckExact(arguments[0])) return declined();
    if (PyArray_NDIM(as_array(arguments[0])) != 2) return declined();
    PyObject* found = column_sums_of(as_array(arguments[0]));
    return found != nullptr ? found : declined();
}

}  // namespace pellucid
