"""Convolutions over any number of dimensions, and their transposes.

The three ops are the partial maps of one form that is linear in images, filters and result, so the
derivatives of each are the other two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pellucid.core.call.compiled import replayable
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import public
from pellucid.core.errors.op_errors import check_same_dtype
from pellucid.core.families import multilinear
from pellucid.core.memory.layouts import of_images_and_filters
from pellucid.errors import ArgumentTypeError, DtypeError, ShapeError
from pellucid.ops.linalg.matmul import c_name
from pellucid.ops.nn.pad import pad_constant
from pellucid.ops.reduce.reductions import sum
from pellucid.shapes import Like, items_of


def _sizes_of_bias(node: Any) -> tuple[int, ...]:
    return node.saved_sizes("bias") or (0,)


def _output_padding(node: Any) -> tuple[int, ...] | None:
    """Return by how much a transposed convolution was made larger than it has to be."""
    size, stride, padding, dilation, _ = node.params
    input, weight = node.measured("input", "sizes"), node.measured("weight", "sizes")
    if input is None or weight is None:
        return None
    spans = zip(size, input[2:], weight[2:], stride, padding, dilation, strict=True)
    return tuple(n - ((m - 1) * s - 2 * p + d * (k - 1) + 1) for n, m, k, s, p, d in spans)


@multilinear(
    torch_kernel_name="slow_conv2d_cpu",
    layout=of_images_and_filters,
    autocast=Autocast.LOWER,
    compiled_kernel=("convolution", 4),
    joint=("input", "weight"),
    faces=Face(
        "dilation groups input@ padding stride weight@",
        bias_sym_sizes_opt=_sizes_of_bias,
        output_padding=lambda node: (0,) * len(node.params[0]),
        transposed=lambda node: False,
    ),
)
def convolution(be, input, weight, bias=None, /, stride=(), padding=(), dilation=(), groups=1):
    """Correlate images ``[N, C, *S]`` with filters ``[O, C / groups, *K]``, and add the bias."""
    convolution_check(input, weight, bias, stride, padding, dilation, groups)
    return be.convolve(input, weight, stride, padding, dilation, groups, bias)


@convolution.vjp("input")
def convolution_input(g, input: Like, weight, stride, padding, dilation, groups):
    size = tuple(input.shape[2:])
    return transposed_convolution(g, weight, None, size, stride, padding, dilation, groups)


@convolution.vjp("weight")
def convolution_weight(g, input, weight: Like, stride, padding, dilation, groups):
    return filter_correlation(g, input, tuple(weight.shape), stride, padding, dilation, groups)


@convolution.vjp("bias")
def convolution_bias(g):
    return sum(g, (0, *range(2, g.ndim)))


@convolution.check
def convolution_check(input, weight, bias, stride, padding, dilation, groups):
    _check_dtypes(input, weight, bias)
    _check_parameters(weight, stride, padding, dilation, groups)
    if weight.shape[0] % groups:
        raise ShapeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, "
            f"but got weight of size [{list(weight.shape)}] instead"
        )
    if input.shape[1] != weight.shape[1] * groups:
        raise ShapeError(
            f"Given groups={groups}, weight of size {list(weight.shape)}, expected input"
            f"{list(input.shape)} to have {weight.shape[1] * groups} channels, but got "
            f"{input.shape[1]} channels instead"
        )
    _check_bias(bias, weight, weight.shape[0], "")
    padded = [s + 2 * p for s, p in zip(input.shape[2:], padding, strict=True)]
    reach = [d * (k - 1) + 1 for k, d in zip(weight.shape[2:], dilation, strict=True)]
    if any(r > s for r, s in zip(reach, padded, strict=True)):
        raise ShapeError(
            f"Calculated padded input size per channel: ({_by(padded)}). Kernel size: "
            f"({_by(reach)}). Kernel size can't be greater than actual input size"
        )


def _by(sizes: Sequence[int]) -> str:
    return " x ".join(map(str, sizes))


def _check_parameters(weight: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> None:
    if min(padding) < 0:
        raise ShapeError("negative padding is not supported")
    if min(stride) <= 0:
        raise ShapeError("non-positive stride is not supported")
    if min(dilation) <= 0:
        raise ShapeError("non-positive dilation is not supported")
    if groups <= 0:
        raise ShapeError("non-positive groups is not supported")
    if 0 in weight.shape[2:]:
        raise ShapeError(f"kernel size should be greater than zero, but got {list(weight.shape)}")
    if weight.shape[0] < groups:
        raise ShapeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but "
            f"got weight of size {list(weight.shape)} instead"
        )


def _check_dtypes(input: Any, weight: Any, bias: Any) -> None:
    if bias is not None and bias.dtype != input.dtype:
        raise DtypeError(
            f"Input type ({c_name(input.dtype)}) and bias type ({c_name(bias.dtype)}) should be "
            "the same"
        )
    check_same_dtype(input, weight)


def _check_bias(bias: Any, weight: Any, channels: int, given: str) -> None:
    if bias is not None and bias.shape != (channels,):
        raise ShapeError(
            f"Given {given}weight of size {list(weight.shape)}, expected bias to be 1-dimensional "
            f"with {channels} elements, but got bias of size {list(bias.shape)} instead"
        )


@multilinear(
    torch_kernel_name="slow_conv_transpose2d_out_cpu",
    node_name="convolution", layout=of_images_and_filters, autocast=Autocast.LOWER,
    compiled_kernel=("transposed_convolution", 5), joint=("input", "weight"),
    faces=Face(
        "dilation groups input@ padding stride weight@",
        bias_sym_sizes_opt=_sizes_of_bias,
        output_padding=_output_padding,
        transposed=lambda node: True,
    ),
)  # fmt: skip
def transposed_convolution(
    be, input, weight, bias=None, /, size=(), stride=(), padding=(), dilation=(), groups=1
):
    """Transpose `convolution` in its images: from ``[N, O, *P]`` back to ``[N, C, *size]``."""
    transposed_convolution_check(input, weight, bias, size, stride, padding, dilation, groups)
    shape = (input.shape[0], weight.shape[1] * groups, *size)
    return be.convolve_to_input(input, weight, shape, stride, padding, dilation, groups, bias)


@transposed_convolution.vjp("input")
def transposed_convolution_input(g, weight, stride, padding, dilation, groups):
    return convolution(g, weight, None, stride, padding, dilation, groups)


@transposed_convolution.vjp("weight")
def transposed_convolution_weight(g, input, weight: Like, stride, padding, dilation, groups):
    return filter_correlation(input, g, tuple(weight.shape), stride, padding, dilation, groups)


@transposed_convolution.vjp("bias")
def transposed_convolution_bias(g):
    return sum(g, (0, *range(2, g.ndim)))


@transposed_convolution.check
def transposed_convolution_check(input, weight, bias, size, stride, padding, dilation, groups):
    _check_dtypes(input, weight, bias)
    _check_parameters(weight, stride, padding, dilation, groups)
    if input.shape[1] != weight.shape[0]:
        raise ShapeError(
            f"Given transposed=1, weight of size {list(weight.shape)}, expected input"
            f"{list(input.shape)} to have {weight.shape[0]} channels, but got {input.shape[1]} "
            "channels instead"
        )
    _check_bias(bias, weight, weight.shape[1] * groups, "transposed=1, ")
    if any(each <= 0 for each in size):
        raise ShapeError(
            f"Given input size per channel: ({_by(input.shape[2:])}). Calculated output size per "
            f"channel: ({_by(size)}). Output size is too small"
        )


@multilinear(node_name="convolution", layout=of_images_and_filters)
def filter_correlation(be, grad_output, input, /, shape, stride, padding, dilation, groups):
    """Transpose `convolution` in its filters: from result and images to filters of ``shape``."""
    return be.convolve_to_weight(grad_output, input, shape, stride, padding, dilation, groups)


@filter_correlation.vjp("grad_output")
def filter_correlation_grad_output(g, input, stride, padding, dilation, groups):
    return convolution(input, g, None, stride, padding, dilation, groups)


@filter_correlation.vjp("input")
def filter_correlation_input(g, grad_output, input: Like, stride, padding, dilation, groups):
    size = tuple(input.shape[2:])
    return transposed_convolution(grad_output, g, None, size, stride, padding, dilation, groups)


# ---- the public functions ---------------------------------------------------------------------


def tuple_of(name: str, value: Any, ndim: int) -> tuple[int, ...]:
    """Return one number per spatial dimension, of a number for all or a sequence."""
    if value.__class__ is int:
        return (value,) * ndim
    if value.__class__ is not tuple and not isinstance(value, Sequence):
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise ArgumentTypeError(
                f"{name} must be an int or a tuple of ints, not {type(value).__name__}"
            )
        return (value.__index__(),) * ndim
    if len(value) == 1:
        return (_index(name, value, 0),) * ndim
    if len(value) != ndim:
        raise ShapeError(
            f"expected {name} to be a single integer value or a list of {ndim} values to match the "
            f"convolution dimensions, but got {name}={list(items_of(value))}"
        )
    return tuple(
        [
            each if each.__class__ is int else _index(name, value, position)
            for position, each in enumerate(items_of(value))
        ]
    )


def _index(name: str, values: Sequence[Any], position: int) -> int:
    """Return one of several integers; raise TypeError for anything else."""
    value = values[position]
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise ArgumentTypeError(
            f"{name} must be tuple of ints, but found element of type {type(value).__name__} at "
            f"pos {position}"
        )
    return value.__index__()


def _batched(name: str, input: Any, ndim: int) -> bool:
    """Return whether images come in a batch; raise for a wrong number of dimensions."""
    have = input._array.ndim
    if have not in (ndim + 1, ndim + 2):
        raise ShapeError(
            f"Expected {ndim + 1}D (unbatched) or {ndim + 2}D (batched) input to {name}, but got "
            f"input of size: {list(input.shape)}"
        )
    return have == ndim + 2


def _check_filters(input: Any, weight: Any, ndim: int, stride: Any) -> None:
    have = weight._array.ndim
    if have != ndim + 2:
        raise ShapeError(
            f"weight should have {ndim + 2} dimensions for {ndim} spatial ones, but got weight of "
            f"size {list(weight.shape)} for input of size {list(input.shape)}, stride={stride}"
        )


def _string_padding(padding: str, weight: Any, stride: Any, dilation: Any) -> tuple[Any, Any]:
    """Return what "valid" or "same" pads, and what of it is more at the end than at the front."""
    ndim = len(dilation)
    if padding == "valid":
        return (0,) * ndim, (0,) * ndim
    if padding != "same":
        raise ShapeError(f"Invalid padding string: '{padding}'")
    if any(each != 1 for each in stride):
        raise ShapeError("padding='same' is not supported for strided convolutions")
    total = [d * (k - 1) for k, d in zip(weight.shape[2:], dilation, strict=True)]
    return tuple(each // 2 for each in total), tuple(each % 2 for each in total)


def _convolved(
    name: str, input: Any, weight: Any, bias: Any,
    stride: Any, padding: Any, dilation: Any, groups: int, ndim: int,
) -> Any:  # fmt: skip
    batched = _batched(name, input, ndim)
    _check_filters(input, weight, ndim, stride)
    stride = tuple_of("stride", stride, ndim)
    dilation = tuple_of("dilation", dilation, ndim)
    images = input if batched else input.unsqueeze(0)
    if isinstance(padding, str):
        padding, more = _string_padding(padding, weight, stride, dilation)
        if any(more):
            images = pad_constant(images, tuple(side for each in more[::-1] for side in (0, each)))
    else:
        padding = tuple_of("padding", padding, ndim)
    out = convolution(images, weight, bias, stride, padding, dilation, groups)
    return out if batched else out.squeeze(0)


@public("conv1d nn.functional.conv1d")
@replayable
@autocasts(Autocast.LOWER)
def conv1d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any | str = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Correlate signals ``[N, C, L]`` with filters ``[O, C / groups, K]``.

    One signal may come alone; ``padding`` is a number or "same" or "valid". Raises RuntimeError
    where channels, dtypes or sizes do not fit.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        weight: Filters ``[O, C / groups, K]``.
        bias: Vector ``[O]`` added to each channel of the result, or ``None``.
        stride: Step between windows, as a number or one per spatial dimension.
        padding: Zeros added on both sides, as a number or one per spatial dimension.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        groups: Number of groups of channels that are processed apart.

    >>> torch.nn.functional.conv1d(torch.ones(1, 1, 4), torch.ones(1, 1, 3))
    tensor([[[3., 3.]]])
    """
    return _convolved("conv1d", input, weight, bias, stride, padding, dilation, groups, 1)


@public("conv2d nn.functional.conv2d")
@replayable
@autocasts(Autocast.LOWER)
def conv2d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any | str = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Correlate images ``[N, C, H, W]`` with filters ``[O, C / groups, kH, kW]``.

    One image may come alone; ``padding`` is one or two numbers, or "same" or "valid". Raises
    RuntimeError where channels, dtypes or sizes do not fit.

    Args:
        input, bias, stride, padding, dilation, groups: As for `conv1d`.
        weight: Filters ``[O, C / groups, kH, kW]``.

    >>> images, filters = torch.ones(2, 3, 8, 8), torch.ones(4, 3, 3, 3)
    >>> torch.nn.functional.conv2d(images, filters, padding="same").shape
    torch.Size([2, 4, 8, 8])
    """
    return _convolved("conv2d", input, weight, bias, stride, padding, dilation, groups, 2)


@public("conv3d nn.functional.conv3d")
@replayable
@autocasts(Autocast.LOWER)
def conv3d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any | str = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Correlate volumes ``[N, C, D, H, W]`` with filters ``[O, C / groups, kD, kH, kW]``.

    Args:
        input, bias, stride, padding, dilation, groups: As for `conv1d`.
        weight: Filters ``[O, C / groups, kD, kH, kW]``.

    >>> volumes, filters = torch.ones(2, 3, 4, 4, 4), torch.ones(5, 3, 2, 2, 2)
    >>> torch.nn.functional.conv3d(volumes, filters, stride=2).shape
    torch.Size([2, 5, 2, 2, 2])
    """
    return _convolved("conv3d", input, weight, bias, stride, padding, dilation, groups, 3)


def _check_output_padding(extra: Sequence[int], stride: Any, dilation: Any) -> None:
    if min(extra) < 0:
        raise ShapeError("negative output_padding is not supported")
    if any(e >= max(s, d) for e, s, d in zip(extra, stride, dilation, strict=True)):
        raise ShapeError(
            "output padding must be smaller than either stride or dilation, but got "
            f"output_padding: {list(extra)} stride: {list(stride)} dilation: {list(dilation)}"
        )


def _transposed(
    input: Any, weight: Any, bias: Any, stride: Any, padding: Any, output_padding: Any,
    groups: int, dilation: Any, ndim: int,
) -> Any:  # fmt: skip
    name = f"conv_transpose{ndim}d"
    batched = _batched(name, input, ndim)
    _check_filters(input, weight, ndim, stride)
    stride = tuple_of("stride", stride, ndim)
    dilation = tuple_of("dilation", dilation, ndim)
    padding = tuple_of("padding", padding, ndim)
    extra = tuple_of("output_padding", output_padding, ndim)
    _check_output_padding(extra, stride, dilation)
    size = tuple(
        (n - 1) * s - 2 * p + d * (k - 1) + e + 1
        for n, k, s, p, d, e in zip(
            input.shape[-ndim:], weight.shape[2:], stride, padding, dilation, extra, strict=True
        )
    )
    if weight.shape[1] == 0:
        raise ShapeError(f"non-empty weight tensor expected, but got: {list(weight.shape)}")
    images = input if batched else input.unsqueeze(0)
    further = [e // s for e, s in zip(extra, stride, strict=True)]
    if any(further):  # what is asked for reaches to images with this many zeros more
        images = pad_constant(images, [each for n in reversed(further) for each in (0, n)])
    out = transposed_convolution(images, weight, bias, size, stride, padding, dilation, groups)
    return out if batched else out.squeeze(0)


@public("conv_transpose1d nn.functional.conv_transpose1d")
@replayable
@autocasts(Autocast.LOWER)
def conv_transpose1d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
) -> Any:  # fmt: skip
    """Apply the transpose of `conv1d`: ``[N, C, L]`` with filters ``[C, O / groups, K]``.

    Args:
        input, bias, stride, padding, groups, dilation: As for `conv1d`.
        weight: Filters ``[C, O / groups, K]``.
        output_padding: Size added to one side of the result.

    >>> torch.nn.functional.conv_transpose1d(torch.ones(1, 1, 2), torch.ones(1, 1, 3), stride=2)
    tensor([[[1., 1., 2., 1., 1.]]])
    """
    settings = (stride, padding, output_padding, groups, dilation)
    return _transposed(input, weight, bias, *settings, ndim=1)


@public("conv_transpose2d nn.functional.conv_transpose2d")
@replayable
@autocasts(Autocast.LOWER)
def conv_transpose2d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
) -> Any:  # fmt: skip
    """Apply the transpose of `conv2d`: ``[N, C, H, W]`` with filters ``[C, O / groups, kH, kW]``.

    Args:
        input, bias, stride, padding, output_padding, groups, dilation: As for `conv_transpose1d`.
        weight: Filters ``[C, O / groups, kH, kW]``.

    >>> images, filters = torch.ones(1, 3, 4, 4), torch.ones(3, 2, 2, 2)
    >>> torch.nn.functional.conv_transpose2d(images, filters, stride=2).shape
    torch.Size([1, 2, 8, 8])
    """
    settings = (stride, padding, output_padding, groups, dilation)
    return _transposed(input, weight, bias, *settings, ndim=2)


@public("conv_transpose3d nn.functional.conv_transpose3d")
@replayable
@autocasts(Autocast.LOWER)
def conv_transpose3d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
) -> Any:  # fmt: skip
    """Apply the transpose of `conv3d`.

    Args:
        input, bias, stride, padding, output_padding, groups, dilation: As for `conv_transpose1d`.
        weight: Filters ``[C, O / groups, kD, kH, kW]``.

    >>> volumes, filters = torch.ones(1, 3, 2, 2, 2), torch.ones(3, 1, 2, 2, 2)
    >>> torch.nn.functional.conv_transpose3d(volumes, filters).shape
    torch.Size([1, 1, 3, 3, 3])
    """
    settings = (stride, padding, output_padding, groups, dilation)
    return _transposed(input, weight, bias, *settings, ndim=3)
