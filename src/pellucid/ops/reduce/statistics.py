"""Variance, norms and distances."""

from __future__ import annotations

import warnings
from math import inf, nan
from typing import Any

import numpy as np

from pellucid.autograd.sites import user_stacklevel
from pellucid.autograd.variable import TensorBase
from pellucid.core.call.compiled import regular, replayable
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.dtype_rules import COMMON
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import CASTING, EXACT, public
from pellucid.core.errors.arguments import require
from pellucid.core.families import op
from pellucid.core.memory.layouts import contiguous
from pellucid.dtypes import (
    from_numpy_dtype,
    is_complex_dtype,
    is_differentiable,
    is_half,
    real_counterpart,
    result_dtype,
    scalar_name,
    to_numpy_dtype,
)
from pellucid.errors import DomainError, DtypeError, ShapeError
from pellucid.ops.elementwise.arithmetic import zero_gradient
from pellucid.ops.elementwise.conditional import clamp_min, where
from pellucid.ops.elementwise.signs import abs, sgn
from pellucid.ops.linalg.matrices import added
from pellucid.ops.reduce.reductions import axes_of, mean, mean_input, reduced_count, restored, sum
from pellucid.ops.shape.broadcasting import broadcast_tensors, expand_as
from pellucid.ops.shape.copying import cast_like

_DEGREES_WARNING = (
    "{}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction "
    "factor (input numel divided by output numel)."
)


def _spread(be: Any, name: str, input: Any, dim: Any, correction: float, keepdim: bool) -> Any:
    """Return the variance in the precision that it is computed in."""
    if input.dtype.kind not in "fc":
        raise DtypeError("std and var only support floating point and complex dtypes")
    dims = axes_of(dim, input.ndim)
    count = reduced_count(input.shape, dims)
    total = _sum_of_squares(be, input, dims, keepdim)
    if count <= correction:
        warnings.warn(_DEGREES_WARNING.format(name), UserWarning, stacklevel=user_stacklevel())
    if count <= correction:
        with np.errstate(all="ignore"):
            return be.divide(total, 0.0)
    return be.divide(total, count - correction)


def _sum_of_squares(be: Any, x: Any, dims: Any, keepdim: bool) -> Any:
    """Add up the squared deviations from the mean."""
    if is_complex_dtype(x.dtype):
        parts = (_sum_of_squares(be, part, dims, keepdim) for part in (x.real, x.imag))
        return be.add(*parts)
    axes = tuple(range(x.ndim)) if dims is None else dims
    squares = be.squared_deviations(x, axes)
    return squares if keepdim else squares.squeeze(axes)


def _correction_shown(node: Any) -> Any:
    """Return the correction as it stands in PyTorch's nodes: None where all is left to it."""
    dim, correction, _ = node.params
    return None if dim is None and correction == 1 else correction


@op(
    torch_kernel_name="std_cpu",
    holomorphic=False,
    node_name="var",
    layout=contiguous,
    batch=Batch.OVER_DIMS,
    compiled_kernel=("var_correction", 3),
    faces=Face("dim()? keepdim self", correction=_correction_shown),
)
def var_correction(be, input, /, dim, correction, keepdim):
    """Return the mean squared deviation from the mean, with ``correction`` off the count."""
    spread = _spread(be, "var", input, dim, correction, keepdim)
    return spread.astype(real_counterpart(input.dtype), copy=False)


@var_correction.vjp("input")
def var_correction_input(g, input, dim, correction, keepdim):
    shape = tuple(input.shape)
    if (dim is None or not shape) and reduced_count(shape, None) <= correction:
        # a constant, as PyTorch has it: infinity times the deviation, which has no slope itself
        return g * where(input == mean(input), nan, inf) + zero_gradient(input)
    return restored(g, input, dim, keepdim) * _slope(input, dim, correction)


@op(
    torch_kernel_name="std_cpu",
    holomorphic=False,
    node_name="std",
    layout=contiguous,
    batch=Batch.OVER_DIMS,
    compiled_kernel=("std_correction", 3),
    singular=True,
    faces=Face("dim()? keepdim result self", correction=_correction_shown),
)
def std_correction(be, input, /, dim, correction, keepdim):
    """Return the square root of the variance."""
    return _deviation(be, "std", input, dim, correction, keepdim)


def _deviation(be: Any, name: str, input: Any, dim: Any, correction: float, keepdim: bool) -> Any:
    spread = _spread(be, name, input, dim, correction, keepdim)
    if spread.dtype.itemsize < 8 and ((spread == 0) | (spread == inf)).any():  # squares were lost
        wide = input.astype("D" if is_complex_dtype(input.dtype) else "d")
        spread = _spread(be, name, wide, dim, correction, keepdim)
    return be.sqrt(spread).astype(real_counterpart(input.dtype), copy=False)


@std_correction.vjp("input")
def std_correction_input(g, input, out, dim, correction, keepdim):
    halved = g / (where(out == 0, inf, out) * 2)
    return restored(halved, input, dim, keepdim) * _slope(input, dim, correction)


@op(
    torch_kernel_name="std_cpu",
    outputs=("var", "mean"),
    node_name="var_mean",
    holomorphic=False,
    layout=contiguous,
    batch=Batch.OVER_DIMS,
    faces=Face("dim()? keepdim self", correction=_correction_shown),
)
def var_mean_correction(be, input, /, dim, correction, keepdim):
    """Return the variance and the mean."""
    spread = _spread(be, "var_mean", input, dim, correction, keepdim)
    spread = spread.astype(real_counterpart(input.dtype), copy=False)
    return spread, mean.op.body(be, input, dim, keepdim)


@var_mean_correction.vjp("input")
def var_mean_correction_input(g_var, g_mean, input, dim, correction, keepdim):
    of_mean = None if g_mean is None else mean_input(g_mean, input, dim, keepdim)
    if g_var is None:
        return of_mean
    return added(var_correction_input(g_var, input, dim, correction, keepdim), of_mean)


@op(
    torch_kernel_name="std_cpu",
    outputs=("std", "mean"),
    node_name="std_mean",
    holomorphic=False,
    layout=contiguous,
    batch=Batch.OVER_DIMS,
    faces=Face("dim()? keepdim result0=std self", correction=_correction_shown),
)
def std_mean_correction(be, input, /, dim, correction, keepdim):
    """Return the standard deviation and the mean."""
    spread = _deviation(be, "std_mean", input, dim, correction, keepdim)
    return spread, mean.op.body(be, input, dim, keepdim)


@std_mean_correction.vjp("input")
def std_mean_correction_input(g_std, g_mean, input, std, dim, correction, keepdim):
    of_mean = None if g_mean is None else mean_input(g_mean, input, dim, keepdim)
    if g_std is None:
        return of_mean
    return added(std_correction_input(g_std, input, std, dim, correction, keepdim), of_mean)


def _slope(input: Any, dim: Any, correction: float) -> Any:
    """Return the derivative of the variance with respect to each element."""
    shape = tuple(input.shape)
    degrees = reduced_count(shape, axes_of(dim, len(shape))) - correction
    average = mean(input, dim, True) if dim is not None else mean(input)
    return (input - average) * (2 / degrees if degrees > 0 else nan)


def _arguments(dim: Any, unbiased: Any, correction: Any) -> tuple[Any, float]:
    """Return dimensions and correction from all the ways to say them."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if correction is None:
        correction = 0 if unbiased is False else 1
    return dim, correction


@public("var", method=True, out=CASTING)
@regular
def var(
    input: Any, dim: bool | Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None,
) -> Any:  # fmt: skip
    """Return the variance over dimensions: squared deviations over ``count - correction``.

    Args:
        input: Floating point or complex tensor of any shape.
        dim: Dimension or dimensions to reduce; all by default.
        unbiased: Whether to divide by ``n - 1``: the same as ``correction=1``.
        keepdim: Whether reduced dimensions stay, with size 1.
        correction: What is subtracted from the number of elements in the divisor.

    >>> torch.var(torch.tensor([1.0, 2.0, 3.0]))
    tensor(1.)
    """
    dims, less = _arguments(dim, unbiased, correction)
    return var_correction(input, dims, less, keepdim)


@public("std", method=True, out=CASTING)
@regular
def std(
    input: Any, dim: bool | Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None,
) -> Any:  # fmt: skip
    """Return the standard deviation over dimensions.

    Args: As for `var`.

    >>> torch.std(torch.tensor([1.0, 2.0, 3.0]))
    tensor(1.)
    """
    dims, less = _arguments(dim, unbiased, correction)
    return std_correction(input, dims, less, keepdim)


@public("var_mean")
@regular
def var_mean(
    input: Any, dim: bool | Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None,
) -> Any:  # fmt: skip
    """Return the variance and the mean.

    Args: As for `var`.

    >>> torch.var_mean(torch.tensor([1.0, 2.0, 3.0]))
    (tensor(1.), tensor(2.))
    """
    dims, less = _arguments(dim, unbiased, correction)
    return var_mean_correction(input, dims, less, keepdim)


@public("std_mean")
@regular
def std_mean(
    input: Any, dim: bool | Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None,
) -> Any:  # fmt: skip
    """Return the standard deviation and the mean.

    Args: As for `var`.

    >>> torch.std_mean(torch.tensor([1.0, 2.0, 3.0]))
    (tensor(1.), tensor(2.))
    """
    dims, less = _arguments(dim, unbiased, correction)
    return std_mean_correction(input, dims, less, keepdim)


# ---- norms ------------------------------------------------------------------------------------


@op(
    torch_kernel_name="norm_cpu",
    holomorphic=False,
    node_name="linalg_vector_norm",
    layout=contiguous,
    batch=Batch.OVER_DIMS,
    compiled_kernel=("euclidean_norm", 3),
    faces=Face("dim()? keepdim ord result self"),
)
def vector_norm(be, input, /, ord=2, dim=None, keepdim=False, *, dtype=None):
    """Return the norm of the elements over dimensions: ``sum(|x| ** ord) ** (1 / ord)``.

    ``ord`` may be infinite (the largest or smallest size) or 0 (the count of what is not zero). The
    gradient at 0 is 0. Raises RuntimeError for integers.

    Args:
        input: Floating point or complex tensor of any shape.
        ord: Order of the norm.
        dim: Dimension or dimensions to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.
        dtype: Dtype of the result; by default that of the values.

    >>> from pellucid.ops.reduce.statistics import vector_norm
    >>> vector_norm(torch.tensor([3.0, 4.0]))
    tensor(5.)
    """
    if input.dtype.kind not in "fc":
        raise DtypeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
            f"{scalar_name(input.dtype)}"
        )
    if dtype is not None:
        wanted = to_numpy_dtype(dtype)
        if not is_differentiable(wanted):
            raise DtypeError(
                "linalg.vector_norm: dtype should be floating point or complex, but got "
                f"{scalar_name(wanted)}"
            )
        input = input.astype(wanted)
    target = real_counterpart(input.dtype)
    dims = axes_of(dim, input.ndim)
    return be.asarray(_norm(be, input, ord, dims, keepdim)).astype(target, copy=False)


def _norm(be: Any, x: Any, ord: float, dims: Any, keepdim: bool) -> Any:
    if ord == 2 and x.dtype.kind == "f":
        return be.sqrt(be.total_of_squares(x, dims, keepdim))
    size = be.abs(x)
    if ord == inf:
        return be.maximum.reduce(size, dims, None, None, keepdim, 0)
    if ord == -inf:
        return be.minimum.reduce(size, dims, None, None, keepdim)
    if ord == 0:
        return be.add.reduce(size != 0, dims, size.dtype, None, keepdim)
    if ord == 1:
        return be.total(size, dims, keepdim)
    if ord == 2:
        return be.sqrt(be.total(size * size, dims, keepdim))
    return be.total(size**ord, dims, keepdim) ** (1 / ord)


@vector_norm.vjp("input")
def vector_norm_input(g, input, out, ord, dim, keepdim):
    if ord == 0:
        return input * 0
    g, norm = (restored(each, input, dim, keepdim) for each in (g, out))
    if ord == 1:
        return sgn(input) * g
    if ord == 2:
        # at the origin the quotient is 0 in every order, and the division is not seen
        origin = norm == 0
        return input * where(origin, 0, g / where(origin, 1, norm))
    size = abs(input)
    if ord in (inf, -inf):
        hits = cast_like(size == norm, g)
        count = sum(hits, dim, True) if dim is not None else sum(hits)
        return sgn(input) * (g * hits / count)
    ratio = where(size == 0, 1, size) / where(norm == 0, 1, norm)
    if ord < 0:  # one element of 0 makes the norm 0, whatever the others are
        g = where(norm == 0, 0, g)
    return sgn(input) * (ratio ** (ord - 1) * g)


@public("norm functional.norm", out=EXACT, reads_late=True)
def norm(
    input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    """Return the p-norm of the elements over dimensions; "fro" is the norm of order 2.

    "nuc" is the sum of the singular values of matrices.

    Args:
        input: Floating point or complex tensor of any shape.
        p: Order of the norm.
        dim, keepdim, dtype: As for `vector_norm`.

    Raises:
        RuntimeError: If the order is a name other than "fro" and "nuc".

    >>> torch.norm(torch.tensor([3.0, 4.0]))
    tensor(5.)
    """
    if p == "nuc":
        from pellucid.ops.linalg.matrix_norms import nuclear_norm

        return nuclear_norm(input, tuple(range(input.ndim)) if dim is None else dim, keepdim)
    if isinstance(p, str) and p != "fro":
        raise DomainError(f"linalg.matrix_norm: Order {p} not supported.")
    order = 2 if p is None or p == "fro" else p
    if dim is None and input.ndim and not input.numel() and (order < 0 or order == inf):
        raise ShapeError(
            f"linalg.vector_norm cannot compute the {order:g} norm on an empty tensor because the "
            "operation does not have an identity"
        )
    return vector_norm(input, order, dim, keepdim, dtype=dtype)


@public(method="norm", reads_late=True)
def method_norm(
    self: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> Any:
    """Return the p-norm of the elements; see `norm`.

    Args:
        p: Order of the norm, ``"fro"`` or ``"nuc"``.
        dim: Dimension, or dimensions, that are reduced; all if None.
        keepdim: Whether they stay, with size 1.
        dtype: Dtype in which the norm is computed; the tensor's if None.
    """
    return norm(self, p, dim, keepdim, dtype=dtype)


@op(
    dtypes=COMMON, node_name="dist", holomorphic=False, faces=Face("other p self"),
)  # fmt: skip
def norm_of_difference(be, input, other, /, p):
    """Return the norm of the difference of two tensors."""
    return vector_norm.op.body(be, be.subtract(input, other), p, None, False)


@norm_of_difference.vjp("input")
def norm_of_difference_input(g, input, other, out, p):
    return vector_norm_input(g, input - other, out, p, None, False)


@norm_of_difference.vjp("other")
def norm_of_difference_other(g, input, other, out, p):
    return -norm_of_difference_input(g, input, other, out, p)


@public("dist", method=True)
def dist(input: Any, other: Any, p: float = 2) -> Any:
    """Return the p-norm of the difference.

    Args:
        input: Floating point or complex tensor of any shape.
        other: Tensor or number that broadcasts with ``input``.
        p: Order of the norm.

    >>> torch.dist(torch.tensor([3.0, 4.0]), torch.zeros(2))
    tensor(5.)
    """
    require("dist", "tensor", other=other)
    if isinstance(input, TensorBase):
        dtype = input._array.dtype
        # in half precision the difference is rounded; of bools there is none
        if is_half(dtype) or dtype.kind not in "fc":
            return vector_norm(input - other, p)
    return norm_of_difference(input, other, p)


@public("pairwise_distance nn.functional.pairwise_distance")
@replayable
def pairwise_distance(
    x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Any:
    """Return the p-norm of the differences of corresponding rows, ``eps`` added to each difference.

    Args:
        x1: Points ``[N, D]`` or ``[D]``.
        x2: Points that broadcast with ``x1``.
        p: Order of the norm.
        eps: Small number that keeps a divisor from 0.
        keepdim: Whether reduced dimensions stay, with size 1.

    >>> torch.nn.functional.pairwise_distance(torch.ones(2, 4), torch.zeros(2, 4), eps=0.0)
    tensor([2., 2.])
    """
    return vector_norm(x1 - x2 + eps, p, -1, keepdim)


@public("cosine_similarity nn.functional.cosine_similarity")
@replayable
def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """Return the cosine of the angle between vectors along a dimension, no norm less than ``eps``.

    Args:
        x1: Tensor of any shape.
        x2: Tensor that broadcasts with ``x1``.
        dim: Dimension or dimensions to reduce; all by default.
        eps: Small number that keeps a divisor from 0.

    Raises:
        RuntimeError: If the common dtype is not floating point, or ``eps`` is negative.

    >>> x, y = torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]])
    >>> torch.nn.functional.cosine_similarity(x, y)
    tensor([0.7071])
    """
    common = result_dtype([x1._array, x2._array])
    if common.kind not in "fV":
        raise DtypeError(
            f"expected common dtype to be floating point, yet common dtype is {scalar_name(common)}"
        )
    if eps < 0:
        raise DomainError(f"eps must be non-negative, got: {eps}")
    common = from_numpy_dtype(result_dtype([x1._array, x2._array]))
    x1, x2 = broadcast_tensors(x1.to(common), x2.to(common))
    return (x1 / _norm_no_less(x1, dim, eps) * (x2 / _norm_no_less(x2, dim, eps))).sum(dim)


def _norm_no_less(x: Any, dim: Any, eps: float) -> Any:
    """Return norms raised to ``eps`` where they are smaller, which does not change the gradient."""
    return raised(vector_norm(x, 2, dim, True), eps)


@op(node_name="clone", faces=Face(), batch=Batch.ELEMENTWISE)
def raised(be, input, /, least):
    """Return a copy in which what is below ``least`` is ``least``; the gradient passes."""
    return be.maximum(input, least)


@raised.vjp("input")
def raised_input(g):
    return g


@public("nn.functional.normalize", out=CASTING, reads_late=True)
@replayable
def normalize(input: Any, p: float = 2.0, dim: Any = 1, eps: float = 1e-12) -> Any:
    """Divide vectors along a dimension by their norm, but by no less than ``eps``.

    Args:
        input, p, dim: As for `norm`.
        eps: Small number that keeps a divisor from 0.

    >>> torch.nn.functional.normalize(torch.tensor([[3.0, 4.0]]))
    tensor([[0.6000, 0.8000]])
    """
    return input / expand_as(clamp_min(vector_norm(input, p, dim, True), eps), input)
