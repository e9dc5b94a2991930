"""What the numbers of a dtype can be: largest, smallest, and how close together."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pellucid import dtypes
from pellucid.core.definition.numbers import is_number
from pellucid.core.definition.public import public
from pellucid.errors import ArgumentTypeError


@public("finfo")
class finfo:  # noqa: N801 - PyTorch's name
    """The limits of a floating-point or complex dtype.

    Raises TypeError for other dtypes.

    >>> torch.finfo(torch.float32).eps
    1.1920928955078125e-07
    """

    __slots__ = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")

    def __init__(self, dtype: dtypes.dtype | None = None) -> None:
        wanted = dtypes.get_default_dtype() if dtype is None else dtype
        if not (wanted.is_floating_point or wanted.is_complex):
            raise ArgumentTypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
                f"'torch.finfo': {wanted} is an integer type"
            )
        found: Any = _limits(wanted.to_real())
        self.dtype = wanted.to_real().name
        self.bits = int(found.bits)
        self.eps = float(found.eps)
        if wanted is dtypes.float8_e5m2fnuz:
            self.eps /= 2  # as in PyTorch, which gives the distance below 1
        self.max = float(found.max)
        self.min = float(found.min)
        self.tiny = self.smallest_normal = float(found.tiny)
        # as many decimal digits as every number with this many binary ones keeps
        self.resolution = float(f"1e-{int(-math.log2(self.eps) * math.log10(2))}")

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, "
            f"eps={self.eps:g}, smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, "
            f"dtype={self.dtype})"
        )


def _limits(wanted: dtypes.dtype) -> Any:
    if not wanted.is_in_name_only and not dtypes.is_unknown_to_numpy(wanted.numpy):
        return np.finfo(wanted.numpy)
    import ml_dtypes

    known = getattr(ml_dtypes, wanted.name, None)
    if known is None:
        raise ArgumentTypeError(f"torch.finfo() is not known for {wanted}")
    return ml_dtypes.finfo(known)


@public("iinfo")
class iinfo:  # noqa: N801 - PyTorch's name
    """The limits of an integer dtype; other dtypes raise TypeError.

    >>> torch.iinfo(torch.int8)
    iinfo(min=-128, max=127, dtype=int8)
    """

    __slots__ = ("bits", "dtype", "max", "min")

    def __init__(self, dtype: dtypes.dtype) -> None:
        if dtype.rank != 1 or dtype.is_in_name_only:
            raise ArgumentTypeError(
                "torch.iinfo() requires an integer input type. Use torch.finfo to handle "
                f"'torch.iinfo': {dtype} is not an integer type of which there are tensors"
            )
        found = np.iinfo(dtype.numpy)
        self.dtype = dtype.name
        self.bits = int(found.bits)
        self.max = int(found.max)
        self.min = int(found.min)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


@public("result_type")
def result_type(tensor1: float | Any, tensor2: float | Any) -> dtypes.dtype:
    """Return the dtype in which two tensors or numbers meet in one operation.

    Args:
        tensor1: Tensor or number.
        tensor2: Tensor or number.

    >>> torch.result_type(torch.tensor([1, 2]), 1.0)
    torch.float32
    """
    both: tuple[Any, Any] = (tensor1, tensor2)
    # a sparse tensor has no array; what counts is its dtype, and whether it has dimensions
    values = [
        each if is_number(each) else np.empty((0,) * each.ndim, each.dtype.numpy) for each in both
    ]
    return dtypes.from_numpy_dtype(dtypes.result_dtype(values))
