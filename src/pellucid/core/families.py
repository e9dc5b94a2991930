"""The families of ops: what their members have in common is said once, here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pellucid.core.call.fast_call import public_function
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.dtype_rules import COMMON
from pellucid.core.definition.op import Family, Op
from pellucid.errors import GraphError, UnimplementedError

ELEMENTWISE = Family("elementwise", dtypes=COMMON, batch=Batch.ELEMENTWISE, jvp="partial")
LINEAR = Family("linear", jvp="linear")
MULTILINEAR = Family("multilinear", jvp="multilinear")
VIEW = Family("view", view=True, jvp="linear")
NOGRAD = Family("nograd", recorded=False, jvp="none")
PLAIN = Family("op")
UNDERIVED = Family("underived")


def _family(family: Family, summary: str) -> Any:
    def decorate(body: Callable[..., Any] | None = None, **options: Any) -> Any:
        if body is None:
            return lambda body: public_function(Op(body, family, **options))
        return public_function(Op(body, family))

    decorate.__name__ = family.name
    decorate.__doc__ = f"""{summary}

    Args:
        body: The forward function: first the backend, left of the slash the tensors, right of it
            the parameters.
        options: The facts about the op, as `Op` takes them.
    """
    return decorate


elementwise = _family(
    ELEMENTWISE,
    "Define an op that computes element by element, with broadcasting and type promotion.\n\n"
    "    It needs a ``partial`` for each operand.",
)
linear = _family(
    LINEAR,
    "Define an op that is linear in its one tensor.\n\n"
    "    It needs a ``vjp``; forward mode is the op itself.",
)
multilinear = _family(
    MULTILINEAR,
    "Define an op that is linear in each of its tensors; those that may be left out are added.\n\n"
    "    It needs a ``vjp`` for each; forward mode is the op itself.",
)
view = _family(VIEW, "Define a linear op whose result shares memory with the tensor.")
nograd = _family(NOGRAD, "Define an op without derivatives: a comparison, indices, a count.")
op = _family(
    PLAIN,
    "Define an op that belongs to no other family.\n\n"
    "    It needs a ``vjp`` for each operand; forward mode is found by transposing it.",
)


def underived(body: Callable[..., Any] | None = None, *, declared: str = "", **options: Any) -> Any:
    """Make an op that is recorded, as in PyTorch, but whose derivative nobody has written.

    Forward mode raises NotImplementedError. Backward raises RuntimeError, or NotImplementedError
    where PyTorch lists the op, by the name ``declared``, among those it has no derivative for.

    Args:
        body: Forward function; None for a decorator.
        declared: PyTorch's name of the derivative that is missing there too.
        options: Facts about the op, as for the other families.
    """
    if body is None:
        return lambda body: underived(body, declared=declared, **options)
    if not declared:
        options["named"] = lambda node: "torch::autograd::NotImplemented"
    function = public_function(Op(body, UNDERIVED, **options))
    op = function.op
    for operand in op.operands:
        op.add_formula(operand.name, _refusal(op.node_name, declared))
    op.add_jvp(_forward_refusal(op.node_name))
    return function


def _refusal(name: str, declared: str) -> Any:
    def refuse() -> Any:
        if declared:
            raise UnimplementedError(f"the derivative for '{declared}' is not implemented.")
        raise GraphError(f"derivative for aten::{name} is not implemented")

    return refuse


def _forward_refusal(name: str) -> Any:
    def refuse() -> Any:
        raise UnimplementedError(
            f"Trying to use forward AD with aten::{name} that does not support it."
        )

    return refuse
