"""Training of ranks with different numbers of batches: what any object does for the others.

# Note [Joining]

At each iteration every rank that has a batch tells so, by an `all_reduce` of ones that the first of
the objects starts. A rank without batches takes part in it with zeros: as long as the sum is not
zero, its objects do what they have to for the exchanges of the others to end.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

from pellucid.errors import ArgumentError
from pellucid.processes.collectives import all_reduce
from pellucid.processes.groups import ProcessGroup
from pellucid.processes.work import Work
from pellucid.tensors.creation import ones, zeros


class JoinHook:
    """What one object does while its rank has no batches, and in the end."""

    def main_hook(self) -> None:
        """Take part in the exchanges of one iteration of the other ranks."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Take part in what follows when no rank has batches any more.

        Args:
            is_last_joiner: Whether this rank was among the last that had some.
        """


class _JoinConfig(NamedTuple):
    """The settings that a `Join` has given an object."""

    enable: bool = False
    throw_on_early_termination: bool = False
    is_first_joinable: bool = False


class Joinable(ABC):
    """An object whose exchanges can end though some ranks have no batches left."""

    _join_config = _JoinConfig()

    @abstractmethod
    def join_hook(self, **kwargs: Any) -> JoinHook:
        """Return what the object does on a rank that has no batches left.

        Args:
            **kwargs: What `Join` was given for all of its objects.
        """

    @property
    @abstractmethod
    def join_device(self) -> Any:
        """The device of the tensors by which ranks tell that they go on."""

    @property
    @abstractmethod
    def join_process_group(self) -> Any:
        """The group of the object's exchanges."""


class Join:
    """Block in which ranks may have different numbers of batches.

    Args:
        joinables: Objects that exchange in each iteration, in the order in which they do.
        enable: Whether to do anything.
        throw_on_early_termination: Whether all ranks raise RuntimeError when the first one ends.
        **kwargs: Given to each object's ``join_hook``.

    Raises:
        ValueError: Without objects, and for objects of different groups.

    >>> from pellucid.distributed.algorithms.join import Join
    >>> torch.distributed.init_process_group(world_size=1, rank=0)
    >>> net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1))
    >>> with Join([net]):
    ...     net(torch.ones(2, 1)).sum().backward()
    >>> net.module.bias.grad
    tensor([2.])
    >>> torch.distributed.destroy_process_group()
    """

    def __init__(
        self, joinables: Sequence[Joinable], enable: bool = True,
        throw_on_early_termination: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        if not joinables:
            raise ArgumentError("The join context manager requires at least one joinable")
        self._joinables = list(joinables)
        self._hooks = [each.join_hook(**kwargs) for each in self._joinables]
        self._enable = enable
        self._throw = throw_on_early_termination
        for number, each in enumerate(self._joinables):
            each._join_config = _JoinConfig(enable, self._throw, number == 0)
        groups = [each.join_process_group for each in self._joinables]
        if any(group != groups[0] for group in groups):
            raise ArgumentError("Using join context manager with multiple process groups")
        self._group: ProcessGroup = groups[0]

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if not self._enable or kind is not None:
            return
        is_last = True
        while self._count_of_others():
            if self._throw:
                all_reduce(ones(1), group=self._group)
                raise RuntimeError(f"Rank {self._group.rank()} exhausted all inputs.")
            for each in self._hooks:
                each.main_hook()
            is_last = False
        for each in self._hooks:
            each.post_hook(is_last)

    def _count_of_others(self) -> float:
        """Return how many ranks have batches; this one has none."""
        count = zeros(1)
        all_reduce(count, group=self._group)
        return count.item()

    @staticmethod
    def notify_join_context(joinable: Joinable) -> Work | None:
        """Announce to the ranks without batches that an iteration begins.

        Args:
            joinable: The object, which calls this before its exchanges.

        Returns:
            The exchange; None where another object tells, or there is no block.

        Raises:
            RuntimeError: If a rank has ended, and that is an error.
        """
        config = joinable._join_config
        if not (config.enable and config.is_first_joinable):
            return None
        group = joinable.join_process_group
        told = all_reduce(ones(1), group=group, async_op=True)
        if config.throw_on_early_termination:
            ended = zeros(1)
            all_reduce(ended, group=group)
            if ended.item():
                raise RuntimeError(
                    "Detected at least one rank that exhausted inputs. Throwing across all ranks."
                )
        return told
