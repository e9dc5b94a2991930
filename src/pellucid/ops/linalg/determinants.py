"""Determinants and their logarithms."""

from __future__ import annotations

from math import nan
from typing import Any

from pellucid.core.call.call import new_tensor
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import EXACT, public
from pellucid.core.definition.result_types import named
from pellucid.core.families import op
from pellucid.dtypes import is_complex_dtype
from pellucid.kernels.active import cpu
from pellucid.ops.elementwise.complexes import conj, imag
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.elementwise.exponential import log
from pellucid.ops.elementwise.signs import is_complex
from pellucid.ops.linalg.matmul import matmul
from pellucid.ops.linalg.matrices import (
    added,
    conjugate_transpose,
    require_floats,
    require_square,
)
from pellucid.ops.linalg.solving import inverses


def _factors_kept(node: Any) -> Any:
    """Return the factors by which PyTorch computes a determinant, and which it keeps."""
    return new_tensor(cpu.lu_factor(_factored(node))[0])


def _exchanges_kept(node: Any) -> Any:
    return new_tensor(cpu.lu_factor(_factored(node))[1])


def _factored(node: Any) -> Any:
    """Return the matrices that PyTorch factors: the transposed ones where those are in order."""
    array = node.saved_by_name("A")._array
    in_order = array.flags.c_contiguous and not is_complex_dtype(array.dtype)
    return array.swapaxes(-2, -1) if in_order else array


@public("det", method=True)
@public("linalg.det", out=EXACT)
@op(
    torch_kernel_name="lu_cpu",
    half="bitwise", batch=Batch.LAST_DIMS,
    faces=Face("A result@", LU=_factors_kept, pivots=_exchanges_kept),
)  # fmt: skip
def linalg_det(be, A, /):
    """Return the determinants of square matrices: ``[*, n, n]`` to ``[*]``.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.

    >>> torch.linalg.det(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(-2.)
    """
    require_square("linalg.det", A)
    require_floats("linalg.det", A, "lu_factor_cpu")
    return be.determinant(A)


@linalg_det.vjp("A")
def linalg_det_input(g, A):
    return g[..., None, None] * cofactors(A)


@op(kernel="cofactors", batch=Batch.LAST_DIMS)
def cofactors(be, A, /):
    """Return the matrices of cofactors, the derivative of the determinant."""


@cofactors.vjp("A")
def cofactors_input(g, A):
    turned = inverses(A)[0].mT
    along = (g * turned).sum((-2, -1))[..., None, None]
    return linalg_det(A)[..., None, None] * (along * turned - matmul(matmul(turned, g.mT), turned))


@public("slogdet", method=True)
@public("linalg.slogdet", out=EXACT)
@op(
    half="bitwise", returns=named("linalg_slogdet", "sign", "logabsdet"), holomorphic=False,
    batch=Batch.LAST_DIMS,
)  # fmt: skip
def linalg_slogdet(be, A, /):
    """Return the signs (for complex numbers: units) of determinants, and the logarithms of sizes.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.

    >>> torch.linalg.slogdet(torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sign
    tensor(-1.)
    """
    return _slogdet(be, "linalg.slogdet", A)


def _slogdet(be: Any, function: str, A: Any) -> Any:
    require_square(function, A)
    require_floats(function, A, "lu_factor_cpu")
    sign, size = be.linalg.slogdet(A)
    undefined = be.isnan(A).any((-2, -1))  # LAPACK may stop at a zero before it comes to the NaN
    return sign, be.where(undefined, size.dtype.type(nan), size)


@linalg_slogdet.vjp("A")
def linalg_slogdet_input(g_sign, g_logabsdet, A, sign):
    turn = imag(conj(g_sign) * sign) * -1j if is_complex(sign) and g_sign is not None else None
    along = added(g_logabsdet, turn)
    if along is None:  # the sign of a real determinant does not move
        return A * 0
    return along[..., None, None] * conjugate_transpose(inverses(A)[0])


@public("logdet", method=True)
@autocasts(Autocast.AS_GIVEN)
def logdet(input: Any) -> Any:
    """Return the logarithms of determinants, NaN where they are negative.

    Args:
        input: Square matrices ``[*, n, n]``, floating point or complex.

    >>> torch.logdet(torch.eye(2))
    tensor(0.)
    """
    require_square("logdet", input)
    require_floats("logdet", input, "lu_factor_cpu")
    sign, size = linalg_slogdet(input)
    if is_complex(input):
        return log(sign) + size
    return where(sign == -1, float("nan"), size)
