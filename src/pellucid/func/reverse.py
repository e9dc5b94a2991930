"""Transforms that pull gradients back: `grad`, `vjp` and `jacrev`.

Note [Transforms inside vmap]
Autograd only sees values, with the samples of the running `vmap` calls along their first
dimensions. So a transform expands its inputs to all samples: then each sample has its own
gradient, and the gradient of the sum over samples is the gradients of all of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from pellucid.autograd.backward import grad as autograd_grad
from pellucid.autograd.modes import enable_grad, modes
from pellucid.autograd.saved import disable_saved_tensors_hooks
from pellucid.autograd.variable import TensorBase
from pellucid.dtypes import from_numpy_dtype, is_complex_dtype
from pellucid.errors import ArgumentError, GraphError, ShapeError
from pellucid.func.arguments import (
    Several,
    check_outputs,
    chosen,
    detached_aux,
    refuse_complex,
    refuse_non_tensors,
    replaced,
    split_aux,
    unit_rows,
)
from pellucid.func.levels import (
    detach_if_closed,
    leads_outside,
    new_leaf,
    outside_inference,
    own_leaves,
)
from pellucid.func.mapping import vmap
from pellucid.func.trees import flatten, mapped, unflatten
from pellucid.interpreters.vmap.batched import Level, batch_dims_first, wrap
from pellucid.ops.shape.join import cat
from pellucid.tensors.creation import zeros_like

_NO_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an "
    "issue with your use case."
)


class RecordedRun:
    """A function, run once on fresh inputs and recorded, to be pulled back as often as wanted."""

    def __init__(
        self, func: Callable[..., Any], args: tuple[Any, ...], argnums: Any, kwargs: dict[str, Any]
    ) -> None:
        self.levels: tuple[Level, ...] = modes.batch_levels
        tree, positions = chosen(args, argnums)
        leaves, self.structure = flatten(tree)
        refuse_non_tensors(leaves)
        several = isinstance(argnums, tuple)
        self.recording = modes.grad_enabled
        self._arguments = leaves
        with own_leaves() as frame, enable_grad(), disable_saved_tensors_hooks(_NO_HOOKS):
            #: what is differentiated by, all samples along the first dimensions
            self.inputs = [new_leaf(batch_dims_first(leaf, self.levels), frame) for leaf in leaves]
            given = unflatten([wrap(each, self.levels) for each in self.inputs], self.structure)
            self.result = func(
                *replaced(args, positions, Several(given) if several else given), **kwargs
            )

    def closed(self, output: Any) -> Any:
        """Return an output without the transform's history; for an argument the caller's tensor."""
        for own, given in zip(self.inputs, self._arguments, strict=True):
            if output is own:
                return given
        return detach_if_closed(output)

    def values(self, outputs: list[Any]) -> list[Any]:
        """Return outputs as autograd sees them."""
        with enable_grad():
            return [batch_dims_first(output, self.levels) for output in outputs]

    def pulled_back(
        self, outputs: list[Any], cotangents: list[Any], keep: bool, record: bool | None = None
    ) -> list[Any]:
        """Return the gradients of the inputs, in the inputs' structure's order."""
        starts = [
            (output, cotangent)
            for output, cotangent in zip(outputs, cotangents, strict=True)
            if output.requires_grad
        ]
        with outside_inference():
            return self._pulled_back(starts, keep, record)

    def _pulled_back(
        self, starts: list[tuple[Any, Any]], keep: bool, record: bool | None
    ) -> list[Any]:
        if not starts:
            return [wrap(zeros_like(each.detach()), self.levels) for each in self.inputs]
        if record is None:
            record = modes.grad_enabled and (
                any(cotangent.requires_grad for _, cotangent in starts)
                or leads_outside([output for output, _ in starts])
            )
        found = autograd_grad(
            [output for output, _ in starts], self.inputs, [weight for _, weight in starts],
            retain_graph=keep or record, create_graph=record, allow_unused=True,
        )  # fmt: skip
        if record:  # one gradient may lead outside, and another one not
            found = [None if each is None else detach_if_closed(each) for each in found]
        return [
            wrap(zeros_like(like.detach()) if each is None else each, self.levels)
            for each, like in zip(found, self.inputs, strict=True)
        ]


def grad_and_value(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that computes the gradient of a scalar-valued function, and its value.

    Args:
        func: A function that returns a floating-point tensor without dims.
        argnums: Positions of the arguments to differentiate with respect to: an int or a tuple.
        has_aux: Whether ``func`` returns a pair of the value and something else, which is returned
            too.

    Returns:
        A function of the same arguments that returns ``(gradient, value)``, or
        ``(gradient, (value, aux))`` for ``has_aux``.

    Raises:
        RuntimeError: When called, if ``func`` does not return a tensor without dims.

    >>> torch.func.grad_and_value(lambda x: (x * x).sum())(torch.tensor([1.0, 2.0]))
    (tensor([2., 4.]), tensor(5.))
    """

    @functools.wraps(func)
    def new_tensor(*args: Any, **kwargs: Any) -> Any:
        run = RecordedRun(func, args, argnums, kwargs)
        output, aux = split_aux(run.result, has_aux, "grad_and_value(f)(*args)")
        if not isinstance(output, TensorBase):
            raise GraphError(
                f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got "
                f"{type(output)}"
            )
        if output._array.ndim:
            raise GraphError(
                "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor "
                f"with {output._array.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs "
                "instead?"
            )
        if is_complex_dtype(output._array.dtype):
            raise GraphError(
                "grad can be implicitly created only for real scalar outputs but got "
                f"{from_numpy_dtype(output._array.dtype)}"
            )
        values = run.values([output])
        ones = [value.new_ones(tuple(value.shape)) for value in values]
        gradients = unflatten(run.pulled_back(values, ones, False), run.structure)
        value = run.closed(output)
        if has_aux:
            return gradients, (value, detached_aux(aux, has_aux, run.closed))
        return gradients, value

    return new_tensor


def grad(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that computes the gradient of a scalar-valued function.

    Args:
        func: A function that returns a floating-point tensor without dims.
        argnums: Positions of the arguments to differentiate with respect to: an int or a tuple.
            Each of these arguments is a tensor or a pytree (nested containers) of tensors.
        has_aux: Whether ``func`` returns a pair of the value and something else, which is returned
            too.

    Returns:
        A function of the same arguments that returns the gradient, of the structure and shapes of
        the argument; a tuple of them for a tuple ``argnums``; a pair with the second output of
        ``func`` for ``has_aux``.

    Raises:
        RuntimeError: When called, if ``func`` does not return a tensor without dims.

    >>> cosine = torch.func.grad(torch.sin)
    >>> torch.func.grad(cosine)(torch.tensor(0.0))
    tensor(-0.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def new_tensor(*args: Any, **kwargs: Any) -> Any:
        gradients, value = both(*args, **kwargs)
        return (gradients, value[1]) if has_aux else gradients

    return new_tensor


def _vjp(
    func: Callable[..., Any], args: tuple[Any, ...], argnums: Any, has_aux: bool
) -> tuple[Any, Callable[..., Any], Any, RecordedRun]:
    run = RecordedRun(func, args, argnums, {})
    result, aux = split_aux(run.result, has_aux, "vjp(f, *primals)")
    outputs, structure = flatten(result)
    check_outputs(outputs, "vjp(f, *primals)")
    for output in outputs:
        if not (output.is_floating_point() or output.is_complex()):
            raise GraphError(
                "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got "
                f"Tensor with dtype {output.dtype}"
            )
    values = run.values(outputs)

    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        weights, given = flatten(cotangents)
        if given != structure:
            raise GraphError(
                "Expected pytree structure of cotangents to be the same as pytree structure of "
                f"outputs to the function. cotangents: {given.short}, primal output: "
                f"{structure.short}"
            )
        for number, (weight, output) in enumerate(zip(weights, outputs, strict=True)):
            if tuple(weight.shape) != tuple(output.shape):
                raise ShapeError(
                    f"Mismatch in shape: grad_output[{number}] has a shape of {weight.shape} and "
                    f"output[{number}] has a shape of {output.shape}."
                )
        laid = [batch_dims_first(weight, run.levels) for weight in weights]
        return unflatten(run.pulled_back(values, laid, retain_graph, create_graph), run.structure)

    return mapped(run.closed, result), vjp_fn, detached_aux(aux, has_aux, run.closed), run


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Return the output of a function, and a function that computes vector-Jacobian products.

    Args:
        func: A function of tensors, or pytrees of tensors, that returns the same.
        primals: The arguments at which ``func`` is differentiated.
        has_aux: Whether ``func`` returns a pair of the output and something else, which is returned
            too.

    Returns:
        The output, and a function that takes gradients of the output's structure and shapes and
        returns a tuple of gradients, one per argument; ``aux`` as a third for ``has_aux``.

    Raises:
        RuntimeError: If an output is not a tensor, or its dtype has no gradients.

    >>> value, pull = torch.func.vjp(torch.sin, torch.tensor([0.0, 1.0]))
    >>> pull(torch.ones(2))
    (tensor([1.0000, 0.5403]),)
    """
    argnums = tuple(range(len(primals)))
    value, pull, aux, _ = _vjp(func, primals, argnums, has_aux)
    return (value, pull, aux) if has_aux else (value, pull)


def _chunks(total: int, chunk_size: int | None) -> Iterator[tuple[int, int]]:
    step = chunk_size or max(total, 1)
    for start in range(0, max(total, 1), step):
        yield start, min(start + step, total)


def jacrev(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, *, has_aux: bool = False,
    chunk_size: int | None = None, _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:  # fmt: skip
    """Return a function that computes the Jacobian of a function by reverse mode.

    Args:
        func: A function of tensors that returns a tensor, or a pytree of tensors.
        argnums: Positions of the arguments to differentiate with respect to: an int or a tuple.
        has_aux: Whether ``func`` returns a pair of the output and something else, which is returned
            too.
        chunk_size: How many rows of the Jacobian are computed at once; all of them by default.

    Returns:
        A function of the same arguments that returns the Jacobian, whose shape is the output's
        followed by the argument's.

    Raises:
        RuntimeError: When called, for complex arguments.
        ValueError: If ``chunk_size`` is not positive.

    >>> torch.func.jacrev(torch.square)(torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ArgumentError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def new_tensor(*args: Any) -> Any:
        refuse_complex("jacrev", flatten(args)[0], "input")
        result, pull, aux, run = _vjp(func, args, argnums, has_aux)
        outputs, structure = flatten(result)
        refuse_complex("jacrev", outputs, "output")
        inputs = flatten(chosen(args, argnums)[0])[0]
        total = sum(output.numel() for output in outputs)
        parts: list[list[Any]] = []
        for start, stop in _chunks(total, chunk_size):
            rows = unflatten(unit_rows(outputs, start, stop), structure)
            parts.append(flatten(vmap(pull)(rows))[0])
        columns = zip(*parts, strict=True)
        joined = [column[0] if len(parts) == 1 else cat(list(column), 0) for column in columns]
        sizes = [output.numel() for output in outputs]
        by_output = list(zip(*(each.split(sizes, 0) for each in joined), strict=True))
        blocks: list[Any] = []
        for number, output in enumerate(outputs):
            row = [
                each.reshape((*output.shape, *like.shape))
                for each, like in zip(by_output[number] if joined else (), inputs, strict=True)
            ]
            blocks.append(unflatten(row, run.structure))
        jacobian = unflatten(blocks, structure)
        return (jacobian, aux) if has_aux else jacobian

    return new_tensor
