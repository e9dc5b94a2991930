"""What the graph holds, and for how long: with the garbage collector off."""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from collections.abc import Iterator

import pytest

import pellucid as torch
from pellucid.autograd import grad


@pytest.fixture(autouse=True)
def _without_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


# Deep enough to overflow the stack if any step of it were recursive.
DEPTH = 200_000


def test_a_deep_graph_is_built_run_and_dropped():
    x = torch.ones(1, requires_grad=True)
    y = x
    for _ in range(DEPTH):
        y = y + x
    y.backward()
    assert x.grad.tolist() == [DEPTH + 1]
    node = weakref.ref(y.grad_fn)
    del y
    assert node() is None


def test_a_deep_graph_that_was_never_run_is_dropped():
    x = torch.ones(1, requires_grad=True)
    y = x
    for _ in range(DEPTH):
        y = y * x
    first = weakref.ref(y.grad_fn)
    del y
    assert first() is None


def step(weight: torch.Tensor, data: torch.Tensor, create_graph: bool) -> list[weakref.ref]:
    hidden = (data @ weight).tanh()
    loss = (hidden * hidden).mean()
    if create_graph:
        (g,) = grad(loss, weight, create_graph=True)
        (g * g).sum().backward()
    else:
        loss.backward()
    return [weakref.ref(hidden._array), weakref.ref(loss.grad_fn), weakref.ref(hidden.grad_fn)]


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_training_step_leaves_no_garbage(create_graph):
    weight = torch.ones(4, 4, requires_grad=True)
    data = torch.ones(3, 4)
    step(weight, data, create_graph)  # what is made once per process is made here
    gc.collect()
    references = step(weight, data, create_graph)
    assert [each() for each in references] == [None, None, None]
    assert gc.collect() == 0


@pytest.mark.filterwarnings("ignore:Using backward:UserWarning")
def test_backward_with_create_graph_leaves_no_garbage():
    x = torch.ones(2, requires_grad=True)
    (x * x).sum().backward()
    x.grad = None
    gc.collect()
    (x * x * x).sum().backward(create_graph=True)
    node = weakref.ref(x.grad.grad_fn)
    del x
    assert node() is None
    assert gc.collect() == 0


def test_gradients_of_intermediate_tensors_are_freed_as_soon_as_they_are_passed_on():
    x = torch.ones(8, requires_grad=True)
    alive: list[weakref.ref] = []
    most = []

    def watch(g: torch.Tensor) -> None:
        most.append(sum(each() is not None for each in alive))
        alive.append(weakref.ref(g._array))

    y = x
    for _ in range(20):
        y = y.exp() * 0.1
        y.register_hook(watch)
    y.sum().backward()
    assert len(most) == 20
    assert max(most) <= 1


def test_backward_needs_memory_for_few_gradients_at_a_time():
    size, depth = 100_000, 50
    x = torch.ones(size, requires_grad=True)
    y = x
    for _ in range(depth):
        y = y + 1.0
    total = y.sum()
    tracemalloc.start()
    try:
        total.backward()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 5 * 4 * size


def test_saved_values_are_freed_during_backward():
    x = torch.ones(8, requires_grad=True)
    y = x
    saved: list[weakref.ref] = []
    for _ in range(10):
        y = y.exp() * 0.1
        saved.append(weakref.ref(y._array))
    counts = []
    x.register_hook(lambda g: counts.append(sum(each() is not None for each in saved)))
    loss = y.sum()
    del y
    loss.backward()
    assert counts[0] <= 1
