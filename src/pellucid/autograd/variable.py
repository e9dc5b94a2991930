"""What autograd knows of a tensor: its value, opaque here, its storage, where its gradient goes."""

from __future__ import annotations

import itertools
from typing import Any, ClassVar, TypeAlias

from pellucid.autograd.storage import InferenceStorage, Storage

#: (node, which output of it): where the gradient of a tensor goes
Edge: TypeAlias = "tuple[Any, int]"


class ViewOrigin:
    """How a view came to be, which decides whether it may be changed in place."""

    ORDINARY = 0
    NO_GRAD = 1
    MULTIPLE_OUTPUTS = 2
    CUSTOM_FUNCTION = 3
    INFERENCE = 4


class View:
    """The link between a view and the tensor whose memory it shares.

    ``version`` is the storage's when the view's edge was last right: where they differ, the edge is
    looked up again. ``recorded`` is false for a view that
    was made of a tensor that requires grad while nothing was recorded: its edge is looked up at
    each use, as nothing but its base tells whether it requires grad.
    """

    __slots__ = ("base", "origin", "recorded", "version")

    def __init__(self, base: TensorBase, version: int, origin: int, recorded: bool = True) -> None:
        self.base = base
        self.version = version
        self.origin = origin
        self.recorded = recorded

    def is_stale(self, storage: Storage) -> bool:
        """Return whether the view's edge has to be looked up; ``storage`` is the view's."""
        return not self.recorded or self.version != storage.version


class Extra:
    """What few tensors have."""

    __slots__ = ("accumulate", "begins_level", "grad_dtype", "name", "number", "tangent")

    def __init__(self) -> None:
        #: AccumulateGrad of a leaf, kept when requires_grad is switched off and on again
        self.accumulate: Any = None
        self.name: str | None = None
        #: whether it is the input of a transform: a leaf for the function, which leads on
        self.begins_level = False
        #: in forward mode; see `pellucid.autograd.forward_ad`
        self.tangent: Any = None
        #: the dtype of gradients where it was set, in a tuple; None in it: any dtype
        self.grad_dtype: tuple[Any] | None = None
        #: which tensor this is, where a program has asked; `torch.utils.swap_tensors` exchanges it
        self.number = 0


_numbers = itertools.count(1)

#: the slots that make up a tensor
_STATE = ("_array", "_edge", "_extra", "_grad", "_storage", "_view")


class TensorBase:
    """The values, storage and history of a tensor; `pellucid.Tensor` adds the operations.

    ``_edge`` is ``None`` exactly when the tensor does not require grad. For a leaf it leads to an
    `AccumulateGrad`, which refers back only weakly: so neither keeps the other in a cycle.
    """

    __slots__ = ("__dict__", "__weakref__", *_STATE)

    _array: Any
    _storage: Storage | None
    _edge: Edge | None
    _grad: Any
    _view: View | None
    _extra: Extra | None
    #: what calls of ops with a tensor of this class mean, if they are special
    _interpreter: ClassVar[Any] = None
    #: whether objects of this class take over the functions that they are given to
    _takes_over: ClassVar[bool] = False

    @property
    def edge(self) -> Edge | None:
        """Where the gradient of the tensor goes, now."""
        raise NotImplementedError

    @property
    def ndim(self) -> int:
        raise NotImplementedError

    @property
    def is_leaf(self) -> bool:
        raise NotImplementedError

    def retain_grad(self) -> None:
        raise NotImplementedError

    def in_own_form(self, gradient: Any) -> Any:
        """Return the gradient that arrived at the tensor's edge as that of the tensor."""
        return gradient

    def of_values(self, gradient: Any) -> Any:
        """Return a gradient of the tensor as what starts from its edge."""
        return gradient

    def counted_once(self, gradient: Any) -> Any:
        """Return what starts from the edge as what a step may add to `held`."""
        return gradient


def storage_of(tensor: TensorBase) -> Storage:
    """Return the tensor's storage, making it if it had no need of one so far."""
    storage = tensor._storage
    if storage is None:
        storage = tensor._storage = Storage()
    return storage


def make_inference(tensor: TensorBase) -> None:
    """Mark a new tensor as made in inference mode."""
    tensor._storage = InferenceStorage()


def is_inference(tensor: TensorBase) -> bool:
    """Return whether a tensor, or what it is a view of, was made in inference mode."""
    return tensor._storage.__class__ is InferenceStorage


def in_class(tensor: Any, cls: type[Any]) -> Any:
    """Return a new tensor as one of a subclass: the same object, unless that has slots of its own.

    Whatever leads to the object, as the edge of a leaf does, is to be made afterwards.
    """
    try:
        tensor.__class__ = cls
    except TypeError:  # another layout in memory
        made: Any = object.__new__(cls)
        for name in _STATE:
            setattr(made, name, getattr(tensor, name))
        return made
    return tensor


def grad_dtype_of(leaf: TensorBase) -> Any:
    """Return the NumPy dtype that gradients of a leaf are converted to; None where they are not."""
    extra = leaf._extra
    if extra is None or extra.grad_dtype is None:
        return leaf._array.dtype
    return extra.grad_dtype[0]


def leave_base(tensor: TensorBase) -> None:
    """Note that a tensor has other memory than its base, if it was a view.

    What may not be done with a view is refused for one of these kinds as before.
    """
    view = tensor._view
    if view is not None and view.origin == ViewOrigin.ORDINARY:
        tensor._view = None


def rebind_leaf(tensor: TensorBase) -> None:
    """Give the AccumulateGrad of a leaf, if there is one, the leaf's memory and dtype of now."""
    extra = tensor._extra
    if extra is not None and extra.accumulate is not None:
        extra.accumulate.rebind(tensor)


def extra_of(tensor: TensorBase) -> Extra:
    """Return the tensor's rare attributes, making room for them first."""
    extra = tensor._extra
    if extra is None:
        extra = tensor._extra = Extra()
    return extra


def number_of(tensor: TensorBase) -> int:
    """Return a number that no other tensor has: what PyTorch calls the address of its data."""
    extra = extra_of(tensor)
    extra.number = extra.number or next(_numbers)
    return extra.number
