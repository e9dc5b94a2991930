#include "kernels.hpp"

#define LEVEL_TABLE baseline_table
#include "all.hpp"
