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
        "erf",
        "erfc",
        "erfcinv",
        "erfcx",
        "erfinv",
        "expit",
        "gammainc",
        "gammaincc",
        "gammaln",
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
        "ndtr",
        "ndtri",
        "xlog1py",
        "xlogy",
        "y0",
        "y1",
        "zeta",
    )
)


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
        work = (as_working(x) if hasattr(x, "dtype") else x for x in operands)
        with np.errstate(all="ignore"):
            return np.asarray(function(*work)).astype(result_dtype, copy=False)

    apply.__name__ = name
    return apply
