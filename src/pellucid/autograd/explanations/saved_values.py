"""What a node has saved: the names of the values, and the operands that they were."""

from __future__ import annotations

import ast
from typing import Any

from pellucid.autograd.explanations import source
from pellucid.autograd.node import AccumulateGrad, Node


def op_of(node: Node) -> Any:
    """Return the op that made a node, if one did; a custom function's ``op`` is the user's."""
    return getattr(type(node), "op", None)


def plan_of(node: Node) -> Any:
    """Return what the node's op saves and in which order."""
    return None if op_of(node) is None else getattr(node, "plan", None)


def saved_name(node: Node, position: int) -> str | None:
    """Return the name under which a node has saved a value."""
    plan = plan_of(node)
    names = getattr(node, "names_in_op", ()) if plan is None else plan.saved_names
    return names[position] if position < len(names) else None


def maker_of(node: Node, position: int) -> tuple[Node, int] | None:
    """Return the node and the slot that a saved value came out of, unless it is a leaf."""
    plan = plan_of(node)
    if plan is None:
        sources = getattr(node, "sources", ())  # of a custom function
        made_as = sources[position] if position < len(sources) else None
        edge = (node, made_as) if isinstance(made_as, int) else made_as
    elif plan.saves[position].kind == "output":
        slot = plan.saves[position].index
        edge = (node, slot) if slot < node.output_count else None
    else:
        edge = node.edges[plan.saves[position].index]
    return None if edge is None or isinstance(edge[0], AccumulateGrad) else edge


def written_operand(node: Node, position: int) -> str | None:
    """Return the user's name for a saved value, where the line that saved it tells."""
    name, op = saved_name(node, position), op_of(node)
    if op is None or node.site is None:
        return None
    if name in op.outputs:
        return node.site.target
    names = [each.name for each in op.operands]
    return operand_name(node, names.index(name)) if name in names else None


#: Python's operators, by the names of the ops that they call
OPERATORS = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "div": ast.Div, "matmul": ast.MatMult,
    "pow": ast.Pow, "floor_divide": ast.FloorDiv, "remainder": ast.Mod,
}  # fmt: skip


def operand_name(node: Node, index: int) -> str | None:
    """Return the name of an operand as written on the node's line, if that line calls the op."""
    op = op_of(node)
    found = None if op is None or node.site is None else node.site.expression
    operator = None if op is None else OPERATORS.get(op.name)
    match found:
        case ast.BinOp(left=left, op=written, right=right) if type(written) is operator:
            return source.dotted((left, right)[index]) if index < 2 else None
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if op and attr == op.torch_name:
            method = source.dotted(value) not in ("torch", "pellucid", "F", "torch.nn.functional")
            if method and index == 0:
                return source.dotted(value)
            if op.operands[0].variadic:
                return _listed_operand(source.argument(found, 0, op.operands[0].name), index)
            return source.dotted(source.argument(found, index - method, op.operands[index].name))
    return None


def _listed_operand(sequence: ast.expr | None, index: int) -> str | None:
    """Return the name of one tensor of a sequence, if all of it is written: ``cat([x, y])``."""
    match sequence:
        case ast.List(elts=items) | ast.Tuple(elts=items):
            spread = any(isinstance(item, ast.Starred) for item in items)
            return None if spread or index >= len(items) else source.dotted(items[index])
    return None
