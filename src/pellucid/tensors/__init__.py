"""The tensor, how it is made, converted, stored and printed."""

from __future__ import annotations

from pellucid.tensors.tensor import Tensor

__all__ = ["Tensor"]
