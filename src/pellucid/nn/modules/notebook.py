"""A module in a notebook: a table of its layers with their parameters."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from pellucid.tensors.notebook import size_text, table

if TYPE_CHECKING:
    from pellucid.nn.modules.module import Module

_MOST_ROWS = 60
_WIDEST = 60


def module_html(module: Module) -> str:
    """Return a module as HTML: a row for each layer that has parameters or no layers inside."""
    seen: set[int] = set()
    rows = [
        _row(name, layer, seen)
        for name, layer in module.named_modules()
        if layer._parameters or not layer._modules
    ]
    parameters = [each for each in module.parameters() if _is_made(each)]
    total = sum(each.numel() for each in parameters)
    trained = sum(each.numel() for each in parameters if each.requires_grad)
    size = size_text(sum(each.numel() * each.element_size() for each in parameters))
    text = f"{total:,} parameters, {size}"
    if trained < total:
        text += f"; {trained:,} of them are trained"
    head = f"<div><strong>{escape(type(module).__name__)}</strong> {text}</div>"
    left = len(rows) - _MOST_ROWS
    more = f"<div>and {left:,} more layers</div>" if left > 0 else ""
    heading = ("name", "layer", "settings", "parameters", "count")
    return head + table(heading, rows[:_MOST_ROWS]) + more


def _row(name: str, layer: Module, seen: set[int]) -> tuple[str, str, str, str, str]:
    own = {key: each for key, each in layer._parameters.items() if each is not None}
    shapes = [f"{key} {_shape(each)}{_remark(each, seen)}" for key, each in own.items()]
    fresh = [each for each in own.values() if id(each) not in seen and _is_made(each)]
    seen.update(map(id, own.values()))
    settings = layer.extra_repr()
    if len(settings) > _WIDEST:
        settings = f"{settings[: _WIDEST - 1]}…"
    count = sum(each.numel() for each in fresh)
    return name, type(layer).__name__, settings, ", ".join(shapes), f"{count:,}" if count else ""


def _remark(parameter: Any, seen: set[int]) -> str:
    if id(parameter) in seen:
        return " (shared)"
    return "" if parameter.requires_grad else " (frozen)"


def _shape(parameter: Any) -> str:
    return str(list(parameter.shape)) if _is_made(parameter) else "not made yet"


def _is_made(parameter: Any) -> bool:
    """Return whether a parameter has a shape, which one of a lazy layer gets in the first call."""
    from pellucid.nn.lazy_tensors import is_lazy

    return not is_lazy(parameter)
