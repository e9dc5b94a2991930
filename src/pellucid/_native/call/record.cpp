// Making a node: what an op's generated Python call does for a result that needs a gradient.
#include "call/op.hpp"

#include <algorithm>

namespace pellucid {

namespace {

// The edge of an operand as a borrowed reference; None for one that needs no gradient.
PyObject* edge_of(PyObject* operand) {
    PyObject* edge = slot(operand, layout.tensor.edge);
    return edge == nullptr ? Py_None : edge;
}

PyObject* meta_of(PyArrayObject* array) {
    PyObject* meta = make(layout.meta_class);
    if (meta == nullptr) return nullptr;
    PyObject* shape = PyArray_IntTupleFromIntp(PyArray_NDIM(array), PyArray_DIMS(array));
    slot(meta, layout.meta.shape) = shape;
    fill(meta, layout.meta.dtype, reinterpret_cast<PyObject*>(PyArray_DESCR(array)));
    if (shape == nullptr) Py_CLEAR(meta);
    return meta;
}

PyObject* entry(PyObject* value, PyObject* storage, PyObject* version) {
    return PyTuple_Pack(3, value, storage, version);
}

// What a node keeps of one value: (array, storage, version).
PyObject* saved_entry(const Save& want, const Call& call, PyObject* const* results) {
    PyObject* constant = layout.constant_storage;
    if (want.kind == Save::like) {
        Ref meta(meta_of(call.arrays[want.index].array()));
        return meta ? entry(meta.get(), constant, layout.zero) : nullptr;
    }
    const bool is_output = want.kind == Save::output;
    PyObject* tensor = (is_output ? results : call.operands)[want.index];
    if (tensor == nullptr || array_of(tensor) == nullptr) {  // a number, or None
        PyObject* array = call.arrays[want.index].get();
        if (tensor != nullptr && tensor != Py_None) {
            constant = PyLong_Check(tensor) ? layout.whole_number : layout.other_number;
        }
        return entry(array == nullptr ? Py_None : array, constant,
                     slot(constant, layout.storage.version));
    }
    PyObject* storage = storage_of(tensor);
    if (storage == nullptr) return nullptr;
    PyObject* array = is_output ? slot(tensor, layout.tensor.array) : call.arrays[want.index].get();
    return entry(array, storage, slot(storage, layout.storage.version));
}

PyObject* saved_values(const Plan& plan, const Call& call, PyObject* const* results) {
    if (plan.saves.empty()) return Py_NewRef(plan.nothing_saved.get());
    Ref saved(PyTuple_New(plan.saves.size()));
    for (size_t i = 0; saved && i < plan.saves.size(); ++i) {
        PyObject* made = saved_entry(plan.saves[i], call, results);
        if (made == nullptr) return nullptr;
        PyTuple_SET_ITEM(saved.get(), i, made);
    }
    return saved.release();
}

PyObject* params_of(const Op& op, const Call& call) {
    if (call.usual_params && !call.noted) return Py_NewRef(op.default_params.get());
    const Py_ssize_t count = op.defaults.size();
    PyObject* params = PyTuple_New(count + (call.noted ? 1 : 0));
    for (Py_ssize_t i = 0; params != nullptr && i < count; ++i) {
        PyTuple_SET_ITEM(params, i, Py_NewRef(call.params[i]));
    }
    if (params != nullptr && call.noted) {
        PyTuple_SET_ITEM(params, count, Py_NewRef(call.noted.get()));
    }
    return params;
}

// The backward of a plan, for the dtype of the result.
PyObject* backward_for(const Op& op, const Plan& plan, PyObject* dtype) {
    PyObject* usual = plan.backward.get();
    if (dtype == reinterpret_cast<PyObject*>(layout.single) ||
        dtype == reinterpret_cast<PyObject*>(layout.double_)) {
        return Py_NewRef(usual);
    }
    return PyObject_CallFunctionObjArgs(layout.choose_backward, op.op.get(), dtype, usual, nullptr);
}

PyArrayObject* array_in(PyObject* result) {
    return reinterpret_cast<PyArrayObject*>(slot(result, layout.tensor.array));
}

// Fills the slots that tell of a node's results, one or several; false with an error.
bool fill_metas(PyObject* node, const Op& op, PyObject* const* results, int count) {
    const NodeSlots& at = layout.node;
    if (count == 1 && !op.many) {
        PyArrayObject* out = array_in(results[0]);
        fill(node, at.metas, Py_None);
        fill(node, at.dtype, reinterpret_cast<PyObject*>(PyArray_DESCR(out)));
        slot(node, at.shape) = PyArray_IntTupleFromIntp(PyArray_NDIM(out), PyArray_DIMS(out));
        return slot(node, at.shape) != nullptr;
    }
    fill(node, at.dtype, Py_None);
    fill(node, at.shape, Py_None);
    slot(node, at.metas) = PyTuple_New(count);
    for (int i = 0; slot(node, at.metas) != nullptr && i < count; ++i) {
        PyObject* meta = meta_of(array_in(results[i]));
        if (meta == nullptr) return false;
        PyTuple_SET_ITEM(slot(node, at.metas), i, meta);
    }
    return slot(node, at.metas) != nullptr;
}

// Fills a node's slots, each with a new reference; false with an error.
bool fill_node(PyObject* node, const Op& op, const Plan& plan, const Call& call, PyObject* edges,
               PyObject* const* results, int count) {
    const NodeSlots& at = layout.node;
    // of several results none is complex, and those of half precision go the usual way; many are
    // alike
    PyObject* dtype = reinterpret_cast<PyObject*>(
        count == 1 || op.many ? PyArray_DESCR(array_in(results[0])) : layout.single);
    const bool scoped =
        PyList_GET_SIZE(slot(layout.slow_path_object, layout.slow_path.scopes)) != 0;
    Ref code;
    int lasti = 0;
    fill(node, at.edges, edges);
    fill(node, at.extra, Py_None);
    fill(node, at.scope, scoped ? module_scope() : Py_None);
    if (!fill_metas(node, op, results, count)) return false;
    slot(node, at.saved) = saved_values(plan, call, results);
    slot(node, at.params) = params_of(op, call);
    slot(node, at.backward) = backward_for(op, plan, dtype);
    slot(node, at.seq) = PyIter_Next(layout.sequence);
    if (!find_site(&code, &lasti)) return false;
    slot(node, at.code) = code.release();
    slot(node, at.lasti) = PyLong_FromLong(lasti);
    for (Py_ssize_t offset : {at.saved, at.params, at.backward, at.seq, at.lasti}) {
        if (slot(node, offset) == nullptr) return false;
    }
    return true;
}

bool has_gradients(PyArray_Descr* dtype) {
    return dtype == layout.single || dtype == layout.double_ || dtype->kind == 'f' ||
           dtype->kind == 'c' || dtype->kind == 'V' || dtype->kind == 'W';
}

bool leads_back(PyObject* result) { return has_gradients(PyArray_DESCR(array_in(result))); }

// The class of the node: that for a number, or for None, in the place of an operand.
PyTypeObject* class_for(const Op& op, const Call& call) {
    if (call.numbers == 0 && !op.absent && !op.variadic) {
        return reinterpret_cast<PyTypeObject*>(op.node_class.get());
    }
    PyObject* classes = op.number_classes.get();
    for (size_t i = 0; classes != Py_None && i < op.operands.size(); ++i) {
        PyObject* operand = call.operands[i];
        PyObject* found = PyTuple_GET_ITEM(classes, i);
        if (found == Py_None) continue;
        const bool is_none = operand == nullptr || operand == Py_None;
        if (op.absent ? is_none : !is_none && array_of(operand) == nullptr)
            return reinterpret_cast<PyTypeObject*>(found);
    }
    return reinterpret_cast<PyTypeObject*>(op.node_class.get());
}

// Makes the node, and lets the results lead to it; false with an error.
bool attach(Op& op, const Call& call, unsigned mask, PyObject* edges, PyObject* const* results,
            int count) {
    const Plan* plan = plan_for(op, mask);
    if (plan == nullptr) return false;
    Ref node(make(class_for(op, call)));
    if (!node || !fill_node(node.get(), op, *plan, call, edges, results, count)) return false;
    for (int i = 0; i < count; ++i) {
        if (!leads_back(results[i])) continue;
        Ref place(PyLong_FromLong(i)), edge(PyTuple_Pack(2, node.get(), place.get()));
        if (!edge) return false;
        replace(results[i], layout.tensor.edge, edge.get());
    }
    return true;
}

}  // namespace

bool record(Op& op, const Call& call, PyObject* const* results, int count) {
    unsigned mask = 0;
    PyObject* found[kMostOperands];
    const int operands = static_cast<int>(op.operands.size());
    for (int i = 0; i < operands; ++i) {
        PyObject* operand = call.operands[i];
        const bool is_number = (call.numbers >> i & 1) != 0;
        const bool leads = op.operands[i].derived && operand != nullptr && !is_number;
        found[i] = leads ? edge_of(operand) : Py_None;
        mask |= (found[i] != Py_None) << i;
    }
    if (mask == 0 || !grad_enabled()) return true;
    if (std::none_of(results, results + count, leads_back)) return true;
    Ref edges(PyTuple_New(operands));
    if (!edges) return false;
    for (int i = 0; i < operands; ++i) PyTuple_SET_ITEM(edges.get(), i, Py_NewRef(found[i]));
    return attach(op, call, mask, edges.get(), results, count);
}

bool is_recorded(PyObject* const* tensors, Py_ssize_t count) {
    return grad_enabled() && std::any_of(tensors, tensors + count,
                                         [](PyObject* each) { return edge_of(each) != Py_None; });
}

bool record_list(Op& op, const Call& call, PyObject* const* tensors, Py_ssize_t count,
                 PyObject* result) {
    Ref edges(PyTuple_New(count));
    if (!edges) return false;
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyTuple_SET_ITEM(edges.get(), i, Py_NewRef(edge_of(tensors[i])));
    }
    PyObject* const results[] = {result};
    return !leads_back(result) || attach(op, call, 1, edges.get(), results, 1);
}

}  // namespace pellucid
