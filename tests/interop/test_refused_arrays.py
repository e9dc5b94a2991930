"""Arrays and arguments that PyTorch refuses, or takes with a warning."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.autograd.warned import once


def test_a_list_of_arrays_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(once, "texts", set())
    with pytest.warns(UserWarning, match="list of numpy.ndarrays is extremely slow"):
        made = torch.tensor([np.array([0]), np.array([1])])
    assert made.tolist() == [[0], [1]]


def test_steps_of_parts_of_an_element_are_refused() -> None:
    array = np.lib.stride_tricks.as_strided(np.zeros(3), (2,), (4,))
    with pytest.raises(ValueError, match="not a multiple of the element byte size"):
        torch.from_numpy(array)


def test_single_integers_of_any_dtype_index() -> None:
    x = torch.tensor([10, 20, 30])
    assert x[torch.tensor(1, dtype=torch.int16)].item() == 20


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: x.movedim((0, 0), (0, 1)), RuntimeError, "repeated dim in `source`"),
        (lambda x: x.movedim((0, 1), (1, 1)), RuntimeError, "repeated dim in `destination`"),
        (lambda x: x.unfold(0, -1, 1), RuntimeError, "size is -1 but must be >= 0"),
        (lambda x: torch.take_along_dim(x, x > 0, 0), RuntimeError, "should be Long"),
        (lambda x: torch.view_as_complex(x.sum()), RuntimeError, "one or more dimensions"),
        (lambda x: x.apply_(str), TypeError, "must be real number, not str"),
        (lambda x: torch.device(-1), RuntimeError, "must not be negative"),
        (lambda x: torch._check_tensor_all(True), TypeError, "cond must be a tensor"),
        (lambda x: torch._check_tensor_all(x), TypeError, "must have dtype torch.bool"),
        (lambda x: torch.use_deterministic_algorithms(True, warn_only=1), TypeError, "be bool"),
        (lambda x: types.new_class("Sub", (torch.FloatTensor,)), TypeError, "acceptable base type"),
    ],
)  # fmt: skip
def test_what_pytorch_refuses(
    call: Callable[[Any], Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        call(torch.ones(2, 3))
