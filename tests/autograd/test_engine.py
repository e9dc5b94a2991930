from __future__ import annotations

import threading
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.autograd import Function, backward, engine, grad
from pellucid.autograd.graph import GradientEdge, get_gradient_edge, release
from pellucid.autograd.warned import once


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32, requires_grad=True)


def test_gradients_from_several_ways_add_up():
    x = leaf(3)
    y = x * 2
    (y * y + y + x).backward()
    assert x.grad.tolist() == [2 * 6 * 2 + 2 + 1]


def test_backward_adds_to_what_is_there_in_place():
    x = leaf(1)
    (x * 2).backward()
    held = x.grad
    (x * 3).backward()
    assert x.grad is held
    assert held.tolist() == [5]


def test_a_fresh_gradient_is_taken_over_without_a_copy():
    x, seen = leaf(1, 2), []

    class Make(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            made = g * 2
            seen.append(made.data_ptr())
            return made

    Make.apply(x).sum().backward()
    assert seen == [x.grad.data_ptr()]


def test_a_gradient_that_somebody_holds_is_copied():
    x, y, weight = leaf(1, 2), leaf(1, 2), torch.ones(2)
    (x + y).backward(weight)
    pointers = {x.grad.data_ptr(), y.grad.data_ptr(), weight.data_ptr()}
    assert len(pointers) == 3


def test_a_gradient_gets_the_memory_layout_of_its_leaf():
    x = torch.zeros(3, 2).t().requires_grad_()
    (x * torch.ones(2, 3)).sum().backward()
    assert x.grad.stride() == x.stride()


def test_recorded_gradients_are_added_out_of_place(monkeypatch):
    monkeypatch.setattr(once, "texts", set())
    x = leaf(1)
    first = x.grad = torch.ones(1)
    with pytest.warns(UserWarning, match="create_graph=True will create a reference cycle"):
        (x * x).backward(create_graph=True)
    assert x.grad is not first
    assert x.grad.requires_grad
    assert first.tolist() == [1]


def test_a_leaf_can_be_the_root():
    x = leaf(1)
    x.backward()
    assert x.grad.tolist() == [1]


def test_the_root_may_be_the_input():
    x = leaf(1, 2)
    y = x * 2
    (g,) = grad(y, y, torch.tensor([3.0, 4.0]))
    assert g.tolist() == [3, 4]


def test_several_roots_add_up():
    x = leaf(2)
    backward([x * 2, x * x], [torch.ones(1), torch.ones(1) * 10])
    assert x.grad.tolist() == [42]


def test_only_the_inputs_are_written():
    a, b = leaf(1), leaf(2)
    (a * b).backward(inputs=[a])
    assert a.grad.tolist() == [2]
    assert b.grad is None


def test_an_input_that_is_no_leaf_gets_a_gradient():
    x = leaf(1)
    y = x * 2
    (y * 3).backward(inputs=[y])
    assert y.grad.tolist() == [3]
    assert x.grad is None


def test_grad_writes_to_no_leaf():
    x = leaf(3)
    (g,) = grad(x * x, x)
    assert g.tolist() == [6]
    assert x.grad is None


def test_an_unused_input_is_an_error_or_none_or_zeros():
    x, u = leaf(1), leaf(1, 2)
    y = x * 2
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        grad(y, [x, u], retain_graph=True)
    assert grad(y, [x, u], retain_graph=True, allow_unused=True)[1] is None
    assert grad(y, [x, u], materialize_grads=True)[1].tolist() == [0, 0]
    with pytest.raises(ValueError, match="Expected allow_unused to be True or not passed"):
        grad(y, u, materialize_grads=True, allow_unused=False)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: torch.ones(1).backward(), RuntimeError, "element 0 of tensors does not"),
        (lambda x: (x * 2).backward(), RuntimeError, "implicitly created only for scalar outputs"),
        (lambda x: (x * 2).backward(torch.ones(3)), RuntimeError, "Mismatch in shape: grad_output"),
        (lambda x: backward([x * 2], [3]), TypeError, "gradients can be either Tensors or"),
        (lambda x: backward([x * 2, x], [torch.ones(2)]), RuntimeError, "got 2 tensors and 1 grad"),
        (lambda x: x.sum().backward(inputs=[]), RuntimeError, "argument to `backward"),
        (lambda x: grad(x.sum(), []), RuntimeError, "argument to `grad\\(\\)` cannot be empty"),
        (lambda x: grad(x.sum(), torch.ones(1)), RuntimeError, "does not require grad"),
        (lambda x: get_gradient_edge(torch.ones(1)), RuntimeError, "not possible to get the"),
        (
            lambda x: (x + 1j).sum().backward(), RuntimeError,
            "implicitly created only for real scalar outputs but got torch.complex64",
        ),
        (
            lambda x: (x * 2).backward(torch.ones(2, dtype=torch.complex64)), RuntimeError,
            "For complex Tensors, both grad_output and output are required to have the same dtype",
        ),
    ],
)  # fmt: skip
def test_what_is_asked_is_checked(call, error, message):
    x = leaf(1, 2)
    with pytest.raises(error, match=message):
        call(x)
    assert x.grad is None


def test_edges_stand_for_tensors():
    x = leaf(1, 2)
    y = x * 2
    root, wanted = get_gradient_edge(y), get_gradient_edge(x)
    assert isinstance(root, GradientEdge)
    (g,) = grad(root, wanted, torch.ones(2), retain_graph=True)
    assert g.tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="only for scalar outputs"):
        grad(root, wanted)


def test_a_batch_of_gradients_gives_a_batch():
    x = leaf(1, 2)
    rows = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    (g,) = grad(x * x, x, rows, is_grads_batched=True)
    assert g.tolist() == [[2, 0], [0, 4], [2, 4]]
    unused = torch.ones(2, requires_grad=True)
    _, zeros = grad(x * x, [x, unused], rows, is_grads_batched=True, materialize_grads=True)
    assert zeros.tolist() == [[0, 0]] * 3
    with pytest.raises(ValueError, match="takes grad_outputs with a first dimension"):
        grad(x.sum(), x, is_grads_batched=True)
    with pytest.raises(RuntimeError, match="If `is_grads_batched=True`, we interpret the first"):
        grad(x * x, x, torch.ones(3, 3), is_grads_batched=True)


def test_graphs_of_chosen_tensors_are_kept():
    x = leaf(2)
    trunk = x * x
    first, second = trunk * trunk, trunk.exp()
    first.backward(retain_graph=second)
    assert first.grad_fn.freed_by is not None
    assert trunk.grad_fn.freed_by is None
    second.backward()
    assert trunk.grad_fn.freed_by is not None


def test_a_graph_can_be_released_by_hand():
    y = leaf(2) * leaf(3)
    release(y)
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()


def test_backward_inside_a_hook_runs_at_once():
    x, w = leaf(1), leaf(5)
    y, inner = x * 2, w * 3
    y.register_hook(lambda g: inner.backward())
    y.backward()
    assert (x.grad.item(), w.grad.item()) == (2, 3)


def test_backward_inside_a_custom_function_runs_at_once():
    class Checkpointed(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.exp()

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            inner = x.detach().requires_grad_()
            with torch.enable_grad():
                y = inner.exp()
            y.backward(g)
            return inner.grad

    x = leaf(0.5)
    (Checkpointed.apply(x) * 2).backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * np.exp([0.5]), rtol=1e-6)


def test_backward_passes_nest_deeper_than_the_stack_of_python():
    reached = []

    class Nest(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            depth = len(reached)
            reached.append(depth)
            if depth < 2000:
                with torch.enable_grad():
                    Nest.apply(leaf(1)).backward()
            return g

    Nest.apply(leaf(1)).backward()
    assert len(reached) == 2001


def test_an_error_deep_inside_comes_out():
    class Fail(Function):
        @staticmethod
        def forward(ctx, x, depth):
            ctx.depth = depth
            return x * 1

        @staticmethod
        def backward(ctx, g):
            if ctx.depth == 0:
                raise KeyError("deep")
            with torch.enable_grad():
                Fail.apply(leaf(1), ctx.depth - 1).backward()
            return g, None

    with pytest.raises(KeyError, match="deep"):
        Fail.apply(leaf(1), 100).backward()
    assert torch.is_grad_enabled()


def test_modes_are_as_before_after_an_error():
    class Fail(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            raise ValueError("stop")

    x = leaf(1)
    y = Fail.apply(x)
    with torch.no_grad():
        with pytest.raises(ValueError, match="stop"):
            y.backward()
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()
    assert x.grad is None


def test_threads_have_graphs_and_modes_of_their_own():
    results: dict[int, list[float]] = {}

    def work(number: int) -> None:
        x = leaf(number, number)
        with torch.set_grad_enabled(True):
            y = x
            for _ in range(200):
                y = y * 1.0
            (y * y).sum().backward()
        results[number] = x.grad.tolist()

    with torch.no_grad():
        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert results == {i: [2 * i, 2 * i] for i in range(4)}


def test_of_two_threads_on_one_graph_the_second_finds_it_freed():
    x = leaf(1)
    y = x.exp()
    inside, go = threading.Event(), threading.Event()
    errors = []
    y.grad_fn.register_hook(lambda gi, go_: None)

    class Wait(Function):
        @staticmethod
        def forward(ctx, t):
            return t * 1

        @staticmethod
        def backward(ctx, g):
            inside.set()
            go.wait(10)
            return g

    z = Wait.apply(y)

    def run() -> None:
        try:
            z.backward()
        except RuntimeError as error:
            errors.append(str(error))

    thread = threading.Thread(target=run)
    thread.start()
    inside.wait(10)
    y.backward()
    go.set()
    thread.join()
    assert len(errors) == 1
    assert errors[0].startswith("Trying to backward through the graph a second time")


def test_anomaly_detection_names_the_function_and_its_line():
    x = leaf(0)
    y = x.sqrt() * 0.0
    with (
        pytest.warns(UserWarning, match="Anomaly|Error detected") as warned,
        torch.autograd.detect_anomaly(),
        pytest.raises(RuntimeError, match="SqrtBackward0") as caught,
    ):
        y.sum().backward()
    texts = [str(each.message) for each in warned]
    assert texts[0].startswith("Anomaly Detection has been enabled.")
    assert texts[1].startswith("Error detected in SqrtBackward0. Traceback of forward call")
    assert "y = x.sqrt() * 0.0" in texts[1]
    assert "returned nan values in its 0th output" in str(caught.value)
    assert "test_engine.py" in str(caught.value)


def test_anomaly_detection_notes_which_backward_made_a_node():
    x = leaf(2)
    y = x.exp()
    with torch.autograd.set_detect_anomaly(True):
        (g,) = grad(y, x, create_graph=True)
    assert g.grad_fn.metadata["parent"] is y.grad_fn


def test_modes_nest_and_decorate():
    @torch.no_grad()
    def quiet(x):
        with torch.enable_grad():
            inner = x * 2
        return inner.requires_grad, (x * 2).requires_grad

    assert quiet(leaf(1)) == (True, False)


def test_gradients_of_broadcast_operands_are_summed():
    x, y = leaf(1, 2), torch.ones(3, 1, requires_grad=True)
    (x * y).sum().backward()
    assert x.grad.tolist() == [3, 3]
    assert y.grad.tolist() == [[3], [3], [3]]


def test_a_gradient_has_the_dtype_of_its_tensor():
    x = leaf(1)
    y = torch.ones(1, dtype=torch.float64, requires_grad=True)
    (x * y).backward()
    assert (x.grad.dtype, y.grad.dtype) == (torch.float32, torch.float64)


def test_the_real_part_reaches_a_real_input_of_a_complex_operation():
    x = leaf(2)
    z = x * torch.tensor([1 + 2j])
    (z * z.conj()).real.sum().backward()
    assert x.grad.tolist() == [20]


def test_gradients_in_half_precision_are_added_up_in_single_precision():
    x = torch.ones(5000, 2, dtype=torch.float16)
    column, row = (torch.ones(n, dtype=torch.float16, requires_grad=True) for n in (2, 1))
    (x * column).sum().backward()
    assert column.grad.tolist() == [5000, 5000]
    (x[:4000, :1] * row).sum().backward()
    assert row.grad.tolist() == [4000]


def test_a_pass_towards_inputs_leaves_what_is_older_alone():
    x = torch.ones(2, requires_grad=True)
    old = x.exp().sin()
    middle = old * 2
    leaf = torch.ones(2, requires_grad=True)
    root = (middle * leaf).sum().grad_fn
    assert len(engine._walk([root])[0]) == 5
    assert len(engine._walk([root], middle.grad_fn.born)[0]) == 3
    assert len(engine._walk([root], leaf.edge[0].born)[0]) == 2
    seen = engine.plan_towards([root], {middle.grad_fn, x.edge[0]}, run_wanted=False)
    assert [node.name() for node in seen.nodes] == [
        "SumBackward0", "MulBackward0", "MulBackward0", "SinBackward0", "ExpBackward0"
    ]  # fmt: skip


def test_gradients_reach_every_tensor_of_a_graph_with_changes_in_place():
    leaf = torch.ones(4, requires_grad=True)
    base = leaf * 2
    row = base[1:3]
    row.mul_(3)
    late = torch.ones(2, requires_grad=True)
    base[:2].add_(late)
    out = (base * base).sum() + (row * late).sum()
    for each in (leaf, late, base, row):
        (found,) = torch.autograd.grad(out, each, retain_graph=True)
        assert found.shape == each.shape
    assert torch.autograd.grad(out, leaf)[0].tolist() == [12, 90, 78, 8]


@pytest.mark.parametrize(
    ("node", "number", "error", "message"),
    [
        (None, 1, IndexError, r"'output_nr' is 1, but MulBackward0 has 1 outputs"),
        (None, 10**9, IndexError, "'output_nr' is 1000000000, but"),
        (None, -1, IndexError, "'output_nr' is -1, but"),
        (None, "a", TypeError, "'output_nr' must be int, not str"),
        (None, 0.0, TypeError, "'output_nr' must be int, not float"),
        (5, 0, TypeError, "'node' must be a node of a graph, not int"),
    ],
)
def test_an_edge_that_there_is_not_is_refused_before_anything_runs(node, number, error, message):
    x = leaf(1, 2)
    y = x * 2
    ran: list[Any] = []
    y.register_hook(ran.append)
    edge = GradientEdge(y.grad_fn if node is None else node, number)
    for call in (
        lambda: torch.autograd.backward(edge, torch.ones(2)),
        lambda: grad(edge, x, torch.ones(2)),
        lambda: grad(y.sum(), edge),
        lambda: y.sum().backward(inputs=[edge]),
    ):
        with pytest.raises(error, match=message):
            call()
    assert ran == []
    assert x.grad is None


INDEXED = {
    "indices": lambda x: x[[1, 0]],
    "a mask": lambda x: x[torch.tensor([True, False, True])],
    "take": lambda x: x.take(torch.tensor([0, 2])),
    "masked_select": lambda x: x.masked_select(torch.tensor([True, False, True])),
    "put": lambda x: torch.zeros(3).index_put((torch.tensor([0, 1, 2]),), x),
    "masked_scatter": lambda x: torch.zeros(3).masked_scatter(torch.ones(3).bool(), x),
    "the gradient of indices": lambda x: torch.func.vjp(lambda y: y[[1, 0, 1]], x.detach())[1](x)[
        0
    ],
}


@pytest.mark.parametrize("name", INDEXED)
def test_a_backward_frees_the_indices_of_a_graph(name: str):
    x = torch.ones(3, requires_grad=True)
    y = INDEXED[name](x)
    y.backward(torch.ones_like(y), retain_graph=True)
    y.backward(torch.ones_like(y))
    twice = x.grad.tolist()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward(torch.ones_like(y))
    assert x.grad.tolist() == twice
    assert any(twice)


@pytest.mark.parametrize("make", [lambda x: x[1], lambda x: x[1:], lambda x: x[None], torch.neg])
def test_a_graph_that_saves_nothing_is_not_freed(make):
    x = torch.ones(3, requires_grad=True)
    y = make(x)
    y.backward(torch.ones_like(y))
    y.backward(torch.ones_like(y))
    assert x.grad.abs().max() == 2


SUMS_WITH_PRODUCTS = {
    "addbmm": lambda x: torch.addbmm(x, torch.ones(4, 2, 3), torch.ones(4, 3, 2), beta=3, alpha=2),
    "addmm": lambda x: torch.addmm(x, torch.ones(2, 3), torch.ones(3, 2), beta=3, alpha=2),
    "addr": lambda x: torch.addr(x, torch.ones(2), torch.ones(2), beta=3, alpha=2),
    "baddbmm": lambda x: torch.baddbmm(x, torch.ones(4, 2, 3), torch.ones(4, 3, 2), beta=0.75),
}


@pytest.mark.parametrize("name", SUMS_WITH_PRODUCTS)
@pytest.mark.parametrize("where", [nullcontext, torch.inspect.in_python])
def test_what_is_added_to_products_has_a_node_that_saves_no_tensor(name: str, where: Any):
    x = torch.ones(2, 2, requires_grad=True)
    with where():
        y = SUMS_WITH_PRODUCTS[name](x)
        assert y.grad_fn.name() == f"{name.capitalize()}Backward0"
        y.backward(torch.ones_like(y))
        y.backward(torch.ones_like(y))
    assert x.grad.tolist() == [[6, 6], [6, 6]]


@pytest.mark.parametrize("where", [nullcontext, torch.inspect.in_python])
def test_the_divisor_that_addcdiv_saves_is_freed_whoever_asks_for_it(where: Any):
    x, ones = leaf(1, 2), torch.ones(2)
    with where():
        y = torch.addcdiv(x, ones, ones)
        y.sum().backward()
        with pytest.raises(RuntimeError, match="backward through the graph a second time"):
            y.sum().backward()


LERPS = {
    "a float": lambda x, end: torch.lerp(x, end, 0.25),
    "an integer": lambda x, end: torch.lerp(x, end, 1),
    "in place": lambda x, end: (x + 0).lerp_(end, 0.25),
    "of a list": lambda x, end: torch._foreach_lerp([x], [end], 0.25)[0],
    "towards a leaf": lambda x, end: torch.lerp(end.detach(), x, 0.25),
}


@pytest.mark.parametrize("name", LERPS)
@pytest.mark.parametrize("where", [nullcontext, torch.inspect.in_python])
def test_a_number_that_is_all_a_node_saves_is_not_freed(name: str, where: Any):
    x, end = leaf(1, 2), leaf(3, 5)
    with where():
        y = LERPS[name](x, end)
        assert y.grad_fn.name() == "LerpBackward0"
        y.backward(torch.ones_like(y))
        first = x.grad.clone()
        y.backward(torch.ones_like(y))
    assert torch.equal(x.grad, first * 2)


@pytest.mark.parametrize("where", [nullcontext, torch.inspect.in_python])
def test_a_tensor_without_dimensions_is_freed_where_a_number_is_not(where: Any):
    x, end = leaf(1, 2), leaf(3, 5)
    with where():
        y = torch.lerp(x, end, torch.tensor(0.25))
        assert y.grad_fn.name() == "LerpBackward1"
        y.sum().backward()
        with pytest.raises(RuntimeError, match="backward through the graph a second time"):
            y.sum().backward()
