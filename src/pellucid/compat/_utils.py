"""Tensors packed into one and taken apart again."""

from __future__ import annotations

from collections.abc import Sequence

from pellucid.interop.rebuilding import (
    rebuild_parameter as _rebuild_parameter,  # noqa: F401 - read by unpicklers of packages
)
from pellucid.interop.rebuilding import rebuild_tensor as _rebuild_tensor
from pellucid.ops.shape.join import cat
from pellucid.ops.shape.splitting import split
from pellucid.tensors import Tensor

_rebuild_tensor_v2 = _rebuild_tensor


def _flatten_dense_tensors(tensors: Sequence[Tensor]) -> Tensor:
    """Return a 1-D tensor of the elements of all tensors, one after the other.

    >>> _flatten_dense_tensors([torch.ones(2, 1), torch.zeros(1)])
    tensor([1., 1., 0.])
    """
    return cat([tensor.reshape(-1) for tensor in tensors])


def _unflatten_dense_tensors(flat: Tensor, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Return views of a 1-D tensor that have the shapes of some tensors.

    >>> _unflatten_dense_tensors(torch.arange(3), [torch.ones(2, 1), torch.zeros(1)])[0]
    tensor([[0],
            [1]])
    """
    parts = split(flat, [tensor.numel() for tensor in tensors])
    return tuple(part.view(tensor.shape) for part, tensor in zip(parts, tensors, strict=True))
