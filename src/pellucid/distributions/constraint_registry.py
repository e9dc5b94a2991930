"""Transforms from unconstrained real numbers to the sets of constraints.

``biject_to(constraint)`` is one-to-one, for sampling; ``transform_to(constraint)`` need not be, and
suits optimizers: the softmax, for example, treats all categories alike.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any

from pellucid.distributions import constraints, transforms
from pellucid.errors import ArgumentTypeError, UnimplementedError

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]

Factory = Callable[[Any], transforms.Transform]


class ConstraintRegistry:
    """Table of transforms by the class of the constraint they lead to.

    >>> constraints = torch.distributions.constraints
    >>> torch.distributions.biject_to(constraints.unit_interval)
    SigmoidTransform()
    """

    def __init__(self) -> None:
        self._registry: dict[type, Factory] = {}

    def register(self, constraint: Any, factory: Factory | None = None) -> Any:
        """Register a factory of transforms for a class of constraints.

        Args:
            constraint: A subclass of ``Constraint``, or an instance of one.
            factory: Function that takes a constraint and returns a ``Transform``. If None, a
                decorator for such a function is returned.

        Raises:
            TypeError: If ``constraint`` is neither a ``Constraint`` nor a subclass.

        >>> d = torch.distributions
        >>> registry = d.constraint_registry.ConstraintRegistry()
        >>> _ = registry.register(d.constraints.positive, lambda constraint: d.ExpTransform())
        >>> registry(d.constraints.positive)
        ExpTransform()
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not (isinstance(kind, type) and issubclass(kind, constraints.Constraint)):
            raise ArgumentTypeError(
                "Expected constraint to be either a Constraint subclass or instance, "
                f"but got {constraint}"
            )
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Any) -> transforms.Transform:
        """Return the transform to a constraint.

        Args:
            constraint: Instance of a registered class.

        Raises:
            NotImplementedError: If no transform is registered for its class.
        """
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise UnimplementedError(
                f"Cannot transform {type(constraint).__name__} constraints: register a transform"
            )
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _register_common(registry: ConstraintRegistry) -> None:
    """Register the transforms that both registries share."""

    def to_independent(constraint: Any) -> transforms.Transform:
        base = registry(constraint.base_constraint)
        return transforms.IndependentTransform(base, constraint.reinterpreted_batch_ndims)

    def to_cat(constraint: Any) -> transforms.Transform:
        parts = [registry(each) for each in constraint.cseq]
        return transforms.CatTransform(parts, constraint.dim, constraint.lengths)

    def to_stack(constraint: Any) -> transforms.Transform:
        parts = [registry(each) for each in constraint.cseq]
        return transforms.StackTransform(parts, constraint.dim)

    registry.register(constraints.real, lambda _: transforms.identity_transform)
    registry.register(constraints.independent, to_independent)
    registry.register(constraints.greater_than, _above)
    registry.register(constraints.greater_than_eq, _above)
    registry.register(constraints.less_than, _below)
    registry.register(constraints.interval, _between)
    registry.register(constraints.half_open_interval, _between)
    registry.register(constraints.corr_cholesky, lambda _: transforms.CorrCholeskyTransform())
    registry.register(constraints.cat, to_cat)
    registry.register(constraints.stack, to_stack)


def _above(constraint: Any) -> transforms.Transform:
    shift = transforms.AffineTransform(constraint.lower_bound, 1)
    return transforms.ComposeTransform([transforms.ExpTransform(), shift])


def _below(constraint: Any) -> transforms.Transform:
    shift = transforms.AffineTransform(constraint.upper_bound, -1)
    return transforms.ComposeTransform([transforms.ExpTransform(), shift])


def _between(constraint: Any) -> transforms.Transform:
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, Number) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    stretch = transforms.AffineTransform(low, high - low)
    return transforms.ComposeTransform([transforms.SigmoidTransform(), stretch])


_register_common(biject_to)
_register_common(transform_to)
biject_to.register(constraints.simplex, lambda _: transforms.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda _: transforms.SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda _: transforms.LowerCholeskyTransform())
transform_to.register(
    constraints.positive_definite, lambda _: transforms.PositiveDefiniteTransform()
)
transform_to.register(
    constraints.positive_semidefinite, lambda _: transforms.PositiveDefiniteTransform()
)
