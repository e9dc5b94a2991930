"""The families of ops: what their members have in common is said once, here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pellucid.core.batching import Batch
from pellucid.core.dtype_rules import COMMON
from pellucid.core.fast_call import public_function
from pellucid.core.op import Family, Op
from pellucid.errors import GraphError, UnimplementedError

ELEMENTWISE = Family("elementwise", dtypes=COMMON, batch=Batch.ELEMENTWISE, jvp="partial")
LINEAR = Family("linear", jvp="linear")
MULTILINEAR = Family("multilinear", jvp="multilinear")
VIEW = Family("view", view=True, jvp="linear")
NOGRAD = Family("nograd", recorded=False, jvp="none")
PLAIN = Family("op")
UNDERIVED = Family("underived")


def _family(family: Family) -> Any:
    def decorate(body: Callable[..., Any] | None = None, **options: Any) -> Any:
        if body is None:
            return lambda body: public_function(Op(body, family, **options))
        return public_function(Op(body, family))

    decorate.__name__ = family.name
    return decorate


#: element by element, with broadcasting and type promotion; give a ``partial`` per operand
elementwise = _family(ELEMENTWISE)
#: linear in its one tensor; give its ``vjp``, forward mode is the op itself
linear = _family(LINEAR)
#: linear in each of its tensors; give a ``vjp`` for each, forward mode is the op itself
multilinear = _family(MULTILINEAR)
#: linear, and the result shares memory with the tensor
view = _family(VIEW)
#: no derivative: comparisons, indices, counts
nograd = _family(NOGRAD)
#: anything else: give a ``vjp`` for each operand; forward mode is found by transposing it
op = _family(PLAIN)


def underived(body: Callable[..., Any] | None = None, *, declared: str = "", **options: Any) -> Any:
    """Make an op that is recorded, as in PyTorch, but whose derivative nobody has written.

    Forward mode raises NotImplementedError. Backward raises RuntimeError, or NotImplementedError
    where PyTorch lists the op, by the name ``declared``, among those it has no derivative for.
    """
    if body is None:
        return lambda body: underived(body, declared=declared, **options)
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
