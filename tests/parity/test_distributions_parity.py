"""Distributions do what PyTorch's do: densities, moments, samples, gradients, messages."""

from __future__ import annotations

import contextlib
import itertools
import warnings
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import pellucid

torch = pytest.importorskip("torch")

BOTH = (torch, pellucid)


class Maker:
    """Make a distribution from an expression, with its tensors kept as leaves."""

    def __init__(self, made_by: ModuleType, double: bool = True) -> None:
        self.torch = made_by
        self.dtype = made_by.float64 if double else made_by.float32
        self.leaves: list[Any] = []

    def t(self, *values: Any) -> Any:
        """Make a parameter that requires grad."""
        data = np.array(values[0] if len(values) == 1 else values, np.float64)
        leaf = self.torch.from_numpy(data).to(self.dtype).requires_grad_()
        self.leaves.append(leaf)
        return leaf

    def make(self, expression: str) -> Any:
        names = {"d": self.torch.distributions, "t": self.t, "torch": self.torch}
        return eval(expression, names)


CASES = [
    "d.Normal(t(0.5, -1.0), t(1.5, 0.3))",
    "d.Bernoulli(t(0.2, 0.5, 0.9))",
    "d.Bernoulli(logits=t(-1.0, 0.4))",
    "d.Categorical(t([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]]))",
    "d.Categorical(logits=t(0.1, -0.4, 2.0))",
    "d.OneHotCategorical(t(0.1, 0.2, 0.7))",
    "d.OneHotCategoricalStraightThrough(logits=t(0.1, 0.2, 0.7))",
    "d.Multinomial(7, t(0.1, 0.2, 0.7))",
    "d.Multinomial(4, logits=t([[0.1, 0.2, 0.7], [1.0, 2.0, -1.0]]))",
    "d.Uniform(t(-1.0, 0.2), t(0.5, 0.7))",
    "d.Beta(t(0.5, 3.0), t(2.0, 4.0))",
    "d.Gamma(t(0.4, 3.0, 20.0), t(2.0, 0.5, 1.0))",
    "d.Dirichlet(t([[0.5, 3.0, 2.0], [0.2, 0.3, 0.4]]))",
    "d.Poisson(t(0.5, 4.0, 30.0))",
    "d.Binomial(6, t(0.2, 0.7))",
    "d.Binomial(torch.tensor(50.0), logits=t(0.2, -0.7))",
    "d.NegativeBinomial(t(3.0, 0.5), t(0.2, 0.6))",
    "d.NegativeBinomial(t(3.0, 0.5), logits=t(0.2, 0.6))",
    "d.Geometric(t(0.2, 0.9))",
    "d.Geometric(logits=t(0.2, 0.9))",
    "d.Exponential(t(0.5, 3.0))",
    "d.Laplace(t(0.5, -3.0), t(2.0, 0.5))",
    "d.LogNormal(t(0.5, -1.0), t(0.5, 0.2))",
    "d.HalfNormal(t(0.5, 2.0))",
    "d.Cauchy(t(0.5, -3.0), t(2.0, 0.5))",
    "d.HalfCauchy(t(0.5, 2.0))",
    "d.StudentT(t(0.7, 1.5, 5.0), t(0.5, -3.0, 0.0), t(2.0, 0.5, 1.0))",
    "d.Chi2(t(1.0, 7.0))",
    "d.Gumbel(t(0.5, -3.0), t(2.0, 0.5))",
    "d.Kumaraswamy(t(0.5, 3.0), t(2.0, 4.0))",
    "d.Pareto(t(0.5, 1.0, 2.0), t(0.5, 1.5, 4.0))",
    "d.Weibull(t(0.5, 2.0), t(1.2, 3.0))",
    "d.LogisticNormal(t(0.5, -1.0), t(1.0, 0.3))",
    "d.LogisticNormal(t([[0.5, -1.0], [0.1, 0.2]]), t(1.0, 0.3))",
    "d.RelaxedBernoulli(t(0.7), t(0.3, 0.8))",
    "d.RelaxedBernoulli(t(0.7), logits=t(0.3, 0.8))",
    "d.RelaxedOneHotCategorical(t(0.7), t(0.1, 0.2, 0.7))",
    "d.RelaxedOneHotCategorical(t(0.7), logits=t([[0.1, 0.2, 0.7], [1.0, 2.0, 0.0]]))",
    "d.MultivariateNormal(t(0.5, -1.0), t([[2.0, 0.5], [0.5, 1.0]]))",
    "d.MultivariateNormal(t(0.5, -1.0), precision_matrix=t([[2.0, 0.5], [0.5, 1.0]]))",
    "d.MultivariateNormal(t([[0.5, -1.0]] * 3), scale_tril=t([[2.0, 0.0], [0.5, 1.0]]))",
    "d.LowRankMultivariateNormal(t(0.5, -1.0, 2.0), t([[0.1], [0.5], [1.0]]), t(1.0, 2.0, 0.5))",
    "d.MixtureSameFamily(d.Categorical(t(0.3, 0.7)), d.Normal(t(0.0, 2.0), t(1.0, 0.5)))",
    "d.MixtureSameFamily(d.Categorical(logits=t(0.3, 0.7)), d.Independent("
    "d.Normal(t([[0.0, 2.0, 1.0], [1.0, 2.0, 3.0]]), t(1.0, 0.5, 2.0)), 1))",
    "d.Independent(d.Gamma(t([[0.4, 3.0], [1.0, 2.0]]), t(2.0, 0.5)), 1)",
    "d.VonMises(t(0.5, -3.0), t(2.0, 0.1))",
    "d.FisherSnedecor(t(1.0, 5.0), t(3.0, 7.0))",
    "d.LKJCholesky(2, t(0.7, 2.0))",
    "d.ContinuousBernoulli(t(0.2, 0.4995, 0.8))",
    "d.ContinuousBernoulli(logits=t(0.2, 1e-4, -1.0))",
    "d.InverseGamma(t(0.7, 2.5), t(1.0, 2.0))",
    "d.Wishart(t(4.0), t([[2.0, 0.5], [0.5, 1.0]]))",
    "d.Wishart(t(3.5, 6.0), scale_tril=t([[2.0, 0.0], [0.5, 1.0]]))",
    "d.Wishart(t(3.5, 6.0), precision_matrix=t([[2.0, 0.5], [0.5, 1.0]]))",
    "d.GeneralizedPareto(t(0.5, 0.0, 1.0), t(1.0, 2.0, 0.5), t(0.2, -0.5, 0.0))",
    "d.TransformedDistribution(d.Normal(t(0.0, 1.0), t(1.0, 2.0)),"
    " [d.AffineTransform(t(1.0), t(-2.0)), d.TanhTransform()])",
    "d.TransformedDistribution(d.Uniform(t(0.1), t(0.9)), d.SigmoidTransform().inv)",
]


KINDS = (NotImplementedError, ValueError, TypeError, RuntimeError, AssertionError)


def values(x: Any) -> np.ndarray:
    return np.asarray(x.detach().numpy())


def outcome(function: Any) -> Any:
    """Return a value, or the builtin class of what was raised instead."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function()
        except KINDS as error:
            return next(kind for kind in KINDS if isinstance(error, kind))


def assert_same(ours: Any, theirs: Any, rtol: float = 1e-9, atol: float = 1e-12) -> None:
    if isinstance(theirs, type) or isinstance(ours, type):
        assert ours is theirs, (ours, theirs)
        return
    assert str(ours.dtype) == str(theirs.dtype)
    assert tuple(ours.shape) == tuple(theirs.shape)
    if theirs.dtype == torch.float32:
        rtol, atol = max(rtol, 3e-5), max(atol, 3e-6)
    np.testing.assert_allclose(values(ours), values(theirs), rtol=rtol, atol=atol)


def pair(case: str, double: bool = True) -> tuple[tuple[Any, Maker], tuple[Any, Maker]]:
    double = double and "GeneralizedPareto" not in case  # PyTorch 2.13 refuses doubles there
    makers = [Maker(made_by, double) for made_by in BOTH]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, ours = (maker.make(case) for maker in makers)
    return (theirs, makers[0]), (ours, makers[1])


def sampled(made_by: ModuleType, distribution: Any, how: str, shape: Any) -> Any:
    made_by.manual_seed(5)
    if made_by is torch and type(distribution).__name__ == "Wishart":
        # PyTorch 2.13 takes good samples for singular ones and draws again: its first draw.
        with torch.set_grad_enabled(how == "rsample"):
            return distribution._bartlett_sampling(torch.Size(shape))
    return outcome(lambda: getattr(distribution, how)(shape))


def gradients(made_by: ModuleType, output: Any, leaves: list[Any]) -> list[Any]:
    weights = made_by.linspace(0.5, 1.5, output.numel(), dtype=output.dtype).view(output.shape)
    return list(
        made_by.autograd.grad(output, leaves, weights, allow_unused=True, retain_graph=True)
    )


def assert_same_gradients(one: Any, other: Any, rtol: float) -> None:
    (theirs, maker), (ours, our_maker) = one, other
    assert ours.requires_grad == theirs.requires_grad
    if not theirs.requires_grad:
        return
    expected = gradients(torch, theirs, maker.leaves)
    got = gradients(pellucid, ours, our_maker.leaves)
    for index, (mine, wanted) in enumerate(zip(got, expected, strict=True)):
        # An unused parameter and one whose gradient is 0 everywhere come to the same.
        mine = np.zeros(1) if mine is None else values(mine)
        wanted = np.zeros(1) if wanted is None else values(wanted)
        if mine.ndim == 2 and not np.triu(values(maker.leaves[index]), 1).any():
            # Above the diagonal of a factor nothing need be read.
            mine, wanted = np.tril(mine), np.tril(wanted)
        if mine.dtype == np.float32:
            rtol = max(rtol, 1e-4)
        np.testing.assert_allclose(mine, wanted, rtol=rtol, atol=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_a_distribution_prints_and_measures_itself_as_pytorchs_does(case: str) -> None:
    (theirs, _), (ours, _) = pair(case)
    assert repr(ours) == repr(theirs)
    assert tuple(ours.batch_shape) == tuple(theirs.batch_shape)
    assert tuple(ours.event_shape) == tuple(theirs.event_shape)
    assert ours.has_rsample == theirs.has_rsample
    assert ours.has_enumerate_support == theirs.has_enumerate_support
    assert {name: repr(each) for name, each in ours.arg_constraints.items()} == {
        name: repr(each) for name, each in theirs.arg_constraints.items()
    }
    assert repr(ours.support).replace(", requires_grad=True", "") == repr(theirs.support).replace(
        ", requires_grad=True", ""
    )
    assert ours.support.event_dim == theirs.support.event_dim
    assert ours.support.is_discrete == theirs.support.is_discrete


@pytest.mark.parametrize("name", ["mean", "mode", "variance", "stddev", "entropy", "perplexity"])
@pytest.mark.parametrize("case", CASES)
def test_statistics_and_their_gradients_are_pytorchs(case: str, name: str) -> None:
    (theirs, maker), (ours, our_maker) = pair(case)

    def read(distribution: Any) -> Any:
        found = getattr(distribution, name)
        return found() if callable(found) else found

    expected, got = outcome(lambda: read(theirs)), outcome(lambda: read(ours))
    # PyTorch's Bessel functions are polynomials of eight digits.
    assert_same(got, expected, rtol=1e-8 if "VonMises" in case else 1e-9)
    if not isinstance(expected, type):
        assert_same_gradients((expected, maker), (got, our_maker), 1e-7)


@pytest.mark.parametrize("shape", [(), (3,), (2, 9)])
@pytest.mark.parametrize("how", ["sample", "rsample"])
@pytest.mark.parametrize("case", CASES)
def test_samples_are_pytorchs_number_for_number(case: str, how: str, shape: Any) -> None:
    (theirs, maker), (ours, our_maker) = pair(case)
    expected = sampled(torch, theirs, how, shape)
    got = sampled(pellucid, ours, how, shape)
    assert_same(got, expected, rtol=1e-11)
    if not isinstance(expected, type):
        # PyTorch approximates the derivatives of gamma samples and their like to two digits.
        approximate = "rsample" in how and any(
            name in case
            for name in ("Gamma", "Beta", "Dirichlet", "StudentT", "Chi2", "Fisher", "Wishart")
        )
        assert_same_gradients((expected, maker), (got, our_maker), 2e-2 if approximate else 1e-7)
    # Both streams have come to the same place.
    assert pellucid.rand(()).item() == torch.rand(()).item()


@pytest.mark.parametrize("case", CASES)
def test_samples_in_single_precision_are_pytorchs(case: str) -> None:
    (theirs, _), (ours, _) = pair(case, double=False)
    expected = sampled(torch, theirs, "sample", (20,))
    got = sampled(pellucid, ours, "sample", (20,))
    assert_same(got, expected, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["log_prob", "cdf", "icdf"])
# Of more than two rows, PyTorch's samples do not fit its density, and ours are others.
@pytest.mark.parametrize("case", [*CASES, "d.LKJCholesky(4, t(0.7, 2.0))"])
def test_functions_of_a_value_and_their_gradients_are_pytorchs(case: str, name: str) -> None:
    (theirs, maker), (ours, our_maker) = pair(case)
    if name == "icdf":
        points = np.linspace(0.05, 0.95, 7)
        shape = tuple(theirs.batch_shape)
        points = np.broadcast_to(points.reshape((7,) + (1,) * len(shape)), (7, *shape))
        points = points.astype(np.float32 if "GeneralizedPareto" in case else np.float64)
    else:
        points = values(sampled(torch, theirs, "sample", (7,)))
    expected = outcome(lambda: getattr(theirs, name)(torch.from_numpy(points)))
    got = outcome(lambda: getattr(ours, name)(pellucid.from_numpy(points)))
    assert_same(got, expected, rtol=1e-8, atol=1e-10)
    if not isinstance(expected, type):
        with contextlib.suppress(NotImplementedError):  # igamma has no derivative in PyTorch
            assert_same_gradients((expected, maker), (got, our_maker), 1e-6)


@pytest.mark.parametrize("case", CASES)
def test_an_expanded_distribution_is_pytorchs(case: str) -> None:
    (theirs, _), (ours, _) = pair(case)
    shape = (2, *theirs.batch_shape)
    theirs, ours = theirs.expand(shape), ours.expand(shape)
    assert tuple(ours.batch_shape) == tuple(theirs.batch_shape) == shape
    assert tuple(ours.event_shape) == tuple(theirs.event_shape)
    assert repr(ours) == repr(theirs)
    expected = sampled(torch, theirs, "sample", (3,))
    assert_same(sampled(pellucid, ours, "sample", (3,)), expected, rtol=1e-11)
    points = values(expected)
    assert_same(
        ours.log_prob(pellucid.from_numpy(points)),
        theirs.log_prob(torch.from_numpy(points)),
        rtol=1e-8,
        atol=1e-10,
    )
    for name in ("mean", "variance"):
        expected = outcome(lambda name=name: getattr(theirs, name))
        got = outcome(lambda name=name: getattr(ours, name))
        assert_same(got, expected, rtol=1e-8)


@pytest.mark.parametrize("expand", [True, False])
@pytest.mark.parametrize("case", CASES)
def test_the_values_of_discrete_distributions_are_pytorchs(case: str, expand: bool) -> None:
    (theirs, _), (ours, _) = pair(case)
    expected = outcome(lambda: theirs.enumerate_support(expand))
    assert_same(outcome(lambda: ours.enumerate_support(expand)), expected)


DIVERGENT = {
    "Bernoulli": "d.Bernoulli(t({:.2f}, 0.6))",
    "Beta": "d.Beta(t({:.2f}, 2.0), t(1.5, 0.7))",
    "Binomial": "d.Binomial(5, t({:.2f}, 0.6))",
    "Categorical": "d.Categorical(t([{:.2f}, 0.6, 0.3]))",
    "Cauchy": "d.Cauchy(t({:.2f}, 0.6), t(0.4, 2.0))",
    "ContinuousBernoulli": "d.ContinuousBernoulli(t({:.2f}, 0.6))",
    "Dirichlet": "d.Dirichlet(t([{:.2f}, 0.6, 0.3]))",
    "Exponential": "d.Exponential(t({:.2f}, 0.6))",
    "Gamma": "d.Gamma(t({:.2f}, 2.0), t(1.5, 0.7))",
    "Geometric": "d.Geometric(t({:.2f}, 0.6))",
    "Gumbel": "d.Gumbel(t({:.2f}, 2.0), t(1.5, 0.7))",
    "HalfNormal": "d.HalfNormal(t({:.2f}, 0.6))",
    "Independent": "d.Independent(d.Normal(t({:.2f}, 2.0), t(1.5, 0.7)), 1)",
    "Laplace": "d.Laplace(t({:.2f}, 2.0), t(1.5, 0.7))",
    "LogNormal": "d.LogNormal(t({:.2f}, 2.0), t(1.5, 0.7))",
    "LowRank": "d.LowRankMultivariateNormal(t({:.2f}, 1.0, 2.0), t([[0.1], [0.5], [1.0]]),"
    " t(1.0, 2.0, 0.5))",
    "MVN": "d.MultivariateNormal(t({:.2f}, 1.0, 2.0), t([[2.0, 0.5, 0.1], [0.5, 1.0, 0.2],"
    " [0.1, 0.2, 1.0]]))",
    "Normal": "d.Normal(t({:.2f}, 2.0), t(1.5, 0.7))",
    "OneHot": "d.OneHotCategorical(t([{:.2f}, 0.6, 0.3]))",
    "Pareto": "d.Pareto(t({:.2f}, 0.6), t(0.8, 3.0))",
    "Poisson": "d.Poisson(t({:.2f}, 6.0))",
    "StudentT": "d.StudentT(t({:.2f}, 6.0))",
    "Transformed": "d.TransformedDistribution(d.Normal(t({:.2f}), t(1.0)), d.ExpTransform())",
    "Uniform": "d.Uniform(t({:.2f}, 0.2), t(0.9, 0.8))",
    "WideUniform": "d.Uniform(t({:.2f}, -2.0), t(1.9, 2.8))",
    "VonMises": "d.VonMises(t({:.2f}, 0.2), t(0.9, 0.8))",
    "Wishart": "d.Wishart(t(4.0 + {:.2f}), t([[2.0, 0.5], [0.5, 1.0]]))",
}


@pytest.mark.parametrize(("p", "q"), list(itertools.product(DIVERGENT, DIVERGENT)))
def test_the_divergence_of_any_two_distributions_is_pytorchs(p: str, q: str) -> None:
    makers = [Maker(made_by) for made_by in BOTH]
    results = []
    for maker in makers:
        one, other = maker.make(DIVERGENT[p].format(0.3)), maker.make(DIVERGENT[q].format(0.45))
        divergence = maker.torch.distributions.kl_divergence
        results.append(outcome(lambda pair=(one, other), of=divergence: of(*pair)))
    expected, got = results
    assert_same(got, expected, rtol=1e-8, atol=1e-10)
    if not isinstance(expected, type) and bool(expected.isfinite().all()):
        assert_same_gradients((expected, makers[0]), (got, makers[1]), 1e-6)


def test_every_divergence_of_pytorch_is_there() -> None:
    def names(made_by: Any) -> set[tuple[str, str]]:
        return {(p.__name__, q.__name__) for p, q in made_by.distributions.kl._KL_REGISTRY}

    assert names(torch) <= names(pellucid)


TRANSFORMS = {
    "d.ExpTransform()": (4,),
    "d.PowerTransform(torch.tensor(1.7))": "positive",
    "d.SigmoidTransform()": (4,),
    "d.TanhTransform()": (4,),
    "d.SoftplusTransform()": (4,),
    "d.AbsTransform()": (4,),
    "d.AffineTransform(0.5, -2.0)": (4,),
    "d.AffineTransform(torch.tensor([0.5, 1.0]), torch.tensor([2.0, -1.0]), 1)": (3, 2),
    "d.SoftmaxTransform()": (2, 4),
    "d.StickBreakingTransform()": (2, 4),
    "d.LowerCholeskyTransform()": (2, 3, 3),
    "d.PositiveDefiniteTransform()": (3, 3),
    "d.CorrCholeskyTransform()": (2, 6),
    "d.ComposeTransform([d.AffineTransform(0.5, 2.0), d.SigmoidTransform()])": (4,),
    "d.ComposeTransform([d.TanhTransform(), d.StickBreakingTransform()])": (2, 4),
    "d.IndependentTransform(d.ExpTransform(), 1)": (2, 4),
    "d.ReshapeTransform((4,), (2, 2))": (3, 4),
    "d.CatTransform([d.ExpTransform(), d.TanhTransform()], -1, [1, 3])": (2, 4),
    "d.StackTransform([d.ExpTransform(), d.TanhTransform()], 0)": (2, 4),
    "d.CumulativeDistributionTransform(d.Normal(torch.tensor(0.5), torch.tensor(2.0)))": (4,),
    "d.identity_transform": (4,),
}


@pytest.mark.parametrize("case", TRANSFORMS)
def test_transforms_are_pytorchs(case: str) -> None:
    shape = TRANSFORMS[case]
    x = np.random.default_rng(1).standard_normal((4,) if shape == "positive" else shape)
    x = (np.abs(x) if shape == "positive" else x).astype(np.float32)
    seen = []
    for made_by in BOTH:
        names = {"d": made_by.distributions, "torch": made_by}
        transform = eval(case, names)
        point = made_by.from_numpy(x).requires_grad_()
        y = transform(point)
        back = outcome(lambda transform=transform, y=y: transform.inv(y))
        volume = outcome(lambda t=transform, x=point, y=y: t.log_abs_det_jacobian(x, y))
        (slope,) = made_by.autograd.grad((y * y).sum(), point)
        facts = [
            repr(transform), repr(transform.inv), transform.bijective,
            outcome(lambda transform=transform: transform.sign),
            repr(transform.domain), repr(transform.codomain),
            outcome(lambda t=transform, s=point.shape: tuple(t.forward_shape(s))),
            outcome(lambda t=transform, s=y.shape: tuple(t.inverse_shape(s))),
        ]  # fmt: skip
        seen.append((facts, [y, back, volume, slope]))
    (their_facts, theirs), (our_facts, ours) = seen
    assert list(map(str, our_facts)) == list(map(str, their_facts))
    for mine, expected in zip(ours, theirs, strict=True):
        assert_same(mine, expected, rtol=3e-5, atol=3e-6)


CONSTRAINTS = [
    "real", "positive", "nonnegative", "unit_interval", "greater_than(2.0)", "less_than(-1.0)",
    "greater_than_eq(1.0)", "interval(-1.0, 3.0)", "half_open_interval(-1.0, 3.0)", "simplex",
    "lower_cholesky", "positive_definite", "positive_semidefinite", "corr_cholesky",
    "real_vector", "independent(positive, 1)", "boolean", "one_hot", "integer_interval(0, 3)",
    "nonnegative_integer", "positive_integer", "lower_triangular", "square", "symmetric",
    "multinomial(3)", "cat([positive, real], -1, [1, 2])", "stack([positive, real], 0)",
]  # fmt: skip


@pytest.mark.parametrize("case", CONSTRAINTS)
def test_constraints_are_pytorchs(case: str) -> None:
    points = np.stack(
        [np.eye(3), np.zeros((3, 3)), np.tri(3), -np.eye(3), np.full((3, 3), 1 / 3)]
    ).astype(np.float32)
    if "semidefinite" in case:
        points = points[:-1]  # its least eigenvalue is 0 up to rounding
    if "stack" in case:
        points = points[:, :2]
    for registry in ("biject_to", "transform_to"):
        seen = []
        for made_by in BOTH:
            constraint = eval(case, vars(made_by.distributions.constraints).copy())
            fits = [
                outcome(lambda c=constraint, x=x: c.check(x)) for x in made_by.from_numpy(points)
            ]
            fits = [each if isinstance(each, type) else each.tolist() for each in fits]
            to = getattr(made_by.distributions, registry)
            transform = outcome(lambda to=to, constraint=constraint: to(constraint))
            y = transform
            if not isinstance(transform, type):
                x = np.arange(9).reshape(3, 3)[: 2 if "stack" in case else 3] / 10
                y = transform(made_by.from_numpy(x)).numpy().round(9).tolist()
            facts = (constraint, constraint.event_dim, constraint.is_discrete, transform)
            seen.append((list(map(str, facts)), fits, y))
        assert seen[0] == seen[1]


WRONG = [
    "d.Normal('a', 1.0)",
    "d.Normal(0.0, -1.0)",
    "d.Normal(torch.zeros(2), torch.ones(3))",
    "d.Normal(0.0, 1.0).log_prob(1)",
    "d.Normal(0.0, float('nan'))",
    "d.Normal(torch.zeros(2), 1.0).log_prob(torch.zeros(3))",
    "d.Normal(0.0, 1.0).enumerate_support()",
    "d.Categorical()",
    "d.Categorical(torch.tensor(1.0))",
    "d.Categorical(torch.tensor([-1.0, 2.0]))",
    "d.Categorical(torch.ones(3)).log_prob(torch.tensor(3))",
    "d.Bernoulli()",
    "d.Bernoulli(torch.tensor(0.1), torch.tensor(0.1))",
    "d.Bernoulli(0.5).log_prob(torch.tensor(0.5))",
    "d.Bernoulli(1.5)",
    "d.Dirichlet(torch.tensor(1.0))",
    "d.Dirichlet(torch.ones(3)).log_prob(torch.ones(2) / 2)",
    "d.Beta(1.0, 1.0).log_prob(torch.tensor(2.0))",
    "d.Beta(-1.0, 1.0)",
    "d.MultivariateNormal(torch.zeros(2))",
    "d.MultivariateNormal(torch.tensor(1.0), torch.eye(2))",
    "d.MultivariateNormal(torch.zeros(2), torch.ones(2))",
    "d.MultivariateNormal(torch.zeros(2), -torch.eye(2))",
    "d.LowRankMultivariateNormal(torch.zeros(2), torch.zeros(3, 1), torch.ones(2))",
    "d.Uniform(2.0, 1.0)",
    "d.Independent(d.Normal(0.0, 1.0), 1)",
    "d.Poisson(1.0).rsample()",
    "d.Poisson(1.0).entropy()",
    "d.Poisson(-1.0)",
    "d.StudentT(2.0).cdf(torch.tensor(1.0))",
    "d.kl_divergence(d.Normal(0.0, 1.0), d.StudentT(2.0))",
    "d.Multinomial(total_count=torch.tensor(2), probs=torch.ones(3))",
    "d.Multinomial(2, torch.ones(3) / 3).log_prob(torch.tensor([1.0, 2.0, 3.0]))",
    "d.LKJCholesky(1)",
    "d.Wishart(torch.tensor(1.0), torch.eye(3))",
    "d.Wishart(torch.tensor(4.0))",
    "d.TransformedDistribution(d.Normal(0.0, 1.0), 1)",
    "d.MixtureSameFamily(d.Normal(0.0, 1.0), d.Normal(torch.zeros(2), 1.0))",
    "d.MixtureSameFamily(d.Categorical(torch.ones(2)), d.Normal(torch.zeros(3), 1.0))",
    "d.MixtureSameFamily(d.Categorical(torch.ones(2)), 1)",
    "d.Geometric(torch.tensor([0.5, 0.0]))",
    "d.Normal.set_default_validate_args(3)",
    "d.register_kl(1, 2)",
    "d.transform_to(1)",
    "d.biject_to(d.constraints.positive_definite)",
    "d.Binomial(torch.tensor([2.0, 3.0]), torch.tensor(0.5)).enumerate_support()",
    "d.AbsTransform().log_abs_det_jacobian(torch.ones(1), torch.ones(1))",
    "torch.poisson(torch.tensor([-1.0]))",
    "torch.poisson(torch.tensor([1]))",
    "torch.binomial(torch.ones(2), torch.ones(2, dtype=torch.float64))",
]


@pytest.mark.parametrize("case", WRONG)
def test_what_pytorch_refuses_is_refused_in_its_words(case: str) -> None:
    errors = []
    for made_by in BOTH:
        with pytest.raises(KINDS) as caught:
            eval(case, {"d": made_by.distributions, "torch": made_by})
        errors.append(caught.value)
    theirs, ours = errors
    assert isinstance(ours, next(k for k in type(theirs).__mro__ if k.__module__ == "builtins"))
    first = str(theirs).split("\n")[0].rstrip(".")
    if len(first) > 1 and "issubclass" not in first:
        assert first[:60] in str(ours)


STREAMS = [
    ("torch.poisson(x)", "positive"),
    ("torch.poisson(x * 30)", "positive"),
    ("torch.poisson(x.T)", "positive"),
    ("torch.binomial((x * 30).floor(), x / (x + 1))", "positive"),
    ("torch.binomial((x * 3).floor(), x / (x + 1))", "positive"),
    ("torch._standard_gamma(x)", "positive"),
    ("torch._standard_gamma(x.T)", "positive"),
    ("torch._sample_dirichlet(x)", "positive"),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("case", "kind"), STREAMS)
def test_the_samplers_follow_pytorchs_stream(case: str, kind: str, dtype: str) -> None:
    x = np.exp(2 * np.random.default_rng(0).standard_normal((70, 60))).astype(dtype)
    seen = []
    for made_by in BOTH:
        made_by.manual_seed(3)
        made_by.randn(3)  # an odd number leaves a normal number over, which gammas use
        sample = eval(case, {"torch": made_by, "x": made_by.from_numpy(x)})
        seen.append((values(sample), made_by.randn(5).tolist(), made_by.rand(2).tolist()))
    theirs, ours = seen
    if dtype == "float64" and "dirichlet" in case:  # sums in another order
        np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-14)
    else:
        np.testing.assert_array_equal(ours[0], theirs[0])
    assert ours[1:] == theirs[1:]
