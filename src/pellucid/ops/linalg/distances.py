"""Norms of slices, and distances between the rows of one matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.core.call.call import new_tensor
from pellucid.core.definition.public import CASTING, public
from pellucid.core.errors.op_errors import unsupported
from pellucid.dtypes import scalar_name
from pellucid.errors import DomainError, DtypeError, ShapeError
from pellucid.ops.elementwise.arithmetic import mul
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.elementwise.upcast import all_half, rounded_once
from pellucid.ops.index.index_slices import index_select
from pellucid.ops.reduce.statistics import vector_norm
from pellucid.ops.shape.copying import contiguous
from pellucid.shapes import dim_from_end, real_dim


@public("pdist nn.functional.pdist")
def pdist(input: Any, p: float = 2.0) -> Any:
    """Return the p-norm distances of all pairs of rows: ``[n, d]`` to ``[n * (n - 1) / 2]``.

    The pairs are in the order (0, 1), (0, 2), ..., (1, 2), ... Raises RuntimeError for what is not
    a matrix of real floating-point numbers, and for a negative ``p``.

    Args:
        input: Floating-point matrix ``[n, d]`` of rows.
        p: Order of the norm.

    >>> torch.pdist(torch.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]))
    tensor([5.0000, 1.0000, 4.2426])
    """
    array = input._array
    if array.ndim != 2:
        raise ShapeError(f"pdist only supports 2D tensors, got: {array.ndim}D")
    if array.dtype.kind not in "fV":
        raise DtypeError("pdist only supports floating-point dtypes")
    if not p >= 0:
        raise DomainError("pdist only supports non-negative p values")
    if array.dtype.itemsize < 4:
        raise unsupported("pdist", array.dtype)
    first, second = (new_tensor(each) for each in np.triu_indices(array.shape[0], 1))
    return vector_norm(index_select(input, 0, first) - index_select(input, 0, second), p, 1)


@public("renorm", method=True, inplace=True, keeps_input=True, out=CASTING)
def renorm(input: Any, p: float | complex, dim: int, maxnorm: float | complex) -> Any:
    """Scale the slices along a dimension down to a p-norm of ``maxnorm`` where theirs is greater.

    Raises RuntimeError for less than two dimensions, for a ``p`` that is not positive and for a
    negative ``maxnorm``.

    Args:
        input: Tensor of at least two dimensions, floating point or complex.
        p: Order of the norm.
        dim: Dimension whose slices are scaled.
        maxnorm: Largest norm that is kept.

    >>> torch.renorm(torch.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
    if isinstance(p, complex):
        raise DomainError("renorm: p must be real-valued")
    if p <= 0:
        raise DomainError("renorm: non-positive-norm not supported")
    if isinstance(maxnorm, complex):
        raise DomainError("renorm: maxnorm must be real-valued")
    if maxnorm < 0:
        raise DomainError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    if all_half(input):
        return rounded_once(renorm, input, p, dim, maxnorm)
    ndim = input._array.ndim
    if ndim < 2:
        raise ShapeError(f"renorm: input needs at least 2 dimensions, got {ndim} dimensions")
    kept = dim_from_end(dim, ndim)
    norm = vector_norm(input, p, tuple(each for each in range(ndim) if each != kept), True)
    # what is added keeps the factor below 1, as PyTorch has it
    return mul(contiguous(input), where(norm > maxnorm, maxnorm / (norm + 1e-7), 1.0))


@public("norm_except_dim")
def norm_except_dim(v: Any, pow: int = 2, dim: int = 0) -> Any:
    """Return the norm over all dimensions but one, those with size 1; over all where dim is -1.

    Args:
        v: Floating-point or complex tensor of any shape.
        pow: Order of the norm.
        dim: Dimension to work along; a negative one counts from the end.

    Raises:
        RuntimeError: If the tensor is neither floating point nor complex.
        IndexError: If ``dim`` is out of range.

    >>> torch.norm_except_dim(torch.tensor([[3.0, 4.0], [6.0, 8.0]]), 2, 0)
    tensor([[ 5.],
            [10.]])
    """
    array = v._array
    if array.dtype.kind not in "fcV":
        raise DtypeError(
            "norm(): input dtype should be either floating point or complex. Got "
            f"{scalar_name(array.dtype)} instead."
        )
    if dim == -1:
        return vector_norm(v, pow)
    kept = real_dim(dim, array.ndim)
    if not array.shape[kept]:
        raise ShapeError(
            "cannot reshape tensor of 0 elements into shape [0, -1] because the unspecified "
            "dimension size -1 can be any value and is ambiguous"
        )
    if array.ndim == 1:
        return vector_norm(v.reshape(-1, 1), pow, 1)
    return vector_norm(v, pow, tuple(each for each in range(array.ndim) if each != kept), True)
