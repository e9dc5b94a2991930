"""PyTorch's nodes that run backward, told to pellucid's observers."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from pellucid.inspect.pytorch.graphs import TorchNode, array_of
from pellucid.inspect.pytorch.guard import Guard
from pellucid.observe import observers

torch: Any = importlib.import_module("torch")

_NoOverrides: Any = torch._C.DisableTorchFunction
_WHAT = "what listens to nodes"
#: those who hear, alone, of the gradients that arrive at PyTorch's nodes; usually empty
recorders: list[Any] = []


@contextmanager
def telling_observers(guard: Guard, nodes: Iterable[Any]) -> Iterator[None]:
    """Notify the observers of each node that runs in the block.

    Args:
        guard: What they run under.
        nodes: The nodes of the pass.
    """
    present = [each for each in observers if not each.is_of_pellucid]
    handles: list[Any] = []
    try:
        for node in nodes if present or recorders else ():
            if isinstance(node, TorchNode):
                handles += [
                    node.function.register_prehook(_arriving(guard, each, node))
                    for each in recorders
                ]
                if present:
                    handles.append(node.function.register_hook(_running(guard, present, node)))
        yield
    finally:
        for handle in handles:
            handle.remove()


def _arriving(guard: Guard, recorder: Any, node: TorchNode) -> Any:
    def hook(given: Any) -> None:
        try:
            with _NoOverrides():
                left = recorder.arrive(node, given)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is not the program's
            guard.tell(_WHAT, error)
            return
        if left:
            guard.attempt_apart(_WHAT, recorder.arrive_as_arrays, node, left)

    return hook


def _running(guard: Guard, present: list[Any], node: TorchNode) -> Any:
    def tell(made: Any, given: Any) -> None:
        g, grads = _arrays(given), _arrays(made)
        for each in present:
            each.node_began(node, g if node.metas is not None else g[0])
            each.node_ended(node, grads)

    def hook(made: Any, given: Any) -> None:
        guard.attempt_apart(_WHAT, tell, made, given)

    return hook


def _arrays(gradients: Any) -> tuple[Any, ...]:
    return tuple([None if each is None else array_of(each) for each in gradients])
