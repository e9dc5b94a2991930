"""In which order the ranks of a pipeline compute the microbatches, forward and backward.

# Note [Orders of a pipeline]

A schedule is, for each rank, a list of steps: forward or backward, of a stage, for a microbatch.
What is sent does not wait for its receiver, and what is received is waited for, so every order in
which each step comes after those that it needs runs to its end. The orders differ in how long ranks
stand idle, and in how many microbatches are kept for backward: all with GPipe (Huang et al.,
2019), at most as many as stages follow with one-forward-one-backward (Narayanan et al.,
"PipeDream", 2019); with several stages per rank, dealt out in turn, ranks begin sooner (Narayanan
et al., "Efficient large-scale language model training", 2021).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from pellucid.autograd.modes import no_grad
from pellucid.distributed.pipelining.microbatch import TensorChunkSpec, cut, cut_arguments, joined
from pellucid.distributed.pipelining.stage import PipelineStage
from pellucid.docstrings import completed
from pellucid.errors import ArgumentError


class Step(NamedTuple):
    """One step of a rank."""

    is_forward: bool
    stage: int
    microbatch: int


class _Schedule:
    """What all schedules have: cutting, running, joining."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        completed(cls)

    def __init__(
        self, stages: Sequence[PipelineStage], n_microbatches: int,
        loss_fn: Callable[..., Any] | None, args_chunk_spec: Sequence[TensorChunkSpec] | None,
        kwargs_chunk_spec: dict[str, TensorChunkSpec] | None, scale_grads: bool,
    ) -> None:  # fmt: skip
        self._stages = {each.stage_index: each for each in stages}
        self._n_microbatches = n_microbatches
        self._loss_fn = loss_fn
        self._args_chunk_spec = args_chunk_spec
        self._kwargs_chunk_spec = kwargs_chunk_spec
        self.scale_grads = scale_grads
        first = next(iter(self._stages.values()))
        self._ranks, self._rank = first.group_size, first.group_rank
        self._count = first.num_stages

    def order(self) -> Iterator[Step]:
        """Return the steps of this rank."""
        raise NotImplementedError

    def step(
        self, *args: Any, target: Any = None, losses: list[Any] | None = None,
        return_outputs: bool = True, loss_kwargs: dict[str, Any] | None = None, **kwargs: Any,
    ) -> Any:  # fmt: skip
        """Run a batch forward and, if there is a loss, backward; gradients are added up.

        Args:
            args: The inputs of the first stage.
            target: What the loss compares the outputs with, on the last stage.
            losses: A list that gets the losses of the microbatches, on the last stage.
            return_outputs: Whether to return the outputs.
            loss_kwargs: Further arguments of the loss.
            kwargs: Inputs of all stages of this rank, by name.

        Returns:
            The outputs of the whole batch, on the last stage; None elsewhere.
        """
        return self._run(list(self.order()), args, kwargs, target, losses, return_outputs,
                         loss_kwargs or {}, self._loss_fn is not None)  # fmt: skip

    def eval(
        self, *args: Any, target: Any = None, losses: list[Any] | None = None, **kwargs: Any
    ) -> Any:
        """Run a batch forward without recording it.

        Args:
            args: The inputs of the first stage.
            target: What the loss compares the outputs with, on the last stage.
            losses: A list that gets the losses of the microbatches, on the last stage.
            kwargs: Inputs of all stages of this rank, by name.

        Returns:
            The outputs of the whole batch, on the last stage; None elsewhere.
        """
        steps = [each for each in self.order() if each.is_forward]
        with no_grad():
            return self._run(steps, args, kwargs, target, losses, True, {}, False)

    def _run(
        self, steps: list[Step], args: tuple[Any, ...], kwargs: dict[str, Any], target: Any,
        losses: list[Any] | None, return_outputs: bool, loss_kwargs: dict[str, Any],
        is_training: bool,
    ) -> Any:  # fmt: skip
        count = self._n_microbatches
        parts = cut_arguments(args, kwargs, self._args_chunk_spec, self._kwargs_chunk_spec, count)
        targets = None if target is None else cut(target, None, count)
        found: dict[int, Any] = {}
        for stage in self._stages.values():
            stage.clear()
        for is_forward, index, number in steps:
            stage = self._stages[index]
            if not is_forward:
                stage.backward_one(number, found.get(number), self._stages)
                continue
            result = stage.forward_one(number, *parts[number], self._stages, is_training)
            if stage.is_last and self._loss_fn is not None and targets is not None:
                found[number] = self._loss_fn(result, targets[number], **loss_kwargs)
        if is_training and self.scale_grads:
            for stage in self._stages.values():
                stage.scale_grads(count)
        for stage in self._stages.values():
            stage.finish()
        return self._told(found, losses, return_outputs)

    def _told(self, found: dict[int, Any], losses: list[Any] | None, return_outputs: bool) -> Any:
        """Return the outputs, and hand over the losses, on the last stage."""
        last = next((each for each in self._stages.values() if each.is_last), None)
        if last is None:
            return None
        if losses is not None:
            losses[:] = [found[number] for number in sorted(found)]
        return joined(last.results, last.is_single) if return_outputs else None


class _OneStage(_Schedule):
    """A schedule of ranks that have one stage each."""

    def __init__(
        self, stage: PipelineStage, n_microbatches: int, loss_fn: Callable[..., Any] | None = None,
        args_chunk_spec: Sequence[TensorChunkSpec] | None = None,
        kwargs_chunk_spec: dict[str, TensorChunkSpec] | None = None,
        output_merge_spec: Any = None, scale_grads: bool = True,
    ) -> None:  # fmt: skip
        if stage.num_stages != stage.group_size:
            raise ArgumentError(
                f"{type(self).__name__} takes one stage per rank, not {stage.num_stages} stages on "
                f"{stage.group_size} ranks: take ScheduleInterleaved1F1B"
            )
        super().__init__(
            [stage], n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, scale_grads
        )


class ScheduleGPipe(_OneStage):
    """A schedule in which all microbatches go forward, and then all backward.

    Args:
        stage: The stage of this rank.
        n_microbatches: How many parts a batch is cut into.
        loss_fn: Takes an output and a target; no backward pass if None.
        args_chunk_spec: Dims along which positional inputs are cut; 0 if None.
        kwargs_chunk_spec: Dims along which inputs by name are cut; 0 if None.
        output_merge_spec: Accepted for compatibility; outputs are joined along dim 0.
        scale_grads: Whether gradients are divided by the number of microbatches, as for a loss
            that is a mean.
    """

    def order(self) -> Iterator[Step]:
        """Return the steps of this rank."""
        numbers = range(self._n_microbatches)
        yield from (Step(True, self._rank, number) for number in numbers)
        yield from (Step(False, self._rank, number) for number in numbers)


class Schedule1F1B(_OneStage):
    """A schedule in which each rank, once it has been reached by gradients, takes turns.

    Args: As for `ScheduleGPipe`.
    """

    def order(self) -> Iterator[Step]:
        """Return the steps of this rank."""
        total, rank = self._n_microbatches, self._rank
        ahead = min(total, self._count - rank)
        yield from (Step(True, rank, number) for number in range(ahead))
        for number in range(total):
            yield Step(False, rank, number)
            if ahead + number < total:
                yield Step(True, rank, ahead + number)


class _SeveralStages(_Schedule):
    """A schedule of ranks that have several stages each, dealt out in turn."""

    def __init__(
        self, stages: list[PipelineStage], n_microbatches: int,
        loss_fn: Callable[..., Any] | None = None,
        args_chunk_spec: Sequence[TensorChunkSpec] | None = None,
        kwargs_chunk_spec: dict[str, TensorChunkSpec] | None = None,
        output_merge_spec: Any = None, scale_grads: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(
            stages, n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, scale_grads
        )
        self._per_rank = self._count // self._ranks
        if len(stages) != self._per_rank or self._count % self._ranks:
            raise ArgumentError(
                f"{type(self).__name__}: rank {self._rank} has {len(stages)} of {self._count} "
                f"stages, which {self._ranks} ranks cannot share equally"
            )


class ScheduleInterleaved1F1B(_SeveralStages):
    """A schedule in which ranks with several stages take turns, once gradients have come.

    Args:
        stages: The stages of this rank.
        n_microbatches: How many parts a batch is cut into.
        loss_fn: Takes an output and a target; no backward pass if None.
        args_chunk_spec: Dims along which positional inputs are cut; 0 if None.
        kwargs_chunk_spec: Dims along which inputs by name are cut; 0 if None.
        output_merge_spec: Accepted for compatibility; outputs are joined along dim 0.
        scale_grads: Whether gradients are divided by the number of microbatches, as for a loss
            that is a mean.

    Raises ValueError if the microbatches cannot go around in rounds of equal size.
    """

    def order(self) -> Iterator[Step]:
        """Return the steps of this rank."""
        total = self._n_microbatches
        rounds = max(1, total // self._ranks)
        if total % rounds:
            raise ArgumentError(
                "Interleaved 1F1B requires the number of microbatches to be a multiple of the "
                f"number of rounds ({rounds}), but got {total}."
            )
        size, per_rank = total // rounds, self._per_rank
        every = total * per_rank
        ahead = min(every, (per_rank - 1) * size + 2 * (self._ranks - 1 - self._rank))

        def step(is_forward: bool, at: int) -> Step:
            local = at // size % per_rank
            local = local if is_forward else per_rank - 1 - local
            microbatch = at % size + size * (at // (size * per_rank))
            return Step(is_forward, local * self._ranks + self._rank, microbatch)

        yield from (step(True, at) for at in range(ahead))
        for at in range(every):
            if ahead + at < every:
                yield step(True, ahead + at)
            yield step(False, at)


class ScheduleLoopedBFS(_SeveralStages):
    """A schedule in which all microbatches pass one stage of the rank before they enter the next.

    Lamy-Poirier, "Breadth-first pipeline parallelism", 2022.

    Args: As for `ScheduleInterleaved1F1B`.
    """

    def order(self) -> Iterator[Step]:
        """Return the steps of this rank."""
        stages, numbers = sorted(self._stages), range(self._n_microbatches)
        yield from (Step(True, stage, number) for stage in stages for number in numbers)
        yield from (
            Step(False, stage, number) for stage in stages[::-1] for number in numbers[::-1]
        )


def get_schedule_class(schedule_name: str) -> type[Any]:
    """Return a schedule by its name, with or without "Schedule" in front, in any case.

    Args:
        schedule_name: The name, as "1F1B".

    Raises:
        ValueError: For a name that no schedule has.

    >>> from pellucid.distributed.pipelining.schedules import get_schedule_class
    >>> get_schedule_class("gpipe").__name__
    'ScheduleGPipe'
    """
    every = (ScheduleGPipe, Schedule1F1B, ScheduleInterleaved1F1B, ScheduleLoopedBFS)
    named = {each.__name__.lower().removeprefix("schedule"): each for each in every}
    wanted = schedule_name.lower().removeprefix("schedule")
    if wanted not in named:
        known = [each.__name__.removeprefix("Schedule") for each in every]
        raise ArgumentError(
            f"Unknown schedule name '{schedule_name}'. The valid options are {known}"
        )
    return named[wanted]
