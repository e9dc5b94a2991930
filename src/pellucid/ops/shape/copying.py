"""Copies of a tensor's values: in new memory, in another dtype, or over those of another tensor."""

from __future__ import annotations

import warnings
from typing import Any

from pellucid import dtypes
from pellucid.autograd.sites import user_stacklevel
from pellucid.autograd.variable import TensorBase
from pellucid.core.call.call import call
from pellucid.core.call.compiled import regular
from pellucid.core.construct import numpy_dtype_of
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import public
from pellucid.core.families import linear, multilinear
from pellucid.core.memory.memory_formats import (
    contiguous_format,
    copied,
    empty_like,
    is_contiguous,
    laid_out,
    memory_format,
    suggested,
)
from pellucid.core.memory.writing import check_result_shape
from pellucid.device import check_device, device, meta_device
from pellucid.errors import ArgumentTypeError, UnimplementedError
from pellucid.kernels.meta import as_meta, is_meta
from pellucid.ops.elementwise.arithmetic import zero_gradient
from pellucid.shapes import broadcast_shapes

COMPLEX_WARNING = "Casting complex values to real discards the imaginary part"


@public("clone", method=True, foreach=True)
@linear(half="bitwise", float8=True, compiled_body=True)
def clone(be, input, /, *, memory_format=None):
    """Return a copy in memory of its own.

    Args:
        input: Tensor of any shape.
        memory_format: Order of the elements in memory.

    >>> torch.ones(2).clone()
    tensor([1., 1.])
    """
    return laid_out(be, input, memory_format, copy=True)


@clone.vjp("input")
def clone_input(g):
    return g


@public(inplace="copy_", foreach="_foreach_copy_")
@multilinear(
    half="bitwise", float8=True, compiled_body=True,
    named=lambda node: "torch::autograd::CopyBackwards",
    faces={
        "FillBackward2": Face(edges="input"), "ZeroBackward0": Face(edges="input"),
        "FillBackward3": Face(), "torch::autograd::CopyBackwards": Face(),
    },
)  # fmt: skip
def copy(be, input, src, /, non_blocking=False):
    """Return the values of ``src`` in the shape and dtype of the first tensor.

    Args:
        input: Tensor of any shape.
        src: Tensor whose values are copied; it broadcasts.
        non_blocking: Accepted as PyTorch does; it changes nothing.

    >>> torch.zeros(2).copy_(torch.tensor(3))
    tensor([3., 3.])
    """
    result = empty_like(input, input.dtype)
    be.copyto(result, _matching(be, src, input))
    return result


@copy.vjp("input")
def copy_input(g):
    return zero_gradient(g)


@copy.vjp("src")
def copy_src(g):
    return g


@copy.jvp
def copy_tangent(t_src):
    return t_src


@copy.out_variant
def copy_into(be, out, input, src, non_blocking):
    be.copyto(out, _matching(be, src, input))


def _matching(be: Any, src: Any, input: Any) -> Any:
    """Return the values in the dtype that they are to be written in; check the shape first."""
    if src.shape != input.shape:
        check_result_shape(broadcast_shapes(input.shape, src.shape), input.shape)
    return src if src.dtype == input.dtype else _cast(be, src, input.dtype)


def _cast(be: Any, array: Any, numpy_dtype: Any) -> Any:
    if dtypes.is_complex_dtype(array.dtype) and numpy_dtype.kind not in "cbW":
        warnings.warn(COMPLEX_WARNING, UserWarning, stacklevel=user_stacklevel())
    return be.cast(array, numpy_dtype)


@linear(
    half="bitwise", float8=True, node_name="to_copy", batch=Batch.ELEMENTWISE,
    compiled_kernel=("converted", 1),
)  # fmt: skip
def cast(be, input, /, dtype):
    """Convert to another dtype, in new memory.

    Args:
        input: Tensor of any shape.
        dtype: Dtype of the result; by default that of the values.

    >>> torch.tensor([1.7, -1.7]).to(torch.int64)
    tensor([ 1, -1])
    """
    source = copied(input) if 0 in input.strides else input
    return _cast(be, source, numpy_dtype_of(dtype, None))


@cast.vjp("input")
def cast_input(g):
    return g  # the engine fits a gradient to its input's dtype


def cast_like(input: Any, other: Any) -> Any:
    """Convert to the dtype of another, in a formula: of an array or of a tensor."""
    wanted = other.dtype
    if not isinstance(wanted, dtypes.dtype):
        wanted = dtypes.from_numpy_dtype(wanted)
    return cast(input, wanted)


#: PyTorch's refusal to make values up
NO_DATA = "Cannot copy out of meta tensor; no data!"


@linear(half="bitwise", float8=True, node_name="to_copy", batch=Batch.ELEMENTWISE)
def to_meta(be, input, /):
    """Return the tensor without its values, on the device ``meta``."""
    return as_meta(input)


@to_meta.vjp("input")
def to_meta_input(g):
    raise UnimplementedError(NO_DATA)


@public(method="contiguous", checked=False)
@regular
def contiguous(input: Any, *, memory_format: memory_format = contiguous_format) -> Any:
    """Return the tensor itself if its elements are contiguous in memory, otherwise a copy.

    Args: As for `clone`.

    >>> x = torch.ones(2, 3)
    >>> x.contiguous() is x, x.t().contiguous().stride()
    (True, (2, 1))
    """
    array = input._array if isinstance(input, TensorBase) else input
    if is_contiguous(array, memory_format):
        return input
    return clone(input, memory_format=memory_format)


def in_layout_of_images(result: Any, input: Any) -> Any:
    """Return the result channels-last where the input is, else contiguous."""
    return contiguous(result, memory_format=suggested(input._array))


@public(method="to")
@regular
def to(input: Any, *args: Any, **kwargs: Any) -> Any:
    """Return the tensor in another dtype; itself if it has that dtype and ``copy`` is not set.

    ``to(dtype)``, ``to(device)``, ``to(device, dtype)`` and ``to(other)`` are understood, followed
    by ``non_blocking`` and ``copy``. Raises RuntimeError for a device that is not here.

    Args:
        input: Tensor of any shape.
        *args: A dtype, a device, or another tensor whose both are taken.
        **kwargs: The arguments by name.

    >>> torch.ones(1).to(torch.float64)
    tensor([1.], dtype=torch.float64)
    """
    wanted, where, copy_anyway, form = _destination(args, dict(kwargs))
    if where is not None and (where is meta_device) is not is_meta(input._array):
        if where is not meta_device:
            raise UnimplementedError(NO_DATA)
        input = call(to_meta.op, (input,), ())
    if wanted is not None and wanted.numpy != input._array.dtype:
        result = cast(input, wanted)
        return contiguous(result, memory_format=form) if form is not None else result
    if copy_anyway:
        return clone(input, memory_format=form)
    return input if form is None else contiguous(input, memory_format=form)


def _destination(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, bool, Any]:
    """Return dtype, device, whether to copy, and memory format, from the arguments of ``to``."""
    wanted: Any = kwargs.pop("dtype", None)
    where: Any = kwargs.pop("device", None)
    form = kwargs.pop("memory_format", None)
    flags = [kwargs.pop("non_blocking", False), kwargs.pop("copy", False)]
    other = kwargs.pop("other", None)
    if kwargs:
        raise ArgumentTypeError(f"to() got an unexpected keyword argument '{next(iter(kwargs))}'")
    rest = list(args)
    if (
        rest
        and (rest[0] is None or isinstance(rest[0], device | str | int))
        and not (isinstance(rest[0], bool))
    ):
        where = rest.pop(0)
    if rest and isinstance(rest[0], TensorBase):
        other = rest.pop(0)
    if rest and (isinstance(rest[0], dtypes.dtype) or rest[0] in (int, float, bool, complex)):
        wanted = rest.pop(0)
    elif rest and rest[0] is None:
        rest.pop(0)
    if len(rest) > 2 or not all(isinstance(each, bool) for each in rest):
        raise ArgumentTypeError(
            "to() received an invalid combination of arguments - got "
            f"({', '.join(type(each).__name__ for each in args)}); give a dtype, a device, "
            "both, or "
            "a tensor"
        )
    flags[: len(rest)] = rest
    if other is not None:
        wanted, where = dtypes.from_numpy_dtype(other._array.dtype), other.device
    if where is not None:
        where = check_device(where)
    if wanted is not None and not isinstance(wanted, dtypes.dtype):
        wanted = dtypes.from_numpy_dtype(dtypes.to_numpy_dtype(wanted))
    return wanted, where, bool(flags[1]), form
