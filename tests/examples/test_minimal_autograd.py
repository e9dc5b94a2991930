"""The library in 120 lines gives what the library gives: values, gradients and errors."""

from __future__ import annotations

import importlib.util
import io
import tokenize
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.autograd import node, storage, variable

SOURCE = Path(__file__).resolve().parents[2] / "examples" / "minimal_autograd.py"

#: a program is given leaves and returns its result
Program = Callable[..., Any]


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("minimal_autograd", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


minimal = load()


def minimal_leaf(values: Any) -> Any:
    return minimal.Tensor(np.array(values, np.float64), requires_grad=True)


def library_leaf(values: Any) -> Any:
    return torch.tensor(np.array(values, np.float64), requires_grad=True)


def array(tensor: Any) -> Any:
    return None if tensor is None else np.array(tensor._array)


A = [[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]]
B = [[2.0], [-3.0]]
W = [[1.0, 0.5], [-1.0, 2.0], [0.25, 1.0]]


def twice_used(a: Any, b: Any, w: Any) -> Any:
    c = a * b
    return (c * c + c).sum()


def layers(a: Any, b: Any, w: Any) -> Any:
    return ((a @ w) * b).exp().sum()


def changed_in_place(a: Any, b: Any, w: Any) -> Any:
    c = a * b
    d = c.exp()
    c.mul_(a)
    c.add_(d)
    return (c * c).sum()


def some_unused(a: Any, b: Any, w: Any) -> Any:
    return (a * 2.0 + 1.0).sum()


PROGRAMS = [twice_used, layers, changed_in_place, some_unused]


@pytest.mark.parametrize("program", PROGRAMS)
def test_values_and_gradients_are_the_librarys(program: Program) -> None:
    results = []
    for leaf in (minimal_leaf, library_leaf):
        leaves = [leaf(values) for values in (A, B, W)]
        loss = program(*leaves)
        loss.backward()
        results.append([array(loss), *(array(each.grad) for each in leaves)])
    for ours, librarys in zip(*results, strict=True):
        if librarys is None:
            assert ours is None
        else:
            np.testing.assert_allclose(ours, librarys, rtol=1e-13)


@pytest.mark.parametrize("leaf", [minimal_leaf, library_leaf])
def test_a_graph_that_is_retained_goes_backward_twice_and_gradients_add_up(
    leaf: Callable[[Any], Any],
) -> None:
    a = leaf([1.0, 2.0])
    loss = (a * a).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    np.testing.assert_array_equal(array(a.grad), [4.0, 8.0])


def backward_twice(leaf: Callable[[Any], Any]) -> None:
    a = leaf([1.0, 2.0])
    loss = (a * a).sum()
    loss.backward()
    loss.backward()


def a_saved_value_is_changed(leaf: Callable[[Any], Any]) -> None:
    a = leaf([1.0, 2.0])
    b = a * 2.0
    loss = (b * b).sum()
    b.mul_(3.0)
    loss.backward()


def a_leaf_is_changed(leaf: Callable[[Any], Any]) -> None:
    leaf([1.0]).mul_(2.0)


def no_scalar(leaf: Callable[[Any], Any]) -> None:
    (leaf([1.0, 2.0]) * 2.0).backward()


def nothing_requires_grad(leaf: Callable[[Any], Any]) -> None:
    a = leaf([1.0])
    a._edge = None
    (a * 2.0).sum().backward()


WRONG = [
    backward_twice, a_saved_value_is_changed, a_leaf_is_changed, no_scalar, nothing_requires_grad,
]  # fmt: skip


@pytest.mark.parametrize("program", WRONG)
def test_errors_open_with_the_same_sentence(program: Callable[..., None]) -> None:
    with pytest.raises(RuntimeError) as ours:
        program(minimal_leaf)
    with pytest.raises(RuntimeError) as librarys:
        program(library_leaf)
    assert str(librarys.value).startswith(str(ours.value))


def test_a_refused_backward_has_written_no_gradient() -> None:
    a, b = minimal_leaf([1.0]), minimal_leaf([2.0])
    inner = a * a
    inner.sum().backward()
    before = array(a.grad)
    with pytest.raises(RuntimeError, match="second time"):
        (inner * b).sum().backward()
    np.testing.assert_array_equal(array(a.grad), before)
    assert b.grad is None


def test_its_names_are_the_librarys() -> None:
    for name in ("Node", "AccumulateGrad", "reachable", "sequence"):
        assert hasattr(minimal, name)
        assert hasattr(node, name)
    assert hasattr(storage, minimal.Storage.__name__)
    assert hasattr(variable, "Edge")
    a = minimal_leaf([1.0])
    made = (a * a)._edge[0]
    librarys = (library_leaf([1.0]) * 1.0)._edge[0]
    for name in ("edges", "saved", "seq", "shape", "backward"):
        assert hasattr(made, name)
        assert hasattr(librarys, name)
    for name in ("_array", "_edge", "_storage", "grad", "backward"):
        assert hasattr(a, name)
        assert hasattr(torch.Tensor, name)


def test_it_has_no_more_than_120_lines_of_code() -> None:
    skipped = {
        tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT,
        tokenize.ENCODING, tokenize.ENDMARKER,
    }  # fmt: skip
    lines: set[int] = set()
    for token in tokenize.tokenize(io.BytesIO(SOURCE.read_bytes()).readline):
        is_docstring = token.type == tokenize.STRING and token.string.startswith('"""')
        if token.type not in skipped and not is_docstring:
            lines.update(range(token.start[0], token.end[0] + 1))
    assert len(lines) <= 120
