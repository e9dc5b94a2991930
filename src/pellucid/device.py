"""Devices: names are checked as PyTorch checks them; there are the CPU and ``meta``."""

from __future__ import annotations

import re
import threading
from typing import Any

from pellucid.blocks import having
from pellucid.errors import ArgumentTypeError, DeviceError, GraphError

KNOWN_TYPES = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia",
    "xla", "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone",
)  # fmt: skip
_NAME_AND_INDEX = re.compile(r"([a-zA-Z_]+)(?::(0|[1-9][0-9]*))?")


class device:  # noqa: N801 - PyTorch's name
    """A kind of device, with an index where there are several.

    A device may be named that does not exist here; using it raises. In a ``with`` block new tensors
    are made on it. Tensors on ``meta`` have shape and dtype, and no values.

    Args:
        type: The kind, such as ``"cpu"``, also with an index, as ``"cuda:1"``; another device; or
            the index of a CUDA device.
        index: The index of the device.

    Raises:
        RuntimeError: If there is no such kind of device.

    >>> torch.device("cuda", 1)
    device(type='cuda', index=1)
    >>> with torch.device("meta"):
    ...     torch.ones(2, 3)
    tensor(..., device='meta', size=(2, 3))
    """

    __slots__ = ("index", "type")

    def __init__(self, type: Any = None, index: int | None = None) -> None:
        if isinstance(type, device):
            type, index = type.type, type.index if index is None else index
        if isinstance(type, int):
            if type < 0:
                raise GraphError("Device index must not be negative")
            type, index = "cuda", type
        if not isinstance(type, str):
            raise ArgumentTypeError(
                f"device(): argument 'type' must be str, not {type.__class__.__name__}"
            )
        if not type:
            raise GraphError("Device string must not be empty")
        parts = _NAME_AND_INDEX.fullmatch(type)
        if parts is None:
            raise GraphError(f"Invalid device string: '{type}'")
        name, number = parts.groups()
        if name not in KNOWN_TYPES:
            raise GraphError(
                f"Expected one of {', '.join(KNOWN_TYPES)} device type at start of device string: "
                f"{name}"
            )
        if number and index is not None:
            raise GraphError(f"Invalid device string: '{type}'")
        self.type = name
        self.index = int(number) if number else index

    def __enter__(self) -> device:
        """Make it the device of new tensors in the block; raise for one that is not there."""
        wanted = check_device(self)
        block = having(placing, device=wanted)
        placing.entered = (*placing.entered, block)
        block.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        placing.entered[-1].__exit__(None, None, None)
        placing.entered = placing.entered[:-1]

    def __repr__(self) -> str:
        place = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{place})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> tuple[Any, ...]:
        return (device, (self.type, self.index))


cpu_device = device("cpu")
meta_device = device("meta")


class _Placing(threading.local):
    """Where new tensors of one thread are made."""

    device: device = cpu_device
    #: the blocks that are running, the innermost last
    entered: tuple[Any, ...] = ()


placing = _Placing()


def check_device(value: Any) -> device:
    """Return the device that is meant, or raise RuntimeError if it is not here."""
    found = cpu_device if value is None else device(value)
    if found.type == "meta":
        return meta_device
    if found == cpu_device:
        return cpu_device
    if found.type != "cpu":
        raise DeviceError(
            f"device '{found}' is not available: pellucid computes on the CPU. Choose a device by "
            "'cuda' if torch.cuda.is_available() else 'cpu', which gives 'cpu' here."
        )
    return found
