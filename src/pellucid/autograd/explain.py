"""The errors of the graph, each with the lines of the user's program that led to it.

PyTorch's sentence comes first. Then one row for each line of the user's that has a part in it, and
last what to do. The exceptions hold text only: no node, tensor or frame.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable
from typing import Any

from pellucid.autograd import source
from pellucid.autograd.lost_paths import (
    GRADIENT,
    NOTHING_REQUIRES,
    Written,
    assignment,
    cuts_behind,
    integer_reason,
    lost_history,
)
from pellucid.autograd.modes import anomaly
from pellucid.autograd.node import LAST_SEQUENCE, AccumulateGrad, BackwardRun, Node
from pellucid.autograd.sites import Site, shortened, user_site
from pellucid.autograd.storage import Change, Storage
from pellucid.dtypes import LEGACY_TYPE_NAMES, from_numpy_dtype
from pellucid.errors import (
    AnomalyError,
    FreedGraphError,
    InvalidGradientError,
    NoGraphError,
    NonScalarError,
    SavedModifiedError,
    UnusedInputError,
)

BACKWARD_TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after "
    "they have already been freed). Saved intermediate values of the graph are freed when you call "
    ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved tensors after calling backward."
)

#: label, site, remark: one line of an explanation
Row = tuple[str, Site | Written | None, str]


def tell(rows: Iterable[Row]) -> str:
    """Return the rows of an explanation, aligned: label, ``file.py:LINE``, source text, remark."""
    known = [(label, str(site), site.text, remark) for label, site, remark in rows if site]
    widths = [max((len(row[i]) for row in known), default=0) for i in range(3)]
    lines = (
        "   ".join(part.ljust(width) for part, width in zip(row, (*widths, 0), strict=True))
        for row in known
    )
    return "".join(f"\n    {line.rstrip()}" for line in lines)


def expression_text(site: Site | None) -> str | None:
    """Return the name that holds a site's value, or else the short expression itself."""
    if site is None:
        return None
    if site.target is not None:
        return site.target
    found = site.expression
    return None if found is None else shortened(ast.unparse(found), 40)


def describe(like: Any) -> str:
    """Describe what has shape and dtype: ``float32[3, 4]``."""
    return f"{_dtype_name(like.dtype)}{list(like.shape)}"


def _dtype_name(dtype: Any) -> str:
    return getattr(dtype, "name", None) or str(dtype)


# ---- a graph that has been freed -----------------------------------------------------------------


def freed(node: Node, nodes: list[Node], run: BackwardRun) -> FreedGraphError:
    """Return the error for a backward pass that reaches a node which another one has freed.

    ``nodes`` are all that the pass would run, youngest first.
    """
    gone = node.freed_by
    assert gone is not None
    return FreedGraphError(BACKWARD_TWICE + _FreedStory(node, nodes, gone, run).text())


class _FreedStory:
    """Who shares what with whom, when a pass reaches what another one has freed.

    ``shared`` is the youngest node, made before the freeing pass, that the second pass reaches on
    its way to the freed one; ``through`` is the node that it reaches it from.
    """

    def __init__(self, node: Node, nodes: list[Node], gone: BackwardRun, run: BackwardRun) -> None:
        self.node, self.gone, self.run = node, gone, run
        self.shared, self.through = node, None
        #: nodes of this pass, made after the freeing pass, that lead to the freed node
        self.tail: list[Node] = []
        self.carried = _carried(nodes, gone)
        leads_to = {node}
        for each in reversed(nodes):
            below = [edge[0] for edge in each.edges if edge is not None and edge[0] in leads_to]
            if not below:
                continue
            leads_to.add(each)
            if each.seq > gone.seq:
                self.tail.append(each)
            self._consider(each, max(below, key=lambda one: one.seq))

    def _consider(self, above: Node, below: Node) -> None:
        """Add an edge if it leads from this pass's own nodes to those of the freeing pass."""
        crosses = above.seq > self.gone.seq > below.seq
        if crosses and (below.seq > self.shared.seq or not self._through_tail):
            self.shared, self.through = below, above
        elif self.through is None and below is self.node:
            self.through = above

    @property
    def _through_tail(self) -> bool:
        return self.through is not None and self.through.seq > self.gone.seq

    @property
    def loops(self) -> bool:
        """Whether one line has run both passes."""
        return self.gone.site.same_line(self.run.site)

    @property
    def name(self) -> str:
        return expression_text(self.shared.site) or "the shared tensor"

    def text(self) -> str:
        reads = {"backward": "again", "grad": "again", "release": "read"}
        rows: list[Row] = [(self.name, self.shared.site, f"made by {self.shared.name()}")]
        if self.shared is not self.node:
            rows.append(("needs", self.node.site, f"what {self.node.name()} saved"))
        rows.append(("freed", self.gone.site, self._when()))
        rows.append((reads[self.run.call], self.run.site, self._path()))
        rows += self._losses()
        return f"\n  The graph of {self.name} was freed.{tell(rows)}\n  {self.remedy()}"

    def _losses(self) -> list[Row]:
        """Return the lines that made the two losses, where two passes start from two of them."""
        if self.tail or set(self.run.roots) & set(self.gone.roots):
            return []
        names = [(root_name(each), each.site) for each in (self.gone, self.run)]
        made = [(name, assignment(site, name)) for name, site in names if name is not None]
        lines: list[Row] = [(name, line, "a loss") for name, line in made if line is not None]
        return lines if len(lines) == 2 and lines[0][0] != lines[1][0] else []

    def _when(self) -> str:
        if self.gone.call == "release":
            return "freed by hand"
        if not self.loops:
            return f"backward pass #{self.gone.number}"
        if not self.tail:
            return "by the same line, earlier"
        return "the time before" if self.is_carried else "the first time through the loop"

    def _path(self) -> str:
        if self.through is None:
            return "starts from it"
        site = self.through.site
        if site is None or not site.text:
            return "reaches it"
        return f"reaches it through {site.text}, {site}"

    @property
    def is_carried(self) -> bool:
        """Whether a line that made part of the tail also made the shared tensor, earlier."""
        site = self.shared.site
        return any(each.site == site for each in self.tail)

    def remedy(self) -> str:
        if self.gone.call == "release":
            return (
                f"It was released by hand. Call release after the last backward pass through "
                f"{self.name}, or compute {self.name} again."
            )
        return self._gradient_remedy() + self._remedy()

    def _remedy(self) -> str:
        name, gone = self.name, self.gone
        if set(self.run.roots) & set(gone.roots):
            return self._same_loss()
        if not self.tail:
            return self._two_losses()
        if any(each.site == gone.site for each in self.tail):
            return (
                "The gradient that the first pass recorded needs the graph it came from: leave "
                "retain_graph out there, or make it True."
            )
        if self.is_carried:
            names = list(dict.fromkeys([name, *self.carried]))
            if all(_is_assignable(each) for each in names):
                cuts = ", ".join(f"{each} = {each}.detach()" for each in names)
            else:
                cuts = "call .detach() on what the next time gets,"
            return (
                f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} carried over from one "
                "time through the loop to the next, with the whole history. Carry the values "
                f"only: {cuts} after the backward pass." + self._sum_remedy()
            )
        keep = written_call(gone, name)
        place = f"make {name} inside the loop" if self.loops else f"compute {name} again"
        return (
            f"{name} is shared by both passes. Either keep just its part of the graph, {keep}, or "
            f"{place}, or cut it off with {name}.detach()."
        )

    def _sum_remedy(self) -> str:
        if self.through is not None and self.through.name() == "AddBackward0":
            return " For a sum that is only to be reported, add the loss's .item() or .detach()."
        return ""

    def _same_loss(self) -> str:
        where = "inside the loop" if self.loops else "again"
        return (
            f"Both passes start from the same tensor. Either keep its graph the first time, "
            f"{written_call(self.gone, 'True')}, or compute it {where}."
        )

    def _two_losses(self) -> str:
        first, second = root_name(self.gone), root_name(self.run)
        if not first or not second or first == second:
            return (
                "Both losses stand on this part of the graph. Either add them and run one backward "
                "pass from the sum, or let every pass but the last keep what the others need, "
                "retain_graph=[the losses still to come]."
            )
        keep = written_call(self.gone, second)
        return (
            f"{first} and {second} both stand on it. Either run one pass from their sum, "
            f"({first} + {second}).backward(), or let the first keep what the second needs, {keep}."
        )

    def _gradient_remedy(self) -> str:
        if self.gone.call != "grad" or (self.run.call == "grad" and self.loops):
            return ""
        return (
            f"If the second pass is to differentiate the gradient taken at {self.gone.site}, take "
            "it with create_graph=True, which keeps the graph too. If not: "
        )


def _is_assignable(text: str) -> bool:
    """Return whether an expression can stand left of an equals sign: a name, or a part of one."""
    try:
        value = ast.parse(text, mode="eval").body
    except SyntaxError:
        return False
    return isinstance(value, ast.Name | ast.Attribute | ast.Subscript)


def _carried(nodes: list[Node], gone: BackwardRun) -> list[str]:
    """Return the names of all tensors that a loop carries from before the freeing pass to after."""
    fresh = [node for node in nodes if node.seq > gone.seq]
    again = {node.site for node in fresh}
    old = [edge[0] for node in fresh for edge in node.edges if edge and edge[0].seq < gone.seq]
    sites = [site for node in dict.fromkeys(old) if (site := node.site) in again and site]
    return [name for site in sites if (name := site.target) is not None]


def written_call(run: BackwardRun, keep: str) -> str:
    """Return the call of a pass as the user wrote it, with ``retain_graph`` added."""
    call = source.called_on(run.site.statement, run.call)
    name = None if call is None else source.dotted(call.func)
    if call is None or name is None:
        return f"{run.call}(..., retain_graph={keep})"
    arguments = [ast.unparse(each) for each in call.args]
    arguments += [
        f"{each.arg}={ast.unparse(each.value)}"
        for each in call.keywords
        if each.arg not in (None, "retain_graph")
    ]
    return f"{name}({', '.join([*arguments, f'retain_graph={keep}'])})"


def root_name(run: BackwardRun) -> str | None:
    """Return the name of the tensor that a pass starts from, as the user wrote it."""
    return source.dotted(root_written(run.site, 0))


def root_written(site: Site, position: int) -> ast.expr | None:
    """Return what a pass starts from as written: ``y`` of ``y.backward()`` or ``grad(y, x)``."""
    found = site.statement
    call = source.called_on(found, "backward")
    if call is not None and isinstance(call.func, ast.Attribute):
        receiver = call.func.value
        if source.dotted(receiver) not in ("torch.autograd", "autograd", "pellucid.autograd"):
            return receiver
    call = call or source.called_on(found, "grad") or source.called_on(found, "plan")
    if call is None:
        return None
    keyword = "tensors" if source.dotted(call.func) != "grad" else "outputs"
    return source.item(source.argument(call, 0, keyword), position)


def freed_meanwhile(node: Node) -> FreedGraphError:
    """Return the error for saved values that are read after they have been freed."""
    gone = node.freed_by
    rows: list[Row] = [("saved", node.site, f"by {node.name()}")]
    if gone is not None:
        rows.append(("freed", gone.site, f"by {gone.call}, backward pass #{gone.number}"))
    rows.append(("read", user_site(), ""))
    return FreedGraphError(BACKWARD_TWICE + tell(rows))


# ---- a saved value that was changed in place -----------------------------------------------------


def modified(
    node: Node, position: int, value: Any, storage: Storage, version: int
) -> SavedModifiedError:
    """Return the error for a saved value that was changed in place after it was saved."""
    name, maker = saved_name(node, position), _maker(node, position)
    origin = "" if maker is None else f", which is output {maker[1]} of {maker[0].name()},"
    kind = LEGACY_TYPE_NAMES.get(_dtype_name(from_numpy_dtype(value.dtype)), "Tensor")
    sentence = (
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [torch.{kind} {list(value.shape)}]{origin} is at version {storage.version}; "
        f"expected version {version} instead."
    )
    if not anomaly.enabled:  # PyTorch's advice; the rows below tell it without
        sentence += (
            " Hint: enable anomaly detection to find the operation that failed to compute its "
            "gradient, with torch.autograd.set_detect_anomaly(True)."
        )
    changes = [change for change in storage.changes if change.version > version]
    called = f"{name}, " if name else ""
    rows: list[Row] = [("saved", node.site, f"{called}version {version}, by {node.name()}")]
    rows += [("changed", each.site, change_text(each)) for each in changes]
    missing = storage.version - version - len(changes)
    more = f"\n  {missing} more change(s) in between are not remembered." if missing > 0 else ""
    written = _written_operand(node, position)
    return SavedModifiedError(f"{sentence}{tell(rows)}{more}\n  {change_remedy(changes, written)}")


def op_of(node: Node) -> Any:
    """Return the op that made a node, if one did; a custom function's ``op`` is the user's."""
    return getattr(type(node), "op", None)


def plan_of(node: Node) -> Any:
    """Return what the node's op saves and in which order."""
    return None if op_of(node) is None else getattr(node, "plan", None)


def saved_name(node: Node, position: int) -> str | None:
    """Return the name under which a node has saved a value."""
    plan = plan_of(node)
    names = () if plan is None else plan.saved_names
    return names[position] if position < len(names) else None


def _maker(node: Node, position: int) -> tuple[Node, int] | None:
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


def _written_operand(node: Node, position: int) -> str | None:
    """Return the user's name for a saved value, where the line that saved it tells."""
    plan = plan_of(node)
    if plan is None or node.site is None:
        return None
    want = plan.saves[position]
    if want.kind == "output":
        return node.site.target
    return operand_name(node, want.index)


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
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if op and attr == op.name:
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


def change_text(change: Change) -> str:
    """Return what an explanation says of an in-place change."""
    detail = change.detail() if callable(change.detail) else change.detail
    told = f" of {detail}" if detail else ""
    return f"by {change.op}{told}, version {change.version}"


def change_remedy(changes: list[Change], name: str | None) -> str:
    """Return what to do about in-place changes of a saved value, by the name it is written as."""
    value = name or "the value"
    copy = f"a copy of it, {name}.clone()" if name else "a copy of it, made by clone()"
    if any(change.op.endswith(".step") for change in changes):
        return (
            f"The optimizer has changed {value} before a backward pass that needs it as it was. "
            "Move step() after the last backward() of this graph, or compute the second loss anew "
            "after the step."
        )
    if not changes:
        return f"Do not change {value} before the backward pass, or let the operation save {copy}."
    return (
        f"The backward pass needs {value} as it was when saved. Replace the in-place change by one "
        f"that makes a new tensor (x = x + 1 in place of x += 1), or change {copy}."
    )


# ---- in-place changes of leaves ------------------------------------------------------------------


def leaf_inplace(name: str) -> str:
    """Return what follows the error for an in-place change of a leaf or of a view of one."""
    return tell([("changed", user_site(), f"by {name}")]) + (
        "\n  The gradient of a leaf is with respect to the value that it was given. To update it, "
        "change it inside `with torch.no_grad():`; to compute with a changed value, work on a "
        "copy, x.clone()."
    )


# ---- where a pass starts -------------------------------------------------------------------------


def no_graph(root: Any, position: int) -> NoGraphError:
    """Return the error for a backward pass from a tensor without history."""
    site = user_site()
    written = root_written(site, position)
    name = source.dotted(written) or "this tensor"
    rows: list[Row] = [("backward", site, f"{name} is {describe(root)}")]
    found = [] if name.endswith(".grad") else lost_history(site, written)
    made = assignment(site, name)
    reason = found[0].reason if found else integer_reason(root) or NOTHING_REQUIRES
    if made is not None:
        rows.append(("made", made, ""))
    if name.endswith(".grad"):
        reason = GRADIENT
    elif found and found[0].at != made:
        rows.append(("cut", found[0].at, ""))
        reason = f"{name} was computed from {found[0].name}. {reason}"
    return NoGraphError(
        f"element {position} of tensors does not require grad and does not have a grad_fn"
        f"{tell(rows)}\n  {reason}"
    )


def refuse_implicit_gradient(root: Any, edge: Any, like: Any) -> None:
    """Raise unless the root is a real scalar, whose gradient can be taken to be one."""
    if math.prod(like.shape) != 1:
        raise NonScalarError(
            "grad can be implicitly created only for scalar outputs"
            + _root_story(edge, like, "The gradient of one number is one; for more numbers, say "
            "which sum of them is meant: {name}.sum().backward() or {name}.mean().backward(), or "
            "pass its gradient, {name}.backward(torch.ones_like({name})).")
        )  # fmt: skip
    if like.dtype.kind == "c":
        raise NonScalarError(
            "grad can be implicitly created only for real scalar outputs but got "
            f"torch.{like.dtype}"
            + _root_story(edge, like, "Derive a real number from it, such as {name}.abs() or "
            "{name}.real, or pass its gradient.")
        )  # fmt: skip


def _root_story(edge: Any, like: Any, remedy: str) -> str:
    site = user_site()
    name = source.dotted(root_written(site, 0)) or "the output"
    made = f"made by {edge[0].name()}"
    rows: list[Row] = [("backward", site, f"{name} is {describe(like)}")]
    rows.append(("made", edge[0].site, made))
    return f"{tell(rows)}\n  {remedy.format(name=name if name != 'the output' else 'y')}"


def refuse_wrong_gradient(root: Any, value: Any, like: Any, position: int) -> None:
    """Raise unless a given gradient has the root's shape, and is complex exactly if the root is."""
    if tuple(value.shape) != tuple(like.shape):
        raise InvalidGradientError(
            f"Mismatch in shape: grad_output[{position}] has a shape of {value.shape} and "
            f"output[{position}] has a shape of torch.Size({list(like.shape)})."
            + tell([("backward", user_site(), "")])
            + "\n  The gradient of a tensor has the shape of the tensor."
        )
    if value.is_complex() != (like.dtype.kind == "c"):
        raise InvalidGradientError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. "
            f"Mismatch in dtype: grad_output[{position}] has a dtype of {value.dtype} and "
            f"output[{position}] has a dtype of torch.{like.dtype}."
            + tell([("backward", user_site(), "")])
        )


def unused(wanted: Any, position: int) -> UnusedInputError:
    """Return the error for an input that the outputs do not depend on."""
    site = user_site()
    call = source.called_on(site.statement, "grad")
    inputs = None if call is None else source.argument(call, 1, "inputs")
    name = source.dotted(source.item(inputs, position))
    edge = wanted.edge if hasattr(wanted, "edge") else tuple(wanted)
    node, slot = edge
    like = node.output_meta(slot)
    what = f"input {position}, {name + ', ' if name else ''}{describe(like)}"
    rows: list[Row] = [("grad", site, what), ("made", node.site, f"made by {node.name()}")]
    cuts = cuts_behind(node)
    lost = [] if cuts else lost_history(site, root_written(site, 0))
    rows += [("cut", cut.site, f"by {cut.how}") for cut in cuts[:1]]
    rows += [("cut", each.at, "") for each in lost[:1]]
    return UnusedInputError(
        "One of the differentiated Tensors appears to not have been used in the graph. Set "
        f"allow_unused=True if this is the desired behavior.{tell(rows)}\n  The "
        f"differentiated Tensor at index {position} appears to not have been used in the graph: no "
        f"recorded operation leads from {name or 'it'} to the outputs."
        f"{f' {lost[0].reason}' if lost else ''} With allow_unused=True its gradient is None."
    )


# ---- while a pass runs ---------------------------------------------------------------------------


def nan(node: Node, position: int) -> AnomalyError:
    """Return the error of anomaly detection."""
    op = op_of(node)
    operands = () if op is None or op.variadic else op.operands
    which = f"the gradient of {operands[position].name}" if position < len(operands) else ""
    rows: list[Row] = [("made", node.site, _in_scope(node))]
    edge = node.edges[position] if position < len(node.edges) else None
    if edge is not None:
        which += f", {describe(edge[0].output_meta(edge[1]))}"
    about = f"\n  It is {which}." if which else ""
    return AnomalyError(
        f"Function '{node.name()}' returned nan values in its {position}th output."
        f"{tell(rows)}{about}"
    )


def _in_scope(node: Node) -> str:
    meta = node.output_meta(0)
    shape = "" if meta.shape is None else describe(meta)
    return f"{shape} in {node.scope}" if node.scope else shape


#: errors that name the lines themselves
_TOLD = (FreedGraphError, SavedModifiedError, AnomalyError)


def add_story(error: Exception, node: Node | None) -> None:
    """Add to the error's text which line made the node whose backward raised it.

    The error keeps its class; one whose text cannot be changed gets a note instead.
    """
    site = None if node is None or node.seq == LAST_SEQUENCE else node.site
    if node is None or site is None or isinstance(error, _TOLD) or hasattr(error, "__notes__"):
        return
    if "\n  in the backward of " in str(error):
        return
    text = f"  in the backward of {node.name()}{tell([('made', site, _in_scope(node))])}"
    match error.args:
        case (str(sentence),) if not isinstance(error, KeyError | OSError):
            error.args = (f"{sentence}\n{text}",)
        case _:
            error.add_note(text)
