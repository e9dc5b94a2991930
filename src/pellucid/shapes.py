"""Shapes: `Size`, `Like`, broadcasting, and naming dimensions from either end."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any, Protocol, SupportsIndex, overload

from pellucid._native import in_front
from pellucid.errors import ArgumentError, ArgumentTypeError, DimensionError, ShapeError


class Size(tuple[int, ...]):
    """The sizes of a tensor, one per dim; a tuple that prints as PyTorch's.

    Args:
        iterable: The sizes, ints.

    >>> torch.ones(2, 3).shape
    torch.Size([2, 3])
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def numel(self) -> int:
        """Return the number of elements of a tensor of this size."""
        return math.prod(self)

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...

    @overload
    def __getitem__(self, index: slice) -> Size: ...

    @in_front("item")
    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other: tuple[int, ...]) -> Size:
        return Size(tuple.__add__(self, tuple(other)))

    def __reduce__(self) -> tuple[type[Size], tuple[tuple[int, ...]]]:
        return (Size, (tuple(self),))


class Like(Protocol):
    """The shape and dtype of a tensor, for a derivative that does not need its values.

    An array, a tensor, and the graph node that made a tensor all have them.
    """

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def dtype(self) -> Any: ...


class Meta:
    """The shape and dtype of a tensor."""

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape = shape
        self.dtype = dtype


def dim_from_end(dim: SupportsIndex, ndim: int) -> int:
    """Return ``dim`` counted from the front; a 0-d tensor has the dims -1 and 0.

    Raises `DimensionError` with PyTorch's text where there is no such dimension.
    """
    if type(dim) is int and 0 <= dim < ndim:
        return dim
    try:
        number = dim.__index__()
    except AttributeError:
        raise ArgumentTypeError(
            f"dim must be an int or a tuple of ints, not {type(dim).__name__}"
        ) from None
    if dim.__class__ is bool:
        raise ArgumentTypeError("dim must be an int or a tuple of ints, not bool")
    extent = ndim or 1
    if not -extent <= number < extent:
        raise DimensionError(
            f"Dimension out of range (expected to be in range of [{-extent}, {extent - 1}], "
            f"but got {number})"
        )
    return number % extent


def real_dim(dim: SupportsIndex, ndim: int) -> int:
    """Return ``dim`` counted from the front, as where its size is asked for: a 0-d tensor has none.

    Raises `DimensionError` with PyTorch's text where there is no such dimension.
    """
    if not ndim:
        raise DimensionError(f"Dimension specified as {dim} but tensor has no dimensions")
    return dim_from_end(dim, ndim)


def items_of(values: Any) -> Any:
    """Return the items that a list or tuple has, whatever its class says that they are.

    PyTorch reads them so: the iterator of a subclass may never end. Anything else is left as it is.
    """
    kind: Any = list if isinstance(values, list) else tuple
    if values.__class__ is kind or not isinstance(values, kind):
        return values
    return kind.__getitem__(values, slice(None))


def several(values: Any) -> tuple[Any, ...]:
    """Return the items of a list or tuple, and anything else as the only item."""
    return tuple(items_of(values)) if isinstance(values, list | tuple) else (values,)


def as_tuple(values: Any, function: str, argument: str) -> tuple[Any, ...]:
    """Return what the list or tuple given for an argument of a function holds.

    Raises TypeError for any other object, as PyTorch does: there may be no end to its items.
    """
    if not isinstance(values, list | tuple):
        raise ArgumentTypeError(
            f"{function}(): argument '{argument}' must be tuple of ints, not "
            f"{type(values).__name__}"
        )
    return tuple(items_of(values))


def dims_from_end(dims: Any, ndim: int) -> tuple[int, ...]:
    """Return the dimensions counted from the front, all of them for ``None`` or an empty sequence.

    Raises `ShapeError` (PyTorch: RuntimeError) where one is named twice.
    """
    if dims is None:
        return tuple(range(ndim))
    if not isinstance(dims, (tuple, list)):
        return (dim_from_end(dims, ndim),) if ndim else _no_dims(dims)
    if not dims:
        return tuple(range(ndim))
    found = tuple(dim_from_end(dim, ndim) for dim in items_of(dims))
    if len(set(found)) != len(found):
        repeated = next(dim for dim in found if found.count(dim) > 1)
        raise ShapeError(f"dim {repeated} appears multiple times in the list of dims")
    return found if ndim else ()


def _no_dims(dim: Any) -> tuple[int, ...]:
    dim_from_end(dim, 0)
    return ()


def _sizes_of(shape: Any) -> tuple[int, ...]:
    """Return a shape that is one size or a sequence of sizes."""
    sizes = several(shape)
    for size in sizes:
        if not isinstance(size, Integral):
            raise ShapeError(
                "Input shapes should be of type ints, a tuple of ints, or a list of ints, got "
                f"{type(size).__name__}"
            )
        if size < 0:
            raise ArgumentError("Attempting to broadcast a dimension with negative length!")
    return tuple([int(size) for size in sizes])


def broadcast_shapes(*shapes: Any) -> Size:
    """Return the shape that tensors of these shapes have together.

    Sizes are aligned at the last dimension, and a size of 1 stretches.

    Args:
        shapes: Tuples of ints, or ints.

    Raises:
        RuntimeError: If two sizes differ and neither is 1.

    >>> torch.broadcast_shapes((3, 1), (4,))
    torch.Size([3, 4])
    """
    sequences = [_sizes_of(shape) for shape in shapes]
    ndim = max(map(len, sequences), default=0)
    result = [1] * ndim
    for shape in sequences:
        for position, size in reversed([*enumerate(shape, start=ndim - len(shape))]):
            if size == 1 or size == result[position]:
                continue
            if result[position] != 1:
                raise ShapeError(mismatch_text(result[position], size, position))
            result[position] = size
    return Size(result)


def mismatch_text(first: int, second: int, dim: int) -> str:
    """Return PyTorch's sentence for two sizes that do not broadcast."""
    return (
        f"The size of tensor a ({first}) must match the size of tensor b ({second}) "
        f"at non-singleton dimension {dim}"
    )


def shape_from_args(
    args: tuple[Any, ...], name: str, what: str = "size", named: Any = None
) -> tuple[int, ...]:
    """Return a shape given to a method as one sequence, as separate integers, or by name."""
    if not args and named is not None:
        args = (named,)
    if not args:
        raise ArgumentTypeError(f'{name}() missing 1 required positional arguments: "{what}"')
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = tuple(items_of(args[0]))
    for size in args:
        if size.__class__ is not int:
            break
    else:
        return args
    try:
        return tuple([size.__index__() for size in args])
    except (AttributeError, TypeError, ValueError):
        wrong = next((size for size in args if not hasattr(size, "__index__")), args[0])
        raise ArgumentTypeError(
            f"sizes must be integers, or one tuple of integers; got {type(wrong).__name__}"
        ) from None


def infer_size(shape: tuple[int, ...], numel: int) -> tuple[int, ...]:
    """Return ``shape`` with its one -1 replaced, so that it holds ``numel`` elements.

    Raises RuntimeError with PyTorch's texts where that cannot be.
    """
    unknown = [position for position, size in enumerate(shape) if size == -1]
    if len(unknown) > 1:
        raise ShapeError("only one dimension can be inferred")
    if any(size < -1 for size in shape):
        raise ShapeError(f"invalid shape dimension {next(s for s in shape if s < -1)}")
    known = math.prod(size for size in shape if size != -1)
    if not unknown:
        if known != numel:
            raise ShapeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
        return shape
    if known == 0 and numel == 0:
        raise ShapeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the "
            "unspecified dimension size -1 can be any value and is ambiguous"
        )
    if known == 0 or numel % known:
        raise ShapeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    return (*shape[: unknown[0]], numel // known, *shape[unknown[0] + 1 :])


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides, in elements, of a tensor without gaps; sizes of 0 count as 1."""
    steps = [1]
    for size in shape[:0:-1]:
        steps.append(steps[-1] * max(size, 1))
    return tuple(steps[::-1]) if shape else ()


def may_overlap(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Return whether different indices may lead to the same element."""
    if 0 in shape:
        return False
    reach = 0
    for stride, size in sorted((st, sz) for st, sz in zip(strides, shape, strict=True) if sz > 1):
        if stride <= reach:
            return True
        reach += (size - 1) * stride
    return False
