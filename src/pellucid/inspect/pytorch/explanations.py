"""PyTorch's own errors, with the lines of the program and the remedies that pellucid's have."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from pellucid.autograd.explanations import changed_value, freed_graph, start_of_pass, text
from pellucid.autograd.node import BackwardRun, Node
from pellucid.autograd.storage import Change
from pellucid.inspect.pytorch.graphs import HiddenValue

_VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")
_SHAPE = re.compile(r"Tensor \[([\d, ]*)\]\]")
#: what only pellucid can do: to keep the graphs of some tensors
_KEPT_TENSORS = re.compile(r"retain_graph=(?!True)(\[[^\]]*\]|[\w.\[\]]+)")
_KEEPS_PART = re.compile(r" keep just its part of the graph")
_POSITION = re.compile(r"element (\d+) of tensors")


class MemoryChange(Change):
    """A change of memory in place, with the number of elements that the changed tensor has."""

    __slots__ = ("numel",)

    numel: int


def explain_call(error: RuntimeError, name: str) -> None:
    """Add the lines of the program to an error that the call of an op has raised."""
    if "leaf Variable that requires grad" in str(error):
        _add(error, changed_value.leaf_inplace(name))


def explain_pass(
    error: RuntimeError, run: BackwardRun, nodes: list[Node], roots: Sequence[Any],
    unused: Node | None, position: int, changes: dict[int, list[MemoryChange]],
) -> None:  # fmt: skip
    """Add the lines of the program to an error that a backward pass has raised.

    Args:
        error: The error.
        run: The pass.
        nodes: All nodes that it would run, the youngest first.
        roots: The tensors that it started from.
        unused: The node of the first input that the roots do not depend on, if there is one.
        position: The position of that input.
        changes: The latest changes of each memory.
    """
    text = str(error)
    if "a second time" in text:
        freed = next((node for node in nodes if node.freed_by is not None and _saves(node)), None)
        if freed is not None:
            _replace(error, freed_graph.freed(freed, nodes, run))
    elif "modified by an inplace operation" in text:
        _explain_change(error, nodes, changes)
    elif "does not require grad and does not have a grad_fn" in text:
        found = _POSITION.search(text)
        at = int(found[1]) if found else 0
        _replace(error, start_of_pass.no_graph(_described(roots[at]), at))
    elif "not have been used in the graph" in text and unused is not None:
        _replace(error, start_of_pass.unused(SimpleNamespace(edge=(unused, 0)), position))


def _add(error: RuntimeError, lines: str) -> None:
    _set_text(error, f"{error}{lines}")


def _replace(error: RuntimeError, explained: Exception) -> None:
    """Put the text of pellucid's error, which begins with the same sentence, in its place."""
    text = _KEEPS_PART.sub(" keep the whole graph", str(explained))
    _set_text(error, _KEPT_TENSORS.sub("retain_graph=True", text))


def _set_text(error: RuntimeError, text: str) -> None:
    error.args = (text,)
    error.is_explained = True  # type: ignore[attr-defined]  # its traceback can be short


def _saves(node: Node) -> bool:
    return any(each.startswith("_raw_saved_") for each in dir(node.function))  # type: ignore[attr-defined]


def _described(tensor: Any) -> Any:
    """Return what `explain` reads of a tensor without history."""
    name = str(tensor.dtype).removeprefix("torch.")
    array = np.empty(0, "float32" if name == "bfloat16" else name)
    return SimpleNamespace(shape=tuple(tensor.shape), dtype=name, _array=array)


def _explain_change(
    error: RuntimeError, nodes: list[Node], changes: dict[int, list[MemoryChange]]
) -> None:
    """Add which node has saved a value, and which lines have changed it since."""
    found = _VERSIONS.search(str(error))
    if found is None:
        return
    now, then = int(found[1]), int(found[2])
    rows: list[text.Row] = []
    reader = _reader(str(error), nodes)
    if reader is not None:
        node, name = reader
        rows.append(("saved", node.site, f"{name}, version {then}, by {node.short_name()}"))
    shape = _SHAPE.search(str(error))
    numel = math.prod(map(int, filter(None, shape[1].split(", ")))) if shape else -1
    candidates = [known for known in changes.values() if known[-1].version == now]
    fitting = [known for known in candidates if known[-1].numel == numel] or candidates
    latest: list[Change] = [each for each in (fitting or [[]])[-1] if each.version > then]
    rows += [("changed", change.site, changed_value.change_text(change)) for change in latest]
    _add(error, f"{text.as_text(rows)}\n  {changed_value.change_remedy(latest, None)}")


def _reader(text: str, nodes: list[Node]) -> tuple[Node, str] | None:
    """Return the node that cannot read what it has saved, and the name of the value.

    The pass has failed already; so its values are read, which nothing else here does.
    """
    for node in nodes:
        for value in node.saved if isinstance(node.saved, tuple) else ():
            if isinstance(value, HiddenValue):
                try:
                    getattr(node.function, f"_saved_{value.name}")  # type: ignore[attr-defined]
                except RuntimeError as error:
                    if str(error).partition(" Hint")[0] == text.partition(" Hint")[0]:
                        return node, value.name
    return None
