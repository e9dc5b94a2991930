"""Several threads train the same parameters: each step reads every gradient once."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid import nn
from pellucid.tensors import Tensor

_SLOT: Any = next(each.__dict__["_grad"] for each in Tensor.__mro__ if "_grad" in each.__dict__)


class Vanishing(nn.Parameter):
    """A parameter whose gradient another thread takes away as soon as it was read once."""

    @property
    def _grad(self) -> Any:
        gradient = _SLOT.__get__(self)
        _SLOT.__set__(self, None)
        return gradient

    @_grad.setter
    def _grad(self, value: Any) -> None:
        _SLOT.__set__(self, value)


DENSE = {
    "sgd": lambda p: torch.optim.SGD(p, 0.1),
    "sgd-momentum": lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, weight_decay=0.1),
    "sgd-recorded": lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, differentiable=True),
    "adam": lambda p: torch.optim.Adam(p, 0.1),
    "adam-foreach": lambda p: torch.optim.Adam(p, 0.1, foreach=True, amsgrad=True),
    "adam-fused": lambda p: torch.optim.Adam(p, 0.1, fused=True),
    "adam-recorded": lambda p: torch.optim.Adam(p, 0.1, differentiable=True, maximize=True),
    "adamw": lambda p: torch.optim.AdamW(p, 0.1),
    "adamax": lambda p: torch.optim.Adamax(p, 0.1),
    "nadam": lambda p: torch.optim.NAdam(p, 0.1),
    "nadam-decoupled": lambda p: torch.optim.NAdam(
        p, 0.1, weight_decay=0.1, decoupled_weight_decay=True
    ),
    "radam": lambda p: torch.optim.RAdam(p, 0.1),
    "adagrad": lambda p: torch.optim.Adagrad(p, 0.1),
    "adadelta": lambda p: torch.optim.Adadelta(p, 0.1),
    "rmsprop": lambda p: torch.optim.RMSprop(p, 0.1, centered=True, momentum=0.5),
    "rprop": lambda p: torch.optim.Rprop(p, 0.1),
    "asgd": lambda p: torch.optim.ASGD(p, 0.1),
    "adafactor": lambda p: torch.optim.Adafactor(p, 0.1),
    "muon": lambda p: torch.optim.Muon(p, 0.1),
}
SPARSE = {
    "sgd": lambda p: torch.optim.SGD(p, 0.1, momentum=0.9),
    "adagrad": lambda p: torch.optim.Adagrad(p, 0.1),
    "sparse adam": lambda p: torch.optim.SparseAdam(p, 0.1),
}


def with_gradient(kind: type[nn.Parameter]) -> Any:
    param = kind(torch.tensor([[1.0, -2.0, 3.0], [0.5, 0.25, -4.0]]))
    param.grad = torch.tensor([[0.5, 1.0, -1.0], [2.0, -3.0, 0.125]])
    return param


def with_sparse_gradient(kind: type[nn.Parameter]) -> Any:
    param = kind(torch.ones(4, 2))
    values = torch.tensor([[1.0, 2.0], [3.0, 4.0], [0.5, 0.5]])
    param.grad = torch.sparse_coo_tensor([[2, 0, 2]], values, (4, 2))
    return param


def stepped(param: Any, make: Any) -> Any:
    make([param]).step()
    return param.detach().numpy().copy()


@pytest.mark.parametrize("name", DENSE)
def test_a_gradient_that_disappears_during_a_step_counts_as_it_was_read(name):
    learns = not name.endswith("recorded")  # a recorded step may not change a leaf
    expected = stepped(with_gradient(nn.Parameter).requires_grad_(learns), DENSE[name])
    param = with_gradient(Vanishing).requires_grad_(learns)
    before = param._version
    assert np.array_equal(stepped(param, DENSE[name]), expected)
    assert param._version > before or param._storage is None


@pytest.mark.parametrize("name", SPARSE)
def test_a_sparse_gradient_that_disappears_counts_as_it_was_read(name):
    expected = stepped(with_sparse_gradient(nn.Parameter), SPARSE[name])
    assert np.array_equal(stepped(with_sparse_gradient(Vanishing), SPARSE[name]), expected)


@pytest.mark.parametrize("line_search", [None, "strong_wolfe"])
def test_lbfgs_reads_a_gradient_once_in_each_evaluation(line_search):
    def run(kind: type[nn.Parameter]) -> Any:
        param = kind(torch.tensor([3.0, -2.0]))

        def closure() -> Any:
            param.grad = 2 * param.detach()
            return (param.detach() ** 2).sum()

        torch.optim.LBFGS([param], line_search_fn=line_search).step(closure)
        return param.detach().numpy().copy()

    assert np.array_equal(run(Vanishing), run(nn.Parameter))


@pytest.mark.parametrize("set_to_none", [True, False])
def test_gradients_that_disappear_while_they_are_cleared_are_left_alone(set_to_none):
    torch.optim.SGD([with_gradient(Vanishing)]).zero_grad(set_to_none)
    module = nn.Module()
    module.weight = with_gradient(Vanishing)
    module.zero_grad(set_to_none)
    gradient = Tensor.grad.__get__(module.weight)
    assert gradient is None or not gradient.any()


@pytest.mark.parametrize(
    "clip",
    [
        lambda p: nn.utils.clip_grad_norm_(p, 0.5),
        lambda p: nn.utils.clip_grad_value_(p, 0.5),
        lambda p: nn.utils.clip_grads_with_norm_(p, 0.5, torch.tensor(2.0)),
    ],
)
def test_a_gradient_that_disappears_is_clipped_as_it_was_read(clip):
    param, gone = with_gradient(nn.Parameter), with_gradient(Vanishing)
    gradient = _SLOT.__get__(gone)
    clip([param])
    clip([gone])
    assert np.array_equal(gradient.numpy(), param.grad.numpy())


def test_a_scaler_unscales_what_it_read():
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    scaler.scale(torch.ones(()))
    param = with_gradient(Vanishing)
    gradient = _SLOT.__get__(param)
    scaler.unscale_(torch.optim.SGD([param]))
    assert gradient[0, 0] == 0.125


def test_a_gradient_that_disappears_while_a_pass_adds_to_it_is_the_one_added_to():
    param = with_gradient(Vanishing)
    gradient = _SLOT.__get__(param)
    with torch.autograd.set_detect_anomaly(False):
        (param * 1).sum().backward()
    assert gradient[0, 0] == 1.5


def test_threads_that_train_one_model_fail_in_no_step():
    torch.manual_seed(0)
    model = nn.Linear(3, 1)
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    failed: list[BaseException] = []

    def train() -> None:
        optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.5)
        try:
            for _ in range(60):
                optimizer.zero_grad()
                ((model(x) - y) ** 2).mean().backward()
                optimizer.step()
        except Exception as error:  # noqa: BLE001 - whatever it is, the test fails with it
            failed.append(error)

    threads = [threading.Thread(target=train) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert all(bool(torch.isfinite(each).all()) for each in model.parameters())
