"""What asks about sparse tensors: their invariants, and derivatives with respect to them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from pellucid.blocks import Block

Check = TypeVar("Check", bound=Callable[..., Any])


class check_sparse_tensor_invariants(Block):  # noqa: N801 - PyTorch's name
    """A block or decorator that turns checks of indices on or off; here they are always checked.

    Args:
        enable: What `is_enabled` says inside the block.

    >>> with torch.sparse.check_sparse_tensor_invariants():
    ...     print(torch.sparse.check_sparse_tensor_invariants.is_enabled())
    True
    """

    _enabled = False

    def __init__(self, enable: bool = True) -> None:
        self._wanted = enable

    @classmethod
    def is_enabled(cls) -> bool:
        """Return what was set last."""
        return check_sparse_tensor_invariants._enabled

    @classmethod
    def enable(cls) -> None:
        """Turn the checks on."""
        check_sparse_tensor_invariants._enabled = True

    @classmethod
    def disable(cls) -> None:
        """Note that no checks are wanted."""
        check_sparse_tensor_invariants._enabled = False

    def _begin(self) -> None:
        self._set(check_sparse_tensor_invariants, "_enabled", self._wanted)

    def __call__(self, function: Check) -> Check:
        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self._wanted):
                return function(*args, **kwargs)

        return checked  # pyright: ignore[reportReturnType]


def as_sparse_gradcheck(gradcheck: Check) -> Check:
    """Return a gradcheck that takes sparse tensors, as the one here does anyway.

    Args:
        gradcheck: ``torch.autograd.gradcheck``.

    >>> check = torch.sparse.as_sparse_gradcheck(torch.autograd.gradcheck)
    >>> s = torch.eye(2, dtype=torch.float64).to_sparse().requires_grad_()
    >>> check(lambda s: s.to_dense() * 2, (s,))
    True
    """
    return gradcheck
