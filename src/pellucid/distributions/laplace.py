"""The Laplace distribution."""

from __future__ import annotations

from typing import Any

from pellucid.distributions._location import LocationScale
from pellucid.tensors import Tensor, creation
from pellucid.tensors.limits import finfo

__all__ = ["Laplace"]


class Laplace(LocationScale):
    """The Laplace distribution, with density ``exp(-|x - loc| / scale) / (2 * scale)``.

    Parameters are numbers or floating-point tensors that broadcast together; their common shape is
    ``batch_shape``, and ``event_shape`` is ``()``.

    Args:
        loc: Mean.
        scale: Mean distance from ``loc``, positive.
        validate_args: As for `Distribution`.

    Raises: As for `Distribution`.

    >>> torch.distributions.Laplace(0.0, 1.0).cdf(torch.tensor(0.0))
    tensor(0.5000)
    """

    @property
    def variance(self) -> Tensor:
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Tensor:
        return 2**0.5 * self.scale

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape, dtype = self._extended_shape(sample_shape), self.loc.dtype
        uniform = creation.empty(shape, dtype=dtype).uniform_(finfo(dtype).eps - 1, 1)
        return self.loc - self.scale * uniform.sign() * (-uniform.abs()).log1p()

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        offset = value - self.loc
        return 0.5 - 0.5 * offset.sign() * (-offset.abs() / self.scale).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        offset = value - 0.5
        return self.loc - self.scale * offset.sign() * (-2 * offset.abs()).log1p()

    def entropy(self) -> Tensor:
        return 1 + (2 * self.scale).log()
