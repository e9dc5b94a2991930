"""A question on ``retain_variables`` in a style-transfer program, and its two answers."""

from __future__ import annotations

from typing import Any

import pytest

import pellucid as torch
from pellucid.inspect import graph

AGAIN = "Trying to backward through the graph a second time"
nn = torch.nn


class ContentLoss(nn.Module):
    """Measure how far a layer's features are from a target's, and pass them on."""

    def __init__(self, target: Any, weight: float) -> None:
        super().__init__()
        self.target = target.detach() * weight
        self.weight = weight
        self.criterion = nn.MSELoss()

    def forward(self, input: Any) -> Any:
        self.loss = self.criterion(input * self.weight, self.target)
        self.output = input
        return self.output

    def backward(self, **keep: Any) -> Any:
        self.loss.backward(**keep)
        return self.loss


@pytest.fixture
def image() -> Any:
    torch.manual_seed(0)
    return torch.rand(1, 3, 4, 4, requires_grad=True)


def test_retain_variables_is_an_unknown_argument_today(image: Any) -> None:
    # it was the name of retain_graph until 2017
    layer = ContentLoss(torch.zeros(1, 3, 4, 4), 2.0)
    layer(image * image)
    with pytest.raises(TypeError, match="unexpected keyword argument 'retain_variables'"):
        layer.backward(retain_variables=True)
    assert image.grad is None


def test_losses_inside_one_network_run_in_turn_with_retain_graph(image: Any) -> None:
    first = ContentLoss(torch.zeros(1, 3, 4, 4), 1.0)
    second = ContentLoss(torch.ones(1, 3, 4, 4), 0.5)
    out = second(torch.tanh(first(image * image)))
    first.backward(retain_graph=True)
    second.backward(retain_graph=True)
    in_turn = image.grad.clone()
    image.grad = None
    (first.loss + second.loss).backward()
    assert out.shape == image.shape
    assert torch.allclose(in_turn, image.grad)


def test_losses_inside_one_network_fail_in_turn_without_it(image: Any) -> None:
    first = ContentLoss(torch.zeros(1, 3, 4, 4), 1.0)
    second = ContentLoss(torch.ones(1, 3, 4, 4), 0.5)
    second(torch.tanh(first(image * image)))
    first.backward()
    with pytest.raises(RuntimeError, match=AGAIN):
        second.backward()


def test_the_features_pass_through_the_loss_unchanged(image: Any) -> None:
    layer = ContentLoss(torch.zeros(1, 3, 4, 4), 2.0)
    assert layer(image) is image


def test_the_detached_target_gets_no_gradient(image: Any) -> None:
    target = torch.ones(1, 3, 4, 4, requires_grad=True)
    layer = ContentLoss(target, 2.0)
    layer(image)
    layer.backward()
    assert target.grad is None
    assert image.grad is not None


# ---- one trunk of convolutions and two heads: is there a cat, is there a car? ----


class CatAndCar(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Conv2d(2, 2, 3), nn.ReLU(), nn.Flatten()
        )
        self.cat = nn.Sequential(nn.Linear(8, 4), nn.Tanh(), nn.Linear(4, 1))
        self.car = nn.Sequential(nn.Linear(8, 4), nn.Tanh(), nn.Linear(4, 1))

    def forward(self, images: Any) -> tuple[Any, Any]:
        features = self.trunk(images)
        return self.cat(features), self.car(features)


def network() -> Any:
    torch.manual_seed(1)
    return CatAndCar()


def two_losses(net: Any, count: int = 6) -> tuple[Any, Any]:
    generator = torch.Generator().manual_seed(2)
    images = torch.rand(count, 1, 6, 6, generator=generator)
    answer = torch.rand(count, 1, generator=generator)
    is_cat, is_car = net(images)
    return ((is_cat - answer) ** 2).sum(), ((is_car - answer) ** 2).sum()


def gradients(net: Any) -> list[Any]:
    return [each.grad for each in net.parameters()]


def test_the_sum_of_both_losses_is_run_in_one_pass() -> None:
    net = network()
    cat, car = two_losses(net)
    (cat + car).backward()
    assert all(grad is not None for grad in gradients(net))


def test_the_second_head_finds_the_trunk_freed() -> None:
    cat, car = two_losses(network())
    cat.backward()
    with pytest.raises(RuntimeError, match=AGAIN):
        car.backward()


@pytest.mark.parametrize("kept", ["all", "car"])
def test_the_second_head_runs_if_the_first_retains(kept: str) -> None:
    together = network()
    cat, car = two_losses(together)
    (cat + car).backward()
    net = network()
    cat, car = two_losses(net)
    cat.backward(retain_graph=True if kept == "all" else car)
    car.backward()
    for one, other in zip(gradients(net), gradients(together), strict=True):
        assert torch.allclose(one, other, atol=1e-6)


def test_keeping_what_the_other_head_needs_frees_the_first_head_at_once() -> None:
    cat, car = two_losses(network())
    everything = graph(cat, car).held_bytes
    cat.backward(retain_graph=car)
    between = graph(cat, car)
    heads = {node.module.partition(".")[0] for node in between.nodes if node.freed_by is not None}
    assert "cat" in heads
    assert not heads & {"trunk", "car"}
    assert 0 < between.held_bytes < everything


def test_a_graph_that_every_pass_retains_keeps_its_memory() -> None:
    cat, car = two_losses(network())
    before = graph(cat, car).held_bytes
    cat.backward(retain_graph=True)
    car.backward(retain_graph=True)
    assert graph(cat, car).held_bytes == before > 0


def test_a_last_pass_that_does_not_retain_frees_it() -> None:
    cat, car = two_losses(network())
    cat.backward(retain_graph=True)
    car.backward()
    cat_only = [node for node in graph(car).nodes if node.state == "live"]
    assert cat_only == []


def test_passes_add_to_the_gradients_in_place() -> None:
    net = network()
    two_losses(net)[0].backward()
    first = net.trunk[0].weight.grad
    once = first.clone()
    two_losses(net)[0].backward()
    assert net.trunk[0].weight.grad is first
    assert torch.allclose(first, 2 * once)


def test_a_batch_one_by_one_gives_the_gradient_of_the_whole_batch() -> None:
    whole, parts = network(), network()
    images = torch.rand(4, 1, 6, 6)
    sum(whole(images)).sum().backward()
    for image in images:
        sum(parts(image.unsqueeze(0))).sum().backward()
    for one, other in zip(gradients(parts), gradients(whole), strict=True):
        assert torch.allclose(one, other, atol=1e-5)
