// Derivative formulas as straight-line programs.
//
// Note [Programs]
// The formulas stay the Python ones. When a node's backward first runs on arrays of one dtype and
// certain numbers of dimensions, its formulas are called with stand-ins that write down what is
// done with them; see `pellucid.core.backward.recording`. A formula that looks at sizes is written
// down for these sizes alone; one that looks at values cannot be written down and stays in Python,
// as does one that reads what may change, see Note [Fixed formulas] in
// `pellucid.core.backward.formula_reads`. The first run computes both ways and keeps the program
// only if bits and strides are the same; whatever a program does not expect of its arrays sends
// that run to Python.
#pragma once

#include "objects/layout.hpp"
#include "objects/outcome.hpp"
#include "objects/shaping.hpp"

#include <memory>
#include <vector>

namespace pellucid {

// Note [Blocks]
// A pointwise program on large arrays of one shape, of which a step reads what another one made,
// runs on one block of their elements after the other, so that what a step gives is still in the
// processor's cache when the next one reads it. A program that keeps to rows, such as one that adds
// up along the last dimension, runs on some rows after the other. Of a row the number of others
// changes no bit: elements are computed one by one, and sums row by row.

// An object that is known to be an array.
inline PyArrayObject* to_array(PyObject* object) {
    return reinterpret_cast<PyArrayObject*>(object);
}

// The array that NumPy has made a number of, as it does with results without dimensions; anything
// else as it is.
inline Ref array_again(Ref value) {
    if (!PyArray_IsScalar(value.get(), Generic)) return value;
    return Ref(PyArray_FromScalar(value.get(), nullptr));
}

constexpr int kMostGradients = 3;
constexpr int kMostSaved = 6;

// What the backward of a node gave: one gradient, or none, for each of its edges.
struct Gradients {
    Ref each[kMostGradients];
    int count = 0;
};

struct Instruction {
    enum Kind { loop, transpose, product, expand, reshape, call };
    Kind kind;
    Loop loop_used;
    int loop_type = -1;
    // whether each element of the result follows from the same elements of the operands
    bool is_pointwise = false;
    int first = -1, second = -1;
    Ref function;
    // for `call`: the register of each argument, or -1 and the constant itself, or -2 and the
    // registers of a list; the names of the last
    std::vector<int> registers;
    std::vector<Ref> constants;
    Ref names;
    // for `reshape`
    std::vector<npy_intp> sizes;
    // the steps whose results nothing reads after this one
    std::vector<int> last_reads;
};

// A variable that a formula reads, and the value that it had.
struct Read {
    Ref variables, name, value;
};

struct Program {
    PyArray_Descr* dtype;
    // numbers of dimensions of the saved values, of the gradient that arrives, and of what the
    // edges lead to
    std::vector<int> ndims;
    // of how many gradients that may arrive at the node which one does
    int outputs = 1, place = 0;
    // all of their sizes, one after the other, where the program is for these alone
    std::vector<npy_intp> sizes;
    bool is_sized = false;
    Ref params;
    // what the formulas read beside their arguments
    std::vector<Read> reads;
    // constant arrays that stand in registers from the start, after the gradient
    std::vector<Ref> constants;
    std::vector<Instruction> instructions;
    // the register of each gradient; -1 for none
    std::vector<int> results;
    bool usable = false;
    // why it is not
    const char* why_not = "";
    bool is_pointwise = true;
    // whether each row of a result, along the first dimension, follows from the same rows
    bool keeps_to_rows = false;
    // whether a step reads what another one made
    bool is_chain = false;
};

// Who is told before Python is called.
class PythonCalls {
  public:
    virtual ~PythonCalls() = default;
    // Makes ready for Python code; false with an error.
    virtual bool begin() = 0;
};

// Lets it be known that a backward is that of an op which joins tensors: of any number of them each
// has a part of the gradient for its own.
void note_joining(PyObject* backward, Joining how);

// Lets it be known that a backward is that of an op which takes a tensor apart into views: the
// gradient of that has those of the views for its parts.
void note_views(PyObject* backward, ViewMaker make_views);

// The shape of what an edge leads to; None where that is not known.
PyObject* shape_behind(PyObject* edge);

// Whether the backward that ran last was the first of its kind, for which Python's formulas ran
// too.
bool was_tried_out();

// Runs the backward of a node on an array as a program, where there is one; the gradients of
// tensors that were joined are a tuple.
Outcome run_program(PyObject* node, PyObject* g, PythonCalls& python, Gradients* gradients,
                    Ref* several);

// The program by which a node is run backward on an array like the one given; null where there is
// none that has been tried out.
const Program* program_for(PyObject* node, PyObject* g);

// Runs such a program for a node that looks like that one, on the arrays that it would have saved.
Outcome run_known(const Program& program, PyObject* node, PyObject* const* saved, int count,
                  PyObject* g, PythonCalls& python, Gradients* gradients);

}  // namespace pellucid
