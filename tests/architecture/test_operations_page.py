"""The page of operations says what is so.

That derivatives agree with finite differences is measured in `test_every_name`, for every call of
every name; here a name has a derivative if one of its calls has a differentiable result.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.samples.names import Call, calls, public_names, wanted

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("operations", DOCS / "generate_operations.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def has_derivative(faults: Callable[[Call], str], derived: list[Call]) -> str:
    return "yes" if derived else "no"


def test_the_page_is_what_its_generator_writes(
    generator: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generator, "agrees", has_derivative)
    written = (DOCS / "operations.md").read_text("utf-8")
    assert written == generator.page(), "run python docs/generate_operations.py"


def test_nearly_all_names_are_here() -> None:
    assert len(wanted()) >= 0.97 * sum(map(len, public_names().values()))


def test_every_name_that_is_not_here_has_a_reason(generator: ModuleType) -> None:
    here = {name for _, name in wanted()}
    names = {name for each in public_names().values() for name in each}
    assert names - here == set(generator.LEFT_OUT) - here
    assert not here & set(generator.LEFT_OUT)


def test_a_wrong_derivative_would_show(generator: ModuleType) -> None:
    some = calls()["torch", "exp"]
    assert generator.agrees(lambda call: "", some) == "yes"
    assert generator.agrees(lambda call: "2, but finite differences give 3", some) == "no"


def test_no_name_is_counted_twice() -> None:
    for names in public_names().values():
        assert len(set(names)) == len(names)
