"""Data parallelism over processes, each of which processes a part of every batch."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from pellucid.autograd.modes import modes
from pellucid.blocks import having
from pellucid.errors import ArgumentError, ArgumentTypeError, GraphError, UnimplementedError
from pellucid.nn.modules.module import Module
from pellucid.nn.modules.sparse import Embedding, EmbeddingBag
from pellucid.nn.parallel.reducer import (
    DEFAULT_BUCKET,
    FIRST_BUCKET,
    CommHook,
    Reducer,
    check_same_shapes,
    send_from,
)
from pellucid.nn.parallel.uneven import Attendance, Doing
from pellucid.processes.groups import default_group, resolved
from pellucid.processes.join import Join, Joinable, JoinHook
from pellucid.tensors.tensor import Tensor

_MEBIBYTE = 1 << 20


def _refuse_devices(module: Module, device_ids: Any, output_device: Any) -> None:
    """Raise ValueError for devices: the module is on the CPU."""
    if device_ids is not None and len(device_ids) > 1:
        raise ArgumentError("device_ids can only be None or contain a single element.")
    if device_ids or output_device:
        devices = {each.device for each in module.parameters()}
        raise ArgumentError(
            "DistributedDataParallel device_ids and output_device arguments only work with "
            "single-device/multiple-device GPU modules or CPU modules, but got device_ids "
            f"{device_ids}, output_device {output_device}, and module parameters {devices}."
            "\n  Leave both out: the module is on the CPU."
        )


def _refuse_delays(params: Any, hooked: Any) -> None:
    """Raise for parameters whose gradients are to be reduced when that of another one is there."""
    if (params is None) != (hooked is None):
        raise ArgumentError(
            "delay_all_reduce_named_params and param_to_hook_all_reduce need to be set at the same "
            "time."
        )
    if params is not None:
        raise UnimplementedError(
            "DistributedDataParallel(delay_all_reduce_named_params) is not provided: every "
            "gradient is reduced as soon as its bucket is full. Leave it and "
            "param_to_hook_all_reduce out; the gradients are the same."
        )


def _tell_of_the_older_name(newer: bool | None) -> None:
    """Warn that ``broadcast_buffers`` is given."""
    if newer is not None:
        text = (
            "Both `broadcast_buffers` and `forward_sync_buffers` were specified. "
            "`broadcast_buffers` is deprecated and its value is ignored."
        )
    else:
        text = (
            "`broadcast_buffers` is deprecated. Use `forward_sync_buffers`, which leaves what is "
            "sent at the start as it is: `broadcast_buffers=False` keeps buffers from that, too."
        )
    warnings.warn(text, FutureWarning, stacklevel=3)


class DistributedDataParallel(Module, Joinable):
    """Wrapper that trains a module in all processes of a group.

    All ranks start with the parameters and buffers of rank 0. Gradients are averaged over the ranks
    while backward runs, so all ranks take the same steps. Source: Li et al., "PyTorch Distributed",
    2020.

    Args:
        module: The module to wrap.
        device_ids: None or empty, for a module on the CPU.
        output_device: None, for a module on the CPU.
        dim: Accepted for compatibility; changes nothing.
        broadcast_buffers: The older name of ``forward_sync_buffers``; if False, buffers are not
            sent at the start, either.
        init_sync: Whether parameters and buffers are sent from rank 0 at the start.
        process_group: The process group; the default group if None.
        bucket_cap_mb: Size in MiB of the buckets in which gradients are reduced.
        find_unused_parameters: Whether to search, after each forward pass, for parameters that the
            outputs do not depend on.
        check_reduction: Accepted for compatibility; changes nothing.
        gradient_as_bucket_view: Whether gradients are views of the buckets.
        static_graph: Whether the same parameters are used in every pass.
        delay_all_reduce_named_params: None; nothing is reduced later than its gradient is there.
        param_to_hook_all_reduce: None, likewise.
        mixed_precision: None; a module that computes in half precision is given to `fully_shard`.
        device_mesh: Device mesh whose first group is used instead of ``process_group``.
        skip_all_reduce_unused_params: Whether parameters that no rank uses may be left out of what
            is sent. That they have no gradient is so either way.
        bucket_cap_mb_list: Sizes in MiB of the first buckets, one by one.
        batched_grad_copy: Accepted for compatibility; copies are not launched as on a GPU.
        forward_sync_buffers: Whether buffers are sent from rank 0 before each forward pass; they
            are if None.

    Raises:
        ValueError: If there is no process group, or for devices.
        NotImplementedError: For ``delay_all_reduce_named_params`` and ``mixed_precision``.
        RuntimeError: If no parameter requires a gradient, if shapes differ between ranks, or, in a
            forward pass, if some parameters got no gradient in the previous backward pass.

    >>> torch.distributed.init_process_group(world_size=1, rank=0)
    >>> net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 3))
    >>> with net.no_sync():
    ...     net(torch.ones(4, 2)).sum().backward()
    >>> net.module.bias.grad
    tensor([4., 4., 4.])
    >>> torch.distributed.destroy_process_group()
    """

    def __init__(
        self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0,
        broadcast_buffers: bool | None = None, init_sync: bool = True, process_group: Any = None,
        bucket_cap_mb: float | None = None, find_unused_parameters: bool = False,
        check_reduction: bool = False, gradient_as_bucket_view: bool = False,
        static_graph: bool = False, delay_all_reduce_named_params: Any = None,
        param_to_hook_all_reduce: Any = None, mixed_precision: Any = None, device_mesh: Any = None,
        skip_all_reduce_unused_params: bool = False,
        bucket_cap_mb_list: Sequence[float] | None = None, batched_grad_copy: bool = False,
        forward_sync_buffers: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        _refuse_devices(module, device_ids, output_device)
        _refuse_delays(delay_all_reduce_named_params, param_to_hook_all_reduce)
        if mixed_precision is not None:
            raise UnimplementedError(
                "DistributedDataParallel(mixed_precision) is not provided: PyTorch casts on a "
                "stream of a GPU. Train under torch.autocast, or give "
                "torch.distributed.fsdp.fully_shard a MixedPrecisionPolicy."
            )
        self.module = module
        self.device_ids: None = None
        self.output_device: None = None
        self.dim = dim
        group = process_group if device_mesh is None else device_mesh.get_group(0)
        self.process_group = resolved(group)
        if broadcast_buffers is not None:
            _tell_of_the_older_name(forward_sync_buffers)
        given = broadcast_buffers if forward_sync_buffers is None else forward_sync_buffers
        self.forward_sync_buffers = given is not False
        self.batched_grad_copy = batched_grad_copy
        self.find_unused_parameters = find_unused_parameters
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.static_graph = static_graph
        self.require_backward_grad_sync = True
        #: whether buffers may differ between ranks since they were last sent
        self.require_forward_param_sync = True
        self.parameters_to_ignore = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        self._attendance: Attendance | None = None
        self._bucket_caps = _caps(bucket_cap_mb, bucket_cap_mb_list)
        self.bucket_bytes_cap = self._bucket_caps[-1]
        self._has_short_tail = bucket_cap_mb_list is None
        check_same_shapes(self.process_group, self._trained())
        self.reducer = self._make_reducer()
        self.device = self.join_device
        if init_sync:
            self._send_state(0, forward_sync_buffers is not None or self.forward_sync_buffers)

    def _make_reducer(self) -> Reducer:
        return Reducer(
            self._trained(), self.process_group, self._bucket_caps,
            find_unused=self.find_unused_parameters, static=self.static_graph,
            as_views=self.gradient_as_bucket_view, has_short_tail=self._has_short_tail,
            sparse=[
                each.weight for each in self.module.modules()
                if isinstance(each, Embedding | EmbeddingBag) and each.sparse
            ],
        )  # fmt: skip

    def __getstate__(self) -> dict[str, Any]:
        """Return what is copied and saved: all but what belongs to the running processes."""
        own = ("process_group", "reducer", "_attendance")
        return {name: value for name, value in vars(self).items() if name not in own}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        """Take over what was copied or saved; the processes are those of the default group."""
        super().__setstate__(attributes)
        self.process_group = default_group()
        self._attendance = None
        self.reducer = self._make_reducer()

    def _trained(self) -> list[tuple[str, Any]]:
        """Return the parameters to train; raise RuntimeError if there are none."""
        found = [
            (name, param)
            for name, param in self.module.named_parameters()
            if param.requires_grad and name not in self.parameters_to_ignore
        ]
        if not found:
            raise GraphError(
                "DistributedDataParallel is not needed when a module doesn't have any parameters "
                "that require a gradient."
            )
        return found

    def _shared_buffers(self) -> list[Any]:
        named = self.module.named_buffers()
        return [each for name, each in named if name not in self.parameters_to_ignore]

    @property
    def broadcast_buffers(self) -> bool:
        """The older name of ``forward_sync_buffers``."""
        return self.forward_sync_buffers

    @broadcast_buffers.setter
    def broadcast_buffers(self, value: bool) -> None:
        self.forward_sync_buffers = value

    def _send_state(self, root: int, with_buffers: bool) -> None:
        """Send the parameters of one rank, and its buffers, to all others."""
        named = self.module.named_parameters()
        params = [each for name, each in named if name not in self.parameters_to_ignore]
        comm = self.reducer.comm
        sent = [*params, *self._shared_buffers()] if with_buffers else params
        send_from(self.process_group, comm, sent, root, "parameters")

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.run(self.module, inputs, kwargs)

    def run(
        self, forward: Callable[..., Any], inputs: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Return what a function makes of the inputs, with what all ranks do before and after.

        Args:
            forward: The forward pass of the module.
            inputs: Its arguments.
            kwargs: Its named arguments.
        """
        recorded = modes.grad_enabled
        sync = recorded and self.require_backward_grad_sync
        leader = 0
        if recorded:
            Join.notify_join_context(self)
        if recorded and self._attendance is not None:
            self._attendance.tell(Doing.TOGETHER if sync else Doing.ALONE)
            leader = self._attendance.leader
            self.reducer.divisor = self._attendance.divisor
        if sync:
            self.reducer.refuse_unfinished()
        # a rank whose batches are used up takes part in what leads to a backward pass alone
        wanted = sync if self._attendance is not None else self.require_forward_param_sync
        if wanted and self.forward_sync_buffers:
            self._send_buffers(leader)
        outputs = forward(*inputs, **kwargs)
        self.require_forward_param_sync = sync
        if recorded:
            is_alone = self._attendance is not None
            self.reducer.prepare(tensors_in(outputs), sync, is_alone)
        return outputs

    def _send_buffers(self, root: int) -> None:
        buffers = self._shared_buffers()
        if buffers:
            send_from(self.process_group, self.reducer.comm, buffers, root, "buffers")

    def _get_ddp_logging_data(self) -> dict[str, Any]:
        """Return what happened to the buckets: their sizes in bytes, and how many were hidden."""
        sizes = [each.memory.nbytes for each in self.reducer.buckets]
        return {
            "world_size": self.process_group.size(), "rank": self.process_group.rank(),
            "module_name": type(self.module).__name__, "bucket_sizes": sizes,
            "num_buckets_reduced": len(sizes), "num_buckets_hidden": self.reducer.hidden,
            "has_rebuilt_buckets": self.reducer.is_laid_out_anew,
        }  # fmt: skip

    @staticmethod
    def _set_params_and_buffers_to_ignore_for_model(
        module: Module, params_and_buffers_to_ignore: Sequence[str]
    ) -> None:
        """Name the parameters and buffers that ranks do not exchange, before wrapping."""
        vars(module)["_ddp_params_and_buffers_to_ignore"] = params_and_buffers_to_ignore

    def no_sync(self) -> AbstractContextManager[None]:
        """Return a context manager in which gradients accumulate without being averaged.

        >>> torch.distributed.init_process_group(world_size=1, rank=0)
        >>> net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1))
        >>> with net.no_sync():
        ...     net(torch.ones(2, 1)).sum().backward()
        >>> net.module.bias.grad
        tensor([2.])
        >>> torch.distributed.destroy_process_group()
        """
        return having(self, require_backward_grad_sync=False)

    @contextmanager
    def join(
        self, divide_by_initial_world_size: bool = True, enable: bool = True,
        throw_on_early_termination: bool = False,
    ) -> Iterator[None]:  # fmt: skip
        """Return a context manager for training with different numbers of batches per rank.

        Ranks that have no more batches take part in the reductions of the others. At the end, all
        ranks get the parameters of one that had the most batches.

        Args:
            divide_by_initial_world_size: Whether sums of gradients are divided by the number of all
                ranks, instead of those that still have batches.
            enable: Whether to do anything.
            throw_on_early_termination: Whether all ranks raise RuntimeError when the first one
                ends.
        """
        if not enable or self.process_group.size() == 1:
            yield
            return
        self._attendance = Attendance(
            self.process_group, divide_by_initial_world_size, throw_on_early_termination
        )
        try:
            yield
            self._help_others(self._attendance)
        finally:
            self._attendance = None
            self.reducer.divisor = self.process_group.size()

    def _help_others(self, attendance: Attendance) -> None:
        while self._help_once(attendance) is not Doing.THROUGH:
            pass
        self._send_state(attendance.leader, self.forward_sync_buffers)

    def _help_once(self, attendance: Attendance) -> Doing:
        """Take part in an iteration of the others; return what they do."""
        doing = attendance.tell(Doing.THROUGH)
        if doing is Doing.TOGETHER:
            if self.forward_sync_buffers:
                self._send_buffers(attendance.leader)
            self.reducer.shadow()
        return doing

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """Return what `Join` does for this module on ranks that have no batches left.

        Args:
            **kwargs: ``divide_by_initial_world_size`` as for `join`.
        """
        return _Helping(self, kwargs.get("divide_by_initial_world_size", True))

    @property
    def join_device(self) -> Any:
        """The device of the parameters."""
        return next(self.module.parameters()).device

    @property
    def join_process_group(self) -> Any:
        """The group whose ranks train together."""
        return self.process_group

    def register_comm_hook(self, state: Any, hook: CommHook) -> None:
        """Register a hook that exchanges the gradients of each bucket.

        Args:
            state: First argument of the hook.
            hook: Called as ``hook(state, bucket)``; returns a future of the bucket's flat tensor,
                which is not divided by the number of ranks afterwards.

        Raises:
            RuntimeError: If a hook is registered already.
        """
        if not callable(hook):
            raise ArgumentTypeError("Communication hook must be callable.")
        if self.reducer.hook is not None:
            raise GraphError(
                "register_comm_hook or register_builtin_comm_hook can only be called once."
            )
        self.reducer.take_hook(state, hook)


class _Helping(JoinHook):
    """What a rank without batches does for a module on the others.

    Args:
        parallel: The module.
        divide_by_all: Whether sums of gradients are divided by the number of all ranks.
    """

    def __init__(self, parallel: DistributedDataParallel, divide_by_all: bool) -> None:
        self._parallel = parallel
        self._attendance = Attendance(parallel.process_group, divide_by_all, False)
        parallel._attendance = self._attendance

    def main_hook(self) -> None:
        """Take part in the forward and backward pass of the others."""
        self._parallel._help_once(self._attendance)

    def post_hook(self, is_last_joiner: bool) -> None:
        """Take over the parameters of a rank that had the most batches."""
        parallel = self._parallel
        parallel._send_state(self._attendance.leader, parallel.forward_sync_buffers)
        parallel._attendance = None
        parallel.reducer.divisor = parallel.process_group.size()


def _caps(size: float | None, sizes: Sequence[float] | None) -> list[int]:
    """Return the sizes in bytes at which the first buckets and the following ones are full."""
    if sizes is not None:
        if not sizes or any(each <= 0 for each in sizes):
            raise ArgumentError("bucket_cap_mb_list must be a non-empty list of positive sizes")
        return [int(each * _MEBIBYTE) for each in sizes]
    if size is None:
        return [FIRST_BUCKET, DEFAULT_BUCKET]
    return [min(FIRST_BUCKET, int(size * _MEBIBYTE)), int(size * _MEBIBYTE)]


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Return the tensors in nested containers."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from tensors_in(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from tensors_in(each)
    elif hasattr(value, "__dataclass_fields__"):
        yield from tensors_in(vars(value))


DistributedDataParallelCPU = DistributedDataParallel
