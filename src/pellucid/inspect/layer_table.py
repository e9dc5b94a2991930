"""A table of a model's layers: what each gives, holds and computes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from pellucid.autograd.reading import is_tensor
from pellucid.blocks import Block, temporary
from pellucid.core.definition.public import public
from pellucid.errors import ArgumentTypeError
from pellucid.inspect.libraries import libraries
from pellucid.inspect.tables import columns
from pellucid.nn import Module
from pellucid.tensors.notebook import size_text, table

_HEADING: Final = ("layer", "kind", "output", "parameters", "multiply-adds")
_MOST_NAME: Final = 40


@dataclass(frozen=True)
class LayerRow:
    """One layer of a `LayerTable`.

    Args:
        name: Dotted name in the model; empty for the model itself.
        kind: Name of its class.
        outputs: Shapes of the tensors that its last call gave.
        parameters: Elements of its own parameters, without those of layers inside.
        trained: Elements of these that require grad.
        multiply_adds: Those of all its calls, without those of layers inside.

    >>> torch.summary(torch.nn.ReLU(), torch.ones(2)).rows[0].kind
    'ReLU'
    """

    name: str
    kind: str
    outputs: list[tuple[int, ...]]
    parameters: int
    trained: int
    multiply_adds: int

    def _cells(self, indent: int) -> tuple[str, ...]:
        shapes = ", ".join(str(list(shape)) for shape in self.outputs)
        name = "  " * indent + (self.name.rpartition(".")[2] or "model")
        frozen = " (frozen)" if self.parameters and not self.trained else ""
        return (
            name[:_MOST_NAME], self.kind, shapes, _number(self.parameters) + frozen,
            _number(self.multiply_adds),
        )  # fmt: skip


@dataclass(frozen=True)
class LayerTable:
    """What `summary` returns: a row for each layer, in the order of their definition.

    Args:
        rows: The rows; the first is the model itself.
        size: Bytes of all parameters.

    >>> table = torch.summary(torch.nn.Linear(2, 3), torch.ones(4, 2))
    >>> table.rows[0].outputs, table.parameters, table.multiply_adds
    ([(4, 3)], 9, 24)
    """

    rows: list[LayerRow]
    size: int

    @property
    def parameters(self) -> int:
        """The number of parameters' elements; what layers share counts once."""
        return sum(row.parameters for row in self.rows)

    @property
    def trained(self) -> int:
        """How many of them require grad."""
        return sum(row.trained for row in self.rows)

    @property
    def multiply_adds(self) -> int:
        """How many products are added up in layers, convolutions and matrix products."""
        return sum(row.multiply_adds for row in self.rows)

    def _lines(self) -> list[tuple[str, ...]]:
        return [row._cells(row.name.count(".") + bool(row.name)) for row in self.rows]

    def _total(self) -> str:
        frozen = self.parameters - self.trained
        text = f"{_number(self.parameters) or 0} parameters, {size_text(self.size)}"
        text += f", {frozen:,} of them frozen" if frozen else ""
        return f"{text}; {_number(self.multiply_adds) or 0} multiply-adds"

    def __str__(self) -> str:
        return "\n".join([*columns(_HEADING, self._lines()), "", self._total()])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"{table(_HEADING, self._lines())}<div>{self._total()}</div>"


@public("summary", checked=False)
def summary(model: Module, *inputs: Any, **named_inputs: Any) -> LayerTable:
    """Run a model once without recording, and return a table of its layers.

    Args:
        model: The module. Its mode stays as it is; buffers and random numbers do not change.
        inputs: What it is called with.
        named_inputs: What it is called with by name.

    Raises:
        TypeError: If the model is not a module.

    >>> model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    >>> print(torch.summary(model, torch.ones(2, 4)))
    layer  kind        output  parameters  multiply-adds
    model  Sequential  [2, 1]
      0    Linear      [2, 8]  40          64
      1    ReLU        [2, 8]
      2    Linear      [2, 1]  9           16
    <BLANKLINE>
    49 parameters, 196 B; 80 multiply-adds
    """
    counter = _Counter()
    library = next((each for each in libraries() if each.is_module(model)), None)
    if library is None:
        raise ArgumentTypeError(
            f"summary(): argument 'model' must be a Module, not {type(model).__name__}"
        )
    buffers = [(each, each.detach().clone()) for each in model.buffers()]
    try:
        with _watching(counter, model), library.counting(counter.count):
            model(*inputs, **named_inputs)
    finally:
        for buffer, before in buffers:
            buffer.data.copy_(before)
    size = sum(each.numel() * each.element_size() for each in model.parameters())
    return LayerTable(list(_rows(model, counter)), size)


def _rows(model: Module, counter: _Counter) -> Iterator[LayerRow]:
    counted: set[int] = set()
    for name, layer in model.named_modules():
        own = [each for each in layer.parameters(recurse=False) if id(each) not in counted]
        counted.update(map(id, own))
        yield LayerRow(
            name, type(layer).__name__, counter.outputs.get(id(layer), []),
            sum(each.numel() for each in own),
            sum(each.numel() for each in own if each.requires_grad),
            counter.multiply_adds.get(id(layer), 0),
        )  # fmt: skip


class _Counter:
    """What counts products, for the layer that is being called."""

    def __init__(self) -> None:
        self.outputs: dict[int, list[tuple[int, ...]]] = {}
        self.multiply_adds: dict[int, int] = {}
        self._calls: list[int] = []

    def _enter(self, layer: Module, args: Any) -> None:
        self._calls.append(id(layer))

    def _leave(self, layer: Module, args: Any, output: Any) -> None:
        self._calls.pop()
        self.outputs[id(layer)] = list(_shapes(output))

    def count(self, products: int) -> None:
        """Add products to those of the layer that is being called."""
        if self._calls:
            layer = self._calls[-1]
            self.multiply_adds[layer] = self.multiply_adds.get(layer, 0) + products


@temporary
def _watching(block: Block, watch: _Counter, model: Module) -> None:
    """Have a counter take note of what the layers of a model do."""
    for layer in model.modules():
        block._at_end(layer.register_forward_pre_hook(watch._enter).remove)
        block._at_end(layer.register_forward_hook(watch._leave, always_call=True).remove)


def _shapes(value: Any) -> Iterator[tuple[int, ...]]:
    if is_tensor(value):
        yield tuple(value.shape)
    elif isinstance(value, dict):
        yield from _shapes(tuple(value.values()))
    elif isinstance(value, tuple | list):
        for each in value:
            yield from _shapes(each)


def _number(count: int) -> str:
    return f"{count:,}" if count else ""
