"""Context managers that decorate functions too, for programs that derive their own from them."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.modes import DecoratingContext

__all__ = ["_DecoratorContextManager", "_NoParamDecoratorContextManager"]


class _DecoratorContextManager(DecoratingContext):
    """A context manager that can decorate a function, each call of which it then surrounds."""

    def clone(self) -> Any:
        """Return one more like this; a subclass with arguments says how."""
        return type(self)()

    def _fresh(self) -> Any:
        return self.clone()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """One that decorates without being called: ``@context`` as well as ``@context()``."""

    def __new__(cls, orig_func: Any = None) -> Any:
        made = super().__new__(cls)
        return made if orig_func is None else made(orig_func)
