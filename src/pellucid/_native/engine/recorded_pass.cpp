#include "engine/recorded_pass.hpp"

#include <algorithm>

#include "call/counting.hpp"
#include "engine/engine.hpp"
#include "objects/outcome.hpp"

namespace pellucid::recorded {

bool is_empty_container(PyObject* object) {
    if (PyDict_Check(object)) return PyDict_GET_SIZE(object) == 0;
    if (PyAnySet_Check(object)) return PySet_GET_SIZE(object) == 0;
    return PyList_Check(object) && PyList_GET_SIZE(object) == 0;
}

bool is_bare_leaf(PyObject* tensor) {
    PyObject* node = PyTuple_GET_ITEM(slot(tensor, layout.tensor.edge), 0);
    return Py_IS_TYPE(node, layout.accumulate_class) && slot(node, layout.node.extra) == Py_None;
}

namespace {

bool has_attribute(PyObject* attributes, const Attribute& wanted) {
    Ref held(Py_XNewRef(PyDict_GetItemWithError(attributes, wanted.name.get())));
    if (!held) return false;
    return wanted.constant ? are_same(wanted.constant.get(), held.get())
                           : is_empty_container(held.get());
}

// The tensors that are given, and those of layers, in the order of inputs; false for a layer that
// is not as it was.
bool read_layer(const Given& layer, PyObject* object, Inputs* inputs) {
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
        const bool is_usual = held != nullptr && PyDict_CheckExact(held);
        PyObject* tensor =
            is_usual ? PyDict_GetItemWithError(held, layer.tensors[i + 1].get()) : nullptr;
        if (tensor == nullptr) return decline("a layer has no longer a parameter or buffer");
        inputs->add(tensor);
    }
    return true;
}

}  // namespace

bool Pass::fits(PyObject* const* args, Py_ssize_t count, Inputs* found) const {
    if (count != static_cast<Py_ssize_t>(given.size())) return decline("more or fewer arguments");
    for (Py_ssize_t i = 0; i < count; ++i) {
        if (given[i].is_scope || given[i].is_method) continue;
        if (!given[i].is_layer) found->add(args[i]);
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

}  // namespace pellucid::recorded
