"""What all schedules share: epochs, the rates they start from, warnings, saving."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pellucid.autograd.sites import user_stacklevel
from pellucid.errors import ArgumentError, ArgumentTypeError
from pellucid.optim.operands import as_number
from pellucid.optim.optimizer import Optimizer
from pellucid.tensors import Tensor


class LRScheduler:
    """Be the base of schedules: `step` sets every group's ``lr`` to what `get_lr` says.

    ``get_lr`` goes by ``last_epoch``, which counts the calls of `step`, and may go by the present
    ``lr``, so that several schedules can work on one optimizer. A subclass may also define
    ``_get_closed_form_lr``, which goes by ``base_lrs`` instead, for epochs that are jumped to.
    Raises TypeError for something that is no optimizer, and KeyError for a ``last_epoch`` to go on
    from with an optimizer that has no ``initial_lr``.
    """

    #: whether `get_lr` is called by `step`
    _get_lr_called_within_step = False
    #: whether the first values are being set, by the constructor
    _is_initial = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for position, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{position}] when "
                    "resuming scheduler with last_epoch >= 0: load the optimizer's state first, "
                    "or start with last_epoch=-1"
                )
        self.base_lrs: list[Any] = options(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        optimizer.__dict__.setdefault("_step_when_scheduled", _function(optimizer.step))
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        with self._during("_is_initial"):
            self.step()

    @contextmanager
    def _during(self, mark: str) -> Iterator[None]:
        setattr(self, mark, True)
        try:
            yield
        finally:
            setattr(self, mark, False)

    def get_lr(self) -> list[Any]:
        """Return the learning rate of each group; a subclass says which."""
        raise NotImplementedError

    def get_last_lr(self) -> list[Any]:
        """Return the learning rates that were set last.

        >>> import pellucid as torch
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.5)
        >>> torch.optim.lr_scheduler.StepLR(optimizer, 10).get_last_lr()
        [0.5]
        """
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch, or to a given one; warn if the optimizer has not stepped before."""
        if self._step_count == 1:
            _warn_of_wrong_order(self.optimizer)
        self._step_count += 1
        if epoch is not None:
            warn_of_epoch()
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        with self._during("_get_lr_called_within_step"):
            self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
            closed_form = getattr(self, "_get_closed_form_lr", self.get_lr)
            rates = self.get_lr() if epoch is None else closed_form()
        self._set(rates)

    def _set(self, rates: list[Any]) -> None:
        """Give every group its learning rate."""
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            set_option(group, "lr", rate)
        self._last_lr = self._present()

    def _present(self) -> list[Any]:
        return options(self.optimizer, "lr")

    def _times(self, factor: float) -> list[Any]:
        """Return the present rates times a factor."""
        return [rate * factor for rate in self._present()]

    def _base_times(self, factor: float) -> list[Any]:
        """Return the rates that the schedule started from times a factor."""
        return [rate * factor for rate in self.base_lrs]

    def _warn_unless_stepping(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use "
                "`get_last_lr()`: `get_lr()` computes the next one.",
                UserWarning,
                stacklevel=user_stacklevel(),
            )

    def state_dict(self) -> dict[str, Any]:
        """Return everything but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take up what `state_dict` has returned."""
        self.__dict__.update(state_dict)


def check_optimizer(optimizer: Any) -> None:
    """Raise TypeError for something that is no optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise ArgumentTypeError(f"{type(optimizer).__name__} is not an Optimizer")


def copied(value: Any) -> Any:
    """Return an option; one that is a tensor, and changed in place, as a copy."""
    return value.clone() if isinstance(value, Tensor) else value


def options(optimizer: Optimizer, name: str) -> list[Any]:
    """Return an option of each group."""
    return [copied(group[name]) for group in optimizer.param_groups]


def set_option(group: dict[str, Any], name: str, value: Any) -> None:
    """Set an option of a group; one that is a tensor stays the same tensor."""
    if isinstance(group[name], Tensor):
        group[name].fill_(as_number(value))
    else:
        group[name] = value


def per_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """Return a value for each group; raise ValueError for a list of another length."""
    count = len(optimizer.param_groups)
    values = value if isinstance(value, list | tuple) else [value] * count
    if len(values) != count:
        raise ArgumentError(
            f"{name} must have the same length as optimizer.param_groups. {name} has "
            f"{len(values)} values, param_groups has {count}."
        )
    return [copied(each) for each in values]


def warn_of_epoch() -> None:
    """Warn that the epoch is better left to the schedule."""
    warnings.warn(
        "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
        "possible: the schedule counts its own steps. With an epoch, a closed form takes the place "
        "of the rule that goes from step to step, where there is one.",
        UserWarning,
        stacklevel=user_stacklevel(),
    )


def _warn_of_wrong_order(optimizer: Optimizer) -> None:
    if _function(optimizer.step) is not optimizer.__dict__["_step_when_scheduled"]:
        warnings.warn(
            "Seems like `optimizer.step()` has been overridden after learning rate scheduler "
            "initialization. Please, make sure to call `optimizer.step()` before "
            "`lr_scheduler.step()`.",
            UserWarning,
            stacklevel=user_stacklevel(),
        )
    elif not optimizer._opt_called:
        warnings.warn(
            "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 "
            "and later, you should call them in the opposite order: `optimizer.step()` before "
            "`lr_scheduler.step()`. Otherwise the first learning rate is never used.",
            UserWarning,
            stacklevel=user_stacklevel(),
        )


def _function(step: Any) -> Any:
    """Return the function of a bound method: bound methods are made anew each time."""
    return getattr(step, "__func__", step)
