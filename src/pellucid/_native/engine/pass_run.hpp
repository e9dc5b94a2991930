// One run of a recorded pass.
#pragma once

#include <vector>

#include "engine/pass_modes.hpp"
#include "engine/recorded_pass.hpp"

namespace pellucid::recorded {

class Run {
  public:
    Run(Pass& pass, const Inputs& inputs, PyObject* const* args)
        : pass_(pass), inputs_(inputs), args_(args) {
        for (const Leaf& each : pass.leaves) {
            edges_.push_back(Ref::borrowed(slot(inputs[each.input], layout.tensor.edge)));
        }
    }

    // Finds the gradients that are taken away; false, without an error, where that is left to
    // Python.
    bool find_gradients();

    // Computes the results and the gradients of the leaves; false, with or without an error, where
    // that is left to Python. Gradients that are there are only taken away if `zeroes`.
    bool compute(bool zeroes);

    // Has the random numbers go on from where they were before; false with an error.
    bool return_stream() const;

    // Makes what lives on, and gives the leaves their gradients; null with an error.
    PyObject* finish();

    // The arrays of what lives on, and pairs of leaves and gradients.
    PyObject* show();

  private:
    static constexpr long kNone = -1;  // no sum has been made
    static constexpr long kHeld = -1;  // the program has it

    Pass& pass_;
    const Inputs& inputs_;
    PyObject* const* args_;    // held by the caller
    std::vector<Ref> zeroed_;  // parameters, in the order of their addresses
    std::vector<Ref> edges_, slots_, gradients_;
    std::vector<long> additions_;  // how often a sum that was made here has been added to
    std::vector<long> handed_on_;  // how often what has arrived alone was changed before
    std::vector<long> changes_;    // of the leaves' gradients
    std::vector<Ref> numbers_, nodes_;
    Ref run_;
    Ref stream_;  // where the random numbers were, if some are drawn

    static bool has_sizes(PyArrayObject* array, const std::vector<npy_intp>& sizes);

    // Makes all calls as the program would, on tensors, with nodes of the program's lines.
    bool compute_usually();
    bool compute_calls(bool zeroes);
    bool run_usually(const Forward& step);
    Ref call_python(const Forward& step) const;
    bool keep_results(const Forward& step, PyObject* result);
    PyObject* finish_usually();
    Ref compute_call(const Forward& step) const;
    static Ref make_anew(const Forward& step);
    bool run_call(const Forward& step);
    bool run_node(size_t at);

    // Drops what a slot holds, which nobody reads any more.
    void drop(int slot);

    PyObject* node_of_leaf(size_t at) const { return PyTuple_GET_ITEM(edges_[at].get(), 0); }

    // Does for a leaf that is complete all but the writing: who else holds its gradient now decides
    // whether it is copied.
    bool complete(size_t at);

    // What a gradient is sent to: a node, or the node of a leaf.
    PyObject* target(int at) const;

    // The shape of what is sent there, if it is small.
    SmallShape* shape_at(int at) const;

    // Adds a small gradient to what has arrived before.
    bool add_small_gradient(SmallShape* shape, int at, Ref g);

    // See `Runner::send` in engine.cpp.
    bool send(int at, Ref g, long added);

    // Draws the numbers that the nodes and the pass would have.
    bool number();

    // Makes the nodes behind what lives on, in the order of the calls.
    bool make_nodes();
    PyObject* make_node(const Backward& step, PyObject* number) const;
    PyObject* edges_for(const Backward& step) const;
    PyObject* make_output(const Output& output) const;
    bool is_zeroed(PyObject* param) const;
    void take_gradients_away();

    // Makes the optimizer's step, if there is one; what is left over, or -1 with an error.
    int make_step();

    // Returns results with what is left over behind them; null with an error.
    PyObject* with_rest(Ref results, int rest) const;
    bool accumulate_all();
    bool accumulate(size_t at, PassModes* modes);
};

}  // namespace pellucid::recorded
