"""What is told of compiled functions is what they do: as text, data, graph and page."""

from __future__ import annotations

import json
import linecache
from pathlib import Path
from typing import Any

import pytest

import pellucid as torch
from pellucid import _native, nn
from pellucid.autograd import sites
from pellucid.autograd.cells import Cells
from pellucid.compat.compiling import wording
from pellucid.nn import functional as F

there_is_a_module = pytest.mark.skipif(_native.compiled is None, reason="there is no module")


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 1)

    def forward(self, x: Any) -> Any:
        return self.second(torch.tanh(self.first(x))).view(-1)


def step_of(net: Any) -> Any:
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return torch.compile(step)


def called(calls: int = 6) -> Any:
    torch.manual_seed(0)
    step = step_of(Net())
    for _ in range(calls):
        step(torch.randn(5, 4), torch.randn(5))
    return step


def test_operations_say_what_they_give_and_whose_memory_it_is() -> None:
    (recorded,) = torch.inspect.compiled(called()).recordings
    found = {each.name: (each.like, each.bytes) for each in recorded.operations}
    assert found["tanh"] == ("float32[5, 8]", 160)
    assert found["mse_loss"] == ("float32[]", 4)
    (view,) = (each for each in recorded.operations if each.name == "view")
    assert (view.like, view.bytes) == ("float32[5]", 0)
    assert view.shares == "self.second(torch.tanh(self.first(x)))"


@there_is_a_module
def test_operations_say_with_which_others_they_run_at_once() -> None:
    # what other tests have left may take the first tries
    (recorded,) = torch.inspect.compiled(called(25)).recordings
    together = [each.name for each in recorded.operations if each.at_once == 1]
    layers = ["Linear", "tanh", "Linear", "view"]
    assert together == ["zero_grad", *layers, "mse_loss", "backward", "step"]
    (before,) = torch.inspect.compiled(called(1)).recordings
    assert {each.at_once for each in before.operations} == {None}


def test_conditions_are_told_in_words_and_by_line() -> None:
    step = called()
    (recorded,) = torch.inspect.compiled(step).recordings
    texts = {each.text: each for each in recorded.conditions}
    hooks = texts["the class of net.first: Linear"]
    assert Path(hooks.file) == Path(__file__)
    line = Path(__file__).read_text("utf-8").splitlines()[hooks.line - 1]
    assert line.strip() == "return self.second(torch.tanh(self.first(x))).view(-1)"
    for each in texts:
        assert each in str(torch.inspect.compiled(step))


def test_every_condition_that_fails_is_among_those_that_are_told() -> None:
    flag = True

    def f(x: Any) -> Any:
        return x + 1 if flag else x

    compiled = torch.compile(f)
    compiled(torch.ones(2))
    (before,) = torch.inspect.compiled(compiled).recordings
    assert "the truth of flag: True" in [each.text for each in before.conditions]
    flag = False
    compiled(torch.ones(2))
    (again,) = torch.inspect.compiled(compiled).recompilations
    assert again.failed == ("the truth of flag is False, was True",)


def test_calls_that_take_turns_read_the_source_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: Any, more: bool) -> Any:
        return torch.exp(x) + 1 if more else torch.exp(x)

    compiled, x = torch.compile(f), torch.zeros(2)
    turns = [compiled(x, more).tolist() for more in (True, False, True, False)]
    monkeypatch.delattr(wording, "_all_expressions")
    assert [compiled(x, more).tolist() for more in (True, False, True, False)] == turns
    assert len(torch.inspect.compiled(compiled).recordings) == 2


def test_lines_of_a_cell_are_called_by_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    text, names = "def f(x):\n    return x + 1\n", {}
    name = "<ipython-input-3-0123>"
    monkeypatch.setitem(linecache.cache, name, (len(text), None, text.splitlines(True), name))
    monkeypatch.setattr(sites, "cells", Cells())
    sites.cells.begin(name, 3, 0)
    exec(compile(text, name, "exec", dont_inherit=True), names)
    compiled = torch.compile(names["f"])
    compiled(torch.ones(2))
    report = torch.inspect.compiled(compiled)
    assert "Cell In[3], line 2  return x + 1" in str(report)
    (node,) = report.recordings[0].graph().nodes
    assert node.where == "Cell In[3], line 2"


def test_the_graph_of_a_recording_has_its_operations_and_what_they_are_given() -> None:
    (recorded,) = torch.inspect.compiled(called()).recordings
    graph = recorded.graph()
    assert [node.op for node in graph.nodes][::-1] == [each.name for each in recorded.operations]
    by_op = {node.op: node for node in graph.nodes}
    leaves = {leaf.name: -leaf.number for leaf in graph.leaves}
    assert by_op["mse_loss"].operands == (by_op["view"].number, leaves["y"])
    assert by_op["backward"].operands == (by_op["mse_loss"].number,)
    first, _ = [node for node in graph.nodes if node.op == "Linear"][::-1]
    assert first.operands == (leaves["net.first"], leaves["x"])
    assert [leaf.like for leaf in graph.leaves if leaf.name == "x"] == ["float32[5, 4]"]


def test_graphs_follow_values_through_functions_and_containers() -> None:
    def pair(a: Any) -> Any:
        return a.exp(), a.sin()

    def f(x: Any) -> Any:
        first, second = pair(x)
        both = [first, second]
        return both[1] * both[0]

    compiled = torch.compile(f)
    compiled(torch.ones(2))
    (recorded,) = torch.inspect.compiled(compiled).recordings
    graph = recorded.graph()
    by_op = {node.op: node for node in graph.nodes}
    taken = by_op["mul"].operands
    assert [graph.nodes[each - 1].op for each in taken] == ["getitem", "getitem"]
    assert by_op["exp"].number in graph.nodes[taken[0] - 1].operands
    assert by_op["sin"].number in graph.nodes[taken[0] - 1].operands
    assert by_op["exp"].operands == (-1,)


def test_measuring_tells_time_and_memory_of_a_call_beside_a_plain_one() -> None:
    def f(x: Any) -> Any:
        return (x * 2).sum()

    compiled = torch.compile(f)
    x = torch.ones(1000, 100)
    compiled(x)
    report = torch.inspect.compiled(compiled).measure(x)
    found = report.measured
    assert min(found.nanoseconds, found.plain_nanoseconds) > 0
    assert 400_000 <= found.bytes < 900_000
    assert 400_000 <= found.plain_bytes < 900_000
    assert str(found) in str(report)
    assert report.plain_runs == 0
    assert report.recordings[0].runs > 0


def test_modules_are_measured_however_they_are_compiled() -> None:
    x = torch.randn(5, 4)
    wrapped, in_place = torch.compile(Net()), Net()
    in_place.compile()
    for each in (wrapped, in_place):
        each(x)
        assert torch.inspect.compiled(each).measure(x).measured.nanoseconds > 0


def test_all_of_it_is_data(tmp_path: Path) -> None:
    def f(x: Any) -> Any:
        return x * x.sum().item()

    compiled = torch.compile(f)
    compiled(torch.ones(2))
    report = torch.inspect.compiled(compiled)
    report.json(tmp_path / "f.json")
    data = json.loads((tmp_path / "f.json").read_text("utf-8"))
    assert data == json.loads(json.dumps(report.to_dict()))
    assert [each["name"] for each in data["recordings"][0]["operations"]] == ["sum", "item", "mul"]
    assert data["breaks"][0]["remedy"].startswith("keep it a tensor")
    assert data["measured"] is None


def test_the_page_shows_the_graph_and_all_that_is_told(tmp_path: Path) -> None:
    step = called()
    report = torch.inspect.compiled(step)
    report.html(tmp_path / "step.html")
    text = (tmp_path / "step.html").read_text("utf-8")
    start = text.index('<script type="application/json"')
    data = json.loads(text[text.index(">", start) + 1 : text.index("</script>", start)])
    names = {each["op"] for each in data["scenes"][0]["kinds"]}
    assert names == {each.name for each in report.recordings[0].operations}
    assert "checked first" in text


def test_what_has_no_recording_has_no_page(tmp_path: Path) -> None:
    compiled = torch.compile(lambda x: x + 1)
    with pytest.raises(ValueError, match="it was not called yet"):
        torch.inspect.compiled(compiled).html(tmp_path / "f.html")
