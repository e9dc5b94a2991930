// The way back through ops whose results are parts of one another: those that join tensors, and
// those that take one apart. Nothing is computed, so nothing is written down for them.
#pragma once

#include "engine/program.hpp"
#include "objects/shaping.hpp"

namespace pellucid {

// Gives each tensor that was joined its part of the gradient, as the formulas of `cat` and `stack`
// do.
Outcome take_apart(Joining how, PyObject* params, PyObject* edges, PyArrayObject* g, Ref* several);

// Puts the gradients of the views that a function made of a tensor where these lie in it, as the
// formulas of `split` and `unbind` do; there are zeros where none has arrived.
Outcome put_together(ViewMaker make_views, PyObject* params, PyObject* edges, PyObject* g,
                     Gradients* gradients);

}  // namespace pellucid
