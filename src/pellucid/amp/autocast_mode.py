"""Autocast: a block in which each operation computes in the dtype that suits it."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from pellucid.autograd.modes import modes
from pellucid.autograd.sites import user_stacklevel
from pellucid.blocks import Block
from pellucid.core.definition.public import public
from pellucid.device import device
from pellucid.dtypes import bfloat16, dtype, float16, float64
from pellucid.errors import ArgumentError, ArgumentTypeError, DeviceError
from pellucid.interpreters.autocast import state
from pellucid.tensors import Tensor

_SUPPORTED = (bfloat16, float16)
_AVAILABLE = ("cpu", "cuda", "mps", "xpu", "hpu", "xla", "mtia", "ipu", "maia", "privateuseone")


def is_autocast_available(device_type: str) -> bool:
    """Return whether autocast supports a kind of device, whether or not this machine has one.

    Args:
        device_type: The kind of device, such as ``"cpu"``.

    >>> torch.amp.is_autocast_available("cpu")
    True
    """
    return device(device_type).type in _AVAILABLE


def _checked(name: str, device_type: object) -> str:
    if not isinstance(device_type, str):
        raise ArgumentTypeError(
            f"{name}(): argument 'device_type' (position 1) must be str, not "
            f"{type(device_type).__name__}"
        )
    return device(device_type).type


@public("is_autocast_enabled", checked=False)
def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Return whether autocast is on in this thread.

    Args:
        device_type: The kind of device, such as ``"cpu"``.

    >>> with torch.autocast("cpu"):
    ...     torch.is_autocast_enabled("cpu")
    True
    """
    return state.enabled.get(_checked("is_autocast_enabled", device_type), False)


@public("set_autocast_enabled", checked=False)
def set_autocast_enabled(device_type: str | bool, enabled: bool | None = None) -> None:
    """Switch autocast on or off in this thread.

    Args:
        device_type: The kind of device, such as ``"cpu"``; a bool alone is ``enabled`` for CUDA.
        enabled: Whether autocast is on.

    >>> torch.set_autocast_enabled("cpu", True)
    >>> torch.mm(torch.ones(1, 1), torch.ones(1, 1)).dtype
    torch.bfloat16
    >>> torch.set_autocast_enabled("cpu", False)
    """
    if isinstance(device_type, bool):
        device_type, enabled = "cuda", device_type
    state.enabled[device_type] = bool(enabled)
    state.apply()


@public("get_autocast_dtype", checked=False)
def get_autocast_dtype(device_type: str) -> dtype:
    """Return the dtype in which autocast computes products.

    Args:
        device_type: The kind of device, such as ``"cpu"``.

    >>> torch.get_autocast_dtype("cpu")
    torch.bfloat16
    """
    return state.dtype_of(_checked("get_autocast_dtype", device_type))


@public("set_autocast_dtype", checked=False)
def set_autocast_dtype(device_type: str, dtype: dtype) -> None:
    """Set the dtype in which autocast computes products.

    Args:
        device_type: The kind of device, such as ``"cpu"``.
        dtype: The dtype, bfloat16 or float16.

    >>> torch.set_autocast_dtype("cpu", torch.float16)
    >>> torch.get_autocast_dtype("cpu")
    torch.float16
    >>> torch.set_autocast_dtype("cpu", torch.bfloat16)
    """
    state.dtypes[device_type] = dtype
    state.apply()


@public("is_autocast_cache_enabled", checked=False)
def is_autocast_cache_enabled() -> bool:
    """Return whether a weight is cast once in a block, however often it is used.

    >>> torch.is_autocast_cache_enabled()
    True
    """
    return state.cache_enabled


@public("set_autocast_cache_enabled", checked=False)
def set_autocast_cache_enabled(enabled: bool) -> None:
    """Set whether a weight is cast once in a block, however often it is used.

    Args:
        enabled: Whether it is.

    >>> torch.set_autocast_cache_enabled(True)
    """
    state.cache_enabled = bool(enabled)
    state.apply()


@public("clear_autocast_cache", checked=False)
def clear_autocast_cache() -> None:
    """Discard the weights that have been cast.

    >>> torch.clear_autocast_cache()
    """
    state.cache.clear()


@public("autocast_increment_nesting", checked=False)
def autocast_increment_nesting() -> int:
    """Count one more open block, and return how many there are.

    >>> torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()
    (1, 0)
    """
    state.nesting += 1
    return state.nesting


@public("autocast_decrement_nesting", checked=False)
def autocast_decrement_nesting() -> int:
    """Count one open block less, and return how many there are.

    >>> torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()
    (1, 0)
    """
    state.nesting -= 1
    return state.nesting


def _deprecated(name: str, use: str) -> None:
    warnings.warn(
        f"torch.{name}() is deprecated. Please use {use} instead.",
        DeprecationWarning,
        stacklevel=user_stacklevel(),
    )


@public("is_autocast_cpu_enabled", checked=False)
def is_autocast_cpu_enabled() -> bool:
    """Return whether autocast is on for the CPU.

    Deprecated; it warns. Use ``torch.is_autocast_enabled("cpu")``.

    >>> torch.is_autocast_enabled("cpu")
    False
    """
    _deprecated("is_autocast_cpu_enabled", "torch.is_autocast_enabled('cpu')")
    return is_autocast_enabled("cpu")


@public("get_autocast_cpu_dtype", checked=False)
def get_autocast_cpu_dtype() -> dtype:
    """Return the dtype in which autocast computes products on the CPU.

    Deprecated; it warns. Use ``torch.get_autocast_dtype("cpu")``.

    >>> torch.get_autocast_dtype("cpu")
    torch.bfloat16
    """
    _deprecated("get_autocast_cpu_dtype", "torch.get_autocast_dtype('cpu')")
    return get_autocast_dtype("cpu")


@public("get_autocast_gpu_dtype", checked=False)
def get_autocast_gpu_dtype() -> dtype:
    """Return the dtype in which autocast computes products on CUDA devices.

    Deprecated; it warns. Use ``torch.get_autocast_dtype("cuda")``.

    >>> torch.get_autocast_dtype("cuda")
    torch.float16
    """
    _deprecated("get_autocast_gpu_dtype", "torch.get_autocast_dtype('cuda')")
    return get_autocast_dtype("cuda")


@public("autocast")
@public("autocast")
class autocast(Block):  # noqa: N801 - PyTorch's name
    """A context manager and decorator in which products are computed in half precision.

    Operations that need more precision, such as losses, are computed in float32; all others in the
    dtype of their arguments. Weights stay in float32, and so do their gradients. For another dtype
    than bfloat16 and float16, and for a device that is not here, autocast warns and does nothing.

    Args:
        device_type: The kind of device, such as ``"cpu"``.
        dtype: bfloat16 or float16; by default what `get_autocast_dtype` returns.
        enabled: Whether autocast is on in the block.
        cache_enabled: Whether a weight is cast once in the block, however often it is used; by
            default what `is_autocast_cache_enabled` returns.

    Raises:
        ValueError: If ``device_type`` is not a string.
        RuntimeError: If there is no such kind of device.

    >>> layer = torch.nn.Linear(2, 3)
    >>> with torch.autocast("cpu"):
    ...     out = layer(torch.ones(1, 2))
    ...     loss = torch.nn.functional.mse_loss(out, torch.zeros(1, 3))
    >>> out.dtype, loss.dtype
    (torch.bfloat16, torch.float32)
    >>> loss.backward()
    >>> layer.weight.grad.dtype
    torch.float32
    """

    def __init__(
        self, device_type: str, dtype: dtype | None = None, enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:  # fmt: skip
        _require_text(device_type)
        if not is_autocast_available(device_type):
            raise DeviceError(f"User specified an unsupported autocast device_type '{device_type}'")
        self.device = device_type
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self._cache_enabled = state.cache_enabled if cache_enabled is None else bool(cache_enabled)
        self._enabled = bool(enabled) and self._is_possible()

    def _is_possible(self) -> bool:
        """Return whether autocast can be on; warn if not."""
        if self.device == "cuda":
            text = "CUDA is not available or torch_xla is imported. Disabling autocast."
        elif self.fast_dtype not in _SUPPORTED:
            name = self.device.upper()
            text = (
                f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n"
                f"{name} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently."
            )
        else:
            return True
        warnings.warn(text, stacklevel=user_stacklevel())
        return False

    def _begin(self) -> autocast:
        self._at_end(state.count)
        if state.nesting == 0:
            self._at_end(state.cache.clear)
        self._set(state, "nesting", state.nesting + 1)
        for settings in (state.enabled, state.dtypes):
            before = settings.get(self.device)
            self._at_end(functools.partial(_put, settings, self.device, before))
        state.enabled[self.device] = self._enabled
        state.dtypes[self.device] = self.fast_dtype
        self._set(state, "cache_enabled", self._cache_enabled)
        self._set(modes, "interpreters", modes.interpreters)
        state.apply()
        return self

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return wrapped


def _put(settings: dict[str, Any], name: str, value: Any) -> None:
    """Put a setting back, or remove one that was not there."""
    if value is None:
        settings.pop(name, None)
    else:
        settings[name] = value


# ---- functions with a backward of their own ---------------------------------------------------


def custom_fwd(
    fwd: Callable[..., Any] | None = None, *, device_type: str, cast_inputs: dtype | None = None
) -> Any:
    """Decorate the forward of an autograd function for use under autocast.

    Its backward is to be decorated with `custom_bwd`.

    Args:
        fwd: The forward; without it, a decorator is returned.
        device_type: The kind of device, such as ``"cpu"``.
        cast_inputs: The dtype that floating-point tensors among the arguments are cast to; autocast
            is then off inside. Without it, forward runs under autocast as it is.

    Returns:
        The decorated forward, or a decorator.

    >>> class Square(torch.autograd.Function):
    ...     @staticmethod
    ...     @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x @ x
    ...
    ...     @staticmethod
    ...     @torch.amp.custom_bwd(device_type="cpu")
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return g @ x.mT + x.mT @ g
    >>> with torch.autocast("cpu"):
    ...     Square.apply(torch.ones(2, 2)).dtype
    torch.float32
    """
    _require_text(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        enabled = is_autocast_enabled(device_type)
        ctx._dtype = get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = enabled and cast_inputs is None
        if cast_inputs is None or not enabled:
            return fwd(ctx, *args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(ctx, *_cast(args, cast_inputs), **_cast(kwargs, cast_inputs))

    return forward


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Any:
    """Decorate the backward of an autograd function, so that it runs under autocast if forward did.

    Args:
        bwd: The backward; without it, a decorator is returned.
        device_type: The kind of device, such as ``"cpu"``.

    Returns:
        The decorated backward, or a decorator.

    >>> class Double(torch.autograd.Function):
    ...     @staticmethod
    ...     @torch.amp.custom_fwd(device_type="cpu")
    ...     def forward(ctx, x):
    ...         return 2 * x
    ...
    ...     @staticmethod
    ...     @torch.amp.custom_bwd(device_type="cpu")
    ...     def backward(ctx, g):
    ...         return 2 * g
    >>> x = torch.ones(2, requires_grad=True)
    >>> Double.apply(x).sum().backward()
    >>> x.grad
    tensor([2., 2.])
    """
    _require_text(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def backward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, dtype=ctx._dtype, enabled=ctx._fwd_used_autocast):
            return bwd(ctx, *args, **kwargs)

    return backward


def _require_text(device_type: Any) -> None:
    if not isinstance(device_type, str):
        raise ArgumentError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


def _cast(value: Any, dtype: dtype) -> Any:
    """Cast the floating-point tensors in nested collections, those of double precision excepted."""
    if isinstance(value, Tensor):
        return value.to(dtype) if value.is_floating_point() and value.dtype != float64 else value
    if isinstance(value, str | bytes | np.ndarray):
        return value
    if isinstance(value, Mapping):
        return {_cast(key, dtype): _cast(each, dtype) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_cast(each, dtype) for each in value)
    if isinstance(value, Iterable):
        return (_cast(each, dtype) for each in value)
    return value
