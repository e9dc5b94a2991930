"""Every layer and optimizer, compiled and plain: the same bits and the same random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pellucid as torch
from pellucid import nn
from tests.samples.duration import takes_long

#: the calls of each; the first few are recorded, the later ones run from the recording
CALLS = 6
LINE, PLANE, SPACE = "torch.randn(2, 4, 8)", "torch.randn(2, 4, 8, 8)", "torch.randn(2, 4, 8, 8, 8)"
ROWS, POSITIVE = "torch.randn(3, 4)", "torch.rand(3, 4) + 0.1"
LABELS, SIGNS = "torch.tensor([1, 0, 3])", "torch.tensor([1.0, -1.0, 1.0])"

#: how layers are made, by what they are given
LAYERS: dict[str, list[str]] = {
    ROWS: [
        "nn.Linear(4, 3)", "nn.LazyLinear(3)", "nn.Identity()", "nn.BatchNorm1d(4)",
        "nn.LazyBatchNorm1d()", "nn.Dropout(0.4)", "nn.AlphaDropout(0.4)", "nn.GRUCell(4, 3)",
        "nn.LSTMCell(4, 3)", "nn.RNNCell(4, 3)", "nn.LayerNorm(4)", "nn.RMSNorm(4)",
        "nn.SyncBatchNorm(4)", "nn.PReLU()", "nn.RReLU()", "nn.Softmax(1)", "nn.Softmin(1)",
        "nn.LogSoftmax(1)", "nn.GLU(1)", "nn.Threshold(0.1, 2.0)", "nn.Unflatten(1, (2, 2))",
        "nn.Sequential(nn.Linear(4, 4), nn.ReLU())", "nn.FeatureAlphaDropout(0.3)",
        *(f"nn.{each}()" for each in (
            "CELU", "ELU", "GELU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh",
            "LeakyReLU", "LogSigmoid", "Mish", "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid",
            "Softplus", "Softshrink", "Softsign", "Tanh", "Tanhshrink",
        )),
    ],
    LINE: [
        "nn.Conv1d(4, 3, 3)", "nn.ConvTranspose1d(4, 3, 3)", "nn.LazyConv1d(3, 3)",
        "nn.LazyConvTranspose1d(3, 3)", "nn.AvgPool1d(2)", "nn.MaxPool1d(2)", "nn.LPPool1d(2, 2)",
        "nn.AdaptiveAvgPool1d(3)", "nn.AdaptiveMaxPool1d(3)", "nn.InstanceNorm1d(4, affine=True)",
        "nn.LazyInstanceNorm1d()", "nn.GroupNorm(2, 4)", "nn.Dropout1d(0.4)", "nn.Flatten()",
        "nn.CircularPad1d(1)", "nn.ConstantPad1d(1, 0.5)", "nn.ReflectionPad1d(1)",
        "nn.ReplicationPad1d(1)", "nn.ZeroPad1d(1)", "nn.Upsample(scale_factor=2)",
        "nn.LocalResponseNorm(2)", "nn.RNN(8, 3)", "nn.LSTM(8, 3)", "nn.GRU(8, 3, dropout=0.0)",
        "nn.LSTM(8, 3, num_layers=2, dropout=0.3)",
        "nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)",
        "nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2)",
    ],
    PLANE: [
        "nn.Conv2d(4, 3, 3)", "nn.ConvTranspose2d(4, 3, 3)", "nn.LazyConv2d(3, 3)",
        "nn.LazyConvTranspose2d(3, 3)", "nn.AvgPool2d(2)", "nn.MaxPool2d(2)", "nn.LPPool2d(2, 2)",
        "nn.AdaptiveAvgPool2d(3)", "nn.AdaptiveMaxPool2d(3)", "nn.FractionalMaxPool2d(2, 4)",
        "nn.BatchNorm2d(4)", "nn.LazyBatchNorm2d()", "nn.InstanceNorm2d(4)",
        "nn.LazyInstanceNorm2d()", "nn.Dropout2d(0.4)", "nn.ChannelShuffle(2)",
        "nn.CircularPad2d(1)", "nn.ConstantPad2d(1, 0.5)", "nn.ReflectionPad2d(1)",
        "nn.ReplicationPad2d(1)", "nn.ZeroPad2d(1)", "nn.PixelShuffle(2)", "nn.PixelUnshuffle(2)",
        "nn.Softmax2d()", "nn.Unfold(2)", "nn.UpsamplingBilinear2d(scale_factor=2)",
        "nn.UpsamplingNearest2d(scale_factor=2)", "nn.CrossMapLRN2d(2)",
    ],
    SPACE: [
        "nn.Conv3d(4, 2, 3)", "nn.ConvTranspose3d(4, 2, 3)", "nn.LazyConv3d(2, 3)",
        "nn.LazyConvTranspose3d(2, 3)", "nn.AvgPool3d(2)", "nn.MaxPool3d(2)", "nn.LPPool3d(2, 2)",
        "nn.AdaptiveAvgPool3d(3)", "nn.AdaptiveMaxPool3d(3)", "nn.FractionalMaxPool3d(2, 4)",
        "nn.BatchNorm3d(4)", "nn.LazyBatchNorm3d()", "nn.InstanceNorm3d(4)",
        "nn.LazyInstanceNorm3d()", "nn.Dropout3d(0.4)", "nn.CircularPad3d(1)",
        "nn.ConstantPad3d(1, 0.5)", "nn.ReflectionPad3d(1)", "nn.ReplicationPad3d(1)",
        "nn.ZeroPad3d(1)",
    ],
    "torch.randn(2, 16, 9)": ["nn.Fold((4, 4), 2)"],
    "torch.tensor([[1, 2], [0, 3]])": ["nn.Embedding(4, 3)", "nn.EmbeddingBag(4, 3)"],
    f"{ROWS}, {ROWS}": [
        "nn.Bilinear(4, 4, 2)", "nn.CosineSimilarity()", "nn.PairwiseDistance()", "nn.MSELoss()",
        "nn.L1Loss()", "nn.HuberLoss()", "nn.SmoothL1Loss()", "nn.PoissonNLLLoss()",
        "nn.KLDivLoss(reduction='batchmean')",
    ],
    f"{ROWS}, torch.rand(3, 4)": ["nn.BCEWithLogitsLoss()"],
    f"torch.rand(3, 4) * 0.9, {POSITIVE} * 0.5": ["nn.BCELoss()"],
    f"{ROWS}, torch.randn(3, 4).sign()": ["nn.SoftMarginLoss()", "nn.HingeEmbeddingLoss()"],
    f"{ROWS}, {LABELS}": [
        "nn.CrossEntropyLoss()", "nn.NLLLoss()", "nn.MultiMarginLoss()",
        "nn.AdaptiveLogSoftmaxWithLoss(4, 4, [2])", "nn.LinearCrossEntropyLoss(4, 4)",
    ],
    f"{ROWS}, torch.tensor([[1, 0, -1, 0], [2, -1, 0, 0], [0, 3, 1, -1]])": [
        "nn.MultiLabelMarginLoss()"
    ],
    f"{ROWS}, torch.ones(3, 4)": ["nn.MultiLabelSoftMarginLoss()"],
    f"{ROWS}, {ROWS}, {SIGNS}": ["nn.CosineEmbeddingLoss()"],
    f"{SIGNS} * 0.5, {SIGNS} * 2, {SIGNS}": ["nn.MarginRankingLoss()"],
    f"{ROWS}, {ROWS}, {POSITIVE}": ["nn.GaussianNLLLoss()"],
    f"{ROWS}, {ROWS}, {ROWS}": ["nn.TripletMarginLoss()", "nn.TripletMarginWithDistanceLoss()"],
    "torch.randn(2, 4, 3, 3), torch.ones(2, 3, 3, dtype=torch.int64)": ["nn.NLLLoss2d()"],
    "torch.randn(5, 2, 4).log_softmax(2), torch.tensor([[1, 2], [3, 1]]), torch.tensor([5, 4]), "
    "torch.tensor([2, 1])": ["nn.CTCLoss()"],
    f"{LINE}, {LINE}, {LINE}": ["nn.MultiheadAttention(8, 2, batch_first=True)"],
    f"{LINE}, {LINE}": [
        "nn.TransformerDecoderLayer(8, 2, 16)", "nn.Transformer(8, 2, 1, 1, 16)",
        "nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16), 1)",
    ],
    "*torch.nn.functional.max_pool1d(torch.randn(2, 4, 8), 2, return_indices=True)": [
        "nn.MaxUnpool1d(2)"
    ],
    "*torch.nn.functional.max_pool2d(torch.randn(2, 4, 8, 8), 2, return_indices=True)": [
        "nn.MaxUnpool2d(2)"
    ],
    "*torch.nn.functional.max_pool3d(torch.randn(1, 2, 4, 4, 4), 2, return_indices=True)": [
        "nn.MaxUnpool3d(2)"
    ],
}  # fmt: skip
CASES = [(layer, given) for given, layers in LAYERS.items() for layer in layers]
#: containers, base classes, and what copies a module to devices
NOT_CALLED = {
    "Container", "DataParallel", "Module", "ModuleDict", "ModuleList", "ParameterDict",
    "ParameterList", "RNNBase", "RNNCellBase",
}  # fmt: skip


def test_every_layer_is_among_the_cases() -> None:
    classes = {
        name for name, each in vars(nn).items()
        if isinstance(each, type) and issubclass(each, nn.Module)
    }  # fmt: skip
    called = {name for name in classes if any(f"nn.{name}(" in layer for layer, _ in CASES)}
    assert classes - called == NOT_CALLED


def _first(found: Any) -> Any:
    while isinstance(found, tuple):
        found = found[0]
    return found


def _run(layer: str, given: str, training: bool, way: str) -> list[Any]:
    """Return all that is seen of some steps of a layer: plain, compiled alone, or as a step."""
    torch.manual_seed(0)
    names = {"torch": torch, "nn": nn}
    module = eval(layer, names)
    batches: list[Any] = [eval(f"({given},)", names) for _ in range(CALLS)]
    module(*batches[0])
    module.train(training)
    called = torch.compile(module) if way == "layer" else module

    def step(*batch: Any) -> Any:
        found = called(*batch)
        loss = (_first(found) * 1.5).sum()
        if loss.requires_grad:
            loss.backward()
        return found

    run: Callable[..., Any] = torch.compile(step) if way == "step" else step
    seen: list[Any] = []
    for batch in batches:
        for each in (*module.parameters(), *batch):
            each.grad = None
        batch[0].requires_grad_(batch[0].is_floating_point())
        found = run(*batch)
        tensors = [
            *(found if isinstance(found, tuple) else (found,)), *module.buffers(),
            *(each.grad for each in (*module.parameters(), *batch)), torch.get_rng_state(),
        ]  # fmt: skip
        seen.append([str(each) if each is None else _bits(each) for each in tensors])
    return seen


def _bits(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_bits(each) for each in value]
    if value.is_sparse:
        value = value.to_dense()
    return tuple(value.shape), str(value.dtype), value.detach().contiguous().numpy().tobytes()


@takes_long
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize(("layer", "given"), CASES, ids=[layer for layer, _ in CASES])
def test_layers_compiled_do_what_they_do(layer: str, given: str, training: bool) -> None:
    expected = _run(layer, given, training, "plain")
    assert _run(layer, given, training, "step") == expected
    assert _run(layer, given, training, "layer") == expected


OPTIMIZERS = [
    "SGD(params, 0.1)", "SGD(params, 0.1, momentum=0.9, nesterov=True, weight_decay=0.01)",
    "Adam(params, 0.1)", "Adam(params, 0.1, amsgrad=True, weight_decay=0.1)", "AdamW(params)",
    "NAdam(params)", "RAdam(params)", "Adamax(params)", "Adagrad(params)", "Adadelta(params)",
    "RMSprop(params, momentum=0.9, centered=True)", "Rprop(params)", "ASGD(params)",
    "Adafactor(params)", "Muon([net[0].weight, net[2].weight])",
    "Adam([{'params': net[0].parameters(), 'lr': 0.5}, {'params': net[2].parameters()}])",
]  # fmt: skip


def test_every_optimizer_is_among_the_cases() -> None:
    classes = {
        name for name, each in vars(torch.optim).items()
        if isinstance(each, type) and issubclass(each, torch.optim.Optimizer)
    }  # fmt: skip
    used = {name for name in classes if any(each.startswith(f"{name}(") for each in OPTIMIZERS)}
    assert classes - used == {"Optimizer", "LBFGS", "SparseAdam"}  # they have tests below


def _training(optimizer: str, compiles: bool) -> list[Any]:
    """Return the parameters and states after each of some steps, whose options change meanwhile."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    names = {"torch": torch, "net": net, "params": list(net.parameters())}
    made = eval(f"torch.optim.{optimizer}", names)
    schedule = torch.optim.lr_scheduler.ExponentialLR(made, 0.9)
    x, y = torch.randn(5, 3), torch.randn(5, 1)

    def step() -> Any:
        made.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        made.step()
        return loss

    run = torch.compile(step) if compiles else step
    seen: list[Any] = []
    for number in range(10):
        loss = run()
        schedule.step()
        states = [
            each for state in made.state.values() for each in state.values()
            if isinstance(each, torch.Tensor)
        ]  # fmt: skip
        seen.append([_bits(each) for each in (loss, *net.parameters(), *states)])
        seen.append([each._version for each in net.parameters()])
        if number == 6:
            made.param_groups[0]["lr"] *= 3
            net[0].bias.requires_grad_(False)
        if number == 8:
            made.load_state_dict(made.state_dict())
    return seen


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_optimizers_compiled_do_what_they_do(optimizer: str) -> None:
    assert _training(optimizer, compiles=True) == _training(optimizer, compiles=False)


def _with_closures(compiles: bool) -> list[Any]:
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    optimizer = torch.optim.LBFGS(net.parameters(), max_iter=3)
    x, y = torch.randn(5, 3), torch.randn(5, 1)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        return loss

    run = torch.compile(closure) if compiles else closure
    return [_bits(optimizer.step(run)) for _ in range(6)] + [_bits(net.weight)]


def _with_sparse_gradients(compiles: bool) -> list[Any]:
    torch.manual_seed(0)
    table = nn.Embedding(5, 3, sparse=True)
    optimizer = torch.optim.SparseAdam(table.parameters(), lr=0.1)

    def step(rows: Any) -> Any:
        optimizer.zero_grad()
        loss = table(rows).square().sum()
        loss.backward()
        optimizer.step()
        return loss

    run = torch.compile(step) if compiles else step
    return [_bits(run(torch.tensor([i % 5, 1]))) for i in range(8)] + [_bits(table.weight)]


@pytest.mark.parametrize("program", [_with_closures, _with_sparse_gradients])
def test_closures_and_sparse_gradients(program: Callable[[bool], list[Any]]) -> None:
    assert program(True) == program(False)
