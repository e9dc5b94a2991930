"""Memory formats of convolution weights."""

from __future__ import annotations

from typing import Any, TypeVar

from pellucid.nn.modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from pellucid.nn.modules.module import Module

T = TypeVar("T", bound=Module)


def convert_conv2d_weight_memory_format(module: T, memory_format: Any) -> T:
    """Convert the weights of all 2-d convolutions in a module to a memory format.

    Args:
        module: The module, which is changed in place and returned.
        memory_format: ``torch.channels_last`` or ``torch.contiguous_format``.

    >>> net = torch.nn.Conv2d(2, 3, 2)
    >>> net = torch.nn.utils.convert_conv2d_weight_memory_format(net, torch.channels_last)
    >>> net.weight.is_contiguous(memory_format=torch.channels_last)
    True
    """
    return _converted(module, memory_format, (Conv2d, ConvTranspose2d))


def convert_conv3d_weight_memory_format(module: T, memory_format: Any) -> T:
    """Convert the weights of all 3-d convolutions in a module to a memory format.

    Args:
        module: The module, which is changed in place and returned.
        memory_format: ``torch.channels_last_3d`` or ``torch.contiguous_format``.

    >>> from pellucid.nn.utils.memory_format import convert_conv3d_weight_memory_format
    >>> conv = convert_conv3d_weight_memory_format(torch.nn.Conv3d(2, 3, 2), torch.channels_last_3d)
    >>> conv.weight.is_contiguous(memory_format=torch.channels_last_3d)
    True
    """
    return _converted(module, memory_format, (Conv3d, ConvTranspose3d))


def _converted(module: T, memory_format: Any, kinds: tuple[type[Module], ...]) -> T:
    for part in module.modules():
        if isinstance(part, kinds):
            weight: Any = part.weight
            weight.data = weight.detach().clone(memory_format=memory_format)
    return module
