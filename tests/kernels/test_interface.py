"""Op bodies call the kernels of the interface and nothing else; every set of kernels has them."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pellucid.kernels.active as active
from pellucid.core.definition.op import registry
from pellucid.kernels.interface import FROM_NUMPY
from pellucid.kernels.numpy.backend import NumpyBackend
from pellucid.kernels.numpy.special import SPECIAL_FUNCTIONS

OPS = Path(__file__).resolve().parents[2] / "src" / "pellucid" / "ops"
OWN = {name for name, kernel in vars(NumpyBackend).items() if isinstance(kernel, staticmethod)}
LISTED = OWN | FROM_NUMPY | set(SPECIAL_FUNCTIONS) | {"arrays", "fft"}


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
    assert FROM_NUMPY - called() == set()


@pytest.mark.parametrize("kernels", [NumpyBackend(), active.cpu], ids=["numpy", "in use"])
def test_every_set_of_kernels_has_what_is_listed(kernels: Any) -> None:
    assert [name for name in sorted(LISTED) if not hasattr(kernels, name)] == []


def test_own_kernels_say_what_they_take_and_return() -> None:
    assert called() & OWN
    assert [name for name in called() & OWN if not getattr(NumpyBackend, name).__doc__] == []
