"""Softmax over the elements that a sparse tensor has."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.core.call.call import new_tensor
from pellucid.errors import SparseLayoutError
from pellucid.ops.elementwise.exponential import exp, log
from pellucid.ops.index.index_slices import index_select, index_select_backward
from pellucid.ops.nn import softmax as dense
from pellucid.shapes import dim_from_end
from pellucid.sparse.coordinate import CoordinateTensor, flattened


def softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """Return the softmax along a dim, of the elements that are kept: the others count as -inf.

    Args:
        input: Sparse tensor in coordinate format.
        dim: The dim along which the results sum up to one.
        dtype: The dtype to compute in.

    >>> torch.sparse.softmax(torch.tensor([[1.0, 0.0, 1.0]]).to_sparse(), 1).to_dense()
    tensor([[0.5000, 0.0000, 0.5000]])
    """
    merged, axis = _prepared("softmax", input, dim, dtype)
    if axis >= merged.sparse_dim():
        inner = axis - merged.sparse_dim() + 1
        return merged.with_values(dense.softmax(merged._entries, inner))
    shifted, sums, group = _shifted(merged, axis)
    return merged.with_values(exp(shifted) / index_select(sums, 0, group))


def log_softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """Return the logarithm of the softmax along a dim, of the elements that are kept.

    Args:
        input: Sparse tensor in coordinate format.
        dim: The dim along which the softmax sums up to one.
        dtype: The dtype to compute in.

    >>> torch.sparse.log_softmax(torch.tensor([[1.0, 0.0, 1.0]]).to_sparse(), 1).values()
    tensor([-0.6931, -0.6931])
    """
    merged, axis = _prepared("log_softmax", input, dim, dtype)
    if axis >= merged.sparse_dim():
        inner = axis - merged.sparse_dim() + 1
        return merged.with_values(dense.log_softmax(merged._entries, inner))
    shifted, sums, group = _shifted(merged, axis)
    return merged.with_values(shifted - index_select(log(sums), 0, group))


def _prepared(name: str, input: Any, dim: int, dtype: Any) -> tuple[CoordinateTensor, int]:
    if not isinstance(input, CoordinateTensor):
        raise SparseLayoutError(
            f"Could not run 'aten::_sparse_{name}': it takes a tensor in coordinate format. Use "
            "Tensor.to_sparse(), or to_dense() and torch.softmax."
        )
    axis = dim_from_end(dim, input.ndim)
    return (input if dtype is None else input.to(dtype)).coalesce(), axis


def _shifted(merged: CoordinateTensor, axis: int) -> tuple[Any, Any, Any]:
    """Return the values less their group's largest, the groups' sums of powers, the groups."""
    kept = [dim for dim in range(merged.sparse_dim()) if dim != axis]
    sizes = [merged.sparse_sizes[dim] for dim in kept]
    found, group = np.unique(flattened(merged._coordinates[kept], sizes), return_inverse=True)
    array = merged._entries._array
    largest = np.full((len(found), *array.shape[1:]), -np.inf, array.dtype)
    np.maximum.at(largest, group, array)
    where: Any = new_tensor(group)
    peaks: Any = new_tensor(largest[group])
    shifted = merged._entries - peaks
    return shifted, index_select_backward(exp(shifted), where, tuple(largest.shape), 0), where
