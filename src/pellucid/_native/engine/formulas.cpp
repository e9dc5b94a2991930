// What `RunnableNode.backward_on_tensors` and `backward_towards` say, for the usual nodes: those of
// one output in single or double precision whose saved values nothing has packed or changed.
#include "engine/formulas.hpp"

#include "call/op.hpp"
#include "call/routes.hpp"

#include <unordered_map>

namespace pellucid {

namespace {

// What the plan of a backward function says of it; without `gradients` Python runs the node.
struct Formulas {
    Ref backward, gradients, needed;
    std::vector<Save> saves;
};

bool read_formulas(PyObject* given, Formulas* formulas) {
    PyObject *gradients, *needed, *saves;
    if (!PyArg_ParseTuple(given, "OO!O!", &gradients, &PyTuple_Type, &needed, &PyTuple_Type,
                          &saves) ||
        !read_saves(saves, &formulas->saves)) {
        return false;
    }
    formulas->gradients = Ref::borrowed(gradients);
    formulas->needed = Ref::borrowed(needed);
    return true;
}

// The formulas behind a backward function, looked up once; null with an error.
const Formulas* formulas_of(PyObject* backward) {
    static auto* const known = new std::unordered_map<PyObject*, Formulas>;
    const auto found = known->find(backward);
    if (found != known->end()) return &found->second;
    Ref given(PyObject_CallOneArg(layout.formulas, backward));
    Formulas formulas;
    if (!given || (given.get() != Py_None && !read_formulas(given.get(), &formulas)))
        return nullptr;
    formulas.backward = Ref::borrowed(backward);  // so that no other function gets its address
    return &known->emplace(backward, std::move(formulas)).first->second;
}

bool is_usual_type(PyObject* dtype) {
    return dtype == reinterpret_cast<PyObject*>(layout.single) ||
           dtype == reinterpret_cast<PyObject*>(layout.double_);
}

// The tensor of a leaf whose values these still are; empty where there is none.
Ref leaf_with(PyObject* node, PyObject* value) {
    if (!Py_IS_TYPE(node, layout.accumulate_class)) return Ref();
    Ref leaf = referent(slot(node, layout.accumulate.leaf));
    return leaf && slot(leaf.get(), layout.tensor.array) == value ? std::move(leaf) : Ref();
}

// A saved value with the history that it had when saved; empty with an error.
Ref with_history(PyObject* node, const Save& want, PyObject* value, PyObject* storage) {
    PyObject* edges = slot(node, layout.node.edges);
    PyObject* edge = want.kind == Save::output ? nullptr : PyTuple_GET_ITEM(edges, want.index);
    if (edge != nullptr && edge != Py_None) {
        Ref leaf = leaf_with(PyTuple_GET_ITEM(edge, 0), value);
        if (leaf) return leaf;
    }
    Ref tensor(wrap(Py_NewRef(value)));
    Ref own = edge == nullptr ? Ref(PyTuple_Pack(2, node, layout.zero)) : Ref::borrowed(edge);
    if (!tensor || !own) return Ref();
    if (Py_IS_TYPE(storage, Py_TYPE(layout.constant_storage)) == 0) {
        replace(tensor.get(), layout.tensor.storage, storage);
    }
    replace(tensor.get(), layout.tensor.edge, own.get());
    return tensor;
}

// The values of a node as a tuple of arrays or of tensors; empty without an error for what is
// packed, freed or changed.
Ref saved_values(PyObject* node, const std::vector<Save>& wants, bool recorded) {
    const Ref held = Ref::borrowed(slot(node, layout.node.saved));
    if (wants.empty()) return Ref(PyTuple_New(0));
    PyObject* saved = held.get();
    if (!PyTuple_CheckExact(saved) || PyTuple_GET_SIZE(saved) != (Py_ssize_t)wants.size()) {
        return Ref();
    }
    Ref values(PyTuple_New(wants.size()));
    for (size_t i = 0; values && i < wants.size(); ++i) {
        PyObject* entry = PyTuple_GET_ITEM(saved, i);
        if (!PyTuple_CheckExact(entry) || PyTuple_GET_SIZE(entry) != 3) return Ref();
        PyObject* value = PyTuple_GET_ITEM(entry, 0);    // held by the saved values
        PyObject* storage = PyTuple_GET_ITEM(entry, 1);  // held by the saved values
        const bool is_array = PyArray_CheckExact(value);
        if (!is_array && value != Py_None && !Py_IS_TYPE(value, layout.meta_class)) return Ref();
        if (!is_current(storage, PyTuple_GET_ITEM(entry, 2))) return Ref();
        const bool as_it_is = !recorded || !is_array || wants[i].kind == Save::like;
        Ref one = as_it_is ? Ref::borrowed(value) : with_history(node, wants[i], value, storage);
        if (!one) return Ref();
        PyTuple_SET_ITEM(values.get(), i, one.release());
    }
    return values;
}

// What has the shape and dtype of each operand that an edge leads to.
Ref likes_of(PyObject* edges) {
    const Py_ssize_t count = PyTuple_GET_SIZE(edges);
    Ref likes(PyTuple_New(count));
    for (Py_ssize_t i = 0; likes && i < count; ++i) {
        PyObject* edge = PyTuple_GET_ITEM(edges, i);
        PyObject* like = edge == Py_None ? edge : PyTuple_GET_ITEM(edge, 0);
        PyObject* metas = edge == Py_None ? Py_None : slot(like, layout.node.metas);
        if (metas != Py_None) {
            like = PyTuple_GetItem(metas, PyLong_AsSsize_t(PyTuple_GET_ITEM(edge, 1)));
            if (like == nullptr) return Ref();
        }
        PyTuple_SET_ITEM(likes.get(), i, Py_NewRef(like));
    }
    return likes;
}

// Of each operand, whether its gradient is asked for.
Ref asked_for(const Formulas& formulas, PyObject* edges, PyObject* needed) {
    if (needed == Py_None) return Ref::borrowed(formulas.needed.get());
    const Py_ssize_t count = PyTuple_GET_SIZE(edges);
    Ref flags(PyTuple_New(count));
    for (Py_ssize_t i = 0; flags && i < count; ++i) {
        const bool leads = leads_on(PyTuple_GET_ITEM(edges, i), needed);
        PyTuple_SET_ITEM(flags.get(), i, Py_NewRef(leads ? Py_True : Py_False));
    }
    return flags;
}

class InPython : public PythonCalls {
  public:
    bool begin() override { return true; }
};

// Where calls are listed, says that they may not be made again if the formulas of a node look at
// values, or at variables. Those that are written down without any do not, see Note [Programs].
bool check_formulas(PyObject* node, PyObject* g) {
    if (!are_calls_listed()) return true;
    const Program* program = program_for(node, g);
    if (program == nullptr) {
        const RoutesPaused alone;
        InPython python;
        Gradients made;
        Ref several;
        if (run_program(node, g, python, &made, &several) == Outcome::failed) return false;
        program = program_for(node, g);
    }
    if (program == nullptr || !program->reads.empty()) remember_nothing();
    return true;
}

}  // namespace

Outcome run_formulas(PyObject* node, PyObject* g, bool recorded, PyObject* needed, Ref* gradients) {
    PyObject* array = recorded ? array_of(g) : g;
    if (array == nullptr || !PyArray_CheckExact(array) ||
        !is_usual_type(
            reinterpret_cast<PyObject*>(PyArray_DESCR(reinterpret_cast<PyArrayObject*>(array)))) ||
        slot(node, layout.node.metas) != Py_None || !is_usual_type(slot(node, layout.node.dtype))) {
        return Outcome::left_to_python;
    }
    if (!check_formulas(node, array)) return Outcome::failed;
    const Formulas* formulas = formulas_of(slot(node, layout.node.backward));
    if (formulas == nullptr) return Outcome::failed;
    if (!formulas->gradients) return Outcome::left_to_python;
    const Ref edges = Ref::borrowed(slot(node, layout.node.edges));
    Ref saved = saved_values(node, formulas->saves, recorded);
    if (!saved) return PyErr_Occurred() == nullptr ? Outcome::left_to_python : Outcome::failed;
    Ref likes = likes_of(edges.get()), asked = asked_for(*formulas, edges.get(), needed);
    if (!likes || !asked) return Outcome::failed;
    const Ref params = Ref::borrowed(slot(node, layout.node.params));
    PyObject* const args[] = {g, saved.get(), params.get(), likes.get(), asked.get()};
    *gradients = Ref(PyObject_Vectorcall(formulas->gradients.get(), args, 5, nullptr));
    return *gradients ? Outcome::done : Outcome::failed;
}

Ref referent(PyObject* weak) {
#if PY_VERSION_HEX >= 0x030D0000
    PyObject* found = nullptr;
    PyWeakref_GetRef(weak, &found);
    return Ref(found);
#else
    PyObject* found = PyWeakref_GetObject(weak);
    return found == Py_None ? Ref() : Ref::borrowed(found);
#endif
}

}  // namespace pellucid
