"""GradScaler: scaled losses, steps left out where gradients overflow, and the scale itself."""

from __future__ import annotations

import math
import pickle
from typing import Any

import pytest

import pellucid as torch


def parts(**options: Any) -> tuple[Any, Any, Any]:
    weight = torch.tensor([1.0, -2.0], requires_grad=True)
    return weight, torch.optim.SGD([weight], lr=0.25), torch.amp.GradScaler("cpu", **options)


def test_a_step_is_that_of_the_loss_without_scale() -> None:
    weight, optimizer, scaler = parts()
    loss = scaler.scale((weight * weight).sum())
    assert loss.item() == 5 * 2.0**16
    loss.backward()
    scaler.step(optimizer)
    assert weight.tolist() == [0.5, -1.0]


def test_unscaled_gradients_can_be_read_before_the_step() -> None:
    weight, optimizer, scaler = parts()
    scaler.scale((weight * weight).sum()).backward()
    scaler.unscale_(optimizer)
    assert weight.grad.tolist() == [2.0, -4.0]
    scaler.step(optimizer)
    assert weight.tolist() == [0.5, -1.0]


@pytest.mark.parametrize("factor", [math.inf, math.nan])
def test_a_step_with_a_gradient_that_is_not_finite_is_left_out(factor: float) -> None:
    weight, optimizer, scaler = parts(init_scale=8.0)
    scaler.scale((weight * factor).sum()).backward()
    assert scaler.step(optimizer) is None
    scaler.update()
    assert weight.tolist() == [1.0, -2.0]
    assert scaler.get_scale() == 4.0


def test_the_scale_grows_after_steps_without_overflow() -> None:
    weight, optimizer, scaler = parts(init_scale=8.0, growth_interval=2, growth_factor=3.0)
    scales = []
    for factor in (1.0, 1.0, 1.0, math.inf, 1.0, 1.0):
        optimizer.zero_grad()
        scaler.scale((weight * factor).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        scales.append(scaler.get_scale())
    assert scales == [8.0, 24.0, 24.0, 12.0, 12.0, 36.0]


def test_the_scale_stays_finite() -> None:
    weight, optimizer, scaler = parts(init_scale=2.0**127, growth_interval=1)
    scaler.scale((weight * 1e-30).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert scaler.get_scale() == 2.0**127


def test_order_of_calls_is_checked() -> None:
    weight, optimizer, scaler = parts()
    for call in (lambda: scaler.step(optimizer), lambda: scaler.unscale_(optimizer), scaler.update):
        with pytest.raises(AssertionError, match="_scale is None"):
            call()
    scaler.scale(weight.sum()).backward()
    with pytest.raises(AssertionError, match="No inf checks were recorded prior to update"):
        scaler.update()
    scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match="unscale_\\(\\) has already been called"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="step\\(\\) has already been called"):
        scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="being called after step"):
        scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match="Closure use is not currently supported"):
        scaler.step(optimizer, closure=lambda: 0.0)


def test_gradients_in_float16_are_refused() -> None:
    weight = torch.ones(2, dtype=torch.float16, requires_grad=True)
    optimizer, scaler = torch.optim.SGD([weight], lr=1.0), torch.amp.GradScaler("cpu")
    scaler.scale(weight.sum()).backward()
    with pytest.raises(ValueError, match="Attempting to unscale FP16 gradients"):
        scaler.step(optimizer)


def test_an_optimizer_without_gradients_is_refused() -> None:
    weight, optimizer, scaler = parts()
    scaler.scale(weight.sum())
    with pytest.raises(AssertionError, match="No inf checks were recorded for this optimizer"):
        scaler.step(optimizer)


def test_nested_outputs_are_scaled() -> None:
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    one = torch.tensor(1.0)
    scaled = scaler.scale([one, (one, one)])
    assert scaled[0].item() == scaled[1][1].item() == 4.0
    assert [each.item() for each in scaler.scale(iter([one]))] == [4.0]
    with pytest.raises(ValueError, match="outputs must be a Tensor"):
        scaler.scale(3)


def test_the_scale_can_be_set() -> None:
    weight, _, scaler = parts()
    scaler.scale(weight.sum())
    scaler.update(3.0)
    assert scaler.get_scale() == 3.0
    scaler.update(torch.tensor(5.0))
    assert scaler.get_scale() == 5.0
    with pytest.raises(AssertionError, match="new_scale should be a float"):
        scaler.update(torch.ones(2))


def test_its_state_can_be_kept() -> None:
    weight, optimizer, scaler = parts(init_scale=8.0, growth_interval=5)
    scaler.scale(weight.sum()).backward()
    scaler.step(optimizer)
    with pytest.raises(AssertionError, match="may only be pickled"):
        pickle.dumps(scaler)
    scaler.update()
    state = scaler.state_dict()
    assert state == {
        "scale": 8.0, "growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": 5,
        "_growth_tracker": 1,
    }  # fmt: skip
    other = torch.amp.GradScaler("cpu")
    other.load_state_dict(state)
    assert other.state_dict() == state == pickle.loads(pickle.dumps(scaler)).state_dict()
    with pytest.raises(RuntimeError, match="source state dict is empty"):
        other.load_state_dict({})


def test_options_are_checked_and_can_be_changed() -> None:
    with pytest.raises(AssertionError, match="growth factor must be > 1"):
        torch.amp.GradScaler("cpu", growth_factor=1.0)
    with pytest.raises(AssertionError, match="backoff factor must be < 1"):
        torch.amp.GradScaler("cpu", backoff_factor=1.0)
    scaler = torch.amp.GradScaler("cpu")
    scaler.set_growth_factor(4.0)
    scaler.set_backoff_factor(0.25)
    scaler.set_growth_interval(7)
    found = scaler.get_growth_factor(), scaler.get_backoff_factor(), scaler.get_growth_interval()
    assert found == (4.0, 0.25, 7)


def test_without_cuda_it_warns_and_does_nothing() -> None:
    with pytest.warns(UserWarning, match=r"GradScaler is enabled, but CUDA is not available"):
        scaler = torch.amp.GradScaler()
    with (
        pytest.warns(FutureWarning, match="is deprecated"),
        pytest.warns(UserWarning, match="CUDA"),
    ):
        older = torch.cuda.amp.GradScaler(enabled=True)
    weight = torch.tensor([1.0], requires_grad=True)
    for each in (scaler, older):
        optimizer = torch.optim.SGD([weight], lr=0.5)
        assert not each.is_enabled()
        assert each.scale(weight) is weight
        assert each.get_scale() == 1.0
        assert each.state_dict() == {}
        each.load_state_dict({})
        each.unscale_(optimizer)
        each.update()
    weight.grad = torch.tensor([1.0])
    scaler.step(optimizer)
    assert weight.item() == 0.5


def test_older_names_of_autocast_warn_and_do_nothing() -> None:
    with (
        pytest.warns(FutureWarning, match="is deprecated"),
        pytest.warns(UserWarning, match="CUDA"),
    ):
        block = torch.cuda.amp.autocast(enabled=True)
    with block:
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float32
