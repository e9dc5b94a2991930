"""Products of matrices and vectors, and contractions, next to NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import pellucid as torch
from tests.samples.grouped import together

SHAPES = [
    ((2, 3), (3, 4)),
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 2)),
    ((2, 2, 3), (2, 3, 2)),
    ((2, 2, 3), (3, 2)),
    ((2, 3), (2, 3, 2)),
    ((2, 2, 3), (3,)),
    ((3,), (2, 3, 2)),
    ((2, 1, 2, 3), (4, 3, 2)),
    ((0, 3), (3, 2)),
    ((2, 0), (0, 3)),
]


def arrays(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    generator = np.random.default_rng(3)
    return [generator.standard_normal(shape) for shape in shapes]


@together()
@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_matmul_agrees_with_numpy(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    x, y = arrays(left, right)
    np.testing.assert_allclose((torch.tensor(x) @ torch.tensor(y)).numpy(), x @ y)


@together()
@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_the_gradient_of_matmul_is_that_of_the_sum_of_products(
    left: tuple[int, ...], right: tuple[int, ...]
) -> None:
    x, y = (torch.tensor(each, requires_grad=True) for each in arrays(left, right))
    product = x @ y
    weights = np.arange(product.numel(), dtype=float).reshape(tuple(product.shape))
    (product * torch.tensor(weights)).sum().backward()
    # Both are linear, so the gradient is found by trying each unit.
    for operand, make in ((x, lambda e: e @ y.detach()), (y, lambda e: x.detach() @ e)):
        assert operand.grad is not None
        for place in np.ndindex(*operand.shape):
            unit = np.zeros(tuple(operand.shape))
            unit[place] = 1
            wanted = (make(torch.tensor(unit)).numpy() * weights).sum()
            assert operand.grad[place].item() == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        ((2, 3), (2, 3), r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x3\)"),
        ((2,), (3,), "inconsistent tensor size"),
        ((2, 3), (2,), r"size mismatch, got input \(2\), mat \(2x3\), vec \(2\)"),
        ((2, 3, 4), (2, 3, 4), r"Expected size for first two dimensions of batch2"),
        ((2, 3, 4), (3, 4, 2), r"The size of tensor a \(2\) must match the size of tensor b"),
        ((), (2,), "both arguments to matmul need to be at least 1D, but they are 0D and 1D"),
    ],
)
def test_shapes_that_do_not_go_together_are_refused_in_pytorchs_words(
    left: tuple[int, ...], right: tuple[int, ...], message: str
) -> None:
    with pytest.raises(RuntimeError, match=message):
        torch.ones(left) @ torch.ones(right)


def test_unlike_dtypes_are_refused() -> None:
    with pytest.raises(RuntimeError, match="same dtype, but got: float != double"):
        torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.float64)
    with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
        torch.ones(2, 2, dtype=torch.bool) @ torch.ones(2, 2, dtype=torch.bool)


def test_half_precision_is_multiplied_in_single_precision() -> None:
    ones = torch.ones(1, 5000, dtype=torch.float16)
    product = ones @ ones.T
    assert (product.dtype, product.item()) == (torch.float16, 5000)


@pytest.mark.parametrize("shape", [(2, 3), (3,), (2, 2, 3)])
@pytest.mark.parametrize("with_bias", [True, False])
def test_linear_multiplies_by_the_transpose_and_adds(
    shape: tuple[int, ...], with_bias: bool
) -> None:
    x, w, b = arrays(shape, (4, 3), (4,))
    out = torch.nn.functional.linear(
        torch.tensor(x), torch.tensor(w), torch.tensor(b) if with_bias else None
    )
    np.testing.assert_allclose(out.numpy(), x @ w.T + (b if with_bias else 0))


def test_linear_leaves_its_bias_alone() -> None:
    bias = torch.ones(4)
    torch.nn.functional.linear(torch.ones(2, 3), torch.ones(4, 3), bias)
    assert bias.tolist() == [1.0] * 4


def test_linear_refuses_what_does_not_fit() -> None:
    linear = torch.nn.functional.linear
    with pytest.raises(RuntimeError, match=r"cannot be multiplied \(2x3 and 2x4\)"):
        linear(torch.ones(2, 3), torch.ones(4, 2))
    with pytest.raises(RuntimeError, match=r"The expanded size of the tensor \(4\) must match"):
        linear(torch.ones(2, 3), torch.ones(4, 3), torch.ones(5))
    with pytest.raises(RuntimeError, match="same dtype"):
        linear(torch.ones(2, 3), torch.ones(4, 3), torch.ones(4, dtype=torch.float64))


def test_a_node_is_named_after_the_kind_of_product() -> None:
    m, v = torch.ones(2, 2, requires_grad=True), torch.ones(2, requires_grad=True)
    names = [each.grad_fn.name() for each in (v @ v, m @ v, m @ m)]
    assert names == ["DotBackward0", "MvBackward0", "MmBackward0"]
    assert torch.nn.functional.linear(m, m, v).grad_fn.name() == "AddmmBackward0"


@together()
@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("bij,bjk->kbi", [(2, 2, 3), (2, 3, 2)]),
        ("ii->i", [(3, 3)]),
        ("ii", [(3, 3)]),
        ("ij->ji", [(2, 3)]),
        ("ij->", [(2, 3)]),
        ("ij,kl->jl", [(2, 3), (2, 2)]),
        ("...ij,...jk", [(2, 2, 3), (3, 2)]),
        ("i,i,i->i", [(3,), (3,), (3,)]),
        ("bn,anm,bm->ba", [(2, 3), (4, 3, 2), (2, 2)]),
        ("i,j->ij", [(2,), (3,)]),
        (",i->i", [(), (2,)]),
    ],
)
def test_einsum_agrees_with_numpy(equation: str, shapes: list[tuple[int, ...]]) -> None:
    operands = arrays(*shapes)
    got = torch.einsum(equation, *map(torch.tensor, operands))
    np.testing.assert_allclose(got.numpy(), np.einsum(equation, *operands))


def test_einsum_takes_lists_of_numbers_as_well() -> None:
    x, y = arrays((2, 3), (3, 4))
    got = torch.einsum(torch.tensor(x), [0, 1], torch.tensor(y), [1, 2], [2, 0])
    np.testing.assert_allclose(got.numpy(), (x @ y).T)


@pytest.mark.parametrize(
    ("equation", "message"),
    [
        ("ij,jk", "does not broadcast with previously seen size"),
        ("ij->k", "fewer operands|more operands"),
        ("ij,ij->k", "output subscript k does not appear"),
        ("ij,i1", "invalid subscript"),
        ("i,ij", "number of subscripts"),
    ],
)
def test_einsum_refuses_what_has_no_meaning(equation: str, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        torch.einsum(equation, torch.ones(2, 3), torch.ones(2, 3))


def test_tensordot_agrees_with_numpy() -> None:
    x, y = arrays((2, 3, 4), (4, 3, 2))
    for dims in (1, ([1, 2], [1, 0]), ([0], [2])):
        got = torch.tensordot(torch.tensor(x), torch.tensor(y), dims)
        np.testing.assert_allclose(got.numpy(), np.tensordot(x, y, dims))


def test_products_by_other_names_agree_with_numpy() -> None:
    x, y, v, w = arrays((2, 3), (4, 3), (3,), (3,))
    a, b, c, d = map(torch.tensor, (x, y, v, w))
    np.testing.assert_allclose(torch.inner(a, b).numpy(), np.inner(x, y))
    np.testing.assert_allclose(torch.outer(c, d).numpy(), np.outer(v, w))
    np.testing.assert_allclose(torch.kron(a, b).numpy(), np.kron(x, y))
    np.testing.assert_allclose(torch.dot(c, d).item(), v @ w)
    np.testing.assert_allclose(
        torch.addmv(c[:2], a, c, beta=2, alpha=3).numpy(), 2 * v[:2] + 3 * x @ v
    )


def test_an_activation_may_follow_a_sum_with_a_product() -> None:
    a, b = torch.tensor([[1.0, -2.0], [3.0, 0.5]], requires_grad=True), torch.ones(2, 2)
    added = 0.5 - 2 * a.detach().numpy() @ b.numpy()
    given = (torch.full((2,), 0.25), a, b)
    found = torch._addmm_activation(*given, beta=2, alpha=-2)
    np.testing.assert_array_equal(found.detach().numpy(), np.maximum(added, 0))
    found.sum().backward()
    np.testing.assert_array_equal(a.grad.numpy(), [[-4, -4], [0, 0]])
    smooth = torch._addmm_activation(*given, beta=2, alpha=-2, use_gelu=True).detach().numpy()
    np.testing.assert_allclose(smooth, added * scipy.special.ndtr(added), atol=1e-6)


def test_a_beta_of_zero_ignores_what_is_not_a_number() -> None:
    nan = torch.full((2, 2), float("nan"))
    assert torch.addmm(nan, torch.eye(2), torch.eye(2), beta=0).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("name", "shapes"),
    [
        ("addmm", [(2,), (2, 3), (3, 2)]),
        ("addmv", [(2,), (2, 3), (3,)]),
        ("addr", [(2, 3), (2,), (3,)]),
        ("addbmm", [(2, 2), (4, 2, 3), (4, 3, 2)]),
        ("baddbmm", [(1, 2), (4, 2, 3), (4, 3, 2)]),
    ],
)
def test_with_a_beta_of_zero_the_input_still_has_a_gradient_and_it_is_zero(name, shapes) -> None:
    ignored = torch.full(shapes[0], float("nan"), requires_grad=True)
    left, right = (torch.ones(shape, requires_grad=True) for shape in shapes[1:])
    result = getattr(torch, name)(ignored, left.detach(), right.detach(), beta=0)
    assert result.requires_grad
    assert not result.isnan().any()
    (gradient,) = torch.autograd.grad(result.sum(), ignored)
    assert gradient.shape == shapes[0]
    assert not gradient.any()
    expected = torch.autograd.grad((getattr(torch, name)(torch.zeros(1), left, right)).sum(), left)
    got = torch.autograd.grad(getattr(torch, name)(ignored, left, right, beta=0).sum(), left)
    assert torch.equal(got[0], expected[0])


@pytest.mark.parametrize("name", ["addmm", "addmv", "baddbmm", "addbmm"])
def test_factors_of_integer_products_are_rounded_towards_zero(name: str) -> None:
    a = torch.arange(8).view(2, 2, 2)
    given = {
        "addmm": (a[0], a[0], a[0]), "addmv": (a[0, 1], a[0], a[0, 1]), "baddbmm": (a, a, a),
        "addbmm": (a[0], a, a),
    }  # fmt: skip
    function = getattr(torch, name)
    found = function(*given[name], alpha=1.5, beta=2.9)
    assert found.dtype is torch.int64
    assert torch.equal(found, function(*given[name], alpha=1, beta=2))


def test_addr_of_integers_refuses_factors_that_are_none() -> None:
    v = torch.arange(2)
    with pytest.raises(RuntimeError, match="argument alpha must not be a floating point number"):
        torch.addr(torch.ones(2, 2, dtype=torch.int64), v, v, alpha=1.5)


def test_addr_of_booleans_stays_boolean() -> None:
    v = torch.tensor([False, True])
    found = torch.addr(torch.zeros(2, 2, dtype=torch.bool), v, v, alpha=2)
    assert found.tolist() == [[False, False], [False, True]]
