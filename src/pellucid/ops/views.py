"""Views: other shapes of the same memory."""

from __future__ import annotations

from pellucid.ops.families import view
from pellucid.shapes import Like


@view
def expand(be, input, /, size):
    """Stretch dimensions of size 1, without copying; -1 leaves a size as it is.

    >>> import pellucid as torch
    >>> torch.expand(torch.ones(2, 1), (2, 3)).shape
    torch.Size([2, 3])
    """
    return be.broadcast_to(input, size)


@expand.vjp("input")
def expand_input(g):
    return g  # the engine sums what was stretched


def restore_dims(g, ndim, dims, keepdim):
    """Give a reduction's gradient back the dimensions that were reduced away, with size 1."""
    if keepdim or not ndim:
        return g
    sizes = iter(g.shape)
    return g.reshape(tuple(1 if dim in dims else next(sizes) for dim in range(ndim)))
