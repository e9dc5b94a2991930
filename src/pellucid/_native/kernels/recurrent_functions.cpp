// The elementwise part of recurrent cells.
#include <algorithm>
#include <cstring>

#include "kernels/arguments.hpp"
#include "kernels/blas.hpp"

namespace pellucid {
namespace {

// A contiguous matrix of this many rows and columns.
Ref matrix(PyObject* object, int type, long rows, long columns) {
    Ref found = contiguous(object, type);
    if (!found || PyArray_NDIM(found.array()) != 2) return Ref();
    const bool fits =
        PyArray_DIM(found.array(), 0) == rows && PyArray_DIM(found.array(), 1) == columns;
    return fits ? std::move(found) : Ref();
}

Ref new_matrix(long rows, long columns, int type) {
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

void run_rows(const RecurrentJob& job, Part<RecurrentJob> part) {
    run_parts((job.rows + job.rows_at_once - 1) / job.rows_at_once, part, job);
}

bool run(const RecurrentJob& job, Part<RecurrentJob> part) {
    return unlocked([&] { run_rows(job, part); });
}

// An array [steps, rows, columns], or an empty one where the sizes differ.
Ref steps_of(PyObject* object, int type, long steps, long rows, long columns) {
    Ref found = contiguous(object, type);
    if (!found || PyArray_NDIM(found.array()) != 3) return Ref();
    const npy_intp* shape = PyArray_DIMS(found.array());
    const bool fits = shape[0] == steps && shape[1] == rows && shape[2] == columns;
    return fits ? std::move(found) : Ref();
}

Ref new_steps(long steps, long rows, long columns, int type) {
    const npy_intp shape[3] = {steps, rows, columns};
    return new_array(3, shape, type);
}

// The arrays of all steps of a layer, and the order of the steps.
struct Steps {
    long count, rows, size, item;
    bool reverse;

    // the step that is computed as the number-th
    long at(long number) const { return reverse ? count - 1 - number : number; }
    void* of(const Ref& array, long step, long columns) const {
        return static_cast<char*>(array.data()) + step * rows * columns * item;
    }
};

// What the functions of a layer read: what goes into the gates, or the gates, as many parts as are
// given; the first state, which is an LSTM's cell, and the weight, which has `gate_count` parts.
struct Layer {
    Precision precision;
    RecurrentJob job{};
    Steps steps;
    int type;
    long size;
    Ref gates, first, weight;

    bool read(PyObject* const* arguments, PyObject* state, PyObject* own_weight, PyObject* reverse,
              long parts, long gate_count) {
        if (!read_state(state, &precision, &job) || !PyBool_Check(reverse) || !has_blas())
            return false;
        PyArrayObject* array = as_array(arguments[0]);
        if (array == nullptr || PyArray_NDIM(array) != 3) return false;
        type = type_of(precision);
        size = job.size;
        steps = {static_cast<long>(PyArray_DIM(array, 0)), job.rows, size, item_size(precision),
                 reverse == Py_True};
        gates = steps_of(arguments[0], type, steps.count, job.rows, parts * size);
        first = matrix(state, type, job.rows, size);
        weight = matrix(own_weight, type, gate_count * size, size);
        return gates && first && weight && steps.count > 0 && job.rows > 0 && size > 0;
    }
};

// The product of the state by the weight of so many gates, or of the gates' gradients by it.
MatrixProduct state_product(const Layer& layer, long gate_count, bool turned) {
    const long size = layer.size;
    MatrixProduct product;
    product.precision = layer.precision;
    product.rows = layer.steps.rows;
    product.inner = turned ? size : gate_count * size;
    product.columns = turned ? gate_count * size : size;
    product.second = {layer.weight.data(), size, turned};
    product.first = {nullptr, product.inner, false};
    product.out_step = product.columns;
    return product;
}

}  // namespace

// lstm(input, h_first, c_first, weight, reverse): outputs, cells and gates of all steps
PyObject* lstm(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Layer layer;
    if (count != 5 || !layer.read(arguments, arguments[2], arguments[3], arguments[4], 4, 4))
        return declined();
    RecurrentJob& job = layer.job;
    const Steps& steps = layer.steps;
    const int type = layer.type;
    const long n = layer.size;
    const Ref first_h = matrix(arguments[1], type, job.rows, n);
    if (!first_h) return declined();
    const Ref h = new_steps(steps.count, job.rows, n, type);
    const Ref c = new_steps(steps.count, job.rows, n, type);
    const Ref gates = new_steps(steps.count, job.rows, 4 * n, type);
    const Ref by_state = new_matrix(job.rows, 4 * n, type);
    if (!h || !c || !gates || !by_state) return nullptr;
    MatrixProduct product = state_product(layer, 4, true);
    product.out = by_state.data();
    job.recurrent = by_state.data();
    const bool done = unlocked([&] {
        lay_out_second(&product);
        for (long number = 0; number < steps.count; ++number) {
            const long t = steps.at(number), before = steps.at(number - 1);
            product.first.data = number == 0 ? first_h.data() : steps.of(h, before, n);
            multiply(product);
            job.input = steps.of(layer.gates, t, 4 * n);
            job.before = number == 0 ? layer.first.data() : steps.of(c, before, n);
            job.gates = steps.of(gates, t, 4 * n);
            job.out_h = steps.of(h, t, n);
            job.out_c = steps.of(c, t, n);
            run_rows(job, kernels().lstm_rows[layer.precision]);
        }
    });
    return done ? PyTuple_Pack(3, h.get(), c.get(), gates.get()) : nullptr;
}

// lstm_to_input(gates, c, c_first, weight, grad_h, grad_c, reverse): gradients of what goes into
// the gates, and of the first cell
PyObject* lstm_to_input(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Layer layer;
    if (count != 7 || !layer.read(arguments, arguments[2], arguments[3], arguments[6], 4, 4))
        return declined();
    RecurrentJob& job = layer.job;
    const Steps& steps = layer.steps;
    const int type = layer.type;
    const long n = layer.size;
    const Ref c = steps_of(arguments[1], type, steps.count, job.rows, n);
    const Ref grad_h = steps_of(arguments[4], type, steps.count, job.rows, n);
    Ref grad_c;
    if (arguments[5] != Py_None) {
        grad_c = steps_of(arguments[5], type, steps.count, job.rows, n);
        if (!grad_c) return declined();
    }
    if (!c || !grad_h) return declined();
    const Ref out = new_steps(steps.count, job.rows, 4 * n, type);
    const Ref by_c = new_matrix(job.rows, n, type);
    const Ref by_h = new_matrix(job.rows, n, type);
    if (!out || !by_c || !by_h) return nullptr;
    const long bytes = job.rows * n * steps.item;
    MatrixProduct product = state_product(layer, 4, false);
    product.out = job.out_h = by_h.data();
    job.out_c = by_c.data();
    const bool done = unlocked([&] {
        lay_out_second(&product);
        std::memset(by_c.data(), 0, bytes);
        std::memset(by_h.data(), 0, bytes);
        for (long number = steps.count - 1; number >= 0; --number) {
            const long t = steps.at(number), before = steps.at(number - 1);
            if (number + 1 < steps.count) multiply(product);
            job.gates = steps.of(layer.gates, t, 4 * n);
            job.before = number == 0 ? layer.first.data() : steps.of(c, before, n);
            job.cell = steps.of(c, t, n);
            job.grad_h = steps.of(grad_h, t, n);
            job.more_grad_c = grad_c ? steps.of(grad_c, t, n) : nullptr;
            job.grad_input = steps.of(out, t, 4 * n);
            run_rows(job, kernels().lstm_to_both_rows[layer.precision]);
            product.first.data = job.grad_input;
        }
    });
    return done ? PyTuple_Pack(2, out.get(), by_c.get()) : nullptr;
}

// gru(input, h_first, weight, bias, reverse): outputs and gates of all steps
PyObject* gru(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Layer layer;
    if (count != 5 || !layer.read(arguments, arguments[1], arguments[2], arguments[4], 3, 3))
        return declined();
    RecurrentJob& job = layer.job;
    const Steps& steps = layer.steps;
    const int type = layer.type;
    const long n = layer.size;
    const Ref bias = contiguous(arguments[3], type);
    if (!bias || PyArray_NDIM(bias.array()) != 1 || PyArray_DIM(bias.array(), 0) != 3 * n)
        return declined();
    const Ref h = new_steps(steps.count, job.rows, n, type);
    const Ref gates = new_steps(steps.count, job.rows, 4 * n, type);
    const Ref by_state = new_matrix(job.rows, 3 * n, type);
    if (!h || !gates || !by_state) return nullptr;
    MatrixProduct product = state_product(layer, 3, true);
    product.bias = bias.data();
    product.out = by_state.data();
    job.recurrent = by_state.data();
    const bool done = unlocked([&] {
        lay_out_second(&product);
        for (long number = 0; number < steps.count; ++number) {
            const long t = steps.at(number), before = steps.at(number - 1);
            job.before = number == 0 ? layer.first.data() : steps.of(h, before, n);
            product.first.data = job.before;
            multiply(product);
            job.input = steps.of(layer.gates, t, 3 * n);
            job.gates = steps.of(gates, t, 4 * n);
            job.out_h = steps.of(h, t, n);
            run_rows(job, kernels().gru_layer_rows[layer.precision]);
        }
    });
    return done ? PyTuple_Pack(2, h.get(), gates.get()) : nullptr;
}

// gru_to_input(gates, h, h_first, weight, grad_h, reverse): gradients of what inputs and states
// contribute to the gates, and of the first state
PyObject* gru_to_input(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Layer layer;
    if (count != 6 || !layer.read(arguments, arguments[2], arguments[3], arguments[5], 4, 3))
        return declined();
    RecurrentJob& job = layer.job;
    const Steps& steps = layer.steps;
    const int type = layer.type;
    const long n = layer.size;
    const Ref h = steps_of(arguments[1], type, steps.count, job.rows, n);
    const Ref grad_h = steps_of(arguments[4], type, steps.count, job.rows, n);
    if (!h || !grad_h) return declined();
    const Ref out = new_steps(steps.count, job.rows, 3 * n, type);
    const Ref by_recurrent = new_steps(steps.count, job.rows, 3 * n, type);
    const Ref by_h = new_matrix(job.rows, n, type);
    if (!out || !by_recurrent || !by_h) return nullptr;
    MatrixProduct product = state_product(layer, 3, false);
    product.adds = true;
    product.out = job.out_h = by_h.data();
    const bool done = unlocked([&] {
        lay_out_second(&product);
        std::memset(by_h.data(), 0, job.rows * n * steps.item);
        for (long number = steps.count - 1; number >= 0; --number) {
            const long t = steps.at(number), before = steps.at(number - 1);
            job.gates = steps.of(layer.gates, t, 4 * n);
            job.before = number == 0 ? layer.first.data() : steps.of(h, before, n);
            job.grad_h = steps.of(grad_h, t, n);
            job.grad_input = steps.of(out, t, 3 * n);
            job.grad_recurrent = steps.of(by_recurrent, t, 3 * n);
            run_rows(job, kernels().gru_to_both_rows[layer.precision]);
            product.first.data = job.grad_recurrent;
            multiply(product);
        }
    });
    return done ? PyTuple_Pack(3, out.get(), by_recurrent.get(), by_h.get()) : nullptr;
}

// lstm_cell(input, c_before): h, c and the gates
PyObject* lstm_cell(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    RecurrentJob job{};
    if (count != 2 || !read_state(arguments[1], &precision, &job)) return declined();
    const int type = type_of(precision);
    const Ref input = matrix(arguments[0], type, job.rows, 4 * job.size);
    const Ref before = matrix(arguments[1], type, job.rows, job.size);
    if (!input || !before) return declined();
    const Ref h = new_matrix(job.rows, job.size, type), c = new_matrix(job.rows, job.size, type);
    const Ref gates = new_matrix(job.rows, 4 * job.size, type);
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
    const Ref gates = matrix(arguments[0], type, job.rows, 4 * job.size);
    const Ref before = matrix(arguments[1], type, job.rows, job.size);
    const Ref c = matrix(arguments[2], type, job.rows, job.size);
    const Ref grad_h = matrix(arguments[3], type, job.rows, job.size);
    const Ref grad_c = matrix(arguments[4], type, job.rows, job.size);
    if (!gates || !before || !c || !grad_h || !grad_c) return declined();
    Ref out = new_matrix(job.rows, 4 * job.size, type);
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
    const Ref gates = matrix(arguments[0], type, job.rows, 4 * job.size);
    const Ref c = matrix(arguments[1], type, job.rows, job.size);
    const Ref grad_h = matrix(arguments[2], type, job.rows, job.size);
    const Ref grad_c = matrix(arguments[3], type, job.rows, job.size);
    if (!gates || !c || !grad_h || !grad_c) return declined();
    Ref out = new_matrix(job.rows, job.size, type);
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
    const Ref input = matrix(arguments[0], type, job.rows, 3 * job.size);
    const Ref recurrent = matrix(arguments[1], type, job.rows, 3 * job.size);
    const Ref before = matrix(arguments[2], type, job.rows, job.size);
    if (!input || !recurrent || !before) return declined();
    const Ref h = new_matrix(job.rows, job.size, type);
    const Ref gates = new_matrix(job.rows, 3 * job.size, type);
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
    const Ref gates = matrix(arguments[0], type, job.rows, 3 * job.size);
    const Ref recurrent = matrix(arguments[1], type, job.rows, 3 * job.size);
    const Ref before = matrix(arguments[2], type, job.rows, job.size);
    const Ref grad_h = matrix(arguments[3], type, job.rows, job.size);
    if (!gates || !recurrent || !before || !grad_h) return declined();
    Ref out = new_matrix(job.rows, 3 * job.size, type);
    if (!out) return nullptr;
    job.gates = gates.data();
    job.recurrent = recurrent.data();
    job.before = before.data();
    job.grad_h = grad_h.data();
    job.grad_input = out.data();
    return run(job, kernels().gru_to_input_rows[precision]) ? out.release() : nullptr;
}

}  // namespace pellucid
