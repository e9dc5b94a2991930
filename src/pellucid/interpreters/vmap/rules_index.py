"""What ops do with samples that gather and scatter: indices, tables, masks."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.core.call.call import new_tensor
from pellucid.errors import GraphError
from pellucid.interpreters.vmap.batched import BatchedArray
from pellucid.interpreters.vmap.dispatch import Call, rule, sample_by_sample
from pellucid.interpreters.vmap.rules import from_end
from pellucid.ops.index import index_slices, indexing, scatter
from pellucid.ops.index.scatter import gather
from pellucid.ops.nn import embedding
from pellucid.ops.shape.copying import cast

# ---- along one dimension --------------------------------------------------------------------


@rule(
    gather, scatter.scatter_src, scatter.scatter_value, scatter.scatter_add, scatter.scatter_reduce
)
def _places(call: Call) -> Any:
    values = [call.expanded(position) for position in range(len(call.values))]
    dim = from_end(call.params["dim"], call.ndim(0))
    if call.ndim(0):
        return call.run(*values, dim=dim)
    deeper = [value.unsqueeze(-1) if value.ndim == 1 else value for value in values]
    out = call.run(*deeper, dim=-1)
    return out if call.op is gather.op and call.ndim(1) else out.squeeze(-1)


@rule(scatter.gather_backward)
def _add_at_places(call: Call) -> Any:
    g, index = call.expanded(0), call.expanded(1)
    shape = tuple(call.params["shape"])
    if not shape:
        deeper = [value.unsqueeze(-1) if value.ndim == 1 else value for value in (g, index)]
        return call.run(*deeper, shape=(call.size, 1), dim=-1).squeeze(-1)
    dim = from_end(call.params["dim"], len(shape))
    return call.run(g, index, shape=(call.size, *shape), dim=dim)


@rule(index_slices.index_select)
def _index_select(call: Call) -> Any:
    dim = from_end(call.params["dim"], call.ndim(0))
    if not call.batched[1] and call.ndim(0):
        return call.run(*call.values, dim=dim)
    if not call.ndim(0):
        return sample_by_sample(call)
    input, index = call.expanded(0), call.values[1]
    position = call.ndim(0) + dim
    count = index.shape[1] if call.ndim(1) else 1
    sizes = list(call.shape(0))
    sizes[position] = count
    spread = index.reshape(call.size, *(count if d == position else 1 for d in range(len(sizes))))
    return gather(input, dim, spread.expand(call.size, *sizes))


@rule(index_slices.index_add, index_slices.index_copy, index_slices.index_fill_scalar)
def _slices(call: Call) -> Any:
    if call.batched[1] or not call.ndim(0):
        return sample_by_sample(call)
    _, index, *rest = call.values
    dim = from_end(call.params["dim"], call.ndim(0))
    rest = [call.expanded(2)] if rest else []
    return call.run(call.expanded(0), index, *rest, dim=dim)


@rule(index_slices.index_select_backward)
def _slices_to_zeros(call: Call) -> Any:
    shape = tuple(call.params["shape"])
    if call.batched[1] or not shape:
        return sample_by_sample(call)
    dim = from_end(call.params["dim"], len(shape))
    return call.run(call.expanded(0), call.values[1], shape=(call.size, *shape), dim=dim)


# ---- arrays of indices ----------------------------------------------------------------------


class Placement:
    """An index for all samples, and how the dimensions of what it finds are to be arranged."""

    def __init__(self, call: Call, index: tuple[Any, ...], with_samples: bool) -> None:
        own = [part for part in index if _of_call(part, call)]
        if any(part.dtype == np.bool_ for part in own):
            raise GraphError(
                "vmap: We do not support batching operators that can support dynamic shape. "
                "Attempting to batch over indexing with a boolean mask."
                "\n  Each sample would choose another number of elements; use torch.where."
            )
        parts = _without_masks(index) if own else index
        gathering = [position for position, part in enumerate(parts) if not isinstance(part, slice)]
        adjacent = gathering[-1] - gathering[0] + 1 == len(gathering)
        depth = max(1 if p.dtype == np.bool_ else p.ndim for p in map(parts.__getitem__, gathering))
        #: where dimensions of what is found go, one move after the other
        self._moves: list[tuple[int, int]]
        self.index: tuple[Any, ...]
        if not own:
            self.index = (slice(None), *parts)
            # arrays that stand apart put their dimensions first, before the samples
            self._moves = [] if adjacent else [(depth, 0)]
            return
        self.index = tuple(
            part if isinstance(part, slice) else _aligned_part(part, call, depth) for part in parts
        )
        if not with_samples:
            self._moves = [(gathering[0], 0)] if adjacent else []
            return
        samples = new_tensor(np.arange(call.size).reshape(call.size, *(1,) * depth))
        self.index = (samples._array, *self.index)
        leading = gathering[0]
        # now arrays stand first; a sample has them after the slices that lead
        self._moves = [(1, depth + leading)] * depth if adjacent and leading else []

    def arranged(self, found: Any) -> Any:
        """Return what the index has found, samples first."""
        for source, target in self._moves:
            found = found.movedim(source, target)
        return found

    def rearranged(self, values: Any) -> Any:
        """Undo `arranged`."""
        for source, target in reversed(self._moves):
            values = values.movedim(target, source)
        return values


def _of_call(part: Any, call: Call) -> bool:
    return part.__class__ is BatchedArray and part.level is call.level


def _without_masks(index: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the index with the places that a mask names instead of the mask."""
    parts: list[Any] = []
    for part in index:
        if isinstance(part, slice) or part.dtype != np.bool_:
            parts.append(part)
        else:
            parts += np.nonzero(part)
    return tuple(parts)


def _aligned_part(part: Any, call: Call, depth: int) -> Any:
    """Return an array of indices with samples first and as many dimensions as the deepest."""
    if not _of_call(part, call):
        return part
    value = part.value
    return value.reshape(value.shape[0], *(1,) * (depth - part.ndim), *part.shape)._array


@rule(indexing.gather_index)
def _gather_index(call: Call) -> Any:
    placement = Placement(call, call.params["index"], call.batched[0])
    return placement.arranged(call.run(call.values[0], index=placement.index))


def _found_shape(shape: tuple[int, ...], placement: Placement) -> tuple[int, ...]:
    """Return the shape of what an index finds in a tensor, samples first."""
    stand_in = np.broadcast_to(np.zeros((), np.bool_), shape)[placement.index]
    return tuple(placement.arranged(new_tensor(stand_in))._array.shape)


@rule(indexing.put_index)
def _put_index(call: Call) -> Any:
    placement = Placement(call, call.params["index"], True)
    input, values = call.expanded(0), call.values[1]
    shape = _found_shape(tuple(input.shape), placement)
    if call.batched[1]:
        values = values.reshape(call.size, *(1,) * (len(shape) - values.ndim), *values.shape[1:])
    values = placement.rearranged(values.expand(tuple(shape)))
    return call.run(input, values, index=placement.index)


@rule(indexing.index_backward)
def _spread_index(call: Call) -> Any:
    placement = Placement(call, call.params["index"], True)
    g = placement.rearranged(call.expanded(0))
    return call.run(g, shape=(call.size, *call.params["shape"]), index=placement.index)


@rule(indexing.clear_index)
def _clear_index(call: Call) -> Any:
    placement = Placement(call, call.params["index"], True)
    return call.run(call.expanded(0), index=placement.index)


# ---- tables ---------------------------------------------------------------------------------


@rule(embedding.embedding_lookup, embedding.scaled_lookup)
def _table_rows(call: Call) -> Any:
    weight, indices = call.values
    if not call.batched[0] and call.op is embedding.embedding_lookup.op:
        return call.run(weight, indices)
    if call.params["padding_idx"] != -1 or call.params["scale_grad_by_freq"]:
        return sample_by_sample(call)
    weight = call.expanded(0)
    count = weight.shape[1]
    rows = weight.reshape(call.size * count, *weight.shape[2:])
    return call.run(rows, _own_rows(call, indices, call.ndim(1), count))


def _own_rows(call: Call, indices: Any, ndim: int, count: int) -> Any:
    """Return indices into the rows of all samples' tables, one table below the other."""
    starts = new_tensor(np.arange(call.size).reshape(call.size, *(1,) * ndim) * count)
    return indices + cast(starts, indices.dtype)


@rule(embedding.embedding_backward)
def _add_to_rows(call: Call) -> Any:
    if call.params["padding_idx"] != -1 or call.params["scale_grad_by_freq"]:
        return sample_by_sample(call)
    grad, indices = call.expanded(0), call.expanded(1)
    count = call.params["count"]
    rows = _own_rows(call, indices, call.ndim(1), count)
    out = call.run(grad, rows, count=call.size * count)
    return out.reshape(call.size, count, *out.shape[1:])
