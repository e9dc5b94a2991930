"""The errors for values that were changed in place."""

from __future__ import annotations

import ast
import re
from typing import Any

from pellucid.autograd.explanations.saved_values import maker_of, saved_name, written_operand
from pellucid.autograd.explanations.text import Row, as_text, dtype_name
from pellucid.autograd.explanations.variables import variables_with
from pellucid.autograd.modes import anomaly
from pellucid.autograd.node import AccumulateGrad, Node, function_of
from pellucid.autograd.sites import Site, user_site
from pellucid.autograd.storage import Change, Storage
from pellucid.dtypes import LEGACY_TYPE_NAMES, from_numpy_dtype
from pellucid.errors import SavedModifiedError


def modified(
    node: Node, position: int, value: Any, storage: Storage, version: int
) -> SavedModifiedError:
    """Return the error for a saved value that was changed in place after it was saved."""
    name, maker = saved_name(node, position), maker_of(node, position)
    origin = "" if maker is None else f", which is output {maker[1]} of {function_of(maker[0])},"
    kind = LEGACY_TYPE_NAMES.get(dtype_name(from_numpy_dtype(value.dtype)), "Tensor")
    sentence = (
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [torch.{kind} {list(value.shape)}]{origin} is at version {storage.version}; "
        f"expected version {version} instead."
    )
    if not anomaly.enabled:  # PyTorch's advice; the rows below say it without
        sentence += (
            " Hint: enable anomaly detection to find the operation that failed to compute its "
            "gradient, with torch.autograd.set_detect_anomaly(True)."
        )
    changes = [change for change in storage.changes if change.version > version]
    called = f"{name}, " if name else ""
    rows: list[Row] = [("saved", node.site, f"{called}version {version}, by {node.short_name()}")]
    leaf = _leaf_of(node, storage)
    rows += [("changed", each.site, change_text(each, leaf)) for each in changes]
    missing = storage.version - version - len(changes)
    more = f"\n  {missing} more change(s) in between are not remembered." if missing > 0 else ""
    written = leaf or written_operand(node, position)
    return SavedModifiedError(
        f"{sentence}{as_text(rows)}{more}\n  {change_remedy(changes, written)}"
    )


def _leaf_of(node: Node, storage: Storage) -> str | None:
    """Return what the program calls the leaf of a node that has this memory: ``head.weight``."""
    leaves = [edge[0] for edge in node.edges if edge and isinstance(edge[0], AccumulateGrad)]
    # PyTorch's leaves have no storage of this library's
    tensors = [each.leaf for each in leaves if getattr(each, "storage", None) is storage]
    return variables_with(enumerate(tensors)).get(0)


def change_text(change: Change, leaf: str | None = None) -> str:
    """Return what an explanation says of an in-place change.

    Args:
        change: The change.
        leaf: The program's name for the leaf that was changed, if it has one.
    """
    detail = change.detail() if callable(change.detail) else change.detail
    if leaf is not None and detail:
        detail = f"{leaf}, {str(detail).partition(', ')[2]}"
    of_what = f" of {detail}" if detail else ""
    return f"by {_called(change.site, change.op)}{of_what}, version {change.version}"


def _called(site: Site, op: str) -> str:
    """Return what the program called for a change: many methods end in the same op."""
    match site.expression:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name.endswith(
            "_"
        ) and not name.endswith("__"):
            return name
        case ast.Subscript():
            return "__setitem__"
    return op


def change_remedy(changes: list[Change], name: str | None) -> str:
    """Return what to do about in-place changes of a saved value, by the name it is written as."""
    value = name or "the value"
    copy = f"a copy of it, {name}.clone()" if name else "a copy of it, made by clone()"
    if any(change.op.endswith(".step") for change in changes):
        return (
            f"The optimizer has changed {value} before a backward pass that needs it as it was. "
            "Move step() after the last backward() of this graph, or compute the second loss again "
            "after the step."
        )
    if not changes:
        return f"Do not change {value} before the backward pass, or let the operation save {copy}."
    return (
        f"The backward pass needs {value} as it was when saved. {_replacement(changes[-1])}, or "
        f"change {copy}."
    )


def _replacement(change: Change) -> str:
    """Return what to write in place of a change."""
    called = _called(change.site, change.op)
    if called == "__setitem__":
        return "Collect the parts in a list and torch.stack or torch.cat them"
    if called in _ACTIVATIONS and not re.search(rf"\b{called}\(", change.site.text):
        return "Leave inplace=True out of the activation"
    return (
        "Replace the in-place change by one that makes a new tensor (x = x + 1 in place of x += 1)"
    )


#: what activations do that are called with ``inplace=True``
_ACTIVATIONS = frozenset({
    "relu_", "relu6_", "leaky_relu_", "elu_", "celu_", "selu_", "silu_", "mish_", "hardtanh_",
    "hardswish_", "hardsigmoid_", "threshold_", "dropout_", "rrelu_",
})  # fmt: skip


def leaf_inplace(name: str) -> str:
    """Return what follows the error for an in-place change of a leaf or of a view of one."""
    site = user_site()
    return as_text([("changed", site, f"by {_called(site, name)}")]) + (
        "\n  The gradient of a leaf is with respect to the value that it was given. To update it, "
        "change it inside `with torch.no_grad():`; to compute with a changed value, work on a "
        "copy, x.clone()."
    )
