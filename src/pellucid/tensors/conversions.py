"""What Python, NumPy, copy and pickle ask of a tensor."""

from __future__ import annotations

import copy as copy_module
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pellucid import dtypes
from pellucid.autograd.forward_ad import rules, tangent_of
from pellucid.autograd.modes import modes
from pellucid.autograd.node import AccumulateGrad
from pellucid.autograd.sites import user_frame, user_stacklevel
from pellucid.autograd.variable import TensorBase, storage_of
from pellucid.autograd.variable import is_inference as variable_is_inference
from pellucid.core.call import new_tensor
from pellucid.core.construct import (
    TENSOR_TO_NUMBER_WARNING,
    allocated,
    array_from,
    fresh,
    numpy_dtype_of,
    placed,
    placed_like,
    placed_tensor,
    sizes_from,
)
from pellucid.core.history import edge_of
from pellucid.core.memory_formats import (
    contiguous_format,
    copied,
    in_memory_order,
    is_contiguous,
    memory_format,
    shaped,
    strided,
)
from pellucid.core.numbers import is_number
from pellucid.core.overriding import DisableTorchFunctionSubclass
from pellucid.core.public import public
from pellucid.core.writing import check_mode, shares_storage
from pellucid.device import cpu_device
from pellucid.docstrings import sections_of
from pellucid.errors import (
    ArgumentError,
    ArgumentTypeError,
    DeviceError,
    DimensionError,
    GraphError,
    ShapeError,
    UnimplementedError,
)
from pellucid.kernels.meta import is_meta
from pellucid.ops.aliasing.inplace import call_inplace, check_inplace
from pellucid.ops.index.indexing import fill_plainly
from pellucid.ops.shape import broadcasting, splitting, views
from pellucid.ops.shape.copying import NO_DATA, cast, clone, copy, to
from pellucid.ops.shape.strided import storage_offset_of
from pellucid.shapes import Size, dim_from_end, shape_from_args

# ---- as a Python value ----------------------------------------------------------------------


@public(method="tolist")
def tolist(self: Any) -> Any:
    """Return the values as nested lists of Python numbers; one number for a 0-d tensor."""
    if is_meta(self._array):
        raise UnimplementedError(NO_DATA)
    return self._array.tolist()


def _only_element(self: Any) -> Any:
    if self._array.size != 1:
        raise ArgumentError(
            "only one element tensors can be converted to Python scalars; this one has "
            f"{self._array.size}"
        )
    if edge_of(self) is not None:
        warnings.warn(TENSOR_TO_NUMBER_WARNING, UserWarning, stacklevel=user_stacklevel())
    return only_value(self)


def only_value(self: Any) -> Any:
    """Return the one element as a number; raise RuntimeError where it has no value."""
    if is_meta(self._array):
        raise GraphError("Tensor.item() cannot be called on meta tensors")
    return self._array.item()


@public(method="__int__")
def to_int(self: Any) -> int:
    """Return ``int(self)`` of a tensor of one element."""
    return int(_real(_only_element(self), "int64_t"))


@public(method="__float__")
def to_float(self: Any) -> float:
    """Return ``float(self)`` of a tensor of one element."""
    return float(_real(_only_element(self), "double"))


@public(method="__complex__")
def to_complex(self: Any) -> complex:
    """Return ``complex(self)`` of a tensor of one element."""
    return complex(_only_element(self))


def _real(value: Any, wanted: str) -> Any:
    if not isinstance(value, complex):
        return value
    if value.imag:
        raise GraphError(
            f"value cannot be converted to type {wanted} without overflow: {value} has an "
            "imaginary "
            "part"
        )
    return value.real


@public(method="__index__")
def to_index(self: Any) -> int:
    """Return the value as a list index; raise TypeError unless it is one integer."""
    if self._array.size != 1 or self._array.dtype.kind not in "iub":
        raise ArgumentTypeError(
            "only integer tensors of a single element can be converted to an index"
        )
    return int(only_value(self))


@public(method="__format__")
def formatted(self: Any, spec: str) -> str:
    """Return ``format(self, spec)``: of a 0-d tensor, the number's."""
    from pellucid.tensors import formatting

    if not self._array.ndim and not is_meta(self._array):
        return formatting.format_item(self._array, spec)
    if spec:
        raise ArgumentTypeError("unsupported format string passed to Tensor.__format__")
    return repr(self)


@public(method="__contains__")
def contains(self: Any, element: Any) -> bool:
    """Return whether some element equals the given one."""
    if is_meta(self._array):
        raise GraphError("Tensor.item() cannot be called on meta tensors")
    if isinstance(element, TensorBase):
        return bool((self._array == element._array).any())
    if is_number(element):
        return bool((self._array == element).any())
    raise GraphError(
        f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
    )


@public(method="__iter__")
def iterate(self: Any) -> Iterator[Any]:
    """Go through the parts along the first dimension."""
    if not self._array.ndim:
        raise ArgumentTypeError("iteration over a 0-d tensor")
    return iter(splitting.unbind(self, 0))


# ---- as a NumPy array -----------------------------------------------------------------------


@public(method="__array__")
def to_array(self: Any, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
    """Return the array for NumPy, which shares memory unless told otherwise.

    Raises RuntimeError for a tensor that requires grad.
    """
    array = self.numpy()
    if copy:
        return np.array(array, dtype)
    if dtype is None or array.dtype == dtype:
        return array
    if copy is False:
        raise ArgumentError(f"a tensor of {array.dtype} cannot be read as {dtype} without a copy")
    return array.astype(dtype)


# ---- copies and pickles ---------------------------------------------------------------------


@public(method="__deepcopy__")
def deepcopy(self: Any, memo: dict[int, Any]) -> Any:
    """Return a copy with memory of its own; raise RuntimeError unless the tensor is a leaf."""
    if id(self) in memo:
        return memo[id(self)]
    if not self.is_leaf:
        raise GraphError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
            "protocol "
            "at the moment.  If you were attempting to deepcopy a module, this may be because of a "
            "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
        )
    result = _likeness(self, copied(self._array))
    memo[id(self)] = result
    result._grad = copy_module.deepcopy(self._grad, memo)
    result.__dict__.update(copy_module.deepcopy(self.__dict__, memo))
    return result


@public(method="__copy__")
def shallow_copy(self: Any) -> Any:
    """Return a leaf over the same memory."""
    result = _likeness(self, self._array)
    result.__dict__.update(self.__dict__)
    return result


def _likeness(self: Any, array: Any) -> Any:
    """Return a leaf like this one, of the same class, around another array."""
    result: Any = new_tensor(array)
    result.__class__ = type(self)
    result._switch_recording(edge_of(self) is not None)
    return result


def restored(cls: type[Any], array: Any, requires_grad: bool, attributes: dict[str, Any]) -> Any:
    """Make a tensor from what a pickle holds."""
    usual = np.dtype(array.dtype.type)
    # Pickles make dtypes again, and an equal dtype that is another object takes the longer ways.
    result: Any = new_tensor(array if array.dtype is usual else array.view(usual))
    result._switch_recording(requires_grad)
    result.__class__ = cls
    result.__dict__.update(attributes)
    return result


@public(method="__reduce_ex__")
def reduced(self: Any, protocol: Any) -> tuple[Any, ...]:
    """Return what a pickle is to hold; the graph is not kept, so that a leaf comes back."""
    requires_grad = edge_of(self) is not None
    return (restored, (type(self), self._array, requires_grad, dict(self.__dict__)))


# ---- sizes and memory -----------------------------------------------------------------------


@public(method="dim ndimension", checked=False)
def dim(self: Any) -> int:
    """Return the number of dimensions."""
    return self._array.ndim


@public(method="size", checked=False)
def size(self: Any, dim: int | None = None) -> Any:
    """Return all sizes, or that of one dimension.

    Args:
        dim: Dimension; all if None.
    """
    shape = self._array.shape
    if dim is None:
        return Size(shape)
    if not shape:
        raise DimensionError(f"Dimension specified as {dim} but tensor has no dimensions")
    return shape[dim_from_end(dim, len(shape))]


@public(method="stride", checked=False)
def stride(self: Any, dim: int | None = None) -> Any:
    """Return the steps in memory, in elements, to the next place along all or one dimension.

    Args:
        dim: Dimension; all if None.
    """
    array = self._array
    # Sizes of 1 have no steps that matter; NumPy's are those of an array without gaps.
    steps = tuple(step // array.itemsize for step in array.strides)
    if dim is None:
        return steps
    if not steps:
        raise DimensionError(f"Dimension specified as {dim} but tensor has no dimensions")
    return steps[dim_from_end(dim, array.ndim)]


@public(method="storage_offset")
def storage_offset(self: Any) -> int:
    """Return how many elements lie before the first one in memory."""
    return storage_offset_of(self._array)


@public(method="data_ptr const_data_ptr")
def data_ptr(self: Any) -> int:
    """Return the address of the first element; 0 where there are no values."""
    if is_meta(self._array) or not self._array.size:
        return 0
    return self._array.__array_interface__["data"][0]


@public("numel")
@public(method="numel nelement", checked=False)
def numel(input: Any) -> int:
    """Return the number of elements.

    Args:
        input: Tensor of any shape.

    >>> import pellucid as torch
    >>> torch.numel(torch.ones(2, 3))
    6
    """
    return input._array.size


@public(method="element_size", checked=False)
def element_size(self: Any) -> int:
    """Return the bytes of one element."""
    return self._array.itemsize


@public(method="is_contiguous", checked=False)
def is_contiguous_method(self: Any, *, memory_format: memory_format = contiguous_format) -> bool:
    """Return whether the elements lie in memory one after the other.

    Args:
        memory_format: Order of the dimensions in memory that is asked about.
    """
    return is_contiguous(self._array, memory_format)


@public("is_floating_point")
@public(method="is_floating_point", checked=False)
def is_floating_point(input: Any) -> bool:
    """Return whether the dtype is one of floating point.

    Args:
        input: Tensor of any shape.

    >>> import pellucid as torch
    >>> torch.is_floating_point(torch.ones(1))
    True
    """
    return input._array.dtype.kind in "fV"


@public("is_complex")
@public(method="is_complex", checked=False)
def is_complex(input: Any) -> bool:
    """Return whether the dtype is complex.

    Args:
        input: Tensor of any shape.

    >>> import pellucid as torch
    >>> torch.is_complex(torch.ones(1))
    False
    """
    return input._array.dtype.kind == "c"


@public("is_signed", method=True)
def is_signed(self: Any) -> bool:
    """Return whether the dtype has negative numbers.

    Args:
        self: Tensor of any shape and dtype.

    >>> import pellucid as torch
    >>> torch.is_signed(torch.ones(2)), torch.is_signed(torch.ones(2, dtype=torch.uint8))
    (True, False)
    """
    return self._array.dtype.kind in "ifcV"


@public("is_nonzero", method="is_nonzero __nonzero__")
def is_nonzero(input: Any) -> bool:
    """Return whether the one element is not zero; raise RuntimeError if there is not just one.

    Args:
        input: Tensor of any shape.

    >>> import pellucid as torch
    >>> torch.is_nonzero(torch.tensor([0.5]))
    True
    """
    return bool(input)


@public("is_inference", method=True)
def is_inference(self: Any) -> bool:
    """Return whether the tensor was made in inference mode.

    Args:
        self: Tensor of any shape and dtype.

    >>> import pellucid as torch
    >>> torch.is_inference(torch.ones(2))
    False
    """
    return variable_is_inference(self)


@public(method="_is_view")
def is_view(self: Any) -> bool:
    """Return whether the tensor looks into the memory of another."""
    return self._view is not None


@public(method="get_device")
def get_device(self: Any) -> int:
    """Return the number of the device: -1 for the CPU."""
    return -1


@public(method="pin_memory")
def pin_memory(self: Any, device: Any = None) -> Any:
    """Raise RuntimeError: memory is pinned for an accelerator, and there is none.

    Args:
        device: Accepted, and without effect.
    """
    raise ShapeError("Cannot access accelerator device when none is available.")


@public(method="cuda")
def cuda(
    self: Any, device: Any = None, non_blocking: bool = False, memory_format: Any = None
) -> Any:
    """Raise: pellucid computes on the CPU.

    Args:
        device: Device that is asked for.
        non_blocking: Accepted, and without effect.
        memory_format: Accepted, and without effect.
    """
    raise DeviceError(
        "Torch not compiled with CUDA enabled: pellucid computes on the CPU. Choose a device with "
        "'cuda' if torch.cuda.is_available() else 'cpu', which gives 'cpu' here."
    )


@public(method="cpu")
def cpu(self: Any, *, memory_format: Any = None) -> Any:
    """Return the tensor itself if it is on the CPU; raise NotImplementedError without values.

    Args:
        memory_format: Accepted, and without effect.
    """
    return to(self, cpu_device)


# ---- other dtypes ---------------------------------------------------------------------------


def _converter(dtype: dtypes.dtype, name: str) -> Any:
    def convert(self: Any, *, memory_format: Any = None) -> Any:
        return self if self._array.dtype == dtype.numpy else cast(self, dtype)

    convert.__name__ = convert.__qualname__ = name
    convert.__doc__ = (
        f"Return the tensor as ``{dtype}``; itself if it is.\n\n"
        "    Args:\n        memory_format: Accepted, and without effect.\n"
    )
    return convert


as_float = _converter(dtypes.float32, "float")
as_double = _converter(dtypes.float64, "double")
as_half = _converter(dtypes.float16, "half")
as_bfloat16 = _converter(dtypes.bfloat16, "bfloat16")
as_int = _converter(dtypes.int32, "int")
as_long = _converter(dtypes.int64, "long")
as_short = _converter(dtypes.int16, "short")
as_char = _converter(dtypes.int8, "char")
as_byte = _converter(dtypes.uint8, "byte")
as_bool = _converter(dtypes.bool_, "bool")
as_cfloat = _converter(dtypes.complex64, "cfloat")
as_cdouble = _converter(dtypes.complex128, "cdouble")


@public(method="type_as")
def type_as(self: Any, other: Any) -> Any:
    """Return the tensor in the dtype of another.

    Args:
        other: Tensor with the wanted dtype.
    """
    return to(self, dtypes.from_numpy_dtype(other._array.dtype))


def type_of(self: Any, dtype: Any = None, non_blocking: bool = False) -> Any:
    """Return the name of the type, ``torch.FloatTensor``; or convert to a dtype or such a type.

    Args:
        dtype: Dtype, or name of a type such as ``"torch.FloatTensor"``.
        non_blocking: Accepted, and without effect.
    """
    if dtype is None:
        where = "torch.meta" if is_meta(self._array) else "torch"
        return (
            f"{where}.{dtypes.LEGACY_TYPE_NAMES[dtypes.from_numpy_dtype(self._array.dtype).name]}"
        )
    if isinstance(dtype, str):
        dtype = _dtype_named(dtype)
    elif isinstance(getattr(dtype, "dtype", None), dtypes.dtype) and not isinstance(
        dtype, TensorBase
    ):
        dtype = dtype.dtype  # torch.FloatTensor and its like
    elif not isinstance(dtype, dtypes.dtype):
        raise ArgumentTypeError("dtype must be a type, str, or dtype object")
    return to(self, dtype)


def _dtype_named(name: str) -> dtypes.dtype:
    short = name.removeprefix("torch.")
    for each in dtypes.ALL:
        if dtypes.LEGACY_TYPE_NAMES[each.name] == short:
            return each
    raise ArgumentError(f"invalid type: '{name}'")


class Conversions(TensorBase):
    """Have the methods that are named after Python's types, which `Tensor` uses in annotations."""

    __slots__ = ()

    float = as_float
    double = as_double
    half = as_half
    bfloat16 = as_bfloat16
    int = as_int
    long = as_long
    short = as_short
    char = as_char
    byte = as_byte
    bool = as_bool
    cfloat = as_cfloat
    cdouble = as_cdouble
    type = type_of


def __getattr__(name: str) -> Any:
    """Return a conversion by the name of its method, as pickles ask for it."""
    found = Conversions.__dict__.get(name)
    if not callable(found):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found


# ---- filling --------------------------------------------------------------------------------


@public("zero_", method=True, foreach=True)
def zero_(self: Any) -> Any:
    """Write zeros over all elements."""
    return _filled(self, 0)


def _filled(self: Any, value: Any) -> Any:
    if fill_plainly(self, value):
        return self
    return call_inplace(copy.op, (self, value), (False,))


#: numbers up to this one fit into every floating-point dtype
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
        or isinstance(value, complex)
        or not abs(value) <= _SMALLEST_LIMIT
    ):
        dtypes.check_fits(value, self._array.dtype)
    if shares_storage(self, value):
        value = clone(value)  # read before it is written over
    return _filled(self, value)


# ---- new tensors of the same dtype ----------------------------------------------------------


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
        return fresh(allocated(make, sizes, numpy_dtype, on_meta=on_meta), requires_grad)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"""{summary}

    Args:
        size: Sizes, one by one or as a sequence.
        dtype, device, requires_grad, layout, pin_memory: As for `new_tensor_method`.
    """
    return sections_of(new_tensor_method)(method)


public(method="new_zeros")(
    _new("new_zeros", np.zeros, "Return a new tensor of zeros, in this tensor's dtype.")
)
public(method="new_ones")(
    _new("new_ones", np.ones, "Return a new tensor of ones, in this tensor's dtype.")
)
public(method="new_empty")(
    _new("new_empty", np.empty, "Return a new tensor of this dtype, values not set.")
)


@public(method="new_full")
@sections_of(new_tensor_method)
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
    sizes, filling = sizes_from("new_full", (tuple(size),)), numpy_dtype if on_meta else value
    return fresh(allocated(np.full, sizes, filling, on_meta=on_meta), requires_grad)


def array_from_arguments(args: tuple[Any, ...], dtype: dtypes.dtype) -> Any:
    """Return the array for ``torch.FloatTensor(...)``: sizes, or data.

    Args:
        args: Sizes; or a sequence, an array or a tensor.
        dtype: Dtype of the array.
    """
    if len(args) == 1 and isinstance(args[0], TensorBase):
        if args[0]._array.dtype != dtype.numpy:
            raise ArgumentTypeError(
                f"expected a tensor of {dtype}, got one of "
                f"{dtypes.from_numpy_dtype(args[0]._array.dtype)}; convert it with to()"
            )
        return args[0]._array
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
    placed(options.pop("device", None))
    if "size" in options:
        args = tuple(options.pop("size"))
    args += tuple(options.pop(name) for name in ("data", "other") if name in options)
    if options:
        raise ArgumentTypeError(f"new() got an unexpected keyword argument '{next(iter(options))}'")
    result = fresh(array_from_arguments(args, dtypes.get_default_dtype()))
    result.__class__ = cls
    return result


# ---- methods with separate integers ---------------------------------------------------------


def _ints(name: str, args: tuple[Any, ...]) -> tuple[int, ...]:
    """Return integers given one by one or as one sequence."""
    return args[0] if len(args) == 1 and args[0].__class__ is tuple else shape_from_args(args, name)


@public(method="view", checked=False)
def view(self: Any, *shape: Any, dtype: Any = None, size: Any = None) -> Any:
    """Return a view in another shape, or of the bytes as another dtype.

    Args:
        shape: Sizes, one by one or as a sequence, one of which may be -1; or a dtype.
        dtype: Dtype as which the bytes are read.
        size: The shape, by name.
    """
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
            "view() received an invalid combination of arguments - got (); give sizes or a dtype"
        )
    return views.view(self, _ints("view", shape if size is None else (size,)))


@public(method="reshape", checked=False)
def reshape(self: Any, *sizes: Any, shape: Any = None) -> Any:
    """Return the elements in another shape: a view where possible, else a copy."""
    if len(sizes) == 1 and sizes[0].__class__ is tuple:
        return views.reshape(self, sizes[0])
    return views.reshape(self, shape_from_args(sizes, "reshape", named=shape))


@public(method="expand", checked=False)
def expand(self: Any, *sizes: Any, size: Any = None, implicit: bool = False) -> Any:
    """Stretch dimensions of size 1 without copying; -1 leaves a size as it is.

    Args:
        sizes: Sizes, one by one or as a sequence; new dimensions come first.
        size: The same as a sequence.
        implicit: Accepted, and without effect.
    """
    return broadcasting.expand(self, shape_from_args(sizes, "expand", named=size))


@public(method="permute", checked=False)
def permute(self: Any, *order: Any, dims: Any = None) -> Any:
    """Put the dimensions in another order."""
    return views.permute(self, shape_from_args(order, "permute", "dims", dims))


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
        rules.tangents.set_tangent(self, tangent)
    if not is_leaf:
        self._edge = view._edge
    elif self._extra is not None and self._extra.accumulate is not None:
        self._extra.accumulate.rebind(self)
    storage_of(self).note_change(name, *user_frame(1))
    return self


@public(method="resize_")
def resize_(self: Any, *sizes: Any, size: Any = None, memory_format: Any = None) -> Any:
    """Give this tensor other sizes; elements that are there stay, in the order of memory.

    Raises RuntimeError for a tensor that requires grad.
    """
    if size is not None:
        sizes = (size,)
    check_mode(self)
    if edge_of(self) is not None and not modes.inference:
        raise GraphError("cannot resize variables that require grad")
    shape = sizes_from("resize_", sizes)
    flat = in_memory_order(self._array)
    count = math.prod(shape)
    if count > flat.size:
        larger = np.empty_like(flat, shape=(count,))
        larger[: flat.size] = flat
        flat = larger
    self._array = shaped(flat[:count], shape, memory_format)
    storage_of(self).note_change("resize_", *user_frame(1))
    return self


@public(method="as_subclass", checked=False)
def set_subclass(self: Any, cls: type[Any]) -> Any:
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
        result = views.view(self, self._array.shape)
    result.__class__ = cls
    return result


def layout(self: Any) -> Any:
    """Return how the elements are kept: with strides."""
    return strided


@public(method="new")
def new_instance(self: Any, *args: Any, **options: Any) -> Any:
    """Return a new tensor of this dtype, by size or with data.

    Args:
        args: Sizes, data or a tensor.
        options: ``size``, ``data``, ``other`` or ``device`` by name.
    """
    placed(options.pop("device", None))
    if "size" in options:
        args = tuple(options.pop("size"))
    args += tuple(options.pop(name) for name in ("data", "other") if name in options)
    if options:
        raise ArgumentTypeError(f"new() got an unexpected keyword argument '{min(options)}'")
    wanted = dtypes.from_numpy_dtype(self._array.dtype)
    return fresh(array_from_arguments(args, wanted))
