"""Mistakes that people ask about, each next to sound programs that look like it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import pellucid as torch
from pellucid import nn
from pellucid.inspect import Finding, checking
from pellucid.nn import functional as F

STEPS = 12


def samples(count: int = 32) -> Any:
    torch.manual_seed(0)
    return torch.randn(count, 4)


def classes(count: int = 32) -> Any:
    return torch.arange(count) % 3


def mlp(*last: Any) -> Any:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3), *last)


def sgd(parameters: Any) -> Any:
    return torch.optim.SGD(parameters, lr=0.05)


def entropy(out: Any) -> Any:
    return F.cross_entropy(out, classes())


def train(net: Any, loss: Callable[[Any], Any] = entropy, steps: int = STEPS) -> None:
    """Run the usual loop; the loss is computed of the output alone."""
    x, optimizer = samples(), sgd(net.parameters())
    for _ in range(steps):
        optimizer.zero_grad()
        loss(net(x)).backward()
        optimizer.step()


def found_in(program: Callable[[], Any]) -> Finding:
    """Return the only finding of a program."""
    with checking() as findings:
        program()
    assert len(findings) == 1, str(findings)
    return findings[0]


def assert_sound(program: Callable[[], Any]) -> None:
    """Run a program that has no finding."""
    with checking() as findings:
        program()
    assert len(findings) == 0, str(findings)


# ---- layers that are made anew ----


class MadeInForward(nn.Module):
    """A model whose head is another one in each call."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(4, 8)

    def forward(self, x: Any) -> Any:
        head = nn.Linear(8, 3)
        return head(self.body(x).tanh())


class AssignedInForward(MadeInForward):
    """The same, assigned to an attribute."""

    def forward(self, x: Any) -> Any:
        self.head = nn.Linear(8, 3)
        return self.head(self.body(x).tanh())


@pytest.mark.parametrize("kind", ["variable", "attribute"])
def test_a_layer_that_is_made_in_forward(kind: str) -> None:
    net = MadeInForward() if kind == "variable" else AssignedInForward()
    finding = found_in(lambda: train(net))
    assert finding.kind == "a layer made anew in each step"
    assert "head(self.body(x).tanh())" in finding.text
    assert "__init__" in finding.remedy


class Drawn(nn.Module):
    """A model that draws another of its heads in each call."""

    def __init__(self) -> None:
        super().__init__()
        self.heads = nn.ModuleList([nn.Linear(4, 3) for _ in range(3)])
        self.calls = 0

    def forward(self, x: Any) -> Any:
        self.calls += 1
        return self.heads[self.calls % 3](x)


class Lazy(MadeInForward):
    """A model that makes its head when it is first called, and tells no optimizer."""

    def forward(self, x: Any) -> Any:
        if not hasattr(self, "head"):
            self.head = nn.Linear(8, 3)
        return self.head(self.body(x).tanh())


def test_other_heads_in_turn_are_sound() -> None:
    assert_sound(lambda: train(Drawn()))


def test_a_head_that_is_made_once_too_late_is_another_fault() -> None:
    assert found_in(lambda: train(Lazy())).kind == "a parameter in no optimizer"


def test_a_new_model_with_a_new_optimizer_for_each_step_is_sound() -> None:
    def program() -> None:
        for _ in range(4):
            train(mlp(), steps=1)

    assert_sound(program)


def test_copies_of_a_model_that_are_adapted_in_each_step_are_sound() -> None:
    def program() -> None:
        net, x = mlp(), samples()
        optimizer = sgd(net.parameters())
        for _ in range(STEPS):
            fast = copy.deepcopy(net)
            grads = torch.autograd.grad(entropy(fast(x)), [*fast.parameters()])
            for parameter, grad in zip(net.parameters(), grads, strict=True):
                parameter.grad = grad
            optimizer.step()

    assert_sound(program)


# ---- gradients that are used twice ----


def test_a_second_step_by_the_same_gradients() -> None:
    def program() -> None:
        net, x = mlp(), samples()
        optimizer = again = sgd(net.parameters())
        for _ in range(STEPS):
            optimizer.zero_grad()
            entropy(net(x)).backward()
            optimizer.step()
            again.step()

    finding = found_in(program)
    assert finding.kind == "gradients used twice"
    assert finding.text == "again.step()"


def test_a_parameter_in_two_optimizers() -> None:
    def program() -> None:
        net, x = mlp(), samples()
        first, second = sgd(net.parameters()), torch.optim.Adam(net[2].parameters(), lr=1e-3)
        for _ in range(STEPS):
            first.zero_grad()
            entropy(net(x)).backward()
            first.step()
            second.step()

    finding = found_in(program)
    assert finding.kind == "gradients used twice"
    assert finding.what.startswith("Adam changes ")
    assert "2.weight" in finding.what
    assert "that SGD has used" in finding.what
    assert finding.remedy == "Give each parameter to one optimizer."


def test_two_optimizers_with_parameters_of_their_own_are_sound() -> None:
    def program() -> None:
        net, x = mlp(), samples()
        body, head = sgd(net[0].parameters()), torch.optim.Adam(net[2].parameters(), lr=1e-3)
        for _ in range(STEPS):
            body.zero_grad()
            head.zero_grad()
            entropy(net(x)).backward()
            body.step()
            head.step()

    assert_sound(program)


def test_gradients_that_the_program_computes_itself_are_sound() -> None:
    def program() -> None:
        net, x = mlp(), samples()
        optimizer = sgd(net.parameters())
        for _ in range(STEPS):
            grads = torch.autograd.grad(entropy(net(x)), [*net.parameters()])
            for parameter, grad in zip(net.parameters(), grads, strict=True):
                parameter.grad = grad
            optimizer.step()

    assert_sound(program)


@pytest.mark.parametrize("written", [True, False])
def test_gradients_that_no_pass_computes_are_sound(written: bool) -> None:
    def program() -> None:
        weight = nn.Parameter(torch.ones(20))
        optimizer = sgd([weight])
        weight.grad = torch.ones(20)
        for _ in range(STEPS):
            if written:
                weight.grad.copy_(torch.randn(20))
            optimizer.step()

    assert_sound(program)


def test_a_closure_that_computes_gradients_in_each_step_is_sound() -> None:
    def program() -> None:
        net, x = mlp(), samples()
        optimizer = torch.optim.LBFGS(net.parameters(), lr=0.1, max_iter=3)

        def closure() -> Any:
            optimizer.zero_grad()
            loss = entropy(net(x))
            loss.backward()
            return loss

        for _ in range(4):
            optimizer.step(closure)

    assert_sound(program)


# ---- clipping and scaling ----


def scaled(unscales: bool, scale: float = 2.0**16) -> Callable[[], None]:
    def program() -> None:
        net, x = mlp(), samples()
        optimizer, scaler = sgd(net.parameters()), torch.amp.GradScaler("cpu", init_scale=scale)
        for _ in range(STEPS):
            optimizer.zero_grad()
            scaler.scale(entropy(net(x))).backward()
            if unscales:
                scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()

    return program


def test_clipping_of_gradients_that_are_scaled() -> None:
    finding = found_in(scaled(unscales=False))
    assert finding.kind == "clipping before unscale_"
    assert "65536 times" in finding.what
    assert finding.text == "nn.utils.clip_grad_norm_(net.parameters(), 1.0)"
    assert "scaler.unscale_(optimizer) before clipping" in finding.remedy


def test_clipping_after_unscaling_or_without_a_scale_is_sound() -> None:
    assert_sound(scaled(unscales=True))
    assert_sound(scaled(unscales=False, scale=1.0))


# ---- what stands after the last layer ----


def of_signs(out: Any) -> Any:
    return F.binary_cross_entropy_with_logits(out, (samples()[:, :3] > 0).float())


@pytest.mark.parametrize(
    ("last", "loss", "told"),
    [
        (nn.ReLU, entropy, "rows have zeros only: of these the loss is 1.10"),
        (nn.Tanh, entropy, "With 3 classes the loss cannot fall below 0.24"),
        (nn.ReLU, of_signs, "no probability is below 0.5: 50% of the targets"),
        (nn.Tanh, of_signs, "between 0.27 and 0.73: 100% of the targets"),
    ],
)
def test_an_activation_after_the_last_layer(last: Any, loss: Any, told: str) -> None:
    finding = found_in(lambda: train(mlp(last()), loss))
    assert finding.kind == "an activation before a loss of scores"
    assert told in finding.why
    assert "Leave the" in finding.remedy


def test_a_loss_cannot_fall_below_what_is_said() -> None:
    best = torch.tensor([[1.0, -1.0, -1.0]])  # all that a tanh can give
    assert float(F.cross_entropy(best, torch.tensor([0]))) == pytest.approx(0.24, abs=0.005)
    least, most = torch.tensor([-1.0, 1.0]).sigmoid().tolist()
    assert (round(least, 2), round(most, 2)) == (0.27, 0.73)


@pytest.mark.parametrize(
    "loss",
    [
        lambda out: entropy(10 * out.tanh()),
        lambda out: entropy(out.relu() - 1),
        lambda out: F.mse_loss(out.relu(), samples()[:, :3].relu()),
        lambda out: entropy(F.normalize(out, dim=1) / 0.1),
    ],
)
def test_scores_that_an_activation_does_not_bound_are_sound(loss: Any) -> None:
    assert_sound(lambda: train(mlp(), loss))


@pytest.mark.parametrize("loss", [entropy, of_signs])
def test_dropout_after_the_last_layer(loss: Any) -> None:
    finding = found_in(lambda: train(mlp(nn.Dropout(0.5)), loss))
    assert finding.kind == "dropout after the last layer"
    assert "% of the scores are zero" in finding.why


def test_dropout_elsewhere_is_sound() -> None:
    between = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Tanh(), nn.Linear(8, 3))
    assert_sound(lambda: train(between))
    assert_sound(lambda: train(mlp(nn.Dropout(0.0))))


# ---- samples and time ----


class OfSequences(nn.Module):
    """A layer that reads sequences of seven steps, and a head."""

    def __init__(self, layer: Any, width: int) -> None:
        super().__init__()
        self.layer, self.head = layer, nn.Linear(width, 3)

    def read(self, x: Any) -> Any:
        read = self.layer(x)
        return read[0] if isinstance(read, tuple) else read

    def forward(self, x: Any) -> Any:
        return self.head(self.read(x)[:, -1])


class TimeFirst(OfSequences):
    """The same, that turns samples and time round."""

    def forward(self, x: Any) -> Any:
        return self.head(self.read(x.transpose(0, 1))[-1])


class OfEachStep(OfSequences):
    """The same, for each step of sequences whose first dimension is time."""

    def forward(self, x: Any) -> Any:
        return self.head(self.read(x)).flatten(0, 1)


def reading(kind: str, **options: Any) -> tuple[Any, int]:
    torch.manual_seed(1)
    if kind == "TransformerEncoderLayer":
        return nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, **options), 4
    return getattr(nn, kind)(4, 8, **options), 8


def train_on_sequences(net: Any, targets: int = 32) -> None:
    torch.manual_seed(0)
    x, y = torch.randn(32, 7, 4), torch.arange(targets) % 3
    optimizer = sgd(net.parameters())
    for _ in range(STEPS):
        optimizer.zero_grad()
        F.cross_entropy(net(x), y).backward()
        optimizer.step()


KINDS = ["LSTM", "GRU", "RNN", "TransformerEncoderLayer"]


@pytest.mark.parametrize("kind", KINDS)
def test_samples_that_are_taken_for_time(kind: str) -> None:
    net = OfSequences(*reading(kind))
    finding = found_in(lambda: train_on_sequences(net))
    assert finding.kind == "samples taken for time"
    assert "takes 32 samples for steps of time" in finding.what
    assert "[32, 7, ...]" in finding.why
    assert "batch_first=True" in finding.remedy


@pytest.mark.parametrize("kind", KINDS)
def test_time_in_its_place_is_sound(kind: str) -> None:
    assert_sound(lambda: train_on_sequences(OfSequences(*reading(kind, batch_first=True))))
    assert_sound(lambda: train_on_sequences(TimeFirst(*reading(kind))))
    assert_sound(lambda: train_on_sequences(OfEachStep(*reading(kind)), 7 * 32))


# ---- data and states ----


def sorted_batches(each: Callable[[int], Any]) -> Callable[[], None]:
    def program() -> None:
        net, x = mlp(), samples()
        optimizer = sgd(net.parameters())
        for step in range(40):
            optimizer.zero_grad()
            F.cross_entropy(net(x), each(step)).backward()
            optimizer.step()

    return program


def test_batches_of_one_class_each() -> None:
    finding = found_in(sorted_batches(lambda step: torch.full((32,), step // 14)))
    assert finding.kind == "batches of one class"
    assert "shuffle=True" in finding.remedy


def test_batches_of_the_same_class_or_of_several_are_sound() -> None:
    assert_sound(sorted_batches(lambda step: torch.full((32,), 1)))
    assert_sound(sorted_batches(lambda step: (torch.arange(32) < 16) * (step % 2 + 1)))
    # real and made up ones in turn, as a critic is trained
    assert_sound(sorted_batches(lambda step: torch.full((32,), step % 2)))


def restored(copied: Callable[[Any], Any]) -> Callable[[], None]:
    def program() -> None:
        net = mlp()
        best = copied(net.state_dict())
        train(net)
        net.load_state_dict(best)

    return program


def test_a_best_state_that_is_no_copy() -> None:
    finding = found_in(restored(lambda state: state))
    assert finding.kind == "a state that is the model's own"
    assert finding.text == "net.load_state_dict(best)"
    assert "copy.deepcopy" in finding.remedy


def test_a_best_state_that_is_a_copy_and_that_of_another_model_are_sound() -> None:
    assert_sound(restored(copy.deepcopy))
    assert_sound(restored(lambda state: {name: each.clone() for name, each in state.items()}))
    assert_sound(restored(lambda state: mlp().state_dict()))


def test_a_batch_whose_targets_are_all_ignored() -> None:
    finding = found_in(
        lambda: train(mlp(), lambda out: F.cross_entropy(out, torch.full((32,), -100)), 3)
    )
    assert finding.kind == "a loss that is not finite"
    assert "ignore_index" in finding.remedy
