"""Where functions of ``torch.special`` are defined; by ``docs/generate_stubs.py``.

Nobody imports it. pyright's server goes this way from a name to its definition; jedi, which
would show the definition's docstring in place of the stub's, takes the condition as it is.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pellucid.ops.elementwise.exponential import digamma as digamma
    from pellucid.ops.elementwise.exponential import digamma as psi
    from pellucid.ops.elementwise.exponential import erf as erf
    from pellucid.ops.elementwise.exponential import erfc as erfc
    from pellucid.ops.elementwise.exponential import erfinv as erfinv
    from pellucid.ops.elementwise.exponential import exp2 as exp2
    from pellucid.ops.elementwise.exponential import expm1 as expm1
    from pellucid.ops.elementwise.exponential import lgamma as gammaln
    from pellucid.ops.elementwise.exponential import log1p as log1p
    from pellucid.ops.elementwise.exponential import logit as logit
    from pellucid.ops.elementwise.exponential import polygamma as polygamma
    from pellucid.ops.elementwise.exponential import xlogy as xlogy
    from pellucid.ops.elementwise.polynomials import (
        chebyshev_polynomial_t as chebyshev_polynomial_t,
    )
    from pellucid.ops.elementwise.polynomials import (
        chebyshev_polynomial_u as chebyshev_polynomial_u,
    )
    from pellucid.ops.elementwise.polynomials import (
        chebyshev_polynomial_v as chebyshev_polynomial_v,
    )
    from pellucid.ops.elementwise.polynomials import (
        chebyshev_polynomial_w as chebyshev_polynomial_w,
    )
    from pellucid.ops.elementwise.polynomials import hermite_polynomial_h as hermite_polynomial_h
    from pellucid.ops.elementwise.polynomials import hermite_polynomial_he as hermite_polynomial_he
    from pellucid.ops.elementwise.polynomials import laguerre_polynomial_l as laguerre_polynomial_l
    from pellucid.ops.elementwise.polynomials import legendre_polynomial_p as legendre_polynomial_p
    from pellucid.ops.elementwise.polynomials import (
        shifted_chebyshev_polynomial_t as shifted_chebyshev_polynomial_t,
    )
    from pellucid.ops.elementwise.polynomials import (
        shifted_chebyshev_polynomial_u as shifted_chebyshev_polynomial_u,
    )
    from pellucid.ops.elementwise.polynomials import (
        shifted_chebyshev_polynomial_v as shifted_chebyshev_polynomial_v,
    )
    from pellucid.ops.elementwise.polynomials import (
        shifted_chebyshev_polynomial_w as shifted_chebyshev_polynomial_w,
    )
    from pellucid.ops.elementwise.rounding import round as round
    from pellucid.ops.elementwise.special_functions import airy_ai as airy_ai
    from pellucid.ops.elementwise.special_functions import bessel_j0 as bessel_j0
    from pellucid.ops.elementwise.special_functions import bessel_j1 as bessel_j1
    from pellucid.ops.elementwise.special_functions import bessel_y0 as bessel_y0
    from pellucid.ops.elementwise.special_functions import bessel_y1 as bessel_y1
    from pellucid.ops.elementwise.special_functions import entr as entr
    from pellucid.ops.elementwise.special_functions import erfcx as erfcx
    from pellucid.ops.elementwise.special_functions import i0 as i0
    from pellucid.ops.elementwise.special_functions import i0 as modified_bessel_i0
    from pellucid.ops.elementwise.special_functions import i0e as i0e
    from pellucid.ops.elementwise.special_functions import i1 as i1
    from pellucid.ops.elementwise.special_functions import i1 as modified_bessel_i1
    from pellucid.ops.elementwise.special_functions import i1e as i1e
    from pellucid.ops.elementwise.special_functions import igamma as gammainc
    from pellucid.ops.elementwise.special_functions import igammac as gammaincc
    from pellucid.ops.elementwise.special_functions import log_ndtr as log_ndtr
    from pellucid.ops.elementwise.special_functions import modified_bessel_k0 as modified_bessel_k0
    from pellucid.ops.elementwise.special_functions import modified_bessel_k1 as modified_bessel_k1
    from pellucid.ops.elementwise.special_functions import multigammaln as multigammaln
    from pellucid.ops.elementwise.special_functions import ndtr as ndtr
    from pellucid.ops.elementwise.special_functions import ndtri as ndtri
    from pellucid.ops.elementwise.special_functions import (
        scaled_modified_bessel_k0 as scaled_modified_bessel_k0,
    )
    from pellucid.ops.elementwise.special_functions import (
        scaled_modified_bessel_k1 as scaled_modified_bessel_k1,
    )
    from pellucid.ops.elementwise.special_functions import (
        spherical_bessel_j0 as spherical_bessel_j0,
    )
    from pellucid.ops.elementwise.special_functions import xlog1py as xlog1py
    from pellucid.ops.elementwise.special_functions import zeta as zeta
    from pellucid.ops.elementwise.trigonometric import sinc as sinc
    from pellucid.ops.nn.activation import sigmoid as expit
    from pellucid.ops.nn.softmax import log_softmax as log_softmax
    from pellucid.ops.nn.softmax import softmax as softmax
    from pellucid.ops.reduce.reductions import logsumexp as logsumexp
