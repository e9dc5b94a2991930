"""Modules that are here because PyTorch has them: absent devices, compilers, tracing.

Their public paths are PyTorch's: ``pellucid.cuda`` is `pellucid.compat.cuda`.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

#: the modules of this package that are also modules of ``pellucid``
PUBLIC = frozenset(
    file.removesuffix(".py")
    for file in os.listdir(__path__[0])
    if file not in ("__init__.py", "__pycache__")
) - {
    "absent",
    "operators",
    "streams",
    "retired",
    "foreach_utils",
    "op_checks",
    "flex",
    "_contextlib",
    "compiling",
}

#: modules of PyTorch's below other packages, and where they are
_ELSEWHERE = {
    "pellucid.autograd.profiler": "pellucid.profiler.autograd_profiler",
    "pellucid.autograd.profiler_util": "pellucid.profiler.events",
    "pellucid.utils._contextlib": "pellucid.compat._contextlib",
    "pellucid.nn.attention.flex_attention": "pellucid.compat.flex.attention",
    "pellucid.utils.flop_counter": "pellucid.compat.flop_counter",
    "pellucid.utils._foreach_utils": "pellucid.compat.foreach_utils",
    "pellucid.utils.model_zoo": "pellucid.compat.hub",
}
_ROOT = "pellucid."


class _PublicPaths:
    """A finder that gives the modules of this package under their public names too."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        loader: Any = _SameModule()
        if fullname in _ELSEWHERE:
            return ModuleSpec(fullname, loader)
        if not fullname.startswith(_ROOT) or fullname.split(".")[1] not in PUBLIC:
            return None
        try:
            found = find_spec(f"{__name__}.{fullname.removeprefix(_ROOT)}")
        except ModuleNotFoundError:  # what is asked for lies below a module that is not a package
            return None
        return None if found is None else ModuleSpec(fullname, loader)


class _SameModule:
    """A loader that puts the module of this package where a new one is expected."""

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        # The import system looks here again after loading, just so that modules can do this.
        place = _ELSEWHERE.get(name, f"{__name__}.{name.removeprefix(_ROOT)}")
        sys.modules[name] = importlib.import_module(place)


def find_in_autograd(name: str) -> Any:
    """Return what ``torch.autograd`` has that is loaded when first asked for.

    ``gradcheck`` and ``gradgradcheck`` are functions of the top layer, which compute with tensors;
    the others are modules, some of which stand elsewhere. Raises AttributeError for other names.
    """
    if name in ("gradcheck", "gradgradcheck"):
        return getattr(importlib.import_module("pellucid.testing.gradcheck"), name)
    path = f"pellucid.autograd.{name}"
    if find_spec(path) is None:
        raise AttributeError(f"module 'pellucid.autograd' has no attribute '{name}'")
    return importlib.import_module(path)


def find_operators(name: str) -> Any:
    """Return a namespace of ``torch.ops``, as ``torch.ops.aten``; raise AttributeError."""
    return importlib.import_module(f"{__name__}.operators").namespace(name)


sys.meta_path.insert(0, _PublicPaths())
