#include "layout.hpp"

#include <structmember.h>

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

struct Offset {
    PyTypeObject* type;
    const char* name;
    Py_ssize_t* place;
};

bool read_classes(PyObject* dictionary) {
    layout.tensor_base = given_class(dictionary, "TensorBase");
    layout.tensor_class = given_class(dictionary, "Tensor");
    layout.storage_class = given_class(dictionary, "Storage");
    layout.size_class = given_class(dictionary, "Size");
    layout.tracked_class = given_class(dictionary, "TrackedStorage");
    layout.view_class = given_class(dictionary, "View");
    layout.meta_class = given_class(dictionary, "Meta");
    layout.accumulate_class = given_class(dictionary, "AccumulateGrad");
    layout.stand_in_class = given_class(dictionary, "StandIn");
    layout.run_class = given_class(dictionary, "BackwardRun");
    layout.constant_storage = given(dictionary, "CONSTANT");
    layout.slow_path_object = given(dictionary, "slow_path");
    layout.absent = given(dictionary, "ABSENT");
    layout.modes = given(dictionary, "modes");
    layout.sequence = given(dictionary, "sequence");
    layout.files_of_library = given(dictionary, "library_files");
    layout.as_array = given(dictionary, "as_array");
    layout.plan = given(dictionary, "plan");
    layout.choose_backward = given(dictionary, "choose_backward");
    layout.formulas = given(dictionary, "formulas");
    layout.write_program = given(dictionary, "write_program");
    layout.write_call = given(dictionary, "write_call");
    layout.name_line = given(dictionary, "name_line");
    layout.begin_pass = given(dictionary, "begin_pass");
    layout.end_pass = given(dictionary, "end_pass");
    layout.array_gradients = given(dictionary, "array_gradients");
    layout.warnings = given(dictionary, "warnings");
    layout.no_warnings = given(dictionary, "no_warnings");
    layout.run_numbers = given(dictionary, "run_numbers");
    layout.unusual_modes = given(dictionary, "unusual_modes");
    return PyErr_Occurred() == nullptr;
}

bool read_offsets(PyTypeObject* node) {
    PyTypeObject *tensor = layout.tensor_base, *storage = layout.storage_class;
    PyTypeObject *view = layout.view_class, *slow_path = Py_TYPE(layout.slow_path_object);
    const Offset wanted[] = {
        {tensor, "_array", &layout.tensor.array},
        {tensor, "_edge", &layout.tensor.edge},
        {tensor, "_extra", &layout.tensor.extra},
        {tensor, "_grad", &layout.tensor.grad},
        {tensor, "_storage", &layout.tensor.storage},
        {tensor, "_view", &layout.tensor.view},
        {node, "_lasti", &layout.node.lasti},
        {node, "backward", &layout.node.backward},
        {node, "code", &layout.node.code},
        {node, "dtype", &layout.node.dtype},
        {node, "edges", &layout.node.edges},
        {node, "extra", &layout.node.extra},
        {node, "metas", &layout.node.metas},
        {node, "params", &layout.node.params},
        {node, "saved", &layout.node.saved},
        {node, "scope", &layout.node.scope},
        {node, "seq", &layout.node.seq},
        {node, "shape", &layout.node.shape},
        {storage, "version", &layout.storage.version},
        {storage, "history", &layout.storage.history},
        {storage, "notes", &layout.storage.notes},
        {view, "base", &layout.view.base},
        {view, "history", &layout.view.history},
        {view, "origin", &layout.view.origin},
        {view, "recorded", &layout.view.recorded},
        {slow_path, "active", &layout.slow_path.active},
        {slow_path, "general", &layout.slow_path.general},
        {slow_path, "scopes", &layout.slow_path.scopes},
        {layout.meta_class, "shape", &layout.meta.shape},
        {layout.meta_class, "dtype", &layout.meta.dtype},
        {layout.accumulate_class, "_leaf", &layout.accumulate_leaf},
        {layout.accumulate_class, "lock", &layout.accumulate_lock},
        {layout.run_class, "call", &layout.run.call},
        {layout.run_class, "code", &layout.run.code},
        {layout.run_class, "lasti", &layout.run.lasti},
        {layout.run_class, "number", &layout.run.number},
        {layout.run_class, "roots", &layout.run.roots},
        {layout.run_class, "seq", &layout.run.seq},
    };
    for (const Offset& each : wanted) {
        *each.place = offset_of(each.type, each.name);
        if (*each.place < 0) return false;
    }
    return true;
}

bool read_loops(PyObject* dictionary) {
    Ref add(given(dictionary, "add")), maximum(given(dictionary, "maximum")),
        multiply(given(dictionary, "multiply"));
    Ref blocks(given(dictionary, "column_blocks"));
    if (!add || !maximum || !multiply || !blocks) return false;
    for (int i = 0; i < 2; ++i) {
        layout.add[i] = find_loop(add.get(), i == 0 ? NPY_FLOAT : NPY_DOUBLE);
        layout.maximum[i] = find_loop(maximum.get(), i == 0 ? NPY_FLOAT : NPY_DOUBLE);
        layout.multiply[i] = find_loop(multiply.get(), i == 0 ? NPY_FLOAT : NPY_DOUBLE);
    }
    return PyArg_ParseTuple(blocks.get(), "ll", &layout.column_block,
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
    if (!read_classes(dictionary)) return false;
    PyTypeObject* node = given_class(dictionary, "Node");
    if (node == nullptr || !read_offsets(node)) return false;
    layout.single = PyArray_DescrFromType(NPY_FLOAT);
    layout.double_ = PyArray_DescrFromType(NPY_DOUBLE);
    if (!read_loops(dictionary)) return false;
    layout.zero = PyLong_FromLong(0);
    layout.one = PyLong_FromLong(1);
    layout.two = PyLong_FromLong(2);
    layout.name_grad_enabled = PyUnicode_InternFromString("grad_enabled");
    layout.name_acquire = PyUnicode_InternFromString("acquire");
    layout.name_release = PyUnicode_InternFromString("release");
    layout.name_backward = PyUnicode_InternFromString("backward");
    layout.name_scope = PyUnicode_InternFromString("scope");
    layout.name_dict = PyUnicode_InternFromString("__dict__");
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

bool has_settled_memory(PyObject* tensor) {
    PyObject* storage = slot(tensor, layout.tensor.storage);
    if (storage != Py_None && storage != nullptr && storage != layout.constant_storage &&
        !Py_IS_TYPE(storage, layout.storage_class) && !Py_IS_TYPE(storage, layout.tracked_class)) {
        return false;
    }
    PyObject* view = slot(tensor, layout.tensor.view);
    if (view == Py_None || view == nullptr) return true;
    return storage != nullptr && storage != Py_None &&
           slot(view, layout.view.recorded) == Py_True &&
           same_count(slot(view, layout.view.history), slot(storage, layout.storage.history));
}

bool is_plain_thread() {
    PyObject* modes = thread_modes();
    if (modes == nullptr) {
        PyErr_Clear();
        return false;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(layout.unusual_modes); ++i) {
        PyObject* value =
            PyDict_GetItemWithError(modes, PyTuple_GET_ITEM(layout.unusual_modes, i));
        if (value != nullptr && PyObject_IsTrue(value) != 0) return false;
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
    fill(made, layout.storage.history, layout.zero);
    fill(made, layout.storage.notes, no_notes);
    slot(tensor, layout.tensor.storage) = made;
    Py_XDECREF(storage);
    return made;
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
    PyFrameObject* running = PyEval_GetFrame();
    if (running == nullptr) return false;
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
        if (outer == nullptr) break;
        frame = Ref(reinterpret_cast<PyObject*>(outer));
    }
    *lasti = PyFrame_GetLasti(reinterpret_cast<PyFrameObject*>(frame.get()));
    return true;
}

}  // namespace pellucid
