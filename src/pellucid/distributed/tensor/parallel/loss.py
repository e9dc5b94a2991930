"""Cross entropy of scores whose classes are cut: each rank keeps its classes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from pellucid.core.call.call import new_tensor
from pellucid.distributed.tensor.dispatch import functions
from pellucid.distributed.tensor.dtensor import DTensor, wrapped
from pellucid.distributed.tensor.placement_types import Partial, Replicate, Shard
from pellucid.distributed.tensor.spec import Spec
from pellucid.errors import ArgumentError
from pellucid.ops.index.scatter import gather


@contextmanager
def loss_parallel() -> Iterator[None]:
    """Return a block in which ``cross_entropy`` of a `DTensor` leaves cut classes cut.

    Without it the scores of all classes are gathered. The input has placements ``Shard(1)`` (or
    ``Shard(0)`` for one row) along a mesh of one dim; backward may be inside or after the block.

    >>> from pellucid.distributed.tensor.parallel import loss_parallel
    >>> with loss_parallel():
    ...     pass
    """
    before = functions.get("cross_entropy")
    functions["cross_entropy"] = _cross_entropy
    try:
        yield
    finally:
        if before is None:
            del functions["cross_entropy"]
        else:
            functions["cross_entropy"] = before


def _cross_entropy(
    input: Any, target: Any, weight: Any = None, size_average: Any = None,
    ignore_index: int = -100, reduce: Any = None, reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:  # fmt: skip
    dim = 0 if input.ndim == 1 else 1
    if not isinstance(input, DTensor) or input.placements != (Shard(dim),):
        raise ArgumentError(
            f"loss_parallel: the input is cut along its classes, Shard({dim}), not "
            f"{getattr(input, 'placements', None)}"
        )
    if label_smoothing or size_average is not None or reduce is not None:
        raise ArgumentError("loss_parallel takes neither label_smoothing nor the old reductions")
    classes = target.full_tensor() if isinstance(target, DTensor) else target
    factors = weight.full_tensor() if isinstance(weight, DTensor) else weight
    top = input.detach().amax(dim, keepdim=True)
    logs = (input - top).exp().sum(dim, keepdim=True).log() + top
    losses: Any = (logs - _picked(input, classes.unsqueeze(dim), dim)).squeeze(dim)
    counted = classes != ignore_index
    each = counted.to(input.dtype)
    if factors is not None:
        each = factors[classes.clamp(min=0, max=input.shape[dim] - 1)] * each
    whole = (Replicate(),)
    spread = wrapped(each, Spec(input.device_mesh, whole, tuple(each.shape)))
    losses = losses._moved(whole) * spread
    if reduction == "none":
        return losses
    return losses.sum() / each.sum() if reduction == "mean" else losses.sum()


def _picked(input: DTensor, classes: Any, dim: int) -> DTensor:
    """Return the scores of the classes; ranks that do not have a class add nothing."""
    start, stop = input._spec.bounds(dim)
    places = classes._array - start
    here = (places >= 0) & (places < stop - start)
    if stop == start:
        part = input._local.sum(dim, keepdim=True)
    else:
        picked = gather(input._local, dim, new_tensor(np.where(here, places, 0)))
        part = picked * new_tensor(here.astype(input._array.dtype))
    return wrapped(part, Spec(input.device_mesh, (Partial(),), tuple(classes.shape)))
