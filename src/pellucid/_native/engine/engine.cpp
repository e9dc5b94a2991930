// The engine's walk and its loop over nodes.
//
// It does what `pellucid.autograd.engine` says, in the same order, and calls the methods of the
// running `Task` for whatever is out of the ordinary: hooks, captures, several outputs, gradients
// that do not fit.
#include "engine/engine.hpp"

#include "call/counting.hpp"
#include "call/op.hpp"
#include "call/routes.hpp"
#include "engine/formulas.hpp"
#include "engine/leaves.hpp"
#include "engine/pass_modes.hpp"
#include "engine/program.hpp"
#include "engine/walk.hpp"

#include <algorithm>
#include <unordered_map>

namespace pellucid {

namespace {

// ---- running them -------------------------------------------------------------------------------

// The shape and dtype of the output that an edge leads to, borrowed; false where they are not
// known.
bool read_meta(PyObject* edge, PyObject** shape, PyObject** dtype) {
    PyObject* target = PyTuple_GET_ITEM(edge, 0);
    PyObject* metas = slot(target, layout.node.metas);
    *shape = slot(target, layout.node.shape);
    *dtype = slot(target, layout.node.dtype);
    if (metas == Py_None) return true;
    const Py_ssize_t place = PyLong_AsSsize_t(PyTuple_GET_ITEM(edge, 1));
    if (!PyTuple_CheckExact(metas) || place < 0 || place >= PyTuple_GET_SIZE(metas) ||
        !Py_IS_TYPE(PyTuple_GET_ITEM(metas, place), layout.meta_class)) {
        return false;
    }
    *shape = slot(PyTuple_GET_ITEM(metas, place), layout.meta.shape);
    *dtype = slot(PyTuple_GET_ITEM(metas, place), layout.meta.dtype);
    return true;
}

// Whether a gradient is an array that fits one of several outputs.
bool is_output_of_several(PyObject* grad, PyObject* edge) {
    PyObject *shape, *dtype;
    if (slot(PyTuple_GET_ITEM(edge, 0), layout.node.metas) == Py_None ||
        !PyArray_CheckExact(grad) || !read_meta(edge, &shape, &dtype)) {
        return false;
    }
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(grad);
    return reinterpret_cast<PyObject*>(PyArray_DESCR(array)) == dtype && same_shape(array, shape);
}

// A list of the gradients of a node's outputs, of which only one has arrived.
Ref gradients_of_several(PyObject* node, Py_ssize_t place, PyObject* grad) {
    const Py_ssize_t count = PyTuple_GET_SIZE(slot(node, layout.node.metas));
    Ref list(PyList_New(count));
    for (Py_ssize_t i = 0; list && i < count; ++i) {
        PyList_SET_ITEM(list.get(), i, Py_NewRef(i == place ? grad : Py_None));
    }
    return list;
}

// One pass over the nodes.
class Runner : public PythonCalls {
  public:
    // The task and its attributes, borrowed. A pass that was started here has no task until Python
    // is called.
    PyObject *task = nullptr, *nodes, *leaves, *buffers, *run, *keep;
    // arithmetic on gradients, which are tensors if they are recorded
    PyObject* gradients = layout.array_gradients;
    // where only some inputs are asked for: the nodes on a way to one of them, those that lead
    // nowhere else, and what catches gradients
    PyObject *needed = Py_None, *stops = nullptr, *captures = Py_None, *catches = nullptr;
    bool careful = false, at_once = true;

    bool go() {
        left_ = PyList_GET_SIZE(leaves);
        PyObject *root, *gradient;
        Py_ssize_t place = 0;
        while (PyDict_Next(buffers, &place, &root, &gradient)) {
            if (PyDict_GET_SIZE(buffers) == 1) root_ = root;
            else handed_on_[root] = -1;
        }
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(nodes); ++i) {
            node_ = PyList_GET_ITEM(nodes, i);
            if (!step() || PyErr_CheckSignals() < 0) return false;
        }
        while (left_-- > 0) {
            if (!finish(PyTuple_GET_ITEM(PyList_GET_ITEM(leaves, left_), 0), 0)) return false;
        }
        return true;
    }

    PyObject* node() const { return node_; }

    bool begin() override { return true; }

  private:
    PyObject* node_ = nullptr;
    // how many leaves are not complete yet
    Py_ssize_t left_ = 0;
    // what the pass starts from, if that is one node
    PyObject* root_ = nullptr;
    // nodes whose buffer is a sum made here, which may be added to in place: and how often it was
    std::unordered_map<PyObject*, long> summed_;
    // how often what has arrived at a node alone was changed before; -1 for what the program has
    std::unordered_map<PyObject*, long> handed_on_;
    // the gradient of the node that runs, how often it was changed, and how often those are that
    // the node makes
    Given given_{};
    long given_changes_ = 0, made_changes_ = 0;

    Ref take(PyObject* target) {
        Ref g = Ref::borrowed(PyDict_GetItemWithError(buffers, target));
        if (g) PyDict_DelItem(buffers, target);
        return g;
    }

    bool recorded() const { return gradients != layout.array_gradients; }

    bool step() {
        Ref g = take(node_);
        Ref several;  // gradients that Python gave, as a tuple
        Gradients made;
        bool stops_here = false;
        if (careful || !g || slot(node_, layout.node.extra) != Py_None) {
            if (counting) {
                count_one(reinterpret_cast<PyObject*>(Py_TYPE(node_)),
                          "hooks, a mode, or no gradient has arrived");
            }
            several = run_carefully(g.get());
            stops_here = several.get() == Py_None;
        } else {
            if (!caught(g.get(), &stops_here)) return false;
            if (!stops_here && !run_node(g.get(), &several, &made)) return false;
        }
        if (PyErr_Occurred() != nullptr) return false;
        if (stops_here) return true;
        given_ = given(g.get());
        g = Ref();  // a gradient is held no longer than its node needs it
        if (!release_saved()) return false;
        given_changes_ = changes_of(node_);
        if (!handed_on_.empty()) handed_on_.erase(node_);
        made_changes_ = changes_by(node_);
        const bool sent = several ? send_each(several.get()) : send_made(&made);
        if (!sent) return false;
        several = Ref();
        return finish_complete_leaves();
    }

    Ref run_carefully(PyObject* g) {
        if (!begin()) return Ref();
        if (recorded()) remember_nothing();
        PyObject* given = g == nullptr ? Py_None : g;
        return Ref(PyObject_CallFunctionObjArgs(layout.careful_step, task, node_, given, nullptr));
    }

    // Gives what has arrived to those who asked for it, and says whether the node leads nowhere
    // else; false with an error.
    bool caught(PyObject* g, bool* stops_here) {
        if (needed == Py_None) return true;
        if (captures != Py_None) {
            const int asked = PyDict_Contains(catches, node_);
            if (asked < 0) return false;
            if (asked && !Ref(PyObject_CallMethod(captures, "catch", "OO", node_, g))) return false;
        }
        const int found = PySet_Contains(stops, node_);
        *stops_here = found == 1;
        return found >= 0;
    }

    // Whether some gradient of the node is recorded where it was made, but not asked for here.
    bool needs_part() const {
        if (needed == Py_None) return false;
        PyObject* edges = edges_of(node_);
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(edges); ++i) {
            PyObject* edge = PyTuple_GET_ITEM(edges, i);
            if (edge != Py_None && !leads_on(edge, needed)) return true;
        }
        return false;
    }

    bool run_node(PyObject* g, Ref* several, Gradients* made) {
        const bool whole = !recorded() && !needs_part();
        const Ref since = recorded() ? Ref(PyIter_Next(layout.sequence)) : Ref();
        const Outcome ran = whole ? run_program(node_, g, *this, made, several)
                                  : run_formulas(node_, g, recorded(), needed, several);
        if (counting) count(whole, ran);
        if (ran != Outcome::left_to_python) {
            if (!since || ran != Outcome::done) return ran == Outcome::done;
            return static_cast<bool>(Ref(PyObject_CallFunctionObjArgs(
                layout.note_numbers, node_, several->get(), since.get(), nullptr)));
        }
        if (!whole) {
            *several = run_carefully(g);
        } else if (begin()) {
            const Ref backward = Ref::borrowed(slot(node_, layout.node.backward));
            *several = Ref(PyObject_CallFunctionObjArgs(backward.get(), node_, g, nullptr));
        }
        return static_cast<bool>(*several);
    }

    // Counts the run of the node's backward, see `pellucid.inspect.compiled_calls`.
    void count(bool whole, Outcome ran) const {
        const char* why = left_because;
        if (!whole)
            why = "recorded, or only part of its gradients is asked for: formulas on tensors";
        else if (ran != Outcome::left_to_python && !was_tried_out()) why = nullptr;
        count_one(reinterpret_cast<PyObject*>(Py_TYPE(node_)), why);
    }

    bool release_saved() {
        if (slot(node_, layout.node.saved) == Py_None || keep == Py_True) return true;
        const int kept = PyAnySet_Check(keep) ? PySet_Contains(keep, node_) : 0;
        if (kept == 0 && !is_unfreed(node_)) replace(node_, layout.node.saved, run);
        return kept >= 0;
    }

    bool send_made(Gradients* gradients) {
        Ref edges = Ref::borrowed(edges_of(node_));
        const Py_ssize_t count =
            std::min<Py_ssize_t>(gradients->count, PyTuple_GET_SIZE(edges.get()));
        for (Py_ssize_t i = 0; i < count; ++i) {
            PyObject* edge = PyTuple_GET_ITEM(edges.get(), i);  // held by the edges
            Ref grad = std::move(gradients->each[i]);
            if (edge != Py_None && grad && !send(edge, std::move(grad))) return false;
        }
        return true;
    }

    bool send_each(PyObject* given) {
        Ref listed(PySequence_Fast(given, "a backward function must return a tuple"));
        Ref several(listed ? PySequence_Tuple(listed.get()) : nullptr);  // a list may change
        if (!several) return false;
        Ref edges = Ref::borrowed(edges_of(node_));
        const Py_ssize_t count =
            std::min(PyTuple_GET_SIZE(several.get()), PyTuple_GET_SIZE(edges.get()));
        for (Py_ssize_t i = 0; i < count; ++i) {
            PyObject* edge = PyTuple_GET_ITEM(edges.get(), i);    // held by the edges
            PyObject* grad = PyTuple_GET_ITEM(several.get(), i);  // held by what was returned
            if (grad == Py_None || !leads_on(edge, needed)) continue;
            if (!send(edge, Ref::borrowed(grad))) return false;
        }
        return true;
    }

    // Whether a gradient is an array of the very shape and dtype of the output it belongs to.
    bool fits(PyObject* grad, PyObject* target) const {
        PyObject* values = recorded() ? array_of(grad) : grad;
        if (values == nullptr || !PyArray_CheckExact(values)) return false;
        PyArrayObject* array = reinterpret_cast<PyArrayObject*>(values);
        return reinterpret_cast<PyObject*>(PyArray_DESCR(array)) ==
                   slot(target, layout.node.dtype) &&
               same_shape(array, slot(target, layout.node.shape));
    }

    // Whether the node has computed a gradient in more precision than its output has.
    bool is_rounded(PyObject* grad, PyObject* target) const {
        PyObject* dtype = slot(node_, layout.node.dtype);
        PyObject* metas = slot(node_, layout.node.metas);
        if (metas != Py_None) {
            if (!PyTuple_CheckExact(metas) || PyTuple_GET_SIZE(metas) == 0) return false;
            PyObject* first = PyTuple_GET_ITEM(metas, 0);
            if (!Py_IS_TYPE(first, layout.meta_class)) return false;
            dtype = slot(first, layout.meta.dtype);
        }
        return dtype == slot(target, layout.node.dtype) && PyArray_CheckExact(grad) &&
               same_shape(reinterpret_cast<PyArrayObject*>(grad), slot(target, layout.node.shape));
    }

    bool send(PyObject* edge, Ref grad) {
        PyObject* target = PyTuple_GET_ITEM(edge, 0);  // held by the edge
        long changes = made_changes_;
        if (given_changes_ != 0 && is_handed_on(grad.get(), given_)) changes = given_changes_;
        grad = array_again(std::move(grad));
        if (!grad) return false;
        if (!fits(grad.get(), target)) {
            if (!is_rounded(grad.get(), target)) changes = is_cut_down(grad.get(), target) ? -1 : 0;
            if (is_output_of_several(grad.get(), edge)) return put(edge, grad.get());
            if (slot(target, layout.node.metas) != Py_None) {
                if (!begin()) return false;
                return static_cast<bool>(
                    Ref(PyObject_CallMethod(task, "send", "OO", edge, grad.get())));
            }
            grad = fitted(grad.get(), target);
            if (!grad) return false;
        }
        Ref held = Ref::borrowed(PyDict_GetItemWithError(buffers, target));
        if (!held) {
            if (changes != 0) handed_on_[target] = changes;
            return PyDict_SetItem(buffers, target, grad.get()) == 0;
        }
        if (recorded()) {
            Ref sum(PyNumber_Add(held.get(), grad.get()));
            return sum && PyDict_SetItem(buffers, target, sum.get()) == 0;
        }
        const auto before = summed_.find(target);
        if (before != summed_.end()) {
            ++before->second;
            if (can_add(held.get(), grad.get())) return add_into(held.get(), grad.get());
            Ref sum(PyNumber_InPlaceAdd(held.get(), grad.get()));
            return sum && PyDict_SetItem(buffers, target, sum.get()) == 0;
        }
        Ref sum = sum_of(held.get(), grad.get());
        const bool in_place = held.get() != grad.get() && is_one_piece(held.get());
        summed_[target] = in_place ? 1 + changes_of(target) : 0;
        return sum && PyDict_SetItem(buffers, target, sum.get()) == 0;
    }

    // How often what has arrived at a node was changed in PyTorch since it was made; -1 for what
    // the program has.
    long changes_of(PyObject* node) const {
        if (!summed_.empty()) {
            const auto summed = summed_.find(node);
            if (summed != summed_.end()) return summed->second;
        }
        if (!handed_on_.empty()) {
            const auto handed = handed_on_.find(node);
            if (handed != handed_on_.end()) return handed->second;
        }
        return node == root_ ? -1 : 0;
    }

    // Puts the first gradient that arrives at an output among those of its node, whose others are
    // None; all further ones are left to Python.
    bool put(PyObject* edge, PyObject* grad) {
        PyObject* target = PyTuple_GET_ITEM(edge, 0);  // held by the edge
        const Py_ssize_t place = PyLong_AsSsize_t(PyTuple_GET_ITEM(edge, 1));
        PyObject* held = PyDict_GetItemWithError(buffers, target);
        if (held != nullptr) {
            return begin() && Ref(PyObject_CallMethod(task, "send", "OO", edge, grad));
        }
        Ref slots = gradients_of_several(target, place, grad);
        return slots && PyDict_SetItem(buffers, target, slots.get()) == 0;
    }

    Ref fitted(PyObject* grad, PyObject* target) {
        Ref sums = recorded() ? Ref() : column_sums(grad, target);
        if (sums || PyErr_Occurred() != nullptr) return sums;
        const Silence silence(!recorded());
        if ((recorded() || !silence.reached) && !begin()) return Ref();
        return Ref(PyObject_CallMethod(gradients, "sum_to_size", "OO", grad, target));
    }

    bool finish_complete_leaves() {
        while (left_ > 0) {
            PyObject* last = PyList_GET_ITEM(leaves, left_ - 1);
            const auto sender = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(last, 1));
            if (sender < number_of(node_)) return true;
            --left_;
            PyObject* leaf = PyTuple_GET_ITEM(last, 0);  // held by the pass, in its list of leaves
            const bool plain = at_once && slot(leaf, layout.node.extra) == Py_None;
            const long changes = std::max(changes_of(leaf), 0L);
            if (!(plain ? accumulate(leaf, changes) : finish(leaf, changes))) return false;
        }
        return true;
    }

    bool finish(PyObject* leaf, long changes) {
        if (!begin()) return false;
        const Ref count(PyLong_FromLong(changes));
        return count && Ref(PyObject_CallFunctionObjArgs(layout.finish_leaf, task, leaf,
                                                         count.get(), nullptr));
    }

    bool accumulate(PyObject* leaf, long changes) {
        Ref g = take(leaf);
        if (!g) return PyErr_Occurred() == nullptr;
        if (!recorded() && accumulate_usual(leaf, &g, changes, run)) return true;
        return PyErr_Occurred() == nullptr && begin() &&
               Ref(PyObject_CallMethod(gradients, "accumulate", "OOli", leaf, g.get(), changes,
                                       kHolders));
    }
};

PyObject* execute(PyObject*, PyObject* args) {
    Runner runner;
    int careful, at_once;
    if (!PyArg_ParseTuple(args, "OO!O!O!OOOOOOpp", &runner.task, &PyList_Type, &runner.nodes,
                          &PyList_Type, &runner.leaves, &PyDict_Type, &runner.buffers, &runner.run,
                          &runner.keep, &runner.gradients, &runner.needed, &runner.stops,
                          &runner.captures, &careful, &at_once)) {
        return nullptr;
    }
    Ref catches;
    if (runner.captures != Py_None) {
        catches = Ref(PyObject_GetAttrString(runner.captures, "at"));
        if (!catches) return nullptr;
        runner.catches = catches.get();
    }
    runner.careful = careful;
    runner.at_once = at_once;
    if (runner.go()) Py_RETURN_NONE;
    name_line(runner.node());
    return nullptr;
}

PyObject* walk(PyObject*, PyObject* args) {
    PyObject* roots;
    unsigned long long oldest;
    if (!PyArg_ParseTuple(args, "OK", &roots, &oldest)) return nullptr;
    Ref sequence(PySequence_List(roots));
    if (!sequence) return nullptr;
    Walk state(oldest);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(sequence.get()); ++i) {
        state.start(PyList_GET_ITEM(sequence.get(), i));
    }
    if (!state.go()) return nullptr;
    Ref nodes = state.nodes(), leaves = state.last_senders();
    return nodes && leaves ? PyTuple_Pack(2, nodes.get(), leaves.get()) : nullptr;
}

// Whether an edge of the node ends in one of the sets; -1 with an error.
int leads_into(PyObject* node, PyObject* wanted, PyObject* leads_on) {
    PyObject* edges = edges_of(node);
    int found = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(edges) && found == 0; ++i) {
        PyObject* edge = PyTuple_GET_ITEM(edges, i);
        if (edge == Py_None) continue;
        found = PySet_Contains(wanted, PyTuple_GET_ITEM(edge, 0));
        if (found == 0) found = PySet_Contains(leads_on, PyTuple_GET_ITEM(edge, 0));
    }
    return found;
}

PyObject* towards(PyObject*, PyObject* args) {
    PyObject *nodes, *wanted;
    if (!PyArg_ParseTuple(args, "O!O!", &PyList_Type, &nodes, &PySet_Type, &wanted)) return nullptr;
    Ref kept(PyList_New(0)), leads_on(PySet_New(nullptr));
    if (!kept || !leads_on) return nullptr;
    for (Py_ssize_t i = PyList_GET_SIZE(nodes); i-- > 0;) {
        PyObject* node = PyList_GET_ITEM(nodes, i);
        const int leads = leads_into(node, wanted, leads_on.get());
        const int keep = leads != 0 ? leads : PySet_Contains(wanted, node);
        if (keep < 0 || (leads == 1 && PySet_Add(leads_on.get(), node) < 0) ||
            (keep == 1 && PyList_Append(kept.get(), node) < 0)) {
            return nullptr;
        }
    }
    if (PyList_Reverse(kept.get()) < 0) return nullptr;
    return PyTuple_Pack(2, kept.get(), leads_on.get());
}

// ---- a whole pass -------------------------------------------------------------------------------

// A pass from one tensor, that makes what Python sees of it only when Python is called.
class Pass : public Runner {
  public:
    bool begin() override {
        if (!modes_.begin(nodes, leaves, run, keep, buffers)) return false;
        task = modes_.task();
        return true;
    }

    bool end(bool well) { return modes_.end(well); }

  private:
    PassModes modes_;
};

// The gradient of the tensor itself: a one for a scalar, or an array of its shape and dtype.
Ref root_gradient(PyObject* edge, PyObject* given) {
    PyObject *shape, *dtype;
    if (!read_meta(edge, &shape, &dtype)) return Ref();
    const bool usual = dtype == reinterpret_cast<PyObject*>(layout.single) ||
                       dtype == reinterpret_cast<PyObject*>(layout.double_);
    if (!usual || !PyTuple_Check(shape)) return Ref();
    if (given == Py_None) {
        return PyTuple_GET_SIZE(shape) == 0
                   ? constant_for(layout.one, reinterpret_cast<PyArray_Descr*>(dtype))
                   : Ref();
    }
    PyObject* array = array_of(given);
    PyArrayObject* g = reinterpret_cast<PyArrayObject*>(array);
    const bool fits = array != nullptr && same_shape(g, shape) &&
                      reinterpret_cast<PyObject*>(PyArray_DESCR(g)) == dtype;
    return fits ? Ref::borrowed(array) : Ref();
}

// The edge of a tensor from which a pass can start here; null where Python has to see to it.
PyObject* root_edge(PyObject* tensor) {
    if (array_of(tensor) == nullptr || !is_settled(tensor) || !is_plain_thread() ||
        takes_slow_path()) {
        return nullptr;
    }
    PyObject* edge = slot(tensor, layout.tensor.edge);
    if (edge == Py_None) return nullptr;
    PyObject* node = PyTuple_GET_ITEM(edge, 0);
    return is_leaf(node) ? nullptr : edge;
}

PyObject* run_pass(PyObject* of_root, Ref g, PyObject* keep) {
    const Ref edge = Ref::borrowed(of_root);
    PyObject* root = PyTuple_GET_ITEM(edge.get(), 0);  // held by the edge
    if (slot(root, layout.node.metas) != Py_None) {
        g = gradients_of_several(root, PyLong_AsSsize_t(PyTuple_GET_ITEM(edge.get(), 1)), g.get());
        if (!g) return nullptr;
    }
    Walk found;
    found.start(root);
    if (!found.go()) return nullptr;
    if (found.any_freed()) Py_RETURN_FALSE;
    Ref nodes = found.nodes(), leaves = found.leaves(), buffers(PyDict_New());
    Ref run = make_run(slot(root, layout.node.seq));
    if (!nodes || !leaves || !buffers || !run || PyDict_SetItem(buffers.get(), root, g.get()) < 0) {
        return nullptr;
    }
    g = Ref();
    Pass pass;
    pass.nodes = nodes.get();
    pass.leaves = leaves.get();
    pass.buffers = buffers.get();
    pass.run = run.get();
    pass.keep = keep;
    const bool well = guarded([&] { return pass.go(); });
    if (!well) name_line(pass.node());
    if (!pass.end(well)) return nullptr;
    Py_RETURN_TRUE;
}

PyObject* backward(PyObject*, PyObject* const* args, Py_ssize_t count) {
    if (count != 3) {
        PyErr_SetString(PyExc_TypeError, "backward() takes tensor, gradient, retain_graph");
        return nullptr;
    }
    PyObject* keep = args[2] == Py_None ? Py_False : args[2];
    PyObject* edge = PyBool_Check(keep) ? root_edge(args[0]) : nullptr;
    if (edge == nullptr) Py_RETURN_FALSE;
    Ref held = Ref::borrowed(edge);
    Ref g = root_gradient(edge, args[1]);
    if (g) return run_pass(edge, std::move(g), keep);
    if (PyErr_Occurred() != nullptr) return nullptr;
    Py_RETURN_FALSE;
}

PyMethodDef functions[] = {
    {"walk", entry<walk>, METH_VARARGS,
     "Return the nodes that roots lead to, youngest first, and each leaf's last sender; without "
     "those made before a number."},
    {"towards", entry<towards>, METH_VARARGS,
     "Return which of a walk's nodes lead to wanted ones or are wanted, and which lead there."},
    {"execute", entry<execute>, METH_VARARGS, "Run the nodes of a task."},
    {"backward", fast<backward>(), METH_FASTCALL,
     "Run a whole pass from a tensor; return whether it was of the usual kind."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

Ref make_run(PyObject* root_number) {
    Ref made(make(layout.run_class)), code;
    int lasti = 0;
    if (!made || !find_site(&code, &lasti)) return Ref();
    PyObject* object = made.get();
    fill(object, layout.run.call, layout.name_backward);
    fill(object, layout.run.code, code.get());
    slot(object, layout.run.lasti) = PyLong_FromLong(lasti);
    slot(object, layout.run.number) = PyIter_Next(layout.run_numbers);
    slot(object, layout.run.seq) = PyIter_Next(layout.sequence);
    slot(object, layout.run.roots) = PyTuple_Pack(1, root_number);
    return PyErr_Occurred() == nullptr ? std::move(made) : Ref();
}

bool add_engine(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace pellucid
