"""Transforms that push tangents forward: `jvp`, `linearize`, `jacfwd` and `hessian`.

See Note [Transforms inside vmap].
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from pellucid.autograd import forward_ad
from pellucid.autograd.backward import grad as autograd_grad
from pellucid.autograd.modes import enable_grad, modes
from pellucid.autograd.variable import TensorBase, is_inference
from pellucid.core.call.call import new_tensor
from pellucid.dtypes import is_differentiable
from pellucid.errors import ArgumentError, GraphError, ShapeError
from pellucid.func.arguments import (
    Several,
    check_outputs,
    chosen,
    detached_aux,
    refuse_complex,
    refuse_non_tensors,
    refuse_other_aux,
    replaced,
    split_aux,
    unit_rows,
)
from pellucid.func.levels import leads_outside, new_leaf, outside_inference, own_leaves
from pellucid.func.mapping import check_randomness, vmap
from pellucid.func.reverse import RecordedRun, jacrev
from pellucid.func.trees import TreeSpec, flatten, mapped, unflatten
from pellucid.interpreters.vmap.batched import Level, at_level, batch_dims_first, batched, wrap
from pellucid.interpreters.vmap.dispatch import tangent_level
from pellucid.tensors.creation import zeros, zeros_like

_JVP = "jvp(f, primals, tangents)"


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
        _refuse_dual_level()
        return _push_by_pulling(func, args, argnums, tangents, has_aux)
    levels = modes.batch_levels
    tree, positions = chosen(args, argnums)
    leaves, structure = flatten(tree)
    several = isinstance(argnums, tuple)
    with outside_inference(), forward_ad.level_of_function():
        starts = [_recordable(batch_dims_first(leaf, levels)) for leaf in leaves]
        duals = [
            wrap(forward_ad.make_dual(start, _recordable(tangent)), levels)
            for start, tangent in zip(starts, tangents, strict=True)
        ]
        given = unflatten(duals, structure)
        result = func(*replaced(args, positions, Several(given) if several else given))
        result, aux = split_aux(result, has_aux, _JVP)
        found, shape = flatten(result)
        check_outputs(found, _JVP)
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
            refuse_other_aux(flatten(aux)[0])
            aux = mapped(
                lambda leaf: wrap(
                    forward_ad.unpack_dual(batch_dims_first(leaf, levels)).primal, levels
                ),
                aux,
            )
    return _Pushed(shape, outputs, pushed, aux)


def _recordable(tensor: Any) -> Any:
    """Return a tensor as what transforms inside may save, whatever mode it was made in."""
    return new_tensor(tensor._array) if is_inference(tensor) else tensor


def _refuse_dual_level() -> None:
    """Raise inside a `dual_level` of the program's."""
    forward_ad.refuse_levels(
        tuple(level for level in modes.forward_levels if not level.of_function)
    )


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
        run = RecordedRun(func, args, argnums, {})
        result, aux = split_aux(run.result, has_aux, head)
        outputs, self.structure = flatten(result)
        check_outputs(outputs, head)
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
        self.values = [batch_dims_first(run.closed(each), self.levels) for each in outputs]
        self.aux = detached_aux(aux, has_aux)

    def pushed(self, tangents: list[Any]) -> list[Any]:
        """Return the tangents of the outputs, all samples along the first dimensions."""
        pairs = [
            (each, tangent)
            for each, tangent in zip(self._pulled, tangents, strict=True)
            if each is not None
        ]
        with outside_inference():
            return self._pushed(pairs)

    def _pushed(self, pairs: list[tuple[Any, Any]]) -> list[Any]:
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
        RuntimeError: If primals and tangents are not tuples of tensors of the same shapes.

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
        ValueError: If an argument is neither floating point nor complex.

    >>> value, push = torch.func.linearize(torch.square, torch.tensor(3.0))
    >>> push(torch.tensor(1.0)), push(torch.tensor(2.0))
    (tensor(6.), tensor(12.))
    """
    for each in flatten(primals)[0]:
        if isinstance(each, TensorBase) and not is_differentiable(each._array.dtype):
            kind = getattr(each, "dtype", None)
            raise ArgumentError(f"Expected primal to be floating point or complex, but got: {kind}")
    _refuse_dual_level()
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


def jacfwd(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False, *,
    randomness: str = "error",
) -> Callable[..., Any]:  # fmt: skip
    """Return a function that computes the Jacobian of a function by forward mode.

    ``func`` runs once; the tangents of all elements of the arguments are computed together.

    Args:
        func: A function of tensors that returns a tensor, or a pytree of tensors.
        argnums: Positions of the arguments to differentiate with respect to: an int or a tuple.
        has_aux: Whether ``func`` returns a pair of the output and something else, which is returned
            too.
        randomness: What random operations in ``func`` do: ``"error"``, ``"same"`` or
            ``"different"`` for each tangent, as in `vmap`.

    Returns:
        A function of the same arguments that returns the Jacobian, whose shape is the output's
        followed by the argument's.

    Raises:
        RuntimeError: When called, for complex arguments.

    >>> torch.func.jacfwd(torch.square)(torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """

    check_randomness(randomness)

    @functools.wraps(func)
    def new_tensor(*args: Any) -> Any:
        refuse_complex("jacfwd", flatten(args)[0], "input")
        inputs, structure = flatten(chosen(args, argnums)[0])
        refuse_non_tensors(inputs)
        levels = modes.batch_levels
        total = sum(each.numel() for each in inputs)
        basis = unit_rows(inputs, 0, total)
        if randomness == "different":
            found = _pushed_one_by_one(func, args, argnums, has_aux, basis)
            columns = [batch_dims_first(each, levels) for each in found.tangents]
        else:
            with tangent_level(Level(total, randomness)) as units:
                rows = [batched(_for_all_samples(row, levels), units) for row in basis]
                found = _push(func, args, argnums, rows, has_aux)
                columns = [_all_units(each, units) for each in found.tangents]
        refuse_complex("jacfwd", found.outputs, "output")
        blocks = [unflatten(_by_input(each, inputs, levels), structure) for each in columns]
        jacobian = unflatten(blocks, found.structure)
        return (jacobian, found.aux) if has_aux else jacobian

    return new_tensor


def _pushed_one_by_one(
    func: Callable[..., Any], args: tuple[Any, ...], argnums: Any, has_aux: bool, rows: list[Any]
) -> _Pushed:
    """Push each row of the unit matrix through a run of the function of its own."""
    tree, positions = chosen(args, argnums)
    several = isinstance(argnums, tuple)
    primals = tree if several else (tree,)
    structure = flatten(primals)[1]

    def of_chosen(*values: Any) -> Any:
        return func(*replaced(args, positions, Several(values) if several else values[0]))

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
    last = wrap(column.movedim(0, -1), levels)
    parts = last.split([like.numel() for like in inputs], -1)
    return [
        part.reshape((*last.shape[:-1], *like.shape))
        for part, like in zip(parts, inputs, strict=True)
    ]


def hessian(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """Return a function that computes the Hessian of a function, forward mode over reverse mode.

    Args:
        func: A function of real tensors that returns a tensor.
        argnums: Positions of the arguments to differentiate with respect to: an int or a tuple.

    Returns:
        A function of the same arguments that returns the second derivatives, whose shape is the
        output's followed twice by the argument's.

    >>> torch.func.hessian(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)
