"""Ready-made parametrizations: weight and spectral normalisation."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.modes import no_grad
from pellucid.errors import ArgumentError
from pellucid.functional import normalize
from pellucid.nn.modules.module import Module
from pellucid.nn.utils.parametrize import register_parametrization
from pellucid.nn.utils.spectral_norm import as_matrix, first_vector, output_dim
from pellucid.nn.utils.weight_norm import norm_except_dim, normalised_weight
from pellucid.ops.matmul import mv, vdot
from pellucid.tensor import Tensor

__all__ = ["spectral_norm", "weight_norm"]


class _WeightNorm(Module):
    """Compute a weight of its lengths and directions."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        return normalised_weight(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Any) -> tuple[Any, Any]:
        """Return length and direction of a weight."""
        return norm_except_dim(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Learn a weight as a direction (``original1``) times a length (``original0``).

    There is a length for each index of ``dim``, one for all if it is ``None``. Salimans and Kingma,
    "Weight normalization", 2016.

    >>> import pellucid as torch
    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2))
    >>> layer.parametrizations.weight.original0.shape
    torch.Size([2, 1])
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)
    return module


class _SpectralNorm(Module):
    """Divide a weight by the estimate of its largest singular value."""

    def __init__(
        self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        super().__init__()
        ndim = weight.dim()
        if not -ndim <= dim < ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got "
                f"{dim})"
            )
        if n_power_iterations <= 0:
            raise ArgumentError(
                "Expected n_power_iterations to be positive, but got n_power_iterations="
                f"{n_power_iterations}"
            )
        self.dim = dim % ndim
        self.eps = eps
        if ndim == 1:
            return
        self.n_power_iterations = n_power_iterations
        with no_grad():
            matrix = as_matrix(weight, self.dim)
            rows, columns = matrix.shape
            self.register_buffer("_u", first_vector(weight, rows, eps))
            self.register_buffer("_v", first_vector(weight, columns, eps))
            self._improve(matrix, 15)

    def _improve(self, matrix: Any, times: int) -> None:
        """Run power iterations on the singular vectors, in place."""
        with no_grad():
            for _ in range(times):
                self._u.copy_(normalize(mv(matrix, self._v), dim=0, eps=self.eps))
                self._v.copy_(normalize(mv(matrix.t(), self._u), dim=0, eps=self.eps))

    def forward(self, weight: Any) -> Any:
        if weight.dim() == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            self._improve(matrix, self.n_power_iterations)
        # Copies: the next forward changes the vectors, which a backward may still need.
        u, v = self._u.clone(), self._v.clone()
        return weight / vdot(u, mv(matrix, v))

    def right_inverse(self, value: Any) -> Any:
        """Return the value itself: which weight it came from cannot be told."""
        return value


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12,
    dim: int | None = None,
) -> Module:  # fmt: skip
    """Divide a weight by its largest singular value, found by power iteration.

    Miyato et al., "Spectral normalization for generative adversarial networks", 2018. Raises
    ValueError if there is no tensor of that name.

    >>> import pellucid as torch
    >>> layer = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(3, 2))
    >>> list(layer.state_dict())[:2]
    ['bias', 'parametrizations.weight.original']
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ArgumentError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    place = output_dim(module) if dim is None else dim
    parametrization = _SpectralNorm(weight, n_power_iterations, place, eps)
    register_parametrization(module, name, parametrization)
    return module
