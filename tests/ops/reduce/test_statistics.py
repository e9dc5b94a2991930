"""Histograms, quantiles, distances and norms against NumPy, SciPy and plain definitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.spatial.distance

import pellucid as torch
from tests.samples.grouped import together

RANDOM = np.random.default_rng(3)
VALUES = RANDOM.standard_normal(40)
POINTS = RANDOM.standard_normal((30, 2))
WEIGHTS = RANDOM.uniform(0.5, 2, 30)


def tensor(values: Any) -> torch.Tensor:
    return torch.from_numpy(np.array(values))


# ---- histograms -------------------------------------------------------------------------------


@pytest.mark.parametrize("bins", [1, 7, np.array([-2.0, -0.5, 0.1, 3.0])])
@pytest.mark.parametrize("density", [False, True])
def test_histogram_is_that_of_numpy(bins: Any, density: bool) -> None:
    expected, edges = np.histogram(VALUES, bins, density=density)
    given = bins if isinstance(bins, int) else tensor(bins)
    found = torch.histogram(tensor(VALUES), given, density=density)
    assert np.allclose(found.hist.numpy(), expected)
    assert np.allclose(found.bin_edges.numpy(), edges)


def test_histogram_adds_weights_within_a_range() -> None:
    expected, _ = np.histogram(POINTS[:, 0], 4, (-1, 1), weights=WEIGHTS)
    found = torch.histogram(tensor(POINTS[:, 0]), 4, range=(-1.0, 1.0), weight=tensor(WEIGHTS))
    assert np.allclose(found.hist.numpy(), expected)


@pytest.mark.parametrize("density", [False, True])
def test_histogram_of_rows_is_that_of_numpy(density: bool) -> None:
    expected, edges = np.histogramdd(POINTS, (3, 4), weights=WEIGHTS, density=density)
    found = torch.histogramdd(tensor(POINTS), [3, 4], weight=tensor(WEIGHTS), density=density)
    assert np.allclose(found.hist.numpy(), expected)
    for one, other in zip(found.bin_edges, edges, strict=True):
        assert np.allclose(one.numpy(), other)


def test_what_lies_outside_or_is_nan_is_not_counted() -> None:
    x = torch.tensor([math.nan, -9.0, 0.5, 9.0])
    assert torch.histogram(x, 2, range=(0.0, 1.0)).hist.tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"bins": 0}, "bins must be > 0"),
        ({"bins": 2, "range": (3.0, 1.0)}, "min should not exceed max"),
        ({"bins": 2, "range": (3.0,)}, "range should have 2 elements"),
        ({"bins": 2, "weight": torch.ones(2)}, "should have the same shape"),
        ({"bins": torch.ones(2, 2)}, "bins tensor should have one dimension"),
    ],
)
def test_histogram_refuses_what_does_not_fit(keywords: dict, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        torch.histogram(torch.ones(3), **keywords)


# ---- quantiles --------------------------------------------------------------------------------


@together()
@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
@pytest.mark.parametrize("dim", [None, 0, -1])
@pytest.mark.parametrize("keepdim", [False, True])
def test_quantile_is_that_of_numpy(interpolation: str, dim: int | None, keepdim: bool) -> None:
    x, q = POINTS.reshape(5, 12), np.array([0.0, 0.3, 1.0])
    expected = np.quantile(x, q, dim, method=interpolation, keepdims=keepdim)
    found = torch.quantile(tensor(x), tensor(q), dim, keepdim, interpolation=interpolation)
    assert np.allclose(found.numpy(), expected)
    single = torch.quantile(tensor(x), 0.3, dim, keepdim, interpolation=interpolation)
    assert np.allclose(single.numpy(), expected[1])


def test_nanquantile_is_that_of_numpy() -> None:
    x = POINTS.reshape(5, 12).copy()
    x[0, :3] = x[3, 5] = math.nan
    expected = np.nanquantile(x, 0.4, 1)
    assert np.allclose(torch.nanquantile(tensor(x), 0.4, 1).numpy(), expected)
    assert np.isnan(torch.quantile(tensor(x), 0.4, 1).numpy()).tolist() == [True, *[False] * 2,
                                                                           True, False]  # fmt: skip


def test_quantile_has_gradients_by_elements_and_fractions() -> None:
    x = tensor(POINTS[:4]).requires_grad_()
    q = tensor([0.21, 0.77]).requires_grad_()
    assert torch.autograd.gradcheck(lambda x, q: torch.quantile(x, q, 0), (x, q))
    assert torch.autograd.gradgradcheck(
        lambda x, q: torch.quantile(x, q, 0), (x, q), fast_mode=True
    )


# ---- distances and norms ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("p", "metric"),
    [(2.0, {"metric": "euclidean"}), (1.0, {"metric": "cityblock"}),
     (math.inf, {"metric": "chebyshev"}), (3.0, {"metric": "minkowski", "p": 3})],
)  # fmt: skip
def test_pairwise_distances_are_those_of_scipy(p: float, metric: dict) -> None:
    expected = scipy.spatial.distance.pdist(POINTS, **metric)
    assert np.allclose(torch.pdist(tensor(POINTS), p).numpy(), expected)


def test_the_gradient_of_a_distance_of_equal_points_is_zero() -> None:
    x = torch.ones(3, 2, requires_grad=True)
    torch.pdist(x).sum().backward()
    assert x.grad.tolist() == [[0.0, 0.0]] * 3


@pytest.mark.parametrize("p", [1.0, 2.0, 3.5])
def test_renorm_shortens_only_what_is_too_long(p: float) -> None:
    x = tensor(POINTS)
    found = torch.renorm(x, p, 0, 1.0)
    before = (abs(x) ** p).sum(1) ** (1 / p)
    after = (abs(found) ** p).sum(1) ** (1 / p)
    assert torch.allclose(after, before.clamp(max=1), rtol=1e-6)
    assert torch.allclose(found / x, (after / before).unsqueeze(1).expand(30, 2))
    changed = x.clone()
    assert changed.renorm_(p, 0, 1.0) is changed
    assert torch.equal(changed, found)


def test_renorm_has_the_gradient_of_finite_differences() -> None:
    x = tensor(POINTS[:4]).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: torch.renorm(x, 2, 0, 0.5), (x,))
    assert torch.autograd.gradgradcheck(lambda x: torch.renorm(x, 2, 0, 0.5), (x,), fast_mode=True)


def test_norm_except_dim_keeps_one_dimension() -> None:
    x = RANDOM.standard_normal((2, 3, 4))
    found = torch.norm_except_dim(tensor(x), 2, 1)
    assert np.allclose(found.numpy(), np.sqrt((x * x).sum((0, 2), keepdims=True)))


# ---- eigenpairs -------------------------------------------------------------------------------


def symmetric(size: int) -> np.ndarray:
    made = np.random.default_rng(5).standard_normal((size, size))
    return made @ made.T + np.diag(np.arange(size))


@pytest.mark.parametrize("largest", [True, False])
def test_lobpcg_finds_what_a_full_decomposition_has(largest: bool) -> None:
    a = symmetric(20)
    values, vectors = torch.lobpcg(tensor(a), 3, largest=largest, tol=1e-12)
    expected = np.linalg.eigvalsh(a)
    assert np.allclose(values.numpy(), expected[:-4:-1] if largest else expected[:3])
    assert np.allclose(a @ vectors.numpy(), vectors.numpy() * values.numpy(), atol=1e-6)


def test_lobpcg_solves_the_generalized_problem_of_each_matrix_of_a_batch() -> None:
    a, b = np.stack([symmetric(12), 2 * symmetric(12)]), np.stack([2 * np.eye(12)] * 2)
    values, vectors = torch.lobpcg(tensor(a), 2, tensor(b))
    expected = np.linalg.eigvalsh(a)[:, :-3:-1] / 2
    assert values.shape == (2, 2)
    assert vectors.shape == (2, 12, 2)
    assert np.allclose(values.numpy(), expected)


def test_lobpcg_has_the_derivatives_of_a_full_decomposition() -> None:
    def second(vectors_of: Any) -> Any:
        a = tensor(symmetric(12)).requires_grad_()
        values, vectors = vectors_of(a)
        signed = vectors * vectors.detach().sign()[0]
        weights = torch.arange(24.0, dtype=torch.float64).reshape(12, 2)
        (first,) = torch.autograd.grad(
            (values**2).sum() + (signed * weights).sum(), a, create_graph=True
        )
        return first, torch.autograd.grad((first * first).sum(), a)[0]

    def full(a: Any) -> Any:
        values, vectors = torch.linalg.eigh(a)
        return values.flip(0)[:2], vectors.flip(1)[:, :2]

    found = second(lambda a: torch.lobpcg(a, 2, tol=1e-14))
    for one, other in zip(found, second(full), strict=True):
        assert torch.allclose(one, (other + other.T) / 2, rtol=1e-6, atol=1e-6)


def test_lobpcg_needs_three_times_as_many_rows_as_pairs() -> None:
    with pytest.raises(ValueError, match="smaller than 3 x the number"):
        torch.lobpcg(torch.eye(5), 2)
    with pytest.raises(AssertionError, match="A must be square"):
        torch.lobpcg(torch.ones(9, 8), 1)
