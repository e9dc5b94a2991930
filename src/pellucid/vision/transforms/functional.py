"""Single steps on pictures: Pillow's images, arrays ``[H, W, C]`` or tensors ``[..., C, H, W]``.

Every function returns a picture of the kind it was given, unless its name says otherwise.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid.dtypes import dtype as Dtype
from pellucid.dtypes import float32, get_default_dtype, uint8
from pellucid.errors import ArgumentError, ArgumentTypeError
from pellucid.nn import functional as F
from pellucid.ops.elementwise.conditional import clamp, where
from pellucid.ops.shape.join import cat, stack
from pellucid.tensors import Tensor
from pellucid.tensors.creation import as_tensor, from_numpy
from pellucid.tensors.ranges import linspace
from pellucid.vision.pil import (
    as_tensor_of_channels,
    channels_of,
    is_pillow_image,
    pillow,
    require_picture,
    size_of,
    through_tensor,
)

__all__ = [
    "InterpolationMode", "adjust_brightness", "adjust_contrast", "adjust_hue",
    "adjust_saturation", "center_crop", "convert_image_dtype", "crop", "erase", "gaussian_blur",
    "get_dimensions", "get_image_size", "hflip", "normalize", "pad", "pil_to_tensor", "resize",
    "resized_crop", "rgb_to_grayscale", "rotate", "to_grayscale", "to_pil_image", "to_tensor",
    "vflip",
]  # fmt: skip


class InterpolationMode(enum.Enum):
    """How values between pixels are found."""

    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"


# ---- from one kind of picture to another ----------------------------------------------------


def to_tensor(pic: Any) -> Tensor:
    """Return an image or an array ``[H, W, C]`` as a tensor ``[C, H, W]``.

    Numbers of dtype ``uint8`` become floats between 0 and 1. Raises TypeError for what is neither,
    and ValueError for an array of other than two or three dimensions.

    Args:
        pic: Image of Pillow's, or an array ``[H, W]`` or ``[H, W, C]``.

    >>> import numpy
    >>> to_tensor(numpy.full((2, 2, 3), 51, numpy.uint8)).unique()
    tensor([0.2000])
    """
    if isinstance(pic, Tensor) or not (isinstance(pic, np.ndarray) or is_pillow_image(pic)):
        raise ArgumentTypeError(f"pic should be PIL Image or ndarray. Got {type(pic)}")
    channels = as_tensor_of_channels(pic)
    return channels.to(get_default_dtype()) / 255 if channels.dtype == uint8 else channels


def pil_to_tensor(pic: Any) -> Tensor:
    """Return an image or an array as a tensor ``[C, H, W]`` of the same numbers.

    Args:
        pic: Image of Pillow's, or an array ``[H, W, C]``.

    >>> import numpy
    >>> pil_to_tensor(numpy.zeros((2, 4, 3), numpy.uint8)).shape
    torch.Size([3, 2, 4])
    """
    require_picture(pic)
    return as_tensor_of_channels(pic)


def to_pil_image(pic: Any, mode: str | None = None) -> Any:
    """Return a tensor ``[C, H, W]`` or an array ``[H, W, C]`` as an image of Pillow's.

    Floats between 0 and 1 become bytes. Raises ImportError if Pillow is not installed.

    Args:
        pic: The tensor or array; floating-point numbers are between 0 and 1.
        mode: Pillow's name of the kind of image, such as ``"RGB"``; by default it follows from the
            number of channels.

    >>> to_pil_image(torch.zeros(3, 2, 4)).size
    (4, 2)
    """
    require_picture(pic)
    Image = pillow("to_pil_image")
    if isinstance(pic, Tensor):
        if pic.ndim not in (2, 3):
            raise ArgumentError(f"pic should be 2/3 dimensional. Got {pic.ndim} dimensions.")
        array = bytes_of(pic).detach().numpy()
        array = np.moveaxis(array[None] if array.ndim == 2 else array, 0, 2)
    else:
        array = pic if pic.ndim == 3 else pic[:, :, None]
    if array.shape[2] > 4:
        raise ArgumentError(f"pic should not have > 4 channels. Got {array.shape[2]} channels.")
    array = np.ascontiguousarray(array[:, :, 0] if array.shape[2] == 1 else array)
    image = Image.fromarray(array)
    return image if mode is None else image.convert(mode)


def bytes_of(picture: Tensor) -> Tensor:
    """Return numbers between 0 and 1 as bytes; other dtypes stay as they are."""
    return (picture * 255).to(uint8) if picture.dtype.is_floating_point else picture


def convert_image_dtype(image: Tensor, dtype: Dtype = float32) -> Tensor:
    """Convert an image to another dtype and scale its range along: 255 becomes 1.0.

    Args:
        image: Tensor of any shape, integer or floating point.
        dtype: The dtype of the result.

    >>> convert_image_dtype(torch.tensor([0, 255], dtype=torch.uint8))
    tensor([0., 1.])
    >>> convert_image_dtype(torch.tensor([0.0, 1.0]), torch.uint8)
    tensor([  0, 255], dtype=torch.uint8)
    """
    if image.dtype == dtype:
        return image
    if image.dtype.is_floating_point:
        if dtype.is_floating_point:
            return image.to(dtype)
        # All integers get an equally long piece of the interval.
        return (image * (_largest(dtype) + 1 - 1e-3)).to(dtype)
    if dtype.is_floating_point:
        return image.to(dtype) / _largest(image.dtype)
    ratio = (_largest(image.dtype) + 1) / (_largest(dtype) + 1)
    return (image // int(ratio)).to(dtype) if ratio > 1 else image.to(dtype) * int(1 / ratio)


def _largest(dtype: Dtype) -> int:
    return {"uint8": 255, "int8": 127, "int16": 2**15 - 1, "int32": 2**31 - 1, "int64": 2**63 - 1}[
        str(dtype).removeprefix("torch.")
    ]


def get_image_size(img: Any) -> list[int]:
    """Return the width and the height of an image.

    Args:
        img: Image ``[*, C, H, W]``, or an image of Pillow's.

    >>> get_image_size(torch.ones(3, 4, 5))
    [5, 4]
    """
    height, width = size_of(img)
    return [width, height]


def get_dimensions(img: Any) -> list[int]:
    """Return the number of channels, the height and the width of an image.

    Args:
        img: Image ``[*, C, H, W]``, or an image of Pillow's.

    >>> get_dimensions(torch.ones(3, 4, 5))
    [3, 4, 5]
    """
    return [channels_of(img), *size_of(img)]


# ---- numbers --------------------------------------------------------------------------------


def normalize(
    tensor: Tensor, mean: Sequence[float], std: Sequence[float], inplace: bool = False
) -> Tensor:
    """Subtract a mean from every channel and divide by a standard deviation.

    Raises TypeError for integers, ValueError for a deviation of zero.

    Args:
        tensor: Floating-point image ``[*, C, H, W]``.
        mean: Mean of each channel.
        std: Standard deviation of each channel.
        inplace: Whether the image itself is changed.

    >>> normalize(torch.ones(1, 1, 2), [0.5], [0.25])
    tensor([[[2., 2.]]])
    """
    if not isinstance(tensor, Tensor):
        raise ArgumentTypeError(f"img should be Tensor Image. Got {type(tensor)}")
    if not tensor.dtype.is_floating_point:
        raise ArgumentTypeError(
            f"Input tensor should be a float tensor. Got {tensor.dtype}. Use ToTensor before it."
        )
    if tensor.ndim < 3:
        raise ArgumentError(
            "Expected tensor to be a tensor image of size (..., C, H, W). "
            f"Got tensor.size() = {tensor.shape}"
        )
    centre, spread = (as_tensor(values, dtype=tensor.dtype) for values in (mean, std))
    if 0 in spread.reshape(-1).tolist():
        raise ArgumentError(
            f"std evaluated to zero after conversion to {tensor.dtype}, leading to division by zero"
        )
    centre, spread = (v.view(-1, 1, 1) if v.ndim == 1 else v for v in (centre, spread))
    tensor = tensor if inplace else tensor.clone()
    return tensor.sub_(centre).div_(spread)


def rgb_to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """Return the brightness of an image, red, green and blue weighted as the eye does.

    Weights: ITU-R BT.601.

    Args:
        img: Image ``[*, C, H, W]``, or an image of Pillow's.
        num_output_channels: 1, or 3 for three equal channels.

    Raises:
        ValueError: For another number of channels.

    >>> rgb_to_grayscale(torch.ones(3, 2, 2)).shape
    torch.Size([1, 2, 2])
    """
    if num_output_channels not in (1, 3):
        raise ArgumentError("num_output_channels should be either 1 or 3")

    def change(picture: Tensor) -> Tensor:
        gray = _gray(picture)
        return cat([gray] * 3, dim=-3) if num_output_channels == 3 else gray

    return through_tensor(img, change)


to_grayscale = rgb_to_grayscale


def _gray(picture: Tensor) -> Tensor:
    if picture.shape[-3] == 1:
        return picture
    red, green, blue = picture.unbind(dim=-3)
    return (0.2989 * red + 0.587 * green + 0.114 * blue).to(picture.dtype).unsqueeze(-3)


def _blend(picture: Tensor, other: Tensor, share: float) -> Tensor:
    largest = 1 if picture.dtype.is_floating_point else _largest(picture.dtype)
    mixed = share * picture.float() + (1 - share) * other.float()
    return clamp(mixed, 0, largest).to(picture.dtype)


def adjust_brightness(img: Any, brightness_factor: float) -> Any:
    """Multiply by a factor: 0 gives black, 1 the same image.

    Args:
        img: Image ``[*, C, H, W]``, or an image of Pillow's.
        brightness_factor: The factor, at least 0.

    Raises:
        ValueError: If the factor is negative.

    >>> adjust_brightness(torch.tensor([[[0.2]]]), 2.0)
    tensor([[[0.4000]]])
    """
    _require_factor(brightness_factor, "brightness_factor")
    return through_tensor(img, lambda x: _blend(x, x * 0, brightness_factor))


def adjust_contrast(img: Any, contrast_factor: float) -> Any:
    """Move every pixel away from the mean brightness: 0 gives plain grey, 1 the same image.

    Args:
        img: Image ``[*, C, H, W]``, or an image of Pillow's.
        contrast_factor: The factor, at least 0.

    Raises:
        ValueError: If the factor is negative.

    >>> adjust_contrast(torch.tensor([[[0.2, 0.4]]]), 0.0)
    tensor([[[0.3000, 0.3000]]])
    """
    _require_factor(contrast_factor, "contrast_factor")

    def change(picture: Tensor) -> Tensor:
        middle = _gray(picture).float().mean(dim=(-3, -2, -1), keepdim=True)
        return _blend(picture, middle, contrast_factor)

    return through_tensor(img, change)


def adjust_saturation(img: Any, saturation_factor: float) -> Any:
    """Move every pixel away from its own grey: 0 gives no colour, 1 the same image.

    Args:
        img: Image ``[*, C, H, W]``, or an image of Pillow's.
        saturation_factor: The factor, at least 0.

    Raises:
        ValueError: If the factor is negative.

    >>> adjust_saturation(torch.ones(3, 1, 1), 0.5).shape
    torch.Size([3, 1, 1])
    """
    _require_factor(saturation_factor, "saturation_factor")
    return through_tensor(img, lambda x: _blend(x, _gray(x), saturation_factor))


def _require_factor(factor: float, name: str) -> None:
    if factor < 0:
        raise ArgumentError(f"{name} ({factor}) is not non-negative.")


def adjust_hue(img: Any, hue_factor: float) -> Any:
    """Rotate the hue of all colours by a fraction of the colour circle.

    Args:
        img: Image ``[*, C, H, W]``, or an image of Pillow's.
        hue_factor: The fraction, between -0.5 and 0.5.

    Raises:
        ValueError: If the fraction is out of range.

    >>> adjust_hue(torch.tensor([[[1.0]], [[0.0]], [[0.0]]]), 0.5).flatten()  # red becomes cyan
    tensor([0., 1., 1.])
    """
    if not -0.5 <= hue_factor <= 0.5:
        raise ArgumentError(f"hue_factor ({hue_factor}) is not in [-0.5, 0.5].")

    def change(picture: Tensor) -> Tensor:
        if picture.shape[-3] == 1:
            return picture
        turned = _with_hue_turned(convert_image_dtype(picture, float32), hue_factor)
        return convert_image_dtype(turned, picture.dtype)

    return through_tensor(img, change)


def _with_hue_turned(picture: Tensor, part: float) -> Tensor:
    """Go to hue, saturation and value, turn, and come back (Smith, 1978)."""
    value = picture.amax(dim=-3)
    chroma = value - picture.amin(dim=-3)
    red, green, blue = picture.unbind(dim=-3)
    some = where(chroma == 0, 1.0, chroma)
    sector = where(
        value == red,
        (green - blue) / some,
        where(value == green, 2 + (blue - red) / some, 4 + (red - green) / some),
    )
    hue = (sector / 6 + part) % 1.0
    # A channel falls from value to value - chroma over two sixths of the circle, by its own phase.
    phases = [(hue * 6 + offset) % 6 for offset in (5.0, 3.0, 1.0)]
    return stack([value - chroma * clamp(where(k < 4 - k, k, 4 - k), 0, 1) for k in phases], dim=-3)


# ---- places ---------------------------------------------------------------------------------


def hflip(img: Any) -> Any:
    """Mirror an image left to right.

    Args:
        img: Image ``[*, C, H, W]``, or an image of Pillow's.

    >>> hflip(torch.tensor([[[1, 2]]]))
    tensor([[[2, 1]]])
    """
    return through_tensor(img, lambda x: x.flip(-1))


def vflip(img: Any) -> Any:
    """Mirror an image top to bottom.

    Args:
        img: Image ``[*, C, H, W]``, or an image of Pillow's.

    >>> vflip(torch.tensor([[[1], [2]]])).flatten()
    tensor([2, 1])
    """
    return through_tensor(img, lambda x: x.flip(-2))


def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """Cut a rectangle out of an image; what lies outside of it is zero.

    Args:
        img: Image ``[*, C, H, W]``, or an image of Pillow's.
        top: First row.
        left: First column.
        height: Number of rows.
        width: Number of columns.

    >>> crop(torch.arange(4).view(1, 2, 2), 1, 0, 1, 2)
    tensor([[[2, 3]]])
    """

    def change(picture: Tensor) -> Tensor:
        rows, columns = picture.shape[-2:]
        part = picture[..., max(top, 0) : max(top + height, 0), max(left, 0) : max(left + width, 0)]
        margins = [
            max(-left, 0), max(left + width - columns, 0), max(-top, 0), max(top + height - rows, 0)
        ]  # fmt: skip
        return F.pad(part, margins) if any(margins) else part

    return through_tensor(img, change)


def center_crop(img: Any, output_size: int | Sequence[int]) -> Any:
    """Cut out the middle of an image, after padding with zeros where it is smaller.

    Args:
        img: Image ``[*, C, H, W]``, or an image of Pillow's.
        output_size: Height and width, or one number for both.

    >>> center_crop(torch.arange(9).view(1, 3, 3), 1)
    tensor([[[4]]])
    """
    wanted = pair(output_size)
    height, width = size_of(img)
    missing = [max(w - h, 0) for w, h in zip(wanted, (height, width), strict=True)]
    if any(missing):
        upper, left = (n // 2 for n in missing)
        lower, right = ((n + 1) // 2 for n in missing)
        img = pad(img, [left, upper, right, lower])
        height, width = size_of(img)
    top, left = (round((h - w) / 2) for h, w in zip((height, width), wanted, strict=True))
    return crop(img, top, left, *wanted)


def pair(size: int | Sequence[int]) -> tuple[int, int]:
    """Return height and width of a size given by one or two numbers."""
    if isinstance(size, int):
        return size, size
    if len(size) == 1:
        return size[0], size[0]
    if len(size) != 2:
        raise ArgumentError("Please provide only two dimensions (h, w) for size.")
    return size[0], size[1]


def pad(
    img: Any, padding: int | Sequence[int], fill: Any = 0, padding_mode: str = "constant"
) -> Any:
    """Add a border to an image.

    Args:
        img: Image ``[*, C, H, W]``, or an image of Pillow's.
        padding: The widths: one number, ``(x, y)``, or ``(left, top, right, bottom)``.
        fill: The value of a constant border.
        padding_mode: ``"constant"``, ``"edge"``, ``"reflect"`` or ``"symmetric"``.

    Raises:
        ValueError: If there is no such mode.

    >>> pad(torch.ones(1, 1, 1), [1, 0])
    tensor([[[0., 1., 0.]]])
    """
    if padding_mode not in ("constant", "edge", "reflect", "symmetric"):
        raise ArgumentError("Padding mode should be either constant, edge, reflect or symmetric")
    left, top, right, bottom = _margins(padding)

    def change(picture: Tensor) -> Tensor:
        if padding_mode == "constant":
            return _pad_with(picture, (left, right, top, bottom), fill)
        # NumPy's modes have the same names, and say where in the picture each pixel comes from.
        rows = np.pad(np.arange(picture.shape[-2]), (top, bottom), padding_mode)
        columns = np.pad(np.arange(picture.shape[-1]), (left, right), padding_mode)
        return picture[..., from_numpy(rows)[:, None], from_numpy(columns)]

    return through_tensor(img, change)


def _margins(padding: int | Sequence[int]) -> tuple[int, int, int, int]:
    sides = [padding] if isinstance(padding, int) else list(padding)
    if len(sides) not in (1, 2, 4):
        raise ArgumentError(
            "Padding must be an int or a 1, 2, or 4 element tuple, not a "
            f"{len(sides)} element tuple"
        )
    left, top, right, bottom = sides * (4 // len(sides))
    return left, top, right, bottom


def _pad_with(picture: Tensor, margins: tuple[int, int, int, int], fill: Any) -> Tensor:
    if not isinstance(fill, Sequence):
        return F.pad(picture, margins, value=fill)
    inside = F.pad(picture[..., :1, :, :] * 0 == 0, margins)
    return where(inside, F.pad(picture, margins), _fill_of_channels(picture, fill))


def _fill_of_channels(picture: Tensor, fill: Any) -> Tensor:
    return as_tensor(fill, dtype=picture.dtype).reshape(-1, 1, 1)


def resize(
    img: Any, size: int | Sequence[int],
    interpolation: InterpolationMode = InterpolationMode.BILINEAR, max_size: int | None = None,
    antialias: bool | None = True,
) -> Any:  # fmt: skip
    """Resize an image to a height and width, or its shorter side to one number.

    Raises ValueError for an interpolation that the kind of picture does not have.

    Args:
        img: Image ``[*, C, H, W]``, or an image of Pillow's.
        size: Height and width, or the length of the shorter side.
        interpolation: How values between pixels are found.
        max_size: The most that the longer side may become, or None.
        antialias: Whether pixels are averaged where the image becomes smaller.

    >>> resize(torch.ones(3, 20, 40), 10).shape
    torch.Size([3, 10, 20])
    """
    height, width = _size_after_resizing(size_of(img), size, max_size)
    if (height, width) == size_of(img):
        return img
    if is_pillow_image(img):
        kind = interpolation.name.removesuffix("_EXACT")
        return img.resize((width, height), getattr(pillow("resize").Resampling, kind))
    mode = interpolation.value
    if mode not in ("nearest", "nearest-exact", "bilinear", "bicubic"):
        raise ArgumentError(
            "This Interpolation mode is unsupported with Tensor input: use nearest, bilinear or "
            f"bicubic, not {mode}"
        )

    def change(picture: Tensor) -> Tensor:
        smooth = mode in ("bilinear", "bicubic")
        options = {"align_corners": False, "antialias": bool(antialias)} if smooth else {}
        batch = _as_float(picture).reshape(-1, 1, *picture.shape[-2:])
        batch = F.interpolate(batch, size=(height, width), mode=mode, **options)
        return _back(batch.reshape(*picture.shape[:-2], height, width), picture.dtype)

    return through_tensor(img, change)


def _as_float(picture: Tensor) -> Tensor:
    return picture if picture.dtype.is_floating_point else picture.to(float32)


def _back(picture: Tensor, dtype: Dtype) -> Tensor:
    if dtype.is_floating_point:
        return picture
    return clamp(picture.round(), 0, _largest(dtype)).to(dtype)


def _size_after_resizing(
    old: tuple[int, int], size: int | Sequence[int], max_size: int | None
) -> tuple[int, int]:
    if not isinstance(size, int) and len(size) == 2:
        if max_size is not None:
            raise ArgumentError(
                "max_size should only be passed if size specifies the length of the smaller edge, "
                "i.e. size should be an int or a sequence of length 1 in torchscript mode."
            )
        return size[0], size[1]
    short, long = sorted(old)
    new_short = pair(size)[0]
    new_long = int(new_short * long / short)
    if max_size is not None:
        if max_size <= new_short:
            raise ArgumentError(
                f"max_size = {max_size} must be strictly greater than the requested size for the "
                f"smaller edge size = {size}"
            )
        if new_long > max_size:
            new_short, new_long = int(max_size * new_short / new_long), max_size
    return (new_short, new_long) if old[0] <= old[1] else (new_long, new_short)


def resized_crop(
    img: Any, top: int, left: int, height: int, width: int, size: int | Sequence[int],
    interpolation: InterpolationMode = InterpolationMode.BILINEAR, antialias: bool | None = True,
) -> Any:  # fmt: skip
    """Cut a rectangle out of an image and resize it.

    Args:
        img: Image ``[*, C, H, W]``, or an image of Pillow's.
        top: First row.
        left: First column.
        height: Number of rows.
        width: Number of columns.
        size: Height and width of the result, or the length of its shorter side.
        interpolation: As in `resize`.
        antialias: As in `resize`.

    >>> resized_crop(torch.ones(3, 8, 8), 0, 0, 4, 4, [2, 2]).shape
    torch.Size([3, 2, 2])
    """
    return resize(crop(img, top, left, height, width), size, interpolation, antialias=antialias)


def rotate(
    img: Any, angle: float, interpolation: InterpolationMode = InterpolationMode.NEAREST,
    expand: bool = False, center: Sequence[int] | None = None, fill: Any = 0,
) -> Any:  # fmt: skip
    """Rotate an image counter-clockwise.

    Args:
        img: Image ``[*, C, H, W]``, or an image of Pillow's.
        angle: Degrees.
        interpolation: Nearest or bilinear.
        expand: Whether the result is large enough for the whole image; its corners are cut off
            otherwise.
        center: The point ``(x, y)`` to rotate about; the middle by default.
        fill: The value of what lies outside of the image.

    Raises:
        ValueError: For another interpolation.

    >>> rotate(torch.tensor([[[1, 2], [3, 4]]]), 90)
    tensor([[[2, 4],
             [1, 3]]])
    """
    if interpolation not in (InterpolationMode.NEAREST, InterpolationMode.BILINEAR):
        raise ArgumentError(f"Pictures are turned by nearest or bilinear, not {interpolation}")

    def change(picture: Tensor) -> Tensor:
        rows, columns = _sources(picture.shape[-2:], math.radians(angle), expand, center)
        if interpolation is InterpolationMode.NEAREST:
            return _taken(picture, np.rint(rows), np.rint(columns), fill)
        return _between(picture, rows, columns, fill)

    return through_tensor(img, change)


def _sources(
    size: Sequence[int], angle: float, expand: bool, center: Sequence[float] | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return for every pixel of the turned picture from which row and column it comes."""
    height, width = size
    cosine, sine = math.cos(angle), math.sin(angle)
    out_height, out_width = height, width
    if expand:
        # Rounded first, so that a quarter turn does not gain a pixel by rounding of the cosine.
        out_height = math.ceil(round(abs(height * cosine) + abs(width * sine), 3))
        out_width = math.ceil(round(abs(width * cosine) + abs(height * sine), 3))
    middle_x, middle_y = (width - 1) / 2, (height - 1) / 2
    if center is not None:
        middle_x, middle_y = center[0] - 0.5, center[1] - 0.5
    shift_x, shift_y = (out_width - width) / 2, (out_height - height) / 2
    y = np.arange(out_height)[:, None] - shift_y - middle_y
    x = np.arange(out_width) - shift_x - middle_x
    # Away from ties: sines of quarter turns are off by a rounding.
    rows = np.round(sine * x + cosine * y + middle_y, 6)
    columns = np.round(cosine * x - sine * y + middle_x, 6)
    return rows, columns


def _taken(picture: Tensor, rows: np.ndarray, columns: np.ndarray, fill: Any) -> Tensor:
    height, width = picture.shape[-2:]
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    found = picture[
        ...,
        from_numpy(np.clip(rows, 0, height - 1).astype(np.int64)),
        from_numpy(np.clip(columns, 0, width - 1).astype(np.int64)),
    ]
    return where(from_numpy(inside), found, _fill_of_channels(picture, fill))


def _between(picture: Tensor, rows: np.ndarray, columns: np.ndarray, fill: Any) -> Tensor:
    top, left = np.floor(rows), np.floor(columns)
    down, right = (
        from_numpy((a - b).astype(np.float32)) for a, b in ((rows, top), (columns, left))
    )
    values = _as_float(picture)
    upper = _taken(values, top, left, fill) * (1 - right)
    upper = upper + _taken(values, top, left + 1, fill) * right
    lower = _taken(values, top + 1, left, fill) * (1 - right)
    lower = lower + _taken(values, top + 1, left + 1, fill) * right
    return _back(upper * (1 - down) + lower * down, picture.dtype)


def erase(img: Tensor, i: int, j: int, h: int, w: int, v: Any, inplace: bool = False) -> Tensor:
    """Write a value over a rectangle of an image.

    Args:
        img: Image ``[*, C, H, W]``.
        i: First row.
        j: First column.
        h: Number of rows.
        w: Number of columns.
        v: A number, or a tensor that broadcasts to the rectangle.
        inplace: Whether the image itself is changed.

    Raises:
        TypeError: If the image is not a tensor.

    >>> erase(torch.ones(1, 1, 3), 0, 1, 1, 2, 0.0)
    tensor([[[1., 0., 0.]]])
    """
    if not isinstance(img, Tensor):
        raise ArgumentTypeError(f"img should be Tensor Image. Got {type(img)}")
    img = img if inplace else img.clone()
    img[..., i : i + h, j : j + w] = v
    return img


# ---- blurring -------------------------------------------------------------------------------


def gaussian_blur(
    img: Any, kernel_size: int | Sequence[int], sigma: float | Sequence[float] | None = None
) -> Any:
    """Average every pixel with those around it, with weights of a normal distribution.

    What is beyond the border is the picture mirrored.

    Args:
        img: Image ``[*, C, H, W]``, or an image of Pillow's.
        kernel_size: Width and height of the window, odd, or one number for both.
        sigma: Standard deviations along width and height in pixels, or one number for both; by
            default ``0.3 * ((size - 1) / 2 - 1) + 0.8``.

    Raises:
        ValueError: If a size is even or a deviation not positive.

    >>> gaussian_blur(torch.tensor([[[0.0, 0.0, 1.0, 0.0, 0.0]] * 3]), 3, 0.5)[0, 1]
    tensor([0.0000, 0.1065, 0.7870, 0.1065, 0.0000])
    """
    sizes = pair(kernel_size)
    if any(size % 2 == 0 or size < 0 for size in sizes):
        raise ArgumentError(f"kernel_size should have odd and positive integers. Got {list(sizes)}")
    if sigma is None:
        deviations = [0.3 * ((size - 1) * 0.5 - 1) + 0.8 for size in sizes]
    else:
        deviations = list(sigma) * 2 if isinstance(sigma, Sequence) else [sigma, sigma]
    if any(each <= 0 for each in deviations[:2]):
        raise ArgumentError(f"sigma should have positive values. Got {deviations[:2]}")
    across, down = map(_weights, sizes, deviations)

    def blurred(picture: Tensor) -> Tensor:
        numbers = _as_float(picture)
        channels = numbers.shape[-3]
        kernel = (down[:, None] * across).to(numbers.dtype).expand(channels, 1, *sizes[::-1])
        width, height = (size // 2 for size in sizes)
        padded = F.pad(
            numbers.reshape(-1, *numbers.shape[-3:]), (width, width, height, height), "reflect"
        )
        result = F.conv2d(padded, kernel, groups=channels).reshape(picture.shape)
        return _back(result, picture.dtype)

    return through_tensor(img, blurred)


def _weights(size: int, deviation: float) -> Tensor:
    half = (size - 1) / 2
    weights = (-0.5 * (linspace(-half, half, size) / deviation) ** 2).exp()
    return weights / weights.sum()
