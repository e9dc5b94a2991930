"""Dropout: elements zeroed at random while training, the rest scaled up to keep the mean."""

from __future__ import annotations

import warnings
from math import sqrt
from typing import Any

import numpy as np

from pellucid.autograd.sites import user_stacklevel
from pellucid.core.call.call import new_tensor
from pellucid.core.call.compiled import drawing, drawn, remember_nothing
from pellucid.core.definition.public import public
from pellucid.core.memory.memory_formats import outermost_first
from pellucid.dtypes import scalar_name
from pellucid.errors import ArgumentError, DomainError, DtypeError, ShapeError
from pellucid.kernels.meta import is_meta
from pellucid.ops.random.sampling import stream_of


def _check_probability(p: float) -> None:
    if not 0.0 <= p <= 1.0:
        raise ArgumentError(f"dropout probability has to be between 0 and 1, but got {p}")


def _check_floats(input: Any) -> None:
    if input._array.dtype.kind in "biu":
        raise DtypeError(
            "result type Float can't be cast to the desired output type "
            f"{scalar_name(input._array.dtype)}: what is left is scaled; call float() first"
        )


def _masked(input: Any, shape: tuple[int, ...], p: float) -> Any:
    """Multiply by random factors of a shape that broadcasts over the input."""
    return input * _drawn(input._array, shape, None, p)


def _drawn(array: Any, shape: tuple[int, ...], order: Any, p: float) -> Any:
    """Return random factors as a tensor, with dimensions in an order, for an array."""
    if is_meta(array):
        return new_tensor(_factors(shape, order, p, array.dtype, stream_of(None, True)))
    made = new_tensor(_factors(shape, order, p, array.dtype))
    return drawn(made, _factors, shape, order, p, array.dtype)


def _factors(shape: tuple[int, ...], order: Any, p: float, dtype: Any, stream: Any = None) -> Any:
    """Return random factors as an array; by default from the default stream."""
    factors = (stream or stream_of(None)).dropout_mask(shape, p, dtype)
    return factors if order is None else factors.transpose(order)


def _in_memory_order(input: Any, p: float) -> Any:
    """Multiply by a random factor for each element, drawn in the order in which they lie."""
    array = input._array
    if array.flags.c_contiguous:
        return _masked(input, array.shape, p)
    return input * _drawn(array, *_memory_order(array), p)


def _memory_order(array: Any) -> tuple[tuple[int, ...], Any]:
    """Return the shape of an array as it lies in memory, and how to transpose that to its own."""
    order = outermost_first(array)
    return tuple(array.shape[dim] for dim in order), np.argsort(order)


@public("nn.functional.dropout", reads_late=True)
@drawing
def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Zero elements with probability ``p`` while training, and scale the others by ``1 / (1 - p)``.

    Args:
        input: Floating point tensor of any shape.
        p: Probability with which an element becomes 0.
        training: Whether to draw; in evaluation the input is returned.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.dropout(torch.ones(2), 0.9, training=False)
    tensor([1., 1.])
    """
    _check_probability(p)
    if not training or not p or not input._array.size:
        return input
    _check_floats(input)
    return _finish(input, _in_memory_order(input, p), inplace)


def _finish(input: Any, out: Any, inplace: bool) -> Any:
    return input.copy_(out) if inplace else out


def _feature_shape(input: Any) -> tuple[int, ...]:
    """Return the shape of one factor per image and channel."""
    shape = input._array.shape
    if len(shape) < 2:
        raise ShapeError("Feature dropout requires at least 2 dimensions in the input")
    return (*shape[:2], *(1,) * (len(shape) - 2))


def _feature_dropout(
    input: Any, p: float, training: bool, inplace: bool, alone: bool = False
) -> Any:
    _check_probability(p)
    if not training or not p or not input._array.size:
        return input
    _check_floats(input)
    images = input.unsqueeze(0) if alone else input
    out = _masked(images, _feature_shape(images), p)
    return _finish(input, out.squeeze(0) if alone else out, inplace)


@public("nn.functional.dropout1d", reads_late=True)
@drawing
def dropout1d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Zero whole channels of ``[N, C, L]`` or ``[C, L]`` with probability ``p`` while training.

    Args:
        input: Floating point tensor of any shape.
        p: Probability with which an element (or channel) becomes 0.
        training, inplace: As for `dropout`.

    Raises:
        RuntimeError: If the input has neither two nor three dimensions.

    >>> torch.nn.functional.dropout1d(torch.ones(1, 2, 3), 1.0).sum()
    tensor(0.)
    """
    _check_probability(p)
    if input.ndim not in (2, 3):
        raise DomainError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input. Note that "
            "dropout1d exists to provide channel-wise dropout on inputs with 1 spatial dimension, "
            "a channel dimension, and an optional batch dimension (i.e. 2D or 3D inputs)."
        )
    return _feature_dropout(input, p, training, inplace, input.ndim == 2)


@public("nn.functional.dropout2d", reads_late=True)
@drawing
def dropout2d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Zero whole channels of ``[N, C, H, W]`` with probability ``p`` while training.

    Args: As for `dropout1d`.

    >>> torch.nn.functional.dropout2d(torch.ones(1, 2, 3, 3), 1.0).sum()
    tensor(0.)
    """
    if input.ndim == 3:
        remember_nothing()
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout "
            "behavior is desired - input is interpreted as shape (N, C, L), where C is the channel "
            "dim. This behavior will change in a future release to interpret the input as one "
            "without a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise "
            "dropout behavior, please switch to using dropout1d instead.",
            UserWarning,
            stacklevel=user_stacklevel(),
        )
    _warn_of_dims("dropout2d", input, 2)
    return _feature_dropout(input, p, training, inplace)


@public("nn.functional.dropout3d", reads_late=True)
@drawing
def dropout3d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Zero whole channels of ``[N, C, D, H, W]`` or ``[C, D, H, W]`` with probability ``p``.

    Args: As for `dropout1d`.

    >>> torch.nn.functional.dropout3d(torch.ones(1, 2, 3, 3, 3), 1.0).sum()
    tensor(0.)
    """
    _warn_of_dims("dropout3d", input, 3)
    return _feature_dropout(input, p, training, inplace, input.ndim not in (0, 5))


def _warn_of_dims(name: str, input: Any, spatial: int) -> None:
    """Warn of inputs that have other dimensions than a batch, channels and spatial ones."""
    if input.ndim not in (spatial + 1, spatial + 2):
        remember_nothing()
        warnings.warn(
            f"{name}: Received a {input.ndim}-D input to {name}, which is deprecated and will "
            "result in an error in a future release. To retain the behavior and silence this "
            f"warning, please use dropout instead. Note that {name} exists to provide channel-wise "
            f"dropout on inputs with {spatial} spatial dimensions, a channel dimension, and an "
            f"optional batch dimension (i.e. {spatial + 1}D or {spatial + 2}D inputs).",
            UserWarning,
            stacklevel=user_stacklevel(),
        )


# What selu tends to for ever smaller inputs; Klambauer et al., "Self-Normalizing Neural Networks".
_SELU_FLOOR = -1.7580993408473766


def _alpha_dropped(input: Any, shape: tuple[int, ...], p: float) -> Any:
    """Set elements to the floor of selu, and restore mean and variance."""
    if p == 1.0:
        return input * 0
    stream = stream_of(None, is_meta(input._array))
    lying, order = shape, range(len(shape))
    if shape == input._array.shape:
        lying, order = _memory_order(input._array)
    kept = stream.bernoulli(1.0 - p, lying, input._array.dtype).transpose(order)
    scale = 1.0 / sqrt((_SELU_FLOOR**2 * p + 1) * (1 - p))
    noise = (kept - 1) * (_SELU_FLOOR * -scale) + -_SELU_FLOOR * scale * p
    factors = np.multiply(kept, scale).astype(kept.dtype, copy=False)
    return input * new_tensor(factors) + new_tensor(noise.astype(kept.dtype, copy=False))


@public("feature_dropout")
def feature_dropout(input: Any, p: float, train: bool) -> Any:
    """Zero whole channels of ``[N, C, *]`` with probability ``p`` if ``train``.

    Args:
        input, p: As for `dropout1d`.
        train: Whether to draw; in evaluation the input is returned.

    >>> torch.feature_dropout(torch.ones(1, 2, 3), 1.0, True).sum()
    tensor(0.)
    """
    return _dropped_features(input, p, train, False)


@public("feature_dropout_")
def feature_dropout_(input: Any, p: float, train: bool) -> Any:
    """Apply `feature_dropout` in place.

    Args: As for `feature_dropout`.

    >>> torch.feature_dropout_(torch.ones(1, 2, 3), 1.0, True).sum()
    tensor(0.)
    """
    return _dropped_features(input, p, train, True)


def _dropped_features(input: Any, p: float, train: bool, inplace: bool) -> Any:
    if train and p and input._array.size and input._array.ndim < 2:
        raise ShapeError("Feature dropout requires at least 2 dimensions in the input")
    return _feature_dropout(input, p, train, inplace)


@public("nn.functional.alpha_dropout", reads_late=True)
def alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """Drop elements to the floor of selu with probability ``p``, keeping mean and variance.

    Args: As for `dropout1d`.

    >>> torch.nn.functional.alpha_dropout(torch.ones(2), 0.5)
    tensor([1., 1.])
    """
    _check_probability(p)
    if not training or not p or not input._array.size:
        return input
    _check_floats(input)
    return _finish(input, _alpha_dropped(input, input._array.shape, p), inplace)


@public("nn.functional.feature_alpha_dropout", reads_late=True)
def feature_alpha_dropout(
    input: Any, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Any:
    """Apply `alpha_dropout` to whole channels.

    Args: As for `dropout1d`.

    >>> torch.nn.functional.feature_alpha_dropout(torch.ones(1, 2, 3), 0.5).sum()
    tensor(6.)
    """
    _check_probability(p)
    if not training or not p or not input._array.size:
        return input
    _check_floats(input)
    return _finish(input, _alpha_dropped(input, _feature_shape(input), p), inplace)
