"""A test of whether a model can learn: what holds, and each fault by its name."""

from __future__ import annotations

from typing import Any

import pytest

import pellucid as torch
from pellucid import nn
from pellucid.testing import assert_trains

torch.manual_seed(0)
INPUT = torch.randn(16, 6)
LABELS = torch.randint(0, 3, (16,))


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(6, 8), nn.Linear(8, 3)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: Any) -> Any:
        return self.last(self.dropout(self.between(self.first(x))))

    def between(self, h: Any) -> Any:
        return h.relu()


def test_sound_models_train_and_stay_as_they_are() -> None:
    model = Net()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    assert_trains(model, (INPUT, LABELS))
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert all(each.grad is None for each in model.parameters())
    assert_trains(nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 1)), INPUT)
    assert_trains(nn.Linear(6, 2), (INPUT, torch.randn(16, 2)))


class Cut(Net):
    def between(self, h: Any) -> Any:
        shown = h.detach()
        assert shown.shape == h.shape
        return h.relu().detach()


class Silent(Net):
    def between(self, h: Any) -> Any:
        return torch.relu(h - 1000)


class Mixed(Net):
    def between(self, h: Any) -> Any:
        return h - h.mean(0)


class Restless(Net):
    def between(self, h: Any) -> Any:
        return h + torch.randn_like(h)


class Broken(Net):
    def between(self, h: Any) -> Any:
        return (h * 0).log()


FAULTS: dict[str, tuple[type[Net], str]] = {
    "cut off": (Cut, "return h.relu().detach()"),
    "dead": (Silent, "the gradient of first.weight is zero everywhere"),
    "rows that mix": (Mixed, "row 0 of the output depends on row"),
    "not the same twice": (Restless, "in eval mode the model gives something else each time"),
    "not finite": (Broken, "the gradient of first.weight is not finite"),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_is_named(kind: str) -> None:
    model, text = FAULTS[kind]
    with pytest.raises(AssertionError, match="the model does not train") as caught:
        assert_trains(model(), (INPUT, LABELS))
    assert text in str(caught.value)


def test_a_loss_that_does_not_fall_is_told() -> None:
    with pytest.raises(AssertionError, match="the loss does not fall"):
        assert_trains(nn.Linear(6, 3), (INPUT, LABELS), lr=0.0)


def test_a_loss_without_history_is_told() -> None:
    model = nn.Linear(6, 3).requires_grad_(False)
    with pytest.raises(AssertionError, match="does not require grad"):
        assert_trains(model, (INPUT, LABELS))


def test_only_a_module_is_tried() -> None:
    with pytest.raises(TypeError, match="assert_trains\\(\\) takes a module, not function"):
        assert_trains(lambda x: x, INPUT)
