"""The exceptions of process groups."""

from __future__ import annotations

from pellucid.errors import PellucidError


class DistError(PellucidError, RuntimeError):
    """An error of a process group."""


class DistBackendError(DistError):
    """An exchange between processes that cannot be completed."""


class PeerError(DistBackendError):
    """An exchange that cannot be completed because another rank has failed, died or left.

    Wrong: one rank returns early while the others are in ``all_reduce``. Right: all ranks of a
    group enter the same collectives in the same order.
    """


class MismatchError(DistBackendError):
    """A collective that ranks entered with different operations, shapes, dtypes or options.

    Wrong: ``all_reduce`` on rank 0 where rank 1 calls ``barrier``. Right: the same call, with
    tensors of the same shape and dtype, on each rank.
    """


class CollectiveTimeoutError(DistBackendError):
    """An exchange that was not completed within the time limit of its group."""


class DistStoreError(DistError):
    """A store that has not got a key, or not its processes, within its time limit."""


class QueueEmptyError(DistStoreError):
    """A queue of a store that has nothing to be taken out."""


class DistNetworkError(DistError):
    """A process that cannot be reached."""
