"""Arithmetic: what Python's operators do to tensors, element by element."""

from __future__ import annotations

from pellucid.ops.families import multilinear


@multilinear(promotes=True, jointly=True)
def add(be, input, other, /, *, alpha=1):
    """Add ``alpha`` times the other tensor, with broadcasting.

    >>> import pellucid as torch
    >>> torch.add(torch.ones(2), torch.ones(2), alpha=3)
    tensor([4., 4.])
    """
    return be.add(input, other) if alpha == 1 else be.add(input, be.multiply(other, alpha))


@add.vjp("input")
def add_input(g):
    return g


@add.vjp("other")
def add_other(g, alpha):
    return g if alpha == 1 else g * alpha


@add.into
def add_into(be, out, input, other, alpha):
    be.add(input, other if alpha == 1 else be.multiply(other, alpha), out=out, casting="unsafe")


@multilinear(promotes=True, jointly=True)
def sub(be, input, other, /, *, alpha=1):
    """Subtract ``alpha`` times the other tensor, with broadcasting.

    >>> import pellucid as torch
    >>> torch.sub(torch.ones(2), torch.ones(2), alpha=3)
    tensor([-2., -2.])
    """
    return be.subtract(input, other) if alpha == 1 else be.subtract(input, be.multiply(other, alpha))


@sub.vjp("input")
def sub_input(g):
    return g


@sub.vjp("other")
def sub_other(g, alpha):
    return -g if alpha == 1 else g * -alpha


@sub.into
def sub_into(be, out, input, other, alpha):
    be.subtract(input, other if alpha == 1 else be.multiply(other, alpha), out=out, casting="unsafe")


@multilinear(promotes=True)
def mul(be, input, other, /):
    """Multiply element by element, with broadcasting.

    >>> import pellucid as torch
    >>> torch.mul(torch.tensor([1.0, 2.0]), 3)
    tensor([3., 6.])
    """
    return be.multiply(input, other)


@mul.vjp("input")
def mul_input(g, other):
    return g * other


@mul.vjp("other")
def mul_other(g, input):
    return g * input


@mul.into
def mul_into(be, out, input, other):
    be.multiply(input, other, out=out, casting="unsafe")
