"""What a call means that has a `DTensor` among its operands: exchanges, and the op of the parts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from typing import Any

from pellucid.autograd.sites import Site, user_frame
from pellucid.autograd.variable import TensorBase
from pellucid.core.call.call import failed, operand_arrays, run_body
from pellucid.core.call.interpreter import Below, Interpreter
from pellucid.core.call.overriding import (
    DisableTorchFunctionSubclass,
    name_of_function,
    overridable_functions,
)
from pellucid.core.definition.op import Op
from pellucid.distributed.tensor.dtensor import DTensor, wrapped
from pellucid.distributed.tensor.placement_types import (
    Partial,
    Placement,
    Replicate,
    Shard,
    _StridedShard,
)
from pellucid.distributed.tensor.redistribute import used_in_parts
from pellucid.distributed.tensor.rules import Call, Way, localized, rule_of, runner_of
from pellucid.distributed.tensor.spec import Placements, Spec
from pellucid.errors import ArgumentTypeError, GraphError, UnimplementedError
from pellucid.kernels.meta import NoValues, is_meta
from pellucid.ops.aliasing.inplace import call_inplace
from pellucid.ops.shape.copying import copy
from pellucid.processes.mesh import DeviceMesh

_INSTEAD = (
    "full_tensor() gives the whole tensor on all ranks, to_local() this rank's part; "
    "distribute_tensor and DTensor.from_local lead back"
)


class _Implicit:
    """Whether ordinary tensors count as replicated."""

    now = False


@contextmanager
def implicit_replication() -> Iterator[None]:
    """Return a block in which ordinary tensors next to a `DTensor` count as whole on every rank.

    >>> from pellucid.distributed.tensor.experimental import implicit_replication
    >>> with implicit_replication():
    ...     pass
    """
    before, _Implicit.now = _Implicit.now, True
    try:
        yield
    finally:
        _Implicit.now = before


def no_rule(name: str, why: str = "") -> UnimplementedError:
    """Return the error for a function of DTensors that has no rule."""
    site = Site(*user_frame(2))
    return UnimplementedError(
        f"{name} of a DTensor at {site}: there is no rule how it acts on the parts of the ranks"
        f"{why}. {_INSTEAD}."
    )


# ---- functions that are not ops ----------------------------------------------------------------

#: what functions do with DTensors that would look at elements, by name; NotImplemented where they
#: would not
functions: dict[str, Callable[..., Any]] = {}
#: names of functions that are computed with whole tensors on all ranks, and what does so
in_whole: dict[str, Callable[..., Any]] = {}


def call_function(
    function: Any, types: tuple[type, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call a function of the package that is given a DTensor."""
    if function in overridable_functions:  # made of operations, each of which asks
        return inspect.unwrap(function)(*args, **kwargs)
    name = getattr(function, "__name__", "")
    if kwargs.get("out") is not None:
        raise no_rule(f"{name_of_function(function)} with out=")
    own = functions.get(name)
    if own is not None:
        result = own(*args, **kwargs)
        if result is not NotImplemented:
            return result
    if name in in_whole:
        return in_whole[name](function, args, kwargs)
    changes = name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))
    target: Any = args[0] if changes and args and isinstance(args[0], DTensor) else None
    before = None if target is None else target._version
    try:
        # methods in place wrap themselves: unwrapped, one would ask the tensor's class once more
        if not changes and not hasattr(function, "op") and hasattr(function, "__wrapped__"):
            result = inspect.unwrap(function)(*args, **kwargs)
        else:
            with DisableTorchFunctionSubclass():
                result = function(*args, **kwargs)
    except NoValues:
        raise no_rule(name_of_function(function)) from None
    _refuse_without_values(function, result, (*args, *kwargs.values()))
    if target is not None and target._version == before:  # nothing has been written to the part
        raise no_rule(name_of_function(function))
    return result


def _refuse_without_values(function: Any, result: Any, given: tuple[Any, ...]) -> None:
    """Raise where a function has taken the shapes of whole tensors for tensors on ``meta``."""
    for each in result if isinstance(result, tuple | list) else (result,):
        lost = isinstance(each, TensorBase) and not isinstance(each, DTensor)
        if lost and is_meta(each._array) and not any(value is each for value in given):
            raise no_rule(name_of_function(function))


# ---- ops --------------------------------------------------------------------------------------


class DTensorRules(Interpreter):
    """The interpreter of calls that have a DTensor among their operands."""

    def call(self, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], below: Below) -> Any:
        """Return what an op's rule gives; raise NotImplementedError for an op without a rule."""
        given = _all_spread(op, operands)
        rule = rule_of(op)
        if rule is None:
            raise no_rule(f"torch.{op.torch_name}")
        call = _described(op, given, params)
        whole = rule.composite(call, below) if rule.composite is not None else None
        if whole is not None:
            return whole
        placements = _choose(call, list(rule.ways(call)), given)
        outputs = _computed(call, given, placements, below)
        return outputs[0] if len(op.outputs) == 1 and not op.many else op.returns(outputs)

    def change(
        self, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], below: Below
    ) -> Any:
        """Write an op's result into its first operand, which keeps its layout."""
        first = operands[0]
        if not isinstance(first, DTensor):
            raise mixed(op)
        if first._copied:
            raise GraphError(
                f"{op.torch_name}_ at {Site(*user_frame(2))}: the tensor looks like a view of a "
                "DTensor, but had to be gathered, so that a change would not reach what it is a "
                f"view of. Change that itself, or its part: {_INSTEAD}."
            )
        given = _all_spread(op, operands)
        rule = rule_of(op)
        if rule is None:
            raise no_rule(f"torch.Tensor.{op.torch_name}_")
        call = _described(op, given, params)
        if call.out_shapes[0] == first._spec.shape and rule.composite is None:
            ways = [
                each for each in rule.ways(call)
                if each.inputs[0] == each.outputs[0] and each.inputs[0] in first.placements
            ]  # fmt: skip
            placements = _choose(call, ways, given, first.placements)
            if placements is not None and op not in runner_of:
                parts, specs = _moved(call, given, placements)
                results = [first._spec]
                for position, part in enumerate(parts):
                    if position and isinstance(part, TensorBase):
                        parts[position] = used_in_parts(part, specs[position], [first.placements])
                below(op, tuple(parts), localized(call, results))
                return first
        result = self.call(op, operands, params, below)
        part = result._moved(first.placements)._local
        call_inplace(copy.op, (first._local, part), (False,))
        return first


DTensor._interpreter = DTensorRules()


def mixed(op: Op) -> ArgumentTypeError:
    """Return the error for a call that is given spread and ordinary tensors."""
    return ArgumentTypeError(
        f"aten.{op.torch_name}.default at {Site(*user_frame(2))}: got mixed torch.Tensor and "
        "DTensor, need to convert all torch.Tensor to DTensor before calling distributed "
        "operators! distribute_tensor(x, mesh) makes a DTensor of a tensor that all ranks have; "
        "to_local() gives this rank's part."
    )


def _all_spread(op: Op, operands: tuple[Any, ...]) -> list[Any]:
    """Return the operands with every tensor a DTensor on one mesh; numbers stay."""
    mesh: DeviceMesh | None = None
    for each in operands:
        if isinstance(each, DTensor):
            if mesh is not None and each.device_mesh != mesh:
                raise GraphError(
                    f"torch.{op.torch_name} at {Site(*user_frame(2))}: its operands are spread "
                    f"over two meshes, {mesh} and {each.device_mesh}"
                )
            mesh = each.device_mesh
    assert mesh is not None
    given: list[Any] = []
    for each in operands:
        if isinstance(each, TensorBase) and not isinstance(each, DTensor):
            tensor: Any = each
            if is_meta(tensor._array) or (tensor._array.ndim and not _Implicit.now):
                raise mixed(op)
            whole = (Replicate(),) * mesh.ndim
            given.append(wrapped(tensor, Spec(mesh, whole, tuple(tensor._array.shape))))
        elif isinstance(each, DTensor) and any(
            isinstance(p, Partial) and p.reduce_op != "sum" for p in each.placements
        ):
            given.append(each._moved(tuple(
                Replicate() if isinstance(p, Partial) and p.reduce_op != "sum" else p
                for p in each.placements
            )))  # fmt: skip
        else:
            given.append(each)
    return given


def _described(op: Op, given: list[Any], params: tuple[Any, ...]) -> Call:
    """Return a call with the shapes of its whole results; raise what the op itself would."""
    operands = tuple(given)
    try:
        arrays = operand_arrays(op, operands, params)
        returned = run_body(op, [arrays] if op.variadic else arrays, params)
    except NoValues:
        raise no_rule(f"torch.{op.torch_name}", ", as it depends on values") from None
    except Exception as error:
        failed(error, op, (given,) if op.variadic else operands, params)
        raise
    arrays = [returned] if op.single else list(returned)
    if not op.many:
        arrays = arrays[: len(op.outputs)]
    return Call(op, given, params, arrays)


def _choose(
    call: Call, ways: list[Way], given: list[Any], kept: Placements | None = None
) -> list[Way] | None:
    """Return the cheapest way along each dim of the mesh; with ``kept`` those of the first operand.

    None if there is none.
    """
    mesh = call.mesh
    chosen: list[Way] = []
    for number in range(mesh.ndim):
        best, least = None, inf
        for way in ways:
            if kept is not None and way.inputs[0] != kept[number]:
                continue
            cost = 0.0
            for each, wanted in zip(given, way.inputs, strict=True):
                if isinstance(each, DTensor) and wanted is not None:
                    size = each._array.nbytes + 1
                    cost += _cost(each.placements[number], wanted, mesh.shape[number]) * size
            if cost < least:
                best, least = way, cost
        if best is None:
            return None
        chosen.append(best)
    return chosen


def _cost(now: Placement, wanted: Placement, count: int) -> float:
    """Return what it costs to move a tensor from one layout to another, per byte of the whole."""
    if now == wanted:
        return 0.0
    if isinstance(wanted, Partial):
        return 0.002 if now.is_replicate() else inf
    if isinstance(now, Shard):
        if isinstance(wanted, Shard) and type(wanted) is type(now) and wanted.dim == now.dim:
            return 0.0
        return 1.0 if wanted.is_replicate() else 1 / count
    if now.is_replicate():
        return 0.001
    return 2.0 if wanted.is_replicate() else 1.0


def _moved(call: Call, given: list[Any], ways: list[Way]) -> tuple[list[Any], list[Any]]:
    """Return the parts of the operands, and how they are spread, in the layouts of the ways."""
    parts: list[Any] = []
    specs: list[Any] = []
    strided = [_are_strided(given, way, number) for number, way in enumerate(ways)]
    for position, each in enumerate(given):
        if not isinstance(each, DTensor):
            parts.append(each)
            specs.append(None)
            continue
        wanted = [way.inputs[position] for way in ways]
        placements = tuple(
            now if want is None or (stays and want.is_shard()) else want
            for now, want, stays in zip(each.placements, wanted, strided, strict=True)
        )
        moved = each._moved(placements)
        parts.append(moved._local)
        specs.append(moved._spec)
    call.in_specs = specs
    return parts, specs


def _are_strided(given: list[Any], way: Way, number: int) -> bool:
    """Return whether all that a way wants cut is cut there already, in a strided manner."""
    cut = [
        (each.placements[number], wanted)
        for each, wanted in zip(given, way.inputs, strict=True)
        if isinstance(each, DTensor) and isinstance(wanted, Shard)
    ]
    return bool(cut) and all(
        isinstance(now, _StridedShard) and now.dim == wanted.dim for now, wanted in cut
    )


def _computed(call: Call, given: list[Any], ways: list[Way] | None, below: Below) -> list[Any]:
    """Return the results of an op of parts, as DTensors."""
    assert ways is not None
    op = call.op
    parts, specs = _moved(call, given, ways)
    mesh = call.mesh
    ways = [_with_strides(call, number, way) for number, way in enumerate(ways)]
    placed = [tuple(way.outputs[slot] for way in ways) for slot in range(len(call.out_arrays))]
    results = [
        Spec(mesh, placements, tuple(array.shape))
        for placements, array in zip(placed, call.out_arrays, strict=True)
    ]
    parts = [
        used_in_parts(part, spec, placed) if spec is not None else part
        for part, spec in zip(parts, specs, strict=True)
    ]
    runner = runner_of.get(op)
    if runner is not None:
        outputs = runner(call, parts, results, below)
    else:
        outputs = below(op, tuple(parts), localized(call, results))
    listed: list[Any] = [outputs] if isinstance(outputs, TensorBase) else list(outputs)
    made: list[Any] = []
    for part, spec, array in zip(listed, results, call.out_arrays, strict=True):
        if tuple(part.shape) != spec.local_shape:
            raise AssertionError(
                f"the rule of {op.torch_name} gives parts of shape {list(spec.local_shape)}, and "
                f"the op gave {list(part.shape)}"
            )
        made.append(wrapped(part, spec, array))
    if op.family.view:
        copied = given[0]._copied or parts[0] is not given[0]._local
        for each in made:
            each._copied = copied
    return made


def _with_strides(call: Call, number: int, way: Way) -> Way:
    """Return a way whose results are cut like the operand that is cut in a strided manner."""
    placed = [spec.placements[number] for spec in call.in_specs if spec is not None]
    strided = [each for each in placed if isinstance(each, _StridedShard)]
    if not strided:
        return way
    factor = strided[0].split_factor
    outputs = tuple(
        _StridedShard(each.dim, split_factor=factor) if isinstance(each, Shard) else each
        for each in way.outputs
    )
    return Way(way.inputs, outputs)
