"""Sizes, degrees and nestings beyond all bounds end at once, with an error that PyTorch raises."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

import pellucid as torch
from pellucid.define import op
from pellucid.errors import AllocationError, PellucidError

F = torch.nn.functional


# ---- references -----------------------------------------------------------------------------

FAILING: dict[str, Callable[[Any], Any]] = {
    "mm": lambda x: torch.mm(x, x),
    "matmul": lambda x: x @ x,
    "linear": lambda x: F.linear(x, torch.ones(2, 2)),
    "bmm": lambda x: torch.bmm(x, x),
    "add": lambda x: x + torch.ones(5),
    "einsum": lambda x: torch.einsum("ij,jk", x, x),
    "conv2d": lambda x: F.conv2d(x, x),
    "index": lambda x: x[5],
    "an argument of the wrong type": lambda x: torch.cat(x, "x"),  # pyright: ignore
    "out": lambda x: torch.mm(x, x, out=x),
    "in place": lambda x: x.add_(torch.ones(5)),
}


@pytest.mark.parametrize("name", FAILING)
def test_an_error_does_not_keep_the_operands_alive(name: str) -> None:
    x = torch.ones(2, 3)
    watched = weakref.ref(x)
    gc.collect()
    gc.disable()
    try:
        with pytest.raises(PellucidError):
            FAILING[name](x)
        del x
        assert watched() is None
    finally:
        gc.enable()


# ---- nesting --------------------------------------------------------------------------------


def nested(depth: int, values: list[Any]) -> list[Any]:
    for _ in range(depth):
        values = [values]
    return values


def test_a_list_that_contains_itself_has_too_many_dimensions() -> None:
    endless: list[Any] = []
    endless.append(endless)
    for function in (torch.tensor, torch.as_tensor, torch.asarray, torch.ones(1).new_tensor):
        with pytest.raises(ValueError, match="too many dimensions 'list'"):
            function(endless)


def test_values_may_be_nested_as_deep_as_numpy_has_dimensions() -> None:
    assert torch.tensor(nested(63, [1.0])).ndim == 64
    with pytest.raises(ValueError, match="too many dimensions 'float'"):
        torch.tensor(nested(64, [1.0]))


def test_an_error_tells_of_deep_and_endless_lists_in_short() -> None:
    endless: list[Any] = [torch.ones(1)]
    endless.append(endless)
    for value in (nested(10_000, []), endless):
        with pytest.raises(TypeError) as caught:
            torch.add(torch.ones(3), value)  # pyright: ignore
        assert len(str(caught.value)) < 500


# ---- memory and integers --------------------------------------------------------------------

TOO_LARGE: dict[str, Callable[[], Any]] = {
    "empty": lambda: torch.empty(10**15),
    "randn": lambda: torch.randn(10**15),
    "arange": lambda: torch.arange(10**15),
    "new_zeros": lambda: torch.ones(1).new_zeros(10**15),
    "repeat": lambda: torch.ones(3).repeat(10**15),
    "pad": lambda: F.pad(torch.ones(3), (10**15, 0)),
    "PReLU": lambda: torch.nn.PReLU(10**15),
    "Linear": lambda: torch.nn.Linear(10**8, 10**8),
    "resize_": lambda: torch.ones(3).resize_(10**15),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_memory_that_is_not_there_is_told_by_an_error_of_both_kinds(name: str) -> None:
    with pytest.raises(AllocationError, match="DefaultCPUAllocator: can't allocate") as caught:
        TOO_LARGE[name]()
    assert isinstance(caught.value, MemoryError)
    assert isinstance(caught.value, RuntimeError)


@pytest.mark.parametrize("of", ["<function erf at 0x7f00>", "<ufunc 'clip'>"])
def test_memory_that_python_forgets_to_miss_is_told_all_the_same(of: str) -> None:
    # What CPython 3.11 says where there is no memory for the frame of a function.
    message = f"{of} returned NULL without setting an exception"

    def failing(be: Any, input: Any, /) -> Any:
        raise SystemError(message)

    called = op(failing)
    with pytest.raises(AllocationError, match="can't allocate memory"):
        called(torch.ones(2))
    message = "error return without exception set"
    with pytest.raises(SystemError, match=r"^error return without exception set"):
        called(torch.ones(2))


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.empty(2**63), lambda: torch.nn.Linear(2**63, 2),
        lambda: torch.ones(3).expand(2**63, 3), lambda: F.pad(torch.ones(3), (2**63, 0)),
    ],
)  # fmt: skip
def test_a_size_that_does_not_fit_int64_is_told(make: Callable[[], Any]) -> None:
    with pytest.raises(TypeError, match="Overflow when unpacking long long"):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.ones(3).sum(2**63), lambda: torch.ones(3).topk(2**63),
        lambda: torch.polygamma(2**70, torch.ones(3)), lambda: torch.ones(3).roll(2**63),
    ],
)  # fmt: skip
def test_an_integer_that_does_not_fit_int64_is_told(make: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match="Overflow when unpacking long long"):
        make()


def test_sizes_that_overflow_together_are_told() -> None:
    with pytest.raises(RuntimeError, match=r"Storage size calculation overflowed with sizes=\["):
        torch.zeros(2**40, 2**40)


# ---- degrees --------------------------------------------------------------------------------

POINTS = [-2.0, -1.0, -0.5, -0.25, 0.0, 0.3, 0.9, 1.0, 1.0001, 1.5]


@pytest.mark.parametrize("kind", ["t", "u"])
def test_chebyshev_polynomials_of_large_degree_follow_their_recurrence(kind: str) -> None:
    x = torch.tensor(POINTS, dtype=torch.float64)
    found = getattr(torch.special, f"chebyshev_polynomial_{kind}")(x, 20_001).numpy()
    function = getattr(scipy.special, f"eval_cheby{kind}")
    with np.errstate(all="ignore"):
        expected = function(20_001, x.numpy())
    finite = np.isfinite(expected)
    assert finite.sum() == 8
    np.testing.assert_allclose(found[finite], expected[finite], rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("kind", ["t", "u", "v", "w"])
def test_chebyshev_polynomials_of_enormous_degree_return(kind: str) -> None:
    x = torch.tensor([-1.0, 0.5, 1.0], dtype=torch.float64)
    found = getattr(torch.special, f"chebyshev_polynomial_{kind}")(x, 1e10)
    assert torch.isfinite(found).all()


def test_polynomials_without_another_formula_are_refused_beyond_a_degree() -> None:
    with pytest.raises(RuntimeError, match="the time grows with the degree"):
        torch.special.legendre_polynomial_p(torch.ones(3), 1e10)


def test_polygamma_of_a_large_order_is_infinite() -> None:
    x = torch.tensor([0.5, 0.25], dtype=torch.float64)
    assert torch.polygamma(10**12, x).tolist() == [-np.inf, -np.inf]
    expected = scipy.special.polygamma(100, x.numpy())
    np.testing.assert_allclose(torch.polygamma(100, x).numpy(), expected, rtol=1e-12)


# ---- what random calls have found -----------------------------------------------------------

FOUND: dict[str, Callable[[], Any]] = {
    "a copy of a view of text": lambda: torch.unbind_copy("x"),  # pyright: ignore
    "a dtype to concatenate": lambda: torch.concatenate(torch.float64),  # pyright: ignore
    "a number beyond int64": lambda: torch.add(torch.tensor([1]), 2**70),
    "columns of five dimensions": lambda: torch.nn.Fold(4, 2)(torch.ones(1, 1, 1, 1, 1)),
    "more sections than can be": lambda: torch.tensor_split(torch.ones(3), 2**62),
    "channels of a number": lambda: torch.nn.LazyBatchNorm2d()(torch.tensor(1.0)),
    "sizes that are a number": lambda: torch.broadcast_shapes(2.5),  # pyright: ignore
    "a function of text": lambda: torch.clip("x"),  # pyright: ignore
    "a permutation of too many": lambda: torch.randperm(2**62),
    "gamma of too many dimensions": lambda: torch.special.multigammaln(torch.ones(2), 2**31),
    "the stride of a number": lambda: torch.tensor(1.0).stride(0),
}


@pytest.mark.parametrize("name", FOUND)
def test_an_error_of_ours_is_raised_for(name: str) -> None:
    with pytest.raises(PellucidError):
        FOUND[name]()


def test_what_is_called_may_be_enormous_where_the_result_is_not() -> None:
    assert torch.diff(torch.arange(3.0), n=2**40).tolist() == []
    pooled = F.max_pool1d(torch.arange(4.0).reshape(1, 4), 2**28, stride=1, padding=2**27)
    assert pooled.tolist() == [[3.0] * 5]
    assert torch.special.hermite_polynomial_h(torch.ones(2), 2**62).isnan().all()


def test_an_error_of_the_user_is_not_taken_for_ours() -> None:
    def fail(*_: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as caught:
        torch.func.vmap(fail)(torch.ones(2))
    assert not isinstance(caught.value, PellucidError)
