"""Who keeps the memory of a tensor alive: chains of owners from the program's variables."""

from __future__ import annotations

import functools
import gc
import io
import re
import sys
import threading
import warnings
import weakref
from collections import deque
from functools import partial
from typing import Any

import pytest

import pellucid as torch
from pellucid.autograd import reading
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


def test_the_variable_that_is_asked_about_comes_last_and_a_long_chain_is_shortened() -> None:
    x = torch.ones(3)
    w = torch.ones(3, requires_grad=True)
    h: Any = w * x
    for _ in range(50):
        h = h.sin()
    found = why_alive(x).chains
    assert len(found[-1].steps) == 1
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


# ---- every owner has a chain ----


def texts(owners: Any) -> list[str]:
    return [str(chain) for chain in owners.chains]


def test_every_container_of_the_same_tensor_has_a_chain_of_its_own() -> None:
    t = torch.ones(3)
    history, state = [t], {"last": t}
    found = texts(why_alive(t))
    assert len(found) == 3
    assert found[-1].startswith("variable t of ")
    assert any("variable history of" in each and "[0] → its memory" in each for each in found)
    assert any("variable state of" in each and "['last'] → its memory" in each for each in found)
    del history, state


def test_two_variables_of_one_tensor_are_both_told() -> None:
    t = torch.ones(3)
    other = t
    first, last = texts(why_alive(t))
    assert first.startswith("variable other of")
    assert last.startswith("variable t of")
    del other


class Slotted:
    __slots__ = ("kept",)


class Plain:
    shared: Any = None


LOCAL = threading.local()


def generated(kept: Any) -> Any:
    yield kept
    yield None


def failing(kept: Any) -> None:
    raise ValueError


def error_with(kept: Any) -> Any:
    """Return an error that has gone through a function with a variable."""
    try:
        failing(kept)
    except ValueError as error:
        return error


def default_of(kept: Any) -> Any:
    def function(value: Any = kept) -> Any:
        return value

    return function


def slot_of(kept: Any) -> Any:
    owner = Slotted()
    owner.kept = kept
    return owner


def attribute_of(kept: Any) -> Any:
    owner = Plain()
    owner.kept = kept  # pyright: ignore[reportAttributeAccessIssue]
    return owner


def module_with(kept: Any) -> Any:
    module = torch.nn.Sequential(torch.nn.Linear(1, 1))
    module[0].register_buffer("kept", kept)
    return module


def started(kept: Any) -> Any:
    generator = generated(kept)
    next(generator)
    return generator


def hooked(kept: Any) -> Any:
    y = torch.ones(1, requires_grad=True) * 2
    y.register_hook(lambda grad: grad * kept.sum())
    return y


OWNERS: dict[str, tuple[Any, str]] = {
    "nested dictionaries": (lambda t: {"x": {"y": {"z": t}}}, "['x'] → ['y'] → ['z'] → its"),
    "a slot": (slot_of, ".kept → its memory"),
    "an attribute": (attribute_of, ".kept → its memory"),
    "a kept error": (error_with, "__traceback__ → variable kept of failing() at "),
    "a generator": (started, "variable kept of the generator generated() → its memory"),
    "a closure": (lambda t: lambda: t, "closure variable t → its memory"),
    "a default": (default_of, "default → "),
    "a module's buffer": (module_with, "._modules → ['0'] → ._buffers → ['kept'] → its memory"),
    "a hook": (hooked, "closure variable kept → its memory"),
    "a set": (lambda t: {t}, "element of a set → its memory"),
    "a deque in a tuple": (lambda t: (1, deque([t])), "[1] → [0] → its memory"),
    "a bound method": (lambda t: t.sum, "self → its memory"),
    "a partial function": (lambda t: partial(print, t), " → its memory"),
}


@pytest.mark.parametrize("kind", OWNERS)
def test_an_owner_is_named_down_to_the_tensor(kind: str) -> None:
    make, ending = OWNERS[kind]
    t = torch.ones(3)
    owner = make(t)
    found = [
        each for each in texts(why_alive(t)) if each.startswith("variable owner of test_an_owner")
    ]
    assert sum(ending in each for each in found) == 1, found
    del owner


def test_an_attribute_of_a_class_is_named() -> None:
    t = torch.ones(3)
    Plain.shared = t
    try:
        assert any("variable Plain of" in each and ".shared → its memory" in each
                   for each in texts(why_alive(t)))  # fmt: skip
    finally:
        Plain.shared = None


def test_a_variable_of_a_thread_is_named() -> None:
    t = torch.ones(3)
    LOCAL.kept = t
    try:
        assert any("variable LOCAL of" in each and ".kept" in each for each in texts(why_alive(t)))
    finally:
        del LOCAL.kept


def test_an_array_with_the_memory_is_told() -> None:
    t = torch.ones(3)
    array = t.numpy()
    assert any("variable array of" in each for each in texts(why_alive(t)))
    del array


def test_what_refers_weakly_is_left_out() -> None:
    t = torch.ones(3)
    reference, table = weakref.ref(t), weakref.WeakValueDictionary({1: t})
    found = texts(why_alive(t))
    assert len(found) == 1
    del reference, table


def test_as_many_chains_are_told_as_the_collector_knows_owners() -> None:
    t = torch.ones(3)
    kept = [[t] for _ in range(20)] + [{"a": t}, (t, t)]
    owners = [each for each in gc.get_referrers(t) if isinstance(each, list | dict | tuple)]
    assert len(texts(why_alive(t))) == len(owners) + 1
    del kept


# ---- how much is looked at ----


class Asked:
    """Counts the objects that a search asks for what they refer to."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.count = 0
        referents = reading.Reader.referents

        def counted(reader: Any, objects: Any) -> Any:
            self.count += len(objects)
            return referents(reader, objects)

        patch.setattr(reading.Reader, "referents", counted)

    def of(self, tensor: Any) -> int:
        before = self.count
        why_alive(tensor)
        return self.count - before


def chain_of(length: int) -> Any:
    h: Any = torch.ones(3, requires_grad=True)
    for _ in range(length):
        h = h.sin()
    return h


MAKERS = {
    "objects": lambda count: [Plain() for _ in range(count)],
    "containers": lambda count: [[{"a": [each]}] for each in range(count)],
    "one in another": lambda count: functools.reduce(lambda inner, _: [inner], range(count), []),
    "a deep graph": chain_of,
}


@pytest.mark.parametrize("kind", MAKERS)
def test_each_object_is_asked_a_few_times_however_many_there_are(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, t = Asked(monkeypatch), torch.ones(3)
    alone = asked.of(t)
    counts: list[int] = []
    for many in (1000, 4000):
        others = MAKERS[kind](many)
        counts.append(asked.of(t) - alone)
        del others
    few, more = counts
    assert few > 1000  # all of them are looked at
    assert more <= 4.2 * few


def test_many_owners_of_one_tensor_are_found_in_one_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, t = Asked(monkeypatch), torch.ones(3)
    kept = [[t] for _ in range(100)]
    few = asked.of(t)
    kept += [[t] for _ in range(300)]
    assert asked.of(t) <= 4.2 * few
    del kept


def test_a_long_search_is_counted_in_a_terminal(terminal: io.StringIO) -> None:
    t = torch.ones(3)
    kept = [[each] for each in range(5000)]
    why_alive(t)
    shown = terminal.getvalue()
    counts = [int(n.replace(",", "")) for n in re.findall(r"why_alive: ([\d,]+) objects", shown)]
    assert counts == sorted(counts)
    assert counts[-1] > 5000
    assert shown.endswith("\r\x1b[K")  # nothing of it stays
    del kept
