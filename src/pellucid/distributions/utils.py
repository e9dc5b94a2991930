"""What several distributions need: common shapes, probabilities and logits, lazy parameters."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import TYPE_CHECKING, Any

from pellucid import dtypes
from pellucid.autograd.modes import enable_grad
from pellucid.errors import ArgumentError
from pellucid.nn import functional
from pellucid.ops.shape.diagonal import tril_indices
from pellucid.random import normal
from pellucid.shapes import broadcast_shapes
from pellucid.tensors import Tensor, creation
from pellucid.tensors.limits import finfo

__all__ = [
    "broadcast_all", "clamp_probs", "euler_constant", "lazy_property", "logits_to_probs",
    "probs_to_logits", "tril_matrix_to_vec", "vec_to_tril_matrix",
]  # fmt: skip

euler_constant = 0.57721566490153286060


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Turn numbers into tensors, and give all tensors one shape.

    Numbers take the dtype of the first tensor, or the default dtype. Raises ValueError for what is
    neither a number nor a tensor.

    >>> import pellucid as torch
    >>> torch.distributions.utils.broadcast_all(1.0, torch.zeros(2))
    (tensor([1., 1.]), tensor([0., 0.]))
    """
    for value in values:
        if not isinstance(value, Tensor | Number):
            raise ArgumentError(
                "Input arguments must all be instances of Number, torch.Tensor or objects "
                f"implementing __torch_function__. One is of type {type(value).__name__}."
            )
    tensors = [value for value in values if isinstance(value, Tensor)]
    dtype = tensors[0].dtype if tensors else dtypes.get_default_dtype()
    made = [
        value if isinstance(value, Tensor) else creation.tensor(value, dtype=dtype)
        for value in values
    ]
    shape = broadcast_shapes(*(each.shape for each in made))
    return tuple(each if each.shape == shape else each.expand(shape) for each in made)


def standard_normal(shape: Any, dtype: Any, device: Any = None) -> Tensor:
    """Draw from the standard normal distribution; there is no device but the CPU."""
    return normal(creation.zeros(shape, dtype=dtype), creation.ones(shape, dtype=dtype))


def sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """Sum over the last ``dim`` dimensions."""
    if dim == 0:
        return value
    return value.reshape(*value.shape[: value.dim() - dim], -1).sum(-1)


def clamp_probs(probs: Tensor) -> Tensor:
    """Keep probabilities away from 0 and 1 by the resolution of their dtype."""
    eps = finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Turn probabilities into log-odds, or into their logarithms if there are several categories.

    >>> import pellucid as torch
    >>> torch.distributions.utils.probs_to_logits(torch.tensor(0.5), is_binary=True)
    tensor(0.)
    """
    kept = clamp_probs(probs)
    if is_binary:
        return kept.log() - (-kept).log1p()
    return kept.log()


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Turn log-odds into probabilities, or unnormalised logarithms along the last dimension.

    >>> import pellucid as torch
    >>> torch.distributions.utils.logits_to_probs(torch.zeros(2))
    tensor([0.5000, 0.5000])
    """
    if is_binary:
        return logits.sigmoid()
    return functional.softmax(logits, dim=-1)


def one_given(**arguments: Any) -> tuple[str, Any]:
    """Return the one of two arguments that is there, and its name; raise ValueError otherwise."""
    first, second = arguments
    if (arguments[first] is None) == (arguments[second] is None):
        state = "neither is" if arguments[first] is None else "both are"
        raise ArgumentError(
            f"Either `{first}` or `{second}` must be specified, but not both. Here {state}."
        )
    name = second if arguments[first] is None else first
    return name, arguments[name]


class lazy_property:  # noqa: N801
    """Compute an attribute when it is first asked for, and keep it.

    It is recorded by autograd even where recording is switched off at that moment.
    """

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    if TYPE_CHECKING:  # the attribute itself takes this one's place, and can be assigned

        def __set__(self, instance: Any, value: Any) -> None: ...

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        with enable_grad():
            value = self.function(instance)
        setattr(instance, self.function.__name__, value)
        return value


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """Write the lower triangles of matrices, row by row, into vectors.

    >>> import pellucid as torch
    >>> torch.distributions.utils.tril_matrix_to_vec(torch.tensor([[1.0, 0.0], [2.0, 3.0]]))
    tensor([1., 2., 3.])
    """
    size = mat.shape[-1]
    if not -size <= diag < size:
        raise ArgumentError(f"diag ({diag}) provided is outside [{-size}, {size - 1}].")
    rows, columns = _lower_places(size, diag)
    return mat[..., rows, columns]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Write vectors, row by row, into the lower triangles of matrices.

    >>> import pellucid as torch
    >>> torch.distributions.utils.vec_to_tril_matrix(torch.tensor([1.0, 2.0, 3.0]))
    tensor([[1., 0.],
            [2., 3.]])
    """
    # Up to the diagonal `diag`, n rows hold n (n + 1 + 2 diag) / 2 numbers if diag <= 0.
    count, shift = vec.shape[-1], 1 + 2 * diag
    root = (shift**2 + 8 * count + 4 * abs(diag) * (diag + 1)) ** 0.5
    size = (-shift + root) / 2
    if round(size) - size > finfo(vec.dtype).eps:
        raise ArgumentError(
            f"The size of last dimension is {count} which cannot be expressed as "
            "the lower triangular part of a square D x D matrix."
        )
    size = round(size)
    matrix = creation.zeros(*vec.shape[:-1], size, size, dtype=vec.dtype)
    rows, columns = _lower_places(size, diag)
    matrix[..., rows, columns] = vec
    return matrix


def _lower_places(size: int, diag: int) -> tuple[Tensor, Tensor]:
    """Return rows and columns of the places up to a diagonal."""
    rows, columns = tril_indices(size, size, diag)
    return rows, columns
