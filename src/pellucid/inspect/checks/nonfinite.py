"""The line where the first NaN or infinity came up."""

from __future__ import annotations

import cmath
import math
import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from pellucid.autograd.explanations.saved_values import op_of, operand_name
from pellucid.autograd.node import AccumulateGrad, Node
from pellucid.autograd.sites import Site
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.finding import Finding, line_of, listed
from pellucid.inspect.checks.run import Step, array_of, is_finite
from pellucid.inspect.derivatives import local_derivatives
from pellucid.inspect.known_values import KnownValues
from pellucid.random import fork_rng

#: losses of more elements are not looked through
_MOST = 100_000

_REMEDIES = {
    "log": "Keep the operand above zero, with clamp(min=...), or use log_softmax, logsigmoid or "
    "a loss that takes logits.",
    "sqrt": "Keep the operand above zero, with clamp(min=...) or a small term added to it.",
    "div": "Keep the divisor away from zero, with clamp(min=...) or a small term added to it.",
    "exp": "Keep the operand small: subtract the maximum first, as softmax and logsumexp do.",
    "softmax": "A row whose elements are all -inf has no softmax: leave one of them finite.",
    "pow": "Keep the base away from zero where the exponent is negative or not whole.",
}
_REMEDIES |= {
    "log2": _REMEDIES["log"], "log10": _REMEDIES["log"], "log1p": _REMEDIES["log"],
    "rsqrt": _REMEDIES["sqrt"], "reciprocal": _REMEDIES["div"],
    "nll_loss_forward": "If all targets of a batch are ignore_index, their mean is 0 / 0: leave "
    "such batches out, or use reduction='sum'.",
    "log_softmax": _REMEDIES["softmax"], "pow_scalar": _REMEDIES["pow"],
}  # fmt: skip
_KEPT_AWAY = "Keep the operand away from that point, with clamp() or a small term added to it."
_WHERE = "where() afterwards does not help: its zero gradient times infinity is nan."
_EMPTY = "The mean of nothing is 0 / 0: leave empty batches out, or use reduction='sum'."
_OTHERWISE = "Look at what the line is given: lower the learning rate if weights have grown."


class Origin(NamedTuple):
    """Where the first values that are not finite came from.

    Attributes:
        node: The node that made them; or that was given them.
        given: The name of the operand they came in by; None if the node made them.
        operands: The operands of the node that are known.
        infinite: The node that made the infinity which became NaN here, if there is one.
        is_sure: Whether all operands are known.
    """

    node: Node
    given: str | None
    operands: list[ndarray]
    infinite: Node | None
    is_sure: bool = True


class Nonfinite(Check):
    """A look at every loss and at the gradients of every step for values that are not finite."""

    kinds = ("a loss that is not finite", "a gradient that is not finite")

    reported = False
    #: a parameter nearest to the data, where what is not finite in later layers mostly gets
    sentinel: weakref.ref[Any] | None = None
    #: the node of the latest pass, nearest to the loss, whose derivative is not finite: op and line
    singular: tuple[str, Site] | None = None
    #: the custom functions of the latest pass: name and line
    custom: Sequence[tuple[str, Site]] = ()

    def prepare(self) -> None:
        #: kinds of nodes, by which no gradient becomes infinite
        self.plain: set[type[Node]] = set()

    def backward_began(self, asked: Any) -> None:
        if self.reported:
            return
        for root in asked.roots:
            array = getattr(root, "_array", None)
            if type(array) is ndarray and array.size == 1 and cmath.isfinite(array.item()):
                continue  # the usual case, in each step
            if not hasattr(root, "numel") or not _is_odd(array_of(root)):
                continue
            if root.element_size() >= 4:  # a half may overflow where a gradient scaler sees to it
                self.reported = True
                if not self._report_weights():
                    self.add(
                        finding_of(root, asked.roots, asked.nodes, asked.run.site, self.run.steps)
                    )
                return
        if asked.run.call == "backward":
            self._look_for_reasons(asked)

    def _look_for_reasons(self, asked: Any) -> None:
        """Note the nodes by which gradients may become infinite, which are gone after the pass."""
        self.singular, self.custom = None, ()
        nodes, plain = asked.nodes, self.plain
        if plain.issuperset(map(type, nodes)):
            return
        plain.update(each for each in set(map(type, nodes)) if not _may_be_singular(each))
        node = next(filter(_is_singular, nodes), None)
        if node is not None and node.site is not None:
            self.singular = op_of(node).name, node.site
        self.custom = _custom_lines(nodes)

    def unsampled_step_began(self, step: Step) -> None:
        sentinel = None if self.sentinel is None else self.sentinel()
        grad = None if sentinel is None else sentinel.grad
        if grad is not None and not math.isfinite(array_of(grad).item(0)):
            self.step_began(step)

    def step_began(self, step: Step) -> None:
        if self.reported:
            return
        given = [entry for entry in step.entries if entry.grad is not None and _is_real(entry.grad)]
        first = next((e for e in given if e.tensor.ndim == 1), given[0] if given else None)
        self.sentinel = None if first is None else weakref.ref(first.tensor)
        bad = [
            entry
            for entry in step.entries
            if entry.grad is not None
            and not math.isfinite(entry.square)
            and not is_finite(entry.grad)
        ]
        if bad:
            self.reported = True
            values = _word([entry.grad for entry in bad])
            names = listed(self.run.names_of(bad))
            self._report_gradient(f"the gradient of {names} has {values}, and the loss has not",
                                  values, step.site, step.number)  # fmt: skip

    def _report_weights(self) -> bool:
        """Report weights that the step before has made so, if it was not looked at in full."""
        if self.singular is None and len(self.custom) != 1:
            return False
        for known in tuple(self.run.optimizers.values()):
            optimizer = known.reference()
            entries = [] if optimizer is None else self.run.entries(optimizer)
            bad = [entry for entry in entries if not is_finite(entry.tensor)]
            if bad and known.stepped is not None:
                values = _word([entry.tensor for entry in bad])
                names = listed(self.run.names_of(bad))
                self._report_gradient(
                    f"the step before has made {names} {values}, by gradients of a finite loss",
                    values, known.stepped, self.run.steps,
                )  # fmt: skip
                return True
        return False

    def _report_gradient(self, what: str, values: str, stepped: Site, number: int) -> None:
        if self.singular is not None:
            name, site = self.singular
            why = f"The derivative of {name} is not finite at some of its operands here."
            remedy = f"{_REMEDIES.get(name, _KEPT_AWAY)} {_WHERE}"
        elif len(self.custom) == 1:
            name, site = self.custom[0]
            why = (
                f"{name} is a custom function, and no other operation was found to have a "
                "derivative that is not finite."
            )
            remedy = "Look at what its backward returns for the operands that it has here."
        else:
            site = self.run.last_pass or stepped
            why = f"The step at {stepped} makes the weights {values} as well."
            remedy = (
                "torch.autograd.set_detect_anomaly(True) names the line whose derivative it is."
            )
        self.report("a gradient that is not finite", what, site, why, remedy, number)


def _is_odd(values: ndarray) -> bool:
    """Return whether what a pass starts from is known not to be finite."""
    if values.size == 1:
        return not cmath.isfinite(values.item())
    return values.size <= _MOST and not bool(np.isfinite(values).all())


def _word(tensors: list[Any]) -> str:
    return "nan" if any(np.isnan(array_of(each)).any() for each in tensors) else "inf"


def _is_real(tensor: Any) -> bool:
    array = array_of(tensor)
    return array.size > 0 and array.dtype.kind == "f" and not tensor.is_sparse


def _custom_lines(nodes: list[Node]) -> list[tuple[str, Site]]:
    """Return name and line of the custom functions in a graph, each once."""
    found = (node for node in nodes if node.is_custom)
    return list(
        dict.fromkeys((node.short_name(), node.site) for node in found if node.site is not None)
    )


def _may_be_singular(kind: type[Node]) -> bool:
    """Return whether nodes of a kind may have infinite derivatives, or such as nobody knows."""
    op = getattr(kind, "op", None)
    return kind.is_custom or (op is not None and op.singular)


def _is_singular(node: Node) -> bool:
    """Return whether an op has an infinite derivative where it was applied."""
    op = op_of(node)
    if op is None or not op.singular or _is_smooth_power(node):
        return False
    grads = local_derivatives(node)
    return any(grad is not None and not np.isfinite(grad).all() for grad in grads or ())


def _is_smooth_power(node: Node) -> bool:
    """Return whether a node is a power by a number from 1 on, as in squares."""
    exponent = getattr(node, "exponent", None)
    return isinstance(exponent, int | float) and exponent >= 1


def finding_of(root: Any, roots: Sequence[Any], nodes: list[Node], site: Any, step: int) -> Finding:
    """Return what is to be said of a loss that is not finite, one of the roots of a graph."""
    values = array_of(root)
    test, word = (np.isnan, "nan") if np.isnan(values).any() else (np.isinf, "inf")
    what = f"the loss is {word}" if values.size == 1 else f"the loss has {word}"
    origin = origin_of(nodes, test)
    custom = _custom_lines(nodes) if origin is None else []
    if len(custom) == 1:
        name, line = custom[0]
        why = (
            f"{name}, a custom function, or what is computed from its result, made the first "
            f"{word}: all values that can be seen before it are finite."
        )
        return Finding("a loss that is not finite", what, *line_of(line), why, _OTHERWISE, step)
    if origin is None and len(roots) == 1:
        origin = _last_of(nodes)
    if origin is None:
        line, remedy = site, _OTHERWISE
        why = "It was made of finite values somewhere on the way from the parameters."
    else:
        line = origin.node.site
        why, remedy = _reason(origin, word)
    return Finding("a loss that is not finite", what, *line_of(line), why, remedy, step)


def _reason(origin: Origin, word: str) -> tuple[str, str]:
    """Return how the first values came up that are not finite, and what to do."""
    node = origin.node
    name = getattr(op_of(node), "name", node.short_name())
    if origin.given is not None:
        why = f"{origin.given}, which {name} is given here, already has {word}."
        return why, "Look at the data, or at the step before: the learning rate may be too high."
    made = (
        name if origin.is_sure else f"{name}, or an operation before it whose result is not known,"
    )
    is_empty = word == "nan" and any(each.size == 0 for each in origin.operands)
    given = ", of no elements" if is_empty else _ranges(origin.operands)
    why = f"{made} made the first {word}{given}."
    if origin.infinite is not None:
        line = origin.infinite.site
        why += f" The infinity came up at {line}: {'' if line is None else line.text}."
    return why, _EMPTY if is_empty else _REMEDIES.get(name, _OTHERWISE)


def _ranges(operands: list[ndarray]) -> str:
    """Return the ranges of the operands, as text."""
    ranges = [
        f"from {each.min():.4g} to {each.max():.4g}"
        for each in operands
        if each.size and each.dtype.kind in "fiu"
    ]
    return f" of values {' and '.join(ranges)}" if ranges else ""


def origin_of(nodes: list[Node], test: Any) -> Origin | None:
    """Return where the first values came up that the test finds, in a graph that is not freed.

    Args:
        nodes: All nodes of the graph, the youngest first.
        test: Applied to arrays: `numpy.isnan` or `numpy.isinf`.
    """
    values = KnownValues(nodes)
    with fork_rng():
        for node in reversed(nodes):
            operands = values.operands(node, again=False)
            for position, operand in enumerate(operands):
                edge = node.edges[position]
                outside = edge is None or isinstance(edge[0], AccumulateGrad)
                if outside and operand is not None and _any(test, operand):
                    op = op_of(node)
                    name = operand_name(node, position) or f"{op.operands[position].name}"
                    return Origin(node, f"{name}{_places(test, operand)}", [], None)
            if any(_any(test, value) for value in _results(values, node)):
                known = [each for each in operands if each is not None]
                infinite = _infinite(nodes, node, values, test)
                return Origin(node, None, known, infinite, len(known) == len(operands))
    return None


def _last_of(nodes: list[Node]) -> Origin | None:
    """Return the node that gave the loss, where no values of nodes are known to be odd."""
    if not nodes or nodes[0].site is None:
        return None
    with fork_rng():
        operands = KnownValues(nodes).operands(nodes[0])
    known = [each for each in operands if each is not None]
    return Origin(nodes[0], None, known, None, len(known) == len(operands))


def _results(values: KnownValues, node: Node) -> list[ndarray]:
    """Return what is known of what a node gave."""
    found = [values.of((node, slot)) for slot in range(node.output_count)]
    return [each for each in found if isinstance(each, ndarray)]


def _infinite(nodes: list[Node], node: Node, values: KnownValues, test: Any) -> Node | None:
    """Return the node that made the infinity of which this one has made NaN."""
    operands = [each for each in values.operands(node, again=False) if each is not None]
    if test is np.isinf or not any(_any(np.isinf, each) for each in operands):
        return None
    for older in reversed(nodes):
        if older is node:
            return None
        if any(_any(np.isinf, value) for value in _results(values, older)):
            return older
    return None


def _places(test: Any, value: ndarray) -> str:
    """Return where the first of the values is that a test finds: ``[17, 2]``, and how many more."""
    places = np.argwhere(test(value))
    if not value.ndim:
        return ""
    first = f"[{', '.join(map(str, places[0]))}]"
    return first if len(places) == 1 else f" (in {len(places):,} places, first at {first})"


def _any(test: Any, value: ndarray) -> bool:
    return value.dtype.kind not in "biuOSU" and bool(test(value).any())
