// The calls of ops of one run of a program and the backward pass that followed, made again for
// other tensors that look like those, without the tensors and nodes between.
//
// Note [Recorded passes]
// `torch.compile` lists the calls that a stretch of a program makes up to `backward()`. What it
// gives from there are the tensors that live on, and the gradients of the leaves. So the calls run
// on arrays, by what a usual call runs; the backward of each node runs by the program that has been
// written down for it, see Note [Programs]; sums, their order and the numbers of nodes are those of
// the engine. Tensors that live on get nodes, freed as a pass leaves them. Nothing is written
// before all is computed: what is not as it was, or is left to Python, gives None, and the program
// runs.
//
// Random numbers are drawn by Python's functions where the program draws them; the stream goes back
// to where it was if the program runs after all.
//
// An optimizer's zero_grad() takes the gradients away first, or before the backward, so that their
// memory is given back as in the program; where it runs after all, zero_grad() finds none. Its
// step() follows when they are there again, see Note [Usual steps] in call/optimizing.cpp. What
// follows a backward that may have run code of the program's is left over for the program.
#pragma once

#include <vector>

#include "call/alike.hpp"
#include "call/callable.hpp"
#include "call/op.hpp"
#include "engine/program.hpp"
#include "engine/small_loops.hpp"

namespace pellucid::recorded {

constexpr int kNowhere = -1;

// An entry of a layer's dictionary that is no tensor: a constant, or an empty container if null.
struct Attribute {
    Ref name, constant;
};

// What is given: a tensor, a constant, a layer, whose tensors become inputs too, a module that
// gives nodes their names alone, or a method of an optimizer's.
struct Given {
    bool is_layer = false, is_scope = false, is_method = false;
    std::vector<Attribute> attributes;
    std::vector<Ref> tensors;  // pairs of the dictionary's name and the tensor's
    Py_ssize_t size = 0;
};

// The call of an op on what some slots hold, or of a function that makes a tensor, as of random
// numbers.
struct Forward {
    Ref function;   // keeps the op alive, or makes the tensor
    Ref made_with;  // the arguments of what makes one; empty for an op
    Op* op = nullptr;
    int slots[kMostOperands];
    std::vector<int> list;  // the slots of an operand that is a list, or of all tensors of `given`
    // what an op that is left to Python is given, null for tensors, and the names of the last
    std::vector<Ref> given;
    Ref names;
    // operands that are no tensors, and their arrays
    Ref numbers[kMostOperands], constants[kMostOperands];
    std::vector<Ref> params;
    bool usual_params = true, is_recorded = false;
    PyArray_Descr* dtype = nullptr;
    SmallLoop small;                           // without a loop for what is none
    std::vector<std::vector<npy_intp>> sizes;  // of the results
    Ref code, lasti, scope;                    // of the node, if there is one
    std::vector<int> done;                     // the slots that nobody reads any more

    bool is_making() const { return static_cast<bool>(made_with); }
    bool is_in_python() const { return op == nullptr && !is_making(); }
    bool is_simple() const {
        return is_making() || (sizes.size() == 1 && !op->variadic && !op->many);
    }
};

// The backward of a node. It stands for those of all runs: edges lead to such nodes.
struct Backward {
    Ref node;
    const Program* program = nullptr;
    bool is_small = false;
    SmallProgram small;
    SmallShape* shape = nullptr;  // of the gradient, if it is small
    std::vector<int> saved;       // slots
    std::vector<int> targets;     // nodes, and after them leaves
    std::vector<int> done;
    long changes = 0;  // of the gradients that it makes, before it hands them on
};

struct Leaf {
    int input = 0;
    SmallShape* shape = nullptr;  // of the gradient, if it is small
    size_t last_sender = 0;       // the place of the node that sends to it last
};

// A tensor that lives on: where its array is, and which node it leads to.
struct Output {
    int slot = 0, node = kNowhere;
};

// What is read of a module or class, and has to be the same.
struct NamedValue {
    Ref owner, name, value;

    bool holds() const {
        Ref now(PyObject_GetAttr(owner.get(), name.get()));
        return now.get() == value.get();
    }
};

// The tensors and constants that a run starts from, those of layers among them. They are held: a
// layer may lose its own while Python code runs.
class Inputs {
  public:
    void add(PyObject* input) {
        held_.push_back(Ref::borrowed(input));
        each_.push_back(input);
    }
    size_t size() const { return each_.size(); }
    PyObject* operator[](size_t at) const { return each_[at]; }
    PyObject* const* data() const { return each_.data(); }
    auto begin() const { return each_.begin(); }
    auto end() const { return each_.end(); }

  private:
    std::vector<Ref> held_;
    std::vector<PyObject*> each_;
};

class Pass : public Description {
  public:
    // Whether a run would look in every respect like the one that was listed.
    bool fits(PyObject* const* args, Py_ssize_t count, Inputs* found) const;
    bool are_modes_usual() const;
    // Whether nodes get the names that they had; false, with or without an error, if not.
    bool are_names_the_same(PyObject* const* args, Py_ssize_t count);

    std::vector<Given> given;
    std::vector<NamedValue> reads;
    std::vector<Alike> inputs;
    std::vector<Ref> constants;   // arrays that stand in slots after the inputs
    std::vector<Forward> calls;   // each fills the slot after the last
    std::vector<Backward> nodes;  // youngest first
    std::vector<Leaf> leaves;     // the first to be complete comes first
    std::vector<Output> outputs;
    SmallShapes shapes;
    std::vector<SmallShape*> shape_of_slot;  // null for what is not small
    std::vector<int> node_of_call;           // in the order of the calls; `kNowhere` for none
    // whether calls are recorded as usual, and the slot of the root whose backward is then called
    bool is_usual = false, with_grad = true;
    int root = kNowhere;
    // the places of the methods that take gradients away, and of that which makes a step
    std::vector<Py_ssize_t> zeroings;
    bool zeroes_first = false;
    Py_ssize_t stepping = kNowhere;
    Ref code, lasti;  // of the user's step
    bool has_stepped = false;
    // how many results are only there if all is recorded as usual, and whether there is one that
    // says what is left over
    Py_ssize_t kept = 0;
    bool has_rest = false;
    Ref watchers, structure, structure_version;
    // whether random numbers are drawn, what remembers where their stream is, and what returns
    // there
    bool draws = false;
    Ref remember, return_to;
    Ref names_hold;  // asked with the arguments where the structure of modules has changed
    bool is_scoped = false;
};

// Whether an object is a dictionary, set or list without entries.
bool is_empty_container(PyObject* object);

// Whether a tensor that requires grad is a leaf without hooks.
bool is_bare_leaf(PyObject* tensor);

}  // namespace pellucid::recorded
