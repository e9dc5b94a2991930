"""How einops works on tensors. It finds the class among the subclasses of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from einops._backends import AbstractBackend

from pellucid.autograd.variable import TensorBase
from pellucid.ops.linalg.contract import einsum
from pellucid.ops.shape.join import cat, stack
from pellucid.tensors import Tensor, conversions
from pellucid.tensors.creation import from_numpy
from pellucid.tensors.ranges import arange


class PellucidBackend(AbstractBackend):
    """The functions that einops asks of a framework, for tensors."""

    framework_name = "pellucid"

    def is_appropriate_type(self, tensor: Any) -> bool:
        return isinstance(tensor, TensorBase)

    def from_numpy(self, x: Any) -> Tensor:
        return from_numpy(x)

    def to_numpy(self, x: Tensor) -> Any:
        return conversions.to_array(x.detach())

    def arange(self, start: int, stop: int) -> Tensor:
        return arange(start, stop)

    def transpose(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        return x.permute(*axes)

    def reduce(self, x: Tensor, operation: str, axes: Sequence[int]) -> Tensor:
        if operation == "prod":  # which takes one dimension at a time
            for dim in sorted(axes, reverse=True):
                x = x.prod(dim)
            return x
        name = {"min": "amin", "max": "amax"}.get(operation, operation)
        return getattr(x, name)(tuple(axes))

    def stack_on_zeroth_dimension(self, tensors: list[Tensor]) -> Tensor:
        return stack(tensors)

    def add_axis(self, x: Tensor, new_position: int) -> Tensor:
        return x.unsqueeze(new_position)

    def tile(self, x: Tensor, repeats: Sequence[int]) -> Tensor:
        return x.repeat(*repeats)

    def concat(self, tensors: list[Tensor], axis: int) -> Tensor:
        return cat(tensors, axis)

    def is_float_type(self, x: Tensor) -> bool:
        return x.is_floating_point()

    def einsum(self, pattern: str, *x: Tensor) -> Tensor:
        return einsum(pattern, *x)
