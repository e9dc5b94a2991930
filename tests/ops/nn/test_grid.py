"""Images read at the places of a grid, against the definition written out for one pixel."""

from __future__ import annotations

from itertools import product
from math import floor

import numpy as np
import pytest

import pellucid as torch
from pellucid.autograd import gradcheck, gradgradcheck
from tests.samples.grouped import together

F = torch.nn.functional


def place_in(coordinate: float, length: int, padding: str, aligned: bool) -> float:
    """Return the place that a coordinate means, brought into the image as the padding says."""
    place = (coordinate + 1) / 2 * (length - 1) if aligned else ((coordinate + 1) * length - 1) / 2
    if padding == "zeros":
        return place
    if padding == "reflection":
        low, high = (0.0, length - 1.0) if aligned else (-0.5, length - 0.5)
        while high > low and not low <= place <= high:
            place = 2 * low - place if place < low else 2 * high - place
    return min(max(place, 0.0), length - 1.0)


def read_pixel(image: np.ndarray, places: list[float], mode: str) -> float:
    """Read one pixel between those of an image, zeros outside."""

    def at(*index: int) -> float:
        inside = all(0 <= i < n for i, n in zip(index, image.shape, strict=True))
        return float(image[index]) if inside else 0.0

    if mode == "nearest":
        return at(*(int(np.rint(place)) for place in places))
    total = 0.0
    for steps in product((0, 1), repeat=len(places)):
        weight = 1.0
        for place, step in zip(places, steps, strict=True):
            rest = place - floor(place)
            weight *= rest if step else 1 - rest
        total += weight * at(*(floor(p) + step for p, step in zip(places, steps, strict=True)))
    return total


@together()
@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("size", [(4, 3), (2, 3, 4), (1, 5)])
def test_each_pixel_is_read_as_defined(
    size: tuple[int, ...], mode: str, padding: str, aligned: bool
) -> None:
    random = np.random.default_rng(0)
    image = random.standard_normal((2, 3, *size))
    grid = random.uniform(-2.5, 2.5, (2, *size[1:], 2, len(size)))
    out = F.grid_sample(torch.tensor(image), torch.tensor(grid), mode, padding, aligned).numpy()
    for number, *at in np.ndindex(*grid.shape[:-1]):
        coordinates = grid[(number, *at)][::-1]
        places = [
            place_in(each, length, padding, aligned)
            for each, length in zip(coordinates, size, strict=True)
        ]
        for channel in range(3):
            expected = read_pixel(image[number, channel], places, mode)
            assert out[(number, channel, *at)] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("aligned", [True, False])
def test_bicubic_reads_a_parabola_within_the_image_exactly_where_pixels_are(aligned: bool) -> None:
    image = (torch.arange(6.0).reshape(1, 1, 6, 1) ** 2).expand(1, 1, 6, 6).double()
    same = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]).double()
    grid = F.affine_grid(same, (1, 1, 6, 6), aligned)
    out = F.grid_sample(image, grid, "bicubic", "border", aligned)
    np.testing.assert_allclose(out.numpy(), image.numpy(), atol=1e-12)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_gradients_of_every_order_are_those_of_finite_differences(mode: str, padding: str) -> None:
    random = np.random.default_rng(1)
    image = torch.tensor(random.standard_normal((1, 2, 4, 3)), requires_grad=True)
    grid = torch.tensor(random.uniform(-1.2, 1.2, (1, 2, 2, 2)), requires_grad=True)

    def read(image: torch.Tensor, grid: torch.Tensor) -> torch.Tensor:
        return F.grid_sample(image, grid, mode, padding, align_corners=False)

    assert gradcheck(read, (image, grid))
    assert gradgradcheck(read, (image, grid), fast_mode=True)


def test_nearest_has_no_gradient_by_the_grid() -> None:
    grid = torch.zeros(1, 1, 1, 2, requires_grad=True)
    F.grid_sample(torch.ones(1, 1, 3, 3), grid, "nearest", align_corners=False).sum().backward()
    assert grid.grad is not None
    assert not grid.grad.any()


def test_a_place_that_is_no_number_reads_the_first_pixel_at_a_border_and_nan_with_zeros() -> None:
    image = torch.arange(4.0).reshape(1, 1, 2, 2)
    nowhere = torch.full((1, 1, 1, 2), float("nan"))
    assert F.grid_sample(image, nowhere, padding_mode="border", align_corners=False).item() == 0
    assert F.grid_sample(image, nowhere, align_corners=False).isnan().all()


def test_what_lies_outside_does_not_spread_infinities_of_the_image() -> None:
    image = torch.full((1, 1, 2, 2), float("inf"))
    far = torch.full((1, 1, 1, 2), 9.0)
    assert F.grid_sample(image, far, align_corners=False).item() == 0


@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize("size", [(2, 1, 3, 4), (1, 2, 2, 1, 3)])
def test_affine_grid_maps_the_place_of_each_pixel(size: tuple[int, ...], aligned: bool) -> None:
    ndim = len(size) - 2
    theta = np.random.default_rng(0).standard_normal((size[0], ndim, ndim + 1))
    grid = F.affine_grid(torch.tensor(theta), size, aligned).numpy()
    assert grid.shape == (size[0], *size[2:], ndim)
    for number, *at in np.ndindex(size[0], *size[2:]):
        place = [
            (2 * i / (n - 1) - 1 if n > 1 else 0.0) if aligned else (2 * i + 1) / n - 1
            for i, n in zip(at, size[2:], strict=True)
        ]
        expected = theta[number] @ np.array([*place[::-1], 1.0])
        np.testing.assert_allclose(grid[(number, *at)], expected, atol=1e-12)


def test_turned_image_comes_of_a_rotation() -> None:
    image = torch.arange(9.0).reshape(1, 1, 3, 3)
    quarter = torch.tensor([[[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]])
    grid = F.affine_grid(quarter, (1, 1, 3, 3), align_corners=True)
    turned = F.grid_sample(image, grid, align_corners=True)
    np.testing.assert_allclose(turned.numpy()[0, 0], np.rot90(image.numpy()[0, 0], -1), atol=1e-5)
