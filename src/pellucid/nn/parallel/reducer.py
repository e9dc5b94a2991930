"""Averaging gradients over the ranks of a group while backward is still running.

# Note [Buckets]

Gradients are copied into buckets, contiguous memory for some parameters each, in the reverse order
of the parameters, as backward reaches the last layers first; after the first pass, in the order in
which they came. Large gradients are not copied, but reduced where they are, unless somebody is to
see them before: a communication hook, or a hook of the parameter's. When the gradients of a bucket
are complete, its reduction is started, and goes on while backward computes the next ones: see Note
[Exchanges in the background]. All ranks start the buckets in the same order, whichever is complete
first. Sparse gradients, whose sizes differ, are in no bucket: they follow at the end of backward.
The reductions have a communicator of their own, so that collectives of the user's within
the same backward pass cannot be mistaken for them.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from pellucid.autograd.node import AccumulateGrad, reachable
from pellucid.autograd.passes import queue_callback
from pellucid.core.backward.gradients import is_sparse
from pellucid.core.backward.sparse_array import SparseArray
from pellucid.core.call.call import new_tensor
from pellucid.errors import GraphError
from pellucid.processes.communicator import Communicator, Request, as_bytes
from pellucid.processes.groups import ProcessGroup
from pellucid.processes.progress import let_go_on
from pellucid.processes.reductions import RedOpType, Reducible
from pellucid.processes.work import Work, drive_all
from pellucid.tensors.tensor import Tensor

#: default size in bytes of the first bucket and of the others, as in PyTorch
FIRST_BUCKET, DEFAULT_BUCKET = 1 << 20, 25 << 20

#: bytes up to which tensors are sent in one message with others
_SENT_TOGETHER = 1 << 16
#: bytes from which copying a gradient takes longer than another exchange
_REDUCED_APART = 1 << 19
#: a communication hook: takes a state and a bucket, returns a future of the bucket's tensor
CommHook = Callable[[Any, "GradBucket"], Any]


class GradBucket:
    """Gradients of some parameters in one contiguous tensor, as communication hooks get them."""

    def __init__(self, number: int, params: list[Any], is_seen: bool) -> None:
        self._number = number
        self._params = params
        self.last = False
        #: the large gradients, whose places come last
        self._apart = [
            slot for slot, param in enumerate(params)
            if param._array.nbytes >= _REDUCED_APART and not is_seen
        ]  # fmt: skip
        order = sorted(range(len(params)), key=self._apart.__contains__)
        sizes = [params[slot]._array.size for slot in order]
        self.memory = np.zeros(sum(sizes), params[0]._array.dtype)
        places = dict(zip(order, np.split(self.memory, np.cumsum(sizes)[:-1]), strict=True))
        self.parts = [places[slot].reshape(each._array.shape) for slot, each in enumerate(params)]
        self._joined = self.memory[: sum(sizes[: len(sizes) - len(self._apart)])]
        self.forget()

    def forget(self) -> None:
        """Forget the gradients that were reduced where they are."""
        #: where each gradient is reduced
        self.reduced = list(self.parts)

    def may_stay(self, slot: int, gradient: Any) -> bool:
        """Return whether a gradient can be reduced where it is."""
        return (
            slot in self._apart
            and gradient.dtype == self.memory.dtype
            and gradient.dtype.char in "fdFD"
            and gradient.flags.c_contiguous
            and gradient.flags.writeable
        )

    def exchanged(self) -> list[tuple[Any, bool]]:
        """Return the arrays to be reduced: one of the small gradients, and each of the large.

        And whether each is where the gradient came, and so not divided yet.
        """
        joined = [(self._joined, False)] if self._joined.size or not self._apart else []
        reduced = [(self.reduced[slot], self.parts[slot]) for slot in self._apart]
        return [*joined, *((array, array is not part) for array, part in reduced)]

    def index(self) -> int:
        """Return the number of the bucket; bucket 0 is reduced first."""
        return self._number

    def buffer(self) -> Any:
        """Return all gradients as one flat tensor that shares the bucket's memory."""
        return new_tensor(self.memory)

    def set_buffer(self, buffer: Tensor) -> None:
        """Replace the gradients by those of a flat tensor.

        Args:
            buffer: Flat tensor of the size of the bucket.
        """
        self.memory[...] = buffer._array

    def gradients(self) -> list[Any]:
        """Return the gradients as a list of tensors that share the bucket's memory."""
        return [new_tensor(part) for part in self.parts]

    def parameters(self) -> list[Any]:
        """Return the list of parameters whose gradients are in the bucket."""
        return list(self._params)

    def is_last(self) -> bool:
        """Return whether the bucket is the last one to be reduced."""
        return self.last


def make_buckets(
    params: Sequence[Any], caps: Sequence[int], layers: dict[int, str] | None, is_seen: bool
) -> list[GradBucket]:
    """Distribute parameters, last ones first, over buckets of one dtype each.

    ``caps`` are the sizes in bytes at which a bucket is full; the last one holds for all that
    follow. With the names of the parameters' layers a large last bucket is cut in two, the second
    of them small, as nothing is left to hide its reduction. What hooks see lies in the order of the
    parameters.
    """
    if not params:
        return []
    groups: list[list[Any]] = []
    open_numbers: dict[Any, int] = {}
    for param in reversed(params):
        dtype = param._array.dtype
        if dtype not in open_numbers:
            open_numbers[dtype] = len(groups)
            groups.append([])
        number = open_numbers[dtype]
        groups[number].append(param)
        cap = caps[min(number, len(caps) - 1)]
        if _bytes_of(groups[number]) >= cap:
            del open_numbers[dtype]
    if layers is not None:
        groups[-1:] = _cut_tail(groups[-1], [layers[id(param)] for param in groups[-1]])
    buckets = [GradBucket(number, group, is_seen) for number, group in enumerate(groups)]
    buckets[-1].last = True
    return buckets


def _bytes_of(params: Sequence[Any]) -> int:
    return sum(each._array.nbytes for each in params)


def _cut_tail(group: list[Any], layers: list[str]) -> list[list[Any]]:
    """Return a group of parameters in two, the second of the size of a first bucket at most.

    The gradients of a layer come together, and are not parted.
    """
    start = len(group) - 1
    while start > 0 and (
        layers[start - 1] == layers[start] or _bytes_of(group[start - 1 :]) <= FIRST_BUCKET
    ):
        start -= 1
    head = group[:start]
    return [head, group[start:]] if _bytes_of(head) > _SENT_TOGETHER else [group]


def send_from(
    members: ProcessGroup, comm: Any, tensors: Iterable[Any], root: int, what: str
) -> None:
    """Copy tensors of one rank of a group to all other ranks, the small ones together."""
    sent = list(tensors)
    if any(each.held is not each for each in sent):
        raise GraphError(
            f"{what}: some of them are spread over ranks already: take fully_shard for these, on a "
            "mesh of its own"
        )
    copies = [(each, np.ascontiguousarray(each._array)) for each in sent]
    action = members.action(f"{what} from rank {members.ranks[root]}")
    small = [array for _, array in copies if array.nbytes <= _SENT_TOGETHER]
    joined = np.concatenate([np.empty(0, np.uint8), *map(as_bytes, small)])
    whole = [joined, *(array for _, array in copies if array.nbytes > _SENT_TOGETHER)]
    requests = [request for array in whole if array.size for request in comm.broadcast(array, root)]
    Work(action, requests).wait()
    start = 0
    for array in small:
        as_bytes(array)[...] = joined[start : start + array.nbytes]
        start += array.nbytes
    for tensor, array in copies:
        if not np.may_share_memory(array, tensor._array):
            tensor._array[...] = array.reshape(tensor._array.shape)


def check_same_shapes(members: ProcessGroup, named: Sequence[tuple[str, Any]]) -> None:
    """Raise RuntimeError on all ranks unless all have parameters of the same shapes."""
    shapes = [(name, tuple(each.shape), str(each.dtype)) for name, each in named]
    every = members.gathered(shapes, "DistributedDataParallel")
    for rank, theirs in enumerate(every):
        if len(theirs) != len(every[0]):
            raise GraphError(
                f"DDP expects same model across all ranks, but Rank {members.ranks[0]} has "
                f"{len(every[0])} params, while rank {members.ranks[rank]} has inconsistent "
                f"{len(theirs)} params."
            )
        for position, (mine, first) in enumerate(zip(theirs, every[0], strict=True)):
            if mine[1:] != first[1:]:
                raise GraphError(
                    f"DDP expects same model across all ranks: params[{position}], "
                    f"'{mine[0]}', in process {members.ranks[rank]} with sizes {list(mine[1])} and "
                    f"{mine[2]} appears not to match sizes of the same param in process "
                    f"{members.ranks[0]}, {list(first[1])} and {first[2]}."
                )


class Reducer:
    """Reduction of the gradients of a module's parameters over a process group."""

    def __init__(
        self, named: Sequence[tuple[str, Any]], members: ProcessGroup, caps: Sequence[int], *,
        find_unused: bool, static: bool, as_views: bool, has_short_tail: bool,
        sparse: Sequence[Any] = (),
    ) -> None:  # fmt: skip
        #: those of the parameters that have sparse gradients
        self._sparse = {id(each) for each in sparse}
        self._names = [name for name, _ in named]
        self._params = [param for _, param in named]
        self._members = members
        self._caps = caps
        #: the layer of each parameter, unless the last bucket is as large as the others
        self._layers: dict[int, str] | None = None
        if has_short_tail:
            self._layers = {id(each): name.rpartition(".")[0] for name, each in named}
        self.hook: tuple[Any, CommHook] | None = None
        self._lay_out(self._params)
        #: positions of the parameters in the order in which their gradients came, until buckets
        #: have been made by it
        self._order: list[int] | None = None if find_unused or static else []
        self.is_laid_out_anew = False
        #: buckets that had been exchanged when the last backward pass had computed everything
        self.hidden = 0
        self.divisor = members.size()
        self.bytes_sent = 0
        self._find_unused = find_unused
        self._static = static
        self._as_views = as_views
        #: how often each parameter's hook runs in a backward pass, once a static graph is known
        self._runs: list[int] | None = None
        self._expecting = self._running = False
        for position, param in enumerate(self._params):
            param.register_post_accumulate_grad_hook(self._hook_of(position))

    def _lay_out(self, params: Sequence[Any]) -> None:
        """Make the buckets; gradients come in about the reverse order of these parameters."""
        dense = [each for each in params if id(each) not in self._sparse]
        self.buckets = make_buckets(dense, self._caps, self._layers, is_seen=self.hook is not None)
        self._homes = {
            id(param): (bucket, slot)
            for bucket in self.buckets
            for slot, param in enumerate(bucket.parameters())
        }

    def take_hook(self, state: Any, hook: CommHook) -> None:
        """Have a hook exchange the buckets, which are those of PyTorch then: it sees them."""
        self.hook = (state, hook)
        self._layers = None
        self._lay_out(self._params)

    def _lay_out_as_they_came(self) -> None:
        """Make the buckets anew, once, in the order in which gradients came on the first rank."""
        if self._order is None or len(self._order) < len(self._params):
            return
        order = np.array(self._order, np.int64)
        self._order = None
        self.is_laid_out_anew = True
        action = self._members.action("DistributedDataParallel order of the gradients")
        Work(action, self.comm.broadcast(order, 0)).wait()
        if len(self.buckets) > 1:
            self._lay_out([self._params[position] for position in order[::-1]])

    @functools.cached_property
    def comm(self) -> Communicator:
        """The transport of the reductions, made when all ranks first exchange something.

        One rank alone may copy or load a module.
        """
        made = self._members.another_communicator()
        made.share_memory()
        return made

    # ---- one pass ---------------------------------------------------------------------------

    def prepare(self, outputs: Iterable[Any], sync: bool, is_alone: bool = False) -> None:
        """Prepare for the backward pass of a forward pass with the given outputs.

        ``is_alone`` says that other ranks may have no batches left.
        """
        self._expecting = sync
        if not sync:
            return
        if is_alone:
            self._order = None
        self._lay_out_as_they_came()
        self._seen = [0] * len(self._params)
        self._missing = [len(bucket.parts) for bucket in self.buckets]
        self._started: list[Any] = []
        if self._static and self._runs is not None:
            unused = [position for position, runs in enumerate(self._runs) if not runs]
        elif self._find_unused and not self._static:
            unused = self._unreached(outputs)
        else:
            unused = []
        self._unused = set(unused)
        for position in unused:
            self._mark(position, None)

    def refuse_unfinished(self) -> None:
        """Raise RuntimeError if the last backward pass left gradients that are not reduced."""
        if not self._running:
            return
        missing = [position for position, seen in enumerate(self._seen) if not seen]
        advice = (
            "You can enable unused parameter detection by passing the keyword argument "
            "`find_unused_parameters=True` to `torch.nn.parallel.DistributedDataParallel`, and by "
            "making sure all `forward` function outputs participate in calculating loss."
        )
        raise GraphError(
            "Expected to have finished reduction in the prior iteration before starting a new one. "
            "This error indicates that your module has parameters that were not used in producing "
            f"loss. {advice} Parameter indices which did not receive grad for rank "
            f"{self._members.ranks[self._members.rank()]}: {' '.join(map(str, missing))} "
            f"({', '.join(self._names[position] for position in missing)})"
        )

    def _unreached(self, outputs: Iterable[Any]) -> list[int]:
        """Return the parameters that no output depends on."""
        edges = [each.edge for each in outputs if each.edge is not None]
        leaves = {node for node in reachable(edge[0] for edge in edges)
                  if isinstance(node, AccumulateGrad)}  # fmt: skip
        return [n for n, param in enumerate(self._params) if param.edge[0] not in leaves]

    def _hook_of(self, position: int) -> Callable[[Any], None]:
        def arrived(param: Any) -> None:
            if self._expecting:
                self._arrived(position, param)

        return arrived

    def _arrived(self, position: int, param: Any) -> None:
        if not self._running:
            self._running = True
            queue_callback(self._finish)
        self._seen[position] += 1
        if self._order is not None and len(self._order) < len(self._params):
            self._order.append(position)
        if self._static and self._runs is None:
            return  # a static graph first counts the calls of the hook
        expected = self._runs[position] if self._static and self._runs is not None else 1
        if self._seen[position] > expected:
            raise GraphError(
                "Expected to mark a variable ready only once. This error is caused by a parameter "
                "that is used by several backward passes of one forward pass, or outside forward: "
                f"'{self._names[position]}', with index {position}. If the graph does not change "
                "over the iterations, pass static_graph=True."
            )
        if self._seen[position] == expected:
            self._mark(position, param)

    @property
    def _factor(self) -> float:
        """What gradients are multiplied by before they are added up, unless a hook does that."""
        return 1.0 if self.hook is not None else 1.0 / self.divisor

    def _mark(self, position: int, param: Any) -> None:
        """Copy a parameter's gradient, or zeros, into its bucket, and start complete buckets."""
        if id(self._params[position]) in self._sparse:
            return
        bucket, slot = self._homes[id(self._params[position])]
        gradient = None if param is None else param._grad._array
        if gradient is not None and self._may_stay(bucket, slot, param):
            bucket.reduced[slot] = gradient
        else:
            bucket.reduced[slot] = target = bucket.parts[slot]
            if gradient is None:
                target[...] = 0
            elif self._factor == 1.0:
                target[...] = gradient
            else:
                np.multiply(gradient, target.dtype.type(self._factor), out=target)
        self._missing[bucket.index()] -= 1
        self._start_complete()
        drive_all()

    def _may_stay(self, bucket: GradBucket, slot: int, param: Any) -> bool:
        """Return whether a gradient can be reduced where it is, as nobody is to see it before."""
        hooks = param.edge[0].extra
        is_seen = len(hooks.post_accumulate_hooks) > 1 or hooks.post_hooks
        return not (self._as_views or is_seen) and bucket.may_stay(slot, param._grad._array)

    def _start_complete(self) -> None:
        while len(self._started) < len(self.buckets) and not self._missing[len(self._started)]:
            self._started.append(self._start(self.buckets[len(self._started)]))

    def _start(self, bucket: GradBucket) -> Any:
        """Start the reduction of a bucket; return its Work, or the future of a hook."""
        self.bytes_sent += bucket.memory.nbytes
        if self.hook is not None:
            state, hook = self.hook
            return hook(state, bucket)
        action = self._members.action(
            f"DistributedDataParallel bucket {bucket.index()} of {len(self.buckets)} "
            f"({bucket.memory.nbytes} bytes)"
        )
        parts: list[Reducible] = []
        requests: list[Request] = []
        for array, is_undivided in bucket.exchanged():
            part = Reducible(array, RedOpType.SUM, 1)
            factor = self._factor if is_undivided else 1.0
            requests += self.comm.all_reduce_agreed(part.array, part.op, factor)
            parts.append(part)
        work = Work(action, requests, lambda: [part.restore() for part in parts])
        action.end()
        let_go_on(self._members.world)
        return work

    def _finish(self) -> None:
        """Wait for all buckets at the end of backward and set the parameters' gradients."""
        if self._static and self._runs is None:
            self._runs = list(self._seen)
            for position, (seen, param) in enumerate(zip(self._seen, self._params, strict=True)):
                self._mark(position, param if seen else None)
            self._unused = {position for position, seen in enumerate(self._seen) if not seen}
        elif self._find_unused and not self._static:
            self._mark_unreached()
        if len(self._started) < len(self.buckets):
            return  # reported by refuse_unfinished
        self.hidden = sum(isinstance(each, Work) and each.has_arrived for each in self._started)
        for bucket, started in zip(self.buckets, self._started, strict=True):
            _settle(bucket, started)
        self._give_used()
        self._reduce_sparse()
        for bucket in self.buckets:
            bucket.forget()
        self._expecting = self._running = False

    def _mark_unreached(self) -> None:
        """Give zeros for parameters that an output depends on which the loss does not."""
        for position, seen in enumerate(self._seen):
            if not seen and position not in self._unused:
                self._unused.add(position)
                self._mark(position, None)

    def _used_anywhere(self) -> Any:
        """Return for each parameter whether some rank used it."""
        used = np.ones(len(self._params), np.uint8)
        used[list(self._unused)] = 0
        action = self._members.action("DistributedDataParallel used parameters")
        Work(action, self.comm.all_reduce(used, RedOpType.MAX)).wait()
        return used

    def _give(self, param: Any) -> None:
        bucket, slot = self._homes[id(param)]
        reduced = bucket.reduced[slot]
        if self._as_views:
            param._grad = new_tensor(reduced)
        elif (gradient := param._grad) is None:
            param._grad = new_tensor(reduced.copy())
        elif gradient._array is not reduced:
            gradient._array[...] = reduced

    def shadow(self) -> None:
        """Take part in the reductions of the other ranks' backward pass with zeros.

        The gradients are those of the others, for an optimizer that each rank steps a part of.
        """
        self.prepare((), sync=True)
        self._unused = set(range(len(self._params)))
        for bucket in self.buckets:
            bucket.memory[...] = 0
            _settle(bucket, self._start(bucket))
        self._give_used()
        self._reduce_sparse(takes_part=False)
        self._expecting = False

    def _give_used(self) -> None:
        """Set the gradients of the parameters that some rank has used."""
        used = self._used_anywhere() if self._find_unused or self._static else None
        for position, param in enumerate(self._params):
            if id(param) not in self._sparse and (used is None or used[position]):
                self._give(param)

    def _reduce_sparse(self, takes_part: bool = True) -> None:
        """Average the sparse gradients, whose elements all ranks gather from all."""
        for name, param in zip(self._names, self._params, strict=True):
            if id(param) in self._sparse:
                mine = _as_array(param._grad) if takes_part else None
                every = self._members.gathered(mine, f"DistributedDataParallel gradient of {name}")
                found = [each for each in every if each is not None]
                if found:
                    param._grad = _averaged(found, self.divisor)


def _as_array(gradient: Any) -> Any:
    """Return a gradient, with each place once where it is sparse."""
    if gradient is None:
        return None
    return gradient.as_array().merged() if is_sparse(gradient) else gradient._array


def _averaged(found: Sequence[Any], divisor: float) -> Any:
    """Return the sum of the gradients of some ranks, sparse if all are, divided by a number."""
    total = functools.reduce(operator.add, found)
    factor = total.dtype.type(divisor)
    if not isinstance(total, SparseArray):
        return new_tensor(total / factor)
    merged = total.merged()
    return SparseArray(merged.coordinates, merged.values / factor, merged.shape).tensor()


def _settle(bucket: GradBucket, started: Any) -> None:
    """Wait for the reduction of a bucket, or copy the result of a hook's future."""
    value = started.wait()
    if isinstance(started, Work):
        return
    tensor = value[0] if isinstance(value, list | tuple) else value
    if not np.may_share_memory(tensor._array, bucket.memory):
        bucket.set_buffer(tensor)
