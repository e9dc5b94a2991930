"""Choosing boxes, and layers around pretrained networks."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch
from pellucid.vision import ops


def greedy(boxes: np.ndarray, scores: np.ndarray, threshold: float) -> list[int]:
    """Choose boxes one by one, by the definition."""
    kept: list[int] = []
    for index in np.argsort(-scores):
        x1, y1, x2, y2 = boxes[index]
        for other in kept:
            u1, v1, u2, v2 = boxes[other]
            common = max(0, min(x2, u2) - max(x1, u1)) * max(0, min(y2, v2) - max(y1, v1))
            union = (x2 - x1) * (y2 - y1) + (u2 - u1) * (v2 - v1) - common
            if common / union > threshold:
                break
        else:
            kept.append(int(index))
    return kept


@pytest.mark.parametrize("threshold", [0.1, 0.5, 0.9])
def test_nms_keeps_what_overlaps_no_better_box(threshold: float) -> None:
    rng = np.random.default_rng(0)
    corners = rng.uniform(0, 10, (60, 2))
    boxes = np.concatenate([corners, corners + rng.uniform(1, 6, (60, 2))], 1)
    scores = rng.permutation(60) / 60.0
    found = ops.nms(torch.from_numpy(boxes), torch.from_numpy(scores), threshold)
    assert found.tolist() == greedy(boxes, scores, threshold)


def test_nms_of_no_boxes_is_empty() -> None:
    assert ops.nms(torch.zeros(0, 4), torch.zeros(0), 0.5).tolist() == []
    assert ops.batched_nms(torch.zeros(0, 4), torch.zeros(0), torch.zeros(0), 0.5).shape == (0,)


def test_batched_nms_looks_at_each_class_alone() -> None:
    boxes = torch.tensor([[0.0, 0.0, 2.0, 2.0]] * 4)
    scores = torch.tensor([0.1, 0.4, 0.3, 0.2])
    assert ops.batched_nms(boxes, scores, torch.tensor([0, 0, 1, 1]), 0.5).tolist() == [1, 2]


def test_generalized_iou_is_minus_one_far_away() -> None:
    a = torch.tensor([[0.0, 0.0, 1.0, 1.0]])
    far = a + 1e4
    assert ops.generalized_box_iou(a, a).item() == 1.0
    assert ops.generalized_box_iou(a, far).item() == pytest.approx(-1.0, abs=1e-4)


def test_frozen_batch_norm_is_batch_norm_in_evaluation_without_parameters() -> None:
    torch.manual_seed(0)
    known = torch.nn.BatchNorm2d(3)
    known(torch.randn(4, 3, 5, 5))
    with torch.no_grad():
        known.weight.uniform_()
        known.bias.uniform_()
    frozen = ops.FrozenBatchNorm2d(3)
    frozen.load_state_dict({k: v for k, v in known.state_dict().items() if "num" not in k})
    x = torch.randn(2, 3, 4, 4)
    torch.testing.assert_close(frozen(x), known.eval()(x))
    assert not list(frozen.parameters())
    assert repr(frozen) == "FrozenBatchNorm2d(3, eps=1e-05)"


@pytest.mark.parametrize("mode", ["row", "batch"])
def test_stochastic_depth_leaves_out_rows_or_all_and_keeps_the_mean(mode: str) -> None:
    torch.manual_seed(1)
    layer = ops.StochasticDepth(0.25, mode)
    found = layer(torch.ones(1000, 3))
    assert bool((found == found[:, :1]).all())
    values = np.unique(found.numpy())
    assert all(min(abs(value), abs(value - 4 / 3)) < 1e-6 for value in values)
    if mode == "row":
        assert found.mean().item() == pytest.approx(1.0, abs=0.05)
    else:
        assert len(found.unique()) == 1
    assert layer.eval()(found) is found
    assert ops.stochastic_depth(torch.ones(4, 2), 1.0, mode).tolist() == [[0.0, 0.0]] * 4
    with pytest.raises(ValueError, match="mode has to be"):
        ops.stochastic_depth(found, 0.5, "column")
    with pytest.raises(ValueError, match="between 0 and 1"):
        ops.stochastic_depth(found, 1.5, mode)


def test_focal_loss_follows_its_formula() -> None:
    x = torch.tensor([-1.0, 0.5, 2.0], requires_grad=True)
    t = torch.tensor([0.0, 1.0, 0.0])
    p = 1 / (1 + np.exp(-x.detach().numpy()))
    sure = np.where(t.numpy() == 1, p, 1 - p)
    weight = np.where(t.numpy() == 1, 0.3, 0.7)
    expected = -weight * (1 - sure) ** 3 * np.log(sure)
    loss = ops.sigmoid_focal_loss(x, t, alpha=0.3, gamma=3)
    np.testing.assert_allclose(loss.detach().numpy(), expected, rtol=1e-5)
    mean = ops.sigmoid_focal_loss(x, t, alpha=0.3, gamma=3, reduction="mean")
    assert mean.item() == pytest.approx(expected.mean())
    loss.sum().backward()
    assert bool(x.grad.isfinite().all())
    with pytest.raises(ValueError, match="reduction"):
        ops.sigmoid_focal_loss(x, t, reduction="most")
