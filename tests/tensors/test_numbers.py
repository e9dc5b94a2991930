"""Python's numbers in tensors: what a dtype holds, and what it refuses."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from tests.samples.grouped import together

FIRST = torch.tensor([0])
MASK = torch.tensor([True, False])

#: writes a number into the first element of a copy, or multiplies one in
WRITES: list[Callable[[Any, Any], Any]] = [
    lambda x, n: x.index_fill(0, FIRST, n),
    lambda x, n: x.clone().index_fill_(0, FIRST, n),
    lambda x, n: x.scatter(0, FIRST, n),
    lambda x, n: x.clone().scatter_(0, FIRST, n),
    lambda x, n: x.masked_fill(MASK, n),
    lambda x, n: torch.where(MASK, n, x),
    lambda x, n: x.clone().fill_(n),
    lambda x, n: x.new_full((2,), n),
    lambda x, n: torch.full_like(x, n),
    lambda x, n: torch.tensor([n, 0], dtype=x.dtype),
    lambda x, n: torch.linspace(n, 0, 2, dtype=x.dtype),
    lambda x, n: torch.threshold(x, 100, n),
]
SCALES: list[Callable[[Any, Any], Any]] = [
    lambda x, n: torch.add(torch.zeros_like(x), x, alpha=n),
    lambda x, n: torch.zeros_like(x).add_(x, alpha=n),
    lambda x, n: torch.zeros_like(x).index_add(0, FIRST, x[:1], alpha=n),
    lambda x, n: torch.addcmul(torch.zeros_like(x), x, torch.ones_like(x), value=n),
    lambda x, n: torch.addmm(torch.zeros_like(x[None]), x[:1, None], x[None] * 0 + 1, alpha=n)[0],
    lambda x, n: torch.addr(torch.zeros_like(x[None]), x[:1], torch.ones_like(x), alpha=n)[0],
]
BOUNDS: list[Callable[[Any, Any], Any]] = [
    lambda x, n: x.clamp(n),
    lambda x, n: x.clamp(max=n),
    lambda x, n: x.clone().clamp_(0, n),
    lambda x, n: torch.clamp(x, n, out=torch.empty_like(x)),
    lambda x, n: x.clamp_min(n),
    lambda x, n: torch.clamp_max(x, n),
]


@together()
@pytest.mark.parametrize("write", [*WRITES, *SCALES])
def test_a_negative_number_counts_from_the_end_of_unsigned_integers(write: Any) -> None:
    x = torch.tensor([1, 1], dtype=torch.uint8)
    assert write(x, -2)[0].item() == 254
    assert write(x, -255)[0].item() == 1


@together()
@pytest.mark.parametrize("call", [*WRITES, *SCALES, *BOUNDS])
def test_what_integers_do_not_hold_is_refused(call: Any) -> None:
    beyond = {
        torch.uint8: (300, -256), torch.int8: (128, -129), torch.int16: (40_000,),
        torch.int32: (2**31 + 1,), torch.int64: (-(2**63) - 1,),
    }  # fmt: skip
    for dtype, number in [(kind, number) for kind in beyond for number in beyond[kind]]:
        x = torch.tensor([1, 2], dtype=dtype)
        with pytest.raises((RuntimeError, ValueError), match=r"without overflow|does not fit"):
            call(x, number)
        assert x.tolist() == [1, 2]


@together()
@pytest.mark.parametrize("write", WRITES[:5] + WRITES[6:9])
def test_integers_do_not_hold_nan(write: Any) -> None:
    for dtype in (torch.uint8, torch.int64):
        with pytest.raises(RuntimeError, match="without overflow"):
            write(torch.tensor([1, 2], dtype=dtype), math.nan)


def test_the_distance_between_samples_may_be_negative_or_a_fraction() -> None:
    y = torch.tensor([1, 2], dtype=torch.uint8)
    assert torch.trapezoid(y, dx=-1).item() == -1.5
    assert torch.cumulative_trapezoid(y, dx=300).tolist() == [450.0]


def test_integers_beyond_int64_are_read_where_the_dtype_holds_them() -> None:
    assert torch.tensor(2**64, dtype=torch.float64).item() == 2.0**64
    assert torch.tensor([2**64, 1.5]).tolist() == [2.0**64, 1.5]
    assert torch.tensor(2**64, dtype=torch.complex64).item() == 2.0**64
    assert torch.tensor([2**64 - 1, 1], dtype=torch.uint64).tolist() == [2**64 - 1, 1]
    assert torch.tensor([-(2**63) - 1, 0], dtype=torch.bool).tolist() == [True, False]
    for number, dtype in ((2**63, None), (2**63, torch.int64), (2**64, torch.uint64),
                          (-1, torch.uint64), (10**400, torch.float64)):  # fmt: skip
        with pytest.raises((RuntimeError, ValueError)):
            torch.tensor([number, 0], dtype=dtype)
    with pytest.raises(ValueError, match="does not fit int64"):
        torch.tensor([2**63, -1])


def test_integers_are_not_rounded_on_their_way_through_doubles() -> None:
    assert torch.tensor([2**53 + 1, 1.5], dtype=torch.int64).tolist() == [2**53 + 1, 1]
    assert torch.tensor([[2**62 + 1], [0.0]], dtype=torch.int64).tolist() == [[2**62 + 1], [0]]


def test_every_array_and_number_in_a_list_counts_for_the_dtype() -> None:
    assert torch.tensor([[1, 2], [3, np.array(5.0)]]).dtype == torch.float64
    assert torch.tensor([1.5, np.float32(2)]).dtype == torch.float32
    assert torch.tensor([1, np.float64(2)]).dtype == torch.float64
    assert torch.tensor([np.int8(1), 2.5]).dtype == torch.float32
    assert torch.tensor([[1, 2], np.ones(2, np.float32)]).dtype == torch.float32
    assert torch.tensor([True, np.int16(2)]).dtype == torch.int16


def test_a_range_without_end_takes_no_time() -> None:
    for read in (torch.tensor, lambda numbers: torch.ones(3)[numbers]):
        with pytest.raises(MemoryError):
            read(range(2**62))
