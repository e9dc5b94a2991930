"""Trees of values by PyTorch's names: ``torch.utils._pytree`` under the alias."""

from __future__ import annotations

import dataclasses
import importlib
import json
from collections import OrderedDict, defaultdict, deque
from collections import namedtuple as namedtuple_function
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from pellucid.errors import ArgumentError, ArgumentTypeError, UnimplementedError
from pellucid.func import trees
from pellucid.func.trees import GetAttrKey, MappingKey, NodeDef, SequenceKey, TreeSpec

__all__ = [
    "Context", "GetAttrKey", "KeyEntry", "KeyPath", "LeafSpec", "MappingKey", "NodeDef", "PyTree",
    "SequenceKey", "TreeSpec", "keystr", "register_constant", "register_dataclass",
    "register_pytree_node", "tree_all", "tree_all_only", "tree_any", "tree_any_only",
    "tree_flatten", "tree_flatten_with_path", "tree_is_leaf", "tree_iter", "tree_leaves",
    "tree_leaves_with_path", "tree_map", "tree_map_", "tree_map_only", "tree_map_only_",
    "tree_map_with_path", "tree_structure", "tree_unflatten", "treespec_dict", "treespec_dumps",
    "treespec_leaf", "treespec_loads", "treespec_pprint", "treespec_tuple",
]  # fmt: skip

PyTree: TypeAlias = Any
Context: TypeAlias = Any
KeyEntry: TypeAlias = Any
KeyPath: TypeAlias = tuple[Any, ...]
FlattenFunc: TypeAlias = Callable[[PyTree], tuple[list[Any], Context]]
UnflattenFunc: TypeAlias = Callable[[Iterable[Any], Context], PyTree]
FlattenWithKeysFunc: TypeAlias = Callable[[PyTree], tuple[list[tuple[KeyEntry, Any]], Any]]
ToDumpableContextFn: TypeAlias = Callable[[Context], Any]
FromDumpableContextFn: TypeAlias = Callable[[Any], Context]
IsLeaf: TypeAlias = Callable[[Any], bool] | None

SUPPORTED_NODES = trees.NODES
STANDARD_DICT_TYPES = trees.STANDARD_DICT_TYPES
_get_node_type = trees.node_type
BUILTIN_TYPES = frozenset({tuple, list, dict, namedtuple_function, OrderedDict, defaultdict, deque})

#: how the contexts of registered classes are written into text and read again
_CONTEXTS: dict[Any, tuple[ToDumpableContextFn | None, FromDumpableContextFn | None]] = {}

# ``_tuple_flatten``, ``_tuple_unflatten``, ``_tuple_flatten_with_keys`` and so on
for _kind in BUILTIN_TYPES:
    for _use in ("flatten", "unflatten", "flatten_with_keys"):
        _function = getattr(SUPPORTED_NODES[_kind], f"{_use}_fn")
        globals()[f"_{_kind.__name__.lower()}_{_use}"] = _function


class _LeafSpecClass(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, TreeSpec) and instance.is_leaf()

    def __call__(cls) -> TreeSpec:
        return trees.LEAF


class LeafSpec(metaclass=_LeafSpecClass):
    """The structure of a leaf: ``LeafSpec()`` is the one there is."""


def register_pytree_node(
    cls: type, flatten_fn: FlattenFunc, unflatten_fn: UnflattenFunc, *,
    serialized_type_name: str | None = None, to_dumpable_context: ToDumpableContextFn | None = None,
    from_dumpable_context: FromDumpableContextFn | None = None,
    flatten_with_keys_fn: FlattenWithKeysFunc | None = None,
) -> None:  # fmt: skip
    """Register a class as a collection: ``flatten_fn`` returns the children and a context.

    ``unflatten_fn`` builds an object of these two. Raises ValueError for a class known already.

    >>> class Pair:
    ...     def __init__(self, a, b):
    ...         self.both = [a, b]
    >>> register_pytree_node(Pair, lambda pair: (pair.both, None), lambda both, _: Pair(*both))
    >>> tree_map(str, Pair(1, 2)).both
    ['1', '2']
    """
    if cls in SUPPORTED_NODES:
        raise ArgumentError(f"{cls} is already registered as pytree node.")
    SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)
    _CONTEXTS[cls] = (to_dumpable_context, from_dumpable_context)


def _private_register_pytree_node(*args: Any, **options: Any) -> None:
    """Register a class as `register_pytree_node` does."""
    register_pytree_node(*args, **options)


def _register_pytree_node(
    cls: type, flatten_fn: FlattenFunc, unflatten_fn: UnflattenFunc, to_str_fn: Any = None,
    maybe_from_str_fn: Any = None, **options: Any,
) -> None:  # fmt: skip
    """Register a class as `register_pytree_node` does; the old name."""
    register_pytree_node(cls, flatten_fn, unflatten_fn, **options)


def _deregister_pytree_node(cls: type) -> None:
    """Take a class out of the collections."""
    SUPPORTED_NODES.pop(cls, None)
    _CONTEXTS.pop(cls, None)


def register_dataclass(
    cls: type[Any], *, field_names: list[str] | None = None,
    drop_field_names: list[str] | None = None, serialized_type_name: str | None = None,
) -> None:  # fmt: skip
    """Register a dataclass as a collection of its fields, but those that are dropped.

    >>> @dataclasses.dataclass
    ... class Point:
    ...     x: int
    ...     y: int
    >>> register_dataclass(Point)
    >>> tree_map(str, Point(1, 2))
    Point(x='1', y='2')
    """
    if field_names is None:
        if not dataclasses.is_dataclass(cls):
            raise ArgumentError(f"field_names must be specified for {cls}: it is not a dataclass")
        dropped = drop_field_names or []
        field_names = [
            each.name for each in dataclasses.fields(cls) if each.init and each.name not in dropped
        ]
    names = field_names

    def flatten_with_keys(obj: Any) -> tuple[list[tuple[KeyEntry, Any]], Any]:
        present = [name for name in names if getattr(obj, name) is not None]
        absent = [name for name in names if getattr(obj, name) is None]
        return [(GetAttrKey(name), getattr(obj, name)) for name in present], [present, absent]

    def flatten(obj: Any) -> tuple[list[Any], Any]:
        pairs, context = flatten_with_keys(obj)
        return [child for _, child in pairs], context

    def unflatten(children: Iterable[Any], context: Any) -> Any:
        present, absent = context
        return cls(**dict(zip(present, children, strict=True)), **dict.fromkeys(absent))

    register_pytree_node(
        cls, flatten, unflatten,
        serialized_type_name=serialized_type_name, flatten_with_keys_fn=flatten_with_keys,
    )  # fmt: skip


def register_constant(cls: type[Any]) -> None:
    """Register a class whose objects are part of the structure: they have no leaves."""
    register_pytree_node(cls, lambda obj: ([], obj), lambda _, obj: obj, flatten_with_keys_fn=(
        lambda obj: ([], obj)
    ))  # fmt: skip


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


def tree_flatten_with_path(
    tree: PyTree, is_leaf: IsLeaf = None
) -> tuple[list[tuple[KeyPath, Any]], TreeSpec]:
    """Return the leaves of a tree with the keys that lead to each, and its structure.

    >>> [(keystr(path), leaf) for path, leaf in tree_flatten_with_path([{"a": 1}, 2])[0]]
    [("[0]['a']", 1), ('[1]', 2)]
    """
    return trees.paths_and_leaves(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_leaves_with_path(tree: PyTree, is_leaf: IsLeaf = None) -> list[tuple[KeyPath, Any]]:
    """Return the leaves of a tree with the keys that lead to each."""
    return trees.paths_and_leaves(tree, is_leaf)


def tree_map_with_path(
    func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """Return the tree with its leaves put through a function, which gets their paths first.

    >>> tree_map_with_path(lambda path, leaf: keystr(path) + leaf, {"a": "!"})
    {'a': "['a']!"}
    """
    found = trees.paths_and_leaves(tree, is_leaf)
    structure = tree_structure(tree, is_leaf)
    others = [trees.flatten_up_to(rest, structure) for rest in rests]
    values = [func(path, leaf, *rest) for (path, leaf), *rest in zip(found, *others, strict=True)]
    return trees.unflatten(values, structure)


def keystr(kp: KeyPath) -> str:
    """Return a path as one would write it behind the tree."""
    return "".join(map(str, kp))


def key_get(obj: Any, kp: KeyPath) -> Any:
    """Return what stands at the end of a path."""
    for key in kp:
        obj = key.get(obj)
    return obj


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


def map_only(type_or_types_or_pred: Any, /) -> Callable[[Callable[[Any], Any]], Any]:
    """Return a decorator: the function is applied to values of some types, others stay.

    Instead of a type or types there may be a function that chooses.
    """
    chosen = type_or_types_or_pred
    if isinstance(chosen, type | tuple) or type(chosen).__name__ == "UnionType":
        return lambda func: lambda x: func(x) if isinstance(x, chosen) else x
    if callable(chosen):
        return lambda func: lambda x: func(x) if chosen(x) else x
    raise ArgumentTypeError("Argument must be a type, a tuple of types, or a callable.")


def tree_map_only(
    type_or_types_or_pred: Any, func: Callable[[Any], Any], tree: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """Return the tree with those leaves put through a function that are of some types.

    Instead of a type or a tuple of types there may be a function that chooses.

    >>> tree_map_only(int, str, [1, 2.5])
    ['1', 2.5]
    """
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(
    type_or_types_or_pred: Any, func: Callable[[Any], Any], tree: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """Put leaves of some types through a function that changes them in place; return the tree."""
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    """Return whether something holds of all leaves."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    """Return whether something holds of a leaf."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def tree_all_only(
    type_or_types: Any, /, pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None
) -> bool:
    """Return whether something holds of all leaves of some types."""
    leaves = tree_leaves(tree, is_leaf)
    return all(pred(leaf) for leaf in leaves if isinstance(leaf, type_or_types))


def tree_any_only(
    type_or_types: Any, /, pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None
) -> bool:
    """Return whether something holds of a leaf of some types."""
    leaves = tree_leaves(tree, is_leaf)
    return any(pred(leaf) for leaf in leaves if isinstance(leaf, type_or_types))


def arg_tree_leaves(*args: PyTree, **kwargs: PyTree) -> list[Any]:
    """Return the leaves of all arguments."""
    return tree_leaves((args, kwargs))


def is_namedtuple(obj: Any) -> bool:
    """Return whether an object, or a class, is that of a named tuple."""
    kind = obj if isinstance(obj, type) else type(obj)
    return is_namedtuple_class(kind)


def is_namedtuple_class(cls: type) -> bool:
    """Return whether a class is that of named tuples."""
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


def is_namedtuple_instance(obj: Any) -> bool:
    """Return whether an object is a named tuple."""
    return is_namedtuple_class(type(obj))


_is_namedtuple_instance = is_namedtuple_instance
_is_leaf = tree_is_leaf


def _broadcast_to_and_flatten(
    tree: PyTree, treespec: TreeSpec, is_leaf: IsLeaf = None
) -> list[Any] | None:
    """Return one leaf of a tree for each leaf of a structure; ``None`` where it does not fit."""
    return trees.broadcast_leaves(tree, treespec, is_leaf)


def treespec_leaf() -> TreeSpec:
    """Return the structure of a leaf."""
    return trees.LEAF


def treespec_tuple(iterable: Iterable[TreeSpec] = (), /) -> TreeSpec:
    """Return the structure of a tuple of trees."""
    return TreeSpec(tuple, None, iterable)


def treespec_dict(mapping: Any = (), /, **kwargs: TreeSpec) -> TreeSpec:
    """Return the structure of a dictionary of trees."""
    both = dict(mapping, **kwargs)
    return TreeSpec(dict, list(both), both.values())


def treespec_pprint(treespec: TreeSpec) -> str:
    """Return a structure as one would write it, with stars for the leaves."""
    return treespec.short


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """Return a structure as text, from which `treespec_loads` makes it again.

    Raises NotImplementedError for classes without a way to write their contexts.
    """
    return json.dumps([1, _to_plain(treespec)])


def treespec_loads(serialized: str) -> TreeSpec:
    """Return the structure that a text says."""
    return _from_plain(json.loads(serialized)[1])


def _to_plain(spec: TreeSpec) -> dict[str, Any]:
    below = [_to_plain(child) for child in spec.children_specs]
    if spec.is_leaf():
        return {"type": None, "context": None, "children_spec": below}
    context = spec.context
    if spec.type in _CONTEXTS:
        write = _CONTEXTS[spec.type][0]
        if write is None:
            raise UnimplementedError(
                f"No registered serialization name for {spec.type} found: register it by "
                "register_pytree_node with to_dumpable_context and from_dumpable_context."
            )
        context = write(context)
    elif spec.type is namedtuple_function:
        context = _name(context)
    elif spec.type is defaultdict:
        context = [_name(context[0]), context[1]]
    kind = f"{spec.type.__module__}.{spec.type.__qualname__}"
    return {"type": kind, "context": json.dumps(context), "children_spec": below}


def _from_plain(plain: dict[str, Any]) -> TreeSpec:
    below = [_from_plain(child) for child in plain["children_spec"]]
    if plain["type"] is None:
        return trees.LEAF
    kind = _found(plain["type"])
    context = json.loads(plain["context"])
    if kind in _CONTEXTS:
        read = _CONTEXTS[kind][1]
        context = context if read is None else read(context)
    elif kind is namedtuple_function:
        context = _found(context)
    elif kind is defaultdict:
        context = [_found(context[0]), context[1]]
    return TreeSpec(kind, context, below)


def _name(kind: Any) -> str | None:
    return None if kind is None else f"{kind.__module__}.{kind.__qualname__}"


def _found(name: str | None) -> Any:
    """Return the class of a name, among those that are known and those that can be imported."""
    if name is None:
        return None
    known = {_name(kind): kind for kind in SUPPORTED_NODES}
    if name in known:
        return known[name]
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)
