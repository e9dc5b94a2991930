"""Functions whose derivative a user writes: `Function`, and the context its two halves share."""

from __future__ import annotations

import functools
import inspect
import warnings
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from pellucid.autograd import explanations, forward_ad
from pellucid.autograd.cuts import note_none
from pellucid.autograd.gradient_ops import Gradients, gradient_ops
from pellucid.autograd.modes import modes
from pellucid.autograd.node import AccumulateGrad, BackwardRun, Node, sequence
from pellucid.autograd.saved import PackedValue, SavedTensor, saved_entry
from pellucid.autograd.sites import user_frame
from pellucid.autograd.storage import CONSTANT
from pellucid.autograd.typed import Tensor
from pellucid.autograd.variable import Edge, TensorBase, View, ViewOrigin, storage_of
from pellucid.errors import (
    ArgumentTypeError,
    GraphError,
    InvalidGradientError,
    LeafInplaceError,
    UnimplementedError,
    ViewInplaceError,
)
from pellucid.observe import observed, observers
from pellucid.shapes import Meta

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]

# Why context and node are two objects:
# A context has whatever attributes a user's forward gives it, and popular ones (`ctx.shape`,
# `ctx.saved`) are also names of what the engine reads from a node. So they are two objects: the
# node holds the context, the context finds the node weakly, and each answers for the other what it
# does not have itself: `y.grad_fn.shape_of_x` is what forward has put at `ctx.shape_of_x`.


class FunctionCtx:
    """The store of what ``backward`` needs from ``forward``; any attribute may be set on it.

    >>> import pellucid as torch
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

        >>> import pellucid as torch
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
        for position, each in enumerate(tensors):
            if each is not None and not isinstance(each, TensorBase):
                raise ArgumentTypeError(
                    "save_for_backward can only save variables, but argument "
                    f"{position} is of type {type(each).__name__}: "
                    "keep it as an attribute of ctx instead"
                )
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
    """The node of a `Function`; see the comment above."""

    __slots__ = ("ctx", "positions", "sources")

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
        if isinstance(entry, PackedValue):
            tensor = gradient_ops.arrays.wrap(entry.unpack()._array)
            tensor._edge = (self, source) if isinstance(source, int) else source
            entry.decorate(tensor)
            return tensor
        value, storage, version = entry
        if value is None or isinstance(value, TensorBase):  # a sparse one, which has no array
            return value
        if storage.version != version:
            raise explanations.changed_value.modified(self, position, value, storage, version)
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


def _sparse_arguments(args: tuple[Any, ...]) -> dict[int, Any]:
    return {
        position: each.detach()
        for position, each in enumerate(args)
        if getattr(each, "_interpreter", None) is not None
    }


def _shrinks_to(have: tuple[int, ...], want: tuple[int, ...]) -> bool:
    """Return whether a gradient can be summed to the shape that is wanted."""
    extra = len(have) - len(want)
    return extra >= 0 and all(w in (1, h) for w, h in zip(want, have[extra:], strict=True))


def _run_on_arrays(node: FunctionNode, g: Any) -> tuple[Any, ...]:
    return node.run(g, gradient_ops.arrays)


class _FunctionType(type):
    """The metaclass that gives each `Function` a node class named after it."""

    _node_class: type[FunctionNode]

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        super().__init__(name, bases, namespace)
        cls._node_class = type(
            f"{name}Backward",
            (FunctionNode,),
            {"__slots__": (), "function": cls, "function_name": name},
        )


class Function(metaclass=_FunctionType):
    """A differentiable function defined by its value and its derivative, both written by hand.

    A subclass defines ``forward(ctx, *args)``, which computes the value and saves for backward with
    `FunctionCtx.save_for_backward`; or ``forward(*args)``, which only computes, and
    ``setup_context(ctx, inputs, output)``, which saves. ``backward(ctx, *grad_outputs)`` returns
    one gradient per argument of forward. ``jvp(ctx, *tangents)``, if defined, gives forward mode.
    The subclass is called by ``apply`` and never instantiated.

    >>> import pellucid as torch
    >>> class Triple(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 3
    ...
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         return g * 3
    >>> x = torch.ones(2, requires_grad=True)
    >>> y = Triple.apply(x)
    >>> y.grad_fn.name()
    'TripleBackward'
    >>> y.sum().backward()
    >>> x.grad
    tensor([3., 3.])
    """

    #: whether `vmap` may run forward and backward on batched tensors
    generate_vmap_rule: ClassVar[bool] = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all "
            "static, so you should invoke them on the class itself. Instantiating an autograd "
            "function will raise an error in a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise GraphError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            "new-style autograd function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the value; to be written by the user."""
        raise UnimplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Save what backward needs, if ``forward`` takes no ``ctx``."""
        raise UnimplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any, **kwargs: Any) -> Any:
        """Return one gradient per argument of forward; to be written by the user."""
        raise UnimplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *tangents: Any, **kwargs: Any) -> Any:
        """Return one tangent per output, from one tangent per argument of forward."""
        raise UnimplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with "
            "forward mode AD."
        )

    @classmethod
    def _backward_function(cls) -> Callable[..., Any]:
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise GraphError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You "
                "should only implement one of them."
            )
        return cls.vjp

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Call ``forward`` and record a node whose backward is the user's.

        Raises NotImplementedError where forward is missing, and RuntimeError for an input that was
        changed in place against the rules.
        """
        if modes.batching and any(getattr(each, "is_batched", False) for each in args):
            return batched_functions.apply(cls, cls._positional(args, kwargs))
        if modes.transforms and not cls._has_setup():
            raise lacks_setup()
        application = Application(cls, cls._positional(args, kwargs))
        if observers:
            return observed("custom", cls.__name__, args, application.run)
        return application.run()

    @classmethod
    def _has_setup(cls) -> bool:
        return cls.setup_context is not Function.setup_context

    @classmethod
    def _positional(cls, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """Return the arguments by position; with defaults where ``setup_context`` is to see "
        "them."""
        if cls._has_setup():
            if not kwargs and _takes_exactly(cls.forward, len(args)):
                return args
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            return bound.args
        if not kwargs:
            return args
        return inspect.signature(cls.forward).bind(None, *args, **kwargs).args[1:]


def _takes_exactly(function: Any, count: int) -> bool:
    """Return whether that many arguments by position are all that a plain function can be given."""
    code = getattr(function, "__code__", None)
    open_ended = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    return (
        code is not None
        and code.co_argcount == count
        and not code.co_kwonlyargcount
        and not code.co_flags & open_ended
    )


def lacks_setup() -> GraphError:
    """Return the error for a function in a transform whose ``forward`` takes the context."""
    return GraphError(
        "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, "
        "...), it must override the setup_context staticmethod. For more details, please see "
        "https://pytorch.org/docs/main/notes/extending.func.html"
        "\n  Write forward(*args) without ctx, and setup_context(ctx, inputs, output)."
    )


class _BatchedFunctions:
    """What a `Function` does inside `vmap`; `pellucid.func`, above, puts it here."""

    apply: Callable[[type[Function], tuple[Any, ...]], Any]


batched_functions = _BatchedFunctions()


class Application:
    """One call of a `Function`."""

    def __init__(self, cls: type[Function], args: tuple[Any, ...]) -> None:
        self.cls = cls
        self.args = args
        self.tensors = [each for each in args if isinstance(each, TensorBase)]
        edges = tuple(each.edge for each in self.tensors)
        self.ctx = ctx = FunctionCtx()
        ctx._requires = tuple(
            isinstance(each, TensorBase) and each.edge is not None for each in args
        )
        if any(each._interpreter is not None for each in self.tensors):
            ctx._sparse = _sparse_arguments(args)
        self.node = None
        if modes.grad_enabled and any(edge is not None for edge in edges):
            self.node = self._make_node(edges)
            ctx._node = weakref.ref(self.node)

    def _make_node(self, edges: tuple[Edge | None, ...]) -> FunctionNode:
        node = object.__new__(self.cls._node_class)
        node.edges, node.params, node.extra, node.saved = edges, None, None, None
        node.scope = modes.scope
        node.ctx = self.ctx
        node.positions = tuple(
            i for i, each in enumerate(self.args) if isinstance(each, TensorBase)
        )
        node.backward = _run_on_arrays
        node.code, node._lasti = user_frame(2)
        node.seq = next(sequence)
        return node

    def run(self) -> Any:
        """Call forward, give its outputs their history, save, and push tangents."""
        returned = self._forward()
        outputs = list(returned) if isinstance(returned, tuple) else [returned]
        self._check_dirty(outputs)
        tangents = self._tangents()
        results = [self._with_history(slot, each, outputs) for slot, each in enumerate(outputs)]
        if self.node is not None:
            self._describe_outputs(self.node, results)
            self._save(self.node, outputs)
        if tangents:
            self._push(tangents, results)
        self.ctx._for_forward = None
        return tuple(results) if isinstance(returned, tuple) else results[0]

    def _forward(self) -> Any:
        """Run forward without recording, and without tangents, which ``jvp`` sees to."""
        before = modes.grad_enabled, modes.forward_levels
        modes.grad_enabled, modes.forward_levels = False, ()
        try:
            if not self.cls._has_setup():
                return self.cls.forward(self.ctx, *self.args)
            output = self.cls.forward(*self.args)
            self.cls.setup_context(self.ctx, self.args, output)
            return output
        finally:
            modes.grad_enabled, modes.forward_levels = before

    def _is(self, tensor: Any, among: Any) -> bool:
        return any(tensor is each for each in among)

    def _check_dirty(self, outputs: list[Any]) -> None:
        for each in self.ctx._dirty:
            if not self._is(each, self.tensors):
                warnings.warn(
                    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors "
                    "that have been mutated should be passed to ctx.mark_dirty().",
                    UserWarning,
                    stacklevel=4,
                )
            if not self._is(each, outputs):
                raise GraphError(
                    "Some elements marked as dirty during the forward method were not returned as "
                    "output. The inputs that are modified inplace must all be outputs of the "
                    "Function."
                )
            storage_of(each).note_change(self.cls.__name__, *user_frame(3))

    def _with_history(self, slot: int, output: Any, outputs: list[Any]) -> Any:
        """Return what the user gets for one of forward's outputs."""
        if not isinstance(output, TensorBase):
            return output
        dirty = self._is(output, self.ctx._dirty)
        returned_input = self._is(output, self.tensors) and not dirty
        if self._has_no_gradient(output):
            return self._without_history(output, returned_input)
        node = self.node
        assert node is not None
        if dirty:
            self._rebase(output, node, slot, outputs)
            return output
        result = _alias(output) if returned_input else output
        if result._view is not None:
            several = sum(isinstance(each, TensorBase) for each in outputs) > 1
            result._view.origin = (
                ViewOrigin.MULTIPLE_OUTPUTS if several and not returned_input
                else ViewOrigin.CUSTOM_FUNCTION
            )  # fmt: skip
            result._view.history, result._view.recorded = storage_of(result).history, True
        result._edge = (node, slot)
        return result

    def _has_no_gradient(self, output: Any) -> bool:
        return (
            self.node is None
            or self._is(output, self.ctx._non_differentiable)
            or output._array.dtype.kind not in "fcV"
        )

    def _without_history(self, output: Any, returned_input: bool) -> Any:
        if returned_input:
            return output.detach() if output.edge is not None else _alias(output)
        if output.edge is not None and output._view is None:
            output._edge = None
        return output

    def _rebase(self, tensor: Any, node: FunctionNode, slot: int, outputs: list[Any]) -> None:
        edge = tensor.edge
        if edge is not None and isinstance(edge[0], AccumulateGrad):
            raise LeafInplaceError(
                "a leaf Variable that requires grad has been used in an in-place operation."
            )
        if tensor._view is not None:
            if len(outputs) > 1:
                raise ViewInplaceError(
                    "If your Function modifies inplace an input that is a view of another Tensor, "
                    "your Function cannot return more than one Tensor. This is not supported by "
                    "the "
                    "current autograd engine. You should either make sure the input is not a view "
                    "(using .clone() for example) or make your Function only return one Tensor "
                    "(potentially splitting it into two Functions: one doing the inplace that "
                    "returns a single Tensor and a second one that does the other operations)."
                )
            node.shape, node.dtype, node.metas = tensor._array.shape, tensor._array.dtype, None
        gradient_ops.rebase_history(tensor, node, slot)

    def _describe_outputs(self, node: FunctionNode, results: list[Any]) -> None:
        """Note each output's shape and dtype; what is no tensor takes a place, but no gradient."""
        metas = tuple(
            Meta(each._array.shape, each._array.dtype) if isinstance(each, TensorBase)
            else Meta((), None)
            for each in results
        )  # fmt: skip
        if len(metas) == 1:
            node.shape, node.dtype, node.metas = metas[0].shape, metas[0].dtype, None
        else:
            node.shape, node.dtype, node.metas = None, None, metas

    def _save(self, node: FunctionNode, outputs: list[Any]) -> None:
        entries: list[Any] = []
        sources: list[Any] = []
        for each in self.ctx._to_save:
            if each is None:
                entries.append((None, CONSTANT, 0))
                sources.append(None)
                continue
            if each._interpreter is not None:
                entries.append((each, CONSTANT, 0))
                sources.append(None)
                continue
            entries.append(saved_entry(each, each._array, gradient_ops.arrays.wrap))
            slot = next((i for i, output in enumerate(outputs) if output is each), None)
            unchanged = self._is(each, self.tensors) and not self._is(each, self.ctx._dirty)
            if slot is None or unchanged:
                sources.append(each.edge)
            else:
                sources.append(None if self._has_no_gradient(each) else slot)
        node.saved = tuple(entries) or None
        node.sources = tuple(sources)
        self.ctx._to_save = ()

    def _tangents(self) -> list[Any] | None:
        """Return a tangent per argument, or None if there is no forward mode to do."""
        if not modes.forward_levels:
            return None
        found = [
            forward_ad.tangent_of(each) if isinstance(each, TensorBase) else None
            for each in self.args
        ]
        if all(each is None for each in found):
            return None
        if not self.ctx._materialize:
            return found
        return [
            forward_ad.rules.tangents.zeros_like(each)
            if tangent is None and isinstance(each, TensorBase) and each._array.dtype.kind in "fcV"
            else tangent
            for each, tangent in zip(self.args, found, strict=True)
        ]

    def _push(self, tangents: list[Any], results: list[Any]) -> None:
        returned = self.cls.jvp(self.ctx, *tangents)
        values = returned if isinstance(returned, tuple) else (returned,)
        if len(values) != len(results):
            raise InvalidGradientError(
                f"Function {self.cls.__name__}'s jvp returned an incorrect number of tangents "
                f"(expected {len(results)}, got {len(values)})"
            )
        for result, value in zip(results, values, strict=True):
            if value is None or not isinstance(result, TensorBase):
                continue
            if value.shape != result._array.shape:
                raise InvalidGradientError(
                    f"{self.cls.__name__}'s jvp returned a tangent of shape {list(value.shape)} "
                    "for "
                    f"an output of shape {list(result._array.shape)}"
                )
            forward_ad.rules.tangents.set_tangent(result, value)


def _alias(tensor: Any) -> Any:
    """Return a view of all of a tensor, as a `Function` returns an input of its own."""
    result = gradient_ops.arrays.wrap(tensor._array)
    storage = result._storage = storage_of(tensor)
    base = tensor if tensor._view is None else tensor._view.base
    result._view = View(base, storage.history, ViewOrigin.CUSTOM_FUNCTION)
    return result


class _NoSecondDerivative(Node):
    """The node of gradients that a `once_differentiable` backward has computed."""

    __slots__ = ()

    def backward_on_tensors(
        self, g: Any, needed: tuple[bool, ...] | None = None
    ) -> tuple[Any, ...]:
        return self.backward(self, g)


def _refuse(node: Node, g: Any) -> tuple[Any, ...]:
    raise GraphError(
        "trying to differentiate twice a function that was marked with @once_differentiable: its "
        "backward computes in a way that autograd cannot follow"
    )


def once_differentiable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a ``backward`` that computes outside autograd, so that differentiating it is an error.

    Args:
        function: The static method ``backward(ctx, *grad_outputs)``.

    >>> import pellucid as torch
    >>> class Square(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...
    ...     @staticmethod
    ...     @torch.autograd.function.once_differentiable
    ...     def backward(ctx, g):
    ...         return torch.from_numpy(2 * ctx.saved_tensors[0].detach().numpy() * g.numpy())
    >>> x = torch.ones(1, requires_grad=True)
    >>> Square.apply(x).backward()
    >>> x.grad
    tensor([2.])
    """

    @functools.wraps(function)
    def wrapper(ctx: Any, *grads: Any) -> Any:
        recording, modes.grad_enabled = modes.grad_enabled, False
        try:
            outputs = function(ctx, *grads)
        finally:
            modes.grad_enabled = recording
        edges = tuple(each.edge if isinstance(each, TensorBase) else None for each in grads)
        if not recording or all(edge is None for edge in edges):
            return outputs
        values = outputs if isinstance(outputs, tuple) else (outputs,)
        node = object.__new__(_NoSecondDerivative)
        node.edges, node.saved, node.params, node.extra = edges, None, None, None
        node.scope, node.shape, node.dtype = modes.scope, None, None
        node.metas = tuple(
            Meta(v._array.shape, v._array.dtype) if isinstance(v, TensorBase) else Meta((), None)
            for v in values
        )
        node.backward = _refuse
        node.code, node._lasti = user_frame(1)
        node.seq = next(sequence)
        marked = tuple(_marked(each, node, slot) for slot, each in enumerate(values))
        return marked if isinstance(outputs, tuple) else marked[0]

    return wrapper


def _marked(value: Any, node: Node, slot: int) -> Any:
    if not isinstance(value, TensorBase):
        return value
    result = gradient_ops.arrays.wrap(value._array)
    result._edge = (node, slot)
    return result


class InplaceFunction(Function):
    """Base of functions that can work in place; kept for code written for older versions.

    Args:
        inplace: Whether the function is to work in place, for the object's methods to read.

    >>> import pellucid as torch
    >>> class Double(torch.autograd.function.InplaceFunction):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.mark_dirty(x)
    ...         return x.mul_(2)
    >>> Double.apply(torch.ones(2))
    tensor([2., 2.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace
