// What the source of the kernels needs, included before a level's target is set.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "blas.hpp"
#include "kernels.hpp"
#include "scratch.hpp"
#include "threads.hpp"
