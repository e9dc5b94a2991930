"""Forward mode: tangents travel along with the values, from inputs to outputs.

A tensor with a tangent is *dual*. The tangent of a result is computed with ordinary recorded
operations, so that forward mode can be differentiated backward, and backward mode forward.
"""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

from pellucid.autograd.gradient_ops import gradient_ops
from pellucid.autograd.modes import DecoratingContext, Modes, modes, push_interpreter
from pellucid.autograd.typed import Tensor
from pellucid.autograd.variable import TensorBase, extra_of
from pellucid.blocks import Block, temporary
from pellucid.dtypes import is_differentiable
from pellucid.errors import ArgumentError, ArgumentTypeError, GraphError

__all__ = [
    "UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual",
    "unpack_dual",
]  # fmt: skip


class Level:
    """A level of forward-mode differentiation, with the tensors that have a tangent in it."""

    def __init__(self, block: Block, of_function: bool = False) -> None:
        #: what closes the level
        self.block = block
        #: whether a transform of a function has opened it
        self.of_function = of_function
        self.is_open = True
        self._dual: list[weakref.ref[TensorBase]] = []

    def enter(self, tensor: TensorBase, tangent: Any) -> None:
        """Give a tensor its tangent."""
        extra = extra_of(tensor)
        if extra.tangent is None:
            self._dual.append(weakref.ref(tensor))
        extra.tangent = tangent

    def clear(self) -> None:
        """Take every tangent away, for good."""
        self.is_open = False
        for reference in self._dual:
            tensor = reference()
            if tensor is not None:
                extra_of(tensor).tangent = None


class UnpackedDualTensor(NamedTuple):
    """The two parts of a dual tensor.

    Attributes:
        primal: The tensor without its tangent.
        tangent: The tangent, None for a tensor without one.

    >>> unpack_dual(torch.ones(1))
    UnpackedDualTensor(primal=tensor([1.]), tangent=None)
    """

    primal: Tensor
    tangent: Tensor | None


def enter_dual_level() -> int:
    """Open a level in which tensors can have tangents, and return its number.

    Raises RuntimeError where one is open: tangents of tangents are found by ``functional.jvp``
    with ``create_graph``, or by going backward over forward.

    >>> enter_dual_level()
    0
    >>> exit_dual_level()
    """
    return dual_level().__enter__()


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level: every tensor loses its tangent.

    Args:
        level: The number of the level; the open one by default.

    Raises:
        RuntimeError: If no level is open, or not this one.

    >>> level = enter_dual_level()
    >>> exit_dual_level(level=level)
    """
    if not _has_level() or level not in (None, 0):
        raise GraphError(
            "Trying to exit a forward AD level that was not the last one that was created. This is "
            "not supported."
        )
    modes.forward_levels[0].block.__exit__()


class dual_level(DecoratingContext, Block):  # noqa: N801 - PyTorch's name
    """A context manager in which dual tensors can be made and computed with.

    Threads that start inside it are in it too.

    >>> import pellucid.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     x = fwAD.make_dual(torch.tensor([2.0, 3.0]), torch.tensor([1.0, 0.0]))
    ...     fwAD.unpack_dual(x * x).tangent
    tensor([4., 0.])
    """

    def _begin(self) -> int:
        level = _open(self)
        self._at_end(lambda: _end_in_threads(level))
        Modes.interpreters, Modes.forward_levels = (gradient_ops.tangents,), (level,)
        return 0


@temporary
def level_of_function(block: Block) -> None:
    """Open a level in the block that belongs to a transform, and so to its thread alone."""
    _open(block, of_function=True)


def _open(block: Block, of_function: bool = False) -> Level:
    refuse_levels(modes.forward_levels)
    level = Level(block, of_function)
    block._at_end(level.clear)
    push_interpreter(block, gradient_ops.tangents)
    block._set(modes, "forward_levels", (level,))
    return level


def refuse_levels(levels: tuple[Level, ...]) -> None:
    """Raise if one of these levels is open, as there is one at a time."""
    if any(level.is_open for level in levels):
        raise GraphError(
            "Nested forward mode AD is not supported at the moment\n  A dual_level is already open."
        )


def _end_in_threads(level: Level) -> None:
    """End a level in threads, which start in it."""
    if level in Modes.forward_levels:
        Modes.interpreters, Modes.forward_levels = (), ()


def _has_level() -> bool:
    """Return whether a level is open: another thread may have closed the one that is noted."""
    return any(level.is_open for level in modes.forward_levels)


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """Return a view of a tensor that carries a tangent.

    Args:
        tensor: Floating-point or complex tensor of any shape.
        tangent: Tensor of the same shape.
        level: The number that `enter_dual_level` returned; there is one level at most.

    Raises:
        RuntimeError: Outside a `dual_level`, if shapes differ, or if the tensor has a
            tangent already.
        ValueError: If the dtype is neither floating point nor complex.
        TypeError: If an argument is not a tensor.

    >>> with dual_level():
    ...     unpack_dual(make_dual(torch.ones(2), torch.ones(2)) * 3).tangent
    tensor([3., 3.])
    """
    if not _has_level():
        raise GraphError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
            "enter_dual_level() first."
        )
    for value, name in ((tensor, "primal"), (tangent, "tangent")):
        if not isinstance(value, TensorBase):
            kind = type(value).__name__
            raise ArgumentTypeError(f"make_dual expects a Tensor as {name}, got {kind}")
        if not is_differentiable(value._array.dtype):
            kind = getattr(value, "dtype", None)
            raise ArgumentError(f"Expected {name} to be floating point or complex, but got: {kind}")
    if tensor._array.shape != tangent._array.shape:
        raise GraphError(
            "Trying to set a forward gradient that has a different size than that of the original "
            f"Tensor, this is not supported. Tensor is of size {list(tensor._array.shape)} while "
            f"the given forward gradient is of size {list(tangent._array.shape)}."
        )
    if gradient_ops.tangents.tangent_of(tangent) is not None:
        raise GraphError(
            "Cannot set a forward grad that itself has a forward grad: the tangent has a forward "
            "gradient at the same level."
        )
    return gradient_ops.tangents.dual(tensor, tangent)


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """Return the value and the tangent of a dual tensor; outside any level the tangent is None.

    Args:
        tensor: Any tensor.
        level: As in `make_dual`.

    Returns:
        A named tuple of ``primal``, the tensor without its tangent, and ``tangent``, or None.

    >>> unpack_dual(torch.ones(2)).tangent is None
    True
    """
    if not _has_level():
        return UnpackedDualTensor(tensor, None)
    tangent = gradient_ops.tangents.tangent_of(tensor)
    if tangent is None:
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(gradient_ops.tangents.primal(tensor), tangent)


def tangent_of(tensor: Any) -> Any | None:
    """Return the tangent of a tensor in the open level, if there are both."""
    return gradient_ops.tangents.tangent_of(tensor) if modes.forward_levels else None
