"""Who keeps the memory of a tensor alive: chains of owners, from the program to the memory."""

from __future__ import annotations

import gc
import itertools
import sys
import sysconfig
import types
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pellucid.autograd.explanations.frames import locals_of
from pellucid.autograd.explanations.text import describe
from pellucid.autograd.node import Node
from pellucid.autograd.sites import Site, library_files
from pellucid.autograd.variable import TensorBase
from pellucid.errors import ArgumentTypeError
from pellucid.inspect.hops import hop
from pellucid.inspect.snapshot import size_text
from pellucid.inspect.survey import owner_of

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

    def __str__(self) -> str:
        return " → ".join([self.root, *self.steps])


@dataclass(frozen=True, slots=True)
class Owners:
    """Who keeps the memory of a tensor alive, to print or to read.

    Attributes:
        like: Dtype and shape of the tensor, as ``float32[3, 4]``.
        bytes: The size of the memory.
        chains: The shortest chain to each object that refers to the memory, the shortest first.
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


def why_alive(tensor: TensorBase) -> Owners:
    """Return what keeps the memory of a tensor alive, from the variables of the program on.

    Variables of modules and of functions that are running, in all threads, containers, attributes
    and closures are followed, and tensors, nodes and what these save. The search looks at every
    object that the program can reach, so it takes a moment.

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
    if not isinstance(tensor, TensorBase):
        raise ArgumentTypeError(f"why_alive() takes a tensor, not {type(tensor).__name__}")
    memory = owner_of(tensor._array)
    collecting = gc.isenabled()
    gc.disable()
    try:
        search = _Search(memory, tensor)
        chains = search.chains()
        return Owners(describe(tensor), memory.nbytes, chains, _cycle(tensor))
    finally:
        if collecting:
            gc.enable()


class _Search:
    """A search through all that the program can reach, breadth first."""

    def __init__(self, memory: Any, tensor: TensorBase) -> None:
        self.memory = memory
        #: what is reached through it is no owner of its own
        self.tensor = tensor
        #: address of an object -> the object that led to it; a root leads to its label
        self.parents: dict[int, Any] = {}
        self.found: list[Any] = []
        #: address -> what is not followed; most are classes, of which there are many mentions
        self.skipped = _variables_of_modules()

    def chains(self) -> tuple[OwnerChain, ...]:
        """Return a chain to each object that refers to the memory, by the shortest way.

        Libraries are searched where nothing of the program but the tensor itself refers to it.
        """
        self._follow(_of_program())
        if all(holder is self.tensor for holder in self.found):
            self._follow(_of_libraries())
        return tuple(sorted(map(self._chain, self.found), key=lambda chain: len(chain.steps)))

    def _follow(self, roots: Iterable[tuple[str, Any]]) -> None:
        waiting: deque[Any] = deque()
        for label, value in roots:
            if id(value) not in self.parents and _is_followed(value):
                self.parents[id(value)] = _Root(label, value)
                waiting.append(value)
        skipped, parents = self.skipped, self.parents
        while waiting:
            value = waiting.popleft()
            for child in _referents(value):
                address = id(child)
                if address in parents or address in skipped:
                    continue
                if isinstance(child, np.ndarray):
                    if owner_of(child) is self.memory:
                        self.found.append(value)
                elif value is not self.tensor and gc.is_tracked(child):
                    if _is_followed(child):
                        parents[address] = value
                        waiting.append(child)
                    else:
                        skipped[address] = child

    def _chain(self, holder: Any) -> OwnerChain:
        path = [holder]
        while not isinstance(parent := self.parents[id(path[-1])], _Root):
            path.append(parent)
        path.reverse()
        return _told(parent.label, path)


class _Root:
    """A variable of the program; it keeps its value, so that the address stays its own."""

    __slots__ = ("label", "value")

    def __init__(self, label: str, value: Any) -> None:
        self.label = label
        self.value = value


def _told(root: str, path: list[Any]) -> OwnerChain:
    """Return a path of objects, down to one that refers to the memory, in words."""
    steps: list[str] = []
    nodes: list[str] = []
    hook = False
    for position, (owner, owned) in enumerate(itertools.pairwise(path)):
        step = hop(owner, owned, path[position - 1] if position else None)
        hook = hook or "hook" in step
        if isinstance(owned, Node):
            nodes.append(f"{step}{_node_text(owned)}")
            continue
        if step:
            steps += [*_shortened(nodes), step]
            nodes = []
    steps += _shortened(nodes)
    return OwnerChain(root, (*steps, "its memory"), hook)


def _shortened(nodes: list[str]) -> list[str]:
    if len(nodes) <= _NODES_IN_A_ROW:
        return nodes
    return [nodes[0], f"{len(nodes) - 2:,} more nodes", nodes[-1]]


def _node_text(node: Node) -> str:
    return node.name() if node.site is None else f"{node.name()} ({node.site})"


def _closed(chain: OwnerChain, closing: str) -> OwnerChain:
    """Return a chain whose end refers back to the tensor; the last step says how."""
    steps = list(chain.steps[:-1])
    how = closing or (steps.pop() if steps else "a reference")
    return OwnerChain(chain.root, (*steps, f"{how} to the tensor"), chain.hook)


def _cycle(tensor: TensorBase) -> OwnerChain | None:
    """Return the shortest way from a tensor back to itself."""
    skipped = _variables_of_modules()
    parents: dict[int, Any] = {}
    waiting: deque[Any] = deque([tensor])
    while waiting:
        value = waiting.popleft()
        for child in _referents(value):
            if child is tensor:
                path = [tensor]
                while value is not tensor:
                    path.append(value)
                    value = parents[id(value)]
                path = [tensor, *reversed(path[1:]), tensor]
                closing = hop(path[-2], tensor, path[-3] if len(path) > 2 else None)
                return _closed(_told("the tensor", path[:-1]), closing)
            if id(child) in parents or id(child) in skipped or not _is_followed(child):
                continue
            parents[id(child)] = value
            waiting.append(child)
    return None


def _variables_of_modules() -> dict[int, Any]:
    """Return the dictionaries of all modules by their addresses."""
    return {id(vars(module)): vars(module) for module in list(sys.modules.values()) if module}


def _referents(value: Any) -> list[Any]:
    """Return what an object refers to; for a function, without the variables of its module."""
    found = gc.get_referents(value)
    if isinstance(value, types.FunctionType):
        return [each for each in found if each is not value.__globals__]
    return found


_NOT_FOLLOWED = (types.ModuleType, types.FrameType)


def _is_followed(value: Any) -> bool:
    """Return whether an object may lead to tensors of the program."""
    if not gc.is_tracked(value) or isinstance(value, _NOT_FOLLOWED):
        return False
    return not isinstance(value, type) or _is_of_program(sys.modules.get(value.__module__))


def _is_of_program(module: Any) -> bool:
    """Return whether a module is the program's own, not one of a library."""
    if module is None:
        return False
    file = getattr(module, "__file__", None)
    if not isinstance(file, str):
        return getattr(module, "__name__", "") == "__main__"
    return _is_program_file(file)


def _is_program_file(file: str) -> bool:
    return not library_files[file] and not file.startswith((*_NOT_THE_PROGRAM, "<frozen"))


def _of_program() -> Iterator[tuple[str, Any]]:
    """Yield the variables of the program: those of running functions, then those of modules."""
    seen: set[int] = set()
    for frame in _frames():
        if _is_program_file(frame.f_code.co_filename):
            seen.add(id(frame.f_globals))
            yield from _variables(frame)
    for module in list(sys.modules.values()):
        if _is_of_program(module):
            seen.add(id(vars(module)))
            yield from _globals(vars(module), f"module {module.__name__}")
    for frame in _frames():
        if _is_program_file(frame.f_code.co_filename) and id(frame.f_globals) in seen:
            seen.discard(id(frame.f_globals))
            file = frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
            yield from _globals(frame.f_globals, file)


def _of_libraries() -> Iterator[tuple[str, Any]]:
    """Yield the variables of functions of libraries that are running, and of their modules."""
    for frame in _frames():
        if not _is_program_file(frame.f_code.co_filename):
            yield from _variables(frame)
    for module in list(sys.modules.values()):
        if module is not None and not _is_of_program(module):
            yield from _globals(vars(module), f"module {module.__name__}")


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
    own: types.FrameType | None = sys._getframe()
    for here in sys._current_frames().values():
        outer: types.FrameType | None = here
        if here is own or _leads_to(here, own):
            while outer is not None and library_files[outer.f_code.co_filename]:
                outer = outer.f_back
        while outer is not None:
            found.append(outer)
            outer = outer.f_back
    own = here = None  # a frame that refers to itself would keep all that called it
    return found


def _leads_to(frame: types.FrameType, own: types.FrameType | None) -> bool:
    here: types.FrameType | None = own
    while here is not None and here is not frame:
        here = here.f_back
    return here is frame


def _variables(frame: types.FrameType) -> Iterator[tuple[str, Any]]:
    code = frame.f_code
    if not code.co_flags & _OPTIMIZED:
        return  # the locals of a module or class: its globals, or soon gone
    where = f"{code.co_qualname}() at {Site(code, frame.f_lasti)}"
    for name, value in locals_of(frame).items():
        yield f"variable {name} of {where}", value


#: functions, whose variables a frame has in slots
_OPTIMIZED = 1
