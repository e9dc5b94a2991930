"""Methods that take sizes one by one or as a sequence, and those that reshape the tensor itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid import dtypes
from pellucid.autograd.forward_ad import tangent_of
from pellucid.autograd.gradient_ops import gradient_ops
from pellucid.autograd.modes import modes
from pellucid.autograd.node import AccumulateGrad
from pellucid.autograd.short_tracebacks import shorten
from pellucid.autograd.sites import user_frame
from pellucid.autograd.variable import rebind_leaf, storage_of
from pellucid.core.backward.history import edge_of
from pellucid.core.backward.node_backward import mark_in_place
from pellucid.core.call.compiled import replayable
from pellucid.core.construct import sizes_from
from pellucid.core.definition.op import OpNode
from pellucid.core.definition.public import public
from pellucid.core.memory.ownership import resized
from pellucid.core.memory.writing import check_mode
from pellucid.errors import ArgumentTypeError, GraphError, ShapeError
from pellucid.ops.aliasing.inplace import check_inplace
from pellucid.ops.shape import broadcasting, views
from pellucid.shapes import shape_from_args


def _ints(name: str, args: tuple[Any, ...]) -> tuple[int, ...]:
    """Return integers given one by one or as one sequence."""
    return args[0] if len(args) == 1 and args[0].__class__ is tuple else shape_from_args(args, name)


@public(method="view", checked=False)
@replayable
def view(self: Any, *shape: Any, dtype: Any = None, size: Any = None) -> Any:
    """Return a view in another shape, or of the bytes as another dtype.

    Args:
        shape: Sizes, one by one or as a sequence, one of which may be -1; or a dtype.
        dtype: Dtype as which the bytes are read.
        size: The shape, by name.
    """
    try:
        if len(shape) == 1 and shape[0].__class__ is int and dtype is None:
            return views.view(self, shape)
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], dtypes.dtype) else dtype
        if wanted is not None:
            if not isinstance(wanted, dtypes.dtype):
                raise ArgumentTypeError(
                    f"view(): argument 'dtype' must be torch.dtype, not {type(wanted).__name__}"
                )
            if wanted.numpy == self._array.dtype:
                return views.view(self, self._array.shape)
            return views.view_dtype(self, wanted)
        if not shape and size is None:
            raise ArgumentTypeError(
                "view() received an invalid combination of arguments - got (); "
                "give sizes or a dtype"
            )
        return views.view(self, _ints("view", shape if size is None else (size,)))
    except Exception as error:
        shorten(error)
        raise


@public(method="reshape", checked=False)
@replayable
def reshape(self: Any, *sizes: Any, shape: Any = None) -> Any:
    """Return the elements in another shape: a view where possible, else a copy."""
    try:
        if len(sizes) == 1 and sizes[0].__class__ is tuple:
            return views.reshape(self, sizes[0])
        return views.reshape(self, shape_from_args(sizes, "reshape", named=shape))
    except Exception as error:
        shorten(error)
        raise


@public(method="expand", checked=False)
@replayable
def expand(self: Any, *sizes: Any, size: Any = None, implicit: bool = False) -> Any:
    """Stretch dimensions of size 1 without copying; -1 leaves a size as it is.

    Args:
        sizes: Sizes, one by one or as a sequence; new dimensions come first.
        size: The same as a sequence.
        implicit: Accepted, and without effect.
    """
    try:
        return broadcasting.expand(self, shape_from_args(sizes, "expand", named=size))
    except Exception as error:
        shorten(error)
        raise


@public(method="permute", checked=False)
@replayable
def permute(self: Any, *order: Any, dims: Any = None) -> Any:
    """Put the dimensions in another order."""
    try:
        return views.permute(self, shape_from_args(order, "permute", "dims", dims))
    except Exception as error:
        shorten(error)
        raise


@public(method="unflatten", reads_late=True)
def unflatten(self: Any, dim: int, *sizes: Any) -> Any:
    """Split a dimension into several.

    Args:
        dim: Dimension to split.
        sizes: Sizes of its parts, one by one or as a sequence; one may be -1.
    """
    return views.unflatten(self, dim, shape_from_args(sizes, "unflatten"))


@public(method="squeeze_")
def squeeze_(self: Any, dim: Any = None) -> Any:
    """Leave out dimensions of size 1, of this very tensor."""
    return become_view(self, "squeeze_", views.squeeze, *(() if dim is None else (dim,)))


@public(method="unsqueeze_")
def unsqueeze_(self: Any, dim: int) -> Any:
    """Put in a dimension of size 1, in this very tensor."""
    return become_view(self, "unsqueeze_", views.unsqueeze, dim)


@public(method="transpose_ swapaxes_ swapdims_")
def transpose_(self: Any, dim0: int, dim1: int) -> Any:
    """Exchange two dimensions of this very tensor."""
    return become_view(self, "transpose_", views.transpose, dim0, dim1)


@public(method="t_")
def t_(self: Any) -> Any:
    """Transpose this very matrix."""
    if self.ndim > 2:
        check_inplace(self, "t_")
        raise ShapeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return become_view(self, "t_", views.t)


def become_view(self: Any, name: str, look: Callable[..., Any], *arguments: Any) -> Any:
    """Turn a tensor into a view of itself, with that view's history; it counts as a change."""
    edge = edge_of(self)
    batched = not isinstance(self._array, np.ndarray)  # whose history is that of all samples
    is_leaf = not batched and (edge is None or isinstance(edge[0], AccumulateGrad))
    recording = modes.grad_enabled
    check_mode(self)
    if recording and edge is not None:
        check_inplace(self, name)
    # a tensor that an operation made keeps a history that fits its shape, recorded or not
    modes.grad_enabled = recording if batched else not is_leaf
    try:
        view = look(self, *arguments)
    finally:
        modes.grad_enabled = recording
    tangent = tangent_of(view)
    self._array = view._array
    if tangent is not None:
        gradient_ops.tangents.set_tangent(self, tangent)
    if not is_leaf:
        self._edge = view._edge
        if self._edge is not None and isinstance(self._edge[0], OpNode):
            mark_in_place(self._edge[0])
    else:
        rebind_leaf(self)
    storage_of(self).note_change(name, *user_frame(1))
    return self


@public(method="resize_")
def resize_(self: Any, *sizes: Any, size: Any = None, memory_format: Any = None) -> Any:
    """Give this tensor other sizes, over the same memory from its first element on.

    Where the memory is too small, the tensor gets larger memory of its own. Raises RuntimeError for
    a tensor that requires grad, and for memory of another object that is too small.
    """
    if size is not None:
        sizes = (size,)
    check_mode(self)
    if edge_of(self) is not None and not modes.inference:
        raise GraphError("cannot resize variables that require grad")
    shape = sizes_from("resize_", sizes)
    if shape == self._array.shape and memory_format is None:
        return self
    self._array = resized(self._array, shape, memory_format)
    storage_of(self).note_change("resize_", *user_frame(1))
    return self
