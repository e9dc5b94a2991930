"""Special functions give what PyTorch gives: values, gradients of both orders, errors."""

# ruff: noqa: E501 - tables of programs
from __future__ import annotations

import numpy as np
import pytest

import pellucid
from tests.parity.side_by_side import Outcome, differences, evaluate, used

torch = pytest.importorskip("torch")


def arguments() -> dict[str, np.ndarray]:
    random = np.random.default_rng(23)
    return {
        "a": random.standard_normal((2, 3)), "p": random.uniform(0.3, 4, (2, 3)),
        "u": random.uniform(0.05, 0.95, (2, 3)), "f": random.uniform(0.3, 3, 4).astype(np.float32),
        "i": np.array([[1, 2, 3], [4, 5, 6]]), "n": np.array([0, 3, 7]), "yes": np.array([True, False]),
        "z": np.array([1 + 2j]), "edge": np.array([0.0, 1.0, 10.0, np.inf, np.nan]),
        "signed": np.array([-2.0, -0.5, 0.5, 30.0]), "v": random.uniform(0.5, 2, 3), "big": np.array([25.0, 60.0]),
    }  # fmt: skip


ANYWHERE = "i0 i0e i1 i1e erfcx ndtr log_ndtr expit exp2 expm1 erf erfc sinc round"
POSITIVE = "entr gammaln digamma psi log1p"
# PyTorch has no derivatives of these.
BESSEL = """
    bessel_j0 bessel_j1 spherical_bessel_j0 airy_ai bessel_y0 bessel_y1 modified_bessel_k0
    modified_bessel_k1 scaled_modified_bessel_k0 scaled_modified_bessel_k1 modified_bessel_i0
    modified_bessel_i1
"""
POLYNOMIALS = """
    chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w
    shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v
    shifted_chebyshev_polynomial_w hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l
    legendre_polynomial_p
"""
EXPRESSIONS = [
    *(f"torch.special.{name}({x})" for name in ANYWHERE.split() for x in ("a", "p", "f", "edge.detach()", "signed")),
    *(f"torch.special.{name}({x}.detach())" for name in BESSEL.split() for x in ("p", "f", "edge")),
    *(f"torch.special.{name}({x})" for name in POSITIVE.split() for x in ("p", "f", "edge.detach()")),
    *(f"torch.special.{name}({x})" for name in (ANYWHERE.removesuffix("round") + POSITIVE + BESSEL).split() for x in ("i", "yes")),
    *(f"torch.special.{name}(z)" for name in ("i0", "ndtri", "entr", "bessel_j0", "log_ndtr", "erfcx")),
    *(f"torch.special.{name}(u)" for name in ("ndtri", "erfinv", "logit")),
    *(
        f"torch.special.{name}({x.replace(',', '.detach(),')})"
        for name in POLYNOMIALS.split() for x in ("u, 0", "u, 4", "a, n", "p, -1", "f, 3", "i, 2", "u, 9")
    ),
    "torch.special.chebyshev_polynomial_t(2.0, n)", "torch.special.legendre_polynomial_p(2, n)",
    "torch.special.xlog1py(a, p)", "torch.special.xlog1py(a, 2.0)", "torch.special.xlog1py(2, p)",
    "torch.special.xlog1py(i, i)", "torch.special.xlogy(a, p)", "torch.special.zeta(p.detach() + 1, p)",
    "torch.special.zeta(2, p)", "torch.special.zeta(i + 1, i)", "torch.special.zeta(p + 1, p)",
    "torch.special.gammainc(p.detach(), u)", "torch.special.gammaincc(p.detach(), u)", "torch.special.gammainc(p, u)",
    "torch.igamma(i, i)", "torch.igamma(f.detach(), f)", "torch.igammac(p.detach(), big[:, None])", "torch.igammac(v, v)",
    "torch.special.multigammaln(p + 2, 3)", "torch.special.multigammaln(p, 0)", "torch.special.multigammaln(i + 3, 2)",
    "torch.mvlgamma(f + 3, 2)", "torch.special.polygamma(2, p)", "torch.special.polygamma(0, p)",
    "torch.special.logsumexp(a, 1)", "torch.special.softmax(a, 0)", "torch.special.log_softmax(a, 1)",
    "torch.special.round(a, decimals=1)", "a.i0()", "p.igamma(u.detach())", "torch.i0(f)",
    "a.detach().i0_()", "p.detach().igamma_(u.detach())", "(p + 2).mvlgamma(2)",
]  # fmt: skip


def both(expression: str) -> tuple[Outcome, Outcome]:
    arrays = used(expression, arguments())
    return evaluate(pellucid, expression, arrays), evaluate(torch, expression, arrays)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expression_gives_what_pytorch_gives(expression: str) -> None:
    assert differences(*both(expression), rtol=1e-6, atol=1e-8) == []
