"""What the core needs of the layers above, which put it here so that nothing below knows them.

`pellucid` itself says how packages are loaded when something here first asks for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pellucid.autograd.variable import TensorBase


class FromAbove:
    """The class of tensors, and packages: each of them as a function that loads and returns it."""

    __slots__ = ("array_api", "sparse", "tensor")

    #: the class of results; `pellucid.tensors.tensor` sets it
    tensor: type[TensorBase]
    #: tensors of which few elements are not zero
    sparse: Callable[[], Any]
    #: the functions of the array API standard
    array_api: Callable[[], Any]


from_above = FromAbove()
