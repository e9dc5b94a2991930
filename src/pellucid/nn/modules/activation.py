"""Activations as modules."""

from __future__ import annotations

from typing import Any

from pellucid import functional
from pellucid.nn.modules.module import Module


class _Inplace(Module):
    """Hold the choice to write the result into the input."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class ReLU(_Inplace):
    """Return max(x, 0).

    >>> import pellucid as torch
    >>> torch.nn.ReLU()(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def forward(self, input: Any) -> Any:
        return functional.relu(input, inplace=True) if self.inplace else functional.relu(input)


class Hardtanh(_Inplace):
    """Return x, held between ``min_val`` and ``max_val``."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.min_val = min_val
        self.max_val = max_val
        if max_val < min_val:
            raise ValueError("min_val must be less than or equal to max_val")

    def forward(self, input: Any) -> Any:
        return functional.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        text = f"min_val={self.min_val}, max_val={self.max_val}"
        return text + ", inplace=True" if self.inplace else text


class ReLU6(Hardtanh):
    """Return min(max(x, 0), 6)."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class LeakyReLU(_Inplace):
    """Return x where it is positive, ``negative_slope`` times x elsewhere."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, input: Any) -> Any:
        return functional.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return f"negative_slope={self.negative_slope}" + (", inplace=True" if self.inplace else "")


class ELU(_Inplace):
    """Return x where it is positive, alpha (exp(x) - 1) elsewhere."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input: Any) -> Any:
        return functional.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class GELU(Module):
    """Return x times the normal distribution function at x; ``approximate``: "none" or "tanh"."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Any) -> Any:
        return functional.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class SiLU(_Inplace):
    """Return x times the sigmoid of x."""

    def forward(self, input: Any) -> Any:
        return functional.silu(input, inplace=self.inplace)


class Sigmoid(Module):
    """Return 1 / (1 + exp(-x)).

    >>> import pellucid as torch
    >>> torch.nn.Sigmoid()(torch.zeros(1))
    tensor([0.5000])
    """

    def forward(self, input: Any) -> Any:
        return functional.sigmoid(input)


class Tanh(Module):
    """Return the hyperbolic tangent."""

    def forward(self, input: Any) -> Any:
        return functional.tanh(input)


class Softplus(Module):
    """Return log(1 + exp(beta x)) / beta; x itself where beta x is above ``threshold``."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Any) -> Any:
        return functional.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class _AlongDimension(Module):
    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(_AlongDimension):
    """Return positive numbers that sum to one along a dimension, in the ratios of exp(x).

    >>> import pellucid as torch
    >>> torch.nn.Softmax(dim=0)(torch.zeros(2))
    tensor([0.5000, 0.5000])
    """

    def forward(self, input: Any) -> Any:
        return functional.softmax(input, self.dim)


class LogSoftmax(_AlongDimension):
    """Return the logarithm of `Softmax`, without leaving the range of numbers."""

    def forward(self, input: Any) -> Any:
        return functional.log_softmax(input, self.dim)


class Softmin(_AlongDimension):
    """Return `Softmax` of -x."""

    def forward(self, input: Any) -> Any:
        return functional.softmin(input, self.dim)
