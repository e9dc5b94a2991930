"""The base class of all distributions."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

from pellucid.autograd.modes import no_grad
from pellucid.distributions import constraints
from pellucid.distributions.utils import lazy_property
from pellucid.errors import ArgumentError, UnimplementedError
from pellucid.shapes import Size
from pellucid.tensors import Tensor

__all__ = ["Distribution"]


class Missing:
    """Stand for what a subclass has to define."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        raise UnimplementedError(f"{owner.__name__} does not define {self.name}")


class Distribution:
    """Hold a batch of probability distributions of one family.

    Samples have the shape ``sample_shape + batch_shape + event_shape``. Parameters and values are
    checked where ``validate_args`` is true (by default unless Python runs with ``-O``); a
    violation raises ValueError.

    A subclass names its parameters and their sets in ``arg_constraints``, keeps them as attributes
    of the same names, and sets its ``support``.

    >>> import pellucid as torch
    >>> coins = torch.distributions.Bernoulli(torch.tensor([0.25, 0.5]))
    >>> coins.batch_shape, coins.event_shape
    (torch.Size([2]), torch.Size([]))
    """

    #: whether samples can be differentiated
    has_rsample: Any = False
    #: whether all values can be listed
    has_enumerate_support: Any = False
    #: the constraint of each parameter, by name
    arg_constraints: Any = Missing("arg_constraints")
    #: the constraint that samples satisfy
    support: Any = Missing("support")
    _validate_args = __debug__
    #: last dimensions, not of the batch, of tensors that are kept beside the parameters
    _kept_event_dims: ClassVar[dict[str, int]] = {}

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Say whether arguments are checked where nobody says otherwise.

        Raises ValueError if ``value`` is not a bool.
        """
        if value not in (True, False):
            raise ArgumentError(f"validate_args is True or False, not {value!r}")
        Distribution._validate_args = value

    def __init__(
        self,
        batch_shape: Any = (),
        event_shape: Any = (),
        validate_args: bool | None = None,
    ) -> None:
        self._batch_shape = Size(batch_shape)
        self._event_shape = Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()
        super().__init__()

    def _check_parameters(self) -> None:
        try:
            wanted = self.arg_constraints
        except NotImplementedError:
            wanted = {}
            warnings.warn(
                f"{type(self)} does not define `arg_constraints`. Please set "
                "`arg_constraints = {}` or initialize the distribution with `validate_args=False` "
                "to turn off validation.",
                stacklevel=3,
            )
        for name, constraint in wanted.items():
            lazy = isinstance(getattr(type(self), name, None), lazy_property)
            if constraints.is_dependent(constraint) or (lazy and name not in self.__dict__):
                continue
            value = getattr(self, name)
            if not constraint.check(value).all():
                raise ArgumentError(
                    f"Expected parameter {name} ({type(value).__name__} of shape "
                    f"{tuple(value.shape)}) of distribution {self!r} to satisfy the constraint "
                    f"{constraint!r}, but found invalid values:\n{value}"
                )

    def expand(self, batch_shape: Any, _instance: Any = None) -> Self:
        """Return the distribution with its parameters expanded to a larger batch, uncopied."""
        shape = Size(batch_shape)
        new = type(self).__new__(type(self)) if _instance is None else _instance
        for name, value in self.__dict__.items():
            new.__dict__[name] = self._expanded(name, value, shape)
        new._batch_shape = shape
        return new

    def _expanded(self, name: str, value: Any, shape: Size) -> Any:
        """Return what an attribute is in the distribution expanded to a batch shape."""
        if isinstance(value, Distribution):
            return value.expand(shape)
        if name in self._kept_event_dims:
            event_dim = self._kept_event_dims[name]
        elif name in self.arg_constraints:
            event_dim = self.arg_constraints[name].event_dim
        else:
            return value
        return value.expand(shape + value.shape[value.dim() - event_dim :])

    @property
    def batch_shape(self) -> Size:
        """The shape over which parameters are batched."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of a single sample, without batching."""
        return self._event_shape

    @property
    def mean(self) -> Tensor:
        """The expected value."""
        raise self._missing("mean")

    @property
    def mode(self) -> Tensor:
        """The most probable value."""
        raise UnimplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The variance."""
        raise self._missing("variance")

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw samples, of shape ``sample_shape + batch_shape + event_shape``, without history."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw samples that can be differentiated by the parameters."""
        raise self._missing("rsample")

    def sample_n(self, n: int) -> Tensor:
        """Draw ``n`` samples; deprecated, say ``sample((n,))``."""
        warnings.warn(
            "sample_n will be deprecated. Use .sample((n,)) instead", UserWarning, stacklevel=2
        )
        return self.sample((n,))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability (density) at ``value``."""
        raise self._missing("log_prob")

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of what is not above ``value``."""
        raise self._missing("cdf")

    def icdf(self, value: Tensor) -> Tensor:
        """Return the quantile of the probability ``value``."""
        raise self._missing("icdf")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all values of a discrete distribution along a new first dimension."""
        raise self._missing("enumerate_support")

    def entropy(self) -> Tensor:
        """Return the entropy of each distribution in the batch, in nats."""
        raise self._missing("entropy")

    def perplexity(self) -> Tensor:
        """Return the exponential of the entropy."""
        return self.entropy().exp()

    def _missing(self, name: str) -> UnimplementedError:
        return UnimplementedError(f"{type(self).__name__} does not implement {name}")

    def _for_batch(self, values: Tensor, expand: bool) -> Tensor:
        """Lay values along a new first dimension before those of the batch."""
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        return Size((*Size(sample_shape), *self._batch_shape, *self._event_shape))

    def _validate_sample(self, value: Any) -> None:
        """Raise ValueError for what cannot be a sample."""
        if not isinstance(value, Tensor):
            raise ArgumentError(
                "The value argument to log_prob must be a Tensor, "
                f"and this one is of type {type(value).__name__}"
            )
        event_start = value.dim() - len(self._event_shape)
        if value.shape[event_start:] != self._event_shape:
            raise ArgumentError(
                "The right-most size of value must match event_shape: "
                f"{value.shape} vs {self._event_shape}."
            )
        expected = self._batch_shape + self._event_shape
        for given, wanted in zip(reversed(value.shape), reversed(expected), strict=False):
            if given != wanted and 1 not in (given, wanted):
                raise ArgumentError(
                    "Value is not broadcastable with batch_shape+event_shape: "
                    f"{value.shape} vs {expected}."
                )
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{type(self)} does not define `support` to enable sample validation. Please "
                "initialize the distribution with `validate_args=False` to turn off validation.",
                stacklevel=3,
            )
            return
        if not support.check(value).all():
            raise ArgumentError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) "
                f"to be within the support ({support!r}) of the distribution {self!r}, but found "
                f"invalid values:\n{value}"
            )

    def __repr__(self) -> str:
        own = self.__dict__
        parameters = {name: own[name] for name in self.arg_constraints if name in own}
        arguments = ", ".join(
            f"{name}: {value if value.numel() == 1 else value.size()}"
            for name, value in parameters.items()
        )
        return f"{type(self).__name__}({arguments})"
