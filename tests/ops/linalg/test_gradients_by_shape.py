"""Derivatives of singular values and eigenvectors on every shape, next to finite differences.

Singular vectors and eigenvectors are known up to a factor of size 1, so what is differentiated does
not change with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pellucid as torch

SHAPES = [(3, 3), (4, 2), (2, 4), (2, 3, 2), (2, 2, 3), (1, 3), (3, 1), (2, 2, 2, 2)]
DTYPES = [torch.float64, torch.complex128]


def matrices(shape: tuple[int, ...], dtype: Any) -> Any:
    random = np.random.default_rng(sum(shape))
    values = random.standard_normal(shape)
    if dtype is torch.complex128:
        values = values + 1j * random.standard_normal(shape)
    return torch.tensor(values, dtype=dtype, requires_grad=True)


def weights(like: Any) -> Any:
    return torch.tensor(np.linspace(0.5, 1.5, like.numel())).reshape(like.shape)


def svd_of(a: Any) -> tuple[Any, ...]:
    """Return the singular values, the sizes of the vectors' elements, and products of both."""
    u, s, vh = torch.linalg.svd(a, full_matrices=False)
    products = (u * s.sin().unsqueeze(-2)) @ vh
    return s, u.abs() ** 2 * weights(u), vh.abs() ** 2 * weights(vh), products


def eigh_of(a: Any, uplo: str) -> tuple[Any, ...]:
    symmetric = a + a.mH
    values, vectors = torch.linalg.eigh(symmetric, UPLO=uplo)
    products = (vectors * values.sin().unsqueeze(-2)) @ vectors.mH
    return values, vectors.abs() ** 2 * weights(vectors), products


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_derivatives_of_svd(shape: tuple[int, ...], dtype: Any) -> None:
    assert torch.autograd.gradcheck(svd_of, (matrices(shape, dtype),))


@pytest.mark.parametrize("uplo", ["L", "U"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 3, 3)], ids=str)
def test_derivatives_of_eigh(shape: tuple[int, ...], dtype: Any, uplo: str) -> None:
    assert torch.autograd.gradcheck(lambda a: eigh_of(a, uplo), (matrices(shape, dtype),))


@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (2, 3, 4)], ids=str)
def test_singular_values_that_repeat_have_derivatives_of_their_sum(shape: tuple[int, ...]) -> None:
    a = torch.zeros(*shape, dtype=torch.float64) + torch.eye(*shape[-2:], dtype=torch.float64)
    a.requires_grad_()
    torch.linalg.svdvals(a).sum().backward()  # the derivative of the nuclear norm is U Vh
    u, _, vh = np.linalg.svd(a.detach().numpy(), full_matrices=False)
    np.testing.assert_allclose(a.grad.numpy(), u @ vh, atol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES[:5], ids=str)
def test_second_derivatives_of_singular_values(shape: tuple[int, ...], dtype: Any) -> None:
    def squares(a: Any) -> Any:
        return torch.linalg.svdvals(a) ** 3

    assert torch.autograd.gradgradcheck(squares, (matrices(shape, dtype),))
