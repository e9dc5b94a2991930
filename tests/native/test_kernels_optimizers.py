"""The compiled steps of optimizers against their formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.optim import optimizer as optimizer_module
from tests.native.kernel_samples import DTYPES, assert_close, kernels, needs_kernels

pytestmark = needs_kernels


def samples(dtype, count):
    rng = np.random.default_rng(0)
    return [rng.random((3, 12_345)).astype(dtype) for _ in range(count)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("keeps_largest", [False, True])
def test_a_step_of_adam_equals_its_formula(keeps_largest, dtype):
    param, grad, mean, square, largest = samples(dtype, 5)
    beta1, beta2, step, root, eps, decay, shrink, sign = 0.9, 0.99, 0.1, 0.3, 1e-3, 0.2, 0.7, -1.0
    g = sign * grad + decay * param
    new_mean = mean + (g - mean) * (1 - beta1)
    new_square = square * beta2 + g * g * (1 - beta2)
    most = np.maximum(new_square, largest) if keeps_largest else new_square
    expected = param * shrink - new_mean / (np.sqrt(most) / root + eps) * step
    options = (beta1, beta2, step, root, eps, decay, shrink, sign)
    kept = largest if keeps_largest else None
    assert kernels.adam_step(param, grad, mean, square, kept, *options) is None
    assert_close((param, mean, square), (expected, new_mean, new_square))
    if keeps_largest:
        assert_close(largest, most)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("nesterov", [False, True])
def test_a_step_of_sgd_equals_its_formula(nesterov, dtype):
    param, grad, average = samples(dtype, 3)
    lr, momentum, dampening, decay, sign = 0.1, 0.9, 0.0 if nesterov else 0.3, 0.2, 1.0
    g = sign * grad + decay * param
    new_average = average * momentum + g * (1 - dampening)
    expected = param - lr * (g + new_average * momentum if nesterov else new_average)
    options = (lr, momentum, dampening, decay, sign, nesterov)
    assert kernels.sgd_step(param, grad, average, *options) is None
    assert_close((param, average), (expected, new_average))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_step_of_adadelta_equals_its_formula(dtype):
    param, grad, square, steps = samples(dtype, 4)
    lr, rho, eps, decay, sign = 0.3, 0.9, 1e-3, 0.2, -1.0
    g = sign * grad + decay * param
    new_square = square * rho + g * g * (1 - rho)
    step = np.sqrt(steps + eps) / np.sqrt(new_square + eps) * g
    expected = (param - step * lr, new_square, steps * rho + step * step * (1 - rho))
    assert kernels.adadelta_step(param, grad, square, steps, lr, rho, eps, decay, sign) is None
    assert_close((param, square, steps), expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("momentum", [0.0, 0.7])
@pytest.mark.parametrize("centered", [False, True])
def test_a_step_of_rmsprop_equals_its_formula(centered, momentum, dtype):
    param, grad, mean, buffer = samples(dtype, 4)
    square = mean * mean + 1
    lr, alpha, eps, decay, sign = 0.3, 0.9, 1e-3, 0.2, 1.0
    g = sign * grad + decay * param
    new_square, new_mean = square * alpha + g * g * (1 - alpha), mean + (g - mean) * (1 - alpha)
    spread = new_square - new_mean * new_mean if centered else new_square
    step = g / (np.sqrt(spread) + eps)
    new_buffer = buffer * momentum + step
    expected = param - (new_buffer if momentum else step) * lr
    states = (square, mean if centered else None, buffer if momentum else None)
    options = (lr, alpha, eps, momentum, decay, sign)
    assert kernels.rmsprop_step(param, grad, *states, *options) is None
    assert_close((param, square), (expected, new_square))
    if centered:
        assert_close(mean, new_mean)
    if momentum:
        assert_close(buffer, new_buffer)


def test_a_step_without_momentum_needs_no_buffer():
    param, grad = samples(np.float32, 2)
    expected = param - np.float32(0.5) * grad
    assert kernels.sgd_step(param, grad, None, 0.5, 0.0, 0.0, 0.0, 1.0, False) is None
    assert_close(param, expected)


@pytest.mark.parametrize("spoil", ["gaps", "dtype", "size", "read-only"])
def test_arrays_that_cannot_be_changed_in_place_are_declined_unchanged(spoil):
    param, grad = samples(np.float32, 2)
    before = param.copy()
    other = {
        "gaps": np.zeros((3, 2 * 12_345), np.float32)[:, ::2],
        "dtype": np.zeros((3, 12_345)),
        "size": np.zeros(7, np.float32),
        "read-only": np.broadcast_to(np.float32(0), param.shape),
    }[spoil]
    options = (0.5, 0.9, 0.0, 0.0, 1.0, False)
    assert kernels.sgd_step(param, grad, other, *options) is NotImplemented
    assert np.array_equal(param, before)


def test_changes_are_noted_as_python_notes_them(monkeypatch):
    def noted() -> Any:
        model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))
        unused, never_saved = torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(2))
        pieces = torch.ones(4, requires_grad=True)
        params = [*model.parameters(), unused, never_saved, pieces]
        optimizer = torch.optim.SGD([{"params": params[:2]}, {"params": params[2:]}], lr=0.1)
        for _ in range(6):
            first, _ = pieces.split(2)
            (model(torch.ones(5, 2)) * first).sum().backward()
            never_saved.grad = torch.ones(2)
            optimizer.step()
        storages = [param._storage for param in params if param._storage is not None]
        changes = [(c.op, c.version, c.site.text, c.detail) for s in storages for c in s.changes]
        counts = [storage.version for storage in storages]
        return [(*change, detail and detail()) for *change, detail in changes], counts

    compiled = noted()
    monkeypatch.setattr(optimizer_module, "_note_step", lambda *_: NotImplemented)
    assert compiled == noted()
    assert len(compiled[0]) > 20
