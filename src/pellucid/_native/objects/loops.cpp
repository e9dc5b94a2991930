#include "objects/loops.hpp"

#include <algorithm>

#include <cstring>

#include "kernels/elementwise.hpp"
#include "objects/memory.hpp"

namespace pellucid {

namespace {

// The common shape of two operands, and in which steps to go through each of them.
struct Broadcast {
    int ndim = 0;
    npy_intp dims[NPY_MAXDIMS];
    npy_intp steps[2][NPY_MAXDIMS];
};

// Whether operands are ordered and their shapes broadcast; fills the common shape and the steps.
bool broadcast(PyArrayObject* const* operands, int inputs, Broadcast* both) {
    const int ndim = std::max(PyArray_NDIM(operands[0]), PyArray_NDIM(operands[inputs - 1]));
    both->ndim = ndim;
    std::fill_n(both->dims, ndim, npy_intp{1});
    std::fill_n(both->steps[1], ndim, npy_intp{0});
    for (int k = 0; k < inputs; ++k) {
        if (!is_ordered(operands[k])) return false;
        const int missing = ndim - PyArray_NDIM(operands[k]);
        for (int d = 0; d < ndim; ++d) {
            const npy_intp size = d < missing ? 1 : PyArray_DIM(operands[k], d - missing);
            both->steps[k][d] = size == 1 ? 0 : PyArray_STRIDE(operands[k], d - missing);
            if (size == 1 || size == both->dims[d]) continue;
            if (both->dims[d] != 1) return false;
            both->dims[d] = size;
        }
    }
    return true;
}

// Joins dimensions that both operands go through in equal steps, so that few are left.
void coalesce(Broadcast* both) {
    int last = 0;
    for (int d = 1; d < both->ndim; ++d) {
        const npy_intp size = both->dims[d];
        bool joins = true;
        for (auto& steps : both->steps) joins = joins && steps[last] == steps[d] * size;
        if (size == 1) continue;
        if (joins || both->dims[last] == 1) {
            both->dims[last] = joins ? both->dims[last] * size : size;
        } else {
            both->dims[++last] = size;
        }
        for (auto& steps : both->steps) steps[last] = steps[d];
    }
    both->ndim = both->ndim == 0 ? 0 : last + 1;
}

void run_rows(const Loop& loop, PyArrayObject* const* operands, const Broadcast& both, char* out,
              npy_intp item) {
    const int inner = both.ndim - 1, inputs = loop.inputs;
    npy_intp count = inner < 0 ? 1 : both.dims[inner];
    npy_intp steps[3] = {0, 0, 0};
    npy_intp at[NPY_MAXDIMS] = {0};
    char* from[2];
    for (int k = 0; k < inputs; ++k) {
        from[k] = PyArray_BYTES(operands[k]);
        if (inner >= 0) steps[k] = both.steps[k][inner];
    }
    steps[inputs] = item;
    for (;;) {
        char* pointers[3] = {from[0], from[inputs - 1], out};
        pointers[inputs] = out;
        loop.function(pointers, &count, steps, loop.data);
        out += count * item;
        int d = inner - 1;
        for (; d >= 0; --d) {
            for (int k = 0; k < inputs; ++k) from[k] += both.steps[k][d];
            if (++at[d] < both.dims[d]) break;
            for (int k = 0; k < inputs; ++k) from[k] -= both.steps[k][d] * both.dims[d];
            at[d] = 0;
        }
        if (d < 0) return;
    }
}

// How many elements a repeated row is made to have, so that the loop is called less often.
constexpr npy_intp kRepeated = 1024;
constexpr npy_intp kLargestItem = 16;

// The operand that is one short row, repeated along the rows of the other, a matrix without gaps;
// -1 if that is not so.
int repeated_row(const Loop& loop, PyArrayObject* const* operands, const Broadcast& both) {
    if (loop.inputs != 2 || both.ndim != 2 || both.dims[1] > kRepeated / 4 || both.dims[0] < 4) {
        return -1;
    }
    for (int k = 0; k < 2; ++k) {
        const npy_intp own = PyArray_ITEMSIZE(operands[k]);
        const npy_intp other = PyArray_ITEMSIZE(operands[1 - k]);
        if (both.steps[k][0] == 0 && both.steps[k][1] == own && own <= kLargestItem &&
            both.steps[1 - k][1] == other && both.steps[1 - k][0] == both.dims[1] * other) {
            return k;
        }
    }
    return -1;
}

// Runs the loop with several copies of the row beside as many rows of the matrix.
void run_repeated(const Loop& loop, PyArrayObject* const* operands, const Broadcast& both, int row,
                  char* out, npy_intp item) {
    alignas(64) char copies[kRepeated * kLargestItem];
    const npy_intp own = PyArray_ITEMSIZE(operands[row]);
    const npy_intp other = PyArray_ITEMSIZE(operands[1 - row]);
    const npy_intp width = both.dims[1], total = both.dims[0] * width;
    const npy_intp block = std::min(kRepeated / width * width, total);
    for (npy_intp at = 0; at < block; at += width) {
        std::memcpy(copies + at * own, PyArray_BYTES(operands[row]), width * own);
    }
    npy_intp steps[3] = {other, other, item};
    steps[row] = own;
    for (npy_intp at = 0; at < total; at += block) {
        npy_intp count = std::min(block, total - at);
        char* pointers[3] = {nullptr, nullptr, out + at * item};
        pointers[row] = copies;
        pointers[1 - row] = PyArray_BYTES(operands[1 - row]) + at * other;
        loop.function(pointers, &count, steps, loop.data);
    }
}

// Runs the loop over operands of one shape, and numbers, which are repeated.
void run_flat(const Loop& loop, PyArrayObject* const* operands, char* out, npy_intp item,
              npy_intp count) {
    char* pointers[kMostLoopInputs + 1];
    npy_intp steps[kMostLoopInputs + 1];
    for (int k = 0; k < loop.inputs; ++k) {
        pointers[k] = PyArray_BYTES(operands[k]);
        steps[k] = PyArray_NDIM(operands[k]) == 0 ? 0 : PyArray_ITEMSIZE(operands[k]);
    }
    pointers[loop.inputs] = out;
    steps[loop.inputs] = item;
    run_in_pieces(loop.function, loop.data, pointers, steps, loop.inputs + 1, count);
}

bool same_shape(PyArrayObject* first, PyArrayObject* second) {
    return PyArray_NDIM(first) == PyArray_NDIM(second) &&
           std::equal(PyArray_DIMS(first), PyArray_DIMS(first) + PyArray_NDIM(first),
                      PyArray_DIMS(second));
}

// The operand whose shape is the result's, if the others have its shape or are single elements, and
// all lie in memory without gaps.
PyArrayObject* leading(const Loop& loop, PyArrayObject* const* operands) {
    PyArrayObject* like = nullptr;
    for (int k = 0; k < loop.inputs; ++k) {
        if (!is_plain(operands[k])) return nullptr;
        if (PyArray_NDIM(operands[k]) == 0) continue;
        if (like != nullptr && !same_shape(like, operands[k])) return nullptr;
        like = operands[k];
    }
    return like == nullptr ? operands[0] : like;
}

void compute(const Loop& loop, PyArrayObject* const* operands, Broadcast* both, bool flat,
             PyArrayObject* out) {
    const npy_intp count = PyArray_SIZE(out);
    if (count == 0) return;
    NPY_BEGIN_THREADS_DEF;
    NPY_BEGIN_THREADS_THRESHOLDED(count);
    if (flat) {
        run_flat(loop, operands, PyArray_BYTES(out), PyArray_ITEMSIZE(out), count);
    } else {
        coalesce(both);
        const int row = repeated_row(loop, operands, *both);
        char* to = PyArray_BYTES(out);
        if (row >= 0) {
            run_repeated(loop, operands, *both, row, to, PyArray_ITEMSIZE(out));
        } else {
            run_rows(loop, operands, *both, to, PyArray_ITEMSIZE(out));
        }
    }
    NPY_END_THREADS;
}

}  // namespace

bool has_falling_strides(PyArrayObject* array) {
    if (!PyArray_ISBEHAVED_RO(array)) return false;
    npy_intp last = NPY_MAX_INTP;
    for (int d = 0; d < PyArray_NDIM(array); ++d) {
        const npy_intp step = PyArray_STRIDE(array, d);
        if (PyArray_DIM(array, d) <= 1 || step == 0) continue;
        if (step < 0 || step >= last) return false;
        last = step;
    }
    return true;
}

Loop find_loop(PyObject* object, int type) {
    Loop loop;
    PyUFuncObject* ufunc = reinterpret_cast<PyUFuncObject*>(object);
    if (ufunc->nout != 1 || ufunc->nin > kMostLoopInputs || ufunc->core_enabled) return loop;
    for (int i = 0; i < ufunc->ntypes; ++i) {
        const char* types = ufunc->types + i * ufunc->nargs;
        if (!std::all_of(types, types + ufunc->nin, [&](char each) { return each == type; })) {
            continue;
        }
        loop.function = ufunc->functions[i];
        loop.data = ufunc->data == nullptr ? nullptr : ufunc->data[i];
        loop.out_type = static_cast<unsigned char>(types[ufunc->nin]);
        loop.inputs = ufunc->nin;
        break;
    }
    return loop;
}

PyObject* run_loop(const Loop& loop, PyArrayObject* const* operands) {
    Broadcast both;
    PyArrayObject* like = leading(loop, operands);
    int ndim;
    npy_intp* dims;
    if (like != nullptr) {
        ndim = PyArray_NDIM(like);
        dims = PyArray_DIMS(like);
    } else {
        if (loop.inputs > 2 || !broadcast(operands, loop.inputs, &both)) return nullptr;
        ndim = both.ndim;
        dims = both.dims;
    }
    PyObject* out = make_array(PyArray_DescrFromType(loop.out_type), ndim, dims);
    if (out != nullptr) {
        compute(loop, operands, &both, like != nullptr, reinterpret_cast<PyArrayObject*>(out));
    }
    return out;
}

bool run_loop_into(const Loop& loop, PyArrayObject* const* operands, PyArrayObject* out) {
    Broadcast both;
    PyArrayObject* like = leading(loop, operands);
    if (like != nullptr) {
        if (!same_shape(like, out)) return false;
    } else if (loop.inputs > 2 || !broadcast(operands, loop.inputs, &both) ||
               both.ndim != PyArray_NDIM(out) ||
               !std::equal(both.dims, both.dims + both.ndim, PyArray_DIMS(out))) {
        return false;
    }
    compute(loop, operands, &both, like != nullptr, out);
    return true;
}

}  // namespace pellucid
