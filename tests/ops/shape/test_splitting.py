"""Tensors in parts: more of them than memory holds are refused before any is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pellucid as torch

LONG = torch.ones(1).expand(2**31)


@pytest.mark.parametrize(
    "call",
    [
        lambda: LONG.unbind(), lambda: list(LONG), lambda: LONG.split(1),
        lambda: LONG.unsafe_split(1), lambda: LONG.chunk(2**30),
        lambda: LONG.tensor_split(2**31 - 1), lambda: torch.ones(3).tensor_split(2**62),
    ],
)  # fmt: skip
def test_parts_without_end_are_refused_at_once(call: Callable[[], Any]) -> None:
    with pytest.raises(RuntimeError, match="parts are more tensors than can be made at once"):
        call()


@pytest.mark.parametrize("windows", [1, 3])
def test_windows_without_end_are_refused_at_once(windows: int) -> None:
    with pytest.raises(RuntimeError, match="pooling goes through windows place by place"):
        torch.nn.functional.adaptive_max_pool1d(LONG[None], windows)


def test_a_range_without_end_among_other_values_is_refused_at_once() -> None:
    with pytest.raises((MemoryError, TypeError, ValueError)):
        torch.tensor([np.float32(1), range(2**62)])


def test_subscripts_without_end_are_refused_at_once() -> None:
    with pytest.raises(RuntimeError, match="does not match the number of its dimensions"):
        torch.einsum(torch.ones(2, 3), range(2**40))
