"""Run PyTorch's test files against pellucid, and report by file and by cause.

    python -m tests.pytorch_files [--again] [--causes N] [file ...]

Each file runs under PyTorch first, once: what passes there counts. Outcomes are kept in
``build/pytorch-tests``; files that have run with this state of the sources are not run again.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import contextlib
import dataclasses
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.pytorch_files.files import FILES
from tests.pytorch_files.left_out import reason_to_leave_out
from tests.pytorch_files.source import NoSourceError, directory_of_tests

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "pytorch-tests"
#: seconds without an outcome after which a process counts as stuck, and how often one may be
STUCK = 150
RESTARTS = 12

Outcome = dict[str, Any]


@dataclasses.dataclass
class Row:
    """What came of a file."""

    file: str
    counted: int
    passed: int
    failures: list[Outcome]


def run(library: str, file: str, top: Path, path: Path, more: list[str]) -> dict[str, Outcome]:
    """Run a file in processes of their own until all of its tests have an outcome."""
    path.unlink(missing_ok=True)
    done = path.with_suffix(".done")
    for _ in range(RESTARTS):
        done.write_text("\n".join(outcomes_in(path)))
        ended = _one_process(library, file, top, path, [*more, "--done", str(done)])
        if ended:
            break
        _close_what_was_begun(path)
    done.unlink(missing_ok=True)
    return outcomes_in(path)


def _one_process(library: str, file: str, top: Path, path: Path, more: list[str]) -> bool:
    """Run a process, and return whether it came to the end of the file or cannot begin it."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(BUILD / "packages"), str(ROOT / "src"), str(ROOT)]),
        "PYTORCH_TESTING_DEVICE_ONLY_FOR": "cpu",
        "CI": "1",
    }
    command = [
        sys.executable, "-m", "tests.pytorch_files.child", library, file,
        "--top", str(top), "--outcomes", str(path), *more,
    ]  # fmt: skip
    log = path.with_suffix(".log")
    with log.open("ab") as output:
        process = subprocess.Popen(
            command, env=environment, cwd=top, stdout=output, stderr=output,
            stdin=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        size, changed = -1, time.monotonic()
        while process.poll() is None:
            time.sleep(0.5)
            now = path.stat().st_size if path.exists() else 0
            if now != size:
                size, changed = now, time.monotonic()
            elif time.monotonic() - changed > STUCK:
                break
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, 9)
        process.wait()
    lines = path.read_text().splitlines() if path.exists() else []
    return any('"outcome": "end"' in line or '"test": "import"' in line for line in lines[-3:])


def outcomes_in(path: Path) -> dict[str, Outcome]:
    """Return the last outcome of each test."""
    outcomes: dict[str, Outcome] = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        with contextlib.suppress(json.JSONDecodeError):
            entry = json.loads(line)
            if entry["outcome"] not in ("begun", "end"):
                outcomes[entry["test"]] = entry
    return outcomes


def _close_what_was_begun(path: Path) -> None:
    """Write down that a test ended its process."""
    lines = path.read_text().splitlines() if path.exists() else []
    last = json.loads(lines[-1]) if lines else {"outcome": "", "test": ""}
    if last["outcome"] == "begun":
        what = {"error": "ProcessEnded", "text": "the process ended", "place": "", "line": ""}
        with path.open("a") as file:
            file.write(json.dumps({"test": last["test"], "outcome": "failed", **what}) + "\n")


def yardstick(file: str, share: int, top: Path) -> Path:
    """Return a file with the names of the tests that pass under PyTorch, kept from run to run."""
    stem = file.removesuffix(".py").replace("/", ".")
    names = BUILD / "pytorch" / f"{stem}.{share}.names"
    if not names.exists():
        names.parent.mkdir(parents=True, exist_ok=True)
        path = names.with_suffix(".jsonl")
        outcomes = run("pytorch", file, top, path, ["--share", str(share)])
        passed = [test for test, entry in outcomes.items() if entry["outcome"] == "passed"]
        names.write_text("\n".join(passed))
    return names


def measure(file: str, share: int, top: Path, state: str) -> Row:
    """Run a file under PyTorch if need be, and then against pellucid."""
    names = yardstick(file, share, top)
    counted = {name for name in names.read_text().split() if not reason_to_leave_out(name)}
    path = BUILD / "pellucid" / f"{names.stem}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    stamp = path.with_suffix(".state")
    if not (stamp.exists() and stamp.read_text() == state):
        run("pellucid", file, top, path, ["--only", str(names)])
        stamp.write_text(state)
    outcomes = outcomes_in(path)
    missing = outcomes.get("import", {"error": "", "text": "no outcome", "place": "", "line": ""})
    failures = [
        outcomes.get(test, {**missing, "test": test, "outcome": "failed"})
        for test in sorted(counted)
        if outcomes.get(test, missing).get("outcome") != "passed"
    ]
    return Row(file, len(counted), len(counted) - len(failures), failures)


def state_of_the_sources() -> str:
    """Return a digest of what decides how the tests end."""
    digest = hashlib.sha256()
    for path in sorted(
        path
        for pattern in ("src/**/*.py", "src/**/*.so", "tests/pytorch_files/*.py")
        for path in ROOT.glob(pattern)
    ):
        digest.update(str(path).encode() + str(path.stat().st_mtime_ns).encode())
    return digest.hexdigest()


def first_line(entry: Outcome) -> str:
    """Return in a line what a test failed of."""
    text = entry.get("text") or entry.get("why") or ""
    first = next((line for line in text.splitlines() if line.strip()), "")
    return f"{entry.get('error', entry['outcome'])}: {first[:160]} @ {entry.get('place', '')}"


def report(rows: list[Row], causes: int) -> None:
    """Print the table by file, and the failures by cause."""
    for row in sorted(rows, key=lambda row: row.passed / max(row.counted, 1)):
        share = 100 * row.passed / max(row.counted, 1)
        print(f"{row.file:42} {row.passed:5} of {row.counted:5}  {share:5.1f} %")
    counted, passed = sum(row.counted for row in rows), sum(row.passed for row in rows)
    print(f"{'all':42} {passed:5} of {counted:5}  {100 * passed / max(counted, 1):5.1f} %")
    groups: dict[str, list[str]] = collections.defaultdict(list)
    for row in rows:
        for entry in row.failures:
            groups[first_line(entry)].append(
                f"{row.file}::{entry['test']}  {entry.get('line', '')}"
            )
    for text, tests in sorted(groups.items(), key=lambda group: -len(group[1]))[:causes]:
        print(f"\n{len(tests)}  {text}")
        for test in tests[:2]:
            print(f"      {test}")


def main() -> None:
    """Run what the arguments say."""
    parser = argparse.ArgumentParser(prog="make pytorch-tests", description=__doc__)
    parser.add_argument("files", nargs="*", help="parts of names; without them, all files")
    parser.add_argument("--again", action="store_true", help="run files that have run already")
    parser.add_argument("--share", type=int, help="one in how many tests, for every file")
    parser.add_argument("--causes", type=int, default=60, help="how many causes are printed")
    options = parser.parse_args()
    try:
        top = directory_of_tests(BUILD)
    except NoSourceError as error:
        sys.exit(str(error))
    chosen = {
        file: options.share or share
        for file, share in FILES.items()
        if not options.files or any(part in file for part in options.files)
    }
    state = str(time.time()) if options.again else state_of_the_sources()
    rows = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        running = [pool.submit(measure, file, share, top, state) for file, share in chosen.items()]
        for future in concurrent.futures.as_completed(running):
            row = future.result()
            rows.append(row)
            print(f"... {row.file}: {row.passed} of {row.counted}", file=sys.stderr, flush=True)
    report(rows, options.causes)


if __name__ == "__main__":
    main()
