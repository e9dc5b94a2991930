"""What layouts of its operands an op works on part by part, and what layout its result has then.

A rule lists *ways*: along one dim of the mesh, a placement for each operand and for each result.
Where operands have these placements, the op of the parts gives the parts of the results. Most
rules follow from what an op says of batching (`Batch`): a dim that is as good as a batch of samples
can be cut. `dispatch` takes the way that costs least, for each dim of the mesh by itself; all
operands whole, all results whole is always one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from pellucid.core.definition.batching import Batch
from pellucid.core.definition.op import Op
from pellucid.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard
from pellucid.dtypes import is_differentiable
from pellucid.processes.exchanges import sizes_of_parts
from pellucid.processes.mesh import DeviceMesh
from pellucid.shapes import dim_from_end

R = Replicate()
P = Partial()


class Way(NamedTuple):
    """Placements of operands and results along one dim of a mesh; None for what is not a tensor."""

    inputs: tuple[Placement | None, ...]
    outputs: tuple[Placement, ...]


class Call:
    """A call of an op of whole tensors: its operands, parameters, and the shapes of its results."""

    def __init__(
        self, op: Op, given: list[Any], params: tuple[Any, ...], out_arrays: list[Any]
    ) -> None:
        self.op = op
        self.given = given
        self.params = {param.name: v for param, v in zip(op.params, params, strict=True)}
        #: the results, without values
        self.out_arrays = out_arrays
        #: how the operands are spread, once they are as a way wants them
        self.in_specs: list[Any] = []
        #: of operands, None for what is not a tensor
        self.shapes = [
            tuple(each._array.shape) if hasattr(each, "_spec") else None for each in given
        ]

    @property
    def out_shapes(self) -> list[tuple[int, ...]]:
        """The shapes of the whole results."""
        return [tuple(array.shape) for array in self.out_arrays]

    @property
    def mesh(self) -> DeviceMesh:
        """The mesh of the operands."""
        return next(each._spec.mesh for each in self.given if hasattr(each, "_spec"))

    def way(self, *inputs: Placement | None, out: Placement) -> Way:
        """Return a way in which all results have one placement; what is not a tensor has none."""
        placed = tuple(
            None if shape is None else each for each, shape in zip(inputs, self.shapes, strict=True)
        )
        return Way(placed, (out,) * len(self.out_arrays))

    def same(self, placement: Placement, out: Placement | None = None) -> Way:
        """Return a way in which all operands have one placement, and results that or ``out``."""
        given = (placement,) * len(self.given)
        return self.way(*given, out=placement if out is None else out)

    def shape(self, position: int = 0) -> tuple[int, ...]:
        """Return the whole shape of an operand that is a tensor."""
        found = self.shapes[position]
        assert found is not None
        return found

    def reaches_all(self, size: int) -> bool:
        """Return whether every rank has a part of this many elements, if they are cut."""
        return sizes_of_parts(size, self.mesh.size())[-1] > 0

    def dims(self, name: str = "dim") -> list[int]:
        """Return the dims that a parameter names, all if it is None, counted from the front."""
        ndim = len(self.shape())
        given = self.params.get(name)
        if given is None or given == ():
            return list(range(ndim))
        listed = [given] if isinstance(given, int) else list(given)
        return [dim_from_end(dim, ndim) % max(ndim, 1) for dim in listed]


Ways = Callable[[Call], Iterator[Way]]
#: computes the parts of an op's results: ``(call, parts, specs of the results, below)``
Runner = Callable[[Call, list[Any], list[Any], Any], Any]


class Rule(NamedTuple):
    """What is known of an op: the ways in which it can be computed, or a composition of ops."""

    own: Ways
    #: returns the results by other calls of DTensors, or None where the ways do
    composite: Callable[[Call, Any], Any] | None = None

    def ways(self, call: Call) -> Iterator[Way]:
        """Return the rule's own ways, and the one in which everything is whole."""
        yield from self.own(call)
        yield call.same(R)


rules: dict[Op, Rule] = {}
_kinds: dict[Batch, Ways] = {}
runner_of: dict[Op, Runner] = {}
_localized: dict[Op, Callable[[Call, list[Any]], tuple[Any, ...]]] = {}


def rule(*ops: Any) -> Callable[[Ways], Ways]:
    """Give the ways of ops, by their functions."""

    def keep(ways: Ways) -> Ways:
        for each in ops:
            rules[each.op] = Rule(ways)
        return ways

    return keep


def composed(*ops: Any) -> Callable[[Any], Any]:
    """Give a composition for ops that may be computed by others; their ways stay as they are."""

    def keep(composite: Any) -> Any:
        for each in ops:
            known = rule_of(each.op)
            assert known is not None
            rules[each.op] = known._replace(composite=composite)
        return composite

    return keep


def runs(*ops: Any) -> Callable[[Runner], Runner]:
    """Give what computes the parts of ops, where that is not the op of the operands' parts."""

    def keep(runner: Runner) -> Runner:
        for each in ops:
            runner_of[each.op] = runner
        return runner

    return keep


def localizes(*ops: Any) -> Callable[[Any], Any]:
    """Give the parameters of ops of parts, where those of the whole name sizes."""

    def keep(function: Any) -> Any:
        for each in ops:
            _localized[each.op] = function
        return function

    return keep


def of_kind(kind: Batch) -> Callable[[Ways], Ways]:
    """Give the ways of all ops that batching treats alike."""

    def keep(ways: Ways) -> Ways:
        _kinds[kind] = ways
        return ways

    return keep


def rule_of(op: Op) -> Rule | None:
    """Return what is known of an op, by itself or by its kind."""
    known = rules.get(op)
    if known is not None:
        return known
    ways = None if op.batch is None else _kinds.get(op.batch)
    return None if ways is None else Rule(ways)


def localized(call: Call, results: list[Any]) -> tuple[Any, ...]:
    """Return an op's parameters for the parts."""
    own = _localized.get(call.op)
    return tuple(call.params.values()) if own is None else own(call, results)


# ---- element by element -----------------------------------------------------------------------


@of_kind(Batch.ELEMENTWISE)
def elementwise(call: Call) -> Iterator[Way]:
    yield from aligned_cuts(call)
    op = call.op
    tensors = sum(shape is not None for shape in call.shapes)
    is_linear = op.family.name in ("linear", "multilinear")
    if not is_linear or not is_differentiable(call.out_arrays[0].dtype):
        return
    if (tensors == 1 and (not op.additive or len(call.given) == 1)) or (
        op.additive and tensors == len(call.given)
    ):
        yield call.same(P)
    elif not op.additive:
        for position, shape in enumerate(call.shapes):
            if shape is not None:
                placed = [P if i == position else R for i in range(len(call.given))]
                yield call.way(*placed, out=P)


def aligned_cuts(call: Call) -> Iterator[Way]:
    """Return the ways in which a dim of the result is cut, and of all that is not broadcast."""
    out = call.out_shapes[0]
    for dim, size in enumerate(out):
        placed: list[Placement | None] = []
        for shape in call.shapes:
            own = -1 if shape is None else dim - len(out) + len(shape)
            cut = own >= 0 and shape is not None and shape[own] == size
            placed.append(Shard(own) if cut else R)
        yield call.way(*placed, out=Shard(dim))


# ---- along some dims --------------------------------------------------------------------------


@of_kind(Batch.LAST_DIMS)
def last_dims(call: Call) -> Iterator[Way]:
    count = max(2, len(call.params.get("pad", ())) // 2)
    shapes = [shape for shape in call.shapes if shape is not None]
    ndim = len(shapes[0])
    if any(len(shape) != ndim for shape in shapes):
        return
    for dim in range(ndim - count):
        if all(shape[dim] == shapes[0][dim] for shape in shapes):
            yield call.same(Shard(dim))


def without(call: Call, dims: list[int]) -> Iterator[Way]:
    """Return the ways in which a dim is cut that is none of these, which may be reduced away."""
    ndim = len(call.shape())
    left = [dim for dim in range(ndim) if dim not in dims]
    for dim in left:
        kept = len(call.out_shapes[0]) == ndim
        yield call.same(Shard(dim), Shard(dim if kept else left.index(dim)))


@of_kind(Batch.ALONG_DIMS)
def along_dims(call: Call) -> Iterator[Way]:
    name = "dims" if "dims" in call.params else "dim"
    yield from without(call, call.dims(name))


@of_kind(Batch.OVER_DIMS)
def over_dims(call: Call) -> Iterator[Way]:
    yield from without(call, call.dims())


_kinds[Batch.OVER_ONE_DIM] = over_dims
