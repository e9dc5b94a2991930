"""The syntax tree of a function that runs, found in its file.

A tree is believed only if the file, compiled again, gives the very code that the function has: a
file that was changed since it was imported, or a function that a test runner has rewritten, has
none.
"""

from __future__ import annotations
import __future__

import ast
import functools
import linecache
import operator
from collections import defaultdict
from collections.abc import Iterator
from types import CodeType
from typing import NamedTuple

from pellucid.parsing import parse

#: what a code object can be found by
Key = tuple[int, str]
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

#: what ``from __future__ import`` sets, which a shell or doctest may have done elsewhere
_FUTURE = functools.reduce(
    operator.or_, (getattr(__future__, each).compiler_flag for each in __future__.all_feature_names)
)
_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>")


class Unsupported(Exception):
    """Raised where a function cannot be followed; says why."""


class Source(NamedTuple):
    """A function's syntax tree."""

    node: FunctionNode
    #: the class whose body it stands in, after which private names are called
    owner: str | None


class _File(NamedTuple):
    codes: dict[Key, list[CodeType]]
    sources: dict[Key, list[Source]]


def source_of(code: CodeType) -> Source:
    """Return the syntax tree of a function by its code object.

    Raises:
        Unsupported: If there is no source, it is another one than what runs, or several functions
            stand in one line.
    """
    text = "".join(linecache.getlines(code.co_filename))
    if not text:
        raise Unsupported("its source is not to be found")
    try:
        file = _parsed(code.co_filename, text, code.co_flags & _FUTURE)
    except (SyntaxError, ValueError) as error:
        raise Unsupported("its file cannot be read") from error
    key = (code.co_firstlineno, code.co_name)
    if code not in file.codes.get(key, ()):
        raise Unsupported("its file holds another source than the code that runs")
    found = file.sources.get(key, [])
    if len(found) > 1:
        found = [each for each in found if _stands_at(code, each.node)]
    if len(found) != 1:
        raise Unsupported("several functions stand in one line")
    return found[0]


@functools.lru_cache(maxsize=64)
def _parsed(filename: str, text: str, flags: int) -> _File:
    tree = parse(text)
    file = _File(defaultdict(list), defaultdict(list))
    for code in _codes(compile(text, filename, "exec", flags, dont_inherit=True)):
        file.codes[code.co_firstlineno, code.co_name].append(code)
    for source in _functions(tree, None):
        file.sources[_key(source.node)].append(source)
    return file


def _codes(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _codes(each)


def _functions(node: ast.AST, owner: str | None) -> Iterator[Source]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, FunctionNode):
            yield Source(child, owner)
        yield from _functions(child, child.name if isinstance(child, ast.ClassDef) else owner)


def _key(node: FunctionNode) -> Key:
    if isinstance(node, ast.Lambda):
        return node.lineno, "<lambda>"
    return min([node.lineno, *(each.lineno for each in node.decorator_list)]), node.name


def _stands_at(code: CodeType, node: FunctionNode) -> bool:
    """Return whether an instruction of the code computes the whole body of a lambda."""
    if not isinstance(node, ast.Lambda):
        return False
    body = node.body
    place = (body.lineno, body.end_lineno, body.col_offset, body.end_col_offset)
    return place in code.co_positions()


def nested_codes(code: CodeType) -> list[CodeType]:
    """Return the code objects of the functions that a function makes, those in comprehensions too.

    Raises:
        Unsupported: If one of them uses a variable of a comprehension.
    """
    found: list[CodeType] = []
    for each in code.co_consts:
        if not isinstance(each, CodeType):
            continue
        if each.co_name not in _COMPREHENSIONS:
            found.append(each)
            continue
        below = nested_codes(each)
        if any(set(inner.co_freevars) & set(each.co_cellvars) for inner in below):
            raise Unsupported("a function is made in a comprehension, and uses its variable")
        found += below
    return found


def nested_code(code: CodeType, node: FunctionNode | ast.GeneratorExp) -> CodeType:
    """Return the code of a function that stands in another; raise Unsupported if it is unclear."""
    key = (node.lineno, "<genexpr>") if isinstance(node, ast.GeneratorExp) else _key(node)
    found = [each for each in nested_codes(code) if (each.co_firstlineno, each.co_name) == key]
    if len(found) != 1:
        raise Unsupported("several functions stand in one line")
    return found[0]
