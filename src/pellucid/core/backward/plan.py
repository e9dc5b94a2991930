"""What a node saves, and the function that runs it backward: planned once for each op and each
set of operands that need a gradient, then generated as plain code.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.autograd import explanations
from pellucid.autograd.node import BackwardRun, Node
from pellucid.autograd.saved import PackedValue
from pellucid.core.call.generated import compiled, file_name
from pellucid.core.call.opmath import wide
from pellucid.core.call.template import Template
from pellucid.core.definition.op import Formula, FormulaInput, Op, OpNode
from pellucid.core.memory.writing import by_element
from pellucid.dtypes import is_complex_dtype, is_half


class SavePlan:
    """What a node of an op saves where these operands need a gradient, and how it runs backward.

    ``needed`` has one flag per operand (for a sequence of tensors: whether any of them does).
    """

    def __init__(self, op: Op, needed: tuple[bool, ...]) -> None:
        self.op = op
        self.needed = needed
        self.formulas: list[Formula | None] = [
            op.formulas.get(operand.name) if need else None
            for operand, need in zip(op.operands, needed, strict=True)
        ]
        inputs = [each for formula in self.formulas if formula for each in formula.inputs]
        #: in the order in which ``node.saved`` holds them
        asked = [each for each in inputs if self._must_save(each)]
        asked += _kept_without(op, needed)
        self.saves: list[FormulaInput] = list({each.name: each for each in asked}.values())
        self.saved_names = [each.name for each in self.saves]
        self.nothing_saved = () if op.is_freed else None  # which there is nothing to free of
        self.backward = self._generate("backward")
        self.backward.plan = self

    def _must_save(self, asked: FormulaInput) -> bool:
        # the likeness of an operand that has an edge is read off the node at its other end
        return asked.saved or (asked.kind == "like" and not self.needed[asked.index])

    @functools.cached_property
    def backward_of_half(self) -> Any:
        """``backward`` with the formulas given float32 for half precision."""
        return self._generate("backward", widens=True)

    @functools.cached_property
    def gradients(self) -> Any:
        """The formulas alone: ``gradients(g, saved, params, likes, needed)`` of arrays or tensors.

        ``saved`` are the values named in ``saves``, ``likes`` has for each operand what has its
        shape and dtype, and ``needed`` a flag; the gradient of an operand without it is ``None``.
        """
        return self._generate("gradients")

    def _generate(self, name: str, widens: bool = False) -> Any:
        """Compile one of the two functions; see the templates below."""
        op, numbers = self.op, range(len(self.saves))
        called = [i for i, formula in enumerate(self.formulas) if formula is not None]
        inputs = [each for _, formula in self._present() for each in formula.inputs]
        likes = {each.index for each in inputs if self._reads_like(each)}
        values = [f"v{i}" for i in numbers]
        params = [f"p{i}" for i in range(len(op.params) + (op.noted is not None))]
        one_comma = "," * (len(values) == 1)
        calls = [self._call(i) if i in called else "None" for i in range(len(self.formulas))]
        partly = [f"{call} if needed[{i}] else None" for i, call in enumerate(calls)]
        listed = f"tuple({', '.join(calls)})" if op.variadic else f"({', '.join(calls)},)"
        widening = ["given, g = g, wide(g)", *(f"{value} = wide({value})" for value in values)]
        if widens:
            listed = f"tuple([handed_on(each, g, given) for each in {listed}])"
        template = _BACKWARD if name == "backward" else _GRADIENTS
        source = template.fill({
            "saves": values,
            "entries": ", ".join(f"(v{i}, k{i}, n{i})" for i in numbers) + one_comma,
            "stale": " or ".join(f"k{i}.version != n{i}" for i in numbers),
            "values": ", ".join(values) + one_comma,
            "widening": widening if widens else [],
            "params": ", ".join(params) + "," * (len(params) == 1),
            "likes": sorted(likes),
            "variadic": op.variadic,
            "shared": self._shared_calls(),
            "calls": ", ".join(calls), "returned": listed,
            "partly": ", ".join(partly),
        })  # fmt: skip
        names = ", ".join(op.operands[i].name for i in called)
        described = f"{name} of {op.name} by {names}{' in float32' if widens else ''}"
        namespace: dict[str, Any] = {
            "modified": modified, "unpacked": unpacked, "wide": wide, "handed_on": handed_on,
        }  # fmt: skip
        namespace |= {f"formula{i}": formula.function for i, formula in self._present()}
        return compiled(source, file_name(described), name, namespace)

    def _present(self) -> list[tuple[int, Formula]]:
        return [(i, formula) for i, formula in enumerate(self.formulas) if formula is not None]

    def _reads_like(self, asked: FormulaInput) -> bool:
        return asked.kind == "like" and asked.name not in self.saved_names

    def _shared_by(self, formula: Formula) -> int:
        """Return the first operand whose gradient the formula's function returns."""
        return next(i for i, each in self._present() if each.function is formula.function)

    def _shared_calls(self) -> list[str]:
        """Return assignments of what functions of several gradients return, each called once."""
        joint = {
            self._shared_by(each): each for _, each in self._present() if each.position is not None
        }
        return [f"several{i} = {self._plain_call(i, each)}" for i, each in joint.items()]

    def _plain_call(self, position: int, formula: Formula) -> str:
        return f"formula{position}({', '.join(map(self._argument, formula.inputs))})"

    def _call(self, position: int) -> str:
        """Return the call of one operand's formula."""
        formula = self.formulas[position]
        assert formula is not None
        if formula.position is not None:
            return f"several{self._shared_by(formula)}[{formula.position}]"
        call = self._plain_call(position, formula)
        return f"g * {call}" if formula.is_partial else call

    def _argument(self, asked: FormulaInput) -> str:
        """Return what a formula is given for one of its parameters."""
        if asked.kind == "g":
            return f"g[{asked.index}]" if len(self.op.outputs) > 1 and asked.index >= 0 else "g"
        if asked.kind == "param":
            return f"p{asked.index}"
        if asked.name in self.saved_names:
            return f"v{self.saved_names.index(asked.name)}"
        return "likes" if self.op.variadic else f"like{asked.index}"


def handed_on(grad: Any, g: Any, given: Any) -> Any:
    """Return a gradient of a formula that was given ``given`` as ``g``, in single precision.

    What it has handed on as it was needs no rounding, and one number that stands for many is
    rounded as one; all else is rounded where it arrives.
    """
    if grad is g:
        return given
    if grad.__class__ is np.ndarray and given.__class__ is np.ndarray and 0 in grad.strides:
        return by_element(lambda each: each.astype(given.dtype), grad)
    return grad


#: what a node runs: check the versions of what was saved, then call each formula that is needed
_BACKWARD = Template("""
def backward(node, g):
% if saves
    try:
        {entries} = node.saved
    except TypeError:
        {values} = unpacked(node)
    else:
        if {stale}:
            raise modified(node)
% end
% for line in widening
    {line}
% end
% if params
    {params} = node.params
% end
% if variadic
    likes = [None if edge is None else edge[0].output_meta(edge[1]) for edge in node.edges]
    return {returned}
% else
% for i in likes
    target, slot = node.edges[{i}]
    like{i} = target.output_meta(slot)
% end
% for call in shared
    {call}
% end
    return {returned}
% end
""")

#: the same of values that are given, for some of the operands
_GRADIENTS = Template("""
def gradients(g, saved, params, likes, needed):
% if saves
    {values} = saved
% end
% if params
    {params} = params
% end
% if variadic
    return tuple({calls})
% else
% for i in likes
    like{i} = likes[{i}]
% end
% for call in shared
    {call}
% end
    return ({partly},)
% end
""")


def _kept_without(op: Op, needed: tuple[bool, ...]) -> list[FormulaInput]:
    """Return what is saved though no formula reads it: an operand for its own gradient."""
    return [each for each in op.kept if each.name not in op.formulas or needed[each.index]]


def plan_for(op: Op, needed: tuple[bool, ...]) -> SavePlan:
    """Return the plan for these operands, making it at first use."""
    plan = op.plans.get(needed)
    if plan is None:
        plan = op.plans[needed] = SavePlan(op, needed)
    return plan


def plan_of(node: OpNode) -> SavePlan:
    """Return the plan that a node was made by, found from which of its edges lead anywhere."""
    if node.op.variadic:
        return plan_for(node.op, (any(edge is not None for edge in node.edges),))
    return plan_for(node.op, tuple(edge is not None for edge in node.edges))


def choose_backward(op: Op, dtype: np.dtype[Any], backward: Callable[..., Any]) -> Any:
    """Return the backward for a result of this dtype.

    It conjugates around the formulas for complex numbers, and widens for half precision.
    """
    if is_half(dtype):
        backward = backward.plan.backward_of_half
    if is_complex_dtype(dtype) and op.holomorphic:
        return conjugating(backward)
    return backward


# Note [Conjugation]  # noqa: ERA001
# The gradient of a real loss by a complex z is dL/dx + i dL/dy, the conjugate of what a formula
# written for real numbers gives: for a holomorphic op, grad_in = conj(f') * grad_out, which is
# conj(f' * conj(grad_out)). So a formula is the plain transpose, and here both conjugations are
# applied around it, for every op at once; a formula that is not a plain transpose says
# `holomorphic=False` and conjugates itself.


@functools.cache
def conjugating(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a backward so that its formulas see and return conjugates."""

    def conjugated(node: Any, g: Any) -> tuple[Any, ...]:
        turned = [*map(_conjugate, g)] if node.metas else _conjugate(g)
        return tuple([g if each is turned else _conjugate(each) for each in backward(node, turned)])

    return conjugated


def _conjugate(g: Any) -> Any:
    """Return the conjugate; of an array without dimensions NumPy gives a number, not an array."""
    found = None if g is None else by_element(lambda each: each.conj(), g)
    return np.asarray(found) if isinstance(found, np.generic) else found


def modified(node: Node) -> Exception:
    """Return the error for the first saved value that has been changed in place."""
    assert isinstance(node.saved, tuple)
    for position, entry in enumerate(node.saved):
        value, storage, version = entry.watched if isinstance(entry, PackedValue) else entry
        if storage.version != version:
            return explanations.changed_value.modified(node, position, value, storage, version)
    return explanations.freed_graph.freed_meanwhile(node)


def unpacked(node: Node) -> list[Any]:
    """Return the saved values as arrays, running unpack hooks where a value was packed."""
    saved = node.saved
    if saved is None or isinstance(saved, BackwardRun):
        raise explanations.freed_graph.freed_meanwhile(node)
    values: list[Any] = []
    for entry in saved:
        packed = isinstance(entry, PackedValue)
        value, storage, version = entry.watched if packed else entry
        if storage.version != version:
            raise modified(node)
        values.append(entry.unpack()._array if packed else value)
    return values
