"""Sparse tensors do as PyTorch's: numbers, gradients, texts and errors."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.filterwarnings(
    "ignore:Sparse", "ignore:.*Sparse CSR", "ignore:torch.sparse.SparseTensor"
)


CALLS = Path(__file__).with_name("sparse_calls.txt").read_text().splitlines()


def operands(t: Any) -> dict[str, Any]:
    """Return what the calls in ``sparse_calls.txt`` name."""
    matrix = t.tensor([[0.0, 1, 0, 2], [0, 0, 0, 0], [3, 0, 4, 0]])
    square = t.tensor([[1.0, 2, 0, 0], [0, 3, 0, 0], [0, 0, 0, 0], [0, 0, 5, 6]])
    places = [[0, 0, 2, 0], [1, 3, 2, 1]]
    return {
        "t": t, "torch": t, "F": t.nn.functional, "D": matrix, "B": square,
        "coo": matrix.to_sparse(), "unc": t.sparse_coo_tensor(places, [1.0, 2, 3, 4], (3, 4)),
        "csr": matrix.to_sparse_csr(), "csc": matrix.to_sparse_csc(),
        "bsr": square.to_sparse_bsr((2, 2)), "bsc": square.to_sparse_bsc((2, 2)),
        "hyb": t.arange(24.0).reshape(2, 3, 4).to_sparse(1),
        "hyb2": (t.arange(24.0).reshape(2, 3, 4) % 5).to_sparse(2),
    }  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_calls_print_what_pytorchs_print(call: str) -> None:
    mine, theirs = (repr(eval(call, operands(library))) for library in (pellucid, torch))
    assert mine == theirs


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


MATRICES: list[Callable[[Any], Any]] = [
    lambda t: operands(t)["coo"], lambda t: operands(t)["unc"], lambda t: operands(t)["csr"],
    lambda t: operands(t)["csc"], lambda t: operands(t)["bsr"], lambda t: operands(t)["bsc"],
    lambda t: operands(t)["hyb"], lambda t: operands(t)["hyb2"],
    lambda t: t.zeros(2, 3).to_sparse(),
]  # fmt: skip


@pytest.mark.parametrize("make", MATRICES)
def test_files_go_both_ways(make: Callable[[Any], Any]) -> None:
    for writer, reader in ((torch, pellucid), (pellucid, torch)):
        file = io.BytesIO()
        writer.save({"matrix": make(writer)}, file)
        file.seek(0)
        found = reader.load(file)["matrix"]
        assert repr(found) == repr(make(reader))
        assert not found.is_sparse or found.is_coalesced() == make(reader).is_coalesced()


DIFFERENTIATED: list[Callable[[Any, Any, Any], Any]] = [
    lambda t, s, d: t.sparse.mm(s, d),
    lambda t, s, d: s @ d,
    lambda t, s, d: s * 3,
    lambda t, s, d: s + s,
    lambda t, s, d: s.to_dense(),
    lambda t, s, d: s.t(),
    lambda t, s, d: t.sparse.addmm(t.ones(3, 2), s, d),
    lambda t, s, d: t.nn.functional.linear(d.t(), s),
    lambda t, s, d: s.clone(),
    lambda t, s, d: s.abs(),
]
OF_COORDINATES: list[Callable[[Any, Any, Any], Any]] = [
    lambda t, s, d: t.sparse.sum(s, 0),
    lambda t, s, d: t.sparse.softmax(s, 1),
    lambda t, s, d: t.sparse.log_softmax(s, 0),
    lambda t, s, d: t.sparse.mm(s, s.t()),
    lambda t, s, d: s**2,
    lambda t, s, d: s.coalesce().values(),
]


@pytest.mark.parametrize("layout", ["coo", "csr"])
@pytest.mark.parametrize("function", DIFFERENTIATED + OF_COORDINATES)
def test_gradients_of_the_elements_that_are_kept_are_pytorchs(
    function: Callable[[Any, Any, Any], Any], layout: str
) -> None:
    if layout == "csr" and function in OF_COORDINATES:
        return
    found = []
    for t in (pellucid, torch):
        sparse, other = operands(t)[layout].requires_grad_(), t.arange(8.0).reshape(4, 2)
        result = function(t, sparse, other.requires_grad_())
        (result if result.layout is t.strided else result.to_dense()).square().sum().backward()
        grad = sparse.grad if sparse.grad.layout is t.strided else sparse.grad.to_dense()
        mask = operands(t)["D"].numpy() != 0
        found.append((np.where(mask, grad, 0), 0 if other.grad is None else other.grad.numpy()))
    for mine, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)


TABLES: list[Callable[[Any, Any], Any]] = [
    lambda t, w: t.nn.functional.embedding(t.tensor([[1, 2], [1, 3]]), w, sparse=True),
    lambda t, w: t.nn.functional.embedding(
        t.tensor([[1, 2], [1, 3]]), w, padding_idx=1, sparse=True
    ),
    lambda t, w: t.nn.functional.embedding_bag(
        t.tensor([[1, 2], [1, 3]]), w, mode="sum", sparse=True
    ),
    lambda t, w: t.nn.functional.embedding_bag(
        t.tensor([0, 1, 1, 3]), w, t.tensor([0, 3]), mode="mean", sparse=True
    ),
]


@pytest.mark.parametrize("look_up", TABLES)
def test_gradients_of_tables_are_pytorchs(look_up: Callable[[Any, Any], Any]) -> None:
    found = []
    for t in (pellucid, torch):
        weight = t.arange(12.0).reshape(4, 3).requires_grad_()
        steps = []
        for further in (
            lambda t, w: 0, lambda t, w: 0, lambda t, w: w.sum(), lambda t, w: 0,
        ):  # fmt: skip
            (look_up(t, weight).square().sum() + further(t, weight)).backward()
            grad = weight.grad
            steps.append((str(grad.layout), array(grad)))
        weight.grad = None
        (grad,) = t.autograd.grad(look_up(t, weight).sum(), weight)
        steps.append((repr(grad.coalesce().indices()), array(grad)))
        found.append(steps)
    for (layout, mine), (expected, theirs) in zip(*found, strict=True):
        assert layout == expected
        np.testing.assert_allclose(mine, theirs, rtol=1e-6)


OPTIMIZERS: list[Callable[[Any, Any], Any]] = [
    lambda t, p: t.optim.SGD(p, lr=0.1),
    lambda t, p: t.optim.SGD(p, lr=0.1, maximize=True),
    lambda t, p: t.optim.SGD(p, lr=0.1, momentum=0.9, dampening=0.3),
    lambda t, p: t.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    lambda t, p: t.optim.Adagrad(p, lr=0.1, lr_decay=0.1, initial_accumulator_value=0.2),
    lambda t, p: t.optim.Adagrad(p, lr=0.1, maximize=True),
    lambda t, p: t.optim.SparseAdam(p, lr=0.1, betas=(0.8, 0.95)),
    lambda t, p: t.optim.SparseAdam(p, lr=0.1, maximize=True),
]


@pytest.mark.parametrize("make", OPTIMIZERS)
def test_steps_along_sparse_gradients_are_pytorchs(make: Callable[[Any, Any], Any]) -> None:
    states = []
    for t in (pellucid, torch):
        table = t.nn.Embedding(5, 2, sparse=True, _weight=t.arange(10.0).reshape(5, 2) / 7)
        optimizer = make(t, table.parameters())
        for step in range(4):
            optimizer.zero_grad(set_to_none=step % 2 == 0)
            table(t.tensor([[1, 2], [1, 3 + step % 2]])).square().sum().backward()
            optimizer.step()
        copied = make(t, table.parameters())
        copied.load_state_dict(copy.deepcopy(optimizer.state_dict()))
        state = next(iter(copied.state.values()), {})
        dense = {
            name: each.to_dense().tolist() if t.is_tensor(each) else each
            for name, each in state.items()
        }
        states.append((table.weight.tolist(), dense))
    (mine, own), (theirs, other) = states
    np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)
    assert own.keys() == other.keys()
    for name in own:
        np.testing.assert_allclose(own[name], other[name], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "name", ["Adam", "AdamW", "Adamax", "RMSprop", "Adadelta", "NAdam", "RAdam", "ASGD", "Rprop"]
)
def test_optimizers_that_take_no_sparse_gradients_say_so_as_pytorchs(name: str) -> None:
    sentences = []
    for t in (pellucid, torch):
        table = t.nn.Embedding(5, 2, sparse=True)
        table(t.tensor([1])).sum().backward()
        with pytest.raises(RuntimeError) as caught:
            getattr(t.optim, name)(table.parameters(), lr=0.1).step()
        sentences.append(str(caught.value))
    assert sentences[0].startswith(sentences[1])
