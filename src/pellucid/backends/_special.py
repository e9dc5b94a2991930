"""SciPy's special functions, which keep single precision and are imported on first use."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.backends._precision import as_working, floating_dtype

SPECIAL_FUNCTIONS = frozenset(
    (
        "betainc",
        "digamma",
        "entr",
        "erfcinv",
        "erfinv",
        "expit",
        "gammainc",
        "gammaincc",
        "i0",
        "i0e",
        "i1",
        "i1e",
        "j0",
        "j1",
        "k0",
        "k0e",
        "k1",
        "k1e",
        "log_ndtr",
        "logit",
        "ndtri",
        "xlog1py",
        "xlogy",
        "y0",
        "y1",
        "zeta",
    )
)


#: what SciPy computes in single precision with an error of more than one and a half units
_LOSSY = frozenset(("erfinv", "expit", "logit"))


@cache
def special(name: str) -> Callable[..., Any]:
    """Return ``scipy.special``'s function `name`, made to keep the dtype of its arrays.

    Integers are computed in single precision, and so is half precision, which is then restored.
    """
    import scipy.special

    function = getattr(scipy.special, name)

    def apply(*operands: Any) -> NDArray[Any]:
        arrays = (x for x in operands if hasattr(x, "dtype"))
        result_dtype = np.result_type(*(floating_dtype(x.dtype) for x in arrays))
        work = [as_working(x) if hasattr(x, "dtype") else x for x in operands]
        if name in _LOSSY:
            work = [x.astype(np.float64) for x in work]
        with np.errstate(all="ignore"):
            return np.asarray(function(*work)).astype(result_dtype, copy=False)

    apply.__name__ = name
    return apply


def airy_ai(x: NDArray[Any]) -> NDArray[Any]:
    """Return Airy's function of the first kind."""
    return _airy(x, 0)


def airy_ai_slope(x: NDArray[Any]) -> NDArray[Any]:
    """Return the derivative of Airy's function of the first kind."""
    return _airy(x, 1)


def _airy(x: NDArray[Any], which: int) -> NDArray[Any]:
    import scipy.special

    with np.errstate(all="ignore"):
        return np.asarray(scipy.special.airy(as_working(x))[which]).astype(x.dtype, copy=False)


def polynomial(
    family: str, degree: NDArray[Any], x: NDArray[Any], *parameters: float
) -> NDArray[Any]:
    """Evaluate an orthogonal polynomial, ``scipy.special.eval_<family>``; 0 below degree 0."""
    import scipy.special

    whole = degree.astype(np.int64)
    function = getattr(scipy.special, f"eval_{family}")
    with np.errstate(all="ignore"):
        values = function(np.maximum(whole, 0), *parameters, x.astype(np.float64, copy=False))
    values = np.where(whole == 0, 1, values)  # at infinities too
    return np.where(whole < 0, 0, values).astype(x.dtype, copy=False)
