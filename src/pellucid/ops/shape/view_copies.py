"""Copies of views: the functions whose names end in ``_copy``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pellucid.core.definition.public import public
from pellucid.core.errors.arguments import require
from pellucid.core.memory.memory_formats import contiguous_format
from pellucid.ops.elementwise.complexes import view_as_complex, view_as_real
from pellucid.ops.shape.copying import clone

#: the views that are methods, with an example of each and what it prints
_METHODS = {
    "as_strided": ("torch.arange(4), (2, 2), (1, 1)", "tensor([[0, 1],\n            [1, 2]])"),
    "detach": ("torch.ones(1)", "tensor([1.])"),
    "diagonal": ("torch.eye(2)", "tensor([1., 1.])"),
    "expand": ("torch.ones(1), (2,)", "tensor([1., 1.])"),
    "narrow": ("torch.arange(4), 0, 1, 2", "tensor([1, 2])"),
    "permute": ("torch.ones(1, 2), (1, 0)", "tensor([[1.],\n            [1.]])"),
    "select": ("torch.arange(4), 0, 1", "tensor(1)"),
    "split": ("torch.arange(3), 2", "(tensor([0, 1]), tensor([2]))"),
    "split_with_sizes": ("torch.arange(3), [1, 2]", "(tensor([0]), tensor([1, 2]))"),
    "squeeze": ("torch.ones(1, 2)", "tensor([1., 1.])"),
    "t": ("torch.ones(1, 2)", "tensor([[1.],\n            [1.]])"),
    "transpose": ("torch.ones(1, 2), 0, 1", "tensor([[1.],\n            [1.]])"),
    "unbind": ("torch.arange(2)", "(tensor(0), tensor(1))"),
    "unfold": ("torch.arange(3), 0, 2, 1", "tensor([[0, 1],\n            [1, 2]])"),
    "unsqueeze": ("torch.arange(2), 0", "tensor([[0, 1]])"),
    "view": ("torch.arange(2), (2, 1)", "tensor([[0],\n            [1]])"),
}


def _copy(seen: Any) -> Any:
    return clone(seen, memory_format=contiguous_format)


def _copying(name: str, example: str, printed: str) -> Callable[..., Any]:
    def function(input: Any, *args: Any, **kwargs: Any) -> Any:
        require(f"{name}_copy", "tensor", input=input)
        seen = getattr(input, name)(*args, **kwargs)
        return tuple(map(_copy, seen)) if isinstance(seen, tuple) else _copy(seen)

    function.__name__ = function.__qualname__ = f"{name}_copy"
    function.__doc__ = f"""Return a copy of the result of ``Tensor.{name}``, with memory of its own.

    Args:
        input: Tensor of any shape and dtype.
        args: The arguments of ``Tensor.{name}``.
        kwargs: Its keyword arguments.

    >>> torch.{name}_copy({example})
    {printed}
    """
    return function


for _name, (_example, _printed) in _METHODS.items():
    public(f"{_name}_copy")(_copying(_name, _example, _printed))


@public("alias_copy")
def alias_copy(input: Any) -> Any:
    """Return a copy.

    Args:
        input: Tensor of any shape.

    >>> torch.alias_copy(torch.ones(1))
    tensor([1.])
    """
    return clone(input)


@public("slice_copy")
def slice_copy(
    input: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Any:
    """Return a copy of the elements from ``start`` to below ``end`` along a dimension.

    Args:
        input: Tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.
        start: Start of the range.
        end: End of the range.
        step: Distance from one element to the next.

    >>> torch.slice_copy(torch.arange(5), 0, 1, 4, 2)
    tensor([1, 3])
    """
    return clone(input[(slice(None),) * (dim % input.ndim) + (slice(start, end, step),)])


@public("view_as_complex_copy")
def view_as_complex_copy(input: Any) -> Any:
    """Return complex numbers made of pairs of real ones, with memory of their own.

    Args:
        input: Real tensor ``[*, 2]``.

    >>> torch.view_as_complex_copy(torch.tensor([1.0, 2.0]))
    tensor(1.+2.j)
    """
    return clone(view_as_complex(input))


@public("view_as_real_copy")
def view_as_real_copy(input: Any) -> Any:
    """Return complex numbers as pairs of real ones, with memory of their own.

    Args:
        input: Complex tensor ``[*]``.

    >>> torch.view_as_real_copy(torch.tensor(1 + 2j))
    tensor([1., 2.])
    """
    return clone(view_as_real(input))
