"""The CTC loss next to a sum over all alignments."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import pellucid as torch
import pellucid.nn.functional as F
from pellucid.testing.gradcheck import gradcheck


def collapsed(path: tuple[int, ...]) -> list[int]:
    """Drop repetitions, then blanks."""
    return [symbol for symbol, _ in itertools.groupby(path) if symbol]


def loss_by_counting(log_probs: np.ndarray, target: list[int]) -> float:
    total = 0.0
    for path in itertools.product(range(log_probs.shape[1]), repeat=len(log_probs)):
        if collapsed(path) == target:
            total += math.exp(sum(log_probs[time, symbol] for time, symbol in enumerate(path)))
    return -math.log(total)


@pytest.mark.parametrize("target", [[1], [1, 2], [2, 2], [1, 2, 1], []])
def test_all_alignments_count(target: list[int]) -> None:
    log_probs = torch.randn(5, 3, dtype=torch.float64).log_softmax(1)
    loss = F.ctc_loss(log_probs, torch.tensor([*target, 0]), [5], [len(target)], reduction="sum")
    assert loss.item() == pytest.approx(loss_by_counting(log_probs.numpy(), target))


def test_its_gradient_is_that_of_finite_differences() -> None:
    x = torch.randn(4, 2, 3, dtype=torch.float64, requires_grad=True)
    targets = torch.tensor([[1, 2], [2, 2]])
    assert gradcheck(lambda x: F.ctc_loss(x.log_softmax(2), targets, [4, 3], [2, 2]), (x,))


def test_what_no_alignment_gives_is_infinite_or_left_out() -> None:
    x = torch.zeros(2, 1, 3, requires_grad=True)
    targets = torch.tensor([[1, 1]])
    assert F.ctc_loss(x.log_softmax(2), targets, [2], [2]).item() == math.inf
    loss = F.ctc_loss(x.log_softmax(2), targets, [2], [2], zero_infinity=True)
    loss.backward()
    assert loss.item() == 0
    assert (x.grad == 0).all()


def test_lengths_and_blank_are_checked() -> None:
    log_probs, targets = torch.zeros(2, 1, 3), torch.tensor([[1, 1]])
    with pytest.raises(RuntimeError, match="blank must be in label range"):
        F.ctc_loss(log_probs, targets, [2], [2], blank=3)
    with pytest.raises(RuntimeError, match="input_lengths to have value at most 2"):
        F.ctc_loss(log_probs, targets, [3], [2])
    with pytest.raises(RuntimeError, match="target_lengths must be of size batch_size"):
        F.ctc_loss(log_probs, targets, [2], [2, 2])


def test_a_sequence_without_steps_has_no_loss_if_its_target_is_empty_too() -> None:
    scores = torch.zeros(4, 2, 3).log_softmax(2)
    targets, steps = torch.ones(2, 1, dtype=torch.int64), torch.tensor([0, 0])
    sizes = torch.tensor([0, 1])
    losses = torch.nn.functional.ctc_loss(scores, targets, steps, sizes, reduction="none")
    assert losses.tolist() == [0, float("inf")]


def test_ctc_loss_refuses_a_batch_without_elements() -> None:
    lengths = torch.ones(0, dtype=torch.int64)
    with pytest.raises(RuntimeError, match="log_probs tensor must not be empty"):
        torch.nn.functional.ctc_loss(
            torch.zeros(4, 0, 3), torch.ones(0, 1, dtype=torch.int64), lengths, lengths
        )
