"""Run the jobs with pellucid and with PyTorch, and compare every number that they print.

usage: python compare.py PYTHON_WITH_PACKAGES PYTHON_WITH_TORCH [JOB ...]
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SOURCE = HERE.parents[2] / "src"
#: how far numbers may lie apart, relative to those of PyTorch, or to 1
TOLERANCE = 1e-4
#: how long a job may take
SECONDS = 300
#: how a job is run with PyTorch: torchvision wants operators that its build for the CPU defines
WITH_TORCH = """
import runpy, sys
from torch import library
for name in ("nms", "qnms"):
    library.define(f"torchvision::{name}", "(Tensor a, Tensor b, float at) -> Tensor")
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def run(command: list[str], path: str) -> tuple[list[Any], str]:
    """Run a job and return what it printed, and why it failed."""
    once = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    offline = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    try:
        done = subprocess.run(
            command, cwd=HERE, env={**os.environ, **once, **offline, "PYTHONPATH": path},
            capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return [], f"it took more than {SECONDS} seconds"
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('["')]
    complaints = [line for line in done.stderr.splitlines() if "Error" in line]
    return lines, "" if done.returncode == 0 else (complaints or ["it ended"])[-1]


def numbers(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for each in value:
            yield from numbers(each)
    else:
        yield value


def difference(mine: list[Any], theirs: list[Any]) -> float:
    """Return the largest difference of numbers; infinity where anything else differs."""
    pairs = list(numbers(mine)), list(numbers(theirs))
    if len(pairs[0]) != len(pairs[1]):
        return math.inf
    return max(map(_apart, *pairs), default=0.0)


def _apart(mine: Any, theirs: Any) -> float:
    if mine == theirs or (mine != mine and theirs != theirs):
        return 0.0
    if isinstance(mine, bool | str | None) or isinstance(theirs, bool | str | None):
        return math.inf
    return abs(mine - theirs) / max(1.0, abs(theirs))


def compare(job: str, with_packages: str, with_torch: str) -> str:
    """Return a row of the table: the job, how many results it printed, and how they agree."""
    find = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    site = subprocess.check_output([with_packages, "-c", find], text=True).strip()
    theirs, fault = run([with_torch, "-c", WITH_TORCH, f"{job}.py"], site)
    if fault:
        return f"| {job} | {len(theirs)} | PyTorch: {fault} |"
    mine, fault = run([with_packages, "-m", "pellucid", "run", f"{job}.py"], str(SOURCE))
    if fault:
        return f"| {job} | {len(mine)} of {len(theirs)} | {fault} |"
    worst = max(map(difference, mine, theirs), default=math.inf)
    if worst > TOLERANCE or len(mine) != len(theirs):
        pairs = zip(mine, theirs, strict=False)
        wrong = ", ".join(pair[0][0] for pair in pairs if difference(*pair) > TOLERANCE)
        return f"| {job} | {len(mine)} of {len(theirs)} | differs: {wrong} ({worst:.1e}) |"
    return f"| {job} | {len(mine)} | equal to {worst:.0e} |"


def main() -> int:
    with_packages, with_torch, *jobs = sys.argv[1:]
    known = sorted(path.stem for path in HERE.glob("*_*.py"))
    print("| job | results | numbers |\n|---|---|---|", flush=True)
    failed = False
    for job in jobs or known:
        row = compare(job, os.path.abspath(with_packages), os.path.abspath(with_torch))
        failed |= "equal to" not in row
        print(row, flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
