"""Trees of arguments: tuples, lists, dictionaries and named tuples, nested, with anything else as
leaves.

Each kind of collection has one entry in the table `NODES`, which says how to open it and how to
build it again.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from pellucid.errors import ArgumentError
from pellucid.shapes import Size

#: which part of a collection something is: how it is got from there, and how that is written
Key = Any


class MappingKey(NamedTuple):
    """A value of a mapping, as part of a path."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        """Return the value."""
        return mapping[self.key]


class SequenceKey(NamedTuple):
    """An item of a sequence, as part of a path."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        """Return the item."""
        return sequence[self.idx]


class GetAttrKey(NamedTuple):
    """An attribute of an object, as part of a path."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        """Return the attribute."""
        return getattr(obj, self.name)


class NodeDef(NamedTuple):
    """How a kind of collection is opened: into its children and a context; and built again.

    ``flatten_with_keys_fn`` opens it into pairs of a key and a child; ``None`` where it is not
    known what the children are called.
    """

    type: Any
    flatten_fn: Callable[[Any], tuple[list[Any], Any]]
    unflatten_fn: Callable[[Iterable[Any], Any], Any]
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[Key, Any]], Any]] | None = None


class TreeSpec:
    """A tree without its leaves.

    Args:
        type: The class of the collection; ``None`` for a leaf.
        context: Keys of a dictionary, the class of a named tuple.
        children_specs: The trees below.
    """

    __slots__ = ("children_specs", "context", "num_leaves", "type")

    def __init__(
        self, type: Any = None, context: Any = None, children_specs: Iterable[TreeSpec] = ()
    ) -> None:
        self.type = type
        self.context = context
        self.children_specs = list(children_specs)
        self.num_leaves = (
            1 if type is None else sum(child.num_leaves for child in self.children_specs)
        )

    def is_leaf(self) -> bool:
        """Return whether the tree is nothing but a leaf."""
        return self.type is None

    @property
    def num_nodes(self) -> int:
        """The number of collections and leaves."""
        return 1 + sum(child.num_nodes for child in self.children_specs)

    @property
    def num_children(self) -> int:
        """The number of trees right below."""
        return len(self.children_specs)

    def children(self) -> list[TreeSpec]:
        """Return the trees right below."""
        return list(self.children_specs)

    def child(self, index: int) -> TreeSpec:
        """Return one of the trees right below."""
        return self.children_specs[index]

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """Return the tree with these leaves."""
        return unflatten(list(leaves), self)

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """Return what a tree has at the leaves of this one."""
        return flatten_up_to(tree, self)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TreeSpec)
            and self.type is other.type
            and self.context == other.context
            and self.children_specs == other.children_specs
        )

    def __hash__(self) -> int:
        return hash((self.type, self.num_leaves, self.num_children))

    def __repr__(self) -> str:
        return self._written(0)

    def _written(self, indent: int) -> str:
        if self.type is None:
            return "*"
        start = f"TreeSpec({self.type.__name__}, {self.context}, ["
        indent += 2
        return start + f",\n{' ' * indent}".join(
            child._written(indent) for child in self.children_specs
        ) + "])"  # fmt: skip

    @property
    def short(self) -> str:
        """The tree as one would write it, with stars for the leaves."""
        inner = [child.short for child in self.children_specs]
        if self.type is None:
            return "*"
        if self.type in STANDARD_DICT_TYPES:
            keys = self.context[1] if self.type is defaultdict else self.context
            pairs = (f"{key!r}: {text}" for key, text in zip(keys, inner, strict=True))
            return "{" + ", ".join(pairs) + "}"
        if self.type is list:
            return f"[{', '.join(inner)}]"
        return f"({', '.join(inner)}{',' if len(inner) == 1 else ''})"


LEAF: Final = TreeSpec()
STANDARD_DICT_TYPES: Final = frozenset({dict, OrderedDict, defaultdict})


def _numbered(open_it: Callable[[Any], tuple[list[Any], Any]]) -> Callable[[Any], Any]:
    """Return how a sequence is opened with keys."""

    def with_keys(tree: Any) -> tuple[list[tuple[Key, Any]], Any]:
        children, context = open_it(tree)
        return [(SequenceKey(idx), child) for idx, child in enumerate(children)], context

    return with_keys


def _keyed(open_it: Callable[[Any], tuple[list[Any], Any]]) -> Callable[[Any], Any]:
    """Return how a mapping is opened with keys."""

    def with_keys(tree: Any) -> tuple[list[tuple[Key, Any]], Any]:
        children, context = open_it(tree)
        return [(MappingKey(key), child) for key, child in zip(tree, children, strict=True)], (
            context
        )

    return with_keys


def _open_sequence(tree: Any) -> tuple[list[Any], Any]:
    return list(tree), None


def _open_mapping(tree: Any) -> tuple[list[Any], Any]:
    return list(tree.values()), list(tree)


def _open_defaultdict(tree: Any) -> tuple[list[Any], Any]:
    return list(tree.values()), [tree.default_factory, list(tree)]


def _open_deque(tree: Any) -> tuple[list[Any], Any]:
    return list(tree), tree.maxlen


def _open_named(tree: Any) -> tuple[list[Any], Any]:
    return list(tree), type(tree)


def _open_named_with_keys(tree: Any) -> tuple[list[tuple[Key, Any]], Any]:
    pairs = zip(tree._fields, tree, strict=True)
    return [(GetAttrKey(name), child) for name, child in pairs], type(tree)


def _sequence_of(kind: Any) -> NodeDef:
    return NodeDef(
        kind, _open_sequence, lambda children, _: kind(children), _numbered(_open_sequence)
    )


def _mapping_of(kind: Any) -> NodeDef:
    return NodeDef(
        kind,
        _open_mapping,
        lambda children, keys: kind(zip(keys, children, strict=True)),
        _keyed(_open_mapping),
    )


#: what is opened, by its class; named tuples by the function that makes their classes
NODES: dict[Any, NodeDef] = {
    node.type: node
    for node in (
        *map(_sequence_of, (tuple, list, Size)),
        *map(_mapping_of, (dict, OrderedDict)),
        NodeDef(
            namedtuple, _open_named, lambda children, kind: kind(*children), _open_named_with_keys
        ),
        NodeDef(
            defaultdict,
            _open_defaultdict,
            lambda children, context: defaultdict(
                context[0], zip(context[1], children, strict=True)
            ),
            _keyed(_open_defaultdict),
        ),
        NodeDef(
            deque,
            _open_deque,
            lambda children, maxlen: deque(children, maxlen=maxlen),
            _numbered(_open_deque),
        ),
    )
}


def node_type(tree: Any) -> Any:
    """Return the key of `NODES` for an object; its class if there is none, as of a leaf."""
    kind = type(tree)
    if kind not in NODES and isinstance(tree, tuple) and hasattr(kind, "_fields"):
        return namedtuple
    return kind


def _opened(tree: Any) -> tuple[Any, Any, list[Any]] | None:
    """Return type, context and children of a collection; ``None`` for a leaf."""
    kind = node_type(tree)
    node = NODES.get(kind)
    if node is None:
        return None
    children, context = node.flatten_fn(tree)
    return kind, context, list(children)


def flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], TreeSpec]:
    """Return the leaves of a tree, and its structure.

    >>> flatten({"a": 1, "b": (2, [3])})[0]
    [1, 2, 3]
    """
    opened = None if is_leaf is not None and is_leaf(tree) else _opened(tree)
    if opened is None:
        return [tree], LEAF
    kind, context, children = opened
    leaves: list[Any] = []
    structures: list[TreeSpec] = []
    for child in children:
        found, structure = flatten(child, is_leaf)
        leaves += found
        structures.append(structure)
    return leaves, TreeSpec(kind, context, structures)


def paths_and_leaves(
    tree: Any, is_leaf: Callable[[Any], bool] | None = None, before: tuple[Key, ...] = ()
) -> list[tuple[tuple[Key, ...], Any]]:
    """Return each leaf with the keys that lead to it.

    Raises ValueError for a collection of which the keys are not known.
    """
    kind = node_type(tree)
    node = NODES.get(kind)
    if node is None or (is_leaf is not None and is_leaf(tree)):
        return [(before, tree)]
    if node.flatten_with_keys_fn is None:
        raise ArgumentError(
            f"Did not find a flatten_with_keys_fn for type: {kind}. Please pass a "
            "flatten_with_keys_fn argument to register_pytree_node."
        )
    pairs, _ = node.flatten_with_keys_fn(tree)
    return [
        found for key, child in pairs for found in paths_and_leaves(child, is_leaf, (*before, key))
    ]


def unflatten(leaves: list[Any], structure: TreeSpec) -> Any:
    """Return the tree of this structure with these leaves.

    >>> unflatten([1, 2], flatten(("x", ["y"]))[1])
    (1, [2])
    """
    if len(leaves) != structure.num_leaves:
        raise ArgumentError(
            f"unflatten(leaves, structure): `leaves` has length {len(leaves)} but the structure "
            f"refers to a tree that holds {structure.num_leaves} items"
        )
    return _built(iter(leaves), structure)


def _built(leaves: Any, structure: TreeSpec) -> Any:
    if structure.type is None:
        return next(leaves)
    children = [_built(leaves, child) for child in structure.children_specs]
    return NODES[structure.type].unflatten_fn(children, structure.context)


def mapped(function: Callable[[Any], Any], tree: Any) -> Any:
    """Return the tree with each leaf put through a function."""
    leaves, structure = flatten(tree)
    return unflatten([function(leaf) for leaf in leaves], structure)


def broadcast_leaves(
    tree: Any, structure: TreeSpec, is_leaf: Callable[[Any], bool] | None = None
) -> list[Any] | None:
    """Return one leaf of a tree for each leaf of a structure that goes deeper, or as deep.

    ``None`` where the tree does not fit.

    >>> broadcast_leaves((0, None), flatten(("x", ["y", "z"]))[1])
    [0, None, None]
    """
    opened = None if is_leaf is not None and is_leaf(tree) else _opened(tree)
    if opened is None:
        return [tree] * structure.num_leaves
    kind, context, children = opened
    if structure.type is not kind or len(children) != structure.num_children:
        return None
    if context != structure.context:
        return None
    leaves: list[Any] = []
    for child, below in zip(children, structure.children_specs, strict=True):
        found = broadcast_leaves(child, below, is_leaf)
        if found is None:
            return None
        leaves += found
    return leaves


def flatten_up_to(tree: Any, structure: TreeSpec) -> list[Any]:
    """Return what a tree has at the leaves of a structure, which may be trees themselves.

    >>> flatten_up_to([1, (2, 3)], flatten(["x", "y"])[1])
    [1, (2, 3)]
    """
    if structure.type is None:
        return [tree]
    opened = _opened(tree)
    if opened is None or opened[0] is not structure.type or (
        len(opened[2]) != structure.num_children
    ):  # fmt: skip
        raise ArgumentError(f"Node type mismatch; expected {structure!r}, but got {tree!r}.")
    kind, _, children = opened
    if kind in STANDARD_DICT_TYPES:
        keys = structure.context[1] if kind is defaultdict else structure.context
        try:
            children = [tree[key] for key in keys]
        except KeyError:
            raise ArgumentError(
                f"Node keys mismatch; expected keys {keys}, but got {list(tree)}."
            ) from None
    pairs = zip(children, structure.children_specs, strict=True)
    return [leaf for child, below in pairs for leaf in flatten_up_to(child, below)]
