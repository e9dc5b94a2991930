"""Largest and smallest elements, middle ones, and where they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import CASTING, EXACT, public
from pellucid.core.definition.result_types import named
from pellucid.core.errors.aliases import PARAMETERS
from pellucid.core.errors.op_errors import unsupported
from pellucid.core.families import nograd, op
from pellucid.core.memory.layouts import contiguous
from pellucid.dtypes import is_complex_dtype
from pellucid.errors import ArgumentTypeError, DimensionError, DtypeError, ShapeError
from pellucid.ops.elementwise import extrema
from pellucid.ops.index.scatter import gather_backward
from pellucid.ops.reduce.reductions import axes_of, restored, sum
from pellucid.ops.shape.copying import cast_like
from pellucid.shapes import Like, dim_from_end


def _require_order(name: str, array: Any) -> None:
    if is_complex_dtype(array.dtype) or (
        array.dtype.kind == "b" and name in ("median", "nanmedian")
    ):
        raise unsupported(name, array.dtype)


def require_elements(name: str, array: Any, dims: Any) -> None:
    """Raise where there are no elements, and a reduction has no result for none."""
    if array.size:
        return
    if dims is None:
        raise ShapeError(
            f"{name}: Expected reduction dim to be specified for input.numel() == 0. Specify the "
            "reduction dim with the 'dim' argument."
        )
    for dim in dims:
        if not array.shape[dim]:
            raise DimensionError(f"{name}: Expected reduction dim {dim} to have non-zero size.")


def _shared(g: Any, input: Any, out: Any, dim: Any, keepdim: bool) -> Any:
    """Share a gradient equally among all the elements that attain the extreme."""
    hits = cast_like(input == restored(out, input, dim, keepdim), g)
    count = sum(hits, dim, True) if dim is not None else sum(hits)
    return restored(g, input, dim, keepdim) * hits / count


@public("amax", method=True, out=EXACT)
@op(
    torch_kernel_name="max_values_cpu",
    layout=contiguous,
    batch=Batch.OVER_DIMS,
    compiled_kernel=("largest", 2),
    faces=Face("dim() keepdim result self"),
)
def amax(be, input, /, dim=None, keepdim=False):
    """Return the largest elements over dimensions; a gradient is shared equally among ties.

    Args:
        input: Real tensor of any shape.
        dim: Dimension to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.

    >>> torch.amax(torch.tensor([[1.0, 3.0], [2.0, 0.0]]), dim=1)
    tensor([3., 2.])
    """
    return _extreme(be.maximum, "amax", input, dim, keepdim)


@amax.vjp("input")
def amax_input(g, input, out, dim, keepdim):
    return _shared(g, input, out, dim, keepdim)


@public("amin", method=True, out=EXACT)
@op(
    torch_kernel_name="min_values_cpu",
    layout=contiguous,
    batch=Batch.OVER_DIMS,
    compiled_kernel=("smallest", 2),
    faces=Face("dim() keepdim result self"),
)
def amin(be, input, /, dim=None, keepdim=False):
    """Return the smallest elements over dimensions; a gradient is shared equally among ties.

    Args: As for `amax`.

    >>> torch.amin(torch.tensor([[1.0, 3.0], [2.0, 0.0]]), dim=1)
    tensor([1., 0.])
    """
    return _extreme(be.minimum, "amin", input, dim, keepdim)


@amin.vjp("input")
def amin_input(g, input, out, dim, keepdim):
    return _shared(g, input, out, dim, keepdim)


def _extreme(ufunc: Any, name: str, input: Any, dim: Any, keepdim: bool) -> Any:
    _require_order(name, input)
    dims = None if dim == () or dim == [] else axes_of(dim, input.ndim)
    require_elements(f"{name}()", input, dims)
    return ufunc.reduce(input, dims, None, None, keepdim)


def _shared_by_all(g: Any, input: Any, out: Any) -> Any:
    """Share a gradient equally among the elements that equal the result, or are NaN as it is."""
    hits = cast_like((input == out) | ((input != input) & (out != out)), g)
    return g / sum(hits) * hits


@op(
    torch_kernel_name="max_all",
    gradient_changes=1,
    node_name="max",
    overload=1,
    layout=contiguous,
    compiled_kernel=("largest", 0),
)
def max_all(be, input, /):
    """Return the largest of all elements."""
    return _extreme(be.maximum, "max", input, None, False)


@max_all.vjp("input")
def max_all_input(g, input, out):
    return _shared_by_all(g, input, out)


@op(
    torch_kernel_name="min_all",
    gradient_changes=1,
    node_name="min",
    overload=1,
    layout=contiguous,
    compiled_kernel=("smallest", 0),
)
def min_all(be, input, /):
    """Return the smallest of all elements."""
    return _extreme(be.minimum, "min", input, None, False)


@min_all.vjp("input")
def min_all_input(g, input, out):
    return _shared_by_all(g, input, out)


def _selected(g: Any, input: Like, indices: Any, dim: int, keepdim: bool) -> Any:
    """Give the gradient of selected elements back to the places they were taken from."""
    ndim = len(input.shape)
    axis = dim_from_end(dim, ndim)
    if not keepdim and ndim:
        shape = (*input.shape[:axis], 1, *input.shape[axis + 1 :])
        g, indices = g.reshape(shape), indices.reshape(shape)
    return gather_backward(g, indices, tuple(input.shape), axis)


@op(torch_kernel_name="max_cpu", gradient_changes=2,
    returns=named("max", "values", "indices"), layout=contiguous, batch=Batch.ALONG_DIMS,
    compiled_kernel=("max_dim", 2),
)  # fmt: skip
def max_dim(be, input, /, dim, keepdim=False):
    """Return the largest elements along a dimension, and where they first stand."""
    _require_order("max", input)
    axis = dim_from_end(dim, input.ndim)
    require_elements("max()", input, (axis,) if input.ndim else ())
    return be.max_dim(input, axis, keepdim)


@max_dim.vjp("input")
def max_dim_input(g_values, input: Like, indices, dim, keepdim):
    return _selected(g_values, input, indices, dim, keepdim)


@op(torch_kernel_name="min_cpu", gradient_changes=2,
    returns=named("min", "values", "indices"), layout=contiguous, batch=Batch.ALONG_DIMS,
    compiled_kernel=("min_dim", 2),
)  # fmt: skip
def min_dim(be, input, /, dim, keepdim=False):
    """Return the smallest elements along a dimension, and where they first stand."""
    _require_order("min", input)
    axis = dim_from_end(dim, input.ndim)
    require_elements("min()", input, (axis,) if input.ndim else ())
    return be.min_dim(input, axis, keepdim)


@min_dim.vjp("input")
def min_dim_input(g_values, input: Like, indices, dim, keepdim):
    return _selected(g_values, input, indices, dim, keepdim)


def _one_of_three(
    name: str, whole: Any, along: Any, pairwise: Any, input: Any, args: Any, keywords: Any
) -> Any:
    """Choose between the three forms of `max` and `min` by their arguments."""
    if not keywords and len(args) == 1 and args[0].__class__ is int:
        return along(input, args[0])
    other = keywords.pop("other", None)
    keywords = {PARAMETERS.get(name, name): value for name, value in keywords.items()}
    if args and isinstance(args[0], TensorBase):
        other, args = args[0], args[1:]
    if other is not None and not args and not keywords:
        return pairwise(input, other)
    if other is None and not args and not keywords:
        return whole(input)
    named_well = set(keywords) <= {"dim", "keepdim"} and len(args) + len(keywords) <= 2
    dim = args[0] if args else keywords.get("dim")
    if (
        other is not None
        or not named_well
        or isinstance(dim, bool)
        or not hasattr(dim, "__index__")
    ):
        raise ArgumentTypeError(
            f"{name}() received an invalid combination of arguments; it takes (Tensor input), "
            "(Tensor input, int dim, bool keepdim=False) or (Tensor input, Tensor other)"
        )
    return along(input, dim, args[1] if len(args) > 1 else keywords.get("keepdim", False))


@public("max", method=True, out=CASTING, foreach=True)
def max(input: Any, *args: Any, **keywords: Any) -> Any:
    """Return the largest of all elements, or along a dimension, or of two tensors elementwise.

    ``max(input)``; ``max(input, dim, keepdim=False)``, which returns values and indices;
    ``max(input, other)``. A gradient is shared equally among ties, but along a dimension it goes to
    the element that the index names.

    Args:
        input: Real tensor of any shape.
        *args: ``()``, ``(dim,)``, ``(dim, keepdim)`` or another tensor, to compare element
            by element.
        **keywords: The arguments by name.

    >>> torch.max(torch.tensor([[1, 3], [2, 0]]), dim=1).indices
    tensor([1, 0])
    """
    if not args and not keywords:
        return max_all(input)
    return _one_of_three("max", max_all, max_dim, extrema.maximum, input, args, keywords)


@public("min", method=True, out=CASTING)
def min(input: Any, *args: Any, **keywords: Any) -> Any:
    """Return the smallest of all elements, or along a dimension, or of two tensors elementwise.

    The forms are those of `max`.

    Args: As for `max`.

    >>> torch.min(torch.tensor([[1, 3], [2, 0]]), dim=1).values
    tensor([1, 0])
    """
    if not args and not keywords:
        return min_all(input)
    return _one_of_three("min", min_all, min_dim, extrema.minimum, input, args, keywords)


@public("aminmax", method=True, out=EXACT)
def aminmax(input: Any, *, dim: int | None = None, keepdim: bool = False) -> Any:
    """Return the smallest and the largest elements together.

    Args: As for `amax`.

    Raises:
        RuntimeError: If there is nothing to reduce.

    >>> torch.aminmax(torch.tensor([1.0, 3.0])).max
    tensor(3.)
    """
    if dim is not None and input.ndim and not input.shape[dim_from_end(dim, input.ndim)]:
        raise DimensionError(f"aminmax: Expected reduction dim {dim} to have non-zero size.")
    if not input._array.size and dim is None:
        raise ShapeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
            "identity."
        )
    return _extremes([amin(input, dim, keepdim), amax(input, dim, keepdim)])


_extremes = named("aminmax", "min", "max")


def _index_of(be: Any, find: str, input: Any, dim: Any, keepdim: bool) -> Any:
    _require_order(find, input)
    if input.dtype.kind == "b":
        raise DtypeError(f"{find}(): does not support bool input")
    if not input.size and dim is None:
        raise DimensionError(
            f"{find}(): Expected reduction dim to be specified for input.numel() == 0."
        )
    if isinstance(dim, tuple | list):
        raise ArgumentTypeError(f"{find}(): argument 'dim' must be int, not {type(dim).__name__}")
    if not input.ndim:
        dim_from_end(0 if dim is None else dim, 0)
        return be.zeros((), np.int64)
    if dim is None:
        position = getattr(input.reshape(-1), find)()
        return be.full((1,) * input.ndim, position) if keepdim else position
    dims = (dim_from_end(dim, input.ndim),)
    require_elements(f"{find}()", input, dims)
    return getattr(input, find)(axis=dims[0], keepdims=keepdim)


@public("argmax", method=True, out=EXACT)
@nograd(layout=contiguous, batch=Batch.OVER_ONE_DIM, compiled_kernel=("argmax", 2))
def argmax(be, input, /, dim=None, keepdim=False):
    """Return the index (int64) of the first largest element, along a dimension or of all elements.

    Args:
        input: Real tensor of any shape, not of booleans.
        dim, keepdim: As for `amax`.

    >>> torch.argmax(torch.tensor([[1, 3], [2, 0]]), dim=1)
    tensor([1, 0])
    """
    return _index_of(be, "argmax", input, dim, keepdim)


@public("argmin", method=True, out=EXACT)
@nograd(layout=contiguous, batch=Batch.OVER_ONE_DIM, compiled_kernel=("argmin", 2))
def argmin(be, input, /, dim=None, keepdim=False):
    """Return the index (int64) of the first smallest element; see `argmax`.

    Args: As for `argmax`.

    >>> torch.argmin(torch.tensor([[1, 3], [2, 0]]), dim=1)
    tensor([0, 1])
    """
    return _index_of(be, "argmin", input, dim, keepdim)


def _selecting(name: str, docstring: str, overload: int = 1) -> Any:
    """Make an op that selects one element along a dimension, by the kernel of its name."""
    kernel = name.removesuffix("_dim")

    def body(be, input, /, dim=-1, keepdim=False):
        _require_order(kernel, input)
        axis = dim_from_end(dim, input.ndim)
        require_elements(f"{kernel}()", input, (axis,) if input.ndim else ())
        return getattr(be, kernel)(input, axis, keepdim)

    def gradient(g_values, input: Like, indices, dim, keepdim):
        return _selected(g_values, input, indices, dim, keepdim)

    body.__name__ = name
    body.__doc__ = docstring
    made = op(
        returns=named(kernel, "values", "indices"),
        overload=overload,
        layout=contiguous,
        batch=Batch.ALONG_DIMS,
        compiled_kernel=None if kernel == "mode" else (kernel, 2),
    )(body)
    made.vjp("input")(gradient)
    return made


median_dim = _selecting("median_dim", "Return the lower median along a dim, and its index.")

nanmedian_dim = _selecting(
    "nanmedian_dim", "Return the lower median of the elements that are not NaN, and its index."
)
mode = public("mode", method=True, out=EXACT)(
    _selecting(
        "mode",
        """Return the most frequent value along a dim, the smallest of several, and its index.

    Args:
        input: Tensor of any shape and real dtype.
        dim: The dim to search along.
        keepdim: Whether the result keeps ``dim``, with size 1.

    Returns:
        A named tuple: values, of the input's dtype, and indices, int64.

    >>> torch.mode(torch.tensor([1, 2, 2])).values
    tensor(2)
    """,
        overload=0,
    )
)


@op(torch_kernel_name="median_cpu", gradient_changes=1, node_name="median", layout=contiguous)
def median_all(be, input, /):
    """Return the lower median of all elements."""
    _require_order("median", input)
    return be.median(input.reshape(-1))[0] if input.size else be.full((), be.nan, input.dtype)


@median_all.vjp("input")
def median_all_input(g, input, out):
    return _shared_by_all(g, input, out)


@op(torch_kernel_name="median_cpu", gradient_changes=1, node_name="nanmedian", layout=contiguous)
def nanmedian_all(be, input, /):
    """Return the lower median of all elements that are not NaN."""
    _require_order("nanmedian", input)
    return be.nanmedian(input.reshape(-1))[0] if input.size else be.full((), be.nan, input.dtype)


@nanmedian_all.vjp("input")
def nanmedian_all_input(g, input, out):
    return _shared_by_all(g, input, out)


@public("median", method=True, out=EXACT)
def median(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """Return the median, the lower of two; along a dimension also its index (int64).

    Args: As for `amax`.

    >>> torch.median(torch.tensor([3, 1, 2, 4]))
    tensor(2)
    """
    return median_all(input) if dim is None else median_dim(input, dim, keepdim)


@public("nanmedian", method=True, out=EXACT)
def nanmedian(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """Return the median of the elements that are not NaN; along a dimension also its index (int64).

    Args: As for `amax`.

    >>> torch.nanmedian(torch.tensor([3.0, 1.0, torch.nan]))
    tensor(1.)
    """
    return nanmedian_all(input) if dim is None else nanmedian_dim(input, dim, keepdim)
