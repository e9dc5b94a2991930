// The call of an op: a callable that takes the usual case and hands anything else to the generated
// Python function, which defines what every call does.
//
// Note [What is usual]
// Tensors that keep their array in the usual slot, of one dtype where they meet; Python floats and
// ints where the op takes numbers; parameters by position or by their own names. No mode or
// listener that needs the general way, no view whose base was changed since, no tensor made in
// inference mode. Whatever is decided against is decided before anything is written, and an error
// of NumPy's is dropped: Python then does all of it again, and explains what is wrong.
#include "call/callable.hpp"
#include "call/counting.hpp"
#include "call/op.hpp"
#include "call/profilers.hpp"
#include "call/routes.hpp"
#include "objects/outcome.hpp"

#include <algorithm>
#include <vector>

namespace pellucid {

namespace {

Op* op_of(Callable* self) { return static_cast<Op*>(self->description); }

constexpr const char* kTooMany = "more positional arguments than the op has";
constexpr const char* kByName = "an operand is missing, or is given by name";
constexpr const char* kNumber = "a number that would change the dtype, or does not fit it";

bool prepare(Callable* self) {
    if (self->prepared || !layout.ready) return true;
    self->prepared = true;
    Ref description(PyObject_CallNoArgs(self->describe));
    if (!description) return false;
    if (description.get() == Py_None) return true;
    self->description = read_op(description.get()).release();
    return self->description != nullptr;
}

bool assign_named(const Op& op, Call* call, PyObject* name, PyObject* value) {
    for (size_t i = 0; i < op.param_names.size(); ++i) {
        PyObject* own = op.param_names[i].get();
        if (own != name && PyUnicode_Compare(own, name) != 0) continue;
        if (call->params[i] != nullptr) return false;
        call->params[i] = value;
        return true;
    }
    return false;
}

// Puts in the defaults; false for what is not usual.
bool complete_params(const Op& op, Call* call) {
    for (size_t i = 0; i < op.param_names.size(); ++i) {
        PyObject* usual = op.defaults[i].get();
        if (call->params[i] == nullptr) call->params[i] = usual;
        if (call->params[i] == nullptr || call->params[i] == layout.absent) {
            return decline("an argument is missing");
        }
        // a flag must be a bool: Python refuses anything else
        const bool is_flag = usual == Py_True || usual == Py_False;
        if (is_flag && call->params[i] != Py_True && call->params[i] != Py_False) {
            return decline("a flag is not a bool");
        }
        call->usual_params = call->usual_params && call->params[i] == usual;
    }
    const bool is_usual = op.dtype_param < 0 || call->params[op.dtype_param] == Py_None;
    return is_usual || decline("a dtype is asked for");
}

// Takes operands and parameters that are all given, in order; false for what is not usual.
bool take_given(const Op& op, PyObject* operands, PyObject* params, Call* call) {
    if (PyTuple_GET_SIZE(operands) != static_cast<Py_ssize_t>(op.operands.size()) ||
        PyTuple_GET_SIZE(params) != static_cast<Py_ssize_t>(op.param_names.size())) {
        return false;
    }
    for (size_t i = 0; i < op.operands.size(); ++i) {
        PyObject* given = PyTuple_GET_ITEM(operands, i);
        call->operands[i] = given == Py_None && op.operands[i].optional ? nullptr : given;
    }
    for (size_t i = 0; i < op.param_names.size(); ++i) {
        call->params[i] = PyTuple_GET_ITEM(params, i);
    }
    return complete_params(op, call);
}

// Takes the parameters that are given by name, and completes them; false for what is not usual.
bool take_named(const Op& op, PyObject* const* values, PyObject* names, Call* call) {
    const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    for (Py_ssize_t i = 0; i < named; ++i) {
        if (!assign_named(op, call, PyTuple_GET_ITEM(names, i), values[i])) {
            return decline("an argument is given by a name that is not a parameter's, or twice");
        }
    }
    return complete_params(op, call);
}

// Does what `take_arguments` does where parameters stand among the operands.
bool take_in_order(const Op& op, PyObject* const* args, Py_ssize_t count, PyObject* names,
                   Call* call) {
    if (count > static_cast<Py_ssize_t>(op.order.size())) return decline(kTooMany);
    std::fill_n(call->params, op.param_names.size(), nullptr);
    for (Py_ssize_t i = 0; i < count; ++i) {
        const int place = op.order[i];
        if (place < 0) call->params[-1 - place] = args[i];
        else if (args[i] != Py_None || !op.operands[place].optional)
            call->operands[place] = args[i];
    }
    for (size_t i = 0; i < op.operands.size(); ++i) {
        if (call->operands[i] == nullptr && !op.operands[i].optional) return decline(kByName);
    }
    return take_named(op, args + count, names, call);
}

// Sorts the arguments into operands and parameters; false for what is not usual.
bool take_arguments(const Op& op, PyObject* const* args, Py_ssize_t count, PyObject* names,
                    Call* call) {
    const Py_ssize_t operands = op.operands.size();
    if (!op.order.empty()) return take_in_order(op, args, count, names, call);
    if (count > operands + op.positional_params) return decline(kTooMany);
    for (Py_ssize_t i = 0; i < operands; ++i) {
        if (i >= count && !op.operands[i].optional) return decline(kByName);
        PyObject* given = i < count ? args[i] : Py_None;
        call->operands[i] = given == Py_None && op.operands[i].optional ? nullptr : given;
    }
    const size_t params = op.param_names.size();
    if (params == 0) return names == nullptr || decline(kByName);
    std::fill_n(call->params, params, nullptr);
    for (Py_ssize_t i = operands; i < count; ++i) call->params[i - operands] = args[i];
    return take_named(op, args + count, names, call);
}

bool takes(const Op& op, PyArray_Descr* dtype) {
    return dtype == layout.single || dtype == layout.double_ ||
           (dtype->type > 0 && op.takes_type[dtype->type & 127]);
}

// Takes the arrays of the tensors, and the dtype in which they meet; false for what is not usual.
bool take_arrays(const Op& op, Call* call) {
    bool any_promoted = false;
    for (size_t i = 0; i < op.operands.size(); ++i) {
        PyObject* operand = call->operands[i];
        if (operand == nullptr) continue;
        call->arrays[i] = Ref::borrowed(array_of(operand));
        if (!call->arrays[i]) {
            if (!op.operands[i].takes_numbers || !op.operands[i].promoted) {
                return decline("an operand is not a tensor that has its array in the usual place");
            }
            call->numbers |= 1u << i;
            continue;
        }
        if (!is_settled(operand)) {
            return decline("a view whose base was changed since, or memory with special rules");
        }
        if (!op.operands[i].promoted) continue;
        PyArray_Descr* dtype = PyArray_DESCR(call->arrays[i].array());
        if (any_promoted && dtype != call->dtype) return decline("operands of different dtypes");
        any_promoted = true;
        call->dtype = dtype;
    }
    if (!any_promoted && call->arrays[op.leading]) {
        call->dtype = PyArray_DESCR(call->arrays[op.leading].array());
    }
    return (call->dtype != nullptr && takes(op, call->dtype)) ||
           decline("a dtype that the compiled code leaves to Python");
}

// Puts constant arrays for the Python numbers among the operands; false for what is not usual.
bool take_numbers(const Op& op, Call* call) {
    const bool floats = call->dtype == layout.single || call->dtype == layout.double_;
    const bool integers = call->dtype->type_num == NPY_INT64;
    if (!(floats && !op.refuses_numbers) && !(integers && !op.refuses_integers)) {
        return decline(kNumber);
    }
    for (size_t i = 0; i < op.operands.size(); ++i) {
        if (call->operands[i] == nullptr || call->arrays[i]) continue;
        if (integers && !PyLong_CheckExact(call->operands[i])) return decline(kNumber);
        call->arrays[i] = constant_for(call->operands[i], call->dtype);
        if (!call->arrays[i]) return decline(kNumber);
    }
    return true;
}

// Lets the result, whose memory is the first operand's, be a view of it; false with an error. See
// `pellucid.autograd.variable.View`.
bool link_view(const Call& call, PyObject* result, bool one_of_many = false) {
    PyObject* base = call.operands[0];
    const Ref view = Ref::borrowed(slot(base, layout.tensor.view));
    const bool is_view = view.get() != Py_None;
    const Ref root = Ref::borrowed(is_view ? slot(view.get(), layout.view.base) : base);
    const Ref storage = Ref::borrowed(storage_of(base));
    const Ref link(storage ? make(layout.view_class) : nullptr);
    if (!link) return false;
    PyObject* origin = !grad_enabled() ? layout.one : one_of_many ? layout.two : layout.zero;
    if (is_view && slot(view.get(), layout.view.origin) != layout.zero) {
        origin = slot(view.get(), layout.view.origin);
    }
    fill(link.get(), layout.view.base, root.get());
    fill(link.get(), layout.view.version, slot(storage.get(), layout.storage.version));
    fill(link.get(), layout.view.origin, origin);
    fill(link.get(), layout.view.recorded, Py_True);
    replace(result, layout.tensor.storage, storage.get());
    replace(result, layout.tensor.view, link.get());
    return true;
}

// A view of a tensor that requires grad is looked up at each use if nothing records it.
bool is_watched_view(const Call& call) {
    PyObject* base = call.operands[0];
    PyObject* view = slot(base, layout.tensor.view);
    PyObject* root = view == Py_None ? base : slot(view, layout.view.base);
    return slot(root, layout.tensor.edge) != Py_None && !grad_enabled();
}

// Takes what a call computes with; false for what is not usual.
bool take_values(const Op& op, Call* call) {
    return take_arrays(op, call) && (call->numbers == 0 || take_numbers(op, call)) &&
           (!(op.view && is_watched_view(*call)) ||
            decline("a view of what requires grad, made while nothing is recorded"));
}

Outcome left_to_python() {
    if (PyErr_Occurred() == nullptr) return Outcome::left_to_python;
    left_because = "an error, which Python explains";
    return drop_error() ? Outcome::left_to_python : Outcome::failed;
}

// The same where the arrays that were computed with decide.
Outcome arrays_left_to_python() {
    left_because = "a result of an unusual kind, or arrays that no kernel takes";
    return left_to_python();
}

// Makes a tensor of each array of a list: a view, or one of its own.
Outcome finish_many(Op& op, const Call& call, Ref arrays, PyObject** result) {
    const Py_ssize_t count = PyList_GET_SIZE(arrays.get());
    Ref views(PyTuple_New(count));
    for (Py_ssize_t i = 0; views && i < count; ++i) {
        PyObject* made = wrap(Py_NewRef(PyList_GET_ITEM(arrays.get(), i)));
        if (made == nullptr) return Outcome::failed;
        PyTuple_SET_ITEM(views.get(), i, made);
        if (op.view && !link_view(call, made, true)) return Outcome::failed;
    }
    if (!views || !record(op, call, PySequence_Fast_ITEMS(views.get()), count)) {
        return Outcome::failed;
    }
    *result = views.release();
    return Outcome::done;
}

// Makes tensors of several arrays, and the tuple of them.
Outcome finish_several(Op& op, Call& call, PyObject** result) {
    Ref arrays[kMostOutputs];
    if (call.dtype->kind == 'c' || !compute_several(op, call, arrays)) {
        return arrays_left_to_python();
    }
    Ref made(PyTuple_New(op.outputs));
    for (int i = 0; made && i < op.outputs; ++i) {
        PyObject* tensor = wrap(arrays[i].release());
        if (tensor == nullptr) return Outcome::failed;
        PyTuple_SET_ITEM(made.get(), i, tensor);
    }
    if (!made) return Outcome::failed;
    if (op.recorded && !record(op, call, PySequence_Fast_ITEMS(made.get()), op.outputs)) {
        return Outcome::failed;
    }
    Ref given(PyTuple_Pack(1, made.get()));
    PyTypeObject* type = reinterpret_cast<PyTypeObject*>(op.returns.get());
    *result = given ? PyTuple_Type.tp_new(type, given.get(), nullptr) : nullptr;
    return *result == nullptr ? Outcome::failed : Outcome::done;
}

Outcome finish(Op& op, Call& call, PyObject** result) {
    if (op.outputs > 1) return finish_several(op, call, result);
    PyObject* array = compute(op, call);
    if (array == nullptr) return arrays_left_to_python();
    if (op.many) return finish_many(op, call, Ref(array), result);
    Ref made(wrap(array));
    if (!made || (op.view && !link_view(call, made.get()))) return Outcome::failed;
    PyObject* const results[] = {made.get()};
    if (op.recorded && !record(op, call, results, 1)) return Outcome::failed;
    *result = made.release();
    return Outcome::done;
}

// What joins a list of arrays alone; null without an error for what Python has to see to.
PyObject* joined_arrays(const Op& op, PyObject* list, PyObject* dim) {
    std::vector<Ref> arrays;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
        if (!PyArray_CheckExact(PyList_GET_ITEM(list, i))) return nullptr;
        arrays.push_back(Ref::borrowed(PyList_GET_ITEM(list, i)));
    }
    const Py_ssize_t place = PyLong_CheckExact(dim) ? PyLong_AsSsize_t(dim) : NPY_MAXDIMS;
    if (arrays.empty() || PyErr_Occurred()) return nullptr;
    return joined(arrays, op.joining, place);
}

// The call of an op of a list of tensors, `cat` or `stack`.
Outcome run_on_list(Op& op, Call& call, PyObject** result) {
    PyObject* list = call.operands[0];
    npy_intp dim = 0;
    left_because = "a list of other things than plain tensors of one dtype that fit together";
    if (list == nullptr || op.direct != Direct::join ||
        !(PyList_CheckExact(list) || PyTuple_CheckExact(list)) ||
        !PyLong_CheckExact(call.params[0])) {
        return left_to_python();
    }
    dim = PyLong_AsSsize_t(call.params[0]);
    if (dim == -1 && PyErr_Occurred()) return left_to_python();
    Ref held(PySequence_Tuple(list));  // a list may be changed meanwhile
    if (!held) return Outcome::failed;
    const Py_ssize_t count = PyTuple_GET_SIZE(held.get());
    PyObject** tensors = PySequence_Fast_ITEMS(held.get());  // held by the tuple
    std::vector<Ref> arrays(count);
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* array = array_of(tensors[i]);
        if (array == nullptr || !is_settled(tensors[i])) return left_to_python();
        arrays[i] = Ref::borrowed(array);
    }
    const bool recorded = is_recorded(tensors, count);
    if (count == 0 || !takes(op, PyArray_DESCR(arrays[0].array()))) return left_to_python();
    PyObject* out = joined(arrays, op.joining, dim);
    if (out == nullptr) return left_to_python();
    Ref made(wrap(out));
    if (recorded && op.joining == Joining::end_to_end) {
        call.noted = lengths_along(arrays, dim);
        if (!call.noted) return Outcome::failed;
    }
    if (!made || (recorded && !record_list(op, call, tensors, count, made.get()))) {
        return Outcome::failed;
    }
    *result = made.release();
    return Outcome::done;
}

Outcome run(Op& op, PyObject* const* args, Py_ssize_t count, PyObject* names, PyObject** result) {
    Call call;
    if (takes_slow_path()) {
        left_because = "a mode or a listener asks for the general way";
        return left_to_python();
    }
    if (!take_arguments(op, args, count, names, &call)) return left_to_python();
    if (op.variadic) return run_on_list(op, call, result);
    if (!take_values(op, &call)) return left_to_python();
    return finish(op, call, result);
}

// Whether a list has an array among its elements, and else None.
bool holds_arrays(PyObject* list) {
    if (!PyList_CheckExact(list)) return false;
    bool any = false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
        PyObject* each = PyList_GET_ITEM(list, i);
        if (each == Py_None) continue;
        if (!PyArray_CheckExact(each)) return false;
        any = true;
    }
    return any;
}

// The same of an op of a list: what joins them, or its body, where nothing depends on the operands'
// order in memory.
PyObject* run_on_list_of_arrays(const Op& op, Call& call, bool in_a_program) {
    PyObject* list = call.operands[0];
    if (op.operands.size() != 1 || op.broadcasts || !holds_arrays(list)) return nullptr;
    if (op.direct == Direct::join) return joined_arrays(op, list, call.params[0]);
    call.arrays[0] = Ref::borrowed(list);
    return compute_by_body(op, call, in_a_program);
}

// Arrays give arrays: this is how a formula runs in an ordinary backward.
PyObject* run_on_arrays(Callable* self, PyObject* const* args, Py_ssize_t count, PyObject* names,
                        bool in_a_program = false) {
    const Op& op = *op_of(self);
    if (op.direct == Direct::where) return names == nullptr && count == 3 ? chosen(args) : nullptr;
    Call call;
    if (op.outputs > 1 || !take_arguments(op, args, count, names, &call)) return nullptr;
    if (op.many) {
        PyObject* array = op.make_view == nullptr || in_a_program ? nullptr : call.operands[0];
        if (array == nullptr || !PyArray_CheckExact(array)) return nullptr;
        return op.make_view(reinterpret_cast<PyArrayObject*>(array), call.params);
    }
    if (op.variadic) return run_on_list_of_arrays(op, call, in_a_program);
    for (size_t i = 0; i < op.operands.size(); ++i) {
        if (call.operands[i] == nullptr) continue;
        // a function of NumPy's gives numbers for arrays without dimensions
        if (!PyArray_CheckExact(call.operands[i])) return nullptr;
        call.arrays[i] = Ref::borrowed(call.operands[i]);
        const bool is_number = PyArray_NDIM(call.arrays[i].array()) == 0;
        if (is_number && !in_a_program && !op.shortcut) return nullptr;
    }
    if (!call.arrays[0]) return nullptr;
    call.dtype = PyArray_DESCR(call.arrays[0].array());
    Ref found(compute_on_arrays(op, call, in_a_program));
    const bool is_number = found && !in_a_program && PyArray_IsScalar(found.get(), Generic);
    return is_number ? PyArray_FromScalar(found.get(), nullptr) : found.release();
}

// Whether formulas are being written down, and one of their stand-ins is among the arguments.
bool is_written_down(PyObject* const* args, Py_ssize_t count) {
    const auto stands_in = [](PyObject* each) { return Py_IS_TYPE(each, layout.stand_in_class); };
    if (count > 0 && PyList_CheckExact(args[0]) && PyList_GET_SIZE(args[0]) > 0) {
        return stands_in(PyList_GET_ITEM(args[0], 0));
    }
    return std::any_of(args, args + count, stands_in);
}

PyObject* write_down(PyObject* function, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    const Py_ssize_t all = count + (names == nullptr ? 0 : PyTuple_GET_SIZE(names));
    Ref given(PyTuple_New(all));
    for (Py_ssize_t i = 0; given && i < all; ++i) {
        PyTuple_SET_ITEM(given.get(), i, Py_NewRef(args[i]));
    }
    if (!given) return nullptr;
    Ref named = names == nullptr ? Ref(PyTuple_New(0)) : Ref::borrowed(names);
    return PyObject_CallFunctionObjArgs(layout.write_call, function, given.get(), named.get(),
                                        nullptr);
}

__attribute__((cold)) void note_left_to_python(Callable* self, Py_ssize_t count) {
    if (self->description == nullptr) left_because = kNotDescribed;
    else if (count == 0) left_because = kByName;
    WatchedCall::note_left();
}

// Calls the compiled code, or else the Python function.
PyObject* call_op(PyObject* object, PyObject* const* args, size_t flags, PyObject* names) {
    Callable* self = reinterpret_cast<Callable*>(object);
    const Py_ssize_t count = PyVectorcall_NARGS(flags);
    if (!prepare(self)) return nullptr;
    if (self->description != nullptr && count > 0) {
        PyObject* result = nullptr;
        if (PyArray_CheckExact(args[0]) || holds_arrays(args[0])) {
            result = run_on_arrays(self, args, count, names);
            if (result != nullptr) return result;
            if (!drop_error()) return nullptr;
        } else {
            const Outcome outcome = run(*op_of(self), args, count, names, &result);
            if (outcome != Outcome::left_to_python) return result;
        }
    }
    if (counting) note_left_to_python(self, count);
    if (layout.ready && is_written_down(args, count)) return write_down(object, args, count, names);
    return PyObject_Vectorcall(self->python, args, flags, names);
}

// Whether a call is one of a user's, or of the library on tensors, and none on arrays.
bool is_on_tensors(PyObject* const* args, Py_ssize_t count) {
    return count == 0 ||
           !(PyArray_CheckExact(args[0]) || holds_arrays(args[0]) || is_written_down(args, count));
}

// Part of what Python calls, for the quickest way from a call to its result.
__attribute__((always_inline)) inline PyObject* call_function(PyObject* object,
                                                              PyObject* const* args, size_t flags,
                                                              PyObject* names) {
    const WatchedCall watched;
    Ref result(call_op(object, args, flags, names));
    if (watched) {
        const Py_ssize_t count = PyVectorcall_NARGS(flags);
        watched.note(object, args, count, names, result.get(), is_on_tensors(args, count));
    }
    return result.release();
}

// The same, told to profilers, with one frame for both.
PyObject* call_watched(PyObject* object, PyObject* const* args, size_t flags, PyObject* names) {
    if (is_profiled(PyThreadState_Get())) return call_profiled(object, args, flags, names);
    return call_function(object, args, flags, names);
}

// The usual call of an op that is observed, whatever the switch to the general way says;
// NotImplemented where Python has to see to it.
PyObject* call_usually(PyObject*, PyObject* args) {
    PyObject *function, *operands, *params;
    if (!PyArg_ParseTuple(args, "OO!O!", &function, &PyTuple_Type, &operands, &PyTuple_Type,
                          &params)) {
        return nullptr;
    }
    Callable* self = reinterpret_cast<Callable*>(function);
    if (!is_callable(function, entry<call_function>)) Py_RETURN_NOTIMPLEMENTED;
    if (!prepare(self)) return nullptr;
    if (self->description == nullptr) Py_RETURN_NOTIMPLEMENTED;
    Call call;
    PyObject* result = nullptr;
    Op& op = *op_of(self);
    const bool usual = !op.variadic && !op.many && op.outputs == 1 &&
                       take_given(op, operands, params, &call) && take_values(op, &call);
    const Outcome outcome = usual ? finish(op, call, &result) : left_to_python();
    if (outcome == Outcome::left_to_python) Py_RETURN_NOTIMPLEMENTED;
    return result;
}

PyObject* make_function(PyObject*, PyObject* args) {
    PyObject *python, *describe;
    if (!PyArg_ParseTuple(args, "OO", &python, &describe)) return nullptr;
    return make_callable(entry<call_function>, python, describe, entry<call_watched>);
}

PyObject* set_up(PyObject*, PyObject* given) {
    if (!PyDict_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "set_up() takes a dictionary");
        return nullptr;
    }
    if (!set_up_layout(given)) return nullptr;
    Py_RETURN_NONE;
}

// Takes arrays where they can be wrapped at once.
PyObject* call_wrapping(PyObject* object, PyObject* const* args, size_t flags, PyObject* names) {
    const bool usual = layout.ready && PyVectorcall_NARGS(flags) == 1 && names == nullptr &&
                       PyArray_CheckExact(args[0]);
    if (usual) return wrap(Py_NewRef(args[0]));
    return PyObject_Vectorcall(reinterpret_cast<Callable*>(object)->python, args, flags, names);
}

// A kernel of the compiled module in front of the one that takes what it declines, and names.
struct KernelWithFallback : Description {
    Ref kernel;
};

PyObject* call_kernel(PyObject* object, PyObject* const* args, size_t flags, PyObject* names) {
    Callable* self = reinterpret_cast<Callable*>(object);
    if (names == nullptr || PyTuple_GET_SIZE(names) == 0) {
        PyObject* kernel = static_cast<KernelWithFallback*>(self->description)->kernel.get();
        Ref found(PyObject_Vectorcall(kernel, args, PyVectorcall_NARGS(flags), nullptr));
        if (found.get() != Py_NotImplemented) return found.release();
    }
    return PyObject_Vectorcall(self->python, args, flags, names);
}

PyObject* make_kernel(PyObject*, PyObject* args) {
    PyObject *kernel, *reference;
    if (!PyArg_ParseTuple(args, "OO", &kernel, &reference)) return nullptr;
    PyObject* made = make_callable(entry<call_kernel>, reference, Py_None);
    if (made == nullptr) return nullptr;
    auto* known = new KernelWithFallback;
    known->kernel = Ref::borrowed(kernel);
    reinterpret_cast<Callable*>(made)->description = known;
    return made;
}

// A function of NumPy's that has loops for some dtypes alone, in front of a kernel for all.
struct UfuncWithFallback : Description {
    Ref ufunc;
    Loop loops[2];
    bool takes[128] = {false};

    // Its result for arrays of one of its dtypes, and numbers; null, with or without an error, for
    // what is left to the kernel.
    PyObject* call(PyObject* const* args, Py_ssize_t count) const {
        PyArray_Descr* dtype = nullptr;
        for (Py_ssize_t i = 0; i < count; ++i) {
            if (PyArray_CheckExact(args[i])) {
                PyArray_Descr* own = PyArray_DESCR(reinterpret_cast<PyArrayObject*>(args[i]));
                if (dtype != nullptr && own->type_num != dtype->type_num) return nullptr;
                dtype = own;
            } else if (!PyFloat_CheckExact(args[i]) && !PyLong_CheckExact(args[i])) {
                return nullptr;
            }
        }
        if (dtype == nullptr || dtype->type < 0 || !takes[dtype->type & 127]) return nullptr;
        PyObject* found = by_loop(args, count, dtype);
        if (found != nullptr || PyErr_Occurred()) return found;
        Ref result(PyObject_Vectorcall(ufunc.get(), args, count, nullptr));
        if (!result || PyArray_CheckExact(result.get())) return result.release();
        return PyArray_FromAny(result.get(), nullptr, 0, 0, 0, nullptr);
    }

  private:
    PyObject* by_loop(PyObject* const* args, Py_ssize_t count, PyArray_Descr* dtype) const {
        if (dtype != layout.single && dtype != layout.double_) return nullptr;
        const Loop& loop = loops[dtype == layout.double_];
        if (loop.function == nullptr || loop.inputs != count) return nullptr;
        Ref held[kMostLoopInputs];
        PyArrayObject* operands[kMostLoopInputs];
        for (Py_ssize_t i = 0; i < count; ++i) {
            const bool is_array = PyArray_CheckExact(args[i]);
            held[i] = is_array ? Ref::borrowed(args[i]) : constant_for(args[i], dtype);
            if (!held[i]) return nullptr;
            operands[i] = held[i].array();
        }
        return run_loop(loop, operands);
    }
};

PyObject* call_ufunc(PyObject* object, PyObject* const* args, size_t flags, PyObject* names) {
    Callable* self = reinterpret_cast<Callable*>(object);
    const UfuncWithFallback& known = *static_cast<UfuncWithFallback*>(self->description);
    const Py_ssize_t count = PyVectorcall_NARGS(flags);
    const int inputs = reinterpret_cast<PyUFuncObject*>(known.ufunc.get())->nin;
    if (layout.ready && names == nullptr && count == inputs) {
        PyObject* found = known.call(args, count);
        if (found != nullptr || PyErr_Occurred()) return found;
    }
    return PyObject_Vectorcall(self->python, args, flags, names);
}

PyObject* make_ufunc_kernel(PyObject*, PyObject* args) {
    PyObject *ufunc, *reference;
    if (!PyArg_ParseTuple(args, "O!O", &PyUFunc_Type, &ufunc, &reference)) return nullptr;
    PyObject* made = make_callable(entry<call_ufunc>, reference, Py_None);
    if (made == nullptr) return nullptr;
    auto* kernel = new UfuncWithFallback;
    kernel->ufunc = Ref::borrowed(ufunc);
    kernel->loops[0] = find_loop(ufunc, NPY_FLOAT);
    kernel->loops[1] = find_loop(ufunc, NPY_DOUBLE);
    PyUFuncObject* known = reinterpret_cast<PyUFuncObject*>(ufunc);
    for (int i = 0; i < known->ntypes; ++i) {
        Ref dtype(
            reinterpret_cast<PyObject*>(PyArray_DescrFromType(known->types[i * known->nargs])));
        kernel->takes[reinterpret_cast<PyArray_Descr*>(dtype.get())->type & 127] = true;
    }
    reinterpret_cast<Callable*>(made)->description = kernel;
    return made;
}

PyObject* make_wrapping(PyObject*, PyObject* python) {
    return make_callable(entry<call_wrapping>, python, Py_None);
}

PyMethodDef functions[] = {
    {"function", entry<make_function>, METH_VARARGS,
     "Return a callable for an op: function(python_function, describe)."},
    {"wrapping", entry<make_wrapping>, METH_O,
     "Return a callable that makes a tensor of an array: wrapping(python_function)."},
    {"kernel_with_fallback", entry<make_kernel>, METH_VARARGS,
     "Return a callable for a kernel: kernel_with_fallback(compiled_kernel, "
     "kernel_for_what_it_declines)."},
    {"ufunc_with_fallback", entry<make_ufunc_kernel>, METH_VARARGS,
     "Return a callable for a kernel: ufunc_with_fallback(function_of_numpy, kernel_for_others)."},
    {"call_usually", entry<call_usually>, METH_VARARGS,
     "Call an op with all operands and parameters; return NotImplemented for what is not usual."},
    {"set_up", entry<set_up>, METH_O, "Read from a dictionary where the Python classes keep what."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool take_call(const Op& op, PyObject* const* args, Py_ssize_t count, PyObject* names, Call* call) {
    if (takes_slow_path()) return decline("a mode or a listener asks for the general way");
    return take_arguments(op, args, count, names, call) && take_values(op, call);
}

bool take_any_call(const Op& op, PyObject* const* args, Py_ssize_t count, PyObject* names,
                   Call* call) {
    if (!op.variadic) return take_call(op, args, count, names, call);
    return !takes_slow_path() && take_arguments(op, args, count, names, call);
}

Outcome run_taken(Op& op, Call& call, PyObject** result) {
    return op.variadic ? run_on_list(op, call, result) : finish(op, call, result);
}

PyObject* call_on_arrays(PyObject* function, PyObject* const* args, Py_ssize_t count,
                         PyObject* names) {
    if (!is_callable(function, entry<call_function>)) return nullptr;
    Callable* self = reinterpret_cast<Callable*>(function);
    if (self->description == nullptr) return nullptr;
    PyObject* result = run_on_arrays(self, args, count, names, true);
    if (result == nullptr && !drop_error()) return nullptr;
    return result;
}

bool add_calls(PyObject* module) {
    return PyModule_AddIntConstant(module, "most_operands", kMostOperands) == 0 &&
           PyModule_AddIntConstant(module, "most_params", kMostParams) == 0 &&
           PyModule_AddIntConstant(module, "most_outputs", kMostOutputs) == 0 &&
           PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace pellucid
