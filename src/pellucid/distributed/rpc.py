"""Calls of functions in other processes, which are not here; programs ask whether they are."""

from __future__ import annotations

from typing import Any, NoReturn

from pellucid.errors import UnimplementedError

__all__ = ["init_rpc", "is_available"]


def is_available() -> bool:
    """Return False: functions of other processes cannot be called.

    >>> torch.distributed.rpc.is_available()
    False
    """
    return False


def init_rpc(name: str, *args: Any, **options: Any) -> NoReturn:
    """Raise NotImplementedError, which says what there is instead.

    Args:
        name: The name that the process would have.
        args: Others of PyTorch's.
        options: Like ``args``.
    """
    raise UnimplementedError(
        "torch.distributed.rpc is not here: let the processes exchange tensors and objects by "
        "torch.distributed (send, broadcast_object_list), or use multiprocessing"
    )
