"""Classes whose objects take over the functions that are given them: ``__torch_function__``.

`core.call.call`, what changes in place, what writes into ``out=`` and what is checked in
`core.checked` ask here; the short paths never do, as Note [Subclasses of Tensor] says.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from types import NoneType
from typing import Any, Final

import numpy as np

from pellucid.autograd.modes import modes
from pellucid.autograd.variable import TensorBase
from pellucid.blocks import Block
from pellucid.core.definition.op import Op
from pellucid.errors import ArgumentTypeError
from pellucid.kernels.meta import any_meta
from pellucid.observe import slow_path

# Note [Subclasses of Tensor]
# A subclass that takes functions over has `_array` as a property, over the slot of that name. The
# compiled module takes only tensors that keep the array in the slot, so it leaves these to Python,
# where `slow_path.general` makes calls look at the classes of their operands once there is such a
# class. Neither costs plain tensors anything. Methods and attributes that are not functions of the
# package, such as `shape` and `backward`, are wrapped in the subclass itself, and in `Tensor` as
# long as there is a mode: `core.call.attributes`.

#: classes of arguments that take nothing over
_USUAL: Final = frozenset({bool, int, float, complex, str, NoneType, list, tuple, np.ndarray})


class DisableTorchFunctionSubclass(Block):
    """A block in which no argument's class takes functions over; modes still do."""

    def _begin(self) -> None:
        self._set(modes, "overriding", False)


class DisableTorchFunction(Block):
    """A block in which neither classes of arguments nor modes take functions over."""

    def _begin(self) -> None:
        self._set(modes, "overriding", False)
        self._set(modes, "function_modes", ())


def _disabled_torch_function_impl(
    function: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
) -> Any:
    """Call the function: as a class's ``__torch_function__`` it says that nothing is taken over."""
    with DisableTorchFunctionSubclass():
        return function(*args, **(kwargs or {}))


class SkippedOnce:
    """What ``modes.overriding`` is until the next function has asked who takes it over: false."""

    def __bool__(self) -> bool:
        modes.overriding = True
        return False


def redispatch_function(
    func: Callable[..., Any], types: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None
) -> Any:
    """Call a function that is not taken over itself; those that it calls may be.

    Args:
        func: Function that ``__torch_function__`` was given.
        types: Classes that take it over.
        args: Its arguments.
        kwargs: Its arguments by name.

    >>> class Named(torch.Tensor):
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         print(func.__name__)
    ...         return torch.overrides.redispatch_function(func, types, args, kwargs)
    >>> torch.ones(2).as_subclass(Named) * 2
    mul
    tensor([2., 2.])
    """
    before = modes.overriding
    modes.overriding = SkippedOnce()
    try:
        return func(*args, **(kwargs or {}))
    finally:
        modes.overriding = before


#: what a class has as ``__torch_function__`` that takes nothing over
disabled_torch_function_impl: Final[Any] = _disabled_torch_function_impl


def overrides(value: Any) -> bool:
    """Return whether the class of an argument takes functions over, whether or not it may now."""
    cls = value.__class__
    if cls in _USUAL:
        return False
    if issubclass(cls, TensorBase):
        return cls._takes_over
    found = getattr(cls, "__torch_function__", None)
    if found is None or found is disabled_torch_function_impl:
        return False
    # That of a tensor of PyTorch itself, as given to `from_dlpack`, would call the function again.
    return getattr(found, "__module__", None) != "torch._tensor"


def is_general(*operands: Any) -> bool:
    """Return whether a call takes the general way: for a mode or listener, or for its operands.

    Asked only where ``slow_path.general`` says that there may be a reason.
    """
    if slow_path.active or any(overrides(each) for each in operands):
        return True
    return any_meta(getattr(each, "_array", None) for each in operands)


def relevant(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return those arguments, and parts of lists, whose classes take functions over just now."""
    if not modes.overriding:
        return ()
    found: list[Any] = []
    for each in values:
        if each.__class__ is list or each.__class__ is tuple:
            found += [p for p in each if p.__class__ not in _USUAL and overrides(p)]
        elif each.__class__ not in _USUAL and overrides(each):
            found.append(each)
    return tuple(found)


def take_over(
    function: Any, values: Iterable[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Pass a call to the innermost mode and to the arguments that take it over; return the result.

    Raises TypeError where all of them return NotImplemented.
    """
    result = ask(function, values, args, kwargs)
    if result is not NotImplemented:
        return result
    found = [*modes.function_modes, *{value.__class__: None for value in values}]
    raise ArgumentTypeError(
        f"Multiple dispatch failed for '{name_of_function(function)}'; all "
        f"__torch_function__ handlers returned NotImplemented: {found}"
    )


def ask_modes(function: Any, *args: Any, **options: Any) -> Any:
    """Pass a call of a function that is given no tensors to the innermost mode; return the result.

    Options that are None or False are left out, as defaults.
    """
    given = {
        name: value for name, value in options.items() if not (value is None or value is False)
    }
    while args and args[-1] is None:
        args = args[:-1]
    return take_over(function, relevant(args), args, given)


def overridable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function as one that modes and the classes of its arguments may take over."""

    @functools.wraps(function)
    def asking(*args: Any, **kwargs: Any) -> Any:
        taking = relevant((*args, *kwargs.values()))
        if taking or modes.function_modes:
            return take_over(asking, taking, args, kwargs)
        return function(*args, **kwargs)

    overridable_functions[asking] = None
    return asking


#: what `overridable` has made, in this order: a dictionary, as distributed tensors look into it
#: at each call
overridable_functions: Final[dict[Callable[..., Any], None]] = {}


def name_of_function(function: Any) -> str:
    """Return the public name of a function, as ``torch.add``."""
    name = f"{getattr(function, '__module__', '')}.{getattr(function, '__name__', function)}"
    return name.replace("pellucid", "torch", 1)


def ask(function: Any, values: Iterable[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do what `take_over` does, and return NotImplemented where all do.

    The arguments' classes are asked in their order, a subclass before those it is derived from.
    """
    classes: list[type] = []
    for cls in (value.__class__ for value in values):
        if cls not in classes:
            position = next((i for i, one in enumerate(classes) if issubclass(cls, one)), None)
            classes.insert(len(classes) if position is None else position, cls)
    types, stack = tuple(classes), modes.function_modes
    if stack:
        modes.function_modes = stack[:-1]
        try:
            result = stack[-1].__torch_function__(function, types, args, kwargs)
        finally:
            modes.function_modes = stack
        if result is not NotImplemented:
            return result
    for cls in classes:
        result = cls.__torch_function__(function, types, args, kwargs)
        if result is not NotImplemented:
            return result
    return NotImplemented


def public_arguments(
    op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of an op as they may have been given: defaults are left out."""
    given = dict(zip((each.name for each in op.operands), operands, strict=False))
    given |= {param.name: value for param, value in zip(op.params, params, strict=True)}
    positional = [param for param in op.params if not param.keyword_only]
    while positional and positional[-1].has_default:
        last = positional[-1]
        if given[last.name] is not last.default:
            break
        del given[positional.pop().name]
    kwargs = {
        param.name: given[param.name]
        for param in op.params
        if param.keyword_only and given[param.name] is not param.default
    }
    names = [each.name for each in op.operands]
    names += [param.name for param in positional if param.name not in names]
    order = op.order
    if order is not None:
        names.sort(key=lambda name: order.index(name) if name in order else len(order))
    while names and any(o.name == names[-1] and o.optional for o in op.operands):
        if given[names[-1]] is not None:
            break
        names.pop()
    return tuple(given[name] for name in names), kwargs
