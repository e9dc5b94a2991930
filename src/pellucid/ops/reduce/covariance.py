"""Covariances and correlations of variables, one per row."""

from __future__ import annotations

import warnings
from typing import Any

from pellucid.core.definition.public import public
from pellucid.dtypes import scalar_name
from pellucid.errors import DtypeError, ShapeError
from pellucid.ops.elementwise.complexes import complex, imag, real
from pellucid.ops.elementwise.conditional import clamp
from pellucid.ops.elementwise.powers import sqrt
from pellucid.ops.elementwise.signs import is_complex
from pellucid.ops.linalg.matmul import matmul
from pellucid.ops.linalg.matrices import conjugate_transpose
from pellucid.ops.reduce.reductions import sum


@public("cov", method=True)
def cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """Return the covariances of variables, one per row, with ``correction`` off the count.

    Shapes: ``[v, n]`` to ``[v, v]``. ``fweights`` says how often each observation occurs,
    ``aweights`` how much it counts. Raises RuntimeError for more than two dimensions.

    Args:
        input: Variables by observations ``[V, N]``, or one variable ``[N]``.
        correction: What is subtracted from the number of elements in the divisor.
        fweights: How often each observation counts (integers).
        aweights: Weight of each observation.

    >>> torch.cov(torch.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if input.ndim > 2:
        raise ShapeError(
            "cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input.ndim} dimensions"
        )
    if input._array.dtype.kind == "b":
        raise DtypeError("cov(): bool dtype is not supported for input")
    rows = input.reshape(1, -1) if input.ndim < 2 else input
    weights = _weights(rows.shape[1], fweights, aweights)
    total = rows.shape[1] if weights is None else sum(weights)
    weighted = rows if weights is None else rows * weights
    deviation = rows - sum(weighted, 1, True) / total
    degrees = _degrees(rows.shape[1], weights, total, aweights, correction)
    counted = deviation if weights is None else deviation * weights
    products = matmul(deviation, conjugate_transpose(counted.to(deviation.dtype)))
    return (products / degrees).squeeze()


def _degrees(count: int, weights: Any, total: Any, aweights: Any, correction: int) -> Any:
    if weights is None:
        degrees: Any = count - correction
    elif aweights is None or correction == 0:
        degrees = total - correction
    else:
        degrees = total - correction * sum(weights * aweights) / total
    if float(degrees) <= 0:
        warnings.warn("cov(): degrees of freedom is <= 0", UserWarning, stacklevel=3)
        return degrees * 0 if hasattr(degrees, "shape") else 0
    return degrees


def _weights(count: int, fweights: Any, aweights: Any) -> Any:
    kinds = ("fweights", fweights, "iu", "integral"), ("aweights", aweights, "f", "floating point")
    for name, weights, kind, described in kinds:
        if weights is None:
            continue
        if weights.ndim > 1:
            raise ShapeError(
                f"cov(): expected {name} to have one or fewer dimensions but got {name} with "
                f"{weights.ndim} dimensions"
            )
        if weights._array.dtype.kind not in kind:
            raise DtypeError(
                f"cov(): expected {name} to have {described} dtype but got {name} with "
                f"{scalar_name(weights._array.dtype)} dtype"
            )
        if weights.numel() != count:
            raise ShapeError(
                f"cov(): expected {name} to have the same numel as there are observations in the "
                f"input but got {weights.numel()} != {count}"
            )
        if weights.numel() and weights._array.min() < 0:
            raise ShapeError(f"cov(): {name} cannot be negative")
    if fweights is None:
        return aweights
    return fweights if aweights is None else fweights * aweights


@public("corrcoef", method=True)
def corrcoef(input: Any) -> Any:
    """Return the correlations of variables, one per row: ``[v, n]`` to ``[v, v]``.

    Args:
        input: Variables by observations ``[V, N]``, or one variable ``[N]``.

    Raises:
        RuntimeError: If the input has more than two dimensions.

    >>> torch.corrcoef(torch.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if input.ndim > 2:
        raise ShapeError(
            "corrcoef(): expected input to have two or fewer dimensions but got an input with "
            f"{input.ndim} dimensions"
        )
    products = cov(input)
    if not products.ndim:
        return products / products
    deviation = sqrt(real(products.diagonal()))
    scaled = products / deviation.unsqueeze(-1) / deviation.unsqueeze(0)
    if is_complex(scaled):
        return complex(clamp(real(scaled), -1, 1), clamp(imag(scaled), -1, 1))
    return clamp(scaled, -1, 1)
