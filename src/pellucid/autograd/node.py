"""The graph: nodes, the edges between them, and the leaves where gradients end.

A node is one applied operation seen from behind: it takes the gradient of the operation's result
and returns the gradients of its operands. It refers to no user tensor, only to saved arrays, and
to the nodes that made its operands. So the graph dies with the last tensor that leads to it.
"""

from __future__ import annotations

import itertools
import re
import weakref
from collections.abc import Callable, Iterable, Iterator, Set
from threading import RLock
from types import CodeType
from typing import Any, ClassVar

from pellucid.autograd.cells import cells, running_shell
from pellucid.autograd.node_extra import NodeExtra, RemovableHandle, add_hook, node_extra
from pellucid.autograd.sites import Site, user_frame
from pellucid.autograd.variable import Edge, TensorBase, extra_of, grad_dtype_of
from pellucid.errors import GraphError

#: where a node's metadata has the node whose backward made it, while anomalies are looked for
PARENT = "parent"
#: Numbers nodes in the order of their making, over all threads.
sequence = itertools.count()
_NUMBERED_BACKWARD = re.compile(r"Backward\d*$")
#: AccumulateGrad comes before everything else that is ready, as in PyTorch.
LAST_SEQUENCE = 2**64 - 1

if (shell := running_shell()) is not None:
    cells.follow(shell, sequence)


class BackwardRun:
    """One backward pass, with the line it was called from; it frees saved values.

    Args:
        call: ``"backward"``, ``"grad"`` or ``"release"``.
        code: The code object of the caller.
        lasti: The caller's position in it.
        roots: The nodes that the pass starts from.

    >>> x = torch.ones(2, requires_grad=True)
    >>> y = x * x
    >>> y.sum().backward()
    >>> y.grad_fn.freed_by.call
    'backward'
    """

    __slots__ = ("call", "code", "lasti", "number", "roots", "seq")
    code: CodeType | None
    numbers: ClassVar[Iterator[int]] = itertools.count(1)

    def __init__(self, call: str, code: CodeType, lasti: int, roots: Iterable[Node] = ()) -> None:
        #: "backward", "grad" or "release"
        self.call = call
        self.code = code
        self.lasti = lasti
        self.number = next(BackwardRun.numbers)
        #: nodes with a smaller sequence number were made before this pass
        self.seq = next(sequence)
        #: sequence numbers of the nodes that it started from
        self.roots = tuple([root.seq for root in roots])

    @classmethod
    def here(cls, call: str, roots: Iterable[Node] = ()) -> BackwardRun:
        """Make one for the user's line that is calling."""
        return cls(call, *user_frame(2), roots)

    @classmethod
    def planned(cls, call: str, roots: Iterable[Node]) -> BackwardRun:
        """Make one for a pass that is only looked at: it takes no number."""
        run = cls.__new__(cls)
        run.call = call
        run.code, run.lasti = user_frame(2)
        run.number = run.seq = 0
        run.roots = tuple([root.seq for root in roots])
        return run

    @property
    def site(self) -> Site:
        assert self.code is not None
        return Site(self.code, self.lasti, cells.run_of(self.seq))

    @property
    def is_noted(self) -> bool:
        """Whether its line is known: not where PyTorch has run it unseen."""
        return self.code is not None

    def __str__(self) -> str:
        if not self.is_noted:
            return f"{self.call} that was not noted"
        return f"{self.call} #{self.number}, {self.site}"


class Node:
    """One applied operation in the graph, as ``tensor.grad_fn`` shows it.

    ``backward(node, g)`` is the function that turns the gradient of the output into a tuple of
    gradients, one per edge, ``None`` where none is needed. A node of several outputs has ``metas``,
    one for each, and takes a list of gradients.

    >>> x = torch.ones(2, requires_grad=True)
    >>> node = (x * x).grad_fn
    >>> node.name(), [each.name() for each, _ in node.next_functions]
    ('MulBackward0', ['torch::autograd::AccumulateGrad', 'torch::autograd::AccumulateGrad'])
    """

    __slots__ = (
        "__weakref__", "_lasti", "backward", "code", "dtype", "edges", "extra", "metas", "params",
        "saved", "scope", "seq", "shape",
    )  # fmt: skip

    #: what stands before the name of the class, as in PyTorch
    namespace: ClassVar[str] = ""
    requires_grad: ClassVar[bool] = True
    #: the positions of the edges that PyTorch's node has, in its order; None: all
    shown_edges: ClassVar[tuple[int, ...] | None] = None
    #: whether there is no such node in PyTorch, whose edges lead past it
    hidden: ClassVar[bool] = False
    #: how often PyTorch's node changes the gradients that it makes, before it hands them on
    gradient_changes: ClassVar[int] = 0
    #: whether a backward pass leaves it what it has saved: a number, which PyTorch's keeps for good
    is_unfreed: ClassVar[bool] = False
    #: whether a function of the user's own has made it
    is_custom: ClassVar[bool] = False
    #: whether backward wants to run when no gradient arrived at all
    takes_undefined: ClassVar[bool] = False

    backward: Callable[[Any, Any], tuple[Any, ...]]
    edges: tuple[Edge | None, ...]
    #: (array, storage, version) for each saved value; the run that freed them; None: saves nothing
    saved: tuple[Any, ...] | BackwardRun | None
    params: tuple[Any, ...] | None
    seq: int
    shape: tuple[int, ...] | None
    dtype: Any
    metas: tuple[Any, ...] | None
    code: CodeType | None
    _lasti: int
    scope: str | None
    extra: NodeExtra | None

    def name(self) -> str:
        """Return the node's name, such as ``MulBackward0``."""
        return self.namespace + type(self).__name__

    def short_name(self) -> str:
        """Return the node's name without its namespace, as errors and pages show it."""
        return self.name().removeprefix(self.namespace)

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """The nodes that made this node's operands, each with the number of its output."""
        places = range(len(self.edges)) if self.shown_edges is None else self.shown_edges
        return tuple([self._shown_edge(place) for place in places])

    def _shown_edge(self, place: int) -> tuple[Node | None, int]:
        edge = self.edges[place]
        while edge is not None and edge[0].hidden:
            edge = edge[0].edges[0]
        if edge is None or isinstance(edge[0], UndefinedGrad):
            return None, 0
        return edge[0].shown(), edge[1]

    def shown(self) -> Node:
        """Return the node once its class is that of PyTorch's."""
        return self

    @property
    def site(self) -> Site | None:
        """The user's line that made the node."""
        return None if self.code is None else Site(self.code, self._lasti, cells.run_of(self.seq))

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary for the user's notes on the node."""
        return node_extra(self).metadata

    @property
    def freed_by(self) -> BackwardRun | None:
        """The backward pass that freed what the node had saved."""
        return self.saved if isinstance(self.saved, BackwardRun) else None

    @property
    def output_count(self) -> int:
        return 1 if self.metas is None else len(self.metas)

    def output_meta(self, slot: int) -> Any:
        """Return what has ``shape`` and ``dtype`` of one output."""
        return self if self.metas is None else self.metas[slot]

    def backward_on_tensors(
        self, g: Any, needed: tuple[bool, ...] | None = None
    ) -> tuple[Any, ...]:
        """Do what ``backward`` does with tensors, so that it is recorded itself.

        Edges that are not ``needed`` may be left out.
        """
        raise NotImplementedError

    def backward_towards(self, g: Any, needed: tuple[bool, ...]) -> tuple[Any, ...]:
        """Do what ``backward`` does for the edges that are needed only."""
        return self.backward(self, g)

    def release(self, run: BackwardRun) -> None:
        """Free what the node saved, and remember who did."""
        if self.saved is not None and not self.is_unfreed:
            self.saved = run

    def register_hook(self, fn: Callable[[Any, Any], Any]) -> RemovableHandle:
        """Call ``fn(grad_inputs, grad_outputs)`` after the node; its tuple replaces the first.

        >>> x = torch.ones(2, requires_grad=True)
        >>> y = x * 3
        >>> handle = y.grad_fn.register_hook(lambda gi, go: (gi[0] * 2, gi[1]))
        >>> y.sum().backward()
        >>> x.grad
        tensor([6., 6.])
        """
        return add_hook(node_extra(self).post_hooks, fn)

    def register_prehook(self, fn: Callable[[Any], Any]) -> RemovableHandle:
        """Call ``fn(grad_outputs)`` before the node runs; a tuple that it returns replaces them."""
        return add_hook(node_extra(self).pre_hooks, fn)

    def _sequence_nr(self) -> int:
        return self.seq

    @property
    def born(self) -> int:
        """The number that every node which leads to this one exceeds."""
        return self.seq

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"


class AccumulateGrad(Node):
    """The end of the graph at a leaf: adds the gradient that arrives to the leaf's ``.grad``.

    See Note [A leaf and its AccumulateGrad].

    Args:
        leaf: A tensor that requires grad and that no recorded operation made.

    >>> x = torch.ones(2, requires_grad=True)
    >>> torch.autograd.graph.leaf_edge(x)[0].name()
    'torch::autograd::AccumulateGrad'
    """

    namespace = "torch::autograd::"
    __slots__ = ("_born", "_leaf", "first_shape", "lock", "storage", "value")

    # Note [A leaf and its AccumulateGrad]
    # PyTorch lets the node hold the leaf, and the leaf find the node weakly. Here it is the other
    # way round: a leaf holds its node, as every other tensor does, so the call path has one test,
    # `edge is not None`, for "requires grad". The node holds the leaf's memory strongly and the
    # leaf itself weakly. If the user drops the leaf, backward still runs; its gradient then has
    # nowhere to go, as nobody could read it, unless `variable` is asked for.

    def __init__(self, leaf: TensorBase) -> None:
        self.edges = ()
        self.saved = None
        self.params = None
        self.metas = None
        self.extra = None
        self.scope = None
        self.code, self._lasti = None, 0
        self.seq = LAST_SEQUENCE
        self._born = next(sequence)
        #: held while the gradient is added to and the hooks on the sum run, as backward passes of
        #: several threads may end here; reentrant, as such a hook may call backward itself
        self.lock = RLock()
        self.rebind(leaf)
        #: the shape that graphs were made with; another now: ``.data`` was replaced since
        self.first_shape = self.shape

    @property
    def born(self) -> int:
        return self._born

    def rebind(self, leaf: TensorBase) -> None:
        """Record the leaf's memory, after it has been made or given other ``.data``."""
        self._leaf = weakref.ref(leaf)
        #: the leaf's array, which makes the leaf again for `variable`
        self.value = leaf._array
        self.storage = leaf._storage
        self.shape = leaf._array.shape
        self.dtype = grad_dtype_of(leaf)
        if self.dtype is not leaf._array.dtype:
            node_extra(self)  # keeps the gradient out of the short paths

    @property
    def leaf(self) -> TensorBase | None:
        """The leaf, if it is still alive."""
        return self._leaf()

    @property
    def variable(self) -> TensorBase:
        """The leaf; made again over its memory if the user has dropped it."""
        leaf = self._leaf()
        if leaf is None:
            leaf = make_leaf(self)
            extra_of(leaf).accumulate = self
            self._leaf = weakref.ref(leaf)
        return leaf


class UndefinedGrad(AccumulateGrad):
    """The end of the graph at a view that was made, unrecorded, of a tensor that requires grad.

    As in PyTorch such a view requires grad, and so does what is computed from it, but no gradient
    ever arrives anywhere.
    """

    __slots__ = ()

    @property
    def leaf(self) -> None:
        """Nobody: whatever arrives is dropped."""
        return None


class Joined(Node):
    """The history of a value that has one by what was computed with it, though nothing passes.

    Args:
        function: The name of the node.
        edges: Where gradients would go.
        like: What has the shape and dtype of the value.
    """

    __slots__ = ()

    def __init__(self, function: str, edges: tuple[Edge | None, ...], like: Any) -> None:
        self.edges, self.params, self.saved, self.extra = edges, (function,), None, None
        self.shape, self.dtype, self.metas = like.shape, like.dtype, None
        self.backward = type(self).run
        self.scope, self.seq = None, next(sequence)
        self.code, self._lasti = user_frame(3)

    def name(self) -> str:
        return self.params[0] if self.params else ""

    def run(self, g: Any) -> tuple[Any, ...]:
        """Return the gradients."""
        return (None,) * len(self.edges)

    def backward_on_tensors(
        self, g: Any, needed: tuple[bool, ...] | None = None
    ) -> tuple[Any, ...]:
        return self.run(g)


class NotDerived(Joined):
    """The node of a change that has no derivative: a backward pass that comes to it raises."""

    __slots__ = ()

    namespace = "torch::autograd::"

    def name(self) -> str:
        return Node.name(self)

    def run(self, g: Any) -> tuple[Any, ...]:
        return _not_derived(self)


NotDerived.__name__ = "NotImplemented"


def _not_derived(node: Node) -> tuple[Any, ...]:
    assert node.params is not None
    raise GraphError(
        f"derivative for {node.params[0]} is not implemented\n  use detach() or torch.no_grad() if "
        "the history is not wanted"
    )


#: How a dropped leaf is made again; the tensor layer sets it.
make_leaf: Callable[[AccumulateGrad], TensorBase]


def set_make_leaf(function: Callable[[AccumulateGrad], TensorBase]) -> None:
    """Set the function that makes a leaf from an `AccumulateGrad`."""
    global make_leaf
    make_leaf = function


def function_of(node: Node) -> str:
    """Return what errors call the function that made a node: ``Exp`` for ``ExpBackward0``."""
    return getattr(node, "function_name", _NUMBERED_BACKWARD.sub("", node.short_name()))


def leaf_edge(leaf: TensorBase) -> Edge:
    """Return the edge of a leaf that requires grad, keeping the node it had before.

    Args:
        leaf: A leaf tensor that requires grad.

    >>> x = torch.ones(2, requires_grad=True)
    >>> torch.autograd.graph.leaf_edge(x)[0].variable is x
    True
    """
    extra = leaf._extra
    if extra is not None and extra.accumulate is not None:
        return (extra.accumulate, 0)
    accumulate = AccumulateGrad(leaf)
    extra_of(leaf).accumulate = accumulate
    return (accumulate, 0)


def renew_leaf_edge(leaf: TensorBase) -> None:
    """Give a leaf whose dtype has changed another AccumulateGrad, with the same hooks.

    As in PyTorch, graphs that were made before lead to the one that it had: it goes on adding
    gradients of the former dtype.
    """
    extra = leaf._extra
    if extra is None or extra.accumulate is None:
        return
    former, extra.accumulate = extra.accumulate, None
    edge = leaf_edge(leaf)
    edge[0].extra = former.extra
    if leaf._edge is not None:
        leaf._edge = edge


def end_history(node: Node) -> None:
    """Make gradients end at a node, which then needs nothing that it has saved."""
    node.edges = (None,) * len(node.edges)
    node.saved = None
    node.backward = _no_gradients


def _no_gradients(node: Node, g: Any) -> tuple[None, ...]:
    return (None,) * len(node.edges)


def reachable(roots: Iterable[Node], around: Set[Node] = frozenset()) -> set[Node]:
    """Return all nodes that gradients from the roots can reach; without recursion.

    Args:
        roots: Nodes of the graph.
        around: Nodes that are not gone through.

    >>> x = torch.ones(2, requires_grad=True)
    >>> sorted(node.name() for node in torch.autograd.graph.reachable([(x * 2).grad_fn]))
    ['MulBackward0', 'torch::autograd::AccumulateGrad']
    """
    seen = set(roots)
    stack = list(seen)
    while stack:
        for edge in stack.pop().edges:
            if edge is not None and edge[0] not in seen and edge[0] not in around:
                seen.add(edge[0])
                stack.append(edge[0])
    return seen
