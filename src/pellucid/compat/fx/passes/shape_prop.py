"""Shapes of what the nodes of a graph return: ``torch.fx.passes.shape_prop``."""

from __future__ import annotations

from typing import Any, NamedTuple

from pellucid.compat.fx.interpreter import Interpreter
from pellucid.compat.fx.node import Node, map_aggregate
from pellucid.core.memory.memory_formats import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    memory_format,
)
from pellucid.dtypes import dtype as dtype_class
from pellucid.tensors import Tensor

__all__ = ["ShapeProp", "TensorMetadata"]

_FORMATS = ((contiguous_format, None), (channels_last, 4), (channels_last_3d, 5))


class TensorMetadata(NamedTuple):
    """What is known of a tensor without its values."""

    shape: Any
    dtype: dtype_class
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: memory_format | None
    is_quantized: bool
    qparams: dict[str, Any]


def _described(result: Tensor) -> TensorMetadata:
    fitting = [
        each for each, ndim in _FORMATS
        if ndim in (None, result.ndim) and result.is_contiguous(memory_format=each)
    ]  # fmt: skip
    return TensorMetadata(
        result.shape, result.dtype, result.requires_grad, result.stride(),
        fitting[0] if fitting else None, False, {},
    )  # fmt: skip


class ShapeProp(Interpreter):
    """An interpreter that notes in each node the shapes and dtypes of what it returns.

    They are in ``node.meta["tensor_meta"]``, as a `TensorMetadata` for each tensor, and the type of
    the result in ``node.meta["type"]``.

    Args:
        gm: The module whose graph is run.
        fake_mode: Kept for PyTorch's callers, and must be None: the arguments say what is computed.

    >>> from pellucid.compat.fx.passes.shape_prop import ShapeProp
    >>> traced = torch.fx.symbolic_trace(lambda x: x.sum(0))
    >>> y = ShapeProp(traced).propagate(torch.ones(2, 3))
    >>> [node.meta["tensor_meta"].shape for node in traced.graph.nodes]
    [torch.Size([2, 3]), torch.Size([3]), torch.Size([3])]
    """

    def __init__(self, gm: Any, fake_mode: None = None) -> None:
        super().__init__(gm)

    def run_node(self, n: Node) -> Any:
        """Run a node, and note what it returns."""
        result = super().run_node(n)
        found = False

        def describe(each: Any) -> Any:
            nonlocal found
            if not isinstance(each, Tensor):
                return each
            found = True
            return _described(each)

        described = map_aggregate(result, describe)
        if found:
            n.meta["tensor_meta"] = described
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Run the graph on arguments, note shapes, and return the result.

        Args:
            args: The arguments of the graph.
        """
        return super().run(*args)
