"""Op bodies call the kernels of the interface and nothing else; every set of kernels has them."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import pellucid.kernels.active as active
from pellucid.core.op import registry
from pellucid.kernels.interface import Kernels
from pellucid.kernels.numpy.backend import NumpyBackend

OPS = Path(__file__).resolve().parents[2] / "src" / "pellucid" / "ops"
LISTED = set(get_type_hints(Kernels))


def bodies() -> Iterator[ast.FunctionDef]:
    """Yield the functions that are given a set of kernels as ``be``."""
    for path in sorted(OPS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                arguments = [each.arg for each in node.args.posonlyargs + node.args.args]
                if "be" in arguments:
                    yield node


@functools.cache
def called() -> set[str]:
    """Return the names of kernels that op bodies use, and that ops are defined by."""
    found = {
        node.attr
        for body in bodies()
        for node in ast.walk(body)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "be"
    }
    return found | {op.kernel for op in registry.values() if isinstance(op.kernel, str)}


def test_bodies_call_what_the_interface_lists() -> None:
    assert called() - LISTED == set()


def test_the_interface_lists_only_what_bodies_call() -> None:
    assert LISTED - called() == set()


@pytest.mark.parametrize("kernels", [NumpyBackend(), active.cpu], ids=["numpy", "in use"])
def test_every_set_of_kernels_has_what_is_listed(kernels: Any) -> None:
    assert [name for name in sorted(LISTED) if not hasattr(kernels, name)] == []


def test_own_kernels_say_what_they_take_and_return() -> None:
    own = [name for name in LISTED if callable(vars(NumpyBackend).get(name))]
    assert own
    undocumented = [name for name in own if not getattr(NumpyBackend, name).__doc__]
    assert undocumented == []
