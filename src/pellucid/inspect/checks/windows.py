"""Containers that are kept within a limit: queues of limited length, lists that are trimmed.

That a container has as many tensors as there were steps does not tell a window, before it is full,
from a list that grows for ever. A queue has its limit; of others the program's source tells whether
anything is ever taken out of them, or put in the place of something else.
"""

from __future__ import annotations

import ast
import functools
import gc
import linecache
import re
import sys
from collections import deque
from collections.abc import Iterator
from typing import Any

from pellucid.autograd.explanations.frames import outward
from pellucid.autograd.sites import Site
from pellucid.inspect.owners import OwnerChain, is_program_file
from pellucid.parsing import parse

#: steps after which what is still in a container that is trimmed is in no window
_TRIMMED = 1000
#: the same for one whose items are overwritten, as those of a dictionary with an entry per task
_OVERWRITTEN = 100

_TAKES_OUT = {"pop", "popleft", "popitem", "remove", "clear", "heappop", "heapreplace",
              "heappushpop"}  # fmt: skip
#: the names in a chain of owners: variables, attributes, and keys that are texts
_NAMES = re.compile(r"variable (\w+)(?: of|$)|^\.(\w+)|^\['(\w+)'\]")


def is_in_a_queue_with_a_limit(tensor: Any) -> bool:
    """Return whether a queue of limited length has a tensor, or a tuple or the like that has it."""
    holders = _containers_with([tensor])
    around = (*holders, *_containers_with(holders))
    return any(isinstance(each, deque) and each.maxlen for each in around)


def longest_window(tensor: Any, chain: OwnerChain | None, site: Site | None) -> int:
    """Return how many steps a tensor may be in a container that the program keeps small.

    It is 0 where nothing in the source takes things out of what has the tensor, or overwrites them.

    Args:
        tensor: The tensor.
        chain: How the program leads to it.
        site: The line that made it.
    """
    if chain is None:
        return 0
    found = [match for part in (chain.root, *chain.steps) for match in _NAMES.finditer(part)]
    names = {next(filter(None, match.groups())) for match in found}
    files = {*_running_files(), *_files_of_owners(tensor)}
    if site is not None:
        files.add(site.filename)
    texts = ["".join(linecache.getlines(file)) for file in files]
    sizes = [size for text in texts for name, size in _windows_in(text) if name in names]
    return max(sizes, default=0)


def _containers_with(values: list[Any]) -> list[Any]:
    found = gc.get_referrers(*values) if values else []
    return [each for each in found if each is not values
            and isinstance(each, list | tuple | dict | deque)]  # fmt: skip


def _running_files() -> Iterator[str]:
    """Return the files of the program that have functions which are running."""
    files = (frame.f_code.co_filename for frame in outward(sys._getframe()))
    return filter(is_program_file, files)


def _files_of_owners(tensor: Any) -> Iterator[str]:
    """Yield the files of the classes of what has the containers of a tensor."""
    containers = _containers_with([tensor])
    for owner in gc.get_referrers(*containers) if containers else ():
        file = getattr(sys.modules.get(type(owner).__module__), "__file__", None)
        if isinstance(file, str) and is_program_file(file):
            yield file


@functools.lru_cache(maxsize=32)
def _windows_in(text: str) -> frozenset[tuple[str, int]]:
    """Return the last names of containers that a program keeps small, and how many steps it may."""
    try:
        return frozenset(found for part in ast.walk(parse(text)) for found in _kept_small_by(part))
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()


def _kept_small_by(part: ast.AST) -> Iterator[tuple[str, int]]:
    match part:
        case ast.Call(func=ast.Attribute(attr=method, value=owner), args=given):
            if method in _TAKES_OUT:
                taken_from = given[0] if method.startswith("heap") and given else owner
                yield _last_name(taken_from), _TRIMMED
        case ast.Call(func=ast.Name(id=function), args=[first, *_]):
            if function in _TAKES_OUT:
                yield _last_name(first), _TRIMMED
        case ast.Delete(targets=targets):
            for target in targets:
                if isinstance(target, ast.Subscript):
                    yield _last_name(target.value), _TRIMMED
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                if isinstance(target, ast.Subscript):
                    yield _last_name(target.value), _size_by_index(target.slice)
                if _is_part_of(value, ast.unparse(target)):
                    yield _last_name(target), _TRIMMED
        case _:
            pass


def _size_by_index(index: ast.expr) -> int:
    """Return how long an item may stay that is assigned to an index."""
    if isinstance(index, ast.Constant):
        return 0
    goes_round = any(isinstance(each, ast.Mod | ast.Slice) for each in ast.walk(index))
    return _TRIMMED if goes_round else _OVERWRITTEN


def _is_part_of(value: ast.expr, container: str) -> bool:
    """Return whether a value is made of some of a container: a slice, or those that a test lets."""
    kinds = ast.Subscript | ast.ListComp | ast.DictComp | ast.Call
    parts = (each for each in ast.walk(value) if isinstance(each, kinds))
    word = re.compile(rf"(?<![\w.]){re.escape(container)}(?!\w)")
    return any(word.search(ast.unparse(each)) for each in parts)


def _last_name(part: ast.expr) -> str:
    match part:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(slice=ast.Constant(value=str() as key)):
            return key
        case ast.Subscript(value=value) | ast.Call(func=ast.Attribute(value=value)):
            return _last_name(value)
        case _:
            return ""
