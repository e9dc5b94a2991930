// Steps of optimizers, and what takes gradients away, without Python code.
#pragma once

#include <vector>

#include "objects/outcome.hpp"
#include "objects/reference.hpp"

namespace pellucid {

// Does what `Optimizer.step` does without a closure, beside its hooks. `code` and `lasti` are the
// user's line.
Outcome step_usually(PyObject* optimizer, PyObject* code, PyObject* lasti);

// Whether a step would call no hook.
bool has_no_step_hooks(PyObject* optimizer);

// Notes that there was a step, as schedules ask; false with an error.
bool note_that_stepped(PyObject* optimizer);

// Finds the parameters that have gradients to be taken away by `Optimizer.zero_grad`; false,
// without an error, where that might run code of the program's, as finalizers of gradients.
bool find_gradients(PyObject* optimizer, std::vector<Ref>* params);

// Adds `note_step`, `usual_updates`, `step_usually` and `take_steps` to the module; false with an
// error.
bool add_optimizing(PyObject* module);

}  // namespace pellucid
