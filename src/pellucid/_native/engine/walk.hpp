// Which nodes a backward pass runs, and when each leaf is complete; see `pellucid.autograd.engine`.
#pragma once

#include "objects/layout.hpp"

#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace pellucid {

inline unsigned long long number_of(PyObject* node) {
    return PyLong_AsUnsignedLongLong(slot(node, layout.node.seq));
}

inline PyObject* edges_of(PyObject* node) { return slot(node, layout.node.edges); }

inline bool is_leaf(PyObject* node) { return PyTuple_GET_SIZE(edges_of(node)) == 0; }

// All nodes that roots lead to, as borrowed references.
class Walk {
  public:
    // Nodes with a smaller number than `oldest` are left out.
    explicit Walk(unsigned long long oldest = 0) : oldest_(oldest) {}
    // Adds a node from which gradients start.
    void start(PyObject* root);
    // Follows the edges; false with an error.
    bool go();
    // The nodes, youngest first, as a new list.
    Ref nodes() const;
    // Each leaf and the sequence number of its last sender; of one sender, in the order of its
    // edges.
    Ref last_senders() const;
    // The same as a list of pairs; the first leaf to be complete comes last.
    Ref leaves() const;
    // Whether a pass has freed what one of the nodes had saved.
    bool any_freed() const;

  private:
    unsigned long long oldest_;
    std::vector<std::pair<unsigned long long, PyObject*>> nodes_;
    std::vector<PyObject*> stack_, leaves_;
    std::unordered_set<PyObject*> seen_;
    // the last node that sends to a leaf, and when that was found
    struct Sender {
        unsigned long long seq;
        size_t sent;
    };
    std::unordered_map<PyObject*, Sender> last_sender_;
    size_t sent_ = 0;

    void send(PyObject* leaf, unsigned long long seq);
    void visit(PyObject* node);
};

}  // namespace pellucid
