#include "engine/program.hpp"

#include "call/counting.hpp"
#include "call/op.hpp"
#include "engine/parts.hpp"
#include "kernels/threads.hpp"
#include "objects/memory.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <unordered_map>

namespace pellucid {

namespace {

constexpr size_t kMostPrograms = 128;  // for one backward

bool tried_out = false;

Outcome left(const char* why) {
    left_because = why;
    return Outcome::left_to_python;
}

// The programs of one backward function, which is kept alive.
struct Programs {
    Ref backward;
    std::vector<std::unique_ptr<Program>> each;
    size_t last = 0;  // the place of the one that was found last
    // how the op joins tensors, or what makes the views that it takes one apart into
    std::optional<Joining> joining;
    ViewMaker make_views = nullptr;
};

std::unordered_map<PyObject*, Programs>& all_programs() {
    static auto* const known = new std::unordered_map<PyObject*, Programs>;
    return *known;
}

constexpr int kMostSteps = 24;
constexpr int kMostConstants = 16;
constexpr int kMostArguments = 8;
constexpr int kListed = -2;  // instead of a register: a list of several, for the first argument

// The arrays that a backward starts from: what its node saved, None among it, and the gradient;
// then the numbers of dimensions by which a program is chosen, -1 for None.
struct Values {
    PyObject* each[kMostSaved + 1];
    int count = 0;
    int ndims[kMostSaved + 1 + kMostGradients];
    int ndim_count = 0;
    // of how many gradients that may arrive at the node which one does
    int outputs = 1, place = 0;
};

// Reads the gradient that arrives: the only one of a list for a node of several outputs; null where
// there are more, or what is no array.
PyObject* read_gradient(PyObject* g, Values* values) {
    if (PyList_CheckExact(g)) {
        PyObject** first = PySequence_Fast_ITEMS(g);
        values->outputs = static_cast<int>(PyList_GET_SIZE(g));
        const auto arrived = [](PyObject* each) { return each != Py_None; };
        if (std::count_if(first, first + values->outputs, arrived) != 1) return nullptr;
        values->place =
            static_cast<int>(std::find_if(first, first + values->outputs, arrived) - first);
        g = first[values->place];
    }
    return PyArray_CheckExact(g) ? g : nullptr;
}

// Reads a node's saved values; false where one is neither an array nor None, or was changed since.
bool read_saved(PyObject* saved, Values* values) {
    if (saved == Py_None) return true;
    if (!PyTuple_CheckExact(saved) || PyTuple_GET_SIZE(saved) > kMostSaved) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(saved); ++i) {
        PyObject* entry = PyTuple_GET_ITEM(saved, i);
        if (!PyTuple_CheckExact(entry) || PyTuple_GET_SIZE(entry) != 3) return false;
        PyObject* value = PyTuple_GET_ITEM(entry, 0);
        if (!PyArray_CheckExact(value) && value != Py_None) return false;
        if (!is_current(PyTuple_GET_ITEM(entry, 1), PyTuple_GET_ITEM(entry, 2))) return false;
        values->each[values->count++] = value;
    }
    return true;
}

int ndim_of(PyObject* value) { return value == Py_None ? -1 : PyArray_NDIM(to_array(value)); }

// Notes the numbers of dimensions of the values and of what the edges lead to; false for a node of
// several outputs, or with more edges than a program has results.
bool read_ndims(PyObject* edges, Values* values) {
    for (int i = 0; i < values->count; ++i) values->ndims[i] = ndim_of(values->each[i]);
    values->ndim_count = values->count;
    if (PyTuple_GET_SIZE(edges) > kMostGradients) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(edges); ++i) {
        PyObject* shape = shape_behind(PyTuple_GET_ITEM(edges, i));
        const bool known = shape != nullptr && PyTuple_Check(shape);
        values->ndims[values->ndim_count++] =
            known ? static_cast<int>(PyTuple_GET_SIZE(shape)) : -1;
    }
    return true;
}

// Parameters of kinds that do not change; anything else is left to Python.
bool is_fixed(PyObject* param) {
    if (PyTuple_CheckExact(param)) {
        PyObject** parts = PySequence_Fast_ITEMS(param);
        return std::all_of(parts, parts + PyTuple_GET_SIZE(param), is_fixed);
    }
    if (PySlice_Check(param)) {
        PySliceObject* slice = reinterpret_cast<PySliceObject*>(param);
        return is_fixed(slice->start) && is_fixed(slice->stop) && is_fixed(slice->step);
    }
    return param == Py_None || param == Py_Ellipsis || PyBool_Check(param) ||
           PyLong_CheckExact(param) || PyFloat_CheckExact(param) || PyUnicode_CheckExact(param);
}

// Whether parameters are the same objects, or integers, slices and tuples that are equal.
bool same_params(PyObject* first, PyObject* second) {
    if (first == second) return true;
    if (PyLong_CheckExact(first) && PyLong_CheckExact(second)) return same_count(first, second);
    if (PySlice_Check(first) && PySlice_Check(second)) {
        PySliceObject* one = reinterpret_cast<PySliceObject*>(first);
        PySliceObject* other = reinterpret_cast<PySliceObject*>(second);
        return same_params(one->start, other->start) && same_params(one->stop, other->stop) &&
               same_params(one->step, other->step);
    }
    if (!PyTuple_CheckExact(first) || !PyTuple_CheckExact(second) ||
        PyTuple_GET_SIZE(first) != PyTuple_GET_SIZE(second)) {
        return false;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(first); ++i) {
        if (!same_params(PyTuple_GET_ITEM(first, i), PyTuple_GET_ITEM(second, i))) return false;
    }
    return true;
}

// Calls `take` with each size of the values and of what the edges lead to; false as soon as it is.
template <typename Take>
bool each_size(const Values& values, PyObject* edges, Take take) {
    for (int i = 0; i < values.count; ++i) {
        PyArrayObject* array = to_array(values.each[i]);
        for (int d = 0; d < values.ndims[i]; ++d) {
            if (!take(PyArray_DIM(array, d))) return false;
        }
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(edges); ++i) {
        if (values.ndims[values.count + i] < 0) continue;
        PyObject* shape = shape_behind(PyTuple_GET_ITEM(edges, i));
        for (Py_ssize_t d = 0; d < PyTuple_GET_SIZE(shape); ++d) {
            if (!take(PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, d)))) return false;
        }
    }
    return true;
}

bool same_sizes(const Program& program, const Values& values, PyObject* edges) {
    size_t at = 0;
    return each_size(values, edges, [&](npy_intp size) { return program.sizes[at++] == size; });
}

// Whether the variables that the formulas read have the values with which they were written down.
bool same_reads(const Program& program) {
    return std::all_of(program.reads.begin(), program.reads.end(), [](const Read& read) {
        PyObject* now = PyDict_GetItemWithError(read.variables.get(), read.name.get());
        return now == read.value.get();
    });
}

bool fits(const Program& program, PyArray_Descr* dtype, PyObject* params, PyObject* edges,
          const Values& values) {
    return program.dtype == dtype && program.outputs == values.outputs &&
           program.place == values.place && same_params(program.params.get(), params) &&
           program.ndims.size() == static_cast<size_t>(values.ndim_count) &&
           std::equal(program.ndims.begin(), program.ndims.end(), values.ndims) &&
           (!program.is_sized || same_sizes(program, values, edges)) &&
           (program.reads.empty() || same_reads(program));
}

// The program that fits, rather a usable one; null if there is none. The search goes round from the
// one that was found last: a step runs its nodes in the order of the step before, in which their
// programs were written.
const Program* find_program(Programs* programs, PyArray_Descr* dtype, PyObject* params,
                            PyObject* edges, const Values& values) {
    const auto& all = programs->each;
    const Program* found = nullptr;
    for (size_t i = 0; i < all.size(); ++i) {
        const size_t at = (programs->last + i) % all.size();
        if (!fits(*all[at], dtype, params, edges, values)) continue;
        found = all[at].get();
        if (!found->usable) continue;
        programs->last = at;
        break;
    }
    return found;
}

Ref turned(PyArrayObject* matrix) {
    const int ndim = PyArray_NDIM(matrix);
    return ndim >= 2 ? Ref(PyArray_SwapAxes(matrix, ndim - 2, ndim - 1)) : Ref();
}

// A list of what some registers hold.
Ref listed(PyObject* places, PyObject* const* registers) {
    Ref list(PyList_New(PyTuple_GET_SIZE(places)));
    for (Py_ssize_t i = 0; list && i < PyTuple_GET_SIZE(places); ++i) {
        const long from = PyLong_AsLong(PyTuple_GET_ITEM(places, i));
        PyList_SET_ITEM(list.get(), i, Py_NewRef(registers[from]));
    }
    return list;
}

Ref run_call(const Instruction& step, PyObject* const* registers, PythonCalls& python) {
    PyObject* given[1 + kMostArguments];
    const size_t count = step.registers.size();
    Ref list;
    for (size_t i = 0; i < count; ++i) {
        const int from = step.registers[i];
        if (from == kListed) list = listed(step.constants[i].get(), registers);
        given[1 + i] = from == kListed ? list.get()
                       : from < 0      ? step.constants[i].get()
                                       : registers[from];
        if (given[1 + i] == nullptr) return Ref();
    }
    PyObject* names = step.names.get();
    const size_t positional = count - (names == nullptr ? 0 : PyTuple_GET_SIZE(names));
    Ref direct(call_on_arrays(step.function.get(), given + 1, positional, names));
    if (direct || PyErr_Occurred() != nullptr || !python.begin()) return direct;
    return Ref(PyObject_Vectorcall(step.function.get(), given + 1,
                                   positional | PY_VECTORCALL_ARGUMENTS_OFFSET, names));
}

// A view of an array stretched to sizes, as the op `expand` makes it; empty where it does not fit.
Ref expanded(PyArrayObject* array, int ndim, const npy_intp* dims) {
    const int added = ndim - PyArray_NDIM(array);
    npy_intp strides[NPY_MAXDIMS];
    if (added < 0) return Ref();
    for (int d = 0; d < ndim; ++d) {
        const npy_intp have = d < added ? 1 : PyArray_DIM(array, d - added);
        if (have != dims[d] && have != 1) return Ref();
        strides[d] = d >= added && have == dims[d] ? PyArray_STRIDE(array, d - added) : 0;
    }
    PyArray_Descr* dtype = PyArray_DESCR(array);
    Py_INCREF(dtype);
    const int flags = PyArray_ISWRITEABLE(array) ? NPY_ARRAY_WRITEABLE : 0;
    Ref view(PyArray_NewFromDescr(&PyArray_Type, dtype, ndim, dims, strides, PyArray_DATA(array),
                                  flags | NPY_ARRAY_ALIGNED, nullptr));
    if (!view) return view;
    PyArray_UpdateFlags(view.array(), NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS);
    PyObject* base = Py_NewRef(reinterpret_cast<PyObject*>(array));
    return PyArray_SetBaseObject(view.array(), base) == 0 ? std::move(view) : Ref();
}

// The array in a register stretched to the sizes of another, or of what an edge leads to.
Ref run_expand(const Instruction& step, PyObject* node, PyObject* const* registers) {
    PyArrayObject* array = to_array(registers[step.first]);
    if (step.second >= 0) {
        PyArrayObject* like = to_array(registers[step.second]);
        return expanded(array, PyArray_NDIM(like), PyArray_DIMS(like));
    }
    PyObject* shape = shape_behind(PyTuple_GET_ITEM(slot(node, layout.node.edges), ~step.second));
    npy_intp dims[NPY_MAXDIMS];
    const int ndim = static_cast<int>(PyTuple_GET_SIZE(shape));
    for (int d = 0; d < ndim; ++d) dims[d] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, d));
    return expanded(array, ndim, dims);
}

Ref reshaped(PyArrayObject* array, std::vector<npy_intp> sizes) {  // of which NumPy fills in -1
    PyArray_Dims wanted{sizes.data(), static_cast<int>(sizes.size())};
    return Ref(PyArray_Newshape(array, &wanted, NPY_CORDER));
}

// The step's loop, or NumPy's function where the operands are of several types or in another order;
// `to`, if there is one, is filled where it fits.
Ref run_loop_step(const Instruction& step, PyArrayObject* const* operands, PyObject* to) {
    const int count = step.loop_used.inputs;
    const bool usual = std::all_of(operands, operands + count, [&](PyArrayObject* each) {
        return PyArray_TYPE(each) == step.loop_type && PyArray_ISNOTSWAPPED(each) &&
               is_ordered(each);
    });
    PyArrayObject* place = to_array(to);
    if (usual && to != nullptr && PyArray_TYPE(place) == step.loop_used.out_type &&
        run_loop_into(step.loop_used, operands, place)) {
        return Ref::borrowed(to);
    }
    if (usual) return Ref(run_loop(step.loop_used, operands));
    const Silence silence(true);
    PyObject* const* given = reinterpret_cast<PyObject* const*>(operands);
    return silence.reached ? Ref(PyObject_Vectorcall(step.function.get(), given, count, nullptr))
                           : Ref();
}

Ref run_step(const Instruction& step, PyObject* node, PyObject* const* registers,
             PythonCalls& python, PyObject* to) {
    if (step.kind == Instruction::call) return run_call(step, registers, python);
    if (step.kind == Instruction::expand) return run_expand(step, node, registers);
    const auto array = [&](int at) { return to_array(at < 0 ? nullptr : registers[at]); };
    PyArrayObject* const operands[] = {array(step.first), array(step.second)};
    if (step.kind == Instruction::transpose) return turned(operands[0]);
    if (step.kind == Instruction::reshape) return reshaped(operands[0], step.sizes);
    if (step.kind == Instruction::product) return Ref(product(operands[0], operands[1]));
    return run_loop_step(step, operands, to);
}

// What the steps of a program have made so far, as many as have run.
class Made {
  public:
    Made() = default;
    Made(const Made&) = delete;
    Made& operator=(const Made&) = delete;
    ~Made() {
        while (count_ > 0) at(--count_).~Ref();
    }
    void add(Ref result) { new (&at(count_++)) Ref(std::move(result)); }
    Ref& at(int step) { return reinterpret_cast<Ref*>(room_)[step]; }

  private:
    alignas(Ref) unsigned char room_[kMostSteps * sizeof(Ref)];
    int count_ = 0;
};

// The result of an earlier step that this one may write over, as NumPy does with values between: an
// array that nothing reads any more and that nobody else has; null if there is none.
PyObject* written_over(const Instruction& step, Made& made) {
    if (step.kind != Instruction::loop) return nullptr;
    for (const int read : step.last_reads) {
        PyArrayObject* array = made.at(read).array();
        if (Py_REFCNT(array) == 1 && PyArray_CHKFLAGS(array, NPY_ARRAY_OWNDATA) &&
            PyArray_ISCARRAY(array)) {
            return made.at(read).get();
        }
    }
    return nullptr;
}

// Runs a program; where there are `places`, one for each gradient, they may be filled.
Outcome run(const Program& program, PyObject* node, const Values& values, PythonCalls& python,
            Gradients* gradients, const Ref* places = nullptr) {
    PyObject* registers[kMostSaved + 1 + kMostConstants + kMostSteps];
    Made made;
    int filled = values.count;
    std::copy_n(values.each, values.count, registers);
    for (const Ref& constant : program.constants) registers[filled++] = constant.get();
    const auto place_of = [&](int made_in) -> PyObject* {
        if (places == nullptr) return nullptr;
        const auto& results = program.results;
        const auto found = std::find(results.begin(), results.end(), made_in);
        return found == results.end() ? nullptr : places[found - results.begin()].get();
    };
    for (const Instruction& step : program.instructions) {
        PyObject* to = place_of(filled);
        if (to == nullptr) to = written_over(step, made);
        Ref result = run_step(step, node, registers, python, to);
        if (!result) return PyErr_Occurred() == nullptr ? Outcome::left_to_python : Outcome::failed;
        result = array_again(std::move(result));
        if (!result || !PyArray_CheckExact(result.get())) return Outcome::left_to_python;
        registers[filled++] = result.get();
        made.add(std::move(result));
        for (const int read : step.last_reads) made.at(read) = Ref();
    }
    gradients->count = static_cast<int>(program.results.size());
    for (int i = 0; i < gradients->count; ++i) {
        const int from = program.results[i];
        gradients->each[i] = from < 0 ? Ref() : Ref::borrowed(registers[from]);
    }
    return Outcome::done;
}

// ---- blocks -------------------------------------------------------------------------------------

npy_intp block_size() {
    constexpr npy_intp kAlone = 1 << 14, kEach = 1 << 16;
    return thread_count() == 1 ? kAlone : kEach * thread_count();
}

// How values are cut: `total` elements, or rows along the first dimension, of which a block has
// `length`; no total where there are no blocks.
struct Blocks {
    bool by_rows = false;
    npy_intp total = 0, length = 0;
};

// Blocks of elements, where all values lie in memory without gaps in the shape of the last, the
// gradient, or are single numbers.
Blocks blocks_of_elements(const Values& values) {
    PyArrayObject* g = to_array(values.each[values.count - 1]);
    const bool alike = std::all_of(values.each, values.each + values.count, [&](PyObject* each) {
        PyArrayObject* array = to_array(each);
        if (each == Py_None) return true;
        return is_plain(array) && (PyArray_NDIM(array) == 0 || PyArray_SAMESHAPE(array, g));
    });
    return alike ? Blocks{false, PyArray_SIZE(g), block_size()} : Blocks();
}

// Blocks of rows, where all values lie in memory without gaps and have as many rows, or are single
// numbers.
Blocks blocks_of_rows(const Values& values) {
    npy_intp rows = -1, largest = 0;
    for (int i = 0; i < values.count; ++i) {
        if (values.each[i] == Py_None) continue;
        PyArrayObject* array = to_array(values.each[i]);
        if (!is_plain(array)) return Blocks();
        if (PyArray_NDIM(array) == 0) continue;
        if (rows >= 0 && PyArray_DIM(array, 0) != rows) return Blocks();
        rows = PyArray_DIM(array, 0);
        largest = std::max(largest, PyArray_SIZE(array));
    }
    if (rows <= 0 || largest == 0) return Blocks();
    const npy_intp parts = std::max<npy_intp>(1, std::min(rows, largest / block_size()));
    return {true, rows, (rows + parts - 1) / parts};
}

// The blocks of a program; what it passes on as it is needs no copying.
Blocks blocks_for(const Program& program, const Values& values) {
    const bool computes = std::all_of(program.results.begin(), program.results.end(),
                                      [&](int from) { return from < 0 || from >= values.count; });
    Blocks blocks;
    if (!program.is_chain || !computes) return blocks;
    if (program.is_pointwise) blocks = blocks_of_elements(values);
    if (blocks.total == 0 && program.keeps_to_rows) blocks = blocks_of_rows(values);
    return blocks.total >= 2 * blocks.length ? blocks : Blocks();
}

// The part of an array that belongs to the block from `begin` on: a vector, or some rows.
Ref block_of(PyObject* whole, const Blocks& blocks, npy_intp begin, npy_intp count) {
    PyArrayObject* array = to_array(whole);
    if (whole == Py_None || PyArray_NDIM(array) == 0) return Ref::borrowed(whole);
    npy_intp dims[NPY_MAXDIMS];
    std::copy_n(PyArray_DIMS(array), PyArray_NDIM(array), dims);
    dims[0] = count;
    const npy_intp start = begin * (PyArray_NBYTES(array) / blocks.total);
    PyArray_Descr* dtype = PyArray_DESCR(array);
    Py_INCREF(dtype);
    Ref block(PyArray_NewFromDescr(&PyArray_Type, dtype, blocks.by_rows ? PyArray_NDIM(array) : 1,
                                   dims, nullptr, PyArray_BYTES(array) + start, NPY_ARRAY_CARRAY_RO,
                                   nullptr));
    const bool made = block && PyArray_SetBaseObject(block.array(), Py_NewRef(whole)) == 0;
    return made ? std::move(block) : Ref();
}

// Copies a block into the array that it is a part of, which is made for the first one; if it does
// not lie there already.
bool put_block(PyObject* block, const Blocks& blocks, npy_intp begin, npy_intp count,
               PyArrayObject* like, Ref* whole) {
    if (!PyArray_CheckExact(block)) return false;
    PyArrayObject* array = to_array(block);
    const int ndim = PyArray_NDIM(array);
    if (ndim == 0 || PyArray_DIM(array, 0) != count || !is_plain(array)) return false;
    if (!blocks.by_rows && ndim != 1) return false;
    PyArray_Descr* dtype = PyArray_DESCR(array);
    if (!*whole) {
        npy_intp dims[NPY_MAXDIMS];
        std::copy_n(PyArray_DIMS(array), ndim, dims);
        dims[0] = blocks.total;
        Py_INCREF(dtype);
        *whole = Ref(blocks.by_rows ? make_array(dtype, ndim, dims)
                                    : make_array(dtype, PyArray_NDIM(like), PyArray_DIMS(like)));
    }
    if (!*whole || PyArray_DESCR(whole->array()) != dtype) return false;
    const npy_intp unit = PyArray_NBYTES(whole->array()) / blocks.total;
    if (PyArray_NBYTES(array) != count * unit) return false;
    char* place = PyArray_BYTES(whole->array()) + begin * unit;
    if (place != PyArray_BYTES(array)) std::memcpy(place, PyArray_BYTES(array), count * unit);
    return true;
}

Outcome run_in_blocks(const Program& program, const Blocks& blocks, PyObject* node,
                      const Values& values, PythonCalls& python, Gradients* gradients) {
    PyArrayObject* g = to_array(values.each[values.count - 1]);
    for (npy_intp begin = 0; begin < blocks.total; begin += blocks.length) {
        const npy_intp count = std::min(blocks.length, blocks.total - begin);
        Values block = values;
        Ref held[kMostSaved + 1];
        for (int i = 0; i < values.count; ++i) {
            held[i] = block_of(values.each[i], blocks, begin, count);
            if (!held[i]) return Outcome::failed;
            block.each[i] = held[i].get();
        }
        Ref places[kMostGradients];
        for (int i = 0; i < gradients->count; ++i) {
            PyObject* whole = gradients->each[i].get();
            if (whole == nullptr) continue;
            places[i] = block_of(whole, blocks, begin, count);
            if (!places[i]) return Outcome::failed;
        }
        Gradients found;
        const Outcome ran = run(program, node, block, python, &found, places);
        if (ran != Outcome::done) return ran;
        gradients->count = found.count;
        for (int i = 0; i < found.count; ++i) {
            if (!found.each[i]) continue;
            if (!put_block(found.each[i].get(), blocks, begin, count, g, &gradients->each[i]))
                return PyErr_Occurred() == nullptr ? Outcome::left_to_python : Outcome::failed;
        }
    }
    return Outcome::done;
}

// Runs a program in blocks, where that is worth it.
Outcome run_at_once(const Program& program, PyObject* node, const Values& values,
                    PythonCalls& python, Gradients* gradients) {
    const Blocks blocks = blocks_for(program, values);
    if (blocks.total == 0) return run(program, node, values, python, gradients);
    const Outcome ran = run_in_blocks(program, blocks, node, values, python, gradients);
    if (ran == Outcome::left_to_python) *gradients = Gradients();
    return ran;
}

// ---- writing programs down ----------------------------------------------------------------------

// Reads what a step calls: the function, its arguments, and the names of the last of them.
bool read_call(PyObject* function, PyObject* given, Instruction* step) {
    PyObject *names, *arguments;
    if (!PyArg_ParseTuple(given, "O!O!", &PyTuple_Type, &names, &PyTuple_Type, &arguments)) {
        return false;
    }
    step->kind = Instruction::call;
    step->function = Ref::borrowed(function);
    if (PyTuple_GET_SIZE(names) > 0) step->names = Ref::borrowed(names);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arguments); ++i) {
        int from;
        PyObject* constant;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(arguments, i), "iO", &from, &constant)) return false;
        if (from == kListed && i > 0) return false;
        step->registers.push_back(from);
        step->constants.push_back(Ref::borrowed(constant));
    }
    return step->registers.size() <= kMostArguments;
}

bool read_sizes(PyObject* given, std::vector<npy_intp>* sizes) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given); ++i) {
        sizes->push_back(PyLong_AsSsize_t(PyTuple_GET_ITEM(given, i)));
    }
    return PyErr_Occurred() == nullptr && sizes->size() <= NPY_MAXDIMS;
}

bool read_instruction(PyObject* given, int type, Instruction* step) {
    const char* kind;
    PyObject* subject;
    PyObject* registers;
    if (!PyArg_ParseTuple(given, "sOO!", &kind, &subject, &PyTuple_Type, &registers)) return false;
    step->is_pointwise = std::strcmp(kind, "pointwise") == 0 || std::strcmp(kind, "loop") == 0;
    if (std::strcmp(kind, "call") == 0 || std::strcmp(kind, "pointwise") == 0) {
        return read_call(subject, registers, step);
    }
    if (!PyArg_ParseTuple(registers, "ii", &step->first, &step->second)) return false;
    const std::pair<const char*, Instruction::Kind> kinds[] = {
        {"loop", Instruction::loop},       {"transpose", Instruction::transpose},
        {"product", Instruction::product}, {"expand", Instruction::expand},
        {"reshape", Instruction::reshape},
    };
    for (const auto& each : kinds) {
        if (std::strcmp(kind, each.first) == 0) step->kind = each.second;
    }
    if (step->kind == Instruction::reshape) return read_sizes(subject, &step->sizes);
    if (step->kind == Instruction::loop) {
        step->function = Ref::borrowed(subject);
        for (const int each : {type, static_cast<int>(NPY_BOOL)}) {
            step->loop_used = find_loop(subject, each);
            step->loop_type = each;
            if (step->loop_used.function != nullptr) return true;
        }
        return false;
    }
    return true;
}

// Whether a step reads a register from this one on.
bool reads_from(const Instruction& step, int first) {
    return step.first >= first || step.second >= first ||
           std::any_of(step.registers.begin(), step.registers.end(),
                       [&](int from) { return from >= first; });
}

// Whether a step reads a register.
bool reads(const Instruction& step, int asked) {
    if (step.first == asked || step.second == asked) return true;
    for (size_t i = 0; i < step.registers.size(); ++i) {
        if (step.registers[i] == asked) return true;
        if (step.registers[i] != kListed) continue;
        PyObject* places = step.constants[i].get();
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(places); ++k) {
            if (PyLong_AsLong(PyTuple_GET_ITEM(places, k)) == asked) return true;
        }
    }
    return false;
}

// Notes after which step the result of each is not read any more; those that are gradients stay.
void note_last_reads(Program* program, int first_made) {
    std::vector<Instruction>& steps = program->instructions;
    for (size_t i = 0; i < steps.size(); ++i) {
        const int at = first_made + static_cast<int>(i);
        const auto& results = program->results;
        if (std::find(results.begin(), results.end(), at) != results.end()) continue;
        const auto last = std::find_if(steps.rbegin(), steps.rend(),
                                       [&](const Instruction& step) { return reads(step, at); });
        if (last != steps.rend()) last->last_reads.push_back(static_cast<int>(i));
    }
}

bool read_reads(PyObject* given, std::vector<Read>* reads) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given); ++i) {
        PyObject *variables, *name, *value;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(given, i), "O!UO", &PyDict_Type, &variables, &name,
                              &value)) {
            return false;
        }
        reads->push_back({Ref::borrowed(variables), Ref::borrowed(name), Ref::borrowed(value)});
    }
    return true;
}

// Reads a program that Python has written down; false with or without an error if it cannot be run.
bool read_program(PyObject* written, const Values& values, Program* program) {
    PyObject *constants, *steps, *results, *reads;
    int keeps_to_rows;
    if (!PyArg_ParseTuple(written, "O!O!O!pO!", &PyTuple_Type, &constants, &PyTuple_Type, &steps,
                          &PyTuple_Type, &results, &keeps_to_rows, &PyTuple_Type, &reads) ||
        !read_reads(reads, &program->reads)) {
        return false;
    }
    program->keeps_to_rows = keeps_to_rows != 0;
    if (PyTuple_GET_SIZE(constants) > kMostConstants || PyTuple_GET_SIZE(steps) > kMostSteps ||
        PyTuple_GET_SIZE(results) > kMostGradients) {
        return false;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constants); ++i) {
        Ref array = constant_for(PyTuple_GET_ITEM(constants, i), program->dtype);
        if (!array) return false;
        program->constants.push_back(std::move(array));
    }
    const int first_made = values.count + static_cast<int>(program->constants.size());
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(steps); ++i) {
        Instruction step;
        if (!read_instruction(PyTuple_GET_ITEM(steps, i), program->dtype->type_num, &step)) {
            return false;
        }
        program->is_pointwise = program->is_pointwise && step.is_pointwise;
        program->is_chain = program->is_chain || reads_from(step, first_made);
        program->instructions.push_back(std::move(step));
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(results); ++i) {
        const long from = PyLong_AsLong(PyTuple_GET_ITEM(results, i));
        program->results.push_back(static_cast<int>(from));
    }
    note_last_reads(program, first_made);
    return true;
}

// The values, and the shapes of what the edges lead to, None where they lead nowhere.
Ref examples_of(const Values& values, PyObject* edges) {
    Ref examples(PyTuple_New(values.ndim_count));
    for (int i = 0; examples && i < values.ndim_count; ++i) {
        PyObject* example = Py_None;
        if (i < values.count) {
            example = values.each[i];
        } else if (values.ndims[i] >= 0) {
            example = shape_behind(PyTuple_GET_ITEM(edges, i - values.count));
        }
        PyTuple_SET_ITEM(examples.get(), i, Py_NewRef(example));
    }
    return examples;
}

// Asks Python for the program of a backward; one that is not usable stands for none. Null with an
// error.
std::unique_ptr<Program> write_program(PyObject* backward, PyArray_Descr* dtype, PyObject* params,
                                       PyObject* edges, const Values& values) {
    auto program = std::make_unique<Program>();
    program->dtype = dtype;
    program->params = Ref::borrowed(params);
    Ref ndims(PyTuple_New(values.ndim_count));
    if (!ndims) return nullptr;
    for (int i = 0; i < values.ndim_count; ++i) {
        program->ndims.push_back(values.ndims[i]);
        PyTuple_SET_ITEM(ndims.get(), i, PyLong_FromLong(values.ndims[i]));
    }
    program->outputs = values.outputs;
    program->place = values.place;
    Ref count(PyLong_FromLong(values.count));
    Ref place(values.outputs == 1 ? Py_NewRef(Py_None)
                                  : Py_BuildValue("ii", values.outputs, values.place));
    Ref written(PyObject_CallFunctionObjArgs(layout.write_program, backward, ndims.get(),
                                             count.get(), reinterpret_cast<PyObject*>(dtype),
                                             params, place.get(), nullptr));
    if (written.get() == Py_None) {
        Ref examples = examples_of(values, edges);
        if (!examples) return nullptr;
        written = Ref(PyObject_CallFunctionObjArgs(layout.write_program, backward, ndims.get(),
                                                   count.get(), reinterpret_cast<PyObject*>(dtype),
                                                   params, place.get(), examples.get(), nullptr));
        program->is_sized = true;
        each_size(values, edges, [&](npy_intp size) {
            program->sizes.push_back(size);
            return true;
        });
    }
    if (!written) return nullptr;
    if (written.get() == Py_None) program->is_sized = false;  // it is none for other sizes, too
    program->why_not = "a formula that looks at values, or reads what may change";
    if (written.get() != Py_None) {
        static const std::string too_long = "more than " + std::to_string(kMostSteps) + " steps, " +
                                            std::to_string(kMostConstants) + " constants or " +
                                            std::to_string(kMostArguments) + " arguments of a step";
        program->why_not = too_long.c_str();
        program->usable = read_program(written.get(), values, program.get());
    }
    return PyErr_Occurred() == nullptr ? std::move(program) : nullptr;
}

// Whether two arrays of one shape lie in memory in the same way; of a size of one any stride does.
bool same_strides(PyArrayObject* one, PyArrayObject* other) {
    for (int d = 0; d < PyArray_NDIM(one); ++d) {
        if (PyArray_DIM(one, d) != 1 && PyArray_STRIDE(one, d) != PyArray_STRIDE(other, d)) {
            return false;
        }
    }
    return true;
}

bool same_bits_and_strides(PyObject* expected, PyArrayObject* found) {
    if (!PyArray_CheckExact(expected)) return false;
    PyArrayObject* wanted = to_array(expected);
    if (PyArray_DESCR(wanted) != PyArray_DESCR(found) || !PyArray_SAMESHAPE(wanted, found) ||
        !same_strides(wanted, found) || PyArray_SIZE(found) == 0) {
        return false;
    }
    Ref first(PyArray_ToString(wanted, NPY_CORDER)), second(PyArray_ToString(found, NPY_CORDER));
    return first && second && PyObject_RichCompareBool(first.get(), second.get(), Py_EQ) == 1;
}

// Computes both ways and leaves the program usable only if they agree; gives Python's gradients.
Outcome try_out(Program* program, PyObject* node, PyObject* backward, PyObject* g,
                const Values& values, PythonCalls& python, Gradients* gradients) {
    Gradients found;
    const Outcome ran = run(*program, node, values, python, &found);
    PyErr_Clear();
    Ref expected(PyObject_CallFunctionObjArgs(backward, node, g, nullptr));
    if (!expected) return Outcome::failed;
    bool agree = ran == Outcome::done && PyTuple_CheckExact(expected.get()) &&
                 PyTuple_GET_SIZE(expected.get()) == found.count;
    if (!PyTuple_CheckExact(expected.get()) || PyTuple_GET_SIZE(expected.get()) > kMostGradients) {
        program->usable = false;
        return Outcome::left_to_python;
    }
    gradients->count = static_cast<int>(PyTuple_GET_SIZE(expected.get()));
    for (int i = 0; i < gradients->count; ++i) {
        Ref each = array_again(Ref::borrowed(PyTuple_GET_ITEM(expected.get(), i)));
        if (!each) return Outcome::failed;
        const bool none = each.get() == Py_None;
        const Ref& own = found.each[i];
        if (agree && none) agree = !own;
        else if (agree) agree = own && same_bits_and_strides(each.get(), own.array());
        gradients->each[i] = none ? Ref() : std::move(each);
    }
    program->usable = agree;
    program->why_not = "its program gave other bits or strides than its formulas";
    PyErr_Clear();
    return Outcome::done;
}

// Whether some gradient has no elements, by which no program can be told from another.
bool is_any_empty(const Gradients& gradients) {
    return std::any_of(gradients.each, gradients.each + gradients.count, [](const Ref& each) {
        return each && PyArray_CheckExact(each.get()) && PyArray_SIZE(each.array()) == 0;
    });
}

}  // namespace

PyObject* shape_behind(PyObject* edge) {
    if (edge == Py_None) return Py_None;
    PyObject* target = PyTuple_GET_ITEM(edge, 0);
    PyObject* metas = slot(target, layout.node.metas);
    if (metas == Py_None) return slot(target, layout.node.shape);
    const Py_ssize_t place = PyLong_AsSsize_t(PyTuple_GET_ITEM(edge, 1));
    const bool known = PyTuple_CheckExact(metas) && place < PyTuple_GET_SIZE(metas) &&
                       Py_IS_TYPE(PyTuple_GET_ITEM(metas, place), layout.meta_class);
    return known ? slot(PyTuple_GET_ITEM(metas, place), layout.meta.shape) : Py_None;
}

void note_joining(PyObject* backward, Joining how) {
    Programs& programs = all_programs()[backward];
    programs.backward = Ref::borrowed(backward);
    programs.joining = how;
}

void note_views(PyObject* backward, ViewMaker make_views) {
    Programs& programs = all_programs()[backward];
    programs.backward = Ref::borrowed(backward);
    programs.make_views = make_views;
}

bool was_tried_out() { return tried_out; }

const Program* program_for(PyObject* node, PyObject* g) {
    const auto known = all_programs().find(slot(node, layout.node.backward));
    const Ref saved = Ref::borrowed(slot(node, layout.node.saved));
    const Ref edges = Ref::borrowed(slot(node, layout.node.edges));
    const Ref params = Ref::borrowed(slot(node, layout.node.params));
    Values values;
    if (known == all_programs().end() || known->second.joining ||
        known->second.make_views != nullptr || !read_saved(saved.get(), &values)) {
        return nullptr;
    }
    values.each[values.count++] = g;
    if (!read_ndims(edges.get(), &values)) return nullptr;
    PyArray_Descr* dtype = PyArray_DESCR(to_array(g));
    const Program* found = find_program(&known->second, dtype, params.get(), edges.get(), values);
    return found != nullptr && found->usable ? found : nullptr;
}

Outcome run_known(const Program& program, PyObject* node, PyObject* const* saved, int count,
                  PyObject* g, PythonCalls& python, Gradients* gradients) {
    if (!same_reads(program)) return Outcome::left_to_python;
    Values values;
    std::copy_n(saved, count, values.each);
    values.each[count] = g;
    values.count = count + 1;
    return run_at_once(program, node, values, python, gradients);
}

Outcome run_program(PyObject* node, PyObject* g, PythonCalls& python, Gradients* gradients,
                    Ref* several) {
    tried_out = false;
    // another pass may free what the node has saved
    const Ref saved = Ref::borrowed(slot(node, layout.node.saved));
    const Ref params_held = Ref::borrowed(slot(node, layout.node.params));
    const Ref edges_held = Ref::borrowed(slot(node, layout.node.edges));
    PyObject *params = params_held.get(), *edges = edges_held.get();
    const Ref backward_held = Ref::borrowed(slot(node, layout.node.backward));
    PyObject* backward = backward_held.get();
    Programs& programs = all_programs()[backward];
    if (programs.make_views != nullptr) {
        return put_together(programs.make_views, params, edges, g, gradients);
    }
    Values values;
    const Ref held = Ref::borrowed(read_gradient(g, &values));
    if (!held) return left("a gradient that is not one plain array");
    PyObject* arrived = held.get();
    PyArrayObject* array = held.array();
    PyArray_Descr* dtype = PyArray_DESCR(array);
    if (dtype != layout.single && dtype != layout.double_) {
        return left("a gradient that is neither float32 nor float64");
    }
    if (programs.joining) {
        return take_apart(*programs.joining, params, edges, array, several);
    }
    if (!read_saved(saved.get(), &values)) {
        static const std::string why = "more than " + std::to_string(kMostSaved) +
                                       " saved values, or values that were packed or changed";
        return left(why.c_str());
    }
    values.each[values.count++] = arrived;
    if (!read_ndims(edges, &values)) {
        static const std::string why = "more than " + std::to_string(kMostGradients) + " operands";
        return left(why.c_str());
    }
    const Program* known = find_program(&programs, dtype, params, edges, values);
    if (known != nullptr) {
        if (!known->usable) return left(known->why_not);
        left_because = "a step of its program did not take its arrays";
        return run_at_once(*known, node, values, python, gradients);
    }
    if (programs.each.size() >= kMostPrograms) {
        static const std::string why =
            "more than " + std::to_string(kMostPrograms) + " kinds of sizes, dtypes and parameters";
        return left(why.c_str());
    }
    if (!is_fixed(params)) return left("parameters of kinds that may change");
    if (!programs.backward) programs.backward = Ref::borrowed(backward);
    if (!python.begin()) return Outcome::failed;
    auto written = write_program(backward, dtype, params, edges, values);
    if (!written) return Outcome::failed;
    Program* program = written.get();
    const bool can_run = std::exchange(program->usable, false);  // by nobody else until tried out
    programs.each.push_back(std::move(written));
    if (!can_run) return left(program->why_not);
    tried_out = true;
    left_because = "the first run of its kind, which writes its formulas down";
    const Outcome ran = try_out(program, node, backward, g, values, python, gradients);
    // an error says nothing of the program, and no elements tell it from no other
    const bool is_known = ran != Outcome::failed && !is_any_empty(*gradients);
    if (program->usable || is_known) return ran;
    const auto place = std::find_if(programs.each.begin(), programs.each.end(),
                                    [&](const auto& each) { return each.get() == program; });
    if (place != programs.each.end()) programs.each.erase(place);  // the next pass tries one out
    return ran;
}

}  // namespace pellucid
