"""Constraints: sets of values that the parameters and samples of distributions lie in.

``check(value)`` returns which events lie in the set, ``event_dim`` is the number of last dims that
make up one event, and ``is_discrete`` says whether the set is discrete.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pellucid import linalg
from pellucid.errors import ArgumentError
from pellucid.ops.shape import join
from pellucid.tensors import Tensor, creation
from pellucid.tensors.limits import finfo

__all__ = [
    "Constraint", "MixtureSameFamilyConstraint", "boolean", "cat", "corr_cholesky", "dependent",
    "dependent_property", "greater_than", "greater_than_eq", "half_open_interval", "independent",
    "integer_interval", "interval", "is_dependent", "less_than", "lower_cholesky",
    "lower_triangular", "multinomial", "nonnegative", "nonnegative_integer", "one_hot", "positive",
    "positive_definite", "positive_integer", "positive_semidefinite", "real", "real_vector",
    "simplex", "square", "stack", "symmetric", "unit_interval",
]  # fmt: skip


class Constraint:
    """Base class of constraints: a set of values with a membership test.

    >>> torch.distributions.constraints.positive.check(torch.tensor([-1.0, 1.0]))
    tensor([False,  True])
    """

    is_discrete: Any = False
    event_dim: Any = 0

    def check(self, value: Tensor) -> Any:
        """Return which events lie in the set.

        Args:
            value: Tensor of any shape; its last ``event_dim`` dims are one event.

        Returns:
            A bool tensor of the shape of ``value`` without its last ``event_dim`` dims.

        >>> torch.distributions.constraints.simplex.check(torch.tensor([0.5, 0.5]))
        tensor(True)
        """
        raise NotImplementedError(f"{type(self).__name__} has no check()")

    def __repr__(self) -> str:
        return f"{type(self).__name__.lstrip('_')}({self._arguments()})"

    def _arguments(self) -> str:
        return ""


class _Dependent(Constraint):
    """Placeholder for a constraint that depends on other variables; calling it adds details."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented):
        self._is_discrete = is_discrete
        self._event_dim = event_dim

    @property
    def is_discrete(self) -> bool:
        """Whether the set is discrete; raises NotImplementedError if unknown."""
        return _known(".is_discrete", self._is_discrete)

    @property
    def event_dim(self) -> int:
        """The number of dims of an event; raises NotImplementedError if unknown."""
        return _known(".event_dim", self._event_dim)

    def __call__(
        self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented
    ) -> _Dependent:
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, value: Tensor) -> Any:
        raise ArgumentError("Cannot determine validity of dependent constraint")


def _known(name: str, value: Any) -> Any:
    if value is NotImplemented:
        raise NotImplementedError(f"{name} cannot be determined statically")
    return value


def is_dependent(constraint: Any) -> bool:
    """Return whether a constraint depends on other variables.

    Args:
        constraint: The constraint to examine.

    >>> constraints = torch.distributions.constraints
    >>> constraints.is_dependent(constraints.dependent)
    True
    """
    return isinstance(constraint, _Dependent)


class _DependentProperty(property, _Dependent):
    """Property whose value is a constraint that depends on the instance.

    Args:
        function: The method that returns the constraint; without it, what is made is a decorator.
        is_discrete: Whether the set is discrete, for all instances.
        event_dim: The number of dims of an event, for all instances.

    >>> constraints = torch.distributions.constraints
    >>> class Below:
    ...     def __init__(self, bound):
    ...         self.bound = bound
    ...
    ...     @constraints.dependent_property(is_discrete=False, event_dim=0)
    ...     def support(self):
    ...         return constraints.less_than(self.bound)
    >>> Below(2.0).support, Below.support.event_dim
    (LessThan(upper_bound=2.0), 0)
    """

    def __init__(
        self,
        function: Callable[[Any], Any] | None = None,
        *,
        is_discrete: Any = NotImplemented,
        event_dim: Any = NotImplemented,
    ) -> None:
        super().__init__(function)
        self._is_discrete = is_discrete
        self._event_dim = event_dim

    def __call__(self, function: Callable[[Any], Any]) -> Any:
        return _DependentProperty(
            function, is_discrete=self._is_discrete, event_dim=self._event_dim
        )


class _IndependentConstraint(Constraint):
    """Constraint with more event dims: every element has to satisfy the base constraint.

    Args:
        base_constraint: The constraint of the elements.
        reinterpreted_batch_ndims: The number of dims that an event has in addition.

    >>> constraints = torch.distributions.constraints
    >>> constraints.independent(constraints.positive, 1).check(
    ...     torch.tensor([[1.0, 2.0], [-1.0, 2.0]])
    ... )
    tensor([ True, False])
    """

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def is_discrete(self) -> bool:
        """Whether the set is discrete."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> int:
        """The number of dims of an event."""
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Any:
        fits = self.base_constraint.check(value)
        if fits.dim() < self.reinterpreted_batch_ndims:
            raise ArgumentError(
                f"Expected value.dim() >= {self.event_dim} but got {value.dim()}: "
                "an event has that many dimensions"
            )
        return _all_rightmost(fits, self.reinterpreted_batch_ndims)

    def _arguments(self) -> str:
        return f"{self.base_constraint!r}, {self.reinterpreted_batch_ndims}"


def _all_rightmost(fits: Any, count: int) -> Any:
    return fits.reshape(*fits.shape[: fits.dim() - count], -1).all(-1) if count else fits


class MixtureSameFamilyConstraint(Constraint):
    """Constraint of a mixture: the value must satisfy the constraint of every component.

    Args:
        base_constraint: Constraint of the component distribution.

    >>> d = torch.distributions
    >>> bounds = d.constraints.greater_than_eq(torch.tensor([0.0, 1.0]))
    >>> d.constraints.MixtureSameFamilyConstraint(bounds).check(torch.tensor([0.5, 2.0]))
    tensor([False,  True])
    """

    def __init__(self, base_constraint: Constraint) -> None:
        self.base_constraint = base_constraint

    @property
    def is_discrete(self) -> bool:
        """Whether the set is discrete."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> int:
        """The number of dims of an event."""
        return self.base_constraint.event_dim

    def check(self, value: Tensor) -> Any:
        """Return which events satisfy the constraint of every component.

        Args:
            value: Tensor of shape ``sample_shape + batch_shape + event_shape`` of the mixture.

        Raises:
            ValueError: If ``value`` has fewer dims than an event.
        """
        event_dim = self.event_dim
        if value.dim() < event_dim:
            raise ArgumentError(
                f"Expected value.dim() >= {event_dim} but got {value.dim()}: "
                "an event has that many dimensions"
            )
        fits = self.base_constraint.check(value.unsqueeze(-1 - event_dim))
        return fits.all(-1) if fits.dim() else fits

    def _arguments(self) -> str:
        return repr(self.base_constraint)


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value: Tensor) -> Any:
        return (value == 0) | (value == 1)


class _OneHot(Constraint):
    is_discrete = True
    event_dim = 1

    def check(self, value: Tensor) -> Any:
        return boolean.check(value).all(-1) & value.sum(-1).eq(1)


class _Bounded(Constraint):
    """Base class of constraints with a lower bound, an upper bound, or both."""

    _bounds: tuple[str, ...] = ("lower_bound", "upper_bound")

    def __init__(self, *args: Any, **named: Any) -> None:
        bounds = dict(zip(self._bounds, args, strict=False)) | named
        if len(args) > len(self._bounds) or set(bounds) != set(self._bounds):
            raise TypeError(f"{type(self).__name__}() takes {' and '.join(self._bounds)}")
        self.lower_bound: Any = bounds.get("lower_bound")
        self.upper_bound: Any = bounds.get("upper_bound")

    def _arguments(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)}" for name in self._bounds)


class _Integers(_Bounded):
    is_discrete = True


def _are_whole(value: Tensor, others: Tensor) -> Tensor:
    """Return where values are whole numbers and something else holds."""
    return (value % 1 == 0) & others if value.is_floating_point() else others


class _IntegerInterval(_Integers):
    """The set of the integers between two bounds, which belong to it.

    Args:
        lower_bound: The least; a number, or a tensor that broadcasts with the values.
        upper_bound: The greatest; a number, or a tensor that broadcasts with the values.

    >>> constraints = torch.distributions.constraints
    >>> constraints.integer_interval(0, 2).check(torch.tensor([0.0, 1.0, 2.5]))
    tensor([ True,  True, False])
    """

    def check(self, value: Tensor) -> Any:
        return _are_whole(value, (self.lower_bound <= value) & (value <= self.upper_bound))


class _IntegerGreaterThan(_Integers):
    _bounds = ("lower_bound",)

    def check(self, value: Tensor) -> Any:
        return _are_whole(value, value >= self.lower_bound)


class _Real(Constraint):
    def check(self, value: Tensor) -> Any:
        return value == value  # false for nan only


class _GreaterThan(_Bounded):
    """The set of the numbers above a bound.

    Args:
        lower_bound: The bound; a number, or a tensor that broadcasts with the values.

    >>> constraints = torch.distributions.constraints
    >>> constraints.greater_than(1.0).check(torch.tensor([0.0, 1.0, 2.5]))
    tensor([False, False,  True])
    """

    _bounds = ("lower_bound",)

    def check(self, value: Tensor) -> Any:
        return value > self.lower_bound


class _GreaterThanEq(_Bounded):
    """The set of the numbers above a bound, and the bound.

    Args:
        lower_bound: The least number; a number, or a tensor that broadcasts with the values.

    >>> constraints = torch.distributions.constraints
    >>> constraints.greater_than_eq(1.0).check(torch.tensor([0.0, 1.0, 2.5]))
    tensor([False,  True,  True])
    """

    _bounds = ("lower_bound",)

    def check(self, value: Tensor) -> Any:
        return value >= self.lower_bound


class _LessThan(_Bounded):
    """The set of the numbers below a bound.

    Args:
        upper_bound: The bound; a number, or a tensor that broadcasts with the values.

    >>> constraints = torch.distributions.constraints
    >>> constraints.less_than(1.0).check(torch.tensor([0.0, 1.0, 2.5]))
    tensor([ True, False, False])
    """

    _bounds = ("upper_bound",)

    def check(self, value: Tensor) -> Any:
        return value < self.upper_bound


class _Interval(_Bounded):
    """The set of the numbers between two bounds, which belong to it.

    Args:
        lower_bound: The least number; a number, or a tensor that broadcasts with the values.
        upper_bound: The greatest number; a number, or a tensor that broadcasts with the values.

    >>> constraints = torch.distributions.constraints
    >>> constraints.interval(0.0, 1.0).check(torch.tensor([0.0, 1.0, 2.5]))
    tensor([ True,  True, False])
    """

    def check(self, value: Tensor) -> Any:
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_Bounded):
    """The set of the numbers between two bounds, of which the lower belongs to it.

    Args:
        lower_bound: The least number; a number, or a tensor that broadcasts with the values.
        upper_bound: The bound above; a number, or a tensor that broadcasts with the values.

    >>> constraints = torch.distributions.constraints
    >>> constraints.half_open_interval(0.0, 1.0).check(torch.tensor([0.0, 1.0, 2.5]))
    tensor([ True, False, False])
    """

    def check(self, value: Tensor) -> Any:
        return (self.lower_bound <= value) & (value < self.upper_bound)


class _Simplex(Constraint):
    event_dim = 1

    def check(self, value: Tensor) -> Any:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(Constraint):
    """The set of vectors of counts whose sum is at most a number of trials.

    Args:
        upper_bound: The number of trials.

    >>> constraints = torch.distributions.constraints
    >>> constraints.multinomial(3).check(torch.tensor([[1, 2], [2, 2]]))
    tensor([ True, False])
    """

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: int) -> None:
        self.upper_bound = upper_bound

    def check(self, x: Tensor) -> Any:
        return (x >= 0).all(dim=-1) & (x.sum(dim=-1) <= self.upper_bound)


class _LowerTriangular(Constraint):
    event_dim = 2

    def check(self, value: Tensor) -> Any:
        return (value.tril() == value).flatten(-2).all(-1)


class _LowerCholesky(_LowerTriangular):
    def check(self, value: Tensor) -> Any:
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(_LowerCholesky):
    def check(self, value: Tensor) -> Any:
        # Rounding errors of the norm grow with the number of columns.
        tolerance = finfo(value.dtype).eps * value.size(-1) * 10
        of_unit_rows = (value.detach().norm(dim=-1) - 1).abs().le(tolerance).all(-1)
        return super().check(value) & of_unit_rows


class _Square(Constraint):
    event_dim = 2

    def check(self, value: Tensor) -> Any:
        return creation.full(value.shape[:-2], value.shape[-2] == value.shape[-1])


class _Symmetric(_Square):
    def check(self, value: Tensor) -> Any:
        square = super().check(value)
        if not square.all():
            return square
        return value.isclose(value.mT, atol=1e-6).all(-2).all(-1)


class _PositiveSemidefinite(_Symmetric):
    def check(self, value: Tensor) -> Any:
        symmetric = super().check(value)
        if not symmetric.all():
            return symmetric
        return linalg.eigvalsh(value).ge(0).all(-1)


class _PositiveDefinite(_Symmetric):
    def check(self, value: Tensor) -> Any:
        symmetric = super().check(value)
        if not symmetric.all():
            return symmetric
        return linalg.cholesky_ex(value).info.eq(0)


class _Joined(Constraint):
    """Base class of constraints that apply to slices of a tensor."""

    def __init__(self, constraints: Sequence[Constraint], dim: int = 0) -> None:
        self.cseq = list(constraints)
        self.dim = dim

    @property
    def is_discrete(self) -> bool:
        """Whether any of the sets is discrete."""
        return any(each.is_discrete for each in self.cseq)


class _Cat(_Joined):
    """The set of tensors whose parts along a dimension lie each in a set of its own.

    Args:
        cseq: The constraints of the parts, in order.
        dim: The dimension that is split.
        lengths: The size of each part along ``dim``; without them, each has 1.

    >>> constraints = torch.distributions.constraints
    >>> constraints.cat([constraints.positive, constraints.boolean], 0, [2, 1]).check(torch.ones(3))
    tensor([True, True, True])
    """

    def __init__(
        self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None
    ) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)

    @property
    def event_dim(self) -> int:
        """The number of dims of an event: the maximum over the slices."""
        return max(each.event_dim for each in self.cseq)

    def check(self, value: Tensor) -> Any:
        parts = value.split(self.lengths, self.dim)
        return join.cat(
            [each.check(part) for each, part in zip(self.cseq, parts, strict=True)], self.dim
        )


class _Stack(_Joined):
    """The set of tensors whose slices along a dimension lie each in a set of its own.

    Args:
        constraints: The constraints of the slices, in order.
        dim: The dimension that is sliced; it has as many elements as there are constraints.

    >>> constraints = torch.distributions.constraints
    >>> constraints.stack([constraints.positive, constraints.boolean]).check(
    ...     torch.tensor([3.0, 3.0])
    ... )
    tensor([ True, False])
    """

    @property
    def event_dim(self) -> int:
        """The number of dims of an event, including the stacked dim if it is one of them."""
        most = max(each.event_dim for each in self.cseq)
        return most + 1 if self.dim + most < 0 else most

    def check(self, value: Tensor) -> Any:
        parts = value.unbind(self.dim)
        return join.stack(
            [each.check(part) for each, part in zip(self.cseq, parts, strict=True)], self.dim
        )


dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex = _Simplex()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
cat = _Cat
stack = _Stack
