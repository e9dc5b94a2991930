"""Reductions, extremes and statistics, next to NumPy and plain definitions."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import pellucid as torch
from tests.samples.grouped import together

VALUES = np.array([[1.0, -2.0, 3.5], [0.5, 4.0, -1.0]])


def tensor(values: object, **options: object) -> torch.Tensor:
    return torch.tensor(np.array(values), **options)  # pyright: ignore[reportArgumentType]


@together()
@pytest.mark.parametrize("name", ["sum", "mean", "prod", "amax", "amin"])
@pytest.mark.parametrize("dim", [None, 0, -1])
@pytest.mark.parametrize("keepdim", [False, True])
def test_reductions_agree_with_numpy(name: str, dim: int | None, keepdim: bool) -> None:
    got = getattr(torch, name)(tensor(VALUES), dim, keepdim)
    wanted = getattr(np, name)(VALUES, axis=dim, keepdims=keepdim)
    np.testing.assert_allclose(got.numpy(), wanted)


@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize("correction", [0, 1, 2])
def test_spread_agrees_with_numpy(name: str, correction: int) -> None:
    got = getattr(torch, name)(tensor(VALUES), 1, correction=correction)
    np.testing.assert_allclose(got.numpy(), getattr(np, name)(VALUES, axis=1, ddof=correction))


def test_unbiased_is_another_word_for_a_correction_of_one() -> None:
    x = tensor(VALUES)
    assert x.var(unbiased=True).item() == x.var(correction=1).item()
    assert x.var(False).item() == x.var(correction=0).item()


def test_too_few_elements_for_a_variance_give_nan_and_a_warning() -> None:
    with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
        assert np.isnan(tensor([1.0]).var().item())


def test_numpys_names_of_the_arguments_are_taken_too() -> None:
    got = tensor(VALUES).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(got.numpy(), VALUES.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int32])
def test_integers_are_added_up_as_int64(dtype: torch.dtype) -> None:
    total = torch.ones(300, dtype=dtype).sum()
    assert (total.dtype, total.item()) == (torch.int64, 300)


def test_half_precision_is_added_up_in_single_precision() -> None:
    assert torch.ones(5000, dtype=torch.float16).sum().item() == 5000


def test_the_mean_of_integers_needs_a_dtype() -> None:
    with pytest.raises(RuntimeError, match="could not infer output dtype"):
        torch.ones(2, dtype=torch.int64).mean()
    assert torch.ones(2, dtype=torch.int64).mean(dtype=torch.float64).dtype is torch.float64


def test_the_mean_of_nothing_is_nan_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(torch.ones(0).mean().item())


def test_nothing_has_no_extreme() -> None:
    empty = torch.ones(0, 2)
    with pytest.raises(RuntimeError, match="Expected reduction dim to be specified"):
        empty.max()
    with pytest.raises(IndexError, match="Expected reduction dim 0 to have non-zero size"):
        empty.max(0)
    with pytest.raises(IndexError, match="argmax"):
        empty.argmax()


def test_max_has_three_forms() -> None:
    x = tensor(VALUES)
    assert x.max().item() == 4.0
    values, indices = x.max(1)
    assert values.tolist() == [3.5, 4.0]
    assert indices.tolist() == [2, 1]
    assert torch.max(x, torch.zeros(3, dtype=torch.float64)).tolist() == [[1, 0, 3.5], [0.5, 4, 0]]
    assert x.max(dim=0, keepdim=True).indices.shape == (1, 3)
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        torch.max(x, (0, 1))


def test_a_pair_of_values_and_indices_prints_its_names() -> None:
    assert repr(torch.tensor([1.0, 2.0]).max(0)) == (
        "torch.return_types.max(\nvalues=tensor(2.),\nindices=tensor(1))"
    )


def test_ties_share_a_gradient_equally_where_no_index_names_one() -> None:
    for name in ("max", "amax"):
        x = torch.tensor([1.0, 3.0, 3.0], requires_grad=True)
        getattr(x, name)().backward()
        assert x.grad is not None
        assert x.grad.tolist() == [0.0, 0.5, 0.5]
    x = torch.tensor([1.0, 3.0, 3.0], requires_grad=True)
    x.max(0).values.backward()
    assert x.grad is not None
    assert x.grad.tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("p", [0, 1, 2, 3, 0.5, float("inf"), -float("inf")])
def test_norms_agree_with_numpy(p: float) -> None:
    got = torch.norm(tensor(VALUES), p, 1)
    np.testing.assert_allclose(got.numpy(), np.linalg.norm(VALUES, p, axis=1))


@pytest.mark.parametrize("p", [1, 2, 3, float("inf")])
def test_the_gradient_of_a_norm_at_zero_is_zero(p: float) -> None:
    x = torch.zeros(3, requires_grad=True)
    torch.norm(x, p).backward()
    assert x.grad is not None
    assert x.grad.tolist() == [0.0, 0.0, 0.0]


def test_the_gradient_of_a_product_needs_no_division_by_zero() -> None:
    x = torch.tensor([[2.0, 0.0, 3.0], [0.0, 0.0, 5.0]], requires_grad=True)
    x.prod(1).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[0.0, 6.0, 0.0], [0.0, 0.0, 0.0]]


def test_the_median_is_the_lower_of_two() -> None:
    assert torch.tensor([4.0, 1.0, 3.0, 2.0]).median().item() == 2.0


def test_logsumexp_does_not_overflow() -> None:
    got = torch.logsumexp(torch.tensor([1000.0, 1000.0]), 0).item()
    assert got == pytest.approx(1000 + np.log(2))
    x = torch.full((2,), -float("inf"), requires_grad=True)
    assert torch.logsumexp(x, 0).item() == -float("inf")


def test_all_and_any_of_bytes_stay_bytes() -> None:
    x = torch.tensor([1, 0], dtype=torch.uint8)
    assert (x.all().dtype, x.any().item()) == (torch.uint8, 1)
    assert torch.tensor([1, 0]).any().dtype is torch.bool


def test_a_node_is_named_after_what_it_reduces() -> None:
    x = torch.ones(2, 2, requires_grad=True)
    names = [each.grad_fn.name() for each in (x.sum(), x.sum(0), x.mean(), x.mean((0, 1)))]
    assert names == ["SumBackward0", "SumBackward1", "MeanBackward0", "MeanBackward1"]


def test_distances_agree_with_plain_definitions() -> None:
    x, y = VALUES, VALUES[:, ::-1].copy() + 1
    a, b = tensor(x), tensor(y)
    np.testing.assert_allclose(torch.dist(a, b).item(), np.linalg.norm(x - y))
    np.testing.assert_allclose(
        torch.cdist(a, b).numpy(), np.linalg.norm(x[:, None] - y[None], axis=2)
    )
    cosines = (x * y).sum(1) / np.linalg.norm(x, axis=1) / np.linalg.norm(y, axis=1)
    np.testing.assert_allclose(torch.cosine_similarity(a, b).numpy(), cosines)


@pytest.mark.parametrize("dim", [None, 0])
@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32])
def test_a_sum_of_small_integers_keeps_the_dtype_asked_for(
    dtype: torch.dtype, dim: int | None
) -> None:
    found = torch.full((4,), 68, dtype=torch.uint8).to(dtype).sum(dim, dtype=dtype)
    assert found.dtype is dtype
    assert found.item() == np.full(4, 68).astype(dtype.numpy).sum(dtype=dtype.numpy)


@pytest.mark.parametrize("size", [(1, 3, 1), (3, 1), (1,), (2, 3, 4), (4,), ()])
def test_sums_to_a_size_are_the_gradient_of_expanding_from_it(size: tuple[int, ...]) -> None:
    x = torch.randn(2, 3, 4)
    small = torch.zeros(size, requires_grad=True)
    (small.expand(2, 3, 4) * x).sum().backward()
    assert torch.allclose(x.sum_to_size(size), small.grad)


def test_sums_to_a_size_that_does_not_fit_are_refused() -> None:
    for size in ((5,), (1, 2, 3, 4), (2, 3, 2)):
        with pytest.raises(RuntimeError, match="is not expandable to size"):
            torch.ones(2, 3, 4).sum_to_size(size)


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "bfloat16", "int8", "int64", "uint8", "bool"]
)
def test_a_hash_joins_the_bits_of_widened_elements(dtype: str) -> None:
    x = torch.tensor([[1, 3, 7], [0, 2, 5]]).to(getattr(torch, dtype))
    wide = np.array(x.tolist(), np.float64 if x.is_floating_point() else np.int64).view(np.uint64)
    for dim in (None, 0, 1, (0, 1)):
        got = x.hash_tensor(dim, keepdim=True)
        wanted = np.bitwise_xor.reduce(wide, (0, 1) if dim is None else dim, keepdims=True)
        np.testing.assert_array_equal(got.numpy(), wanted.reshape(got.shape))
    by_rows = torch.vmap(torch.hash_tensor)(x)
    np.testing.assert_array_equal(by_rows.numpy(), np.bitwise_xor.reduce(wide, 1))


def test_a_hash_refuses_what_has_no_64_bits_of_its_own() -> None:
    with pytest.raises(NotImplementedError, match="not implemented for 'ComplexFloat'"):
        torch.hash_tensor(torch.ones(2, dtype=torch.complex64))
    with pytest.raises(RuntimeError, match="Unknown hash_tensor mode: 1"):
        torch.hash_tensor(torch.ones(2), mode=1)
    with pytest.raises(IndexError, match="hash_tensor: Expected reduction dim 0 to have"):
        torch.hash_tensor(torch.empty(0, 3), 0)
