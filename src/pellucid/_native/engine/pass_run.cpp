#include "engine/pass_run.hpp"

#include <algorithm>

#include "call/counting.hpp"
#include "call/optimizing.hpp"
#include "engine/engine.hpp"
#include "engine/leaves.hpp"
#include "engine/walk.hpp"
#include "objects/entry.hpp"
#include "objects/outcome.hpp"

namespace pellucid::recorded {

namespace {

// Whether two arrays have the same sizes, and are of one type of the usual ones.
bool are_alike(PyArrayObject* first, PyArrayObject* second) {
    PyArray_Descr* dtype = PyArray_DESCR(first);
    return PyArray_CheckExact(first) && PyArray_CheckExact(second) &&
           dtype == PyArray_DESCR(second) && PyArray_SAMESHAPE(first, second) &&
           (dtype == layout.single || dtype == layout.double_);
}

// A gradient in the size and dtype of what it is sent to, as the engine makes it; empty with or
// without an error where there is none.
Ref fitted(PyObject* g, PyObject* to) {
    Ref sums = column_sums(g, to);
    if (sums || PyErr_Occurred() != nullptr) return sums;
    const Silence silence(true);
    if (!silence.reached) return Ref();
    Ref found(PyObject_CallMethod(layout.array_gradients, "sum_to_size", "OO", g, to));
    if (found) found = array_again(std::move(found));
    return found && PyArray_CheckExact(found.get()) ? std::move(found) : Ref();
}

class NeverInPython : public PythonCalls {
  public:
    bool begin() override { return false; }
};

}  // namespace

bool Run::find_gradients() {
    for (Py_ssize_t at : pass_.zeroings) {
        PyObject* method = args_[at];
        if (!PyMethod_Check(method) ||
            !pellucid::find_gradients(PyMethod_GET_SELF(method), &zeroed_)) {
            return decline("a gradient is watched, or the parameters are no list");
        }
    }
    const auto by_address = [](const Ref& a, const Ref& b) { return a.get() < b.get(); };
    std::sort(zeroed_.begin(), zeroed_.end(), by_address);
    return true;
}

bool Run::is_zeroed(PyObject* param) const {
    const auto is_before = [](const Ref& a, PyObject* b) { return a.get() < b; };
    const auto found = std::lower_bound(zeroed_.begin(), zeroed_.end(), param, is_before);
    return found != zeroed_.end() && found->get() == param;
}

void Run::take_gradients_away() {
    for (const Ref& each : zeroed_) replace(each.get(), layout.tensor.grad, Py_None);
}

bool Run::compute(bool zeroes) {
    if (pass_.draws) {
        stream_ = Ref(PyObject_CallNoArgs(pass_.remember.get()));
        if (!stream_) return false;
    }
    if (zeroes && pass_.zeroes_first) take_gradients_away();
    return pass_.is_usual ? compute_usually() : compute_calls(zeroes);
}

bool Run::return_stream() const {
    if (!stream_) return true;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    const Ref done(PyObject_CallOneArg(pass_.return_to.get(), stream_.get()));
    if (!done) {
        const Ref kinds(type), values(value), traces(trace);  // are dropped
        return false;
    }
    PyErr_Restore(type, value, trace);
    return true;
}

bool Run::compute_calls(bool zeroes) {
    slots_.reserve(pass_.inputs.size() + pass_.constants.size() + pass_.calls.size());
    for (PyObject* each : inputs_) {
        slots_.push_back(is_tensor(each) ? Ref::borrowed(array_of(each)) : Ref());
    }
    for (const Ref& each : pass_.constants) slots_.push_back(Ref::borrowed(each.get()));
    for (const Forward& call : pass_.calls) {
        if (!run_call(call)) return false;
    }
    if (zeroes) take_gradients_away();
    gradients_.resize(pass_.nodes.size() + pass_.leaves.size());
    additions_.resize(gradients_.size(), kNone);
    handed_on_.resize(gradients_.size());
    if (pass_.nodes.empty()) return true;
    handed_on_[0] = kHeld;
    const Ref dtype = Ref::borrowed(slot(pass_.nodes[0].node.get(), layout.node.dtype));
    gradients_[0] = constant_for(layout.one, reinterpret_cast<PyArray_Descr*>(dtype.get()));
    for (size_t i = 0; i < pass_.nodes.size(); ++i) {
        if (!run_node(i)) return false;
        while (changes_.size() < pass_.leaves.size() &&
               pass_.leaves[changes_.size()].last_sender == i) {
            if (!complete(changes_.size())) return false;
        }
    }
    return changes_.size() == pass_.leaves.size();
}

PyObject* Run::finish() {
    if (pass_.is_usual) return finish_usually();
    if (!number() || !make_nodes()) return nullptr;
    Ref made(PyTuple_New(pass_.outputs.size() + pass_.kept + pass_.has_rest));
    for (size_t i = 0; made && i < pass_.outputs.size(); ++i) {
        PyObject* tensor = make_output(pass_.outputs[i]);
        if (tensor == nullptr) return nullptr;
        PyTuple_SET_ITEM(made.get(), i, tensor);
    }
    slots_.clear();
    if (!made || PyErr_CheckSignals() < 0 || !accumulate_all()) return nullptr;
    const int rest = make_step();
    return rest < 0 ? nullptr : with_rest(std::move(made), rest);
}

int Run::make_step() {
    if (pass_.stepping == kNowhere) return 0;
    PyObject* method = args_[pass_.stepping];
    const Ref optimizer =
        Ref::borrowed(PyMethod_Check(method) ? PyMethod_GET_SELF(method) : nullptr);
    pass_.has_stepped = false;
    if (!optimizer || !has_no_step_hooks(optimizer.get())) return 1;
    const Outcome made = step_usually(optimizer.get(), pass_.code.get(), pass_.lasti.get());
    if (made == Outcome::left_to_python) return 1;
    pass_.has_stepped = true;
    return made == Outcome::done && note_that_stepped(optimizer.get()) ? 0 : -1;
}

PyObject* Run::with_rest(Ref results, int rest) const {
    const Py_ssize_t count = pass_.outputs.size();
    for (Py_ssize_t i = 0; i < pass_.kept; ++i) {
        PyTuple_SET_ITEM(results.get(), count + i, Py_NewRef(Py_None));
    }
    if (!pass_.has_rest) return results.release();
    PyObject* left_over = PyLong_FromLong(rest);
    if (left_over == nullptr) return nullptr;
    PyTuple_SET_ITEM(results.get(), count + pass_.kept, left_over);
    return results.release();
}

PyObject* Run::show() {
    Ref arrays(PyList_New(0)), pairs(PyList_New(0));
    for (const Output& each : pass_.outputs) {
        PyObject* held = slots_[each.slot].get();
        PyObject* array = pass_.is_usual ? array_of(held) : held;
        if (!arrays || PyList_Append(arrays.get(), array) < 0) return nullptr;
    }
    for (size_t i = 0; i < pass_.leaves.size(); ++i) {
        Ref pair(PyTuple_Pack(2, inputs_[pass_.leaves[i].input],
                              gradients_[pass_.nodes.size() + i].get()));
        if (!pair || !pairs || PyList_Append(pairs.get(), pair.get()) < 0) return nullptr;
    }
    return arrays && pairs ? PyTuple_Pack(2, arrays.get(), pairs.get()) : nullptr;
}

bool Run::has_sizes(PyArrayObject* array, const std::vector<npy_intp>& sizes) {
    return PyArray_NDIM(array) == static_cast<int>(sizes.size()) &&
           std::equal(sizes.begin(), sizes.end(), PyArray_DIMS(array));
}

bool Run::compute_usually() {
    for (PyObject* each : inputs_) slots_.push_back(Ref::borrowed(each));
    for (const Forward& call : pass_.calls) {
        if (!run_usually(call)) return false;
    }
    return true;
}

bool Run::run_usually(const Forward& step) {
    if (step.is_making()) {
        Ref made = make_anew(step);
        Ref tensor(made ? wrap(made.release()) : nullptr);
        slots_.push_back(std::move(tensor));
        return static_cast<bool>(slots_.back());
    }
    if (step.is_in_python()) {
        const Ref made = call_python(step);
        if (!made || !keep_results(step, made.get())) return false;
        for (int each : step.done) slots_[each] = Ref();
        return true;
    }
    Call call;
    Ref list;
    for (size_t i = 0; i < step.op->operands.size(); ++i) {
        PyObject* operand = step.slots[i] >= 0 ? slots_[step.slots[i]].get() : nullptr;
        call.operands[i] = operand != nullptr ? operand : step.numbers[i].get();
        PyObject* array = operand != nullptr ? array_of(operand) : step.constants[i].get();
        if (operand != nullptr && array == nullptr) return false;
        if (operand == nullptr && step.numbers[i]) call.numbers |= 1u << i;
        call.arrays[i] = Ref::borrowed(array);
    }
    if (step.op->variadic) {
        list = Ref(PyTuple_New(step.list.size()));
        for (size_t i = 0; list && i < step.list.size(); ++i) {
            PyTuple_SET_ITEM(list.get(), i, Py_NewRef(slots_[step.list[i]].get()));
        }
        if (!list) return false;
        call.operands[0] = list.get();
    }
    for (size_t i = 0; i < step.params.size(); ++i) call.params[i] = step.params[i].get();
    call.usual_params = step.usual_params;
    call.dtype = step.dtype;
    PyObject* result = nullptr;
    if (run_taken(*step.op, call, &result) != Outcome::done) return false;
    const Ref made(result);
    if (!keep_results(step, made.get())) return false;
    for (int each : step.done) slots_[each] = Ref();
    return true;
}

Ref Run::call_python(const Forward& step) const {
    std::vector<PyObject*> args;
    size_t tensor = 0;
    for (const Ref& each : step.given) {
        args.push_back(each ? each.get() : slots_[step.list[tensor++]].get());
    }
    const size_t named = step.names ? PyTuple_GET_SIZE(step.names.get()) : 0;
    return Ref(PyObject_Vectorcall(step.function.get(), args.data(), args.size() - named,
                                   step.names.get()));
}

bool Run::keep_results(const Forward& step, PyObject* result) {
    const bool several = PyTuple_Check(result);
    const size_t count = several ? PyTuple_GET_SIZE(result) : 1;
    if (count != step.sizes.size()) return false;
    for (size_t i = 0; i < count; ++i) {
        PyObject* each = several ? PyTuple_GET_ITEM(result, i) : result;
        PyObject* array = array_of(each);
        if (array == nullptr ||
            !has_sizes(reinterpret_cast<PyArrayObject*>(array), step.sizes[i])) {
            return false;
        }
        PyObject* edge = slot(each, layout.tensor.edge);
        if (edge != Py_None && step.code) {
            PyObject* node = PyTuple_GET_ITEM(edge, 0);
            replace(node, layout.node.code, step.code.get());
            replace(node, layout.node.lasti, step.lasti.get());
            replace(node, layout.node.scope, step.scope.get());
        }
        slots_.push_back(Ref::borrowed(each));
    }
    return true;
}

PyObject* Run::finish_usually() {
    take_gradients_away();
    if (pass_.root != kNowhere) {
        const Ref root = Ref::borrowed(slots_[pass_.root].get());
        if (!Ref(PyObject_CallMethodNoArgs(root.get(), layout.name_backward))) return nullptr;
    }
    Ref made(PyTuple_New(pass_.outputs.size() + pass_.has_rest));
    for (size_t i = 0; made && i < pass_.outputs.size(); ++i) {
        PyTuple_SET_ITEM(made.get(), i, Py_NewRef(slots_[pass_.outputs[i].slot].get()));
    }
    return made ? with_rest(std::move(made), 2) : nullptr;
}

void Run::drop(int slot) {
    SmallShape* shape = pass_.shape_of_slot[slot];
    if (shape != nullptr) shape->leave(&slots_[slot]);
    else slots_[slot] = Ref();
}

Ref Run::make_anew(const Forward& step) {
    Ref made(PyObject_CallObject(step.function.get(), step.made_with.get()));
    if (made && is_tensor(made.get())) made = Ref::borrowed(array_of(made.get()));
    const bool fits = made && PyArray_CheckExact(made.get()) &&
                      PyArray_DESCR(made.array()) == step.dtype &&
                      has_sizes(made.array(), step.sizes[0]);
    return fits ? std::move(made) : Ref();
}

Ref Run::compute_call(const Forward& step) const {
    if (step.is_making()) return make_anew(step);
    if (step.small.result != nullptr) {
        PyArrayObject* values[kMostOperands];
        for (size_t i = 0; i < step.op->operands.size(); ++i) {
            values[i] =
                step.slots[i] >= 0 ? slots_[step.slots[i]].array() : step.constants[i].array();
        }
        Ref made = step.small.run(values);
        if (made || PyErr_Occurred() != nullptr) return made;
    }
    Call call;
    for (size_t i = 0; i < step.op->operands.size(); ++i) {
        if (step.slots[i] >= 0) call.arrays[i] = Ref::borrowed(slots_[step.slots[i]].get());
        else call.arrays[i] = Ref::borrowed(step.constants[i].get());
    }
    for (size_t i = 0; i < step.params.size(); ++i) call.params[i] = step.params[i].get();
    call.usual_params = step.usual_params;
    call.dtype = step.dtype;
    Ref made(pellucid::compute(*step.op, call));
    const bool fits =
        made && PyArray_CheckExact(made.get()) && has_sizes(made.array(), step.sizes[0]);
    return fits ? std::move(made) : Ref();
}

bool Run::run_call(const Forward& step) {
    Ref made = compute_call(step);
    if (!made) return false;
    slots_.push_back(std::move(made));
    for (int each : step.done) drop(each);
    return true;
}

bool Run::run_node(size_t at) {
    const Backward& step = pass_.nodes[at];
    Ref g = std::move(gradients_[at]);
    if (!g) return false;
    PyObject* saved[kMostSaved];
    for (size_t i = 0; i < step.saved.size(); ++i) saved[i] = slots_[step.saved[i]].get();
    Gradients made;
    const int count_saved = static_cast<int>(step.saved.size());
    if (!step.is_small || !step.small.run(*step.program, saved, count_saved, g.get(), &made)) {
        if (PyErr_Occurred() != nullptr) return false;
        NeverInPython python;
        const Outcome ran =
            run_known(*step.program, step.node.get(), saved, count_saved, g.get(), python, &made);
        if (ran != Outcome::done) return false;
    }
    for (int each : step.done) drop(each);
    const size_t count = std::min<size_t>(made.count, step.targets.size());
    const long added = additions_[at] == kNone ? handed_on_[at] : additions_[at];
    for (size_t i = 0; i < count; ++i) {
        if (step.targets[i] == kNowhere || !made.each[i]) continue;
        const bool passed = added != 0 && is_handed_on(made.each[i].get(), given(g.get()));
        const long changes = passed ? added : step.changes;
        if (!send(step.targets[i], std::move(made.each[i]), changes)) return false;
    }
    if (step.shape != nullptr) step.shape->leave(&g);
    return true;
}

bool Run::complete(size_t at) {
    const size_t place = pass_.nodes.size() + at;
    const Leaf& leaf = pass_.leaves[at];
    const long arrived = additions_[place] == kNone ? handed_on_[place] : additions_[place];
    changes_.push_back(std::max(arrived, 0L));
    if (!gradients_[place]) return false;
    PyObject* param = inputs_[leaf.input];
    const bool is_first = slot(param, layout.tensor.grad) == Py_None || is_zeroed(param);
    return !is_first || take_over(&gradients_[place], &changes_.back());
}

PyObject* Run::target(int at) const {
    const int nodes = static_cast<int>(pass_.nodes.size());
    return at < nodes ? pass_.nodes[at].node.get() : node_of_leaf(at - nodes);
}

SmallShape* Run::shape_at(int at) const {
    const int nodes = static_cast<int>(pass_.nodes.size());
    return at < nodes ? pass_.nodes[at].shape : pass_.leaves[at - nodes].shape;
}

bool Run::add_small_gradient(SmallShape* shape, int at, Ref g) {
    Ref& held = gradients_[at];
    if (additions_[at] != kNone) {
        ++additions_[at];
        shape->add(held.array(), g.array(), held.array());
        shape->leave(&g);
        return true;
    }
    additions_[at] = held.get() != g.get() ? 1 + handed_on_[at] : 0;
    Ref sum = shape->take();
    if (!sum) return false;
    shape->add(held.array(), g.array(), sum.array());
    shape->leave(&held);
    shape->leave(&g);
    held = std::move(sum);
    return true;
}

bool Run::send(int at, Ref g, long added) {
    SmallShape* shape = shape_at(at);
    if (shape != nullptr && shape->has(g.array())) {
        Ref& held = gradients_[at];
        if (held && shape->has(held.array())) {
            return add_small_gradient(shape, at, std::move(g));
        }
        if (!held) {
            held = std::move(g);
            handed_on_[at] = added;
            return true;
        }
    }
    PyObject* to = target(at);
    PyObject* dtype = reinterpret_cast<PyObject*>(PyArray_DESCR(g.array()));
    if (dtype != slot(to, layout.node.dtype) ||
        !same_shape(g.array(), slot(to, layout.node.shape))) {
        added = is_cut_down(g.get(), to) ? kHeld : 0;
        g = fitted(g.get(), to);
        if (!g) return false;
    }
    Ref& held = gradients_[at];
    if (!held) {
        held = std::move(g);
        handed_on_[at] = added;
        return true;
    }
    if (!are_alike(held.array(), g.array())) return false;
    const Silence silence(!can_add(held.get(), g.get()));  // of NumPy's own addition
    if (!silence.reached) return false;
    if (additions_[at] != kNone) {
        ++additions_[at];
        if (can_add(held.get(), g.get())) return add_into(held.get(), g.get());
        held = Ref(PyNumber_InPlaceAdd(held.get(), g.get()));
        return static_cast<bool>(held);
    }
    const bool in_place = held.get() != g.get() && is_one_piece(held.get());
    additions_[at] = in_place ? 1 + handed_on_[at] : 0;
    held = sum_of(held.get(), g.get());
    return static_cast<bool>(held);
}

bool Run::number() {
    PyObject* root = nullptr;
    numbers_.resize(pass_.calls.size());
    for (size_t i = 0; i < pass_.calls.size(); ++i) {
        if (!pass_.calls[i].is_recorded) continue;
        numbers_[i] = Ref(PyIter_Next(layout.sequence));
        if (!numbers_[i]) return false;
        if (pass_.node_of_call[i] == 0) root = numbers_[i].get();
    }
    if (root != nullptr) run_ = make_run(root);
    return root == nullptr || run_;
}

bool Run::make_nodes() {
    nodes_.resize(pass_.nodes.size());
    const auto leads_back = [](const Output& each) { return each.node != kNowhere; };
    if (std::none_of(pass_.outputs.begin(), pass_.outputs.end(), leads_back)) return true;
    for (size_t i = 0; i < pass_.calls.size(); ++i) {
        const int at = pass_.node_of_call[i];
        if (at == kNowhere) continue;
        nodes_[at] = Ref(make_node(pass_.nodes[at], numbers_[i].get()));
        if (!nodes_[at]) return false;
    }
    return true;
}

PyObject* Run::make_node(const Backward& step, PyObject* number) const {
    PyObject* like = step.node.get();
    const NodeSlots& at = layout.node;
    Ref edges(edges_for(step));
    Ref node(edges ? make(Py_TYPE(like)) : nullptr);
    if (!node) return nullptr;
    for (Py_ssize_t each :
         {at.backward, at.code, at.dtype, at.lasti, at.metas, at.params, at.scope, at.shape}) {
        fill(node.get(), each, slot(like, each));
    }
    fill(node.get(), at.edges, edges.get());
    fill(node.get(), at.extra, Py_None);
    fill(node.get(), at.seq, number);
    PyObject* saved = slot(like, at.saved);
    fill(node.get(), at.saved, saved == Py_True ? run_.get() : saved);
    return node.release();
}

PyObject* Run::edges_for(const Backward& step) const {
    Ref edges(PyTuple_New(step.targets.size()));
    const int nodes = static_cast<int>(pass_.nodes.size());
    for (size_t i = 0; edges && i < step.targets.size(); ++i) {
        const int to = step.targets[i];
        PyObject* edge = Py_None;
        Ref made;
        if (to >= nodes) {
            edge = edges_[to - nodes].get();
        } else if (to != kNowhere) {
            made = Ref(PyTuple_Pack(2, nodes_[to].get(), layout.zero));
            edge = made.get();
            if (edge == nullptr) return nullptr;
        }
        PyTuple_SET_ITEM(edges.get(), i, Py_NewRef(edge));
    }
    return edges.release();
}

PyObject* Run::make_output(const Output& output) const {
    Ref tensor(wrap(Py_NewRef(slots_[output.slot].get())));
    if (!tensor || output.node == kNowhere) return tensor.release();
    Ref edge(PyTuple_Pack(2, nodes_[output.node].get(), layout.zero));
    if (!edge) return nullptr;
    replace(tensor.get(), layout.tensor.edge, edge.get());
    return tensor.release();
}

bool Run::accumulate_all() {
    PassModes modes;
    const bool well = guarded([&] {
        for (size_t i = 0; i < pass_.leaves.size(); ++i) {
            if (accumulate(i, &modes)) continue;
            name_line(pass_.nodes[pass_.leaves[i].last_sender].node.get());
            return false;
        }
        return true;
    });
    return modes.end(well);
}

bool Run::accumulate(size_t at, PassModes* modes) {
    PyObject* node = node_of_leaf(at);  // held by its edge
    Ref g = std::move(gradients_[pass_.nodes.size() + at]);
    if (accumulate_usual(node, &g, changes_[at], run_.get())) return true;
    if (PyErr_Occurred() != nullptr) return false;
    const Ref nodes(PyList_New(0)), leaves(PyList_New(0)), buffers(PyDict_New());
    return nodes && leaves && buffers &&
           modes->begin(nodes.get(), leaves.get(), run_.get(), Py_False, buffers.get()) &&
           Ref(PyObject_CallMethod(layout.array_gradients, "accumulate", "OOli", node, g.get(),
                                   changes_[at], kHolders));
}

}  // namespace pellucid::recorded
