"""The compiled module holds what it uses after other code may have run."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / "build_support/borrowed.py"


@pytest.fixture(scope="module")
def borrowed() -> Any:
    spec = importlib.util.spec_from_file_location("borrowed", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["borrowed"] = module  # its dataclass looks there
    spec.loader.exec_module(module)
    return module


def found(borrowed: Any, body: str) -> list[str]:
    helper = "void add(PyArrayObject* a) {\n    NPY_BEGIN_THREADS_DEF;\n}\n"
    return borrowed.borrowed_over_other_code([(Path("some.cpp"), f"{helper}{body}")])


def test_nothing_borrowed_is_used_too_late(borrowed: Any) -> None:
    sources = sorted((SCRIPT.parents[1] / "src/pellucid/_native").rglob("*.[ch]pp"))
    assert len(sources) > 100
    texts = ((path, path.read_text("utf-8")) for path in sources)
    assert borrowed.borrowed_over_other_code(texts) == []


@pytest.mark.parametrize("call", ["PyObject_CallNoArgs(f)", "add(other)"])
def test_a_borrowed_reference_used_after_other_code_may_run_is_found(
    borrowed: Any, call: str
) -> None:
    body = f"int run(PyObject* t) {{\n    PyObject* g = slot(t, 1);\n    {call};\n    use(g);\n}}\n"
    assert found(borrowed, body) == [
        f"some.cpp:5: run() uses g, which is borrowed, after {call.partition('(')[0]}, "
        "which may let other code run"
    ]


def test_what_is_handed_to_such_code_has_to_be_held_too(borrowed: Any) -> None:
    body = "int run(PyObject* t) {\n    PyObject* g = slot(t, 1);\n    add(g);\n}\n"
    assert len(found(borrowed, body)) == 1


@pytest.mark.parametrize(
    "body",
    [
        "int run(PyObject* t) {\n    Ref g = Ref::borrowed(slot(t, 1));\n    add(g.get());\n}\n",
        "int run(PyObject* t) {\n    PyObject* g = slot(t, 1);  // held by t\n    add(g);\n}\n",
        "int run(PyObject* t) {\n    PyObject* g = slot(t, 1);\n    use(g);\n    add(t);\n}\n",
    ],
)
def test_what_is_held_or_used_before_is_not(borrowed: Any, body: str) -> None:
    assert found(borrowed, body) == []
