// What the source of the kernels needs, included before a level's target is set.
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "kernels/blas.hpp"
#include "kernels/kernels.hpp"
#include "kernels/scratch.hpp"
#include "kernels/threads.hpp"
#include "kernels/twister_state.hpp"
