"""The ways to combine the tensors of all ranks."""

from __future__ import annotations

import enum
import warnings
from typing import Any, Final

import numpy as np

from pellucid.dtypes import HALF_CHARS, from_numpy_dtype, is_complex_dtype
from pellucid.errors import ArgumentError, DtypeError
from pellucid.kernels.numpy.float8 import fitted


class RedOpType(enum.IntEnum):
    """The kinds of reductions."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8

    def __str__(self) -> str:
        return f"RedOpType.{self.name}"


class ReduceOp:
    """Names of the ways to combine the tensors of all ranks."""

    RedOpType = RedOpType
    SUM: Final = RedOpType.SUM
    AVG: Final = RedOpType.AVG
    PRODUCT: Final = RedOpType.PRODUCT
    MIN: Final = RedOpType.MIN
    MAX: Final = RedOpType.MAX
    BAND: Final = RedOpType.BAND
    BOR: Final = RedOpType.BOR
    BXOR: Final = RedOpType.BXOR
    PREMUL_SUM: Final = RedOpType.PREMUL_SUM


class _OlderReduceOp:
    """The older name of `ReduceOp`."""

    def __getattr__(self, name: str) -> RedOpType:
        kind = getattr(RedOpType, name)
        warnings.warn(
            "`torch.distributed.reduce_op` is deprecated, please use `torch.distributed.ReduceOp` "
            "instead", FutureWarning, stacklevel=2,
        )  # fmt: skip
        return kind


reduce_op = _OlderReduceOp()

#: the operation of NumPy's for each
UFUNCS = {
    RedOpType.SUM: np.add, RedOpType.PRODUCT: np.multiply, RedOpType.MIN: np.minimum,
    RedOpType.MAX: np.maximum, RedOpType.BAND: np.bitwise_and, RedOpType.BOR: np.bitwise_or,
    RedOpType.BXOR: np.bitwise_xor,
}  # fmt: skip
_BITWISE = frozenset({RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR})
#: the reductions of complex numbers
FOR_COMPLEX = frozenset({RedOpType.SUM, RedOpType.AVG})
#: what each reduction is for truth values, which are reduced as bytes of 0 and 1
FOR_BOOL: Final = {
    RedOpType.SUM: RedOpType.BOR, RedOpType.PRODUCT: RedOpType.BAND, RedOpType.MIN: RedOpType.BAND,
    RedOpType.MAX: RedOpType.BOR, RedOpType.BAND: RedOpType.BAND, RedOpType.BOR: RedOpType.BOR,
    RedOpType.BXOR: RedOpType.BXOR,
}  # fmt: skip


def check_reduction(name: str, op: Any, dtype: np.dtype[Any]) -> RedOpType:
    """Return the kind of a reduction; raise where it has no meaning for the dtype."""
    if not isinstance(op, RedOpType):
        raise ArgumentError(f"{name}: op must be one of dist.ReduceOp, not {op!r}")
    if op is RedOpType.PREMUL_SUM:
        raise ArgumentError("Cannot use ReduceOp.PREMUL_SUM with Gloo: multiply before reducing")
    if is_complex_dtype(dtype) and op not in FOR_COMPLEX:
        raise ArgumentError(f"{name} does not support {op} on complex tensors")
    if op in _BITWISE and dtype.kind not in "biu":
        raise DtypeError(f"Cannot use ReduceOp.{op.name} with non-integral dtype")
    if op is RedOpType.AVG and dtype.kind in "biu":
        raise DtypeError(
            "result type Float can't be cast to the desired output type "
            f"{from_numpy_dtype(dtype)}: average floating-point tensors, or sum and divide"
        )
    return op


class Reducible:
    """An array in the form in which its elements are reduced, and the way back.

    Half precision is reduced in float32, truth values as bytes, an average as a sum.
    """

    def __init__(self, array: np.ndarray[Any, Any], op: RedOpType, count: int) -> None:
        self.target = array
        self.divisor: float = count if op is RedOpType.AVG else 1
        self.op = RedOpType.SUM if op is RedOpType.AVG else op
        dtype = np.dtype(np.float32) if array.dtype.char in HALF_CHARS else array.dtype
        self.copied = dtype != array.dtype or not array.flags.c_contiguous
        self.array = np.ascontiguousarray(array, dtype)
        if dtype.kind == "b":
            self.array = self.array.view(np.uint8)
            self.op = FOR_BOOL[self.op]

    def restore(self) -> None:
        """Write the reduced values to the array that was given."""
        if self.divisor != 1:
            self.array /= self.divisor
        if self.copied:
            reduced = self.array.reshape(self.target.shape)
            boolean = self.target.dtype.kind == "b"
            self.target[...] = (
                reduced.view(np.bool_) if boolean else fitted(reduced, self.target.dtype)
            )
