"""The Python array API standard, version 2025.12: its names and rules over PyTorch's functions.

Programs that take arrays of any library ask an array for this namespace::

    xp = x.__array_namespace__()
    xp.sum(x, axis=0)

What is computed is recorded and differentiated as ever. See Note [Where the standard differs].
"""

from __future__ import annotations

from math import e, inf, nan, pi

# Note [Where the standard differs]
# The standard has NumPy's names, PyTorch has its own, and three rules are different:
# - A 0-d array takes part in type promotion like any other. In PyTorch it gives way to a tensor
#   with dimensions. `data_types.promoted` brings the operands to one dtype before the call, so
#   that PyTorch's rule never applies.
# - Unsigned integers of 16, 32 and 64 bits are numbers like all others, where PyTorch refuses to
#   combine them. Sums of unsigned integers are unsigned.
# - ``axis=()`` means no dimension; PyTorch's ``dim=()`` means all.
# ruff: noqa: F401 - what is imported is public
from pellucid.array_api import fft, linalg
from pellucid.array_api.creation import (
    arange,
    asarray,
    empty,
    empty_like,
    eye,
    from_dlpack,
    full,
    full_like,
    linspace,
    meshgrid,
    ones,
    ones_like,
    tril,
    triu,
    zeros,
    zeros_like,
)
from pellucid.array_api.data_types import (
    astype,
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    can_cast,
    finfo,
    iinfo,
    isdtype,
    result_type,
)
from pellucid.array_api.elementwise import (
    abs,
    acos,
    acosh,
    add,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    ceil,
    clip,
    conj,
    copysign,
    cos,
    cosh,
    divide,
    equal,
    exp,
    expm1,
    floor,
    floor_divide,
    greater,
    greater_equal,
    hypot,
    imag,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    multiply,
    negative,
    nextafter,
    not_equal,
    positive,
    pow,
    real,
    reciprocal,
    remainder,
    round,
    sign,
    signbit,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    trunc,
    where,
)
from pellucid.array_api.info import VERSION, NamespaceInfo
from pellucid.array_api.linalg import matmul, matrix_transpose, tensordot, vecdot
from pellucid.array_api.manipulation import (
    concat,
    expand_dims,
    flip,
    moveaxis,
    permute_dims,
    repeat,
    reshape,
    roll,
    squeeze,
    stack,
    tile,
    unstack,
)
from pellucid.array_api.reductions import (
    all,
    any,
    argmax,
    argmin,
    count_nonzero,
    cumulative_prod,
    cumulative_sum,
    diff,
    max,
    mean,
    min,
    prod,
    std,
    sum,
    var,
)
from pellucid.array_api.searching import (
    argsort,
    isin,
    nonzero,
    searchsorted,
    sort,
    take,
    take_along_axis,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
)
from pellucid.docstrings import completed as _completed
from pellucid.dtypes import bool_ as bool
from pellucid.dtypes import (
    complex64,
    complex128,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

for _each in (*globals().copy().values(), *vars(fft).values(), *vars(linalg).values()):
    _completed(_each)

newaxis = None
__array_api_version__ = VERSION
__array_namespace_info__ = NamespaceInfo
