"""Distribution of tensors to devices and back, and replication of modules."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from pellucid.device import check_device
from pellucid.nn.modules.module import Module
from pellucid.ops.shape.join import cat
from pellucid.tensors import Tensor


def _count(devices: Sequence[Any]) -> int:
    """Return the number of devices; raise RuntimeError for one that does not exist."""
    for each in devices:
        check_device(each)
    return len(devices)


def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> list[Any]:
    """Split tensors in nested containers into one chunk per device; other objects are repeated.

    Args:
        inputs: Tensors in nested tuples, lists and dicts.
        target_gpus: Devices; each has to be the CPU.
        dim: The dim to split.

    Returns:
        A tuple with one structure like ``inputs`` for each device.

    Raises:
        RuntimeError: If a device is not the CPU.

    >>> torch.nn.parallel.scatter(torch.arange(3), ["cpu", "cpu"])
    [tensor([0, 1]), tensor([2])]
    """
    return _scattered(inputs, _count(target_gpus), dim)


def _scattered(value: Any, count: int, dim: int) -> list[Any]:
    if isinstance(value, Tensor):
        return list(value.chunk(count, dim))
    if isinstance(value, tuple) and value:
        parts = zip(*(_scattered(each, count, dim) for each in value), strict=False)
        return [type(value)(*each) if hasattr(value, "_fields") else each for each in parts]
    if isinstance(value, list) and value:
        parts = zip(*(_scattered(each, count, dim) for each in value), strict=False)
        return [list(each) for each in parts]
    if isinstance(value, dict) and value:
        parts = zip(*(_scattered(each, count, dim) for each in value.values()), strict=False)
        return [type(value)(zip(value, each, strict=True)) for each in parts]
    return [value] * count


def scatter_kwargs(
    inputs: tuple[Any, ...], kwargs: dict[str, Any] | None, target_gpus: Sequence[Any], dim: int = 0
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Split positional and keyword arguments into the same number of chunks.

    Args:
        inputs: Positional arguments.
        kwargs: Keyword arguments, or None.
        target_gpus: Devices; each has to be the CPU.
        dim: The dim to split.

    Returns:
        A pair: a tuple of positional and a tuple of keyword arguments, one entry for each device.

    >>> from pellucid.nn.parallel.scatter_gather import scatter_kwargs
    >>> scatter_kwargs((torch.arange(2),), None, ["cpu", "cpu"])
    (((tensor([0]),), (tensor([1]),)), ({}, {}))
    """
    args = scatter(inputs, target_gpus, dim) if inputs else []
    named = scatter(kwargs, target_gpus, dim) if kwargs else []
    args += [()] * (len(named) - len(args))
    named += [{} for _ in range(len(args) - len(named))]
    return tuple(args), tuple(named)


def gather(outputs: Any, target_device: Any, dim: int = 0) -> Any:
    """Concatenate the tensors of several results in nested containers.

    Args:
        outputs: The results, of equal structure; 0-d tensors become a vector.
        target_device: Device of the result; the CPU is the only one.
        dim: The dim along which tensors are concatenated.

    >>> torch.nn.parallel.gather([torch.tensor([1]), torch.tensor([2])], "cpu")
    tensor([1, 2])
    """
    check_device(target_device)
    return _gathered(list(outputs), dim)


def _gathered(results: list[Any], dim: int) -> Any:
    first = results[0]
    if isinstance(first, Tensor):
        parts = [each.reshape(1) for each in results] if first.dim() == 0 else results
        return cat(parts, 0 if first.dim() == 0 else dim)
    if first is None:
        return None
    if isinstance(first, dict):
        if not all(len(each) == len(first) for each in results):
            raise ValueError("All dicts must have the same number of keys")
        return type(first)((key, _gathered([each[key] for each in results], dim)) for key in first)
    joined = [_gathered(list(each), dim) for each in zip(*results, strict=True)]
    return type(first)(*joined) if hasattr(first, "_fields") else type(first)(joined)


def replicate(network: Module, devices: Sequence[Any], detach: bool = False) -> list[Module]:
    """Return one copy of a module for each device; all share their parameters.

    Args:
        network: The module.
        devices: Devices; each has to be the CPU.
        detach: Whether the copies' parameters are detached.

    >>> first, second = torch.nn.parallel.replicate(torch.nn.Linear(1, 1), ["cpu", "cpu"])
    >>> first.weight is second.weight
    True
    """
    memo = {id(each): each.detach() if detach else each for each in network.parameters()}
    memo |= {id(each): each for each in network.buffers()}
    return [copy.deepcopy(network, dict(memo)) for _ in range(_count(devices))]


def parallel_apply(
    modules: Sequence[Any], inputs: Sequence[Any], kwargs_tup: Any = None, devices: Any = None
) -> list[Any]:
    """Call each module with its input, one after the other, and return the list of results.

    Args:
        modules: The modules.
        inputs: For each module, a tuple of positional arguments or a single one.
        kwargs_tup: For each module, a dict of keyword arguments; none by default.
        devices: Accepted for compatibility; only the CPU is there.

    Raises:
        AssertionError: If the numbers of modules and inputs differ.

    >>> torch.nn.parallel.parallel_apply([torch.nn.Identity()], [torch.ones(1)])
    [tensor([1.])]
    """
    if len(modules) != len(inputs):
        raise AssertionError(
            f"The number of modules {len(modules)} is not equal to the number of inputs "
            f"{len(inputs)}"
        )
    named = kwargs_tup if kwargs_tup is not None else [{}] * len(modules)
    tuples = [each if isinstance(each, tuple | list) else (each,) for each in inputs]
    return [
        module(*args, **kwargs) for module, args, kwargs in zip(modules, tuples, named, strict=True)
    ]
