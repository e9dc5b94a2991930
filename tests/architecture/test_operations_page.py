"""The page of operations has nearly every name of PyTorch's.

Whether it is up to date, `test_generated.py` says.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from tests.samples.names import public_names, wanted

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("operations", DOCS / "generate_operations.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_nearly_all_names_are_here() -> None:
    assert len(wanted()) >= 0.97 * sum(map(len, public_names().values()))


def test_every_name_that_is_not_here_has_a_reason(generator: ModuleType) -> None:
    here = {name for _, name in wanted()}
    names = {name for each in public_names().values() for name in each}
    assert names - here == set(generator.LEFT_OUT) - here
    assert not here & set(generator.LEFT_OUT)


def test_no_name_is_counted_twice() -> None:
    for names in public_names().values():
        assert len(set(names)) == len(names)
