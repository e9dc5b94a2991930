"""Functions that are not ops and make tensors like a `DTensor`, or draw for one."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.core.call.call import new_tensor
from pellucid.core.call.overriding import DisableTorchFunctionSubclass
from pellucid.distributed.tensor.dispatch import functions, in_whole, mixed
from pellucid.distributed.tensor.dtensor import DTensor, wrapped
from pellucid.distributed.tensor.placement_types import Replicate
from pellucid.distributed.tensor.spec import Spec
from pellucid.ops.aliasing.inplace import call_inplace
from pellucid.ops.index.indexing import gather_index, getitem
from pellucid.ops.nn.dropout import dropout
from pellucid.ops.nn.embedding import one_hot
from pellucid.ops.random import sampling
from pellucid.ops.shape.copying import copy
from pellucid.processes.collectives import broadcast
from pellucid.processes.exchanges import reduced
from pellucid.processes.mesh import DeviceMesh
from pellucid.processes.reductions import RedOpType
from pellucid.tensors import Tensor, creation

# ---- tensors like another one -----------------------------------------------------------------


def _like(make: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that makes a tensor spread like its first argument."""

    def made(input: Any, *args: Any, **kwargs: Any) -> Any:
        kwargs.pop("memory_format", None)
        spec: Spec = input._spec.of_gradient
        part = make(
            spec.local_shape, *args, dtype=kwargs.pop("dtype", None) or input.dtype, **kwargs
        )
        return wrapped(part, spec)

    return made


def _full_like(input: Any, fill_value: Any, **kwargs: Any) -> Any:
    return _like(lambda shape, **rest: creation.full(shape, fill_value, **rest))(input, **kwargs)


functions.update(
    zeros_like=_like(creation.zeros), ones_like=_like(creation.ones),
    empty_like=_like(creation.empty), full_like=_full_like,
)  # fmt: skip


# ---- whole tensors on all ranks ---------------------------------------------------------------


def _spread_among(values: Any) -> list[DTensor]:
    """Return the spread tensors in nested arguments."""
    if isinstance(values, DTensor):
        return [values]
    if isinstance(values, dict):
        values = tuple(values.values())
    if isinstance(values, list | tuple):
        return [found for each in values for found in _spread_among(each)]
    return []


def _gathered(value: Any) -> Any:
    """Return nested arguments with whole tensors in place of spread ones."""
    if isinstance(value, DTensor):
        return value.full_tensor()
    if isinstance(value, dict):
        return {key: _gathered(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_gathered(each) for each in value)
    return value


def _computed_in_whole(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Return what a function makes of whole tensors, spread as copies; write what it changes."""
    first = _spread_among((args, kwargs))[0]
    mesh = first.device_mesh
    changes = function.__name__.endswith("_")
    given = _gathered(args)
    if changes:
        given = (given[0].clone(), *given[1:])
    result: Any = function(*given, **_gathered(kwargs))
    copies = _copies(result, mesh)
    return args[0].copy_(copies) if changes else copies


def _copies(result: Any, mesh: DeviceMesh) -> Any:
    """Return the tensors of nested results, which all ranks have computed, spread as copies."""
    if isinstance(result, tuple | list):
        each = (_copies(value, mesh) for value in result)
        return type(result)(each)
    if not isinstance(result, Tensor):
        return result
    return DTensor.from_local(result, mesh, [Replicate()] * mesh.ndim, run_check=False)


for _name in (
    "quantile", "nanquantile", "index_put", "index_put_", "take", "repeat_interleave", "histc",
    "bincount", "searchsorted", "bucketize", "masked_select", "nonzero", "argwhere", "unique",
    "unique_consecutive", "linalg_lstsq", "embedding_bag", "fold", "ctc_loss", "segment_reduce",
    "allclose", "equal",
):  # fmt: skip
    in_whole[_name] = _computed_in_whole


def _getitem(self: Any, index: Any) -> Any:
    """Return ``self[index]``; places that spread tensors name are known on all ranks."""
    if not isinstance(self, DTensor):
        raise mixed(gather_index.op)
    with DisableTorchFunctionSubclass():  # it asks the classes of its operands by itself
        return getitem(self, _gathered(index) if _spread_among(index) else index)


def _setitem(self: Any, index: Any, value: Any) -> Any:
    """Write to places that spread tensors name into the whole; each rank keeps its part of it."""
    if not _spread_among(index):
        return NotImplemented
    whole = self.full_tensor().clone()
    whole[_gathered(index)] = _gathered(value)
    self.copy_(_copies(whole, self.device_mesh))
    return None


def _one_hot(tensor: Any, num_classes: int = -1) -> Any:
    if num_classes != -1 or not tensor.numel():
        return NotImplemented
    return one_hot(tensor, int(tensor.max().item()) + 1)


functions.update(__getitem__=_getitem, __setitem__=_setitem, one_hot=_one_hot)


# ---- random numbers ---------------------------------------------------------------------------

# Note [Random numbers of the whole]
# Each rank draws the numbers of the whole tensor, from its own generator, and keeps those of its
# part. So a tensor that is spread gets the same numbers as one that is not, on any number of ranks,
# and generators that were seeded alike stay alike. Where they were not, all ranks take what the
# first one has drawn.


def agreed(values: Any, input: DTensor) -> Any:
    """Return what the first rank of the mesh has drawn."""
    for number in range(input.device_mesh.ndim):
        group = input.device_mesh.get_group(number)
        if group.size() == 1:
            continue
        digest = zlib.crc32(np.ascontiguousarray(values).tobytes())
        both = reduced(np.array([digest, -digest], np.int64), group, RedOpType.MAX)
        if both[0] != -both[1]:
            sent = new_tensor(np.array(values, order="C"))
            broadcast(sent, group=group, group_src=0)
            values = sent._array
    return values


def _drawing(name: str) -> Callable[..., Any]:
    """Return the in-place function of a name, which fills a DTensor with numbers of the whole."""
    method = getattr(sampling, name)

    def filled(self: DTensor, *args: Any, **kwargs: Any) -> Any:
        whole: Any = new_tensor(np.empty(tuple(self.shape), self._array.dtype))
        method(whole, *args, **kwargs)
        spread = self.placed_like(new_tensor(agreed(whole._array, self)))
        return call_inplace(copy.op, (self, spread._moved(self._spec.placements)), (False,))

    return filled


for _name in (
    "normal_", "uniform_", "random_", "bernoulli_", "exponential_", "geometric_", "cauchy_",
    "log_normal_",
):  # fmt: skip
    functions[_name] = _drawing(_name)


def _drawn_like(name: str) -> Callable[..., Any]:
    def made(input: Any, *args: Any, **kwargs: Any) -> Any:
        generator = kwargs.pop("generator", None)
        requires_grad = kwargs.pop("requires_grad", False)
        empty = functions["empty_like"](input, **kwargs)
        filled = functions[name](empty, *args, generator=generator)
        return filled.requires_grad_() if requires_grad else filled

    return made


functions.update(rand_like=_drawn_like("uniform_"), randn_like=_drawn_like("normal_"))


def _dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    if not training or not p:
        return input
    settled = input._moved(input._spec.of_gradient.placements)
    ones: Any = new_tensor(np.ones(tuple(input.shape), input._array.dtype))
    factors = settled.placed_like(new_tensor(agreed(dropout(ones, p)._array, input)))
    return input.copy_(settled * factors) if inplace else settled * factors


def _multinomial(input: Any, *args: Any, **kwargs: Any) -> Any:
    whole: Any = sampling.multinomial(input.full_tensor(), *args, **kwargs)
    return _copies(new_tensor(agreed(whole._array, input)), input.device_mesh)


functions.update(dropout=_dropout, multinomial=_multinomial)
