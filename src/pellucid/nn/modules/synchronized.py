"""Batch normalization with statistics over the batches of all ranks."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.autograd.function import Function
from pellucid.core.call.call import new_tensor
from pellucid.ranks import Group


class SyncBatchNormFunction(Function):
    """Normalization over the batches of all ranks, and its gradient.

    With μ and σ² over all n elements of a channel, y = w (x - μ) / √(σ² + ε) + b. The gradient for
    x needs two more sums over all ranks: (g - mean(g) - x̂ mean(g x̂)) w / √(σ² + ε). Those for w
    and b are the sums over this rank alone, which are reduced like all gradients of parameters.
    """

    @staticmethod
    def forward(ctx: Any, input: Any, weight: Any, bias: Any, eps: float, members: Group) -> Any:
        x = input._array
        axes = (0, *range(2, x.ndim))
        shape = (1, -1, *[1] * (x.ndim - 2))
        count = x.size // x.shape[1]
        # The sum first, then the squares of what is left: squares of large numbers cancel badly.
        totals = np.append(x.sum(axes, dtype=np.float64), count)
        totals = members.summed(totals, "SyncBatchNorm mean")
        n = totals[-1]
        mean = totals[:-1] / n
        centred = x - mean.astype(x.dtype).reshape(shape)
        squares = np.square(centred).sum(axes, dtype=np.float64)
        var = members.summed(squares, "SyncBatchNorm variance") / n
        inverse = (1 / np.sqrt(var + eps)).astype(x.dtype)
        normalized = centred * inverse.reshape(shape)
        ctx.save_for_backward(new_tensor(normalized), new_tensor(inverse), weight)
        ctx.members, ctx.axes, ctx.total, ctx.rank_shape = members, axes, n, shape
        ctx.has_bias = bias is not None
        result = normalized
        if weight is not None:
            result = result * weight._array.reshape(shape)
        if bias is not None:
            result = result + bias._array.reshape(shape)
        statistics = [new_tensor(each.astype(x.dtype)) for each in (mean, var)]
        ctx.mark_non_differentiable(*statistics)
        return new_tensor(result), *statistics, n

    @staticmethod
    def backward(ctx: Any, grad: Any, *rest: Any) -> Any:
        normalized, inverse, weight = ctx.saved_tensors
        g, x, shape, axes = grad._array, normalized._array, ctx.rank_shape, ctx.axes
        sums = np.stack([g.sum(axes, dtype=np.float64), (g * x).sum(axes, dtype=np.float64)])
        own = sums.astype(g.dtype)
        totals = ctx.members.summed(sums, "SyncBatchNorm backward") / ctx.total
        mean_g, mean_gx = (each.astype(g.dtype).reshape(shape) for each in totals)
        scale = inverse._array if weight is None else inverse._array * weight._array
        grad_input = (g - mean_g - x * mean_gx) * scale.reshape(shape)
        return (
            new_tensor(grad_input),
            None if weight is None else new_tensor(own[1]),
            new_tensor(own[0]) if ctx.has_bias else None,
            None,
            None,
        )
