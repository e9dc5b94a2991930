"""What runs in a worker process of a data loader."""

from __future__ import annotations

import multiprocessing
import os
import queue
import random
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, NoReturn

import numpy as np

from pellucid.random import manual_seed
from pellucid.utils.data._utils.fetch import Fetcher
from pellucid.utils.data._utils.transport import Message, receive

#: seconds after which a worker looks whether its loader's process is still there
WATCH_INTERVAL = 5.0


@dataclass(frozen=True)
class WorkerInfo:
    """The facts about a worker: its id, how many there are, its seed and its dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


@dataclass(frozen=True)
class Job:
    """The settings of a worker, sent when it starts."""

    dataset: Any
    make_fetcher: Callable[[], Fetcher]
    base_seed: int
    init_fn: Callable[[int], Any] | None
    id: int
    num_workers: int


@dataclass(frozen=True)
class StreamEnd:
    """The answer of a worker whose stream has no more samples."""


@dataclass(frozen=True)
class Restart:
    """Ask a worker to begin a new pass over its dataset."""


class ExceptionWrapper:
    """An exception on its way from one process to another, with the text of its traceback.

    Args:
        exc_info: The exception, as `sys.exc_info` gives it; by default the one that is handled.
        where: Where it was raised, for the message.
    """

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        kind, exception, trace = exc_info or sys.exc_info()
        assert kind is not None
        self.exc_type: type[BaseException] = kind
        self.exc_msg = "".join(traceback.format_exception(kind, exception, trace))
        self.where = where

    def reraise(self) -> NoReturn:
        """Raise an exception of the same class, whose text is the worker's traceback."""
        text: str = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            raise KeyError(_Readable(text))
        try:
            exception = self.exc_type(text)
        except Exception:  # noqa: BLE001 - whatever a user's class does with one argument
            raise RuntimeError(text) from None
        raise exception


class _Readable(str):
    """A key whose ``repr`` is the text itself: a KeyError shows the ``repr`` of its key."""

    __slots__ = ()

    def __repr__(self) -> str:
        return self


_worker_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Return what a worker process knows about itself: ``id``, ``num_workers``, ``seed``, and
    ``dataset``, the worker's own copy. In any other process return ``None``.

    >>> torch.utils.data.get_worker_info() is None
    True
    """
    return _worker_info


def _generate_state(base_seed: int, worker_id: int) -> tuple[int, ...]:
    """Return the seed for NumPy's old generator: another than Python's, from the same two numbers.

    The mixing is NumPy's ``SeedSequence``, which PyTorch repeats.
    """
    entropy = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    return tuple(np.random.SeedSequence(entropy).generate_state(4).tolist())


def run(connection: Connection[Any, Any], others: list[Connection[Any, Any]], job: Job) -> None:
    """Make batches until the loader's side of the connection is closed.

    ``others`` are the loader's ends of the connections that a forked child has inherited.
    """
    # Ctrl-C reaches all processes at once; it is for the loader's to decide what is to happen.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for each in others:
        each.close()
    _seed_everything(job)
    outgoing = _Outgoing(connection)
    fetcher, failure = _prepared(job)
    ended = False
    parent = os.getppid()
    while _waits_for_work(connection, parent):
        try:
            task = receive(connection)
        except (EOFError, OSError):
            break
        if isinstance(task, Restart):
            ended = False
            fetcher, failure = _restarted(job)
            outgoing.put((None, task), job.id)
            continue
        if ended:
            continue
        number, index = task
        if fetcher is None or failure is not None:
            answer, failure = failure, None
        else:
            answer = _fetched(fetcher, index, job.id)
        ended = isinstance(answer, StreamEnd)
        outgoing.put((number, answer), job.id)
    outgoing.close()


def _seed_everything(job: Job) -> None:
    global _worker_info
    seed = job.base_seed + job.id
    random.seed(seed)
    manual_seed(seed)
    np.random.seed(_generate_state(job.base_seed, job.id))  # noqa: NPY002 - the one that users draw from
    _worker_info = WorkerInfo(job.id, job.num_workers, seed, job.dataset)


def _where(worker_id: int) -> str:
    return f"in DataLoader worker process {worker_id}"


def _prepared(job: Job) -> tuple[Fetcher | None, Any]:
    try:
        if job.init_fn is not None:
            job.init_fn(job.id)
        return job.make_fetcher(), None
    except Exception:  # noqa: BLE001 - raised again where the user sees it
        return None, ExceptionWrapper(where=_where(job.id))


def _restarted(job: Job) -> tuple[Fetcher | None, Any]:
    try:
        return job.make_fetcher(), None
    except Exception:  # noqa: BLE001
        return None, ExceptionWrapper(where=_where(job.id))


def _fetched(fetcher: Fetcher, index: Any, worker_id: int) -> Any:
    try:
        return fetcher.fetch(index)
    except StopIteration:
        if hasattr(fetcher, "samples"):
            return StreamEnd()
        return ExceptionWrapper(where=_where(worker_id))
    except Exception:  # noqa: BLE001
        return ExceptionWrapper(where=_where(worker_id))


def _waits_for_work(connection: Connection[Any, Any], parent: int) -> bool:
    """Wait until there is something to read; say no if the loader's process is gone."""
    while not connection.poll(WATCH_INTERVAL):
        starter = multiprocessing.parent_process()
        if os.getppid() != parent or (starter is not None and not starter.is_alive()):
            return False
    return True


class _Outgoing:
    """A thread that sends answers, so that the worker never waits for the reader.

    If both sides waited for the other to read, neither would.
    """

    def __init__(self, connection: Connection[Any, Any]) -> None:
        self._connection = connection
        self._messages: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._send, daemon=True)
        self._thread.start()

    def put(self, answer: tuple[int | None, Any], worker_id: int) -> None:
        """Send an answer; what cannot be pickled is answered with the reason."""
        try:
            message = Message(answer)
        except Exception:  # noqa: BLE001
            message = Message((answer[0], ExceptionWrapper(where=_where(worker_id))))
        self._messages.put(message)

    def close(self) -> None:
        """Wait until everything is sent, or the reader is gone."""
        self._messages.put(None)
        self._thread.join()

    def _send(self) -> None:
        while (message := self._messages.get()) is not None:
            try:
                message.send(self._connection)
            except OSError:  # the loader does not want any more
                return
