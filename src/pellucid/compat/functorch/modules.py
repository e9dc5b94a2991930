"""Modules taken apart into a function and their parameters and buffers, in order."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from pellucid.errors import GraphError
from pellucid.nn import Module
from pellucid.nn.utils.stateless import functional_call
from pellucid.ops.shape.join import stack


class FunctionalModule(Module):
    """A module that is called with its parameters: ``module(parameters, *args)``.

    Args:
        stateless_model: The module, whose own parameters are not used.
        param_names: The names of the parameters, in the order in which they are given.
    """

    def __init__(self, stateless_model: Module, param_names: Sequence[str]) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = tuple(param_names)

    def forward(self, params: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
        """Return what the module computes with the parameters."""
        given = dict(zip(self.param_names, params, strict=True))
        return functional_call(self.stateless_model, given, args, kwargs)


class FunctionalModuleWithBuffers(Module):
    """A module that is called with its parameters and buffers.

    Args:
        stateless_model: The module, whose own parameters and buffers are not used.
        param_names: The names of the parameters, in the order in which they are given.
        buffer_names: The names of the buffers.
    """

    def __init__(
        self, stateless_model: Module, param_names: Sequence[str], buffer_names: Sequence[str]
    ) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = tuple(param_names)
        self.buffer_names = tuple(buffer_names)

    def forward(
        self, params: Sequence[Any], buffers: Sequence[Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Return what the module computes with the parameters and buffers."""
        given = dict(zip(self.param_names, params, strict=True))
        given |= dict(zip(self.buffer_names, buffers, strict=True))
        return functional_call(self.stateless_model, given, args, kwargs)


def _parts(named: Any, tracked: bool) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    found = dict(named)
    if not tracked:
        found = {name: each.detach() for name, each in found.items()}
    return tuple(found), tuple(found.values())


def make_functional(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModule, tuple[Any, ...]]:
    """Return a function of a module's parameters, and these.

    Args:
        model: A module without buffers.
        disable_autograd_tracking: Whether the parameters that are returned require no gradient.

    Raises:
        RuntimeError: If the module has buffers.

    >>> from pellucid.compat.functorch import modules
    >>> function, parameters = modules.make_functional(torch.nn.Linear(2, 3))
    >>> function(parameters, torch.ones(1, 2)).shape
    torch.Size([1, 3])
    """
    if any(True for _ in model.buffers()):
        raise GraphError(
            "make_functional(model): `model` has buffers. Please use "
            "make_functional_with_buffers(model) instead."
        )
    copied = copy.deepcopy(model)
    names, parameters = _parts(copied.named_parameters(), not disable_autograd_tracking)
    return FunctionalModule(copied, names), parameters


def make_functional_with_buffers(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModuleWithBuffers, tuple[Any, ...], tuple[Any, ...]]:
    """Return a function of a module's parameters and buffers, and both.

    Args:
        model: A module.
        disable_autograd_tracking: As for `make_functional`.
    """
    copied = copy.deepcopy(model)
    names, parameters = _parts(copied.named_parameters(), not disable_autograd_tracking)
    buffer_names, buffers = _parts(copied.named_buffers(), True)
    return FunctionalModuleWithBuffers(copied, names, buffer_names), parameters, buffers


def combine_state_for_ensemble(
    models: Sequence[Module],
) -> tuple[FunctionalModuleWithBuffers, tuple[Any, ...], tuple[Any, ...]]:
    """Return a function for one of many modules of a class, and their parameters, stacked.

    Args:
        models: The modules, all of one class and in one mode.

    Raises:
        RuntimeError: If there are none, or they are of several classes or modes.
    """
    if not models:
        raise GraphError("combine_state_for_ensemble: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise GraphError(
            "combine_state_for_ensemble: Expected all models to have the same training/eval mode."
        )
    if len(set(map(type, models))) > 1:
        raise GraphError("combine_state_for_ensemble: Expected all models to be of the same class.")
    functions, parameters, buffers = zip(
        *(make_functional_with_buffers(model) for model in models), strict=True
    )
    return (
        functions[0], tuple(map(stack, zip(*parameters, strict=True))),
        tuple(map(stack, zip(*buffers, strict=True))),
    )  # fmt: skip
