"""Copies and pickles of tensors, and tensors as instances of another class."""

from __future__ import annotations

from types import MemberDescriptorType
from typing import Any

import numpy as np

from pellucid.autograd.modes import modes
from pellucid.autograd.variable import (
    TensorBase,
    in_class,
    make_inference,
    storage_of,
)
from pellucid.core.backward.history import edge_of
from pellucid.core.call.call import new_tensor
from pellucid.core.call.overriding import DisableTorchFunctionSubclass
from pellucid.core.definition.public import public
from pellucid.core.memory.ownership import copied_with_memory
from pellucid.errors import ArgumentTypeError, GraphError
from pellucid.ops.shape import views


def values_in_slots(tensor: Any) -> dict[str, Any]:
    """Return what a tensor of a subclass keeps in slots that the subclass has declared."""
    classes = type(tensor).__mro__
    declared = [vars(cls).get("__slots__", ()) for cls in classes[: classes.index(TensorBase)]]
    names = [name for each in declared for name in ((each,) if isinstance(each, str) else each)]
    return {name: getattr(tensor, name) for name in names if hasattr(tensor, name)}


@public(method="__deepcopy__")
def deepcopy(self: Any, memo: dict[Any, Any]) -> Any:
    """Return a copy that shares memory with what is copied with it, as the tensor does.

    Raises RuntimeError unless the tensor is a leaf.
    """
    if id(self) in memo:
        return memo[id(self)]
    if not self.is_leaf:
        raise GraphError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
            "protocol "
            "at the moment.  If you were attempting to deepcopy a module, this may be because of a "
            "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
        )
    result = _likeness(self, copied_with_memory(self._array, memo))
    memo[id(self)] = result
    import copy  # who calls this has it

    result._grad = copy.deepcopy(self._grad, memo)
    _give(result, copy.deepcopy(self.__dict__ | values_in_slots(self), memo))
    return result


@public(method="__copy__")
def shallow_copy(self: Any) -> Any:
    """Return a leaf over the same memory."""
    result = _likeness(self, self._array)
    _give(result, self.__dict__ | values_in_slots(self))
    return result


def _give(tensor: Any, attributes: dict[str, Any]) -> None:
    """Give a tensor attributes, each in its slot or in its dictionary."""
    for name, value in attributes.items():
        if isinstance(getattr(type(tensor), name, None), MemberDescriptorType):
            setattr(tensor, name, value)
        else:
            tensor.__dict__[name] = value


def _likeness(self: Any, array: Any) -> Any:
    """Return a leaf like this one, of the same class, around another array."""
    result = in_class(new_tensor(array), type(self))
    result._switch_recording(edge_of(self) is not None)
    if modes.inference:
        make_inference(result)
    else:  # PyTorch makes an empty tensor and gives it the memory
        storage_of(result).version = 1
    return result


def restored(cls: type[Any], array: Any, requires_grad: bool, attributes: dict[str, Any]) -> Any:
    """Make a tensor from what a pickle holds."""
    usual = np.dtype(array.dtype.type)
    # Pickles make dtypes again, and an equal dtype that is another object takes the longer ways.
    result = in_class(new_tensor(array if array.dtype is usual else array.view(usual)), cls)
    result._switch_recording(requires_grad)
    storage_of(result).version = 1
    _give(result, attributes)
    return result


@public(method="__reduce_ex__")
def reduced(self: Any, protocol: Any) -> tuple[Any, ...]:
    """Return what a pickle is to hold; the graph is not kept, so that a leaf comes back."""
    requires_grad = edge_of(self) is not None
    return (
        restored,
        (type(self), self._array, requires_grad, self.__dict__ | values_in_slots(self)),
    )


@public(method="as_subclass", checked=False)
def as_subclass(self: Any, cls: type[Any]) -> Any:
    """Return the same values and history as an instance of a subclass.

    Args:
        cls: Subclass of `Tensor`.

    Raises:
        TypeError: If it is none.
    """
    if not isinstance(cls, type):
        raise ArgumentTypeError(f"cls must be a type (got {type(cls).__name__})")
    if not issubclass(cls, TensorBase):
        raise ArgumentTypeError(
            "Creating a Tensor subclass from a class that does not inherit from Tensor is not "
            f"possible. {cls.__name__} does not inherit from it."
        )
    with DisableTorchFunctionSubclass():
        result = views.basic_index(self, ...)
    return in_class(result, cls)
