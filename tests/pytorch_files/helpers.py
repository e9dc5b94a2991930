"""PyTorch's own helpers for tests, ``torch.testing._internal``, on top of pellucid.

They come with an installed PyTorch and are read from there when they are imported. What they
need of PyTorch's private parts stands in ``private.py``.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.pytorch_files.private import Mentioned, is_mentioned, module_of_mentions

#: packages of PyTorch's whose source runs on top of any library with PyTorch's names
LOADED_FROM_THE_WHEEL = (
    "torch.testing._internal",
    "torch.nn._reduction",
    "torch.testing._utils",
    "torch.testing._comparison",
    "torch._vendor",
    "torch.utils._import_utils",
    "torch.utils._mode_utils",
)


def directory_of_pytorch() -> Path:
    """Return where PyTorch is installed, without importing it."""
    for entry in sys.path:
        if (directory := Path(entry) / "torch" / "testing" / "_internal").is_dir():
            return directory.parents[1]
    raise ModuleNotFoundError("PyTorch is not installed here", name="torch")


def _allow_nothing(decorator: type, values: str) -> None:
    """Let the decorator that makes a test for each of its values make none at all."""
    parametrize = vars(decorator)["_parametrize_test"]

    def without_complaint(self: Any, *args: Any, **options: Any) -> Iterator[Any]:
        setattr(self, values, list(getattr(self, values)))
        return parametrize(self, *args, **options) if getattr(self, values) else iter(())

    decorator._parametrize_test = without_complaint  # type: ignore[attr-defined]


class _Helpers(importlib.machinery.SourceFileLoader):
    """A loader of PyTorch's helpers, whose database of operators may name some that are missing."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        if module.__name__ == "torch.testing._internal.common_device_type":
            _allow_nothing(vars(module)["ops"], "op_list")
        if module.__name__ == "torch.testing._internal.common_utils":
            _allow_nothing(vars(module)["parametrize"], "arg_values")
            module.TEST_MKL = True  # type: ignore[attr-defined] - SciPy does what it is asked for
        if module.__name__ == "torch.testing._internal.opinfo.core":
            by_name = vars(module)["_getattr_qual"]
            vars(module)["_getattr_qual"] = lambda home, name, default=None: (
                by_name(home, name, None) or default or Mentioned(f"{home.__name__}.{name}")
            )


class _Mentions(importlib.abc.Loader):
    """A loader of modules of which names are mentioned only."""

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return module_of_mentions(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module as it is."""


class HelpersFinder(importlib.abc.MetaPathFinder):
    """A finder of PyTorch's helpers in the directory where PyTorch is installed."""

    def __init__(self, pytorch: Path) -> None:
        self.pytorch = pytorch

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if is_mentioned(fullname):
            return importlib.machinery.ModuleSpec(fullname, _Mentions(), is_package=True)
        if not f"{fullname}.".startswith(tuple(f"{name}." for name in LOADED_FROM_THE_WHEEL)):
            return None
        below = self.pytorch.joinpath(*fullname.split(".")[1:])
        package = below.is_dir()
        file = str(below / "__init__.py" if package else below.with_suffix(".py"))
        return importlib.util.spec_from_file_location(
            fullname,
            file,
            loader=_Helpers(fullname, file),
            submodule_search_locations=[str(below)] if package else None,
        )
