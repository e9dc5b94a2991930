"""Registry of Kullback-Leibler divergences, looked up by the classes of two distributions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache, total_ordering
from typing import Any

from pellucid.distributions.distribution import Distribution
from pellucid.errors import ArgumentTypeError, UnimplementedError
from pellucid.tensors import Tensor

Divergence = Callable[[Any, Any], Tensor]

_KL_REGISTRY: dict[tuple[type, type], Divergence] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Divergence], Divergence]:
    """Return a decorator that registers a function for the divergence of two classes.

    If several registered pairs fit, the one with the most derived classes is used. As in PyTorch,
    the classes need not be distributions.

    Args:
        type_p: Class of the first argument.
        type_q: Class of the second argument.

    Raises:
        TypeError: If an argument is not a class.

    >>> d = torch.distributions
    >>> class Unit(d.Normal):
    ...     def __init__(self):
    ...         super().__init__(0.0, 1.0)
    >>> @d.register_kl(Unit, Unit)
    ... def kl_unit_unit(p, q):
    ...     return torch.zeros(())
    >>> d.kl_divergence(Unit(), Unit())
    tensor(0.)
    """
    for kind in (type_p, type_q):
        if not isinstance(kind, type):
            raise ArgumentTypeError(f"Expected a subclass of Distribution but got {kind!r}")

    def register(function: Divergence) -> Divergence:
        _KL_REGISTRY[type_p, type_q] = function
        _dispatched.cache_clear()
        return function

    return register


@total_ordering
class _Match:
    """Pair of base classes, ordered by how derived they are."""

    def __init__(self, *types: type) -> None:
        self.types = types

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Match) and self.types == other.types

    def __hash__(self) -> int:
        return hash(self.types)

    def __le__(self, other: _Match) -> bool:
        for mine, theirs in zip(self.types, other.types, strict=True):
            if not issubclass(mine, theirs):
                return False
            if mine is not theirs:
                break
        return True


@cache
def _dispatched(type_p: type, type_q: type) -> Divergence | None:
    """Return the function registered for the most derived classes that fit."""
    fitting = [
        pair for pair in _KL_REGISTRY if issubclass(type_p, pair[0]) and issubclass(type_q, pair[1])
    ]
    if not fitting:
        return None
    left = min(_Match(*pair) for pair in fitting).types
    right = min(_Match(*reversed(pair)) for pair in fitting).types[::-1]
    left_function, right_function = _KL_REGISTRY[left], _KL_REGISTRY[right]  # type: ignore[index]
    if left_function is not right_function:
        names = [[kind.__name__ for kind in pair] for pair in ((type_p, type_q), left, right)]
        warnings.warn(
            "Ambiguous kl_divergence({}, {}). Please register_kl({}, {})".format(
                *names[0], names[1][0], names[2][1]
            ),
            RuntimeWarning,
            stacklevel=3,
        )
    return left_function


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Return the Kullback-Leibler divergence ``KL(p || q)`` of each pair in the batch.

    Args:
        p: The distribution over which the expectation is taken.
        q: The distribution to compare with.

    Returns:
        A tensor of the broadcast batch shape, in nats.

    Raises:
        NotImplementedError: If no formula is registered for the two classes.

    >>> d = torch.distributions
    >>> d.kl_divergence(d.Normal(0.0, 1.0), d.Normal(1.0, 1.0))
    tensor(0.5000)
    """
    function = _dispatched(type(p), type(q))
    if function is None:
        raise UnimplementedError(
            f"No KL(p || q) is implemented for p type {type(p).__name__} "
            f"and q type {type(q).__name__}; register_kl can add one"
        )
    return function(p, q)
