"""Flattening and unflattening of dims as modules."""

from __future__ import annotations

from typing import Any

from pellucid.errors import ArgumentTypeError
from pellucid.nn.modules.module import Module
from pellucid.tensors import Tensor


class Flatten(Module):
    """Layer that flattens a range of dims into one.

    Args:
        start_dim: First dim of the range.
        end_dim: Last dim of the range.

    Shape:
        Input: (*, S_start, ..., S_end, *). Output: (*, S_start * ... * S_end, *).

    >>> torch.nn.Flatten()(torch.ones(2, 3, 4)).shape
    torch.Size([2, 12])
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Layer that splits one dim into several.

    Args:
        dim: The dim, by index or by name.
        unflattened_size: The new sizes, or ``(name, size)`` pairs for a named dim.

    Shape:
        Input: (*, S, *). Output: (*, *unflattened_size, *).

    Raises:
        TypeError: If ``dim`` is not an int or name, or ``unflattened_size`` no tuple of ints.

    >>> torch.nn.Unflatten(1, (3, 4))(torch.ones(2, 12)).shape
    torch.Size([2, 3, 4])
    """

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(dim, int):
            raise ArgumentTypeError("invalid argument type for dim, expected int")
        sizes = tuple(unflattened_size) if isinstance(unflattened_size, tuple | list) else None
        if sizes is None or not all(isinstance(size, int) for size in sizes):
            raise ArgumentTypeError(
                "unflattened_size must be tuple of ints, but found type "
                f"{type(unflattened_size).__name__}"
            )
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
