// The array kernels: one table of functions for each processor level, compiled from one source.
#pragma once

#include "../numpy_api.hpp"
#include "convolution_job.hpp"

namespace pellucid {

// Which entry of a table's pairs is for which dtype.
enum Precision { kSingle, kDouble };

// Does one part of a job; the parts may run side by side.
template <class Job>
using Part = void (*)(const Job& job, long part);

// What the three translation units fill, each for its level.
struct KernelTable {
    long vector_bytes, filters_at_once;
    Part<ConvolutionJob> convolve_tile[2];
    Part<FilterGradientJob> correlate_share[2];
};

extern const KernelTable baseline_table, avx2_table, avx512_table;

// The table for the level in use.
const KernelTable& kernels();

// Adds the submodule `kernels` with the functions that Python calls.
bool add_kernels(PyObject* module);

}  // namespace pellucid
