"""Drawings and pages of graphs in every state: nothing is raised, and nothing changed."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import pellucid as torch
from pellucid.inspect import diff, graph, record
from pellucid.inspect.page.compared import diff_page
from pellucid.inspect.page.document import graph_page
from pellucid.inspect.page.recorded import recording_page
from pellucid.inspect.page.svg import write_svg
from tests.samples.grouped import together


def live() -> Any:
    w = torch.ones(3, requires_grad=True)
    return (w.exp() * w).sum()


def freed() -> Any:
    loss = live()
    loss.backward()
    return loss


def half_freed() -> Any:
    w = torch.ones(3, requires_grad=True)
    y = w.exp()
    loss = (y * y).sum()
    loss.backward(retain_graph=y)
    return loss


def packed() -> Any:
    def refuse(packed: Any) -> Any:
        raise AssertionError("a saved tensor was unpacked")

    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, refuse):
        return live()


def hooked() -> Any:
    loss = live()

    def refuse(*gradients: Any) -> None:
        raise AssertionError("a hook was run")

    loss.grad_fn.register_hook(refuse)
    return loss


def custom() -> Any:
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return 2 * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 2 * g

    return Twice.apply(torch.ones(3, requires_grad=True)).sum()


def twice_differentiated() -> Any:
    w = torch.ones(3, requires_grad=True)
    (slope,) = torch.autograd.grad((w**3).sum(), w, create_graph=True)
    return slope.sum()


def changed_in_place() -> Any:
    x = torch.ones(3, requires_grad=True) * 1.0
    x[1:].mul_(2.0)
    return x.sum()


def without_source() -> Any:
    names: dict[str, Any] = {"torch": torch}
    exec("y = torch.ones(2, requires_grad=True).exp()", names)
    return names["y"]


def leaf() -> Any:
    return torch.ones(3, requires_grad=True)


GRAPHS = [
    live, freed, half_freed, packed, hooked, custom, twice_differentiated, changed_in_place,
    without_source, leaf,
]  # fmt: skip


def everything(loss: Any) -> None:
    """Draw a graph in every way that there is."""
    picture = graph(loss)
    assert write_svg(picture)
    assert graph_page(picture)
    assert diff_page(diff(picture, picture))


@together()
@pytest.mark.parametrize("make", GRAPHS)
def test_every_graph_can_be_drawn(make: Callable[[], Any]) -> None:
    loss = make()
    version = loss._version
    everything(loss)
    assert loss._version == version


@pytest.mark.parametrize("make", [live, packed, custom, twice_differentiated, changed_in_place])
def test_drawing_keeps_nothing_alive(make: Callable[[], Any], without_gc: None) -> None:
    loss = make()
    node = weakref.ref(loss.grad_fn)
    everything(loss)
    del loss
    assert node() is None


def test_a_graph_that_was_drawn_gives_the_same_gradients() -> None:
    w = torch.ones(3, requires_grad=True)
    loss = (w.exp() * w).sum()
    everything(loss)
    loss.backward()
    assert torch.allclose(w.grad, 2 * torch.exp(torch.ones(3)))


def test_a_graph_is_drawn_while_it_runs() -> None:
    w = torch.ones(3, requires_grad=True)
    y = w.exp()
    loss = (y * y).sum()
    drawn = []
    y.register_hook(lambda gradient: drawn.append(everything(loss)))
    loss.backward()
    assert drawn == [None]
    assert w.grad is not None


def test_a_graph_is_drawn_from_another_thread() -> None:
    loss, failures = live(), []

    def work() -> None:
        try:
            everything(loss)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test has to see it
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert failures == []


def test_a_recording_that_an_error_has_ended_has_a_page() -> None:
    loss = freed()
    with pytest.raises(RuntimeError), record() as recording:
        (loss * 2).backward()
    assert recording_page(recording)


def test_a_deep_graph_does_not_exhaust_the_stack() -> None:
    value: Any = torch.ones(2, requires_grad=True)
    for number in range(3_000):
        value = value.sin() if number % 7 else value.cos() + number % 11
    everything(value)
