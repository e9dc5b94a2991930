"""The base class of learning rate schedulers."""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager
from typing import Any

from pellucid.autograd.sites import user_stacklevel
from pellucid.blocks import having
from pellucid.docstrings import completed
from pellucid.errors import ArgumentError, ArgumentTypeError
from pellucid.observe import announce, watchers
from pellucid.optim.operands import as_number
from pellucid.optim.optimizer import Optimizer
from pellucid.tensors import Tensor


class LRScheduler:
    """Base class of learning rate schedulers.

    ``step`` increments ``last_epoch`` and sets the ``lr`` of every group to the result of
    ``get_lr``. A subclass defines ``get_lr``, from ``last_epoch`` and possibly the present ``lr``,
    so that several schedulers can share an optimizer. It may also define ``_get_closed_form_lr``,
    computed from ``base_lrs``, for jumps to an epoch.

    Args:
        optimizer: Optimizer whose learning rates are set.
        last_epoch: Index of the last epoch when training is resumed; -1 starts from the beginning.

    Raises:
        TypeError: If ``optimizer`` is not an ``Optimizer``.
        KeyError: If training is resumed but a group has no ``initial_lr``.

    Attributes:
        base_lrs: Initial learning rate of each group.
        last_epoch: Index of the current epoch.

    >>> class Halved(torch.optim.lr_scheduler.LRScheduler):
    ...     def get_lr(self):
    ...         return [rate * 0.5**self.last_epoch for rate in self.base_lrs]
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = Halved(optimizer)
    >>> optimizer.step()
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.5]
    """

    #: whether ``get_lr`` is called by ``step``
    _get_lr_called_within_step = False
    #: whether the constructor is setting the initial values
    _is_initial = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        completed(cls)

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
        if "_step_when_scheduled" not in optimizer.__dict__:
            optimizer.__dict__["_step_when_scheduled"] = _function(optimizer.step)
            optimizer._opt_called = False  # as in PyTorch, earlier steps do not count
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        with self._during("_is_initial"):
            self.step()

    def _during(self, mark: str) -> AbstractContextManager[None]:
        return having(self, **{mark: True})

    def get_lr(self) -> list[Any]:
        """Return the new learning rate of each group; subclasses define it."""
        raise NotImplementedError

    def get_last_lr(self) -> list[Any]:
        """Return the learning rates that were set last, one for each group.

        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.5)
        >>> torch.optim.lr_scheduler.StepLR(optimizer, 10).get_last_lr()
        [0.5]
        """
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Advance to the next epoch, or to the given one.

        Warns if it is called before the optimizer's first step.

        Args:
            epoch: Epoch to set; deprecated.

        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
        >>> optimizer.step()
        >>> schedule.step()
        >>> optimizer.param_groups[0]["lr"]
        0.5
        """
        if self._step_count == 1:
            _warn_of_wrong_order(self.optimizer)
        self._step_count += 1
        if epoch is not None:
            warn_of_epoch()
        self._update_lr(epoch)
        if watchers:
            announce("schedule", self)

    def _update_lr(self, epoch: int | None = None) -> None:
        with self._during("_get_lr_called_within_step"):
            self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
            closed_form = getattr(self, "_get_closed_form_lr", self.get_lr)
            rates = self.get_lr() if epoch is None else closed_form()
        self._set(rates)

    def _set(self, rates: list[Any]) -> None:
        """Set the learning rate of every group."""
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            set_option(group, "lr", rate)
        self._last_lr = self._present()

    def _present(self) -> list[Any]:
        return options(self.optimizer, "lr")

    def _times(self, factor: float) -> list[Any]:
        """Return the present learning rates multiplied by a factor."""
        return [rate * factor for rate in self._present()]

    def _base_times(self, factor: float) -> list[Any]:
        """Return the initial learning rates multiplied by a factor."""
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
        """Return the attributes of the scheduler, except the optimizer, as a dict.

        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5).state_dict()["gamma"]
        0.5
        """
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load the result of ``state_dict``.

        Args:
            state_dict: The dict to load.

        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
        >>> schedule.load_state_dict(schedule.state_dict() | {"last_epoch": 3})
        >>> schedule.last_epoch
        3
        """
        self.__dict__.update(state_dict)


def check_optimizer(optimizer: Any) -> None:
    """Raise TypeError unless the argument is an ``Optimizer``."""
    if not isinstance(optimizer, Optimizer):
        raise ArgumentTypeError(f"{type(optimizer).__name__} is not an Optimizer")


def copied(value: Any) -> Any:
    """Return an option, copied if it is a tensor, which may change in place."""
    return value.clone() if isinstance(value, Tensor) else value


def options(optimizer: Optimizer, name: str) -> list[Any]:
    """Return the value of an option in each group."""
    return [copied(group[name]) for group in optimizer.param_groups]


def set_option(group: dict[str, Any], name: str, value: Any) -> None:
    """Set an option of a group; a tensor is changed in place."""
    if isinstance(group[name], Tensor):
        group[name].fill_(as_number(value))
    else:
        group[name] = value


def per_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """Return one value for each group; raise ValueError if a list has another length."""
    count = len(optimizer.param_groups)
    values = value if isinstance(value, list | tuple) else [value] * count
    if len(values) != count:
        raise ArgumentError(
            f"{name} must have the same length as optimizer.param_groups. {name} has "
            f"{len(values)} values, param_groups has {count}."
        )
    return [copied(each) for each in values]


EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
    "possible: the schedule counts its own steps. With an epoch, a closed form takes the place "
    "of the rule that goes from step to step, where there is one."
)


def warn_of_epoch() -> None:
    """Warn that the ``epoch`` argument is deprecated."""
    warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=user_stacklevel())


_SEE = "See https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"


def _warn_of_wrong_order(optimizer: Optimizer) -> None:
    if _function(optimizer.step) is not optimizer.__dict__["_step_when_scheduled"]:
        warnings.warn(
            "Seems like `optimizer.step()` has been overridden after learning rate scheduler "
            "initialization. Please, make sure to call `optimizer.step()` before "
            f"`lr_scheduler.step()`. {_SEE}",
            UserWarning,
            stacklevel=user_stacklevel(),
        )
    elif not optimizer._opt_called:
        warnings.warn(
            "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 "
            "and later, you should call them in the opposite order: `optimizer.step()` before "
            f"`lr_scheduler.step()`. Otherwise the first learning rate is never used. {_SEE}",
            UserWarning,
            stacklevel=user_stacklevel(),
        )


def _function(step: Any) -> Any:
    """Return the function behind a bound method, whose identity is stable."""
    return getattr(step, "__func__", step)
