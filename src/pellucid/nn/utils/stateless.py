"""Calls of modules with other parameters than their own."""

from __future__ import annotations

import functools
from typing import Any

from pellucid.blocks import Block, temporary
from pellucid.errors import ArgumentError, ArgumentTypeError
from pellucid.nn.modules.module import Module
from pellucid.nn.parameter import Parameter
from pellucid.tensors import Tensor


def functional_call(
    module: Module, parameters_and_buffers: Any, args: Any = None,
    kwargs: dict[str, Any] | None = None, *, tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    """Call a module with given tensors instead of its parameters and buffers.

    Args:
        module: The module.
        parameters_and_buffers: Dict from dotted names to tensors, or a sequence of such dicts. A
            tensor that the module assigns to one of the names replaces it in the dict.
        args: Positional arguments: a tuple, or a single one.
        kwargs: Keyword arguments.
        tie_weights: Whether a tensor replaces all parameters that are tied to the named one.
        strict: Whether all parameters and buffers have to be given.

    Returns:
        The output of the module.

    Raises:
        RuntimeError: With ``strict``, if a name does not exist or is missing.
        AttributeError: If a name leads through a module that does not exist.
        TypeError: If a name stands for what is not a tensor, or is given what is not one.
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
                f"functional_call got multiple values for keys {sorted(names)}, which are tied. "
                "Consider using tie_weights=False"
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


@temporary
def swapped(
    block: Block, module: Module, given: dict[str, Any], tie_weights: bool = True,
    strict: bool = False,
) -> None:  # fmt: skip
    """Return a context manager in which tensors replace a module's members.

    What the module puts in their stead meanwhile stands in ``given`` at the end.
    """
    # a module that contains itself has endlessly many names: they are listed where they are needed
    members = _members(module) if tie_weights or strict else {}
    values = _with_tied(members, given) if tie_weights else given
    if strict:
        unexpected = sorted(given.keys() - members.keys())
        _check_names(module, unexpected, sorted(members.keys() - values.keys()))
    for value in values.values():
        if value is not None and not isinstance(value, Tensor):
            raise ArgumentTypeError(f"{value} is not an instance of torch.Tensor")
    held = {name: _Member(module, name) for name in values}
    for name, member in held.items():
        into = given if name in given else None
        block._at_end(functools.partial(member.restore, name, values[name], into))
        member.put(values[name])


class _Member:
    """A parameter, buffer or attribute of a module that another tensor replaces for a while."""

    _absent = object()
    #: whether another tensor is in its place
    replaced = False

    def __init__(self, module: Module, name: str) -> None:
        path, _, self.leaf = name.rpartition(".")
        if not self.leaf:
            raise KeyError('tensor name can\'t be empty string ""')
        owner = module.get_submodule(path)
        if self.leaf in owner._parameters:
            self.holder: dict[str, Any] = owner._parameters
        else:
            self.holder = owner._buffers if self.leaf in owner._buffers else owner.__dict__
        self.attributes, self.parameters = owner.__dict__, owner._parameters
        self.before = self.holder.get(self.leaf, self._absent)
        if self.before is self._absent or self.before is None:
            return
        if not isinstance(self.before, Tensor):
            raise ArgumentTypeError(
                f"attribute `{name}`: {self.before} is not an instance of torch.Tensor"
            )

    def put(self, value: Any) -> None:
        self.replaced = True
        if self.before is self._absent and isinstance(value, Parameter):
            self.holder = self.parameters
        self.holder[self.leaf] = value

    def restore(self, name: str, given: Any, into: dict[str, Any] | None) -> None:
        """Put back what was there; write down what had taken the place of what was given."""
        if not self.replaced:
            return
        found = self.holder.get(self.leaf)
        if self.holder is not self.attributes:  # it may have become a plain attribute
            found = self.attributes.pop(self.leaf, found)
        if self.before is self._absent:
            self.holder.pop(self.leaf, None)
        else:
            self.holder[self.leaf] = self.before
        self.replaced = False
        if into is not None and found is not given:
            into[name] = found
