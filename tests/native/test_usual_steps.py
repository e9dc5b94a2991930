"""Whole steps of optimizers in the compiled module do what Python does, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pellucid as torch
from pellucid import _native
from pellucid.optim import optimizer as module

pytestmark = pytest.mark.skipif(_native.compiled is None, reason="there is no module")

OPTIMIZERS: dict[str, Callable[[list[Any]], Any]] = {
    "sgd": lambda params: torch.optim.SGD(params, lr=0.1),
    "sgd of two groups": lambda params: torch.optim.SGD(
        [{"params": params[:1], "lr": 1}, {"params": params[1:], "weight_decay": 0.1}], lr=0.1
    ),
    "momentum": lambda params: torch.optim.SGD(
        params, lr=0.1, momentum=0.9, dampening=0.25, weight_decay=0.1, maximize=True
    ),
    "nesterov": lambda params: torch.optim.SGD(params, lr=0.1, momentum=0.9, nesterov=True),
    "adam": lambda params: torch.optim.Adam(params, lr=0.1, weight_decay=0.1),
    "amsgrad": lambda params: torch.optim.Adam(params, amsgrad=True, maximize=True, eps=1e-3),
    "adamw": lambda params: torch.optim.AdamW(params, lr=1, betas=(0.0, 0.5)),
    "adamw without decay": lambda params: torch.optim.AdamW(params, weight_decay=0),
    "rmsprop": lambda params: torch.optim.RMSprop(params),
    "rmsprop with momentum": lambda params: torch.optim.RMSprop(params, lr=1, momentum=0.5),
    "centred": lambda params: torch.optim.RMSprop(
        params, alpha=0.5, momentum=0.9, centered=True, weight_decay=0.1, maximize=True
    ),
    "adadelta": lambda params: torch.optim.Adadelta(params),
    "adadelta of two groups": lambda params: torch.optim.Adadelta(
        [{"params": params[:1], "rho": 0.5}, {"params": params[1:], "lr": 1}],
        eps=1e-3,
        weight_decay=0.1,
        maximize=True,
    ),
}


def params_of(dtype: Any = torch.float32) -> list[Any]:
    torch.manual_seed(0)
    shapes = ((4, 3), (), (0, 2), (5,), (200, 100))
    return [torch.randn(shape, dtype=dtype, requires_grad=True) for shape in shapes]


def seen(optimizer: Any, params: list[Any]) -> Any:
    """Return all that a step leaves: values, states, versions and what is noted of them."""
    states = [optimizer.state.get(each, {}) for each in params]
    notes = [each._storage.notes for each in params if each._storage is not None]
    return (
        [each.detach().numpy().tobytes() for each in params],
        [{name: value.numpy().tobytes() for name, value in state.items()} for state in states],
        [each._version for each in params],
        [[(note[0], note[1], note[4] and note[4]()) for note in each] for each in notes],
    )


def steps(
    make: Callable[[list[Any]], Any], act: Callable[[Any, list[Any]], Any], dtype: Any
) -> list[Any]:
    params = params_of(dtype)
    optimizer = make(params)
    found = []
    for number in range(4):
        for place, each in enumerate(params):  # one has none at first, and memory that is saved
            each.grad = None if place == 3 and number < 2 else torch.randn_like(each)
            (each * each).sum()
        if number == 2:
            act(optimizer, params)
        optimizer.step()
        found.append(seen(optimizer, params))
    return found


class Done:
    """The compiled step, or none, and how often it did one."""

    def __init__(self, wanted: bool) -> None:
        self.wanted = wanted
        self.many = 0

    def __call__(self, *args: Any) -> bool:
        assert _native.compiled is not None
        done = self.wanted and _native.compiled.step_usually(*args)
        self.many += done
        return done


def both(
    monkeypatch: pytest.MonkeyPatch, make: Any, act: Any = lambda *_: None, dtype: Any = None
) -> int:
    """Check that both ways do the same; return how many steps were made in the module."""
    results, many = [], 0
    for wanted in (False, True):
        done = Done(wanted)
        monkeypatch.setattr(module, "_step_usually", done)
        results.append(steps(make, act, dtype or torch.float32))
        many += done.many
    assert results[0] == results[1]
    return many


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_step_is_that_of_python(monkeypatch: pytest.MonkeyPatch, name: str, dtype: Any) -> None:
    many = both(monkeypatch, OPTIMIZERS[name], dtype=dtype)
    stateless = name in ("sgd", "sgd of two groups")
    assert many == (4 if stateless else 2)  # states begin in Python, for one parameter at the third


def _groups(**options: Any) -> Callable[[Any, list[Any]], Any]:
    return lambda optimizer, _: [each.update(options) for each in optimizer.param_groups]


#: changes before the third step: those with which the fourth is made in the module as without
#: them, and those with which it is left to Python
HEEDED: dict[str, Callable[[Any, list[Any]], Any]] = {
    "rate": _groups(lr=0.75),
    "decay": _groups(weight_decay=0.5),
    "maximize": _groups(maximize=True),
    "group": lambda optimizer, params: optimizer.add_param_group(
        {"params": [torch.ones(2, requires_grad=True)], "lr": 0.5}
    ),
    "order": lambda optimizer, _: optimizer.param_groups[-1]["params"].reverse(),
    "load": lambda optimizer, _: optimizer.load_state_dict(optimizer.state_dict()),
    "state": lambda optimizer, _: optimizer.state.clear(),
}
LEFT: dict[str, Callable[[Any, list[Any]], Any]] = {
    "tensor": _groups(lr=torch.tensor(0.5)),
    "tensor of float64": _groups(lr=torch.tensor(1.0, dtype=torch.float64)),
    "own update": lambda optimizer, _: setattr(optimizer, "update", lambda *_: None),
    "own writes": lambda optimizer, _: setattr(optimizer, "writes", lambda _: 3),
    "strides": lambda _, params: setattr(params[0], "data", torch.ones(3, 4).t()),
    "class": lambda optimizer, _: setattr(
        optimizer, "__class__", type("Own", (type(optimizer),), {"writes": lambda *_: 2})
    ),
}


@pytest.mark.parametrize("name", ["nesterov", "amsgrad", "adamw", "centred"])
@pytest.mark.parametrize("change", HEEDED)
def test_what_has_changed_is_heeded(
    monkeypatch: pytest.MonkeyPatch, name: str, change: str
) -> None:
    assert both(monkeypatch, OPTIMIZERS[name], HEEDED[change]) == 2


@pytest.mark.parametrize("name", ["nesterov", "amsgrad", "adamw", "centred"])
@pytest.mark.parametrize("change", LEFT)
def test_what_is_unusual_is_left_to_python(
    monkeypatch: pytest.MonkeyPatch, name: str, change: str
) -> None:
    assert both(monkeypatch, OPTIMIZERS[name], LEFT[change]) == 1
