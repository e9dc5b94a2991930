"""Spreading tensors and modules over a mesh, and making tensors that are spread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pellucid.distributed.tensor import functions
from pellucid.distributed.tensor.dtensor import DTensor, mesh_or_all, wrapped
from pellucid.distributed.tensor.placement_types import Placement, Replicate
from pellucid.distributed.tensor.spec import Spec, checked_placements
from pellucid.errors import ArgumentError, ArgumentTypeError, GraphError
from pellucid.nn.modules.module import Module
from pellucid.nn.parameter import Parameter
from pellucid.processes.collectives import broadcast
from pellucid.processes.mesh import DeviceMesh
from pellucid.shapes import shape_from_args
from pellucid.tensors import Tensor, creation


def distribute_tensor(
    tensor: Any, device_mesh: Any = None, placements: Sequence[Placement] | None = None, *,
    src_data_rank: int | None = 0,
) -> DTensor:  # fmt: skip
    """Spread a tensor that all ranks have over a mesh; all ranks of the mesh call it.

    Args:
        tensor: A leaf; the values are those of the first rank.
        device_mesh: The ranks; all of them if None.
        placements: ``Shard(dim)`` or ``Replicate()`` along each dim of the mesh; whole on every
            rank if None.
        src_data_rank: Whether values are sent from the first rank; None where all ranks are known
            to have the same.

    Returns:
        A leaf that requires grad if the tensor does.

    Raises:
        RuntimeError: For a tensor that is not a leaf, or has dims that are to be cut and are not.
        ValueError: If the placements do not fit the mesh or the tensor.

    >>> from pellucid.distributed.tensor import Replicate, distribute_tensor, init_device_mesh
    >>> torch.distributed.init_process_group(world_size=1, rank=0)
    >>> mesh = init_device_mesh("cpu", (1,))
    >>> distribute_tensor(torch.ones(2), mesh, [Replicate()]).placements
    (Replicate(),)
    >>> torch.distributed.destroy_process_group()
    """
    mesh = mesh_or_all(device_mesh)
    if not isinstance(tensor, Tensor):
        raise ArgumentTypeError(f"distribute_tensor needs a tensor, not {type(tensor).__name__}")
    if not tensor.is_leaf:
        raise GraphError("`distribute_tensor` should be used to distribute leaf tensors! but found "
                         "non-leaf tensor!")  # fmt: skip
    placed = checked_placements(placements, mesh, tensor.ndim, partial=False)
    if isinstance(tensor, DTensor):
        if tensor.device_mesh != mesh:
            raise ArgumentError(
                f"Cannot distribute a DTensor with device mesh {tensor.device_mesh} to a different "
                f"device mesh {mesh}."
            )
        if tensor.placements != placed:
            raise ArgumentError(
                f"Cannot distribute a DTensor with placements {tensor.placements} to a different "
                f"placements {placed}. do you want to call `redistribute` instead?"
            )
        return tensor
    whole = tensor.detach()
    if src_data_rank is not None and not tensor.is_meta:
        whole = whole.clone()
        whole._array = np.array(whole._array, order="C")
        for number in range(mesh.ndim):
            if mesh.shape[number] > 1:
                broadcast(whole, group=mesh.get_group(number), group_src=0)
    spec = Spec(mesh, placed, tuple(tensor.shape))
    made = wrapped(whole[spec.local_index].clone(), spec)
    return made.requires_grad_(tensor.requires_grad)


def distribute_module(
    module: Module, device_mesh: Any = None, partition_fn: Callable[..., Any] | None = None,
    input_fn: Callable[..., Any] | None = None, output_fn: Callable[..., Any] | None = None,
) -> Module:  # fmt: skip
    """Spread the parameters and buffers of a module over a mesh, in place; return it.

    Args:
        module: The module.
        device_mesh: The ranks; all of them if None.
        partition_fn: Called as ``partition_fn(name, submodule, mesh)``; replaces parameters by
            DTensors. What it leaves becomes whole on every rank.
        input_fn: Called as ``input_fn(module, inputs, mesh)``; returns what forward gets.
        output_fn: Called as ``output_fn(module, outputs, mesh)``; returns what forward returns.

    Returns:
        The module.
    """
    mesh = mesh_or_all(device_mesh)
    for name, each in module.named_modules():
        if partition_fn is not None:
            partition_fn(name, each, mesh)
        _replicate_rest(each, mesh)
    if input_fn is not None:
        before = input_fn
        module.register_forward_pre_hook(lambda mod, inputs: before(mod, inputs, mesh))
    if output_fn is not None:
        after = output_fn
        module.register_forward_hook(lambda mod, inputs, outputs: after(mod, outputs, mesh))
    return module


def _replicate_rest(module: Module, mesh: DeviceMesh) -> None:
    """Make DTensors of those of a module's own parameters and buffers that are not DTensors yet."""
    whole = [Replicate()] * mesh.ndim
    for name, param in module._parameters.items():
        if param is not None and not isinstance(param, DTensor):
            module.register_parameter(name, parameter_of(param, mesh, whole))
    for name, buffer in module._buffers.items():
        if buffer is not None and not isinstance(buffer, DTensor):
            module._buffers[name] = distribute_tensor(buffer, mesh, whole)


def parameter_of(
    param: Any, mesh: DeviceMesh, placements: Sequence[Placement], src_data_rank: int | None = 0
) -> Any:
    """Return a parameter spread over a mesh."""
    spread = distribute_tensor(param, mesh, placements, src_data_rank=src_data_rank)
    return Parameter(spread.detach(), requires_grad=param.requires_grad)


# ---- tensors that are made spread -------------------------------------------------------------


def _made(
    name: str, make: Callable[..., Any], size: tuple[Any, ...], options: dict[str, Any],
    draw: str | None = None,
) -> DTensor:  # fmt: skip
    mesh = mesh_or_all(options.pop("device_mesh", None))
    shape = shape_from_args(size, name)
    placed = checked_placements(options.pop("placements", None), mesh, len(shape), partial=False)
    requires_grad = options.pop("requires_grad", False)
    spec = Spec(mesh, placed, tuple(shape))
    made = wrapped(make(spec.local_shape, **options), spec)
    if draw is not None:
        functions.functions[draw](made)
    return made.requires_grad_(requires_grad)


_SPREAD = """

    Args:
        *size: Sizes of the whole tensor, one by one or as a sequence.
        **options: ``device_mesh`` and ``placements``, as for `distribute_tensor`, ``dtype``,
            ``layout`` and ``requires_grad``.

    Returns:
        A DTensor.
    """


def zeros(*size: Any, **options: Any) -> DTensor:
    """Make a tensor of zeros that is spread over a mesh."""
    return _made("zeros", creation.zeros, size, options)


def ones(*size: Any, **options: Any) -> DTensor:
    """Make a tensor of ones that is spread over a mesh."""
    return _made("ones", creation.ones, size, options)


def empty(*size: Any, **options: Any) -> DTensor:
    """Make a tensor that is spread over a mesh, without setting its values."""
    return _made("empty", creation.empty, size, options)


def full(size: Any, fill_value: Any, **options: Any) -> DTensor:
    """Make a tensor of one value that is spread over a mesh.

    Args:
        size: Sizes of the whole tensor, a sequence.
        fill_value: Value of every element.
        **options: As for `zeros`.

    Returns:
        A DTensor.
    """

    def make(shape: Any, **rest: Any) -> Any:
        return creation.full(shape, fill_value, **rest)

    return _made("full", make, (size,), options)


def rand(*size: Any, **options: Any) -> DTensor:
    """Draw a tensor that is spread over a mesh from [0, 1): the numbers of one that is not."""
    return _made("rand", creation.empty, size, options, "uniform_")


def randn(*size: Any, **options: Any) -> DTensor:
    """Draw a tensor that is spread over a mesh from the normal distribution."""
    return _made("randn", creation.empty, size, options, "normal_")


for _function in (zeros, ones, empty, rand, randn):
    _function.__doc__ = f"{_function.__doc__}{_SPREAD}"
