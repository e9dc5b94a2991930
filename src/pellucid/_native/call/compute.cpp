// Computing a result: by a loop of NumPy's, by BLAS, or by the op's own body.
#include "call/op.hpp"

#include "kernels/elementwise.hpp"
#include "kernels/functions.hpp"
#include "kernels/products.hpp"
#include "kernels/reductions.hpp"
#include "objects/memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace pellucid {

namespace {

bool usual_type(PyArrayObject* array) {
    return PyArray_DESCR(array) == layout.single || PyArray_DESCR(array) == layout.double_;
}

}  // namespace

PyObject* product(PyArrayObject* first, PyArrayObject* second) {
    PyObject* found = product_of(first, second, nullptr);
    if (found != nullptr || PyErr_Occurred() != nullptr) return found;
    const int ndim = PyArray_NDIM(first), other = PyArray_NDIM(second);
    const bool usual = 1 <= ndim && ndim <= 2 && 1 <= other && other <= 2 && usual_type(first) &&
                       PyArray_DESCR(first) == PyArray_DESCR(second);
    if (!usual || PyArray_DIM(first, ndim - 1) != PyArray_DIM(second, 0)) return nullptr;
    const Silence silence(true);
    if (!silence.reached) return nullptr;
    Ref by_numpy(PyArray_MatrixProduct2(reinterpret_cast<PyObject*>(first),
                                        reinterpret_cast<PyObject*>(second), nullptr));
    const bool is_number = by_numpy && PyArray_IsScalar(by_numpy.get(), Generic);
    return is_number ? PyArray_FromScalar(by_numpy.get(), nullptr) : by_numpy.release();
}

namespace {

// input @ weight.T + bias
PyObject* affine(PyArrayObject* input, PyArrayObject* weight, PyArrayObject* bias) {
    if (PyArray_NDIM(weight) != 2) return nullptr;
    Ref turned(PyArray_Transpose(weight, nullptr));
    if (!turned) return nullptr;
    PyObject* found = product_of(input, turned.array(), bias);
    if (found != nullptr || PyErr_Occurred() != nullptr) return found;
    Ref out(product(input, turned.array()));  // a vector
    if (!out || bias == nullptr) return out.release();
    PyArrayObject* const terms[] = {out.array(), bias};
    const bool fits = PyArray_DESCR(bias) == PyArray_DESCR(out.array()) &&
                      PyArray_NDIM(bias) == 1 && PyArray_DIM(bias, 0) == PyArray_DIM(weight, 0);
    const Loop& add = layout.add[PyArray_DESCR(bias) == layout.double_];
    return fits && run_loop_into(add, terms, out.array()) ? out.release() : nullptr;
}

// From how many elements on relu goes another way.
constexpr npy_intp kManyElements = 1 << 14;

PyObject* rectified(PyArrayObject* x) {
    if (!usual_type(x) || PyArray_SIZE(x) >= kManyElements) return nullptr;
    Ref zero = constant_for(layout.zero, PyArray_DESCR(x));
    if (!zero) return nullptr;
    PyArrayObject* const operands[] = {zero.array(), x};  // of two zeros, the second
    return run_loop(layout.maximum[PyArray_DESCR(x) == layout.double_], operands);
}

// The gradient where relu's result is not 0.
PyObject* passed(PyArrayObject* g, PyArrayObject* out) {
    if (!usual_type(g) || PyArray_DESCR(g) != PyArray_DESCR(out) || !is_plain(g) ||
        !is_plain(out) || !PyArray_SAMESHAPE(g, out)) {
        return nullptr;
    }
    PyArray_Descr* dtype = PyArray_DESCR(g);
    Py_INCREF(dtype);
    PyObject* made = make_array(dtype, PyArray_NDIM(g), PyArray_DIMS(g));
    if (made == nullptr) return nullptr;
    const npy_intp count = PyArray_SIZE(g);
    NPY_BEGIN_THREADS_DEF;
    NPY_BEGIN_THREADS_THRESHOLDED(count);
    run_relu_backward(dtype == layout.single ? kSingle : kDouble, PyArray_DATA(g),
                      PyArray_DATA(out), PyArray_DATA(reinterpret_cast<PyArrayObject*>(made)),
                      count);
    NPY_END_THREADS;
    return made;
}

}  // namespace

PyObject* chosen(PyObject* const* arguments) {
    PyObject* found = where(nullptr, arguments, 3);
    if (found == Py_NotImplemented) Py_CLEAR(found);
    return found;
}

namespace {

PyObject* mean_of(PyArrayObject* x, PyObject* dims, bool keeps) {
    if (dims == Py_None && keeps) return nullptr;
    Ref out(dims == Py_None ? sum_of(x) : sum_over(x, dims, keeps));
    if (!out || PyArray_SIZE(out.array()) == 0) return nullptr;
    float* sums = static_cast<float*>(PyArray_DATA(out.array()));
    const npy_intp count = PyArray_SIZE(out.array());
    const float share = static_cast<float>(PyArray_SIZE(x) / count);
    for (npy_intp i = 0; i < count; ++i) sums[i] /= share;
    return out.release();
}

// Whether a number is an exponent for which something else is computed than a power; not for 2,
// where the operands become those of a product.
bool is_special_exponent(PyArrayObject** operands, const Loop** loop) {
    if (PyArray_NDIM(operands[1]) != 0) return false;
    const bool is_double = PyArray_DESCR(operands[1]) == layout.double_;
    const void* data = PyArray_DATA(operands[1]);
    const double exponent =
        is_double ? *static_cast<const double*>(data) : *static_cast<const float*>(data);
    if (exponent == 2) {
        operands[1] = operands[0];
        *loop = &layout.multiply[is_double];
        return false;
    }
    const double special[] = {1, 3, 0.5, -0.5, -1, -2};
    return std::find(std::begin(special), std::end(special), exponent) != std::end(special);
}

}  // namespace

PyObject* compute_directly(const Op& op, const Call& call) {
    PyArrayObject* arrays[kMostOperands];
    for (size_t i = 0; i < op.operands.size(); ++i) arrays[i] = call.arrays[i].array();
    switch (op.direct) {
        case Direct::matmul: return product(arrays[0], arrays[1]);
        case Direct::linear: return affine(arrays[0], arrays[1], arrays[2]);
        case Direct::sum: return sum_of(arrays[0]);
        case Direct::relu: return rectified(arrays[0]);
        case Direct::relu_backward: return passed(arrays[0], arrays[1]);
        case Direct::where: {
            PyObject* const choices[] = {call.arrays[0].get(), call.arrays[1].get(),
                                         call.arrays[2].get()};
            return chosen(choices);
        }
        default: break;
    }
    const Loop* loop = &op.loop_for(call.dtype);
    if (loop->function == nullptr) return nullptr;
    for (int i = 0; i < loop->inputs; ++i) {
        if (arrays[i] == nullptr || PyArray_DESCR(arrays[i]) != call.dtype) return nullptr;
    }
    if (op.is_power && is_special_exponent(arrays, &loop)) return nullptr;
    return run_loop(*loop, arrays);
}

namespace {

// Calls the kernel that is all of the body, or else the body itself.
PyObject* call_body(const Op& op, const Call& call) {
    PyObject* given[2 + kMostOperands + kMostParams];
    PyObject** arguments = given + 1;  // room in front, as the calling convention asks for
    int count = 0;
    const bool short_way = call.usual_params && op.kernel.get() != Py_None;
    if (!short_way) arguments[count++] = op.backend.get();
    for (size_t i = 0; i < op.operands.size(); ++i) {
        PyObject* array = call.arrays[i].get();
        arguments[count++] = array == nullptr ? Py_None : array;
    }
    PyObject* names = nullptr;
    int positional = count;
    if (!short_way) {
        for (size_t i = 0; i < op.param_names.size(); ++i) arguments[count++] = call.params[i];
        positional += op.positional_params;
        names = op.keyword_names.get();
    }
    PyObject* called = short_way ? op.kernel.get() : op.body.get();
    return PyObject_Vectorcall(called, arguments, positional | PY_VECTORCALL_ARGUMENTS_OFFSET,
                               names);
}

}  // namespace

namespace {

// Whether all operands are arrays in C order.
bool are_in_order(const Op& op, const Call& call) {
    for (size_t i = 0; i < op.operands.size(); ++i) {
        PyObject* array = call.arrays[i].get();
        if (array != nullptr &&
            !(PyArray_CheckExact(array) && PyArray_IS_C_CONTIGUOUS(call.arrays[i].array()))) {
            return false;
        }
    }
    return true;
}

// Whether an operand that broadcasts asks for no other order of the result than that of C:
// dimensions that are stretched say nothing.
bool allows_c_order(PyArrayObject* array) {
    npy_intp last = NPY_MAX_INTP;
    for (int d = 0; d < PyArray_NDIM(array); ++d) {
        const npy_intp stride = PyArray_STRIDE(array, d);
        if (stride == 0 || PyArray_DIM(array, d) == 1) continue;
        if (stride < 0 || stride >= last) return false;
        last = stride;
    }
    return true;
}

// Whether an elementwise result is in the order of its operands: it is where it has the strides of
// the first, and where nobody asks for another order than that of C.
bool follows_operands(const Op& op, const Call& call, PyArrayObject* out) {
    const int ndim = PyArray_NDIM(out);
    if (ndim < 2) return true;
    PyArrayObject* first = call.arrays[0].array();
    if (first != nullptr && PyArray_NDIM(first) == ndim &&
        std::equal(PyArray_STRIDES(out), PyArray_STRIDES(out) + ndim, PyArray_STRIDES(first))) {
        return true;
    }
    return PyArray_IS_C_CONTIGUOUS(out) &&
           std::all_of(call.arrays, call.arrays + op.operands.size(), [](const Ref& each) {
               return !each || (PyArray_CheckExact(each.get()) && allows_c_order(each.array()));
           });
}

// Whether the strides may be those of channels-last images; see `has_channels_last`.
bool may_have_channels_last(PyArrayObject* array) {
    const int ndim = PyArray_NDIM(array);
    if ((ndim != 4 && ndim != 5) || PyArray_IS_C_CONTIGUOUS(array)) return false;
    const npy_intp* strides = PyArray_STRIDES(array);
    return strides[1] > 0 && strides[1] <= strides[ndim - 1] && strides[1] <= strides[0];
}

// Whether a result in C order is in the order in memory that an op with a layout asks for.
bool is_laid_out(const Op& op, const Call& call, PyArrayObject* out) {
    if (PyArray_NDIM(out) <= 3) return true;
    if (!op.by_channels) return are_in_order(op, call);
    return std::none_of(call.arrays, call.arrays + op.operands.size(), [](const Ref& each) {
        return each && PyArray_CheckExact(each.get()) && may_have_channels_last(each.array());
    });
}

// The result in the order in memory that it has to have; see `pellucid.core.memory.layouts`.
PyObject* arranged(const Op& op, const Call& call, Ref out) {
    const bool in_order = PyArray_IS_C_CONTIGUOUS(out.array());
    const bool settled = op.laid_out ? in_order && is_laid_out(op, call, out.array())
                                     : !op.broadcasts || follows_operands(op, call, out.array());
    if (settled) return out.release();
    PyObject* arguments[1 + kMostOperands] = {out.get()};
    size_t count = 1;
    for (size_t i = 0; i < op.operands.size(); ++i) {
        PyObject* array = call.arrays[i].get();
        arguments[count++] = array == nullptr ? Py_None : array;
    }
    return PyObject_Vectorcall(op.arrange.get(), arguments, count, nullptr);
}

}  // namespace

namespace {

// What the compiled kernel gives that does the same as the body; empty without an error where it
// does not take the arguments.
Ref by_shortcut(const Op& op, const Call& call) {
    PyObject* given[1 + kMostOperands + kMostParams];
    int count = 0;
    for (size_t i = op.shortcut_params; i < op.param_names.size(); ++i) {
        if (call.params[i] != op.defaults[i].get()) return Ref();
    }
    for (size_t i = 0; i < op.operands.size(); ++i) {
        PyObject* array = call.arrays[i].get();
        if (array == nullptr && !op.operands[i].optional) return Ref();
        given[1 + count++] = array == nullptr ? Py_None : array;
    }
    // the order in memory of what a kernel returns is that of C
    if (!op.laid_out && !are_in_order(op, call)) return Ref();
    for (int i = 0; i < op.shortcut_params; ++i) given[1 + count++] = call.params[i];
    Ref found(PyObject_Vectorcall(op.shortcut.get(), given + 1,
                                  count | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
    return found.get() == Py_NotImplemented ? Ref() : std::move(found);
}

// Computes what needs neither the body nor a kernel of its own; null without an error for the rest.
PyObject* compute_at_once(const Op& op, const Call& call) {
    if (op.make_view != nullptr) {
        PyObject* found = op.make_view(call.arrays[0].array(), call.params);
        if (found != nullptr || PyErr_Occurred()) return found;
    }
    if (op.direct == Direct::sum && !call.usual_params && call.dtype == layout.single) {
        return sum_over(call.arrays[0].array(), call.params[0], call.params[1] == Py_True);
    }
    if (op.direct == Direct::mean && call.dtype == layout.single) {
        return mean_of(call.arrays[0].array(), call.params[0], call.params[1] == Py_True);
    }
    if (op.shortcut && op.outputs == 1) {
        Ref found = by_shortcut(op, call);
        if (!found && PyErr_Occurred()) return nullptr;
        if (op.many && found && PyList_CheckExact(found.get())) return found.release();
        if (found && PyArray_CheckExact(found.get())) return arranged(op, call, std::move(found));
    }
    return op.direct != Direct::none && call.usual_params ? compute_directly(op, call) : nullptr;
}

}  // namespace

PyObject* compute_on_arrays(const Op& op, const Call& call, bool in_silence) {
    PyObject* found = compute_at_once(op, call);
    return found != nullptr || PyErr_Occurred() ? found : compute_by_body(op, call, in_silence);
}

PyObject* compute_by_body(const Op& op, const Call& call, bool in_silence) {
    const Silence silence(in_silence);
    if (!silence.reached) return nullptr;
    Ref out(call_body(op, call));
    if (!out || PyArray_IsScalar(out.get(), Generic)) return out.release();
    return PyArray_CheckExact(out.get()) ? arranged(op, call, std::move(out)) : nullptr;
}

PyObject* compute(const Op& op, const Call& call) {
    PyObject* found = compute_at_once(op, call);
    if (found != nullptr || PyErr_Occurred()) return found;
    Ref out(call_body(op, call));
    if (out && op.many) return PyList_CheckExact(out.get()) ? out.release() : nullptr;
    if (out && !PyArray_CheckExact(out.get())) {
        if (!PyArray_IsScalar(out.get(), Generic))
            return nullptr;  // Python knows what to make of it
        out = Ref(PyArray_FromScalar(out.get(), nullptr));
    }
    return out ? arranged(op, call, std::move(out)) : nullptr;
}

bool compute_several(const Op& op, const Call& call, Ref* arrays) {
    Ref returned = op.shortcut ? by_shortcut(op, call) : Ref();
    if (!returned && !PyErr_Occurred()) returned = Ref(call_body(op, call));
    if (!returned || !(PyTuple_Check(returned.get()) || PyList_CheckExact(returned.get())) ||
        PySequence_Fast_GET_SIZE(returned.get()) != op.outputs) {
        return false;
    }
    for (int i = 0; i < op.outputs; ++i) {
        Ref one = Ref::borrowed(PySequence_Fast_GET_ITEM(returned.get(), i));
        if (PyArray_IsScalar(one.get(), Generic)) one = Ref(PyArray_FromScalar(one.get(), nullptr));
        if (!one || !PyArray_CheckExact(one.get())) return false;
        arrays[i] = Ref(arranged(op, call, std::move(one)));
        if (!arrays[i]) return false;
    }
    return true;
}

namespace {

struct Constant {
    uint64_t bits = 0;
    PyTypeObject* kind = nullptr;
    PyArray_Descr* dtype = nullptr;
    Ref array;
};

constexpr size_t kConstants = 256;

// The bits by which a float or a small integer is known; false for other numbers.
bool bits_of(PyObject* number, uint64_t* bits) {
    if (PyFloat_CheckExact(number)) {
        const double value = PyFloat_AS_DOUBLE(number);
        std::memcpy(bits, &value, sizeof value);
        return true;
    }
    if (!PyLong_CheckExact(number)) return false;
    int overflow = 0;
    *bits = static_cast<uint64_t>(PyLong_AsLongLongAndOverflow(number, &overflow));
    return overflow == 0;
}

}  // namespace

Ref constant_for(PyObject* number, PyArray_Descr* dtype) {
    static Constant* const known = new Constant[kConstants];  // never freed: arrays outlive exit
    uint64_t bits;
    if (!bits_of(number, &bits)) return Ref();
    const size_t place = ((bits ^ (bits >> 32) ^ (bits >> 52)) * 0x9E3779B97F4A7C15ull) >> 56;
    Constant& found = known[place % kConstants];
    if (found.bits == bits && found.kind == Py_TYPE(number) && found.dtype == dtype) {
        return Ref::borrowed(found.array.get());
    }
    Ref made(PyObject_CallFunctionObjArgs(layout.as_array, number,
                                          reinterpret_cast<PyObject*>(dtype), nullptr));
    if (!made || !PyArray_CheckExact(made.get()) || PyArray_DESCR(made.array()) != dtype) {
        return Ref();
    }
    found.bits = bits;
    found.kind = Py_TYPE(number);
    found.dtype = dtype;
    found.array = Ref::borrowed(made.get());
    return made;
}

}  // namespace pellucid
