"""Base class of transforms, and transforms built from others."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import reduce
from typing import Any

from pellucid.distributions import constraints
from pellucid.distributions.distribution import Missing
from pellucid.distributions.utils import sum_rightmost
from pellucid.docstrings import completed
from pellucid.errors import ArgumentError, UnimplementedError
from pellucid.shapes import Size
from pellucid.tensors import Tensor, creation


class Transform:
    """Base class of transforms of random variables.

    A call maps values, ``inv`` maps them back, and ``log_abs_det_jacobian`` returns the change of
    volume. A subclass defines ``_call`` and, where they exist, ``_inverse`` and
    ``log_abs_det_jacobian``, and sets ``domain`` and ``codomain``.

    Args:
        cache_size: 1 keeps the last pair of argument and result, so that inverting the result just
            computed is exact and free; 0 keeps nothing.

    Raises:
        ValueError: If ``cache_size`` is neither 0 nor 1.

    >>> transform = torch.distributions.ExpTransform()
    >>> transform.inv(transform(torch.tensor(2.0)))
    tensor(2.)
    """

    domain: Any
    codomain: Any
    bijective: Any = False
    #: 1 if the transform is increasing, -1 if it is decreasing
    sign: Any = Missing("sign")

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        completed(cls)

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ArgumentError(f"cache_size must be 0 or 1, and it is {cache_size}")
        self._reset_cache(cache_size)
        # A subclass may also derive from Module, which has to be initialized.
        super().__init__()

    def _reset_cache(self, count: int) -> None:
        self._cache_size = count
        self._cached_x_y: tuple[Any, Any] = (None, None)

    @property
    def event_dim(self) -> int:
        """The number of dims of an event; raises ValueError if the transform changes it."""
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ArgumentError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> Transform:
        """The inverse transform."""
        return _InverseTransform(self)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the transform with another cache size.

        Args:
            cache_size: Number of most recent (argument, result) pairs to keep: 0 or 1.

        >>> torch.distributions.ExpTransform().with_cache(1)
        ExpTransform()
        """
        if self._cache_size == cache_size:
            return self
        copy = type(self).__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy._reset_cache(cache_size)
        return copy

    # No hash: transforms are compared by their parameters, which are mutable.
    def __eq__(self, other: object) -> bool:
        return self is other

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
        raise UnimplementedError(f"{type(self).__name__} does not implement the forward transform")

    def _inverse(self, y: Tensor) -> Tensor:
        raise UnimplementedError(f"{type(self).__name__} does not implement the inverse")

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return ``log |dy/dx|``, the logarithm of the absolute determinant of the Jacobian.

        Args:
            x: Argument, of shape ``batch_shape + event_shape``.
            y: The result for ``x``.

        Returns:
            A tensor of shape ``batch_shape``.

        Raises:
            NotImplementedError: If the transform does not define it.

        >>> transform, x = torch.distributions.ExpTransform(), torch.tensor(2.0)
        >>> transform.log_abs_det_jacobian(x, transform(x))
        tensor(2.)
        """
        raise UnimplementedError(f"{type(self).__name__} does not implement log_abs_det_jacobian")

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def forward_shape(self, shape: Any) -> Size:
        """Return the shape of the result for an argument of the given shape.

        Args:
            shape: Shape of the argument.

        >>> torch.distributions.StickBreakingTransform().forward_shape((2,))
        torch.Size([3])
        """
        return shape

    def inverse_shape(self, shape: Any) -> Size:
        """Return the shape of the argument for a result of the given shape.

        Args:
            shape: Shape of the result.

        >>> torch.distributions.StickBreakingTransform().inverse_shape((3,))
        torch.Size([2])
        """
        return shape


class FixedTransform(Transform):
    """Base class of transforms without parameters: all of one class are equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self))


class _InverseTransform(Transform):
    """The inverse of another transform."""

    def __init__(self, transform: Transform) -> None:
        super().__init__(transform._cache_size)
        self._inv = transform

    @property
    def domain(self) -> Any:
        """The constraint on the argument."""
        return self._inv.codomain

    @property
    def codomain(self) -> Any:
        """The constraint that the result satisfies."""
        return self._inv.domain

    @property
    def bijective(self) -> bool:
        """Whether the transform is one-to-one."""
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
    """Transform that applies several others in order.

    Args:
        parts: The transforms, the first one first.
        cache_size: Number of most recent (argument, result) pairs that each part keeps: 0 or 1.

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
        """The constraint on the argument."""
        if not self.parts:
            return constraints.real
        domain = self.parts[0].domain
        event_dim = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            event_dim += part.domain.event_dim - part.codomain.event_dim
            event_dim = max(event_dim, part.domain.event_dim)
        return widened(domain, event_dim)

    @property
    def codomain(self) -> Any:
        """The constraint that the result satisfies."""
        if not self.parts:
            return constraints.real
        codomain = self.parts[-1].codomain
        event_dim = self.parts[0].domain.event_dim
        for part in self.parts:
            event_dim += part.codomain.event_dim - part.domain.event_dim
            event_dim = max(event_dim, part.codomain.event_dim)
        return widened(codomain, event_dim)

    @property
    def bijective(self) -> bool:
        """Whether the transform is one-to-one."""
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

    def __call__(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if not self.parts:
            return creation.zeros_like(x)
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        values.append(y)
        event_dim = self.domain.event_dim
        terms = []
        for part, before, after in zip(self.parts, values[:-1], values[1:], strict=True):
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


def widened(constraint: Any, event_dim: int) -> Any:
    """Return the constraint with events of ``event_dim`` dims, if it has fewer."""
    more = event_dim - constraint.event_dim
    return constraints.independent(constraint, more) if more > 0 else constraint


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """Transform whose last batch dims are reinterpreted as event dims.

    ``log_abs_det_jacobian`` sums over these dims.

    Args:
        base_transform: The transform to reinterpret.
        reinterpreted_batch_ndims: Number of additional event dims.
        cache_size: Number of most recent (argument, result) pairs to keep: 0 or 1.

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
        """The constraint on the argument."""
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @property
    def codomain(self) -> Any:
        """The constraint that the result satisfies."""
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self) -> bool:
        """Whether the transform is one-to-one."""
        return self.base_transform.bijective

    @property
    def sign(self) -> Any:
        return self.base_transform.sign

    def _call(self, x: Tensor) -> Tensor:
        require_dimensions(x.dim(), self.domain.event_dim)
        return self.base_transform(x)

    def _inverse(self, y: Tensor) -> Tensor:
        require_dimensions(y.dim(), self.codomain.event_dim)
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


def require_dimensions(dims: int, needed: int) -> None:
    """Raise ValueError if an argument has fewer dims than an event."""
    if dims < needed:
        raise ArgumentError(f"Too few dimensions on input: {dims}, and an event has {needed}")
