"""The build backend: scikit-build-core, but that an editable installation builds in the checkout.

A wheel holds the compiled module where it can be built, and is pure Python otherwise. An editable
installation is one line in site-packages that names `src`, so that PYTHONPATH and other checkouts
take precedence as usual; the module lies in the checkout, where `make native` builds it anew.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

from scikit_build_core import build

sys.path.append(str(Path(__file__).parent))  # pip adds it for this file alone
import native

_WANTED = os.environ.get("PELLUCID_NATIVE") != "0"
#: beside NumPy's headers, what the module is built with where the machine has none
_TOOLS = {"cmake": "cmake>=3.24", "ninja": "ninja>=1.10"}


def __getattr__(name: str) -> Any:
    """Return what scikit-build-core does where this module says nothing else."""
    return getattr(build, name)


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Return what a wheel is built with."""
    needed = ["numpy>=2.1"] if _WANTED else []
    return [*build.get_requires_for_build_wheel(config_settings), *needed]


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    """Return what an editable installation is built with."""
    missing = [tool for name, tool in _TOOLS.items() if shutil.which(name) is None]
    needed = ["numpy>=2.1", *missing] if _WANTED else []
    return [*build.get_requires_for_build_editable(config_settings), "wheel>=0.45", *needed]


def build_editable(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    """Build the compiled module in the checkout, where it can be built, and name the checkout."""
    if _WANTED:
        native.build(native.PROJECT / "build" / "editable", native.PLACE)
    name = build.build_editable(wheel_directory, config_settings, metadata_directory)
    _name_the_checkout_alone(Path(wheel_directory, name))
    return name


def _name_the_checkout_alone(path: Path) -> None:
    """Leave out of an editable wheel the import hook, which would come before PYTHONPATH."""
    from wheel.wheelfile import WheelFile

    with WheelFile(path) as made:
        kept = {
            each: made.read(each)
            for each in made.namelist()
            if not each.endswith(("/RECORD", "_editable_skbc_pellucid.py"))
        }
    kept["_editable_skbc_pellucid.pth"] = f"{native.PROJECT / 'src'}\n".encode()
    path.unlink()
    with WheelFile(path, "w") as written:
        for each, content in kept.items():
            written.writestr(each, content)
