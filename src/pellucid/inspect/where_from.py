"""Where a number is from: the lines and values that made it, down to leaves and data.

Note [The slice is run again]: a node keeps what its derivative needs, not what it gave. So a value
that nobody has kept is computed again from the operands, by the operation on them, and so are the
derivatives that tell which elements of the operands an element was made of. An operation that draws
random numbers is not run again for its value.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from pellucid.autograd import reading
from pellucid.autograd.backward import grad
from pellucid.autograd.explanations import source
from pellucid.autograd.explanations.saved_values import maker_of, op_of, operand_name, plan_of
from pellucid.autograd.explanations.trail import asking_scopes
from pellucid.autograd.modes import enable_grad, no_grad
from pellucid.autograd.node import AccumulateGrad, BackwardRun, Node, reachable
from pellucid.autograd.sites import user_site
from pellucid.autograd.variable import TensorBase
from pellucid.errors import ArgumentTypeError, GraphError
from pellucid.inspect.graph_values import summed
from pellucid.inspect.leaf_names import leaf_name, variables_of
from pellucid.inspect.snapshot import count_text
from pellucid.inspect.tables import Column, table_lines
from pellucid.random import get_rng_state, set_rng_state
from pellucid.tensors.creation import from_numpy
from pellucid.tensors.summary import number_text

#: operations that are followed, and rows that are printed
_MOST_NODES, _MOST_ROWS = 200, 30
#: so many values are shown one by one
_MOST_VALUES = 4


class Origin(NamedTuple):
    """Elements that took part in making a number.

    Attributes:
        name: The operation that gave them; or the name of a leaf or of data.
        index: Which elements: ``[17, 2]``, or ``[17, :]`` where there are several.
        count: How many.
        values: Their values in the order of the array; None where they are not known any more.
        where: The line as ``file.py:LINE``; empty for leaves.
        text: The source text of the line.

    >>> x = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
    >>> torch.inspect.where_from(x * 3, 1)[0].values
    array([6.], dtype=float32)
    """

    name: str
    index: str
    count: int
    values: Any
    where: str
    text: str

    @property
    def values_text(self) -> str:
        """The values in words."""
        if self.values is None:
            return "not kept"
        values = [complex(v) if self.values.dtype.kind == "c" else float(v) for v in self.values]
        if len(values) <= _MOST_VALUES or self.values.dtype.kind == "c":
            shown = ", ".join(map(_number, values[:_MOST_VALUES]))
            return f"{shown}, ..." if len(values) > _MOST_VALUES else shown
        finite = self.values[np.isfinite(self.values)].astype(float)
        odd = len(values) - len(finite)
        text = f"from {_number(finite.min())} to {_number(finite.max())}" if len(finite) else ""
        return "  ".join(filter(None, [text, f"{odd:,} not finite" if odd else ""]))


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a number is from, to print or to read: the latest operation first.

    Attributes:
        subject: The number that was asked about.
        origins: The operations, leaves and data that made it.

    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> [origin.name for origin in torch.inspect.where_from(x.exp().sum())]
    ['sum', 'exp', 'x']
    """

    subject: str
    origins: tuple[Origin, ...]

    def __str__(self) -> str:
        columns = [Column("", True), Column("values", True), Column("line", True), Column("", True)]
        rows = [
            [f"{each.name}{each.index}", each.values_text, each.where, each.text]
            for each in self.origins[:_MOST_ROWS]
        ]
        lines = [f"{self.subject} is from", *table_lines(columns, rows, 10_000)[1:]]
        left = len(self.origins) - _MOST_ROWS
        return "\n".join([*lines, f"and {count_text(left, 'more')}"] if left > 0 else lines)

    def __iter__(self) -> Iterator[Origin]:
        return iter(self.origins)

    def __len__(self) -> int:
        return len(self.origins)

    def __getitem__(self, position: int) -> Origin:
        return self.origins[position]


def where_from(tensor: Any, index: Any = None) -> Provenance:
    """Return the lines and values that made a number, down to the leaves and the data.

    For an element that is not finite only those elements are followed that are not finite either,
    so that the last rows tell where it came up. The graph must not have been freed; operations are
    run again where values were not kept, and nothing is changed by it.

    Args:
        tensor: A tensor with a history.
        index: Which element or elements of it; all by default.

    Returns:
        The operations, the latest first, each with the elements that took part and their values;
        leaves and data stand where they are used.

    Raises:
        RuntimeError: For a tensor without history, or with a graph that has been freed.
        TypeError: For anything else than a tensor.
        IndexError: If there is no such element.

    >>> x = torch.tensor([[1.0, -2.0], [3.0, 4.0]], requires_grad=True)
    >>> y = x.log().sum(1)
    >>> for origin in torch.inspect.where_from(y, 0):
    ...     print(origin.name, origin.index, origin.values_text)
    sum [0] nan
    log [0, 1] nan
    x [0, 1] -2
    """
    if not isinstance(tensor, TensorBase):
        raise ArgumentTypeError(f"where_from() takes a tensor, not {type(tensor).__name__}")
    (root,) = reading.root_nodes([tensor], "where_from")
    nodes = reachable([root])
    freed = next((node for node in nodes if isinstance(node.saved, BackwardRun)), None)
    if freed is not None:
        raise GraphError(f"{freed.saved} has freed the graph: ask before it, or retain_graph=True")
    edge = tensor.edge
    assert edge is not None
    array: Any = tensor._array
    mask = np.zeros(array.shape, bool)
    mask[... if index is None else index] = True
    mask = mask & ~np.isfinite(array) if _odd(array, mask) else mask
    call = source.called_on(user_site().statement, "where_from")
    written = None if call is None else source.dotted(source.argument(call, 0, "tensor"))
    name = f"{written or 'the tensor'}{_index_text(mask)}"
    state = get_rng_state()
    try:
        return Provenance(name, tuple(_Search(nodes, tensor).follow(edge, mask)))
    finally:
        set_rng_state(state)


#: a node, and which of its outputs
Output = tuple[Node, int]


class _Search:
    """A search from elements of a result down to what made them.

    Args:
        nodes: All that the result depends on.
        tensor: The result.
    """

    def __init__(self, nodes: set[Node], tensor: Any) -> None:
        self.values: dict[Output, Any] = {}
        for node in nodes:
            for position in range(len(node.saved) if isinstance(node.saved, tuple) else 0):
                made, array = maker_of(node, position), _saved(node, position)
                if made is not None and array is not None:
                    self.values.setdefault(made, array)
        for each in [tensor, *_variables()]:
            if each.edge is not None and isinstance(each._array, ndarray):
                self.values[each.edge] = each._array
        self.leaves = [node for node in nodes if isinstance(node, AccumulateGrad)]
        named = variables_of(enumerate(self.leaves))
        self.names = {leaf: named.get(n) for n, leaf in enumerate(self.leaves)}

    def follow(self, start: Output, mask: ndarray) -> Iterator[Origin]:
        """Yield what took part, the latest operation first."""
        masks: dict[Node, dict[int, ndarray]] = {start[0]: {start[1]: mask}}
        waiting = [(-start[0].seq, id(start[0]), start[0])]
        for _ in range(_MOST_NODES):
            if not waiting:
                return
            node = heapq.heappop(waiting)[2]
            for slot, wanted in masks[node].items():
                yield self._origin((node, slot), wanted)
            operands = self._operands(node)
            for position, taken in enumerate(self._taken(node, masks[node], operands)):
                edge = node.edges[position] if position < len(node.edges) else None
                if taken is None or not taken.any():
                    continue
                if edge is None or isinstance(edge[0], AccumulateGrad):
                    yield self._given(node, position, edge, operands[position], taken)
                    continue
                known = masks.get(edge[0])
                if known is None:
                    known = masks[edge[0]] = {}
                    heapq.heappush(waiting, (-edge[0].seq, id(edge[0]), edge[0]))
                known[edge[1]] = known[edge[1]] | taken if edge[1] in known else taken

    def _origin(self, output: Output, mask: ndarray) -> Origin:
        node, value = output[0], self.value(output)
        op, site = op_of(node), node.site
        name = node.short_name() if op is None else op.torch_name
        return Origin(
            name, _index_text(mask), int(mask.sum()), None if value is None else value[mask],
            "" if site is None else str(site), "" if site is None else site.text,
        )  # fmt: skip

    def _given(self, node: Node, position: int, edge: Any, value: Any, taken: ndarray) -> Origin:
        """Return what a node was given that no operation has made: a leaf, or data."""
        written = operand_name(node, position)
        if edge is not None:
            written = self.names.get(edge[0]) or leaf_name(node, position)
        values = None if value is None else value[taken]
        name = written or ("data" if edge is None else "a leaf")
        return Origin(name, _index_text(taken), int(taken.sum()), values, "", "")

    # ---- values ----------------------------------------------------------------------------------

    def value(self, output: Output) -> Any:
        """Return what a node gave: as it was kept, or computed again; None if that cannot be."""
        if output not in self.values:
            self._run_again(output[0])
        return self.values.get(output)

    def _run_again(self, last: Node) -> None:
        """Compute a node's results, and before them those of the nodes below that are needed."""
        stack = [last]
        while stack:
            node = stack[-1]
            needed = [
                edge[0]
                for edge in node.edges
                if edge is not None
                and not isinstance(edge[0], AccumulateGrad)
                and edge not in self.values
            ]
            if needed and len(stack) <= _MOST_NODES:
                stack += needed[:1]
                continue
            stack.pop()
            before = get_rng_state()
            with no_grad():
                results = self._apply(node, self._operands(node, again=False))
            drew = not np.array_equal(np.asarray(before), np.asarray(get_rng_state()))
            for slot in range(node.output_count):
                result = None if drew or results is None else _slot(results, slot)
                self.values.setdefault((node, slot), getattr(result, "_array", None))

    def _operands(self, node: Node, again: bool = True) -> list[Any]:
        """Return the values of a node's operands, None for those that are not known."""
        op, plan = op_of(node), plan_of(node)
        found: list[Any] = [None] * len(node.edges)
        for position, edge in enumerate(node.edges):
            if edge is not None and isinstance(edge[0], AccumulateGrad):
                found[position] = edge[0].value
            elif edge is not None:
                found[position] = self.value(edge) if again else self.values.get(edge)
        if op is not None and plan is not None:
            for position, save in enumerate(plan.saves):
                if save.kind == "input" and save.index < len(found) and found[save.index] is None:
                    found[save.index] = _saved(node, position)
        return found

    def _apply(self, node: Node, operands: Sequence[Any]) -> Any:
        """Run a node's operation on arrays or tensors; None where that is not possible."""
        op = op_of(node)
        if op is None or plan_of(node) is None:
            return None
        optional = [each.optional for each in op.operands] if not op.variadic else []
        for position, each in enumerate(operands):
            if each is None and not (position < len(optional) and optional[position]):
                return None
        tensors = [each if each is None or isinstance(each, TensorBase) else _tensor(each)
                   for each in operands]  # fmt: skip
        try:
            return op.apply([tensors] if op.variadic else tensors, node.params or ())
        except Exception:  # noqa: BLE001 - it was called in another way than operands tell
            return None

    # ---- which elements --------------------------------------------------------------------------

    def _taken(
        self, node: Node, masks: dict[int, ndarray], operands: list[Any]
    ) -> list[ndarray | None]:
        """Return which elements of each operand took part in making elements of the results."""
        grads = self._derivatives(node, masks, operands)
        some = next(iter(masks.values()))
        odd = any(_odd(self.value((node, slot)), mask) for slot, mask in masks.items())
        shapes = [self._shape(node, position, each) for position, each in enumerate(operands)]
        flat = grads is not None and not any(each is not None and each.any() for each in grads)
        found: list[ndarray | None] = []
        for position, shape in enumerate(shapes):
            taken = None if grads is None else grads[position]
            if shape is None or (grads is not None and taken is None and not flat):
                found.append(None)
            elif grads is None or flat:  # flat: element by element; or else all
                alike = flat and shape == some.shape
                found.append(some if alike else np.ones(shape, bool))
            else:
                found.append(taken)
        pairs = list(zip(operands, found, strict=True))
        if not odd or not any(taken is not None and _odd(each, taken) for each, taken in pairs):
            return found
        return [
            taken & ~np.isfinite(each) if taken is not None and _odd(each, taken) else None
            for each, taken in pairs
        ]

    def _shape(self, node: Node, position: int, operand: Any) -> tuple[int, ...] | None:
        """Return the shape of an operand; None for one of which nothing is known."""
        if operand is not None:
            return operand.shape
        edge = node.edges[position]
        return None if edge is None else edge[0].output_meta(edge[1]).shape

    def _derivatives(
        self, node: Node, masks: dict[int, ndarray], operands: list[Any]
    ) -> list[Any] | None:
        """Return by operand where the derivative of the elements is not zero; None if unknown."""
        leaves = [None if each is None else _as_leaf(each) for each in operands]
        with enable_grad():
            results = self._apply(node, leaves)
        if results is None:
            return self._by_formula(node, masks)
        roots = [_slot(results, slot) for slot in masks]
        asked = [each for each in leaves if each is not None and each.requires_grad]
        if not asked or not all(root.requires_grad for root in roots):
            return None
        starts = [_tensor(mask.astype(root._array.dtype))
                  for mask, root in zip(masks.values(), roots, strict=True)]  # fmt: skip
        try:
            found = iter(grad(roots, asked, starts, allow_unused=True))
        except RuntimeError:
            return None
        grads: list[Any] = []
        for each in leaves:
            given = next(found) if each is not None and each.requires_grad else None
            grads.append(None if given is None else np.asarray(given._array != 0))
        return grads

    def _by_formula(self, node: Node, masks: dict[int, ndarray]) -> list[Any] | None:
        """Return the same by what the node does backward, where not all operands are known."""
        if op_of(node) is None or node.metas is not None or list(masks) != [0]:
            return None
        try:
            with np.errstate(all="ignore"):
                grads = node.backward(node, masks[0].astype(node.dtype))
            found: list[Any] = []
            for edge, given in zip(node.edges, grads, strict=True):
                meta = None if edge is None else edge[0].output_meta(edge[1])
                if (
                    meta is None
                    or meta.shape is None
                    or not isinstance(given, ndarray | np.generic)
                ):
                    found.append(None)
                else:
                    found.append(np.asarray(summed(given, meta.shape) != 0))
        except Exception:  # noqa: BLE001 - it has packed its values, or has no derivative
            return None
        return found


def _slot(results: Any, slot: int) -> Any:
    return results[slot] if isinstance(results, tuple | list) else results


def _as_leaf(array: ndarray) -> Any:
    """Return a tensor like an array, with numbers in place of what is not finite."""
    if array.dtype.kind not in "fc":
        return _tensor(array)
    numbers = np.where(np.isfinite(array), array, np.array(0.5, array.dtype))
    return _tensor(numbers.astype(array.dtype)).requires_grad_()


def _tensor(array: Any) -> Any:
    """Return a tensor of a copy of an array, which keeps its shape also without dimensions."""
    return from_numpy(np.array(array))


def _saved(node: Node, position: int) -> Any:
    """Return an array that a node has saved, if it has not been changed or packed since."""
    entry = node.saved[position] if isinstance(node.saved, tuple) else None
    if isinstance(entry, tuple):
        if len(entry) == 3 and entry[1].version != entry[2]:
            return None
        entry = entry[0]
    return entry if isinstance(entry, ndarray) else None


def _odd(value: Any, mask: ndarray) -> bool:
    """Return whether some of the elements are not finite."""
    if value is None or value.dtype.kind not in "fc" or value.shape != mask.shape:
        return False
    return not np.isfinite(value[mask]).all()


def _variables() -> list[Any]:
    """Return the tensors that variables of the calls that are running have."""
    return [
        value
        for scope in asking_scopes()
        for value in tuple(scope.values.values())
        if isinstance(value, TensorBase)
    ]


def _index_text(mask: ndarray) -> str:
    """Return which elements a mask has, as an index would be written."""
    if not mask.ndim:
        return ""
    places = np.argwhere(mask)
    parts = [str(each[0]) if len(set(each.tolist())) == 1 else ":" for each in places.T]
    return f"[{', '.join(parts)}]"


def _number(value: Any) -> str:
    return str(value) if isinstance(value, complex) else number_text(float(value))
