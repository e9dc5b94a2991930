#include "kernels/begin_level.hpp"

#include "kernels/panels.hpp"

namespace pellucid::PELLUCID_LEVEL {

void add_products(KernelTable& table) {
    table.panel_columns = kPanelColumns;
    table.lay_out_panel = lay_out_panel;
    table.multiply_part = multiply_part;
}

}  // namespace pellucid::PELLUCID_LEVEL

#include "kernels/end_level.hpp"
