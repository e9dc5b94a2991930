"""Graphs that grow from step to step, and graphs that stay after their step."""

from __future__ import annotations

import gc
import linecache
import re
import weakref
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from pellucid.autograd.explanations.text import expression_text
from pellucid.autograd.node import Node
from pellucid.autograd.reading import is_tensor
from pellucid.autograd.sites import Site
from pellucid.autograd.variable import TensorBase
from pellucid.errors import ArgumentTypeError
from pellucid.inspect.account import memory
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.windows import is_in_a_queue_with_a_limit, longest_window
from pellucid.inspect.holdings import kept_bytes
from pellucid.inspect.owners import OwnerChain, why_alive
from pellucid.inspect.tables import count_text, size_text

#: passes of one line in a row after which what they show is reported
PATIENCE = 5
#: which passes of a line are looked at: the first ones, then a window of every few
_FIRST = 32
_WINDOW = PATIENCE + 1
_EVERY = 64


class Life:
    """What lives as long as a node without weak references, which has it as its ``life``."""

    __slots__ = ("__weakref__",)

    def find(self) -> tuple[Any, Any]:
        """Return the node, and a later node or else a tensor that keeps it."""
        raise NotImplementedError


@dataclass(slots=True)
class _Line:
    """The latest passes that one line has run."""

    #: nodes with a smaller number were made before the latest pass
    seq: int = 0
    #: how many nodes each pass had, while each had more than the one before and reached into it
    sizes: deque[int] = field(default_factory=lambda: deque(maxlen=PATIENCE + 1))
    #: where the passes started, while each started from a graph made after the one before
    roots: deque[weakref.ref[Any]] = field(default_factory=lambda: deque(maxlen=PATIENCE + 1))
    reported: bool = False
    passes: int = 0
    #: the first graph in a container that may be a window, the longest that it is, and the pass at
    #: which that is over
    first: weakref.ref[Any] | None = None
    window: int = 0
    judged_at: int = 0

    @property
    def is_looked_at(self) -> bool:
        return self.passes <= _FIRST or self.passes % _EVERY < _WINDOW


class Growth(Check):
    """A search for lines whose graph grows, or whose graphs are kept, from step to step."""

    kinds = ("graph grows", "graphs are kept")

    def prepare(self) -> None:
        self.lines: dict[Site, _Line] = {}

    def backward_began(self, asked: Any) -> None:
        site = self.run.passing
        if not asked.nodes or site is None:
            return
        line = self.lines.get(site)
        if line is None:
            line = self.lines[site] = _Line()
        line.passes += 1
        if line.judged_at:
            self._judge_the_first(line)
            return
        if line.reported or not line.is_looked_at:
            return
        if line.passes % _EVERY == 0:  # what was before the window was not looked at
            line.sizes.clear()
            line.roots.clear()
        self._note_size(line, asked.nodes)
        self._note_root(line, asked.nodes[0])
        if len(line.sizes) > PATIENCE:
            line.reported = True
            self._report_growing(line, asked.nodes)
        elif len(line.roots) > PATIENCE:
            line.reported = True
            self._report_kept(line, line.roots[-2](), PATIENCE)
        line.seq = asked.run.seq

    def _note_size(self, line: _Line, nodes: list[Node]) -> None:
        grows = line.sizes and len(nodes) > line.sizes[-1] and nodes[-1].seq < line.seq
        if not grows:
            line.sizes.clear()
        line.sizes.append(len(nodes))

    def _note_root(self, line: _Line, root: Node) -> None:
        kept = all(reference() is not None for reference in line.roots)
        if not kept or root.seq < line.seq:
            line.roots.clear()
        line.roots.append(weakref.ref(getattr(root, "life", root)))

    def _report_growing(self, line: _Line, nodes: list[Node]) -> None:
        crossing = [
            edge[0]
            for node in nodes
            if node.seq >= line.seq
            for edge in node.edges
            if edge is not None and edge[0].edges and edge[0].seq < line.seq
        ]
        shared = max(crossing, key=lambda node: node.seq, default=nodes[-1])
        name = expression_text(shared.site) or "a tensor"
        if _is_cut_now_and_then(name, shared.site):
            return
        sizes = list(line.sizes)
        kept = kept_bytes(nodes) // len(nodes) * (sizes[-1] - sizes[-2])
        more = count_text(sizes[-1] - sizes[-2], "node")
        if kept:
            more += f" and about {size_text(kept)}"
        self.report(
            "graph grows", f"backward runs {sizes[-3]:,}, {sizes[-2]:,}, {sizes[-1]:,} nodes, "
            f"{more} more with each step, since {name} carries its whole history on", shared.site,
            "Each step takes longer than the one before, and memory runs out.",
            f"Carry the values only: {name} = {name}.detach() after the backward pass.",
        )  # fmt: skip

    def _judge_the_first(self, line: _Line) -> None:
        """Report what has kept a graph longer than a window."""
        if line.passes < line.judged_at:
            return
        line.judged_at = 0
        life = None if line.first is None else line.first()
        if life is not None:
            self._report_kept(line, life, line.window)

    def _report_kept(self, line: _Line, life: Any, kept_for: int) -> None:
        root, user = life.find() if isinstance(life, Life) else (life, None)
        if root is None:
            return
        account = memory(root)
        per_step = count_text(account.node_count, "node")
        if account.held_bytes:
            per_step += f" and {size_text(account.held_bytes)}"
        if root is life:
            user = _user_of(root)
        chain = None if isinstance(user, Node) or user is None else _chain_to(user)
        if is_tensor(user):
            if is_in_a_queue_with_a_limit(user):
                return
            window = longest_window(user, chain, root.site)
            if window > kept_for:
                line.first, line.window = line.roots[0], window
                line.judged_at = line.passes + window
                return
        if isinstance(user, Node):
            name, site = expression_text(user.site) or "a sum", user.site
            remedy = "Add the number only, with .item(), or .detach() for a tensor."
        else:
            holder = "a variable" if chain is None else chain.holder
            name, site = "something" if user is None else holder, root.site
            remedy = "Keep the number only, with .item(), or .detach() for a tensor."
        self.report(
            "graphs are kept", f"{name} keeps the graph of every step: {per_step} more with each",
            site, f"The graphs of the latest {kept_for} steps are still there.", remedy,
        )  # fmt: skip


def _is_cut_now_and_then(name: str, site: Site | None) -> bool:
    """Return whether the file gives a name its own values without history, as every 20 steps."""
    text = "" if site is None else "".join(linecache.getlines(site.filename))
    written = re.escape(name)
    return (
        re.search(rf"^\s*{written}\s*=.*\bdetach\b|\b{written}\.detach_\(", text, re.M) is not None
    )


def _user_of(root: Node) -> Node | TensorBase | None:
    """Return a later node that needs the root of a graph, or else a tensor that has it."""
    edges = [each for each in gc.get_referrers(root) if isinstance(each, tuple) and len(each) == 2]
    found: TensorBase | None = None
    for owner in gc.get_referrers(*edges) if edges else ():
        if isinstance(owner, TensorBase):
            found = owner
        for user in gc.get_referrers(owner) if isinstance(owner, tuple) else ():
            if isinstance(user, Node) and user.edges is owner:
                return user
    return found


def _chain_to(tensor: Any) -> OwnerChain | None:
    """Return how a variable of the program leads to a tensor."""
    try:
        found = why_alive(tensor).chains
    except ArgumentTypeError:
        return None
    chains = [chain for chain in found if "variable" in chain.root]
    return next((chain for chain in chains if "inspect" not in chain.root), None)
