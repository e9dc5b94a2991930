"""Sparse tensors: what they are, and that their products agree with those of dense ones."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import pellucid as torch
from pellucid.errors import SparseLayoutError
from pellucid.sparse import SparseTensor
from tests.samples.grouped import together

PLACES = [[0, 1, 1, 0, 2], [2, 0, 2, 2, 1]]
VALUES = [3.0, -4.0, 5.0, 6.0, 0.5]
SIZE = (3, 4)


def sparse(requires_grad: bool = False) -> Any:
    return torch.sparse_coo_tensor(
        PLACES, VALUES, SIZE, dtype=torch.float64, requires_grad=requires_grad
    )


def dense() -> np.ndarray:
    return scipy.sparse.coo_matrix((VALUES, PLACES), shape=SIZE).toarray()


def random(*size: int) -> Any:
    return torch.tensor(np.random.default_rng(0).normal(size=size))


def test_elements_of_one_place_count_as_their_sum() -> None:
    assert np.array_equal(sparse().to_dense().numpy(), dense())


def test_coalescing_sorts_the_places_and_adds_up_what_shares_one() -> None:
    merged = sparse().coalesce()
    expected = scipy.sparse.coo_matrix(dense())
    assert merged.is_coalesced()
    assert merged.coalesce() is merged
    assert merged.indices().tolist() == [expected.row.tolist(), expected.col.tolist()]
    assert merged.values().tolist() == expected.data.tolist()


def test_the_parts_of_an_uncoalesced_tensor_are_given_only_as_they_are() -> None:
    s = sparse()
    with pytest.raises(RuntimeError, match="Cannot get indices on an uncoalesced tensor"):
        s.indices()
    with pytest.raises(RuntimeError, match="Cannot get values on an uncoalesced tensor"):
        s.values()
    assert s._indices().tolist() == PLACES
    assert s._values().tolist() == VALUES
    assert s._nnz() == 5


def test_it_says_what_it_is() -> None:
    s = sparse()
    assert (s.is_sparse, s.layout, s.shape, s.size(-1)) == (True, torch.sparse_coo, SIZE, 4)
    assert (s.dim(), s.ndim, s.numel(), len(s), s.sparse_dim(), s.dense_dim()) == (
        2,
        2,
        12,
        3,
        2,
        0,
    )
    assert s.dtype is torch.float64
    assert (s.is_floating_point(), s.is_complex()) == (True, False)
    assert not torch.ones(1).is_sparse


def test_a_cast_keeps_the_places() -> None:
    s = sparse()
    assert s.float().dtype is s.to(torch.float32).dtype is torch.float32
    assert s.int().to_dense().tolist() == np.trunc(s.int().to_dense().numpy()).tolist()
    assert s.long().half().double().dtype is torch.float64
    assert s.to("cpu") is s.cpu() is s.double() is s


@pytest.mark.parametrize("size", [(3, 4), (2, 3, 2), (5,), (), (0, 3)])
def test_a_dense_tensor_comes_back(size: tuple[int, ...]) -> None:
    x = torch.tensor(np.random.default_rng(1).integers(-1, 2, size).astype(np.float32))
    s = x.to_sparse()
    assert s.is_coalesced()
    assert s._nnz() == np.count_nonzero(x.numpy())
    assert np.array_equal(s.to_dense().numpy(), x.numpy())


def test_without_a_size_the_places_tell_it() -> None:
    assert torch.sparse_coo_tensor([[1, 4], [0, 2]], [1, 2]).shape == (5, 3)
    empty = torch.sparse_coo_tensor(size=(2, 3))
    assert (empty._nnz(), empty.to_dense().tolist()) == (0, [[0.0] * 3] * 2)


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        (([0, 1], [1, 2]), RuntimeError, "indices must be sparse_dim x nnz, but got"),
        (([[0, 1]], [1, 2, 3]), RuntimeError, "indices and values must have same nnz"),
        (([[0, 1]], [1, 2], (2, 2)), RuntimeError, "'len.size. == sparse_dim [+] dense_dim'"),
        (([[0, 5]], [1, 2], (2,)), RuntimeError, "for dim 0, size is 2 but found index 5"),
        (([[0, -1]], [1, 2], (2,)), RuntimeError, "found negative index -1"),
        (([[0, 1]], [[1], [2]], (2,)), RuntimeError, "dense_dim = 1"),
        (([[0, 1]], [[1], [2]], (2, 3)), RuntimeError, "values has incorrect size, expected"),
        (([[0, 1]], [1, 2], (-1,)), ValueError, "size must not be negative"),
        ((), TypeError, "missing indices and values, or size"),
    ],
)
def test_parts_that_do_not_fit_are_refused(
    arguments: Any, error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        torch.sparse_coo_tensor(*arguments)


PRODUCTS: list[Callable[[Any], Any]] = [
    lambda s: s @ random(4, 2),
    lambda s: s @ random(4),
    lambda s: random(2, 3) @ s,
    lambda s: random(3) @ s,
    lambda s: torch.mm(s, random(4, 2)),
    lambda s: torch.matmul(random(2, 3), s),
    lambda s: torch.mv(s, random(4)),
    lambda s: s.mm(random(4, 2)),
    lambda s: s @ s.t(),
    lambda s: torch.mm(s.T, s),
    lambda s: s.transpose(0, 1) @ random(3, 2),
    lambda s: s.permute(1, 0),
    lambda s: s + s,
    lambda s: s - 2 * s,
    lambda s: random(3, 4) + s,
    lambda s: torch.add(random(3, 4), s, alpha=3),
    lambda s: random(3, 4) - s,
    lambda s: torch.mul(s, 3),
    lambda s: s / 4,
    lambda s: s / torch.tensor(2.0),
    lambda s: s * s,
    lambda s: s * random(3, 4),
    lambda s: random(3, 1) * s,
    lambda s: s * random(4),
    lambda s: s.mul(random(1, 1)),
    lambda s: -s,
    lambda s: s.abs(),
    lambda s: torch.relu(s),
    lambda s: s.tanh(),
    lambda s: s.clone(),
    lambda s: s.sum(),
    lambda s: s.sum(0),
    lambda s: s.sum(-1),
]


def strided(x: Any) -> Any:
    return x.to_dense() if x.is_sparse else x


@together()
@pytest.mark.parametrize("function", PRODUCTS)
def test_a_result_is_that_of_the_dense_tensor(function: Callable[[Any], Any]) -> None:
    expected = function(torch.tensor(dense()))
    np.testing.assert_allclose(strided(function(sparse())).numpy(), expected.numpy(), atol=1e-12)


@together()
@pytest.mark.parametrize("function", PRODUCTS)
def test_values_get_the_derivatives_of_their_places(function: Callable[[Any], Any]) -> None:
    matrix = torch.tensor(dense(), requires_grad=True)
    values = torch.tensor(VALUES, dtype=torch.float64, requires_grad=True)
    s = torch.sparse_coo_tensor(PLACES, values, SIZE)
    (strided(function(s)).square().sum()).backward()
    function(matrix).square().sum().backward()
    assert values.grad is not None
    assert matrix.grad is not None
    np.testing.assert_allclose(
        values.grad.numpy(), matrix.grad.numpy()[PLACES[0], PLACES[1]], atol=1e-10
    )


def test_derivatives_of_products_agree_with_finite_differences_to_second_order() -> None:
    values = torch.tensor(VALUES, dtype=torch.float64, requires_grad=True)
    x = random(4, 2).requires_grad_()

    def product(values: Any, x: Any) -> Any:
        s = torch.sparse_coo_tensor(PLACES, values, SIZE)
        return (s @ x).tanh(), (s @ s.t()).to_dense()

    assert torch.autograd.gradcheck(product, (values, x))
    assert torch.autograd.gradgradcheck(product, (values, x), fast_mode=True)


def test_a_dense_tensor_gets_the_gradient_of_what_was_kept_of_it() -> None:
    x = torch.tensor([[0.0, 2.0], [3.0, 0.0]], requires_grad=True)
    (x.to_sparse() @ torch.tensor([[1.0], [5.0]])).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[0.0, 5.0], [1.0, 0.0]]


def test_the_gradient_of_an_uncoalesced_leaf_is_that_of_its_elements() -> None:
    def loss(s: torch.Tensor) -> torch.Tensor:
        return (torch.sparse.sum(s, 0).to_dense() * torch.tensor([1.0, 10.0, 100.0])).sum()

    indices = [[0, 1, 2, 0], [2, 0, 1, 2]]
    s = torch.sparse_coo_tensor(indices, [1.0, 2.0, 3.0, 4.0], (3, 3), requires_grad=True)
    seen = []
    s.register_hook(lambda grad: seen.append(grad.to_dense().tolist()))
    expected = [[0.0, 0.0, 100.0], [1.0, 0.0, 0.0], [0.0, 10.0, 0.0]]
    assert torch.autograd.grad(loss(s), s)[0].to_dense().tolist() == expected
    loss(s).backward()
    assert s.grad.to_dense().tolist() == expected == seen[0] == seen[1]
    loss(s).backward()
    assert s.grad.to_dense().tolist() == [[2 * each for each in row] for row in expected]
    before = s.detach().to_dense()
    torch.optim.SGD([s], lr=0.5).step()
    assert s.detach().to_dense().tolist() == (before - torch.tensor(expected)).tolist()


LEAVES: dict[str, Callable[[], Any]] = {
    "coo": lambda: torch.sparse_coo_tensor([[0, 1], [1, 0]], [3.0, 2.0], (2, 2)),
    "coo with two values at an index": lambda: torch.sparse_coo_tensor(
        [[0, 1, 0], [1, 0, 1]], [1.0, 2.0, 2.0], (2, 2)
    ),
    "csr": lambda: torch.tensor([[0.0, 3.0], [2.0, 0.0]]).to_sparse_csr(),
}


@pytest.mark.parametrize("make", LEAVES.values(), ids=LEAVES)
def test_what_is_written_into_the_gradient_of_a_sparse_leaf_stays_there(make) -> None:
    s = make().requires_grad_()
    s.to_dense().sum().backward()
    s.grad.mul_(4)
    assert s.grad.to_dense().tolist() == [[0.0, 4.0], [4.0, 0.0]]
    kept = s.grad
    kept.zero_()
    kept.add_(s.detach())
    assert s.grad.to_dense().tolist() == kept.to_dense().tolist() == [[0.0, 3.0], [2.0, 0.0]]
    s.to_dense().sum().backward()
    stale = s.grad
    s.grad = None
    stale.zero_()
    assert s.grad is None


@pytest.mark.parametrize("make", LEAVES.values(), ids=LEAVES)
def test_a_sparse_gradient_that_is_given_has_the_elements_of_its_sum(make) -> None:
    s = make().requires_grad_()
    s.grad = make()
    assert s.grad.to_dense().tolist() == [[0.0, 3.0], [2.0, 0.0]]
    (-s).backward(make())
    assert s.grad.to_dense().tolist() == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("options", [{}, {"momentum": 0.9, "nesterov": True}, {"maximize": True}])
@pytest.mark.parametrize("make", LEAVES.values(), ids=LEAVES)
def test_sgd_updates_a_sparse_leaf_as_a_dense_one(make, options: dict[str, Any]) -> None:
    def trained(weight: Any) -> list[Any]:
        weight.requires_grad_()
        optimizer = torch.optim.SGD([weight], lr=0.125, **options)
        for step in range(3):
            optimizer.zero_grad(set_to_none=step != 1)
            (weight.to_dense() ** 2).sum().backward()
            optimizer.step()
        return weight.detach().to_dense().tolist()

    np.testing.assert_allclose(trained(make()), trained(make().to_dense()), rtol=1e-6)


@pytest.mark.parametrize("kind", ["Adam", "RMSprop", "Adadelta", "NAdam", "Rprop"])
def test_other_optimizers_refuse_a_sparse_leaf(kind: str) -> None:
    s = LEAVES["coo"]().requires_grad_()
    s.to_dense().sum().backward()
    with pytest.raises(RuntimeError, match="does not support sparse gradients"):
        getattr(torch.optim, kind)([s]).step()


def test_a_sparse_leaf_has_a_sparse_gradient() -> None:
    s = sparse(requires_grad=True)
    assert s.requires_grad
    assert s.is_leaf
    assert s.grad is None
    (s @ torch.ones(4, 2, dtype=torch.float64)).sum().backward()
    assert isinstance(s.grad, SparseTensor)
    assert s.grad.to_dense().tolist() == (2.0 * (s.detach().to_dense() != 0)).tolist()
    assert not s.detach().requires_grad
    s.grad = None
    assert s.grad is None


def test_a_product_of_sparse_matrices_is_that_of_scipy() -> None:
    left: Any = scipy.sparse.random(30, 30, 0.1, "coo", rng=1)
    right: Any = scipy.sparse.random(30, 30, 0.1, "coo", rng=2)
    given = [
        torch.sparse_coo_tensor(np.stack([each.row, each.col]), each.data, (30, 30))
        for each in (left, right)
    ]
    product = torch.sparse.mm(*given)
    assert product.is_sparse
    np.testing.assert_allclose(product.to_dense().numpy(), (left @ right).toarray(), atol=1e-12)


def test_sums_over_some_dimensions_are_sparse() -> None:
    assert torch.sparse.sum(sparse()).item() == pytest.approx(dense().sum())
    assert torch.sparse.sum(sparse(), 0).to_dense().tolist() == dense().sum(0).tolist()
    assert torch.sparse.sum(sparse(), (1,)).is_sparse
    assert torch.sparse.sum(sparse(), [0, 1], dtype=torch.float32).dtype is torch.float32


def test_addmm_adds_the_product() -> None:
    found = torch.sparse.addmm(random(3, 2), sparse(), random(4, 2), beta=2, alpha=3)
    np.testing.assert_allclose(
        found.numpy(), 2 * random(3, 2).numpy() + 3 * dense() @ random(4, 2).numpy()
    )


@pytest.mark.parametrize(
    ("function", "error", "sentence"),
    [
        (lambda s: s @ torch.ones(3, 2).double(), RuntimeError, "Expected dim 0 size 4, got 3"),
        (lambda s: s @ torch.ones(3).double(), RuntimeError, "mv: expected self.size.-1. =="),
        (lambda s: s @ torch.ones(4, 2), RuntimeError, "expected scalar type Double but found"),
        (lambda s: s @ torch.ones(2, 4, 2).double(), NotImplementedError, "but got 2D and 3D"),
        (lambda s: s + torch.ones(3, 4), RuntimeError, "add.sparse, dense. is not supported"),
        (lambda s: s + 1, RuntimeError, "add.sparse, dense. is not supported"),
        (lambda s: s + s.t(), RuntimeError, "expected sizes of 'self' and 'other' to match"),
        (lambda s: s / torch.ones(3, 4), RuntimeError, "Sparse division requires a scalar"),
        (lambda s: s * torch.ones(3), RuntimeError, "does not broadcast"),
        (lambda s: s.permute(0), RuntimeError, "number of dimensions in the tensor input"),
        (lambda s: s.permute(0, 0), RuntimeError, "duplicate dims"),
        (lambda s: s.numpy(), TypeError, "can't convert Sparse layout tensor to numpy"),
        (lambda s: np.asarray(s), TypeError, "can't convert Sparse layout tensor to numpy"),
        (lambda s: torch.ones(2, 2).to_sparse(3), RuntimeError, "sparse_dim argument must be"),
        (lambda s: s.to_sparse(1), RuntimeError, "!=self.sparse_dim"),
        (lambda s: s**-1, RuntimeError, "exponents above 0"),
        (lambda s: s[0, 0, 0], IndexError, "too many indices"),
        (lambda s: s[3], IndexError, "index 3 is out of bounds for dimension 0 with size 3"),
        (lambda s: s[[-5]], IndexError, "index contains -5 that is out of range"),
    ],
)
def test_what_cannot_be_done_says_so(
    function: Callable[[Any], Any], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        function(sparse())


@together()
@pytest.mark.parametrize(
    "function",
    [
        torch.exp, torch.softmax, torch.cos, torch.nn.functional.dropout, torch.cosh,
        lambda s, *_: s.reshape(-1), lambda s, *_: s.tolist(),
        lambda s, *_: s.exp_(), lambda s, *_: s[torch.tensor([[0]])],
        lambda s, *_: torch.where(torch.ones(3, 4).bool(), s, 2.0),
    ],
)  # fmt: skip
def test_an_operation_that_needs_all_elements_refuses(function: Callable[..., Any]) -> None:
    arguments = (1,) if function is torch.softmax else ()
    with pytest.raises(SparseLayoutError, match="to_dense"):
        function(sparse(), *arguments)


def test_the_refusal_names_the_operation_and_the_users_line() -> None:
    with pytest.raises(NotImplementedError, match=r"aten::exp[^\n]*\n  in exp\n  at .*test_sparse"):
        torch.exp(sparse())


def test_it_is_written_as_its_parts() -> None:
    s = sparse(requires_grad=True).float()
    assert repr(s.detach()) == (
        "tensor(indices=tensor([[0, 1, 1, 0, 2],\n"
        "                       [2, 0, 2, 2, 1]]),\n"
        "       values=tensor([ 3.0000, -4.0000,  5.0000,  6.0000,  0.5000]),\n"
        "       size=(3, 4), nnz=5, layout=torch.sparse_coo)"
    )
    assert repr(sparse(requires_grad=True)).endswith(
        "dtype=torch.float64, layout=torch.sparse_coo,\n       requires_grad=True)"
    )
    assert repr(s * 2).endswith("layout=torch.sparse_coo, grad_fn=<MulBackward0>)")


def test_a_module_with_a_sparse_buffer_is_copied_and_cast() -> None:
    module = torch.nn.Module()
    module.register_buffer("adjacency", sparse())
    copied = copy.deepcopy(module).to("cpu").float()
    assert copied.adjacency.dtype is torch.float32
    assert copied.adjacency.to_dense().tolist() == dense().tolist()
    assert module.adjacency.dtype is torch.float64


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int32, torch.float16, torch.bool])
def test_elements_and_rows_have_the_dtype_of_the_tensor(dtype: torch.dtype) -> None:
    places = torch.tensor([[0, 0, 1], [1, 1, 0]])
    s = torch.sparse_coo_tensor(places, torch.tensor([1, 100, 3]).to(dtype), (2, 2))
    for element in (s[0, 1], s[0, 0], s.to_sparse_csr()[0, 1]):
        assert element.dtype == dtype
    assert s[0, 1].item() == (True if dtype == torch.bool else 101)
    rows = torch.sparse_coo_tensor(torch.tensor([[0, 1]]), torch.ones(2, 2, dtype=dtype), (3, 2))
    assert rows[1].dtype == dtype


def test_truths_at_one_place_are_one_truth() -> None:
    s = torch.sparse_coo_tensor([[0, 0, 1], [1, 1, 0]], [True, True, True], (2, 2))
    assert torch.sparse.sum(s).item() == s.to_dense().sum().item() == 2
    assert (s + s).dtype == (s.to_dense() + s).dtype == torch.bool


@pytest.mark.parametrize("dtype", [torch.int16, torch.uint8, torch.bool])
def test_a_sum_of_integers_along_a_dim_is_int64_and_that_of_the_sparse_module_keeps_the_dtype(
    dtype: torch.dtype,
) -> None:
    s = torch.tensor([[0, 1], [1, 1]]).to(dtype).to_sparse()
    assert s.sum(0).dtype == s.sum().dtype == torch.int64
    assert s.sum(0).to_dense().tolist() == [1, 2]
    assert torch.sparse.sum(s, 0).dtype == dtype


@pytest.mark.parametrize(("reduce", "of_row"), [("sum", np.sum), ("mean", np.mean),
                                                ("amax", np.max), ("amin", np.min)])  # fmt: skip
def test_products_with_the_elements_of_a_row_are_reduced(
    reduce: str, of_row: Callable[..., Any]
) -> None:
    matrix = np.array([[0, 1.0, 2], [0, 0, 0], [3, 0, -1]])
    other = np.array([[-2, 5.0], [0, 1], [2, 7]])
    expected = np.zeros((3, 2))
    for row in (0, 2):
        kept = matrix[row] != 0
        expected[row] = of_row(matrix[row][kept, None] * other[kept], axis=0)
    left = torch.from_numpy(matrix).to_sparse_csr().requires_grad_()
    right = torch.from_numpy(other).requires_grad_()
    assert np.allclose(torch.sparse.mm(left, right, reduce).detach().numpy(), expected)
    assert torch.autograd.gradcheck(
        lambda y: torch.sparse.mm(left.detach(), y, reduce), (right,), masked=True
    )
    with pytest.raises(RuntimeError, match="expect self to be SparseCsr"):
        torch.sparse.mm(left.to_sparse_csc(), right, reduce)


def test_sparse_matrices_are_added_to_vectors_multiplied_by_numbers_and_indexed_from_the_end(
) -> None:  # fmt: skip
    matrix = torch.arange(16.0).reshape(4, 4)
    vector, start = torch.arange(4.0), torch.ones(4)
    for sparse in (matrix.to_sparse_csr(), matrix.to_sparse_csc(), matrix.to_sparse_bsr((2, 2))):
        added = torch.addmv(start, sparse, vector, beta=0.5, alpha=2)
        assert added.tolist() == (0.5 + 2 * (matrix.numpy() @ vector.numpy())).tolist()
        assert torch.addmv(start, sparse, vector, out=torch.empty(4)).tolist() == [15, 39, 63, 87]
    sparse = matrix.to_sparse()
    assert (sparse * torch.tensor(2.0).to_sparse()).to_dense().tolist() == (2 * matrix).tolist()
    assert sparse.index_select(0, torch.tensor([-1])).to_dense().tolist() == [[12, 13, 14, 15]]
    assert torch.tensor([-1.0, 0]).to_sparse().angle().to_dense()[0].item() == pytest.approx(np.pi)


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc])
def test_a_sparse_tensor_is_a_parameter(layout: torch.layout) -> None:
    layer = torch.nn.Linear(3, 2, bias=False)
    weight = torch.tensor([[0, 1.0, 0], [2, 0, 0]])
    layer.weight = torch.nn.Parameter(weight.to_sparse(layout=layout))
    assert layer.weight.requires_grad
    assert len(list(layer.parameters())) == 1
    layer(torch.tensor([[1.0, 10, 100]])).sum().backward()
    assert layer.weight.grad is not None
    assert layer.weight.grad.to_dense().tolist() == [[0, 10, 0], [1, 0, 0]]


def test_transposed_compressed_matrices_are_operands_like_others() -> None:
    dense = torch.arange(16.0).reshape(4, 4)
    for made in (dense.to_sparse_csr(), dense.to_sparse_bsr((2, 2)), dense.to_sparse_csc()):
        for turned in (made.t(), made.transpose(0, 1).transpose(0, 1).t()):
            assert torch.addmm(dense, turned, dense).equal(dense + dense.t() @ dense)
            assert torch.addmm(dense, turned, dense, out=torch.empty(4, 4)).equal(
                dense + dense.t() @ dense
            )
            assert turned.t().layout is made.layout
