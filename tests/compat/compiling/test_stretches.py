"""Stretches that run at once give what they give as they are written, and run so again at once."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import pellucid as torch
from pellucid import _native, nn
from pellucid.compat.compiling import at_once
from pellucid.compat.compiling.at_once import RecordedStretch
from pellucid.define import elementwise
from pellucid.errors import GraphError
from pellucid.nn import functional as F
from tests.compat.compiling import random_programs, random_steps
from tests.robustness.both_ways.describing import described_graph
from tests.samples.duration import takes_long

#: seeds of steps of which many run at once
SEEDS = range(100)
there_is_a_module = pytest.mark.skipif(_native.compiled is None, reason="there is no module")


@pytest.mark.parametrize(
    "first",
    [pytest.param(each, marks=[takes_long] * (each > 20)) for each in range(0, len(SEEDS), 20)],
)
def test_random_steps_do_the_same_compiled(first: int) -> None:
    assert not "".join(map(random_steps.first_difference, SEEDS[first : first + 20]))


def test_what_differs_is_seen() -> None:
    def other(step: Callable[..., Any]) -> Callable[..., Any]:
        return lambda x, y: step(x * 1.001, y)

    def seen(seed: int, wrap: Callable[..., Any]) -> list[Any]:
        return random_steps.run(*random_steps.program(seed), wrap)

    differ = [seen(seed, lambda step: step) != seen(seed, other) for seed in range(6)]
    assert any(differ)


@takes_long
@pytest.mark.parametrize("first", range(0, 60, 10))
def test_random_programs_do_the_same_compiled(first: int) -> None:
    assert not "".join(map(random_programs.first_difference, range(first, first + 10)))


def test_what_differs_in_a_program_is_seen() -> None:
    text = random_programs.in_parts("x = torch.ones(2)\nfor step in range(1):\n    y = x * 2", 0)
    other = text.replace("* 2", "* 3")
    seen, changed = (random_programs.run(each, lambda part: part) for each in (text, other))
    assert len(seen) == len(changed)
    assert seen != changed


class Step:
    """A training step, plain or compiled."""

    def __init__(self, wrap: Callable[[Any], Any]) -> None:
        torch.manual_seed(0)
        self.net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
        self.shift = torch.tensor(0.5)
        self.x, self.y = torch.randn(5, 3), torch.randn(5, 1)
        net = self.net

        def step(x: Any, y: Any, shift: Any) -> Any:
            loss = F.mse_loss(net(x) * 2, y + shift)
            loss.backward()
            return loss

        self.run = wrap(step)

    def __call__(self) -> tuple[Any, ...]:
        loss = self.run(self.x, self.y, self.shift)
        return loss, [p.grad.clone() for p in self.net.parameters()]

    @property
    def recorded(self) -> RecordedStretch:
        (traces,) = self.run._compiled.traces.values()
        (found,) = (
            each for each in traces[0].written.names.values() if isinstance(each, RecordedStretch)
        )
        return found


def both(calls: int = 5) -> tuple[Step, Step]:
    """Return a step, and the same compiled, of which a stretch runs at once by now."""
    steps = Step(lambda step: step), Step(torch.compile)
    for each in steps:
        for _ in range(calls):
            each.net.zero_grad()
            each()
        each.net.zero_grad()
    return steps


def agree(plain: Step, compiled: Step) -> None:
    (loss, grads), (other, others) = plain(), compiled()
    assert loss.tolist() == other.tolist()
    assert type(loss.grad_fn) is type(other.grad_fn)
    assert [g.tolist() for g in grads] == [g.tolist() for g in others]


@there_is_a_module
def test_a_stretch_runs_at_once_after_a_few_calls() -> None:
    _, compiled = both()
    ran: list[Any] = []
    run = compiled.recorded.run
    compiled.recorded.run = lambda *args: ran.append(run(*args)) or ran[-1]
    loss, _ = compiled()
    assert ran[0][0] is loss
    assert "at once in the compiled module, without nodes between" in str(
        torch.inspect.compiled(compiled.run)
    )


@there_is_a_module
def test_a_stretch_is_watched_for_one_thread_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = Step(torch.compile)
    usual, asked = at_once.get_rng_state, [False]

    def state() -> Any:  # asked for first while a stretch begins
        if not asked[0]:
            asked[0] = True
            thread = threading.Thread(target=compiled)
            thread.start()
            thread.join()
        return usual()

    monkeypatch.setattr(at_once, "get_rng_state", state)
    for _ in range(6):
        compiled()
    _, other = both()
    assert asked[0]
    assert compiled.recorded.is_ready
    assert other.recorded.is_ready


@there_is_a_module
@pytest.mark.parametrize(
    "change",
    [
        "step.shift = torch.tensor([0.5])", "step.x = torch.randn(7, 3); step.y = step.x[:, :1]",
        "step.net[0].weight.register_hook(lambda g: g * 3)", "step.net[0] = nn.Linear(3, 4)",
        "step.net[0].bias = None", "step.net[0].bias.requires_grad_(False)",
        "step.x.requires_grad_()", "step.net.double(); step.x = step.x.double()",
        "step.net[0].weight.grad = torch.ones(4, 3)",
        "step.net[0].weight.register_post_accumulate_grad_hook(lambda p: p.grad.mul_(2))",
        "step.net.append(nn.ReLU())", "step.net[1].register_forward_hook(lambda *a: a[2] * 2)",
        "step.net[0].weight.data = torch.ones(3, 4).t()", "step.net[1].forward = torch.sin",
        "nn.Linear(1, 1)", "step.y = step.x[:, :1]",
        "step.net[0].weight.grad = torch.ones(4, 3, requires_grad=True)",
        "weight = step.net[0].weight; weight.grad = torch.ones(4, 3); "
        "weight.grad._array.flags.writeable = False",
        "step.net[0].weight.grad = torch.ones(4, 3).to_sparse()",
        "step.net[0].__class__ = type('Other', (nn.Linear,), {})",
        "step.net[0].__class__ = type('Other', (nn.Linear,), {'__module__': 5})",
        "step.net[0]._parameters = type('Zeros', (dict,), {'__getitem__': "
        "lambda self, name: dict.__getitem__(self, name) * 0})(step.net[0]._parameters)",
        "step.net[0].__class__ = type('Twice', (nn.Linear,), {'weight': property("
        "lambda self: self._parameters['weight'] * 2)})",
        "step.net[0].weight.data = step.net[0].weight.data.double()",
        "step.net[0]._parameters.clear()",
        "step.x.resize_(4, 3)", "step.net[2].weight.data = torch.zeros(1, 5)",
    ],
)  # fmt: skip
def test_whatever_changes_afterwards(change: str) -> None:
    steps = both()
    for step in steps:
        torch.manual_seed(1)
        exec(change, {"step": step, "nn": nn, "torch": torch})
    try:
        expected = steps[0]()
    except Exception as error:  # noqa: BLE001 - compared
        with pytest.raises(type(error)):
            steps[1]()
        return
    for step in steps:
        step.net.zero_grad()
    assert expected
    for _ in range(3):
        agree(*steps)


@there_is_a_module
@pytest.mark.parametrize(
    ("owner", "name"),
    [(F, "linear"), (nn.Linear, "forward"), (nn.Tanh, "forward"), (torch.Tensor, "__mul__"),
     (torch.Tensor, "__add__"), (F, "mse_loss"), (torch.Tensor, "backward")],
    ids=lambda each: str(each)[:30],
)  # fmt: skip
def test_a_function_in_the_place_of_another_is_called(
    owner: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, compiled = both()
    before, called = getattr(owner, name), []

    def other(*args: Any) -> Any:
        called.append(name)
        return before(*args)

    monkeypatch.setattr(owner, name, other)
    agree(plain, compiled)
    assert len(called) % 2 == 0
    assert called


@there_is_a_module
def test_modes_are_heeded() -> None:
    plain, compiled = both()
    with torch.autograd.set_detect_anomaly(True):
        agree(plain, compiled)
    packed: list[int] = []
    for step in (plain, compiled):
        with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(1) or t, lambda t: t):
            step()
    assert len(packed) % 2 == 0
    assert packed
    for step in (plain, compiled):
        with torch.no_grad(), pytest.raises(RuntimeError, match="does not require grad"):
            step()


@there_is_a_module
def test_nodes_are_those_of_a_plain_run_and_freed() -> None:
    plain, compiled = both()
    (loss, _), (other, _) = plain(), compiled()
    node, found = loss.grad_fn, other.grad_fn
    while node is not None:
        assert (type(node), node.scope, node.shape) == (type(found), found.scope, found.shape)
        node = next((each[0] for each in node.edges if each and each[0].edges), None)
        found = next((each[0] for each in found.edges if each and each[0].edges), None)
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        other.backward()
    again, _ = compiled()
    assert again.grad_fn is not other.grad_fn


@there_is_a_module
def test_gradients_belong_to_the_program() -> None:
    _, compiled = both()
    compiled()
    kept = compiled.net[0].weight.grad
    before = kept.clone()
    compiled.net.zero_grad()
    compiled()
    assert torch.equal(kept, before)
    assert compiled.net[0].weight.grad is not kept


@there_is_a_module
def test_nothing_is_kept_alive() -> None:
    _, compiled = both()
    gone = weakref.ref(compiled.net[0].weight), weakref.ref(compiled.x)
    stretch = weakref.ref(compiled.recorded)
    run = compiled.run
    del compiled
    run.__wrapped__.__closure__[0].cell_contents = None
    gc.collect()
    assert [each() for each in gone] == [None, None]
    del run
    gc.collect()
    assert stretch() is None


@there_is_a_module
def test_threads_that_call_one_function_get_their_own_results() -> None:
    def step(x: Any, w: Any) -> Any:
        y = torch.tanh(x * w + 1)
        return (y * y + w).sum()

    compiled = torch.compile(step)
    found: list[bool] = []

    def work(number: int) -> None:
        x, w = torch.full((3,), float(number)), torch.ones(3, requires_grad=True)
        expected = step(x, w).item()
        found.extend(compiled(x, w).item() == expected for _ in range(200))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [True] * 800
    # threads that begin together may each have recorded it
    assert True in runs_at_once(compiled)


@there_is_a_module
def test_tensors_that_are_one_and_the_same_are_told_from_others() -> None:
    def step(a: Any, b: Any, w: Any) -> Any:
        loss = (a * w + b * w).sum()
        loss.backward()
        return loss

    compiled = torch.compile(step)
    one, other = torch.ones(2), torch.full((2,), 3.0)
    for _ in range(5):
        compiled(one, one, torch.ones(2, requires_grad=True))
    w = torch.ones(2, requires_grad=True)
    assert compiled(one, other, w).item() == 8
    assert w.grad.tolist() == [4, 4]


@there_is_a_module
def test_values_that_decide_are_not_recorded() -> None:
    def step(x: Any, w: Any) -> Any:
        loss = (x[x > 0] * w).sum()
        loss.backward()
        return loss

    compiled = torch.compile(step)
    w = torch.tensor(1.0, requires_grad=True)
    for _ in range(5):
        compiled(torch.tensor([1.0, -1.0]), w)
    assert compiled(torch.tensor([1.0, 2.0]), w).item() == 3


@there_is_a_module
def test_why_a_stretch_does_not_run_at_once_is_told() -> None:
    def step(x: Any, w: Any) -> Any:
        y = x * w + 1
        y += 2
        return (y * w).sum() * 2

    compiled = torch.compile(step)
    for size in range(1, 40):
        compiled(torch.ones(size), torch.tensor(1.0))
    assert "as written: a tensor is of another kind or shape" in str(
        torch.inspect.compiled(compiled)
    )


def runs_at_once(compiled: Any) -> list[bool]:
    """Return of each stretch of a compiled function whether it runs at once."""
    return [
        not each.why_not and each.run.__name__ == "_never" and hasattr(each.run, "__wrapped__")
        for traces in compiled._compiled.traces.values()
        for trace in traces
        for each in trace.written.names.values()
        if isinstance(each, RecordedStretch)
    ]


@there_is_a_module
@pytest.mark.parametrize("grad", [True, False])
def test_a_forward_alone_runs_at_once_with_the_nodes_of_a_plain_run(grad: bool) -> None:
    net = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.LayerNorm(6), nn.Linear(6, 4))

    def forward(x: Any) -> Any:
        out = net(x)
        a, largest = out[:, :2], out.max(1)
        return torch.cat([out, a * 2], 1).view(-1) + largest.values.sum(), a

    compiled = torch.compile(forward)
    x = torch.randn(3, 4)
    with torch.set_grad_enabled(grad):
        for _ in range(5):
            compiled(x)
        assert all(runs_at_once(compiled))
        (one, view), (other, same) = forward(x), compiled(x)
    assert one.tolist() == other.tolist()
    assert view._is_view() == same._is_view()
    assert one.requires_grad is other.requires_grad is grad
    if grad:
        assert described_graph(one) == described_graph(other)
        one.sum().backward()
        expected = [p.grad.clone() for p in net.parameters()]
        net.zero_grad()
        other.sum().backward()
        assert [p.grad.tolist() for p in net.parameters()] == [g.tolist() for g in expected]


@there_is_a_module
def test_the_mode_of_the_call_decides() -> None:
    w = torch.ones(2, requires_grad=True)
    compiled = torch.compile(lambda x: ((x * w) + 1) * w - 2)
    for _ in range(5):
        compiled(torch.ones(2))
    assert runs_at_once(compiled) == [True]
    assert compiled(torch.ones(2)).requires_grad
    with torch.no_grad():
        assert not compiled(torch.ones(2)).requires_grad


def _with_inference(x: Any, y: Any) -> Any:
    return torch.sin(x + y * 2 - 1) * y.view(-1).exp()


def _seen_of_inference(function: Callable[..., Any], own: str, around: bool) -> list[Any]:
    """Return what calls give with tensors of inference mode, or of which it makes views."""
    found: list[Any] = []
    for tensors in [own] * 5 + ["normal", own] * 4:
        x, y = torch.linspace(-1, 1, 3, requires_grad=tensors == "leaf"), torch.ones(3)
        if tensors != "normal":
            with torch.inference_mode():
                y = y.view(3) if tensors == "view" else y + 1
        try:
            with torch.inference_mode(around):
                made = function(x, y)
        except GraphError as error:
            found.append(str(error).partition("\n")[0])
        else:
            found.append((made.tolist(), made.is_inference(), made.requires_grad))
            found.append(0 if made.is_inference() else made._version)
    return found


@pytest.mark.parametrize("around", [False, True])
@pytest.mark.parametrize("own", ["inference", "view", "leaf"])
def test_tensors_of_inference_mode_are_computed_with(own: str, around: bool) -> None:
    compiled = torch.compile(_with_inference)
    seen = _seen_of_inference(_with_inference, own, around)
    assert _seen_of_inference(compiled, own, around) == seen


@there_is_a_module
def test_layers_that_change_buffers_or_draw_in_another_way_run_as_they_are_written() -> None:
    for layer in (nn.AlphaDropout(0.5), nn.BatchNorm1d(4)):
        net = nn.Sequential(nn.Linear(4, 4), layer, nn.Linear(4, 4))
        compiled = torch.compile(lambda x, net=net: net(x))
        for _ in range(5):
            compiled(torch.ones(2, 4))
        assert True not in runs_at_once(compiled)


def test_what_is_alive_where_a_replay_is_left_is_as_it_was() -> None:
    net, options = nn.Linear(3, 3), {"short": True}
    x = torch.randn(2, 3)

    def step() -> Any:
        hidden = torch.tanh(net(x)) * 2
        loss = (hidden * hidden).sum()
        loss.backward()
        if options["short"]:
            return loss
        return hidden

    compiled = torch.compile(step)
    for _ in range(8):
        compiled()
    options["short"] = False
    assert compiled().tolist() == step().tolist()


class Box:
    """What has a value under a name."""

    def __init__(self, value: Any) -> None:
        self.value = value


@there_is_a_module
def test_what_is_read_after_a_backward_may_change() -> None:
    net, box = nn.Linear(3, 3), Box(torch.ones(3))
    x = torch.randn(2, 3)

    def step() -> Any:
        net(x).sum().backward()
        hidden = torch.tanh(net(x)) * box.value
        loss = (hidden * hidden).sum()
        loss.backward()
        return loss

    compiled = torch.compile(step)
    for _ in range(8):
        compiled()
    assert "at once in the compiled module" in str(torch.inspect.compiled(compiled))
    for change in (torch.full((3,), 2.0), 3.0, torch.ones(2, 3), None, torch.ones(3)):
        box.value = change
        seen = []
        for each in (step, compiled):
            net.zero_grad()
            try:
                seen.append((each().item(), [p.grad.tolist() for p in net.parameters()]))
            except TypeError as error:
                seen.append(str(error))
        assert seen[0] == seen[1]
    del box.value
    with pytest.raises(AttributeError, match="value"):
        compiled()


class Equation:
    """A step whose loss is of derivatives, plain or compiled."""

    def __init__(self, wrap: Callable[[Any], Any]) -> None:
        torch.manual_seed(0)
        self.net = nn.Sequential(nn.Linear(2, 5), nn.Tanh(), nn.Linear(5, 1))
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1, momentum=0.5)
        self.points = torch.randn(6, 2, requires_grad=True)
        self.act: Callable[[Any], Any] = torch.sin

        def derivative(values: Any) -> Any:
            return torch.autograd.grad(values.sum(), self.points, create_graph=True)[0]

        def step() -> Any:
            self.optimizer.zero_grad()
            loss = (derivative(derivative(self.act(self.net(self.points)))) ** 2).mean()
            loss.backward()
            self.optimizer.step()
            return loss.detach()

        self.step = wrap(step)

    def __call__(self) -> list[Any]:
        loss = self.step()
        tensors = [*self.net.parameters(), self.points]
        return [loss.tolist(), [(each.tolist(), repr(each.grad)) for each in tensors]]


@there_is_a_module
@pytest.mark.parametrize(
    "change",
    [
        "pass", "step.points = torch.randn(4, 2, requires_grad=True)", "step.act = torch.exp",
        "step.points = torch.randn(6, 2, dtype=torch.float64, requires_grad=True); "
        "step.net.double()",
        "step.points.register_hook(lambda g: g * 2)", "step.net[0].weight.data *= 2",
        "step.net[0].bias.requires_grad_(False)",
        "step.net[2].weight.register_hook(lambda g: g * 3)", "step.net[0] = nn.Linear(2, 5)",
        "torch.autograd.set_detect_anomaly(True)",
    ],
)  # fmt: skip
def test_recorded_gradients_run_at_once_until_something_changes(change: str) -> None:
    steps = Equation(lambda step: step), Equation(torch.compile)
    for _ in range(6):
        assert steps[0]() == steps[1]()
    assert "at once in the compiled module, without nodes between" in str(
        torch.inspect.compiled(steps[1].step)
    )
    try:
        for step in steps:
            torch.manual_seed(1)
            exec(change, {"torch": torch, "nn": nn, "step": step})
            step.points.retain_grad()
        for _ in range(6):
            assert steps[0]() == steps[1]()
    finally:
        torch.autograd.set_detect_anomaly(False)


LIMITS = {"bend": 2.0}
BEND = 2.0


@elementwise
def bent(be: Any, input: Any, /) -> Any:
    return input * input


@bent.partial("input")
def bent_slope(input: Any) -> Any:
    return input * LIMITS["bend"]


@elementwise
def bowed(be: Any, input: Any, /) -> Any:
    return input * input


@bowed.partial("input")
def bowed_slope(input: Any) -> Any:
    return input * BEND


@elementwise
def folded(be: Any, input: Any, /) -> Any:
    return input * input


@folded.partial("input")
def folded_slope(input: Any) -> Any:
    return input * 2 if bool((input == abs(input)).all()) else input * 3 - input


@there_is_a_module
@pytest.mark.parametrize("act", [bent, bowed, folded])
def test_formulas_that_look_at_values_and_variables_run_each_time(
    act: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    points = torch.tensor([1.0, 2.0], requires_grad=True)

    def step() -> Any:
        points.grad = None
        (slope,) = torch.autograd.grad((act(points) * 3).sum(), points, create_graph=True)
        loss = (slope * points).sum()
        loss.backward()
        return loss

    compiled = torch.compile(step)

    def seen(run: Callable[[], Any]) -> Any:
        return run().item(), points.grad.tolist()

    for _ in range(8):
        assert seen(compiled) == seen(step)
    monkeypatch.setitem(LIMITS, "bend", 5.0)
    monkeypatch.setattr(sys.modules[__name__], "BEND", 5.0)
    points.data.neg_()
    for _ in range(3):
        assert seen(compiled) == seen(step)


@there_is_a_module
def test_stretches_between_others_run_at_once_each() -> None:
    first, second = nn.Linear(3, 3), nn.Linear(3, 1)
    options = {"scale": 2.0}
    seen: list[str] = []

    def step(x: Any) -> Any:
        hidden = torch.tanh(first(x)) * 2 + 1
        seen.append("between")
        loss = (second(hidden) * options["scale"]).square().sum()
        loss.backward()
        other = (second(first(x)) - 1).square().mean() * 3
        other.backward()
        return loss + other

    compiled = torch.compile(step)
    x = torch.randn(4, 3)
    for scale in (2.0,) * 8 + (3.0,) * 8:
        options["scale"] = scale
        found = []
        for each in (step, compiled):
            first.zero_grad(), second.zero_grad()
            found.append((each(x).item(), first.weight.grad.tolist(), second.bias.grad.tolist()))
        assert found[0] == found[1]
    (recorded,) = torch.inspect.compiled(compiled).recordings
    assert [each.runs for each in recorded.stretches] == [True, True, True]
    assert len(seen) == 32


@there_is_a_module
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("shape", [(), (3,), (4, 2), (70, 70)])
def test_memory_of_a_replay_is_used_again_where_nobody_has_it(
    shape: tuple[int, ...], dtype: torch.dtype
) -> None:
    def step(x: Any, w: Any, kept: Any) -> Any:
        y = x * w
        z = (y * w).exp() * 0.5 - y
        (z * y + z.tanh() * w + kept * 2).sum().backward()
        return y * 1, z

    def run(wrap: Callable[[Any], Any]) -> list[Any]:
        torch.manual_seed(0)
        w = torch.rand(shape, dtype=dtype, requires_grad=True)
        called, found = wrap(step), []
        kept = torch.ones(shape, dtype=dtype)
        for k in range(9):
            x = torch.rand(shape, dtype=dtype, requires_grad=True)
            kept, z = called(x, w, kept.detach())
            found += [kept, z, x.grad, w.grad]
            if k % 3:
                w.grad = None
            elif k % 2:
                del found[-4:]
        if hasattr(called, "_compiled"):
            recorded = torch.inspect.compiled(called).recordings[0]
            assert [each.runs for each in recorded.stretches] == [True]
        return found

    plain, compiled = run(lambda step: step), run(torch.compile)
    assert [each.tolist() for each in plain] == [each.tolist() for each in compiled]
    assert [each._version for each in plain] == [each._version for each in compiled]
