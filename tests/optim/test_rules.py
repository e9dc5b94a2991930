"""Rules of the optimizers against their plain definitions, and derivatives through steps."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch
from pellucid import optim
from pellucid.optim import operands
from tests.samples.grouped import together

RECORDED = ["SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop", "Adagrad", "Adadelta"]


def run(make, gradients, start):
    """Return the parameter after one step along each gradient."""
    w = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    optimizer = make([w])
    for gradient in gradients:
        w.grad = torch.tensor(gradient, dtype=torch.float64)
        optimizer.step()
    return w.detach().numpy(), optimizer.state[w]


@pytest.fixture
def gradients():
    return list(np.random.default_rng(5).standard_normal((7, 3)))


START = [1.0, -2.0, 0.5]


def test_adamax_divides_by_a_decaying_maximum(gradients) -> None:
    w, mean, largest = np.array(START), 0.0, 0.0
    for step, gradient in enumerate(gradients, 1):
        mean = 0.9 * mean + 0.1 * gradient
        largest = np.maximum(0.7 * largest, np.abs(gradient) + 1e-8)
        w = w - 0.1 / (1 - 0.9**step) * mean / largest
    found, _ = run(lambda p: optim.Adamax(p, lr=0.1, betas=(0.9, 0.7)), gradients, START)
    np.testing.assert_allclose(found, w, rtol=1e-9)


def test_nadam_looks_one_step_ahead(gradients) -> None:
    w, mean, square, product = np.array(START), 0.0, 0.0, 1.0
    weights = [0.9 * (1 - 0.5 * 0.96 ** (step * 0.1)) for step in range(1, 9)]
    for step, gradient in enumerate(gradients, 1):
        weight, following = weights[step - 1], weights[step]
        product *= weight
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        ahead = following * mean / (1 - product * following)
        direction = ahead + (1 - weight) * gradient / (1 - product)
        w = w - 0.1 * direction / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    found, _ = run(
        lambda p: optim.NAdam(p, lr=0.1, betas=(0.9, 0.99), momentum_decay=0.1), gradients, START
    )
    np.testing.assert_allclose(found, w, rtol=1e-6)  # the product is kept in float32


def test_radam_follows_the_mean_alone_until_the_variance_can_be_told(gradients) -> None:
    w, mean, square = np.array(START), 0.0, 0.0
    longest = 2 / (1 - 0.9) - 1
    for step, gradient in enumerate(gradients, 1):
        mean = 0.8 * mean + 0.2 * gradient
        square = 0.9 * square + 0.1 * gradient**2
        direction = mean / (1 - 0.8**step)
        length = longest - 2 * step * 0.9**step / (1 - 0.9**step)
        if length > 5:
            shrunk = (length - 4) * (length - 2) * longest
            factor = np.sqrt(shrunk / ((longest - 4) * (longest - 2) * length))
            direction = factor * direction * np.sqrt(1 - 0.9**step) / (np.sqrt(square) + 1e-8)
        w = w - 0.1 * direction
    found, _ = run(lambda p: optim.RAdam(p, lr=0.1, betas=(0.8, 0.9)), gradients, START)
    np.testing.assert_allclose(found, w, rtol=1e-9)


def test_rprop_grows_steps_that_agree_and_takes_back_those_that_turn() -> None:
    found, state = run(
        lambda p: optim.Rprop(p, lr=0.1, etas=(0.5, 2.0), step_sizes=(0.01, 0.3)),
        [[1.0, 1.0], [5.0, -1.0], [5.0, -1.0], [5.0, -1.0]],
        [0.0, 0.0],
    )
    # growing: 0.1, 0.2, 0.3 (the greatest), 0.3; turning: 0.1, none, 0.05 back, 0.1 back
    np.testing.assert_allclose(found, [-0.9, -0.1 + 0.05 + 0.1])
    np.testing.assert_allclose(state["step_size"].numpy(), [0.3, 0.1])


def test_asgd_averages_once_t0_has_passed(gradients) -> None:
    w, rate, visited = np.array(START), 0.1, []
    for step, gradient in enumerate(gradients, 1):
        w = w * (1 - 0.01 * rate) - rate * gradient
        rate = 0.1 / (1 + 0.01 * 0.1 * step) ** 0.75
        visited.append(w)
    found, state = run(lambda p: optim.ASGD(p, lr=0.1, lambd=0.01, t0=3), gradients, START)
    np.testing.assert_allclose(found, w, rtol=1e-6)  # the rate is kept in float32
    np.testing.assert_allclose(state["ax"].numpy(), np.mean(visited[4:], axis=0), rtol=1e-6)


def test_adafactor_keeps_one_number_for_each_row_and_each_column() -> None:
    random = np.random.default_rng(1)
    start, gradient = random.standard_normal((2, 3, 4))
    square = gradient**2
    rows, columns = square.mean(1, keepdims=True), square.mean(0, keepdims=True)
    step = gradient / np.sqrt(rows * columns / rows.mean())
    step /= max(1, np.sqrt((step**2).mean()))
    expected = start - 0.1 * np.sqrt((start**2).mean()) * step
    found, state = run(lambda p: optim.Adafactor(p, lr=0.1), [gradient], start)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert state["row_var"].shape == (3, 1)
    assert state["col_var"].shape == (1, 4)


def test_adafactor_of_a_vector_divides_by_the_gradients_size() -> None:
    found, state = run(lambda p: optim.Adafactor(p, lr=0.1), [[3.0, -0.2]], [1.0, 7.0])
    np.testing.assert_allclose(found, [1.0 - 0.5, 7.0 + 0.5])  # a tenth of the size, which is 5
    assert set(state) == {"step", "variance"}


@pytest.mark.parametrize("shape", [(4, 4), (6, 3), (3, 6)])
def test_muon_makes_all_singular_values_of_a_step_alike(shape) -> None:
    random = np.random.default_rng(2)
    start, gradient = random.standard_normal((2, *shape))
    found, _ = run(lambda p: optim.Muon(p, lr=1.0, weight_decay=0.0), [gradient], start)
    factor = np.sqrt(max(1, shape[0] / shape[1]))
    left, values, right = np.linalg.svd((start - found) / factor, full_matrices=False)
    assert (values > 0.6).all()
    assert (values < 1.25).all()
    u, _, v = np.linalg.svd(gradient, full_matrices=False)
    np.testing.assert_allclose(left @ right, u @ v, atol=1e-6)


def test_muon_is_for_matrices() -> None:
    with pytest.raises(ValueError, match=r"only supports 2D parameters .* found a parameter"):
        optim.Muon([torch.zeros(3, requires_grad=True)])
    w = torch.zeros(2, 2, requires_grad=True)
    optimizer = optim.Muon([w], ns_steps=100)
    w.grad = torch.ones(2, 2)
    with pytest.raises(ValueError, match="Number of steps must be less than 100"):
        optimizer.step()


@pytest.mark.parametrize("make", [optim.Adafactor, optim.Muon])
def test_rules_for_real_numbers_refuse_complex_ones(make) -> None:
    w = torch.zeros(2, 2, dtype=torch.complex64, requires_grad=True)
    w.grad = torch.ones(2, 2, dtype=torch.complex64)
    with pytest.raises(RuntimeError, match="does not support complex parameters"):
        make([w]).step()


@pytest.mark.parametrize("name", ["SGD", "Adam", "Adamax", "NAdam", "RAdam", "Rprop", "ASGD"])
def test_going_up_is_going_down_the_negative(name: str, gradients) -> None:
    make = getattr(optim, name)
    up, _ = run(lambda p: make(p, maximize=True), gradients, START)
    down, _ = run(make, [-gradient for gradient in gradients], START)
    np.testing.assert_array_equal(up, down)


# ---- steps that are recorded -------------------------------------------------------------------


def unrolled(name: str, start, lr=0.05, **options):
    """Return a loss after three recorded steps."""
    param = start.clone()
    optimizer = getattr(optim, name)([param], lr=lr, differentiable=True, **options)
    for _ in range(3):
        value = param.clone()
        (param.grad,) = torch.autograd.grad((value**3).sum(), value, create_graph=True)
        optimizer.step()
    return (param**2).sum()


@pytest.mark.parametrize("name", [*RECORDED, "ASGD"])
def test_gradients_flow_through_steps(name: str) -> None:
    start = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: unrolled(name, x), (start,))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("SGD", {"momentum": 0.9, "nesterov": True}),
        ("SGD", {"momentum": 0.9, "dampening": 0.5, "maximize": True, "weight_decay": 0.1}),
        ("Adam", {"amsgrad": True}),
        ("RMSprop", {"centered": True, "momentum": 0.9}),
        ("RAdam", {"betas": (0.8, 0.9)}),
    ],
)
def test_gradients_flow_through_steps_with_options(name: str, options) -> None:
    start = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: unrolled(name, x, **options), (start,))


@pytest.mark.parametrize("name", RECORDED)
def test_gradients_flow_to_the_learning_rate(name: str) -> None:
    start = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)
    rate = torch.tensor(0.05, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda lr: unrolled(name, start, lr), (rate,))


@together()
@pytest.mark.parametrize("name", [*RECORDED, "ASGD", "Rprop"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_recorded_steps_go_the_same_way(name: str, dtype) -> None:
    found = []
    for differentiable in (False, True):
        param = torch.tensor([1.0, -2.0, 0.5], dtype=dtype)
        optimizer = getattr(optim, name)([param], differentiable=differentiable)
        for gradient in ([1.0, 2.0, -3.0], [0.5, -2.0, -1.0], [0.0, 1.0, 1.0]):
            param.grad = torch.tensor(gradient, dtype=dtype)
            optimizer.step()
        found.append(param.numpy())
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)


def test_foreach_is_not_recorded() -> None:
    w = torch.ones(2)
    w.grad = torch.ones(2)
    with pytest.raises(AssertionError, match="_foreach ops don't support autograd"):
        optim.SGD([w], foreach=True, differentiable=True).step()


@pytest.mark.parametrize("name", ["Adamax", "NAdam", "RAdam", "Adagrad", "Rprop", "ASGD"])
def test_an_interrupted_step_leaves_equal_counts(name: str, monkeypatch) -> None:
    params = [torch.ones(2, requires_grad=True) for _ in range(3)]
    optimizer = getattr(optim, name)(params)
    for param in params:
        param.grad = torch.ones(2)
    usual = operands.Arrays.gradient

    def interrupted(param, gradient, group):
        if param is params[1]:
            raise KeyboardInterrupt
        return usual(param, gradient, group)

    monkeypatch.setattr(operands.Arrays, "gradient", staticmethod(interrupted))
    with pytest.raises(KeyboardInterrupt):
        optimizer.step()
    assert [optimizer.state[param]["step"].item() for param in params] == [1, 1, 1]
