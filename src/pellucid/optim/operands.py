"""Operations of update rules: on arrays, or on tensors if the step is differentiated."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.call.call import new_tensor
from pellucid.dtypes import float64, get_default_dtype, is_complex_dtype
from pellucid.ops.elementwise.complexes import view_as_real
from pellucid.ops.elementwise.conditional import where
from pellucid.tensors import Tensor

Array = Any
Group = dict[str, Any]
State = dict[str, Any]
#: a parameter and its gradient, which is read once in a step; see Note [Gradients of a step]
Updated = tuple[Any, Any]

# Note [Steps on arrays]
# A step changes parameters in place and is not recorded unless ``differentiable=True`` is set. It
# works on their arrays, which adds no overhead to the few NumPy operations on a small parameter.
# What an in-place op would do for autograd is done by the optimizer: it increments the version of
# each parameter that may have been saved, and notes the user's line and the parameter's name.
#
# The update rules are written once, with operators and the few functions below, and run on what
# `operands` returns. A recorded step must not change values that an earlier one has saved, so
# `Recorded` replaces every piece of state by a copy before it is changed.

# Note [Gradients of a step]
# A step reads ``.grad`` of each parameter once, at its start, and hands on what it found. Where
# several threads train the same parameters (Hogwild), another one may set ``.grad`` to None or to
# another tensor at any time: what is read twice may be two things.


class Arrays:
    """Operations on the arrays of parameters, gradients and state, which change in place."""

    sqrt = staticmethod(np.sqrt)
    sign = staticmethod(np.sign)
    absolute = staticmethod(np.absolute)
    where = staticmethod(np.where)

    @staticmethod
    def value(param: Any) -> Any:
        return as_real(param._array)

    @staticmethod
    def gradient(param: Any, gradient: Any, group: Group) -> Any:
        """Return the gradient to descend along, with weight decay added."""
        gradient = as_real(gradient._array)
        if group.get("maximize"):
            gradient = -gradient
        decay = group.get("weight_decay")
        return gradient + as_real(param._array) * decay if decay else gradient

    @staticmethod
    def state(state: State, name: str) -> Any:
        return as_real(state[name]._array)

    @staticmethod
    def number(value: Any) -> Any:
        return as_number(value)

    @staticmethod
    def factor(value: Any, dtype: Any) -> Any:
        """Return a number as an array of the given dtype, which is faster for NumPy."""
        return np.asarray(value, dtype)

    @staticmethod
    def maximum_(values: Any, other: Any) -> Any:
        """Write the elementwise maximum of two arrays into the first and return it."""
        return np.maximum(values, other, out=values)

    @staticmethod
    def clip_(values: Any, least: float, most: float) -> Any:
        """Clip an array in place and return it."""
        return np.clip(values, least, most, out=values)


class Recorded:
    """Operations on tensors that autograd records, for a step that is differentiated."""

    sqrt = staticmethod(Tensor.sqrt)
    sign = staticmethod(Tensor.sign)
    absolute = staticmethod(Tensor.abs)
    where = staticmethod(where)

    @staticmethod
    def value(param: Any) -> Any:
        return tensor_as_real(param)

    @staticmethod
    def gradient(param: Any, gradient: Any, group: Group) -> Any:
        """Return the gradient to descend along, with weight decay added."""
        gradient = tensor_as_real(-gradient if group.get("maximize") else gradient)
        decay = group.get("weight_decay")
        return gradient + tensor_as_real(param) * decay if decay else gradient

    @staticmethod
    def state(state: State, name: str) -> Any:
        state[name] = state[name].clone()
        return tensor_as_real(state[name])

    @staticmethod
    def number(value: Any) -> Any:
        return value

    @staticmethod
    def factor(value: Any, dtype: Any) -> Any:
        return value

    @staticmethod
    def maximum_(values: Any, other: Any) -> Any:
        return values.copy_(values.clone().maximum(other))

    @staticmethod
    def clip_(values: Any, least: float, most: float) -> Any:
        return values.clamp_(least, most)


def operands(group: Group) -> Any:
    """Return the operations for a parameter group: ``Arrays`` or ``Recorded``."""
    return Recorded if group.get("differentiable") else Arrays


def as_real(array: Array) -> Array:
    """Return an array, a complex one as a view of its real and imaginary parts."""
    if not is_complex_dtype(array.dtype):
        return array
    return np.atleast_1d(array).view(array.real.dtype)


def tensor_as_real(tensor: Any) -> Any:
    """Return a tensor, a complex one as a view of its real and imaginary parts."""
    return view_as_real(tensor) if tensor.is_complex() else tensor


def as_number(value: Any) -> Any:
    """Return an option such as the learning rate as a Python number."""
    return value.item() if isinstance(value, Tensor | np.generic) else value


def sparse_rows(gradient: Any, group: Group) -> tuple[tuple[Array, ...], Array]:
    """Return the places of a sparse gradient, each once, and the values to descend along there."""
    merged = gradient.as_array().merged()
    return tuple(merged.coordinates), -merged.values if group.get("maximize") else merged.values


def zeros_for(param: Tensor) -> TensorBase:
    """Return zeros in the shape and dtype of a parameter."""
    return new_tensor(np.zeros_like(param._array))


def filled_for(param: Tensor, value: float) -> TensorBase:
    """Return a tensor like a parameter filled with a value, also in the imaginary part."""
    filled = np.empty_like(param._array)
    as_real(filled)[...] = value
    return new_tensor(filled)


def scalar_state(value: float) -> TensorBase:
    """Return a number of an optimizer's state as a 0-d tensor, as in PyTorch's checkpoints.

    The dtype is float32, or float64 if that is the default dtype.
    """
    dtype = np.float64 if get_default_dtype() == float64 else np.float32
    return new_tensor(np.array(value, dtype=dtype))


def count_step(state: State) -> float:
    """Increment the step count in the state of a parameter and return it."""
    steps = state["step"]._array
    count = steps.item() + 1
    steps[()] = count  # several times quicker than adding in place to an array without dims
    return count
