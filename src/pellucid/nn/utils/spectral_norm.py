"""Spectral normalization by a hook: a weight divided by its largest singular value.

Source: Miyato et al., "Spectral normalization for generative adversarial networks", 2018.
"""

from __future__ import annotations

from typing import Any, TypeVar

from pellucid.autograd.modes import no_grad
from pellucid.errors import ArgumentError, GraphError
from pellucid.nn.functional import normalize
from pellucid.nn.lazy_tensors import refuse_lazy
from pellucid.nn.modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from pellucid.nn.modules.module import Module
from pellucid.nn.parameter import Parameter
from pellucid.ops.linalg.matmul import dot, mv

M = TypeVar("M", bound=Module)


def output_dim(module: Module) -> int:
    """Return the dim of a module's weight that belongs to its outputs."""
    transposed = (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)
    return 1 if isinstance(module, transposed) else 0


def as_matrix(weight: Any, dim: int) -> Any:
    """Return a weight as a matrix whose rows are indexed by ``dim``."""
    if dim:
        weight = weight.permute(dim, *[each for each in range(weight.dim()) if each != dim])
    return weight.reshape(weight.shape[0], -1)


def first_vector(weight: Any, size: int, eps: float) -> Any:
    """Return a random vector of norm 1."""
    return normalize(weight.new_empty(size).normal_(0, 1), dim=0, eps=eps)


class SpectralNorm:
    """Forward pre-hook that computes the normalized weight.

    Args:
        name: Name of the weight.
        n_power_iterations: Number of power iterations per forward pass in training.
        dim: The dim of the outputs.
        eps: Lower bound of norms.
    """

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        if n_power_iterations <= 0:
            raise ArgumentError(
                "Expected n_power_iterations to be positive, but got n_power_iterations="
                f"{n_power_iterations}"
            )
        self.name = name
        self.n_power_iterations = n_power_iterations
        self.dim = dim
        self.eps = eps

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Any:
        """Return the weight divided by the estimate of its largest singular value.

        Args:
            module: The module.
            do_power_iteration: Whether to improve the estimate first.
        """
        weight = getattr(module, f"{self.name}_orig")
        u, v = getattr(module, f"{self.name}_u"), getattr(module, f"{self.name}_v")
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(normalize(mv(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(normalize(mv(matrix, v), dim=0, eps=self.eps))
        # Copies, because the next forward changes vectors that a backward may still need.
        u, v = u.clone(), v.clone()
        return weight / dot(u, mv(matrix, v))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, module.training))


def spectral_norm(
    module: M, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12,
    dim: int | None = None,
) -> M:  # fmt: skip
    """Divide a weight by its largest singular value, which is estimated by power iteration.

    Args:
        module: Module with the parameter.
        name: Name of the parameter.
        n_power_iterations: Number of power iterations per forward pass in training.
        eps: Lower bound of norms.
        dim: The dim of the outputs; 0, or 1 for transposed convolutions, if None.

    Returns:
        The module.

    Raises:
        RuntimeError: If that weight is normalized already.

    >>> layer = torch.nn.utils.spectral_norm(torch.nn.Linear(3, 2))
    >>> list(layer.state_dict())
    ['bias', 'weight_orig', 'weight_u', 'weight_v']
    """
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            raise GraphError(
                f"Cannot register two spectral_norm hooks on the same parameter {name}"
            )
    norm = SpectralNorm(name, n_power_iterations, output_dim(module) if dim is None else dim, eps)
    weight = getattr(module, name)
    refuse_lazy(weight, "SpectralNorm", "spectral")
    with no_grad():
        rows, columns = as_matrix(weight, norm.dim).shape
        u, v = first_vector(weight, rows, eps), first_vector(weight, columns, eps)
    del module._parameters[name]
    module.register_parameter(f"{name}_orig", weight)
    setattr(module, name, weight.data)
    module.register_buffer(f"{name}_u", u)
    module.register_buffer(f"{name}_v", v)
    module.register_forward_pre_hook(norm)
    return module


def remove_spectral_norm(module: M, name: str = "weight") -> M:
    """Make a normalized weight an ordinary parameter again; return the module.

    Args:
        module: Module with the parameter.
        name: Name of the parameter.

    Raises:
        ValueError: If the weight is not normalized.

    >>> layer = torch.nn.utils.spectral_norm(torch.nn.Linear(2, 3))
    >>> [name for name, _ in torch.nn.utils.remove_spectral_norm(layer).named_parameters()]
    ['bias', 'weight']
    """
    for key, norm in module._forward_pre_hooks.items():
        if isinstance(norm, SpectralNorm) and norm.name == name:
            with no_grad():
                weight = norm.compute_weight(module, do_power_iteration=False)
            delattr(module, name)
            for part in ("u", "v", "orig"):
                delattr(module, f"{name}_{part}")
            module.register_parameter(name, Parameter(weight.detach()))
            del module._forward_pre_hooks[key]
            return module
    raise ArgumentError(f"spectral_norm of '{name}' not found in {module}")
