"""Averages of model weights over training: stochastic weight averaging and exponential averages."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any, Literal

from pellucid.autograd.modes import no_grad
from pellucid.dtypes import int64
from pellucid.errors import ArgumentError
from pellucid.nn.modules.batchnorm import _BatchNorm
from pellucid.nn.modules.module import Module
from pellucid.optim.optimizer import Optimizer
from pellucid.optim.schedules.base import LRScheduler, per_group
from pellucid.tensors import Tensor
from pellucid.tensors.creation import tensor

__all__ = [
    "SWALR", "AveragedModel", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn",
    "get_swa_multi_avg_fn", "update_bn",
]  # fmt: skip

Average = Callable[[Any, Any, Any], Any]


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """Return a function that updates an exponential moving average, for ``AveragedModel``.

    Args:
        decay: Weight of the previous average, in [0, 1].

    Raises:
        ValueError: If ``decay`` is outside [0, 1].

    >>> average = torch.optim.swa_utils.get_ema_avg_fn(0.5)
    >>> average(torch.tensor(1.0), torch.tensor(2.0), 7)
    tensor(1.5000)
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Average:
    """Return a function that updates the equally weighted average, for ``AveragedModel``.

    >>> average = torch.optim.swa_utils.get_swa_avg_fn()
    >>> average(torch.tensor(1.0), torch.tensor(5.0), 3)
    tensor(2.)
    """

    @no_grad()
    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay: float = 0.999) -> Average:
    """Return a function that updates a list of exponential moving averages in place.

    Args:
        decay: Weight of the previous average, in [0, 1].

    Raises:
        ValueError: If ``decay`` is outside [0, 1].

    >>> averages = [torch.tensor(1.0)]
    >>> torch.optim.swa_utils.get_ema_multi_avg_fn(0.5)(averages, [torch.tensor(2.0)], 7)
    >>> averages
    [tensor(1.5000)]
    """
    _check_decay(decay)
    return _in_place(get_ema_avg_fn(decay))


def get_swa_multi_avg_fn() -> Average:
    """Return a function that updates a list of equally weighted averages in place.

    >>> averages = [torch.tensor(1.0)]
    >>> torch.optim.swa_utils.get_swa_multi_avg_fn()(averages, [torch.tensor(5.0)], 3)
    >>> averages
    [tensor(2.)]
    """
    return _in_place(get_swa_avg_fn())


def _in_place(average: Average) -> Average:
    @no_grad()
    def update(averaged_params: Any, current_params: Any, num_averaged: Any) -> None:
        for averaged, current in zip(averaged_params, current_params, strict=True):
            averaged.copy_(average(averaged, current, num_averaged))

    return update


def _check_decay(decay: float) -> None:
    if not 0.0 <= decay <= 1.0:
        raise ArgumentError(
            f"Invalid decay value {decay} provided. Please provide a value in [0,1] range."
        )


class AveragedModel(Module):
    """Copy of a model whose parameters are averages of the model's parameters over time.

    By default all values have equal weight. Source: Izmailov et al., "Averaging weights leads to
    wider optima and better generalization", 2018.

    Args:
        model: Model to average; a deep copy of it is kept as ``module``.
        device: Device of the copy.
        avg_fn: Called as ``avg_fn(averaged, current, count)`` for each tensor; returns the new
            average.
        multi_avg_fn: Called with lists of tensors instead; updates the averages in place.
        use_buffers: Whether to average buffers too; otherwise they are copied.

    Raises:
        AssertionError: If both functions are given.

    Attributes:
        module: The averaged copy of the model.
        n_averaged: int64 tensor, the number of updates so far.

    >>> model = torch.nn.Linear(1, 1)
    >>> averaged = torch.optim.swa_utils.AveragedModel(model)
    >>> for value in (1.0, 3.0):
    ...     _ = torch.nn.init.constant_(model.weight, value)
    ...     averaged.update_parameters(model)
    >>> averaged.module.weight.item()
    2.0
    """

    n_averaged: Tensor

    def __init__(
        self, model: Module, device: Any = None, avg_fn: Average | None = None,
        multi_avg_fn: Average | None = None, use_buffers: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=int64, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return the output of the averaged model.

        Args:
            args: Positional arguments of the model.
            kwargs: Keyword arguments of the model.
        """
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Update the averages with the current parameters of the model.

        Args:
            model: The model that is trained; its values are copied at the first call.

        >>> model = torch.nn.Linear(1, 1)
        >>> averaged = torch.optim.swa_utils.AveragedModel(model)
        >>> averaged.update_parameters(model)
        >>> averaged.n_averaged
        tensor(1)
        """
        averaged, current = self._averaged(self.module), self._averaged(model)
        if self.n_averaged.item() == 0:
            for mine, other in zip(averaged, current, strict=True):
                mine.copy_(other)
        else:
            self._average(averaged, current)
        if not self.use_buffers:
            for mine, other in zip(self.module.buffers(), model.buffers(), strict=True):
                mine.detach().copy_(other.detach())
        self.n_averaged.add_(1)

    def _averaged(self, module: Module) -> list[Tensor]:
        """Return the tensors of a module that are averaged, detached."""
        buffers = module.buffers() if self.use_buffers else ()
        return [each.detach() for each in itertools.chain(module.parameters(), buffers)]

    def _average(self, averaged: list[Tensor], current: list[Tensor]) -> None:
        update = self.multi_avg_fn or _in_place(self.avg_fn or get_swa_avg_fn())
        of_dtype: defaultdict[Any, list[tuple[Tensor, Tensor]]] = defaultdict(list)
        for mine, other in zip(averaged, current, strict=True):
            of_dtype[mine.dtype].append((mine, other))
        for pairs in of_dtype.values():
            update([mine for mine, _ in pairs], [other for _, other in pairs], self.n_averaged)


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Recompute the running statistics of batch normalization in one pass over the data.

    A model with averaged weights needs this before evaluation.

    Args:
        loader: Iterable of batches; a batch that is a list or tuple starts with the input.
        model: The model to update; it stays in its mode, training or evaluation.
        device: Device to move the inputs to.

    >>> model = torch.nn.Sequential(torch.nn.BatchNorm1d(1))
    >>> torch.optim.swa_utils.update_bn([torch.tensor([[1.0], [3.0]])], model)
    >>> model[0].running_mean
    tensor([2.])
    """
    momenta = {
        module: module.momentum for module in model.modules() if isinstance(module, _BatchNorm)
    }
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.reset_running_stats()
        module.momentum = None  # None: the mean over all batches, not a moving one
    for batch in loader:
        inputs = batch[0] if isinstance(batch, list | tuple) else batch
        model(inputs if device is None else inputs.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Scheduler that anneals the learning rate to a constant value for weight averaging.

    Source: Izmailov et al., "Averaging weights leads to wider optima and better generalization",
    2018.

    Args:
        optimizer: Optimizer whose learning rates are set.
        swa_lr: Final learning rate, or a list of one for each group.
        anneal_epochs: Number of epochs until it is reached.
        anneal_strategy: ``"cos"`` or ``"linear"``.
        last_epoch: Index of the last epoch when training is resumed; -1 starts from the beginning.

    Raises:
        ValueError: If an argument is out of range.

    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.swa_utils.SWALR(
    ...     optimizer, swa_lr=0.5, anneal_epochs=2, anneal_strategy="linear"
    ... )
    >>> optimizer.step()
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.75]
    """

    def __init__(
        self, optimizer: Optimizer, swa_lr: float | list[float], anneal_epochs: int = 10,
        anneal_strategy: Literal["cos", "linear"] = "cos", last_epoch: int = -1,
    ) -> None:  # fmt: skip
        rates = per_group("swa_lr", optimizer, swa_lr)
        if anneal_strategy not in ("cos", "linear"):
            raise ArgumentError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ArgumentError(
                f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}"
            )
        for rate, group in zip(rates, optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        self._anneal_strategy = anneal_strategy
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _annealed_fraction(self, step: int) -> float:
        """Return the fraction of the annealing that is complete at a step."""
        part = max(0, min(1, step / max(1, self.anneal_epochs)))
        return part if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * part)) / 2

    def get_lr(self) -> list[Any]:
        self._warn_unless_stepping()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, share = self._annealed_fraction(step - 1), self._annealed_fraction(step)
        return [
            group["swa_lr"] * share + _start(group["lr"], group["swa_lr"], before) * (1 - share)
            for group in self.optimizer.param_groups
        ]


def _start(lr: Any, swa_lr: Any, share: float) -> Any:
    """Return the initial rate from which annealing by a fraction has led to the present one."""
    return swa_lr if share == 1 else (lr - share * swa_lr) / (1 - share)
