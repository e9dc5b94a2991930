// `pellucid.optim.optimizer`, `sgd`, `adam`, `rmsprop` and `adadelta` define the same.
//
// Note [Usual steps]
// A step reads all options, states and gradients before it changes anything: what is unusual is
// left to Python as a whole. All is read from the optimizer at each step, so that a changed rate,
// state or group counts. A class is of the usual kind if it is SGD, Adam, AdamW, RMSprop or
// Adadelta, and has what it had under the names by which these make a step.
#include "call/optimizing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>

#include "kernels/optimizer_arguments.hpp"
#include "objects/entry.hpp"
#include "objects/layout.hpp"

namespace pellucid {

namespace {

enum class Rule { sgd, adam, rmsprop, adadelta };

constexpr const char* kRules[] = {"sgd", "adam", "rmsprop", "adadelta"};

// The methods by which a step is made; the class has nothing under the names that follow them.
constexpr const char* kMethods[] = {"update",  "_updates", "note_step",      "writes",
                                    "counted", "_descend", "_step_compiled", "_averaged",
                                    "_start",  "state",    "param_groups"};
constexpr int kNames = sizeof kMethods / sizeof *kMethods;
constexpr int kDataNames = 2;

#define PELLUCID_OPTIONS(X)      \
    X(params)                    \
    X(lr)                        \
    X(momentum)                  \
    X(dampening)                 \
    X(weight_decay)              \
    X(nesterov)                  \
    X(maximize)                  \
    X(differentiable)            \
    X(betas)                     \
    X(alpha)                     \
    X(rho)                       \
    X(centered)                  \
    X(eps)                       \
    X(amsgrad)                   \
    X(decoupled_weight_decay)    \
    X(step)                      \
    X(momentum_buffer)           \
    X(exp_avg)                   \
    X(exp_avg_sq)                \
    X(max_exp_avg_sq)            \
    X(square_avg)                \
    X(grad_avg)                  \
    X(acc_delta)                 \
    X(state)                     \
    X(param_groups)              \
    X(_opt_called)               \
    X(_optimizer_step_pre_hooks) \
    X(_optimizer_step_post_hooks)

// Names of options, states and attributes, as Python's texts.
struct Names {
#define PELLUCID_NAME(name) PyObject* name = PyUnicode_InternFromString(#name);
    PELLUCID_OPTIONS(PELLUCID_NAME)
#undef PELLUCID_NAME
    PyObject* methods[kNames];
    PyObject* hash = PyUnicode_InternFromString("__hash__");

    Names() {
        for (int i = 0; i < kNames; ++i) methods[i] = PyUnicode_InternFromString(kMethods[i]);
    }
};

const Names& names() {
    static const Names* const made = new Names;  // never freed, as at exit
    return *made;
}

// A class whose steps are made here.
struct Known {
    Ref type, name, found[kNames];
    Rule rule;
};

struct Knowledge {
    std::deque<Known> classes;      // which stay where they are when there are more
    Ref detail;                     // describes a parameter when it is called
    Ref hooks_before, hooks_after;  // of all optimizers
};

Knowledge& knowledge() {
    static Knowledge* const made = new Knowledge;
    return *made;
}

// What a class has under a name, borrowed; null, without an error, if it has nothing.
PyObject* of_class(PyTypeObject* type, PyObject* name) { return _PyType_Lookup(type, name); }

// An object's own attributes; empty, without an error, if it keeps them in an unusual way.
Ref attributes_of(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    if (type->tp_getattro != PyObject_GenericGetAttr ||
        type->tp_setattro != PyObject_GenericSetAttr) {
        return Ref();
    }
    Ref found(PyObject_GenericGetDict(object, nullptr));
    if (!found) PyErr_Clear();
    return found && PyDict_CheckExact(found.get()) ? std::move(found) : Ref();
}

// What a dictionary has under a name; empty, without an error, if it has nothing.
Ref item(PyObject* dictionary, PyObject* name) {
    Ref found = Ref::borrowed(PyDict_GetItemWithError(dictionary, name));
    if (!found) PyErr_Clear();
    return found;
}

const Known* known_class(PyObject* optimizer, PyObject* attributes) {
    const Names& all = names();
    for (const Known& each : knowledge().classes) {
        if (each.type.get() != reinterpret_cast<PyObject*>(Py_TYPE(optimizer))) continue;
        for (int i = 0; i < kNames; ++i) {
            if (of_class(Py_TYPE(optimizer), all.methods[i]) != each.found[i].get()) return nullptr;
            const bool is_data = i >= kNames - kDataNames;
            if (!is_data && item(attributes, all.methods[i])) return nullptr;
        }
        return &each;
    }
    return nullptr;
}

bool read_option(PyObject* group, PyObject* name, double* value) {
    const Ref found = item(group, name);
    if (!found || !(PyFloat_CheckExact(found.get()) || PyLong_CheckExact(found.get())))
        return false;
    const bool read = read_number(found.get(), value);
    if (!read) PyErr_Clear();
    return read;
}

bool read_flag(PyObject* group, PyObject* name, bool* value) {
    const Ref found = item(group, name);
    *value = found.get() == Py_True;
    return *value || found.get() == Py_False;
}

// Whether a name is not there, or is None or False.
bool is_off(PyObject* group, PyObject* name) {
    const Ref found = item(group, name);
    return !found || found.get() == Py_None || found.get() == Py_False;
}

// Visits the groups of an optimizer with their numbers and lists of parameters; false where one is
// unusual, or where a visit is.
template <class Visit>
bool each_group(PyObject* attributes, const Visit& visit) {
    const Ref groups = item(attributes, names().param_groups);
    if (!groups || !PyList_CheckExact(groups.get())) return false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(groups.get()); ++i) {
        const Ref group = Ref::borrowed(PyList_GET_ITEM(groups.get(), i));
        if (!PyDict_CheckExact(group.get())) return false;
        const Ref params = item(group.get(), names().params);
        if (!params || !PyList_CheckExact(params.get()) || !visit(group.get(), i, params.get())) {
            return false;
        }
    }
    return true;
}

struct Options {
    double lr, momentum = 0, dampening = 0, weight_decay, beta1, beta2, alpha, rho, eps;
    bool maximize, nesterov = false, amsgrad, centered, decoupled = false;

    bool read(PyObject* group, Rule rule) {
        const Names& all = names();
        if (!read_option(group, all.lr, &lr) ||
            !read_option(group, all.weight_decay, &weight_decay) ||
            !read_flag(group, all.maximize, &maximize) || !is_off(group, all.differentiable)) {
            return false;
        }
        switch (rule) {
            case Rule::sgd: return read_sgd(group);
            case Rule::adam: return read_adam(group);
            case Rule::rmsprop: return read_rmsprop(group);
            default: return read_option(group, all.rho, &rho) && read_option(group, all.eps, &eps);
        }
    }

    // How often PyTorch's step writes to a parameter.
    int writes() const { return decoupled && weight_decay != 0 ? 2 : 1; }

  private:
    bool read_sgd(PyObject* group) {
        const Names& all = names();
        return read_option(group, all.momentum, &momentum) &&
               read_option(group, all.dampening, &dampening) &&
               read_flag(group, all.nesterov, &nesterov) &&
               is_off(group, all.decoupled_weight_decay);
    }

    bool read_rmsprop(PyObject* group) {
        const Names& all = names();
        return read_option(group, all.momentum, &momentum) &&
               read_option(group, all.alpha, &alpha) && read_option(group, all.eps, &eps) &&
               read_flag(group, all.centered, &centered);
    }

    bool read_adam(PyObject* group) {
        const Names& all = names();
        const Ref betas = item(group, all.betas);
        if (!betas || !PyTuple_CheckExact(betas.get()) || PyTuple_GET_SIZE(betas.get()) != 2) {
            return false;
        }
        PyObject* first = PyTuple_GET_ITEM(betas.get(), 0);   // held by the tuple
        PyObject* second = PyTuple_GET_ITEM(betas.get(), 1);  // held by the tuple
        if (!PyFloat_CheckExact(first) || !PyFloat_CheckExact(second)) return false;
        beta1 = PyFloat_AS_DOUBLE(first);
        beta2 = PyFloat_AS_DOUBLE(second);
        const bool usual = 0 <= beta1 && beta1 < 1 && 0 <= beta2 && beta2 < 1;
        return usual && read_option(group, all.eps, &eps) &&
               read_flag(group, all.amsgrad, &amsgrad) &&
               read_flag(group, all.decoupled_weight_decay, &decoupled);
    }
};

// A number that stands alone in an array, which is counted up.
class Counter {
  public:
    bool read(PyObject* tensor) {
        array_ = Ref::borrowed(array_of(tensor));
        if (!array_) return false;
        const int type = PyArray_TYPE(array_.array());
        return PyArray_NDIM(array_.array()) == 0 && PyArray_ISCARRAY(array_.array()) &&
               (type == NPY_FLOAT || type == NPY_DOUBLE) && now() >= 0;
    }

    double now() const { return is_single() ? *array_.data<float>() : *array_.data<double>(); }

    double next() {
        const double count = now() + 1;
        if (is_single()) *array_.data<float>() = static_cast<float>(count);
        else *array_.data<double>() = count;
        return count;
    }

  private:
    Ref array_;
    bool is_single() const { return PyArray_TYPE(array_.array()) == NPY_FLOAT; }
};

// A parameter that is changed, with all that its step needs. What the jobs point to is held.
struct Update {
    Ref param, array, gradient, held[3];
    Py_ssize_t position;
    Precision precision;
    SgdJob sgd{};
    AdamJob adam{};
    RmspropJob rmsprop{};
    AdadeltaJob adadelta{};
    Counter counter;
};

struct GroupStep {
    Options options;
    Py_ssize_t number;
    std::vector<Update> updates;
};

// The entry of a parameter in the optimizer's state; empty, without an error, if there is none, or
// if it is unusual.
Ref state_of(PyObject* states, PyObject* param) {
    static PyObject* const usual_hash = of_class(layout.tensor_class, names().hash);
    const auto address = reinterpret_cast<std::uintptr_t>(param);
    if (of_class(Py_TYPE(param), names().hash) != usual_hash || address >> 60 != 0) return Ref();
    PyObject* found = _PyDict_GetItem_KnownHash(states, param, static_cast<Py_hash_t>(address));
    Ref held = Ref::borrowed(found);
    if (!held) PyErr_Clear();
    return held && PyDict_CheckExact(held.get()) ? std::move(held) : Ref();
}

// Whether a tensor keeps its memory's storage, if it has one, as most do.
bool has_usual_storage(PyObject* tensor) {
    if (array_of(tensor) == nullptr) return false;
    PyObject* storage = slot(tensor, layout.tensor.storage);
    return storage == Py_None || Py_IS_TYPE(storage, layout.storage_class);
}

// Notes that a step has changed a parameter, if it has a storage; `detail` makes what describes it.
// False with an error.
bool note_changed(PyObject* param, Py_ssize_t place, PyObject* group, PyObject* name,
                  PyObject* code, PyObject* lasti, PyObject* detail) {
    const Ref storage = Ref::borrowed(slot(param, layout.tensor.storage));
    const Ref held = Ref::borrowed(array_of(param));
    if (storage.get() == Py_None || !held) return true;
    const Ref position(PyLong_FromSsize_t(place));
    const Ref shape(
        PyArray_IntTupleFromIntp(PyArray_NDIM(held.array()), PyArray_DIMS(held.array())));
    if (!position || !shape) return false;
    PyObject* dtype = reinterpret_cast<PyObject*>(PyArray_DESCR(held.array()));
    PyObject* given[] = {position.get(), group, shape.get(), dtype};
    const Ref text(PyObject_Vectorcall(detail, given, 4, nullptr));
    return text && add_change(storage.get(), name, code, lasti, text.get());
}

class Step {
  public:
    Step(PyObject* optimizer, PyObject* code, PyObject* lasti)
        : optimizer_(optimizer), code_(code), lasti_(lasti) {}

    // Whether all of the step is usual; writes nothing.
    bool read() {
        const Ref attributes = attributes_of(optimizer_);
        if (!attributes) return false;
        known_ = known_class(optimizer_, attributes.get());
        if (known_ == nullptr) return false;
        states_ = item(attributes.get(), names().state);
        if (!states_ || !PyDict_Check(states_.get())) return false;
        return each_group(attributes.get(),
                          [&](PyObject* group, Py_ssize_t number, PyObject* params) {
                              return read_group(group, number, params);
                          });
    }

    // Changes the parameters; false with an error.
    bool run() {
        for (GroupStep& each : steps_) {
            if (!run_group(&each)) return false;
        }
        return true;
    }

  private:
    PyObject *optimizer_, *code_, *lasti_;  // held by the caller
    const Known* known_ = nullptr;
    Ref states_;
    std::vector<GroupStep> steps_;

    bool read_group(PyObject* group, Py_ssize_t number, PyObject* params) {
        GroupStep step;
        step.number = number;
        step.updates.reserve(PyList_GET_SIZE(params));
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(params); ++i) {
            const Ref param = Ref::borrowed(PyList_GET_ITEM(params, i));
            if (!has_usual_storage(param.get())) return false;
            const Ref gradient = Ref::borrowed(slot(param.get(), layout.tensor.grad));
            if (gradient.get() == Py_None) continue;
            if (step.updates.empty() && !step.options.read(group, known_->rule)) return false;
            step.updates.emplace_back();
            step.updates.back().position = i;
            if (!read_update(param.get(), gradient.get(), step.options, &step.updates.back())) {
                return false;
            }
        }
        if (!step.updates.empty()) steps_.push_back(std::move(step));
        return true;
    }

    bool read_update(PyObject* param, PyObject* gradient, const Options& options, Update* update) {
        if (!Py_IS_TYPE(gradient, layout.tensor_class)) return false;
        update->param = Ref::borrowed(param);
        update->array = Ref::borrowed(array_of(param));
        update->gradient = Ref::borrowed(array_of(gradient));
        if (!update->gradient) return false;
        switch (known_->rule) {
            case Rule::sgd: return read_sgd(options, update);
            case Rule::adam: return read_adam(options, update);
            case Rule::rmsprop: return read_rmsprop(options, update);
            default: return read_adadelta(options, update);
        }
    }

    bool read_sgd(const Options& options, Update* update) {
        if (options.momentum != 0 && !read_state(update, names().momentum_buffer, 0)) return false;
        PyObject* const buffer = update->held[0] ? update->held[0].get() : Py_None;
        PyObject* const arrays[] = {update->array.get(), update->gradient.get(), buffer};
        SgdJob& job = update->sgd;
        job.lr = options.lr;
        job.momentum = options.momentum;
        job.dampening = options.dampening;
        job.decay = options.weight_decay;
        job.sign = options.maximize ? -1.0 : 1.0;
        job.nesterov = options.nesterov;
        return read_arrays(arrays, &update->precision, &job, {}, {&job.momentum_buffer});
    }

    bool read_adam(const Options& options, Update* update) {
        const Names& all = names();
        if (!read_state(update, all.exp_avg, 0) || !read_state(update, all.exp_avg_sq, 1) ||
            (options.amsgrad && !read_state(update, all.max_exp_avg_sq, 2))) {
            return false;
        }
        if (!read_count(update)) return false;
        PyObject* const largest = options.amsgrad ? update->held[2].get() : Py_None;
        PyObject* const arrays[] = {update->array.get(), update->gradient.get(),
                                    update->held[0].get(), update->held[1].get(), largest};
        AdamJob& job = update->adam;
        job.beta1 = options.beta1;
        job.beta2 = options.beta2;
        job.eps = options.eps;
        job.decay = options.decoupled ? 0.0 : options.weight_decay;
        job.shrink = options.decoupled ? 1 - options.lr * options.weight_decay : 1.0;
        job.sign = options.maximize ? -1.0 : 1.0;
        return read_arrays(arrays, &update->precision, &job, {&job.mean, &job.square},
                           {&job.largest});
    }

    bool read_rmsprop(const Options& options, Update* update) {
        const Names& all = names();
        const bool has_buffer = options.momentum > 0;
        if (!read_state(update, all.square_avg, 0) ||
            (options.centered && !read_state(update, all.grad_avg, 1)) ||
            (has_buffer && !read_state(update, all.momentum_buffer, 2)) || !read_count(update)) {
            return false;
        }
        PyObject* const mean = options.centered ? update->held[1].get() : Py_None;
        PyObject* const buffer = has_buffer ? update->held[2].get() : Py_None;
        PyObject* const arrays[] = {update->array.get(), update->gradient.get(),
                                    update->held[0].get(), mean, buffer};
        RmspropJob& job = update->rmsprop;
        job.lr = options.lr;
        job.alpha = options.alpha;
        job.eps = options.eps;
        job.momentum = options.momentum;
        job.decay = options.weight_decay;
        job.sign = options.maximize ? -1.0 : 1.0;
        return read_arrays(arrays, &update->precision, &job, {&job.square},
                           {&job.mean, &job.momentum_buffer});
    }

    bool read_adadelta(const Options& options, Update* update) {
        const Names& all = names();
        if (!read_state(update, all.square_avg, 0) || !read_state(update, all.acc_delta, 1) ||
            !read_count(update)) {
            return false;
        }
        PyObject* const arrays[] = {update->array.get(), update->gradient.get(),
                                    update->held[0].get(), update->held[1].get()};
        AdadeltaJob& job = update->adadelta;
        job.lr = options.lr;
        job.rho = options.rho;
        job.eps = options.eps;
        job.decay = options.weight_decay;
        job.sign = options.maximize ? -1.0 : 1.0;
        return read_arrays(arrays, &update->precision, &job, {&job.square, &job.steps}, {});
    }

    bool read_count(Update* update) const {
        const Ref state = state_of(states_.get(), update->param.get());
        const Ref count = state ? item(state.get(), names().step) : Ref();
        return count && update->counter.read(count.get());
    }

    // Holds the array of a parameter's state.
    bool read_state(Update* update, PyObject* name, int place) {
        const Ref state = state_of(states_.get(), update->param.get());
        const Ref tensor = state ? item(state.get(), name) : Ref();
        update->held[place] = Ref::borrowed(tensor ? array_of(tensor.get()) : nullptr);
        return static_cast<bool>(update->held[place]);
    }

    bool run_group(GroupStep* step) {
        const Options& options = step->options;
        if (known_->rule != Rule::sgd) {
            for (Update& each : step->updates) {  // all are counted before any is changed
                const double count = each.counter.next();
                if (known_->rule != Rule::adam) continue;
                each.adam.step = options.lr / (1 - std::pow(options.beta1, count));
                each.adam.root = std::sqrt(1 - std::pow(options.beta2, count));
            }
        }
        for (const Update& each : step->updates) {
            if (!run_update(each)) return false;
        }
        for (int i = options.writes(); i-- > 0;) {
            for (const Update& each : step->updates) {
                if (!note(each, step->number)) return false;
            }
        }
        return true;
    }

    bool run_update(const Update& each) const {
        switch (known_->rule) {
            case Rule::sgd: return run_step(each.sgd, kernels().sgd_piece[each.precision]);
            case Rule::adam: return run_step(each.adam, kernels().adam_piece[each.precision]);
            case Rule::rmsprop:
                return run_step(each.rmsprop, kernels().rmsprop_piece[each.precision]);
            default: return run_step(each.adadelta, kernels().adadelta_piece[each.precision]);
        }
    }

    bool note(const Update& update, Py_ssize_t number) const {
        const Ref group(PyLong_FromSsize_t(number));
        const Ref detail = Ref::borrowed(knowledge().detail.get());
        return group && note_changed(update.param.get(), update.position, group.get(),
                                     known_->name.get(), code_, lasti_, detail.get());
    }
};

bool is_weakly_referenced(PyObject* object) {
    const Py_ssize_t offset = Py_TYPE(object)->tp_weaklistoffset;
    return offset > 0 && slot(object, offset) != nullptr;
}

// Whether nothing but memory is given back when an array ends. Who else holds it is not asked:
// several gradients that end may be all who do.
bool ends_silently(PyObject* object) {
    if (!PyArray_CheckExact(object) || is_weakly_referenced(object)) return false;
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(object);
    PyObject* base = PyArray_BASE(array);  // held by the array
    return !PyDataType_REFCHK(PyArray_DESCR(array)) && (base == nullptr || ends_silently(base));
}

bool gradient_ends_silently(PyObject* gradient) {
    const TensorSlots& at = layout.tensor;
    if (!Py_IS_TYPE(gradient, layout.tensor_class) || array_of(gradient) == nullptr) return false;
    PyObject** attributes = _PyObject_GetDictPtr(gradient);
    if (is_weakly_referenced(gradient) || (attributes != nullptr && *attributes != nullptr)) {
        return false;
    }
    return slot(gradient, at.edge) == Py_None && slot(gradient, at.extra) == Py_None &&
           slot(gradient, at.grad) == Py_None && slot(gradient, at.view) == Py_None &&
           ends_silently(slot(gradient, at.array));
}

bool is_without_entries(PyObject* hooks) {
    return hooks == nullptr || (PyDict_Check(hooks) && PyDict_GET_SIZE(hooks) == 0);
}

// note_step(params, gradients, number, op, code, lasti, detail): does what `Optimizer.note_step`
// does, or returns NotImplemented, having done nothing.
PyObject* note_step(PyObject*, PyObject* const* args, Py_ssize_t count) {
    if (!layout.ready || count != 7 || !PyList_CheckExact(args[0]) || !PyList_CheckExact(args[1])) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    PyObject *params = args[0], *gradients = args[1];
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(params); ++i) {
        if (!has_usual_storage(PyList_GET_ITEM(params, i))) Py_RETURN_NOTIMPLEMENTED;
    }
    for (Py_ssize_t i = 0; i < std::min(PyList_GET_SIZE(params), PyList_GET_SIZE(gradients)); ++i) {
        const Ref param = Ref::borrowed(PyList_GET_ITEM(params, i));
        if (PyList_GET_ITEM(gradients, i) != Py_None &&
            !note_changed(param.get(), i, args[2], args[3], args[4], args[5], args[6])) {
            return nullptr;
        }
    }
    Py_RETURN_NONE;
}

// usual_updates(params): does what `Optimizer._updates` does, or returns NotImplemented where there
// is a gradient that is no plain tensor, or of another shape than its parameter.
PyObject* usual_updates(PyObject*, PyObject* const* args, Py_ssize_t count) {
    if (!layout.ready || count != 1 || !PyList_CheckExact(args[0])) Py_RETURN_NOTIMPLEMENTED;
    Ref gradients(PyList_New(0)), updated(PyList_New(0));
    if (!gradients || !updated) return nullptr;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(args[0]); ++i) {
        const Ref param = Ref::borrowed(PyList_GET_ITEM(args[0], i));
        const Ref array = Ref::borrowed(array_of(param.get()));
        if (!array) Py_RETURN_NOTIMPLEMENTED;
        const Ref gradient = Ref::borrowed(slot(param.get(), layout.tensor.grad));
        if (PyList_Append(gradients.get(), gradient.get()) != 0) return nullptr;
        if (gradient.get() == Py_None) continue;
        if (!Py_IS_TYPE(gradient.get(), layout.tensor_class)) Py_RETURN_NOTIMPLEMENTED;
        const Ref added = Ref::borrowed(array_of(gradient.get()));
        if (!added || !PyArray_SAMESHAPE(array.array(), added.array())) Py_RETURN_NOTIMPLEMENTED;
        const Ref pair(PyTuple_Pack(2, param.get(), gradient.get()));
        if (!pair || PyList_Append(updated.get(), pair.get()) != 0) return nullptr;
    }
    if (PyList_GET_SIZE(updated.get()) == 0) Py_RETURN_NONE;
    return PyTuple_Pack(2, gradients.get(), updated.get());
}

// step_usually(optimizer, code, lasti): whether it did what `Optimizer.step` does
PyObject* try_step(PyObject*, PyObject* const* args, Py_ssize_t count) {
    if (!layout.ready || count != 3) Py_RETURN_FALSE;
    const Outcome outcome = step_usually(args[0], args[1], args[2]);
    if (outcome == Outcome::failed) return nullptr;
    return PyBool_FromLong(outcome == Outcome::done);
}

// take_steps(class, rule, detail, hooks_before, hooks_after): makes the steps of a class from now
// on, by a rule of this name
PyObject* take_steps(PyObject*, PyObject* args) {
    PyObject *type, *detail, *before, *after;
    const char* rule;
    if (!PyArg_ParseTuple(args, "O!sOO!O!", &PyType_Type, &type, &rule, &detail, &PyDict_Type,
                          &before, &PyDict_Type, &after)) {
        return nullptr;
    }
    Known made;
    made.type = Ref::borrowed(type);
    const auto found = std::find_if(std::begin(kRules), std::end(kRules),
                                    [&](const char* each) { return std::strcmp(each, rule) == 0; });
    if (found == std::end(kRules)) {
        PyErr_SetString(PyExc_ValueError, "take_steps() takes the name of a rule that it knows");
        return nullptr;
    }
    made.rule = static_cast<Rule>(found - kRules);
    made.name =
        Ref(PyUnicode_FromFormat("%s.step", reinterpret_cast<PyTypeObject*>(type)->tp_name));
    if (!made.name) return nullptr;
    for (int i = 0; i < kNames; ++i) {
        PyObject* found = of_class(reinterpret_cast<PyTypeObject*>(type), names().methods[i]);
        made.found[i] = Ref::borrowed(found);
    }
    Knowledge& all = knowledge();
    all.classes.push_back(std::move(made));
    all.detail = Ref::borrowed(detail);
    all.hooks_before = Ref::borrowed(before);
    all.hooks_after = Ref::borrowed(after);
    Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"note_step", fast<note_step>(), METH_FASTCALL,
     "Count the changes of parameters by an optimizer, unless there is anything unusual."},
    {"usual_updates", fast<usual_updates>(), METH_FASTCALL,
     "Return the gradients of parameters, and those with one, unless there is anything unusual."},
    {"step_usually", fast<try_step>(), METH_FASTCALL,
     "Make a step of an optimizer, unless there is anything unusual; return whether it is done."},
    {"take_steps", entry<take_steps>, METH_VARARGS,
     "Make the usual steps of a class of optimizers here."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

Outcome step_usually(PyObject* optimizer, PyObject* code, PyObject* lasti) {
    Step step(optimizer, code, lasti);
    if (!step.read()) return Outcome::left_to_python;
    return step.run() ? Outcome::done : Outcome::failed;
}

bool has_no_step_hooks(PyObject* optimizer) {
    const Ref attributes = attributes_of(optimizer);
    const Knowledge& all = knowledge();
    return attributes && is_without_entries(all.hooks_before.get()) &&
           is_without_entries(all.hooks_after.get()) &&
           is_without_entries(item(attributes.get(), names()._optimizer_step_pre_hooks).get()) &&
           is_without_entries(item(attributes.get(), names()._optimizer_step_post_hooks).get());
}

bool note_that_stepped(PyObject* optimizer) {
    const Ref attributes = attributes_of(optimizer);
    return attributes && PyDict_SetItem(attributes.get(), names()._opt_called, Py_True) == 0;
}

bool find_gradients(PyObject* optimizer, std::vector<Ref>* params) {
    const Ref attributes = attributes_of(optimizer);
    if (!attributes || of_class(Py_TYPE(optimizer), names().param_groups) != nullptr) return false;
    return each_group(attributes.get(), [&](PyObject*, Py_ssize_t, PyObject* held) {
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(held); ++i) {
            const Ref param = Ref::borrowed(PyList_GET_ITEM(held, i));
            if (array_of(param.get()) == nullptr) return false;
            PyObject* gradient = slot(param.get(), layout.tensor.grad);
            if (gradient == Py_None) continue;
            if (!gradient_ends_silently(gradient)) return false;
            params->push_back(Ref::borrowed(param.get()));
        }
        return true;
    });
}

bool add_optimizing(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace pellucid
