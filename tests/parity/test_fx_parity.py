"""Traced programs print the graphs and the source that PyTorch's print, and give the same."""

from __future__ import annotations

import importlib
import operator
from types import ModuleType
from typing import Any

import pytest

import pellucid

torch = pytest.importorskip("torch")


def modules(library: ModuleType) -> dict[str, Any]:
    """Return modules that have submodules, parameters and buffers, by name."""
    nn = library.nn

    class Layers(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(4, 5)
            self.shift = nn.Parameter(library.ones(5))
            self.seq = nn.Sequential(nn.Linear(5, 3), nn.ReLU())
            self.register_buffer("offset", library.zeros(3))

        def forward(self, x: Any, y: float = 1.0, *, flag: bool = True) -> Any:
            h = self.linear(x).relu() + self.shift
            h = self.seq(library.cat([h, h[:, :2]], 1)[:, :5])
            rows, _ = h.shape
            z = h.view(rows, -1) + self.offset
            return {"out": z * y, "sums": (z.sum(dim=-1, keepdim=True), 3.5, None)}

    class Inner(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(3, 3)

        def forward(self, x: Any) -> Any:
            return self.layer(x) * 2

    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = Inner()
            self.layers = nn.ModuleList([Inner(), nn.ReLU()])

        def forward(self, x: Any) -> Any:
            for layer in self.layers:
                x = layer(x)
            return self.inner(x) + self.inner.layer.weight

    for each in (Layers, Inner, Outer):
        each.forward.__annotations__ = {}  # texts, which PyTorch prints with underscores
    return {"Layers": Layers(), "Outer": Outer()}


FUNCTIONS = [
    "lambda x, y: (x @ y.T, x.mT, -x, ~y, 2 - x, x // 2, x**2, x == y, x < 3, abs(x), x % 2)",
    "lambda x: (x[0], x[1:, None], x[..., x], x[0, 1:3], 2**x, 1 / x, x & 1, x >> 1)",
    "lambda x: x.neg().add_(1).to(torch.float64).sum(0).size(0)",
    "lambda x: torch.cat([x, torch.relu(x)], 1)",
    "lambda x: x.shape[0] * x.size(1)",
    "lambda x: {'a': [x, (x + 1,)], 'b': float('inf')}",
    "lambda x, *args, **kwargs: x + args[0] + kwargs['a']",
    "lambda x, scale=2.5, name='n': x * scale",
    "lambda x: torch.where(x > 0, x, torch.zeros_like(x)).mean()",
    "lambda x: x + torch.ones(2)",
    "lambda sum, x1, x_1, x_2: sum + x1 + x_1 + x_2 + 1",
    "lambda x: x.T.contiguous().view(-1).softmax(dim=0)",
]
REFUSED = [
    "lambda x: x if x.sum() > 0 else -x",
    "lambda x: [each for each in x]",
    "lambda x: [*x]",
    "lambda x: len(x)",
    "lambda x: range(x)",
    "lambda x: x in [1]",
    "lambda x: x and 1",
]


def trace(library: ModuleType, text: str, **options: Any) -> Any:
    fx = importlib.import_module(f"{library.__name__}.fx")
    return fx.symbolic_trace(eval(text, {"torch": library}), **options)


@pytest.mark.parametrize("text", FUNCTIONS)
def test_functions_are_traced_to_the_same_graph_and_source(text: str) -> None:
    ours, theirs = trace(pellucid, text), trace(torch, text)
    assert str(ours.graph) == str(theirs.graph)
    assert ours.code == theirs.code


@pytest.mark.parametrize("name", ["Layers", "Outer"])
def test_modules_are_traced_to_the_same_graph_source_and_parts(name: str) -> None:
    ours, theirs = (
        importlib.import_module(f"{library.__name__}.fx").symbolic_trace(modules(library)[name])
        for library in (pellucid, torch)
    )
    assert str(ours) == str(theirs)
    assert str(ours.graph) == str(theirs.graph)
    for parts in ("named_modules", "named_parameters", "named_buffers"):
        assert [n for n, _ in getattr(ours, parts)()] == [n for n, _ in getattr(theirs, parts)()]


@pytest.mark.parametrize("text", REFUSED)
def test_what_depends_on_values_is_refused_in_the_same_words(text: str) -> None:
    found = []
    for library in (pellucid, torch):
        with pytest.raises((ValueError, RuntimeError, TypeError)) as caught:
            trace(library, text)
        found.append(str(caught.value).partition("\n")[0])
    assert found[0] == found[1]


def test_arguments_with_a_value_are_checked_in_the_graph() -> None:
    text, values = "lambda x, b: x + 1 if b else x - 1", {"b": True}
    ours, theirs = (trace(lib, text, concrete_args=values) for lib in (pellucid, torch))
    assert ours.code == theirs.code


def test_functions_of_math_are_called_as_they_are() -> None:
    text = "lambda x, n: x * __import__('math').sqrt(n)"
    ours, theirs = trace(pellucid, text), trace(torch, text)
    assert (ours.code, str(ours.graph)) == (theirs.code, str(theirs.graph))


def edited(library: ModuleType) -> list[Any]:
    """Build a graph by hand, change it, and return what is seen of it."""
    fx = importlib.import_module(f"{library.__name__}.fx")
    graph = fx.Graph()
    x = graph.placeholder("x")
    sine = graph.call_function(library.sin, (x,))
    cosine = graph.call_method("cos", (sine,))
    total = graph.call_function(operator.add, (cosine, 2))
    unused = graph.call_function(library.exp, (x,))
    graph.output(total)
    seen = [str(graph), [str(node) for node in reversed(graph.nodes)]]
    with graph.inserting_after(sine):
        exponential = graph.call_function(library.exp, (sine,))
    sine.replace_all_uses_with(exponential)
    exponential.args = (sine,)
    with pytest.raises(RuntimeError) as caught:
        graph.erase_node(total)
    seen += [str(graph), str(caught.value), graph.eliminate_dead_code(), str(graph)]
    seen += [unused.name, total.prev.name, sine.next.name, [n.name for n in total.all_input_nodes]]
    module = fx.GraphModule(library.nn.Module(), graph)
    seen += [module.code, module(library.zeros(2)).tolist()]
    pattern = fx.symbolic_trace(lambda x: library.sin(x).cos() + library.sin(x).cos())
    matches = fx.replace_pattern(pattern, lambda x: library.sin(x).cos(), lambda x: library.tan(x))
    return [*seen, pattern.code, len(matches)]


def test_graphs_are_built_and_changed_alike() -> None:
    assert edited(pellucid) == edited(torch)


def test_interpreters_and_transformers_run_alike() -> None:
    found = []
    for library in (pellucid, torch):
        fx = importlib.import_module(f"{library.__name__}.fx")
        traced = trace(library, "lambda x: torch.sin(x) * 2 + x.cos()")
        ran: list[str] = []

        class Listed(fx.Interpreter):
            def run_node(self, n: Any, ran: list[str] = ran) -> Any:
                ran.append(f"{n.op} {n.name}")
                return super().run_node(n)

        class Exchanged(fx.Transformer):
            def call_function(self, target: Any, args: Any, kwargs: Any, torch: Any = library):
                target = torch.cos if target is torch.sin else target
                return super().call_function(target, args, kwargs)

        x = library.tensor([0.0, 1.0])
        found.append([Listed(traced).run(x).tolist(), ran, Exchanged(traced).transform().code])
    assert found[0][1:] == found[1][1:]
    assert found[0][0] == pytest.approx(found[1][0])
