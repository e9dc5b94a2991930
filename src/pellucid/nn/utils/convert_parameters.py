"""Conversion of parameters to one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pellucid.errors import ArgumentTypeError
from pellucid.ops.shape.join import cat
from pellucid.tensors import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Any:
    """Return all parameters concatenated to one vector.

    Args:
        parameters: Iterable of tensors.

    >>> torch.nn.utils.parameters_to_vector([torch.zeros(2, 2), torch.ones(1)])
    tensor([0., 0., 0., 0., 1.])
    """
    return cat([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Set parameters, in order, to views of the elements of a vector.

    Args:
        vec: 1-d tensor with the elements of all parameters.
        parameters: Iterable of tensors, which share the memory of ``vec`` afterwards.

    Raises:
        TypeError: If ``vec`` is not a tensor.

    >>> net = torch.nn.Linear(2, 1)
    >>> torch.nn.utils.vector_to_parameters(torch.tensor([1.0, 2.0, 3.0]), net.parameters())
    >>> net.bias.detach()
    tensor([3.])
    """
    if not isinstance(vec, Tensor):
        raise ArgumentTypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    offset = 0
    for parameter in parameters:
        count = parameter._array.size
        parameter.data = vec[offset : offset + count].reshape(parameter.shape).data
        offset += count
