"""Transforms: maps of random variables that know how they stretch volumes."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from functools import reduce
from typing import Any

from pellucid import creation, functional, linalg
from pellucid.distributions import constraints
from pellucid.distributions.distribution import Distribution
from pellucid.distributions.utils import (
    broadcast_all,
    sum_rightmost,
    tril_matrix_to_vec,
    vec_to_tril_matrix,
)
from pellucid.errors import ArgumentError, UnimplementedError
from pellucid.ops import join
from pellucid.ops.limits import finfo
from pellucid.shapes import Size, broadcast_shapes
from pellucid.tensor import Tensor

__all__ = [
    "AbsTransform", "AffineTransform", "CatTransform", "ComposeTransform", "CorrCholeskyTransform",
    "CumulativeDistributionTransform", "ExpTransform", "IndependentTransform",
    "LowerCholeskyTransform", "PositiveDefiniteTransform", "PowerTransform", "ReshapeTransform",
    "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform", "StackTransform",
    "StickBreakingTransform", "TanhTransform", "Transform", "identity_transform",
]  # fmt: skip


class Transform:
    """Map a variable by ``__call__`` and back by ``inv``, and give the logarithm of the volume.

    A subclass has ``_call`` and, as far as they exist, ``_inverse`` and ``log_abs_det_jacobian``.
    With ``cache_size=1`` the last pair of values is kept, so that the inverse of what was just
    computed is exact and free.

    >>> import pellucid as torch
    >>> transform = torch.distributions.ExpTransform()
    >>> transform.inv(transform(torch.tensor(2.0)))
    tensor(2.)
    """

    domain: Any
    codomain: Any
    bijective: Any = False

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ArgumentError(f"cache_size must be 0 or 1, and it is {cache_size}")
        self._cache_size = cache_size
        self._cached_x_y: tuple[Any, Any] = (None, None)

    @property
    def event_dim(self) -> int:
        """How many dimensions an event has; raise ValueError if the map changes that."""
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ArgumentError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> Transform:
        """The map back."""
        return _InverseTransform(self)

    @property
    def sign(self) -> Any:
        """Whether a monotone map rises (1) or falls (-1)."""
        raise UnimplementedError(f"{type(self).__name__} has no sign: it is not monotone")

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the transform with a cache of another size."""
        if self._cache_size == cache_size:
            return self
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        Transform.__init__(twin, cache_size)
        return twin

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __call__(self, x: Tensor) -> Tensor:
        if self._cache_size == 0:
            return self._call(x)
        known_x, known_y = self._cached_x_y
        if x is known_x:
            return known_y
        y = self._call(x)
        self._cached_x_y = x, y
        return y

    def _inv_call(self, y: Tensor) -> Tensor:
        if self._cache_size == 0:
            return self._inverse(y)
        known_x, known_y = self._cached_x_y
        if y is known_y:
            return known_x
        x = self._inverse(y)
        self._cached_x_y = x, y
        return x

    def _call(self, x: Tensor) -> Tensor:
        raise UnimplementedError(f"{type(self).__name__} does not implement the map")

    def _inverse(self, y: Tensor) -> Tensor:
        raise UnimplementedError(f"{type(self).__name__} does not implement the map back")

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the volume that an event at ``x``, mapped to ``y``, takes on."""
        raise UnimplementedError(f"{type(self).__name__} does not implement log_abs_det_jacobian")

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def forward_shape(self, shape: Any) -> Size:
        """Return the shape of the result for an argument of a shape."""
        return shape

    def inverse_shape(self, shape: Any) -> Size:
        """Return the shape of an argument for a result of a shape."""
        return shape


class _InverseTransform(Transform):
    """Go the way of another transform backwards."""

    def __init__(self, transform: Transform) -> None:
        super().__init__(transform._cache_size)
        self._inv = transform

    @property
    def domain(self) -> Any:
        """Where the argument comes from."""
        return self._inv.codomain

    @property
    def codomain(self) -> Any:
        """Where the result lies."""
        return self._inv.domain

    @property
    def bijective(self) -> bool:
        """Whether each result belongs to one argument only."""
        return self._inv.bijective

    @property
    def sign(self) -> Any:
        return self._inv.sign

    @property
    def inv(self) -> Transform:
        return self._inv

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self._inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    def __hash__(self) -> int:
        return hash((_InverseTransform, self._inv))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inv!r})"

    def __call__(self, x: Tensor) -> Tensor:
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Any) -> Size:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Any) -> Size:
        return self._inv.forward_shape(shape)


class ComposeTransform(Transform):
    """Apply several transforms, one after the other.

    >>> import pellucid as torch
    >>> d = torch.distributions
    >>> d.ComposeTransform([d.ExpTransform(), d.AffineTransform(1.0, 2.0)])(torch.tensor(0.0))
    tensor(3.)
    """

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0) -> None:
        if cache_size:
            parts = [part.with_cache(cache_size) for part in parts]
        super().__init__(cache_size)
        self.parts = list(parts)

    @property
    def domain(self) -> Any:
        """Where the argument comes from."""
        if not self.parts:
            return constraints.real
        domain = self.parts[0].domain
        event_dim = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            event_dim += part.domain.event_dim - part.codomain.event_dim
            event_dim = max(event_dim, part.domain.event_dim)
        return _widened(domain, event_dim)

    @property
    def codomain(self) -> Any:
        """Where the result lies."""
        if not self.parts:
            return constraints.real
        codomain = self.parts[-1].codomain
        event_dim = self.parts[0].domain.event_dim
        for part in self.parts:
            event_dim += part.codomain.event_dim - part.domain.event_dim
            event_dim = max(event_dim, part.codomain.event_dim)
        return _widened(codomain, event_dim)

    @property
    def bijective(self) -> bool:
        """Whether each result belongs to one argument only."""
        return all(part.bijective for part in self.parts)

    @property
    def sign(self) -> Any:
        return reduce(operator.mul, (part.sign for part in self.parts), 1)

    @property
    def inv(self) -> Transform:
        return ComposeTransform([part.inv for part in reversed(self.parts)])

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return ComposeTransform(self.parts, cache_size)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(tuple(self.parts))

    def __call__(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if not self.parts:
            return creation.zeros_like(x)
        ways = [x]
        for part in self.parts[:-1]:
            ways.append(part(ways[-1]))
        ways.append(y)
        event_dim = self.domain.event_dim
        terms = []
        for part, before, after in zip(self.parts, ways[:-1], ways[1:], strict=True):
            term = part.log_abs_det_jacobian(before, after)
            terms.append(sum_rightmost(term, event_dim - part.domain.event_dim))
            event_dim += part.codomain.event_dim - part.domain.event_dim
        return reduce(operator.add, terms)

    def forward_shape(self, shape: Any) -> Size:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Any) -> Size:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self) -> str:
        lines = ",\n    ".join(repr(part) for part in self.parts)
        return f"{type(self).__name__}(\n    {lines}\n)"


def _widened(constraint: Any, event_dim: int) -> Any:
    more = event_dim - constraint.event_dim
    return constraints.independent(constraint, more) if more > 0 else constraint


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """Take some more of the last dimensions as part of an event.

    >>> import pellucid as torch
    >>> transform = torch.distributions.IndependentTransform(torch.distributions.ExpTransform(), 1)
    >>> x = torch.ones(2)
    >>> transform.log_abs_det_jacobian(x, transform(x))
    tensor(2.)
    """

    def __init__(
        self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0
    ) -> None:
        super().__init__(cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return IndependentTransform(self.base_transform, self.reinterpreted_batch_ndims, cache_size)

    @property
    def domain(self) -> Any:
        """Where the argument comes from."""
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @property
    def codomain(self) -> Any:
        """Where the result lies."""
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self) -> bool:
        """Whether each result belongs to one argument only."""
        return self.base_transform.bijective

    @property
    def sign(self) -> Any:
        return self.base_transform.sign

    def _call(self, x: Tensor) -> Tensor:
        _require_dimensions(x.dim(), self.domain.event_dim)
        return self.base_transform(x)

    def _inverse(self, y: Tensor) -> Tensor:
        _require_dimensions(y.dim(), self.codomain.event_dim)
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        volume = self.base_transform.log_abs_det_jacobian(x, y)
        return sum_rightmost(volume, self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"

    def forward_shape(self, shape: Any) -> Size:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Any) -> Size:
        return self.base_transform.inverse_shape(shape)


def _require_dimensions(there: int, needed: int) -> None:
    if there < needed:
        raise ArgumentError(f"Too few dimensions on input: {there}, and an event has {needed}")


class ReshapeTransform(Transform):
    """Give events another shape.

    >>> import pellucid as torch
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
        """Where the argument comes from."""
        return constraints.independent(constraints.real, len(self.in_shape))

    @property
    def codomain(self) -> Any:
        """Where the result lies."""
        return constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape(self.forward_shape(x.shape))

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape(self.inverse_shape(y.shape))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return creation.zeros(x.shape[: x.dim() - len(self.in_shape)], dtype=x.dtype)

    def forward_shape(self, shape: Any) -> Size:
        return _exchanged(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Any) -> Size:
        return _exchanged(shape, self.out_shape, self.in_shape)


def _exchanged(shape: Any, old: Size, new: Size) -> Size:
    _require_dimensions(len(shape), len(old))
    cut = len(shape) - len(old)
    if tuple(shape[cut:]) != tuple(old):
        raise ArgumentError(f"Shape mismatch: expected {tuple(shape[cut:])} but got {tuple(old)}")
    return Size((*shape[:cut], *new))


class ExpTransform(Transform):
    """Map to ``exp(x)``.

    >>> import pellucid as torch
    >>> torch.distributions.ExpTransform()(torch.tensor(0.0))
    tensor(1.)
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExpTransform)

    __hash__ = Transform.__hash__

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x


class PowerTransform(Transform):
    """Map positive x to ``x ** exponent``.

    >>> import pellucid as torch
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

    __hash__ = Transform.__hash__

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


class SigmoidTransform(Transform):
    """Map to ``1 / (1 + exp(-x))``, kept strictly between 0 and 1.

    >>> import pellucid as torch
    >>> torch.distributions.SigmoidTransform()(torch.tensor(0.0))
    tensor(0.5000)
    """

    domain = constraints.real
    codomain = constraints.unit_interval
    bijective = True
    sign = +1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SigmoidTransform)

    __hash__ = Transform.__hash__

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


class SoftplusTransform(Transform):
    """Map to ``log(1 + exp(x))``.

    >>> import pellucid as torch
    >>> torch.distributions.SoftplusTransform()(torch.tensor(0.0))
    tensor(0.6931)
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SoftplusTransform)

    __hash__ = Transform.__hash__

    def _call(self, x: Tensor) -> Tensor:
        return functional.softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -functional.softplus(-x)


class TanhTransform(Transform):
    """Map to the hyperbolic tangent.

    >>> import pellucid as torch
    >>> torch.distributions.TanhTransform()(torch.tensor(0.0))
    tensor(0.)
    """

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)
    bijective = True
    sign = +1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TanhTransform)

    __hash__ = Transform.__hash__

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        # log(1 - tanh(x)**2), also where tanh(x) is rounded to 1
        return 2.0 * (math.log(2.0) - x - functional.softplus(-2.0 * x))


class AbsTransform(Transform):
    """Map to ``|x|``, which is not bijective: the map back takes the positive one.

    >>> import pellucid as torch
    >>> torch.distributions.AbsTransform()(torch.tensor(-2.0))
    tensor(2.)
    """

    domain = constraints.real
    codomain = constraints.positive

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbsTransform)

    __hash__ = Transform.__hash__

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class AffineTransform(Transform):
    """Map to ``loc + scale * x``; an event has ``event_dim`` dimensions.

    >>> import pellucid as torch
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
        """How many dimensions an event has."""
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        """Where the argument comes from."""
        return _widened(constraints.real, self.event_dim)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        """Where the result lies."""
        return _widened(constraints.real, self.event_dim)

    @property
    def sign(self) -> Any:
        if isinstance(self.scale, Tensor):
            return self.scale.sign()
        return int(self.scale > 0) - int(self.scale < 0)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineTransform):
            return False
        return _all_equal(self.loc, other.loc) and _all_equal(self.scale, other.scale)

    __hash__ = Transform.__hash__

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
    """Map a vector of D (D - 1) / 2 reals to the Cholesky factor of a D x D correlation matrix.

    Each number, squeezed by tanh, is a partial correlation. Source: D. Lewandowski, D. Kurowicka
    and H. Joe, "Generating random correlation matrices based on vines and extended onion method",
    2009.

    >>> import pellucid as torch
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
        # What the columns before leave of each row's unit length.
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
        _require_dimensions(len(shape), 1)
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
    _require_dimensions(len(shape), 2)
    if shape[-2] != shape[-1]:
        raise ArgumentError(f"Input is not square: {shape[-2]} x {shape[-1]}")


class SoftmaxTransform(Transform):
    """Map to shares proportional to ``exp(x)``, which is not bijective.

    >>> import pellucid as torch
    >>> torch.distributions.SoftmaxTransform()(torch.zeros(2))
    tensor([0.5000, 0.5000])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SoftmaxTransform)

    __hash__ = Transform.__hash__

    def _call(self, x: Tensor) -> Tensor:
        shares = (x - x.max(-1, True)[0]).exp()
        return shares / shares.sum(-1, True)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def forward_shape(self, shape: Any) -> Size:
        _require_dimensions(len(shape), 1)
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(Transform):
    """Map D - 1 reals to D shares: each breaks its part off what is left of a stick.

    Zeros go to equal shares.

    >>> import pellucid as torch
    >>> torch.distributions.StickBreakingTransform()(torch.zeros(1))
    tensor([0.5000, 0.5000])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StickBreakingTransform)

    __hash__ = Transform.__hash__

    def _shift(self, like: Tensor) -> Tensor:
        """Return the log-odds that leave equal shares."""
        size = like.shape[-1]
        return creation.arange(size, 0, -1, dtype=like.dtype).log()

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
        _require_dimensions(len(shape), 1)
        return Size((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: Any) -> Size:
        _require_dimensions(len(shape), 1)
        return Size((*shape[:-1], shape[-1] - 1))


class _Triangle(Transform):
    """A map of square matrices, of which it reads the lower triangle."""

    domain = constraints.independent(constraints.real, 2)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    __hash__ = Transform.__hash__


class LowerCholeskyTransform(_Triangle):
    """Map a matrix to its lower triangle with the exponential of the diagonal.

    >>> import pellucid as torch
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
    """Map a matrix to the positive-definite one with that Cholesky factor, logarithmic diagonal.

    >>> import pellucid as torch
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
    """Apply transforms to the parts of a tensor."""

    def __init__(self, tseq: Sequence[Transform], dim: int, cache_size: int) -> None:
        if cache_size:
            tseq = [transform.with_cache(cache_size) for transform in tseq]
        super().__init__(cache_size)
        self.transforms = list(tseq)
        self.dim = dim

    @property
    def bijective(self) -> bool:
        """Whether each result belongs to one argument only."""
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
    """Apply transforms to slices of the given ``lengths`` along ``dim``.

    >>> import pellucid as torch
    >>> d = torch.distributions
    >>> d.CatTransform([d.ExpTransform(), d.AbsTransform()], lengths=[1, 2])(-torch.ones(3))
    tensor([0.3679, 1.0000, 1.0000])
    """

    def __init__(
        self,
        tseq: Sequence[Transform],
        dim: int = 0,
        lengths: Sequence[int] | None = None,
        cache_size: int = 0,
    ) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)

    @property
    def event_dim(self) -> int:
        """How many dimensions an event has: the most of any part."""
        return max(transform.event_dim for transform in self.transforms)

    @property
    def length(self) -> int:
        """The size of the dimension that is split."""
        return sum(self.lengths)

    @property
    def domain(self) -> Any:
        """Where the argument comes from."""
        return constraints.cat([each.domain for each in self.transforms], self.dim, self.lengths)

    @property
    def codomain(self) -> Any:
        """Where the result lies."""
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
    """Apply a transform to each slice along ``dim``.

    >>> import pellucid as torch
    >>> d = torch.distributions
    >>> d.StackTransform([d.ExpTransform(), d.AbsTransform()])(-torch.ones(2))
    tensor([0.3679, 1.0000])
    """

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)

    @property
    def domain(self) -> Any:
        """Where the argument comes from."""
        return constraints.stack([each.domain for each in self.transforms], self.dim)

    @property
    def codomain(self) -> Any:
        """Where the result lies."""
        return constraints.stack([each.codomain for each in self.transforms], self.dim)

    def _split(self, value: Tensor) -> Sequence[Tensor]:
        return value.unbind(self.dim)

    def _join(self, parts: list[Tensor]) -> Tensor:
        return join.stack(parts, self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        triples = zip(self.transforms, self._split(x), self._split(y), strict=True)
        return self._join([each.log_abs_det_jacobian(*pair) for each, *pair in triples])


class CumulativeDistributionTransform(Transform):
    """Map to the distribution function of a distribution.

    >>> import pellucid as torch
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
        """Where the argument comes from."""
        return self.distribution.support

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.distribution.log_prob(x)
