"""Checks of an operator that a program has defined: `opcheck`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pellucid.errors import ArgumentError, PellucidError
from pellucid.func.trees import flatten, mapped
from pellucid.tensors import Tensor


class OpCheckError(PellucidError):
    """An operator does not do what it says it does.

    Wrong: an operator that changes ``x`` in place, defined with ``mutates_args=()``.
    Right: ``mutates_args=("x",)``, or an operator that computes on a copy.
    """


def check_operator(
    op: Any, definition: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
    test_utils: str | Sequence[str], raise_exception: bool,
) -> dict[str, str]:  # fmt: skip
    """Run some of the checks, and return what came of each by its name.

    Args:
        op: The operator.
        definition: What is known of it: its function for shapes, and which arguments it changes.
        args: Its arguments.
        kwargs: Its keyword arguments.
        test_utils: The names of the checks, one or several.
        raise_exception: Whether the first failure is raised.

    Raises:
        ValueError: For a check of another name.
        OpCheckError: For a failure.
    """
    names = [test_utils] if isinstance(test_utils, str) else list(test_utils)
    unknown = [name for name in names if name not in CHECKS]
    if unknown:
        raise ArgumentError(
            f"opcheck(op, ...): test_utils={tuple(unknown)} not one of {tuple(CHECKS)}"
        )
    outcomes = {}
    for name in names:
        try:
            CHECKS[name](op, definition, args, kwargs)
            outcomes[name] = "SUCCESS"
        except Exception as error:
            if raise_exception:
                raise OpCheckError(
                    f"opcheck(op, ...): {name} failed with {error} (scroll up for stack trace)"
                ) from error
            outcomes[name] = str(error)
    return outcomes


def _copied(value: Any) -> Any:
    """Return arguments with tensors of their own, which require gradients where those do."""
    return mapped(
        lambda each: (
            each.detach().clone().requires_grad_(each.requires_grad)
            if isinstance(each, Tensor)
            else each
        ),
        value,
    )


def _tensors(value: Any) -> list[Tensor]:
    return [each for each in flatten(value)[0] if isinstance(each, Tensor)]


def _schema(op: Any, definition: Any, args: Any, kwargs: Any) -> None:
    """Raise where an argument is changed that the operator does not say it changes."""
    args, kwargs = _copied((args, kwargs))
    bound = definition.bound(args, kwargs)
    before = {name: [t.detach().clone() for t in _tensors(value)] for name, value in bound.items()}
    op(*args, **kwargs)
    for name, value in bound.items():
        same = all(
            np.array_equal(old.numpy(), new.detach().numpy(), equal_nan=not new.dtype.is_complex)
            for old, new in zip(before[name], _tensors(value), strict=True)
        )
        if not same and not definition.changes(name):
            raise OpCheckError(
                f"Argument {name} is not defined as mutable but was mutated: name it in "
                "mutates_args, or compute on a clone() of it"
            )


def _autograd_registration(op: Any, definition: Any, args: Any, kwargs: Any) -> None:
    """Raise where an operand requires a gradient, and no result has a history."""
    args, kwargs = _copied((args, kwargs))
    if not any(each.requires_grad for each in _tensors((args, kwargs))):
        return
    results = [each for each in _tensors(op(*args, **kwargs)) if each.dtype.is_floating_point]
    if results and not any(each.requires_grad for each in results):
        raise OpCheckError(
            "an operand requires a gradient, and no result has a history: register the derivative "
            "by register_autograd"
        )


def _fake(op: Any, definition: Any, args: Any, kwargs: Any) -> None:
    """Raise where shapes and dtypes of results without values are not those with values."""

    def described(results: Any) -> list[tuple[Any, Any]]:
        return [(tuple(each.shape), each.dtype) for each in _tensors(results)]

    def without_values(value: Any) -> Any:
        return value.detach().to("meta") if isinstance(value, Tensor) else value

    args, kwargs = _copied((args, kwargs))
    found = described(op(*mapped(without_values, args), **mapped(without_values, kwargs)))
    real = described(op(*args, **kwargs))
    if found != real:
        raise OpCheckError(f"on the device 'meta' the results are {found}, with values {real}")


def _same_again(op: Any, definition: Any, args: Any, kwargs: Any) -> None:
    """Raise where a second run of the operator gives other values or other gradients."""
    outcomes = [_outcome(op, *_copied((args, kwargs))) for _ in range(2)]
    for first, second in zip(*outcomes, strict=True):
        if not np.array_equal(first, second, equal_nan=first.dtype.kind == "f"):
            raise OpCheckError("two runs with the same arguments give other values or gradients")


def _outcome(op: Any, args: Any, kwargs: Any) -> list[np.ndarray[Any, Any]]:
    results = _tensors(op(*args, **kwargs))
    leaves = [each for each in _tensors((args, kwargs)) if each.requires_grad]
    for each in results:
        if each.requires_grad:
            each.sum().backward(retain_graph=True)
    gradients = [each.grad for each in leaves if each.grad is not None]
    return [each.detach().numpy() for each in (*results, *gradients)]


#: the checks, by PyTorch's names
CHECKS: dict[str, Callable[[Any, Any, Any, Any], None]] = {
    "test_schema": _schema,
    "test_autograd_registration": _autograd_registration,
    "test_faketensor": _fake,
    "test_aot_dispatch_dynamic": _same_again,
}
