"""Optimizer state kept once over all ranks, instead of once on each."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from pellucid.errors import UnimplementedError
from pellucid.nn.parallel.reducer import send_from
from pellucid.optim.optimizer import Optimizer, ParamsT
from pellucid.processes.groups import resolved
from pellucid.processes.join import Join, Joinable, JoinHook


class ZeroRedundancyOptimizer(Optimizer, Joinable):
    """Optimizer of which each rank keeps the state of, and steps, its part of the parameters.

    Rajbhandari et al., "ZeRO", 2020, stage 1. The largest parameters are dealt out first, each to
    the rank that has least so far. After a step, every rank gets the parameters of all others.

    Args:
        params: Parameters, or groups of them, the same on all ranks.
        optimizer_class: The optimizer that each rank runs on its part.
        process_group: The group; the default one if None.
        parameters_as_bucket_view: Accepted for compatibility; parameters are sent from where they
            are.
        overlap_with_ddp: Not supported.
        **defaults: Options of ``optimizer_class``.

    Raises:
        ValueError: Without a process group.
        NotImplementedError: With ``overlap_with_ddp``.

    >>> from pellucid.distributed.optim import ZeroRedundancyOptimizer
    >>> torch.distributed.init_process_group(world_size=1, rank=0)
    >>> w = torch.ones(2, requires_grad=True)
    >>> optimizer = ZeroRedundancyOptimizer([w], torch.optim.SGD, lr=0.5)
    >>> w.sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.5000, 0.5000], requires_grad=True)
    >>> torch.distributed.destroy_process_group()
    """

    def __init__(
        self, params: ParamsT, optimizer_class: type[Optimizer], process_group: Any = None,
        parameters_as_bucket_view: bool = False, overlap_with_ddp: bool = False, **defaults: Any,
    ) -> None:  # fmt: skip
        if overlap_with_ddp:
            raise UnimplementedError(
                "ZeroRedundancyOptimizer: overlap_with_ddp is not supported; step after backward"
            )
        self.process_group = resolved(process_group)
        self._members = self.process_group
        self._comm = self._members.another_communicator()
        self._class = optimizer_class
        self._loads = [0] * self._members.size()
        #: which rank of the group steps each parameter, by id
        self._owners: dict[int, int] = {}
        self._consolidated: dict[str, Any] | None = None
        self.optim: Optimizer | None = None
        self._options = defaults
        super().__init__(params, defaults)
        self._build()

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters, and deal them out to the ranks.

        Args:
            param_group: A dictionary with ``params`` and options.
        """
        super().add_param_group(param_group)
        params = self.param_groups[-1]["params"]
        for param in sorted(params, key=lambda each: each.numel(), reverse=True):
            owner = self._loads.index(min(self._loads))
            self._owners[id(param)] = owner
            self._loads[owner] += param.numel()
        if self.optim is not None:
            self._build()

    def _build(self) -> None:
        """Make the optimizer of this rank's part; state that it has already is kept."""
        before = self.optim
        parts = [
            {**group, "params": self._part(group, self._members.rank())}
            for group in self.param_groups
        ]
        # An optimizer takes groups without parameters, but not without any group.
        self.optim = self._class(parts, **self._options)
        for whole, part in zip(self.param_groups, self.optim.param_groups, strict=True):
            for name, value in part.items():
                if name != "params":
                    whole.setdefault(name, value)
        if before is not None:
            self.optim.state.update(before.state)

    def _part(self, group: dict[str, Any], rank: int) -> list[Any]:
        return [param for param in group["params"] if self._owners[id(param)] == rank]

    def step(self, closure: Callable[[], Any] | None = None, **kwargs: Any) -> Any:
        """Step this rank's part of the parameters, and exchange all parameters.

        Args:
            closure: Computes the loss again, with its gradients.
            **kwargs: Further arguments of the optimizer's step.

        Returns:
            What the closure returned, if given.
        """
        assert self.optim is not None
        Join.notify_join_context(self)
        self._copy_options(self.param_groups, self.optim.param_groups)
        loss = self.optim.step(**kwargs) if closure is None else self.optim.step(closure, **kwargs)
        self._copy_options(self.optim.param_groups, self.param_groups)
        for rank in range(self._members.size()):
            params = [param for group in self.param_groups for param in self._part(group, rank)]
            if params:
                send_from(self._members, self._comm, params, rank, "stepped parameters")
        return loss

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """Return what `Join` does for this optimizer on ranks that have no batches left.

        Args:
            **kwargs: What others need; nothing here.
        """
        return _Stepping(self)

    @property
    def join_device(self) -> Any:
        """The device of the parameters."""
        return self.param_groups[0]["params"][0].device

    @property
    def join_process_group(self) -> Any:
        """The group whose ranks share the state."""
        return self.process_group

    @staticmethod
    def _copy_options(source: list[dict[str, Any]], target: list[dict[str, Any]]) -> None:
        for old, new in zip(source, target, strict=True):
            new.update({name: value for name, value in old.items() if name != "params"})

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Bring the state of all ranks to one, for `state_dict`; all ranks call it.

        Args:
            to: The rank that gets the state.
        """
        assert self.optim is not None
        positions = self._positions()
        mine = {positions[id(param)]: state for param, state in self.optim.state.items()}
        every = self._members.gathered(mine, f"consolidate_state_dict(to {to})")
        if self._members.rank() == to:
            state = {position: each for part in every for position, each in part.items()}
            self._consolidated = {position: state[position] for position in sorted(state)}

    def _positions(self) -> dict[int, int]:
        params = [param for group in self.param_groups for param in group["params"]]
        return {id(param): position for position, param in enumerate(params)}

    def state_dict(self) -> dict[str, Any]:
        """Return options and the state of all ranks, as an optimizer that is not spread has it.

        Returns:
            A dictionary with ``state`` and ``param_groups``.

        Raises:
            RuntimeError: If `consolidate_state_dict` has not been called for this rank.
        """
        if self._consolidated is None:
            raise RuntimeError(
                "Optimizer state has not been consolidated on this rank. Please call "
                f"`consolidate_state_dict(to={self._members.rank()})` on all ranks beforehand if "
                "you meant to save the global state."
            )
        packed = super().state_dict()
        return {**packed, "state": copy.deepcopy(self._consolidated)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load options and state; each rank keeps that of its part.

        Args:
            state_dict: What `state_dict` has returned, of any number of ranks.

        Raises:
            ValueError: If the groups do not match.
        """
        assert self.optim is not None
        super().load_state_dict(state_dict)
        loaded = self.state
        self.state = type(loaded)(dict)
        self._copy_options(self.param_groups, self.optim.param_groups)
        rank = self._members.rank()
        for param, state in loaded.items():
            if self._owners.get(id(param), rank) == rank:
                self.optim.state[param] = state


class _Stepping(JoinHook):
    """What a rank without batches does: it goes on to step its part of the parameters.

    Args:
        optimizer: The optimizer.
    """

    def __init__(self, optimizer: ZeroRedundancyOptimizer) -> None:
        self._optimizer = optimizer

    def main_hook(self) -> None:
        """Step this rank's part, with the gradients that the others have computed."""
        self._optimizer.step()
