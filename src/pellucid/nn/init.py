"""First values of parameters: each function fills a tensor in place, unrecorded, and returns it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.autograd.modes import no_grad
from pellucid.core.call import new_tensor
from pellucid.errors import ArgumentError
from pellucid.random import randperm
from pellucid.tensors import Tensor

_LAYERS = (
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "sigmoid",
)  # fmt: skip
#: share of normal draws that have to fit for `trunc_normal_` to draw from these
_MOST_FIT = 0.3


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """Return the factor by which weights are scaled so that signals keep their size.

    Raises ValueError for a name that it does not know.

    >>> import pellucid as torch
    >>> torch.nn.init.calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity in _LAYERS:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, int | float):
            raise ArgumentError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ArgumentError(f"Unsupported nonlinearity {nonlinearity}")


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Any:
    """Fill with draws from the uniform distribution over [a, b).

    >>> import pellucid as torch
    >>> w = torch.nn.init.uniform_(torch.empty(100), -1, 1)
    >>> bool((w >= -1).all() and (w < 1).all())
    True
    """
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Any:
    """Fill with draws from the normal distribution."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Any = None,
) -> Any:
    """Fill with draws from the normal distribution, cut off outside [a, b].

    Warns if the mean is more than two deviations outside. By rejection: from normal draws where
    most of them fit, else from uniform ones; Robert, "Simulation of truncated normal variables",
    1995.
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of "
            "values may be incorrect.",
            stacklevel=2,
        )
    mass = _normal_cdf((b - mean) / std) - _normal_cdf((a - mean) / std)
    draw = _draw_normal if mass > _MOST_FIT else _draw_uniform
    values = np.empty_like(tensor._array)
    pending = np.ones(values.shape, dtype=bool)
    while pending.any():
        drawn, fits = draw(values, mean, std, a, b, generator)
        values = np.where(pending, drawn, values)
        pending &= ~fits
    return _filled(tensor, values)


def _draw_normal(
    like: Any, mean: float, std: float, a: float, b: float, generator: Any
) -> tuple[Any, Any]:
    """Return normal draws, and which of them are inside."""
    drawn = _as_tensor(np.empty_like(like)).normal_(mean, std, generator=generator)._array
    low, high = like.dtype.type(a), like.dtype.type(b)
    return drawn, (drawn >= low) & (drawn <= high)


def _draw_uniform(
    like: Any, mean: float, std: float, a: float, b: float, generator: Any
) -> tuple[Any, Any]:
    """Return uniform draws, and which of them to keep: in the ratio of the density to its peak."""
    drawn = _as_tensor(np.empty_like(like)).uniform_(a, b, generator=generator)._array
    peak = (max(a, min(mean, b)) - mean) / std
    log_ratio = -0.5 * ((drawn - mean) / std) ** 2 + 0.5 * peak**2
    chance = _as_tensor(np.empty_like(like)).uniform_(generator=generator)._array
    return drawn, chance <= np.exp(log_ratio)


def _normal_cdf(x: float) -> float:
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def constant_(tensor: Tensor, val: float) -> Any:
    """Fill with one value."""
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Any:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Any:
    """Fill with zeros."""
    return constant_(tensor, 0.0)


def eye_(tensor: Tensor) -> Any:
    """Fill a matrix with the identity; raise ValueError if it is no matrix."""
    if tensor.ndim != 2:
        raise ArgumentError("Only tensors with 2 dimensions are supported")
    return _filled(tensor, np.eye(tensor.shape[0], tensor.shape[1]))


def dirac_(tensor: Tensor, groups: int = 1) -> Any:
    """Fill a convolution's weight so that it passes its input channels through.

    Raises ValueError for a shape that is no convolution's, or channels that groups do not divide.
    """
    if tensor.ndim not in (3, 4, 5):
        raise ArgumentError("Only tensors with 3, 4, or 5 dimensions are supported")
    out_channels, in_channels, *kernel = tensor.shape
    if out_channels % groups:
        raise ArgumentError("dim 0 must be divisible by groups")
    values = np.zeros(tuple(tensor.shape))
    per_group = out_channels // groups
    channel = np.arange(min(per_group, in_channels))
    middle = tuple(size // 2 for size in kernel)
    for group in range(groups):
        values[(group * per_group + channel, channel, *middle)] = 1
    return _filled(tensor, values)


def _filled(tensor: Tensor, values: Any) -> Any:
    with no_grad():
        return tensor.copy_(_as_tensor(values.astype(tensor._array.dtype)))


def _as_tensor(array: Any) -> Any:
    return new_tensor(array)


def calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Return how many inputs a unit has, and how many units an input reaches.

    Raises ValueError for fewer than two dimensions.
    """
    if tensor.ndim < 2:
        raise ArgumentError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    outputs, inputs, *kernel = tensor.shape
    positions = math.prod(kernel)
    return inputs * positions, outputs * positions


_calculate_fan_in_and_fan_out = calculate_fan_in_and_fan_out


def _fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ArgumentError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan_in, fan_out = calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode == "fan_in" else fan_out


_calculate_correct_fan = _fan


def uniform_within_fan_in_(bias: Tensor, weight: Tensor) -> Any:
    """Fill a bias uniformly within 1 / sqrt(inputs of a unit): so linear layers begin."""
    fan_in, _ = calculate_fan_in_and_fan_out(weight)
    if not fan_in:
        return bias
    bound = 1 / math.sqrt(fan_in)
    return uniform_(bias, -bound, bound)


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Any:
    """Fill uniformly, with variance 2 gain² / (fan_in + fan_out).

    Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks",
    2010.
    """
    fan_in, fan_out = calculate_fan_in_and_fan_out(tensor)
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / (fan_in + fan_out))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Any:
    """Fill normally, with variance 2 gain² / (fan_in + fan_out); see `xavier_uniform_`."""
    fan_in, fan_out = calculate_fan_in_and_fan_out(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / (fan_in + fan_out)), generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Any:
    """Fill uniformly, with variance gain² / fan.

    He et al., "Delving deep into rectifiers", 2015. Warns about a tensor without elements.
    """
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    gain = calculate_gain(nonlinearity, a)
    bound = math.sqrt(3.0) * (gain / math.sqrt(_fan(tensor, mode)))
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Any:
    """Fill normally, with variance gain² / fan; see `kaiming_uniform_`."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    gain = calculate_gain(nonlinearity, a)
    return normal_(tensor, 0.0, gain / math.sqrt(_fan(tensor, mode)), generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Any:
    """Fill with a matrix whose rows or columns are orthonormal, times ``gain``.

    Saxe, McClelland and Ganguli, "Exact solutions to the nonlinear dynamics of learning in deep
    linear neural networks", 2014. Raises ValueError for fewer than two dimensions.
    """
    if tensor.ndim < 2:
        raise ArgumentError("Only tensors with 2 or more dimensions are supported")
    if not tensor._array.size:
        return tensor
    rows = tensor.shape[0]
    columns = tensor._array.size // rows
    drawn = _as_tensor(np.empty((rows, columns), tensor._array.dtype)).normal_(
        0, 1, generator=generator
    )
    wide = rows < columns
    q, r = np.linalg.qr(drawn._array.T if wide else drawn._array)
    q = q * np.sign(np.diagonal(r))
    return _filled(tensor, (q.T if wide else q).reshape(tuple(tensor.shape)) * gain)


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Any:
    """Fill a matrix normally and set a part of each column to zero.

    Raises ValueError if it is no matrix.
    """
    if tensor.ndim != 2:
        raise ArgumentError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    normal_(tensor, 0, std, generator)
    for column in range(columns):
        tensor._array[randperm(rows)._array[:zeros], column] = 0
    return tensor


def _renamed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function under its older name, without the underscore, which warns of it."""
    old, new = function.__name__[:-1], function.__name__

    def call(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(
            f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`.",
            FutureWarning,
            stacklevel=2,
        )
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = old
    call.__doc__ = f"Do as `{new}` does; the older name, deprecated in PyTorch too."
    return call


uniform = _renamed(uniform_)
normal = _renamed(normal_)
constant = _renamed(constant_)
eye = _renamed(eye_)
dirac = _renamed(dirac_)
xavier_uniform = _renamed(xavier_uniform_)
xavier_normal = _renamed(xavier_normal_)
kaiming_uniform = _renamed(kaiming_uniform_)
kaiming_normal = _renamed(kaiming_normal_)
orthogonal = _renamed(orthogonal_)
sparse = _renamed(sparse_)
