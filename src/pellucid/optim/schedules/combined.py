"""Learning rate schedulers that combine other schedulers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from pellucid.errors import ArgumentError, ArgumentTypeError
from pellucid.optim.optimizer import Optimizer
from pellucid.optim.schedules.base import LRScheduler, options, set_option
from pellucid.optim.schedules.plateau import ReduceLROnPlateau


class _Combined(LRScheduler):
    """Base class of schedulers that hold other schedulers and save their state."""

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
        """Return the attributes except the optimizer, with the states of the schedulers."""
        return super().state_dict() | {
            "_schedulers": [schedule.state_dict() for schedule in self._schedulers]
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load the result of ``state_dict``.

        Args:
            state_dict: The dict to load.
        """
        schedules = self._schedulers
        super().load_state_dict(state_dict)
        self._schedulers = schedules
        for schedule, saved in zip(schedules, state_dict["_schedulers"], strict=True):
            schedule.load_state_dict(saved)


class SequentialLR(_Combined):
    """Scheduler that runs several schedulers one after the other.

    Args:
        optimizer: Optimizer of all the schedulers.
        schedulers: The schedulers, in order.
        milestones: Epochs at which the next scheduler takes over, one fewer than ``schedulers``.
        last_epoch: Index of the last epoch when training is resumed; -1 starts from the beginning.

    Raises:
        ValueError: If the schedulers have different optimizers, if one is ``ReduceLROnPlateau``, or
            if the number of milestones does not fit.

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
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int],
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
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
        # Each scheduler set its initial rates when it was created; start over.
        for group in optimizer.param_groups:
            set_option(group, "lr", group["initial_lr"])
        self.recursive_undo()
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched: Any = None) -> None:
        """Undo the step that each scheduler took when it was created.

        Args:
            sched: The scheduler to undo; this one by default.
        """
        schedule = self if sched is None else sched
        if isinstance(schedule, _Combined):
            for each in schedule._schedulers:
                self.recursive_undo(each)
        elif hasattr(schedule, "last_epoch"):
            schedule.last_epoch -= 1

    def step(self) -> None:
        """Advance to the next epoch with the scheduler that is active then."""
        self.last_epoch += 1
        number = bisect_right(self._milestones, self.last_epoch)
        schedule = self._schedulers[number]
        if number and self._milestones[number - 1] == self.last_epoch:
            schedule._update_lr(0)
        else:
            schedule.step()
        self._last_lr = schedule.get_last_lr()


class ChainedScheduler(_Combined):
    """Scheduler that applies several schedulers at every step, in order.

    Args:
        schedulers: The schedulers, in order.
        optimizer: Optimizer of all the schedulers; that of the first one by default.

    Raises:
        ValueError: If there are none, if they have different optimizers, or if one is
            ``ReduceLROnPlateau``.

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
        """Advance each scheduler to the next epoch, in order."""
        for schedule in self._schedulers:
            schedule.step()
        self._last_lr = options(self.optimizer, "lr")
