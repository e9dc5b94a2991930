"""Other libraries that have a list of frameworks: pellucid is added when they are imported.

einops and opt_einsum look up, by the type of what they are given, functions such as ``reshape``.
They have no other way to know a new kind of tensor, so that the import of the module with their
list is what makes pellucid's entry. The layers of einops are a module for each framework.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Final

#: by module that has a list of frameworks, the module that adds an entry when it is imported
_ENTRIES: Final = {
    "einops._backends": "pellucid.interop.einops_backend",
    "einops.layers": "pellucid.interop.einops_layers",
    "opt_einsum.backends.dispatch": "pellucid.interop.opt_einsum_backend",
}


class _Frameworks:
    """A finder that leaves modules as they are, and adds the entry after they have been loaded."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in _ENTRIES:
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_add(module: ModuleType) -> None:
                load(module)
                importlib.import_module(_ENTRIES[fullname])

            spec.loader.exec_module = load_and_add
        return spec


def install() -> None:
    """Add pellucid to the lists that are there, and to others as they are loaded."""
    sys.meta_path.insert(0, _Frameworks())
    for name in _ENTRIES.keys() & sys.modules.keys():
        importlib.import_module(_ENTRIES[name])
