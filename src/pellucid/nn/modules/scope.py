"""The name of the running module, which nodes created inside it carry.

Names are relative to the outermost module that was called, and are cached until any module gains or
loses a submodule. See Note [Module scopes].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pellucid.autograd.modes import modes
from pellucid.autograd.sites import Site, user_frame
from pellucid.errors import PellucidError
from pellucid.observe import announcing, slow_path, watchers

if TYPE_CHECKING:
    from pellucid.nn.modules.module import Module

# Note [Module scopes]
# A module call has to be cheap, so it does no more than set one thread-local name and put it back.
# The outermost call looks up the names of all modules below it. They are keyed by identity, not by
# the modules themselves, so that no module is kept alive, and are looked up again when `structure`
# has changed since.


class Structure:
    """Counter of registrations and removals of submodules, over all modules."""

    __slots__ = ("version",)

    def __init__(self) -> None:
        self.version = 0


class Names:
    """Names of a module's submodules, with the structure version for which they hold.

    They are stored in the module's dict; a copy of the module starts without them.
    """

    __slots__ = ("below", "owner", "version")

    def __init__(self) -> None:
        self.owner = 0
        self.version = -1
        self.below: dict[int, str] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return (Names, ())


structure = Structure()


def names_below(module: Module) -> dict[int, str]:
    """Return the names of a module and of those below it, by identity."""
    known = module.__dict__.get("_scope_names")
    if known is None:
        known = module.__dict__["_scope_names"] = Names()
    if known.version != structure.version or known.owner != id(module):
        version = structure.version
        below = {id(child): name for name, child in module.named_modules()}
        below[id(module)] = type(module).__name__
        known.owner, known.version, known.below = id(module), version, below
    return known.below


def _add_layer(error: PellucidError, outermost: Module, names: dict[int, str]) -> None:
    """Add to the text of an error which layer was running: ``trunk.2 (Linear(...))``."""
    layer: Module = outermost
    # not the frame that catches the error: it would keep the variables that it is asked for, of
    # which the error is one, and the error keeps the frame
    entry = error.__traceback__ and error.__traceback__.tb_next
    while entry is not None:
        called = entry.tb_frame.f_locals.get("self")
        if called is not None and id(called) in names:
            layer = called
        entry = entry.tb_next
    described = f"{type(layer).__name__}({layer.extra_repr()})"
    where = described if layer is outermost else f"{names[id(layer)]} ({described})"
    site = Site(*user_frame())
    line = "" if "\n" in str(error) else f"\n  at {site}   {site.text}"
    error.args = (f"{error}\n  in layer {where}{line}",)


def run_in_scope(module: Module, function: Any, args: Any, kwargs: Any) -> Any:
    """Call a function while nodes carry the module's name."""
    names = modes.module_names
    if names is None:
        return run_outermost(module, function, args, kwargs)
    before = modes.scope
    modes.scope = names.get(id(module), before)
    try:
        return function(*args, **kwargs)
    finally:
        modes.scope = before


def run_outermost(module: Module, function: Any, args: Any, kwargs: Any) -> Any:
    """Call a function while nodes carry names relative to this module."""
    if watchers:
        function = _announced(module, function)
    names = names_below(module)
    name = names[id(module)]
    try:
        modes.module_names, modes.scope = names, name
        slow_path.scopes.append(None)
        return function(*args, **kwargs)
    except PellucidError as error:
        _add_layer(error, module, names)
        raise
    finally:
        modes.module_names = modes.scope = None
        slow_path.scopes.pop()


def _announced(module: Module, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, whose calls are announced to the watchers."""

    def call(*args: Any, **kwargs: Any) -> Any:
        with announcing("module", module):
            return function(*args, **kwargs)

    return call
