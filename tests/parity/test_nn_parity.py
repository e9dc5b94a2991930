"""Layers print, start and compute as those of the installed PyTorch, for the same seed."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import pellucid
import pellucid.nn

torch = pytest.importorskip("torch")

LAYERS = [
    ("Linear(3, 4)", (2, 3)),
    ("Linear(3, 4, bias=False)", (3,)),
    ("Identity()", (2, 3)),
    ("Conv1d(2, 4, 3, padding=1)", (2, 2, 6)),
    ("Conv1d(2, 4, 3, padding='same', padding_mode='circular')", (2, 2, 6)),
    ("Conv2d(2, 4, 3)", (2, 2, 6, 5)),
    (
        "Conv2d(4, 4, (3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2), groups=2)",
        (1, 4, 6, 7),
    ),
    ("Conv2d(2, 3, 3, padding=1, padding_mode='reflect', bias=False)", (1, 2, 5, 5)),
    ("Conv3d(1, 2, 2)", (1, 1, 3, 3, 4)),
    ("ConvTranspose1d(2, 3, 3, stride=2, output_padding=1)", (1, 2, 4)),
    ("ConvTranspose2d(2, 4, 2, stride=2, groups=2)", (1, 2, 3, 3)),
    ("ConvTranspose3d(1, 2, 2)", (1, 1, 2, 2, 2)),
    ("ReLU()", (2, 3)),
    ("ReLU(inplace=True)", (2, 3)),
    ("ReLU6()", (2, 3)),
    ("LeakyReLU(0.2)", (2, 3)),
    ("ELU(0.5)", (2, 3)),
    ("GELU()", (2, 3)),
    ("GELU('tanh')", (2, 3)),
    ("SiLU()", (2, 3)),
    ("Sigmoid()", (2, 3)),
    ("Tanh()", (2, 3)),
    ("Softmax(dim=1)", (2, 3)),
    ("LogSoftmax(dim=0)", (2, 3)),
    ("Softmin(dim=1)", (2, 3)),
    ("Softplus(2.0)", (2, 3)),
    ("Hardtanh(-0.5, 0.5)", (2, 3)),
    ("MaxPool1d(2)", (1, 2, 6)),
    ("MaxPool2d(3, stride=2, padding=1)", (1, 2, 7, 7)),
    ("MaxPool2d((2, 3), ceil_mode=True)", (1, 2, 7, 7)),
    ("AvgPool1d(2)", (1, 2, 6)),
    ("AvgPool2d(2, padding=1, count_include_pad=False)", (1, 2, 6, 6)),
    ("AdaptiveAvgPool1d(3)", (1, 2, 7)),
    ("AdaptiveAvgPool2d((2, 3))", (1, 2, 7, 7)),
    ("AdaptiveMaxPool2d(2)", (1, 2, 7, 7)),
    ("Flatten()", (2, 3, 4)),
    ("Unflatten(1, (2, 3))", (2, 6)),
    ("Dropout(0.3)", (20,)),
    ("Dropout1d(0.3)", (4, 5, 3)),
    ("Dropout2d(0.3)", (4, 5, 3, 2)),
    ("Dropout(0.3).eval()", (20,)),
    ("BatchNorm1d(3)", (4, 3)),
    ("BatchNorm1d(3, affine=False, momentum=None)", (4, 3, 2)),
    ("BatchNorm2d(3)", (2, 3, 4, 4)),
    ("BatchNorm2d(3).eval()", (2, 3, 4, 4)),
    ("BatchNorm3d(2, track_running_stats=False)", (2, 2, 3, 3, 3)),
    ("LayerNorm((3, 4))", (2, 3, 4)),
    ("LayerNorm(4, bias=False)", (2, 3, 4)),
    ("GroupNorm(2, 4)", (2, 4, 3)),
    ("InstanceNorm1d(3)", (2, 3, 5)),
    ("InstanceNorm2d(3, affine=True, track_running_stats=True)", (2, 3, 4, 4)),
    ("Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))", (2, 3)),
]

LOSSES = [
    "MSELoss()", "L1Loss(reduction='sum')", "SmoothL1Loss(beta=0.5)", "HuberLoss(delta=0.5)",
    "BCELoss()", "BCEWithLogitsLoss()", "KLDivLoss(reduction='batchmean')",
]  # fmt: skip

PRINTED = [
    "Bilinear(2, 3, 4)",
    "Embedding(10, 3, padding_idx=0)",
    "Sequential()",
    "ModuleList([nn.Linear(2, 2), nn.Linear(2, 2), nn.ReLU()])",
    "ModuleDict({'a': nn.ReLU(), 'b': nn.Sequential(nn.Tanh(), nn.Sequential(nn.ReLU()))})",
    "CrossEntropyLoss()",
]

SIGNATURES = sorted({call.partition("(")[0] for call, _ in LAYERS} | {"Embedding", "Bilinear"})


def built(module, call):
    """Make a layer of either library with the same seed."""
    module.manual_seed(0)
    nn = module.nn
    return eval(f"nn.{call}", {"nn": nn})


def close(ours, theirs) -> None:
    np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), rtol=2e-5, atol=2e-6)


def close_states(ours, theirs) -> None:
    assert list(ours.state_dict()) == list(theirs.state_dict())
    for name, value in theirs.state_dict().items():
        close(ours.state_dict()[name], value)


@pytest.mark.parametrize(("call", "shape"), LAYERS, ids=lambda each: str(each))
def test_layer_prints_starts_and_computes_alike(call: str, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    results = []
    for module in (pellucid, torch):
        layer = built(module, call)
        module.manual_seed(1)
        leaf = module.tensor(values, requires_grad=True)
        output = layer(leaf * 1)
        (output * output * output).sum().backward()
        results.append((layer, output, leaf.grad, [p.grad for p in layer.parameters()]))
    (ours, our_output, our_grad, our_grads), (theirs, output, grad, grads) = results
    assert repr(ours) == repr(theirs)
    close_states(ours, theirs)
    close(our_output, output)
    close(our_grad, grad)
    for mine, other in zip(our_grads, grads, strict=True):
        close(mine, other)


@pytest.mark.parametrize("call", PRINTED)
def test_module_prints_and_starts_alike(call: str) -> None:
    ours, theirs = built(pellucid, call), built(torch, call)
    assert repr(ours) == repr(theirs)
    close_states(ours, theirs)


@pytest.mark.parametrize("call", LOSSES)
def test_loss_is_alike(call: str) -> None:
    generator = np.random.default_rng(0)
    input = generator.random((4, 3)).astype(np.float32) * 0.9 + 0.05
    target = generator.random((4, 3)).astype(np.float32)
    ours, theirs = (
        built(module, call)(module.tensor(input), module.tensor(target))
        for module in (pellucid, torch)
    )
    close(ours, theirs)


@pytest.mark.parametrize(
    "call",
    ["CrossEntropyLoss(label_smoothing=0.1)", "CrossEntropyLoss(ignore_index=1)", "NLLLoss()"],
)
def test_loss_of_classes_is_alike(call: str) -> None:
    scores = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)
    ours, theirs = (
        built(module, call)(module.tensor(scores), module.tensor([0, 1, 2, 0]))
        for module in (pellucid, torch)
    )
    close(ours, theirs)


@pytest.mark.parametrize("name", SIGNATURES)
def test_constructor_takes_the_same_arguments(name: str) -> None:
    ours, theirs = (
        {
            parameter.name: parameter.default
            for parameter in inspect.signature(getattr(module.nn, name)).parameters.values()
            if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            and parameter.name not in ("min_value", "max_value")
        }
        for module in (pellucid, torch)
    )
    assert ours == theirs


@pytest.mark.parametrize(
    "fill",
    [
        "xavier_uniform_(w)", "xavier_normal_(w, gain=2.0)",
        "kaiming_uniform_(w, nonlinearity='relu')",
        "kaiming_normal_(w, mode='fan_out')", "uniform_(w, -2, 3)", "normal_(w, 1.0, 2.0)",
        "trunc_normal_(w, std=0.5)", "trunc_normal_(w, a=-0.1, b=0.2)",
        "constant_(w, 3)", "ones_(w)", "zeros_(w)", "eye_(w)",
        "orthogonal_(w)",
    ],
)  # fmt: skip
@pytest.mark.parametrize("shape", [(5, 7), (6, 4)])
def test_first_values_are_alike(fill: str, shape: tuple[int, int]) -> None:
    filled = []
    for module in (pellucid, torch):
        module.manual_seed(3)
        w = module.empty(shape)
        eval(f"init.{fill}", {"init": module.nn.init, "w": w})
        filled.append(w)
    np.testing.assert_allclose(filled[0].numpy(), filled[1].numpy(), rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize(
    "change",
    [
        "del state['0.weight']",
        "state['more'] = state['0.weight']",
        "state['0.weight.more'] = state['0.weight']",
        "state['2.bias'] = state['0.weight']",
    ],
)
def test_loading_a_wrong_state_is_reported_alike(change: str) -> None:
    messages = []
    for module in (pellucid, torch):
        net = built(module, "Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))")
        state = dict(net.state_dict())
        exec(change, {"state": state})
        with pytest.raises(RuntimeError) as raised:
            net.load_state_dict(state)
        messages.append(str(raised.value))
    assert messages[0] == messages[1]


def hook_log(module) -> list[str]:
    log: list[str] = []
    net = built(module, "Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))")

    def sizes(grads):
        return [None if grad is None else list(grad.shape) for grad in grads]

    net.register_forward_pre_hook(lambda m, args: log.append(f"pre {len(args)}"))
    net[0].register_forward_hook(lambda m, args, out: log.append(f"forward {list(out.shape)}"))
    net[1].register_full_backward_pre_hook(lambda m, g: log.append(f"backward pre {sizes(g)}"))
    net[1].register_full_backward_hook(lambda m, i, o: log.append(f"1 {sizes(i)} {sizes(o)}"))
    net[0].register_full_backward_hook(lambda m, i, o: log.append(f"0 {sizes(i)} {sizes(o)}"))
    net(module.ones(2, 3, requires_grad=True)).sum().backward()
    return log


def test_hooks_run_in_the_same_order_with_the_same_gradients() -> None:
    assert hook_log(pellucid) == hook_log(torch)
