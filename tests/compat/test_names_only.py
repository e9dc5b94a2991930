"""Dtypes and layouts that packages name, of which there are no tensors."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import pellucid as torch
from tests.samples.grouped import together

NAMES = [
    *(f"{sign}int{bits}" for sign in ("u", "") for bits in range(1, 8)),
    *("float4_e2m1fn_x2", "quint8", "qint8", "qint32", "quint4x2", "quint2x4"),
    *("bits8", "bits16", "bits1x8", "bits2x4", "bits4x2"),
]


@together()
@pytest.mark.parametrize("name", NAMES)
def test_one_is_equal_to_itself_alone(name: str) -> None:
    dtype = getattr(torch, name)
    assert repr(dtype) == f"torch.{name}"
    assert pickle.loads(pickle.dumps(dtype)) is copy.deepcopy(dtype) is dtype
    assert [each for each in NAMES if getattr(torch, each) == dtype] == [name]
    assert dtype != torch.float32
    assert len({dtype, torch.float32}) == 2


@together()
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "use",
    [
        lambda dtype: torch.zeros(2, dtype=dtype),
        lambda dtype: torch.tensor([1.0]).to(dtype),
        lambda dtype: torch.ones(2).sum(dtype=dtype),
        lambda dtype: torch.promote_types(dtype, torch.float32),
        lambda dtype: torch.nn.Linear(2, 2, dtype=dtype),
    ],
)
def test_making_a_tensor_of_it_says_that_there_are_none(name: str, use: Any) -> None:
    with pytest.raises(NotImplementedError, match=f"torch.{name} is there in name only"):
        use(getattr(torch, name))


def test_there_are_no_limits() -> None:
    for refused in (torch.finfo, torch.iinfo):
        with pytest.raises(TypeError):
            refused(torch.uint4)


def test_layouts_are_objects() -> None:
    names = [
        "strided",
        "sparse_coo",
        "sparse_csr",
        "sparse_csc",
        "sparse_bsr",
        "sparse_bsc",
        "jagged",
        "_mkldnn",
    ]
    layouts = [getattr(torch, name) for name in names]
    assert [repr(each) for each in layouts] == [f"torch.{name}" for name in names]
    assert all(isinstance(each, torch.layout) for each in layouts)
    assert all(pickle.loads(pickle.dumps(each)) is each for each in layouts)
