"""What the core needs of the layers above, which put it here so that nothing below knows them."""

from __future__ import annotations

from pellucid.autograd.variable import TensorBase


class FromAbove:
    """The class of tensors."""

    __slots__ = ("tensor",)

    #: the class of results; `pellucid.tensors.tensor` sets it
    tensor: type[TensorBase]


from_above = FromAbove()
