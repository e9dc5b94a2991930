"""Which layer of a module is spread in which style."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from typing import Any

from pellucid.distributed.tensor.dtensor import mesh_or_all
from pellucid.distributed.tensor.parallel.styles import ParallelStyle
from pellucid.errors import ArgumentError, ArgumentTypeError
from pellucid.nn.modules.module import Module


def parallelize_module(
    module: Module, device_mesh: Any = None, parallelize_plan: Any = None, *,
    src_data_rank: int | None = 0,
) -> Module:  # fmt: skip
    """Spread a module over a mesh of one dim, in place; return it. All ranks call it.

    Shoeybi et al., "Megatron-LM", 2019.

    Args:
        module: The module.
        device_mesh: The ranks, a mesh of one dim; all of them if None.
        parallelize_plan: A style for the module, or styles by the names of modules inside; ``*``
            stands for any part of a name between two dots.
        src_data_rank: Whether values are sent from the first rank; None where all ranks are known
            to have the same.

    Returns:
        The module.

    Raises:
        ValueError: For a mesh of more dims.
        TypeError: For what is neither a style nor a dictionary of them.
    """
    mesh = mesh_or_all(device_mesh)
    if mesh.ndim != 1:
        raise ArgumentError(
            f"Tensor Parallel only accepts a 1D DeviceMesh, but found {mesh.ndim}D! If you have a "
            'N-D device_mesh, please pass in a 1D sub-mesh, as device_mesh["tp"]'
        )
    if parallelize_plan is None:
        warnings.warn(
            "No parallelize_plan is provided and auto-parallel is not supported at the moment, so "
            "this parallelize_module call will do nothing.",
            stacklevel=2,
        )
        return module
    if isinstance(parallelize_plan, ParallelStyle):
        parallelize_plan.src_data_rank = src_data_rank
        return parallelize_plan.apply_to(module, mesh)
    if not isinstance(parallelize_plan, Mapping):
        raise ArgumentTypeError(
            "Expect Union[ParallelStyle, Dict[str, ParallelStyle]] for parallelize_plan, "
            f"{type(parallelize_plan)} found!"
        )
    plan: Mapping[str, Any] = parallelize_plan
    for pattern, style in plan.items():
        found = list(_named(module, pattern.split(".") if pattern else []))
        if not found:
            warnings.warn(
                f"parallelize_plan: no module is called {pattern!r}; nothing was done for it",
                stacklevel=2,
            )
        for each in found:
            parallelize_module(each, mesh, style, src_data_rank=src_data_rank)
    return module


def _named(module: Module, parts: list[str]) -> Iterator[Module]:
    """Return the modules inside whose names fit the parts of a pattern."""
    if not parts:
        yield module
        return
    for name, child in module.named_children():
        if fnmatch(name, parts[0]):
            yield from _named(child, parts[1:])
