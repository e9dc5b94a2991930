"""Running one function in several processes, and hearing of the first one that fails."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import signal
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from pellucid.multiprocessing.ranks import RanksContext
from pellucid.processes.launching import can_launch


class ProcessException(Exception):
    """The failure of one of several processes.

    Args:
        msg: The message.
        error_index: The index of the process.
        pid: Its process id.
    """

    def __init__(self, msg: str, error_index: int, pid: int) -> None:
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index
        self.pid = pid


class ProcessRaisedException(ProcessException):
    """The failure of a process that raised an exception.

    Args:
        msg: The traceback.
        error_index: The index of the process.
        pid: Its process id.
    """


class ProcessExitedException(ProcessException):
    """The failure of a process that was killed by a signal or exited with a code.

    Args:
        msg: The message.
        error_index: The index of the process.
        error_pid: Its process id.
        exit_code: Its exit code, negative for a signal.
        signal_name: The name of the signal, if any.
    """

    def __init__(
        self, msg: str, error_index: int, error_pid: int, exit_code: int,
        signal_name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code
        self.signal_name = signal_name


def _run(function: Callable[..., Any], number: int, args: tuple[Any, ...], errors: Any) -> None:
    try:
        function(number, *args)
    except KeyboardInterrupt:
        pass  # the main process raises its own
    except Exception:  # noqa: BLE001 - sent to the main process
        errors.put(traceback.format_exc())
        sys.exit(1)


class ProcessContext:
    """Processes that were started together, to wait for.

    Args:
        processes: The processes.
        errors: One queue per process, for the traceback of what it raised.
    """

    def __init__(self, processes: list[Any], errors: list[Any]) -> None:
        self.processes = processes
        self._errors = errors
        self._running = {process.sentinel: n for n, process in enumerate(processes)}

    def pids(self) -> list[int]:
        """Return the ids of the processes."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait until a process ends; return whether all have ended without an error.

        If one failed, the others are terminated, and its failure is raised.
        """
        if not self._running:
            return True
        ended = multiprocessing.connection.wait(list(self._running), timeout)
        numbers = [self._running.pop(sentinel) for sentinel in ended]
        failed = None
        for number in numbers:
            self.processes[number].join()
            if self.processes[number].exitcode != 0 and failed is None:
                failed = number
        if failed is None:
            return not self._running
        self._end_all(grace_period)
        self._report(failed)
        return False

    def _end_all(self, grace_period: float | None) -> None:
        if grace_period is not None:
            deadline = time.monotonic() + grace_period
            for process in self.processes:
                process.join(max(0.0, deadline - time.monotonic()))
        for process in self.processes:
            if process.is_alive():
                process.terminate()
            process.join()

    def _report(self, number: int) -> None:
        process = self.processes[number]
        errors = self._errors[number]
        text = None if errors.empty() else errors.get()
        raise failure(number, process.pid, process.exitcode, text)


def failure(number: int, pid: int, code: int, error: str | None) -> ProcessException:
    """Return the exception for a process that ended with an error's text or with a code."""
    if error is not None:
        text = f"\n\n-- Process {number} terminated with the following error:\n{error}"
        return ProcessRaisedException(text, number, pid)
    if code < 0:
        name = signal.Signals(-code).name
        return ProcessExitedException(
            f"process {number} terminated with signal {name}", number, pid, code, name
        )
    return ProcessExitedException(
        f"process {number} terminated with exit code {code}", number, pid, code
    )


def start_processes(
    fn: Callable[..., Any], args: tuple[Any, ...] = (), nprocs: int = 1, join: bool = True,
    daemon: bool = False, start_method: str = "spawn",
) -> ProcessContext | RanksContext | None:  # fmt: skip
    """Run ``fn(i, *args)`` in ``nprocs`` processes; with ``join``, wait for them.

    Several processes that start afresh are started by MPI where it is installed, so that they can
    make a process group. Raises ProcessRaisedException with the traceback of the first one that
    fails, after ending the others; ProcessExitedException if it was killed or exited.
    """
    started: ProcessContext | RanksContext
    if start_method == "spawn" and nprocs > 1 and not daemon and can_launch():
        started = RanksContext(fn, args, nprocs, failure)
    else:
        started = _start_alone(fn, args, nprocs, daemon, start_method)
    if not join:
        return started
    while not started.join():
        pass
    return None


def _start_alone(
    fn: Callable[..., Any], args: tuple[Any, ...], nprocs: int, daemon: bool, start_method: str
) -> ProcessContext:
    """Start processes that MPI knows nothing of."""
    context: Any = multiprocessing.get_context(start_method)
    processes, errors = [], []
    for number in range(nprocs):
        queue = context.SimpleQueue()
        process = context.Process(target=_run, args=(fn, number, args, queue), daemon=daemon)
        process.start()
        processes.append(process)
        errors.append(queue)
    return ProcessContext(processes, errors)


def spawn(
    fn: Callable[..., Any], args: tuple[Any, ...] = (), nprocs: int = 1, join: bool = True,
    daemon: bool = False, start_method: str = "spawn",
) -> ProcessContext | RanksContext | None:  # fmt: skip
    """Run ``fn(i, *args)`` in ``nprocs`` fresh processes: `start_processes` by its usual name."""
    return start_processes(fn, args, nprocs, join, daemon, start_method)
