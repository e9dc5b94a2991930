"""How distributions and transforms behave: batches, checks, caches, registries."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid import distributions as d
from pellucid.distributions import _divergence
from tests.samples.grouped import together


@pytest.fixture
def unchecked() -> Iterator[None]:
    d.Distribution.set_default_validate_args(False)
    yield
    d.Distribution.set_default_validate_args(True)


def test_checks_can_be_switched_off_for_all(unchecked: None) -> None:
    assert d.Normal(0.0, -1.0).scale.item() == -1.0


def test_checks_can_be_switched_off_for_one() -> None:
    assert d.Normal(0.0, -1.0, validate_args=False).scale.item() == -1.0
    with pytest.raises(ValueError, match="to satisfy the constraint GreaterThan"):
        d.Normal(0.0, -1.0, validate_args=True)


def test_a_probability_is_checked_when_it_is_computed_from_logits() -> None:
    ours = d.Categorical(logits=torch.zeros(2, 3))
    assert "probs" not in vars(ours)
    np.testing.assert_allclose(ours.probs.numpy(), np.full((2, 3), 1 / 3), rtol=1e-6)
    assert "probs" in vars(ours)


def test_a_lazy_parameter_is_recorded_also_where_nothing_else_is() -> None:
    logits = torch.zeros(3, requires_grad=True)
    ours = d.Bernoulli(logits=logits)
    with torch.no_grad():
        ours.sample()
    assert ours.probs.requires_grad


def test_a_batch_is_expanded_without_a_copy() -> None:
    loc = torch.zeros(3)
    wide = d.Normal(loc, 1.0).expand((1000, 3))
    assert wide.loc.stride() == (0, 1)
    assert wide.loc.data_ptr() == loc.data_ptr()


def test_a_subclass_of_a_users_own_expands_and_samples() -> None:
    class Triangular(d.Distribution):
        arg_constraints = {"width": d.constraints.positive}
        support = d.constraints.real
        has_rsample = True

        def __init__(self, width: Any) -> None:
            (self.width,) = d.utils.broadcast_all(width)
            super().__init__(self.width.shape)

        def rsample(self, sample_shape: Any = ()) -> Any:
            shape = self._extended_shape(sample_shape)
            return self.width * (torch.rand(shape) - torch.rand(shape))

    wide = Triangular(torch.tensor([1.0, 2.0])).expand((4, 2))
    assert wide.sample((3,)).shape == (3, 4, 2)
    assert repr(wide) == "Triangular(width: torch.Size([4, 2]))"
    with pytest.raises(NotImplementedError, match="Triangular does not implement log_prob"):
        wide.log_prob(torch.zeros(4, 2))


def test_expand_written_after_pytorchs_is_given_an_object_to_fill() -> None:
    class Point(d.Distribution):
        arg_constraints = {"place": d.constraints.real}

        def __init__(self, place: Any) -> None:
            self.place = place
            super().__init__(place.shape)

        def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
            made = self._get_checked_instance(Point, _instance)
            made.place = self.place.expand(batch_shape)
            super(Point, made).__init__(made.place.shape)
            return made

    class Named(Point):
        def __init__(self, place: Any, name: str) -> None:
            super().__init__(place)

    assert Point(torch.ones(1)).expand((3,)).batch_shape == (3,)
    with pytest.raises(NotImplementedError, match="must also define a custom"):
        Named(torch.ones(1), "a").expand((3,))


def test_what_a_subclass_leaves_out_is_said_once() -> None:
    with pytest.warns(UserWarning, match="does not define `arg_constraints`"):
        bare = d.Distribution()
    with pytest.raises(NotImplementedError, match="support"):
        bare.support


def test_reinforce_follows_the_gradient_of_the_log_probability() -> None:
    logits = torch.tensor([0.1, 0.5, -0.3], requires_grad=True)
    policy = d.Categorical(logits=logits)
    (gradient,) = torch.autograd.grad(policy.log_prob(torch.tensor(1)) * 2.0, logits)
    expected = 2.0 * (np.eye(3)[1] - policy.probs.detach().numpy())
    np.testing.assert_allclose(gradient.numpy(), expected, rtol=1e-5, atol=1e-7)


def test_the_divergence_to_a_prior_has_the_gradient_of_its_formula() -> None:
    mean = torch.tensor([0.5, -1.0], requires_grad=True)
    scale = torch.tensor([0.5, 2.0], requires_grad=True)
    divergence = d.kl_divergence(d.Normal(mean, scale), d.Normal(0.0, 1.0)).sum()
    by_mean, by_scale = torch.autograd.grad(divergence, (mean, scale))
    np.testing.assert_allclose(by_mean.numpy(), mean.detach().numpy(), rtol=1e-6)
    expected = scale.detach().numpy() - 1 / scale.detach().numpy()
    np.testing.assert_allclose(by_scale.numpy(), expected, rtol=1e-6)


def test_log_probabilities_have_the_gradients_of_finite_differences() -> None:
    def of_gamma(a: Any, b: Any) -> Any:
        return d.Gamma(a, b).log_prob(torch.tensor([0.3, 2.0]).double())

    def of_vectors(mean: Any, raw: Any) -> Any:
        factor = d.transform_to(d.constraints.lower_cholesky)(raw)
        normal = d.MultivariateNormal(mean, scale_tril=factor)
        return normal.log_prob(torch.ones(2).double())

    torch.manual_seed(0)
    a, b = (torch.rand(2, dtype=torch.float64) + 0.5 for _ in range(2))
    assert torch.autograd.gradcheck(of_gamma, (a.requires_grad_(), b.requires_grad_()))
    mean = torch.randn(2, dtype=torch.float64, requires_grad=True)
    raw = torch.randn(2, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(of_vectors, (mean, raw))


def test_the_divergence_for_the_most_derived_classes_is_used() -> None:
    class Mine(d.Normal):
        pass

    @d.register_kl(Mine, d.Normal)
    def kl_mine_normal(p: Any, q: Any) -> Any:
        return torch.full((), 42.0)

    mine, normal = Mine(0.0, 1.0), d.Normal(0.0, 1.0)
    assert d.kl_divergence(mine, normal).item() == 42.0
    assert d.kl_divergence(normal, mine).item() == 0.0
    del _divergence._KL_REGISTRY[Mine, d.Normal]
    _divergence._dispatched.cache_clear()


def test_an_ambiguous_divergence_warns() -> None:
    class Mine(d.Normal):
        pass

    d.register_kl(Mine, d.Normal)(lambda p, q: torch.full((), 1.0))
    d.register_kl(d.Normal, Mine)(lambda p, q: torch.full((), 2.0))
    with pytest.warns(RuntimeWarning, match="Ambiguous kl_divergence"):
        assert d.kl_divergence(Mine(0.0, 1.0), Mine(0.0, 1.0)).item() == 1.0
    for pair in ((Mine, d.Normal), (d.Normal, Mine)):
        del _divergence._KL_REGISTRY[pair]
    _divergence._dispatched.cache_clear()


VECTORS = [
    d.StickBreakingTransform(),
    d.CorrCholeskyTransform(),
    d.ComposeTransform([d.TanhTransform(), d.StickBreakingTransform()]),
    d.IndependentTransform(d.SigmoidTransform(), 1),
    d.IndependentTransform(d.SoftplusTransform(), 1),
    d.AffineTransform(torch.tensor(1.0).double(), torch.tensor(-3.0).double(), event_dim=1),
]


@pytest.mark.parametrize("transform", VECTORS, ids=map(repr, VECTORS))
def test_the_logarithm_of_the_volume_is_that_of_the_jacobian(transform: d.Transform) -> None:
    torch.manual_seed(1)
    x = torch.randn(3, dtype=torch.float64)
    y = transform(x)
    jacobian = torch.autograd.functional.jacobian(transform, x)
    if isinstance(transform, d.CorrCholeskyTransform):
        rows, columns = np.tril_indices(3, -1)  # what is free of a correlation matrix's factor
        jacobian = jacobian[rows, columns]
    elif y.shape != x.shape:
        jacobian = jacobian[:-1]  # the last share is what the others leave
    expected = np.linalg.slogdet(jacobian.numpy())[1]
    assert transform.log_abs_det_jacobian(x, y).item() == pytest.approx(expected)
    np.testing.assert_allclose(transform.inv(y).numpy(), x.numpy(), atol=1e-9)


def test_a_cache_returns_the_very_value_that_was_mapped() -> None:
    x = torch.randn(3)
    for transform in (
        d.SigmoidTransform(cache_size=1),
        d.ComposeTransform([d.ExpTransform(), d.SigmoidTransform()], cache_size=1),
        d.TanhTransform().inv.with_cache(),
    ):
        assert transform.inv(transform(x)) is x
    plain = d.SigmoidTransform()
    assert plain.inv(plain(x)) is not x


@together()
@pytest.mark.parametrize("registry", [d.biject_to, d.transform_to], ids=["biject", "transform"])
@pytest.mark.parametrize(
    ("constraint", "shape"),
    [
        (d.constraints.positive, (4,)),
        (d.constraints.unit_interval, (4,)),
        (d.constraints.interval(-2.0, 5.0), (4,)),
        (d.constraints.less_than(-1.0), (4,)),
        (d.constraints.simplex, (4,)),
        (d.constraints.corr_cholesky, (6,)),
        (d.constraints.independent(d.constraints.positive, 1), (4,)),
    ],
    ids=repr,
)
def test_transforms_lead_into_their_constraints(registry: Any, constraint: Any, shape: Any) -> None:
    torch.manual_seed(2)
    assert constraint.check(registry(constraint)(torch.randn(shape))).all()


def test_the_registry_takes_constraints_of_a_users_own() -> None:
    class Even(d.constraints.Constraint):
        def check(self, value: Any) -> Any:
            return value % 2 == 0

    d.transform_to.register(Even(), lambda constraint: d.AffineTransform(0.0, 2.0))
    assert d.transform_to(Even())(torch.tensor(3.0)).item() == 6.0
    with pytest.raises(TypeError, match="Expected constraint to be either"):
        d.transform_to.register(3, lambda constraint: d.ExpTransform())
    del d.transform_to._registry[Even]


def test_a_vector_becomes_a_triangle_and_back() -> None:
    vector = torch.arange(6.0)
    matrix = d.utils.vec_to_tril_matrix(vector, -1)
    assert matrix.shape == (4, 4)
    assert d.utils.tril_matrix_to_vec(matrix, -1).tolist() == vector.tolist()
    with pytest.raises(ValueError, match="cannot be expressed"):
        d.utils.vec_to_tril_matrix(torch.arange(5.0))


def test_modules_have_pytorchs_names() -> None:
    for module, name in [("normal", "Normal"), ("studentT", "StudentT"), ("kl", "kl_divergence")]:
        found = importlib.import_module(f"pellucid.distributions.{module}")
        assert getattr(found, name) is getattr(d, name)


def test_importing_pellucid_does_not_load_distributions() -> None:
    program = (
        "import sys, pellucid; before = 'pellucid.distributions' in sys.modules;"
        "pellucid.distributions.Normal; print(before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
