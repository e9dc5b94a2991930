"""Pooling next to loops over windows."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch

F = torch.nn.functional


def images(*shape: int) -> np.ndarray:
    return np.random.default_rng(6).standard_normal(shape)


def windows(x: np.ndarray, kernel: int, stride: int) -> np.ndarray:
    """Return all windows of the last two dimensions, flattened."""
    view = np.lib.stride_tricks.sliding_window_view(x, (kernel, kernel), (-2, -1))
    return view[..., ::stride, ::stride, :, :].reshape(
        *view[..., ::stride, ::stride, 0, 0].shape, -1
    )


@pytest.mark.parametrize(("kernel", "stride"), [(2, 2), (3, 1), (2, 3)])
@pytest.mark.parametrize("shape", [(2, 3, 6, 7), (3, 6, 7), (4, 20, 30, 30)])
def test_pooling_agrees_with_windows(shape: tuple[int, ...], kernel: int, stride: int) -> None:
    x = images(*shape)
    cut = windows(x, kernel, stride)
    largest = F.max_pool2d(torch.tensor(x), kernel, stride)
    mean = F.avg_pool2d(torch.tensor(x), kernel, stride)
    np.testing.assert_array_equal(largest.numpy(), cut.max(-1))
    np.testing.assert_allclose(mean.numpy(), cut.mean(-1))


def test_the_indices_lead_to_the_maxima() -> None:
    x = torch.tensor(images(2, 3, 4, 6))
    values, places = F.max_pool2d(x, 2, return_indices=True)
    flat = x.reshape(2, 3, -1).gather(2, places.reshape(2, 3, -1))
    assert flat.tolist() == values.reshape(2, 3, -1).tolist()
    restored = F.max_unpool2d(values, places, 2)
    assert restored.sum().item() == pytest.approx(values.sum().item())


def test_the_gradient_goes_to_the_maxima_and_adds_up_where_windows_overlap() -> None:
    x = torch.tensor([[[1.0, 5.0, 2.0, 0.0]]], requires_grad=True)
    F.max_pool1d(x, 2, 1).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[[0.0, 2.0, 1.0, 0.0]]]


def test_not_a_number_exceeds_every_number() -> None:
    x = torch.tensor([[[1.0, float("nan"), 2.0, 0.0]]])
    out = F.max_pool1d(x, 2)
    assert np.isnan(out[0, 0, 0].item())
    assert out[0, 0, 1].item() == 2.0


def test_padding_counts_in_an_average_unless_it_is_told_not_to() -> None:
    x = torch.ones(1, 1, 2)
    assert F.avg_pool1d(x, 2, 2, 1).tolist() == [[[0.5, 0.5]]]
    assert F.avg_pool1d(x, 2, 2, 1, count_include_pad=False).tolist() == [[[1.0, 1.0]]]


def test_ceil_mode_keeps_a_window_that_reaches_past_the_end() -> None:
    x = torch.arange(5.0).reshape(1, 1, 5)
    assert F.max_pool1d(x, 2).tolist() == [[[1.0, 3.0]]]
    assert F.max_pool1d(x, 2, ceil_mode=True).tolist() == [[[1.0, 3.0, 4.0]]]


def test_adaptive_windows_cover_everything() -> None:
    x = torch.arange(5.0).reshape(1, 1, 5)
    assert F.adaptive_avg_pool1d(x, 2).tolist() == [[[1.0, 3.0]]]
    assert F.adaptive_max_pool1d(x, 2).tolist() == [[[2.0, 4.0]]]
    assert F.adaptive_avg_pool2d(torch.ones(1, 2, 5, 4), (None, 1)).shape == (1, 2, 5, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((9,), "Output size is too small"),
        ((2, 0), "stride should not be zero"),
        ((2, 2, 2), "pad should be at most half of effective kernel size"),
        (((2, 2, 2),), "must either be a single int, or a tuple of two ints"),
    ],
)
def test_windows_that_cannot_be_are_refused(arguments: tuple, message: str) -> None:
    for function in (F.max_pool2d, F.avg_pool2d):
        with pytest.raises(RuntimeError, match=message):
            function(torch.ones(1, 1, 4, 4), *arguments)


def test_nodes_are_named_after_the_number_of_dimensions() -> None:
    x = torch.ones(1, 1, 4, 4, requires_grad=True)
    assert F.max_pool2d(x, 2).grad_fn.name() == "MaxPool2DWithIndicesBackward0"
    assert F.avg_pool2d(x, 2).grad_fn.name() == "AvgPool2DBackward0"
    assert F.adaptive_avg_pool2d(x, 2).grad_fn.name() == "AdaptiveAvgPool2DBackward0"


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("shape", [(), (2, 1, 2, 1, 2, 1)])
def test_adaptive_averages_refuse_tensors_of_too_few_or_too_many_dimensions(dims, shape):
    with pytest.raises(RuntimeError, match=rf"{dims + 1}D or {dims + 2}D \(batch mode\) tensor"):
        getattr(F, f"adaptive_avg_pool{dims}d")(torch.ones(shape), 1)


@pytest.mark.parametrize(
    "name", ["adaptive_max_pool1d", "adaptive_max_pool3d", "adaptive_avg_pool3d"]
)
def test_images_without_channels_are_refused_by_adaptive_pools(name):
    ndim = int(name[-2])
    with pytest.raises(RuntimeError, match="with dimension 1 being empty"):
        getattr(F, name)(torch.ones(2, 0, *[4] * ndim), 2)
    assert getattr(F, name)(torch.ones(0, 2, *[4] * ndim), 2).shape == (0, 2, *[2] * ndim)


def test_fractional_pools_may_have_no_windows():
    assert F.fractional_max_pool2d(torch.ones(2, 3, 8, 8), 2, output_size=(0, 1)).shape == (
        2,
        3,
        0,
        1,
    )


@pytest.mark.parametrize("kind", ["avg", "max"])
@pytest.mark.parametrize("ndim", [2, 3])
def test_the_gradient_of_no_windows_is_refused(kind: str, ndim: int) -> None:
    pool = getattr(F, f"adaptive_{kind}_pool{ndim}d")
    x = torch.ones(1, 2, *(4,) * ndim, requires_grad=True)
    out = pool(x, 0)
    assert out.shape == (1, 2, *(0,) * ndim)
    text = rf"^adaptive_{kind}_pool{ndim}d_backward\(\): Expected grad_output to have non-zero size"
    with pytest.raises(RuntimeError, match=text + ".* with dimension 2 being empty"):
        out.sum().backward()
    no_batch = torch.ones(0, 2, *(4,) * ndim, requires_grad=True)
    pool(no_batch, 2).sum().backward()
    assert no_batch.grad.shape == no_batch.shape
