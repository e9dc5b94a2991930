// The ops that a function calls, remembered: a function that is declared to call the same ops for
// tensors of the same sizes, strides and dtypes and for equal other arguments runs once in Python;
// later calls with arguments alike call these ops at once. See
// `pellucid.core.call.compiled.replayable`.
#pragma once

#include "objects/reference.hpp"

#include <memory>

namespace pellucid {

struct Routes;  // of one function

// The routes of a function, which are none yet.
std::shared_ptr<Routes> make_routes();

// Calls the ops that are known for such arguments; null without an error where there are none.
PyObject* follow(Routes& routes, PyObject* const* args, Py_ssize_t count, PyObject* names);

// Calls a function and remembers the ops that it calls, where no more than that is needed.
PyObject* call_and_remember(Routes& routes, PyObject* function, PyObject* const* args, size_t flags,
                            PyObject* names);

// Lets the calls that are running now not be remembered.
void remember_nothing();

// Appends the calls of ops that this thread makes to a list from now on, as `(op, arguments, names,
// result)`, tensors that a function makes anew as `(function, arguments, tensor)`, and False for
// what may not be made again as it was; to none if that is null.
void list_calls(PyObject* list);

// Whether calls of this thread are listed.
bool are_calls_listed();

// While one lives, calls of this thread are not listed by themselves.
class ListingPaused {
  public:
    ListingPaused();
    ~ListingPaused();
    ListingPaused(const ListingPaused&) = delete;
    ListingPaused& operator=(const ListingPaused&) = delete;

  private:
    PyObject* list_;  // owned by the thread
};

// Lists a tensor that is the same in each run, if calls are listed.
void list_constant(PyObject* tensor);

// Lists a tensor that a function makes anew in each run, if calls are listed.
void list_made(PyObject* tensor, PyObject* function, PyObject* const* args, Py_ssize_t count);

// Lists that something may not be made again as it was, if calls are listed.
void list_nothing();

// How many look at each call of an op now, in all threads: functions whose calls are being
// remembered, and counting.
extern int watched_calls;

// While one lives, ops that are called are part of another call, and not noted by themselves.
class RoutesPaused {
  public:
    RoutesPaused() {
        if (watched_calls != 0) interrupt();
    }
    ~RoutesPaused() {
        if (notes_ != nullptr || list_ != nullptr) go_on();
    }
    RoutesPaused(const RoutesPaused&) = delete;
    RoutesPaused& operator=(const RoutesPaused&) = delete;

    // Notes a call of an op, if a function's are being remembered, or calls are listed.
    void note(PyObject* op, PyObject* const* args, Py_ssize_t count, PyObject* names,
              PyObject* result) const {
        if (notes_ != nullptr || list_ != nullptr) add(op, args, count, names, result);
    }

  private:
    void interrupt();
    void go_on() const;
    void add(PyObject* op, PyObject* const* args, Py_ssize_t count, PyObject* names,
             PyObject* result) const;

    struct Notes* notes_ = nullptr;
    PyObject* list_ = nullptr;  // owned by the thread that the calls are made in
};

}  // namespace pellucid
