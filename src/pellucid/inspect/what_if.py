"""What a step would cost otherwise: foretold of the graph that is there, and of a recording."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import prod
from typing import Any, NamedTuple

import numpy as np

from pellucid.autograd import reading
from pellucid.autograd.backward import kept_nodes, root_gradients
from pellucid.autograd.explanations.saved_values import maker_of, op_of
from pellucid.autograd.gradient_ops import gradient_ops
from pellucid.autograd.node import AccumulateGrad, Node
from pellucid.errors import ArgumentError, ArgumentTypeError
from pellucid.inspect.account import Holdings
from pellucid.inspect.forecast import BackwardPlan, Forecast
from pellucid.inspect.recording import Event, Recording
from pellucid.inspect.tables import Column, size_text, table_lines, time_text


class Cost(NamedTuple):
    """What a step costs.

    Attributes:
        held: The bytes that the graph, and the gradients of its leaves, have before backward.
        peak: The most that there is during backward.
        after: What is left after it.
        time: Nanoseconds of the recorded step; None without a recording.

    >>> from pellucid.inspect import Cost
    >>> Cost(16, 48, 16).peak
    48
    """

    held: int
    peak: int
    after: int
    time: int | None = None


@dataclass(frozen=True, slots=True)
class Foretold:
    """A step as it is and as it would be, to print or to read.

    Attributes:
        change: What would be otherwise.
        now: What the step costs as it is.
        then: What it would cost.

    >>> x = torch.ones(4, requires_grad=True)
    >>> found = torch.inspect.what_if(x.exp().sum(), retain_graph=True)
    >>> found.now.after, found.then.after
    (16, 32)
    """

    change: str
    now: Cost
    then: Cost

    def __str__(self) -> str:
        rows = [
            [label, size_text(now), size_text(then), _difference(now, then)]
            for label, now, then in zip(_LABELS, self.now[:3], self.then[:3], strict=True)
        ]
        if self.now.time is not None and self.then.time is not None:
            times = self.now.time, self.then.time
            rows.append(["time of a step", *map(time_text, times), _difference(*times)])
        columns = [Column("", True), Column("now"), Column("then"), Column("")]
        return "\n".join([f"what if {self.change}", *table_lines(columns, rows, 10_000)])


_LABELS = ("before backward", "at most", "after backward")


def what_if(
    loss: Any, *, retain_graph: Any = None, batch: int | tuple[int, int] | None = None,
    checkpoint: Any = (), recording: Recording | None = None,
) -> Foretold:  # fmt: skip
    """Foretell what a step would cost otherwise; nothing is run or written.

    A larger batch multiplies whatever has a dimension of its size (or a first one that is a
    multiple of it), and depends on more than parameters. A checkpoint keeps what a module is given,
    and computes the rest again; each name is a part of its own.

    Args:
        loss: A tensor of one element, before its backward pass.
        retain_graph: As `plan` takes it.
        batch: The size that the batch would have; or a pair, the size that it has and that one. The
            former is found if all that depends on data shares one dimension, or a first one.
        checkpoint: What would be checkpointed: a module with parameters, or its name as in
            ``memory(loss).by_module``; or several of them.
        recording: A recording of a step; then times are foretold, too, of its last step.

    Returns:
        The costs as they are and as they would be; it prints as a table.

    Raises:
        ValueError: If nothing in the graph is of such a module, or has a batch of that size; or if
            several sizes may be that of the batch.
        TypeError: If ``loss`` is not a tensor, or ``batch`` not one number or two.

    >>> net = torch.nn.Sequential(torch.nn.Linear(4, 8, bias=False), torch.nn.Sigmoid())
    >>> loss = net(torch.ones(32, 4)).sum()
    >>> print(torch.inspect.what_if(loss, batch=64))
    what if the batch were 64 in place of 32
                        now    then
    before backward  1.5 kB  3.1 kB  +100 %
    at most          3.6 kB  7.2 kB  +100 %
    after backward    128 B   128 B
    """
    if not reading.is_tensor(loss):
        raise ArgumentTypeError(f"what_if() takes a loss, not {type(loss).__name__}")
    alone = isinstance(checkpoint, str) or hasattr(checkpoint, "named_parameters")
    reader = reading.common_reader([loss])
    starts = root_gradients(reader.for_a_pass([loss]), None, gradient_ops.arrays)
    now, _ = _planned(starts, Holdings([edge[0] for edge, _ in starts]), None, None)
    found = Holdings([edge[0] for edge, _ in starts])
    sizes = None if batch is None else _sizes(batch, found.plan.nodes)
    larger = None if sizes is None else _Larger(found, *sizes)
    parts = [checkpoint] if alone else checkpoint
    names = [each if isinstance(each, str) else _scope_of(each, found.plan.nodes) for each in parts]
    then, forecast = _planned(starts, found, reader.parts_to_keep(retain_graph), larger)
    return Foretold(
        " and ".join(_changes(retain_graph, sizes, names)) or "nothing changed",
        Cost(now.held_before, now.peak, now.held_after, _time(recording, None, [])),
        _cost(then, [_Part(name, forecast) for name in names], _time(recording, larger, names)),
    )


def _scope_of(module: Any, nodes: Iterable[Node]) -> str:
    """Return the name by which nodes know a module: what those that use its parameters share."""
    mine = {id(each) for each in module.parameters()}
    scopes = [
        node.scope.split(".")
        for node in nodes
        if node.scope
        and any(id(getattr(edge[0], "leaf", None)) in mine for edge in node.edges if edge)
    ]
    levels = takewhile(lambda names: len(set(names)) == 1, zip(*scopes, strict=False))
    shared = [names[0] for names in levels]
    if not shared:
        raise ArgumentError(f"nothing in the graph is of this {type(module).__name__}")
    return ".".join(shared)


def _planned(
    starts: list[Any], found: Holdings, retain_graph: Any, larger: _Larger | None
) -> tuple[BackwardPlan, Forecast]:
    scale = None if larger is None else larger.of_gradient
    keep = kept_nodes(retain_graph, False)
    forecast = Forecast("backward", found.plan, [edge for edge, _ in starts], keep, found, scale)
    return forecast.result(None), forecast


def _changes(retain_graph: Any, batch: tuple[int, int] | None, names: list[str]) -> Iterator[str]:
    if retain_graph is not None and retain_graph is not False:
        yield "the graph were retained" if retain_graph is True else "a part were retained"
    if batch is not None:
        yield f"the batch were {batch[1]} in place of {batch[0]}"
    if names:
        yield f"{', '.join(names)} {'were' if len(names) > 1 else 'was'} checkpointed"


def _difference(now: int, then: int) -> str:
    return f"{100 * (then - now) / now:+.0f} %" if now and then != now else ""


# ---- a larger batch ------------------------------------------------------------------------------


#: operations whose results have their times before the batch
_TIME_FIRST = {"gru", "lstm"}


def _sizes(batch: int | tuple[int, int], nodes: list[Node]) -> tuple[int, int]:
    """Return the size of the batch as it is, and as it would be."""
    if isinstance(batch, int) and not isinstance(batch, bool):
        return _batch_of(nodes, batch), batch
    if isinstance(batch, tuple | list) and len(batch) == 2:
        return batch[0], batch[1]
    raise ArgumentTypeError(
        "what_if() takes the size that the batch would have, batch=64, or the one that it has and "
        f"that one, batch=(16, 64), not {batch!r}"
    )


def _batch_of(nodes: list[Node], then: int) -> int:
    """Return the size of the batch: that of a dimension of all that depends on data."""
    fed = _fed(nodes)
    shapes = _results_of(fed, nodes)
    sizes = {size for shape in shapes for size in shape if size > 1 or shape[0] == 1}
    found = [size for size in sizes if size == 1 or all(size in shape for shape in shapes)]
    if len(found) != 1:  # some have joined it with another dimension, or all have others in common
        common = [n for n in sizes if n == 1 or all(_has_batch(shape, n) for shape in shapes)]
        first = [n for n in common if all(s[0] == n or n not in s for s in shapes)]
        found = common if any(_is_time_first(node) for node in fed) else first or common
    if len(found) == 1:
        return found[0]
    shared = " and ".join(map(str, sorted(found))) or "no size"
    raise ArgumentError(
        f"what_if() cannot tell the size of the batch: all that depends on data shares {shared}. "
        f"Give the size that it has, too: batch=({min(found, default=16)}, {then})"
    )


def _results_of(fed: set[Node], nodes: list[Node]) -> set[tuple[int, ...]]:
    """Return the shapes of results, other than numbers, from which others are computed."""
    used = {edge for node in nodes for edge in node.edges if edge is not None and edge[0] in fed}
    shapes = (node.output_meta(slot).shape for node, slot in used)
    return {tuple(shape) for shape in shapes if shape}


def _is_time_first(node: Node) -> bool:
    return getattr(op_of(node), "name", "") in _TIME_FIRST


def _has_batch(shape: Sequence[int], size: int) -> bool:
    """Return whether something of a shape grows with a batch of a size."""
    return bool(shape) and (size in shape or (size > 1 and shape[0] % size == 0))


class _Larger:
    """What grows with the batch.

    Args:
        found: What the graph holds, whose sizes are changed.
        now: The size of the batch.
        then: The size that it would have.
    """

    def __init__(self, found: Holdings, now: int, then: int) -> None:
        if now < 1 or then < 1:
            raise ArgumentError(f"what_if() takes batch=(now, then) of at least 1, not {now, then}")
        self.now, self.factor = now, then / now
        self.fed = _fed(found.plan.nodes)
        holders = dict.fromkeys(found.kept.blocks_of.tolist(), False)
        for block, node in zip(
            found.kept.blocks_of.tolist(), found.kept.nodes_of.tolist(), strict=True
        ):
            holders[block] |= found.plan.nodes[node - 1] in self.fed
        grown = [n for n, fed in holders.items() if fed and self._grows(found, n)]
        if not grown:
            raise ArgumentError(f"nothing that the graph keeps has a dimension of {now}")
        for number in grown:
            found.kept.sizes[number] = round(found.kept.sizes[number] * self.factor)

    def has_batch(self, shape: Sequence[int]) -> bool:
        """Return whether something of a shape grows with the batch."""
        return _has_batch(shape, self.now)

    def _grows(self, found: Holdings, block: int) -> bool:
        """Return whether a block grows with the batch.

        A block of which only a part is saved may be a table from which batches are taken.
        """
        shape, number = found.kept.likes[found.kept.like_of[block]][0], found.kept.saved_like[block]
        saved = shape if number < 0 else found.kept.likes[number][0]
        return self.now in shape if prod(saved) < prod(shape) else self.has_batch(saved)

    def of_gradient(self, node: Node, meta: Any) -> float:
        """Return by how much the gradient of an output of a node grows."""
        return self.factor if node in self.fed and self.has_batch(meta.shape or ()) else 1.0


def _fed(nodes: list[Node]) -> set[Node]:
    """Return the nodes that depend on more than leaves: on an operand that has no history."""
    fed: set[Node] = set()
    for node in reversed(nodes):  # operands first
        for edge in node.edges:
            if edge is None or edge[0] in fed:
                fed.add(node)
    return fed


# ---- checkpoints ---------------------------------------------------------------------------------


class _Part:
    """A module that would be checkpointed.

    Args:
        name: Its name.
        forecast: The pass.
    """

    def __init__(self, name: str, forecast: Forecast) -> None:
        found = forecast.found
        nodes = found.plan.nodes
        inside = {node for node in nodes if _is_in(node.scope or "", name)}
        if not inside:
            known = dict.fromkeys(node.scope for node in nodes if node.scope)
            raise ArgumentError(f"no node is of a module {name!r}; there are {', '.join(known)}")
        places = [forecast.places[forecast.numbers[node]] for node in inside]
        #: the places of the first and the last of its nodes that run
        self.first, self.last = int(min(places)), int(max(places))
        kept = self._computed_inside(found, inside)
        #: the bytes that would be computed again
        self.dropped = sum(found.kept.sizes[block] for block in kept)
        #: the bytes that it is given, and that nothing else keeps
        self.given = self._given(forecast, inside)

    def _computed_inside(self, found: Holdings, inside: set[Node]) -> set[int]:
        """Return the blocks that only its nodes keep, and that were computed in it."""
        nodes = found.plan.nodes
        positions = found.kept.positions.tolist()
        kept: set[int] = set()
        others: set[int] = set()
        for entry, (block, number) in enumerate(
            zip(found.kept.blocks_of.tolist(), found.kept.nodes_of.tolist(), strict=True)
        ):
            node = nodes[number - 1]
            made = maker_of(node, positions[entry]) if entry < len(positions) else None
            own = node in inside and made is not None and made[0] in inside
            (kept if own else others).add(block)
        return {block for block in kept - others if not found.kept.in_use[block]}

    def _given(self, forecast: Forecast, inside: set[Node]) -> int:
        """Return the bytes of its operands that no node has saved."""
        saved: set[tuple[Node, int]] = set()
        for node in forecast.found.plan.nodes:
            for position in range(len(node.saved) if isinstance(node.saved, tuple) else 0):
                made = maker_of(node, position)
                if made is not None:
                    saved.add(made)
        given = {
            edge
            for node in inside
            for edge in node.edges
            if edge is not None
            and edge[0] not in inside
            and not isinstance(edge[0], AccumulateGrad)
        }
        return sum(forecast.output_sizes(node)[slot] for node, slot in given - saved)


def _is_in(scope: str, name: str) -> bool:
    return scope == name or scope.startswith(f"{name}.")


def _cost(plan: BackwardPlan, parts: list[_Part], time: int | None) -> Cost:
    """Return the costs of a pass in which parts are computed again, each before its first node."""
    if not parts:
        return Cost(plan.held_before, plan.peak, plan.held_after, time)
    count = len(plan.nodes)
    less = np.zeros(count + 1, np.int64)
    for part in parts:
        less[: part.first + 1] += part.dropped - part.given
        less[part.first + 1 : part.last + 2] -= part.given
    live = np.array([plan.held_before, *(node.live for node in plan.nodes)])
    makes = np.array([node.makes for node in plan.nodes])
    # when a node runs, its part has been computed again
    ahead = less.copy()
    for part in parts:
        ahead[part.first] -= part.dropped
    most = int((live[:-1] + makes - ahead[:-1]).max(initial=0))
    held = plan.held_before - int(less[0])
    return Cost(held, max(most, held), plan.held_after, time)


# ---- time ----------------------------------------------------------------------------------------


def _time(recording: Recording | None, larger: _Larger | None, names: list[str]) -> int | None:
    """Return how long the last step of a recording would take."""
    if recording is None:
        return None
    step, total = recording.steps[-1].number, 0.0
    for event in recording.events:
        if event.step == step:
            again = event.phase == "forward" and any(_is_in(event.module, n) for n in names)
            factor = larger.factor if larger is not None and _grows(event, larger) else 1.0
            total += event.self_time * factor * (2 if again else 1)
    return round(total)


def _grows(event: Event, larger: _Larger) -> bool:
    if event.phase == "update":
        return False
    shapes = (re.findall(r"\d+", like.partition("[")[2]) for like in event.outputs + event.inputs)
    return any(larger.has_batch([int(size) for size in shape]) for shape in shapes)
