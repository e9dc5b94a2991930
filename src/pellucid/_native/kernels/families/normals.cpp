#include "kernels/begin_level.hpp"

#include "kernels/normals.hpp"

namespace pellucid::PELLUCID_LEVEL {

void add_normals(KernelTable& table) { table.normal_groups = normal_groups; }

}  // namespace pellucid::PELLUCID_LEVEL

#include "kernels/end_level.hpp"
