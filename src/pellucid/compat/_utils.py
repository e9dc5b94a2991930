"""Tensors packed into one and taken apart again."""

from __future__ import annotations

from collections.abc import Sequence

from pellucid.interop import rebuilding
from pellucid.ops.shape.join import cat
from pellucid.ops.shape.splitting import split
from pellucid.tensors import Tensor
from pellucid.utils.data._utils.worker import ExceptionWrapper

__all__ = ["ExceptionWrapper"]

# read by pickles and unpicklers of packages
_rebuild_tensor = _rebuild_tensor_v2 = rebuilding.rebuild_tensor
_rebuild_tensor_v3 = rebuilding.rebuild_tensor_of_dtype
_rebuild_meta_tensor_no_storage = rebuilding.rebuild_meta_tensor
_rebuild_parameter = rebuilding.rebuild_parameter
_rebuild_sparse_tensor = rebuilding.rebuild_sparse_tensor


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
