"""The type of tensors in autograd's signatures; to type checkers, by its stub, it is `Tensor`."""

from __future__ import annotations

from pellucid.autograd.variable import TensorBase as Tensor

__all__ = ["Tensor"]
