"""New tensors in the dtype of one that is there, and ``Tensor(...)`` by size or with data."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid import dtypes
from pellucid.autograd.variable import TensorBase, in_class
from pellucid.core.construct import (
    allocated,
    array_from,
    fresh,
    made_at_once,
    numpy_dtype_of,
    placed,
    placed_like,
    placed_tensor,
    sizes_from,
)
from pellucid.core.definition.public import public
from pellucid.core.memory.unset import filled_if_asked
from pellucid.docstrings import sections_of
from pellucid.errors import ArgumentTypeError
from pellucid.shapes import Size
from pellucid.tensors.storages import TypedStorage, UntypedStorage


@public(method="new_tensor")
def new_tensor_method(
    self: Any, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    layout: Any = None, pin_memory: bool = False,
) -> Any:  # fmt: skip
    """Return a new tensor with a copy of the data, in this tensor's dtype.

    Args:
        data: Number, sequence, array or tensor.
        dtype: Dtype of the result; this tensor's if None.
        device: Device of the result; this tensor's if None.
        requires_grad: Whether the result is a leaf that wants a gradient.
        layout: Accepted; strided is the only one.
        pin_memory: Refused if true: there is no accelerator.
    """
    wanted = dtype if dtype is not None else dtypes.from_numpy_dtype(self._array.dtype)
    place = self.device if device is None else device
    return placed_tensor(array_from(data, wanted), place, pin_memory, requires_grad)


def _new(name: str, make: Any, summary: str) -> Any:
    def method(
        self: Any, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False,
        layout: Any = None, pin_memory: bool = False,
    ) -> Any:  # fmt: skip
        on_meta = placed_like(self, device, pin_memory)
        sizes, numpy_dtype = sizes_from(name, size), numpy_dtype_of(dtype, self._array.dtype)
        array = allocated(make, sizes, numpy_dtype, on_meta=on_meta)
        return fresh(filled_if_asked(array) if make is np.empty else array, requires_grad)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"""{summary}

    Args:
        size: Sizes, one by one or as a sequence.
        dtype, device, requires_grad, layout, pin_memory: As for `new_tensor_method`.
    """
    return sections_of(new_tensor_method)(method)


public(method="new_zeros")(
    made_at_once(like=True)(
        _new("new_zeros", np.zeros, "Return a new tensor of zeros, in this tensor's dtype.")
    )
)


public(method="new_ones")(
    made_at_once(like=True)(
        _new("new_ones", np.ones, "Return a new tensor of ones, in this tensor's dtype.")
    )
)


public(method="new_empty")(
    _new("new_empty", np.empty, "Return a new tensor of this dtype, values not set.")
)


@public(method="new_full")
@made_at_once(like=True)
def new_full(
    self: Any, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None,
    requires_grad: bool = False, layout: Any = None, pin_memory: bool = False,
) -> Any:  # fmt: skip
    """Return a new tensor of one value, in this tensor's dtype.

    Args:
        size: Shape of the result.
        fill_value: Number that all elements have.
        dtype, device, requires_grad, layout, pin_memory: As for `new_tensor_method`.
    """
    on_meta = placed_like(self, device, pin_memory)
    numpy_dtype = numpy_dtype_of(dtype, self._array.dtype)
    value = array_from(fill_value, dtypes.from_numpy_dtype(numpy_dtype))
    if not isinstance(fill_value, TensorBase):
        dtypes.check_fits(fill_value, numpy_dtype)
    sizes, filling = sizes_from("new_full", (tuple(size),)), numpy_dtype if on_meta else value
    return fresh(allocated(np.full, sizes, filling, on_meta=on_meta), requires_grad)


def array_from_arguments(args: tuple[Any, ...], dtype: dtypes.dtype) -> Any:
    """Return the array for ``torch.FloatTensor(...)``: sizes, or data.

    Args:
        args: Sizes; or a sequence, an array or a tensor, or a storage, whose memory is shared.
        dtype: Dtype of the array.
    """
    if len(args) == 1 and isinstance(args[0], TensorBase):
        if args[0]._array.dtype != dtype.numpy:
            raise ArgumentTypeError(
                f"expected a tensor of {dtype}, got one of "
                f"{dtypes.from_numpy_dtype(args[0]._array.dtype)}; convert it with to()"
            )
        return args[0]._array
    if len(args) == 1 and isinstance(args[0], UntypedStorage | TypedStorage):
        return args[0].values_in(dtype.numpy)
    if len(args) == 1 and isinstance(args[0], Size):
        return allocated(np.empty, args[0], dtype.numpy)
    if len(args) == 1 and not isinstance(args[0], int):
        if not hasattr(args[0], "__len__"):
            raise ArgumentTypeError(
                f"new(): data must be a sequence (got {type(args[0]).__name__})"
            )
        return array_from(args[0], dtype)
    return allocated(np.empty, sizes_from("new", args) if args else (0,), dtype.numpy)


def construct(cls: type[Any], *args: Any, **options: Any) -> Any:
    """Make a tensor of the default dtype: ``Tensor(2, 3)`` by size, ``Tensor([1])`` with data."""
    return in_class(_made(args, options, dtypes.get_default_dtype()), cls)


@public(method="new")
def new_instance(self: Any, *args: Any, **options: Any) -> Any:
    """Return a new tensor of this dtype, by size or with data.

    Args:
        args: Sizes, data or a tensor.
        options: ``size``, ``data``, ``other`` or ``device`` by name.
    """
    return _made(args, options, dtypes.from_numpy_dtype(self._array.dtype))


def _made(args: tuple[Any, ...], options: dict[str, Any], dtype: dtypes.dtype) -> Any:
    placed(options.pop("device", None))
    if "size" in options:
        args = tuple(options.pop("size"))
    args += tuple(options.pop(name) for name in ("data", "other") if name in options)
    if options:
        raise ArgumentTypeError(f"new() got an unexpected keyword argument '{next(iter(options))}'")
    return fresh(array_from_arguments(args, dtype))


@public(method="new_empty_strided")
def new_empty_strided(
    self: Any, size: Any, stride: Any, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Any:  # fmt: skip
    """Make a tensor of the given strides and this tensor's dtype, without setting its values.

    Args:
        size, stride, layout, requires_grad, pin_memory: As for `empty_strided`.
        dtype: Dtype of the result; this tensor's if None.
        device: Device of the result; this tensor's if None.

    >>> torch.ones(1, dtype=torch.int64).new_empty_strided((2, 3), (1, 2)).dtype
    torch.int64
    """
    from pellucid.tensors.creation import empty_strided  # it needs the class Tensor

    return empty_strided(
        size, stride, dtype=dtypes.from_numpy_dtype(self._array.dtype) if dtype is None else dtype,
        layout=layout, device=self.device if device is None else device,
        requires_grad=requires_grad, pin_memory=pin_memory,
    )  # fmt: skip
