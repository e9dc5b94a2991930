"""A compiled call does what the generated Python call behind it does, whatever it is given."""

from __future__ import annotations

import contextlib
import copy
import gc
import inspect
import math
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid import _native, nn
from pellucid.autograd.modes import modes
from pellucid.autograd.node import Node
from pellucid.core.backward.node_backward import node_class_of
from pellucid.core.call.compiled import takes_compiled_calls
from pellucid.core.definition.op import Op, registry
from pellucid.nn.modules.module import register_module_forward_pre_hook
from tests.samples.grouped import together
from tests.samples.ops import Sample, arguments_in_order, on_every_sample, samples

pytestmark = pytest.mark.skipif(_native.compiled is None, reason="there is no compiled module")

CASES = [
    (op, sample)
    for _, op in sorted(registry.items())
    if takes_compiled_calls(op)
    for sample in samples(op)
]


def as_tensors(sample: Sample, dtype: Any, requires_grad: bool = True) -> tuple[Any, ...]:
    """Return the operands as tensors, floating ones of the dtype, which may require grad."""

    def as_tensor(each: Any) -> Any:
        if isinstance(each, list | tuple):
            return [as_tensor(part) for part in each]
        if not isinstance(each, np.ndarray):
            return each
        if each.dtype.kind == "f":
            return torch.tensor(each, dtype=dtype, requires_grad=requires_grad)
        return torch.tensor(each)

    return tuple(as_tensor(each) for each in sample.operands)


def described(value: Any) -> Any:
    """Return what can be compared of a result, an array or a saved value."""
    if isinstance(value, torch.Tensor):
        edge = value._edge
        return (
            described(value._array), type(value), value._view is None,
            None if edge is None else described(edge[0]),
        )  # fmt: skip
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.strides, value.tobytes()
    if isinstance(value, Node):
        saved = value.saved if isinstance(value.saved, tuple) else ()
        entries = [
            (described(entry[0]), entry[1].version, entry[2])
            for entry in saved
            if isinstance(entry, tuple)
        ]
        ends = [edge is None for edge in value.edges]
        return (
            type(value),
            ends,
            entries,
            repr(value.params),
            value.shape,
            value.dtype,
            described(value.metas),
        )
    if isinstance(value, tuple):
        return [described(each) for each in value]
    return repr(value) if not hasattr(value, "shape") else (value.shape, value.dtype)


def outcome(function: Callable[..., Any], operands: tuple[Any, ...], params: Any) -> Any:
    """Return what a call gives, and its gradients; or the error that it raises."""
    try:
        args, named = arguments_in_order(function.op, operands, params)
        return value_and_gradients(function(*args, **named), operands)
    except Exception as error:  # noqa: BLE001 - whatever it is
        return type(error), str(error)


def value_and_gradients(result: Any, operands: tuple[Any, ...]) -> Any:
    value = described(result)
    if not isinstance(result, torch.Tensor) or result._edge is None:
        return value
    result.backward(torch.ones_like(result.detach()))
    leaves = [each for each in operands if isinstance(each, torch.Tensor)]
    return value, [None if leaf.grad is None else described(leaf.grad._array) for leaf in leaves]


@together("family")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@on_every_sample(CASES)
def test_result_node_and_gradients_are_those_of_python(op: Op, sample: Sample, dtype: Any):
    compiled = outcome(op.function, as_tensors(sample, dtype), sample.params)
    python = outcome(op.function.__wrapped__, as_tensors(sample, dtype), sample.params)
    assert compiled == python


@on_every_sample(CASES)
def test_a_result_that_nothing_records_is_that_of_python(op: Op, sample: Sample):
    compiled = outcome(op.function, as_tensors(sample, torch.float32, False), sample.params)
    python = outcome(
        op.function.__wrapped__, as_tensors(sample, torch.float32, False), sample.params
    )
    assert compiled == python


def test_each_view_of_many_is_linked_as_python_links_it():
    def links(split: Any, recording: bool) -> list[Any]:
        base = torch.arange(6.0).reshape(2, 3)
        with torch.set_grad_enabled(recording):
            parts = split(base[:, 1:], (0, 1, 2), 1)
        return [
            (part._view.base is base, part._view.origin, part._view.recorded, part._view.version)
            for part in parts
        ]

    split = registry["split_at"].function
    for recording in (True, False):
        assert links(split, recording) == links(split.__wrapped__, recording)


ODD = {
    "empty": lambda: torch.empty(0, 3),
    "no dimensions": lambda: torch.tensor(1.5),
    "transposed": lambda: torch.arange(6.0).reshape(3, 2).t(),
    "strided": lambda: torch.arange(12.0).reshape(2, 6)[:, ::2],
    "expanded": lambda: torch.arange(3.0).expand(2, 3),
    "special values": lambda: torch.tensor([[torch.nan, torch.inf, -torch.inf], [0.0, -0.0, 3.0]]),
    "row": lambda: torch.arange(3.0),
    "column": lambda: torch.tensor([[0.5], [2.0]]),
    "three dimensions": lambda: torch.arange(12.0).reshape(2, 2, 3),
    "does not fit": lambda: torch.ones(2, 4),
    "float64": lambda: torch.ones(2, 3, dtype=torch.float64),
    "float16": lambda: torch.ones(2, 3, dtype=torch.float16),
    "int64": lambda: torch.arange(6).reshape(2, 3),
    "bool": lambda: torch.tensor([[True, False, True]]),
    "complex": lambda: torch.ones(2, 3, dtype=torch.complex64),
    "parameter": lambda: torch.nn.Parameter(torch.ones(2, 3)),
    "float": lambda: 2.5,
    "int": lambda: 3,
    "large int": lambda: 2**80,
    "minus zero": lambda: -0.0,
    "truth value": lambda: True,
    "NumPy number": lambda: np.float32(1.5),
    "array": lambda: np.ones((2, 3), np.float32),
    "None": lambda: None,
    "text": lambda: "text",
}


def changed(name: str, native: bool, *operands: Any) -> Any:
    """Return what an in-place variant leaves behind, and what it counts; or its error."""
    function = getattr(torch.Tensor, name)
    function = function if native else function.__wrapped__
    try:
        result = function(*operands)
    except Exception as error:  # noqa: BLE001 - whatever it is
        return type(error), str(error)
    if result is NotImplemented:
        return result
    storage = result._storage
    notes = [(note[0], note[1], note[2].co_name, note[4]) for note in storage.notes]
    return described(result), result is operands[0], storage.version, notes


@together()
@pytest.mark.parametrize("other", [*ODD, "itself", "its own part"])
@pytest.mark.parametrize("one", ["special values", "transposed", "strided", "float64", "int64"])
@pytest.mark.parametrize("name", ["add_", "mul_", "div_", "__iadd__", "sub_"])
def test_a_change_in_place_is_that_of_python(name: str, one: str, other: str):
    found = []
    for native in (True, False):
        changing = ODD[one]()
        parts = {"itself": lambda c=changing: c, "its own part": lambda c=changing: c[:1]}
        with torch.no_grad():
            found.append(changed(name, native, changing, {**ODD, **parts}[other]()))
    assert found[0] == found[1]


@together()
@pytest.mark.parametrize(
    "value", [1.5, 3, -0.0, 1e39, True, 2**60, 2**2000, 1j, "row", "part", "grad"]
)
@pytest.mark.parametrize("index", [0, -1, 5])
def test_what_is_written_is_what_python_writes(index: Any, value: Any):
    indexing = sys.modules["pellucid.ops.index.indexing"]
    outcomes = []
    for function in ("write_plainly", "_write"):
        target = torch.zeros(2, 3)
        rows = {
            "row": torch.arange(3.0),
            "part": target[1],
            "grad": torch.ones(3, requires_grad=True),
        }
        written = getattr(indexing, function)(target, index, rows.get(value, value))
        outcomes.append((written, described(target), target._version))
    assert outcomes[0] == outcomes[1]


@together()
@pytest.mark.parametrize(
    "data",
    [
        3.5,
        3,
        True,
        [1.0, 2],
        [[1, 2], [3, 4]],
        (True, False),
        [1e300, -0.0],
        [2**53 + 1, 0.5],
        [2**60 + 1],
        [math.nan],
        [True, 1],
        [],
        [[]],
        [[1], [2, 3]],
        [1, [2]],
        [None],
        ["1"],
        [2**70],
        [1j],
        [np.float32(1.5)],
        [[[0.1] * 3] * 2] * 2,
    ],
    ids=repr,
)
@pytest.mark.parametrize("dtype", [None, torch.float32, torch.float64, torch.int64, torch.bool])
def test_numbers_are_read_as_python_reads_them(data: Any, dtype: Any, monkeypatch: Any):
    def read() -> Any:
        try:
            return described(torch.tensor(data, dtype=dtype))
        except Exception as error:  # noqa: BLE001 - whatever it is
            return type(error), str(error)

    compiled = read()
    with monkeypatch.context() as patch:
        patch.setattr("pellucid.core.construct.compiled", None)
        assert read() == compiled


def outcomes_on(function: Callable[..., Any], one: str, other: str) -> list[Any]:
    operands = [ODD[one]().requires_grad_(), ODD[other]()]
    return [outcome(function, tuple(each), {}) for each in (operands, operands[::-1])]


@together()
@pytest.mark.parametrize("one", ["strided", "special values", "transposed", "three dimensions"])
@pytest.mark.parametrize("name", ["add", "mul", "div", "maximum", "lt", "matmul", "atan2"])
def test_unusual_operands_give_what_python_gives(name: str, one: str):
    compiled, python = registry[name].function, registry[name].function.__wrapped__
    assert [
        other
        for other in ODD
        if outcomes_on(compiled, one, other) != outcomes_on(python, one, other)
    ] == []


def without_tensors(op: Op, sample: Sample, number: Any, recorded: bool) -> list[Any]:
    """Return what a call of a number in place of the tensor does, compiled and in Python."""
    args, params = arguments_in_order(op, [number] * len(sample.operands), sample.params)
    found = []
    for function in (op.function, op.function.__wrapped__):
        with torch.set_grad_enabled(recorded):
            try:
                found.append(described(function(*args, **params)))
            except Exception as error:  # noqa: BLE001 - whatever it is
                found.append((type(error), str(error)))
    return found


@together("family")
@pytest.mark.parametrize("number", [5, 2.5, True, 1j, 2**70, np.float64(2.0), None], ids=repr)
@on_every_sample([(op, sample) for op, sample in CASES if op.family.view])
def test_a_view_of_a_number_is_refused_as_by_python(op: Op, sample: Sample, number: Any):
    for recorded in (True, False):
        compiled, python = without_tensors(op, sample, number, recorded)
        assert compiled == python


class LikeTensor:
    """An object that has whatever a tensor has, and is none."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self._tensor = tensor

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tensor, name)


@on_every_sample([(op, sample) for op, sample in CASES if op.family.view])
def test_a_view_of_what_is_like_a_tensor_is_refused(op: Op, sample: Sample):
    given = [LikeTensor(each) for each in as_tensors(sample, torch.float32)]
    args, params = arguments_in_order(op, given, sample.params)
    for function in (op.function, op.function.__wrapped__):
        with pytest.raises(TypeError, match=r"must be Tensor, not LikeTensor"):
            function(*args, **params)


@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("name", ["base", "version", "origin", "recorded"])
def test_a_view_that_leads_nowhere_is_left_to_python(name: str, recorded: bool):
    for spoil in (delattr, lambda link, name: setattr(link, name, LikeTensor(torch.ones(3)))):
        view = torch.ones(3, requires_grad=True)[:2]
        spoil(view._view, name)
        with torch.set_grad_enabled(recorded), contextlib.suppress(AttributeError, TypeError):
            for use in (torch.Tensor.t, torch.neg, lambda x: x[0], lambda x: x.split(1)):
                use(view)


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((), {"alpha": 2}), ((), {"alpha": 2.5}), ((3,), {}), ((), {"out": torch.empty(2)}),
        ((), {"nothing": 1}), ((1, 2), {}),
    ],
)  # fmt: skip
def test_further_arguments_are_taken_as_python_takes_them(args: Any, kwargs: Any):
    found = []
    for function in (torch.add, torch.add.__wrapped__):
        given = (torch.tensor([1.0, 2.0]), torch.tensor([0.5, 4.0]), *args)
        found.append(outcome(function, given, kwargs))
    assert found[0] == found[1]


def test_several_results_are_a_named_tuple_whose_edges_are_numbered():
    x = torch.tensor([[1.0, 3.0], [5.0, 2.0]], requires_grad=True)
    found = torch.max(x * 1, 1)
    node = found.values.grad_fn
    assert type(found).__name__ == "max"
    assert found.indices.grad_fn is None
    assert found.values._edge == (node, 0)
    assert [(meta.shape, meta.dtype) for meta in node.metas] == [((2,), "f4"), ((2,), "i8")]
    found.values.backward(torch.tensor([2.0, 3.0]))
    assert x.grad.tolist() == [[0, 2], [3, 0]]


def test_a_tuple_of_sizes_is_checked_at_each_call():
    x = torch.ones(1, 1, 4, 4)
    pool = torch.nn.functional.max_pool2d
    assert [pool(x, (2, 2)).shape for _ in range(3)] == [(1, 1, 2, 2)] * 3
    with pytest.raises(TypeError, match="kernel_size"):
        pool(x, (2, 2.0))
    with pytest.raises(TypeError, match="Overflow"):
        pool(x, (2, 2**70))


def test_a_node_carries_the_line_and_the_offset_of_its_call():
    x = torch.ones(2, requires_grad=True)
    y = x * x; z = x * x  # fmt: skip # noqa: E702
    line = inspect.currentframe().f_lineno - 1
    first, second = y.grad_fn.site, z.grad_fn.site
    assert first.line == second.line == line
    assert first.code is inspect.currentframe().f_code
    assert first.text != ""
    assert first.position != second.position
    assert second.position[2:] == (first.position[2] + 11, first.position[3] + 11)


def test_sequence_numbers_follow_the_order_of_calls():
    x = torch.ones(2, requires_grad=True)
    nodes = [(x * 2).grad_fn, torch.mul.__wrapped__(x, 2).grad_fn, (x * 2).grad_fn]
    assert [node.seq - nodes[0].seq for node in nodes] == [0, 1, 2]


def test_a_node_carries_the_name_of_its_module():
    class Doubling(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return x * 2

    x = torch.ones(2, requires_grad=True)
    assert torch.nn.Sequential(Doubling())(x).grad_fn.scope == "0"
    assert (x * 2).grad_fn.scope is None


class Seen(nn.Module):
    """A layer that keeps what its forward was given, and the name that it had meanwhile."""

    def __init__(self, *inner: nn.Module) -> None:
        super().__init__()
        self.inner = nn.ModuleList(inner)
        self.seen: list[Any] = []

    def forward(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        self.seen.append((modes.scope, args, kwargs))
        for layer in self.inner:
            x = layer(x, *args, **kwargs)
        self.seen.append(modes.scope)
        return x


class Unfinished(nn.Module):
    """A layer whose constructor did not call that of `Module`."""

    def __init__(self) -> None:
        pass


def with_hooks(layer: nn.Module) -> nn.Module:
    layer.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    layer.register_forward_hook(lambda module, args, output: output * args[0])
    layer.register_full_backward_hook(lambda module, grads, _: (grads[0] * 5,))
    return layer


def with_own_forward(layer: nn.Module) -> nn.Module:
    layer.forward = lambda x: x * 7
    return layer


@pytest.mark.parametrize(
    ("layers", "args", "kwargs"),
    [
        (lambda: [Seen(Seen()), nn.Tanh(), with_own_forward(nn.Tanh())], (), {}),
        (lambda: [Seen(Seen(Seen()))], (1,), {"named": 2}),
        (lambda: [with_hooks(nn.Tanh()), Seen(with_hooks(Seen()))], (), {}),
        (lambda: [nn.Tanh()], (1,), {}),
        (lambda: [nn.Module()], (), {}),
        (lambda: [Seen(nn.Linear(3, 4))], (), {}),
    ],
)
@pytest.mark.parametrize("hook", [None, lambda module, args: (args[0] * 2, *args[1:])])
def test_a_module_is_called_as_python_calls_it(
    layers: Any, args: Any, kwargs: Any, hook: Any, monkeypatch: Any
):
    def outcome() -> Any:
        model, x = Seen(*layers()), torch.full((2,), 0.5, requires_grad=True)
        told, handle = "", contextlib.nullcontext()
        if hook is not None:
            handle = register_module_forward_pre_hook(hook)
        with handle:
            try:
                model(x, *args, **kwargs).sum().backward()
            except (RuntimeError, TypeError, NotImplementedError) as error:
                told = f"{type(error)} {error}"
        seen = [each.seen for each in model.modules() if isinstance(each, Seen)]
        return seen, told, modes.scope, modes.module_names, x.grad is None or x.grad.tolist()

    compiled = outcome()
    monkeypatch.setattr(nn.Module, "__call__", nn.Module.__call__.__wrapped__)
    assert compiled == outcome()


def test_a_module_that_cannot_be_called_says_so():
    class Outer(nn.Module):
        def forward(self, call: Callable[[], Any]) -> None:
            call()

    for wrong in (Unfinished().__call__, nn.Module.__call__, lambda: nn.Module.__call__(1)):
        with pytest.raises((TypeError, AttributeError)):
            wrong()
        with pytest.raises((TypeError, AttributeError)):
            Outer()(wrong)


def test_modes_are_those_of_the_thread():
    x = torch.ones(2, requires_grad=True)
    found: list[bool] = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: found.append((x * x).requires_grad))
        thread.start()
        thread.join()
        found.append((x * x).requires_grad)
    found.append((x * x).requires_grad)
    assert found == [True, False, True]


def test_a_change_after_saving_is_noticed():
    x = torch.ones(2, requires_grad=True)
    y = x * 1
    z = y * y
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_a_view_whose_base_was_changed_is_looked_up_anew():
    base = torch.ones(3, requires_grad=True) * 1
    view = base[:2]
    base.mul_(torch.tensor([2.0, 3.0, 4.0]))
    (view * view).sum().backward()
    assert view.tolist() == [2.0, 3.0]


def test_tensors_of_inference_mode_are_refused_as_by_python():
    with torch.inference_mode():
        x = torch.ones(2)
    w = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        w * x


def test_a_compiled_function_shows_what_the_python_function_is():
    function = torch.sigmoid
    assert function.__name__ == function.__qualname__ == "sigmoid"
    assert function.__doc__ == function.__wrapped__.__doc__
    assert inspect.signature(function) == inspect.signature(function.__wrapped__)
    assert function.op is registry["sigmoid"]
    assert inspect.isroutine(function)
    assert callable(function)
    assert torch.ones(2).sigmoid.__self__.shape == (2,)
    assert copy.deepcopy(function) is function
    sent = torch.Tensor.sigmoid
    assert pickle.loads(pickle.dumps(sent)) is sent


# ---- what must not be left behind ---------------------------------------------------------------


@pytest.fixture
def still() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def calls_with_errors(count: int) -> None:
    """Make calls of every kind, of which one in five raises."""
    x = torch.ones(2, 3, requires_grad=True)
    y, wrong = torch.ones(3), torch.ones(4)
    for _ in range(count):
        (x * y).sum()
        x @ y
        (x + 2.5).t()
        x.lt(0.5)
        with pytest.raises(RuntimeError):
            x * wrong


@pytest.mark.usefixtures("still")
def test_nothing_is_left_of_many_calls():
    x, y = torch.ones(2, 3, requires_grad=True), torch.ones(3)
    wrong = torch.ones(4)
    watched = [
        x, y, wrong, x._array, x._edge, x._edge[0], None, 0, x._array.dtype,
        torch.mul, torch.mul.op, node_class_of(torch.mul.op), torch.Tensor,
        calls_with_errors.__code__, _native.compiled,
    ]  # fmt: skip

    def calls(count: int) -> None:
        for step in range(count):
            (x * y).tanh() @ y
            (x.t() * 2.5).lt(3)
            if step % 100 == 0:
                with contextlib.suppress(RuntimeError):
                    x * wrong

    calls(200)
    gc.collect()
    before = [sys.getrefcount(each) for each in watched]
    calls(25_000)  # of five ops each
    gc.collect()
    after = [sys.getrefcount(each) for each in watched]
    drifts = [b - a for a, b in zip(before, after, strict=True)]
    assert drifts[:6] == [0] * 6
    assert max(map(abs, drifts)) < 20


@pytest.mark.usefixtures("still")
def test_memory_does_not_grow_with_calls():
    calls_with_errors(20)
    gc.collect()
    before = len(gc.get_objects())
    calls_with_errors(300)
    gc.collect()
    assert len(gc.get_objects()) - before < 50


def test_a_trace_function_sees_the_lines_of_the_program():
    seen: list[str] = []

    def trace(frame: Any, event: str, arg: Any) -> Any:
        seen.append(event)
        return trace

    x = torch.ones(2, requires_grad=True)
    sys.settrace(trace)
    try:
        y = x * x
        y = y + x
    finally:
        sys.settrace(None)
    assert (y._array == 2).all()


def test_what_an_optimizer_updates_is_collected_as_in_python():
    params = [torch.ones(shape, requires_grad=True) for shape in ((3,), (2, 2), ())]
    assert _native.compiled.usual_updates(params) is None
    params[0].grad, params[2].grad = torch.ones(3), torch.ones(())
    gradients, updated = _native.compiled.usual_updates(params)
    assert gradients == [params[0].grad, None, params[2].grad]
    expected = [(params[0], params[0].grad), (params[2], params[2].grad)]
    assert [tuple(map(id, each)) for each in updated] == [tuple(map(id, each)) for each in expected]
    params[1].grad = torch.ones(2, 2).to_sparse()
    assert _native.compiled.usual_updates(params) is NotImplemented
    params[1].grad = None
    params[0].data = torch.ones(4)
    assert _native.compiled.usual_updates(params) is NotImplemented
    assert _native.compiled.usual_updates(tuple(params)) is NotImplemented
    assert _native.compiled.usual_updates(["x"]) is NotImplemented
