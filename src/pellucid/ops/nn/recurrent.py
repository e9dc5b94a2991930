"""Recurrent networks: one step of each kind, and running the steps through time.

What the inputs contribute to all steps is one product, computed before the first step; a step is
left with one product, of the state before it, and one op for all gates. Where all sequences of an
LSTM or a GRU are equally long, its steps are one op.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.call.call import new_tensor
from pellucid.core.families import op
from pellucid.kernels.active import kernels_for
from pellucid.ops.elementwise.trigonometric import tanh
from pellucid.ops.linalg.matmul import as_rows, linear, matmul
from pellucid.ops.nn.activation import relu
from pellucid.ops.reduce.reductions import sum as total
from pellucid.ops.shape.join import cat, stack

State = tuple[Any, ...]
#: from what the input contributes, the state before, and the weights, to the state after
Step = Callable[[Any, State, "Weights"], State]


class Weights:
    """The parameters of one layer in one direction; absent ones are ``None``."""

    __slots__ = ("bias_hh", "bias_ih", "weight_hh", "weight_hr", "weight_ih")

    def __init__(
        self, weight_ih: Any, weight_hh: Any, bias_ih: Any = None, bias_hh: Any = None,
        weight_hr: Any = None,
    ) -> None:  # fmt: skip
        self.weight_ih = weight_ih
        self.weight_hh = weight_hh
        self.bias_ih = bias_ih
        self.bias_hh = bias_hh
        #: projects the output of an LSTM
        self.weight_hr = weight_hr


def _parts(array: Any, count: int) -> list[Any]:
    """Take a matrix apart along its columns."""
    size = array.shape[-1] // count
    return [array[:, number * size : (number + 1) * size] for number in range(count)]


@op(outputs=("h", "c", "gates"), node_name="lstm_cell")
def fused_lstm_cell(be, input, c_before, /):
    """Return the output, the cell and the gates of an LSTM, of what goes into the gates.

    Columns of ``input`` and ``gates``: input gate, forget gate, candidate, output gate. Hochreiter
    and Schmidhuber, "Long short-term memory" (1997).
    """
    return be.lstm_cell(input, c_before)


def _through_cell(g_h: Any, g_c: Any, o: Any, c: Any) -> Any:
    """Return the gradient of the cell, by way of itself and of the output."""
    if g_h is None:
        return g_c
    squashed = tanh(c)
    through = g_h * o * (1 - squashed * squashed)
    return through if g_c is None else through + g_c


@fused_lstm_cell.vjp("input")
def fused_lstm_cell_input(g_h, g_c, g_gates, c_before, c, gates):
    found = None
    if g_h is not None or g_c is not None:
        g_h = g_c * 0 if g_h is None else g_h
        found = lstm_cell_backward(gates, c_before, c, g_h, g_h * 0 if g_c is None else g_c)
    if g_gates is not None:
        by_gates = g_gates * cat(_slopes(gates), 1)
        found = by_gates if found is None else found + by_gates
    return found


@fused_lstm_cell.vjp("c_before")
def fused_lstm_cell_c_before(g_h, g_c, c, gates):
    if g_h is None:
        return None if g_c is None else g_c * _parts(gates, 4)[1]
    return lstm_cell_backward_cell(gates, c, g_h, g_h * 0 if g_c is None else g_c)


def _slopes(gates: Any) -> list[Any]:
    """Return the derivative of each gate with respect to its input."""
    i, f, candidate, o = _parts(gates, 4)
    return [i * (1 - i), f * (1 - f), 1 - candidate * candidate, o * (1 - o)]


@op
def lstm_cell_backward(be, gates, c_before, c, grad_h, grad_c, /):
    """Return the gradient of what goes into the gates, of those of the output and the cell."""
    return be.lstm_cell_to_input(gates, c_before, c, grad_h, grad_c)


@op
def lstm_cell_backward_cell(be, gates, c, grad_h, grad_c, /):
    """Return the gradient of the cell before a step, of those of the output and the cell after."""
    return be.lstm_cell_to_cell(gates, c, grad_h, grad_c)


@lstm_cell_backward_cell.vjp("grad_h")
def lstm_cell_backward_cell_grad_h(g, gates, c):
    _, f, _, o = _parts(gates, 4)
    return g * f * o * (1 - tanh(c) * tanh(c))


@lstm_cell_backward_cell.vjp("grad_c")
def lstm_cell_backward_cell_grad_c(g, gates):
    return g * _parts(gates, 4)[1]


@lstm_cell_backward_cell.vjp("c")
def lstm_cell_backward_cell_c(g, gates, c, grad_h):
    _, f, _, o = _parts(gates, 4)
    squashed = tanh(c)
    return g * f * grad_h * o * squashed * (1 - squashed * squashed) * -2


@lstm_cell_backward_cell.vjp("gates")
def lstm_cell_backward_cell_gates(g, gates, c, grad_h, grad_c):
    _, f, _, o = _parts(gates, 4)
    squashed, none = tanh(c), g * 0
    by_f = g * _through_cell(grad_h, grad_c, o, c)
    return cat([none, by_f, none, g * f * grad_h * (1 - squashed * squashed)], 1)


# Below, g has one part for each gate. Those of input gate, forget gate and candidate meet the
# gradient of the cell, "through", by a factor that `_by_cell` returns.


def _by_cell(g: Any, gates: Any, c_before: Any) -> Any:
    by_i, by_f, by_candidate, _ = _parts(g * cat(_slopes(gates), 1), 4)
    i, _, candidate, _ = _parts(gates, 4)
    return by_i * candidate + by_f * c_before + by_candidate * i


@lstm_cell_backward.vjp("grad_h")
def lstm_cell_backward_grad_h(g, gates, c_before, c):
    g_o, o, squashed = _parts(g, 4)[3], _parts(gates, 4)[3], tanh(c)
    by_cell = _by_cell(g, gates, c_before) * o * (1 - squashed * squashed)
    return by_cell + g_o * o * (1 - o) * squashed


@lstm_cell_backward.vjp("grad_c")
def lstm_cell_backward_grad_c(g, gates, c_before):
    return _by_cell(g, gates, c_before)


@lstm_cell_backward.vjp("c_before")
def lstm_cell_backward_c_before(g, gates, c, grad_h, grad_c):
    _, f, _, o = _parts(gates, 4)
    return _parts(g, 4)[1] * f * (1 - f) * _through_cell(grad_h, grad_c, o, c)


@lstm_cell_backward.vjp("c")
def lstm_cell_backward_c(g, gates, c_before, c, grad_h):
    g_o, o, squashed = _parts(g, 4)[3], _parts(gates, 4)[3], tanh(c)
    bent = _by_cell(g, gates, c_before) * squashed * -2 + g_o * (1 - o)
    return bent * grad_h * o * (1 - squashed * squashed)


@lstm_cell_backward.vjp("gates")
def lstm_cell_backward_gates(g, gates, c_before, c, grad_h, grad_c):
    i, f, candidate, o = _parts(gates, 4)
    g_i, g_f, g_candidate, g_o = _parts(g, 4)
    squashed = tanh(c)
    through = _through_cell(grad_h, grad_c, o, c)
    bent = 1 - candidate * candidate
    by_i = (g_i * candidate * (1 - 2 * i) + g_candidate * bent) * through
    by_f = g_f * c_before * (1 - 2 * f) * through
    by_candidate = (g_i * i * (1 - i) - g_candidate * i * candidate * 2) * through
    by_o = _by_cell(g, gates, c_before) * (1 - squashed * squashed)
    by_o = (by_o + g_o * squashed * (1 - 2 * o)) * grad_h
    return cat([by_i, by_f, by_candidate, by_o], 1)


# ---- all steps of an LSTM in one op -------------------------------------------------------------


@op(outputs=("h", "c", "gates"), node_name="lstm")
def lstm(be, input, h_first, c_first, weight, /, reverse=False):
    """Return outputs, cells and gates of all steps, of what inputs contribute to the gates.

    Shapes: ``input`` and ``gates`` ``[T, n, 4 H]``, outputs and cells ``[T, n, H]``, ``h_first``
    and ``c_first`` ``[n, H]``, ``weight`` ``[4 H, H]``. In reverse the last step comes first.
    """
    return be.lstm(input, h_first, c_first, weight, reverse)


@lstm.vjp("input h_first c_first weight")
def lstm_gradients(g_h, g_c, g_gates, h_first, c_first, weight, h, c, gates, reverse):
    given = [each for each in (g_h, g_c, g_gates) if each is not None]
    if g_gates is not None or any(isinstance(each, TensorBase) for each in given):
        by_gates, by_h, by_c = _lstm_step_by_step(
            g_h, g_c, g_gates, c_first, weight, c, gates, reverse
        )
    else:
        g_h = g_c * 0 if g_h is None else g_h
        kernels = kernels_for((gates,))
        by_gates, by_c = kernels.lstm_to_input(gates, c, c_first, weight, g_h, g_c, reverse)
        by_h = matmul(by_gates[-1 if reverse else 0], weight)
    return by_gates, by_h, by_c, _by_state_weight(by_gates, h_first, h, reverse)


def _lstm_step_by_step(
    g_h: Any, g_c: Any, g_gates: Any, c_first: Any, weight: Any, c: Any, gates: Any, reverse: bool
) -> tuple[Any, Any, Any]:
    """Return the gradients of gates, first output and first cell, by ops with derivatives."""
    count = len(gates)
    found: list[Any] = [None] * count
    by_h = by_c = None
    for t in range(count) if reverse else range(count - 1, -1, -1):
        before = t + 1 if reverse else t - 1
        c_before = c[before] if 0 <= before < count else c_first
        by_h = _plus(by_h, g_h, t)
        by_c = _plus(by_c, g_c, t)
        of_gates = None if g_gates is None else g_gates[t]
        found[t] = fused_lstm_cell_input(by_h, by_c, of_gates, c_before, c[t], gates[t])
        by_c = fused_lstm_cell_c_before(by_h, by_c, c[t], gates[t])
        by_h = matmul(found[t], weight)
    return stack(found), by_h, by_c


def _plus(later: Any, g: Any, t: int) -> Any:
    """Add the gradient of one step to what came from later ones."""
    if g is None:
        return later
    return g[t] if later is None else later + g[t]


@op(outputs=("h", "gates"), node_name="gru_cell")
def fused_gru_cell(be, input, recurrent, h_before, /):
    """Return the output and the gates of a GRU, of what inputs and state contribute to the gates.

    Columns: reset gate, update gate, candidate. Cho et al., "Learning phrase representations using
    RNN encoder-decoder for statistical machine translation" (2014).
    """
    return be.gru_cell(input, recurrent, h_before)


def _gru_gates(g_h: Any, g_gates: Any, recurrent: Any, h_before: Any, gates: Any) -> Any:
    """Return the gradients of what goes into each gate: reset, update, candidate."""
    r, z, candidate = _parts(gates, 3)
    g_r, g_z, g_candidate = [None] * 3 if g_gates is None else _parts(g_gates, 3)
    if g_h is not None:
        by_update, by_candidate = g_h * (h_before - candidate), g_h * (1 - z)
        g_z = by_update if g_z is None else by_update + g_z
        g_candidate = by_candidate if g_candidate is None else by_candidate + g_candidate
    into_candidate = g_candidate * (1 - candidate * candidate)
    by_reset = into_candidate * _parts(recurrent, 3)[2]
    g_r = by_reset if g_r is None else by_reset + g_r
    return g_r * (r * (1 - r)), g_z * (z * (1 - z)), into_candidate


def _gru_backward(g_h: Any, g_gates: Any, recurrent: Any, h_before: Any, gates: Any) -> Any:
    """Return the gradient of what the input contributes to the gates."""
    if g_gates is None:
        return gru_cell_backward(gates, recurrent, h_before, g_h)
    return cat(list(_gru_gates(g_h, g_gates, recurrent, h_before, gates)), 1)


@fused_gru_cell.vjp("input")
def fused_gru_cell_input(g_h, g_gates, recurrent, h_before, gates):
    return _gru_backward(g_h, g_gates, recurrent, h_before, gates)


@fused_gru_cell.vjp("recurrent")
def fused_gru_cell_recurrent(g_h, g_gates, recurrent, h_before, gates):
    by_input = _gru_backward(g_h, g_gates, recurrent, h_before, gates)
    reset, update, candidate = _parts(by_input, 3)
    return cat([reset, update, candidate * _parts(gates, 3)[0]], 1)


@fused_gru_cell.vjp("h_before")
def fused_gru_cell_h_before(g_h, gates):
    return None if g_h is None else g_h * _parts(gates, 3)[1]


@op
def gru_cell_backward(be, gates, recurrent, h_before, grad_h, /):
    """Return the gradient of what the input contributes to the gates, of that of the output."""
    return be.gru_cell_to_input(gates, recurrent, h_before, grad_h)


# Below, every part of g meets the gradient of what goes into the candidate by a factor.


def _by_candidate(g: Any, gates: Any, recurrent: Any) -> Any:
    (by_r, _, by_candidate), (r, _, _) = _parts(g, 3), _parts(gates, 3)
    return by_r * _parts(recurrent, 3)[2] * r * (1 - r) + by_candidate


@gru_cell_backward.vjp("grad_h")
def gru_cell_backward_grad_h(g, gates, recurrent, h_before):
    _, z, candidate = _parts(gates, 3)
    by_candidate = _by_candidate(g, gates, recurrent) * (1 - z) * (1 - candidate * candidate)
    return by_candidate + _parts(g, 3)[1] * (h_before - candidate) * z * (1 - z)


@gru_cell_backward.vjp("h_before")
def gru_cell_backward_h_before(g, gates, grad_h):
    z = _parts(gates, 3)[1]
    return _parts(g, 3)[1] * grad_h * z * (1 - z)


@gru_cell_backward.vjp("recurrent")
def gru_cell_backward_recurrent(g, gates, grad_h):
    r, z, candidate = _parts(gates, 3)
    into_candidate = grad_h * (1 - z) * (1 - candidate * candidate)
    by_candidate = _parts(g, 3)[0] * into_candidate * r * (1 - r)
    return cat([by_candidate * 0, by_candidate * 0, by_candidate], 1)


@gru_cell_backward.vjp("gates")
def gru_cell_backward_gates(g, gates, recurrent, h_before, grad_h):
    r, z, candidate = _parts(gates, 3)
    g_r, g_z, _ = _parts(g, 3)
    factor, bent = _by_candidate(g, gates, recurrent), 1 - candidate * candidate
    by_r = g_r * grad_h * (1 - z) * bent * _parts(recurrent, 3)[2] * (1 - 2 * r)
    by_z = g_z * grad_h * (h_before - candidate) * (1 - 2 * z) - factor * grad_h * bent
    by_candidate = factor * (1 - z) * candidate * 2 + g_z * z * (1 - z)
    return cat([by_r, by_z, by_candidate * grad_h * -1], 1)


# ---- all steps of a GRU in one op --------------------------------------------------------------


@op(outputs=("h", "gates"), node_name="gru")
def gru(be, input, h_first, weight, bias, /, reverse=False):
    """Return outputs and gates of all steps, of what inputs contribute to the gates.

    Shapes: ``input`` ``[T, n, 3 H]``, outputs ``[T, n, H]``, ``h_first`` ``[n, H]``, ``weight``
    ``[3 H, H]``, ``bias`` ``[3 H]``, and ``gates`` ``[T, n, 4 H]``: reset gate, update gate,
    candidate, and what the state contributes to the candidate. In reverse the last step comes
    first.
    """
    return be.gru(input, h_first, weight, bias, reverse)


@gru.vjp("input h_first weight bias")
def gru_gradients(g_h, g_gates, h_first, weight, h, gates, reverse):
    given = [each for each in (g_h, g_gates) if each is not None]
    if g_gates is not None or any(isinstance(each, TensorBase) for each in given):
        by_input, by_recurrent, by_h = _gru_step_by_step(
            g_h, g_gates, h_first, weight, h, gates, reverse
        )
    else:
        kernels = kernels_for((gates,))
        by_input, by_recurrent, by_h = kernels.gru_to_input(gates, h, h_first, weight, g_h, reverse)
    by_weight = _by_state_weight(by_recurrent, h_first, h, reverse)
    return by_input, by_h, by_weight, total(as_rows(by_recurrent), (0,))


def _gru_step_by_step(
    g_h: Any, g_gates: Any, h_first: Any, weight: Any, h: Any, gates: Any, reverse: bool
) -> tuple[Any, Any, Any]:
    """Return the gradients of both parts of the gates and of the first state, by ops."""
    count, size = len(h), h.shape[-1]
    by_input: list[Any] = [None] * count
    by_recurrent: list[Any] = [None] * count
    by_h = None
    for t in range(count) if reverse else range(count - 1, -1, -1):
        before = t + 1 if reverse else t - 1
        h_before = h[before] if 0 <= before < count else h_first
        by_h = _plus(by_h, g_h, t)
        own, recurrent = gates[t][:, : 3 * size], gates[t][:, size:]
        of_gates = None if g_gates is None else g_gates[t][:, : 3 * size]
        by_input[t] = _gru_backward(by_h, of_gates, recurrent, h_before, own)
        reset, update, candidate = _parts(by_input[t], 3)
        by_state = candidate * _parts(own, 3)[0]
        by_state = by_state if g_gates is None else by_state + g_gates[t][:, 3 * size :]
        by_recurrent[t] = cat([reset, update, by_state], 1)
        by_next = matmul(by_recurrent[t], weight)
        by_h = by_next if by_h is None else by_next + by_h * _parts(own, 3)[1]
    return stack(by_input), stack(by_recurrent), by_h


def _by_state_weight(by_gates: Any, h_first: Any, h: Any, reverse: bool) -> Any:
    """Return the gradient of the weight of the state, of those of all steps' gates."""
    by_weight = matmul(by_gates[-1 if reverse else 0].mT, h_first)
    if len(by_gates) == 1:
        return by_weight
    earlier, later = (slice(1, None), slice(None, -1)) if reverse else (slice(-1), slice(1, None))
    return by_weight + matmul(as_rows(by_gates[later]).mT, as_rows(h[earlier]))


# ---- steps ------------------------------------------------------------------------------------


def lstm_step(from_input: Any, state: State, weights: Weights) -> State:
    """Return output and cell after one step of an LSTM."""
    h, c = state
    out, cell, _ = fused_lstm_cell(from_input + linear(h, weights.weight_hh), c)
    if weights.weight_hr is not None:
        out = linear(out, weights.weight_hr)
    return out, cell


def lstm_layer(projected: Any, state: State, weights: Weights, reverse: bool) -> tuple[Any, State]:
    """Return the outputs of all steps of an LSTM without projection, and its last state."""
    out, cells, _ = lstm(projected, *state, weights.weight_hh, reverse)
    last = 0 if reverse else -1
    return out, (out[last], cells[last])


def gru_layer(projected: Any, state: State, weights: Weights, reverse: bool) -> tuple[Any, State]:
    """Return the outputs of all steps of a GRU, and its last state."""
    weight, bias = weights.weight_hh, weights.bias_hh
    if bias is None:
        bias = new_tensor(np.zeros(len(weight), weight._array.dtype))
    out, _ = gru(projected, *state, weight, bias, reverse)
    return out, (out[0 if reverse else -1],)


def gru_step(from_input: Any, state: State, weights: Weights) -> State:
    """Return the output after one step of a GRU."""
    (h,) = state
    return (fused_gru_cell(from_input, linear(h, weights.weight_hh, weights.bias_hh), h)[0],)


def tanh_step(from_input: Any, state: State, weights: Weights) -> State:
    """Return the output after one step of an Elman network with tanh."""
    return (tanh(from_input + linear(state[0], weights.weight_hh)),)


def relu_step(from_input: Any, state: State, weights: Weights) -> State:
    """Return the output after one step of an Elman network with relu."""
    return (relu(from_input + linear(state[0], weights.weight_hh)),)


STEPS: dict[str, Step] = {
    "LSTM": lstm_step,
    "GRU": gru_step,
    "RNN_TANH": tanh_step,
    "RNN_RELU": relu_step,
}


#: the layers whose steps are one op where all sequences are equally long
LAYERS: dict[str, Callable[[Any, State, Weights, bool], tuple[Any, State]]] = {
    "LSTM": lstm_layer,
    "GRU": gru_layer,
}


def project(mode: str, input: Any, weights: Weights) -> Any:
    """Return what inputs of all steps contribute to the gates, biases included where they add up.

    The recurrent bias of a GRU does not: its reset gate multiplies it.
    """
    bias = weights.bias_ih
    if bias is not None and mode != "GRU":
        bias = bias + weights.bias_hh
    return linear(input, weights.weight_ih, bias)


def run(
    step: Step, projected: Sequence[Any], sizes: Sequence[int], state: State, weights: Weights,
    reverse: bool,
) -> tuple[list[Any], State]:  # fmt: skip
    """Run through time: return the outputs in order of time, and the last state of each sequence.

    ``sizes`` tells how many sequences, the first ones, are still there at each time; it never
    grows. In reverse, each sequence starts at its own end.
    """
    if reverse:
        return _run_backwards(step, projected, sizes, state, weights)
    outputs: list[Any] = []
    finished: list[State] = []
    alive = sizes[0]
    for from_input, size in zip(projected, sizes, strict=True):
        if size < alive:
            finished.append(tuple(each[size:] for each in state))
            state, alive = tuple(each[:size] for each in state), size
        state = step(from_input, state, weights)
        outputs.append(state[0])
    return outputs, _joined([state, *reversed(finished)])


def _run_backwards(
    step: Step, projected: Sequence[Any], sizes: Sequence[int], first: State, weights: Weights
) -> tuple[list[Any], State]:
    outputs: list[Any] = []
    alive = sizes[-1]
    state = first if alive == sizes[0] else tuple(each[:alive] for each in first)
    for from_input, size in zip(reversed(projected), reversed(sizes), strict=True):
        if size > alive:
            state = _joined([state, tuple(each[alive:size] for each in first)])
            alive = size
        state = step(from_input, state, weights)
        outputs.append(state[0])
    return outputs[::-1], state


def _joined(states: list[State]) -> State:
    if len(states) == 1:
        return states[0]
    return tuple(cat(list(parts)) for parts in zip(*states, strict=True))
