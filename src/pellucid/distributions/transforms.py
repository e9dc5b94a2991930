"""Transforms of random variables, with their inverses and Jacobian determinants."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from functools import reduce
from typing import Any

from pellucid import linalg
from pellucid.distributions import constraints
from pellucid.distributions._transform import (
    ComposeTransform,
    FixedTransform,
    IndependentTransform,
    Transform,
    identity_transform,
    require_dimensions,
    widened,
)
from pellucid.distributions.distribution import Distribution
from pellucid.distributions.utils import (
    broadcast_all,
    sum_rightmost,
    tril_matrix_to_vec,
    vec_to_tril_matrix,
)
from pellucid.errors import ArgumentError
from pellucid.nn import functional
from pellucid.ops.shape import join
from pellucid.shapes import Size, broadcast_shapes
from pellucid.tensors import Tensor, creation, ranges
from pellucid.tensors.limits import finfo

__all__ = [
    "AbsTransform", "AffineTransform", "CatTransform", "ComposeTransform", "CorrCholeskyTransform",
    "CumulativeDistributionTransform", "ExpTransform", "IndependentTransform",
    "LowerCholeskyTransform", "PositiveDefiniteTransform", "PowerTransform", "ReshapeTransform",
    "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform", "StackTransform",
    "StickBreakingTransform", "TanhTransform", "Transform", "identity_transform",
]  # fmt: skip


class ReshapeTransform(Transform):
    """Transform that reshapes events.

    Args:
        in_shape: Shape of an event of the argument.
        out_shape: Shape of an event of the result.
        cache_size: Number of most recent (argument, result) pairs to keep: 0 or 1.

    Raises:
        ValueError: If the two shapes have different numbers of elements.

    >>> torch.distributions.ReshapeTransform((4,), (2, 2))(torch.ones(3, 4)).shape
    torch.Size([3, 2, 2])
    """

    bijective = True

    def __init__(self, in_shape: Any, out_shape: Any, cache_size: int = 0) -> None:
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ArgumentError(
                "in_shape, out_shape have different numbers of elements: "
                f"{self.in_shape.numel()} and {self.out_shape.numel()}"
            )
        super().__init__(cache_size)

    @property
    def domain(self) -> Any:
        """The constraint on the argument."""
        return constraints.independent(constraints.real, len(self.in_shape))

    @property
    def codomain(self) -> Any:
        """The constraint that the result satisfies."""
        return constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape(self.forward_shape(x.shape))

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape(self.inverse_shape(y.shape))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return creation.zeros(x.shape[: x.dim() - len(self.in_shape)], dtype=x.dtype)

    def forward_shape(self, shape: Any) -> Size:
        return _replace_event_shape(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Any) -> Size:
        return _replace_event_shape(shape, self.out_shape, self.in_shape)


def _replace_event_shape(shape: Any, old: Size, new: Size) -> Size:
    require_dimensions(len(shape), len(old))
    cut = len(shape) - len(old)
    if tuple(shape[cut:]) != tuple(old):
        raise ArgumentError(f"Shape mismatch: expected {tuple(shape[cut:])} but got {tuple(old)}")
    return Size((*shape[:cut], *new))


class ExpTransform(FixedTransform):
    """The transform ``y = exp(x)``.

    Args:
        cache_size: Number of most recent (argument, result) pairs to keep: 0 or 1.

    >>> torch.distributions.ExpTransform()(torch.tensor(0.0))
    tensor(1.)
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x


class PowerTransform(Transform):
    """The transform ``y = x**exponent`` of positive numbers.

    Args:
        exponent: A number or a tensor that broadcasts with the argument.
        cache_size: Number of most recent (argument, result) pairs to keep: 0 or 1.

    >>> torch.distributions.PowerTransform(2.0)(torch.tensor(3.0))
    tensor(9.)
    """

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        (self.exponent,) = broadcast_all(exponent)

    @property
    def sign(self) -> Any:
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool(self.exponent.eq(other.exponent).all())

    def _call(self, x: Tensor) -> Tensor:
        return x.pow(self.exponent)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Any) -> Size:
        return broadcast_shapes(shape, self.exponent.shape)

    def inverse_shape(self, shape: Any) -> Size:
        return broadcast_shapes(shape, self.exponent.shape)


class SigmoidTransform(FixedTransform):
    """The transform ``y = 1 / (1 + exp(-x))``, clamped to values strictly between 0 and 1.

    Args:
        cache_size: Number of most recent (argument, result) pairs to keep: 0 or 1.

    >>> torch.distributions.SigmoidTransform()(torch.tensor(0.0))
    tensor(0.5000)
    """

    domain = constraints.real
    codomain = constraints.unit_interval
    bijective = True
    sign = +1

    def _call(self, x: Tensor) -> Tensor:
        return _inside_unit_interval(x.sigmoid())

    def _inverse(self, y: Tensor) -> Tensor:
        y = _inside_unit_interval(y)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -functional.softplus(-x) - functional.softplus(x)


def _inside_unit_interval(y: Tensor) -> Tensor:
    limits = finfo(y.dtype)
    return y.clamp(min=limits.tiny, max=1.0 - limits.eps)


class SoftplusTransform(FixedTransform):
    """The transform ``y = log(1 + exp(x))``.

    Args:
        cache_size: Number of most recent (argument, result) pairs to keep: 0 or 1.

    >>> torch.distributions.SoftplusTransform()(torch.tensor(0.0))
    tensor(0.6931)
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x: Tensor) -> Tensor:
        return functional.softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -functional.softplus(-x)


class TanhTransform(FixedTransform):
    """The transform ``y = tanh(x)``.

    Args:
        cache_size: Number of most recent (argument, result) pairs to keep: 0 or 1.

    >>> torch.distributions.TanhTransform()(torch.tensor(0.0))
    tensor(0.)
    """

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)
    bijective = True
    sign = +1

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        # log(1 - tanh(x)**2), also where tanh(x) is rounded to 1
        return 2.0 * (math.log(2.0) - x - functional.softplus(-2.0 * x))


class AbsTransform(FixedTransform):
    """The transform ``y = |x|``, which is not bijective; its inverse returns ``y``.

    Args:
        cache_size: Number of most recent (argument, result) pairs to keep: 0 or 1.

    >>> torch.distributions.AbsTransform()(torch.tensor(-2.0))
    tensor(2.)
    """

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class AffineTransform(Transform):
    """The transform ``y = loc + scale * x``.

    Args:
        loc: A number or a tensor that broadcasts with the argument.
        scale: A number or a tensor that broadcasts with the argument.
        event_dim: Number of last dims that make up one event.
        cache_size: Number of most recent (argument, result) pairs to keep: 0 or 1.

    >>> torch.distributions.AffineTransform(1.0, 2.0)(torch.tensor(3.0))
    tensor(7.)
    """

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.loc, self.scale = loc, scale
        self._event_dim = event_dim

    @property
    def event_dim(self) -> int:
        """The number of dims of an event."""
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        """The constraint on the argument."""
        return widened(constraints.real, self.event_dim)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        """The constraint that the result satisfies."""
        return widened(constraints.real, self.event_dim)

    @property
    def sign(self) -> Any:
        if isinstance(self.scale, Tensor):
            return self.scale.sign()
        return int(self.scale > 0) - int(self.scale < 0)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineTransform):
            return False
        return _all_equal(self.loc, other.loc) and _all_equal(self.scale, other.scale)

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if isinstance(self.scale, Tensor):
            volume = self.scale.abs().log()
        else:
            volume = creation.full_like(x, math.log(abs(self.scale)))
        if not self.event_dim:
            return volume.expand(x.shape)
        volume = volume.expand(broadcast_shapes(volume.shape, x.shape[-self.event_dim :]))
        volume = sum_rightmost(volume, self.event_dim)
        return volume.expand(x.shape[: -self.event_dim])

    def forward_shape(self, shape: Any) -> Size:
        return broadcast_shapes(
            shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ())
        )

    inverse_shape = forward_shape


def _all_equal(first: Any, second: Any) -> bool:
    equal = first == second
    return bool(equal.all()) if isinstance(equal, Tensor) else bool(equal)


class CorrCholeskyTransform(Transform):
    """Transform of real vectors to Cholesky factors of correlation matrices.

    A vector of D (D - 1) / 2 numbers becomes a D x D factor; the tanh of each number is a partial
    correlation. Source: D. Lewandowski, D. Kurowicka and H. Joe, "Generating random correlation
    matrices based on vines and extended onion method", 2009.

    Args:
        cache_size: Number of most recent (argument, result) pairs to keep: 0 or 1.

    >>> torch.distributions.CorrCholeskyTransform()(torch.zeros(1))
    tensor([[1., 0.],
            [0., 1.]])
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        eps = finfo(x.dtype).eps
        partial = vec_to_tril_matrix(x.tanh().clamp(min=-1 + eps, max=1 - eps), diag=-1)
        # What remains of each row's unit length after the columns before.
        left = (1 - partial**2).sqrt().cumprod(-1)
        left = functional.pad(left[..., :-1], [1, 0], value=1)
        return (partial + creation.eye(partial.shape[-1], dtype=x.dtype)) * left

    def _inverse(self, y: Tensor) -> Tensor:
        left = functional.pad(1 - (y * y).cumsum(-1)[..., :-1], [1, 0], value=1)
        partial = tril_matrix_to_vec(y, -1) / tril_matrix_to_vec(left, -1).sqrt()
        return (partial.log1p() - (-partial).log1p()) / 2

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        left = tril_matrix_to_vec(1 - (y * y).cumsum(-1), -2)
        breaking = 0.5 * left.log().sum(-1)
        squeezing = -2 * (x + functional.softplus(-2 * x) - math.log(2.0)).sum(-1)
        return breaking + squeezing

    def forward_shape(self, shape: Any) -> Size:
        require_dimensions(len(shape), 1)
        size = round((0.25 + shape[-1] * 2) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != shape[-1]:
            raise ArgumentError(
                "Input is not a flattened lower-diagonal number: "
                f"{shape[-1]} is not of the form D (D - 1) / 2"
            )
        return Size((*shape[:-1], size, size))

    def inverse_shape(self, shape: Any) -> Size:
        _require_square(shape)
        return Size((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))


def _require_square(shape: Any) -> None:
    require_dimensions(len(shape), 2)
    if shape[-2] != shape[-1]:
        raise ArgumentError(f"Input is not square: {shape[-2]} x {shape[-1]}")


class SoftmaxTransform(FixedTransform):
    """Transform of real vectors to the simplex by the softmax, which is not bijective.

    Args:
        cache_size: Number of most recent (argument, result) pairs to keep: 0 or 1.

    >>> torch.distributions.SoftmaxTransform()(torch.zeros(2))
    tensor([0.5000, 0.5000])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        shares = (x - x.max(-1, True)[0]).exp()
        return shares / shares.sum(-1, True)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def forward_shape(self, shape: Any) -> Size:
        require_dimensions(len(shape), 1)
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(FixedTransform):
    """Bijective transform of D - 1 real numbers to D shares that sum to 1.

    The sigmoid of each number, shifted so that zeros give equal shares, is the fraction that is
    broken off the rest of a stick of length 1.

    Args:
        cache_size: Number of most recent (argument, result) pairs to keep: 0 or 1.

    >>> torch.distributions.StickBreakingTransform()(torch.zeros(1))
    tensor([0.5000, 0.5000])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def _shift(self, like: Tensor) -> Tensor:
        """Return the log-odds for which all shares are equal."""
        size = like.shape[-1]
        return ranges.arange(size, 0, -1, dtype=like.dtype).log()

    def _call(self, x: Tensor) -> Tensor:
        parts = _inside_unit_interval((x - self._shift(x)).sigmoid())
        left = (1 - parts).cumprod(-1)
        return functional.pad(parts, [0, 1], value=1) * functional.pad(left, [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        shares = y[..., :-1]
        left = (1 - shares.cumsum(-1)).clamp(min=finfo(y.dtype).tiny)
        return shares.log() - left.log() + self._shift(shares)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        x = x - self._shift(x)
        return (-x + functional.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Size:
        require_dimensions(len(shape), 1)
        return Size((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: Any) -> Size:
        require_dimensions(len(shape), 1)
        return Size((*shape[:-1], shape[-1] - 1))


class _Triangle(FixedTransform):
    """Base class of transforms that read the lower triangles of square matrices."""

    domain = constraints.independent(constraints.real, 2)


class LowerCholeskyTransform(_Triangle):
    """Transform of square matrices to lower triangular ones with a positive diagonal.

    The part above the diagonal is ignored, and the diagonal is exponentiated.

    Args:
        cache_size: Number of most recent (argument, result) pairs to keep: 0 or 1.

    >>> torch.distributions.LowerCholeskyTransform()(torch.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """

    codomain = constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(_Triangle):
    """Transform of square matrices to positive-definite ones.

    ``LowerCholeskyTransform`` of the argument is the Cholesky factor of the result.

    Args:
        cache_size: Number of most recent (argument, result) pairs to keep: 0 or 1.

    >>> torch.distributions.PositiveDefiniteTransform()(torch.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """

    codomain = constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform().inv(linalg.cholesky(y))


class _PartsTransform(Transform):
    """Base class of transforms that apply other transforms to slices of a tensor."""

    def __init__(self, tseq: Sequence[Transform], dim: int, cache_size: int) -> None:
        if cache_size:
            tseq = [transform.with_cache(cache_size) for transform in tseq]
        super().__init__(cache_size)
        self.transforms = list(tseq)
        self.dim = dim

    @property
    def bijective(self) -> bool:
        """Whether the transform is one-to-one."""
        return all(transform.bijective for transform in self.transforms)

    def _split(self, value: Tensor) -> Sequence[Tensor]:
        raise NotImplementedError

    def _join(self, parts: list[Tensor]) -> Tensor:
        raise NotImplementedError

    def _call(self, x: Tensor) -> Tensor:
        pairs = zip(self.transforms, self._split(x), strict=True)
        return self._join([transform(part) for transform, part in pairs])

    def _inverse(self, y: Tensor) -> Tensor:
        pairs = zip(self.transforms, self._split(y), strict=True)
        return self._join([transform.inv(part) for transform, part in pairs])


class CatTransform(_PartsTransform):
    """Transform that applies several others to consecutive slices along a dim.

    Args:
        tseq: The transforms.
        dim: The dim that is split.
        lengths: Size of each slice along ``dim``; 1 each by default.
        cache_size: Number of most recent (argument, result) pairs to keep: 0 or 1.

    >>> d = torch.distributions
    >>> d.CatTransform([d.ExpTransform(), d.AbsTransform()], lengths=[1, 2])(-torch.ones(3))
    tensor([0.3679, 1.0000, 1.0000])
    """

    def __init__(
        self, tseq: Sequence[Transform], dim: int = 0, lengths: Sequence[int] | None = None,
        cache_size: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)

    @property
    def event_dim(self) -> int:
        """The number of dims of an event: the maximum over the transforms."""
        return max(transform.event_dim for transform in self.transforms)

    @property
    def length(self) -> int:
        """The size of the dim that is split."""
        return sum(self.lengths)

    @property
    def domain(self) -> Any:
        """The constraint on the argument."""
        return constraints.cat([each.domain for each in self.transforms], self.dim, self.lengths)

    @property
    def codomain(self) -> Any:
        """The constraint that the result satisfies."""
        return constraints.cat([each.codomain for each in self.transforms], self.dim, self.lengths)

    def _split(self, value: Tensor) -> Sequence[Tensor]:
        return value.split(self.lengths, self.dim)

    def _join(self, parts: list[Tensor]) -> Tensor:
        return join.cat(parts, self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        event_dim = self.event_dim
        volumes = []
        for each, before, after in zip(
            self.transforms, self._split(x), self._split(y), strict=True
        ):
            volume = each.log_abs_det_jacobian(before, after)
            volumes.append(sum_rightmost(volume, event_dim - each.event_dim))
        dim = self.dim if self.dim < 0 else self.dim - x.dim()
        dim += event_dim
        return join.cat(volumes, dim) if dim < 0 else reduce(operator.add, volumes)


class StackTransform(_PartsTransform):
    """Transform that applies one transform to each index along a dim.

    Args:
        tseq: The transforms, one for each index.
        dim: The dim along which they are applied.
        cache_size: Number of most recent (argument, result) pairs to keep: 0 or 1.

    >>> d = torch.distributions
    >>> d.StackTransform([d.ExpTransform(), d.AbsTransform()])(-torch.ones(2))
    tensor([0.3679, 1.0000])
    """

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)

    @property
    def domain(self) -> Any:
        """The constraint on the argument."""
        return constraints.stack([each.domain for each in self.transforms], self.dim)

    @property
    def codomain(self) -> Any:
        """The constraint that the result satisfies."""
        return constraints.stack([each.codomain for each in self.transforms], self.dim)

    def _split(self, value: Tensor) -> Sequence[Tensor]:
        return value.unbind(self.dim)

    def _join(self, parts: list[Tensor]) -> Tensor:
        return join.stack(parts, self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        triples = zip(self.transforms, self._split(x), self._split(y), strict=True)
        return self._join([each.log_abs_det_jacobian(*pair) for each, *pair in triples])


class CumulativeDistributionTransform(Transform):
    """Transform by the cumulative distribution function of a distribution.

    Args:
        distribution: Distribution that defines ``cdf`` and ``icdf``.
        cache_size: Number of most recent (argument, result) pairs to keep: 0 or 1.

    >>> d = torch.distributions
    >>> d.CumulativeDistributionTransform(d.Normal(0.0, 1.0))(torch.tensor(0.0))
    tensor(0.5000)
    """

    bijective = True
    codomain = constraints.unit_interval
    sign = +1

    def __init__(self, distribution: Distribution, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Any:
        """The constraint on the argument."""
        return self.distribution.support

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.distribution.log_prob(x)
