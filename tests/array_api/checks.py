"""Calls of the array API standard, computed by array-api-strict and by another namespace.

A check is an expression of ``xp`` and arrays. What array-api-strict refuses is outside of the
standard and no check. `failures` counts what differs in another namespace: value, shape, dtype, or
an error.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import array_api_strict as strict
import numpy as np

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
REAL = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
DTYPES = ("bool", *SIGNED, *UNSIGNED, *REAL, *COMPLEX)

UNARY = (
    "abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag "
    "isfinite isinf isnan log log10 log1p log2 logical_not negative positive real reciprocal "
    "round sign signbit sin sinh sqrt square tan tanh trunc"
)
BINARY = (
    "add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor "
    "copysign divide equal floor_divide greater greater_equal hypot less less_equal logaddexp "
    "logical_and logical_or logical_xor maximum minimum multiply nextafter not_equal pow "
    "remainder subtract"
)
OPERATORS = "+ - * / // % ** & | ^ << >> < <= > >= == != @"


class Check(NamedTuple):
    """An expression, and the arrays that it names: for each values and dtype."""

    expression: str
    arrays: tuple[tuple[str, Any, str], ...] = ()

    def run(self, xp: Any) -> Any:
        """Return the value in a namespace."""
        names = {
            name: xp.asarray(values, dtype=getattr(xp, dtype))
            for name, values, dtype in self.arrays
        }
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            if self.expression.startswith("do "):
                exec(self.expression[3:], {"xp": xp}, names)
                return names["x"]
            return eval(self.expression, {"xp": xp, "math": math, **names})

    def __str__(self) -> str:
        shapes = ", ".join(
            f"{name}: {dtype}{list(np.shape(values))}" for name, values, dtype in self.arrays
        )
        return f"{self.expression}  [{shapes}]"


# ---- arrays -------------------------------------------------------------------------------------


def _values(dtype: str, shape: tuple[int, ...], which: int = 0) -> Any:
    """Return numbers of a dtype, different ones for a second operand; not zero there."""
    base: list[Any]
    if dtype == "bool":
        base = [[True, False, True, False], [True, True, False, False]][which]
    elif dtype in UNSIGNED:
        base = [[3, 0, 5, 1, 7, 2], [2, 1, 3, 1, 2, 4]][which]
    elif dtype in SIGNED:
        base = [[3, -1, 5, 0, -7, 2], [2, 1, 3, 1, 2, 4]][which]
    elif dtype in REAL:
        base = [[0.5, -1.25, 2.5, 3.0, 0.0, -0.75], [2.0, 1.5, -3.0, 0.25, 1.0, 2.0]][which]
    else:
        base = [
            [0.5 + 1j, -1.25 - 0.5j, 2.5 + 0.25j, 3 - 2j, 0.25 + 0j, -0.75 + 1j],
            [2 - 1j, 1.5 + 1j, -3 + 0.5j, 0.25 + 2j, 1 - 1j, 2 + 0.5j],
        ][which]
    size = math.prod(shape)
    repeated = list(itertools.islice(itertools.cycle(base), size))
    return np.array(repeated, dtype=object).reshape(shape).tolist() if shape else repeated[0]


def _one(expression: str, dtypes: tuple[str, ...], *shapes: tuple[int, ...]) -> Iterator[Check]:
    for dtype, shape in itertools.product(dtypes, shapes or ((2, 3),)):
        yield Check(expression, (("x", _values(dtype, shape), dtype),))


def _two(expression: str, pairs: Any, *shapes: tuple[Any, Any]) -> Iterator[Check]:
    for (first, second), (left, right) in itertools.product(pairs, shapes):
        yield Check(
            expression,
            (("x", _values(first, left), first), ("y", _values(second, right, 1), second)),
        )


SAME = [(dtype, dtype) for dtype in DTYPES]
#: the pairs of dtypes for which the standard says what they give
PAIRS = [
    (first, second)
    for kinds in (("bool",), SIGNED + UNSIGNED, REAL + COMPLEX)
    for first, second in itertools.product(kinds, kinds)
    if not ("uint64" in (first, second) and {first, second} & set(SIGNED))
]
#: by number, the dtypes of arrays with which it may be combined
NUMBERS = {
    "True": ("bool",), "2": (*SIGNED, *UNSIGNED, *REAL, *COMPLEX), "1.5": REAL + COMPLEX,
    "1.5j": COMPLEX,
}  # fmt: skip
SPECIAL = [float("inf"), -float("inf"), float("nan"), -0.0, 0.0, 1.0, -1.0, 2.5, -2.5, 0.5, 3.0]
SPECIAL_COMPLEX = [complex(*parts) for parts in itertools.product(SPECIAL[:7], repeat=2)]


# ---- the chapters of the standard ---------------------------------------------------------------


def elementwise() -> Iterator[Check]:
    """Yield every function of one and of two arrays, in all pairs of dtypes."""
    for name in UNARY.split():
        yield from _one(f"xp.{name}(x)", DTYPES, (2, 3), (), (0, 3))
        for dtype in REAL:
            yield Check(f"xp.{name}(x)", (("x", SPECIAL, dtype),))
        if name != "sign":  # which keeps no sign of a part that is zero
            yield Check(f"xp.{name}(x)", (("x", SPECIAL_COMPLEX, "complex128"),))
    for name in BINARY.split():
        call = f"xp.{name}(x, y)"
        if name != "floor_divide":  # of infinite numbers NumPy gives what Python does
            for dtype in REAL:
                columns = [[each] for each in SPECIAL]
                yield Check(call, (("x", columns, dtype), ("y", SPECIAL, dtype)))
        yield from _two(call, PAIRS, ((2, 3), ()))
        yield from _two(call, SAME, ((2, 3), (2, 3)), ((2, 1), (1, 3)), ((), ()), ((0, 3), (3,)))
        for number, dtypes in NUMBERS.items():
            yield from _one(f"xp.{name}(x, {number})", dtypes)
            yield from _one(f"xp.{name}({number}, x)", _without_zero_divisors(name, dtypes))
    for limits in ("0, 2", "min=1", "max=2", "0, max=xp.asarray(2, dtype=x.dtype)"):
        yield from _one(f"xp.clip(x, {limits})", (*SIGNED, *UNSIGNED, *REAL))
    yield from _two("xp.where(xp.asarray([True, False, True]), x, y)",
                    PAIRS, ((2, 3), (2, 3)), ((2, 3), ()))  # fmt: skip
    for number, dtypes in NUMBERS.items():
        yield from _one(f"xp.where(x != 0, x, {number})", dtypes)
        yield from _one(f"xp.where(x != 0, {number}, x)", dtypes)


def _without_zero_divisors(name: str, dtypes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the dtypes of which zero may be a divisor: of integers, no result is defined."""
    divides = name in ("floor_divide", "remainder", "//", "%")
    return tuple(each for each in dtypes if not (divides and "int" in each))


def operators() -> Iterator[Check]:
    """Yield Python's operators on arrays and numbers, also in place."""
    for sign in OPERATORS.split():
        yield from _two(f"x {sign} y", SAME, ((3, 3), (3, 3)))
        yield from _two(f"x {sign} y", PAIRS, ((2, 3), (3,)))
        yield from _two(f"x {sign} y", SAME[4:5] + SAME[9:11], ((2, 3), ()), ((), (2, 3)))
        yield from _two(f"x {sign} y", (("int8", "int64"), ("float32", "float64")), ((2, 3), ()))
        for number, dtypes in NUMBERS.items():
            yield from _one(f"x {sign} {number}", dtypes)
            yield from _one(f"{number} {sign} x", _without_zero_divisors(sign, dtypes))
        if sign not in ("<", "<=", ">", ">=", "==", "!=", "@"):
            yield from _two(f"do x {sign}= y", SAME, ((2, 3), (2, 3)))
    for sign in ("-", "+", "~", "abs"):
        yield from _one(f"{sign}(x)", DTYPES)
    for kind in ("bool", "int", "float", "complex"):
        yield from _one(f"{kind}(x)", DTYPES, ())
    yield from _one("[10, 20, 30, 40][x]", ("int8", "int64", "uint8", "uint16"), ())


def reductions() -> Iterator[Check]:
    """Yield sums, means, extremes and truth along axes."""
    for name in ["sum", "prod", "mean", "std", "var", "max", "min", "all", "any", "count_nonzero"]:
        for axis in ("None", "0", "-1", "(0, 1)", "()"):
            for keepdims in ("True", "False"):
                yield from _one(f"xp.{name}(x, axis={axis}, keepdims={keepdims})", DTYPES)
        yield from _one(f"xp.{name}(x)", DTYPES, (), (3,))
    for name in ["sum", "prod", "all", "any", "count_nonzero"]:
        yield from _one(f"xp.{name}(x, axis=0)", DTYPES, (0, 3))
    for name, dtype in itertools.product(
        ("sum", "prod", "cumulative_sum", "cumulative_prod"),
        ("int32", "uint16", "float64", "complex128"),
    ):
        yield from _one(f"xp.{name}(x, axis=0, dtype=xp.{dtype})", DTYPES)
    for name in ("std", "var"):
        for correction in ("1", "0.5", "1.0"):
            yield from _one(f"xp.{name}(x, axis=1, correction={correction})", REAL)
    for name in ("cumulative_sum", "cumulative_prod"):
        for axis, initial in itertools.product(("0", "-1"), ("True", "False")):
            yield from _one(f"xp.{name}(x, axis={axis}, include_initial={initial})", DTYPES)
        yield from _one(f"xp.{name}(x)", DTYPES, (3,), (0,))
    for name, axis, keep in itertools.product(
        ("argmax", "argmin"), ("None", "0", "-1"), ("True", "False")
    ):
        yield from _one(f"xp.{name}(x, axis={axis}, keepdims={keep})", DTYPES)
    for options in ("", ", axis=0", ", n=2", ", n=0", ", axis=0, prepend=x", ", append=x[:, :1]"):
        yield from _one(f"xp.diff(x{options})", DTYPES)


def searching() -> Iterator[Check]:
    """Yield sorting, searching, selecting and sets."""
    for axis, order in itertools.product(("0", "-1"), ("True", "False")):
        yield from _one(f"xp.sort(x, axis={axis}, descending={order})", DTYPES)
        yield from _one(f"xp.argsort(x, axis={axis}, descending={order}, stable=True)", DTYPES)
    yield from _one("xp.sort(x, stable=False)", DTYPES, (3,), (0,))
    yield from _one("xp.nonzero(x)", DTYPES, (2, 3), (0,), (5,))
    for name in ("all", "counts", "inverse", "values"):
        yield from _one(f"tuple(xp.unique_{name}(x))", DTYPES, (2, 6), (), (0,))
        yield Check(f"tuple(xp.unique_{name}(x))", (("x", [1.0, math.nan, 1.0], "float64"),))
    for field in ("values", "indices", "inverse_indices", "counts"):
        yield from _one(f"xp.unique_all(x).{field}", ("int64", "float32"))
    pairs = [pair for pair in PAIRS if "bool" not in pair]
    for side in ("left", "right"):
        yield from _two(f"xp.searchsorted(xp.sort(x), y, side='{side}')", pairs, ((5,), (2, 3)))
        yield from _one(f"xp.searchsorted(xp.sort(x), 2, side='{side}')", DTYPES, (5,))
    yield from _two("xp.searchsorted(x, y, sorter=xp.argsort(x))", SAME, ((5,), (3,)))
    for axis, kind in itertools.product(("0", "1", "-1"), ("int64", "int8", "uint8")):
        indices = f"xp.asarray([1, 0], dtype=xp.{kind})"
        yield from _one(f"xp.take(x, {indices}, axis={axis})", DTYPES)
        yield from _one(f"xp.take_along_axis(x, xp.asarray([[1, 0]], dtype=xp.{kind}), axis=1)",
                        ("int64", "float32"))  # fmt: skip
    yield from _one("xp.take(x, xp.asarray([1, 0]))", DTYPES, (4,))
    yield from _two("xp.isin(x, y)", SAME, ((2, 3), (3,)))
    yield from _one("xp.isin(x, 2)", (*SIGNED, *UNSIGNED))
    for index in (
        "0", "-1", "..., 0", ":, 1", "1:, ::2", "None", "None, ..., 1:", "x != 0", "::-1",
        ":, ::-1", "xp.asarray([1, 0]), xp.asarray([0, 2])", "1, xp.asarray([0, 2])", "..., ",
        "xp.asarray(True)", "xp.asarray([1, 0], dtype=xp.uint8)", "(), ", ":0",
    ):  # fmt: skip
        yield from _one(f"x[{index}]", DTYPES)
        yield from _one(f"do x[{index}] = xp.asarray(1, dtype=x.dtype)", ("int16", "float32"))
    yield from _one("x[()]", DTYPES, (), (3,))
    yield from _one("do x[0, 1] = 1", DTYPES)


def manipulation() -> Iterator[Check]:
    """Yield changes of shapes."""
    for call in (
        "concat([x, x])", "concat((x, x), axis=-1)", "concat([x, x], axis=None)", "flip(x)",
        "expand_dims(x, 0)", "expand_dims(x, axis=-1)", "expand_dims(x, (0, -1))",
        "flip(x, axis=0)", "flip(x, axis=(0, -1))", "moveaxis(x, 0, -1)",
        "moveaxis(x, (0, 1), (1, 0))", "permute_dims(x, (1, 0))", "permute_dims(x, axes=(1, 0))",
        "repeat(x, 2)", "repeat(x, 2, axis=1)", "repeat(x, xp.asarray([1, 2]), axis=0)",
        "repeat(x, xp.asarray([1, 2], dtype=xp.int32), axis=0)",
        "reshape(x, (3, 2))", "reshape(x, (-1,))", "reshape(x, shape=(6,), copy=True)",
        "reshape(x, (6,), copy=False)", "roll(x, 1)", "roll(x, shift=(1, 2), axis=(0, 1))",
        "roll(x, -1, axis=1)", "stack([x, x])", "stack([x, x], axis=-1)", "tile(x, (2,))",
        "tile(x, (2, 1, 3))", "unstack(x)", "unstack(x, axis=1)", "broadcast_to(x, (2, 2, 3))",
        "broadcast_arrays(x, x[0])", "squeeze(x[:, None], 1)", "squeeze(x[None, :, None], (0, 2))",
        "squeeze(x[None], axis=0)", "matrix_transpose(x)", "tril(x)", "triu(x, k=1)",
        "tril(x, k=-1)",
    ):  # fmt: skip
        yield from _one(f"xp.{call}", DTYPES)
    for name in ("concat", "stack"):
        yield from _two(f"xp.{name}([x, y])", PAIRS, ((2, 3), (2, 3)))
    for attribute in ("shape", "ndim", "size", "T", "mT", "dtype"):
        yield from _one(f"x.{attribute}", ("bool", "uint32", "float32"))
    yield from _one("x.to_device(x.device)", ("int64", "float32"))
    yield from _one("x.__array_namespace__().abs(x)", ("int64", "float32"))
    yield from _one("xp.from_dlpack(x)", DTYPES)
    yield from _one("len(x)", ("int64",))


def creation() -> Iterator[Check]:
    """Yield functions that make arrays, and those of dtypes."""
    for dtype in DTYPES:
        for call in (
            "zeros((2, 3), dtype=D)", "ones(3, dtype=D)", "eye(3, 4, k=1, dtype=D)",
            "full((2,), 1, dtype=D)", "asarray([[1, 0]], dtype=D)", "asarray(1, dtype=D)",
            "arange(5, dtype=D)", "arange(1, 6, 2, dtype=D)", "arange(5, 1, dtype=D)",
            "linspace(0, 8, 5, dtype=D)", "linspace(0, 8, 4, dtype=D, endpoint=False)",
            "empty((2, 3), dtype=D).shape", "eye(2, k=-3, dtype=D)", "astype(xp.ones(2), D)",
            "full(3, 1, dtype=D)", "result_type(D, 1)", "isdtype(D, 'numeric')",
        ):  # fmt: skip
            if call.startswith("arange") and dtype in ("bool", *COMPLEX):
                continue  # the standard has ranges of real numbers
            if call.startswith("linspace") and dtype == "bool":
                continue  # and even steps of numbers
            yield Check(f"xp.{call}".replace("D)", f"xp.{dtype})").replace("D,", f"xp.{dtype},"))
        for other in (second for first, second in PAIRS if first == dtype):
            yield Check(f"xp.result_type(xp.{dtype}, xp.{other})")
            arrays = f"xp.ones(2, dtype=xp.{dtype}), xp.ones((), dtype=xp.{other})"
            yield Check(f"xp.result_type({arrays})")
            yield Check(f"xp.can_cast(xp.{dtype}, xp.{other})")
        for other in DTYPES:
            yield Check(f"xp.isdtype(xp.{dtype}, xp.{other})")
            yield from _one(f"xp.astype(x, xp.{other})", (dtype,))
            yield from _one(f"xp.asarray(x, dtype=xp.{other})", (dtype,))
        for kind in (*_KINDS, "('bool', 'integral')"):
            quoted = kind if kind.startswith("(") else repr(kind)
            yield Check(f"xp.isdtype(xp.{dtype}, {quoted})")
        for field in ("bits", "max", "min", "dtype"):
            yield Check(f"xp.iinfo(xp.{dtype}).{field}")
        for field in ("bits", "max", "min", "eps", "smallest_normal", "dtype"):
            yield Check(f"xp.finfo(xp.{dtype}).{field}")
            yield Check(f"xp.finfo(xp.ones(1, dtype=xp.{dtype})).{field}")
    for call in (
        "zeros_like(x)", "ones_like(x)", "full_like(x, 1)", "empty_like(x).shape",
        "zeros_like(x, dtype=xp.int16)", "full_like(x, fill_value=0, dtype=xp.float32)",
        "asarray(x)", "asarray(x, copy=True)", "asarray(x, copy=False)", "astype(x, x.dtype)",
        "meshgrid(x[0], x[1], indexing='ij')", "meshgrid(x[0], x[1])", "meshgrid(x[0])",
    ):  # fmt: skip
        yield from _one(f"xp.{call}", DTYPES)
    for call in (
        "zeros(())", "ones(2)", "full((2,), 3)", "full((2,), 1.5)", "full((), True)", "eye(3)",
        "full((2,), 1j)", "arange(4)", "arange(4.0)", "arange(1, 2, 0.25)", "arange(3, 0, -1)",
        "arange(0)", "arange(0.0, step=2)", "linspace(0, 1, 5)", "linspace(1, 0, 3)",
        "linspace(0, 1, 0)",
        "linspace(0, 1, 1)", "linspace(0, 1j, 3)", "linspace(0, 1, 4, endpoint=False)",
        "asarray([1, 2])", "asarray([1.0])", "asarray([True])", "asarray([1j])", "asarray(2.5)",
        "asarray([[1, 2], [3, 4]])", "asarray([[]])", "asarray([1, 2.5])", "asarray([True, 1])",
        "broadcast_shapes((2, 1), (3,))", "asarray([xp.asarray(1), xp.asarray(2)])",
    ):  # fmt: skip
        # The default dtype of floats is the namespace's own choice.
        yield Check(f"xp.{call}")
    for name in ("e", "inf", "nan", "pi", "newaxis"):
        yield Check(f"xp.{name}")
    for kind in (None, *_KINDS):
        yield Check(f"sorted(xp.__array_namespace_info__().dtypes(kind={kind!r}))")
    for call in (
        "capabilities()['boolean indexing']", "default_dtypes()['integral']",
        "capabilities()['data-dependent shapes']", "default_dtypes()['indexing']",
    ):  # fmt: skip
        yield Check(f"xp.__array_namespace_info__().{call}")


_KINDS = (
    "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating",
    "numeric",
)  # fmt: skip
_SQUARE = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 5.0]]


def linear_algebra() -> Iterator[Check]:
    """Yield products, factors, equations and norms."""
    for call, shapes in (
        ("matmul(x, y)", ((2, 3), (3, 2))), ("matmul(x, y)", ((3,), (3,))),
        ("matmul(x, y)", ((2, 2, 3), (3, 4))), ("tensordot(x, y)", ((2, 3), (2, 3))),
        ("tensordot(x, y, axes=1)", ((2, 3), (3, 2))), ("tensordot(x, y, axes=0)", ((2,), (3,))),
        ("tensordot(x, y, axes=((0,), (1,)))", ((2, 3), (4, 2))), ("vecdot(x, y)", ((2, 3), (3,))),
        ("vecdot(x, y, axis=-1)", ((2, 3), (2, 3))), ("linalg.matmul(x, y)", ((2, 3), (3, 2))),
        ("linalg.outer(x, y)", ((2,), (3,))), ("linalg.cross(x, y)", ((2, 3), (2, 3))),
        ("linalg.vecdot(x, y)", ((2, 3), (2, 3))), ("linalg.tensordot(x, y)", ((2, 3), (2, 3))),
    ):  # fmt: skip
        yield from _two(f"xp.{call}", PAIRS, shapes)
    factors = (
        "cholesky(x)", "cholesky(x, upper=True)", "det(x)", "inv(x)", "pinv(x)", "matrix_rank(x)",
        "pinv(x, rtol=0.1)", "matrix_rank(x, rtol=0.3)", "slogdet(x)", "slogdet(x).logabsdet",
        "svdvals(x)", "svd(x).S", "svd(x, full_matrices=False).S", "eigh(x).eigenvalues",
        "eigvalsh(x)", "abs(xp.linalg.qr(x).R)", "abs(xp.linalg.qr(x, mode='complete').Q)",
        "matrix_power(x, 3)", "matrix_power(x, -1)", "matrix_power(x, 0)", "solve(x, x)",
        "solve(x, x[0])", "solve(x, x[:, :2])", "solve(x[None], x)", "matrix_norm(x)",
        "matrix_norm(x, ord='nuc')", "matrix_norm(x, ord=2)", "matrix_norm(x, ord=1)",
        "matrix_norm(x, ord=-float('inf'), keepdims=True)", "eigvals(x).dtype",
        "eig(x).eigenvectors.dtype",
    )  # fmt: skip
    for call, dtype in itertools.product(factors, (*REAL, *COMPLEX)):
        expression = f"xp.linalg.{call}" if not call.startswith("abs") else f"xp.{call}"
        yield Check(expression, (("x", _SQUARE, dtype),))
        batch = [_SQUARE, _SQUARE]
        yield Check(expression.replace("x[0]", "x[0, 0]"), (("x", batch, dtype),))
    for call in (
        "diagonal(x)", "diagonal(x, offset=1)", "trace(x)", "trace(x, offset=-1)",
        "matrix_transpose(x)", "trace(x, dtype=xp.float64)",
    ):  # fmt: skip
        yield from _one(f"xp.linalg.{call}", DTYPES, (3, 3), (2, 3, 3))
    for order in ("1", "2", "0", "float('inf')", "-float('inf')", "3", "0.5"):
        for options in ("", ", axis=0", ", axis=(0, 1), keepdims=True", ", keepdims=True"):
            yield from _one(f"xp.linalg.vector_norm(x, ord={order}{options})", (*REAL, *COMPLEX))


def fourier() -> Iterator[Check]:
    """Yield Fourier transforms."""
    for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
        for options in ("", ", n=4", ", n=2, axis=0", ", norm='ortho'", ", norm='forward'"):
            yield from _one(f"xp.fft.{name}(x{options})", (*REAL, *COMPLEX), (3, 5))
    for name in ("fftn", "ifftn", "rfftn", "irfftn"):
        for options in ("", ", axes=(0, 1)", ", s=(2, 4), axes=(0, 1)", ", norm='ortho'"):
            yield from _one(f"xp.fft.{name}(x{options})", (*REAL, *COMPLEX), (3, 5))
    for name in ("fftshift", "ifftshift"):
        yield from _one(f"xp.fft.{name}(x)", (*REAL, *COMPLEX), (3, 5))
        yield from _one(f"xp.fft.{name}(x, axes=0)", REAL, (3, 5))
    for call in ("fftfreq(5)", "fftfreq(4, d=0.5)", "rfftfreq(5)", "rfftfreq(4, d=2.0)"):
        yield Check(f"xp.fft.{call}")
        yield Check(f"xp.fft.{call[:-1]}, dtype=xp.float32)")


CHAPTERS: dict[str, Callable[[], Iterator[Check]]] = {
    "elementwise": elementwise, "operators": operators, "reductions": reductions,
    "searching": searching, "manipulation": manipulation, "creation": creation,
    "linear algebra": linear_algebra, "fourier": fourier,
}  # fmt: skip


# ---- what must be refused -----------------------------------------------------------------------

REFUSED = (
    ("xp.squeeze(xp.ones((2, 1)), 0)", ValueError),
    ("xp.expand_dims(xp.ones(2), 5)", IndexError),
    ("xp.reshape(xp.ones((2, 3)).T, (6,), copy=False)", ValueError),
    ("xp.asarray(xp.ones(2), dtype=xp.int64, copy=False)", ValueError),
    ("xp.unstack(xp.ones(2), axis=3)", Exception),
    ("xp.nonzero(xp.asarray(1))", Exception),
    ("xp.broadcast_to(xp.ones(3), (2,))", Exception),
    ("xp.isdtype(xp.int64, 'no kind')", Exception),
    ("xp.ones(2).__array_namespace__(api_version='1999.12')", Exception),
    ("xp.ones(2).to_device('no device')", Exception),
    ("bool(xp.ones(2))", Exception),
    ("xp.ones(3)[xp.asarray([True, False])]", IndexError),
)


# ---- comparing ----------------------------------------------------------------------------------


@functools.cache
def expected(chapter: str) -> list[tuple[Check, Any]]:
    """Return the checks of a chapter with what array-api-strict gives."""
    found = []
    for check in dict.fromkeys(map(_Hashed, CHAPTERS[chapter]())):
        try:
            found.append((check.check, check.check.run(strict)))
        except Exception:  # noqa: BLE001 - outside of the standard
            continue
    return found


class _Hashed:
    """A check that can be looked up, by what it prints."""

    def __init__(self, check: Check) -> None:
        self.check, self.text = check, f"{check}{check.arrays}"

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Hashed) and self.text == other.text


def failures(xp: Any, chapter: str) -> list[str]:
    """Return what a namespace does otherwise than array-api-strict, in words."""
    found = []
    for check, wanted in expected(chapter):
        try:
            got = check.run(xp)
        except Exception as error:  # noqa: BLE001 - any error is a failure
            found.append(f"{check} raises {type(error).__name__}: {str(error)[:120]}")
            continue
        difference = _difference(got, wanted, "dtype=" in check.expression or bool(check.arrays))
        if difference:
            found.append(f"{check}: {difference}")
    return found


def failures_to_refuse(xp: Any) -> list[str]:
    """Return the bad calls that a namespace lets pass, or refuses with another kind of error."""
    found = []
    for expression, kind in REFUSED:
        try:
            eval(expression, {"xp": xp})
        except kind:
            continue
        except Exception as error:  # noqa: BLE001 - any error is a failure
            found.append(f"{expression} raises {type(error).__name__}")
        else:
            found.append(f"{expression} is not refused")
    return found


def failures_of_signatures(xp: Any) -> list[str]:
    """Return the functions whose parameters are not those of the standard, and those missing."""
    found = []
    for place, reference in (("", strict), ("linalg", strict.linalg), ("fft", strict.fft)):
        module = getattr(xp, place) if place else xp
        for name, wanted in vars(reference).items():
            if not (
                inspect.isfunction(wanted) and wanted.__module__.startswith("array_api_strict")
            ):
                continue
            if name.startswith(("_", "requires")) or "array_api_strict" in name:
                continue
            if not hasattr(module, name):
                if not place or name in _PUBLIC[place].split():
                    found.append(f"{place}.{name} is missing")
                continue
            if _parameters(getattr(module, name)) != _parameters(wanted):
                found.append(f"{place}.{name} has other parameters")
    return found


_PUBLIC = {
    "linalg": (
        "cholesky cross det diagonal eig eigh eigvals eigvalsh inv matmul matrix_norm "
        "matrix_power matrix_rank matrix_transpose outer pinv qr slogdet solve svd svdvals "
        "tensordot trace vecdot vector_norm"
    ),
    "fft": (
        "fft fftfreq fftn fftshift hfft ifft ifftn ifftshift ihfft irfft irfftn rfft rfftfreq rfftn"
    ),
}


def _parameters(function: Any) -> list[tuple[str, Any]] | None:
    """Return name and kind of each parameter; the names of positional ones are free."""
    try:
        signature = inspect.signature(function)
    except ValueError:
        return None
    return [
        ("" if each.kind is each.POSITIONAL_ONLY else each.name, each.kind)
        for each in signature.parameters.values()
    ]


def _difference(got: Any, wanted: Any, exact_dtype: bool) -> str:
    """Return how a result differs from the one wanted; an empty text if it does not."""
    if isinstance(wanted, tuple | list) and not isinstance(wanted, str):
        if not isinstance(got, tuple | list) or len(got) != len(wanted):
            return f"got {got!r:.60} for {wanted!r:.60}"
        parts = (_difference(*pair, exact_dtype) for pair in zip(got, wanted, strict=True))
        return next(filter(None, parts), "")
    if hasattr(wanted, "__array_namespace__"):
        return _difference_of_arrays(got, wanted, exact_dtype)
    if isinstance(wanted, float) and math.isnan(wanted):
        return "" if got != got else f"got {got!r} for nan"
    if hasattr(wanted, "_np_dtype"):
        return "" if _name(got) == _name(wanted) else f"got {_name(got)} for {_name(wanted)}"
    if isinstance(wanted, float) and isinstance(got, float):
        return "" if math.isclose(got, wanted, rel_tol=1e-6) else f"got {got!r} for {wanted!r}"
    return "" if (type(got) is type(wanted) and got == wanted) or got == wanted else f"got {got!r}"


def _name(dtype: Any) -> str:
    return str(dtype).rpartition(".")[2]


def _difference_of_arrays(got: Any, wanted: Any, exact_dtype: bool) -> str:
    reference = np.asarray(wanted._array)
    if not hasattr(got, "__dlpack__"):
        return f"got {type(got).__name__} for an array"
    if tuple(got.shape) != reference.shape:
        return f"shape {tuple(got.shape)} for {reference.shape}"
    name, known = _name(got.dtype), str(reference.dtype)
    default = known in ("float64", "complex128")
    if name != known and (exact_dtype or not default):
        return f"dtype {name} for {known}"
    single = {name, known} & {"float32", "complex64"}
    values = np.asarray(got.tolist() if not hasattr(got, "numpy") else got.resolve_conj().numpy())
    if reference.dtype.kind in "biu":
        return "" if np.array_equal(values, reference) else f"{values!r:.60} for {reference!r:.60}"
    close = np.allclose(values, reference, 1e-4 if single else 1e-8, 1e-5, equal_nan=True)
    return "" if close and _signs(values) == _signs(reference) else (
        f"{values!r:.70} for {reference!r:.70}"
    )  # fmt: skip


def _signs(values: Any) -> list[bool]:
    """Return the signs of the zeros among real numbers."""
    return [] if values.dtype.kind == "c" else np.signbit(values[values == 0]).tolist()
