"""Parametrizations: weight normalization, spectral normalization and orthogonal matrices."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.modes import no_grad
from pellucid.errors import ArgumentError
from pellucid.nn.functional import normalize, pad
from pellucid.nn.modules.module import Module
from pellucid.nn.utils.parametrize import register_parametrization
from pellucid.nn.utils.spectral_norm import as_matrix, first_vector, output_dim
from pellucid.ops.elementwise.compare import allclose
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.linalg.distances import norm_except_dim, normalized_weight
from pellucid.ops.linalg.householder import geqrf, linalg_householder_product
from pellucid.ops.linalg.matmul import mv, vdot
from pellucid.ops.linalg.matrix_functions import linalg_matrix_exp
from pellucid.ops.linalg.solving import linalg_solve
from pellucid.ops.shape.diagonal import diag_embed
from pellucid.ops.shape.join import cat
from pellucid.random import randn
from pellucid.tensors import Tensor
from pellucid.tensors.creation import eye
from pellucid.tensors.limits import finfo

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


class _WeightNorm(Module):
    """Parametrization of a weight by magnitudes and directions."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        return normalized_weight(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Any) -> tuple[Any, Any]:
        """Return the magnitude and direction of a weight."""
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Parametrize a weight by a direction (``original1``) and a magnitude (``original0``).

    Source: Salimans and Kingma, "Weight normalization", 2016.

    Args:
        module: Module with the parameter.
        name: Name of the parameter.
        dim: The dim with one magnitude for each index; None for a single magnitude.

    Returns:
        The module.

    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2))
    >>> layer.parametrizations.weight.original0.shape
    torch.Size([2, 1])
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename_old(module: Module, state: dict[str, Any], prefix: str, *rest: Any) -> None:
        """Take the keys of :func:`torch.nn.utils.weight_norm` for the originals."""
        old = [f"{prefix}{name}{ending}" for ending in ("_g", "_v")]
        if all(key in state for key in old):
            for number, key in enumerate(old):
                state[f"{prefix}parametrizations.{name}.original{number}"] = state.pop(key)

    module.register_load_state_dict_pre_hook(rename_old)
    return module


class _SpectralNorm(Module):
    """Parametrization that divides a weight by the estimate of its largest singular value."""

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
            self._power_iteration(matrix, 15)

    def _power_iteration(self, matrix: Any, times: int) -> None:
        """Run power iterations that update the singular vectors in place."""
        with no_grad():
            for _ in range(times):
                self._u.copy_(normalize(mv(matrix, self._v), dim=0, eps=self.eps))
                self._v.copy_(normalize(mv(matrix.mH, self._u), dim=0, eps=self.eps))

    def forward(self, weight: Any) -> Any:
        if weight.dim() == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            self._power_iteration(matrix, self.n_power_iterations)
        # Copies, because the next forward changes vectors that a backward may still need.
        u, v = self._u.clone(), self._v.clone()
        return weight / vdot(u, mv(matrix, v))

    def right_inverse(self, value: Any) -> Any:
        """Return the value itself, because the original weight cannot be recovered."""
        return value


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12,
    dim: int | None = None,
) -> Module:  # fmt: skip
    """Parametrize a weight by its quotient by its largest singular value.

    The singular value is estimated by power iteration in every forward pass in training. Source:
    Miyato et al., "Spectral normalization for generative adversarial networks", 2018.

    Args:
        module: Module with the parameter.
        name: Name of the parameter.
        n_power_iterations: Number of power iterations per forward pass.
        eps: Lower bound of norms.
        dim: The dim of the outputs; 0, or 1 for transposed convolutions, if None.

    Returns:
        The module.

    Raises:
        ValueError: If there is no parameter or buffer of that name.

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


_ORTHOGONAL_MAPS = ("matrix_exp", "cayley", "householder")


class _Orthogonal(Module):
    """Parametrization by matrices with orthonormal columns, or rows if there are fewer."""

    base: Any

    def __init__(
        self, weight: Any, orthogonal_map: str, *, use_trivialization: bool = True
    ) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ArgumentError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Any) -> Any:
        wide = X.shape[-2] < X.shape[-1]
        tall = X.mT if wide else X
        made = (
            self._reflections(tall) if self.orthogonal_map == "householder" else self._rotate(tall)
        )
        if hasattr(self, "base"):
            made = self.base @ made
        return made.mT if wide else made

    def _rotate(self, tall: Any) -> Any:
        """Return the product with an orthogonal matrix, made from the lower triangle."""
        rows, columns = tall.shape[-2:]
        lower = pad(tall.tril(), (0, rows - columns)) if rows != columns else tall.tril()
        skew = lower - lower.mH
        if self.orthogonal_map == "matrix_exp":
            made = linalg_matrix_exp(skew)
        else:
            identity = eye(rows, dtype=skew.dtype)
            made = linalg_solve(identity - 0.5 * skew, identity + 0.5 * skew)
        return made[..., :columns]

    def _reflections(self, tall: Any) -> Any:
        """Return the product of Householder reflections, with signs from the diagonal."""
        lower = tall.tril(diagonal=-1)
        factors = 2.0 / (1.0 + (lower * lower).sum(-2))
        signs = tall.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        return linalg_householder_product(lower, factors) * signs

    def right_inverse(self, Q: Any) -> Any:
        """Return the parameters of the matrix, which is orthogonalized first if necessary."""
        if Q.shape != self.shape:
            raise ArgumentError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of "
                f"shape {Q.shape}."
            )
        with no_grad():
            wide = Q.shape[-2] < Q.shape[-1]
            tall = Q.mT if wide else Q
            if hasattr(self, "base"):
                self.base = _completed(tall)
                return -eye(*Q.shape[-2:], dtype=Q.dtype).expand(Q.shape).clone()
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley "
                    "parametrizations when use_trivialization=False."
                )
            packed = _reflections_of(tall)
            return packed.mT if wide else packed


def _reflections_of(tall: Any) -> Any:
    """Return the reflections of a QR decomposition, with the signs of R on the diagonal."""
    packed, factors = geqrf(tall)
    signs = packed.diagonal(dim1=-2, dim2=-1).sign()
    signs = where(factors == 0, -signs, signs)
    return packed.tril(diagonal=-1) + packed.triu(diagonal=1) + _on_diagonal(signs, packed)


def _on_diagonal(values: Any, like: Any) -> Any:
    rows, columns = like.shape[-2:]
    return pad(diag_embed(values), (0, 0, 0, rows - columns))


def _completed(tall: Any) -> Any:
    """Return a square orthogonal matrix that starts with the orthogonalized columns."""
    rows, columns = tall.shape[-2:]
    if rows == columns:
        return tall.clone() if _is_orthogonal(tall) else _made_orthogonal(tall)
    more = randn(*tall.shape[:-2], rows, rows - columns, dtype=tall.dtype)
    return _made_orthogonal(cat([tall, more], -1))


def _is_orthogonal(square: Any) -> bool:
    size = square.shape[-1]
    identity = eye(size, dtype=square.dtype)
    return allclose(square.mH @ square, identity, atol=10 * size * finfo(square.dtype).eps)


def _made_orthogonal(tall: Any) -> Any:
    """Return the orthogonal factor of a QR decomposition, with the signs of R's diagonal."""
    packed, factors = geqrf(tall)
    signs = packed.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)
    return linalg_householder_product(packed, factors) * signs


def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *,
    use_trivialization: bool = True,
) -> Module:  # fmt: skip
    """Constrain a weight so that its columns (or its rows, if fewer) are orthonormal.

    Source: Lezcano-Casado, "Trivializations for gradient-based optimization on manifolds", 2019.

    Args:
        module: Module with the parameter.
        name: Name of the parameter.
        orthogonal_map: ``"matrix_exp"``, ``"cayley"`` or ``"householder"``; by default the first
            for square or complex matrices and the last otherwise.
        use_trivialization: Whether to multiply by the initial weight, which improves conditioning.

    Returns:
        The module.

    Raises:
        ValueError: If there is no tensor of that name, if it has fewer than two dims, or if the map
            is unknown.

    >>> layer = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(3, 2))
    >>> torch.allclose(layer.weight @ layer.weight.T, torch.eye(2), atol=1e-5)
    True
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ArgumentError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ArgumentError(
            f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions."
        )
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in _ORTHOGONAL_MAPS:
        raise ArgumentError(
            'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: '
            f"{orthogonal_map}"
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    register_parametrization(module, name, made, unsafe=True)
    return module
