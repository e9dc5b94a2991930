"""Exported models compute in onnxruntime what they compute here."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid as torch

pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

nn, F = torch.nn, torch.nn.functional
X = torch.randn(2, 3, 8, 8, generator=torch.Generator().manual_seed(0))
ROWS = torch.randn(4, 6, generator=torch.Generator().manual_seed(1))
SEQUENCE = torch.randn(2, 5, 8, generator=torch.Generator().manual_seed(2))


def assert_computes_the_same(model: Any, *inputs: torch.Tensor) -> None:
    """Export, run in onnxruntime, and compare."""
    expected = model(*(each.clone() for each in inputs))
    expected = [expected] if isinstance(expected, torch.Tensor) else _flat(expected)
    proto = torch.onnx.export(model, tuple(each.clone() for each in inputs))
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    session = runtime.InferenceSession(proto.SerializeToString(), options)
    names = [each.name for each in session.get_inputs()]
    given = {name: each.detach().numpy() for name, each in zip(names, inputs, strict=True)}
    got = session.run(None, {name: given[name] for name in names})
    assert len(got) == len(expected)
    for theirs, ours in zip(got, expected, strict=True):
        assert theirs.dtype == ours.detach().numpy().dtype
        assert theirs.shape == tuple(ours.shape)
        assert np.allclose(theirs, ours.detach().numpy(), rtol=1e-4, atol=1e-5)


def _flat(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    return [tensor for each in value for tensor in _flat(each)]


LAYERS: list[tuple[Any, torch.Tensor]] = [
    (nn.Linear(6, 3), ROWS), (nn.Linear(8, 3, bias=False), SEQUENCE),
    (nn.Conv2d(3, 4, 3, stride=2, padding=1), X), (nn.Conv1d(5, 4, 3, padding="same"), SEQUENCE),
    (nn.Conv2d(3, 6, 3, groups=3, dilation=2), X), (nn.ConvTranspose2d(3, 4, 3, 2, 1, 1), X),
    (nn.BatchNorm2d(3), X), (nn.BatchNorm2d(3, affine=False), X), (nn.LayerNorm(8), X),
    (nn.LayerNorm((8, 8)), X), (nn.GroupNorm(3, 3), X), (nn.InstanceNorm2d(3), X),
    (nn.RMSNorm(8), X), (nn.ReLU(), X), (nn.ReLU(inplace=True), X), (nn.GELU(), X),
    (nn.GELU("tanh"), X), (nn.SiLU(), X), (nn.LeakyReLU(0.2), X), (nn.ELU(0.5), X),
    (nn.SELU(), X), (nn.CELU(), X), (nn.Hardswish(), X), (nn.Hardsigmoid(), X),
    (nn.Softplus(2.0), X), (nn.PReLU(3), X), (nn.Mish(), X), (nn.ReLU6(), X),
    (nn.Hardtanh(), X), (nn.Softsign(), X), (nn.LogSigmoid(), X), (nn.GLU(), X),
    (nn.Tanh(), X), (nn.Sigmoid(), X), (nn.MaxPool2d(2), X), (nn.MaxPool2d(3, 2, 1), X),
    (nn.AvgPool2d(2, padding=1), X), (nn.AvgPool2d(3, count_include_pad=False, padding=1), X),
    (nn.AdaptiveAvgPool2d(1), X), (nn.AdaptiveAvgPool2d((4, 2)), X), (nn.AdaptiveMaxPool2d(1), X),
    (nn.Softmax(-1), X), (nn.Softmax(1), X), (nn.LogSoftmax(-1), X), (nn.Dropout(), X),
    (nn.Flatten(), X), (nn.Unflatten(1, (1, 3)), X), (nn.Upsample(scale_factor=2), X),
    (nn.Upsample(scale_factor=2, mode="bilinear"), X),
    (nn.Upsample(size=(5, 9), mode="bilinear", align_corners=True), X), (nn.PixelShuffle(1), X),
    (nn.PixelShuffle(2), torch.randn(2, 8, 4, 3)), (nn.PixelUnshuffle(2), X),
    (nn.ReplicationPad2d((1, 2, 0, 3)), X), (nn.CircularPad2d((1, 2, 0, 3)), X),
    (nn.ZeroPad2d((1, 2, 0, 3)), X), (nn.ReflectionPad2d(1), X), (nn.Identity(), X),
    (nn.Embedding(10, 4), torch.tensor([[1, 2], [3, 9]])),
    (nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), SEQUENCE),
    (nn.LSTM(8, 4, batch_first=True), SEQUENCE),
    (nn.LSTM(8, 4, num_layers=2, bidirectional=True), SEQUENCE),
    (nn.GRU(8, 4, batch_first=True, bidirectional=True), SEQUENCE), (nn.RNN(8, 4), SEQUENCE),
    (nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(True), nn.MaxPool2d(2),
                   nn.Flatten(), nn.Linear(36, 5)), X),
]  # fmt: skip


@pytest.mark.parametrize(("layer", "x"), LAYERS, ids=lambda value: type(value).__name__)
def test_a_layer(layer: Any, x: torch.Tensor) -> None:
    assert_computes_the_same(layer.eval(), x)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[:, 1:, ::2, 0],
        lambda x: x[0, None, ..., -1],
        lambda x: x[:, torch.tensor([2, 0])],
        lambda x: x.chunk(2, 2),
        lambda x: x.split(3, 2),
        lambda x: x.unbind(1)[1],
        lambda x: torch.cat([x, x * 2], 1),
        lambda x: torch.stack([x, -x], -1),
        lambda x: x.view(2, -1).unsqueeze(0).squeeze(0),
        lambda x: x.permute(0, 2, 3, 1).transpose(1, -1),
        lambda x: x.reshape(6, 64).T,
        lambda x: x[:1].expand(4, 3, 8, 8),
        lambda x: x.repeat(2, 1, 1, 3),
        lambda x: x.flip(1, 3),
        lambda x: x.mean((2, 3)),
        lambda x: x.sum(-1, keepdim=True) / x.numel(),
        lambda x: (x.amax(1), x.amin((0, 1)), x.prod(2), x.logsumexp(1)),
        lambda x: (x.max(1).values, x.min(2).indices, x.argmax(1), x.argmin()),
        lambda x: (x.var((2, 3), unbiased=False), x.std(1)),
        lambda x: F.normalize(x),
        lambda x: (1 - x) * (x + 2) / (x.abs() + 1) - x**2,
        lambda x: (x.exp(), x.abs().sqrt(), (x.abs() + 1).rsqrt(), x.erf(), x.floor(), x.sign()),
        lambda x: (x > 0) & (x <= 1) | ~(x != 0),
        lambda x: torch.where(x > 0, x, 0.0),
        lambda x: (x.clamp(-0.5, 0.5), x.clamp(min=0), torch.maximum(x, x * 0)),
        lambda x: x.masked_fill(x > 1, float("-inf")).softmax(-1),
        lambda x: (x @ x.mT, torch.einsum("bcij,bckj->bik", x, x)),
        lambda x: x.to(torch.float64) * 2,
        lambda x: x.cumsum(2),
        lambda x: (x.tril(), x.triu(1)),
        lambda x: x.topk(2, -1),
        lambda x: x.gather(3, torch.zeros(2, 3, 8, 1, dtype=torch.int64)),
        lambda x: torch.lerp(x, x * 2, 0.25),
        lambda x: x.detach() + x.data,
        lambda x: x.clone().add_(1).relu_(),
        lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True),
        lambda x: torch.add(x, x, alpha=3),
        lambda x: x * torch.ones((), dtype=torch.float64),
        lambda x: F.pad(x, (1, 2), value=3.0),
    ],
)
def test_an_expression(function: Callable[[torch.Tensor], Any]) -> None:
    assert_computes_the_same(function, X)


def test_attention_over_other_keys() -> None:
    attention = nn.MultiheadAttention(8, 2, batch_first=True).eval()
    keys = torch.randn(2, 3, 8)
    assert_computes_the_same(lambda q, k: attention(q, k, k), SEQUENCE, keys)


def test_a_file_names_what_it_holds(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    model = nn.Sequential(nn.Linear(6, 4), nn.ReLU())
    path = tmp_path / "model.onnx"
    torch.onnx.export(model, ROWS, path, input_names=["rows"], output_names=["y"])
    graph = onnx.load(path).graph
    assert sorted(each.name for each in graph.initializer) == ["0.bias", "0.weight"]
    assert [each.op_type for each in graph.node] == ["Gemm", "Relu", "Identity"]
    assert ([each.name for each in graph.input], [each.name for each in graph.output]) == (
        ["rows"], ["y"],
    )  # fmt: skip
    stored = onnx.numpy_helper.to_array(graph.initializer[0])
    assert np.array_equal(stored, model[0].weight.detach().numpy())


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x.sort(-1).values, r"not supported for this operation\n  in sort\(.*\n  at "),
        (lambda x: nn.BatchNorm2d(3)(x), r"in training mode; call model.eval\(\) before"),
        (lambda x: F.adaptive_avg_pool2d(x, 3), r"windows of different sizes"),
        (lambda x: x[x > 0], r"not supported for"),
        (lambda x: F.max_pool2d(x, 2, return_indices=True), r"does not give this part"),
        (lambda x: x[0].add_(1), r"memory that several tensors share"),
    ],
)
def test_what_onnx_lacks_is_refused_with_the_line(
    function: Callable[[torch.Tensor], Any], message: str
) -> None:
    with pytest.raises(NotImplementedError) as caught:
        torch.onnx.export(function, X.clone())
    assert re.search(message, str(caught.value))


def test_the_wrong_number_of_names_is_refused() -> None:
    with pytest.raises(ValueError, match="input_names has 2 names, but the model has 1 inputs"):
        torch.onnx.export(nn.ReLU(), X, input_names=["a", "b"])
