"""Reductions: many elements to few."""

from __future__ import annotations

from pellucid.ops.families import linear
from pellucid.ops.views import expand, restore_dims
from pellucid.shapes import Like, dims_from_end


@linear
def sum(be, input, /, dim=None, keepdim=False):
    """Add up the elements, of the given dimensions or of all.

    >>> import pellucid as torch
    >>> torch.ones(2, 3).sum(dim=1)
    tensor([3., 3.])
    """
    dims = dims_from_end(dim, input.ndim)
    return be.add.reduce(input, axis=dims, keepdims=keepdim)


@sum.vjp("input")
def sum_input(g, input: Like, dim, keepdim):
    dims = dims_from_end(dim, len(input.shape))
    return expand(restore_dims(g, len(input.shape), dims, keepdim), input.shape)
