"""Look for borrowed references of the compiled module that are used after the lock was let go.

The rule is Note [Borrowed references] in objects/reference.hpp. This looks at the text alone: at
each variable that is set to what something else owns, at the first call after it that may let
other code run, and at uses of the variable after that. Where the object is held by something that
nobody else can change, a comment on the line says by what: ``// held by the pass``.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

_SOURCES = Path(__file__).resolve().parents[1] / "src/pellucid/_native"
#: what returns a reference that another object owns
_BORROWING = (
    "slot", "array_of", "edges_of", "PyList_GET_ITEM", "PyTuple_GET_ITEM", "PyDict_GetItem",
    "PyDict_GetItemWithError", "PySequence_Fast_ITEMS", "PySequence_Fast_GET_ITEM",
    "PyWeakref_GetObject",
)  # fmt: skip
_SET = re.compile(
    r"\b(?:PyObject|PyArrayObject)\s*\*+\s*(?:const\s+)?(\w+)\s*=\s*"
    rf"(?:reinterpret_cast<\w+\s*\**>\(\s*)?(?:{'|'.join(_BORROWING)})\("
)
#: what lets other threads, or Python code, run
_LETS_GO = re.compile(
    r"\b(?:NPY_BEGIN_THREADS\w*|Py_BEGIN_ALLOW_THREADS|PyObject_Call\w*|PyObject_Vectorcall\w*"
    r"|PyNumber_\w+|PyObject_[GS]etAttr\w*|PyObject_RichCompare\w*|PyObject_IsTrue"
    r"|PyObject_[GS]etItem|PyArray_FromAny|PyArray_NewCopy|PyArray_CopyInto|PyImport_\w+)\b"
)
_FUNCTION = re.compile(r"(?m)^[ \t]*(?:[\w:<>,&*~ \t\[\]]+?[ &*])?([\w~]+)\([^;{}]*\)[^;{}()]*\{")
_NO_FUNCTION = {"if", "for", "while", "switch", "catch", "return", "sizeof", "do", "else"}
_CALL = re.compile(r"(?<!std::)(?<![.\w])(?:\w+::)?(\w+)\(|(?:\.|->)(\w+)\(")
#: members of C++'s containers, which functions of ours are called like
_OF_CONTAINERS = {
    "array", "at", "back", "begin", "clear", "count", "data", "empty", "end", "find", "front",
    "get", "insert", "move", "push_back", "release", "reserve", "resize", "size", "swap",
}  # fmt: skip
#: what looks like it, and runs nothing: reads modes, which are booleans, compares counts, and looks
#: for a slot in a class, which is done once
_HARMLESS = {"grad_enabled", "module_scope", "same_count", "keeps_array"}


@dataclass
class _Function:
    path: Path
    name: str
    #: where the body begins in the file, and its text without comments and strings
    start: int
    body: str
    #: position in the body and functions that may be meant
    calls: list[tuple[int, str, list[_Function]]] = field(default_factory=list, repr=False)
    lets_go: bool = False


def _bare(text: str) -> str:
    """Return source with comments and strings blank, every character where it was."""
    blank = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
    return blank.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def _functions(path: Path, text: str) -> Iterator[_Function]:
    bare = _bare(text)
    for found in _FUNCTION.finditer(bare):
        if found[1] not in _NO_FUNCTION:
            depth = 1
            for end in range(found.end(), len(bare)):
                depth += {"{": 1, "}": -1}.get(bare[end], 0)
                if not depth:
                    yield _Function(path, found[1], found.end(), bare[found.end() : end])
                    break


def _link(functions: list[_Function]) -> None:
    """Find which functions each calls, by name, and which of them let go."""
    by_name: dict[str, list[_Function]] = defaultdict(list)
    for function in functions:
        by_name[function.name].append(function)
    for function in functions:
        function.lets_go = bool(_LETS_GO.search(function.body)) and function.name not in _HARMLESS
        for found in _CALL.finditer(function.body):
            name = found[1] or found[2]
            if name not in _OF_CONTAINERS and name in by_name:
                meant = [each for each in by_name[name] if each.path == function.path]
                if not meant and (found[1] or len(by_name[name]) == 1):
                    meant = by_name[name]  # a method's name alone does not tell whose it is
                function.calls.append((found.start(), name, meant))
    changed = True
    while changed:
        changed = False
        for function in functions:
            if function.lets_go or function.name in _HARMLESS:
                continue
            if any(each.lets_go for *_, meant in function.calls for each in meant):
                function.lets_go = changed = True


def _risks(function: _Function, text: str) -> Iterator[str]:
    going = [(found.end(), found[0]) for found in _LETS_GO.finditer(function.body)]
    going += [
        (start, name)
        for start, name, meant in function.calls
        if any(each.lets_go for each in meant)
    ]
    for found in _SET.finditer(function.body):
        end = function.body.find(";", found.end())
        position, by = min(((at, what) for at, what in going if at >= end), default=(-1, ""))
        after = function.body[position:] if by else ""
        line = text.count("\n", 0, function.start + found.start())
        if (
            re.search(rf"(?<![.>])\b{found[1]}\b", after)
            and "// held by" not in text.splitlines()[line]
        ):
            yield (
                f"{function.path.name}:{line + 1}: {function.name}() uses {found[1]}, which is "
                f"borrowed, after {by}, which may let other code run"
            )


def borrowed_over_other_code(files: Iterable[tuple[Path, str]]) -> list[str]:
    """Return a sentence for each borrowed reference that is used after other code may have run.

    Args:
        files: Paths of C++ sources, each with its text.
    """
    texts = dict(files)
    functions = [each for path, text in texts.items() for each in _functions(path, text)]
    _link(functions)
    return [risk for each in functions for risk in _risks(each, texts[each.path])]


def main() -> int:
    """Print what is found; return whether there is anything."""
    paths = sorted(_SOURCES.rglob("*.[ch]pp"))
    found = borrowed_over_other_code((path, path.read_text("utf-8")) for path in paths)
    print("\n".join(found) or f"borrowed references: none in {len(paths)} files is used too late")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
