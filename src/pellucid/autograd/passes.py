"""A backward pass while it runs: what it changes around it, and what is called at its end."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, NamedTuple

from pellucid.autograd.engine import Plan, Task, refuse_freed
from pellucid.autograd.gradient_ops import gradient_ops
from pellucid.autograd.modes import leave_hooks_entered_since, modes
from pellucid.autograd.node import BackwardRun, Node
from pellucid.autograd.variable import Edge
from pellucid.blocks import Block, temporary
from pellucid.errors import GraphError
from pellucid.observe import announcing, watchers

#: backward passes inside backward passes, up to which they share a Python stack
_NESTED_ON_ONE_STACK = 20


class BackwardPass(NamedTuple):
    """A backward pass, as `pellucid.observe.watching` describes it to its listeners.

    Attributes:
        run: Its number, the name of the function that was called, and the user's line.
        nodes: The nodes that it runs, without the leaves, in the order in which it runs them.
        roots: The tensors or gradient edges that it starts from.
        inputs: The tensors or gradient edges that were asked for; None for all leaves.
        keep: Whether what the nodes have saved is kept, or which nodes keep it.
        create_graph: Whether the gradients are recorded.
    """

    run: BackwardRun
    nodes: list[Node]
    roots: list[Any]
    inputs: list[Any] | None
    keep: bool | set[Node]
    create_graph: bool


def run_pass(
    task: Task, starts: list[tuple[Edge, Any]], create_graph: bool, roots: list[Any],
    wanted: list[Any] | None,
) -> None:  # fmt: skip
    """Run a task from its first gradients on, and announce it if anyone listens."""
    if not watchers:
        _run_pass(task, starts, create_graph)
        return
    asked = BackwardPass(task.run, task.plan.nodes, roots, wanted, task.keep, create_graph)
    with announcing("backward", asked):
        _run_pass(task, starts, create_graph)


def _run_pass(task: Task, starts: list[tuple[Edge, Any]], create_graph: bool) -> None:
    refuse_freed(task.plan, task.run)
    while starts:  # the caller's list is emptied, so that it does not keep the gradients alive
        task.send(*starts.pop())
    with _running(task, create_graph):
        if modes.depth % _NESTED_ON_ONE_STACK == 0:
            _on_a_stack_of_its_own(lambda: _run_task(task))
        else:
            _run_task(task)


@temporary
def _running(block: Block, task: Task, recorded: bool) -> None:
    """Make a task the one that runs."""
    block._set(modes, "evaluating", modes.evaluating)
    block._at_end(partial(leave_hooks_entered_since, modes.saved_tensor_hooks))
    block._set(modes, "grad_enabled", recorded)
    block._set(modes, "task", task)
    block._set(modes, "depth", modes.depth + 1)


def _run_task(task: Task) -> None:
    with task.gradients.quiet():
        task.execute()
    call_back(task)


def call_back(task: Task) -> None:
    """Call what was queued for the end of a pass."""
    while task.callbacks:
        task.callbacks.pop(0)()


def begin_pass(
    nodes: list[Node], leaves: list[tuple[Any, int]], run: BackwardRun, keep: bool,
    buffers: dict[Node, Any],
) -> tuple[Task, AbstractContextManager[Any], AbstractContextManager[Any]]:  # fmt: skip
    """Set up what Python code finds in a pass that the compiled module runs.

    Returns the task, and two blocks that the module leaves.
    """
    task = Task(Plan(nodes, dict(leaves)), run, gradient_ops.arrays, keep)
    task.buffers = buffers
    running, silence = _running(task, False), task.gradients.quiet()
    try:
        running.__enter__()
        silence.__enter__()
        return task, running, silence
    except BaseException:  # an interrupt may come between any two of these lines
        silence.__exit__(None, None, None)
        running.__exit__(None, None, None)
        raise


def _on_a_stack_of_its_own(function: Callable[[], None]) -> None:
    """Call a function in another thread, as if in this one, and wait for it.

    A hook may go backward, whose hooks go backward, and so on: however deep that is, no stack of
    Python calls gets long.
    """
    state = dict(modes.__dict__)
    errors: list[BaseException] = []

    def call() -> None:
        modes.__dict__.update(state)
        try:
            function()
        except BaseException as error:  # noqa: BLE001 - raised again where it belongs
            errors.append(error)

    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(call,), name="pellucid-nested-backward")
    thread.start()
    thread.join()
    if errors:
        try:
            raise errors[0]
        finally:
            errors.clear()  # or the error and this frame would hold each other


def queue_callback(callback: Callable[[], Any]) -> None:
    """Call a function at the end of the backward pass that is running.

    Raises RuntimeError outside a backward pass.
    """
    if modes.task is None:
        raise GraphError("Final callbacks can only be installed during backward pass.")
    modes.task.callbacks.append(callback)
