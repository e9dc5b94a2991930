"""Run clang-tidy over the compiled module's source, as far as it has changed since it was clean.

The checks are in .clang-tidy. Kernels are looked at for one processor level.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from native import PLACE, PROJECT

_BUILT = PROJECT / "build/native"
#: when all that was looked at was clean
_CLEAN = _BUILT / "tidied"


def _sources() -> list[Path]:
    """Return the files that are compiled, those changed last first."""
    commands = _BUILT / "compile_commands.json"
    if not commands.exists():
        sys.exit("The compiled module has not been built here, so clang-tidy cannot be run.")
    files = {
        Path(each["file"])
        for each in json.loads(commands.read_text())
        if "PELLUCID_LEVEL=avx" not in each["command"]
    }
    return sorted(files, key=lambda path: -path.stat().st_mtime)


def _changed(sources: list[Path]) -> list[Path]:
    since = _CLEAN.stat().st_mtime if _CLEAN.exists() else 0.0
    headers = [PROJECT / ".clang-tidy", *PLACE.rglob("*.hpp")]
    if any(header.stat().st_mtime > since for header in headers):
        return sources
    return [source for source in sources if source.stat().st_mtime > since]


def _findings(source: Path) -> str:
    """Return what is wrong with a file; nothing if it is clean."""
    program = Path(sys.executable).with_name("clang-tidy")
    ran = subprocess.run(
        [program, "--quiet", "--extra-arg=-w", "-p", _BUILT, source],  # warnings are the compiler's
        capture_output=True, text=True,
    )  # fmt: skip
    return "" if ran.returncode == 0 else ran.stdout or ran.stderr


def main() -> int:
    """Print what is wrong; return whether anything is."""
    changed = _changed(_sources())
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [each for each in pool.map(_findings, changed) if each]
    print("\n".join(found) or f"clang-tidy: {len(changed)} files are clean")
    if not found:
        _CLEAN.touch()
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
