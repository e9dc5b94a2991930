"""Bad input that used to be taken, found by PyTorch's own samples of errors."""

from __future__ import annotations

import pytest

import pellucid as torch

F = torch.nn.functional


@pytest.mark.parametrize("name", ["hstack", "vstack", "dstack", "column_stack"])
def test_nothing_is_not_stacked(name):
    with pytest.raises(RuntimeError, match=f"{name} expects a non-empty TensorList"):
        getattr(torch, name)([])


def test_a_tensor_without_dimensions_is_rolled_along_none():
    with pytest.raises(IndexError, match="Dimension specified as 0 but tensor has no dimensions"):
        torch.tensor(1.0).roll(0, 0)
    assert torch.tensor(1.0).roll(3) == 1


@pytest.mark.parametrize(
    ("pool", "shape"),
    [(F.max_pool1d, (0, 10)), (F.avg_pool2d, (0, 3, 10)), (F.max_pool3d, (0, 1, 2, 10))],
)
def test_windows_need_channels_with_or_without_a_batch(pool, shape):
    for size in (shape, (2, *shape)):
        with pytest.raises(RuntimeError):
            pool(torch.ones(size), 1)
    assert pool(torch.ones(0, 1, *shape[1:]), 1).shape == (0, 1, *shape[1:])


def test_adaptive_averages_take_images_without_channels_and_maxima_refuse_them():
    assert F.adaptive_avg_pool2d(torch.ones(0, 3, 10), 1).shape == (0, 1, 1)
    assert F.adaptive_avg_pool2d(torch.ones(2, 0, 3, 10), 1).shape == (2, 0, 1, 1)
    assert F.adaptive_max_pool2d(torch.ones(0, 3, 10), 1).shape == (0, 1, 1)
    with pytest.raises(RuntimeError, match="dimension 1 being empty"):
        F.adaptive_max_pool2d(torch.ones(2, 0, 3, 10), 1)


@pytest.mark.parametrize("name", ["clamp", "clamp_min", "clamp_max"])
def test_a_number_has_no_bounds(name):
    for number in (2, 2.5):
        with pytest.raises(TypeError, match=f"{name}.*argument 'input'.* must be Tensor, not"):
            getattr(torch, name)(number, torch.ones(2))
    assert getattr(torch, name)(torch.ones(2), 1).tolist() == [1, 1]
