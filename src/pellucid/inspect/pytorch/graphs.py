"""PyTorch's graphs, as nodes that the tools of `pellucid.inspect` read.

Each of PyTorch's nodes is given one that stands for it, as `pellucid.autograd.node` defines nodes.
What they have saved is read by `saved_values`, for whoever asks the `reader`.
"""

from __future__ import annotations

import functools
import heapq
import importlib
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from pellucid import dtypes
from pellucid.autograd.node import AccumulateGrad, BackwardRun, Node
from pellucid.autograd.saved import PackedValue
from pellucid.core.definition.op import registry
from pellucid.errors import GraphError, NoGraphError
from pellucid.inspect.pytorch.notes import are_noted_on_nodes, freed_by, made_by
from pellucid.shapes import Meta

torch: Any = importlib.import_module("torch")

RAW = "_raw_saved_"
_UNKNOWN = object()
_UNKNOWN_META: Any = Meta(None, np.dtype("V"))  # type: ignore[arg-type]
#: parameters of PyTorch's nodes that mean the same in pellucid's ops
_PLAIN = (bool, float, int, str)
_REDUCTIONS = ("none", "mean", "sum")


def _as_told(name: str, value: Any) -> Any:
    """Return what a function was told, of which PyTorch's node has a number."""
    if type(value) is not int:
        return value
    if name == "reduction":
        return _REDUCTIONS[value]
    return value - 2**64 if value >= 2**63 else value  # kept without a sign


def _refuse(_: Any) -> Any:
    raise NoGraphError("a value that PyTorch has saved is not unpacked")


class HiddenValue(PackedValue):
    """A value that PyTorch has saved, and that is not a plain tensor in memory.

    Args:
        name: The name of the value.
        arrays: What it is known to keep alive.
        like: What it is like, as text.
    """

    __slots__ = ("like", "name")

    def __init__(self, name: str, arrays: Any = (), like: str = "packed") -> None:
        super().__init__(list(arrays), _refuse)
        self.name = name
        self.like = like


class TorchNode(Node):
    """What stands for a node of PyTorch's, whose line, values and shapes are read when asked for.

    Two that stand for the same node are equal.
    """

    __slots__ = ("_later", "function", "saved_names")

    def __init__(self, function: Any) -> None:
        self.function = function
        self._later: Any = None
        self.seq = function._sequence_nr()
        self.extra = None
        self.backward = _derivatives
        self.edges = ()

    def __getattr__(self, name: str) -> Any:
        """Read what was not asked for yet."""
        read = _READ_WHEN_ASKED.get(name)
        if read is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        read(self)
        return getattr(self, name)

    def read(self) -> None:
        """Read everything at once: the compiled module looks at what there is."""
        self._read_line()
        self._read_metas()
        self._read_params()
        self.read_saved()

    def _read_line(self) -> None:
        self.code, self._lasti, self.scope = made_by(self.function) or (None, 0, None)

    def read_saved(self) -> None:
        """Read which values are saved, and whether a pass has freed them; not the values."""
        self.saved_names = tuple([name for name, _, _ in stored(self.function)])
        hidden = tuple([HiddenValue(name) for name in self.saved_names])
        self.saved = (freed_by(self.function) or hidden) if hidden else None

    def _read_params(self) -> None:
        """Read what the op was told beside its operands, where the node has all of it."""
        op = getattr(type(self), "op", None)
        names = [each.name for each in op.params] if op is not None else []
        known = [
            _as_told(each, getattr(self.function, f"_saved_{each}", _UNKNOWN)) for each in names
        ]
        are_known = bool(known) and all(type(each) in _PLAIN for each in known)
        self.params = tuple(known) if are_known else None

    def _read_metas(self) -> None:
        # before version 2.6 PyTorch does not say what nodes give
        metas = [meta_of(each) for each in getattr(self.function, "_input_metadata", ())]
        self.metas = tuple(metas) if len(metas) > 1 else None
        first = metas[0] if metas else _UNKNOWN_META
        self.shape, self.dtype = first.shape, first.dtype

    @property
    def saved(self) -> Any:
        if self._later is not None:
            later, self._later = self._later, None
            Node.saved.__set__(self, later(self))  # type: ignore[attr-defined]
        return Node.saved.__get__(self)  # type: ignore[attr-defined]

    @saved.setter
    def saved(self, value: Any) -> None:
        Node.saved.__set__(self, value)  # type: ignore[attr-defined]

    @property
    def names_in_op(self) -> tuple[str, ...]:
        """The names of the saved values in pellucid's op of that name."""
        op = getattr(type(self), "op", None)
        if op is None:
            return self.saved_names
        known = {"self": op.operands[0].name, "result": op.outputs[0]}
        return tuple([known.get(each, each) for each in self.saved_names])

    @property
    def exponent(self) -> Any:
        """The exponent, where the node is that of a power by a number and not by a tensor."""
        by_tensor = "exponent" in _raw_names(type(self.function))
        return None if by_tensor else getattr(self.function, "_saved_exponent", None)

    def saved_later(self, read: Callable[[Any], Any]) -> None:
        """Defer reading the saved values until they are needed."""
        self._later = read

    @property
    def life(self) -> Any:
        from pellucid.inspect.pytorch.lives import life_of

        return life_of(self.function)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TorchNode | TorchLeaf) and other.function is self.function

    def __hash__(self) -> int:
        return hash(self.function)


_READ_WHEN_ASKED: dict[str, Callable[[TorchNode], None]] = {
    **dict.fromkeys(("code", "_lasti", "scope"), TorchNode._read_line),
    **dict.fromkeys(("saved", "saved_names"), TorchNode.read_saved),
    **dict.fromkeys(("metas", "shape", "dtype"), TorchNode._read_metas),
    "params": TorchNode._read_params,
}


class TorchFunctionNode(TorchNode):
    """What stands for the node of a custom function; ``ctx`` has the arrays of its context."""

    __slots__ = ("ctx",)

    is_custom = True

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self.ctx = SimpleNamespace()


class TorchLeaf(AccumulateGrad):
    """The end of a graph of PyTorch's, at a leaf."""

    __slots__ = ("_later", "function")

    def __init__(self, function: Any) -> None:
        self.function = function
        self._later: Any = None
        tensor = function.variable
        self.edges, self.seq = (), function._sequence_nr()
        self._born = 0  # PyTorch does not say when: any node may come after it
        self.saved = self.params = self.metas = self.extra = self.scope = self.code = None
        self.storage: Any = None  # that of PyTorch's does not know its changes
        self._lasti = 0
        meta = meta_of(tensor)
        self.shape, self.dtype = meta.shape, meta.dtype
        self.value = np.empty(0)

    @property
    def value(self) -> Any:
        if self._later is not None:
            later, self._later = self._later, None
            AccumulateGrad.value.__set__(self, later(self))
        return AccumulateGrad.value.__get__(self)

    @value.setter
    def value(self, value: Any) -> None:
        AccumulateGrad.value.__set__(self, value)

    def value_later(self, read: Callable[[Any], Any]) -> None:
        """Defer reading the value until it is needed."""
        self._later = read

    def name(self) -> str:
        return f"{self.namespace}AccumulateGrad"

    @property
    def leaf(self) -> Any:
        return self.function.variable

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TorchNode | TorchLeaf) and other.function is self.function

    def __hash__(self) -> int:
        return hash(self.function)


def _derivatives(node: Any, g: Any) -> tuple[Any, ...]:
    """Return the gradients of a node's operands, as arrays; the node's own formula is run.

    Hooks of the node do not run; values that hooks have packed are not unpacked.
    """
    if isinstance(node, TorchFunctionNode) or node.metas is not None or not _is_plain(node):
        raise GraphError("the formula of this node is not run")
    meta = node.function._input_metadata[0]
    ones = np.asarray(g)
    ones = ones.astype(np.float32) if ones.dtype.kind == "V" else ones  # of bfloat16
    with torch.no_grad(), torch._C.DisableTorchFunction():
        given = torch.as_tensor(ones).to(device=meta.device, dtype=meta.dtype)
        try:
            made = node.function(given.expand(node.shape))
        except RuntimeError as error:  # freed, or changed since
            raise GraphError(str(error)) from error
    several = made if isinstance(made, tuple) else (made,)
    return tuple([None if each is None else array_of(each) for each in several])


def _is_plain(node: TorchNode) -> bool:
    """Return whether all that a node needs is there, as it was saved."""
    saved = node.saved if isinstance(node.saved, tuple) else ()
    return not node.name().startswith("Copy") and not any(
        isinstance(each, PackedValue) or (each[1] is not None and each[1].version != each[2])
        for each in saved
    )


def array_of(tensor: Any) -> Any:
    """Return the values of a tensor; None where NumPy cannot have them."""
    if tensor.dtype in _KNOWN_TO_NUMPY and tensor.is_cpu and tensor.layout is torch.strided:
        try:
            return tensor.numpy(force=True)  # which detaches by itself
        except (RuntimeError, TypeError):
            return None
    return _converted(tensor)


def _converted(tensor: Any) -> Any:
    """Return the values of a tensor that NumPy cannot read where they are."""
    try:
        tensor = (tensor._values() if tensor.is_sparse else tensor).detach().cpu()
        if tensor.is_floating_point() and tensor.dtype not in _KNOWN_TO_NUMPY:
            tensor = tensor.float()
        return tensor.resolve_conj().resolve_neg().numpy()
    except (RuntimeError, TypeError):
        return None


_KNOWN_TO_NUMPY = (torch.float16, torch.float32, torch.float64)


@functools.cache
def dtype_of(dtype: Any) -> np.dtype[Any]:
    """Return NumPy's dtype of the same name and size."""
    known = getattr(dtypes, str(dtype).removeprefix("torch."), None)
    if known is None or known.is_in_name_only:
        return np.dtype(f"V{dtype.itemsize}")
    return known.numpy


def meta_of(described: Any) -> Meta:
    """Return shape and dtype; a nested tensor has no shape that could be told, and gets ()."""
    try:
        shape = tuple(map(int, described.shape))
    except (RuntimeError, AttributeError):
        shape = ()
    return Meta(shape, dtype_of(described.dtype))


@functools.cache
def _node_class(name: str, kind: type[TorchNode]) -> type[TorchNode]:
    """Return the class for the nodes of one name, with pellucid's op of that name, if any."""
    op = None if kind is TorchFunctionNode else _ops().get(name.rstrip("0123456789"))
    made: Any = type(name, (kind,), {"__slots__": (), "op": op})
    return made


@functools.cache
def _ops() -> dict[str, Any]:
    """Return pellucid's ops by the names of their nodes, without the number of the overload."""
    importlib.import_module("pellucid.ops.nn.all_operations")
    found: dict[str, Any] = {}
    for op in registry.values():
        title = "".join(part[:1].upper() + part[1:] for part in op.node_name.split("_"))
        found.setdefault(f"{title}Backward", op)
    return found


def node_of(function: Any) -> Node:
    """Return what stands for one of PyTorch's nodes, without edges and without saved values."""
    stands_for = _BY_CLASS.get(type(function))
    return _stand_in(function) if stands_for is None else stands_for(function)


#: what stands for the nodes of a class of PyTorch's own, where all of them have its name
_BY_CLASS: dict[type, Callable[[Any], Node]] = {}


def _stand_in(function: Any) -> Node:
    """Return what stands for a node, and remember its class for others like it."""
    name = function.name()
    if isinstance(function, torch.autograd.function.BackwardCFunction):
        return _node_class(name, TorchFunctionNode)(function)
    leaf = hasattr(function, "variable")
    kind: Callable[[Any], Node] = TorchLeaf if leaf else _node_class(name, TorchNode)
    if type(function).__name__ == name.rpartition("::")[2]:
        _BY_CLASS[type(function)] = kind
    return kind(function)


def nodes_of(functions: Iterable[Any]) -> dict[Any, Node]:
    """Return, for all of PyTorch's nodes that some lead to, what stands for them here.

    Of saved values nothing is read: these nodes hold no memory.
    """
    found: dict[Any, Node] = {}
    ways: list[tuple[Node, Any]] = []
    stack = list(functions)
    while stack:
        function = stack.pop()
        if function not in found:
            node = found[function] = node_of(function)
            below = function.next_functions
            ways.append((node, below))
            stack += [each for each, _ in below if each is not None]
    for node, below in ways:
        node.edges = tuple([None if each is None else (found[each], slot) for each, slot in below])
    if are_noted_on_nodes() or torch.cuda.is_initialized():
        _number_in_order([node for node, _ in ways])
    return found


def _number_in_order(nodes: list[Node]) -> None:
    """Number nodes so that each is younger than those below it, as where one thread makes them.

    What the thread of a device makes has numbers of that thread, by which the engine goes where it
    can choose.
    """
    if all(each.seq > below.seq for each in nodes for below in _inner_below(each)):
        return
    below = {each: _inner_below(each) for each in nodes if each.edges}
    waiting = Counter(itertools.chain.from_iterable(below.values()))
    arrival = itertools.count()  # decides between equal numbers, which two threads may give
    ready = [(-each.seq, next(arrival), each) for each in below if not waiting[each]]
    heapq.heapify(ready)
    order: list[Node] = []
    while ready:
        node = heapq.heappop(ready)[2]
        order.append(node)
        for each in below[node]:
            waiting[each] -= 1
            if not waiting[each]:
                heapq.heappush(ready, (-each.seq, next(arrival), each))
    number = 0
    for node in reversed(order):
        number = node.seq = max(number + 1, node.seq)


def _inner_below(node: Node) -> list[Node]:
    """Return the nodes that a node leads to, without the ends of the graph."""
    return [edge[0] for edge in node.edges if edge is not None and edge[0].edges]


def function_of(tensor: Any) -> Any:
    """Return PyTorch's node of a tensor or gradient edge; None if it has no history."""
    if isinstance(tensor, TorchNode | TorchLeaf):
        return tensor.function
    if not isinstance(tensor, torch.Tensor):
        return tensor if is_function(tensor) else getattr(tensor, "node", None)
    if tensor.grad_fn is None and tensor.requires_grad:
        with torch.enable_grad():
            view = tensor.view_as(tensor).grad_fn  # tensors of torch.func may have none
        return None if view is None else view.next_functions[0][0]
    return tensor.grad_fn


def is_function(value: Any) -> bool:
    return isinstance(value, torch.autograd.graph.Node)


def run_of(call: str, roots: list[Node]) -> BackwardRun:
    """Return the record of a pass of PyTorch's that begins, from the user's line."""
    run = BackwardRun.here(call, roots)
    run.seq = torch._C._autograd._get_sequence_nr()
    return run


# ---- saved values, as PyTorch stores them


def stored(function: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield each saved tensor as it is stored: its name, the attribute that unpacks it, itself."""
    for attribute, raw_attribute in _raw_names(type(function)).items():
        raw = _raw(function, raw_attribute)
        if isinstance(raw, tuple):
            label = "saved tensor" if attribute == "tensors" else attribute
            for position, each in enumerate(raw):
                yield f"{label} {position}", attribute, each
        else:
            yield attribute, attribute, raw


@functools.cache
def _raw_names(kind: type) -> dict[str, str]:
    """Return the saved values of nodes of one class, and the attributes that store them."""
    return {each.removeprefix(RAW): each for each in dir(kind) if each.startswith(RAW)}


def _raw(function: Any, name: str) -> Any:
    """Return a saved value as it is stored; None for those of a custom function once freed."""
    try:
        return getattr(function, name)
    except RuntimeError:
        return None


def stored_value(function: Any, name: str, raw: Any) -> tuple[Any, Any]:
    """Return what is stored of a saved value, and the hook that unpacks it; no hook runs.

    Before version 2.7 PyTorch shows neither, so that a value can only be unpacked: it counts as
    packed if it is not what a node without hooks gives.
    """
    if raw is None:
        return None, None
    hook = getattr(raw, "unpack_hook", _UNKNOWN)
    if hook is _UNKNOWN:
        return None, _refuse
    return raw.data, hook


def saved_tensors(function: Any) -> list[tuple[str, Any]]:
    """Return the tensors that a node has stored, each with its name; none is unpacked."""
    found: list[tuple[str, Any]] = []
    for name, _, raw in stored(function):
        if raw is not None and getattr(raw, "unpack_hook", raw) is None:
            value = raw.data
            if isinstance(value, torch.Tensor):
                found.append((name, value))
    return found
