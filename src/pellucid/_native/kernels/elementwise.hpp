// Elementwise kernels: their names, and how C++ code runs them.
#pragma once

#include "../numpy_api.hpp"
#include "precision.hpp"

namespace pellucid {

// Note [Lists of kernels]
// A kernel is named once, in one of the lists below. The lists make the enumeration by which C++
// code asks for a kernel, the tables of each processor level, and NumPy functions (ufuncs) of the
// same names. The kernel `exp` is computed by the function `exp_of` in functions_of_numbers.hpp.

// of NumPy's functions, whose loops for float32 and float64 they replace
#define PELLUCID_UNARY_OF_NUMPY(DO) DO(exp) DO(log) DO(log1p) DO(tanh)

// of NumPy's functions, whose loop for float32 they replace: functions of angles, and others
#define PELLUCID_ANGLES_OF_NUMPY(DO) DO(sin) DO(cos) DO(tan)
#define PELLUCID_SINGLE_OF_NUMPY(DO) \
    DO(exp2) DO(expm1) DO(log2) DO(log10) DO(sinh) DO(cosh) DO(arctanh) \
    DO(arctan) DO(arcsin) DO(arccos)

// for float32 and float64
#define PELLUCID_UNARY_OF_BOTH(DO) \
    DO(relu) DO(sigmoid) DO(log_sigmoid) DO(silu) DO(silu_slope) DO(gelu_tanh) DO(gelu_tanh_slope)

// for float32
#define PELLUCID_UNARY_OF_SINGLE(DO) DO(erf) DO(gelu) DO(gelu_slope)

#define PELLUCID_ENUMERATE(name) k_##name,
enum class Unary {
    PELLUCID_UNARY_OF_NUMPY(PELLUCID_ENUMERATE) PELLUCID_ANGLES_OF_NUMPY(PELLUCID_ENUMERATE)
    PELLUCID_SINGLE_OF_NUMPY(PELLUCID_ENUMERATE) PELLUCID_UNARY_OF_BOTH(PELLUCID_ENUMERATE)
        PELLUCID_UNARY_OF_SINGLE(PELLUCID_ENUMERATE) count
};
#undef PELLUCID_ENUMERATE

// count elements that lie next to each other; y may be x
using UnaryLoop = void (*)(const void* x, void* y, long count);

// Compute the elements on as many threads as pay. Needs no interpreter lock.
void run_unary(Unary kernel, Precision precision, const void* x, void* y, long count);

// The same for the gradient g where relu's result is not 0; `to` may be g.
void run_relu_backward(Precision precision, const void* g, const void* out, void* to, long count);

// Run a loop of NumPy's over elements on as many threads as pay, with the same bits as on one.
// Needs no interpreter lock.
void run_in_pieces(PyUFuncGenericFunction function, void* data, char* const* arguments,
                   const npy_intp* steps, int argument_count, npy_intp count);

// Adds the NumPy functions to the module.
bool add_functions_of_elements(PyObject* module);

}  // namespace pellucid
