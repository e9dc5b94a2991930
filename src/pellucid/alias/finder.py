"""Find pellucid's modules under the names that PyTorch's have."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any

from pellucid.alias import statements
from pellucid.alias.missing import Answers
from pellucid.alias.names import ELSEWHERE, ROOTS, VERSION_OF_TORCH


class AliasFinder(MetaPathFinder):
    """An import finder for ``torch``, ``torchvision`` and their submodules."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self.made: list[ModuleType] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] not in ROOTS:
            return None
        module = counterpart(fullname)
        if module is None:
            asking = statements.unguarded_import_of_module()
            if asking is None:
                _refuse_namesakes(fullname)
                return None
            self.answers.record.setdefault(fullname, statements.place(asking))
            module = self.module_of_missing_names(fullname)
        self.answers.include_new_modules()
        return spec_from_loader(fullname, _Loader(module), is_package=hasattr(module, "__path__"))

    def find_distributions(self, context: Any = None) -> Iterable[Distribution]:
        """Answer ``importlib.metadata.version("torch")``."""
        return [_Torch()] if context is None or context.name in (None, "torch") else []

    def module_of_missing_names(self, full_name: str) -> ModuleType:
        """Return an empty module, so that a program may import what it then does not use."""
        module = ModuleType(full_name, "Stand in for a module that pellucid does not provide.")
        module.__path__ = []
        self.answers.include(module, full_name)
        self.made.append(module)
        return module


class _Torch(Distribution):
    """The distribution shown to programs that ask which version of PyTorch is installed."""

    def read_text(self, filename: str) -> str | None:
        if filename != "METADATA":
            return None
        return f"Metadata-Version: 2.1\nName: torch\nVersion: {VERSION_OF_TORCH}\n"

    def locate_file(self, path: Any) -> Path:
        return Path(__file__).parent / path


class _Loader(Loader):
    """A loader that returns an existing module instead of making one."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        # The import system looks here again after loading, just so that modules can do this.
        sys.modules[module.__name__] = self.module


def counterpart(full_name: str) -> ModuleType | None:
    """Return the module that stands for one of PyTorch's; ``None`` if there is none."""
    root, _, rest = full_name.partition(".")
    home = ELSEWHERE.get(full_name) or ".".join(filter(None, (ROOTS[root], rest)))
    if full_name not in ELSEWHERE and _is_no_module(home):
        return None
    try:
        return importlib.import_module(home)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{home}.".startswith(f"{error.name}."):
            return None
        raise


def _is_no_module(home: str) -> bool:
    """Return whether the name is that of a function or class, as ``pellucid.tensor`` is."""
    parent, _, child = home.rpartition(".")
    known = vars(sys.modules[parent]).get(child) if parent in sys.modules else None
    return known is not None and not isinstance(known, ModuleType)


def _refuse_namesakes(full_name: str) -> None:
    """Keep the next finders from loading a file of pellucid's a second time.

    ``torch.tensor`` is a function, and no module: but there is a file of this name.
    """
    root, _, rest = full_name.partition(".")
    if rest and _is_no_module(f"{ROOTS[root]}.{rest}"):
        raise ModuleNotFoundError(f"No module named {full_name!r}", name=full_name)
