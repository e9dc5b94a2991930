"""What operations on matrices have in common: their operands' shapes and dtypes."""

from __future__ import annotations

from typing import Any

from pellucid.core.errors.op_errors import unsupported
from pellucid.dtypes import is_differentiable, is_half, scalar_name
from pellucid.errors import DtypeError, ShapeError
from pellucid.ops.elementwise.complexes import conj
from pellucid.ops.shape.diagonal import diagonal_backward


def require_matrices(function: str, array: Any, name: str = "A") -> None:
    """Raise RuntimeError for less than two dimensions."""
    if array.ndim < 2:
        raise ShapeError(f"{function}: The input tensor {name} must have at least 2 dimensions.")


def require_square(function: str, array: Any, name: str = "A") -> None:
    """Raise RuntimeError unless the last two sizes agree."""
    require_matrices(function, array, name)
    rows, columns = array.shape[-2:]
    if rows != columns:
        raise ShapeError(
            f"{function}: {name} must be batches of square matrices, but they are {rows} by "
            f"{columns} matrices"
        )


#: functions whose refusal of half precision has a sentence of its own
_LOW_PRECISION_REFUSED = ("linalg.inv", "linalg.slogdet", "logdet")


def require_floats(function: str, array: Any, kernel: str | None = None) -> None:
    """Raise RuntimeError for integers; NotImplementedError for half precision."""
    dtype = getattr(array, "_array", array).dtype
    if is_half(dtype) and function in _LOW_PRECISION_REFUSED:
        raise DtypeError(
            f"{function}: Low precision dtypes not supported. Got {scalar_name(dtype)}"
        )
    refuse_integers(function, array)
    require_kernel(kernel or function.removeprefix("linalg.") + "_cpu", array)


def refuse_integers(function: str, array: Any) -> None:
    """Raise RuntimeError for integers and booleans."""
    dtype = getattr(array, "_array", array).dtype
    if not is_differentiable(dtype):
        raise DtypeError(
            f"{function}: Expected a floating point or complex tensor as input. "
            f"Got {scalar_name(dtype)}"
        )


def require_kernel(name: str, array: Any) -> None:
    """Raise NotImplementedError for what is neither of single nor of double precision."""
    dtype = getattr(array, "_array", array).dtype
    if dtype.kind not in "fc" or dtype.itemsize == 2:
        raise unsupported(name, dtype)


def require_same_dtype(function: str, first: Any, second: Any, names: str = "AB") -> None:
    """Raise RuntimeError where the dtypes of two operands differ."""
    dtypes = [getattr(each, "_array", each).dtype for each in (first, second)]
    if dtypes[0] != dtypes[1]:
        one, other = map(scalar_name, dtypes)
        raise DtypeError(
            f"{function}: Expected {names[0]} and {names[1]} to have the same dtype, but found "
            f"{names[0]} of type {one} and {names[1]} of type {other} instead"
        )


def conjugate_transpose(matrices: Any) -> Any:
    """Return the conjugate transposes, of arrays and tensors alike."""
    turned = matrices.mT
    return conj(turned)


def on_diagonal(vectors: Any) -> Any:
    """Return square matrices with these vectors on the diagonal, of arrays and tensors alike."""
    count = vectors.shape[-1]
    return diagonal_backward(vectors, (*vectors.shape, count), 0, -2, -1)


def added(first: Any, second: Any) -> Any:
    """Return the sum of two gradients, of which one may be missing."""
    if first is None or second is None:
        return second if first is None else first
    return first + second


def first_failure(infos: Any) -> tuple[str, int] | None:
    """Return which matrix failed first, as a prefix of an error's text, and its number."""
    if not infos.any():
        return None
    position = int((infos.reshape(-1) != 0).argmax())
    prefix = f"(Batch element {position}): " if infos.ndim else ""
    return prefix, int(infos.reshape(-1)[position])
