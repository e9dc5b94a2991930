"""The elementwise part of recurrent cells: gates from what goes into them, and the state."""

from __future__ import annotations

import numpy as np

from pellucid.kernels.numpy import Array
from pellucid.kernels.numpy.activations import sigmoid


def columns(x: Array, count: int) -> list[Array]:
    """Take a matrix apart along its columns."""
    size = x.shape[-1] // count
    return [x[:, number * size : (number + 1) * size] for number in range(count)]


def lstm_cell(x: Array, c_before: Array) -> tuple[Array, Array, Array]:
    """Return the output ``[n, H]``, the cell ``[n, H]`` and the gates ``[n, 4 H]`` of an LSTM.

    `x` is what goes into the gates. Their columns: input gate, forget gate, candidate, output gate.
    Hochreiter and Schmidhuber, "Long short-term memory" (1997).
    """
    size = c_before.shape[-1]
    gates = sigmoid(x)
    np.tanh(x[:, 2 * size : 3 * size], out=gates[:, 2 * size : 3 * size])
    i, f, candidate, o = columns(gates, 4)
    c = f * c_before + i * candidate
    return o * np.tanh(c), c, gates


def lstm_cell_to_input(
    gates: Array, c_before: Array, c: Array, grad_h: Array, grad_c: Array
) -> Array:
    """Return the gradient of what goes into the gates, of those of the output and the cell."""
    size = c.shape[-1]
    i, _, candidate, o = columns(gates, 4)
    squashed = np.tanh(c)
    through = grad_h * o
    through *= 1 - squashed * squashed
    through += grad_c
    out = 1 - gates
    out *= gates
    out[:, 2 * size : 3 * size] = 1 - candidate * candidate
    for part, first, second in zip(
        columns(out, 4), (candidate, c_before, i, squashed), (*[through] * 3, grad_h), strict=True
    ):
        part *= first
        part *= second
    return out


def lstm_cell_to_cell(gates: Array, c: Array, grad_h: Array, grad_c: Array) -> Array:
    """Return the gradient of the cell before a step, of those of the output and the cell after."""
    _, f, _, o = columns(gates, 4)
    squashed = np.tanh(c)
    out = grad_h * o
    out *= 1 - squashed * squashed
    out += grad_c
    out *= f
    return out


def _order(steps: int, reverse: bool) -> range:
    return range(steps - 1, -1, -1) if reverse else range(steps)


def lstm(
    x: Array, h_first: Array, c_first: Array, weight: Array, reverse: bool
) -> tuple[Array, Array, Array]:
    """Return outputs ``[T, n, H]``, cells ``[T, n, H]`` and gates ``[T, n, 4 H]`` of all steps.

    `x`, of the shape of the gates, is what inputs and biases contribute to them; `weight` ``[4 H,
    H]`` multiplies the output of the step before. In reverse the last step comes first.
    """
    h, c = np.empty((2, *x.shape[:2], c_first.shape[-1]), x.dtype)
    gates = np.empty_like(x)
    before, c_before = h_first, c_first
    for t in _order(len(x), reverse):
        h[t], c[t], gates[t] = lstm_cell(x[t] + before.dot(weight.T), c_before)
        before, c_before = h[t], c[t]
    return h, c, gates


def lstm_to_input(
    gates: Array, c: Array, c_first: Array, weight: Array, grad_h: Array, grad_c: Array | None,
    reverse: bool,
) -> tuple[Array, Array]:  # fmt: skip
    """Return the gradients of what goes into the gates of all steps, and of the first cell."""
    out = np.empty_like(gates)
    steps = list(_order(len(gates), reverse))
    by_c = np.zeros_like(c_first)
    by_h = np.zeros_like(c_first)
    for t, before in zip(reversed(steps), [*reversed(steps[:-1]), None], strict=True):
        c_before = c_first if before is None else c[before]
        by_h = by_h + grad_h[t]
        by_c = by_c if grad_c is None else by_c + grad_c[t]
        out[t] = lstm_cell_to_input(gates[t], c_before, c[t], by_h, by_c)
        by_c = lstm_cell_to_cell(gates[t], c[t], by_h, by_c)
        by_h = out[t].dot(weight)
    return out, by_c


def gru_cell(x: Array, recurrent: Array, h_before: Array) -> tuple[Array, Array]:
    """Return the output ``[n, H]`` and the gates ``[n, 3 H]`` of a GRU.

    `x` and `recurrent` are what inputs and state contribute to the gates. Columns: reset gate,
    update gate, candidate. Cho et al., "Learning phrase representations using RNN encoder-decoder
    for statistical machine translation" (2014).
    """
    size = h_before.shape[-1]
    both = sigmoid(x[:, : 2 * size] + recurrent[:, : 2 * size])
    r, z = columns(both, 2)
    candidate = np.tanh(x[:, 2 * size :] + r * recurrent[:, 2 * size :])
    return candidate + z * (h_before - candidate), np.concatenate([both, candidate], 1)


def gru(x: Array, h_first: Array, weight: Array, bias: Array, reverse: bool) -> tuple[Array, Array]:
    """Return outputs ``[T, n, H]`` and gates ``[T, n, 4 H]`` of all steps of a GRU.

    `x` ``[T, n, 3 H]`` is what inputs contribute to the gates; `weight` ``[3 H, H]`` multiplies the
    output of the step before, and `bias` is added to that. The last quarter of the gates is what
    the state contributes to the candidate. In reverse the last step comes first.
    """
    size = h_first.shape[-1]
    h = np.empty((*x.shape[:2], size), x.dtype)
    gates = np.empty((*x.shape[:2], 4 * size), x.dtype)
    before = h_first
    for t in _order(len(x), reverse):
        recurrent = before.dot(weight.T) + bias
        h[t], gates[t, :, : 3 * size] = gru_cell(x[t], recurrent, before)
        gates[t, :, 3 * size :] = columns(recurrent, 3)[2]
        before = h[t]
    return h, gates


def gru_to_input(
    gates: Array, h: Array, h_first: Array, weight: Array, grad_h: Array, reverse: bool
) -> tuple[Array, Array, Array]:
    """Return the gradients of what inputs and states contribute to the gates, and of the first.

    The former two are ``[T, n, 3 H]``, that of the first state ``[n, H]``.
    """
    size = h.shape[-1]
    by_input = np.empty((*h.shape[:2], 3 * size), h.dtype)
    by_recurrent = np.empty_like(by_input)
    by_h = np.zeros_like(h_first)
    steps = list(_order(len(h), reverse))
    for t, before in zip(reversed(steps), [*reversed(steps[:-1]), None], strict=True):
        by_h = by_h + grad_h[t]
        h_before = h_first if before is None else h[before]
        recurrent = gates[t, :, size:]  # whose last third the candidate reads
        by_input[t] = gru_cell_to_input(gates[t, :, : 3 * size], recurrent, h_before, by_h)
        by_recurrent[t] = by_input[t]
        by_recurrent[t, :, 2 * size :] *= gates[t, :, :size]
        by_h = by_h * columns(gates[t], 4)[1] + by_recurrent[t].dot(weight)
    return by_input, by_recurrent, by_h


def gru_cell_to_input(gates: Array, recurrent: Array, h_before: Array, grad_h: Array) -> Array:
    """Return the gradient of what inputs contribute to the gates, of that of the output."""
    r, z, candidate = columns(gates, 3)
    by_candidate = grad_h * (1 - z) * (1 - candidate * candidate)
    by_reset = by_candidate * columns(recurrent, 3)[2] * (r * (1 - r))
    by_update = grad_h * (h_before - candidate) * (z * (1 - z))
    return np.concatenate([by_reset, by_update, by_candidate], 1)
