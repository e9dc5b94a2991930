#include "call/op.hpp"

#include "engine/program.hpp"

#include <cstring>

namespace pellucid {

namespace {

PyObject* item(PyObject* dictionary, const char* name) {
    PyObject* found = PyDict_GetItemString(dictionary, name);
    if (found == nullptr) PyErr_Format(PyExc_KeyError, "the description of an op lacks %s", name);
    return found;
}

bool flag(PyObject* dictionary, const char* name) {
    PyObject* found = item(dictionary, name);
    return found != nullptr && PyObject_IsTrue(found) == 1;
}

long number(PyObject* dictionary, const char* name) {
    PyObject* found = item(dictionary, name);
    return found == nullptr ? -1 : PyLong_AsLong(found);
}

// Calls `read` with each element of a tuple of the description.
template <typename Read>
void each_of(PyObject* dictionary, const char* name, Read read) {
    PyObject* found = item(dictionary, name);
    if (found == nullptr) return;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(found); ++i) read(PyTuple_GET_ITEM(found, i));
}

void read_operands(PyObject* description, Op* op) {
    each_of(description, "operands", [op](PyObject* given) {
        const auto bit = [given](int i) { return PyTuple_GET_ITEM(given, i) == Py_True; };
        op->operands.push_back(Operand{bit(0), bit(1), bit(2), bit(3)});
    });
}

void read_params(PyObject* description, Op* op) {
    each_of(description, "param_names",
            [op](PyObject* name) { op->param_names.push_back(Ref::borrowed(name)); });
    each_of(description, "defaults",
            [op](PyObject* value) { op->defaults.push_back(Ref::borrowed(value)); });
    op->positional_params = static_cast<int>(number(description, "positional_params"));
    op->dtype_param = static_cast<int>(number(description, "dtype_param"));
    each_of(description, "order",
            [op](PyObject* place) { op->order.push_back(static_cast<int>(PyLong_AsLong(place))); });
    op->default_params =
        Ref::borrowed(op->defaults.empty() ? Py_None : item(description, "defaults"));
    const int by_name = static_cast<int>(op->param_names.size()) - op->positional_params;
    if (by_name == 0) return;
    op->keyword_names = Ref(PyTuple_New(by_name));
    for (int i = 0; op->keyword_names && i < by_name; ++i) {
        PyObject* name = op->param_names[op->positional_params + i].get();
        PyTuple_SET_ITEM(op->keyword_names.get(), i, Py_NewRef(name));
    }
}

void read_way(PyObject* description, Op* op) {
    PyObject* direct = item(description, "direct");
    if (direct == nullptr) return;
    if (PyObject_TypeCheck(direct, &PyUFunc_Type)) {
        op->direct = Direct::loop;
        op->single_loop = find_loop(direct, NPY_FLOAT);
        op->double_loop = find_loop(direct, NPY_DOUBLE);
        const int inputs = reinterpret_cast<PyUFuncObject*>(direct)->nin;
        if (inputs != static_cast<int>(op->operands.size())) op->direct = Direct::none;
        if (PyObject_IsTrue(item(description, "loops_for_integers")) == 1) {
            op->long_loop = find_loop(direct, NPY_INT64);
            op->bool_loop = find_loop(direct, NPY_BOOL);
        }
        return;
    }
    const char* name = PyUnicode_Check(direct) ? PyUnicode_AsUTF8(direct) : nullptr;
    if (name == nullptr) return;
    op->make_view = find_view_maker(name);
    if (std::strcmp(name, "stack") == 0) op->joining = Joining::stacked;
    const std::pair<const char*, Direct> ways[] = {
        {"matmul", Direct::matmul}, {"linear", Direct::linear},
        {"relu", Direct::relu},     {"relu_backward", Direct::relu_backward},
        {"sum", Direct::sum},       {"mean", Direct::mean},
        {"cat", Direct::join},      {"stack", Direct::join},
        {"copy", Direct::copy},     {"where", Direct::where},
    };
    for (const auto& way : ways) {
        if (std::strcmp(name, way.first) == 0) op->direct = way.second;
    }
}

}  // namespace

std::unique_ptr<Op> read_op(PyObject* description) {
    auto op = std::make_unique<Op>();
    op->op = Ref::borrowed(item(description, "op"));
    op->body = Ref::borrowed(item(description, "body"));
    op->backend = Ref::borrowed(item(description, "backend"));
    op->kernel = Ref::borrowed(item(description, "kernel"));
    op->node_class = Ref::borrowed(item(description, "node_class"));
    op->number_classes = Ref::borrowed(item(description, "number_classes"));
    const Ref absent(PyObject_GetAttrString(op->op.get(), "absent"));
    op->absent = absent && PyObject_IsTrue(absent.get()) == 1;
    read_operands(description, op.get());
    read_params(description, op.get());
    read_way(description, op.get());
    op->recorded = flag(description, "recorded");
    op->view = flag(description, "view");
    op->variadic = flag(description, "variadic");
    op->many = flag(description, "many");
    op->broadcasts = flag(description, "broadcasts");
    op->laid_out = flag(description, "laid_out");
    op->by_channels = flag(description, "by_channels");
    op->arrange = Ref::borrowed(item(description, "arrange"));
    op->outputs = static_cast<int>(number(description, "outputs"));
    op->returns = Ref::borrowed(item(description, "returns"));
    PyObject* shortcut = item(description, "shortcut");
    if (shortcut != nullptr && shortcut != Py_None) {
        int params = 0;
        if (!PyArg_ParseTuple(shortcut, "Oi", &shortcut, &params)) return nullptr;
        op->shortcut = Ref::borrowed(shortcut);
        op->shortcut_params = params;
    }
    op->refuses_numbers = flag(description, "refuses_numbers");
    op->refuses_integers = flag(description, "refuses_integers");
    op->is_power = flag(description, "is_power");
    op->leading = static_cast<int>(number(description, "leading"));
    PyObject* types = item(description, "types");
    const char* chars = types == nullptr ? nullptr : PyUnicode_AsUTF8(types);
    for (; chars != nullptr && *chars != 0; ++chars) {
        op->takes_type[static_cast<unsigned char>(*chars) & 127] = true;
    }
    if (PyErr_Occurred()) return nullptr;
    if (op->operands.size() > kMostOperands || op->param_names.size() > kMostParams ||
        op->outputs > kMostOutputs) {
        PyErr_SetString(PyExc_ValueError, "too many operands, parameters or results");
        return nullptr;
    }
    return op;
}

bool read_saves(PyObject* given, std::vector<Save>* saves) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given); ++i) {
        const char* kind;
        int index;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(given, i), "si", &kind, &index)) return false;
        const bool output = std::strcmp(kind, "output") == 0, like = std::strcmp(kind, "like") == 0;
        saves->push_back({output ? Save::output : like ? Save::like : Save::input, index});
    }
    return true;
}

const Plan* plan_for(Op& op, unsigned mask) {
    std::unique_ptr<Plan>& known = op.plans[mask];
    if (known) return known.get();
    Ref bits(PyLong_FromUnsignedLong(mask));
    Ref made(PyObject_CallFunctionObjArgs(layout.plan, op.op.get(), bits.get(), nullptr));
    if (!made) return nullptr;
    PyObject *backward, *saves, *nothing_saved;
    if (!PyArg_ParseTuple(made.get(), "OO!O", &backward, &PyTuple_Type, &saves, &nothing_saved))
        return nullptr;
    auto plan = std::make_unique<Plan>();
    plan->backward = Ref::borrowed(backward);
    plan->nothing_saved = Ref::borrowed(nothing_saved);
    if (!read_saves(saves, &plan->saves)) return nullptr;
    if (op.direct == Direct::join) note_joining(backward, op.joining);
    if (op.many && op.make_view != nullptr) note_views(backward, op.make_view);
    known = std::move(plan);
    return known.get();
}

}  // namespace pellucid
