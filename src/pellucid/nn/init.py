"""Initialization of parameters: functions that fill a tensor in place and return it."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.autograd.modes import no_grad
from pellucid.core.call.call import new_tensor
from pellucid.core.call.overriding import overridable
from pellucid.docstrings import sections_of
from pellucid.errors import ArgumentError
from pellucid.random import randperm
from pellucid.tensors import Tensor

_LAYERS = (
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "sigmoid",
)  # fmt: skip
#: fraction of normal samples within the bounds from which `trunc_normal_` uses these
_MOST_FIT = 0.3
# A mean so many standard deviations outside the bounds: hardly any draw is accepted.
_FURTHEST = 1e4


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """Return the recommended gain of a nonlinearity, which keeps the scale of signals.

    Args:
        nonlinearity: Name such as ``"relu"``, ``"tanh"`` or ``"leaky_relu"``.
        param: Negative slope for ``"leaky_relu"``; 0.01 by default.

    Raises:
        ValueError: If the name is unknown.

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


@overridable
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Any:
    """Fill a tensor with samples of the uniform distribution on [a, b).

    Args:
        tensor: Floating-point tensor of any shape.
        a: Lower bound.
        b: Upper bound.
        generator: Source of random numbers; the default one if None.

    >>> w = torch.nn.init.uniform_(torch.empty(100), -1, 1)
    >>> bool((w >= -1).all() and (w < 1).all())
    True
    """
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


@overridable
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Any:
    """Fill a tensor with samples of the normal distribution.

    Args:
        tensor: Floating-point tensor of any shape.
        mean: Mean.
        std: Standard deviation.
        generator: Source of random numbers; the default one if None.

    >>> torch.nn.init.normal_(torch.empty(2, 3)).shape
    torch.Size([2, 3])
    """
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


@sections_of(uniform_)
def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0,
    generator: Any = None,
) -> Any:  # fmt: skip
    """Fill a tensor with samples of the normal distribution truncated to [a, b].

    Warns if the mean is more than two standard deviations outside. Samples are drawn by rejection,
    from the normal distribution where most of its samples are accepted and from the uniform one
    elsewhere. Source: Robert, "Simulation of truncated normal variables", 1995.

    Args:
        tensor, a, b, generator: As for `uniform_`.
        mean: Mean before truncation.
        std: Standard deviation before truncation.

    Raises:
        ValueError: If no draw, or hardly any, would fall between the bounds.

    >>> bool((torch.nn.init.trunc_normal_(torch.empty(100)).abs() <= 2).all())
    True
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of "
            "values may be incorrect.",
            stacklevel=2,
        )
    outside = max(a - mean, mean - b) / std if std else math.nan
    if not (outside < _FURTHEST and a <= b):
        raise ArgumentError(
            f"trunc_normal_ expects a <= b and a mean within {_FURTHEST:g} std of them, got "
            f"mean={mean}, std={std}, a={a}, b={b}: no draw would fall between the bounds"
        )
    if tensor.is_meta:
        return tensor
    mass = _normal_cdf((b - mean) / std) - _normal_cdf((a - mean) / std)
    draw = _draw_normal if mass > _MOST_FIT else _draw_uniform
    spread = tensor.held is not tensor  # over ranks, each of which draws all
    like = tensor._array
    values = np.empty(like.shape, like.dtype) if spread else np.empty_like(like)
    pending = np.ones(values.shape, dtype=bool)
    while pending.any():
        drawn, fits = draw(values, mean, std, a, b, generator)
        values = np.where(pending, drawn, values)
        pending &= ~fits
    return _filled(tensor, values)


def _draw_normal(
    like: Any, mean: float, std: float, a: float, b: float, generator: Any
) -> tuple[Any, Any]:
    """Return normal samples and a mask of those within the bounds."""
    drawn = _as_tensor(np.empty_like(like)).normal_(mean, std, generator=generator)._array
    low, high = like.dtype.type(a), like.dtype.type(b)
    return drawn, (drawn >= low) & (drawn <= high)


def _draw_uniform(
    like: Any, mean: float, std: float, a: float, b: float, generator: Any
) -> tuple[Any, Any]:
    """Return uniform samples and a mask that accepts them in proportion to the density."""
    drawn = _as_tensor(np.empty_like(like)).uniform_(a, b, generator=generator)._array
    peak = (max(a, min(mean, b)) - mean) / std
    log_ratio = -0.5 * ((drawn - mean) / std) ** 2 + 0.5 * peak**2
    chance = _as_tensor(np.empty_like(like)).uniform_(generator=generator)._array
    return drawn, chance <= np.exp(log_ratio)


def _normal_cdf(x: float) -> float:
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


@overridable
def constant_(tensor: Tensor, val: float) -> Any:
    """Fill a tensor with one value.

    Args:
        tensor: Tensor of any shape and dtype.
        val: The value.

    >>> torch.nn.init.constant_(torch.empty(2), 0.5)
    tensor([0.5000, 0.5000])
    """
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Any:
    """Fill a tensor with ones.

    Args:
        tensor: Tensor of any shape and dtype.

    >>> torch.nn.init.ones_(torch.empty(2))
    tensor([1., 1.])
    """
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Any:
    """Fill a tensor with zeros.

    Args:
        tensor: Tensor of any shape and dtype.

    >>> torch.nn.init.zeros_(torch.empty(2))
    tensor([0., 0.])
    """
    return constant_(tensor, 0.0)


def eye_(tensor: Tensor) -> Any:
    """Fill a matrix with the identity.

    Args:
        tensor: Tensor with two dims.

    Raises:
        ValueError: If the tensor does not have two dims.

    >>> torch.nn.init.eye_(torch.empty(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    if tensor.ndim != 2:
        raise ArgumentError("Only tensors with 2 dimensions are supported")
    return _filled(tensor, np.eye(tensor.shape[0], tensor.shape[1]))


def dirac_(tensor: Tensor, groups: int = 1) -> Any:
    """Fill the weight of a convolution so that it preserves its input channels.

    Args:
        tensor: Tensor with 3 to 5 dims, ``[out_channels, in_channels / groups, *kernel_size]``.
        groups: Number of groups of the convolution.

    Raises:
        ValueError: If the number of dims is different, or ``groups`` does not divide the channels.

    >>> torch.nn.init.dirac_(torch.empty(1, 1, 3))
    tensor([[[0., 1., 0.]]])
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


def _filled(tensor: Any, values: Any) -> Any:
    drawn = _as_tensor(values.astype(tensor._array.dtype))
    with no_grad():
        return tensor.copy_(drawn if tensor.held is tensor else tensor.placed_like(drawn))


def _as_tensor(array: Any) -> Any:
    return new_tensor(array)


def calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Return the number of inputs of an output unit and of outputs of an input unit.

    Args:
        tensor: Weight with at least two dims.

    Raises:
        ValueError: If the weight has fewer than two dims.

    >>> from pellucid.nn.init import calculate_fan_in_and_fan_out
    >>> calculate_fan_in_and_fan_out(torch.empty(3, 2, 5))
    (10, 15)
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
    """Fill a bias uniformly within 1 / sqrt(fan_in of the weight), as linear layers start.

    Args:
        bias: Tensor to fill.
        weight: Weight with at least two dims.

    >>> from pellucid.nn.init import uniform_within_fan_in_
    >>> uniform_within_fan_in_(torch.empty(3), torch.empty(3, 4)).abs().max() <= 0.5
    tensor(True)
    """
    fan_in, _ = calculate_fan_in_and_fan_out(weight)
    if not fan_in:
        return bias
    bound = 1 / math.sqrt(fan_in)
    return uniform_(bias, -bound, bound)


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Any:
    """Fill a tensor uniformly, with variance ``2 * gain**2 / (fan_in + fan_out)``.

    Source: Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural
    networks", 2010.

    Args:
        tensor: Floating-point weight with at least two dims.
        gain: Factor of the standard deviation.
        generator: Source of random numbers; the default one if None.

    Raises:
        ValueError: If the weight has fewer than two dims.

    >>> torch.nn.init.xavier_uniform_(torch.empty(2, 4)).abs().max() <= 1.0
    tensor(True)
    """
    fan_in, fan_out = calculate_fan_in_and_fan_out(tensor)
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / (fan_in + fan_out))
    return uniform_(tensor, -bound, bound, generator)


@sections_of(xavier_uniform_)
def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Any:
    """Fill a tensor normally, with variance ``2 * gain**2 / (fan_in + fan_out)``.

    Source: see ``xavier_uniform_``.

    Args: As for `xavier_uniform_`.

    Raises:
        ValueError: If the weight has fewer than two dims.

    >>> torch.nn.init.xavier_normal_(torch.empty(2, 4)).shape
    torch.Size([2, 4])
    """
    fan_in, fan_out = calculate_fan_in_and_fan_out(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / (fan_in + fan_out)), generator)


@overridable
def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Any:  # fmt: skip
    """Fill a tensor uniformly, with variance ``gain**2 / fan``.

    Warns about a tensor without elements. Source: He et al., "Delving deep into rectifiers", 2015.

    Args:
        tensor: Floating-point weight with at least two dims.
        a: Negative slope, used with ``"leaky_relu"``.
        mode: Whether fan is ``"fan_in"`` or ``"fan_out"``.
        nonlinearity: Name of the nonlinearity after the layer, for ``calculate_gain``.
        generator: Source of random numbers; the default one if None.

    Raises:
        ValueError: If the weight has fewer than two dims, or ``mode`` or ``nonlinearity`` is
            unknown.

    >>> torch.nn.init.kaiming_uniform_(torch.empty(2, 6), nonlinearity="relu").abs().max() <= 1.0
    tensor(True)
    """
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    gain = calculate_gain(nonlinearity, a)
    bound = math.sqrt(3.0) * (gain / math.sqrt(_fan(tensor, mode)))
    return uniform_(tensor, -bound, bound, generator)


@sections_of(kaiming_uniform_)
def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Any:  # fmt: skip
    """Fill a tensor normally, with variance ``gain**2 / fan``.

    Warns about a tensor without elements. Source: see ``kaiming_uniform_``.

    Args: As for `kaiming_uniform_`.

    Raises:
        ValueError: If the weight has fewer than two dims, or ``mode`` or ``nonlinearity`` is
            unknown.

    >>> torch.nn.init.kaiming_normal_(torch.empty(2, 6)).shape
    torch.Size([2, 6])
    """
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    gain = calculate_gain(nonlinearity, a)
    return normal_(tensor, 0.0, gain / math.sqrt(_fan(tensor, mode)), generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Any:
    """Fill a tensor with a matrix whose rows or columns are orthonormal, times ``gain``.

    Source: Saxe, McClelland and Ganguli, "Exact solutions to the nonlinear dynamics of learning in
    deep linear neural networks", 2014.

    Args:
        tensor: Floating-point tensor with at least two dims; all but the first count as one.
        gain: Factor of the matrix.
        generator: Source of random numbers; the default one if None.

    Raises:
        ValueError: If the tensor has fewer than two dims.

    >>> q = torch.nn.init.orthogonal_(torch.empty(2, 3))
    >>> torch.allclose(q @ q.T, torch.eye(2), atol=1e-6)
    True
    """
    if tensor.ndim < 2:
        raise ArgumentError("Only tensors with 2 or more dimensions are supported")
    if not tensor._array.size or tensor.is_meta:
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
    """Fill a matrix normally and set a fraction of each column to zero.

    Args:
        tensor: Floating-point tensor with two dims.
        sparsity: Fraction of zeros in each column.
        std: Standard deviation of the other elements.
        generator: Source of random numbers; the default one if None.

    Raises:
        ValueError: If the tensor does not have two dims.

    >>> (torch.nn.init.sparse_(torch.empty(4, 2), 0.5) == 0).sum(0)
    tensor([2, 2])
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
    """Return a function under its older name without the underscore, which emits a warning."""
    old, new = function.__name__[:-1], function.__name__

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(
            f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`.",
            FutureWarning,
            stacklevel=2,
        )
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = old
    call.__doc__ = (
        f"Call ``{new}``, of which this is the deprecated older name.\n\n{function.__doc__}"
    )
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
