"""Dropout: leaving out parts at random while training."""

from __future__ import annotations

from typing import Any

from pellucid.errors import ArgumentError
from pellucid.nn import functional
from pellucid.nn.modules.module import Module


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
    """Set elements to zero with probability ``p`` while training, and scale up the others.

    Srivastava et al., "Dropout: a simple way to prevent neural networks from overfitting", 2014.

    >>> import pellucid as torch
    >>> torch.nn.Dropout().eval()(torch.ones(3))
    tensor([1., 1., 1.])
    """

    def forward(self, input: Any) -> Any:
        return functional.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Set whole channels of ``[N, C, L]`` to zero with probability ``p`` while training."""

    def forward(self, input: Any) -> Any:
        return functional.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Set whole channels of ``[N, C, H, W]`` to zero with probability ``p`` while training."""

    def forward(self, input: Any) -> Any:
        return functional.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Set whole channels of ``[N, C, D, H, W]`` to zero with probability ``p`` while training."""

    def forward(self, input: Any) -> Any:
        return functional.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Drop elements to the floor of SELU while training, keeping mean and variance.

    Klambauer et al., "Self-normalizing neural networks", 2017.
    """

    def forward(self, input: Any) -> Any:
        return functional.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """Do as `AlphaDropout` does, for whole channels."""

    def forward(self, input: Any) -> Any:
        return functional.feature_alpha_dropout(input, self.p, self.training)
