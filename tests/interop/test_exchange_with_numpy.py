"""Memory shared by DLPack, and NumPy's functions of tensors."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch


def test_memory_is_shared_both_ways_by_dlpack() -> None:
    array = np.arange(3.0)
    tensor = torch.from_dlpack(array)
    tensor[0] = 7
    assert array[0] == 7
    np.from_dlpack(tensor)[1] = 8
    assert tensor[1].item() == 8
    copied = torch.from_dlpack(array, copy=True)
    copied[2] = 9
    assert array[2] == 2


def test_dlpack_refuses_what_has_a_history_or_does_not_speak_it() -> None:
    with pytest.raises(BufferError, match="Can't export tensors that require gradient"):
        torch.ones(1, requires_grad=True).__dlpack__()
    with pytest.raises(RuntimeError, match="from_dlpack received an invalid capsule"):
        torch.from_dlpack([1])


def test_functions_of_numpy_give_tensors() -> None:
    result = np.sin(torch.ones(2))
    assert isinstance(result, torch.Tensor)
    assert result.dtype == torch.float32
