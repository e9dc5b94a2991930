"""Looking at a graph, in whatever state and from wherever, raises nothing and changes nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import pellucid as torch
from pellucid import inspect
from pellucid.autograd.node import BackwardRun, reachable
from tests.samples.grouped import together

Look = Callable[[Any, Any], object]


def _plan_of_grad(loss: Any, x: Any) -> object:
    return inspect.plan(loss, inputs=[x], call="grad", allow_unused=True)


def _checked(loss: Any, x: Any) -> object:
    return inspect.check(torch.nn.Linear(2, 2), loss, torch.optim.SGD([x], lr=0.1))


LOOKS: dict[str, Look] = {
    "graph": lambda loss, _: str(inspect.graph(loss)),
    "memory": lambda loss, _: (str(inspect.memory(loss)), inspect.memory(loss).to_json()),
    "plan": lambda loss, _: str(inspect.plan(loss)),
    "plan of grad": lambda loss, x: str(_plan_of_grad(loss, x)),
    "why_no_grad": lambda loss, x: str(inspect.why_no_grad(x, loss)),
    "check": lambda loss, x: str(_checked(loss, x)),
}


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        ctx.note = torch.ones(2)
        return x * x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return 2 * ctx.saved_tensors[0] * g


class Story:
    """A graph with its tensors; hooks note that they ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.x = torch.ones(2, requires_grad=True)
        self.middle = (self.x * 2.0).exp()
        self.view = self.middle.clone()
        self.view[:1].mul_(3.0)
        self.loss = (self.view * self.x).sum()
        self.middle.register_hook(lambda _: self.ran.append("tensor"))

    @property
    def tensors(self) -> list[Any]:
        return [self.x, self.middle, self.view, self.loss]


def whole(story: Story, look: Callable[[], None]) -> None:
    look()


def freed(story: Story, look: Callable[[], None]) -> None:
    story.loss.backward()
    look()


def half_freed(story: Story, look: Callable[[], None]) -> None:
    story.loss.backward(retain_graph=story.middle)
    look()


def released(story: Story, look: Callable[[], None]) -> None:
    torch.autograd.graph.release(story.middle)
    look()


def running(story: Story, look: Callable[[], None]) -> None:
    story.view.register_hook(lambda _: look())
    story.loss.backward()


def failed(story: Story, look: Callable[[], None]) -> None:
    def stop(_: Any) -> None:
        raise ValueError("stop")

    story.view.register_hook(stop)
    with pytest.raises(ValueError, match="stop"):
        story.loss.backward()
    look()


def in_another_thread(story: Story, look: Callable[[], None]) -> None:
    errors: list[BaseException] = []

    def call() -> None:
        try:
            look()
        except BaseException as error:  # noqa: BLE001 - raised again in the test
            errors.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    assert errors == []


def with_packed_values(story: Story, look: Callable[[], None]) -> None:
    def unpack(packed: Any) -> Any:
        story.ran.append("unpack")
        return packed

    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, unpack):
        story.loss = (story.view.sin() * story.x).sum()
    look()


def with_custom_functions(story: Story, look: Callable[[], None]) -> None:
    story.loss = Square.apply(story.view).sum()
    look()


def of_recorded_gradients(story: Story, look: Callable[[], None]) -> None:
    (grad,) = torch.autograd.grad(story.loss, story.x, create_graph=True)
    story.loss = (grad**2).sum()
    look()


def after_a_change_in_place(story: Story, look: Callable[[], None]) -> None:
    with torch.no_grad():
        story.middle.add_(1.0)
    look()


def without_its_leaf(story: Story, look: Callable[[], None]) -> None:
    story.loss = (torch.ones(2, requires_grad=True) * story.view).sum()
    look()


def in_no_grad(story: Story, look: Callable[[], None]) -> None:
    with torch.no_grad():
        look()


STATES = [
    whole, freed, half_freed, released, running, failed, in_another_thread, with_packed_values,
    with_custom_functions, of_recorded_gradients, after_a_change_in_place, without_its_leaf,
    in_no_grad,
]  # fmt: skip


def measured(story: Story) -> list[Any]:
    """Return versions, reference counts, gradients, hooks and saved values of a story."""
    nodes = sorted(reachable([story.loss.grad_fn]), key=lambda node: node.seq)
    counts = [sys.getrefcount(node) for node in nodes]
    saved = [
        node.saved.number if isinstance(node.saved, BackwardRun) else node.saved and len(node.saved)
        for node in nodes
    ]
    hooks = [
        None if node.extra is None
        else [len(hooks) for hooks in node.extra.tensor_hooks.values()]
        + [len(node.extra.pre_hooks), len(node.extra.post_hooks), len(node.extra.retained)]
        for node in nodes
    ]  # fmt: skip
    grads = [None if each._grad is None else each._grad.tolist() for each in story.tensors]
    arrays = [sys.getrefcount(each._array) for each in story.tensors]
    tensors = [sys.getrefcount(each) for each in story.tensors]
    versions = [each._version for each in story.tensors]
    edges = [each._edge is None for each in story.tensors]
    modes = [torch.is_grad_enabled(), next_number()]
    ran = list(story.ran)
    return [len(nodes), counts, saved, hooks, grads, arrays, tensors, versions, edges, modes, ran]


def next_number() -> int:
    """Return the number of the next backward pass, without taking it."""
    return int(repr(BackwardRun.numbers).removeprefix("count(").removesuffix(")"))


@contextmanager
def unchanged(story: Story) -> Iterator[None]:
    before = measured(story)
    yield
    assert measured(story) == before


def check(inspection: Look, state: Callable[[Story, Callable[[], None]], None]) -> None:
    """Look at a graph in a state, and compare it with what it was before."""
    story = Story()
    looked: list[bool] = []

    def look() -> None:
        inspection(story.loss, story.x)  # what is made once, by the first call
        with unchanged(story):
            inspection(story.loss, story.x)
        looked.append(True)

    state(story, look)
    assert looked == [True]


@together()
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", LOOKS)
def test_looking_raises_nothing_and_changes_nothing(name: str, state: Any) -> None:
    check(LOOKS[name], state)


def test_asking_for_owners_raises_nothing_and_changes_nothing() -> None:
    """In a process of its own: owners are searched in all that lives, pytest's session too."""
    root = Path(__file__).resolve().parents[2]
    program = """
from pellucid.inspect import why_alive
from tests.inspect.test_nothing_changes import STATES, check
for state in STATES:
    check(lambda _, x: str(why_alive(x)), state)
print(len(STATES), "states")
"""
    finished = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, timeout=120,
        check=False, env=os.environ | {"PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"},
    )  # fmt: skip
    assert finished.stderr == ""
    assert finished.stdout == f"{len(STATES)} states\n"


@pytest.mark.parametrize("name", LOOKS)
def test_a_pass_after_looking_gives_what_it_would_have_given(name: str) -> None:
    plain, seen = Story(), Story()
    LOOKS[name](seen.loss, seen.x)
    for story in (plain, seen):
        story.loss.backward()
    assert seen.x.grad.tolist() == plain.x.grad.tolist()
    assert seen.ran == plain.ran
