"""Images: Pillow's, arrays ``[H, W, C]``, tensors ``[..., C, H, W]``, and conversions."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.errors import ArgumentError, ArgumentTypeError
from pellucid.tensors import Tensor
from pellucid.tensors.creation import from_numpy


def pillow(purpose: str) -> Any:
    """Return the module ``PIL.Image``; raise ImportError that says what to install."""
    try:
        return importlib.import_module("PIL.Image")
    except ImportError as error:
        raise ImportError(
            f"{purpose} needs Pillow, which is not installed: pip install 'pellucid[vision]'"
        ) from error


def is_pillow_image(picture: Any) -> bool:
    """Return whether this is an image of Pillow's, without importing Pillow."""
    module = sys.modules.get("PIL.Image")
    return module is not None and isinstance(picture, module.Image)


def require_picture(picture: Any) -> None:
    """Raise TypeError for anything that is not a picture."""
    if not (isinstance(picture, Tensor | np.ndarray) or is_pillow_image(picture)):
        raise ArgumentTypeError(
            f"pic should be PIL Image or ndarray or Tensor. Got {type(picture).__name__}"
        )


def size_of(picture: Any) -> tuple[int, int]:
    """Return height and width."""
    require_picture(picture)
    if isinstance(picture, Tensor):
        return picture.shape[-2], picture.shape[-1]
    if isinstance(picture, np.ndarray):
        return picture.shape[0], picture.shape[1]
    return picture.height, picture.width


def channels_of(picture: Any) -> int:
    """Return the number of channels."""
    require_picture(picture)
    if isinstance(picture, Tensor):
        return 1 if picture.ndim == 2 else picture.shape[-3]
    if isinstance(picture, np.ndarray):
        return 1 if picture.ndim == 2 else picture.shape[2]
    return len(picture.getbands())


def as_tensor_of_channels(picture: Any) -> Tensor:
    """Return a Pillow image or an array as a tensor ``[C, H, W]`` of the same numbers."""
    array = np.asarray(picture)
    if array.ndim not in (2, 3):
        raise ArgumentError(f"pic should be 2/3 dimensional. Got {array.ndim} dimensions.")
    if array.ndim == 2:
        array = array[:, :, None]
    if array.dtype == np.bool_ and is_pillow_image(picture):
        array = array * np.uint8(255)
    return from_numpy(np.ascontiguousarray(np.moveaxis(array, 2, 0)).copy())


def like(picture: Any, channels: Tensor) -> Any:
    """Return a tensor ``[C, H, W]`` as a picture of the kind that was given."""
    if isinstance(picture, Tensor):
        return channels
    array = np.ascontiguousarray(np.moveaxis(channels.numpy(), 0, 2))
    if array.shape[2] == 1 and (is_pillow_image(picture) or picture.ndim == 2):
        array = array[:, :, 0]
    return array if isinstance(picture, np.ndarray) else pillow("This").fromarray(array)


def through_tensor(picture: Any, change: Callable[[Tensor], Tensor]) -> Any:
    """Apply to a picture of any kind what is written for tensors ``[..., C, H, W]``."""
    require_picture(picture)
    if isinstance(picture, Tensor):
        return change(picture)
    return like(picture, change(as_tensor_of_channels(picture)))
