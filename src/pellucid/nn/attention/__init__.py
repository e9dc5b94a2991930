"""Selection of the attention kernel; there is only one, so the choice changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

from pellucid.errors import ArgumentTypeError

__all__ = ["SDPBackend", "WARN_FOR_UNFUSED_KERNELS", "sdpa_kernel"]

WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(IntEnum):
    """Names of the kernels that PyTorch has for ``scaled_dot_product_attention``."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextmanager
def sdpa_kernel(backends: Any, set_priority: bool = False) -> Iterator[None]:
    """Return a context manager that selects attention kernels; the same one runs in any case.

    Args:
        backends: A ``SDPBackend`` or a list of them.
        set_priority: Accepted for compatibility; changes nothing.

    Raises:
        TypeError: If ``backends`` is anything else.

    >>> from pellucid.nn.attention import SDPBackend, sdpa_kernel
    >>> x = torch.ones(1, 1, 2)
    >>> with sdpa_kernel(SDPBackend.MATH):
    ...     torch.nn.functional.scaled_dot_product_attention(x, x, x)
    tensor([[[1., 1.]]])
    """
    listed = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(listed, list | tuple | set) or not all(
        isinstance(each, SDPBackend) for each in listed
    ):
        raise ArgumentTypeError(
            "sdpa_kernel(): backends must be a SDPBackend or a list of them, and not "
            f"{type(backends).__name__}"
        )
    yield
