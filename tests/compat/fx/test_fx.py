"""Traced programs compute what programs compute, and can be copied, saved and differentiated."""

from __future__ import annotations

import copy
import dataclasses
import enum
import math
import operator
import pickle
from typing import Any

import pytest

import pellucid as torch
from pellucid import fx, nn
from pellucid.compat.fx.passes.shape_prop import ShapeProp


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Dropout(0.5))
        self.scale = nn.Parameter(torch.tensor(2.0))
        self.register_buffer("shift", torch.ones(4))

    def forward(self, x: torch.Tensor) -> Any:
        rows, _ = x.shape
        h = self.layers(x) * self.scale.abs() + self.shift
        return h.view(rows, -1), torch.where(h > 1, h, 0.0).sum()


def test_a_traced_module_gives_what_the_module_gives() -> None:
    net = Net().eval()
    traced = fx.symbolic_trace(net)
    x = torch.randn(5, 3)
    for ours, expected in zip(traced(x), net(x), strict=True):
        assert ours.tolist() == expected.tolist()


def test_parameters_are_shared_and_get_gradients() -> None:
    net = Net()
    traced = fx.symbolic_trace(net)
    traced(torch.ones(2, 3))[1].backward()
    assert traced.scale is net.scale
    assert net.scale.grad is not None
    assert net.layers[0].weight.grad is not None


def test_training_and_evaluation_reach_the_submodules() -> None:
    traced = fx.symbolic_trace(Net())
    assert traced.training
    assert not traced.eval().layers.get_submodule("2").training


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda module: pickle.loads(pickle.dumps(module))]
)
def test_copies_have_a_graph_and_parameters_of_their_own(copied: Any) -> None:
    traced = fx.symbolic_trace(Net().eval())
    other = copied(traced)
    assert other.code == traced.code
    assert other.scale is not traced.scale
    x = torch.ones(1, 3)
    assert other(x)[0].tolist() == traced(x)[0].tolist()
    next(n for n in other.graph.nodes if n.target is torch.where).target = torch.add
    assert torch.add not in [n.target for n in traced.graph.nodes]


def test_the_source_is_that_of_forward_and_is_generated_anew() -> None:
    traced = fx.symbolic_trace(lambda x: torch.sin(x))
    assert traced.code.strip().startswith("def forward(self, x):")
    for node in traced.graph.nodes:
        if node.target is torch.sin:
            node.target = torch.cos
    assert traced(torch.tensor(0.0)) == 0
    traced.recompile()
    assert traced(torch.tensor(0.0)) == 1


@fx.wrap
def doubled(x: Any, times: int) -> Any:
    return x * 2 if times > 1 else x


def test_wrapped_functions_and_those_of_math_are_called_as_they_are() -> None:
    traced = fx.symbolic_trace(lambda x, n: doubled(x, n) + math.sqrt(n))
    assert [n.target for n in traced.graph.find_nodes(op="call_function")][:2] == [
        doubled, math.sqrt,
    ]  # fmt: skip
    assert traced(torch.tensor(1.0), 4).item() == 4.0
    assert math.sqrt(4) == 2


def test_tracing_leaves_modules_as_they_were() -> None:
    before = nn.Module.__call__, nn.Module.__getattr__
    with pytest.raises(fx.proxy.TraceError):
        fx.symbolic_trace(lambda x: 1 if x else 2)
    assert (nn.Module.__call__, nn.Module.__getattr__) == before


def test_what_a_graph_lacks_or_confuses_is_said() -> None:
    graph = fx.Graph()
    x = graph.placeholder("x")
    y = graph.call_module("layer", (x,))
    graph.output(y)
    with pytest.raises(RuntimeError, match="references layer"):
        fx.GraphModule({}, graph)
    assert fx.GraphModule({"layer": nn.ReLU()}, graph)(torch.tensor(-1.0)) == 0
    y.prepend(graph.output_node())
    with pytest.raises(RuntimeError, match="used before it has been defined"):
        graph.lint()
    with pytest.raises(ValueError, match="Callable is expected"):
        graph.create_node("call_function", "sin")


def test_unused_submodules_are_removed() -> None:
    traced = fx.symbolic_trace(Net())
    traced.add_submodule("extra.inner", nn.ReLU())
    assert "extra.inner" in dict(traced.named_modules())
    traced.delete_all_unused_submodules()
    assert not any(name.startswith("extra") for name, _ in traced.named_modules())
    assert "layers.0" in dict(traced.named_modules())


def test_a_tracer_may_refuse_functions_that_change_their_arguments():
    class Strict(fx.Tracer):
        check_mutable_operations = True

    assert Strict().trace(lambda x: x & x).find_nodes(op="call_function", target=operator.and_)
    with pytest.raises(RuntimeError, match="Tried to trace mutable operation aten::add"):
        Strict().trace(lambda x: torch.add(x, x, out=x))


@dataclasses.dataclass
class Both:
    first: Any
    second: Any


class Kind(enum.Enum):
    ONE = 1


class Point(metaclass=torch.fx.ProxyableClassMeta):
    def __init__(self, x):
        self.x = x


def test_dataclasses_enumerations_and_classes_of_stand_ins_stand_in_graphs():
    def program(x):
        point = Point(x + 1)
        return Both(point.x, (x, Kind.ONE))

    traced = torch.fx.symbolic_trace(program)
    found = traced(torch.zeros(1))
    assert isinstance(found, Both)
    assert found.first.item() == 1.0
    assert found.second[1] is Kind.ONE


def test_a_stand_in_is_no_key_of_an_argument():
    with pytest.raises(RuntimeError, match="cannot contain a Node"):
        torch.fx.symbolic_trace(lambda x: fx.Proxy.__call__(x, {x: 1}))


def test_arguments_of_nodes_cannot_be_changed_in_place():
    graph = torch.fx.symbolic_trace(lambda x: torch.cat([x, x])).graph
    node = next(each for each in graph.nodes if each.op == "call_function")
    with pytest.raises(NotImplementedError, match="does not support mutation"):
        node.args[0].append(node)
    assert type(copy.deepcopy(node.args[0])) is torch.fx.immutable_collections.immutable_list


class OfList(torch.fx.graph.CodeGen):
    def gen_fn_def(self, free_vars, maybe_return_annotation):
        start = super().gen_fn_def(["each"], maybe_return_annotation)
        return f"{start}\n    {', '.join(free_vars)}, = each"

    def process_inputs(self, *args):
        return args[0]


def test_a_graph_may_begin_its_function_otherwise():
    traced = torch.fx.symbolic_trace(lambda x, y: x - y)
    traced.graph.set_codegen(OfList())
    traced.recompile()
    given = [torch.tensor(5.0), torch.tensor(2.0)]
    assert traced(given).item() == 3.0
    assert copy.deepcopy(traced)(given).item() == 3.0
    assert torch.fx.Interpreter(traced).run(given).item() == 3.0
    assert torch.fx.Transformer(traced).transform()(given).item() == 3.0


def test_notes_of_a_module_are_copied_with_it():
    traced = torch.fx.symbolic_trace(lambda x: x)
    traced.meta["itself"] = traced
    copied = copy.deepcopy(traced)
    assert copied.meta["itself"] is copied


def test_nodes_tell_their_lines_and_modules():
    class Outer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Sequential(torch.nn.ReLU())

        def forward(self, x):
            return self.inner(x)

    tracer = torch.fx.Tracer()
    tracer.record_stack_traces = True
    root = Outer()
    traced = torch.fx.GraphModule(root, tracer.trace(root))
    module = torch.fx.Transformer(traced).transform()
    node = next(each for each in module.graph.nodes if each.op == "call_module")
    assert "test_fx.py" in node.stack_trace
    assert list(node.meta["nn_module_stack"]) == ["inner", "inner.0"]


def test_other_methods_than_forward_can_be_traced():
    class Two(torch.nn.Module):
        def forward(self, x):
            return x

        def twice(self, x):
            return x * 2

    tracer, module = torch.fx.Tracer(), Two()
    tracer.traced_func_name = "twice"
    assert torch.fx.GraphModule(module, tracer.trace(module))(torch.ones(1)).item() == 2.0
    tracer.traced_func_name = "thrice"
    with pytest.raises(AssertionError, match="doesn't exist in Two"):
        tracer.trace(module)


def test_a_module_whose_forward_has_no_self_is_refused():
    class Loose(torch.nn.Module):
        def forward(*args):
            return args[1]

    with pytest.raises(RuntimeError, match="self"):
        torch.fx.symbolic_trace(Loose())


def test_statements_that_change_their_operand_are_written_as_such():
    graph = torch.fx.Graph()
    a, b = graph.placeholder("a"), graph.placeholder("b")
    graph.call_function(operator.imul, (a, b))
    graph.output(a)
    module = torch.fx.GraphModule({}, graph)
    assert "a *= b" in module.code
    assert module(2, 3) == 6


def test_a_node_for_what_the_module_lacks_is_warned_of():
    traced = torch.fx.symbolic_trace(torch.nn.Linear(1, 1))
    with pytest.warns(UserWarning, match="get_attr Node with no underlying reference"):
        traced.graph.get_attr("missing.weight")


def test_shapes_of_all_nodes_are_noted() -> None:
    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = torch.nn.Conv2d(3, 4, 3)

        def forward(self, x: Any) -> Any:
            return self.conv(x).max(1)

    traced = torch.fx.symbolic_trace(Model())
    x = torch.ones(2, 3, 5, 5).contiguous(memory_format=torch.channels_last)
    result = ShapeProp(traced).propagate(x)
    assert torch.equal(result.values, traced(x).values)
    notes = {node.name: node.meta["tensor_meta"] for node in traced.graph.nodes}
    assert notes["x"].memory_format is torch.channels_last
    assert notes["conv"].shape == (2, 4, 3, 3)
    assert notes["conv"].requires_grad
    values, indices = notes["output"]
    assert (values.shape, indices.dtype) == ((2, 3, 3), torch.int64)
