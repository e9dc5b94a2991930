"""The errors for a graph whose saved values have been freed."""

from __future__ import annotations

import ast

from pellucid.autograd.explanations import source
from pellucid.autograd.explanations.text import Row, as_text, expression_text
from pellucid.autograd.explanations.trail import asking_scopes
from pellucid.autograd.lost_paths import Written, assignment
from pellucid.autograd.node import BackwardRun, Node
from pellucid.autograd.sites import Site, user_site
from pellucid.errors import FreedGraphError
from pellucid.parsing import parse

BACKWARD_TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after "
    "they have already been freed). Saved intermediate values of the graph are freed when you call "
    ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved tensors after calling backward."
)


def freed(node: Node, nodes: list[Node], run: BackwardRun) -> FreedGraphError:
    """Return the error for a backward pass that reaches a node which another one has freed.

    ``nodes`` are all that the pass would run, youngest first.
    """
    gone = node.freed_by
    assert gone is not None
    if not gone.is_noted:
        rows: list[Row] = [("saved", node.site, f"by {node.short_name()}")]
        return FreedGraphError(BACKWARD_TWICE + as_text(rows))
    return FreedGraphError(BACKWARD_TWICE + _FreedGraph(node, nodes, gone, run).text())


class _FreedGraph:
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
        rows: list[Row] = [(self.name, self.shared.site, f"made by {self.shared.short_name()}")]
        if self.shared is not self.node:
            rows.append(("needs", self.node.site, f"what {self.node.short_name()} saved"))
        rows.append(("freed", self.gone.site, self._when()))
        rows.append((reads[self.run.call], self.run.site, self._path()))
        rows += self._losses()
        return f"\n  The graph of {self.name} was freed.{as_text(rows)}\n  {self.remedy()}"

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
        return site is not None and any(
            each.site and each.site.same_expression(site) for each in self.tail
        )

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
        if any(each.site and each.site.same_expression(gone.site) for each in self.tail):
            return (
                "The gradient that the first pass recorded needs the graph it came from: leave "
                "retain_graph out there, or make it True."
            )
        if self.is_carried:
            names = list(dict.fromkeys([name, *self.carried]))
            if all(_is_assignable(each) for each in names):
                cuts = ", ".join(f"{each} = {each}.detach()" for each in names)
            elif (within := carried_within(self.shared.site)) is not None:
                names, at = within
                written = " and ".join(f"{each}.detach()" for each in names)
                cuts = f"write {written} in {at.text}, {at},"
            elif handed_on := _handed_on(self.shared.site):
                names, cuts = handed_on, ", ".join(map(_detached, handed_on))
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
        if self.through is not None and self.through.short_name() == "AddBackward0":
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
            f"{first} and {second} both depend on it. Either run one pass from their sum, "
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
        value = parse(text, mode="eval").body
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


def _handed_on(site: Site | None) -> list[str]:
    """Return the names that a statement reads and assigns: ``state`` of ``x, state = f(state)``."""
    made = None if site is None else site.statement
    if not isinstance(made, ast.Assign):
        return []
    read = {source.dotted(each) for each in ast.walk(made.value) if isinstance(each, ast.expr)}
    return [each for each in source.assigned_names(made) if each in read]


def _detached(name: str) -> str:
    """Return how a variable is cut off from its history, by what it has where that is known."""
    values = [scope.values[name] for scope in asking_scopes() if name in scope.values]
    if not values:
        return f"call .detach() on what {name} has"
    if isinstance(values[0], tuple | list):
        return f"{name} = tuple(each.detach() for each in {name})"
    return f"{name} = {name}.detach()"


def carried_within(site: Site | None) -> tuple[list[str], Written] | None:
    """Return what a loop carries to its next time within a tuple or list, and the line.

    In a loop of ``out, (h, c) = lstm(chunk, state)`` and ``state = (h.detach(), c)`` that is ``c``.
    """
    made = None if site is None else site.statement
    if site is None or not isinstance(made, ast.Assign):
        return None
    given = {each.id for each in ast.walk(made.value) if isinstance(each, ast.Name)}
    results = {
        each.id for target in made.targets for each in ast.walk(target)
        if isinstance(each, ast.Name)
    }  # fmt: skip
    for name, value, line in source.assignments(site.filename, site.code.co_firstlineno, made):
        if name in given and isinstance(value, ast.Tuple | ast.List):
            names = [each.id for each in value.elts if isinstance(each, ast.Name)]
            carried = [each for each in names if each in results]
            if carried:
                at = Written.of(value, line, site)
                return carried, at._replace(text=f"{name} = {at.text}")
    return None


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
    rows: list[Row] = [("saved", node.site, f"by {node.short_name()}")]
    if gone is not None:
        rows.append(("freed", gone.site, f"by {gone.call}, backward pass #{gone.number}"))
    rows.append(("read", user_site(), ""))
    return FreedGraphError(BACKWARD_TWICE + as_text(rows))
