"""Each fault is found, with its line; the programs are those of everyday."""

from __future__ import annotations

from typing import Any

import pytest

import pellucid as torch
from pellucid import nn
from pellucid.inspect import Finding, checking
from pellucid.nn import functional as F

STEPS = 30


def samples() -> tuple[Any, Any]:
    torch.manual_seed(0)
    return torch.randn(32, 4), torch.randn(32, 1)


def mlp(activation: Any = nn.Tanh) -> Any:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(4, 8), activation(), nn.Linear(8, 1))


def train(net: Any, optimizer: Any, steps: int = STEPS, loss: Any = F.mse_loss) -> None:
    x, y = samples()
    for _ in range(steps):
        optimizer.zero_grad()
        loss(net(x), y).backward()
        optimizer.step()


def sgd(net: Any, rate: float = 0.01) -> Any:
    return torch.optim.SGD(net.parameters(), lr=rate)


def found_in(program: Any, *arguments: Any) -> Finding:
    """Return the only finding of a program."""
    with checking() as findings:
        program(*arguments)
    (finding,) = findings
    return finding


# ---- parameters and optimizers -------------------------------------------------------------------


def test_a_layer_that_no_optimizer_has() -> None:
    def program() -> None:
        net = mlp()
        optimizer = torch.optim.SGD(net[2].parameters(), lr=0.01)
        train(net, optimizer)

    finding = found_in(program)
    assert finding.kind == "a parameter in no optimizer"
    assert finding.what.startswith("Sequential.0.weight and Sequential.0.bias get gradients")
    assert finding.text == "optimizer = torch.optim.SGD(net[2].parameters(), lr=0.01)"


class Listed(nn.Module):
    """Layers in a plain list."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = [nn.Linear(4, 4) for _ in range(2)]
        self.by_name = {"out": nn.Linear(4, 1)}
        self.last = nn.Linear(1, 1)

    def forward(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x).tanh()
        return self.last(self.by_name["out"](x))


def test_layers_in_a_plain_list_or_dict() -> None:
    with checking() as findings:
        net = Listed()
        train(net, sgd(net))
    first, second = findings
    assert first.kind == second.kind == "layers in a plain container"
    assert first.what.startswith("Listed.layers[0].weight")
    assert "torch.nn.ModuleList" in first.remedy
    assert "by_name['out'].weight" in second.what
    assert "torch.nn.ModuleDict" in second.remedy


def test_a_plain_tensor_as_a_parameter() -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner, self.scale = mlp(), torch.ones(1, requires_grad=True)

        def forward(self, x: Any) -> Any:
            return self.inner(x) * self.scale

    net = Scaled()
    finding = found_in(train, net, sgd(net))
    assert finding.kind == "a tensor that is not registered"
    assert finding.what.startswith("Scaled.scale gets a gradient")


def test_a_layer_replaced_after_the_optimizer_was_made() -> None:
    def program() -> None:
        net = mlp()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
        net[2] = nn.Linear(8, 1)
        train(net, optimizer)

    finding = found_in(program)
    assert finding.kind == "a parameter replaced after the optimizer was made"
    assert finding.text == "net[2] = nn.Linear(8, 1)"
    assert "Sequential.2.weight and Sequential.2.bias" in finding.why


def test_an_optimizer_of_another_model() -> None:
    finding = found_in(train, mlp(), sgd(nn.Linear(7, 3)))
    assert finding.kind == "the loss reaches no parameter"
    assert finding.text == "loss(net(x), y).backward()"
    assert finding.step == 3


class Cut(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 1)

    def forward(self, x: Any) -> Any:
        return self.second(self.first(x).detach())


def test_a_part_cut_off_by_detach() -> None:
    net = Cut()
    finding = found_in(train, net, sgd(net))
    assert finding.kind == "a parameter without a gradient"
    assert finding.what.startswith("Cut.first.weight and Cut.first.bias have had no gradient")
    assert finding.step == 10


def test_a_short_program_is_judged_at_its_end() -> None:
    net = Cut()
    finding = found_in(train, net, sgd(net), 4)
    assert finding.kind == "a parameter without a gradient"
    assert "any of the 4 steps of SGD" in finding.what


def test_a_part_that_is_not_used() -> None:
    net = nn.ModuleDict({"used": mlp(), "unused": nn.Linear(2, 2)})

    def program() -> None:
        optimizer = sgd(net)
        train(net["used"], optimizer)

    assert found_in(program).what.startswith("net.unused.weight and net.unused.bias")


def test_gradients_cleared_before_the_step() -> None:
    def program() -> None:
        net, (x, y) = mlp(), samples()
        optimizer = sgd(net)
        for _ in range(5):
            F.mse_loss(net(x), y).backward()
            optimizer.zero_grad()
            optimizer.step()

    finding = found_in(program)
    assert finding.kind == "gradients cleared before the step"
    assert finding.text == "optimizer.zero_grad()"


def test_steps_without_any_backward_pass() -> None:
    optimizer = sgd(mlp())
    finding = found_in(lambda: [optimizer.step() for _ in range(5)])
    assert finding.kind == "no backward pass"


# ---- gradients -----------------------------------------------------------------------------------


def test_gradients_never_set_to_zero() -> None:
    def program() -> None:
        net, (x, y) = mlp(), samples()
        optimizer = sgd(net)
        for _ in range(10):
            F.mse_loss(net(x), y).backward()
            optimizer.step()

    finding = found_in(program)
    assert finding.kind == "gradients never set to zero"
    assert finding.text == "optimizer.step()"
    assert finding.step == 6


@pytest.mark.parametrize(
    ("activation", "bias", "kind"),
    [
        (nn.ReLU, -100.0, "dead units"),
        (nn.Sigmoid, 1000.0, "saturation"),
        (nn.Tanh, -1000.0, "saturation"),
        (nn.Hardtanh, 100.0, "saturation"),
    ],
)
def test_a_layer_that_lets_no_gradient_pass(activation: Any, bias: float, kind: str) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 1)
            nn.init.constant_(self.first.bias, bias)

        def forward(self, x: Any) -> Any:
            hidden = activation()(self.first(x))
            return self.second(hidden)

    net = Net()
    finding = found_in(train, net, sgd(net))
    assert finding.kind == kind
    assert finding.text == "hidden = activation()(self.first(x))"
    assert "Net.first.weight and Net.first.bias" in finding.what


def test_a_graph_that_is_kept_for_nobody() -> None:
    def program() -> None:
        net, (x, y) = mlp(), samples()
        optimizer = sgd(net)
        for _ in range(10):
            optimizer.zero_grad()
            F.mse_loss(net(x), y).backward(retain_graph=True)
            optimizer.step()

    finding = found_in(program)
    assert finding.kind == "retain_graph without need"
    assert finding.text == "F.mse_loss(net(x), y).backward(retain_graph=True)"


@pytest.mark.parametrize("of_module", [True, False])
def test_hooks_that_pile_up(of_module: bool) -> None:
    def show(*_: Any) -> None:
        pass

    def program() -> None:
        net, (x, y) = mlp(), samples()
        optimizer = sgd(net)
        for _ in range(15):
            optimizer.zero_grad()
            if of_module:
                net[0].register_forward_hook(show)
            else:
                net[0].weight.register_hook(show)
            F.mse_loss(net(x), y).backward()
            optimizer.step()

    finding = found_in(program)
    assert finding.kind == "hooks pile up"
    assert finding.what.startswith("Sequential.0 has" if of_module else "Sequential.0.weight has")
    assert finding.where == f"test_faults.py:{show.__code__.co_firstlineno}"


# ---- values --------------------------------------------------------------------------------------


def test_a_logarithm_of_zero() -> None:
    def loss(out: Any, y: Any) -> Any:
        share = out.relu() * 0
        return -(share.log() * 2).mean()

    net = mlp()
    finding = found_in(train, net, sgd(net), 1, loss)
    assert finding.what == "the loss is inf"
    assert finding.text == "return -(share.log() * 2).mean()"
    assert finding.why.startswith("log made the first inf of values from 0 to 0")
    assert "clamp(min=...)" in finding.remedy


def test_a_difference_of_infinities_names_where_the_infinity_came_up() -> None:
    def loss(out: Any, y: Any) -> Any:
        large = torch.exp(out * 0 + 100)
        return (large - large).mean()

    net = mlp()
    finding = found_in(train, net, sgd(net), 1, loss)
    assert finding.what == "the loss is nan"
    assert finding.text == "return (large - large).mean()"
    assert "large = torch.exp(out * 0 + 100)" in finding.why


def test_the_mean_of_an_empty_batch() -> None:
    def loss(out: Any, y: Any) -> Any:
        return torch.nn.functional.mse_loss(out[:0], out[:0].detach())

    net = mlp()
    finding = found_in(train, net, sgd(net), 1, loss)
    assert finding.text.startswith("return torch.nn.functional.mse_loss(")
    assert finding.why == "mse made the first nan, of no elements."
    assert "leave empty batches out" in finding.remedy


def test_a_masked_row_without_any_element() -> None:
    def loss(out: Any, y: Any) -> Any:
        masked = out.masked_fill(torch.ones_like(out) > 0, float("-inf"))
        return masked.softmax(1).sum()

    net = mlp()
    finding = found_in(train, net, sgd(net), 1, loss)
    assert finding.text == "return masked.softmax(1).sum()"
    assert finding.remedy.startswith("A row whose elements are all -inf")


@pytest.mark.parametrize(
    ("written", "remedy"),
    [
        ("(out - out).square().sum(1).sqrt().mean()", "Keep the operand above zero"),
        ("torch.where(out < 1e9, out, (out - out).log()).mean()", "where() afterwards"),
        ("((out - out).abs() ** 0.5).mean()", "Keep the base away from zero"),
    ],
)
def test_a_derivative_that_is_infinite_is_named_where_the_loss_is_finite(
    written: str, remedy: str
) -> None:
    net = mlp()
    finding = found_in(train, net, sgd(net), 1, lambda out, y: eval(written))
    assert finding.kind == "a gradient that is not finite"
    assert "has nan, and the loss has not" in finding.what
    assert "is not finite at some of its operands" in finding.why
    assert remedy in finding.remedy


def test_nan_in_the_data_is_told_from_nan_that_was_computed() -> None:
    x, y = samples()
    x[0, 0] = float("nan")

    def program() -> None:
        F.mse_loss(mlp()(x), y).backward()

    finding = found_in(program)
    assert finding.what == "the loss is nan"
    assert "input[0, 0], which linear is given here, already has nan" in finding.why


def test_looking_for_nan_draws_no_random_numbers() -> None:
    x, y = samples()
    x[0, 0] = float("nan")
    net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 1))
    out = F.mse_loss(net(x), y)
    before = torch.get_rng_state()
    with checking():
        out.backward()
    assert torch.equal(torch.get_rng_state(), before)


# ---- updates -------------------------------------------------------------------------------------


def test_a_learning_rate_that_is_far_too_high() -> None:
    net = mlp()
    finding = found_in(train, net, torch.optim.Adam(net.parameters(), lr=10.0))
    assert finding.kind == "updates far too large"
    assert finding.text == "optimizer.step()"
    assert finding.remedy.endswith("It is 10.")


def test_a_learning_rate_that_is_far_too_low() -> None:
    net = mlp()
    finding = found_in(train, net, sgd(net, 1e-12))
    assert finding.kind == "updates far too small"


def test_a_check_that_fails_is_told_once_and_does_not_disturb_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError("a mistake")

    monkeypatch.setattr("pellucid.inspect.checks.uncleared.Uncleared.step_ended", fail)
    net = mlp()
    finding = found_in(train, net, sgd(net))
    assert finding.kind == "a check that failed"
    assert finding.what == "Uncleared raised ZeroDivisionError: a mistake"
