"""Transforms against plain NumPy, on every kind of picture."""

from __future__ import annotations

import colorsys

import numpy as np
import pytest
from scipy import ndimage

import pellucid as torch
from pellucid.vision import transforms
from pellucid.vision.transforms import functional as F
from pellucid.vision.transforms import v2
from tests.samples.grouped import together

RNG = np.random.default_rng(0)
PIXELS = RNG.integers(0, 256, (6, 8, 3), dtype=np.uint8)
FRAMED = np.pad(PIXELS, ((2, 2), (1, 1), (0, 0)), constant_values=7)


def as_tensor(pixels: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(pixels.transpose(2, 0, 1)))


def kinds() -> list[object]:
    found: list[object] = [PIXELS, as_tensor(PIXELS)]
    try:
        from PIL import Image
    except ImportError:
        return found
    return [*found, Image.fromarray(PIXELS)]


def pixels_of(picture: object) -> np.ndarray:
    if isinstance(picture, torch.Tensor):
        return picture.numpy().transpose(1, 2, 0)
    return np.asarray(picture)


@pytest.fixture(params=kinds(), ids=lambda picture: type(picture).__name__)
def picture(request: pytest.FixtureRequest) -> object:
    return request.param


@together()
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (F.hflip, PIXELS[:, ::-1]),
        (F.vflip, PIXELS[::-1]),
        (lambda x: F.crop(x, 1, 2, 3, 4), PIXELS[1:4, 2:6]),
        (lambda x: F.crop(x, -1, -2, 3, 4), np.pad(PIXELS[:2, :2], ((1, 0), (2, 0), (0, 0)))),
        (lambda x: F.center_crop(x, 4), PIXELS[1:5, 2:6]),
        (lambda x: F.center_crop(x, 10), np.pad(PIXELS, ((2, 2), (1, 1), (0, 0)))),
        (lambda x: F.pad(x, [1, 2], 7), FRAMED),
        (lambda x: F.pad(x, 2, 0, "reflect"), np.pad(PIXELS, ((2, 2), (2, 2), (0, 0)), "reflect")),
        (lambda x: F.pad(x, 2, 0, "edge"), np.pad(PIXELS, ((2, 2), (2, 2), (0, 0)), "edge")),
        (lambda x: F.rotate(x, 180), PIXELS[::-1, ::-1]),
        (lambda x: F.rotate(x, 90, expand=True), np.rot90(PIXELS)),
        (lambda x: F.rotate(x, -90, expand=True), np.rot90(PIXELS, -1)),
        (lambda x: F.adjust_brightness(x, 0), PIXELS * 0),
        (lambda x: F.adjust_brightness(x, 1), PIXELS),
        (lambda x: F.adjust_saturation(x, 1), PIXELS),
        (lambda x: F.adjust_contrast(x, 1), PIXELS),
    ],
)  # fmt: skip
def test_a_step_does_to_every_kind_of_picture_what_numpy_does(picture, change, expected) -> None:
    result = change(picture)
    assert type(result) is type(picture) or "Image" in type(result).__name__
    np.testing.assert_array_equal(pixels_of(result), expected)


def test_a_colour_in_each_channel_fills_the_margin() -> None:
    padded = F.pad(as_tensor(PIXELS), 1, fill=(1, 2, 3))
    assert padded[:, 0, 0].tolist() == [1, 2, 3]
    np.testing.assert_array_equal(pixels_of(padded)[1:-1, 1:-1], PIXELS)


def test_turning_by_little_between_pixels_is_an_average_of_neighbours() -> None:
    ramp = torch.arange(9.0).expand(1, 9, 9)
    turned = F.rotate(ramp, 10, transforms.InterpolationMode.BILINEAR)
    columns = np.arange(9) - 4.0
    expected = 4 + np.cos(np.radians(10)) * columns[2:7]
    np.testing.assert_allclose(turned[0, 4, 2:7].numpy(), expected, rtol=1e-5)


def test_grey_weighs_the_colours_as_the_eye_does(picture) -> None:
    grey = pixels_of(F.rgb_to_grayscale(picture)).reshape(6, 8)
    np.testing.assert_allclose(grey, PIXELS @ [0.2989, 0.587, 0.114], atol=1.0)


@pytest.mark.parametrize("turn", [-0.5, -0.2, 0.1, 0.5])
def test_hue_is_turned_as_colorsys_says(turn: float) -> None:
    colours = RNG.random((5, 4, 3)).astype(np.float32)
    hsv = [colorsys.rgb_to_hsv(*colour) for colour in colours.reshape(-1, 3).tolist()]
    expected = [colorsys.hsv_to_rgb((h + turn) % 1, s, v) for h, s, v in hsv]
    turned = pixels_of(F.adjust_hue(as_tensor(colours), turn))
    np.testing.assert_allclose(turned.reshape(-1, 3), expected, atol=1e-5)


def test_contrast_moves_away_from_the_mean_grey() -> None:
    colours = as_tensor(RNG.random((4, 4, 3)).astype(np.float32) * 0.4 + 0.3)
    changed = F.adjust_contrast(colours, 0.5)
    mean = (pixels_of(colours) @ [0.2989, 0.587, 0.114]).mean()
    np.testing.assert_allclose(changed.numpy(), (colours.numpy() + mean) / 2, rtol=1e-5)


def test_the_shorter_side_gets_the_size_and_a_constant_stays(picture) -> None:
    assert F.get_image_size(F.resize(picture, 3)) == [4, 3]
    assert F.get_image_size(F.resize(picture, [5, 7])) == [7, 5]
    flat = F.resize(torch.full((3, 6, 8), 9, dtype=torch.uint8), 3)
    assert flat.unique().tolist() == [9]


def test_shrinking_with_antialias_weighs_all_pixels_by_a_triangle() -> None:
    row = RNG.random(8)
    result = F.resize(torch.from_numpy(row).expand(1, 4, 8), [4, 4])
    # Every output pixel sees twice as far: weights 1/8, 3/8, 3/8, 1/8, cut off at the edges.
    inner = np.convolve(row, [1 / 8, 3 / 8, 3 / 8, 1 / 8], "valid")[1::2]
    np.testing.assert_allclose(result[0, 0, 1:3].numpy(), inner[:2], rtol=1e-6)
    np.testing.assert_allclose(result[0, 0, 0].item(), row[:3] @ [3 / 7, 3 / 7, 1 / 7], rtol=1e-6)


def test_arrays_and_images_shrink_alike() -> None:
    Image = pytest.importorskip("PIL.Image")
    for mode in (F.InterpolationMode.BILINEAR, F.InterpolationMode.BICUBIC):
        image = np.asarray(F.resize(Image.fromarray(PIXELS), [4, 3], mode)).astype(int)
        array = F.resize(PIXELS, [4, 3], mode).astype(int)
        assert np.abs(image - array).max() <= 1


def test_the_longest_side_may_be_limited() -> None:
    assert F.resize(torch.ones(1, 10, 40), 8, max_size=16).shape == (1, 4, 16)


def test_to_tensor_scales_bytes_and_keeps_floats() -> None:
    np.testing.assert_allclose(
        transforms.ToTensor()(PIXELS).numpy(), PIXELS.transpose(2, 0, 1) / np.float32(255)
    )
    floats = RNG.random((4, 5))
    np.testing.assert_array_equal(transforms.ToTensor()(floats).numpy(), floats[None])


def test_normalize_is_done_channel_by_channel() -> None:
    x = as_tensor(RNG.random((4, 5, 3)))
    mean, std = np.array([0.1, 0.2, 0.3]), np.array([0.5, 0.6, 0.7])
    result = transforms.Normalize(mean.tolist(), std.tolist())(x)
    np.testing.assert_allclose(pixels_of(result), (pixels_of(x) - mean) / std)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: F.to_tensor([1]), TypeError, "pic should be PIL Image or ndarray"),
        (lambda: F.to_tensor(np.ones(3)), ValueError, "2/3 dimensional"),
        (lambda: F.normalize(as_tensor(PIXELS), [0], [1]), TypeError, "should be a float tensor"),
        (lambda: F.normalize(torch.ones(1, 2, 2), [0], [0]), ValueError, "division by zero"),
        (lambda: F.hflip("cat.png"), TypeError, "Got str"),
        (lambda: F.pad(PIXELS, [1, 2, 3]), ValueError, "1, 2, or 4 element tuple"),
        (lambda: F.adjust_hue(PIXELS, 0.7), ValueError, r"not in \[-0.5, 0.5\]"),
        (lambda: F.adjust_brightness(PIXELS, -1), ValueError, "not non-negative"),
        (lambda: transforms.RandomCrop(20)(PIXELS), ValueError, "larger than input image size"),
        (lambda: transforms.Lambda(3), TypeError, "should be callable"),
        (lambda: transforms.RandomErasing(p=2), ValueError, "between 0 and 1"),
        (lambda: transforms.ColorJitter(hue=0.6), ValueError, "hue values should be between"),
        (lambda: F.resize(PIXELS, 4, F.InterpolationMode.LANCZOS), ValueError, "lanczos"),
    ],
)
def test_what_cannot_be_done_is_refused(call, error, text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_bytes_and_floats_have_corresponding_ranges() -> None:
    x = torch.arange(256).to(torch.uint8)
    back = F.convert_image_dtype(F.convert_image_dtype(x, torch.float32), torch.uint8)
    assert back.tolist() == list(range(256))
    assert F.convert_image_dtype(torch.tensor([1.0]), torch.int16).tolist() == [2**15 - 1]
    assert F.convert_image_dtype(x[-1:], torch.int16).tolist() == [255 * 128]


class TestDraws:
    """The numbers that a transform draws are those that torchvision draws, in its order."""

    def test_a_crop_draws_row_then_column(self) -> None:
        torch.manual_seed(3)
        top, left = int(torch.randint(0, 3, (1,))), int(torch.randint(0, 5, (1,)))
        torch.manual_seed(3)
        cropped = transforms.RandomCrop(4)(PIXELS)
        np.testing.assert_array_equal(cropped, PIXELS[top : top + 4, left : left + 4])

    def test_a_flip_draws_one_number(self) -> None:
        torch.manual_seed(1)
        drawn = [bool(torch.rand(1) < 0.5) for _ in range(20)]
        torch.manual_seed(1)
        flip = transforms.RandomHorizontalFlip()
        assert [not np.array_equal(flip(PIXELS), PIXELS) for _ in range(20)] == drawn
        assert 0 < sum(drawn) < 20

    def test_a_resized_crop_is_within_the_picture(self) -> None:
        torch.manual_seed(0)
        transform = transforms.RandomResizedCrop(4)
        for _ in range(50):
            top, left, rows, columns = transform.get_params(PIXELS, (0.08, 1), (3 / 4, 4 / 3))
            assert 0 <= top <= 6 - rows
            assert 0 <= left <= 8 - columns
        assert transform(as_tensor(PIXELS)).shape == (3, 4, 4)

    def test_erasing_takes_a_rectangle_of_the_area_asked_for(self) -> None:
        torch.manual_seed(0)
        erase = transforms.RandomErasing(p=1, scale=(0.25, 0.25), ratio=(1, 1))
        assert erase(torch.ones(2, 8, 8)).sum().item() == 2 * (64 - 16)
        noise = transforms.RandomErasing(p=1, value="random")(torch.zeros(1, 8, 8))
        assert noise.count_nonzero() > 0

    def test_jitter_draws_an_order_and_a_factor_for_each_change(self) -> None:
        x = as_tensor(RNG.random((4, 4, 3)).astype(np.float32))
        torch.manual_seed(5)
        order = torch.randperm(4).tolist()
        factors = [torch.empty(1).uniform_(0.5, 1.5).item() for _ in range(2)]
        steps = {0: (F.adjust_brightness, factors[0]), 2: (F.adjust_saturation, factors[1])}
        expected = x
        for number in order:
            if number in steps:
                change, factor = steps[number]
                expected = change(expected, factor)
        torch.manual_seed(5)
        np.testing.assert_allclose(transforms.ColorJitter(0.5, 0, 0.5)(x), expected)

    def test_apply_is_all_or_nothing(self) -> None:
        torch.manual_seed(0)
        apply = transforms.RandomApply([lambda x: x + 1, lambda x: x + 1], p=0.5)
        assert {apply(0) for _ in range(30)} == {0, 2}

    def test_a_rotation_by_zero_degrees_changes_nothing(self) -> None:
        assert np.array_equal(transforms.RandomRotation(0)(PIXELS), PIXELS)


def test_compose_says_what_it_does() -> None:
    steps = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5,), (0.5,))])
    assert repr(steps) == ("Compose(\n    ToTensor()\n    Normalize(mean=(0.5,), std=(0.5,))\n)")
    assert steps(np.full((1, 1), 255, np.uint8)).item() == 1


def test_tensors_become_images_and_come_back() -> None:
    pytest.importorskip("PIL")
    image = transforms.ToPILImage()(as_tensor(PIXELS).float() / 255)
    assert image.mode == "RGB"
    np.testing.assert_array_equal(transforms.PILToTensor()(image).numpy(), as_tensor(PIXELS))


def test_a_blur_is_that_of_a_truncated_normal_window() -> None:
    picture = torch.rand(2, 3, 9, 8, dtype=torch.float64)
    found = F.gaussian_blur(picture, (3, 5), (0.7, 1.2))
    down, across = (np.exp(-0.5 * (np.arange(-n, n + 1) / s) ** 2) for n, s in ((2, 1.2), (1, 0.7)))
    expected = picture.numpy()
    for axis, weights in ((2, down), (3, across)):
        expected = ndimage.correlate1d(expected, weights / weights.sum(), axis, mode="mirror")
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-7)
    bytes_of = (picture * 255).byte()
    assert transforms.GaussianBlur(3, 1e-3)(bytes_of).equal(bytes_of)
    assert repr(transforms.GaussianBlur(3)) == "GaussianBlur(kernel_size=(3, 3), sigma=(0.1, 2.0))"
    with pytest.raises(ValueError, match="odd and positive"):
        F.gaussian_blur(picture, 2)


def test_newer_transforms_take_whole_samples() -> None:
    image = pytest.importorskip("PIL.Image").fromarray(
        np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    )
    change = v2.Compose([
        v2.ToImage(), v2.RandomHorizontalFlip(1.0), v2.ToDtype(torch.float32, scale=True),
        v2.Normalize([0.5] * 3, [0.5] * 3),
    ])  # fmt: skip
    found, label = change(image, {"label": 3})
    older = transforms.Compose([transforms.ToTensor(), transforms.Normalize([0.5] * 3, [0.5] * 3)])
    assert label == {"label": 3}
    torch.testing.assert_close(found, older(image).flip(-1))
    torch.testing.assert_close(change(image), found)
