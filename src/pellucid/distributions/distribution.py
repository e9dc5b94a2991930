"""The base class of all probability distributions."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

from pellucid.autograd.modes import no_grad
from pellucid.distributions import constraints
from pellucid.distributions.utils import lazy_property
from pellucid.docstrings import completed, sections_of
from pellucid.errors import ArgumentError, UnimplementedError
from pellucid.shapes import Size
from pellucid.tensors import Tensor

__all__ = ["Distribution"]


class Missing:
    """Descriptor of a class attribute that every subclass must define."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        raise UnimplementedError(f"{owner.__name__} does not define {self.name}")


class Distribution:
    """Base class of probability distributions, each object a batch of one family.

    Samples have the shape ``sample_shape + batch_shape + event_shape``. A subclass lists its
    parameters and their constraints in ``arg_constraints``, keeps the parameters as attributes of
    the same names, and sets ``support``.

    Args:
        batch_shape: Shape of the batch of distributions.
        event_shape: Shape of a single sample of one distribution.
        validate_args: Whether to check parameters and values against their constraints; ``None``
            means the default of ``Distribution.set_default_validate_args``.

    Raises:
        ValueError: If arguments are validated and a parameter violates its constraint.

    >>> coins = torch.distributions.Bernoulli(torch.tensor([0.25, 0.5]))
    >>> coins.batch_shape, coins.event_shape
    (torch.Size([2]), torch.Size([]))
    """

    #: whether samples are differentiable (``rsample`` exists)
    has_rsample: Any = False
    #: whether ``enumerate_support`` can list all values
    has_enumerate_support: Any = False
    #: the constraint of each parameter, by parameter name
    arg_constraints: Any = Missing("arg_constraints")
    #: the constraint that samples satisfy
    support: Any = Missing("support")
    _validate_args = __debug__
    #: number of event dims of tensor attributes that are not parameters, by attribute name
    _kept_event_dims: ClassVar[dict[str, int]] = {}

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Set whether distributions check their arguments by default.

        Args:
            value: ``True`` to validate parameters and values, ``False`` to skip the checks. The
                initial setting is ``True`` unless Python runs with ``-O``.

        Raises:
            ValueError: If ``value`` is not a bool.

        >>> torch.distributions.Distribution.set_default_validate_args(True)
        """
        if value not in (True, False):
            raise ArgumentError(f"validate_args is True or False, not {value!r}")
        Distribution._validate_args = value

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__doc__:
            completed(sections_of(Distribution)(cls))

    def __init__(
        self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None
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

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """Return the object that ``expand`` fills: the one given, or a new one of this class.

        Raises NotImplementedError for a subclass with an ``__init__`` of its own and no ``expand``.
        """
        if _instance is not None:
            return _instance
        mine: Any = type(self)
        if mine.__init__ is not cls.__init__:
            raise UnimplementedError(
                f"Subclass {mine.__name__} of {cls.__name__} that defines a custom __init__ method "
                "must also define a custom .expand() method."
            )
        return mine.__new__(mine)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Self:
        """Return the distribution with its parameters expanded to a larger batch, without copying.

        Args:
            batch_shape: The new batch shape; the old one has to broadcast to it.
            _instance: Object of the same class to fill in, for subclasses that override this
                method.

        >>> torch.distributions.Normal(0.0, 1.0).expand((2, 3)).batch_shape
        torch.Size([2, 3])
        """
        shape = Size(batch_shape)
        new = type(self).__new__(type(self)) if _instance is None else _instance
        for name, value in self.__dict__.items():
            new.__dict__[name] = self._expanded(name, value, shape)
        new._batch_shape = shape
        return new

    def _expanded(self, name: str, value: Any, shape: Size) -> Any:
        """Return the value of an attribute after expansion to a batch shape."""
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
        """The shape of the batch of distributions."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of a single sample of one distribution."""
        return self._event_shape

    @property
    def mean(self) -> Tensor:
        """The expected value, of shape ``batch_shape + event_shape``."""
        raise self._missing("mean")

    @property
    def mode(self) -> Tensor:
        """The most probable value, of shape ``batch_shape + event_shape``."""
        raise UnimplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The variance, of shape ``batch_shape + event_shape``."""
        raise self._missing("variance")

    @property
    def stddev(self) -> Tensor:
        """The standard deviation, of shape ``batch_shape + event_shape``."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw samples without recording gradients.

        Args:
            sample_shape: Shape of the independent samples to draw from each distribution.

        Returns:
            A tensor of shape ``sample_shape + batch_shape + event_shape``.

        >>> torch.distributions.Normal(torch.zeros(3), 1.0).sample((2,)).shape
        torch.Size([2, 3])
        """
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw samples that are differentiable with respect to the parameters.

        Args:
            sample_shape: Shape of the independent samples to draw from each distribution.

        Returns:
            A tensor of shape ``sample_shape + batch_shape + event_shape``.

        Raises:
            NotImplementedError: If the family has no reparameterized sampler (``has_rsample`` is
                false).

        >>> scale = torch.tensor(1.0, requires_grad=True)
        >>> torch.distributions.Normal(0.0, scale).rsample().requires_grad
        True
        """
        raise self._missing("rsample")

    def sample_n(self, n: int) -> Tensor:
        """Draw ``n`` samples; deprecated in favor of ``sample((n,))``.

        Args:
            n: Number of samples.

        Returns:
            A tensor of shape ``(n,) + batch_shape + event_shape``.
        """
        warnings.warn(
            "sample_n will be deprecated. Use .sample((n,)) instead", UserWarning, stacklevel=2
        )
        return self.sample((n,))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability mass or density at ``value``.

        Args:
            value: Tensor that broadcasts with ``batch_shape + event_shape``.

        Returns:
            A tensor of the broadcast shape without the event dims.

        Raises:
            ValueError: If arguments are validated and ``value`` has an unsuitable shape or lies
                outside the support.
            NotImplementedError: If the family has no formula for it.

        >>> torch.distributions.Exponential(1.0).log_prob(torch.tensor([0.0, 2.0]))
        tensor([ 0., -2.])
        """
        raise self._missing("log_prob")

    def cdf(self, value: Tensor) -> Tensor:
        """Return P(X <= value), the cumulative distribution function.

        Args:
            value: Tensor that broadcasts with ``batch_shape``.

        Raises:
            ValueError: If arguments are validated and ``value`` lies outside the support.
            NotImplementedError: If the family has no formula for it.

        >>> torch.distributions.Uniform(0.0, 4.0).cdf(torch.tensor(1.0))
        tensor(0.2500)
        """
        raise self._missing("cdf")

    def icdf(self, value: Tensor) -> Tensor:
        """Return the quantile function, the inverse of ``cdf``.

        Args:
            value: Tensor of probabilities in [0, 1] that broadcasts with ``batch_shape``.

        Raises:
            NotImplementedError: If the family has no formula for it.

        >>> torch.distributions.Uniform(0.0, 4.0).icdf(torch.tensor(0.25))
        tensor(1.)
        """
        raise self._missing("icdf")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all values of a discrete distribution, stacked along a new first dim.

        Args:
            expand: Whether to expand the values over the batch; otherwise the batch dims have size
                1.

        Returns:
            A tensor of shape ``(number of values,) + batch_shape + event_shape``.

        Raises:
            NotImplementedError: If the support cannot be listed.

        >>> torch.distributions.Bernoulli(torch.tensor([0.5, 0.5])).enumerate_support()
        tensor([[0., 0.],
                [1., 1.]])
        """
        raise self._missing("enumerate_support")

    def entropy(self) -> Tensor:
        """Return the entropy of each distribution in nats, a tensor of shape ``batch_shape``.

        Raises:
            NotImplementedError: If the family has no formula for it.

        >>> torch.distributions.Bernoulli(0.5).entropy()
        tensor(0.6931)
        """
        raise self._missing("entropy")

    def perplexity(self) -> Tensor:
        """Return the exponential of the entropy, a tensor of shape ``batch_shape``.

        >>> torch.distributions.Categorical(torch.ones(4)).perplexity()
        tensor(4.)
        """
        return self.entropy().exp()

    def _missing(self, name: str) -> UnimplementedError:
        return UnimplementedError(f"{type(self).__name__} does not implement {name}")

    def _for_batch(self, values: Tensor, expand: bool) -> Tensor:
        """Add a first dim for the values and dims of size 1 for the batch."""
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        return Size((*Size(sample_shape), *self._batch_shape, *self._event_shape))

    def _check_sample(self, value: Any) -> None:
        """Raise ValueError for a value that cannot be a sample, if arguments are validated."""
        if self._validate_args:
            self._validate_sample(value)

    def _validate_sample(self, value: Any) -> None:
        """Raise ValueError for a value that cannot be a sample."""
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
