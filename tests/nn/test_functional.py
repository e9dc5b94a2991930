"""The module of neural-network functions: names, signatures, and what is composed there."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import pellucid as torch
from pellucid.nn import functional
from tests.samples.grouped import together

F = torch.nn.functional


def test_all_names_what_is_offered_in_order() -> None:
    assert list(functional.__all__) == sorted(set(functional.__all__))
    assert all(callable(getattr(F, name)) for name in functional.__all__)


def test_signatures_are_pytorchs() -> None:
    def names(function: object) -> list[str]:
        return list(inspect.signature(function).parameters)  # pyright: ignore[reportArgumentType]

    assert names(F.cross_entropy) == [
        "input", "target", "weight", "size_average", "ignore_index", "reduce", "reduction",
        "label_smoothing",
    ]  # fmt: skip
    assert names(F.conv2d) == [
        "input", "weight", "bias", "stride", "padding", "dilation", "groups"
    ]  # fmt: skip
    assert names(F.dropout) == ["input", "p", "training", "inplace"]
    assert names(F.softmax) == ["input", "dim", "_stacklevel", "dtype"]


@together()
@pytest.mark.parametrize(
    "name", ["relu", "relu6", "elu", "selu", "celu", "leaky_relu", "silu", "mish", "hardtanh",
             "hardsigmoid", "hardswish"],
)  # fmt: skip
def test_an_activation_in_place_gives_the_same_values_and_gradient(name: str) -> None:
    values = torch.tensor([-3.0, -0.5, 0.5, 8.0])
    grads = []
    for inplace in (False, True):
        x = values.clone().requires_grad_()
        start = x * 1
        out = getattr(F, name)(start, inplace=inplace)
        assert (out is start) == inplace
        (out * torch.arange(4.0)).sum().backward()
        assert x.grad is not None
        grads.append((out.tolist(), x.grad.tolist()))
    assert grads[0] == grads[1]


def plain_attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: np.ndarray) -> np.ndarray:
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    weights = np.exp(scores) * mask
    total = weights.sum(-1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0) @ v


def test_attention_agrees_with_its_definition() -> None:
    generator = np.random.default_rng(4)
    q, k, v = (generator.standard_normal(shape) for shape in [(2, 4, 3), (2, 5, 3), (2, 5, 6)])
    mask = generator.random((4, 5)) < 0.5
    mask[1] = False
    a, b, c = map(torch.tensor, (q, k, v))
    attend = F.scaled_dot_product_attention
    np.testing.assert_allclose(attend(a, b, c).numpy(), plain_attention(q, k, v, np.ones((4, 5))))
    np.testing.assert_allclose(
        attend(a, b, c, torch.tensor(mask)).numpy(), plain_attention(q, k, v, mask)
    )
    np.testing.assert_allclose(
        attend(a, b, c, is_causal=True).numpy(), plain_attention(q, k, v, np.tri(4, 5))
    )


@pytest.mark.parametrize(
    ("mode", "numpys"),
    [("constant", "constant"), ("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")],
)
def test_padding_agrees_with_numpy(mode: str, numpys: str) -> None:
    x = np.arange(24.0).reshape(1, 2, 3, 4)
    got = F.pad(torch.tensor(x), (1, 2, 2, 1), mode)
    wanted = np.pad(x, [(0, 0), (0, 0), (2, 1), (1, 2)], mode=numpys)  # pyright: ignore[reportCallIssue, reportArgumentType]
    np.testing.assert_array_equal(got.numpy(), wanted)


def test_negative_padding_cuts_off() -> None:
    assert F.pad(torch.arange(5.0), (-1, 1)).tolist() == [1, 2, 3, 4, 0]
    with pytest.raises(RuntimeError, match="negative output size"):
        F.pad(torch.ones(2), (-3, 0))
    with pytest.raises(NotImplementedError, match="Unrecognised padding mode mirror"):
        F.pad(torch.ones(2), (1, 1), "mirror")


def test_linear_interpolation_agrees_with_numpy() -> None:
    x = np.array([0.0, 3.0, 1.0, 5.0])
    got = F.interpolate(torch.tensor(x).reshape(1, 1, 4), size=7, mode="linear", align_corners=True)
    wanted = np.interp(np.linspace(0, 3, 7), np.arange(4), x)
    np.testing.assert_allclose(got.numpy().ravel(), wanted)
    got = F.interpolate(torch.tensor(x).reshape(1, 1, 4), scale_factor=2, mode="linear")
    wanted = np.interp((np.arange(8) + 0.5) / 2 - 0.5, np.arange(4), x)
    np.testing.assert_allclose(got.numpy().ravel(), wanted)


def test_cubic_interpolation_keeps_what_is_constant_and_slopes_on_average() -> None:
    ramp = torch.arange(8.0).reshape(1, 1, 1, 8).expand(1, 1, 8, 8)
    out = F.interpolate(ramp, scale_factor=2, mode="bicubic").numpy()[0, 0, 5]
    np.testing.assert_allclose(out[6:12] - out[4:10], 1.0)
    flat = F.interpolate(torch.ones(1, 1, 4, 4), scale_factor=3, mode="bicubic")
    np.testing.assert_allclose(flat.numpy(), 1, rtol=1e-6)


def test_pixels_and_channels_are_exchanged_and_back() -> None:
    x = torch.arange(32.0).reshape(1, 8, 2, 2)
    y = F.pixel_shuffle(x, 2)
    assert y[0, 0, :2, :2].tolist() == [[0, 4], [8, 12]]
    assert F.pixel_unshuffle(y, 2).tolist() == x.tolist()


def test_a_hard_draw_has_the_gradient_of_the_soft_one() -> None:
    logits = torch.zeros(5, 3, requires_grad=True)
    out = F.gumbel_softmax(logits, hard=True)
    assert sorted(set(out.detach().numpy().round(6).ravel().tolist())) == [0.0, 1.0]
    (out * torch.arange(3.0)).sum().backward()
    assert logits.grad is not None
    assert logits.grad.abs().sum().item() > 0


def test_the_ranking_loss_of_the_package_broadcasts_and_that_of_layers_does_not() -> None:
    one, two = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[2.0, 0.0], [3.0, 5.0]])
    target = torch.tensor([1.0, -1.0])
    found = torch.margin_ranking_loss(one, two, target, 0.5)
    expected = np.maximum(0, 0.5 - target.numpy() * (one.numpy() - two.numpy()))
    np.testing.assert_allclose(found.numpy(), expected)
    with pytest.raises(RuntimeError, match="All input tensors should have same dimension"):
        F.margin_ranking_loss(one, two, target)
