"""Handles of hooks."""

from __future__ import annotations

import warnings
from typing import Any

from pellucid.autograd.node_extra import RemovableHandle

__all__ = ["RemovableHandle", "warn_if_has_hooks"]


def warn_if_has_hooks(tensor: Any) -> None:
    """Warn that a tensor's hooks are not saved with it.

    Args:
        tensor: A tensor that is about to be saved.

    >>> warn_if_has_hooks(torch.ones(1))
    """
    for hook in (tensor._backward_hooks or {}).values():
        if not hasattr(hook, "__torch_unserialize__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, "
                "you can decorate the function with @torch.utils.hooks.unserializable_hook to "
                "suppress this warning",
                stacklevel=2,
            )


def unserializable_hook(f: Any) -> Any:
    """Mark a hook as one that is not saved, so that nobody is warned of it; return it.

    Args:
        f: A hook of a tensor.
    """
    f.__torch_unserialize__ = True
    return f
