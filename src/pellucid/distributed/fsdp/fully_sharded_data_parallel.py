"""`FullyShardedDataParallel`: the older class, as a wrapper around what `fully_shard` does."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from pellucid.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_optimizer_state_dict,
    set_optimizer_state_dict,
)
from pellucid.distributed.fsdp.api import (
    BackwardPrefetch,
    CPUOffload,
    FullOptimStateDictConfig,
    FullStateDictConfig,
    LocalStateDictConfig,
    MixedPrecision,
    ShardedStateDictConfig,
    ShardingStrategy,
    StateDictConfig,
    StateDictSettings,
    StateDictType,
)
from pellucid.distributed.fsdp.fully_shard import fully_shard, sharded_modules
from pellucid.distributed.fsdp.policies import MixedPrecisionPolicy
from pellucid.distributed.fsdp.wrap import wrap_inside
from pellucid.distributed.tensor.dtensor import DTensor
from pellucid.errors import UnimplementedError
from pellucid.nn.modules.module import Module
from pellucid.nn.parallel.reducer import send_from
from pellucid.nn.utils.clip_grad import clip_grad_norm_
from pellucid.processes.groups import default_group, resolved
from pellucid.processes.mesh import DeviceMesh, init_device_mesh, mesh_of_all

__all__ = [
    "BackwardPrefetch", "CPUOffload", "FullOptimStateDictConfig", "FullStateDictConfig",
    "FullyShardedDataParallel", "LocalStateDictConfig", "MixedPrecision", "ShardedStateDictConfig",
    "ShardingStrategy", "StateDictType",
]  # fmt: skip

_PREFIX = "_fsdp_wrapped_module."


class FullyShardedDataParallel(Module):
    """Wrapper whose module's parameters are dealt out to all ranks, as `fully_shard` does.

    Args:
        module: The module.
        process_group: The ranks, all of them if None; or the group of this rank's shards and that
            of their copies.
        sharding_strategy: What is dealt out; FULL_SHARD if None.
        cpu_offload: Accepted for compatibility; everything is on the CPU.
        auto_wrap_policy: Which modules inside are wrapped by themselves.
        backward_prefetch: Accepted for compatibility.
        mixed_precision: The dtypes for computing and reducing.
        ignored_modules: Modules whose parameters are not dealt out.
        param_init_fn: Given each module before its parameters are dealt out.
        device_id: Accepted for compatibility.
        sync_module_states: Whether all ranks start with the parameters and buffers of the first.
        forward_prefetch: Accepted for compatibility.
        limit_all_gathers: Accepted for compatibility.
        use_orig_params: Accepted for compatibility; parameters are those of the module always.
        ignored_states: Parameters that are not dealt out.
        device_mesh: The ranks as a mesh, of two dims for copies of shards.

    Raises:
        ValueError: Without a process group, and for parameters without dims.

    >>> from pellucid.distributed.fsdp import FullyShardedDataParallel
    >>> torch.distributed.init_process_group(world_size=1, rank=0)
    >>> net = FullyShardedDataParallel(torch.nn.Linear(2, 1))
    >>> net(torch.ones(1, 2)).sum().backward()
    >>> sorted(net.state_dict())
    ['bias', 'weight']
    >>> torch.distributed.destroy_process_group()
    """

    def __init__(
        self, module: Module, process_group: Any = None,
        sharding_strategy: ShardingStrategy | None = None, cpu_offload: CPUOffload | None = None,
        auto_wrap_policy: Any = None,
        backward_prefetch: BackwardPrefetch | None = BackwardPrefetch.BACKWARD_PRE,
        mixed_precision: MixedPrecision | None = None,
        ignored_modules: Iterable[Module] | None = None,
        param_init_fn: Callable[[Module], None] | None = None, device_id: Any = None,
        sync_module_states: bool = False, forward_prefetch: bool = False,
        limit_all_gathers: bool = True, use_orig_params: bool = False,
        ignored_states: Iterable[Any] | None = None, device_mesh: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.sharding_strategy = sharding_strategy or ShardingStrategy.FULL_SHARD
        self.mixed_precision = mixed_precision or MixedPrecision()
        ignored = list(ignored_states or ())
        ignored += [each for inside in ignored_modules or () for each in inside.parameters()]
        if param_init_fn is not None:
            module.apply(param_init_fn)
        mesh = _mesh(process_group, device_mesh, self.sharding_strategy)
        if sync_module_states:
            state = [*module.parameters(), *module.buffers()]
            for group in mesh.get_all_groups():
                send_from(group, group.comm, state, 0, "parameters")
        if auto_wrap_policy is not None:
            given = {
                "process_group": process_group, "sharding_strategy": sharding_strategy,
                "mixed_precision": mixed_precision, "ignored_states": ignored,
                "device_mesh": device_mesh,
            }  # fmt: skip
            wrap_inside(module, auto_wrap_policy, type(self), given)
        if self.mixed_precision.buffer_dtype is not None:
            for each in module.buffers():
                if each.dtype.is_floating_point:
                    each.data = each.data.to(self.mixed_precision.buffer_dtype)
        frees = self.sharding_strategy in (
            ShardingStrategy.FULL_SHARD, ShardingStrategy.HYBRID_SHARD
        )  # fmt: skip
        self._fsdp_wrapped_module = fully_shard(
            module, mesh=mesh, mp_policy=_policy(self.mixed_precision),
            reshard_after_forward=None if frees else False, ignored_params=set(ignored),
        )  # fmt: skip
        self._kind = StateDictSettings(StateDictType.FULL_STATE_DICT, FullStateDictConfig())
        self._register_state_dict_hook(_name_as_inside)
        self.register_load_state_dict_pre_hook(_name_as_wrapped)

    @property
    def module(self) -> Any:
        """The wrapped module."""
        return self._fsdp_wrapped_module

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("_fsdp_wrapped_module"), name)

    def __getitem__(self, key: Any) -> Any:
        return self.module[key]

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self._fsdp_wrapped_module(*args, **kwargs)

    def named_parameters(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, Any]]:
        """Return names and parameters; names are those without the wrappers.

        Args:
            *args: As for modules.
            **kwargs: As for modules.
        """
        for name, param in super().named_parameters(*args, **kwargs):
            yield name.replace(_PREFIX, ""), param

    def named_buffers(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, Any]]:
        """Return names and buffers; names are those without the wrappers.

        Args:
            *args: As for modules.
            **kwargs: As for modules.
        """
        for name, buffer in super().named_buffers(*args, **kwargs):
            yield name.replace(_PREFIX, ""), buffer

    def apply(self, fn: Callable[[Module], None]) -> Any:
        """Call a function of all modules, whose parameters are whole meanwhile.

        Args:
            fn: Called with each module.
        """
        with self.summon_full_params(self):
            return super().apply(fn)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Return a block in which gradients accumulate without being averaged."""
        inside = sharded_modules(self)
        before = [each._shards.syncs for each in inside]
        for each in inside:
            each._shards.syncs = False
        try:
            yield
        finally:
            for each, syncs in zip(inside, before, strict=True):
                each._shards.syncs = syncs

    def clip_grad_norm_(self, max_norm: float, norm_type: float = 2.0) -> Any:
        """Clip the norm of the whole gradients; all ranks call it.

        Args:
            max_norm: The largest norm.
            norm_type: Which norm.

        Returns:
            The norm before, the same on all ranks.
        """
        norm = clip_grad_norm_(self.parameters(), max_norm, norm_type)
        return norm.full_tensor() if isinstance(norm, DTensor) else norm

    # ---- what is called with the class -------------------------------------------------------

    @staticmethod
    def fsdp_modules(module: Module, root_only: bool = False) -> list[FullyShardedDataParallel]:
        """Return the wrappers in a module.

        Args:
            module: The module.
            root_only: Whether to leave out those inside of others.
        """
        found = [each for each in module.modules() if isinstance(each, FullyShardedDataParallel)]
        if not root_only:
            return found
        inside = {id(each) for outer in found for each in outer.module.modules()}
        return [each for each in found if id(each) not in inside]

    @staticmethod
    @contextmanager
    def summon_full_params(
        module: Module, recurse: bool = True, writeback: bool = True, rank0_only: bool = False,
        offload_to_cpu: bool = False, with_grads: bool = False,
    ) -> Iterator[None]:  # fmt: skip
        """Return a block in which parameters are whole; all ranks enter it.

        Args:
            module: The module.
            recurse: Whether those of wrappers inside are, too.
            writeback: Whether changes stay.
            rank0_only: Whether they stay parts on all ranks but rank 0; without ``writeback``.
            offload_to_cpu: Accepted for compatibility: they are on the CPU.
            with_grads: False; gradients stay with the parts.

        Raises:
            NotImplementedError: For ``with_grads``, and for ``rank0_only`` with ``writeback``.
        """
        if with_grads:
            raise UnimplementedError(
                "with_grads=True is not supported yet: gradients stay with the parts; "
                "param.grad.full_tensor() gives a whole one, called on all ranks"
            )
        if writeback and rank0_only:
            raise UnimplementedError(
                "writeback=True and rank0_only=True is not supported yet: the other ranks would "
                "not get what rank 0 changes; give writeback=False, or leave rank0_only out"
            )
        inside = sharded_modules(module)
        if not recurse and isinstance(module, FullyShardedDataParallel):
            inside = [module.module]
        for each in inside:
            each._shards.gather()
        if rank0_only and default_group().rank():
            for each in inside:
                each._shards.deal_out()
            inside = []
        try:
            yield
        finally:
            for each in inside:
                if writeback:
                    each._shards.take_back()
                each._shards.deal_out()

    @staticmethod
    def set_state_dict_type(
        module: Module,
        state_dict_type: StateDictType,
        state_dict_config: StateDictConfig | None = None,
        optim_state_dict_config: StateDictConfig | None = None,
    ) -> StateDictSettings:
        """Set what state dicts hold from now on, and return what they held.

        Args:
            module: The module.
            state_dict_type: Whole tensors, or parts.
            state_dict_config: How they are made.
            optim_state_dict_config: How those of optimizers are made.
        """
        before = StateDictSettings(StateDictType.FULL_STATE_DICT)
        for each in FullyShardedDataParallel.fsdp_modules(module):
            before = each._kind
            each._kind = StateDictSettings(
                state_dict_type, state_dict_config or StateDictConfig(),
                optim_state_dict_config or StateDictConfig(),
            )  # fmt: skip
        return before

    @staticmethod
    @contextmanager
    def state_dict_type(
        module: Module, state_dict_type: StateDictType,
        state_dict_config: StateDictConfig | None = None, optim_state_dict_config: Any = None,
    ) -> Iterator[None]:  # fmt: skip
        """Return a block in which state dicts hold whole tensors, or parts.

        Args:
            module: The module.
            state_dict_type: Whole tensors, or parts.
            state_dict_config: How they are made.
            optim_state_dict_config: How those of optimizers are made.
        """
        change = functools.partial(FullyShardedDataParallel.set_state_dict_type, module)
        before = change(state_dict_type, state_dict_config, optim_state_dict_config)
        try:
            yield
        finally:
            change(before.state_dict_type, before.state_dict_config, before.optim_state_dict_config)

    @staticmethod
    def optim_state_dict(model: Module, optim: Any, **options: Any) -> dict[str, Any]:
        """Return an optimizer's state by names of parameters; all ranks call it.

        Args:
            model: The model.
            optim: Its optimizer.
            **options: Accepted for compatibility.
        """
        wrappers = FullyShardedDataParallel.fsdp_modules(model)
        whole = all(
            each._kind.state_dict_type is StateDictType.FULL_STATE_DICT for each in wrappers
        )
        chosen = StateDictOptions(full_state_dict=whole)
        state = get_optimizer_state_dict(model, optim, options=chosen)
        alone = whole and any(
            getattr(each._kind.optim_state_dict_config, "rank0_only", False) for each in wrappers
        )
        return {} if alone and default_group().rank() else state

    @staticmethod
    def full_optim_state_dict(
        model: Module, optim: Any, optim_input: Any = None, rank0_only: bool = True,
        group: Any = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Return an optimizer's state with whole tensors; all ranks call it.

        Args:
            model: The model.
            optim: Its optimizer.
            optim_input: Accepted for compatibility.
            rank0_only: Whether the other ranks get an empty dictionary.
            group: Accepted for compatibility.
        """
        chosen = StateDictOptions(full_state_dict=True)
        state = get_optimizer_state_dict(model, optim, options=chosen)
        return {} if rank0_only and default_group().rank() else state

    @staticmethod
    def optim_state_dict_to_load(
        model: Module, optim: Any, optim_state_dict: dict[str, Any], **options: Any
    ) -> dict[str, Any]:
        """Return what the optimizer's ``load_state_dict`` takes of a state by names.

        Args:
            model: The model.
            optim: Its optimizer.
            optim_state_dict: What `optim_state_dict` has returned.
            **options: Accepted for compatibility.
        """
        set_optimizer_state_dict(model, optim, optim_state_dict)
        return optim.state_dict()


def _mesh(group: Any, mesh: Any, strategy: ShardingStrategy) -> DeviceMesh:
    """Return the mesh for a strategy: copies along the first dim where nothing is dealt out."""
    if mesh is not None:
        return mesh
    if isinstance(group, tuple | list):  # the ranks of the shards, and those of the copies
        inner, outer = group
        me = default_group().rank()
        rows = [[rank + other - me for other in inner.ranks] for rank in outer.ranks]
        return DeviceMesh.from_group([outer, inner], "cpu", mesh=rows)
    if strategy is ShardingStrategy.NO_SHARD:
        if group is not None:
            ranks = [[rank] for rank in resolved(group).ranks]
            return DeviceMesh("cpu", ranks)
        return init_device_mesh("cpu", (default_group().size(), 1))
    return mesh_of_all() if group is None else DeviceMesh.from_group(resolved(group), "cpu")


def _policy(given: MixedPrecision) -> MixedPrecisionPolicy:
    return MixedPrecisionPolicy(
        param_dtype=given.param_dtype, reduce_dtype=given.reduce_dtype,
        cast_forward_inputs=given.cast_forward_inputs or given.cast_root_forward_inputs,
    )  # fmt: skip


def _name_as_inside(
    module: Any, state_dict: dict[str, Any], prefix: str, local_metadata: Any
) -> None:
    """Have names without the wrapper in a state dict, and whole tensors or parts as asked for."""
    kind, config = module._kind.state_dict_type, module._kind.state_dict_config
    marked = prefix + _PREFIX
    for key in [key for key in state_dict if key.startswith(prefix)]:
        value = state_dict.pop(key)
        if isinstance(value, DTensor) and kind is StateDictType.FULL_STATE_DICT:
            value = value.detach().full_tensor()
        elif isinstance(value, DTensor) and kind is StateDictType.LOCAL_STATE_DICT:
            value = value.detach().to_local()
        if getattr(config, "rank0_only", False) and default_group().rank():
            continue
        name = prefix + key.removeprefix(marked) if key.startswith(marked) else key
        state_dict[name] = value


def _name_as_wrapped(module: Any, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
    """Have names with the wrapper in a state dict that is loaded."""
    for key in [key for key in state_dict if key.startswith(prefix)]:
        if not key.startswith(prefix + _PREFIX):
            state_dict[prefix + _PREFIX + key.removeprefix(prefix)] = state_dict.pop(key)
