"""Old constructors refuse what has no memory or no shape with errors of pellucid."""

from __future__ import annotations

import pytest

import pellucid as torch
from pellucid.errors import PellucidError


def test_sizes_beyond_memory_are_both_kinds_of_error():
    for make in (torch.FloatTensor, torch.DoubleTensor, torch.Tensor):
        with pytest.raises(RuntimeError) as caught:
            make(2**45)
        assert isinstance(caught.value, MemoryError)
        with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
            make(2**62)


@pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad=True")
def test_what_is_no_array_or_dtype_is_refused():
    scalar = torch.ones((), dtype=torch.bfloat16, requires_grad=True)
    with pytest.raises(PellucidError):
        torch.DoubleTensor([[-2], None, "text", scalar])
    with pytest.raises(TypeError, match=r"argument 'dtype' must be torch\.dtype, not bool"):
        torch.ones(2).view(dtype=False)
