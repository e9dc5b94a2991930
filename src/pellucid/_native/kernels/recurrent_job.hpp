// What the loops of recurrent cells are given: matrices of one row per sequence.
#pragma once

namespace pellucid {

// Columns of the gates of an LSTM: input gate, forget gate, candidate, output gate; of a GRU:
// reset gate, update gate, candidate, and for all steps of a layer what the state contributes to
// the candidate.
struct RecurrentJob {
    const void *input, *recurrent;              // what goes into the gates; recurrent may be null
    const void *before, *cell;                  // the state before, and the cell after the step
    const void *grad_h, *grad_c, *more_grad_c;  // more_grad_c, if any, is added to grad_c
    void *gates, *out_h, *out_c;                // gates are given for gradients
    void *grad_input, *grad_recurrent;
    long rows, size, rows_at_once;
};

}  // namespace pellucid
