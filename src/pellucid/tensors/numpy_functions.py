"""NumPy's functions on tensors: ``np.sin(t)``, ``np.mean(t, axis=0)``, with their derivatives.

See Note [NumPy's functions].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pellucid.autograd.modes import modes
from pellucid.autograd.variable import TensorBase
from pellucid.core.public import public, public_names
from pellucid.dtypes import from_numpy_dtype
from pellucid.tensors import conversions
from pellucid.tensors.public_functions import function_of

# Note [NumPy's functions]
# A ufunc gives a tensor, as in PyTorch, and here one that can be differentiated. Of the other
# functions, reductions give tensors too (PyTorch has no answer to them). What is left gives what it
# gives in PyTorch, mostly an array, unless a tensor requires grad: an array could not hold its
# history, so there the function of the same meaning here is called.

#: ufuncs whose functions here have another name
_UFUNC_NAMES = {
    "conjugate": "conj", "equal": "eq", "fabs": "abs", "invert": "bitwise_not",
    "left_shift": "bitwise_left_shift", "power": "pow", "right_shift": "bitwise_right_shift",
    "rint": "round",
}  # fmt: skip
_REDUCTIONS = {"max": "amax", "min": "amin"} | {
    name: name for name in ("all", "amax", "amin", "any", "mean", "prod", "std", "sum", "var")
}


def _function(name: str) -> Callable[..., Any] | None:
    entry = public_names[""].get(name)
    return None if entry is None else function_of(entry, name, "pellucid")


@public(method="__array_ufunc__")
def array_ufunc(self: Any, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    """Return what a ufunc gives for tensors: the result of the function of its meaning here.

    Args:
        ufunc: NumPy's function.
        method: ``"__call__"``, or a method of the ufunc, such as ``"reduce"``.
        inputs: Its operands.
        options: Its keyword arguments.
    """
    name = str(ufunc.__name__)
    function = _function(_UFUNC_NAMES.get(name, name))
    if method == "__call__" and not options and function is not None:
        return function(*map(_as_operand, inputs))
    out = options.pop("out", ())
    in_place = method == "__call__" and bool(out) and out[0] is inputs[0]
    if in_place and function is not None and _any_requires_grad(inputs):
        # ``array += tensor``, where an array could not hold the history
        return function(*map(_as_operand, inputs))
    if out:
        options["out"] = tuple(map(_as_array, out))
    result = getattr(ufunc, method)(*map(_as_array, inputs), **options)
    if out:
        return out[0] if len(out) == 1 else out
    return tuple(map(_as_tensor, result)) if isinstance(result, tuple) else _as_tensor(result)


@public(method="__array_function__")
def array_function(
    self: Any, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Return what a function of NumPy gives for tensors.

    Args:
        func: NumPy's function.
        types: The classes among its arguments that have a say.
        args: Its positional arguments.
        kwargs: Its keyword arguments.
    """
    name = func.__name__
    if name in _REDUCTIONS and len(args) < 3 and not kwargs.keys() - _REDUCED_BY:
        return _reduce(_REDUCTIONS[name], *args, **kwargs)
    if name in _DIFFERENTIABLE and modes.grad_enabled and _any_requires_grad((args, kwargs)):
        return _DIFFERENTIABLE[name](*args, **kwargs)
    return func._implementation(*args, **kwargs)


_REDUCED_BY = {"axis", "ddof", "dtype", "keepdims"}


def _reduce(
    name: str, a: Any, axis: Any = None, dtype: Any = None, ddof: float = 0, keepdims: bool = False
) -> Any:
    options: dict[str, Any] = {} if axis is None else {"dim": axis, "keepdim": keepdims}
    if dtype is not None:
        options["dtype"] = from_numpy_dtype(np.dtype(dtype))
    if name in ("std", "var"):
        options["correction"] = ddof
    function = _function(name)
    assert function is not None
    result = function(a, **options)
    return result.reshape([1] * a.ndim) if keepdims and axis is None else result


def _named(name: str, **renamed: str) -> Callable[..., Any]:
    """Return a function of this package that takes NumPy's keywords."""
    names = {"axis": "dim", **renamed}

    def call(*args: Any, **kwargs: Any) -> Any:
        function = _function(name)
        assert function is not None
        return function(*args, **{names.get(key, key): value for key, value in kwargs.items()})

    return call


def _axes_of(a: Any, axes: Any = None) -> Any:
    return a.permute(*(range(a.ndim)[::-1] if axes is None else axes))


#: functions that have a derivative here, by NumPy's names
_DIFFERENTIABLE: dict[str, Callable[..., Any]] = {
    "broadcast_to": _named("broadcast_to"),
    "clip": _named("clamp", a_min="min", a_max="max"),
    "concatenate": lambda arrays, axis=0: _named("cat")(list(arrays), dim=axis),
    "cumprod": lambda a, axis: _named("cumprod")(a, axis),
    "cumsum": lambda a, axis: _named("cumsum")(a, axis),
    "diagonal": lambda a, offset=0: _named("diagonal")(a, offset),
    "dot": _named("matmul"),
    "einsum": _named("einsum"),
    "expand_dims": lambda a, axis: a.unsqueeze(axis),
    "flip": lambda m, axis=None: m.flip(tuple(range(m.ndim)) if axis is None else axis),
    "outer": lambda a, b: _named("outer")(a.reshape(-1), b.reshape(-1)),
    "ravel": lambda a: a.reshape(-1),
    "reshape": lambda a, shape: a.reshape(shape),
    "roll": _named("roll", shift="shifts", axis="dims"),
    "sort": lambda a, axis=-1: a.sort(axis).values,
    "squeeze": _named("squeeze"),
    "stack": lambda arrays, axis=0: _named("stack")(list(arrays), dim=axis),
    "tensordot": _named("tensordot", axes="dims"),
    "tile": lambda A, reps: A.tile(reps),
    "trace": _named("trace"),
    "transpose": _axes_of,
    "where": _named("where"),
}


def _any_requires_grad(values: Any) -> bool:
    return any(each.requires_grad for each in _tensors(values))


def _tensors(values: Any) -> Iterator[Any]:
    if isinstance(values, TensorBase):
        yield values
    elif isinstance(values, list | tuple):
        for each in values:
            yield from _tensors(each)
    elif isinstance(values, dict):
        yield from _tensors(list(values.values()))


def _as_operand(value: Any) -> Any:
    """Return an array as a tensor, and a number of NumPy as one of Python, which widens nothing."""
    if isinstance(value, np.generic):
        return value.item()
    return _as_tensor(value) if isinstance(value, np.ndarray) else value


def _as_tensor(value: Any) -> Any:
    tensor = _function("as_tensor")
    assert tensor is not None
    return tensor(np.asarray(value))


def _as_array(value: Any) -> Any:
    return conversions.to_array(value) if isinstance(value, TensorBase) else value
