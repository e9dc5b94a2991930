"""Storage: the memory behind one or more tensors, its version, and who changed it last."""

from __future__ import annotations

from types import CodeType
from typing import Any

from pellucid.autograd.sites import Site
from pellucid.errors import GraphError

_REMEMBERED = 4


class Change:
    """One in-place change: the operation, the version it made, and the user's line."""

    __slots__ = ("detail", "op", "site", "version")

    def __init__(self, op: str, version: int, code: CodeType, lasti: int, detail: Any) -> None:
        self.op = op
        self.version = version
        self.site = Site(code, lasti)
        #: text, or a function that makes it when asked
        self.detail = detail


class Storage:
    """The memory of tensors, with its version; a tensor, its views and ``detach()`` share it.

    A tensor gets one when first saved, viewed or changed: most never need it.
    """

    __slots__ = ("__weakref__", "notes", "version")

    def __init__(self) -> None:
        #: one more with each in-place change: then views look up their history again
        self.version = 0
        #: the latest changes, each as the arguments of `Change`: every optimizer step makes one
        self.notes: tuple[tuple[Any, ...], ...] = ()

    def note_change(self, op: str, code: CodeType, lasti: int, detail: Any = None) -> None:
        """Count one in-place change and remember where it came from."""
        self.version = version = self.version + 1
        self.notes = (*self.notes[1 - _REMEMBERED :], (op, version, code, lasti, detail))

    @property
    def changes(self) -> tuple[Change, ...]:
        """The latest changes that are still remembered, the oldest first."""
        return tuple(Change(*note) for note in self.notes)


class InferenceStorage(Storage):
    """The memory of a tensor made in inference mode: it counts no versions.

    A node that saves a tensor reads the version, on every path; so the refusal stands here.
    """

    __slots__ = ()

    @property
    def version(self) -> int:
        raise GraphError(
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
            "inference mode in computation tracked by autograd. To work around this, you can make "
            "a clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` "
            "instead of `torch.inference_mode()`."
        )

    def __init__(self) -> None:
        self.notes = ()

    def note_change(self, op: str, code: CodeType, lasti: int, detail: Any = None) -> None:
        """Count nothing: no node can have saved this memory."""


class ConstantStorage(Storage):
    """Stands in for the storage of saved values that nobody else can change."""

    __slots__ = ()


class ConvertedStorage(ConstantStorage):
    """The same of a value that was converted to the dtype that is computed in."""

    def __init__(self, dtype: Any) -> None:
        super().__init__()
        #: what it was before
        self.dtype = dtype


CONSTANT = ConstantStorage()
#: the same of numbers that stood in the place of a tensor: whole ones, and all others
WHOLE_NUMBER, OTHER_NUMBER = ConstantStorage(), ConstantStorage()
