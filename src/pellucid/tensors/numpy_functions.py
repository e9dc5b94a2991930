"""NumPy's functions on tensors: ``np.sin(t)``, ``np.mean(t, axis=0)``, with their derivatives.

See Note [NumPy's functions].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.definition.public import public, public_names
from pellucid.dtypes import from_numpy_dtype
from pellucid.tensors import conversions
from pellucid.tensors.public_functions import function_of

# Note [NumPy's functions]
# A ufunc gives a tensor, as in PyTorch, and here one that can be differentiated. Of the other
# functions, reductions give tensors too (PyTorch has no answer to them). What is left gives what it
# gives in PyTorch, mostly an array, unless a tensor requires grad: an array could not hold its
# history, so there the function of the same meaning here is called. Where a derivative would make
# no sense, as of positions, NumPy computes with the values.

#: ufuncs whose functions here have another name
_UFUNC_NAMES = {
    "conjugate": "conj", "degrees": "rad2deg", "equal": "eq", "fabs": "abs",
    "invert": "bitwise_not", "left_shift": "bitwise_left_shift", "power": "pow",
    "radians": "deg2rad", "right_shift": "bitwise_right_shift", "rint": "round",
}  # fmt: skip
_REDUCTIONS = {"max": "amax", "min": "amin"} | {
    name: name for name in ("all", "amax", "amin", "any", "mean", "prod", "std", "sum", "var")
}


def _function(name: str, place: str = "") -> Callable[..., Any] | None:
    entry = public_names[place].get(name)
    return None if entry is None else function_of(entry, name, f"pellucid.{place}".rstrip("."))


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
    if _any_requires_grad((args, kwargs)):
        place = func.__module__.removeprefix("numpy").lstrip(".")
        differentiable = _differentiable(place, name)
        if differentiable is not None:
            return differentiable(*args, **kwargs)
        if name in _WITHOUT_DERIVATIVE:
            return func._implementation(*_values(args), **_values(kwargs))
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


def _differentiable(place: str, name: str) -> Callable[..., Any] | None:
    """Return a function of this package that takes NumPy's arguments, if there is one."""
    full_name = f"{place}.{name}".lstrip(".")
    if full_name in _DIFFERENTIABLE:
        return _DIFFERENTIABLE[full_name]
    if place in ("linalg", "fft") and name != "matrix_rank":
        return _named(full_name) if _function(name, place) is not None else None
    return _named(name) if name in _SAME else None


_KEYWORDS = {"axis": "dim", "axes": "dim", "keepdims": "keepdim"}


def _named(full_name: str, **renamed: str) -> Callable[..., Any]:
    """Return a function of this package that takes NumPy's keywords."""
    names = {**_KEYWORDS, **renamed}
    place, _, name = full_name.rpartition(".")

    def call(*args: Any, **kwargs: Any) -> Any:
        function = _function(name, place)
        assert function is not None
        return function(*args, **{names.get(key, key): value for key, value in kwargs.items()})

    return call


def _joining(name: str) -> Callable[..., Any]:
    """Return a function of a sequence, in which arrays may stand among the tensors."""
    return lambda arrays, axis=0: _named(name)([_as_operand(each) for each in arrays], dim=axis)


def _stacking(name: str) -> Callable[..., Any]:
    return lambda tup: _named(name)([_as_operand(each) for each in tup])


def _running(name: str) -> Callable[..., Any]:
    """Return a function along an axis, or of all elements in a row."""
    return lambda a, axis=None: _named(name)(*((a.reshape(-1), 0) if axis is None else (a, axis)))


def _axes_of(a: Any, axes: Any = None) -> Any:
    return a.permute(*(range(a.ndim)[::-1] if axes is None else axes))


def _average(a: Any, axis: Any = None, weights: Any = None) -> Any:
    if weights is None:
        return _reduce("mean", a, axis)
    weights = _as_operand(weights)
    return _reduce("sum", a * weights, axis) / _reduce("sum", weights + 0 * a, axis)


def _quantile(a: Any, q: Any, axis: Any = None, keepdims: bool = False) -> Any:
    q = q if isinstance(q, int | float) else _as_tensor(q).to(a.dtype)
    return _named("quantile")(a, q, dim=axis, keepdim=keepdims)


def _gradient(f: Any) -> Any:
    found = _named("gradient")(f)
    return found[0] if f.ndim == 1 else found


def _svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    if compute_uv:
        return _named("linalg.svd")(a, full_matrices)
    return _named("linalg.svdvals")(a)


#: functions that have a derivative and take the same arguments here
_SAME = {
    "angle", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_to", "corrcoef", "cov",
    "diff", "einsum", "fliplr", "flipud", "inner", "kron", "moveaxis", "nan_to_num", "nanmean",
    "nansum", "swapaxes",
}  # fmt: skip
#: functions whose results have no derivative
_WITHOUT_DERIVATIVE = {
    "allclose", "argmax", "argmin", "argpartition", "argsort", "argwhere", "array_equal",
    "bincount", "count_nonzero", "digitize", "empty_like", "flatnonzero", "full_like",
    "histogram", "isclose", "lexsort", "matrix_rank", "nonzero", "ones_like", "result_type",
    "searchsorted", "shape", "size", "ndim", "unique", "zeros_like",
}  # fmt: skip
#: functions that have a derivative here, by NumPy's names
_DIFFERENTIABLE: dict[str, Callable[..., Any]] = {
    "average": _average,
    "clip": _named("clamp", a_min="min", a_max="max"),
    "column_stack": _stacking("column_stack"),
    "concatenate": _joining("cat"),
    "copy": lambda a: a.clone(),
    "cross": _named("linalg.cross"),
    "cumprod": _running("cumprod"),
    "cumsum": _running("cumsum"),
    "diag": lambda v, k=0: _named("diag")(v, k),
    "diagonal": lambda a, offset=0: _named("diagonal")(a, offset),
    "dot": _named("matmul"),
    "dstack": _stacking("dstack"),
    "expand_dims": lambda a, axis: a.unsqueeze(axis),
    "flip": lambda m, axis=None: m.flip(tuple(range(m.ndim)) if axis is None else axis),
    "gradient": _gradient,
    "hstack": _stacking("hstack"),
    "median": lambda a, axis=None, keepdims=False: _quantile(a, 0.5, axis, keepdims),
    "outer": lambda a, b: _named("outer")(a.reshape(-1), b.reshape(-1)),
    "percentile": lambda a, q, axis=None, keepdims=False: _quantile(
        a, np.asarray(q) / 100, axis, keepdims
    ),
    "ptp": lambda a, axis=None: _reduce("amax", a, axis) - _reduce("amin", a, axis),
    "quantile": _quantile,
    "ravel": lambda a: a.reshape(-1),
    "repeat": lambda a, repeats, axis=None: _named("repeat_interleave")(a, repeats, dim=axis),
    "reshape": lambda a, shape: a.reshape(shape),
    "roll": _named("roll", shift="shifts", axis="dims"),
    "rot90": _named("rot90", axes="dims"),
    "round": lambda a, decimals=0: _named("round")(a, decimals=decimals),
    "sort": lambda a, axis=-1: a.sort(axis).values,
    "squeeze": _named("squeeze"),
    "stack": _joining("stack"),
    "tensordot": _named("tensordot", axes="dims"),
    "tile": lambda A, reps: A.tile(reps),
    "trace": _named("trace"),
    "transpose": _axes_of,
    "trapezoid": lambda y, x=None, dx=1.0, axis=-1: _named("trapezoid")(
        y, **({"dx": dx} if x is None else {"x": _as_operand(x)}), dim=axis
    ),
    "tril": lambda m, k=0: _named("tril")(m, k),
    "triu": lambda m, k=0: _named("triu")(m, k),
    "vstack": _stacking("vstack"),
    "where": _named("where"),
    "linalg.pinv": _named("linalg.pinv", rcond="rtol"),
    "linalg.svd": _svd,
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


def _values(given: Any) -> Any:
    """Return arguments with tensors cut off from their history."""
    if isinstance(given, TensorBase):
        tensor: Any = given
        return conversions.to_array(tensor.detach())
    if isinstance(given, list | tuple):
        return type(given)(map(_values, given))
    if isinstance(given, dict):
        return {name: _values(each) for name, each in given.items()}
    return given


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
