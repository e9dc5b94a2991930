"""NumPy's names of arguments: ``axis`` for ``dim``, ``keepdims`` for ``keepdim``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pellucid as torch

MATRIX = torch.arange(9.0, dtype=torch.float64).reshape(3, 3) / 4 + 1

CALLS: list[tuple[Callable[..., Any], dict[str, Any], dict[str, Any]]] = [
    (torch.sum, {"axis": 1, "keepdims": True}, {"dim": 1, "keepdim": True}),
    (torch.mean, {"axis": (0, 1)}, {"dim": (0, 1)}),
    (torch.amax, {"axis": 0}, {"dim": 0}),
    (torch.cumsum, {"axis": 1}, {"dim": 1}),
    (torch.softmax, {"axis": 1}, {"dim": 1}),
    (torch.select, {"axis": 1, "index": 2}, {"dim": 1, "index": 2}),
    (torch.std, {"axis": 1, "keepdims": True}, {"dim": 1, "keepdim": True}),
    (torch.quantile, {"q": 0.5, "axis": 1}, {"q": 0.5, "dim": 1}),
    (torch.unsqueeze, {"axis": 1}, {"dim": 1}),
]


@pytest.mark.parametrize(("function", "keywords", "own"), CALLS)
def test_axis_is_another_name_of_dim(
    function: Callable[..., Any], keywords: dict, own: dict
) -> None:
    x = MATRIX.clone().requires_grad_()
    found, expected = function(x, **keywords), function(x, **own)
    assert torch.equal(found, expected)
    assert found.grad_fn.name() == expected.grad_fn.name()


def test_a_missing_dimension_is_named() -> None:
    with pytest.raises(TypeError, match=r'cumsum.. missing 1 required positional arguments: "dim"'):
        torch.cumsum(MATRIX)


def test_axis_is_refused_where_there_is_no_dimension() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'axis'"):
        torch.exp(MATRIX, axis=0)
