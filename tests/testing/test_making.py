"""Tensors of random values, for tests."""

from __future__ import annotations

import pytest

import pellucid as torch
from pellucid.dtypes import ALL
from tests.samples.grouped import together

make_tensor = torch.testing.make_tensor


@pytest.mark.filterwarnings("ignore:ComplexHalf support")
@together()
@pytest.mark.parametrize(
    "dtype", [each for each in ALL if each is not torch.float8_e8m0fnu], ids=str
)
def test_values_lie_in_the_interval_of_their_dtype(dtype):
    x = make_tensor((20, 30), dtype=dtype, device="cpu")
    assert x.dtype is dtype
    assert x.shape == (20, 30)
    values = torch.view_as_real(x) if dtype.is_complex else x
    low, high = values.double().min(), values.double().max()
    assert low >= (0 if not dtype.is_signed else -9)
    assert high <= (1 if dtype is torch.bool else 9)
    assert high > low


def test_bounds_are_kept_and_moved_into_the_dtype():
    x = make_tensor(500, dtype=torch.int64, device="cpu", low=-2, high=3)
    assert sorted(x.unique().tolist()) == [-2, -1, 0, 1, 2]
    wide = make_tensor(500, dtype=torch.uint8, device="cpu", low=-1000, high=1000)
    assert wide.double().max() > 200
    everything = make_tensor(
        500, dtype=torch.float64, device="cpu", low=float("-inf"), high=float("inf")
    )
    assert everything.isfinite().all()
    assert everything.max() > 1e307


def test_zeros_are_left_out():
    x = make_tensor(50, dtype=torch.int64, device="cpu", low=0, high=2, exclude_zero=True)
    assert x.tolist() == [1] * 50


def test_layouts_and_gradients_are_as_asked():
    apart = make_tensor(2, 3, dtype=torch.float32, device="cpu", noncontiguous=True)
    assert apart.shape == (2, 3)
    assert not apart.is_contiguous()
    leaf = make_tensor(2, dtype=torch.float32, device="cpu", requires_grad=True)
    assert leaf.is_leaf
    assert leaf.requires_grad
    images = make_tensor(
        (1, 2, 3, 3), dtype=torch.float32, device="cpu", memory_format=torch.channels_last
    )
    assert images.is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"low": 3, "high": 1}, "`low` must be less than `high`, but got 3 >= 1"),
        ({"low": float("nan")}, "`low` and `high` cannot be NaN"),
        ({"noncontiguous": True, "memory_format": torch.contiguous_format}, "mutually exclusive"),
    ],
)
def test_what_makes_no_sense_is_refused(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        make_tensor(2, dtype=torch.float32, device="cpu", **options)


def test_integers_cannot_require_grad():
    with pytest.raises(ValueError, match="not supported for boolean and integral dtypes"):
        make_tensor(2, dtype=torch.int64, device="cpu", requires_grad=True)
    with pytest.raises(TypeError, match="device"):
        make_tensor(2, dtype=torch.int64)
