"""PyTorch's nodes that run backward, told to pellucid's observers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from pellucid.inspect.pytorch.graphs import TorchNode, array_of
from pellucid.inspect.pytorch.guard import Guard
from pellucid.observe import observers

_WHAT = "what listens to nodes"
#: those who hear of PyTorch's nodes alone; usually empty
recorders: list[Any] = []


@contextmanager
def telling_observers(guard: Guard, nodes: Iterable[Any]) -> Iterator[None]:
    """Notify the observers of each node that runs in the block.

    Args:
        guard: What they run under.
        nodes: The nodes of the pass.
    """
    present = (*(each for each in observers if not each.is_of_pellucid), *recorders)
    with ExitStack() as stack:
        for node in nodes if present else ():
            if isinstance(node, TorchNode):
                stack.callback(node.function.register_hook(_hook(guard, present, node)).remove)
        yield


def _hook(guard: Guard, present: tuple[Any, ...], node: TorchNode) -> Any:
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
