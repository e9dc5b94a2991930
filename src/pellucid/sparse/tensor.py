"""What sparse tensors of every layout have in common: values, which hold the history."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from math import prod
from typing import Any, NoReturn, TypeVar

import numpy as np

from pellucid import dtypes
from pellucid.autograd.modes import modes
from pellucid.autograd.node import Node, RemovableHandle
from pellucid.autograd.variable import Edge, TensorBase
from pellucid.core.call.call import new_tensor
from pellucid.core.call.overriding import disabled_torch_function_impl
from pellucid.core.memory.memory_formats import layout
from pellucid.core.memory.writing import check_result_dtype
from pellucid.device import device
from pellucid.dtypes import LEGACY_TYPE_NAMES
from pellucid.dtypes import dtype as dtype_class
from pellucid.errors import ArgumentTypeError, GraphError, ShapeError, SparseLayoutError
from pellucid.ops.elementwise.conditional import masked_fill
from pellucid.shapes import Size, dim_from_end, shape_from_args
from pellucid.tensors import Tensor, formatting
from pellucid.tensors.layouts import empty_in_layout

Array = np.ndarray[Any, Any]
Own = TypeVar("Own", bound="SparseTensor")

_NO_ARRAY = (
    "Could not run this operation with arguments from the 'SparseCPU' backend: a sparse tensor "
    "keeps only the elements at its indices. Use Tensor.to_dense() first."
)


class SparseTensor(Tensor):
    """A tensor of which only the elements at some indices are kept.

    Its history is that of the values: the gradient of a sparse leaf has the same indices.

    >>> torch.eye(2).to_sparse() @ torch.tensor([[1.0], [2.0]])
    tensor([[1.],
            [2.]])
    """

    __slots__ = ("_changed", "_entries", "_gradient_of", "_sizes")

    _entries: Tensor
    _sizes: Size
    #: how often it has changed in place beyond what its values have
    _changed: int
    #: the tensor whose `.grad` this is
    _gradient_of: SparseTensor | None
    __torch_function__ = disabled_torch_function_impl

    # ---- what a layout defines --------------------------------------------------------------

    def with_values(self: Own, entries: Any) -> Own:
        """Return a tensor with other values at the same indices."""
        raise NotImplementedError

    def coordinate(self) -> Any:
        """Return the tensor in coordinate format."""
        raise NotImplementedError

    def as_array(self) -> Any:
        """Return the elements as what flows backward: a `SparseArray`."""
        return self.coordinate().as_array()

    def index_parts(self) -> dict[str, Array]:
        """Return the arrays of indices by the names under which they are printed."""
        raise NotImplementedError

    def _nnz(self) -> int:
        """Return how many elements, rows or blocks are kept."""
        return self._entries.shape[0]

    # ---- what it is -------------------------------------------------------------------------

    @property
    def _array(self) -> NoReturn:
        raise SparseLayoutError(_NO_ARRAY)

    @property
    def shape(self) -> Size:
        """The sizes, one per dimension."""
        return self._sizes

    @property
    def dtype(self) -> dtype_class:
        """The type of the elements."""
        return self._entries.dtype

    @property
    def device(self) -> device:
        """Where the elements are: on the CPU, or on ``meta``, where there are none."""
        return self._entries.device

    @property
    def is_cpu(self) -> bool:
        """Whether the elements are on the CPU."""
        return not self.is_meta

    @property
    def is_meta(self) -> bool:
        """Whether there are no values."""
        return self._entries.is_meta

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._sizes)

    @property
    def itemsize(self) -> int:
        """The bytes of one element."""
        return self._entries.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of indices and values."""
        indices = [each.nbytes for each in self.index_parts().values()]
        return sum(indices, self._entries.nbytes)

    @property
    def layout(self) -> layout:
        """How the elements are kept."""
        raise NotImplementedError

    def dim(self) -> int:
        """Return the number of dimensions."""
        return len(self._sizes)

    ndimension = dim

    def size(self, dim: int | None = None) -> Any:
        """Return all sizes, or that of one dimension."""
        return self._sizes if dim is None else self._sizes[dim_from_end(dim, self.ndim)]

    def numel(self) -> int:
        """Return the number of elements, those that are not kept among them."""
        return prod(self._sizes)

    nelement = numel

    def element_size(self) -> int:
        """Return the bytes of one element."""
        return self._entries.itemsize

    def __len__(self) -> int:
        if not self._sizes:
            raise ArgumentTypeError("len() of a 0-d tensor")
        return self._sizes[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def is_floating_point(self) -> bool:
        """Return whether the elements are floating-point numbers."""
        return self._entries.is_floating_point()

    def is_complex(self) -> bool:
        """Return whether the elements are complex numbers."""
        return self._entries.is_complex()

    def is_signed(self) -> bool:
        """Return whether there are negative numbers of the dtype."""
        return self._entries.is_signed()

    def numpy(self, *, force: bool = False) -> NoReturn:
        """Raise TypeError: the elements are not an array."""
        raise ArgumentTypeError(
            f"can't convert {self.layout.title} layout tensor to numpy. Use "
            "Tensor.to_dense() first."
        )

    def __array__(self, *args: Any, **options: Any) -> NoReturn:
        return self.numpy()

    def item(self) -> Any:
        """Return the one element as a number; raise RuntimeError for any other count."""
        if self.numel() != 1:
            raise ShapeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return self.to_dense().item()

    def __bool__(self) -> bool:
        if self.numel() != 1:
            what = "more than one value" if self.numel() else "no values"
            raise ShapeError(f"Boolean value of Tensor with {what} is ambiguous")
        return bool(self.to_dense())

    def values(self) -> Any:
        """Return the values, with their history."""
        return self._entries

    def __deepcopy__(self: Own, memo: dict[int, Any]) -> Own:
        result = memo[id(self)] = self.with_values(copy.deepcopy(self._entries, memo))
        return result

    def become(self, other: Any) -> Any:
        """Take over the indices, values and size of a tensor of the same layout."""
        before, leaf, version = self._entries, self._gradient_of, self._version
        if before.requires_grad and not modes.grad_enabled:
            self._take_unrecorded(other)
        else:
            self._take_parts(other)
        if leaf is not None and leaf._entries.grad is before:
            leaf._grad = self
            self._take_parts(leaf.grad)
        self._changed += version + 1 - self._version
        return self

    def _take_unrecorded(self, other: Any) -> None:
        """Take over indices and values, and keep the history and, of the same size, the ``.grad``.

        The gradient of an element that is no longer there is lost.
        """
        entries, grad = self._entries, self.grad
        self._take_parts(other)
        entries.data = other._entries.detach()
        self._entries = entries
        if grad is not None:
            self._grad = grad if grad._sizes == self._sizes else None

    def _take_parts(self, other: Any) -> None:
        for name in ("_entries", "_sizes", *type(self).__slots__):
            setattr(self, name, getattr(other, name))

    def copy_(self, src: Any, non_blocking: bool = False) -> Any:
        """Take over the elements of another sparse tensor, in place."""
        self._check_leaf()
        return self.become(self.adapted(src))

    def zero_(self) -> Any:
        """Forget all elements, in place."""
        self._check_leaf()
        return self.become(self.emptied())

    def adapted(self, result: Any) -> Any:
        """Return a sparse tensor in this one's layout and dtype, to take its place.

        Raises RuntimeError where the dtype cannot hold it, or the size is another.
        """
        if not isinstance(result, SparseTensor) or result._sizes != self._sizes:
            raise ShapeError(
                f"output with shape {list(self._sizes)} doesn't match the result's shape "
                f"{list(result.shape)}, or the result is dense: use an operation that is not in "
                "place"
            )
        own = self._entries._array.dtype
        check_result_dtype(result._entries._array.dtype, own)
        return self.in_layout(result.to(self.dtype))

    def in_layout(self, other: Any) -> Any:
        """Return a sparse tensor in the layout of this one."""
        raise NotImplementedError

    def emptied(self) -> Any:
        """Return a tensor of the same size and layout without any values."""
        raise NotImplementedError

    def _check_leaf(self) -> None:
        """Raise RuntimeError where a change in place would lose the history of a leaf."""
        if self.requires_grad and self.is_leaf and modes.grad_enabled:
            raise GraphError(
                "a leaf Variable that requires grad is being used in an in-place operation."
            )

    # ---- its parts, and others like it ------------------------------------------------------

    def __setitem__(self, index: Any, value: Any) -> None:
        raise ArgumentTypeError("Cannot assign to a sparse tensor. Use Tensor.to_dense() first.")

    def new_zeros(self, *size: Any, dtype: Any = None, **options: Any) -> Any:
        """Return a new tensor without elements, of this layout and dtype."""
        sizes = shape_from_args(size, "new_zeros")
        return empty_in_layout(sizes, (dtype or self.dtype).numpy, self.layout)

    new_empty = new_zeros

    def new_tensor(self, data: Any, **options: Any) -> Any:
        """Return a dense tensor with a copy of the data, in this tensor's dtype."""
        return self._entries.new_tensor(data, **options)

    def narrow_copy(self, dim: int, start: int, length: int) -> Any:
        """Return the part of a dimension that begins at a place, in new memory."""
        return self.narrow(dim, start, length)

    def t_(self) -> Any:
        """Exchange the two dimensions in place."""
        self._check_leaf()
        return self.become(self.t())

    def transpose_(self, dim0: int, dim1: int) -> Any:
        """Exchange two dimensions in place."""
        self._check_leaf()
        return self.become(self.transpose(dim0, dim1))

    def resize_as_sparse_(self, other: Any) -> Any:
        """Take over the indices and size of another tensor, and copies of its values, in place."""
        self._check_leaf()
        return self.become(other.with_values(other._entries.detach().clone()))

    # ---- its history ------------------------------------------------------------------------

    @property
    def edge(self) -> Edge | None:
        return self._entries.edge

    @property
    def requires_grad(self) -> bool:
        """Whether gradients are computed for the values."""
        return self._entries.requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self._entries.requires_grad = value

    def _switch_recording(self, requires_grad: bool) -> Any:
        return self.requires_grad_(requires_grad)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Switch the recording of operations on the values on, or for a leaf off."""
        self._entries.requires_grad_(requires_grad)
        return self

    @property
    def grad_fn(self) -> Node | None:
        """The node that made the values; ``None`` for a leaf."""
        return self._entries.grad_fn

    @property
    def output_nr(self) -> int:
        """Which output of ``grad_fn`` the values are."""
        return self._entries.output_nr

    @property
    def _version(self) -> int:
        """How often the values have been changed in place."""
        return self._entries._version + self._changed

    def in_own_form(self, gradient: Any) -> Any:
        """Return the gradient of the values as that of the tensor."""
        return None if gradient is None else self.with_values(self.counted_once(gradient))

    def of_values(self, gradient: Any) -> Any:
        """Return a gradient of the tensor as that of its values.

        Raises RuntimeError for a sparse one with other indices.
        """
        if not isinstance(gradient, SparseTensor):
            return self.masked(gradient)._entries if isinstance(gradient, TensorBase) else gradient
        own, given = self.index_parts(), gradient.index_parts()
        fits = own.keys() == given.keys() and gradient._sizes == self._sizes
        fits = fits and all(np.array_equal(own[name], given[name]) for name in own)
        if fits and not self.repeated().any():
            return gradient._entries
        return self.masked(gradient.to_dense())._entries

    @property
    def held(self) -> Any:
        """The values."""
        return self._entries

    def whole_like(self, value: Any) -> Any:
        """Return a tensor of the shape of the values as sparse; other values as they are."""
        is_like = isinstance(value, Tensor) and value.shape == self._entries.shape
        return self.with_values(value) if is_like else value

    def part_like(self, value: Any) -> Any:
        """Return the values of a sparse tensor; other values as they are."""
        return value._entries if isinstance(value, SparseTensor) else value

    def repeated(self) -> Array:
        """Return of each value whether one before it has the same index."""
        return np.zeros(len(self._entries), bool)

    def counted_once(self, gradient: Any) -> Any:
        """Return the gradient of the values with that of each element at its first value alone.

        All values whose sum an element is have the gradient of that element.
        """
        repeated = self.repeated()
        if not gradient._array[repeated].any():
            return gradient
        columns = repeated.reshape(-1, *(1,) * (gradient.ndim - 1))
        return masked_fill(gradient, new_tensor(columns), 0)

    def masked(self: Own, dense: Any) -> Own:
        """Return a dense tensor's elements at the indices of this one."""
        raise NotImplementedError

    @property
    def grad(self) -> Any:
        """The gradient that backward passes have added up so far, sparse with the same indices."""
        grad = self._entries.grad
        if grad is None:
            return None
        once = self.counted_once(grad)
        if once is not grad:
            self._entries.grad = once
        result = self.with_values(once)
        result._gradient_of = self
        return result

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is not None:
            self._check_grad(value)
        self._grad = value

    @property
    def _grad(self) -> Any:
        return self.grad

    @_grad.setter
    def _grad(self, value: Any) -> None:
        self._entries.grad = None if value is None else self.of_values(value)

    def retain_grad(self) -> None:
        """Make backward fill ``.grad`` although this is not a leaf."""
        self._entries.retain_grad()

    @property
    def retains_grad(self) -> bool:
        """Whether ``.grad`` is filled although this is not a leaf."""
        return self._entries.retains_grad

    def register_hook(self, hook: Callable[[Any], Any]) -> RemovableHandle:
        """Call ``hook(grad)`` with a sparse tensor when the gradient of this tensor is known."""

        def on_values(gradient: Any) -> Any:
            result = hook(self.in_own_form(gradient))
            return None if result is None else self.of_values(result)

        return self._entries.register_hook(on_values)

    def backward(
        self, gradient: Any = None, retain_graph: Any = None, create_graph: bool = False,
        inputs: Any = None, atomic: bool = False,
    ) -> None:  # fmt: skip
        """Go backward from the values; ``gradient`` is sparse, or dense and read at the indices."""
        self._entries.backward(self.of_values(gradient), retain_graph, create_graph, inputs, atomic)

    def detach(self: Own) -> Own:
        """Return a tensor with the same indices and values, and no history."""
        return self.with_values(self._entries.detach())

    def detach_(self) -> Any:
        """Cut this tensor off its history."""
        grad = self._entries._grad
        self._entries = self._entries.detach()
        self._entries._grad = grad
        return self

    @property
    def data(self) -> Any:
        """The tensor with no history."""
        return self.with_values(self._entries.data)

    @data.setter
    def data(self, value: Any) -> None:
        if self.requires_grad:
            self._take_unrecorded(value)
        else:
            self._take_parts(value.detach())

    # ---- as something else ------------------------------------------------------------------

    def to(self: Own, *args: Any, **options: Any) -> Own:
        """Return the tensor in another dtype, or without elements on the device ``meta``."""
        like = args[0] if args and isinstance(args[0], SparseTensor) else None
        if like is not None:
            args = (like._entries, *args[1:])
        entries = self._entries.to(*args, **options)
        if entries.is_meta and not self.is_meta:
            return self.emptied().with_values(entries[:0])
        return self if entries is self._entries else self.with_values(entries)

    def cpu(self: Own) -> Own:
        """Return the tensor itself."""
        return self

    def cuda(self, *args: Any, **options: Any) -> Any:
        """Raise an error: there is no such device."""
        return self._entries.cuda(*args, **options)

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """Return the name of the tensor's type, or the tensor in a dtype."""
        if dtype is None:
            return f"torch.sparse.{LEGACY_TYPE_NAMES[self.dtype.name]}"
        return self.to(self._entries.type(dtype).dtype)

    def to_dense(self, dtype: Any = None, *, masked_grad: bool | None = None) -> Any:
        """Return the tensor with all its elements, in a dtype if one is given."""
        dense = self.coordinate().filled()
        return dense if dtype is None else dense.to(dtype)

    def __repr__(self) -> str:
        node = self.grad_fn
        history = "requires_grad=True" if self.requires_grad else None
        return formatting.format_sparse(
            self.index_parts(),
            self._entries._array,
            self._sizes,
            layout_name=self.layout.name,
            dtype_name=str(self.dtype),
            default_dtype_name=str(dtypes.get_default_dtype()),
            history=history if node is None else f"grad_fn=<{node.short_name()}>",
        )


def _cast(name: str) -> Callable[[Any], Any]:
    def cast(self: SparseTensor) -> SparseTensor:
        return self.to(getattr(dtypes, name))

    cast.__doc__ = f"Return the tensor as ``{name}``."
    return cast


for _method, _dtype in (
    ("half", "float16"), ("bfloat16", "bfloat16"), ("float", "float32"), ("double", "float64"),
    ("cfloat", "complex64"), ("cdouble", "complex128"), ("bool", "bool_"), ("byte", "uint8"),
    ("char", "int8"), ("short", "int16"), ("int", "int32"), ("long", "int64"),
):  # fmt: skip
    setattr(SparseTensor, _method, _cast(_dtype))
