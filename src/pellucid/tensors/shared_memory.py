"""Tensors in memory that other processes see, and how multiprocessing passes them on."""

from __future__ import annotations

from typing import Any

from pellucid import dtypes, sharing
from pellucid.autograd.variable import TensorBase
from pellucid.core.backward.history import edge_of
from pellucid.core.construct import fresh
from pellucid.core.definition.public import public
from pellucid.core.memory.memory_formats import strided
from pellucid.device import check_device
from pellucid.errors import GraphError
from pellucid.kernels.meta import is_meta
from pellucid.tensors.copies import restored
from pellucid.tensors.storages import UntypedStorage


@public(method="share_memory_")
def share_memory_(self: Any) -> Any:
    """Move the values into memory that other processes see; return the tensor.

    A process that is forked afterwards, or that is given the tensor by multiprocessing, works on
    the same values. Views that were made before keep the old memory.

    >>> torch.ones(2).share_memory_().is_shared()
    True
    """
    if is_meta(self._array):
        raise GraphError("_share_fd_: only available on CPU")
    if sharing.map_of(self._array) is None:
        self._array = sharing.shared_copy(self._array)
        if self._extra is not None and self._extra.accumulate is not None:
            self._extra.accumulate.rebind(self)
    _let_multiprocessing_share()
    return self


@public("from_file")
def from_file(
    filename: str, shared: bool | None = None, size: int = 0, *, dtype: Any = None,
    layout: Any = strided, device: Any = None, pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:  # fmt: skip
    """Return a vector over the memory of a file, whose parts are read as they are needed.

    Args:
        filename: Path of the file.
        shared: Whether what is written to the tensor is written to the file, which is then made,
            or made longer, as needed.
        size: Number of elements.
        dtype: Dtype of the elements; the default dtype if None.
        layout: Accepted and not used.
        device: Device of the result: the CPU or ``meta``.
        pin_memory: Accepted and not used.
        requires_grad: Whether the tensor wants a gradient.

    Raises:
        ShapeError: If the file is too short and not shared (a ``RuntimeError``).

    >>> import pathlib, tempfile, numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "numbers")
    ...     np.array([1.0, 2.0, 3.0], np.float32).tofile(path)
    ...     torch.from_file(str(path), size=2)
    tensor([1., 2.])
    """
    check_device(device)
    numpy_dtype = dtypes.default() if dtype is None else dtypes.to_numpy_dtype(dtype)
    storage = UntypedStorage.from_file(filename, bool(shared), size * numpy_dtype.itemsize)
    return fresh(storage.array().view(numpy_dtype), requires_grad)


@public(method="is_shared")
def is_shared(self: Any) -> bool:
    """Return whether the values are in memory that other processes see."""
    return not is_meta(self._array) and sharing.map_of(self._array) is not None


def _let_multiprocessing_share() -> None:
    """Register with multiprocessing how tensors are passed on, class by class."""
    from multiprocessing import reduction

    kinds: list[type[Any]] = [TensorBase]
    while kinds:
        kind = kinds.pop()
        reduction.ForkingPickler.register(kind, _reduced_for_a_process)
        kinds += kind.__subclasses__()


def _reduced_for_a_process(tensor: Any) -> Any:
    if not tensor.is_leaf:
        raise GraphError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd "
            "does not support crossing process boundaries.  If you just want to transfer the data, "
            "call detach() on the tensor before serializing (e.g., putting it on the queue)."
        )
    if not is_shared(tensor):
        return tensor.__reduce_ex__(2)
    description = sharing.handle_of(tensor._array)
    requires_grad = edge_of(tensor) is not None
    return _attached, (type(tensor), description, requires_grad, dict(tensor.__dict__))


def _attached(kind: type[Any], description: Any, requires_grad: bool, attributes: Any) -> Any:
    _let_multiprocessing_share()
    return restored(kind, sharing.found(*description), requires_grad, attributes)


@public(method="is_pinned")
def is_pinned(self: Any, device: Any = None) -> bool:
    """Return False: no memory is pinned, as there is no accelerator.

    Args:
        device: Accepted, and without effect.
    """
    check_device(device)
    return False
