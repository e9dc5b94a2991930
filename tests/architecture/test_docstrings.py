"""Public docstrings name every parameter and have an example; all are in plain words."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "pellucid"
PATHS = sorted(SOURCE.rglob("*.py"))

MODULES = [
    "pellucid.nn.functional", "pellucid.linalg", "pellucid.fft", "pellucid.special",
    "pellucid.functional", "pellucid.nn.utils",
]  # fmt: skip

CLASSES_OF = [
    "pellucid.nn.modules", "pellucid.nn.parallel", "pellucid.optim", "pellucid.optim.lr_scheduler",
    "pellucid.optim.swa_utils", "pellucid.distributions",
]  # fmt: skip

#: former names of functions, which only warn and call
FORMER = {"clip_grad_norm"}

#: words that open a function's docstring without saying what it does
UNCLEAR = re.compile(r"(Be|Let|Stand|Hold|Tell|Say|Do as|Take up)\b")
#: verbs that open the docstring of a function; a class is described by a noun phrase
IMPERATIVE = re.compile(
    r"(Add|Annotate|Answer|Apply|Be|Bring|Call|Cast|Change|Check|Choose|Collect|Compute|Convert|"
    r"Count|Describe|Do|Draw|Find|Give|Go|Hand|Hold|Keep|Know|Leave|Let|Look|Make|Name|Put|Raise|"
    r"Read|Refuse|Remember|Represent|Return|Run|Save|Say|Serve|Show|Stand|Take|Tell|Track|Treat|"
    r"Turn|Use|Wait|Walk|Watch|Wrap|Write)\b"
)


def described(path: Path, kind: Any) -> Iterator[tuple[str, str]]:
    """Yield name and docstring of each class or function of a file."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, kind) and (text := ast.get_docstring(node)):
            yield node.name, text


def public_functions() -> dict[str, Callable[..., Any]]:
    """Return the functions of the public modules that are written by hand, by name."""
    found: dict[str, Callable[..., Any]] = {}
    for place in MODULES:
        module = importlib.import_module(place)
        for name in getattr(module, "__all__", None) or dir(module):
            member = getattr(module, name, None)
            written_by_hand = not (inspect.getdoc(member) or "").startswith("In-place version of")
            named = not name.startswith("_") and not name.endswith("_") and name not in FORMER
            if inspect.isfunction(member) and named and written_by_hand:
                found[f"{place}.{name}"] = member
    return found


FUNCTIONS = public_functions()


def public_classes() -> dict[str, type]:
    """Return the classes of the public modules that have classes, by name."""
    modules = {place: importlib.import_module(place) for place in CLASSES_OF}
    return {
        f"{place}.{name}": getattr(module, name)
        for place, module in modules.items()
        for name in module.__all__
        if inspect.isclass(getattr(module, name))
    }


CLASSES = public_classes()


@pytest.mark.parametrize("path", PATHS, ids=lambda path: str(path.relative_to(SOURCE)))
def test_functions_say_in_plain_words_what_they_do(path: Path) -> None:
    functions = described(path, ast.FunctionDef | ast.AsyncFunctionDef)
    assert [name for name, text in functions if UNCLEAR.match(text)] == []


@pytest.mark.parametrize("path", PATHS, ids=lambda path: str(path.relative_to(SOURCE)))
def test_classes_are_described_by_a_noun_phrase(path: Path) -> None:
    classes = described(path, ast.ClassDef)
    assert [name for name, text in classes if IMPERATIVE.match(text)] == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_is_named(name: str) -> None:
    text = (inspect.getdoc(FUNCTIONS[name]) or "").partition(">>>")[0]
    # every operation gets ``out`` from its declaration, with one meaning
    parameters = [
        each
        for each in inspect.signature(FUNCTIONS[name]).parameters
        if each[0] != "_" and each != "out"
    ]
    assert [each for each in parameters if not re.search(rf"\b{each}\b", text)] == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_there_is_an_example(name: str) -> None:
    assert ">>>" in (inspect.getdoc(FUNCTIONS[name]) or "")


@pytest.mark.parametrize("name", CLASSES)
def test_every_parameter_of_a_constructor_is_named(name: str) -> None:
    text = (CLASSES[name].__doc__ or "").partition(">>>")[0]
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = [
        each.name
        for each in inspect.signature(CLASSES[name]).parameters.values()
        if each.kind not in several
    ]
    assert [each for each in parameters if not re.search(rf"\b{each}\b", text)] == []


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_has_an_example(name: str) -> None:
    assert ">>>" in (CLASSES[name].__doc__ or "")
