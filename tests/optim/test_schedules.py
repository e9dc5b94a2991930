"""Schedules of the learning rate: against closed forms, saved, combined, and warned about."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

import pellucid as torch
from pellucid import optim
from pellucid.optim import lr_scheduler
from tests.samples.grouped import together


def optimizer_with(lr=1.0, **options):
    return optim.SGD([torch.zeros(1, requires_grad=True)], lr=lr, **options)


def rates(schedule, steps: int = 12):
    """Return the learning rate at the beginning and after each step."""
    found = [schedule.get_last_lr()[0]]
    for _ in range(steps):
        schedule.optimizer.step()
        schedule.step()
        found.append(schedule.get_last_lr()[0])
    return np.array(found)


EPOCHS = np.arange(13)

CLOSED_FORMS = [
    ("LambdaLR", {"lr_lambda": lambda epoch: 1 / (1 + epoch)}, 1 / (1 + EPOCHS)),
    ("MultiplicativeLR", {"lr_lambda": lambda epoch: 1 / epoch},
     [1 / math.factorial(epoch) for epoch in EPOCHS]),
    ("StepLR", {"step_size": 5, "gamma": 0.5}, 0.5 ** (EPOCHS // 5)),
    ("MultiStepLR", {"milestones": [2, 7, 7], "gamma": 0.5},
     0.5 ** ((EPOCHS >= 2).astype(int) + 2 * (EPOCHS >= 7))),
    ("ConstantLR", {"factor": 0.5, "total_iters": 4}, np.where(EPOCHS < 4, 0.5, 1)),
    ("LinearLR", {"start_factor": 0.25, "total_iters": 6}, np.minimum(1, 0.25 + EPOCHS / 8)),
    ("ExponentialLR", {"gamma": 0.9}, 0.9**EPOCHS),
    ("PolynomialLR", {"total_iters": 8, "power": 2.0}, (1 - np.minimum(EPOCHS, 8) / 8) ** 2),
    ("CosineAnnealingLR", {"T_max": 5, "eta_min": 0.1},
     0.1 + 0.9 * (1 + np.cos(np.pi * EPOCHS / 5)) / 2),
    ("CosineAnnealingWarmRestarts", {"T_0": 4}, (1 + np.cos(np.pi * (EPOCHS % 4) / 4)) / 2),
    ("CyclicLR", {"base_lr": 0.0, "max_lr": 1.0, "step_size_up": 3, "cycle_momentum": False},
     1 - np.abs(EPOCHS % 6 - 3) / 3),
    ("OneCycleLR", {"max_lr": 1.0, "total_steps": 13, "pct_start": 4 / 13, "div_factor": 4.0,
                    "final_div_factor": 1.0, "anneal_strategy": "linear",
                    "cycle_momentum": False},
     np.interp(EPOCHS, [0, 3, 12], [0.25, 1, 0.25])),
]  # fmt: skip


@together()
@pytest.mark.parametrize(("name", "options", "expected"), CLOSED_FORMS)
def test_steps_follow_the_closed_form(name: str, options, expected) -> None:
    schedule = getattr(lr_scheduler, name)(optimizer_with(), **options)
    np.testing.assert_allclose(rates(schedule), expected, atol=1e-12)


@together()
@pytest.mark.parametrize(
    ("name", "options", "expected"), [each for each in CLOSED_FORMS if "Multiplic" not in each[0]]
)
def test_a_given_epoch_is_jumped_to(name: str, options, expected) -> None:
    schedule = getattr(lr_scheduler, name)(optimizer_with(), **options)
    schedule.optimizer.step()
    for epoch in (7, 3):
        if "Restarts" in name:
            schedule.step(epoch)
        else:
            with pytest.warns(UserWarning, match="The epoch parameter"):
                schedule.step(epoch)
        np.testing.assert_allclose(schedule.get_last_lr(), [expected[epoch]], atol=1e-12)


@together()
@pytest.mark.parametrize(("name", "options", "expected"), CLOSED_FORMS)
def test_a_saved_schedule_is_gone_on_with(name: str, options, expected) -> None:
    schedule = getattr(lr_scheduler, name)(optimizer_with(), **options)
    rates(schedule, 5)
    optimizer = optimizer_with()
    other = getattr(lr_scheduler, name)(optimizer, **options)
    optimizer.load_state_dict(schedule.optimizer.state_dict())
    other.load_state_dict(copy.deepcopy(schedule.state_dict()))
    np.testing.assert_allclose(rates(other, 7), expected[5:], atol=1e-12)


@together()
@pytest.mark.parametrize(("name", "options", "expected"), CLOSED_FORMS)
def test_a_rate_that_is_a_tensor_stays_the_same_tensor(name: str, options, expected) -> None:
    lr = torch.tensor(1.0, dtype=torch.float64)
    schedule = getattr(lr_scheduler, name)(optimizer_with(lr), **options)
    found = [float(rate) for rate in rates(schedule)]
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert schedule.optimizer.param_groups[0]["lr"] is lr


def test_momentum_goes_the_other_way_than_the_rate() -> None:
    optimizer = optimizer_with(momentum=0.5)
    schedule = lr_scheduler.CyclicLR(optimizer, 0.0, 1.0, 2, base_momentum=0.6, max_momentum=0.9)
    found = []
    for _ in range(4):
        found.append(optimizer.param_groups[0]["momentum"])
        optimizer.step()
        schedule.step()
    assert found == pytest.approx([0.9, 0.75, 0.6, 0.75])


def test_adams_first_beta_is_its_momentum() -> None:
    optimizer = optim.Adam([torch.zeros(1, requires_grad=True)])
    lr_scheduler.OneCycleLR(optimizer, 1.0, total_steps=4, max_momentum=0.7)
    assert optimizer.param_groups[0]["betas"] == (pytest.approx(0.7), 0.999)


def test_schedules_follow_each_other() -> None:
    optimizer = optimizer_with()
    parts = [
        lr_scheduler.LinearLR(optimizer, 0.5, total_iters=2),
        lr_scheduler.ExponentialLR(optimizer, 0.5),
        lr_scheduler.ConstantLR(optimizer, 0.1, total_iters=100),
    ]
    schedule = lr_scheduler.SequentialLR(optimizer, parts, [3, 5])
    expected = [0.5, 0.75, 1.0, 1.0, 0.5, 0.1, 0.1]
    np.testing.assert_allclose(rates(schedule, 6), expected)


def test_chained_schedules_multiply() -> None:
    optimizer = optimizer_with()
    parts = [lr_scheduler.StepLR(optimizer, 2, 0.5), lr_scheduler.ExponentialLR(optimizer, 0.9)]
    schedule = lr_scheduler.ChainedScheduler(parts)
    np.testing.assert_allclose(rates(schedule), 0.5 ** (EPOCHS // 2) * 0.9**EPOCHS)


def test_saved_combinations_hold_the_states_of_their_parts() -> None:
    optimizer = optimizer_with()
    parts = [lr_scheduler.StepLR(optimizer, 2, 0.5), lr_scheduler.ExponentialLR(optimizer, 0.9)]
    schedule = lr_scheduler.SequentialLR(optimizer, parts, [2])
    rates(schedule, 3)
    state = schedule.state_dict()
    assert [each["last_epoch"] for each in state["_schedulers"]] == [1, 1]
    parts[1].last_epoch = 7
    schedule.load_state_dict(state)
    assert parts[1].last_epoch == 1
    assert "_schedulers" in state


def test_functions_that_are_objects_are_saved() -> None:
    class Power:
        def __init__(self, base: float) -> None:
            self.base = base

        def __call__(self, epoch: int) -> float:
            return self.base**epoch

    schedule = lr_scheduler.LambdaLR(optimizer_with(), Power(0.5))
    assert schedule.state_dict()["lr_lambdas"] == [{"base": 0.5}]
    other = lr_scheduler.LambdaLR(optimizer_with(), Power(0.9))
    other.load_state_dict(schedule.state_dict())
    assert other.lr_lambdas[0].base == 0.5
    assert lr_scheduler.LambdaLR(optimizer_with(), lambda _: 1.0).state_dict()["lr_lambdas"] == [
        None
    ]


def test_a_plateau_has_patience_and_then_a_cooldown() -> None:
    optimizer = optimizer_with()
    schedule = lr_scheduler.ReduceLROnPlateau(
        optimizer, factor=0.5, patience=1, cooldown=2, min_lr=0.2
    )
    found = []
    for loss in [3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]:
        schedule.step(loss)
        found += schedule.get_last_lr()
    assert found == [1.0] * 3 + [0.5] * 4 + [0.25] * 4 + [0.2]


def test_a_group_added_later_needs_a_bound_of_its_own() -> None:
    optimizer = optimizer_with()
    schedule = lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, min_lr=[0.1])
    optimizer.add_param_group({"params": [torch.zeros(1, requires_grad=True)]})
    schedule.step(1.0)
    with pytest.raises(RuntimeError, match="The number of param groups in the `optimizer`"):
        schedule.step(1.0)


def test_resuming_needs_the_first_rate() -> None:
    with pytest.raises(KeyError, match="param 'initial_lr' is not specified"):
        lr_scheduler.StepLR(optimizer_with(), 3, last_epoch=4)


# ---- warnings ----------------------------------------------------------------------------------


def test_a_schedule_that_goes_before_the_optimizer_is_warned_about() -> None:
    schedule = lr_scheduler.ExponentialLR(optimizer_with(), 0.5)
    with pytest.warns(UserWarning, match=r"`lr_scheduler.step\(\)` before `optim") as caught:
        schedule.step()
    assert caught[0].filename == __file__


def test_a_step_that_was_overridden_is_warned_about() -> None:
    optimizer = optimizer_with()
    schedule = lr_scheduler.ExponentialLR(optimizer, 0.5)
    optimizer.step = lambda: None
    with pytest.warns(UserWarning, match=r"`optimizer.step\(\)` has been overridden"):
        schedule.step()


def test_asking_for_the_next_rate_is_warned_about() -> None:
    schedule = lr_scheduler.ExponentialLR(optimizer_with(), 0.5)
    with pytest.warns(UserWarning, match=r"please use `get_last_lr\(\)`"):
        assert schedule.get_lr() == [0.5]


def test_a_schedule_of_ones_own_says_only_the_rate() -> None:
    class Halving(lr_scheduler._LRScheduler):
        def get_lr(self):
            return [base * 0.5**self.last_epoch for base in self.base_lrs]

    np.testing.assert_allclose(rates(Halving(optimizer_with()), 3), [1.0, 0.5, 0.25, 0.125])


def test_a_schedule_leaves_nothing_for_the_garbage_collector(without_gc) -> None:
    import gc

    schedule = lr_scheduler.StepLR(optimizer_with(), 3)
    rates(schedule, 2)
    del schedule
    assert gc.collect() == 0
