"""The scheduler that reduces the learning rate when a metric stops improving."""

from __future__ import annotations

import math
from typing import Any, Literal

from pellucid.errors import ArgumentError
from pellucid.observe import announce, watchers
from pellucid.optim.optimizer import Optimizer
from pellucid.optim.schedules.base import LRScheduler, check_optimizer, set_option, warn_of_epoch


class ReduceLROnPlateau(LRScheduler):
    """Scheduler that multiplies the learning rate by ``factor`` when a metric stops improving.

    Args:
        optimizer: Optimizer whose learning rates are set.
        mode: ``"min"`` if the metric should fall, ``"max"`` if it should rise.
        factor: The factor, below 1.
        patience: Number of epochs without improvement to wait.
        threshold: Smallest change that counts as an improvement.
        threshold_mode: Whether the threshold is relative (``"rel"``) or absolute (``"abs"``).
        cooldown: Number of epochs after a reduction in which none are counted.
        min_lr: Lower bound of the learning rate, or a list of one for each group.
        eps: Smallest reduction that is applied.

    Raises:
        ValueError: If an argument is out of range.

    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    >>> for loss in [1.0, 1.0, 1.0]:
    ...     schedule.step(loss)
    >>> schedule.get_last_lr()
    [0.1]
    """

    def __init__(
        self, optimizer: Optimizer, mode: Literal["min", "max"] = "min", factor: float = 0.1,
        patience: int = 10, threshold: float = 1e-4, threshold_mode: Literal["rel", "abs"] = "rel",
        cooldown: int = 0, min_lr: list[float] | float = 0, eps: float = 1e-8,
    ) -> None:  # fmt: skip
        if factor >= 1.0:
            raise ArgumentError("Factor should be < 1.0.")
        check_optimizer(optimizer)
        if mode not in ("min", "max"):
            raise ArgumentError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ArgumentError(f"threshold mode {threshold_mode} is unknown!")
        groups = len(optimizer.param_groups)
        for_each = isinstance(min_lr, list | tuple)
        if for_each and len(min_lr) != groups:
            raise ArgumentError(f"expected {groups} min_lrs, got {len(min_lr)}")
        self.optimizer = optimizer
        self.mode = mode
        self.factor = factor
        self.patience = patience
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.cooldown = cooldown
        self.default_min_lr = None if for_each else min_lr
        self.min_lrs: list[Any] = list(min_lr) if for_each else [min_lr] * groups
        self.eps = eps
        self.last_epoch = 0
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self._reset()
        self._last_lr = self._present()
        if watchers:
            announce("schedule", self)

    def _reset(self) -> None:
        """Forget the best metric and reset the counters."""
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    @property
    def in_cooldown(self) -> bool:
        """Whether the epochs after a reduction are not counted yet."""
        return self.cooldown_counter > 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:
        """Process the metric of one epoch.

        Args:
            metrics: The metric, a number or a tensor with one element.
            epoch: Epoch to set; deprecated.

        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=0)
        >>> schedule.step(1.0)
        >>> schedule.step(1.0)
        >>> optimizer.param_groups[0]["lr"]
        0.5
        """
        current = float(metrics)
        if epoch is not None:
            warn_of_epoch()
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = self._present()
        if watchers:
            announce("schedule", self)

    def _is_better(self, current: float, best: float) -> bool:
        sign = 1 if self.mode == "max" else -1
        if self.threshold_mode == "rel":
            limit = best * (1 + sign * self.threshold)
        else:
            limit = best + sign * self.threshold
        return sign * current > sign * limit

    def _reduce(self) -> None:
        groups = self.optimizer.param_groups
        if len(self.min_lrs) != len(groups):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from "
                    f"when `ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due "
                    "to a new param group being added to the optimizer. Please modify the "
                    "`min_lrs` field to match the length of the `optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, lowest in zip(groups, self.min_lrs, strict=True):
            present = float(group["lr"])
            reduced = max(present * self.factor, lowest)
            if present - reduced > self.eps:
                set_option(group, "lr", reduced)
