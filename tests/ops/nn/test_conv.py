"""Convolutions next to loops over positions."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from tests.samples.grouped import together

F = torch.nn.functional


def arrays(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    generator = np.random.default_rng(5)
    return [generator.standard_normal(shape) for shape in shapes]


def correlate(
    x: np.ndarray, w: np.ndarray, stride: int = 1, padding: int = 0, dilation: int = 1,
    groups: int = 1,
) -> np.ndarray:  # fmt: skip
    """Correlate by the definition, one output at a time."""
    ndim = x.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0)] + [(padding, padding)] * ndim)
    reach = [dilation * (k - 1) + 1 for k in w.shape[2:]]
    size = [(n - r) // stride + 1 for n, r in zip(x.shape[2:], reach, strict=True)]
    out = np.zeros((x.shape[0], w.shape[0], *size))
    inputs, outputs = w.shape[1], w.shape[0] // groups
    for filter_number in range(w.shape[0]):
        first = filter_number // outputs * inputs
        for place in itertools.product(*map(range, size)):
            window = tuple(
                slice(p * stride, p * stride + r, dilation)
                for p, r in zip(place, reach, strict=True)
            )
            part = x[(slice(None), slice(first, first + inputs), *window)]
            out[(slice(None), filter_number, *place)] = (part * w[filter_number]).sum(
                axis=tuple(range(1, x.ndim))
            )
    return out


@together()
@pytest.mark.parametrize(
    "options",
    [{}, {"stride": 2}, {"padding": 2}, {"dilation": 2}, {"groups": 2},
     {"stride": 2, "padding": 1, "dilation": 2, "groups": 2}],
)  # fmt: skip
@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_convolution_agrees_with_its_definition(ndim: int, options: dict[str, Any]) -> None:
    groups = options.get("groups", 1)
    x, w, b = arrays((2, 4, *(6,) * ndim), (6, 4 // groups, *(3,) * ndim), (6,))
    function = (F.conv1d, F.conv2d, F.conv3d)[ndim - 1]
    got = function(torch.tensor(x), torch.tensor(w), torch.tensor(b), **options)
    wanted = correlate(x, w, **options) + b.reshape(-1, *(1,) * ndim)
    np.testing.assert_allclose(got.numpy(), wanted, atol=1e-12)


@pytest.mark.parametrize(
    "options",
    [{}, {"stride": 2}, {"stride": 2, "padding": 1, "output_padding": 1}, {"dilation": 2},
     {"groups": 2}],
)  # fmt: skip
def test_a_transposed_convolution_is_the_transpose(options: dict[str, Any]) -> None:
    x, w = arrays((2, 4, 3, 3), (4, 2, 3, 3))
    out = F.conv_transpose2d(torch.tensor(x), torch.tensor(w), **options)
    (y,) = arrays(tuple(out.shape))
    forward = {name: value for name, value in options.items() if name != "output_padding"}
    back = F.conv2d(torch.tensor(y), torch.tensor(w), **forward)
    np.testing.assert_allclose((out.numpy() * y).sum(), (back.numpy() * x).sum())


def test_same_padding_keeps_the_size_and_pads_more_at_the_end() -> None:
    x = torch.tensor([[[1.0, 2.0, 3.0]]])
    out = F.conv1d(x, torch.tensor([[[1.0, 10.0]]]), padding="same")
    assert out.tolist() == [[[21.0, 32.0, 3.0]]]


def test_an_image_may_come_alone() -> None:
    x, w = arrays((3, 5, 5), (2, 3, 3, 3))
    alone = F.conv2d(torch.tensor(x), torch.tensor(w))
    np.testing.assert_allclose(alone.numpy(), correlate(x[None], w)[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stride": 0}, "non-positive stride"),
        ({"padding": -1}, "negative padding"),
        ({"dilation": 0}, "dilation"),
        ({"groups": 0}, "non-positive groups"),
        ({"groups": 3}, "to be at least 3"),
        ({"padding": "most"}, "Invalid padding string: 'most'"),
        ({"padding": "same", "stride": 2}, "not supported for strided convolutions"),
        ({"stride": (1, 2, 3)}, "expected stride to be a single integer value or a list of 2"),
    ],
)
def test_parameters_without_meaning_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        F.conv2d(torch.ones(1, 3, 4, 4), torch.ones(2, 3, 3, 3), **options)


@pytest.mark.parametrize(
    ("x", "w", "b", "message"),
    [
        ((1, 4, 4, 4), (2, 3, 3, 3), None, "to have 3 channels, but got 4 channels instead"),
        ((1, 3, 2, 2), (2, 3, 3, 3), None, "Kernel size can't be greater than actual input size"),
        ((1, 3, 4, 4), (2, 3, 3, 3), (3,), "expected bias to be 1-dimensional with 2 elements"),
        ((4, 4), (2, 3, 3, 3), None, "Expected 3D .unbatched. or 4D .batched. input to conv2d"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(x: Any, w: Any, b: Any, message: str) -> None:
    bias = None if b is None else torch.ones(b)
    with pytest.raises(RuntimeError, match=message):
        F.conv2d(torch.ones(x), torch.ones(w), bias)


def test_dtypes_that_differ_are_refused() -> None:
    with pytest.raises(RuntimeError, match="expected scalar type Float but found Double"):
        F.conv1d(torch.ones(1, 1, 3), torch.ones(1, 1, 2, dtype=torch.float64))


def test_patches_are_cut_out_and_added_up_again() -> None:
    (x,) = arrays((1, 2, 4, 5))
    patches = F.unfold(torch.tensor(x), (2, 3), padding=1, stride=2)
    counts = F.fold(torch.ones_like(patches), (4, 5), (2, 3), padding=1, stride=2)
    back = F.fold(patches, (4, 5), (2, 3), padding=1, stride=2)
    np.testing.assert_allclose(back.numpy(), x * counts.numpy())


def test_filters_that_groups_do_not_divide_are_refused() -> None:
    with pytest.raises(RuntimeError, match="to be divisible by 3"):
        F.conv2d(torch.ones(1, 3, 4, 4), torch.ones(4, 1, 3, 3), groups=3)


def test_a_convolution_of_no_channels_gives_its_bias() -> None:
    x = torch.ones(2, 0, 7, requires_grad=True)
    weight, bias = torch.ones(8, 0, 2), torch.arange(8.0, requires_grad=True)
    result = torch.nn.functional.conv1d(x, weight, bias, stride=2)
    assert torch.equal(result, bias.reshape(8, 1).expand(2, 8, 3))
    result.sum().backward()
    assert x.grad.shape == x.shape
    assert bias.grad.tolist() == [6.0] * 8
    with pytest.raises(RuntimeError, match="expected weight to be at least 1 at dimension 0"):
        torch.nn.functional.conv1d(torch.ones(2, 4, 7), torch.ones(0, 4, 2))
