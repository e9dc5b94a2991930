#include "engine/small_loops.hpp"

#include <algorithm>

#include "objects/layout.hpp"
#include "objects/memory.hpp"

namespace pellucid::recorded {

namespace {

// How many elements are few, and how much memory of a shape is kept.
constexpr npy_intp kMostElements = 4096;
constexpr size_t kMostBytes = 1 << 20;
constexpr size_t kMostRegisters = 32;

bool is_usual(PyArrayObject* array) {
    return PyArray_CheckExact(array) && is_plain(array) &&
           (PyArray_DESCR(array) == layout.single || PyArray_DESCR(array) == layout.double_);
}

// Whether nobody else has an array, and it may be written over.
bool is_free(PyArrayObject* array) {
    return Py_REFCNT(array) == 1 && PyArray_BASE(array) == nullptr && PyArray_ISCARRAY(array) &&
           PyArray_CHKFLAGS(array, NPY_ARRAY_OWNDATA) &&
           reinterpret_cast<PyArrayObject_fields*>(array)->weakreflist == nullptr;
}

}  // namespace

SmallShape::SmallShape(PyArrayObject* like)
    : dtype_(PyArray_DESCR(like)),
      sizes_(PyArray_DIMS(like), PyArray_DIMS(like) + PyArray_NDIM(like)),
      count_(PyArray_SIZE(like)) {}

bool SmallShape::has(PyArrayObject* array) const {
    return PyArray_DESCR(array) == dtype_ && PyArray_CheckExact(array) && is_plain(array) &&
           PyArray_NDIM(array) == static_cast<int>(sizes_.size()) &&
           std::equal(sizes_.begin(), sizes_.end(), PyArray_DIMS(array));
}

Ref SmallShape::take() {
    if (!spare_.empty()) {
        Ref array = std::move(spare_.back());
        spare_.pop_back();
        return array;
    }
    Py_INCREF(dtype_);
    return Ref(make_array(dtype_, static_cast<int>(sizes_.size()), sizes_.data()));
}

void SmallShape::leave(Ref* array) {
    Ref given = std::move(*array);
    const size_t each = sizeof(PyArrayObject_fields) + count_ * PyDataType_ELSIZE(dtype_);
    if (given && spare_.size() < wanted_ && spare_.size() * each < kMostBytes &&
        has(given.array()) && is_free(given.array())) {
        spare_.push_back(std::move(given));
    }
}

void SmallShape::add(PyArrayObject* first, PyArrayObject* second, PyArrayObject* to) const {
    const Loop& loop = layout.add[dtype_ == layout.double_];
    const npy_intp item = PyDataType_ELSIZE(dtype_);
    const npy_intp steps[] = {item, item, item};
    char* pointers[] = {PyArray_BYTES(first), PyArray_BYTES(second), PyArray_BYTES(to)};
    loop.function(pointers, &count_, steps, loop.data);
}

SmallShape* SmallShapes::of(PyArrayObject* array) {
    const npy_intp count = PyArray_SIZE(array);
    if (!is_usual(array) || count == 0 || count > kMostElements) return nullptr;
    for (const auto& each : each_) {
        if (each->has(array)) return each.get();
    }
    each_.push_back(std::make_unique<SmallShape>(array));
    return each_.back().get();
}

bool read_small_loop(const Loop& loop, PyArrayObject* const* operands, SmallShapes* shapes,
                     SmallLoop* found) {
    found->loop = loop;
    for (int k = 0; k < loop.inputs; ++k) {
        SmallShape* shape = operands[k] == nullptr ? nullptr : shapes->of(operands[k]);
        const PyArray_Descr* dtype = shape == nullptr ? nullptr : PyArray_DESCR(operands[k]);
        if (shape == nullptr || dtype->type_num != loop.out_type) return false;
        found->operands[k] = shape;
        if (found->result == nullptr || PyArray_NDIM(operands[k]) != 0) {
            const bool is_second = found->result != nullptr && found->result != shape;
            if (is_second && !found->result->is_number()) return false;
            found->result = shape;
        }
    }
    if (found->result != nullptr) found->result->want();
    return found->result != nullptr;
}

Ref SmallLoop::run(PyArrayObject* const* values) const {
    char* pointers[kMostLoopInputs + 1];
    npy_intp steps[kMostLoopInputs + 1];
    for (int k = 0; k < loop.inputs; ++k) {
        PyArrayObject* array = values[places[k]];
        if (array == nullptr || !operands[k]->has(array)) return Ref();
        pointers[k] = PyArray_BYTES(array);
        steps[k] = operands[k]->is_number() ? 0 : PyArray_ITEMSIZE(array);
    }
    Ref made = result->take();
    if (!made) return made;
    pointers[loop.inputs] = made.data<char>();
    steps[loop.inputs] = made.item_size();
    const npy_intp count = result->count();
    loop.function(pointers, &count, steps, loop.data);
    return made;
}

bool SmallProgram::read(const Program& program, const std::vector<PyArrayObject*>& values,
                        SmallShapes* shapes) {
    if (!program.reads.empty()) return false;
    std::vector<PyArrayObject*> registers(values);
    for (const Ref& each : program.constants) registers.push_back(each.array());
    std::vector<Ref> made;
    for (const Instruction& step : program.instructions) {
        if (step.kind != Instruction::loop || step.loop_used.inputs > 2) return false;
        SmallLoop found;
        found.places[0] = step.first;
        found.places[1] = step.second;
        PyArrayObject* operands[] = {registers[step.first],
                                     step.second < 0 ? nullptr : registers[step.second]};
        if (!read_small_loop(step.loop_used, operands, shapes, &found)) return false;
        made.push_back(found.result->take());
        if (!made.back()) return false;
        registers.push_back(made.back().array());
        loops.push_back(found);
    }
    return registers.size() <= kMostRegisters;
}

bool SmallProgram::run(const Program& program, PyObject* const* saved, int count, PyObject* g,
                       Gradients* gradients) const {
    PyArrayObject* registers[kMostRegisters];
    Ref made[kMostRegisters];
    int filled = count + 1;
    std::transform(saved, saved + count, registers, to_array);
    registers[count] = to_array(g);
    for (const Ref& constant : program.constants) registers[filled++] = constant.array();
    for (size_t i = 0; i < loops.size(); ++i) {
        made[i] = loops[i].run(registers);
        if (!made[i]) return false;
        registers[filled++] = made[i].array();
    }
    gradients->count = static_cast<int>(program.results.size());
    for (int i = 0; i < gradients->count; ++i) {
        const int from = program.results[i];
        if (from >= 0)
            gradients->each[i] = Ref::borrowed(reinterpret_cast<PyObject*>(registers[from]));
    }
    for (size_t i = 0; i < loops.size(); ++i) loops[i].result->leave(&made[i]);
    return true;
}

}  // namespace pellucid::recorded
