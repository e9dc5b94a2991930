"""Build the compiled module in a checkout, as far as it has changed: `make native`.

CXX, CXXFLAGS, LDFLAGS and CMAKE_CXX_COMPILER_LAUNCHER (for ccache) in the environment count.
Where the module cannot be built, that is said, with what is lost and how to get it; pellucid is
complete without it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

PROJECT = Path(__file__).parents[1]
#: where the package looks for the module
PLACE = PROJECT / "src/pellucid/_native"
_VARIABLES = ("CXX", "CXXFLAGS", "LDFLAGS", "CMAKE_CXX_COMPILER_LAUNCHER")

_LOST = """\
pellucid's compiled module is not built: {reason}.
Without it everything works, in Python alone: small operations and training steps take two to five
times as long. To get it: {remedy}, then `make native`, or install pellucid again."""


def build(folder: Path, place: Path, *, warnings_are_errors: bool = False) -> bool:
    """Build the module in a folder and put it in its place; return whether it is there.

    Args:
        folder: What is kept between builds, so that only what has changed is compiled.
        place: The folder that gets the module.
        warnings_are_errors: Whether a warning of the compiler ends the build.
    """
    cmake, ninja = _tool("cmake"), _tool("ninja")
    lacking = _what_is_lacking(cmake, ninja)
    if lacking is not None:
        reason, remedy = lacking
        _say(_LOST.format(reason=reason, remedy=remedy))
        return False
    folder.mkdir(parents=True, exist_ok=True)
    settings = _settings(cmake, ninja, place, warnings_are_errors)
    if not _configure(cmake, folder, settings):
        _say(_LOST.format(
            reason="CMake finds no C++ compiler that works, or no headers of Python and NumPy",
            remedy=f"read {folder / 'configured.txt'}",
        ))  # fmt: skip
        return False
    if not _compile(ninja, folder):
        return False
    for module in folder.glob("compiled*.so"):  # what was built before, and is there no more
        if not (place / module.name).exists():
            shutil.copy2(module, place)
    return True


def _tool(name: str) -> str:
    """Return the path of a program, beside the interpreter first; empty if there is none."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return shutil.which(name, path=path) or ""


def _what_is_lacking(cmake: str, ninja: str) -> tuple[str, str] | None:
    """Return why the module cannot be built, and the remedy; ``None`` if nothing is in the way."""
    if sys.platform == "win32":
        return "its source is for GCC and Clang, on Linux and macOS", "use WSL"
    if not cmake or not ninja:
        return "CMake or Ninja is missing", "pip install cmake ninja"
    compilers = [os.environ.get("CXX", ""), "c++", "g++", "clang++"]
    if not any(each and shutil.which(each.split()[0]) for each in compilers):
        return "there is no C++ compiler", "install g++ or clang++"
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        return "Python's C headers are missing", "install python3-dev"
    return None


def _settings(cmake: str, ninja: str, place: Path, warnings_are_errors: bool) -> list[str]:
    """Return what CMake is told, and what else of the environment makes a difference to it."""
    import numpy as np

    return [
        f"-DPython_EXECUTABLE={sys.executable}",
        f"-DPython_NumPy_INCLUDE_DIR={np.get_include()}",
        f"-DCMAKE_MAKE_PROGRAM={ninja}",
        f"-DPELLUCID_PLACE={place}",
        f"-DPELLUCID_WERROR={'ON' if warnings_are_errors else 'OFF'}",
        cmake,
        *(f"{name}={os.environ.get(name, '')}" for name in _VARIABLES),
        (PROJECT / "CMakeLists.txt").read_text("utf-8"),
        *sorted(str(each) for each in (PROJECT / "src/pellucid/_native").rglob("*.cpp")),
    ]


def _configure(cmake: str, folder: Path, settings: list[str]) -> bool:
    """Run CMake, from the beginning if it has not been run with these settings before."""
    known = folder / "settings.json"
    if known.exists() and json.loads(known.read_text()) == settings:
        return True
    known.unlink(missing_ok=True)
    (folder / "CMakeCache.txt").unlink(missing_ok=True)
    defined = [each for each in settings if each.startswith("-D")]
    launcher = os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER")
    if launcher:
        defined.append(f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}")
    ran = subprocess.run(
        [cmake, "-S", PROJECT, "-B", folder, "-G", "Ninja", *defined],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    (folder / "configured.txt").write_text(ran.stdout)
    if ran.returncode == 0:
        known.write_text(json.dumps(settings))
    return ran.returncode == 0


def _compile(ninja: str, folder: Path) -> bool:
    planned = subprocess.run([ninja, "-C", folder, "-n"], capture_output=True, text=True).stdout
    files = len(re.findall(r"Building CXX", planned))
    if files > 5:
        cores = os.cpu_count() or 1
        _say(
            f"Compiling pellucid's module, {files} files: about {max(5, files // cores)} seconds"
            f" on {cores} cores. Later only what has changed is compiled."
        )
    return subprocess.run([ninja, "-C", folder, "--quiet"]).returncode == 0


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    """Build as the command line says; fail only where what was compiled is wrong."""
    parser = argparse.ArgumentParser(description="Build the compiled module in the checkout.")
    parser.add_argument("--folder", type=Path, default=PROJECT / "build/native")
    parser.add_argument("--place", type=Path, default=PLACE)
    parser.add_argument("--werror", action="store_true", help="take warnings for errors")
    given = parser.parse_args()
    if os.environ.get("PELLUCID_NATIVE") == "0":
        return 0
    there = build(given.folder.resolve(), given.place.resolve(), warnings_are_errors=given.werror)
    compiled = (given.folder / "settings.json").exists()
    return 0 if there or not compiled else 1


if __name__ == "__main__":
    sys.exit(main())
