"""All that is alive: the memory of every tensor and every graph, by the line that made it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import compress
from textwrap import indent
from typing import Any, NamedTuple

from numpy import ndarray

from pellucid.autograd.node import AccumulateGrad, Node
from pellucid.autograd.variable import TensorBase
from pellucid.inspect.holdings import held_by_context, held_values
from pellucid.inspect.owners import variables_of_program
from pellucid.inspect.survey import owner_of
from pellucid.inspect.tables import Printed, columns, count_text, size_text
from pellucid.optim import Optimizer

_MOST_ROWS = 20
#: an error lists this many rows, where at least this many bytes are alive
_ROWS_OF_ERROR, _WORTH_TELLING = 6, 1_000_000
#: variables that are containers are looked into, at this many of their entries
_MOST_ENTRIES = 10_000


class LiveShare(NamedTuple):
    """What one line, or one owner, has alive.

    Attributes:
        where: The line that made it, as ``file.py:LINE``; or what it belongs to where no line is
            known: ``(parameters)``, ``(gradients)``, ``(state of Adam)``, a variable.
        text: The source text of the line.
        blocks: How many blocks of memory there are.
        bytes: How large they are.

    >>> x = torch.ones(1000, requires_grad=True)
    >>> [share.bytes for share in torch.inspect.live() if share.where == "(parameters)"][0] >= 4000
    True
    """

    where: str
    text: str
    blocks: int
    bytes: int


@dataclass(frozen=True, slots=True)
class LiveMemory(Printed):
    """What is alive, to print or to read; each block of memory counts once.

    Attributes:
        shares: The lines and owners, the largest first.

    >>> print(torch.inspect.LiveMemory(()))
    alive: 0 B in 0 blocks
    """

    shares: tuple[LiveShare, ...]

    @property
    def bytes(self) -> int:
        """The size of all together."""
        return sum(each.bytes for each in self.shares)

    def text(self, limit: int = _MOST_ROWS) -> str:
        """Return a table as text with at most ``limit`` rows."""
        blocks = sum(each.blocks for each in self.shares)
        lines = [f"alive: {size_text(self.bytes)} in {count_text(blocks, 'block')}"]
        rows = [
            [each.where, each.text, size_text(each.bytes), f"in {count_text(each.blocks, 'block')}"]
            for each in self.shares[:limit]
        ]
        lines += [f"  {line}" for line in columns(["line", "source", "alive", ""], rows)[1:]]
        left = self.shares[limit:]
        if left:
            rest = size_text(sum(each.bytes for each in left))
            lines.append(f"  and {rest} of {count_text(len(left), 'more line')}")
        return "\n".join(lines)

    def __iter__(self) -> Iterator[LiveShare]:
        return iter(self.shares)

    def __len__(self) -> int:
        return len(self.shares)

    def __repr__(self) -> str:
        return f"<LiveMemory of {size_text(self.bytes)}>"


def live() -> LiveMemory:
    """Return the memory of all tensors and graphs that are alive, by the line that made it.

    What a graph keeps, and the results of its operations, belong to the line of the operation.
    Tensors without history do not know their line: they go by the variable that has them.

    >>> x = torch.ones(1000, requires_grad=True)
    >>> y = x.exp()
    >>> [share.bytes for share in torch.inspect.live() if share.text == "y = x.exp()"]
    [4000]
    """
    found: dict[int, tuple[int, str, str]] = {}
    for where, text, array in _arrays():
        if isinstance(array, ndarray):
            owner = owner_of(array)
            found.setdefault(id(owner), (owner.nbytes, where, text))
    sums: dict[tuple[str, str], list[int]] = {}
    for size, *line in found.values():
        share = sums.setdefault((line[0], line[1]), [0, 0])
        share[0] += 1
        share[1] += size
    shares = [LiveShare(*line, *share) for line, share in sums.items() if share[1]]
    return LiveMemory(tuple(sorted(shares, key=lambda each: -each.bytes)))


def report_of_error() -> str:
    """Return what an error tells of what was alive when memory ran out; empty if that is little."""
    try:
        found = live()
    except Exception:  # noqa: BLE001 - there is little memory left, even for an explanation
        return ""
    return f"\n{indent(found.text(_ROWS_OF_ERROR), '  ')}" if found.bytes >= _WORTH_TELLING else ""


def _arrays() -> Iterator[tuple[str, str, Any]]:
    """Yield all arrays of tensors and nodes, each with its line; of several, the first one counts.

    A tensor that a view shares its memory with is not asked for its own line if the other knows it.
    """
    objects = gc.get_objects()
    tensors = _instances(objects, TensorBase)
    leaves = [each for each in tensors if getattr(each, "requires_grad", False) and _is_leaf(each)]
    yield from (("(parameters)", "", _array(each)) for each in leaves)
    yield from (("(gradients)", "", _array(getattr(each, "_grad", None))) for each in leaves)
    for optimizer in _instances(objects, Optimizer):
        where = f"(state of {type(optimizer).__name__})"
        for state in tuple(optimizer.state.values()):
            for value in tuple(state.values()) if isinstance(state, dict) else ():
                yield where, "", _array(value)
    for tensor in tensors:
        edge = _edge(tensor)
        if edge is not None and not isinstance(edge[0], AccumulateGrad):
            yield *_line(edge[0]), _array(tensor)
    for node in _instances(objects, Node):
        for _, array in (*held_values(node), *held_by_context(node)):
            yield *_line(node), array
    for where, value in variables_of_program():
        yield from ((where, "", _array(each)) for each in _tensors_in(value))
    yield from (("(no line is known)", "", _array(each)) for each in tensors)


def _instances(objects: list[Any], kind: Any) -> list[Any]:
    """Return the instances of a class; an object, which may be a proxy, is not asked for its."""
    kinds = {each for each in set(map(type, objects)) if issubclass(each, kind)}
    return list(compress(objects, map(kinds.__contains__, map(type, objects))))


def _is_leaf(tensor: Any) -> bool:
    edge = _edge(tensor)
    return edge is None or isinstance(edge[0], AccumulateGrad)


def _edge(tensor: Any) -> Any:
    return getattr(tensor, "_edge", None)


def _array(tensor: Any) -> Any:
    return getattr(tensor, "_array", None)


def _line(node: Node) -> tuple[str, str]:
    site = node.site
    return ("(no line is known)", "") if site is None else (str(site), site.text)


def _tensors_in(value: Any) -> list[Any]:
    several = value.values() if isinstance(value, dict) else value
    if isinstance(value, dict | list | tuple) and len(value) <= _MOST_ENTRIES:
        return [each for each in tuple(several) if isinstance(each, TensorBase)]
    return [value] if isinstance(value, TensorBase) else []
