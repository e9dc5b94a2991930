"""The context and the node of a `Function`: what a call of it leaves for its backward."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from pellucid.autograd import explanations
from pellucid.autograd.cuts import note_none
from pellucid.autograd.gradient_ops import Gradients, gradient_ops
from pellucid.autograd.modes import modes
from pellucid.autograd.node import AccumulateGrad, BackwardRun, Node
from pellucid.autograd.saved import PackedValue, SavedTensor
from pellucid.autograd.sites import user_stacklevel
from pellucid.autograd.storage import CONSTANT
from pellucid.autograd.typed import Tensor
from pellucid.autograd.variable import Edge, TensorBase
from pellucid.errors import ArgumentTypeError, GraphError, InvalidGradientError

if TYPE_CHECKING:
    from pellucid.autograd.function import Function

# Why context and node are two objects:
# A context has whatever attributes a user's forward gives it, and popular ones (`ctx.shape`,
# `ctx.saved`) are also names of what the engine reads from a node. So they are two objects: the
# node holds the context, the context finds the node weakly, and each answers for the other what it
# does not have itself: `y.grad_fn.shape_of_x` is what forward has put at `ctx.shape_of_x`.


class FunctionCtx:
    """The store of what ``backward`` needs from ``forward``; any attribute may be set on it.

    >>> class Scaled(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx: torch.autograd.function.FunctionCtx, x, factor):
    ...         ctx.factor = factor
    ...         return x * factor
    ...
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         return g * ctx.factor, None
    >>> x = torch.ones(2, requires_grad=True)
    >>> Scaled.apply(x, 3.0).sum().backward()
    >>> x.grad
    tensor([3., 3.])
    """

    #: arguments of ``forward`` that are tensors requiring grad, one flag per argument
    _requires: tuple[bool, ...] = ()
    #: those that are sparse, by position: the history is that of their values
    _sparse: dict[int, Any] = {}
    _materialize = True
    _to_save: tuple[Any, ...] = ()
    _for_forward: tuple[Any, ...] | None = None
    _dirty: tuple[Any, ...] = ()
    _non_differentiable: tuple[Any, ...] = ()
    _node: Callable[[], FunctionNode | None] = staticmethod(lambda: None)

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Save tensors, or ``None``, for `saved_tensors`; their versions are checked there.

        What is saved is freed after backward. Saving an output this way makes no reference cycle,
        while keeping it as an attribute does. Raises TypeError for anything but a tensor or None.

        >>> class Square(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x * x
        ...
        ...     @staticmethod
        ...     def backward(ctx, g):
        ...         (x,) = ctx.saved_tensors
        ...         return 2 * x * g
        >>> x = torch.ones(2, requires_grad=True)
        >>> Square.apply(x).sum().backward()
        >>> x.grad
        tensor([2., 2.])
        """
        self._to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Save tensors for ``jvp``, which finds them in `saved_tensors`."""
        for each in tensors:
            if each is not None and not isinstance(each, TensorBase):
                raise ArgumentTypeError(
                    "save_for_forward expects all arguments to be tensors; you should save "
                    "non-tensors as attributes on ctx."
                )
        self._for_forward = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Mark the inputs that ``forward`` changed in place; it must return each of them."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Mark the outputs that have no gradient."""
        for each in tensors:
            if not isinstance(each, TensorBase):
                raise GraphError(
                    "mark_non_differentiable only accepts variable arguments, but got "
                    f"{type(each).__name__}"
                )
        self._non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Set whether a missing gradient reaches ``backward`` as zeros (the default) or as None."""
        self._materialize = bool(value)

    @property
    def saved_tensors(self) -> tuple[Tensor, ...]:
        """The saved tensors with the history they had; raises if one was freed or changed since."""
        if self._for_forward is not None:
            return self._for_forward
        node = self._node()
        return self._to_save if node is None else node.unpack()

    @property
    def saved_variables(self) -> tuple[Tensor, ...]:
        """The old name of `saved_tensors`."""
        warnings.warn(
            "'saved_variables' is deprecated; use 'saved_tensors'",
            DeprecationWarning,
            stacklevel=user_stacklevel(),
        )
        return self.saved_tensors

    @property
    def needs_input_grad(self) -> tuple[bool, ...]:
        """One flag per argument of ``forward``: whether its gradient is wanted, in this run."""
        node, task = self._node(), modes.task
        needed = None if task is None else task.plan.needed
        if node is None or needed is None or modes.evaluating is not node:
            return self._requires
        wanted = list(self._requires)
        for position, edge in zip(node.positions, node.edges, strict=True):
            wanted[position] = edge is not None and edge[0] in needed
        return tuple(wanted)

    if TYPE_CHECKING:  # any attribute may be set

        def __setattr__(self, name: str, value: Any) -> None: ...

    def __getattr__(self, name: str) -> Any:
        node = self._node()
        if node is not None and not name.startswith("__"):
            try:
                return object.__getattribute__(node, name)
            except AttributeError:
                pass
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


class FunctionNode(Node):
    """The node of a `Function`; see the comment above `FunctionCtx`."""

    __slots__ = ("ctx", "positions", "sources")

    is_custom = True
    takes_undefined = True
    #: the user's class
    function: ClassVar[type[Function]]
    function_name: ClassVar[str]

    ctx: FunctionCtx
    #: which arguments of forward are tensors: those that have an edge
    positions: tuple[int, ...]
    #: where each saved value comes from: its own edge, or which output it is
    sources: tuple[Any, ...]

    def run(self, g: Any, gradients: Gradients) -> tuple[Any, ...]:
        """Call the user's backward; check what it returns; keep what belongs to tensors."""
        if not any(self.edges):  # its history was cut off
            return (None,) * len(self.edges)
        grads = self._arrived(g, gradients)
        cls = type(self).function
        returned = cls._backward_function()(self.ctx, *grads)
        values = returned if isinstance(returned, tuple) else (returned,)
        values = self._checked_count(values)
        checked = [self._checked(position, value) for position, value in enumerate(values)]
        wanted = zip(self.positions, self.edges, strict=True)
        if any(edge is not None and checked[position] is None for position, edge in wanted):
            note_none(self)
        return tuple(
            None
            if checked[position] is None or edge is None
            else gradients.unwrap(checked[position])
            for position, edge in zip(self.positions, self.edges, strict=True)
        )

    def backward_on_tensors(
        self, g: Any, needed: tuple[bool, ...] | None = None
    ) -> tuple[Any, ...]:
        return self.run(g, gradient_ops.tensors)

    def _arrived(self, g: Any, gradients: Gradients) -> list[Any]:
        metas = (self,) if self.metas is None else self.metas
        arrived = [g] if self.metas is None else g or [None] * len(metas)
        wrap = gradients.wrap
        if not self.ctx._materialize:
            return [None if each is None else wrap(each) for each in arrived]
        return [
            None if meta.dtype is None
            else wrap(gradients.zeros(meta) if each is None else each)
            for each, meta in zip(arrived, metas, strict=True)
        ]  # fmt: skip

    def _checked_count(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return one value per argument of forward; further ones may only be None."""
        expected = len(self.ctx._requires)
        if len(values) < expected or any(each is not None for each in values[expected:]):
            raise InvalidGradientError(
                f"function {self.name()} returned an incorrect number of gradients "
                f"(expected {expected}, got {len(values)}): backward returns one for each argument "
                "of forward, None for those without"
            )
        return values[:expected]

    def _checked(self, position: int, value: Any) -> Any:
        if value is None:
            return None
        if position not in self.positions:
            raise InvalidGradientError(
                f"function {self.name()} returned a gradient different than None at position "
                f"{position + 1}, but the corresponding forward input was not a Variable"
            )
        if not isinstance(value, TensorBase):
            raise InvalidGradientError(f"expected Variable or None (got {type(value).__name__})")
        index = self.positions.index(position)
        edge = self.edges[index]
        given = self.ctx._sparse.get(position)
        gradient: Any = value if given is None else given.of_values(value)
        if edge is not None:
            have, want = tuple(gradient.shape), edge[0].output_meta(edge[1]).shape
            if have != want and not _shrinks_to(have, want):
                raise InvalidGradientError(
                    f"Function {self.name()} returned an invalid gradient at index {index} - got "
                    f"{list(have)} but expected shape compatible with {list(want)}"
                )
        return gradient

    def unpack(self) -> tuple[Any, ...]:
        """Return the saved values as tensors with their history."""
        saved = self.saved
        if isinstance(saved, BackwardRun):
            raise explanations.freed_graph.freed_meanwhile(self)
        return tuple(self.saved_tensor(position) for position in range(len(saved or ())))

    def saved_tensor(self, position: int) -> Any:
        """Return one saved value; raise if it is freed, or was changed in place since."""
        saved = self.saved
        if not isinstance(saved, tuple):
            raise explanations.freed_graph.freed_meanwhile(self)
        entry, source = saved[position], self.sources[position]
        packed = isinstance(entry, PackedValue)
        value, storage, version = entry.watched if packed else entry
        if storage.version != version:
            raise explanations.changed_value.modified(self, position, value, storage, version)
        if packed:
            tensor = gradient_ops.arrays.wrap(entry.unpack()._array)
            tensor._edge = (self, source) if isinstance(source, int) else source
            entry.decorate(tensor)
            return tensor
        if value is None or isinstance(value, TensorBase):  # a sparse one, which has no array
            return value
        edge: Edge | None = (self, source) if isinstance(source, int) else source
        if edge is not None and isinstance(edge[0], AccumulateGrad):
            leaf = edge[0].leaf
            if leaf is not None and leaf._array is value:
                return leaf
        tensor = gradient_ops.arrays.wrap(value)
        tensor._storage = None if storage is CONSTANT else storage
        tensor._edge = edge
        return tensor

    def __getattr__(self, name: str) -> Any:
        if name == "_raw_saved_tensors":
            count = len(self.saved) if isinstance(self.saved, tuple) else 0
            return tuple(SavedTensor(self, position) for position in range(count))
        if name.startswith("__") or name == "ctx":
            raise AttributeError(name)
        ctx = self.ctx
        if name in ctx.__dict__ or name in FunctionCtx.__dict__:
            return getattr(ctx, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


def _shrinks_to(have: tuple[int, ...], want: tuple[int, ...]) -> bool:
    """Return whether a gradient can be summed to the shape that is wanted."""
    extra = len(have) - len(want)
    return extra >= 0 and all(w in (1, h) for w, h in zip(want, have[extra:], strict=True))


def run_on_arrays(node: FunctionNode, g: Any) -> tuple[Any, ...]:
    """Run a node as an ordinary backward pass does."""
    return node.run(g, gradient_ops.arrays)
