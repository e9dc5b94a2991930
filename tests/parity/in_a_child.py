"""Runs of many cases in a child process, which a case may crash or keep for ever.

The child says in a pipe what it does; behind a case that ended it, another child goes on.
"""

from __future__ import annotations

import json
import os
import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

#: the processor time that a case may take
SECONDS = 20.0

#: runs a case, and calls what it is given with the name of the library that comes next
Run = Callable[[Any, Callable[[str], None]], Any]


class Ended(NamedTuple):
    """How a case ended: with what it gave, or with the process."""

    case: Any
    result: Any = None
    crash: str = ""
    """By which library and how the process ended; empty if it did not."""


def run_all(cases: Sequence[Any], run: Run, seconds: float = SECONDS) -> Iterator[Ended]:
    """Yield how each case ends; what a case gives has to be something that JSON holds."""
    done = 0
    while done < len(cases):
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            _run_here(cases[done:], run, seconds, writing)
        os.close(writing)
        library = ""
        with os.fdopen(reading, encoding="utf-8") as pipe:
            for line in pipe:
                if line.startswith("["):
                    yield Ended(cases[done], json.loads(line)[0])
                    done, library = done + 1, ""
                else:
                    library = line.strip()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if done < len(cases):
            yield Ended(cases[done], crash=f"{library}: {_ending(status, seconds)}")
            done += 1


def _run_here(cases: Sequence[Any], run: Run, seconds: float, writing: int) -> None:
    """Run cases and end the process; one that lasts too long is ended by the alarm."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    try:
        with os.fdopen(writing, "w", encoding="utf-8", buffering=1) as pipe:
            for case in cases:
                signal.setitimer(signal.ITIMER_PROF, seconds)
                result = run(case, lambda library: print(library, file=pipe))
                print(json.dumps([result]), file=pipe)
    except BaseException:  # noqa: BLE001 - the child must not go on as a second parent
        traceback.print_exc()
    finally:
        os._exit(1)


def _ending(status: int, seconds: float) -> str:
    if status == -signal.SIGPROF:
        return f"takes longer than {seconds:g} s"
    return f"ends with {signal.Signals(-status).name if status < 0 else status}"
