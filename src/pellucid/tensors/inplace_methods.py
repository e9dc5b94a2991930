"""In-place variants of functions that are not ops, or that change where the tensor's memory is."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pellucid.autograd.modes import modes
from pellucid.autograd.node import NotDerived
from pellucid.autograd.sites import user_frame
from pellucid.autograd.variable import TensorBase, leave_base, rebind_leaf, storage_of
from pellucid.core.backward.history import edge_of
from pellucid.core.backward.node_backward import show_as
from pellucid.core.call.call import new_tensor
from pellucid.core.call.generated import DeferredSignature
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.numbers import is_number
from pellucid.core.definition.public import public
from pellucid.core.errors.arguments import require
from pellucid.core.memory.memory_formats import preserve_format, suggested
from pellucid.core.memory.writing import (
    check_mode,
    check_result_dtype,
    check_result_shape,
    repeats_elements,
    shares_storage,
)
from pellucid.docstrings import arguments_in
from pellucid.dtypes import check_fits, from_numpy_dtype, is_float8, result_dtype, scalar_name
from pellucid.errors import ArgumentTypeError, DtypeError, GraphError, ShapeError
from pellucid.kernels.active import cpu
from pellucid.kernels.meta import is_meta
from pellucid.ops.aliasing.inplace import (
    call_inplace,
    check_inplace,
    inplace,
    rebase_history,
    show_change_of_number,
)
from pellucid.ops.elementwise import powers
from pellucid.ops.index.indexing import fill_plainly
from pellucid.ops.nn import activation, dropout
from pellucid.ops.shape import strided
from pellucid.ops.shape.copying import clone, copy
from pellucid.ops.shape.views import basic_index
from pellucid.tensors.resizing import become_view, resize_
from pellucid.tensors.storages import TypedStorage, UntypedStorage

_copy_into = inplace(copy)
_DOUBLE = (np.dtype(np.float64), np.dtype(np.complex128))


def inplace_composite(
    function: Callable[..., Any], keeps_input: bool = False
) -> Callable[..., Any]:
    """Return the method that writes a function's result into its first argument.

    ``keeps_input`` says that the derivative needs what the tensor held before.
    """
    name = f"{function.__name__}_"

    def variant(self: Any, *args: Any, **kwargs: Any) -> Any:
        recording = modes.grad_enabled and edge_of(self) is not None
        if recording:
            check_inplace(self, name)
        given = clone(self) if recording and keeps_input else self
        result = function(given, *args, **kwargs)
        check_result_shape(result._array.shape, self._array.shape)
        check_result_dtype(result._array.dtype, self._array.dtype)
        return _copy_into(self, result)

    def signature() -> inspect.Signature:
        own, *others = inspect.signature(function).parameters.values()
        return inspect.Signature([own.replace(name="self"), *others])

    variant.__signature__ = DeferredSignature(signature)  # by which failures are explained
    variant.__name__ = variant.__qualname__ = name
    variant.__doc__ = (
        f"In-place version of :func:`{function.__name__}`.\n{arguments_in(function.__doc__)}"
    )
    if hasattr(function, "autocast"):
        variant = autocasts(Autocast.AS_GIVEN)(variant)  # its dtype is given
    return variant


_float_power_into = inplace_composite(powers.float_power, keeps_input=True)


@public(method="float_power_")
def float_power_(self: Any, exponent: Any) -> Any:
    """Raise to a power in place; raise RuntimeError for a base that is not in double precision."""
    wanted = result_dtype([self._array, getattr(exponent, "_array", exponent), _DOUBLE[0].type(0)])
    required = _DOUBLE[from_numpy_dtype(wanted).is_complex]
    if self._array.dtype != required:
        raise DtypeError(
            f"the base given to float_power_ has dtype {scalar_name(self._array.dtype)} but the "
            f"operation's result requires dtype {scalar_name(required)}"
        )
    return _float_power_into(self, exponent)


@public("zero_", method=True, foreach=True)
def zero_(self: Any) -> Any:
    """Write zeros over all elements."""
    return _filled("zero_", self, 0)


def _is_recorded(*operands: Any) -> bool:
    return modes.grad_enabled and any(
        isinstance(each, TensorBase) and edge_of(each) is not None for each in operands
    )


def _filled(name: str, self: Any, value: Any) -> Any:
    if fill_plainly(self, value):
        return self
    require(name, "tensor", self=self)
    array = self._array
    if 0 in array.strides and repeats_elements(array) and not _is_recorded(self, value):
        # one element stands for many: it is written once
        once = tuple(slice(None if step else 1) for step in array.strides)
        _filled(name, basic_index(self, once), value)
        return self
    before = self._edge
    call_inplace(copy.op, (self, value), (False,))
    edge = self._edge
    if edge is not None and edge is not before and getattr(edge[0], "op", None) is copy.op:
        fill = f"FillBackward{2 if edge[0].edges[1] is None else 3}"
        show_as(edge[0], "ZeroBackward0" if name == "zero_" else fill)
    elif edge is not None and self._view is not None and not isinstance(value, TensorBase):
        show_change_of_number(self._view.base)
    return self


#: numbers up to this one fit into every floating-point dtype but those of eight bits
_SMALLEST_LIMIT = 65504.0


@public("fill_", method=True)
def fill_(self: Any, value: Any) -> Any:
    """Write one value, a number or a 0-d tensor, over all elements."""
    if isinstance(value, TensorBase) and value._array.ndim:
        raise ShapeError(
            "fill_ only supports 0-dimension value tensor but got tensor with "
            f"{value._array.ndim} dimensions."
        )
    if is_number(value) and (
        self._array.dtype.kind in "iu"
        or is_float8(self._array.dtype)
        or isinstance(value, complex)
        or not abs(value) <= _SMALLEST_LIMIT
    ):
        check_fits(value, self._array.dtype)
    if shares_storage(self, value):
        value = clone(value)  # read before it is written over
    return _filled("fill_", self, value)


@public(method="fill_diagonal_")
def fill_diagonal_(self: Any, fill_value: Any, wrap: bool = False) -> Any:
    """Write a number over the diagonal; with ``wrap`` over the others of a tall matrix too.

    Raises RuntimeError for less than two dimensions, and for more of different sizes.
    """
    if not is_number(fill_value) and getattr(fill_value, "shape", None) != ():
        raise ArgumentTypeError(
            "fill_diagonal_(): argument 'fill_value' (position 1) must be Number, not "
            f"{'Tensor' if isinstance(fill_value, TensorBase) else type(fill_value).__name__}"
        )
    shape = self._array.shape
    if len(shape) < 2:
        raise ShapeError("dimensions must larger than 1")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise ShapeError("all dimensions of input must be of equal length")
    length, step = min(shape), sum(self.stride())
    start = self.storage_offset()
    fill_(strided.as_strided(self, (length,), (step,), start), fill_value)
    height, width = shape[:2]
    if wrap and len(shape) == 2 and height > width + 1:
        further = (height * width + width) // (width + 1) - width
        start += self.stride(0) * (width + 1)
        fill_(strided.as_strided(self, (further,), (step,), start), fill_value)
    return self


@public("as_strided_", method=True)
def as_strided_(
    self: Any, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Any:
    """Give the tensor other sizes and strides over its memory, in place.

    Args:
        self: Tensor to change.
        size: New shape.
        stride: Steps in memory along each dimension, in elements.
        storage_offset: Where the first element lies in the memory; as before if None.
    """
    return become_view(self, "as_strided_", strided.as_strided, size, stride, storage_offset)


@public(method="set_")
def set_(
    self: Any, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None
) -> Any:
    """Give this tensor the memory of another, or of a storage; without either, none.

    Raises RuntimeError for another dtype, and for a leaf that requires grad while operations are
    recorded. There is no derivative: a backward pass that comes to it raises.
    """
    given = source._array if isinstance(source, TensorBase) else _elements(self, source)
    if given.dtype != self._array.dtype:
        names = [from_numpy_dtype(each.dtype).name for each in (given, self._array)]
        raise DtypeError(f"Could not set tensor of type {names[0]} to a tensor of type {names[1]}")
    check_mode(self)
    _end_history(self, source)
    wanted = new_tensor(given)
    if size is not None:
        strides = stride or np.empty(size, np.int8).strides
        wanted = strided.as_strided(wanted, tuple(size), tuple(strides), storage_offset)
    storage_of(self).note_change("set_", *user_frame(1))
    self._array = wanted._array
    leave_base(self)
    rebind_leaf(self)
    return self


def _elements(self: Any, source: Any) -> Any:
    """Return the elements that a storage holds, of this tensor's dtype."""
    if source is None:
        return np.empty_like(self._array, shape=(0,))
    if not isinstance(source, UntypedStorage | TypedStorage):
        raise ArgumentTypeError(
            f"set_(): argument 'source' (position 1) must be Tensor, not {type(source).__name__}"
        )
    if isinstance(source, TypedStorage):
        return source.values_in(self._array.dtype)
    return source.elements(self._array.dtype)


def _end_history(self: Any, source: Any) -> None:
    """Record, before it happens, a change that has no derivative."""
    edges = (edge_of(self), edge_of(source) if isinstance(source, TensorBase) else None)
    if modes.grad_enabled and edges != (None, None):
        check_inplace(self, "set_")
        rebase_history(self, NotDerived("set_", edges, self._array))


# ---- known as functions, not as methods -------------------------------------------------------

_elu_into = inplace(activation.elu)


@public("celu_ nn.functional.celu_")
def celu_(input: Any, alpha: float = 1.0) -> Any:
    """Apply `celu` in place.

    Args:
        input: Tensor to change, of any shape.
        alpha: Scale of the exponential below zero.
    """
    return _elu_into(input, alpha, 1.0, 1 / alpha)


@public("selu_ nn.functional.selu_")
def selu_(input: Any) -> Any:
    """Apply `selu` in place.

    Args:
        input: Tensor to change, of any shape.
    """
    return _elu_into(input, activation.SELU_ALPHA, activation.SELU_SCALE)


@public("dropout_")
def dropout_(input: Any, p: float, train: bool) -> Any:
    """Apply `dropout` in place.

    Args:
        input: Tensor to change, of any shape.
        p: Probability of an element to become zero.
        train: Whether elements are dropped at all.
    """
    return dropout.dropout(input, p, train, True)


@public("alpha_dropout_")
def alpha_dropout_(input: Any, p: float, train: bool) -> Any:
    """Apply `alpha_dropout` in place.

    Args:
        input: Tensor to change, of any shape.
        p: Probability of an element to be dropped.
        train: Whether elements are dropped at all.
    """
    return dropout.alpha_dropout(input, p, train, True)


@public("feature_alpha_dropout_")
def feature_alpha_dropout_(input: Any, p: float, train: bool) -> Any:
    """Apply `feature_alpha_dropout` in place.

    Args:
        input: Tensor to change, with the channels as its second dimension.
        p: Probability of a channel to be dropped.
        train: Whether channels are dropped at all.
    """
    return dropout.feature_alpha_dropout(input, p, train, True)


@public("resize_as_", method=True)
def resize_as_(self: Any, the_template: Any, *, memory_format: Any = None) -> Any:
    """Give a tensor the sizes of another, as ``resize_`` does.

    Args:
        self: Tensor to change.
        the_template: Tensor with the wanted shape.
        memory_format: Order of the elements in memory.
    """
    template = the_template._array
    wanted = suggested(template) if memory_format is preserve_format else memory_format
    return resize_(self, template.shape, memory_format=wanted)


# ---- element by element, by Python functions ---------------------------------------------------


@public(method="apply_")
def apply_(self: Any, callable: Callable[[Any], Any]) -> Any:
    """Replace each element by what a Python function returns for it, in place.

    Raises RuntimeError for a tensor that requires grad.
    """
    return _replaced(self, "apply_", callable)


@public(method="map_")
def map_(self: Any, tensor: Any, callable: Callable[[Any, Any], Any]) -> Any:
    """Replace each element by what a function returns for it and that of another tensor, in place.

    Raises RuntimeError for tensors that require grad.
    """
    return _replaced(self, "map_", callable, tensor)


@public(method="map2_")
def map2_(self: Any, x: Any, y: Any, callable: Callable[[Any, Any, Any], Any]) -> Any:
    """Replace each element by what a function returns for it and those of two others, in place.

    Raises RuntimeError for tensors that require grad.
    """
    return _replaced(self, "map2_", callable, x, y)


def _replaced(self: Any, name: str, function: Callable[..., Any], *others: Any) -> Any:
    if any(edge_of(each) is not None for each in (self, *others)):
        raise GraphError(
            f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() "
            "instead."
        )
    array = self._array
    if is_meta(array):
        return self
    given = [each.detach().expand(array.shape)._array for each in others]
    for position in np.ndindex(array.shape):
        made = function(array[position].item(), *(each[position].item() for each in given))
        if not is_number(made):
            raise ArgumentTypeError(f"must be real number, not {type(made).__name__}")
        array[position] = cpu.cast(np.asarray(made), array.dtype)
    storage_of(self).note_change(name, *user_frame(1))
    return self
