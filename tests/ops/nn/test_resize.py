"""Images at another size, against plain definitions and Pillow's way of rounding."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch
from pellucid.autograd import gradcheck, gradgradcheck

F = torch.nn.functional


def lines(size: int) -> np.ndarray:
    return np.random.default_rng(size).standard_normal((1, 2, size))


@pytest.mark.parametrize(("old", "new"), [(5, 9), (9, 5), (4, 4), (1, 3), (3, 1)])
def test_nearest_takes_the_pixel_below_and_nearest_exact_the_one_around(old: int, new: int) -> None:
    x = lines(old)
    below = [int(i * old / new) for i in range(new)]
    around = [int((i + 0.5) * old / new) for i in range(new)]
    assert np.array_equal(F.interpolate(torch.tensor(x), new).numpy(), x[..., below])
    exact = F.interpolate(torch.tensor(x), new, mode="nearest-exact").numpy()
    assert np.array_equal(exact, x[..., around])


@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize(("old", "new"), [(5, 9), (9, 5), (2, 7)])
def test_linear_is_numpys_interpolation(old: int, new: int, aligned: bool) -> None:
    x = lines(old)
    places = np.arange(new)
    places = places * (old - 1) / (new - 1) if aligned else (places + 0.5) * old / new - 0.5
    expected = [[np.interp(places, np.arange(old), row) for row in image] for image in x]
    found = F.interpolate(torch.tensor(x), new, mode="linear", align_corners=aligned)
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-12)


def test_bilinear_and_trilinear_go_axis_by_axis() -> None:
    x = torch.tensor(np.random.default_rng(0).standard_normal((1, 2, 4, 5)))
    rows = F.interpolate(x.flatten(0, 1), 3, mode="linear").reshape(1, 2, 4, 3)
    both = F.interpolate(rows.mT.flatten(0, 1), 6, mode="linear").reshape(1, 2, 3, 6).mT
    found = F.interpolate(x, (6, 3), mode="bilinear")
    np.testing.assert_allclose(found.numpy(), both.numpy(), atol=1e-12)
    deep = F.interpolate(x.unsqueeze(2).expand(1, 2, 3, 4, 5), (5, 6, 3), mode="trilinear")
    np.testing.assert_allclose(deep.numpy()[:, :, 2], found.numpy(), atol=1e-12)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic", "lanczos"])
@pytest.mark.parametrize("size", [(3, 4), (13, 9)])
def test_smooth_resizing_keeps_a_constant_image(mode: str, size: tuple[int, int]) -> None:
    found = F.interpolate(torch.full((1, 1, 7, 6), 2.5), size, mode=mode, antialias=True)
    np.testing.assert_allclose(found.numpy(), np.full((1, 1, *size), 2.5), rtol=1e-6)


def test_smooth_halving_weighs_by_a_triangle_twice_as_wide() -> None:
    x = np.random.default_rng(0).standard_normal(8)
    found = F.interpolate(
        torch.tensor(x).reshape(1, 1, 1, 8), (1, 4), mode="bilinear", antialias=True
    )
    weights = np.array([0.25, 0.75, 0.75, 0.25]) / 2
    assert found[0, 0, 0, 1].item() == pytest.approx(float(weights @ x[1:5]))


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "bilinear", "bicubic", "area"])
def test_gradients_of_both_orders_are_those_of_finite_differences(mode: str) -> None:
    x = torch.tensor(np.random.default_rng(0).standard_normal((1, 2, 4, 3)), requires_grad=True)

    def resize(x: torch.Tensor) -> torch.Tensor:
        return F.interpolate(x, (5, 2), mode=mode)

    assert gradcheck(resize, (x,))
    assert gradgradcheck(resize, (x,), fast_mode=True)


def test_the_factor_given_is_taken_at_its_word_unless_told_otherwise() -> None:
    x = torch.arange(3.0).reshape(1, 1, 3)
    given = F.interpolate(x, scale_factor=1.6, mode="linear")
    again = F.interpolate(x, scale_factor=1.6, mode="linear", recompute_scale_factor=True)
    by_size = F.interpolate(x, 4, mode="linear")
    assert torch.equal(again, by_size)
    assert not torch.equal(given, by_size)
    assert given[0, 0, 3].item() == pytest.approx(3.5 / 1.6 - 0.5, abs=1e-6)


def test_bytes_are_rounded_and_stay_bytes() -> None:
    x = torch.tensor([[[[0, 255]]]], dtype=torch.uint8)
    found = F.interpolate(x, (1, 4), mode="bilinear")
    assert found.dtype == torch.uint8
    assert found.flatten().tolist() == [0, 64, 191, 255]


def test_infinity_stays_where_it_is_read() -> None:
    x = torch.tensor([[[float("inf"), 0.0, 0.0, 0.0]]])
    found = F.interpolate(x, 2, mode="linear")
    assert found.flatten().tolist() == [float("inf"), 0.0]


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({}, ValueError, "either size or scale_factor should be defined"),
        ({"size": 4, "scale_factor": 2}, ValueError, "only one of size or scale_factor"),
        ({"size": 0}, RuntimeError, "Input and output sizes should be greater than 0"),
        ({"size": 4, "mode": "bilinear"}, NotImplementedError, "Got 3D input, but bilinear mode"),
        ({"size": 4, "mode": "linear", "antialias": True}, ValueError, "Anti-alias option"),
        ({"size": 2.5}, TypeError, "argument 'size'"),
    ],
)
def test_bad_arguments_say_what_is_wrong(
    arguments: dict[str, object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        F.interpolate(torch.ones(1, 1, 3), **arguments)


def test_unpooling_refuses_places_outside_and_sizes_that_no_pooling_leads_to() -> None:
    x = torch.ones(1, 2)
    with pytest.raises(RuntimeError, match="Found an invalid max index: 4"):
        F.max_unpool1d(x, torch.tensor([[1, 4]]), 2)
    with pytest.raises(ValueError, match="dim 0 must be between 2 and 6"):
        F.max_unpool1d(x, torch.tensor([[1, 2]]), 2, output_size=(6,))
    assert F.max_unpool1d(x, torch.tensor([[1, 4]]), 2, output_size=(5,)).tolist() == [
        [0.0, 1.0, 0.0, 0.0, 1.0]
    ]
