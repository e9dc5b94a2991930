"""``inspect.check`` looks at one moment, and changes nothing."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid import nn
from pellucid.inspect import check


def mlp() -> Any:
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))


def sgd(*modules: Any) -> Any:
    return torch.optim.SGD([p for each in modules for p in each.parameters()], lr=0.1)


def test_nothing_is_found_in_a_model_that_trains_before_and_after_backward() -> None:
    net = mlp()
    loss, optimizer = net(torch.ones(3, 4)).sum(), sgd(net)
    assert len(check(net, loss, optimizer)) == 0
    loss.backward()
    assert len(check(net, loss, optimizer)) == 0
    optimizer.step()
    findings = check(net, loss, optimizer)
    assert len(findings) == 0, str(findings)


def test_several_optimizers_count_together() -> None:
    net = mlp()
    loss = net(torch.ones(3, 4)).sum()
    assert len(check(net, loss, [sgd(net[0]), sgd(net[2])])) == 0
    (finding,) = check(net, loss, [sgd(net[2])])
    assert finding.kind == "a parameter in no optimizer"


def test_a_loss_that_is_cut_off_reaches_nothing() -> None:
    net = mlp()
    loss = net(torch.ones(3, 4)).detach().sum()
    assert [each.kind for each in check(net, loss, sgd(net))] == ["the loss reaches no parameter"]


def test_parameters_that_the_loss_does_not_depend_on_are_named() -> None:
    net = mlp()
    loss = net[2](net[0](torch.ones(3, 4)).detach()).sum()
    (finding,) = check(net, loss, sgd(net))
    assert finding.what == "the loss does not depend on Sequential.0.weight and Sequential.0.bias"


def test_parameters_of_an_optimizer_that_the_model_no_longer_has() -> None:
    net = mlp()
    optimizer = sgd(net)
    net[2] = nn.Linear(8, 1)
    kinds = [each.kind for each in check(net, net(torch.ones(3, 4)).sum(), optimizer)]
    assert kinds == [
        "a parameter in no optimizer",
        "a parameter replaced after the optimizer was made",
    ]


def test_a_dead_layer_is_seen_in_the_graph() -> None:
    net = mlp()
    nn.init.constant_(net[0].bias, -100.0)
    (finding,) = check(net, net(torch.ones(3, 4)).sum(), sgd(net))
    assert finding.kind == "dead units"


def test_weights_and_gradients_that_are_not_finite() -> None:
    net = mlp()
    optimizer, loss = sgd(net), net(torch.ones(3, 4)).sum()
    loss.backward()
    assert net[0].bias.grad is not None
    net[0].bias.grad[0] = float("inf")
    assert [each.what for each in check(net, loss, optimizer)] == [
        "the gradient of Sequential.0.bias"
    ]


def test_other_arguments_are_refused() -> None:
    net = mlp()
    with pytest.raises(TypeError, match="takes an optimizer here, not int"):
        check(net, net(torch.ones(1, 4)).sum(), 3)


def test_looking_changes_nothing() -> None:
    net = mlp()
    x = torch.ones(3, 4)
    hidden = net[0](x)
    kept: list[str] = []
    hidden.register_hook(lambda g: kept.append("hook"))
    loss, optimizer = net[2](net[1](hidden)).sum(), sgd(net)
    watched = [x, hidden, loss, *net.parameters()]
    versions = [each._version for each in watched]
    counts = [sys.getrefcount(each) for each in watched]
    check(net, loss, optimizer)
    assert [each._version for each in watched] == versions
    assert [sys.getrefcount(each) for each in watched] == counts
    assert kept == []
    loss.backward()
    assert kept == ["hook"]
    np.testing.assert_allclose(net[2].bias.grad.numpy(), [3.0])


def test_a_freed_graph_and_packed_values_are_looked_at_without_unpacking() -> None:
    net, unpacked = mlp(), []

    def unpack(tensor: Any) -> Any:
        unpacked.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, unpack):
        loss = net(torch.ones(3, 4)).sum()
    nn.init.constant_(net[0].bias, -100.0)
    check(net, loss, sgd(net))
    assert unpacked == []


class CutInForward(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner, self.outer = nn.Linear(4, 4), nn.Linear(4, 1)

    def forward(self, x: Any) -> Any:
        h = self.inner(x)
        h = h.detach()
        return self.outer(h)


def test_a_cut_inside_of_forward_is_named() -> None:
    net = CutInForward()
    (finding,) = check(net, net(torch.ones(3, 4)).sum(), sgd(net))
    assert finding.kind == "a parameter without a gradient"
    assert finding.text == "h = h.detach()"
    assert "cut off there, by detach()" in finding.why


def test_a_cut_inside_of_forward_is_named_after_some_steps() -> None:
    torch.manual_seed(0)
    net = CutInForward()
    optimizer = sgd(net)
    with torch.inspect.checking() as findings:
        for _ in range(11):
            optimizer.zero_grad()
            (net(torch.ones(3, 4)) ** 2).sum().backward()
            optimizer.step()
    (finding,) = findings
    assert (finding.kind, finding.text) == ("a parameter without a gradient", "h = h.detach()")


class LogOfTwoLess(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return torch.log(x - 2)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad


class NanBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 1

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * float("nan")


def test_a_custom_function_that_makes_nan_is_named() -> None:
    net = nn.Linear(2, 2)
    logs = LogOfTwoLess.apply(net(torch.zeros(3, 2)))
    (finding,) = check(net, (logs * 2).sum(), sgd(net))
    assert finding.text == "logs = LogOfTwoLess.apply(net(torch.zeros(3, 2)))"
    assert finding.why.startswith("LogOfTwoLessBackward, a custom function,")


def test_a_custom_function_whose_backward_makes_nan_is_named() -> None:
    net = nn.Linear(2, 2)
    optimizer = sgd(net)
    with torch.inspect.checking() as findings:
        out = NanBackward.apply(net(torch.ones(3, 2)))
        (out**2).sum().backward()
        optimizer.step()
    assert findings[0].text == "out = NanBackward.apply(net(torch.ones(3, 2)))"
