"""Programs that run out of memory at each allocation in turn: MemoryError or success, and go on.

``python -m tests.sanitized.starving [--only WORD] [--points N]`` runs every program, or those in
which the word stands, with one allocation after the other failing, Python's, NumPy's and C++'s
alike, and then five in a row. It prints each program that ended in anything else than MemoryError
or what it gives otherwise, that gave something else the next time, or that ended the process. The
allocator is compiled with ``g++`` and loaded before all libraries.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ALLOCATOR = Path(__file__).with_name("failing_allocator.cpp")
ENOUGH = 10**9
#: of the processor, and at most ten times as many of the clock
PROGRAM_SECONDS = 120


def command(arguments: Sequence[str], folder: str) -> tuple[list[str], dict[str, str]]:
    """Compile the allocator; return the command and environment that run this file with it."""
    library = Path(folder) / "failing_allocator.so"
    subprocess.run(
        ["g++", "-O1", "-shared", "-fPIC", "-o", str(library), str(ALLOCATOR), "-ldl"], check=True
    )
    others = os.environ.get("LD_PRELOAD", "")
    # The sanitizer wants to be the first, which it is behind this one.
    sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    environment = {
        **os.environ,
        "LD_PRELOAD": f"{library} {others}".strip(),
        "ASAN_OPTIONS": sanitizer.lstrip(":"),
        "PYTHONMALLOC": "malloc",
        "PELLUCID_STARVING": "1",
    }
    return [sys.executable, "-m", "tests.sanitized.starving", *arguments], environment


def state() -> tuple[Any, ...]:
    """Return what every call reads, and no call may leave otherwise."""
    from pellucid.autograd.modes import modes
    from pellucid.observe import slow_path

    return slow_path.active, modes.grad_enabled


def is_of_memory(error: BaseException | None) -> bool:
    """Return whether an error is a MemoryError, or one that others make of it by themselves.

    In Python 3.11 ``frame.f_back`` leaves the error behind and returns, and the next function that
    is called, of whatever class, is said to have done so; and a function of Python's that raises
    forgets its error where there is no memory for its frame, as do NumPy's ufuncs.
    """
    if isinstance(error, SystemError):
        begins = ("<class", "<function", "<method", "<ufunc")
        return str(error).startswith(begins) and "exception" in str(error)
    return isinstance(error, MemoryError)


def complaints(program: Any, points: int, own: bool) -> Iterator[str]:
    """Run a program with each allocation failing; yield what is wrong."""
    library = ctypes.CDLL(None)
    library.fail_allocations.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_int]
    library.allocations.argtypes = [ctypes.c_long]
    library.allocations.restype = library.end_failing.restype = ctypes.c_long
    fail, end = library.fail_allocations, library.end_failing

    expected, before = [program.outcome() for _ in range(4)][-1], state()
    repeats = program.outcome() == expected
    fail(ENOUGH, 1, own)
    program.outcome()
    count = library.allocations(ENOUGH)
    end()
    for in_a_row in (1, 5):
        # A call that failed allocates what the next one finds: somewhat more, not endlessly so.
        for place in range(0, 2 * count + 50, max(1, count // points)):
            fail(place, in_a_row, own)
            try:
                program.step()
                ended: BaseException | None = None
            except Exception as error:  # noqa: BLE001 - whatever it is
                ended = error
            failed = end()
            program.clear()
            usual = is_of_memory(ended) or (
                ended is None if isinstance(expected, list) else isinstance(ended, expected)
            )
            where = f"{in_a_row} failed from allocation {place} of {count} on"
            if not usual:
                frames = "".join(traceback.format_exception(ended)).strip().splitlines()[-6:]
                yield f"{where}: {type(ended).__name__}: {ended}\n      " + "\n      ".join(frames)
            ended = None
            if state() != before:
                yield f"{where}: {before} became {state()}"
                return
            again = program.outcome()
            if repeats and again != expected:
                yield f"{where}: the next step gave something else: {str(again)[:200]}"
                return
            if not failed:
                break


def run_in_child(program: Any, points: int, own: bool) -> list[str]:
    """Run a program in a process of its own; return what is wrong."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        signal.setitimer(signal.ITIMER_PROF, PROGRAM_SECONDS)
        signal.alarm(10 * PROGRAM_SECONDS)
        status = 0
        try:
            for number, each in enumerate(complaints(program, points, own)):
                os.write(writing, each.encode() + b"\0")
                if number == 3:
                    break
        except BaseException:  # noqa: BLE001 - the child must not go on as the parent
            os.write(writing, traceback.format_exc().encode() + b"\0")
            status = 1
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        found = [each.decode(errors="replace") for each in pipe.read().split(b"\0") if each]
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        found.append(f"the process ended by {signal.Signals(os.WTERMSIG(status)).name}")
    elif os.WEXITSTATUS(status) and not found:
        found.append(f"the process ended with {os.WEXITSTATUS(status)}")
    return found


def main(arguments: Sequence[str]) -> int:
    """Run what the command line asks for; return how many programs there are complaints of."""
    parser = argparse.ArgumentParser(prog="tests.sanitized.starving")
    parser.add_argument("--only", default="", help="programs in which this stands")
    parser.add_argument("--ops", action="store_true", help="every op instead of every program")
    parser.add_argument("--all", action="store_true", help="whoever asks for memory")
    parser.add_argument("--points", type=int, default=ENOUGH, help="about so many of each program")
    parser.add_argument("--every", type=int, default=1, help="one program in so many")
    parser.add_argument("--part", default="0/1", help="of several processes")
    given = parser.parse_args(arguments)
    if "PELLUCID_STARVING" not in os.environ:
        folder = tempfile.mkdtemp()
        try:
            words, environment = command(arguments, folder)
            return subprocess.run(words, env=environment, check=False).returncode
        finally:
            shutil.rmtree(folder)
    # What an error of memory tells is imported by the first: once for all processes.
    import pellucid.inspect.live  # noqa: F401
    from tests.sanitized.programs import CompiledStep, Program, calls_of_ops, programs

    chosen: list[Any] = calls_of_ops() if given.ops else [
        *map(CompiledStep, (True, False)), *map(Program, programs())
    ]  # fmt: skip
    part, parts = map(int, given.part.split("/"))
    chosen = [each for each in chosen if given.only in each.text][:: given.every][part::parts]
    for each in chosen:
        each.outcome()
    gc.collect()
    gc.freeze()
    bad, started = 0, time.monotonic()
    for each in chosen:
        found = run_in_child(each, given.points, not given.all)
        if found:
            bad += 1
            print(each.text, *found, sep="\n    ", flush=True)
    print(f"{len(chosen)} programs in {time.monotonic() - started:.0f} s, {bad} complaints")
    return bad


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
