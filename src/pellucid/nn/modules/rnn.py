"""Recurrent layers and cells."""

from __future__ import annotations

import math
import warnings
from typing import Any

from pellucid.autograd.modes import modes, no_autocast
from pellucid.core.call.compiled import regular, remember_nothing
from pellucid.errors import ArgumentError, ArgumentTypeError, ShapeError
from pellucid.interpreters.autocast import Casting
from pellucid.nn import functional, init
from pellucid.nn.modules.module import Module
from pellucid.nn.parameter import Parameter
from pellucid.nn.utils.rnn import PackedSequence
from pellucid.ops.nn.recurrent import LAYERS, STEPS, Weights, project, run
from pellucid.ops.shape.join import cat, stack
from pellucid.tensors import Tensor
from pellucid.tensors.creation import empty, zeros

#: number of gates, each of the hidden size, of each mode
_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


class RNNBase(Module):
    """Base class of recurrent layers.

    Args:
        mode: ``"RNN_TANH"``, ``"RNN_RELU"``, ``"LSTM"`` or ``"GRU"``.
        input_size: Number of features of the input.
        hidden_size: Number of features of the hidden state.
        num_layers: Number of stacked layers.
        bias: Whether the layers have biases.
        batch_first: Whether the batch dim comes first: ``[B, T, size]`` instead of ``[T, B,
            size]``.
        dropout: Dropout probability on the outputs of all layers but the last, in training.
        bidirectional: Whether to process the sequence in both directions.
        proj_size: Size to which the outputs of an LSTM are projected; 0 means none.
        device: Device of the parameters; the CPU is the only one.
        dtype: Floating-point dtype of the parameters; the default dtype if None.

    Raises:
        ValueError: If an argument is out of range.

    >>> torch.nn.RNNBase("GRU", 2, 3)(torch.zeros(5, 1, 2))[0].shape
    torch.Size([5, 1, 3])
    """

    def __init__(
        self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        proj_size: int = 0, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        _check_flags(bias=bias, batch_first=batch_first)
        _check_arguments(mode, input_size, hidden_size, num_layers, dropout, proj_size)
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._all_weights: tuple[tuple[str, ...], ...] = ()
        for layer in range(num_layers):
            for suffix in self._suffixes():
                self._add_layer(layer, suffix, {"device": device, "dtype": dtype})
        self.reset_parameters()

    def _suffixes(self) -> tuple[str, ...]:
        return ("", "_reverse") if self.bidirectional else ("",)

    @property
    def _output_size(self) -> int:
        return self.proj_size or self.hidden_size

    def _add_layer(self, layer: int, suffix: str, factory: dict[str, Any]) -> None:
        rows = _GATES[self.mode] * self.hidden_size
        width = self._output_size * len(self._suffixes()) if layer else self.input_size
        shapes: dict[str, tuple[int, ...]] = {
            "weight_ih": (rows, width),
            "weight_hh": (rows, self._output_size),
        }
        if self.bias:
            shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
        if self.proj_size:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        for name, shape in shapes.items():
            setattr(self, f"{name}_l{layer}{suffix}", Parameter(empty(shape, **factory)))
        self._all_weights += (tuple(f"{name}_l{layer}{suffix}" for name in shapes),)

    def reset_parameters(self) -> None:
        """Initialize all parameters uniformly within 1 / sqrt(hidden_size).

        >>> torch.nn.GRU(2, 3).reset_parameters()
        """
        bound = 1 / math.sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def flatten_parameters(self) -> None:
        """Do nothing: the parameters need not be contiguous."""

    @property
    def all_weights(self) -> list[list[Any]]:
        """The parameters, as one list for each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights_names(self) -> list[str]:
        """The names of all parameters, which some published programs read."""
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self) -> list[Any]:
        """All parameters in the order of their names."""
        return [getattr(self, name) for name in self._flat_weights_names]

    def _weights(self, casting: Casting | None) -> list[Weights]:
        """Return the parameters of each layer and direction, cast as autocast requires."""
        found: list[Weights] = []
        for names in self._all_weights:
            values = tuple(getattr(self, name) for name in names)
            values = values if casting is None else casting.lowered(values)
            keys = [name.partition("_l")[0] for name in names]
            found.append(Weights(**dict(zip(keys, values, strict=True))))
        return found

    # ---- computation ------------------------------------------------------------------------

    @regular
    def forward(self, input: Tensor | PackedSequence, hx: Any = None) -> tuple[Any, Any]:
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        if input.dim() not in (2, 3):
            name = "RNN" if self.mode.startswith("RNN") else self.mode
            raise ArgumentError(
                f"{name}: Expected input to be 2D or 3D, got {input.dim()}D "
                f"{'tensor ' if name == 'RNN' else ''}instead"
            )
        batched = input.dim() == 3
        state = None if hx is None else _as_tuple(hx)
        if state is not None:
            _check_state_rank(state, batched)
        if not batched:
            input = input.unsqueeze(1)
            state = state and tuple(each.unsqueeze(1) for each in state)
        elif self.batch_first:
            input = input.transpose(0, 1)
        self._check_input(input)
        sizes = [input.shape[1]] * input.shape[0]
        output, state = self._run(input, sizes, self._first_state(state, input.shape[1], input))
        if not batched:
            output, state = output.squeeze(1), tuple(each.squeeze(1) for each in state)
        elif self.batch_first:
            output = output.transpose(0, 1)
        return output, self._public_state(state)

    def _forward_packed(self, input: PackedSequence, hx: Any) -> Any:
        remember_nothing()  # sizes are values
        self._check_input(input.data)
        sizes = input.batch_sizes.tolist()
        state = None if hx is None else _as_tuple(hx)
        if state is not None and input.sorted_indices is not None:
            state = tuple(each.index_select(1, input.sorted_indices) for each in state)
        output, state = self._run(input.data, sizes, self._first_state(state, sizes[0], input.data))
        if input.unsorted_indices is not None:
            state = tuple(each.index_select(1, input.unsorted_indices) for each in state)
        return input._with_data(output), self._public_state(state)

    def _public_state(self, state: tuple[Any, ...]) -> Any:
        return state if self.mode == "LSTM" else state[0]

    def _run(self, input: Any, sizes: list[int], first: tuple[Any, ...]) -> Any:
        """Return outputs and final states for input ``[T, B, size]`` or packed ``[N, size]``.

        Autocast casts an LSTM as a whole where PyTorch has one kernel for it, otherwise each
        product.
        """
        casting = modes.autocast
        if casting is None or self.mode != "LSTM" or self.proj_size or input.dim() == 2:
            return self._run_layers(input, sizes, first, self._weights(None))
        with no_autocast():
            input, *first_states = casting.lowered((input, *first))
            return self._run_layers(input, sizes, tuple(first_states), self._weights(casting))

    def _run_layers(
        self, input: Any, sizes: list[int], first: tuple[Any, ...], all_weights: list[Weights]
    ) -> Any:
        step = STEPS[self.mode]
        directions = len(self._suffixes())
        in_one = input.dim() == 3 and self._in_one()
        rows = [each.unbind(0) for each in first]
        last: list[tuple[Any, ...]] = []
        for layer in range(self.num_layers):
            outputs = []
            for direction in range(directions):
                place = layer * directions + direction
                weights = all_weights[place]
                projected = project(self.mode, input, weights)
                start = tuple(each[place] for each in rows)
                if in_one:
                    values, state = LAYERS[self.mode](projected, start, weights, direction == 1)
                else:
                    over_time = projected.unbind(0) if input.dim() == 3 else projected.split(sizes)
                    steps, state = run(step, over_time, sizes, start, weights, direction == 1)
                    values = stack(steps) if input.dim() == 3 else cat(steps)
                outputs.append(values)
                last.append(state)
            input = outputs[0] if directions == 1 else cat(outputs, -1)
            if self.dropout and layer + 1 < self.num_layers:
                input = functional.dropout(input, self.dropout, self.training)
        return input, tuple(stack(list(each)) for each in zip(*last, strict=True))

    def _in_one(self) -> bool:
        """Return whether all steps of a layer are one op, where sequences are equally long."""
        casts = modes.autocast is not None  # every product of a GRU
        return self.mode in LAYERS and not (self.proj_size or modes.batch_levels or casts)

    def _first_state(self, state: Any, batch: int, like: Any) -> tuple[Any, ...]:
        count = self.num_layers * len(self._suffixes())
        shapes = [(count, batch, self._output_size)]
        if self.mode == "LSTM":
            shapes.append((count, batch, self.hidden_size))
        if state is None:
            return tuple(zeros(shape, dtype=like.dtype) for shape in shapes)
        for number, (shape, given) in enumerate(zip(shapes, state, strict=True)):
            if tuple(given.shape) != shape:
                name = f"hidden[{number}]" if self.mode == "LSTM" else "hidden"
                raise ShapeError(f"Expected {name} size {shape}, got {list(given.shape)}")
        return state

    def _check_input(self, input: Any) -> None:
        weight = getattr(self, self._all_weights[0][0])
        if input.dtype != weight.dtype and modes.autocast is None:
            raise ArgumentError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({weight.dtype}). "
                f"Convert input: input.to({weight.dtype}), or convert model: "
                f"model.to({input.dtype})"
            )
        if input.shape[-1] != self.input_size:
            raise ShapeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                f"{input.shape[-1]}"
            )
        if 0 in input.shape[:-1]:
            raise ShapeError(
                "Expected sequence length to be larger than 0 in RNN, but the input is of size "
                f"{list(input.shape)}"
            )

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.proj_size:
            text += f", proj_size={self.proj_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if not self.bias:
            text += f", bias={self.bias}"
        if self.batch_first:
            text += f", batch_first={self.batch_first}"
        if self.dropout:
            text += f", dropout={self.dropout}"
        if self.bidirectional:
            text += f", bidirectional={self.bidirectional}"
        return text


def _as_tuple(hx: Any) -> tuple[Any, ...]:
    return tuple(hx) if isinstance(hx, tuple | list) else (hx,)


def _check_state_rank(state: tuple[Any, ...], batched: bool) -> None:
    rank = 3 if batched else 2
    if all(each.dim() == rank for each in state):
        return
    kind = f"For {'batched' if batched else 'unbatched'} {rank}-D input"
    if len(state) == 1:
        raise ShapeError(f"{kind}, hx should also be {rank}-D but got {state[0].dim()}-D tensor")
    raise ShapeError(
        f"{kind}, hx and cx should also be {rank}-D but got ({state[0].dim()}-D, "
        f"{state[1].dim()}-D) tensors"
    )


def _check_flags(**flags: bool) -> None:
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise ArgumentTypeError(f"{name} should be of type bool, got: {type(flag).__name__}")


def _check_arguments(
    mode: str, input_size: int, hidden_size: int, num_layers: int, dropout: float, proj_size: int
) -> None:
    if mode not in _GATES:
        raise ArgumentError(f"Unrecognized RNN mode: {mode}")
    if isinstance(dropout, bool) or not 0 <= dropout <= 1:
        raise ArgumentError(
            "dropout should be a number in range [0, 1] representing the probability of an element "
            "being zeroed"
        )
    if dropout and num_layers == 1:
        warnings.warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout "
            f"expects num_layers greater than 1, but got dropout={dropout} and "
            f"num_layers={num_layers}",
            stacklevel=4,
        )
    for name, size in (("input_size", input_size), ("hidden_size", hidden_size)):
        if not isinstance(size, int):
            raise ArgumentTypeError(f"{name} should be of type int, got: {type(size).__name__}")
        if size <= 0:
            raise ArgumentError(f"{name} must be greater than zero")
    if num_layers <= 0:
        raise ArgumentError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ArgumentError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ArgumentError("proj_size has to be smaller than hidden_size")
    if proj_size and mode != "LSTM":
        raise ArgumentError("proj_size argument is only supported for LSTM, not RNN or GRU")


class RNN(RNNBase):
    """Elman recurrent network: h' = tanh(W x + b + U h + c).

    Args:
        input_size, hidden_size, num_layers, bias, batch_first: As for `RNNBase`.
        dropout, bidirectional, device, dtype: As for `RNNBase`.
        nonlinearity: ``"tanh"`` or ``"relu"``.
        proj_size: Only 0 is supported.

    Shape:
        Input: ``[T, B, input_size]``, ``[B, T, input_size]`` if ``batch_first``, ``[T,
            input_size]``, or a packed sequence; optionally an initial state ``[num_layers * D, B,
            hidden_size]``, zeros by default, where D is 2 if ``bidirectional``, otherwise 1.
        Output: ``[T, B, D * hidden_size]`` (in the layout of the input), and the final state in the
            shape of the initial one.

    Attributes:
        weight_ih_l0: ``[hidden_size, input_size]``; later layers and the other direction likewise.
        weight_hh_l0: ``[hidden_size, hidden_size]``.
        bias_ih_l0: ``[hidden_size]``.
        bias_hh_l0: ``[hidden_size]``.

    Raises:
        ValueError: If an argument is out of range.

    >>> output, state = torch.nn.RNN(3, 4, num_layers=2)(torch.ones(5, 1, 3))
    >>> output.shape, state.shape
    (torch.Size([5, 1, 4]), torch.Size([2, 1, 4]))
    """

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh",
        bias: bool = True, batch_first: bool = False, dropout: float = 0.0,
        bidirectional: bool = False, device: Any = None, dtype: Any = None, proj_size: int = 0,
    ) -> None:  # fmt: skip
        if nonlinearity not in ("tanh", "relu"):
            raise ArgumentError(
                f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'."
            )
        super().__init__(
            f"RNN_{nonlinearity.upper()}", input_size, hidden_size, num_layers, bias, batch_first,
            dropout, bidirectional, proj_size, device, dtype,
        )  # fmt: skip
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Long short-term memory network.

    Source: Hochreiter and Schmidhuber, "Long short-term memory", 1997.

    Args:
        input_size, hidden_size, num_layers, bias, batch_first: As for `RNNBase`.
        dropout, bidirectional, device, dtype: As for `RNNBase`.
        proj_size: Size to which outputs are projected; 0 means none.

    Shape:
        Input and output: as for ``RNN``, with two states: the output and the cell ``[num_layers *
            D, B, hidden_size]``; with ``proj_size``, outputs have that size.

    Attributes:
        weight_ih_l0: ``[4 * hidden_size, input_size]``, for the gates i, f, g, o; later layers and
            the other direction likewise.
        weight_hh_l0: ``[4 * hidden_size, hidden_size]``.
        bias_ih_l0: ``[4 * hidden_size]``.
        bias_hh_l0: ``[4 * hidden_size]``.

    Raises:
        ValueError: If an argument is out of range.

    >>> lstm = torch.nn.LSTM(3, 4, bidirectional=True, batch_first=True)
    >>> output, (h, c) = lstm(torch.ones(2, 5, 3))
    >>> output.shape, c.shape
    (torch.Size([2, 5, 8]), torch.Size([2, 2, 4]))
    """

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        proj_size: int = 0, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            "LSTM", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
            proj_size, device, dtype,
        )  # fmt: skip


class GRU(RNNBase):
    """Gated recurrent unit network.

    The reset gate is applied after the product with the state. Source: Cho et al., "Learning phrase
    representations using RNN encoder-decoder for statistical machine translation", 2014.

    Args:
        input_size, hidden_size, num_layers, bias, batch_first: As for `RNN`.
        dropout, bidirectional, device, dtype, proj_size: As for `RNN`.

    Shape: As for `RNN`.

    Attributes:
        weight_ih_l0: ``[3 * hidden_size, input_size]``, for the gates r, z, n; later layers and the
            other direction likewise.
        weight_hh_l0: ``[3 * hidden_size, hidden_size]``.
        bias_ih_l0: ``[3 * hidden_size]``.
        bias_hh_l0: ``[3 * hidden_size]``.

    Raises:
        ValueError: If an argument is out of range.

    >>> output, state = torch.nn.GRU(3, 4)(torch.ones(5, 2, 3))
    >>> output.shape
    torch.Size([5, 2, 4])
    """

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        device: Any = None, dtype: Any = None, proj_size: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(
            "GRU", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
            proj_size, device, dtype,
        )  # fmt: skip


# ---- cells ------------------------------------------------------------------------------------


class RNNCellBase(Module):
    """Base class of recurrent cells, which compute one step.

    Args:
        input_size, hidden_size, device, dtype: As for `RNNBase`.
        bias: Whether the cell has biases.
        num_chunks: Number of gates.

    Raises:
        TypeError: If a size is not an integer.

    >>> torch.nn.RNNCellBase(2, 3, bias=True, num_chunks=4).weight_ih.shape
    torch.Size([12, 2])
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        factory = {"device": device, "dtype": dtype}
        for name, size in (("hidden_size", hidden_size), ("num_chunks", num_chunks)):
            if not hasattr(size, "__index__"):
                raise ArgumentTypeError(f"{name} should be of type int, got: {type(size).__name__}")
        rows = num_chunks * hidden_size
        self.weight_ih = Parameter(empty((rows, input_size), **factory))
        self.weight_hh = Parameter(empty((rows, hidden_size), **factory))
        self.register_parameter("bias_ih", Parameter(empty(rows, **factory)) if bias else None)
        self.register_parameter("bias_hh", Parameter(empty(rows, **factory)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize all parameters uniformly within 1 / sqrt(hidden_size).

        >>> torch.nn.GRUCell(2, 3).reset_parameters()
        """
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    @regular
    def _step(self, mode: str, input: Any, state: tuple[Any, ...] | None) -> tuple[Any, ...]:
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ArgumentError(
                f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead"
            )
        for number, each in enumerate(state or ()):
            if each.dim() not in (1, 2):
                hidden = f"hx[{number}]" if mode == "LSTM" else "hidden"
                raise ArgumentError(
                    f"{name}: Expected {hidden} to be 1D or 2D, got {each.dim()}D instead"
                )
        batched = input.dim() == 2
        rows = input if batched else input.unsqueeze(0)
        if state is None:
            shape = (rows.shape[0], self.hidden_size)
            state = (zeros(shape, dtype=rows.dtype),) * (2 if mode == "LSTM" else 1)
        elif not batched:
            state = tuple(each.unsqueeze(0) for each in state)
        self._check_sizes(rows, state)
        weights = Weights(self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        after = STEPS[mode](project(mode, rows, weights), state, weights)
        return after if batched else tuple(each.squeeze(0) for each in after)

    def _check_sizes(self, input: Any, state: tuple[Any, ...]) -> None:
        if input.shape[1] != self.input_size:
            raise ShapeError(
                f"input has inconsistent input_size: got {input.shape[1]} expected "
                f"{self.input_size}"
            )
        for number, each in enumerate(state):
            name = f"hidden{number}"
            if each.shape[0] != input.shape[0]:
                raise ShapeError(
                    f"Input batch size {input.shape[0]} doesn't match {name} batch size "
                    f"{each.shape[0]}"
                )
            if each.shape[1] != self.hidden_size:
                raise ShapeError(
                    f"{name} has inconsistent hidden_size: got {each.shape[1]}, expected "
                    f"{self.hidden_size}"
                )

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        return text if self.bias else f"{text}, bias={self.bias}"


class RNNCell(RNNCellBase):
    """One step of an Elman network.

    Args:
        input_size, hidden_size, nonlinearity, device, dtype: As for `RNN`.
        bias: Whether the cell has biases.

    Shape:
        Input: ``[B, input_size]`` or ``[input_size]``, and optionally the state ``[B,
            hidden_size]`` or ``[hidden_size]``, zeros by default. Output: the next state.

    Attributes:
        weight_ih: ``[hidden_size, input_size]``.
        weight_hh: ``[hidden_size, hidden_size]``.

    >>> torch.nn.RNNCell(3, 4)(torch.ones(2, 3)).shape
    torch.Size([2, 4])
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        mode = f"RNN_{self.nonlinearity.upper()}"
        if mode not in STEPS:
            raise ShapeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(mode, input, None if hx is None else (hx,))[0]

    def extra_repr(self) -> str:
        text = super().extra_repr()
        if self.nonlinearity == "tanh":
            return text
        return f"{text}, nonlinearity={self.nonlinearity}"


class LSTMCell(RNNCellBase):
    """One step of a long short-term memory network.

    Args:
        input_size, hidden_size, bias, device, dtype: As for `RNNCellBase`.

    Shape:
        Input: ``[B, input_size]`` or ``[input_size]``, and optionally a pair of states, output and
            cell, ``[B, hidden_size]`` or ``[hidden_size]`` each, zeros by default. Output: the next
            pair.

    Attributes:
        weight_ih: ``[4 * hidden_size, input_size]``.
        weight_hh: ``[4 * hidden_size, hidden_size]``.

    >>> h, c = torch.nn.LSTMCell(3, 4)(torch.ones(2, 3))
    >>> h.shape
    torch.Size([2, 4])
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        return self._step("LSTM", input, None if hx is None else tuple(hx))


class GRUCell(RNNCellBase):
    """One step of a gated recurrent unit network.

    Args: As for `LSTMCell`.

    Shape:
        Input: ``[B, input_size]`` or ``[input_size]``, and optionally the state ``[B,
            hidden_size]`` or ``[hidden_size]``, zeros by default. Output: the next state.

    Attributes:
        weight_ih: ``[3 * hidden_size, input_size]``.
        weight_hh: ``[3 * hidden_size, hidden_size]``.

    >>> torch.nn.GRUCell(3, 4)(torch.ones(2, 3)).shape
    torch.Size([2, 4])
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._step("GRU", input, None if hx is None else (hx,))[0]
