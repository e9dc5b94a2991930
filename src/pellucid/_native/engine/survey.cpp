// Many nodes at once, as arrays of numbers; `pellucid.inspect.survey` defines what is found.
#include "engine/survey.hpp"

#include "objects/entry.hpp"
#include "objects/layout.hpp"

#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

namespace pellucid {

namespace {

using Number = long long;
using Numbers = std::vector<Number>;

// A map from addresses to numbers, out of which nothing is taken.
class Addresses {
  public:
    explicit Addresses(size_t expected) {
        size_t size = 64;
        while (size < 2 * expected) size *= 2;
        places_.resize(size);
    }

    // The number of an address, which is this one if it has none so far.
    Number number(const void* address, Number otherwise) {
        if (2 * (count_ + 1) > places_.size()) grow();
        Place& place = find(address);
        if (place.address == nullptr) {
            place = {address, otherwise};
            ++count_;
        }
        return place.number;
    }

    // The number of an address; 0 if it has none.
    Number known(const void* address) { return find(address).number; }

  private:
    struct Place {
        const void* address = nullptr;
        Number number = 0;
    };
    std::vector<Place> places_;
    size_t count_ = 0;

    Place& find(const void* address) {
        const size_t last = places_.size() - 1;
        size_t at = (reinterpret_cast<size_t>(address) >> 4) * 0x9E3779B97F4A7C15ull >> 20;
        for (at &= last; places_[at].address != nullptr && places_[at].address != address;) {
            at = (at + 1) & last;
        }
        return places_[at];
    }

    void grow() {
        std::vector<Place> before(2 * places_.size());
        before.swap(places_);
        for (const Place& each : before) {
            if (each.address != nullptr) find(each.address) = each;
        }
    }
};

// Numbers what is alike: a key is a row of words, of which equal ones get the same number.
class Kinds {
  public:
    void add(const void* word) { add(reinterpret_cast<Number>(word)); }
    void add(Number word) { key_.append(reinterpret_cast<const char*>(&word), sizeof word); }

    // The number of the key that was put together, and whether it is new; begins the next key.
    Number number(bool* fresh) {
        const auto found = numbers_.find(key_);
        *fresh = found == numbers_.end();
        const Number number = *fresh ? static_cast<Number>(numbers_.size()) : found->second;
        if (*fresh) numbers_.emplace(key_, number);
        key_.clear();
        return number;
    }

  private:
    std::string key_;
    std::unordered_map<std::string, Number> numbers_;
};

PyObject* array_from(const Numbers& numbers) {
    npy_intp size = numbers.size();
    PyObject* made = PyArray_SimpleNew(1, &size, NPY_LONGLONG);
    if (made != nullptr && size > 0) {
        std::memcpy(PyArray_DATA(reinterpret_cast<PyArrayObject*>(made)), numbers.data(),
                    numbers.size() * sizeof(Number));
    }
    return made;
}

// No array looks through more objects into memory; one that calls itself its base would have no
// end.
constexpr int kMostBases = 100;

// The array that owns the memory of an array; an object of NumPy's may stand between two arrays.
PyArrayObject* owner_of(PyArrayObject* array) {
    PyObject* base = PyArray_BASE(array);
    Ref held;
    for (int left = kMostBases; left > 0 && base != nullptr && base != Py_None; --left) {
        if (PyArray_Check(base)) {
            array = reinterpret_cast<PyArrayObject*>(base);
            base = PyArray_BASE(array);
            continue;
        }
        held = Ref(PyObject_GetAttrString(base, "base"));
        if (!held) PyErr_Clear();
        base = held.get();
    }
    return array;
}

bool holds_memory(PyObject* param) {
    return param != Py_None && !PyLong_CheckExact(param) && !PyFloat_CheckExact(param) &&
           !PyBool_Check(param) && !PyComplex_CheckExact(param) && !PyUnicode_CheckExact(param);
}

class Survey {
  public:
    Survey(PyObject* nodes, PyObject* leaves, PyObject* owners)
        : nodes_(nodes),
          count_(PyList_GET_SIZE(nodes)),
          numbers_(count_ + PyList_GET_SIZE(leaves)),
          blocks_(count_ / 2),
          views_(64) {
        for (Number i = 0; i < count_; ++i) numbers_.number(PyList_GET_ITEM(nodes, i), i + 1);
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(leaves); ++i) {
            numbers_.number(PyList_GET_ITEM(leaves, i), -i - 1);
            blocks_.number(PyList_GET_ITEM(owners, i), -i - 1);
        }
    }

    PyObject* look() {
        kind_of_.reserve(count_);
        starts_.reserve(count_ + 1);
        starts_.push_back(0);
        for (Number number = 1; number <= count_; ++number) {
            PyObject* node = PyList_GET_ITEM(nodes_, number - 1);  // held by the survey's own list
            note_edges(edges_of(node));
            note_kind(number, node);
            note_params(number, slot(node, layout.node.params));
        }
        return found();
    }

  private:
    PyObject* nodes_;
    Number count_;
    Addresses numbers_, blocks_, views_;
    Kinds kinds_, likes_;
    Numbers kind_of_, examples_, starts_, targets_, slots_;
    Numbers value_nodes_, value_positions_, value_blocks_;
    Numbers sizes_, addresses_, like_of_, others_, view_blocks_, view_others_;
    Numbers odd_nodes_, odd_positions_, odd_params_;
    std::vector<PyArrayObject*> like_examples_;

    static PyObject* edges_of(PyObject* node) { return slot(node, layout.node.edges); }

    void note_edges(PyObject* edges) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(edges); ++i) {
            PyObject* edge = PyTuple_GET_ITEM(edges, i);
            const bool leads_on = edge != Py_None;
            targets_.push_back(leads_on ? numbers_.known(PyTuple_GET_ITEM(edge, 0)) : 0);
            slots_.push_back(leads_on ? PyLong_AsLong(PyTuple_GET_ITEM(edge, 1)) : 0);
        }
        starts_.push_back(targets_.size());
    }

    void note_kind(Number number, PyObject* node) {
        kinds_.add(Py_TYPE(node));
        kinds_.add(slot(node, layout.node.backward));
        kinds_.add(slot(node, layout.node.code));
        kinds_.add(PyLong_AsLongLong(slot(node, layout.node.lasti)));
        kinds_.add(slot(node, layout.node.scope));
        add_outputs(number, node);
        const Ref saved = Ref::borrowed(slot(node, layout.node.saved));
        if (PyTuple_CheckExact(saved.get())) {
            for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(saved.get()); ++i) {
                note_entry(number, i, PyTuple_GET_ITEM(saved.get(), i));
            }
        } else {
            kinds_.add(saved.get());
        }
        bool fresh;
        kind_of_.push_back(kinds_.number(&fresh));
        if (fresh) examples_.push_back(number);
    }

    void add_outputs(Number number, PyObject* node) {
        PyObject* metas = slot(node, layout.node.metas);
        if (!PyTuple_Check(metas)) {
            add_output(slot(node, layout.node.shape), slot(node, layout.node.dtype));
            return;
        }
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(metas); ++i) {
            PyObject* meta = PyTuple_GET_ITEM(metas, i);
            if (Py_IS_TYPE(meta, layout.meta_class)) {
                add_output(slot(meta, layout.meta.shape), slot(meta, layout.meta.dtype));
            } else {
                kinds_.add(number);
            }
        }
    }

    void add_output(PyObject* shape, PyObject* dtype) {
        kinds_.add(dtype);
        if (!PyTuple_Check(shape)) {
            kinds_.add(shape);
            return;
        }
        kinds_.add(PyTuple_GET_SIZE(shape));
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shape); ++i) {
            kinds_.add(PyLong_AsLongLong(PyTuple_GET_ITEM(shape, i)));
        }
    }

    void note_entry(Number number, Number position, PyObject* entry) {
        const bool pair = PyTuple_CheckExact(entry) && PyTuple_GET_SIZE(entry) > 0;
        PyObject* value = pair ? PyTuple_GET_ITEM(entry, 0) : entry;
        if (value == Py_None) {
            kinds_.add(value);
        } else if (pair && PyArray_CheckExact(value)) {
            note_value(number, position, reinterpret_cast<PyArrayObject*>(value));
        } else {
            kinds_.add(number);
            odd_nodes_.push_back(number);
            odd_positions_.push_back(position);
        }
    }

    void note_value(Number number, Number position, PyArrayObject* array) {
        PyArrayObject* owner = owner_of(array);
        const Number next = sizes_.size();
        const Number block = blocks_.number(owner, next);
        kinds_.add(like(array));
        kinds_.add(block < 0 ? block : 0);
        if (block == next) add_block(owner);
        if (block >= 0) count_references(array, owner, block);
        value_nodes_.push_back(number);
        value_positions_.push_back(position);
        value_blocks_.push_back(block);
    }

    void add_block(PyArrayObject* owner) {
        sizes_.push_back(PyArray_NBYTES(owner));
        addresses_.push_back(reinterpret_cast<Number>(owner));
        like_of_.push_back(like(owner));
        others_.push_back(Py_REFCNT(owner));
    }

    // Takes off what the graph itself refers to.
    void count_references(PyArrayObject* array, PyArrayObject* owner, Number block) {
        if (array == owner) {
            --others_[block];
            return;
        }
        const Number next = view_blocks_.size();
        const Number view = views_.number(array, next);
        if (view == next) {
            view_blocks_.push_back(block);
            view_others_.push_back(Py_REFCNT(array));
            if (PyArray_BASE(array) == reinterpret_cast<PyObject*>(owner)) --others_[block];
        }
        --view_others_[view];
    }

    // The number of a dtype with a shape.
    Number like(PyArrayObject* array) {
        likes_.add(PyArray_DESCR(array));
        for (int i = 0; i < PyArray_NDIM(array); ++i) likes_.add(PyArray_DIM(array, i));
        bool fresh;
        const Number number = likes_.number(&fresh);
        if (fresh) like_examples_.push_back(array);
        return number;
    }

    void note_params(Number number, PyObject* params) {
        if (!PyTuple_Check(params)) return;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(params); ++i) {
            if (holds_memory(PyTuple_GET_ITEM(params, i))) {
                odd_params_.push_back(number);
                return;
            }
        }
    }

    Numbers in_use() const {
        Numbers found(others_.size());
        for (size_t i = 0; i < found.size(); ++i) found[i] = others_[i] > 0;
        for (size_t i = 0; i < view_blocks_.size(); ++i) {
            if (view_others_[i] > 0) found[view_blocks_[i]] = 1;
        }
        return found;
    }

    PyObject* likes() const {
        PyObject* list = PyList_New(like_examples_.size());
        for (size_t i = 0; list != nullptr && i < like_examples_.size(); ++i) {
            PyArrayObject* array = like_examples_[i];
            Ref shape(PyArray_IntTupleFromIntp(PyArray_NDIM(array), PyArray_DIMS(array)));
            PyObject* dtype = reinterpret_cast<PyObject*>(PyArray_DESCR(array));
            PyObject* pair = shape ? PyTuple_Pack(2, shape.get(), dtype) : nullptr;
            if (pair == nullptr) Py_CLEAR(list);
            else PyList_SET_ITEM(list, i, pair);
        }
        return list;
    }

    PyObject* found() const {
        return Py_BuildValue(
            "NNNNNNNNNNNNNNNN", array_from(kind_of_), array_from(examples_), array_from(starts_),
            array_from(targets_), array_from(slots_), array_from(value_nodes_),
            array_from(value_positions_), array_from(value_blocks_), array_from(sizes_),
            array_from(addresses_), array_from(like_of_), likes(), array_from(in_use()),
            array_from(odd_nodes_), array_from(odd_positions_), array_from(odd_params_));
    }
};

PyObject* survey(PyObject*, PyObject* args) {
    PyObject *nodes, *leaves, *owners;
    if (!PyArg_ParseTuple(args, "O!O!O!", &PyList_Type, &nodes, &PyList_Type, &leaves, &PyList_Type,
                          &owners)) {
        return nullptr;
    }
    PyObject* found = Survey(nodes, leaves, owners).look();
    if (PyErr_Occurred() != nullptr) Py_CLEAR(found);
    return found;
}

PyMethodDef functions[] = {
    {"survey", entry<survey>, METH_VARARGS,
     "Return what nodes have in common, where they lead and what they keep, as arrays."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_survey(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace pellucid
