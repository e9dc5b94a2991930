"""PyTorch's errors in calls of functions: the operands, the line, the layer, and what to do."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

from pellucid.autograd.explanations import changed_value
from pellucid.autograd.sites import Site, user_frame
from pellucid.core.definition.op import registry
from pellucid.core.errors import op_errors
from pellucid.inspect.checks.calls import name_of

torch: Any = importlib.import_module("torch")

_MOST_DESCRIBED = 20
#: PyTorch's sentences, and what is to be done; the text may ask for operands by name
_REMEDIES: tuple[tuple[str, str], ...] = (
    (r"expected target dtype to be Long|expected scalar type Long but found \w*(Float|Double)|"
     r"\"nll_loss\w*\" not implemented for '(Float|Double|Int)'",
     "Targets that are classes are whole numbers: give target.long(); targets that are shares of "
     "each class have the shape of the input."),
    (r"must have the same dtype|expected scalar type \w+ but found|to have the same dtype",
     "Convert one of them, as in x.to(weight.dtype). What comes from NumPy is float64 unless it is "
     "made float32: torch.from_numpy(a).float()."),
    (r"Expected all tensors to be on the same device",
     "Move the one that was left behind: x = x.to(device), or model.to(device) before the "
     "optimizer is made."),
    (r"mat1 and mat2 shapes cannot be multiplied|size mismatch, got",
     "The last dimension of the first has to be the first one of the second: for a linear layer, "
     "in_features has to be the size of what it is given."),
    (r"must match the size of tensor b .* at non-singleton dimension",
     "Sizes are compared from the last dimension on; each pair has to be equal, or one of them 1."),
    (r"view size is not compatible", "reshape() copies where view() cannot; or call "
     ".contiguous() after the transpose or slice that reordered it."),
    (r"all elements of input should be between 0 and 1",
     "Give it probabilities: apply sigmoid first, or better use "
     "binary_cross_entropy_with_logits."),
    (r"Can't call numpy\(\) on Tensor that requires grad",
     "What is computed from the array gets no gradient. If that is meant, write "
     ".detach().numpy(); if not, stay with torch functions."),
    (r"Target -?\d+ is out of bounds", "Classes are counted from 0 to the number of columns of the "
     "input less one."),
    (r"out of memory|can't allocate memory",
     "inspect.memory(loss) says which lines keep how much for backward; a list of losses, or a sum "
     "of them, keeps the graphs of all steps."),
)  # fmt: skip
_REMEDIES_BY_PATTERN = [(re.compile(pattern), remedy) for pattern, remedy in _REMEDIES]


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
    remedy = next((each for known, each in _REMEDIES_BY_PATTERN if known.search(sentence)), None)
    set_text(error, text if remedy is None else f"{text}\n  {remedy}")


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
