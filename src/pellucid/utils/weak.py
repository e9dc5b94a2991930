"""Weak references to tensors, and tables that do not keep their keys alive."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any
from weakref import ref

from pellucid.errors import ArgumentTypeError
from pellucid.tensors import Tensor

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]


class WeakIdRef(ref[Any]):
    """A weak reference to an object that is compared by identity, as a tensor has to be.

    Args:
        key: The object.
        callback: Called with the reference when the object is gone.
    """

    __slots__ = ("_id",)

    def __init__(self, key: Any, callback: Any = None) -> None:
        super().__init__(key, callback)  # pyright: ignore[reportCallIssue]
        self._id = id(key)

    def __call__(self) -> Any:
        """Return the object; None if it is gone."""
        return super().__call__()

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        mine, others = self(), other() if isinstance(other, WeakIdRef) else None
        if mine is not None and others is not None:
            return mine is others
        return self is other


class WeakIdKeyDictionary(MutableMapping[Any, Any]):
    """A mapping by the identity of its keys, each of which is there as long as it is alive.

    Args:
        dict: The first items.
        ref_type: The class of the references to the keys.

    >>> from pellucid.utils.weak import WeakIdKeyDictionary
    >>> x = torch.ones(1)
    >>> names = WeakIdKeyDictionary({x: "x"})
    >>> names[x], len(names)
    ('x', 1)
    >>> del x
    >>> len(names)
    0
    """

    def __init__(self, dict: Any = None, ref_type: Any = WeakIdRef) -> None:
        self.data: dict[Any, Any] = {}
        self.ref_type = ref_type
        if dict is not None:
            self.update(dict)

    def _reference(self, key: Any) -> Any:
        return self.ref_type(key, self._forget)

    def _forget(self, reference: Any) -> None:
        self.data.pop(reference, None)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self._reference(key)] = value

    def __getitem__(self, key: Any) -> Any:
        return self.data[self.ref_type(key)]

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __contains__(self, key: object) -> bool:
        return self.ref_type(key) in self.data

    def __iter__(self) -> Iterator[Any]:
        for reference in list(self.data):
            key = reference()
            if key is not None:
                yield key

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {id(self):#x}>"

    def __ior__(self, other: Any) -> WeakIdKeyDictionary:
        self.update(other)
        return self

    def copy(self) -> WeakIdKeyDictionary:
        """Return a mapping with the same items."""
        return type(self)(dict(self.items()))

    def keyrefs(self) -> list[Any]:
        """Return the references to the keys."""
        return list(self.data)


#: a table by tensors
WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor; called, it returns the tensor, or None if it is gone.

    Args:
        tensor: The tensor.
    """

    ref: WeakIdRef

    def __init__(self, tensor: Tensor) -> None:
        if not isinstance(tensor, Tensor):
            raise ArgumentTypeError(
                f"expected torch.Tensor, but got {type(tensor)}: use weakref.ref for others"
            )
        self.ref = WeakIdRef(tensor)

    def __call__(self) -> Tensor | None:
        """Return the tensor; None if it is gone."""
        return self.ref()
