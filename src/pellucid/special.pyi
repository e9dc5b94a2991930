"""The functions of ``torch.special``; written by ``docs/generate_stubs.py``."""

from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from collections.abc import Sequence

from pellucid.dtypes import dtype as _dtype
from pellucid.tensors.tensor import Tensor

def airy_ai(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return Airy's function of the first kind, a solution of ``y'' = x y``.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.special.airy_ai(torch.tensor([1.0]))
    tensor([0.1353])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def bessel_j0(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the Bessel function of the first kind, of order 0.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.special.bessel_j0(torch.tensor([1.0]))
    tensor([0.7652])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def bessel_j1(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the Bessel function of the first kind, of order 1.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.special.bessel_j1(torch.tensor([1.0]))
    tensor([0.4401])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def bessel_y0(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the Bessel function of the second kind, of order 0.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.special.bessel_y0(torch.tensor([1.0]))
    tensor([0.0883])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def bessel_y1(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the Bessel function of the second kind, of order 1.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.special.bessel_y1(torch.tensor([1.0]))
    tensor([-0.7812])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def chebyshev_polynomial_t(
    input: Tensor | _int | _float | _complex,
    n: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return Chebyshev's polynomial of the first kind.

    The degree ``n`` is a number or a tensor; 0 where it is negative.

    Dtypes:
        ``input`` and ``n`` are computed in their common dtype.
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape, or a number.
        n: Degree of the polynomial: a tensor or number that broadcasts with ``input``.

    >>> torch.special.chebyshev_polynomial_t(torch.tensor([2.0]), 2)
    tensor([7.])

    Defined in ``pellucid/ops/elementwise/polynomials.py``.
    """

def chebyshev_polynomial_u(
    input: Tensor | _int | _float | _complex,
    n: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return Chebyshev's polynomial of the second kind.

    The degree ``n`` is a number or a tensor; 0 where it is negative.

    Dtypes:
        ``input`` and ``n`` are computed in their common dtype.
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape, or a number.
        n: Degree of the polynomial: a tensor or number that broadcasts with ``input``.

    >>> torch.special.chebyshev_polynomial_u(torch.tensor([2.0]), 2)
    tensor([15.])

    Defined in ``pellucid/ops/elementwise/polynomials.py``.
    """

def chebyshev_polynomial_v(
    input: Tensor,
    n: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return Chebyshev's polynomial of the third kind, of degree ``n``; 0 where it is negative.

    Args:
        input: Real tensor of any shape.
        n: Degree of the polynomial: a tensor or number that broadcasts with ``input``.

    >>> torch.special.chebyshev_polynomial_v(torch.tensor([2.0]), 2)
    tensor([11.])

    Defined in ``pellucid/ops/elementwise/polynomials.py``.
    """

def chebyshev_polynomial_w(
    input: Tensor,
    n: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return Chebyshev's polynomial of the fourth kind, of degree ``n``; 0 where it is negative.

    Args:
        input: Real tensor of any shape.
        n: Degree of the polynomial: a tensor or number that broadcasts with ``input``.

    >>> torch.special.chebyshev_polynomial_w(torch.tensor([2.0]), 2)
    tensor([19.])

    Defined in ``pellucid/ops/elementwise/polynomials.py``.
    """

def digamma(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the derivative of `lgamma`.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.digamma(torch.tensor([1.0, 2.0]))
    tensor([-0.5772,  0.4228])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def entr(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return ``-x * log(x)``: 0 at 0, and minus infinity below.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.special.entr(torch.tensor([0.5]))
    tensor([0.3466])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def erf(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the error function.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.erf(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8427])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def erfc(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return ``1 - erf(input)``, exact also where that is small.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.erfc(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 0.1573])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def erfcx(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return ``exp(x * x) * erfc(x)``.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.special.erfcx(torch.tensor([1.0]))
    tensor([0.4276])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def erfinv(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the inverse of the error function, NaN beyond -1 and 1.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.erfinv(torch.tensor([0.0, 0.5]))
    tensor([0.0000, 0.4769])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def exp2(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return 2 to the power of the elements.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.exp2(torch.tensor([0.0, 3.0]))
    tensor([1., 8.])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def expit(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return ``1 / (1 + exp(-input))``.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.sigmoid(torch.tensor([0.0, 2.0]))
    tensor([0.5000, 0.8808])

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def expm1(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return ``exp(input) - 1``, exact also near 0.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.expm1(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 1.7183])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def gammainc(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the regularized lower incomplete gamma function with parameter ``input``.

    Raises NotImplementedError for integers, and on the way back where ``input`` requires grad.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Booleans, integers and complex numbers are refused.

    Args:
        input: Tensor of any shape.
        other: Tensor that broadcasts with ``input``.

    >>> torch.igamma(torch.tensor([1.0]), torch.tensor([1.0]))
    tensor([0.6321])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def gammaincc(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the regularized upper incomplete gamma function with parameter ``input``.

    Raises NotImplementedError for integers, and on the way back where ``input`` requires grad.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Booleans, integers and complex numbers are refused.

    Args:
        input: Tensor of any shape.
        other: Tensor that broadcasts with ``input``.

    >>> torch.igammac(torch.tensor([1.0]), torch.tensor([1.0]))
    tensor([0.3679])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def gammaln(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the natural logarithm of the absolute value of the gamma function.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.lgamma(torch.tensor([1.0, 5.0]))
    tensor([0.0000, 3.1781])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def hermite_polynomial_h(
    input: Tensor | _int | _float | _complex,
    n: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the physicist's Hermite polynomial.

    The degree ``n`` is a number or a tensor; 0 where it is negative.

    Dtypes:
        ``input`` and ``n`` are computed in their common dtype.
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape, or a number.
        n: Degree of the polynomial: a tensor or number that broadcasts with ``input``.

    >>> torch.special.hermite_polynomial_h(torch.tensor([2.0]), 2)
    tensor([14.])

    Defined in ``pellucid/ops/elementwise/polynomials.py``.
    """

def hermite_polynomial_he(
    input: Tensor | _int | _float | _complex,
    n: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the probabilist's Hermite polynomial.

    The degree ``n`` is a number or a tensor; 0 where it is negative.

    Dtypes:
        ``input`` and ``n`` are computed in their common dtype.
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape, or a number.
        n: Degree of the polynomial: a tensor or number that broadcasts with ``input``.

    >>> torch.special.hermite_polynomial_he(torch.tensor([2.0]), 2)
    tensor([3.])

    Defined in ``pellucid/ops/elementwise/polynomials.py``.
    """

def i0(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the modified Bessel function of the first kind, of order 0.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.special.i0(torch.tensor([1.0]))
    tensor([1.2661])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def i0e(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return ``exp(-|x|) * i0(x)``.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.special.i0e(torch.tensor([1.0]))
    tensor([0.4658])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def i1(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the modified Bessel function of the first kind, of order 1.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.special.i1(torch.tensor([1.0]))
    tensor([0.5652])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def i1e(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return ``exp(-|x|) * i1(x)``.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.special.i1e(torch.tensor([1.0]))
    tensor([0.2079])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def laguerre_polynomial_l(
    input: Tensor,
    n: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return Laguerre's polynomial of degree ``n``; 0 where it is negative.

    Args:
        input: Real tensor of any shape.
        n: Degree of the polynomial: a tensor or number that broadcasts with ``input``.

    >>> torch.special.laguerre_polynomial_l(torch.tensor([2.0]), 2)
    tensor([-1.])

    Defined in ``pellucid/ops/elementwise/polynomials.py``.
    """

def legendre_polynomial_p(
    input: Tensor | _int | _float | _complex,
    n: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return Legendre's polynomial.

    The degree ``n`` is a number or a tensor; 0 where it is negative.

    Dtypes:
        ``input`` and ``n`` are computed in their common dtype.
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape, or a number.
        n: Degree of the polynomial: a tensor or number that broadcasts with ``input``.

    >>> torch.special.legendre_polynomial_p(torch.tensor([2.0]), 2)
    tensor([5.5000])

    Defined in ``pellucid/ops/elementwise/polynomials.py``.
    """

def log1p(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return ``log(1 + input)``, exact also near 0.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.log1p(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.6931])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def log_ndtr(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the logarithm of `ndtr`, exact also where that is small.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.special.log_ndtr(torch.tensor([1.0]))
    tensor([-0.1728])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def log_softmax(input: Tensor, dim: _int | Sequence[_int], dtype: _dtype | None = None) -> Tensor:
    """Return the logarithm of `softmax`, exact where probabilities vanish.

    Args:
        input: Floating point tensor of any shape.
        dim: Dimension along which the results add up to 1.
        dtype: Dtype to compute in, floating point.

    >>> torch.log_softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([-0.6931, -0.6931])

    Defined in ``pellucid/ops/nn/softmax.py``.
    """

def logit(
    input: Tensor,
    eps: _int | _float | _complex | Tensor | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return ``log(input / (1 - input))``; with ``eps`` of the input clamped to [eps, 1 - eps].

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.
        eps: Inputs are clamped to ``[eps, 1 - eps]``; ``None`` does not clamp.

    >>> torch.logit(torch.tensor([0.25, 0.5]))
    tensor([-1.0986,  0.0000])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def logsumexp(
    input: Tensor,
    dim: _int | Sequence[_int],
    keepdim: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the logarithm of the sum of the exponentials over dimensions, without overflow.

    Args:
        input: Tensor of any shape; integers are computed in floating point.
        dim: Dimension or dimensions to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.

    Raises:
        RuntimeError: If ``dim`` names no dimension of a tensor that has some.

    >>> torch.logsumexp(torch.zeros(2), dim=0)
    tensor(0.6931)

    Defined in ``pellucid/ops/reduce/reductions.py``.
    """

def modified_bessel_i0(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the modified Bessel function of the first kind, of order 0.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.special.i0(torch.tensor([1.0]))
    tensor([1.2661])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def modified_bessel_i1(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the modified Bessel function of the first kind, of order 1.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.special.i1(torch.tensor([1.0]))
    tensor([0.5652])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def modified_bessel_k0(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the modified Bessel function of the second kind, of order 0.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.special.modified_bessel_k0(torch.tensor([1.0]))
    tensor([0.4210])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def modified_bessel_k1(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the modified Bessel function of the second kind, of order 1.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.special.modified_bessel_k1(torch.tensor([1.0]))
    tensor([0.6019])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def multigammaln(
    input: Tensor, p: _int | _float | _complex, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the logarithm of the multivariate gamma function of dimension ``p``.

    Args:
        input: Real tensor of any shape.
        p: Dimension.

    Raises:
        RuntimeError: If ``p`` is less than 1 or unreasonably large.

    >>> torch.special.multigammaln(torch.tensor([2.0]), 1)
    tensor([0.])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def ndtr(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the share of a normal distribution that lies below.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.special.ndtr(torch.tensor([1.0]))
    tensor([0.8413])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def ndtri(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Undo `ndtr`; NaN outside of [0, 1].

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.special.ndtri(torch.tensor([0.75]))
    tensor([0.6745])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def polygamma(
    n: Tensor | _int | _float | _complex,
    input: Tensor,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the ``n``-th derivative of `digamma`; for n = 0 that function itself.

    Raises ValueError for an ``n`` that is negative or does not fit int64.

    Args:
        n: Order of the derivative, not negative.
        input: Tensor of any shape.

    >>> torch.polygamma(1, torch.tensor([1.0, 2.0]))
    tensor([1.6449, 0.6449])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def psi(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the derivative of `lgamma`.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.digamma(torch.tensor([1.0, 2.0]))
    tensor([-0.5772,  0.4228])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def round(
    input: Tensor, *, decimals: _int = 0, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Round to the nearest integer, halves to the even one, or to ``decimals`` places.

    The gradient is 0. Raises RuntimeError for integers with ``decimals``.

    Dtypes:
        Booleans and complex numbers are refused.

    Args:
        input: Tensor of any shape.
        decimals: Number of digits after the decimal point; may be negative.

    >>> torch.round(torch.tensor([0.5, 1.5, 2.4]))
    tensor([0., 2., 2.])
    >>> torch.round(torch.tensor([1.234]), decimals=1)
    tensor([1.2000])

    Defined in ``pellucid/ops/elementwise/rounding.py``.
    """

def scaled_modified_bessel_k0(
    input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return ``exp(x) * modified_bessel_k0(x)``.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.special.scaled_modified_bessel_k0(torch.tensor([1.0]))
    tensor([1.1445])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def scaled_modified_bessel_k1(
    input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return ``exp(x) * modified_bessel_k1(x)``.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.special.scaled_modified_bessel_k1(torch.tensor([1.0]))
    tensor([1.6362])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def shifted_chebyshev_polynomial_t(
    input: Tensor,
    n: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return Chebyshev's polynomial of the first kind at ``2 * input - 1``.

    Args:
        input: Real tensor of any shape.
        n: Degree of the polynomial: a tensor or number that broadcasts with ``input``.

    >>> torch.special.shifted_chebyshev_polynomial_t(torch.tensor([0.5]), 2)
    tensor([-1.])

    Defined in ``pellucid/ops/elementwise/polynomials.py``.
    """

def shifted_chebyshev_polynomial_u(
    input: Tensor,
    n: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return Chebyshev's polynomial of the second kind at ``2 * input - 1``.

    Args:
        input: Real tensor of any shape.
        n: Degree of the polynomial: a tensor or number that broadcasts with ``input``.

    >>> torch.special.shifted_chebyshev_polynomial_u(torch.tensor([0.5]), 2)
    tensor([-1.])

    Defined in ``pellucid/ops/elementwise/polynomials.py``.
    """

def shifted_chebyshev_polynomial_v(
    input: Tensor,
    n: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return Chebyshev's polynomial of the third kind at ``2 * input - 1``.

    Args:
        input: Real tensor of any shape.
        n: Degree of the polynomial: a tensor or number that broadcasts with ``input``.

    >>> torch.special.shifted_chebyshev_polynomial_v(torch.tensor([0.5]), 2)
    tensor([-1.])

    Defined in ``pellucid/ops/elementwise/polynomials.py``.
    """

def shifted_chebyshev_polynomial_w(
    input: Tensor,
    n: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return Chebyshev's polynomial of the fourth kind at ``2 * input - 1``.

    Args:
        input: Real tensor of any shape.
        n: Degree of the polynomial: a tensor or number that broadcasts with ``input``.

    >>> torch.special.shifted_chebyshev_polynomial_w(torch.tensor([0.5]), 2)
    tensor([-1.])

    Defined in ``pellucid/ops/elementwise/polynomials.py``.
    """

def sinc(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return ``sin(pi * input) / (pi * input)``, and 1 at 0.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.sinc(torch.tensor([0.0, 0.5]))
    tensor([1.0000, 0.6366])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def softmax(input: Tensor, dim: _int | Sequence[_int], dtype: _dtype | None = None) -> Tensor:
    """Divide exponentials by their sum along a dimension; ``dtype`` is converted to beforehand.

    Args:
        input: Floating point tensor of any shape.
        dim: Dimension along which the results add up to 1.
        dtype: Dtype to compute in, floating point.

    >>> torch.softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])

    Defined in ``pellucid/ops/nn/softmax.py``.
    """

def spherical_bessel_j0(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the spherical Bessel function of the first kind, of order 0: ``sin(x) / x``.

    Args:
        input: Real tensor of any shape.

    >>> torch.special.spherical_bessel_j0(torch.tensor([0.0]))
    tensor([1.])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def xlog1py(
    input: Tensor | _int | _float | _complex,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return ``input * log1p(other)``, 0 where ``input`` is, unless ``other`` is NaN.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.special.xlog1py(torch.tensor([0.0, 1.0]), torch.tensor([-1.0, 0.0]))
    tensor([0., 0.])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def xlogy(
    input: Tensor | _int | _float | _complex,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return ``input * log(other)``, and 0 where ``input`` is 0.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.xlogy(torch.tensor([0.0, 2.0]), torch.tensor([0.0, 1.0]))
    tensor([0., 0.])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def zeta(
    input: Tensor | _int | _float | _complex,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return Hurwitz's zeta function: the sum of ``1 / (k + other) ** input`` over all k >= 0.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.special.zeta(torch.tensor([2.0]), torch.tensor([1.0]))
    tensor([1.6449])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """
