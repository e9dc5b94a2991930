"""What the body of an op may call: the interface of a set of kernels, ``be`` in op bodies.

Kernels take and return arrays; they know nothing of tensors or derivatives. They accept any layout
and leave their arguments unchanged; results are new arrays, or views where NumPy's function of
that name returns one. Shapes, dtypes and errors of the library's own kernels stand with the
reference, in `pellucid.kernels.numpy`; the others are SciPy's special functions, of which
`pellucid.kernels.numpy.special` has the names, its Fourier transforms, ``fft``, and the parts of
NumPy that are listed here, with their contracts. Another set of kernels may replace any of them
and inherits the rest.
"""

from __future__ import annotations

from typing import Final

_NAMES: Final = """
    abs absolute add angle any arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh
    argwhere array asarray ascontiguousarray bincount bitwise_and bitwise_or bitwise_xor
    broadcast_shapes broadcast_to ceil concatenate conjugate copy copysign copyto cos cosh
    count_nonzero divide empty equal exp exp2 expm1 flip floor fmax fmin frexp full gcd greater
    greater_equal histogram hypot inf int64 invert isclose isfinite isin isinf isnan isposinf
    isreal lcm ldexp left_shift less less_equal lib linalg linspace log log10 log1p log2
    logaddexp2 logical_and logical_not logical_or logical_xor matmul maximum meshgrid minimum
    moveaxis multiply nan nan_to_num ndarray ndim negative nextafter not_equal ones pi power
    put_along_axis reciprocal right_shift roll round searchsorted signbit sin sinh sqrt square
    stack subtract take take_along_axis tan tanh tile trace tril triu trunc zeros zeros_like
"""
#: the functions, constants and modules of NumPy that op bodies use
FROM_NUMPY: Final = frozenset(_NAMES.split())
