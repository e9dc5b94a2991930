"""One question for everything: picks the tool that answers it."""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np

from pellucid.autograd import reading
from pellucid.autograd.engine import plan_all
from pellucid.autograd.explanations import source
from pellucid.autograd.explanations.frames import locals_of
from pellucid.autograd.explanations.trail import asking_scopes
from pellucid.autograd.sites import Site, library_files, user_site
from pellucid.errors import ArgumentTypeError
from pellucid.inspect.checks.nonfinite import origin_of
from pellucid.inspect.owners import is_program_file, why_alive
from pellucid.inspect.paths import NoGradReason, why_no_grad_of
from pellucid.tensors.summary import summarize

_MOST_VARIABLES = 12


def why(subject: Any, loss: Any = None) -> str:
    """Return why something is as it is: an error, a loss, a gradient, or a tensor that is alive.

    - For an error: its message, the line of the program at which it came up, and what the tensors
      there are like.
    - For a tensor with NaN or infinities that has a history: the first operation that gave some.
    - For a tensor that requires grad and is a leaf: why it has no gradient, or zeros. The loss is
      the one that is given, or the latest of the variables where the question is asked.
    - For any other tensor: what keeps it alive.

    Args:
        subject: An exception, or a tensor of any shape.
        loss: The tensor that backward starts from.

    Raises:
        TypeError: For anything else.

    >>> x = torch.tensor([-1.0], requires_grad=True)
    >>> loss = (x.sqrt() * 2).sum()
    >>> print(torch.inspect.why(loss).splitlines()[0])
    loss is nan. The first operation that gave something not finite is sqrt:
    """
    if isinstance(subject, BaseException):
        return _of_error(subject)
    if not reading.is_tensor(subject):
        raise ArgumentTypeError(
            f"why() takes a tensor or an exception, not {type(subject).__name__}"
        )
    edge = reading.edge_of(subject)
    site = user_site()
    call = source.called_on(site.statement, "why")
    written = [None if call is None else source.argument(call, 0, "subject"),
               None if call is None else source.argument(call, 1, "loss")]  # fmt: skip
    name = source.written(written[0]) or "the tensor"
    if not _is_finite(subject) and edge is not None and not subject.is_leaf:
        return _not_finite(subject, edge[0], name)
    if edge is not None and subject.is_leaf:
        found = (loss, source.written(written[1])) if loss is not None else _latest_loss()
        if found is not None:
            return str(why_no_grad_of(subject, *found, name, site))
        reason = f"{name} has no gradient yet, and no loss was found here: ask why({name}, loss)."
        return str(NoGradReason("not run", reason))
    alive = str(why_alive(subject))
    return alive if _is_finite(subject) else f"{_without_history(name)}\n{alive}"


def explain() -> None:
    """Print what is known of the error that was shown last; in a notebook after a cell that failed.

    >>> torch.inspect.explain()  # doctest: +SKIP
    """
    error = sys.exception() or getattr(sys, "last_value", None)
    sys.stdout.write(f"{'there was no error' if error is None else why(error)}\n")


def _latest_loss() -> tuple[Any, str] | None:
    """Return the loss among the variables where the question is asked, with its name."""
    found: list[tuple[bool, int, str, Any]] = []
    for scope in asking_scopes()[:1]:
        for name, value in scope.values.items():
            if not reading.is_tensor(value) or not value.requires_grad or value.is_leaf:
                continue
            edge = reading.edge_of(value)
            if edge is not None and value.numel() == 1:
                found.append(("loss" in name, edge[0].seq, name, value))
    if not found:
        return None
    *_, name, value = max(found, key=lambda each: each[:2])
    return value, name


def _is_finite(tensor: Any) -> bool:
    array = reading.values_of(tensor)
    return not (isinstance(array, np.ndarray) and array.dtype.kind in "fc") or bool(
        np.isfinite(array).all()
    )


def _without_history(name: str) -> str:
    """Return what is to be said of values that are not finite, whose past nobody knows."""
    return (
        f"{name} has values that are not finite, and no history: nothing that it was computed of "
        "requires grad, or nothing was recorded. Run the lines inside torch.inspect.record("
        "values=True); values().first_unusual of the recording is the first operation that gave "
        "some."
    )


def _not_finite(tensor: Any, root: Any, name: str) -> str:
    """Return the answer for a result that is not finite: the first operation that gave such one."""
    is_nan = bool(np.isnan(reading.values_of(tensor)).any())
    what, test = ("nan", np.isnan) if is_nan else ("infinite", np.isinf)
    origin = origin_of(plan_all([root]).nodes, test)
    if origin is None:
        return (
            f"{name} is {what}, and the graph has kept no value that shows where it became so. Run "
            "the step again inside torch.autograd.detect_anomaly() or torch.inspect.checking()."
        )
    node = origin.infinite or origin.node
    op = node.name().removesuffix("Backward0").lower()
    first = f"The first operation that gave something not finite is {op}:"
    if origin.given is not None:
        first = f"{origin.given}, which {op} was given, is {what} already:"
    lines = [
        f"{name} is {what}. {first}",
        f"    {node.site}   {node.site.text if node.site else ''}",
    ]
    if origin.infinite is None:
        lines += [f"  its operand   {summarize(values).text()}" for values in origin.operands]
    return "\n".join(lines)


def _of_error(error: BaseException) -> str:
    """Return what is known of an error, with the line of the program and its tensors."""
    lines = [f"{type(error).__name__}: {error}"]
    frames: list[types.FrameType] = []
    places: list[Site] = []
    trace = error.__traceback__
    while trace is not None:
        if not library_files[trace.tb_frame.f_code.co_filename]:
            frames.append(trace.tb_frame)
            places.append(Site(trace.tb_frame.f_code, trace.tb_lasti))
        trace = trace.tb_next
    if places:
        lines.append(f"  raised at  {places[-1]}   {places[-1].text}")
    own = [n for n, each in enumerate(frames) if is_program_file(each.f_code.co_filename)]
    if own and own[-1] != len(frames) - 1:
        lines.append(f"  your line  {places[own[-1]]}   {places[own[-1]].text}")
    if own or frames:
        chosen = frames[own[-1] if own else -1]
        tensors = {k: v for k, v in locals_of(chosen).items() if reading.is_tensor(v)}
        for name, value in list(tensors.items())[:_MOST_VARIABLES]:
            array = reading.values_of(value)
            if isinstance(array, np.ndarray):
                lines.append(f"    {name:<10} {summarize(array).text()}")
    return "\n".join(lines)
