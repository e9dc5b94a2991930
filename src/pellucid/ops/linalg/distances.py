"""Norms of slices, and distances between the rows of one matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.core.call.call import new_tensor
from pellucid.core.call.compiled import replayable
from pellucid.core.call.opmath import refuse_half
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.dtype_rules import COMMON
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import CASTING, public
from pellucid.core.errors.arguments import require
from pellucid.core.errors.op_errors import check_same_dtype, unsupported
from pellucid.core.families import op
from pellucid.core.memory.layouts import contiguous
from pellucid.dtypes import is_differentiable, scalar_name
from pellucid.errors import DomainError, DtypeError, ShapeError
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.elementwise.upcast import all_half, rounded_once
from pellucid.ops.index.index_slices import index_select
from pellucid.ops.reduce.reductions import sum
from pellucid.ops.reduce.statistics import vector_norm, vector_norm_input
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


@public("cdist functional.cdist", reads_late=True)
@replayable
@autocasts(Autocast.FLOAT32)
def cdist(x1: Any, x2: Any, p: float = 2.0, compute_mode: str | None = None) -> Any:
    """Return the distances of all pairs of rows: ``[*B, n, d], [*B, m, d]`` to ``[*B, n, m]``.

    Args:
        x1: Points ``[*, P, D]``.
        x2: Points ``[*, R, D]``.
        p: Order of the norm.
        compute_mode: Whether matrix products may be used; it changes nothing here.

    Raises:
        RuntimeError: If a tensor is not floating point.

    >>> torch.cdist(torch.zeros(1, 2), torch.tensor([[3.0, 4.0], [0.0, 1.0]]))
    tensor([[5., 1.]])
    """
    refuse_half("cdist", x1, x2)
    for name, points in (("X1", x1), ("X2", x2)):
        if points.ndim < 2:
            raise ShapeError(f"cdist only supports at least 2D tensors, {name} got: {points.ndim}D")
        if points._array.dtype.kind != "f":
            found = scalar_name(points._array.dtype)
            raise DtypeError(f"cdist only supports floating-point dtypes, {name} got: {found}")
    check_same_dtype(x1, x2)
    require("cdist", "float", p=p)
    return distances_of_rows(x1, x2, float(p))


def _differences(x1: Any, x2: Any) -> Any:
    """Return what lies between each row of one batch and each of another."""
    rows = x1.reshape((*x1.shape[:-1], 1, x1.shape[-1]))
    return rows - x2.reshape((*x2.shape[:-2], 1, *x2.shape[-2:]))


@op(holomorphic=False, node_name="cdist", layout=contiguous, faces=Face("p result x1 x2"))
def distances_of_rows(be, x1, x2, /, p):
    """Return the norm of the difference of each row of one batch and each of another."""
    return vector_norm(_differences(x1, x2), p, -1)


@distances_of_rows.vjp("x1 x2")
def distances_of_rows_points(g, x1, x2, out, p):
    each = vector_norm_input(g, _differences(x1, x2), out, p, -1, False)
    return sum(each, -2), -sum(each, -3)


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
    dim_from_end(dim, ndim)
    return renormed(input, p, dim, maxnorm)


def _others(ndim: int, dim: int) -> tuple[int, ...]:
    """Return all dimensions but one."""
    return tuple(each for each in range(ndim) if each != dim % ndim)


#: keeps a scaled slice below the largest norm, as PyTorch has it
MARGIN = 1e-7


@op(holomorphic=False, node_name="renorm", layout=contiguous, faces=Face("dim maxnorm p self"))
def renormed(be, input, /, p, dim, maxnorm):
    """Scale the slices whose norm is greater than ``maxnorm``."""
    norm = vector_norm.op.body(be, input, p, _others(input.ndim, dim), True)
    return be.multiply(input, be.where(norm > maxnorm, maxnorm / (norm + MARGIN), 1.0))


@renormed.vjp("input")
def renormed_input(g, input, p, dim, maxnorm):
    dims = _others(input.ndim, dim)
    norm = vector_norm(input, p, dims, True)
    scaled, factor = norm > maxnorm, maxnorm / (norm + MARGIN)
    slope = sum((g * input.conj()).real, dims, True) * -factor / (norm + MARGIN)
    through_norm = vector_norm_input(slope, input, norm, p, dims, True)
    return where(scaled, g * factor + through_norm, g)


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
    if not is_differentiable(array.dtype):
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


def _norms_shown(node: Any) -> Any:
    """Return the norms of slices that PyTorch's node keeps."""
    v = node.saved_by_name("v").detach()
    return vector_norm(v, 2, _others(v.ndim, node.params[0]), True)


@op(dtypes=COMMON, unsupported="c", faces=Face("dim g=magnitude v", result1=_norms_shown))
def weight_norm_interface(be, v, magnitude, /, dim):
    """Return each slice of ``v`` along a dimension with the norm that ``magnitude`` has for it."""
    norm = vector_norm.op.body(be, v, 2, _others(v.ndim, dim), True)
    return be.multiply(v, be.divide(magnitude, norm))


@weight_norm_interface.vjp("v magnitude")
def weight_norm_interface_both(g, v, magnitude, dim):
    dims = _others(v.ndim, dim)
    norm, along = vector_norm(v, 2, dims, True), sum(g * v, dims, True)
    return g * (magnitude / norm) - v * (magnitude * along / (norm * norm * norm)), along / norm


def normalized_weight(v: Any, g: Any, dim: int) -> Any:
    """Return the weight with direction ``v`` and magnitude ``g``: one for each index of ``dim``."""
    if v.ndim > 1 and dim in (0, v.ndim - 1) and v._array.dtype.kind == "f":
        return weight_norm_interface(v, g, dim)
    return v * (g / norm_except_dim(v, 2, dim))
