"""Helpers shared by distributions: broadcasting, probabilities and logits, lazy attributes."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import TYPE_CHECKING, Any

from pellucid import dtypes
from pellucid.autograd.modes import enable_grad
from pellucid.core.call.overriding import overrides
from pellucid.errors import ArgumentError
from pellucid.nn import functional
from pellucid.ops.shape.broadcasting import broadcast_tensors
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
    """Convert numbers to tensors and broadcast all tensors to one shape.

    Args:
        values: Tensors and numbers. Numbers take the dtype of the first tensor, or the default
            dtype if there is none.

    Returns:
        A tuple of tensors of the common shape.

    Raises:
        ValueError: If a value is neither a number nor a tensor.

    >>> torch.distributions.utils.broadcast_all(1.0, torch.zeros(2))
    (tensor([1., 1.]), tensor([0., 0.]))
    """
    for value in values:
        if not isinstance(value, Tensor | Number) and not overrides(value):
            raise ArgumentError(
                "Input arguments must all be instances of Number, torch.Tensor or objects "
                f"implementing __torch_function__. One is of type {type(value).__name__}."
            )
    tensors = [value for value in values if isinstance(value, Tensor)]
    dtype = tensors[0].dtype if tensors else dtypes.get_default_dtype()
    made = [
        creation.tensor(value, dtype=dtype) if isinstance(value, Number) else value
        for value in values
    ]
    if any(not isinstance(each, Tensor) for each in made):
        return broadcast_tensors(*made)
    shape = broadcast_shapes(*(each.shape for each in made))
    return tuple(each if each.shape == shape else each.expand(shape) for each in made)


def standard_normal(shape: Any, dtype: Any, device: Any = None) -> Tensor:
    """Draw samples from the standard normal distribution.

    Args:
        shape: Shape of the result.
        dtype: Floating-point dtype of the result.
        device: Ignored; tensors live on the CPU.
    """
    return normal(creation.zeros(shape, dtype=dtype), creation.ones(shape, dtype=dtype))


def sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """Sum a tensor over its last ``dim`` dims."""
    if dim == 0:
        return value
    return value.reshape(*value.shape[: value.dim() - dim], -1).sum(-1)


def clamp_probs(probs: Tensor) -> Tensor:
    """Clamp probabilities to ``[eps, 1 - eps]``, with ``eps`` of their dtype.

    Args:
        probs: Floating-point tensor of probabilities, of any shape.

    >>> torch.distributions.utils.clamp_probs(torch.tensor([0.0, 0.5])) > 0
    tensor([True, True])
    """
    eps = finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Convert probabilities to log-odds (binary) or log-probabilities (categorical).

    Args:
        probs: Floating-point tensor of probabilities, of any shape; clamped away from 0 and 1.
        is_binary: Whether each element is the probability of a binary event.

    >>> torch.distributions.utils.probs_to_logits(torch.tensor(0.5), is_binary=True)
    tensor(0.)
    """
    kept = clamp_probs(probs)
    if is_binary:
        return kept.log() - (-kept).log1p()
    return kept.log()


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Convert log-odds (binary) or unnormalized log-probabilities (categorical) to probabilities.

    Args:
        logits: Floating-point tensor; if not binary, its last dim holds the categories.
        is_binary: Whether each element is the log-odds of a binary event.

    >>> torch.distributions.utils.logits_to_probs(torch.zeros(2))
    tensor([0.5000, 0.5000])
    """
    if is_binary:
        return logits.sigmoid()
    return functional.softmax(logits, dim=-1)


def one_given(**arguments: Any) -> tuple[str, Any]:
    """Return the name and value of the one argument that is not None.

    Raises ValueError if both or neither of the two are given.
    """
    first, second = arguments
    if (arguments[first] is None) == (arguments[second] is None):
        state = "neither is" if arguments[first] is None else "both are"
        raise ArgumentError(
            f"Either `{first}` or `{second}` must be specified, but not both. Here {state}."
        )
    name = second if arguments[first] is None else first
    return name, arguments[name]


class lazy_property:  # noqa: N801
    """Attribute that is computed on first access and then stored on the instance.

    The computation is recorded by autograd even inside ``no_grad``.

    Args:
        function: Method that computes the value; its name is the name of the attribute.

    >>> class Circle:
    ...     radius = 2.0
    ...
    ...     @torch.distributions.utils.lazy_property
    ...     def area(self):
    ...         return 3.0 * self.radius**2
    >>> Circle().area
    12.0
    """

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    if TYPE_CHECKING:  # the value replaces this descriptor and can be assigned

        def __set__(self, instance: Any, value: Any) -> None: ...

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        with enable_grad():
            value = self.function(instance)
        setattr(instance, self.function.__name__, value)
        return value


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """Flatten the lower triangles of matrices, row by row, to vectors.

    Args:
        mat: Tensor of shape (..., D, D).
        diag: Diagonal up to which elements are taken: 0 is the main one, negative values lie below.

    Raises:
        ValueError: If ``diag`` is outside the matrix.

    >>> torch.distributions.utils.tril_matrix_to_vec(torch.tensor([[1.0, 0.0], [2.0, 3.0]]))
    tensor([1., 2., 3.])
    """
    size = mat.shape[-1]
    if not -size <= diag < size:
        raise ArgumentError(f"diag ({diag}) provided is outside [{-size}, {size - 1}].")
    rows, columns = _lower_indices(size, diag)
    return mat[..., rows, columns]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Fill the lower triangles of matrices, row by row, from vectors.

    Args:
        vec: Floating-point tensor of shape (..., N).
        diag: Diagonal up to which elements are filled: 0 is the main one, negative values lie
            below.

    Returns:
        A tensor of shape (..., D, D), zero outside the triangle.

    Raises:
        ValueError: If N is not the number of elements of such a triangle.

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
    rows, columns = _lower_indices(size, diag)
    matrix[..., rows, columns] = vec
    return matrix


def _lower_indices(size: int, diag: int) -> tuple[Tensor, Tensor]:
    """Return the row and column indices of the elements up to a diagonal."""
    rows, columns = tril_indices(size, size, diag)
    return rows, columns
