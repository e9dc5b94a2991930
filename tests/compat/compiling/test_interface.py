"""What `torch.compile` and its relatives take, return and tell."""

from __future__ import annotations

import contextlib
import copy
import gc
import io
import pickle
import threading
from collections.abc import Callable
from typing import Any

import pytest

import pellucid as torch
from pellucid import nn
from pellucid.compat.compiling import settings
from pellucid.nn import functional as F

FACTOR = 2.0
NAMES: list[str] = []


def scaled(x: torch.Tensor) -> torch.Tensor:
    y = torch.relu(x) * FACTOR
    if y.shape[0] > 2:
        y = y + 1
    return y


def noisy(x: torch.Tensor) -> float:
    NAMES.append("called")
    print("seen")
    return x.sum().item()


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.lin(x))


class Recorder:
    """A backend that keeps the graphs that it is given."""

    def __init__(self) -> None:
        self.graphs: list[Any] = []
        self.inputs: list[Any] = []

    def __call__(self, gm: Any, example_inputs: list[Any], **options: Any) -> Any:
        self.graphs.append(gm)
        self.inputs.append(example_inputs)
        return gm.forward


def test_a_recording_is_used_again_and_told() -> None:
    f = torch.compile(scaled)
    for n in (1, 2, 2, 5):
        assert f(torch.ones(n)).tolist() == scaled(torch.ones(n)).tolist()
    report = torch.inspect.compiled(f)
    (recorded,) = report.recordings
    assert (recorded.runs, recorded.left) == (2, 1)
    names = [each.name for each in recorded.operations]
    assert names == ["relu", "mul", "shape", "getitem", "gt"]
    assert str(report).splitlines()[0] == "scaled: 1 recording"


def test_a_call_for_which_no_recording_holds_says_why() -> None:
    f = torch.compile(lambda x: x + 1 if x.shape[0] > 2 else x)
    assert [f(torch.ones(n)).shape[0] for n in (1, 3, 1, 3)] == [1, 3, 1, 3]
    report = torch.inspect.compiled(f)
    assert [each.runs for each in report.recordings] == [1, 1]
    (again,) = report.recompilations
    assert str(again) == "recording 2: the truth of x.shape[0] > 2 is True, was False"


def test_lines_are_the_programs_in_nodes_and_errors() -> None:
    f = torch.compile(scaled)
    first = scaled.__code__.co_firstlineno
    for _ in range(2):
        y = f(torch.ones(1, requires_grad=True))
        assert (y.grad_fn.code.co_filename, y.grad_fn.code.co_name) == (__file__, "scaled")
        with pytest.raises(TypeError) as raised:
            f("text")
        last = raised.traceback[-1]
        assert (str(last.path), last.lineno + 1) == (__file__, first + 1)


def test_errors_tell_what_they_tell_of_a_plain_run() -> None:
    def out_of_order(x: Any) -> Any:
        turned = x.expand(2, 3)
        return turned.view(7)

    def changes_a_part(x: Any) -> None:
        root = (x * 2).sqrt()
        with torch.no_grad():
            root[..., 0] += 1
        root.sum().backward()

    def told(function: Callable[..., Any]) -> str:
        with pytest.raises(RuntimeError) as caught:
            function(torch.ones(3, requires_grad=True))
        return str(caught.value)

    telling_of = {out_of_order: "expand() at", changes_a_part: "by __setitem__, version 2"}
    for function, telling in telling_of.items():
        expected, compiled = told(function), torch.compile(function)
        assert telling in expected
        assert [told(compiled) for _ in range(3)] == [expected] * 3


def test_warnings_name_the_programs_line_where_a_replay_is_left() -> None:
    sizes = [1.0]

    def step(x: Any) -> Any:
        y = x * sizes[0]
        if y.sum() > 10:
            with torch.autograd.detect_anomaly(check_nan=False):
                y = y + 1
        return y

    compiled = torch.compile(step)
    compiled(torch.ones(2))
    sizes[0] = 100.0
    with pytest.warns(UserWarning, match="Anomaly Detection") as warned:
        compiled(torch.ones(2))
    assert [each.filename for each in warned] == [__file__]
    assert warned[0].lineno == step.__code__.co_firstlineno + 3


def test_errors_see_the_loop_whatever_recordings_ran_in_it() -> None:
    def run(part: Any) -> None:
        w = torch.ones(2, requires_grad=True)
        part(w, None), part(w, w * 2)
        state = None
        for _ in range(2):
            state = part(w, state)
            state.sum().backward()

    def part(w: Any, state: Any) -> Any:
        factor = 2.0 if state is None else state
        return w * factor

    texts = []
    for each in (part, torch.compile(part)):
        with pytest.raises(RuntimeError) as caught:
            run(each)
        texts.append(str(caught.value))
    assert "carried over from one time through the loop to the next" in texts[0]
    assert texts[0] == texts[1]


def test_a_compiled_module_has_the_modules_state_and_attributes() -> None:
    net = Net()
    compiled = torch.compile(net)
    assert isinstance(compiled, torch._dynamo.OptimizedModule)
    assert list(compiled.state_dict()) == ["_orig_mod.lin.weight", "_orig_mod.lin.bias"]
    assert compiled.lin is net.lin
    compiled.eval()
    assert not net.training
    compiled.note = 3
    assert net.note == 3
    x = torch.ones(2, 3)
    for each in (compiled, copy.deepcopy(compiled), pickle.loads(pickle.dumps(compiled))):
        assert each(x).tolist() == net(x).tolist()
    compiled.load_state_dict({f"_orig_mod.{k}": v * 0 for k, v in net.state_dict().items()})
    assert compiled(x).tolist() == net(x).tolist() == torch.zeros(2, 3).tolist()


def test_a_module_is_compiled_in_place_and_copies_have_their_own() -> None:
    net = Net()
    net.compile(backend="eager")
    other = copy.deepcopy(net)
    with torch.no_grad():
        other.lin.weight.zero_()
        other.lin.bias.fill_(1.0)
    x = torch.ones(2, 3)
    assert other(x).tolist() == [[1.0] * 3] * 2
    assert net(x).tolist() == F.relu(net.lin(x)).tolist()
    assert torch.inspect.compiled(net).recordings


def test_a_backend_is_given_graphs_of_tensors() -> None:
    backend = Recorder()
    f = torch.compile(scaled, backend=backend)
    assert f(torch.ones(3)).tolist() == [3.0] * 3
    assert f(torch.full((3,), 2.0)).tolist() == [5.0] * 3
    (graph,) = backend.graphs
    assert [str(node.target) for node in graph.graph.nodes if node.op == "placeholder"] == ["l_x_"]
    assert [each.shape for each in backend.inputs[0]] == [(3,)]
    f(torch.ones(4))
    assert len(backend.graphs) == 2
    assert "dynamic=True" in str(torch.inspect.compiled(f).recompilations[0])
    varying = Recorder()
    g = torch.compile(scaled, backend=varying, dynamic=True)
    assert [g(torch.ones(n)).shape[0] for n in (3, 4, 5)] == [3, 4, 5]
    assert len(torch.inspect.compiled(g).recordings) == 1


def test_what_a_backend_returns_is_what_runs() -> None:
    def doubling(gm: Any, example_inputs: list[Any]) -> Any:
        return lambda *args: tuple(each * 2 for each in gm(*args))

    f = torch.compile(lambda x: x + 1, backend=doubling)
    # the first call is what is recorded
    assert [f(torch.ones(1)).item() for _ in range(3)] == [2.0, 4.0, 4.0]
    torch.compiler.reset()
    given = {}

    @torch._dynamo.register_backend
    def own(gm: Any, example_inputs: list[Any], **options: Any) -> Any:
        given.update(options)
        return gm.forward

    torch.compile(lambda x: x + 1, backend="own", options={"options": 1})(torch.ones(1))
    assert "own" in torch.compiler.list_backends()
    assert torch.compiler.list_backends(None)[:2] == ["aot_eager", "eager"]
    del settings.backends["own"]


def test_fullgraph_raises_with_line_and_remedy() -> None:
    NAMES.clear()
    line = noisy.__code__.co_firstlineno + 2
    with pytest.raises(RuntimeError, match=f"{line} in noisy: print"):
        torch.compile(noisy, fullgraph=True)(torch.ones(2))
    assert torch.compile(scaled, fullgraph=True)(torch.ones(1)).tolist() == [2.0]


def test_breaks_are_told_and_effects_happen_once(capsys: pytest.CaptureFixture[str]) -> None:
    NAMES.clear()
    f = torch.compile(noisy)
    assert [f(torch.ones(n)) for n in (1, 2, 3)] == [1.0, 2.0, 3.0]
    assert (len(NAMES), capsys.readouterr().out) == (3, "seen\n" * 3)
    reasons = [each.reason for each in torch.inspect.compiled(f).breaks]
    assert reasons == ["print() acts outside of the program", "item() hands a value to Python"]


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(RuntimeError, match="Either mode or options"):
        torch.compile(scaled, mode="default", options={})
    with pytest.raises(RuntimeError, match="Unrecognized mode=fast"):
        torch.compile(scaled, mode="fast")
    with pytest.raises(ValueError, match="Invalid backend: 'none'"):
        torch.compile(scaled, backend="none")
    with pytest.raises(ValueError, match="is not compiled"):
        torch.inspect.compiled(scaled)
    with pytest.raises(ValueError, match="invalid stance"):
        torch.compiler.set_stance("fast")


def test_stances() -> None:
    f = torch.compile(lambda x: (x, torch.compiler.is_compiling()))
    assert f(torch.ones(1))[1]
    with torch.compiler.set_stance("force_eager"):
        assert not f(torch.ones(1))[1]
    with torch.compiler.set_stance("eager_on_recompile"):
        assert not f(x=1)[1]
    with torch.compiler.set_stance("fail_on_recompile"):
        assert f(torch.ones(2))[1]
        g = torch.compile(scaled)
        with pytest.raises(RuntimeError, match="fail_on_recompile"):
            g(torch.ones(1))
    torch.compiler.set_stance("force_eager")
    assert not f(torch.ones(1))[1]
    torch.compiler.set_stance("default")
    assert f(torch.ones(1))[1]


def test_disabled_functions_run_as_they_are() -> None:
    @torch.compiler.disable
    def outside(x: Any) -> Any:
        return x, torch.compiler.is_compiling()

    f = torch.compile(lambda x: outside(x + 1))
    assert f(torch.ones(1))[0].tolist() == [2.0]
    assert torch.inspect.compiled(f).breaks[0].reason.endswith("is disabled")
    assert torch.compile(scaled, disable=True) is scaled


def test_explain_counts_graphs() -> None:
    def two(x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2

    told = torch._dynamo.explain(two)(torch.ones(2))
    assert (told.graph_count, told.graph_break_count, told.op_count) == (2, 1, 2)
    assert "graph_break() was called" in str(told)


def test_too_many_recordings_and_it_runs_as_it_is() -> None:
    def kind(x: torch.Tensor, name: str) -> torch.Tensor:
        return x * len(name) if name.startswith("a") else x + {"b": 1}.get(name, 0)

    f = torch.compile(lambda x, n: sum([x * i for i in range(n)]))
    for n in range(1, 12):
        assert f(torch.ones(1), n).item() == sum(range(n))
    assert "did not hold" in torch.inspect.compiled(f).plain_because
    torch.compiler.reset()
    assert not torch.inspect.compiled(f).plain_because
    g = torch.compile(kind)
    assert [g(torch.ones(1), n).item() for n in ("a", "b", "c", "aa")] == [1, 2, 1, 2]


def test_threads_record_and_run_at_once() -> None:
    f = torch.compile(scaled)
    found: list[Any] = []

    def work() -> None:
        found.extend(f(torch.ones(n % 4 + 1)).tolist() for n in range(20))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found.count([3.0] * 3) == found.count([2.0]) == 15


def test_threads_that_record_one_kind_of_call_at_once_keep_one_recording() -> None:
    meet = torch.compiler.disable(threading.Barrier(2, timeout=60).wait)

    @torch.compile
    def f(x: Any) -> Any:
        meet()
        return x * 2

    found: list[Any] = []
    threads = [
        threading.Thread(target=lambda: found.append(f(torch.ones(2)).tolist())) for _ in range(2)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [[2.0, 2.0]] * 2
    assert len(torch.inspect.compiled(f).recordings) == 1


def test_memory_is_given_back_where_the_function_gives_it_back() -> None:
    import weakref

    kept: list[Any] = []

    def watch(x: torch.Tensor) -> None:
        kept.append(weakref.ref(x))

    def f(x: torch.Tensor) -> int:
        y = x + 1
        watch(y)
        y = y * 2
        return kept[-1]() is None

    compiled = torch.compile(f)
    assert [compiled(torch.ones(2)) for _ in range(3)] == [True] * 3


def test_an_error_keeps_nothing_alive_once_it_is_gone() -> None:
    import weakref

    kept: list[Any] = []

    def fails(x: torch.Tensor, size: int, limit: int) -> torch.Tensor:
        y = x + 1
        kept.append(weakref.ref(y))
        if y.sum() > limit:
            y = y * 2
        return y.view(size)

    def tells(x: torch.Tensor, size: int, limit: int) -> torch.Tensor:
        try:
            return fails(x, size, limit)
        except RuntimeError as error:
            raise ValueError(size) from error

    def alive(function: Callable[..., Any], size: int, limit: int) -> bool:
        with contextlib.suppress(RuntimeError, ValueError):
            function(torch.ones(2), size, limit)
        return kept[-1]() is not None

    gc.disable()
    try:
        for function in (fails, tells):
            compiled = torch.compile(function)
            for size, limit in ((7, 9), (2, 9), (7, 9), (7, 9), (2, 0), (7, 0)):
                assert not alive(function, size, limit)
                assert not alive(compiled, size, limit)
    finally:
        gc.enable()


def test_a_recording_keeps_nothing_alive_that_methods_are_called_of() -> None:
    import weakref

    kept: list[Any] = []

    def f(x: torch.Tensor) -> None:
        y = x * 2
        kept.append(weakref.ref(y))
        scale = y.detach()
        y.register_hook(lambda g: g * scale)
        y.sum().backward()

    compiled = torch.compile(f)
    for _ in range(4):
        compiled(torch.ones(3, requires_grad=True))
        assert kept[-1]() is None


class Two(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(3, 4)
        self.weight = nn.Parameter(torch.ones(4))
        self.register_buffer("shift", torch.zeros(4))
        self.factor = 2

    def forward(self, x: Any, y: Any = None) -> Any:
        h = self.lin(x) * self.weight + self.shift
        if y is not None:
            h = h + y
        return {"h": h, "parts": [h * self.factor, h.sum()]}


def test_an_exported_program_runs_prints_and_is_saved() -> None:
    net, x, y = Two(), torch.randn(2, 3), torch.ones(4)
    program = torch.export.export(net, (x,), {"y": y})
    assert sorted(program.state_dict) == ["lin.bias", "lin.weight", "shift", "weight"]
    assert "mul_1 = add_1 * 2" in str(program)
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    for each in (program, torch.export.load(file)):
        given, expected = each.module()(x, y=y), net(x, y)
        assert given["h"].tolist() == expected["h"].tolist()
        assert given["parts"][1].item() == expected["parts"][1].item()
    varying = torch.export.export(net, (x,), dynamic_shapes={"x": {0: torch.export.Dim("n")}})
    assert varying.module()(torch.ones(5, 3))["h"].tolist() == net(torch.ones(5, 3))["h"].tolist()


def test_what_is_no_graph_is_not_exported() -> None:
    class Asks(nn.Module):
        def forward(self, x: Any) -> Any:
            return x * x.sum().item()

    with pytest.raises(RuntimeError, match="item\\(\\) hands a value to Python"):
        torch.export.export(Asks(), (torch.ones(2),))
    with pytest.raises(TypeError, match="takes a module, not function"):
        torch.export.export(scaled, (torch.ones(2),))
