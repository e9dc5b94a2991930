// Loops over small arrays, run straight on their memory.
//
// Note [Small loops]
// What a step on a few elements costs is what is done around it: asking how its operands lie in
// memory, making an array and dropping it. In a recorded pass that is known beforehand. A loop
// whose operands lay in memory without gaps, in one shape or as single numbers, is called on their
// elements, and writes into an array of that shape which an earlier step or run has left. Each run
// asks again whether its operands are of that shape; where one is not, the step runs as any other.
#pragma once

#include <memory>
#include <vector>

#include "engine/program.hpp"
#include "objects/loops.hpp"
#include "objects/reference.hpp"

namespace pellucid::recorded {

// A shape of few elements, a dtype, and arrays of both without gaps that nobody has any more.
class SmallShape {
  public:
    explicit SmallShape(PyArrayObject* like);

    // Whether an array is of this shape and dtype, without gaps.
    bool has(PyArrayObject* array) const;

    // An array with any values in it; null with an error.
    Ref take();

    // Keeps an array for later if it is of this shape and nobody else has it; leaves none behind.
    void leave(Ref* array);

    // Writes the sum of two arrays of this shape into a third, which may be one of them.
    void add(PyArrayObject* first, PyArrayObject* second, PyArrayObject* to) const;

    // Notes that a step makes an array of this shape: so many are kept.
    void want() { ++wanted_; }

    npy_intp count() const { return count_; }
    bool is_number() const { return sizes_.empty(); }

  private:
    PyArray_Descr* dtype_;  // one of those that live for ever
    std::vector<npy_intp> sizes_;
    npy_intp count_;
    size_t wanted_ = 0;
    std::vector<Ref> spare_;
};

// All small shapes of a pass; arrays of one shape have the same.
class SmallShapes {
  public:
    // The shape of an array; null if it is not small, has gaps, or has no usual dtype.
    SmallShape* of(PyArrayObject* array);

  private:
    std::vector<std::unique_ptr<SmallShape>> each_;
};

// A loop whose operands and result are of one shape, or single numbers.
struct SmallLoop {
    Loop loop;
    int places[kMostLoopInputs];  // of the operands among values
    SmallShape* operands[kMostLoopInputs];
    SmallShape* result = nullptr;

    // Runs it on the values; empty, with or without an error, where one is not as it was.
    Ref run(PyArrayObject* const* values) const;
};

// The loops of a program that is nothing else.
struct SmallProgram {
    std::vector<SmallLoop> loops;

    // Reads a program for values that look like these: what was saved, and the gradient. False,
    // with or without an error, where it is more than small loops.
    bool read(const Program& program, const std::vector<PyArrayObject*>& values,
              SmallShapes* shapes);

    // Runs it for a node; false, with or without an error, where it does not fit.
    bool run(const Program& program, PyObject* const* saved, int count, PyObject* g,
             Gradients* gradients) const;
};

// The loop over operands like these; false where they or it are not small.
bool read_small_loop(const Loop& loop, PyArrayObject* const* operands, SmallShapes* shapes,
                     SmallLoop* found);

}  // namespace pellucid::recorded
