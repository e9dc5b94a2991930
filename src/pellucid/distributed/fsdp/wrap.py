"""Which modules inside a model `FullyShardedDataParallel` wraps one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from pellucid.nn.modules.activation import MultiheadAttention
from pellucid.nn.modules.container import ModuleDict, ModuleList
from pellucid.nn.modules.module import Module

#: asked with ``recurse=True`` whether to look inside a module, and then whether to wrap it
Policy = Callable[..., bool]


def always_wrap_policy(*args: Any, **kwargs: Any) -> bool:
    """Wrap every module."""
    return True


def size_based_auto_wrap_policy(
    module: Module, recurse: bool, nonwrapped_numel: int, min_num_params: int = 100_000_000,
    force_leaf_modules: set[type] | None = None, exclude_wrap_modules: set[type] | None = None,
) -> bool:  # fmt: skip
    """Wrap modules that have many elements in parameters that are not wrapped yet.

    Args:
        module: The module.
        recurse: Whether the question is to look inside it.
        nonwrapped_numel: Elements of its parameters that are not wrapped.
        min_num_params: Number of elements from which it is wrapped.
        force_leaf_modules: Classes whose insides stay together; `MultiheadAttention` if None.
        exclude_wrap_modules: Classes that are not wrapped; lists and dictionaries if None.
    """
    leaves = tuple(force_leaf_modules or {MultiheadAttention})
    excluded = tuple(exclude_wrap_modules or {ModuleList, ModuleDict})
    return nonwrapped_numel >= min_num_params and not isinstance(
        module, leaves if recurse else excluded
    )


def transformer_auto_wrap_policy(
    module: Module, recurse: bool, nonwrapped_numel: int, transformer_layer_cls: set[type[Module]]
) -> bool:
    """Wrap modules of some classes, as the layers of a transformer.

    Args:
        module: The module.
        recurse: Whether the question is to look inside it.
        nonwrapped_numel: Not used.
        transformer_layer_cls: The classes.
    """
    return recurse or isinstance(module, tuple(transformer_layer_cls))


def lambda_auto_wrap_policy(
    module: Module, recurse: bool, nonwrapped_numel: int, lambda_fn: Callable[[Module], bool]
) -> bool:
    """Wrap modules for which a function returns True.

    Args:
        module: The module.
        recurse: Whether the question is to look inside it.
        nonwrapped_numel: Not used.
        lambda_fn: The function.
    """
    return recurse or bool(lambda_fn(module))


class ModuleWrapPolicy:
    """Policy that wraps modules of some classes.

    Args:
        module_classes: The classes.
    """

    def __init__(self, module_classes: Iterable[type[Module]]) -> None:
        self._classes = tuple(module_classes)

    def __call__(self, module: Module, recurse: bool, *args: Any, **kwargs: Any) -> bool:
        """Return whether to look inside, which is always so, or to wrap.

        Args:
            module: The module.
            recurse: Whether the question is to look inside it.
            *args: Not used.
            **kwargs: Not used.
        """
        return recurse or isinstance(module, self._classes)


class CustomPolicy:
    """Policy that asks a function, which may return arguments for the wrapper.

    Args:
        lambda_fn: Given a module; returns whether to wrap it, or arguments with which to.
    """

    def __init__(self, lambda_fn: Callable[[Module], bool | dict[str, Any]]) -> None:
        self.lambda_fn = lambda_fn

    def __call__(self, module: Module, recurse: bool, *args: Any, **kwargs: Any) -> Any:
        """Return whether to look inside, which is always so, or what the function says.

        Args:
            module: The module.
            recurse: Whether the question is to look inside it.
            *args: Not used.
            **kwargs: Not used.
        """
        return True if recurse else self.lambda_fn(module)


class _Wrapping:
    """The wrapper class and the arguments of the block that runs."""

    now: tuple[Any, dict[str, Any]] | None = None


@contextmanager
def enable_wrap(*, wrapper_cls: Any, **wrapper_kwargs: Any) -> Iterator[None]:
    """Return a block in which `wrap` wraps.

    Args:
        wrapper_cls: The class, `FullyShardedDataParallel`.
        **wrapper_kwargs: Its arguments.
    """
    before, _Wrapping.now = _Wrapping.now, (wrapper_cls, wrapper_kwargs)
    try:
        yield
    finally:
        _Wrapping.now = before


def wrap(module: Module, **wrap_overrides: Any) -> Module:
    """Return a module wrapped as the block of `enable_wrap` says; itself outside of one.

    Args:
        module: The module.
        **wrap_overrides: Arguments that take the place of those of the block.
    """
    if _Wrapping.now is None:
        return module
    cls, given = _Wrapping.now
    return cls(module, **{**given, **wrap_overrides})


def wrap_inside(module: Module, policy: Policy, cls: Any, given: dict[str, Any]) -> None:
    """Wrap what a policy names inside a module, innermost first, but not the module itself."""
    count = _count(module, given)
    if policy(module, recurse=True, nonwrapped_numel=count):
        for name, child in list(module.named_children()):
            setattr(module, name, _wrapped(child, policy, cls, given)[0])


def _count(module: Module, given: dict[str, Any]) -> int:
    skipped = {id(each) for each in given.get("ignored_states") or ()}
    return sum(each.numel() for each in module.parameters() if id(each) not in skipped)


def _wrapped(module: Module, policy: Policy, cls: Any, given: dict[str, Any]) -> tuple[Module, int]:
    """Return a module, wrapped or with wrapped ones inside, and how many elements these have."""
    count, inside = _count(module, given), 0
    if isinstance(cls, type) and isinstance(module, cls):
        return module, count
    if not policy(module, recurse=True, nonwrapped_numel=count):
        return module, 0
    for name, child in list(module.named_children()):
        made, size = _wrapped(child, policy, cls, given)
        setattr(module, name, made)
        inside += size
    wanted: Any = policy(module, recurse=False, nonwrapped_numel=count - inside)
    if not wanted:
        return module, inside
    return cls(module, **{**given, **(wanted if isinstance(wanted, dict) else {})}), count
