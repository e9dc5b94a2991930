"""Small training programs without a fault, of as many kinds as possible.

Each is a function that trains something for a few dozen steps, long enough for every check.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import pellucid as torch
from pellucid import nn
from pellucid.nn import functional as F
from pellucid.utils.checkpoint import checkpoint

optim: Any = torch.optim
schedules: Any = torch.optim.lr_scheduler
Program = Callable[[], None]
PROGRAMS: dict[str, Program] = {}
STEPS = 40


def program(function: Program) -> Program:
    PROGRAMS[function.__name__] = function
    return function


def samples(features: int = 4, outputs: int = 1, count: int = 16) -> tuple[Any, Any]:
    torch.manual_seed(0)
    x = torch.randn(count, features)
    return x, torch.sin(x).sum(1, keepdim=True).expand(count, outputs).contiguous()


def mlp(features: int = 4, outputs: int = 1, width: int = 8, activation: Any = nn.Tanh) -> Any:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(features, width), activation(), nn.Linear(width, outputs))


def train(
    net: Any, optimizer: Any, *, loss: Any = F.mse_loss, data: Any = None, steps: int = STEPS,
    after: Any = None, penalty: Any = None,
) -> None:  # fmt: skip
    """Run the usual loop."""
    x, y = samples() if data is None else data
    for _ in range(steps):
        optimizer.zero_grad()
        value = loss(net(x), y)
        if penalty is not None:
            value = value + penalty(net)
        value.backward()
        optimizer.step()
        if after is not None:
            after()


# ---- optimizers ----------------------------------------------------------------------------------


def _with(make: Any) -> Program:
    def run() -> None:
        net = mlp()
        train(net, make(net.parameters()))

    return run


for _name, _make in {
    "sgd": lambda p: optim.SGD(p, lr=0.05),
    "momentum": lambda p: optim.SGD(p, lr=0.02, momentum=0.9, nesterov=True, weight_decay=1e-4),
    "adam": lambda p: optim.Adam(p, lr=0.01),
    "adamw": lambda p: optim.AdamW(p, lr=0.01, amsgrad=True),
    "rmsprop": lambda p: optim.RMSprop(p, lr=0.005, centered=True),
    "adagrad": lambda p: optim.Adagrad(p, lr=0.05),
    "adadelta": lambda p: optim.Adadelta(p),
    "adamax": lambda p: optim.Adamax(p),
    "nadam": lambda p: optim.NAdam(p),
    "radam": lambda p: optim.RAdam(p),
    "rprop": lambda p: optim.Rprop(p, lr=0.001),
    "asgd": lambda p: optim.ASGD(p, lr=0.01),
    "fine_tuning_rate": lambda p: optim.AdamW(p, lr=2e-5),
}.items():
    PROGRAMS[_name] = _with(_make)


@program
def lbfgs() -> None:
    net, (x, y) = mlp(), samples()
    optimizer = optim.LBFGS(net.parameters(), lr=0.5, max_iter=4)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        return loss

    for _ in range(12):
        optimizer.step(closure)


@program
def own_optimizer() -> None:
    class SignDescent(optim.Optimizer):
        def __init__(self, params: Any, lr: float) -> None:
            super().__init__(params, {"lr": lr})

        @torch.no_grad()
        def step(self, closure: Any = None) -> None:
            for group in self.param_groups:
                for p in group["params"]:
                    p -= group["lr"] * p.grad.sign()

    net = mlp()
    train(net, SignDescent(net.parameters(), lr=0.001))


@program
def updates_by_hand() -> None:
    net, (x, y) = mlp(), samples()
    for _ in range(STEPS):
        F.mse_loss(net(x), y).backward()
        with torch.no_grad():
            for p in net.parameters():
                p -= 0.01 * p.grad
                p.grad.zero_()


@program
def part_by_hand_and_part_by_an_optimizer() -> None:
    net = mlp()
    optimizer = optim.SGD(net[2].parameters(), lr=0.01)

    def by_hand() -> None:
        with torch.no_grad():
            for p in net[0].parameters():
                p -= 0.01 * p.grad
                p.grad = None

    train(net, optimizer, after=by_hand)


@program
def one_optimizer_per_layer() -> None:
    net, (x, y) = mlp(), samples()
    optimizers = [optim.SGD(net[0].parameters(), lr=0.01), optim.Adam(net[2].parameters())]
    for _ in range(STEPS):
        for optimizer in optimizers:
            optimizer.zero_grad(set_to_none=False)
        F.mse_loss(net(x), y).backward()
        for optimizer in optimizers:
            optimizer.step()


@program
def step_in_a_hook_after_accumulation() -> None:
    net, (x, y) = mlp(), samples()
    optimizers = {p: optim.SGD([p], lr=0.01) for p in net.parameters()}

    def step(p: Any) -> None:
        optimizers[p].step()
        optimizers[p].zero_grad()

    for p in net.parameters():
        p.register_post_accumulate_grad_hook(step)
    for _ in range(STEPS):
        F.mse_loss(net(x), y).backward()


# ---- schedules -----------------------------------------------------------------------------------


def _scheduled(make: Any) -> Program:
    def run() -> None:
        net = mlp()
        optimizer = optim.SGD(net.parameters(), lr=0.05)
        schedule = make(optimizer)
        train(net, optimizer, after=schedule.step)

    return run


for _name, _make in {
    "cosine_to_zero": lambda o: schedules.CosineAnnealingLR(o, STEPS, eta_min=0.0),
    "warm_up_from_zero": lambda o: schedules.LambdaLR(o, lambda step: min(1.0, step / 30)),
    "warm_up_from_almost_nothing": lambda o: schedules.LinearLR(o, 1e-9, total_iters=STEPS),
    "one_cycle": lambda o: schedules.OneCycleLR(o, 0.1, total_steps=STEPS + 1),
    "exponential_decay": lambda o: schedules.ExponentialLR(o, 0.9),
    "restarts": lambda o: schedules.CosineAnnealingWarmRestarts(o, 10),
}.items():
    PROGRAMS[_name] = _scheduled(_make)


@program
def plateau() -> None:
    net = mlp()
    optimizer = optim.SGD(net.parameters(), lr=0.05)
    schedule = schedules.ReduceLROnPlateau(optimizer, patience=2)
    train(net, optimizer, after=lambda: schedule.step(1.0))


@program
def converges_to_a_loss_of_zero() -> None:
    x, _ = samples(2)
    net = nn.Linear(2, 1)
    train(net, optim.SGD(net.parameters(), lr=0.4), data=(x, torch.zeros(16, 1)), steps=400)


# ---- gradients -----------------------------------------------------------------------------------


@program
def accumulation_of_four_batches() -> None:
    net, (x, y) = mlp(), samples()
    optimizer = optim.SGD(net.parameters(), lr=0.01)
    for step in range(80):
        (F.mse_loss(net(x), y) / 4).backward()
        if step % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()


@program
def gradients_cleared_by_the_module() -> None:
    net, (x, y) = mlp(), samples()
    optimizer = optim.Adam(net.parameters())
    for _ in range(STEPS):
        F.mse_loss(net(x), y).backward()
        optimizer.step()
        net.zero_grad()


@program
def gradients_set_to_none_by_hand() -> None:
    net, (x, y) = mlp(), samples()
    optimizer = optim.Adam(net.parameters())
    for _ in range(STEPS):
        for p in net.parameters():
            p.grad = None
        F.mse_loss(net(x), y).backward()
        optimizer.step()


@program
def gradients_zeroed_in_place() -> None:
    net, (x, y) = mlp(), samples()
    optimizer = optim.SGD(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        for p in net.parameters():
            if p.grad is not None:
                p.grad.data.zero_()
        F.mse_loss(net(x), y).backward()
        optimizer.step()


@program
def gradients_assigned_from_grad() -> None:
    net, (x, y) = mlp(), samples()
    optimizer = optim.SGD(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        parameters = list(net.parameters())
        gradients = torch.autograd.grad(F.mse_loss(net(x), y), parameters)
        for p, g in zip(parameters, gradients, strict=True):
            p.grad = g
        optimizer.step()


@program
def clipped_by_norm_and_value() -> None:
    net, (x, y) = mlp(), samples()
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    for _ in range(STEPS):
        optimizer.zero_grad()
        F.mse_loss(net(x), y).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.1)
        nn.utils.clip_grad_value_(net.parameters(), 0.01)
        optimizer.step()


@program
def gradient_noise_by_a_hook() -> None:
    net = mlp()
    for p in net.parameters():
        p.register_hook(lambda g: g + 0.01 * torch.randn_like(g))
    train(net, optim.SGD(net.parameters(), lr=0.01))


@program
def hooks_registered_and_removed_each_step() -> None:
    net, (x, y) = mlp(), samples()
    optimizer = optim.SGD(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        handle = net[0].register_forward_hook(lambda module, given, out: None)
        optimizer.zero_grad()
        F.mse_loss(net(x), y).backward()
        optimizer.step()
        handle.remove()


@program
def hooks_on_activations_of_each_step() -> None:
    net, (x, y) = mlp(), samples()
    optimizer = optim.SGD(net.parameters(), lr=0.01)
    norms: list[float] = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        out = net(x)
        out.register_hook(lambda g: norms.append(float(g.norm())))
        F.mse_loss(out, y).backward()
        optimizer.step()


@program
def two_losses_with_a_retained_graph() -> None:
    net, (x, y) = mlp(), samples()
    optimizer = optim.SGD(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        out = net(x)
        F.mse_loss(out, y).backward(retain_graph=True)
        (0.1 * out.abs().mean()).backward()
        optimizer.step()


@program
def gradient_norm_looked_at_before_backward() -> None:
    net, (x, y) = mlp(), samples()
    optimizer = optim.SGD(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = F.mse_loss(net(x), y)
        torch.autograd.grad(loss, net[0].weight, retain_graph=True)
        loss.backward()
        optimizer.step()


@program
def penalty_on_the_gradient() -> None:
    net, (x, y) = mlp(), samples()
    x.requires_grad_()
    optimizer = optim.Adam(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        out = net(x)
        (slope,) = torch.autograd.grad(out.sum(), x, create_graph=True)
        (F.mse_loss(out, y) + 0.1 * (slope.norm(dim=1) - 1).square().mean()).backward()
        optimizer.step()


@program
def physics_with_second_derivatives() -> None:
    net = mlp(1)
    x = torch.linspace(0, 1, 16).reshape(-1, 1).requires_grad_()
    optimizer = optim.Adam(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        u = net(x)
        (first,) = torch.autograd.grad(u.sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(first.sum(), x, create_graph=True)
        ((second + u) ** 2).mean().backward()
        optimizer.step()


@program
def loss_scaled_in_half_precision() -> None:
    net, (x, y) = mlp(), samples()
    optimizer, scaler = optim.SGD(net.parameters(), lr=0.01), torch.amp.GradScaler("cpu")
    for _ in range(STEPS):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.mse_loss(net(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()


@program
def scaler_that_meets_overflow() -> None:
    net, (x, y) = mlp(), samples()
    optimizer = optim.SGD(net.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**126)
    for _ in range(STEPS):
        optimizer.zero_grad()
        scaler.scale(F.mse_loss(net(x), y)).backward()
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()


@program
def batches_with_a_bad_loss_are_left_out() -> None:
    net, (x, y) = mlp(), samples()
    optimizer = optim.SGD(net.parameters(), lr=0.01)
    for step in range(STEPS):
        loss = F.mse_loss(net(x), y) * (float("nan") if step % 7 == 3 else 1.0)
        if torch.isnan(loss):
            continue
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# ---- models --------------------------------------------------------------------------------------


@program
def dead_units_in_part_of_a_layer() -> None:
    net = mlp(width=16, activation=nn.ReLU)
    with torch.no_grad():
        net[0].bias[:12] = -50.0
    train(net, optim.SGD(net.parameters(), lr=0.01))


@program
def convolutions_with_batch_normalization() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(64, 3),
    )  # fmt: skip
    data = torch.randn(12, 1, 8, 8), torch.arange(12) % 3
    train(net, optim.Adam(net.parameters()), loss=F.cross_entropy, data=data)


@program
def residual_blocks_that_begin_with_zero() -> None:
    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = mlp(4, 4, activation=nn.ReLU)
            self.gate = nn.Parameter(torch.zeros(1))

        def forward(self, x: Any) -> Any:
            return x + self.gate * self.inner(x)

    net = nn.Sequential(Block(), Block(), nn.Linear(4, 1))
    train(net, optim.SGD(net.parameters(), lr=0.05))


@program
def low_rank_adapter_that_begins_with_zero() -> None:
    class Adapted(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.base = nn.Linear(4, 1).requires_grad_(False)
            self.down = nn.Parameter(torch.randn(4, 2))
            self.up = nn.Parameter(torch.zeros(2, 1))

        def forward(self, x: Any) -> Any:
            return self.base(x) + x @ self.down @ self.up

    net = Adapted()
    train(net, optim.AdamW([p for p in net.parameters() if p.requires_grad], lr=0.01))


@program
def logistic_regression_from_zero() -> None:
    net = nn.Linear(4, 2)
    nn.init.zeros_(net.weight)
    nn.init.zeros_(net.bias)
    x, _ = samples()
    data = x, (x[:, 0] > 0).long()
    train(net, optim.SGD(net.parameters(), lr=0.5), loss=F.cross_entropy, data=data)


@program
def attention_with_a_causal_mask() -> None:
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
    mask = torch.triu(torch.full((6, 6), float("-inf")), diagonal=1)
    x = torch.randn(4, 6, 8)
    optimizer = optim.AdamW(layer.parameters(), lr=1e-3)
    for _ in range(STEPS):
        optimizer.zero_grad()
        F.mse_loss(layer(x, src_mask=mask), x.roll(1, 1)).backward()
        optimizer.step()


@program
def language_model_with_tied_weights() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(11, 8)
            self.cell = nn.GRU(8, 8, batch_first=True)
            self.head = nn.Linear(8, 11, bias=False)
            self.head.weight = self.embedding.weight

        def forward(self, tokens: Any) -> Any:
            return self.head(self.cell(self.embedding(tokens))[0]).flatten(0, 1)

    torch.manual_seed(0)
    net, tokens = Model(), torch.arange(40).reshape(4, 10) % 11
    data = tokens, tokens.roll(-1, 1).flatten()
    train(net, optim.Adam(net.parameters(), lr=0.01), loss=F.cross_entropy, data=data)


@program
def word_vectors_with_sparse_gradients() -> None:
    torch.manual_seed(0)
    center, context = nn.Embedding(20, 4, sparse=True), nn.Embedding(20, 4, sparse=True)
    optimizer = optim.SGD([*center.parameters(), *context.parameters()], lr=0.1)
    words = torch.arange(10)
    for _ in range(STEPS):
        optimizer.zero_grad()
        score = (center(words) * context((words * 7) % 20)).sum(1)
        F.binary_cross_entropy_with_logits(score, torch.ones(10)).backward()
        optimizer.step()


@program
def lstm_with_truncated_history() -> None:
    torch.manual_seed(0)
    cell, head = nn.LSTM(3, 6), nn.Linear(6, 3)
    optimizer = optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
    x, state = torch.randn(200, 2, 3), None
    for start in range(0, 195, 5):
        if state is not None:
            state = tuple(each.detach() for each in state)
        out, state = cell(x[start : start + 5], state)
        optimizer.zero_grad()
        F.mse_loss(head(out), x[start + 1 : start + 6]).backward()
        optimizer.step()


@program
def mixture_with_routing_by_argmax() -> None:
    class Mixture(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gate = nn.Linear(4, 2)
            self.experts = nn.ModuleList([mlp(), mlp()])

        def forward(self, x: Any) -> Any:
            weights = self.gate(x).softmax(1)
            chosen = weights.argmax(1)
            parts = torch.stack([expert(x) for expert in self.experts], 1)
            return parts[torch.arange(len(x)), chosen] * weights.max(1, keepdim=True).values

    net = Mixture()
    train(net, optim.Adam(net.parameters(), lr=0.01))


@program
def layers_left_out_at_random() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.blocks = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
            self.head = nn.Linear(4, 1)

        def forward(self, x: Any) -> Any:
            for block in self.blocks:
                if torch.rand(()) < 0.5:
                    x = x + block(x).tanh()
            return self.head(x)

    net = Net()
    train(net, optim.SGD(net.parameters(), lr=0.01))


@program
def checkpointed_segments() -> None:
    net, (x, y) = mlp(), samples()
    optimizer = optim.SGD(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        hidden = checkpoint(net[0], x, use_reentrant=False)
        F.mse_loss(net[2](net[1](hidden)), y).backward()
        optimizer.step()


@program
def reentrant_checkpoints() -> None:
    net, (x, y) = mlp(), samples()
    x.requires_grad_()
    optimizer = optim.SGD(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        hidden: Any = checkpoint(net[:2], x, use_reentrant=True)
        F.mse_loss(net[2](hidden), y).backward()
        optimizer.step()


@program
def own_function_with_straight_through_gradient() -> None:
    class Round(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.round()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    net, (x, y) = mlp(), samples()
    optimizer = optim.SGD(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        F.mse_loss(net[2](Round.apply(net[:2](x))), y).backward()
        optimizer.step()


@program
def spectral_and_weight_normalization() -> None:
    norm: Any = nn.utils
    net = nn.Sequential(
        norm.parametrizations.spectral_norm(nn.Linear(4, 8)), nn.LeakyReLU(),
        norm.parametrizations.weight_norm(nn.Linear(8, 1)),
    )  # fmt: skip
    train(net, optim.SGD(net.parameters(), lr=0.01))


@program
def variational_autoencoder_with_a_weight_that_rises() -> None:
    torch.manual_seed(0)
    encoder, decoder = mlp(4, 4), mlp(2, 4)
    optimizer = optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=0.01)
    x, _ = samples()
    for step in range(STEPS):
        mean, log_variance = encoder(x).chunk(2, dim=1)
        z = mean + torch.randn_like(mean) * (log_variance / 2).exp()
        divergence = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).mean()
        loss = F.mse_loss(decoder(z), x) + min(1.0, step / 30) * divergence
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@program
def flow_with_a_log_determinant() -> None:
    torch.manual_seed(0)
    scale, shift = mlp(1), mlp(1)
    optimizer = optim.Adam([*scale.parameters(), *shift.parameters()], lr=0.01)
    x = torch.randn(32, 2) * 2 + 1
    for _ in range(STEPS):
        s = scale(x[:, :1]).tanh()
        z = torch.cat([x[:, :1], x[:, 1:] * s.exp() + shift(x[:, :1])], 1)
        optimizer.zero_grad()
        (0.5 * z.square().sum(1) - s.sum(1)).mean().backward()
        optimizer.step()


# ---- several models ------------------------------------------------------------------------------


@program
def adversarial_networks() -> None:
    torch.manual_seed(0)
    generator, critic = mlp(2, 2), mlp(2, 1, activation=nn.LeakyReLU)
    for_generator = optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
    for_critic = optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.999))
    real = torch.randn(16, 2) + 2
    ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
    for _ in range(STEPS):
        fake = generator(torch.randn(16, 2))
        for_critic.zero_grad()
        on_real = F.binary_cross_entropy_with_logits(critic(real), ones)
        on_fake = F.binary_cross_entropy_with_logits(critic(fake.detach()), zeros)
        (on_real + on_fake).backward()
        for_critic.step()
        for_generator.zero_grad()
        F.binary_cross_entropy_with_logits(critic(fake), ones).backward()
        for_generator.step()


@program
def critic_trained_five_times_as_often_with_clipped_weights() -> None:
    torch.manual_seed(0)
    generator, critic = mlp(2, 2), mlp(2, 1)
    for_generator = optim.RMSprop(generator.parameters(), lr=1e-3)
    for_critic = optim.RMSprop(critic.parameters(), lr=1e-3)
    real = torch.randn(16, 2) + 2
    for step in range(60):
        for_critic.zero_grad()
        fake = generator(torch.randn(16, 2)).detach()
        (critic(fake).mean() - critic(real).mean()).backward()
        for_critic.step()
        for p in critic.parameters():
            p.data.clamp_(-0.5, 0.5)
        if step % 5 == 4:
            for_generator.zero_grad()
            (-critic(generator(torch.randn(16, 2))).mean()).backward()
            for_generator.step()


@program
def backbone_that_is_frozen() -> None:
    net = nn.Sequential(mlp(4, 8).requires_grad_(False), nn.Linear(8, 1))
    train(net, optim.SGD(net[1].parameters(), lr=0.01))


@program
def backbone_that_is_frozen_and_given_to_the_optimizer() -> None:
    net = nn.Sequential(mlp(4, 8).requires_grad_(False), nn.Linear(8, 1))
    train(net, optim.SGD(net.parameters(), lr=0.01))


@program
def backbone_without_recording() -> None:
    backbone, head, (x, y) = mlp(4, 8), nn.Linear(8, 1), samples()
    optimizer = optim.SGD(head.parameters(), lr=0.01)
    for _ in range(STEPS):
        with torch.no_grad():
            features = backbone(x)
        optimizer.zero_grad()
        F.mse_loss(head(features), y).backward()
        optimizer.step()


@program
def backbone_that_is_thawed_later() -> None:
    net, (x, y) = nn.Sequential(mlp(4, 8).requires_grad_(False), nn.Linear(8, 1)), samples()
    optimizer = optim.SGD(net[1].parameters(), lr=0.01)
    for step in range(STEPS):
        if step == 20:
            net[0].requires_grad_(True)
            optimizer.add_param_group({"params": list(net[0].parameters()), "lr": 0.001})
        optimizer.zero_grad()
        F.mse_loss(net(x), y).backward()
        optimizer.step()


@program
def teacher_and_student() -> None:
    teacher, student, (x, _) = mlp(width=16), mlp(), samples()
    teacher.eval()
    optimizer = optim.Adam(student.parameters(), lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        F.mse_loss(student(x), teacher(x).detach()).backward()
        optimizer.step()


@program
def teacher_hidden_in_a_list() -> None:
    class Student(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = mlp()
            self.teacher = [mlp(width=16)]

        def forward(self, x: Any) -> Any:
            with torch.no_grad():
                aim = self.teacher[0](x)
            return self.net(x) - aim

    net = Student()
    train(net, optim.Adam(net.parameters(), lr=0.01))


@program
def average_of_the_weights() -> None:
    net = mlp()
    average = optim.swa_utils.AveragedModel(net)
    own = copy.deepcopy(net)

    def update() -> None:
        average.update_parameters(net)
        with torch.no_grad():
            for mine, theirs in zip(own.parameters(), net.parameters(), strict=True):
                mine.lerp_(theirs, 0.1)

    train(net, optim.SGD(net.parameters(), lr=0.01), after=update)


@program
def layers_in_a_list_that_are_registered_too() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 1)
            self.order = [self.first, self.second]

        def forward(self, x: Any) -> Any:
            for layer in self.order:
                x = layer(x)
            return x

    net = Net()
    train(net, optim.SGD(net.parameters(), lr=0.01))


@program
def two_tasks_in_turn() -> None:
    torch.manual_seed(0)
    trunk, heads = mlp(4, 8), nn.ModuleList([nn.Linear(8, 1), nn.Linear(8, 1)])
    optimizer = optim.SGD([*trunk.parameters(), *heads.parameters()], lr=0.01)
    x, y = samples()
    for step in range(STEPS):
        optimizer.zero_grad()
        F.mse_loss(heads[step % 2](trunk(x)), y).backward()
        optimizer.step()


@program
def two_tasks_weighted_by_their_uncertainty() -> None:
    net, (x, y) = mlp(outputs=2), samples()
    logs = nn.Parameter(torch.zeros(2))
    optimizer = optim.Adam([*net.parameters(), logs], lr=0.01)
    for _ in range(STEPS):
        out = net(x)
        losses = torch.stack([F.mse_loss(out[:, :1], y), F.l1_loss(out[:, 1:], y)])
        optimizer.zero_grad()
        (losses * (-logs).exp() + logs).sum().backward()
        optimizer.step()


@program
def a_head_whose_loss_has_no_weight_yet() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.trunk, self.main, self.other = mlp(4, 8), nn.Linear(8, 1), nn.Linear(8, 1)

        def forward(self, x: Any) -> Any:
            hidden = self.trunk(x)
            return self.main(hidden) + 0.0 * self.other(hidden)

    net = Net()
    train(net, optim.SGD(net.parameters(), lr=0.01))


# ---- reinforcement, meta-learning, other uses of gradients ---------------------------------------


@program
def policy_gradient() -> None:
    policy = mlp(4, 2)
    optimizer = optim.Adam(policy.parameters(), lr=0.01)
    x, _ = samples()
    for _ in range(STEPS):
        chosen = torch.distributions.Categorical(logits=policy(x))
        action = chosen.sample()
        reward = (action == (x[:, 0] > 0).long()).float()
        optimizer.zero_grad()
        (-(chosen.log_prob(action) * (reward - reward.mean())).mean()).backward()
        optimizer.step()


@program
def actor_and_critic_with_one_optimizer() -> None:
    actor, critic, (x, _) = mlp(4, 2), mlp(4, 1), samples()
    optimizer = optim.Adam([*actor.parameters(), *critic.parameters()], lr=0.01)
    for _ in range(STEPS):
        chosen = torch.distributions.Categorical(logits=actor(x))
        action, value = chosen.sample(), critic(x).squeeze(1)
        advantage = (action.float() - value).detach()
        loss = F.mse_loss(value, action.float()) - (chosen.log_prob(action) * advantage).mean()
        optimizer.zero_grad()
        (loss - 0.01 * chosen.entropy().mean()).backward()
        optimizer.step()


@program
def value_network_with_a_target() -> None:
    net, (x, y) = mlp(4, 2), samples()
    target = copy.deepcopy(net)
    optimizer = optim.RMSprop(net.parameters(), lr=1e-3)
    for step in range(STEPS):
        with torch.no_grad():
            aim = y[:, 0] + 0.9 * target(x.roll(1, 0)).max(1).values
        optimizer.zero_grad()
        F.smooth_l1_loss(net(x)[:, 0] + net(x)[:, 1], aim).backward()
        optimizer.step()
        if step % 10 == 0:
            target.load_state_dict(net.state_dict())


@program
def deterministic_policy_through_a_critic() -> None:
    torch.manual_seed(0)
    actor, critic, (x, _) = mlp(4, 1), mlp(5, 1), samples()
    for_actor = optim.Adam(actor.parameters(), lr=1e-3)
    for_critic = optim.Adam(critic.parameters(), lr=1e-3)
    for _ in range(STEPS):
        action = torch.randn(16, 1)
        for_critic.zero_grad()
        F.mse_loss(critic(torch.cat([x, action], 1)), -(action**2)).backward()
        for_critic.step()
        for_actor.zero_grad()
        (-critic(torch.cat([x, actor(x)], 1)).mean()).backward()
        for_actor.step()


@program
def meta_learning_with_an_inner_step() -> None:
    net, (x, y) = mlp(), samples()
    optimizer = optim.SGD(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        parameters = dict(net.named_parameters())
        inner = F.mse_loss(torch.func.functional_call(net, parameters, (x,)), y)
        gradients = torch.autograd.grad(inner, list(parameters.values()), create_graph=True)
        adapted = {
            name: p - 0.01 * g for (name, p), g in zip(parameters.items(), gradients, strict=True)
        }
        optimizer.zero_grad()
        F.mse_loss(torch.func.functional_call(net, adapted, (x,)), y).backward()
        optimizer.step()


@program
def picture_optimized_through_a_fixed_network() -> None:
    net = mlp(16, 4).eval()
    aim = net(torch.randn(1, 16)).detach()
    picture = torch.randn(1, 16, requires_grad=True)
    optimizer = optim.Adam([picture], lr=0.05)
    for _ in range(STEPS):
        optimizer.zero_grad()
        F.mse_loss(net(picture), aim).backward()
        optimizer.step()


@program
def adversarial_training() -> None:
    net, (x, y) = mlp(), samples()
    optimizer = optim.SGD(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        attacked = x.clone().requires_grad_()
        F.mse_loss(net(attacked), y).backward()
        assert attacked.grad is not None
        attacked = (attacked + 0.01 * attacked.grad.sign()).detach()
        optimizer.zero_grad()
        F.mse_loss(net(attacked), y).backward()
        optimizer.step()


@program
def contrastive_pairs_with_a_margin() -> None:
    net, (x, _) = mlp(4, 3), samples()
    optimizer = optim.SGD(net.parameters(), lr=0.05)
    for _ in range(STEPS):
        anchor, near, far = net(x), net(x + 0.01), net(x.roll(1, 0))
        optimizer.zero_grad()
        F.triplet_margin_loss(anchor, near, far, margin=0.01).backward()
        optimizer.step()


@program
def curve_fitted_by_two_numbers() -> None:
    x = torch.linspace(-math.pi, math.pi, 50)
    a, b = (torch.randn((), requires_grad=True) for _ in range(2))
    optimizer = optim.SGD([a, b], lr=0.05)
    for _ in range(STEPS):
        optimizer.zero_grad()
        (a + b * x - x.sin()).square().mean().backward()
        optimizer.step()


@program
def evaluation_between_epochs() -> None:
    net, (x, y) = mlp(), samples()
    optimizer, losses = optim.Adam(net.parameters()), []
    for _ in range(STEPS):
        net.train()
        optimizer.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        net.eval()
        with torch.no_grad():
            losses.append(float(F.mse_loss(net(x), y)))


@program
def stopped_after_two_steps() -> None:
    net = mlp()
    train(net, optim.SGD(net.parameters(), lr=0.01), steps=2)


@program
def checkpoint_loaded_in_the_middle() -> None:
    net = mlp()
    optimizer = optim.Adam(net.parameters())
    train(net, optimizer, steps=20)
    saved = copy.deepcopy(net.state_dict()), copy.deepcopy(optimizer.state_dict())
    net = mlp()
    optimizer = optim.Adam(net.parameters())
    net.load_state_dict(saved[0])
    optimizer.load_state_dict(saved[1])
    train(net, optimizer, steps=20)


@program
def cross_validation_with_many_models() -> None:
    for fold in range(4):
        x, y = samples()
        kept = torch.arange(16) % 4 != fold
        net = mlp()
        train(net, optim.SGD(net.parameters(), lr=0.01), data=(x[kept], y[kept]), steps=15)
