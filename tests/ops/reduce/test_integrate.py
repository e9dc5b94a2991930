"""Integrals, slopes, covariances and special functions, against NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate
import scipy.special

import pellucid as torch
from pellucid.testing.gradcheck import gradcheck
from tests.samples.grouped import together

random = np.random.default_rng(5)


def real(*shape: int) -> torch.Tensor:
    return torch.from_numpy(np.asarray(random.standard_normal(shape)))


def test_integrals_are_those_of_scipy() -> None:
    y, x = real(3, 5), real(5).sort().values
    np.testing.assert_allclose(
        torch.trapezoid(y, x).numpy(), scipy.integrate.trapezoid(y.numpy(), x.numpy())
    )
    np.testing.assert_allclose(
        torch.cumulative_trapezoid(y, dx=0.5, dim=0).numpy(),
        scipy.integrate.cumulative_trapezoid(y.numpy(), dx=0.5, axis=0),
    )
    assert gradcheck(torch.trapezoid, (y.requires_grad_(), x.requires_grad_()))


@pytest.mark.parametrize("edge_order", [1, 2])
def test_slopes_are_those_of_numpy(edge_order: int) -> None:
    f, x = real(4, 5), real(5).sort().values
    places = (0.5, x)
    found = torch.gradient(f, spacing=places, edge_order=edge_order)
    expected = np.gradient(f.numpy(), 0.5, x.numpy(), edge_order=edge_order)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.numpy(), other)


@pytest.mark.parametrize("correction", [0, 1])
def test_covariances_are_those_of_numpy(correction: int) -> None:
    x, counts, weights = (
        torch.complex(real(3, 6), real(3, 6)),
        np.arange(1, 7),
        np.linspace(1, 2, 6),
    )
    found = torch.cov(
        x, correction=correction, fweights=torch.from_numpy(counts),
        aweights=torch.from_numpy(weights),
    )  # fmt: skip
    expected = np.cov(x.numpy(), ddof=correction, fweights=counts, aweights=weights)
    np.testing.assert_allclose(found.numpy(), expected)
    np.testing.assert_allclose(torch.corrcoef(x).numpy(), np.corrcoef(x.numpy()))
    assert gradcheck(torch.cov, (x.requires_grad_(),))


def test_too_few_observations_warn() -> None:
    with np.errstate(all="ignore"), pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
        torch.cov(torch.ones(2, 1))


@together()
@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("bessel_j0", scipy.special.j0), ("bessel_y1", scipy.special.y1),
        ("modified_bessel_k0", scipy.special.k0), ("i1e", scipy.special.i1e),
        ("scaled_modified_bessel_k1", scipy.special.k1e), ("ndtr", scipy.special.ndtr),
        ("airy_ai", lambda x: scipy.special.airy(x)[0]), ("erfcx", scipy.special.erfcx),
        ("spherical_bessel_j0", lambda x: scipy.special.spherical_jn(0, x)),
        ("entr", scipy.special.entr), ("log_ndtr", scipy.special.log_ndtr),
    ],
)  # fmt: skip
def test_special_functions_are_those_of_scipy(name: str, function) -> None:
    x = real(4).abs() + 0.1
    np.testing.assert_allclose(getattr(torch.special, name)(x).numpy(), function(x.numpy()))


def test_what_has_no_derivative_says_so_on_the_way_back() -> None:
    a = torch.ones(2, requires_grad=True)
    with pytest.raises(NotImplementedError, match=r"the derivative for 'igamma: input' is not"):
        torch.igamma(a, torch.ones(2)).sum().backward()
    assert a.grad is None


def test_multivariate_gamma_is_that_of_scipy() -> None:
    x = real(3).abs() + 2
    np.testing.assert_allclose(
        torch.mvlgamma(x, 3).numpy(), [scipy.special.multigammaln(each, 3) for each in x.numpy()]
    )


def test_gradient_takes_no_spacing_for_a_distance_of_one() -> None:
    x = torch.arange(4.0) ** 2
    assert torch.gradient(x, spacing=None)[0].tolist() == np.gradient(x.numpy()).tolist()
