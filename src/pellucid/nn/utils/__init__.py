"""Helpers for training: limits for gradients, parameters as one vector."""

from __future__ import annotations

from pellucid.nn.utils import parametrizations, parametrize, rnn
from pellucid.nn.utils.clip_grad import clip_grad_norm_, clip_grad_value_, get_total_norm
from pellucid.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters
from pellucid.nn.utils.spectral_norm import remove_spectral_norm, spectral_norm
from pellucid.nn.utils.weight_norm import remove_weight_norm, weight_norm

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "get_total_norm",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "spectral_norm",
    "vector_to_parameters",
    "weight_norm",
]
