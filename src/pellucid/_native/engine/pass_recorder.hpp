// Reads listed calls, and the nodes behind what they gave, into a recorded pass.
#pragma once

#include <unordered_map>
#include <vector>

#include "engine/recorded_pass.hpp"

namespace pellucid::recorded {

class Recorder {
  public:
    explicit Recorder(Pass& pass) : pass_(pass) {}

    // Why it cannot be recorded; null where it is, or with an error.
    const char* record(PyObject* args, PyObject* kinds, PyObject* calls, PyObject* root,
                       PyObject* outputs, PyObject* kept);

  private:
    Pass& pass_;
    const char* why_ = "";
    Inputs inputs_;
    std::unordered_map<PyObject*, int> slot_of_, slot_of_array_, node_at_;
    std::unordered_map<PyObject*, bool> is_view_;
    std::vector<PyObject*> results_;   // of the calls that are kept; held by their list
    std::vector<SmallShape*> shapes_;  // of the results
    int filled_ = 0;                   // how many slots have a place already

    bool no(const char* why);
    bool read_given(PyObject* args, PyObject* kinds);
    bool read_method(PyObject* kind, PyObject* object, Given* given);
    bool read_layer_of(PyObject* object, Given* given);
    bool are_simple();
    bool read_call(PyObject* listed);
    bool read_making(PyObject* listed);
    bool read_call_in_python(PyObject* listed);
    bool read_operands(const Call& call, Forward* step);
    void read_small(const Call& call, PyObject* result, Forward* step);
    void read_small(PyObject* saved, Ref g, Backward* step);
    bool read_list(PyObject* list, Forward* step);
    bool read_results(PyObject* result, Forward* step);
    bool read_result(PyObject* result, Forward* step);
    bool read_usual_outputs(PyObject* outputs);
    bool read_usual_root(PyObject* root);

    // Constants stand before the results, which are told their places when all are known.
    int constant_slot(PyObject* array);
    std::vector<Ref> constants_;

    bool read_nodes(PyObject* root);

    // Leaves come last in the list that are complete first.
    bool read_leaves(PyObject* pairs);
    std::vector<unsigned long long> last_sender_;
    std::unordered_map<PyObject*, int> leaf_at_;

    bool read_backwards(PyObject* nodes);
    bool read_backward(PyObject* node, Backward* step);

    // An array that looks like the gradient which arrives at a node.
    static Ref gradient_like(PyObject* node);
    bool read_saved_slots(PyObject* saved, Backward* step);

    // Nodes that stand for those of all runs: like them, with edges among themselves.
    bool link_stand_ins(PyObject* nodes);

    // Finds the call that made each node.
    bool match_calls();
    bool read_outputs(PyObject* outputs);

    // Puts the constants before the results, and notes when nobody reads a slot any more.
    void note_ends();
};

}  // namespace pellucid::recorded
