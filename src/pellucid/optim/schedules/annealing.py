"""Learning rate schedulers along a cosine."""

from __future__ import annotations

import math
from typing import Any

from pellucid.errors import ArgumentError
from pellucid.optim.optimizer import Optimizer
from pellucid.optim.schedules.base import LRScheduler


def height(part: float) -> float:
    """Return half a cosine, which falls from 1 to 0, at a fraction of its range."""
    return (1 + math.cos(math.pi * part)) / 2


class CosineAnnealingLR(LRScheduler):
    """Scheduler that lowers the learning rate to ``eta_min`` along half a cosine.

    After ``T_max`` epochs it rises again. Source: Loshchilov and Hutter, "SGDR: stochastic gradient
    descent with warm restarts", 2017.

    Args:
        optimizer: Optimizer whose learning rates are set.
        T_max: Number of epochs until the minimum.
        eta_min: Lowest learning rate.
        last_epoch: Index of the last epoch when training is resumed; -1 starts from the beginning.

    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
    >>> optimizer.step()
    >>> schedule.step()
    >>> round(schedule.get_last_lr()[0], 4)
    0.5
    """

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def _height(self, epoch: int) -> float:
        return height(epoch / self.T_max)

    def get_lr(self) -> list[Any]:
        self._warn_unless_stepping()
        if self._is_initial:
            return self._present()
        epoch, lowest = self.last_epoch, self.eta_min
        if self._step_count == 1 and epoch > 0:
            return self._get_closed_form_lr()
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            rise = self._height(self.T_max - 1)  # at the lowest point the ratio is 0 / 0
            return [
                lr + (base - lowest) * rise
                for base, lr in zip(self.base_lrs, self._present(), strict=True)
            ]
        ratio = self._height(epoch) / self._height(epoch - 1)
        return [ratio * (lr - lowest) + lowest for lr in self._present()]

    def _get_closed_form_lr(self) -> list[Any]:
        part = self._height(self.last_epoch)
        return [self.eta_min + (base - self.eta_min) * part for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Scheduler that lowers the learning rate along half a cosine and restarts from the top.

    Source: Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts", 2017.

    Args:
        optimizer: Optimizer whose learning rates are set.
        T_0: Number of epochs of the first period, a positive integer.
        T_mult: Factor by which each period is longer than the one before, an integer of at least 1.
        eta_min, last_epoch: As for `CosineAnnealingLR`.

    Raises:
        ValueError: If an argument is out of range.

    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    >>> schedule.get_last_lr()
    [1.0]
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if not isinstance(T_0, int) or T_0 <= 0:
            raise ArgumentError(f"Expected positive integer T_0, but got {T_0}")
        if not isinstance(T_mult, int) or T_mult < 1:
            raise ArgumentError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, float | int):
            raise ArgumentError(
                f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}"
            )
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_stepping()
        part = height(self.T_cur / self.T_i)
        return [self.eta_min + (base - self.eta_min) * part for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Advance to the next epoch, or to the given one.

        Args:
            epoch: Epoch to set, which may be a fraction.

        Raises:
            ValueError: If ``epoch`` is negative.

        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
        >>> schedule.step(0.5)
        >>> round(schedule.get_last_lr()[0], 4)
        0.8536
        """
        if epoch is None and self.last_epoch >= 0:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            epoch = epoch or 0
            if epoch < 0:
                raise ArgumentError(f"Expected non-negative epoch, but got {epoch}")
            self._jump(epoch)
        self.last_epoch = math.floor(epoch)
        with self._during("_get_lr_called_within_step"):
            rates = self.get_lr()
        self._set(rates)

    def _jump(self, epoch: float) -> None:
        """Find the period that contains an epoch, and the position within it."""
        falls, ratio = 0, self.T_mult
        if epoch >= self.T_0:
            if ratio == 1:
                self.T_cur = epoch % self.T_0
                return
            falls = int(math.log(epoch / self.T_0 * (ratio - 1) + 1, ratio))
        before = self.T_0 * (ratio**falls - 1) / (ratio - 1) if falls else 0
        self.T_i = self.T_0 * ratio**falls
        self.T_cur = epoch - before
