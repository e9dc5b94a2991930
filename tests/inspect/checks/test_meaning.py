"""Faults of meaning: programs that run, and compute something else than their author means."""

from __future__ import annotations

import linecache
import re
import sysconfig
from collections.abc import Callable
from typing import Any

import pytest

import pellucid as torch
from pellucid import nn
from pellucid.inspect import Finding, checking
from pellucid.nn import functional as F

schedules: Any = torch.optim.lr_scheduler
STEPS = 12


def samples(count: int = 32, features: int = 4) -> Any:
    torch.manual_seed(0)
    return torch.randn(count, features)


def classes(count: int = 32, of: int = 3) -> Any:
    return torch.arange(count) % of


def mlp(outputs: int = 1, *last: Any, width: int = 8) -> Any:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(4, width), nn.Tanh(), nn.Linear(width, outputs), *last)


def sgd(net: Any, rate: float = 0.05, **options: Any) -> Any:
    return torch.optim.SGD(net.parameters(), lr=rate, **options)


def train(net: Any, loss: Callable[[Any], Any], steps: int = STEPS, optimizer: Any = None) -> None:
    """Run the usual loop; the loss is computed of the output alone."""
    x, optimizer = samples(), sgd(net) if optimizer is None else optimizer
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


# ---- what losses are given -----------------------------------------------------------------------


def test_a_softmax_layer_before_cross_entropy() -> None:
    net = mlp(3, nn.Softmax(dim=1))
    finding = found_in(lambda: train(net, lambda out: F.cross_entropy(out, classes())))
    assert finding.kind == "softmax before cross_entropy"
    assert finding.where.startswith("test_meaning.py:")
    assert "the softmax at test_meaning.py:" in finding.what
    # one class at 1 and two at 0: -log(e / (e + 2))
    assert "With 3 classes the loss cannot fall below 0.55" in finding.why


def test_a_softmax_in_forward_and_a_module_as_the_loss() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 3)

        def forward(self, x: Any) -> Any:
            return torch.softmax(self.layer(x), dim=-1)

    criterion = nn.CrossEntropyLoss()
    finding = found_in(lambda: train(Net(), lambda out: criterion(out, classes())))
    assert finding.kind == "softmax before cross_entropy"
    assert "Leave the softmax out (return torch.softmax(self.layer(x), dim=-1))" in finding.remedy


@pytest.mark.parametrize("reshaped", [False, True])
def test_a_softmax_over_the_batch(reshaped: bool) -> None:
    def loss(out: Any) -> Any:
        shares = out.softmax(0)
        shares = shares.reshape(-1, 3).float() if reshaped else shares
        return F.nll_loss(shares.log(), classes())

    finding = found_in(lambda: train(mlp(3), loss))
    assert finding.kind == "softmax over the batch"
    assert "Each column of [32, 3] sums to 1" in finding.why
    assert finding.remedy.startswith("Use dim=1")


def test_cross_entropy_of_a_softmax_over_the_batch() -> None:
    finding = found_in(
        lambda: train(mlp(3, nn.Softmax(dim=0)), lambda out: F.cross_entropy(out, classes()))
    )
    assert finding.kind == "softmax over the batch"


def test_nll_loss_of_probabilities() -> None:
    net = mlp(3, nn.Softmax(dim=1))
    finding = found_in(lambda: train(net, lambda out: F.nll_loss(out, classes())))
    assert finding.kind == "nll_loss without log_softmax"
    assert finding.what.startswith("nll_loss is given probabilities, made at test_meaning.py:")
    assert "log_softmax in place of softmax" in finding.remedy


def test_nll_loss_of_scores() -> None:
    finding = found_in(lambda: train(mlp(3), lambda out: F.nll_loss(out, classes())))
    assert finding.kind == "nll_loss without log_softmax"
    shown = re.search(
        r"The rows of exp\(input\) sum to ([\d.]+) to ([\d.]+), not to 1", finding.why
    )
    assert shown is not None
    sums = mlp(3)(samples()).exp().sum(1).detach().numpy()
    assert shown.groups() == (f"{sums.min():.3g}", f"{sums.max():.3g}")


@pytest.mark.parametrize("last", [nn.Sigmoid, lambda: nn.Softmax(dim=1)])
def test_probabilities_before_a_loss_with_logits(last: Any) -> None:
    targets = F.one_hot(classes(), 3).float()
    net = mlp(3, last())
    finding = found_in(
        lambda: train(net, lambda out: F.binary_cross_entropy_with_logits(out, targets))
    )
    assert finding.kind == "sigmoid before a loss of scores"
    assert "0.5 and 0.73" in finding.why


def test_a_sigmoid_before_cross_entropy() -> None:
    net = mlp(3, nn.Sigmoid())
    finding = found_in(lambda: train(net, lambda out: F.cross_entropy(out, classes())))
    assert finding.kind == "sigmoid before a loss of scores"


def test_cross_entropy_of_one_class() -> None:
    finding = found_in(
        lambda: train(mlp(1), lambda out: F.cross_entropy(out, torch.zeros(32).long()), steps=4)
    )
    assert finding.kind == "cross_entropy of one class"
    assert "[32, 1]" in finding.what


def test_a_softmax_of_a_softmax() -> None:
    net = mlp(3, nn.Softmax(dim=1))
    finding = found_in(
        lambda: train(net, lambda out: F.nll_loss(F.log_softmax(out, dim=1), classes()))
    )
    assert finding.kind == "softmax of a softmax"
    assert "never more than 0.58" in finding.why  # e / (e + 2)


def test_kl_div_of_probabilities() -> None:
    target, net = samples(32, 3).softmax(1), mlp(3, nn.Softmax(dim=1))
    finding = found_in(lambda: train(net, lambda out: F.kl_div(out, target, reduction="batchmean")))
    assert finding.kind == "kl_div of what are not logarithms"
    assert "is probabilities" in finding.what


def test_kl_div_with_a_target_of_logarithms() -> None:
    target = samples(32, 3).log_softmax(1)

    def program() -> None:
        F.kl_div(mlp(3)(samples()).log_softmax(1), target, reduction="batchmean")

    # something has to be heard before: a call of a module
    finding = found_in(program)
    assert finding.kind == "kl_div of what are not logarithms"
    assert "log_target=True" in finding.remedy


def test_scores_judged_by_a_half() -> None:
    targets = (samples()[:, :1] > 0).float()
    right = []

    def loss(out: Any) -> Any:
        right.append(((out > 0.5) == targets.bool()).float().mean().item())
        return F.binary_cross_entropy_with_logits(out, targets)

    finding = found_in(lambda: train(mlp(1), loss))
    assert finding.kind == "scores compared with 0.5"
    assert finding.text.startswith("right.append(((out > 0.5)")


# ---- targets -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("targets", "remedy"), [((-1.0, 1.0), "(target + 1) / 2"), ((0.0, 9.0), "cross_entropy")]
)
def test_targets_of_yes_and_no_out_of_range(targets: tuple[float, float], remedy: str) -> None:
    y = torch.tensor(targets).repeat(16).unsqueeze(1)
    finding = found_in(
        lambda: train(
            mlp(1), lambda out: F.binary_cross_entropy_with_logits(out, y), optimizer=None
        )
    )
    assert finding.kind == "targets that the loss is not made for"
    assert f"from {targets[0]:g} to {targets[1]:g}" in finding.why
    assert remedy in finding.remedy


def test_targets_of_zero_and_one_for_a_loss_of_signs() -> None:
    y = (samples()[:, :1] > 0).float()
    finding = found_in(lambda: train(mlp(1), lambda out: F.soft_margin_loss(out, y)))
    assert finding.kind == "targets that the loss is not made for"
    assert "2 * target - 1" in finding.remedy


@pytest.mark.parametrize("last", [nn.Sigmoid, nn.Tanh, nn.ReLU])
def test_targets_that_the_last_activation_cannot_reach(last: Any) -> None:
    y = samples(32, 1) * 20
    net = mlp(1, last())
    finding = found_in(lambda: train(net, lambda out: F.mse_loss(out, y), optimizer=sgd(net, 1e-4)))
    assert finding.kind == "targets that the output cannot reach"
    assert f"{last.__name__.lower()} at test_meaning.py" in finding.why


def test_several_classes_at_once_in_cross_entropy() -> None:
    targets = torch.tensor([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).repeat(16, 1)
    finding = found_in(lambda: train(mlp(3), lambda out: F.cross_entropy(out, targets)))
    assert finding.kind == "several classes at once in cross_entropy"
    assert "Row 0 of the targets sums to 2" in finding.why


# ---- shapes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written",
    [
        "((out - y) ** 2).mean()", "(y - out).square().mean()", "(out - y).abs().mean()",
        "((out.squeeze(1) - y.unsqueeze(1)) ** 2).mean()", "torch.mean(torch.pow(out - y, 2))",
    ],
)  # fmt: skip
def test_a_column_compared_with_a_row_by_hand(written: str) -> None:
    scope = {"y": samples()[:, 0], "torch": torch}
    code = compile(written, "<one line>", "eval")
    finding = found_in(lambda: train(mlp(1), lambda out: eval(code, {"out": out, **scope})))
    assert finding.kind == "a column compared with a row"
    assert "makes [32, 32]" in finding.what


@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize("loss", [F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss])
def test_a_column_compared_with_a_row_in_a_loss(loss: Any) -> None:
    y = samples()[:, 0]
    finding = found_in(lambda: train(mlp(1), lambda out: loss(out, y)))
    assert finding.kind == "a column compared with a row"
    assert "squeeze(1) on the first" in finding.remedy


def test_an_accuracy_of_all_with_all() -> None:
    y = (samples()[:, 0] > 0).float()
    shares = []

    def loss(out: Any) -> Any:
        shares.append((out.sigmoid().round() == y).float().mean().item())
        return F.binary_cross_entropy_with_logits(out, y.unsqueeze(1))

    finding = found_in(lambda: train(mlp(1), loss))
    assert finding.kind == "a column compared with a row"
    assert finding.what.startswith("eq of [32, 1] and [32]")


# ---- modes ---------------------------------------------------------------------------------------


class Dropping(nn.Module):
    """A model with dropout and batch normalization."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm = nn.Linear(4, 8), nn.BatchNorm1d(8)
        self.drop, self.last = nn.Dropout(0.4), nn.Linear(8, 3)

    def forward(self, x: Any) -> Any:
        return self.last(self.drop(self.norm(self.first(x)).relu()))


@pytest.mark.parametrize("by", ["accuracy", "loss", "inference_mode"])
def test_a_model_judged_in_training_mode(by: str) -> None:
    def program() -> None:
        net, x, y = Dropping(), samples(), classes()
        optimizer = sgd(net)
        for _ in range(3):
            for _ in range(4):
                optimizer.zero_grad()
                F.cross_entropy(net(x), y).backward()
                optimizer.step()
            with torch.inference_mode() if by == "inference_mode" else torch.no_grad():
                out = net(x)
                if by == "loss":
                    F.cross_entropy(out, y).item()
                else:
                    (out.argmax(1) == y).float().mean().item()

    finding = found_in(program)
    assert finding.kind == "judged in training mode"
    assert "drop drops 40% of its input" in finding.why
    assert "norm normalizes by the batch" in finding.why
    assert "out = net(x)" in finding.why or "test_meaning.py" in finding.why
    assert "net.eval() before" in finding.remedy


def test_a_model_trained_in_evaluation_mode_after_its_evaluation() -> None:
    def program() -> None:
        net, x, y = Dropping(), samples(), classes()
        optimizer = sgd(net)
        net.train()
        for _ in range(3):
            for _ in range(4):
                optimizer.zero_grad()
                F.cross_entropy(net(x), y).backward()
                optimizer.step()
            net.eval()
            with torch.no_grad():
                F.cross_entropy(net(x), y).item()

    finding = found_in(program)
    assert finding.kind == "trained in evaluation mode"
    assert "drop drops nothing" in finding.why
    assert "which test_meaning.py:" in finding.what


def test_a_model_trained_in_evaluation_mode_from_the_beginning() -> None:
    net = Dropping().eval()
    finding = found_in(lambda: train(net, lambda out: F.cross_entropy(out, classes())))
    assert finding.kind == "trained in evaluation mode"
    assert "a mean of 0 and a variance of 1" in finding.why


def test_dropout_that_eval_does_not_turn_off() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 3)

        def forward(self, x: Any) -> Any:
            return self.layer(F.dropout(x, 0.3))

    def program() -> None:
        net = Net()
        train(net, lambda out: F.cross_entropy(out, classes()))
        net.eval()
        with torch.no_grad():
            net(samples())

    finding = found_in(program)
    assert finding.kind == "dropout that eval() does not turn off"
    assert finding.text == "return self.layer(F.dropout(x, 0.3))"
    assert "drops 30%" in finding.what


# ---- the loop ------------------------------------------------------------------------------------


def test_a_schedule_of_epochs_stepped_in_each_batch() -> None:
    def program() -> None:
        net, x, y = mlp(3), samples(), classes()
        optimizer = sgd(net)
        schedule = schedules.StepLR(optimizer, step_size=2, gamma=0.1)
        for _ in range(40):
            optimizer.zero_grad()
            F.cross_entropy(net(x), y).backward()
            optimizer.step()
            schedule.step()

    finding = found_in(program)
    assert finding.kind == "a learning rate that has faded away"
    assert finding.text == "schedule.step()"
    assert "StepLR is stepped after each of the" in finding.why


def test_an_annealing_that_has_run_out() -> None:
    def program() -> None:
        net = mlp(3)
        optimizer = sgd(net)
        schedule = schedules.CosineAnnealingLR(optimizer, T_max=5)
        for _ in range(10):
            optimizer.zero_grad()
            F.cross_entropy(net(samples()), classes()).backward()
            optimizer.step()
            schedule.step()

    finding = found_in(program)
    assert finding.kind == "a schedule that has run out"
    assert "T_max=5" in finding.what


@pytest.mark.parametrize("by", ["norm", "value"])
def test_clipping_before_backward(by: str) -> None:
    def program() -> None:
        net, x, y = mlp(3), samples(), classes()
        optimizer = sgd(net)
        for _ in range(6):
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x), y)
            if by == "norm":
                nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            else:
                nn.utils.clip_grad_value_(net.parameters(), 1.0)
            loss.backward()
            optimizer.step()

    finding = found_in(program)
    assert finding.kind == "clipping before backward"
    assert finding.text.startswith(f"nn.utils.clip_grad_{by}_(net.parameters(), 1.0)")
    assert "between loss.backward() and optimizer.step()" in finding.remedy


@pytest.mark.parametrize(
    ("options", "by"),
    [({"momentum": 0.9}, "momentum goes on"), ({"weight_decay": 0.1}, "weight decay goes on")],
)
def test_a_frozen_layer_that_moves(options: dict[str, float], by: str) -> None:
    def program() -> None:
        net, x, y = mlp(3), samples(), classes()
        optimizer = sgd(net, **options)
        for step in range(8):
            if step == 2:
                net[0].requires_grad_(False)
            optimizer.zero_grad(set_to_none=False)
            F.cross_entropy(net(x), y).backward()
            optimizer.step()

    finding = found_in(program)
    assert finding.kind == "a frozen parameter that moves"
    assert finding.what.startswith("Sequential.0.weight and Sequential.0.bias are frozen")
    assert by in finding.why
    assert ".grad = None" in finding.remedy


def test_a_layer_frozen_by_a_hook_that_moves() -> None:
    net = mlp(3)
    net[0].weight.register_hook(lambda g: g * 0)
    optimizer = sgd(net, weight_decay=0.1)
    finding = found_in(
        lambda: train(net, lambda out: F.cross_entropy(out, classes()), 6, optimizer)
    )
    assert finding.kind == "a frozen parameter that moves"
    assert "by a hook" in finding.what


def test_a_state_that_loaded_nothing() -> None:
    def program() -> None:
        state = {f"module.{name}": value for name, value in mlp(3).state_dict().items()}
        mlp(3).load_state_dict(state, strict=False)

    finding = found_in(program)
    assert finding.kind == "a state that loaded nothing"
    assert "k.removeprefix('module.')" in finding.remedy


def test_a_checkpoint_loaded_in_place_of_the_state_in_it() -> None:
    checkpoint = {"epoch": 3, "model_state": mlp(3).state_dict()}
    finding = found_in(lambda: mlp(3).load_state_dict(checkpoint, strict=False))
    assert finding.kind == "a state that loaded nothing"
    assert "state['model_state']" in finding.remedy


@pytest.mark.parametrize("by_module", [False, True])
def test_gradients_cleared_on_each_micro_batch(by_module: bool) -> None:
    def program() -> None:
        net, x, y = mlp(3), samples(), classes()
        optimizer = sgd(net)
        for batch in range(16):
            (net if by_module else optimizer).zero_grad()
            (F.cross_entropy(net(x), y) / 4).backward()
            if batch % 4 == 3:
                optimizer.step()

    finding = found_in(program)
    assert finding.kind == "gradients thrown away"
    assert finding.what.startswith("of 4 passes before each step, the gradients of 3")
    assert finding.text == "(net if by_module else optimizer).zero_grad()"


def test_one_layer_in_several_places() -> None:
    net = nn.Sequential(*([nn.Linear(4, 4)] * 3), nn.Linear(4, 3))
    finding = found_in(lambda: train(net, lambda out: F.cross_entropy(out, classes())))
    assert finding.kind == "one layer in several places"
    assert finding.what.startswith("Sequential.0, Sequential.1 and Sequential.2 are one")
    assert "for _ in range(3)" in finding.remedy


def test_units_that_are_all_equal() -> None:
    net = mlp(3)
    for parameter in net.parameters():
        nn.init.constant_(parameter, 0.1)
    finding = found_in(lambda: train(net, lambda out: F.cross_entropy(out, classes())))
    assert finding.kind == "units that are all equal"
    assert finding.what.startswith("all 8 rows of Sequential.0.weight are equal")


def test_an_optimizer_that_never_steps() -> None:
    net = mlp(3)

    def program() -> None:
        optimizer = sgd(net)
        for _ in range(40):
            optimizer.zero_grad()
            F.cross_entropy(net(samples()), classes()).backward()

    finding = found_in(program)
    assert finding.kind == "an optimizer that never steps"
    assert "the SGD made at test_meaning.py:" in finding.why


def test_the_negative_of_a_loss_that_is_never_negative() -> None:
    finding = found_in(lambda: train(mlp(3), lambda out: -F.cross_entropy(out, classes())))
    assert finding.kind == "a loss that is maximized"
    assert "cross_entropy is never below zero" in finding.what
    assert "trained to be wrong" in finding.why


def test_a_loss_that_the_optimizer_maximizes() -> None:
    net = mlp(3)
    optimizer = sgd(net, maximize=True)
    finding = found_in(
        lambda: train(net, lambda out: F.cross_entropy(out, classes()), optimizer=optimizer)
    )
    assert finding.kind == "a loss that is maximized"
    assert finding.remedy == "Leave out maximize=True."


def test_inputs_so_large_that_the_first_layer_is_flat() -> None:
    def program() -> None:
        net = nn.Sequential(nn.Linear(4, 16), nn.Sigmoid(), nn.Linear(16, 1))
        optimizer, x = sgd(net, 1e-3), samples() * 1000 + 5000
        for _ in range(STEPS):
            optimizer.zero_grad()
            F.mse_loss(net(x), samples(32, 1)).backward()
            optimizer.step()

    finding = found_in(program)
    assert finding.kind == "saturation"
    assert "subtract its mean" in finding.remedy


# ---- gradients of zeros --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stop", "kind", "told"),
    [
        (lambda x: x.round(), "a derivative that is zero everywhere", "(round(x) - x).detach()"),
        (lambda x: x.sign(), "a derivative that is zero everywhere", "(sign(x) - x).detach()"),
        (lambda x: x.floor(), "a derivative that is zero everywhere", "(floor(x) - x)"),
        (
            lambda x: torch.div(x, 0.1, rounding_mode="trunc"),
            "a derivative that is zero everywhere",
            "q + (q.floor() - q).detach()",
        ),
        (lambda x: (x + 9).clamp(0, 1), "all values clamped", "its operand goes from "),
        (lambda x: torch.relu(x - 99), "dead units", "all its outputs are zero"),
        (lambda x: torch.sigmoid(x - 999), "saturation", "its operands are where it is flat"),
    ],
)
@pytest.mark.parametrize("head", [False, True])
def test_gradients_that_are_all_zero(stop: Any, kind: str, told: str, head: bool) -> None:
    net, last = mlp(3), nn.Linear(3, 3)

    def loss(out: Any) -> Any:
        out = stop(out)
        return F.mse_loss(last(out) if head else out, torch.ones(32, 3) * 0.3)

    optimizer = torch.optim.SGD([*net.parameters(), *(last.parameters() if head else ())], lr=0.01)
    finding = found_in(lambda: train(net, loss, 16, optimizer))
    assert finding.kind == kind
    assert finding.text == "out = stop(out)" or "lambda x: " in finding.text
    assert told in f"{finding.why} {finding.remedy}"
    assert "Sequential.0.weight" in finding.what


def test_why_a_gradient_was_zero_is_known_after_the_pass() -> None:
    net, losses = mlp(3), []

    def loss(out: Any) -> Any:
        losses[:] = [F.mse_loss(out * torch.zeros(3), torch.ones(32, 3))]
        return losses[0]

    with checking() as findings:
        train(net, loss)
    assert len(findings) == 0, str(findings)  # a factor of zeros may be meant
    net(samples())
    reason = torch.inspect.why_no_grad(net[0].weight, losses[0])
    assert "these operations got a gradient, and made zeros of it" in reason.sentence
    assert "mul made it zero" in reason.lines[0].remark
    assert reason.lines[0].text.startswith("losses[:] = [F.mse_loss(out * torch.zeros(3)")


def test_a_loss_that_has_reached_zero_is_no_fault() -> None:
    with checking() as findings:
        train(mlp(3), lambda out: torch.relu(out.abs().sum(1) - 1e6).mean(), 16)
        train(mlp(3), lambda out: F.mse_loss(out, out.detach()), 16)
    assert len(findings) == 0, str(findings)


def test_one_layer_whose_updates_are_lost() -> None:
    layers = [
        nn.Linear(4, 8),
        *(each for _ in range(14) for each in (nn.Sigmoid(), nn.Linear(8, 8))),
    ]
    torch.manual_seed(0)
    net = nn.Sequential(*layers)
    for layer in layers:
        if isinstance(layer, nn.Linear):
            layer.reset_parameters()
    finding = found_in(lambda: train(net, lambda out: F.mse_loss(out, torch.ones(32, 8)), 16))
    assert finding.kind == "updates far too small"
    assert "change nothing in Sequential.0.weight" in finding.what
    assert "while other layers get larger ones" in finding.why


# ---- in a package --------------------------------------------------------------------------------

TRAINER = """
def fit(net, x, y, optimizer, loss):
    for _ in range(12):
        optimizer.zero_grad()
        loss(net(x).softmax(1), y).backward()
        optimizer.step()
"""


def test_a_fault_in_a_package_is_told_with_the_line_of_the_program_that_called_it() -> None:
    file = f"{sysconfig.get_paths()['purelib']}/a_package/trainer.py"
    linecache.cache[file] = (len(TRAINER), None, TRAINER.splitlines(keepends=True), file)
    scope: dict[str, Any] = {}
    exec(compile(TRAINER, file, "exec"), scope)
    net = mlp(3)
    fit = scope["fit"]
    finding = found_in(lambda: fit(net, samples(), classes(), sgd(net), F.cross_entropy))
    assert (finding.kind, finding.where) == ("softmax before cross_entropy", "trainer.py:5")
    assert finding.called_from.startswith("test_meaning.py:")
    assert "found_in(lambda: fit(net, samples()" in finding.called_from
    assert f"called from {finding.called_from}" in str(finding)


def test_a_fault_of_the_program_that_a_package_calls_has_no_other_line() -> None:
    file = f"{sysconfig.get_paths()['purelib']}/a_package/trainer.py"
    scope: dict[str, Any] = {}
    exec(compile(TRAINER.replace(".softmax(1)", ""), file, "exec"), scope)
    net = mlp(3, nn.Softmax(dim=1))

    def loss(out: Any, y: Any) -> Any:
        return F.cross_entropy(out, y)

    finding = found_in(lambda: scope["fit"](net, samples(), classes(), sgd(net), loss))
    assert finding.where.startswith("test_meaning.py:")
    assert finding.called_from == ""


# ---- where something was assigned ----------------------------------------------------------------


class Heads(nn.Module):
    """A model whose last layers are kept as they are given."""

    def __init__(self, in_a_list: bool) -> None:
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.rest: Any = [nn.Linear(8, 3)] if in_a_list else nn.Linear(8, 3)

    def forward(self, x: Any) -> Any:
        rest = self.rest[0] if isinstance(self.rest, list) else self.rest
        return rest(self.first(x).tanh())


def test_a_list_of_layers_is_told_with_the_line_that_assigns_it() -> None:
    finding = found_in(lambda: train(Heads(True), lambda out: F.cross_entropy(out, classes())))
    assert finding.kind == "layers in a plain container"
    assert finding.text.startswith("self.rest: Any = [nn.Linear(8, 3)]")


@pytest.mark.parametrize("outputs", [3, 5])
def test_a_head_replaced_after_the_optimizer_was_made(outputs: int) -> None:
    def program() -> None:
        net = Heads(False)
        optimizer = sgd(net)
        net.rest = nn.Linear(8, outputs)
        train(net, lambda out: F.cross_entropy(out, classes()), optimizer=optimizer)

    finding = found_in(program)
    assert finding.kind == "a parameter replaced after the optimizer was made"
    assert finding.text == "net.rest = nn.Linear(8, outputs)"
    assert "Heads.rest.weight and Heads.rest.bias instead" in finding.why
    assert "which the optimizer made at test_meaning.py:" in finding.why


def test_a_model_cut_off_from_its_loss_is_told_with_the_line_that_cuts() -> None:
    encoder, head = mlp(3), mlp(3)

    def program() -> None:
        optimizer, x = sgd(encoder), samples()
        for _ in range(4):
            optimizer.zero_grad()
            hidden = encoder(x).detach()
            F.cross_entropy(head(hidden.repeat(1, 2)[:, :4]), classes()).backward()
            optimizer.step()

    finding = found_in(program)
    assert finding.kind == "the loss reaches no parameter"
    assert "by detach(): hidden = encoder(x).detach()." in finding.remedy


@pytest.mark.parametrize("rate", [3, 10, 100])
@pytest.mark.parametrize("kind", ["Adam", "AdamW", "RMSprop"])
def test_first_steps_that_lead_far_away(kind: str, rate: float) -> None:
    net, y = mlp(3, width=16), classes()
    optimizer = getattr(torch.optim, kind)(net.parameters(), lr=rate)
    finding = found_in(
        lambda: train(net, lambda out: F.cross_entropy(out, y), steps=7, optimizer=optimizer)
    )
    assert finding.kind == "updates far too large"
    said = rf"the first 7 steps of {kind} have made the weights of .* \d+ times as large"
    assert re.fullmatch(said, finding.what)
    assert finding.remedy == f"Lower the learning rate. It is {rate}."
