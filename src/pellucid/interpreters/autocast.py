"""Autocast: in which dtype an operation computes while it is on, and casting its operands to it.

What it does is said where an operation is declared; see `pellucid.core.definition.autocasting`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeGuard

from pellucid.autograd.modes import modes, no_autocast
from pellucid.autograd.node import AccumulateGrad
from pellucid.autograd.variable import TensorBase
from pellucid.core.call.interpreter import Below, Interpreter
from pellucid.core.definition.autocasting import Autocast
from pellucid.core.definition.op import Op
from pellucid.dtypes import bfloat16, dtype, float16, float32, from_numpy_dtype, promote_types
from pellucid.observe import slow_path
from pellucid.ops.shape.copying import cast


class Casting(Interpreter):
    """The cast of operands to the dtype that autocast uses for products."""

    casts = True

    def __init__(self, lower: dtype, cached: bool) -> None:
        self.lower = lower
        self.cached = cached

    def call(self, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], below: Below) -> Any:
        if op.autocast is not None and op.autocast is not Autocast.AS_GIVEN:
            operands = self._cast(operands, self._target(op.autocast, operands))
        return below(op, operands, params)

    def call_composite(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Call a function that is made of ops; inside one with a policy nothing else is cast."""
        policy = getattr(function, "autocast", None)
        if policy is not None and not isinstance(policy, Autocast):
            policy = policy(*args, **kwargs)
        if policy is None:
            return function(*args, **kwargs)
        if policy is not Autocast.AS_GIVEN:
            values = (*args, *kwargs.values())
            values = self._cast(values, self._target(policy, values))
            args = values[: len(args)]
            kwargs = dict(zip(kwargs, values[len(args) :], strict=True))
        with no_autocast():
            result = function(*args, **kwargs)
            return self._value(result, self.lower) if policy is Autocast.LOWER_RESULT else result

    def lowered(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return values in the dtype of products."""
        return self._cast(values, self.lower)

    def _target(self, policy: Autocast, operands: tuple[Any, ...]) -> dtype:
        if policy is Autocast.LOWER:
            return self.lower
        if policy in (Autocast.FLOAT32, Autocast.LOWER_RESULT):
            return float32
        widest = None
        for each in operands:
            if _is_eligible(each):
                own = from_numpy_dtype(each._array.dtype)
                widest = own if widest is None else promote_types(widest, own)
        return widest or float32

    def _cast(self, values: tuple[Any, ...], target: dtype) -> tuple[Any, ...]:
        return tuple(self._value(each, target) for each in values)

    def _value(self, value: Any, target: dtype) -> Any:
        if value.__class__ is list or value.__class__ is tuple:
            return value.__class__(self._value(each, target) for each in value)
        if not _is_eligible(value) or value._array.dtype == target.numpy:
            return value
        if self.cached and target is self.lower and _is_weight(value):
            return _cached_cast(value, target)
        return cast(value, target)


def _is_eligible(value: object) -> TypeGuard[TensorBase]:
    """Return whether autocast may change a value's dtype: double precision has been asked for."""
    return (
        isinstance(value, TensorBase)
        and value._array.dtype.kind in "fV"
        and value._array.dtype.itemsize != 8
    )


def _is_weight(tensor: TensorBase) -> bool:
    """Return whether a tensor is a leaf in float32, which will be cast again and again."""
    edge = tensor._edge
    return (
        edge is not None
        and isinstance(edge[0], AccumulateGrad)
        and tensor._view is None
        and tensor._array.dtype == float32.numpy
    )


def _cached_cast(tensor: Any, target: dtype) -> Any:
    """Return the cast made before, if the weight has not changed since; else make and keep one."""
    key = (id(tensor), target, modes.grad_enabled)
    version = tensor._version
    kept = state.cache.get(key)
    if kept is None or kept[0] is not tensor or kept[1] != version:
        kept = state.cache[key] = (tensor, version, cast(tensor, target))
    return kept[2]


class State(threading.local):
    """The settings of autocast of one thread, device by device."""

    def __init__(self) -> None:
        self.enabled: dict[str, bool] = {}
        self.dtypes: dict[str, dtype] = {}
        self.cache_enabled = True
        #: how many blocks of autocast are open; the cache lives as long as the outermost
        self.nesting = 0
        self.cache: dict[tuple[int, dtype, bool], tuple[Any, int, Any]] = {}
        #: what stands for this thread in `slow_path` while its operations are cast
        self.reason = object()

    def dtype_of(self, device_type: str) -> dtype:
        """Return the dtype of products on a device."""
        return self.dtypes.get(device_type, bfloat16 if device_type == "cpu" else float16)

    def apply(self) -> None:
        """Put the settings into effect for operations of this thread."""
        if self.enabled.get("cpu", False):
            modes.autocast = Casting(self.dtype_of("cpu"), self.cache_enabled)
        else:
            modes.autocast = None
        self.count()

    def count(self) -> None:
        """Take the general way while there is something that casts; see Note [Interrupts]."""
        slow_path.need(self.reason, modes.autocast is not None)


state = State()
