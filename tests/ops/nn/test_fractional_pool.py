"""Fractional max pooling, against the definition window by window."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch
from pellucid.autograd import gradcheck

F = torch.nn.functional


def starts(sample: float, size: int, windows: int, kernel: int) -> list[int]:
    """Return where windows start: at steps that are rounded from a random first one."""
    if windows == 1:
        return [size - kernel]
    step = (size - kernel) / (windows - 1)
    first = [int((i + sample) * step) - int(sample * step) for i in range(windows - 1)]
    return [*first, size - kernel]


def test_every_window_gives_its_largest_element() -> None:
    random = np.random.default_rng(0)
    x = random.standard_normal((2, 3, 9, 8))
    samples = random.random((2, 3, 2))
    out, places = F.fractional_max_pool2d(
        torch.tensor(x), (2, 3), (4, 3), return_indices=True, _random_samples=torch.tensor(samples)
    )
    for image, channel in np.ndindex(2, 3):
        width, height = samples[image, channel]
        plane = x[image, channel]
        for row, top in enumerate(starts(height, 9, 4, 2)):
            for column, left in enumerate(starts(width, 8, 3, 3)):
                window = plane[top : top + 2, left : left + 3]
                at = (image, channel, row, column)
                assert out.numpy()[at] == window.max()
                assert plane.flat[places.numpy()[at]] == window.max()


def test_volumes_are_pooled_in_all_three_dimensions() -> None:
    x = torch.arange(60.0).reshape(1, 3, 4, 5)
    out = F.fractional_max_pool3d(x, 2, 1)
    assert out.tolist() == [[[[59.0]]]]
    assert F.fractional_max_pool3d(x, (1, 2, 2), output_ratio=(0.7, 0.5, 0.5)).shape == (1, 2, 2, 2)


def test_not_a_number_wins() -> None:
    x = torch.ones(1, 3, 3)
    x[0, 1, 1] = float("nan")
    assert F.fractional_max_pool2d(x, 3, 1).isnan().all()


def test_the_same_seed_gives_the_same_windows() -> None:
    x = torch.rand(1, 2, 20, 20)
    torch.manual_seed(3)
    first = F.fractional_max_pool2d(x, 2, 11)
    torch.manual_seed(3)
    assert torch.equal(first, F.fractional_max_pool2d(x, 2, 11))
    assert not torch.equal(first, F.fractional_max_pool2d(x, 2, 11))


def test_the_gradient_goes_to_the_largest_elements() -> None:
    random = np.random.default_rng(0)
    x = torch.tensor(random.permutation(72).reshape(1, 2, 6, 6) / 7.0, requires_grad=True)
    samples = torch.tensor(random.random((1, 2, 2)))
    assert gradcheck(lambda x: F.fractional_max_pool2d(x, 2, (3, 4), _random_samples=samples), (x,))


def test_windows_that_do_not_fit_are_refused() -> None:
    with pytest.raises(RuntimeError, match="pool height 2 too large relative to input height 4"):
        F.fractional_max_pool2d(torch.ones(1, 4, 6), 2, (4, 3))
    with pytest.raises(ValueError, match="either an output_size or an output_ratio"):
        F.fractional_max_pool2d(torch.ones(1, 4, 6), 2)
