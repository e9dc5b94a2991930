"""The functions of ``torch.nn.functional``; written by ``docs/generate_stubs.py``."""

from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from collections.abc import Sequence
from typing import Any, Literal, overload

from pellucid.dtypes import dtype as _dtype
from pellucid.tensors.tensor import Tensor

def adaptive_avg_pool1d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """Average nearly equal windows, as many as ``output_size`` says.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        output_size: Size of the result, as a number or one per spatial dimension.

    >>> torch.nn.functional.adaptive_avg_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[2., 1.]])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

def adaptive_avg_pool2d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """Average nearly equal windows of images, ``output_size`` of them in each dimension.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        output_size: Size of the result, as a number or one per spatial dimension.

    >>> torch.nn.functional.adaptive_avg_pool2d(torch.ones(1, 3, 5, 5), (1, None)).shape
    torch.Size([1, 3, 1, 5])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

def adaptive_avg_pool3d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """Average nearly equal windows of volumes, ``output_size`` of them in each dimension.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        output_size: Size of the result, as a number or one per spatial dimension.

    >>> torch.nn.functional.adaptive_avg_pool3d(torch.ones(1, 4, 4, 4), 2).shape
    torch.Size([1, 2, 2, 2])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

def adaptive_max_pool1d(
    input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False
) -> Tensor:
    """Take the largest elements of nearly equal windows, as many as ``output_size`` says.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        output_size: Size of the result, as a number or one per spatial dimension.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.adaptive_max_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[3., 2.]])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False
) -> tuple[Tensor, ...]:
    """Pool as `adaptive_max_pool1d`, and return the index of each maximum.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        output_size: Size of the result, as a number or one per spatial dimension.
        return_indices: Whether to return the index of each maximum too.

    >>> F = torch.nn.functional
    >>> out, places = F.adaptive_max_pool1d_with_indices(torch.ones(1, 2), 1)
    >>> places.flatten()
    tensor([0])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

def adaptive_max_pool2d(
    input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False
) -> Tensor:
    """Take the largest elements of nearly equal windows of images.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        output_size: Size of the result, as a number or one per spatial dimension.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.adaptive_max_pool2d(torch.ones(1, 3, 5, 5), 2).shape
    torch.Size([1, 3, 2, 2])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False
) -> tuple[Tensor, ...]:
    """Pool as `adaptive_max_pool2d`, and return the index of each maximum in its flattened image.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        output_size: Size of the result, as a number or one per spatial dimension.
        return_indices: Whether to return the index of each maximum too.

    >>> F = torch.nn.functional
    >>> out, places = F.adaptive_max_pool2d_with_indices(torch.ones(1, 2, 2), 1)
    >>> places.flatten()
    tensor([0])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

def adaptive_max_pool3d(
    input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False
) -> Tensor:
    """Take the largest elements of nearly equal windows of volumes.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        output_size: Size of the result, as a number or one per spatial dimension.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.adaptive_max_pool3d(torch.ones(1, 4, 4, 4), 2).shape
    torch.Size([1, 2, 2, 2])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False
) -> tuple[Tensor, ...]:
    """Pool as `adaptive_max_pool3d`, and return the index of each maximum in its flattened volume.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        output_size: Size of the result, as a number or one per spatial dimension.
        return_indices: Whether to return the index of each maximum too.

    >>> F = torch.nn.functional
    >>> out, places = F.adaptive_max_pool3d_with_indices(torch.ones(1, 2, 2, 2), 1)
    >>> places.flatten()
    tensor([0])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

def affine_grid(
    theta: Tensor, size: _int | Sequence[_int], align_corners: _bool | None = None
) -> Tensor:
    """Return the grid ``[N, *S, D]`` that `grid_sample` needs for affine maps ``[N, D, D + 1]``.

    ``size`` is that of the images to make: ``(N, C, H, W)`` or ``(N, C, D, H, W)``. Raises
    NotImplementedError for another number of dimensions, and ValueError for maps of another shape
    or an integer dtype.

    Args:
        theta: Affine maps ``[N, 2, 3]`` (or ``[N, 3, 4]``).
        size: Size of the images ``[N, C, H, W]``, or of volumes ``[N, C, D, H, W]``.
        align_corners: Whether the corner pixels of input and output lie on each other.

    >>> same = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> torch.nn.functional.affine_grid(same, (1, 1, 1, 2), align_corners=True)
    tensor([[[[-1.,  0.],
              [ 1.,  0.]]]])

    Defined in ``pellucid/ops/nn/grid.py``.
    """

def alpha_dropout(
    input: Tensor,
    p: _int | _float | _complex = 0.5,
    training: _bool = False,
    inplace: _bool = False,
) -> Tensor:
    """Drop elements to the floor of selu with probability ``p``, keeping mean and variance.

    Args:
        input: Floating point tensor of any shape.
        p: Probability with which an element (or channel) becomes 0.
        training: Whether to draw; in evaluation the input is returned.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.alpha_dropout(torch.ones(2), 0.5)
    tensor([1., 1.])

    Defined in ``pellucid/ops/nn/dropout.py``.
    """

def avg_pool1d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    ceil_mode: _bool = False,
    count_include_pad: _bool = True,
) -> Tensor:
    """Average each window of ``[N, C, L]`` or ``[C, L]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        ceil_mode: Whether the last, incomplete window counts too.
        count_include_pad: Whether padded zeros count in the average.

    >>> torch.nn.functional.avg_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[2., 1.]])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

def avg_pool2d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    ceil_mode: _bool = False,
    count_include_pad: _bool = True,
    divisor_override: _int | None = None,
) -> Tensor:
    """Average each window of ``[N, C, H, W]`` or ``[C, H, W]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        ceil_mode: Whether the last, incomplete window counts too.
        count_include_pad: Whether padded zeros count in the average.
        divisor_override: Divisor to use instead of the size of the window.

    >>> torch.nn.functional.avg_pool2d(torch.arange(16.0).reshape(1, 4, 4), 2)
    tensor([[[ 2.5000,  4.5000],
             [10.5000, 12.5000]]])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

def avg_pool3d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    ceil_mode: _bool = False,
    count_include_pad: _bool = True,
    divisor_override: _int | None = None,
) -> Tensor:
    """Average each window of ``[N, C, D, H, W]`` or ``[C, D, H, W]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        ceil_mode: Whether the last, incomplete window counts too.
        count_include_pad: Whether padded zeros count in the average.
        divisor_override: Divisor to use instead of the size of the window.

    >>> torch.nn.functional.avg_pool3d(torch.ones(1, 4, 4, 4), 2).shape
    torch.Size([1, 2, 2, 2])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: _bool = False,
    momentum: _float = 0.1,
    eps: _float = 1e-05,
) -> Tensor:
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

    Defined in ``pellucid/ops/nn/norm.py``.
    """

def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return ``x1 @ weight[o] @ x2`` for each output ``o``, plus the bias.

    Shapes: ``[*, n]``, ``[*, m]``, weight ``[out, n, m]``, bias ``[out]``.

    Args:
        input1: Tensor ``[*, in1]``.
        input2: Tensor ``[*, in2]``.
        weight: Tensor ``[out, in1, in2]``.
        bias: Vector ``[out]``, or ``None``.

    Raises:
        RuntimeError: If the inputs differ in the number of dimensions or in dtype.

    >>> torch.nn.functional.bilinear(torch.ones(1, 2), torch.ones(1, 3), torch.ones(4, 2, 3))
    tensor([[6., 6., 6., 6.]])

    Defined in ``pellucid/ops/linalg/contract.py``.
    """

def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: _bool | None = None,
    reduce: _bool | None = None,
    reduction: _str = "mean",
) -> Tensor:
    """Return the cross entropy between probabilities and binary targets.

    ``-weight * (y * log(x) + (1 - y) * log(1 - x))``, the logarithms no less than -100.

    Raises RuntimeError for an input outside [0, 1], ValueError where the shapes differ.

    Args:
        input: Probabilities of any shape.
        target: Tensor in the shape of ``input``.
        weight: Weight of each element, which broadcasts with ``input``; ``None`` for 1.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

    >>> torch.nn.functional.binary_cross_entropy(torch.tensor([0.5]), torch.tensor([1.0]))
    tensor(0.6931)

    Defined in ``pellucid/ops/nn/cross_entropy.py``.
    """

def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: _bool | None = None,
    reduce: _bool | None = None,
    reduction: _str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Return the cross entropy between scores (logits) and binary targets.

    ``-weight * (pos_weight * y * log(s) + (1 - y) * log(1 - s))`` with ``s = sigmoid(x)``.

    ``pos_weight`` scales the positive part, ``weight`` everything.

    Args:
        input: Scores of any shape.
        target: Tensor in the shape of ``input``.
        weight: Weight of each element, which broadcasts with ``input``; ``None`` for 1.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.
        pos_weight: Weight of positive examples, one per class.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

    Raises:
        ValueError: If the shapes of input and target differ.

    >>> F = torch.nn.functional
    >>> F.binary_cross_entropy_with_logits(torch.tensor([0.0]), torch.tensor([1.0]))
    tensor(0.6931)

    Defined in ``pellucid/ops/nn/cross_entropy.py``.
    """

def celu(input: Tensor, alpha: _float = 1.0, inplace: _bool = False) -> Tensor:
    """Apply the continuously differentiable ELU: x if x > 0, otherwise alpha (exp(x / alpha) - 1).

    Source: Barron, "Continuously differentiable exponential linear units", 2017.

    Args:
        input: Floating-point tensor of any shape.
        alpha: Scale of the negative part.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.celu(torch.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])

    Defined in ``pellucid/nn/inplace_activations.py``.
    """

def celu_(input: Tensor, alpha: _float = 1.0) -> Tensor:
    """Apply `celu` in place.

    Args:
        input: Tensor to change, of any shape.
        alpha: Scale of the exponential below zero.

    Defined in ``pellucid/tensors/inplace_methods.py``.
    """

def channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """Distribute the channels of ``[N, C, *S]`` to groups in turn.

    Args:
        input: Tensor ``[*, C, H, W]``.
        groups: Number of groups of channels.

    Raises:
        RuntimeError: If the number of channels is not a multiple of ``groups``.

    >>> torch.nn.functional.channel_shuffle(torch.arange(4.0).reshape(1, 4, 1), 2).flatten()
    tensor([0., 2., 1., 3.])

    Defined in ``pellucid/ops/nn/channels.py``.
    """

def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor:
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

    Defined in ``pellucid/ops/nn/conv.py``.
    """

def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor:
    """Correlate images ``[N, C, H, W]`` with filters ``[O, C / groups, kH, kW]``.

    One image may come alone; ``padding`` is one or two numbers, or "same" or "valid". Raises
    RuntimeError where channels, dtypes or sizes do not fit.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        bias: Vector ``[O]`` added to each channel of the result, or ``None``.
        stride: Step between windows, as a number or one per spatial dimension.
        padding: Zeros added on both sides, as a number or one per spatial dimension.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        groups: Number of groups of channels that are processed apart.
        weight: Filters ``[O, C / groups, kH, kW]``.

    >>> images, filters = torch.ones(2, 3, 8, 8), torch.ones(4, 3, 3, 3)
    >>> torch.nn.functional.conv2d(images, filters, padding="same").shape
    torch.Size([2, 4, 8, 8])

    Defined in ``pellucid/ops/nn/conv.py``.
    """

def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor:
    """Correlate volumes ``[N, C, D, H, W]`` with filters ``[O, C / groups, kD, kH, kW]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        bias: Vector ``[O]`` added to each channel of the result, or ``None``.
        stride: Step between windows, as a number or one per spatial dimension.
        padding: Zeros added on both sides, as a number or one per spatial dimension.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        groups: Number of groups of channels that are processed apart.
        weight: Filters ``[O, C / groups, kD, kH, kW]``.

    >>> volumes, filters = torch.ones(2, 3, 4, 4, 4), torch.ones(5, 3, 2, 2, 2)
    >>> torch.nn.functional.conv3d(volumes, filters, stride=2).shape
    torch.Size([2, 5, 2, 2, 2])

    Defined in ``pellucid/ops/nn/conv.py``.
    """

def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: _int = 0) -> Tensor:
    """Convolve sequences ``[T, N, in]`` with filters ``[k, in, out]``: ``[T', N, out]``.

    ``bias`` is ``[out]``; ``pad`` zeros are put at both ends of time. Raises RuntimeError for
    shapes that do not match.

    Args:
        input: Sequences ``[T, N, C]``.
        weight: Filters ``[K, C, O]``.
        bias: Vector ``[O]``.
        pad: Zeros added at both ends in time.

    >>> F = torch.nn.functional
    >>> F.conv_tbc(torch.ones(4, 2, 3), torch.ones(2, 3, 5), torch.zeros(5)).shape
    torch.Size([3, 2, 5])

    Defined in ``pellucid/ops/nn/conv_time.py``.
    """

def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | _str = 0,
    output_padding: _int | Sequence[_int] = 0,
    groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor:
    """Apply the transpose of `conv1d`: ``[N, C, L]`` with filters ``[C, O / groups, K]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        bias: Vector ``[O]`` added to each channel of the result, or ``None``.
        stride: Step between windows, as a number or one per spatial dimension.
        padding: Zeros added on both sides, as a number or one per spatial dimension.
        groups: Number of groups of channels that are processed apart.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        weight: Filters ``[C, O / groups, K]``.
        output_padding: Size added to one side of the result.

    >>> torch.nn.functional.conv_transpose1d(torch.ones(1, 1, 2), torch.ones(1, 1, 3), stride=2)
    tensor([[[1., 1., 2., 1., 1.]]])

    Defined in ``pellucid/ops/nn/conv.py``.
    """

def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | _str = 0,
    output_padding: _int | Sequence[_int] = 0,
    groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor:
    """Apply the transpose of `conv2d`: ``[N, C, H, W]`` with filters ``[C, O / groups, kH, kW]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        bias: Vector ``[O]`` added to each channel of the result, or ``None``.
        stride: Step between windows, as a number or one per spatial dimension.
        padding: Zeros added on both sides, as a number or one per spatial dimension.
        output_padding: Size added to one side of the result.
        groups: Number of groups of channels that are processed apart.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        weight: Filters ``[C, O / groups, kH, kW]``.

    >>> images, filters = torch.ones(1, 3, 4, 4), torch.ones(3, 2, 2, 2)
    >>> torch.nn.functional.conv_transpose2d(images, filters, stride=2).shape
    torch.Size([1, 2, 8, 8])

    Defined in ``pellucid/ops/nn/conv.py``.
    """

def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | _str = 0,
    output_padding: _int | Sequence[_int] = 0,
    groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor:
    """Apply the transpose of `conv3d`.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        bias: Vector ``[O]`` added to each channel of the result, or ``None``.
        stride: Step between windows, as a number or one per spatial dimension.
        padding: Zeros added on both sides, as a number or one per spatial dimension.
        output_padding: Size added to one side of the result.
        groups: Number of groups of channels that are processed apart.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        weight: Filters ``[C, O / groups, kD, kH, kW]``.

    >>> volumes, filters = torch.ones(1, 3, 2, 2, 2), torch.ones(3, 1, 2, 2, 2)
    >>> torch.nn.functional.conv_transpose3d(volumes, filters).shape
    torch.Size([1, 1, 3, 3, 3])

    Defined in ``pellucid/ops/nn/conv.py``.
    """

def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: _float = 0.0,
    size_average: _bool | None = None,
    reduce: _bool | None = None,
    reduction: _str = "mean",
) -> Tensor:
    """Return ``1 - cos`` of two vectors where the target is 1, ``max(0, cos - margin)`` where -1.

    Args:
        input1: First tensor.
        input2: Second tensor.
        target: 1 or -1 for each pair.
        margin: Margin between the values of right and wrong pairs.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    Returns:
        The reduced loss ``[]``, or one loss per pair with ``"none"``.

    Raises:
        RuntimeError: If the inputs do not have one dimension more than the target.

    >>> x, y = torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0])
    >>> torch.nn.functional.cosine_embedding_loss(x, y, torch.tensor(1.0))
    tensor(1.)

    Defined in ``pellucid/ops/nn/margin_loss.py``.
    """

def cosine_similarity(x1: Tensor, x2: Tensor, dim: _int = 1, eps: _float = 1e-08) -> Tensor:
    """Return the cosine of the angle between vectors along a dimension, no norm less than ``eps``.

    Args:
        x1: Tensor of any shape.
        x2: Tensor that broadcasts with ``x1``.
        dim: Dimension or dimensions to reduce; all by default.
        eps: Small number that keeps a divisor from 0.

    Raises:
        RuntimeError: If the common dtype is not floating point, or ``eps`` is negative.

    >>> x, y = torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]])
    >>> torch.nn.functional.cosine_similarity(x, y)
    tensor([0.7071])

    Defined in ``pellucid/ops/reduce/statistics.py``.
    """

def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: _bool | None = None,
    ignore_index: _int = -100,
    reduce: _bool | None = None,
    reduction: _str = "mean",
    label_smoothing: _float = 0.0,
) -> Tensor:
    """Return the cross entropy between scores (logits) and targets.

    ``-weight[y] * log_softmax(x)[y]`` of class y.

    Shapes: input ``[N, C, *S]`` or ``[C]``; target class indices (int64) ``[N, *S]`` or ``[]``, or
    probabilities in the shape of the input; weight ``[C]``.

    Args:
        input: Scores ``[N, C, *S]`` or ``[C]``.
        target: Class indices (int64) ``[N, *S]`` or ``[]``, or probabilities in the shape
            of ``input``.
        weight: Weight of each class ``[C]``, or ``None``.
        size_average: Old form of ``reduction``; leave it out.
        ignore_index: Class that counts for nothing.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.
        label_smoothing: Share of the target spread evenly over all classes, between 0 and
            1.

    Returns:
        The reduced loss ``[]``, or one loss per target with ``"none"``: ``[N, *S]`` or ``[]``.

    Raises:
        RuntimeError: If ``label_smoothing`` is not between 0 and 1, or shapes do not fit.

    >>> torch.nn.functional.cross_entropy(torch.zeros(1, 2), torch.tensor([1]))
    tensor(0.6931)

    Defined in ``pellucid/ops/nn/cross_entropy.py``.
    """

def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[_int],
    target_lengths: Tensor | Sequence[_int],
    blank: _int = 0,
    reduction: _str = "mean",
    zero_infinity: _bool = False,
) -> Tensor:
    """Return minus the log-probability of target sequences, over all their alignments.

    Shapes: log-probabilities ``[T, N, C]`` or ``[T, C]``, targets (integers) ``[N, S]`` or all in
    one row. "mean" divides each loss by its target's length first. A target that no alignment gives
    has an infinite loss, or none with ``zero_infinity``; it has no gradient. Raises RuntimeError
    for a blank or lengths out of range.

    Args:
        log_probs: Logarithms of probabilities ``[T, N, C]``.
        targets: Class indices ``[N, S]``, or all targets in a row.
        input_lengths: Length of each input.
        target_lengths: Length of each target.
        blank: Class that stands for no symbol.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.
        zero_infinity: Whether infinite losses and their gradients become 0.

    >>> log_probs = torch.log(torch.full((2, 1, 2), 0.5))
    >>> targets, steps, sizes = torch.tensor([[1]]), torch.tensor([2]), torch.tensor([1])
    >>> torch.nn.functional.ctc_loss(log_probs, targets, steps, sizes)
    tensor(0.2877)

    Defined in ``pellucid/ops/nn/ctc.py``.
    """

def dropout(
    input: Tensor, p: _int | _float | _complex = 0.5, training: _bool = True, inplace: _bool = False
) -> Tensor:
    """Zero elements with probability ``p`` while training, and scale the others by ``1 / (1 - p)``.

    Args:
        input: Floating point tensor of any shape.
        p: Probability with which an element becomes 0.
        training: Whether to draw; in evaluation the input is returned.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.dropout(torch.ones(2), 0.9, training=False)
    tensor([1., 1.])

    Defined in ``pellucid/ops/nn/dropout.py``.
    """

def dropout1d(
    input: Tensor, p: _int | _float | _complex = 0.5, training: _bool = True, inplace: _bool = False
) -> Tensor:
    """Zero whole channels of ``[N, C, L]`` or ``[C, L]`` with probability ``p`` while training.

    Args:
        input: Floating point tensor of any shape.
        p: Probability with which an element (or channel) becomes 0.
        training: Whether to draw; in evaluation the input is returned.
        inplace: Whether to write the result into the input.

    Raises:
        RuntimeError: If the input has neither two nor three dimensions.

    >>> torch.nn.functional.dropout1d(torch.ones(1, 2, 3), 1.0).sum()
    tensor(0.)

    Defined in ``pellucid/ops/nn/dropout.py``.
    """

def dropout2d(
    input: Tensor, p: _int | _float | _complex = 0.5, training: _bool = True, inplace: _bool = False
) -> Tensor:
    """Zero whole channels of ``[N, C, H, W]`` with probability ``p`` while training.

    Args:
        input: Floating point tensor of any shape.
        p: Probability with which an element (or channel) becomes 0.
        training: Whether to draw; in evaluation the input is returned.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.dropout2d(torch.ones(1, 2, 3, 3), 1.0).sum()
    tensor(0.)

    Defined in ``pellucid/ops/nn/dropout.py``.
    """

def dropout3d(
    input: Tensor, p: _int | _float | _complex = 0.5, training: _bool = True, inplace: _bool = False
) -> Tensor:
    """Zero whole channels of ``[N, C, D, H, W]`` or ``[C, D, H, W]`` with probability ``p``.

    Args:
        input: Floating point tensor of any shape.
        p: Probability with which an element (or channel) becomes 0.
        training: Whether to draw; in evaluation the input is returned.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.dropout3d(torch.ones(1, 2, 3, 3, 3), 1.0).sum()
    tensor(0.)

    Defined in ``pellucid/ops/nn/dropout.py``.
    """

def elu(input: Tensor, alpha: _float = 1.0, inplace: _bool = False) -> Tensor:
    """Apply the exponential linear unit: x if x > 0, otherwise alpha (exp(x) - 1).

    Source: Clevert, Unterthiner and Hochreiter, "Fast and accurate deep network learning by
    exponential linear units", 2016.

    Args:
        input: Floating-point tensor of any shape.
        alpha: Factor of the negative part.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.elu(torch.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])

    Defined in ``pellucid/nn/inplace_activations.py``.
    """

def elu_(
    input: Tensor,
    alpha: _int | _float | _complex | Tensor = 1,
    scale: _int | _float | _complex | Tensor = 1,
    input_scale: _int | _float | _complex | Tensor = 1,
) -> Tensor:
    """In-place version of :func:`elu`: write the result into the first operand.

    Args:
        input: Tensor of any shape.
        alpha: Scale of the exponential for negative inputs.
        scale: Factor of the whole result.
        input_scale: Factor of the input inside the exponential.

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: _int | None = None,
    max_norm: _float | None = None,
    norm_type: _float = 2.0,
    scale_grad_by_freq: _bool = False,
    sparse: _bool = False,
) -> Tensor:
    """Look up rows of a table ``[n, *D]`` by integers ``[*I]``; the result is ``[*I, *D]``.

    The row ``padding_idx`` gets no gradient. With ``max_norm``, rows that are looked up and longer
    are first shortened, in place. Raises IndexError for an index that is out of range.

    Args:
        input: Indices (int64) of any shape.
        weight: Table ``[num_embeddings, embedding_dim]``.
        padding_idx: Index whose row gets no gradient and is left alone.
        max_norm: Rows with a larger norm are scaled down to it, in place.
        norm_type: Order of the norm.
        scale_grad_by_freq: Whether gradients are divided by how often an index occurs.
        sparse: Whether the gradient of the table is a sparse tensor of rows.

    >>> torch.nn.functional.embedding(torch.tensor([1, 0]), torch.tensor([[1.0], [2.0]]))
    tensor([[2.],
            [1.]])

    Defined in ``pellucid/ops/nn/embedding.py``.
    """

def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: _float | None = None,
    norm_type: _float = 2,
    scale_grad_by_freq: _bool = False,
    mode: _str = "mean",
    sparse: _bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: _bool = False,
    padding_idx: _int | None = None,
) -> Tensor:
    """Look up bags of rows, and return the sum, mean or maximum of each bag.

    Bags are the rows of a two-dimensional input, or start at the ``offsets`` into a vector.

    Args:
        input: Indices (int64) ``[B, N]``, or ``[N]`` with ``offsets``.
        weight: Table ``[num_embeddings, embedding_dim]``.
        max_norm: Rows with a larger norm are scaled down to it, in place.
        norm_type: Order of the norm.
        scale_grad_by_freq: Whether gradients are divided by how often an index occurs.
        sparse: Whether the gradient of the table is a sparse tensor of rows.
        padding_idx: Index whose row gets no gradient and is left alone.
        offsets: Where each bag starts in ``input``.
        mode: ``"sum"``, ``"mean"`` or ``"max"`` over each bag.
        per_sample_weights: Weight of each row, for ``mode="sum"``.
        include_last_offset: Whether ``offsets`` ends with the number of indices.

    Raises:
        RuntimeError: If an index is out of range, or the weight is not floating point.

    >>> table = torch.tensor([[1.0], [2.0], [4.0]])
    >>> torch.nn.functional.embedding_bag(torch.tensor([[0, 1], [1, 2]]), table, mode="sum")
    tensor([[3.],
            [6.]])

    Defined in ``pellucid/ops/nn/embedding.py``.
    """

def feature_alpha_dropout(
    input: Tensor,
    p: _int | _float | _complex = 0.5,
    training: _bool = False,
    inplace: _bool = False,
) -> Tensor:
    """Apply `alpha_dropout` to whole channels.

    Args:
        input: Floating point tensor of any shape.
        p: Probability with which an element (or channel) becomes 0.
        training: Whether to draw; in evaluation the input is returned.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.feature_alpha_dropout(torch.ones(1, 2, 3), 0.5).sum()
    tensor(6.)

    Defined in ``pellucid/ops/nn/dropout.py``.
    """

def fold(
    input: Tensor,
    output_size: _int | Sequence[_int],
    kernel_size: _int | Sequence[_int],
    dilation: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | _str = 0,
    stride: _int | Sequence[_int] = 1,
) -> Tensor:
    """Add up patches ``[N, C * kH * kW, L]`` to images; where they overlap, they add up.

    Args:
        input: Images ``[N, C, H, W]`` (`unfold`), or columns ``[N, C * kH * kW, L]``
            (`fold`); the batch may be missing.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        padding: Zeros added on both sides, as a number or one per spatial dimension.
        stride: Step between windows, as a number or one per spatial dimension.
        output_size: Size of the result, as a number or one per spatial dimension.

    Raises:
        RuntimeError: If the number of patches is not that of the output's size.

    >>> torch.nn.functional.fold(torch.ones(1, 4, 1), (2, 2), 2)
    tensor([[[[1., 1.],
              [1., 1.]]]])

    Defined in ``pellucid/ops/nn/patches.py``.
    """

def fractional_max_pool2d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    output_size: _int | Sequence[_int] | None = None,
    output_ratio: Any = None,
    return_indices: _bool = False,
    _random_samples: Any = None,
) -> Tensor:
    """Take the largest element of windows of ``[N, C, H, W]`` or ``[C, H, W]`` placed at random.

    The number of windows is ``output_size``, or the input's size times ``output_ratio``. Raises
    ValueError without either, RuntimeError where the windows do not fit. B. Graham, "Fractional
    max-pooling" (2014).

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        output_size: Size of the result, as a number or one per spatial dimension.
        output_ratio: Size of the result as a share of the input's, between 0 and 1.
        return_indices: Whether to return the index of each maximum too.

    >>> x = torch.arange(16.0).reshape(1, 4, 4)
    >>> torch.nn.functional.fractional_max_pool2d(x, 2, output_size=1)
    tensor([[[15.]]])

    Defined in ``pellucid/ops/nn/fractional_pool.py``.
    """

def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    output_size: _int | Sequence[_int] | None = None,
    output_ratio: Any = None,
    return_indices: _bool = False,
    _random_samples: Any = None,
) -> tuple[Tensor, ...]:
    """Pool as `fractional_max_pool2d`, and return the index of each maximum too.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        output_size: Size of the result, as a number or one per spatial dimension.
        output_ratio: Size of the result as a share of the input's, between 0 and 1.
        return_indices: Whether to return the index of each maximum too.

    >>> F = torch.nn.functional
    >>> out, places = F.fractional_max_pool2d_with_indices(torch.ones(1, 4, 4), 2, output_size=2)
    >>> places.shape
    torch.Size([1, 2, 2])

    Defined in ``pellucid/ops/nn/fractional_pool.py``.
    """

def fractional_max_pool3d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    output_size: _int | Sequence[_int] | None = None,
    output_ratio: Any = None,
    return_indices: _bool = False,
    _random_samples: Any = None,
) -> Tensor:
    """Take the largest element of windows of volumes ``[N, C, D, H, W]`` placed at random.

    Arguments and errors as for `fractional_max_pool2d`.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        output_size: Size of the result, as a number or one per spatial dimension.
        output_ratio: Size of the result as a share of the input's, between 0 and 1.
        return_indices: Whether to return the index of each maximum too.

    >>> x = torch.arange(8.0).reshape(1, 2, 2, 2)
    >>> torch.nn.functional.fractional_max_pool3d(x, 2, output_size=1)
    tensor([[[[7.]]]])

    Defined in ``pellucid/ops/nn/fractional_pool.py``.
    """

def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    output_size: _int | Sequence[_int] | None = None,
    output_ratio: Any = None,
    return_indices: _bool = False,
    _random_samples: Any = None,
) -> tuple[Tensor, ...]:
    """Pool as `fractional_max_pool3d`, and return the index of each maximum too.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        output_size: Size of the result, as a number or one per spatial dimension.
        output_ratio: Size of the result as a share of the input's, between 0 and 1.
        return_indices: Whether to return the index of each maximum too.

    >>> F = torch.nn.functional
    >>> both = F.fractional_max_pool3d_with_indices(torch.ones(1, 4, 4, 4), 2, output_size=2)
    >>> both[1].shape
    torch.Size([1, 2, 2, 2])

    Defined in ``pellucid/ops/nn/fractional_pool.py``.
    """

def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | _complex,
    full: _bool = False,
    eps: _float = 1e-06,
    reduction: _str = "mean",
) -> Tensor:
    """Return minus the log-likelihood of targets under normal distributions.

    ``(log(var) + (input - target) ** 2 / var) / 2``, var no less than ``eps``.

    ``var`` has the input's shape, or size 1 in the last dimension, or lacks it.

    Args:
        input: Floating point tensor of any shape.
        target: Tensor in the shape of ``input``.
        var: Variance: a tensor that broadcasts with ``input``, or a number.
        full: Whether the constant terms of the likelihood are added.
        eps: Small number that keeps a divisor from 0.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

    Raises:
        ValueError: If a variance is negative, or the shape of ``var`` does not fit.

    >>> mean, var = torch.zeros(2), torch.ones(2)
    >>> torch.nn.functional.gaussian_nll_loss(mean, torch.ones(2), var)
    tensor(0.5000)

    Defined in ``pellucid/ops/nn/likelihood_loss.py``.
    """

def gelu(input: Tensor, *, approximate: _str = "none") -> Tensor:
    """Multiply by the normal distribution function, exact or approximated ("tanh").

    Raises RuntimeError for any other ``approximate``. Hendrycks and Gimpel, "Gaussian Error Linear
    Units" (2016).

    Dtypes:
        Booleans, integers and complex numbers are refused.

    Args:
        input: Floating point tensor of any shape.
        approximate: ``"none"`` for the exact function, ``"tanh"`` for the approximation.

    >>> torch.nn.functional.gelu(torch.tensor([-1.0, 2.0]))
    tensor([-0.1587,  1.9545])

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def glu(input: Tensor, dim: _int = -1) -> Tensor:
    """Split in two along ``dim`` and multiply the first half by the sigmoid of the second.

    Raises RuntimeError for a 0-d tensor and for an odd size. Dauphin et al., "Language Modeling
    with Gated Convolutional Networks" (2016).

    Args:
        input: Floating point tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.

    >>> torch.nn.functional.glu(torch.tensor([2.0, 0.0]))
    tensor([1.])

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: _str = "bilinear",
    padding_mode: _str = "zeros",
    align_corners: _bool | None = None,
) -> Tensor:
    """Read images ``[N, C, *S]`` at the points of a grid ``[N, *P, D]``: ``[N, C, *P]``.

    ``grid`` holds for each new pixel its coordinates, x first, where -1 and 1 are the borders: the
    centres of the outermost pixels with ``align_corners``, else their outer edges. There are 2 or 3
    dimensions ``D``. ``mode`` is "bilinear", "nearest" or, for images, "bicubic";
    ``padding_mode`` says what lies outside: "zeros", "border" or "reflection". Raises ValueError
    for another mode, and RuntimeError for shapes or dtypes that do not match.

    Args:
        input: Images ``[N, C, H, W]``, or volumes ``[N, C, D, H, W]``.
        grid: Positions to read ``[N, H, W, 2]`` (or ``[N, D, H, W, 3]``), from -1 to 1.
        mode: ``"bilinear"``, ``"nearest"`` or ``"bicubic"``.
        padding_mode: What lies outside: ``"zeros"``, ``"border"`` or ``"reflection"``.
        align_corners: Whether the corner pixels of input and output lie on each other.

    >>> image = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> places = torch.tensor([[[[0.0, 0.0], [-0.5, -0.5]]]])
    >>> torch.nn.functional.grid_sample(image, places, align_corners=False)
    tensor([[[[2.5000, 1.0000]]]])

    Defined in ``pellucid/ops/nn/grid.py``.
    """

def group_norm(
    input: Tensor,
    num_groups: _int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: _float = 1e-05,
) -> Tensor:
    """Normalise groups of channels of ``[N, C, *S]`` image by image, then scale and shift channels.

    ``(x - mean) / sqrt(var + eps) * weight + bias``. Source: Wu and He, "Group Normalization",
    2018.

    Args:
        input: Tensor ``[N, C, *]``.
        num_groups: Number of groups of channels.
        weight: Factor of each channel or normalized element, or ``None``.
        bias: Shift of each channel or normalized element, or ``None``.
        eps: Small number that keeps a divisor from 0.

    Raises:
        RuntimeError: If the number of channels is not a multiple of ``num_groups``.

    >>> torch.nn.functional.group_norm(torch.tensor([[1.0, 3.0]]), 1)
    tensor([[-1.0000,  1.0000]])

    Defined in ``pellucid/ops/nn/norm.py``.
    """

def gumbel_softmax(
    logits: Tensor, tau: _float = 1, hard: _bool = False, eps: _float = 1e-10, dim: _int = -1
) -> Tensor:
    """Draw samples of the relaxed categorical distribution, which have gradients.

    Source: Jang, Gu and Poole, "Categorical reparameterization with Gumbel-softmax", 2017.

    Args:
        logits: Unnormalized log-probabilities, a floating-point tensor of any shape.
        tau: Temperature.
        hard: Whether to return one-hot vectors, with the gradients of the soft samples.
        eps: Deprecated; changes nothing.
        dim: The dim of the categories.

    Returns:
        A tensor of the shape of ``logits`` that sums to 1 along ``dim``.

    >>> torch.nn.functional.gumbel_softmax(torch.zeros(3), hard=True).sum()
    tensor(1.)

    Defined in ``pellucid/nn/inplace_activations.py``.
    """

def hardshrink(input: Tensor, lambd: _int | _float | _complex | Tensor = 0.5) -> Tensor:
    """Replace what lies between ``-lambd`` and ``lambd`` by 0.

    Dtypes:
        Booleans, integers and complex numbers are refused.

    Args:
        input: Tensor of any shape.
        lambd: Half the width of the interval that becomes 0.

    >>> torch.nn.functional.hardshrink(torch.tensor([0.2, -2.0]))
    tensor([ 0., -2.])

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def hardsigmoid(input: Tensor, inplace: _bool = False) -> Tensor:
    """Apply a piecewise linear approximation of the sigmoid: min(max(x + 3, 0), 6) / 6.

    Args:
        input: Floating-point tensor of any shape.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.hardsigmoid(torch.tensor([-1.0, 2.0]))
    tensor([0.3333, 0.8333])

    Defined in ``pellucid/nn/inplace_activations.py``.
    """

def hardswish(input: Tensor, inplace: _bool = False) -> Tensor:
    """Multiply by a piecewise linear approximation of the sigmoid, ``hardsigmoid``.

    Args:
        input: Floating-point tensor of any shape.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.hardswish(torch.tensor([-1.0, 2.0]))
    tensor([-0.3333,  1.6667])

    Defined in ``pellucid/nn/inplace_activations.py``.
    """

def hardtanh(
    input: Tensor, min_val: _float = -1.0, max_val: _float = 1.0, inplace: _bool = False
) -> Tensor:
    """Clamp the elements to [min_val, max_val].

    Args:
        input: Real tensor of any shape.
        min_val: Lower bound.
        max_val: Upper bound.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.hardtanh(torch.tensor([-1.0, 2.0]))
    tensor([-1.,  1.])

    Defined in ``pellucid/nn/inplace_activations.py``.
    """

def hardtanh_(
    input: Tensor,
    min_val: _int | _float | _complex | Tensor = -1,
    max_val: _int | _float | _complex | Tensor = 1,
) -> Tensor:
    """In-place version of :func:`hardtanh`: write the result into the first operand.

    Args:
        input: Tensor of any shape.
        min_val: Lower bound.
        max_val: Upper bound.

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: _float = 1.0,
    size_average: _bool | None = None,
    reduce: _bool | None = None,
    reduction: _str = "mean",
) -> Tensor:
    """Return the input where the target is 1, and ``max(0, margin - input)`` where it is -1.

    Args:
        input: Floating point tensor of any shape.
        target: 1 or -1 for each element.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.
        margin: Margin between the values of right and wrong pairs.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

    >>> F = torch.nn.functional
    >>> F.hinge_embedding_loss(torch.tensor([0.5, 0.2]), torch.tensor([1.0, -1.0]))
    tensor(0.6500)

    Defined in ``pellucid/ops/nn/margin_loss.py``.
    """

def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: _str = "mean",
    delta: _float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """Return half the squared difference, growing linearly above ``delta``.

    ``d ** 2 / 2`` for a difference ``|d| <= delta``, otherwise ``delta * (|d| - delta / 2)``.

    Args:
        input: Floating point tensor of any shape.
        target: Tensor in the shape of ``input``.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.
        delta: Error from which on the loss is linear.
        weight: Weight of each element, in the shape of ``input``; ``None`` for 1.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

    Raises:
        RuntimeError: If ``delta`` is not positive.
        ValueError: If ``weight`` does not have the shape of the input.

    >>> torch.nn.functional.huber_loss(torch.tensor([0.5, 2.0]), torch.zeros(2))
    tensor(0.8125)

    Defined in ``pellucid/ops/nn/loss.py``.
    """

def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: _bool = True,
    momentum: _float = 0.1,
    eps: _float = 1e-05,
) -> Tensor:
    """Normalise each channel of each image of ``[N, C, *S]``, then scale and shift channels.

    ``(x - mean) / sqrt(var + eps) * weight + bias``. Source: Ulyanov, Vedaldi and Lempitsky,
    "Instance Normalization", 2016.

    Args:
        input: Tensor ``[N, C, *]``.
        running_mean: Running mean ``[C]``, updated in training, or ``None``.
        running_var: Running variance ``[C]``, updated in training, or ``None``.
        weight: Factor of each channel or normalized element, or ``None``.
        bias: Shift of each channel or normalized element, or ``None``.
        momentum: Share of the new statistics in the running ones.
        eps: Small number that keeps a divisor from 0.
        use_input_stats: Whether statistics of the input are used rather than the running
            ones.

    Raises:
        ValueError: If there is only one element per channel to normalise.

    >>> torch.nn.functional.instance_norm(torch.tensor([[[1.0, 3.0]]]))
    tensor([[[-1.0000,  1.0000]]])

    Defined in ``pellucid/ops/nn/norm.py``.
    """

def interpolate(
    input: Tensor,
    size: _int | Sequence[_int] | None = None,
    scale_factor: _float | Sequence[_float] | None = None,
    mode: _str = "nearest",
    align_corners: _bool | None = None,
    recompute_scale_factor: _bool | None = None,
    antialias: _bool = False,
) -> Tensor:
    """Resize images ``[N, C, *S]`` to a size, or by a factor.

    ``mode`` is "nearest", "nearest-exact", "area", "linear", "bilinear", "trilinear", "bicubic" or
    "lanczos". With ``antialias`` ("bilinear", "bicubic" and "lanczos" only) what is made smaller is
    averaged first. Raises ValueError unless just one of size and factor is given, and for options
    that the mode does not have; NotImplementedError for a mode that the number of dimensions does
    not have.

    Args:
        input: Images ``[N, C, *S]`` with one to three spatial dimensions ``S``.
        size: Spatial size of the result, as a number or one per dimension.
        scale_factor: Factor by which each spatial dimension grows.
        mode: ``"nearest"``, ``"nearest-exact"``, ``"linear"``, ``"bilinear"``,
            ``"bicubic"``, ``"trilinear"`` or ``"area"``.
        align_corners: Whether the corner pixels of input and output lie on each other.
        recompute_scale_factor: Whether the factor is computed again from the sizes.
        antialias: Whether to blur while shrinking.

    >>> x = torch.tensor([[[1.0, 2.0]]])
    >>> torch.nn.functional.interpolate(x, scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])

    Defined in ``pellucid/ops/nn/resize.py``.
    """

def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: _bool | None = None,
    reduce: _bool | None = None,
    reduction: _str = "mean",
    log_target: _bool = False,
) -> Tensor:
    """Return the Kullback-Leibler divergence of log-probabilities from target probabilities.

    ``target * (log(target) - input)``.

    ``reduction`` may also be "batchmean", the divergence per row.

    Args:
        input: Logarithms of probabilities.
        target: Tensor in the shape of ``input``.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.
        log_target: Whether ``target`` holds logarithms of probabilities.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

    Raises:
        RuntimeError: If the input is of integers.

    >>> half = torch.tensor([[0.5, 0.5]])
    >>> torch.nn.functional.kl_div(half.log(), half, reduction="batchmean")
    tensor(0.)

    Defined in ``pellucid/ops/nn/likelihood_loss.py``.
    """

def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: _bool | None = None,
    reduce: _bool | None = None,
    reduction: _str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Return the mean absolute difference of input and target.

    Args:
        input: Floating point tensor of any shape.
        target: Tensor in the shape of ``input``.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.
        weight: Weight of each element, in the shape of ``input``; ``None`` for 1.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

    >>> torch.nn.functional.l1_loss(torch.tensor([1.0, -2.0]), torch.zeros(2))
    tensor(1.5000)

    Defined in ``pellucid/ops/nn/loss.py``.
    """

def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[_int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: _float = 1e-05,
) -> Tensor:
    """Normalise over the last dimensions, whose sizes are given, then scale and shift.

    ``(x - mean) / sqrt(var + eps) * weight + bias``. Source: Ba, Kiros and Hinton, "Layer
    Normalization", 2016.

    Args:
        input: Tensor ``[*, *normalized_shape]``.
        normalized_shape: Sizes of the last dimensions, over which to normalize.
        weight: Factor of each channel or normalized element, or ``None``.
        bias: Shift of each channel or normalized element, or ``None``.
        eps: Small number that keeps a divisor from 0.

    >>> torch.nn.functional.layer_norm(torch.tensor([[1.0, 3.0]]), (2,))
    tensor([[-1.0000,  1.0000]])

    Defined in ``pellucid/ops/nn/norm.py``.
    """

def leaky_relu(input: Tensor, negative_slope: _float = 0.01, inplace: _bool = False) -> Tensor:
    """Apply the leaky ReLU: x if x > 0, otherwise ``negative_slope * x``.

    Args:
        input: Floating-point tensor of any shape.
        negative_slope: Slope for negative numbers.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.leaky_relu(torch.tensor([-1.0, 2.0]), 0.5)
    tensor([-0.5000,  2.0000])

    Defined in ``pellucid/nn/inplace_activations.py``.
    """

def leaky_relu_(input: Tensor, negative_slope: _int | _float | _complex | Tensor = 0.01) -> Tensor:
    """In-place version of :func:`leaky_relu`: write the result into the first operand.

    Args:
        input: Tensor of any shape.
        negative_slope: Slope for negative inputs.

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Apply the affine map ``input @ weight.T + bias`` to the last dimension.

    Shapes: input ``[*, in]``, weight ``[out, in]`` or ``[in]``, bias ``[out]``. Raises RuntimeError
    where sizes or dtypes differ.

    Args:
        input: Tensor ``[*, in_features]``.
        weight: Matrix ``[out_features, in_features]``.
        bias: Vector ``[out_features]``, or ``None``.

    >>> torch.nn.functional.linear(torch.ones(2, 3), torch.ones(4, 3), torch.ones(4)).shape
    torch.Size([2, 4])

    Defined in ``pellucid/ops/linalg/matmul.py``.
    """

def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: _str = "mean",
    ignore_index: _int | None = None,
    label_smoothing: _float = 0.0,
    options: Any = None,
) -> Tensor:
    """Return the cross entropy between a linear layer's scores and targets.

    Shapes: input ``[N, in]`` or ``[in]``, linear_weight ``[C, *S, in]``, linear_bias ``[C, *S]``,
    target class indices (int64) ``[N, *S]`` or probabilities ``[N, C, *S]``, weight ``[C]``. With
    ``options`` (`LinearCrossEntropyOptions`) only some rows' scores are in memory at any time.
    Raises RuntimeError where shapes do not match.

    Args:
        input: Features ``[N, D]``.
        linear_weight: Weight ``[C, D]`` of the linear layer.
        target: Class indices (int64) ``[N]``.
        linear_bias: Bias ``[C]`` of the linear layer, or ``None``.
        weight: Tensor of weights.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.
        ignore_index: Class that counts for nothing.
        label_smoothing: Share of the target spread evenly over all classes, between 0 and
            1.
        options: More options.

    >>> F = torch.nn.functional
    >>> F.linear_cross_entropy(torch.ones(1, 3), torch.ones(2, 3), torch.tensor([1]))
    tensor(0.6931)

    Defined in ``pellucid/ops/nn/linear_loss.py``.
    """

def local_response_norm(
    input: Tensor, size: _int, alpha: _float = 0.0001, beta: _float = 0.75, k: _float = 1.0
) -> Tensor:
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

    Defined in ``pellucid/ops/nn/norm.py``.
    """

def log_softmax(
    input: Tensor, dim: _int | None = None, _stacklevel: _int = 3, dtype: _dtype | None = None
) -> Tensor:
    """Return the logarithm of `softmax`, exact where probabilities vanish.

    Args:
        input: Floating point tensor of any shape.
        dim: Dimension along which the results add up to 1.
        dtype: Dtype to compute in, floating point.

    >>> torch.nn.functional.log_softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([-0.6931, -0.6931])

    Defined in ``pellucid/ops/nn/softmax.py``.
    """

def logsigmoid(input: Tensor) -> Tensor:
    """Return the logarithm of the sigmoid, exact in both tails.

    Dtypes:
        Booleans, integers and complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.nn.functional.logsigmoid(torch.tensor([0.0, -100.0]))
    tensor([  -0.6931, -100.0000])

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def lp_pool1d(
    input: Tensor,
    norm_type: _float,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    ceil_mode: _bool = False,
) -> Tensor:
    """Return the p-norm of each window of ``[N, C, L]`` or ``[C, L]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch.
        norm_type: Order of the norm.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, as a number or one per spatial dimension.
        ceil_mode: Whether the last, incomplete window counts too.

    >>> torch.nn.functional.lp_pool1d(torch.tensor([[3.0, 4.0]]), 2, 2)
    tensor([[5.]])

    Defined in ``pellucid/ops/nn/power_pool.py``.
    """

def lp_pool2d(
    input: Tensor,
    norm_type: _float,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    ceil_mode: _bool = False,
) -> Tensor:
    """Return the p-norm of each window of images.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch.
        norm_type: Order of the norm.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, as a number or one per spatial dimension.
        ceil_mode: Whether the last, incomplete window counts too.

    >>> torch.nn.functional.lp_pool2d(torch.ones(1, 4, 4), 1, 2)
    tensor([[[4., 4.],
             [4., 4.]]])

    Defined in ``pellucid/ops/nn/power_pool.py``.
    """

def lp_pool3d(
    input: Tensor,
    norm_type: _float,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    ceil_mode: _bool = False,
) -> Tensor:
    """Return the p-norm of each window of volumes.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch.
        norm_type: Order of the norm.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, as a number or one per spatial dimension.
        ceil_mode: Whether the last, incomplete window counts too.

    >>> torch.nn.functional.lp_pool3d(torch.ones(1, 2, 2, 2), 1, 2)
    tensor([[[[8.]]]])

    Defined in ``pellucid/ops/nn/power_pool.py``.
    """

def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: _float = 0.0,
    size_average: _bool | None = None,
    reduce: _bool | None = None,
    reduction: _str = "mean",
) -> Tensor:
    """Return ``max(0, margin - target * (input1 - input2))``; a target of 1 wants the first larger.

    Args:
        input1: First tensor.
        input2: Second tensor.
        target: 1 or -1 for each pair.
        margin: Margin between the values of right and wrong pairs.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

    Raises:
        RuntimeError: If the tensors have different numbers of dimensions.

    >>> one, two = torch.tensor([1.0]), torch.tensor([2.0])
    >>> torch.nn.functional.margin_ranking_loss(one, two, torch.tensor([1.0]))
    tensor(1.)

    Defined in ``pellucid/ops/nn/margin_loss.py``.
    """

@overload
def max_pool1d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """Take the largest element of each window of ``[N, C, L]`` or ``[C, L]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.max_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[3., 2.]])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

@overload
def max_pool1d(
    input: Tensor,
    *,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[True],
) -> tuple[Tensor, ...]:
    """Take the largest element of each window of ``[N, C, L]`` or ``[C, L]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.max_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[3., 2.]])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

@overload
def max_pool1d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> Tensor | tuple[Tensor, ...]:
    """Take the largest element of each window of ``[N, C, L]`` or ``[C, L]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.max_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[3., 2.]])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> tuple[Tensor, ...]:
    """Pool as `max_pool1d`, and return the index of each maximum.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> out, places = torch.nn.functional.max_pool1d_with_indices(torch.ones(1, 2), 2)
    >>> places.flatten()
    tensor([0])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

@overload
def max_pool2d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """Take the largest element of each window of ``[N, C, H, W]`` or ``[C, H, W]``.

    With ``return_indices``, return also the indices of these elements in the flattened images.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.max_pool2d(torch.arange(16.0).reshape(1, 4, 4), 2)
    tensor([[[ 5.,  7.],
             [13., 15.]]])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

@overload
def max_pool2d(
    input: Tensor,
    *,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[True],
) -> tuple[Tensor, ...]:
    """Take the largest element of each window of ``[N, C, H, W]`` or ``[C, H, W]``.

    With ``return_indices``, return also the indices of these elements in the flattened images.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.max_pool2d(torch.arange(16.0).reshape(1, 4, 4), 2)
    tensor([[[ 5.,  7.],
             [13., 15.]]])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

@overload
def max_pool2d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> Tensor | tuple[Tensor, ...]:
    """Take the largest element of each window of ``[N, C, H, W]`` or ``[C, H, W]``.

    With ``return_indices``, return also the indices of these elements in the flattened images.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.max_pool2d(torch.arange(16.0).reshape(1, 4, 4), 2)
    tensor([[[ 5.,  7.],
             [13., 15.]]])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> tuple[Tensor, ...]:
    """Pool as `max_pool2d`, and return the index of each maximum in its flattened image.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> out, places = torch.nn.functional.max_pool2d_with_indices(torch.ones(1, 2, 2), 2)
    >>> places.flatten()
    tensor([0])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

@overload
def max_pool3d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """Take the largest element of each window of ``[N, C, D, H, W]`` or ``[C, D, H, W]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.max_pool3d(torch.ones(1, 4, 4, 4), 2).shape
    torch.Size([1, 2, 2, 2])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

@overload
def max_pool3d(
    input: Tensor,
    *,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[True],
) -> tuple[Tensor, ...]:
    """Take the largest element of each window of ``[N, C, D, H, W]`` or ``[C, D, H, W]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.max_pool3d(torch.ones(1, 4, 4, 4), 2).shape
    torch.Size([1, 2, 2, 2])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

@overload
def max_pool3d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> Tensor | tuple[Tensor, ...]:
    """Take the largest element of each window of ``[N, C, D, H, W]`` or ``[C, D, H, W]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.max_pool3d(torch.ones(1, 4, 4, 4), 2).shape
    torch.Size([1, 2, 2, 2])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> tuple[Tensor, ...]:
    """Pool as `max_pool3d`, and return the index of each maximum in its flattened volume.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> out, places = torch.nn.functional.max_pool3d_with_indices(torch.ones(1, 2, 2, 2), 2)
    >>> places.flatten()
    tensor([0])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    output_size: _int | Sequence[_int] | None = None,
) -> Tensor:
    """Write the maxima of `max_pool1d` back to where they were found, zeros elsewhere.

    Args:
        input: Pooled tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch.
        indices: Indices that the pooling returned, in the shape of ``input``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, as a number or one per spatial dimension.
        padding: Zeros added on both sides, as a number or one per spatial dimension.
        output_size: Size of the result, as a number or one per spatial dimension.

    >>> F = torch.nn.functional
    >>> out, places = F.max_pool1d(torch.tensor([[1.0, 3.0]]), 2, return_indices=True)
    >>> F.max_unpool1d(out, places, 2)
    tensor([[0., 3.]])

    Defined in ``pellucid/ops/nn/unpool.py``.
    """

def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    output_size: _int | Sequence[_int] | None = None,
) -> Tensor:
    """Write the maxima of `max_pool2d` back to where they were found, zeros elsewhere.

    Args:
        input: Pooled tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch.
        indices: Indices that the pooling returned, in the shape of ``input``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, as a number or one per spatial dimension.
        padding: Zeros added on both sides, as a number or one per spatial dimension.
        output_size: Size of the result, as a number or one per spatial dimension.

    >>> F = torch.nn.functional
    >>> out, places = F.max_pool2d(torch.ones(1, 2, 4), 2, return_indices=True)
    >>> F.max_unpool2d(out, places, 2).sum()
    tensor(2.)

    Defined in ``pellucid/ops/nn/unpool.py``.
    """

def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    output_size: _int | Sequence[_int] | None = None,
) -> Tensor:
    """Write the maxima of `max_pool3d` back to where they were found, zeros elsewhere.

    Args:
        input: Pooled tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch.
        indices: Indices that the pooling returned, in the shape of ``input``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, as a number or one per spatial dimension.
        padding: Zeros added on both sides, as a number or one per spatial dimension.
        output_size: Size of the result, as a number or one per spatial dimension.

    >>> F = torch.nn.functional
    >>> out, places = F.max_pool3d(torch.ones(1, 2, 2, 4), 2, return_indices=True)
    >>> F.max_unpool3d(out, places, 2).sum()
    tensor(2.)

    Defined in ``pellucid/ops/nn/unpool.py``.
    """

def mish(input: Tensor, inplace: _bool = False) -> Tensor:
    """Apply the Mish activation: x tanh(softplus(x)).

    Source: Misra, "Mish: a self regularized non-monotonic neural activation function", 2019.

    Args:
        input: Floating-point tensor of any shape.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.mish(torch.tensor([-1.0, 2.0]))
    tensor([-0.3034,  1.9440])

    Defined in ``pellucid/nn/inplace_activations.py``.
    """

def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: _bool | None = None,
    reduce: _bool | None = None,
    reduction: _str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Return the mean squared difference of input and target.

    ``reduction`` is one of "mean", "sum", "none"; ``weight`` scales the squares. Warns where the
    shapes differ.

    Args:
        input: Floating point tensor of any shape.
        target: Tensor in the shape of ``input``.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.
        weight: Weight of each element, in the shape of ``input``; ``None`` for 1.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

    >>> torch.nn.functional.mse_loss(torch.tensor([1.0, 2.0]), torch.zeros(2))
    tensor(2.5000)

    Defined in ``pellucid/ops/nn/loss.py``.
    """

def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: _int | _float | _complex | Tensor,
    embed_dim_to_check: _int,
    num_heads: _int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: _bool,
    dropout_p: _float,
    out_proj_weight: Tensor | None,
    out_proj_bias: Tensor | None,
    training: _bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: _bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: _bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: _bool = True,
    is_causal: _bool = False,
) -> tuple[Tensor, ...]:
    """Attend with several heads; return the output and, if wanted, the weights.

    Shapes: query ``[L, N, E]``, key and value ``[S, N, *]``, or all without N; ``attn_mask``
    ``[L, S]`` or ``[N * heads, L, S]`` and ``key_padding_mask`` ``[N, S]``, either boolean (true:
    hidden) or added to the scores. The weights are ``[N, L, S]``, or ``[N, heads, L, S]`` unless
    averaged. Vaswani et al., "Attention is all you need" (2017).

    Args:
        query: Queries ``[L, N, E]``.
        key: Keys ``[S, N, E]``.
        value: Values ``[S, N, E]``.
        embed_dim_to_check: Number of features that ``query`` must have.
        num_heads: Number of heads.
        in_proj_weight: Weight ``[3 * E, E]`` of the input projection.
        in_proj_bias: Bias ``[3 * E]`` of the input projection.
        bias_k: Row added to the keys, or ``None``.
        bias_v: Row added to the values, or ``None``.
        add_zero_attn: Whether a row of zeros is added to keys and values.
        dropout_p: Probability with which a weight is dropped.
        out_proj_weight: Weight ``[E, E]`` of the output projection.
        out_proj_bias: Bias ``[E]`` of the output projection.
        training: Whether to draw; in evaluation the input is returned.
        key_padding_mask: Mask ``[N, S]`` of keys to leave out.
        need_weights: Whether to return the attention weights too.
        attn_mask: Boolean mask (true: take part) or numbers to add to the scores.
        use_separate_proj_weight: Whether the three projection weights are given apart.
        q_proj_weight: Weight of the projection of queries.
        k_proj_weight: Weight of the projection of keys.
        v_proj_weight: Weight of the projection of values.
        static_k: Keys to use instead of projected ones.
        static_v: Values to use instead of projected ones.
        average_attn_weights: Whether the weights are averaged over heads.
        is_causal: Whether a query sees earlier keys only.

    Raises:
        RuntimeError: If ``is_causal`` is set without ``attn_mask``.
        AssertionError: If the shapes do not fit.

    >>> x, w = torch.ones(3, 1, 4), torch.eye(4)
    >>> in_weight, bias = torch.cat([w, w, w]), torch.zeros(4)
    >>> out, weights = torch.nn.functional.multi_head_attention_forward(
    ...     x, x, x, 4, 2, in_weight, torch.zeros(12), None, None, False, 0.0, w, bias
    ... )
    >>> out.shape, weights.shape
    (torch.Size([3, 1, 4]), torch.Size([1, 3, 3]))

    Defined in ``pellucid/ops/nn/multihead.py``.
    """

def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: _int | _float | _complex = 1,
    margin: _float = 1.0,
    weight: Tensor | None = None,
    size_average: _bool | None = None,
    reduce: _bool | None = None,
    reduction: _str = "mean",
) -> Tensor:
    """Return the mean over classes of ``max(0, margin - score[target] + score) ** p``.

    Args:
        input: Scores ``[N, C]`` or ``[C]``.
        target: Class indices (int64) ``[N]``.
        p: Power of the violation: 1 or 2.
        margin: Margin between the values of right and wrong pairs.
        weight: Weight of each class ``[C]``; ``None`` for 1.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    Returns:
        The reduced loss ``[]``, or one loss per row with ``"none"``.

    Raises:
        ValueError: If ``p`` is neither 1 nor 2.

    >>> scores = torch.tensor([[0.1, 0.2, 0.4, 0.8]])
    >>> torch.nn.functional.multi_margin_loss(scores, torch.tensor([3]))
    tensor(0.3250)

    Defined in ``pellucid/ops/nn/margin_loss.py``.
    """

def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: _bool | None = None,
    reduce: _bool | None = None,
    reduction: _str = "mean",
) -> Tensor:
    """Sum ``max(0, 1 - (score[right] - score[wrong])) / C`` over all right and wrong classes.

    Shapes: scores ``[N, C]`` or ``[C]``, targets (int64) the same; each row of the targets lists
    the right classes, up to the first -1. Raises RuntimeError for other shapes.

    Args:
        input: Scores ``[N, C]`` or ``[C]``.
        target: Class indices (int64) ``[N, C]``, ended by -1.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    Returns:
        The reduced loss ``[]``, or one loss per row with ``"none"``.

    >>> scores = torch.tensor([[0.1, 0.2, 0.4, 0.8]])
    >>> torch.nn.functional.multilabel_margin_loss(scores, torch.tensor([[3, 0, -1, 1]]))
    tensor(0.8500)

    Defined in ``pellucid/ops/nn/multilabel.py``.
    """

def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: _bool | None = None,
    reduce: _bool | None = None,
    reduction: _str = "mean",
) -> Tensor:
    """Return the mean over classes of the binary cross entropy of scores (logits).

    Args:
        input: Floating point tensor of any shape.
        target: Tensor in the shape of ``input``.
        weight: Weight of each class ``[C]``; ``None`` for 1.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    Returns:
        The reduced loss ``[]``, or one loss per row with ``"none"``.

    >>> torch.nn.functional.multilabel_soft_margin_loss(torch.zeros(1, 2), torch.ones(1, 2))
    tensor(0.6931)

    Defined in ``pellucid/ops/nn/margin_loss.py``.
    """

def native_channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """Shuffle channels as `channel_shuffle` does; this is its name next to the kernels.

    Args:
        input: Tensor ``[*, C, H, W]``.
        groups: Number of groups of channels.

    >>> F = torch.nn.functional
    >>> F.native_channel_shuffle(torch.arange(4.0).reshape(1, 4, 1), 2).flatten()
    tensor([0., 2., 1., 3.])

    Defined in ``pellucid/ops/nn/channels.py``.
    """

def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: _bool | None = None,
    ignore_index: _int = -100,
    reduce: _bool | None = None,
    reduction: _str = "mean",
) -> Tensor:
    """Return minus the log-probability of each target's class.

    Shapes: input ``[N, C, *S]`` or ``[C]``, target (int64) ``[N, *S]`` or ``[]``, weight ``[C]``.
    Targets equal to ``ignore_index`` do not count; a mean divides by the sum of the weights.

    Args:
        input: Logarithms of probabilities ``[N, C, *S]`` or ``[C]``.
        target: Class indices (int64) ``[N, *S]`` or ``[]``.
        weight: Weight of each class ``[C]``, or ``None``.
        size_average: Old form of ``reduction``; leave it out.
        ignore_index: Class that counts for nothing.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    Returns:
        The reduced loss ``[]``, or one loss per target with ``"none"``: ``[N, *S]`` or ``[]``.

    >>> scores = torch.log_softmax(torch.zeros(1, 2), dim=1)
    >>> torch.nn.functional.nll_loss(scores, torch.tensor([1]))
    tensor(0.6931)

    Defined in ``pellucid/ops/nn/cross_entropy.py``.
    """

def normalize(
    input: Tensor,
    p: _int | _float | _complex = 2.0,
    dim: _int | Sequence[_int] = 1,
    eps: _float = 1e-12,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Divide vectors along a dimension by their norm, but by no less than ``eps``.

    Args:
        input: Floating point or complex tensor of any shape.
        p: Order of the norm.
        dim: Dimension or dimensions to reduce; all by default.
        eps: Small number that keeps a divisor from 0.

    >>> torch.nn.functional.normalize(torch.tensor([[3.0, 4.0]]))
    tensor([[0.6000, 0.8000]])

    Defined in ``pellucid/ops/reduce/statistics.py``.
    """

def one_hot(tensor: Tensor, num_classes: _int = -1) -> Tensor:
    """Write each class (int64) as a row with a one at its index and zeros elsewhere.

    Args:
        tensor: Class indices (int64) of any shape.
        num_classes: Number of classes; -1 for one more than the largest index.

    >>> torch.nn.functional.one_hot(torch.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])

    Defined in ``pellucid/ops/nn/embedding.py``.
    """

def pad(
    input: Tensor,
    pad: Sequence[_int],
    mode: _str = "constant",
    value: _int | _float | _complex | Tensor | None = None,
) -> Tensor:
    """Add elements at the ends of the last dimensions.

    ``pad`` holds two sizes per dimension, before and after, starting with the last dimension;
    negative sizes cut off. ``mode`` is "constant", "reflect", "replicate" or "circular".

    Args:
        input: Tensor of any shape.
        pad: Number of elements to add at each end, last dimension first.
        mode: ``"constant"``, ``"reflect"``, ``"replicate"`` or ``"circular"``.
        value: Value of new elements in the mode ``"constant"``.

    Raises:
        NotImplementedError: For another mode.
        RuntimeError: If the numbers do not fit the dimensions, or the mode takes no value.

    >>> torch.nn.functional.pad(torch.tensor([1.0, 2.0]), (1, 2))
    tensor([0., 1., 2., 0., 0.])

    Defined in ``pellucid/ops/nn/pad.py``.
    """

def pairwise_distance(
    x1: Tensor,
    x2: Tensor,
    p: _int | _float | _complex = 2.0,
    eps: _float = 1e-06,
    keepdim: _bool = False,
) -> Tensor:
    """Return the p-norm of the differences of corresponding rows, ``eps`` added to each difference.

    Args:
        x1: Points ``[N, D]`` or ``[D]``.
        x2: Points that broadcast with ``x1``.
        p: Order of the norm.
        eps: Small number that keeps a divisor from 0.
        keepdim: Whether reduced dimensions stay, with size 1.

    >>> torch.nn.functional.pairwise_distance(torch.ones(2, 4), torch.zeros(2, 4), eps=0.0)
    tensor([2., 2.])

    Defined in ``pellucid/ops/reduce/statistics.py``.
    """

def pdist(input: Tensor, p: _int | _float | _complex = 2.0) -> Tensor:
    """Return the p-norm distances of all pairs of rows: ``[n, d]`` to ``[n * (n - 1) / 2]``.

    The pairs are in the order (0, 1), (0, 2), ..., (1, 2), ... Raises RuntimeError for what is not
    a matrix of real floating-point numbers, and for a negative ``p``.

    Args:
        input: Floating-point matrix ``[n, d]`` of rows.
        p: Order of the norm.

    >>> torch.pdist(torch.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]))
    tensor([5.0000, 1.0000, 4.2426])

    Defined in ``pellucid/ops/linalg/distances.py``.
    """

def pixel_shuffle(input: Tensor, upscale_factor: _int) -> Tensor:
    """Turn channels into pixels: ``[*, C * r * r, H, W]`` to ``[*, C, H * r, W * r]``.

    Args:
        input: Tensor ``[*, C, H, W]``.
        upscale_factor: Factor by which height and width grow.

    Raises:
        RuntimeError: If the number of channels is not a multiple of the square of the factor.

    >>> torch.nn.functional.pixel_shuffle(torch.ones(1, 8, 2, 2), 2).shape
    torch.Size([1, 2, 4, 4])

    Defined in ``pellucid/ops/nn/channels.py``.
    """

def pixel_unshuffle(input: Tensor, downscale_factor: _int) -> Tensor:
    """Turn pixels into channels: ``[*, C, H * r, W * r]`` to ``[*, C * r * r, H, W]``.

    Args:
        input: Tensor ``[*, C, H, W]``.
        downscale_factor: Factor by which height and width shrink.

    Raises:
        RuntimeError: If height or width is not a multiple of the factor.

    >>> torch.nn.functional.pixel_unshuffle(torch.ones(1, 2, 4, 4), 2).shape
    torch.Size([1, 8, 2, 2])

    Defined in ``pellucid/ops/nn/channels.py``.
    """

def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: _bool = True,
    full: _bool = False,
    size_average: _bool | None = None,
    eps: _float = 1e-08,
    reduce: _bool | None = None,
    reduction: _str = "mean",
) -> Tensor:
    """Return minus the log-likelihood of counts under Poisson distributions.

    ``exp(input) - target * input``, or ``input - target * log(input + eps)`` of a rate.

    ``input`` is the rate or, by default, its logarithm; ``full`` adds Stirling's approximation of
    the logarithm of the factorial.

    Args:
        input: Floating point tensor of any shape.
        target: Tensor in the shape of ``input``.
        log_input: Whether ``input`` is the logarithm of the rate.
        full: Whether the constant terms of the likelihood are added.
        size_average: Old form of ``reduction``; leave it out.
        eps: Small number that keeps a divisor from 0.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

    >>> torch.nn.functional.poisson_nll_loss(torch.tensor([0.0]), torch.tensor([2.0]))
    tensor(1.)

    Defined in ``pellucid/ops/nn/likelihood_loss.py``.
    """

def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Multiply negative elements by a slope, one for all or one for each channel (dimension 1).

    Source: He et al., "Delving Deep into Rectifiers", 2015.

    Raises RuntimeError if the number of slopes is another.

    Args:
        input: Floating point tensor of any shape.
        weight: Slope for negative inputs: one, or one per channel.

    >>> torch.prelu(torch.tensor([[-1.0, -1.0]]), torch.tensor([0.1, 0.2]))
    tensor([[-0.1000, -0.2000]])

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def relu(input: Tensor, inplace: _bool = False) -> Tensor:
    """Apply the rectified linear unit: max(x, 0).

    Args:
        input: Real tensor of any shape.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.relu(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])

    Defined in ``pellucid/nn/inplace_activations.py``.
    """

def relu6(input: Tensor, inplace: _bool = False) -> Tensor:
    """Apply the rectified linear unit with an upper bound: min(max(x, 0), 6).

    Args:
        input: Real tensor of any shape.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.relu6(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])

    Defined in ``pellucid/nn/inplace_activations.py``.
    """

def relu_(input: Tensor) -> Tensor:
    """In-place version of :func:`relu`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[_int],
    weight: Tensor | None = None,
    eps: _float | None = None,
) -> Tensor:
    """Divide by the root of the mean square over the last dimensions, then scale.

    ``x / sqrt(mean(x ** 2) + eps) * weight``. Source: Zhang and Sennrich, "Root Mean Square Layer
    Normalization", 2019.

    Args:
        input: Tensor ``[*, *normalized_shape]``.
        normalized_shape: Sizes of the last dimensions, over which to normalize.
        weight: Factor of each channel or normalized element, or ``None``.
        eps: Small number that keeps a divisor from 0.

    Raises:
        ValueError: If the input has fewer dimensions than ``normalized_shape``.

    >>> torch.nn.functional.rms_norm(torch.tensor([[3.0, 3.0]]), (2,))
    tensor([[1., 1.]])

    Defined in ``pellucid/ops/nn/norm.py``.
    """

def rrelu(
    input: Tensor,
    lower: _float = 0.125,
    upper: _float = 0.3333333333333333,
    training: _bool = False,
    inplace: _bool = False,
) -> Tensor:
    """Apply the randomized leaky ReLU, whose slope of negative numbers is random in training.

    Source: Xu et al., "Empirical evaluation of rectified activations in convolutional network",
    2015.

    Args:
        input: Floating-point tensor of any shape.
        lower: Lower bound of the slope.
        upper: Upper bound of the slope.
        training: Whether slopes are random, instead of the mean of the bounds.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.rrelu(torch.tensor([-1.0, 2.0]), 0.25, 0.75)
    tensor([-0.5000,  2.0000])

    Defined in ``pellucid/nn/inplace_activations.py``.
    """

def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: _int | _float | _complex | Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: _float = 0.0,
    is_causal: _bool = False,
    scale: _float | None = None,
    enable_gqa: _bool = False,
) -> Tensor:
    """Return ``softmax(query @ key.mT * scale) @ value``.

    Shapes: query ``[*, L, E]``, key ``[*, S, E]``, value ``[*, S, Ev]``. A boolean mask says which
    keys take part, any other is added to the scores; ``is_causal`` lets query i see keys up to i.
    ``enable_gqa`` repeats the heads (third dimension from the end) of key and value as needed. A
    query that sees no key gets zeros. Vaswani et al., "Attention is all you need" (2017).

    Args:
        query: Queries ``[*, L, E]``.
        key: Keys ``[*, S, E]``.
        value: Values ``[*, S, F]``.
        attn_mask: Boolean mask (true: take part) or numbers to add to the scores.
        dropout_p: Probability with which a weight is dropped.
        is_causal: Whether a query sees earlier keys only.
        scale: Factor of the scores; by default one over the square root of ``E``.
        enable_gqa: Whether fewer heads of keys and values are shared by groups of query
            heads.

    Raises:
        RuntimeError: If there are both ``attn_mask`` and ``is_causal``.

    >>> q, k, v = torch.ones(1, 2, 4), torch.ones(1, 3, 4), torch.ones(1, 3, 5)
    >>> torch.nn.functional.scaled_dot_product_attention(q, k, v).shape
    torch.Size([1, 2, 5])

    Defined in ``pellucid/ops/nn/attention.py``.
    """

def selu(input: Tensor, inplace: _bool = False) -> Tensor:
    """Apply the scaled ELU, which preserves mean 0 and variance 1.

    Source: Klambauer et al., "Self-normalizing neural networks", 2017.

    Args:
        input: Floating-point tensor of any shape.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.selu(torch.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])

    Defined in ``pellucid/nn/inplace_activations.py``.
    """

def selu_(input: Tensor) -> Tensor:
    """Apply `selu` in place.

    Args:
        input: Tensor to change, of any shape.

    Defined in ``pellucid/tensors/inplace_methods.py``.
    """

def sigmoid(input: Tensor) -> Tensor:
    """Return ``1 / (1 + exp(-input))``.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.sigmoid(torch.tensor([0.0, 2.0]))
    tensor([0.5000, 0.8808])

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def silu(input: Tensor, inplace: _bool = False) -> Tensor:
    """Apply the sigmoid linear unit: x times the sigmoid of x.

    Args:
        input: Floating-point tensor of any shape.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.silu(torch.tensor([-1.0, 2.0]))
    tensor([-0.2689,  1.7616])

    Defined in ``pellucid/nn/inplace_activations.py``.
    """

def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: _bool | None = None,
    reduce: _bool | None = None,
    reduction: _str = "mean",
    beta: _float = 1.0,
) -> Tensor:
    """Return the absolute difference, squared where it is below ``beta``.

    ``d ** 2 / (2 * beta)`` for a difference ``|d| < beta``, otherwise ``|d| - beta / 2``. Source:
    Girshick, "Fast R-CNN", 2015.

    Args:
        input: Floating point tensor of any shape.
        target: Tensor in the shape of ``input``.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.
        beta: Error from which on the loss is linear.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

    Raises:
        RuntimeError: If ``beta`` is negative.

    >>> torch.nn.functional.smooth_l1_loss(torch.tensor([0.5, 2.0]), torch.zeros(2))
    tensor(0.8125)

    Defined in ``pellucid/ops/nn/loss.py``.
    """

def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: _bool | None = None,
    reduce: _bool | None = None,
    reduction: _str = "mean",
) -> Tensor:
    """Return ``log(1 + exp(-target * input))`` for targets of 1 and -1.

    Args:
        input: Floating point tensor of any shape.
        target: 1 or -1 for each element.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

    Raises:
        RuntimeError: If the target requires grad.

    >>> torch.nn.functional.soft_margin_loss(torch.tensor([0.0]), torch.tensor([1.0]))
    tensor(0.6931)

    Defined in ``pellucid/ops/nn/margin_loss.py``.
    """

def softmax(
    input: Tensor, dim: _int | None = None, _stacklevel: _int = 3, dtype: _dtype | None = None
) -> Tensor:
    """Divide exponentials by their sum along a dimension.

    Args:
        input: Floating point tensor of any shape.
        dim: Dimension along which the results add up to 1.
        dtype: Dtype to compute in, floating point.

    >>> torch.nn.functional.softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])

    Defined in ``pellucid/ops/nn/softmax.py``.
    """

def softmin(
    input: Tensor, dim: _int | None = None, _stacklevel: _int = 3, dtype: _dtype | None = None
) -> Tensor:
    """Return `softmax` of the negated elements.

    Args:
        input: Floating point tensor of any shape.
        dim: Dimension along which the results add up to 1.
        dtype: Dtype to compute in, floating point.

    >>> torch.nn.functional.softmin(torch.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])

    Defined in ``pellucid/ops/nn/softmax.py``.
    """

def softplus(
    input: Tensor,
    beta: _int | _float | _complex | Tensor = 1,
    threshold: _int | _float | _complex | Tensor = 20,
) -> Tensor:
    """Return ``log(1 + exp(beta * input)) / beta``, the input itself beyond the threshold.

    Dtypes:
        Booleans, integers and complex numbers are refused.

    Args:
        input: Tensor of any shape.
        beta: Steepness of the curve.
        threshold: Inputs whose product with ``beta`` is above this pass unchanged.

    >>> torch.nn.functional.softplus(torch.tensor([0.0, 30.0]))
    tensor([ 0.6931, 30.0000])

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def softshrink(input: Tensor, lambd: _int | _float | _complex | Tensor = 0.5) -> Tensor:
    """Move towards 0 by ``lambd``, and not beyond; raise RuntimeError if that is negative.

    Dtypes:
        Booleans, integers and complex numbers are refused.

    Args:
        input: Tensor of any shape.
        lambd: Half the width of the interval that becomes 0.

    >>> torch.nn.functional.softshrink(torch.tensor([0.2, -2.0]))
    tensor([ 0.0000, -1.5000])

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def softsign(input: Tensor) -> Tensor:
    """Return ``input / (1 + abs(input))``.

    Args:
        input: Floating point tensor of any shape.

    >>> torch.nn.functional.softsign(torch.tensor([-1.0, 3.0]))
    tensor([-0.5000,  0.7500])

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def tanh(input: Tensor) -> Tensor:
    """Return the hyperbolic tangent.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.tanh(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def tanhshrink(input: Tensor) -> Tensor:
    """Return ``input - tanh(input)``.

    Args:
        input: Floating point tensor of any shape.

    >>> torch.nn.functional.tanhshrink(torch.tensor([0.0, 2.0]))
    tensor([0.0000, 1.0360])

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def threshold(
    input: Tensor,
    threshold: _float,
    value: _int | _float | _complex | Tensor,
    inplace: _bool = False,
) -> Tensor:
    """Replace elements up to a threshold by a value.

    Args:
        input: Real tensor of any shape.
        threshold: Elements above it are kept.
        value: Replacement of the others.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.threshold(torch.tensor([-1.0, 2.0]), 0.0, 5.0)
    tensor([5., 2.])

    Defined in ``pellucid/nn/inplace_activations.py``.
    """

def threshold_(
    input: Tensor,
    threshold: _int | _float | _complex | Tensor,
    value: _int | _float | _complex | Tensor,
) -> Tensor:
    """In-place version of :func:`threshold`: write the result into the first operand.

    Args:
        input: Tensor of any shape.
        threshold: Inputs above this pass unchanged.
        value: What replaces inputs that are not above ``threshold``.

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: _float = 1.0,
    p: _int | _float | _complex = 2,
    eps: _float = 1e-06,
    swap: _bool = False,
    size_average: _bool | None = None,
    reduce: _bool | None = None,
    reduction: _str = "mean",
) -> Tensor:
    """Return how much is missing for the positive to be nearer by ``margin`` than the negative.

    ``max(0, |anchor - positive| - |anchor - negative| + margin)`` with p-norms.

    ``swap`` takes the distance between positive and negative where that is smaller.

    Args:
        anchor: Tensor ``[N, D]`` of reference points.
        positive: Tensor ``[N, D]`` of points that belong to the anchors.
        negative: Tensor ``[N, D]`` of points that do not.
        margin: Margin between the values of right and wrong pairs.
        p: Order of the norm of the distance.
        eps: Small number that keeps a divisor from 0.
        swap: Whether the distance from positive to negative is used where it is smaller.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    Returns:
        The reduced loss ``[]``, or one loss per row with ``"none"``.

    >>> a, b, c = torch.zeros(1, 2), torch.ones(1, 2), torch.zeros(1, 2)
    >>> torch.nn.functional.triplet_margin_loss(a, b, c)
    tensor(2.4142)

    Defined in ``pellucid/ops/nn/margin_loss.py``.
    """

def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Any = None,
    margin: _float = 1.0,
    swap: _bool = False,
    reduction: _str = "mean",
) -> Tensor:
    """Return the loss of `triplet_margin_loss` for any function that measures distances.

    Args:
        anchor: Tensor ``[N, D]`` of reference points.
        positive: Tensor ``[N, D]`` of points that belong to the anchors.
        negative: Tensor ``[N, D]`` of points that do not.
        margin: Margin between the values of right and wrong pairs.
        swap: Whether the distance from positive to negative is used where it is smaller.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.
        distance_function: Function of two tensors; by default the Euclidean distance.

    Raises:
        ValueError: If ``margin`` is not positive.

    >>> a, b, c = torch.zeros(1, 2), torch.ones(1, 2), torch.zeros(1, 2)
    >>> torch.nn.functional.triplet_margin_with_distance_loss(a, b, c)
    tensor(2.4142)

    Defined in ``pellucid/ops/nn/margin_loss.py``.
    """

def unfold(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    dilation: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | _str = 0,
    stride: _int | Sequence[_int] = 1,
) -> Tensor:
    """Cut images ``[N, C, H, W]`` into patches, one per column: ``[N, C * kH * kW, L]``.

    Args:
        input: Images ``[N, C, H, W]`` (`unfold`), or columns ``[N, C * kH * kW, L]``
            (`fold`); the batch may be missing.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        padding: Zeros added on both sides, as a number or one per spatial dimension.
        stride: Step between windows, as a number or one per spatial dimension.

    Raises:
        RuntimeError: If the input has neither three nor four dimensions, or no patch fits in it.

    >>> torch.nn.functional.unfold(torch.ones(1, 3, 4, 4), 2).shape
    torch.Size([1, 12, 9])

    Defined in ``pellucid/ops/nn/patches.py``.
    """

def upsample(
    input: Tensor,
    size: _int | Sequence[_int] | None = None,
    scale_factor: _float | Sequence[_float] | None = None,
    mode: _str = "nearest",
    align_corners: _bool | None = None,
) -> Tensor:
    """Resize images; the older name of `interpolate`.

    Args:
        input: Images ``[N, C, *S]`` with one to three spatial dimensions ``S``.
        size: Spatial size of the result, as a number or one per dimension.
        scale_factor: Factor by which each spatial dimension grows.
        mode: ``"nearest"``, ``"nearest-exact"``, ``"linear"``, ``"bilinear"``,
            ``"bicubic"``, ``"trilinear"`` or ``"area"``.
        align_corners: Whether the corner pixels of input and output lie on each other.

    >>> torch.nn.functional.upsample(torch.ones(1, 1, 2), size=4).shape
    torch.Size([1, 1, 4])

    Defined in ``pellucid/ops/nn/resize.py``.
    """

def upsample_bilinear(
    input: Tensor,
    size: _int | Sequence[_int] | None = None,
    scale_factor: _float | Sequence[_float] | None = None,
) -> Tensor:
    """Resize images bilinearly with aligned corners; an older name of `interpolate`.

    Args:
        input: Images ``[N, C, *S]`` with one to three spatial dimensions ``S``.
        size: Spatial size of the result, as a number or one per dimension.
        scale_factor: Factor by which each spatial dimension grows.

    >>> torch.nn.functional.upsample_bilinear(torch.ones(1, 1, 2, 2), 4).shape
    torch.Size([1, 1, 4, 4])

    Defined in ``pellucid/ops/nn/resize.py``.
    """

def upsample_nearest(
    input: Tensor,
    size: _int | Sequence[_int] | None = None,
    scale_factor: _float | Sequence[_float] | None = None,
) -> Tensor:
    """Resize images by repeating pixels; an older name of `interpolate`.

    Args:
        input: Images ``[N, C, *S]`` with one to three spatial dimensions ``S``.
        size: Spatial size of the result, as a number or one per dimension.
        scale_factor: Factor by which each spatial dimension grows.

    >>> torch.nn.functional.upsample_nearest(torch.ones(1, 1, 2), 4).shape
    torch.Size([1, 1, 4])

    Defined in ``pellucid/ops/nn/resize.py``.
    """
