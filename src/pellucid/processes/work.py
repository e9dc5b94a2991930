"""Exchanges that have been started: driving them, waiting for them, noticing what stops them."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from types import CodeType
from typing import Any

from pellucid.autograd.sites import Site, user_frame
from pellucid.futures import Future, drivers
from pellucid.observe import announce, announcing, watchers
from pellucid.processes.board import State
from pellucid.processes.communicator import Request
from pellucid.processes.errors import CollectiveTimeoutError, DistBackendError, DistError, PeerError
from pellucid.processes.world import World, place_in
from pellucid.ranks import Exchange

#: seconds for which a rank that waits asks again at once, before it gives way to other processes
_SPINNING = 5e-6
#: seconds between two looks at the other ranks, and one more for this many of them
_LOOKING, _RANKS_PER_SECOND = 0.25, 1000
#: seconds after the time limit in which the other ranks have to be asked what they do
_COMING_BACK = 5.0
#: seconds in which the last messages of a rank that has left, or has failed, must arrive
_LAST_MESSAGES, _LAST_OF_FAILED = 1.0, 0.2

_places: dict[tuple[int, int], tuple[CodeType, str]] = {}


def place_of(code: CodeType, lasti: int) -> str:
    """Return ``file:line``; sites are few, and each is resolved once."""
    key = (id(code), lasti)
    found = _places.get(key)
    if found is None:
        found = _places[key] = (code, str(Site(code, lasti)))
    return found[1]


class Action(Exchange):
    """What a rank is doing in an exchange: the call, the user's line, and whom it depends on."""

    __slots__ = ("limit", "peers", "place", "world")

    def __init__(
        self, call: str, world: World | None, peers: list[int], limit: float,
        key: tuple[Any, ...] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(call, key, (*peers, 0 if world is None else world.rank))
        self.world = world
        #: global ranks without which it cannot be completed
        self.peers = peers
        #: seconds
        self.limit = limit
        self.place = place_of(*user_frame())
        if world is not None:
            world.board.write(State.WAITING, str(self).encode())
        if watchers:
            announce("exchange", self)

    def __str__(self) -> str:
        return f"{self.place} {self.call}"

    def resume(self) -> None:
        """Write on the board that this rank waits for what it has started earlier."""
        if self.world is not None:
            here = place_of(*user_frame())
            text = (
                str(self) if here == self.place else f"{here} wait for {self.call} of {self.place}"
            )
            self.world.board.write(State.WAITING, text.encode())

    def end(self) -> None:
        """Write on the board that this rank computes again."""
        if self.world is not None:
            self.world.board.write(State.RUNNING)


def seconds(timeout: Any) -> float:
    """Return a time limit, a timedelta or a number of seconds, in seconds."""
    return timeout.total_seconds() if isinstance(timeout, timedelta) else float(timeout)


class Waiting:
    """One wait for exchanges, with longer and longer pauses and looks at the other ranks."""

    def __init__(self, action: Action, limit: float) -> None:
        self._action = action
        self._limit = limit
        self._begin = time.perf_counter()
        self._next_look = _LOOKING
        self._stopped_since: float | None = None

    def pause(self) -> None:
        """Give way for as long as is right by now; raise if the exchange cannot be completed."""
        waited = time.perf_counter() - self._begin
        if waited < _SPINNING:
            return
        if self._action.world is not None:
            self._action.world.give_way(waited)
        if waited >= self._next_look or waited > self._limit:
            with self._bounded(waited):
                self._look(waited)
            self._next_look = waited + _LOOKING + len(self._action.peers) / _RANKS_PER_SECOND

    @contextlib.contextmanager
    def _bounded(self, waited: float) -> Iterator[None]:
        """End this process if MPI does not come back from the other ranks long after the limit."""
        rest = max(0.0, self._limit - waited) + _COMING_BACK
        timer = threading.Timer(rest, _end_stuck, (self._action,))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _look(self, waited: float) -> None:
        world = self._action.world
        if world is None:
            raise CollectiveTimeoutError(f"{self._action} waits for a rank in a group of one")
        stopped = [found for each in self._action.peers if (found := world.why_stopped(each))]
        if stopped:
            self._stop(stopped, waited)
        if waited > self._limit:
            raise CollectiveTimeoutError(
                f"Timed out waiting {1000 * self._limit:.0f}ms for {self._action.call} to "
                f"complete: {everyone(world, self._action.peers)}. All ranks of the group must "
                "enter the same exchange; the time limit is the timeout of init_process_group."
            )

    def _stop(self, stopped: list[Any], waited: float) -> None:
        """Raise for the rank that failed first, or one that has left without sending."""
        state = [entry.state if entry is not None else State.FAILED for entry, _ in stopped]
        if self._stopped_since is None:
            self._stopped_since = waited
        left = all(each == State.FINISHED for each in state)
        if waited - self._stopped_since < (_LAST_MESSAGES if left else _LAST_OF_FAILED):
            return
        following = [each in (State.FOLLOWING, State.FINISHED) for each in state]
        why = stopped[following.index(False) if False in following else 0][1]
        raise _stopped_by(why, self._action)


def _end_stuck(action: Action) -> None:
    sys.stderr.write(
        f"rank {_rank(action)} cannot complete {action.call} at {action.place}, for which it needs "
        f"{named_ranks(action.peers)}, within its time limit, and MPI does not come back from "
        "asking them what they do: is the network cut?\n"
    )
    sys.stderr.flush()
    os._exit(1)


def _stopped_by(why: str, action: Action) -> PeerError:
    return PeerError(
        f"rank {_rank(action)} cannot complete {action.call} at {action.place}: because {why}. "
        "Look at that rank first: the others only wait for it."
    )


def _rank(action: Action) -> int:
    return action.world.rank if action.world is not None else 0


def everyone(world: World, ranks: list[int]) -> str:
    """Return what each rank is doing, ranks that do the same together."""
    doing: dict[str, list[int]] = {}
    for rank in sorted({*ranks, world.rank}):
        doing.setdefault(_doing(world, rank), []).append(rank)
    return "; ".join(f"{named_ranks(those)}: {what}" for what, those in doing.items())


def _doing(world: World, rank: int) -> str:
    entry = world.board.read(rank)
    if entry is None:
        return "does not answer"
    if entry.state == State.RUNNING:
        last = f" (the last one: {entry.text})" if entry.text else ""
        return f"in no exchange{last}{place_in(entry)}"
    return entry.text


def named_ranks(ranks: list[int]) -> str:
    """Return ranks, in ascending order, as "rank 1" or "ranks 0 to 3"."""
    if len(ranks) > 2 and ranks[-1] - ranks[0] == len(ranks) - 1:
        return f"ranks {ranks[0]} to {ranks[-1]}"
    return f"rank{'s' * (len(ranks) > 1)} {', '.join(map(str, ranks))}"


class Work:
    """An exchange that has been started with ``async_op=True``.

    It goes on whenever this process waits for, asks for or starts an exchange.

    Args:
        action: What is done, for messages.
        requests: MPI's requests.
        finish: Called when they have ended.
        result: Tensors that the exchange writes.
        guard: Another exchange, whose error is this one's too.

    >>> torch.distributed.init_process_group(world_size=1, rank=0)
    >>> work = torch.distributed.all_reduce(torch.ones(2), async_op=True)
    >>> work.wait(), work.is_completed()
    (True, True)
    >>> torch.distributed.destroy_process_group()
    """

    def __init__(
        self, action: Action, requests: list[Request], finish: Callable[[], Any] | None = None,
        result: Any = None, guard: Work | None = None,
    ) -> None:  # fmt: skip
        self._action = action
        self._requests = requests
        #: called when all requests are done
        self._finish = finish
        self._result = result
        #: an exchange whose error is this one's
        self._guard = guard
        self._error: Exception | None = None
        self._future: WorkFuture | None = None
        self._completed = False
        #: held by whoever advances the exchange
        self._lock = threading.Lock()
        _pending.append(self)

    def _drive(self) -> bool:
        """Advance the exchange, and return whether it has ended."""
        if self._completed or not self._lock.acquire(blocking=False):
            return self._completed  # what is called below may drive all exchanges
        try:
            if self._guard is not None and self._guard._drive():
                guard, self._guard = self._guard, None
                if guard._error is not None:
                    raise guard._error
            if self._move() or self._guard is not None:
                return False
            if self._finish is not None:
                self._finish()
        except Exception as error:  # noqa: BLE001 - raised by wait
            self._end(explained(error, self._action))
            return True
        finally:
            self._lock.release()
        self._end(None)
        return True

    def _move(self) -> bool:
        """Move the messages, and return whether there are more to come."""
        while self._requests and self._requests[-1].Test():
            self._requests.pop()
        return bool(self._requests)

    def advance(self) -> bool:
        """Move the messages, and leave what follows to others; return whether more are to come."""
        if self._completed or not self._lock.acquire(blocking=False):
            return not self._completed
        try:
            return (self._guard is not None and self._guard.advance()) | self._move()
        except Exception:  # noqa: BLE001 - whoever waits for the exchange meets it as well
            return False
        finally:
            self._lock.release()

    @property
    def has_arrived(self) -> bool:
        """Whether all messages have been moved."""
        return not self._requests

    def _end(self, error: Exception | None) -> None:
        self._completed, self._error = True, error
        if self._requests:  # MPI may still write to the memory of what failed
            _abandoned.append(self._requests)
        self._finish = None
        if self in _pending:
            _pending.remove(self)
        if self._future is not None:
            self._future.settle()

    def is_completed(self) -> bool:
        """Return whether the exchange has ended, well or not."""
        return self._drive()

    def is_success(self) -> bool:
        """Return whether the exchange has ended well."""
        return self._drive() and self._error is None

    def exception(self) -> Exception | None:
        """Return the error that ended the exchange."""
        return self._error

    def wait(self, timeout: Any = None) -> bool:
        """Wait until the exchange has ended, at most ``timeout``; return True.

        Raises RuntimeError if it fails, another rank has failed, or the time is over.
        """
        if not self._drive():
            limit = self._action.limit if timeout is None else seconds(timeout)
            if watchers:
                with announcing("exchange", self._action):
                    self._stand(limit)
            else:
                self._stand(limit)
        self._action.end()
        if self._error is not None:
            raise self._error
        return True

    def _stand(self, limit: float) -> None:
        """Drive all exchanges until this one has ended."""
        self._action.resume()
        waiting = Waiting(self._action, limit)
        _waits.append(self)
        try:
            while True:
                drive_all()
                if self._completed:
                    break
                waiting.pause()
        except DistBackendError as error:
            self._end(error)
        finally:
            _waits.pop()

    def synchronize(self) -> None:
        """Wait until the exchange has ended."""
        self.wait()

    def result(self) -> Any:
        """Return the tensors that the exchange has written; wait for them first."""
        self.wait()
        return self._result

    def source_rank(self) -> int:
        """Return the rank that a received tensor came from."""
        raise DistBackendError("source_rank() is known of a recv only")

    def get_future(self) -> Future[Any]:
        """Return a future of the tensors that the exchange writes."""
        if self._future is None:
            self._future = WorkFuture(self)
            if self._completed:
                self._future.settle()
        return self._future


class WorkFuture(Future[Any]):
    """What an exchange writes, or what a callback makes of it; asking lets the exchange go on."""

    def __init__(self, work: Work) -> None:
        super().__init__()
        self._work = work

    def done(self) -> bool:
        """Return whether the exchange has ended."""
        return self._work.is_completed() and super().done()

    def wait(self) -> Any:
        """Return the value when the exchange has ended; raise its error."""
        if not super().done():
            # An error of the exchange has been handed on to this future.
            with contextlib.suppress(DistError):
                self._work.wait()
        return super().wait()

    def settle(self) -> None:
        """Take the outcome of the exchange."""
        error = self._work.exception()
        if error is not None:
            self._outcome.set_exception(error)
        else:
            self._outcome.set_result(self._work._result)

    def _successor(self) -> Future[Any]:
        return WorkFuture(self._work)


_pending: list[Work] = []
#: the exchanges that are waited for
_waits: list[Work] = []
_abandoned: list[list[Request]] = []


def drive_all() -> None:
    """Advance every exchange that has been started."""
    for work in tuple(_pending):
        work._drive()


def advance_all() -> bool:
    """Move the messages of all exchanges; return whether more are to come."""
    return bool(sum(work.advance() for work in tuple(_pending)))


def is_waited_for() -> bool:
    """Return whether some thread waits for an exchange, and so moves messages."""
    return bool(_waits)


def drive_until(is_done: Callable[[], bool]) -> None:
    """Drive the exchanges until a question is answered with yes, or there are none.

    Raises RuntimeError if the oldest of them fails or is not completed within its time limit.
    """
    watched, waiting = None, None
    while not is_done() and (oldest := next(iter(_pending), None)) is not None:
        if waiting is None or oldest is not watched:
            watched, waiting = oldest, Waiting(oldest._action, oldest._action.limit)
        drive_all()
        try:
            waiting.pause()
        except DistBackendError as error:
            oldest._end(error)
            raise


drivers.append(drive_until)


def explained(error: Exception, action: Action) -> Exception:
    """Return an error of MPI's as one that says which rank was doing what."""
    if type(error).__module__.partition(".")[0] != "mpi4py":
        return error
    for rank in action.peers:
        stopped = None if action.world is None else action.world.why_stopped(rank)
        if stopped is not None:
            return _stopped_by(stopped[1], action)
    first = str(error).partition(", error stack")[0]
    return DistBackendError(
        f"rank {_rank(action)} cannot complete {action.call} at {action.place}: {first}: tensors "
        "that are exchanged have the same shape and dtype on all ranks"
    )
