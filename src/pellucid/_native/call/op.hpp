// What the compiled call of an op knows of the op, and what its nodes save.
#pragma once

#include "call/callable.hpp"
#include "objects/layout.hpp"
#include "objects/loops.hpp"
#include "objects/outcome.hpp"
#include "objects/shaping.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pellucid {

constexpr int kMostOperands = 3;
constexpr int kMostParams = 8;
constexpr int kMostOutputs = 4;

// One value that a node saves.
struct Save {
    enum Kind { input, output, like };
    Kind kind;
    int index;
};

// What a node saves when certain operands need a gradient, and the function that runs it backward.
struct Plan {
    Ref backward, nothing_saved;
    std::vector<Save> saves;
};

struct Operand {
    bool promoted, takes_numbers, derived, optional;
};

// How a result is computed without Python.
enum class Direct { none, loop, matmul, linear, relu, relu_backward, sum, mean, join, copy, where };

struct Op : Description {
    Ref op, body, backend, kernel, node_class;
    // for each operand the class of the nodes for a number in its place, or for None if that is
    // `absent`, or None; or None for all
    Ref number_classes;
    bool absent = false;
    std::vector<Operand> operands;
    std::vector<Ref> param_names, defaults;
    int positional_params = 0;
    // where parameters stand among operands: of each positional argument the operand's index, or
    // the parameter's below zero, -1 for the first; else empty
    std::vector<int> order;
    int dtype_param = -1;
    bool recorded = false, view = false;
    // whether the one operand is a list of tensors, and whether there are any number of results
    bool variadic = false, many = false;
    // how many results the body returns, and the class of the tuple of several
    int outputs = 1;
    Ref returns;
    // whether results that come out of order in memory have to be put in order, and by what;
    // whether that is C order unless an operand has its channels last
    bool broadcasts = false, laid_out = false, by_channels = false;
    Ref arrange;
    // whether numbers beside tensors are left to Python: beside floats, and beside integers
    bool refuses_numbers = false, refuses_integers = false;
    // whether the second operand is an exponent, of which some are no matter of a power's loop
    bool is_power = false;
    // the operand whose dtype is looked at where none is promoted
    int leading = 0;
    Direct direct = Direct::none;
    Loop single_loop, double_loop, long_loop, bool_loop;
    ViewMaker make_view = nullptr;
    Joining joining = Joining::end_to_end;
    // the compiled kernel that does what the body does where it takes the arrays, or null, and how
    // many parameters it takes; the others have to be the defaults
    Ref shortcut;
    int shortcut_params = 0;
    bool takes_type[128] = {false};
    // (default, ...), for nodes; None if there are no parameters
    Ref default_params;
    // the names of the parameters that go by name alone, for calls of the body
    Ref keyword_names;
    std::unique_ptr<Plan> plans[1 << kMostOperands];

    const Loop& loop_for(PyArray_Descr* dtype) const {
        static const Loop none;
        if (dtype == layout.single) return single_loop;
        if (dtype == layout.double_) return double_loop;
        if (dtype->type_num == NPY_INT64 && PyDataType_ISNOTSWAPPED(dtype)) return long_loop;
        return dtype->type_num == NPY_BOOL ? bool_loop : none;
    }
};

// Reads an op's description, a dictionary that the Python side makes; null with an error.
std::unique_ptr<Op> read_op(PyObject* description);

// Reads what a node saves from pairs of a kind and an index; false with an error.
bool read_saves(PyObject* given, std::vector<Save>* saves);

// The plan for operands given by the bits of a mask; null with an error.
const Plan* plan_for(Op& op, unsigned mask);

// A call taken apart. All references are borrowed from the caller or from the op, but for arrays.
struct Call {
    PyObject* operands[kMostOperands] = {};
    Ref arrays[kMostOperands];
    unsigned numbers = 0;  // which operands are numbers, for which arrays stand: a bit for each
    PyObject* params[kMostParams];  // of which as many are set as the op has
    bool usual_params = true;
    // what a node has beside its parameters, if anything
    Ref noted;
    // the dtype of the first operand that decides
    PyArray_Descr* dtype = nullptr;
};

// Takes the arguments of a call and what it computes with; false, with or without an error, for
// what is not usual.
bool take_call(const Op& op, PyObject* const* args, Py_ssize_t count, PyObject* names, Call* call);

// The same of an op of a list of tensors too, which is an operand.
bool take_any_call(const Op& op, PyObject* const* args, Py_ssize_t count, PyObject* names,
                   Call* call);

// Computes and records a call that has been taken apart; the result is a tensor, or a tuple.
Outcome run_taken(Op& op, Call& call, PyObject** result);

// Records a node for the results if an operand requires grad; false with an error.
bool record(Op& op, const Call& call, PyObject* const* results, int count);

// Whether something is recorded of an op of a list of tensors.
bool is_recorded(PyObject* const* tensors, Py_ssize_t count);

// Records a node for the result of an op of a list of tensors, which saves nothing; false with an
// error.
bool record_list(Op& op, const Call& call, PyObject* const* tensors, Py_ssize_t count,
                 PyObject* result);

// Computes without Python where the arrays allow it; null without an error where they do not.
PyObject* compute_directly(const Op& op, const Call& call);

// `where` of a condition and two choices, arrays or numbers; null without an error for what Python
// has to do.
PyObject* chosen(PyObject* const* arguments);

// Calls a compiled function of an op with arrays, without NumPy's warnings; null without an error
// where Python has to see to it.
PyObject* call_on_arrays(PyObject* function, PyObject* const* args, Py_ssize_t count,
                         PyObject* names);

// Computes an op's result from its arrays: an array, or a list of views where there are many. Null
// without an error: leave it to Python.
PyObject* compute(const Op& op, const Call& call);

// Computes the arrays of an op of several results into as many places. False without an error:
// leave it to Python.
bool compute_several(const Op& op, const Call& call, Ref* arrays);

// Does the same for arrays that give arrays, or numbers where the body gives these; if asked for
// without NumPy's warnings.
PyObject* compute_on_arrays(const Op& op, const Call& call, bool in_silence);
PyObject* compute_by_body(const Op& op, const Call& call, bool in_silence);

// The product of two arrays of one usual type; null without an error for what Python has to do.
PyObject* product(PyArrayObject* first, PyArrayObject* second);

// Adds `function`, `set_up` and `call_usually` to the module; false with an error.
bool add_calls(PyObject* module);

// The constant array for a Python number in a dtype, remembered; null with or without an error.
Ref constant_for(PyObject* number, PyArray_Descr* dtype);

}  // namespace pellucid
