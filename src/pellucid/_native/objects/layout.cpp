#include "objects/layout.hpp"

#include <structmember.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

namespace pellucid {

Layout layout;

namespace {

PyObject* given(PyObject* dictionary, const char* name) {
    PyObject* found = PyDict_GetItemString(dictionary, name);
    if (found == nullptr) PyErr_Format(PyExc_KeyError, "set_up() lacks %s", name);
    Py_XINCREF(found);
    return found;
}

PyTypeObject* given_class(PyObject* dictionary, const char* name) {
    PyObject* found = given(dictionary, name);
    if (found != nullptr && !PyType_Check(found)) {
        PyErr_Format(PyExc_TypeError, "%s is no class", name);
        Py_CLEAR(found);
    }
    return reinterpret_cast<PyTypeObject*>(found);
}

// The offset of a slot; -1 with an error if the class keeps the attribute elsewhere.
Py_ssize_t offset_of(PyTypeObject* type, const char* name) {
    Ref descriptor(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), name));
    if (!descriptor) return -1;
    if (!Py_IS_TYPE(descriptor.get(), &PyMemberDescr_Type)) {
        PyErr_Format(PyExc_TypeError, "%s.%s is no slot", type->tp_name, name);
        return -1;
    }
    return reinterpret_cast<PyMemberDescrObject*>(descriptor.get())->d_member->offset;
}

bool read_objects(PyObject* dictionary) {
#define PELLUCID_CLASS(name) layout.name = given_class(dictionary, #name);
    PELLUCID_CLASSES(PELLUCID_CLASS)
#undef PELLUCID_CLASS
#define PELLUCID_OBJECT(name) layout.name = given(dictionary, #name);
    PELLUCID_OBJECTS(PELLUCID_OBJECT)
#undef PELLUCID_OBJECT
    return PyErr_Occurred() == nullptr;
}

// Raises for an object that the compiled code does not take.
bool takes_all(PyObject* dictionary) {
#define PELLUCID_NAME(name) #name,
    static const char* const names[] = {PELLUCID_CLASSES(PELLUCID_NAME)
                                            PELLUCID_OBJECTS(PELLUCID_NAME)};
#undef PELLUCID_NAME
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(dictionary, &at, &key, &value);) {
        const auto is_key = [&](const char* name) {
            return PyUnicode_CompareWithASCIIString(key, name) == 0;
        };
        if (std::none_of(std::begin(names), std::end(names), is_key)) {
            PyErr_Format(PyExc_KeyError, "set_up() does not take %U", key);
            return false;
        }
    }
    return true;
}

// Whether the slots that a class and its bases declare are among those that are listed here; raises
// for one that is not. An object made here would have nothing in it.
bool lists_slots_of(PyTypeObject* type, std::initializer_list<const char*> listed) {
    for (PyTypeObject* each = type; each != nullptr; each = each->tp_base) {
        Ref attributes(PyObject_GetAttrString(reinterpret_cast<PyObject*>(each), "__dict__"));
        Ref found(attributes ? PyObject_CallMethod(attributes.get(), "get", "s", "__slots__")
                             : nullptr);
        if (!found) return false;
        if (found.get() == Py_None) continue;
        Ref slots(PySequence_Tuple(found.get()));
        if (!slots) return false;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(slots.get()); ++i) {
            PyObject* name = PyTuple_GET_ITEM(slots.get(), i);
            const auto is_name = [&](const char* other) {
                return PyUnicode_CompareWithASCIIString(name, other) == 0;
            };
            if (is_name("__weakref__") || is_name("__dict__")) continue;
            if (std::any_of(listed.begin(), listed.end(), is_name)) continue;
            PyErr_Format(PyExc_TypeError, "%s.%U is a slot that objects/from_python.hpp lacks",
                         type->tp_name, name);
            return false;
        }
    }
    return true;
}

// Whether objects that are made here get all that their classes have.
bool knows_all_slots() {
#define PELLUCID_SLOT_NAME(field, name) name,
    return lists_slots_of(layout.tensor_class, {PELLUCID_TENSOR_SLOTS(PELLUCID_SLOT_NAME)}) &&
           lists_slots_of(layout.node_class, {PELLUCID_NODE_SLOTS(PELLUCID_SLOT_NAME)}) &&
           lists_slots_of(layout.storage_class, {PELLUCID_STORAGE_SLOTS(PELLUCID_SLOT_NAME)}) &&
           lists_slots_of(layout.view_class, {PELLUCID_VIEW_SLOTS(PELLUCID_SLOT_NAME)}) &&
           lists_slots_of(layout.meta_class, {PELLUCID_META_SLOTS(PELLUCID_SLOT_NAME)}) &&
           lists_slots_of(layout.run_class, {PELLUCID_RUN_SLOTS(PELLUCID_SLOT_NAME)});
#undef PELLUCID_SLOT_NAME
}

// Whether the modes that are looked up here by name are among Python's, and harmless: all others
// are left to Python, see is_plain_thread().
bool knows_its_modes() {
    for (const char* name : {PELLUCID_MODES}) {
        PyObject* usual = PyDict_GetItemString(layout.usual_modes, name);
        if (usual == layout.absent) continue;
        PyErr_Format(PyExc_KeyError, "HARMLESS_MODES lacks %s, which the compiled module reads",
                     name);
        return false;
    }
    return true;
}

bool read_offset(PyTypeObject* type, const char* name, Py_ssize_t* place) {
    *place = offset_of(type, name);
    return *place >= 0;
}

bool read_offsets() {
#define PELLUCID_SLOT(field, name) read_offset(type, name, &slots->field) &&
    const auto tensor = [](PyTypeObject* type, TensorSlots* slots) {
        return PELLUCID_TENSOR_SLOTS(PELLUCID_SLOT) true;
    };
    const auto node = [](PyTypeObject* type, NodeSlots* slots) {
        return PELLUCID_NODE_SLOTS(PELLUCID_SLOT) true;
    };
    const auto storage = [](PyTypeObject* type, StorageSlots* slots) {
        return PELLUCID_STORAGE_SLOTS(PELLUCID_SLOT) true;
    };
    const auto view = [](PyTypeObject* type, ViewSlots* slots) {
        return PELLUCID_VIEW_SLOTS(PELLUCID_SLOT) true;
    };
    const auto slow_path = [](PyTypeObject* type, SlowPathSlots* slots) {
        return PELLUCID_SLOW_PATH_SLOTS(PELLUCID_SLOT) true;
    };
    const auto meta = [](PyTypeObject* type, MetaSlots* slots) {
        return PELLUCID_META_SLOTS(PELLUCID_SLOT) true;
    };
    const auto accumulate = [](PyTypeObject* type, AccumulateSlots* slots) {
        return PELLUCID_ACCUMULATE_SLOTS(PELLUCID_SLOT) true;
    };
    const auto run = [](PyTypeObject* type, RunSlots* slots) {
        return PELLUCID_RUN_SLOTS(PELLUCID_SLOT) true;
    };
#undef PELLUCID_SLOT
    return tensor(layout.tensor_base, &layout.tensor) && node(layout.node_class, &layout.node) &&
           storage(layout.storage_class, &layout.storage) &&
           view(layout.view_class, &layout.view) &&
           slow_path(Py_TYPE(layout.slow_path_object), &layout.slow_path) &&
           meta(layout.meta_class, &layout.meta) &&
           accumulate(layout.accumulate_class, &layout.accumulate) &&
           run(layout.run_class, &layout.run);
}

bool read_loops() {
    for (int i = 0; i < 2; ++i) {
        const int type = i == 0 ? NPY_FLOAT : NPY_DOUBLE;
        layout.add[i] = find_loop(layout.add_function, type);
        layout.maximum[i] = find_loop(layout.maximum_function, type);
        layout.multiply[i] = find_loop(layout.multiply_function, type);
    }
    return PyArg_ParseTuple(layout.column_blocks, "ll", &layout.column_block,
                            &layout.uneven_column_block);
}

}  // namespace

// Note [Modes]
// The modes are a `threading.local`. Its dictionary for one thread lives as long as the thread, so
// it is looked up once per thread; the number of the thread's state tells whether it is still the
// same one.
PyObject* thread_modes() {
    static thread_local uint64_t owner = 0;
    static thread_local PyObject* dictionary = nullptr;
    const uint64_t state = PyThreadState_GetID(PyThreadState_Get()) + 1;
    if (owner != state) {
        Ref found(PyObject_GetAttr(layout.modes, layout.name_dict));
        if (!found) return nullptr;
        dictionary = found.get();  // the local object holds it
        owner = state;
    }
    return dictionary;
}

namespace {

PyObject* mode(PyObject* name, PyObject* otherwise) {
    PyObject* modes = thread_modes();
    PyObject* found = modes == nullptr ? nullptr : PyDict_GetItemWithError(modes, name);
    if (found != nullptr) return found;
    PyErr_Clear();
    return otherwise;
}

// Classes, beside `Tensor`, that keep the array where `TensorBase` does.
constexpr int kKnownClasses = 8;
PyTypeObject* known_classes[kKnownClasses];
int known_count = 0;

}  // namespace

bool keeps_array(PyTypeObject* type) {
    for (int i = 0; i < known_count; ++i) {
        if (known_classes[i] == type) return true;
    }
    if (!PyType_IsSubtype(type, layout.tensor_base)) return false;
    const bool usual = offset_of(type, "_array") == layout.tensor.array;
    PyErr_Clear();
    if (usual && known_count < kKnownClasses) {
        Py_INCREF(type);
        known_classes[known_count++] = type;
    }
    return usual;
}

bool set_up_layout(PyObject* dictionary) {
    if (!read_objects(dictionary) || !takes_all(dictionary) || !read_offsets() ||
        !knows_all_slots() || !knows_its_modes()) {
        return false;
    }
    layout.single = PyArray_DescrFromType(NPY_FLOAT);
    layout.double_ = PyArray_DescrFromType(NPY_DOUBLE);
    if (!read_loops()) return false;
    layout.zero = PyLong_FromLong(0);
    layout.one = PyLong_FromLong(1);
    layout.two = PyLong_FromLong(2);
    layout.name_grad_enabled = PyUnicode_InternFromString("grad_enabled");
    layout.name_acquire = PyUnicode_InternFromString("acquire");
    layout.name_release = PyUnicode_InternFromString("release");
    layout.name_accumulate = PyUnicode_InternFromString("AccumulateGrad");
    layout.name_backward = PyUnicode_InternFromString("backward");
    layout.name_scope = PyUnicode_InternFromString("scope");
    layout.name_dict = PyUnicode_InternFromString("__dict__");
    layout.name_exit = PyUnicode_InternFromString("__exit__");
    PyObject* local = reinterpret_cast<PyObject*>(Py_TYPE(layout.modes));
    layout.default_grad_enabled = PyObject_GetAttr(local, layout.name_grad_enabled);
    layout.default_scope = PyObject_GetAttr(local, layout.name_scope);
    if (layout.default_grad_enabled == nullptr || layout.default_scope == nullptr) return false;
    layout.ready = true;
    return true;
}

bool grad_enabled() {
    PyObject* value = mode(layout.name_grad_enabled, layout.default_grad_enabled);
    return value == Py_True || (value != Py_False && PyObject_IsTrue(value) == 1);
}

PyObject* module_scope() { return mode(layout.name_scope, layout.default_scope); }

namespace {

// Whether a view's link leads to a tensor whose history can be read, and nothing was deleted of it.
bool leads_to_a_tensor(PyObject* view) {
    if (!Py_IS_TYPE(view, layout.view_class)) return false;
    PyObject* base = slot(view, layout.view.base);
    return base != nullptr && PyObject_TypeCheck(base, layout.tensor_base) &&
           slot(base, layout.tensor.edge) != nullptr &&
           slot(view, layout.view.version) != nullptr && slot(view, layout.view.origin) != nullptr;
}

}  // namespace

bool has_settled_memory(PyObject* tensor) {
    PyObject* storage = slot(tensor, layout.tensor.storage);
    if (storage != Py_None && storage != nullptr && storage != layout.constant_storage &&
        !Py_IS_TYPE(storage, layout.storage_class)) {
        return false;
    }
    PyObject* view = slot(tensor, layout.tensor.view);
    if (view == Py_None || view == nullptr) return true;
    return storage != nullptr && storage != Py_None && leads_to_a_tensor(view) &&
           slot(view, layout.view.recorded) == Py_True &&
           (slot(tensor, layout.tensor.edge) != Py_None ||
            slot(slot(view, layout.view.base), layout.tensor.edge) == Py_None) &&
           same_count(slot(view, layout.view.version), slot(storage, layout.storage.version));
}

namespace {

// The value at which a mode is usual; null for one that is not known. Names are interned, so that
// most are found by their addresses.
PyObject* usual_value_of(PyObject* name) {
    static const auto* const known = [] {
        auto* const pairs = new std::vector<std::pair<PyObject*, PyObject*>>;
        PyObject *each, *value;
        for (Py_ssize_t at = 0; PyDict_Next(layout.usual_modes, &at, &each, &value);) {
            pairs->emplace_back(each, value);  // which the dictionary holds, and nobody changes
        }
        return pairs;
    }();
    for (const auto& [each, value] : *known) {
        if (each == name) return value;
    }
    return PyDict_GetItemWithError(layout.usual_modes, name);
}

}  // namespace

bool is_plain_thread() {
    PyObject* modes = thread_modes();
    if (modes == nullptr) {
        PyErr_Clear();
        return false;
    }
    PyObject *name, *value;
    for (Py_ssize_t at = 0; PyDict_Next(modes, &at, &name, &value);) {
        PyObject* usual = usual_value_of(name);
        if (value != usual && usual != layout.absent) return false;
    }
    return true;
}

PyObject* storage_of(PyObject* tensor) {
    PyObject* storage = slot(tensor, layout.tensor.storage);
    if (storage != nullptr && storage != Py_None) return storage;
    PyObject* made = make(layout.storage_class);
    if (made == nullptr) return nullptr;
    static PyObject* const no_notes = PyTuple_New(0);
    fill(made, layout.storage.version, layout.zero);
    fill(made, layout.storage.notes, no_notes);
    replace(tensor, layout.tensor.storage, made);
    Py_DECREF(made);
    return made;
}

bool release_lock(PyObject* lock) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    const bool done(Ref(PyObject_CallMethodNoArgs(lock, layout.name_release)));
    if (type == nullptr) return done;
    if (!done) PyErr_Clear();
    PyErr_Restore(type, value, trace);
    return false;
}

bool add_change(PyObject* storage, PyObject* name, PyObject* code, PyObject* lasti,
                PyObject* detail) {
    constexpr Py_ssize_t kRemembered = 4;
    const StorageSlots& at = layout.storage;
    Ref version(PyNumber_Add(slot(storage, at.version), layout.one));
    if (!version) return false;
    Ref note(PyTuple_Pack(5, name, version.get(), code, lasti, detail));
    PyObject* before = slot(storage, at.notes);
    const Py_ssize_t count = PyTuple_GET_SIZE(before);
    const Py_ssize_t kept = std::min(count, kRemembered - 1);
    Ref notes(PyTuple_New(kept + 1));
    if (!note || !notes) return false;
    for (Py_ssize_t i = 0; i < kept; ++i) {
        PyTuple_SET_ITEM(notes.get(), i, Py_NewRef(PyTuple_GET_ITEM(before, count - kept + i)));
    }
    PyTuple_SET_ITEM(notes.get(), kept, note.release());
    replace(storage, at.version, version.get());
    replace(storage, at.notes, notes.get());
    return true;
}

PyObject* wrap(PyObject* array) {
    PyObject* tensor = make(layout.tensor_class);
    if (tensor == nullptr) {
        Py_DECREF(array);
        return nullptr;
    }
    const TensorSlots& at = layout.tensor;
    slot(tensor, at.array) = array;
    for (Py_ssize_t offset : {at.edge, at.extra, at.grad, at.storage, at.view}) {
        fill(tensor, offset, Py_None);
    }
    return tensor;
}

bool find_site(Ref* code, int* lasti) {
    // Python says nothing of a frame for which there was no memory.
    PyFrameObject* running = PyEval_GetFrame();
    if (running == nullptr) {
        PyErr_NoMemory();
        return false;
    }
    Ref frame = Ref::borrowed(reinterpret_cast<PyObject*>(running));
    for (;;) {
        PyFrameObject* at = reinterpret_cast<PyFrameObject*>(frame.get());
        *code = Ref(reinterpret_cast<PyObject*>(PyFrame_GetCode(at)));
        PyObject* file = reinterpret_cast<PyCodeObject*>(code->get())->co_filename;
        PyObject* inside = PyDict_GetItemWithError(layout.files_of_library, file);
        Ref found = Ref::borrowed(inside);
        if (!found) found = Ref(PyObject_GetItem(layout.files_of_library, file));
        if (!found) return false;
        if (found.get() != Py_True) break;
        PyFrameObject* outer = PyFrame_GetBack(at);
        if (outer == nullptr) {
            if (PyErr_Occurred()) return false;
            break;
        }
        frame = Ref(reinterpret_cast<PyObject*>(outer));
    }
    *lasti = PyFrame_GetLasti(reinterpret_cast<PyFrameObject*>(frame.get()));
    return true;
}

}  // namespace pellucid
