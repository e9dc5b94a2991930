// What the source of the kernels needs, included before a level's target is set.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "blas.hpp"
#include "kernels.hpp"
#include "scratch.hpp"
#include "threads.hpp"
