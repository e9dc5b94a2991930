"""``torch.vmap``: a function of one sample, computed for all samples at once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn, ParamSpec, TypeVar

from pellucid.autograd.variable import TensorBase
from pellucid.core.definition.public import public
from pellucid.errors import ArgumentError, GraphError
from pellucid.func.trees import TreeSpec, broadcast_leaves, flatten, mapped, unflatten
from pellucid.interpreters.vmap.batched import Level, at_level, batched_along
from pellucid.interpreters.vmap.dispatch import entered
from pellucid.interpreters.vmap.randomness import keep_stream
from pellucid.ops.shape.join import cat
from pellucid.shapes import dim_from_end

P = ParamSpec("P")
R = TypeVar("R")


def name_of(function: Any) -> str:
    """Return what messages call a function."""
    if hasattr(function, "__name__"):
        return function.__name__
    if isinstance(function, functools.partial):
        return f"functools.partial({name_of(function.func)}, ...)"
    return repr(function)


@public("vmap", checked=False)
def vmap(
    func: Callable[P, R], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *,
    chunk_size: int | None = None,
) -> Callable[P, R]:  # fmt: skip
    """Return a function that computes ``func`` for all samples along a dimension of its arguments.

    Args:
        func: A function of tensors, or pytrees of tensors, that returns the same.
        in_dims: For each argument, or each leaf of it, the dimension of its samples; None for what
            is the same for all.
        out_dims: The dimension of the samples in each result.
        randomness: What random operations do: raise an ``"error"``, or give all samples the
            ``"same"`` or ``"different"`` numbers.
        chunk_size: How many samples are computed at once; all by default.

    Returns:
        A function of the same arguments, with one dimension more.

    Raises:
        ValueError: If dimensions do not fit the arguments or the results, or the numbers of samples
            differ.
        RuntimeError: If the function asks for the values of a tensor, or a random operation is an
            error.

    >>> torch.vmap(torch.dot)(torch.ones(2, 3), torch.ones(2, 3))
    tensor([3., 3.])
    """
    check_randomness(randomness)
    if chunk_size is not None and chunk_size <= 0:
        raise ArgumentError(
            f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})"
        )

    @functools.wraps(func)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> Any:
        _check_out_dims(out_dims, func)
        inputs = _Inputs(func, in_dims, args)
        if chunk_size is None:
            return _mapped(func, inputs, inputs.leaves, inputs.size, out_dims, randomness, kwargs)
        return _in_chunks(func, inputs, out_dims, randomness, chunk_size, kwargs)

    return wrapped


def check_randomness(randomness: str) -> None:
    """Raise for what random operations cannot do inside `vmap`."""
    if randomness not in ("error", "different", "same"):
        raise GraphError(
            "Only allowed values for randomness are 'error', 'different', or 'same'. "
            f"Got {randomness}"
        )


class _Inputs:
    """The arguments of a mapped function: their leaves, and along which dimension samples lie."""

    def __init__(self, func: Callable[..., Any], in_dims: Any, args: tuple[Any, ...]) -> None:
        head = f"vmap({name_of(func)}, in_dims={in_dims}, ...)(<inputs>): "
        if not isinstance(in_dims, int | tuple):
            raise ArgumentError(
                f"{head}expected `in_dims` to be int or a (potentially nested) tuple matching the "
                f"structure of inputs, got: {type(in_dims)}."
            )
        if not args:
            raise ArgumentError(
                f"vmap({name_of(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, "
                "or you are trying to vmap over a function with no inputs. The latter is "
                "unsupported."
            )
        own = any(map(_batches_itself, args))
        self.leaves, self.structure = flatten(args, _batches_itself if own else None)
        dims = broadcast_leaves(in_dims, self.structure)
        if dims is None:
            raise ArgumentError(
                f"{head}in_dims is not compatible with the structure of `inputs`. in_dims has "
                f"structure {flatten(in_dims)[1]} but inputs has structure {self.structure}."
            )
        self.dims = [_checked(head, leaf, dim) for leaf, dim in zip(self.leaves, dims, strict=True)]
        sizes = [
            leaf.size(dim) if _batches_itself(leaf) else leaf.shape[dim]
            for leaf, dim in zip(self.leaves, self.dims, strict=True)
            if dim is not None
        ]
        if not sizes:
            raise ArgumentError("vmap: Expected at least one Tensor to vmap over")
        if any(size != sizes[0] for size in sizes):
            raise ArgumentError(
                "vmap: Expected all tensors to have the same size in the mapped dimension, got "
                f"sizes {sizes} for the mapped dimension"
            )
        self.size = sizes[0]


def _batches_itself(value: Any) -> bool:
    """Return whether a container of tensors knows how its samples are taken, as tensordict's do."""
    return hasattr(value.__class__, "_maybe_remove_batch_dim")


def _along(leaf: Any, level: Level, dim: int | None) -> Any:
    """Return what stands for one sample of an argument."""
    if dim is not None and _batches_itself(leaf):
        return leaf._add_batch_dim(in_dim=dim, vmap_level=level)
    return batched_along(leaf, level, dim)


def _checked(head: str, leaf: Any, dim: Any) -> int | None:
    """Return a leaf's dimension counted from the first; raise where it has none such."""
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise ArgumentError(
            f"{head}Got in_dim={dim} for an input but in_dim must be either an integer dimension "
            "or None."
        )
    if not (isinstance(leaf, TensorBase) or _batches_itself(leaf)):
        raise ArgumentError(
            f"{head}Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot "
            "vmap over non-Tensor arguments, please use None as the respective in_dim"
        )
    ndim = leaf._array.ndim if isinstance(leaf, TensorBase) else leaf.dim()
    if not -ndim <= dim < ndim:
        raise ArgumentError(
            f"{head}Got in_dim={dim} for some input, but that input is a Tensor of dimensionality "
            f"{ndim} so expected in_dim to satisfy -{ndim} <= in_dim < {ndim}."
        )
    return dim % ndim


def _check_out_dims(out_dims: Any, func: Callable[..., Any]) -> None:
    def check(dim: Any) -> None:
        if dim is not None and not isinstance(dim, int):
            raise ArgumentError(
                f"vmap({name_of(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None "
                "or a python collection of ints representing where in the outputs the vmapped "
                "dimension should appear."
            )

    mapped(check, out_dims)


def _mapped(
    func: Callable[..., Any], inputs: _Inputs, leaves: list[Any], size: int, out_dims: Any,
    randomness: str, kwargs: dict[str, Any],
) -> Any:  # fmt: skip
    level = Level(size, randomness)
    with entered(level):
        args = unflatten(
            [_along(leaf, level, dim) for leaf, dim in zip(leaves, inputs.dims, strict=True)],
            inputs.structure,
        )
        outputs = func(*args, **kwargs)
        own = _batches_itself(outputs) or (
            isinstance(outputs, tuple | list) and any(map(_batches_itself, outputs))
        )
        found, structure = flatten(outputs, _batches_itself if own else None)
        dims = _dims_of_outputs(func, outputs, structure, out_dims)
        results = [
            unwrapped(name_of(func), each, level, dim)
            for each, dim in zip(found, dims, strict=True)
        ]
    return unflatten(results, structure)


def _dims_of_outputs(
    func: Callable[..., Any], outputs: Any, structure: TreeSpec, out_dims: Any
) -> list[Any]:
    if isinstance(outputs, TensorBase) or _batches_itself(outputs):
        if isinstance(out_dims, int) or out_dims is None:
            return [out_dims]
        if isinstance(out_dims, tuple) and len(out_dims) == 1:
            return list(out_dims)
        _refuse_out_dims(func, structure, out_dims)
    dims = broadcast_leaves(out_dims, structure)
    if dims is None:
        _refuse_out_dims(func, structure, out_dims)
    return dims


def _refuse_out_dims(func: Callable[..., Any], structure: TreeSpec, out_dims: Any) -> NoReturn:
    raise ArgumentError(
        f"vmap({name_of(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible "
        f"with the structure of `outputs`. out_dims has structure {flatten(out_dims)[1]} but "
        f"outputs has structure {structure}."
    )


def unwrapped(name: str, output: Any, level: Level, dim: int | None) -> Any:
    """Return one result of the function of a name, with the samples along a dimension."""
    if _batches_itself(output):
        return output._maybe_remove_batch_dim(
            name, vmap_level=level, batch_size=level.size, out_dim=dim
        )
    if dim is None:
        if at_level(output, level):
            raise ArgumentError(
                f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None"
            )
        return output
    if not isinstance(output, TensorBase):
        raise ArgumentError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(output)}. Did "
            "you mean to set out_dims= to None for output?"
        )
    axis = dim_from_end(dim, output._array.ndim + 1)
    tensor: Any = output
    if at_level(output, level):
        value = tensor.value
    else:
        value = tensor.unsqueeze(0).expand(level.size, *tensor.shape)
    return value.movedim(0, axis) if axis else value


# ---- in chunks ------------------------------------------------------------------------------


def _in_chunks(
    func: Callable[..., Any], inputs: _Inputs, out_dims: Any, randomness: str, chunk_size: int,
    kwargs: dict[str, Any],
) -> Any:  # fmt: skip
    restart = keep_stream() if randomness == "same" else None
    parts: list[list[Any]] = []
    structure: TreeSpec | None = None
    for start in range(0, max(inputs.size, 1), chunk_size):
        if restart is not None:
            restart()
        size = min(chunk_size, inputs.size - start)
        leaves = [
            leaf if dim is None else leaf.narrow(dim, start, size)
            for leaf, dim in zip(inputs.leaves, inputs.dims, strict=True)
        ]
        result = _mapped(func, inputs, leaves, size, out_dims, randomness, kwargs)
        found, structure = flatten(result)
        parts.append(found)
    assert structure is not None
    dims = broadcast_leaves(out_dims, structure) or [out_dims[0]] * structure.num_leaves
    joined = [
        column[0] if dim is None else cat(list(column), dim)
        for column, dim in zip(zip(*parts, strict=True), dims, strict=True)
    ]
    return unflatten(joined, structure)
