"""The compiled engine gives what the Python engine gives, and leaves as little behind."""

from __future__ import annotations

import gc
import os
import signal
import sys
import tracemalloc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid import _native
from pellucid.autograd import engine
from pellucid.core.backward.node_backward import node_class_of
from pellucid.core.backward.plan import plan_for
from pellucid.core.backward.recording import StandIn, Unwritable, write_program
from pellucid.core.call.compiled import takes_compiled_calls
from pellucid.core.definition.op import Op, registry
from pellucid.core.families import UNDERIVED
from pellucid.nn import functional
from pellucid.observe import Observer, observing
from tests.samples.ops import Sample, arguments_in_order, on_every_sample, samples

pytestmark = pytest.mark.skipif(_native.compiled is None, reason="there is no compiled module")

CASES = [
    (op, sample)
    for _, op in sorted(registry.items())
    if takes_compiled_calls(op) and op.formulas and op.family is not UNDERIVED
    if op.name != "view_dtype" and op.single and not op.variadic
    for sample in samples(op)
]


def leaves_of(sample: Sample) -> list[Any]:
    return [
        torch.tensor(each, dtype=torch.float32, requires_grad=True)
        if isinstance(each, np.ndarray) and each.dtype.kind == "f"
        else torch.tensor(each) if isinstance(each, np.ndarray) else each
        for each in sample.operands
    ]  # fmt: skip


def gradients_of(op: Op, sample: Sample) -> list[Any]:
    """Return the bits of the gradients of an op, a step behind it and a step in front."""
    leaves = leaves_of(sample)
    moved = [each * 1.0 if getattr(each, "requires_grad", False) else each for each in leaves]
    args, params = arguments_in_order(op, moved, sample.params)
    result = op.function(*args, **params)
    if not result.requires_grad:
        return []
    (result * 0.75).backward(torch.full_like(result.detach(), 0.5))
    found = [getattr(each, "_grad", None) for each in leaves]
    return [None if g is None else (g._array.shape, g._array.tobytes()) for g in found]


def recorded_gradients_of(op: Op, sample: Sample) -> list[Any]:
    """Return the bits of an op's gradients by its first leaf and by all, and of theirs."""
    leaves = leaves_of(sample)
    args, params = arguments_in_order(op, leaves, sample.params)
    result = op.function(*args, **params)
    inputs = [each for each in leaves if getattr(each, "requires_grad", False)]
    if not result.requires_grad:
        return []
    ones = torch.full_like(result.detach(), 0.5)
    (alone,) = torch.autograd.grad(result, inputs[:1], ones, True, allow_unused=True)
    first = torch.autograd.grad(result, inputs, ones, create_graph=True, allow_unused=True)
    again = [each for each in first if each is not None and each.requires_grad]
    second = ()
    if again:
        total = sum((each * each).sum() for each in again)
        second = torch.autograd.grad(total, inputs, allow_unused=True)
    found = (alone, *first, *second)
    return [None if g is None else (g._array.shape, g._array.tobytes()) for g in found]


@on_every_sample(CASES)
def test_gradients_have_the_bits_of_the_python_engine(
    op: Op, sample: Sample, monkeypatch: pytest.MonkeyPatch
):
    compiled = [gradients_of(op, sample) for _ in range(3)]  # a program runs from the second on
    recorded = recorded_gradients_of(op, sample)
    with monkeypatch.context() as patch:
        patch.setattr(engine, "compiled", None)
        assert compiled == [gradients_of(op, sample)] * 3
        assert recorded == recorded_gradients_of(op, sample)


@on_every_sample(CASES[::3])
def test_ops_and_nodes_that_are_observed_give_the_same_bits(op: Op, sample: Sample):
    alone = gradients_of(op, sample)
    with observing(Observer()):
        assert gradients_of(op, sample) == alone


def program_of(
    op: Op, needed: tuple[bool, ...], ndims: tuple[int, ...], count: int, shapes: Any = None
) -> Any:
    defaults = tuple(param.default for param in op.params) or None
    backward = plan_for(op, needed).backward
    return write_program(backward, ndims, count, np.dtype(np.float32), defaults, None, shapes)


def test_formulas_are_written_down_as_programs():
    constants, steps, results, keeps_to_rows, _ = program_of(
        registry["sqrt"], (True,), (2, 2, 2), 2
    )
    assert constants == (2,)
    assert [(kind, subject) for kind, subject, _ in steps] == [
        ("loop", np.multiply), ("loop", np.divide),
    ]  # fmt: skip
    assert [places for _, _, places in steps] == [(0, 2), (1, 3)]
    assert results == (4,)
    assert keeps_to_rows


def test_products_of_matrices_are_steps_of_their_own_and_those_of_batches_are_calls():
    matmul = registry["matmul"]
    _, steps, results, keeps_to_rows, _ = program_of(matmul, (True, True), (2, 2, 2, 2, 2), 3)
    assert not keeps_to_rows
    assert [kind for kind, _, _ in steps] == ["transpose", "product", "transpose", "product"]
    assert results == (4, 6)
    _, steps, *_ = program_of(matmul, (True, True), (3, 3, 3, 3, 3), 3)
    assert [kind for kind, _, _ in steps] == ["transpose", "call", "transpose", "call"]


def test_a_formula_that_looks_at_sizes_is_written_down_for_these_alone():
    mean = registry["mean"]
    assert program_of(mean, (True,), (0, 2), 1) is None
    constants, steps, results, *_ = program_of(mean, (True,), (0, 2), 1, (np.asarray(1.0), (2, 3)))
    assert constants == (6,)
    assert [kind for kind, _, _ in steps] == ["expand", "loop"]
    assert results == (3,)


def test_a_program_for_some_sizes_is_not_run_for_others():
    for count in (3, 3, 5, 3, 5, 1):
        x = torch.arange(float(count), requires_grad=True)
        torch.nn.functional.mse_loss(x * 1, torch.zeros(count)).backward()
        assert x.grad.tolist() == (2 * x.detach() / count).tolist()


def test_stretching_to_the_sizes_of_an_operand_is_written_down():
    assert program_of(registry["sum"], (True,), (0, 2), 1) == (
        (),
        (("expand", None, (0, -1)),),
        (1,),
        False,
        (),
    )


def test_sizes_lists_and_slices_are_written_down_as_they_are():
    select, amax = registry["select"], registry["amax"]
    backward = plan_for(select, (True,)).backward
    examples = (np.ones(4, np.float32), (3, 4))
    program = write_program(backward, (1, 2), 1, np.dtype("f"), (0, 2), None, examples)
    assert program is not None
    indices = [each for name, _, (_, arguments) in program.steps for each in arguments]
    assert indices == [(-2, (0,)), (-1, [(2, ...)]), (-1, (3, 4))]
    assert program.results == (1,)
    backward = plan_for(amax, (True,)).backward
    examples = (np.ones((3, 4), np.float32), *(np.ones(3, np.float32),) * 2, (3, 4))
    program = write_program(backward, (2, 1, 1, 2), 3, np.dtype("f"), (1, False), None, examples)
    assert program is not None
    assert [each[1] for each in program.steps if each[0] == "reshape"] == [(-1, 1)] * 2
    assert program.keeps_to_rows


def test_a_gradient_of_another_shape_in_the_memory_of_one_that_is_held_is_copied():
    held = []
    x = torch.ones(4, 3, requires_grad=True)
    for _ in range(2):
        x.grad = None
        y = x * 1
        y.register_hook(held.append)
        y.reshape(12).mul(2).backward(torch.ones(12))
        x.grad.zero_()
    assert all(each.tolist() == [[2.0] * 3] * 4 for each in held)


def test_what_stands_in_for_an_array_has_no_truth_value():
    with pytest.raises(Unwritable):
        bool(StandIn(None, None, 2))  # pyright: ignore[reportArgumentType]


def test_other_dtypes_and_dimensions_come_after_the_first():
    def gradient(*shape: int, dtype: Any = torch.float32) -> list[Any]:
        x = torch.full(shape, 0.5, dtype=dtype, requires_grad=True)
        for _ in range(2):
            x.sigmoid().backward(torch.ones(shape, dtype=dtype))
        return [x.grad.dtype, x.grad.shape, x.grad.sum().item()]

    one = gradient(2, 3)
    assert gradient(2, 3, dtype=torch.float64)[0] is torch.float64
    assert gradient(6)[1:] == [(6,), one[2]]
    assert gradient(1, 2, 3, 1)[1:] == [(1, 2, 3, 1), one[2]]
    assert gradient(2, 3) == one


def test_a_saved_value_that_was_changed_is_refused_by_a_program_too():
    x = torch.ones(3, requires_grad=True)
    for change in (False, False, True):
        y = x * 1
        z = y * y
        if change:
            y.add_(1)
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                z.sum().backward()
        else:
            z.sum().backward()


def test_an_error_in_a_backward_names_the_line_of_its_node():
    class Failing(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            raise ValueError("no gradient today")

    x = torch.ones(2, requires_grad=True)
    y = Failing.apply(x * 2)
    with pytest.raises(ValueError, match=r"(?s)no gradient today.*in the backward of Failing"):
        (y * 3).sum().backward()


def test_hooks_in_the_middle_of_a_graph_run_where_they_stand():
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    z = y * 3
    seen: list[Any] = []
    y.register_hook(lambda g: seen.append(g.tolist()) or g * 10)
    z.grad_fn.register_hook(lambda gi, go: seen.append("node"))
    z.retain_grad()
    (z * 1).sum().backward()
    assert seen == ["node", [3.0, 3.0]]
    assert x.grad.tolist() == [60.0, 60.0]
    assert z.grad.tolist() == [1.0, 1.0]


def test_gradients_that_arrive_several_times_are_added_up():
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    total = y * 1 + y * 2 + y * 3 + y.sum() * torch.ones(3)
    total.sum().backward()
    total = (x * 2).sum()
    total.backward()
    assert x.grad.tolist() == [2 * (1 + 2 + 3 + 3) + 2] * 3


def test_a_gradient_is_shared_with_nobody():
    x, y = (torch.ones(3, requires_grad=True) for _ in range(2))
    seed = torch.ones(3)
    (x + y).backward(seed)
    x.grad.mul_(5)
    assert y.grad.tolist() == seed.tolist() == [1.0, 1.0, 1.0]


def test_what_a_node_has_saved_is_freed_when_it_has_run():
    x = torch.ones(1000, requires_grad=True)
    y = x * 2
    kept = weakref.ref(y._array)
    z = (y * y).sum()
    del y
    assert kept() is not None
    z.backward()
    assert kept() is None
    with pytest.raises(RuntimeError, match="second time"):
        z.backward()


LONG_FORMULAS = {
    "product": lambda w: (w.exp().sin() * w).sum(),
    "quotient": lambda w: (w.sin() / w.exp()).sum(),
    "tanh": lambda w: w.tanh().tanh().sum(),
    "variance": lambda w: ((w - w.mean()) ** 2).mean(),
    "rows": lambda w: w.view(100, 500).softmax(1).square().sum(),
}


def peak_of_backward(formula: Any) -> int:
    w = torch.ones(50_000, dtype=torch.float64, requires_grad=True)
    for _ in range(2):  # the first run writes the formulas down
        formula(w).backward()
        w.grad = None
    loss = formula(w)
    tracemalloc.start()
    try:
        loss.backward()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", LONG_FORMULAS)
def test_a_pass_holds_no_more_memory_at_once_than_in_python(name):
    compiled = peak_of_backward(LONG_FORMULAS[name])
    with torch.inspect.in_python():
        in_python = peak_of_backward(LONG_FORMULAS[name])
    assert compiled < in_python + 50_000 * 8 / 2  # blocks of elements are copied


def test_steps_write_over_nothing_that_is_read_again():
    w = torch.linspace(0.5, 2.0, 300, dtype=torch.float64, requires_grad=True)
    seed = torch.linspace(1.0, 3.0, 300, dtype=torch.float64)
    for formula in (lambda w: w.sin() / w.exp(), lambda w: w.tanh().tanh(), torch.erf):
        out = formula(w)
        kept = w.detach().clone(), seed.clone(), out.detach().clone()
        found = [torch.autograd.grad(out, w, seed, retain_graph=True)[0] for _ in range(3)]
        assert all(torch.equal(found[0], each) for each in found[1:])
        assert all(map(torch.equal, kept, (w.detach(), seed, out.detach())))


def test_a_graph_that_is_kept_runs_again():
    x = torch.ones(2, requires_grad=True)
    z = ((x * 2) * (x * 3)).sum()
    z.backward(retain_graph=True)
    z.backward()
    assert x.grad.tolist() == [24.0, 24.0]


def _raise(gradient: Any) -> None:
    raise ValueError("no gradient today")


def test_no_reference_is_left_of_many_backward_passes():
    x, w = (torch.ones(2, 3, requires_grad=True) for _ in range(2))
    watched = [x, w, x._array, w._array, x._edge, x._edge[0], node_class_of(torch.mul.op)]

    def steps(count: int) -> None:
        for i in range(count):
            y = (x * w).tanh() @ w.t()
            if i % 10 == 0:
                y.register_hook(lambda g: g * 1)
            if i % 50 == 0:
                saved = x * 1
                wrong = (saved * saved).sum()
                saved.add_(1)
                with pytest.raises(RuntimeError):
                    wrong.backward()
            y.sum().backward()
            (slope,) = torch.autograd.grad((x * w).tanh().sum(), x, create_graph=True)
            if i % 50 == 0:
                middle = slope * 2
                middle.register_hook(_raise)
                with pytest.raises(ValueError, match="no gradient"):
                    torch.autograd.grad(middle.sum(), x, create_graph=True)
            torch.autograd.grad(slope.sum(), [x, w])
            x.grad = w.grad = None

    steps(100)
    gc.collect()
    before, objects = [sys.getrefcount(each) for each in watched], len(gc.get_objects())
    steps(500)
    gc.collect()
    assert [sys.getrefcount(each) for each in watched] == before
    assert len(gc.get_objects()) - objects < 20


def test_an_interrupt_stops_a_backward_pass():
    x = torch.ones(2, requires_grad=True)
    y = x
    for _ in range(200):
        y = y * 1.5
    y.register_hook(lambda g: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        (y * 1).sum().backward()
    assert x.grad is None


def test_a_trace_function_changes_no_gradient():
    def slopes() -> list[Any]:
        x = torch.full((3,), 0.5, requires_grad=True)
        (first,) = torch.autograd.grad((x * x).tanh().sum(), x, create_graph=True)
        first.sum().backward()
        return [first.tolist(), x.grad.tolist(), first.grad_fn.site.line]

    expected, events = slopes(), []

    def trace(frame: Any, event: str, arg: Any) -> Any:
        events.append(event)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        found = slopes()
    finally:
        sys.settrace(before)
    assert found == expected
    assert "line" in events


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_goes_on_calling_and_going_backward():
    def gradient() -> float:
        x = torch.full((300, 4), 0.5, requires_grad=True)
        (x * 3).sigmoid().sum().backward()
        return x.grad.sum().item()

    before = gradient()
    child = os.fork()
    if child == 0:
        os._exit(0 if gradient() == before else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert gradient() == before


IN_BLOCKS = {
    "hardswish": torch.nn.functional.hardswish,
    "elu": torch.nn.functional.elu,
    "softplus": torch.nn.functional.softplus,
    "hardtanh": torch.nn.functional.hardtanh,
    "sigmoid of a strided view": lambda x: torch.sigmoid(x[..., ::2]),
    "by a number": lambda x: torch.atan2(x, torch.tensor(0.5)),
    "by itself": lambda x: (x * x) / (x + 3),
    "softmax": lambda x: x.softmax(1),
    "log_softmax": lambda x: x.log_softmax(-1),
    "largest of rows": lambda x: x.round().amax(1),
    "largest of planes": lambda x: x.reshape(-1, 4, 500).amax((1, 2), keepdim=True),
    "logsumexp": lambda x: x.logsumexp(1),
    "with a column": lambda x: x * x[:, :1],
    "abs": torch.abs,
    "lerp": lambda x: torch.lerp(x, x * 2, torch.tensor(0.3)),  # two gradients of one node
}


@pytest.fixture
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("name", IN_BLOCKS)
@pytest.mark.usefixtures("_one_thread")
def test_gradients_of_many_elements_have_the_bits_of_those_of_few(name):
    function = IN_BLOCKS[name]
    whole = torch.randn(21, 2000) * 2

    def gradient(values):
        for _ in range(2):  # the first pass only writes the program down
            leaf = values.clone().requires_grad_()
            out = function(leaf)
            out.backward(torch.ones_like(out) * 0.75)
        return leaf.grad

    assert torch.equal(gradient(whole), torch.cat([gradient(row) for row in whole.split(1)]))


def test_a_number_beside_a_tensor_does_not_send_the_backward_to_python():
    x = torch.ones(3, requires_grad=True)
    for _ in range(2):
        ((x**2) * 1.5 + 1).sum().backward()
    with torch.inspect.compiled_calls() as calls:
        ((x**2) * 1.5 + 1).sum().backward()
    assert "PowBackward0" in str(calls)
    assert "MulBackward0" in str(calls)
    assert "changed" not in str(calls)


#: name -> a node that saves None among its values, and a function with one
WITH_NONE = {
    "clamp from below": ("ClampBackward0", lambda x: torch.clamp(x, min=0.1)),
    "clamp from above": ("ClampBackward0", lambda x: torch.clamp(x, max=0.1)),
    "clamp to rows": ("ClampBackward0", lambda x: torch.clamp(x, min=torch.zeros(x.shape[1]))),
    "layer_norm": ("NativeLayerNormBackward0", lambda x: functional.layer_norm(x, x.shape[1:])),
    "group_norm": ("NativeGroupNormBackward0", lambda x: functional.group_norm(x, 2)),
    "nll_loss": (
        "NllLossBackward0",
        lambda x: functional.nll_loss(x, torch.arange(len(x)) % x.shape[1], reduction="sum"),
    ),
}


@pytest.mark.parametrize("shape", [(6, 4), (21, 2000)])  # few, and some blocks of elements
@pytest.mark.parametrize("name", WITH_NONE)
@pytest.mark.usefixtures("_one_thread")
def test_a_value_that_is_none_is_a_part_of_the_program(name: str, shape: tuple[int, ...]) -> None:
    node, function = WITH_NONE[name]
    values = torch.randn(shape)

    def gradient(weight: Any = None) -> Any:
        leaf = values.clone().requires_grad_()
        out = function(leaf) if weight is None else torch.clamp(leaf, weight, weight + 1)
        out.backward(torch.full_like(out, 0.75))
        return leaf.grad

    for _ in range(2):
        gradient()  # the first pass writes the program down
    gradient(torch.zeros(shape[1]))  # a program of the same op for arrays alone
    with torch.inspect.compiled_calls() as calls:
        compiled = gradient()
    # other tests may have run as many kinds of this op's arrays as have programs
    assert all("kinds of sizes" in reason for reason in calls[node].why)
    with torch.inspect.in_python():
        assert compiled.numpy().tobytes() == gradient().numpy().tobytes()


def test_none_among_the_saved_values_and_an_array_have_programs_of_their_own() -> None:
    clamp = registry["clamp"]
    needed, loops = (True, False, False), []
    for ndims in [(1, -1, -1, 1), (1, 0, -1, 1), (1, -1, 0, 1), (1, 0, 0, 1)]:
        program = program_of(clamp, needed, (*ndims, 1, -1, -1), 4)
        loops.append([] if program is None else [subject for _, subject, _ in program.steps])
    assert all(loops[1:])
    assert loops[1] != loops[2]
    assert len(loops[3]) > len(loops[1])


@pytest.mark.parametrize("compiled", [False, True])
def test_a_number_that_no_pass_frees_stays_where_the_pass_was_recorded(compiled: bool) -> None:
    def step(x: torch.Tensor, end: torch.Tensor) -> torch.Tensor:
        y = torch.lerp(x, end, 0.25)
        y.sum().backward()
        return y

    run = torch.compile(step) if compiled else step
    x, end = torch.ones(3, requires_grad=True), torch.full((3,), 2.0)
    for _ in range(8):
        y = run(x, end)
    x.grad = None
    y.sum().backward()
    assert x.grad.tolist() == [0.75] * 3


APART: dict[str, Callable[[Any], Any]] = {
    "split": lambda x: x.split(2, 1),
    "split_with_sizes": lambda x: x.split([1, 0, 4], -1),
    "chunk": lambda x: x.chunk(3),
    "unsafe_split": lambda x: x.unsafe_split(2, 1),
    "tensor_split": lambda x: x.tensor_split((1, 3), 1),
    "unbind": lambda x: x.unbind(-1),
    "transposed": lambda x: x.T.unbind(1),
}


@pytest.mark.parametrize("used", ["all", "first", "every second"])
@pytest.mark.parametrize("name", APART)
def test_gradients_of_the_parts_of_a_tensor_are_put_together_without_python(
    name: str, used: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = torch.ones(4, 5, requires_grad=True)
    step = {"all": 1, "first": 1000, "every second": 2}[used]
    expected = np.zeros((4, 5), np.float32)

    def loss() -> Any:
        parts = APART[name](x * 1.0)[::step]
        return sum((part * (i + 1)).sum() for i, part in enumerate(parts))

    places = torch.arange(20.0).reshape(4, 5)
    for i, part in enumerate(APART[name](places)[::step]):
        expected.reshape(-1)[part.numpy().astype(int)] = i + 1
    with torch.inspect.compiled_calls() as calls:
        (gradient,) = torch.autograd.grad(loss(), x)
    assert not any(each.in_python for each in calls.rows if each.name.startswith(("Split", "Un")))
    with monkeypatch.context() as patch:
        patch.setattr(engine, "compiled", None)
        (plain,) = torch.autograd.grad(loss(), x)
    np.testing.assert_array_equal(gradient.numpy(), expected)
    np.testing.assert_array_equal(plain.numpy(), expected)
    assert gradient.stride() == plain.stride()


def test_a_transposed_gradient_of_a_part_is_put_in_its_place() -> None:
    x = torch.ones(4, 6, requires_grad=True)
    first, second = x.split(3, 1)
    first.register_hook(lambda g: torch.arange(12.0).reshape(3, 4).T)
    (first + second).sum().backward()
    assert x.grad.tolist() == [[i, 4.0 + i, 8.0 + i, 1.0, 1.0, 1.0] for i in range(4)]


@pytest.mark.parametrize("shape", [(), (3,)])
def test_a_sum_of_gradients_is_handed_on_with_its_version(shape: tuple[int, ...]) -> None:
    for _ in range(3):  # the last ones without Python
        x = torch.full(shape, 1.5, requires_grad=True)
        z = x + 1.0
        with torch.inspect.compiled_calls() as calls:
            (z * z).backward(torch.ones(shape))
        assert x.grad is not None
        assert (x.grad.tolist(), x.grad._version) == (torch.full(shape, 5.0).tolist(), 1)
    assert not any(each.in_python for each in calls.rows)
