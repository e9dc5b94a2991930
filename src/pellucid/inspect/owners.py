"""Who keeps the memory of a tensor alive: chains of owners, from the program to the memory."""

from __future__ import annotations

import gc
import sys
import sysconfig
import threading
import types
import warnings
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import dropwhile, pairwise
from typing import Any

import numpy as np

from pellucid.autograd import reading
from pellucid.autograd.explanations import source
from pellucid.autograd.explanations.frames import locals_of, outward
from pellucid.autograd.explanations.text import dtype_name
from pellucid.autograd.node import Node
from pellucid.autograd.sites import Site, library_files, user_site
from pellucid.errors import ArgumentTypeError
from pellucid.inspect.collector import collector_off
from pellucid.inspect.hops import hop
from pellucid.inspect.progress import Progress
from pellucid.inspect.tables import size_text

_MOST_CHAINS = 8
#: nodes in a row of which a chain names the first and the last only
_NODES_IN_A_ROW = 3
_NOT_THE_PROGRAM = tuple(
    filter(None, {sysconfig.get_paths().get(kind) for kind in ("stdlib", "platstdlib", "purelib")})
)


@dataclass(frozen=True, slots=True)
class OwnerChain:
    """One way from the program to the memory.

    Attributes:
        root: The variable that it starts from, with its function or module.
        steps: How each owner refers to the next, and what that is.
        hook: Whether it goes through a hook.

    >>> x = torch.ones(2)
    >>> torch.inspect.why_alive(x).chains[0].steps[-1]
    'its memory'
    """

    root: str
    steps: tuple[str, ...]
    hook: bool = False

    @property
    def holder(self) -> str:
        """What the last owner is, without how it holds the tensor."""
        return " → ".join([self.root, *self.steps[:-1]])

    def __str__(self) -> str:
        return " → ".join([self.root, *self.steps])


@dataclass(frozen=True, slots=True)
class Owners:
    """Who keeps the memory of a tensor alive, to print or to read.

    Attributes:
        like: Dtype and shape of the tensor, as ``float32[3, 4]``.
        bytes: The size of the memory.
        chains: A chain to each owner: to everything that refers to a tensor with the memory, or to
            the memory itself. The shortest come first, the variable that was asked about last.
        cycle: The chain from the tensor back to itself, if there is one: then only the garbage
            collector frees it.

    >>> x = torch.ones(2)
    >>> kept = {"activations": [x]}
    >>> torch.inspect.why_alive(x).bytes
    8
    """

    like: str
    bytes: int
    chains: tuple[OwnerChain, ...]
    cycle: OwnerChain | None

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dictionaries, lists, numbers and text."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [f"{self.like}, {size_text(self.bytes)}, is kept alive by"]
        lines += [f"  {chain}" for chain in self.chains[:_MOST_CHAINS]]
        if not self.chains:
            lines.append("  no variable of the program")
        if len(self.chains) > _MOST_CHAINS:
            lines.append(f"  and {len(self.chains) - _MOST_CHAINS} more")
        if self.cycle is not None:
            lines.append(f"It is part of a cycle, closed by {self.cycle.steps[-1]}:")
            lines.append(f"  {self.cycle}")
            remedy = "Only the garbage collector frees it. "
            if self.cycle.hook:
                remedy += "A hook of the tensor closes over the tensor itself: remove the hook, "
                remedy += "or let it take what it needs from its argument."
            lines.append(remedy.rstrip())
        return "\n".join(lines)


def why_alive(tensor: Any) -> Owners:
    """Return what keeps the memory of a tensor alive, from the variables of the program on.

    Variables of modules and of functions that are running, in all threads, containers, attributes
    and closures are followed, generators, errors that are kept with the variables of the functions
    that they went through, tensors, nodes and what these save. The search looks at every object
    that the program can reach: about two seconds for a million of them, which a terminal counts.

    Args:
        tensor: The tensor, of any shape; its memory may be shared with others.

    Returns:
        The chains, one to each object that refers to the memory; it prints as text.

    Raises:
        TypeError: For anything else than a tensor.

    >>> x = torch.ones(2, requires_grad=True)
    >>> losses = [(x * x).sum()]
    >>> print(any("losses" in str(chain) for chain in torch.inspect.why_alive(x).chains))
    True
    """
    if not reading.is_tensor(tensor):
        raise ArgumentTypeError(f"why_alive() takes a tensor, not {type(tensor).__name__}")
    search = _Search(tensor, _asking_variable(user_site()))
    like = f"{dtype_name(tensor.dtype)}{list(tensor.shape)}"
    with collector_off(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some objects warn when they are looked at
        return Owners(like, search.size, search.chains(), _cycle(tensor, search.reader))


def _asking_variable(site: Site) -> str:
    """Return the variable that is asked about, as the program calls it."""
    call = source.called_on(site.statement, "why_alive")
    return "" if call is None else source.dotted(source.argument(call, 0, "tensor")) or ""


class _Search:
    """A search through all that the program can reach, breadth first, level by level.

    Whole parts of a level are asked at once for what they refer to. Who refers to what is found out
    afterwards, for the few objects on the way to the memory.
    """

    def __init__(self, tensor: Any, asked: str) -> None:
        self.reader = reading.common_reader([tensor])
        self.memory, self.size = self.reader.memory_of(tensor) or (None, 0)
        self.tensor = tensor
        #: the beginning of the label of the variable that is asked about
        self.asked = f"variable {asked} of "
        self.levels: list[list[Any]] = []
        #: address of a root -> its label
        self.labels: dict[int, str] = {}
        #: chains of variables that are themselves tensors or arrays with the memory
        self.direct: list[OwnerChain] = []
        #: address -> what refers to the memory: tensors with it, and others, each with its level
        self.tensors: dict[int, Any] = {id(tensor): tensor}
        self.others: list[tuple[int, Any]] = []
        #: address -> what has been seen, or is not followed; most are classes
        self.seen: dict[int, Any] = _variables_of_modules()
        self.seen |= _running_frames()
        self.progress = Progress("why_alive", "objects")
        #: by class: whether what is of it can have memory, as tensors and arrays do
        self.kinds: dict[type, bool] = {}

    def chains(self) -> tuple[OwnerChain, ...]:
        """Return a chain to each owner; the variable that is asked about comes last.

        Libraries are searched where nothing of the program but that variable refers to the memory.
        """
        found = self._chains_from(variables_of_program())
        if all(chain.root.startswith(self.asked) and len(chain.steps) == 1 for chain in found):
            found += self._chains_from(_of_libraries())
        self.progress.end()
        return tuple(sorted(found, key=self._rank))

    def _rank(self, chain: OwnerChain) -> tuple[bool, int]:
        return chain.root.startswith(self.asked) and len(chain.steps) == 1, len(chain.steps)

    def _chains_from(self, roots: Iterable[tuple[str, Any]]) -> list[OwnerChain]:
        self.levels, self.labels, self.direct, self.others = [], {}, [], []
        self._follow(roots)
        return [*self.direct, *self._told_chains(self._owners())]

    def _follow(self, roots: Iterable[tuple[str, Any]]) -> None:
        """Note all that the roots lead to, level by level, and what of it has the memory."""
        level: list[Any] = []
        for label, value in roots:
            if self._has_memory(value) and all(each.root != label for each in self.direct):
                self.direct.append(OwnerChain(label, ("its memory",)))
            if self.reader.is_tensor(value) and self._has_memory(value):
                self.tensors[id(value)] = value
            elif id(value) not in self.seen and _is_followed(value):
                self.labels[id(value)] = label
                self.seen[id(value)] = value
                level.append(value)
        while level:
            self.levels.append(level)
            self.progress.add(len(level))
            level = [each for part in _parts(level) for each in self._next(part)]

    def _has_memory(self, value: Any) -> bool:
        kind = value.__class__
        can = self.kinds.get(kind)
        if can is None:
            can = isinstance(value, np.ndarray) or self.reader.is_tensor(value)
            self.kinds[kind] = can
        if not can:
            return False
        found = self.reader.memory_of(value)
        return value is self.tensor or (found is not None and found[0] == self.memory)

    def _next(self, part: list[Any]) -> list[Any]:
        """Return what some objects of the last level refer to and has not been seen."""
        referred = self.reader.referents(part)
        holding = [each for each in referred if self._has_memory(each)]
        if holding:
            self.tensors |= {id(each): each for each in holding if self.reader.is_tensor(each)}
            referred = self.reader.referents(self._without_holders(part))
        seen = self.seen
        fresh: list[Any] = []
        for each in filter(gc.is_tracked, referred):
            if id(each) not in seen:
                seen[id(each)] = each
                fresh.append(each)
        for each in fresh:
            if each.__class__ is types.FunctionType:
                seen.setdefault(id(each.__globals__), each.__globals__)
        return [each for each in fresh if id(each) not in self.tensors and _is_followed(each)]

    def _without_holders(self, part: list[Any]) -> list[Any]:
        """Return the objects without the tensors that have the memory; take note of its holders."""
        rest: list[Any] = []
        for value in part:
            if self.reader.is_tensor(value):
                if self._has_memory(value):
                    self.tensors[id(value)] = value
                    continue
            elif any(map(self._is_array_of_it, gc.get_referents(value))):
                self.others.append((len(self.levels) - 1, value))
            rest.append(value)
        return rest

    def _is_array_of_it(self, value: Any) -> bool:
        return not self.reader.is_tensor(value) and self._has_memory(value)

    def _owners(self) -> list[tuple[int, list[Any]]]:
        """Return the end of each chain, with the level of its first object.

        Of a tensor, everything that refers to it is an owner.
        """
        found = [(depth, [holder]) for depth, holder in self.others]
        addresses = self.tensors.keys()
        for depth, level in enumerate(self.levels):
            for value in self._referring(level, addresses):
                if id(value) not in addresses:
                    children = self.reader.referents([value])
                    owned = next(each for each in children if id(each) in addresses)
                    found.append((depth, [value, owned]))
        return found[:_MOST_OWNERS]

    def _told_chains(self, ends: list[tuple[int, list[Any]]]) -> list[OwnerChain]:
        """Return the chains with these ends, completed by what leads to them from the roots."""
        parents: dict[int, Any] = {}
        wanted: dict[int, Any] = {}
        begun: dict[int, dict[int, Any]] = {}
        for at, path in ends:
            begun.setdefault(at, {})[id(path[0])] = path[0]
        for depth in range(len(self.levels) - 1, 0, -1):
            wanted |= begun.get(depth, {})
            if not wanted:
                continue
            above: dict[int, Any] = {}
            for parent in self._referring(self.levels[depth - 1], wanted.keys()):
                if id(parent) in self.tensors:
                    continue
                for child in self.reader.referents([parent]):
                    if id(child) in wanted and id(child) not in parents:
                        parents[id(child)] = parent
                        above[id(parent)] = parent
            wanted = above
        chains: list[OwnerChain] = []
        for _, end in ends:
            leading: list[Any] = []
            first = end[0]
            while id(first) in parents:
                first = parents[id(first)]
                leading.append(first)
            if id(first) in self.labels:
                path = [*reversed(leading), *end]
                chains.append(_told(self.labels[id(first)], path, self.reader))
        return chains

    def _referring(self, objects: list[Any], addresses: Any) -> Iterator[Any]:
        """Yield those of the objects that refer to one of the addresses."""
        wanted = set(addresses)
        for part in _parts(objects):
            if not wanted.isdisjoint(map(id, self.reader.referents(part))):
                if len(part) == 1:
                    yield part[0]
                    continue
                for each in part:
                    if not wanted.isdisjoint(map(id, self.reader.referents([each]))):
                        yield each


#: objects that are asked at once for what they refer to
_PART = 2048
_MOST_OWNERS = 1000


def _parts(objects: list[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(objects), _PART):
        yield objects[start : start + _PART]


def _told(root: str, path: list[Any], reader: reading.Reader) -> OwnerChain:
    """Return a path of objects, down to one that refers to the memory, in words."""
    steps: list[str] = []
    nodes: list[str] = []
    hook = False
    for position, (owner, owned) in enumerate(pairwise(path)):
        step = hop(owner, owned, *reversed(path[max(position - 2, 0) : position]))
        hook = hook or "hook" in step
        if step:
            steps += [*_shortened(nodes), step]
            nodes = []
        node = reader.node_of(owned)
        if node is not None:
            nodes.append(_node_text(node))
    steps += _shortened(nodes)
    return OwnerChain(root, (*steps, "its memory"), hook)


def _shortened(nodes: list[str]) -> list[str]:
    if len(nodes) <= _NODES_IN_A_ROW:
        return nodes
    return [nodes[0], f"{len(nodes) - 2:,} more nodes", nodes[-1]]


def _node_text(node: Node) -> str:
    return node.short_name() if node.site is None else f"{node.short_name()} ({node.site})"


def _closed(chain: OwnerChain, closing: str) -> OwnerChain:
    """Return a chain whose end refers back to the tensor; the last step says how."""
    steps = list(chain.steps[:-1])
    how = closing or (steps.pop() if steps else "a reference")
    return OwnerChain(chain.root, (*steps, f"{how} to the tensor"), chain.hook)


def _cycle(tensor: Any, reader: reading.Reader) -> OwnerChain | None:
    """Return the shortest way from a tensor back to itself."""
    skipped = _variables_of_modules() | _running_frames()
    parents: dict[int, Any] = {}
    waiting: deque[Any] = deque([tensor])
    while waiting:
        value = waiting.popleft()
        for child in _referents(value, reader):
            if child is tensor:
                path = [tensor]
                while value is not tensor:
                    path.append(value)
                    value = parents[id(value)]
                path = [tensor, *reversed(path[1:]), tensor]
                closing = hop(path[-2], tensor, path[-3] if len(path) > 2 else None)
                return _closed(_told("the tensor", path[:-1], reader), closing)
            if id(child) in parents or id(child) in skipped or not _is_followed(child):
                continue
            parents[id(child)] = value
            waiting.append(child)
    return None


def _variables_of_modules() -> dict[int, Any]:
    """Return the dictionaries of all modules by their addresses."""
    return {id(vars(module)): vars(module) for module in list(sys.modules.values()) if module}


def _referents(value: Any, reader: reading.Reader) -> list[Any]:
    """Return what an object refers to; for a function, without the variables of its module."""
    found = reader.referents([value])
    if isinstance(value, types.FunctionType):
        return [each for each in found if each is not value.__globals__]
    return found


def _is_followed(value: Any) -> bool:
    """Return whether an object may lead to tensors of the program."""
    if not gc.is_tracked(value) or isinstance(value, types.ModuleType):
        return False
    return not isinstance(value, type) or _is_of_program(sys.modules.get(value.__module__))


def _is_of_program(module: Any) -> bool:
    """Return whether a module is the program's own, not one of a library."""
    if module is None:
        return False
    file = getattr(module, "__file__", None)
    if not isinstance(file, str):
        return getattr(module, "__name__", "") == "__main__"
    return is_program_file(file)


def is_program_file(file: str) -> bool:
    """Return whether a file is the program's own, not one of a library."""
    return not library_files[file] and not file.startswith((*_NOT_THE_PROGRAM, "<frozen"))


def variables_of_program() -> Iterator[tuple[str, Any]]:
    """Yield the variables of the program: those of running functions, then those of modules."""
    seen: set[int] = set()
    for frame in _frames():
        if is_program_file(frame.f_code.co_filename):
            seen.add(id(frame.f_globals))
            yield from _variables(frame)
    for module in list(sys.modules.values()):
        if _is_of_program(module):
            seen.add(id(vars(module)))
            yield from _globals(vars(module), _module_text(module))
    error = getattr(sys, "last_value", None)
    if error is not None:
        yield "sys.last_value, the error that was shown last", error
    for frame in _frames():
        if is_program_file(frame.f_code.co_filename) and id(frame.f_globals) in seen:
            seen.discard(id(frame.f_globals))
            file = frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
            yield from _globals(frame.f_globals, file)


def _of_libraries() -> Iterator[tuple[str, Any]]:
    """Yield the variables of functions of libraries that are running, and of their modules."""
    for frame in _frames():
        if not is_program_file(frame.f_code.co_filename):
            yield from _variables(frame)
    for module in list(sys.modules.values()):
        if module is not None and not _is_of_program(module):
            yield from _globals(vars(module), f"module {module.__name__}")


def _module_text(module: types.ModuleType) -> str:
    """Return what a module is called: the program's own by its file."""
    file = getattr(module, "__file__", None)
    if module.__name__ == "__main__" and isinstance(file, str):
        return file.replace("\\", "/").rpartition("/")[2]
    return f"module {module.__name__}"


def _globals(variables: dict[str, Any], where: str) -> Iterator[tuple[str, Any]]:
    """Yield the variables of a module, without those that the import has set."""
    for name, value in list(variables.items()):
        if name not in _SET_BY_IMPORT:
            yield f"variable {name} of {where}", value


#: a loader can hold all of the tool that runs the program
_SET_BY_IMPORT = frozenset({"__builtins__", "__loader__", "__spec__"})


def _frames() -> list[types.FrameType]:
    """Return the frames of all threads, without those of this call."""
    found: list[types.FrameType] = []
    for thread, here in sys._current_frames().items():
        calls = outward(here)
        if thread == threading.get_ident():
            calls = dropwhile(lambda frame: library_files[frame.f_code.co_filename], calls)
        found += calls
    here = calls = None  # a frame that refers to itself would keep all that called it
    return found


def _running_frames() -> dict[int, None]:
    """Return the addresses of the frames of all threads, and of the variables of their modules."""
    found: dict[int, None] = {}
    for here in sys._current_frames().values():
        for outer in outward(here):
            found[id(outer)] = found[id(outer.f_globals)] = None
    outer = here = None  # a frame that refers to itself would keep all that called it
    return found


def _variables(frame: types.FrameType) -> Iterator[tuple[str, Any]]:
    code = frame.f_code
    if not code.co_flags & _OPTIMIZED:
        return  # the locals of a module or class: its globals, or soon gone
    where = f"{code.co_qualname}() at {Site(code, frame.f_lasti)}"
    for name, value in locals_of(frame).items():
        yield f"variable {name} of {where}", value


#: functions, whose variables a frame has in slots
_OPTIMIZED = 1
