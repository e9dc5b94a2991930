"""Describing modules with the attributes that PyTorch's classes of the same names have."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

from pellucid.nn.modules.module import Module

State = dict[str, Any]


def module_reduced(module: Module, protocol: int) -> Any:
    """Return what a pickle is to hold of a module."""
    reduced = module.__reduce_ex__(protocol)
    if isinstance(reduced, str) or len(reduced) < 3 or not isinstance(reduced[2], dict):
        return reduced
    state = dict(reduced[2])
    state.pop("_scope_names", None)
    for cls in type(module).__mro__:
        place = cls.__module__.partition(".")[2]
        if cls.__name__ in _KEPT_BY_PYTORCH and place.startswith("nn.modules."):
            state.update(_KEPT_BY_PYTORCH[cls.__name__](module))
    return (*reduced[:2], state, *reduced[3:])


def _of_convolution(module: Any) -> State:
    margins = module._padding_per_end()
    margins = margins if isinstance(module.padding, str) else tuple(margins)
    return {"transposed": module.transposed, "_reversed_padding_repeated_twice": margins}


def _of_recurrent(module: Any) -> State:
    names = list(chain.from_iterable(module._all_weights))
    weights = [getattr(module, name) for name in names]
    return {"_flat_weights_names": names, "_flat_weights": weights}


def _of_upsampling(module: Any) -> State:
    return {"name": type(module).__name__}


def _of_encoder_layer(module: Any) -> State:
    # PyTorch's shortcut through the layer serves these two activations.
    activation = module.activation
    name = getattr(activation, "__name__", type(activation).__name__).lower()
    return {"activation_relu_or_gelu": {"relu": 1, "gelu": 2}.get(name, 0)}


#: What PyTorch keeps in its objects and pellucid works out when needed, by class.
_KEPT_BY_PYTORCH: dict[str, Callable[[Any], State]] = {
    "_ConvNd": _of_convolution,
    "RNNBase": _of_recurrent,
    "Upsample": _of_upsampling,
    "TransformerEncoderLayer": _of_encoder_layer,
}
