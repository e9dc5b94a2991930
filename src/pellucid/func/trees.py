"""Trees of arguments: tuples, lists, dictionaries and named tuples, nested, with anything else as
leaves.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

from pellucid.errors import ArgumentError


class Structure:
    """A tree without its leaves."""

    __slots__ = ("children", "context", "kind")

    def __init__(self, kind: Any, context: Any, children: list[Structure]) -> None:
        #: the class of the collection; ``None`` for a leaf
        self.kind = kind
        #: keys of a dictionary, the class of a named tuple
        self.context = context
        self.children = children

    @property
    def type(self) -> Any:
        """The class of the collection, by PyTorch's name."""
        return self.kind

    @property
    def num_leaves(self) -> int:
        """The number of leaves, by PyTorch's name."""
        return self.count

    def is_leaf(self) -> bool:
        """Return whether the tree is nothing but a leaf."""
        return self.kind is None

    @property
    def count(self) -> int:
        """The number of leaves."""
        return 1 if self.kind is None else sum(child.count for child in self.children)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Structure)
            and self.kind is other.kind
            and self.context == other.context
            and self.children == other.children
        )

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        if self.kind is None:
            return "*"
        context = self.context
        inner = ", ".join(map(repr, self.children))
        return f"TreeSpec({self.kind.__name__}, {context}, [{inner}])"

    @property
    def short(self) -> str:
        """The tree as one would write it, with stars for the leaves."""
        inner = [child.short for child in self.children]
        if self.kind is None:
            return "*"
        if self.kind in _MAPPINGS:
            keys = self.context[1] if self.kind is defaultdict else self.context
            return (
                "{"
                + ", ".join(f"{key!r}: {text}" for key, text in zip(keys, inner, strict=True))
                + "}"
            )
        if self.kind is list:
            return f"[{', '.join(inner)}]"
        return f"({', '.join(inner)}{',' if len(inner) == 1 else ''})"


_LEAF = Structure(None, None, [])

#: how to open the collections of a class that a program has registered, and how to build them
REGISTERED: dict[type, tuple[Callable[[Any], tuple[Any, Any]], Callable[[Any, Any], Any]]] = {}
_MAPPINGS = (dict, OrderedDict, defaultdict)


def _is_named_tuple(tree: Any) -> bool:
    return isinstance(tree, tuple) and hasattr(type(tree), "_fields")


def _opened(tree: Any) -> tuple[Any, Any, list[Any]] | None:
    """Return kind, context and children of a collection; ``None`` for a leaf."""
    kind = type(tree)
    if kind is tuple or kind is list:
        return kind, None, list(tree)
    if kind is deque:
        return kind, tree.maxlen, list(tree)
    if kind is defaultdict:
        return kind, (tree.default_factory, list(tree)), list(tree.values())
    if kind in _MAPPINGS:
        return kind, list(tree), list(tree.values())
    if _is_named_tuple(tree):
        return kind, kind, list(tree)
    if kind in REGISTERED:
        children, context = REGISTERED[kind][0](tree)
        return kind, context, list(children)
    return None


def flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], Structure]:
    """Return the leaves of a tree, and its structure.

    >>> flatten({"a": 1, "b": (2, [3])})[0]
    [1, 2, 3]
    """
    opened = None if is_leaf is not None and is_leaf(tree) else _opened(tree)
    if opened is None:
        return [tree], _LEAF
    kind, context, children = opened
    leaves: list[Any] = []
    structures: list[Structure] = []
    for child in children:
        found, structure = flatten(child, is_leaf)
        leaves += found
        structures.append(structure)
    return leaves, Structure(kind, context, structures)


def unflatten(leaves: list[Any], structure: Structure) -> Any:
    """Return the tree of this structure with these leaves.

    >>> unflatten([1, 2], flatten(("x", ["y"]))[1])
    (1, [2])
    """
    if len(leaves) != structure.count:
        raise ArgumentError(
            f"unflatten(leaves, structure): `leaves` has length {len(leaves)} but the structure "
            f"refers to a tree that holds {structure.count} items"
        )
    return _built(iter(leaves), structure)


def _built(leaves: Any, structure: Structure) -> Any:
    kind = structure.kind
    if kind is None:
        return next(leaves)
    children = [_built(leaves, child) for child in structure.children]
    if kind is deque:
        return deque(children, maxlen=structure.context)
    if kind is defaultdict:
        factory, keys = structure.context
        return defaultdict(factory, zip(keys, children, strict=True))
    if kind in REGISTERED:
        return REGISTERED[kind][1](children, structure.context)
    if kind in _MAPPINGS:
        make: Any = kind
        return make(zip(structure.context, children, strict=True))
    if structure.context is kind:
        return kind(*children)
    return kind(children)


def mapped(function: Callable[[Any], Any], tree: Any) -> Any:
    """Return the tree with each leaf put through a function."""
    leaves, structure = flatten(tree)
    return unflatten([function(leaf) for leaf in leaves], structure)


def broadcast_leaves(tree: Any, structure: Structure) -> list[Any] | None:
    """Return one leaf of a tree for each leaf of a structure that goes deeper, or as deep.

    ``None`` where the tree does not fit.

    >>> broadcast_leaves((0, None), flatten(("x", ["y", "z"]))[1])
    [0, None, None]
    """
    opened = _opened(tree)
    if opened is None:
        return [tree] * structure.count
    kind, context, children = opened
    if structure.kind is not kind or len(children) != len(structure.children):
        return None
    if context != structure.context:
        return None
    leaves: list[Any] = []
    for child, below in zip(children, structure.children, strict=True):
        found = broadcast_leaves(child, below)
        if found is None:
            return None
        leaves += found
    return leaves


def flatten_up_to(tree: Any, structure: Structure) -> list[Any]:
    """Return what a tree has at the leaves of a structure, which may be trees themselves.

    >>> flatten_up_to([1, (2, 3)], flatten(["x", "y"])[1])
    [1, (2, 3)]
    """
    if structure.kind is None:
        return [tree]
    opened = _opened(tree)
    if (
        opened is None
        or opened[0] is not structure.kind
        or len(opened[2]) != len(structure.children)
    ):
        raise ArgumentError(f"Node type mismatch; expected {structure!r}, but got {tree!r}.")
    kind, _, children = opened
    if kind in _MAPPINGS:
        keys = structure.context[1] if kind is defaultdict else structure.context
        try:
            children = [tree[key] for key in keys]
        except KeyError:
            raise ArgumentError(
                f"Node keys mismatch; expected keys {keys}, but got {list(tree)}."
            ) from None
    pairs = zip(children, structure.children, strict=True)
    return [leaf for child, below in pairs for leaf in flatten_up_to(child, below)]
