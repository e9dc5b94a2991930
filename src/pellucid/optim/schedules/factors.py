"""Learning rate schedulers that multiply the learning rate by a factor."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any

from pellucid.errors import ArgumentError, ArgumentTypeError
from pellucid.optim.optimizer import Optimizer
from pellucid.optim.schedules.base import LRScheduler

Factor = Callable[[int], float]


class _ByFunction(LRScheduler):
    """Base class of schedulers with a function of the epoch for each group."""

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Factor | Sequence[Factor], last_epoch: int = -1
    ) -> None:
        groups = len(optimizer.param_groups)
        self.lr_lambdas: list[Any] = (
            list(lr_lambda) if isinstance(lr_lambda, list | tuple) else [lr_lambda] * groups
        )
        if len(self.lr_lambdas) != groups:
            raise ArgumentError(f"Expected {groups} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def _factors(self) -> list[float]:
        return [function(self.last_epoch) for function in self.lr_lambdas]

    def state_dict(self) -> dict[str, Any]:
        """Return the attributes except the optimizer; of callable objects, their attributes.

        Plain functions are not saved: None is stored instead.
        """
        saved = [
            None if isinstance(each, FunctionType) else dict(each.__dict__)
            for each in self.lr_lambdas
        ]
        return super().state_dict() | {"lr_lambdas": saved}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load the result of ``state_dict``.

        Args:
            state_dict: The dict to load.
        """
        functions = self.lr_lambdas
        super().load_state_dict(state_dict)
        self.lr_lambdas = functions
        for function, attributes in zip(functions, state_dict["lr_lambdas"], strict=True):
            if attributes is not None:
                function.__dict__.update(attributes)


class LambdaLR(_ByFunction):
    """Scheduler that multiplies the initial learning rate by a function of the epoch.

    Args:
        optimizer: Optimizer whose learning rates are set.
        lr_lambda: Function from the epoch to a factor, or a list of one for each group.
        last_epoch: Index of the last epoch when training is resumed; -1 starts from the beginning.

    Raises:
        ValueError: If the number of functions is not the number of groups.

    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5**epoch)
    >>> optimizer.step()
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.5]
    """

    def get_lr(self) -> list[Any]:
        self._warn_unless_stepping()
        return [base * factor for factor, base in zip(self._factors(), self.base_lrs, strict=True)]


class MultiplicativeLR(_ByFunction):
    """Scheduler that multiplies the present learning rate by a function of the epoch.

    Args: As for `LambdaLR`.

    Raises:
        ValueError: If the number of functions is not the number of groups.
        TypeError: If a function is not callable.

    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 1 / epoch)
    >>> for _ in range(3):
    ...     optimizer.step()
    ...     schedule.step()
    >>> round(schedule.get_last_lr()[0], 4)
    0.1667
    """

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Factor | Sequence[Factor], last_epoch: int = -1
    ) -> None:
        given = lr_lambda if isinstance(lr_lambda, list | tuple) else [lr_lambda]
        for each in given:
            if not callable(each):
                raise ArgumentTypeError(
                    f"lr_lambda should be a function, but got {type(each).__name__}"
                )
        super().__init__(optimizer, lr_lambda, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_stepping()
        if self._is_initial:
            return self._present()
        return [
            rate * factor for factor, rate in zip(self._factors(), self._present(), strict=True)
        ]


class StepLR(LRScheduler):
    """Scheduler that multiplies the learning rate by ``gamma`` every ``step_size`` epochs.

    Args:
        optimizer: Optimizer whose learning rates are set.
        step_size: Number of epochs between two changes.
        gamma: The factor.
        last_epoch: Index of the last epoch when training is resumed; -1 starts from the beginning.

    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.5)
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     schedule.step()
    >>> schedule.get_last_lr()
    [0.25]
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_stepping()
        due = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return self._times(self.gamma) if due else self._present()

    def _get_closed_form_lr(self) -> list[Any]:
        return self._base_times(self.gamma ** (self.last_epoch // self.step_size))


class MultiStepLR(LRScheduler):
    """Scheduler that multiplies the learning rate by ``gamma`` at the given epochs.

    Args:
        optimizer: Optimizer whose learning rates are set.
        milestones: Epochs at which the learning rate changes.
        gamma, last_epoch: As for `StepLR`.

    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.MultiStepLR(optimizer, [1, 3], gamma=0.5)
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     schedule.step()
    >>> schedule.get_last_lr()
    [0.25]
    """

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_stepping()
        if self.last_epoch not in self.milestones:
            return self._present()
        return self._times(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self) -> list[Any]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return self._base_times(self.gamma**passed)


class ConstantLR(LRScheduler):
    """Scheduler that multiplies the learning rate by ``factor`` for the first epochs.

    Args:
        optimizer: Optimizer whose learning rates are set.
        factor: The factor, in [0, 1].
        total_iters: Number of epochs after which the initial learning rate is restored.
        last_epoch: Index of the last epoch when training is resumed; -1 starts from the beginning.

    Raises:
        ValueError: If ``factor`` is outside [0, 1].

    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
    >>> schedule.get_last_lr()
    [0.5]
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    >>> schedule.get_last_lr()
    [1.0]
    """

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if not 0 <= factor <= 1:
            raise ArgumentError(
                f"Constant multiplicative factor expected to be between 0 and 1. It is {factor}."
            )
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_stepping()
        if self.last_epoch == 0:
            return self._times(self.factor)
        if self.last_epoch == self.total_iters:
            return self._times(1.0 / self.factor)
        return self._present()

    def _get_closed_form_lr(self) -> list[Any]:
        return self._base_times(self.factor if self.last_epoch < self.total_iters else 1)


class LinearLR(LRScheduler):
    """Scheduler that multiplies the learning rate by a factor that changes linearly.

    Args:
        optimizer: Optimizer whose learning rates are set.
        start_factor: Factor at the start, in (0, 1].
        end_factor: Factor at the end, in [0, 1].
        total_iters: Number of epochs until ``end_factor`` is reached.
        last_epoch: Index of the last epoch when training is resumed; -1 starts from the beginning.

    Raises:
        ValueError: If a factor is out of range.

    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> optimizer.step()
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.75]
    """

    def __init__(
        self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0,
        total_iters: int = 5, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if not 0 < start_factor <= 1:
            raise ArgumentError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal "
                f"to 1. It is {start_factor}."
            )
        if not 0 <= end_factor <= 1:
            raise ArgumentError(
                f"Ending multiplicative factor expected to be between 0 and 1. It is {end_factor}."
            )
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_stepping()
        if self.last_epoch == 0:
            return self._times(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._present()
        rise = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * rise
        return self._times(1.0 + rise / before)

    def _get_closed_form_lr(self) -> list[Any]:
        part = min(self.total_iters, self.last_epoch) / self.total_iters
        return self._base_times(self.start_factor + (self.end_factor - self.start_factor) * part)


class ExponentialLR(LRScheduler):
    """Scheduler that multiplies the learning rate by ``gamma`` every epoch.

    Args:
        optimizer, gamma, last_epoch: As for `StepLR`.

    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> optimizer.step()
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.5]
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_stepping()
        return self._present() if self._is_initial else self._times(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return self._base_times(self.gamma**self.last_epoch)


class PolynomialLR(LRScheduler):
    """Scheduler that lowers the learning rate to zero by a power of the remaining epochs.

    The rate is the initial one times ``(1 - epoch / total_iters)**power``.

    Args:
        optimizer: Optimizer whose learning rates are set.
        total_iters: Number of epochs until zero.
        power: The exponent.
        last_epoch: Index of the last epoch when training is resumed; -1 starts from the beginning.

    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=2, power=2.0)
    >>> optimizer.step()
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.25]
    """

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def _left(self, epoch: int) -> float:
        return 1.0 - epoch / self.total_iters

    def get_lr(self) -> list[Any]:
        self._warn_unless_stepping()
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._present()
        ratio = self._left(self.last_epoch) / self._left(self.last_epoch - 1)
        return self._times(ratio**self.power)

    def _get_closed_form_lr(self) -> list[Any]:
        return self._base_times(self._left(min(self.total_iters, self.last_epoch)) ** self.power)
