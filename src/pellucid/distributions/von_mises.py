"""The von Mises distribution on the circle."""

from __future__ import annotations

import math
from typing import Any

from pellucid.autograd.modes import no_grad
from pellucid.distributions import constraints
from pellucid.distributions.distribution import Distribution
from pellucid.distributions.utils import broadcast_all, lazy_property
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.elementwise.special_functions import i0e, i1e
from pellucid.random import rand
from pellucid.tensors import Tensor, creation

__all__ = ["VonMises"]

# Below this concentration the proposal's formula loses its digits, and its series is exact.
_NEARLY_UNIFORM = 1e-5


class VonMises(Distribution):
    """Be an angle around ``loc``, in radians; the larger ``concentration``, the closer to it.

    >>> import pellucid as torch
    >>> torch.distributions.VonMises(0.0, 1.0).mean
    tensor(0.)
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False
    _kept_event_dims = {"_loc": 0, "_concentration": 0, "_proposal_r": 0}

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:
        """The circular variance."""
        return 1 - i1e(self.concentration) / i0e(self.concentration)

    @lazy_property
    def _loc(self) -> Tensor:
        return self.loc.double()

    @lazy_property
    def _concentration(self) -> Tensor:
        return self.concentration.double()

    @lazy_property
    def _proposal_r(self) -> Tensor:
        kappa = self._concentration
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        return where(kappa < _NEARLY_UNIFORM, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw by rejection from wrapped Cauchy distributions.

        Source: D. J. Best and N. I. Fisher, "Efficient simulation of the von Mises distribution",
        1979.
        """
        shape = self._extended_shape(sample_shape)
        kappa, r = self._concentration, self._proposal_r
        x = creation.empty(shape, dtype=kappa.dtype)
        done = creation.zeros(shape, dtype=bool)
        with no_grad():
            while not done.all():
                u1, u2, u3 = rand((3, *shape), dtype=kappa.dtype).unbind()
                z = (math.pi * u1).cos()
                f = (1 + r * z) / (r + z)
                c = kappa * (r - f)
                accepted = (c * (2 - c) - u2 > 0) | ((c / u2).log() + 1 - c >= 0)
                x = where(accepted, (u3 - 0.5).sign() * f.acos(), x)
                done = done | accepted
            angle = (x + math.pi + self._loc) % (2 * math.pi) - math.pi
        return angle.to(self.loc.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        kappa = self.concentration
        # log I0(kappa) = kappa + log(exp(-kappa) I0(kappa))
        log_bessel = kappa + i0e(kappa).log()
        return kappa * (value - self.loc).cos() - math.log(2 * math.pi) - log_bessel
