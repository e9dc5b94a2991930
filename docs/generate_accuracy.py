"""Write how exact elementwise functions are, here and in PyTorch, to ``docs/accuracy.md``.

``python docs/generate_accuracy.py`` compares results on a grid with those of mpmath at 40 digits,
in units in the last place of the exact result. PyTorch has to be installed.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import mpmath
import numpy as np

import pellucid

PAGE = Path(__file__).with_name("accuracy.md")
DIGITS = 40
POINTS = 150
#: between the nodes of an integral
STEP = mpmath.mpf(0.1)

INTRODUCTION = """# How exact elementwise functions are

The largest error found, in units in the last place of the result, on a grid of {points} values in
each interval, against mpmath at {digits} digits; beside it that of PyTorch {version}.
`python docs/generate_accuracy.py` measures and writes this page.

| function | values | float32 | PyTorch's | float64 | PyTorch's |
|---|---|---:|---:|---:|---:|
"""


class Function(NamedTuple):
    """An elementwise function, its definition in exact numbers, and where it is tried."""

    name: str
    function: Callable[[Any], Any]
    exact: Callable[[Any], Any]
    low: float
    high: float


def sigmoid(x: Any) -> Any:
    return 1 / (1 + mpmath.exp(-x))


def log_gamma(x: Any) -> Any:
    return mpmath.log(abs(mpmath.gamma(x)))


def normal_share(x: Any) -> Any:
    return x * mpmath.ncdf(x)


def modified_bessel_k(order: int, x: Any) -> Any:
    """Return K of order 0 or 1 by the trapezoidal rule, to 30 digits for ``x`` from 0.1 on.

    It is the integral of ``exp(-x cosh(t)) cosh(order t)`` over positive ``t`` (DLMF 10.32.9), on
    which the rule converges exponentially; ``mpmath.besselk`` takes several times as long.
    """
    nodes = itertools.takewhile(lambda cosh: x * cosh < 115, cosh_at_nodes())  # exp(-115) < 1e-49
    values = (mpmath.exp(-x * cosh) * cosh**order for cosh in nodes)
    return STEP * (mpmath.exp(-x) / 2 + sum(values))


@functools.cache
def cosh_at_nodes() -> list[Any]:
    """Return ``cosh(t)`` at the nodes of the trapezoidal rule."""
    with mpmath.workdps(DIGITS):
        return [mpmath.cosh(STEP * number) for number in range(1, 80)]


def functions(torch: Any) -> list[Function]:
    """Return the functions as a library has them."""
    F = torch.nn.functional
    return [
        Function("pow", lambda x: torch.pow(x, 2.5), lambda x: mpmath.power(x, 2.5), 0.01, 50),
        Function(
            "atan2", lambda x: torch.atan2(x, x * 0 + 0.75), lambda x: mpmath.atan2(x, 0.75), -9, 9
        ),
        Function("hypot", lambda x: torch.hypot(x, x * 0 + 3), lambda x: mpmath.hypot(x, 3), -9, 9),
        Function(
            "logaddexp",
            lambda x: torch.logaddexp(x, x * 0 + 0.25),
            lambda x: mpmath.log(mpmath.exp(x) + mpmath.exp(0.25)),
            0,
            9,
        ),
        Function(
            "xlogy", lambda x: torch.xlogy(x * 0 + 3, x), lambda x: 3 * mpmath.log(x), 0.01, 9
        ),
        Function(
            "igamma",
            lambda x: torch.igamma(x * 0 + 2.5, x),
            lambda x: mpmath.gammainc(2.5, 0, x, regularized=True),
            0.01,
            9,
        ),
        Function(
            "igammac",
            lambda x: torch.igammac(x * 0 + 2.5, x),
            lambda x: mpmath.gammainc(2.5, x, regularized=True),
            0.01,
            20,
        ),
        Function(
            "logaddexp2",
            lambda x: torch.logaddexp2(x, x * 0 + 0.25),
            lambda x: mpmath.log(mpmath.power(2, x) + mpmath.power(2, 0.25), 2),
            0,
            9,
        ),
        Function(
            "special.xlog1py",
            lambda x: torch.special.xlog1py(x * 0 + 3, x),
            lambda x: 3 * mpmath.log1p(x),
            -0.99,
            9,
        ),
        Function("square", torch.square, lambda x: x * x, -9, 9),
        Function("deg2rad", torch.deg2rad, mpmath.radians, -360, 360),
        Function("softsign", F.softsign, lambda x: x / (1 + abs(x)), -40, 40),
        Function("celu", F.celu, lambda x: x if x > 0 else mpmath.expm1(x), -9, 9),
        Function("mish", F.mish, lambda x: x * mpmath.tanh(mpmath.log1p(mpmath.exp(x))), -9, 9),
        Function("gelu", F.gelu, normal_share, -1, 9),
        Function(
            "selu",
            F.selu,
            lambda x: (
                1.0507009873554804934193349852946
                * (
                    x
                    if x > 0
                    else mpmath.mpf("1.6732632423543772848170429916717") * mpmath.expm1(x)
                )
            ),
            -9,
            9,
        ),
        Function(
            "special.log_ndtr", torch.special.log_ndtr, lambda x: mpmath.log(mpmath.ncdf(x)), -30, 1
        ),
        Function(
            "special.ndtri",
            torch.special.ndtri,
            lambda x: mpmath.sqrt(2) * mpmath.erfinv(2 * x - 1),
            0.01,
            0.99,
        ),
        Function(
            "special.bessel_j0", torch.special.bessel_j0, lambda x: mpmath.besselj(0, x), 0, 2
        ),
        Function(
            "special.bessel_j1", torch.special.bessel_j1, lambda x: mpmath.besselj(1, x), 0, 3
        ),
        Function(
            "special.bessel_y0", torch.special.bessel_y0, lambda x: mpmath.bessely(0, x), 0.1, 0.8
        ),
        Function(
            "special.bessel_y1", torch.special.bessel_y1, lambda x: mpmath.bessely(1, x), 0.1, 2
        ),
        Function("special.airy_ai", torch.special.airy_ai, mpmath.airyai, -2, 8),
        Function(
            "special.i1e",
            torch.special.i1e,
            lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x)),
            -20,
            20,
        ),
        Function("special.zeta", lambda x: torch.special.zeta(x, x * 0 + 1), mpmath.zeta, 1.1, 20),
        Function("polygamma", lambda x: torch.polygamma(1, x), lambda x: mpmath.psi(1, x), 0.1, 20),
        Function("exp", torch.exp, mpmath.exp, -80, 80),
        Function("exp2", torch.exp2, lambda x: mpmath.power(2, x), -120, 120),
        Function("expm1", torch.expm1, mpmath.expm1, -10, 40),
        Function("log", torch.log, mpmath.log, 1e-6, 3),
        Function("log2", torch.log2, lambda x: mpmath.log(x, 2), 1e-6, 3),
        Function("log10", torch.log10, mpmath.log10, 1e-6, 3),
        Function("log1p", torch.log1p, mpmath.log1p, -0.99, 9),
        Function("sqrt", torch.sqrt, mpmath.sqrt, 0, 9),
        Function("rsqrt", torch.rsqrt, lambda x: 1 / mpmath.sqrt(x), 0.01, 9),
        Function("reciprocal", torch.reciprocal, lambda x: 1 / x, 0.01, 9),
        Function("sin", torch.sin, mpmath.sin, -50, 50),
        Function("cos", torch.cos, mpmath.cos, -50, 50),
        Function("tan", torch.tan, mpmath.tan, -50, 50),
        Function("asin", torch.asin, mpmath.asin, -1, 1),
        Function("acos", torch.acos, mpmath.acos, -1, 1),
        Function("atan", torch.atan, mpmath.atan, -9, 9),
        Function("sinh", torch.sinh, mpmath.sinh, -20, 20),
        Function("cosh", torch.cosh, mpmath.cosh, -20, 20),
        Function("tanh", torch.tanh, mpmath.tanh, -9, 9),
        Function("asinh", torch.asinh, mpmath.asinh, -9, 9),
        Function("acosh", torch.acosh, mpmath.acosh, 1, 9),
        Function("atanh", torch.atanh, mpmath.atanh, -0.99, 0.99),
        Function("sinc", torch.sinc, lambda x: mpmath.sincpi(x), -0.9, 0.9),
        Function("erf", torch.erf, mpmath.erf, -5, 5),
        Function("erfc", torch.erfc, mpmath.erfc, -5, 9),
        Function("erfc", torch.erfc, mpmath.erfc, 9, 26),
        Function("erfinv", torch.erfinv, mpmath.erfinv, -0.99, 0.99),
        Function("lgamma", torch.lgamma, log_gamma, 0.1, 2.6),
        Function("lgamma", torch.lgamma, log_gamma, 2.6, 50),
        Function("digamma", torch.digamma, mpmath.digamma, 0.1, 20),
        Function("sigmoid", torch.sigmoid, sigmoid, -40, 40),
        Function("logsigmoid", F.logsigmoid, lambda x: mpmath.log(sigmoid(x)), -40, 40),
        Function("softplus", F.softplus, lambda x: mpmath.log1p(mpmath.exp(x)), -40, 19),
        Function("silu", F.silu, lambda x: x * sigmoid(x), -40, 40),
        Function("elu", F.elu, lambda x: x if x > 0 else mpmath.expm1(x), -9, 9),
        Function("logit", torch.logit, lambda x: mpmath.log(x / (1 - x)), 0.01, 0.99),
        Function("special.ndtr", torch.special.ndtr, mpmath.ncdf, -12, 8),
        Function("special.ndtr", torch.special.ndtr, mpmath.ncdf, -36, -12),
        Function(
            "special.erfcx",
            torch.special.erfcx,
            lambda x: mpmath.exp(x * x) * mpmath.erfc(x),
            0,
            20,
        ),
        Function("special.entr", torch.special.entr, lambda x: -x * mpmath.log(x), 0.01, 5),
        Function("special.i0", torch.special.i0, lambda x: mpmath.besseli(0, x), -20, 20),
        Function(
            "special.i0e",
            torch.special.i0e,
            lambda x: mpmath.besseli(0, x) * mpmath.exp(-abs(x)),
            -20,
            20,
        ),
        Function("special.i1", torch.special.i1, lambda x: mpmath.besseli(1, x), -20, 20),
        Function(
            "special.modified_bessel_k0",
            torch.special.modified_bessel_k0,
            lambda x: modified_bessel_k(0, x),
            0.1,
            20,
        ),
        Function(
            "special.modified_bessel_k1",
            torch.special.modified_bessel_k1,
            lambda x: modified_bessel_k(1, x),
            0.1,
            20,
        ),
        Function(
            "special.scaled_modified_bessel_k0",
            torch.special.scaled_modified_bessel_k0,
            lambda x: mpmath.exp(x) * modified_bessel_k(0, x),
            0.1,
            20,
        ),
        Function(
            "special.scaled_modified_bessel_k1",
            torch.special.scaled_modified_bessel_k1,
            lambda x: mpmath.exp(x) * modified_bessel_k(1, x),
            0.1,
            20,
        ),
    ]


FUNCTIONS = functions(pellucid)


def largest_error(function: Function, dtype: Any, library: Any = pellucid) -> float:
    """Return the largest error on the grid, in units in the last place."""
    # in a tensor large enough for the kernels of large tensors
    grid = library.linspace(function.low, function.high, POINTS, dtype=dtype)
    found = function.function(grid.repeat(1 + 10_000 // POINTS))[:POINTS]
    with mpmath.workdps(DIGITS):
        errors = [
            _error(result, function.exact(mpmath.mpf(value)), grid.numpy().dtype)
            for value, result in zip(grid.tolist(), found.tolist(), strict=True)
        ]
    return max(errors)


def _error(found: float, exact: Any, dtype: np.dtype[Any]) -> float:
    unit = np.spacing(dtype.type(abs(float(exact))))
    return float(abs(mpmath.mpf(found) - exact) / mpmath.mpf(float(unit)))


def page() -> str:
    """Return the page."""
    pytorch = importlib.import_module("torch")
    rows = []
    for own, other in zip(FUNCTIONS, functions(pytorch), strict=True):
        errors = [
            largest_error(each, getattr(library, dtype), library)
            for dtype in ("float32", "float64")
            for each, library in ((own, pellucid), (other, pytorch))
        ]
        cells = " | ".join(f"{each:,.2f}" for each in errors)
        rows.append(f"| `{own.name}` | {own.low:g} to {own.high:g} | {cells} |\n")
    version = pytorch.__version__.partition("+")[0]
    return INTRODUCTION.format(points=POINTS, digits=DIGITS, version=version) + "".join(rows)


if __name__ == "__main__":
    written = page()
    PAGE.write_text(written, "utf-8")
    sys.stdout.write(written)
