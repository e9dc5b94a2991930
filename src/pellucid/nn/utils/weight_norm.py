"""Weight normalization by a hook: a weight as a direction times a magnitude.

Source: Salimans and Kingma, "Weight normalization", 2016.
"""

from __future__ import annotations

import warnings
from typing import Any, TypeVar

from pellucid.errors import ArgumentError, GraphError
from pellucid.nn.lazy_tensors import refuse_lazy
from pellucid.nn.modules.module import Module
from pellucid.nn.parameter import Parameter
from pellucid.ops.linalg.distances import norm_except_dim, normalized_weight

M = TypeVar("M", bound=Module)


class WeightNorm:
    """Forward pre-hook that computes the weight from direction and magnitude.

    Args:
        name: Name of the weight.
        dim: The dim with one magnitude for each index; None for a single magnitude.
    """

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Any:
        """Return the current weight.

        Args:
            module: The module.
        """
        g, v = getattr(module, f"{self.name}_g"), getattr(module, f"{self.name}_v")
        return normalized_weight(v, g, self.dim)

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: M, name: str = "weight", dim: int | None = 0) -> M:
    """Parametrize a weight by a direction ``<name>_v`` and a magnitude ``<name>_g``.

    Args:
        module: Module with the parameter.
        name: Name of the parameter.
        dim: The dim with one magnitude for each index; None for a single magnitude.

    Returns:
        The module.

    Raises:
        RuntimeError: If that weight is normalized already.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = torch.nn.utils.weight_norm(torch.nn.Linear(3, 2))
    >>> list(layer.state_dict())
    ['bias', 'weight_g', 'weight_v']
    """
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of "
        "`torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, WeightNorm) and hook.name == name:
            raise GraphError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    norm = WeightNorm(name, dim)
    weight = getattr(module, name)
    refuse_lazy(weight, "WeightNorm", "weight")
    del module._parameters[name]
    module.register_parameter(f"{name}_g", Parameter(norm_except_dim(weight, 2, norm.dim).detach()))
    module.register_parameter(f"{name}_v", Parameter(weight.detach()))
    setattr(module, name, norm.compute_weight(module))
    module.register_forward_pre_hook(norm)
    return module


def remove_weight_norm(module: M, name: str = "weight") -> M:
    """Make a normalized weight an ordinary parameter again; return the module.

    Args:
        module: Module with the parameter.
        name: Name of the parameter.

    Raises:
        ValueError: If the weight is not normalized.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = torch.nn.utils.weight_norm(torch.nn.Linear(2, 3))
    >>> [name for name, _ in torch.nn.utils.remove_weight_norm(layer).named_parameters()]
    ['bias', 'weight']
    """
    for key, norm in module._forward_pre_hooks.items():
        if isinstance(norm, WeightNorm) and norm.name == name:
            weight = norm.compute_weight(module).detach()
            delattr(module, name)
            del module._parameters[f"{name}_g"], module._parameters[f"{name}_v"]
            setattr(module, name, Parameter(weight))
            del module._forward_pre_hooks[key]
            return module
    raise ArgumentError(f"weight_norm of '{name}' not found in {module}")
