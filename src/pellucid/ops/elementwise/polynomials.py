"""Orthogonal polynomials, computed by SciPy.

Each family's derivative is a polynomial of a family with a higher parameter. Source: NIST, "Digital
Library of Mathematical Functions", chapter 18.
"""

from __future__ import annotations

from typing import Any

from pellucid.core.definition.dtype_rules import FLOAT_MATH
from pellucid.core.definition.op import OpFunction
from pellucid.core.definition.public import CASTING, public
from pellucid.core.families import elementwise
from pellucid.errors import UnimplementedError
from pellucid.ops.shape.copying import cast


def _of_constant_degree(polynomial: OpFunction) -> OpFunction:
    """Refuse the derivative of a polynomial with respect to its degree."""

    @polynomial.partial("n")
    def refuse() -> Any:
        raise UnimplementedError(
            f"the derivative for '{polynomial.__name__}: n' is not implemented."
        )

    return polynomial


@public("special.chebyshev_polynomial_t", out=CASTING)
@_of_constant_degree
@elementwise(dtypes=FLOAT_MATH, unsupported="c")
def chebyshev_polynomial_t(be, input, n, /):
    """Return Chebyshev's polynomial of the first kind.

    The degree ``n`` is a number or a tensor; 0 where it is negative.

    Args:
        n: Degree of the polynomial: a tensor or number that broadcasts with ``input``.

    >>> torch.special.chebyshev_polynomial_t(torch.tensor([2.0]), 2)
    tensor([7.])
    """
    return be.polynomial("chebyt", n, input)


@chebyshev_polynomial_t.partial("input")
def chebyshev_polynomial_t_partial_input(input, n):
    return n * gegenbauer(input, n - 1, 1.0)


@public("special.chebyshev_polynomial_u", out=CASTING)
@_of_constant_degree
@elementwise(dtypes=FLOAT_MATH, unsupported="c")
def chebyshev_polynomial_u(be, input, n, /):
    """Return Chebyshev's polynomial of the second kind.

    The degree ``n`` is a number or a tensor; 0 where it is negative.

    Args:
        n: Degree of the polynomial: a tensor or number that broadcasts with ``input``.

    >>> torch.special.chebyshev_polynomial_u(torch.tensor([2.0]), 2)
    tensor([15.])
    """
    return be.polynomial("chebyu", n, input)


@chebyshev_polynomial_u.partial("input")
def chebyshev_polynomial_u_partial_input(input, n):
    return gegenbauer(input, n - 1, 2.0) * 2


@public("special.legendre_polynomial_p", out=CASTING)
@_of_constant_degree
@elementwise(dtypes=FLOAT_MATH, unsupported="c")
def legendre_polynomial_p(be, input, n, /):
    """Return Legendre's polynomial.

    The degree ``n`` is a number or a tensor; 0 where it is negative.

    Args:
        n: Degree of the polynomial: a tensor or number that broadcasts with ``input``.

    >>> torch.special.legendre_polynomial_p(torch.tensor([2.0]), 2)
    tensor([5.5000])
    """
    return be.polynomial("legendre", n, input)


@legendre_polynomial_p.partial("input")
def legendre_polynomial_p_partial_input(input, n):
    return gegenbauer(input, n - 1, 1.5)


@_of_constant_degree
@elementwise(dtypes=FLOAT_MATH, unsupported="c")
def gegenbauer(be, input, n, /, alpha):
    """Return the ultraspherical polynomial of a parameter."""
    return be.polynomial("gegenbauer", n, input, alpha)


@gegenbauer.partial("input")
def gegenbauer_partial_input(input, n, alpha):
    return gegenbauer(input, n - 1, alpha + 1) * (2 * alpha)


@public("special.hermite_polynomial_h", out=CASTING)
@_of_constant_degree
@elementwise(dtypes=FLOAT_MATH, unsupported="c")
def hermite_polynomial_h(be, input, n, /):
    """Return the physicist's Hermite polynomial.

    The degree ``n`` is a number or a tensor; 0 where it is negative.

    Args:
        n: Degree of the polynomial: a tensor or number that broadcasts with ``input``.

    >>> torch.special.hermite_polynomial_h(torch.tensor([2.0]), 2)
    tensor([14.])
    """
    return be.polynomial("hermite", n, input)


@hermite_polynomial_h.partial("input")
def hermite_polynomial_h_partial_input(input, n):
    return n * 2 * hermite_polynomial_h(input, n - 1)


@public("special.hermite_polynomial_he", out=CASTING)
@_of_constant_degree
@elementwise(dtypes=FLOAT_MATH, unsupported="c")
def hermite_polynomial_he(be, input, n, /):
    """Return the probabilist's Hermite polynomial.

    The degree ``n`` is a number or a tensor; 0 where it is negative.

    Args:
        n: Degree of the polynomial: a tensor or number that broadcasts with ``input``.

    >>> torch.special.hermite_polynomial_he(torch.tensor([2.0]), 2)
    tensor([3.])
    """
    return be.polynomial("hermitenorm", n, input)


@hermite_polynomial_he.partial("input")
def hermite_polynomial_he_partial_input(input, n):
    return n * hermite_polynomial_he(input, n - 1)


@_of_constant_degree
@elementwise(dtypes=FLOAT_MATH, unsupported="c")
def laguerre(be, input, n, /, alpha):
    """Return the generalized Laguerre polynomial of a parameter."""
    return be.polynomial("genlaguerre", n, input, alpha)


@laguerre.partial("input")
def laguerre_partial_input(input, n, alpha):
    return -laguerre(input, n - 1, alpha + 1)


@public("special.laguerre_polynomial_l", out=CASTING)
def laguerre_polynomial_l(input: Any, n: float | Any) -> Any:
    """Return Laguerre's polynomial of degree ``n``; 0 where it is negative.

    Args:
        input: Real tensor of any shape.
        n: Degree of the polynomial: a tensor or number that broadcasts with ``input``.

    >>> torch.special.laguerre_polynomial_l(torch.tensor([2.0]), 2)
    tensor([-1.])
    """
    return laguerre(input, n, 0.0)


@public("special.chebyshev_polynomial_v", out=CASTING)
def chebyshev_polynomial_v(input: Any, n: float | Any) -> Any:
    """Return Chebyshev's polynomial of the third kind, of degree ``n``; 0 where it is negative.

    Args: As for `laguerre_polynomial_l`.

    >>> torch.special.chebyshev_polynomial_v(torch.tensor([2.0]), 2)
    tensor([11.])
    """
    return _from_neighbours(input, n, -1)


@public("special.chebyshev_polynomial_w", out=CASTING)
def chebyshev_polynomial_w(input: Any, n: float | Any) -> Any:
    """Return Chebyshev's polynomial of the fourth kind, of degree ``n``; 0 where it is negative.

    Args: As for `laguerre_polynomial_l`.

    >>> torch.special.chebyshev_polynomial_w(torch.tensor([2.0]), 2)
    tensor([19.])
    """
    return _from_neighbours(input, n, 1)


def _from_neighbours(input: Any, n: Any, sign: int, shifted: bool = False) -> Any:
    """Return U(n) + sign * U(n - 1), in double precision: they nearly cancel at one of the ends."""
    wide = input.double() * 2 - 1 if shifted else input.double()
    found = chebyshev_polynomial_u(wide, n) + sign * chebyshev_polynomial_u(wide, n - 1)
    return cast(found, (input * 1.0 * n).dtype)


@public("special.shifted_chebyshev_polynomial_t", out=CASTING)
def shifted_chebyshev_polynomial_t(input: Any, n: float | Any) -> Any:
    """Return Chebyshev's polynomial of the first kind at ``2 * input - 1``.

    Args: As for `laguerre_polynomial_l`.

    >>> torch.special.shifted_chebyshev_polynomial_t(torch.tensor([0.5]), 2)
    tensor([-1.])
    """
    return chebyshev_polynomial_t(input * 2 - 1, n)


@public("special.shifted_chebyshev_polynomial_u", out=CASTING)
def shifted_chebyshev_polynomial_u(input: Any, n: float | Any) -> Any:
    """Return Chebyshev's polynomial of the second kind at ``2 * input - 1``.

    Args: As for `laguerre_polynomial_l`.

    >>> torch.special.shifted_chebyshev_polynomial_u(torch.tensor([0.5]), 2)
    tensor([-1.])
    """
    return chebyshev_polynomial_u(input * 2 - 1, n)


@public("special.shifted_chebyshev_polynomial_v", out=CASTING)
def shifted_chebyshev_polynomial_v(input: Any, n: float | Any) -> Any:
    """Return Chebyshev's polynomial of the third kind at ``2 * input - 1``.

    Args: As for `laguerre_polynomial_l`.

    >>> torch.special.shifted_chebyshev_polynomial_v(torch.tensor([0.5]), 2)
    tensor([-1.])
    """
    return _from_neighbours(input, n, -1, shifted=True)


@public("special.shifted_chebyshev_polynomial_w", out=CASTING)
def shifted_chebyshev_polynomial_w(input: Any, n: float | Any) -> Any:
    """Return Chebyshev's polynomial of the fourth kind at ``2 * input - 1``.

    Args: As for `laguerre_polynomial_l`.

    >>> torch.special.shifted_chebyshev_polynomial_w(torch.tensor([0.5]), 2)
    tensor([-1.])
    """
    return _from_neighbours(input, n, 1, shifted=True)
