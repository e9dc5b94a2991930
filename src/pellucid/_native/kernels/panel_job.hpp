// What the compiled loops of a product of matrices are given.
#pragma once

namespace pellucid {

// A product of float32 matrices whose second factor is laid out in panels. The result is computed
// in `row_parts` times `panel_parts` parts, of whole tiles; see Note [Products by panels].
struct PanelJob {
    const float* first;
    long first_step;  // between rows of the first factor, or columns if it is turned
    bool first_turned;
    const float* second;
    long second_step;
    bool second_turned;
    float* panels;  // [panel][inner][columns of a panel], or null
    bool lays_out;  // without panels: whether each part lays out what it multiplies
    float* out;
    long out_step;
    const float* bias;  // added to every row, or null
    bool adds;          // to what `out` holds
    long rows, inner, columns;
    long row_parts, panel_parts, panel_count;
    // Panel p begins at column p * panel_columns; the last one may have fewer.
    long panel_columns;
};

}  // namespace pellucid
