"""Two processes that run each program, one with the compiled module and one without."""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
import tempfile
from contextlib import suppress
from typing import IO, Any, NamedTuple

from tests.robustness.both_ways.comparing import Comparison
from tests.robustness.both_ways.worker import read_message, send_message

#: what a program may take, and each of those that run before it
SECONDS = 20.0
SECONDS_BEFORE = 1.0


#: the kind of a finding that only a slow machine may have made
LATE = "late"


class Finding(NamedTuple):
    """A program, what is wrong with it, and the programs that had to run before it."""

    program: str
    kind: str
    told: str
    before: tuple[str, ...] = ()


class _Died(Exception):
    """A worker that ended."""


class _Late(_Died):
    """A worker that did not answer in time."""


_WORK = "from tests.robustness.both_ways.worker import main; main()"


class Worker:
    """One process that runs programs."""

    def __init__(self, native: str) -> None:
        self.native = native
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close
        self.process = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-c", _WORK],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
            env=dict(os.environ) | {"PELLUCID_NATIVE": native} if native == "0" else None,
        )  # fmt: skip

    def send(self, programs: tuple[str, ...], afresh: bool) -> None:
        try:
            send_message(self.process.stdin, (afresh, programs))  # pyright: ignore[reportArgumentType]
        except BrokenPipeError:
            raise _Died(self._last_words()) from None

    def receive(self, seconds: float) -> Any:
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)  # pyright: ignore[reportArgumentType]
            if not selector.select(seconds):
                self.process.kill()
                raise _Late(f"takes longer than {seconds:.0f} s")
        try:
            found = read_message(self.process.stdout)  # pyright: ignore[reportArgumentType]
        except EOFError:
            raise _Died(self._last_words()) from None
        if isinstance(found, str):
            raise _Died(found)
        return found

    def _last_words(self) -> str:
        code = self.process.wait()
        self.errors.seek(0)
        return f"ended with {code}: {self.errors.read()[-1500:].decode(errors='replace')}"

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()
        self.errors.close()


class Pair:
    """A worker with and one without the compiled module; new ones after one has ended."""

    def __init__(self) -> None:
        self.workers: list[Worker] = []
        #: what has run in these workers
        self.history: list[str] = []

    def __enter__(self) -> Pair:
        return self

    def __exit__(self, *_: object) -> None:
        self.restart()

    def restart(self) -> None:
        """End the workers; the next program gets new ones."""
        for each in self.workers:
            each.close()
        self.workers, self.history = [], []

    def run(self, program: str) -> Finding | None:
        """Run a program both ways and return what is wrong, if anything is."""
        self.history.append(program)
        return self._run((program,), afresh=False)

    def run_afresh(self, *programs: str) -> Finding | None:
        """Run programs where no others have run, and return what is wrong with the last."""
        return self._run(programs, afresh=True)

    def _run(self, programs: tuple[str, ...], afresh: bool) -> Finding | None:
        if not self.workers:
            self.workers = [Worker(""), Worker("0")]
        program = programs[-1]
        before = programs[:-1] if afresh else tuple(self.history[:-1])
        seconds = SECONDS + SECONDS_BEFORE * (len(programs) - 1)
        seen, ends = [], []
        late = True
        for each in self.workers:
            with suppress(_Died):
                each.send(programs, afresh)
        for each in self.workers:
            try:
                seen.append(each.receive(seconds))
            except _Died as end:
                late = late and isinstance(end, _Late)
                ends.append(f"{'Python' if each.native == '0' else 'compiled'} {end}")
        if ends:
            self.restart()
            return Finding(program, LATE if late else "ended", "; ".join(ends), before)
        found = Comparison(program).first_difference(*seen)
        return None if found is None else Finding(program, found.kind, str(found), before)
