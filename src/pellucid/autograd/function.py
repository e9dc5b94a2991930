"""Functions whose derivative a user writes."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any, ClassVar

from pellucid.autograd.function_call import Application
from pellucid.autograd.function_node import FunctionCtx, FunctionNode
from pellucid.autograd.gradient_ops import gradient_ops
from pellucid.autograd.modes import modes
from pellucid.autograd.node import Node, sequence
from pellucid.autograd.sites import user_frame
from pellucid.autograd.variable import TensorBase
from pellucid.errors import GraphError, UnimplementedError
from pellucid.observe import observed, observers
from pellucid.shapes import Meta

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]


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

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """Return what forward gives for a batch, and the dimension of the batch in it."""
        raise UnimplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or "
            "set generate_vmap_rule=True."
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
        """Return the arguments by position; with defaults where ``setup_context`` sees them."""
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

    #: for those who look for the reason of a missing second derivative
    vars(wrapper)["once_differentiable"] = True
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
