"""Activation functions and attention as modules."""

from __future__ import annotations

import warnings
from typing import Any

from pellucid.errors import ArgumentError
from pellucid.nn import functional, init
from pellucid.nn.modules.linear import NonDynamicallyQuantizableLinear
from pellucid.nn.modules.module import Module
from pellucid.nn.parameter import Parameter
from pellucid.ops.nn.activation import relu
from pellucid.tensors import Tensor
from pellucid.tensors.creation import empty


class _Activation(Module):
    """Base class of activations.

    Shape:
        Input and output: (*), any shape, of floating-point dtype.
    """

    #: the settings that are printed
    _shown: tuple[str, ...] = ()

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)}" for name in self._shown)


class _Inplace(_Activation):
    """Base class of activations that can write the result into the input."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        shown = super().extra_repr()
        return ", ".join(filter(None, [shown, "inplace=True" if self.inplace else ""]))


class ReLU(_Inplace):
    """The rectified linear unit: max(x, 0).

    Args:
        inplace: Whether to write the result into the input.

    Shape: As for `_Activation`.

    >>> torch.nn.ReLU()(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.relu(input, inplace=True) if self.inplace else relu(input)


class Hardtanh(_Inplace):
    """The piecewise linear function that clamps x to [min_val, max_val].

    Args:
        min_val: Lower bound.
        max_val: Upper bound.
        inplace: Whether to write the result into the input.
        min_value: Deprecated name of ``min_val``.
        max_value: Deprecated name of ``max_val``.

    Shape: As for `_Activation`.

    Raises:
        AssertionError: If ``max_val`` is not greater than ``min_val``.

    >>> torch.nn.Hardtanh()(torch.tensor([-2.0, 0.5, 2.0]))
    tensor([-1.0000,  0.5000,  1.0000])
    """

    _shown = ("min_val", "max_val")

    def __init__(
        self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False,
        min_value: float | None = None, max_value: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__(inplace)
        for old, new, value in (("min", "min_val", min_value), ("max", "max_val", max_value)):
            if value is not None:
                warnings.warn(
                    f"keyword argument `{old}_value` is deprecated and rename to `{new}`",
                    FutureWarning,
                    stacklevel=2,
                )
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        if self.max_val <= self.min_val:
            raise AssertionError(
                f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})"
            )

    def forward(self, input: Tensor) -> Tensor:
        return functional.hardtanh(input, self.min_val, self.max_val, self.inplace)


class ReLU6(Hardtanh):
    """The rectified linear unit with an upper bound: min(max(x, 0), 6).

    Args:
        inplace: Whether to write the result into the input.

    Shape: As for `_Activation`.

    >>> torch.nn.ReLU6()(torch.tensor([-1.0, 3.0, 8.0]))
    tensor([0., 3., 6.])
    """

    _shown = ()

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)


class LeakyReLU(_Inplace):
    """The leaky ReLU: x if x > 0, otherwise ``negative_slope * x``.

    Args:
        negative_slope: Slope for negative numbers.
        inplace: Whether to write the result into the input.

    Shape: As for `_Activation`.

    >>> torch.nn.LeakyReLU(0.1)(torch.tensor([-1.0, 2.0]))
    tensor([-0.1000,  2.0000])
    """

    _shown = ("negative_slope",)

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, input: Tensor) -> Tensor:
        return functional.leaky_relu(input, self.negative_slope, self.inplace)


class ELU(_Inplace):
    """The exponential linear unit: x if x > 0, otherwise alpha (exp(x) - 1).

    Source: Clevert, Unterthiner and Hochreiter, "Fast and accurate deep network learning by
    exponential linear units", 2016.

    Args:
        alpha: Factor of the negative part.
        inplace: Whether to write the result into the input.

    Shape: As for `_Activation`.

    >>> torch.nn.ELU()(torch.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """

    _shown = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input: Tensor) -> Tensor:
        return functional.elu(input, self.alpha, self.inplace)


class GELU(_Activation):
    """The Gaussian error linear unit: x times the normal distribution function at x.

    Source: Hendrycks and Gimpel, "Gaussian error linear units", 2016.

    Args:
        approximate: ``"none"``, or ``"tanh"`` for an approximation by tanh.

    Shape: As for `_Activation`.

    >>> torch.nn.GELU()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.1587,  0.0000,  0.8413])
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return functional.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class SiLU(_Inplace):
    """The sigmoid linear unit: x times the sigmoid of x.

    Args:
        inplace: Whether to write the result into the input.

    Shape: As for `_Activation`.

    >>> torch.nn.SiLU()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.2689,  0.0000,  0.7311])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.silu(input, inplace=self.inplace)


class Sigmoid(_Activation):
    """The logistic sigmoid: 1 / (1 + exp(-x)).

    Shape: As for `_Activation`.

    >>> torch.nn.Sigmoid()(torch.zeros(1))
    tensor([0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.sigmoid(input)


class Tanh(_Activation):
    """The hyperbolic tangent.

    Shape: As for `_Activation`.

    >>> torch.nn.Tanh()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.7616,  0.0000,  0.7616])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.tanh(input)


class Softplus(_Activation):
    """A smooth version of ReLU: log(1 + exp(beta x)) / beta.

    Args:
        beta: Sharpness of the bend.
        threshold: The result is x itself where beta x exceeds this.

    Shape: As for `_Activation`.

    >>> torch.nn.Softplus()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([0.3133, 0.6931, 1.3133])
    """

    _shown = ("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        return functional.softplus(input, self.beta, self.threshold)


class _AlongDimension(_Activation):
    _shown = ("dim",)

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim


class Softmax(_AlongDimension):
    """The softmax: exp(x) divided by its sum along a dim.

    Args:
        dim: The dim along which the results sum to 1.

    Shape: As for `_Activation`.

    >>> torch.nn.Softmax(dim=0)(torch.zeros(2))
    tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.softmax(input, self.dim)


class LogSoftmax(_AlongDimension):
    """The logarithm of the softmax along a dim, computed without overflow.

    Args:
        dim: The dim along which the exponentials sum to 1.

    Shape: As for `_Activation`.

    >>> torch.nn.LogSoftmax(0)(torch.tensor([0.0, 0.0]))
    tensor([-0.6931, -0.6931])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.log_softmax(input, self.dim)


class Softmin(_AlongDimension):
    """The softmax of -x along a dim.

    Args:
        dim: The dim along which the results sum to 1.

    Shape: As for `_Activation`.

    >>> torch.nn.Softmin(0)(torch.tensor([0.0, 1.0]))
    tensor([0.7311, 0.2689])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.softmin(input, self.dim)


class Softmax2d(_Activation):
    """The softmax over the channels of images.

    Shape:
        Input and output: ``[N, C, H, W]`` or ``[C, H, W]``, of floating-point dtype.

    Raises:
        ValueError: If the input has another number of dims.

    >>> torch.nn.Softmax2d()(torch.zeros(4, 1, 1)).flatten()
    tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):
            raise ArgumentError(
                f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead"
            )
        return functional.softmax(input, -3)


class LogSigmoid(_Activation):
    """The logarithm of the sigmoid, computed without overflow.

    Shape: As for `_Activation`.

    >>> torch.nn.LogSigmoid()(torch.tensor([-100.0, 0.0]))
    tensor([-100.0000,   -0.6931])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.logsigmoid(input)


class Softsign(_Activation):
    """The softsign: x / (1 + |x|).

    Shape: As for `_Activation`.

    >>> torch.nn.Softsign()(torch.tensor([-1.0, 3.0]))
    tensor([-0.5000,  0.7500])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.softsign(input)


class Tanhshrink(_Activation):
    """The difference x - tanh(x).

    Shape: As for `_Activation`.

    >>> torch.nn.Tanhshrink()(torch.tensor([0.0, 2.0]))
    tensor([0.0000, 1.0360])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.tanhshrink(input)


class SELU(_Inplace):
    """The scaled ELU, which preserves mean 0 and variance 1.

    Source: Klambauer et al., "Self-normalizing neural networks", 2017.

    Args:
        inplace: Whether to write the result into the input.

    Shape: As for `_Activation`.

    >>> torch.nn.SELU()(torch.tensor([-1.0, 1.0]))
    tensor([-1.1113,  1.0507])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.selu(input, self.inplace)


class Mish(_Inplace):
    """The Mish activation: x tanh(softplus(x)).

    Source: Misra, "Mish: a self regularized non-monotonic neural activation function", 2019.

    Args:
        inplace: Whether to write the result into the input.

    Shape: As for `_Activation`.

    >>> torch.nn.Mish()(torch.tensor([-1.0, 1.0]))
    tensor([-0.3034,  0.8651])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.mish(input, inplace=self.inplace)


class Hardsigmoid(_Inplace):
    """A piecewise linear approximation of the sigmoid: min(max(x + 3, 0), 6) / 6.

    Args:
        inplace: Whether to write the result into the input.

    Shape: As for `_Activation`.

    >>> torch.nn.Hardsigmoid()(torch.tensor([-4.0, 0.0, 4.0]))
    tensor([0.0000, 0.5000, 1.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.hardsigmoid(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class Hardswish(_Inplace):
    """A piecewise approximation of SiLU: x times ``Hardsigmoid`` of x.

    Args:
        inplace: Whether to write the result into the input.

    Shape: As for `_Activation`.

    >>> torch.nn.Hardswish()(torch.tensor([-4.0, 1.0, 4.0]))
    tensor([-0.0000, 0.6667, 4.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.hardswish(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class CELU(ELU):
    """The continuously differentiable ELU: x if x > 0, otherwise alpha (exp(x / alpha) - 1).

    Source: Barron, "Continuously differentiable exponential linear units", 2017.

    Args:
        alpha: Scale of the negative part.
        inplace: Whether to write the result into the input.

    Shape: As for `_Activation`.

    >>> torch.nn.CELU(2.0)(torch.tensor([-1.0, 1.0]))
    tensor([-0.7869,  1.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.celu(input, self.alpha, self.inplace)


class GLU(_Activation):
    """The gated linear unit: the first half of x times the sigmoid of the second half.

    Source: Dauphin et al., "Language modeling with gated convolutional networks", 2017.

    Args:
        dim: The dim that is split, of even size.

    Shape:
        Input: (*, 2n, *). Output: (*, n, *).

    >>> torch.nn.GLU()(torch.tensor([4.0, 0.0]))
    tensor([2.])
    """

    _shown = ("dim",)

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return functional.glu(input, self.dim)


class _Shrink(_Activation):
    """Base class of activations that set an interval around 0 to 0."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return str(self.lambd)


class Hardshrink(_Shrink):
    """The function that sets numbers in [-lambd, lambd] to 0 and keeps others.

    Args:
        lambd: Half width of the interval.

    Shape: As for `_Activation`.

    >>> torch.nn.Hardshrink()(torch.tensor([-1.0, 0.3, 1.0]))
    tensor([-1.,  0.,  1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.hardshrink(input, self.lambd)


class Softshrink(_Shrink):
    """The function that moves numbers towards 0 by ``lambd``, but not beyond 0.

    Args:
        lambd: Size of the shift.

    Shape: As for `_Activation`.

    >>> torch.nn.Softshrink()(torch.tensor([-1.0, 0.3, 1.0]))
    tensor([-0.5000,  0.0000,  0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.softshrink(input, self.lambd)


class Threshold(_Inplace):
    """The function that replaces numbers up to a threshold by a value.

    Args:
        threshold: Numbers above it are kept.
        value: Replacement of the others.
        inplace: Whether to write the result into the input.

    Shape: As for `_Activation`.

    >>> torch.nn.Threshold(0.5, 9.0)(torch.tensor([0.0, 1.0]))
    tensor([9., 1.])
    """

    _shown = ("threshold", "value")

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.threshold = threshold
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return functional.threshold(input, self.threshold, self.value, self.inplace)


class RReLU(_Inplace):
    """The randomized leaky ReLU: the slope of negative numbers is random in training.

    Source: Xu et al., "Empirical evaluation of rectified activations in convolutional network",
    2015. In evaluation, the slope is the mean of the bounds.

    Args:
        lower: Lower bound of the slope.
        upper: Upper bound of the slope.
        inplace: Whether to write the result into the input.

    Shape: As for `_Activation`.

    >>> torch.nn.RReLU(0.25, 0.75).eval()(torch.tensor([-1.0, 2.0]))
    tensor([-0.5000,  2.0000])
    """

    _shown = ("lower", "upper")

    def __init__(
        self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False
    ) -> None:
        super().__init__(inplace)
        self.lower = lower
        self.upper = upper

    def forward(self, input: Tensor) -> Tensor:
        return functional.rrelu(input, self.lower, self.upper, self.training, self.inplace)


class PReLU(_Activation):
    """The ReLU with a learnable slope for negative numbers.

    Source: He et al., "Delving deep into rectifiers", 2015.

    Args:
        num_parameters: 1, or the number of channels (dim 1) for one slope each.
        init: Initial slope.
        device: Device of the parameters; the CPU is the only one.
        dtype: Floating-point dtype of the parameters; the default dtype if None.

    Shape: As for `_Activation`.

    Attributes:
        weight: The slopes, of shape ``[num_parameters]``.

    >>> torch.nn.PReLU()(torch.tensor([-4.0, 2.0])).detach()
    tensor([-1.,  2.])
    """

    _shown = ("num_parameters",)

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reset all slopes to ``init``."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return functional.prelu(input, self.weight)


class MultiheadAttention(Module):
    """Multi-head attention.

    Source: Vaswani et al., "Attention is all you need", 2017.

    Args:
        embed_dim: Number of features E of queries and outputs; divisible by ``num_heads``.
        num_heads: Number of heads.
        dropout: Dropout probability of attention weights, in training.
        bias: Whether the projections have biases.
        add_bias_kv: Whether to append a learnable key and value to each sequence.
        add_zero_attn: Whether to append a key and value of zeros to each sequence.
        kdim: Number of features of keys; ``embed_dim`` by default.
        vdim: Number of features of values; ``embed_dim`` by default.
        batch_first: Whether the batch dim comes first.
        device, dtype: As for `PReLU`.

    Shape:
        Input: query ``[L, N, E]``, key ``[S, N, kdim]``, value ``[S, N, vdim]``; N comes first if
            ``batch_first``, and may be missing. Masks are boolean (true: excluded) or are added to
            the scores.
        Output: ``[L, N, E]``, and the attention weights ``[N, L, S]`` or None.

    Raises:
        ValueError: If a size is not positive.
        AssertionError: If ``embed_dim`` is not divisible by ``num_heads``.

    >>> attention = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    >>> x = torch.rand(3, 5, 8)
    >>> out, weights = attention(x, x, x)
    >>> out.shape, weights.shape
    (torch.Size([3, 5, 8]), torch.Size([3, 5, 5]))
    """

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True,
        add_bias_kv: bool = False, add_zero_attn: bool = False, kdim: int | None = None,
        vdim: int | None = None, batch_first: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ArgumentError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                f"num_heads={num_heads} instead"
            )
        if embed_dim % num_heads:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        factory: dict[str, Any] = {"device": device, "dtype": dtype}
        shapes = self._projections()
        for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight", "in_proj_weight"):
            shape = shapes.get(name)
            self.register_parameter(name, Parameter(empty(shape, **factory)) if shape else None)
        together = Parameter(empty(3 * embed_dim, **factory)) if bias else None
        self.register_parameter("in_proj_bias", together)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, **factory)
        added = (1, 1, embed_dim)
        self.bias_k = Parameter(empty(added, **factory)) if add_bias_kv else None
        self.bias_v = Parameter(empty(added, **factory)) if add_bias_kv else None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _projections(self) -> dict[str, tuple[int, int]]:
        """Return the shapes of the input projections: a single one if all sizes are equal."""
        size = self.embed_dim
        if self._qkv_same_embed_dim:
            return {"in_proj_weight": (3 * size, size)}
        return {
            "q_proj_weight": (size, size),
            "k_proj_weight": (size, self.kdim),
            "v_proj_weight": (size, self.vdim),
        }

    def _reset_parameters(self) -> None:
        for name in self._projections():
            init.xavier_uniform_(getattr(self, name))
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        for added in (self.bias_k, self.bias_v):
            if added is not None:
                init.xavier_normal_(added)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None,
        need_weights: bool = True, attn_mask: Tensor | None = None,
        average_attn_weights: bool = True, is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:  # fmt: skip
        swapped = self.batch_first and query.dim() == 3
        if swapped:
            query, key, value = _with_time_first(query, key, value)
        output, weights = functional.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight,
            self.in_proj_bias, self.bias_k, self.bias_v, self.add_zero_attn, self.dropout,
            self.out_proj.weight, self.out_proj.bias, training=self.training,
            key_padding_mask=key_padding_mask, need_weights=need_weights, attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight, k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight, average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )  # fmt: skip
        return output.transpose(0, 1) if swapped else output, weights


def _with_time_first(query: Any, key: Any, value: Any) -> tuple[Any, Any, Any]:
    """Swap the batch and time dims; arguments that are one tensor stay one."""
    swapped = {id(each): each.transpose(0, 1) for each in (query, key, value)}
    return swapped[id(query)], swapped[id(key)], swapped[id(value)]
