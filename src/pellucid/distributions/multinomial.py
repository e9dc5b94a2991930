"""The multinomial distribution."""

from __future__ import annotations

from typing import Any

from pellucid.distributions import constraints
from pellucid.distributions.binomial import Binomial
from pellucid.distributions.categorical import Categorical, OverCategories
from pellucid.distributions.utils import broadcast_all
from pellucid.errors import UnimplementedError
from pellucid.shapes import Size
from pellucid.tensors import Tensor, creation

__all__ = ["Multinomial"]


class Multinomial(OverCategories):
    """The multinomial distribution: counts of each category in ``total_count`` draws.

    ``batch_shape`` is the shape of ``probs`` or ``logits`` without its last dim, and
    ``event_shape`` is ``(K,)``. ``log_prob`` takes the total from its argument.

    Args:
        total_count: Number of draws, one int for the whole batch.
        probs: Unnormalized probabilities of shape (..., K), not negative; normalized along the last
            dim.
        logits: Unnormalized log-probabilities of shape (..., K), instead of ``probs``.
        validate_args: As for `Distribution`.

    Raises:
        NotImplementedError: If ``total_count`` is not an int.
        ValueError: If both or neither of ``probs`` and ``logits`` are given, or if arguments are
            validated and a parameter violates its constraint.

    >>> dice = torch.distributions.Multinomial(60, torch.ones(6))
    >>> dice.sample().sum()
    tensor(60.)
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}

    def __init__(
        self, total_count: int = 1, probs: Any = None, logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(total_count, int):
            raise UnimplementedError(
                "inhomogeneous total_count is not supported: "
                f"give one int, not {type(total_count).__name__}"
            )
        self.total_count = total_count
        super().__init__(Categorical(probs, logits), validate_args)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)

    def _expanded(self, name: str, value: Any, shape: Size) -> Any:
        # The batch of binomial distributions has one for each category.
        if name == "_binomial":
            return value.expand(shape + self._event_shape)
        return super()._expanded(name, value, shape)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = Size(sample_shape)
        draws = self._categorical.sample(Size((self.total_count, *shape)))
        draws = draws.movedim(0, -1)
        counts = creation.zeros(self._extended_shape(shape), dtype=draws.dtype)
        counts.scatter_add_(-1, draws, creation.ones_like(draws))
        return counts.type_as(self.probs)

    def entropy(self) -> Tensor:
        # The entropy of all draws in order, minus log n!, plus the expected log of each count!.
        total = creation.tensor(self.total_count)
        shares = self._binomial.enumerate_support(expand=False)[1:]
        weights = self._binomial.log_prob(shares).exp()
        expected = (weights * (shares + 1).lgamma()).sum((0, -1))
        return self.total_count * self._categorical.entropy() - (total + 1).lgamma() + expected

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.masked_fill((value == 0) & (logits == -float("inf")), 0)
        orders = (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1)
        return orders + (logits * value).sum(-1)
