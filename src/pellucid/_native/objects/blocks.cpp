// The compiled `Block`: see Note [Interrupts and modes] in blocks.py, whose `_Block` defines what
// it does. No signal is handled while C runs, so that entering and leaving cannot be cut in two.
#include "objects/numpy_api.hpp"

#include <structmember.h>

#include <algorithm>
#include <utility>

#include "objects/blocks.hpp"
#include "objects/entry.hpp"
#include "objects/layout.hpp"
#include "objects/reference.hpp"

namespace pellucid {

namespace {

enum Kind { kEntry, kSet, kAppend, kPush, kAtEnd };

// How to put back what was changed: the kind of change and what it is about; `kEntry` where the
// block was entered.
struct Change {
    Kind kind;
    PyObject *a, *b, *c, *d;
};

constexpr Py_ssize_t kUsual = 4;

struct Block {
    PyObject_HEAD
    Change* changes;  // the last is put back first
    Py_ssize_t count, room;
    Change usual[kUsual];  // where they are while they are few
};

PyObject* name_begin;

Block* block_of(PyObject* self) { return reinterpret_cast<Block*>(self); }

bool make_room(Block* block) {
    if (block->count < block->room) return true;
    const Py_ssize_t room = 2 * block->room;
    Change* grown = PyMem_New(Change, room);
    if (grown == nullptr) {
        PyErr_NoMemory();
        return false;
    }
    std::copy(block->changes, block->changes + block->count, grown);
    if (block->changes != block->usual) PyMem_Free(block->changes);
    block->changes = grown;
    block->room = room;
    return true;
}

// Writes down how to put back what is about to be changed.
bool note(PyObject* self, Kind kind, PyObject* a = nullptr, PyObject* b = nullptr,
          PyObject* c = nullptr, PyObject* d = nullptr) {
    Block* block = block_of(self);
    if (!make_room(block)) return false;
    Py_XINCREF(a);
    Py_XINCREF(b);
    Py_XINCREF(c);
    Py_XINCREF(d);
    block->changes[block->count++] = {kind, a, b, c, d};
    return true;
}

void forget(const Change& change) {
    Py_XDECREF(change.a);
    Py_XDECREF(change.b);
    Py_XDECREF(change.c);
    Py_XDECREF(change.d);
}

// Removes the last of the entries of a list that are this object, if there is one.
bool remove_last(PyObject* list, PyObject* entry) {
    for (Py_ssize_t i = PyList_GET_SIZE(list); i-- > 0;) {
        if (PyList_GET_ITEM(list, i) == entry) return PySequence_DelItem(list, i) == 0;
    }
    return true;
}

// Undoes a push, also one that others follow that were not undone before it. The usual case asks
// for no memory: a block ends where there is none, too.
bool pull(PyObject* owner, PyObject* name, PyObject* before, PyObject* after) {
    Ref now(PyObject_GetAttr(owner, name));
    if (!now || now.get() == before) return static_cast<bool>(now);
    if (now.get() == after) return PyObject_SetAttr(owner, name, before) == 0;
    PyObject* entry = PyTuple_GET_ITEM(after, PyTuple_GET_SIZE(after) - 1);
    Ref rest(PySequence_List(now.get()));
    if (!rest || !remove_last(rest.get(), entry)) return false;
    Ref tuple(PyList_AsTuple(rest.get()));
    return tuple && PyObject_SetAttr(owner, name, tuple.get()) == 0;
}

bool put_back_one(const Change& change) {
    switch (change.kind) {
        case kEntry: return true;
        case kSet: return PyObject_SetAttr(change.a, change.b, change.c) == 0;
        case kAppend: return remove_last(change.a, change.b);
        case kPush: return pull(change.a, change.b, change.c, change.d);
        case kAtEnd: return static_cast<bool>(Ref(PyObject_CallNoArgs(change.a)));
    }
    return true;
}

// Puts back what was changed since the last entry, whatever fails; false with the first error. What
// an interrupt has cut short is done again.
bool put_back(PyObject* self) {
    Ref held = Ref::borrowed(self);
    Block* block = block_of(self);
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    for (bool entered = false; block->count > 0 && !entered;) {
        const Change change = block->changes[--block->count];
        entered = change.kind == kEntry;
        for (int tries = 0; tries < 2 && !put_back_one(change); ++tries) {
            const bool interrupted = !PyErr_ExceptionMatches(PyExc_Exception);
            if (type == nullptr) {
                PyErr_Fetch(&type, &value, &trace);
            } else {
                PyErr_Clear();
            }
            if (!interrupted) break;
        }
        forget(change);
    }
    if (type == nullptr) return true;
    PyErr_Restore(type, value, trace);
    return false;
}

PyObject* enter(PyObject* self, PyObject*) {
    if (!note(self, kEntry)) return nullptr;
    PyObject* result = PyObject_CallMethodNoArgs(self, name_begin);
    if (result != nullptr) return result;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (!put_back(self)) PyErr_Clear();
    PyErr_Restore(type, value, trace);
    return nullptr;
}

PyObject* leave(PyObject* self, PyObject* const*, Py_ssize_t) {
    if (!put_back(self)) return nullptr;
    Py_RETURN_NONE;
}

bool takes(const char* name, Py_ssize_t wanted, Py_ssize_t count) {
    if (wanted == count) return true;
    PyErr_Format(PyExc_TypeError, "Block.%s takes %zd arguments, not %zd", name, wanted, count);
    return false;
}

PyObject* set(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    if (!takes("_set", 3, count)) return nullptr;
    Ref before(PyObject_GetAttr(args[0], args[1]));
    if (!before || !note(self, kSet, args[0], args[1], before.get())) return nullptr;
    if (PyObject_SetAttr(args[0], args[1], args[2]) != 0) return nullptr;
    Py_RETURN_NONE;
}

PyObject* append(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    if (!takes("_append", 2, count)) return nullptr;
    if (!PyList_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "Block._append appends to a list");
        return nullptr;
    }
    if (!note(self, kAppend, args[0], args[1])) return nullptr;
    if (PyList_Append(args[0], args[1]) == 0) Py_RETURN_NONE;
    forget(block_of(self)->changes[--block_of(self)->count]);
    return nullptr;
}

PyObject* push(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    if (!takes("_push", 3, count)) return nullptr;
    Ref before(PyObject_GetAttr(args[0], args[1]));
    Ref grown(before ? PySequence_List(before.get()) : nullptr);
    if (!grown || PyList_Append(grown.get(), args[2]) != 0) return nullptr;
    Ref after(PyList_AsTuple(grown.get()));
    if (!after || !note(self, kPush, args[0], args[1], before.get(), after.get())) return nullptr;
    if (PyObject_SetAttr(args[0], args[1], after.get()) != 0) return nullptr;
    Py_RETURN_NONE;
}

PyObject* at_end(PyObject* self, PyObject* function) {
    if (!note(self, kAtEnd, function)) return nullptr;
    Py_RETURN_NONE;
}

PyObject* begin(PyObject*, PyObject*) { Py_RETURN_NONE; }

// What is copied and pickled of a block: its attributes. A copy has not been entered.
PyObject* state(PyObject* self, PyObject*) {
    Ref attributes(PyObject_GetAttrString(self, "__dict__"));
    if (attributes) return attributes.release();
    PyErr_Clear();
    Py_RETURN_NONE;
}

PyObject* make(PyTypeObject* type, PyObject*, PyObject*) {
    PyObject* self = type->tp_alloc(type, 0);
    if (self == nullptr) return nullptr;
    block_of(self)->changes = block_of(self)->usual;
    block_of(self)->room = kUsual;
    return self;
}

int initialize(PyObject*, PyObject*, PyObject*) { return 0; }

int traverse(PyObject* self, visitproc visit, void* arg) {
    for (Py_ssize_t i = 0; i < block_of(self)->count; ++i) {
        const Change& change = block_of(self)->changes[i];
        Py_VISIT(change.a);
        Py_VISIT(change.b);
        Py_VISIT(change.c);
        Py_VISIT(change.d);
    }
    return 0;
}

int clear(PyObject* self) {
    while (block_of(self)->count > 0) forget(block_of(self)->changes[--block_of(self)->count]);
    return 0;
}

void destroy(PyObject* self) {
    PyObject_GC_UnTrack(self);
    clear(self);
    if (block_of(self)->changes != block_of(self)->usual) PyMem_Free(block_of(self)->changes);
    Py_TYPE(self)->tp_free(self);
}

PyMethodDef methods[] = {
    {"__enter__", entry<enter>, METH_NOARGS, "Change what is to be changed."},
    {"__exit__", fast<leave>(), METH_FASTCALL, "Put back what was changed."},
    {"__getstate__", entry<state>, METH_NOARGS, "Return the attributes."},
    {"_begin", entry<begin>, METH_NOARGS,
     "Change what is to be changed, and return what `as` names."},
    {"_set", fast<set>(), METH_FASTCALL, "Set an attribute for the time of the block."},
    {"_append", fast<append>(), METH_FASTCALL, "Append to a list for the time of the block."},
    {"_push", fast<push>(), METH_FASTCALL,
     "Append to the tuple that an attribute is for the time of the block."},
    {"_at_end", entry<at_end>, METH_O, "Call a function at the end, perhaps twice."},
    {nullptr, nullptr, 0, nullptr},
};

// ---- the two blocks that are entered most -------------------------------------------------------

// A block at whose end `modes.grad_enabled` is again what its `before` is.
struct GradMode {
    PyObject_HEAD
    PyObject* before;
};

PyObject* leave_grad_mode(PyObject* self, PyObject* const*, Py_ssize_t) {
    Ref before = Ref::borrowed(reinterpret_cast<GradMode*>(self)->before);
    if (!before) {
        PyErr_SetString(PyExc_RuntimeError, "a mode is left that was not entered");
        return nullptr;
    }
    if (PyObject_SetAttr(layout.modes, layout.name_grad_enabled, before.get()) != 0) return nullptr;
    Py_RETURN_NONE;
}

void destroy_grad_mode(PyObject* self) {
    Py_CLEAR(reinterpret_cast<GradMode*>(self)->before);
    Py_TYPE(self)->tp_free(self);
}

PyMemberDef grad_mode_members[] = {
    {"before", T_OBJECT_EX, offsetof(GradMode, before), 0, "What is put back."},
    {nullptr, 0, 0, 0, nullptr},
};

PyMethodDef grad_mode_methods[] = {
    {"__exit__", fast<leave_grad_mode>(), METH_FASTCALL, "Put back what was changed."},
    {"__getstate__", entry<state>, METH_NOARGS, "Return the attributes."},
    {nullptr, nullptr, 0, nullptr},
};

// A block in which a context variable has a value.
struct ContextValue {
    PyObject_HEAD
    PyObject *variable, *value, *token;
};

ContextValue* context_value_of(PyObject* self) { return reinterpret_cast<ContextValue*>(self); }

PyObject* make_context_value(PyTypeObject* type, PyObject* args, PyObject*) {
    PyObject *variable, *value;
    if (!PyArg_ParseTuple(args, "O!O", &PyContextVar_Type, &variable, &value)) return nullptr;
    PyObject* self = type->tp_alloc(type, 0);
    if (self == nullptr) return nullptr;
    Py_INCREF(variable);
    Py_INCREF(value);
    context_value_of(self)->variable = variable;
    context_value_of(self)->value = value;
    return self;
}

PyObject* enter_context_value(PyObject* self, PyObject*) {
    ContextValue* at = context_value_of(self);
    Ref token(PyContextVar_Set(at->variable, at->value));
    if (!token) return nullptr;
    Py_XSETREF(at->token, token.release());
    Py_RETURN_NONE;
}

PyObject* leave_context_value(PyObject* self, PyObject* const*, Py_ssize_t) {
    ContextValue* at = context_value_of(self);
    Ref token(std::exchange(at->token, nullptr));
    if (token && PyContextVar_Reset(at->variable, token.get()) != 0) return nullptr;
    Py_RETURN_NONE;
}

void destroy_context_value(PyObject* self) {
    Py_CLEAR(context_value_of(self)->variable);
    Py_CLEAR(context_value_of(self)->value);
    Py_CLEAR(context_value_of(self)->token);
    Py_TYPE(self)->tp_free(self);
}

PyMethodDef context_value_methods[] = {
    {"__enter__", entry<enter_context_value>, METH_NOARGS, "Set the variable."},
    {"__exit__", fast<leave_context_value>(), METH_FASTCALL, "Put back what was there."},
    {nullptr, nullptr, 0, nullptr},
};

PyTypeObject empty_type() {
    const PyVarObject heads[] = {PyVarObject_HEAD_INIT(nullptr, 0)};
    PyTypeObject type{};
    type.ob_base = heads[0];
    return type;
}

PyTypeObject block_type = [] {
    PyTypeObject type = empty_type();
    type.tp_name = "pellucid._native.compiled.Block";
    type.tp_basicsize = sizeof(Block);
    type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
    type.tp_doc = "Block()\n--\n\nA block that puts back what it changed.";
    type.tp_new = make;
    type.tp_init = initialize;
    type.tp_dealloc = destroy;
    type.tp_traverse = traverse;
    type.tp_clear = clear;
    type.tp_methods = methods;
    return type;
}();

PyTypeObject grad_mode_type = [] {
    PyTypeObject type = empty_type();
    type.tp_name = "pellucid._native.compiled.GradMode";
    type.tp_basicsize = sizeof(GradMode);
    type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
    type.tp_doc = "GradMode()\n--\n\nA block that puts `modes.grad_enabled` back.";
    type.tp_new = PyType_GenericNew;
    type.tp_init = initialize;
    type.tp_dealloc = destroy_grad_mode;
    type.tp_members = grad_mode_members;
    type.tp_methods = grad_mode_methods;
    return type;
}();

PyTypeObject context_value_type = [] {
    PyTypeObject type = empty_type();
    type.tp_name = "pellucid._native.compiled.ContextValue";
    type.tp_basicsize = sizeof(ContextValue);
    type.tp_flags = Py_TPFLAGS_DEFAULT;
    type.tp_doc =
        "ContextValue(variable, value)\n--\n\nA block in which a context variable has a value.";
    type.tp_new = make_context_value;
    type.tp_dealloc = destroy_context_value;
    type.tp_methods = context_value_methods;
    return type;
}();

}  // namespace

bool add_blocks(PyObject* module) {
    name_begin = PyUnicode_InternFromString("_begin");
    return name_begin != nullptr && PyModule_AddType(module, &block_type) == 0 &&
           PyModule_AddType(module, &grad_mode_type) == 0 &&
           PyModule_AddType(module, &context_value_type) == 0;
}

}  // namespace pellucid
