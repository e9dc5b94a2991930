"""The history of random numbers, which leads to the parameters that they are drawn with."""

from __future__ import annotations

import functools
from typing import Any

from pellucid.autograd.modes import modes
from pellucid.autograd.node import Joined, NotDerived
from pellucid.autograd.variable import TensorBase
from pellucid.core.backward.gradients import array_gradients, tensor_gradients
from pellucid.core.backward.history import edge_of


class Drawn(Joined):
    """The node of random numbers: they do not change with their parameters, as far as is known."""

    __slots__ = ()

    def run(self, g: Any) -> tuple[Any, ...]:
        return self._zeros(array_gradients)

    def backward_on_tensors(
        self, g: Any, needed: tuple[bool, ...] | None = None
    ) -> tuple[Any, ...]:
        return self._zeros(tensor_gradients)

    def _zeros(self, gradients: Any) -> tuple[Any, ...]:
        return tuple(
            [
                None if edge is None else gradients.zeros(edge[0].output_meta(edge[1]))
                for edge in self.edges
            ]
        )


def with_parameters(drawn: Any, name: str, *parameters: Any) -> Any:
    """Give random numbers a node of a name, with edges to those parameters that are tensors."""
    return _with_history(_class_named(name), drawn, name, parameters)


def without_derivative(drawn: Any, function: str, *parameters: Any) -> Any:
    """Give random numbers a node that raises for a function of PyTorch's without a derivative."""
    return _with_history(NotDerived, drawn, function, parameters)


@functools.cache
def _class_named(name: str) -> type[Drawn]:
    return type(name, (Drawn,), {"__slots__": ()})


def _with_history(kind: Any, drawn: Any, name: str, parameters: tuple[Any, ...]) -> Any:
    if modes.grad_enabled:
        edges = tuple([edge_of(each) for each in parameters if isinstance(each, TensorBase)])
        if any(edge is not None for edge in edges):
            drawn._edge = (kind(name, edges, drawn._array), 0)
    return drawn
