"""Operators that programs define themselves, as PyTorch's module ``library`` lets them.

What PyTorch's compiler needs is taken and has no effect. An operator is a Python function that is
called by its full name too, ``torch.ops.mylib.myop``, with the derivative that is registered.
"""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pellucid.autograd import modes
from pellucid.autograd.function import Function
from pellucid.compat.op_checks import CHECKS, check_operator
from pellucid.compat.operators import REGISTERED, OpOverload, OpOverloadPacket
from pellucid.errors import ArgumentError, GraphError
from pellucid.func.trees import flatten
from pellucid.tensors import Tensor

__all__ = [
    "CustomOpDef", "Library", "custom_op", "define", "impl", "infer_schema", "opcheck",
    "register_autocast", "register_autograd", "register_fake", "register_kernel",
    "register_torch_dispatch", "register_vmap",
]  # fmt: skip

#: how the types of arguments are called in a schema
_TYPES = {
    Tensor: "Tensor", int: "SymInt", float: "float", bool: "bool", str: "str",
    int | float | bool: "Scalar", type(None): "()",
}  # fmt: skip


class CustomOpDef:
    """An operator defined by a program, and what is registered for it.

    Args:
        qualname: Its full name, ``"mylib::myop"``.
        mutates_args: The names of the arguments that it changes, or ``"unknown"``.

    Raises:
        ValueError: If the name has no namespace.
    """

    def __init__(self, qualname: str, mutates_args: str | Iterable[str] = "unknown") -> None:
        self._namespace, found, self._name = qualname.partition("::")
        if not found:
            raise ArgumentError(
                f"Expected `{qualname}` to be of the form 'namespace::name': give the operator a "
                "namespace of your own, as in 'mylib::myop'."
            )
        self._qualname = qualname
        self._mutates: Any = mutates_args if mutates_args == "unknown" else tuple(mutates_args)
        self._function: Callable[..., Any] | None = None
        self._fake: Callable[..., Any] | None = None
        self._backward: Callable[..., Any] | None = None
        self._setup_context: Callable[..., Any] | None = None
        self._differentiable = _with_derivative(self)
        REGISTERED[self._namespace, self._name] = self

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._function is None:
            raise GraphError(
                f"{self._qualname} has no kernel for the CPU: register one by "
                "`impl` or `register_kernel`."
            )
        if kwargs:
            bound = inspect.signature(self._function).bind(*args, **kwargs)
            args, kwargs = bound.args, bound.kwargs
        if not modes.is_grad_enabled() or not _requires_grad(args):
            return self._computed(*args, **kwargs)
        if kwargs:
            return self._differentiable.apply(lambda *a: self._computed(*a, **kwargs), *args)
        return self._differentiable.apply(self._computed, *args)

    def _computed(self, *args: Any, **kwargs: Any) -> Any:
        given = flatten((args, kwargs))[0]
        has_values = not any(isinstance(each, Tensor) and each.is_meta for each in given)
        compute = self._function if has_values else self._fake or self._function
        assert compute is not None
        with modes.no_grad():
            result = compute(*args, **kwargs)
        taken = {id(each) for each in given}
        for each in flatten(result)[0]:
            if isinstance(each, Tensor) and id(each) in taken:
                raise GraphError(
                    f"{self._qualname} (with implementation in {self._function.__module__}): The "
                    "output of this custom operator (1) must not also be an input to this custom "
                    "operator and (2) may not alias any inputs to this custom operator or other "
                    "returns. Return a clone() of it."
                )
        return result

    def register_kernel(
        self, device_types: str | Sequence[str] | None, func: Callable[..., Any] | None = None, /
    ) -> Any:
        """Register what the operator computes on some devices; a decorator without ``func``."""
        named = [device_types] if isinstance(device_types, str) else device_types

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            if named is None or "cpu" in named:
                self._function = function
            return function

        return register if func is None else register(func)

    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """Register what gives results without values, for operands on the device ``meta``."""
        self._fake = fn
        return fn

    def changes(self, name: str) -> bool:
        """Return whether the operator says that it changes an argument."""
        return self._mutates == "unknown" or name in self._mutates

    def bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return arguments by the names that the function has for them."""
        assert self._function is not None
        return dict(inspect.signature(self._function).bind(*args, **kwargs).arguments)

    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """Register the derivative.

        Args:
            backward: Returns one gradient for each argument, from ``ctx`` and those of the outputs.
            setup_context: Keeps in ``ctx`` what ``backward`` needs of ``inputs`` and ``output``.
        """
        self._backward = backward
        self._setup_context = setup_context

    def register_vmap(self, func: Callable[..., Any] | None = None) -> Any:
        """Take a rule for `vmap`, which has its own; a decorator without ``func``."""
        return (lambda function: function) if func is None else func

    def register_autocast(self, device_type: str, cast_inputs: Any, /) -> None:
        """Take the dtype for autocast, which casts nothing for such operators."""

    def register_torch_dispatch(
        self, torch_dispatch_class: Any, fn: Callable[..., Any] | None = None, /
    ) -> Any:
        """Take a rule for classes that see operators, of which there are none."""
        return (lambda function: function) if fn is None else fn


def _requires_grad(args: Any) -> bool:
    return any(isinstance(each, Tensor) and each.requires_grad for each in flatten(args)[0])


def _with_derivative(op: CustomOpDef) -> type[Function]:
    """Return the autograd function of an operator, named after it."""

    def forward(compute: Callable[..., Any], *args: Any) -> Any:
        return compute(*args)

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        if op._setup_context is not None:
            op._setup_context(ctx=ctx, inputs=inputs[1:], output=output)

    def backward(ctx: Any, *grads: Any) -> Any:
        if op._backward is None:
            raise GraphError(
                f"Trying to backward through {op._namespace}.{op._name}.default but no autograd "
                "formula was registered. Please use register_autograd to add one."
            )
        found = op._backward(ctx, *grads)
        return (None, *(found if isinstance(found, tuple) else (found,)))

    written: tuple[Any, ...] = (forward, setup_context, backward)
    methods = {each.__name__: staticmethod(each) for each in written}
    return type(f"GeneratedBackwardFor_{op._namespace}_{op._name}_default", (Function,), methods)


def custom_op(
    name: str, fn: Callable[..., Any] | None = None, /, *, mutates_args: str | Iterable[str],
    device_types: str | Sequence[str] | None = None, schema: str | None = None, tags: Any = None,
) -> Any:  # fmt: skip
    """Return the operator that a function computes; without one, a decorator.

    Args:
        name: The full name, ``"mylib::myop"``.
        fn: The function.
        mutates_args: The names of the arguments that it changes.
        device_types: The devices that it is for.
        schema: The types of its arguments; has no effect.
        tags: Has no effect.

    >>> from pellucid import library
    >>> @library.custom_op("docs::twice", mutates_args=())
    ... def twice(x: torch.Tensor) -> torch.Tensor:
    ...     return 2 * x
    >>> torch.ops.docs.twice(torch.ones(2))
    tensor([2., 2.])
    """

    def make(function: Callable[..., Any]) -> CustomOpDef:
        op = CustomOpDef(name, mutates_args)
        functools.update_wrapper(op, function, assigned=("__name__", "__doc__"), updated=())
        op.register_kernel(device_types, function)
        return op

    return make if fn is None else make(fn)


def _definition(op: Any) -> CustomOpDef:
    """Return the operator that is meant by itself, its full name or ``torch.ops.mylib.myop``."""
    if isinstance(op, OpOverload):
        op = op.overloadpacket
    if isinstance(op, OpOverloadPacket):
        op = op.qualified_name
    if isinstance(op, str):
        qualname = op.partition(".")[0]
        namespace, _, name = qualname.partition("::")
        found = REGISTERED.get((namespace, name))
        if found is None:
            raise GraphError(f"operator {qualname} does not exist: define it first")
        op = found
    return op


def define(qualname: str, schema: str, *, lib: Any = None, tags: Any = ()) -> None:
    """Define an operator whose kernel is registered later.

    Args:
        qualname: The full name.
        schema: Its arguments and results, ``"(Tensor x) -> Tensor"``; has no effect.
        lib: Has no effect.
        tags: Has no effect.
    """
    CustomOpDef(qualname)


def impl(
    qualname: str, types: str | Sequence[str], func: Callable[..., Any] | None = None, *,
    lib: Any = None,
) -> Any:  # fmt: skip
    """Register what an operator computes on some devices; a decorator without ``func``.

    Args:
        qualname: Qualified name of the operator, ``"namespace::name"``.
        types: Kinds of devices; ``"cpu"`` and ``"default"`` are those that matter.
        func: What computes it; None for a decorator.
        lib: Accepted, and without effect.
    """
    wanted = [types] if isinstance(types, str) else types
    for_cpu = any(each.lower().startswith(("cpu", "default", "composite")) for each in wanted)
    return _definition(qualname).register_kernel("cpu" if for_cpu else wanted, func)


def register_kernel(
    op: Any, device_types: str | Sequence[str] | None, func: Callable[..., Any] | None = None,
    /, *, lib: Any = None,
) -> Any:  # fmt: skip
    """Register what an operator computes on some devices; a decorator without ``func``.

    Args:
        op: Operator, or its qualified name.
        device_types: Kinds of devices; all if None.
        func: What computes it; None for a decorator.
        lib: Accepted, and without effect.
    """
    return _definition(op).register_kernel(device_types, func)


def register_fake(
    op: Any, func: Callable[..., Any] | None = None, /, *, lib: Any = None, **options: Any
) -> Any:
    """Register what gives results without values, on ``meta``; a decorator without ``func``.

    Args:
        op: Operator, or its qualified name.
        func: Function that gives such results; None for a decorator.
        lib: Accepted, and without effect.
    """
    register = _definition(op).register_fake
    return register if func is None else register(func)


def register_autograd(
    op: Any, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None,
    lib: Any = None,
) -> None:  # fmt: skip
    """Register the derivative of an operator: see `CustomOpDef.register_autograd`.

    Args:
        op: Operator, or its qualified name.
        backward: Returns one gradient for each argument, from ``ctx`` and those of the outputs.
        setup_context: Saves in ``ctx`` what ``backward`` needs.
        lib: Accepted, and without effect.
    """
    _definition(op).register_autograd(backward, setup_context=setup_context)


def register_vmap(op: Any, func: Callable[..., Any] | None = None, /, *, lib: Any = None) -> Any:
    """Take a rule for `vmap`, which has its own; a decorator without ``func``.

    Args:
        op: Operator, or its qualified name.
        func: The rule; None for a decorator.
        lib: Accepted, and without effect.
    """
    return _definition(op).register_vmap(func)


def register_autocast(op: Any, device_type: str, cast_inputs: Any, /, *, lib: Any = None) -> None:
    """Take the dtype for autocast, which casts nothing for such operators.

    Args:
        op: Operator, or its qualified name.
        device_type: Kind of device.
        cast_inputs: Dtype.
        lib: Accepted, and without effect.
    """
    _definition(op).register_autocast(device_type, cast_inputs)


def register_torch_dispatch(
    op: Any, torch_dispatch_class: Any, func: Callable[..., Any] | None = None, /, *,
    lib: Any = None,
) -> Any:  # fmt: skip
    """Take a rule for classes that see operators, of which there are none.

    Args:
        op: Operator, or its qualified name.
        torch_dispatch_class: Class of tensors or modes.
        func: The rule; None for a decorator.
        lib: Accepted, and without effect.
    """
    return _definition(op).register_torch_dispatch(torch_dispatch_class, func)


def opcheck(
    op: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None, *,
    test_utils: str | Sequence[str] = tuple(CHECKS), raise_exception: bool = True,
    atol: float | None = None, rtol: float | None = None,
) -> dict[str, str]:  # fmt: skip
    """Check an operator that a program has defined, and return what came of each check.

    Args:
        op: Operator.
        args: Arguments to call it with.
        kwargs: Keyword arguments.
        test_utils: Names of the checks: ``test_schema``, whether it changes only what it says;
            ``test_autograd_registration``, whether results have a history; ``test_faketensor``,
            whether it gives the same shapes on the device ``meta``; ``test_aot_dispatch_dynamic``,
            whether a second run gives the same values and gradients.
        raise_exception: Whether the first failure is raised.
        atol: Accepted, and without effect: values are compared exactly.
        rtol: Like ``atol``.

    Raises:
        ValueError: For a check of another name.
        OpCheckError: For a failure.

    >>> from pellucid import library
    >>> @library.custom_op("docs::thrice", mutates_args=())
    ... def thrice(x: torch.Tensor) -> torch.Tensor:
    ...     return 3 * x
    >>> library.opcheck(thrice, (torch.ones(2),), test_utils="test_schema")
    {'test_schema': 'SUCCESS'}
    """
    return check_operator(op, _definition(op), args, kwargs or {}, test_utils, raise_exception)


def infer_schema(
    prototype_function: Callable[..., Any], /, *, mutates_args: Any, op_name: str | None = None
) -> str:
    """Return the schema of an operator that the annotations of a function say.

    Args:
        prototype_function: A function with an annotation for each argument and for the result.
        mutates_args: The names of the arguments that it changes.
        op_name: A name to begin with.

    Raises:
        ValueError: If an argument has no annotation, or one that is not known.

    >>> from pellucid import library
    >>> def scaled(x: torch.Tensor, by: float = 2.0) -> torch.Tensor: ...
    >>> library.infer_schema(scaled, mutates_args=())
    '(Tensor x, float by=2.0) -> Tensor'
    """
    hints = typing.get_type_hints(prototype_function)
    written: list[str] = []
    parameters = inspect.signature(prototype_function).parameters
    for position, (name, parameter) in enumerate(parameters.items()):
        if name not in hints:
            raise ArgumentError(
                f"infer_schema(func): Parameter {name} must have a type annotation."
            )
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in written:
            written.append("*")
        kind = _type_name(hints[name], name)
        if name in mutates_args or mutates_args == "unknown":
            kind = kind.replace("Tensor", f"Tensor(a{position}!)", 1)
        default = parameter.default
        text = "" if default is parameter.empty else f"={_default(default)}"
        written.append(f"{kind} {name}{text}")
    returned = hints.get("return", type(None))
    return f"{op_name or ''}({', '.join(written)}) -> {_type_name(returned, 'return')}"


def _default(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _type_name(hint: Any, name: str) -> str:
    if hint in _TYPES:
        return _TYPES[hint]
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType) and type(None) in inner:
        rest = [each for each in inner if each is not type(None)]
        if len(rest) == 1:
            return f"{_type_name(rest[0], name)}?"
    if origin in (list, Sequence) and inner:
        return f"{_type_name(inner[0], name)}[]"
    if origin is tuple:
        return f"({', '.join(_type_name(each, name) for each in inner)})"
    raise ArgumentError(
        f"infer_schema(func): Parameter {name} has unsupported type {hint}. The valid types are "
        f"{', '.join(sorted(_TYPES.values()))}, lists of them, and each or None."
    )


class Library:
    """Operators of a namespace, defined and given their kernels one by one.

    Args:
        ns: The namespace.
        kind: ``"DEF"`` for a namespace of one's own, ``"FRAGMENT"`` for more of one, ``"IMPL"``
            for kernels of operators defined elsewhere.
        dispatch_key: The device that kernels are for, where it is not said.
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        self.ns = ns
        self.kind = kind
        self.dispatch_key = dispatch_key

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Define an operator by its name and arguments, and return its name."""
        name = schema.partition("(")[0].strip()
        CustomOpDef(f"{self.ns}::{name}")
        return name

    def impl(
        self, op_name: Any, fn: Callable[..., Any], dispatch_key: str = "", **options: Any
    ) -> None:
        """Register what an operator computes."""
        name = op_name if isinstance(op_name, str) else op_name.__name__
        qualname = name if "::" in name else f"{self.ns}::{name}"
        impl(qualname, dispatch_key or self.dispatch_key or "default", fn)

    def fallback(self, fn: Any, dispatch_key: str = "", **options: Any) -> None:
        """Take a function for all operators of a device, which has no effect."""
