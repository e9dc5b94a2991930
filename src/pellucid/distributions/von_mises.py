"""The von Mises distribution on the circle."""

from __future__ import annotations

import math
from typing import Any

from pellucid.autograd.modes import no_grad
from pellucid.distributions import constraints
from pellucid.distributions._location import Symmetric
from pellucid.distributions.utils import broadcast_all, lazy_property
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.elementwise.special_functions import i0e, i1e
from pellucid.random import rand, randn
from pellucid.tensors import Tensor, creation

__all__ = ["VonMises"]

# Below this concentration the formula of _proposal_r loses its digits; its series is exact.
_NEARLY_UNIFORM = 1e-5
# Above this one the rejection has no digits left; the normal distribution is as good as exact.
_NEARLY_NORMAL = 1e8
# Where every angle is as good as any other, for which 0 stands as well.
_UNIFORM = 1e-300


class VonMises(Symmetric):
    """The von Mises distribution of angles in radians.

    Parameters are numbers or floating-point tensors that broadcast together; their common shape is
    ``batch_shape``, and ``event_shape`` is ``()``.

    Args:
        loc: Mean angle.
        concentration: Concentration around ``loc``, positive; 0 would be uniform.
        validate_args: As for `Distribution`.

    Raises: As for `Distribution`.

    >>> torch.distributions.VonMises(0.0, 1.0).mean
    tensor(0.)
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    has_rsample = False
    _kept_event_dims = {"_loc": 0, "_concentration": 0, "_proposal_r": 0}

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @lazy_property
    def variance(self) -> Tensor:
        """The circular variance, between 0 and 1."""
        return 1 - i1e(self.concentration) / i0e(self.concentration)

    @lazy_property
    def _loc(self) -> Tensor:
        return self.loc.double()

    @lazy_property
    def _concentration(self) -> Tensor:
        return self.concentration.double().clamp(min=_UNIFORM)

    @lazy_property
    def _proposal_r(self) -> Tensor:
        kappa = self._concentration
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        return where(kappa < _NEARLY_UNIFORM, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw samples by rejection from a wrapped Cauchy distribution.

        Source: D. J. Best and N. I. Fisher, "Efficient simulation of the von Mises distribution",
        1979.

        Args:
            sample_shape: Shape of the independent samples to draw from each distribution.

        Returns:
            Angles in [-pi, pi), of shape ``sample_shape + batch_shape``.

        >>> torch.distributions.VonMises(0.0, 4.0).sample((2,)).shape
        torch.Size([2])
        """
        shape = self._extended_shape(sample_shape)
        kappa, r = self._concentration, self._proposal_r
        x = creation.empty(shape, dtype=kappa.dtype)
        done = normal = ~(kappa <= _NEARLY_NORMAL).expand(shape)
        with no_grad():
            if done.any():
                x = randn(shape, dtype=kappa.dtype) / kappa.sqrt()
            while not done.all():
                u1, u2, u3 = rand((3, *shape), dtype=kappa.dtype).unbind()
                z = (math.pi * u1).cos()
                f = (1 + r * z) / (r + z)
                c = kappa * (r - f)
                accepted = (c * (2 - c) - u2 > 0) | ((c / u2).log() + 1 - c >= 0)
                x = where(accepted & ~normal, (u3 - 0.5).sign() * f.acos(), x)
                done = done | accepted
            angle = (x + math.pi + self._loc) % (2 * math.pi) - math.pi
        return angle.to(self.loc.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        kappa = self.concentration
        # log I0(kappa) = kappa + log(exp(-kappa) I0(kappa))
        log_bessel = kappa + i0e(kappa).log()
        return kappa * (value - self.loc).cos() - math.log(2 * math.pi) - log_bessel
