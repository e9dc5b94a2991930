#include "engine/pass_functions.hpp"

#include "call/callable.hpp"
#include "call/counting.hpp"
#include "call/routes.hpp"
#include "engine/engine.hpp"
#include "engine/pass_recorder.hpp"
#include "engine/pass_run.hpp"
#include "objects/outcome.hpp"

namespace pellucid {

namespace {

// Runs the pass on arguments like those that it was recorded with; None for others, and for what
// is left to Python.
PyObject* call_pass(PyObject* object, PyObject* const* args, size_t flags, PyObject* names) {
    Callable* self = reinterpret_cast<Callable*>(object);
    recorded::Pass& pass = *static_cast<recorded::Pass*>(self->description);
    const Py_ssize_t count = PyVectorcall_NARGS(flags);
    recorded::Inputs inputs;
    const Ref held = Ref::borrowed(object);
    if (names != nullptr || !pass.are_modes_usual() || !pass.are_names_the_same(args, count) ||
        !pass.fits(args, count, &inputs)) {
        if (!drop_error()) return nullptr;
        Py_RETURN_NONE;
    }
    recorded::Run run(pass, inputs, args);
    if (run.find_gradients() && run.compute(true)) return run.finish();
    if (!run.return_stream() || !drop_error()) return nullptr;
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
    recorded::Pass& pass =
        *static_cast<recorded::Pass*>(reinterpret_cast<Callable*>(function)->description);
    recorded::Inputs inputs;
    PyObject* const* items = PySequence_Fast_ITEMS(given);
    const Py_ssize_t count = PyTuple_GET_SIZE(given);
    if (pass.are_modes_usual() && pass.are_names_the_same(items, count) &&
        pass.fits(items, count, &inputs)) {
        recorded::Run run(pass, inputs, items);
        const bool found = run.find_gradients();
        if (found) left_because = "a step that is left to Python";
        Ref shown(found && run.compute(false) ? run.show() : nullptr);
        if (!run.return_stream()) return nullptr;
        if (shown) return shown.release();
    }
    if (!drop_error()) return nullptr;
    return PyUnicode_FromString(left_because);
}

// recorded_pass(python, arguments, kinds, calls, root, outputs, kept, has_rest, (code, lasti),
// (remember, return_to), draws, watchers, structure, names_hold, reads, usually): what runs the
// calls and the pass again, or why there is nothing; if `usually`, with all tensors and nodes, and
// then the backward of the root, if there is one. `kinds` has of each argument "value" or "layer",
// "scope" for a module around others, "zero_grad first", "zero_grad" or "step" for a method of an
// optimizer's. `kept` are results that there are `usually` alone. If `has_rest`, the last result
// says what is left over: 0 for nothing, 1 for the step, 2 for all behind the backward.
PyObject* make_recorded_pass(PyObject*, PyObject* args) {
    PyObject *python, *given, *kinds, *calls, *root, *outputs, *kept, *code, *lasti, *remember,
        *return_to, *watchers, *structure, *names_hold, *reads;
    int usually, has_rest, draws;
    if (!PyArg_ParseTuple(args, "OO!O!O!OO!O!p(OO)(OO)pO!OOO!p", &python, &PyTuple_Type, &given,
                          &PyTuple_Type, &kinds, &PyList_Type, &calls, &root, &PyTuple_Type,
                          &outputs, &PyTuple_Type, &kept, &has_rest, &code, &lasti, &remember,
                          &return_to, &draws, &PyList_Type, &watchers, &structure, &names_hold,
                          &PyList_Type, &reads, &usually)) {
        return nullptr;
    }
    Ref made(make_callable(entry<call_pass>, python, Py_None));
    if (!made) return nullptr;
    auto* pass = new recorded::Pass;
    reinterpret_cast<Callable*>(made.get())->description = pass;
    pass->is_usual = usually != 0;
    pass->with_grad = grad_enabled();
    pass->has_rest = has_rest != 0;
    pass->code = Ref::borrowed(code);
    pass->lasti = Ref::borrowed(lasti);
    pass->remember = Ref::borrowed(remember);
    pass->return_to = Ref::borrowed(return_to);
    pass->draws = draws != 0;
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
    const char* why = recorded::Recorder(*pass).record(given, kinds, calls, root, outputs, kept);
    if (PyErr_Occurred() != nullptr) return nullptr;
    return why == nullptr ? made.release() : PyUnicode_FromString(why);
}

// pass_size(recorded_pass): how many calls it makes, how many nodes it runs backward, and whether
// the optimizer's step was among it last
PyObject* pass_size(PyObject*, PyObject* function) {
    if (!is_callable(function, entry<call_pass>)) {
        PyErr_SetString(PyExc_TypeError, "pass_size() takes a recorded pass");
        return nullptr;
    }
    const auto* pass =
        static_cast<const recorded::Pass*>(reinterpret_cast<Callable*>(function)->description);
    return Py_BuildValue("nnO", static_cast<Py_ssize_t>(pass->calls.size()),
                         static_cast<Py_ssize_t>(pass->nodes.size()),
                         pass->has_stepped ? Py_True : Py_False);
}

PyObject* start_listing(PyObject*, PyObject* list) {
    if (list != Py_None && !PyList_CheckExact(list)) {
        PyErr_SetString(PyExc_TypeError, "list_calls() takes a list or None");
        return nullptr;
    }
    list_calls(list == Py_None ? nullptr : list);
    Py_RETURN_NONE;
}

PyObject* note_constant(PyObject*, PyObject* tensor) {
    list_constant(tensor);
    return Py_NewRef(tensor);
}

// list_draw(tensor, function, *arguments)
PyObject* note_draw(PyObject*, PyObject* const* args, Py_ssize_t count) {
    if (count < 2) {
        PyErr_SetString(PyExc_TypeError, "list_draw() takes a tensor, and what draws it");
        return nullptr;
    }
    list_made(args[0], args[1], args + 2, count - 2);
    return Py_NewRef(args[0]);
}

PyMethodDef functions[] = {
    {"list_draw", fast<note_draw>(), METH_FASTCALL,
     "Return a tensor of random numbers; where calls are listed, what draws it in each run is."},
    {"list_constant", entry<note_constant>, METH_O,
     "Return a tensor that has the same values in each run; where calls are listed, it is, too."},
    {"list_calls", entry<start_listing>, METH_O,
     "Append the calls of ops that this thread makes to a list from now on; None to end it."},
    {"recorded_pass", entry<make_recorded_pass>, METH_VARARGS,
     "Return what makes listed calls and the backward pass again, or a text that says why not."},
    {"pass_size", entry<pass_size>, METH_O,
     "Return how many calls a recorded pass makes, and nodes it runs back, and if it stepped."},
    {"run_apart", entry<run_apart>, METH_VARARGS,
     "Return what a recorded pass would give, and write it nowhere, or why it would not run."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_recorded_passes(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace pellucid
