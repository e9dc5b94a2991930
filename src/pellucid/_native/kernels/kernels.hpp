// The array kernels: one table of functions for each processor level, compiled from one source.
#pragma once

#include "../numpy_api.hpp"

namespace pellucid {

// What the three translation units fill, each for its level.
struct KernelTable {
    // y = max(x, 0) over contiguous float32
    void (*relu_float)(const float* x, float* y, npy_intp count);
};

extern const KernelTable baseline_table, avx2_table, avx512_table;

// The table for the level in use.
const KernelTable& kernels();

// Adds the submodule `kernels` with the functions that Python calls.
bool add_kernels(PyObject* module);

}  // namespace pellucid
