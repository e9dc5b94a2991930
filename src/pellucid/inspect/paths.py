"""Why a tensor gets no gradient from a loss, and where the path between them was cut."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pellucid.autograd import reading
from pellucid.autograd.cuts import Cut, gave_none
from pellucid.autograd.explanations import source
from pellucid.autograd.explanations.saved_values import op_of
from pellucid.autograd.explanations.text import describe
from pellucid.autograd.explanations.trail import CutLine, Trail, asking_scopes
from pellucid.autograd.lost_paths import (
    NOTHING_REQUIRES,
    LostHistory,
    assignment,
    cuts_behind,
    integer_reason,
    lost_history,
)
from pellucid.autograd.node import AccumulateGrad, BackwardRun, Node, reachable
from pellucid.autograd.sites import Site, user_site
from pellucid.autograd.variable import Edge
from pellucid.inspect.derivatives import lets_nothing_through
from pellucid.inspect.leaf_names import names_along
from pellucid.inspect.tables import columns
from pellucid.inspect.zero_words import remedies_of
from pellucid.inspect.zeros import name_of, zeros_of
from pellucid.parsing import parse

_MOST_ROWS = 6
#: lines that made a part of the loss from which the way back is looked for
_MOST_LINES = 100
_NOT_NOTED = (
    " Calls that cut it off, as detach() and item(), are noted in PyTorch's graphs only inside "
    "pytorch.lines(), checking() and watch; none was found in the source."
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the program that has a part in it.

    Attributes:
        label: What happens there.
        where: ``file.py:LINE``.
        text: The statement.
        remark: What else is known of it.

    >>> x = torch.ones(2, requires_grad=True)
    >>> y = x.detach()
    >>> torch.inspect.why_no_grad(x, (x * y).sum()).lines
    ()
    """

    label: str
    where: str
    text: str
    remark: str = ""


@dataclass(frozen=True, slots=True)
class NoGradReason:
    """Why a tensor has no gradient, to print or to read.

    Attributes:
        kind: ``"cut"``, ``"perhaps cut"``, ``"rebound"``, ``"not used"``,
            ``"not required"``, ``"no history"``, ``"not run"``, ``"left out"``,
            ``"not retained"``, ``"stopped"``, ``"zero"``, or ``"has gradient"``.
        sentence: The reason in a sentence.
        lines: The lines of the program that have a part in it.
        remedy: What to do; empty if there is nothing to be done.

    >>> x = torch.ones(2, requires_grad=True)
    >>> torch.inspect.why_no_grad(x, (x * x).sum()).kind
    'not run'
    """

    kind: str
    sentence: str
    lines: tuple[Line, ...] = ()
    remedy: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dictionaries, lists and text."""
        return asdict(self)

    def __str__(self) -> str:
        rows = [[line.label, line.where, line.text, line.remark] for line in self.lines]
        table = columns(rows[0], rows[1:]) if rows else []
        remedy = [f"  {self.remedy}"] if self.remedy else []
        return "\n".join([self.sentence, *(f"    {line}" for line in table), *remedy])


def why_no_grad(x: Any, loss: Any) -> NoGradReason:
    """Return why a tensor gets no gradient, or only zeros, from a loss; nothing is run or changed.

    Before a backward pass and after it. Zeros are explained where the graph has kept its values.
    Of PyTorch's tensors the graph and the source are read: calls that cut a history off are not
    noted there.

    Args:
        x: The tensor without gradient, of any shape.
        loss: The tensor that backward starts from, of any shape.

    Returns:
        The reason, with the lines at which the path from ``x`` to ``loss`` was cut.

    Raises:
        TypeError: For anything else than tensors.

    >>> x = torch.ones(2, requires_grad=True)
    >>> w = torch.ones(2, requires_grad=True)
    >>> y = x * 2
    >>> h = y.detach()
    >>> print(torch.inspect.why_no_grad(x, (h * w).sum()).kind)
    cut
    """
    reading.of_tensors((x, loss), "why_no_grad")
    return _Question(x, loss, user_site()).answer()


def why_no_grad_of(x: Any, loss: Any, loss_name: str | None, name: str, site: Site) -> NoGradReason:
    """Return the answer of `why_no_grad` where another function was called by these names."""
    question = _Question(x, loss, site)
    question.name = name
    if loss_name is not None:
        question.loss_name = loss_name
        question.written_loss = parse(loss_name, mode="eval").body
    return question.answer()


class _Question:
    """One tensor and one loss, with the line that asks about them."""

    def __init__(self, x: Any, loss: Any, site: Site) -> None:
        self.x, self.loss, self.site = x, loss, site
        self.reader = reading.common_reader([x, loss])
        #: both at once: nodes of one graph
        self.edge, self.loss_edge = self.reader.edges_of([x, loss])
        self.trail = Trail(x)
        call = source.called_on(site.statement, "why_no_grad")
        self.written_x, self.written_loss = (
            None if call is None else source.argument(call, place, keyword)
            for place, keyword in ((0, "x"), (1, "loss"))
        )
        self.name = source.written(self.written_x) or "the tensor"
        self.loss_name = source.written(self.written_loss) or "the loss"

    def answer(self) -> NoGradReason:
        edge, loss_edge = self.edge, self.loss_edge
        if edge is None:
            return self._not_required()
        if loss_edge is None:
            return self._without_history(edge)
        below = reachable([loss_edge[0]])
        if edge[0] in below:
            return self._connected(edge, loss_edge[0])
        return self._not_connected(edge, loss_edge[0], below)

    # ---- one of them has no history ------------------------------------------------------------

    def _not_required(self) -> NoGradReason:
        found = lost_history(self.site, self.written_x)
        kind = integer_reason(self.x)
        lines = self._lines("cut" if found else "made", found) or self._made(self.name)
        if found:
            return NoGradReason(
                "not required", f"{self.name} does not require grad: its history was cut off.",
                lines, found[0].reason,
            )  # fmt: skip
        remedy = kind or f"Call {self.name}.requires_grad_() before computing with it."
        return NoGradReason("not required", f"{self.name} does not require grad.", lines, remedy)

    def _without_history(self, edge: Edge) -> NoGradReason:
        cuts = self._cuts_between(set())
        lines, reason = _told(cuts), cuts[0].reason if cuts else None
        if not lines:
            found = lost_history(self.site, self.written_loss)
            lines = self._lines("cut", found) or self._made(self.loss_name)
            reason = found[0].reason if found else None
        sentence = f"{self.loss_name} has no history, so nothing gets a gradient from it."
        remedy = reason or integer_reason(self.loss) or NOTHING_REQUIRES
        return NoGradReason("no history", sentence, lines, remedy)

    # ---- no path -------------------------------------------------------------------------------

    def _not_connected(self, edge: Edge, root: Node, below: set[Node]) -> NoGradReason:
        apart = f"{self.name} has no path to {self.loss_name}"
        cuts = self._cuts_between(below)
        if cuts:
            sentence = f"{apart}: it was cut off."
            return NoGradReason("cut", sentence, _told(cuts), cuts[0].reason)
        rebound = self._rebound(below)
        if rebound is not None:
            return rebound
        noted = cuts_behind(edge[0])
        followed = [each for each in noted if str(each.site) in self.trail.lines]
        if followed or (noted and self.trail.incomplete):
            return self._perhaps_cut(apart, followed or noted, bool(followed))
        made = self._line_of("made", edge[0], f"{self.name}, {describe(self.x)}")
        made = (*made, *self._line_of("loss", root, self.loss_name)) or self._made(self.name)
        noted = "" if self.reader.notes_cuts else _NOT_NOTED
        return NoGradReason(
            "not used", f"{apart}: no recorded operation between them uses it.{noted}", made,
            f"Compute {self.loss_name} from {self.name}; a layer in a plain list, or one that "
            "forward does not call, is never used.",
        )  # fmt: skip

    def _cuts_between(self, below: set[Node]) -> list[CutLine]:
        """Return the lines at which the ways from the loss back to the tensor leave the graph."""
        scopes = asking_scopes()
        found: dict[Any, CutLine] | None = None
        if scopes and self.written_loss is not None:
            # statements on the line that asks are looked at, too, where several stand there
            found = self.trail.follow(self.written_loss, scopes[0], self.site.line + 1)
        else:
            self.trail.incomplete = True
        if found or not self.trail.incomplete:
            return list((found or {}).values())
        lines: dict[Any, Node] = {node.site: node for node in below if node.site is not None}
        found = {}
        for node in sorted(lines.values(), key=lambda node: -node.seq)[:_MOST_LINES]:
            found |= self.trail.follow_node(node, scopes) or {}
        return list(found.values())

    def _perhaps_cut(self, apart: str, cuts: list[Cut], certain: bool) -> NoGradReason:
        lines = [Line("cut", str(cut.site), cut.site.text, f"by {cut.how}") for cut in cuts]
        how = cuts[0].how
        if certain:
            remedy = f"Leave {how} out on that line if {self.name} is to get a gradient through it."
            return NoGradReason("cut", f"{apart}: it was cut off.", tuple(lines), remedy)
        return NoGradReason(
            "perhaps cut",
            f"{apart}. These lines left its history behind; one of them may be the reason, if "
            f"{self.loss_name} was computed from what it gave.",
            tuple(lines[:_MOST_ROWS]),
        )  # fmt: skip

    def _rebound(self, below: set[Node]) -> NoGradReason | None:
        """Return the answer if the loss was computed with another tensor of the same name."""
        nodes = [node for node in below if not isinstance(node, AccumulateGrad)]
        leaves = [node for node in below if isinstance(node, AccumulateGrad)]
        names = names_along(nodes, {leaf: number for number, leaf in enumerate(leaves, 1)})
        named = any(names[number] == self.name for number in range(1, len(leaves) + 1))
        made_by = [node for node in nodes if node.site and node.site.target == self.name]
        if not named and not made_by:
            return None
        lines = self._made(self.name)
        for node in made_by[:1]:
            lines = (*self._line_of("used", node, f"another {self.name}"), *lines)
        return NoGradReason(
            "rebound",
            f"{self.loss_name} was computed with another tensor that was called {self.name}: the "
            "name has been given to a new one since.",
            lines,
            f"Keep the tensor that {self.loss_name} was computed with under a name of its own, or "
            f"change it in place inside `with torch.no_grad():` in place of making a new one.",
        )

    # ---- a path --------------------------------------------------------------------------------

    def _connected(self, edge: Edge, root: Node) -> NoGradReason:
        between = _between(root, edge[0])
        gradient = self.reader.gradient_of(self.x)
        if gradient is None:
            return self._no_gradient_yet(edge, between)
        if np.any(self.reader.values_of(gradient)):
            sentence = f"{self.name} has a gradient, and not all of it is zero."
            return NoGradReason("has gradient", sentence)
        return (
            self._dead(edge, root, between)
            or self._kept_zero(edge)
            or NoGradReason(
                "zero",
                f"The gradient of {self.name} is zero, and the graph has not kept the values that "
                "would show where it becomes so.",
                (),
                "Ask before the backward pass, after one with retain_graph=True, or inside "
                "inspect.checking(), which keeps the reason.",
            )
        )

    def _no_gradient_yet(self, edge: Edge, between: list[Node]) -> NoGradReason:
        silent = gave_none()
        stopped = [
            Line("stopped", str(node.site), node.site.text, f"{node.short_name()} gave None")
            for node in between
            if node in silent and node.site is not None
        ]
        if stopped:
            return NoGradReason(
                "stopped", f"A custom function on the way to {self.name} returned None for it.",
                tuple(stopped), "Return a gradient for that argument from its backward.",
            )  # fmt: skip
        passed = [node.saved for node in between if isinstance(node.saved, BackwardRun)]
        if not passed:
            return self._dead(edge, None, between) or NoGradReason(
                "not run", f"There is a path from {self.loss_name} to {self.name}, but no backward "
                "pass has freed anything on it.", (), f"Call {self.loss_name}.backward().",
            )  # fmt: skip
        run = passed[0]
        noted = (Line(run.call, str(run.site), run.site.text, f"backward pass #{run.number}"),)
        lines = noted if run.is_noted else ()
        if not self.x.is_leaf:
            return NoGradReason(
                "not retained", f"{self.name} is not a leaf, so its gradient is not kept.", lines,
                f"Call {self.name}.retain_grad() before the backward pass.",
            )  # fmt: skip
        remedy = (
            f"grad returns gradients and writes none: use what it returns, or call "
            f"{self.loss_name}.backward()."
            if run.call == "grad"
            else f"If inputs= was given there, name {self.name} in it; if .grad was set to None "
            "since, by zero_grad() for instance, read it before."
        )
        return NoGradReason(
            "left out", f"A pass has gone through the graph, but {self.name}.grad is None.",
            lines, remedy,
        )  # fmt: skip

    def _dead(self, edge: Edge, root: Node | None, between: list[Node]) -> NoGradReason | None:
        """Return the answer if nodes that let nothing through lie on every path."""
        dead = [node for node in between if lets_nothing_through(node)]
        assert self.loss_edge is not None
        start = self.loss_edge[0] if root is None else root
        if not dead or (start not in dead and edge[0] in reachable([start], set(dead))):
            return None
        lines = tuple(
            each
            for node in dead[:_MOST_ROWS]
            for each in self._line_of("zero", node, f"the derivative of {_op_name(node)} is zero")
        )
        return NoGradReason(
            "zero",
            f"The gradient of {self.name} is zero: on every path to it lies an operation whose "
            "derivative is zero for all elements.",
            lines, remedies_of(map(name_of, dead)),
        )  # fmt: skip

    def _kept_zero(self, edge: Edge) -> NoGradReason | None:
        """Return the answer by what `watch` or `checking` have seen of a pass that is over."""
        zeros = [zero for zero in zeros_of(edge[0])[:_MOST_ROWS] if zero.site is not None]
        lines = tuple(
            Line("zero", str(zero.site), zero.site.text if zero.site else "",
                 f"{zero.op} made it zero{', ' if zero.operand else ''}{zero.operand}")
            for zero in zeros
        )  # fmt: skip
        if not lines:
            return None
        return NoGradReason(
            "zero",
            f"The gradient of {self.name} is zero. In the latest pass that was watched, these "
            "operations got a gradient, and made zeros of it:",
            lines, remedies_of(zero.op for zero in zeros),
        )  # fmt: skip

    # ---- lines ---------------------------------------------------------------------------------

    def _lines(self, label: str, found: Iterable[LostHistory]) -> tuple[Line, ...]:
        return tuple(Line(label, *each.at) for each in list(found)[:_MOST_ROWS])

    def _made(self, name: str) -> tuple[Line, ...]:
        """Return the line that assigned to a name last, if it can be read."""
        made = assignment(self.site, name)
        return () if made is None else (Line("made", *made),)

    def _line_of(self, label: str, node: Node, remark: str) -> tuple[Line, ...]:
        site = node.site
        return () if site is None else (Line(label, str(site), site.text, remark),)


def _told(cuts: list[CutLine]) -> tuple[Line, ...]:
    rows = [Line("cut", cut.where, cut.text, f"by {cut.how}") for cut in cuts]
    return tuple(rows[:_MOST_ROWS])


def _between(root: Node, target: Node) -> list[Node]:
    """Return the nodes on paths from one node to another, without the target, youngest first."""
    nodes = sorted(reachable([root]), key=lambda node: node.seq)
    leads: set[Node] = {target}
    found: list[Node] = []
    for node in nodes:
        if node != target and any(edge is not None and edge[0] in leads for edge in node.edges):
            leads.add(node)
            found.append(node)
    found.reverse()
    return found


def _op_name(node: Node) -> str:
    op = op_of(node)
    return node.short_name() if op is None else op.torch_name
