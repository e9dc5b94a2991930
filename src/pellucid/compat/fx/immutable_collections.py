"""The lists and dictionaries among the arguments of nodes, which are replaced and not changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from pellucid.errors import UnimplementedError
from pellucid.func.pytree import register_pytree_node

__all__ = ["immutable_dict", "immutable_list"]


def _refusal(kind: str) -> Callable[..., NoReturn]:
    def refused(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
        raise UnimplementedError(
            f"'{kind}' object does not support mutation. If you are attempting to modify the "
            "kwargs or args of a torch.fx.Node object,\ninstead create a new copy of it and assign "
            "the copy to the node:\n    new_args = ... # copy and mutate args\n"
            "    node.args = new_args\n"
        )

    return refused


class immutable_list(list[Any]):  # noqa: N801 - PyTorch's name
    """A list that cannot be changed.

    Args:
        items: Its elements.

    >>> torch.fx.immutable_collections.immutable_list([1, 2])
    [1, 2]
    """

    __delitem__ = __iadd__ = __imul__ = __setitem__ = _refusal("immutable_list")
    append = clear = extend = insert = pop = remove = reverse = sort = _refusal("immutable_list")

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self) -> Any:
        return immutable_list, (tuple(self),)


class immutable_dict(dict[Any, Any]):  # noqa: N801 - PyTorch's name
    """A dictionary that cannot be changed.

    Args:
        items: Its entries, as for a dictionary.

    >>> torch.fx.immutable_collections.immutable_dict({"a": 1})["a"]
    1
    """

    __delitem__ = __ior__ = __setitem__ = _refusal("immutable_dict")
    clear = pop = popitem = setdefault = update = _refusal("immutable_dict")

    def __hash__(self) -> int:
        return hash(frozenset(self.items()))

    def __reduce__(self) -> Any:
        return immutable_dict, (tuple(self.items()),)


register_pytree_node(
    immutable_list, lambda each: (list(each), None), lambda items, _: immutable_list(items)
)
register_pytree_node(
    immutable_dict,
    lambda each: (list(each.values()), tuple(each)),
    lambda items, keys: immutable_dict(zip(keys, items, strict=True)),
)
