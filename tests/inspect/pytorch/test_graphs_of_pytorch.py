"""PyTorch's own graphs and errors tell the same story as pellucid's."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pellucid
from pellucid.inspect import graph, pytorch

torch: Any = pytest.importorskip("torch")


# ---- graphs --------------------------------------------------------------------------------------


def network(library: Any) -> Any:
    library.manual_seed(0)
    nn = library.nn
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3))
    return library.nn.functional.cross_entropy(net(library.ones(2, 1, 4, 4)), library.arange(2))


def test_a_graph_of_pytorch_has_its_nodes_in_the_order_of_backward() -> None:
    x = torch.ones(3, requires_grad=True)
    picture = graph((x * x).exp().sum())
    assert [node.name for node in picture.nodes] == ["SumBackward0", "ExpBackward0", "MulBackward0"]
    assert [node.operands for node in picture.nodes] == [(2,), (3,), (-1, -1)]
    assert [node.outputs for node in picture.nodes][1:] == [("float32[3]",)] * 2
    assert [(leaf.like, leaf.bytes, leaf.uses) for leaf in picture.leaves] == [
        ("float32[3]", 12, 2)
    ]


def test_names_of_saved_values_are_seen_and_nothing_is_unpacked() -> None:
    unpacked: list[Any] = []
    x = torch.ones(3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: unpacked.append(t) or t):
        y = (x * 2).exp().sum()
    nodes = graph(y).nodes
    assert [value.name for value in nodes[1].saved] == ["result"]
    assert unpacked == []


def test_a_graph_of_pytorch_is_not_kept_alive_and_still_runs() -> None:
    x = torch.ones(3, requires_grad=True)
    hidden = (x * 2).exp()
    gone = weakref.ref(hidden)
    picture = graph(hidden.sum())
    hidden.sum().backward()
    del hidden
    assert gone() is None
    assert x.grad.tolist() == pytest.approx([2 * 7.38905609893065] * 3)
    assert len(picture.nodes) == 3


def test_a_layered_network_has_the_leaves_that_pellucids_has() -> None:
    ours, theirs = graph(network(pellucid)), graph(network(torch))
    assert sorted(leaf.like for leaf in ours.leaves) == sorted(leaf.like for leaf in theirs.leaves)
    names = {node.name for node in theirs.nodes}
    assert {"ConvolutionBackward0", "ReluBackward0", "AddmmBackward0"} <= names


def test_lines_and_modules_are_noted_inside_the_block() -> None:
    with pytorch.lines():
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())
        out = net(torch.ones(1, 2))
        loss = torch.nn.functional.mse_loss(out, torch.zeros(1, 2))
    picture = graph(loss)
    by_name = {node.name: node for node in picture.nodes}
    assert by_name["MseLossBackward0"].text.startswith("loss = torch.nn.functional.mse_loss")
    assert by_name["TanhBackward0"].text == "out = net(torch.ones(1, 2))"
    assert [by_name[name].module for name in ("TanhBackward0", "AddmmBackward0")] == ["1", "0"]
    assert by_name["TBackward0"].module == "0"


def test_a_pass_that_freed_a_graph_is_named() -> None:
    with pytorch.lines():
        x = torch.ones(3, requires_grad=True)
        loss = (x * x).exp().sum()
        loss.backward()
    freed = graph(loss).nodes[1].freed_by
    assert freed is not None
    assert freed.call == "backward"
    assert freed.where.startswith("test_graphs_of_pytorch.py:")
    assert "freed" in str(graph(loss))


def test_the_dot_and_the_page_of_a_graph_of_pytorch(tmp_path: Path) -> None:
    x = torch.ones(3, requires_grad=True)
    picture = graph((x * x).sum())
    assert "MulBackward0" in picture.to_dot()
    picture.html(tmp_path / "graph.html")
    assert "MulBackward0" in (tmp_path / "graph.html").read_text("utf-8")


def test_a_tensor_of_pytorch_without_history_is_refused() -> None:
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad"):
        graph(torch.ones(2))


def test_a_deep_graph() -> None:
    # PyTorch overflows the stack on dropping a graph of 100,000 nodes that Python has looked at
    x = torch.ones((), requires_grad=True)
    y = x
    for _ in range(20_000):
        y = y + 1
    assert len(graph(y).nodes) == 20_000


# ---- errors --------------------------------------------------------------------------------------


def shared_in_a_loop(torch: Any) -> None:
    w = torch.ones(3, requires_grad=True)
    hidden = (w * w).exp()
    for step in range(2):
        (hidden * step).sum().backward()


def same_loss_twice(torch: Any) -> None:
    w = torch.ones(3, requires_grad=True)
    loss = (w * w).sum()
    loss.backward()
    loss.backward()


def two_losses(torch: Any) -> None:
    w = torch.ones(3, requires_grad=True)
    hidden = (w * w).exp()
    first, second = hidden.mean(), hidden.sum()
    first.backward()
    second.backward()


def hidden_state(torch: Any) -> None:
    w, h = torch.ones(3, requires_grad=True), torch.zeros(3)
    for _ in range(2):
        h = torch.tanh(w * h + 1)
        h.sum().backward()


def made_without_recording(torch: Any) -> None:
    w = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        loss = (w * w).sum()
    loss.backward()


def detached(torch: Any) -> None:
    w = torch.ones(3, requires_grad=True)
    loss = (w * w).sum().detach()
    loss.backward()


def argmax(torch: Any) -> None:
    w = torch.ones(3, requires_grad=True)
    chosen = w.argmax()
    chosen.backward()


def leaf_in_place(torch: Any) -> None:
    w = torch.ones(3, requires_grad=True)
    w.add_(1)


def unused_input(torch: Any) -> None:
    w, v = (torch.ones(3, requires_grad=True) for _ in range(2))
    loss = (w * w).sum()
    torch.autograd.grad(loss, [w, v])


def story(program: Callable[[Any], None], library: Any) -> str:
    """Return what the error says after PyTorch's own sentences."""
    with pytest.raises(RuntimeError) as raised:
        program(library)
    return str(raised.value).partition("\n  ")[2]


@pytest.mark.parametrize(
    "program",
    [
        shared_in_a_loop, same_loss_twice, two_losses, hidden_state, made_without_recording,
        detached, argmax, leaf_in_place, unused_input,
    ],
)  # fmt: skip
def test_an_error_of_pytorch_tells_what_pellucids_tells(program: Callable[[Any], None]) -> None:
    ours = re.sub(r"#\d+", "#", story(program, pellucid))
    with pytorch.lines():
        theirs = re.sub(r"#\d+", "#", story(program, torch))
    for only_here, in_torch in (
        ("keep just its part of the graph", "keep the whole graph"),
        ("retain_graph=hidden", "retain_graph=True"),
        ("retain_graph=second", "retain_graph=True"),
    ):
        ours = ours.replace(only_here, in_torch)
    assert theirs == ours
    assert len(ours) > 50


def text_of_error(program: Callable[[], None]) -> str:
    with pytorch.lines(), pytest.raises(RuntimeError) as raised:
        program()
    return str(raised.value)


def test_a_saved_value_that_was_changed_names_both_lines() -> None:
    def program() -> None:
        w = torch.ones(3, requires_grad=True)
        y = w.exp()
        y += 1
        y.sum().backward()

    text = text_of_error(program)
    assert re.search(r"saved +\S+:\d+ +y = w\.exp\(\) +out, version 0, by ExpBackward0", text)
    assert re.search(r"changed +\S+:\d+ +y \+= 1 +by add_, version 1", text)


def test_an_optimizer_step_between_two_passes_is_named() -> None:
    def program() -> None:
        net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))
        optimizer = torch.optim.Adam(net.parameters())
        out = net(torch.ones(4, 2))
        first, second = out.mean(), (out**2).mean()
        first.backward(retain_graph=True)
        optimizer.step()
        second.backward()

    text = text_of_error(program)
    assert re.search(r"changed +\S+:\d+ +optimizer\.step\(\) +by Adam\.step of parameter 2", text)
    assert "Move step() after the last backward() of this graph" in text


def test_everything_is_put_back_after_the_block() -> None:
    before = torch.autograd.backward, torch.autograd.grad, torch.optim.Optimizer.zero_grad
    with pytorch.lines():
        assert torch.autograd.backward is not before[0]
    assert (torch.autograd.backward, torch.autograd.grad) == before[:2]
    assert torch.optim.Optimizer.zero_grad is before[2]
    assert not torch.nn.modules.module._global_forward_hooks
    assert torch.overrides._get_current_function_mode() is None


# ---- faults in training --------------------------------------------------------------------------


def test_the_checks_take_programs_of_pytorch() -> None:
    with pytorch.checking() as findings:
        net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))
        optimizer = torch.optim.SGD(net[1].parameters(), lr=0.01)
        for _ in range(20):
            net(torch.ones(4, 2)).square().mean().backward()
            optimizer.step()
    assert {finding.kind for finding in findings} == {
        "gradients never set to zero", "a parameter in no optimizer",
    }  # fmt: skip


def test_a_graph_of_pytorch_that_grows_is_found() -> None:
    with pytorch.checking() as findings:
        w = torch.ones(2, requires_grad=True)
        state = torch.zeros(2)
        for _ in range(12):
            state = torch.tanh(state * w + 1)
            state.sum().backward(retain_graph=True)
    (finding,) = findings
    assert finding.kind == "graph grows"
    assert finding.text == "state = torch.tanh(state * w + 1)"


@pytest.mark.parametrize("optimizer", ["SGD", "Adam", "LBFGS"])
def test_a_healthy_program_of_pytorch_has_no_findings(optimizer: str) -> None:
    with pytorch.checking() as findings:
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
        steps = getattr(torch.optim, optimizer)(net.parameters(), lr=0.01)
        x = torch.randn(16, 2)

        def closure() -> Any:
            steps.zero_grad()
            loss = (net(x) - x.sum(1, keepdim=True)).square().mean()
            loss.backward()
            return loss

        for _ in range(25):
            steps.step(closure)
    assert len(findings) == 0, str(findings)


PROGRAM = """
import torch
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(8):
    optimizer.zero_grad()
    loss = net(torch.ones(4, 2)).square().mean()
    loss.backward()
    optimizer.step()
print(torch.__version__)
loss.backward()
"""


def test_a_program_is_watched_on_pytorch(tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text(PROGRAM)
    source = str(Path(pellucid.__file__).parents[1])
    finished = subprocess.run(
        [sys.executable, "-m", "pellucid", "watch", "--with", "torch", str(program)],
        env={**os.environ, "PYTHONPATH": source}, capture_output=True, text=True, check=False,
        timeout=120,
    )  # fmt: skip
    assert finished.stdout == f"{importlib.import_module('torch').__version__}\n"
    assert finished.returncode == 1
    assert "pellucid watched 8 steps" in finished.stderr
    assert re.search(r"freed +train\.py:8 +loss\.backward\(\)", finished.stderr)
    assert "faults, found none" in finished.stderr.rstrip().splitlines()[-1]
    assert finished.stderr.count('  File "') == 1  # the program's own line


def test_the_recorded_step_of_a_program_on_pytorch_is_written_as_a_page(tmp_path: Path) -> None:
    program, page = tmp_path / "train.py", tmp_path / "step.html"
    program.write_text(PROGRAM)
    source = str(Path(pellucid.__file__).parents[1])
    finished = subprocess.run(
        [sys.executable, "-m", "pellucid", "watch", "--with", "torch", "--html", str(page),
         str(program)],
        env={**os.environ, "PYTHONPATH": source}, capture_output=True, text=True, check=False,
        timeout=120,
    )  # fmt: skip
    assert "One step by line:" in finished.stderr
    assert "kept for backward" in finished.stderr
    text = page.read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>")
    for line in ("loss = net(torch.ones(4, 2)).square().mean()", "optimizer.step()"):
        assert line in text


def test_a_module_has_the_name_that_it_has_when_it_is_called() -> None:
    class Net(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = torch.nn.Linear(2, 2), torch.nn.Tanh()
            self.more = torch.nn.ModuleList()

        def forward(self, x: Any) -> Any:
            x = self.second(self.first(x))
            for each in self.more:
                x = each(x)
            return x.sum()

    def modules() -> set[Any]:
        return {node.module for node in graph(net(torch.ones(1, 2))).nodes}

    net = Net()
    with pytorch.lines():
        assert modules() == {"Net", "first", "second"}
        net.other = net.second
        net.second = torch.nn.Sigmoid()
        net.more.append(net.other)
        assert modules() == {"Net", "first", "second", "more.0"}
        net.more.append(torch.nn.ReLU())
        assert modules() == {"Net", "first", "second", "more.0", "more.1"}


def test_the_exponent_of_a_power_is_read_without_unpacking_it() -> None:
    graphs = importlib.import_module("pellucid.inspect.pytorch.graphs")
    unpacked: list[Any] = []
    w = torch.ones(3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, unpacked.append):
        by_tensor, by_number = w ** torch.full((3,), 2.0), w**2
    assert graphs.node_of(by_number.grad_fn).exponent == 2
    assert graphs.node_of(by_tensor.grad_fn).exponent is None
    assert unpacked == []


@pytest.mark.parametrize(("power", "told"), [(0.5, True), (2, False)])
def test_a_root_of_zero_is_told_and_a_square_is_not(power: float, told: bool) -> None:
    w = torch.nn.Parameter(torch.zeros(3))
    optimizer = torch.optim.SGD([w], lr=0.1)
    with pytorch.checking() as findings:
        ((w**power).sum() + 1).backward()
        optimizer.step()
    kinds = [each.kind for each in findings]
    assert ("a gradient that is not finite" in kinds) is told
    assert all("derivative of pow" in each.why for each in findings if told)


class SquaredElsewhere(torch.autograd.Function):
    """A square whose backward computes in a thread of its own, as those of devices do."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        made: list[Any] = []

        def run() -> None:
            with torch.enable_grad():
                made.append(g * x * 2)

        thread = RealThread(target=run)
        thread.start()
        thread.join()
        return made[0]


class RealThread(threading.Thread):
    """A thread in which no line is noted."""

    def run(self) -> None:
        self._target(*self._args)


def test_nodes_that_a_thread_of_the_engine_makes_have_the_line_of_the_pass() -> None:
    with pytorch.lines():
        for _ in range(20):
            unrelated = torch.ones(2, requires_grad=True) * 3
        x = torch.ones(3, requires_grad=True)
        scale = (torch.ones(3, requires_grad=True) * 2).exp()
        y = SquaredElsewhere.apply(x * 1)
        (first,) = torch.autograd.grad(y, x, scale, create_graph=True)
        second = first.exp().sum()
        told = str(graph(second))
        assert "unrelated" not in told
        assert told.count("(first,) = torch") == 3
        assert told.count("scale = (torch") == 2
        unrelated.sum().backward()
        assert "freed" not in str(graph(second))
        assert [node.name for node in graph(second).nodes[:3]] == [
            "SumBackward0", "ExpBackward0", "MulBackward0"
        ]  # fmt: skip
        second.backward()
        assert "freed by backward" in str(graph(second))


def test_a_graph_that_two_threads_made_may_have_two_leaves_below_one_node() -> None:
    with pytorch.lines():
        x, a, b = (torch.ones(3, requires_grad=True) for _ in range(3))
        y = SquaredElsewhere.apply(x * 1)
        (first,) = torch.autograd.grad(y, x, torch.ones_like(x), create_graph=True)
        second = (first * (a * b)).sum()
        told = str(graph(second))
    assert len(re.findall(r"MulBackward0 +float32\[3\] +a, b ", told)) == 1


def test_gradients_in_a_dictionary_have_the_line_of_their_pass(capsys: Any) -> None:
    if "dict" not in str(torch.autograd.grad.__annotations__):
        pytest.skip("this version takes a sequence of inputs")
    with pytorch.lines():
        x = torch.ones(3, requires_grad=True)
        y = SquaredElsewhere.apply(x * 1).sum()
        first = torch.autograd.grad(y, {"x": x}, create_graph=True)
        told = str(graph(first["x"]))
    assert told.count("first = torch") == 3
    assert "was left out" not in capsys.readouterr().err
