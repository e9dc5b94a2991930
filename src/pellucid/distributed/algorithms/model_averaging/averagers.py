"""Averages of the parameters of all ranks, every so many steps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from pellucid.core.call.call import new_tensor
from pellucid.errors import ArgumentError
from pellucid.processes.collectives import all_reduce
from pellucid.processes.groups import GroupMember, get_world_size


class ModelAverager:
    """What averages the parameters of a model.

    Args:
        process_group: The ranks; all if None.
    """

    def __init__(self, process_group: Any = None) -> None:
        self.process_group = process_group
        #: how often it has been called
        self.step = 0

    def average_parameters(self, params: Iterable[Any]) -> None:
        """Average the parameters, if it is time to.

        Args:
            params: Parameters, or the groups of an optimizer.
        """
        raise NotImplementedError


class PeriodicModelAverager(ModelAverager):
    """What averages the parameters of a model every ``period`` calls.

    Args:
        period: How many calls pass between two averages.
        warmup_steps: How many calls pass before the first one.
        process_group: The ranks; all if None.

    Raises ValueError for numbers that are too small.
    """

    def __init__(self, period: int, warmup_steps: int = 0, process_group: Any = None) -> None:
        super().__init__(process_group)
        if warmup_steps < 0:
            raise ArgumentError("Arg ``warmup_steps`` must be a non-negative number.")
        if period <= 0:
            raise ArgumentError("Arg ``period`` must be a positive value.")
        self.period = period
        self.warmup_steps = warmup_steps

    def average_parameters(self, params: Iterable[Any]) -> None:
        """Average the parameters that have gradients, if it is time to.

        Args:
            params: Parameters, or the groups of an optimizer.
        """
        steps = self.step - self.warmup_steps
        if steps >= 0 and steps % self.period == 0:
            average(with_gradients(params), self.process_group)
        self.step += 1


def with_gradients(params: Iterable[Any]) -> list[Any]:
    """Return those parameters that have gradients.

    Args:
        params: Parameters, or the groups of an optimizer.
    """
    found: list[Any] = []
    for each in params:
        found += each["params"] if isinstance(each, dict) else [each]
    return [each for each in found if each.grad is not None]


def average(params: list[Any], process_group: Any) -> None:
    """Replace parameters by their averages over the ranks, which exchange them at once.

    Args:
        params: The parameters.
        process_group: The ranks; all if None.
    """
    if process_group == GroupMember.NON_GROUP_MEMBER or not params:
        return
    flat: Any = new_tensor(np.concatenate([each._array.reshape(-1) for each in params]))
    flat /= get_world_size(process_group)
    all_reduce(flat, group=process_group)
    for param, part in zip(params, flat.split([each.numel() for each in params]), strict=True):
        param.data = part.view_as(param).to(param.dtype)
