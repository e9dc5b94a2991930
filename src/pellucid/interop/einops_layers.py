"""Layers of einops as modules, which programs import from ``einops.layers.pellucid``."""

from __future__ import annotations

import sys
from typing import Any

from einops.layers import RearrangeMixin, ReduceMixin
from einops.layers._einmix import _EinmixMixin

from pellucid.nn.modules.module import Module
from pellucid.nn.parameter import Parameter
from pellucid.ops.linalg.contract import einsum
from pellucid.tensors import Tensor
from pellucid.tensors.creation import empty


class Rearrange(RearrangeMixin, Module):
    """A layer that does what ``einops.rearrange`` does with its pattern."""

    def forward(self, input: Tensor) -> Tensor:
        return self._apply_recipe(input)


class Reduce(ReduceMixin, Module):
    """A layer that does what ``einops.reduce`` does with its pattern."""

    def forward(self, input: Tensor) -> Tensor:
        return self._apply_recipe(input)


class EinMix(_EinmixMixin, Module):
    """A linear layer whose product with its weight is an einsum, between two rearrangements."""

    bias: Parameter | None

    def _create_parameters(
        self,
        weight_shape: list[int],
        weight_bound: float,
        bias_shape: list[int] | None,
        bias_bound: float,
    ) -> None:
        self.weight = _uniform(weight_shape, weight_bound)
        self.bias = None if bias_shape is None else _uniform(bias_shape, bias_bound)

    def _create_rearrange_layers(
        self,
        pre_reshape_pattern: str | None,
        pre_reshape_lengths: dict[str, int] | None,
        post_reshape_pattern: str | None,
        post_reshape_lengths: dict[str, int] | None,
    ) -> None:
        self.pre_rearrange = _rearrange(pre_reshape_pattern, pre_reshape_lengths)
        self.post_rearrange = _rearrange(post_reshape_pattern, post_reshape_lengths)

    def forward(self, input: Tensor) -> Tensor:
        if self.pre_rearrange is not None:
            input = self.pre_rearrange(input)
        result = einsum(self.einsum_pattern, input, self.weight)
        if self.bias is not None:
            result = result + self.bias
        return result if self.post_rearrange is None else self.post_rearrange(result)


def _uniform(shape: list[int], bound: float) -> Parameter:
    return Parameter(empty(*shape).uniform_(-bound, bound))


def _rearrange(pattern: str | None, lengths: dict[str, int] | None) -> Any:
    return None if pattern is None else Rearrange(pattern, **(lengths or {}))


sys.modules["einops.layers.pellucid"] = sys.modules[__name__]
