"""Comparing with a tolerance: what passes, and what the error tells."""

from __future__ import annotations

from typing import Any

import pytest

import pellucid as torch
from pellucid.testing import assert_close


def test_values_within_the_tolerance_of_their_dtype_are_close() -> None:
    one = torch.ones(2)
    assert_close(one + 5e-6, one)
    assert_close(one.double() + 5e-8, one.double())
    assert_close([one, {"a": 1.0}, None], [one.clone(), {"a": 1.0 + 1e-9}, None])
    assert_close(one + 1, one, rtol=1.0, atol=0)
    assert_close(one, one.double(), check_dtype=False)
    assert_close(torch.tensor([torch.nan]), torch.tensor([torch.nan]), equal_nan=True)


@pytest.mark.parametrize(
    ("actual", "expected", "told"),
    [
        (
            [1.0, 2.0, 3.0], [1.0, 2.5, 3.0],
            "Tensor-likes are not close!\n\nMismatched elements: 1 / 3 (33.3%)\n"
            "Greatest absolute difference: 0.5 at index (1,) (up to 1e-05 allowed)\n"
            "Greatest relative difference: 0.2 at index (1,) (up to 1.3e-06 allowed)",
        ),
        (
            [[1, 2], [3, 4]], [[1, 2], [5, 4]],
            "Tensor-likes are not equal!\n\nMismatched elements: 1 / 4 (25.0%)\n"
            "Greatest absolute difference: 2 at index (1, 0)\n"
            "Greatest relative difference: 0.4 at index (1, 0)",
        ),
        (
            [1.0], [1.0, 2.0],
            "The values for attribute 'shape' do not match: torch.Size([1]) != torch.Size([2]).",
        ),
        (
            [1.0], [1],
            "The values for attribute 'dtype' do not match: torch.float32 != torch.int64.",
        ),
    ],
)  # fmt: skip
def test_the_error_tells_where_and_by_how_much(actual: Any, expected: Any, told: str) -> None:
    with pytest.raises(AssertionError) as caught:
        assert_close(torch.tensor(actual), torch.tensor(expected))
    assert str(caught.value) == told


def test_the_error_names_the_item() -> None:
    with pytest.raises(AssertionError, match=r"occurred for item \['a'\]\[1\]"):
        assert_close({"a": [1.0, 2.0]}, {"a": [1.0, 3.0]})
    with pytest.raises(AssertionError, match=r"Missing keys in the actual mapping: \['b'\]"):
        assert_close({"a": 1}, {"b": 1})


def test_wrong_calls_are_refused() -> None:
    with pytest.raises(ValueError, match="but got no atol"):
        assert_close(1.0, 1.0, rtol=1)
    with pytest.raises(TypeError, match="No comparison pair was able to handle"):
        assert_close("a", "a")
    with pytest.raises(AssertionError, match=r"^instead$"):
        assert_close(1.0, 2.0, msg="instead")
