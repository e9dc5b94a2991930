"""Attention with several heads and transformers, next to their definitions."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import pellucid as torch
from pellucid import nn


def softmax(x: np.ndarray) -> np.ndarray:
    exponentials = np.exp(x - x.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


def attention_by_hand(net: nn.MultiheadAttention, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Attend to oneself, head by head: ``[L, E]`` to ``[L, E]`` and mean weights."""
    w = {name: each.detach().numpy() for name, each in net.named_parameters()}
    projected = x @ w["in_proj_weight"].T + w["in_proj_bias"]
    q, k, v = np.split(projected, 3, axis=1)
    size = net.head_dim
    outputs, weights = [], []
    for head in range(net.num_heads):
        part = slice(head * size, (head + 1) * size)
        weights.append(softmax(q[:, part] @ k[:, part].T / np.sqrt(size)))
        outputs.append(weights[-1] @ v[:, part])
    joined = np.concatenate(outputs, 1)
    return joined @ w["out_proj.weight"].T + w["out_proj.bias"], np.mean(weights, axis=0)


@pytest.mark.parametrize("need_weights", [True, False])
def test_attention_is_that_of_its_heads(need_weights: bool) -> None:
    net, x = nn.MultiheadAttention(6, 3), torch.randn(5, 6)
    out, weights = net(x, x, x, need_weights=need_weights)
    expected, expected_weights = attention_by_hand(net, x.numpy())
    np.testing.assert_allclose(out.detach().numpy(), expected, rtol=1e-4, atol=1e-6)
    if need_weights:
        np.testing.assert_allclose(weights.detach().numpy(), expected_weights, atol=1e-6)
    else:
        assert weights is None


def test_hidden_keys_take_no_part() -> None:
    net, x = nn.MultiheadAttention(4, 2, batch_first=True), torch.randn(1, 5, 4)
    hidden = torch.tensor([[False, False, False, True, True]])
    out, weights = net(x, x, x, key_padding_mask=hidden)
    assert (weights[..., 3:] == 0).all()
    short, _ = net(x, x[:, :3], x[:, :3])
    np.testing.assert_allclose(out.detach().numpy(), short.detach().numpy(), atol=1e-6)


def test_a_causal_mask_lets_nothing_come_from_later() -> None:
    mask = nn.Transformer.generate_square_subsequent_mask(4)
    layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)
    x = torch.randn(4, 1, 4, requires_grad=True)
    layer(x, mask)[1].pow(3).sum().backward()
    assert (x.grad[:2] != 0).any()
    assert (x.grad[2:] == 0).all()


def test_where_all_keys_are_hidden_the_output_is_the_bias_and_gradients_are_finite() -> None:
    net, x = nn.MultiheadAttention(4, 2), torch.randn(3, 1, 4, requires_grad=True)
    out, _ = net(x, x, x, key_padding_mask=torch.ones(1, 3).bool(), need_weights=False)
    assert out[0, 0].tolist() == net.out_proj.bias.tolist()
    out.sum().backward()
    assert (x.grad == 0).all()


def test_masks_of_different_kinds_are_warned_of() -> None:
    net, x = nn.MultiheadAttention(4, 2), torch.randn(3, 1, 4)
    with pytest.warns(UserWarning, match="mismatched key_padding_mask and attn_mask"):
        net(x, x, x, key_padding_mask=torch.zeros(1, 3).bool(), attn_mask=torch.zeros(3, 3))


def test_an_encoder_layer_adds_blocks_to_what_it_gets() -> None:
    layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, norm_first=True)
    x = torch.randn(3, 1, 4)
    normed = layer.norm1(x)
    middle = x + layer.self_attn(normed, normed, normed)[0]
    expected = middle + layer.linear2(layer.linear1(layer.norm2(middle)).relu())
    np.testing.assert_allclose(layer(x).detach().numpy(), expected.detach().numpy(), atol=1e-6)


def test_an_encoder_has_copies_of_its_layer() -> None:
    layer = nn.TransformerEncoderLayer(4, 2, 8)
    encoder = nn.TransformerEncoder(layer, 2)
    assert encoder.layers[0] is not encoder.layers[1]
    assert encoder.layers[0].linear1.weight.tolist() == layer.linear1.weight.tolist()


def test_a_transformer_can_be_copied() -> None:
    net = nn.Transformer(4, 2, 1, 1, 8, dropout=0.0)
    src, tgt = torch.randn(3, 1, 4), torch.randn(2, 1, 4)
    assert copy.deepcopy(net)(src, tgt).tolist() == net(src, tgt).tolist()


def test_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(AssertionError, match="embed_dim must be divisible by num_heads"):
        nn.MultiheadAttention(5, 2)
    with pytest.raises(RuntimeError, match="activation should be relu/gelu, not tanh"):
        nn.TransformerEncoderLayer(4, 2, activation="tanh")
    net, x = nn.MultiheadAttention(4, 2), torch.randn(3, 1, 4)
    with pytest.raises(RuntimeError, match="The shape of the 3D attn_mask"):
        net(x, x, x, attn_mask=torch.zeros(1, 3, 3))
