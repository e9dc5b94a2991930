"""The dtype of every result: all pairs of dtypes, with and without dimensions, and numbers."""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import pellucid
from tests.samples.running import builtin_class

torch = pytest.importorskip("torch")

DTYPES = """
    bool uint8 int8 int16 int32 int64 float16 float32 float64 complex64 complex128
"""
NUMBERS = [True, 2, 2.5, 1j]
BINARY = """
    add sub mul div true_divide floor_divide remainder fmod pow float_power maximum minimum fmax
    fmin atan2 hypot copysign logaddexp xlogy eq ne lt le gt ge isclose logical_and logical_or
    logical_xor bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift
    heaviside
"""
OPERATORS = "+ - * / // % ** == != < <= > >= & | ^ << >>"
UNARY = """
    abs neg positive square sgn sign exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan
    asin acos atan sinh cosh tanh asinh acosh atanh sigmoid floor ceil round trunc frac relu
    deg2rad rad2deg erf erfc erfinv lgamma digamma sinc isnan isinf isfinite isposinf isneginf
    isreal signbit logical_not bitwise_not nan_to_num reciprocal real imag conj angle sum mean
    prod amax amin max min argmax argmin all any var std nansum nanmean cumsum cumprod
    count_nonzero sort median norm
"""
IN_PLACE = """
    add_ sub_ mul_ div_ floor_divide_ remainder_ pow_ copy_ eq_ lt_ logical_and_ bitwise_and_
    atan2_ fmod_
"""
IN_PLACE_UNARY = "exp_ sqrt_ neg_ abs_ round_ sigmoid_ relu_ zero_ square_ sgn_ logical_not_"


def outcome(action: Callable[[], Any]) -> str:
    """Return the dtypes of the results, or the class of the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = action()
        except Exception as error:  # noqa: BLE001 - which one it is gets compared
            return builtin_class(error).__name__
    parts = result if isinstance(result, tuple) else (result,)
    return ", ".join(f"{each.dtype} {list(each.shape)}" for each in parts)


def operand(library: Any, dtype: str, dims: int) -> Any:
    return library.ones((2,) * dims, dtype=getattr(library, dtype))


#: functions that take tensors alone, which other tests are about
TENSORS_ONLY = "cat stack"


#: what meets in complex32, for which PyTorch has few kernels
IN_COMPLEX32 = re.compile(r"\bfloat16.*complex|complex.*\bfloat16")


def agree(name: str, ours: str, theirs: str) -> bool:
    """Return whether the outcomes are the same, or our error is caught where PyTorch's is."""
    if ours == theirs or (theirs == "NotImplementedError" and IN_COMPLEX32.search(name)):
        return True
    return (ours, theirs) == ("NotImplementedError", "RuntimeError")


def disagreements(cases: list[tuple[str, Callable[[Any], Callable[[], Any]]]]) -> list[str]:
    found = []
    for name, make in cases:
        ours, theirs = outcome(make(pellucid)), outcome(make(torch))
        if not agree(name, ours, theirs):
            found.append(f"{name}: ours {ours}, theirs {theirs}")
    return found


def pairs(name: str = "") -> list[tuple[str, Any, Any]]:
    """Return what to call each pair, and how to make its two operands."""
    made: list[tuple[str, Any, Any]] = []
    for first, second in itertools.product(DTYPES.split(), repeat=2):
        for dims in ((1, 1), (1, 0), (0, 1), (0, 0)):
            makers = [
                lambda lib, dtype=dtype, n=n: operand(lib, dtype, n)
                for dtype, n in zip((first, second), dims, strict=True)
            ]
            made.append((f"{first}[{dims[0]}d], {second}[{dims[1]}d]", *makers))
    if name in TENSORS_ONLY.split():
        return made
    for dtype, number, dims in itertools.product(DTYPES.split(), NUMBERS, (0, 1)):
        if (dtype, number) == ("float16", 1j):
            continue
        tensor = lambda lib, dtype=dtype, n=dims: operand(lib, dtype, n)  # noqa: E731
        constant = lambda lib, number=number: number  # noqa: E731
        made.append((f"{dtype}[{dims}d], {number}", tensor, constant))
    return made


#: where we are wrong about some dtypes; a test fails when it is put right
MISTAKES: dict[str, str] = {}


def marked(names: str) -> list[Any]:
    """Return the names as cases, those where we are known to be wrong as expected failures."""
    return [
        pytest.param(name, marks=pytest.mark.xfail(reason=MISTAKES[name], strict=True))
        if name in MISTAKES
        else name
        for name in names.split()
    ]


@pytest.mark.parametrize("name", marked(BINARY))
def test_functions_of_two_tensors_give_the_same_dtype(name: str) -> None:
    cases = [
        (
            text,
            lambda lib, first=first, second=second: (
                lambda: getattr(lib, name)(first(lib), second(lib))
            ),
        )
        for text, first, second in pairs(name)
    ]
    assert disagreements(cases) == []


@pytest.mark.parametrize("operator", marked(OPERATORS))
def test_operators_give_the_same_dtype(operator: str) -> None:
    code = compile(f"a {operator} b", "<operator>", "eval")
    cases = []
    for text, first, second in pairs():
        for swapped in (False, True):

            def make(lib: Any, first=first, second=second, swapped=swapped) -> Callable[[], Any]:
                a, b = first(lib), second(lib)
                names = {"a": b, "b": a} if swapped else {"a": a, "b": b}
                return lambda: eval(code, names)

            cases.append((f"{text}{' swapped' if swapped else ''}", make))
    assert disagreements(cases) == []


@pytest.mark.parametrize("name", marked(UNARY))
def test_functions_of_one_tensor_give_the_same_dtype(name: str) -> None:
    def make(lib: Any, dtype: str, dims: int) -> Callable[[], Any]:
        more = (0,) if name in ("cumsum", "cumprod") else ()
        return lambda: getattr(lib, name)(operand(lib, dtype, dims), *more)

    cases = [
        (f"{dtype}[{dims}d]", lambda lib, dtype=dtype, dims=dims: make(lib, dtype, dims))
        for dtype in DTYPES.split()
        for dims in (0, 1, 2)
    ]
    assert disagreements(cases) == []


@pytest.mark.parametrize("name", marked(IN_PLACE))
def test_in_place_functions_of_two_tensors_take_the_same_dtypes(name: str) -> None:
    cases = [
        (
            text,
            lambda lib, first=first, second=second: lambda: getattr(first(lib), name)(second(lib)),
        )
        for text, first, second in pairs(name)
    ]
    assert disagreements(cases) == []


@pytest.mark.parametrize("name", marked(IN_PLACE_UNARY))
def test_in_place_functions_of_one_tensor_take_the_same_dtypes(name: str) -> None:
    cases = [
        (dtype, lambda lib, dtype=dtype: lambda: getattr(operand(lib, dtype, 1), name)())
        for dtype in DTYPES.split()
    ]
    assert disagreements(cases) == []


@pytest.mark.parametrize("name", marked("where cat stack masked_fill clamp lerp addcmul"))
def test_functions_that_join_tensors_give_the_same_dtype(name: str) -> None:
    def call(lib: Any, a: Any, b: Any) -> Any:
        mask = lib.ones(2, dtype=lib.bool)
        return {
            "where": lambda: lib.where(mask, a, b),
            "cat": lambda: lib.cat([a, b]),
            "stack": lambda: lib.stack([a, b]),
            "masked_fill": lambda: lib.masked_fill(a, mask, b),
            "clamp": lambda: lib.clamp(a, b),
            "lerp": lambda: lib.lerp(a, b, 0.5),
            "addcmul": lambda: lib.addcmul(a, b, b),
        }[name]()

    cases = [
        (
            text,
            lambda lib, first=first, second=second: lambda: call(lib, first(lib), second(lib)),
        )
        for text, first, second in pairs(name)
    ]
    assert disagreements(cases) == []
