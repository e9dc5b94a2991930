"""The functions that opt_einsum asks of a framework, with NumPy's arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opt_einsum.backends import dispatch

from pellucid.ops.linalg.contract import einsum as contract
from pellucid.ops.linalg.contract import tensordot as contract_pair
from pellucid.tensors import Tensor

__all__ = ["einsum", "tensordot", "transpose"]


def einsum(equation: str, *operands: Tensor, **options: Any) -> Tensor:
    """Return the sum over products that an equation describes."""
    return contract(equation, *operands)


def tensordot(x: Tensor, y: Tensor, axes: int | Sequence[Sequence[int]] = 2) -> Tensor:
    """Return the product of two tensors, summed over dimensions of both."""
    return contract_pair(x, y, axes)


def transpose(a: Tensor, axes: Sequence[int]) -> Tensor:
    """Return a tensor with its dimensions in another order."""
    return a.permute(*axes)


# Tensors are looked up by the package of their class.
dispatch._aliases["pellucid"] = __name__
