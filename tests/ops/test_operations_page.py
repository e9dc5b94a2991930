"""The page of operations says what is so."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("operations", DOCS / "generate_operations.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_its_generator_writes(generator: ModuleType) -> None:
    written = (DOCS / "operations.md").read_text("utf-8")
    assert written == generator.page(), "run python docs/generate_operations.py"


def test_no_name_is_counted_twice(generator: ModuleType) -> None:
    for names in generator.public_names().values():
        assert len(set(names)) == len(names)
