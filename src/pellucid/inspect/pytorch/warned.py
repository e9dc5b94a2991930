"""PyTorch's warnings, given at the user's line, with what to do.

Python decides by the frame that warns, which is the mode's where PyTorch warns in a function that
the mode has called. So what comes from there is always let through, and warned of again from the
user's line: the program's own filters and registries decide.
"""

from __future__ import annotations

import importlib
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from pellucid.autograd.sites import Site, library_files
from pellucid.inspect.pytorch import line_mode

torch: Any = importlib.import_module("torch")

_MODE = line_mode.__file__
_NAME = line_mode.__name__

_REMEDIES: tuple[tuple[str, str], ...] = (
    (r"Using a target size .* that is different to the input size",
     "Each element of one is compared with all of the other: give both the same shape, as in "
     "loss(output.squeeze(-1), target) or target.unsqueeze(-1)."),
    (r"The \.grad attribute of a Tensor that is not a leaf",
     "Call retain_grad() on it before backward, or ask torch.autograd.grad for it."),
    (r"Using backward\(\) with create_graph=True",
     "Use torch.autograd.grad(loss, parameters, create_graph=True), which writes no .grad, or set "
     ".grad to None after use."),
    (r"Detected call of `lr_scheduler\.step\(\)` before `optimizer\.step\(\)`",
     "Call optimizer.step() first, then scheduler.step()."),
    (r"Implicit dimension choice for", "Give dim=-1, the last one, or the one that you mean."),
    (r"Converting a tensor with requires_grad=True to a scalar",
     "What is computed from the number gets no gradient. For a log, write .item() or .detach(); in "
     "a loss, keep the tensor."),
    (r"To copy construct from a tensor",
     "It gives a tensor without history. Use the tensor itself, or .clone(), if a gradient is to "
     "flow."),
    (r"None of the inputs have requires_grad=True",
     "Give checkpoint an input that requires grad, or use_reentrant=False."),
)  # fmt: skip
_COMPILED = [(re.compile(pattern), remedy) for pattern, remedy in _REMEDIES]


#: what torch.compile warns of, as lines are noted by global hooks
_OF_HOOKS = re.compile(r"Using `torch\.compile\(module\)` when there are global hooks")
#: whether there are such hooks already; before version 2.6 PyTorch does not warn of them
_has_hooks: Any = getattr(torch.nn.modules.module, "_has_any_global_hook", lambda: True)


@contextmanager
def at_the_users_line() -> Iterator[None]:
    """Give the warnings that PyTorch raises below the mode at the user's line."""
    unasked = ("ignore", _OF_HOOKS, UserWarning, None, 0)
    let_through = ("always", None, Warning, re.compile(re.escape(_NAME) + r"\Z"), 0)
    show = warnings._showwarnmsg  # type: ignore[attr-defined]

    def showwarnmsg(message: Any) -> None:
        if message.filename == _MODE:
            vars(line_mode).get("__warningregistry__", {}).clear()
            _warn_again(message)
        else:
            show(message)

    warnings._showwarnmsg = showwarnmsg  # type: ignore[attr-defined]
    added = [let_through] if _has_hooks() else [let_through, unasked]
    warnings.filters[:0] = added  # type: ignore[attr-defined]
    _filters_changed()
    try:
        yield
    finally:
        for each in added:
            if each in warnings.filters:
                warnings.filters.remove(each)  # type: ignore[attr-defined]
        _filters_changed()
        if warnings._showwarnmsg is showwarnmsg:  # type: ignore[attr-defined]
            warnings._showwarnmsg = show  # type: ignore[attr-defined]


def _filters_changed() -> None:
    warnings._filters_mutated()  # type: ignore[attr-defined]


def _warn_again(message: Any) -> None:
    frame = _user_frame(sys._getframe(2))
    if _is_ignored(message, _torch_module(sys._getframe(2))):
        return
    told = _with_remedy(message.message, Site(frame.f_code, frame.f_lasti))
    warnings.warn_explicit(
        told, message.category, frame.f_code.co_filename, frame.f_lineno,
        frame.f_globals.get("__name__", "<unknown>"),
        frame.f_globals.setdefault("__warningregistry__", {}),
    )  # fmt: skip


def _with_remedy(warning: Any, site: Site) -> Any:
    """Return a warning with the line and the remedy, if there is one that is known."""
    said = str(warning)
    remedy = next((each for pattern, each in _COMPILED if pattern.search(said)), None)
    if remedy is None or len(warning.args) != 1:
        return warning
    return type(warning)(f"{said}\n  at {site}   {site.text}\n  {remedy}")


def _user_frame(frame: FrameType) -> FrameType:
    while library_files[frame.f_code.co_filename] and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _torch_module(frame: FrameType | None) -> str:
    """Return the module that would be named if no mode stood between: the caller's of the function.

    A function of PyTorch's written in Python is there twice, below the mode and above it.
    """
    inner = None
    while frame is not None and frame.f_code.co_filename != _MODE:
        inner, frame = frame.f_code, frame.f_back
    while frame is not None and (
        frame.f_code is inner or frame.f_code.co_filename in (_MODE, torch.overrides.__file__)
    ):
        frame = frame.f_back
    return "" if frame is None else str(frame.f_globals.get("__name__", ""))


def _is_ignored(message: Any, module: str) -> bool:
    """Return whether the program's filters ignore the warning where PyTorch alone would give it."""
    said = str(message.message)
    for action, text, category, where, line in warnings.filters:
        if (
            issubclass(message.category, category)
            and (text is None or text.match(said))
            and (where is None or where.match(module))
            and line == 0
        ):
            return action == "ignore"
    return False
