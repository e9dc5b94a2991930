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
    "pellucid", "pellucid.nn.functional", "pellucid.nn.init", "pellucid.nn.utils",
    "pellucid.linalg", "pellucid.fft", "pellucid.special", "pellucid.functional", "pellucid.func",
    "pellucid.autograd", "pellucid.autograd.functional", "pellucid.inspect", "pellucid.random",
    "pellucid.optim", "pellucid.amp", "pellucid.sparse", "pellucid.utils.checkpoint",
    "pellucid.utils.data",
]  # fmt: skip

#: modules whose classes document the parameters of their constructors
CLASS_MODULES = [
    *MODULES, "pellucid.nn", "pellucid.nn.modules", "pellucid.nn.parallel",
    "pellucid.optim.lr_scheduler", "pellucid.optim.swa_utils", "pellucid.distributions",
    "pellucid.futures",
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


def public_members(modules: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield what is public in the modules, without what they import from the core, by name."""
    for place in modules:
        module = importlib.import_module(place)
        for name in getattr(module, "__all__", None) or dir(module):
            member = getattr(module, name, None)
            origin = getattr(member, "__module__", None) or ""
            if not name.startswith("_") and not origin.startswith("pellucid.core.call"):
                yield f"{place}.{name}", member


def public_functions() -> dict[str, Callable[..., Any]]:
    """Return the functions of the public modules that are written by hand, by name."""
    found: dict[Callable[..., Any], str] = {}
    for name, member in public_members(MODULES):
        written_by_hand = not (inspect.getdoc(member) or "").startswith("In-place version of")
        former = name.endswith("_") or name.rpartition(".")[2] in FORMER
        if inspect.isfunction(member) and written_by_hand and not former:
            found.setdefault(member, name)
    return {name: member for member, name in found.items()}


def constructor_parameters(kind: type) -> list[str]:
    """Return the names of a constructor's parameters, without ``*args`` and ``**kwargs``."""
    parameters = inspect.signature(kind).parameters.values()
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [each.name for each in parameters if each.name[0] != "_" and each.kind not in variadic]


def public_classes() -> dict[str, type]:
    """Return the classes of the public modules but for errors, by name."""
    found: dict[type, str] = {}
    for name, member in public_members(CLASS_MODULES):
        own = inspect.isclass(member) and member.__module__.startswith("pellucid")
        if own and not issubclass(member, Exception):
            found.setdefault(member, name)
    return {name: member for member, name in found.items()}


FUNCTIONS = public_functions()
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
    parameters = constructor_parameters(CLASSES[name])
    assert [each for each in parameters if not re.search(rf"\b{each}\b", text)] == []


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_has_an_example(name: str) -> None:
    assert ">>>" in (CLASSES[name].__doc__ or "")
