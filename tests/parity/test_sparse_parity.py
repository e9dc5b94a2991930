"""Sparse tensors do as PyTorch's: numbers, gradients, texts and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pellucid

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.filterwarnings("ignore:Sparse", "ignore:.*Sparse CSR")


def given(library: Any, dtype: str = "float32", grad: bool = False) -> Any:
    values = library.tensor([3, 4, 5, 6], dtype=getattr(library, dtype), requires_grad=grad)
    places = library.tensor([[0, 1, 1, 0], [2, 0, 2, 2]])
    return values, library.sparse_coo_tensor(places, values, (2, 3))


def array(result: Any) -> np.ndarray:
    return (result.to_dense() if result.is_sparse else result).detach().numpy()


FUNCTIONS: list[Callable[[Any, Any], Any]] = [
    lambda t, s: s @ t.arange(6.0).reshape(3, 2),
    lambda t, s: s @ t.arange(3.0),
    lambda t, s: t.arange(4.0).reshape(2, 2) @ s,
    lambda t, s: t.spmm(s, t.arange(6.0).reshape(3, 2)),
    lambda t, s: t.sparse.mm(s, s.t()),
    lambda t, s: t.sparse.addmm(t.ones(2, 2), s, t.ones(3, 2), beta=0.5, alpha=2),
    lambda t, s: s.coalesce() * t.arange(6.0).reshape(2, 3),
    lambda t, s: s.T,
    lambda t, s: s.transpose(0, 1),
    lambda t, s: s + 3 * s,
    lambda t, s: t.ones(2, 3) + s,
    lambda t, s: s / 2,
    lambda t, s: -s,
    lambda t, s: t.sparse.sum(s),
    lambda t, s: t.sparse.sum(s, 0),
    lambda t, s: t.sparse.sum(s, [0, 1]),
    lambda t, s: s.abs(),
    lambda t, s: s.sqrt(),
    lambda t, s: s.double(),
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_numbers_dtypes_and_layouts_are_pytorchs(function: Callable[[Any, Any], Any]) -> None:
    mine, theirs = (function(library, given(library)[1]) for library in (pellucid, torch))
    assert str(mine.dtype) == str(theirs.dtype)
    assert str(mine.layout) == str(theirs.layout)
    np.testing.assert_allclose(array(mine), array(theirs), rtol=1e-6)


@pytest.mark.parametrize("function", FUNCTIONS[:15])
def test_gradients_of_values_are_pytorchs(function: Callable[[Any, Any], Any]) -> None:
    grads = []
    for library in (pellucid, torch):
        values, s = given(library, grad=True)
        result = function(library, s)
        (result.to_dense() if result.is_sparse else result).square().sum().backward()
        grads.append(values.grad.numpy())
    np.testing.assert_allclose(*grads, rtol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32"])
def test_the_text_is_pytorchs(dtype: str) -> None:
    for make in (
        lambda t: given(t, dtype)[1],
        lambda t: given(t, dtype)[1].coalesce(),
        lambda t: t.sparse_coo_tensor((2, 3), dtype=getattr(t, dtype)),
        lambda t: t.ones(1, 2, 2, dtype=getattr(t, dtype)).to_sparse(),
        lambda t: t.tensor(3, dtype=getattr(t, dtype)).to_sparse(),
        lambda t: t.arange(-1000, 1000, dtype=getattr(t, dtype)).to_sparse(),
    ):
        assert repr(make(pellucid)) == repr(make(torch))


@pytest.mark.parametrize(
    "function",
    [
        lambda t, s: s.indices(),
        lambda t, s: s.values(),
        lambda t, s: s + t.ones(2, 3),
        lambda t, s: s + 1,
        lambda t, s: t.spmm(s, t.ones(2, 2)),
        lambda t, s: s @ t.ones(2),
        lambda t, s: s @ t.ones(3, 2).double(),
        lambda t, s: s / t.ones(2, 3),
        lambda t, s: s.numpy(),
        lambda t, s: t.sparse_coo_tensor([0, 1], [1.0, 2.0]),
        lambda t, s: t.sparse_coo_tensor([[0, 1]], [1, 2, 3], (2,)),
        lambda t, s: t.sparse_coo_tensor([[0, 1]], [1, 2], (2, 2)),
    ],
)
def test_errors_are_pytorchs(function: Callable[[Any, Any], Any]) -> None:
    raised = []
    for library in (pellucid, torch):
        with pytest.raises((RuntimeError, TypeError)) as caught:
            function(library, given(library)[1])
        raised.append(caught)
    mine, theirs = raised
    assert isinstance(mine.value, theirs.type)
    assert str(mine.value).split("\n")[0] == str(theirs.value).split("\n")[0]
