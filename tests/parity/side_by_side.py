"""Evaluate one expression with pellucid and with PyTorch, and say in what the outcomes differ."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

from tests.parity.layouts import strides_of
from tests.samples.operands import Arrays, operands, tensors_of
from tests.samples.running import builtin_class, flattened, run, used


@dataclass
class Outcome:
    """What an expression gave: values and gradients, or an error."""

    error: type | None = None
    message: str = ""
    facts: list[str] = field(default_factory=list)
    strides: list[Any] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    gradients: list[Any] = field(default_factory=list)
    second: list[Any] = field(default_factory=list)


def cotangent(library: ModuleType, like: Any, seed: int) -> Any:
    """Return a tensor of the shape and dtype, the same for both libraries."""
    random = np.random.default_rng(seed)
    shape = tuple(like.shape)
    values = random.standard_normal(shape)
    if like.is_complex():
        values = values + 1j * random.standard_normal(shape)
    return library.from_numpy(np.asarray(values)).to(like.dtype)


def to_array(tensor: Any) -> np.ndarray | None:
    """Return a tensor's values."""
    if tensor is None:
        return None
    tensor = tensor.detach()
    if hasattr(tensor, "resolve_conj"):
        tensor = tensor.resolve_conj().resolve_neg()
    if str(tensor.dtype) == "torch.bfloat16":  # which NumPy does not know
        tensor = tensor.float()
    if str(tensor.dtype) == "torch.complex32":
        tensor = tensor.cfloat()
    # a copy: the tensor may be changed in place, and PyTorch's may be zeros without memory
    return np.array(tensor.numpy(force=True))


def differentiate(
    library: ModuleType, outputs: list[Any], leaves: list[Any], seed: int, create_graph: bool
) -> list[Any]:
    """Return the gradients of the outputs, weighted at random by their places, by the leaves."""
    chosen = [
        (output, cotangent(library, output, seed + place))
        for place, output in enumerate(outputs)
        if output is not None and output.requires_grad
    ]
    roots, weights = [output for output, _ in chosen], [weight for _, weight in chosen]
    return list(
        library.autograd.grad(roots, leaves, weights, create_graph=create_graph, allow_unused=True)
    )


def evaluate(
    library: ModuleType, expression: str, arrays: Arrays | None = None, orders: int = 2
) -> Outcome:
    """Run an expression, or statements that set ``out``; note all that can be compared.

    The operands are those of samples, or others of the same names.
    """
    needed = used(expression, operands() if arrays is None else arrays)
    return evaluate_on(library, expression, tensors_of(library, needed, True), orders)


def evaluate_on(
    library: ModuleType, expression: str, tensors: dict[str, Any], orders: int = 2
) -> Outcome:
    """Run an expression on operands, which may be tensors or others."""
    leaves = [each for each in tensors.values() if getattr(each, "requires_grad", False)]
    return outcome_of(library, lambda: run(library, expression, tensors), leaves, orders)


def outcome_of(
    library: ModuleType,
    call: Callable[[], Any],
    leaves: list[Any],
    orders: int = 1,
    kept: Callable[[Any], Any] = lambda result: result,
) -> Outcome:
    """Make a call; note all that can be compared, and the gradients of what is kept of it."""
    outcome = Outcome()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = call()
            parts = flattened(result)
            outputs = [
                each for each in flattened(kept(result)) if getattr(each, "requires_grad", False)
            ]
        except Exception as error:  # noqa: BLE001 - which one it is gets compared
            outcome.error = builtin_class(error)
            outcome.message = str(error)
            return outcome
        outcome.facts = [describe(part) for part in parts]
        outcome.strides = [strides_of(part) for part in parts]
        outcome.values = [
            to_array(part) if hasattr(part, "requires_grad") else part for part in parts
        ]
        if not outputs or not leaves or orders == 0:
            return outcome
        try:
            first = differentiate(library, outputs, leaves, 100, orders > 1)
            outcome.gradients = [to_array(each) for each in first]
            if orders > 1 and any(each is not None and each.requires_grad for each in first):
                second = differentiate(library, first, leaves, 200, False)
                outcome.second = [to_array(each) for each in second]
        except Exception as error:  # noqa: BLE001 - which one it is gets compared
            outcome.error = builtin_class(error)
            outcome.message = f"in backward: {error}"
    return outcome


def describe(value: Any) -> str:
    """Return what is seen of a result beside its values."""
    if not hasattr(value, "requires_grad"):
        return type(value).__name__
    text = f"{value.dtype} {list(value.shape)}"
    return text + " requires grad" if value.requires_grad else text


def differences(
    ours: Outcome, theirs: Outcome, rtol: float = 1e-6, atol: float = 1e-9
) -> list[str]:
    """Return in what two outcomes differ; nothing if they agree."""
    if ours.error is not theirs.error and not _lacks_derivative(ours, theirs):
        return [
            f"error: ours {_name(ours.error)}: {ours.message[:150]!r}, "
            f"theirs {_name(theirs.error)}: {theirs.message[:150]!r}"
        ]
    found = []
    if ours.error and not (ours.facts and theirs.facts):  # one of them fails in backward
        return found
    if ours.facts != theirs.facts:
        found.append(f"results: ours {ours.facts}, theirs {theirs.facts}")
    orders = ["values", "gradients", "second"]
    if theirs.error:
        orders = ["values"] + ["gradients"] * bool(theirs.gradients)
    for what in orders:
        for number, (mine, yours) in enumerate(_pairs(getattr(ours, what), getattr(theirs, what))):
            text = _difference(mine, yours, rtol, atol)
            if text:
                found.append(f"{what} {number}: {text}")
    return found


def differences_of_strides(ours: Outcome, theirs: Outcome) -> list[str]:
    """Return in what the strides of results differ that are alike in all else."""
    if ours.facts != theirs.facts or ours.strides == theirs.strides:
        return []
    return [f"strides: ours {ours.strides}, theirs {theirs.strides}"]


def differences_of_sentences(ours: Outcome, theirs: Outcome) -> list[str]:
    """Return in what errors of one class differ: each library adds to PyTorch's sentence."""
    if ours.error is None or ours.error is not theirs.error:
        return []
    if first_sentence(ours.message).startswith(first_sentence(theirs.message)):
        return []
    return [f"sentence: ours {ours.message[:150]!r}, theirs {theirs.message[:150]!r}"]


def first_sentence(message: str) -> str:
    """Return what an error opens with."""
    return message.split("\n")[0].split(". ")[0].rstrip(".")


def _lacks_derivative(ours: Outcome, theirs: Outcome) -> bool:
    """Return whether PyTorch has no derivative, of first or second order, where we have one."""
    lacking = theirs.message.startswith("in backward") and "is not implemented" in theirs.message
    return lacking and ours.error is None


def _name(error: type | None) -> str:
    return "no error" if error is None else error.__name__


def _pairs(mine: list[Any], yours: list[Any]) -> list[tuple[Any, Any]]:
    """Pair what there is; an order of derivative that one side has not is all ``None`` or zero."""
    length = max(len(mine), len(yours))
    return list(
        zip(mine or [None] * length, yours or [None] * length, strict=len(mine) == len(yours))
    )


def _difference(mine: Any, yours: Any, rtol: float, atol: float) -> str:
    if mine is None and yours is None:
        return ""
    if isinstance(mine, np.ndarray) or isinstance(yours, np.ndarray):
        if not isinstance(mine, np.ndarray | None) or not isinstance(yours, np.ndarray | None):
            return f"ours {type(mine).__name__}, theirs {type(yours).__name__}"
        # a gradient that nobody computes and one of zeros say the same
        mine = np.zeros_like(yours) if mine is None else mine
        yours = np.zeros_like(mine) if yours is None else yours
        if mine.shape != yours.shape:
            return f"shapes {mine.shape} and {yours.shape}"
        if mine.dtype != yours.dtype:
            return f"dtypes {mine.dtype} and {yours.dtype}"
        if mine.dtype.kind in "fc":
            tight = mine.dtype.itemsize >= (16 if mine.dtype.kind == "c" else 8)
            if not tight:
                least = (2e-2, 1e-2) if mine.itemsize == 2 else (2e-5, 2e-6)
                rtol, atol = max(rtol, least[0]), max(atol, least[1])
            same = np.allclose(mine, yours, rtol, atol, equal_nan=True)
        else:
            same = np.array_equal(mine, yours)
        return "" if same else f"ours {mine.tolist()}, theirs {yours.tolist()}"[:600]
    if isinstance(mine, float) and isinstance(yours, float):
        same = math.isclose(mine, yours, rel_tol=1e-6) or (math.isnan(mine) and math.isnan(yours))
        return "" if same else f"ours {mine!r}, theirs {yours!r}"
    if not isinstance(mine, bool | int | str | complex | tuple | type(None)):
        return ""
    return "" if mine == yours else f"ours {mine!r}, theirs {yours!r}"
