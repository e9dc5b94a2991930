"""Random training steps, and changes between their calls, that run plain and compiled.

``python -m tests.compat.compiling.random_steps --count 5000 --seed 7`` runs so many and tells where
they part; ``--show SEED`` prints one.
"""

from __future__ import annotations

import gc
import linecache
import random
import sys
import warnings
from collections.abc import Callable
from typing import Any

import pellucid as torch
from tests.compat.compiling.command_line import run_seeds
from tests.robustness.both_ways.describing import (
    described,
    described_error,
    described_graph,
    described_modes,
)

CALLS = 12
_FILE = "step.py"

_START = """\
import pellucid as torch
from pellucid import nn
F = nn.functional
torch.manual_seed({seed})
scale, power, flag, options = 1.5, 2, True, dict(p=0.5)
heard = []
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = {first}
        self.second = {second}
        self.factor = 0.5
        self.gain = nn.Parameter(torch.full((4,), 1.25))
        self.register_buffer("offset", torch.linspace(-1, 1, 4))
    def forward(self, x):
{forward}
        return x
net = Net()
last = {last}
w = torch.randn(4, 4, requires_grad=True)
v = torch.randn(4)
params = [*net.parameters(), *last.parameters(), w]
opt = {optimizer}
kept = []
def data(rows=3):
    return torch.randn(rows, 4), torch.randn(rows, 4)
x, y = data()
def step(x, y):
{step}
"""

_LAYERS = (
    "nn.Linear(4, 4)", "nn.Linear(4, 4, bias=False)", "nn.Sequential(nn.Linear(4, 4), nn.Tanh())",
    "nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 4))", "nn.LayerNorm(4)",
    "nn.Dropout(0.3)", "nn.BatchNorm1d(4)", "nn.Identity()",
    "nn.Sequential(nn.Linear(4, 4), nn.GELU(), nn.Identity())",
)  # fmt: skip
_OPTIMIZERS = (
    "torch.optim.SGD(params, lr=0.01)", "torch.optim.SGD(params, lr=0.01, momentum=0.9)",
    "torch.optim.Adam(params, lr=0.01)", "torch.optim.AdamW(params)",
)  # fmt: skip
#: what makes one [n, 4] of another, `{0}`, and of one before, `{1}`
_STEPS = (
    "{0} * scale", "2 - {0}", "{0} ** power", "torch.tanh({0})", "F.relu({0})", "{0} + {1}",
    "{0} * {1}", "{0} @ w", "{0} @ w.t()", "torch.sin({0}) + v", "{0} - {0}.mean(0)",
    "{0} / (1 + {0}.abs())", "F.softmax({0}, -1)", "F.linear({0}, w)", "F.linear({0}, w, v)",
    "{0}.reshape(-1).reshape({0}.shape)", "{0}.t().t()", "torch.where({0} > 0, {0}, {0} * 0.1)",
    "torch.cat([{0}, {1}])[: len({0})]", "{0}[:, [3, 1, 2, 0]]", "{0} * F.sigmoid({1})",
    "{0}.detach() + {1}", "F.dropout({0}, options['p'], flag)", "{0} if flag else {1}",
    "net({0})", "last({0})", "helper({0})", "F.relu({0}.clone(), inplace=True)", "{0}.mul(0.5)",
    "{0}.flatten().view(-1, 4)", "{0}.contiguous()", "{0}.clone().add_(1)", "{0} + torch.ones(4)",
    "{0}.unsqueeze(0).squeeze(0)", "{0} * net.gain + net.offset", "torch.exp(-{0} * {0})",
    "{0} + torch.rand(4)", "torch.stack([{0}, {1}]).sum(0)", "{0}.chunk(2, 1)[0].repeat(1, 2)",
    "{0} * w.diag()", "F.layer_norm({0}, (4,))", "{0} + {0}",
)  # fmt: skip
#: those, and layers, that are run at once up to the backward
_SIMPLE = (
    "{0} * scale", "2 - {0}", "{0} ** power", "torch.tanh({0})", "F.relu({0})", "{0} + {1}",
    "{0} * {1}", "{0} @ w", "{0} @ w.t()", "torch.sin({0}) + v", "{0} - {0}.mean(0)", "net({0})",
    "last({0})", "{0}.reshape(-1).reshape({0}.shape)", "helper({0})", "{0} * net.gain + net.offset",
    "F.linear({0}, w, v)", "{0} * w.diag()", "{0} + {0}", "F.softmax({0}, -1)", "{0} - 0.5 * {1}",
)  # fmt: skip
_LOSSES = (
    "F.mse_loss({0}, y)", "(({0} - y) ** 2).mean()", "({0} * y).sum()", "F.l1_loss({0}, y)",
    "F.cross_entropy({0}, y.argmax(1))", "F.smooth_l1_loss({0}, y) + 0.1 * {1}.abs().mean()",
    "{0}.square().sum() * scale", "F.mse_loss({0}, y, reduction='sum')",
)  # fmt: skip
#: what makes a loss of gradients that are recorded
_PENALTIES = (
    "loss = loss + torch.autograd.grad(loss, w, create_graph=True)[0].square().mean()",
    "g, = torch.autograd.grad({0}.sum(), {1}, create_graph=True); loss = loss + (g * g).sum()",
    "first = torch.autograd.grad(loss, params, create_graph=True, allow_unused=True)[-1]; "
    "loss = loss + torch.autograd.grad(first.sum(), w, create_graph=True)[0].square().sum()",
)
_FORWARD = (
    "x = self.first(x)", "x = self.second(x)", "x = x * self.factor", "x = F.relu(x)",
    "x = x + self.gain", "x = x - self.offset", "x = torch.tanh(x) if self.training else x",
)  # fmt: skip
_RESULTS = ("loss", "loss, {0}", "loss.detach()", "{0}", "{{'loss': loss, 'out': {0}}}", "None")
_CHANGES = (
    "x, y = data(5)", "x, y = data(1)", "x = x.t().clone().t()", "x, y = x, x", "scale += 0.5",
    "scale = torch.tensor(0.75)", "power = 3", "flag = not flag", "net.eval()", "net.train()",
    "last.eval()", "net.factor = -0.5", "opt.param_groups[0]['lr'] *= 2", "x.requires_grad_()",
    "h = w.register_hook(lambda g: g * 2)", "h = net.register_forward_hook(lambda *a: a[2] * 1)",
    "h = next(net.parameters()).register_hook(heard.append)", "globals().pop('h').remove()",
    "h = w.register_post_accumulate_grad_hook(lambda p: heard.append(1))",
    "h = last.register_forward_pre_hook(lambda m, a: heard.append(len(a)))",
    "with torch.no_grad(): w.mul_(0.5)", "w.requires_grad_(not w.requires_grad)",
    "net.gain = nn.Parameter(torch.randn(4))", "net.first, net.second = net.second, net.first",
    "net.first = nn.Linear(4, 4)", "last = nn.Linear(4, 4)", "w.grad = torch.zeros(4, 4)",
    "w.grad = torch.zeros(4, 4).t()", "for p in params: p.grad = None", "kept.append(w.grad)",
    "torch.manual_seed(3)", "v = v * 2", "v = v.double()", "v.requires_grad_()", "F.relu = F.silu",
    "relu_, F.relu = F.relu, lambda x, inplace=False: x * 2", "torch.set_grad_enabled(False)",
    "torch.set_grad_enabled(True)", "net.other = nn.Linear(1, 1)", "net.offset.add_(1)",
    "options['p'] = 0.25", "helper = lambda x: x * 3",
    "Net.forward = lambda self, x: x + self.gain",
    "x = x[:2]; y = y[:2]", "w.data = w.data * 2", "w.data = torch.randn(4, 4).t()", "pass", "pass",
    "pass", "pass", "pass", "pass", "opt.zero_grad()", "net.gain.grad = net.gain.grad",
    "torch.autograd.set_detect_anomaly(True)", "torch.autograd.set_detect_anomaly(False)",
    "x, y = data(); net.double(), last.double(); x, y, v = x.double(), y.double(), v.double()",
    "w = torch.randn(4, 4, requires_grad=True)", "w = torch.randn(4, 4)", "y = y.clone()",
    "w.retain_grad()", "del w.grad", "last.weight = w", "net.requires_grad_(False)",
)  # fmt: skip


def program(seed: int) -> tuple[str, list[str]]:
    """Return the text of a step and its surroundings, and what changes before each call."""
    chance = random.Random(seed)
    made = ["x"]
    lines = []
    if chance.random() < 0.7:
        lines.append("opt.zero_grad()")
    steps, layers = chance.choice(((_STEPS, _LAYERS), (_SIMPLE, _LAYERS[:4])))
    for number in range(chance.randint(1, 7)):
        source = chance.choice(steps).format(made[-1], chance.choice(made))
        made.append(f"a{number}")
        lines.append(f"{made[-1]} = {source}")
    lines.append("loss = " + chance.choice(_LOSSES).format(made[-1], chance.choice(made)))
    if chance.random() < 0.25:
        lines.append(chance.choice(_PENALTIES).format(made[-1], chance.choice(made)))
    ways = (
        ["loss.backward()"] * 8 + ["loss.backward(retain_graph=True)", "(loss * 2).backward()",
         "loss.backward(); (loss * 1).backward() if flag and loss.grad_fn is None else None"]
    )  # fmt: skip
    lines.append(chance.choice(ways))
    if chance.random() < 0.7:
        lines.append("opt.step()")
    lines.append("return " + chance.choice(_RESULTS).format(chance.choice(made)))
    forward = chance.choices(_FORWARD, k=chance.randint(1, 4))
    text = _START.format(
        seed=seed, first=chance.choice(layers), second=chance.choice(layers),
        last=chance.choice(layers), optimizer=chance.choice(_OPTIMIZERS),
        forward="\n".join(f"        {each}" for each in forward),
        step="\n".join(f"    {each}" for each in lines),
    )  # fmt: skip
    text += "def helper(x):\n    return x * w[0] if flag else x + 1\n"
    quiet = chance.randint(4, CALLS - 4)
    changes = ["pass"] * quiet + chance.choices(_CHANGES, k=CALLS - quiet)
    return text, changes


def text_of(seed: int) -> str:
    """Return the text of a step, and the changes before its calls."""
    text, changes = program(seed)
    return "\n".join([text, *changes])


def run(text: str, changes: list[str], wrap: Callable[[Any], Any]) -> list[Any]:
    """Return all that is seen of the calls."""
    linecache.cache[_FILE] = (len(text), None, text.splitlines(keepends=True), _FILE)
    relu = torch.nn.functional.relu
    world: dict[str, Any] = {"__name__": "world"}
    seen: list[Any] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(text, _FILE, "exec", dont_inherit=True), world)
            step = wrap(world["step"])
            for change in changes:
                seen.append(_tried(lambda change=change: exec(change, world)))
                found = _tried(lambda: step(world["x"], world["y"]))
                seen += [found, _state(world)]
                world["kept"] = [*world["kept"][-1:], found]
        return seen
    finally:
        torch.nn.functional.relu = relu
        torch.set_grad_enabled(True)
        torch.autograd.set_detect_anomaly(False)
        gc.collect(0)


def _tried(act: Callable[[], Any]) -> Any:
    try:
        found = act()
    except Exception as error:  # noqa: BLE001 - compared
        # what an error tells beside its first line depends on how the source is read
        return type(error).__mro__, described_error(error)[3].partition("\n")[0]
    graph = [
        described_graph(each) for each in (found if isinstance(found, tuple) else (found,))
        if isinstance(each, torch.Tensor)
    ]  # fmt: skip
    return described(found), graph


def _state(world: dict[str, Any]) -> Any:
    tensors = [*world["params"], world["w"], world["x"], *world["net"].buffers()]
    return (
        [(described(each), described(each.grad)) for each in tensors], len(world["heard"]),
        described_modes(), described(torch.get_rng_state()[:64]),
    )  # fmt: skip


def first_difference(seed: int) -> str:
    """Return where a step parts from itself compiled; an empty text if it does not."""
    text, changes = program(seed)
    expected = run(text, changes, lambda step: step)
    found = run(text, changes, torch.compile)
    for number, (one, other) in enumerate(zip(expected, found, strict=True)):
        if one != other:
            call, part = divmod(number, 3)
            what = ("the change", "the result", "the state")[part]
            return (
                f"seed {seed}, call {call}, {what}, after {changes[: call + 1]}\n"
                f"plain:    {str(one)[:3000]}\ncompiled: {str(other)[:3000]}"
            )
    return ""


if __name__ == "__main__":
    sys.exit(run_seeds(sys.argv[1:], __doc__, text_of, first_difference))
