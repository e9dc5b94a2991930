// Where the Python classes keep what the compiled code reads and writes.
//
// Note [Slots]
// The objects stay the Python ones: a slot of a class with __slots__ lies at an offset that its
// member descriptor tells. So whatever is written here is what the Python code reads, and the other
// way round.
#pragma once

#include "objects/from_python.hpp"
#include "objects/loops.hpp"
#include "objects/reference.hpp"

namespace pellucid {

#define PELLUCID_SLOT(field, name) Py_ssize_t field;
struct TensorSlots {
    PELLUCID_TENSOR_SLOTS(PELLUCID_SLOT)
};

struct NodeSlots {
    PELLUCID_NODE_SLOTS(PELLUCID_SLOT)
};

struct StorageSlots {
    PELLUCID_STORAGE_SLOTS(PELLUCID_SLOT)
};

struct ViewSlots {
    PELLUCID_VIEW_SLOTS(PELLUCID_SLOT)
};

struct SlowPathSlots {
    PELLUCID_SLOW_PATH_SLOTS(PELLUCID_SLOT)
};

struct MetaSlots {
    PELLUCID_META_SLOTS(PELLUCID_SLOT)
};

struct AccumulateSlots {
    PELLUCID_ACCUMULATE_SLOTS(PELLUCID_SLOT)
};

struct RunSlots {
    PELLUCID_RUN_SLOTS(PELLUCID_SLOT)
};
#undef PELLUCID_SLOT

struct Layout {
#define PELLUCID_CLASS(name) PyTypeObject* name;
    PELLUCID_CLASSES(PELLUCID_CLASS)
#undef PELLUCID_CLASS
#define PELLUCID_OBJECT(name) PyObject* name;
    PELLUCID_OBJECTS(PELLUCID_OBJECT)
#undef PELLUCID_OBJECT
    TensorSlots tensor;
    NodeSlots node;
    StorageSlots storage;
    ViewSlots view;
    SlowPathSlots slow_path;
    MetaSlots meta;
    AccumulateSlots accumulate;
    RunSlots run;
    // up to how many rows of a width that four divides, or does not, BLAS adds up in one go
    long column_block, uneven_column_block;
    PyArray_Descr *single, *double_;
    Loop add[2], maximum[2], multiply[2];  // in single and in double precision
    PyObject *zero, *one, *two;
    PyObject *name_grad_enabled, *name_scope, *name_dict, *name_exit, *name_backward,
        *name_accumulate, *name_acquire, *name_release;
    // what modes.grad_enabled and modes.scope are in a thread that never set them
    PyObject *default_grad_enabled, *default_scope;
    bool ready = false;
};

extern Layout layout;

// Reads the layout off the objects of a dictionary; raises and returns false where one is missing,
// or is not among those that the compiled code takes.
bool set_up_layout(PyObject* given);

inline PyObject*& slot(PyObject* object, Py_ssize_t offset) {
    return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + offset);
}

// Whether calls are observed or changed on their way, so that none may be cut short.
inline bool takes_slow_path() {
    return PyList_GET_SIZE(slot(layout.slow_path_object, layout.slow_path.active)) != 0;
}

// Whether functions may have to ask a subclass or a mode, or to compute shapes alone.
inline bool is_general() {
    return PyList_GET_SIZE(slot(layout.slow_path_object, layout.slow_path.general)) != 0;
}

// Puts a new reference into a slot of a new object.
inline void fill(PyObject* object, Py_ssize_t offset, PyObject* value) {
    Py_INCREF(value);
    slot(object, offset) = value;
}

// Replaces what a slot holds.
inline void replace(PyObject* object, Py_ssize_t offset, PyObject* value) {
    PyObject* before = slot(object, offset);
    Py_INCREF(value);
    slot(object, offset) = value;
    Py_XDECREF(before);
}

// Whether a class keeps the array of its tensors in the usual slot.
bool keeps_array(PyTypeObject* type);

// Whether a tensor has all that it was made with: a slot that the program has deleted is null.
inline bool is_whole(PyObject* tensor) {
    const TensorSlots& at = layout.tensor;
    return slot(tensor, at.array) != nullptr && slot(tensor, at.edge) != nullptr &&
           slot(tensor, at.grad) != nullptr && slot(tensor, at.storage) != nullptr &&
           slot(tensor, at.view) != nullptr;
}

// The array of a whole tensor whose class keeps it in the usual slot; else null, without an error.
inline PyObject* array_of(PyObject* operand) {
    PyTypeObject* type = Py_TYPE(operand);
    if (type != layout.tensor_class && !keeps_array(type)) return nullptr;
    if (!is_whole(operand)) return nullptr;
    PyObject* array = slot(operand, layout.tensor.array);
    return PyArray_CheckExact(array) ? array : nullptr;
}

// A block without NumPy's warnings of special values, see `silence` in the NumPy kernels.
class Silence {
  public:
    explicit Silence(bool wanted) {
        if (!wanted) return;
        if (layout.warnings != Py_None)
            before_ = Ref(PyContextVar_Set(layout.warnings, layout.no_warnings));
        reached = static_cast<bool>(before_);
    }
    ~Silence() {
        if (before_ && !has_ended() && PyContextVar_Reset(layout.warnings, before_.get()) < 0)
            PyErr_Clear();
    }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

    bool reached = true;

  private:
    Ref before_;
};

// The modes of the running thread; first all that were set, borrowed, null with an error.
PyObject* thread_modes();
bool grad_enabled();
PyObject* module_scope();

// Whether no mode of this thread asks for more of a backward pass than the usual one.
bool is_plain_thread();

// Whether the storage and the view of a tensor are such that nothing has to be looked up or
// refused.
bool has_settled_memory(PyObject* tensor);
inline bool is_settled(PyObject* tensor) {
    const bool is_new = slot(tensor, layout.tensor.storage) == Py_None &&
                        slot(tensor, layout.tensor.view) == Py_None;
    return is_new || has_settled_memory(tensor);
}

// Whether two counters, which are Python integers, are equal.
inline bool same_count(PyObject* first, PyObject* second) {
    return first == second || PyObject_RichCompareBool(first, second, Py_EQ) == 1;
}

// Whether the memory of a saved value has not been changed since it was saved.
inline bool is_current(PyObject* storage, PyObject* version) {
    const bool is_constant = storage == layout.constant_storage || storage == layout.whole_number ||
                             storage == layout.other_number;
    return is_constant || (Py_IS_TYPE(storage, layout.storage_class) &&
                           same_count(slot(storage, layout.storage.version), version));
}

// Makes an instance without calling __init__; its slots are empty.
inline PyObject* make(PyTypeObject* type) { return type->tp_alloc(type, 0); }

// The tensor's storage (borrowed), made if there is none; null with an error if that fails.
PyObject* storage_of(PyObject* tensor);

// Releases a lock of Python's; false with an error, also with the one that was set before.
bool release_lock(PyObject* lock);

// Counts a change of memory and remembers it; see `pellucid.autograd.storage`.
bool add_change(PyObject* storage, PyObject* name, PyObject* code, PyObject* lasti,
                PyObject* detail);

// Makes a tensor around an array, without history; takes over the reference to the array.
PyObject* wrap(PyObject* array);

// The code object and instruction offset of the nearest frame outside the library.
bool find_site(Ref* code, int* lasti);

}  // namespace pellucid
