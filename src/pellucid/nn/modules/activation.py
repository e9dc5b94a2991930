"""Activations as modules."""

from __future__ import annotations

import warnings
from typing import Any

from pellucid.errors import ArgumentError
from pellucid.nn import functional, init
from pellucid.nn.modules.linear import NonDynamicallyQuantizableLinear
from pellucid.nn.modules.module import Module
from pellucid.nn.parameter import Parameter
from pellucid.ops.nn.activation import relu
from pellucid.tensors.creation import empty


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
        return functional.relu(input, inplace=True) if self.inplace else relu(input)


class Hardtanh(_Inplace):
    """Return x, held between ``min_val`` and ``max_val``."""

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


class Softmax2d(Module):
    """Return `Softmax` over the channels of images ``[N, C, H, W]`` or ``[C, H, W]``.

    Raises ValueError for another number of dimensions.
    """

    def forward(self, input: Any) -> Any:
        if input.dim() not in (3, 4):
            raise ArgumentError(
                f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead"
            )
        return functional.softmax(input, -3)


class LogSigmoid(Module):
    """Return the logarithm of the sigmoid."""

    def forward(self, input: Any) -> Any:
        return functional.logsigmoid(input)


class Softsign(Module):
    """Return x / (1 + abs(x))."""

    def forward(self, input: Any) -> Any:
        return functional.softsign(input)


class Tanhshrink(Module):
    """Return x - tanh(x)."""

    def forward(self, input: Any) -> Any:
        return functional.tanhshrink(input)


class SELU(_Inplace):
    """Return the scaled ELU that keeps mean 0 and variance 1.

    Klambauer et al., "Self-normalizing neural networks", 2017.
    """

    def forward(self, input: Any) -> Any:
        return functional.selu(input, self.inplace)


class Mish(_Inplace):
    """Return x tanh(softplus(x))."""

    def forward(self, input: Any) -> Any:
        return functional.mish(input, inplace=self.inplace)


class Hardsigmoid(_Inplace):
    """Approximate the sigmoid by straight lines."""

    def forward(self, input: Any) -> Any:
        return functional.hardsigmoid(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class Hardswish(_Inplace):
    """Return x times `Hardsigmoid` of x."""

    def forward(self, input: Any) -> Any:
        return functional.hardswish(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class CELU(ELU):
    """Return x where it is positive, alpha (exp(x / alpha) - 1) elsewhere."""

    def forward(self, input: Any) -> Any:
        return functional.celu(input, self.alpha, self.inplace)


class GLU(Module):
    """Split in two along ``dim`` and multiply the first half by the sigmoid of the second."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Any) -> Any:
        return functional.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class _Shrink(Module):
    """Hold the width of what becomes zero."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return str(self.lambd)


class Hardshrink(_Shrink):
    """Return x, or zero between ``-lambd`` and ``lambd``."""

    def forward(self, input: Any) -> Any:
        return functional.hardshrink(input, self.lambd)


class Softshrink(_Shrink):
    """Return x moved towards zero by ``lambd``, and not beyond."""

    def forward(self, input: Any) -> Any:
        return functional.softshrink(input, self.lambd)


class Threshold(_Inplace):
    """Return x where it is above ``threshold``, ``value`` elsewhere."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.threshold = threshold
        self.value = value

    def forward(self, input: Any) -> Any:
        return functional.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        text = f"threshold={self.threshold}, value={self.value}"
        return text + ", inplace=True" if self.inplace else text


class RReLU(_Inplace):
    """Return x where it is positive, elsewhere x times a slope drawn at random while training."""

    def __init__(
        self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False
    ) -> None:
        super().__init__(inplace)
        self.lower = lower
        self.upper = upper

    def forward(self, input: Any) -> Any:
        return functional.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        text = f"lower={self.lower}, upper={self.upper}"
        return text + ", inplace=True" if self.inplace else text


class PReLU(Module):
    """Return x where it is positive, elsewhere x times a slope that is learned.

    ``num_parameters`` is 1 or the number of channels (dimension 1). He et al., "Delving deep into
    rectifiers", 2015.

    >>> import pellucid as torch
    >>> torch.nn.PReLU()(torch.tensor([-4.0, 2.0])).detach()
    tensor([-1.,  2.])
    """

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Let all slopes be ``init`` again."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Any) -> Any:
        return functional.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class MultiheadAttention(Module):
    """Average values by how well queries fit keys, in several projections at once.

    Query ``[L, N, E]``, key ``[S, N, kdim]`` and value ``[S, N, vdim]`` to ``[L, N, E]`` and, if
    wanted, weights ``[N, L, S]``; N comes first if ``batch_first``, and may be missing. Masks are
    boolean (true: hidden) or are added to the scores. Raises ValueError for sizes that are not
    positive. Vaswani et al., "Attention is all you need", 2017.

    >>> import pellucid as torch
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
        """Return the shapes of the input projections: one for all where sizes are the same."""
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
        self, query: Any, key: Any, value: Any, key_padding_mask: Any = None,
        need_weights: bool = True, attn_mask: Any = None, average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Any, Any]:  # fmt: skip
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
    """Swap batch and time; what was one tensor stays one."""
    swapped = {id(each): each.transpose(0, 1) for each in (query, key, value)}
    return swapped[id(query)], swapped[id(key)], swapped[id(value)]
