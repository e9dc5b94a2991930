// The elementwise part of recurrent cells.
#include <algorithm>

#include "arguments.hpp"
#include "functions.hpp"

namespace pellucid {
namespace {

// A contiguous matrix of this many rows and columns.
Owned matrix(PyObject* object, int type, long rows, long columns) {
    Owned found = contiguous(object, type);
    if (!found || PyArray_NDIM(found.array()) != 2) return Owned();
    const bool fits =
        PyArray_DIM(found.array(), 0) == rows && PyArray_DIM(found.array(), 1) == columns;
    return fits ? std::move(found) : Owned();
}

Owned new_matrix(long rows, long columns, int type) {
    const npy_intp shape[2] = {rows, columns};
    return new_array(2, shape, type);
}

// Read the number of rows and columns from the state.
bool read_state(PyObject* state, Precision* precision, RecurrentJob* job) {
    constexpr long kGrain = 1 << 12;
    if (!read_precision(state, precision) || PyArray_NDIM(as_array(state)) != 2) return false;
    job->rows = PyArray_DIM(as_array(state), 0);
    job->size = PyArray_DIM(as_array(state), 1);
    job->rows_at_once = std::max(1L, kGrain / std::max(1L, job->size));
    return true;
}

bool run(const RecurrentJob& job, Part<RecurrentJob> part) {
    const long parts = (job.rows + job.rows_at_once - 1) / job.rows_at_once;
    return unlocked([&] { run_parts(parts, part, job); });
}

}  // namespace

// lstm_cell(input, c_before): h, c and the gates
PyObject* lstm_cell(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    RecurrentJob job{};
    if (count != 2 || !read_state(arguments[1], &precision, &job)) return declined();
    const int type = type_of(precision);
    const Owned input = matrix(arguments[0], type, job.rows, 4 * job.size);
    const Owned before = matrix(arguments[1], type, job.rows, job.size);
    if (!input || !before) return declined();
    const Owned h = new_matrix(job.rows, job.size, type), c = new_matrix(job.rows, job.size, type);
    const Owned gates = new_matrix(job.rows, 4 * job.size, type);
    if (!h || !c || !gates) return nullptr;
    job.input = input.data();
    job.before = before.data();
    job.out_h = h.data();
    job.out_c = c.data();
    job.gates = gates.data();
    if (!run(job, kernels().lstm_rows[precision])) return nullptr;
    return PyTuple_Pack(3, h.get(), c.get(), gates.get());
}

// lstm_cell_to_input(gates, c_before, c, grad_h, grad_c)
PyObject* lstm_cell_to_input(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    RecurrentJob job{};
    if (count != 5 || !read_state(arguments[1], &precision, &job)) return declined();
    const int type = type_of(precision);
    const Owned gates = matrix(arguments[0], type, job.rows, 4 * job.size);
    const Owned before = matrix(arguments[1], type, job.rows, job.size);
    const Owned c = matrix(arguments[2], type, job.rows, job.size);
    const Owned grad_h = matrix(arguments[3], type, job.rows, job.size);
    const Owned grad_c = matrix(arguments[4], type, job.rows, job.size);
    if (!gates || !before || !c || !grad_h || !grad_c) return declined();
    Owned out = new_matrix(job.rows, 4 * job.size, type);
    if (!out) return nullptr;
    job.gates = gates.data();
    job.before = before.data();
    job.cell = c.data();
    job.grad_h = grad_h.data();
    job.grad_c = grad_c.data();
    job.grad_input = out.data();
    return run(job, kernels().lstm_to_input_rows[precision]) ? out.release() : nullptr;
}

// lstm_cell_to_cell(gates, c, grad_h, grad_c)
PyObject* lstm_cell_to_cell(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    RecurrentJob job{};
    if (count != 4 || !read_state(arguments[1], &precision, &job)) return declined();
    const int type = type_of(precision);
    const Owned gates = matrix(arguments[0], type, job.rows, 4 * job.size);
    const Owned c = matrix(arguments[1], type, job.rows, job.size);
    const Owned grad_h = matrix(arguments[2], type, job.rows, job.size);
    const Owned grad_c = matrix(arguments[3], type, job.rows, job.size);
    if (!gates || !c || !grad_h || !grad_c) return declined();
    Owned out = new_matrix(job.rows, job.size, type);
    if (!out) return nullptr;
    job.gates = gates.data();
    job.cell = c.data();
    job.grad_h = grad_h.data();
    job.grad_c = grad_c.data();
    job.grad_input = out.data();
    return run(job, kernels().lstm_to_cell_rows[precision]) ? out.release() : nullptr;
}

// gru_cell(input, recurrent, h_before): h and the gates
PyObject* gru_cell(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    RecurrentJob job{};
    if (count != 3 || !read_state(arguments[2], &precision, &job)) return declined();
    const int type = type_of(precision);
    const Owned input = matrix(arguments[0], type, job.rows, 3 * job.size);
    const Owned recurrent = matrix(arguments[1], type, job.rows, 3 * job.size);
    const Owned before = matrix(arguments[2], type, job.rows, job.size);
    if (!input || !recurrent || !before) return declined();
    const Owned h = new_matrix(job.rows, job.size, type);
    const Owned gates = new_matrix(job.rows, 3 * job.size, type);
    if (!h || !gates) return nullptr;
    job.input = input.data();
    job.recurrent = recurrent.data();
    job.before = before.data();
    job.out_h = h.data();
    job.gates = gates.data();
    if (!run(job, kernels().gru_rows[precision])) return nullptr;
    return PyTuple_Pack(2, h.get(), gates.get());
}

// gru_cell_to_input(gates, recurrent, h_before, grad_h)
PyObject* gru_cell_to_input(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    RecurrentJob job{};
    if (count != 4 || !read_state(arguments[2], &precision, &job)) return declined();
    const int type = type_of(precision);
    const Owned gates = matrix(arguments[0], type, job.rows, 3 * job.size);
    const Owned recurrent = matrix(arguments[1], type, job.rows, 3 * job.size);
    const Owned before = matrix(arguments[2], type, job.rows, job.size);
    const Owned grad_h = matrix(arguments[3], type, job.rows, job.size);
    if (!gates || !recurrent || !before || !grad_h) return declined();
    Owned out = new_matrix(job.rows, 3 * job.size, type);
    if (!out) return nullptr;
    job.gates = gates.data();
    job.recurrent = recurrent.data();
    job.before = before.data();
    job.grad_h = grad_h.data();
    job.grad_input = out.data();
    return run(job, kernels().gru_to_input_rows[precision]) ? out.release() : nullptr;
}

}  // namespace pellucid
