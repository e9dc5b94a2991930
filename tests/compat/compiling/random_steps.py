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
import weakref
from collections.abc import Callable
from typing import Any

import pellucid as torch
from pellucid.optim import hook_registration
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
import copy
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
lstm, gru, cell = nn.LSTM(4, 4), nn.GRU(4, 2, bidirectional=True), nn.LSTMCell(4, 4)
w = torch.randn(4, 4, requires_grad=True)
v = torch.randn(4)
params = [each for m in (net, last, lstm, gru, cell) for each in m.parameters()] + [w]
opt = {optimizer}
scheduler = torch.optim.lr_scheduler.ExponentialLR(opt, 0.9)
saved = copy.deepcopy(opt.state_dict())
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
    "nn.Sequential(nn.Linear(4, 4), nn.GELU(), nn.Identity())", "nn.AdaptiveAvgPool1d(4)",
    "nn.Sequential(nn.Linear(4, 16), nn.Unflatten(1, (1, 4, 4)), nn.MaxPool2d(2), nn.Flatten())",
)  # fmt: skip
_OPTIMIZERS = (
    "torch.optim.SGD(params, lr=0.01)", "torch.optim.SGD(params, lr=0.01, momentum=0.9)",
    "torch.optim.SGD(params, lr=0.01, momentum=0.9, nesterov=True, weight_decay=0.1)",
    "torch.optim.SGD(params, lr=1, momentum=0.5, dampening=0.25, maximize=True)",
    "torch.optim.SGD([dict(params=params[:2], lr=0.1), dict(params=params[2:])], lr=0.01)",
    "torch.optim.SGD(params, lr=torch.tensor(0.01), weight_decay=0.01)",
    "torch.optim.SGD(params[1:], lr=0.01, foreach=True)",
    "torch.optim.Adam(params, lr=0.01)", "torch.optim.AdamW(params)",
    "torch.optim.Adam(params, lr=0.01, amsgrad=True, weight_decay=0.1)",
    "torch.optim.Adam(params, maximize=True, fused=True, eps=1e-3, betas=(0.5, 0.0))",
    "torch.optim.AdamW(params, amsgrad=True, weight_decay=0)",
    "torch.optim.AdamW([dict(params=params[:1], lr=0.1), dict(params=params[1:], eps=0.1)])",
    "torch.optim.RMSprop(params)", "torch.optim.Adagrad(params)", "torch.optim.Adadelta(params)",
    "torch.optim.RMSprop(params, momentum=0.5, centered=True, weight_decay=0.1, maximize=True)",
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
    "{0} * w.diag()", "F.layer_norm({0}, (4,))", "{0} + {0}", "{0} + torch.randint(3, (4,))",
    "{0} + torch.empty(4).uniform_()", "{0} * torch.full_like(v, power)",
    "{0} + torch.where(v > 0)[0].sum()",
    "F.embedding({0}.argmax(1), w, max_norm=1.0) + {0}", "torch.normal({0}.detach(), 0.1) * {1}",
)  # fmt: skip
#: those, and layers, that are run at once up to the backward
_SIMPLE = (
    "{0} * scale", "2 - {0}", "{0} ** power", "torch.tanh({0})", "F.relu({0})", "{0} + {1}",
    "{0} * {1}", "{0} @ w", "{0} @ w.t()", "torch.sin({0}) + v", "{0} - {0}.mean(0)", "net({0})",
    "last({0})", "{0}.reshape(-1).reshape({0}.shape)", "helper({0})", "{0} * net.gain + net.offset",
    "F.linear({0}, w, v)", "{0} * w.diag()", "{0} + {0}", "F.softmax({0}, -1)", "{0} - 0.5 * {1}",
    "F.dropout({0}, options['p'], flag)", "F.dropout({0}.t(), 0.25).t()",
    "{0} + torch.randn_like({1})", "{0} * torch.rand(4) + torch.rand(len({0}), 4)",
    "{0} * torch.zeros_like({1}) + torch.ones(4)", "{0} + torch.arange(4)", "{0} * torch.eye(4)[1]",
    "{0}.t().contiguous().t()", "{0}.contiguous()", "torch.where({0} > 0, {0}, {1} * 0.1)",
    "torch.einsum('ij,jk->ik', {0}, w)", "{0} / ({0}.std(1, keepdim=True) + 1)",
    "{0} + F.embedding({1}.argmax(1), w)", "{0} * torch.full_like({1}, power, dtype=v.dtype)",
    "{0} - {1}.detach().new_ones(4)", "{0} + torch.linspace(0, scale * 1, 4)",
    "({0} * torch.randint(3, (4,))).float()", "{0}.double().to({1}.dtype)", "{0} * {0}.var(0)",
    "lstm({0})[0]", "gru({0})[0] + {1}", "cell({0}, ({1}, {0}))[1]", "cell({0})[0] * {1}",
    "F.embedding(torch.arange(len({0})) % 4, w) * {0}", "{0} * torch.randint_like(v, 3)",
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
    "x = x / ((x * x).mean(-1, keepdim=True) + 0.1)",
    "x = (x.unsqueeze(1) * self.gain[:2, None]).sum(1)", "x = x * x.detach()",
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
    "options['p'] = 0.25", "torch.set_default_dtype(torch.float64)",
    "lstm = nn.LSTM(4, 4)", "gru.register_forward_hook(lambda *a: (a[2][0] * 2, a[2][1]))",
    "torch.set_default_dtype(torch.float32)",
    "helper = lambda x: x * 3",
    "Net.forward = lambda self, x: x + self.gain",
    "x = x[:2]; y = y[:2]", "w.data = w.data * 2", "w.data = torch.randn(4, 4).t()", "pass", "pass",
    "pass", "pass", "pass", "pass", "opt.zero_grad()", "net.gain.grad = net.gain.grad",
    "torch.autograd.set_detect_anomaly(True)", "torch.autograd.set_detect_anomaly(False)",
    "x, y = data(); net.double(), last.double(); x, y, v = x.double(), y.double(), v.double()",
    "w = torch.randn(4, 4, requires_grad=True)", "w = torch.randn(4, 4)", "y = y.clone()",
    "w.retain_grad()", "del w.grad", "last.weight = w", "net.requires_grad_(False)",
)  # fmt: skip


#: what changes the optimizer
_OF_OPTIMIZER = (
    "opt.param_groups[0]['lr'] *= 2", "opt.param_groups[-1]['lr'] = 1",
    "opt.param_groups[0]['lr'] = torch.tensor(0.125)", "opt.param_groups[0]['lr'] = 'fast'",
    "scheduler.step()", "scheduler.step()", "opt.param_groups[0]['weight_decay'] = 0.25",
    "opt.param_groups[0]['momentum'] = 0.25", "opt.param_groups[0]['betas'] = (0.25, 0.75)",
    "opt.param_groups[0]['betas'] = (1.0, 0.75)", "opt.param_groups[0]['betas'] = (-0.5, 0.75)",
    "opt.param_groups[0]['nesterov'] = True", "opt.param_groups[0]['amsgrad'] = True",
    "opt.param_groups[0]['maximize'] = not opt.param_groups[0]['maximize']",
    "opt.param_groups[0]['foreach'] = True", "opt.param_groups[0]['differentiable'] = True",
    "del opt.param_groups[0]['weight_decay']", "opt.param_groups[0]['eps'] = 1",
    "opt.param_groups[0]['decoupled_weight_decay'] = True",
    "opt.load_state_dict(saved)", "saved = copy.deepcopy(opt.state_dict())",
    "opt.load_state_dict(copy.deepcopy(opt.state_dict()))", "opt.state.clear()",
    "opt = copy.deepcopy(opt)", "opt.state = dict(opt.state)", "opt.state.pop(w, None)",
    "opt.add_param_group(dict(params=[v.requires_grad_()], lr=0.5))",
    "opt.add_param_group(dict(params=[torch.zeros(2, requires_grad=True)]))",
    "opt.param_groups[0]['params'].reverse()", "opt.param_groups[0]['params'].pop()",
    "opt.param_groups[0]['params'].append(w)", "opt.param_groups.reverse()",
    "opt.param_groups[0]['params'] = tuple(opt.param_groups[0]['params'])",
    "h = opt.register_step_pre_hook(lambda *a: heard.append(len(a)))",
    "h = opt.register_step_post_hook(lambda o, *a: o.zero_grad())",
    "h = torch.optim.optimizer.register_optimizer_step_post_hook(lambda *a: heard.append(2))",
    "opt.step = lambda: heard.append(3)", "opt.__dict__.pop('step', None)",
    "opt.zero_grad = lambda: heard.append(4)", "opt.__dict__.pop('zero_grad', None)",
    "opt.update = lambda *a: heard.append(5)", "opt.__dict__.pop('update', None)",
    "opt.writes = lambda group: 3", "type(opt).note = 1",
    "opt = torch.optim.SGD(params, lr=0.5)", "opt = torch.optim.Adam(params, lr=0.5)",
    "opt = type('Own', (type(opt),), dict(writes=lambda self, group: 2))(params)",
    "opt = type('Own', (type(opt),), dict(update=lambda self, *a: heard.append(6)))(params)",
    "[opt.state[w].update({k: t * 2}) for k, t in opt.state[w].items() if k != 'step']",
    "[opt.state[w].update({k: t.double()}) for k, t in opt.state[w].items()]",
    "[opt.state[w].update({k: t.t()}) for k, t in opt.state[w].items()]",
    "opt.state[w].get('step', torch.zeros(1)).fill_(7)", "opt.state[w].pop('step', None)",
    "opt.state[w].update(step=3)", "opt.state[w].update(momentum_buffer=None)",
    "w.grad = torch.ones(4, 4) if w.grad is None else w.grad[:2]",
    "w.grad = torch.ones(4, 4).to_sparse()", "params[0].grad = w.grad",
    "weakref.finalize(w.grad, heard.append, 7) if w.grad is not None else None",
    "weakref.finalize(w.grad, w.data.zero_) if w.grad is not None else None",
    "h = w.register_hook(lambda g: opt.param_groups[0].update(lr=0.75))",
    "h = w.register_post_accumulate_grad_hook(lambda p: setattr(p, 'grad', None))",
    "h = w.register_post_accumulate_grad_hook(lambda p: setattr(opt, 'step', heard.clear))",
    "h = w.register_post_accumulate_grad_hook(lambda p: globals().update(flag=not flag))",
    "h = w.register_hook(lambda g: globals().update(flag=not flag))",
    "torch.optim.SGD.update, torch.optim.Adam.update = [torch.optim.Optimizer.update] * 2",
    "torch.optim.Optimizer.writes = lambda self, group: 2",
    "torch.optim.Optimizer.zero_grad = lambda self: heard.append(8)",
    "torch.optim.Optimizer.step = lambda self: heard.append(9)",
    "w.data = torch.randn(4, 4)", "w.grad.add_(1) if w.grad is not None else None",
    "w.data = torch.randn(16, 1)[:, 0].reshape(4, 4).expand(4, 4)",
)  # fmt: skip
#: what may be changed of the library; it is put back after a program
_OF_LIBRARY = {
    torch.nn.functional: ("relu",), torch.optim.SGD: ("update", "note"),
    torch.optim.Adam: ("update", "note"), torch.optim.Optimizer: ("writes", "zero_grad", "step"),
    torch.optim.AdamW: ("note",), torch.optim.RMSprop: ("note",), torch.optim.Adagrad: ("note",),
    torch.optim.Adadelta: ("note",),
    hook_registration: ("global_post_hooks",),
}  # fmt: skip
#: where gradients are taken away, and what else is done with the optimizer
_ZEROINGS = (
    "opt.zero_grad()", "opt.zero_grad()", "opt.zero_grad()", "net.zero_grad()",
    "opt.zero_grad(set_to_none=False)", "opt.zero_grad(True)",
)  # fmt: skip
_UPDATES = (
    *["opt.step()"] * 10, "scheduler.step()", "torch.nn.utils.clip_grad_norm_(params, 0.5)",
    "heard.append(opt.step())", "opt.step() if flag else None", "opt.step(lambda: 1)",
    "opt.step(); opt.step()", "w.grad = None", "scale = float(opt.param_groups[0]['lr'])",
)  # fmt: skip


def program(seed: int) -> tuple[str, list[str]]:
    """Return the text of a step and its surroundings, and what changes before each call."""
    chance = random.Random(seed)
    made = ["x"]
    lines = []
    zeroing = chance.choice(_ZEROINGS)
    where = chance.random()
    if where < 0.4:
        lines.append(zeroing)
    steps, layers = chance.choice(
        ((_STEPS, _LAYERS), (_SIMPLE, (*_LAYERS[:4], _LAYERS[5], *_LAYERS[-2:])))
    )
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
    lines += [zeroing] if 0.4 < where < 0.6 else []
    lines.append(chance.choice(ways))
    lines += chance.choices(_UPDATES, k=chance.choice((0, 1, 1, 1, 2)))
    lines += [zeroing] if 0.6 < where < 0.8 else []
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
    attacks = chance.choice((_CHANGES, (*_CHANGES, *_OF_OPTIMIZER), _OF_OPTIMIZER))
    changes = ["pass"] * quiet + chance.choices(attacks, k=CALLS - quiet)
    return text, changes


def text_of(seed: int) -> str:
    """Return the text of a step, and the changes before its calls."""
    text, changes = program(seed)
    return "\n".join([text, *changes])


def run(text: str, changes: list[str], wrap: Callable[[Any], Any]) -> list[Any]:
    """Return all that is seen of the calls."""
    linecache.cache[_FILE] = (len(text), None, text.splitlines(keepends=True), _FILE)
    before = [
        (each, {name: vars(each).get(name) for name in names})
        for each, names in _OF_LIBRARY.items()
    ]
    world: dict[str, Any] = {"__name__": "world", "weakref": weakref}
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
        _put_back(before)
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
        torch.autograd.set_detect_anomaly(False)
        gc.collect(0)


def _put_back(before: list[tuple[Any, dict[str, Any]]]) -> None:
    """Give the library what it had before a program."""
    for owner, names in before:
        for name, value in names.items():
            if isinstance(value, dict):
                value.clear()
            elif value is not None and vars(owner)[name] is not value:
                setattr(owner, name, value)
            elif value is None and name in vars(owner):
                delattr(owner, name)


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
    tensors = [*world["params"], world["w"], world["x"], world["v"], *world["net"].buffers()]
    opt = world["opt"]
    return (
        [(described(each), described(each.grad)) for each in tensors], len(world["heard"]),
        described_modes(), described(torch.get_rng_state()[:64]),
        [described(state) for state in opt.state.values()], described(opt.param_groups),
        opt._opt_called, [each._version for each in tensors],
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
