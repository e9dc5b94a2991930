"""What a graph keeps in memory: by node, by line, by module and by block of memory."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from sys import getrefcount
from typing import Any

import numpy as np
from numpy import ndarray

from pellucid.autograd.engine import plan_all
from pellucid.autograd.node import AccumulateGrad, BackwardRun, Node
from pellucid.autograd.stories.saved_values import plan_of
from pellucid.autograd.stories.text import describe
from pellucid.inspect.columns import columns
from pellucid.inspect.holdings import (
    arrays_in,
    held_by_context,
    held_params,
    held_values,
    name_leaves,
)
from pellucid.inspect.snapshot import Freed, count_text, owner_of, root_nodes, size_text

_MOST_LINES = 20
_MOST_BLOCKS = 8
_MOST_LEAVES = 12
_MOST_HOLDERS = 3
#: types of parameters that hold no memory to speak of
_PLAIN = {int, float, bool, complex, str, type(None)}


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

    >>> import pellucid as torch
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

    >>> import pellucid as torch
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

    >>> import pellucid as torch
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
        grad_bytes: The size of its ``.grad``.
        shared_with: The name of an earlier leaf that has the same memory, if one does.
        saved_by: How many times nodes have saved it.

    >>> import pellucid as torch
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
class _Kind:
    """What the nodes that one line made have in common."""

    name: str
    where: str
    text: str
    module: str
    freed_by: Freed | None
    #: None for a node that no op made
    saved_names: tuple[str, ...] | None


class Memory:
    """An account of what a graph keeps alive, to print or to read; it keeps nothing alive itself.

    Args:
        found: What a walk through the graph has found; `memory` makes the walk.

    Attributes:
        leaves: The leaves and their gradients.
        held_bytes: The memory that nodes keep alive, each block once, without that of leaves.
        leaf_bytes: The memory of the leaves, each block once.
        grad_bytes: The memory of their ``.grad``.

    >>> import pellucid as torch
    >>> x = torch.ones(4, requires_grad=True)
    >>> memory = torch.inspect.memory((x * x).exp().sum())
    >>> memory.held_bytes, memory.leaf_bytes, memory.total
    (16, 16, 32)
    """

    def __init__(self, found: Holdings) -> None:
        self._kinds = tuple(found.kinds)
        self._kind_of = np.array(found.kind_of, np.intp)
        self._sizes = np.array(found.sizes, np.int64)
        self._likes = found.likes
        self._in_use = found.in_use
        #: one entry for each value that a node keeps
        self._nodes_of = np.array(found.nodes_of, np.intp)
        self._blocks_of = np.array(found.blocks_of, np.intp)
        self._names_of = found.names_of
        self.leaves = tuple(found.leaves)
        self.held_bytes = sum(found.sizes)
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
        for entry in np.flatnonzero(np.isin(self._blocks_of, order)):
            number, name = int(self._nodes_of[entry]), self._names_of[entry]
            kind = self._kind(number)
            if isinstance(name, int):
                name = (kind.saved_names or ())[name]
            holders[int(self._blocks_of[entry])].append((number, kind.name, name))
        return tuple(
            Block(
                _described(self._likes[block]), int(self._sizes[block]), tuple(held),
                self._kind(held[-1][0]).where, self._in_use[block],
            )
            for block, held in holders.items()
        )  # fmt: skip

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
            "by_node": [asdict(each) for each in self.by_node],
            "by_line": [asdict(each) for each in self.by_line],
            "by_module": [asdict(each) for each in self.by_module],
            "by_storage": [asdict(each) for each in self.by_storage],
            "leaves": [asdict(each) for each in self.leaves],
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

    def _kind(self, number: int) -> _Kind:
        return self._kinds[self._kind_of[number - 1]]

    def _sums(self, group_of: Any, count: int) -> list[tuple[int, int]]:
        """Return each group's bytes, and those that it alone refers to; by node: its group."""
        groups = group_of[self._nodes_of - 1]
        blocks, groups = np.unique(np.stack([self._blocks_of, groups]), axis=1)
        sole = np.bincount(blocks, minlength=len(self._sizes))[blocks] == 1
        together, alone = np.zeros(count, np.int64), np.zeros(count, np.int64)
        np.add.at(together, groups, self._sizes[blocks])
        np.add.at(alone, groups[sole], self._sizes[blocks[sole]])
        return list(zip(together.tolist(), alone.tolist(), strict=True))

    def _shares(self, key: Callable[[_Kind], tuple[str, str]]) -> tuple[Share, ...]:
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

    >>> import pellucid as torch
    >>> x = torch.ones(1000, requires_grad=True)
    >>> loss = (x.exp() * x).sum()
    >>> torch.inspect.memory(loss).held_bytes
    4000
    >>> loss.backward()
    >>> torch.inspect.memory(loss).held_bytes
    0
    """
    nodes = root_nodes(roots, "memory")
    collecting = gc.isenabled()
    gc.disable()  # it would go through millions of new objects, none of which is garbage
    try:
        return Memory(Holdings(nodes))
    finally:
        if collecting:
            gc.enable()


class Holdings:
    """What the nodes of a graph hold, found in one walk, as numbers and text."""

    def __init__(self, roots: list[Node]) -> None:
        plan = plan_all(roots)
        self.node_list = plan.nodes
        leaves = [leaf for leaf, _ in plan.leaves if isinstance(leaf, AccumulateGrad)]
        self.kinds: list[_Kind] = []
        #: by node
        self.kind_of: list[int] = []
        #: by block
        self.sizes: list[int] = []
        self.likes: list[tuple[Any, Any]] = []
        #: by value that a node keeps: its node, its block, and its position or name in the node
        self.nodes_of: list[int] = []
        self.blocks_of: list[int] = []
        self.names_of: list[int | str] = []
        #: blocks that nodes hold as long as they exist: no backward pass frees them
        self.lasting: set[int] = set()
        #: address of a memory -> its block; a leaf's is the number of the leaf, negated
        self._blocks: dict[int, int] = {}
        self._saved_leaves = [0] * (len(leaves) + 1)
        #: by block: references to the array that owns it, beside those of nodes and of their views
        self._others: list[int] = []
        #: address of a view -> its block, and references to it beside those of nodes
        self._views: dict[int, list[int]] = {}
        for number, leaf in enumerate(leaves, 1):
            self._blocks.setdefault(id(owner_of(leaf.value)), -number)
        self._go_through(plan.nodes)
        self.in_use = [others > 0 for others in self._others]
        for block, others in self._views.values():
            self.in_use[block] |= others > 0
        self.leaves = self._account_of_leaves(plan.nodes, leaves)

    def _go_through(self, nodes: list[Node]) -> None:
        kinds: dict[Any, int] = {}
        names: list[Any] = []
        put_kind = self.kind_of.append
        for number, node in enumerate(nodes, 1):
            saved, params = node.saved, node.params
            freed = saved if isinstance(saved, BackwardRun) else None
            # the code's address, as to hash code takes as long as all the rest
            key = (node.backward, id(node.code), node._lasti, node.scope, freed)
            kind = kinds.get(key)
            if kind is None:
                kind = kinds[key] = len(names)
                self.kinds.append(_kind(node, freed))
                names.append(self.kinds[kind].saved_names)
            put_kind(kind)
            if params is not None and not _PLAIN.issuperset(map(type, params)):
                self._keep(number, held_params(node), freeable=False)
            if names[kind] is None or freed is not None:
                self._keep(number, held_values(node))
                self._keep(number, held_by_context(node), freeable=False)
            elif saved is not None:
                self._keep_saved(number, saved)

    def _keep_saved(self, number: int, saved: Any) -> None:
        """Note what an op's node has saved, without the detours that few values need."""
        blocks, sizes = self._blocks, self.sizes
        for position, entry in enumerate(saved):
            array: Any = entry[0] if entry.__class__ is tuple else None
            if array.__class__ is not ndarray:
                self._keep(number, arrays_in(position, entry))
                continue
            if array.base is not None:
                others = getrefcount(array) - _SOLE  # not as an argument: the call holds one too
                self._keep_view(number, position, array, others)
                continue
            address = id(array)
            block = blocks.get(address)
            if block is None:
                block = blocks[address] = len(sizes)
                sizes.append(array.nbytes)
                self.likes.append((array.shape, array.dtype))
                self._others.append(getrefcount(array) - _SOLE)
            elif block < 0:
                self._saved_leaves[-block] += 1
                continue
            else:
                self._others[block] -= 1
            self.nodes_of.append(number)
            self.blocks_of.append(block)
            self.names_of.append(position)

    def _keep_view(self, number: int, position: int, array: Any, others: int) -> None:
        """Note a saved array that looks into the memory of another one."""
        owner = owner_of(array)
        block = self._blocks.get(id(owner))
        if block is None:
            count = getrefcount(owner) - _SOLE + 1
            block = self._add_block(owner, count)
        if block < 0:
            self._saved_leaves[-block] += 1
            return
        known = self._views.get(id(array))
        if known is None:
            self._views[id(array)] = [block, others]
            self._others[block] -= array.base is owner
        else:
            known[1] -= 1
        self._add_value(number, block, position)

    def _keep(
        self, number: int, values: Iterable[tuple[int | str, Any]], freeable: bool = True
    ) -> None:
        """Note values that a node keeps in another way than as saved arrays."""
        for name, array in values:
            owner = owner_of(array)
            block = self._blocks.get(id(owner))
            if block is None:
                block = self._add_block(owner, _UNCOUNTED)
            if block < 0:
                self._saved_leaves[-block] += 1
            else:
                self._add_value(number, block, name)
                if not freeable:
                    self.lasting.add(block)

    def _add_block(self, owner: Any, others: int) -> int:
        block = self._blocks[id(owner)] = len(self.sizes)
        self.sizes.append(owner.nbytes)
        self.likes.append((owner.shape, owner.dtype))
        self._others.append(others)
        return block

    def _add_value(self, number: int, block: int, name: int | str) -> None:
        self.nodes_of.append(number)
        self.blocks_of.append(block)
        self.names_of.append(name)

    def _account_of_leaves(self, nodes: list[Node], leaves: list[AccumulateGrad]) -> list[Any]:
        names = name_leaves(nodes, {leaf: number for number, leaf in enumerate(leaves, 1)})
        accounts: list[LeafMemory] = []
        for number, leaf in enumerate(leaves, 1):
            first = -self._blocks[id(owner_of(leaf.value))]
            tensor = leaf.leaf
            grad = None if tensor is None else tensor._grad
            accounts.append(
                LeafMemory(
                    names[number], describe(leaf), owner_of(leaf.value).nbytes,
                    0 if grad is None else owner_of(grad._array).nbytes,
                    None if first == number else names[first], self._saved_leaves[number],
                )
            )  # fmt: skip
        return accounts


#: stands for the count of references where it is not known which are the graph's own
_UNCOUNTED = -(2**60)


def _sole_count() -> int:
    """Return the count of references that `_keep_saved` sees to an array of only one node."""
    entry = (np.zeros(()), None, 0)
    array = entry[0]
    return getrefcount(array)


_SOLE = _sole_count()


def _kind(node: Node, freed: BackwardRun | None) -> _Kind:
    site, plan = node.site, plan_of(node)
    return _Kind(
        node.name(), "" if site is None else str(site), "" if site is None else site.text,
        node.scope or "",
        None if freed is None else Freed(freed.call, freed.number, str(freed.site)),
        None if plan is None else plan.saved_names,
    )  # fmt: skip


def _described(like: tuple[Any, Any]) -> str:
    shape, dtype = like
    return f"{dtype}{list(shape)}"


def _count_passes(
    passes: Iterable[tuple[Freed | None, int]],
) -> tuple[tuple[Freed, int], ...]:
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
    return (
        f"memory: {count_text(account.node_count, 'node')}, "
        f"{size_text(account.held_bytes)} in {count_text(account.block_count, 'block')}; "
        f"beside them leaves with {size_text(account.leaf_bytes)} "
        f"and gradients with {size_text(account.grad_bytes)}"
    )


def _share_lines(account: Memory) -> list[str]:
    shown = account.by_line[:_MOST_LINES]
    rows = [
        [each.name, each.text, f"{each.nodes:,}", size_text(each.bytes), size_text(each.alone),
         ", ".join(_freed_text(passed, count) for passed, count in each.freed)]
        for each in shown
    ]  # fmt: skip
    lines = columns(["line", "source", "nodes", "holds", "alone", "freed"], rows)
    lines += _rest(len(account.by_line) - _MOST_LINES, "line")
    if any(each.name for each in account.by_module):
        modules = account.by_module[:_MOST_LINES]
        rows = [
            [each.name or "(no module)", f"{each.nodes:,}", size_text(each.bytes),
             size_text(each.alone)]
            for each in modules
        ]  # fmt: skip
        lines += ["", *columns(["module", "nodes", "holds", "alone"], rows)]
        lines += _rest(len(account.by_module) - _MOST_LINES, "module")
    return lines


def _freed_text(passed: Freed, count: int) -> str:
    return f"{count:,} by {passed.call} #{passed.number}, {passed.where}"


def _block_lines(account: Memory) -> list[str]:
    shown = account.largest(_MOST_BLOCKS)
    rows = [
        [each.like, size_text(each.bytes), each.where, _holders_text(each),
         "in use elsewhere" if each.in_use else ""]
        for each in shown
    ]  # fmt: skip
    lines = columns(["block", "", "line", "held by", ""], rows)
    return lines + _rest(account.block_count - len(shown), "block")


def _holders_text(block: Block) -> str:
    told = [f"#{number} {node} ({name})" for number, node, name in block.holders[:_MOST_HOLDERS]]
    more = len(block.holders) - len(told)
    return ", ".join(told) + (f" and {more:,} more" if more else "")


def _leaf_lines(account: Memory) -> list[str]:
    rows = [
        [each.name, each.like,
         f"with {each.shared_with}" if each.shared_with else size_text(each.bytes),
         size_text(each.grad_bytes), count_text(each.saved_by, "time")]
        for each in account.leaves[:_MOST_LEAVES]
    ]  # fmt: skip
    lines = columns(["leaf", "", "holds", "grad", "saved"], rows)
    return lines + _rest(len(account.leaves) - _MOST_LEAVES, "leaf")


def _rest(left: int, word: str) -> list[str]:
    return [f"and {count_text(left, word)} more"] if left > 0 else []
