"""complex32: two numbers of half precision, computed in complex64 and rounded once."""

from __future__ import annotations

import copy
import io
import pickle

import numpy as np
import pytest

import pellucid as torch
from pellucid.tensors.summary import summarize

VALUES = np.array([1.25 + 4j, -7 + 6j, 0.1 - 0.3j], np.complex64)

pytestmark = pytest.mark.filterwarnings("ignore:ComplexHalf support")


def made(values: np.ndarray = VALUES) -> torch.Tensor:
    return torch.from_numpy(values).to(torch.complex32)


def rounded(values: np.ndarray) -> np.ndarray:
    """Return complex numbers whose parts are rounded to half precision."""
    parts = values.astype(np.complex64).view(np.float32).astype(np.float16)
    return parts.astype(np.float32).view(np.complex64)


def test_the_parts_are_numbers_of_half_precision() -> None:
    x = made()
    assert (x.dtype, x.element_size(), x.is_complex()) == (torch.chalf, 4, True)
    assert x.real.dtype is x.imag.dtype is torch.float16
    np.testing.assert_array_equal(x.real.numpy(), VALUES.real.astype(np.float16))
    np.testing.assert_array_equal(torch.view_as_real(x)[:, 1].numpy(), x.imag.numpy())
    x.imag.zero_()
    assert x.cfloat().imag.eq(0).all()


@pytest.mark.parametrize(
    "compute",
    [
        lambda x, y: x + y, lambda x, y: x * y, lambda x, y: x / y, lambda x, y: x - 2 * y,
        lambda x, y: x.sum() + y, lambda x, y: x @ y, lambda x, y: x**2, lambda x, y: x.prod(),
    ],
)  # fmt: skip
def test_what_is_computed_is_rounded(compute: object) -> None:
    x, y = rounded(VALUES), rounded(VALUES[::-1].copy())
    got = compute(made(x), made(y))  # type: ignore[operator]
    wanted = compute(x, y)  # type: ignore[operator]
    assert got.dtype is torch.complex32
    np.testing.assert_allclose(got.cfloat().numpy(), wanted, rtol=4e-3)


@pytest.mark.parametrize(
    ("other", "met"),
    [
        ("int64", "complex32"), ("float16", "complex32"), ("bfloat16", "complex64"),
        ("float32", "complex64"), ("float64", "complex128"), ("complex64", "complex64"),
    ],
)  # fmt: skip
def test_what_it_meets_others_in(other: str, met: str) -> None:
    wanted = getattr(torch, met)
    assert torch.promote_types(torch.complex32, getattr(torch, other)) is wanted
    assert (made() + torch.ones(3, dtype=getattr(torch, other))).dtype is wanted
    assert (torch.ones(2, dtype=torch.half) * 1j).dtype is torch.complex32


def test_gradients_are_those_of_complex_numbers() -> None:
    for compute in (lambda x: (x * x).abs().sum(), lambda x: (x * (1 + 2j)).real.sum()):
        leaf, wide = (each.requires_grad_() for each in (made(), made().cfloat()))
        compute(leaf).backward()
        compute(wide).backward()
        assert leaf.grad is not None
        assert wide.grad is not None
        assert leaf.grad.dtype is torch.complex32
        np.testing.assert_allclose(leaf.grad.cfloat().numpy(), wide.grad.numpy(), rtol=4e-3)


def test_copies_files_and_views_keep_the_values() -> None:
    x = made()
    file = io.BytesIO()
    torch.save(x, file)
    file.seek(0)
    for same in (copy.deepcopy(x), pickle.loads(pickle.dumps(x)), torch.load(file)):
        assert same.dtype is torch.complex32
        assert same.tolist() == x.tolist()
    assert x.as_strided((2, 2), (1, 1)).tolist() == [x.tolist()[:2], x.tolist()[1:]]
    assert x.expand(2, 3)[1].tolist() == x.view(torch.int32).view(torch.chalf).tolist()
    assert torch.finfo(torch.complex32).max == torch.finfo(torch.float16).max


def test_arrays_of_numpy_have_no_such_dtype() -> None:
    with pytest.raises(TypeError, match="Got unsupported ScalarType ComplexHalf"):
        made().numpy()
    with pytest.raises(TypeError, match=r"can't convert np.ndarray of type complex32"):
        torch.from_numpy(made()._array)


def test_it_is_called_experimental_as_pytorch_calls_it() -> None:
    torch.set_warn_always(True)
    try:
        for make in (torch.zeros, torch.ones, torch.rand, torch.empty, torch.randn):
            with pytest.warns(UserWarning, match="ComplexHalf support is experimental"):
                make(2, dtype=torch.chalf)
    finally:
        torch.set_warn_always(False)


def test_it_is_refused_where_other_complex_numbers_are() -> None:
    x, mask = made(), torch.ones(3, dtype=torch.bool)
    first = torch.tensor([0])
    for wrong in (
        lambda: torch.ones(3).index_fill(0, first, x[0]),
        lambda: torch.ones(3).masked_fill(mask, x[0]),
        lambda: torch.ones(3).__setitem__(0, 1j),
    ):
        with pytest.raises(RuntimeError, match=r"onvert"):
            wrong()
    for wrong in (
        lambda: torch.nn.functional.max_pool1d(x[None], 1),
        lambda: torch.nn.functional.adaptive_max_pool1d(x[None], 1),
        lambda: torch.arange(3, dtype=torch.chalf),
        lambda: x.geometric_(0.5),
    ):
        with pytest.raises(NotImplementedError, match="not implemented for 'ComplexHalf'"):
            wrong()
    with pytest.raises(RuntimeError, match=r"isin\(\): ComplexHalf"):
        torch.isin(x, x)


def test_a_summary_is_of_absolute_values() -> None:
    found, wide = (summarize(each) for each in (made()._array, rounded(VALUES)))
    np.testing.assert_allclose([found.mean, found.most], [wide.mean, wide.most])
    assert found.dtype == "complex32"
