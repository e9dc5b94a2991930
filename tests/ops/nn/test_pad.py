"""Padding, against what NumPy pads."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch


@pytest.mark.parametrize("sizes", [(-1, 2), (2, -1), (-2, -1), (-2, 4), (0, 3)])
def test_circular_padding_repeats_what_negative_sizes_leave(sizes: tuple[int, int]) -> None:
    x = np.arange(6.0)
    kept = x[max(-sizes[0], 0) : 6 - max(-sizes[1], 0)]
    wanted = np.pad(kept, tuple(max(size, 0) for size in sizes), mode="wrap")
    found = torch.nn.functional.pad(torch.tensor(x)[None, None], sizes, mode="circular")
    assert found.tolist() == [[wanted.tolist()]]


def test_circular_padding_is_no_larger_than_what_negative_sizes_leave() -> None:
    with pytest.raises(RuntimeError, match="wrapping around more than once"):
        torch.nn.functional.pad(torch.ones(1, 1, 3), (-2, 2), mode="circular")
