"""Recurrent layers next to their definitions, one step and one sequence at a time."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch
from pellucid import nn
from pellucid.nn.utils import rnn
from pellucid.ops.nn.recurrent import fused_gru_cell, fused_lstm_cell
from pellucid.testing.gradcheck import gradcheck, gradgradcheck


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def arrays(net: nn.Module) -> dict[str, np.ndarray]:
    return {name: each.detach().numpy() for name, each in net.named_parameters()}


def lstm_by_hand(x: np.ndarray, w: dict[str, np.ndarray], size: int) -> np.ndarray:
    h = c = np.zeros((x.shape[1], size))
    outputs = []
    for now in x:
        gates = now @ w["weight_ih_l0"].T + w["bias_ih_l0"]
        gates = gates + h @ w["weight_hh_l0"].T + w["bias_hh_l0"]
        i, f, g, o = np.split(gates, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        outputs.append(h)
    return np.stack(outputs)


def gru_by_hand(x: np.ndarray, w: dict[str, np.ndarray], size: int) -> np.ndarray:
    h = np.zeros((x.shape[1], size))
    outputs = []
    for now in x:
        from_x = np.split(now @ w["weight_ih_l0"].T + w["bias_ih_l0"], 3, axis=1)
        from_h = np.split(h @ w["weight_hh_l0"].T + w["bias_hh_l0"], 3, axis=1)
        r, z = sigmoid(from_x[0] + from_h[0]), sigmoid(from_x[1] + from_h[1])
        n = np.tanh(from_x[2] + r * from_h[2])
        h = (1 - z) * n + z * h
        outputs.append(h)
    return np.stack(outputs)


@pytest.mark.parametrize(("layer", "by_hand"), [(nn.LSTM, lstm_by_hand), (nn.GRU, gru_by_hand)])
def test_a_layer_computes_its_definition(layer, by_hand) -> None:
    net, x = layer(3, 4), torch.randn(6, 2, 3)
    output, state = net(x)
    expected = by_hand(x.numpy(), arrays(net), 4)
    np.testing.assert_allclose(output.detach().numpy(), expected, rtol=1e-4, atol=1e-6)
    last = state[0] if isinstance(state, tuple) else state
    assert last[0].tolist() == output[-1].tolist()


@pytest.mark.parametrize("step", [fused_lstm_cell, fused_gru_cell])
def test_derivatives_of_a_step_are_right(step) -> None:
    def leaf(*shape: int):
        return torch.randn(shape, dtype=torch.float64, requires_grad=True)

    lstm, gru = (leaf(2, 8), leaf(2, 2)), (leaf(2, 6), leaf(2, 6), leaf(2, 2))
    operands = lstm if step is fused_lstm_cell else gru
    assert gradcheck(step, operands)
    assert gradgradcheck(step, operands, fast_mode=True)


@pytest.mark.parametrize("layer", [nn.RNN, nn.LSTM, nn.GRU])
def test_packed_sequences_run_as_each_does_alone(layer) -> None:
    net = layer(3, 4, 2, bidirectional=True)
    sequences = [torch.randn(length, 3) for length in (2, 5, 3)]
    output, state = net(rnn.pack_sequence(sequences, enforce_sorted=False))
    padded, lengths = rnn.pad_packed_sequence(output)
    assert lengths.tolist() == [2, 5, 3]
    first = state[0] if isinstance(state, tuple) else state
    for number, sequence in enumerate(sequences):
        alone, last = net(sequence)
        last = last[0] if isinstance(last, tuple) else last
        np.testing.assert_allclose(
            padded[: len(sequence), number].detach().numpy(), alone.detach().numpy(), atol=1e-6
        )
        np.testing.assert_allclose(
            first[:, number].detach().numpy(), last.detach().numpy(), atol=1e-6
        )
        assert (padded[len(sequence) :, number] == 0).all()


def test_gates_far_out_stay_finite() -> None:
    net = nn.LSTM(1, 1)
    x = torch.tensor([[[1e4]], [[-1e4]]], requires_grad=True)
    output, _ = net(x)
    output.sum().backward()
    assert output.isfinite().all()
    assert x.grad.isfinite().all()


def test_a_cell_and_a_layer_with_the_same_weights_agree() -> None:
    net, cell = nn.GRU(3, 4), nn.GRUCell(3, 4)
    cell.load_state_dict({name[:-3]: value for name, value in net.state_dict().items()})
    x, h = torch.randn(5, 2, 3), None
    output, _ = net(x)
    for now, expected in zip(x, output, strict=True):
        h = cell(now, h)
        np.testing.assert_allclose(h.detach().numpy(), expected.detach().numpy(), atol=1e-6)


def test_weights_are_named_by_layer_and_direction() -> None:
    net = nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2)
    shapes = {name: tuple(each.shape) for name, each in net.named_parameters()}
    assert shapes["weight_ih_l0"] == (16, 3)
    assert shapes["weight_ih_l1_reverse"] == (16, 4)
    assert shapes["weight_hh_l1"] == (16, 2)
    assert shapes["weight_hr_l0_reverse"] == (2, 4)
    assert len(net.all_weights) == 4
    assert net.all_weights[0][0] is net.weight_ih_l0


def test_dropout_of_a_single_layer_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="expects num_layers greater than 1"):
        nn.LSTM(2, 2, dropout=0.5)


def test_padding_and_packing_undo_each_other() -> None:
    sequences = [torch.randn(length, 2) for length in (4, 1, 3)]
    padded = rnn.pad_sequence(sequences)
    assert padded.shape == (4, 3, 2)
    for before, after in zip(
        sequences, rnn.unpad_sequence(padded, torch.tensor([4, 1, 3])), strict=True
    ):
        assert before.tolist() == after.tolist()
    packed = rnn.pack_sequence(sequences, enforce_sorted=False)
    assert packed.batch_sizes.tolist() == [3, 2, 2, 1]
    for before, after in zip(sequences, rnn.unpack_sequence(packed), strict=True):
        assert before.tolist() == after.tolist()


def test_gradients_go_through_packing() -> None:
    x = torch.randn(3, 2, 1, requires_grad=True)
    packed = rnn.pack_padded_sequence(x, [3, 1])
    rnn.pad_packed_sequence(packed)[0].sum().backward()
    assert x.grad.squeeze(2).tolist() == [[1, 1], [1, 0], [1, 0]]


def test_a_packed_sequence_converts_and_prints() -> None:
    packed = rnn.pack_sequence([torch.ones(2), torch.ones(1)])
    assert packed.double().data.dtype == torch.float64
    assert packed.to(torch.float32) is packed
    assert repr(packed).startswith("PackedSequence(data=tensor([1., 1., 1.]), batch_sizes=")
