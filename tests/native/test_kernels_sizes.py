"""Sizes that a call names may be any number: the errors are PyTorch's, and a size costs nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

import pellucid as torch
from pellucid.nn import functional as F

HUGE = 2**62

REFUSED: dict[str, Callable[[], Any]] = {
    "dilation of conv1d": lambda: F.conv1d(ones(1, 1, 4), ones(1, 1, 2), dilation=HUGE),
    "dilation of conv2d": lambda: F.conv2d(ones(1, 1, 4, 4), ones(1, 1, 2, 2), dilation=(HUGE, 1)),
    "padding of conv1d": lambda: F.conv1d(ones(1, 1, 4), ones(1, 1, 2), padding=HUGE),
    "padding of conv3d": lambda: F.conv3d(
        ones(1, 1, 4, 4, 4), ones(1, 1, 2, 2, 2), padding=(1, HUGE, 1)
    ),
    "stride of conv_transpose1d": lambda: F.conv_transpose1d(
        ones(1, 1, 4), ones(1, 1, 2), stride=2**45
    ),
    "dilation of conv_transpose2d": lambda: F.conv_transpose2d(
        ones(1, 1, 4, 4), ones(1, 1, 2, 2), dilation=(1, HUGE)
    ),
    "kernel of max_pool1d": lambda: F.max_pool1d(ones(1, 1, 4), HUGE),
    "dilation of max_pool2d": lambda: F.max_pool2d(ones(1, 1, 4, 4), 2, dilation=HUGE),
    "kernel of avg_pool2d": lambda: F.avg_pool2d(ones(1, 1, 4, 4), (2, HUGE)),
    "dilation of unfold": lambda: F.unfold(ones(1, 1, 4, 4), 2, dilation=HUGE),
    "sizes of fold": lambda: F.fold(ones(1, 4, 9), (HUGE, 4), 2),
    "sizes of pixel_shuffle": lambda: F.pixel_shuffle(ones(1, 4, 2, 2), 2**31),
    "minlength of bincount": lambda: torch.bincount(torch.tensor([1]), minlength=HUGE),
    "sizes of adaptive_avg_pool2d": lambda: F.adaptive_avg_pool2d(ones(1, 1, 4, 4), HUGE),
}


def ones(*sizes: int) -> torch.Tensor:
    return torch.ones(*sizes)


@pytest.mark.parametrize("what", REFUSED)
def test_a_size_that_nothing_has_is_an_error(what: str):
    with pytest.raises((RuntimeError, ValueError, MemoryError, OverflowError)):
        REFUSED[what]()
    assert ones(2).sum() == 2


@pytest.mark.parametrize("stride", [4, 1000, 10**7, 2**31, HUGE])
def test_a_stride_beyond_the_input_leaves_one_window_at_no_cost(stride: int):
    x, w = torch.arange(8.0).reshape(1, 1, 8).requires_grad_(), ones(1, 1, 2).requires_grad_()
    start = time.process_time()
    out = F.conv1d(x, w, stride=stride)
    out.sum().backward()
    assert time.process_time() - start < 0.1
    assert out.tolist() == ([[[1.0, 9.0]]] if stride == 4 else [[[1.0]]])
    assert x.grad is not None
    assert x.grad.sum() == (4 if stride == 4 else 2)
    assert (
        F.max_pool1d(x, 2, stride=stride).tolist()
        == F.conv1d(x[..., 1:], ones(1, 1, 1), stride=stride)[..., : out.shape[-1]].tolist()
    )
