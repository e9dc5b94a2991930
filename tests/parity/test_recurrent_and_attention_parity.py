"""Recurrent layers, attention and the other layers compute as those of the installed PyTorch."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest

import pellucid
import pellucid.nn

torch = pytest.importorskip("torch")

RECURRENT = [
    ("LSTM(3, 4)", (5, 2, 3)),
    ("LSTM(3, 4, 2, bidirectional=True, proj_size=2)", (5, 2, 3)),
    ("LSTM(3, 4, 3, dropout=0.5)", (5, 2, 3)),
    ("LSTM(3, 4, bias=False, batch_first=True)", (2, 5, 3)),
    ("LSTM(3, 4, 2)", (5, 3)),
    ("GRU(3, 4)", (5, 2, 3)),
    ("GRU(3, 4, 2, bidirectional=True, dropout=0.5)", (5, 2, 3)),
    ("GRU(3, 4, bias=False)", (5, 3)),
    ("RNN(3, 4)", (5, 2, 3)),
    ("RNN(3, 4, 2, 'relu', bidirectional=True, batch_first=True)", (2, 5, 3)),
    ("RNNCell(3, 4, nonlinearity='relu')", (2, 3)),
    ("LSTMCell(3, 4)", (2, 3)),
    ("LSTMCell(3, 4, bias=False)", (3,)),
    ("GRUCell(3, 4)", (2, 3)),
]

LAYERS = [
    ("SELU()", (2, 3)),
    ("CELU(0.5)", (2, 3)),
    ("Mish()", (2, 3)),
    ("Hardsigmoid()", (2, 3)),
    ("Hardswish()", (2, 3)),
    ("LogSigmoid()", (2, 3)),
    ("Softsign()", (2, 3)),
    ("Tanhshrink()", (2, 3)),
    ("Hardshrink(0.3)", (2, 3)),
    ("Softshrink(0.3)", (2, 3)),
    ("Threshold(0.1, 2)", (2, 3)),
    ("PReLU()", (2, 3)),
    ("PReLU(3, init=0.1)", (2, 3, 4)),
    ("RReLU()", (4, 5)),
    ("RReLU().eval()", (4, 5)),
    ("GLU()", (2, 4)),
    ("Softmax2d()", (2, 3, 2, 2)),
    ("Dropout3d(0.4)", (2, 5, 2, 2, 2)),
    ("AlphaDropout(0.4)", (4, 5)),
    ("FeatureAlphaDropout(0.4)", (2, 5, 3)),
    ("RMSNorm(4)", (2, 3, 4)),
    ("RMSNorm((3, 4), eps=0.1, elementwise_affine=False)", (2, 3, 4)),
    ("LocalResponseNorm(3)", (2, 5, 3)),
    ("ConstantPad1d((1, 2), 3.0)", (2, 3, 4)),
    ("ConstantPad3d(1, -1.0)", (1, 1, 2, 2, 2)),
    ("ZeroPad2d((1, 0, 2, -1))", (1, 2, 3, 4)),
    ("ReflectionPad1d(2)", (2, 3, 4)),
    ("ReflectionPad2d((1, 2, 0, 1))", (1, 2, 3, 4)),
    ("ReplicationPad2d(2)", (1, 2, 3, 4)),
    ("ReplicationPad3d(1)", (1, 1, 2, 3, 2)),
    ("CircularPad2d((1, 2, 1, 0))", (1, 2, 3, 4)),
    ("Upsample(scale_factor=2)", (1, 2, 3, 4)),
    ("Upsample(size=5, mode='linear', align_corners=True)", (1, 2, 3)),
    ("Upsample(scale_factor=(2.0, 1.5), mode='bilinear')", (1, 2, 4, 4)),
    ("Upsample(size=(5, 7), mode='bicubic')", (1, 2, 4, 4)),
    ("UpsamplingBilinear2d(scale_factor=2)", (1, 2, 3, 4)),
    ("UpsamplingNearest2d(size=(4, 6))", (1, 2, 3, 4)),
    ("PixelShuffle(2)", (1, 8, 2, 3)),
    ("PixelUnshuffle(2)", (1, 2, 4, 6)),
    ("ChannelShuffle(2)", (1, 6, 3)),
    ("Fold((4, 5), (2, 3), padding=1, stride=2)", (1, 6, 9)),
    ("Unfold((2, 3), dilation=1, padding=1)", (1, 2, 4, 5)),
    ("MaxPool3d(2)", (1, 2, 4, 4, 4)),
    ("AvgPool3d(2, padding=1)", (1, 2, 4, 4, 4)),
    ("AdaptiveAvgPool3d((2, None, 1))", (1, 2, 4, 3, 5)),
    ("AdaptiveMaxPool1d(3)", (1, 2, 7)),
    ("AdaptiveMaxPool3d(2)", (1, 2, 5, 4, 3)),
    ("LPPool1d(2, 3)", (1, 2, 7)),
    ("LPPool2d(2, (2, 3), stride=1, ceil_mode=True)", (1, 2, 5, 6)),
    ("LPPool3d(2, 2)", (1, 2, 4, 4, 4)),
    ("LazyLinear(4)", (2, 3)),
    ("LazyConv1d(4, 2)", (1, 3, 5)),
    ("LazyConv2d(4, 2, bias=False, groups=2)", (1, 2, 5, 4)),
    ("LazyConv3d(2, 2)", (1, 1, 3, 3, 3)),
    ("LazyConvTranspose1d(4, 2)", (1, 3, 5)),
    ("LazyConvTranspose2d(4, 2, stride=2)", (1, 2, 3, 3)),
    ("LazyConvTranspose3d(2, 2)", (1, 1, 2, 2, 2)),
    ("LazyBatchNorm1d()", (4, 3)),
    ("LazyBatchNorm2d(affine=False)", (2, 3, 3, 3)),
    ("LazyBatchNorm3d(track_running_stats=False)", (2, 2, 3, 3, 3)),
    ("LazyInstanceNorm1d()", (2, 3, 5)),
    ("LazyInstanceNorm2d(affine=False)", (2, 3, 4, 4)),
    ("LazyInstanceNorm3d()", (1, 2, 3, 3, 3)),
    ("utils.weight_norm(nn.Linear(3, 4))", (2, 3)),
    ("utils.weight_norm(nn.Conv2d(2, 3, 2), dim=None)", (1, 2, 4, 4)),
    ("utils.spectral_norm(nn.Linear(3, 4))", (2, 3)),
    ("utils.spectral_norm(nn.ConvTranspose1d(2, 3, 2), n_power_iterations=3)", (1, 2, 4)),
    ("utils.parametrizations.weight_norm(nn.Linear(3, 4))", (2, 3)),
    ("utils.parametrizations.weight_norm(nn.Conv1d(2, 3, 2), dim=None)", (1, 2, 4)),
    ("utils.parametrizations.spectral_norm(nn.Linear(3, 4))", (2, 3)),
    ("utils.parametrizations.spectral_norm(nn.Conv2d(2, 3, 2)).eval()", (1, 2, 4, 4)),
]

ATTENTION = [
    ("MultiheadAttention(8, 2)", "net(x, x, x)"),
    ("MultiheadAttention(8, 2)", "net(x, y, y * 2)"),
    ("MultiheadAttention(8, 2, bias=False, dropout=0.5)", "net(x, x, x, need_weights=False)"),
    ("MultiheadAttention(8, 4, dropout=0.5)", "net(x, x, x, average_attn_weights=False)"),
    (
        "MultiheadAttention(8, 2, kdim=3, vdim=6, add_bias_kv=True, add_zero_attn=True)",
        "net(x, y[..., :3], y[..., :6], key_padding_mask=late)",
    ),
    (
        "MultiheadAttention(8, 2, batch_first=True)",
        "net(x.transpose(0, 1), x.transpose(0, 1), y.transpose(0, 1), attn_mask=causal, "
        "is_causal=True, need_weights=False)",
    ),
    (
        "MultiheadAttention(8, 2)",
        "net(x[:, 0], x[:, 0], x[:, 0], attn_mask=causal.expand(2, 5, 5))",
    ),
    (
        "MultiheadAttention(8, 2)",
        "net(x, x, x, attn_mask=causal, key_padding_mask=late | ~late, need_weights=False)",
    ),
    ("TransformerEncoderLayer(8, 2, 16)", "net(x)"),
    (
        "TransformerEncoderLayer(8, 2, 16, norm_first=True, activation='gelu', bias=False, "
        "batch_first=True)",
        "net(x, causal[:2, :2])",
    ),
    ("TransformerDecoderLayer(8, 2, 16, activation=nn.GELU())", "net(x, y)"),
    (
        "TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2, nn.LayerNorm(8))",
        "net(x, causal, src_key_padding_mask=late)",
    ),
    (
        "TransformerDecoder(nn.TransformerDecoderLayer(8, 4, 16, norm_first=True), 2)",
        "net(x, y, tgt_key_padding_mask=late, memory_mask=causal)",
    ),
    (
        "Transformer(8, 2, 1, 2, 16)",
        "net(x, y[:3], tgt_mask=net.generate_square_subsequent_mask(3), tgt_is_causal=True)",
    ),
]

LOSSES = [
    "PoissonNLLLoss(full=True)", "HingeEmbeddingLoss(margin=0.5)", "SoftMarginLoss()",
    "MultiLabelSoftMarginLoss()",
]  # fmt: skip

USES = [
    ("GaussianNLLLoss(full=True)", "net(a, b, a * a)"),
    ("CosineEmbeddingLoss(margin=0.1)", "net(a, b, signs)"),
    ("MarginRankingLoss(margin=0.2)", "net(a[:, 0], b[:, 0], signs)"),
    ("MultiMarginLoss(p=2)", "net(a, classes)"),
    ("MultiLabelMarginLoss()", "net(a, labels)"),
    ("MultiLabelMarginLoss(reduction='none')", "net(a, labels)"),
    ("MultiLabelMarginLoss()", "net(a[0], labels[2])"),
    ("TripletMarginLoss(swap=True, p=1.5)", "net(a, b, a.flip(0))"),
    ("TripletMarginWithDistanceLoss()", "net(a, b, a.flip(0))"),
    ("AdaptiveLogSoftmaxWithLoss(3, 9, [1, 4], div_value=2)", "tuple(net(a, classes * 4))"),
    ("AdaptiveLogSoftmaxWithLoss(3, 4, [3], 1, head_bias=True)", "tuple(net(a[0], classes[1]))"),
    ("AdaptiveLogSoftmaxWithLoss(3, 9, [3, 5], div_value=1.5)", "net.log_prob(a)"),
    ("CosineSimilarity()", "net(a, b)"),
    ("PairwiseDistance(p=1, keepdim=True)", "net(a, b)"),
    ("EmbeddingBag(5, 3, mode='sum')", "net(classes.reshape(2, 2))"),
    ("EmbeddingBag(5, 3, mode='max', padding_idx=1)", "net(classes, zero_two)"),
    ("EmbeddingBag(5, 3)", "net(classes, zero_two)"),
    (
        "MaxUnpool2d(2)",
        "net(*nn.MaxPool2d(2, return_indices=True)(a.reshape(1, 1, 4, 3)[..., :2]))",
    ),
    ("MaxUnpool1d(2)", "net(*nn.MaxPool1d(2, return_indices=True)(a), output_size=[3])"),
    ("SyncBatchNorm.convert_sync_batchnorm(nn.BatchNorm1d(3)).eval()", "net(a)"),
]

#: arguments of PyTorch's that are more general there
OTHER_SIGNATURES = {"RNN", "LSTM", "GRU"}
PLAIN = {call.partition("(")[0] for call, _ in [*RECURRENT, *LAYERS, *ATTENTION, *USES]}
SIGNATURES = sorted(
    {name for name in PLAIN | {call.partition("(")[0] for call in LOSSES} if "." not in name}
    - OTHER_SIGNATURES
)


def built(module, call):
    """Make a layer of either library with the same seed."""
    module.manual_seed(0)
    return eval(f"nn.{call}", {"nn": module.nn})


def close(ours, theirs, what: str = "") -> None:
    ours, theirs = ours.detach().numpy(), theirs.detach().numpy()
    assert ours.shape == theirs.shape, what
    np.testing.assert_allclose(ours, theirs, rtol=5e-5, atol=3e-5, err_msg=what)


def tensors_in(value) -> list:
    if isinstance(value, tuple):
        return [each for part in value for each in tensors_in(part)]
    return [] if value is None else [value]


def compare(call: str, use, leaves: dict[str, np.ndarray]) -> None:
    """Build with one seed, use with another; compare outputs, gradients, printing and state."""
    results = []
    for module in (pellucid, torch):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            net = built(module, call)
            made = {
                name: module.tensor(values, requires_grad=values.dtype.kind == "f")
                for name, values in leaves.items()
            }
            module.manual_seed(1)
            outputs = tensors_in(use(module, net, made))
            loss = sum((each * each * each).sum() for each in outputs)
            wanted = [each for each in (*made.values(), *net.parameters()) if each.requires_grad]
            gradients = module.autograd.grad(loss, wanted, allow_unused=True)
        results.append((net, outputs, gradients))
    (ours, our_outputs, our_gradients), (theirs, outputs, gradients) = results
    assert repr(ours) == repr(theirs)
    for number, (mine, other) in enumerate(zip(our_outputs, outputs, strict=True)):
        close(mine, other, f"output {number}")
    for number, (mine, other) in enumerate(zip(our_gradients, gradients, strict=True)):
        assert (mine is None) == (other is None)
        if other is not None:
            close(mine, other, f"gradient {number}")
    assert list(ours.state_dict()) == list(theirs.state_dict())
    for name, value in theirs.state_dict().items():
        close(ours.state_dict()[name], value, name)


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(list(shape)).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize(("call", "shape"), [*RECURRENT, *LAYERS], ids=str)
def test_layer_prints_starts_and_computes_alike(call: str, shape: tuple[int, ...]) -> None:
    compare(call, lambda module, net, made: net(made["x"] * 1), {"x": normal(*shape)})


@pytest.mark.parametrize("call", [call for call, shape in RECURRENT if len(shape) == 3])
@pytest.mark.parametrize("lengths", [[5, 3], [2, 5], [4, 4]])
def test_packed_sequences_run_alike(call: str, lengths: list[int]) -> None:
    first = "batch_first=True" in call

    def use(module, net, made):
        rnn = module.nn.utils.rnn
        packed = rnn.pack_padded_sequence(made["x"], lengths, first, enforce_sorted=False)
        output, state = net(packed)
        padded, sizes = rnn.pad_packed_sequence(output, first, padding_value=2.0, total_length=6)
        return padded, state, sizes

    compare(call, use, {"x": normal(2, 5, 3) if first else normal(5, 2, 3)})


@pytest.mark.parametrize("packed", [False, True])
def test_first_states_are_taken_alike(packed: bool) -> None:
    def use(module, net, made):
        x = made["x"]
        if packed:
            rnn = module.nn.utils.rnn
            x = rnn.pack_padded_sequence(x, [2, 5], enforce_sorted=False)
        output, state = net(x, (made["h"], made["c"]))
        return output.data if packed else output, state

    leaves = {"x": normal(5, 2, 3), "h": normal(4, 2, 4), "c": normal(4, 2, 4)}
    compare("LSTM(3, 4, 2, bidirectional=True)", use, leaves)


@pytest.mark.parametrize("call", ["LSTM(3, 4, 2)", "GRU(3, 4, bidirectional=True)", "RNN(3, 4)"])
def test_second_derivatives_of_recurrent_layers_are_alike(call: str) -> None:
    def use(module, net, made):
        output, _ = net(made["x"])
        return module.autograd.grad((output**3).sum(), [made["x"]], create_graph=True)

    compare(call, use, {"x": normal(4, 2, 3)})


@pytest.mark.parametrize(("call", "program"), ATTENTION, ids=str)
def test_attention_is_alike(call: str, program: str) -> None:
    def use(module, net, made):
        names = {
            **made,
            "net": net,
            "causal": module.ones(5, 5).triu(1).bool(),
            "late": module.tensor([[False] * 5, [False, False, False, True, True]]),
        }
        return eval(program, names)

    compare(call, use, {"x": normal(5, 2, 8), "y": normal(5, 2, 8) + 1})


@pytest.mark.parametrize("call", LOSSES)
def test_loss_is_alike(call: str) -> None:
    leaves = {"x": normal(4, 3), "y": np.array([[1, -1, 1]] * 4)}
    if "Poisson" in call or "Label" in call:
        leaves["y"] = np.array([[1, 0, 3]] * 4) % (4 if "Poisson" in call else 2)
    compare(call, lambda module, net, made: net(made["x"], made["y"].float()), leaves)


@pytest.mark.parametrize(("call", "program"), USES, ids=str)
def test_layer_of_several_inputs_is_alike(call: str, program: str) -> None:
    leaves = {
        "a": normal(4, 3),
        "b": normal(4, 3) * 0.5 + 1,
        "signs": np.array([1, -1, 1, -1]),
        "classes": np.array([0, 2, 1, 2]),
        "zero_two": np.array([0, 2]),
        "labels": np.array([[0, -1, 1], [2, 1, -1], [1, -1, -1], [-1, 0, 0]]),
    }
    compare(
        call, lambda module, net, made: eval(program, {**made, "nn": module.nn, "net": net}), leaves
    )


CTC = [
    ("CTCLoss()", "net(scores, rows, t([6, 5, 4]), t([3, 1, 2]))"),
    ("CTCLoss(blank=2, reduction='none')", "net(scores, rows, t([6, 5, 4]), t([3, 2, 1]))"),
    ("CTCLoss(reduction='sum')", "net(scores, t([1, 1, 3, 2, 4]), t([6, 6, 6]), t([2, 1, 2]))"),
    ("CTCLoss()", "net(scores[:, 0], rows[0], t(5), t(3))"),
    ("CTCLoss()", "net(scores, rows, (6, 6, 6), (3, 0, 2))"),
    ("CTCLoss(zero_infinity=True)", "net(scores, rows, t([6, 2, 4]), t([3, 3, 2]))"),
]


@pytest.mark.parametrize(("call", "program"), CTC)
def test_ctc_loss_is_alike(call: str, program: str) -> None:
    def use(module, net, made):
        names = {
            "net": net,
            "t": module.tensor,
            "scores": made["x"].log_softmax(-1),
            "rows": module.tensor([[1, 1, 3], [3, 4, 4], [4, 1, 0]]),
        }
        return eval(program, names)

    compare(call, use, {"x": normal(6, 3, 5)})


@pytest.mark.parametrize("name", SIGNATURES)
def test_constructor_takes_the_same_arguments(name: str) -> None:
    ours, theirs = (
        {
            each.name: each.default if not callable(each.default) else each.default.__name__
            for each in inspect.signature(getattr(module.nn, name)).parameters.values()
            if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
        }
        for module in (pellucid, torch)
    )
    assert ours == theirs


SEQUENCE_PROGRAMS = [
    "rnn.pad_sequence([t(3), t(1), t(2)])",
    "rnn.pad_sequence([t(3), t(1)], batch_first=True, padding_value=-1.0, padding_side='left')",
    "rnn.pack_sequence([t(3), t(2)]).data",
    "rnn.pack_sequence([t(1), t(3), t(2)], enforce_sorted=False).sorted_indices",
    "rnn.pack_sequence([t(1), t(3), t(2)], enforce_sorted=False).batch_sizes",
    "rnn.unpad_sequence(rnn.pad_sequence([t(3), t(1)]), torch.tensor([3, 1]))[1]",
    "rnn.unpack_sequence(rnn.pack_sequence([t(1), t(3)], enforce_sorted=False))[0]",
    "rnn.pad_packed_sequence(rnn.pack_sequence([t(3), t(2)]), batch_first=True)[1]",
]
WRONG_PROGRAMS = [
    "rnn.pack_padded_sequence(t(3, 2), [2, 3])",
    "rnn.pack_padded_sequence(t(3, 2), [2, 0])",
    "rnn.pack_padded_sequence(t(3, 2), [2])",
    "rnn.pad_packed_sequence(rnn.pack_sequence([t(3), t(2)]), total_length=2)",
    "rnn.pad_sequence([])",
    "rnn.pad_sequence([t(3)], padding_side='x')",
    "nn.LSTM(3, 4)(t(2, 3, 4, 5))",
    "nn.GRU(3, 4)(t(2, 3, 4))",
    "nn.LSTM(3, 4)(t(2, 3, 3), (t(2, 1, 4), t(2, 1, 4)))",
    "nn.GRU(3, 4)(t(2, 3, 3), t(2, 1, 4))",
    "nn.GRU(3, 4)(t(2, 3), t(1, 1, 4))",
    "nn.LSTM(3, 4)(t(2, 1, 3), (t(1, 4), t(1, 4)))",
    "nn.RNN(3, 4)(t(2))",
    "nn.RNN(3, 4, nonlinearity='foo')",
    "nn.LSTM(3, 4)(t(2, 1, 3).double())",
    "nn.LSTM(3, 0)",
    "nn.LSTM(3, 4, 0)",
    "nn.LSTM(3, 4, proj_size=4)",
    "nn.GRU(3, 4, proj_size=2)",
    "nn.LSTM(3, 4, dropout=2)",
    "nn.LSTM(3, 4.5)",
    "nn.LSTMCell(3, 4)(t(2, 4))",
    "nn.LSTMCell(3, 4)(t(2, 3), (t(2, 5), t(2, 4)))",
    "nn.GRUCell(3, 4)(t(2, 3), t(3, 4))",
    "nn.RNNCell(3, 4)(t(2, 4, 4))",
    "nn.MultiheadAttention(0, 2)",
    "nn.MultiheadAttention(5, 2)",
    "nn.MultiheadAttention(4, 2)(t(3, 1, 5), t(3, 1, 5), t(3, 1, 5))",
    "nn.MultiheadAttention(4, 2)(t(3, 1, 4), t(3, 1, 4), t(3, 1, 4), is_causal=True)",
    "nn.MultiheadAttention(4, 2)(t(3, 1, 4), t(3, 1, 4), t(3, 1, 4), attn_mask=t(2, 3))",
    "nn.Transformer(4, 2, 1, 1, 8)(t(3, 2, 4), t(3, 1, 4))",
    "nn.Transformer(4, 2, 1, 1, 8)(t(3, 2, 5), t(3, 2, 4))",
    "nn.LazyLinear(3).weight.shape",
    "nn.utils.weight_norm(nn.utils.weight_norm(nn.Linear(2, 2)))",
    "nn.utils.remove_weight_norm(nn.Linear(2, 2))",
    "nn.utils.spectral_norm(nn.utils.spectral_norm(nn.Linear(2, 2)))",
    "nn.utils.parametrize.remove_parametrizations(nn.Linear(2, 2), 'weight')",
    "nn.utils.parametrize.register_parametrization(nn.Linear(2, 2), 'foo', nn.ReLU())",
    "nn.utils.parametrize.register_parametrization(nn.Linear(2, 2), 'weight', nn.Flatten(0))",
]


def names(module) -> dict:
    def t(*shape):
        return module.ones(shape).cumsum(0)

    return {"torch": module, "nn": module.nn, "rnn": module.nn.utils.rnn, "t": t}


@pytest.mark.parametrize("program", SEQUENCE_PROGRAMS)
def test_sequences_are_handled_alike(program: str) -> None:
    ours, theirs = (eval(program, names(module)) for module in (pellucid, torch))
    assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("program", WRONG_PROGRAMS)
def test_mistakes_are_told_alike(program: str) -> None:
    messages = []
    for module in (pellucid, torch):
        with warnings.catch_warnings(), pytest.raises(Exception) as raised:  # noqa: PT011, PT012
            warnings.simplefilter("ignore")
            eval(program, names(module))
        builtin = next(c for c in type(raised.value).__mro__ if c.__module__ == "builtins")
        messages.append((builtin, str(raised.value)))
    (our_class, ours), (their_class, theirs) = messages
    assert our_class is their_class
    assert ours.startswith(theirs.partition("\n")[0])


def test_lazy_layers_load_states_alike() -> None:
    for module in (pellucid, torch):
        lazy = module.nn.LazyLinear(3)
        full = module.nn.Linear(2, 3)
        lazy.load_state_dict(full.state_dict())
        assert lazy(module.ones(1, 2)).tolist() == full(module.ones(1, 2)).tolist()


@pytest.mark.parametrize(
    ("mask_type", "place"), [(0, np.s_[0, 0]), (1, np.s_[:, 0, 1]), (2, np.s_[:])]
)
def test_each_type_of_mask_hides_alike_in_attention_with_the_batch_first(mask_type, place) -> None:
    drawn = np.random.default_rng(0)
    x, weight = drawn.normal(size=(2, 3, 4)), drawn.normal(size=(12, 4))
    mask = drawn.random((2, 2, 3, 3)) < 0.4
    mask[..., 0] = False
    results = []
    for module in (pellucid, torch):
        given = [module.tensor(each) for each in (x, weight, np.zeros(12), np.eye(4), np.zeros(4))]
        queries, *parameters = given
        results.append(
            module._native_multi_head_attention(
                queries, queries, queries, 4, 2, *parameters, module.tensor(mask[place]),
                True, False, mask_type,
            )
        )  # fmt: skip
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-10, atol=1e-12)


def test_a_mask_of_no_type_is_refused_alike() -> None:
    for module in (pellucid, torch):
        x, mask = module.ones(1, 3, 2), module.zeros(3, 3, dtype=module.bool)
        parameters = module.ones(6, 2), module.zeros(6), module.eye(2), module.zeros(2)
        with pytest.raises(RuntimeError, match="Mask Type should be defined"):
            module._native_multi_head_attention(x, x, x, 2, 1, *parameters, mask)
