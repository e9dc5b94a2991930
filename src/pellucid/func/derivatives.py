"""``grad``, ``vjp``, ``jvp``, Jacobians and Hessians as functions of functions.

Note [Transforms inside vmap]
Autograd only sees values, with the samples of the running `vmap` calls along their first
dimensions. So a transform expands what it differentiates by to all samples: then each sample has
its own gradient, and the gradient of the sum over samples is the gradients of all of them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pellucid.autograd import forward_ad
from pellucid.autograd.backward import grad as autograd_grad
from pellucid.autograd.modes import enable_grad, modes
from pellucid.autograd.saved import disable_saved_tensors_hooks
from pellucid.autograd.variable import TensorBase
from pellucid.core.call import new_tensor as held
from pellucid.dtypes import from_numpy_dtype
from pellucid.errors import ArgumentError, GraphError, ShapeError
from pellucid.func.levels import detach_if_closed, leads_outside, new_leaf, own_leaves
from pellucid.func.mapping import check_randomness, vmap
from pellucid.func.trees import TreeSpec, flatten, mapped, unflatten
from pellucid.interpreters.vmap.batched import Level, at_level, batch_dims_first, batched, wrap
from pellucid.interpreters.vmap.dispatch import tangent_level
from pellucid.ops.shape.copying import cast
from pellucid.ops.shape.join import cat
from pellucid.tensors.creation import zeros, zeros_like

_JVP = "jvp(f, primals, tangents)"
_NO_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an "
    "issue with your use case."
)


# ---- arguments ------------------------------------------------------------------------------


def _place(argnum: Any, count: int) -> int:
    if not isinstance(argnum, int):
        raise GraphError(f"argnum must be int, got: {type(argnum)}")
    if not -count <= argnum < count:
        raise GraphError(f"Got argnum={argnum}, but only {count} positional inputs")
    return argnum % count


def _chosen(args: tuple[Any, ...], argnums: Any) -> tuple[Any, list[int]]:
    """Return the arguments to differentiate by, as they were asked for, and their places."""
    if isinstance(argnums, int):
        place = _place(argnums, len(args))
        return args[place], [place]
    if not isinstance(argnums, tuple):
        raise GraphError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    places = [_place(argnum, len(args)) for argnum in argnums]
    if not places:
        raise GraphError("argnums must be non-empty")
    if len(set(places)) < len(places):
        raise GraphError(f"argnums elements must be unique, got {argnums}")
    return tuple(args[place] for place in places), places


def _with(args: tuple[Any, ...], places: list[int], values: Any) -> tuple[Any, ...]:
    """Return the arguments with others at these places."""
    given = list(args)
    if len(places) == 1 and not isinstance(values, _Several):
        given[places[0]] = values
    else:
        for place, value in zip(places, values, strict=True):
            given[place] = value
    return tuple(given)


class _Several(tuple[Any, ...]):
    """Values for several arguments, where a plain tuple is the value of one."""


def _refuse_non_tensors(leaves: list[Any]) -> None:
    for leaf in leaves:
        if not isinstance(leaf, TensorBase):
            raise ArgumentError(f"Thing passed to transform API must be Tensor, got {type(leaf)}")


def _split_aux(result: Any, has_aux: bool, head: str) -> tuple[Any, Any]:
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        raise GraphError(
            f"{head}: output of function f should be a tuple: (output, aux) if has_aux is True"
        )
    return result


def _detached_aux(aux: Any, has_aux: bool) -> Any:
    """Return what comes beside the output without histories of the transform's own."""
    if not has_aux:
        return None
    _refuse_other_aux(flatten(aux)[0])
    return mapped(detach_if_closed, aux)


def _refuse_other_aux(leaves: list[Any]) -> None:
    for leaf in leaves:
        if not isinstance(leaf, TensorBase):
            raise GraphError(f"Expected tensors, got unsupported type {type(leaf)}")


def _check_outputs(leaves: list[Any], head: str) -> None:
    if not leaves or (len(leaves) == 1 and leaves[0] is None):
        raise GraphError(
            f"{head}: Expected f to be a function that has non-empty output (got output = {leaves})"
        )
    for leaf in leaves:
        if not isinstance(leaf, TensorBase):
            raise GraphError(
                f"{head}: expected f(*primals) to return only tensors, got unsupported type "
                f"{type(leaf)}"
            )


# ---- one recorded run -----------------------------------------------------------------------


class _Run:
    """A function, run once on fresh inputs and recorded, to be pulled back as often as wanted."""

    def __init__(
        self, func: Callable[..., Any], args: tuple[Any, ...], argnums: Any, kwargs: dict[str, Any]
    ) -> None:
        self.levels: tuple[Level, ...] = modes.batch_levels
        tree, places = _chosen(args, argnums)
        leaves, self.structure = flatten(tree)
        _refuse_non_tensors(leaves)
        several = isinstance(argnums, tuple)
        self.recording = modes.grad_enabled
        with own_leaves() as frame, enable_grad(), disable_saved_tensors_hooks(_NO_HOOKS):
            #: what is differentiated by, all samples along the first dimensions
            self.inputs = [new_leaf(batch_dims_first(leaf, self.levels), frame) for leaf in leaves]
            given = unflatten([wrap(each, self.levels) for each in self.inputs], self.structure)
            self.result = func(
                *_with(args, places, _Several(given) if several else given), **kwargs
            )

    def values(self, outputs: list[Any]) -> list[Any]:
        """Return outputs as autograd sees them."""
        with enable_grad():
            return [batch_dims_first(output, self.levels) for output in outputs]

    def pulled_back(
        self, outputs: list[Any], cotangents: list[Any], keep: bool, record: bool | None = None
    ) -> list[Any]:
        """Return the gradients by the inputs, in the inputs' structure's order."""
        starts = [
            (output, cotangent)
            for output, cotangent in zip(outputs, cotangents, strict=True)
            if output.requires_grad
        ]
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
        argnums: Positions of the arguments to differentiate by: one int, or a tuple of them.
        has_aux: Whether ``func`` returns a pair of the value and something else, which is returned
            too.

    Returns:
        A function of the same arguments that returns ``(gradient, value)``, or
        ``(gradient, (value, aux))`` for ``has_aux``.

    Raises:
        RuntimeError: When called, if ``func`` does not return a tensor without dims.

    >>> import pellucid as torch
    >>> torch.func.grad_and_value(lambda x: (x * x).sum())(torch.tensor([1.0, 2.0]))
    (tensor([2., 4.]), tensor(5.))
    """

    @functools.wraps(func)
    def new_tensor(*args: Any, **kwargs: Any) -> Any:
        run = _Run(func, args, argnums, kwargs)
        output, aux = _split_aux(run.result, has_aux, "grad_and_value(f)(*args)")
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
        if output._array.dtype.kind == "c":
            raise GraphError(
                "grad can be implicitly created only for real scalar outputs but got "
                f"{from_numpy_dtype(output._array.dtype)}"
            )
        values = run.values([output])
        ones = [value.new_ones(tuple(value.shape)) for value in values]
        gradients = unflatten(run.pulled_back(values, ones, False), run.structure)
        value = detach_if_closed(output)
        if has_aux:
            return gradients, (value, _detached_aux(aux, has_aux))
        return gradients, value

    return new_tensor


def grad(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that computes the gradient of a scalar-valued function.

    Args:
        func: A function that returns a floating-point tensor without dims.
        argnums: Positions of the arguments to differentiate by: one int, or a tuple of them. Each
            of these arguments is a tensor or a pytree (nested containers) of tensors.
        has_aux: Whether ``func`` returns a pair of the value and something else, which is returned
            too.

    Returns:
        A function of the same arguments that returns the gradient, of the structure and shapes of
        the argument; a tuple of them for a tuple ``argnums``; a pair with the second output of
        ``func`` for ``has_aux``.

    Raises:
        RuntimeError: When called, if ``func`` does not return a tensor without dims.

    >>> import pellucid as torch
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
) -> tuple[Any, Callable[..., Any], Any, _Run]:
    run = _Run(func, args, argnums, {})
    result, aux = _split_aux(run.result, has_aux, "vjp(f, *primals)")
    outputs, structure = flatten(result)
    _check_outputs(outputs, "vjp(f, *primals)")
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

    return mapped(detach_if_closed, result), vjp_fn, _detached_aux(aux, has_aux), run


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
        RuntimeError: If an output is no tensor, or its dtype has no gradients.

    >>> import pellucid as torch
    >>> value, pull = torch.func.vjp(torch.sin, torch.tensor([0.0, 1.0]))
    >>> pull(torch.ones(2))
    (tensor([1.0000, 0.5403]),)
    """
    argnums = tuple(range(len(primals)))
    value, pull, aux, _ = _vjp(func, primals, argnums, has_aux)
    return (value, pull, aux) if has_aux else (value, pull)


# ---- forward --------------------------------------------------------------------------------


def _check_tangents(primals: Any, tangents: Any) -> tuple[list[Any], list[Any]]:
    leaves, structure = flatten(primals)
    directions, given = flatten(tangents)
    if structure != given:
        raise GraphError(
            f"{_JVP}: Expected primals and tangents to have the same python structure. For "
            "example, if primals is a tuple of 3 tensors, tangents also must be. Got primals with "
            f"structure {structure} and tangents with structure {given}"
        )
    for found, name in ((leaves, "primals"), (directions, "tangents")):
        if not found:
            raise GraphError(f"{_JVP}: Expected {name} to contain at least one Tensor.")
        for each in found:
            if not isinstance(each, TensorBase):
                raise GraphError(
                    f"{_JVP}: Expected {name} to only contain Tensors, got {type(each)}"
                )
    for leaf, direction in zip(leaves, directions, strict=True):
        if tuple(leaf.shape) != tuple(direction.shape):
            raise ShapeError(
                "Trying to set a forward gradient that has a different size than that of the "
                f"original Tensor, this is not supported. Tensor is of size {list(leaf.shape)} "
                f"while the given forward gradient is of size {list(direction.shape)}."
            )
    return leaves, directions


class _Pushed:
    """The outputs of a function, their tangents, and what came beside them."""

    def __init__(self, structure: TreeSpec, outputs: list[Any], tangents: list[Any], aux: Any):
        self.structure = structure
        self.outputs = outputs
        self.tangents = tangents
        self.aux = aux


def _push(
    func: Callable[..., Any], args: tuple[Any, ...], argnums: Any, tangents: list[Any],
    has_aux: bool, strict: bool = False,
) -> _Pushed:  # fmt: skip
    """Push tangents, all samples along the first dimensions, through a function.

    Tangents may be batched at a level at which nothing else is.
    """
    if modes.forward_levels:
        return _push_by_pulling(func, args, argnums, tangents, has_aux)
    levels = modes.batch_levels
    tree, places = _chosen(args, argnums)
    leaves, structure = flatten(tree)
    several = isinstance(argnums, tuple)
    with forward_ad.dual_level():
        duals = [
            wrap(forward_ad.make_dual(batch_dims_first(leaf, levels), tangent), levels)
            for leaf, tangent in zip(leaves, tangents, strict=True)
        ]
        given = unflatten(duals, structure)
        result = func(*_with(args, places, _Several(given) if several else given))
        result, aux = _split_aux(result, has_aux, _JVP)
        found, shape = flatten(result)
        _check_outputs(found, _JVP)
        parts = [forward_ad.unpack_dual(batch_dims_first(each, levels)) for each in found]
        if strict and any(part.tangent is None for part in parts):
            raise GraphError(
                "jvp(f, primals, tangents, strict=True): The output of f is independent of the "
                "inputs. This is not allowed with strict=True."
            )
        outputs = [part.primal for part in parts]
        pushed = [
            zeros(tuple(part.primal.shape), dtype=part.primal.dtype) if part.tangent is None
            else part.tangent
            for part in parts
        ]  # fmt: skip
        if has_aux:
            _refuse_other_aux(flatten(aux)[0])
            aux = mapped(
                lambda leaf: wrap(
                    forward_ad.unpack_dual(batch_dims_first(leaf, levels)).primal, levels
                ),
                aux,
            )
    return _Pushed(shape, outputs, pushed, aux)


def _push_by_pulling(
    func: Callable[..., Any], args: tuple[Any, ...], argnums: Any, tangents: list[Any],
    has_aux: bool,
) -> _Pushed:  # fmt: skip
    """Compute what `_push` does where an outer transform has tangents.

    What pulls gradients back is linear in them; its derivative by them pushes tangents.
    """
    linear = _Linear(func, args, argnums, has_aux, _JVP)
    return _Pushed(linear.structure, linear.values, linear.pushed(tangents), linear.aux)


class _Linear:
    """A function linearised at its arguments, by differentiating its vjp."""

    def __init__(
        self, func: Callable[..., Any], args: tuple[Any, ...], argnums: Any, has_aux: bool,
        head: str,
    ) -> None:  # fmt: skip
        run = _Run(func, args, argnums, {})
        result, aux = _split_aux(run.result, has_aux, head)
        outputs, self.structure = flatten(result)
        _check_outputs(outputs, head)
        recorded = run.values(outputs)
        self.levels = run.levels
        self._record = run.recording and leads_outside(recorded)
        with own_leaves() as frame, enable_grad():
            self._weights = [new_leaf(zeros_like(each.detach()), frame) for each in recorded]
            pulled = (
                autograd_grad(
                    [each for each in recorded if each.requires_grad], run.inputs,
                    [
                        weight
                        for each, weight in zip(recorded, self._weights, strict=True)
                        if each.requires_grad
                    ],
                    create_graph=True, allow_unused=True,
                )
                if any(each.requires_grad for each in recorded)
                else (None,) * len(run.inputs)
            )  # fmt: skip
        self._pulled = [None if each is None or not each.requires_grad else each for each in pulled]
        self.values = [detach_if_closed(each) for each in recorded]
        self.aux = _detached_aux(aux, has_aux)

    def pushed(self, tangents: list[Any]) -> list[Any]:
        """Return the tangents of the outputs, all samples along the first dimensions."""
        pairs = [
            (each, tangent)
            for each, tangent in zip(self._pulled, tangents, strict=True)
            if each is not None
        ]
        if not pairs:
            return [zeros_like(weight.detach()) for weight in self._weights]
        record = modes.grad_enabled and (
            self._record or any(tangent.requires_grad for _, tangent in pairs)
        )
        found = autograd_grad(
            [each for each, _ in pairs], self._weights, [tangent for _, tangent in pairs],
            retain_graph=True, create_graph=record, allow_unused=True,
        )  # fmt: skip
        return [
            zeros_like(weight.detach()) if each is None else each
            for each, weight in zip(found, self._weights, strict=True)
        ]


def jvp(
    func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False,
    has_aux: bool = False,
) -> Any:  # fmt: skip
    """Return the output of a function, and its Jacobian-vector product, by forward mode.

    Args:
        func: A function of tensors, or pytrees of tensors, that returns the same.
        primals: A tuple of the arguments at which ``func`` is differentiated.
        tangents: A tuple of the directions, of the structure and shapes of ``primals``.
        strict: Whether an output that does not depend on the arguments is an error.
        has_aux: Whether ``func`` returns a pair of the output and something else, which is returned
            too.

    Returns:
        The output and its tangent, of the same shapes; ``aux`` as a third for ``has_aux``.

    Raises:
        RuntimeError: If primals and tangents are no tuples of tensors of the same shapes.

    >>> import pellucid as torch
    >>> torch.func.jvp(torch.square, (torch.tensor(3.0),), (torch.tensor(1.0),))
    (tensor(9.), tensor(6.))
    """
    if not isinstance(primals, tuple):
        raise GraphError(
            f"{_JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    _, directions = _check_tangents(primals, tangents)
    levels = modes.batch_levels
    found = _push(
        func, primals, tuple(range(len(primals))),
        [batch_dims_first(each, levels) for each in directions], has_aux, strict,
    )  # fmt: skip
    outputs = unflatten([wrap(each, levels) for each in found.outputs], found.structure)
    pushed = unflatten([wrap(each, levels) for each in found.tangents], found.structure)
    return (outputs, pushed, found.aux) if has_aux else (outputs, pushed)


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """Return the output of a function, and the linear function that approximates it there.

    Args:
        func: A function of tensors, or pytrees of tensors, that returns the same. It is run once,
            however often the linear function is called.
        primals: The arguments at which ``func`` is linearized.

    Returns:
        The output, and a function that takes tangents of the shapes of the arguments and returns
        the Jacobian-vector product.

    Raises:
        RuntimeError: From the linear function, if the tangents differ from the primals in
            structure, shape or dtype.

    >>> import pellucid as torch
    >>> value, push = torch.func.linearize(torch.square, torch.tensor(3.0))
    >>> push(torch.tensor(1.0)), push(torch.tensor(2.0))
    (tensor(6.), tensor(12.))
    """
    linear = _Linear(func, primals, tuple(range(len(primals))), False, "linearize(f, *primals)")
    leaves, structure = flatten(primals)

    def push(*tangents: Any) -> Any:
        given, found = flatten(tangents)
        if found != structure:
            raise GraphError(
                f"Expected the tangents {found} to have the same argspec as the primals {structure}"
            )
        for number, (leaf, tangent) in enumerate(zip(leaves, given, strict=True)):
            for what in ("shape", "dtype"):
                if getattr(leaf, what) != getattr(tangent, what):
                    raise GraphError(
                        f"tangent:{number} with {what} {getattr(tangent, what)} in flattened "
                        f"pytree doesn't match the {what} {getattr(leaf, what)} of the "
                        "corresponding primal."
                    )
        pushed = linear.pushed([batch_dims_first(each, linear.levels) for each in given])
        return unflatten([wrap(each, linear.levels) for each in pushed], linear.structure)

    outputs = [wrap(each, linear.levels) for each in linear.values]
    return unflatten(outputs, linear.structure), push


# ---- whole Jacobians ------------------------------------------------------------------------


def _refuse_complex(name: str, leaves: list[Any], what: str) -> None:
    for number, leaf in enumerate(leaves):
        if isinstance(leaf, TensorBase) and leaf._array.dtype.kind == "c":
            raise GraphError(
                f"{name}: Expected all {what}s to be real but received complex tensor at flattened "
                f"input idx: {number}"
            )


def _basis(tensors: list[Any], start: int, stop: int) -> list[Any]:
    """Return rows ``start`` to ``stop`` of the unit matrix, cut up into the shapes of tensors."""
    rows: list[Any] = []
    offset = 0
    for tensor in tensors:
        shape = tuple(tensor.shape)
        size = math.prod(shape)
        block = cast(held(np.eye(stop - start, size, start - offset, np.float32)), tensor.dtype)
        rows.append(block.reshape(stop - start, *shape))
        offset += size
    return rows


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
        argnums: Positions of the arguments to differentiate by: one int, or a tuple of them.
        has_aux: Whether ``func`` returns a pair of the output and something else, which is returned
            too.
        chunk_size: How many rows of the Jacobian are computed at once; all of them by default.

    Returns:
        A function of the same arguments that returns the Jacobian, whose shape is the output's
        followed by the argument's.

    Raises:
        RuntimeError: When called, for complex arguments.
        ValueError: If ``chunk_size`` is not positive.

    >>> import pellucid as torch
    >>> torch.func.jacrev(torch.square)(torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ArgumentError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def new_tensor(*args: Any) -> Any:
        _refuse_complex("jacrev", flatten(args)[0], "input")
        result, pull, aux, run = _vjp(func, args, argnums, has_aux)
        outputs, structure = flatten(result)
        _refuse_complex("jacrev", outputs, "output")
        inputs = flatten(_chosen(args, argnums)[0])[0]
        total = sum(output.numel() for output in outputs)
        parts: list[list[Any]] = []
        for start, stop in _chunks(total, chunk_size):
            rows = unflatten(_basis(outputs, start, stop), structure)
            parts.append(flatten(vmap(pull)(rows))[0])
        joined = [cat(list(column), 0) for column in zip(*parts, strict=True)]
        blocks: list[Any] = []
        offset = 0
        for output in outputs:
            row = [
                each.narrow(0, offset, output.numel()).reshape((*output.shape, *like.shape))
                for each, like in zip(joined, inputs, strict=True)
            ]
            offset += output.numel()
            blocks.append(unflatten(row, run.structure))
        jacobian = unflatten(blocks, structure)
        return (jacobian, aux) if has_aux else jacobian

    return new_tensor


def jacfwd(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False, *,
    randomness: str = "error",
) -> Callable[..., Any]:  # fmt: skip
    """Return a function that computes the Jacobian of a function by forward mode.

    ``func`` runs once; the tangents of all elements of the arguments are computed together.

    Args:
        func: A function of tensors that returns a tensor, or a pytree of tensors.
        argnums: Positions of the arguments to differentiate by: one int, or a tuple of them.
        has_aux: Whether ``func`` returns a pair of the output and something else, which is returned
            too.
        randomness: What random operations in ``func`` do: ``"error"``, ``"same"`` or
            ``"different"`` for each tangent, as in `vmap`.

    Returns:
        A function of the same arguments that returns the Jacobian, whose shape is the output's
        followed by the argument's.

    Raises:
        RuntimeError: When called, for complex arguments.

    >>> import pellucid as torch
    >>> torch.func.jacfwd(torch.square)(torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """

    check_randomness(randomness)

    @functools.wraps(func)
    def new_tensor(*args: Any) -> Any:
        _refuse_complex("jacfwd", flatten(args)[0], "input")
        inputs, structure = flatten(_chosen(args, argnums)[0])
        _refuse_non_tensors(inputs)
        levels = modes.batch_levels
        total = sum(each.numel() for each in inputs)
        basis = _basis(inputs, 0, total)
        if randomness == "different":
            found = _pushed_one_by_one(func, args, argnums, has_aux, basis)
            columns = [batch_dims_first(each, levels) for each in found.tangents]
        else:
            with tangent_level(Level(total, randomness)) as units:
                rows = [batched(_for_all_samples(row, levels), units) for row in basis]
                found = _push(func, args, argnums, rows, has_aux)
                columns = [_all_units(each, units) for each in found.tangents]
        _refuse_complex("jacfwd", found.outputs, "output")
        blocks = [unflatten(_by_input(each, inputs, levels), structure) for each in columns]
        jacobian = unflatten(blocks, found.structure)
        return (jacobian, found.aux) if has_aux else jacobian

    return new_tensor


def _pushed_one_by_one(
    func: Callable[..., Any], args: tuple[Any, ...], argnums: Any, has_aux: bool, rows: list[Any]
) -> _Pushed:
    """Push each row of the unit matrix through a run of the function of its own."""
    tree, places = _chosen(args, argnums)
    several = isinstance(argnums, tuple)
    primals = tree if several else (tree,)
    structure = flatten(primals)[1]

    def of_chosen(*values: Any) -> Any:
        return func(*_with(args, places, _Several(values) if several else values[0]))

    def push(*row: Any) -> Any:
        return jvp(of_chosen, primals, unflatten(list(row), structure), has_aux=has_aux)

    outputs, tangents, *aux = vmap(push, randomness="different")(*rows)
    columns, shape = flatten(tangents)
    first = mapped(lambda leaf: leaf[0], aux[0]) if has_aux else None
    return _Pushed(shape, flatten(outputs)[0], columns, first)


def _for_all_samples(row: Any, levels: tuple[Level, ...]) -> Any:
    """Return rows of the unit matrix, the same ones for all samples of the running vmaps."""
    sizes = tuple(level.size for level in levels)
    count, *shape = row.shape
    return row.reshape(count, *(1,) * len(sizes), *shape).expand(count, *sizes, *shape)


def _all_units(tangent: Any, units: Level) -> Any:
    """Return the tangents that all elements of the inputs cause, along the first dimension."""
    if at_level(tangent, units):
        return tangent.value
    return tangent.unsqueeze(0).expand(units.size, *tangent.shape)


def _by_input(column: Any, inputs: list[Any], levels: tuple[Level, ...]) -> list[Any]:
    """Cut the derivatives of one output up by inputs, and give them the shape of a Jacobian."""
    blocks: list[Any] = []
    offset = 0
    last = wrap(column.movedim(0, -1), levels)
    for like in inputs:
        size = like.numel()
        block = last.narrow(-1, offset, size)
        blocks.append(block.reshape((*last.shape[:-1], *like.shape)))
        offset += size
    return blocks


def hessian(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """Return a function that computes the Hessian of a function, forward mode over reverse mode.

    Args:
        func: A function of real tensors that returns a tensor.
        argnums: Positions of the arguments to differentiate by: one int, or a tuple of them.

    Returns:
        A function of the same arguments that returns the second derivatives, whose shape is the
        output's followed twice by the argument's.

    >>> import pellucid as torch
    >>> torch.func.hessian(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)
