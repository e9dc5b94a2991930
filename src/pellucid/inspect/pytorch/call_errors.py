"""PyTorch's errors in calls of functions: the operands, the line, the layer, and what to do."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

from pellucid.autograd.explanations import changed_value
from pellucid.autograd.explanations.remedies import remedy_of
from pellucid.autograd.sites import Site, user_frame
from pellucid.core.definition.op import registry
from pellucid.core.errors import op_errors
from pellucid.inspect.checks.calls import name_of

torch: Any = importlib.import_module("torch")

_MOST_DESCRIBED = 20


def explain_call(
    error: Exception, function: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any],
    scopes: Any,
) -> None:  # fmt: skip
    """Add to an error that a function of PyTorch's has raised what it was given, and where.

    Args:
        error: The error; one whose text cannot be changed stays as it is.
        function: The function.
        name: Its name.
        args: Its arguments.
        kwargs: Those given by name.
        scopes: The modules that are running.
    """
    sentence = error.args[0] if len(error.args) == 1 else None
    if not isinstance(sentence, str) or isinstance(error, KeyError | OSError | AttributeError):
        return
    if "leaf Variable that requires grad" in sentence:
        set_text(error, f"{sentence}{changed_value.leaf_inplace(name)}")
        return
    if op_errors.CONTEXT in sentence:
        return
    values = ", ".join(
        f"{each}: {_describe(value)}" if each else _describe(value)
        for each, value in _named(function, name, args, kwargs)
    )
    site = Site(*user_frame())
    text = f"{sentence}{op_errors.CONTEXT}{name_of(function)}({values})\n  at {site}   {site.text}"
    text += layer_text(scopes) + _index_text(sentence, name, args)
    set_text(error, f"{text}{remedy_of(sentence, torch=True)}")


_WITHOUT = re.compile(r"did not receive grad for rank \d+: ([\d ]+)")


def explain_reduction(error: RuntimeError, module: Any) -> None:
    """Add to an error of DistributedDataParallel which parameters no gradient has come to.

    Args:
        error: The error.
        module: The module that has raised it.
    """
    found = _WITHOUT.search(str(error))
    if found is None or not hasattr(module, "find_unused_parameters") or hasattr(error, "told"):
        return
    left_out = module.parameters_to_ignore
    names = [name for name, each in module.module.named_parameters()
             if each.requires_grad and name not in left_out]  # fmt: skip
    missing = [names[int(each)] for each in found[1].split() if int(each) < len(names)]
    text = (
        f"{error}\n  Without a gradient since the step before: {', '.join(missing)}.\n"
        "  Leave what no step uses out of the model, or freeze it by requires_grad_(False). Pass "
        "find_unused_parameters=True for what some steps do not use; a part that was cut off, by "
        "detach() for example, is shown by inspect.why_no_grad(parameter, loss)."
    )
    set_text(error, text)
    error.told = True  # type: ignore[attr-defined]


def set_text(error: BaseException, text: str) -> None:
    """Set the text of an error, whose traceback can be short from now on."""
    error.args = (text,)
    error.is_explained = True  # type: ignore[attr-defined]


def layer_text(scopes: Any) -> str:
    """Return which layer is running, as a line: ``in layer trunk.2 (Linear(...))``."""
    module = scopes.modules[-1]() if scopes.modules else None
    if module is None:
        return ""
    described = f"{type(module).__name__}({module.extra_repr()})"
    where = described if len(scopes.modules) == 1 else f"{scopes.current} ({described})"
    return f"\n  in layer {where}"


def _index_text(sentence: str, name: str, args: tuple[Any, ...]) -> str:
    """Return which index an embedding's table has no row for."""
    if name != "embedding" or "index out of range" not in sentence or len(args) < 2:
        return ""
    rows, indices = sorted(args[:2], key=lambda each: not each.is_floating_point())
    wrong = indices[(indices < 0) | (indices >= len(rows))]
    if not len(wrong):
        return ""
    return f"\n  Index {int(wrong[0])} is out of range for a table of {len(rows)} rows."


def _named(
    function: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Yield the arguments with their names, as far as these are known; defaults are left out."""
    names, defaults = _names(function, name)
    for position, value in enumerate(args):
        yield (names[position] if position < len(names) else ""), value
    for each, value in kwargs.items():
        if value is not None and (_is_tensor(value) or value != defaults.get(each, ())):
            yield each, value


def _names(function: Any, name: str) -> tuple[list[str], dict[str, Any]]:
    """Return names and defaults of parameters, by Python's signature or pellucid's op."""
    if not hasattr(function, "__code__"):
        op = registry.get(name)
        return ([] if op is None else [each.name for each in op.operands]), {}
    parameters = inspect.signature(function).parameters.values()
    names = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    return names, {each.name: each.default for each in parameters}


def _describe(value: Any, depth: int = 4) -> str:
    """Describe an argument: ``float32[3, 4]`` for a tensor, with the device if it is another."""
    if isinstance(value, torch.Tensor):
        where = "" if value.device.type == "cpu" else f" on {value.device}"
        return f"{str(value.dtype).removeprefix('torch.')}{_shape(value)}{where}"
    if depth and isinstance(value, list | tuple) and any(map(_is_tensor, value)):
        described = [_describe(each, depth - 1) for each in value[:_MOST_DESCRIBED]]
        return f"[{', '.join(described + ['...'] * (len(value) > _MOST_DESCRIBED))}]"
    return op_errors.describe(value)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def _shape(tensor: Any) -> list[Any]:
    try:
        return list(tensor.shape)
    except RuntimeError:  # a nested one has none
        return []
