"""Transformer layers and models."""

from __future__ import annotations

import copy
from collections.abc import Callable
from math import inf
from typing import Any

from pellucid.errors import ShapeError
from pellucid.nn import functional, init
from pellucid.nn.modules.activation import MultiheadAttention
from pellucid.nn.modules.container import ModuleList
from pellucid.nn.modules.dropout import Dropout
from pellucid.nn.modules.linear import Linear
from pellucid.nn.modules.module import Module
from pellucid.nn.modules.normalization import LayerNorm
from pellucid.ops.nn.multihead import additive_mask
from pellucid.tensors import Tensor
from pellucid.tensors.creation import full

Activation = str | Callable[[Any], Any]


def _activation(activation: Activation) -> Callable[[Any], Any]:
    if not isinstance(activation, str):
        return activation
    if activation not in ("relu", "gelu"):
        raise ShapeError(f"activation should be relu/gelu, not {activation}")
    return getattr(functional, activation)


class _Layer(Module):
    """Base class of encoder and decoder layers: self-attention and a feed-forward network."""

    self_attn: MultiheadAttention
    linear1: Linear
    linear2: Linear
    dropout: Dropout
    activation: Callable[[Any], Any]
    norm_first: bool

    def _attend(
        self, attention: Any, query: Any, memory: Any, mask: Any, padding: Any, is_causal: bool
    ) -> Any:
        return attention(
            query, memory, memory, attn_mask=mask, key_padding_mask=padding, is_causal=is_causal,
            need_weights=False,
        )[0]  # fmt: skip

    def _feed_forward(self, x: Any) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))

    def _residual(self, x: Any, block: Callable[[Any], Any], norm: Any, dropout: Any) -> Any:
        """Return x plus the output of a block, normalized before the block or after the sum."""
        if self.norm_first:
            return x + dropout(block(norm(x)))
        return norm(x + dropout(block(x)))

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        super().__setstate__(attributes)
        if not hasattr(self, "activation"):
            self.activation = functional.relu


class TransformerEncoderLayer(_Layer):
    """Transformer encoder layer: self-attention and a feed-forward network.

    Source: Vaswani et al., "Attention is all you need", 2017.

    Args:
        d_model: Number of features.
        nhead: Number of attention heads.
        dim_feedforward: Size of the hidden layer of the feed-forward network.
        dropout: Dropout probability.
        activation: ``"relu"``, ``"gelu"`` or a function, between the feed-forward layers.
        layer_norm_eps: Number added to the variance by layer normalization.
        batch_first: Whether the batch dim comes first.
        norm_first: Whether to normalize before each block instead of after its sum.
        bias: Whether linear layers and normalizations have biases.
        device: Device of the parameters; the CPU is the only one.
        dtype: Floating-point dtype of the parameters; the default dtype if None.

    Shape:
        Input and output: ``[S, N, d_model]``, ``[N, S, d_model]`` if ``batch_first``, or ``[S,
            d_model]``. Masks: ``[S, S]`` and ``[N, S]``.

    >>> layer = torch.nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16)
    >>> layer(torch.rand(5, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Activation = functional.relu, layer_norm_eps: float = 1e-5,
        batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        factory: Any = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, batch_first=batch_first, **factory
        )
        self.linear1 = Linear(d_model, dim_feedforward, **factory)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **factory)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, **factory)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, **factory)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _activation(activation)

    def forward(
        self, src: Tensor, src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None, is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        mask = additive_mask(src_mask, "src_mask", src)
        padding = additive_mask(src_key_padding_mask, "src_key_padding_mask", src)
        x = self._residual(
            src,
            lambda x: self._attend(self.self_attn, x, x, mask, padding, is_causal),
            self.norm1,
            self.dropout1,
        )
        return self._residual(x, self._feed_forward, self.norm2, self.dropout2)


class TransformerDecoderLayer(_Layer):
    """Transformer decoder layer: self-attention, attention to a memory, and a feed-forward network.

    Source: Vaswani et al., "Attention is all you need", 2017.

    Args: As for `TransformerEncoderLayer`.

    Shape:
        Input: target ``[T, N, d_model]`` and memory ``[S, N, d_model]``; N comes first if
            ``batch_first``, and may be missing. Output: the shape of the target.

    >>> layer = torch.nn.TransformerDecoderLayer(d_model=8, nhead=2, dim_feedforward=16)
    >>> layer(torch.rand(4, 3, 8), torch.rand(5, 3, 8)).shape
    torch.Size([4, 3, 8])
    """

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Activation = functional.relu, layer_norm_eps: float = 1e-5,
        batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        factory: Any = {"bias": bias, "device": device, "dtype": dtype}
        attention: Any = {"dropout": dropout, "batch_first": batch_first, **factory}
        self.self_attn = MultiheadAttention(d_model, nhead, **attention)
        self.multihead_attn = MultiheadAttention(d_model, nhead, **attention)
        self.linear1 = Linear(d_model, dim_feedforward, **factory)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **factory)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, **factory)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, **factory)
        self.norm3 = LayerNorm(d_model, eps=layer_norm_eps, **factory)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = _activation(activation)

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None, tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None, tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        x = self._residual(
            tgt,
            lambda x: self._attend(
                self.self_attn, x, x, tgt_mask, tgt_key_padding_mask, tgt_is_causal
            ),
            self.norm1,
            self.dropout1,
        )
        x = self._residual(
            x,
            lambda x: self._attend(
                self.multihead_attn, x, memory, memory_mask, memory_key_padding_mask,
                memory_is_causal,
            ),
            self.norm2,
            self.dropout2,
        )  # fmt: skip
        return self._residual(x, self._feed_forward, self.norm3, self.dropout3)


def _copies(layer: Module, count: int) -> ModuleList:
    return ModuleList([copy.deepcopy(layer) for _ in range(count)])


class TransformerEncoder(Module):
    """Stack of encoder layers.

    Args:
        encoder_layer: The layer, of which ``num_layers`` copies are made.
        num_layers: Number of layers.
        norm: Normalization of the output, or None.
        enable_nested_tensor: Accepted for compatibility; changes nothing.
        mask_check: Accepted for compatibility; changes nothing.

    Shape:
        Input and output: as for ``TransformerEncoderLayer``.

    >>> layer = torch.nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16)
    >>> torch.nn.TransformerEncoder(layer, num_layers=2)(torch.rand(5, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    def __init__(
        self, encoder_layer: Module, num_layers: int, norm: Module | None = None,
        enable_nested_tensor: bool = True, mask_check: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.layers = _copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check

    def forward(
        self, src: Tensor, mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:  # fmt: skip
        mask = additive_mask(mask, "mask", src)
        padding = additive_mask(src_key_padding_mask, "src_key_padding_mask", src)
        for layer in self.layers:
            src = layer(src, src_mask=mask, src_key_padding_mask=padding, is_causal=bool(is_causal))
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Module):
    """Stack of decoder layers.

    Args:
        decoder_layer: The layer, of which ``num_layers`` copies are made.
        num_layers, norm: As for `TransformerEncoder`.

    Shape:
        Input and output: as for ``TransformerDecoderLayer``.

    >>> layer = torch.nn.TransformerDecoderLayer(d_model=8, nhead=2, dim_feedforward=16)
    >>> decoder = torch.nn.TransformerDecoder(layer, num_layers=2)
    >>> decoder(torch.rand(4, 3, 8), torch.rand(5, 3, 8)).shape
    torch.Size([4, 3, 8])
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _copies(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None, tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None, tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        for layer in self.layers:
            tgt = layer(
                tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=bool(tgt_is_causal), memory_is_causal=memory_is_causal,
            )  # fmt: skip
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """Transformer model with an encoder and a decoder.

    Source: Vaswani et al., "Attention is all you need", 2017.

    Args:
        d_model, nhead, dropout, activation, layer_norm_eps: As for `TransformerEncoderLayer`.
        batch_first, norm_first, bias, device, dtype: As for `TransformerEncoderLayer`.
        num_encoder_layers: Number of encoder layers.
        num_decoder_layers: Number of decoder layers.
        dim_feedforward: Size of the hidden layer of the feed-forward networks.
        custom_encoder: Module to use as the encoder instead.
        custom_decoder: Module to use as the decoder instead.

    Shape:
        Input: source ``[S, N, d_model]`` and target ``[T, N, d_model]``; N comes first if
            ``batch_first``, and may be missing. Output: the shape of the target.

    Raises:
        RuntimeError: If batch sizes or numbers of features do not fit.

    >>> net = torch.nn.Transformer(8, 2, 1, 1, dim_feedforward=16)
    >>> net(torch.rand(5, 3, 8), torch.rand(4, 3, 8)).shape
    torch.Size([4, 3, 8])
    """

    def __init__(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6,
        num_decoder_layers: int = 6, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Activation = functional.relu, custom_encoder: Any = None,
        custom_decoder: Any = None, layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        shared = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
            norm_first, bias, device, dtype,
        )  # fmt: skip
        norm: Any = {"eps": layer_norm_eps, "bias": bias, "device": device, "dtype": dtype}
        self.encoder = custom_encoder
        if custom_encoder is None:
            layer = TransformerEncoderLayer(*shared)
            last = LayerNorm(d_model, **norm)
            self.encoder = TransformerEncoder(layer, num_encoder_layers, last)
        self.decoder = custom_decoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*shared)
            last = LayerNorm(d_model, **norm)
            self.decoder = TransformerDecoder(layer, num_decoder_layers, last)
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)

    def forward(
        self, src: Tensor, tgt: Tensor, src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None, tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        place = 0 if self.batch_first else 1
        if src.dim() == 3 and src.shape[place] != tgt.shape[place]:
            raise ShapeError("the batch number of src and tgt must be equal")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise ShapeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(
            src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        return self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )  # fmt: skip

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Any:
        """Return a causal mask: -inf above the diagonal, otherwise 0.

        Args:
            sz: Number of rows and columns.
            device: Device of the mask; the CPU is the only one.
            dtype: Floating-point dtype of the mask; the default dtype if None.

        >>> torch.nn.Transformer.generate_square_subsequent_mask(2)
        tensor([[0., -inf],
                [0., 0.]])
        """
        return full((sz, sz), -inf, device=device, dtype=dtype).triu(diagonal=1)
