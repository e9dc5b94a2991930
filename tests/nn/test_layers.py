"""Layers: what they start with and compute, next to plain definitions."""

from __future__ import annotations

import contextlib
import gc
import math
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid import nn
from pellucid.nn import init


def test_a_linear_layer_is_a_product_and_a_sum() -> None:
    layer, x = nn.Linear(3, 2), torch.randn(5, 4, 3)
    expected = x.numpy() @ layer.weight.detach().numpy().T + layer.bias.detach().numpy()
    np.testing.assert_allclose(layer(x).detach().numpy(), expected, rtol=1e-5, atol=1e-6)


def test_a_linear_layer_starts_within_its_bound() -> None:
    layer = nn.Linear(100, 50)
    for parameter in layer.parameters():
        largest = parameter.detach().abs().max().item()
        assert 0.08 < largest <= 0.1


def test_the_same_seed_gives_the_same_network() -> None:
    def first_weights() -> list[float]:
        torch.manual_seed(3)
        return nn.Linear(4, 1).weight.flatten().tolist()

    assert first_weights() == first_weights()


def test_batch_norm_remembers_means_and_variances() -> None:
    layer, x = nn.BatchNorm1d(2), torch.randn(50, 2) * 3 + 1
    out = layer(x).detach().numpy()
    np.testing.assert_allclose(out.mean(0), 0, atol=1e-5)
    np.testing.assert_allclose(out.std(0), 1, atol=1e-4)
    np.testing.assert_allclose(layer.running_mean.numpy(), 0.1 * x.numpy().mean(0), rtol=1e-4)
    expected = 0.9 + 0.1 * x.numpy().var(0, ddof=1)
    np.testing.assert_allclose(layer.running_var.numpy(), expected, rtol=1e-4)
    assert layer.num_batches_tracked.item() == 1
    layer.eval()
    layer(x)
    assert layer.num_batches_tracked.item() == 1


def test_batch_norm_refuses_other_numbers_of_dimensions() -> None:
    with pytest.raises(ValueError, match=r"expected 4D input \(got 2D input\)"):
        nn.BatchNorm2d(3)(torch.ones(2, 3))


def test_dropout_leaves_out_and_scales_up_while_training() -> None:
    layer, x = nn.Dropout(0.25), torch.ones(10_000)
    values = layer(x)
    assert set(values.unique().tolist()) == {0.0, np.float32(1 / 0.75)}
    assert abs(values.mean().item() - 1) < 0.05
    assert layer.eval()(x).tolist() == x.tolist()
    with pytest.raises(ValueError, match="has to be between 0 and 1, but got 2"):
        nn.Dropout(2)


def test_the_padding_vector_of_an_embedding_is_zero_and_gets_no_gradient() -> None:
    table = nn.Embedding(4, 2, padding_idx=1)
    assert table.weight[1].tolist() == [0, 0]
    table(torch.tensor([1, 2, 2])).sum().backward()
    assert table.weight.grad.tolist() == [[0, 0], [0, 0], [2, 2], [0, 0]]
    with pytest.raises(AssertionError, match="Padding_idx must be within num_embeddings"):
        nn.Embedding(4, 2, padding_idx=4)
    with pytest.raises(AssertionError, match="padding_idx must be within num_embeddings"):
        nn.EmbeddingBag(4, 2, padding_idx=-5)
    with pytest.raises(RuntimeError, match="number of embeddings, -4 through 3, but got 4"):
        nn.functional.embedding_bag(torch.tensor([[0]]), table.weight, padding_idx=4)


def test_no_gradient_is_added_to_padding_even_if_it_is_not_finite() -> None:
    table = nn.Embedding(4, 2, padding_idx=1)
    vectors = table(torch.tensor([1, 2, 1]))
    vectors.backward(torch.tensor([[torch.inf, 1.0], [2.0, 3.0], [torch.nan, 1.0]]))
    assert table.weight.grad.tolist() == [[0, 0], [0, 0], [2, 3], [0, 0]]


def test_a_table_without_rows_has_an_empty_sparse_gradient() -> None:
    table = nn.Embedding(0, 0, sparse=True)
    table(torch.tensor([], dtype=torch.int64)).sum().backward()
    assert table.weight.grad.is_sparse
    assert table.weight.grad.shape == (0, 0)


def test_a_pretrained_embedding_is_frozen() -> None:
    table = nn.Embedding.from_pretrained(torch.arange(6.0).reshape(3, 2))
    assert table(torch.tensor(2)).tolist() == [4, 5]
    assert not table.weight.requires_grad


def test_a_transposed_convolution_can_be_told_its_output_size() -> None:
    layer = nn.ConvTranspose2d(1, 1, 3, stride=2)
    x = torch.ones(1, 1, 3, 3)
    assert layer(x).shape == (1, 1, 7, 7)
    assert layer(x, output_size=(8, 7)).shape == (1, 1, 8, 7)
    with pytest.raises(ValueError, match="requested an output size of"):
        layer(x, output_size=(9, 9))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"groups": 0}, "groups must be a positive integer"),
        ({"groups": 3}, "in_channels must be divisible by groups"),
        ({"padding": "full"}, "Invalid padding string"),
        ({"padding": "same", "stride": 2}, "not supported for strided convolutions"),
        ({"padding_mode": "mirror"}, "padding_mode must be one of"),
    ],
)
def test_a_convolution_refuses_arguments_that_make_no_sense(arguments, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        nn.Conv2d(2, 4, 3, **arguments)


def test_older_arguments_of_losses_mean_a_reduction() -> None:
    assert nn.MSELoss(size_average=False).reduction == "sum"
    assert nn.L1Loss(reduce=False).reduction == "none"


def test_class_weights_are_a_buffer() -> None:
    loss = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0]))
    assert [name for name, _ in loss.named_buffers()] == ["weight"]


# ---- first values ------------------------------------------------------------------------------


def test_orthogonal_rows_or_columns_are_orthonormal() -> None:
    for shape in [(3, 5), (5, 3), (4, 4)]:
        w = init.orthogonal_(torch.empty(shape), gain=2.0).numpy()
        small = w @ w.T if shape[0] <= shape[1] else w.T @ w
        np.testing.assert_allclose(small, 4 * np.eye(min(shape)), atol=1e-5)


def test_truncated_values_stay_inside() -> None:
    w = init.trunc_normal_(torch.empty(2000), std=1.0, a=-0.5, b=1.0).numpy()
    assert w.min() >= -0.5
    assert w.max() <= 1.0
    assert np.ptp(w) > 1.4


def test_kaiming_keeps_the_size_of_signals() -> None:
    torch.manual_seed(0)
    w = init.kaiming_normal_(torch.empty(400, 300), nonlinearity="relu").numpy()
    assert math.isclose(w.std(), math.sqrt(2 / 300), rel_tol=0.02)


def test_dirac_passes_channels_through() -> None:
    layer = nn.Conv1d(3, 3, 3, padding=1, bias=False)
    init.dirac_(layer.weight)
    x = torch.randn(2, 3, 6)
    assert layer(x).tolist() == x.tolist()


def test_filling_is_not_recorded_and_keeps_the_tensor() -> None:
    w = nn.Parameter(torch.empty(2, 3))
    assert init.constant_(w, 2.0) is w
    assert w.is_leaf
    assert w.tolist() == [[2.0] * 3] * 2


def test_first_values_refuse_what_they_cannot_fill() -> None:
    with pytest.raises(ValueError, match="fewer than 2 dimensions"):
        init.xavier_uniform_(torch.empty(3))
    with pytest.raises(ValueError, match="Unsupported nonlinearity"):
        init.calculate_gain("swish")
    with pytest.raises(ValueError, match="Mode sideways not supported"):
        init.kaiming_uniform_(torch.empty(2, 2), mode="sideways")
    with pytest.warns(UserWarning, match="zero-element tensors is a no-op"):
        init.kaiming_uniform_(torch.empty(0, 2))


# ---- nn.utils ----------------------------------------------------------------------------------


def with_gradient(*values: float):
    w = torch.zeros(len(values), requires_grad=True)
    w.grad = torch.tensor(values)
    return w


def test_clipping_by_norm_shrinks_all_gradients_alike() -> None:
    a, b = with_gradient(3.0, 0.0), with_gradient(4.0)
    assert nn.utils.clip_grad_norm_([a, b], 1.0).item() == 5.0
    np.testing.assert_allclose([*a.grad.tolist(), *b.grad.tolist()], [0.6, 0, 0.8], rtol=1e-5)
    assert nn.utils.clip_grad_norm_(iter([a, b]), 10.0, norm_type=math.inf).item() < 1
    np.testing.assert_allclose(b.grad.tolist(), [0.8], rtol=1e-5)


def test_clipping_a_norm_that_is_not_finite_is_an_error_on_request() -> None:
    a = with_gradient(math.inf)
    with pytest.raises(RuntimeError, match="non-finite, so it cannot be clipped"):
        nn.utils.clip_grad_norm_(a, 1.0, error_if_nonfinite=True)
    assert a.grad.tolist() == [math.inf]


def test_clipping_by_value_holds_each_element() -> None:
    a = with_gradient(-3.0, 0.5, 2.0)
    nn.utils.clip_grad_value_(a, 1.0)
    assert a.grad.tolist() == [-1, 0.5, 1]


def test_parameters_go_into_a_vector_and_back() -> None:
    net, other = nn.Linear(3, 2), nn.Linear(3, 2)
    vector = nn.utils.parameters_to_vector(net.parameters())
    assert vector.shape == (8,)
    nn.utils.vector_to_parameters(vector, other.parameters())
    assert other.weight.tolist() == net.weight.tolist()
    assert other.bias.tolist() == net.bias.tolist()


@pytest.mark.parametrize(
    ("layer", "x"),
    [
        (nn.Linear(4, 4), torch.ones(2, 3)),
        (nn.Sequential(nn.Linear(4, 4)), torch.ones(2, 3)),
        (nn.Conv1d(3, 3, 2), torch.ones(1, 2, 5)),
        (nn.BatchNorm1d(4), torch.ones(2, 3)),
        (nn.LSTM(3, 3), torch.ones(2, 2, 4)),
        (nn.Embedding(2, 2), torch.tensor([3])),
    ],
    ids=lambda each: type(each).__name__,
)
def test_an_error_of_a_layer_leaves_no_reference_cycle(layer: Any, x: Any) -> None:
    gc.collect()
    gc.disable()
    try:
        with contextlib.suppress(RuntimeError, IndexError):
            layer(x)
        assert gc.collect() == 0
    finally:
        gc.enable()
