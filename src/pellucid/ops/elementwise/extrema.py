"""The larger or smaller of two numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.core.definition.dtype_rules import TENSORS
from pellucid.core.definition.public import CASTING, public
from pellucid.core.families import elementwise
from pellucid.errors import DtypeError
from pellucid.ops.elementwise.conditional import where


def _complex_refused(name: str) -> Callable[..., None]:
    """Return a check that refuses complex operands."""

    def check(input: Any, other: Any) -> None:
        if "c" in (np.result_type(input).kind, np.result_type(other).kind):
            raise DtypeError(f"{name} not implemented for complex tensors.")

    return check


@public("maximum", method=True, out=CASTING)
@elementwise(gradient_changes=1, dtypes=TENSORS, unsupported="c", kernel="maximum")
def maximum(be, input, other, /):
    """Return the greater of two elements; NaN where one is NaN. Equal ones share the gradient.

    Raises:
        RuntimeError: For complex numbers.

    >>> torch.maximum(torch.tensor([1.0, 4.0]), torch.tensor([3.0, 2.0]))
    tensor([3., 4.])
    """


@maximum.vjp("input")
def maximum_input(g, input, other):
    return where(input < other, 0, where(input == other, g * 0.5, g))


@maximum.vjp("other")
def maximum_other(g, input, other):
    return where(input > other, 0, where(input == other, g * 0.5, g))


@public("minimum", method=True, out=CASTING)
@elementwise(gradient_changes=1, dtypes=TENSORS, unsupported="c", kernel="minimum")
def minimum(be, input, other, /):
    """Return the smaller of two elements; NaN where one is NaN. Equal ones share the gradient.

    Raises:
        RuntimeError: For complex numbers.

    >>> torch.minimum(torch.tensor([1.0, 4.0]), torch.tensor([3.0, 2.0]))
    tensor([1., 2.])
    """


@minimum.vjp("input")
def minimum_input(g, input, other):
    return where(input > other, 0, where(input == other, g * 0.5, g))


@minimum.vjp("other")
def minimum_other(g, input, other):
    return where(input < other, 0, where(input == other, g * 0.5, g))


@public("fmax", method=True, out=CASTING)
@elementwise(dtypes=TENSORS, unsupported="c", kernel="fmax")
def fmax(be, input, other, /):
    """Return the greater of two elements; where one is NaN, the other.

    Raises:
        RuntimeError: For complex numbers.

    >>> torch.fmax(torch.tensor([1.0, torch.nan]), torch.tensor([3.0, 2.0]))
    tensor([3., 2.])
    """


@fmax.vjp("input")
def fmax_input(g, input, other):
    return where((input >= other) | (other != other), g, 0)


@fmax.vjp("other")
def fmax_other(g, input, other):
    return where((input >= other) | (other != other), 0, g)


@public("fmin", method=True, out=CASTING)
@elementwise(dtypes=TENSORS, unsupported="c", kernel="fmin")
def fmin(be, input, other, /):
    """Return the smaller of two elements; where one is NaN, the other.

    Raises:
        RuntimeError: For complex numbers.

    >>> torch.fmin(torch.tensor([1.0, torch.nan]), torch.tensor([3.0, 2.0]))
    tensor([1., 2.])
    """


@fmin.vjp("input")
def fmin_input(g, input, other):
    return where((input <= other) | (other != other), g, 0)


@fmin.vjp("other")
def fmin_other(g, input, other):
    return where((input <= other) | (other != other), 0, g)


for _extremum in (maximum, minimum, fmax, fmin):
    _extremum.check(_complex_refused(_extremum.__name__))
