"""Trees of values by PyTorch's names: ``torch.utils._pytree`` under the alias."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from pellucid.errors import ArgumentError
from pellucid.func import trees
from pellucid.func.trees import Structure as TreeSpec

__all__ = [
    "Context", "PyTree", "TreeSpec", "register_pytree_node", "tree_all", "tree_any",
    "tree_flatten", "tree_is_leaf", "tree_iter", "tree_leaves", "tree_map", "tree_map_",
    "tree_map_only", "tree_structure", "tree_unflatten",
]  # fmt: skip

PyTree: TypeAlias = Any
Context: TypeAlias = Any
IsLeaf: TypeAlias = Callable[[Any], bool] | None


def register_pytree_node(
    cls: type,
    flatten_fn: Callable[[Any], tuple[Any, Any]],
    unflatten_fn: Callable[[Any, Any], Any],
    **options: Any,
) -> None:
    """Register a class as a collection: ``flatten_fn`` returns the children and a context.

    ``unflatten_fn`` builds an object of these two. Raises ValueError for a class known already.

    >>> class Pair:
    ...     def __init__(self, a, b):
    ...         self.both = [a, b]
    >>> register_pytree_node(Pair, lambda pair: (pair.both, None), lambda both, _: Pair(*both))
    >>> tree_map(str, Pair(1, 2)).both
    ['1', '2']
    """
    if cls in trees.REGISTERED:
        raise ArgumentError(f"{cls} is already registered as pytree node.")
    trees.REGISTERED[cls] = (flatten_fn, unflatten_fn)


def tree_flatten(tree: PyTree, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeSpec]:
    """Return the leaves of a tree, and its structure.

    Collections are tuples, lists, deques, dictionaries, named tuples and what is registered; where
    ``is_leaf`` says so, they are leaves.

    >>> tree_flatten({"a": 1, "b": (2, [3])})[0]
    [1, 2, 3]
    >>> tree_flatten([(1, 2), 3], is_leaf=lambda node: isinstance(node, tuple))[0]
    [(1, 2), 3]
    """
    return trees.flatten(tree, is_leaf)


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> PyTree:
    """Return the tree of a structure with other leaves; ValueError if their number is wrong.

    >>> tree_unflatten([1, 2], tree_structure(("x", ["y"])))
    (1, [2])
    """
    return trees.unflatten(list(leaves), treespec)


def tree_iter(tree: PyTree, is_leaf: IsLeaf = None) -> Iterator[Any]:
    """Go through the leaves of a tree."""
    yield from tree_leaves(tree, is_leaf)


def tree_leaves(tree: PyTree, is_leaf: IsLeaf = None) -> list[Any]:
    """Return the leaves of a tree."""
    return trees.flatten(tree, is_leaf)[0]


def tree_structure(tree: PyTree, is_leaf: IsLeaf = None) -> TreeSpec:
    """Return the structure of a tree."""
    return trees.flatten(tree, is_leaf)[1]


def tree_is_leaf(tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    """Return whether something is a leaf."""
    return trees.flatten(tree, is_leaf)[1].is_leaf()


def tree_map(
    func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """Return the tree with its leaves put through a function.

    The function gets what other trees have at the place of a leaf, too. They may
    go deeper: what is at the place of a leaf is given as it is.

    >>> tree_map(max, {"a": 1, "b": [5]}, {"a": 3, "b": [4]})
    {'a': 3, 'b': [5]}
    """
    leaves, structure = trees.flatten(tree, is_leaf)
    others = [trees.flatten_up_to(rest, structure) for rest in rests]
    return trees.unflatten(list(map(func, leaves, *others)), structure)


def tree_map_(
    func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """Put each leaf through a function that changes it in place, and return the tree."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(
    type_or_types_or_pred: Any,
    func: Callable[[Any], Any],
    tree: PyTree,
    is_leaf: IsLeaf = None,
) -> PyTree:
    """Return the tree with those leaves put through a function that are of some types.

    Instead of a type or a tuple of types there may be a function that chooses.

    >>> tree_map_only(int, str, [1, 2.5])
    ['1', 2.5]
    """
    chosen = type_or_types_or_pred
    if isinstance(chosen, type | tuple):
        return tree_map(lambda x: func(x) if isinstance(x, chosen) else x, tree, is_leaf=is_leaf)
    return tree_map(lambda x: func(x) if chosen(x) else x, tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    """Return whether something holds of all leaves."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    """Return whether something holds of a leaf."""
    return any(map(pred, tree_leaves(tree, is_leaf)))
