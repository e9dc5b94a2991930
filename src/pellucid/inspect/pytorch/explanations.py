"""PyTorch's own errors, with the lines of the program and the remedies that pellucid's have."""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from pellucid.autograd.explanations import (
    changed_value,
    freed_graph,
    running_pass,
    saved_values,
    start_of_pass,
    text,
)
from pellucid.autograd.node import Node
from pellucid.autograd.sites import Site, library_files, user_site
from pellucid.autograd.storage import Change
from pellucid.errors import NonScalarError
from pellucid.inspect.pytorch.call_errors import set_text
from pellucid.inspect.pytorch.passes import ALL

torch: Any = importlib.import_module("torch")

_VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")
_SHAPE = re.compile(r"Tensor \[([\d, ]*)\]\]")
#: what only pellucid can do: to keep the graphs of some tensors
_KEPT_TENSORS = re.compile(r"retain_graph=(?!True)(\[[^\]]*\]|[\w.\[\]]+)")
_KEEPS_PART = re.compile(r" keep just its part of the graph")
_FUNCTION = re.compile(r"^[Ff]unction '?(\w+)'? returned")
_NAN = re.compile(r" returned nan values in its (\d+)th output")
#: what calls the backward of a custom function
_APPLIED = (torch.autograd.function.BackwardCFunction.apply.__code__,)
_POSITION = re.compile(r"element (\d+) of tensors")


class MemoryChange(Change):
    """A change of memory in place, with the number of elements that the changed tensor has."""

    __slots__ = ("numel",)

    numel: int


def explain_pass(error: Exception, pass_: Any, changes: dict[int, list[MemoryChange]]) -> None:
    """Add the lines of the program to an error that a backward pass has raised.

    Args:
        error: The error.
        pass_: The pass: all nodes that it would run, and the tensors that it started from.
        changes: The latest changes of each memory.
    """
    if len(error.args) != 1 or not isinstance(error.args[0], str):
        return
    said, run, nodes, roots = str(error), pass_.asked.run, pass_.asked.nodes, pass_.asked.roots
    if "a second time" in said:
        freed = next((node for node in nodes if node.freed_by is not None and _saves(node)), None)
        if freed is not None:
            _replace(error, freed_graph.freed(freed, nodes, run))
    elif "modified by an inplace operation" in said:
        _explain_change(error, nodes, changes)
    elif "does not require grad and does not have a grad_fn" in said:
        found = _POSITION.search(said)
        at = int(found[1]) if found else 0
        _replace(error, start_of_pass.no_graph(_described(roots[at]), at))
    elif "not have been used in the graph" in said:
        position, unused = pass_.unused()
        if unused is not None:
            _replace(error, start_of_pass.unused(SimpleNamespace(edge=(unused, 0)), position))
    elif "grad can be implicitly created only for" in said:
        _explain_start(error, nodes, roots)
    elif isinstance(error, TypeError) and not isinstance(pass_.asked.keep, bool | int):
        row = text.as_text([("backward", user_site(), "")])
        _add(error, f"{row}\n  retain_graph takes True or False: {ALL}.")
    elif "Mismatch in shape: grad_output" in said:
        row = text.as_text([("backward", user_site(), "")])
        _add(error, f"{row}\n  The gradient of a tensor has the shape of the tensor.")
    else:
        _explain_node(error, nodes)


def _explain_start(error: Exception, nodes: list[Node], roots: Sequence[Any]) -> None:
    """Add what a root is like that has no gradient of itself."""
    root = next((each for each in roots if each.numel() != 1 or each.is_complex()), None)
    if root is not None and nodes:
        like = _described(root)
        try:
            start_of_pass.refuse_implicit_gradient(root, (nodes[0], 0), like)
        except NonScalarError as explained:
            _replace(error, explained)


def _explain_node(error: Exception, nodes: list[Node]) -> None:
    """Add the line that made the node whose backward failed, and the line that raised the error."""
    node, of_nan = _running_node(error, nodes), _NAN.search(str(error))
    if node is not None and of_nan is not None:
        _replace(error, running_pass.nan(node, int(of_nan[1])))
        return
    inner = _line_inside(error)
    if inner is not None and "\n  at " not in str(error):
        _add(error, f"\n  at {inner}   {inner.text}")
    if node is not None:
        running_pass.name_line(error, node)
    if node is not None or inner is not None:
        error.is_explained = True  # type: ignore[attr-defined]


def _running_node(error: Exception, nodes: list[Node]) -> Node | None:
    """Return the node that an error came up in: by Python's frames, or by its name in the text."""
    by_function = {node.function: node for node in nodes}  # type: ignore[attr-defined]
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code in _APPLIED:
            return by_function.get(trace.tb_frame.f_locals.get("self"))
        trace = trace.tb_next
    found = _FUNCTION.search(str(error))
    named = [node for node in nodes if found and node.name() == found[1]]
    return named[0] if len(named) == 1 else None


def _line_inside(error: Exception) -> Site | None:
    """Return the user's line that raised an error inside the pass, in a function or a hook."""
    trace, inside, found = error.__traceback__, False, None
    while trace is not None:
        code = trace.tb_frame.f_code
        if library_files[code.co_filename]:
            inside = True
        elif inside:
            found = Site(code, trace.tb_lasti)
        trace = trace.tb_next
    return found


def _add(error: Exception, lines: str) -> None:
    set_text(error, f"{error}{lines}")


def _replace(error: Exception, explained: Exception) -> None:
    """Put the story of pellucid's error after PyTorch's sentence."""
    story = str(explained).partition("\n")[2]
    text = _KEEPS_PART.sub(" keep the whole graph", f"{error}\n{story}" if story else str(error))
    set_text(error, _KEPT_TENSORS.sub("retain_graph=True", text))


def _saves(node: Node) -> bool:
    return any(each.startswith("_raw_saved_") for each in dir(node.function))  # type: ignore[attr-defined]


def _described(tensor: Any) -> Any:
    """Return what explanations read of a tensor."""
    name = str(tensor.dtype).removeprefix("torch.")
    array = np.empty(0, "float32" if name == "bfloat16" else name)
    dtype = SimpleNamespace(name=name, kind="c" if tensor.is_complex() else "f")
    return SimpleNamespace(
        shape=tuple(tensor.shape), dtype=dtype, _array=array,
        is_floating_point=tensor.is_floating_point, is_complex=tensor.is_complex,
    )  # fmt: skip


def _explain_change(
    error: Exception, nodes: list[Node], changes: dict[int, list[MemoryChange]]
) -> None:
    """Add which node has saved a value, and which lines have changed it since."""
    found = _VERSIONS.search(str(error))
    if found is None:
        return
    now, then = int(found[1]), int(found[2])
    rows: list[text.Row] = []
    written, reader = None, _reader(str(error), nodes)
    if reader is not None:
        node, name = reader[0], saved_values.saved_name(*reader)
        written = saved_values.written_operand(*reader)
        rows.append(("saved", node.site, f"{name}, version {then}, by {node.short_name()}"))
    shape = _SHAPE.search(str(error))
    numel = math.prod(map(int, filter(None, shape[1].split(", ")))) if shape else -1
    candidates = [known for known in changes.values() if known[-1].version == now]
    fitting = [known for known in candidates if known[-1].numel == numel] or candidates
    latest: list[Change] = [each for each in (fitting or [[]])[-1] if each.version > then]
    rows += [("changed", change.site, changed_value.change_text(change)) for change in latest]
    _add(error, f"{text.as_text(rows)}\n  {changed_value.change_remedy(latest, written)}")


def _reader(text: str, nodes: list[Node]) -> tuple[Node, int] | None:
    """Return the node that cannot read what it has saved, and the position of the value.

    The pass has failed already; so its values are read, which nothing else here does.
    """
    for node in nodes:
        for position, name in enumerate(getattr(node, "saved_names", ())):
            try:
                getattr(node.function, f"_saved_{name}", None)  # type: ignore[attr-defined]
            except RuntimeError as error:
                if str(error).partition(" Hint")[0] == text.partition(" Hint")[0]:
                    return node, position
    return None
