"""Averages over small groups of ranks often, and over larger ones now and then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pellucid.distributed.algorithms.model_averaging.averagers import (
    ModelAverager,
    average,
    with_gradients,
)
from pellucid.errors import ArgumentError
from pellucid.processes.groups import get_world_size, new_subgroups

__all__ = ["HierarchicalModelAverager"]


class HierarchicalModelAverager(ModelAverager):
    """What averages parameters over groups of ranks, the larger the group the more rarely.

    Lin et al., "Don't use large mini-batches, use local SGD", 2020.

    Args:
        period_group_size_dict: For each number of steps, ascending, how many ranks average then;
            the last number of ranks is that of ``process_group``.
        warmup_steps: How many calls pass before the first average.
        process_group: The ranks; all if None.

    Raises ValueError for numbers that are too small, or that do not match the ranks.
    """

    def __init__(
        self, period_group_size_dict: Mapping[int, int] | None = None, warmup_steps: int = 0,
        process_group: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(process_group)
        sizes = dict(period_group_size_dict or {})
        if not sizes:
            raise ArgumentError("Arg ``period_group_size_dict`` must not be empty.")
        if min(sizes) <= 0:
            raise ArgumentError(
                "The minimum period in arg ``period_group_size_dict`` must be a positive value."
            )
        total, last = get_world_size(process_group), list(sizes.values())[-1]
        if last != total:
            raise ArgumentError(
                f"The last value in arg ``period_group_size_dict`` {last} must be equal to the "
                f"size of arg ``process_group`` {total}."
            )
        if warmup_steps < 0:
            raise ArgumentError("Arg ``warmup_steps`` must be a non-negative number.")
        self.warmup_steps = warmup_steps
        #: who averages at each period
        self.period_process_group_dict: dict[int, Any] = {
            period: process_group if size == total else new_subgroups(size)[0]
            for period, size in sizes.items()
        }

    def average_parameters(self, params: Iterable[Any]) -> None:
        """Average the parameters that have gradients over the largest group whose time it is.

        Args:
            params: Parameters, or the groups of an optimizer.
        """
        due = [
            group for period, group in self.period_process_group_dict.items()
            if self.step % period == 0
        ]  # fmt: skip
        if self.step >= self.warmup_steps and due:
            average(with_gradients(params), due[-1])
        self.step += 1
