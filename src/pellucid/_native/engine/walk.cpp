#include "engine/walk.hpp"

#include <algorithm>

namespace pellucid {

void Walk::start(PyObject* root) {
    if (is_leaf(root)) {
        send(root, ~0ull);
    } else if (seen_.insert(root).second) {
        stack_.push_back(root);
    }
}

bool Walk::go() {
    while (!stack_.empty()) {
        PyObject* node = stack_.back();
        stack_.pop_back();
        visit(node);
    }
    std::stable_sort(nodes_.begin(), nodes_.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    return PyErr_Occurred() == nullptr;
}

void Walk::send(PyObject* leaf, unsigned long long seq) {
    const auto found = last_sender_.emplace(leaf, Sender{seq, sent_});
    if (found.second) {
        leaves_.push_back(leaf);
    } else if (seq <= found.first->second.seq) {
        found.first->second = {seq, sent_};
    }
    ++sent_;
}

void Walk::visit(PyObject* node) {
    const unsigned long long seq = number_of(node);
    nodes_.emplace_back(seq, node);
    PyObject* edges = edges_of(node);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(edges); ++i) {
        PyObject* edge = PyTuple_GET_ITEM(edges, i);
        if (edge == Py_None) continue;
        PyObject* target = PyTuple_GET_ITEM(edge, 0);
        if (is_leaf(target)) {
            send(target, seq);
        } else if (number_of(target) >= oldest_ && seen_.insert(target).second) {
            stack_.push_back(target);
        }
    }
}

Ref Walk::nodes() const {
    Ref list(PyList_New(nodes_.size()));
    for (size_t i = 0; list && i < nodes_.size(); ++i) {
        PyList_SET_ITEM(list.get(), i, Py_NewRef(nodes_[i].second));
    }
    return list;
}

Ref Walk::last_senders() const {
    std::vector<PyObject*> sorted(leaves_);
    std::sort(sorted.begin(), sorted.end(), [this](PyObject* a, PyObject* b) {
        return last_sender_.at(a).sent < last_sender_.at(b).sent;
    });
    Ref found(PyDict_New());
    for (PyObject* leaf : sorted) {
        Ref seq(PyLong_FromUnsignedLongLong(last_sender_.at(leaf).seq));
        if (!found || !seq || PyDict_SetItem(found.get(), leaf, seq.get()) < 0) return Ref();
    }
    return found;
}

Ref Walk::leaves() const {
    std::vector<PyObject*> sorted(leaves_);
    std::sort(sorted.begin(), sorted.end(), [this](PyObject* a, PyObject* b) {
        const Sender &one = last_sender_.at(a), &other = last_sender_.at(b);
        return one.seq != other.seq ? one.seq < other.seq : one.sent > other.sent;
    });
    Ref list(PyList_New(0));
    for (PyObject* leaf : sorted) {
        Ref seq(PyLong_FromUnsignedLongLong(last_sender_.at(leaf).seq));
        Ref pair(seq ? PyTuple_Pack(2, leaf, seq.get()) : nullptr);
        if (!list || !pair || PyList_Append(list.get(), pair.get()) < 0) return Ref();
    }
    return list;
}

bool Walk::any_freed() const {
    return std::any_of(nodes_.begin(), nodes_.end(), [](const auto& each) {
        return Py_IS_TYPE(slot(each.second, layout.node.saved), layout.run_class);
    });
}

}  // namespace pellucid
