"""Who keeps the memory of a tensor alive: chains of owners from the program's variables."""

from __future__ import annotations

import gc
import sys
import threading
import warnings
import weakref
from typing import Any

import pytest

import pellucid as torch
from pellucid.inspect import why_alive

pytestmark = pytest.mark.usefixtures("without_the_session")

KEPT: dict[str, Any] = {}


def chains(tensor: Any) -> list[str]:
    return [str(chain) for chain in why_alive(tensor).chains]


def test_a_local_variable_is_named_with_its_function() -> None:
    x = torch.ones(3)
    (chain,) = map(str, why_alive(x).chains)
    assert chain.startswith("variable x of test_a_local_variable_is_named_with_its_function() at ")
    assert chain.endswith("→ its memory")


def test_a_container_in_a_module_is_followed() -> None:
    x = torch.ones(3)
    KEPT["activations"] = [torch.zeros(1), x]
    try:
        del KEPT["activations"][0]
        other = x.view(3)
        KEPT["view"] = other
        del other
        found = chains(x)
        assert any("KEPT" in chain and "['view']" in chain for chain in found)
    finally:
        KEPT.clear()


def test_an_attribute_is_named() -> None:
    class Cache:
        pass

    cache = Cache()
    x = torch.ones(3)
    cache.last = x.detach()  # pyright: ignore[reportAttributeAccessIssue]
    assert any(".last" in chain and "variable cache" in chain for chain in chains(x))


def test_a_closure_is_named() -> None:
    x = torch.ones(3)

    def make(kept: Any) -> Any:
        return lambda: kept

    function = make(x.detach())
    assert any("closure variable kept" in chain for chain in chains(x))
    assert function() is not None


def test_a_node_that_has_saved_it_is_reached_through_the_graph() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    losses = [(y.sin() * 2.0).sum()]
    memory = y.detach()
    del y
    found = [chain for chain in chains(memory) if "losses" in chain]
    assert any("saved input" in chain and "SinBackward0" in chain for chain in found)
    assert any("[0]" in chain and "grad_fn" in chain for chain in found)
    assert losses


def test_the_shortest_chain_comes_first_and_a_long_one_is_shortened() -> None:
    x = torch.ones(3)
    w = torch.ones(3, requires_grad=True)
    h: Any = w * x
    for _ in range(50):
        h = h.sin()
    found = why_alive(x).chains
    assert len(found[0].steps) == 1
    assert any("more nodes" in step for chain in found for step in chain.steps)


def test_a_deep_graph_is_searched_without_recursion() -> None:
    x = torch.ones(3)
    h: Any = torch.ones(3, requires_grad=True) * x
    for _ in range(4_000):
        h = h.sin()
    assert any("3,999 more nodes" in str(chain) for chain in why_alive(x).chains)


def test_a_hook_that_closes_over_its_own_tensor_is_told() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    y.register_hook(lambda grad: grad * y.detach())
    told = why_alive(y)
    assert told.cycle is not None
    assert told.cycle.hook
    assert told.cycle.steps[-1] == "closure variable y to the tensor"
    assert "A hook of the tensor closes over the tensor itself" in str(told)


def test_a_tensor_in_no_cycle_has_none() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    assert why_alive(x).cycle is None
    assert why_alive(y).cycle is None


def test_a_gradient_with_a_graph_of_its_own_makes_no_cycle() -> None:
    x = torch.ones(3, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's warning, told once
        (x**3).sum().backward(create_graph=True)
    assert why_alive(x).cycle is None


def test_another_threads_variable_is_found() -> None:
    x = torch.ones(3)
    ready, done = threading.Event(), threading.Event()

    def hold(given: Any) -> None:
        elsewhere = given.detach()
        ready.set()
        done.wait(20)
        del elsewhere

    thread = threading.Thread(target=hold, args=(x,))
    thread.start()
    try:
        assert ready.wait(20)
        assert any("variable elsewhere of" in chain for chain in chains(x))
    finally:
        done.set()
        thread.join()


def test_what_only_a_cycle_keeps_is_told(without_gc: None) -> None:
    class Link:
        pass

    one, other = Link(), Link()
    one.next, other.next = other, one  # pyright: ignore[reportAttributeAccessIssue]
    x = torch.ones(3)
    one.kept = x.detach()  # pyright: ignore[reportAttributeAccessIssue]
    gone = weakref.ref(one)
    del one, other
    assert gone() is not None
    assert len(why_alive(x).chains) == 1  # the variable x alone
    gc.collect()
    assert gone() is None


def test_nothing_lives_longer_for_being_asked_about(without_gc: None) -> None:
    def inner() -> Any:
        x = torch.ones(3)
        reference = weakref.ref(x)
        str(why_alive(x))
        del x
        return reference() is None

    assert inner()


def test_locals_that_the_program_holds_stay_as_they_are() -> None:
    x = torch.ones(3)
    names = locals()
    why_alive(x)
    assert names["x"] is x
    assert sys.getrefcount(x) > 1


def test_only_a_tensor_is_asked_about() -> None:
    with pytest.raises(TypeError, match="why_alive\\(\\) takes a tensor, not str"):
        why_alive("x")  # pyright: ignore[reportArgumentType]
