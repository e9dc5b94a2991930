"""What the engine does with gradients, without knowing whether they are arrays or tensors."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

from pellucid.autograd.node import AccumulateGrad, Node
from pellucid.autograd.variable import Edge


class Gradients(Protocol):
    """What can flow through a graph: arrays in an ordinary backward, tensors under create_graph."""

    recorded: bool

    def sum_to_size(self, g: Any, like: Any) -> Any:
        """Return ``g`` with the shape and dtype of ``like``, summing what was broadcast."""
        ...

    def whole(self, g: Any) -> Any:
        """Return what has arrived at a node, with arrays for what arithmetic has made numbers."""
        ...

    def add(self, first: Any, second: Any) -> Any: ...

    def accumulate(self, leaf: AccumulateGrad, g: Any, changes: int = 0, holders: int = 0) -> None:
        """Add to the leaf's ``.grad`` a gradient to which others were added ``changes`` times.

        ``holders`` is how many callers have a variable for it, but need it no more.
        """
        ...

    def retain(self, tensor: Any, g: Any) -> None:
        """Add to the ``.grad`` of a tensor that is not a leaf."""
        ...

    def wrap(self, g: Any) -> Any:
        """Return the gradient as a tensor, for a hook."""
        ...

    def own(self, g: Any) -> Any:
        """Return the gradient, or a copy of one whose elements share their memory.

        Inside a pass a gradient may be one number seen from everywhere, as that of a sum. Whoever
        is handed it outside may write to it.
        """
        ...

    def unwrap(self, tensor: Any) -> Any: ...

    def quiet(self) -> AbstractContextManager[Any]:
        """Return a context in which arithmetic gives no warnings."""
        ...

    def zeros(self, like: Any) -> Any: ...

    def ones(self, like: Any) -> Any: ...

    def has_nan(self, g: Any) -> bool: ...


class TangentRules(Protocol):
    """The interpreter of forward mode, which needs operations."""

    def dual(self, tensor: Any, tangent: Any) -> Any:
        """Return a view of the tensor with this tangent."""
        ...

    def primal(self, tensor: Any) -> Any:
        """Return a view of the tensor without tangent."""
        ...

    def tangent_of(self, tensor: Any) -> Any | None:
        """Return the tensor's tangent: its own, or the part of its base's that it looks at."""
        ...

    def set_tangent(self, tensor: Any, tangent: Any) -> None: ...

    def zeros_like(self, tensor: Any) -> Any: ...


class GradientOps:
    """What autograd needs of the layers above, which put it here when they are imported.

    `pellucid.core.backward.gradients` sets the two kinds of gradients,
    `pellucid.ops.aliasing.inplace` what concerns changes in place,
    `pellucid.interpreters.forward_mode` the rest.
    """

    arrays: Gradients
    tensors: Gradients
    tangents: TangentRules
    #: raises where autograd could not follow a change of this tensor, by an operation of this name
    check_inplace: Callable[[Any, str], None]
    #: gives a tensor that was changed in place the history of output ``slot`` of a node
    rebase_history: Callable[[Any, Node, int], None]
    #: gives a view the edge that it has since its base was changed in place
    renew_view_edge: Callable[[Any], None]
    #: gives a new gradient one more edge, to an operand that it does not change with, and a node of
    #: this name
    keep_operand: Callable[[Any, Edge, str], None]
    #: joins tensors of one shape along a new first dimension
    stack: Callable[[list[Any]], Any]


gradient_ops = GradientOps()
