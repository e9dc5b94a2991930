"""Normalization within a sample."""

from __future__ import annotations

from typing import Any

from pellucid.errors import ArgumentError
from pellucid.nn import functional, init
from pellucid.nn.modules.module import Module, weight_and_bias
from pellucid.nn.parameter import Parameter
from pellucid.tensors import Tensor
from pellucid.tensors.creation import ones, zeros
from pellucid.tensors.ranges import arange


class LayerNorm(Module):
    """Layer normalization over the last dims.

    Source: Ba, Kiros and Hinton, "Layer normalization", 2016.

    Args:
        normalized_shape: Sizes of the last dims, an int or a list.
        eps: Number added to the variance for numerical stability.
        elementwise_affine: Whether to learn a weight, and with ``bias`` a bias, for each element.
        bias: Whether to learn a bias.
        device: Device of the parameters; the CPU is the only one.
        dtype: Floating-point dtype of the parameters; the default dtype if None.

    Shape:
        Input and output: ``[*, *normalized_shape]``.

    Attributes:
        weight: Scale of shape ``normalized_shape``, or None.
        bias: Shift of shape ``normalized_shape``, or None.

    >>> torch.nn.LayerNorm(2)(torch.tensor([1.0, 3.0])).detach()
    tensor([-1.0000,  1.0000])
    """

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True,
        bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        sizes = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
        self.normalized_shape = tuple(sizes)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        shape, factory = self.normalized_shape, {"device": device, "dtype": dtype}
        scaled = elementwise_affine
        self.register_parameter("weight", Parameter(ones(shape, **factory)) if scaled else None)
        shifted = elementwise_affine and bias
        self.register_parameter("bias", Parameter(zeros(shape, **factory)) if shifted else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reset weights to 1 and biases to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        weight, bias = weight_and_bias(self)
        return functional.layer_norm(input, self.normalized_shape, weight, bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
            f", bias={self.bias is not None}"
        )


class GroupNorm(Module):
    """Group normalization: groups of channels of each sample are normalized.

    Source: Wu and He, "Group normalization", 2018.

    Args:
        num_groups: Number of groups; divides ``num_channels``.
        num_channels: Number of channels C.
        eps, device, dtype, bias: As for `LayerNorm`.
        affine: Whether to learn a weight, and with ``bias`` a bias, for each channel.

    Shape:
        Input and output: ``[N, C, *]``.

    Attributes:
        weight: Scale of shape ``[C]``, or None.
        bias: Shift of shape ``[C]``, or None.

    Raises:
        ValueError: If ``num_groups`` does not divide ``num_channels``.

    >>> torch.nn.GroupNorm(2, 4)(torch.rand(1, 4, 3)).shape
    torch.Size([1, 4, 3])
    """

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True,
        device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        if num_channels % num_groups:
            raise ArgumentError(
                f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})"
            )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        factory = {"device": device, "dtype": dtype}
        self.register_parameter(
            "weight", Parameter(ones(num_channels, **factory)) if affine else None
        )
        shifted = affine and bias
        self.register_parameter(
            "bias", Parameter(zeros(num_channels, **factory)) if shifted else None
        )

    def reset_parameters(self) -> None:
        """Reset weights to 1 and biases to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return functional.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Root mean square normalization over the last dims.

    Source: Zhang and Sennrich, "Root mean square layer normalization", 2019.

    Args:
        normalized_shape: Sizes of the last dims, an int or a list.
        eps: Number added to the mean square; the eps of the dtype if None.
        elementwise_affine: Whether to learn a weight for each element.
        device, dtype: As for `LayerNorm`.

    Shape:
        Input and output: ``[*, *normalized_shape]``.

    Attributes:
        weight: Scale of shape ``normalized_shape``, or None.

    >>> torch.nn.RMSNorm(2)(torch.tensor([3.0, 3.0])).detach()
    tensor([1., 1.])
    """

    def __init__(
        self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        sizes = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
        self.normalized_shape = tuple(sizes)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        scale = ones(self.normalized_shape, device=device, dtype=dtype)
        self.register_parameter("weight", Parameter(scale) if elementwise_affine else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reset weights to 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        return functional.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class LocalResponseNorm(Module):
    """Local response normalization across neighboring channels.

    The input is divided by (k + alpha * mean of the squares of ``size`` neighboring
    channels)**beta. Source: see ``CrossMapLRN2d``.

    Args:
        size: Number of channels.
        alpha: Factor of the mean square.
        beta: Exponent.
        k: Additive constant.

    Shape:
        Input and output: ``[N, C, *]``.

    >>> torch.nn.LocalResponseNorm(2)(torch.rand(1, 4, 3)).shape
    torch.Size([1, 4, 3])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        return functional.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(Module):
    """Local response normalization of images across neighboring channels.

    As in PyTorch, the first channel counts among the neighbors of all channels that lie further
    than ``size / 2`` from it; ``LocalResponseNorm`` does not have this property. Source:
    Krizhevsky, Sutskever and Hinton, "ImageNet classification with deep convolutional neural
    networks", 2012.

    Args: As for `LocalResponseNorm`.

    Shape:
        Input and output: ``[N, C, H, W]``.

    Raises:
        ValueError: If the input does not have 4 dims.

    >>> torch.nn.CrossMapLRN2d(3, alpha=3.0, beta=1.0)(torch.ones(1, 1, 1, 1))
    tensor([[[[0.5000]]]])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() != 4:
            raise ArgumentError(
                f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead."
            )
        reach = (self.size - 1) // 2 + 1
        channels = arange(input.shape[1])
        distance = channels - channels.unsqueeze(1)
        near = (distance < reach) & ((distance > -reach) | (channels == 0))
        squares = (near.to(input.dtype) @ (input * input).flatten(2)).reshape(input.shape)
        return input * (self.k + self.alpha / self.size * squares) ** -self.beta

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
