"""Where a number is from: the lines and values that made it, down to leaves and data.

Operations are run again for values that nobody has kept (see Note [The slice is run again]) and for
the derivatives, which tell which elements of the operands an element was made of.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy import ndarray

from pellucid.autograd import reading
from pellucid.autograd.backward import grad
from pellucid.autograd.explanations import source
from pellucid.autograd.explanations.saved_values import op_of, operand_name
from pellucid.autograd.explanations.trail import asking_scopes
from pellucid.autograd.modes import enable_grad
from pellucid.autograd.node import AccumulateGrad, BackwardRun, Node, reachable
from pellucid.autograd.sites import user_site
from pellucid.autograd.variable import TensorBase
from pellucid.errors import GraphError
from pellucid.inspect.derivatives import local_derivatives
from pellucid.inspect.graph_values import summed
from pellucid.inspect.known_values import KnownValues, Output, applied, result_of, tensor_of
from pellucid.inspect.leaf_names import leaf_name, variables_of
from pellucid.inspect.provenance import Origin, Provenance
from pellucid.random import get_rng_state, set_rng_state

#: operations that are followed
_MOST_NODES = 200


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
    reading.of_tensors([tensor], "where_from").can_run("where_from()")
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
    written = None if call is None else source.written(source.argument(call, 0, "tensor"))
    name = f"{written or 'the tensor'}{_index_text(mask)}"
    state = get_rng_state()
    try:
        return Provenance(name, tuple(_Search(nodes, tensor).follow(edge, mask)))
    finally:
        set_rng_state(state)


class _Search:
    """A search from elements of a result down to what made them.

    Args:
        nodes: All that the result depends on.
        tensor: The result.
    """

    def __init__(self, nodes: set[Node], tensor: Any) -> None:
        there = [each for scope in asking_scopes() for each in tuple(scope.values.values())]
        kept = [each for each in there if isinstance(each, TensorBase)]
        self.values = KnownValues(nodes, [tensor, *kept])
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
            operands = self.values.operands(node)
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
        node, value = output[0], self.values.of(output)
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

    # ---- which elements --------------------------------------------------------------------------

    def _taken(
        self, node: Node, masks: dict[int, ndarray], operands: list[Any]
    ) -> list[ndarray | None]:
        """Return which elements of each operand took part in making elements of the results."""
        grads = self._derivatives(node, masks, operands)
        some = next(iter(masks.values()))
        odd = any(_odd(self.values.of((node, slot)), mask) for slot, mask in masks.items())
        shapes = [
            edge[0].output_meta(edge[1]).shape if each is None and edge is not None
            else getattr(each, "shape", None)
            for each, edge in zip(operands, node.edges, strict=False)
        ]  # fmt: skip
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

    def _derivatives(
        self, node: Node, masks: dict[int, ndarray], operands: list[Any]
    ) -> list[Any] | None:
        """Return by operand where the derivative of the elements is not zero; None if unknown."""
        leaves = [None if each is None else _as_leaf(each) for each in operands]
        with enable_grad():
            results = applied(node, leaves)
        if results is None:
            return self._by_formula(node, masks)
        roots = [result_of(results, slot) for slot in masks]
        asked = [each for each in leaves if each is not None and each.requires_grad]
        if not asked or not all(root.requires_grad for root in roots):
            return None
        starts = [tensor_of(mask.astype(root._array.dtype))
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
        grads = local_derivatives(node, masks[0].astype(node.dtype)) or ()
        found: list[Any] = []
        for edge, given in zip(node.edges, grads, strict=False):
            shape = None if edge is None else edge[0].output_meta(edge[1]).shape
            if shape is None or not isinstance(given, ndarray | np.generic):
                found.append(None)
            else:
                found.append(np.asarray(summed(given, shape) != 0))
        return found or None


def _as_leaf(array: ndarray) -> Any:
    """Return a tensor like an array, with numbers in place of what is not finite."""
    if array.dtype.kind not in "fc":
        return tensor_of(array)
    numbers = np.where(np.isfinite(array), array, np.array(0.5, array.dtype))
    return tensor_of(numbers.astype(array.dtype)).requires_grad_()


def _odd(value: Any, mask: ndarray) -> bool:
    """Return whether some of the elements are not finite."""
    if value is None or value.dtype.kind not in "fc" or value.shape != mask.shape:
        return False
    return not np.isfinite(value[mask]).all()


def _index_text(mask: ndarray) -> str:
    """Return which elements a mask has, as an index would be written."""
    if not mask.ndim:
        return ""
    places = np.argwhere(mask)
    parts = [str(each[0]) if len(set(each.tolist())) == 1 else ":" for each in places.T]
    return f"[{', '.join(parts)}]"
