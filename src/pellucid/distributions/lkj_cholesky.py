"""The LKJ distribution of the Cholesky factors of correlation matrices."""

from __future__ import annotations

import math
from typing import Any

from pellucid.autograd.modes import no_grad
from pellucid.distributions import constraints
from pellucid.distributions.beta import Beta
from pellucid.distributions.distribution import Distribution
from pellucid.distributions.utils import broadcast_all
from pellucid.errors import ArgumentError
from pellucid.ops.elementwise.special_functions import multigammaln
from pellucid.ops.shape.join import cat
from pellucid.random import randn
from pellucid.shapes import Size
from pellucid.tensors import Tensor, creation, ranges
from pellucid.tensors.limits import finfo

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """The LKJ distribution of the Cholesky factors of correlation matrices.

    The density of ``L L'`` is proportional to ``det(L L')**(concentration - 1)``; with
    ``concentration`` 1, correlation matrices are uniform. Source: D. Lewandowski, D. Kurowicka and
    H. Joe, "Generating random correlation matrices based on vines and extended onion method", 2009;
    sampled by the onion method of its section 3.2. For ``dim >= 3``, the samples of PyTorch 2.13
    follow a different distribution, whose correlations spread more than this density.

    ``batch_shape`` is the shape of ``concentration``, and ``event_shape`` is ``(dim, dim)``.

    Args:
        dim: Size of the matrices, at least 2.
        concentration: Concentration around the identity, positive; a number or a floating-point
            tensor.
        validate_args: As for `Distribution`.

    Raises:
        ValueError: If ``dim`` is less than 2, or if arguments are validated and ``concentration``
            is not positive.

    >>> torch.distributions.LKJCholesky(3, 0.5).sample().shape
    torch.Size([3, 3])
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(
        self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        if dim < 2:
            raise ArgumentError(
                f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}."
            )
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        dtype = self.concentration.dtype
        marginal = self.concentration + 0.5 * (dim - 2)
        offset = ranges.arange(dim - 1, dtype=dtype)
        offset = cat([creation.zeros(1, dtype=dtype), offset])
        # The squared norm of the elements of row i below the diagonal.
        self._beta = Beta(0.5 * (offset + 1), marginal.unsqueeze(-1) - 0.5 * offset)
        super().__init__(self.concentration.shape, (dim, dim), validate_args=validate_args)

    def _expanded(self, name: str, value: Any, shape: Size) -> Any:
        if name == "_beta":
            return value.expand((*shape, self.dim))
        return super()._expanded(name, value, shape)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            share = self._beta.sample(sample_shape).unsqueeze(-1)
            shape = self._extended_shape(sample_shape)
            directions = randn(shape, dtype=self.concentration.dtype).tril(-1)
            # The first row has no element below the diagonal: 0 / 0.
            directions = (directions / directions.norm(dim=-1, keepdim=True)).nan_to_num(0.0)
            factor = share.sqrt() * directions
            tiny = finfo(factor.dtype).tiny
            rest = (1 - (factor**2).sum(dim=-1)).clamp(min=tiny).sqrt()
            return factor + rest.diag_embed()

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        below = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = ranges.arange(2, self.dim + 1, dtype=self.concentration.dtype)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        unnormalized = (order * below.log()).sum(dim=-1)
        # The normalizer is on page 1999 of the source.
        count = self.dim - 1
        alpha = self.concentration + 0.5 * count
        denominator = alpha.lgamma() * count
        numerator = multigammaln(alpha - 0.5, count)
        constant = 0.5 * count * math.log(math.pi)
        return unnormalized - (constant + numerator - denominator)
