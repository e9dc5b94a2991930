#include "call/counting.hpp"

#include <map>
#include <utility>

#include "objects/entry.hpp"

namespace pellucid {

const char* left_because = "";
const char* const kNotDescribed = "not described";
bool counting = false;

namespace {

// By what is called, which is kept alive, and the reason.
std::map<std::pair<PyObject*, const char*>, long long>& counts() {
    static auto* const all = new std::map<std::pair<PyObject*, const char*>, long long>;
    return *all;
}

// count_calls(whether): calls are watched while they are counted
PyObject* count_calls(PyObject*, PyObject* wanted) {
    const bool count = wanted == Py_True;
    if (count != counting) watched_calls += count ? 1 : -1;
    counting = count;
    Py_RETURN_NONE;
}

// counted_calls(): {(what, reason): count} since the module was loaded
PyObject* counted_calls(PyObject*, PyObject*) {
    Ref found(PyDict_New());
    for (const auto& [key, count] : counts()) {
        Ref pair(Py_BuildValue("Oz", key.first, key.second));
        Ref number(PyLong_FromLongLong(count));
        if (!found || !pair || !number ||
            PyDict_SetItem(found.get(), pair.get(), number.get()) < 0) {
            return nullptr;
        }
    }
    return found.release();
}

PyMethodDef functions[] = {
    {"count_calls", entry<count_calls>, METH_O, "Count calls from now on, or no longer."},
    {"counted_calls", entry<counted_calls>, METH_NOARGS,
     "Return how many calls there were, by what was called and why it was left to Python."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void count_one(PyObject* what, const char* why) {
    const auto made = counts().try_emplace({what, why}, 0);
    if (made.second) Py_INCREF(what);
    ++made.first->second;
}

struct WatchedCall::Watch {
    RoutesPaused routes;
    Watch* outer;
    const char* why = nullptr;
};

thread_local WatchedCall::Watch* WatchedCall::running = nullptr;

void WatchedCall::begin() {
    watch_ = new Watch;
    watch_->outer = std::exchange(running, watch_);
}

void WatchedCall::end() {
    running = watch_->outer;
    delete watch_;
}

void WatchedCall::note(PyObject* op, PyObject* const* args, Py_ssize_t count, PyObject* names,
                       PyObject* result, bool is_counted) const {
    watch_->routes.note(op, args, count, names, result);
    if (counting && is_counted) count_one(op, watch_->why);
}

void WatchedCall::note_left() {
    if (running != nullptr) running->why = left_because;
}

bool decline(const char* why) {
    left_because = why;
    return false;
}

bool add_counting(PyObject* module) {
    return PyModule_AddStringConstant(module, "not_described", kNotDescribed) == 0 &&
           PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace pellucid
