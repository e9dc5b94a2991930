"""Compressed and hybrid tensors do what the dense tensor of the same elements does."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import pellucid as torch
from pellucid.sparse import SparseTensor
from tests.samples.grouped import together

MATRIX = np.array([[0.0, 2, 0, -1], [0, 0, 0, 0], [3, 0, 0.5, 0], [0, 0, 0, 4]])

LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "coo": lambda x: x.to_sparse(),
    "hybrid": lambda x: x.to_sparse(1),
    "csr": lambda x: x.to_sparse_csr(),
    "csc": lambda x: x.to_sparse_csc(),
    "bsr": lambda x: x.to_sparse_bsr((2, 2)),
    "bsc": lambda x: x.to_sparse_bsc((2, 1)),
}
#: those whose elements are numbers
MATRIX_LAYOUTS = [name for name in LAYOUTS if name != "hybrid"]


def strided(x: Any) -> Any:
    return x.to_dense() if isinstance(x, SparseTensor) else x


def dense(requires_grad: bool = False) -> Any:
    return torch.tensor(MATRIX, requires_grad=requires_grad)


def random(*size: int) -> Any:
    return torch.tensor(np.random.default_rng(0).normal(size=size))


@pytest.mark.parametrize("layout", ["csr", "csc"])
def test_the_parts_of_a_compressed_matrix_are_scipys(layout: str) -> None:
    expected = getattr(scipy.sparse, f"{layout}_matrix")(MATRIX)
    found = LAYOUTS[layout](dense())
    ends, others = (
        (found.crow_indices(), found.col_indices())
        if layout == "csr"
        else (found.ccol_indices(), found.row_indices())
    )
    assert ends.tolist() == expected.indptr.tolist()
    assert others.tolist() == expected.indices.tolist()
    assert found.values().tolist() == expected.data.tolist()


def test_the_blocks_of_a_matrix_are_scipys() -> None:
    expected: Any = scipy.sparse.bsr_matrix(MATRIX, blocksize=(2, 2))
    found = dense().to_sparse_bsr((2, 2))
    assert found.crow_indices().tolist() == expected.indptr.tolist()
    assert found.col_indices().tolist() == expected.indices.tolist()
    assert found.values().tolist() == expected.data.tolist()


@together()
@pytest.mark.parametrize("source", MATRIX_LAYOUTS)
@pytest.mark.parametrize("target", MATRIX_LAYOUTS)
def test_every_layout_becomes_every_other(source: str, target: str) -> None:
    turned = LAYOUTS[target](LAYOUTS[source](dense()))
    assert turned.layout is LAYOUTS[target](dense()).layout
    assert np.array_equal(turned.to_dense().numpy(), MATRIX)


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "dense": lambda s: s,
    "times a number": lambda s: s * 3,
    "over a number": lambda s: s / 4,
    "times itself": lambda s: s * s,
    "times a dense one": lambda s: s * random(4, 4),
    "times a row": lambda s: s * random(4),
    "plus itself": lambda s: s + s * 2,
    "minus": lambda s: s * 3 - s,
    "added to a dense one": lambda s: random(4, 4) + s,
    "added, scaled": lambda s: torch.add(random(4, 4), s, alpha=3),
    "negative": lambda s: -s,
    "sine": lambda s: s.sin(),
    "power": lambda s: s**3,
    "sum": lambda s: s.sum(),
    "sum of columns": lambda s: s.sum(0),
    "sum of rows, kept": lambda s: s.sum(1, keepdim=True),
    "norm": lambda s: s.norm(),
    "row": lambda s: s[2],
    "column": lambda s: s[:, 3],
    "element": lambda s: s[2, 0],
    "rows": lambda s: s[1:3],
    "every other row": lambda s: s[::2],
    "listed rows": lambda s: s[[3, -4, 3]],
    "listed columns": lambda s: s.index_select(1, torch.tensor([3, 0, 3])),
    "narrowed": lambda s: torch.narrow(s, 1, 1, 2),
    "new dimension in front": lambda s: s[None],
    "new dimension behind": lambda s: s.unsqueeze(-1),
    "copy": lambda s: s.clone(),
    "joined": lambda s: torch.cat([s, s * 2]),
    "joined along columns": lambda s: torch.cat([s, s * 2], 1),
    "stacked": lambda s: torch.stack([s, s]),
    "cast": lambda s: s.to(torch.float32).double(),
}
MATRICES_ONLY: dict[str, Callable[[Any], Any]] = {
    "times a matrix": lambda s: s @ random(4, 2),
    "times a vector": lambda s: s @ random(4),
    "matrix times it": lambda s: random(3, 4) @ s,
    "vector times it": lambda s: random(4) @ s,
    "times its transpose": lambda s: s @ s.t(),
    "transpose": lambda s: s.t(),
    "transposed": lambda s: s.transpose(0, 1),
    "permuted": lambda s: s.permute(1, 0),
    "linear": lambda s: torch.nn.functional.linear(random(3, 4), s),
    "addmm": lambda s: torch.addmm(random(4, 2), s, random(4, 2), beta=0.5),
    "sparse.addmm": lambda s: torch.sparse.addmm(random(4, 2), s, random(4, 2), alpha=2),
}


CALLS = [(layout, name) for layout in LAYOUTS for name in FUNCTIONS]
CALLS += [(layout, name) for layout in MATRIX_LAYOUTS for name in MATRICES_ONLY]


@together()
@pytest.mark.parametrize(("layout", "name"), CALLS)
def test_values_and_derivatives_are_those_of_the_dense_tensor(layout: str, name: str) -> None:
    function = (FUNCTIONS | MATRICES_ONLY)[name]
    sparse = LAYOUTS[layout](dense()).requires_grad_()
    matrix = dense(requires_grad=True)
    found, expected = strided(function(sparse)), function(matrix)
    np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy(), atol=1e-12)
    found.square().sum().backward()
    expected.square().sum().backward()
    assert matrix.grad is not None
    kept = sparse.with_values(torch.ones_like(sparse.values())).to_dense().detach().numpy() != 0
    np.testing.assert_allclose(
        sparse.grad.to_dense().numpy(), np.where(kept, matrix.grad.numpy(), 0), atol=1e-10
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_tensor_comes_back_from_copies_pickles_and_files(layout: str) -> None:
    sparse = LAYOUTS[layout](dense())
    file = io.BytesIO()
    torch.save({"adjacency": sparse}, file)
    file.seek(0)
    for copied in (
        torch.load(file)["adjacency"], copy.deepcopy(sparse), pickle.loads(pickle.dumps(sparse)),
    ):  # fmt: skip
        assert copied is not sparse
        assert repr(copied) == repr(sparse)
    assert pickle.loads(pickle.dumps(sparse.requires_grad_())).requires_grad


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_changed_in_place_is_the_tensor_itself(layout: str) -> None:
    sparse = LAYOUTS[layout](dense())
    assert sparse.mul_(2) is sparse
    sparse.add_(sparse)
    sparse.neg_()
    np.testing.assert_array_equal(sparse.to_dense().numpy(), -4 * MATRIX)
    sparse.copy_(LAYOUTS[layout](dense()))
    np.testing.assert_array_equal(sparse.to_dense().numpy(), MATRIX)
    sparse.zero_()
    assert (sparse._nnz(), sparse.layout) == (0, LAYOUTS[layout](dense()).layout)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        LAYOUTS[layout](dense()).requires_grad_().mul_(2)


def test_a_dense_tensor_changed_by_a_sparse_one_has_both_gradients() -> None:
    x, values = dense(requires_grad=True), torch.ones(2, dtype=torch.float64, requires_grad=True)
    y = x * 2
    y.add_(torch.sparse_coo_tensor([[0, 3], [1, 1]], values, (4, 4)), alpha=5)
    y.sum().backward()
    assert x.grad is not None
    assert values.grad is not None
    assert (x.grad.unique().tolist(), values.grad.tolist()) == ([2.0], [5.0, 5.0])


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_softmax_is_that_of_the_dense_tensor_without_what_is_not_kept(dim: int) -> None:
    x = random(3, 4, 2)
    x[random(3, 4).abs() < 0.5] = 0
    sparse = x.to_sparse(2)
    kept = np.any(x.numpy() != 0, 2, keepdims=True)
    filled = torch.where(torch.tensor(np.broadcast_to(kept, x.shape)), x, -torch.inf)
    expected = torch.softmax(filled, dim).nan_to_num(0)
    found = torch.sparse.softmax(sparse, dim)
    np.testing.assert_allclose(found.to_dense().numpy(), expected.numpy(), atol=1e-12)
    logs = torch.sparse.log_softmax(sparse, dim).values()
    np.testing.assert_allclose(logs.exp().numpy(), found.values().numpy(), atol=1e-12)
    assert torch.autograd.gradcheck(
        lambda s: torch.sparse.log_softmax(s, dim), sparse.requires_grad_(), fast_mode=True
    )


def test_products_are_sampled_at_the_indices_of_a_matrix() -> None:
    left, right = random(4, 3), random(3, 4)
    sparse = dense().to_sparse_csr().requires_grad_()
    left.requires_grad_()
    found = torch.sparse.sampled_addmm(sparse, left, right, beta=2, alpha=3)
    expected = np.where(MATRIX != 0, 2 * MATRIX + 3 * (left @ right).detach().numpy(), 0)
    np.testing.assert_allclose(found.to_dense().detach().numpy(), expected)
    assert torch.autograd.gradcheck(
        lambda s, a: torch.sparse.sampled_addmm(s, a, right), (sparse, left)
    )


def test_diagonals_lie_where_scipy_has_them() -> None:
    rows, offsets = np.arange(15.0).reshape(3, 5) + 1, [0, -2, 1]
    for shape in ((5, 5), (3, 6), (7, 4)):
        found = torch.sparse.spdiags(torch.tensor(rows), torch.tensor(offsets), shape)
        expected = scipy.sparse.spdiags(rows, offsets, *shape).toarray()
        np.testing.assert_array_equal(found.to_dense().numpy(), expected)
    in_rows = torch.sparse.spdiags(
        torch.tensor(rows), torch.tensor(offsets), (5, 5), torch.sparse_csr
    )
    assert in_rows.is_sparse_csr


def test_batches_of_sparse_matrices_are_multiplied() -> None:
    batch, other = random(2, 3, 4), random(2, 4, 5)
    batch[batch.abs() < 0.7] = 0
    np.testing.assert_allclose(
        torch.bmm(batch.to_sparse(), other).numpy(), (batch @ other).numpy(), atol=1e-12
    )


def test_the_old_constructors_are_there() -> None:
    places, values = torch.tensor([[0, 1]]), torch.tensor([1.0, 2.0])
    s = torch.sparse.FloatTensor(places, values, torch.Size([3]))
    assert s.to_dense().tolist() == [1.0, 2.0, 0.0]
    assert torch.sparse.LongTensor(2, 3).dtype is torch.int64
    assert (s.type(), torch.sparse.DoubleTensor().shape) == ("torch.sparse.FloatTensor", (0,))
    assert isinstance(s, torch.sparse.FloatTensor)
    assert not isinstance(s, torch.sparse.DoubleTensor)


def test_empty_tensors_are_made_in_every_layout() -> None:
    for layout in (torch.sparse_coo, torch.sparse_csr, torch.sparse_csc):
        assert torch.zeros(2, 3, layout=layout).layout is layout
        assert torch.zeros_like(dense(), layout=layout).layout is layout
    like = torch.zeros_like(dense().to_sparse(1))
    assert (like._nnz(), like.sparse_dim(), like.dense_dim()) == (0, 1, 1)
    assert dense().to_sparse().new_zeros(2, 2).is_sparse


def test_a_mask_gives_its_indices_to_a_dense_tensor() -> None:
    mask = torch.eye(4).to_sparse_csr()
    found = dense().sparse_mask(mask)
    assert (found.is_sparse_csr, found.dtype) == (True, torch.float64)
    assert found.values().tolist() == np.diag(MATRIX).tolist()


def test_the_gradient_of_a_sparse_tensor_is_asked_for_in_its_own_form() -> None:
    sparse = dense().to_sparse_csr().requires_grad_()
    seen: list[Any] = []
    handle = sparse.register_hook(lambda g: seen.append(g.layout) or g * 2)
    (found,) = torch.autograd.grad((sparse * 3).to_dense().sum(), sparse)
    assert (found.layout, found.values().tolist()) == (torch.sparse_csr, [6.0] * 5)
    assert seen == [torch.sparse_csr]
    handle.remove()
    (sparse * 3).backward(dense().to_sparse_csr())
    np.testing.assert_array_equal(sparse.grad.to_dense().numpy(), 3 * MATRIX)


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        (([0, 1, 3], [0, 1], [1.0, 2]), r"`crow_indices\[..., -1\] == nnz` is not satisfied"),
        (([1, 1, 2], [0, 1], [1.0, 2]), r"`crow_indices\[..., 0\] == 0` is not satisfied"),
        (([0, 1, 2], [0, 5], [1.0, 2]), "`0 <= col_indices < ncols` is not satisfied"),
        (([0, 2, 2], [1, 0], [1.0, 2]), "are sorted and distinct along the last dimension"),
        (([0, 2, 1, 2], [0, 1], [1.0, 2]), "number of rows"),
        (([0, 1, 2], [0, 1], [1.0]), "must be equal to nnz"),
        (([[0, 1, 2]], [0, 1], [1.0, 2]), "dimensionalities must be equal"),
        (([0.0, 1, 2], [0, 1], [1.0, 2]), "int32 or int64"),
    ],
)
def test_parts_of_a_compressed_matrix_that_do_not_fit_are_refused(
    parts: Any, sentence: str
) -> None:
    with pytest.raises(RuntimeError, match=sentence):
        torch.sparse_csr_tensor(*parts, (2, 2))
    with pytest.raises(RuntimeError, match="expected sparse compressed tensor layout"):
        torch.sparse_compressed_tensor(*parts, (2, 2))


@together()
@pytest.mark.parametrize(
    ("function", "error", "sentence"),
    [
        (lambda s: s.indices(), RuntimeError, "indices expected sparse coordinate"),
        (lambda s: s.ccol_indices(), RuntimeError, "expected sparse column compressed"),
        (lambda s: s.coalesce(), RuntimeError, "but got SparseCsr"),
        (lambda s: s.numpy(), TypeError, "can't convert SparseCsr layout"),
        (lambda s: s.to_sparse_bsr((3, 3)), RuntimeError, "must be divisible by given blocksize"),
        (lambda s: s.exp(), NotImplementedError, "to_dense"),
        (lambda s: torch.sparse.softmax(s, 1), NotImplementedError, "to_dense"),
        (lambda s: torch.ones(2, 2, 2).to_sparse().to_sparse_csr(), RuntimeError, "sparse_dim"),
        (lambda s: torch.tensor([[[1, 0]], [[1, 1]]]).to_sparse_csr(), RuntimeError, "per batch"),
        (lambda s: torch.empty(2, layout=torch.sparse_csr), RuntimeError, "Only batched sparse"),
        (lambda s: torch.empty(2, 2, layout=torch.sparse_bsr), RuntimeError, "non-block"),
        (lambda s: torch.empty_like(s, layout=torch.sparse_csc), RuntimeError, "different sparse"),
        (lambda s: torch.ones(2).to_sparse_csr(), RuntimeError, "needs a matrix"),
        (lambda s: s.__setitem__(0, 1), TypeError, "to_dense"),
        (lambda s: bool(s), RuntimeError, "is ambiguous"),
        (lambda s: s.item(), RuntimeError, "cannot be converted to Scalar"),
    ],
)
def test_what_a_compressed_matrix_cannot_do_says_so(
    function: Callable[[Any], Any], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        function(dense().to_sparse_csr())


def test_a_module_with_a_sparse_buffer_is_saved_and_loaded() -> None:
    first, second = (torch.nn.Module() for _ in range(2))
    first.register_buffer("adjacency", dense().to_sparse_csr())
    second.register_buffer("adjacency", torch.eye(4).double().to_sparse_csr())
    second.load_state_dict(first.state_dict())
    assert np.array_equal(second.adjacency.to_dense().numpy(), MATRIX)


def test_sparse_tensors_are_compared_by_assert_close() -> None:
    torch.testing.assert_close(dense().to_sparse(), dense().to_sparse())
    with pytest.raises(AssertionError, match="number of specified values"):
        torch.testing.assert_close(dense().to_sparse(), torch.eye(4).double().to_sparse())
    with pytest.raises(AssertionError, match="'layout' do not match"):
        torch.testing.assert_close(dense().to_sparse(), dense().to_sparse_csr())


def test_a_function_of_the_user_may_save_and_take_sparse_tensors() -> None:
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, matrix: Any, other: Any) -> Any:
            ctx.save_for_backward(matrix, other)
            return matrix @ other

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            matrix, other = ctx.saved_tensors
            return (grad @ other.t()).sparse_mask(matrix), matrix.t() @ grad

    sparse, other = dense().to_sparse().requires_grad_(), random(4, 2).requires_grad_()
    expected = torch.autograd.grad((sparse @ other).square().sum(), (sparse, other))
    found = torch.autograd.grad(Product.apply(sparse, other).square().sum(), (sparse, other))
    for each, wanted in zip(found, expected, strict=True):
        torch.testing.assert_close(each, wanted)


BATCH = np.array([[[1.0, 0], [0, 2]], [[0, 3], [4, 0]], [[5, 0], [6, 0]]])


@together()
@pytest.mark.parametrize("layout", ["sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc"])
def test_a_batch_of_matrices_is_compressed_and_comes_back(layout: str) -> None:
    kind = getattr(torch, layout)
    blocks = {"blocksize": (2, 1)} if kind in (torch.sparse_bsr, torch.sparse_bsc) else {}
    batch = BATCH if kind is not torch.sparse_csc else np.swapaxes(BATCH, 1, 2)
    if blocks:
        batch = BATCH[:2]
    dense = torch.tensor(batch, requires_grad=True)
    matrices = dense.to_sparse(layout=kind, **blocks)
    assert matrices.shape == dense.shape
    assert (matrices.sparse_dim(), matrices.dense_dim()) == (2, 0)
    assert np.array_equal(matrices.to_dense().detach().numpy(), batch)
    assert np.array_equal(matrices[1].to_dense().detach().numpy(), batch[1])
    turned = matrices.transpose(1, 2)
    assert np.array_equal(turned.to_dense().detach().numpy(), np.swapaxes(batch, 1, 2))
    (matrices * 3).to_dense().sum().backward()
    assert dense.grad is not None
    assert np.array_equal(dense.grad.numpy()[batch != 0], np.full((batch != 0).sum(), 3.0))
    with pytest.raises(RuntimeError, match="selecting sparse dimensions is not supported"):
        matrices.select(1, 0)


def test_a_batch_is_made_of_its_parts_which_are_checked() -> None:
    ends, others = torch.tensor([[0, 1, 2], [0, 1, 2]]), torch.tensor([[0, 1], [1, 0]])
    values = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    made = torch.sparse_csr_tensor(ends, others, values, (2, 2, 2))
    assert made._nnz() == 2
    assert made.to_sparse().indices().tolist() == [[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]]
    with pytest.raises(RuntimeError, match="all batch dimensions of crow_indices"):
        torch.sparse_csr_tensor(ends, others[:1], values, (2, 2, 2))
    with pytest.raises(RuntimeError, match=r"`0 <= col_indices < ncols`|col_indices"):
        torch.sparse_csr_tensor(ends, others + 5, values, (2, 2, 2))


@together()
@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc])
def test_out_takes_a_sparse_result(layout: Any) -> None:
    given = dense().to_sparse(layout=layout)
    out = torch.empty(given.shape, dtype=given.dtype, layout=layout)
    assert torch.sin(given, out=out) is out
    assert out.layout is layout
    assert np.array_equal(out.to_dense().numpy(), np.sin(MATRIX))
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.sin(given, out=torch.empty(given.shape, dtype=torch.int64, layout=layout))


def test_addmm_of_sparse_matrices_alone() -> None:
    square = torch.tensor(MATRIX @ MATRIX.T).to_sparse_csr()
    result = torch.addmm(square, square, square, beta=2, alpha=3)
    assert result.layout is torch.sparse_csr
    wanted = MATRIX @ MATRIX.T
    assert np.allclose(result.to_dense().numpy(), 2 * wanted + 3 * wanted @ wanted)


@pytest.mark.parametrize("layout", [torch.sparse_csr, torch.sparse_csc], ids=str)
def test_products_of_compressed_matrices_have_the_layout_of_what_is_added(layout):
    dense = torch.arange(12.0).reshape(3, 4)
    left, right = dense.to_sparse(layout=layout), dense.t().contiguous().to_sparse(layout=layout)
    for beta in (0, 0.5):
        found = torch.addmm(torch.ones(3, 3), left, right, beta=beta)
        assert found.layout is torch.strided
        assert found.equal(torch.addmm(torch.ones(3, 3), dense, dense.t(), beta=beta))
    with pytest.raises(RuntimeError, match=r"cannot be multiplied \(3x4 and 3x4\)"):
        torch.mm(left, left)
    with pytest.raises(RuntimeError, match=r"cannot be multiplied \(3x4 and 3x4\)"):
        torch.mm(left, dense)


@pytest.mark.parametrize("layout", [torch.sparse_csr, torch.sparse_bsc], ids=str)
def test_a_dimension_exchanged_with_itself_keeps_the_layout(layout):
    blocks = (2, 2) if layout is torch.sparse_bsc else None
    matrix = torch.eye(4).to_sparse(layout=layout, blocksize=blocks)
    same = matrix.transpose(1, -1)
    assert same.layout is layout
    assert same.to_dense().equal(torch.eye(4))
