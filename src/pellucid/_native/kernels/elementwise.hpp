// Elementwise kernels: their names, and how C++ code runs them.
#pragma once

#include "kernels/precision.hpp"
#include "objects/numpy_api.hpp"

namespace pellucid {

// The kernels by name; see pointwise_lists.hpp.
enum class Pointwise : int;

// Computes `count` elements, which lie next to each other, as those of each operand do; y may be
// one of the operands.
using PointwiseLoop = void (*)(const void* const* operands, void* y, long count);

struct PointwiseKernel {
    PointwiseLoop loop;  // null where there is none
    int inputs;
    // the same for operands of which the last are single numbers, and how many these are
    PointwiseLoop loop_with_numbers = nullptr;
    int numbers = 0;
};

constexpr int kMostInputs = 5;

// Runs a kernel whose last operands are single numbers on as many threads as pay. Needs no
// interpreter lock.
void run_with_numbers(Pointwise name, Precision precision, const void* const* operands, void* y,
                      long count);

// The same for the gradient g where relu's result is not 0; `to` may be g.
void run_relu_backward(Precision precision, const void* g, const void* out, void* to, long count);

// Run a loop of NumPy's over elements on as many threads as pay, with the same bits as on one.
// Needs no interpreter lock.
void run_in_pieces(PyUFuncGenericFunction function, void* data, char* const* arguments,
                   const npy_intp* steps, int argument_count, npy_intp count);

// Adds the NumPy functions to the module.
bool add_functions_of_elements(PyObject* module);

}  // namespace pellucid
