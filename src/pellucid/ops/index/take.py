"""Elements by their positions in the flattened tensor."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from pellucid.autograd.modes import modes
from pellucid.core.backward.history import edge_of
from pellucid.core.call.call import new_tensor
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import EXACT, public
from pellucid.core.errors.determinism import alert_not_deterministic
from pellucid.core.errors.op_errors import check_same_dtype
from pellucid.core.families import linear
from pellucid.core.memory.writing import check_overlap
from pellucid.errors import IndexingError
from pellucid.ops.aliasing.inplace import check_inplace
from pellucid.ops.index.indexing import gather_index, index_backward, put_index
from pellucid.ops.index.scatter import check_index, check_long_index
from pellucid.ops.shape.views import reshape
from pellucid.shapes import Like


def _flat_index(name: str, input: Any, index: Any) -> tuple[Any, ...]:
    check_index(name, index)
    check_long_index(name, index._array)
    size = input._array.size
    array = index._array
    if not isinstance(array, np.ndarray):  # inside vmap there are no values to look at
        return (array.copy(),)
    outside = (array < -size) | (array >= size)
    if outside.any():
        raise IndexingError(
            f"out of range: tried to access index {int(array[outside].flat[0])} on a tensor of "
            f"{size} elements."
        )
    return (array.copy(),)


@public("take", method=True, out=EXACT)
def take(input: Any, index: Any) -> Any:
    """Read the elements at indices into the flattened tensor.

    Args:
        input: Tensor of any shape.
        index: Indices (int64) along ``dim``.

    >>> torch.take(torch.tensor([[4, 5], [6, 7]]), torch.tensor([3, 0]))
    tensor([7, 4])
    """
    positions = _flat_index("take", input, index)
    if isinstance(index._array, np.ndarray):
        return taken(input, *positions)
    return gather_index(reshape(input, (input._array.size,)), positions)


def _positions_shown(node: Any) -> Any:
    node.check_kept()
    return new_tensor(node.params[0])


@linear(
    torch_kernel_name="take_cpu",
    half="bitwise", node_name="take", is_freed=True, gradient_changes=1,
    faces=Face("self@", index=_positions_shown),
)  # fmt: skip
def taken(be, input, /, index):
    """Gather the elements at positions in the flattened tensor."""
    return be.take(input, index)


@taken.vjp("input")
def taken_input(g, input: Like, index):
    shape = tuple(input.shape)
    return index_backward(g.reshape(-1), (prod(shape),), (index.reshape(-1),)).reshape(shape)


@public("put", method=True)
def put(input: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Return a copy with other elements at indices into the flattened tensor.

    Args:
        input, index: As for `take`.
        source: Tensor with the values to read.
        accumulate: Whether values are added to what is there rather than written over it.

    Raises:
        RuntimeError: If ``source`` does not have as many elements as ``index``.

    >>> torch.put(torch.zeros(2, 2), torch.tensor([3]), torch.ones(1))
    tensor([[0., 0.],
            [0., 1.]])
    """
    if not accumulate:
        alert_not_deterministic("put_")
    positions = _flat_index("put_", input, index)
    if source._array.size != index._array.size:
        raise IndexingError(
            "put_(): Expected source and index to have the same number of elements, but got source."
            f"numel() = {source._array.size}, index.numel() = {index._array.size}"
        )
    check_same_dtype(
        input, source,
        "put_(): self and source expected to have the same dtype, but got self.dtype = {} and "
        "source.dtype = {}",
    )  # fmt: skip
    values = reshape(source, tuple(index._array.shape))
    flat = put_index(reshape(input, (input._array.size,)), values, positions, accumulate)
    return reshape(flat, tuple(input._array.shape))


@public(method="put_")
def put_(self: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Write other elements at indices into the flattened tensor."""
    if modes.grad_enabled and edge_of(self) is not None:
        check_inplace(self, "put_")
    check_overlap(self, (index, source), apart=True)
    return self.copy_(put(self, index, source, accumulate))
