"""Losses and softmax next to SciPy and plain definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import special

import pellucid as torch

F = torch.nn.functional
SCORES = np.array([[0.5, -1.0, 2.0], [3.0, 0.0, -2.0], [0.1, 0.2, 0.3], [-1.0, 1.0, 0.0]])
CLASSES = np.array([2, 0, 1, 1])
WEIGHTS = np.array([0.5, 1.0, 2.0])


def plain_cross_entropy(
    weight: np.ndarray | None = None, ignore: int = -100, smoothing: float = 0.0
) -> tuple[np.ndarray, float]:
    """Return the losses one by one, and what a mean divides their sum by."""
    logs = special.log_softmax(SCORES, axis=1)
    weight = np.ones(3) if weight is None else weight
    counted = CLASSES != ignore
    exact = -logs[np.arange(4), CLASSES] * weight[CLASSES]
    spread = -(logs * weight).sum(1) / 3
    losses = ((1 - smoothing) * exact + smoothing * spread) * counted
    return losses, float((weight[CLASSES] * counted).sum())


@pytest.mark.parametrize("weight", [None, WEIGHTS])
@pytest.mark.parametrize("ignore", [-100, 1])
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_cross_entropy_agrees_with_its_definition(
    weight: np.ndarray | None, ignore: int, smoothing: float
) -> None:
    losses, divisor = plain_cross_entropy(weight, ignore, smoothing)
    wanted = {"none": losses, "sum": losses.sum(), "mean": losses.sum() / divisor}
    for reduction, value in wanted.items():
        got = F.cross_entropy(
            torch.tensor(SCORES), torch.tensor(CLASSES),
            None if weight is None else torch.tensor(weight),
            ignore_index=ignore, label_smoothing=smoothing, reduction=reduction,
        )  # fmt: skip
        np.testing.assert_allclose(got.numpy(), value)


def test_the_gradient_of_cross_entropy_is_probability_less_target() -> None:
    scores = torch.tensor(SCORES, requires_grad=True)
    F.cross_entropy(scores, torch.tensor(CLASSES)).backward()
    wanted = (special.softmax(SCORES, axis=1) - np.eye(3)[CLASSES]) / 4
    assert scores.grad is not None
    np.testing.assert_allclose(scores.grad.numpy(), wanted)


def test_cross_entropy_of_rows_far_apart_loses_nothing() -> None:
    scores = np.array([[1000.0, 999.0], [-1000.0, -1001.0]])
    got = F.cross_entropy(torch.tensor(scores), torch.tensor([1, 1]), reduction="none")
    np.testing.assert_allclose(got.numpy(), np.log1p(np.exp(1)) * np.ones(2))


def test_targets_may_be_probabilities() -> None:
    target = special.softmax(SCORES[::-1], axis=1)
    got = F.cross_entropy(torch.tensor(SCORES), torch.tensor(target)).item()
    wanted = -(special.log_softmax(SCORES, axis=1) * target).sum() / 4
    assert got == pytest.approx(wanted)


def test_classes_stand_in_the_second_dimension_of_images() -> None:
    scores = np.random.default_rng(1).standard_normal((2, 3, 4))
    classes = np.random.default_rng(2).integers(0, 3, (2, 4))
    got = F.cross_entropy(torch.tensor(scores), torch.tensor(classes), reduction="none")
    logs = special.log_softmax(scores, axis=1)
    wanted = -np.take_along_axis(logs, classes[:, None], 1)[:, 0]
    np.testing.assert_allclose(got.numpy(), wanted)


@pytest.mark.parametrize(
    ("scores", "classes", "error", "message"),
    [
        ((2, 3), [0, 3], IndexError, "Target 3 is out of bounds"),
        ((2, 3), [0, -1], IndexError, "Target -1 is out of bounds"),
        (
            (2, 3),
            [0],
            ValueError,
            r"Expected input batch_size \(2\) to match target batch_size \(1\)",
        ),
        (
            (2, 3),
            [0.0, 1.0],
            RuntimeError,
            "expected target dtype to be Long or Byte, but got Float",
        ),
        ((2, 3, 4), [[0], [1]], RuntimeError, r"Expected target size \[2, 4\], got \[2, 1\]"),
    ],
)
def test_targets_that_are_no_classes_are_refused(
    scores: Any, classes: Any, error: type[Exception], message: str
) -> None:
    for loss in (F.cross_entropy, F.nll_loss):
        with pytest.raises(error, match=message):
            loss(torch.ones(scores), torch.tensor(classes))


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_mse_loss_agrees_with_its_definition(reduction: str) -> None:
    x, y = SCORES, SCORES[::-1].copy()
    squares = (x - y) ** 2
    wanted = {"none": squares, "mean": squares.mean(), "sum": squares.sum()}[reduction]
    got = F.mse_loss(torch.tensor(x), torch.tensor(y), reduction=reduction)
    np.testing.assert_allclose(got.numpy(), wanted)


def test_sizes_that_differ_are_warned_of() -> None:
    with pytest.warns(UserWarning, match=r"Using a target size \(torch.Size\(\[1\]\)\)"):
        F.mse_loss(torch.ones(3), torch.ones(1))


def test_a_reduction_that_there_is_not_is_refused() -> None:
    for loss in (F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss):
        with pytest.raises(ValueError, match="median is not a valid value for reduction"):
            loss(torch.ones(2), torch.ones(2), reduction="median")


def test_binary_cross_entropy_stops_at_a_hundred() -> None:
    got = F.binary_cross_entropy(
        torch.tensor([0.0, 1.0]), torch.tensor([1.0, 1.0]), reduction="none"
    )
    assert got.tolist() == [100.0, 0.0]
    with pytest.raises(RuntimeError, match="all elements of input should be between 0 and 1"):
        F.binary_cross_entropy(torch.tensor([1.5]), torch.tensor([1.0]))


def test_scores_and_probabilities_give_the_same_binary_cross_entropy() -> None:
    scores = torch.tensor(SCORES)
    target = torch.tensor((SCORES > 0).astype(float))
    weight = torch.tensor(WEIGHTS)
    with_scores = F.binary_cross_entropy_with_logits(scores, target).item()
    with_probabilities = F.binary_cross_entropy(scores.sigmoid(), target).item()
    assert with_scores == pytest.approx(with_probabilities)
    got = F.binary_cross_entropy_with_logits(scores, target, pos_weight=weight, reduction="none")
    p = special.expit(SCORES)
    t = (SCORES > 0).astype(float)
    np.testing.assert_allclose(got.numpy(), -(WEIGHTS * t * np.log(p) + (1 - t) * np.log1p(-p)))


def test_losses_of_differences_agree_with_their_definitions() -> None:
    x, y = SCORES, SCORES[::-1].copy()
    d = np.abs(x - y)
    a, b = torch.tensor(x), torch.tensor(y)
    assert F.l1_loss(a, b).item() == pytest.approx(d.mean())
    smooth = np.where(d < 2, d * d / 4, d - 1).mean()
    assert F.smooth_l1_loss(a, b, beta=2.0).item() == pytest.approx(smooth)
    huber = special.huber(2.0, x - y).mean()
    assert F.huber_loss(a, b, delta=2.0).item() == pytest.approx(huber)


def test_kl_div_agrees_with_scipy() -> None:
    p, q = special.softmax(SCORES, axis=1), special.softmax(SCORES[::-1], axis=1)
    got = F.kl_div(torch.tensor(np.log(q)), torch.tensor(p), reduction="batchmean").item()
    assert got == pytest.approx(special.rel_entr(p, q).sum() / 4)
    with pytest.warns(UserWarning, match="batchmean"):
        F.kl_div(torch.zeros(2, 2), torch.ones(2, 2))


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_softmax_agrees_with_scipy(dim: int) -> None:
    x = torch.tensor(SCORES)
    np.testing.assert_allclose(F.softmax(x, dim).numpy(), special.softmax(SCORES, axis=dim))
    np.testing.assert_allclose(F.log_softmax(x, dim).numpy(), special.log_softmax(SCORES, axis=dim))


def test_a_dimension_left_open_is_chosen_with_a_warning() -> None:
    with pytest.warns(
        UserWarning, match="Implicit dimension choice for softmax has been deprecated"
    ):
        assert F.softmax(torch.ones(2, 4)).tolist() == [[0.25] * 4] * 2


def test_softmax_of_integers_needs_a_dtype() -> None:
    with pytest.raises(NotImplementedError, match="not implemented for 'Long'"):
        torch.softmax(torch.ones(2, dtype=torch.int64), 0)
    assert torch.softmax(torch.ones(2, dtype=torch.int64), 0, dtype=torch.float32).tolist() == [
        0.5,
        0.5,
    ]


def test_the_mean_cross_entropy_of_no_sample_is_not_a_number() -> None:
    nothing = torch.ones(0, 3)
    assert torch.nn.functional.cross_entropy(nothing, nothing).isnan()
    assert torch.nn.functional.cross_entropy(nothing, nothing, reduction="sum").item() == 0
