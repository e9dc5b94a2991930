// One run of a recorded pass.
#pragma once

#include <vector>

#include "engine/pass_modes.hpp"
#include "engine/recorded_pass.hpp"

namespace pellucid::recorded {

class Run {
  public:
    Run(const Pass& pass, const Inputs& inputs) : pass_(pass), inputs_(inputs) {
        for (const Leaf& each : pass.leaves) {
            edges_.push_back(Ref::borrowed(slot(inputs[each.input], layout.tensor.edge)));
        }
    }

    // Computes the results and the gradients of the leaves; false, with or without an error, where
    // that is left to Python.
    bool compute();

    // Makes what lives on, and gives the leaves their gradients; null with an error.
    PyObject* finish();

    // The arrays of what lives on, and pairs of leaves and gradients.
    PyObject* show();

  private:
    static constexpr long kNone = -1;  // no sum has been made

    const Pass& pass_;
    const Inputs& inputs_;
    std::vector<Ref> edges_, slots_, gradients_;
    std::vector<long> additions_;  // how often a sum that was made here has been added to
    std::vector<long> handed_on_;  // how often what a node was handed on has been added to
    std::vector<long> changes_;    // of the leaves' gradients
    std::vector<Ref> numbers_, nodes_;
    Ref run_;

    static bool has_sizes(PyArrayObject* array, const std::vector<npy_intp>& sizes);

    // Makes all calls as the program would, on tensors, with nodes of the program's lines.
    bool compute_usually();
    bool run_usually(const Forward& step);
    bool keep_results(const Forward& step, PyObject* result);
    PyObject* finish_usually();
    Ref compute_call(const Forward& step) const;
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
    bool accumulate_all();
    bool accumulate(size_t at, PassModes* modes);
};

}  // namespace pellucid::recorded
