"""Linear layers."""

from __future__ import annotations

import math
from typing import Any

from pellucid.nn import functional, init
from pellucid.nn.lazy_tensors import UninitializedParameter
from pellucid.nn.modules.lazy import LazyModuleMixin
from pellucid.nn.modules.module import Module, weight_and_bias
from pellucid.nn.parameter import Parameter
from pellucid.tensors import Tensor
from pellucid.tensors.creation import empty


class Identity(Module):
    """Layer that returns its input unchanged.

    Args:
        args: Accepted and ignored.
        kwargs: Accepted and ignored.

    Shape:
        Input and output: (*), any shape and dtype.

    >>> torch.nn.Identity()(torch.tensor([1.0]))
    tensor([1.])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """Fully connected layer: y = x Aᵀ + b.

    Weight and bias are initialized uniformly within 1 / sqrt(in_features).

    Args:
        in_features: Number of input features.
        out_features: Number of output features.
        bias: Whether to add a learnable bias.
        device: Device of the parameters; the CPU is the only one.
        dtype: Floating-point dtype of the parameters; the default dtype if None.

    Shape:
        Input: ``[*, in_features]``. Output: ``[*, out_features]``.

    Attributes:
        weight: ``[out_features, in_features]``.
        bias: ``[out_features]``, or None.

    >>> torch.nn.Linear(3, 2)(torch.ones(5, 3)).shape
    torch.Size([5, 2])
    """

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty(out_features, in_features, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize weight and bias randomly.

        >>> torch.nn.Linear(4, 1).reset_parameters()
        """
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            init.uniform_within_fan_in_(self.bias, self.weight)

    def forward(self, input: Tensor) -> Tensor:
        weight, bias = weight_and_bias(self)
        return functional.linear(input, weight, bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class Bilinear(Module):
    """Bilinear layer: y = x₁ᵀ A x₂ + b, with one matrix A for each output feature.

    Args:
        in1_features: Number of features of the first input.
        in2_features: Number of features of the second input.
        out_features, bias, device, dtype: As for `Linear`.

    Shape:
        Input: ``[*, in1_features]`` and ``[*, in2_features]``. Output: ``[*, out_features]``.

    Attributes:
        weight: ``[out_features, in1_features, in2_features]``.
        bias: ``[out_features]``, or None.

    Raises:
        ValueError: If ``in1_features`` is not positive.

    >>> torch.nn.Bilinear(2, 3, 4)(torch.ones(5, 2), torch.ones(5, 3)).shape
    torch.Size([5, 4])
    """

    def __init__(
        self, in1_features: int, in2_features: int, out_features: int, bias: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got {in1_features}")
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        shape = (out_features, in1_features, in2_features)
        self.weight = Parameter(empty(shape, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize weight and bias randomly.

        >>> torch.nn.Bilinear(2, 2, 1).reset_parameters()
        """
        bound = 1 / math.sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return functional.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


class NonDynamicallyQuantizableLinear(Linear):
    """``Linear`` under the name that PyTorch uses in attention layers.

    Args: As for `Linear`.

    >>> torch.nn.modules.linear.NonDynamicallyQuantizableLinear(2, 3)(torch.zeros(2)).shape
    torch.Size([3])
    """


class LazyLinear(LazyModuleMixin, Linear):
    """``Linear`` that takes ``in_features`` from the first input.

    Args:
        out_features, bias, device, dtype: As for `Linear`.

    >>> layer = torch.nn.LazyLinear(2)
    >>> y = layer(torch.ones(5, 3))
    >>> layer
    Linear(in_features=3, out_features=2, bias=True)
    """

    cls_to_become = Linear
    weight: Any
    bias: Any

    def __init__(
        self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        factory = {"device": device, "dtype": dtype}
        super().__init__(0, out_features, bias, **factory)
        self.weight = UninitializedParameter(**factory)
        if bias:
            self.bias = UninitializedParameter(**factory)

    def reset_parameters(self) -> None:
        """Initialize weight and bias randomly, once their shapes are known."""
        if self.in_features:
            super().reset_parameters()

    def initialize_parameters(self, input: Any) -> None:
        """Set ``in_features`` and create the parameters.

        Args:
            input: The first input; its last dim is that of the features.

        >>> layer = torch.nn.LazyLinear(2)
        >>> layer.initialize_parameters(torch.zeros(5, 3))
        >>> layer.in_features
        3
        """
        if self.has_uninitialized_params():
            self.in_features = input.shape[-1]
            self.weight.materialize((self.out_features, self.in_features))
            if self.bias is not None:
                self.bias.materialize((self.out_features,))
            self.reset_parameters()
        elif not self.in_features:
            self.in_features = self.weight.shape[-1]
