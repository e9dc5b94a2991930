"""One operation on each tensor of a list, as ``torch._foreach_add_(parameters, gradients)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pellucid.core.definition.public import LISTS, public_names
from pellucid.errors import ShapeError
from pellucid.shapes import items_of
from pellucid.tensors import Tensor
from pellucid.tensors.public_functions import inplace_variant


def foreach(full_name: str) -> Callable[..., Any]:
    """Return the function that applies an operation to each tensor of a list.

    Of its other arguments, the lists give one value for each tensor. Functions whose names end in
    an underscore write into the tensors and return the list of them. Raises RuntimeError for lists
    of different lengths.

    >>> velocities, gradients = [torch.ones(2), torch.zeros(1)], [torch.ones(2), torch.ones(1)]
    >>> _ = torch._foreach_mul_(velocities, 0.5)
    >>> torch._foreach_add(velocities, gradients, alpha=2)
    (tensor([2.5000, 2.5000]), tensor([2.]))
    """
    name = full_name.removeprefix("_foreach_")
    inplace = name.endswith("_")
    base = name.removesuffix("_")
    apply = _operation(full_name)

    def on_each(self: Any, *arguments: Any, **options: Any) -> Any:
        if "scalars" in options:
            options["value"] = options.pop("scalars")
        if base in ("addcmul", "addcdiv") and len(arguments) == 3:
            options["value"] = arguments[2]
            arguments = arguments[:2]
        if isinstance(options.get("value"), Tensor):
            options["value"] = options["value"].tolist()
        rows = _rows((self, *arguments, *options.values()), full_name)
        count = 1 + len(arguments)
        results = tuple(
            apply(*row[:count], **dict(zip(options, row[count:], strict=True))) for row in rows
        )
        return self if inplace else results

    on_each.__name__ = on_each.__qualname__ = full_name
    return on_each


def _operation(full_name: str) -> Callable[..., Any]:
    entry = public_names[LISTS].get(full_name)
    if entry is None:
        raise AttributeError(f"module 'pellucid' has no attribute '{full_name}'")
    return inplace_variant(entry.declaration) if entry.inplace else entry.declaration.function


def _rows(arguments: Sequence[Any], full_name: str) -> list[tuple[Any, ...]]:
    """Return the arguments of each call: a list gives each its own, anything else is repeated."""
    values = [_spread(argument) for argument in arguments]
    counts = [len(value) for value in values if isinstance(value, list)]
    if counts[:1] == [0]:
        raise ShapeError(f"Tensor list must have at least one tensor: {full_name} got none")
    if len(set(counts)) != 1:
        of_numbers = any(
            isinstance(value, list) and not (value and isinstance(value[0], Tensor))
            for value in values[1:]  # an empty list is one of numbers there, as in PyTorch
        )
        raise ShapeError(
            "Tensor list must have same number of elements as scalar list, got "
            f"{' and '.join(map(str, counts))}: those of {full_name}"
            if of_numbers
            else "Tensor lists must have the same number of tensors, got "
            f"{' and '.join(map(str, counts))}: those of {full_name}"
        )
    count = counts[0]
    return list(zip(*(v if isinstance(v, list) else [v] * count for v in values), strict=True))


def _spread(argument: Any) -> Any:
    if isinstance(argument, Sequence) and not isinstance(argument, str):
        return list(items_of(argument))
    return argument
