// attention and attention_to_inputs, as in the NumPy kernels of the same names.
#include <algorithm>
#include <vector>

#include "arguments.hpp"
#include "functions.hpp"
#include "matrices.hpp"

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
        const long count = PyArray_MultiplyList(batch, ndim - 2);
        for (long entry = 0; entry < count; ++entry) {
            const char* data = static_cast<const char*>(first.data);
            matrices_.push_back(first);
            matrices_.back().data = data + offset_of(array_.array(), ndim, batch, entry);
        }
        return last(array_.array(), 2) == rows && array_.size() > 0;
    }

    const Matrix* data() const { return matrices_.data(); }
    long columns() const { return last(array_.array(), 1); }

  private:
    Owned array_;
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
        constexpr long kScoresAtOnce = 1 << 14, kFewestRows = 16;
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
        job.blocks = (job.queries + job.rows_at_once - 1) / job.rows_at_once;
        return true;
    }

    Owned made(long rows, long columns) {
        shape[ndim - 2] = rows;
        shape[ndim - 1] = columns;
        return new_array(ndim, shape, type_of(precision));
    }
};

}  // namespace

// attention(query, key, value, scale, is_causal)
PyObject* attention(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Operands operands;
    if (count != 5 || !operands.read(arguments)) return declined();
    AttentionJob& job = operands.job;
    Owned out = operands.made(job.queries, job.value_width);
    if (!out) return nullptr;
    job.out = out.data();
    const bool done = unlocked([&] {
        const SingleThreadedBlas alone;
        run_parts(job.entries * job.blocks, kernels().attend_block[operands.precision], job);
    });
    return done ? out.release() : nullptr;
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
    const Owned by_query = operands.made(job.queries, job.width);
    const Owned by_key = operands.made(job.keys, job.width);
    const Owned by_value = operands.made(job.keys, job.value_width);
    if (!by_query || !by_key || !by_value) return nullptr;
    job.grad = grad.data();
    job.grad_query = by_query.data();
    job.grad_key = by_key.data();
    job.grad_value = by_value.data();
    const bool done = unlocked([&] {
        const SingleThreadedBlas alone;
        run_parts(job.entries, kernels().attend_entry_to_inputs[operands.precision], job);
    });
    return done ? PyTuple_Pack(3, by_query.get(), by_key.get(), by_value.get()) : nullptr;
}

}  // namespace pellucid
