"""More small programs without a fault: one for each loss, activation, layer, schedule and habit."""

from __future__ import annotations

import math
from typing import Any

import pellucid as torch
from pellucid import nn
from pellucid.nn import functional as F
from tests.inspect.checks.healthy import PROGRAMS, Program, mlp, optim, program, schedules

STEPS = 14
COUNT, CLASSES = 24, 3


def data() -> tuple[Any, Any]:
    """Return inputs and classes."""
    torch.manual_seed(0)
    x = torch.randn(COUNT, 4)
    return x, (x[:, 0] > 0).long() + (x[:, 1] > 0).long()


def loop(net: Any, loss: Any, x: Any, after: Any = None, rate: float = 0.01) -> None:
    optimizer = optim.AdamW(net.parameters(), lr=rate)
    for step in range(STEPS):
        optimizer.zero_grad()
        loss(net(x)).backward()
        optimizer.step()
        if after is not None:
            after(step)


def with_evaluation(net: Any, x: Any, y: Any) -> None:
    """Train and evaluate a classifier in turns, as most programs do."""
    optimizer = optim.Adam(net.parameters(), lr=0.01)
    for _ in range(3):
        net.train()
        for _ in range(5):
            optimizer.zero_grad()
            F.cross_entropy(net(x), y).backward()
            optimizer.step()
        net.eval()
        with torch.no_grad():
            out = net(x)
            F.cross_entropy(out, y).item()
            (out.argmax(1) == y).float().mean().item()


# ---- losses --------------------------------------------------------------------------------------

_x, _y = data()
_one_hot = F.one_hot(_y, CLASSES).float()
_signs = _one_hot * 2 - 1
_real = _x.sin()[:, :CLASSES]
_counts = _y.float().unsqueeze(1).expand(COUNT, CLASSES)
_other = torch.randn(COUNT, CLASSES)
_weights = torch.tensor([1.0, 2.0, 3.0])

LOSSES: dict[str, Any] = {
    "cross_entropy": lambda out: F.cross_entropy(out, _y),
    "cross_entropy_smoothed": lambda out: F.cross_entropy(out, _y, label_smoothing=0.1),
    "cross_entropy_of_shares": lambda out: F.cross_entropy(out, _one_hot * 0.8 + 0.2 / CLASSES),
    "cross_entropy_weighted": lambda out: F.cross_entropy(out, _y, weight=_weights),
    "cross_entropy_ignoring": lambda out: F.cross_entropy(out, _y.where(_y > 0, -100)),
    "cross_entropy_with_temperature": lambda out: F.cross_entropy(out / 0.07, _y),
    "nll_loss": lambda out: F.nll_loss(out.log_softmax(1), _y),
    "nll_loss_of_log": lambda out: F.nll_loss((out.softmax(1) + 1e-9).log(), _y),
    "by_gathering": lambda out: -out.log_softmax(1).gather(1, _y.unsqueeze(1)).mean(),
    "focal": lambda out: ((1 - out.softmax(1).gather(1, _y.unsqueeze(1))) ** 2
                          * -out.log_softmax(1).gather(1, _y.unsqueeze(1))).mean(),
    "dice": lambda out: 1 - (2 * (out.sigmoid() * _one_hot).sum() + 1)
    / (out.sigmoid().sum() + _one_hot.sum() + 1),
    "entropy_added": lambda out: F.cross_entropy(out, _y)
    + 0.01 * (out.softmax(1) * out.log_softmax(1)).sum(1).mean(),
    "binary_with_logits": lambda out: F.binary_cross_entropy_with_logits(out, _one_hot),
    "binary": lambda out: F.binary_cross_entropy(out.sigmoid(), _one_hot),
    "binary_smoothed": lambda out: F.binary_cross_entropy_with_logits(out, _one_hot * 0.9 + 0.05),
    "mse": lambda out: F.mse_loss(out, _real),
    "mse_of_probabilities": lambda out: F.mse_loss(out.softmax(1), _one_hot),
    "mse_of_tanh": lambda out: F.mse_loss(out.tanh(), _real),
    "root_of_mse": lambda out: F.mse_loss(out, _real).sqrt(),
    "mse_weighted": lambda out: (F.mse_loss(out, _real, reduction="none").mean(1)
                                 * torch.linspace(0.5, 1, COUNT)).mean(),
    "l1": lambda out: F.l1_loss(out, _real),
    "smooth_l1": lambda out: F.smooth_l1_loss(out, _real),
    "huber": lambda out: F.huber_loss(out, _real),
    "log_cosh": lambda out: (out - _real).cosh().log().mean(),
    "quantile": lambda out: torch.maximum(0.9 * (_real - out), -0.1 * (_real - out)).mean(),
    "poisson": lambda out: F.poisson_nll_loss(out, _counts),
    "gaussian": lambda out: F.gaussian_nll_loss(out, _real, out.exp()),
    "kl_div": lambda out: F.kl_div(out.log_softmax(1), _other.softmax(1), reduction="batchmean"),
    "kl_div_of_logarithms": lambda out: F.kl_div(
        out.log_softmax(1), _other.log_softmax(1), reduction="batchmean", log_target=True),
    "distillation": lambda out: 0.5 * F.cross_entropy(out, _y) + 8 * F.kl_div(
        (out / 4).log_softmax(1), (_other / 4).softmax(1), reduction="batchmean"),
    "hinge_embedding": lambda out: F.hinge_embedding_loss(out, _signs),
    "margin_ranking": lambda out: F.margin_ranking_loss(
        out[:, 0], out[:, 1], _signs[:, 0], margin=0.5),
    "cosine_embedding": lambda out: F.cosine_embedding_loss(out, _real, _signs[:, 0]),
    "multi_margin": lambda out: F.multi_margin_loss(out, _y),
    "multilabel_soft_margin": lambda out: F.multilabel_soft_margin_loss(out, _one_hot),
    "soft_margin": lambda out: F.soft_margin_loss(out, _signs),
    "hinge_by_hand": lambda out: torch.relu(1 - _signs * out).mean(),
    "squared_hinge": lambda out: (1 - _signs * out).clamp(min=0).square().mean(),
    "contrast_of_pairs": lambda out: F.cross_entropy(
        F.normalize(out) @ F.normalize(_other).mT / 0.1, torch.arange(COUNT)),
    "negative_log_of_a_sum": lambda out: -(out.softmax(1) * _one_hot).sum(1).log().mean(),
    "energy": lambda out: -torch.logsumexp(out, 1).mean() + out.square().mean(),
    "evidence_bound": lambda out: F.mse_loss(out, _real)
    - 0.01 * 0.5 * (1 + out - out.square() - out.exp()).mean(),
    "pairs_of_distances": lambda out: ((out.unsqueeze(0) - out.unsqueeze(1)).square().sum(2)
                                       - torch.ones(COUNT, COUNT)).square().mean(),
    "straight_through": lambda out: F.mse_loss(out + (out.round() - out).detach(), _real * 3),
    "fake_quantized": lambda out: F.mse_loss(
        out + ((out * 8).round().clamp(-128, 127) / 8 - out).detach(), _real),
    "gumbel": lambda out: F.mse_loss(F.gumbel_softmax(out, hard=True) @ torch.randn(3, 3), _real),
    "clamped_for_safety": lambda out: -out.softmax(1).clamp(1e-7, 1).log().gather(
        1, _y.unsqueeze(1)).mean(),
    "with_an_l1_penalty": lambda out: F.cross_entropy(out, _y) + 1e-3 * out.abs().sum(),
    "a_sum_over_the_batch": lambda out: F.cross_entropy(out, _y, reduction="sum") / COUNT,
}  # fmt: skip


def _with_loss(loss: Any) -> Program:
    return lambda: loop(mlp(4, CLASSES), loss, _x)


PROGRAMS |= {f"loss: {name}": _with_loss(loss) for name, loss in LOSSES.items()}

# ---- activations ---------------------------------------------------------------------------------

ACTIVATIONS: dict[str, Any] = {
    name: getattr(nn, name)
    for name in (
        "ReLU", "LeakyReLU", "ELU", "SELU", "CELU", "GELU", "SiLU", "Mish", "Softplus", "Softsign",
        "Sigmoid", "Tanh", "Hardtanh", "Hardswish", "Hardsigmoid", "ReLU6", "PReLU", "LogSigmoid",
        "Tanhshrink", "Softshrink", "RReLU",
    )
}  # fmt: skip


def _with_activation(activation: Any) -> Program:
    return lambda: with_evaluation(mlp(4, CLASSES, activation=activation), *data())


PROGRAMS |= {f"activation: {name}": _with_activation(each) for name, each in ACTIVATIONS.items()}

# ---- layers --------------------------------------------------------------------------------------


class Through(nn.Module):
    """A classifier that passes its input through layers in another shape.

    Args:
        shape: The shape of one sample before the layers.
        layers: The layers.
    """

    def __init__(self, shape: tuple[int, ...], *layers: Any) -> None:
        super().__init__()
        self.shape = shape
        self.rise = nn.Linear(4, math.prod(shape))
        self.layers = nn.Sequential(*layers)
        self.head = nn.LazyLinear(CLASSES)
        self(data()[0])

    def forward(self, x: Any) -> Any:
        return self.head(self.layers(self.rise(x).reshape(-1, *self.shape)).flatten(1))


class First(nn.Module):
    """The first result of a layer that returns several."""

    def __init__(self, layer: Any, times: int = 1) -> None:
        super().__init__()
        self.layer, self.times = layer, times

    def forward(self, x: Any) -> Any:
        return self.layer(*[x] * self.times)[0]


LAYERS: dict[str, Any] = {
    "conv1d": lambda: Through((2, 6), nn.Conv1d(2, 3, 3), nn.ReLU(), nn.MaxPool1d(2)),
    "conv2d": lambda: Through((1, 6, 6), nn.Conv2d(1, 3, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
    "conv2d_grouped": lambda: Through((2, 5, 5), nn.Conv2d(2, 4, 3, groups=2), nn.GELU()),
    "conv3d": lambda: Through((1, 4, 4, 4), nn.Conv3d(1, 2, 3), nn.ReLU()),
    "transposed": lambda: Through((2, 3, 3), nn.ConvTranspose2d(2, 2, 2, stride=2), nn.Tanh()),
    "average_pooling": lambda: Through((1, 6, 6), nn.Conv2d(1, 3, 3), nn.AvgPool2d(2)),
    "adaptive_pooling": lambda: Through((1, 6, 6), nn.Conv2d(1, 8, 3), nn.AdaptiveAvgPool2d(1)),
    "upsampling": lambda: Through((1, 3, 3), nn.Upsample(scale_factor=2), nn.Conv2d(1, 2, 3)),
    "pixel_shuffle": lambda: Through((4, 2, 2), nn.PixelShuffle(2)),
    "reflection": lambda: Through((1, 4, 4), nn.ReflectionPad2d(1), nn.Conv2d(1, 2, 3)),
    "batch_norm": lambda: Through((8,), nn.BatchNorm1d(8), nn.ReLU()),
    "batch_norm_2d": lambda: Through((2, 4, 4), nn.BatchNorm2d(2), nn.ReLU()),
    "layer_norm": lambda: Through((8,), nn.LayerNorm(8), nn.GELU()),
    "rms_norm": lambda: Through((8,), nn.RMSNorm(8), nn.SiLU()),
    "group_norm": lambda: Through((4, 3, 3), nn.GroupNorm(2, 4), nn.ReLU()),
    "instance_norm": lambda: Through((2, 4, 4), nn.InstanceNorm2d(2, affine=True)),
    "dropout": lambda: Through((8,), nn.Dropout(0.3), nn.ReLU(), nn.Dropout(0.1)),
    "dropout_2d": lambda: Through((4, 3, 3), nn.Dropout2d(0.3)),
    "alpha_dropout": lambda: Through((8,), nn.SELU(), nn.AlphaDropout(0.1)),
    "lstm": lambda: Through((3, 4), First(nn.LSTM(4, 5, batch_first=True))),
    "lstm_of_two_layers": lambda: Through(
        (3, 4), First(nn.LSTM(4, 5, 2, batch_first=True, dropout=0.2))),
    "gru": lambda: Through((3, 4), First(nn.GRU(4, 5, batch_first=True, bidirectional=True))),
    "rnn": lambda: Through((3, 4), First(nn.RNN(4, 5, batch_first=True))),
    "attention": lambda: Through((3, 4), First(nn.MultiheadAttention(4, 2, batch_first=True), 3)),
    "transformer": lambda: Through(
        (3, 4), nn.TransformerEncoderLayer(4, 2, 8, dropout=0.1, batch_first=True)),
    "transformers": lambda: Through((3, 4), nn.TransformerEncoder(
        nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), 2, enable_nested_tensor=False)),
    "weight_norm": lambda: Through((8,), nn.utils.parametrizations.weight_norm(nn.Linear(8, 8))),
    "spectral_norm": lambda: Through(
        (8,), nn.utils.parametrizations.spectral_norm(nn.Linear(8, 8))),
    "softmax_inside": lambda: Through((3, 4), nn.Softmax(dim=-1), nn.Linear(4, 4)),
    "gated": lambda: Through((8,), nn.GLU(), nn.Linear(4, 4)),
}  # fmt: skip


def _with_layers(make: Any) -> Program:
    def run() -> None:
        torch.manual_seed(0)
        with_evaluation(make(), *data())

    return run


PROGRAMS |= {f"layers: {name}": _with_layers(make) for name, make in LAYERS.items()}

# ---- schedules -----------------------------------------------------------------------------------

SCHEDULES: dict[str, Any] = {
    "steps": lambda o: schedules.StepLR(o, 5, 0.5),
    "milestones": lambda o: schedules.MultiStepLR(o, [5, 10]),
    "constant": lambda o: schedules.ConstantLR(o, 0.5, 5),
    "linear": lambda o: schedules.LinearLR(o, 0.1, 1.0, 5),
    "exponential": lambda o: schedules.ExponentialLR(o, 0.95),
    "polynomial": lambda o: schedules.PolynomialLR(o, STEPS),
    "cosine": lambda o: schedules.CosineAnnealingLR(o, STEPS),
    "cosine_with_restarts": lambda o: schedules.CosineAnnealingWarmRestarts(o, 4),
    "cyclic": lambda o: schedules.CyclicLR(o, 0.001, 0.01, 3, cycle_momentum=False),
    "one_cycle": lambda o: schedules.OneCycleLR(o, 0.01, total_steps=STEPS),
    "warm_up_from_zero": lambda o: schedules.LambdaLR(o, lambda step: min(1.0, step / 8)),
    "warm_up_and_cosine": lambda o: schedules.SequentialLR(
        o, [schedules.LinearLR(o, 0.1, 1.0, 4), schedules.CosineAnnealingLR(o, STEPS - 4)], [4]),
    "multiplied": lambda o: schedules.MultiplicativeLR(o, lambda _: 0.95),
}  # fmt: skip


def _with_schedule(make: Any) -> Program:
    def run() -> None:
        net = mlp(4, CLASSES)
        optimizer = optim.Adam(net.parameters(), lr=0.01)
        schedule = make(optimizer)
        for _ in range(STEPS):
            optimizer.zero_grad()
            F.cross_entropy(net(_x), _y).backward()
            optimizer.step()
            schedule.step()

    return run


PROGRAMS |= {f"schedule: {name}": _with_schedule(make) for name, make in SCHEDULES.items()}

# ---- habits --------------------------------------------------------------------------------------


@program
def plateau_of_a_validation_loss() -> None:
    net = mlp(4, CLASSES)
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    schedule = schedules.ReduceLROnPlateau(optimizer, patience=2)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(_x), _y)
        loss.backward()
        optimizer.step()
        schedule.step(loss.detach())


@program
def accuracies_in_every_way() -> None:
    net = mlp(4, CLASSES)

    def look(_: int) -> None:
        with torch.no_grad():
            out = net(_x)
            (out.argmax(1) == _y).float().mean().item()
            (out.max(1).indices == _y).sum().item()
            (out.topk(2).indices == _y.unsqueeze(1)).any(1).float().mean().item()
            ((out > 0) == _one_hot.bool()).float().mean().item()
            ((out.sigmoid() > 0.5) == _one_hot.bool()).float().mean().item()
            (out.sigmoid().round() == _one_hot).float().mean().item()

    loop(net, lambda out: F.binary_cross_entropy_with_logits(out, _one_hot), _x, look)


@program
def samples_of_dropout_at_the_end() -> None:
    net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2), nn.Linear(8, CLASSES))
    loop(net, lambda out: F.cross_entropy(out, _y), _x)
    with torch.no_grad():
        torch.stack([net(_x).softmax(1) for _ in range(8)]).std(0).mean().item()


@program
def statistics_computed_again() -> None:
    net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, CLASSES))
    loop(net, lambda out: F.cross_entropy(out, _y), _x)
    net.train()
    with torch.no_grad():
        for _ in range(4):
            net(_x)


@program
def a_penalty_of_gradients() -> None:
    critic = mlp()
    optimizer = optim.Adam(critic.parameters(), lr=1e-3)
    for _ in range(STEPS):
        mixed = torch.randn(COUNT, 4, requires_grad=True)
        (slope,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
        optimizer.zero_grad()
        loss = critic(_x).mean() - critic(_x.roll(1, 0)).mean()
        (loss + 10 * (slope.norm(dim=1) - 1).square().mean()).backward()
        optimizer.step()


@program
def hinge_of_a_generator_and_a_critic() -> None:
    generator, critic = mlp(2, 4), mlp()
    first = optim.Adam(generator.parameters(), lr=1e-3)
    second = optim.Adam(critic.parameters(), lr=1e-3)
    for _ in range(STEPS):
        fake = generator(torch.randn(COUNT, 2))
        second.zero_grad()
        (
            torch.relu(1 - critic(_x)).mean() + torch.relu(1 + critic(fake.detach())).mean()
        ).backward()
        second.step()
        first.zero_grad()
        (-critic(fake).mean()).backward()
        first.step()


@program
def weights_tied_between_the_embedding_and_the_output() -> None:
    class Language(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words, self.hidden = nn.Embedding(12, 8), nn.Linear(8, 8)
            self.out = nn.Linear(8, 12, bias=False)
            self.out.weight = self.words.weight

        def forward(self, tokens: Any) -> Any:
            return self.out(self.hidden(self.words(tokens)).relu())

    tokens = torch.arange(COUNT) % 12
    loop(Language(), lambda out: F.cross_entropy(out, (tokens + 1) % 12), tokens)


@program
def an_adapter_of_low_rank() -> None:
    class Adapted(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.base = nn.Linear(4, CLASSES).requires_grad_(False)
            self.down = nn.Parameter(torch.randn(4, 2) * 0.1)
            self.up = nn.Parameter(torch.zeros(2, CLASSES))

        def forward(self, x: Any) -> Any:
            return self.base(x) + x @ self.down @ self.up

    loop(Adapted(), lambda out: F.cross_entropy(out, _y), _x)


@program
def a_gate_that_begins_closed() -> None:
    class Gated(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.branch = nn.Linear(4, CLASSES), nn.Linear(4, CLASSES)
            self.gate = nn.Parameter(torch.zeros(()))

        def forward(self, x: Any) -> Any:
            return self.first(x) + self.gate * self.branch(x)

    loop(Gated(), lambda out: F.cross_entropy(out, _y), _x)


@program
def experts_with_gates() -> None:
    class Experts(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gate = nn.Linear(4, 3)
            self.experts = nn.ModuleList([nn.Linear(4, CLASSES) for _ in range(3)])

        def forward(self, x: Any) -> Any:
            given = torch.stack([expert(x) for expert in self.experts], 1)
            return (self.gate(x).softmax(1).unsqueeze(2) * given).sum(1)

    loop(Experts(), lambda out: F.cross_entropy(out, _y), _x)


@program
def one_cell_in_a_loop() -> None:
    class Rolled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell, self.head = nn.GRUCell(4, 6), nn.Linear(6, CLASSES)

        def forward(self, x: Any) -> Any:
            state = torch.zeros(len(x), 6)
            for _ in range(3):
                state = self.cell(x, state)
            return self.head(state)

    loop(Rolled(), lambda out: F.cross_entropy(out, _y), _x)


@program
def micro_batches_and_clipping() -> None:
    net = mlp(4, CLASSES)
    optimizer = optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for _ in range(STEPS):
        optimizer.zero_grad()
        for part in range(4):
            (F.cross_entropy(net(_x[part::4]), _y[part::4]) / 4).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()


@program
def a_state_loaded_for_all_but_the_head() -> None:
    old, net = mlp(4, 5), mlp(4, CLASSES)
    state = {name: value for name, value in old.state_dict().items() if not name.startswith("2")}
    net.load_state_dict(state, strict=False)
    loop(net, lambda out: F.cross_entropy(out, _y), _x)


@program
def fixed_statistics_while_tuning() -> None:
    net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, CLASSES))
    loop(net, lambda out: F.cross_entropy(out, _y), _x)
    net.train()
    net[1].eval()
    loop(net, lambda out: F.cross_entropy(out, _y), _x, rate=1e-3)


@program
def losses_kept_as_numbers_and_the_best_state() -> None:
    net, history, best = mlp(4, CLASSES), [], {}
    optimizer = optim.Adam(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(_x), _y)
        loss.backward()
        optimizer.step()
        history.append(loss.item())
        if history[-1] == min(history):
            best = {name: value.clone() for name, value in net.state_dict().items()}
    net.load_state_dict(best)


@program
def masked_sequences() -> None:
    class Tagger(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words, self.out = nn.Embedding(9, 6, padding_idx=0), nn.Linear(6, CLASSES)

        def forward(self, tokens: Any) -> Any:
            return self.out(self.words(tokens))

    tokens = torch.arange(40).reshape(8, 5) % 9
    targets = (tokens % CLASSES).where(tokens > 0, -100)
    loop(Tagger(), lambda out: F.cross_entropy(out.mT, targets, ignore_index=-100), tokens)


@program
def scaled_half_precision() -> None:
    net = mlp(4, CLASSES)
    optimizer, scaler = optim.SGD(net.parameters(), lr=0.05), torch.amp.GradScaler("cpu")
    for _ in range(STEPS):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.cross_entropy(net(_x), _y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()


@program
def a_bound_on_the_ratio_of_policies() -> None:
    policy = mlp(4, CLASSES)
    with torch.no_grad():
        old = policy(_x).log_softmax(1).gather(1, _y.unsqueeze(1)).squeeze(1)
    gain = torch.randn(COUNT)
    optimizer = optim.Adam(policy.parameters(), lr=0.01)
    for _ in range(STEPS):
        ratio = (policy(_x).log_softmax(1).gather(1, _y.unsqueeze(1)).squeeze(1) - old).exp()
        optimizer.zero_grad()
        (-torch.minimum(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()).backward()
        optimizer.step()


@program
def a_student_of_probabilities() -> None:
    teacher, student = mlp(4, CLASSES).eval(), mlp(4, CLASSES, width=6)
    with torch.no_grad():
        aim = teacher(_x).softmax(1)
    loop(student, lambda out: F.cross_entropy(out, aim), _x)


@program
def trained_by_a_function_of_gradients() -> None:
    net = mlp(4, CLASSES)
    parameters = {name: p.detach().clone() for name, p in net.named_parameters()}

    def loss(given: Any) -> Any:
        return F.cross_entropy(torch.func.functional_call(net, given, (_x,)), _y)

    for _ in range(STEPS):
        gradients = torch.func.grad(loss)(parameters)
        parameters = {name: p - 0.1 * gradients[name] for name, p in parameters.items()}
