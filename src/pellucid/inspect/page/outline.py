"""The outline of a graph: its nodes in groups that open and close, made by modules and loops.

A group holds consecutive nodes, so the outline keeps the order in which the program ran. There are
four sorts: a module with all that its ``forward`` made; a repeat, a stretch that stands several
times in a row; a round, one of these stretches; and a range, which cuts a long list into parts that
can be looked at.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from pellucid.inspect.folding import Repeat, fold
from pellucid.inspect.snapshot import Graph, GraphNode, alike

#: how many parts a group has at most
MOST_PARTS = 36


@dataclass(slots=True, eq=False)
class Group:
    """Consecutive nodes that are drawn as one box until it is opened."""

    #: ``graph``, ``module``, ``repeat``, ``round`` or ``range``
    sort: str
    title: str
    #: node numbers and groups, in the order in which the program ran
    parts: list[int | Group] = field(default_factory=list)
    #: leaves that only this group's nodes use
    leaves: list[int] = field(default_factory=list)
    #: how many nodes there are inside
    nodes: int = 0
    #: how many rounds a repeat has
    times: int = 1
    parent: Group | None = None
    #: equal for groups that repeat each other; unlike that of any node
    pattern: int = 0


class Outline:
    """The groups of a graph.

    Args:
        picture: The graph.
    """

    def __init__(self, picture: Graph) -> None:
        self.picture = picture
        self.root = _by_modules(picture)
        _Folding(picture).fold(self.root)
        _split_long(self.root, picture)
        #: the group that shows each node, by the node's number
        self.group_of: list[Group] = [self.root] * (len(picture.nodes) + 1)
        #: every group, each before those inside it
        self.groups: list[Group] = list(self._connect())
        #: leaves that are written into the box of the one node that uses them
        self.inlined: set[int] = set()
        self._place_leaves()

    def shows_module(self, number: int) -> bool:
        """Return whether a node's box has to name the module, which no group around it does."""
        module = self.picture.nodes.kind(number).module
        if not module:
            return False
        group: Group | None = self.group_of[number]
        while group is not None and group.sort != "module":
            group = group.parent
        return group is None or not f".{module}".endswith(f".{group.title}")

    def leaves_inside(self, node: GraphNode) -> tuple[str, ...]:
        """Return the names of the leaves that are written into a node's box."""
        if not self.inlined:
            return ()
        return tuple(
            self.picture.leaves[-operand - 1].name
            for operand in node.operands
            if operand is not None and -operand in self.inlined
        )

    def _connect(self) -> Iterator[Group]:
        waiting = [self.root]
        while waiting:
            group = waiting.pop()
            yield group
            for part in group.parts:
                if isinstance(part, Group):
                    part.parent = group
                else:
                    self.group_of[part] = group
            waiting += [part for part in reversed(group.parts) if isinstance(part, Group)]

    def _place_leaves(self) -> None:
        """Give each leaf to the smallest group that has all its uses, or to its one node."""
        users: dict[int, list[int]] = {}
        for node in self.picture.nodes:
            for operand in node.operands:
                if operand is not None and operand < 0:
                    users.setdefault(-operand, []).append(node.number)
        for leaf in self.picture.leaves:
            nodes = users.get(leaf.number, [])
            if len(nodes) == 1 and self.picture.nodes[nodes[0] - 1].module:
                self.inlined.add(leaf.number)
            else:
                _smallest([self.group_of[number] for number in nodes], self.root).leaves.append(
                    leaf.number
                )


def path_to(group: Group) -> list[Group]:
    """Return the groups from the outermost to this one."""
    path = [group]
    while path[-1].parent is not None:
        path.append(path[-1].parent)
    return path[::-1]


def _smallest(groups: list[Group], root: Group) -> Group:
    """Return the smallest group that contains all of these."""
    common: list[Group] | None = None
    for group in dict.fromkeys(groups):
        path = path_to(group)
        common = path if common is None else _shared(common, path)
    return root if common is None else common[-1]


def _shared(first: list[Group], second: list[Group]) -> list[Group]:
    length = 0
    while length < min(len(first), len(second)) and first[length] is second[length]:
        length += 1
    return first[:length]


# ---- modules -------------------------------------------------------------------------------------


def _by_modules(picture: Graph) -> Group:
    """Return the nodes in groups by module, nested as the modules are."""
    stack = [Group("graph", "graph")]
    for node in reversed(picture.nodes):
        names = node.module.split(".") if node.module else []
        depth = 0
        while depth < min(len(names), len(stack) - 1) and stack[depth + 1].title == names[depth]:
            depth += 1
        del stack[depth + 1 :]
        for name in names[depth:]:
            inner = Group("module", name)
            stack[-1].parts.append(inner)
            stack.append(inner)
        stack[-1].parts.append(node.number)
    root = stack[0]
    _merge_single(root)
    return root


def _merge_single(root: Group) -> None:
    """Take out groups with one part: a node stays alone, a group is named after both."""
    order, waiting = [], [root]
    while waiting:
        group = waiting.pop()
        order.append(group)
        waiting += [part for part in group.parts if isinstance(part, Group)]
    for group in reversed(order):
        group.parts = [_merged(part) for part in group.parts]


def _merged(part: int | Group) -> int | Group:
    if isinstance(part, int) or len(part.parts) != 1:
        return part
    (inner,) = part.parts
    if isinstance(inner, Group):
        inner.title = f"{part.title}.{inner.title}"
    return inner


# ---- repeats -------------------------------------------------------------------------------------


class _Folding:
    """Folds what repeats, from the innermost groups outwards."""

    def __init__(self, picture: Graph) -> None:
        self.picture = picture
        self.patterns: dict[object, int] = {}

    def fold(self, group: Group) -> None:
        for part in group.parts:
            if isinstance(part, Group):
                self.fold(part)
        sequence = [self._pattern(part) for part in group.parts]
        remaining = iter(group.parts)
        group.parts = [self._folded(item, remaining) for item in fold(sequence)]
        group.nodes = _count(group.parts)
        key = (alike(group.title), *sequence)
        group.pattern = -1 - self.patterns.setdefault(key, len(self.patterns))

    def _folded(self, item: Hashable, remaining: Iterator[int | Group]) -> int | Group:
        """Take from the parts what an item of the folded sequence stands for."""
        if not isinstance(item, Repeat):
            return next(remaining)
        rounds: list[int | Group] = []
        for number in range(1, item.times + 1):
            inner = [self._folded(each, remaining) for each in item.items]
            if len(inner) > 1:
                rounds.append(Group("round", f"round {number}", inner, nodes=_count(inner)))
            else:
                rounds += inner
        title = _span(rounds[0], rounds[-1], self.picture)
        return Group("repeat", title, rounds, nodes=_count(rounds), times=item.times)

    def _pattern(self, part: int | Group) -> int:
        if isinstance(part, Group):
            return part.pattern
        return self.picture.nodes.kind(part).pattern


def _count(parts: list[int | Group]) -> int:
    return sum(part.nodes if isinstance(part, Group) else 1 for part in parts)


def _span(first: int | Group, last: int | Group, picture: Graph) -> str:
    """Return the title of a list of parts: the first and the last of the modules or ops in it."""
    ends = [_modules(part) or _ops(part, picture) for part in (first, last)]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} … {ends[1]}"


def _modules(part: int | Group) -> str:
    if isinstance(part, int):
        return ""
    if part.sort == "round":
        return ", ".join(filter(None, map(_modules, part.parts)))
    return part.title if part.sort == "module" else ""


def _ops(part: int | Group, picture: Graph) -> str:
    if isinstance(part, int):
        return picture.nodes[part - 1].op
    if part.sort == "range":
        return _ops(part.parts[0], picture)
    if part.sort != "round":
        return part.title
    ops = [_ops(each, picture) for each in part.parts]
    return ", ".join(ops if len(ops) <= 4 else [*ops[:3], "…"])


# ---- ranges --------------------------------------------------------------------------------------


def _split_long(root: Group, picture: Graph) -> None:
    """Cut what has too many parts into ranges, which are cut themselves where need be."""
    waiting = [root]
    while waiting:
        group = waiting.pop()
        if len(group.parts) > MOST_PARTS:
            group.parts = _ranges(group.parts, picture)
        waiting += [part for part in group.parts if isinstance(part, Group)]


def _ranges(parts: list[int | Group], picture: Graph) -> list[int | Group]:
    width = MOST_PARTS
    while width * MOST_PARTS < len(parts):
        width *= MOST_PARTS
    cut = [parts[start : start + width] for start in range(0, len(parts), width)]
    return [
        Group("range", _range_title(inner, picture), inner, nodes=_count(inner))
        if len(inner) > 1
        else inner[0]
        for inner in cut
    ]


def _range_title(parts: list[int | Group], picture: Graph) -> str:
    first, last = parts[0], parts[-1]
    if isinstance(first, Group) and isinstance(last, Group) and first.sort == last.sort == "round":
        return f"{first.title} … {last.title.removeprefix('round ')}"
    numbers = f"#{_end(first, 0)} … #{_end(last, -1)}"
    return f"{_span(first, last, picture)}, {numbers}"


def _end(part: int | Group, position: int) -> int:
    """Return the number of the first or last node of a part."""
    while isinstance(part, Group):
        part = part.parts[position]
    return part
