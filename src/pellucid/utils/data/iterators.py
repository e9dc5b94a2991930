"""Passes over a data loader: in the process that asks, or by workers ahead of it.

Packages that derive from these classes, or give them a loader of their own, know them and the
private attributes of a loader by the names that PyTorch has given them.
"""

from __future__ import annotations

import contextlib
import functools
import multiprocessing.connection
import os
import signal
import socket
import sys
import time
import warnings
import weakref
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, NoReturn

from pellucid.observe import announce, watchers
from pellucid.utils.data._utils import worker
from pellucid.utils.data._utils.fetch import Fetcher, MapFetcher, StreamFetcher
from pellucid.utils.data._utils.transport import Message, receive
from pellucid.utils.data._utils.worker import ExceptionWrapper, Job, Restart, StreamEnd
from pellucid.utils.data.sampler import drawn_seed

if TYPE_CHECKING:
    from pellucid.utils.data.dataloader import DataLoader

#: seconds that a worker is given to finish its batch when nobody wants it any more
PATIENCE = 5.0


class _DatasetKind:
    """The kinds of data sets: with indices, and streams."""

    Map = 0
    Iterable = 1


_FETCHERS = {_DatasetKind.Map: MapFetcher, _DatasetKind.Iterable: StreamFetcher}


class _BaseDataLoaderIter:
    """The base of passes: it draws the workers' seed, follows the sampler and counts batches."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        self._dataset = loader.dataset
        self._num_workers = loader.num_workers
        self._make_fetcher: Callable[[], Fetcher] = functools.partial(
            _FETCHERS[loader._dataset_kind],
            loader.dataset,
            loader._auto_collation,
            loader.collate_fn,
            loader.drop_last,
        )
        self._begin(loader)
        # PyTorch draws a seed with each iterator, also when there are no workers to be given it.
        self._base_seed = drawn_seed(loader.generator)

    def _begin(self, loader: DataLoader[Any]) -> None:
        self._index_sampler = loader._index_sampler
        self._indices = iter(self._index_sampler)
        self._announced = loader._IterableDataset_len_called
        self._given = 0

    def __iter__(self) -> Iterator[Any]:
        return self

    def __len__(self) -> int:
        return len(self._index_sampler)

    def __next__(self) -> Any:
        if not watchers:
            return self._counted_next()
        announce("batch began", self)
        try:
            return self._counted_next()
        finally:
            announce("batch ended", self)

    def _counted_next(self) -> Any:
        data = self._next()
        self._given += 1
        if self._announced is not None and self._given > self._announced:
            self._warn_of_length(self._announced)
        return data

    def _next(self) -> Any:
        raise NotImplementedError

    def _warn_of_length(self, announced: int) -> None:
        text = (
            f"Length of IterableDataset {self._dataset} was reported to be {announced}"
            f"(when accessing len(dataloader)), but {self._given} samples have been fetched. "
        )
        if self._num_workers:
            text += (
                "For multiprocessing data-loading, this could be caused by not properly "
                "configuring the IterableDataset replica at each worker: let each take its part, "
                "by torch.utils.data.get_worker_info()."
            )
        warnings.warn(text, stacklevel=4)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """A pass whose batches are made in the process that asks for them."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        self._fetch = self._make_fetcher().fetch

    def _next(self) -> Any:
        return self._fetch(next(self._indices))


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Iterator over batches that worker processes make ahead, in the sampler's order.

    The workers end with this object: when it is dropped or exhausted, when a wait is interrupted,
    and at the latest when the interpreter exits.
    """

    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        self._timeout = loader.timeout
        self._in_order = loader.in_order
        self._persistent = loader.persistent_workers
        self._most_tasks = (loader.prefetch_factor or 0) * loader.num_workers
        self._connections: list[Connection[Any, Any]] = []
        self._workers: list[Any] = []
        #: ends the workers; runs once, whoever calls it
        self.close = weakref.finalize(
            self, _end_workers, os.getpid(), self._workers, self._connections
        )
        try:
            for number in range(loader.num_workers):
                self._start(loader, number)
        except BaseException:
            self.close()
            raise
        self._prime()

    def _start(self, loader: DataLoader[Any], number: int) -> None:
        context = loader.multiprocessing_context or multiprocessing.get_context()
        ours, theirs = context.Pipe(duplex=True)
        self._connections.append(ours)
        # A forked child has copies of all open files, and would keep the connections open.
        inherited = self._connections if context.get_start_method() == "fork" else []
        job = Job(
            loader.dataset, self._make_fetcher, self._base_seed, loader.worker_init_fn, number,
            loader.num_workers,
        )  # fmt: skip
        process = context.Process(
            target=worker.run, args=(theirs, list(inherited), job), daemon=True
        )
        process.start()
        theirs.close()
        self._workers.append(process)

    def restart(self, loader: DataLoader[Any]) -> None:
        """Begin another pass with the same workers; what is under way is thrown away."""
        self._begin(loader)
        for number in range(self._num_workers):
            self._send(number, Restart())
        waiting = self._num_workers
        while waiting:
            _, _, answer = self._receive(None)
            waiting -= isinstance(answer, Restart)
        self._prime()

    def _prime(self) -> None:
        #: tasks by number: who works on it, until it is given
        self._workers_of: dict[int, int] = {}
        self._arrived: dict[int, Any] = {}
        self._sent = 0
        self._wanted = 0
        self._turn = 0
        self._active = [True] * self._num_workers
        self._loads = [0] * self._num_workers
        for _ in range(self._most_tasks):
            self._ask_for_next()

    # ---- asking -----------------------------------------------------------------------------

    def _ask_for_next(self) -> None:
        """Ask a worker for the next batch, if there is one."""
        index = next(self._indices, _NOTHING)
        chosen = None if index is _NOTHING else self._chosen_worker()
        if chosen is None:
            return
        self._send(chosen, (self._sent, index))
        self._workers_of[self._sent] = chosen
        self._loads[chosen] += 1
        self._sent += 1

    def _chosen_worker(self) -> int | None:
        """Return whose turn it is; where the order is free, only one that is not behind."""
        for _ in range(self._num_workers):
            candidate = self._turn
            self._turn = (candidate + 1) % self._num_workers
            if not self._active[candidate]:
                continue
            if self._in_order or self._loads[candidate] < self._most_tasks // sum(self._active):
                return candidate
        return None

    def _send(self, number: int, content: Any) -> None:
        if not self.close.alive:
            raise RuntimeError(
                "the workers of this DataLoader iterator have ended, after an error or an "
                "interruption: make a new one with iter(loader)"
            )
        try:
            Message(content).send(self._connections[number])
        except OSError:
            self._report_death([number])

    # ---- answers ----------------------------------------------------------------------------

    def _next(self) -> Any:
        deadline = time.monotonic() + self._timeout if self._timeout > 0 else None
        while True:
            self._skip_what_will_not_come()
            if self._wanted == self._sent:
                if not self._persistent:
                    self.close()
                raise StopIteration
            if self._wanted in self._arrived:
                return self._give(self._wanted)
            number, who, answer = self._receive(deadline)
            if isinstance(answer, StreamEnd):
                self._active[who] = False
                self._ask_for_next()
                continue
            self._arrived[number] = answer
            if not self._in_order:
                return self._give(number)

    def _skip_what_will_not_come(self) -> None:
        """Pass over numbers that were given out of order, or asked of a stream that has ended."""
        while self._wanted < self._sent:
            who = self._workers_of.get(self._wanted)
            if who is not None and (self._active[who] or self._wanted in self._arrived):
                return
            self._workers_of.pop(self._wanted, None)
            self._wanted += 1

    def _give(self, number: int) -> Any:
        answer = self._arrived.pop(number)
        self._loads[self._workers_of.pop(number)] -= 1
        self._ask_for_next()
        if isinstance(answer, ExceptionWrapper):
            answer.reraise()
        return answer

    def _receive(self, deadline: float | None) -> tuple[int, int, Any]:
        """Wait for the next message of any worker: its number, who sent it, and what it says."""
        try:
            sentinels = [process.sentinel for process in self._workers]
            remaining = None if deadline is None else max(0.0, deadline - time.monotonic())
            ready = multiprocessing.connection.wait([*self._connections, *sentinels], remaining)
            speaker = next((who for who, c in enumerate(self._connections) if c in ready), None)
            if speaker is not None:
                number, answer = self._read(speaker)
                return number, speaker, answer
            if ready:
                self._report_death([who for who, s in enumerate(sentinels) if s in ready])
        except BaseException:
            # A message may have been read in part: there is no way to go on.
            self.close()
            raise
        raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")

    def _read(self, who: int) -> tuple[int, Any]:
        try:
            return receive(self._connections[who])
        except (EOFError, OSError):
            self._report_death([who])

    def _report_death(self, dead: list[int]) -> NoReturn:
        for who in dead:
            self._workers[who].join(PATIENCE)
        pids = ", ".join(str(self._workers[who].pid) for who in dead)
        how = "".join(_how_it_ended(self._workers[who]) for who in dead)
        self.close()
        raise RuntimeError(f"DataLoader worker (pid(s) {pids}) exited unexpectedly{how}") from None


_NOTHING = object()


def _how_it_ended(process: Any) -> str:
    code = process.exitcode
    if code is None or code >= 0:
        return f"\n  DataLoader worker (pid {process.pid}) exited with code {code}."
    text = (
        f"\n  DataLoader worker (pid {process.pid}) is killed by signal: {signal.strsignal(-code)}."
    )
    if code == -signal.SIGKILL:
        text += (
            "\n  Often the memory was not enough: use fewer workers, a smaller prefetch_factor, or "
            "smaller batches."
        )
    return text


def _end_workers(owner: int, processes: list[Any], connections: list[Connection[Any, Any]]) -> None:
    """Close the connections, so that the workers end; terminate those that take too long."""
    if os.getpid() != owner:  # a forked child has dropped its copy of the iterator
        return
    try:
        for connection in connections:
            _hang_up(connection)
        for process in processes:
            _wake(process)
        deadline = time.monotonic() + PATIENCE
        for process in processes:
            process.join(max(0.0, deadline - time.monotonic()))
    finally:
        for process in processes:
            if process.is_alive():
                process.terminate()
                process.join(1)
            if process.is_alive():
                process.kill()
                process.join()


def _wake(process: Any) -> None:
    """Continue a worker that was stopped, so that it notices the end."""
    if sys.platform != "win32" and process.is_alive():
        with contextlib.suppress(OSError):
            os.kill(process.pid, signal.SIGCONT)


def _hang_up(connection: Connection[Any, Any]) -> None:
    """Close a connection for all processes that have a copy of it."""
    if sys.platform != "win32":
        with (
            socket.socket(fileno=os.dup(connection.fileno())) as duplicate,
            contextlib.suppress(OSError),  # the other side is gone already
        ):
            duplicate.shutdown(socket.SHUT_RDWR)
    connection.close()
