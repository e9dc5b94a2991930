"""Public classes, known by the modules that PyTorch has them in while the alias is installed.

Programs print types, and packages ask a class for its ``__module__``: to register it, to name it in
a log, or to tell what library an object is of.
"""

from __future__ import annotations

import sys
from types import ModuleType

from pellucid.alias.names import ELSEWHERE, name_for_programs
from pellucid.interop.names import name_in_files

#: packages whose modules PyTorch has under the same names
_PACKAGES = frozenset(
    {"amp", "autograd", "distributions", "futures", "nn", "optim", "profiler", "utils"}
)


def rename(module: ModuleType) -> list[tuple[type, str]]:
    """Name a module's public classes as PyTorch does; return them with the names from before.

    Args:
        module: A module of pellucid. Classes of `torch` itself are named when ``pellucid`` is
            given, whichever modules they come from.
    """
    home = module.__name__
    root = module is sys.modules["pellucid"]
    if not root and home.partition(".")[2].partition(".")[0] not in _PACKAGES:
        return []
    renamed = []
    public = [value for name, value in vars(module).items() if not name.startswith("_")]
    for cls in [each for each in public if isinstance(each, type)]:
        name = cls.__module__
        package, _, place = name.partition(".")
        if root:
            is_own = package == "pellucid" and place.partition(".")[0] not in _PACKAGES
        else:
            is_own = name == home
        if is_own:
            renamed.append((cls, name))
            cls.__module__ = _home_in_pytorch(cls, root)
    return renamed


def _home_in_pytorch(cls: type, is_of_root: bool) -> str:
    if cls.__module__ in ELSEWHERE.values() and not is_of_root:
        return name_for_programs(cls.__module__)
    module, _ = name_in_files(cls) or ("torch", "")
    return "torch" if is_of_root and module != "torch._C" else module
