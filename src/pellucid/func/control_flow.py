"""Conditions and loops as functions: ``torch.cond``, and those of ``torch._higher_order_ops``.

PyTorch has them for graphs that compilers are given. Here they run their branches and bodies as
they are, so that autograd records what has run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pellucid.autograd.variable import TensorBase
from pellucid.core.definition.public import public
from pellucid.errors import ArgumentError, GraphError
from pellucid.func.mapping import vmap
from pellucid.func.trees import flatten, mapped, unflatten
from pellucid.interpreters.vmap.batched import level_of
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.shape.diagonal import flip
from pellucid.ops.shape.join import cat, stack
from pellucid.ops.shape.views import movedim
from pellucid.shapes import dim_from_end

__all__ = ["associative_scan", "cond", "map", "scan", "while_loop"]

_NO_ELEMENTS = "All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0"


@public("cond", checked=False)
def cond(
    pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Any = ()
) -> Any:
    """Return what one of two functions returns, as a condition decides.

    Only the function that is chosen is called, unless `vmap` maps the condition: then both are,
    and each sample gets its own.

    Args:
        pred: A Python number, or a tensor of one element.
        true_fn: Called where the condition holds.
        false_fn: Called where it does not.
        operands: The arguments of both.

    Raises:
        RuntimeError: If a tensor decides, and has more elements than one, or operands that are not
            tensors stand beside it.

    >>> x = torch.tensor([1.0, 2.0])
    >>> torch.cond(x.sum() > 2, torch.sqrt, torch.neg, (x,))
    tensor([1.0000, 1.4142])
    """
    if isinstance(pred, TensorBase):
        _check_condition(pred, true_fn, false_fn, operands)
        if level_of(pred) is not None:
            return _each_its_own(pred, true_fn(*operands), false_fn(*operands))
    elif not isinstance(pred, bool | int | float):
        raise GraphError(f"Expected pred to be bool or tensor, but got {pred}.")
    return true_fn(*operands) if pred else false_fn(*operands)


def _check_condition(pred: Any, true_fn: Any, false_fn: Any, operands: Any) -> None:
    if pred.numel() != 1:
        raise GraphError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    if not callable(true_fn) or not callable(false_fn):
        raise GraphError("Expect both branches to be callable.")
    if not isinstance(operands, tuple | list) or not _are_tensors(flatten(operands)[0]):
        raise GraphError(
            "Expect operands to be a tuple of possibly nested dict/list/tuple that only "
            f"consists of tensor leaves, but got {operands}."
        )


def _are_tensors(leaves: list[Any]) -> bool:
    return all(isinstance(leaf, TensorBase) for leaf in leaves)


def _each_its_own(pred: Any, chosen: Any, otherwise: Any) -> Any:
    """Return for each sample the results of its own branch."""
    first, structure = flatten(chosen)
    second, other = flatten(otherwise)
    if structure != other:
        raise GraphError(
            "Expected to return same number of outputs but got:"
            f"\n  true branch returns {len(first)} item(s)"
            f"\n  false branch returns {len(second)} item(s)"
        )
    pred = pred.reshape(())
    return unflatten([where(pred, a, b) for a, b in zip(first, second, strict=True)], structure)


def while_loop(
    cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Any
) -> Any:
    """Call a function on its own results for as long as a condition of them holds.

    Args:
        cond_fn: Returns whether to go on, as a Python boolean or a tensor of one element.
        body_fn: Returns the arguments of its next call.
        carried_inputs: The arguments of its first call: tensors and integers.

    >>> from pellucid.func.control_flow import while_loop
    >>> while_loop(lambda x: x.sum() < 10, lambda x: (x * 2,), (torch.ones(2),))
    (tensor([8., 8.]),)
    """
    if not callable(cond_fn) or not callable(body_fn):
        raise GraphError("Expect cond_fn and body_fn to be callable.")
    leaves, _ = flatten(carried_inputs)
    if not all(isinstance(leaf, TensorBase | int) for leaf in leaves):
        raise GraphError(
            "Expect carried_inputs to be a tuple of possibly nested dict/list/tuple that only"
            f"consists of tensor or int leaves, but got {carried_inputs}."
        )
    carried = carried_inputs
    while cond_fn(*carried):
        carried = body_fn(*carried)
    return carried


def map(f: Callable[..., Any], xs: Any, *args: Any) -> Any:
    """Call a function on each slice of tensors along their first dimension; stack the results.

    Args:
        f: A function of one slice, and of ``args``.
        xs: A tensor, or a pytree of tensors.
        args: What is the same in all calls.

    >>> from pellucid.func.control_flow import map
    >>> map(lambda row, y: row.sum() + y, torch.ones(2, 3), torch.tensor(1.0))
    tensor([4., 4.])
    """
    leaves, structure = flatten(xs)
    if not _are_tensors(leaves):
        raise GraphError(f"Mapped xs can only consist of tensors. Got xs {leaves}.")
    shapes = [leaf.shape for leaf in leaves]
    sizes = {shape[0] if shape else 0 for shape in shapes}
    if 0 in sizes:
        raise GraphError("Leading dimensions of mapped xs cannot be 0.")
    if len(sizes) > 1:
        raise GraphError(
            f"Leading dimensions of mapped xs must be consistent. Got shapes {shapes}."
        )
    slices = zip(*(leaf.unbind(0) for leaf in leaves), strict=True)
    return _stacked([f(unflatten(list(each), structure), *args) for each in slices])


def _stacked(results: list[Any]) -> Any:
    """Return a pytree of tensors for many, each stacked along a new first dimension."""
    structure = flatten(results[0])[1]
    columns = zip(*(flatten(each)[0] for each in results), strict=True)
    return unflatten([stack(column) for column in columns], structure)


def scan(
    combine_fn: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any, *, dim: int = 0,
    reverse: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """Carry a state along the slices of tensors; return the last state and the stacked results.

    Args:
        combine_fn: A function of the state and a slice, that returns the next state and a result.
        init: The first state: a pytree of tensors.
        xs: A pytree of tensors.
        dim: The dimension of ``xs`` along which it goes, and along which results are stacked.
        reverse: Whether it begins at the last slice.

    >>> from pellucid.func.control_flow import scan
    >>> scan(
    ...     lambda total, x: (total + x, total * x),
    ...     torch.tensor(0.0),
    ...     torch.tensor([1.0, 2.0, 3.0]),
    ... )
    (tensor(6.), tensor([0., 2., 9.]))
    """
    leaves, structure = flatten(xs)
    if not leaves:
        return init, []
    _check_scan(combine_fn, flatten(init)[0], leaves, dim, reverse)
    dim = dim_from_end(dim, leaves[0].ndim)
    if any(leaf.ndim <= dim or leaf.shape[dim] == 0 for leaf in leaves):
        raise GraphError(_NO_ELEMENTS)
    slices = [list(each) for each in zip(*(leaf.unbind(dim) for leaf in leaves), strict=True)]
    carry, results = init, []
    for each in reversed(slices) if reverse else slices:
        carry, result = combine_fn(carry, unflatten(each, structure))
        results.append(result)
    out = _stacked(results[::-1] if reverse else results)
    return carry, mapped(lambda leaf: movedim(leaf, 0, dim) if dim < leaf.ndim else leaf, out)


def _check_scan(function: Any, first: list[Any], leaves: list[Any], dim: Any, reverse: Any) -> None:
    if not callable(function):
        raise GraphError(f"Combine_fn must be a callable, but got {function}")
    if not isinstance(dim, int):
        raise GraphError(f"Dim must be an int, but got {type(dim)}")
    if not isinstance(reverse, bool):
        raise GraphError(f"Reverse must be a bool, but got {type(reverse)}")
    if not first:
        raise GraphError("scan() operator requires init leaves.")
    for name, values in (("init", first), ("xs", leaves)):
        for value in values:
            if not isinstance(value, TensorBase):
                raise GraphError(f"All {name} leaves must be a Tensor but got {value}")


def associative_scan(
    combine_fn: Callable[[Any, Any], Any], xs: Any, dim: int, reverse: bool = False,
    combine_mode: str = "pointwise",
) -> Any:  # fmt: skip
    """Return the running combination of the slices of tensors, as `cumsum` does with the sum.

    Args:
        combine_fn: An associative function of two slices.
        xs: A pytree of tensors of one shape.
        dim: The dimension along which it goes.
        reverse: Whether it begins at the last slice.
        combine_mode: ``"generic"``; PyTorch has ``"pointwise"`` for other devices.

    Source: Blelloch, "Prefix sums and their applications" (1990): neighbours are combined, those
    scanned, and what stands between them is combined with its left neighbour.

    >>> from pellucid.func.control_flow import associative_scan
    >>> associative_scan(torch.mul, torch.tensor([1.0, 2.0, 3.0, 4.0]), 0, combine_mode="generic")
    tensor([ 1.,  2.,  6., 24.])
    """
    leaves, structure = flatten(xs)
    _check_associative(combine_fn, leaves, dim, reverse, combine_mode)
    dim = dim_from_end(dim, leaves[0].ndim)
    if any(leaf.ndim <= dim or leaf.shape[dim] == 0 for leaf in leaves):
        raise ArgumentError(_NO_ELEMENTS)
    together = vmap(combine_fn, (0, 0))

    def combine(left: list[Any], right: list[Any]) -> list[Any]:
        result = together(unflatten(left, structure), unflatten(right, structure))
        return flatten(result)[0]

    ahead = [movedim(leaf, dim, 0) for leaf in leaves]
    scanned = _scanned(combine, [flip(each, (0,)) for each in ahead] if reverse else ahead)
    out = [flip(each, (0,)) for each in scanned] if reverse else scanned
    return unflatten([movedim(each, 0, dim) for each in out], structure)


def _check_associative(
    function: Any, leaves: list[Any], dim: Any, reverse: Any, combine_mode: Any
) -> None:
    if not callable(function):
        raise ArgumentError(f"Combine_fn must be a callable, but got {function}")
    if not isinstance(dim, int):
        raise ArgumentError(f"Dim must be an int, but got {type(dim)}")
    if not isinstance(reverse, bool):
        raise GraphError(f"Reverse must be a bool, but got {type(reverse)}")
    if combine_mode not in ("pointwise", "generic"):
        raise ArgumentError(
            f"Combine_mode must either 'pointwise' or 'generic', but got {combine_mode}"
        )
    if combine_mode == "pointwise":
        raise ArgumentError(
            "For combine_mode='pointwise', all input tensors need to be on CUDA or XPU"
        )
    if not leaves:
        raise ArgumentError("Expected at least 1 xs leaf")
    if not _are_tensors(leaves):
        raise ArgumentError("xs leaves must be a Tensor")


def _scanned(combine: Callable[[list[Any], list[Any]], list[Any]], xs: list[Any]) -> list[Any]:
    """Return the running combinations along the first dimension."""
    count = xs[0].shape[0]
    if count < 2:
        return xs
    pairs = combine([x[: count - 1 : 2] for x in xs], [x[1::2] for x in xs])
    odd = _scanned(combine, pairs)
    if count == 2:
        even = [x[:1] for x in xs]
    else:
        between = combine([x[: (count - 1) // 2] for x in odd], [x[2::2] for x in xs])
        even = [cat([x[:1], each]) for x, each in zip(xs, between, strict=True)]
    return [_interleaved(a, b) for a, b in zip(even, odd, strict=True)]


def _interleaved(even: Any, odd: Any) -> Any:
    """Return the slices of two tensors in turn; the first may have one more."""
    both = odd.shape[0]
    joined = stack([even[:both], odd], 1).flatten(0, 1)
    return cat([joined, even[both:]]) if even.shape[0] > both else joined
