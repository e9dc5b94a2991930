"""What a graph keeps in memory: by node, by line, by module and by block of memory."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any

import numpy as np

from pellucid.autograd import reading
from pellucid.autograd.engine import plan_all
from pellucid.autograd.explanations.saved_values import saved_name
from pellucid.autograd.explanations.text import describe
from pellucid.autograd.node import AccumulateGrad, Node
from pellucid.inspect.collector import collector_off
from pellucid.inspect.holdings import Kept
from pellucid.inspect.leaf_names import LeafNames, name_leaves
from pellucid.inspect.snapshot import Freed
from pellucid.inspect.survey import owner_of
from pellucid.inspect.tables import columns, count_text, first_rows, size_text

_MOST_LINES = 20
_MOST_BLOCKS = 8
_MOST_LEAVES = 12
_MOST_HOLDERS = 3
LINE_HEADING = ("line", "source", "nodes", "holds", "alone", "freed")
_TABLES = ("by_node", "by_line", "by_module", "by_storage", "leaves")


@dataclass(frozen=True, slots=True)
class NodeMemory:
    """What one node keeps.

    Attributes:
        number: Its number, from 1 in the order in which a backward pass runs the nodes.
        name: Its name, as ``MulBackward0``.
        where: The line that made it, as ``file.py:LINE``.
        module: The dotted name of the module that made it.
        bytes: The memory that it refers to, beside that of leaves.
        alone: The part of it that no other node of the graph refers to.
        freed_by: The pass that freed what it had saved, if one did.

    >>> x = torch.ones(4, requires_grad=True)
    >>> torch.inspect.memory(x.exp()).by_node[0].bytes
    16
    """

    number: int
    name: str
    where: str
    module: str
    bytes: int
    alone: int
    freed_by: Freed | None


@dataclass(frozen=True, slots=True)
class Share:
    """What all nodes of one line, or of one module, keep together.

    Attributes:
        name: ``file.py:LINE``, or the dotted name of the module.
        text: The source text of the line; empty for a module.
        nodes: The number of its nodes.
        bytes: The memory that they refer to, counted once, beside that of leaves.
        alone: The part of it that no other line, or module, refers to.
        freed: The passes that freed some of its nodes, each with their number.

    >>> x = torch.ones(4, requires_grad=True)
    >>> (share,) = torch.inspect.memory(x.exp().sum()).by_line
    >>> share.nodes, share.bytes
    (2, 16)
    """

    name: str
    text: str
    nodes: int
    bytes: int
    alone: int
    freed: tuple[tuple[Freed, int], ...]

    @property
    def shared(self) -> int:
        """The bytes that others refer to as well."""
        return self.bytes - self.alone


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of memory that nodes keep alive.

    Attributes:
        like: Dtype and shape of the array that owns it, as ``float32[3, 4]``.
        bytes: Its size.
        holders: The nodes that refer to it: number, name, and the name of the value in the node.
        where: The line that made the oldest of them, as ``file.py:LINE``.
        in_use: Whether something beside the graph refers to it too, such as a variable: the memory
            stays when the graph is freed.

    >>> x = torch.ones(4, requires_grad=True)
    >>> (block,) = torch.inspect.memory(x.exp()).by_storage
    >>> block.like, block.holders
    ('float32[4]', ((1, 'ExpBackward0', 'out'),))
    """

    like: str
    bytes: int
    holders: tuple[tuple[int, str, str], ...]
    where: str
    in_use: bool


@dataclass(frozen=True, slots=True)
class LeafMemory:
    """The memory of a leaf, which exists without the graph.

    Attributes:
        name: Its name, read from the source where that is possible.
        like: Dtype and shape as text, ``float32[3, 4]``.
        bytes: The size of its memory.
        grad_bytes: The size of its ``.grad``; 0 if an earlier leaf's has the same memory.
        shared_with: The name of an earlier leaf that has the same memory, if one does.
        saved_by: How many times nodes have saved it.

    >>> x = torch.ones(4, requires_grad=True)
    >>> torch.inspect.memory(x * x).leaves[0].saved_by
    2
    """

    name: str
    like: str
    bytes: int
    grad_bytes: int
    shared_with: str | None
    saved_by: int


@dataclass(frozen=True, slots=True)
class NodeSource:
    """What the nodes that one line made have in common."""

    name: str
    where: str
    text: str
    module: str
    freed_by: Freed | None
    saved_names: tuple[str, ...]


class Memory:
    """An account of what a graph keeps alive, to print or to read; it keeps nothing alive itself.

    Args:
        found: What a walk through the graph has found; `memory` makes the walk.

    Attributes:
        leaves: The leaves and their gradients.
        held_bytes: The memory that nodes keep alive, each block once, without that of leaves.
        unseen: How many packed values are not in it, as their size is not known.
        leaf_bytes: The memory of the leaves, each block once.
        grad_bytes: The memory of their ``.grad``.

    >>> x = torch.ones(4, requires_grad=True)
    >>> memory = torch.inspect.memory((x * x).exp().sum())
    >>> memory.held_bytes, memory.leaf_bytes, memory.total
    (16, 16, 32)
    """

    def __init__(self, found: Holdings) -> None:
        self._kinds = tuple(found.kinds)
        self._kept = found.kept
        self._kind_of = found.kept.survey.kind_of
        self._sizes = np.array(found.kept.sizes, np.int64)
        self.leaves = tuple(found.leaves)
        self.held_bytes = sum(found.kept.sizes)
        self.unseen = found.kept.unseen
        self.leaf_bytes = sum(each.bytes for each in self.leaves if each.shared_with is None)
        self.grad_bytes = sum(each.grad_bytes for each in self.leaves)

    @property
    def total(self) -> int:
        """The bytes of nodes, leaves and gradients together."""
        return self.held_bytes + self.leaf_bytes + self.grad_bytes

    @property
    def node_count(self) -> int:
        """The number of nodes in the graph."""
        return len(self._kind_of)

    @property
    def block_count(self) -> int:
        """The number of blocks of memory that nodes keep alive."""
        return len(self._sizes)

    @cached_property
    def by_node(self) -> tuple[NodeMemory, ...]:
        """What each node keeps, in the order in which a backward pass runs them."""
        count = len(self._kind_of)
        sums = self._sums(np.arange(count), count)
        kinds = (self._kinds[each] for each in self._kind_of)
        return tuple(
            NodeMemory(number, kind.name, kind.where, kind.module, together, alone, kind.freed_by)
            for number, (kind, (together, alone)) in enumerate(zip(kinds, sums, strict=True), 1)
        )

    @cached_property
    def by_line(self) -> tuple[Share, ...]:
        """What the nodes of each line keep, those that keep most first."""
        return self._shares(lambda kind: (kind.where or "unknown", kind.text))

    @cached_property
    def by_module(self) -> tuple[Share, ...]:
        """What the nodes of each module keep; ``""`` stands for those outside of modules."""
        return self._shares(lambda kind: (kind.module, ""))

    @cached_property
    def by_storage(self) -> tuple[Block, ...]:
        """The blocks of memory that nodes keep alive, the largest first."""
        return self.largest(len(self._sizes))

    def largest(self, count: int) -> tuple[Block, ...]:
        """Return the largest blocks of memory.

        Args:
            count: How many, at most.
        """
        order = np.argsort(-self._sizes, kind="stable")[:count]
        holders: dict[int, list[tuple[int, str, str]]] = {int(each): [] for each in order}
        for entry in np.flatnonzero(np.isin(self._kept.blocks_of, order)):
            number = int(self._kept.nodes_of[entry])
            held = (number, self._kind(number).name, self._value_name(int(entry)))
            holders[int(self._kept.blocks_of[entry])].append(held)
        return tuple(
            self._block(block, tuple(sorted(held, key=itemgetter(0))))
            for block, held in holders.items()
        )

    def _block(self, number: int, holders: tuple[tuple[int, str, str], ...]) -> Block:
        return Block(
            self._like_text(number), int(self._sizes[number]), holders,
            self._kind(holders[-1][0]).where, self._kept.in_use[number],
        )  # fmt: skip

    def _like_text(self, number: int) -> str:
        """Return what a block is called: what is saved of it, and of what if that is more."""
        whole = self._kept.likes[self._kept.like_of[number]]
        saved = self._kept.saved_like[number]
        shape, dtype = self._kept.likes[saved] if saved >= 0 else whole
        text = f"{dtype}{list(shape)}"
        if math.prod(shape) * dtype.itemsize == math.prod(whole[0]) * whole[1].itemsize:
            return text
        return f"{text} of {whole[1]}{list(whole[0])}"

    @property
    def freed(self) -> tuple[tuple[Freed, int], ...]:
        """The passes that freed nodes of the graph, each with the number of these nodes."""
        nodes = np.bincount(self._kind_of, minlength=len(self._kinds)).tolist()
        return _count_passes(
            (kind.freed_by, count) for kind, count in zip(self._kinds, nodes, strict=True)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dictionaries, lists, numbers and text."""
        return {
            "held_bytes": self.held_bytes,
            "leaf_bytes": self.leaf_bytes,
            "grad_bytes": self.grad_bytes,
            **{name: [asdict(each) for each in getattr(self, name)] for name in _TABLES},
        }

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(self.to_dict())

    def _repr_html_(self) -> str:
        """Return a table of what each line keeps, for notebooks."""
        from pellucid.inspect.page.notebook import memory_html

        return memory_html(self)

    def __str__(self) -> str:
        return "\n".join(_text(self))

    def __repr__(self) -> str:
        return f"<Memory of {self.node_count} nodes: {size_text(self.held_bytes)}>"

    def _value_name(self, entry: int) -> str:
        if entry >= len(self._kept.positions):
            return self._kept.names[entry - len(self._kept.positions)]
        return self._kind(int(self._kept.nodes_of[entry])).saved_names[self._kept.positions[entry]]

    def _kind(self, number: int) -> NodeSource:
        return self._kinds[self._kind_of[number - 1]]

    def _sums(self, group_of: Any, count: int) -> list[tuple[int, int]]:
        """Return each group's bytes, and those that it alone refers to; by node: its group."""
        pairs = self._kept.blocks_of * count + group_of[self._kept.nodes_of - 1]
        blocks, groups = np.divmod(np.unique(pairs), count)
        sole = np.bincount(blocks, minlength=len(self._sizes))[blocks] == 1
        together, alone = np.zeros(count, np.int64), np.zeros(count, np.int64)
        np.add.at(together, groups, self._sizes[blocks])
        np.add.at(alone, groups[sole], self._sizes[blocks[sole]])
        return list(zip(together.tolist(), alone.tolist(), strict=True))

    def _shares(self, key: Callable[[NodeSource], tuple[str, str]]) -> tuple[Share, ...]:
        names: dict[tuple[str, str], int] = {}
        groups = np.array([names.setdefault(key(kind), len(names)) for kind in self._kinds], int)
        sums = self._sums(groups[self._kind_of], len(names))
        nodes = np.bincount(self._kind_of, minlength=len(self._kinds)).tolist()
        shares: list[Share] = []
        for (name, text), group in names.items():
            members = np.flatnonzero(groups == group).tolist()
            freed = _count_passes((self._kinds[each].freed_by, nodes[each]) for each in members)
            shares.append(Share(name, text, sum(nodes[i] for i in members), *sums[group], freed))
        return tuple(sorted(shares, key=lambda share: -share.bytes))


def memory(*roots: Any) -> Memory:
    """Return an account of the memory that the graphs of tensors keep alive; nothing is touched.

    Each block of memory counts once, however many nodes or views refer to it. No saved value is
    unpacked: what a saved-tensor hook has made counts where it is a tensor or an array.

    Args:
        roots: Tensors that require grad, of any shape; or nodes, or gradient edges.

    Returns:
        The account: it prints as a table, and has ``by_node``, ``by_line``, ``by_module``,
        ``by_storage``, ``leaves``, ``total``, ``to_dict()`` and ``to_json()``.

    Raises:
        RuntimeError: For a tensor without history.
        TypeError: For anything else than a tensor, node or edge.

    >>> x = torch.ones(1000, requires_grad=True)
    >>> loss = (x.exp() * x).sum()
    >>> torch.inspect.memory(loss).held_bytes
    4000
    >>> loss.backward()
    >>> torch.inspect.memory(loss).held_bytes
    0
    """
    nodes = reading.root_nodes(roots, "memory")
    with collector_off():
        return Memory(Holdings(nodes))


class Holdings:
    """What the nodes of a graph hold, and its leaves.

    Args:
        roots: The nodes from which gradients start.
    """

    def __init__(self, roots: list[Node]) -> None:
        self.plan = plan = plan_all(roots)
        leaves = [leaf for leaf, _ in plan.leaves if isinstance(leaf, AccumulateGrad)]
        self.kept = Kept(plan.nodes, leaves)
        found = self.kept.survey
        self.kinds = [_kind(plan.nodes[number - 1]) for number in found.examples.tolist()]
        self.leaves = self._account_of(leaves, name_leaves(found, plan.nodes, enumerate(leaves, 1)))

    def _account_of(self, leaves: list[AccumulateGrad], names: LeafNames) -> list[LeafMemory]:
        owners = [owner_of(leaf.value) for leaf in leaves]
        #: by address of a memory: the first leaf that has it; and the memory of gradients
        first: dict[int, int] = {}
        of_gradients: set[Any] = set()
        accounts: list[LeafMemory] = []
        for number, (leaf, owner) in enumerate(zip(leaves, owners, strict=True), 1):
            same = first.setdefault(id(owner), number)
            tensor = leaf.leaf
            grad = None if tensor is None else reading.gradient_of(tensor)
            accounts.append(
                LeafMemory(
                    names[number], describe(leaf), owner.nbytes,
                    _gradient_bytes(grad, of_gradients),
                    None if same == number else names[same], self.kept.saved_leaves[number],
                )
            )  # fmt: skip
        return accounts


def _kind(node: Node) -> NodeSource:
    site = node.site
    count = len(node.saved) if isinstance(node.saved, tuple) else 0
    return NodeSource(
        node.short_name(), "" if site is None else str(site), "" if site is None else site.text,
        node.scope or "",
        Freed.by(node.freed_by),
        tuple([saved_name(node, position) or f"value {position}" for position in range(count)]),
    )  # fmt: skip


def _count_passes(passes: Iterable[tuple[Freed | None, int]]) -> tuple[tuple[Freed, int], ...]:
    counts: dict[Freed, int] = {}
    for each, count in passes:
        if each is not None:
            counts[each] = counts.get(each, 0) + count
    return tuple(counts.items())


# ---- as text -------------------------------------------------------------------------------------


def _text(account: Memory) -> list[str]:
    lines = [_headline(account)]
    if account.node_count:
        lines += ["", *_share_lines(account)]
    if account.block_count:
        lines += ["", *_block_lines(account)]
    if account.leaves:
        lines += ["", *_leaf_lines(account)]
    return lines


def _headline(account: Memory) -> str:
    unseen = f" and {count_text(account.unseen, 'packed value')}" if account.unseen else ""
    return (
        f"memory: {count_text(account.node_count, 'node')}, "
        f"{size_text(account.held_bytes)} in {count_text(account.block_count, 'block')}{unseen}; "
        f"beside them leaves with {size_text(account.leaf_bytes)} "
        f"and gradients with {size_text(account.grad_bytes)}"
    )


def _share_lines(account: Memory) -> list[str]:
    lines = first_rows(LINE_HEADING, account.by_line, line_cells, _MOST_LINES, "line")
    if any(each.name for each in account.by_module):
        heading = ["module", "nodes", "holds", "alone"]
        modules = first_rows(heading, account.by_module, _module_cells, _MOST_LINES, "module")
        lines += ["", *modules]
    return lines


def line_cells(each: Share) -> list[str]:
    """Return what tables show of a line."""
    freed = ", ".join(f"{count:,} by {passed}" for passed, count in each.freed)
    return [each.name, each.text, *_sizes(each), freed]


def _module_cells(each: Share) -> list[str]:
    return [each.name or "(no module)", *_sizes(each)]


def _sizes(each: Share) -> list[str]:
    return [f"{each.nodes:,}", size_text(each.bytes), size_text(each.alone)]


def _block_lines(account: Memory) -> list[str]:
    rows = [
        [each.like, size_text(each.bytes), each.where, _holders_text(each),
         "in use elsewhere" if each.in_use else ""]
        for each in account.largest(_MOST_BLOCKS)
    ]  # fmt: skip
    lines = columns(["block", "", "line", "held by", ""], rows)
    left = account.block_count - len(rows)
    return [*lines, f"and {count_text(left, 'block')} more"] if left else lines


def _holders_text(block: Block) -> str:
    named = [f"#{number} {node} ({name})" for number, node, name in block.holders[:_MOST_HOLDERS]]
    more = len(block.holders) - len(named)
    return ", ".join(named) + (f" and {more:,} more" if more else "")


def _leaf_lines(account: Memory) -> list[str]:
    heading = ["leaf", "", "holds", "grad", "saved"]
    return first_rows(heading, account.leaves, _leaf_cells, _MOST_LEAVES, "leaf")


def _leaf_cells(each: LeafMemory) -> list[str]:
    holds = f"with {each.shared_with}" if each.shared_with else size_text(each.bytes)
    saved = count_text(each.saved_by, "time")
    return [each.name, each.like, holds, size_text(each.grad_bytes), saved]


def _gradient_bytes(grad: Any, known: set[Any]) -> int:
    """Return the bytes of the memory behind a gradient, if it is not known yet.

    Of a sparse one it is the memory of its parts.
    """
    if grad is None:
        return 0
    if grad.is_sparse:
        return grad.nbytes
    memory = reading.memory_of(grad)
    if memory is None or memory[0] in known:
        return 0
    known.add(memory[0])
    return memory[1]
