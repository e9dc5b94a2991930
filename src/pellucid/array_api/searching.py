"""Functions of the standard that sort, search, select, and make sets."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

import pellucid as torch
from pellucid.array_api.data_types import promoted
from pellucid.errors import ArgumentError
from pellucid.tensors import Tensor


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Return the elements sorted along an axis.

    Args:
        x: Array.
        axis: Axis, counted from the end if negative.
        descending: Whether the largest comes first.
        stable: Whether equal elements keep their order.
    """
    return torch.sort(x, dim=axis, descending=descending, stable=stable).values


def argsort(
    x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> Tensor:
    """Return the indices that sort the elements along an axis.

    Args: As for `sort`.
    """
    return torch.argsort(x, dim=axis, descending=descending, stable=stable)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """Return the indices of the elements that are not zero, an array for each axis.

    Args:
        x: Array.
    """
    if not x.ndim:
        raise ArgumentError("nonzero() needs an array of at least one dimension")
    return tuple(torch.nonzero(x, as_tuple=True))


def searchsorted(
    x1: Tensor, x2: Tensor | float, /, *, side: Literal["left", "right"] = "left",
    sorter: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return where elements would have to be inserted into sorted ones to keep their order.

    Args:
        x1: Sorted vector.
        x2: Array of elements, or a number.
        side: ``"left"`` to insert before equal elements, ``"right"`` after.
        sorter: Indices that sort ``x1``, if it is not sorted.
    """
    first, second = promoted(x1, x2)
    if sorter is not None:
        first = first[sorter.to(torch.int64)]
    return torch.searchsorted(first, second, side=side)


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """Return the elements at indices along an axis, which a vector need not name.

    Args:
        x: Array.
        indices: Vector of integers.
        axis: Axis; may be left out for a vector.
    """
    if axis is None:
        if x.ndim != 1:
            raise ArgumentError("take() needs an axis for an array that is not a vector")
        axis = 0
    before = (slice(None),) * (axis % x.ndim)
    return x[(*before, indices.to(torch.int64))]


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """Return, for each row along an axis, the elements at indices of its own.

    Args:
        x: Array.
        indices: Array of integers with as many axes as ``x``.
        axis: Axis, counted from the end if negative.
    """
    positions = indices.to(torch.int64)
    return torch.take_along_dim(
        x, torch.where(positions < 0, positions + x.shape[axis], positions), axis
    )


def isin(x1: Tensor | int, x2: Tensor | int, /, *, invert: bool = False) -> Tensor:
    """Return whether each element of the first array is in the second.

    Args:
        x1: Array, or number, whose elements are looked for.
        x2: Array, or number, that they are looked for in.
        invert: Whether the answer is turned round.
    """
    return torch.isin(*promoted(x1, x2), invert=invert)


# ---- sets ---------------------------------------------------------------------------------------


class UniqueAllResult(NamedTuple):
    """Distinct values, where each stands first, which of them each element is, and how often."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCountsResult(NamedTuple):
    """Distinct values, and how often each is there."""

    values: Tensor
    counts: Tensor


class UniqueInverseResult(NamedTuple):
    """Distinct values, and which of them each element is."""

    values: Tensor
    inverse_indices: Tensor


def unique_all(x: Tensor, /) -> UniqueAllResult:
    """Return the distinct values, sorted, with all that is known of them; no NaN equals another.

    Args:
        x: Array.
    """
    # PyTorch's unique does not say where a value stands first.
    found = np.unique(
        x.detach().numpy(), return_index=True, return_inverse=True, return_counts=True,
        equal_nan=False,
    )  # fmt: skip
    return UniqueAllResult(*map(torch.from_numpy, found))


def unique_counts(x: Tensor, /) -> UniqueCountsResult:
    """Return the distinct values, sorted, and how often each is there.

    Args:
        x: Array.
    """
    found = unique_all(x)
    return UniqueCountsResult(found.values, found.counts)


def unique_inverse(x: Tensor, /) -> UniqueInverseResult:
    """Return the distinct values, sorted, and which of them each element is.

    Args:
        x: Array.
    """
    found = unique_all(x)
    return UniqueInverseResult(found.values, found.inverse_indices)


def unique_values(x: Tensor, /) -> Tensor:
    """Return the distinct values, sorted.

    Args:
        x: Array.
    """
    return unique_all(x).values
