"""The errors for a backward pass that cannot start, or does not reach an input."""

from __future__ import annotations

import ast
import math
from typing import Any

from pellucid.autograd.explanations import source
from pellucid.autograd.explanations.cut_words import GRADIENT
from pellucid.autograd.explanations.freed_graph import root_written
from pellucid.autograd.explanations.text import Row, as_text, describe
from pellucid.autograd.explanations.trail import CutLine, Trail, asking_scopes
from pellucid.autograd.lost_paths import (
    NOTHING_REQUIRES,
    Written,
    assignment,
    integer_reason,
    lost_history,
)
from pellucid.autograd.reading import is_tensor, own, reader_of
from pellucid.autograd.sites import user_site
from pellucid.autograd.variable import TensorBase
from pellucid.dtypes import is_complex_dtype
from pellucid.errors import (
    ArgumentTypeError,
    InvalidGradientError,
    NoGraphError,
    NonScalarError,
    UnusedInputError,
)


def no_graph(root: Any, position: int) -> NoGraphError:
    """Return the error for a backward pass from a tensor without history."""
    site = user_site()
    written = root_written(site, position)
    name = source.dotted(written) or "this tensor"
    rows: list[Row] = [("backward", site, f"{name} is {describe(root)}")]
    found = [] if name.endswith(".grad") else lost_history(site, written)
    made = assignment(site, name)
    reason = found[0].reason if found else integer_reason(root) or NOTHING_REQUIRES
    if made is not None:
        rows.append(("made", made, ""))
    if name.endswith(".grad"):
        reason = GRADIENT
    elif found and found[0].at != made:
        rows.append(("cut", found[0].at, ""))
        reason = f"{name} was computed from {found[0].name}. {reason}"
    elif not found and (cut := _cut_off(written, site.line)) is not None:
        rows.append(("cut", Written(cut.where, cut.text), f"by {cut.how}"))
        reason = cut.reason
    return NoGraphError(
        f"element {position} of tensors does not require grad and does not have a grad_fn"
        f"{as_text(rows)}\n  {reason}"
    )


#: variables that are looked for below a tensor without history
_MOST_VARIABLES = 8


def _cut_off(root: ast.expr | None, line: int) -> CutLine | None:
    """Return a line that has left behind the history of a variable that requires grad."""
    scopes = asking_scopes()
    values = scopes[0].values.values() if scopes else ()
    leaves = [each for each in values if is_tensor(each) and each.requires_grad and each.is_leaf]
    for tensor in leaves[:_MOST_VARIABLES]:
        found = _cuts_between(tensor, root, line)
        if found:
            return found[0]
    return None


def refuse_another_librarys(value: Any) -> None:
    """Raise for a tensor of PyTorch's, whose own engine alone can run its graph."""
    reader = None if isinstance(value, TensorBase) else reader_of(value)
    if reader is not None and reader.is_tensor(value) and reader is not own:
        raise ArgumentTypeError(
            "this is a tensor of PyTorch's, and its graph is run by PyTorch's engine: call its own "
            "backward(), or torch.autograd.grad. Parts of a graph cannot be kept there "
            "(retain_graph=<tensors>), and gradients are written one after another (no atomic=True)"
        )


def refuse_implicit_gradient(root: Any, edge: Any, like: Any) -> None:
    """Raise unless the root is a real scalar, whose gradient can be taken to be one."""
    if math.prod(like.shape) != 1:
        raise NonScalarError(
            "grad can be implicitly created only for scalar outputs"
            + _about_root(edge, like, "The gradient of one number is one; for more numbers, say "
            "which sum of them is meant: {name}.sum().backward() or {name}.mean().backward(), or "
            "pass its gradient, {name}.backward(torch.ones_like({name})).")
        )  # fmt: skip
    if is_complex_dtype(like.dtype):
        raise NonScalarError(
            "grad can be implicitly created only for real scalar outputs but got "
            f"torch.{like.dtype}"
            + _about_root(edge, like, "Derive a real number from it, such as {name}.abs() or "
            "{name}.real, or pass its gradient.")
        )  # fmt: skip


def _about_root(edge: Any, like: Any, remedy: str) -> str:
    site = user_site()
    name = source.dotted(root_written(site, 0)) or "the output"
    made = f"made by {edge[0].short_name()}"
    rows: list[Row] = [("backward", site, f"{name} is {describe(like)}")]
    rows.append(("made", edge[0].site, made))
    return f"{as_text(rows)}\n  {remedy.format(name=name if name != 'the output' else 'y')}"


def wrong_gradient(value: Any, like: Any, position: int) -> InvalidGradientError:
    """Return the error for a gradient of another shape, or complex for a real root."""
    if value.shape != like.shape:
        return InvalidGradientError(
            f"Mismatch in shape: grad_output[{position}] has a shape of {value.shape} and "
            f"output[{position}] has a shape of torch.Size({list(like.shape)})."
            + as_text([("backward", user_site(), "")])
            + "\n  The gradient of a tensor has the shape of the tensor."
        )
    return InvalidGradientError(
        "For complex Tensors, both grad_output and output are required to have the same dtype. "
        f"Mismatch in dtype: grad_output[{position}] has a dtype of {value.dtype} and "
        f"output[{position}] has a dtype of torch.{like.dtype}."
        + as_text([("backward", user_site(), "")])
    )


def unused(wanted: Any, position: int) -> UnusedInputError:
    """Return the error for an input that the outputs do not depend on."""
    site = user_site()
    call = source.called_on(site.statement, "grad")
    inputs = None if call is None else source.argument(call, 1, "inputs")
    name = source.dotted(source.item(inputs, position))
    edge = wanted.edge if hasattr(wanted, "edge") else tuple(wanted)
    node, slot = edge
    like = node.output_meta(slot)
    what = f"input {position}, {name + ', ' if name else ''}{describe(like)}"
    rows: list[Row] = [("grad", site, what), ("made", node.site, f"made by {node.short_name()}")]
    lost = (
        _cuts_between(wanted, root_written(site, 0), site.line) if hasattr(wanted, "edge") else []
    )
    rows += [("cut", Written(each.where, each.text), f"by {each.how}") for each in lost[:1]]
    return UnusedInputError(
        f"The differentiated Tensor at index {position} appears to not have been used in the "
        f"graph. Set allow_unused=True if this is the desired behavior.{as_text(rows)}\n  No "
        f"recorded operation leads from {name or 'it'} to the outputs."
        f"{f' {lost[0].reason}' if lost else ''} With allow_unused=True its gradient is None."
    )


def _cuts_between(tensor: Any, root: ast.expr | None, line: int) -> list[CutLine]:
    """Return the lines that leave behind the history between an output and a tensor."""
    scopes = asking_scopes()
    if root is None or not scopes:
        return []
    return list((Trail(tensor).follow(root, scopes[0], line) or {}).values())
