"""Schedules made of schedules."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from pellucid.errors import ArgumentError, ArgumentTypeError
from pellucid.optim.optimizer import Optimizer
from pellucid.optim.schedules.base import LRScheduler, options, set_option
from pellucid.optim.schedules.plateau import ReduceLROnPlateau


class _Combined(LRScheduler):
    """Hold several schedules of one optimizer, and save them with it."""

    _schedulers: Sequence[Any]

    def _check(self, optimizer: Any, schedulers: Sequence[Any]) -> None:
        name = type(self).__name__
        for position, schedule in enumerate(schedulers):
            if not hasattr(schedule, "optimizer"):
                raise ArgumentTypeError(
                    f"{name} at index {position} should have `optimizer` as its attribute."
                )
            if isinstance(schedule, ReduceLROnPlateau):
                raise ArgumentError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it requires "
                    "additional kwargs to be specified when calling `step`, but got one at index "
                    f"{position} in the given schedulers sequence."
                )
            if schedule.optimizer is not optimizer:
                raise ArgumentError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got "
                    f"scheduler {type(schedule).__name__} at index {position} has "
                    f"{schedule.optimizer}, which is different from {type(optimizer).__name__}."
                )

    def state_dict(self) -> dict[str, Any]:
        """Return everything but the optimizer, with the states of the schedules."""
        return super().state_dict() | {
            "_schedulers": [schedule.state_dict() for schedule in self._schedulers]
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take up what `state_dict` has returned."""
        schedules = self._schedulers
        super().load_state_dict(state_dict)
        self._schedulers = schedules
        for schedule, saved in zip(schedules, state_dict["_schedulers"], strict=True):
            schedule.load_state_dict(saved)


class SequentialLR(_Combined):
    """Let one schedule follow the other, at the given epochs.

    Raises ValueError for schedules of several optimizers, for `ReduceLROnPlateau` among them, and
    unless there is one epoch fewer than schedules.

    >>> import pellucid as torch
    >>> from pellucid.optim.lr_scheduler import ConstantLR, ExponentialLR, SequentialLR
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> parts = [ConstantLR(optimizer, 0.5), ExponentialLR(optimizer, 0.9)]
    >>> schedule = SequentialLR(optimizer, parts, milestones=[1])
    >>> schedule.get_last_lr()
    [0.5]
    >>> optimizer.step()
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: list[LRScheduler],
        milestones: list[int],
        last_epoch: int = -1,
    ) -> None:
        if len(schedulers) < 1:
            raise ArgumentError(
                f"{type(self).__name__} expects at least one scheduler, but got no scheduler."
            )
        self._check(optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ArgumentError(
                "Sequential Schedulers expects number of schedulers provided to be one more than "
                "the number of milestone points, but got number of schedulers "
                f"{len(schedulers)} and the number of milestones to be equal to {len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        # Each schedule has set its own first rates when it was made: begin once more.
        for group in optimizer.param_groups:
            set_option(group, "lr", group["initial_lr"])
        self.recursive_undo()
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched: Any = None) -> None:
        """Take back the step that each schedule took when it was made."""
        schedule = self if sched is None else sched
        if isinstance(schedule, _Combined):
            for each in schedule._schedulers:
                self.recursive_undo(each)
        elif hasattr(schedule, "last_epoch"):
            schedule.last_epoch -= 1

    def step(self) -> None:
        """Go to the next epoch, with the schedule whose turn it is."""
        self.last_epoch += 1
        number = bisect_right(self._milestones, self.last_epoch)
        schedule = self._schedulers[number]
        if number and self._milestones[number - 1] == self.last_epoch:
            schedule._update_lr(0)
        else:
            schedule.step()
        self._last_lr = schedule.get_last_lr()


class ChainedScheduler(_Combined):
    """Let several schedules work at once, one on what the other has set.

    Raises ValueError for schedules of several optimizers, and for `ReduceLROnPlateau` among them.

    >>> import pellucid as torch
    >>> from pellucid.optim.lr_scheduler import ChainedScheduler, ConstantLR, ExponentialLR
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = ChainedScheduler([ConstantLR(optimizer, 0.5), ExponentialLR(optimizer, 0.5)])
    >>> optimizer.step()
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.25]
    """

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        if len(schedulers) < 1:
            raise ArgumentError(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no "
                "scheduler."
            )
        optimizer = optimizer or getattr(schedulers[0], "optimizer", None)
        self._check(optimizer, schedulers)
        self._schedulers = schedulers
        self.optimizer: Any = optimizer
        self._last_lr = options(self.optimizer, "lr")

    def step(self) -> None:
        """Go to the next epoch with each schedule, in order."""
        for schedule in self._schedulers:
            schedule.step()
        self._last_lr = options(self.optimizer, "lr")
