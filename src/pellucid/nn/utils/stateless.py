"""Calls of modules with other parameters than their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pellucid.errors import ArgumentError, ArgumentTypeError
from pellucid.nn.modules.module import Module
from pellucid.tensors import Tensor


def functional_call(
    module: Module, parameters_and_buffers: Any, args: Any = None,
    kwargs: dict[str, Any] | None = None, *, tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    """Call a module with given tensors instead of its parameters and buffers.

    Args:
        module: The module.
        parameters_and_buffers: Dict from dotted names to tensors, or a sequence of such dicts.
        args: Positional arguments: a tuple, or a single one.
        kwargs: Keyword arguments.
        tie_weights: Whether a tensor replaces all parameters that are tied to the named one.
        strict: Whether all parameters and buffers have to be given.

    Returns:
        The output of the module.

    Raises:
        RuntimeError: If a name does not exist or, with ``strict``, is missing.
        ValueError: If tied parameters are given different tensors.

    >>> layer = torch.nn.Linear(1, 1, bias=False)
    >>> weight = torch.tensor([[3.0]])
    >>> torch.nn.utils.stateless.functional_call(layer, {"weight": weight}, torch.ones(1))
    tensor([3.])
    """
    if args is None:
        args = ()
    elif not isinstance(args, tuple):
        args = (args,)
    with swapped(module, _joined(parameters_and_buffers), tie_weights, strict):
        return module(*args, **(kwargs or {}))


def _joined(given: Any) -> dict[str, Any]:
    if isinstance(given, dict):
        return given
    if not isinstance(given, tuple | list):
        raise ArgumentError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(given)}"
        )
    if not all(isinstance(each, dict) for each in given):
        raise ArgumentError(
            "Expected all elements of parameter_and_buffer_dicts to be dictionaries"
        )
    joined: dict[str, Any] = {}
    for each in given:
        twice = joined.keys() & each.keys()
        if twice:
            raise ArgumentError(
                f"{sorted(twice)} appeared in multiple dictionaries; behavior of functional call "
                "is ambiguous"
            )
        joined |= each
    return joined


def _members(module: Module) -> dict[str, Tensor]:
    members: dict[str, Tensor] = dict(module.named_parameters(remove_duplicate=False))
    return members | dict(module.named_buffers(remove_duplicate=False))


def _with_tied(members: dict[str, Tensor], given: dict[str, Any]) -> dict[str, Any]:
    """Return the given tensors, extended to all members that are tied to them."""
    groups: dict[int, list[str]] = {}
    for name, member in members.items():
        groups.setdefault(id(member), []).append(name)
    tied = dict(given)
    for names in groups.values():
        values = {id(given[name]): given[name] for name in names if name in given}
        if len(values) > 1:
            raise ArgumentError(
                f"functional_call got multiple values for keys {names}, which are tied. Consider "
                "using tie_weights=False"
            )
        for value in values.values():
            tied |= dict.fromkeys(names, value)
    return tied


def _check_names(module: Module, unexpected: list[str], missing: list[str]) -> None:
    problems = [
        f"\n\t{kind} key(s): " + ", ".join(map(repr, names)) + "."
        for kind, names in (("Unexpected", unexpected), ("Missing", missing))
        if names
    ]
    if problems:
        name = type(module).__name__
        raise RuntimeError(f"Error(s) in reparametrizing for {name}:" + "".join(problems))


@contextmanager
def swapped(
    module: Module, given: dict[str, Any], tie_weights: bool = True, strict: bool = False
) -> Iterator[None]:
    """Return a context manager in which tensors replace a module's members."""
    members = _members(module)
    unexpected = sorted(given.keys() - members.keys())
    values = _with_tied(members, given) if tie_weights else given
    missing = sorted(members.keys() - values.keys()) if strict else []
    if strict:
        _check_names(module, unexpected, missing)
    values = {name: value for name, value in values.items() if name in members or "." in name}
    for name, value in values.items():
        if not isinstance(value, Tensor):
            raise ArgumentTypeError(f"{value} is not an instance of torch.Tensor")
        if name not in members:
            raise AttributeError(f"{type(module).__name__} has no parameter or buffer `{name}`")
    owners = [(name, *_owner_of(module, name)) for name in values]
    before = [(held, leaf, held[leaf]) for _, held, leaf in owners]
    try:
        for name, held, leaf in owners:
            held[leaf] = values[name]
        yield
    finally:
        for held, leaf, value in before:
            held[leaf] = value


def _owner_of(module: Module, name: str) -> tuple[dict[str, Any], str]:
    """Return the dict that holds a member, and its key."""
    path, _, leaf = name.rpartition(".")
    owner = module.get_submodule(path)
    held: Any = owner._parameters if leaf in owner._parameters else owner._buffers
    return held, leaf
