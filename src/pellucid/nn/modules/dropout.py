"""Dropout layers, which set elements or channels to zero at random in training."""

from __future__ import annotations

from pellucid.errors import ArgumentError
from pellucid.nn import functional
from pellucid.nn.modules.module import Module
from pellucid.tensors import Tensor


class _DropoutNd(Module):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ArgumentError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Layer that sets elements to zero with probability ``p`` in training.

    The others are multiplied by 1 / (1 - p). Source: Srivastava et al., "Dropout: a simple way to
    prevent neural networks from overfitting", 2014.

    Args:
        p: Probability of an element to be zeroed.
        inplace: Whether to write the result into the input.

    Shape:
        Input and output: (*), any shape, of floating-point dtype.

    Raises:
        ValueError: If ``p`` is outside [0, 1].

    >>> torch.nn.Dropout().eval()(torch.ones(3))
    tensor([1., 1., 1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Layer that sets whole channels of sequences to zero with probability ``p`` in training.

    Args:
        p: Probability of a channel to be zeroed.
        inplace: Whether to write the result into the input.

    Shape:
        Input and output: ``[N, C, L]`` or ``[C, L]``.

    Raises:
        ValueError: If ``p`` is outside [0, 1].

    >>> torch.nn.Dropout1d(1.0)(torch.ones(1, 1, 3))
    tensor([[[0., 0., 0.]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Layer that sets whole channels of images to zero with probability ``p`` in training.

    Args: As for `Dropout1d`.

    Shape:
        Input and output: ``[N, C, H, W]``.

    Raises:
        ValueError: If ``p`` is outside [0, 1].

    >>> torch.nn.Dropout2d(1.0)(torch.ones(1, 1, 1, 3))
    tensor([[[[0., 0., 0.]]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Layer that sets whole channels of volumes to zero with probability ``p`` in training.

    Args: As for `Dropout1d`.

    Shape:
        Input and output: ``[N, C, D, H, W]`` or ``[C, D, H, W]``.

    Raises:
        ValueError: If ``p`` is outside [0, 1].

    >>> torch.nn.Dropout3d(1.0)(torch.ones(1, 1, 1, 1, 3))
    tensor([[[[[0., 0., 0.]]]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Dropout for SELU networks, which preserves mean and variance.

    Elements are set to the lower limit of SELU instead of zero. Source: Klambauer et al.,
    "Self-normalizing neural networks", 2017.

    Args:
        p: Probability of an element to be dropped.
        inplace: Whether to write the result into the input.

    Shape:
        Input and output: (*), any shape, of floating-point dtype.

    Raises:
        ValueError: If ``p`` is outside [0, 1].

    >>> torch.nn.AlphaDropout().eval()(torch.ones(3))
    tensor([1., 1., 1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """``AlphaDropout`` of whole channels.

    Args:
        p: Probability of a channel to be dropped.
        inplace: Whether to write the result into the input.

    Shape:
        Input and output: ``[N, C, *]``.

    Raises:
        ValueError: If ``p`` is outside [0, 1].

    >>> torch.nn.FeatureAlphaDropout().eval()(torch.ones(1, 3))
    tensor([[1., 1., 1.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.feature_alpha_dropout(input, self.p, self.training)
