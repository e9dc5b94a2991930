#include "engine/pass_recorder.hpp"

#include <algorithm>

#include "engine/engine.hpp"
#include "engine/leaves.hpp"
#include "engine/walk.hpp"
#include "kernels/arguments.hpp"
#include "objects/outcome.hpp"

namespace pellucid::recorded {

namespace {

Op* op_behind(PyObject* function) {
    return static_cast<Op*>(reinterpret_cast<Callable*>(function)->description);
}

}  // namespace

const char* Recorder::record(PyObject* args, PyObject* kinds, PyObject* calls, PyObject* root,
                             PyObject* outputs, PyObject* kept) {
    if (!read_given(args, kinds))
        return "an argument that is no constant, no tensor without hooks and no simple layer";
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(calls); ++i) {
        if (!read_call(PyList_GET_ITEM(calls, i))) return why_;
    }
    if (pass_.is_usual) {
        if (!read_usual_outputs(outputs) || !read_usual_outputs(kept) || !read_usual_root(root)) {
            return why_;
        }
    } else if (!are_simple() || !read_nodes(root) || !read_outputs(outputs)) {
        return why_;
    } else {
        pass_.kept = PyTuple_GET_SIZE(kept);
    }
    note_ends();
    return nullptr;
}

bool Recorder::no(const char* why) {
    why_ = why;
    return false;
}

bool Recorder::read_method(PyObject* kind, PyObject* object, Given* given) {
    const bool is_first = is_word(kind, "zero_grad first"), steps = is_word(kind, "step");
    const bool takes_away = is_first || is_word(kind, "zero_grad");
    pass_.zeroes_first = pass_.zeroes_first || is_first;
    if (!takes_away && !steps) return true;
    given->is_method = true;
    const auto place = static_cast<Py_ssize_t>(pass_.given.size());
    if (takes_away) pass_.zeroings.push_back(place);
    else pass_.stepping = place;
    return PyMethod_Check(object);
}

bool Recorder::read_given(PyObject* args, PyObject* kinds) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
        PyObject* each = PyTuple_GET_ITEM(args, i);
        Given given;
        PyObject* kind = PyTuple_GET_ITEM(kinds, i);  // held by the tuple
        given.is_layer = is_word(kind, "layer");
        given.is_scope = is_word(kind, "scope");
        if (!read_method(kind, each, &given)) return false;
        if (is_word(kind, "value")) inputs_.add(each);
        else if (given.is_layer && !read_layer_of(each, &given)) return false;
        pass_.given.push_back(std::move(given));
    }
    pass_.inputs.resize(inputs_.size());
    for (size_t i = 0; i < inputs_.size(); ++i) {
        if (!pass_.inputs[i].read(inputs_.data(), i)) return false;
        if (!is_tensor(inputs_[i])) continue;
        if (!pass_.is_usual && pass_.inputs[i].requires_grad && !is_bare_leaf(inputs_[i])) {
            return false;
        }
        const int first = static_cast<int>(pass_.inputs[i].first);
        slot_of_.emplace(inputs_[i], first);
        slot_of_array_.emplace(array_of(inputs_[i]), first);
    }
    filled_ = static_cast<int>(inputs_.size());
    return true;
}

bool Recorder::read_layer_of(PyObject* object, Given* given) {
    Ref attributes(PyObject_GenericGetDict(object, nullptr));
    if (!attributes) return false;
    given->size = PyDict_GET_SIZE(attributes.get());
    PyObject *name, *value;
    for (Py_ssize_t at = 0; PyDict_Next(attributes.get(), &at, &name, &value);) {
        if (PyDict_CheckExact(value) && PyDict_GET_SIZE(value) != 0) {
            PyObject *key, *tensor;
            for (Py_ssize_t k = 0; PyDict_Next(value, &k, &key, &tensor);) {
                if (!is_tensor(tensor) && tensor != Py_None) return false;
                given->tensors.push_back(Ref::borrowed(name));
                given->tensors.push_back(Ref::borrowed(key));
                inputs_.add(tensor);
            }
            continue;
        }
        if (!is_empty_container(value) && !is_constant(value)) {
            if (PyUnicode_CompareWithASCIIString(name, "_scope_names") == 0) continue;
            return false;
        }
        Attribute attribute;
        attribute.name = Ref::borrowed(name);
        if (is_constant(value)) attribute.constant = Ref::borrowed(value);
        given->attributes.push_back(std::move(attribute));
    }
    return true;
}

bool Recorder::are_simple() {
    const bool all = std::all_of(pass_.calls.begin(), pass_.calls.end(),
                                 [](const Forward& each) { return each.is_simple(); });
    return all || no("an op of a list of tensors, or that gives several");
}

bool Recorder::read_call(PyObject* listed) {
    if (is_tensor(listed) && array_of(listed) != nullptr) {
        const int constant = constant_slot(array_of(listed));
        slot_of_.emplace(listed, constant);
        slot_of_array_.emplace(array_of(listed), constant);
        return !pass_.is_usual || no("a constant tensor");
    }
    if (!PyTuple_Check(listed)) return no("a call that may not be made again as it was");
    const Ref held = Ref::borrowed(listed);
    if (PyTuple_GET_SIZE(listed) == 3) return read_making(listed);
    PyObject* function = PyTuple_GET_ITEM(listed, 0);  // held by the tuple
    PyObject* args = PyTuple_GET_ITEM(listed, 1);      // held by the tuple
    PyObject* names = PyTuple_GET_ITEM(listed, 2);     // held by the tuple
    PyObject* result = PyTuple_GET_ITEM(listed, 3);    // held by the tuple
    if (slot_of_.count(result) != 0) return true;      // what gives its operand does nothing
    Op* op = op_behind(function);
    if (op == nullptr) return read_call_in_python(listed);
    names = names == Py_None ? nullptr : names;
    const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    Call call;
    if (!take_any_call(*op, PySequence_Fast_ITEMS(args), PyTuple_GET_SIZE(args) - named, names,
                       &call)) {
        return no("a call that is left to Python");
    }
    Forward step;
    step.function = Ref::borrowed(function);
    step.op = op;
    if (!read_operands(call, &step) || !read_results(result, &step)) return false;
    for (size_t i = 0; i < op->param_names.size(); ++i) {
        if (!is_constant(call.params[i])) return no("a parameter that may change");
        step.params.push_back(Ref::borrowed(call.params[i]));
    }
    step.usual_params = call.usual_params;
    step.dtype = call.dtype;
    if (!pass_.is_usual) read_small(call, result, &step);
    pass_.calls.push_back(std::move(step));
    results_.push_back(result);
    is_view_[result] = op->view;
    return true;
}

bool Recorder::read_making(PyObject* listed) {
    PyObject* result = PyTuple_GET_ITEM(listed, 2);  // held by the tuple
    Forward step;
    step.function = Ref::borrowed(PyTuple_GET_ITEM(listed, 0));
    step.made_with = Ref::borrowed(PyTuple_GET_ITEM(listed, 1));
    for (int& each : step.slots) each = kNowhere;
    if (!read_results(result, &step)) return false;
    step.dtype = PyArray_DESCR(reinterpret_cast<PyArrayObject*>(array_of(result)));
    pass_.calls.push_back(std::move(step));
    results_.push_back(result);
    return true;
}

bool Recorder::read_call_in_python(PyObject* listed) {
    if (!pass_.is_usual) return no("an op that is left to Python");
    PyObject* args = PyTuple_GET_ITEM(listed, 1);    // held by the list
    PyObject* result = PyTuple_GET_ITEM(listed, 3);  // held by the list
    Forward step;
    step.function = Ref::borrowed(PyTuple_GET_ITEM(listed, 0));
    if (PyTuple_GET_ITEM(listed, 2) != Py_None) {
        step.names = Ref::borrowed(PyTuple_GET_ITEM(listed, 2));
    }
    for (int& each : step.slots) each = kNowhere;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
        PyObject* each = PyTuple_GET_ITEM(args, i);
        const auto found = slot_of_.find(each);
        if (found != slot_of_.end()) step.list.push_back(found->second);
        else if (!is_constant(each)) return no("a tensor from elsewhere, or what may change");
        step.given.push_back(found != slot_of_.end() ? Ref() : Ref::borrowed(each));
    }
    if (!read_results(result, &step)) return false;
    pass_.calls.push_back(std::move(step));
    results_.push_back(result);
    is_view_[result] = true;
    return true;
}

bool Recorder::read_operands(const Call& call, Forward* step) {
    for (int& each : step->slots) each = kNowhere;
    if (step->op->variadic) return read_list(call.operands[0], step);
    for (size_t i = 0; i < step->op->operands.size(); ++i) {
        PyObject* operand = call.operands[i];
        if (operand == nullptr || array_of(operand) == nullptr) {
            step->numbers[i] = Ref::borrowed(operand);
            step->constants[i] = Ref::borrowed(call.arrays[i].get());
            continue;
        }
        const auto found = slot_of_.find(operand);
        if (found != slot_of_.end()) {
            step->slots[i] = found->second;
            continue;
        }
        // a saved value is handed to the formulas of a recorded pass as another tensor
        const auto held = slot_of_array_.find(array_of(operand));
        if (pass_.is_usual || held == slot_of_array_.end()) return no("a tensor from elsewhere");
        step->slots[i] = held->second;
    }
    return true;
}

// A loop that nothing else is asked about before it runs, see `compute`.
void Recorder::read_small(const Call& call, PyObject* result, Forward* step) {
    const Op& op = *step->op;
    if (op.direct != Direct::loop || !call.usual_params || op.shortcut || op.is_power ||
        op.make_view != nullptr || !step->is_simple()) {
        return;
    }
    const Loop& loop = op.loop_for(call.dtype);
    if (loop.function == nullptr || loop.inputs > static_cast<int>(op.operands.size())) return;
    PyArrayObject* operands[kMostLoopInputs];
    SmallLoop found;
    for (int i = 0; i < loop.inputs; ++i) {
        operands[i] = call.arrays[i].array();
        found.places[i] = i;
    }
    if (read_small_loop(loop, operands, &pass_.shapes, &found) &&
        found.result->has(reinterpret_cast<PyArrayObject*>(array_of(result)))) {
        step->small = found;
    }
}

bool Recorder::read_list(PyObject* list, Forward* step) {
    if (list == nullptr || !(PyList_Check(list) || PyTuple_Check(list))) {
        return no("an operand that is no list of tensors");
    }
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list); ++i) {
        const auto found = slot_of_.find(PySequence_Fast_GET_ITEM(list, i));
        if (found == slot_of_.end()) return no("a tensor from elsewhere");
        step->list.push_back(found->second);
    }
    return true;
}

bool Recorder::read_results(PyObject* result, Forward* step) {
    if (!PyTuple_Check(result)) return read_result(result, step);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(result); ++i) {
        if (!read_result(PyTuple_GET_ITEM(result, i), step)) return false;
    }
    return true;
}

bool Recorder::read_result(PyObject* result, Forward* step) {
    PyObject* object = is_tensor(result) ? array_of(result) : nullptr;
    if (object == nullptr) return no("a result of an unusual kind");
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(object);
    step->sizes.emplace_back(PyArray_DIMS(array), PyArray_DIMS(array) + PyArray_NDIM(array));
    PyObject* edge = slot(result, layout.tensor.edge);
    if (edge != Py_None) {
        PyObject* node = PyTuple_GET_ITEM(edge, 0);
        step->is_recorded = true;
        step->code = Ref::borrowed(slot(node, layout.node.code));
        step->lasti = Ref::borrowed(slot(node, layout.node.lasti));
        step->scope = Ref::borrowed(slot(node, layout.node.scope));
        pass_.is_scoped = pass_.is_scoped || step->scope.get() != Py_None;
    }
    shapes_.push_back(pass_.is_usual ? nullptr : pass_.shapes.of(array));
    slot_of_[result] = filled_;
    slot_of_array_[object] = filled_++;
    return true;
}

bool Recorder::read_usual_outputs(PyObject* outputs) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(outputs); ++i) {
        const auto found = slot_of_.find(PyTuple_GET_ITEM(outputs, i));
        if (found == slot_of_.end()) return no("what was not computed here lives on");
        pass_.outputs.push_back({found->second, kNowhere});
    }
    return true;
}

bool Recorder::read_usual_root(PyObject* root) {
    if (root == Py_None) return true;
    const auto found = slot_of_.find(root);
    if (found == slot_of_.end()) return no("a root that was not computed here");
    pass_.root = found->second;
    return true;
}

int Recorder::constant_slot(PyObject* array) {
    constants_.push_back(Ref::borrowed(array));
    return -2 - static_cast<int>(constants_.size() - 1);
}

bool Recorder::read_nodes(PyObject* root) {
    PyObject* edge = slot(root, layout.tensor.edge);
    if (array_of(root) == nullptr || edge == Py_None) return no("a root without a history");
    PyObject* dtype = slot(PyTuple_GET_ITEM(edge, 0), layout.node.dtype);
    if (PyArray_NDIM(reinterpret_cast<PyArrayObject*>(array_of(root))) != 0 ||
        (dtype != reinterpret_cast<PyObject*>(layout.single) &&
         dtype != reinterpret_cast<PyObject*>(layout.double_))) {
        return no("a root that is no single number");
    }
    Walk found;
    found.start(PyTuple_GET_ITEM(edge, 0));
    if (!found.go()) return no("a walk that failed");
    Ref nodes = found.nodes(), leaves = found.leaves();
    if (!nodes || !leaves) return no("no memory");
    return read_leaves(leaves.get()) && read_backwards(nodes.get());
}

bool Recorder::read_leaves(PyObject* pairs) {
    for (Py_ssize_t i = PyList_GET_SIZE(pairs); i-- > 0;) {
        PyObject* node = PyTuple_GET_ITEM(PyList_GET_ITEM(pairs, i), 0);
        Leaf leaf;
        const auto leads = [&](PyObject* each) {
            if (!is_tensor(each)) return false;
            PyObject* edge = slot(each, layout.tensor.edge);
            return edge != Py_None && PyTuple_GET_ITEM(edge, 0) == node;
        };
        const auto place = std::find_if(inputs_.begin(), inputs_.end(), leads);
        if (place == inputs_.end()) return no("a leaf from elsewhere");
        leaf.input = static_cast<int>(place - inputs_.begin());
        leaf.shape = pass_.shapes.of(reinterpret_cast<PyArrayObject*>(array_of(*place)));
        last_sender_.push_back(
            PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(PyList_GET_ITEM(pairs, i), 1)));
        leaf_at_[node] = static_cast<int>(pass_.leaves.size());
        pass_.leaves.push_back(leaf);
    }
    return true;
}

bool Recorder::read_backwards(PyObject* nodes) {
    const Py_ssize_t count = PyList_GET_SIZE(nodes);
    for (Py_ssize_t i = 0; i < count; ++i) node_at_[PyList_GET_ITEM(nodes, i)] = i;
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* node = PyList_GET_ITEM(nodes, i);  // held by the list
        Backward step;
        if (!read_backward(node, &step)) return false;
        step.changes = changes_by(node);
        for (size_t k = 0; k < pass_.leaves.size(); ++k) {
            if (last_sender_[k] == number_of(node)) pass_.leaves[k].last_sender = i;
        }
        pass_.nodes.push_back(std::move(step));
    }
    return link_stand_ins(nodes) && match_calls();
}

bool Recorder::read_backward(PyObject* node, Backward* step) {
    if (!PyObject_TypeCheck(node, layout.node_class) || slot(node, layout.node.extra) != Py_None ||
        slot(node, layout.node.metas) != Py_None) {
        return no("a node with hooks, of several outputs, or of another kind");
    }
    pass_.is_scoped = pass_.is_scoped || slot(node, layout.node.scope) != Py_None;
    Ref g = gradient_like(node);
    if (!g) return no("a gradient that is neither float32 nor float64");
    step->program = program_for(node, g.get());
    if (step->program == nullptr) return no("a node whose formulas run in Python");
    if (!read_saved_slots(slot(node, layout.node.saved), step)) return false;
    read_small(slot(node, layout.node.saved), std::move(g), step);
    PyObject* edges = edges_of(node);
    const int count = static_cast<int>(node_at_.size());
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(edges); ++i) {
        PyObject* edge = PyTuple_GET_ITEM(edges, i);
        int to = kNowhere;
        if (edge != Py_None) {
            PyObject* target = PyTuple_GET_ITEM(edge, 0);
            if (PyLong_AsLong(PyTuple_GET_ITEM(edge, 1)) != 0) return no("several outputs");
            to = is_leaf(target) ? count + leaf_at_.at(target) : node_at_.at(target);
        }
        step->targets.push_back(to);
    }
    return true;
}

Ref Recorder::gradient_like(PyObject* node) {
    PyObject* shape = slot(node, layout.node.shape);
    PyObject* dtype = slot(node, layout.node.dtype);
    if ((dtype != reinterpret_cast<PyObject*>(layout.single) &&
         dtype != reinterpret_cast<PyObject*>(layout.double_)) ||
        !PyTuple_Check(shape) || PyTuple_GET_SIZE(shape) > NPY_MAXDIMS) {
        return Ref();
    }
    npy_intp dims[NPY_MAXDIMS];
    const int ndim = static_cast<int>(PyTuple_GET_SIZE(shape));
    for (int d = 0; d < ndim; ++d) dims[d] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, d));
    Py_INCREF(dtype);
    return Ref(PyArray_Empty(ndim, dims, reinterpret_cast<PyArray_Descr*>(dtype), 0));
}

void Recorder::read_small(PyObject* saved, Ref g, Backward* step) {
    std::vector<PyArrayObject*> values;
    for (Py_ssize_t i = 0; saved != Py_None && i < PyTuple_GET_SIZE(saved); ++i) {
        PyObject* array = PyTuple_GET_ITEM(PyTuple_GET_ITEM(saved, i), 0);  // held by the tuple
        if (!PyArray_CheckExact(array)) return;
        values.push_back(reinterpret_cast<PyArrayObject*>(array));
    }
    step->shape = pass_.shapes.of(g.array());
    if (step->shape == nullptr) return;
    values.push_back(g.array());
    step->is_small = step->small.read(*step->program, values, &pass_.shapes);
    PyErr_Clear();
}

bool Recorder::read_saved_slots(PyObject* saved, Backward* step) {
    if (saved == Py_None) return true;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(saved); ++i) {
        PyObject* entry = PyTuple_GET_ITEM(saved, i);
        PyObject* array = PyTuple_GET_ITEM(entry, 0);
        PyObject* storage = PyTuple_GET_ITEM(entry, 1);
        const auto found = slot_of_array_.find(array);
        const bool is_number = storage == layout.whole_number || storage == layout.other_number ||
                               storage == layout.constant_storage;
        if (found != slot_of_array_.end()) step->saved.push_back(found->second);
        else if (is_number) step->saved.push_back(constant_slot(array));
        else return no("a saved value from elsewhere");
    }
    return true;
}

bool Recorder::link_stand_ins(PyObject* nodes) {
    const NodeSlots& at = layout.node;
    const int count = static_cast<int>(pass_.nodes.size());
    for (int i = count; i-- > 0;) {                  // the oldest first, to which edges lead
        PyObject* node = PyList_GET_ITEM(nodes, i);  // held by the list
        Backward& step = pass_.nodes[i];
        Ref made(make(Py_TYPE(node)));
        Ref edges(PyTuple_New(step.targets.size()));
        if (!made || !edges) return no("no memory");
        for (size_t k = 0; k < step.targets.size(); ++k) {
            const int to = step.targets[k];
            PyObject* edge = Py_NewRef(PyTuple_GET_ITEM(edges_of(node), k));
            if (to != kNowhere && to < count) {
                if (!pass_.nodes[to].node) return Py_DECREF(edge), no("nodes in a circle");
                Py_SETREF(edge, PyTuple_Pack(2, pass_.nodes[to].node.get(), layout.zero));
                if (edge == nullptr) return no("no memory");
            }
            PyTuple_SET_ITEM(edges.get(), k, edge);
        }
        for (Py_ssize_t each : {at.backward, at.code, at.dtype, at.lasti, at.metas, at.params,
                                at.scope, at.shape, at.seq, at.extra}) {
            fill(made.get(), each, slot(node, each));
        }
        fill(made.get(), at.edges, edges.get());
        // of what a node has saved, True stands for what the pass frees
        const bool is_freed = slot(node, at.saved) != Py_None && !is_unfreed(node);
        fill(made.get(), at.saved, is_freed ? Py_True : slot(node, at.saved));
        step.node = std::move(made);
    }
    return true;
}

bool Recorder::match_calls() {
    pass_.node_of_call.assign(pass_.calls.size(), kNowhere);
    size_t matched = 0;
    for (size_t i = 0; i < results_.size(); ++i) {
        PyObject* edge = slot(results_[i], layout.tensor.edge);
        if (edge == Py_None) continue;
        const auto found = node_at_.find(PyTuple_GET_ITEM(edge, 0));
        if (found == node_at_.end()) continue;
        pass_.node_of_call[i] = found->second;
        ++matched;
    }
    return matched == node_at_.size() || no("a node that no listed call made");
}

bool Recorder::read_outputs(PyObject* outputs) {
    pass_.node_of_call.resize(pass_.calls.size(), kNowhere);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(outputs); ++i) {
        PyObject* tensor = PyTuple_GET_ITEM(outputs, i);
        const auto found = slot_of_.find(tensor);
        if (found == slot_of_.end() || is_view_.count(tensor) == 0 || is_view_[tensor]) {
            return no("a view lives on, or what was not computed here");
        }
        Output output;
        output.slot = found->second;
        PyObject* edge = slot(tensor, layout.tensor.edge);
        if (edge != Py_None) {
            const auto node = node_at_.find(PyTuple_GET_ITEM(edge, 0));
            if (node == node_at_.end()) return no("what lives on has a history of its own");
            output.node = node->second;
        }
        pass_.outputs.push_back(output);
    }
    return true;
}

void Recorder::note_ends() {
    const int inputs = static_cast<int>(inputs_.size());
    const int shift = static_cast<int>(constants_.size());
    const auto placed = [&](int at) {
        return at <= -2 ? inputs - 2 - at : at >= inputs ? at + shift : at;
    };
    pass_.shape_of_slot.assign(inputs + shift, nullptr);
    pass_.shape_of_slot.insert(pass_.shape_of_slot.end(), shapes_.begin(), shapes_.end());
    for (Ref& each : constants_) pass_.constants.push_back(std::move(each));
    std::vector<std::vector<int>*> last(filled_ + shift, nullptr);
    int made = inputs + shift;
    for (Forward& call : pass_.calls) {
        for (size_t i = 0; i < call.sizes.size(); ++i) last[made++] = &call.done;
        const auto read = [&](int& at) {
            if (at == kNowhere) return;
            at = placed(at);
            last[at] = &call.done;
        };
        for (int& each : call.slots) read(each);
        for (int& each : call.list) read(each);
    }
    if (pass_.root != kNowhere) last[pass_.root] = nullptr;
    for (Backward& node : pass_.nodes) {
        for (int& each : node.saved) last[each = placed(each)] = &node.done;
    }
    for (Output& each : pass_.outputs) last[each.slot = placed(each.slot)] = nullptr;
    for (int i = inputs + shift; i < made; ++i) {
        if (last[i] != nullptr) last[i]->push_back(i);
    }
}

}  // namespace pellucid::recorded
