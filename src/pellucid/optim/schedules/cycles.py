"""Learning rate schedulers that rise and fall, with momentum in the opposite direction."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import FunctionType
from typing import Any, Literal

from pellucid.errors import ArgumentError
from pellucid.optim.optimizer import Optimizer
from pellucid.optim.schedules.base import LRScheduler, check_optimizer, per_group, set_option


class _WithMomentum(LRScheduler):
    """Base class of schedulers that also change momentum, or the first beta of Adam."""

    cycle_momentum: bool
    use_beta1: bool

    def _check_momentum(self, optimizer: Optimizer) -> None:
        """Set which option is the momentum; raise ValueError if there is none."""
        if not self.cycle_momentum:
            return
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ArgumentError(
                "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
            )
        self.use_beta1 = "betas" in optimizer.defaults

    def _start_momentum(self, optimizer: Optimizer, low: list[Any], high: list[Any]) -> None:
        """Store the bounds in the groups, and set the momentum to the upper one."""
        for group, least, most in zip(optimizer.param_groups, low, high, strict=True):
            self._set_momentum(group, most)
            group["max_momentum"], group["base_momentum"] = most, least

    def _set_momentum(self, group: dict[str, Any], momentum: float) -> None:
        if self.use_beta1:
            group["betas"] = (momentum, *group["betas"][1:])
        else:
            group["momentum"] = momentum


class CyclicLR(_WithMomentum):
    """Scheduler that moves the learning rate up and down between two bounds.

    It is stepped after every batch. Source: Smith, "Cyclical learning rates for training neural
    networks", 2017.

    Args:
        optimizer: Optimizer whose learning rates are set.
        base_lr: Lower bound of the learning rate, or a list of one for each group.
        max_lr: Upper bound of the learning rate, or a list of one for each group.
        step_size_up: Number of steps in the rising half of a cycle.
        step_size_down: Number of steps in the falling half; ``step_size_up`` by default.
        mode: How the height of a cycle changes: ``"triangular"`` keeps it, ``"triangular2"`` halves
            it each cycle, ``"exp_range"`` multiplies it by ``gamma**step``. Ignored if ``scale_fn``
            is given.
        gamma: Base of the factor for ``"exp_range"``.
        scale_fn: Function that returns the height of a cycle as a fraction of the full one.
        scale_mode: Whether ``scale_fn`` gets the number of the ``"cycle"`` or of ``"iterations"``.
        cycle_momentum: Whether momentum moves in the opposite direction.
        base_momentum: Lower bound of the momentum, or a list of one for each group.
        max_momentum: Upper bound of the momentum, or a list of one for each group.
        last_epoch: Index of the last epoch when training is resumed; -1 starts from the beginning.

    Raises:
        ValueError: If ``mode`` is unknown, a list has another length than the groups, or the
            optimizer has no momentum to cycle.

    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0, momentum=0.9)
    >>> schedule = torch.optim.lr_scheduler.CyclicLR(optimizer, 0.0, 1.0, step_size_up=2)
    >>> optimizer.step()
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, base_lr: float | list[float], max_lr: float | list[float],
        step_size_up: int = 2000, step_size_down: int | None = None,
        mode: Literal["triangular", "triangular2", "exp_range"] = "triangular", gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: Literal["cycle", "iterations"] = "cycle", cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.8, max_momentum: float | list[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        check_optimizer(optimizer)
        lowest = per_group("base_lr", optimizer, base_lr)
        self.max_lrs = per_group("max_lr", optimizer, max_lr)
        down = step_size_up if step_size_down is None else step_size_down
        self.total_size = float(step_size_up) + float(down)
        self.step_ratio = step_size_up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ArgumentError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom: Any = scale_fn
        self.scale_mode = scale_mode
        self._choose_scale_mode()
        self.cycle_momentum = cycle_momentum
        self._check_momentum(optimizer)
        if cycle_momentum:
            self.base_momentums = per_group("base_momentum", optimizer, base_momentum)
            self.max_momentums = per_group("max_momentum", optimizer, max_momentum)
        if last_epoch == -1:
            for group, lr in zip(optimizer.param_groups, lowest, strict=True):
                set_option(group, "lr", lr)
            if cycle_momentum:
                self._start_momentum(optimizer, self.base_momentums, self.max_momentums)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = lowest

    def _choose_scale_mode(self) -> None:
        if self._scale_fn_custom is None:
            self.scale_mode = "iterations" if self.mode == "exp_range" else "cycle"

    def scale_fn(self, x: float) -> float:
        """Return the height of a cycle as a fraction of the full one.

        Args:
            x: Number of the cycle or of the step, by ``scale_mode``.
        """
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "exp_range":
            return self.gamma**x
        return 0.5 ** (x - 1) if self.mode == "triangular2" else 1.0

    def get_lr(self) -> list[Any]:
        self._warn_unless_stepping()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        part = 1.0 + self.last_epoch / self.total_size - cycle
        rising = part <= self.step_ratio
        height = part / self.step_ratio if rising else (part - 1) / (self.step_ratio - 1)
        height *= self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            bounds = zip(self.base_momentums, self.max_momentums, strict=True)
            for group, (least, most) in zip(self.optimizer.param_groups, bounds, strict=True):
                self._set_momentum(group, most - (most - least) * height)
        return [
            least + (most - least) * height
            for least, most in zip(self.base_lrs, self.max_lrs, strict=True)
        ]

    def state_dict(self) -> dict[str, Any]:
        """Return the attributes except the optimizer; of a callable ``scale_fn``, its attributes.

        A plain function is not saved: None is stored instead.
        """
        function = self._scale_fn_custom
        savable = function is not None and not isinstance(function, FunctionType)
        saved = dict(function.__dict__) if savable else None
        return super().state_dict() | {"_scale_fn_custom": saved}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load the result of ``state_dict``.

        Args:
            state_dict: The dict to load.
        """
        function = self._scale_fn_custom
        super().load_state_dict(state_dict)
        self._scale_fn_custom = function
        if state_dict["_scale_fn_custom"] is not None:
            function.__dict__.update(state_dict["_scale_fn_custom"])
        self._choose_scale_mode()


class OneCycleLR(_WithMomentum):
    """Scheduler that raises the learning rate to ``max_lr`` and then lowers it far below the start.

    It is stepped after every batch; momentum moves in the opposite direction. Source: Smith and
    Topin, "Super-convergence: very fast training of neural networks using large learning rates",
    2019.

    Args:
        optimizer: Optimizer whose learning rates are set.
        max_lr: Highest learning rate, or a list of one for each group.
        total_steps: Number of steps of the cycle; if None, ``epochs * steps_per_epoch``.
        epochs: Number of epochs.
        steps_per_epoch: Number of steps in an epoch.
        pct_start: Fraction of the cycle in which the learning rate rises.
        anneal_strategy: ``"cos"`` or ``"linear"``.
        cycle_momentum, base_momentum, max_momentum: As for `CyclicLR`.
        div_factor: The initial learning rate is ``max_lr / div_factor``.
        final_div_factor: The final learning rate is the initial one divided by this.
        three_phase: Whether the learning rate first falls back to the initial one, in as many steps
            as it rose, and then to the final one.
        last_epoch: Index of the last epoch when training is resumed; -1 starts from the beginning.

    Raises:
        ValueError: If an argument is out of range, or if more steps are taken than the cycle has.

    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0, momentum=0.9)
    >>> schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=10)
    >>> round(schedule.get_last_lr()[0], 4)
    0.04
    """

    def __init__(
        self, optimizer: Optimizer, max_lr: float | list[float], total_steps: int | None = None,
        epochs: int | None = None, steps_per_epoch: int | None = None, pct_start: float = 0.3,
        anneal_strategy: Literal["cos", "linear"] = "cos", cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85, max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0, final_div_factor: float = 1e4, three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        check_optimizer(optimizer)
        self.total_steps = _total(total_steps, epochs, steps_per_epoch)
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ArgumentError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ArgumentError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        self._anneal_func_type = anneal_strategy
        highest = per_group("max_lr", optimizer, max_lr)
        self.cycle_momentum = cycle_momentum
        self._check_momentum(optimizer)
        most = per_group("max_momentum", optimizer, max_momentum)
        least = per_group("base_momentum", optimizer, base_momentum)
        if last_epoch == -1:
            for group, lr in zip(optimizer.param_groups, highest, strict=True):
                group["initial_lr"] = lr / div_factor
                group["max_lr"] = lr
                group["min_lr"] = group["initial_lr"] / final_div_factor
            if cycle_momentum:
                self._start_momentum(optimizer, least, most)
        super().__init__(optimizer, last_epoch)

    def _between(self, start: float, end: float, part: float) -> float:
        if self._anneal_func_type == "linear":
            return (end - start) * part + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)

    def get_lr(self) -> list[Any]:
        self._warn_unless_stepping()
        step = self.last_epoch
        if step > self.total_steps:
            raise ArgumentError(
                f"Tried to step {step} times. The specified number of total steps is "
                f"{self.total_steps}"
            )
        ends = [phase["end_step"] for phase in self._schedule_phases[:-1]]
        number = sum(step > end for end in ends)
        phase = self._schedule_phases[number]
        start = ends[number - 1] if number else 0.0
        part = (step - start) / (phase["end_step"] - start)
        groups = self.optimizer.param_groups
        if self.cycle_momentum:
            for group in groups:
                ends_of_momentum = group[phase["start_momentum"]], group[phase["end_momentum"]]
                self._set_momentum(group, self._between(*ends_of_momentum, part))
        return [
            self._between(group[phase["start_lr"]], group[phase["end_lr"]], part)
            for group in groups
        ]


def _phases(steps: int, pct_start: float, three_phase: bool) -> list[dict[str, Any]]:
    """Return the last step of each phase, and the options between which its values lie."""
    top, last = pct_start * steps - 1, steps - 1
    rise = _phase(top, ("initial_lr", "max_lr"), ("max_momentum", "base_momentum"))
    if not three_phase:
        return [rise, _phase(last, ("max_lr", "min_lr"), ("base_momentum", "max_momentum"))]
    return [
        rise,
        _phase(2 * top, ("max_lr", "initial_lr"), ("base_momentum", "max_momentum")),
        _phase(last, ("initial_lr", "min_lr"), ("max_momentum", "max_momentum")),
    ]


def _phase(end: float, rates: tuple[str, str], momenta: tuple[str, str]) -> dict[str, Any]:
    return {
        "end_step": end, "start_lr": rates[0], "end_lr": rates[1],
        "start_momentum": momenta[0], "end_momentum": momenta[1],
    }  # fmt: skip


def _total(total_steps: Any, epochs: Any, steps_per_epoch: Any) -> int:
    """Return the number of steps, which is given in one of two ways."""
    if total_steps is not None:
        return _positive("total_steps", total_steps)
    if epochs is None or steps_per_epoch is None:
        raise ArgumentError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    return _positive("epochs", epochs) * _positive("steps_per_epoch", steps_per_epoch)


def _positive(name: str, value: Any) -> int:
    if not isinstance(value, int) or value <= 0:
        raise ArgumentError(f"Expected positive integer {name}, but got {value}")
    return value
