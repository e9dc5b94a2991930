"""The functions of `pellucid.masked`."""

from __future__ import annotations

import math

from pellucid import dtypes
from pellucid.docstrings import sections_of
from pellucid.errors import ArgumentError
from pellucid.linalg import vector_norm
from pellucid.masked.masks import dims_of, filled, highest, input_mask, lowest
from pellucid.ops.elementwise.exponential import logaddexp as logaddexp_of_all
from pellucid.tensors import Tensor

Dims = int | tuple[int, ...] | None


def _integers_widen(input: Tensor, dtype: dtypes.dtype | None) -> dtypes.dtype:
    """Return the dtype of sums and products: that of the input, int64 for integers."""
    if dtype is not None:
        return dtype
    return input.dtype if _is_inexact(input.dtype) else dtypes.int64


def _is_inexact(dtype: dtypes.dtype) -> bool:
    return dtype.is_floating_point or dtype.is_complex


def sum(
    input: Tensor, dim: Dims = None, *, keepdim: bool = False,
    dtype: dtypes.dtype | None = None, mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return the sum of the elements for which the mask is True.

    Args:
        input: A tensor of any shape.
        dim: The dimensions that are reduced; all of them without it.
        keepdim: Whether they stay, with size 1.
        dtype: The dtype of the result, into which the input is converted first.
        mask: True for the elements that take part; broadcast to the input's shape.

    >>> torch.masked.sum(torch.tensor([1.0, 2.0, 5.0]), mask=torch.tensor([True, True, False]))
    tensor(3.)
    """
    input = input.to(_integers_widen(input, dtype))
    return filled(input, mask, 0).sum(dims_of(dim, input.ndim), keepdim=keepdim, dtype=dtype)


@sections_of(sum)
def prod(
    input: Tensor, dim: Dims = None, *, keepdim: bool = False,
    dtype: dtypes.dtype | None = None, mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return the product of the elements for which the mask is True.

    Args: As for `sum`.

    >>> torch.masked.prod(torch.tensor([1.0, 2.0, 5.0]), mask=torch.tensor([True, True, False]))
    tensor(2.)
    """
    result = filled(input.to(_integers_widen(input, dtype)), mask, 1)
    for each in reversed(dims_of(dim, input.ndim)):
        result = result.prod(each, keepdim=keepdim, dtype=dtype)
    return result


@sections_of(sum)
def amax(
    input: Tensor, dim: Dims = None, *, keepdim: bool = False,
    dtype: dtypes.dtype | None = None, mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return the largest of the elements for which the mask is True.

    Args: As for `sum`.

    >>> torch.masked.amax(torch.tensor([1.0, 2.0, 5.0]), mask=torch.tensor([True, True, False]))
    tensor(2.)
    """
    input = input.to(dtype)
    return filled(input, mask, lowest(input.dtype)).amax(dims_of(dim, input.ndim), keepdim)


@sections_of(sum)
def amin(
    input: Tensor, dim: Dims = None, *, keepdim: bool = False,
    dtype: dtypes.dtype | None = None, mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return the smallest of the elements for which the mask is True.

    Args: As for `sum`.

    >>> torch.masked.amin(torch.tensor([1.0, 2.0, 5.0]), mask=torch.tensor([True, True, False]))
    tensor(1.)
    """
    input = input.to(dtype)
    return filled(input, mask, highest(input.dtype)).amin(dims_of(dim, input.ndim), keepdim)


def argmax(
    input: Tensor, dim: int | None = None, *, keepdim: bool = False,
    dtype: dtypes.dtype | None = None, mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return the index of the largest of the elements for which the mask is True.

    As in PyTorch, the result has the dtype of the input.

    Args:
        input: A tensor of any shape.
        dim: The dimension that is reduced; all of them as one without it.
        keepdim: Whether it stays, with size 1.
        dtype: The dtype of the result, into which the input is converted first.
        mask: True for the elements that take part; broadcast to the input's shape.

    >>> torch.masked.argmax(torch.tensor([1.0, 2.0, 5.0]), mask=torch.tensor([True, True, False]))
    tensor(1.)
    """
    input = input.to(dtype)
    return filled(input, mask, lowest(input.dtype)).argmax(dim, keepdim).to(input.dtype)


@sections_of(argmax)
def argmin(
    input: Tensor, dim: int | None = None, *, keepdim: bool = False,
    dtype: dtypes.dtype | None = None, mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return the index of the smallest of the elements for which the mask is True.

    As in PyTorch, the result has the dtype of the input.

    Args: As for `argmax`.

    >>> torch.masked.argmin(torch.tensor([1.0, 2.0, 5.0]), mask=torch.tensor([True, True, False]))
    tensor(0.)
    """
    input = input.to(dtype)
    return filled(input, mask, highest(input.dtype)).argmin(dim, keepdim).to(input.dtype)


def mean(
    input: Tensor, dim: Dims = None, *, keepdim: bool = False,
    dtype: dtypes.dtype | None = None, mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return the mean of the elements for which the mask is True, NaN where there is none.

    Args:
        input: A tensor of floating point or complex numbers.
        dim: The dimensions that are reduced; all of them without it.
        keepdim: Whether they stay, with size 1.
        dtype: The dtype of the result, into which the input is converted first.
        mask: True for the elements that take part; broadcast to the input's shape.

    Raises:
        ValueError: If the dtype has no fractions.

    >>> torch.masked.mean(torch.tensor([1.0, 2.0, 5.0]), mask=torch.tensor([True, True, False]))
    tensor(1.5000)
    """
    if not _is_inexact(dtype or input.dtype):
        raise ArgumentError(
            f"mean(): Could not infer output dtype. {'Optional' if dtype else 'Input'} dtype "
            f"must be either a floating point or complex dtype. Got: {dtype or input.dtype}"
        )
    total = sum(input, dim, keepdim=keepdim, dtype=dtype, mask=mask)
    return total / _count(input, dim, keepdim, mask).to(total.dtype)


def _count(input: Tensor, dim: Dims, keepdim: bool, mask: Tensor | None) -> Tensor:
    """Return how many elements take part."""
    return input_mask(input, mask=mask).sum(dims_of(dim, input.ndim), keepdim=keepdim)


def var(
    input: Tensor, dim: Dims = None, unbiased: bool | None = None, *,
    correction: float | None = None, keepdim: bool = False, dtype: dtypes.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return the variance of the elements for which the mask is True.

    Args:
        input: A tensor of any shape.
        dim: The dimensions that are reduced; all of them without it.
        unbiased: Whether the number of elements less one divides; True without it.
        correction: What is taken from that number instead of one.
        keepdim: Whether the dimensions stay, with size 1.
        dtype: The dtype of the result, into which the input is converted first.
        mask: True for the elements that take part; broadcast to the input's shape.

    Raises:
        ValueError: If both ``unbiased`` and ``correction`` are given.

    >>> torch.masked.var(torch.tensor([1.0, 2.0, 5.0]), mask=torch.tensor([True, True, False]))
    tensor(0.5000)
    """
    if unbiased is not None and correction is not None:
        raise ArgumentError("Only one of unbiased and correction may be given")
    if correction is None:
        correction = 0.0 if unbiased is False else 1.0
    dtype = dtype or (input.dtype if _is_inexact(input.dtype) else dtypes.float32)
    # what half precision adds up is added up in float32
    input = input.to(dtypes.float32 if dtype in (dtypes.float16, dtypes.bfloat16) else dtype)
    count = _count(input, dim, True, mask)
    distance = filled(input - sum(input, dim, keepdim=True, mask=mask) / count, mask, 0)
    square = (distance * distance.conj()).real if input.dtype.is_complex else distance * distance
    total = square.sum(dims_of(dim, input.ndim), keepdim=keepdim)
    freedom = (count.reshape(total.shape) - correction).clamp(min=0)
    return (total / freedom).to(dtype)


@sections_of(var)
def std(
    input: Tensor, dim: Dims = None, unbiased: bool | None = None, *,
    correction: float | None = None, keepdim: bool = False, dtype: dtypes.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return the standard deviation of the elements for which the mask is True.

    Args: As for `var`.

    Raises:
        ValueError: If both ``unbiased`` and ``correction`` are given.

    >>> torch.masked.std(torch.tensor([1.0, 2.0, 5.0]), mask=torch.tensor([True, True, False]))
    tensor(0.7071)
    """
    squared = var(
        input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask
    )
    return squared.sqrt()


def norm(
    input: Tensor, ord: float = 2.0, dim: Dims = None, *, keepdim: bool = False,
    dtype: dtypes.dtype | None = None, mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return the norm of the vectors of the elements for which the mask is True.

    Args:
        input: A tensor of any shape.
        ord: The order of the norm.
        dim: The dimensions that are reduced; all of them without it.
        keepdim: Whether they stay, with size 1.
        dtype: The dtype of the result, into which the input is converted first.
        mask: True for the elements that take part; broadcast to the input's shape.

    >>> torch.masked.norm(torch.tensor([3.0, 4.0, 9.0]), mask=torch.tensor([True, True, False]))
    tensor(5.)
    """
    hidden = math.inf if ord == -math.inf else 0.0
    values = filled(input.to(dtype), mask, hidden)
    return vector_norm(values, ord, dims_of(dim, input.ndim), keepdim)


def median(
    input: Tensor, dim: int = -1, *, keepdim: bool = False, dtype: dtypes.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return the median of the elements for which the mask is True, NaN where there is none.

    Args:
        input: A tensor of any shape.
        dim: The dimension that is reduced.
        keepdim: Whether it stays, with size 1.
        dtype: The dtype of the result, into which the input is converted first.
        mask: True for the elements that take part; broadcast to the input's shape.

    Raises:
        ValueError: If nothing takes part in a median of integers.

    >>> mask = torch.tensor([True, True, True, False])
    >>> torch.masked.median(torch.tensor([1.0, 5.0, 2.0, 9.0]), 0, mask=mask)
    tensor(2.)
    """
    input = input.to(dtype)
    (dim,) = dims_of(dim, input.ndim) or (0,)
    if mask is None:
        return input.median(dim, keepdim).values
    if input.dtype.is_floating_point:
        return filled(input, mask, math.nan).nanmedian(dim, keepdim).values
    if not input_mask(input, mask=mask).any(dim).all():
        raise ArgumentError(
            "masked median expects no fully masked out rows if dtype is not floating point"
        )
    exact = filled(input.to(dtypes.float64), mask, math.nan)
    return exact.nanmedian(dim, keepdim).values.to(input.dtype)


@sections_of(sum)
def logsumexp(
    input: Tensor, dim: Dims = None, *, keepdim: bool = False, dtype: dtypes.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return the logarithm of the sum of the exponentials of what the mask is True for.

    Args: As for `sum`.

    >>> torch.masked.logsumexp(torch.tensor([0.0, 5.0]), mask=torch.tensor([True, False]))
    tensor(0.)
    """
    input = input.to(dtype)
    values = filled(input, mask, lowest(input.dtype))
    return values.logsumexp(dims_of(dim, input.ndim), keepdim).to(input.dtype)


def logaddexp(
    input: Tensor, other: Tensor, *, dtype: dtypes.dtype | None = None,
    input_mask: Tensor | None = None, other_mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return the logarithm of the sum of two exponentials, each 0 where its mask is False.

    Args:
        input: The first exponents.
        other: The second exponents.
        dtype: The dtype into which both are converted first.
        input_mask: True where the first takes part.
        other_mask: True where the second takes part.

    >>> torch.masked.logaddexp(
    ...     torch.zeros(2), torch.zeros(2), other_mask=torch.tensor([True, False])
    ... )
    tensor([0.6931, 0.0000])
    """
    input, other = input.to(dtype), other.to(dtype)
    return logaddexp_of_all(
        filled(input, input_mask, -math.inf), filled(other, other_mask, -math.inf)
    )


def cumsum(
    input: Tensor, dim: int, *, dtype: dtypes.dtype | None = None, mask: Tensor | None = None
) -> Tensor:
    """Return the sums of the elements so far, of those for which the mask is True.

    Args:
        input: A tensor of any shape.
        dim: The dimension along which they are taken.
        dtype: The dtype of the result, into which the input is converted first.
        mask: True for the elements that take part; broadcast to the input's shape.

    >>> mask = torch.tensor([True, True, False])
    >>> torch.masked.cumsum(torch.tensor([1.0, 2.0, 5.0]), 0, mask=mask)
    tensor([1., 3., 3.])
    """
    return filled(input.to(_integers_widen(input, dtype)), mask, 0).cumsum(dim, dtype=dtype)


@sections_of(cumsum)
def cumprod(
    input: Tensor, dim: int, *, dtype: dtypes.dtype | None = None, mask: Tensor | None = None
) -> Tensor:
    """Return the products of the elements so far, of those for which the mask is True.

    Args: As for `cumsum`.

    >>> mask = torch.tensor([True, True, False])
    >>> torch.masked.cumprod(torch.tensor([1.0, 2.0, 5.0]), 0, mask=mask)
    tensor([1., 2., 2.])
    """
    return filled(input.to(_integers_widen(input, dtype)), mask, 1).cumprod(dim, dtype=dtype)


def softmax(
    input: Tensor, dim: int, *, dtype: dtypes.dtype | None = None, mask: Tensor | None = None
) -> Tensor:
    """Return the softmax of the elements for which the mask is True.

    Args:
        input: A tensor of any shape.
        dim: The dimension along which it is taken.
        dtype: The dtype of the result, into which the input is converted first.
        mask: True for the elements that take part; broadcast to the input's shape.

    >>> mask = torch.tensor([True, True, False])
    >>> torch.masked.softmax(torch.tensor([1.0, 1.0, 5.0]), 0, mask=mask)
    tensor([0.5000, 0.5000, 0.0000])
    """
    return filled(input.to(dtype), mask, -math.inf).softmax(dim)


@sections_of(softmax)
def log_softmax(
    input: Tensor, dim: int, *, dtype: dtypes.dtype | None = None, mask: Tensor | None = None
) -> Tensor:
    """Return the logarithm of the softmax of the elements for which the mask is True.

    Args: As for `softmax`.

    >>> mask = torch.tensor([True, True, False])
    >>> torch.masked.log_softmax(torch.tensor([1.0, 1.0, 5.0]), 0, mask=mask)
    tensor([-0.6931, -0.6931,    -inf])
    """
    return filled(input.to(dtype), mask, -math.inf).log_softmax(dim)


@sections_of(softmax)
def softmin(
    input: Tensor, dim: int, *, dtype: dtypes.dtype | None = None, mask: Tensor | None = None
) -> Tensor:
    """Return the softmax of the negative of the elements for which the mask is True.

    Args: As for `softmax`.

    >>> mask = torch.tensor([True, True, False])
    >>> torch.masked.softmin(torch.tensor([1.0, 1.0, 5.0]), 0, mask=mask)
    tensor([0.5000, 0.5000, 0.0000])
    """
    return filled(input.to(dtype), mask, math.inf).neg().softmax(dim)


def normalize(
    input: Tensor, ord: float, dim: int, *, eps: float = 1e-12, dtype: dtypes.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return the elements for which the mask is True divided by their norm, and zeros.

    Args:
        input: A tensor of any shape.
        ord: The order of the norm.
        dim: The dimension along which it is taken.
        eps: The least that is divided by.
        dtype: The dtype of the result, into which the input is converted first.
        mask: True for the elements that take part; broadcast to the input's shape.

    >>> mask = torch.tensor([True, True, False])
    >>> torch.masked.normalize(torch.tensor([3.0, 4.0, 9.0]), 2.0, 0, mask=mask)
    tensor([0.6000, 0.8000, 0.0000])
    """
    input = input.to(dtype)
    length = norm(input, ord, dim, keepdim=True, mask=mask).clamp(min=eps)
    return filled(input, mask, 0) / length
