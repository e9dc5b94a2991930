"""What a node saves, and the function that runs it backward: planned once for each op and each
set of operands that need a gradient, then generated as plain code.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.autograd import explain
from pellucid.autograd.node import BackwardRun, Node
from pellucid.autograd.saved import PackedValue
from pellucid.core.generated import compiled, file_name
from pellucid.core.op import Formula, Op, OpNode, Want
from pellucid.core.opmath import wide
from pellucid.dtypes import is_half


class SavePlan:
    """What a node of an op saves when these operands need a gradient.

    ``needed`` has one flag per operand (for a sequence of tensors: whether any of them does).
    """

    def __init__(self, op: Op, needed: tuple[bool, ...]) -> None:
        self.op = op
        self.needed = needed
        self.formulas: list[Formula | None] = [
            op.formulas.get(operand.name) if need else None
            for operand, need in zip(op.operands, needed, strict=True)
        ]
        #: in the order in which ``node.saved`` holds them
        self.saves: list[Want] = []
        for formula in self.formulas:
            for want in formula.wants if formula else ():
                if self._must_save(want) and want.name not in self.saved_names:
                    self.saves.append(want)
        self.backward = _generate_backward(self)
        self.backward.plan = self

    @functools.cached_property
    def backward_of_half(self) -> Any:
        """Run backward with the formulas given float32 for half precision."""
        return _generate_backward(self, widens=True)

    def _must_save(self, want: Want) -> bool:
        # the likeness of an operand that has an edge is read off the node at its other end
        return want.saved or (want.kind == "like" and not self.needed[want.index])

    @property
    def saved_names(self) -> list[str]:
        return [want.name for want in self.saves]


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


def _generate_backward(plan: SavePlan, widens: bool = False) -> Any:
    """Write ``backward(node, g)``: check the versions, then call each formula that is needed.

    For ``mul`` with both operands needed it reads::

        def backward(node, g):
            try:
                (
                    (v0, k0, n0),
                    (v1, k1, n1),
                ) = node.saved
                if k0.version != n0 or k1.version != n1:
                    raise modified(node)
            except (TypeError, ValueError):
                (v0, v1) = unpacked(node)
            return (formula0(g, v0), formula1(g, v1))
    """
    namespace: dict[str, Any] = {"modified": modified, "unpacked": unpacked, "wide": wide}
    lines = ["def backward(node, g):"]
    if plan.saves:
        numbers = range(len(plan.saves))
        entries = "".join(f"(v{i}, k{i}, n{i}), " for i in numbers)
        stale = " or ".join(f"k{i}.version != n{i}" for i in numbers)
        values = "".join(f"v{i}, " for i in numbers)
        lines += [
            "    try:",
            f"        {entries}= node.saved",
            "    except TypeError:",
            f"        {values}= unpacked(node)",
            "    else:",
            f"        if {stale}:",
            "            raise modified(node)",
        ]
    if widens:
        values = ["g", *(f"v{i}" for i in range(len(plan.saves)))]
        lines += [f"    {value} = wide({value})" for value in values]
    if plan.op.params:
        names = "".join(f"p{i}, " for i in range(len(plan.op.params)))
        lines.append(f"    {names}= node.params")
    results: list[str] = []
    for position, formula in enumerate(plan.formulas):
        if formula is None:
            results.append("None")
            continue
        namespace[f"formula{position}"] = formula.function
        arguments = ", ".join(_argument_text(plan, want) for want in formula.wants)
        call = f"formula{position}({arguments})"
        results.append(f"g * {call}" if formula.is_partial else call)
    if plan.op.variadic:
        lines.append(f"    return tuple({results[0]})")
    else:
        lines.append(f"    return ({', '.join(results)},)")
    names = ", ".join(o.name for o, need in zip(plan.op.operands, plan.needed, strict=True) if need)
    described = f"backward of {plan.op.name} by {names}{' in float32' if widens else ''}"
    return compiled("\n".join(lines) + "\n", file_name(described), "backward", namespace)


def _argument_text(plan: SavePlan, want: Want) -> str:
    if want.kind == "g":
        multiple = len(plan.op.outputs) > 1
        return f"g[{want.index}]" if multiple and want.index >= 0 else "g"
    if want.kind == "param":
        return f"p{want.index}"
    if want.name in plan.saved_names:
        return f"v{plan.saved_names.index(want.name)}"
    if plan.op.variadic:
        return "[None if e is None else e[0].output_meta(e[1]) for e in node.edges]"
    return f"node.edges[{want.index}][0].output_meta(node.edges[{want.index}][1])"


def choose_backward(op: Op, dtype: np.dtype[Any], backward: Callable[..., Any]) -> Any:
    """Return the backward for a result of this dtype.

    It conjugates around the formulas for complex numbers, and widens for half precision.
    """
    if is_half(dtype):
        return backward.plan.backward_of_half
    if dtype.kind == "c" and op.holomorphic:
        return conjugating(backward)
    return backward


# Note [Conjugation]  # noqa: ERA001
# The gradient of a real loss by a complex z is dL/dx + i dL/dy, the conjugate of what a formula
# written for real numbers gives: for a holomorphic op, grad_in = conj(f') * grad_out, which is
# conj(f' * conj(grad_out)). So a formula is the plain transpose, and here both conjugations are
# applied around it, for every op at once; a formula that is no plain transpose says
# `holomorphic=False` and conjugates itself.


@functools.cache
def conjugating(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a backward so that its formulas see and return conjugates."""

    def conjugated(node: Any, g: Any) -> tuple[Any, ...]:
        turned = [None if each is None else each.conj() for each in g] if node.metas else g.conj()
        return tuple(None if grad is None else grad.conj() for grad in backward(node, turned))

    return conjugated


def modified(node: Node) -> Exception:
    """Return the error for the first saved value that has been changed in place."""
    assert isinstance(node.saved, tuple)
    for position, (value, storage, version) in enumerate(node.saved):
        if storage.version != version:
            return explain.modified(node, position, value, storage, version)
    return explain.freed_meanwhile(node)


def unpacked(node: Node) -> list[Any]:
    """Return the saved values as arrays, running unpack hooks where a value was packed."""
    saved = node.saved
    if saved is None or isinstance(saved, BackwardRun):
        raise explain.freed_meanwhile(node)
    values: list[Any] = []
    for entry in saved:
        if isinstance(entry, PackedValue):
            values.append(entry.unpack()._array)
            continue
        value, storage, version = entry
        if storage.version != version:
            raise modified(node)
        values.append(value)
    return values
