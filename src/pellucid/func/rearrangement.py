"""``torch.func.rearrange``: dimensions by name, in the language of einops."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from pellucid.errors import ArgumentError
from pellucid.tensors import Tensor

__all__ = ["rearrange"]


def rearrange(tensor: Tensor | Sequence[Tensor], pattern: str, **axes_lengths: int) -> Tensor:
    """Transpose, split, merge, add and drop dimensions as a pattern of names says.

    The work is that of the package einops, which has to be installed.

    Args:
        tensor: A tensor, or several of one shape, which are stacked first: the first name stands
            for them.
        pattern: The names of the dimensions before and after, as in ``"b h w -> b (h w)"``.
        axes_lengths: Lengths of dimensions that the tensor's shape leaves open.

    Returns:
        A view where the strides allow it, else a copy.

    Raises:
        ImportError: If einops is not installed.
        ValueError: If the pattern is not one, or does not suit the shape.

    Examples:
        >>> images = torch.zeros(32, 30, 40, 3)
        >>> torch.func.rearrange(images, "b (h1 h) w c -> (b h1) c h w", h1=2).shape
        torch.Size([64, 3, 15, 40])
    """
    try:
        einops = importlib.import_module("einops")
    except ImportError as error:
        raise ImportError(
            "torch.func.rearrange needs einops, which is not installed: pip install einops"
        ) from error
    try:
        return einops.rearrange(tensor, pattern, **axes_lengths)
    except einops.EinopsError as error:
        raise ArgumentError(_in_one_sentence(error, pattern)) from error


def _in_one_sentence(error: Any, pattern: str) -> str:
    """Return what einops says is wrong, which it does in the last line, with the pattern."""
    return f"{str(error).splitlines()[-1].strip()}: rearrange by {pattern!r}"
