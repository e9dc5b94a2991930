"""array-api-compat finds the namespace of tensors, and its helpers work on them."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch
from pellucid import array_api

compat = pytest.importorskip("array_api_compat")


def test_the_namespace_of_tensors_is_found() -> None:
    assert compat.array_namespace(torch.ones(2), torch.ones((), dtype=torch.int64)) is array_api
    assert compat.is_array_api_obj(torch.ones(2))
    with pytest.raises(TypeError, match="Multiple namespaces"):
        compat.array_namespace(torch.ones(2), np.ones(2))


def test_helpers_take_tensors() -> None:
    x = torch.ones(2, 3)
    assert compat.size(x) == 6
    assert compat.device(x) == torch.device("cpu")
    assert compat.to_device(x, "cpu") is x
    assert compat.is_writeable_array(x)
    assert not compat.is_lazy_array(x)
