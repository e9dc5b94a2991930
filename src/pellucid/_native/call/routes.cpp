#include "call/routes.hpp"

#include "call/alike.hpp"

#include <algorithm>
#include <vector>

namespace pellucid {

namespace {

constexpr size_t kMostRoutes = 8, kMostForgotten = 256, kMostSteps = 24, kMostGiven = 16;

Py_ssize_t count_of(PyObject* names) { return names == nullptr ? 0 : PyTuple_GET_SIZE(names); }

// Where a value comes from: a constant, an argument, what a step gives, or an item of that.
struct Source {
    Ref constant;
    Py_ssize_t step = -1, item = -1;  // without a step, the argument of this number

    PyObject* of(PyObject* const* args, const Ref* results) const {
        if (constant) return constant.get();
        if (step < 0) return args[item];
        return item < 0 ? results[step].get() : PyTuple_GET_ITEM(results[step].get(), item);
    }
};

// The node that made a result, a borrowed reference; null for what has none.
PyObject* node_of(PyObject* result) {
    if (array_of(result) == nullptr) return nullptr;
    PyObject* edge = slot(result, layout.tensor.edge);
    return edge == nullptr || edge == Py_None ? nullptr : PyTuple_GET_ITEM(edge, 0);
}

PyTypeObject* class_of(PyObject* node) { return node == nullptr ? nullptr : Py_TYPE(node); }

struct Step {
    Ref op, names;
    std::vector<Source> given;
    // the class that the op gave the result's node, and the one that it was given then, if it was
    PyTypeObject* made = nullptr;
    Ref shown;

    void show(PyObject* node) const {
        if (node == nullptr || Py_TYPE(node) != made) return;
        Py_SET_TYPE(node, reinterpret_cast<PyTypeObject*>(Py_NewRef(shown.get())));
        Py_DECREF(made);
    }
};

struct Route {
    std::vector<Alike> arguments;
    Ref names;
    bool requires_grad = false, with_grad = false;  // whether an argument does, and the mode
    std::vector<Step> steps;
    Source result;

    bool fits(PyObject* const* args, Py_ssize_t count, PyObject* given_names) const {
        if (count + count_of(given_names) != static_cast<Py_ssize_t>(arguments.size()))
            return false;
        if (count_of(names.get()) != count_of(given_names)) return false;
        for (Py_ssize_t i = 0; i < count_of(given_names); ++i) {
            if (!are_same(PyTuple_GET_ITEM(names.get(), i), PyTuple_GET_ITEM(given_names, i)))
                return false;
        }
        for (size_t i = 0; i < arguments.size(); ++i) {
            if (!arguments[i].fits(args, i)) return false;
        }
        return !requires_grad || with_grad == grad_enabled();
    }

    PyObject* follow(PyObject* const* args) const {
        Ref results[kMostSteps];
        PyObject* values[1 + kMostGiven];  // room in front, as the calling convention asks for
        for (size_t i = 0; i < steps.size(); ++i) {
            const Step& step = steps[i];
            const size_t named = count_of(step.names.get());
            for (size_t k = 0; k < step.given.size(); ++k)
                values[1 + k] = step.given[k].of(args, results);
            results[i] = Ref(PyObject_Vectorcall(
                step.op.get(), values + 1,
                (step.given.size() - named) | PY_VECTORCALL_ARGUMENTS_OFFSET, step.names.get()));
            if (!results[i]) return nullptr;
            if (step.shown) step.show(node_of(results[i].get()));
        }
        return Py_NewRef(result.of(args, results));
    }
};

}  // namespace

struct Routes {
    std::vector<std::shared_ptr<const Route>> known;
    size_t next = 0;  // which is forgotten when there are too many
};

// A route while its function runs.
struct Notes {
    Route route;
    PyObject* const* args;
    Notes* outer;  // those of the function that called this one
    std::vector<Ref> results;
    bool given_up = false;

    // Where a value comes from; false if that is not known.
    bool find(PyObject* value, Source* source) const {
        const auto count = static_cast<Py_ssize_t>(route.arguments.size());
        for (Py_ssize_t i = 0; i < count; ++i) {
            if (args[i] == value && !route.arguments[i].constant) return source->item = i, true;
        }
        for (size_t step = 0; step < results.size(); ++step) {
            PyObject* result = results[step].get();
            source->step = step;
            source->item = -1;
            if (result == value) return true;
            const Py_ssize_t items = PyTuple_Check(result) ? PyTuple_GET_SIZE(result) : 0;
            for (Py_ssize_t k = 0; k < items; ++k) {
                if (PyTuple_GET_ITEM(result, k) == value) return source->item = k, true;
            }
        }
        if (!is_constant(value)) return false;
        source->constant = Ref::borrowed(value);
        return true;
    }

    void add(PyObject* op, PyObject* const* given, Py_ssize_t count, PyObject* names,
             PyObject* result) {
        const Py_ssize_t all = count + count_of(names);
        if (given_up) return;
        given_up = true;  // if there is no memory, too
        if (result == nullptr || results.size() == kMostSteps ||
            all > static_cast<Py_ssize_t>(kMostGiven)) {
            return;
        }
        Step step;
        for (Py_ssize_t i = 0; i < all; ++i) {
            Source source;
            if (!find(given[i], &source)) return;
            step.given.push_back(std::move(source));
        }
        step.op = Ref::borrowed(op);
        step.names = Ref::borrowed(names);
        step.made = class_of(node_of(result));
        route.steps.push_back(std::move(step));
        results.push_back(Ref::borrowed(result));
        given_up = false;
    }

    // Notes what nodes have been shown as since ops made them.
    void add_shown() {
        for (size_t i = 0; i < results.size(); ++i) {
            PyTypeObject* shown = class_of(node_of(results[i].get()));
            if (shown == route.steps[i].made) continue;
            route.steps[i].shown = Ref::borrowed(reinterpret_cast<PyObject*>(shown));
        }
    }
};

namespace {

thread_local Notes* taking_notes = nullptr;

// Where the calls of this thread are listed as they are, with their results, or null; owned.
thread_local PyObject* call_list = nullptr;

// Lists a call; False in place of one that failed. An error that is set stays.
void list_call(PyObject* list, PyObject* op, PyObject* const* args, Py_ssize_t count,
               PyObject* names, PyObject* result) {
    const Ref held = Ref::borrowed(list);
    PyObject *kind, *error, *trace;
    PyErr_Fetch(&kind, &error, &trace);
    const Py_ssize_t all = count + count_of(names);
    Ref given(PyTuple_New(all));
    for (Py_ssize_t i = 0; given && i < all; ++i) {
        PyTuple_SET_ITEM(given.get(), i, Py_NewRef(args[i]));
    }
    Ref call(given && result != nullptr
                 ? PyTuple_Pack(4, op, given.get(), names == nullptr ? Py_None : names, result)
                 : nullptr);
    if (PyList_Append(held.get(), call ? call.get() : Py_False) < 0) PyErr_Clear();
    PyErr_Restore(kind, error, trace);
}

// Reads what arguments have in common with those that go the same route; false where none do.
bool read_arguments(PyObject* const* args, Py_ssize_t count, PyObject* names, Route* route) {
    route->with_grad = grad_enabled();
    route->names = Ref::borrowed(names);
    bool any = false;
    for (Py_ssize_t i = 0; i < count + count_of(names); ++i) {
        Alike alike;
        if (!alike.read(args, i)) return false;
        route->requires_grad = route->requires_grad || alike.requires_grad;
        any = any || !alike.constant;
        route->arguments.push_back(std::move(alike));
    }
    return any;
}

void remember(Routes& routes, Notes& notes, PyObject* result) {
    if (notes.given_up || !notes.find(result, &notes.route.result)) return;
    if (notes.route.result.constant || notes.route.result.step < 0) return;
    notes.add_shown();
    auto made = std::make_shared<const Route>(std::move(notes.route));
    if (routes.known.size() < kMostRoutes) {
        routes.known.push_back(std::move(made));
    } else {
        routes.known[routes.next++ % kMostRoutes] = std::move(made);
    }
}

}  // namespace

int watched_calls = 0;

std::shared_ptr<Routes> make_routes() { return std::make_shared<Routes>(); }

PyObject* follow(Routes& routes, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    if (routes.known.empty() || is_general() || takes_slow_path()) return nullptr;
    for (const auto& each : routes.known) {
        if (!each->fits(args, count, names)) continue;
        const std::shared_ptr<const Route> route = each;  // it may be forgotten meanwhile
        PyObject* result = route->follow(args);
        if (result == nullptr) {
            remember_nothing();
            const auto place = std::find(routes.known.begin(), routes.known.end(), route);
            if (place != routes.known.end()) routes.known.erase(place);
            if (PyErr_ExceptionMatches(PyExc_Exception)) PyErr_Clear();
        }
        return result;
    }
    return nullptr;
}

PyObject* call_and_remember(Routes& routes, PyObject* function, PyObject* const* args, size_t flags,
                            PyObject* names) {
    Notes notes;
    notes.args = args;
    // where arguments hardly ever come again, notes are not worth their time
    if (routes.next >= kMostForgotten || is_general() || takes_slow_path() ||
        !read_arguments(args, PyVectorcall_NARGS(flags), names, &notes.route)) {
        return PyObject_Vectorcall(function, args, flags, names);
    }
    notes.outer = std::exchange(taking_notes, &notes);
    ++watched_calls;
    Ref result(PyObject_Vectorcall(function, args, flags, names));
    --watched_calls;
    taking_notes = notes.outer;
    if (result) remember(routes, notes, result.get());
    return result.release();
}

void remember_nothing() {
    for (Notes* each = taking_notes; each != nullptr; each = each->outer) each->given_up = true;
    list_nothing();
}

void RoutesPaused::interrupt() {
    notes_ = std::exchange(taking_notes, nullptr);
    list_ = std::exchange(call_list, nullptr);
}

void RoutesPaused::go_on() const {
    taking_notes = notes_;
    call_list = list_;
}

void RoutesPaused::add(PyObject* op, PyObject* const* args, Py_ssize_t count, PyObject* names,
                       PyObject* result) const {
    for (Notes* each = notes_; each != nullptr; each = each->outer)
        each->add(op, args, count, names, result);
    if (list_ != nullptr) list_call(list_, op, args, count, names, result);
}

void list_calls(PyObject* list) {
    if (call_list != nullptr) --watched_calls;
    Py_XSETREF(call_list, Py_XNewRef(list));
    if (list != nullptr) ++watched_calls;
}

bool are_calls_listed() { return call_list != nullptr; }

void list_constant(PyObject* tensor) {
    if (call_list != nullptr && PyList_Append(call_list, tensor) < 0) PyErr_Clear();
}

void list_nothing() {
    if (call_list != nullptr && PyList_Append(call_list, Py_False) < 0) PyErr_Clear();
}

ListingPaused::ListingPaused() : list_(std::exchange(call_list, nullptr)) {}

ListingPaused::~ListingPaused() {
    if (list_ != nullptr) call_list = list_;
}

void list_made(PyObject* tensor, PyObject* function, PyObject* const* args, Py_ssize_t count) {
    if (call_list == nullptr) return;
    const Ref given(PyTuple_New(count));
    for (Py_ssize_t i = 0; given && i < count; ++i) {
        PyTuple_SET_ITEM(given.get(), i, Py_NewRef(args[i]));
    }
    const Ref listed(given ? PyTuple_Pack(3, function, given.get(), tensor) : nullptr);
    if (!listed || PyList_Append(call_list, listed.get()) < 0) PyErr_Clear();
}

}  // namespace pellucid
