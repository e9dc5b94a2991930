// Running a node backward by its formulas, where a program is not enough: on tensors, so that it is
// recorded itself, or for part of its operands.
#pragma once

#include "engine/program.hpp"

namespace pellucid {

// Calls the formulas of an op's node, on tensors if `recorded`, for the edges that lead to a node
// among `needed`, a set, or for all of them if that is None. The gradients are a tuple.
Outcome run_formulas(PyObject* node, PyObject* g, bool recorded, PyObject* needed, Ref* gradients);

// What a weak reference refers to, as a new reference; empty if it is gone.
Ref referent(PyObject* weak);

// Whether an edge leads to a node that is needed.
inline bool leads_on(PyObject* edge, PyObject* needed) {
    return edge != Py_None &&
           (needed == Py_None || PySet_Contains(needed, PyTuple_GET_ITEM(edge, 0)) == 1);
}

}  // namespace pellucid
