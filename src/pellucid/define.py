"""The decorators with which programs define operations of their own: see ``docs/own-op.md``.

They are those that define the operations of pellucid. What they make has derivatives of any order,
forward mode, batching and the checks of arguments, as `pellucid.add` has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pellucid.core.definition import public as declarations
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.dtype_rules import (
    COMMON,
    FLOAT_MATH,
    LIKE_FIRST,
    NUMBER_SECOND,
    OWN,
    TENSORS,
)
from pellucid.core.definition.op import Tensors
from pellucid.core.definition.public import CASTING, EXACT, JOINING, METHODS, Out, public_names
from pellucid.core.families import elementwise, linear, multilinear, nograd, op, underived, view
from pellucid.shapes import Like
from pellucid.tensors import Tensor
from pellucid.tensors.public_functions import function_of, method_of

__all__ = [
    "CASTING", "COMMON", "EXACT", "FLOAT_MATH", "JOINING", "LIKE_FIRST", "NUMBER_SECOND", "OWN",
    "TENSORS", "Autocast", "Batch", "Like", "Out", "Tensors", "autocasts", "elementwise", "linear",
    "multilinear", "nograd", "op", "public", "underived", "view",
]  # fmt: skip

Function = TypeVar("Function", bound=Callable[..., Any])


def public(
    *, method: bool | str = False, inplace: bool | str = False, out: Out | None = None,
    reads_late: bool = False, keeps_input: bool = False,
) -> Callable[[Function], Function]:  # fmt: skip
    """Give an op or a function of a program the public names that those of pellucid have.

    The name of the function then stands for one that checks its arguments and takes ``out``.

    Args:
        method: True for a method of `pellucid.Tensor` of the function's name, else the methods,
            separated by spaces.
        inplace: True for an in-place variant of each method, else the variants.
        out: ``CASTING`` where ``out=`` may have any dtype to which the result can be cast,
            ``EXACT`` where it must have that of the result; None for no such argument.
        reads_late: Whether arguments are checked where the function comes to them.
        keeps_input: Whether the derivative of the in-place variant of a function that is not an op
            needs the values before the change.

    Raises TypeError for a method that `pellucid.Tensor` has already.

    >>> @public(method="squared_norm")
    ... def squared_norm(input):
    ...     return (input * input).sum()
    >>> torch.tensor([3.0, 4.0]).squared_norm()
    tensor(25.)
    """

    def declare(function: Function) -> Function:
        own = (function.__module__, function.__name__)
        known = set(public_names[METHODS])
        declarations.public(
            ".".join(own),
            method=own[1] if method is True else method,
            inplace=inplace,
            out=out,
            reads_late=reads_late,
            keeps_input=keeps_input,
        )(function)
        entry = public_names[own[0]][own[1]]
        for name, each in public_names[METHODS].items():
            if each.declaration is entry.declaration:
                _attach(name, method_of(each, name), known)
        return function_of(entry, own[1], own[0])

    return declare


def _attach(name: str, method: Any, known: set[str]) -> None:
    """Give `Tensor` a method; raise TypeError where it has another that is not declared."""
    if hasattr(Tensor, name) and name not in known:
        del public_names[METHODS][name]
        raise TypeError(f"Tensor has an attribute {name!r} already; give the method another name")
    setattr(Tensor, name, method)
