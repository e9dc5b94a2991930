"""bfloat16 goes through DLPack, which NumPy has no word for."""

from __future__ import annotations

import pytest

import pellucid as torch
from pellucid.utils.dlpack import from_dlpack, to_dlpack


class Producer:
    """An array of another library that hands on capsules."""

    def __init__(self, tensor: torch.Tensor, is_old: bool) -> None:
        self.tensor = tensor
        self.is_old = is_old

    def __dlpack__(self, **options: object) -> object:
        if self.is_old and options:
            raise TypeError("unexpected keyword argument 'max_version'")
        return self.tensor.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


@pytest.mark.parametrize("is_old", [False, True])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.uint16, torch.complex64])
def test_memory_is_shared_in_each_dtype(dtype: torch.dtype, is_old: bool) -> None:
    x = torch.tensor([[1, 2], [3, 4]], dtype=dtype).T
    y = torch.from_dlpack(Producer(x, is_old))
    assert (y.dtype, y.stride(), y.data_ptr()) == (x.dtype, x.stride(), x.data_ptr())
    y[0, 1] = 7
    assert x[0, 1].item() == 7


def test_capsules_go_both_ways_once() -> None:
    x = torch.tensor([1.0, 2.0], dtype=torch.bfloat16)
    capsule = to_dlpack(x)
    assert from_dlpack(capsule).data_ptr() == x.data_ptr()
    with pytest.raises((ValueError, RuntimeError)):
        from_dlpack(capsule)


def test_pytorch_shares_memory_of_bfloat16_both_ways() -> None:
    theirs = pytest.importorskip("torch")
    x = torch.tensor([1.0, 2.0], dtype=torch.bfloat16)
    y = theirs.from_dlpack(x)
    assert y.dtype == theirs.bfloat16
    y[0] = 5
    assert x[0].item() == 5
    z = torch.from_dlpack(y)
    assert (z.dtype, z.data_ptr()) == (torch.bfloat16, x.data_ptr())
