"""Compiled modules."""

from __future__ import annotations

import copy
from typing import Any

from pellucid.compat.compiling import settings
from pellucid.compat.compiling.compiled import Compiled
from pellucid.nn import Module


class OptimizedModule(Module):
    """A module whose calls are recorded once and run again: what `torch.compile` makes of one.

    Its parameters are those of the module, under names that begin with ``_orig_mod.``; attributes
    are read from and written to the module.

    Args:
        mod: The module.
        dynamo_ctx: The options of the compilation; kept for PyTorch's callers.

    >>> list(torch.compile(torch.nn.Linear(2, 3)).state_dict())
    ['_orig_mod.weight', '_orig_mod.bias']
    """

    _orig_mod: Module

    def __init__(self, mod: Module, dynamo_ctx: Any = None) -> None:
        super().__init__()
        self._modules["_orig_mod"] = mod
        options = dynamo_ctx if isinstance(dynamo_ctx, settings.Options) else settings.Options()
        self.__dict__["_options"] = options
        kept = Compiled(call_module, options, type(mod).__name__)
        self.__dict__.update(_compiled=kept, _entry=kept.entry(mod, mod))
        self.__dict__.pop("training", None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._entry(*args, **kwargs)

    forward = __call__

    def __getattr__(self, name: str) -> Any:
        modules = self.__dict__.get("_modules", {})
        if name == "_orig_mod" and name in modules:
            return modules[name]
        return getattr(modules["_orig_mod"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._modules["_orig_mod"], name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._modules["_orig_mod"], name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._modules["_orig_mod"])})

    def train(self, mode: bool = True) -> OptimizedModule:
        self._orig_mod.train(mode)
        return self

    def __reduce__(self) -> Any:
        return OptimizedModule, (self._modules["_orig_mod"], self._options)

    def __deepcopy__(self, memo: dict[int, Any]) -> OptimizedModule:
        return OptimizedModule(copy.deepcopy(self._orig_mod, memo), self._options)


def call_module(module: Any, *args: Any, **kwargs: Any) -> Any:
    """Return what a module gives."""
    return module(*args, **kwargs)


class CompiledForward:
    """The forward of a module that was compiled in place; copies of the module have their own.

    Args:
        module: The module.
        options: The options of the compilation.
    """

    def __init__(self, module: Module, options: settings.Options) -> None:
        self.module = module
        self.options = options
        forward = type(module).forward.__get__(module)
        self._compiled = Compiled(forward, options)
        self._entry = self._compiled.entry(forward)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._entry(*args, **kwargs)

    def __deepcopy__(self, memo: dict[int, Any]) -> CompiledForward:
        return CompiledForward(copy.deepcopy(self.module, memo), self.options)

    def __reduce__(self) -> Any:
        return CompiledForward, (self.module, self.options)
