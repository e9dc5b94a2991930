"""Calls without end: what is held of memory and of references must not grow with their number.

``python -m tests.sanitized.growth --calls 100000 [--ops] [--only WORD] [--part 0/2]`` runs every
program, or every op rightly and wrongly, so many times, and prints each that holds more after it.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

import pellucid as torch
from tests.sanitized.programs import CompiledStep, Program, calls_of_ops, programs

#: what many calls pass on, whose references a call may keep without an object more being there;
#: not NumPy's default dtype, to which `np.zeros` and `np.ones` of NumPy 2.4 add one at each call
_SHARED = (
    None, True, False, (), 0, 1, 2, -1, "", torch.float32, torch.float64, np.dtype(np.float32),
    torch.Tensor, np.ndarray,
)  # fmt: skip
_ROUNDS = 3
#: between two looks at the clock
_STEPS = 100
#: a leak shows at every call, or at every one in so many
_EVERY = 4
_BYTES = 8
#: blocks and objects of lists that are filled up to a bound
_SLACK = 100


class _Heap(ctypes.Structure):
    """What the C library says of its memory (``mallinfo2``)."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
            "fordblks", "keepcost",
        )
    ]  # fmt: skip


def _heap() -> Any:
    """Return the function that tells how much is allocated, where the C library has it."""
    try:
        function = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        return None
    function.restype = _Heap
    return function


_mallinfo = _heap()


def held(program: Program) -> dict[str, int]:
    """Return how much is held: bytes, blocks, objects and references."""
    gc.collect()
    heap = _mallinfo() if _mallinfo is not None else _Heap()
    counts = {
        "bytes": heap.uordblks + heap.hblkhd,
        "blocks": sys.getallocatedblocks(),
        "objects": len(gc.get_objects()),
    }
    for each in _SHARED:
        counts[f"references of {each!r}"] = sys.getrefcount(each)
    for name, tensor in program.tensors.items():
        counts[f"references of {name}"] = sys.getrefcount(tensor)
        counts[f"references of the array of {name}"] = sys.getrefcount(tensor._array)
    return counts


def growth(program: Program, calls: int, most_seconds: float = float("inf")) -> tuple[int, str]:
    """Run a program so often, or so long; return how often, and what grew each time."""
    program.repeat(20)
    grown: set[str] | None = None
    made = 0
    for _ in range(_ROUNDS):
        before, end = held(program), time.monotonic() + most_seconds / _ROUNDS
        count = 0
        while count < calls and time.monotonic() < end:
            steps = min(_STEPS, calls - count)
            program.repeat(steps)
            count += steps
        made += count
        after = held(program)
        now = {
            f"{name}: {after[name] - before[name]:+} in {count} calls"
            for name in before
            if after[name] - before[name] > _allowed(name, count)
        }
        names = {each.partition(":")[0] for each in now}
        grown = now if grown is None else {
            each for each in now
            if each.partition(":")[0] in names & {old.partition(":")[0] for old in grown}
        }  # fmt: skip
        if not grown:
            break
    return made, ", ".join(sorted(grown or ()))


def _allowed(name: str, count: int) -> float:
    slack = _SLACK if name in ("bytes", "blocks", "objects") else 0
    return (count / _EVERY + slack) * (_BYTES if name == "bytes" else 1)


def main(arguments: Sequence[str]) -> int:
    """Run what the command line asks for; return how many programs hold more and more."""
    parser = argparse.ArgumentParser(prog="tests.sanitized.growth")
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="at most, a program")
    parser.add_argument("--ops", action="store_true", help="every op instead of every program")
    parser.add_argument("--only", default="", help="programs in which this stands")
    parser.add_argument("--part", default="0/1", help="of several processes")
    given = parser.parse_args(arguments)
    part, parts = map(int, given.part.split("/"))
    chosen: list[Program] = (
        list(calls_of_ops())
        if given.ops
        else [*map(CompiledStep, (True, False)), *map(Program, programs())]
    )
    chosen = [each for each in chosen if given.only in each.text][part::parts]
    for each in chosen:
        each.outcome()
    gc.collect()
    gc.freeze()
    total = failed = short = 0
    started = time.monotonic()
    for each in chosen:
        made, grown = growth(each, given.calls, given.seconds)
        total += made
        short += made < given.calls
        if grown:
            failed += 1
            print(f"{each.text}\n    {grown}", flush=True)
    seconds = time.monotonic() - started
    print(f"{len(chosen)} programs, {total} calls in {seconds:.0f} s, {short} of them cut short, "
          f"{failed} hold more and more")  # fmt: skip
    return failed


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
