"""The parameters of one sharded module: gathered for computing, dealt out in between.

# Note [Gathered parameters]

A module computes with whole parameters, leaves of their own, whose memory is there only between
gathering and dealing out; in between they stand on one zero that is repeated. What backward saves
of their memory is kept as a place within the parameter, and the parameter is gathered again when
backward asks for it first. When all gradients of a module have come, each rank gets the average of
its rows, and the whole parameters and gradients are let go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.autograd.passes import queue_callback
from pellucid.core.call.call import new_tensor
from pellucid.distributed.fsdp.layouts import shard_spec
from pellucid.distributed.fsdp.policies import MixedPrecisionPolicy
from pellucid.distributed.tensor.dtensor import DTensor, wrapped
from pellucid.distributed.tensor.spec import Spec
from pellucid.dtypes import to_numpy_dtype
from pellucid.nn.parameter import Parameter
from pellucid.processes.mesh import DeviceMesh
from pellucid.processes.progress import let_go_on
from pellucid.processes.reductions import RedOpType, Reducible
from pellucid.processes.sharding import Sharding
from pellucid.processes.work import Work

Array = np.ndarray[Any, Any]


class ShardedParam:
    """One parameter: its shard, and the leaf that the module computes with."""

    def __init__(
        self, owners: list[tuple[Any, str]], mesh: DeviceMesh, dtype: Any, dim: int = 0
    ) -> None:
        param = owners[0][0]._parameters[owners[0][1]]
        #: modules that have the parameter, and its names there
        self.owners = owners
        #: what the parameter is a part of by itself, where it is spread already
        self.outer: Spec | None = param._spec if isinstance(param, DTensor) else None
        self.dtype: np.dtype[Any] = param._array.dtype if dtype is None else to_numpy_dtype(dtype)
        self.dim = dim
        self.sharding = Sharding(mesh.get_group(mesh.ndim - 1), tuple(param.held.shape), dim)
        part = param.held.detach()[self.sharding.mine].clone()
        spread = wrapped(part, shard_spec(param, mesh, dim))
        self.shard: Any = Parameter(spread, param.requires_grad)
        self._prepare(mesh)

    def _prepare(self, mesh: DeviceMesh) -> None:
        """Make what belongs to this process alone."""
        #: the shape of what is gathered: the whole, or this rank's part of what is spread already
        shape = self.shard.shape if self.outer is None else self.outer.local_shape
        self.sharding = Sharding(mesh.get_group(mesh.ndim - 1), tuple(shape), self.dim)
        leaf: Any = Parameter(new_tensor(self._nothing()), self.shard.requires_grad)
        self.whole: Any = leaf
        if self.outer is not None:
            spread = wrapped(leaf.detach(), self.outer)
            self.whole = Parameter(spread, self.shard.requires_grad)
        self.leaf: Any = self.whole.held
        #: gradients that are still to be averaged over the copies of the shards
        self.kept: Array | None = None
        self.size = self.sharding.size

    def __getstate__(self) -> dict[str, Any]:
        """Return what is copied and saved: the shard."""
        return {name: vars(self)[name] for name in ("owners", "outer", "dtype", "dim", "shard")}

    def _nothing(self) -> Array:
        """Return an array of the gathered shape that takes no memory."""
        return np.broadcast_to(np.zeros((), self.dtype), self.sharding.shape)

    def put(self, param: Any) -> None:
        """Set the shard, or the whole parameter, on the modules."""
        for module, name in self.owners:
            module._parameters[name] = param

    def fill(self, array: Array) -> None:
        """Give the whole parameter its memory."""
        self.leaf.data = new_tensor(array)

    def release(self) -> None:
        """Take the memory from the whole parameter."""
        self.leaf.data = new_tensor(self._nothing())


class ParamGroup:
    """The parameters of one sharded module, which are exchanged together."""

    def __init__(
        self, params: list[ShardedParam], mesh: DeviceMesh, policy: MixedPrecisionPolicy, name: str
    ) -> None:
        self.params = params
        self._mesh = mesh
        self._policy = policy
        self._name = name
        self.syncs = True
        self.reshards_after_backward = True
        #: whether gradients are averaged over the copies of the shards
        self.reduces_copies = True
        #: by what sums of gradients are divided; by the number of ranks if None
        self.divisor: float | None = None
        #: called with each flat tensor of reduced gradients
        self.hook: Callable[[Any], None] | None = None
        self._prepare()

    def _prepare(self) -> None:
        """Make what belongs to this process alone."""
        self._members = self._mesh.get_group(self._mesh.ndim - 1)
        self._comm = self._members.comm
        #: the ranks that have the same shards, if the mesh has a dim of them
        self._copies = self._mesh.get_group(0) if self._mesh.ndim > 1 else None
        self.is_gathered = False
        #: what ends the gathering that has been started
        self._gathering: list[Callable[[], None]] = []
        #: those that are gathered while this one's module computes
        self.next_forward: list[ParamGroup] = []
        self.next_backward: list[ParamGroup] = []
        self._arrived: set[int] = set()
        self._queued = False
        for position, each in enumerate(self.params):
            if each.leaf.requires_grad:
                each.leaf.register_post_accumulate_grad_hook(self._hook_of(position))

    def __getstate__(self) -> dict[str, Any]:
        """Return what is copied and saved."""
        own = (
            "params", "_mesh", "_policy", "_name", "syncs", "reshards_after_backward",
            "reduces_copies", "divisor", "hook",
        )  # fmt: skip
        return {name: vars(self)[name] for name in own}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        """Take over what was copied or saved."""
        vars(self).update(attributes)
        for each in self.params:
            each._prepare(self._mesh)
        self._prepare()

    # ---- gathering ------------------------------------------------------------------------------

    def gather(self) -> None:
        """Gather whole parameters for the modules; all ranks do so together."""
        self.start_to_gather()
        for finish in self._gathering:
            finish()
        self._gathering.clear()
        self.is_gathered = True
        for each in self.params:
            each.put(each.whole)

    def start_to_gather(self) -> None:
        """Start to gather, so that it goes on while others compute; all ranks do so together."""
        if not self.is_gathered and not self._gathering:
            dtypes = dict.fromkeys(each.dtype for each in self.params)
            self._gathering = [self._gather_those_of(dtype) for dtype in dtypes]
            let_go_on(self._members.world)

    def _gather_those_of(self, dtype: np.dtype[Any]) -> Callable[[], None]:
        params = [each for each in self.params if each.dtype == dtype]
        mine = np.concatenate(
            [each.sharding.padded(each.shard.held._array, dtype) for each in params]
        )
        every = np.empty((self._members.size(), mine.size), dtype)
        action = self._members.action(f"all_gather of the parameters of {self._name}")
        work = Work(action, self._comm.all_gather(every, mine, None))
        action.end()

        def finish() -> None:
            work.wait()
            parts = np.split(every, np.cumsum([each.size for each in params])[:-1], axis=1)
            for each, part in zip(params, parts, strict=True):
                each.fill(each.sharding.whole(part))

        return finish

    def deal_out(self) -> None:
        """Set only their shards on the modules."""
        for each in self.params:
            each.put(each.shard)
        for finish in self._gathering:
            finish()
        self.is_gathered |= bool(self._gathering)
        self._gathering.clear()
        if self.is_gathered:
            for each in self.params:
                each.release()
            self.is_gathered = False

    def take_back(self) -> None:
        """Take over into the shards what has been written to the gathered parameters."""
        for each in self.params:
            rows = each.leaf._array[each.sharding.mine]
            each.shard.held._array[...] = rows

    def place_in(self, array: Array) -> tuple[int, int, Any, Any] | None:
        """Return where in a whole parameter an array lies: parameter, offset, shape, strides."""
        start = array.__array_interface__["data"][0]
        for number, each in enumerate(self.params):
            memory = each.leaf._array
            offset = start - memory.__array_interface__["data"][0]
            if 0 <= offset < memory.nbytes and array.dtype == memory.dtype:
                return number, offset, array.shape, array.strides
        return None

    def array_at(self, place: tuple[int, int, Any, Any]) -> Array:
        """Return the array at a place in a whole parameter, which is gathered if need be."""
        self._gather_ahead()
        number, offset, shape, strides = place
        memory = self.params[number].leaf._array
        return np.ndarray(
            shape, memory.dtype, memory.reshape(-1).view(np.uint8).data, offset, strides
        )

    def gather_for_backward(self, gradient: Any = None) -> None:
        """Gather, when the gradient of an output arrives, what backward reads or computes again."""
        self._gather_ahead()
        self._finish_with_backward()

    def _gather_ahead(self) -> None:
        if not self.is_gathered:
            self.gather()
            for each in self.next_backward:
                each.start_to_gather()

    def _finish_with_backward(self) -> None:
        if not self._queued:
            self._queued = True
            queue_callback(self._end_of_backward)

    # ---- gradients ------------------------------------------------------------------------------

    def _hook_of(self, position: int) -> Any:
        def arrived(whole: Any) -> None:
            self._finish_with_backward()
            self._arrived.add(position)
            if len(self._arrived) == sum(each.leaf.requires_grad for each in self.params):
                self._reduce()

        return arrived

    def _end_of_backward(self) -> None:
        self._queued = False
        if self._arrived:
            self._reduce()
        _finish_reductions()
        self._deal_out_after_backward()

    def _deal_out_after_backward(self) -> None:
        if self.reshards_after_backward:
            self.deal_out()

    def _reduce(self) -> None:
        """Give each shard the average of all ranks' gradients of its rows."""
        arrived, self._arrived = sorted(self._arrived), set()
        if not self.syncs:
            return
        params = [self.params[position] for position in arrived]
        kinds = [self._reduction_dtype(each) for each in params]
        for dtype in dict.fromkeys(kinds):
            self._reduce_those_of(
                [each for each, kind in zip(params, kinds, strict=True) if kind == dtype], dtype
            )
        for each in params:
            each.leaf._grad = None
        self._deal_out_after_backward()

    def _reduction_dtype(self, param: ShardedParam) -> np.dtype[Any]:
        wanted = self._policy.reduce_dtype
        return param.dtype if wanted is None else to_numpy_dtype(wanted)

    def _reduce_those_of(self, params: list[ShardedParam], dtype: np.dtype[Any]) -> None:
        padded = [each.sharding.all_padded(each.leaf._grad._array, dtype) for each in params]
        source = Reducible(np.concatenate(padded, axis=1), RedOpType.SUM, 1)
        target = np.empty(source.array.shape[1], dtype)
        result = Reducible(target, RedOpType.AVG, self._members.size())
        result.divisor = self.divisor or result.divisor
        action = self._members.action(f"reduce_scatter of the gradients of {self._name}")
        _finish_reductions()
        requests = self._comm.reduce_scatter(result.array, source.array, source.op)
        work = Work(action, requests)
        action.end()
        let_go_on(self._members.world)

        def finish() -> None:
            work.wait()
            result.restore()
            parts = np.split(target, np.cumsum([each.size for each in params])[:-1])
            if self._copies is not None and not self._average_copies(target, params, parts):
                return
            if self.hook is not None:
                self.hook(new_tensor(target))
            for each, part in zip(params, parts, strict=True):
                _add_gradient(each, part)

        _reductions.append(finish)

    def _average_copies(self, array: Array, params: list[ShardedParam], parts: list[Array]) -> bool:
        """Average gradients over the ranks with the same shards, or keep them for the next time.

        Return whether they have been averaged.
        """
        for each, part in zip(params, parts, strict=True):
            if each.kept is not None:
                part += each.kept
            each.kept = None if self.reduces_copies else part
        if self.reduces_copies:
            self._reduce_copies(array)
        return self.reduces_copies

    def _reduce_copies(self, array: Array) -> None:
        assert self._copies is not None
        kind = RedOpType.AVG if self.divisor is None else RedOpType.SUM
        each = Reducible(array, kind, self._copies.size())
        action = self._copies.action(f"all_reduce of the gradients of {self._name}")
        Work(action, self._copies.comm.all_reduce(each.array, each.op)).wait()
        each.restore()


#: what ends the reduction that goes on while backward computes: one, as each keeps whole gradients
_reductions: list[Callable[[], None]] = []


def _finish_reductions() -> None:
    while _reductions:
        _reductions.pop()()


def _add_gradient(param: ShardedParam, part: Array) -> None:
    shard: Any = param.shard.held
    length = shard._array.shape[param.dim]
    gradient = param.sharding.unpadded(part, length).astype(shard._array.dtype, order="C")
    held = shard._grad
    if held is None:
        shard._grad = new_tensor(gradient)
    else:
        held._array += gradient
