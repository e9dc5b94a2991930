"""``functorch.experimental``: `vmap` in pieces, and what `torch.func` has by now."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from pellucid.func import (
    control_flow,
    functionalize,
    hessian,
    jacfwd,
    jvp,
    replace_all_batch_norm_modules_,
    vmap,
)

__all__ = [
    "chunk_vmap", "control_flow", "functionalize", "hessian", "jacfwd", "jvp",
    "replace_all_batch_norm_modules_",
]  # fmt: skip


def chunk_vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error",
    chunks: int = 2,
) -> Callable[..., Any]:  # fmt: skip
    """Return a function that maps another over a batch piece by piece.

    Args:
        func, in_dims, out_dims, randomness: As for `torch.vmap`.
        chunks: The number of pieces; 1 for the whole batch at once.

    >>> from pellucid.compat.functorch.experimental import chunk_vmap
    >>> chunk_vmap(torch.sin, chunks=2)(torch.zeros(5)).shape
    torch.Size([5])
    """
    if chunks == 1:
        return vmap(func, in_dims=in_dims, out_dims=out_dims, randomness=randomness)

    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        size = _batch_size(in_dims, args)
        return vmap(
            func, in_dims=in_dims, out_dims=out_dims, randomness=randomness,
            chunk_size=max(-(-size // chunks), 1),
        )(*args, **kwargs)  # fmt: skip

    return mapped


def _batch_size(in_dims: Any, args: Any) -> int:
    """Return the size of the first mapped dimension that is found."""
    if isinstance(args, tuple | list):
        for place, each in enumerate(args):
            found = _batch_size(in_dims if isinstance(in_dims, int) or in_dims is None
                                else in_dims[place], each)  # fmt: skip
            if found:
                return found
        return 0
    if isinstance(args, dict):
        return next((n for key, each in args.items() if (n := _batch_size(
            in_dims if isinstance(in_dims, int) else in_dims[key], each))), 0)  # fmt: skip
    return args.shape[in_dims] if in_dims is not None and hasattr(args, "shape") else 0
