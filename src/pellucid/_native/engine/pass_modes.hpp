// What Python code finds while a backward pass runs it: the task that runs and its modes.
#pragma once

#include "objects/reference.hpp"

namespace pellucid {

// How many references to a gradient there are while a function of Python's is called with it.
constexpr int kHolders = 2;

// The task and the modes of a pass, and NumPy's silence about special values, made when Python code
// is called first.
class PassModes {
  public:
    PassModes() = default;
    PassModes(const PassModes&) = delete;
    PassModes& operator=(const PassModes&) = delete;

    // Enters them for a pass over nodes and leaves, with the gradients that have arrived; does
    // nothing where it has been done. False with an error.
    bool begin(PyObject* nodes, PyObject* leaves, PyObject* run, PyObject* keep, PyObject* buffers);

    // The task, which this holds; null before it begins.
    PyObject* task() const;

    // Puts everything back; runs what was queued for the end of the pass if it has gone well.
    bool end(bool well);

  private:
    // Leaves a block that `begin_pass` has entered, whatever error there is and though there be no
    // memory: nothing is made for the call.
    void leave(Py_ssize_t place);

    Ref before_;
};

// Adds the line of a node, or of none, to an error that Python may handle.
void name_line(PyObject* node);

}  // namespace pellucid
