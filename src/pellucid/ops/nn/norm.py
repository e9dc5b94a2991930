"""Normalisation: activations shifted and scaled by their mean and variance."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from pellucid.autograd.modes import no_grad
from pellucid.autograd.variable import TensorBase
from pellucid.core.call.call import new_tensor
from pellucid.core.call.compiled import replayable
from pellucid.core.call.fast_call import is_plain_memory, note_inplace_change
from pellucid.core.call.opmath import refuse_kinds
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import public
from pellucid.core.errors.arguments import require
from pellucid.core.families import op
from pellucid.core.memory.layouts import contiguous, of_images
from pellucid.dtypes import epsilon, float32, from_numpy_dtype, is_half, scalar_name
from pellucid.errors import ArgumentError, DimensionError, DtypeError, ShapeError
from pellucid.kernels.active import kernels_for
from pellucid.kernels.numpy.precision import quiet
from pellucid.ops.elementwise.powers import rsqrt, square
from pellucid.ops.elementwise.upcast import rounded_once
from pellucid.ops.nn.pad import pad_constant
from pellucid.ops.reduce.reductions import mean as average
from pellucid.ops.reduce.reductions import sum as total
from pellucid.ops.shape.copying import contiguous as make_contiguous
from pellucid.ops.shape.copying import in_layout_of_images
from pellucid.ops.shape.views import reshape
from pellucid.shapes import as_tuple


def _channelwise(vector: Any, ndim: int) -> Any:
    """Shape a vector of one element per channel to broadcast over images."""
    return vector.reshape((1, -1, *(1,) * (ndim - 2)))


@op(layout=of_images)
def normalization_backward(be, grad, input, mean, rstd, weight=None, /, dims=()):
    """Return the gradient through ``(input - mean) * rstd * weight``, over which it is averaged.

    Means and scales are those of ``input`` over ``dims``, which they keep with size one.
    """
    return be.normalisation_to_input(grad, input, mean, rstd, weight, dims)


# Below, w is grad * weight, n is (input - mean) * rstd, and the gradient is
# rstd * (w - mean(w) - n * mean(w * n)): symmetric and linear in w.


@normalization_backward.vjp("grad")
def normalization_backward_grad(g, input, mean, rstd, weight, dims):
    turned = normalization_backward(g, input, mean, rstd, None, dims)
    return turned if weight is None else turned * weight


@normalization_backward.vjp("weight")
def normalization_backward_weight(g, grad, input, mean, rstd, dims):
    return grad * normalization_backward(g, input, mean, rstd, None, dims)


@normalization_backward.vjp("input")
def normalization_backward_input(g, grad, input, mean, rstd, weight, dims):
    weighted = grad if weight is None else grad * weight
    return _slope_by_normalised(g, weighted, (input - mean) * rstd, rstd, dims) * rstd


@normalization_backward.vjp("mean")
def normalization_backward_mean(g, grad, input, mean, rstd, weight, dims):
    return -normalization_backward_input(g, grad, input, mean, rstd, weight, dims)


@normalization_backward.vjp("rstd")
def normalization_backward_rstd(g, grad, input, mean, rstd, weight, dims):
    weighted = grad if weight is None else grad * weight
    centred = input - mean
    normalised = centred * rstd
    inner = weighted - average(weighted, dims, True)
    inner = inner - normalised * average(weighted * normalised, dims, True)
    return g * inner + centred * _slope_by_normalised(g, weighted, normalised, rstd, dims)


def _slope_by_normalised(
    g: Any, weighted: Any, normalised: Any, rstd: Any, dims: tuple[int, ...]
) -> Any:
    first = g * average(weighted * normalised, dims, True)
    return -rstd * (first + weighted * average(g * normalised, dims, True))


@op(node_name="normalization_backward")
def normalization_weight_backward(be, grad, input, mean, rstd, /, dims=()):
    """Return the gradient of a weight: ``grad * (input - mean) * rstd``, added up over ``dims``."""
    return be.normalisation_to_weight(grad, input, mean, rstd, dims)


def _spread(g: Any, shape: Sequence[int], dims: tuple[int, ...]) -> Any:
    """Give the dimensions back that a sum has lost, with size one."""
    return g.reshape(tuple(1 if dim in dims else size for dim, size in enumerate(shape)))


@normalization_weight_backward.vjp("grad")
def normalization_weight_backward_grad(g, input, mean, rstd, dims):
    return _spread(g, input.shape, dims) * ((input - mean) * rstd)


@normalization_weight_backward.vjp("input")
def normalization_weight_backward_input(g, grad, rstd, dims):
    return _spread(g, grad.shape, dims) * grad * rstd


@normalization_weight_backward.vjp("mean")
def normalization_weight_backward_mean(g, grad, rstd, dims):
    return -normalization_weight_backward_input(g, grad, rstd, dims)


@normalization_weight_backward.vjp("rstd")
def normalization_weight_backward_rstd(g, grad, input, mean, dims):
    return _spread(g, grad.shape, dims) * grad * (input - mean)


def _scale_of_batch(node: Any) -> Any:
    """Return the reciprocal of each channel's deviation."""
    return (node.saved_by_name("var").detach() + node.params[0]).rsqrt()


def _nothing(node: Any) -> Any:
    """Return what PyTorch has for the statistics of a batch that is not looked at."""
    return new_tensor(np.zeros(0, node.dtype))


def _running_mean(node: Any) -> Any:
    node.check_kept()
    return node.params[1][0]


def _running_var(node: Any) -> Any:
    node.check_kept()
    return node.params[1][1]


@op(
    torch_kernel_name="batch_norm",
    outputs=("out", "mean", "var"), node_name="native_batch_norm", layout=of_images,
    joint=("input", "weight"),
    faces=Face(
        "eps input@ result1=mean~ weight@", training=lambda node: True, result2=_scale_of_batch,
        running_mean=_running_mean, running_var=_running_var,
    ),
)  # fmt: skip
def batch_norm_training(be, input, weight=None, bias=None, /, eps=1e-5, running=(None, None)):
    """Normalise every channel over all else; return also the means and (biased) variances."""
    out, means, _, spread = be.batch_norm(input, weight, bias, eps)
    return out, means, spread


@batch_norm_training.vjp("input weight bias")
def batch_norm_training_gradients(g_out, g_mean, g_var, input, weight, mean, var, eps):
    given = [each for each in (g_out, g_mean, g_var) if each is not None]
    alone = len(given) == 1 and g_out is not None and not isinstance(g_out, TensorBase)
    if alone and input.flags.c_contiguous:
        kernels = kernels_for((g_out,))
        return kernels.batch_norm_gradients(g_out, input, weight, mean, var, eps)
    return (
        batch_norm_training_input(g_out, g_mean, g_var, input, weight, mean, var, eps),
        batch_norm_training_weight(g_out, input, mean, var, eps),
        batch_norm_training_bias(g_out),
    )


def batch_norm_training_input(g_out, g_mean, g_var, input, weight, mean, var, eps):
    ndim, shape = input.ndim, tuple(input.shape)
    dims = (0, *range(2, ndim))
    means = _channelwise(mean, ndim)
    grad: Any = 0
    if g_out is not None:
        scale = _channelwise(rsqrt(var + eps), ndim)
        factors = None if weight is None else _channelwise(weight, ndim)
        grad = normalization_backward(g_out, input, means, scale, factors, dims)
    count = prod(shape) // max(shape[1], 1)
    if g_mean is not None:
        grad = grad + _channelwise(g_mean, ndim) / count
    if g_var is not None:
        grad = grad + _channelwise(g_var, ndim) * (input - means) * (2 / count)
    return grad


def batch_norm_training_weight(g_out, input, mean, var, eps):
    if g_out is None:
        return None
    ndim = input.ndim
    scale = _channelwise(rsqrt(var + eps), ndim)
    dims = (0, *range(2, ndim))
    return normalization_weight_backward(g_out, input, _channelwise(mean, ndim), scale, dims)


def batch_norm_training_bias(g_out):
    return None if g_out is None else total(g_out, (0, *range(2, g_out.ndim)))


@op(
    torch_kernel_name="batch_norm",
    node_name="native_batch_norm", layout=of_images, joint=("input", "weight"),
    faces=Face(
        "eps input@ weight@", edges="input weight bias", training=lambda node: False,
        result1=_nothing, result2=_nothing, running_mean=_running_mean, running_var=_running_var,
    ),
)  # fmt: skip
def batch_norm_inference(
    be, input, mean, var, weight=None, bias=None, /, eps=1e-5, running=(None, None)
):
    """Normalise every channel by a mean and a variance that are given."""
    return be.batch_norm_inference(input, weight, bias, mean, var, eps)


@batch_norm_inference.vjp("input")
def batch_norm_inference_input(g, var, weight, eps):
    scale = rsqrt(var + eps)
    return g * _channelwise(scale if weight is None else scale * weight, g.ndim)


@batch_norm_inference.vjp("weight")
def batch_norm_inference_weight(g, input, mean, var, eps):
    scale = _channelwise(rsqrt(var + eps), g.ndim)
    dims = (0, *range(2, g.ndim))
    return normalization_weight_backward(g, input, _channelwise(mean, g.ndim), scale, dims)


@batch_norm_inference.vjp("bias")
def batch_norm_inference_bias(g):
    return total(g, (0, *range(2, g.ndim)))


def _check_channels(input: Any, **vectors: Any) -> None:
    if input.ndim < 2:
        raise DimensionError(
            f"Dimension out of range (expected to be in range of [{-input.ndim or -1}, "
            f"{max(input.ndim - 1, 0)}], but got 1)"
        )
    for name, vector in vectors.items():
        if vector is None:
            continue
        if vector._array.size != input.shape[1]:
            found = vector._array.size
            raise ShapeError(f"{name} should contain {input.shape[1]} elements not {found}")
        if vector.ndim != 1:
            raise ShapeError(f"TensorAccessor expected 1 dims but tensor has {vector.ndim}")


def _check_parameter_dtypes(input: Any, *parameters: Any) -> None:
    """Raise unless parameters are of the input's dtype, or of float32 for half precision."""
    present = [each._array.dtype for each in parameters if each is not None]
    given = input._array.dtype
    if all(each == given for each in present):
        return
    mixed = "mixed dtype (CPU): "
    if present[0] != given and present[0] != float32.numpy:
        raise DtypeError(f"{mixed}expect parameter to have scalar type of Float")
    if present[0] != given and not is_half(given):
        raise DtypeError(f"{mixed}all inputs must share same datatype.")
    for each in present:
        if each != present[0]:
            wanted, found = scalar_name(present[0]), scalar_name(each)
            raise DtypeError(f"expected scalar type {wanted} but found {found}")


def _of_channels(out: Any, weight: Any, bias: Any) -> Any:
    """Scale and shift channels, in the dtype of what is normalised."""
    result = out if weight is None else out * _channelwise(weight, out.ndim)
    result = result if bias is None else result + _channelwise(bias, out.ndim)
    return result.to(out.dtype)


def _update(running: Any, fresh: Any, momentum: float, scale: float = 1) -> None:
    """Move running statistics towards fresh ones that are multiplied by a scale, in place."""
    old, new = running._array, fresh._array
    if is_plain_memory(running) and old.dtype is new.dtype:
        quiet.run(_move, old, new, 1 - momentum, momentum * scale)
        note_inplace_change(running, "add_")
        return
    with no_grad():
        running.mul_(1 - momentum).add_(fresh.detach(), alpha=momentum * scale)


def _move(old: Any, new: Any, kept: float, share: float) -> None:
    old *= kept
    old += new * share


def _affine_of_nothing(input: Any, weight: Any, bias: Any) -> Any:
    """Return an empty batch that depends on weight and bias, whose gradients are zero."""
    out = input.clone()
    if weight is not None:
        out = out * weight[0]
    return out if bias is None else out + bias[0]


@public("nn.functional.batch_norm", reads_late=True)
def batch_norm(
    input: Any, running_mean: Any | None, running_var: Any | None, weight: Any = None,
    bias: Any = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> Any:  # fmt: skip
    """Normalise every channel of ``[N, C, *S]`` over all else, then scale and shift it.

    ``(x - mean) / sqrt(var + eps) * weight + bias``. Source: Ioffe and Szegedy, "Batch
    Normalization", 2015.

    In training by the batch's own mean and variance, towards which the running statistics are moved
    in place; else by the running statistics. An empty batch leaves them as they are. Raises
    ValueError for one value per channel in training.

    Args:
        input: Tensor ``[N, C, *]``.
        running_mean: Running mean ``[C]``, updated in training, or ``None``.
        running_var: Running variance ``[C]``, updated in training, or ``None``.
        weight: Factor of each channel or normalized element, or ``None``.
        bias: Shift of each channel or normalized element, or ``None``.
        training: Whether statistics of the batch are used.
        momentum: Share of the new statistics in the running ones.
        eps: Small number that keeps a divisor from 0.

    >>> x = torch.tensor([[1.0], [3.0]])
    >>> torch.nn.functional.batch_norm(x, None, None, training=True)
    tensor([[-1.0000],
            [ 1.0000]])
    """
    if training:
        _check_training(input, eps)
    refuse_kinds("batch_norm", "biuc", input)
    if not input._array.size:
        return _affine_of_nothing(input, weight, bias)
    if input.ndim < 2 and running_mean is not None:
        count = running_mean._array.size
        raise ShapeError(f"running_mean should contain 0 elements not {count}")
    _check_channels(
        input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias
    )
    _check_parameter_dtypes(input, weight, bias, running_mean, running_var)
    if not training:
        for name, value in (("running_mean", running_mean), ("running_var", running_var)):
            if value is None:
                raise ShapeError(f"{name} must be defined in evaluation mode")
        return batch_norm_inference(
            input, running_mean, running_var, weight, bias, eps, (running_mean, running_var)
        )
    count = input._array.size // max(input.shape[1], 1)
    out, means, spread = batch_norm_training(input, weight, bias, eps, (running_mean, running_var))
    if running_mean is not None:
        _update(running_mean, means, momentum)
    if running_var is not None:
        _update(running_var, spread, momentum, count / max(count - 1, 1))
    return out


def _check_training(input, eps):
    if input.ndim > 1 and input._array.size == input.shape[1]:
        raise ArgumentError(
            f"Expected more than 1 value per channel when training, got input size {input.shape}"
        )
    if eps <= 0:
        raise ArgumentError(f"batch_norm eps must be positive during training, but got {eps}")


@op(
    torch_kernel_name="LayerNormKernelImpl",
    outputs=("out", "mean", "rstd"),
    node_name="native_layer_norm",
    layout=contiguous,
    joint=("input", "weight", "bias"),
    faces=Face(
        "bias@ input result1=mean~ result2=rstd~ weight@",
        normalized_shape=lambda node: node.metas[0].shape[-node.params[0] :],
    ),
)
def native_layer_norm(be, input, weight=None, bias=None, /, ndim=1, eps=1e-5):
    """Normalise over the last dimensions; return also the means and the scales."""
    return be.layer_norm(input, ndim, weight, bias, eps)


@native_layer_norm.vjp("input")
def native_layer_norm_input(g_out, g_mean, g_rstd, input, weight, mean, rstd, ndim):
    shape = tuple(input.shape)
    dims = tuple(range(len(shape) - ndim, len(shape)))
    grad: Any = 0
    if g_out is not None:
        grad = normalization_backward(g_out, input, mean, rstd, weight, dims)
    count = prod(shape[len(shape) - ndim :])
    if g_mean is not None:
        grad = grad + g_mean / count
    if g_rstd is not None:
        grad = grad - g_rstd * rstd * rstd * rstd * (input - mean) / count
    return grad


@native_layer_norm.vjp("weight")
def native_layer_norm_weight(g_out, input, mean, rstd, ndim):
    if g_out is None:
        return None
    return normalization_weight_backward(g_out, input, mean, rstd, tuple(range(g_out.ndim - ndim)))


@native_layer_norm.vjp("bias")
def native_layer_norm_bias(g_out):
    return g_out


def _check_normalised(
    input: Any, shape: tuple[int, ...], weight: Any, bias: Any, gap: str = ", "
) -> None:
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None and tuple(each.shape) != shape:
            raise ShapeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(each.shape)} and normalized_shape = {list(shape)}"
            )
    if not shape or tuple(input.shape[-len(shape) :]) != shape:
        wanted = gap + ", ".join(map(str, shape)) if shape else ""
        raise ShapeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*{wanted}], but got "
            f"input of size{list(input.shape)}"
        )


@public("nn.functional.layer_norm")
@replayable
def layer_norm(
    input: Any, normalized_shape: Sequence[int], weight: Any = None, bias: Any = None,
    eps: float = 1e-5,
) -> Any:  # fmt: skip
    """Normalise over the last dimensions, whose sizes are given, then scale and shift.

    ``(x - mean) / sqrt(var + eps) * weight + bias``. Source: Ba, Kiros and Hinton, "Layer
    Normalization", 2016.

    Args:
        input: Tensor ``[*, *normalized_shape]``.
        normalized_shape: Sizes of the last dimensions, over which to normalize.
        weight, bias, eps: As for `batch_norm`.

    >>> torch.nn.functional.layer_norm(torch.tensor([[1.0, 3.0]]), (2,))
    tensor([[-1.0000,  1.0000]])
    """
    refuse_kinds("LayerNormKernelImpl", "biuc", input)
    shape = as_tuple(normalized_shape, "layer_norm", "normalized_shape")
    _check_normalised(input, shape, weight, bias)
    _check_parameter_dtypes(input, weight, bias)
    return native_layer_norm(input, weight, bias, len(shape), eps)[0]


@op(node_name="add", overload=1, faces=Face(), batch=Batch.ELEMENTWISE)
def shifted(be, input, /, number):
    """Add a number, which is not a tensor in PyTorch's C++ either."""
    return be.add(input, number)


@shifted.vjp("input")
def shifted_input(g):
    return g


@public("rms_norm nn.functional.rms_norm")
@replayable
def rms_norm(
    input: Any, normalized_shape: Sequence[int], weight: Any = None, eps: float | None = None
) -> Any:
    """Divide by the root of the mean square over the last dimensions, then scale.

    ``x / sqrt(mean(x ** 2) + eps) * weight``. Source: Zhang and Sennrich, "Root Mean Square Layer
    Normalization", 2019.

    Args:
        input, normalized_shape, weight, eps: As for `layer_norm`.

    Raises:
        ValueError: If the input has fewer dimensions than ``normalized_shape``.

    >>> torch.nn.functional.rms_norm(torch.tensor([[3.0, 3.0]]), (2,))
    tensor([[1., 1.]])
    """
    refuse_kinds("rms_norm", "biu", input)
    shape = as_tuple(normalized_shape, "rms_norm", "normalized_shape")
    if input.ndim < len(shape) and (weight is None or tuple(weight.shape) == shape):
        raise ArgumentError(
            f"Input tensor must have at least {len(shape)} dimensions, but got {input.ndim}"
        )
    _check_normalised(input, shape, weight, None, gap="")
    input = make_contiguous(input)
    dims = tuple(range(-len(shape), 0))
    given = from_numpy_dtype(input._array.dtype)
    if is_half(given.numpy):
        input, weight = input.float(), None if weight is None else weight.float()
    tiny = epsilon(input._array.dtype) if eps is None else eps
    out = input * rsqrt(shifted(average(square(input), dims, True), tiny))
    return (out if weight is None else out * weight).to(given)


@public("nn.functional.group_norm", reads_late=True)
@replayable
def group_norm(
    input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    """Normalise groups of channels of ``[N, C, *S]`` image by image, then scale and shift channels.

    ``(x - mean) / sqrt(var + eps) * weight + bias``. Source: Wu and He, "Group Normalization",
    2018.

    Args:
        input: Tensor ``[N, C, *]``.
        num_groups: Number of groups of channels.
        weight, bias, eps: As for `batch_norm`.

    Raises:
        RuntimeError: If the number of channels is not a multiple of ``num_groups``.

    >>> torch.nn.functional.group_norm(torch.tensor([[1.0, 3.0]]), 1)
    tensor([[-1.0000,  1.0000]])
    """
    refuse_kinds("GroupNormKernelImpl", "biuc", input)
    shape = tuple(input.shape)
    if len(shape) < 2:
        raise ShapeError(
            f"Expected at least 2 dimensions for input tensor but received {len(shape)}"
        )
    if num_groups <= 0 or shape[1] % num_groups:
        raise ShapeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of "
            f"shape {list(shape)} and num_groups={num_groups}"
        )
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None and tuple(each.shape) != shape[1:2]:
            raise ShapeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, "
                f"but got {name} of shape {list(each.shape)} and input of shape {list(shape)}"
            )
    _check_parameter_dtypes(input, weight, bias)
    if is_half(input._array.dtype):
        return rounded_once(group_norm, input, num_groups, weight, bias, eps)
    rows = reshape(input, (shape[0], num_groups, prod(shape[1:]) // num_groups))
    out = reshape(native_layer_norm(rows, None, None, 1, eps)[0], shape)
    out = in_layout_of_images(out, input)
    return _of_channels(out, weight, bias)


@public("nn.functional.instance_norm", reads_late=True)
def instance_norm(
    input: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None,
    bias: Any = None, use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-5,
) -> Any:  # fmt: skip
    """Normalise each channel of each image of ``[N, C, *S]``, then scale and shift channels.

    ``(x - mean) / sqrt(var + eps) * weight + bias``. Source: Ulyanov, Vedaldi and Lempitsky,
    "Instance Normalization", 2016.

    Args:
        input, running_mean, running_var, weight, bias, momentum, eps: As for `batch_norm`.
        use_input_stats: Whether statistics of the input are used rather than the running
            ones.

    Raises:
        ValueError: If there is only one element per channel to normalise.

    >>> torch.nn.functional.instance_norm(torch.tensor([[[1.0, 3.0]]]))
    tensor([[[-1.0000,  1.0000]]])
    """
    refuse_kinds("batch_norm", "biuc", input)
    shape = tuple(input.shape)
    count = prod(shape[2:])
    if use_input_stats and count == 1:
        raise ArgumentError(
            f"Expected more than 1 spatial element when training, got input size {input.shape}"
        )
    _check_channels(
        input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias
    )
    _check_parameter_dtypes(input, weight, bias)
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    flat = reshape(input, (1, shape[0] * shape[1], *shape[2:]))
    out, means, spread = batch_norm_training(flat, None, None, eps)
    if running_mean is not None:
        _update(running_mean, means.reshape(shape[:2]).mean(0), momentum)
    if running_var is not None:
        _update(running_var, spread.reshape(shape[:2]).mean(0), momentum, count / max(count - 1, 1))
    return _of_channels(reshape(out, shape), weight, bias)


@public("nn.functional.local_response_norm", reads_late=True)
@autocasts(Autocast.FLOAT32)
def local_response_norm(
    input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Any:
    """Divide by a power of the mean square of ``size`` neighbouring channels.

    ``x / (k + alpha * mean(x ** 2)) ** beta``. Source: Krizhevsky, Sutskever and Hinton, "ImageNet
    Classification with Deep Convolutional Neural Networks", 2012.

    Args:
        input: Tensor ``[N, C, *]``.
        size: Number of neighbouring channels.
        alpha: Factor of the mean of squares.
        beta: Exponent of the divisor.
        k: Constant in the divisor.

    Raises:
        ValueError: If the input has fewer than three dimensions.
        RuntimeError: If ``size`` is not positive.

    >>> torch.nn.functional.local_response_norm(torch.zeros(1, 2, 3), 2)
    tensor([[[0., 0., 0.],
             [0., 0., 0.]]])
    """
    if input.ndim < 3:
        raise ArgumentError(
            f"Expected 3D or higher dimensionality input (got {input.ndim} dimensions)"
        )
    require("local_response_norm", "int", size=size)
    if size <= 0 and input.numel():
        raise ShapeError(f"kernel size should be greater than zero, but got {size}")
    before, after = size // 2, (size - 1) // 2
    padding = (0, 0) * (input.ndim - 2) + (before, after)
    windows = pad_constant(input * input, padding).unfold(1, size, 1)
    whole = input._array.dtype.kind in "iu"  # PyTorch's mean of whole numbers is one
    means = windows.sum(-1) // size if whole else windows.mean(-1)
    return input / (means * alpha + k) ** beta
