// Which instructions of the processor the kernels use.
#pragma once

namespace pellucid {

enum class Level { baseline, avx2, avx512 };

// The highest level that this processor has, limited by the environment variable PELLUCID_NATIVE.
Level processor_level();

const char* level_name(Level level);

}  // namespace pellucid
