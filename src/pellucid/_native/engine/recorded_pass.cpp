// The calls of ops of one run of a program and the backward pass that followed, made again for
// other tensors that look like those, without the tensors and nodes between.
//
// Note [Recorded passes]
// `torch.compile` lists the calls that a stretch of a program makes up to `backward()`. What it
// gives from there are the tensors that live on, and the gradients of the leaves. So the calls run
// on arrays, by what a usual call runs; the backward of each node runs by the program that has been
// written down for it, see Note [Programs]; sums, their order and the numbers of nodes are those of
// the engine. Tensors that live on get nodes, freed as a pass leaves them. Nothing is written
// before all is computed: what is not as it was, or is left to Python, gives None, and the program
// runs.
#include "engine/recorded_pass.hpp"

#include "call/alike.hpp"
#include "call/callable.hpp"
#include "call/counting.hpp"
#include "call/op.hpp"
#include "engine/engine.hpp"
#include "engine/leaves.hpp"
#include "engine/program.hpp"
#include "engine/walk.hpp"
#include "objects/outcome.hpp"

#include <algorithm>
#include <unordered_map>

namespace pellucid {

namespace {

constexpr int kNowhere = -1;

// How many references to a gradient there are while a function of Python's is called with it.
constexpr int kHolders = 2;

// An entry of a layer's dictionary that is no tensor: a constant, or an empty container if null.
struct Attribute {
    Ref name, constant;
};

// What is given: a tensor, a constant, a layer, whose tensors become inputs too, or a module that
// gives nodes their names alone.
struct Given {
    bool is_layer = false, is_scope = false;
    std::vector<Attribute> attributes;
    std::vector<Ref> tensors;  // pairs of the dictionary's name and the tensor's
    Py_ssize_t size = 0;
};

// The call of an op on what some slots hold.
struct Forward {
    Ref function;  // keeps the op alive
    Op* op;
    int slots[kMostOperands];
    std::vector<int> list;  // the slots of an operand that is a list
    // operands that are no tensors, and their arrays
    Ref numbers[kMostOperands], constants[kMostOperands];
    std::vector<Ref> params;
    bool usual_params = true, is_recorded = false;
    PyArray_Descr* dtype = nullptr;
    std::vector<std::vector<npy_intp>> sizes;  // of the results
    Ref code, lasti, scope;                    // of the node, if there is one
    std::vector<int> done;                     // the slots that nobody reads any more

    bool is_simple() const { return sizes.size() == 1 && !op->variadic && !op->many; }
};

// The backward of a node. It stands for those of all runs: edges lead to such nodes.
struct Backward {
    Ref node;
    const Program* program = nullptr;
    std::vector<int> saved;    // slots
    std::vector<int> targets;  // nodes, and after them leaves
    std::vector<int> done;
};

struct Leaf {
    int input = 0;
    size_t last_sender = 0;  // the place of the node that sends to it last
    long changes = 0;        // by that node
};

// A tensor that lives on: where its array is, and which node it leads to.
struct Output {
    int slot = 0, node = kNowhere;
};

bool is_empty_container(PyObject* object) {
    if (PyDict_Check(object)) return PyDict_GET_SIZE(object) == 0;
    if (PyAnySet_Check(object)) return PySet_GET_SIZE(object) == 0;
    return PyList_Check(object) && PyList_GET_SIZE(object) == 0;
}

Op* op_behind(PyObject* function) {
    return static_cast<Op*>(reinterpret_cast<Callable*>(function)->description);
}

class NeverInPython : public PythonCalls {
  public:
    bool begin() override { return false; }
};

// What is read of a module or class, and has to be the same.
struct NamedValue {
    Ref owner, name, value;

    bool holds() const {
        Ref now(PyObject_GetAttr(owner.get(), name.get()));
        return now.get() == value.get();
    }
};

class Pass : public Description {
  public:
    // Whether a run would look in every respect like the one that was listed.
    bool fits(PyObject* const* args, Py_ssize_t count, std::vector<PyObject*>* inputs) const;
    bool are_modes_usual() const;
    // Whether nodes get the names that they had; false, with or without an error, if not.
    bool are_names_the_same(PyObject* const* args, Py_ssize_t count);

    std::vector<Given> given;
    std::vector<NamedValue> reads;
    std::vector<Alike> inputs;
    std::vector<Ref> constants;   // arrays that stand in slots after the inputs
    std::vector<Forward> calls;   // each fills the slot after the last
    std::vector<Backward> nodes;  // youngest first
    std::vector<Leaf> leaves;     // the first to be complete comes first
    std::vector<Output> outputs;
    std::vector<int> node_of_call;  // in the order of the calls; `kNowhere` for none
    // whether calls are recorded as usual, and the slot of the root whose backward is then called
    bool is_usual = false, with_grad = true;
    int root = kNowhere;
    Ref watchers, structure, structure_version;
    Ref names_hold;  // asked with the arguments where the structure of modules has changed
    bool is_scoped = false;
};

bool has_attribute(PyObject* attributes, const Attribute& wanted) {
    Ref held(Py_XNewRef(PyDict_GetItemWithError(attributes, wanted.name.get())));
    if (!held) return false;
    return wanted.constant ? are_same(wanted.constant.get(), held.get())
                           : is_empty_container(held.get());
}

// The tensors that are given, and those of layers, in the order of inputs; false for a layer that
// is not as it was.
bool read_layer(const Given& layer, PyObject* object, std::vector<PyObject*>* inputs) {
    Ref attributes(PyObject_GenericGetDict(object, nullptr));
    if (!attributes || PyDict_GET_SIZE(attributes.get()) != layer.size) {
        return decline("a layer has more or fewer attributes");
    }
    for (const Attribute& each : layer.attributes) {
        if (!has_attribute(attributes.get(), each)) {
            return decline("an attribute of a layer has changed");
        }
    }
    for (size_t i = 0; i < layer.tensors.size(); i += 2) {
        PyObject* held = PyDict_GetItemWithError(attributes.get(), layer.tensors[i].get());
        const bool is_usual = held != nullptr && PyDict_Check(held);
        PyObject* tensor =
            is_usual ? PyDict_GetItemWithError(held, layer.tensors[i + 1].get()) : nullptr;
        if (tensor == nullptr) return decline("a layer has no longer a parameter or buffer");
        inputs->push_back(tensor);
    }
    return true;
}

// Whether a tensor that requires grad is a leaf without hooks.
bool is_bare_leaf(PyObject* tensor) {
    PyObject* node = PyTuple_GET_ITEM(slot(tensor, layout.tensor.edge), 0);
    return Py_IS_TYPE(node, layout.accumulate_class) && slot(node, layout.node.extra) == Py_None;
}

bool Pass::fits(PyObject* const* args, Py_ssize_t count, std::vector<PyObject*>* found) const {
    if (count != static_cast<Py_ssize_t>(given.size())) return decline("more or fewer arguments");
    for (Py_ssize_t i = 0; i < count; ++i) {
        if (given[i].is_scope) continue;
        if (!given[i].is_layer) found->push_back(args[i]);
        else if (!read_layer(given[i], args[i], found)) return false;
    }
    const auto holds = [](const NamedValue& each) { return each.holds(); };
    if (!std::all_of(reads.begin(), reads.end(), holds)) {
        return decline("a function has another in its place");
    }
    if (found->size() != inputs.size()) return decline("more or fewer tensors");
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i].fits(found->data(), i)) {
            return decline("a tensor is of another kind or shape, or a number another");
        }
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (!is_usual && inputs[i].requires_grad && !is_bare_leaf((*found)[i])) {
            return decline("a leaf has hooks, or is none any more");
        }
    }
    return true;
}

bool Pass::are_modes_usual() const {
    const PyThreadState* thread = PyThreadState_Get();
    PyObject* scopes = slot(layout.slow_path_object, layout.slow_path.scopes);
    if (takes_slow_path() || counting || watched_calls != 0 || grad_enabled() != with_grad ||
        !is_plain_thread() || PyList_GET_SIZE(watchers.get()) != 0 ||
        PyList_GET_SIZE(scopes) != 0 || thread->c_profilefunc != nullptr ||
        thread->c_tracefunc != nullptr) {
        return decline("a mode, a module around it, or who watches asks for each call");
    }
    return true;
}

bool Pass::are_names_the_same(PyObject* const* args, Py_ssize_t count) {
    if (!is_scoped) return true;
    Ref version(PyObject_GetAttrString(structure.get(), "version"));
    if (!version || are_same(version.get(), structure_version.get()))
        return version.get() != nullptr;
    Ref same(PyObject_Vectorcall(names_hold.get(), args, count, nullptr));
    if (same.get() != Py_True) return decline("modules have other names");
    structure_version = std::move(version);
    return true;
}

// ---- running one --------------------------------------------------------------------------------

class Run {
  public:
    Run(const Pass& pass, const std::vector<PyObject*>& inputs) : pass_(pass), inputs_(inputs) {
        for (PyObject* each : inputs) held_.push_back(Ref::borrowed(each));
        for (const Leaf& each : pass.leaves) {
            edges_.push_back(Ref::borrowed(slot(inputs[each.input], layout.tensor.edge)));
        }
    }

    // Computes the results and the gradients of the leaves; false, with or without an error, where
    // that is left to Python.
    bool compute() {
        if (pass_.is_usual) return compute_usually();
        slots_.reserve(pass_.inputs.size() + pass_.constants.size() + pass_.calls.size());
        for (PyObject* each : inputs_) {
            slots_.push_back(is_tensor(each) ? Ref::borrowed(array_of(each)) : Ref());
        }
        for (const Ref& each : pass_.constants) slots_.push_back(Ref::borrowed(each.get()));
        for (const Forward& call : pass_.calls) {
            if (!run_call(call)) return false;
        }
        gradients_.resize(pass_.nodes.size() + pass_.leaves.size());
        additions_.resize(gradients_.size(), kNone);
        handed_on_.resize(gradients_.size());
        if (pass_.nodes.empty()) return true;
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

    // Makes what lives on, and gives the leaves their gradients; null with an error.
    PyObject* finish() {
        if (pass_.is_usual) return finish_usually();
        if (!number() || !make_nodes()) return nullptr;
        Ref made(PyTuple_New(pass_.outputs.size()));
        for (size_t i = 0; made && i < pass_.outputs.size(); ++i) {
            PyObject* tensor = make_output(pass_.outputs[i]);
            if (tensor == nullptr) return nullptr;
            PyTuple_SET_ITEM(made.get(), i, tensor);
        }
        slots_.clear();
        if (!made || PyErr_CheckSignals() < 0) return nullptr;
        for (size_t i = 0; i < pass_.leaves.size(); ++i) {
            if (!accumulate(i)) return nullptr;
        }
        return made.release();
    }

    // The arrays of what lives on, and pairs of leaves and gradients.
    PyObject* show() {
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

  private:
    static constexpr long kNone = -1;  // no sum has been made

    const Pass& pass_;
    const std::vector<PyObject*>& inputs_;
    std::vector<Ref> held_, edges_, slots_, gradients_;
    std::vector<long> additions_;  // how often a sum that was made here has been added to
    std::vector<long> handed_on_;  // how often what a node was handed on has been added to
    std::vector<long> changes_;    // of the leaves' gradients
    std::vector<Ref> numbers_, nodes_;
    Ref run_;

    static bool has_sizes(PyArrayObject* array, const std::vector<npy_intp>& sizes) {
        return PyArray_NDIM(array) == static_cast<int>(sizes.size()) &&
               std::equal(sizes.begin(), sizes.end(), PyArray_DIMS(array));
    }

    // Makes all calls as the program would, on tensors, with nodes of the program's lines.
    bool compute_usually() {
        for (PyObject* each : inputs_) slots_.push_back(Ref::borrowed(each));
        for (const Forward& call : pass_.calls) {
            if (!run_usually(call)) return false;
        }
        return true;
    }

    bool run_usually(const Forward& step) {
        Call call;
        Ref list;
        for (size_t i = 0; i < step.op->operands.size(); ++i) {
            PyObject* operand = step.slots[i] >= 0 ? slots_[step.slots[i]].get() : nullptr;
            call.operands[i] = operand != nullptr ? operand : step.numbers[i].get();
            PyObject* array = operand != nullptr ? array_of(operand) : step.constants[i].get();
            if (operand != nullptr && array == nullptr) return false;
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

    bool keep_results(const Forward& step, PyObject* result) {
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

    PyObject* finish_usually() {
        if (pass_.root != kNowhere) {
            const Ref root = Ref::borrowed(slots_[pass_.root].get());
            if (!Ref(PyObject_CallMethodNoArgs(root.get(), layout.name_backward))) return nullptr;
        }
        Ref made(PyTuple_New(pass_.outputs.size()));
        for (size_t i = 0; made && i < pass_.outputs.size(); ++i) {
            PyTuple_SET_ITEM(made.get(), i, Py_NewRef(slots_[pass_.outputs[i].slot].get()));
        }
        return made.release();
    }

    bool run_call(const Forward& step) {
        Call call;
        for (size_t i = 0; i < step.op->operands.size(); ++i) {
            if (step.slots[i] >= 0) call.arrays[i] = Ref::borrowed(slots_[step.slots[i]].get());
            else call.arrays[i] = Ref::borrowed(step.constants[i].get());
        }
        for (size_t i = 0; i < step.params.size(); ++i) call.params[i] = step.params[i].get();
        call.usual_params = step.usual_params;
        call.dtype = step.dtype;
        Ref made(pellucid::compute(*step.op, call));
        if (!made || !PyArray_CheckExact(made.get())) return false;
        if (!has_sizes(made.array(), step.sizes[0])) return false;
        slots_.push_back(std::move(made));
        for (int each : step.done) slots_[each] = Ref();
        return true;
    }

    bool run_node(size_t at) {
        const Backward& step = pass_.nodes[at];
        Ref g = std::move(gradients_[at]);
        if (!g) return false;
        PyObject* saved[kMostSaved];
        for (size_t i = 0; i < step.saved.size(); ++i) saved[i] = slots_[step.saved[i]].get();
        Gradients made;
        NeverInPython python;
        const Outcome ran = run_known(*step.program, step.node.get(), saved,
                                      static_cast<int>(step.saved.size()), g.get(), python, &made);
        if (ran != Outcome::done) return false;
        for (int each : step.done) slots_[each] = Ref();
        const size_t count = std::min<size_t>(made.count, step.targets.size());
        const long added = additions_[at] == kNone ? handed_on_[at] : additions_[at];
        for (size_t i = 0; i < count; ++i) {
            if (step.targets[i] == kNowhere || !made.each[i]) continue;
            const bool passed = added > 0 && is_handed_on(made.each[i].get(), g.get());
            if (!send(step.targets[i], std::move(made.each[i]), passed ? added : 0)) return false;
        }
        return true;
    }

    PyObject* node_of_leaf(size_t at) const { return PyTuple_GET_ITEM(edges_[at].get(), 0); }

    // Does for a leaf that is complete all but the writing: who else holds its gradient now decides
    // whether it is copied.
    bool complete(size_t at) {
        const size_t place = pass_.nodes.size() + at;
        const Leaf& leaf = pass_.leaves[at];
        const long made = handed_on_[place] > 0 ? handed_on_[place] : leaf.changes;
        changes_.push_back(additions_[place] == kNone ? made : additions_[place]);
        if (!gradients_[place]) return false;
        const bool is_first = slot(inputs_[leaf.input], layout.tensor.grad) == Py_None;
        return !is_first || take_over(&gradients_[place], &changes_.back());
    }

    // What a gradient is sent to: a node, or the node of a leaf.
    PyObject* target(int at) const {
        const int nodes = static_cast<int>(pass_.nodes.size());
        return at < nodes ? pass_.nodes[at].node.get() : node_of_leaf(at - nodes);
    }

    // See `Runner::send` in engine.cpp.
    bool send(int at, Ref g, long added) {
        PyObject* to = target(at);
        PyObject* dtype = reinterpret_cast<PyObject*>(PyArray_DESCR(g.array()));
        if (dtype != slot(to, layout.node.dtype) ||
            !same_shape(g.array(), slot(to, layout.node.shape))) {
            g = column_sums(g.get(), to);
            if (!g) return false;
        }
        Ref& held = gradients_[at];
        if (!held) {
            held = std::move(g);
            handed_on_[at] = added;
            return true;
        }
        if (!can_add(held.get(), g.get())) return false;
        if (additions_[at] != kNone) {
            ++additions_[at];
            return add_into(held.get(), g.get());
        }
        const bool in_place = held.get() != g.get() && is_one_piece(held.get());
        additions_[at] = in_place ? 1 + handed_on_[at] : 0;
        held = sum_of(held.get(), g.get());
        return static_cast<bool>(held);
    }

    // Draws the numbers that the nodes and the pass would have.
    bool number() {
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

    // Makes the nodes behind what lives on, in the order of the calls.
    bool make_nodes() {
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

    PyObject* make_node(const Backward& step, PyObject* number) const {
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
        const bool is_empty = slot(like, at.saved) == Py_None;
        fill(node.get(), at.saved, is_empty ? Py_None : run_.get());
        return node.release();
    }

    PyObject* edges_for(const Backward& step) const {
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

    PyObject* make_output(const Output& output) const {
        Ref tensor(wrap(Py_NewRef(slots_[output.slot].get())));
        if (!tensor || output.node == kNowhere) return tensor.release();
        Ref edge(PyTuple_Pack(2, nodes_[output.node].get(), layout.zero));
        if (!edge) return nullptr;
        replace(tensor.get(), layout.tensor.edge, edge.get());
        return tensor.release();
    }

    bool accumulate(size_t at) {
        PyObject* node = node_of_leaf(at);  // held by its edge
        Ref g = std::move(gradients_[pass_.nodes.size() + at]);
        if (accumulate_usual(node, &g, changes_[at], run_.get())) return true;
        return PyErr_Occurred() == nullptr &&
               Ref(PyObject_CallMethod(layout.array_gradients, "accumulate", "OOli", node, g.get(),
                                       changes_[at], kHolders));
    }
};

// Runs the pass on arguments like those that it was recorded with; None for others, and for what
// is left to Python.
PyObject* call_pass(PyObject* object, PyObject* const* args, size_t flags, PyObject* names) {
    Callable* self = reinterpret_cast<Callable*>(object);
    Pass& pass = *static_cast<Pass*>(self->description);
    const Py_ssize_t count = PyVectorcall_NARGS(flags);
    std::vector<PyObject*> inputs;
    const Ref held = Ref::borrowed(object);
    if (names != nullptr || !pass.are_modes_usual() || !pass.are_names_the_same(args, count) ||
        !pass.fits(args, count, &inputs)) {
        if (!drop_error()) return nullptr;
        Py_RETURN_NONE;
    }
    Run run(pass, inputs);
    if (run.compute()) return run.finish();
    if (!drop_error()) return nullptr;
    Py_RETURN_NONE;
}

// run_apart(recorded_pass, arguments): what it would give, written nowhere, or why it would not run
PyObject* run_apart(PyObject*, PyObject* args) {
    PyObject *function, *given;
    if (!PyArg_ParseTuple(args, "OO!", &function, &PyTuple_Type, &given)) return nullptr;
    if (!is_callable(function, entry<call_pass>)) {
        PyErr_SetString(PyExc_TypeError, "run_apart() takes a recorded pass");
        return nullptr;
    }
    Pass& pass = *static_cast<Pass*>(reinterpret_cast<Callable*>(function)->description);
    std::vector<PyObject*> inputs;
    PyObject* const* items = PySequence_Fast_ITEMS(given);
    const Py_ssize_t count = PyTuple_GET_SIZE(given);
    if (pass.are_modes_usual() && pass.are_names_the_same(items, count) &&
        pass.fits(items, count, &inputs)) {
        Run run(pass, inputs);
        left_because = "a step that is left to Python";
        if (run.compute()) return run.show();
    }
    if (!drop_error()) return nullptr;
    return PyUnicode_FromString(left_because);
}

// ---- recording one ------------------------------------------------------------------------------

class Recorder {
  public:
    explicit Recorder(Pass& pass) : pass_(pass) {}

    // Why it cannot be recorded; null where it is, or with an error.
    const char* record(PyObject* args, PyObject* layers, PyObject* calls, PyObject* root,
                       PyObject* outputs) {
        if (!read_given(args, layers))
            return "an argument that is no constant, no tensor without hooks and no simple layer";
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(calls); ++i) {
            if (!read_call(PyList_GET_ITEM(calls, i))) return why_;
        }
        if (pass_.is_usual) {
            if (!read_usual_outputs(root, outputs)) return why_;
        } else if (!are_simple() || !read_nodes(root) || !read_outputs(outputs)) {
            return why_;
        }
        note_ends();
        return nullptr;
    }

  private:
    Pass& pass_;
    const char* why_ = "";
    std::vector<PyObject*> inputs_;  // held by the arguments
    std::unordered_map<PyObject*, int> slot_of_, slot_of_array_, node_at_;
    std::unordered_map<PyObject*, bool> is_view_;
    std::vector<PyObject*> results_;  // of the calls that are kept; held by their list
    int filled_ = 0;                  // how many slots have a place already

    bool no(const char* why) {
        why_ = why;
        return false;
    }

    bool read_given(PyObject* args, PyObject* layers) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
            PyObject* each = PyTuple_GET_ITEM(args, i);
            Given given;
            given.is_layer = PyTuple_GET_ITEM(layers, i) == Py_True;
            given.is_scope = PyTuple_GET_ITEM(layers, i) == Py_None;
            if (!given.is_layer && !given.is_scope) inputs_.push_back(each);
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

    bool read_layer_of(PyObject* object, Given* given) {
        Ref attributes(PyObject_GenericGetDict(object, nullptr));
        if (!attributes) return false;
        given->size = PyDict_GET_SIZE(attributes.get());
        PyObject *name, *value;
        for (Py_ssize_t at = 0; PyDict_Next(attributes.get(), &at, &name, &value);) {
            if (PyDict_Check(value) && PyDict_GET_SIZE(value) != 0) {
                PyObject *key, *tensor;
                for (Py_ssize_t k = 0; PyDict_Next(value, &k, &key, &tensor);) {
                    if (!is_tensor(tensor) && tensor != Py_None) return false;
                    given->tensors.push_back(Ref::borrowed(name));
                    given->tensors.push_back(Ref::borrowed(key));
                    inputs_.push_back(tensor);
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

    bool are_simple() {
        const bool all = std::all_of(pass_.calls.begin(), pass_.calls.end(),
                                     [](const Forward& each) { return each.is_simple(); });
        return all || no("an op of a list of tensors, or that gives several");
    }

    bool read_call(PyObject* listed) {
        if (!PyTuple_Check(listed)) return no("a call that may not be made again as it was");
        const Ref held = Ref::borrowed(listed);
        PyObject* function = PyTuple_GET_ITEM(listed, 0);  // held by the tuple
        PyObject* args = PyTuple_GET_ITEM(listed, 1);      // held by the tuple
        PyObject* names = PyTuple_GET_ITEM(listed, 2);     // held by the tuple
        PyObject* result = PyTuple_GET_ITEM(listed, 3);    // held by the tuple
        if (slot_of_.count(result) != 0) return true;      // what gives its operand does nothing
        Op* op = op_behind(function);
        if (op == nullptr) return no("an op that is left to Python");
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
        pass_.calls.push_back(std::move(step));
        results_.push_back(result);
        is_view_[result] = op->view;
        return true;
    }

    bool read_operands(const Call& call, Forward* step) {
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
            if (found == slot_of_.end()) return no("a tensor from elsewhere");
            step->slots[i] = found->second;
        }
        return true;
    }

    bool read_list(PyObject* list, Forward* step) {
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

    bool read_results(PyObject* result, Forward* step) {
        if (!PyTuple_Check(result)) return read_result(result, step);
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(result); ++i) {
            if (!read_result(PyTuple_GET_ITEM(result, i), step)) return false;
        }
        return true;
    }

    bool read_result(PyObject* result, Forward* step) {
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
        slot_of_[result] = filled_;
        slot_of_array_[object] = filled_++;
        return true;
    }

    bool read_usual_outputs(PyObject* root, PyObject* outputs) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(outputs); ++i) {
            const auto found = slot_of_.find(PyTuple_GET_ITEM(outputs, i));
            if (found == slot_of_.end()) return no("what was not computed here lives on");
            pass_.outputs.push_back({found->second, kNowhere});
        }
        if (root == Py_None) return true;
        const auto found = slot_of_.find(root);
        if (found == slot_of_.end()) return no("a root that was not computed here");
        pass_.root = found->second;
        return true;
    }

    // Constants stand before the results, which are told their places when all are known.
    int constant_slot(PyObject* array) {
        constants_.push_back(Ref::borrowed(array));
        return -2 - static_cast<int>(constants_.size() - 1);
    }
    std::vector<Ref> constants_;

    bool read_nodes(PyObject* root) {
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

    // Leaves come last in the list that are complete first.
    bool read_leaves(PyObject* pairs) {
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
            last_sender_.push_back(
                PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(PyList_GET_ITEM(pairs, i), 1)));
            leaf_at_[node] = static_cast<int>(pass_.leaves.size());
            pass_.leaves.push_back(leaf);
        }
        return true;
    }
    std::vector<unsigned long long> last_sender_;
    std::unordered_map<PyObject*, int> leaf_at_;

    bool read_backwards(PyObject* nodes) {
        const Py_ssize_t count = PyList_GET_SIZE(nodes);
        for (Py_ssize_t i = 0; i < count; ++i) node_at_[PyList_GET_ITEM(nodes, i)] = i;
        for (Py_ssize_t i = 0; i < count; ++i) {
            PyObject* node = PyList_GET_ITEM(nodes, i);  // held by the list
            Backward step;
            if (!read_backward(node, &step)) return false;
            for (size_t k = 0; k < pass_.leaves.size(); ++k) {
                if (last_sender_[k] != number_of(node)) continue;
                pass_.leaves[k].last_sender = i;
                pass_.leaves[k].changes = changes_by(node);
            }
            pass_.nodes.push_back(std::move(step));
        }
        return link_stand_ins(nodes) && match_calls();
    }

    bool read_backward(PyObject* node, Backward* step) {
        if (!PyObject_TypeCheck(node, layout.node_class) ||
            slot(node, layout.node.extra) != Py_None || slot(node, layout.node.metas) != Py_None) {
            return no("a node with hooks, of several outputs, or of another kind");
        }
        pass_.is_scoped = pass_.is_scoped || slot(node, layout.node.scope) != Py_None;
        Ref g = gradient_like(node);
        if (!g) return no("a gradient that is neither float32 nor float64");
        step->program = program_for(node, g.get());
        if (step->program == nullptr) return no("a node whose formulas run in Python");
        if (!read_saved_slots(slot(node, layout.node.saved), step)) return false;
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

    // An array that looks like the gradient which arrives at a node.
    static Ref gradient_like(PyObject* node) {
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

    bool read_saved_slots(PyObject* saved, Backward* step) {
        if (saved == Py_None) return true;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(saved); ++i) {
            PyObject* entry = PyTuple_GET_ITEM(saved, i);
            PyObject* array = PyTuple_GET_ITEM(entry, 0);
            PyObject* storage = PyTuple_GET_ITEM(entry, 1);
            const auto found = slot_of_array_.find(array);
            const bool is_number = storage == layout.whole_number ||
                                   storage == layout.other_number ||
                                   storage == layout.constant_storage;
            if (found != slot_of_array_.end()) step->saved.push_back(found->second);
            else if (is_number) step->saved.push_back(constant_slot(array));
            else return no("a saved value from elsewhere");
        }
        return true;
    }

    // Nodes that stand for those of all runs: like them, with edges among themselves.
    bool link_stand_ins(PyObject* nodes) {
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
            fill(made.get(), at.saved, slot(node, at.saved) == Py_None ? Py_None : Py_True);
            step.node = std::move(made);
        }
        return true;
    }

    // Finds the call that made each node.
    bool match_calls() {
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

    bool read_outputs(PyObject* outputs) {
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

    // Puts the constants before the results, and notes when nobody reads a slot any more.
    void note_ends() {
        const int inputs = static_cast<int>(inputs_.size());
        const int shift = static_cast<int>(constants_.size());
        const auto placed = [&](int at) {
            return at <= -2 ? inputs - 2 - at : at >= inputs ? at + shift : at;
        };
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
};

// recorded_pass(python, arguments, layers, calls, root, outputs, watchers, structure, names_hold,
// reads, usually): what runs the calls and the pass again, or why there is nothing; if `usually`,
// with all tensors and nodes, and then the backward of the root, if there is one. Of each argument
// `layers` says whether it is a layer, and None if it is a module around others.
PyObject* make_recorded_pass(PyObject*, PyObject* args) {
    PyObject *python, *given, *layers, *calls, *root, *outputs, *watchers, *structure, *names_hold,
        *reads;
    int usually;
    if (!PyArg_ParseTuple(args, "OO!O!O!OO!O!OOO!p", &python, &PyTuple_Type, &given, &PyTuple_Type,
                          &layers, &PyList_Type, &calls, &root, &PyTuple_Type, &outputs,
                          &PyList_Type, &watchers, &structure, &names_hold, &PyList_Type, &reads,
                          &usually)) {
        return nullptr;
    }
    Ref made(make_callable(entry<call_pass>, python, Py_None));
    if (!made) return nullptr;
    Pass* pass = new Pass;
    reinterpret_cast<Callable*>(made.get())->description = pass;
    pass->is_usual = usually != 0;
    pass->with_grad = grad_enabled();
    pass->watchers = Ref::borrowed(watchers);
    pass->structure = Ref::borrowed(structure);
    pass->names_hold = Ref::borrowed(names_hold);
    pass->structure_version = Ref(PyObject_GetAttrString(structure, "version"));
    if (!pass->structure_version) return nullptr;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(reads); ++i) {
        PyObject *owner, *name, *value;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(reads, i), "OUO", &owner, &name, &value)) {
            return nullptr;
        }
        pass->reads.push_back({Ref::borrowed(owner), Ref::borrowed(name), Ref::borrowed(value)});
    }
    const char* why = Recorder(*pass).record(given, layers, calls, root, outputs);
    if (PyErr_Occurred() != nullptr) return nullptr;
    return why == nullptr ? made.release() : PyUnicode_FromString(why);
}

PyObject* start_listing(PyObject*, PyObject* list) {
    if (list != Py_None && !PyList_CheckExact(list)) {
        PyErr_SetString(PyExc_TypeError, "list_calls() takes a list or None");
        return nullptr;
    }
    list_calls(list == Py_None ? nullptr : list);
    Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"list_calls", entry<start_listing>, METH_O,
     "Append the calls of ops that this thread makes to a list from now on; None to end it."},
    {"recorded_pass", entry<make_recorded_pass>, METH_VARARGS,
     "Return what makes listed calls and the backward pass again, or a text that says why not."},
    {"run_apart", entry<run_apart>, METH_VARARGS,
     "Return what a recorded pass would give, and write it nowhere, or why it would not run."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_recorded_passes(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace pellucid
