// How many calls of each op, and of each node's backward, ran compiled, and why others were left to
// Python; see `pellucid.inspect.compiled_calls`.
//
// Note [Counting]
// Who leaves something to Python says why in `left_because`: a store on a path that is about to
// call Python. Nothing else happens unless somebody counts. Calls of ops are counted where calls
// are watched anyway, see `WatchedCall`, so that the usual call looks at one number for both.
#pragma once

#include "call/routes.hpp"
#include "objects/reference.hpp"

namespace pellucid {

// Why the last call, or backward, was left to Python.
extern const char* left_because;

// Always false. Compilers keep what leads to a cold function out of the usual way.
__attribute__((cold)) bool decline(const char* why);

// An op without a description; Python knows what about it is too much.
extern const char* const kNotDescribed;

// Whether somebody counts.
extern bool counting;

// Counts one call of an op, or run of a class of nodes; compiled if there is no reason.
void count_one(PyObject* what, const char* why);

// The call of an op. If calls are watched, the functions that remember what they call do not see
// what is called inside of it, and who counts learns how it ended.
class WatchedCall {
  public:
    WatchedCall() {
        if (watched_calls != 0) begin();
    }
    ~WatchedCall() {
        if (watch_ != nullptr) end();
    }
    WatchedCall(const WatchedCall&) = delete;
    WatchedCall& operator=(const WatchedCall&) = delete;

    explicit operator bool() const { return watch_ != nullptr; }

    // Notes the call, and counts it if it is one on tensors.
    void note(PyObject* op, PyObject* const* args, Py_ssize_t count, PyObject* names,
              PyObject* result, bool is_counted) const;

    // Notes that the call that runs in this thread is left to Python.
    static void note_left();

  private:
    struct Watch;

    void begin();
    void end();

    Watch* watch_ = nullptr;

    static thread_local Watch* running;
};

// Adds `count_calls` and `counted_calls` to the module; false with an error.
bool add_counting(PyObject* module);

}  // namespace pellucid
