"""`fully_shard`: let each rank keep a part of a module's parameters, gradients and state."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pellucid.autograd.modes import modes
from pellucid.autograd.saved import saved_tensors_hooks
from pellucid.core.call.call import new_tensor
from pellucid.distributed.fsdp.policies import MixedPrecisionPolicy, OffloadPolicy
from pellucid.distributed.fsdp.shards import ParamGroup, ShardedParam
from pellucid.distributed.tensor.dtensor import DTensor, wrapped
from pellucid.distributed.tensor.placement_types import Shard
from pellucid.errors import ArgumentError
from pellucid.nn.modules.module import Module
from pellucid.nn.parallel.distributed import tensors_in
from pellucid.processes.mesh import mesh_of_all
from pellucid.tensors import Tensor


class _Depth:
    """How many sharded modules are computing, one inside another."""

    now = 0


class FSDPModule:
    """What `fully_shard` adds to a module."""

    _shards: ParamGroup
    _policy: MixedPrecisionPolicy
    _reshard_after_forward: bool | None
    _unshards_in_backward = True

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        policy = self._policy
        if policy.param_dtype is not None and policy.cast_forward_inputs:
            args, kwargs = _cast(args, policy.param_dtype), _cast(kwargs, policy.param_dtype)
        outputs = self._computed(super().forward, args, kwargs)  # type: ignore[misc]
        return outputs if policy.output_dtype is None else _cast(outputs, policy.output_dtype)

    def _computed(
        self, method: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Return what a method makes of whole parameters, which backward is to have as well."""
        with self._gathered():
            outputs = method(*args, **kwargs)
        if self._unshards_in_backward and not self._shards.is_gathered and modes.grad_enabled:
            for each in tensors_in(outputs):
                if each.requires_grad:
                    each.register_hook(self._shards.gather_for_backward)
        return outputs

    @contextmanager
    def _gathered(self) -> Iterator[None]:
        """Have whole parameters inside a block, and what backward saves of them afterwards."""
        group = self._shards
        reshard = _Depth.now > 0 or not modes.grad_enabled  # no backward would deal out again
        if self._reshard_after_forward is not None:
            reshard = self._reshard_after_forward
        group.gather()
        for each in group.next_forward:
            each.start_to_gather()
        _Depth.now += 1
        try:
            if reshard:
                with saved_tensors_hooks(self._pack, self._unpack):
                    yield
            else:
                yield
        finally:
            _Depth.now -= 1
            if reshard:
                group.deal_out()

    def _pack(self, tensor: Any) -> Any:
        place = self._shards.place_in(tensor._array)
        return tensor.detach() if place is None else place

    def _unpack(self, packed: Any) -> Any:
        return packed if isinstance(packed, Tensor) else new_tensor(self._shards.array_at(packed))

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """Return what is copied and saved: the shards, for a process of the same rank."""
        self.reshard()
        cls = type(self).__mro__[2]
        return _blank, (cls,), self.__dict__

    def unshard(self, async_op: bool = False) -> UnshardHandle | None:
        """Gather the parameters of this module; all ranks call it.

        Args:
            async_op: Whether to return at once; parameters are there after ``wait()`` of what is
                returned, or in the next forward pass.

        Returns:
            What to wait for, with ``async_op``.
        """
        if not async_op:
            self._shards.gather()
            return None
        self._shards.start_to_gather()
        return UnshardHandle(self._shards)

    def reshard(self) -> None:
        """Free the parameters of this module, except for this rank's rows."""
        self._shards.deal_out()

    def set_requires_gradient_sync(
        self, requires_gradient_sync: bool, *, recurse: bool = True
    ) -> None:
        """Set whether backward reduces gradients, or adds them up on each rank.

        Args:
            requires_gradient_sync: Whether gradients are reduced.
            recurse: Whether this is said to sharded modules inside this one, too.
        """
        for each in sharded_modules(self, recurse):
            each._shards.syncs = requires_gradient_sync

    def set_reshard_after_forward(self, reshard_after_forward: bool, recurse: bool = True) -> None:
        """Set whether parameters are freed between forward and backward.

        Args:
            reshard_after_forward: Whether they are.
            recurse: Whether this is said to sharded modules inside this one, too.
        """
        for each in sharded_modules(self, recurse):
            each._reshard_after_forward = reshard_after_forward

    def set_reshard_after_backward(
        self, reshard_after_backward: bool, *, recurse: bool = True
    ) -> None:
        """Set whether parameters are freed after backward, or stay until `reshard`.

        Args:
            reshard_after_backward: Whether they are freed.
            recurse: Whether this is said to sharded modules inside this one, too.
        """
        for each in sharded_modules(self, recurse):
            each._shards.reshards_after_backward = reshard_after_backward

    def set_requires_all_reduce(self, requires_all_reduce: bool, *, recurse: bool = True) -> None:
        """Set whether backward averages gradients over the copies of shards, or keeps them for it.

        Args:
            requires_all_reduce: Whether they are averaged, with those that were kept before.
            recurse: Whether this is said to sharded modules inside this one, too.
        """
        for each in sharded_modules(self, recurse):
            each._shards.reduces_copies = requires_all_reduce

    def set_gradient_divide_factor(self, factor: float) -> None:
        """Set by what the sum of all ranks' gradients is divided: by their number otherwise.

        Args:
            factor: The divisor.
        """
        self._shards.divisor = factor

    def set_force_sum_reduction_for_comms(self, enable: bool) -> None:
        """Accept what PyTorch needs to know; gradients are always summed, then divided.

        Args:
            enable: Whether they are.
        """

    def set_all_reduce_hook(self, hook: Callable[[Any], None], *, stream: Any = None) -> None:
        """Set what is called with each flat tensor of reduced gradients, which it may change.

        Args:
            hook: The function.
            stream: Accepted for compatibility; changes nothing.
        """
        self._shards.hook = hook

    def set_is_last_backward(self, is_last_backward: bool) -> None:
        """Accept what PyTorch needs to know; each backward pass ends its reductions here.

        Args:
            is_last_backward: Whether the next pass is the last one before the optimizer's step.
        """

    def set_unshard_in_backward(self, unshard_in_backward: bool) -> None:
        """Set whether backward gathers the parameters; those that it reads are gathered anyway.

        Args:
            unshard_in_backward: Whether they are gathered.
        """
        self._unshards_in_backward = unshard_in_backward

    def set_modules_to_forward_prefetch(self, modules: list[FSDPModule]) -> None:
        """Set whose parameters are gathered while this module computes in forward.

        Args:
            modules: Sharded modules, the next ones to compute.
        """
        self._shards.next_forward = [each._shards for each in modules]

    def set_modules_to_backward_prefetch(self, modules: list[FSDPModule]) -> None:
        """Set whose parameters are gathered while this module computes in backward.

        Args:
            modules: Sharded modules, the next ones to compute.
        """
        self._shards.next_backward = [each._shards for each in modules]


class UnshardHandle:
    """Parameters that are being gathered.

    Args:
        shards: The parameters of a sharded module.
    """

    def __init__(self, shards: ParamGroup) -> None:
        self._shards = shards

    def wait(self) -> None:
        """Wait until the parameters are there."""
        self._shards.gather()


def sharded_modules(module: Any, recurse: bool = True) -> list[FSDPModule]:
    """Return the sharded modules in a module, or itself if it is one."""
    modules = module.modules() if recurse else [module]
    return [each for each in modules if isinstance(each, FSDPModule)]


def _cast(value: Any, dtype: Any) -> Any:
    """Return nested containers with floating-point tensors in another dtype."""
    if isinstance(value, Tensor):
        return value.to(dtype) if value.dtype.is_floating_point else value
    if isinstance(value, dict):
        return {key: _cast(each, dtype) for key, each in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_cast(each, dtype) for each in value))
    if isinstance(value, list | tuple):
        return type(value)(_cast(each, dtype) for each in value)
    return value


def fully_shard(
    module: Any, *, mesh: Any = None, reshard_after_forward: bool | int | None = None,
    shard_placement_fn: Any = None, mp_policy: MixedPrecisionPolicy | None = None,
    offload_policy: OffloadPolicy | None = None, ignored_params: set[Any] | None = None,
    dp_mesh_dims: Any = None,
) -> Any:  # fmt: skip
    """Deal the parameters of a module out to all ranks, a part of the rows to each; in place.

    Rajbhandari et al., "ZeRO", 2020, stage 3; Zhao et al., "PyTorch FSDP", 2023. Parameters of
    modules inside that have been sharded before stay theirs: shard the layers first, then the
    whole. Whole parameters are gathered for forward and again for backward, and let go after each;
    each rank keeps the averaged gradients of its rows, and so does an optimizer made afterwards
    with its state. All ranks must have the same values before.

    Args:
        module: The module; its class gets the methods of `FSDPModule`.
        mesh: The ranks, a mesh of one dim, or of two: each group along the first one has copies of
            the same shards; all ranks if None.
        reshard_after_forward: Whether parameters are let go between forward and backward; if None,
            except for the outermost module.
        shard_placement_fn: Given each parameter, returns along which dim it is cut, as
            ``Shard(1)``, or None for the first one.
        mp_policy: The dtypes for computing and reducing; those of the parameters if None.
        offload_policy: Accepted for compatibility; everything is on the CPU.
        ignored_params: Parameters that are not dealt out.
        dp_mesh_dims: Not used.

    Returns:
        The module.

    Raises:
        ValueError: Without a process group, for a parameter without dims, for a placement that
            its dims do not have, and for a module that is sharded already.

    >>> from pellucid.distributed.fsdp import fully_shard
    >>> torch.distributed.init_process_group(world_size=1, rank=0)
    >>> net = fully_shard(torch.nn.Linear(2, 3))
    >>> net(torch.ones(1, 2)).sum().backward()
    >>> net.bias.grad.full_tensor(), net.bias.shape, net.bias.placements
    (tensor([1., 1., 1.]), torch.Size([3]), (Shard(dim=0),))
    >>> torch.distributed.destroy_process_group()
    """
    if isinstance(module, FSDPModule):
        raise ArgumentError("fully_shard has already been called on this module")
    over = mesh_of_all() if mesh is None else mesh
    if over.ndim > 2:
        raise ArgumentError(
            "fully_shard: the mesh has one dim, or two (copies and shards), not "
            f"{over.ndim}: {over}"
        )
    policy = MixedPrecisionPolicy() if mp_policy is None else mp_policy
    params = []
    for name, owners in _own_parameters(module, ignored_params or set()):
        param: Any = owners[0][0]._parameters[owners[0][1]]
        if not param.ndim:
            raise ArgumentError(
                f"fully_shard doesn't support scalar parameters. Change {name} to a 1D tensor with "
                "numel equal to 1."
            )
        dim = _dim_to_cut(name, param, shard_placement_fn)
        params.append(ShardedParam(owners, over, policy.param_dtype, dim))
    cls = type(module)
    module.__class__ = _sharded_class(cls)
    module._policy = policy
    module._reshard_after_forward = (
        None if reshard_after_forward is None else bool(reshard_after_forward)
    )
    module._shards = ParamGroup(params, over, policy, cls.__name__)
    module._shards.deal_out()
    module.register_state_dict_pre_hook(_deal_out_first)
    for each in dict.fromkeys(owner for param in params for owner, _ in param.owners):
        each.register_load_state_dict_pre_hook(_spread_loaded)
    return module


def _dim_to_cut(name: str, param: Any, shard_placement_fn: Any) -> int:
    """Return along which dim a parameter is dealt out."""
    placement = None if shard_placement_fn is None else shard_placement_fn(param)
    if placement is None:
        return 0
    if not isinstance(placement, Shard) or not -param.ndim <= placement.dim < param.ndim:
        raise ArgumentError(
            f"fully_shard: shard_placement_fn returned {placement!r} for {name} of shape "
            f"{tuple(param.shape)}; it takes Shard(dim) or None"
        )
    return placement.dim % param.ndim


def register_fsdp_forward_method(module: Any, method_name: str) -> None:
    """Have a method of a module compute with whole parameters, as its forward pass does.

    Args:
        module: The module; one that is not sharded is left as it is.
        method_name: The name of the method.

    Raises:
        ValueError: If the module has no such method.
    """
    if not isinstance(module, FSDPModule):
        return
    if not hasattr(module, method_name):
        raise ArgumentError(f"{type(module)} does not have a method {method_name}")
    method = getattr(module, method_name)

    @functools.wraps(method)
    def gathered(*args: Any, **kwargs: Any) -> Any:
        return module._computed(method, args, kwargs)

    setattr(module, method_name, gathered)


@functools.cache
def _sharded_class(cls: type[Any]) -> type[Any]:
    return type(f"FSDP{cls.__name__}", (FSDPModule, cls), {})


def _blank(cls: type[Any]) -> Any:
    """Return a sharded module without attributes."""
    return object.__new__(_sharded_class(cls))


def _own_parameters(
    module: Module, ignored: set[Any]
) -> list[tuple[str, list[tuple[Module, str]]]]:
    """Return the parameters of a module that are not sharded yet, with all that have them."""
    skipped = {id(each) for each in ignored}
    sharded = {
        id(param.shard)
        for each in sharded_modules(module) for param in each._shards.params
    }  # fmt: skip
    found: dict[int, tuple[str, list[tuple[Module, str]]]] = {}
    for prefix, each in module.named_modules(remove_duplicate=True):
        for name, param in each._parameters.items():
            if param is None or id(param) in skipped or id(param) in sharded:
                continue
            full_name = f"{prefix}.{name}" if prefix else name
            found.setdefault(id(param), (full_name, []))[1].append((each, name))
    return list(found.values())


def _deal_out_first(module: Any, prefix: str, keep_vars: bool) -> None:
    """Have the shards on the modules, before a state dict is made of them."""
    module._shards.deal_out()


def _spread_loaded(module: Any, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
    """Replace whole tensors by DTensors of this rank's parts, before they are loaded."""
    for name, param in module._parameters.items():
        key = f"{prefix}{name}"
        value = state_dict.get(key)
        if not isinstance(param, DTensor) or value is None or isinstance(value, DTensor):
            continue
        if tuple(value.shape) == tuple(param.shape):
            state_dict[key] = wrapped(value.detach()[param._spec.local_index], param._spec)
