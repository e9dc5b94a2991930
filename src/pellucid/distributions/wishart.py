"""The Wishart distribution of positive-definite matrices."""

from __future__ import annotations

import math
import warnings
from numbers import Number
from typing import Any

from pellucid import linalg
from pellucid.autograd.modes import no_grad
from pellucid.distributions import constraints
from pellucid.distributions._covariance import Covariance, one_matrix, scale_tril_of
from pellucid.distributions.chi2 import Chi2
from pellucid.distributions.exp_family import ExponentialFamily
from pellucid.errors import ArgumentError
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.elementwise.special_functions import multigammaln
from pellucid.ops.linalg.solving import cholesky_solve
from pellucid.ops.shape.diagonal import tril_indices
from pellucid.random import randn
from pellucid.shapes import Size, broadcast_shapes
from pellucid.tensors import Tensor, creation, ranges
from pellucid.tensors.limits import finfo

__all__ = ["Wishart"]


class Wishart(Covariance, ExponentialFamily):
    """The Wishart distribution of positive-definite matrices.

    It is the distribution of the scatter matrix of ``df`` normal vectors of mean 0. Exactly one of
    the three matrices is given, of shape (..., D, D). ``batch_shape`` is the broadcast shape of the
    leading dims and ``df``, and ``event_shape`` is ``(D, D)``.

    Args:
        df: Degrees of freedom, greater than D - 1; a number or a floating-point tensor.
        covariance_matrix: Positive-definite covariance of the vectors.
        precision_matrix: Inverse of the covariance.
        scale_tril: Lower Cholesky factor of the covariance.
        validate_args: As for `Distribution`.

    Raises:
        ValueError: If not exactly one matrix is given, or if arguments are validated and a
            parameter violates its constraint.

    >>> torch.distributions.Wishart(torch.tensor(3.0), torch.eye(2)).mean
    tensor([[3., 0.],
            [0., 3.]])
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0
    _kept_event_dims = {
        "df": 0, "scale_tril": 2, "covariance_matrix": 2, "precision_matrix": 2,
    }  # fmt: skip

    def __init__(
        self, df: Any, covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None, scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        name, matrix = one_matrix(
            covariance_matrix, precision_matrix, scale_tril, none_or_several=AssertionError
        )
        df = creation.tensor(df, dtype=matrix.dtype) if isinstance(df, Number) else df
        batch_shape = broadcast_shapes(matrix.shape[:-2], df.shape)
        size = matrix.shape[-1]
        if df.le(size - 1).any():
            raise ArgumentError(
                f"Value of df={df} expected to be greater than ndim - 1 = {size - 1}."
            )
        self.df = df.expand(batch_shape)
        self.__dict__[name] = matrix.expand((*batch_shape, size, size))
        super().__init__(batch_shape, (size, size), validate_args=validate_args)
        if self.df.lt(size).any():
            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur for "
                "ndim - 1 < df < ndim.",
                stacklevel=2,
            )
        self._unbroadcasted_scale_tril = scale_tril_of(name, matrix)
        # The squares on the diagonal of Bartlett's factor have df, df - 1, ... degrees of freedom.
        self._dist_chi2 = Chi2(df=self.df.unsqueeze(-1) - ranges.arange(size, dtype=matrix.dtype))

    @property
    def arg_constraints(self) -> dict[str, Any]:
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self._size() - 1),
        }

    def _size(self) -> int:
        return self._event_shape[-1]

    def _expanded(self, name: str, value: Any, shape: Size) -> Any:
        if name == "_dist_chi2":
            return value.expand((*shape, self._size()))
        return super()._expanded(name, value, shape)

    def _df(self) -> Tensor:
        return self.df[..., None, None]

    @property
    def mean(self) -> Tensor:
        return self._df() * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        factor = self.df - self._size() - 1
        factor = where(factor <= 0, float("nan"), factor)
        return factor[..., None, None] * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        covariance = self.covariance_matrix
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        products = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self._df() * (covariance.pow(2) + products)

    def _bartlett(self, sample_shape: Any) -> Tensor:
        size = self._size()
        diagonal = self._dist_chi2.rsample(sample_shape).sqrt()
        noise = diagonal.clamp(min=finfo(diagonal.dtype).eps).diag_embed(dim1=-2, dim2=-1)
        rows, columns = tril_indices(size, size, offset=-1)
        noise[..., rows, columns] = randn(
            (*sample_shape, *self._batch_shape, size * (size - 1) // 2), dtype=noise.dtype
        )
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.mT

    def rsample(self, sample_shape: Any = (), max_try_correction: int | None = None) -> Tensor:
        """Draw samples, differentiable in the parameters, by Bartlett's decomposition.

        Args:
            sample_shape: Shape of the independent samples to draw from each distribution.
            max_try_correction: How often samples that rounding made singular are drawn again;
                ``None`` means 10 times.

        Returns:
            A tensor of shape ``sample_shape + batch_shape + (D, D)``.

        >>> wishart = torch.distributions.Wishart(3.0, scale_tril=torch.eye(2))
        >>> wishart.rsample((4,)).shape
        torch.Size([4, 2, 2])
        """
        if max_try_correction is None:
            max_try_correction = 10
        sample_shape = Size(sample_shape)
        sample = self._bartlett(sample_shape)
        singular = self._singular(sample)
        if singular.any():
            warnings.warn("Singular sample detected.", stacklevel=2)
            for _ in range(max_try_correction):
                sample = where(singular[..., None, None], self._bartlett(sample_shape), sample)
                singular = self._singular(sample)
                if not singular.any():
                    break
        return sample

    def _singular(self, sample: Tensor) -> Any:
        with no_grad():
            return ~self.support.check(sample)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        nu, size, factor = self.df, self._size(), self._unbroadcasted_scale_tril
        log_det = self._half_log_det()
        solved = cholesky_solve(value, factor.expand(value.shape[:-2] + factor.shape[-2:]))
        trace = solved.diagonal(dim1=-2, dim2=-1).sum(-1)
        normalizer = nu * (size * math.log(2) / 2 + log_det) + multigammaln(nu / 2, size)
        return (nu - size - 1) / 2 * linalg.slogdet(value).logabsdet - normalizer - trace / 2

    def entropy(self) -> Tensor:
        nu, size = self.df, self._size()
        orders = ranges.arange(size, dtype=nu.dtype)
        digammas = ((nu.unsqueeze(-1) - orders) / 2).digamma().sum(-1)
        return (
            (size + 1) * (size * math.log(2) / 2 + self._half_log_det())
            + multigammaln(nu / 2, size)
            - (nu - size - 1) / 2 * digammas
            + nu * size / 2
        )

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return -self.precision_matrix / 2, (self.df - self._size() - 1) / 2

    def _log_normalizer(self, x: Any, y: Any) -> Tensor:
        size = self._size()
        half = y + (size + 1) / 2
        log_det = linalg.slogdet(-2 * x).logabsdet
        return half * (size * math.log(2) - log_det) + multigammaln(half, size)
