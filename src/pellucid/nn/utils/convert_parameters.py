"""Parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pellucid.errors import ArgumentTypeError
from pellucid.ops.shape.join import cat
from pellucid.tensors import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Any:
    """Return all parameters joined into one vector.

    >>> import pellucid as torch
    >>> torch.nn.utils.parameters_to_vector([torch.zeros(2, 2), torch.ones(1)])
    tensor([0., 0., 0., 0., 1.])
    """
    return cat([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Let parameters take their values, in order, from one vector, whose memory they then share.

    Raises TypeError for something that is no tensor.
    """
    if not isinstance(vec, Tensor):
        raise ArgumentTypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    offset = 0
    for parameter in parameters:
        count = parameter._array.size
        parameter.data = vec[offset : offset + count].reshape(parameter.shape).data
        offset += count
