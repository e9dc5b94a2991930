// attention and attention_to_inputs, as in the NumPy kernels of the same names.
#include <algorithm>
#include <vector>

#include "kernels/arguments.hpp"
#include "kernels/matrices.hpp"

namespace pellucid {
namespace {

// The matrices of one operand.
class Entries {
  public:
    // Read an array [*batch, rows, columns]; false where it has no such shape.
    bool read(PyObject* object, Precision wanted, int ndim, const npy_intp* batch, long rows) {
        Precision precision;
        if (!read_precision(object, &precision) || precision != wanted) return false;
        if (PyArray_NDIM(as_array(object)) != ndim) return false;
        Matrix first;
        array_ = readable(as_array(object), &first);
        if (!array_ || !std::equal(batch, batch + ndim - 2, PyArray_DIMS(array_.array())))
            return false;
        list(first, ndim, batch);
        return last(array_.array(), 2) == rows && array_.size() > 0;
    }

    // Make a new array in the shape of another, and in its order in memory where rows are not
    // apart.
    bool make_like(const Entries& other) {
        PyArrayObject* like = other.array_.array();
        const int ndim = PyArray_NDIM(like);
        Matrix first;
        array_ = Ref(PyArray_NewLikeArray(like, NPY_KEEPORDER, nullptr, 0));
        if (array_ && (!read_matrix(array_.array(), &first) || first.turned)) {
            array_ = new_array(ndim, PyArray_DIMS(like), PyArray_TYPE(like));
            if (array_) read_matrix(array_.array(), &first);
        }
        if (!array_) return false;
        list(first, ndim, PyArray_DIMS(like));
        return true;
    }

    // Make a new contiguous array.
    bool make(int ndim, const npy_intp* shape, int type) {
        array_ = new_array(ndim, shape, type);
        Matrix first;
        if (!array_ || !read_matrix(array_.array(), &first)) return false;
        list(first, ndim, shape);
        return true;
    }

    const Matrix* data() const { return matrices_.data(); }
    long columns() const { return last(array_.array(), 1); }
    PyObject* array() const { return array_.get(); }

  private:
    void list(const Matrix& first, int ndim, const npy_intp* batch) {
        const long count = PyArray_MultiplyList(batch, ndim - 2);
        for (long entry = 0; entry < count; ++entry) {
            const char* data = static_cast<const char*>(first.data);
            matrices_.push_back(first);
            matrices_.back().data = data + offset_of(array_.array(), ndim, batch, entry);
        }
    }

    Ref array_;
    std::vector<Matrix> matrices_;
};

struct Operands {
    Precision precision;
    int ndim;
    npy_intp shape[NPY_MAXDIMS];  // of the batch
    Entries query, key, value;
    AttentionJob job{};

    // query, key, value, scale, is_causal
    bool read(PyObject* const* arguments) {
        constexpr long kScoresAtOnce = 1 << 14, kFewestRows = 16, kCausalRows = 32;
        PyArrayObject *q = as_array(arguments[0]), *k = as_array(arguments[1]);
        if (!has_blas() || q == nullptr || k == nullptr) return false;
        ndim = PyArray_NDIM(q);
        if (ndim < 2 || PyArray_NDIM(k) != ndim || !read_precision(arguments[0], &precision))
            return false;
        std::copy(PyArray_DIMS(q), PyArray_DIMS(q) + ndim, shape);
        job.queries = last(q, 2);
        job.keys = last(k, 2);
        if (!query.read(arguments[0], precision, ndim, shape, job.queries) ||
            !key.read(arguments[1], precision, ndim, shape, job.keys) ||
            !value.read(arguments[2], precision, ndim, shape, job.keys) ||
            key.columns() != query.columns() || !read_number(arguments[3], &job.scale) ||
            !PyBool_Check(arguments[4]))
            return false;
        job.query = query.data();
        job.key = key.data();
        job.value = value.data();
        job.entries = PyArray_MultiplyList(shape, ndim - 2);
        job.width = query.columns();
        job.value_width = value.columns();
        job.causal = arguments[4] == Py_True;
        job.rows_at_once = std::min(job.queries, std::max(kFewestRows, kScoresAtOnce / job.keys));
        // all queries of a block are multiplied with the keys that its last one sees
        if (job.causal) job.rows_at_once = std::min(job.rows_at_once, kCausalRows);
        job.blocks = (job.queries + job.rows_at_once - 1) / job.rows_at_once;
        return true;
    }

    // The result; see `of_queries` in core/memory/layouts.py.
    bool make_out(Entries* out) {
        if (ndim == 4 && job.width == job.value_width) return out->make_like(query);
        shape[ndim - 2] = job.queries;
        shape[ndim - 1] = job.value_width;
        return out->make(ndim, shape, type_of(precision));
    }
};

}  // namespace

// attention(query, key, value, scale, is_causal)
PyObject* attention(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Operands operands;
    if (count != 5 || !operands.read(arguments)) return declined();
    AttentionJob& job = operands.job;
    Entries out;
    if (!operands.make_out(&out)) return nullptr;
    job.out = out.data();
    const bool done = unlocked([&] {
        const SingleThreadedBlas alone;
        run_parts(job.entries * job.blocks, kernels().attend_block[operands.precision], job);
    });
    return done ? Py_NewRef(out.array()) : nullptr;
}

// attention_to_inputs(grad, query, key, value, scale, is_causal)
PyObject* attention_to_inputs(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Operands operands;
    if (count != 6 || !operands.read(arguments + 1)) return declined();
    AttentionJob& job = operands.job;
    Entries grad;
    if (!grad.read(arguments[0], operands.precision, operands.ndim, operands.shape, job.queries) ||
        grad.columns() != job.value_width)
        return declined();
    Entries by_query, by_key, by_value;
    if (!by_query.make_like(operands.query) || !by_key.make_like(operands.key) ||
        !by_value.make_like(operands.value))
        return nullptr;
    job.grad = grad.data();
    job.grad_query = by_query.data();
    job.grad_key = by_key.data();
    job.grad_value = by_value.data();
    const bool done = unlocked([&] {
        const SingleThreadedBlas alone;
        run_parts(job.entries, kernels().attend_entry_to_inputs[operands.precision], job);
    });
    return done ? PyTuple_Pack(3, by_query.array(), by_key.array(), by_value.array()) : nullptr;
}

}  // namespace pellucid
