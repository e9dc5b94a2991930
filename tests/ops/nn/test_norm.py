"""Normalisation, dropout and embedding."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch

F = torch.nn.functional


def images(*shape: int) -> np.ndarray:
    return np.random.default_rng(8).standard_normal(shape)


def normalised(x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) / np.sqrt(var + 1e-5)


def test_normalisations_agree_with_their_definition() -> None:
    x = images(3, 4, 5, 2)
    t = torch.tensor(x)
    got = F.batch_norm(t, None, None, training=True)
    np.testing.assert_allclose(got.numpy(), normalised(x, (0, 2, 3)))
    np.testing.assert_allclose(F.layer_norm(t, (5, 2)).numpy(), normalised(x, (2, 3)))
    np.testing.assert_allclose(F.instance_norm(t).numpy(), normalised(x, (2, 3)))
    grouped = normalised(x.reshape(3, 2, 2, 5, 2), (2, 3, 4)).reshape(x.shape)
    np.testing.assert_allclose(F.group_norm(t, 2).numpy(), grouped)


def test_running_statistics_move_in_training_and_decide_in_evaluation() -> None:
    x = images(6, 2)
    mean, var = torch.zeros(2, dtype=torch.float64), torch.ones(2, dtype=torch.float64)
    F.batch_norm(torch.tensor(x), mean, var, training=True, momentum=0.25)
    np.testing.assert_allclose(mean.numpy(), 0.25 * x.mean(0))
    np.testing.assert_allclose(var.numpy(), 0.75 + 0.25 * x.var(0, ddof=1))
    got = F.batch_norm(torch.tensor(x), mean, var)
    wanted = (x - mean.numpy()) / np.sqrt(var.numpy() + 1e-5)
    np.testing.assert_allclose(got.numpy(), wanted)


def test_batch_norm_records_no_history_for_its_running_statistics() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    mean, var = torch.zeros(3), torch.ones(3)
    F.batch_norm(x, mean, var, training=True)
    assert not mean.requires_grad
    assert not var.requires_grad


def test_one_value_per_channel_cannot_be_normalised() -> None:
    with pytest.raises(ValueError, match="Expected more than 1 value per channel when training"):
        F.batch_norm(torch.ones(1, 3), None, None, training=True)


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(RuntimeError, match=r"expected input with shape \[\*, 4\]"):
        F.layer_norm(torch.ones(2, 3), (4,))
    with pytest.raises(RuntimeError, match="divisible by num_groups"):
        F.group_norm(torch.ones(2, 3), 2)
    with pytest.raises(RuntimeError, match="running_mean should contain 3 elements not 2"):
        F.batch_norm(torch.ones(2, 3), torch.ones(2), torch.ones(3))


def test_dropout_zeroes_about_the_share_asked_for_and_scales_the_rest() -> None:
    torch.manual_seed(0)
    out = F.dropout(torch.ones(10000), 0.2)
    assert set(out.tolist()) == {0.0, 1.25}
    assert abs((out == 0).sum().item() / 10000 - 0.2) < 0.02


def test_dropout_hands_its_input_back_when_there_is_nothing_to_do() -> None:
    x = torch.ones(3)
    assert F.dropout(x, 0.5, training=False) is x
    assert F.dropout(x, 0.0) is x
    assert F.dropout(x, 1.0).tolist() == [0.0] * 3
    with pytest.raises(ValueError, match="dropout probability has to be between 0 and 1"):
        F.dropout(x, 1.5)


def test_the_gradient_of_dropout_passes_where_the_values_did() -> None:
    x = torch.ones(100, requires_grad=True)
    out = F.dropout(x, 0.5)
    out.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == out.tolist()


def test_whole_channels_are_dropped_together() -> None:
    torch.manual_seed(1)
    out = F.dropout2d(torch.ones(4, 8, 3, 3), 0.5).numpy()
    assert (out == out[..., :1, :1]).all()


def test_alpha_dropout_keeps_mean_and_variance() -> None:
    torch.manual_seed(2)
    out = F.alpha_dropout(torch.randn(100000), 0.3, True)
    assert abs(out.mean().item()) < 0.02
    assert abs(out.std().item() - 1) < 0.02


def test_embedding_looks_up_rows_and_adds_up_their_gradients() -> None:
    table = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
    out = F.embedding(torch.tensor([[1, 1], [2, 0]]), table, padding_idx=0)
    assert out.tolist() == [[[3, 4], [3, 4]], [[5, 6], [1, 2]]]
    out.sum().backward()
    assert table.grad is not None
    assert table.grad.tolist() == [[0, 0], [2, 2], [1, 1]]


def test_rows_that_occur_often_may_count_once() -> None:
    table = torch.ones(2, 1, requires_grad=True)
    F.embedding(torch.tensor([0, 0, 1]), table, scale_grad_by_freq=True).sum().backward()
    assert table.grad is not None
    assert table.grad.tolist() == [[1.0], [1.0]]


def test_rows_that_are_too_long_are_shortened_in_place() -> None:
    table = torch.tensor([[3.0, 4.0], [30.0, 40.0]])
    F.embedding(torch.tensor([0]), table, max_norm=1.0)
    np.testing.assert_allclose(table.numpy(), [[0.6, 0.8], [30.0, 40.0]], rtol=1e-5)


def test_rows_that_are_not_there_are_refused() -> None:
    with pytest.raises(IndexError, match="index out of range in self"):
        F.embedding(torch.tensor([3]), torch.ones(3, 2))
    with pytest.raises(RuntimeError, match="one of the following scalar types: Long, Int"):
        F.embedding(torch.tensor([1.0]), torch.ones(3, 2))


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags_are_reduced(mode: str) -> None:
    table = images(5, 3)
    indices = np.array([0, 4, 2, 2])
    got = F.embedding_bag(
        torch.tensor(indices), torch.tensor(table), torch.tensor([0, 3]), mode=mode
    )
    parts = [table[indices[:3]], table[indices[3:]]]
    wanted = np.stack([getattr(np, mode)(part, axis=0) for part in parts])
    np.testing.assert_allclose(got.numpy(), wanted)


def test_one_hot_refuses_classes_that_do_not_fit() -> None:
    with pytest.raises(RuntimeError, match="smaller than num_classes"):
        F.one_hot(torch.tensor([2]), 2)
    with pytest.raises(RuntimeError, match="non-negative"):
        F.one_hot(torch.tensor([-1]))


@pytest.mark.parametrize("shape", [(0, 3), (0, 3, 2, 2), (2, 3, 0, 2)])
def test_an_empty_batch_leaves_batch_norm_as_it_is(shape: tuple[int, ...]) -> None:
    layer = torch.nn.BatchNorm1d(3) if len(shape) == 2 else torch.nn.BatchNorm2d(3)
    layer(torch.ones(shape)).sum().backward()
    assert layer.running_mean.tolist() == [0, 0, 0]
    assert layer.running_var.tolist() == [1, 1, 1]
    assert layer.weight.grad.tolist() == [0, 0, 0]
    assert layer.bias.grad.tolist() == [0, 0, 0]


def test_of_equal_rows_of_a_bag_the_first_one_gets_the_gradient() -> None:
    table = torch.tensor([[1.0, 2.0], [1.0, 2.0], [0.0, 5.0]], requires_grad=True)
    places, starts = torch.tensor([1, 0, 0, 2, 2]), torch.tensor([0, 3, 3])
    bags = torch.nn.functional.embedding_bag(places, table, starts, mode="max")
    assert bags.tolist() == [[1, 2], [0, 0], [0, 5]]
    bags.sum().backward()
    assert table.grad.tolist() == [[0, 0], [1, 1], [1, 1]]
